"""Activity: how often memories were shown, opened, hovered, recalled, and which questions found no answer.

Local, never committed, never needed to read a memory. What happens is counted in memory and written when somebody says
that there is nothing else to do, so no keystroke and no hover touches a database. Knows the tables of `activity.db`;
refuses to know what a count is worth.
"""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lsp_server.store.database import Database, Shape, Upgrade
from lsp_server.store.disk import is_folder

DAY = 86_400
"""Seconds of a day: counts are kept by the day (UTC), which is as exact as anybody asks how long ago it was."""

KEPT_DAYS = 400
"""Days after which counts are thrown away, when something is written: a year and a bit."""

QUESTIONS = 500
"""Most questions without an answer that are kept; those that were asked longest ago go first."""

QUESTION_CHARACTERS = 200
"""Characters of a question that are kept."""

_SEEN = """CREATE TABLE seen (
        id TEXT NOT NULL, how TEXT NOT NULL, day INTEGER NOT NULL, times INTEGER NOT NULL,
        PRIMARY KEY (id, how, day)) WITHOUT ROWID"""

_QUESTIONS = """CREATE TABLE questions (
        question TEXT PRIMARY KEY NOT NULL, times INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL
        ) WITHOUT ROWID"""

_UNSAVED = """CREATE TABLE unsaved (
        process INTEGER NOT NULL, memory TEXT NOT NULL, anchor TEXT NOT NULL, verdict TEXT NOT NULL,
        editor TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (process, memory, anchor)) WITHOUT ROWID"""
"""What editors show of what they have not saved (`store.unsaved`)."""

_SEEN_1 = """CREATE TABLE seen (
        id TEXT NOT NULL, how TEXT NOT NULL, times INTEGER NOT NULL, last REAL NOT NULL,
        PRIMARY KEY (id, how)) WITHOUT ROWID"""

SHAPE = Shape(
    (_SEEN, _QUESTIONS, _UNSAVED),
    version=3,
    derived=False,
    upgrades=(
        Upgrade(2, (_SEEN, _QUESTIONS), (_UNSAVED,)),
        Upgrade(
            1,
            (_SEEN_1,),
            (
                "ALTER TABLE seen RENAME TO seen_1",
                _SEEN,
                f"INSERT INTO seen SELECT id, how, CAST(last / {DAY} AS INTEGER), times FROM seen_1",
                "DROP TABLE seen_1",
                _QUESTIONS,
                _UNSAVED,
            ),
        ),
    ),
)

# SQLite keeps whatever somebody writes into a column, so only what is of its type is read.
_ALL_SEEN = """SELECT id, how, day, times FROM seen
    WHERE typeof(id) = 'text' AND typeof(how) = 'text' AND typeof(day) = 'integer' AND typeof(times) = 'integer'"""

_ALL_QUESTIONS = """SELECT question, times, first, last FROM questions
    WHERE typeof(question) = 'text' AND typeof(times) = 'integer'
    AND first BETWEEN 0 AND 253402300799 AND last BETWEEN 0 AND 253402300799"""
"""Those whose times are within the years that a calendar knows."""


