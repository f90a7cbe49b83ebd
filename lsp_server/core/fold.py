"""What a memory is now: its text and its events, folded the same way in whatever order they are read.

Knows causal order, what each event does, and when rivals leave a memory disputed. `memory.md` wins for what it holds;
events say the rest. Refuses to judge whether a transition was allowed: what is in the ledger happened. Unknown events
and kinds, cycles, doubled and foreign events change nothing and raise nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_server.core.evidence import distinct, evidence_from
from lsp_server.core.fingerprint_json import from_json
from lsp_server.core.ids import body_hash
from lsp_server.core.kinds import RETIRED, SUPERSEDED, kind_of
from lsp_server.core.ledger_text import LedgerTextError, write_event
from lsp_server.core.locus import LocusError, parse_stored_locus
from lsp_server.core.model import (
    Anchor,
    Baseline,
    Dismissal,
    Entered,
    Event,
    Evidence,
    FollowedPlace,
    Locus,
    Memory,
    MemoryText,
    Receipt,
    Sensitivity,
)


def fold(
    text: MemoryText, events: Iterable[Event], *, home: str = "shared", folder: str = "", problem: str | None = None
) -> Memory:
    """The memory that a `memory.md` and its events make. Pure and total; the order of `events` does not matter.

    Of events with one id (two clones that followed one move) the earliest counts. Rival transitions, made without
    knowledge of each other and with different ends, leave the state that stood before them and `disputed` set, until a
    later event that knows of both settles it. What an `undone` event names, and its writer knew, never happened.
    """
    line = in_causal_order(events)
    live = without_undone(line)
    kind = kind_of(text.kind)
    # Two clones may each have recorded it, knowing nothing of each other: the earlier one counts.
    births = [event for event in line.events if event.type == "recorded"]
    first = min(births or line.events[:1], key=lambda event: (event.time, event.id), default=None)
    standing = _standing(line, live, _born_in(text.kind, line))
    anchors = _anchors(text, live)
    body = text.body or (_accepted_words(live) if kind.elsewhere else "")
    present = body_hash(body)
    vouching = [baseline.body_hash for anchor in anchors for baseline in anchor.baselines]
    return Memory(
        id=text.id,
        kind=text.kind,
        body=body,
        state=standing.state,
        current=kind.is_current(standing.state),
        anchors=anchors,
        author=first.author if first else "",
        created=first.time if first else "",
        revision=(_text(first.data.get("at")) or first.revision) if first else "",
        home=home,
        folder=folder,
        tags=text.tags,
        importance=text.importance,
        expires=text.expires,
        checks=text.checks,
        supersedes=_distinct(_text(event.data.get("old")) for event in live if event.type == "supersedes"),
        superseded_by=_distinct(end.by for end in standing.ends if end.state == SUPERSEDED),
        retired_reason=next((end.reason for end in standing.ends if end.state == RETIRED), None),
        edited=bool(vouching) and present not in vouching,
        disputed=standing.disputed,
        heads=line.heads,
        problem=problem,
        unknown=text.unknown,
        fields=text.fields,
        evidence=_evidence(live),
        pinned=next((event.data.get("on") is True for event in reversed(live) if event.type == "pinned"), False),
        entered=None if standing.disputed or not standing.ends else _entered(standing.ends[0]),
        rivals=tuple(_entered(end) for end in standing.ends) if standing.disputed else (),
        receipts=tuple(
            Receipt(_text(event.data.get("for")), event.author, event.time, event.revision, event.id)
            for event in live
            if event.type == "used"
        ),
        dismissed=tuple(_dismissal(event) for event in live if event.type == "dismissed"),
    )


def _dismissal(event: Event) -> Dismissal:
    said = event.data.get("bodies")
    bodies = said.items() if isinstance(said, Mapping) else ()
    return Dismissal(
        _text(event.data.get("conflict")),
        _text(event.data.get("reason")),
        tuple(sorted((_text(one), _text(digest)) for one, digest in bodies)),
        event.author,
        event.time,
        event.id,
    )


def lived_state(kind: str, events: Iterable[Event]) -> str:
    """The state that a memory had last, other than superseded and retired: the one that restoring leads back to."""
    line = in_causal_order(events)
    return _standing(line, without_undone(line), _born_in(kind, line)).lived


def _born_in(kind: str, line: Line) -> str:
    """The state that the earliest birth says, else the kind's first one."""
    births = [event for event in line.events if event.type == "recorded"]
    born = min(births, key=lambda event: (event.time, event.id), default=None)
    return (_text(born.data.get("state")) if born is not None else "") or kind_of(kind).initial


