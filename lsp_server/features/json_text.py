"""JSON files that people write by hand, edited as text: one member or element changes, every other byte stays.

Comments and trailing commas, which editors allow in their settings, are let be. Refuses to know what is in them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

DEEPEST = 100
"""Levels down to which values are read."""

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_WORD = re.compile(r"[-+.\w]+")


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, or element of a list (`key` None): from where to where its value goes."""

    key: str | None
    first: int
    start: int
    end: int


def with_member(text: str, keys: Sequence[str], value: Any, replace: bool = True) -> str:
    """A JSON text (comments and trailing commas are let be) with a value at a path of keys; else as it is.

    With `replace` False a value that is there stays. Raises ValueError where it is no such JSON.
    """
    if not text.strip():
        return json.dumps(_nest(keys, value), indent=2) + "\n"
    at = _skip(text, 0)
    _end(text, at)
    for depth, key in enumerate(keys):
        _must_be(text, at, "{", keys[:depth])
        member = next((one for one in _members(text, at) if one.key == key), None)
        if member is None:
            return _insert(text, at, json.dumps(key) + ": ", _nest(keys[depth + 1 :], value))
        at, end = member.start, member.end
    if not replace or _is(text[at:end], value):
        return text
    return text[:at] + _dumped(text, at, value) + text[end:]


def with_element(text: str, keys: Sequence[str], value: Any, sign: str) -> str:
    """A JSON text with a value in the list at a path of keys: in place of the element that holds `sign`, else at the
    end. Raises ValueError where it is no such JSON."""
    if not text.strip():
        return with_member(text, keys, [value])
    text = with_member(text, keys, [], replace=False)
    at = _skip(text, 0)
    for key in keys:
        at = next(one for one in _members(text, at) if one.key == key).start
    _must_be(text, at, "[", keys)
    ours = [one for one in _members(text, at) if sign in text[one.start : one.end]]
    if not ours:
        return _insert(text, at, "", value)
    one = ours[0]
    if _is(text[one.start : one.end], value):
        return text
    return text[: one.start] + _dumped(text, one.start, value) + text[one.end :]


def _nest(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _is(text: str, value: Any) -> bool:
    try:
        return bool(json.loads(text) == value)
    except ValueError:
        return False


def _must_be(text: str, at: int, opening: str, keys: Sequence[str]) -> None:
    if text[at : at + 1] != opening:
        what = "an object" if opening == "{" else "a list"
        raise ValueError(f"{'.'.join(keys) or 'it'} is not {what}")


def _insert(text: str, at: int, prefix: str, value: Any) -> str:
    """Puts a member or element at the end of the object or list that begins at `at`."""
    members = list(_members(text, at))
    outer = _indent(text, at)
    inner = outer + "  "
    if members and not text[text.rfind("\n", 0, members[0].first) + 1 : members[0].first].strip():
        inner = text[text.rfind("\n", 0, members[0].first) + 1 : members[0].first]
    eol = "\r\n" if "\r\n" in text else "\n"
    new = f"{eol}{inner}{prefix}{_lines(value, inner, eol)}"
    if members:
        return text[: members[-1].end] + "," + new + text[members[-1].end :]
    rest = text[at + 1 :]
    # An empty one is opened up; what is said in it as a comment stays.
    return text[: at + 1] + new + ("" if re.match(r"[ \t]*\r?\n", rest) else f"{eol}{outer}") + rest


def _dumped(text: str, at: int, value: Any) -> str:
    return _lines(value, _indent(text, at), "\r\n" if "\r\n" in text else "\n")


def _lines(value: Any, indent: str, eol: str) -> str:
    step = "\t" if "\t" in indent else 2
    return json.dumps(value, indent=step).replace("\n", f"{eol}{indent}")


def _indent(text: str, at: int) -> str:
    """The white space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at


def _members(text: str, at: int, depth: int = 0) -> Iterator[Member]:
    """The members of the object, or elements of the list, that begins at `at`. Raises ValueError where it is none."""
    closing = {"{": "}", "[": "]"}[text[at]]
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        first, key = at, None
        if closing == "}":
            found = _STRING.match(text, at)
            if found is None:
                raise _no_json(text, at)
            key = json.loads(found[0])
            at = _skip(text, found.end())
            if text[at : at + 1] != ":":
                raise _no_json(text, at)
            at = _skip(text, at + 1)
        end = _end(text, at, depth + 1)
        yield Member(key, first, at, end)
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _no_json(text, at)


def _end(text: str, at: int, depth: int = 0) -> int:
    """Where the value that begins at `at` ends."""
    if text[at : at + 1] in ("{", "["):
        if depth > DEEPEST:
            raise ValueError("it goes too deep")
        last = at + 1
        for member in _members(text, at, depth):
            last = member.end
        last = _skip(text, last)
        return (_skip(text, last + 1) if text[last : last + 1] == "," else last) + 1
    found = _STRING.match(text, at) or _WORD.match(text, at)
    if found is None:
        raise _no_json(text, at)
    return found.end()


def _no_json(text: str, at: int) -> ValueError:
    return ValueError(f"line {text.count(chr(10), 0, at) + 1} is no JSON")
