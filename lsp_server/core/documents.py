"""`@anchor(file=F, symbol=S)` markers: where they stand in Markdown and in comments, and what they name.

Knows which parts of a text count (in Markdown all but code; in code the comments) and how a marker is spelt. Refuses to
know whether the place that it names is there. Nothing in a text is an error: what is spelt wrongly is a marker with a
problem that names the mend.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from tree_sitter import Node

from lsp_server.core.locus import LocusError, stored_locus
from lsp_server.core.model import Locus, Span
from lsp_server.core.source import Source
from lsp_server.core.symbolpath import pick, split_path

NEEDLE = b"@anchor("
"""What every marker begins with: a text without it has none."""

KEYS = ("file", "symbol", "line", "lines")
"""What a marker may say."""

LIMIT = 2000
"""Bytes that a marker may take up: one that does not end within them is not closed."""

_OPEN = re.compile(rb"(?<![0-9A-Za-z_@\\])@anchor\(")
_KEY = re.compile(rb"[A-Za-z_]+")
_GAP = re.compile(rb"[ \t]*(?:(?:\r\n|\n|\r)[ \t]*(?:[>#*/;%|!-]+[ \t]*)*(?![ \t]*(?:\r|\n|$)))?")
"""White space between two words of a marker. It may go over one end of line; what begins the next line in a quote or a
comment is passed over."""
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
"""A backslash before ASCII punctuation stands for it (CommonMark 0.31.2, section 2.4): formatters write `my\\_file`."""
_LINES = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
_TICKS = re.compile(rb"`+")
_LEAF = frozenset(
    [
        *("paragraph", "atx_heading", "setext_heading", "html_block", "pipe_table_row", "pipe_table_header"),
        *("link_reference_definition", "minus_metadata", "plus_metadata"),
    ]
)
_CODE = frozenset(["fenced_code_block", "indented_code_block"])


@dataclass(frozen=True, slots=True)
class Field:
    """One `key=value` of a marker: the bytes of the key, and of the value without the quotes around it."""

    key: str
    value: str
    key_span: Span
    span: Span
    quote: str = ""
    """The quote around the value, empty where there is none."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker: its bytes, what it says, and what is wrong with it.

    `locus` is the place that it names, None where it names none; a symbol's `[2]` is taken off and kept as `which`.
    `line` (from 1) picks among several symbols with one path. `problem` is one sentence with the mend, and
    `problem_span` the bytes it is about.
    """

    span: Span
    fields: tuple[Field, ...]
    locus: Locus | None = None
    which: int | None = None
    line: int | None = None
    problem: str = ""
    problem_span: Span | None = None

    def field(self, key: str) -> Field | None:
        return next((field for field in self.fields if field.key == key), None)

    @property
    def target(self) -> str:
        """What it names, as text: the same for two markers that name the same."""
        if self.locus is None:
            return ""
        picked = f"[{self.which}]" if self.which is not None else ""
        return f"{stored_locus(self.locus)}{picked}" + (f" line {self.line}" if self.line is not None else "")

    @property
    def symbol(self) -> str | None:
        """The symbol as `places.resolve` takes it, with its `[2]`."""
        if self.locus is None or self.locus.symbol is None:
            return None
        return self.locus.symbol if self.which is None else f"{self.locus.symbol}[{self.which}]"


def is_document(source: Source) -> bool:
    """Whether a text is one whose passages are served: Markdown that was parsed."""
    return source.language is not None and source.language.name == "markdown" and source.tree is not None


def markers_of(source: Source) -> tuple[Marker, ...]:
    """Every marker of a Markdown text, or of the comments of code, in text order; none where no grammar says what is
    code and what is not."""
    if source.text is None or source.tree is None:
        return ()
    if not source.text.holds(NEEDLE):
        return ()
    data = bytes(source.text)
    found: list[Marker] = []
    counts = Countable(source, data)
    for match in _OPEN.finditer(data):
        if found and match.start() < found[-1].span.end:
            continue
        if counts(match.start()):
            marker = _read(data, match.start(), match.end())
            if marker is not None:
                found.append(marker)
    return tuple(found)


def markers_in(data: bytes) -> tuple[Marker, ...]:
    """Every marker of a text of which nobody knows what is code in it, such as a conversation, in text order."""
    found: list[Marker] = []
    for match in _OPEN.finditer(data):
        if found and match.start() < found[-1].span.end:
            continue
        marker = _read(data, match.start(), match.end())
        if marker is not None:
            found.append(marker)
    return tuple(found)


def marker_at(source: Source, offset: int) -> Marker | None:
    """The marker that a byte offset is in or right behind."""
    return next((one for one in markers_of(source) if one.span.start <= offset <= one.span.end), None)


@dataclass(frozen=True, slots=True)
class Typing:
    """What is being typed in a marker, closed or not: `key` whose value it is (empty: a key itself), the bytes of what
    stands there, what of it stands before the cursor, and what the marker says already."""

    key: str
    span: Span
    prefix: str
    said: Mapping[str, str]
    quote: str = ""


def typing_at(source: Source, offset: int) -> Typing | None:
    """What is being typed at a byte offset; None outside of every marker."""
    if source.text is None or source.tree is None:
        return None
    start = max(0, offset - LIMIT)
    before = source.text.slice(start, offset)
    opened_before = list(_OPEN.finditer(before))
    if not opened_before:
        return None
    match = opened_before[-1]
    data = bytes(source.text)
    begin, opened = start + match.start(), start + match.end()
    if not Countable(source, data)(begin):
        return None
    fields: list[Field] = []
    at = opened
    while True:
        at = _skipped(data, at)
        said = {one.key: one.value for one in fields}
        if at > offset:
            return Typing("", Span(offset, offset), "", said)
        sign = data[at : at + 1]
        if sign == b",":
            at += 1
            continue
        key = _KEY.match(data, at) if sign != b")" else None
        if key is None:
            return Typing("", Span(offset, offset), "", said) if sign != b")" and at == offset else None
        equals = _spaces(data, key.end())
        if data[equals : equals + 1] != b"=" or offset <= key.end():
            if offset > key.end():
                return None
            return Typing("", Span(at, key.end()), data[at:offset].decode("ascii", "replace"), said)
        begin = _spaces(data, equals + 1)
        quote = data[begin : begin + 1]
        if quote in (b'"', b"'") and begin < offset and _closing(data, begin) < 0:
            typed = data[begin + 1 : offset].decode("utf-8", "replace")
            return Typing(key[0].decode(), Span(begin + 1, offset), typed, said, quote.decode())
        field, end = _value(data, at, key.end(), begin)
        if equals + 1 <= offset <= max(field.span.end, equals + 1):
            said |= {one.key: one.value for one in _rest(data, end)}
            head = data[min(field.span.start, offset) : offset].decode("utf-8", "replace")
            return Typing(field.key, field.span, _plain(head), said, field.quote)
        if end > offset:
            return None
        fields.append(field)
        at = end


def _rest(data: bytes, at: int) -> Iterator[Field]:
    """The fields after a place of a marker, as far as they can be read."""
    stop = min(len(data), at + LIMIT)
    while at < stop:
        at = _skipped(data, at)
        if data[at : at + 1] == b",":
            at += 1
            continue
        key = _KEY.match(data, at)
        rest = _spaces(data, key.end()) if key is not None else at
        if key is None or data[rest : rest + 1] != b"=":
            return
        field, at = _value(data, at, key.end(), _spaces(data, rest + 1))
        yield field


class Countable:
    """Where in a source markers count: in Markdown outside of code, in code in a comment."""

    def __init__(self, source: Source, data: bytes) -> None:
        assert source.tree is not None
        self._root = source.tree.root_node
        self._markdown = is_document(source)
        self._data = data
        self._spans: dict[tuple[int, int], list[Span]] = {}

    def __call__(self, offset: int) -> bool:
        """Whether what stands at a byte offset may be a marker."""
        node: Node | None = self._root.descendant_for_byte_range(offset, offset + 1)
        if not self._markdown:
            while node is not None and "comment" not in node.type:
                node = node.parent
            return node is not None
        leaf = None
        while node is not None:
            if node.type in _CODE:
                return False
            if leaf is None and node.type in _LEAF:
                leaf = node
            node = node.parent
        if leaf is None or leaf.type == "html_block":
            return True
        block = leaf.start_byte, leaf.end_byte
        if block not in self._spans:
            self._spans[block] = code_spans(self._data, *block)
        spans = self._spans[block]
        at = bisect_right(spans, offset, key=lambda span: span.start)
        return at == 0 or offset >= spans[at - 1].end


def code_spans(data: bytes, start: int, end: int) -> list[Span]:
    """The code spans of a block of Markdown: from a run of backticks to the next run as long (CommonMark 0.31.2,
    section 6.1). Linear in the block."""
    runs = [(found.start(), found.end()) for found in _TICKS.finditer(data, start, end)]
    later: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    found = []
    number = 0
    while number < len(runs):
        first, last = runs[number]
        before = first
        while before > start and data[before - 1] == 0x5C:
            before -= 1
        if (first - before) % 2:  # An escaped backtick opens nothing; what is left of its run may.
            first += 1
        same = later.get(last - first, [])
        while same and same[-1] <= number:
            same.pop()
        if first == last or not same:
            number += 1
            continue
        found.append(Span(first, runs[same[-1]][1]))
        number = same[-1] + 1
    return found


def _read(data: bytes, start: int, at: int) -> Marker | None:
    """The marker that begins at `start`, whose bracket was opened right before `at`; None where it is none of ours:
    `@anchor(` is a decorator or an annotation elsewhere, so a key that we know must follow."""
    first = _KEY.match(data, _skipped(data, at))
    if first is None or data[_spaces(data, first.end()) :][:1] != b"=":
        return None
    named = first[0].decode()
    if named not in KEYS and not get_close_matches(named, KEYS, 1, 0.6):
        return None
    fields: list[Field] = []
    stop = min(len(data), start + LIMIT)
    while True:
        at = _skipped(data, at)
        sign = data[at : at + 1]
        if sign == b")":
            return _judged(Marker(Span(start, at + 1), tuple(fields)))
        if sign == b",":
            at += 1
            continue
        key = _KEY.match(data, at, stop)
        rest = _spaces(data, key.end()) if key is not None else at
        if key is None or data[rest : rest + 1] != b"=":
            return _unclosed(data, start, at, fields)
        field, at = _value(data, at, key.end(), _spaces(data, rest + 1))
        fields.append(field)


def _unclosed(data: bytes, start: int, at: int, fields: list[Field]) -> Marker:
    stop = max(at, start + LIMIT)
    line_end = min((end for sign in (b"\n", b"\r") if (end := data.find(sign, at, stop)) >= 0), default=stop)
    closing = data.find(b")", at, line_end)
    end = fields[-1].span.end + len(fields[-1].quote) if fields else at
    if closing >= 0:
        odd = data[at:closing].strip()[:30].decode("utf-8", "replace")
        problem = f"{odd!r} is no part of a marker: write @anchor(file=F, symbol=S), a comma between the two"
        return Marker(Span(start, closing + 1), tuple(fields), problem=problem, problem_span=Span(at, closing))
    problem = "the marker is not closed: add a closing bracket"
    return Marker(Span(start, end), tuple(fields), problem=problem, problem_span=Span(start, end))


_STOPS = re.compile(rb"[,) \t]")


def _value(data: bytes, key_start: int, key_end: int, at: int) -> tuple[Field, int]:
    """One value from `at` on, and where what follows it begins."""
    key, key_span = data[key_start:key_end].decode("ascii"), Span(key_start, key_end)
    sign = data[at : at + 1]
    if sign in (b'"', b"'"):
        end = _closing(data, at)
        after = _spaces(data, end + 1) if end >= 0 else -1
        if end >= 0 and (data[after : after + 1] in (b",", b")") or _ends_line(data, after)):
            value = re.sub(r"\\([\"'\\])", r"\1", data[at + 1 : end].decode("utf-8", "replace"))
            return Field(key, value, key_span, Span(at + 1, end), sign.decode()), end + 1
    end, quoted = at, False
    stop = min(len(data), at + LIMIT)
    while end < stop:
        letter = data[end : end + 1]
        if letter in b"\r\n" or (not quoted and letter in b",) \t"):
            break
        if quoted and letter == b"\\":
            end += 1
        elif letter == b'"':
            quoted = not quoted
        end += 1
    end = min(end, stop)
    text = data[at:end]
    if quoted:  # A quote that is not closed on its line ends nothing: the value ends as one without quotes would.
        end = at + len(_STOPS.split(text, maxsplit=1)[0])
    return Field(key, _plain(data[at:end].decode("utf-8", "replace")), key_span, Span(at, end)), end


def _plain(text: str) -> str:
    """A value without quotes around it, its backslashes before punctuation taken off; quoted segments stay whole."""
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', text)
    return "".join(piece if number % 2 else _ESCAPE.sub(r"\1", piece) for number, piece in enumerate(pieces))


def _closing(data: bytes, at: int) -> int:
    """Where the quote that opens at `at` closes on its line; -1 where it does not."""
    sign, end = data[at], at + 1
    stop = min(len(data), at + LIMIT)
    while end < stop and data[end] not in b"\r\n":
        if data[end] == 0x5C:
            end += 1
        elif data[end] == sign:
            return end
        end += 1
    return -1


def _ends_line(data: bytes, at: int) -> bool:
    return at >= len(data) or data[at : at + 1] in (b"\n", b"\r")


def _spaces(data: bytes, at: int) -> int:
    while data[at : at + 1] in (b" ", b"\t"):
        at += 1
    return at


def _skipped(data: bytes, at: int) -> int:
    found = _GAP.match(data, at)
    return found.end() if found is not None else at


def _judged(marker: Marker) -> Marker:
    """A marker with the place it names, or with what is wrong."""

    def wrong(problem: str, span: Span) -> Marker:
        return Marker(marker.span, marker.fields, problem=problem, problem_span=span)

    seen: dict[str, Field] = {}
    for field in marker.fields:
        if field.key not in KEYS:
            near = get_close_matches(field.key, KEYS, 1)
            mend = f"did you mean {near[0]}?" if near else f"it takes {', '.join(KEYS)}"
            return wrong(f"a marker has no {field.key!r}; {mend}", field.key_span)
        if field.key in seen:
            return wrong(f"{field.key!r} stands twice in the marker: keep one", field.key_span)
        if not field.value.strip():
            return wrong(f"the {field.key} is empty: write a value after =, or leave it out", field.key_span)
        seen[field.key] = field
    file, symbol = _texts(seen)
    if "symbol" in seen and "file" in seen and file != clean_file(seen["file"].value):
        named = clean_file(seen["file"].value)
        return wrong(f"the symbol is of {file}, the file is {named}: name one file", seen["symbol"].span)
    if not file:
        return wrong("the marker names no file: write file=PATH, relative to the workspace's root", marker.span)
    lines: tuple[int, int] | None = None
    for key in ("line", "lines"):
        if key in seen:
            found = _LINES.fullmatch(seen[key].value.strip())
            if found is None:
                return wrong(f"{seen[key].value[:30]!r} is no line: write line=12 or lines=12-20", seen[key].span)
            first, last = int(found[1]), int(found[2] or found[1])
            if lines is not None:
                return wrong("the marker has line and lines: keep one", seen[key].key_span)
            lines = min(first, last), max(first, last)
    which = None
    if symbol is not None:
        try:
            symbol, which = pick(symbol)
            split_path(symbol)
        except ValueError as error:
            return wrong(str(error), seen["symbol"].span)
        if lines is not None and lines[0] != lines[1]:
            return wrong("a symbol and lines are two places: keep one of them", seen["symbol"].key_span)
    locus = Locus(file, symbol, lines if symbol is None else None)
    try:
        stored_locus(locus)
    except LocusError as error:
        return wrong(str(error), marker.span)
    return Marker(marker.span, marker.fields, locus, which, lines[0] if lines and symbol is not None else None)


def _texts(seen: Mapping[str, Field]) -> tuple[str, str | None]:
    """File and symbol, the file taken from `FILE#SYMBOL` where the symbol is written so."""
    file = clean_file(seen["file"].value) if "file" in seen else ""
    symbol = seen["symbol"].value.strip() if "symbol" in seen else None
    if symbol is not None:
        named, mark, rest = symbol.partition("#")
        if mark and '"' not in named:
            return clean_file(named) or file, rest
    return file, symbol


def clean_file(value: str) -> str:
    """A path as a marker names it: one spelling, `/` between names. What leads outside stays, and is refused later."""
    text = value.strip()
    absolute = text.startswith("/")
    kept = "/".join(part for part in text.split("/") if part not in ("", "."))
    return f"/{kept}" if absolute else kept


def spelt(value: str, quote: str = "") -> str:
    """A value as a marker holds it, in the quote that stands there already, or in one where it needs it."""
    if quote:
        return value.replace("\\", "\\\\").replace(quote, "\\" + quote)
    if re.search(r"[,()\s'\\`]", value) or value.startswith('"'):
        inner = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{inner}'"
    return value
