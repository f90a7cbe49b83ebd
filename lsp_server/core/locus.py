"""Loci as text: the stored form, which reads back without looking at any file, and the form that people type.

Knows how a file is told from a symbol or lines; refuses to know whether a place is there, or allowed (`workspace.paths`
judges that). A stored locus is `FILE`, `FILE#SYMBOL`, `FILE:LINE` or `FILE:LINE-LINE`. Where the name of the file
itself holds what looks like one of these, a lone `#` ends the name: `notes #1.md#`, `a:3#:7-9`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lsp_server.core.model import Locus

_SEGMENT = r'(?:"(?:[^"\\\n]|\\[^\n])*"|[^."\[\]#\n]+)'
_SYMBOL = re.compile(rf"{_SEGMENT}(?:\.{_SEGMENT})*(?:\[[0-9]+\])?")
_LINES = re.compile(r":([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
_TYPED_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})|:[0-9]{1,9})?:?")


class LocusError(ValueError):
    """A text that names no place. The message says what to write instead."""


def parse_stored_locus(text: str) -> Locus:
    """Reads a locus as `memory.md` and events hold it. Total: every text without a NUL is some locus.

    A leading `./` and doubled slashes go, backslashes stay: a file name may hold one. Lines are put in order.
    Raises LocusError for an empty text, a NUL or a text without a file.
    """
    if not text or "\0" in text:
        raise LocusError("names no place: write FILE, FILE#SYMBOL or FILE:LINE-LINE")
    at = text.rfind("#")
    while at > 0:
        rest = text[at + 1 :]
        if not rest:
            return Locus(_clean(text[:at]))
        if lines := _LINES.fullmatch(rest):
            return Locus(_clean(text[:at]), lines=_ordered(lines.group(1), lines.group(2)))
        if _SYMBOL.fullmatch(rest):
            return Locus(_clean(text[:at]), symbol=rest)
        at = text.rfind("#", 0, at)
    at = text.rfind("#")
    if at > 0:  # No path that an outline could give; it stays what it is, and will be told to be missing.
        return Locus(_clean(text[:at]), symbol=text[at + 1 :])
    at = text.rfind(":")
    if at > 0 and (lines := _LINES.fullmatch(text[at:])):
        return Locus(_clean(text[:at]), lines=_ordered(lines.group(1), lines.group(2)))
    return Locus(_clean(text))


def stored_locus(locus: Locus) -> str:
    """The stored form: `parse_stored_locus` reads it back as the same locus.

    Raises LocusError for a locus that no text can stand for (a symbol that is no symbol path, an absurd line).
    """
    plain = str(locus)
    lines = f":{locus.lines[0]}-{locus.lines[1]}" if locus.lines else ""
    for text in (plain, f"{locus.file}#{lines}"):
        try:
            if parse_stored_locus(text) == locus:
                return text
        except LocusError:
            continue
    raise LocusError(f"{plain!r} cannot be written down: give a file and the path of a symbol as an outline shows it")


def split_locus(text: str, exists: Callable[[str], bool]) -> Locus:
    """Splits what a person typed, at the last `#` or `:` whose left side is a file by `exists`.

    The file is given back as typed: relative to where the person stands. `FILE:LINE` gives one line (the caller looks
    for the symbol there); a column after the line (`FILE:LINE:COLUMN`) is passed over.
    Raises LocusError, with what to write instead.
    """
    if not text or "\0" in text:
        raise LocusError("a place is FILE, FILE#SYMBOL, FILE:LINE or FILE:LINE-LINE")
    if exists(text):
        return Locus(text)
    at = len(text)
    while (at := max(text.rfind("#", 0, at), text.rfind(":", 0, at))) > 0:
        file, rest = text[:at], text[at + 1 :]
        if not exists(file):
            continue
        if text[at] == "#":
            return Locus(file, symbol=rest) if rest else Locus(file)
        lines = _TYPED_LINES.fullmatch(rest)
        if lines is None or int(lines.group(1)) == 0:
            raise LocusError(f"{rest!r} after {file}: is no line: write {file}:12, {file}:12-20 or {file}#NAME")
        return Locus(file, lines=_ordered(lines.group(1), lines.group(2)))
    file = re.split(r"[#:]", text, maxsplit=1)[0] or text
    raise LocusError(f"there is no file {file!r}: give a place as FILE, FILE#SYMBOL, FILE:LINE or FILE:LINE-LINE")


def _ordered(first: str, last: str | None) -> tuple[int, int]:
    one, other = int(first), int(last or first)
    return max(1, min(one, other)), max(1, one, other)


def _clean(file: str) -> str:
    """One spelling of a relative path. `..` stays: what it means is for `workspace.paths` to refuse."""
    absolute = file.startswith("/")
    kept = "/".join(part for part in file.split("/") if part not in ("", "."))
    return f"/{kept}" if absolute else kept or "."
