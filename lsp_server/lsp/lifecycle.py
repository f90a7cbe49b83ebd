"""The process around a connection: standard streams, the log, the parent process, the end.

Knows file descriptors, signals and process ids of Linux, macOS and Windows. Knows no messages.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import threading
import time
from typing import Final

LOG_PIECE: Final = 2048
"""Bytes written to the log at once. Less than POSIX's PIPE_BUF (at least 512, 4096 on Linux), so that a pipe that
polls as writable takes them without blocking."""


def take_stdio() -> tuple[int, int]:
    """Take the protocol's two streams for ourselves: return new descriptors of standard input and output.

    Afterwards whatever prints to standard output (a library, C code, a child process) lands on standard error, and a
    child that reads standard input finds it empty. Call it first, before anything is imported that might print.
    """
    source, target = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0, inheritable=True)
    try:
        os.dup2(2, 1, inheritable=True)
    except OSError:  # Standard error was closed by whoever started us.
        os.dup2(null, 2, inheritable=True)
        os.dup2(null, 1, inheritable=True)
    os.close(null)
    if sys.stderr is None:
        sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stderr
    if os.name == "nt":
        import msvcrt

        msvcrt.setmode(source, os.O_BINARY)  # type: ignore[attr-defined,unused-ignore]
        msvcrt.setmode(target, os.O_BINARY)  # type: ignore[attr-defined,unused-ignore]
    return source, target


class StderrLog(logging.Handler):
    """Writes records to standard error and never waits: a client that does not read it must not stop the server.

    What does not fit at the moment is left out and counted in the next record that does.
    """

    def __init__(self, descriptor: int = 2) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._left_out = 0
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record) + "\n"
        except Exception as error:  # A log line must never be the reason for a failure.
            text = f"a log record could not be formatted: {error!r}\n"
        if self._left_out:
            text = f"({self._left_out} log records left out: nobody read them)\n{text}"
        data = text.encode("utf-8", "backslashreplace")
        for at in range(0, len(data), LOG_PIECE):
            if not self._write(data[at : at + LOG_PIECE]):
                self._left_out += 1
                return
        self._left_out = 0

    def _write(self, piece: bytes) -> bool:
        try:
            if hasattr(select, "poll"):
                poll = select.poll()
                poll.register(self._descriptor, select.POLLOUT)
                if not any(event & select.POLLOUT for _, event in poll.poll(0)):
                    return False
            os.write(self._descriptor, piece)
        except (OSError, ValueError):
            return False
        return True


def log_to_stderr(level: int = logging.WARNING) -> None:
    """Send the log of the whole process to standard error, without ever waiting for its reader."""
    logging.basicConfig(level=level, handlers=[StderrLog()], force=True)


class Process:
    """Another process, told apart from a later one with the same number where the system says when it started."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._started = _started(pid)

    def alive(self) -> bool:
        """Whether it still runs. One that has ended but was not yet waited for does not."""
        if os.name == "nt":
            return _alive_on_windows(self.pid)
        try:
            os.kill(self.pid, 0)
        except PermissionError:
            return True
        except (OSError, OverflowError):
            return False
        started = _started(self.pid)
        return started is None or (started != "zombie" and started == (self._started or started))


def _started(pid: int) -> str | None:
    """When the process started, in the words of Linux; "zombie" if it has ended; None where that is not known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name stands in parentheses and may hold spaces and parentheses itself (proc(5)).
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if len(fields) < 20:
        return None
    return "zombie" if fields[0] in (b"Z", b"X") else fields[19].decode("ascii")


def _alive_on_windows(pid: int) -> bool:
    # os.kill(pid, 0) would be a Ctrl-C there.
    import ctypes

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    synchronize, access_denied, timeout = 0x00100000, 5, 0x102
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return bool(kernel.GetLastError() == access_denied)
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timeout)
    finally:
        kernel.CloseHandle(handle)


def end_process(code: int, grace: float = 1.0) -> int:
    """Return `code` for `sys.exit`, unless a thread of ours would keep the process: then end it here.

    Waits `grace` seconds at most for threads that are no daemons. The interpreter itself would wait for ever.
    """
    deadline = time.monotonic() + grace
    for thread in threading.enumerate():
        if thread is threading.current_thread() or thread.daemon:
            continue
        # The idle workers of a pool end when the pool is shut down; a busy one cannot be stopped.
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            logging.getLogger(__name__).warning("still busy at the end, left behind: %s", thread.name)
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(code)
    return code
