"""Kinds of which a place has one: a newer one takes the slot, older ones stay readable, and what the slot holds now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lsp_server.core.change import Change, superseded_data
from lsp_server.core.kinds import KINDS, RETIRED, SUPERSEDED, Kind
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import Locus, Memory
from lsp_server.features.places import symbol_on_line
from lsp_server.features.record import Draft, Recorded, stamped
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Snapshot


def taking_over(snapshot: Snapshot, exact: Draft, made: Recorded) -> tuple[Change, ...]:
    """What to write for a record whose kind has one slot a place: the record itself, and the end of what was there.

    Just the record for every other kind. The memories of the place must be among the snapshot's.
    """
    changes = () if made.change is None else (made.change,)
    if not exact.kind.one_a_place or made.retired or not exact.places:
        return changes
    place = exact.places[0].locus
    old = [one for one in occupants(snapshot, exact.kind, place) if one.current and one.id != exact.id]
    if not old:
        return changes
    stamp = stamped(snapshot, exact.request)
    ended = tuple(
        Change(
            one.id,
            one.folder,
            one.home,
            None,
            (event(stamp, "superseded", one.heads, superseded_data(exact.id, "a newer one was recorded here")),),
        )
        for one in old
    )
    if made.change is None:
        return ended
    links = []
    after = (made.change.events[-1].id,)
    for one in old:
        links.append(event(stamp, "supersedes", after, {"old": one.id}))
        after = (links[-1].id,)
    return (replace(made.change, events=(*made.change.events, *links)), *ended)


def explanation(snapshot: Snapshot, place: Locus) -> dict[str, Any]:
    """What each slot of a place holds: its one effective text, or that there is none, and the older ones.

    Where two branches each filled a slot, the newer text is effective and the other one is among `rivals`, until
    somebody supersedes one of them. A single line stands for the innermost symbol there.
    """
    if place.lines is not None and place.lines[0] == place.lines[1]:
        symbol = symbol_on_line(snapshot.read(place.file), place.lines[0])
        place = Locus(place.file, symbol.path) if symbol is not None else place
    return {
        "version": 1,
        "place": stored_locus(place),
        "slots": {kind.name: slot(snapshot, kind, place) for kind in KINDS.values() if kind.one_a_place},
    }


def slot(snapshot: Snapshot, kind: Kind, place: Locus) -> dict[str, Any]:
    found = sorted(occupants(snapshot, kind, place), key=lambda one: (one.created, one.id), reverse=True)
    now = [one for one in found if one.current]
    older = [said(snapshot, one) for one in found if not one.current]
    if not now:
        return {"state": "not recorded", "text": None, "id": None, "rivals": [], "older": older}
    first = said(snapshot, now[0])
    state = "recorded" if now[0].state == kind.initial else now[0].state
    return {**first, "state": state, "rivals": [said(snapshot, one) for one in now[1:]], "older": older}


def said(snapshot: Snapshot, memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "state": memory.state,
        "text": memory.body,
        "author": memory.author,
        "recorded": memory.created,
        "revision": memory.revision or None,
        "stale": snapshot.stale(memory),
        "ended": memory.entered.time if memory.entered and memory.state in (SUPERSEDED, RETIRED) else None,
    }


def occupants(snapshot: Snapshot, kind: Kind, place: Locus) -> Sequence[Memory]:
    """Every memory of a kind, history too, whose first anchor is, or was last, exactly at a place."""
    found = []
    for memory in snapshot.memories.values():
        if memory.kind != kind.name or not memory.anchors:
            continue
        first = memory.anchors[0]
        verdict = snapshot.verdicts.get((memory.id, first.id))
        now = verdict.now if verdict is not None else None
        stands = {first.place, first.locus}
        if now is not None and now.symbol is not None:
            stands.add(Locus(now.file, now.symbol))
        if place in stands:
            found.append(memory)
    return found
