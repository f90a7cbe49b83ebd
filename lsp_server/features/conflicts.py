"""What contradicts what: current memories of one kind that say different things under one key, or the opposite of one
place, as far as words tell.

A conflict is not kept: it is open while both stand, and over when one of them is history. Only that somebody looked at
two and found that both hold is kept, with the reason, and counts until one of them is edited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from lsp_server.core.change import Change
from lsp_server.core.ids import body_hash
from lsp_server.core.kinds import KEY, kind_of
from lsp_server.core.locus import LocusError, stored_locus
from lsp_server.core.model import Anchor, Memory
from lsp_server.features.errors import Refused
from lsp_server.features.likeness import opposed
from lsp_server.features.words import short
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Snapshot

CROWD = 60
"""Most memories of a kind at one place that are compared with one another, the newest: each with each is their
square."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A key, or a place, with the current memories that are at odds about it, the oldest first."""

    kind: str
    key: str
    memories: tuple[Memory, ...]
    place: str = ""

    @property
    def about(self) -> str:
        return self.key or self.place


def conflicts(memories: Iterable[Memory]) -> tuple[Conflict, ...]:
    """Every open conflict among some memories, by kind and key, then by kind and place.

    Under a key, any other text is one; keys are the same whatever their case and white space. At a place, only the
    opposite is. The same text twice is no conflict, and neither is what was dismissed.
    """
    current = [memory for memory in memories if memory.current]
    found = by_key(current)
    told = {pair(one, other) for each in found for one, other in combinations(each.memories, 2)}
    return (*found, *by_place(current, told))


def by_key(current: Sequence[Memory]) -> list[Conflict]:
    groups: dict[tuple[str, str], list[Memory]] = {}
    for memory in current:
        key = key_of(memory)
        if key:
            groups.setdefault((memory.kind, key), []).append(memory)
    found = []
    for (kind, key), some in sorted(groups.items()):
        odd = at_odds(some, lambda one, other: one.body != other.body)
        if odd:
            found.append(Conflict(kind, key, odd))
    return found


def by_place(current: Sequence[Memory], told: set[frozenset[str]]) -> list[Conflict]:
    """Pairs that say the opposite of one place; a pair of several places once, and none that is `told` already."""
    groups: dict[tuple[str, str], list[Memory]] = {}
    for memory in current:
        row = kind_of(memory.kind)
        # What happened at a place, or is a document's own text, or nobody decided on yet, contradicts nothing.
        if row.identity == "content" and row.home != "local" and not row.elsewhere:
            for place in dict.fromkeys(map(place_of, memory.anchors)):
                if place:
                    groups.setdefault((memory.kind, place), []).append(memory)
    seen = set(told)
    found = []
    for (kind, place), some in sorted(groups.items()):
        for one, other in combinations(in_order(some)[-CROWD:], 2):
            if pair(one, other) not in seen and opposed(one.body, other.body) and not is_dismissed(one, other):
                seen.add(pair(one, other))
                found.append(Conflict(kind, "", (one, other), place))
    return found


def at_odds(some: Sequence[Memory], differ: Callable[[Memory, Memory], bool]) -> tuple[Memory, ...]:
    """Those that are at odds with another one, the oldest first."""
    if len({memory.body for memory in some}) < 2:
        return ()
    ordered = in_order(some)
    if not any(memory.dismissed for memory in ordered):
        return tuple(ordered)
    odd = {
        memory.id
        for one, other in combinations(ordered, 2)
        if differ(one, other) and not is_dismissed(one, other)
        for memory in (one, other)
    }
    return tuple(memory for memory in ordered if memory.id in odd)


def contradicting(memory: Memory, others: Iterable[Memory]) -> tuple[Conflict, ...]:
    """The open conflicts of one memory with some others."""
    places = set(map(place_of, memory.anchors)) - {""}
    key = key_of(memory)
    near = [
        other
        for other in others
        if other.id != memory.id
        and other.kind == memory.kind
        and ((key and key_of(other) == key) or places & set(map(place_of, other.anchors)))
    ]
    return tuple(one for one in conflicts([memory, *near]) if memory in one.memories)


def dismiss(snapshot: Snapshot, one: Memory, other: Memory, reason: str) -> Change:
    """The change that says of two memories in conflict that both hold. Raises Refused where they are in none, or no
    reason is given."""
    if not reason.strip():
        raise Refused("say why both hold, with --reason")
    if is_dismissed(one, other):
        raise Refused(f"that was dismissed already; moorline history {short(one.id)} says why")
    if not contradicting(one, [other]):
        raise Refused("the two are in no conflict; moorline list --conflicts shows those that are")
    data = {
        "conflict": other.id,
        "reason": reason.strip(),
        "bodies": {one.id: body_hash(one.body), other.id: body_hash(other.body)},
    }
    return Change(one.id, one.folder, one.home, None, (event(snapshot.stamp, "dismissed", one.heads, data),))


def is_dismissed(one: Memory, other: Memory) -> bool:
    """Whether somebody said of two memories, as they read now, that both hold."""
    for first, second in ((one, other), (other, one)):
        for entry in first.dismissed:
            if entry.other == second.id:
                bodies = dict(entry.bodies)
                if all(bodies.get(memory.id) == body_hash(memory.body) for memory in (first, second)):
                    return True
    return False


def key_of(memory: Memory) -> str:
    """The key of a memory as keys are compared; empty where its kind has none."""
    key = " ".join(memory.fields.get(KEY, "").casefold().split())
    return key if key and KEY in kind_of(memory.kind).fields else ""


def place_of(anchor: Anchor) -> str:
    try:
        return stored_locus(anchor.place)
    except LocusError:
        return ""


def in_order(some: Iterable[Memory]) -> list[Memory]:
    return sorted(some, key=lambda one: (one.created, one.id))


def pair(one: Memory, other: Memory) -> frozenset[str]:
    return frozenset((one.id, other.id))


def conflicts_json(found: Sequence[Conflict]) -> list[dict[str, Any]]:
    """Conflicts as `--json` answers them: about a key or about a place, the other is null."""
    return [
        {
            "kind": one.kind,
            "key": one.key or None,
            "place": one.place or None,
            "ids": [memory.id for memory in one.memories],
        }
        for one in found
    ]
