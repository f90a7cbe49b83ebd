"""Files on disk as sources: read safely, parsed once, kept while they stay as they are and there is room.

Knows the disk and when a file may have changed. What bytes mean (encoding, language, too large, no text) is decided by
`core.source`; a file that cannot be read is a source whose state and message say why. Never opens what lies outside the
root, a link, or anything that is no plain file. Knows nothing of open buffers.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from lsp_server.core.model import SourceState
from lsp_server.core.source import MAX_BYTES, Source, read_source
from lsp_server.core.text import Text
from lsp_server.workspace.paths import PathRefused, real, safe

BUDGET = 48 * 1024 * 1024
"""Bytes that kept sources may cost in all, trees included."""

_TREE = 40
"""Bytes that a syntax tree and an outline cost for each byte of text, as measured on some hundred Python files."""

_OVERHEAD = 4096
"""Bytes that a kept source is taken to cost besides its text."""

_TICK_NS = 2_000_000_000
"""A file that was read within this time after its last change may change again without its stamp changing: two seconds
are the coarsest clock of a file system in use (FAT)."""

Stamp = tuple[int, int, int, int]
"""Times of last modification and of last change of the inode in nanoseconds, size, inode."""


@dataclass(frozen=True, slots=True)
class _Kept:
    source: Source
    stamp: Stamp
    read_ns: int
    """Wall-clock time of reading, in nanoseconds."""

    @property
    def settled(self) -> bool:
        """Whether the stamp would tell a change after reading."""
        return _settled(self.stamp, self.read_ns)

    @property
    def cost(self) -> int:
        text = len(self.source.text) if self.source.text is not None else 0
        return _OVERHEAD + text * (1 if self.source.tree is None else _TREE)


@dataclass(frozen=True, slots=True)
class _Hashed:
    """A text that was read, and is not parsed yet."""

    key: str
    text: Text
    stamp: Stamp
    read_ns: int

    @property
    def settled(self) -> bool:
        return _settled(self.stamp, self.read_ns)


class Files:
    """The files of one workspace root. May be asked from several threads at once."""

    def __init__(self, root: Path, *, budget: int = BUDGET) -> None:
        """`budget` is what kept sources may cost in all, in bytes. The one that was read last is kept whatever it
        costs, since many memories may be anchored in it."""
        self._root = root
        self._budget = budget
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._cost = 0
        self._hashed: _Hashed | None = None
        self._lock = threading.Lock()

    def hashed(self, path: str) -> tuple[str, Text] | None:
        """Give the SHA-256 of a file's own bytes, and its text; None where `source` says why there is none.

        Parses nothing and keeps nothing but the text that was read last, so that `source` need not read it again.
        """
        now = time.time_ns()
        try:
            key = safe(self._root, path)
            data, stamp = _read(self._root, key)
        except (PathRefused, OSError):
            return None
        if data is None:
            return None
        text = Text.of(data)
        with self._lock:
            self._hashed = _Hashed(key, text, stamp, now)
        return hashlib.sha256(data).hexdigest(), text

    def source(self, path: str) -> Source:
        """Give the source of a file, by its path relative to the root or by its key, as it is on disk now.

        `Source.path` is the key, or, for a path that is refused (state OUTSIDE), the path as it was given.
        """
        try:
            key = safe(self._root, path)
        except PathRefused as refused:
            said = str(refused)
            return Source(path, SourceState.OUTSIDE, message=f"{said[:1].upper()}{said[1:]}.")
        full = real(self._root, key)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is not None and kept.settled and _stamp_of(full) == kept.stamp:
            return kept.source
        with self._lock:
            last, self._hashed = self._hashed, None
        if last is not None and last.key == key and last.settled and _stamp_of(full) == last.stamp:
            now, stamp, text = last.read_ns, last.stamp, last.text
        else:
            now = time.time_ns()
            try:
                data, stamp = _read(self._root, key)
            except OSError as error:
                self.forget(key)
                return _unread(key, error)
            if data is None:
                self.forget(key)
                message = f"{key} has {stamp[2]:,} bytes, more than the {MAX_BYTES:,} that are looked at."
                return Source(key, SourceState.TOO_LARGE, message=message)
            text = Text.of(data)
        if kept is not None and kept.source.text is not None and _same(kept.source.text, text):
            source = kept.source
        else:
            source = read_source(key, text)
        self._keep(key, _Kept(source, stamp, now))
        return source

    def stamp(self, path: str) -> Stamp | None:
        """Give a file's stamp, which differs when the file may have changed; None where there is no such file."""
        try:
            return _stamp_of(real(self._root, safe(self._root, path)))
        except PathRefused:
            return None

    def forget(self, key: str | None = None) -> None:
        """Drop what is kept of one file, or of all."""
        with self._lock:
            if key is None:
                self._kept.clear()
                self._cost = 0
            elif (old := self._kept.pop(key, None)) is not None:
                self._cost -= old.cost

    @property
    def cost(self) -> int:
        """Bytes that what is kept is taken to cost; over the budget only where a single source is."""
        return self._cost

    def _keep(self, key: str, kept: _Kept) -> None:
        with self._lock:
            old = self._kept.pop(key, None)
            self._cost -= old.cost if old is not None else 0
            self._kept[key] = kept
            self._cost += kept.cost
            while self._cost > self._budget and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._cost -= oldest.cost


def _settled(stamp: Stamp, read_ns: int) -> bool:
    return read_ns - max(stamp[0], stamp[1]) > _TICK_NS


def _same(old: Text, new: Text) -> bool:
    return old.bom == new.bom and old == new


def _stamp_of(path: Path) -> Stamp | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    return _stamp(found) if stat.S_ISREG(found.st_mode) else None


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _read(root: Path, key: str) -> tuple[bytes | None, Stamp]:
    """The file's bytes and stamp; no bytes where it is too large. Raises OSError."""
    descriptor = _open(root, key)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        if found.st_size > MAX_BYTES:
            return None, _stamp(found)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            # Not more room than it needs: to be ready for the most that it may have costs more than the reading.
            data = file.read(found.st_size + 1)
            if len(data) > found.st_size:  # It grew meanwhile.
                data += file.read(MAX_BYTES + 1 - len(data))
        return (None if len(data) > MAX_BYTES else data), _stamp(found)
    finally:
        os.close(descriptor)


def _open(root: Path, key: str) -> int:
    """Open a key for reading, one name at a time and following no link, so that a link that is put in place after the
    path was checked leads nowhere. Where the system cannot do that, the path is opened as a whole."""
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    nofollow = getattr(os, "O_NOFOLLOW", 0)
    if not nofollow or os.open not in os.supports_dir_fd:
        return os.open(real(root, key), flags)
    *folders, name = key.split("/")
    here = os.open(real(root, "."), flags | os.O_DIRECTORY)
    try:
        for folder in folders:
            inner = os.open(folder, flags | os.O_DIRECTORY | nofollow, dir_fd=here)
            os.close(here)
            here = inner
        # A device or a pipe may act, or wait, on being opened.
        if not stat.S_ISREG(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        return os.open(name, flags | nofollow | os.O_NONBLOCK, dir_fd=here)
    finally:
        os.close(here)


def _unread(key: str, error: OSError) -> Source:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return Source(key, SourceState.GONE, message=f"{key} is not there.")
    reason = error.strerror or "it cannot be read"
    return Source(key, SourceState.UNREADABLE, message=f"{key} cannot be read: {reason.lower()}.")
