"""The MCP memory server's JSON lines: entities with observations, and relations between them.

Knows both forms of an observation, a text and an object with a time. A relation by itself says nothing about code: it
is counted and left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, each
from lsp_server.features.importers.reading import (
    NotJson,
    first_line,
    first_lines,
    json_lines,
    mentions,
    not_utf8,
    slug,
    text_in,
    text_of,
    time_of,
)

KINDS = {"person": "entity", "entity": "entity", "decision": "decision", "preference": "preference", "bug": "lesson"}


def recognises(given: Given) -> bool:
    lines = first_lines(given)
    return bool(lines) and all(is_entity(line) or is_relation(line) for line in lines)


def is_entity(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("observations"), list) and "entityType" in value and isinstance(value.get("name"), str)


def is_relation(value: Mapping[str, Any]) -> bool:
    return "relationType" in value and "from" in value and "to" in value


def read_graph(given: Given) -> Arrived:
    found = Arrived(problems=not_utf8(given))
    relations = 0
    for number, value in json_lines(text_of(given)):
        where = f"line {number}"
        if isinstance(value, NotJson):
            found.problems.append(Problem(given.path, where, f"is no JSON ({value}); correct it or leave it out", True))
        elif isinstance(value, dict) and is_entity(value):
            read_entity(given, where, value, found)
        elif isinstance(value, dict) and is_relation(value):
            relations += 1
        else:
            found.problems.append(Problem(given.path, where, "is neither an entity nor a relation", True))
    if relations:
        message = f"holds {relations} relations, which are left out: record what they mean where it matters"
        found.problems.append(Problem(given.path, "", message))
    return found


def read_entity(given: Given, where: str, entity: Mapping[str, Any], found: Arrived) -> None:
    name, sort = entity["name"].strip(), text_in(entity, "entityType")
    seen: set[str] = set()
    for number, observation in enumerate(entity["observations"], 1):
        said = observation if isinstance(observation, dict) else {"text": observation}
        text = text_in(said, "text", "content")
        if not text:
            message = "is no text; write it as a text or as an object with a text"
            found.problems.append(Problem(given.path, f"{where}, observation {number}", message, True))
            continue
        identifier = f"{name}#{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"
        if identifier in seen:
            continue
        seen.add(identifier)
        found.entries.append(
            Entry(
                "mcp-memory",
                identifier,
                given.path,
                title=f"{name}: {first_line(text)}",
                text=text if text.startswith(name) else f"{name}: {text}",
                kind=KINDS.get(sort.lower(), "note"),
                where=f"{where}, observation {number}",
                tags=tuple(tag for tag in ("mcp-memory", slug(sort)) if tag and tag != "default"),
                time=time_of(said.get("timestamp")),
                places=mentions(text),
                base=given.folder,
            )
        )


IMPORTER = Importer("mcp-memory", "the MCP memory server's graph", recognises, each(read_graph))
