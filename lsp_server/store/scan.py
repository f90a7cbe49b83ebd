"""What lies in the ledger's folders, and stamps that say whether it changed. Costs a `stat` a file when nothing did.

Knows names, sizes and times; opens no file. What is no memory's folder, or leads elsewhere, becomes a problem.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lsp_server.store.disk import UNFINISHED, is_folder

LEDGER_FOLDER = ".moorline"
MEMORY_FILE = "memory.md"
FORGOTTEN_FOLDER = ".forgotten"
"""The folder of a home's tombstones: a file each, named by the memory's id, and from the second time on by how often it
was forgotten as well."""
FOLDER_LIMIT = 200_000
"""Most memories of one home that are looked at."""
FILES_LIMIT = 10_000
"""Most files of one memory that are looked at."""


class Problem(NamedTuple):
    """Something in the ledger that cannot be used. `path` is relative to the root if it lies inside, else absolute."""

    path: str
    message: str


Key = tuple[str, str]
"""Home and folder: what names a memory's files."""

_TOMBSTONE = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.([1-9][0-9]{0,3}))?")
NAMED = re.compile(r"-([0-9a-f]{12})\Z")
"""The end of a folder's name: the first 12 digits of its memory's id."""


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What was forgotten of one home: how often, by the memory's id; and the same as text, by the 12 digits that end a
    folder's name.
    """

    times: Mapping[str, int]
    marks: Mapping[str, str]

    @classmethod
    def of(cls, times: Mapping[str, int]) -> Tombstones:
        marks: dict[str, str] = {}
        for memory, number in sorted(times.items()):
            digits = memory.replace("-", "")[:12]
            marks[digits] = f"{marks.get(digits, '')} {memory} {number}"
        return cls(times, marks)

    def mark(self, folder: str) -> str:
        """What of them a folder's stamp depends on. One that somebody renamed may hold any memory."""
        named = NAMED.search(folder)
        return self.marks.get(named[1], "") if named is not None else repr(sorted(self.times.items()))


NO_TOMBSTONES = Tombstones.of({})


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory's folder. `events` and `staged` are names of files; `stamp` changes whenever any of them does.

    `newest` is the latest time in nanoseconds at which any of it changed. `tombstones` are those of its home.
    """

    home: str
    folder: str
    path: Path
    has_text: bool
    events: tuple[str, ...]
    staged: tuple[str, ...]
    stamp: str
    newest: int
    tombstones: Tombstones = NO_TOMBSTONES

    @property
    def key(self) -> Key:
        return self.home, self.folder


@dataclass(frozen=True, slots=True)
class LedgerScan:
    """Everything that is there. `unlisted` are the homes and folders that are there and could not be listed."""

    entries: Mapping[Key, Entry]
    problems: tuple[Problem, ...]
    unlisted: frozenset[str | Key]

    def gone(self, key: Key) -> bool:
        """Whether a folder that was there is surely not there any more."""
        return key not in self.entries and key not in self.unlisted and key[0] not in self.unlisted


@dataclass(slots=True)
class Listing:
    """The names in one folder as they were listed, good as long as the folder's own stamp is the same and settled."""

    stamp: tuple[int, int, int]
    settled: bool
    names: tuple[str, ...]
    strange: tuple[str, ...]


