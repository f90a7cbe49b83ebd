"""limpet: `.limpet/memory.jsonl`, a record a line, each anchored to symbols with hashes that only limpet can tell.

Knows the shape of a record, how a symbol's path is spelt there, and that a record that was reworded names the older one
it supersedes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, Spot, each
from lsp_server.features.importers.reading import (
    NotJson,
    first_line,
    first_lines,
    json_lines,
    not_utf8,
    slug,
    text_in,
    text_of,
    time_of,
)

KINDS = {"decision": "decision", "insight": "lesson", "fact": "claim", "episode": "event"}


def recognises(given: Given) -> bool:
    return any(is_record(value) for value in first_lines(given)[:1])


def is_record(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("body"), str) and "status" in value and isinstance(value.get("anchors"), list)


def read_store(given: Given) -> Arrived:
    found = Arrived(problems=not_utf8(given))
    successor: dict[str, str] = {}
    records: list[tuple[str, Mapping[str, Any]]] = []
    for number, value in json_lines(text_of(given)):
        where = f"line {number}"
        if isinstance(value, NotJson):
            found.problems.append(Problem(given.path, where, f"is no JSON ({value}); correct it or leave it out", True))
        elif not isinstance(value, dict) or not is_record(value) or not text_in(value, "id"):
            message = "is no record of limpet: it needs id, body, status and anchors"
            found.problems.append(Problem(given.path, where, message, True))
        else:
            records.append((where, value))
            for older in superseded_by(value):
                successor.setdefault(older, text_in(value, "id"))
    known = {text_in(value, "id") for _, value in records}
    for where, value in records:
        for older in superseded_by(value):
            if older not in known:
                message = f"supersedes {older}, which is not in the file; carried without its history"
                found.problems.append(Problem(given.path, where, message))
        found.entries.append(entry_of(given, where, value, successor))
    return found


def entry_of(given: Given, where: str, value: Mapping[str, Any], successor: Mapping[str, str]) -> Entry:
    identifier, status = text_in(value, "id"), text_in(value, "status") or "active"
    stale = text_in(value, "stale_reason") if status == "active" else ""
    unsure = status != "active" or bool(stale)
    places = [spot_of(anchor, unsure) for anchor in value["anchors"] if isinstance(anchor, dict)]
    text = text_in(value, "body")
    if text_in(value, "evidence_cmd"):
        text += f"\n\nEvidence there: `{text_in(value, 'evidence_cmd')}`, run {text_in(value, 'evidence_ran_at')}."
    branch = text_in(value, "branch")
    return Entry(
        "limpet",
        identifier,
        given.path,
        title=first_line(text),
        text=text,
        kind=KINDS.get(text_in(value, "kind"), "note"),
        where=where,
        tags=("limpet", *((slug(branch),) if branch not in ("", "main", "master") else ())),
        time=time_of(value.get("created_at")),
        author=text_in(value, "source"),
        state=f"{status}, {stale.replace('_', ' ')}" if stale else status,
        after=successor.get(identifier, ""),
        places=tuple(spot for spot in places if spot is not None),
        base=given.folder.removesuffix(".limpet").rstrip("/"),
    )


def superseded_by(value: Mapping[str, Any]) -> list[str]:
    """The ids of the records that a record supersedes."""
    links = value.get("links")
    return [
        link["dst"]
        for link in (links if isinstance(links, list) else [])
        if isinstance(link, dict) and link.get("rel") == "supersedes" and isinstance(link.get("dst"), str)
    ]


def spot_of(anchor: Mapping[str, Any], unsure: bool) -> Spot | None:
    """`src.memory.recall.recall` in `src/memory/recall.rs` is `recall`; no symbol is the whole file."""
    file, name = text_in(anchor, "file").replace("\\", "/"), text_in(anchor, "symbol_fqn")
    if not file:
        return None
    path = file.rpartition(".")[0].replace("/", ".")
    return Spot(file, name.removeprefix(f"{path}.") if name != path else "", unsure=unsure)


IMPORTER = Importer("limpet", "limpet's store", recognises, each(read_store))
