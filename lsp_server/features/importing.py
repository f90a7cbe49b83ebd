"""What other tools know, carried over: read, told apart from what is here already, and written.

What arrives is an obligation to look, not a fact. Each entry is one *carried* memory, known by its source and its id
there, so importing twice changes nothing; what it says of its state, its author and its places is kept and trusted no
further. Nothing that a file names is run, followed or read beyond the workspace.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsp_server.core.ids import normal_body
from lsp_server.core.ledger_text import ours
from lsp_server.core.locus import LocusError, stored_locus
from lsp_server.core.model import Memory
from lsp_server.features.carrying import (
    CHANGED,
    FORGOTTEN,
    KIND,
    KNOWN,
    NEW,
    REFUSED,
    RENEWED,
    Planned,
    carried_id,
    changes_of,
    is_written,
    one_line,
)
from lsp_server.features.errors import Refused
from lsp_server.features.importers.entry import Arrived, Entry, Given, Problem, Spot
from lsp_server.features.importers.found import IMPORTERS, importer_of, read
from lsp_server.features.importers.reading import NotJson, first_line, heading_of, json_of, text_of
from lsp_server.features.markdown import strip_controls
from lsp_server.features.secrets import secret_in
from lsp_server.features.told import Told, bases, key_of, lines_of, tell
from lsp_server.workspace import git
from lsp_server.workspace.gather import gather, names_in
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot
from lsp_server.workspace.threads import in_thread

VERSION = 1

CHUNK = 500
"""Memories that are written and indexed in one go, so that a long import tells how far it is."""

DIGITS = 16
"""Hexadecimal digits of the hash of what an entry says: it is compared with one other alone."""

REVISIONS = 400
"""Most files of other revisions that are asked of git in one import."""

_EXPECTED = re.compile(
    r"(?:^|/)(?:[^/]+\.tour|\.vscode/(?:labeled_)?bookmarks\.json|drift\.lock|"
    r"\.limpet/[^/]+\.jsonl|\.openlore/(?:decisions|memory)/[^/]+\.json|\.memofs/memory/notes\.md)$"
)
"""Files in a folder of which it is said that they are of no known format; the others may be anything."""


async def import_files(
    session: Session,
    paths: Sequence[Path],
    *,
    format: str | None = None,
    apply: bool = False,
    renew: bool = False,
    home: str | None = None,
    allow_secret: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Imports files and folders; without `apply` it only says what would be done.

    `format` is the name of an importer, for files that do not tell themselves. `renew` takes over what changed in the
    source since, of memories that nobody decided yet. `allow_secret` lets pass what looks like a secret. Answers
    `{"version", "applied", "files", "entries", "problems", "summary"}`. Raises Refused for an unknown format.
    """
    if format is not None and format not in IMPORTERS:
        raise Refused(f"no format {format!r}; formats: {', '.join(IMPORTERS)}")
    root = session.root.path
    gathered = await in_thread(lambda: gather(root, paths))
    given = [Given(label, data) for label, data in gathered.files]
    problems = [Problem(label, "", message, True) for label, message in gathered.refused]
    formats, others = sorted_out(given, gathered.named, format, problems)
    arrived = Arrived(problems=problems)
    for name in dict.fromkeys(formats.values()):
        arrived.add(read(IMPORTERS[name], [one for one in given if formats.get(one.path) == name]))
    entries = await quoted(session, arrived.entries)
    planned = await plan(session, entries, arrived.problems, renew, allow_secret)
    refused: dict[str, str] = {}
    initialized = session.ledger.exists()
    if apply:
        refused = await write(session, planned, renew, home or KIND.home, progress)
        arrived.problems += [
            Problem(one.entry.file, one.entry.where, refused[one.memory], True)
            for one in planned
            if one.memory in refused
        ]
    answer = report(planned, formats, others, arrived.problems, refused, apply, renew)
    if apply and not initialized and session.ledger.exists():
        answer["initialized"] = True
    return answer


