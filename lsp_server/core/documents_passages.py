"""The passages of a Markdown text: for each marker what a reader would call the text that it stands in.

- A marker in a paragraph with other words: that paragraph; inside a list, the whole item with what is below it.
- In a heading: the section, down to the next heading of its level or a higher one.
- In a row of a table: that row under the table's header.
- Alone in its block (often in an HTML comment): right below a heading, that section; below another block, that block;
  at the top of the text or in its front matter, the whole text. A section that holds nothing but its heading and
  markers stands for the section around it.

Knows blocks of Markdown; refuses to know memories. The words of a passage are given without its markers, so that
adding a second one edits nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from tree_sitter import Node

from lsp_server.core.documents import Marker, is_document, markers_of
from lsp_server.core.ids import normal_body
from lsp_server.core.model import Span
from lsp_server.core.source import Source

_HEADINGS = ("atx_heading", "setext_heading")
_METADATA = ("minus_metadata", "plus_metadata")
_ROWS = ("pipe_table_row", "pipe_table_header")
_LEVEL = re.compile(r"(?:atx|setext)_h([1-6])_")
_BULLET = re.compile(rb"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_QUOTE = re.compile(r"[ ]{0,3}> ?")
_WORDS = re.compile(rb"[^\W_]|[\x80-\xff]")
_SIGNS = re.compile(r"[ \t>]*(?:[-+*#]+|[0-9]{1,9}[.)])?[ \t]*$")
"""What is left of a line that held nothing but a marker: a bullet, a quote sign."""
_HOLE = "\0"


@dataclass(frozen=True, slots=True)
class Passage:
    """A marker that names a place, with the bytes of the passage that it stands in and the passage's words. `line`
    (from 1) is the marker's."""

    marker: Marker
    span: Span
    body: str
    line: int


def passages_of(source: Source, markers: tuple[Marker, ...] | None = None) -> tuple[Passage, ...]:
    """The passage of every marker that names a place, in text order; none for a text that is no Markdown.

    `markers` are those of the source, where they are known already.
    """
    if not is_document(source) or source.text is None or source.tree is None:
        return ()
    markers = markers if markers is not None else markers_of(source)
    if not markers:
        return ()
    text = source.text
    page = _Page(bytes(text), source.tree.root_node, markers)
    return tuple(
        Passage(one, *page.passage(one), text.point(one.span.start).line + 1)
        for one in markers
        if one.locus is not None
    )


