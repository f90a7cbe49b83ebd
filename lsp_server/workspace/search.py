"""Where to look for code that is no longer where its anchor says: which files, in which order, and how far.

Knows words and paths only: whether what a file holds is the anchored code is for `core.drift` to say. Runs off the
keystroke path, within a number of files and of seconds, and says which of them it met. Asks git, whose ignore rules
then hold; without git it walks the folder, leaving out what starts with a dot and what tools fill (`SKIPPED`).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lsp_server.core.languages import language_for
from lsp_server.core.model import Anchor
from lsp_server.core.symbolpath import split_path
from lsp_server.workspace import git
from lsp_server.workspace.paths import LEDGER, PathRefused, git_place, safe
from lsp_server.workspace.threads import in_thread

MAX_FILES = 200
"""Files that are named at most: each of them will be parsed."""

MAX_SECONDS = 2.0
"""Seconds that a search takes at most."""

MAX_READ = 1024 * 1024
"""Bytes of a file that are searched where there is no git."""

MAX_CHANGED = 100
"""Changed and untracked files that are named although they hold none of the words."""

SKIPPED = frozenset(
    ["node_modules", "__pycache__", "venv", "env", "target", "dist", "build", "out", "vendor", "bower_components"]
)
"""Folders that a walk without git does not enter, besides those whose name starts with a dot."""

# Long words that many files hold: they tell nothing apart.
# fmt: off
_COMMON = frozenset(
    [
        "abstract", "arguments", "assert", "async", "await", "boolean", "catch", "class", "const", "constructor",
        "continue", "default", "define", "double", "export", "extends", "false", "final", "finally", "float",
        "function", "global", "implements", "import", "include", "instanceof", "interface", "lambda", "length",
        "module", "namespace", "nonlocal", "number", "object", "override", "package", "print", "private",
        "protected", "public", "raise", "range", "return", "string", "struct", "super", "switch", "synchronized",
        "template", "throw", "throws", "typedef", "undefined", "value", "virtual", "volatile", "while", "yield",
    ]
)
# fmt: on


@dataclass(frozen=True, slots=True)
class Needles:
    """What to look for: the symbol's own name, rare words of its code, and the name of its file. Each may be empty."""

    name: str
    words: tuple[str, ...]
    file_name: str


@dataclass(frozen=True, slots=True)
class Found:
    """Keys of the files to look at, the likeliest first, and the bound that was met, as a sentence; empty if none
    was."""

    paths: tuple[str, ...]
    bound: str = ""


def needles(anchor: Anchor) -> Needles:
    """Give what to look for, from the anchor's place and the code of its newest baseline that has any."""
    name = ""
    if anchor.place.symbol is not None:
        try:
            name = split_path(anchor.place.symbol)[-1]
        except ValueError:
            name = ""
    content = next((one.content for one in reversed(anchor.baselines) if one.content), "")
    words = {word for word in re.findall(r"[^\W\d]\w{4,59}", content) if word != name and word.lower() not in _COMMON}
    rarest = sorted(words, key=lambda word: (-len(word), word))[:3]
    return Needles(name, tuple(rarest), anchor.place.file.rsplit("/", 1)[-1])


async def candidates(
    root: Path,
    anchor: Anchor,
    *,
    skip: Collection[str] = (),
    files: int = MAX_FILES,
    seconds: float = MAX_SECONDS,
) -> Found:
    """Give the files of the workspace `root` where the code of `anchor` may be now.

    First where git says that its file went, then changed and untracked files, then files of the same name, then files
    that hold its rare words or its name. `skip` are keys that were looked at already; the anchor's own places always
    are. For a symbol only files of a known language are named. Files of a workspace inside this one are left to that.
    """
    wanted = needles(anchor)
    until = time.monotonic() + seconds
    if git_place(root) is not None:
        ranked = await _by_git(root, anchor, wanted, until)
    else:
        ranked = await in_thread(lambda: list(_by_walking(root, anchor.place.file, wanted, until)))
    kept = _Gate(root, anchor, skip).kept(ranked)
    bounds = []
    if time.monotonic() > until:
        bounds.append(f"the search stopped after {seconds:g} seconds")
    if len(kept) > files:
        bounds.append(f"{files} of {len(kept)} files that may hold it were looked at")
    return Found(tuple(kept[:files]), "; ".join(bounds))


