"""The life of a memory, told: every event in causal order, in words, with what became of it.

Nothing is left out and nothing is judged: what was undone and what is at odds is there, and marked. Refuses to know
where events lie; they come in as data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from lsp_server.core.evidence import evidence_from, write_evidence
from lsp_server.core.fold import fault, in_causal_order, without_undone
from lsp_server.core.model import Event, Memory
from lsp_server.features.chain import chain_json
from lsp_server.features.report import VERSION, entered_json, evidence_json
from lsp_server.features.words import author_kind, short, state_words
from lsp_server.workspace.snapshot import Snapshot

DEPTH, NAMED = 3, 8
"""How far into undoings of undoings, and how many of the undone events, words go."""


def history(
    snapshot: Snapshot, memory: Memory, events: Sequence[Event], by_time: Collection[str] = ()
) -> dict[str, Any]:
    """A memory's standing, what took over from what, and its events, the earliest first.

    `by_time` are ids of events that only their time places, where a moment of the past was asked for.
    """
    return {
        "version": VERSION,
        "id": memory.id,
        "kind": memory.kind,
        "state": memory.state,
        "current": memory.current,
        "text": memory.body,
        "disputed": memory.disputed,
        "rivals": [entered_json(rival) for rival in memory.rivals],
        "chain": chain_json(snapshot, memory),
        "problem": memory.problem,
        "forgotten": False,
        "events": events_json(events, {rival.event for rival in memory.rivals}, by_time),
    }


def forgotten_history(memory: str, times: int, files: int) -> dict[str, Any]:
    """The history of what was forgotten: that it was, how often, and how many of its files a merge brought back."""
    return {
        "version": VERSION,
        "id": memory,
        "kind": None,
        "state": None,
        "current": False,
        "text": None,
        "disputed": False,
        "rivals": [],
        "chain": [],
        "problem": None,
        "forgotten": True,
        "times": times,
        "files": files,
        "events": [],
    }


def events_json(
    events: Sequence[Event], rivals: Collection[str] = (), by_time: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Each event in causal order. `undone_by` names the event that undid it, `rival` says that it is at odds with
    another one, `fault` what is wrong with it where it counts for nothing."""
    line = in_causal_order(events)
    undoers = undone_by(line.events)
    alive = {event.id for event in without_undone(line)}
    known = {event.id: event for event in line.events}
    return [
        {
            "id": event.id,
            "type": event.type,
            "time": event.time,
            "author": event.author,
            "author_kind": author_kind(event.author),
            "revision": event.revision or None,
            "at": _text(event.data.get("at")) or None,
            "after": [one for one in event.after if one in known],
            "what": what(event, known),
            "why": why(event) or None,
            "evidence": [
                evidence_json(piece)
                for piece in evidence_from(
                    event.data.get("evidence"), author=event.author, time=event.time, event=event.id
                )
            ],
            "rival": event.id in rivals,
            "undone_by": undoers.get(event.id) if event.id not in alive else None,
            "by_time": event.id in by_time,
            "fault": fault(event),
        }
        for event in line.events
    ]


def undone_by(events: Sequence[Event]) -> Mapping[str, str]:
    """The last event that undid each of those that were undone."""
    found: dict[str, str] = {}
    for event in events:
        if event.type == "undone":
            found.update((one, event.id) for one in _texts(event.data.get("events")))
    return found


def what(event: Event, known: Mapping[str, Event], depth: int = DEPTH) -> str:
    """What happened, in a few words. Of a type that this version does not know, the type."""
    say = _WORDS.get(event.type)
    if say is not None:
        return say(event.data)
    if event.type == "undone":
        ids = [one for one in _texts(event.data.get("events")) if one in known]
        if depth == 0 or not ids:
            return "took back what was taken back before" if ids else "took back what is not here"
        return f"took back: {'; '.join(what(known[one], known, depth - 1) for one in ids[:NAMED])}"
    return event.type.replace("_", " ")


