"""What the parameters of the methods we read must look like, and a check that says which member is not so.

Knows the parts of LSP's parameter types that are read as plain dictionaries. A shape is a type (`str`, `int`, `bool`),
a tuple of types, a dictionary of shapes (a key that ends in `?` may be absent or null; other keys are let through), a
list of one shape, or None for anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_server.lsp.errors import InvalidParams

Shape = Any

POSITION: Shape = {"line": int, "character": int}
RANGE: Shape = {"start": POSITION, "end": POSITION}
DOCUMENT: Shape = {"textDocument": {"uri": str}}
AT: Shape = {"textDocument": {"uri": str}, "position": POSITION}
SPAN: Shape = {"textDocument": {"uri": str}, "range": RANGE}
FOLDERS: Shape = [{"uri": str, "name?": str}]
FILES: Shape = {"files": [{"uri": str}]}
RENAMES: Shape = {"files": [{"oldUri": str, "newUri": str}]}

SHAPES: Mapping[str, Shape] = {
    "initialize": {
        "processId?": int,
        "clientInfo?": {"name": str, "version?": str},
        "rootUri?": str,
        "rootPath?": str,
        "capabilities": dict,
        "workspaceFolders?": FOLDERS,
    },
    "$/cancelRequest": {"id": (int, str)},
    "$/setTrace": {"value": str},
    "window/workDoneProgress/cancel": {"token": (int, str)},
    "textDocument/didOpen": {"textDocument": {"uri": str, "languageId": str, "version": int, "text": str}},
    "textDocument/didChange": {
        "textDocument": {"uri": str, "version": int},
        "contentChanges": [{"text": str, "range?": RANGE}],
    },
    "textDocument/willSave": DOCUMENT,
    "textDocument/didSave": {"textDocument": {"uri": str}, "text?": str},
    "textDocument/didClose": DOCUMENT,
    "textDocument/hover": AT,
    "textDocument/declaration": AT,
    "textDocument/definition": AT,
    "textDocument/typeDefinition": AT,
    "textDocument/implementation": AT,
    "textDocument/references": AT,
    "textDocument/documentHighlight": AT,
    "textDocument/completion": AT,
    "textDocument/signatureHelp": AT,
    "textDocument/prepareRename": AT,
    "textDocument/rename": {**AT, "newName": str},
    "textDocument/documentSymbol": DOCUMENT,
    "textDocument/codeLens": DOCUMENT,
    "textDocument/documentLink": DOCUMENT,
    "textDocument/foldingRange": DOCUMENT,
    "textDocument/diagnostic": {**DOCUMENT, "previousResultId?": str},
    "textDocument/inlayHint": SPAN,
    "textDocument/codeAction": {**SPAN, "context": {"diagnostics?": list, "only?": [str]}},
    "workspace/symbol": {"query": str},
    "workspace/executeCommand": {"command": str, "arguments?": list},
    "workspace/diagnostic": {"previousResultIds?": [{"uri": str, "value": str}]},
    "workspace/didChangeWatchedFiles": {"changes": [{"uri": str, "type": int}]},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": FOLDERS, "removed": FOLDERS}},
    "workspace/willRenameFiles": RENAMES,
    "workspace/didRenameFiles": RENAMES,
    "workspace/didCreateFiles": FILES,
    "workspace/didDeleteFiles": FILES,
}

_NAMES = {str: "a string", int: "an integer", bool: "a boolean", dict: "an object", list: "an array"}


def check_shape(value: Any, shape: Shape, where: str = "params") -> None:
    """Raise InvalidParams, naming the member, unless `value` has the shape."""
    if shape is None:
        return
    if type(shape) is dict:
        if type(value) is not dict:
            raise _wrong(value, dict, where)
        for key, inner in shape.items():
            if key[-1] == "?":
                key = key[:-1]
                if value.get(key) is not None:
                    check_shape(value[key], inner, f"{where}.{key}")
            elif key not in value:
                raise InvalidParams(f"{where}.{key} is missing")
            else:
                member = value[key]
                if type(member) is not inner:  # The common case, a plain type that fits, costs no call.
                    check_shape(member, inner, f"{where}.{key}")
    elif type(shape) is list:
        if type(value) is not list:
            raise _wrong(value, list, where)
        for number, member in enumerate(value):
            check_shape(member, shape[0], f"{where}[{number}]")
    elif type(value) is not shape and not (type(shape) is tuple and type(value) in shape):
        # type() and not isinstance: True is no integer here.
        raise _wrong(value, shape, where)


def _wrong(value: Any, shape: Any, where: str) -> InvalidParams:
    wanted = " or ".join(_NAMES[one] for one in (shape if type(shape) is tuple else (shape,)))
    got = "null" if value is None else _NAMES.get(type(value), "a number")
    return InvalidParams(f"{where} must be {wanted}, not {got}")