class _Page:
    """One text while its passages are found."""

    def __init__(self, data: bytes, root: Node, markers: tuple[Marker, ...]) -> None:
        self.data = data
        self.root = root
        self.markers = markers
        self._starts = [one.span.start for one in markers]
        self.headings = _headings(root)
        self._bodies: dict[tuple[int, int], str] = {}

    def passage(self, marker: Marker) -> tuple[Span, str]:
        span = self.span(marker.span.start)
        key = span.start, span.end
        if key not in self._bodies:
            self._bodies[key] = self.body(span)
        return span, self._bodies[key]

    def span(self, offset: int) -> Span:
        """The bytes of the passage that stands around an offset."""
        block = self.block(offset)
        if block is None or block.type in _METADATA:
            return self.whole()
        if block.type in _HEADINGS and any(block.start_byte == start for start, _, _ in self.headings):
            return self.section(block.start_byte)
        if self.says(block.start_byte, block.end_byte) and block.type != "link_reference_definition":
            return self.trimmed(block.start_byte, block.end_byte)
        return self.beside(block)

    def block(self, offset: int) -> Node | None:
        """The innermost block at an offset that a reader takes for one: an item, a row, a heading, a paragraph."""
        node: Node | None = self.root.descendant_for_byte_range(offset, offset + 1)
        found = None
        while node is not None and node.type not in ("section", "document"):
            if node.type == "list_item" or node.type in _ROWS or node.type in _HEADINGS:
                return node
            if found is None and node.type in ("paragraph", "html_block", "link_reference_definition", *_METADATA):
                found = node
            node = node.parent
        return found

    def beside(self, block: Node) -> Span:
        """The passage of markers that are alone in their block: what stands above it."""
        outer = block
        while outer.parent is not None and outer.parent.type not in ("section", "document"):
            outer = outer.parent
        above = self.above(outer)
        while above is not None and above.type not in _HEADINGS:
            if above.type not in _METADATA and self.says(above.start_byte, above.end_byte):
                return self.trimmed(above.start_byte, above.end_byte)
            above = self.above(above)
        if above is None:
            return self.whole()
        return self.section(above.start_byte)

    def above(self, node: Node) -> Node | None:
        """The block before another one: its sibling, else the one before its section, whose last block that is."""
        before = node.prev_sibling
        if before is None:
            parent = node.parent
            return self.above(parent) if parent is not None and parent.type == "section" else None
        while before.type == "section" and before.child_count:
            last = before.child(before.child_count - 1)
            assert last is not None
            before = last
        return before

    def section(self, start: int) -> Span:
        """The section of the heading that begins at `start`; where it says nothing, the one around it."""
        number = next(at for at, heading in enumerate(self.headings) if heading[0] == start)
        _, after, level = self.headings[number]
        end = next((one for one, _, other in self.headings[number + 1 :] if other <= level), len(self.data))
        if self.says(after, end):
            return self.trimmed(start, end)
        outer = next((one for one, _, other in reversed(self.headings[:number]) if other < level), None)
        return self.section(outer) if outer is not None else self.whole()

    def whole(self) -> Span:
        """The whole text less its front matter."""
        first = self.root.child(0)
        start = first.end_byte if first is not None and first.type in _METADATA else 0
        return self.trimmed(start, len(self.data))

    def trimmed(self, start: int, end: int) -> Span:
        """Without the white space at both ends."""
        piece = self.data[start:end]
        return (
            Span(start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip()))
            if piece.strip()
            else Span(start, end)
        )

    def says(self, start: int, end: int) -> bool:
        """Whether anything but markers and signs stands between two offsets."""
        return _WORDS.search(self.bare(start, end).replace(b"\0", b"")) is not None

    def bare(self, start: int, end: int) -> bytes:
        """The bytes between two offsets with a NUL in place of each marker, and of a comment that held only markers."""
        pieces, at = [], start
        # Markers come in text order. This is asked of each one's block, so each call may look at the block's alone.
        for marker in self.markers[bisect_left(self._starts, start) : bisect_left(self._starts, end)]:
            if at <= marker.span.start and marker.span.end <= end:
                pieces.append(self.data[at : marker.span.start].replace(b"\0", b""))
                at = marker.span.end
        pieces.append(self.data[at:end].replace(b"\0", b""))
        return re.sub(rb"<!--[\s\0]*-->", lambda found: b"\0" if b"\0" in found[0] else found[0], b"\0".join(pieces))

    def body(self, span: Span) -> str:
        """The words of a passage: no markers, no list bullet, no quote signs, no indentation of where it stood."""
        begin = max(self.data.rfind(b"\n", 0, span.start), self.data.rfind(b"\r", 0, span.start)) + 1
        text = self.bare(span.start, span.end).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
        lead = self.data[begin : span.start].decode("utf-8", "replace")
        bullet = _BULLET.match(self.data, span.start, span.end)
        if bullet is not None and self.is_item(span.start):
            text = text[bullet.end() - span.start :]
            lead += " " * (bullet.end() - span.start)
        first, *rest = text.split("\n")
        quotes = lead.count(">")
        width = len(_after_quotes(lead, quotes))
        lines = [first]
        for line in rest:
            line = _after_quotes(line, quotes)
            spaces = len(line) - len(line.lstrip(" "))
            lines.append(line[min(spaces, width) :])
        shown = self.header(span.start)
        gone = False
        for line in lines:
            left = _mended(line)
            if left is not None and (left.strip() or not gone or (shown and shown[-1].strip())):
                shown.append(left)
            gone = left is None or (gone and not left.strip())
        return normal_body("\n".join(shown))

    def is_item(self, offset: int) -> bool:
        node: Node | None = self.root.descendant_for_byte_range(offset, offset + 1)
        while node is not None and node.type != "list_item":
            node = node.parent
        return (
            node is not None
            and _BULLET.match(self.data, node.start_byte) is not None
            and (self.trimmed(node.start_byte, node.end_byte).start == offset)
        )

    def header(self, offset: int) -> list[str]:
        """The header and the rule of the table whose row begins at an offset."""
        node: Node | None = self.root.descendant_for_byte_range(offset, offset + 1)
        while node is not None and node.type != "pipe_table_row":
            node = node.parent
        if node is None or node.start_byte != offset or node.parent is None:
            return []
        table = node.parent
        wanted = [one for one in table.children if one.type in ("pipe_table_header", "pipe_table_delimiter_row")]
        return [
            self.bare(one.start_byte, one.end_byte).decode("utf-8", "replace").replace(_HOLE, "").rstrip()
            for one in wanted
        ]


def _headings(root: Node) -> list[tuple[int, int, int]]:
    """Begin, end and level of every heading that makes a section, in text order."""
    found = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for child in node.children:
            if child.type == "section":
                waiting.append(child)
            elif child.type in _HEADINGS:
                level = next((int(match[1]) for one in child.children if (match := _LEVEL.match(one.type))), 1)
                found.append((child.start_byte, child.end_byte, level))
    return sorted(found)


def _after_quotes(line: str, quotes: int) -> str:
    for _ in range(quotes):
        match = _QUOTE.match(line)
        if match is None:
            break
        line = line[match.end() :]
    return line


def _mended(line: str) -> str | None:
    """A line with its markers gone, and the spaces that stood around them; None where nothing else was on it."""
    if _HOLE not in line:
        return line
    line = re.sub(rf"^([ \t]*)(?:{_HOLE}[ \t]*)+", r"\1", line)
    left = re.sub(rf"[ \t]*{_HOLE}(?=[\s,.;:!?)\]{_HOLE}]|$)|{_HOLE}[ \t]*", "", line)
    return left.rstrip() if _SIGNS.sub("", left, count=1).strip() else None
