"""The ledger: the folders of text files that are the truth.

Knows where they lie and in which order they are written, so that a crash between any two steps loses nothing and heals:
the new `memory.md` is laid beside the old one under another name, then the events are written, then it is renamed.
Refuses to know what a memory means (`core.fold`), and never writes over a file it cannot read.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from lsp_server.core.change import Change
from lsp_server.core.fold import fault
from lsp_server.core.forgotten import since_forgotten, tombstone_id
from lsp_server.core.ids import event_file_name, id12
from lsp_server.core.ledger_text import (
    FILE_LIMIT,
    LedgerTextError,
    memory_data,
    memory_from_data,
    ours,
    read_event,
    read_memory,
    write_event,
    write_memory,
)
from lsp_server.core.model import Event, MemoryText
from lsp_server.store.disk import (
    UNFINISHED,
    DiskRefused,
    is_folder,
    locked,
    make_folder,
    put_in_place,
    read_file,
    reason,
    stage_file,
    sync_folder,
    write_file,
)
from lsp_server.store.scan import (
    FORGOTTEN_FOLDER,
    LEDGER_FOLDER,
    MEMORY_FILE,
    NAMED,
    Entry,
    LedgerScan,
    Problem,
    Scanner,
    Tombstones,
)

GITIGNORE = """\
# Written by moorline: what is derived, private or unfinished stays out of git.
*
!.gitignore
!.gitattributes
!config.toml
!memories/
!memories/**
.*.tmp
"""

GITATTRIBUTES = "* text eol=lf\n"

PRIVATE_GITIGNORE = "*\n"
"""For a main checkout whose own branch has no ledger, where a worktree keeps its databases and local memories."""

UNFINISHED_AGE = 10.0
"""Seconds after which an unfinished file is taken for what a crash left, and not for another program's work."""

WRITERS = 8
"""Memories that `write_all` writes at once."""

TOGETHER = 100
"""Memories that `write_all` writes before it lets another program have a turn."""

DATA_VARIABLE = "MOORLINE_DATA"
"""Environment variable that names the user's own folder, instead of the one the system has for such data."""

OWNER = "memory"
"""The key by which an event names its memory. Events of before there was such a key belong where they lie."""

_FOLDER_NAME = re.compile(r"[^./\\:\x00-\x1f][^/\\:\x00-\x1f]{0,120}")
_STAGED = re.compile(r"\.memory-([0-9A-Za-z-]{1,64})\.tmp")


class LedgerRefused(ValueError):
    """A write that was not made. The message is one line that names the file and the mend."""


class LedgerChanged(LedgerRefused):
    """The memory reads otherwise than its writer had seen it: look again, and write anew."""


class LedgerForgotten(LedgerRefused):
    """The memory was forgotten on purpose, and who writes does not know of it."""


class RootLike(Protocol):
    """What of `workspace.paths.Root` the ledger needs."""

    @property
    def path(self) -> Path: ...
    @property
    def local_home(self) -> Path: ...
    @property
    def checkout(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """What one folder holds. `text` is None where `memory.md` cannot be read; then `fallback` is the best that its own
    files still say (our side of a conflict, or what was first recorded).

    `forgotten`: it is of a memory that was forgotten, and nothing of it is served. `remains` are the names of files
    that are from before it was forgotten; where it was recorded anew since, the rest is served.
    """

    text: MemoryText | None
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    fallback: MemoryText | None = None
    forgotten: bool = False
    remains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased: the home and folder of each, and how many files there were."""

    folders: tuple[tuple[str, str], ...]
    files: int


class Ledger:
    """The homes of one workspace. Methods block; all may be called from any thread."""

    def __init__(self, root: Path, local_root: Path, user_root: Path | None = None, checkout: str = "") -> None:
        """`root` is the workspace, `user_root` the user's own folder.

        `local_root` is the folder whose `.moorline` holds what is local: of a git worktree, the main checkout's. Then
        `checkout` names the worktree, whose index is its own.
        """
        self.root = root
        self.folder = root / LEDGER_FOLDER
        self.local_folder = local_root / LEDGER_FOLDER
        self.homes: Mapping[str, Path] = {
            "shared": self.folder / "memories",
            "local": self.local_folder / "local",
            **({"user": user_root / "memories"} if user_root is not None else {}),
        }
        suffix = f"-{re.sub(r'[^0-9A-Za-z_-]', '_', checkout)[:60]}" if checkout else ""
        self.index_path = self.local_folder / f"index{suffix}.db"
        self.words_path = self.local_folder / f"words{suffix}.db"
        self.activity_path = self.local_folder / "activity.db"
        self._scanner = Scanner(self.homes, root)
        self._lock = threading.Lock()

    @classmethod
    def of(cls, root: RootLike) -> Ledger:
        """The ledger of a workspace, with the user's own folder where the system keeps such data."""
        return cls(root.path, root.local_home, user_folder(), root.checkout)

    def exists(self) -> bool:
        """Whether the workspace has a ledger, be it empty."""
        return is_folder(self.folder)

    def init(self) -> tuple[Path, ...]:
        """Makes `.moorline/` with what git must know of it; safe to repeat, leaves alone what somebody wrote there.

        Answers what it made. Raises LedgerRefused.
        """
        made: list[Path] = []
        try:
            if not self.exists():
                make_folder(self.folder)
                made.append(self.folder)
            for path, text in (
                (self.folder / ".gitignore", GITIGNORE),
                (self.folder / ".gitattributes", GITATTRIBUTES),
            ):
                if not os.path.lexists(path) or (path.name == ".gitignore" and _is_private(path)):
                    write_file(path, text.encode())
                    made.append(path)
            self._prepare_local()
        except OSError as error:
            raise LedgerRefused(f"{self.folder} cannot be made: {reason(error)}") from None
        except DiskRefused as error:
            raise LedgerRefused(f"{self.folder}: {error}") from None
        return tuple(made)

    def stamp(self) -> Hashable:
        """A value that is equal as long as nothing in the ledger changed. Costs a `stat` a file."""
        found = self.scan()
        return hash((tuple((key, entry.stamp) for key, entry in found.entries.items()), found.problems))

    def scan(self) -> LedgerScan:
        """What is there, with stamps. Raises nothing."""
        with self._lock:
            return self._scanner.scan()

    def entry(self, home: str, folder: str) -> Entry | None:
        """What lies in one memory's folder; None where there is none."""
        with self._lock:
            return self._scanner.entry(home, folder)

    def tombstones(self, home: str) -> Tombstones:
        """What was forgotten of a home."""
        return self._scanner.tombstones(self.homes[home], []) if home in self.homes else Tombstones.of({})

    def tombstone(self, home: str, memory: str) -> str | None:
        """The id of the newest tombstone of a memory, which an event has to name in `after` to record it anew; None
        where it was not forgotten."""
        times = self.tombstones(home).times.get(memory)
        return tombstone_id(memory, times) if times is not None else None

    def events(self, home: str, folder: str) -> tuple[Event, ...]:
        """The events of one memory that can be read, in no order; none where there is no folder. Raises nothing."""
        entry = self.entry(home, folder)
        return self.read(entry).events if entry is not None else ()

    def read(self, entry: Entry) -> Reading:
        """Reads one memory's folder. Raises nothing: what cannot be read is a problem, and the rest is answered."""
        problems: list[Problem] = []
        events: list[Event] = []
        names: list[str] = []
        for name in entry.events:
            try:
                event = read_event(read_file(entry.path / name, FILE_LIMIT))
                if wrong := fault(event):
                    problems.append(self._problem(entry, name, f"{wrong}: restore it from git"))
                events.append(event)
                names.append(name)
            except FileNotFoundError:
                continue
            except DiskRefused as error:
                problems.append(self._problem(entry, name, str(error)))
            except LedgerTextError as error:
                problems.append(self._problem(entry, name, _at_line(error)))
        text: MemoryText | None = None
        fallback: MemoryText | None = None
        data: bytes | None = None
        try:
            data = read_file(entry.path / MEMORY_FILE, FILE_LIMIT)
            text = read_memory(data)
        except FileNotFoundError:
            if not entry.staged:  # Else somebody is just writing it, or `heal` will finish what a crash left.
                message = "is missing, but not its events: restore it from git, or delete the whole folder"
                problems.append(self._problem(entry, MEMORY_FILE, message))
        except DiskRefused as error:
            problems.append(self._problem(entry, MEMORY_FILE, str(error)))
        except LedgerTextError as error:
            problems.append(self._problem(entry, MEMORY_FILE, _at_line(error)))
        strays = [_is_stray(event, entry, text) for event in events]
        for name, event, stray in zip(names, events, strays, strict=True):
            if stray:
                message = f"is an event of memory {event.data[OWNER][:40]}, not of this one, and is not read: delete it"
                problems.append(self._problem(entry, name, message))
        names = [name for name, stray in zip(names, strays, strict=True) if not stray]
        events = [event for event, stray in zip(events, strays, strict=True) if not stray]
        if text is None:
            fallback = _our_side(data) or _as_recorded(events)
        found = Reading(text, tuple(events), tuple(problems), fallback)
        return self._remembered(entry, found, names) if entry.tombstones.times else found

    def _remembered(self, entry: Entry, found: Reading, names: Sequence[str]) -> Reading:
        """A reading without what is from before its memory was forgotten. `names` are the files of its events."""
        memory = _memory_of(entry, found)
        times = entry.tombstones.times.get(memory)
        if times is None or not (entry.has_text or entry.events):
            return found
        kept = since_forgotten(found.events, tombstone_id(memory, times))
        if not any(event.type == "recorded" for event in kept):
            message = f"is of a memory that was forgotten: moorline forget {memory} --yes erases what came back of it"
            files = (*([MEMORY_FILE] if entry.has_text else []), *entry.events)
            problem = self._problem(entry, files[0], message)
            return Reading(None, (), (problem,), None, True, files)
        alive = {id(event) for event in kept}
        remains = tuple(name for name, event in zip(names, found.events, strict=True) if id(event) not in alive)
        problems = list(found.problems)
        if remains:
            more = f", as are {len(remains) - 1} more here" if remains[1:] else ""
            message = (
                f"is from before its memory was forgotten, and not served{more}:"
                f" moorline forget {memory} --remains --yes erases what is"
            )
            problems.append(self._problem(entry, remains[0], message))
        fallback = (found.fallback and _as_recorded(list(kept))) if found.text is None else None
        return replace(found, events=kept, problems=tuple(problems), fallback=fallback, remains=remains)

    def forget(self, memory: str, *, remains: bool = False) -> Erased:
        """Erases every folder of a memory and leaves a tombstone in the home of each; the one hard delete there is.

        What was forgotten before, and came back by a merge, is erased without another tombstone. With `remains`, only
        what is from before it was forgotten is erased. Raises LedgerRefused where anything cannot be erased.
        """
        folders: list[tuple[str, str]] = []
        files = 0
        try:
            self._prepare_local()
            with locked(self.local_folder / "ledger.lock"):
                for entry in self.scan().entries.values():
                    if not self._may_hold(entry, memory):
                        continue
                    found = self.read(entry)
                    if found.text is not None and found.text.id != memory:
                        continue
                    if remains and not found.forgotten:
                        for name in found.remains:
                            os.unlink(entry.path / name)
                            files += 1
                    else:
                        files += len(entry.events) + entry.has_text
                        if not found.forgotten:
                            self._leave_tombstone(entry, memory)
                        shutil.rmtree(entry.path)
                    sync_folder(entry.path.parent)
                    folders.append(entry.key)
        except OSError as error:
            where = error.filename or self.folder
            raise LedgerRefused(f"{where} cannot be erased: {reason(error)}; see to it and forget it again") from None
        except DiskRefused as error:
            raise LedgerRefused(f"{self.folder}: {error}") from None
        return Erased(tuple(folders), files)

    def _may_hold(self, entry: Entry, memory: str) -> bool:
        """Whether a folder may hold a memory. The name tells as a rule; one that was renamed has to be read."""
        named = NAMED.search(entry.folder)
        if named is not None:
            return named[1] == id12(memory)
        try:
            return read_memory(read_file(entry.path / MEMORY_FILE, FILE_LIMIT)).id == memory
        except (OSError, DiskRefused, LedgerTextError):
            return False

    def _leave_tombstone(self, entry: Entry, memory: str) -> None:
        folder = self.homes[entry.home] / FORGOTTEN_FOLDER
        make_folder(folder)
        times = entry.tombstones.times.get(memory, 0) + 1
        write_file(folder / (memory if times == 1 else f"{memory}.{times}"), f"{memory}\n".encode())

    def write_all(self, changes: Sequence[Change]) -> dict[str, LedgerRefused]:
        """Writes changes to different memories, each as `write` does, several at once; one that fails stops no other.

        Answers, by memory, why it was not written. What a disk needs longest for is to say that something is safe; it
        says so for many at once nearly as fast as for one.
        """
        refused: dict[str, LedgerRefused] = {}

        def write_one(change: Change) -> None:
            try:
                self._write(change, held=True)
            except LedgerRefused as error:
                refused[change.memory_id] = error

        with ThreadPoolExecutor(WRITERS) as pool:
            for start in range(0, len(changes), TOGETHER):
                some = changes[start : start + TOGETHER]
                try:
                    if any(change.home == "shared" for change in some) and not self.exists():
                        self.init()
                    self._prepare_local()
                    with locked(self.local_folder / "ledger.lock"):
                        list(pool.map(write_one, some))
                except (OSError, DiskRefused) as error:
                    said = reason(error) if isinstance(error, OSError) else str(error)
                    refused |= {change.memory_id: LedgerRefused(f"{self.folder}: {said}") for change in some}
        return refused

    def write(self, change: Change) -> None:
        """Writes a change so that it is there whole or, after a crash, is finished by `heal`.

        Events that are there already (by id) are left as they are, and so is a `memory.md` that says the same already,
        however it is laid out. Raises LedgerChanged where it says something else than `change.before`, LedgerRefused
        where it cannot be read or anything cannot be written.
        """
        self._write(change, held=False)

    def _write(self, change: Change, *, held: bool) -> None:
        """`write`; with `held`, the caller holds the lock."""
        if change.home not in self.homes:
            raise LedgerRefused(f"there is no home {change.home!r}: choose of {', '.join(self.homes)}")
        if not _FOLDER_NAME.fullmatch(change.memory_folder):
            raise LedgerRefused(f"{change.memory_folder!r} cannot be the name of a memory's folder")
        folder = self.homes[change.home] / change.memory_folder
        try:
            data = write_memory(change.text) if change.text is not None else None
            events = {
                event.id: write_event(_with_text(_owned(event, change.memory_id), change.text))
                for event in change.events
            }
            names = {event.id: event_file_name(event) for event in change.events}
        except ValueError as error:
            raise LedgerRefused(f"{change.memory_folder}: {error}") from None
        tombstone = self.tombstone(change.home, change.memory_id)
        if tombstone and not folder.exists() and not any(tombstone in event.after for event in change.events):
            raise LedgerForgotten(
                f"memory {change.memory_id} was forgotten on purpose: record it with --again if it is to be known again"
            )
        try:
            self._make_folders(change.home, folder)
            with contextlib.ExitStack() as stack:
                if data is not None:
                    if not held:
                        self._prepare_local()
                        stack.enter_context(locked(self.local_folder / "ledger.lock"))
                    data = self._needed(folder, change, data)
                staged = None
                if data is not None:
                    last = change.events[-1].id if change.events else "none"
                    staged = folder / f".memory-{last}{UNFINISHED}"
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(staged)
                    stage_file(staged, data)
                there = os.listdir(folder)
                for identifier, written in events.items():
                    if not any(name.endswith(f"-{identifier}.json") for name in there):
                        write_file(folder / names[identifier], written)
                if staged is not None:
                    put_in_place(staged, folder / MEMORY_FILE)
        except OSError as error:
            raise LedgerRefused(f"{folder} cannot be written: {reason(error)}") from None
        except DiskRefused as error:
            raise LedgerRefused(f"{folder}: {error}") from None

    def heal(self, entry: Entry, now: float | None = None) -> bool:
        """Finishes, or clears away, what a crash left in a folder; tells whether anything was done.

        A waiting `memory.md` whose events were all written takes its place, unless somebody changed the old one since.
        Leaves what is young enough to be another program's work. `now` is a time in seconds as `time.time` gives it.
        """
        done = False
        for name in entry.staged:
            path = entry.path / name
            try:
                found = os.lstat(path)
                if (time.time() if now is None else now) - found.st_mtime < UNFINISHED_AGE:
                    continue
                waiting = _STAGED.fullmatch(name)
                whole = waiting and any(event.endswith(f"-{waiting.group(1)}.json") for event in entry.events)
                if whole and self._is_newer(entry, found.st_mtime_ns) and _reads(path):
                    put_in_place(path, entry.path / MEMORY_FILE)
                else:
                    os.unlink(path)
                done = True
            except OSError:
                continue
        return done

    def _is_newer(self, entry: Entry, staged_ns: int) -> bool:
        try:
            return os.lstat(entry.path / MEMORY_FILE).st_mtime_ns <= staged_ns
        except FileNotFoundError:
            return True

    def _needed(self, folder: Path, change: Change, data: bytes) -> bytes | None:
        """The bytes to write, None where the file says the same already. Called with the lock held."""
        try:
            present = read_memory(read_file(folder / MEMORY_FILE, FILE_LIMIT))
        except FileNotFoundError:
            if change.before is not None:
                raise LedgerChanged(f"{folder / MEMORY_FILE} was deleted meanwhile: look again") from None
            return data
        except LedgerTextError as error:
            raise LedgerRefused(f"{folder / MEMORY_FILE} {_at_line(error)}; then try again") from None
        except DiskRefused as error:
            raise LedgerRefused(f"{folder / MEMORY_FILE} {error}; then try again") from None
        if change.text is None or present.id != change.text.id:
            raise LedgerRefused(f"{folder} holds another memory ({present.id}): rename that folder")
        if memory_data(present) == memory_data(change.text):
            return None
        if change.before is not None and memory_data(present) != memory_data(change.before):
            raise LedgerChanged(f"{folder / MEMORY_FILE} was changed by somebody else meanwhile: look again")
        return data

    def _make_folders(self, home: str, folder: Path) -> None:
        if home == "shared" and not self.exists():
            self.init()
        if home == "local":
            self._prepare_local()
        if home == "user":
            folder.parent.parent.mkdir(parents=True, exist_ok=True)
        make_folder(folder.parent)
        make_folder(folder)

    def _prepare_local(self) -> None:
        """Makes the folder for what is local, kept out of git even where no ledger is shared."""
        if self.local_folder != self.folder or not self.exists():
            self.local_folder.parent.mkdir(parents=True, exist_ok=True)
            make_folder(self.local_folder)
            ignore = self.local_folder / ".gitignore"
            if not os.path.lexists(ignore):
                write_file(ignore, PRIVATE_GITIGNORE.encode())

    def _problem(self, entry: Entry, name: str, message: str) -> Problem:
        return self._scanner.problem(entry.path / name, message)


def user_folder() -> Path | None:
    """The user's own folder for memories across projects, by the system's conventions; None where there is none."""
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named)
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base) / "moorline" if base else home / "AppData" / "Local" / "moorline"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "moorline"
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base and os.path.isabs(base) else home / ".local" / "share") / "moorline"


def _owned(event: Event, memory: str) -> Event:
    """An event that says whose it is. git, where it merges, may take one folder for another that was renamed, and lay
    what is new in the one into the other."""
    return event if OWNER in event.data else replace(event, data={**event.data, OWNER: memory})


def _is_stray(event: Event, entry: Entry, text: MemoryText | None) -> bool:
    """Whether an event names another memory than the one it lies with."""
    owner = event.data.get(OWNER)
    if not isinstance(owner, str):
        return False
    if text is not None:
        return owner != text.id
    named = NAMED.search(entry.folder)
    return named is not None and named[1] != id12(owner)


def _with_text(event: Event, text: MemoryText | None) -> Event:
    """A `recorded` event with the whole text, so that a lost `memory.md` can be served, and what it said at first."""
    if event.type != "recorded" or text is None or "text" in event.data:
        return event
    data: dict[str, Any] = {**event.data, "text": memory_data(text)}
    return replace(event, data=data)


def _as_recorded(events: list[Event]) -> MemoryText | None:
    for event in sorted(events, key=lambda one: (one.time, one.id)):
        if event.type == "recorded":
            with contextlib.suppress(ValueError):
                return memory_from_data(event.data.get("text"))
    return None


def _memory_of(entry: Entry, found: Reading) -> str:
    """The id of the memory in a folder, by its text, else by its folder's name."""
    for text in (found.text, found.fallback):
        if text is not None:
            return text.id
    named = [memory for memory in entry.tombstones.times if entry.folder.endswith(f"-{id12(memory)}")]
    return named[0] if named else ""


def _our_side(data: bytes | None) -> MemoryText | None:
    if data is None or (side := ours(data)) is None:
        return None
    try:
        return read_memory(side)
    except LedgerTextError:
        return None


def _reads(path: Path) -> bool:
    try:
        read_memory(read_file(path, FILE_LIMIT))
    except (OSError, DiskRefused, LedgerTextError):
        return False
    return True


def _is_private(path: Path) -> bool:
    try:
        return read_file(path, FILE_LIMIT) == PRIVATE_GITIGNORE.encode()
    except (OSError, DiskRefused):
        return False


def _at_line(error: LedgerTextError) -> str:
    return f"{error.message} (line {error.line})"
