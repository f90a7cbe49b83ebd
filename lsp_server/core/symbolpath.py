"""Symbol paths: the dotted names by which people and the ledger point at definitions.

Knows how segments are joined, split and quoted, and how `path[2]` picks one of several definitions with one path.
Refuses to know outlines and languages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[^\x00-\x1f\x7f.\[\]#\"'`]+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PICK = re.compile(r"(?s)(.*)\[([^\[\]\"]*)\]")


def join_path(segments: Iterable[str]) -> str:
    """The path of `segments`; one that holds `.`, `[`, `]`, `#`, a quote or a control character, or nothing, is written
    as a JSON string."""
    return ".".join([s if _PLAIN.fullmatch(s) else json.dumps(s, ensure_ascii=False) for s in segments])


def split_path(path: str) -> tuple[str, ...]:
    """The segments of `path`, the other way round. Raises ValueError, with the mend in its message, where it is
    none."""
    segments: list[str] = []
    at = 0
    while True:
        if path[at : at + 1] == '"':
            found = _QUOTED.match(path, at)
            if found is None:
                raise ValueError(f"the quote at character {at + 1} of {path} is not closed: add a closing quote")
            try:
                segments.append(json.loads(found[0], strict=False))
            except ValueError:
                raise ValueError(f"{found[0]} in {path} is no JSON string: write a backslash twice") from None
        else:
            found = _PLAIN.match(path, at)
            if found is None:
                raise ValueError(
                    f"{path or 'an empty text'} is no symbol path: write a segment that is empty or holds "
                    "'.', '[', ']', '#' or quotes as a JSON string"
                )
            segments.append(found[0])
        at = found.end()
        if at == len(path):
            return tuple(segments)
        if path[at] != ".":
            raise ValueError(f"{path} is no symbol path: expected a '.' at character {at + 1}")
        at += 1


def pick(path: str) -> tuple[str, int | None]:
    """`A.f[2]` as (`A.f`, 2), a path that picks nothing as (path, None). Raises ValueError for `f[0]`, `f[x]` and the
    like."""
    if not path.endswith("]"):
        return path, None
    found = _PICK.fullmatch(path)
    if found is None or not found[2].isascii() or not found[2].isdecimal() or int(found[2]) < 1:
        raise ValueError(f"{path} picks no definition: write a number from 1 in the brackets, or quote the segment")
    return found[1], int(found[2])
