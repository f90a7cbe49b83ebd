"""What is broken in a text's syntax, and what that may hide.

A grammar does not understand everything that compiles (Rust's old `try!`, C's macros), so an error is only news where
it was not there when the code was accepted: errors are known again by their own text. Refuses to know verdicts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import NamedTuple

from lsp_server.core.definitions import CONTAINERS
from lsp_server.core.model import Symbol
from lsp_server.core.source import Source

MOST = 64
"""Errors that are remembered, and most that are looked at: a text with more is broken whatever they are."""

_TEXT = 64
_BLANK = 4096
"""Bytes up to which a text is looked through for being blank."""

_CLOSERS = frozenset({")", "]", "}", ":", ">", "end", "indent", "dedent", "block"})


class Break(NamedTuple):
    """A syntax error or missing token. `mark` knows it again; `wide` says that it spans lines or lacks what closes
    something, so that it may have swallowed what follows."""

    start: int
    end: int
    mark: str
    wide: bool
    text: bytes


_RECENT = 4
"""Texts whose errors are remembered: every anchor of a file asks for them at each key."""

_recent: dict[int, tuple[Source, tuple[Break, ...]]] = {}


def breaks(source: Source) -> tuple[Break, ...]:
    """The outermost syntax errors of a text, in no order, at most `MOST`; remembered for the latest texts."""
    known = _recent.get(id(source))
    if known is not None and known[0] is source:
        return known[1]
    found = tuple(fresh_breaks(source))
    while len(_recent) >= _RECENT:
        _recent.pop(next(iter(_recent), 0), None)
    _recent[id(source)] = source, found
    return found


def fresh_breaks(source: Source) -> list[Break]:
    """The same, looked for anew."""
    if source.tree is None or source.text is None or not source.tree.root_node.has_error:
        return []
    if len(source.text) < _BLANK and not bytes(source.text).strip():
        # To some grammars a text with nothing in it is an error. It hides nothing.
        return []
    found: list[Break] = []
    todo = [source.tree.root_node]
    while todo and len(found) < MOST:
        node = todo.pop()
        if node.is_error or node.is_missing:
            text = source.text.slice(node.start_byte, node.end_byte)
            name = node.type.encode() if node.is_missing else b" ".join(text[:_TEXT].split())
            mark = hashlib.sha256(name).hexdigest()[:8]
            wide = b"\n" in text or (node.is_missing and node.type in _CLOSERS)
            found.append(Break(node.start_byte, node.end_byte, mark, wide, text))
        else:
            todo += [child for child in node.children if child.has_error or child.is_missing]
    return found


def marks(source: Source) -> tuple[str, ...]:
    """The distinct errors of a text, to be remembered."""
    return tuple(sorted({found.mark for found in breaks(source)}))


def torn(source: Source, symbol: Symbol, known: Collection[str]) -> bool:
    """Whether an error that is not among `known` lies in a symbol or touches it."""
    if not symbol.broken:
        return False
    news = [found for found in breaks(source) if found.mark not in known]
    inside = [found for found in breaks(source) if found.start <= symbol.end and found.end >= symbol.start]
    if not inside:
        # What touches it is beside it, after some white space or a comment.
        return bool(news)
    return any(found.mark not in known for found in inside)


def may_hide(source: Source, path: str, known: Collection[str]) -> bool:
    """Whether a definition of `path` may be there, swallowed by an error that is not among `known`.

    An error inside of another definition, which is whole but for it, swallows nothing.
    """
    outline = source.outline
    if outline is None or not outline.broken:
        return False
    name = path.rpartition(".")[2].encode("utf-8", "surrogatepass")
    for found in breaks(source):
        if found.mark in known:
            continue
        if found.wide or (name and name in found.text):
            return True
        around = outline.at(found.start)
        if around is None or around.container or around.kind in CONTAINERS or around.path == path:
            return True
    return False
