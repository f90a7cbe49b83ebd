"""The text of one document, its lines and positions, and edits to it.

Knows UTF-8, the line breaks of the LSP specification (`\\n`, `\\r\\n`, `\\r` and nothing else), the three position
encodings and how tree-sitter counts rows. Refuses to know files, documents, languages and LSP's own types.

A `Text` never changes: an edit gives a new one that shares nearly all of its memory with the old one. It is kept in
chunks of whole lines, a few hundred lines each, so an edit copies one chunk and shifts a few lists of chunk positions,
and a look-up is a binary search for the chunk and one inside it.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from lsp_server.core.model import Point

Encoding = Literal["utf-8", "utf-16", "utf-32"]
"""How a client counts the `character` of a position: bytes, UTF-16 code units or code points."""

CHUNK = 8192
"""Bytes in a new chunk, up to its next line end. At 50,000 lines, smaller chunks make longer lists to shift and larger
ones more text to copy and count; of 2 to 32 KiB this was measured as the quickest for edits at the top and below.
"""

READ = 4096
"""Most bytes that `Text.read` answers at once: small pieces let other threads run while tree-sitter parses."""

_STEP = 1 << 16
"""Bytes compared at once in search of a difference: below what the allocator fetches from the system each time."""

_MARK = b"\xef\xbb\xbf"

# The alternatives after the whole characters are the "maximal subparts" of the Unicode Standard, section 3.9: what a
# decoder shows as one U+FFFD. Surrogates in their three-byte form count as characters here.
_CHARACTER = re.compile(
    rb"[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}"
    rb"|\xe0[\xa0-\xbf]|[\xe1-\xef][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]?|[\xf1-\xf3][\x80-\xbf]{1,2}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]?|[\x80-\xff]"
)


@dataclass(frozen=True, slots=True)
class Edit:
    """One replaced range: byte offsets, and the same places as tree-sitter counts: row by `\\n` only, byte column."""

    start_byte: int
    old_end_byte: int
    new_end_byte: int
    start_point: tuple[int, int]
    old_end_point: tuple[int, int]
    new_end_point: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TextChange:
    """One content change as a client sends it: `range` is ((line, character), (line, character)) in the client's units,
    zero-based; None replaces the whole text."""

    range: tuple[tuple[int, int], tuple[int, int]] | None
    text: str


def apply_changes(
    text: Text, changes: Sequence[TextChange], encoding: Encoding
) -> tuple[Text, tuple[Edit, ...] | None]:
    """The text after `changes`, each seen from the text that the one before it left, and the edits in that order.

    The edits are None when one of the changes replaced the whole text. Positions outside of the text are clamped as LSP
    says (past a line's end: before its line break; past the last line: the end of the text), a start after its end is
    swapped. Where a change puts the two halves of a surrogate pair side by side they become one character, as they are
    in the client's text. A whole replacement keeps `bom`, which is about the file.
    """
    edits: list[Edit] = []
    whole = False
    for change in changes:
        new = _encode(change.text)
        if change.range is None:
            text, whole = Text._build(new, text.bom), True
            continue
        start, end = sorted(text.locate(line, units, encoding) for line, units in change.range)
        text, edit = text.replace(*_with_pairs_joined(text, start, end, new))
        edits.append(edit)
    return text, None if whole else tuple(edits)


def diff_edit(old: Text, new: Text) -> Edit:
    """The smallest single edit, in whole characters, that makes `new` of `old`; of equal texts an empty one."""
    before, after = bytes(old), bytes(new)
    shorter = min(len(before), len(after))
    start = _common_prefix(before, after, shorter)
    start -= _bytes_into_character(before, start)
    kept = _common_suffix(before, after, shorter - start)
    # A suffix that begins inside a character gives up that character's rest.
    while kept and _bytes_into_character(before, len(before) - kept):
        kept -= 1
    old_end, new_end = len(before) - kept, len(after) - kept
    return Edit(start, old_end, new_end, old.tree_point(start), old.tree_point(old_end), new.tree_point(new_end))


def to_units(line: bytes, column: int, encoding: Encoding) -> int:
    """The `character` of byte `column` in `line`, in units of `encoding`.

    A column inside a character counts as the character's start, one past the end of the line or inside its line break
    as the place before the line break. Bytes that are no UTF-8 count as the U+FFFD that an editor shows for them.
    """
    column = max(0, min(column, _content_length(line)))
    prefix = line[:column]
    if prefix.isascii():
        return column
    try:
        line.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return _walk(line, column, None, encoding)[1]
    prefix = prefix[: column - _bytes_into_character(line, column)]
    if encoding == "utf-8":
        return len(prefix)
    characters = prefix.decode("utf-8", "surrogatepass")
    return len(characters) if encoding == "utf-32" else len(characters.encode("utf-16-le", "surrogatepass")) // 2


def from_units(line: bytes, units: int, encoding: Encoding) -> int:
    """The byte column in `line` of `character` `units` counted in `encoding`.

    A place inside a character (in UTF-16: between its surrogates) clamps to the character's start, one past the end to
    the place before the line break.
    """
    length = _content_length(line)
    units = max(0, units)
    head = line[: min(units, length)]
    if head.isascii():
        return len(head)
    content = line[:length]
    try:
        characters = content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return _walk(content, None, units, encoding)[0]
    if encoding == "utf-8":
        return len(head) - _bytes_into_character(content, len(head))
    if encoding == "utf-32":
        return len(characters[:units].encode("utf-8", "surrogatepass"))
    try:
        wide = characters.encode("utf-16-le")
    except UnicodeEncodeError:
        # Surrogates that stand side by side would become one character on the way back from UTF-16.
        return _walk(content, None, units, encoding)[0]
    if wide[2 * units + 1 : 2 * units + 2] and 0xDC <= wide[2 * units + 1] <= 0xDF:
        units -= 1
    return len(wide[: 2 * units].decode("utf-16-le").encode("utf-8"))


class Text:
    """The text of one document as UTF-8 bytes, lines counted from 0 by LSP's line breaks. Never changes.

    Lone surrogates are kept in their three-byte form, bytes that are no UTF-8 as they are. Two texts are equal when
    their bytes are; `bom` takes no part, so that a buffer equals the file that it was loaded from. An empty text is
    false: ask `is None`, not truth.

    `bom` remembers that the bytes of a file began with a byte order mark, which is dropped, as editors drop it. An
    editor's own text (a str) that begins with U+FEFF keeps it, because the client's positions count it:
    `content_start` is then 3. tree-sitter skips such a mark by itself and leaves offsets alone; whoever hashes or shows
    the text begins there.
    """

    __slots__ = (
        "_chunks",
        "_length",
        "_line_bases",
        "_line_breaks",
        "_row_bases",
        "_rows",
        "_sha256",
        "_starts",
        "bom",
    )

    bom: bool
    _chunks: list[_Chunk]
    # The bytes, LSP line breaks and "\n"s before each chunk. Lists are shared between texts, hence never changed.
    _starts: list[int]
    _line_bases: list[int]
    _row_bases: list[int]
    _length: int
    _line_breaks: int
    _rows: int
    _sha256: str | None

    @staticmethod
    def of(data: str | bytes) -> Text:
        """The text of `data`. Of bytes, one leading UTF-8 byte order mark is dropped and remembered in `bom`."""
        if isinstance(data, str):
            return Text._build(_encode(data), False)
        return Text._build(data.removeprefix(_MARK), data.startswith(_MARK))

    @staticmethod
    def _build(data: bytes, bom: bool) -> Text:
        chunks = _split(data) or [_Chunk(b"")]
        starts = list(accumulate((len(chunk.data) for chunk in chunks), initial=0))
        lines = list(accumulate((chunk.line_breaks for chunk in chunks), initial=0))
        rows = list(accumulate((chunk.rows for chunk in chunks), initial=0))
        return Text._assemble(chunks, (starts.pop(), starts), (lines.pop(), lines), (rows.pop(), rows), bom)

    @staticmethod
    def _assemble(
        chunks: list[_Chunk],
        bytes_: tuple[int, list[int]],
        lines: tuple[int, list[int]],
        rows: tuple[int, list[int]],
        bom: bool,
    ) -> Text:
        text = Text.__new__(Text)
        text._chunks = chunks
        text._length, text._starts = bytes_
        text._line_breaks, text._line_bases = lines
        text._rows, text._row_bases = rows
        text._sha256 = None
        text.bom = bom
        return text

    def __bytes__(self) -> bytes:
        chunks = self._chunks
        return chunks[0].data if len(chunks) == 1 else b"".join([chunk.data for chunk in chunks])

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        if self is other:
            return True
        return self._length == other._length and (self._chunks == other._chunks or bytes(self) == bytes(other))

    def __hash__(self) -> int:
        return hash(self.sha256())

    def __repr__(self) -> str:
        return f"<Text {self._length} bytes, {self.line_count} lines, {self.slice(0, 32)!r}>"

    @property
    def line_count(self) -> int:
        """Number of lines, at least 1: what follows the last line break is a line even where it is empty."""
        return self._line_breaks + 1

    @property
    def content_start(self) -> int:
        """3 where the text itself begins with U+FEFF, else 0: the offset from which it is content."""
        return len(_MARK) if self.slice(0, len(_MARK)) == _MARK else 0

    def sha256(self) -> str:
        """Lower-case hex SHA-256 of the bytes, without a byte order mark that was dropped. Kept once computed."""
        if self._sha256 is None:
            digest = hashlib.sha256()
            for chunk in self._chunks:
                digest.update(chunk.data)
            self._sha256 = digest.hexdigest()
        return self._sha256

    def holds(self, needle: bytes) -> bool:
        """Whether some bytes stand in the text, which hold no line break. Asked again after an edit, it costs what was
        edited: a chunk remembers what it was asked for."""
        return any([chunk.holds(needle) for chunk in self._chunks])

    @property
    def is_utf8(self) -> bool:
        """Whether the bytes are strict UTF-8, without half surrogates. Asked again, it costs what was edited."""
        return all([chunk.is_utf8() for chunk in self._chunks])

    def line(self, index: int) -> bytes:
        """Line `index` with its line break, if it has one. Raises IndexError where there is no such line."""
        if not 0 <= index <= self._line_breaks:
            raise IndexError(f"line {index} of a text of {self.line_count} lines")
        chunk, start, end, _ = self._find_line(index)
        return chunk.data[start:end]

    def slice(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, both clamped to the text."""
        start, end = max(0, start), min(end, self._length)
        if start >= end:
            return b""
        first, last = self._chunk_at(start), self._chunk_at(end - 1)
        base = self._starts[first]
        if first == last:
            return self._chunks[first].data[start - base : end - base]
        joined = b"".join([chunk.data for chunk in self._chunks[first : last + 1]])
        return joined[start - base : end - base]

    def read(self, offset: int, _point: object = None, /) -> bytes:
        """Some bytes from `offset` on, b"" at the end. Fit to be tree-sitter's read callback."""
        if not 0 <= offset < self._length:
            return b""
        index = self._chunk_at(offset)
        local = offset - self._starts[index]
        return self._chunks[index].data[local : local + READ]

    def point(self, offset: int) -> Point:
        """Line and byte column of `offset`, clamped to the text. An offset inside `\\r\\n` is on the line it ends."""
        offset = max(0, min(offset, self._length))
        index = self._chunk_at(offset)
        local = offset - self._starts[index]
        ends = self._chunks[index].line_ends()
        line = bisect_right(ends, local)
        return Point(self._line_bases[index] + line, local - (ends[line - 1] if line else 0))

    def offset(self, point: Point) -> int:
        """Byte offset of `point`, clamped: a column past the line's end is before its line break, a line past the last
        one is the end of the text, what is negative is 0. A column inside a character stays there."""
        if point.line < 0:
            return 0
        if point.line > self._line_breaks:
            return self._length
        chunk, start, end, base = self._find_line(point.line)
        return base + start + max(0, min(point.column, _content_length(chunk.data[start:end])))

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Line and `character` (in units of `encoding`) of byte `offset`, for a client; clamped like `to_units`."""
        point = self.point(offset)
        return point.line, to_units(self.line(point.line), point.column, encoding)

    def locate(self, line: int, units: int, encoding: Encoding) -> int:
        """Byte offset of a client's position, `position` turned round; clamped like `offset` and `from_units`."""
        if line < 0:
            return 0
        if line > self._line_breaks:
            return self._length
        chunk, start, end, base = self._find_line(line)
        return base + start + from_units(chunk.data[start:end], units, encoding)

    def tree_point(self, offset: int) -> tuple[int, int]:
        """Row and byte column of `offset` (clamped) as tree-sitter counts them: only `\\n` begins a row."""
        offset = max(0, min(offset, self._length))
        index = self._chunk_at(offset)
        start = self._starts[index]
        data = self._chunks[index].data
        row = self._row_bases[index] + data.count(b"\n", 0, offset - start)
        last = data.rfind(b"\n", 0, offset - start)
        while last < 0 and index:
            # Only a file of lone "\r"s has whole chunks without "\n".
            index -= 1
            start = self._starts[index]
            last = self._chunks[index].data.rfind(b"\n")
        return row, offset - start - last - 1

    def replace(self, start: int, end: int, new: bytes) -> tuple[Text, Edit]:
        """The text with bytes `start` to `end` replaced by `new` (`bom` stays), and the edit that it was.

        Raises ValueError unless 0 <= start <= end <= len(text).
        """
        if not 0 <= start <= end <= self._length:
            raise ValueError(f"no range {start} to {end} in a text of {self._length} bytes")
        chunks, starts = self._chunks, self._starts
        first, last = self._chunk_at(start), self._chunk_at(end)
        joined = chunks[first].data[: start - starts[first]] + new + chunks[last].data[end - starts[last] :]

        # What is joined ends as its last chunk ended, so the next one is still parted from it at a line end. But at its
        # start a "\n" may now meet the "\r" before it. A neighbour is also taken in where chunks would become many.
        while last + 1 < len(chunks) and len(joined) < CHUNK // 4:
            last += 1
            joined += chunks[last].data
        while first and (len(joined) < CHUNK // 4 or (joined[:1] == b"\n" and chunks[first - 1].data[-1:] == b"\r")):
            first -= 1
            joined = chunks[first].data + joined

        fresh = _split(joined)
        if not fresh and len(chunks) == last - first + 1:
            fresh = [_Chunk(b"")]
        if first == last and len(fresh) == 1:
            fresh[0].take_line_ends(chunks[first], start - starts[first], end - starts[first], new)
        text = Text._assemble(
            [*chunks[:first], *fresh, *chunks[last + 1 :]],
            _rebase(self._length, starts, first, last, [len(chunk.data) for chunk in fresh]),
            _rebase(self._line_breaks, self._line_bases, first, last, [chunk.line_breaks for chunk in fresh]),
            _rebase(self._rows, self._row_bases, first, last, [chunk.rows for chunk in fresh]),
            self.bom,
        )
        new_end = start + len(new)
        return text, Edit(start, end, new_end, self.tree_point(start), self.tree_point(end), text.tree_point(new_end))

    def _chunk_at(self, offset: int) -> int:
        """Index of the chunk that holds `offset`: where two meet the later one, at the end of the text the last one."""
        return bisect_right(self._starts, offset) - 1

    def _find_line(self, index: int) -> tuple[_Chunk, int, int, int]:
        """The chunk of an existing line, the line's start and end in it, and the chunk's offset in the text."""
        position = bisect_right(self._line_bases, index) - 1
        chunk = self._chunks[position]
        ends = chunk.line_ends()
        local = index - self._line_bases[position]
        start = ends[local - 1] if local else 0
        end = ends[local] if local < len(ends) else len(chunk.data)
        return chunk, start, end, self._starts[position]


class _Chunk:
    """Some whole lines of a text. Only the last chunk may end without a line break, only the sole one may be empty."""

    __slots__ = ("_holds", "_line_ends", "_utf8", "data", "line_breaks", "rows")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.rows = data.count(b"\n")
        self.line_breaks = self.rows
        if b"\r" in data:
            self.line_breaks += data.count(b"\r") - data.count(b"\r\n")
        self._line_ends: list[int] | None = None
        self._holds: dict[bytes, bool] | None = None
        self._utf8: bool | None = None

    def is_utf8(self) -> bool:
        """Whether it is strict UTF-8. No character goes over its end, since its lines are whole."""
        if self._utf8 is None:
            try:
                self.data.decode("utf-8")
                self._utf8 = True
            except UnicodeDecodeError:
                self._utf8 = False
        return self._utf8

    def holds(self, needle: bytes) -> bool:
        """Whether some bytes stand in it. Those of one line cannot go over its end, since its lines are whole."""
        known = self._holds
        if known is None:
            known = self._holds = {}
        found = known.get(needle)
        if found is None:
            found = known[needle] = needle in self.data
        return found

    def take_line_ends(self, before: _Chunk, start: int, end: int, new: bytes) -> None:
        """Take the line ends of the chunk that this one was before `new` came in place of bytes `start` to `end`, where
        no line break took part: counting them again is most of what a key costs."""
        ends = before._line_ends
        if ends is None or self.line_breaks != before.line_breaks or b"\n" in new or b"\r" in new:
            return
        at = bisect_right(ends, start)
        if at < len(ends) and ends[at] <= end:
            return  # A line break was removed, and another one came to be.
        grown = len(new) - (end - start)
        self._line_ends = [*ends[:at], *[offset + grown for offset in ends[at:]]]

    def line_ends(self) -> list[int]:
        """The offset after each line break, computed when first asked for."""
        ends = self._line_ends
        if ends is None:
            # Unlike str.splitlines, bytes.splitlines knows just the line breaks of LSP.
            ends = list(accumulate(map(len, self.data.splitlines(keepends=True))))
            del ends[self.line_breaks :]
            self._line_ends = ends
        return ends


def _split(data: bytes) -> list[_Chunk]:
    """Chunks of about CHUNK bytes, none for no data. Up to twice that stays whole, so that typing seldom splits."""
    chunks = []
    start = 0
    breaks = {mark: -1 for mark in (b"\n", b"\r") if mark in data}
    while breaks and len(data) - start > 2 * CHUNK:
        # The next line break of each sort is remembered, so that one that is rare is not searched for again and again.
        wanted = start + CHUNK
        for mark, found in tuple(breaks.items()):
            if found < wanted:
                breaks[mark] = data.find(mark, wanted)
                if breaks[mark] < 0:
                    del breaks[mark]
        if not breaks:
            break
        end = min(breaks.values()) + 1
        if data[end - 1 : end + 1] == b"\r\n":
            end += 1
        chunks.append(_Chunk(data[start:end]))
        start = end
    if start < len(data):
        chunks.append(_Chunk(data[start:] if start else data))
    return chunks


def _rebase(total: int, bases: list[int], first: int, last: int, sizes: list[int]) -> tuple[int, list[int]]:
    """The new total and bases after the chunks from `first` to `last` gave way to chunks of `sizes`."""
    fresh = list(accumulate(sizes, initial=bases[first]))
    tail = fresh.pop()
    delta = tail - (bases[last + 1] if last + 1 < len(bases) else total)
    if delta == 0 and len(fresh) == last - first + 1 == 1:
        return total, bases
    moved = bases[last + 1 :] if delta == 0 else [base + delta for base in bases[last + 1 :]]
    return total + delta, [*bases[:first], *fresh, *moved]


def _encode(text: str) -> bytes:
    """UTF-8 with lone surrogates kept; two surrogates that make a pair become the character that they are."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        wide = text.encode("utf-16-le", "surrogatepass")
        return wide.decode("utf-16-le", "surrogatepass").encode("utf-8", "surrogatepass")


def _with_pairs_joined(text: Text, start: int, end: int, new: bytes) -> tuple[int, int, bytes]:
    """The replacement, widened over lone surrogates beside it that it makes half of a pair: one character then."""
    before = text.slice(start - 3, start)
    after = text.slice(end, end + 3)
    if not (_is_surrogate(before, 0xA0) or _is_surrogate(after, 0xB0)):
        return start, end, new
    left, right = (new[:3], new[-3:]) if new else (after, before)
    if _is_surrogate(before, 0xA0) and _is_surrogate(left, 0xB0):
        start -= 3
        new = before + new
    if _is_surrogate(right, 0xA0) and _is_surrogate(after, 0xB0):
        end += 3
        new += after
    return start, end, _encode(new.decode("utf-8", "surrogatepass"))


def _is_surrogate(sequence: bytes, half: int) -> bool:
    """Whether three bytes are a high (`half` 0xA0) or low (0xB0) surrogate: U+D800..U+DBFF, U+DC00..U+DFFF."""
    return len(sequence) == 3 and sequence[0] == 0xED and sequence[1] & 0xF0 == half


def _content_length(line: bytes) -> int:
    """Length of a line without its line break."""
    if line.endswith(b"\r\n"):
        return len(line) - 2
    return len(line) - 1 if line.endswith((b"\n", b"\r")) else len(line)


def _bytes_into_character(data: bytes, offset: int) -> int:
    """How many bytes `offset` is past its character's start, if `data` is UTF-8 there; at most 3."""
    back = 0
    while back < 3 and back < offset < len(data) and data[offset - back] & 0xC0 == 0x80:
        back += 1
    return back


def _walk(line: bytes, column: int | None, units: int | None, encoding: Encoding) -> tuple[int, int]:
    """The start (byte column, units) of the character of `line` that holds byte `column`, or that holds unit `units`.

    The slow way, a character at a time, for lines that are no UTF-8 or hold surrogates.
    """
    at = counted = 0
    for found in _CHARACTER.finditer(line):
        size = found.end() - at
        width = size if encoding == "utf-8" else 2 if encoding == "utf-16" and line[at] >= 0xF0 and size == 4 else 1
        if (column is not None and at + size > column) or (units is not None and counted + width > units):
            break
        at += size
        counted += width
    return at, counted


def _common_prefix(one: bytes, other: bytes, limit: int) -> int:
    """Length of the common prefix, at most `limit`. Whole steps while they are equal, then ever smaller ones."""
    done, step = 0, _STEP
    while step:
        if done + step <= limit and one[done : done + step] == other[done : done + step]:
            done += step
        else:
            step //= 2
    return done


def _common_suffix(one: bytes, other: bytes, limit: int) -> int:
    """Length of the common suffix, at most `limit`, in the same way."""
    done, step = 0, _STEP
    a, b = len(one), len(other)
    while step:
        if done + step <= limit and one[a - done - step : a - done] == other[b - done - step : b - done]:
            done += step
        else:
            step //= 2
    return done
