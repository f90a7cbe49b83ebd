"""Between features and LSP's JSON: positions in the client's units, places as URIs, problems as diagnostics.

The only converters. Values are plain dictionaries as LSP 3.17 spells them, since typed ones cost more than the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lsp_server.core.model import Place, Span
from lsp_server.core.text import Encoding, Text, TextChange
from lsp_server.features.actions import Action
from lsp_server.features.diagnostics import Problem
from lsp_server.features.hover import Hover
from lsp_server.features.lenses import Lens
from lsp_server.features.symbols import Symbol

Json = dict[str, Any]

SEVERITY = {"error": 1, "warning": 2, "information": 3, "hint": 4}
SOURCE = "moorline"


# -- in ------------------------------------------------------------------------------------------------------------


def offset_of(text: Text, position: Json, encoding: Encoding) -> int:
    """The byte offset of a position; past the end of a line it is the line's end, as LSP says."""
    return text.locate(position["line"], position["character"], encoding)


def span_of(text: Text, range_: Json, encoding: Encoding) -> Span:
    start, end = offset_of(text, range_["start"], encoding), offset_of(text, range_["end"], encoding)
    return Span(min(start, end), max(start, end))


def changes_of(changes: Sequence[Json]) -> list[TextChange]:
    """The content changes of a `didChange` notification."""
    found = []
    for change in changes:
        range_ = change.get("range")
        if range_ is None:
            found.append(TextChange(None, change["text"]))
            continue
        start, end = range_["start"], range_["end"]
        found.append(TextChange(((start["line"], start["character"]), (end["line"], end["character"])), change["text"]))
    return found


# -- out -----------------------------------------------------------------------------------------------------------


def range_json(text: Text, span: Span, encoding: Encoding) -> Json:
    size = len(text)
    line, character = text.position(min(span.start, size), encoding)
    end_line, end_character = text.position(min(span.end, size), encoding)
    return {
        "start": {"line": line, "character": character},
        "end": {"line": end_line, "character": end_character},
    }


def place_range(place: Place) -> Json:
    """A place's lines as a range: its columns are not known in the client's units, so it covers whole lines."""
    return {
        "start": {"line": place.start_line - 1, "character": 0},
        "end": {"line": place.start_line - 1, "character": 0},
    }


def symbol_json(symbol: Symbol, uri: str) -> Json:
    """A memory at one of its places, as a symbol of the workspace (of the kind Key, as one that leads to something)."""
    start = {"line": symbol.line - 1, "character": 0}
    return {
        "name": symbol.name,
        "kind": 20,
        "containerName": symbol.detail,
        "location": {"uri": uri, "range": {"start": start, "end": start}},
    }


def diagnostic_json(
    problem: Problem, text: Text, encoding: Encoding, uri_of: Callable[[str], str], related: bool
) -> Json:
    """A diagnostic; `related` says whether the client shows related information."""
    found: Json = {
        "range": range_json(text, problem.span, encoding),
        "severity": SEVERITY[problem.severity],
        "code": problem.code,
        "source": SOURCE,
        "message": problem.message,
        "data": {"memory": problem.memory, "anchor": problem.anchor},
    }
    if related and problem.related:
        found["relatedInformation"] = [
            {"location": {"uri": uri_of(place.file), "range": place_range(place)}, "message": message}
            for place, message in problem.related
        ]
    return found


def trouble_json(line: int, message: str) -> Json:
    """A diagnostic on a file of the ledger or the settings that cannot be used; `line` counts from 1."""
    position = {"line": line - 1, "character": 0}
    return {
        "range": {"start": position, "end": position},
        "severity": SEVERITY["error"],
        "code": "damaged",
        "source": SOURCE,
        "message": message,
    }


def hover_json(hover: Hover, text: Text, encoding: Encoding, markdown: bool) -> Json:
    kind = "markdown" if markdown else "plaintext"
    return {
        "contents": {"kind": kind, "value": hover.markdown},
        "range": range_json(text, hover.span, encoding),
    }


def lens_json(lens: Lens, text: Text, encoding: Encoding, uri: str, command: str) -> Json:
    range_ = range_json(text, lens.span, encoding)
    argument = {"uri": uri, "position": range_["start"], "ids": list(lens.memories)}
    title = f"⚓ {lens.title}"
    return {
        "range": range_,
        "command": {"title": title, "command": command, "arguments": [argument] if command else []},
    }


def action_json(
    action: Action, text: Text, encoding: Encoding, uri: str, span: Json, diagnostics: Sequence[Json]
) -> Json:
    """A code action with its command; those that a client's own prompt runs get the position they were asked at."""
    argument = dict(action.argument)
    if action.asks or "lift" in argument:
        argument["position"] = span["start"]
    if "lift" in argument:
        argument["lift"] = position_json(text, argument["lift"], encoding)
    found: Json = {
        "title": action.title,
        "kind": action.kind,
        "command": {"title": action.title, "command": action.command, "arguments": [argument]},
    }
    fixed = [
        one
        for one in diagnostics
        if one.get("source") == SOURCE
        and isinstance(one.get("data"), dict)
        and (one["data"].get("memory"), one["data"].get("anchor")) in action.fixes
    ]
    if fixed:
        found["diagnostics"] = fixed
    if action.preferred:
        found["isPreferred"] = True
    return found


def position_json(text: Text, offset: int, encoding: Encoding) -> Json:
    line, character = text.position(offset, encoding)
    return {"line": line, "character": character}