def in_causal_order(events: Iterable[Event]) -> Line:
    """Sorts events: what was seen before what saw it (`after`), else by time, then id.

    Ids that are not there are passed over; where a hostile file makes a cycle, the earliest event of it goes first.
    """
    by_id: dict[str, Event] = {}
    seen_by: dict[str, set[str]] = {}
    for event in events:
        rival = by_id.get(event.id)
        if rival is None or _rank(event) < _rank(rival):
            by_id[event.id] = event
        seen_by.setdefault(event.id, set()).update(event.after)
    waits = {one: {seen for seen in seen_by[one] if seen in by_id and seen != one} for one in by_id}
    followers: dict[str, list[str]] = {}
    for one, before in waits.items():
        for seen in before:
            followers.setdefault(seen, []).append(one)
    missing = {one: len(before) for one, before in waits.items()}
    ready = [(by_id[one].time, one) for one, count in missing.items() if count == 0]
    heapq.heapify(ready)
    waiting = sorted(((by_id[one].time, one) for one, count in missing.items() if count), reverse=True)
    order: list[Event] = []
    placed: dict[str, int] = {}
    while len(order) < len(by_id):
        _, one = heapq.heappop(ready) if ready else waiting.pop()
        if one in placed:
            continue
        placed[one] = len(order)
        order.append(by_id[one])
        for follower in followers.get(one, ()):
            missing[follower] -= 1
            if missing[follower] == 0 and follower not in placed:
                heapq.heappush(ready, (by_id[follower].time, follower))
    past: list[int] = []
    for number, event in enumerate(order):
        bits = 0
        for seen in waits[event.id]:
            position = placed[seen]
            if position < number:
                bits |= past[position] | 1 << position
        past.append(bits)
    heads = tuple(sorted(one for one in by_id if one not in followers)) or tuple(event.id for event in order[-1:])
    return Line(tuple(order), tuple(past), heads)


def without_undone(line: Line) -> tuple[Event, ...]:
    """The events of a line that were not undone, in order. An undoing may be undone itself."""
    numbers = {event.id: number for number, event in enumerate(line.events)}
    undone: set[int] = set()
    # What undoes comes after what it undoes, so the last word is the first that is met here.
    for number in reversed(range(len(line.events))):
        event = line.events[number]
        if event.type == "undone" and number not in undone:
            undone |= {
                numbers[one] for one in _texts(event.data.get("events")) if _known(line, number, numbers.get(one))
            }
    return tuple(event for number, event in enumerate(line.events) if number not in undone)


def _known(line: Line, number: int, other: int | None) -> bool:
    """Whether the writer of an event knew of another one, which is no birth: what was born cannot be undone."""
    return other is not None and bool(line.past[number] >> other & 1) and line.events[other].type != "recorded"


@dataclass(frozen=True, slots=True)
class Line:
    """Events in causal order, each id once.

    `past[i]` has bit j set where event j is known to have happened before event i. `heads` are the ids of the events
    that nothing came after.
    """

    events: tuple[Event, ...]
    past: tuple[int, ...]
    heads: tuple[str, ...]


def fault(event: Event) -> str | None:
    """What is wrong with the data of an event that `fold` has to leave out; None for what it can use or may ignore."""
    try:
        if event.type == "baseline":
            _baseline(event, "")
        elif event.type == "followed":
            _followed(event)
    except (ValueError, LocusError) as error:
        return str(error)
    for kind, key in (("withdrawn", "baseline"), ("superseded", "by"), ("supersedes", "old"), ("transitioned", "to")):
        if event.type == kind and not _text(event.data.get(key)):
            return f"has no {key!r}"
    if event.type == "undone" and not _texts(event.data.get("events")):
        return "has no 'events'"
    return None


@dataclass(frozen=True, slots=True)
class _End:
    """What an event made of the state. `lived` is the latest state that was neither superseded nor retired."""

    state: str
    lived: str
    event: Event
    by: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Standing:
    """The state with the ends that are in force: the latest transitions that no other transition came after."""

    state: str
    lived: str
    ends: tuple[_End, ...]
    disputed: bool


def _standing(line: Line, live: Sequence[Event], initial: str) -> _Standing:
    ends: dict[int, _End] = {}
    moves = 0
    counting = {event.id for event in live}
    for number, event in enumerate(line.events):
        if event.type not in _MOVES or event.id not in counting or fault(event):
            continue
        ends[number] = _end(event, _resolve(line.past[number] & moves, line, ends, initial))
        moves |= 1 << number
    return _resolve(moves, line, ends, initial)


def _resolve(known: int, line: Line, ends: Mapping[int, _End], initial: str) -> _Standing:
    """The standing that the transitions in the bit set `known` leave."""
    front = _front(known, line)
    found = tuple(ends[number] for number in front)
    disputed = len({(end.state, end.by) for end in found}) > 1
    while front and len({ends[number].state for number in front}) > 1:
        for number in front:
            known &= line.past[number]
        front = _front(known, line)
    if not front:
        return _Standing(initial, initial, found, disputed)
    return _Standing(ends[front[0]].state, ends[front[0]].lived, found, disputed)


