"""What a feature asks to be written: one memory's new text, and the events that say what happened.

Knows the shape of each event's data, so that writers and `core.fold` agree; refuses to know where files lie or how they
are written (`store.ledger` does that).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsp_server.core.model import Event, MemoryText


@dataclass(frozen=True, slots=True)
class Change:
    """One write to one memory: events first, then `memory.md`.

    `text` is the new `memory.md`, None where it stays as it is. `before` is the text the writer had seen, None where
    there was none; a ledger that now holds another text refuses the write instead of losing somebody else's edit.
    `home` is "shared", "local" or "user"; `memory_folder` is `<slug>-<id12>` (see `core.ids.folder_name`).
    """

    memory_id: str
    memory_folder: str
    home: str
    text: MemoryText | None
    events: tuple[Event, ...]
    before: MemoryText | None = None


def transition_data(
    old: str, new: str, *, reason: str = "", evidence: tuple[Mapping[str, Any], ...] = ()
) -> dict[str, Any]:
    """Data of a `transitioned` event from state `old` to state `new`. Empty parts are left out."""
    data: dict[str, Any] = {"from": old, "to": new}
    if reason:
        data["reason"] = reason
    if evidence:
        data["evidence"] = [dict(item) for item in evidence]
    return data


def superseded_data(by: str, reason: str = "") -> dict[str, Any]:
    """Data of a `superseded` event: `by` is the id of the memory that takes over."""
    return {"by": by, "reason": reason} if reason else {"by": by}
