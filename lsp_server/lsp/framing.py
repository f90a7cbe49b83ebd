"""Cuts a byte stream into message bodies, and finds the next message again after damage.

Knows the header part of the LSP base protocol ("Content-Length: N", blank line, N bytes) in every spelling met in the
field, and a cap on what it keeps in memory. Knows no JSON.

Finding the next message is safe against text that merely looks like a header: a JSON string cannot hold a raw line
break, so a header line with its blank line never stands inside a body that is JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_BODY = 256 * 1024 * 1024
"""Bytes of one message that are accepted. Sixteen times our limit for a file, with room for JSON's escapes."""

MAX_HEADER = 16 * 1024
"""Bytes of one header part that are kept while its end has not come."""

_HEADER_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?\n", re.IGNORECASE)
_HEADER_LINES = 256  # A header part that stands inside a damaged body is looked for in this many bytes.
_LONGEST_LENGTH = 64  # A "Content-Length" line is not longer.
_KEEP = 4096  # While looking for a header, the tail that may be the start of one.


@dataclass(frozen=True, slots=True)
class Damage:
    """A place in the stream that is no message. `message` is one line for people."""

    message: str


class Framer:
    """Takes chunks by `feed` and hands out bodies and damage by `frames`, in order."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._buffer = bytearray()
        self._at = 0  # What is before it has been handed out.
        self._need = -1  # The body's length once its header has been read.
        self._searched = 0  # Up to where an unfinished body has been searched for the next header.
        self._lost = False  # Damage was reported and no header has been found since.
        self._max_body = max_body

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Add a chunk as it came from the stream."""
        self._buffer += data

    @property
    def ready(self) -> bool:
        """Whether a whole further message has come already."""
        if self._need < 0:
            found = _HEADER_END.search(self._buffer, self._at)
            if found is None:
                return False
            length = _LENGTH.search(self._buffer, self._at, found.end())
            return length is not None and len(self._buffer) - found.end() >= int(length[1])
        return len(self._buffer) - self._at >= self._need

    @property
    def kept(self) -> int:
        """Bytes that are held now."""
        return len(self._buffer)

    def frames(self) -> Iterator[bytes | Damage]:
        """Yield what is complete: bodies (without header) and, once for each place, damage."""
        while True:
            if self._need < 0:
                damage = self._read_header()
                if damage is not None:
                    yield damage
                    continue
                if self._need < 0:
                    break
            end = self._at + self._need
            if len(self._buffer) < end:
                if self._next_header_inside():
                    yield Damage("a message that is shorter than its Content-Length; left out")
                    continue
                break
            body = bytes(memoryview(self._buffer)[self._at : end])
            self._at, self._need = end, -1
            yield body
        self._drop()

    def push_back(self, body: bytes) -> None:
        """Look for the next message from inside a body that turned out not to be JSON.

        Its length may have been too large, so that it holds the next header or the beginning of it.
        """
        found = _LENGTH.search(body)
        self._buffer[: self._at] = body[found.start() if found is not None else -_LONGEST_LENGTH :]
        self._at = 0
        self._need = -1
        self._lost = True  # This damage has been reported.

    def _drop(self) -> None:
        """Give back the memory of what has been handed out."""
        if self._at:
            del self._buffer[: self._at]
            self._searched -= self._at
            self._at = 0

    def _read_header(self) -> Damage | None:
        """Move to the next body if its header is complete; answer damage that was met, unless already in it."""
        buffer = self._buffer
        while True:
            # Blank lines between messages are harmless, and would read as a header part without a length.
            while self._at < len(buffer) and buffer[self._at] in b"\r\n":
                self._at += 1
            found = _HEADER_END.search(buffer, self._at)
            if found is None:
                return self._cap_header()
            start, self._at = self._at, found.end()
            lengths = _LENGTH.findall(buffer, start, found.end())
            if not lengths:
                if self._lost:
                    continue
                self._lost = True
                return Damage("a header without a usable Content-Length; looking for the next one")
            length = int(lengths[-1])  # The last one: what stands before it may be the rest of a damaged body.
            if length > self._max_body:
                self._lost = True
                return Damage(f"a message of {length} bytes is over the limit of {self._max_body}; left out")
            self._need = length
            self._searched = self._at
            self._lost = False
            return None

    def _next_header_inside(self) -> bool:
        """Whether the next message has begun inside the body that is waited for; if so, move there."""
        buffer = self._buffer
        while (blank := buffer.find(b"\r\n\r\n", max(self._at, self._searched - 3))) >= 0:
            self._searched = blank + 4
            found = _LENGTH.search(buffer, max(self._at, blank - _HEADER_LINES), blank + 4)
            if found is not None:
                self._at, self._need = found.start(), -1
                return True
        self._searched = len(buffer)
        return False

    def _cap_header(self) -> Damage | None:
        if len(self._buffer) - self._at <= MAX_HEADER:
            return None
        self._at = len(self._buffer) - _KEEP
        if self._lost:
            return None
        self._lost = True
        return Damage(f"no end of a header within {MAX_HEADER} bytes; looking for the next one")


def frame(body: bytes) -> bytes:
    """Return `body` with its header, to be written in one go."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
