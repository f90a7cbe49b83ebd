"""Taking back the last change of a memory, whatever it was, by a new entry that names what it undoes.

A change is what was written together: the events of one time and author at the causal end, and those of the memories
that it linked. What was undone last can be undone as well, and is then so again. Places that code was followed to are
judged from content and are nobody's change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsp_server.core.change import Change, edited_data
from lsp_server.core.fold import fold, in_causal_order
from lsp_server.core.ids import id12
from lsp_server.core.ledger_text import LedgerTextError, memory_data, memory_from_data
from lsp_server.core.model import Event, Memory, MemoryText
from lsp_server.features.errors import Refused
from lsp_server.features.words import short
from lsp_server.features.writing import event
from lsp_server.store.memory_json import text_of
from lsp_server.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Life:
    """A memory with its events; None where it is not to be found any more."""

    memory: Memory | None
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """What to write; the types of the events that were taken back; and the ids of memories that were recorded with
    them and stay, since something happened to them since."""

    changes: tuple[Change, ...]
    undone: tuple[str, ...]
    left: tuple[str, ...]


def undo(snapshot: Snapshot, life: Life, lives: Mapping[str, Life], reason: str = "") -> Undone:
    """The changes that take back the last one of a memory.

    `lives` has every memory that `linked` names. Raises Refused, naming the mend, where the last change is the
    recording itself, belongs to another memory's change, or cannot be put back since somebody edited the file by hand.
    """
    memory = life.memory
    assert memory is not None
    memory = up_to_date(memory, life.events)
    last = last_change(life.events)
    if not last:
        raise Refused("it has no history to take anything back from; its events cannot be read")
    leader = next((one for entry in last if (one := led_by(entry))), None)
    if leader is not None:
        raise Refused(f"its last change is a part of one of {short(leader)}; undo that: moorline undo {short(leader)}")
    if any(entry.type == "recorded" for entry in last):
        raise Refused("nothing happened to it since it was recorded; retire it, or forget it, if it is wrong")
    changes = [taken_back(snapshot, memory, last, reason.strip())]
    left: list[str] = []
    for identifier in linked(life, {}):
        other = lives.get(identifier, Life(None))
        if other.memory is None:
            continue
        change, stays = partner_taken_back(snapshot, other, memory.id, last[-1], reason.strip())
        changes += [change] if change is not None else []
        left += [identifier] if stays else []
    return Undone(tuple(changes), tuple(dict.fromkeys(entry.type for entry in last)), tuple(left))


def up_to_date(memory: Memory, events: Sequence[Event]) -> Memory:
    """The memory as one whose events were read since, maybe with some that another process wrote meanwhile: what takes
    one of them back has to say that it knows of it, or it takes nothing back."""
    return replace(memory, heads=in_causal_order(events).heads or memory.heads)


def last_change(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events that were written together last, in causal order."""
    own = [entry for entry in in_causal_order(events).events if entry.type != "followed"]
    return together(own, own[-1]) if own else ()


def together(events: Sequence[Event], last: Event) -> tuple[Event, ...]:
    return tuple(entry for entry in events if (entry.time, entry.author) == (last.time, last.author))


def linked(life: Life, known: Mapping[str, Life]) -> tuple[str, ...]:
    """The ids of the memories that the last change of a memory was also one of, without those that are known."""
    by_id = {entry.id: entry for entry in life.events}
    found: dict[str, None] = {}
    waiting = list(last_change(life.events))
    while waiting:
        entry = waiting.pop()
        heirs = entry.data.get("retired")
        names = [entry.data.get("by"), *(heirs if isinstance(heirs, list) else [])]
        found.update((name, None) for name in names if isinstance(name, str) and name)
        if entry.type == "undone":
            waiting += [by_id.pop(one) for one in named(entry) if one in by_id]
    return tuple(name for name in found if name not in known)


def led_by(entry: Event) -> str | None:
    """The memory whose change an event is a part of, where that is another one."""
    key = {"supersedes": "old", "retired": "restored", "undone": "with"}.get(entry.type)
    value = entry.data.get(key) if key is not None else None
    return value if isinstance(value, str) and value else None


def named(entry: Event) -> tuple[str, ...]:
    """The ids of the events that an event undoes."""
    ids = entry.data.get("events")
    return tuple(one for one in ids if isinstance(one, str)) if isinstance(ids, list | tuple) else ()


def partner_taken_back(
    snapshot: Snapshot, life: Life, leader: str, last: Event, reason: str
) -> tuple[Change | None, bool]:
    """What a change did to a linked memory, taken back: its events, and the memory itself where it was recorded by it
    and nothing happened to it since. Tells also whether such a memory stays."""
    memory = life.memory
    assert memory is not None
    memory = up_to_date(memory, life.events)
    line = [entry for entry in in_causal_order(life.events).events if entry.type != "followed"]
    # One change may have put several memories aside for this one; only what it did about this one is taken back.
    others = [entry for entry in together(line, last) if led_by(entry) not in (None, leader)]
    mine = tuple(entry for entry in together(line, last) if entry not in others)
    if not mine:
        return None, False
    since = line[-1] is not mine[-1] or bool(others)
    if not any(entry.type == "recorded" for entry in mine):
        change = taken_back(snapshot, memory, mine, reason, leader)
        stays = memory.current and since and not fold(text_of(memory), (*life.events, *change.events)).current
        if not stays:
            return change, False
        # What recorded it is undone once more, and somebody has used it since.
        back = event(snapshot.stamp, "restored", (change.events[-1].id,), {})
        return replace(change, events=(*change.events, back)), True
    links = tuple(entry for entry in mine if entry.type == "supersedes")
    unlinked = taken_back(snapshot, memory, links, reason, leader) if links else None
    if since or not memory.current:
        return unlinked, since and memory.current
    why = f"the change of {short(leader)} that recorded it was undone"
    before = unlinked.events if unlinked is not None else ()
    heads = (before[-1].id,) if before else memory.heads
    gone = event(snapshot.stamp, "retired", heads, {"reason": reason or why, "restored": leader})
    return Change(memory.id, memory.folder, memory.home, None, (*before, gone)), False


def taken_back(
    snapshot: Snapshot, memory: Memory, events: Sequence[Event], reason: str = "", leader: str = ""
) -> Change:
    """The change that undoes some events of a memory, with `memory.md` as it was where they changed it."""
    old = text_of(memory)
    text = put_back(memory, old, events)
    data: dict[str, Any] = {"events": [entry.id for entry in events]}
    if reason:
        data["reason"] = reason
    if leader:
        data["with"] = leader
    if text != old:
        data |= edited_data(memory_data(old, body=False), memory_data(text, body=False))
    undone = event(snapshot.stamp, "undone", memory.heads, data)
    changed = text != old
    return Change(memory.id, memory.folder, memory.home, text if changed else None, (undone,), old if changed else None)


def put_back(memory: Memory, text: MemoryText, events: Sequence[Event]) -> MemoryText:
    """What `memory.md` said before some events that came with another one.

    Raises Refused where it does not say any more what they left.
    """
    data = memory_data(text)
    for entry in reversed(events):
        was, now = entry.data.get("was"), entry.data.get("now")
        if not isinstance(was, Mapping) or not isinstance(now, Mapping):
            continue
        for key in dict.fromkeys((*was, *now)):
            if data.get(key) != now.get(key):
                raise Refused(
                    f"{key} in memory.md of {id12(memory.id)} was changed by hand since; set it there as it shall be"
                )
            data.pop(key, None)
            if key in was:
                data[key] = was[key]
    try:
        return memory_from_data(data)
    except LedgerTextError as error:
        raise Refused(f"what stood there before cannot be read any more: {error.message}") from None
