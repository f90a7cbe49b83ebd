"""Memories of services as JSON: mem0's answers (`results` of `memory`, or the bare list) and recallnest's seeds.

Knows both shapes. What a person prefers is a preference; the rest are notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, each
from lsp_server.features.importers.reading import (
    day_of,
    first_line,
    json_in,
    mentions,
    not_utf8,
    slug,
    tags_of,
    text_in,
    time_of,
)

KINDS = {
    "preferences": "preference",
    "preference": "preference",
    "profile": "profile",
    "entities": "entity",
    "events": "event",
    "cases": "case",
    "patterns": "pattern",
}


def recognises(given: Given) -> bool:
    records = listed(json_in(given))
    return bool(records) and all(is_mem0(one) or is_seed(one) for one in records)


def listed(value: Any) -> list[Any]:
    found = value.get("results") if isinstance(value, dict) else value
    return found if isinstance(found, list) else []


def is_mem0(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("memory"), str) and "id" in value


def is_seed(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str) and "canonicalKey" in value


def read_records(given: Given) -> Arrived:
    records = listed(json_in(given))
    if not records:
        return Arrived(problems=[Problem(given.path, "", "holds no list of memories; choose another --from", True)])
    found = Arrived(problems=not_utf8(given))
    for number, one in enumerate(records, 1):
        where = f"record {number}"
        if not (is_mem0(one) or is_seed(one)):
            message = "has no memory with an id, and no text with a canonicalKey; leave it out"
            found.problems.append(Problem(given.path, where, message, True))
            continue
        found.entries.append(entry_of(given, where, one))
    return found


def entry_of(given: Given, where: str, one: Mapping[str, Any]) -> Entry:
    text = text_in(one, "memory", "text")
    category = text_in(one, "category")
    prefers = not category and " prefer" in f" {text.lower()}"
    return Entry(
        "mem0" if "memory" in one else "recallnest",
        str(one.get("id") or one.get("canonicalKey"))[:200],
        given.path,
        title=first_line(text),
        text=text,
        kind="preference" if prefers else KINDS.get(category, "note"),
        where=where,
        tags=tuple(
            dict.fromkeys((*tags_of(one.get("tags")), *tags_of(one.get("categories")), slug(category) or "mem0"))
        ),
        time=time_of(one.get("created_at")),
        expires=day_of(text_in(one, "expiration_date")),
        places=mentions(text),
        base=given.folder,
    )


IMPORTER = Importer("mem0", "mem0's and recallnest's memories", recognises, each(read_records))
