"""A brief for a task: the few memories that bear on it, within a budget; and a kept one, read again exactly.

What is required is in, the rest is chosen by rank. A lens says which sections a sort of work needs; lenses are data.
Everything in a brief that somebody wrote is a quotation (`features.quoted`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lsp_server.core.ids import body_hash
from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Locus, Memory
from lsp_server.features import operations
from lsp_server.features.budget import BASE, LEAST, MOST, Parts, fit
from lsp_server.features.describe import doubts, found_at, innermost, inside, is_folder
from lsp_server.features.errors import Refused
from lsp_server.features.granularity import at_level
from lsp_server.features.listing import in_reading_order
from lsp_server.features.quoted import NOTICE, cut, line, told, verdict_of, visible
from lsp_server.features.record import Request
from lsp_server.features.report import memory_json
from lsp_server.features.search import POOL, Question
from lsp_server.features.words import short
from lsp_server.workspace.session import Session

KIND = "brief"
"""The kind that a kept brief has."""

TASK_BYTES, CONSTRAINT_BYTES, CONSTRAINTS, REQUIRED = 600, 300, 10, 40
"""How long a task and a constraint may be, how many constraints there may be, and how many memories may be required:
what always stays must leave room for the rest."""

ITEMS = 60
"""Most items of a brief, as many as a search looks at closely."""

DRIFTED = 24
"""Most entries that say what drifted: 4,096 bytes hold them."""

RESERVED = 4_096
"""Bytes that a kept brief leaves for what has drifted since."""

_FENCE = "```"

_ID = re.compile(r"[0-9a-f]{4,8}(?:-[0-9a-f-]{0,27})?")


@dataclass(frozen=True, slots=True)
class Lens:
    """What a sort of work needs to know: its sections in order, each of some kinds, and how it looks for them."""

    what: str
    sections: Mapping[str, tuple[str, ...]]
    profile: str = "default"


_DECISIONS = ("decision",)
_FINDINGS = ("finding",)
_CLAIMS = ("claim", "research", "passage", "artifact")
_LESSONS = ("lesson", "pattern", "case")
_NOTES = ("note", "carried", "event")
_EXPLANATIONS = ("purpose", "account", "entity")
_PEOPLE = ("preference", "profile")

EVERYTHING = Lens(
    "everything that bears on the task",
    MappingProxyType(
        {
            "decisions": _DECISIONS,
            "findings": _FINDINGS,
            "claims": _CLAIMS,
            "lessons": _LESSONS,
            "explanations": _EXPLANATIONS,
            "people": _PEOPLE,
            "notes": (*_NOTES, "checkpoint"),
        }
    ),
)

LENSES: Mapping[str, Lens] = MappingProxyType(
    {
        "design": Lens(
            "what was decided and learnt, and why",
            MappingProxyType(
                {
                    "decisions": _DECISIONS,
                    "claims": _CLAIMS,
                    "lessons": _LESSONS,
                    "explanations": _EXPLANATIONS,
                    "people": _PEOPLE,
                }
            ),
        ),
        "review": Lens(
            "what a change has to keep to, and what went wrong before",
            MappingProxyType({"decisions": _DECISIONS, "findings": _FINDINGS, "claims": _CLAIMS, "lessons": _LESSONS}),
            "fact-check",
        ),
        "fix": Lens(
            "what is known to be wrong, and what was tried",
            MappingProxyType({"findings": _FINDINGS, "lessons": _LESSONS, "notes": _NOTES, "decisions": _DECISIONS}),
            "debug",
        ),
        "onboarding": Lens(
            "what things are for and how they work",
            MappingProxyType(
                {
                    "explanations": _EXPLANATIONS,
                    "decisions": _DECISIONS,
                    "people": _PEOPLE,
                    "lessons": _LESSONS,
                    "notes": _NOTES,
                }
            ),
        ),
    }
)
"""The lenses, by name."""

ELSEWHERE = "required"
"""The section of what is required and that no section of the lens is for."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a brief is to be of. `ids` (beginnings of ids) and `places` are required; `size` is in bytes, `items` a
    number of memories (0: what fits)."""

    task: str
    constraints: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    places: tuple[Locus, ...] = ()
    lens: str = ""
    size: int = BASE
    items: int = 0
    keep: bool = False


async def brief(session: Session, wish: Wish, ascii_only: bool = False) -> dict[str, Any]:
    """The brief for a task. With `keep` it is a fact in the ledger from then on, and `kept` its id.

    Raises Refused where nothing is asked for, a lens is none, or what is required is not there.
    """
    check_wish(wish)
    task = unicodedata.normalize("NFC", wish.task)
    await operations.no_secret({"task": "\n".join((task, *wish.constraints))}, allow=not wish.keep)
    await session.load_all()
    await session.search_missing()
    await session.usage.read()
    required = await required_of(session, wish)
    lens = LENSES.get(wish.lens, EVERYTHING)
    question = Question(
        text=cut(" ".join((task, *wish.constraints)), 2_000),
        near=wish.places[0] if wish.places else None,
        profile=lens.profile,
        task=task,
        limit=POOL,
    )
    found = await operations.search_memories(session, question, counted=False)
    snapshot = session.snapshot()
    factors = {memory["id"]: memory["found"] for memory in found["memories"]}
    chosen = list(dict.fromkeys((*required, *factors)))
    memories = [snapshot.memories[identifier] for identifier in chosen]
    sections: dict[str, list[dict[str, Any]]] = {name: [] for name in lens.sections}
    narrowed = 0
    shown: list[Memory] = []
    for rank, memory in enumerate(memories):
        name = section_of(lens, memory)
        if name is None and memory.id not in required:
            narrowed += 1
            continue
        item = told(memory_json(snapshot, memory), at_level(memory, "fit", rank))
        why: dict[str, Any] = {"required": memory.id in required}
        if memory.id in factors:
            why |= {"score": factors[memory.id]["score"], "factors": factors[memory.id]["factors"]}
        sections.setdefault(name or ELSEWHERE, []).append({**item, "why": why})
        shown.append(memory)
    head = {
        "version": 1,
        "task": line(task, TASK_BYTES),
        "constraints": [line(one, CONSTRAINT_BYTES) for one in wish.constraints],
        "lens": wish.lens or None,
        "notice": NOTICE,
        "outside_lens": narrowed,
        "more_found": found["omitted"],
        "kept": None,
    }
    if not shown:
        unknown = [{"what": "nothing_found", "count": 1, "detail": "nothing recorded bears on this", "samples": []}]
    else:
        unknown = [dict(entry) for entry in doubts(snapshot, shown)]
    parts = Parts(head, unknown, {name: items for name, items in sections.items() if items}, required)
    # The id of a kept brief, and what drifts later, have room of their own.
    room = min(wish.size, MOST - RESERVED) - len('"kept":"",') - 36 if wish.keep else wish.size
    answer = fit(parts, room, ascii_only, wish.items or ITEMS)
    session.seen([item["id"] for section in answer["sections"].values() for item in section["items"]], "recalled")
    return await keep(session, task, answer) if wish.keep else answer


def check_wish(wish: Wish) -> None:
    """Raises Refused where a brief is of nothing, or of more than fits."""
    if not wish.task.strip():
        raise Refused("say what the task is")
    if wish.lens and wish.lens not in LENSES:
        raise Refused(f"no lens {wish.lens[:40]!r}; lenses: {', '.join(LENSES)}")
    if not LEAST <= wish.size <= MOST:
        raise Refused(f"a brief has from {LEAST} to {MOST} bytes")
    if not 0 <= wish.items <= ITEMS:
        raise Refused(f"a brief has at most {ITEMS} items")
    if len(wish.constraints) > CONSTRAINTS:
        raise Refused(f"at most {CONSTRAINTS} constraints; put some of them together")


async def required_of(session: Session, wish: Wish) -> tuple[str, ...]:
    """The ids of what must be in: by id, and all that is recorded of the places, which may be nothing."""
    found = [(await operations.find(session, prefix)).id for prefix in wish.ids]
    snapshot = session.snapshot()
    for place in [inside(session.root.path, one) for one in wish.places]:
        folder = place.symbol is None and place.lines is None and is_folder(snapshot, place)
        there = found_at(snapshot, place if folder else innermost(snapshot, place), folder)
        found += [one.id for one in in_reading_order(snapshot, there)]
    distinct = tuple(dict.fromkeys(found))
    if len(distinct) > REQUIRED:
        raise Refused(f"{len(distinct)} memories are required, at most {REQUIRED} can be; name a narrower place")
    return distinct


def section_of(lens: Lens, memory: Memory) -> str | None:
    """The section of a lens that a memory belongs to; None where it has none. Kinds of newer versions are notes."""
    kind = memory.kind if memory.kind in KINDS else "note"
    return next((name for name, kinds in lens.sections.items() if kind in kinds), None)


# -- kept briefs -------------------------------------------------------------------------------------------------------


async def keep(session: Session, task: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Writes a brief down as it is, with what it cites as that is now."""
    snapshot = session.snapshot()
    cites = []
    for section in answer["sections"].values():
        for item in section["items"]:
            memory = snapshot.memories[item["id"]]
            cites.append(
                {"id": memory.id, "verdict": item["verdict"], "state": memory.state, "text": body_hash(memory.body)}
            )
    data = json.dumps({"brief": answer, "cites": cites}, ensure_ascii=False, separators=(",", ":"))
    body = f"# {line(task, 120)}\n\n{_FENCE}json\n{data}\n{_FENCE}"
    # What it quotes is in the ledger already, so nothing is looked through for secrets but the task, which was.
    made = await operations.record_memory(session, Request(KIND, body, allow_secret=True))
    return {**answer, "kept": made["id"]}


