"""OpenLore: decisions (`.openlore/decisions/*.json`) and notes anchored to code (`.openlore/memory/notes.json`).

Knows both shapes. Files that a decision affects may be whole subsystems: they are only offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, Spot, each, within
from lsp_server.features.importers.reading import (
    first_line,
    json_in,
    mentions,
    not_utf8,
    tags_of,
    text_in,
    texts_of,
    time_of,
)

KINDS = {
    "invariant": "decision",
    "gotcha": "lesson",
    "rationale": "note",
    "convention": "preference",
    "preference": "preference",
    "todo": "case",
}

Json = Mapping[str, Any]


def recognises(given: Given) -> bool:
    value = json_in(given)
    if not isinstance(value, dict):
        return False
    decisions, notes = value.get("decisions"), value.get("memories")
    if isinstance(decisions, list):
        return bool(decisions) and all(isinstance(one, dict) and "rationale" in one for one in decisions)
    return isinstance(notes, list) and bool(notes) and all(is_note(one) for one in notes)


def is_note(value: Any) -> bool:
    return isinstance(value, dict) and "content" in value and isinstance(value.get("anchors"), list)


def read_openlore(given: Given) -> Arrived:
    value = json_in(given)
    found = Arrived(problems=not_utf8(given))
    value = value if isinstance(value, dict) else {}
    listed = value.get("decisions") if isinstance(value.get("decisions"), list) else value.get("memories")
    for number, one in enumerate(listed if isinstance(listed, list) else [], 1):
        where = f"entry {number}"
        if not isinstance(one, dict) or not text_in(one, "id") or not text_in(one, "title", "content"):
            message = "has no id or no text; write it as OpenLore does"
            found.problems.append(Problem(given.path, where, message, True))
            continue
        found.entries.append(decision(given, where, one) if "rationale" in one else note(given, where, one))
    if not isinstance(listed, list):
        found.problems.append(Problem(given.path, "", "holds no decisions or notes of OpenLore", True))
    base = base_of(given.folder)
    after = {
        within(base, text_in(one, "supersedes")): within(base, text_in(one, "id"))
        for one in listed or []
        if isinstance(one, dict)
    }
    found.entries = [replace(entry, after=after.get(entry.id, "")) for entry in found.entries]
    return found


def decision(given: Given, where: str, one: Json) -> Entry:
    parts = [text_in(one, "rationale")]
    if text_in(one, "consequences"):
        parts.append(f"**Consequences:** {text_in(one, 'consequences')}")
    text = "\n\n".join(part for part in parts if part)
    offered = [Spot(file.replace("\\", "/"), offered=True) for file in texts_of(one.get("affectedFiles"))]
    said = [text_in(one, "status")]
    if text_in(one, "confidence"):
        said.append(f"confidence {text_in(one, 'confidence')}")
    return Entry(
        "openlore",
        within(base_of(given.folder), text_in(one, "id")),
        given.path,
        title=text_in(one, "title"),
        text=text,
        kind="decision",
        where=where,
        tags=("openlore", *tags_of(one.get("affectedDomains"))),
        time=time_of(one.get("recordedAt")),
        author=text_in(one, "sessionId"),
        state=", ".join(part for part in said if part),
        places=(*mentions(text), *offered),
        base=base_of(given.folder),
    )


def note(given: Given, where: str, one: Json) -> Entry:
    state = f"invalidated {time_of(one.get('invalidatedAt'))[:10]}" if text_in(one, "invalidatedAt") else "valid"
    spots = [spot_of(anchor, state != "valid") for anchor in one.get("anchors") or [] if isinstance(anchor, dict)]
    text = text_in(one, "content")
    return Entry(
        "openlore",
        within(base_of(given.folder), text_in(one, "id")),
        given.path,
        title=first_line(text),
        text=text,
        kind=KINDS.get(text_in(one, "type"), "note"),
        where=where,
        tags=("openlore", *tags_of(one.get("tags"))),
        time=time_of(one.get("recordedAt")),
        state=state,
        places=tuple(spot for spot in spots if spot is not None),
        base=base_of(given.folder),
    )


def spot_of(anchor: Json, unsure: bool) -> Spot | None:
    """A file, or `FILE::Symbol` in it."""
    file, _, symbol = text_in(anchor, "nodeId").partition("::")
    file = (text_in(anchor, "filePath") or file).replace("\\", "/")
    return Spot(file, symbol or text_in(anchor, "symbolName"), unsure=unsure) if file else None


def base_of(folder: str) -> str:
    """The folder that holds `.openlore`."""
    head, found, _ = f"{folder}/".rpartition(".openlore/")
    return head.rstrip("/") if found else folder


IMPORTER = Importer("openlore", "OpenLore's decisions and notes", recognises, each(read_openlore))
