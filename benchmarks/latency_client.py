"""A client for measuring: one language server over pipes, every answer with the time at which it came.

One thread and no waiting for other tasks, so that what is measured is the server. Standard library only; for Linux and
macOS.
"""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

LIMIT = 60.0
"""Seconds without an answer after which a server is given up."""

CAPABILITIES: Mapping[str, Any] = {
    "window": {"workDoneProgress": True},
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "synchronization": {"didSave": True},
    },
}

Json = dict[str, Any]

HEAD = 400
"""Bytes at either end of a message in which its method and version stand."""
VERSION = re.compile(rb'"version": ?(\d+)')


class Gone(Exception):
    """The server ended or did not answer."""


class Message:
    """What a server sent. It is parsed when somebody looks into it, so that a long one costs the client nothing."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    @cached_property
    def value(self) -> Json:
        found: Json = json.loads(self.body)
        return found

    @property
    def publishes(self) -> bool:
        return b'"textDocument/publishDiagnostics"' in self.body[:HEAD]

    @property
    def version(self) -> int:
        """The version of a document that diagnostics are for, -1 for none: it stands before or behind them."""
        found = VERSION.findall(self.body[:HEAD]) or VERSION.findall(self.body[-HEAD:])
        return int(found[-1]) if found else -1


class Client:
    """A started server. Messages that come are kept in `seen`, as (seconds, message)."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._buffer = bytearray()
        self._owed: list[bytes] = []
        self._number = 0
        self.seen: list[tuple[float, Message]] = []

    # -- sending -----------------------------------------------------------------------------------------------------

    def notify(self, method: str, params: Json) -> float:
        """Sends a notification; answers the time at which sending began."""
        return self.send(packed({"method": method, "params": params}))

    def ask(self, method: str, params: Json | None) -> tuple[float, int]:
        """Sends a request; answers the time at which sending began, and its number."""
        self._number += 1
        message = {"id": self._number, "method": method}
        return self.send(packed(message if params is None else {**message, "params": params})), self._number

    def send(self, data: bytes) -> float:
        """Sends bytes, and reads meanwhile what the server says, so that neither waits for the other for ever."""
        start = time.perf_counter()
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._in, left) :]
            except BlockingIOError:
                ready, _, _ = select.select([self._out], [self._in], [], LIMIT)
                if ready:
                    self._read()
            except BrokenPipeError as error:
                raise Gone("the server reads no more") from error
        # What the server asked meanwhile is answered behind the message, not in the middle of it.
        while self._owed:
            self.send(self._owed.pop(0))
        return start

    # -- receiving ---------------------------------------------------------------------------------------------------

    def wait(self, wanted: Callable[[Message], bool], limit: float = LIMIT) -> tuple[float, Message]:
        """The first message, of those kept or still to come, that is wanted; it is not kept any longer."""
        deadline = time.perf_counter() + limit
        at = 0
        while True:
            while at < len(self.seen):
                when, message = self.seen[at]
                if wanted(message):
                    del self.seen[at]
                    return when, message
                at += 1
            left = deadline - time.perf_counter()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise Gone(f"no answer within {limit:g} s")
            self._read()
            self.send(b"")

    def answer(self, number: int, limit: float = LIMIT) -> tuple[float, Json]:
        """The answer to a request."""
        when, message = self.wait(lambda message: is_answer(message, number), limit)
        return when, message.value

    def published(self, version: int) -> tuple[float, int]:
        """The diagnostics of this version or, where edits were taken together, of a later one; answers its number."""
        when, message = self.wait(lambda message: message.publishes and message.version >= version)
        return when, message.version

    def idle(self, until: float) -> None:
        """Reads what comes until a moment."""
        while (left := until - time.perf_counter()) > 0:
            if select.select([self._out], [], [], left)[0]:
                self._read()
                self.send(b"")

    def _read(self) -> None:
        data = os.read(self._out, 1 << 20)
        when = time.perf_counter()
        if not data:
            raise Gone(f"the server ended with {self.process.poll()}")
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            header = bytes(self._buffer[:end]).lower()
            length = int(header.partition(b"content-length:")[2].split()[0])
            if len(self._buffer) < end + 4 + length:
                break
            message = Message(bytes(self._buffer[end + 4 : end + 4 + length]))
            del self._buffer[: end + 4 + length]
            if len(message.body) < HEAD and "method" in message.value and "id" in message.value:
                self._owed.append(packed({"id": message.value["id"], "result": None}))
            self.seen.append((when, message))

    # -- the process -------------------------------------------------------------------------------------------------

    def memory(self) -> float:
        """Megabytes that the process holds in memory (resident set); 0 where the system does not say."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
            return int(status.partition("VmRSS:")[2].split()[0]) / 1024
        except (OSError, IndexError):
            pass
        try:
            said = subprocess.run(["ps", "-o", "rss=", "-p", str(self.process.pid)], capture_output=True, check=True)
            return int(said.stdout) / 1024
        except (OSError, ValueError, subprocess.CalledProcessError):
            return 0.0

    def processor(self) -> float:
        """Milliseconds that the process's first thread has run on a processor; 0 where the system does not say."""
        try:
            return int(Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[0]) / 1e6
        except (OSError, ValueError, IndexError):
            return 0.0

    def shut_down(self) -> float:
        """Ends the server as an editor does; answers the seconds from the request until the process was gone."""
        start, number = self.ask("shutdown", None)
        self.answer(number)
        self.notify("exit", {})
        self.process.wait(LIMIT)
        return time.perf_counter() - start

    def kill(self) -> None:
        """Ends the process whatever it does, and closes the pipes."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def is_answer(message: Message, number: int) -> bool:
    return not message.publishes and message.value.get("id") == number and "method" not in message.value


def packed(message: Json) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def python(*words: str) -> list[str]:
    """A command that runs with this Python."""
    return [sys.executable, *words]
