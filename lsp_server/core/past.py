"""A memory as it stood when only some of its events had happened: which those are is for others to say.

Knows how to leave events out without losing what came after what, and how to put `memory.md` back from what events kept
of it. Refuses to know revisions and clocks. What nobody kept (an edit by hand has no event) is not guessed: the memory
says that its text may have been another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lsp_server.core.fold import fold, in_causal_order
from lsp_server.core.ids import body_hash
from lsp_server.core.ledger_text import LedgerTextError, memory_data, memory_from_data
from lsp_server.core.model import Event, Memory, MemoryText


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory's text as far as its events tell it. `certain` is False where it may have been another one then."""

    text: MemoryText
    certain: bool


def happened(events: Iterable[Event], counts: Callable[[Event], bool]) -> tuple[Event, ...]:
    """The events that count, in causal order, each after those that count which it came after.

    What came after an event that is left out came after what that one came after, so nothing that was seen becomes a
    rival.
    """
    line = in_causal_order(events)
    behind: dict[str, tuple[str, ...]] = {}
    found: list[Event] = []
    for event in line.events:
        after = tuple(dict.fromkeys(one for seen in event.after for one in behind.get(seen, (seen,))))
        if counts(event):
            behind[event.id] = (event.id,)
            found.append(replace(event, after=after))
        else:
            behind[event.id] = after
    return tuple(found)


def replayed(events: Iterable[Event]) -> MemoryText | None:
    """What `memory.md` says after some events, by what they kept of it; None where none kept the whole text."""
    data: dict[str, Any] | None = None
    for event in in_causal_order(events).events:
        whole, now = event.data.get("text"), event.data.get("now")
        if data is None and event.type == "recorded" and isinstance(whole, dict):
            data = dict(whole)
        elif data is not None and isinstance(now, dict):
            _apply(data, event.data)
    try:
        return memory_from_data(data) if data is not None else None
    except LedgerTextError:
        return None


def then(present: MemoryText, events: Sequence[Event], counting: Sequence[Event], file: MemoryText | None) -> Kept:
    """What `memory.md` said when the events in `counting` had happened and no others.

    `file` is what is known of it from elsewhere (git), None where it is not. Where nobody edited the file by hand the
    events tell it all.
    """
    whole, part = replayed(events), replayed(counting)
    if whole is not None and part is not None and memory_data(whole) == memory_data(present):
        return Kept(part, True)
    if file is not None and file.id == present.id:
        return Kept(file, True)
    hashes = [found for event in counting if isinstance(found := event.data.get("body_hash"), str)]
    if hashes and hashes[-1] == body_hash(present.body):
        return Kept(replace(part, body=present.body) if part is not None else present, True)
    if part is not None:
        return Kept(part, bool(hashes) and hashes[-1] == body_hash(part.body))
    return Kept(present, False)


def memory_then(
    memory: Memory, present: MemoryText, events: Sequence[Event], counting: Sequence[Event], file: MemoryText | None
) -> Memory | None:
    """The memory when the events in `counting` (from `happened`) had happened; None where it was not recorded yet."""
    if not any(event.type == "recorded" for event in counting) and any(event.type == "recorded" for event in events):
        return None
    if not counting:
        return None
    kept = then(present, events, counting, file)
    found = fold(kept.text, counting, home=memory.home, folder=memory.folder)
    return found if kept.certain else replace(found, edited=True)


def _apply(data: dict[str, Any], change: Mapping[str, Any]) -> None:
    """Makes the change of an event that kept what differs (`core.change.edited_data`). Of lists, what another event
    added or took away stays so: they merge line by line."""
    was, now = change.get("was"), change.get("now")
    was = was if isinstance(was, dict) else {}
    now = now if isinstance(now, dict) else {}
    for key in dict.fromkeys((*was, *now)):
        old, new, present = was.get(key), now.get(key), data.get(key)
        if any(isinstance(one, list) for one in (old, new)) and isinstance(present, list | None):
            merged = _merged(present or [], old or [], new or [])
            data[key] = merged
            if not merged:
                del data[key]
        elif key in now:
            data[key] = new
        else:
            data.pop(key, None)


def _merged(present: Sequence[Any], old: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """A list with the change from `old` to `new` made in it. Entries with an id are the same one where the id is."""

    def name(entry: Any) -> Any:
        return entry.get("id", entry) if isinstance(entry, dict) else entry

    changed = {str(name(entry)): entry for entry in new}
    gone = {str(name(entry)) for entry in old} - changed.keys()
    merged = [changed.pop(str(name(entry)), entry) for entry in present if str(name(entry)) not in gone]
    known = {str(name(entry)) for entry in old}
    return [*merged, *(entry for key, entry in changed.items() if key not in known)]


__all__: Sequence[str] = ("Kept", "happened", "memory_then", "replayed", "then")
