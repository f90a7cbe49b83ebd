"""Where to look for code that is no longer where its anchor says: which files, in which order, and how far.

Knows words and paths only: whether what a file holds is the anchored code is for `core.drift` to say. Runs off the
keystroke path, within a number of files and of seconds, and says which of them it met. Asks git, whose ignore rules
then hold; without git it walks the folder, leaving out what starts with a dot and what tools fill (`SKIPPED`).
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsp_server.core.languages import akin
from lsp_server.core.model import Anchor, Locus
from lsp_server.core.symbolpath import split_path
from lsp_server.workspace import git
from lsp_server.workspace.paths import LEDGER, PathRefused, git_place, real, safe
from lsp_server.workspace.threads import in_thread

MAX_FILES = 60
"""Files that are named for one anchor at most: each of them will be parsed."""

MAX_SECONDS = 2.0
"""Seconds that one search takes at most, for however many anchors."""

MAX_READ = 1024 * 1024
"""Bytes of a file that are searched for the words."""

MAX_HOLDING = 5000
"""Files that are read, at most, to tell which words they hold."""

MAX_RENAMES = 8
"""Files that git is asked about at most: where did it go?"""

_WORDS_A_CALL = 40
"""Words that one call of git looks for."""

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
class Reach:
    """Where to look for some anchors, and how far that is.

    `bound` is empty, or a sentence that says what ended the search before everything was looked at.
    """

    by_anchor: Mapping[tuple[str, Locus], tuple[str, ...]]
    bound: str = ""

    def paths(self, anchor: Anchor) -> tuple[str, ...]:
        """Keys of the files where the code of an anchor that was asked for may be, the likeliest first."""
        return self.by_anchor.get(_key(anchor), ())


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
    anchors: Sequence[Anchor],
    first: Sequence[str] = (),
    *,
    files: int = MAX_FILES,
    seconds: float = MAX_SECONDS,
) -> Reach:
    """Give, for each of `anchors`, the files of the workspace `root` where its code may be now.

    First `first` (what the caller knows: rename hints, open files), then where git says that the anchor's file went,
    then changed and untracked files, then those of the same name, then what holds its rare words or its name, the most
    of them first. An anchor's own places are left out, as they were looked at; so are, for a symbol, files of no known
    language, and files of a workspace inside this one. At most `files` are named for an anchor, within `seconds` for
    all.
    """
    until = time.monotonic() + seconds
    wanted = [needles(anchor) for anchor in anchors]
    words = list(dict.fromkeys(word for one in wanted for word in (*one.words, one.name) if word))
    if git_place(root) is not None:
        seen = await _by_git(root, anchors, words, until)
    else:
        near = anchors[0].place.file if anchors else ""
        seen = await in_thread(lambda: _by_walking(root, near, words, until))
    gate = _Gate(root)
    found: dict[tuple[str, Locus], tuple[str, ...]] = {}
    most = 0
    for anchor, one in zip(anchors, wanted, strict=True):
        kept = gate.kept(anchor, [*first, *_ranked(anchor, one, seen)])
        most = max(most, len(kept))
        found[_key(anchor)] = tuple(kept[:files])
    bounds = []
    if seen.cut:
        bounds.append(f"stopped after {seconds:g} seconds")
    if most > files:
        bounds.append(f"looked at the likeliest {files} of {most} files")
    return Reach(found, " and ".join(bounds))


@dataclass(slots=True)
class _Seen:
    """What one pass over the workspace found, for all anchors. `cut`: it ran out of time or room."""

    renamed: dict[str, str] = field(default_factory=dict)
    changed: Sequence[str] = ()
    files: Sequence[str] = ()
    holding: dict[str, frozenset[str]] = field(default_factory=dict)
    cut: bool = False


def _ranked(anchor: Anchor, wanted: Needles, seen: _Seen) -> Iterator[str]:
    mine = {*wanted.words, wanted.name}
    hits = {path: len(words & mine) for path, words in seen.holding.items() if words & mine}
    if anchor.place.file in seen.renamed:
        yield seen.renamed[anchor.place.file]
    yield from sorted((path for path in seen.changed if path in hits), key=lambda path: -hits[path])
    yield from (path for path in seen.files if path.rsplit("/", 1)[-1] == wanted.file_name)
    # A rare word says more than a name that any file may use.
    yield from sorted(hits, key=lambda path: (-hits[path], not seen.holding[path] & set(wanted.words), path))
    yield from seen.changed


def _key(anchor: Anchor) -> tuple[str, Locus]:
    return anchor.id, anchor.locus  # An id is short: two memories may use one.


async def _by_git(root: Path, anchors: Sequence[Anchor], words: Sequence[str], until: float) -> _Seen:
    def left() -> float:
        return max(0.05, until - time.monotonic())

    seen = _Seen()
    seen.changed = await git.changed_and_untracked(root, timeout=left())
    holding: dict[str, None] = {}
    for start in range(0, len(words), _WORDS_A_CALL):
        some = await git.holding(root, words[start : start + _WORDS_A_CALL], timeout=left())
        holding.update(dict.fromkeys(some))
    seen.files = await git.files(root, timeout=left())
    gone = dict.fromkeys(anchor.place.file for anchor in anchors if not os.path.lexists(root / anchor.place.file))
    for path in list(gone)[:MAX_RENAMES]:
        target = await git.rename_target(root, path, timeout=left())
        if target is not None:
            seen.renamed[path] = target
    await in_thread(lambda: _attribute(root, holding, words, seen, until + 0.2))
    seen.cut = seen.cut or time.monotonic() > until
    return seen


def _by_walking(root: Path, near: str, words: Sequence[str], until: float) -> _Seen:
    """The same from the disk alone; the folder of the first anchor's file, and those above it, come first."""
    seen = _Seen()
    files: list[str] = []
    for path in walk(root, near):
        files.append(path)
        if time.monotonic() > until:
            seen.cut = True
            break
    seen.files = files
    _attribute(root, files, words, seen, until)
    return seen


