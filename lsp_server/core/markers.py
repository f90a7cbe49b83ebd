"""`MEMORY(kind): text` comments in code: where they are, what they say, and which symbol they speak of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tree_sitter import Node

from lsp_server.core.model import Span, Symbol
from lsp_server.core.source import Source

MARKER = re.compile(rb"\bMEMORY\(([a-z]+)\):[ \t]*")
LEADERS = re.compile(r"^\s*(?://[/!]?|#+!?|--+|;+|%+|/\*+!?|\*(?!/)|\(\*)?[ \t]?")
TRAILERS = re.compile(r"\s*(?:\*+/|\*\))\s*$")


@dataclass(frozen=True, slots=True)
class LiftedComment:
    """One marker comment: its kind and text, the bytes of the comment, the whole lines it takes up, and its symbol."""

    kind: str
    text: str
    span: Span
    lines: Span
    symbol: Symbol | None


def memory_comments(source: Source) -> list[LiftedComment]:
    """Every `MEMORY(kind): text` comment of a source in text order; none where no grammar says what is a comment.

    A comment goes on over the line comments right below it. It speaks of the symbol that starts right after it, else
    of the symbol it stands in.
    """
    if source.text is None or source.tree is None:
        return []
    data = bytes(source.text)
    found = []
    for match in MARKER.finditer(data):
        node = source.tree.root_node.descendant_for_byte_range(match.start(), match.end())
        while node is not None and "comment" not in node.type:
            node = node.parent
        if node is None:
            continue
        start, end = node.start_byte, node.end_byte
        following = node.next_sibling
        while following is not None and goes_on(data, start, end, following):
            end, following = following.end_byte, following.next_sibling
        text = clean(data[match.end() : end].decode("utf-8", "replace"))
        if text:
            span = Span(start, end)
            lines, symbol = whole_lines(data, span), spoken_of(source, span, following)
            found.append(LiftedComment(match[1].decode(), text, span, lines, symbol))
    return found


def goes_on(data: bytes, start: int, end: int, following: Node) -> bool:
    """Whether a line comment goes on in a node: one of the same sort, alone on the next line, without a marker."""
    sign = data[start : start + 2]
    if (
        sign in (b"/*", b"(*", b"{-")
        or data[following.start_byte : following.start_byte + len(sign.strip())] != sign.strip()
    ):
        return False
    if "comment" not in following.type or MARKER.search(data, following.start_byte, following.end_byte):
        return False
    between = data[end : following.start_byte]
    return between.count(b"\n") == 1 and not between.strip() and starts_line(data, following.start_byte)


def starts_line(data: bytes, offset: int) -> bool:
    line = data.rfind(b"\n", 0, offset) + 1
    return not data[line:offset].strip()


def clean(raw: str) -> str:
    """The words of a comment without its comment signs, its lines kept."""
    first, *rest = TRAILERS.sub("", raw).split("\n")
    return "\n".join([first.strip(), *(LEADERS.sub("", line).rstrip() for line in rest)]).strip()


def whole_lines(data: bytes, span: Span) -> Span:
    """The whole lines of a comment that stands alone on them; else the comment and the space before it."""
    begin = data.rfind(b"\n", 0, span.start) + 1
    stop = data.find(b"\n", span.end)
    stop = len(data) if stop < 0 else stop + 1
    if data[begin : span.start].strip() or data[span.end : stop].strip():
        start = span.start
        while start > begin and data[start - 1 : start] in (b" ", b"\t"):
            start -= 1
        return Span(start, span.end)
    return Span(begin, stop)


def spoken_of(source: Source, span: Span, following: Node | None) -> Symbol | None:
    """The first symbol of what comes right after a comment, other comments passed over; else the symbol around it."""
    outline = source.outline
    if outline is None:
        return None
    while following is not None and "comment" in following.type:
        following = following.next_sibling
    if following is not None:
        inside = [one for one in outline.symbols if following.start_byte <= one.start < following.end_byte]
        if inside:
            return min(inside, key=lambda symbol: (symbol.start, -symbol.end))
    return outline.at(span.start)
