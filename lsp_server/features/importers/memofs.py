"""MemoFS: `.memofs/memory/notes.md` and `core.md`, its events, and records with a `memoryType`.

Knows how a note is written, that an anchor holds the file's SHA-256 and perhaps a symbol, and the `@anchor(...)`
markers in a text. A path that a note merely refers to is only offered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, Spot
from lsp_server.features.importers.reading import (
    NotJson,
    first_line,
    first_lines,
    json_lines,
    json_of,
    not_utf8,
    sections,
    slug,
    tags_of,
    text_in,
    text_of,
    time_of,
)

KINDS = {
    "decision": "decision",
    "preference": "preference",
    "note": "note",
    "constraint": "decision",
    "goal": "purpose",
    "reference": "artifact",
    "summary": "account",
}

Json = Mapping[str, Any]

_NOTE = re.compile(r"^## (?P<time>\d{4}-\d\d-\d\dT[\d:.]+Z?)(?: +[—-] +(?P<title>.*))?[ \t]*$", re.MULTILINE)
_FACT = re.compile(r"- (?P<key>kind|tags|confidence|source|metadata): ?(?P<value>.*)")
_MARKER = re.compile(r"@anchor\(\s*(?P<inside>file\s*=[^()\n]{1,500})\)")
_VALUE = re.compile(r"(?P<key>file|symbol)\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s,\]]+))")
_HASH = re.compile(r"[0-9a-fA-F]{64}")
_TEMPLATE = re.compile(r"add .* here\.?|project: unknown", re.IGNORECASE)


def recognises(given: Given) -> bool:
    return shape_of(given) is not None


def shape_of(given: Given) -> str | None:
    """ "notes", "core", "events" or "records"; None for a file of something else."""
    if given.name.endswith(".md"):
        text = text_of(given)[:65536]
        note = _NOTE.search(text)
        if note is not None and _FACT.match(text[note.end() :].lstrip("\n")):
            return "notes"
        core = text.startswith("# Core Memory") and f"/{given.folder}".endswith("/.memofs/memory")
        return "core" if core else None
    lines = first_lines(given)
    if lines and all("projectId" in one and str(one.get("type")).startswith("memory.") for one in lines):
        return "events"
    return "records" if lines and all("memoryType" in one and "text" in one for one in lines) else None


def read_memofs(files: Sequence[Given]) -> Arrived:
    found = Arrived()
    readers = {"notes": notes, "core": core, "events": events, "records": records}
    for given in files:
        shape = shape_of(given)
        if shape is None:
            found.problems.append(Problem(given.path, "", "is no file of MemoFS; choose another --from", True))
            continue
        found.problems += not_utf8(given)
        for item in readers[shape](given):
            if isinstance(item, Problem):
                found.problems.append(item)
            else:
                found.entries.append(item)
    return found


def notes(given: Given) -> Iterator[Entry | Problem]:
    """Each note goes up to the next heading with a time: its text may hold headings of its own."""
    text = text_of(given)
    starts = list(_NOTE.finditer(text))
    keys = Keys()
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        whole = text[start.end() : following.start() if following else len(text)]
        facts, body = facts_of(whole)
        where = f"the note of {start['time']}"
        metadata: Json = {}
        if facts.get("metadata"):
            try:
                value = json_of(facts["metadata"])
                metadata = value if isinstance(value, dict) else {}
            except NotJson as error:
                yield Problem(given.path, where, f"has metadata that is no JSON ({error}); carried without it")
        title = (start["title"] or "").strip()
        if not body and not title:
            yield Problem(given.path, where, "has no text; write one or leave it out", True)
            continue
        kind = facts.get("kind", "").strip()
        confidence = facts.get("confidence", "").strip()
        yield Entry(
            "memofs",
            text_in(metadata, "id") or keys.of(f"{given.path}#{start['time']}"),
            given.path,
            title=title or first_line(body),
            text=body,
            kind=KINDS.get(kind, "note"),
            where=where,
            tags=("memofs", *tags_of(facts.get("tags", ""))),
            time=time_of(start["time"]),
            author=facts.get("source", "").strip(),
            state=f"confidence {confidence}" if confidence else "",
            places=places_of(metadata, body),
            base=base_of(given.folder),
        )


def facts_of(whole: str) -> tuple[dict[str, str], str]:
    """The bullets right below a note's heading, and its text."""
    facts: dict[str, str] = {}
    lines = whole.split("\n")
    at = 0
    while at < len(lines) and not lines[at].strip():
        at += 1
    while at < len(lines) and (match := _FACT.fullmatch(lines[at].rstrip())):
        facts.setdefault(match["key"], match["value"])
        at += 1
    return facts, "\n".join(lines[at:]).strip()


