"""agentmemory: its export, one JSON file with sessions, observations, memories and summaries.

Knows which of them state something: memories, observations, and the key decisions of a summary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, Spot, each
from lsp_server.features.importers.reading import (
    day_of,
    first_line,
    json_in,
    not_utf8,
    tags_of,
    text_in,
    texts_of,
    time_of,
)

KINDS = {
    "decision": "decision",
    "architecture": "pattern",
    "pattern": "pattern",
    "bug": "lesson",
    "preference": "preference",
    "fact": "claim",
    "workflow": "note",
}

Json = Mapping[str, Any]


def recognises(given: Given) -> bool:
    value = json_in(given)
    if not isinstance(value, dict) or "version" not in value or not isinstance(value.get("memories"), list):
        return False
    return isinstance(value.get("sessions"), list) and isinstance(value.get("observations"), dict)


def read_export(given: Given) -> Arrived:
    value = json_in(given)
    if not isinstance(value, dict):
        return Arrived(problems=[Problem(given.path, "", "is no export of agentmemory; choose another --from", True)])
    found = Arrived(problems=not_utf8(given))
    memories = value.get("memories")
    after = {
        older: text_in(one, "id")
        for one in (memories if isinstance(memories, list) else [])
        if isinstance(one, dict)
        for older in texts_of(one.get("supersedes"))
    }
    keys = Keys()
    for where, one in records(value):
        if not isinstance(one, dict):
            found.problems.append(Problem(given.path, where, "is no object; export it again", True))
            continue
        text = "\n\n".join(
            [part for part in (text_in(one, "content", "narrative"),) if part]
            + [f"- {fact}" for fact in texts_of(one.get("facts"))]
        )
        title = text_in(one, "title")
        if not text and not title:
            found.problems.append(Problem(given.path, where, "has no text; nothing to carry"))
            continue
        identifier = text_in(one, "id") or hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:16]
        latest = one.get("isLatest")
        found.entries.append(
            Entry(
                "agentmemory",
                keys.of(identifier),
                given.path,
                title=title or first_line(text),
                text=text,
                kind=KINDS.get(text_in(one, "type"), "note"),
                where=where,
                tags=("agentmemory", *tags_of(one.get("concepts"))),
                time=time_of(one.get("createdAt") or one.get("timestamp")),
                state="" if latest is None else "latest" if latest is True else "superseded",
                after=after.get(identifier, ""),
                expires=day_of(text_in(one, "forgetAfter")),
                places=tuple(Spot(file.replace("\\", "/"), offered=True) for file in texts_of(one.get("files"))),
                base=given.folder,
            )
        )
    return found


def records(value: Json) -> Iterator[tuple[str, Any]]:
    """Every statement with what it is called in messages."""
    memories = value.get("memories")
    for number, one in enumerate(memories if isinstance(memories, list) else [], 1):
        yield f"memory {number}", one
    observations = value.get("observations")
    for session, listed in observations.items() if isinstance(observations, dict) else ():
        for number, one in enumerate(listed if isinstance(listed, list) else [], 1):
            yield f"observation {number} of {session[:40]}", one
    summaries = value.get("summaries")
    for number, one in enumerate(summaries if isinstance(summaries, list) else [], 1):
        if not isinstance(one, dict):
            yield f"summary {number}", one
            continue
        for decision in texts_of(one.get("keyDecisions")):
            facts = {"type": "decision", "content": decision, "createdAt": one.get("createdAt")}
            yield (
                f"a key decision of summary {number}",
                {**facts, "concepts": one.get("concepts"), "files": one.get("filesModified")},
            )


IMPORTER = Importer("agentmemory", "agentmemory's export", recognises, each(read_export))
