"""A floor: the least that a server in Python can do. No framework, no features.

A blocking loop over standard streams, json, a list of lines, and tree-sitter parsing again what an edit touched. It
answers a hover with a constant and every change with an empty list of diagnostics, so what a real server costs beyond
it is what its own work costs.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import tree_sitter_python
from tree_sitter import Language, Parser, Tree

PARSER = Parser(Language(tree_sitter_python.language()))


class Buffer:
    """One open document as lines of UTF-8, with its tree."""

    def __init__(self, text: str) -> None:
        self.load(text)

    def load(self, text: str) -> None:
        self.lines = text.encode().split(b"\n")
        self.tree: Tree = PARSER.parse(self.piece)

    def piece(self, _offset: int, point: tuple[int, int]) -> bytes:
        """What tree-sitter reads from a place on: the rest of its line."""
        row, column = point
        if row >= len(self.lines):
            return b""
        rest = self.lines[row][column:]
        return rest if row == len(self.lines) - 1 else rest + b"\n"

    def edit(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replaces a range, given in UTF-16 units, and parses what that touched."""
        lines = self.lines
        (top, left), (bottom, right) = self.place(*start), self.place(*end)
        before = sum(map(len, lines[:top])) + top + left
        removed = right - left if top == bottom else sum(map(len, lines[top:bottom])) + bottom - top + right - left
        new = text.encode()
        pieces = (lines[top][:left] + new + lines[bottom][right:]).split(b"\n")
        tail = len(lines[bottom]) - right
        lines[top : bottom + 1] = pieces
        last = (top + len(pieces) - 1, len(pieces[-1]) - tail)
        self.tree.edit(before, before + removed, before + len(new), (top, left), (bottom, right), last)
        self.tree = PARSER.parse(self.piece, self.tree)

    def place(self, row: int, units: int) -> tuple[int, int]:
        """Row and byte column of a position."""
        row = min(row, len(self.lines) - 1)
        line = self.lines[row]
        if line.isascii():
            return row, min(units, len(line))
        wide = line.decode().encode("utf-16-le")[: 2 * units]
        return row, len(wide.decode("utf-16-le", "ignore").encode())


def main() -> int:
    buffers: dict[str, Buffer] = {}
    while (message := receive()) is not None:
        method, params = message.get("method"), message.get("params") or {}
        if method == "textDocument/didChange":
            document = params["textDocument"]
            buffer = buffers[document["uri"]]
            for change in params["contentChanges"]:
                if "range" not in change:
                    buffer.load(change["text"])
                    continue
                start, end = change["range"]["start"], change["range"]["end"]
                buffer.edit((start["line"], start["character"]), (end["line"], end["character"]), change["text"])
            publish(document)
        elif method == "textDocument/didOpen":
            buffers[params["textDocument"]["uri"]] = Buffer(params["textDocument"]["text"])
            publish(params["textDocument"])
        elif method == "exit":
            return 0
        elif "id" in message:
            results = {
                "initialize": {"capabilities": {"textDocumentSync": 2, "hoverProvider": True}},
                "textDocument/hover": {"contents": {"kind": "markdown", "value": "a constant"}},
            }
            send({"id": message["id"], "result": results.get(str(method))})
    return 1


def publish(document: dict[str, Any]) -> None:
    params = {"uri": document["uri"], "version": document["version"], "diagnostics": []}
    send({"method": "textDocument/publishDiagnostics", "params": params})


def receive() -> dict[str, Any] | None:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        return None
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
