"""What is recorded of a place, for whoever is about to work there: first what the record cannot justify, then the rest.

The whole answer keeps a budget in bytes (`features.budget`). Everything in it that somebody wrote is a quotation
(`features.quoted`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Event, Level, Locus, Memory
from lsp_server.features import operations
from lsp_server.features.backlog import item_json
from lsp_server.features.budget import Parts, fit, limit_for
from lsp_server.features.dues import owed_by
from lsp_server.features.errors import Refused
from lsp_server.features.expiry import is_expired
from lsp_server.features.granularity import abstract, at_level
from lsp_server.features.history import events_json
from lsp_server.features.listing import Filters, choose, in_reading_order, is_below
from lsp_server.features.places import symbol_on_line
from lsp_server.features.quoted import NOTICE, line, quotation, told
from lsp_server.features.report import evidence_json, memory_json
from lsp_server.features.slots import explanation
from lsp_server.features.words import author_kind, owed, short
from lsp_server.workspace.paths import PathRefused, real, safe
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot

EXTRAS: Mapping[str, str] = MappingProxyType(
    {
        "history": "what happened to what is recorded here, and what was there before",
        "evidence": "what it rests on",
        "related": "what is recorded near it",
        "explanation": "what the place is for and how it works, also where nobody wrote that",
        "checks": "the conditions that it carries, and how they stand",
        "backlog": "what is owed here, with what settles it",
    }
)
"""The optional sections, and what each holds."""

OTHER = "other"
"""The section of kinds that this version does not know."""

SAMPLES = 5
"""Most samples of one thing that is unknown."""

TOLD = 60
"""Most memories whose events are read for a history: a window's worth."""

UNSETTLED = ("proposed",)
"""States beside those in which something is owed that nobody has agreed to yet."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that a record cannot justify: its name, what it means, and of which memories that is so."""

    what: str
    detail: str
    holds: Callable[[Snapshot, Memory], bool]


DOUBTS = (
    Doubt("contradicted", "a check that it carries fails", lambda snapshot, one: snapshot.contradicted(one)),
    Doubt(
        "stale",
        "the code changed, or is gone, since somebody accepted it",
        lambda snapshot, one: snapshot.stale(one),
    ),
    Doubt("disputed", "two writers said different things of its state", lambda snapshot, one: one.disputed),
    Doubt(
        "unverifiable",
        "nobody can tell whether the code is still what it was",
        lambda snapshot, one: any(item.verdict.level is Level.UNVERIFIABLE for item in snapshot.judged(one)),
    ),
    Doubt(
        "unverified",
        "nobody verified it, or looked at it since it was edited",
        lambda snapshot, one: one.edited or owed(one) is not None or one.state in UNSETTLED,
    ),
    Doubt(
        "expired",
        "it is past its date",
        lambda snapshot, one: is_expired(one, snapshot.stamp.time, snapshot.settings.kinds),
    ),
    Doubt("agent_only", "agents alone wrote and accepted it", lambda snapshot, one: is_by_agents(one)),
    Doubt("damaged", "its files are damaged; its last good version is told", lambda snapshot, one: bool(one.problem)),
)
"""What may be doubted of a memory, the gravest first."""


async def describe_place(
    session: Session, place: Locus, extras: Sequence[str] = (), ascii_only: bool = False
) -> dict[str, Any]:
    """What is recorded of a place (a symbol, lines, a file or a folder), within 8,192 bytes and 4,096 for each of the
    `extras`. Raises Refused for an extra that is none."""
    check_extras(extras)
    place = inside(session.root.path, place)
    await session.load_all()
    await session.search_missing()
    await session.usage.read()
    snapshot = session.snapshot()
    folder = place.symbol is None and place.lines is None and is_folder(snapshot, place)
    place = place if folder else innermost(snapshot, place)
    there = in_reading_order(snapshot, found_at(snapshot, place, folder, everything="history" in extras))
    events = {}
    if "history" in extras:
        for memory in there[:TOLD]:
            events[memory.id] = await operations.events_of(session, memory)
    session.seen([memory.id for memory in there if memory.current], "shown")
    return describe(snapshot, place, there, extras, events, folder=folder, ascii_only=ascii_only)