async def _by_git(root: Path, anchor: Anchor, wanted: Needles, until: float) -> list[str]:
    def left() -> float:
        return max(0.05, until - time.monotonic())

    ranked: list[str] = []
    if not os.path.lexists(root / anchor.place.file):
        target = await git.rename_target(root, anchor.place.file, timeout=left())
        if target is not None:
            ranked.append(target)
    changed = await git.changed_and_untracked(root, timeout=left())
    all_words = await git.holding(root, wanted.words, every=True, timeout=left())
    names = await git.holding(root, [wanted.name], whole_words=True, timeout=left()) if wanted.name else ()
    any_word = await git.holding(root, wanted.words, timeout=left())
    holding = {*all_words, *names, *any_word}
    ranked += [path for path in changed if path in holding]
    ranked += [path for path in changed if path not in holding][:MAX_CHANGED]
    ranked += [path for path in await git.files(root, timeout=left()) if path.rsplit("/", 1)[-1] == wanted.file_name]
    return [*ranked, *all_words, *names, *any_word]


def _by_walking(root: Path, near: str, wanted: Needles, until: float) -> Iterator[str]:
    """The same order from the disk alone; the folder of the anchor's file, and those above it, come first."""
    words = [word.encode("utf-8", "surrogatepass") for word in (*wanted.words, wanted.name) if word]
    named: list[str] = []
    holding: list[tuple[int, str]] = []
    for path in _walk(root, near):
        if time.monotonic() > until:
            break
        if path.rsplit("/", 1)[-1] == wanted.file_name:
            named.append(path)
        hits = _hits(root / path, words)
        if hits:
            holding.append((-hits, path))
    yield from named
    yield from (path for _, path in sorted(holding, key=lambda one: one[0]))


def _walk(root: Path, near: str) -> Iterator[str]:
    """Every file below `root` once, no link followed, nearest to the file `near` first."""
    parents = near.split("/")[:-1]
    done: set[str] = set()
    for depth in range(len(parents), -1, -1):
        waiting = ["/".join(parents[:depth])]
        for folder in waiting:  # Grows while it is walked.
            if folder in done:
                continue
            done.add(folder)
            try:
                entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in SKIPPED:
                        waiting.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield path


def _hits(path: Path, words: list[bytes]) -> int:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_READ)
    except OSError:
        return 0
    return 0 if b"\0" in data[:8192] else sum(word in data for word in words)


class _Gate:
    """Lets through what belongs to this workspace and may hold the anchored code, each file once."""

    def __init__(self, root: Path, anchor: Anchor, skip: Collection[str]) -> None:
        self._root = root
        self._symbol = anchor.place.symbol is not None
        self._skip = {*skip, *(place.file for place in anchor.places)}
        self._foreign: dict[str, bool] = {"": False}

    def kept(self, paths: Iterable[str]) -> list[str]:
        found: dict[str, None] = {}
        for path in paths:
            try:
                key = safe(self._root, path)
            except PathRefused:
                continue
            if key in found or key in self._skip or self._is_foreign(key.rpartition("/")[0]):
                continue
            if self._symbol and language_for(key) is None:
                continue
            found[key] = None
        return list(found)

    def _is_foreign(self, folder: str) -> bool:
        """Whether a folder is part of the ledger, or of a workspace of its own."""
        if folder not in self._foreign:
            parent, _, name = folder.rpartition("/")
            self._foreign[folder] = (
                name == LEDGER or os.path.isdir(self._root / folder / LEDGER) or self._is_foreign(parent)
            )
        return self._foreign[folder]
