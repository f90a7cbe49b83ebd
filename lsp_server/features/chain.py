"""What took over from what: predecessors and successors, so that a reader of either finds the present one."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Any

from lsp_server.core.model import Memory
from lsp_server.features.words import headline
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot

LONGEST = 50
"""Most memories of one chain, the nearest ones."""


def chain(snapshot: Snapshot, memory: Memory) -> tuple[str, ...]:
    """The ids of all that a memory is linked to by superseding, itself included, the oldest first; empty where there is
    no such link. Those that were not loaded are among them."""
    if not memory.supersedes and not memory.superseded_by:
        return ()
    before: dict[str, set[str]] = {memory.id: set()}
    waiting = [memory.id]
    while waiting:
        one = snapshot.memories.get(waiting.pop(0))
        if one is None:
            continue
        for old, new in (*((old, one.id) for old in one.supersedes), *((one.id, new) for new in one.superseded_by)):
            for linked in (old, new):
                if linked not in before and len(before) < LONGEST:
                    before[linked] = set()
                    waiting.append(linked)
            if old in before and new in before:
                before[new].add(old)
    try:
        return _in_order(snapshot, before)
    except CycleError:  # Two clones may each have superseded one by the other, or somebody restored the old one.
        return tuple(sorted(before, key=lambda one: _age(snapshot, one)))


def _in_order(snapshot: Snapshot, before: dict[str, set[str]]) -> tuple[str, ...]:
    sorter = TopologicalSorter(before)
    sorter.prepare()
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda one: _age(snapshot, one))
        found += ready
        sorter.done(*ready)
    return tuple(found)


def _age(snapshot: Snapshot, identifier: str) -> tuple[str, str]:
    memory = snapshot.memories.get(identifier)
    return (memory.created if memory is not None else "", identifier)


def chain_json(snapshot: Snapshot, memory: Memory) -> list[dict[str, Any]]:
    """The chain as `--json` answers it; of what is not to be found, the id alone."""
    return [
        {
            "id": identifier,
            "state": one.state if one is not None else None,
            "current": one is not None and one.current,
            "title": headline(one) if one is not None else None,
        }
        for identifier in chain(snapshot, memory)
        for one in (snapshot.memories.get(identifier),)
    ]


async def load_chain(session: Session, identifier: str) -> None:
    """Loads what `chain` follows from a memory."""
    known: set[str] = set()
    wanted = {identifier}
    while wanted - known:
        await session.load_ids(wanted - known)
        known |= wanted
        snapshot = session.snapshot()
        memory = snapshot.memories.get(identifier)
        wanted = set(chain(snapshot, memory)) if memory is not None else set()
