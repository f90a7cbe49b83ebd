"""The index: memories as they fold now, in SQLite, so that nothing needs to read ten thousand files to answer.

Derived and disposable: whatever is wrong with it, it is made again from the ledger. Knows all SQL of it; refuses to be
the truth about anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from lsp_server.core.fold import fold
from lsp_server.core.ids import id12
from lsp_server.core.model import Event, Memory, MemoryText
from lsp_server.store.database import Database, Row, Shape
from lsp_server.store.judged import TABLE as JUDGED
from lsp_server.store.judged import Keep, Kept, known
from lsp_server.store.ledger import Ledger
from lsp_server.store.memory_json import dump_memory, load_memory, text_of
from lsp_server.store.scan import MEMORY_FILE, Entry, Key, LedgerScan, Problem, settled

__all__ = ["Index", "Problem", "Refreshed"]

SCHEMA = 3
"""Version of the tables and of the JSON in them (`PRAGMA user_version`). Another one is made again from the ledger."""

_CHECKS = '"checks":['
"""How a memory's checks begin in its JSON, in which a quote inside of a text is escaped."""

PAGE = 2_000
"""Memories whose JSON is held at once where all are asked for."""

BATCH = 100
"""Memories that are read, and then written in one transaction."""

_TABLES = (
    # What was read of each folder. `digest` is of the memory as it is served, empty where there is none.
    """CREATE TABLE folder (
        home TEXT NOT NULL, folder TEXT NOT NULL, stamp TEXT NOT NULL, digest TEXT NOT NULL, id TEXT,
        problems TEXT NOT NULL, PRIMARY KEY (home, folder)) WITHOUT ROWID""",
    # `served` is 0 for a second copy of one memory.
    """CREATE TABLE memory (
        home TEXT NOT NULL, folder TEXT NOT NULL, id TEXT NOT NULL, hex TEXT NOT NULL, kind TEXT NOT NULL,
        current INTEGER NOT NULL, served INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (home, folder))""",
    "CREATE INDEX memory_id ON memory (id)",
    "CREATE INDEX memory_hex ON memory (hex)",
    "CREATE INDEX memory_kind ON memory (kind)",
    # Every place that an anchor may stand at; `now` is 1 for the one it is taken to stand at.
    """CREATE TABLE place (
        home TEXT NOT NULL, folder TEXT NOT NULL, file TEXT NOT NULL, anchor TEXT NOT NULL, now INTEGER NOT NULL,
        PRIMARY KEY (file, home, folder, anchor)) WITHOUT ROWID""",
    "CREATE INDEX place_folder ON place (home, folder)",
    JUDGED,
)

