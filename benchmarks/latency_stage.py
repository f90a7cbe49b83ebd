"""A workspace for measuring: a Python file of a given length with anchored functions, and a store of memories.

The store is filled through the public command line, as a user's own would be.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from latency_client import python

REPOSITORY = Path(__file__).resolve().parents[1]
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])]),
    "MOORLINE_AUTHOR": "Ada <ada@example.invalid>",
}

FUNCTION_LINES = 10
ELSEWHERE = 10
"""Functions, and memories, in each of the other files."""

FUNCTION = '''def step_{number:05d}(first, second={number}):
    """Step {number} of the sum."""
    note, limit = "naïve ⚓ 🐍", 1{number}
    total = first + second * {number}
    for turn in range({turns}):
        total += turn
        if total > limit:
            return note
    return total if total < {number} else note

'''
MARK = '🐍", 1'
"""What stands right before the digits that are typed and deleted: behind characters of two and four bytes."""


@dataclass(frozen=True)
class Spot:
    """An anchored function: the position of its name and of the digit in it, in UTF-16 units."""

    name: tuple[int, int]
    digit: tuple[int, int]


@dataclass(frozen=True)
class Stage:
    """A workspace. `spots` are the anchored functions of `path`, whose text is `text`."""

    folder: Path
    path: Path
    text: str
    spots: tuple[Spot, ...]

    @property
    def uri(self) -> str:
        return self.path.as_uri()


def build(folder: Path, lines: int, anchors: int, memories: int) -> Stage:
    """Makes the workspace: a file of `lines` lines with `anchors` anchored functions, and `memories` memories in all,
    the others on other files."""
    folder.mkdir(parents=True)
    path = folder / "src" / "long.py"
    path.parent.mkdir()
    count = max(1, lines // FUNCTION_LINES)
    text = "".join(FUNCTION.format(number=number, turns=number % 7 + 3) for number in range(count))
    text += "# filler\n" * (lines - count * FUNCTION_LINES)
    path.write_text(text, encoding="utf-8")
    step = max(1, count // anchors)
    chosen = range(0, min(count, anchors * step), step)
    batch = [memory(f"src/long.py#step_{number:05d}", number) for number in chosen]
    for number in range(max(0, memories - len(batch))):
        file, place = divmod(number, ELSEWHERE)
        name = f"src/part_{file // 100:02d}/other_{file:05d}.py"
        if not place:
            other = folder / name
            other.parent.mkdir(exist_ok=True)
            body = "".join(FUNCTION.format(number=n, turns=n % 5 + 2) for n in range(ELSEWHERE))
            other.write_text(body, encoding="utf-8")
        batch.append(memory(f"{name}#step_{place:05d}", number))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a first version")
    record(folder, batch)
    return Stage(folder, path, text, tuple(spot(text, number) for number in chosen))


def memory(place: str, number: int) -> dict[str, object]:
    text = f"Step {number} adds what comes before it, as the sum must not depend on order.\n\nSee `{place}`."
    return {"anchors": [place], "kind": "decision", "text": text, "tags": ["sum"]}


def spot(text: str, number: int) -> Spot:
    line = number * FUNCTION_LINES
    at = FUNCTION.splitlines()[2].index(MARK) + len(MARK)
    return Spot((line, len("def ") + 2), (line + 2, at + 1))  # The snake is two units of UTF-16.


def record(folder: Path, batch: list[dict[str, object]]) -> None:
    """Records memories through `moorline record --batch`."""
    lines = "".join(json.dumps(entry) + "\n" for entry in batch)
    done = subprocess.run(
        python("-m", "lsp_server", "record", "--batch", "-"),
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        input=lines.encode(),
        capture_output=True,
    )
    if done.returncode:
        raise SystemExit(f"the store could not be filled: {done.stderr.decode(errors='replace').strip()}")


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
