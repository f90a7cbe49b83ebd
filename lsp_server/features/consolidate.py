"""Consolidating: memories that say nearly the same are found, and those that say the same in other words made one.

Finding compares word sets only where they can be alike enough; merging lets one memory take over from the others, each
linked to it, so that nothing is lost and every step can be undone. Nothing is merged that words alone cannot vouch for:
what denies the other, differs in what is set beside the text, or stands on code that changed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsp_server.core.change import Change
from lsp_server.core.kinds import SUPERSEDED, kind_of
from lsp_server.core.model import Memory
from lsp_server.core.terms import terms
from lsp_server.features import operations
from lsp_server.features import transition as moving
from lsp_server.features.clear import standing_at
from lsp_server.features.errors import Refused
from lsp_server.features.likeness import jaccard, opposed
from lsp_server.features.places import Resolved, Wanted
from lsp_server.features.record import Draft, Request, extend
from lsp_server.features.words import author_kind, headline
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot

VERSION = 1

CLUSTER = 0.82
"""Likeness from which on two memories belong together."""

MERGE = 0.92
"""Likeness from which on one may take over from the other."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories by their places in a list, and how much alike they are."""

    first: int
    second: int
    similarity: float


@dataclass(frozen=True, slots=True)
class Member:
    """A memory beside the one that is kept; `why` says what keeps it from being merged, empty where nothing does."""

    memory: Memory
    similarity: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories that say nearly the same: the one that is kept, and the others, the most alike first."""

    keep: Memory
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The clusters of a ledger, and pairs that are as much alike and say the opposite."""

    clusters: tuple[Cluster, ...]
    contradictions: tuple[tuple[Memory, Memory, float], ...]


async def consolidate(
    session: Session,
    *,
    apply: bool = False,
    only: Sequence[int] = (),
    kind: str | None = None,
    author: str | None = None,
) -> dict[str, Any]:
    """What could be made one; with `apply` it is.

    `only` are the numbers (from 1) of the clusters that are to be merged, `kind` the one kind that is looked at. Raises
    Refused for a number that is none, or an author that is none.
    """
    operations.check_author(session, author)
    await session.load_all()
    snapshot = session.snapshot()
    found = found_in(snapshot, kind)
    odd = [number for number in only if not 1 <= number <= len(found.clusters)]
    if odd:
        raise Refused(f"there is no cluster {odd[0]}; there are {len(found.clusters)}")
    merged: dict[str, str] = {}
    if apply:
        for number, cluster in enumerate(found.clusters, 1):
            for member in cluster.members if not only or number in only else ():
                if not member.why:
                    merged[member.memory.id] = await merge(session, cluster.keep.id, member.memory.id, author)
    return answer(found, apply, merged)


def found_in(snapshot: Snapshot, kind: str | None = None) -> Consolidation:
    """The clusters among the current memories of a snapshot."""
    groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
    for memory in snapshot.memories.values():
        row = kind_of(memory.kind)
        # An occurrence is one of several on purpose, a document's text is the document's, a place's slot is one anyway.
        apart = row.identity != "content" or row.elsewhere or row.one_a_place or row.home == "local"
        if memory.current and not memory.disputed and not apart and kind in (None, memory.kind):
            groups[memory.kind, memory.home].append(memory)
    clusters: list[Cluster] = []
    contradictions: list[tuple[Memory, Memory, float]] = []
    for _, some in sorted(groups.items()):
        ordered = sorted(some, key=lambda one: (one.created, one.id))
        together = []
        for pair in pairs([one.body for one in ordered], CLUSTER):
            one, other = ordered[pair.first], ordered[pair.second]
            if opposed(one.body, other.body):
                contradictions.append((one, other, pair.similarity))
            else:
                together.append(pair)
        clusters += [clustered(snapshot, [ordered[at] for at in group]) for group in components(together)]
    return Consolidation(tuple(clusters), tuple(contradictions))


def clustered(snapshot: Snapshot, memories: Sequence[Memory]) -> Cluster:
    """A cluster, with the memory that has most to be kept for: a pin, weight, a person's word, places, age."""
    keep = min(
        memories,
        key=lambda one: (
            not one.pinned,
            -(one.importance or 0),
            author_kind(one.author) != "human",
            -len(one.anchors),
            one.created,
            one.id,
        ),
    )
    words = frozenset(terms(keep.body))
    members = []
    for memory in memories:
        if memory is not keep:
            similarity = 1.0 if memory.body == keep.body else jaccard(words, frozenset(terms(memory.body)))
            members.append(Member(memory, similarity, hindrance(snapshot, keep, memory, similarity)))
    return Cluster(keep, tuple(sorted(members, key=lambda one: (-one.similarity, one.memory.id))))


def hindrance(snapshot: Snapshot, keep: Memory, memory: Memory, similarity: float) -> str:
    """What keeps one memory from taking over from another, as a sentence that names the mend; empty where nothing."""
    row = kind_of(memory.kind)
    if similarity < MERGE:
        return "it says more, or something else: supersede one of both with what both say"
    if opposed(keep.body, memory.body):
        return "it says the opposite: let one take over, or dismiss the conflict"
    if SUPERSEDED in row.needs_evidence:
        return f"a {row.name} gives way with a reason and evidence alone: moorline transition ID superseded --by ID"
    if not row.allows(memory.state, SUPERSEDED):
        return f"it is {memory.state}, and cannot be superseded from there"
    for what in ("state", "fields", "expires", "checks"):
        if getattr(keep, what) != getattr(memory, what):
            return f"its {what} is another one: make both alike, or let one take over"
    for item in (*snapshot.judged(keep), *snapshot.judged(memory)):
        if item.wrong or item.verdict.now is None:
            return "its code changed, or that of the one that is kept: clear it first"
    return ""


