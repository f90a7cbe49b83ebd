"""A floor: a server without features on pygls, written the ordinary way.

pygls keeps the text; we tell tree-sitter what changed and parse that again. A hover is a constant and every change is
answered with an empty list of diagnostics: what most language servers in Python pay before their own work begins.
"""

from __future__ import annotations

from collections.abc import Callable

import tree_sitter_python
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from tree_sitter import Language, Parser, Tree

PARSER = Parser(Language(tree_sitter_python.language()))
server = LanguageServer("floor-pygls", "1")
parsed: dict[str, tuple[bytes, Tree]] = {}


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: LanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    data = document.text.encode()
    parsed[document.uri] = (data, PARSER.parse(data))
    publish(ls, document.uri, document.version)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(ls: LanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    old, tree = parsed[document.uri]
    new = ls.workspace.get_text_document(document.uri).source.encode()
    if new != old:
        shorter = min(len(old), len(new))
        start = alike(lambda low, high: old[low:high] == new[low:high], shorter)
        kept = alike(
            lambda low, high: old[len(old) - high : len(old) - low] == new[len(new) - high : len(new) - low],
            shorter - start,
        )
        old_end, new_end = len(old) - kept, len(new) - kept
        tree.edit(start, old_end, new_end, point(old, start), point(old, old_end), point(new, new_end))
        parsed[document.uri] = (new, PARSER.parse(new, tree))
    publish(ls, document.uri, document.version)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover:
    return types.Hover(contents=types.MarkupContent(kind=types.MarkupKind.Markdown, value="a constant"))


def publish(ls: LanguageServer, uri: str, version: int) -> None:
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=[]))


def alike(same: Callable[[int, int], bool], limit: int) -> int:
    """The largest number up to `limit` for which `same(0, number)` holds, by halving: memcmp does the work."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if same(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def point(data: bytes, offset: int) -> tuple[int, int]:
    return data.count(b"\n", 0, offset), offset - data.rfind(b"\n", 0, offset) - 1


if __name__ == "__main__":
    server.start_io()