def sorted_out(
    given: Sequence[Given], named: set[str], format: str | None, problems: list[Problem]
) -> tuple[dict[str, str], int]:
    """The importer of each file by its path, and how many files are of no known format."""
    found: dict[str, str] = {}
    others = 0
    for one in given:
        if format is not None and (one.path in named or IMPORTERS[format].recognises(one)):
            found[one.path] = format
            continue
        importer = importer_of(one) if format is None else None
        if importer is not None:
            found[one.path] = importer.name
        elif one.path in named or (format is None and _EXPECTED.search(one.path) and one.data.strip()):
            problems.append(Problem(one.path, "", unknown(one), True))
        else:
            others += 1
    return found, others


def unknown(given: Given) -> str:
    """Why a file is of no known format, and what to do."""
    if not given.data.strip():
        return "is empty; nothing to import"
    if given.data.lstrip()[:1] in (b"{", b"["):
        try:
            json_of(text_of(given))
        except NotJson as error:
            if not given.path.endswith((".jsonl", ".ndjson")):
                return f"is no JSON ({error}); correct it, then import it again"
    return f"is of no known format; name it with --from: {', '.join(IMPORTERS)}"


# -- places that need more than the file -------------------------------------------------------------------------------


async def quoted(session: Session, entries: Sequence[Entry]) -> list[Entry]:
    """Entries with what stood on their lines in the revision that they count in, where git has it."""
    root = session.root.path
    wanted: dict[tuple[str, str], list[str] | None] = {}
    for entry in entries:
        for spot in entry.places:
            if spot.revision and not spot.quote and (spot.line or spot.lines):
                for base in bases(entry):
                    path = f"{base}/{spot.file}" if base else spot.file
                    wanted.setdefault((spot.revision, path), None)
    for revision, path in list(wanted)[:REVISIONS]:
        data = await git.show(root, revision, path)
        wanted[revision, path] = data.decode("utf-8", "replace").splitlines() if data is not None else None
    if not wanted:
        return list(entries)
    return [replace(entry, places=tuple(with_quote(entry, spot, wanted) for spot in entry.places)) for entry in entries]


def with_quote(entry: Entry, spot: Spot, texts: Mapping[tuple[str, str], list[str] | None]) -> Spot:
    if not spot.revision or spot.quote:
        return spot
    first, last = spot.lines or (spot.line or 0, spot.line or 0)
    for base in bases(entry):
        lines = texts.get((spot.revision, f"{base}/{spot.file}" if base else spot.file))
        if lines is not None and 1 <= first <= last <= len(lines):
            return replace(spot, quote="\n".join(lines[first - 1 : last]))
    return spot


async def names_of(session: Session, entries: Sequence[Entry]) -> Mapping[str, Sequence[str]]:
    """Paths of the workspace's files by their bare names, where any entry writes no more than a name."""
    if not any("/" not in spot.file and not spot.offered for entry in entries for spot in entry.places):
        return {}
    root = session.root.path
    found: dict[str, list[str]] = {}
    for path in await git.files(root):
        found.setdefault(path.rpartition("/")[2], []).append(path)
    return found or await in_thread(lambda: names_in(root))


# -- what each entry is ------------------------------------------------------------------------------------------------