def _attribute(root: Path, paths: Collection[str], words: Sequence[str], seen: _Seen, until: float) -> None:
    """Find out which of `words` each of `paths` holds as whole words."""
    as_bytes = [word.encode("utf-8", "surrogatepass") for word in words]
    whole = [re.compile(rb"(?<![\w\x80-\xff])" + re.escape(one) + rb"(?![\w\x80-\xff])") for one in as_bytes]
    wanted = list(zip(words, as_bytes, whole, strict=True))
    for number, path in enumerate(paths):
        if number >= MAX_HOLDING or time.monotonic() > until:
            seen.cut = True
            return
        data = _start_of(root, path)
        seen.holding[path] = frozenset(
            word for word, plain, pattern in wanted if plain in data and pattern.search(data)
        )


def walk(root: Path, near: str = "") -> Iterator[str]:
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


def _start_of(root: Path, path: str) -> bytes:
    """The first bytes of a text file inside the root; none where it is something else."""
    try:
        full = real(root, safe(root, path))
        if not stat.S_ISREG(os.lstat(full).st_mode):
            return b""
        with open(full, "rb") as file:
            data = file.read(MAX_READ)
    except (OSError, PathRefused):
        return b""
    return b"" if b"\0" in data[:8192] else data


class _Gate:
    """Lets through what belongs to this workspace and may hold the anchored code, each file once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._foreign: dict[str, bool] = {"": False}
        self._keys: dict[str, str | None] = {}

    def kept(self, anchor: Anchor, paths: Iterable[str]) -> list[str]:
        own = {place.file for place in anchor.places}
        symbol = anchor.place.symbol is not None
        found: dict[str, None] = {}
        for path in paths:
            if path not in self._keys:
                self._keys[path] = self._key(path)
            key = self._keys[path]
            if key is not None and key not in own and not (symbol and not akin(anchor.place.file, key)):
                found[key] = None
        return list(found)

    def _key(self, path: str) -> str | None:
        try:
            key = safe(self._root, path)
        except PathRefused:
            return None
        return None if self._is_foreign(key.rpartition("/")[0]) else key

    def _is_foreign(self, folder: str) -> bool:
        """Whether a folder is part of the ledger, or of a workspace of its own."""
        if folder not in self._foreign:
            parent, _, name = folder.rpartition("/")
            self._foreign[folder] = (
                name == LEDGER or os.path.isdir(self._root / folder / LEDGER) or self._is_foreign(parent)
            )
        return self._foreign[folder]
