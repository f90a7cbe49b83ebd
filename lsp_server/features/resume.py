"""Resuming: what somebody needs who begins with nothing, composed within bytes that are counted exactly.

Who is worked for and how they like it (their own home, across projects); where the work was left; what is stale by now;
and of the project's entities, patterns and cases those that fit. Everything that somebody wrote is a quotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lsp_server.core.model import Memory
from lsp_server.core.ranking import overlap
from lsp_server.core.terms import terms
from lsp_server.features.budget import BASE, LEAST, MOST, Parts, fit
from lsp_server.features.checkpoint import SECTIONS, Work, latest, work_of
from lsp_server.features.describe import doubts
from lsp_server.features.errors import Refused
from lsp_server.features.granularity import at_level
from lsp_server.features.listing import in_reading_order, is_past, newest_first
from lsp_server.features.quoted import LINE_BYTES, NOTICE, cut, line, quotation, told
from lsp_server.features.report import memory_json
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot

PEOPLE = ("profile", "preference")
"""Kinds that say who is worked for, and how they like it."""

FITTING: Mapping[str, str] = MappingProxyType({"entities": "entity", "patterns": "pattern", "cases": "case"})
"""Sections of what fits the work, with the kind of each."""

ENTRIES = 20
"""Most memories of one section that compete for room."""

PARTS = ("next", "open", "decisions", "entities", "files")
"""The parts of a checkpoint in the order in which somebody needs them who goes on; `SECTIONS` has what each is."""


async def resume(session: Session, task: str = "", size: int = BASE, ascii_only: bool = False) -> dict[str, Any]:
    """What a fresh start needs, in at most `size` bytes of JSON. Without a `task`, that is what the latest checkpoint
    says. Raises Refused for a size that is none."""
    if not LEAST <= size <= MOST:
        raise Refused(f"what is resumed has from {LEAST} to {MOST} bytes")
    await session.load_all()
    await session.search_missing()
    await session.usage.read()
    snapshot = session.snapshot()
    return resumed(snapshot, task, size, ascii_only)


def resumed(snapshot: Snapshot, task: str = "", size: int = BASE, ascii_only: bool = False) -> dict[str, Any]:
    """The answer, from a snapshot that holds every memory."""
    current = [memory for memory in snapshot.memories.values() if memory.current]
    left = latest([memory for memory in current if not is_past(snapshot, memory)])
    work = work_of(left.body) if left is not None else None
    wanted = terms(task or (" ".join([work.summary, *work.next, *work.open, *work.entities]) if work else ""))
    stale = [memory for memory in current if snapshot.stale(memory) or snapshot.contradicted(memory)]
    sections: dict[str, Sequence[Mapping[str, Any]]] = {
        "who": items(snapshot, newest_first(one for one in current if one.kind in PEOPLE)),
        "work": parts_of(work, size // 4) if work is not None else [],
        "stale": items(snapshot, in_reading_order(snapshot, stale)),
        **{
            name: items(snapshot, fitting([one for one in current if one.kind == kind], wanted))
            for name, kind in FITTING.items()
        },
    }
    head = {
        "version": 1,
        "task": line(task, 150),
        "notice": NOTICE,
        "checkpoint": {"id": left.id, "author": line(left.author, 60), "recorded": left.created} if left else None,
        "memories": len(current),
    }
    return fit(
        Parts(head, doubts(snapshot, current), {name: one for name, one in sections.items() if one}), size, ascii_only
    )


def items(snapshot: Snapshot, memories: Sequence[Memory]) -> list[Mapping[str, Any]]:
    return [
        told(memory_json(snapshot, memory), at_level(memory, "fit", rank))
        for rank, memory in enumerate(memories[:ENTRIES])
    ]


def parts_of(work: Work, most: int) -> list[Mapping[str, Any]]:
    """A checkpoint as items, the summary first (`most` bytes of it), so that entries are left out one by one."""
    found: list[Mapping[str, Any]] = [{"kind": "summary", "quoted": quotation(cut(work.summary, most))}]
    for name in PARTS:
        found += [
            {"kind": SECTIONS[name].lower(), "quoted": {"level": "full", "text": line(one, 2 * LINE_BYTES)}}
            for one in work.section(name)
        ]
    return found


def fitting(memories: Sequence[Memory], wanted: Sequence[str]) -> list[Memory]:
    """Memories that fit some terms, the best first; where nothing is wanted, the newest."""
    if not wanted:
        return newest_first(memories)
    terms_wanted = frozenset(wanted)
    worth = {one.id: overlap(terms_wanted, one.body) for one in memories}
    return sorted(
        (one for one in newest_first(memories) if worth[one.id] > 0 or one.pinned),
        key=lambda one: (not one.pinned, -worth[one.id]),
    )
