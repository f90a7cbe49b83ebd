"""Fingerprints as JSON: what a baseline event holds. Knows their shape and not how they are taken or compared.

Compact: a field that is empty or has its default value is left out. Keys of a newer version are kept across a rewrite.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from lsp_server.core.model import Fingerprint

_FIELDS = {field.name: field for field in dataclasses.fields(Fingerprint) if field.name != "unknown"}


def to_json(fingerprint: Fingerprint) -> dict[str, Any]:
    """A fingerprint as JSON values; `from_json` gives back an equal one."""
    found: dict[str, Any] = dict(fingerprint.unknown)
    for name, field in _FIELDS.items():
        value = getattr(fingerprint, name)
        if name in _REQUIRED or value != _default(field):
            found[name] = _plain(value)
    return found


def from_json(data: Mapping[str, Any]) -> Fingerprint:
    """Reads what `to_json` wrote, of this or another version.

    Raises ValueError, naming the field, where a field is missing or holds what it cannot.
    """
    if not isinstance(data, Mapping):
        raise ValueError("a fingerprint must be an object")
    known: dict[str, Any] = {"text": ""}
    for name, read in _READ.items():
        if name in data:
            try:
                known[name] = read(data[name])
            except (TypeError, ValueError) as error:
                raise ValueError(f"the field {name!r} of a fingerprint {error}") from None
        elif name in _REQUIRED:
            raise ValueError(f"a fingerprint has no {name!r}")
    return Fingerprint(**known, unknown={key: value for key, value in data.items() if key not in _READ})


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("must be a text")
    return value


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("must be a whole number")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _strings(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise TypeError("must be an object")
    return {_string(key): _string(item) for key, item in value.items()}


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError("must be a list")
    return tuple(map(_string, value))


def _pair(of: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    def read(value: Any) -> tuple[Any, Any]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise TypeError("must be a list of two")
        return of(value[0]), of(value[1])

    return read


def _siblings(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list | tuple):
        raise TypeError("must be a list")
    return tuple(_pair(_string)(item) for item in value)


_READ: Mapping[str, Callable[[Any], Any]] = {
    "scheme": _integer,
    "kind": _string,
    "file_sha256": _string,
    "text": _string,
    "code": _string,
    "masked": _string,
    "interface": _string,
    "own": _string,
    "members": _strings,
    "parts": _strings,
    "siblings": _siblings,
    "occurrence": _pair(_integer),
    "sketch": _string,
    "tokens": _integer,
    "trivial": _boolean,
    "symbol_kind": _string,
    "language": _string,
    "grammar": _string,
    "context": _pair(_string),
    "peers": _string,
    "errors": _texts,
}

_REQUIRED = ("scheme", "kind", "file_sha256")
"""What every fingerprint holds. A record that only believes in a file's hash has no more than these."""


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return "" if field.default is dataclasses.MISSING else field.default


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