@dataclass(frozen=True, slots=True)
class Seen:
    """How often one memory was seen in one way ("shown", "hovered", ...) on one day (days of Unix time)."""

    how: str
    day: int
    times: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was asked and not answered: how often since it was last answered, and when (Unix time)."""

    text: str
    times: int
    first: float
    last: float


class Activity:
    """Counts of one workspace. `count` and `asked` are synchronous and cheap; the rest belongs to one event loop."""

    def __init__(self, path: Path, *, on: bool = True) -> None:
        """`path` is the database, opened only to flush and to read. While `on` is False nothing is counted or written,
        and a file that is there is left alone."""
        self.path = path
        self.on = on
        self.trouble = ""
        """What to tell about the file, empty when all is well."""
        self.set_aside = False
        """Whether that is that the file was of no use and a new one was begun."""
        self._waiting: dict[tuple[str, str, int], int] = {}
        self._asked: dict[str, Question] = {}
        self._answered: dict[str, None] = {}
        """Questions whose earlier askings no longer count."""

    def count(self, how: str, ids: Iterable[str], now: float | None = None) -> None:
        """Counts one more `how` ("shown", "hovered", ...) for each id, at `now` (seconds of Unix time)."""
        if not self.on:
            return
        day = int((time.time() if now is None else now) // DAY)
        for identifier in ids:
            key = (identifier, how, day)
            self._waiting[key] = self._waiting.get(key, 0) + 1

    def asked(self, question: str, answered: bool, now: float | None = None) -> None:
        """Notes that a question was searched for, at `now` (seconds of Unix time), and whether anything answered it.

        Questions that differ in white space and case are one. What is answered once is no longer open, until it is
        asked in vain again.
        """
        text = normal_question(question)
        if not self.on or not text:
            return
        known = self._asked.pop(text, None)
        if answered:
            self._answered[text] = None
        else:
            at = time.time() if now is None else now
            self._asked[text] = Question(text, known.times + 1, known.first, at) if known else Question(text, 1, at, at)
        # Whoever asks without end and never writes must not fill the memory.
        for texts in (self._asked, self._answered):
            while len(texts) > QUESTIONS:
                del texts[next(iter(texts))]

    @property
    def waiting(self) -> int:
        """How many counters wait to be written."""
        return len(self._waiting) + len(self._asked) + len(self._answered)

    async def flush(self) -> None:
        """Writes what waits. What cannot be written goes on waiting; raises nothing of SQLite's."""
        if not self.on:
            self._waiting, self._asked, self._answered = {}, {}, {}
        if not self.waiting or not is_folder(self.path.parent):
            return
        counts, self._waiting = self._waiting, {}
        asked, self._asked = self._asked, {}
        answered, self._answered = self._answered, {}
        database = Database(self.path, SHAPE)
        done = False

        async def add() -> None:
            await database.many(
                "INSERT INTO seen VALUES (?, ?, ?, ?)"
                " ON CONFLICT (id, how, day) DO UPDATE SET times = times + excluded.times",
                [(*key, times) for key, times in counts.items()],
            )
            latest = max((day for _, _, day in counts), default=0)
            await database.many("DELETE FROM seen WHERE day < ?", [(latest - KEPT_DAYS,)])
            await database.many("DELETE FROM questions WHERE question = ?", [(text,) for text in answered])
            await database.many(
                "INSERT INTO questions VALUES (?, ?, ?, ?) ON CONFLICT (question)"
                " DO UPDATE SET times = times + excluded.times, first = min(first, excluded.first),"
                " last = max(last, excluded.last)",
                [(one.text, one.times, one.first, one.last) for one in asked.values()],
            )
            await database.many(
                "DELETE FROM questions WHERE question NOT IN"
                " (SELECT question FROM questions ORDER BY last DESC, question LIMIT ?)",
                [(QUESTIONS,)],
            )

        try:
            await database.open()
            await database.write(add)
            done = database.on_disk
        finally:
            self._remember(database)
            await database.close()
            if not done:
                self._wait_again(counts, asked, answered)

    async def forget(self, identifier: str) -> bool:
        """Erases what was counted of a memory, also while it is off; tells whether none of it is left in the file."""
        self._waiting = {key: times for key, times in self._waiting.items() if key[0] != identifier}
        if not os.path.exists(self.path):
            return True
        database = Database(self.path, SHAPE)

        async def erase() -> None:
            await database.many("DELETE FROM seen WHERE id = ?", [(identifier,)])
            await database.many("DELETE FROM unsaved WHERE memory = ?", [(identifier,)])

        try:
            await database.open()
            await database.write(erase)
            return database.on_disk and await database.scrub()
        finally:
            self._remember(database)
            await database.close()

    def _wait_again(
        self,
        counts: Mapping[tuple[str, str, int], int],
        asked: Mapping[str, Question],
        answered: Mapping[str, None],
    ) -> None:
        """Puts what could not be written before what came meanwhile."""
        for key, times in counts.items():
            self._waiting[key] = self._waiting.get(key, 0) + times
        later, self._asked = self._asked, {}
        for text in (*asked, *later):
            before = asked.get(text) if text not in self._answered else None
            if one := merged(before, later.get(text)):
                self._asked[text] = one
        self._answered = {**answered, **self._answered}

    async def seen(self) -> Mapping[str, tuple[Seen, ...]]:
        """How each memory was seen, written or waiting, by id; nothing while it is off."""
        found: dict[str, dict[tuple[str, int], int]] = {}
        async with self._reading() as database:
            rows = await database.ask(_ALL_SEEN) if database else []
        waiting = [(*key, times) for key, times in self._waiting.items()] if self.on else []
        for identifier, how, day, times in (*rows, *waiting):
            days = found.setdefault(identifier, {})
            days[how, day] = days.get((how, day), 0) + times
        return {
            identifier: tuple(Seen(how, day, times) for (how, day), times in sorted(days.items()))
            for identifier, days in found.items()
        }

    async def counts(self, how: str | None = None) -> Mapping[str, int]:
        """How often each memory was seen (in one way, or in all), written or waiting."""
        sums = {
            identifier: sum(one.times for one in found if how in (None, one.how))
            for identifier, found in (await self.seen()).items()
        }
        return {identifier: times for identifier, times in sums.items() if times}

    async def unanswered(self) -> tuple[Question, ...]:
        """Questions that found no answer since they were last answered, the most frequent first, then the latest."""
        async with self._reading() as database:
            rows = await database.ask(_ALL_QUESTIONS) if database else []
        # What somebody else wrote there, and no question is ever written as, is none.
        found = {text: Question(text, *rest) for text, *rest in rows if text and normal_question(text) == text}
        if self.on:
            found = {text: one for text, one in found.items() if text not in self._answered}
            for text, one in self._asked.items():
                found[text] = merged(found.get(text), one) or one
        latest = sorted(found.values(), key=lambda one: (-one.last, one.text))[:QUESTIONS]
        return tuple(sorted(latest, key=lambda one: -one.times))

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Database | None]:
        """The database, for the length of a `with`; None where there is none, or it is to be left alone."""
        if not self.on or not is_folder(self.path.parent) or not os.path.exists(self.path):
            yield None
            return
        database = Database(self.path, SHAPE)
        try:
            await database.open()
            yield database
        finally:
            self._remember(database)
            await database.close()

    def _remember(self, database: Database) -> None:
        self.trouble, self.set_aside = database.trouble, database.set_aside


def normal_question(text: str, limit: int | None = QUESTION_CHARACTERS) -> str:
    """A question as it is counted: one line, single spaces, no case, at most `limit` characters (None: all)."""
    words = unicodedata.normalize("NFC", "".join(one if one.isprintable() else " " for one in text)).casefold().split()
    return " ".join(words)[:limit].rstrip()


def merged(before: Question | None, after: Question | None) -> Question | None:
    """Two counts of one question as one."""
    if before is None or after is None:
        return before or after
    return replace(after, times=before.times + after.times, first=before.first)
