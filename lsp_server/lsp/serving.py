"""Runs a connection on this process's standard streams or on a socket, until its end.

Knows event loops, transports, signals and the exit code, and what differs on Windows and for files. Knows no messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import signal
import stat
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from lsp_server.lsp.lifecycle import end_process, log_to_stderr, take_stdio

if TYPE_CHECKING:
    from lsp_server.lsp.connection import Connection

log = logging.getLogger("moorline.lsp")

USAGE = 2
"""The exit code for what the caller did wrong (a port in use, closed streams)."""


def serve_stdio(connection: Connection, streams: tuple[int, int] | None = None) -> int:
    """Serve standard input and output (or what `take_stdio` returned) until the end; return the exit code."""
    try:
        source, target = streams or take_stdio()
    except OSError as error:
        print(f"{connection.name}: standard input and output must be open: {error}", file=sys.stderr)
        return USAGE

    async def start() -> None:
        await _open_output(connection, target)
        await _open_input(connection, source)

    try:
        return _serve(connection, start)
    finally:
        for descriptor in (source, target):
            # A terminal is shared with the shell, which expects it to block.
            with contextlib.suppress(OSError, AttributeError):
                os.set_blocking(descriptor, True)


def serve_tcp(connection: Connection, port: int) -> int:
    """Serve the first client that connects to `port` on 127.0.0.1 until the end; return the exit code."""
    taken = False

    def accept() -> asyncio.BaseProtocol:
        nonlocal taken
        first, taken = not taken, True
        return connection if first else _Refused()

    async def start() -> None:
        server = await connection.loop.create_server(accept, "127.0.0.1", port)
        number = server.sockets[0].getsockname()[1]
        print(f"{connection.name}: listening on 127.0.0.1:{number}", file=sys.stderr, flush=True)

    return _serve(connection, start)


def _serve(connection: Connection, start: Callable[[], Awaitable[None]]) -> int:
    if not logging.getLogger().handlers:
        log_to_stderr()
    loop = asyncio.new_event_loop()
    code = 1
    try:
        code = loop.run_until_complete(_run(connection, loop, start))
    except KeyboardInterrupt:
        pass  # Only where the loop takes no signals (Windows): an end like any other.
    except SystemExit as error:
        log.error("something asked the process to end: %s", error)
    finally:
        with contextlib.suppress(Exception):
            loop.run_until_complete(loop.shutdown_asyncgens())
        # Not loop.shutdown_default_executor(): it waits for work that may never end.
        executor = getattr(loop, "_default_executor", None)
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
        loop.close()
    return end_process(code)


async def _run(connection: Connection, loop: asyncio.AbstractEventLoop, start: Callable[[], Awaitable[None]]) -> int:
    end = connection.begin(loop)
    loop.set_exception_handler(connection.loop_failed)
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(number, connection.stop, f"signal {number.name}")
    try:
        await start()
    except OSError as error:
        print(f"{connection.name}: cannot serve: {error}", file=sys.stderr)
        return USAGE
    code = await end
    await connection.wind_up()
    return code


async def _open_output(connection: Connection, descriptor: int) -> None:
    if not _watchable(descriptor):
        connection.output = _ThreadOutput(descriptor, connection)
        return
    pipe = os.fdopen(descriptor, "wb", buffering=0, closefd=False)
    connection.output, _ = await connection.loop.connect_write_pipe(lambda: _Output(connection), pipe)
    # The connection waits at its end until all is written, so it wants to hear of any byte that is left.
    connection.output.set_write_buffer_limits(high=0)


async def _open_input(connection: Connection, descriptor: int) -> None:
    if _watchable(descriptor):
        pipe = os.fdopen(descriptor, "rb", buffering=0, closefd=False)
        await connection.loop.connect_read_pipe(lambda: connection, pipe)
    else:
        arguments = (descriptor, connection.loop, connection)
        threading.Thread(target=_read, args=arguments, name="moorline-stdin", daemon=True).start()


def _watchable(descriptor: int) -> bool:
    """Whether an event loop can wait for it: no regular file, not the null device, and nothing like it on Windows."""
    if os.name == "nt":
        return False
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or (stat.S_ISCHR(mode) and os.isatty(descriptor))


def _read(descriptor: int, loop: asyncio.AbstractEventLoop, connection: Connection) -> None:
    """The thread that reads what an event loop cannot watch."""
    while True:
        try:
            chunk = os.read(descriptor, 1 << 16)
        except OSError:
            chunk = b""
        try:
            if not chunk:
                loop.call_soon_threadsafe(connection.input_ended)
                return
            loop.call_soon_threadsafe(connection.data_received, chunk)
        except RuntimeError:  # The loop has been closed meanwhile.
            return


class _Refused(asyncio.Protocol):
    """A second client on the debugging port."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class _Output(asyncio.BaseProtocol):
    """Hears from the output pipe how full it is and that it is gone."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def pause_writing(self) -> None:
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        self._connection.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connection.output_lost()


class _ThreadOutput:
    """What a transport does, in a daemon thread, for what an event loop cannot watch."""

    def __init__(self, descriptor: int, connection: Connection) -> None:
        self._descriptor = descriptor
        self._connection = connection
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._size = 0
        self._closing = False
        threading.Thread(target=self._run, name="moorline-stdout", daemon=True).start()

    def write(self, data: bytes) -> None:
        self._size += len(data)
        self._connection.pause_writing()
        self._pieces.put(data)

    def is_closing(self) -> bool:
        return self._closing

    def get_write_buffer_size(self) -> int:
        return self._size

    def close(self) -> None:
        self._closing = True

    abort = close

    def _run(self) -> None:
        loop = self._connection.loop
        while True:
            data = self._pieces.get()
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(self._descriptor, left) :]
                loop.call_soon_threadsafe(self._wrote, len(data))
            except RuntimeError:  # The loop has been closed meanwhile.
                return
            except OSError:
                self._closing = True
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._connection.output_lost)
                return

    def _wrote(self, size: int) -> None:
        self._size -= size
        if not self._size:
            self._connection.resume_writing()
