"""Whole conversations with the command line, as data: what is typed, what is answered, the exit code.

In `transcripts/*.txt` a line after `$ ` is a command (a shell's, with `moorline` in place), then come the lines of its
standard output, those of standard error after `! `, and `[n]` for an exit code other than 0. `<A>` to `<Z>` are ids,
each the same wherever it stands; `<rev>` is a revision, `<root>` the repository, `<...>` anything in a line, and a line
`<*>` any lines.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Done, Repository

TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


@dataclass
class Step:
    command: str
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    code: int = 0


def steps(text: str) -> list[Step]:
    found: list[Step] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Step(line[2:]))
        elif not found:
            assert not line or line.startswith("#"), line
        elif line.startswith("! "):
            found[-1].err.append(line[2:])
        elif code := re.fullmatch(r"\[(\d)\]", line):
            found[-1].code = int(code[1])
        else:
            found[-1].out.append(line)
    return found


def pattern(lines: list[str], known: dict[str, str]) -> re.Pattern[str]:
    """The lines as one regular expression; a letter that is not known yet is a group of that name."""
    fixed = {"...": ".*", "rev": "[0-9a-f]{8}", "root": re.escape(known["root"])}
    met: set[str] = set()

    def placed(match: re.Match[str]) -> str:
        name = match[1]
        if name in fixed:
            return fixed[name]
        if name in known:
            return re.escape(known[name])
        if name in met:
            return f"(?P={name})"
        met.add(name)
        return f"(?P<{name}>[0-9a-f]{{8}}(?:-[0-9a-f]{{4}})?)"

    pieces = []
    for line in lines:
        if line == "<*>":
            pieces.append(r"(?:.*\n)*?")
            continue
        escaped = re.escape(line).replace(r"\.\.\.", "...")
        pieces.append(re.sub(r"<(\.\.\.|[A-Z]|rev|root)>", placed, escaped) + r"\n")
    return re.compile("".join(pieces))


def performed(command: str, repo: Repository) -> Done:
    """Runs a line: `moorline` in this process, its output through the rest of a pipe if there is one."""
    first, _, rest = command.partition(" | ")
    if first.startswith("moorline "):
        done = repo(*shlex.split(first)[1:])
        if not rest:
            return done
        piped = subprocess.run(rest, shell=True, cwd=repo.path, input=done.out, capture_output=True, text=True)
        return type(done)(done.code, piped.stdout, done.err)
    shell = subprocess.run(command, shell=True, cwd=repo.path, capture_output=True, text=True)
    done = repo("--version")
    return type(done)(shell.returncode, shell.stdout, shell.stderr)


def named(command: str, known: dict[str, str]) -> str:
    return re.sub(r"<([A-Z])>", lambda match: known[match[1]], command)


def check_transcript(text: str, repo: Repository) -> None:
    known = {"root": str(repo.path)}
    for step in steps(text):
        command = named(step.command, known)
        done = performed(command, repo)
        for lines, said in ((step.out, done.out), (step.err, done.err)):
            wanted = pattern(lines, known)
            match = wanted.fullmatch(said if not said or said.endswith("\n") else said + "\n")
            assert match, f"$ {command}\n--- said\n{done.out}--- on standard error\n{done.err}--- wanted\n" + "\n".join(
                lines
            )
            known |= match.groupdict()
        assert done.code == step.code, (command, done)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path, repo: Repository) -> None:
    check_transcript(path.read_text(encoding="utf-8"), repo)


def test_a_transcript_that_is_wrong_fails(repo: Repository) -> None:
    for wrong in ("$ moorline --version\nmoorline 99\n", "$ moorline list\n! no memories yet; <...>\n[1]\n"):
        with pytest.raises(AssertionError):
            check_transcript(wrong, repo)