def describe(
    snapshot: Snapshot,
    place: Locus,
    there: Sequence[Memory],
    extras: Sequence[str] = (),
    events: Mapping[str, Sequence[Event]] = MappingProxyType({}),
    *,
    folder: bool = False,
    ascii_only: bool = False,
) -> dict[str, Any]:
    """The answer, from the memories of the place, history among them where it is asked for."""
    current = [memory for memory in there if memory.current]
    sections: dict[str, Sequence[Mapping[str, Any]]] = {}
    # Kinds of newer versions share a section, so that no number of them fills an answer with names.
    for kind in (*KINDS, OTHER):
        of_kind = [memory for memory in current if (memory.kind if memory.kind in KINDS else OTHER) == kind]
        if of_kind:
            sections[kind] = [
                told(memory_json(snapshot, memory), at_level(memory, "fit", rank))
                for rank, memory in enumerate(of_kind)
            ]
    for extra in dict.fromkeys(extras):
        sections[extra] = _EXTRAS[extra](snapshot, place, there, events, folder)
    head = {
        "version": 1,
        "place": line(str(place) or "."),
        "there": folder or is_there(snapshot, place),
        "notice": NOTICE,
        "memories": len(current),
    }
    unknown = [*unrecorded(snapshot, place, current, folder), *doubts(snapshot, current)]
    return fit(Parts(head, unknown, sections), limit_for(len(set(extras))), ascii_only)


def check_extras(extras: Sequence[str]) -> None:
    """Raises Refused for a section that is none."""
    for extra in extras:
        if extra not in EXTRAS:
            raise Refused(f"no section {extra[:40]!r}; sections: {', '.join(EXTRAS)}")


# -- the place ---------------------------------------------------------------------------------------------------------


def inside(root: Path, place: Locus) -> Locus:
    """The same place by the key of its file. Raises Refused for one outside, before anybody looks there."""
    if place.file in ("", "."):
        return place
    try:
        return replace(place, file=safe(root, place.file))
    except PathRefused as error:
        raise Refused(str(error)) from None


def innermost(snapshot: Snapshot, place: Locus) -> Locus:
    """A single line stands for the innermost symbol there."""
    if place.lines is None or place.lines[0] != place.lines[1]:
        return place
    symbol = symbol_on_line(snapshot.read(place.file), place.lines[0])
    return Locus(place.file, symbol.path) if symbol is not None else place


def is_folder(snapshot: Snapshot, place: Locus) -> bool:
    return place.file in ("", ".") or real(snapshot.root.path, place.file).is_dir()


def is_there(snapshot: Snapshot, place: Locus) -> bool:
    """Whether the file can be read, and holds the symbol where one is named."""
    source = snapshot.read(place.file)
    if source.text is None:
        return False
    return place.symbol is None or (
        source.outline is not None and any(symbol.path == place.symbol for symbol in source.outline.symbols)
    )


def found_at(snapshot: Snapshot, place: Locus, folder: bool, everything: bool = False) -> list[Memory]:
    """The memories of a place, each once."""
    if folder:
        below = "" if place.file == "." else place.file
        return list(choose(snapshot, Filters(below=below, everything=everything, limit=0)).memories)
    return list({item.memory.id: item.memory for item in snapshot.at(place, everything)}.values())


# -- what is unknown ---------------------------------------------------------------------------------------------------


def unrecorded(snapshot: Snapshot, place: Locus, current: Sequence[Memory], folder: bool) -> list[Mapping[str, Any]]:
    """That nothing is recorded of a place, or of which definitions of a file nothing is."""
    if not current:
        return [{"what": "nothing_recorded", "count": 1, "detail": "nothing is recorded here", "samples": []}]
    if folder or place.symbol is not None or place.lines is not None:
        return []
    outline = snapshot.read(place.file).outline
    if outline is None:
        return []
    known = {item.verdict.now.symbol for item in snapshot.at(Locus(place.file)) if item.verdict.now is not None}
    without = [path for symbol in outline.symbols if (path := symbol.path) not in known and not is_covered(path, known)]
    if not without:
        return []
    samples = [{"at": line(f"{place.file}#{path}")} for path in without[:SAMPLES]]
    detail = "definitions of this file of which nothing is recorded"
    return [{"what": "nothing_recorded", "count": len(without), "detail": detail, "samples": samples}]


def is_covered(path: str, known: set[str | None]) -> bool:
    """Whether something is recorded of what a definition is in, or of what is in it."""
    return any(one is not None and (path.startswith(f"{one}.") or one.startswith(f"{path}.")) for one in known)


def doubts(snapshot: Snapshot, memories: Sequence[Memory]) -> list[Mapping[str, Any]]:
    """What cannot be believed as it stands, the gravest first: how much of it, and some samples."""
    found: list[Mapping[str, Any]] = []
    for doubt in DOUBTS:
        of_it = [memory for memory in memories if doubt.holds(snapshot, memory)]
        if of_it:
            samples = [sample(memory) for memory in of_it[:SAMPLES]]
            found.append({"what": doubt.what, "count": len(of_it), "detail": doubt.detail, "samples": samples})
    return found


def sample(memory: Memory) -> dict[str, Any]:
    return {"id": short(memory.id), "quoted": quotation(abstract(memory), "line")}


def is_by_agents(memory: Memory) -> bool:
    """Whether no human recorded it, accepted any of its code, gave it evidence or took it to its state."""
    authors = [memory.author, *(one.author for anchor in memory.anchors for one in anchor.baselines)]
    authors += [piece.author for piece in memory.evidence]
    authors += [memory.entered.author] if memory.entered is not None else []
    return all(author_kind(author) == "agent" for author in authors)


