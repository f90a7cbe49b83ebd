"""What a feature asks to be written: one memory's new text, and the events that say what happened.

Knows the shape of each event's data, so that writers and `core.fold` agree; refuses to know where files lie or how they
are written (`store.ledger` does that).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    old: str,
    new: str,
    *,
    reason: str = "",
    evidence: Sequence[Mapping[str, Any]] = (),
    revision: str = "",
    by: str = "",
) -> dict[str, Any]:
    """Data of a `transitioned` event from state `old` to state `new`. Empty parts are left out.

    `revision` is the one from which on it is so, `by` the id of the memory that takes over.
    """
    return {"from": old, "to": new, **grounds_data(reason, evidence, revision, by)}


def superseded_data(
    by: str, reason: str = "", evidence: Sequence[Mapping[str, Any]] = (), revision: str = ""
) -> dict[str, Any]:
    """Data of a `superseded` event: `by` is the id of the memory that takes over."""
    return grounds_data(reason, evidence, revision, by)


def grounds_data(
    reason: str = "", evidence: Sequence[Mapping[str, Any]] = (), revision: str = "", by: str = ""
) -> dict[str, Any]:
    """What any change of state may say beside the states themselves. Empty parts are left out.

    `revision` is kept as `at`: an event's own `revision` is the one that was checked out when it was written.
    """
    data: dict[str, Any] = {}
    if by:
        data["by"] = by
    if reason:
        data["reason"] = reason
    if evidence:
        data["evidence"] = [dict(item) for item in evidence]
    if revision:
        data["at"] = revision
    return data


def edited_data(was: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Data of an event that comes with another `memory.md`: what differs, before and after, so that it can be undone.

    Both are plain values as `core.ledger_text.memory_data` gives them. A key that is missing on one side was not there.
    """
    keys = [key for key in dict.fromkeys((*was, *now)) if was.get(key) != now.get(key)]
    return {
        "what": keys,
        "was": {key: was[key] for key in keys if key in was},
        "now": {key: now[key] for key in keys if key in now},
    }