async def plan(
    session: Session, entries: Sequence[Entry], problems: list[Problem], renew: bool, allow_secret: bool
) -> list[Planned]:
    """What each entry is to the ledger, and where its places are. What is wrong is added to `problems`."""
    names = await names_of(session, entries)
    ids = {(entry.source, entry.id): carried_id(entry.source, entry.id) for entry in entries}
    heirs = {carried_id(entry.source, entry.after) for entry in entries if entry.after}
    await session.load_ids([*ids.values(), *(heirs - set(ids.values()))])
    snapshot = session.snapshot()
    there = set(ids.values()) | (heirs & set(snapshot.memories))
    ledger = session.ledger
    forgotten = {memory for home in ledger.homes for memory in ledger.tombstones(home).times}
    found = []
    for number, entry in enumerate(entries):
        if number % 50 == 49:
            await asyncio.sleep(0)
        identifier = ids[entry.source, entry.id]
        existing, digest = snapshot.memories.get(identifier), digest_of(entry)
        if existing is not None and existing.fields.get("digest", digest) == digest:
            heir = carried_id(entry.source, entry.after) if entry.after else ""
            late = heir if heir in there and heir != identifier and is_untouched(existing) else ""
            found.append(Planned(entry, identifier, KNOWN, existing.body, Told(), digest, existing, late))
            continue
        if existing is None and identifier in forgotten:
            problems.append(Problem(entry.file, entry.where, "was forgotten here on purpose; left out"))
            found.append(Planned(entry, identifier, FORGOTTEN, "", Told(), digest))
            continue
        told = writable(tell(snapshot, entry, names))
        body, wrong, lost = body_of(snapshot, entry, allow_secret)
        entry = untold(entry) if lost else entry
        problems += [Problem(entry.file, entry.where, message) for message in told.problems]
        if wrong:
            problems.append(Problem(entry.file, entry.where, wrong, lost))
        status = REFUSED if lost else NEW if existing is None else CHANGED
        if status == CHANGED and not (renew and existing is not None and existing.state == KIND.initial):
            problems.append(Problem(entry.file, entry.where, changed(existing)))
        successor = carried_id(entry.source, entry.after) if entry.after else ""
        if successor not in there or successor == identifier:
            successor = ""
        found.append(Planned(entry, identifier, status, body, told, digest, existing, successor))
    return found


def is_untouched(existing: Memory) -> bool:
    """Whether nobody ever decided on a carried memory, not even to take a decision back."""
    return existing.state == KIND.initial and existing.entered is None and not existing.disputed


def changed(existing: Memory | None) -> str:
    """What is said where an entry is no longer what was carried over."""
    assert existing is not None
    name = existing.id[:8]
    if existing.state != KIND.initial:
        return f"says something else than when it was imported; its memory {name} was decided since ({existing.state})"
    return f"says something else than when it was imported ({name}); --renew takes over what it says now"