# -- merging -----------------------------------------------------------------------------------------------------------


async def merge(session: Session, keep: str, memory: str, author: str | None = None) -> str:
    """Lets one memory take over from another: it gets the other's places and tags, and the more weight of both; each is
    linked to the other. Answers why it could not be, empty where it is done."""

    async def attempt() -> str:
        await session.load_ids([keep, memory])
        snapshot = operations.spoken(session, author)
        kept, gone = snapshot.memories.get(keep), snapshot.memories.get(memory)
        if kept is None or gone is None or not kept.current or not gone.current:
            return "one of both is not current any more"
        step = await operations.step_of(session, gone, operations.Grounds(author=author))
        changes = moving.transition(snapshot, gone, SUPERSEDED, step, kept)
        await session.apply(*taking_in(snapshot, kept, gone, changes))
        return ""

    try:
        return await operations.unless_changed(session, attempt)
    except Refused as error:
        return str(error)


def taking_in(snapshot: Snapshot, kept: Memory, gone: Memory, changes: Sequence[Change]) -> list[Change]:
    """The changes of a taking over, with what the memory that is kept gets of the other in the same change."""
    there = {anchor.place for anchor in kept.anchors}
    places = tuple(standing_at(snapshot, item) for item in snapshot.judged(gone) if item.anchor.place not in there)
    more = extend(snapshot, draft_of(kept, gone, places), kept)
    found = []
    for change in changes:
        if change.memory_id != kept.id or more is None:
            found.append(change)
            continue
        last = more.events[-1].id
        links = tuple(replace(event, after=(last,)) for event in change.events)
        found.append(replace(more, events=(*more.events, *links)))
    return found


def draft_of(kept: Memory, gone: Memory, places: tuple[Resolved, ...]) -> Draft:
    weights = [one.importance for one in (kept, gone) if one.importance is not None]
    request = Request(
        kept.kind,
        kept.body,
        tuple(Wanted(place.locus.file, place.locus.symbol, lines=place.locus.lines) for place in places),
        tags=gone.tags,
        importance=max(weights) if weights else None,
    )
    return Draft(kept.id, kind_of(kept.kind), kept.body, places, request)


# -- what is alike -----------------------------------------------------------------------------------------------------


def pairs(texts: Sequence[str], least: float) -> list[Pair]:
    """Every two texts whose word sets have a likeness of at least `least` (0 < least <= 1), in order.

    Sets are ordered by how rare their words are; two that are so much alike share one of their first few, so only those
    are compared (prefix filtering: Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma, Srikant 2007).
    """
    sets = [frozenset(terms(text)) for text in texts]
    counts = Counter(term for one in sets for term in one)
    holders: dict[str, list[int]] = defaultdict(list)
    found = []
    for number, one in enumerate(sets):
        if not one:
            continue
        rare = sorted(one, key=lambda term: (counts[term], term))
        # A set that shares none of these has at most as many words in common as are left, which is too few.
        prefix = rare[: len(one) - math.ceil(least * len(one) - 1e-9) + 1]
        candidates = {other for term in prefix for other in holders[term]}
        for other in sorted(candidates):
            if min(len(one), len(sets[other])) < least * max(len(one), len(sets[other])) - 1e-9:
                continue
            similarity = jaccard(one, sets[other])
            if similarity >= least:
                found.append(Pair(other, number, similarity))
        for term in prefix:
            holders[term].append(number)
    return sorted(found, key=lambda pair: (pair.first, pair.second))


def components(together: Iterable[Pair]) -> Iterator[tuple[int, ...]]:
    """What hangs together by some pairs, each group in order."""
    near: dict[int, set[int]] = defaultdict(set)
    for pair in together:
        near[pair.first].add(pair.second)
        near[pair.second].add(pair.first)
    seen: set[int] = set()
    for start in sorted(near):
        if start in seen:
            continue
        group, waiting = {start}, [start]
        while waiting:
            fresh = near[waiting.pop()] - group
            group |= fresh
            waiting += fresh
        seen |= group
        yield tuple(sorted(group))


# -- the answer --------------------------------------------------------------------------------------------------------


def answer(found: Consolidation, applied: bool, merged: Mapping[str, str]) -> dict[str, Any]:
    """`{"version", "applied", "clusters", "contradictions", "summary"}`."""
    clusters = [cluster_json(number, one, merged) for number, one in enumerate(found.clusters, 1)]
    members = [member for one in clusters for member in one["members"]]
    return {
        "version": VERSION,
        "applied": applied,
        "clusters": clusters,
        "contradictions": [
            {
                "similarity": round(similarity, 3),
                "memories": [{"id": each.id, "text": headline(each, 120)} for each in (one, other)],
            }
            for one, other, similarity in found.contradictions
        ],
        "summary": {
            "clusters": len(clusters),
            "mergeable": sum(member["mergeable"] for member in members),
            "merged": sum(member["merged"] for member in members),
            "contradictions": len(found.contradictions),
        },
    }


def cluster_json(number: int, cluster: Cluster, merged: Mapping[str, str]) -> dict[str, Any]:
    return {
        "number": number,
        "kind": cluster.keep.kind,
        "keep": {"id": cluster.keep.id, "text": headline(cluster.keep, 120)},
        "members": [
            {
                "id": one.memory.id,
                "text": headline(one.memory, 120),
                "similarity": round(one.similarity, 3),
                "mergeable": not one.why,
                "merged": merged.get(one.memory.id) == "",
                "why": merged.get(one.memory.id) or one.why or None,
            }
            for one in cluster.members
        ],
    }
