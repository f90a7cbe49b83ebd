"""The pieces that a definition is made of, by name: parameters, decorators, fields, its other parts, its body.

Knows how to find and to show them, in any language, from fields and node types that grammars share. Refuses to judge:
whether two definitions differ is told by their fingerprints, and this only serves to say in what.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from lsp_server.core.canonical import canonical
from lsp_server.core.definitions import CALLABLES, CONTAINERS
from lsp_server.core.fingerprint import CUT, code_of, digest, parts_of
from lsp_server.core.model import Symbol
from lsp_server.core.source import Source
from lsp_server.core.style import style_for

SHOWN = 48
"""Characters of a piece that are shown at most; a longer one is only named."""

MOST = 200
"""Parameters, or fields, of one definition that are told apart."""

PARAMETERS, DECORATORS = "parameters", ("decorators", "attributes")


class Piece(NamedTuple):
    """One piece: what kind of thing it is, its text on one line, its default or value (or ""), and its type (or "").
    `code` is equal where the pieces say the same."""

    sort: str
    text: str
    value: str = ""
    type: str = ""
    code: str = ""


class Pieces(NamedTuple):
    """The pieces of one definition, by name and in text order. `header` is all text before the body, on one line;
    `body` the body's or value's text."""

    parameters: dict[str, Piece]
    decorators: list[Piece]
    fields: dict[str, Piece]
    parts: dict[str, str]
    header: str
    body: str


def pieces_of(source: Source, symbol: Symbol) -> Pieces:
    """What a symbol is made of."""
    parameters: dict[str, Piece] = {}
    decorators: list[Piece] = []
    parts: dict[str, str] = {}
    for (start, end), label in parts_of(source, symbol):
        text = one_line(source, start, end)
        if label == PARAMETERS:
            for name, piece in _parameters(source, start, end):
                parameters.setdefault(name, piece)
        elif label in DECORATORS:
            node = _node(source, start, end)
            decorators.append(Piece("decorator", text, code=_said(source, node) if node is not None else text))
        else:
            parts[label] = f"{parts[label]} {text}" if label in parts else text
    body = source.text.slice(*symbol.body) if source.text is not None and symbol.body is not None else b""
    return Pieces(
        parameters,
        decorators,
        dict(_fields(source, symbol)) if symbol.container else {},
        parts,
        one_line(source, symbol.start, symbol.body[0] if symbol.body is not None else symbol.end),
        body.decode("utf-8", "replace"),
    )


def one_line(source: Source, start: int, end: int) -> str:
    """A stretch of text with every white space as one space."""
    assert source.text is not None
    return " ".join(source.text.slice(start, end).decode("utf-8", "replace").split())


def shown(text: str) -> str:
    """A piece's text where it is short enough to be shown, else ""."""
    return text if text.isprintable() and len(text) <= SHOWN else ""


def _parameters(source: Source, start: int, end: int) -> Iterator[tuple[str, Piece]]:
    node = _node(source, start, end)
    if node is None:
        return
    listed = [child for child in node.named_children if not child.is_extra]
    if node.start_byte != start or node.end_byte != end or not listed:
        # Some grammars give a lone parameter no brackets of its own.
        listed = [node]
    for child in listed[:MOST]:
        name = _name(source, child)
        if name:
            text, type_ = one_line(source, child.start_byte, child.end_byte), _field(source, child, ("type",))
            yield name, Piece("parameter", text, _field(source, child, _VALUES), type_, _said(source, child))


def _node(source: Source, start: int, end: int) -> Node | None:
    return source.tree.root_node.descendant_for_byte_range(start, end) if source.tree is not None else None


def _said(source: Source, node: Node) -> str:
    """What a node says, style left out."""
    assert source.text is not None and source.language is not None
    text = source.text.slice(node.start_byte, node.end_byte).decode("latin-1")
    return digest(canonical([node], text, node.start_byte, style_for(source.language.style_table)).items)


_NAMES = ("name", "pattern", "declarator", "left")
_VALUES = ("value", "default_value", "default", "right")


def _name(source: Source, node: Node) -> str:
    """The name of a parameter; of several with one type all, as `a, b`."""
    names = node.children_by_field_name("name")
    if names:
        return ", ".join(one_line(source, name.start_byte, name.end_byte) for name in names)
    for field in _NAMES[1:]:
        found = node.child_by_field_name(field)
        if found is not None:
            return _name(source, found)
    first = node
    while first.child_count:
        inner = [child for child in first.named_children if not child.is_extra]
        if not inner:
            return ""
        first = next((child for child in inner if "identifier" in child.type), inner[0])
    return one_line(source, first.start_byte, first.end_byte) if first.is_named else ""


def _field(source: Source, node: Node, names: tuple[str, ...]) -> str:
    for name in names:
        found = node.child_by_field_name(name)
        if found is not None:
            return one_line(source, found.start_byte, found.end_byte).removeprefix(":").strip()
    return ""


def _fields(source: Source, symbol: Symbol) -> Iterator[tuple[str, Piece]]:
    """The members of a container that are part of its own code: fields, constants, variants."""
    assert source.outline is not None
    times: dict[str, int] = {}
    for child in source.outline.children(symbol):
        if child.kind in CALLABLES or child.kind in CONTAINERS or child.container or len(times) >= MOST:
            continue
        times[child.name] = times.get(child.name, 0) + 1
        name = child.name if times[child.name] == 1 else f"{child.name}[{times[child.name]}]"
        value = one_line(source, *child.body) if child.body is not None else ""
        text = one_line(source, child.start, child.end)
        yield name, Piece(child.kind, text, value, "", code_of(source, child).code[:CUT])
