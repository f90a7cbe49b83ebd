"""One SQLite file that may be damaged, foreign, locked, read-only or deleted at any moment without doing harm.

Knows how to open, mend and leave such a file: what is not ours or not whole is set aside, what cannot be had is
replaced by a database in memory until it can. Refuses to know what the tables mean.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import sqlite3
import stat
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from lsp_server.store.disk import is_folder

BUSY_SECONDS = 1.0
"""How long a write waits for another program's before the database goes on in memory."""

RETRY_SECONDS = 2.0
"""How long a database stays in memory before it tries its file again."""

APPLICATION = 0x4D4F4F52
"""`PRAGMA application_id` ("MOOR"), which tells our databases from anybody else's."""

T = TypeVar("T")
Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """The tables of one kind of database. `version` goes with them and with the meaning of what is in them.

    A file of another version is made again where it is `derived`; where it is not, it gets the new tables if one of
    `upgrades` knows how, else it is set aside under a name of its own, as a damaged one is.
    """

    tables: tuple[str, ...]
    version: int
    derived: bool
    upgrades: tuple[Upgrade, ...] = ()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """How a file of an earlier version, with its `tables`, gets the tables of the present one."""

    version: int
    tables: tuple[str, ...]
    statements: tuple[str, ...]


class Database:
    """A connection that heals. For one event loop; must be closed, or its thread keeps the program alive."""

    def __init__(self, path: Path, shape: Shape) -> None:
        self.path = path
        self.shape = shape
        self.trouble = ""
        """What to tell about the file, empty when all is well."""
        self.set_aside = False
        """Whether a file in its place was of no use and was set aside."""
        self.generation = 0
        """Grows whenever what was in the database is lost and it is empty again."""
        self._connection: aiosqlite.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._in_memory = False
        self._retry = 0.0
        self._turn = asyncio.Lock()
        self._mending = asyncio.Lock()
        self._running: set[asyncio.Future[None]] = set()
        self._closed = False

    @property
    def on_disk(self) -> bool:
        """Whether what is written goes to the file."""
        return not self._in_memory

    async def open(self) -> None:
        """Opens the file; sets aside what is not ours or not whole; goes to memory where the file cannot be had, or its
        folder is not there. Raises nothing of SQLite's.
        """
        try:
            await self._connect()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Waits for what is being written, and closes. Safe to call twice."""
        self._closed = True
        while self._running:
            await asyncio.gather(*self._running, return_exceptions=True)
        await self._disconnect()

    async def ask(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query. Raises sqlite3.Error only after `close`."""

        async def one() -> list[Row]:
            async with self._turn:
                return await self.fetch(query, values)

        return await self._lasting(one)

    async def write(self, work: Callable[[], Awaitable[None]]) -> None:
        """One short transaction around `work`, which may use `fetch` and `many`, and may be called again.

        It ends even if whoever waits for it is cancelled. Raises sqlite3.Error only after `close`.
        """
        await self._lasting(lambda: self._transact(work))

    async def fetch(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query, within `write`."""
        async with self._there().execute(query, values) as cursor:
            return list(await cursor.fetchall())

    async def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """One statement for each row of values, within `write`."""
        if rows:
            await self._there().executemany(statement, rows)

    async def changes_of_others(self) -> tuple[int, int]:
        """A value that is equal as long as no other connection wrote and this one was not replaced."""
        version = (await self.ask("PRAGMA data_version"))[0][0]
        return id(self._connection), int(version)

    async def scrub(self) -> bool:
        """Takes what was deleted out of the journal as well, and what was set aside away, where that can be had again;
        tells whether that was done. Deleted rows are overwritten when they are deleted."""
        if self.shape.derived:
            for aside in self.path.parent.glob(f"{self.path.name}.aside*"):
                with contextlib.suppress(OSError):
                    aside.unlink()
        end = time.monotonic() + BUSY_SECONDS
        while self.on_disk:
            busy = (await self.ask("PRAGMA wal_checkpoint(TRUNCATE)"))[0][0]
            if not busy:
                break
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.05)
        return self.on_disk or not os.path.lexists(self.path)

    async def come_back(self) -> None:
        """Opens the file again where it was deleted or replaced under us, and where it could not be had but can now."""
        async with self._mending:
            if self._in_memory:
                if is_folder(self.path.parent) and (not self.trouble or time.monotonic() >= self._retry):
                    await self._leave_memory()
            elif _inode(self.path) != self._inode:
                await self._disconnect()
                await self._connect()
                self.generation += 1

    async def damaged(self, what: str) -> None:
        """Sets the file aside because what is in it makes no sense, and starts an empty one."""
        async with self._mending:
            await self._start_over(what)

    # -- mending -------------------------------------------------------------------------------------------------

    async def _lasting(self, work: Callable[[], Awaitable[T]]) -> T:
        """Does what needs the database; where that fails, again once it is mended."""
        for _ in range(3):
            connection = self._connection
            try:
                return await work()
            except (sqlite3.Error, ValueError) as error:
                async with self._mending:
                    if self._closed or isinstance(error, sqlite3.InterfaceError):
                        raise
                    if self._connection is connection:
                        await self._mend(error)
        return await work()

    async def _mend(self, error: Exception) -> None:
        if _is_passing(error):
            await self._go_aside(f"is in use by another program ({error}): going on in memory until it is free")
        elif _is_unwritable(error):
            await self._go_aside(f"cannot be written ({error}): going on in memory; see to the disk and its rights")
        else:
            await self._start_over(f"was damaged ({error})")

    async def _go_aside(self, trouble: str) -> None:
        """Goes on with a copy in memory."""
        file, self._connection = self._connection, None
        await self._connect_memory(trouble)
        if file is None:
            return
        try:
            async with file.execute("SELECT 1 FROM sqlite_master LIMIT 1") as cursor:
                filled = list(await cursor.fetchall())
            if filled:
                await file.backup(self._there())
                self.generation -= 1
        except (sqlite3.Error, ValueError):  # Not even readable: it stays empty.
            await self._disconnect()
            await self._connect_memory(trouble)
        finally:
            await _close(file)

    async def _start_over(self, trouble: str) -> None:
        await self._disconnect()
        if not self._in_memory:
            self.trouble = self._set_aside(trouble)
        await self._connect()
        self.generation += 1

    async def _leave_memory(self) -> None:
        """Goes back to the file if it can be written at once; else stays, and tries again later."""
        memory, trouble = self._connection, self.trouble
        self._connection, self.trouble = None, ""
        await self._connect()
        if not self._in_memory:
            try:
                await self._there().execute("PRAGMA busy_timeout = 0")
                await self._there().execute("BEGIN IMMEDIATE")
                await self._there().execute("ROLLBACK")
                await self._there().execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
                self.generation += 1
                await _close(memory)
                return
            except sqlite3.Error:
                pass
        await self._disconnect()
        self._connection, self._in_memory, self._inode = memory, True, None
        self.trouble = trouble or self.trouble
        self._retry = time.monotonic() + RETRY_SECONDS

    # -- the connection ------------------------------------------------------------------------------------------

    def _there(self) -> aiosqlite.Connection:
        if self._connection is None:
            raise sqlite3.ProgrammingError("the database is closed")
        return self._connection

    async def _connect(self) -> None:
        if not is_folder(self.path.parent):
            await self._connect_memory("")
            return
        try:
            try:
                await self._connect_file()
            except _NotOurs as error:
                await self._disconnect()
                self.trouble = self._set_aside(str(error))
                await self._connect_file()
            except sqlite3.DatabaseError as error:
                await self._disconnect()
                if _is_passing(error) or _is_unwritable(error):
                    raise
                self.trouble = self._set_aside(f"was damaged ({error})")
                await self._connect_file()
        except (sqlite3.Error, OSError, _NotOurs) as error:
            await self._disconnect()
            await self._connect_memory(f"cannot be used ({error}): going on in memory until it can")

    async def _connect_file(self) -> None:
        if os.path.lexists(self.path) and not stat.S_ISREG(os.lstat(self.path).st_mode):
            raise _NotOurs("was a link or no regular file")
        self._connection = await aiosqlite.connect(self.path, isolation_level=None, timeout=BUSY_SECONDS)
        # A schema from elsewhere must not run functions, and a damaged page is to be noticed.
        await self._connection.execute("PRAGMA trusted_schema = OFF")
        await self._connection.execute("PRAGMA cell_size_check = ON")
        # What is deleted may have been deleted because nobody is to read it any more.
        await self._connection.execute("PRAGMA secure_delete = ON")
        found = _declared(await self.fetch("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        version = (await self.fetch("PRAGMA user_version"))[0][0]
        application = (await self.fetch("PRAGMA application_id"))[0][0]
        if found and application != APPLICATION:
            raise _NotOurs("was a database of something else")
        upgrade = next((one for one in self.shape.upgrades if self._is(found, version, one)), None)
        if found and not self._is(found, version, self.shape) and upgrade is None:
            raise _NotOurs("" if self.shape.derived else "was written by another version")
        await self._set_wal()
        await self._connection.execute("PRAGMA synchronous = NORMAL")
        if upgrade is not None:
            await self._transact(functools.partial(self._upgrade, upgrade))
        if not found:
            await self._transact(self._make_tables)
        self._inode = _inode(self.path)
        self._in_memory = False

    @staticmethod
    def _is(tables: Sequence[str], version: int, wanted: Shape | Upgrade) -> bool:
        return version == wanted.version and sorted(tables) == sorted(wanted.tables)

    async def _upgrade(self, upgrade: Upgrade) -> None:
        if (await self.fetch("PRAGMA user_version"))[0][0] == upgrade.version:  # Another program may have been first.
            for statement in upgrade.statements:
                await self._there().execute(statement)
            await self._there().execute(f"PRAGMA user_version = {self.shape.version}")

    async def _set_wal(self) -> None:
        # The busy timeout does not hold for this when two programs make the file at once.
        end = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                await self._there().execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if not _is_passing(error) or time.monotonic() > end:
                    raise
            await asyncio.sleep(0.02)

    async def _connect_memory(self, trouble: str) -> None:
        self._connection = await aiosqlite.connect(":memory:", isolation_level=None)
        await self._make_tables()
        self._inode = None
        self._in_memory = True
        self.trouble = trouble
        self.generation += 1
        self._retry = time.monotonic() + RETRY_SECONDS

    async def _make_tables(self) -> None:
        if not await self.fetch("SELECT 1 FROM sqlite_master LIMIT 1"):  # Another program may have been first.
            for statement in self.shape.tables:
                await self._there().execute(statement)
            await self._there().execute(f"PRAGMA application_id = {APPLICATION}")
            await self._there().execute(f"PRAGMA user_version = {self.shape.version}")

    async def _transact(self, work: Callable[[], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with self._turn:
                connection = self._there()
                await connection.execute("BEGIN IMMEDIATE")
                try:
                    await work()
                    await connection.execute("COMMIT")
                except BaseException:
                    with contextlib.suppress(sqlite3.Error, ValueError):
                        await connection.execute("ROLLBACK")
                    raise

        task = asyncio.ensure_future(whole())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        await _close(connection)

    def _set_aside(self, trouble: str) -> str:
        """Renames the file, with its journals; answers what to tell. Without trouble it is deleted, being derived."""
        aside = self.path.with_name(f"{self.path.name}.aside")
        number = 1
        while not self.shape.derived and os.path.lexists(aside):
            number += 1
            aside = self.path.with_name(f"{self.path.name}.aside-{number}")
        self.set_aside = self.set_aside or bool(trouble)
        with contextlib.suppress(OSError):
            if trouble:
                os.replace(self.path, aside)
            else:
                os.unlink(self.path)
        for suffix in ("-wal", "-shm", "-journal"):
            with contextlib.suppress(OSError):
                if trouble and not self.shape.derived:
                    os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
                else:
                    os.unlink(f"{self.path}{suffix}")
        return f"{trouble}: it was set aside as {aside.name}, and a new one begun" if trouble else ""


def _declared(rows: Sequence[Row]) -> list[str]:
    """What was asked for when tables were made: without the tables that FTS5 makes for each of its own."""
    virtual = [str(name) for name, sql in rows if str(sql).upper().startswith("CREATE VIRTUAL TABLE")]
    shadows = {f"{name}_{part}" for name in virtual for part in ("data", "idx", "content", "docsize", "config")}
    return [str(sql) for name, sql in rows if str(name) not in shadows]


class _NotOurs(Exception):
    """A file in our place that is not of our shape; why, empty where that needs no telling."""


async def _close(connection: aiosqlite.Connection | None) -> None:
    if connection is not None:
        with contextlib.suppress(sqlite3.Error, ValueError):
            await connection.close()


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _code(error: Exception) -> int:
    return (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def _is_passing(error: Exception) -> bool:
    """Whether another program is in the way for a while."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _is_unwritable(error: Exception) -> bool:
    """Whether the file is fine and cannot be written or opened."""
    return _code(error) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