_SHAPE = Shape(_TABLES, SCHEMA, derived=True)


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh found: ids of memories that are new or read otherwise than this index served them before, ids that
    are gone, and every problem that there is now.
    """

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """One folder as it goes into the tables. `memory` is None where nothing can be served."""

    key: Key
    stamp: str
    memory: Memory | None
    data: str
    problems: tuple[Problem, ...]

    @property
    def digest(self) -> str:
        return _digest(self.data) if self.memory is not None else ""


class Index:
    """The memories of one ledger. Make it with `open`; it must be closed, or its thread keeps the program alive."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SHAPE)
        self._scan: LedgerScan | None = None
        self._ledger: Ledger | None = None
        self._seen: dict[Key, tuple[str, str]] | None = None
        self._opened_at: tuple[int, int] | None = None
        self._stamps: dict[Key, str] = {}
        self._read_at: tuple[int, int] | None = None
        self._filled = 0
        self._written = 0
        """Grows with every write of this program to what is served."""
        self._lock = asyncio.Lock()

    # -- life ----------------------------------------------------------------------------------------------------

    @classmethod
    async def open(cls, path: Path) -> Index:
        """Opens the database of a ledger as it was left, or makes an empty one: `refresh` brings it up to date.

        Where its folder is not there yet, or the file cannot be had, the index is in memory until it can.
        """
        index = cls(path)
        try:
            await index._database.open()
            index._filled = index._database.generation
            index._opened_at = await index._database.changes_of_others()
        except BaseException:
            await index.close()
            raise
        return index

    async def close(self) -> None:
        """Ends it. Waits for a transaction that is being written; safe to call twice."""
        await self._database.close()

    async def __aenter__(self) -> Index:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- questions -----------------------------------------------------------------------------------------------

    async def memories(
        self,
        ids: Iterable[str] | None = None,
        file: str | None = None,
        kind: str | None = None,
        below: str | None = None,
    ) -> list[Memory]:
        """Memories, by id: all, or only those that meet every condition.

        `ids`: some ids. `kind`: of that kind. `file`: with an anchor that may stand in that file. `below`: the same for
        a folder and all that is below it (or a file of that name).
        """
        where: list[str] = ["served = 1"]
        values: list[Any] = []
        if kind is not None:
            where.append("kind = ?")
            values.append(_bindable(kind))
        if file is not None:
            where.append("(home, folder) IN (SELECT home, folder FROM place WHERE file = ?)")
            values.append(_bindable(file))
        if below is not None:
            # "0" is the character after "/".
            where.append(
                "(home, folder) IN (SELECT home, folder FROM place WHERE file = ? OR (file >= ? AND file < ?))"
            )
            folder = _bindable(below.rstrip("/"))
            values += [folder, f"{folder}/", f"{folder}0"]
        if ids is None:
            return await self._load(where, values)
        wanted = list(dict.fromkeys(ids))
        found: list[Memory] = []
        for start in range(0, len(wanted), 500):
            some = [_bindable(one) for one in wanted[start : start + 500]]
            found += await self._load([*where, f"id IN ({', '.join('?' * len(some))})"], [*values, *some])
        return sorted(found, key=lambda memory: memory.id)

    async def with_digests(self, files: Sequence[str] | None = None) -> list[tuple[Memory, str]]:
        """All memories, by id, or those with an anchor that may stand in some files; each with a digest that is equal
        as long as it reads the same."""
        where: list[str] = ["served = 1"]
        if files is not None:
            named = ", ".join("?" * len(files))
            where.append(f"(home, folder) IN (SELECT home, folder FROM place WHERE file IN ({named}))")
            return await self._load_with_digests(where, [_bindable(file) for file in files])
        found: list[tuple[Memory, str]] = []
        last = ""
        while page := await self._load_with_digests([*where, "id > ?"], [last], PAGE):
            found += page
            if page[-1][0].id <= last:
                break  # A row that bears another id than its memory, which nothing of ours writes.
            last = page[-1][0].id
        return found

    async def anchored_in(self, files: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
        """By file, the anchors of current memories that stand in it now: the memory's digest, and the anchor's id."""
        rows = await self._answer(
            "SELECT file, digest, anchor FROM place JOIN memory USING (home, folder) JOIN folder USING (home, folder)"
            f" WHERE current = 1 AND served = 1 AND now = 1 AND file IN ({', '.join('?' * len(files))})",
            [_bindable(file) for file in files],
        )
        found: dict[str, list[tuple[str, str]]] = {}
        for file, digest, anchor in rows:
            found.setdefault(str(file), []).append((str(digest), str(anchor)))
        return found

    async def judged(self, files: Sequence[str] | None = None) -> dict[str, Kept]:
        """What was judged in some files, or in all, when they were last looked at."""
        return await known(self._database, files)

    async def keep_judged(self, found: Mapping[str, Kept]) -> None:
        """Keeps what was judged, by file."""
        if found:
            await self._database.write(Keep(self._database, found))

    async def files(self) -> dict[str, int]:
        """Files that current memories are anchored in now, each with the number of those anchors."""
        rows = await self._answer(
            "SELECT file, COUNT(*) FROM place JOIN memory USING (home, folder)"
            " WHERE current = 1 AND served = 1 AND now = 1 GROUP BY file ORDER BY file"
        )
        return {str(file): int(count) for file, count in rows}

    async def checks(self) -> dict[str, tuple[str, ...]]:
        """The checks of every current memory that has some, by id; no memory is parsed whole for them."""
        rows = await self._answer(
            "SELECT id, data FROM memory WHERE served = 1 AND current = 1 AND instr(data, ?) > 0", (_CHECKS,)
        )
        return {str(identifier): _checks_in(str(data)) for identifier, data in rows}

    async def ids_with_prefix(self, prefix: str, limit: int = 100) -> list[str]:
        """Ids that begin with a prefix, with or without its dashes, at most `limit`; none for an empty prefix."""
        digits = prefix.strip().lower().replace("-", "")
        if not digits or not all(digit in "0123456789abcdef" for digit in digits):
            return []
        rows = await self._answer(
            "SELECT id FROM memory WHERE served = 1 AND hex >= ? AND hex < ? ORDER BY hex LIMIT ?",
            (digits, f"{digits}g", limit),
        )
        return [str(identifier) for (identifier,) in rows]

    async def problems(self) -> list[Problem]:
        """Everything in the ledger that cannot be used, as it was last looked at, and what is wrong with the index."""
        found = list(self._scan.problems) if self._scan is not None else []
        for (text,) in await self._database.ask("SELECT problems FROM folder WHERE problems <> '[]'"):
            found += [Problem(path, message) for path, message in json.loads(text)]
        if self._ledger is not None:
            root = self._ledger.root
            copies = await self._database.ask("SELECT home, folder, id FROM memory WHERE served = 0")
            for home, folder, identifier in copies:
                if home in self._ledger.homes:
                    path = self._ledger.homes[home] / folder / MEMORY_FILE
                    message = f"is a second copy of memory {identifier}: delete one of the two folders"
                    found.append(Problem(_shown(path, root), message))
            if self._database.trouble:
                found.append(Problem(_shown(self._database.path, root), self._database.trouble))
        return sorted(set(found))

    # -- bringing it up to date ------------------------------------------------------------------------------------

    async def refresh(self, ledger: Ledger) -> Refreshed:
        """Reads again whatever changed in the ledger since it was last read, by whichever program.

        Costs a `stat` a file when nothing did. Also finishes what a crash left half written. Raises nothing for what is
        wrong with the ledger or the database: that is among the problems, and the last good version is served.
        """
        async with self._lock:
            self._ledger = ledger
            await self._database.come_back()
            if self._seen is None:
                # What was served since `open`. Should another program have written meanwhile, nobody knows any more.
                served = await self._digests()
                self._seen = served if await self._database.changes_of_others() == self._opened_at else {}
            scan = await asyncio.to_thread(ledger.scan)
            if staged := [entry for entry in scan.entries.values() if entry.staged]:
                await asyncio.to_thread(lambda: [ledger.heal(entry) for entry in staged])
                # Again in any case: where a live writer held the lock, it has finished its own write meanwhile.
                scan = await asyncio.to_thread(ledger.scan)
            self._scan = scan
            if not await self._bring_up(ledger, scan):
                return Refreshed((), (), tuple(await self.problems()))
            present = await self._digests()
            changed = {one[0] for key, one in present.items() if self._seen.get(key) != one}
            removed = {one[0] for one in self._seen.values()} - {one[0] for one in present.values()}
            self._seen = present
            return Refreshed(tuple(sorted(changed)), tuple(sorted(removed)), tuple(await self.problems()))

    async def erase(self, keys: Iterable[Key]) -> bool:
        """Takes folders out of the tables and their content out of the file, whose freed pages are overwritten; tells
        whether nothing of them is left in it. Another program that is reading it can stand in the way of that."""
        async with self._lock:
            await self._database.write(_Remove(self._database, list(keys)))
            self._written += 1
            for key in keys:
                self._stamps.pop(key, None)
            self._read_at = None  # So that the next refresh speaks of what is gone.
            return await self._database.scrub()

    async def overtaken(self) -> bool:
        """Whether another program wrote to the index since it was last brought up to date.

        It may have read the ledger before this one did and have written after it: then what is served from now on is
        older than what was served before, though nothing in the ledger changed. `refresh` mends that.
        """
        return self._read_at is not None and await self._database.changes_of_others() != self._read_at

    async def _bring_up(self, ledger: Ledger, scan: LedgerScan) -> bool:
        """Makes the tables hold what was scanned; tells whether they may hold other things than before."""
        changed = False
        while True:
            generation = self._database.generation
            at = await self._database.changes_of_others()
            if at != self._read_at or generation != self._filled:
                rows = await self._database.ask("SELECT home, folder, stamp FROM folder")
                self._stamps = {(str(home), str(folder)): str(stamp) for home, folder, stamp in rows}
                self._read_at = at
                changed = True
            wanted = [entry for key, entry in scan.entries.items() if self._stamps.get(key) != entry.stamp]
            gone = [key for key in self._stamps if scan.gone(key)]
            for start in range(0, len(wanted), BATCH):
                rows_now = [
                    await self._with_last_good(row)
                    for row in await asyncio.to_thread(_read_all, ledger, wanted[start : start + BATCH])
                ]
                await self._database.write(_Put(self._database, rows_now))
                self._stamps.update((row.key, row.stamp) for row in rows_now)
            if gone:
                await self._database.write(_Remove(self._database, gone))
                for key in gone:
                    del self._stamps[key]
            if wanted or gone:
                await self._database.write(_ChooseCopies(self._database))
                changed = True
            self._written += changed
            if self._database.generation == generation:
                self._filled = generation
                return changed

    async def _with_last_good(self, row: _Row | _Unread) -> _Row:
        """Where `memory.md` cannot be read: the memory as it was last read, with the events of now."""
        if isinstance(row, _Row):
            return row
        entry = row.entry
        found = await self._database.ask("SELECT data FROM memory WHERE home = ? AND folder = ?", entry.key)
        text = None
        for (data,) in found:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                text = text_of(load_memory(data))
        text = text or row.fallback
        memory = None
        if text is not None:
            memory = fold(text, row.events, home=entry.home, folder=entry.folder, problem=row.message)
        return _row(entry, row.looked, memory, row.problems)

    async def moment(self) -> tuple[int, tuple[int, int]]:
        """A value that is equal as long as neither this program nor another one wrote to what is served."""
        return self._written, await self._database.changes_of_others()

    async def served(self) -> dict[str, str]:
        """The memories that are served, by id, each with a digest that changes whenever it reads otherwise."""
        rows = await self._answer(
            "SELECT folder.id, digest FROM folder JOIN memory USING (home, folder) WHERE served = 1"
        )
        return {str(identifier): str(digest) for identifier, digest in rows}

    async def _digests(self) -> dict[Key, tuple[str, str]]:
        rows = await self._database.ask(
            "SELECT home, folder, folder.id, digest FROM folder JOIN memory USING (home, folder) WHERE served = 1"
        )
        return {(str(home), str(folder)): (str(identifier), str(digest)) for home, folder, identifier, digest in rows}

    async def _answer(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query, from the whole ledger also where the database was lost on the way."""
        rows = await self._database.ask(query, values)
        if self._database.generation != self._filled and self._ledger is not None and self._scan is not None:
            async with self._lock:
                await self._bring_up(self._ledger, self._scan)
            rows = await self._database.ask(query, values)
        return rows

    async def _load(self, where: Sequence[str], values: Sequence[Any]) -> list[Memory]:
        return [memory for memory, _ in await self._load_with_digests(where, values)]

    async def _load_with_digests(
        self, where: Sequence[str], values: Sequence[Any], most: int = -1
    ) -> list[tuple[Memory, str]]:
        """Memories with their digests, by id; at most `most`, all for -1."""
        query = f"SELECT home, folder, data FROM memory WHERE {' AND '.join(where)} ORDER BY id LIMIT {most}"
        try:
            return await _parsed(self._handed_out(await self._answer(query, values)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            await self._database.damaged(f"held what is no memory ({error})")
            return await _parsed(self._handed_out(await self._answer(query, values)))

    def _handed_out(self, rows: Sequence[Row]) -> list[str]:
        """The memories of rows. One that is not what `refresh` spoke of last was written by another program since: it
        is spoken of again the next time, whatever it is then."""
        for home, folder, data in rows:
            known = self._seen.get((home, folder)) if self._seen else None
            if known is not None and self._seen is not None and known[1] != _digest(data):
                self._seen[home, folder] = (known[0], "")
        return [data for _, _, data in rows]


@dataclass(frozen=True, slots=True)
class _Put:
    """Transaction: some folders as they were read now."""

    database: Database
    rows: Sequence[_Row]

    async def __call__(self) -> None:
        await _Remove(self.database, [row.key for row in self.rows])()
        await self.database.many(
            "INSERT INTO folder VALUES (?, ?, ?, ?, ?, ?)",
            [
                (*row.key, row.stamp, row.digest, row.memory.id if row.memory else None, json.dumps(row.problems))
                for row in self.rows
            ],
        )
        memories = [(row, row.memory) for row in self.rows if row.memory is not None]
        await self.database.many(
            "INSERT INTO memory VALUES (?, ?, ?, ?, ?, ?, 1, ?)",
            [
                (*row.key, memory.id, memory.id.replace("-", ""), memory.kind, int(memory.current), row.data)
                for row, memory in memories
            ],
        )
        places: dict[tuple[str, str, str, str], int] = {}
        for row, memory in memories:
            for anchor in memory.anchors:
                for place in anchor.places:
                    key = (*row.key, _bindable(place.file), anchor.id)
                    places[key] = max(places.get(key, 0), int(place.file == anchor.place.file))
        await self.database.many(
            "INSERT INTO place VALUES (?, ?, ?, ?, ?)", [(*key, now) for key, now in places.items()]
        )


@dataclass(frozen=True, slots=True)
class _Remove:
    """Transaction: folders that are gone."""

    database: Database
    keys: Sequence[Key]

    async def __call__(self) -> None:
        for table in ("folder", "memory", "place"):
            await self.database.many(f"DELETE FROM {table} WHERE home = ? AND folder = ?", self.keys)


@dataclass(frozen=True, slots=True)
class _ChooseCopies:
    """Transaction: of several folders with one memory, serve the one that bears its id; shared, local, user."""

    database: Database

    async def __call__(self) -> None:
        doubled = await self.database.fetch(
            "SELECT home, folder, id FROM memory WHERE served = 0"
            " OR id IN (SELECT id FROM memory GROUP BY id HAVING COUNT(*) > 1)"
        )
        order = {"shared": 0, "local": 1, "user": 2}
        ranked = sorted(
            ((str(home), str(folder), str(identifier)) for home, folder, identifier in doubled),
            key=lambda row: (row[2], not row[1].endswith(f"-{id12(row[2])}"), order.get(row[0], 3), row[1]),
        )
        first: dict[str, Key] = {}
        for home, folder, identifier in ranked:
            first.setdefault(identifier, (home, folder))
        await self.database.many(
            "UPDATE memory SET served = ? WHERE home = ? AND folder = ?",
            [(int(first[identifier] == (home, folder)), home, folder) for home, folder, identifier in ranked],
        )


@dataclass(frozen=True, slots=True)
class _Unread:
    """A folder whose `memory.md` could not be read."""

    entry: Entry
    looked: int
    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    fallback: MemoryText | None
    message: str


def _read_all(ledger: Ledger, entries: Sequence[Entry]) -> list[_Row | _Unread]:
    """Reads and folds some folders. Runs in a thread of its own."""
    rows: list[_Row | _Unread] = []
    for entry in entries:
        looked = time.time_ns()
        found = ledger.read(entry)
        if found.forgotten:
            rows.append(_row(entry, looked, None, found.problems))
        elif not entry.has_text and not entry.events:  # What a write that never came about left.
            rows.append(_row(entry, looked, None, ()))
        elif found.text is None:
            own = [problem.message for problem in found.problems if problem.path.endswith(MEMORY_FILE)]
            message = f"{MEMORY_FILE} {own[0]}" if own else f"{MEMORY_FILE} cannot be read"
            rows.append(_Unread(entry, looked, found.events, found.problems, found.fallback, message))
        else:
            memory = fold(found.text, found.events, home=entry.home, folder=entry.folder)
            rows.append(_row(entry, looked, memory, found.problems))
    return rows


def _row(entry: Entry, looked: int, memory: Memory | None, problems: tuple[Problem, ...]) -> _Row:
    # What changed within a tick of the clock of the look may change again unseen: then it is read once more.
    stamp = entry.stamp if settled(entry.newest, looked) else f"{entry.stamp} unsettled"
    return _Row(entry.key, stamp, memory, dump_memory(memory) if memory is not None else "", problems)


async def _parsed(lines: Sequence[str]) -> list[tuple[Memory, str]]:
    """Memories of their JSON, with its digest; in a thread where they are many, so that the loop gets its turns."""
    if len(lines) < 50:
        return [(load_memory(line), _digest(line)) for line in lines]
    return await asyncio.to_thread(lambda: [(load_memory(line), _digest(line)) for line in lines])


def _checks_in(data: str) -> tuple[str, ...]:
    """The checks in a memory's JSON. A key of that name that another version put elsewhere in it is taken along."""
    found: list[str] = []
    at = data.find(_CHECKS)
    while at >= 0:
        with contextlib.suppress(ValueError):
            listed, _ = json.JSONDecoder().raw_decode(data, at + len(_CHECKS) - 1)
            found += [check for check in listed if isinstance(check, str)]
        at = data.find(_CHECKS, at + 1)
    return tuple(found)


def _digest(data: str) -> str:
    return hashlib.blake2b(data.encode(), digest_size=16).hexdigest()


def _bindable(text: str) -> str:
    """A text that SQLite takes: half surrogates are spelt out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _shown(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