# -- the optional sections ---------------------------------------------------------------------------------------------

Section = Callable[
    [Snapshot, Locus, Sequence[Memory], Mapping[str, Sequence[Event]], bool], Sequence[Mapping[str, Any]]
]


def history(
    snapshot: Snapshot, place: Locus, there: Sequence[Memory], events: Mapping[str, Sequence[Event]], folder: bool
) -> Sequence[Mapping[str, Any]]:
    """Every event of what is and was recorded here, the latest first."""
    found = [
        {
            "id": entry["id"],
            "memory": short(memory.id),
            "state": line(memory.state, 60),
            "time": line(entry["time"], 40),
            "author": line(entry["author"], 120),
            "author_kind": entry["author_kind"],
            "quoted": {"what": line(entry["what"]), "why": line(entry["why"] or "") or None},
        }
        for memory in there
        for entry in events_json(events.get(memory.id, ()))
    ]
    return sorted(found, key=lambda entry: (entry["time"], entry["id"]), reverse=True)


def evidence(
    snapshot: Snapshot, place: Locus, there: Sequence[Memory], events: Mapping[str, Sequence[Event]], folder: bool
) -> list[Mapping[str, Any]]:
    """What it rests on."""
    return [
        {
            "memory": short(memory.id),
            "type": line(answer["type"], 60),
            "role": line(answer["role"] or "", 60) or None,
            "author": line(answer["author"], 120),
            "time": line(answer["time"], 40),
            "quoted": {"value": line(answer["value"])},
        }
        for memory in there
        if memory.current
        for piece in memory.evidence
        for answer in (evidence_json(piece),)
    ]


def related(
    snapshot: Snapshot, place: Locus, there: Sequence[Memory], events: Mapping[str, Sequence[Event]], folder: bool
) -> Sequence[Mapping[str, Any]]:
    """What is recorded elsewhere in the file, then in its folder."""
    known = {memory.id for memory in there}
    near = [item.memory for item in snapshot.at(Locus(place.file))] if not folder else []
    above = place.file.rpartition("/")[0]
    wider = (memory for memory in snapshot.memories.values() if memory.current)
    beside = [memory for memory in wider if is_below(snapshot, memory, above)] if above else []
    both = {one.id: one for one in (*in_reading_order(snapshot, near), *in_reading_order(snapshot, beside))}
    return [
        told(memory_json(snapshot, memory), at_level(memory, "line"))
        for memory in both.values()
        if memory.id not in known
    ][:TOLD]


def explained(
    snapshot: Snapshot, place: Locus, there: Sequence[Memory], events: Mapping[str, Sequence[Event]], folder: bool
) -> list[Mapping[str, Any]]:
    """What each slot of the place holds, empty ones too."""
    found: list[Mapping[str, Any]] = []
    for kind, slot in (explanation(snapshot, place)["slots"] if not folder else {}).items():
        entry: dict[str, Any] = {"kind": kind, "state": line(slot["state"], 60), "older": len(slot["older"])}
        if slot["id"] is not None:
            source = {"author": line(slot["author"], 120), "recorded": line(slot["recorded"], 40)}
            entry |= {"id": slot["id"], "stale": slot["stale"], "source": source, "quoted": quotation(slot["text"])}
        found.append(entry)
    return found


def checked(
    snapshot: Snapshot, place: Locus, there: Sequence[Memory], events: Mapping[str, Sequence[Event]], folder: bool
) -> Sequence[Mapping[str, Any]]:
    """The checks, those that fail first."""
    found = [
        {
            "memory": short(memory.id),
            "outcome": one.outcome.word,
            "quoted": {"check": line(one.text), "detail": line(one.outcome.detail)},
        }
        for memory in there
        for one in snapshot.checks.get(memory.id, ())
    ]
    return sorted(found, key=lambda entry: entry["outcome"] != "fails")


def owed_here(
    snapshot: Snapshot, place: Locus, there: Sequence[Memory], events: Mapping[str, Sequence[Event]], folder: bool
) -> list[Mapping[str, Any]]:
    """What is owed of what is recorded here."""
    found = sorted((one for memory in there for one in owed_by(snapshot, memory)), key=lambda one: one.rank)
    return [
        {
            "memory": short(entry["id"]) if entry["id"] else None,
            "what": entry["what"],
            "place": line(entry["place"] or "") or None,
            "detail": line(entry["detail"]),
            "command": line(entry["command"]),
            "quoted": {"title": line(entry["title"])},
        }
        for entry in map(item_json, found)
    ]


_EXTRAS: Mapping[str, Section] = MappingProxyType(
    {
        "history": history,
        "evidence": evidence,
        "related": related,
        "explanation": explained,
        "checks": checked,
        "backlog": owed_here,
    }
)

assert set(_EXTRAS) == set(EXTRAS)