def _end(event: Event, before: _Standing) -> _End:
    """What an event makes of the state that its writer knew."""
    reason = _text(event.data.get("reason")) or None
    by = _text(event.data.get("by"))
    if event.type == "superseded":
        return _End(SUPERSEDED, before.lived, event, by, reason)
    if event.type == "retired":
        return _End(RETIRED, before.lived, event, reason=reason)
    state = _text(event.data.get("to")) or before.lived
    lived = before.lived if state in (SUPERSEDED, RETIRED) else state
    return _End(state, lived, event, by, reason)


def _entered(end: _End) -> Entered:
    event = end.event
    revision = _text(event.data.get("at")) or event.revision
    return Entered(end.state, event.author, event.time, revision, end.reason or "", end.by, event.id)


def _front(known: int, line: Line) -> tuple[int, ...]:
    """The members of a bit set that are in no other member's past, in order."""
    covered = 0
    for number in _bits(known):
        covered |= line.past[number]
    return tuple(_bits(known & ~covered))


def _bits(bits: int) -> Iterable[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


_MOVES = frozenset({"superseded", "retired", "restored", "transitioned"})


def _evidence(live: Sequence[Event]) -> tuple[Evidence, ...]:
    """What every event brought along, whatever else it did."""
    return distinct(
        piece
        for event in live
        for piece in evidence_from(event.data.get("evidence"), author=event.author, time=event.time, event=event.id)
    )


def _accepted_words(live: Sequence[Event]) -> str:
    """The words of a passage as they were when somebody accepted it last."""
    words = (_text(event.data.get("passage")) for event in reversed(live) if event.type == "baseline")
    return next((one for one in words if one), "")


def _anchors(text: MemoryText, live: Sequence[Event]) -> tuple[Anchor, ...]:
    withdrawn = {_text(event.data.get("baseline")) for event in live if event.type == "withdrawn"}
    baselines: dict[str, list[Baseline]] = {}
    followed: dict[str, list[FollowedPlace]] = {}
    for event in live:
        anchor = _text(event.data.get("anchor"))
        try:
            if event.type == "baseline" and event.id not in withdrawn:
                baselines.setdefault(anchor, []).append(_baseline(event, text.body))
            elif event.type == "followed":
                followed.setdefault(anchor, []).append(_followed(event))
        except (ValueError, LocusError):
            continue
    return tuple(
        Anchor(
            entry.id,
            entry.locus,
            entry.sensitivity or Sensitivity(kind_of(text.kind).sensitivity or Sensitivity.CODE),
            tuple(baselines.get(entry.id, ())),
            tuple(followed.get(entry.id, ())),
            entry.sensitivity,
            entry.unknown,
        )
        for entry in text.anchors
    )


def _baseline(event: Event, body: str) -> Baseline:
    data = event.data
    content, blob = data.get("content"), data.get("blob")
    if not (content is None or isinstance(content, str)) or not (blob is None or isinstance(blob, str)):
        raise ValueError("has a content or blob that is no text")
    lines = data.get("lines", [1, 1])
    if not isinstance(lines, list | tuple) or len(lines) != 2 or not all(type(line) is int for line in lines):
        raise ValueError("has lines that are no pair of numbers")
    if not _text(data.get("anchor")):
        raise ValueError("has no 'anchor'")
    return Baseline(
        id=event.id,
        fingerprint=from_json(data.get("fingerprint", {})),
        place=_place(data, "place"),
        content=content,
        blob=blob,
        lines=(lines[0], lines[1]),
        body_hash=_text(data.get("body_hash")) or body_hash(body),
        state=_text(data.get("state")),
        author=event.author,
        time=event.time,
        revision=event.revision,
    )


def _followed(event: Event) -> FollowedPlace:
    if not _text(event.data.get("anchor")):
        raise ValueError("has no 'anchor'")
    return FollowedPlace(
        _place(event.data, "base"), _place(event.data, "place"), _text(event.data.get("code")), event.id
    )


def _place(data: Mapping[str, Any], key: str) -> Locus:
    value = _text(data.get(key))
    if not value:
        raise ValueError(f"has no {key!r}")
    return parse_stored_locus(value)


def _rank(event: Event) -> tuple[str, bytes]:
    try:
        return event.time, write_event(event)
    except LedgerTextError:
        return event.time, b""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list | tuple) else ()


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


__all__: Sequence[str] = ("Line", "fault", "fold", "in_causal_order", "lived_state", "without_undone")
