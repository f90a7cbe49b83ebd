"""Activity: how often memories were shown, opened, hovered, recalled. Local, never committed, never needed to read one.

Counts are kept in memory and written when somebody says that there is nothing else to do, so no keystroke and no hover
touches a database. Knows the tables of `activity.db`; refuses to know what a count is worth.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsp_server.store.database import Database, Shape
from lsp_server.store.disk import is_folder

SHAPE = Shape(
    (
        """CREATE TABLE seen (
        id TEXT NOT NULL, how TEXT NOT NULL, times INTEGER NOT NULL, last REAL NOT NULL,
        PRIMARY KEY (id, how)) WITHOUT ROWID""",
    ),
    version=1,
    derived=False,
)


class Activity:
    """Counts of one workspace. `count` is synchronous and cheap; the rest belongs to one event loop."""

    def __init__(self, path: Path, *, on: bool = True) -> None:
        """`path` is the database, opened only to flush and to read; with `on` False nothing is ever counted."""
        self.path = path
        self.on = on
        self.trouble = ""
        """What to tell about the file, empty when all is well."""
        self._waiting: dict[tuple[str, str], tuple[int, float]] = {}

    def count(self, how: str, ids: Iterable[str], now: float | None = None) -> None:
        """Counts one more `how` ("shown", "hovered", ...) for each id, at `now` (seconds of Unix time)."""
        if not self.on:
            return
        at = time.time() if now is None else now
        for identifier in ids:
            times, last = self._waiting.get((identifier, how), (0, 0.0))
            self._waiting[identifier, how] = times + 1, max(last, at)

    @property
    def waiting(self) -> int:
        """How many counters wait to be written."""
        return len(self._waiting)

    async def flush(self) -> None:
        """Writes what waits. What cannot be written goes on waiting; raises nothing of SQLite's."""
        if not self._waiting or not is_folder(self.path.parent):
            return
        taken, self._waiting = self._waiting, {}
        database = Database(self.path, SHAPE)
        done = False

        async def add() -> None:
            await database.many(
                "INSERT INTO seen VALUES (?, ?, ?, ?) ON CONFLICT (id, how)"
                " DO UPDATE SET times = times + excluded.times, last = max(last, excluded.last)",
                [(identifier, how, times, last) for (identifier, how), (times, last) in taken.items()],
            )

        try:
            await database.open()
            await database.write(add)
            done = database.on_disk
        finally:
            self.trouble = database.trouble
            await database.close()
            if not done:
                for key, (times, last) in taken.items():
                    more, later = self._waiting.get(key, (0, 0.0))
                    self._waiting[key] = times + more, max(last, later)

    async def counts(self, how: str | None = None) -> Mapping[str, int]:
        """How often each memory was seen (in one way, or in all), written or waiting."""
        found: dict[str, int] = {}
        if is_folder(self.path.parent) and self.path.exists():
            database = Database(self.path, SHAPE)
            try:
                await database.open()
                rows = await database.ask(
                    "SELECT id, SUM(times) FROM seen WHERE how = coalesce(?, how) GROUP BY id", (how,)
                )
                found = {str(identifier): int(times) for identifier, times in rows}
            finally:
                self.trouble = database.trouble
                await database.close()
        for (identifier, way), (times, _) in self._waiting.items():
            if how in (None, way):
                found[identifier] = found.get(identifier, 0) + times
        return found
