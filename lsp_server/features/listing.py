"""Choosing memories: by id prefix, by place, by what they are and who wrote them, in the order people want to read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from lsp_server.core.kinds import KINDS, kind_of
from lsp_server.core.model import Locus, Memory
from lsp_server.features.conflicts import conflicts
from lsp_server.features.errors import Refused
from lsp_server.features.expiry import NONE, Numbers, is_expired
from lsp_server.features.report import score
from lsp_server.features.words import author_kind, parse_time, who
from lsp_server.workspace.snapshot import Snapshot

AUTHOR_KINDS = ("agent", "human")
"""What may stand for every author of a sort."""

_AGO = re.compile(r"([0-9]{1,5})\s*(h|d|w|mo|y)")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24, "mo": 30 * 24, "y": 365 * 24}


@dataclass(frozen=True, slots=True)
class Filters:
    """What a list is of. None and False let everything pass; what is given must hold all at once.

    `place` is where it is anchored, `below` a file or folder. `state` takes in history, which is left out otherwise
    unless `everything` is set. `author` is a name, an address, `agent:NAME`, `agent` or `human`; `since` and `until`
    are moments (RFC 3339) within which that author, or anybody, recorded it or changed its state or evidence.
    `conflicts`: contradicts another current one. `limit` is the most that is listed (0: all; None: what kinds say).
    """

    place: Locus | None = None
    below: str | None = None
    kind: str | None = None
    state: str | None = None
    tag: str | None = None
    author: str | None = None
    since: str | None = None
    until: str | None = None
    stale: bool | None = None
    disputed: bool | None = None
    expired: bool | None = None
    pinned: bool | None = None
    conflicts: bool = False
    everything: bool = False
    limit: int | None = None

    @property
    def narrows(self) -> bool:
        """Whether anything but the number is asked for."""
        return self != Filters(limit=self.limit)


@dataclass(frozen=True, slots=True)
class Listed:
    """The memories of a list in order, and how many more there are."""

    memories: tuple[Memory, ...]
    omitted: int


def choose(snapshot: Snapshot, filters: Filters) -> Listed:
    """The memories that pass, stale first, then the newest, of kinds that have a bound no more than that.

    Of such a kind alone the newest come first. Raises Refused where a kind, state or number is none.
    """
    check_filters(snapshot, filters)
    memories: Iterable[Memory] = snapshot.memories.values()
    everything = filters.everything or filters.state is not None
    if filters.place is not None:
        memories = {item.memory.id: item.memory for item in snapshot.at(filters.place, everything)}.values()
    chosen = [memory for memory in memories if (everything or memory.current) and passes(snapshot, memory, filters)]
    if filters.conflicts:
        ids = {memory.id for one in conflicts(snapshot.memories.values()) for memory in one.memories}
        chosen = [memory for memory in chosen if memory.id in ids]
    bound = kind_of(filters.kind).list_limit if filters.kind is not None else None
    ordered = newest_first(chosen) if bound is not None else in_reading_order(snapshot, chosen)
    return bounded(ordered, filters.limit, snapshot.settings.kinds)


def select(
    snapshot: Snapshot,
    *,
    place: Locus | None = None,
    kind: str | None = None,
    tag: str | None = None,
    stale: bool | None = None,
    everything: bool = False,
) -> list[Memory]:
    """Current memories (`everything`: history too) that pass every filter given, all of them, as `choose` orders."""
    filters = Filters(place=place, kind=kind, tag=tag, stale=stale, everything=everything, limit=0)
    return list(choose(snapshot, filters).memories)


def passes(snapshot: Snapshot, memory: Memory, filters: Filters) -> bool:
    """Whether a memory meets all that is asked of it alone."""
    return (
        (filters.kind is None or memory.kind == filters.kind)
        and (filters.state is None or memory.state == filters.state)
        and (filters.tag is None or filters.tag in memory.tags)
        and (filters.disputed is None or memory.disputed == filters.disputed)
        and (filters.expired is None or is_past(snapshot, memory) == filters.expired)
        and (filters.pinned is None or memory.pinned == filters.pinned)
        and (filters.below is None or is_below(snapshot, memory, filters.below))
        and written(memory, filters)
        and (filters.stale is None or snapshot.stale(memory) == filters.stale)
    )


def is_past(snapshot: Snapshot, memory: Memory) -> bool:
    """Whether a memory is expired at the snapshot's moment, by its own date or its kind's."""
    return is_expired(memory, snapshot.stamp.time, snapshot.settings.kinds)


def written(memory: Memory, filters: Filters) -> bool:
    """Whether somebody who is asked for did something to it in the time that is asked for."""
    if filters.author is None and filters.since is None and filters.until is None:
        return True
    done = [(memory.author, memory.created), *((piece.author, piece.time) for piece in memory.evidence)]
    done += [(one.author, one.time) for one in (memory.entered, *memory.rivals) if one is not None]
    return any(
        (filters.author is None or is_by(author, filters.author))
        and (filters.since is None or filters.since <= _utc(time))
        and (filters.until is None or _utc(time) <= filters.until)
        for author, time in done
    )


def is_by(author: str, wanted: str) -> bool:
    """Whether an author is the one who is meant: of a sort, or by name, address, or both, whatever the case."""
    if wanted in AUTHOR_KINDS:
        return author_kind(author) == wanted
    address = author.partition("<")[2].rstrip(">")
    return wanted.casefold() in {known.casefold() for known in (author, who(author), address) if known}


def is_below(snapshot: Snapshot, memory: Memory, path: str) -> bool:
    """Whether any anchor is, or was last, in a file, or in a folder or below."""
    folder = path.strip("/")
    files = {anchor.place.file for anchor in memory.anchors} | {item.file for item in snapshot.judged(memory)}
    return folder in ("", ".") or any(file == folder or file.startswith(f"{folder}/") for file in files)


def bounded(memories: Sequence[Memory], limit: int | None, kinds: Numbers = NONE) -> Listed:
    """The first ones. Without a limit, of each kind as many as its row says, or `kinds` in its place (0: all)."""
    if limit == 0:
        return Listed(tuple(memories), 0)
    if limit is not None:
        return Listed(tuple(memories[:limit]), max(0, len(memories) - limit))
    newest: dict[str, list[Memory]] = {}
    for memory in newest_first(memories):
        newest.setdefault(memory.kind, []).append(memory)
    bounds = {kind: kinds.get(kind, {}).get("list_limit", kind_of(kind).list_limit) for kind in newest}
    kept = {memory.id for kind, some in newest.items() for memory in some[: int(bounds[kind] or len(some))]}
    return Listed(tuple(memory for memory in memories if memory.id in kept), len(memories) - len(kept))


def check_filters(snapshot: Snapshot, filters: Filters) -> None:
    """Raises Refused where nothing can ever pass, since a word is none."""
    if filters.limit is not None and filters.limit < 0:
        raise Refused("the limit is a number from 1; 0 lists all")
    used = {memory.kind for memory in snapshot.memories.values()}
    if filters.kind is not None and filters.kind not in KINDS and filters.kind not in used:
        raise Refused(f"no kind {filters.kind[:40]!r}; kinds: {', '.join(KINDS)}")
    if filters.state is not None:
        rows = [kind_of(filters.kind)] if filters.kind is not None else [kind_of(name) for name in {*KINDS, *used}]
        states = dict.fromkeys(state for row in rows for state in row.states)
        there = {one.state for one in snapshot.memories.values() if filters.kind in (None, one.kind)}
        if filters.state not in states and filters.state not in there:
            raise Refused(f"no state {filters.state[:40]!r}; states: {', '.join(sorted(states))}")


def moment(text: str, now: str, *, end: bool = False) -> str:
    """A day, a time of RFC 3339, or how long before `now` (`7d`; h, d, w, mo of 30 days, y of 365), as a time in UTC.

    A day is its beginning, or with `end` its end. Raises Refused for anything else.
    """
    words = text.strip()
    try:
        if (found := _AGO.fullmatch(words)) is not None:
            return _written(parse_time(now) - timedelta(hours=int(found[1]) * _HOURS[found[2]]))
        if len(words) == 10:
            day = datetime.combine(date.fromisoformat(words), datetime.min.time(), UTC)
            return _written(day + timedelta(days=1, milliseconds=-1) if end else day)
        return _written(parse_time(words))
    except (ValueError, OverflowError):
        raise Refused(f"{text[:40]!r} is no time; write it like 2027-03-31, or how long ago like 7d") from None


def in_reading_order(snapshot: Snapshot, memories: Iterable[Memory]) -> list[Memory]:
    """What is pinned first, then what a check contradicts, then what is stale, then the newest."""

    def standing(memory: Memory) -> tuple[bool, float, bool]:
        expired = is_past(snapshot, memory)
        wrong = snapshot.contradicted(memory)
        return not memory.pinned, score(snapshot.judged(memory), expired, snapshot.settings.score, wrong), not wrong

    return sorted(newest_first(memories), key=standing)


def newest_first(memories: Iterable[Memory]) -> list[Memory]:
    """The newest first, but what is pinned before it, so that no bound cuts it off."""
    return sorted(memories, key=lambda memory: (memory.pinned, memory.created, memory.id), reverse=True)


def one(found: Sequence[str], prefix: str) -> str:
    """The only id that begins with a prefix. Raises Refused where there is none or more than one."""
    if len(found) == 1:
        return found[0]
    if prefix in found:
        return prefix
    if not found:
        raise Refused(f"no memory {prefix}; moorline list --all shows every id")
    raise Refused(f"{prefix} could be {len(found)} memories: {', '.join(sorted(found)[:4])}; give more of the id")


def _utc(time: str) -> str:
    """A time as `moment` writes it, so that texts compare; as it is where it is none."""
    try:
        return _written(parse_time(time))
    except ValueError:
        return time


def _written(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
