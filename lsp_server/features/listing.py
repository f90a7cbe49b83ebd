"""Choosing memories: by id prefix, by place, and in the order people want to read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsp_server.core.model import Locus, Memory
from lsp_server.features.errors import Refused
from lsp_server.features.expiry import is_expired
from lsp_server.features.report import score
from lsp_server.workspace.snapshot import Snapshot


def select(
    snapshot: Snapshot,
    *,
    place: Locus | None = None,
    kind: str | None = None,
    tag: str | None = None,
    stale: bool | None = None,
    everything: bool = False,
) -> list[Memory]:
    """Current memories (`everything`: history too) that pass every filter given, stale first, then newest first."""
    memories: Iterable[Memory] = snapshot.memories.values()
    if place is not None:
        memories = {item.memory.id: item.memory for item in snapshot.at(place, everything)}.values()
    chosen = [
        memory
        for memory in memories
        if (everything or memory.current)
        and (kind is None or memory.kind == kind)
        and (tag is None or tag in memory.tags)
        and (stale is None or snapshot.stale(memory) == stale)
    ]
    return in_reading_order(snapshot, chosen)


def in_reading_order(snapshot: Snapshot, memories: Iterable[Memory]) -> list[Memory]:
    """Stale first, then the newest."""
    newest = sorted(memories, key=lambda memory: (memory.created, memory.id), reverse=True)

    def standing(memory: Memory) -> float:
        expired = is_expired(memory, snapshot.stamp.time, snapshot.settings.kinds)
        return score(snapshot.judged(memory), expired, snapshot.settings.score)

    return sorted(newest, key=standing)


def one(found: Sequence[str], prefix: str) -> str:
    """The only id that begins with a prefix. Raises Refused where there is none or more than one."""
    if len(found) == 1:
        return found[0]
    if prefix in found:
        return prefix
    if not found:
        raise Refused(f"no memory {prefix}; moorline list --all shows every id")
    raise Refused(f"{prefix} could be {len(found)} memories: {', '.join(sorted(found)[:4])}; give more of the id")
