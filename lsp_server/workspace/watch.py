"""Noticing what others change: the ledger, what git has checked out, and the files that carry anchors.

Looks by `stat` in a thread of its own, about once a second, less often where a look costs much, and never on the event
loop. Knows stamps only: it opens no file but git's HEAD, and what a change means is the session's to find out. Events
of a client that watches files only make a look come sooner (`nudge`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lsp_server.workspace import git
from lsp_server.workspace.git import Head
from lsp_server.workspace.paths import Root, real
from lsp_server.workspace.threads import in_thread

PAUSE = 1.0
"""Seconds between two looks, so that a change is seen within about a second."""

SHARE = 20
"""A look is followed by a pause of at least this many times what it took: at most a twentieth of one core is used."""

LONGEST_PAUSE = 10.0
"""Seconds that a pause never exceeds, however slow the disk is."""

_TICK_NS = 2_000_000_000
"""The coarsest clock of a file system in use (FAT), in nanoseconds."""

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
    time_ns: int


class Watcher:
    """Watches one workspace: `async for outside in watcher` gives every `Outside` that holds something, until `stop`.

    `ledger_stamp` gives any value that is equal as long as the ledger is unchanged; it is called in the watching
    thread. `files` gives the keys of the files to watch; it is called on the event loop, at each look. The first look
    reports ledger and HEAD as changed, as they may have been since they were read; `prime` spares that.
    """

    def __init__(
        self,
        root: Root,
        ledger_stamp: Callable[[], Hashable],
        files: Callable[[], Iterable[str]],
        *,
        pause: float = PAUSE,
    ) -> None:
        """`pause` is the shortest pause between two looks, in seconds."""
        self._root = root.path
        self._ledger_stamp = ledger_stamp
        self._files = files
        self._pause = pause
        self._last: _Look | None = None
        self._cost = 0.0
        self._turn = asyncio.Lock()
        self._woken = asyncio.Event()
        self._stopped = False

    async def prime(self) -> None:
        """Take the first look and report nothing. Call it before anything that is watched is read: what changes between
        the two is then noticed, and read once too often at worst."""
        await self.poll_now()

    async def poll_now(self) -> Outside:
        """Look now and give what changed since the last look. What is given here is not given by the iteration."""
        async with self._turn:
            look = await self._look()
            outside = _difference(self._last, look)
            self._last = look
        return outside

    def nudge(self) -> None:
        """Let the iteration look now instead of at the end of its pause, as somebody said that something changed."""
        self._woken.set()

    async def stop(self) -> None:
        """End the iteration. Does not wait for a look that hangs on a dead disk."""
        self._stopped = True
        self._woken.set()

    async def __aiter__(self) -> AsyncIterator[Outside]:
        while not self._stopped:
            try:
                outside = await self.poll_now()
            except Exception:
                _log.exception("looking for changes from outside failed; trying again")
                outside = Outside()
            if outside and not self._stopped:
                yield outside
            if not self._stopped:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), self.pause)
                if not self._stopped:
                    self._woken.clear()

    @property
    def pause(self) -> float:
        """Seconds until the next look."""
        return max(self._pause, min(LONGEST_PAUSE, self._cost * SHARE))

    async def _look(self) -> _Look:
        keys = tuple(self._files())
        last = self._last

        def look() -> tuple[_Look, float]:
            started, wall = time.monotonic(), time.time_ns()
            try:
                ledger = self._ledger_stamp()
            except OSError as error:  # A folder that goes away or cannot be read is a state like any other.
                ledger = ("unreadable", error.errno)
            except Exception:
                _log.exception("the ledger could not be looked at; trying again")
                ledger = last.ledger if last is not None else None
            stamps = {key: _stamp(real(self._root, key)) for key in keys}
            return _Look(ledger, git.checked_out(self._root), stamps, wall), time.monotonic() - started

        found, self._cost = await in_thread(look)
        return found


def _difference(last: _Look | None, now: _Look) -> Outside:
    if last is None:
        return Outside(ledger=True, head=True)
    files = frozenset(
        key
        for key, stamp in now.files.items()
        if (last.files[key] != stamp if key in last.files else _changed_since(stamp, last.time_ns))
    )
    return Outside(last.ledger != now.ledger, last.head != now.head, files)


def _changed_since(stamp: _Stamp | None, time_ns: int) -> bool:
    """Whether a file that is watched for the first time may have changed since `time_ns`, before which it was not asked
    for. A file that is not there may have gone since."""
    return stamp is None or max(stamp[0], stamp[1]) >= time_ns - _TICK_NS


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    # The time of the last change of the inode catches what keeps size and modification time (`cp -p`, `touch -d`).
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_mode