def places_of(metadata: Json, body: str) -> tuple[Spot, ...]:
    """The anchor of the metadata, else the first marker of the text; and what it refers to, offered."""
    places = []
    anchor = metadata.get("anchor")
    spot = anchor_of(anchor) if isinstance(anchor, dict) else None
    if spot is None:
        spot = next((marked for match in _MARKER.finditer(body) if (marked := marker_of(match["inside"]))), None)
    if spot is not None:
        places.append(spot)
    references = metadata.get("sourceRefs")
    for reference in references if isinstance(references, list) else []:
        if isinstance(reference, dict) and text_in(reference, "path"):
            places.append(Spot(text_in(reference, "path").replace("\\", "/"), offered=True))
    return tuple(places)


def anchor_of(anchor: Json) -> Spot | None:
    file, digest = text_in(anchor, "file").replace("\\", "/"), text_in(anchor, "hash")
    if not file:
        return None
    symbol = text_in(anchor, "symbol").rpartition("#")[2]
    return Spot(file, symbol, hash=digest if _HASH.fullmatch(digest) else "")


def marker_of(inside: str) -> Spot | None:
    """`file=F, symbol=S`, with or without quotes."""
    values = {
        match["key"]: match["double"] or match["single"] or match["bare"] or "" for match in _VALUE.finditer(inside)
    }
    file = values.get("file", "")
    return Spot(file, values.get("symbol", "").rpartition("#")[2]) if file else None


def core(given: Given) -> Iterator[Entry | Problem]:
    """Each bullet of the core memory, but those that its template came with."""
    keys = Keys()
    for section in sections(text_of(given)):
        for line in section.text.split("\n"):
            text = line.strip().removeprefix("- ").strip()
            if not line.strip().startswith("- ") or not text or _TEMPLATE.fullmatch(text):
                continue
            kind = "preference" if section.title == "Preferences" else "note"
            yield Entry(
                "memofs",
                keys.of(f"{given.path}#{slug(text)}"),
                given.path,
                title=first_line(text),
                text=text,
                kind="decision" if section.title == "Constraints" else kind,
                where=f"under {section.title}",
                tags=("memofs", slug(section.title)) if section.title else ("memofs",),
                base=base_of(given.folder),
            )


def events(given: Given) -> Iterator[Entry | Problem]:
    """What events say of a memory: when and by whom it was made, and that it was archived. They complete its note."""
    for number, value in json_lines(text_of(given)):
        where = f"line {number}"
        if isinstance(value, NotJson) or not isinstance(value, dict):
            said = f" ({value})" if isinstance(value, NotJson) else ""
            yield Problem(given.path, where, f"is no JSON of an event{said}; correct it or leave it out", True)
            continue
        metadata, actor = value.get("metadata"), value.get("actor")
        metadata = metadata if isinstance(metadata, dict) else {}
        if not text_in(metadata, "id"):
            continue
        happened = text_in(value, "type").removeprefix("memory.")
        summary = text_in(value, "summary")
        yield Entry(
            "memofs",
            text_in(metadata, "id"),
            given.path,
            title=first_line(summary),
            text=summary,
            kind=KINDS.get(text_in(metadata, "kind"), "note"),
            where=where,
            tags=("memofs", *tags_of(metadata.get("tags"))),
            time=time_of(value.get("timestamp")) if happened == "created" else "",
            author=text_in(actor, "id") if isinstance(actor, dict) and happened == "created" else "",
            state="" if happened == "created" else happened,
            places=places_of({"anchor": metadata.get("anchor")}, ""),
            base=base_of(given.folder),
            part=True,
        )


def records(given: Given) -> Iterator[Entry | Problem]:
    for number, value in json_lines(text_of(given)):
        if isinstance(value, NotJson) or not isinstance(value, dict) or not text_in(value, "text"):
            yield Problem(given.path, f"line {number}", "is no record with a text; correct it or leave it out", True)
            continue
        text = text_in(value, "text")
        yield Entry(
            "memofs",
            f"{given.path}#{text_in(value, 'id') or number}",
            given.path,
            title=first_line(text),
            text=text,
            where=f"line {number}",
            tags=("memofs", slug(text_in(value, "memoryType"))),
            base=base_of(given.folder),
        )


def base_of(folder: str) -> str:
    """The folder that holds `.memofs`."""
    head, found, _ = f"/{folder}/".rpartition("/.memofs/")
    return head.strip("/") if found else folder


IMPORTER = Importer("memofs", "MemoFS notes, events and anchors", recognises, read_memofs)
