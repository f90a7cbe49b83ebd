"""JSON in and out: bytes to plain values and back, for one message.

Knows two ways that must agree: the standard library's (always there, lone surrogates, large numbers) and orjson's (much
faster on large messages, optional). Small messages go through the first, so that orjson is not imported for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

SMALL = 1024
"""Bytes up to which the standard library is as quick as orjson, a call more or less."""

Plain = Callable[[Any], Any]
"""Turns an object that JSON cannot hold into one that it can; raises TypeError."""

_orjson: Any = None
_looked = False


class NotJson(ValueError):
    """The body is no JSON text; the message is one line that says where."""


def decode(body: bytes) -> Any:
    """Return the value of one message's body. Raises NotJson."""
    if len(body) > SMALL and (fast := _fast()) is not None:
        try:
            return fast.loads(body)
        except ValueError:
            pass  # It refuses lone surrogates, which clients do send; the other way decides and words the error.
    return decode_slow(body)


def decode_slow(body: bytes) -> Any:
    """The standard library's way. Raises NotJson."""
    try:
        return json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotJson(f"the message is not UTF-8 (byte {error.start})") from None
    except RecursionError:
        raise NotJson("the message is nested too deeply") from None
    except ValueError as error:
        raise NotJson(f"the message is not JSON: {error}") from None


def encode(message: Any, plain: Plain | None = None, *, large: bool = False) -> bytes:
    """Return the JSON text of `message`, one line of UTF-8. `large`: a guess that it is over `SMALL` bytes.

    Raises TypeError or ValueError for what JSON cannot hold.
    """
    if large and (fast := _fast()) is not None:
        try:
            return bytes(fast.dumps(message, default=plain, option=fast.OPT_PASSTHROUGH_DATACLASS))
        except (TypeError, ValueError):
            pass  # Lone surrogates, numbers over 64 bits, keys that are no strings: the other way decides.
    return encode_slow(message, plain)


def encode_slow(message: Any, plain: Plain | None = None) -> bytes:
    """The standard library's way."""
    return json.dumps(message, default=plain, separators=(",", ":"), allow_nan=False).encode("ascii")


def _fast() -> Any:
    global _orjson, _looked
    if not _looked:
        _looked = True
        try:
            import orjson

            _orjson = orjson
        except ImportError:
            _orjson = None
    return _orjson
