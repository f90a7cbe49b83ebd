"""Noticing what others change: the ledger, what git has checked out, and the files that carry anchors.

Looks by `stat` in a thread of its own, about once a second, less often where a look costs much, and never on the event
loop. Knows stamps only: it opens no file but git's HEAD, and what a change means is the session's to find out. Events
of a client that watches files only make a look come sooner (`poll_now`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lsp_server.workspace import git
from lsp_server.workspace.git import Head
from lsp_server.workspace.paths import real
from lsp_server.workspace.threads import in_thread

PAUSE = 1.0
"""Seconds between two looks, so that a change is seen within about a second."""

SHARE = 20
"""A look is followed by a pause of at least this many times what it took: at most a twentieth of one core is used."""

LONGEST_PAUSE = 10.0
"""Seconds that a pause never exceeds, however slow the disk is."""

_log = logging.getLogger(__name__)

_Stamp = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Outside:
    """What changed since the last look: anything in the ledger, what git has checked out, and which anchored files."""

    ledger: bool = False
    head: bool = False
    files: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self.ledger or self.head or bool(self.files)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one look saw. None for a file that is not there."""

    ledger: Hashable
    head: Head | None
    files: dict[str, _Stamp | None]


class Watcher:
    """Watches one workspace.

    `files` gives the keys of the files to watch; it is called on the event loop, at each look. `ledger_stamps` gives
    any value that is equal as long as the ledger is unchanged; it is called in the watching thread. `report` is awaited
    with every `Outside` that holds something; what it raises is logged and stops nothing.
    """

    def __init__(
        self,
        root: Path,
        *,
        files: Callable[[], Iterable[str]],
        ledger_stamps: Callable[[], Hashable],
        report: Callable[[Outside], Awaitable[None]],
        pause: float = PAUSE,
    ) -> None:
        self._root = root
        self._files = files
        self._ledger_stamps = ledger_stamps
        self._report = report
        self._pause = pause
        self._last: _Look | None = None
        self._cost = 0.0
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def prime(self) -> None:
        """Take the first look, against which later ones are compared. Call it before anything watched is read: what
        changes between the two is then noticed, and read once too often at worst."""
        async with self._turn:
            self._last = await self._look()

    async def poll_now(self) -> Outside:
        """Look now, report what changed, and give it. The first look of all is compared with nothing."""
        async with self._turn:
            look = await self._look()
            outside = _difference(self._last, look)
            self._last = look
        if outside:
            try:
                await self._report(outside)
            except Exception:
                _log.exception("a change from outside could not be taken in")
        return outside

    def start(self) -> None:
        """Go on looking until `stop`. Needs a running event loop."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._keep_looking())

    async def stop(self) -> None:
        """Look no more. Does not wait for a look that hangs on a dead disk."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    @property
    def pause(self) -> float:
        """Seconds until the next look."""
        return max(self._pause, min(LONGEST_PAUSE, self._cost * SHARE))

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(self.pause)
            try:
                await self.poll_now()
            except Exception:
                _log.exception("looking for changes from outside failed; trying again")

    async def _look(self) -> _Look:
        keys = tuple(self._files())
        last = self._last

        def look() -> tuple[_Look, float]:
            started = time.monotonic()
            try:
                ledger = self._ledger_stamps()
            except OSError as error:  # A folder that goes away or cannot be read is a state like any other.
                ledger = ("unreadable", error.errno)
            except Exception:
                _log.exception("the ledger could not be looked at; trying again")
                ledger = last.ledger if last is not None else None
            stamps = {key: _stamp(real(self._root, key)) for key in keys}
            return _Look(ledger, git.head(self._root), stamps), time.monotonic() - started

        found, self._cost = await in_thread(look)
        return found


def _difference(last: _Look | None, now: _Look) -> Outside:
    if last is None:
        return Outside()
    # A file that was not watched before counts as changed: it may have changed since it was read.
    missing = object()
    files = frozenset(key for key, stamp in now.files.items() if last.files.get(key, missing) != stamp)
    return Outside(last.ledger != now.ledger, last.head != now.head, files)


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    # The time of the last change of the inode catches what keeps size and modification time (`cp -p`, `touch -d`).
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode
