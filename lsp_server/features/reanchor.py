"""Tying an anchor to another place, chosen by a person."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lsp_server.core.change import Change, edited_data
from lsp_server.core.kinds import kind_of
from lsp_server.core.ledger_text import memory_data
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import Memory
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted, resolve
from lsp_server.features.writing import baseline_event, event
from lsp_server.store.memory_json import text_of
from lsp_server.workspace.snapshot import Snapshot


def reanchor(snapshot: Snapshot, memory: Memory, wanted: Wanted, anchor: str | None = None, reason: str = "") -> Change:
    """Moves one anchor to a place and accepts the code there.

    Without an anchor's id: the only one, else the only one that is stale. Raises Refused where it is not clear which,
    or where the place is none.
    """
    if kind_of(memory.kind).elsewhere:
        raise Refused(f"its place is what its marker names: change the marker in {memory.fields.get('document')}")
    chosen = choose(snapshot, memory, anchor)
    resolved = resolve(snapshot, wanted)
    old = text_of(memory)
    entries = tuple(replace(entry, locus=resolved.locus) if entry.id == chosen else entry for entry in old.anchors)
    data: dict[str, Any] = {
        "anchor": chosen,
        "from": stored_locus(next(a.place for a in memory.anchors if a.id == chosen)),
        "to": stored_locus(resolved.locus),
    }
    if reason:
        data["reason"] = reason
    text = replace(old, anchors=entries)
    data |= edited_data(memory_data(old, body=False), memory_data(text, body=False))
    moved = event(snapshot.stamp, "reanchored", memory.heads, data)
    accepted = baseline_event(snapshot.stamp, (moved.id,), chosen, resolved, memory.body, memory.state)
    return Change(memory.id, memory.folder, memory.home, text, (moved, accepted), old)


def choose(snapshot: Snapshot, memory: Memory, anchor: str | None) -> str:
    """The id of the anchor that is meant."""
    ids = [one.id for one in memory.anchors]
    if anchor is not None:
        if anchor not in ids:
            raise Refused(f"the memory has no anchor {anchor}; its anchors: {', '.join(ids) or 'none'}")
        return anchor
    if not ids:
        raise Refused("the memory has no anchor; record it again on a place to give it one")
    stale = [item.anchor.id for item in snapshot.judged(memory) if item.verdict.stale]
    for pool in (stale, ids):
        if len(pool) == 1:
            return pool[0]
    raise Refused(f"which anchor? name one of: {', '.join(stale or ids)}")
