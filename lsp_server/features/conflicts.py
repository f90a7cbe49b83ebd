"""What contradicts what: current memories of one kind that say different things under one key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_server.core.kinds import KEY, kind_of
from lsp_server.core.model import Memory


@dataclass(frozen=True, slots=True)
class Conflict:
    """A key with the current memories that say different things of it, the oldest first."""

    kind: str
    key: str
    memories: tuple[Memory, ...]


def conflicts(memories: Iterable[Memory]) -> tuple[Conflict, ...]:
    """Every conflict among some memories, by kind and key. Only kinds with a key can have one; keys are the same
    whatever their case and white space; the same text twice is no conflict."""
    groups: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        key = " ".join(memory.fields.get(KEY, "").casefold().split())
        if key and memory.current and KEY in kind_of(memory.kind).fields:
            groups.setdefault((memory.kind, key), []).append(memory)
    return tuple(
        Conflict(kind, key, tuple(sorted(some, key=lambda one: (one.created, one.id))))
        for (kind, key), some in sorted(groups.items())
        if len({memory.body for memory in some}) > 1
    )


def conflicts_json(found: Sequence[Conflict]) -> list[dict[str, Any]]:
    """Conflicts as `--json` answers them."""
    return [{"kind": one.kind, "key": one.key, "ids": [memory.id for memory in one.memories]} for one in found]
