"""What was forgotten on purpose: which events of a memory still count once a tombstone stands over it.

A tombstone says the id of a memory and how often it was forgotten, nothing else, so that any number of clones write the
same one. What is written with knowledge of the newest tombstone counts; everything else is of before, whatever merge
brought it back. Refuses to know where tombstones lie (`store.ledger` does).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsp_server.core.fold import in_causal_order
from lsp_server.core.ids import shared_event_id
from lsp_server.core.model import Event


def tombstone_id(memory: str, times: int) -> str:
    """The id of the tombstone that a memory gets when it is forgotten for the `times`-th time (from 1). What records
    that memory anew names it in `after`."""
    return shared_event_id("forgotten", {"memory": memory, "times": times})


def since_forgotten(events: Iterable[Event], tombstone: str) -> tuple[Event, ...]:
    """The events that came after a tombstone: those that name it in `after`, and what came after those."""
    later: set[str] = {tombstone}
    found: list[Event] = []
    for event in in_causal_order(events).events:
        if later.intersection(event.after):
            later.add(event.id)
            found.append(event)
    return tuple(found)


__all__: Sequence[str] = ("since_forgotten", "tombstone_id")
