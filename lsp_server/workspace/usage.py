"""What a session counts of how memories are used, and what it last read of those counts.

Knows when to write and when to read; refuses to know what a count is worth (`features.heat` does). Counting touches no
file, reading is for lists and never for a keystroke or a hover, and neither is ever needed to read a memory: a damaged
`activity.db` is set aside and said.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from lsp_server.store.activity import Activity, Question, Seen
from lsp_server.store.unsaved import LEASE, Key, Unsaved, leave, left

log = logging.getLogger(__name__)

FRESH_SECONDS = 5.0
"""For how long what was read is taken as it is: an editor's view asks for its list at every change."""

RENEW_SECONDS = LEASE / 3
"""Seconds after which what is unsaved is left again, so that a lease that runs out means that an editor is gone."""


class Usage:
    """The counts of one workspace. `on` is asked each time, since a setting may change while an editor runs."""

    def __init__(self, path: Path, on: Callable[[], bool]) -> None:
        self.seen: Mapping[str, tuple[Seen, ...]] = MappingProxyType({})
        """How each memory was seen, as far as `read` has read it."""
        self.unsaved: Mapping[Key, tuple[Unsaved, ...]] = MappingProxyType({})
        """What other editors show of what they have not saved, as far as `read_unsaved` has read it."""
        self._left: tuple[Mapping[Key, str], float] = ({}, 0.0)
        self.remark = ""
        """What to tell about the file, if it was damaged."""
        self._activity = Activity(path)
        self._on = on
        self._read_at: float | None = None

    def count(self, ids: Iterable[str], how: str) -> None:
        """Counts that memories were seen. In memory only."""
        self._now().count(how, ids)

    def asked(self, question: str, answered: bool) -> None:
        """Notes that somebody searched for something, and whether anything answered it. In memory only."""
        self._now().asked(question, answered)

    async def read(self) -> None:
        """Reads the counts into `seen`, unless that was done a moment ago."""
        if not self._on():
            self.seen, self._read_at = MappingProxyType({}), None
        elif self._read_at is None or time.monotonic() - self._read_at >= FRESH_SECONDS:
            self.seen = MappingProxyType(dict(await self._now().seen()))
            self._read_at = time.monotonic()
            self._tell()

    async def read_unsaved(self) -> None:
        """Reads what other editors show of what they have not saved."""
        self.unsaved = MappingProxyType(dict(await left(self._activity.path)) if self._on() else {})

    async def leave_unsaved(self, verdicts: Mapping[Key, str], editor: str) -> None:
        """Leaves what this editor shows of what it has not saved, for whoever reads the files alone. Writes only where
        that is news, or what was left would soon no longer count."""
        verdicts = verdicts if self._on() else {}
        before, at = self._left
        if verdicts == before and (not verdicts or time.monotonic() - at < RENEW_SECONDS):
            return
        if await leave(self._activity.path, verdicts, editor):
            self._left = (dict(verdicts), time.monotonic())

    async def questions(self) -> tuple[Question, ...]:
        """Questions that found no answer, the most frequent first."""
        found = await self._now().unanswered()
        self._tell()
        return found

    async def forget(self, identifier: str) -> bool:
        """Erases what was counted of a memory; tells whether nothing of it is left in the file."""
        done = await self._now().forget(identifier)
        self.seen = MappingProxyType({one: seen for one, seen in self.seen.items() if one != identifier})
        self._tell()
        return done

    async def flush(self) -> None:
        """Writes what was counted."""
        await self._now().flush()
        self._tell()

    def _now(self) -> Activity:
        self._activity.on = self._on()
        return self._activity

    def _tell(self) -> None:
        if self._activity.set_aside and self._activity.trouble != self.remark:
            self.remark = self._activity.trouble
            log.warning("%s %s", self._activity.path, self.remark)