@dataclass(slots=True)
class Scanner:
    """Scans homes again and again, listing only folders that changed. Not for two threads at once."""

    homes: Mapping[str, Path]
    root: Path
    _listings: dict[Key, Listing] = field(default_factory=dict)

    def scan(self) -> LedgerScan:
        """Looks at everything. Raises nothing: what cannot be looked at is a problem."""
        entries: dict[Key, Entry] = {}
        problems: list[Problem] = []
        unlisted: set[str | Key] = set()
        for home, base in self.homes.items():
            try:
                names = self._folders(base, problems)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                problems.append(self.problem(base, f"cannot be listed ({why}): give yourself the right to it"))
                unlisted.add(home)
                continue
            tombstones = self.tombstones(base, problems)
            for folder in names:
                try:
                    entry = self._entry(home, base, folder, tombstones, problems)
                except OSError as error:
                    message = f"cannot be listed ({error.strerror}): give yourself the right to it"
                    problems.append(self.problem(base / folder, message))
                    unlisted.add((home, folder))
                    continue
                if entry is not None:
                    entries[entry.key] = entry
        for key in [key for key in self._listings if key not in entries]:
            del self._listings[key]
        return LedgerScan(entries, tuple(problems), frozenset(unlisted))

    def entry(self, home: str, folder: str) -> Entry | None:
        """One memory's folder alone; None where there is none that could be looked at."""
        base = self.homes.get(home)
        if base is None or not is_folder(base / folder):
            return None
        try:
            return self._entry(home, base, folder, self.tombstones(base, []), [])
        except OSError:
            return None

    def tombstones(self, base: Path, problems: list[Problem]) -> Tombstones:
        """What was forgotten of a home. Raises nothing."""
        path = base / FORGOTTEN_FOLDER
        found: dict[str, int] = {}
        try:
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                problems.append(self.problem(path, "is no folder and is not read: put a real folder in its place"))
                return NO_TOMBSTONES
            with os.scandir(path) as items:
                for item in items:
                    if (name := _TOMBSTONE.fullmatch(item.name)) is not None:
                        found[name[1]] = max(found.get(name[1], 0), int(name[2] or 1))
        except FileNotFoundError:
            return NO_TOMBSTONES
        except OSError as error:
            problems.append(self.problem(path, f"cannot be listed ({error.strerror}): give yourself the right to it"))
        return Tombstones.of(found)

    def problem(self, path: Path, message: str) -> Problem:
        """A problem of a file, named as people would."""
        try:
            shown = path.relative_to(self.root).as_posix()
        except ValueError:
            shown = path.as_posix()
        return Problem(_printable(shown), message)

    def _folders(self, base: Path, problems: list[Problem]) -> list[str]:
        for place in (base.parent, base) if base.parent.name == LEDGER_FOLDER else (base,):
            mode = os.lstat(place).st_mode
            if stat.S_ISLNK(mode):
                problems.append(self.problem(place, "is a link and is not followed: put a real folder in its place"))
                raise ValueError("a link is in its way")
            if not stat.S_ISDIR(mode):
                raise ValueError("it is no folder")
        found: list[str] = []
        with os.scandir(base) as listing:
            for item in listing:
                if item.name.startswith("."):
                    continue
                if item.is_symlink():
                    problems.append(self.problem(base / item.name, "is a link and is not followed: put a folder there"))
                elif item.is_dir(follow_symlinks=False):
                    if _printable(item.name) != item.name:
                        problems.append(self.problem(base / item.name, "has a name that is not plain text: rename it"))
                    elif len(found) >= FOLDER_LIMIT:
                        problems.append(
                            self.problem(base, f"holds more than {FOLDER_LIMIT} memories: the rest is left")
                        )
                        break
                    else:
                        found.append(item.name)
                elif not item.is_file(follow_symlinks=False):
                    problems.append(self.problem(base / item.name, "is neither a file nor a folder: delete it"))
        found.sort()
        return found

    def _entry(
        self, home: str, base: Path, folder: str, tombstones: Tombstones, problems: list[Problem]
    ) -> Entry | None:
        path = base / folder
        place = f"{base}{os.sep}{folder}"
        try:
            listing = self._listing((home, folder), place)
        except FileNotFoundError:
            return None
        for name in listing.strange:
            problems.append(self.problem(path / name, "is no regular file and is not read: delete it"))
        digest = hashlib.blake2b(digest_size=16)
        newest = 0
        for name in listing.names:
            try:
                found = os.lstat(f"{place}{os.sep}{name}")
            except OSError:
                digest.update(f"{name} gone\n".encode("utf-8", "replace"))
                continue
            newest = max(newest, found.st_mtime_ns, found.st_ctime_ns)
            mark = f"{name} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {found.st_ino} {found.st_mode}\n"
            digest.update(mark.encode("utf-8", "replace"))
        names = listing.names
        if not names:
            return None  # What git leaves of a folder, or one that is just being made.
        digest.update(tombstones.mark(folder).encode())
        return Entry(
            home,
            folder,
            path,
            MEMORY_FILE in names,
            tuple(name for name in names if name.endswith(".json") and not name.startswith(".")),
            tuple(name for name in names if name.startswith(".")),
            digest.hexdigest(),
            newest,
            tombstones,
        )

    def _listing(self, key: Key, place: str) -> Listing:
        found = os.lstat(place)
        stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        known = self._listings.get(key)
        if known is not None and known.stamp == stamp and known.settled:
            return known
        now = time.time_ns()
        names: list[str] = []
        strange: list[str] = []
        with os.scandir(place) as items:
            for item in items:
                if len(names) >= FILES_LIMIT:
                    break
                name = item.name
                if name.startswith("."):
                    wanted = name.endswith(UNFINISHED)
                else:
                    wanted = name == MEMORY_FILE or name.endswith(".json")
                if wanted:
                    names.append(name)
                elif not item.is_file(follow_symlinks=False) and not item.is_dir(follow_symlinks=False):
                    strange.append(name)
        names.sort()
        listing = Listing(stamp, settled(max(stamp[:2]), now), tuple(names), tuple(sorted(strange)))
        self._listings[key] = listing
        return listing


def settled(changed: int, looked: int) -> bool:
    """Whether what was looked at (both in nanoseconds) cannot have changed since without getting another time.

    Times of files come in ticks: of a few milliseconds, or, where whole seconds are all there is, of up to two seconds
    (FAT). What changed within a tick of the look may change again unseen.
    """
    tick = 2_000_000_000 if changed % 1_000_000_000 == 0 else 50_000_000
    return changed + tick < looked


def _printable(text: str) -> str:
    """A name without half surrogates and control characters."""
    clean = text.encode("utf-8", "backslashreplace").decode()
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in clean)
