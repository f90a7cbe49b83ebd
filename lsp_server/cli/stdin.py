"""Reading what is piped in."""

from __future__ import annotations

import sys

from lsp_server.features.errors import Refused

DASH = "-"
"""Stands for standard input, where a text or a file is asked for."""

MOST = 16 * 1024 * 1024
"""Bytes of one text that are read from standard input: far above what any kind of memory holds."""


def text_argument(text: str) -> str:
    """The text of an argument; `-` is read from standard input."""
    if text != DASH:
        return text
    data = sys.stdin.buffer.read(MOST + 1)
    if len(data) > MOST:
        raise Refused(f"standard input has more than {MOST} bytes; give a shorter text")
    return decoded(data, "standard input")


def decoded(data: bytes, what: str) -> str:
    """Bytes as UTF-8 text without a mark at its start. Raises Refused for other bytes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{what} is not UTF-8 at byte {error.start}; convert it first") from None
