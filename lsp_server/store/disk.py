"""Reading and writing single files of the ledger so that neither a crash nor a hostile entry does harm.

Knows links, pipes, fsync and locks; refuses to know what is in a file. Nothing is read through a link and nothing waits
for a pipe; what is written is whole or not there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

UNFINISHED = ".tmp"
"""What names of unfinished files end with; they begin with a dot."""

LOCK_SECONDS = 5.0
"""How long a write waits for another program's write to the same ledger."""


class DiskRefused(Exception):
    """A file that cannot be read or written. The message says why and names the mend, but not the file."""


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a regular file that is no link. Raises DiskRefused; FileNotFoundError where there is none."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        if not getattr(os, "O_NOFOLLOW", 0) and os.path.islink(path):
            raise DiskRefused(_LINK)
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise DiskRefused(_LINK) from None
        if error.errno == errno.EISDIR or os.path.isdir(path):
            raise DiskRefused(_FOLDER) from None
        raise DiskRefused(f"cannot be read ({reason(error)}): {_mend(error)}") from None
    try:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise DiskRefused(_FOLDER)
        if not stat.S_ISREG(found.st_mode):
            raise DiskRefused("is no regular file and is not read: delete it")
        if found.st_size > limit:
            raise DiskRefused(f"has {found.st_size} bytes, more than {limit}: shorten or delete it")
        with open(descriptor, "rb", closefd=False) as file:
            # Not more room than it needs: to be ready for the most that it may have costs more than the reading.
            data = file.read(found.st_size + 1)
            return data if len(data) <= found.st_size else data + file.read(limit + 1 - len(data))
    except OSError as error:
        raise DiskRefused(f"cannot be read ({reason(error)}): {_mend(error)}") from None
    finally:
        os.close(descriptor)


def write_file(path: Path, data: bytes) -> None:
    """Puts a whole file in place: temporary file beside it, fsync, rename, fsync of the folder. Raises OSError."""
    put_in_place(stage_file(path.parent / f".{secrets.token_hex(8)}{UNFINISHED}", data), path)


def stage_file(path: Path, data: bytes) -> Path:
    """Writes and syncs a file that is to be renamed. Where it fails, or the name is taken, it raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise
    return path


def put_in_place(staged: Path, path: Path) -> None:
    """Renames a staged file to its name and syncs the folder. Where it fails, it is gone. Raises OSError."""
    try:
        os.replace(staged, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(staged)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Makes renames and new names in a folder last. Does nothing where a folder cannot be synced (Windows)."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_folder(path: Path) -> None:
    """Makes one folder if it is not there. Raises DiskRefused where a link or a file has its name, and OSError."""
    try:
        os.mkdir(path)
    except FileExistsError:
        if not is_folder(path):
            raise DiskRefused(f"{path.name} is a link or no folder: put a real folder in its place") from None
    else:
        sync_folder(path.parent)


def is_folder(path: Path) -> bool:
    """Whether there is a real folder, no link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def locked(path: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Holds a lock between processes for the length of a `with`. Raises DiskRefused where another keeps it too long."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        raise DiskRefused(f"{path.name} cannot be opened ({reason(error)}): {_mend(error)}") from None
    try:
        end = time.monotonic() + seconds
        while not _try_lock(descriptor):
            if time.monotonic() >= end:
                raise DiskRefused("another program is writing here for too long: try again in a moment")
            time.sleep(0.02)
        try:
            yield
        finally:
            _unlock(descriptor)
    finally:
        os.close(descriptor)


def reason(error: OSError) -> str:
    """What the system says went wrong, in its words and without the path."""
    return error.strerror or type(error).__name__


_LINK = "is a link and is not followed: put the file itself in its place"
_FOLDER = "is a folder where a file should be: move it away"


def _mend(error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "give yourself the right to it"
    if error.errno in (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else error.errno == errno.ENOSPC:
        return "make room on the disk"
    return "see to it and try again"


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # A file system without locks: better to write than to refuse for ever.
            return True
        return True

    def _unlock(descriptor: int) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