async def kept_brief(session: Session, prefix: str) -> dict[str, Any]:
    """A kept brief as it was, with `drifted`: which of what it cites is not as it was then, and how it is now.

    Raises Refused where an id is none of a brief, or its file was edited beyond reading.
    """
    await session.load_all()
    await session.search_missing()
    await session.usage.read()
    memory = await operations.find(session, prefix)
    answer, cites = read_kept(memory)
    drifted = []
    snapshot = session.snapshot()
    for cited in cites:
        one = snapshot.memories.get(cited["id"])
        was = line(str(cited["verdict"]), 40)
        if one is None:
            drifted.append(
                {"id": short(cited["id"]), "what": ["gone"], "was": line(str(cited["verdict"])), "now": None}
            )
            continue
        verdict = verdict_of(memory_json(snapshot, one))
        what = ["code"] if verdict != cited["verdict"] else []
        what += ["state"] if one.state != cited["state"] else []
        what += ["text"] if body_hash(one.body) != cited["text"] else []
        if what:
            drifted.append({"id": short(one.id), "what": what, "was": was, "now": verdict})
    return {**answer, "kept": memory.id, "drifted": drifted[:DRIFTED], "drifted_total": len(drifted)}


def read_kept(memory: Memory) -> tuple[dict[str, Any], list[Mapping[str, Any]]]:
    """What a kept brief says, and what it cites. What a hand made of it is told, and believed in nothing."""
    if memory.kind != KIND:
        raise Refused(f"{short(memory.id)} is no brief; moorline list --all --kind {KIND} shows them")
    _, _, rest = memory.body.partition(f"{_FENCE}json\n")
    try:
        data = json.loads(rest.rpartition(f"\n{_FENCE}")[0])
        answer, cites = data["brief"], data["cites"]
        if not isinstance(answer, dict) or not all(
            isinstance(one, dict) and isinstance(one.get("id"), str) and {"verdict", "state", "text"} <= one.keys()
            for one in cites
        ):
            raise ValueError
        size = len(memory.body.encode())
        if size > 2 * MOST or json.dumps(answer, ensure_ascii=False) != visible(json.dumps(answer, ensure_ascii=False)):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Refused(
            f"brief {short(memory.id)} was edited and cannot be read; moorline show {short(memory.id)} shows it"
        ) from None
    return answer, list(cites)


def is_id(text: str) -> bool:
    """Whether what was typed is the beginning of an id, and no place: a file of such a name is written `./NAME`."""
    return _ID.fullmatch(text) is not None
