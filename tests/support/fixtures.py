"""Fixtures as data: files in one string, the cursor as `$0`, expected diagnostics as marker lines under the code.

    #- src/auth.py
    def login():$0
        ^^^^^ warning[changed]: body changed

Marker lines and `$0` are taken out before anything is parsed, since they would change fingerprints.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field

FILE = re.compile(r"^#- (\S+)$", re.MULTILINE)
MARK = re.compile(r"^(\s*)(\^+) (error|warning|information|hint)\[(\w+)\](?:: (.*))?$")
CURSOR = "$0"


@dataclass(frozen=True)
class Mark:
    """An expected diagnostic: line (from 0) and columns in characters, severity, code, and a part of its message."""

    line: int
    start: int
    end: int
    severity: str
    code: str
    message: str = ""


@dataclass
class File:
    """One file of a fixture without its markers. `cursor` is an offset in characters."""

    text: str
    marks: list[Mark] = field(default_factory=list)
    cursor: int | None = None


def files(fixture: str, default: str = "main.py") -> dict[str, File]:
    """The files of a fixture; text before the first `#- NAME` line is one file named `default`."""
    fixture = textwrap.dedent(fixture).lstrip("\n")
    pieces = FILE.split(fixture)
    found: dict[str, File] = {}
    if pieces[0].strip():
        found[default] = one(pieces[0])
    for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
        found[name] = one(text.removeprefix("\n"))
    return found


def one(text: str) -> File:
    kept: list[str] = []
    marks: list[Mark] = []
    for line in text.split("\n"):
        match = MARK.match(line)
        if match is None:
            kept.append(line)
            continue
        start = len(match[1])
        marks.append(Mark(len(kept) - 1, start, start + len(match[2]), match[3], match[4], match[5] or ""))
    clean = "\n".join(kept)
    cursor = clean.find(CURSOR)
    if cursor < 0:
        return File(clean, marks)
    return File(clean[:cursor] + clean[cursor + len(CURSOR) :], marks, cursor)
