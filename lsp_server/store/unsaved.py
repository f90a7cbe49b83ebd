"""What editors show of files that they have not saved: their verdicts, left in `activity.db` for agents to read.

Each editor's process leaves its own under a lease. What is past its lease, or of a process that is gone, is as if it
were not there. Knows the table; refuses to know which verdicts are worth leaving.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lsp_server.store.activity import SHAPE
from lsp_server.store.database import Database
from lsp_server.store.disk import is_folder

LEASE = 30.0
"""Seconds for which what was left counts unless it is left again: an editor that was killed is soon forgotten."""

MOST = 5_000
"""Most verdicts that one process leaves."""

_READ = """SELECT memory, anchor, verdict, editor, process FROM unsaved
    WHERE until BETWEEN ? AND ? AND typeof(memory) = 'text' AND typeof(anchor) = 'text' AND typeof(verdict) = 'text'
    AND typeof(editor) = 'text' AND typeof(process) = 'integer' ORDER BY process, memory, anchor LIMIT 20000"""

Key = tuple[str, str]
"""Memory id and anchor id."""


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What an editor shows of one anchor."""

    verdict: str
    editor: str


async def leave(path: Path, verdicts: Mapping[Key, str], editor: str, now: float | None = None) -> bool:
    """Leaves the verdicts of this process in place of those before; tells whether they are on disk. With none it takes
    them away. `now` in seconds of Unix time."""
    if not is_folder(path.parent) or not (verdicts or os.path.exists(path)):
        return not verdicts
    moment = time.time() if now is None else now
    process = os.getpid()
    rows = [
        (process, memory, anchor, verdict, editor, moment + LEASE)
        for (memory, anchor), verdict in list(verdicts.items())[:MOST]
    ]
    database = Database(path, SHAPE)

    async def write() -> None:
        await database.many("DELETE FROM unsaved WHERE process = ? OR until < ?", [(process, moment)])
        await database.many("INSERT INTO unsaved VALUES (?, ?, ?, ?, ?, ?)", rows)

    try:
        await database.open()
        await database.write(write)
        return database.on_disk
    finally:
        await database.close()


async def left(path: Path, now: float | None = None) -> Mapping[Key, tuple[Unsaved, ...]]:
    """What other processes that are still there left, under leases that still run."""
    if not is_folder(path.parent) or not os.path.exists(path):
        return {}
    moment = time.time() if now is None else now
    database = Database(path, SHAPE)
    try:
        await database.open()
        # A lease that runs longer than any is one of a clock that was wrong.
        rows = await database.ask(_READ, (moment, moment + LEASE))
    finally:
        await database.close()
    found: dict[Key, tuple[Unsaved, ...]] = {}
    alive = {process: is_alive(process) for process in {row[4] for row in rows}}
    for memory, anchor, verdict, editor, process in rows:
        if process != os.getpid() and alive[process]:
            found[memory, anchor] = (*found.get((memory, anchor), ()), Unsaved(verdict, editor))
    return found


def is_alive(process: int) -> bool:
    """Whether a process is there, as far as this system tells without touching it; elsewhere the lease tells."""
    if os.name == "nt":  # There, signal 0 is Ctrl-C.
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return process > 0