def digest_of(entry: Entry) -> str:
    """A hash of what an entry says. Its number in the file, its tags and what others say of it are not that."""
    places = [[str(spot), spot.quote if not spot.revision else "", spot.pattern, spot.hash] for spot in entry.places]
    said = [entry.title, entry.text, entry.kind, entry.time, entry.author, entry.state, places]
    text = json.dumps(said, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def writable(told: Told) -> Told:
    """What was told, less the places that a ledger cannot write down."""
    kept = []
    for tied in told.tied:
        try:
            stored_locus(tied.locus)
            kept.append(tied)
        except LocusError as error:
            told.problems.append(f"{error}; carried without that place")
    told.tied = kept
    return told


def body_of(snapshot: Snapshot, entry: Entry, allow_secret: bool) -> tuple[str, str, bool]:
    """The text of the carried memory, what is to be said about it, and whether it cannot be taken."""
    text, title = normal_body(strip_controls(entry.text)), one_line(entry.title)
    if entry.document and not title:
        document = snapshot.read(entry.document)
        title = heading_of("\n".join(lines_of(document))) if document.text is not None else ""
    if not text.strip():
        line = own_line(snapshot, entry)
        text = f"{title}: `{line}`" if line else title
    elif title and not first_line(text, 2000).startswith(title.rstrip("…")) and heading_of(text) != title:
        text = f"# {title}\n\n{text}"
    if not text.strip():
        return "", "has no text; write one, or leave it out", True
    secret = None if allow_secret else secret_in(text)
    if secret is not None:
        message = f"holds what looks like a secret ({secret}): take it out there; where it is none, --allow-secret"
        return "", f"{message} lets it pass", True
    data = text.encode("utf-8", "replace")
    if ours(data) is not None:
        return "", "holds the markers of a merge conflict; settle it there, then import it again", True
    if len(data) <= KIND.cap:
        return text, "", False
    cut = data[: KIND.cap - 200].decode("utf-8", "ignore").rstrip()
    message = f"has {len(data)} bytes, more than the {KIND.cap} of a memory; carried cut off: read it where it is"
    return f"{cut}\n\n(Cut off here: the rest is in {entry.file[:120]}.)", message, False


def untold(entry: Entry) -> Entry:
    """An entry that is not taken, named without its words: what it is refused for may stand in them."""
    if secret_in(f"{entry.title}\n\n{entry.text}") is None:
        return entry
    return replace(entry, id="", title="", where="" if entry.where.startswith("“") else entry.where)


def own_line(snapshot: Snapshot, entry: Entry) -> str:
    """What stands on the line of an entry that says nothing else."""
    for spot in entry.places:
        if spot.quote:
            return spot.quote.strip().split("\n")[0][:200]
        for base in bases(entry):
            key = key_of(snapshot, f"{base}/{spot.file}" if base else spot.file)
            source = snapshot.read(key) if key is not None else None
            lines = lines_of(source) if source is not None and source.text is not None else []
            if spot.line is not None and 0 < spot.line <= len(lines):
                return lines[spot.line - 1].strip().replace("`", "'")[:200]
    return ""


# -- writing -----------------------------------------------------------------------------------------------------------


async def write(
    session: Session, planned: Sequence[Planned], renew: bool, home: str, progress: Callable[[int, int], None]
) -> dict[str, str]:
    """Writes what is new, and with `renew` what changed. Answers, by memory, why one was not written."""
    changes = changes_of(session.snapshot(), planned, renew, home)
    if not changes:
        return {}
    if not session.ledger.exists():
        await asyncio.to_thread(session.ledger.init)
    refused: dict[str, str] = {}
    for start in range(0, len(changes), CHUNK):
        progress(start, len(changes))
        errors = await session.apply_each(changes[start : start + CHUNK])
        refused |= {identifier: str(error) for identifier, error in errors.items()}
    return refused


# -- the answer --------------------------------------------------------------------------------------------------------


def report(
    planned: Sequence[Planned],
    formats: Mapping[str, str],
    others: int,
    problems: Sequence[Problem],
    refused: Mapping[str, str],
    apply: bool,
    renew: bool,
) -> dict[str, Any]:
    """What was found in each file, what became of each entry, and what is wrong."""
    entries = [entry_json(one, refused, apply and is_written(one, renew)) for one in planned]
    by_file: dict[str, list[dict[str, Any]]] = {path: [] for path in formats}
    for entry in entries:
        by_file.setdefault(entry["file"], []).append(entry)
    wrong = [
        {"file": one.file, "where": one_line(one.where) or None, "message": one_line(one.message), "lost": one.lost}
        for one in problems
    ]
    files = [
        {
            "file": path,
            "format": formats.get(path),
            **counts(own),
            "problems": [one for one in wrong if one["file"] == path],
        }
        for path, own in by_file.items()
    ]
    summary = {"files": len(formats), "others": others, **counts(entries), "lost": sum(one.lost for one in problems)}
    return {
        "version": VERSION,
        "applied": apply,
        "files": files,
        "entries": entries,
        "problems": wrong,
        "summary": summary,
    }


def counts(entries: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    statuses = (NEW, KNOWN, CHANGED, RENEWED, FORGOTTEN, REFUSED)
    found = {status: sum(one["status"] == status for one in entries) for status in statuses}
    fresh = [one for one in entries if one["status"] != KNOWN]
    return {
        "entries": len(entries),
        **found,
        "anchors": sum(len(one["anchors"]) for one in fresh),
        "candidates": sum(len(one["candidates"]) for one in fresh),
    }


def entry_json(one: Planned, refused: Mapping[str, str], written: bool) -> dict[str, Any]:
    status = REFUSED if one.memory in refused else RENEWED if written and one.status == CHANGED else one.status
    return {
        "id": one.memory,
        "status": status,
        "state": one.existing.state if one.existing is not None else "succeeded" if one.successor else KIND.initial,
        "source": one.entry.source,
        "source_id": one.entry.id,
        "file": one.entry.file,
        "where": one.entry.where or None,
        "kind": one.entry.kind,
        "title": one.entry.title or first_line(one.body),
        "said": one.entry.state or None,
        "anchors": [str(tied.locus) for tied in one.told.tied],
        "candidates": list(one.told.candidates),
    }