def why(event: Event) -> str:
    """The reason or the note that came with it."""
    return _text(event.data.get("reason")) or _text(event.data.get("note"))


# -- in words ----------------------------------------------------------------------------------------------------------


def _recorded(data: Mapping[str, Any]) -> str:
    state = _text(data.get("state"))
    anchors = data.get("anchors")
    places = [place for place in anchors.values() if isinstance(place, str)] if isinstance(anchors, Mapping) else []
    where = f" at {', '.join(places)}" if places else ""
    return f"recorded{where}" + (f", {state_words(state)}" if state else "")


def _accepted(data: Mapping[str, Any]) -> str:
    return f"accepted the code of {_text(data.get('place')) or 'an anchor'}"


def _withdrawn(data: Mapping[str, Any]) -> str:
    return f"took back that the code of anchor {_text(data.get('anchor')) or '?'} was accepted"


def _followed(data: Mapping[str, Any]) -> str:
    return f"followed the code from {_text(data.get('base')) or '?'} to {_text(data.get('place')) or '?'}"


def _reanchored(data: Mapping[str, Any]) -> str:
    return f"re-anchored from {_text(data.get('from')) or '?'} to {_text(data.get('to')) or '?'}"


def _edited(data: Mapping[str, Any]) -> str:
    names = _texts(data.get("what"))
    was, now = data.get("was"), data.get("now")
    if not isinstance(was, Mapping) or not isinstance(now, Mapping):
        return f"edited {', '.join(names)}" if names else "edited"
    said = []
    for name in names:
        old, new = _value(was.get(name)), _value(now.get(name))
        shown = name in now and name != "anchors" and len(old) + len(new) <= 80
        said.append(f"{name} from {old or 'none'} to {new or 'none'}" if shown else name)
    return f"edited {', '.join(said)}"


def _transitioned(data: Mapping[str, Any]) -> str:
    old, new, by = (_text(data.get(key)) for key in ("from", "to", "by"))
    heir = f", {short(by)} takes over" if by else ""
    if old and old != new:
        return f"from {state_words(old)} to {state_words(new)}{heir}"
    return f"settled as {state_words(new)}{heir}"


def _superseded(data: Mapping[str, Any]) -> str:
    return f"superseded by {short(_text(data.get('by'))) or '?'}"


def _supersedes(data: Mapping[str, Any]) -> str:
    return f"took over from {short(_text(data.get('old'))) or '?'}"


def _retired(data: Mapping[str, Any]) -> str:
    back = _text(data.get("restored"))
    return f"retired, since {short(back)} was restored" if back else "retired"


def _restored(data: Mapping[str, Any]) -> str:
    heirs = [short(one) for one in _texts(data.get("retired"))]
    return f"restored in place of {', '.join(heirs)}" if heirs else "restored"


def _evidence(data: Mapping[str, Any]) -> str:
    return "gave evidence: " + (", ".join(map(write_evidence, evidence_from(data.get("evidence")))) or "none")


def _pinned(data: Mapping[str, Any]) -> str:
    return "pinned" if data.get("on") is True else "took the pin off"


def _used(data: Mapping[str, Any]) -> str:
    return f"used for {_text(data.get('for')) or 'something'}"


def _dismissed(data: Mapping[str, Any]) -> str:
    return f"found no conflict with {short(_text(data.get('conflict')))}"


_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "recorded": _recorded,
    "baseline": _accepted,
    "withdrawn": _withdrawn,
    "followed": _followed,
    "reanchored": _reanchored,
    "edited": _edited,
    "transitioned": _transitioned,
    "superseded": _superseded,
    "supersedes": _supersedes,
    "retired": _retired,
    "restored": _restored,
    "evidence": _evidence,
    "pinned": _pinned,
    "used": _used,
    "dismissed": _dismissed,
}


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return "" if value is None else str(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(one for one in values if isinstance(one, str)) if isinstance(values, list | tuple) else ()
