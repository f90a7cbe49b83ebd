"""Writing down where moved code was followed to."""

from __future__ import annotations

from collections.abc import Collection

from lsp_server.core.change import Change
from lsp_server.core.model import Event, Level, Memory
from lsp_server.features.clear import standing_at
from lsp_server.features.writing import followed_event
from lsp_server.workspace.snapshot import Snapshot


def follow(snapshot: Snapshot, memory: Memory, files: Collection[str] | None = None) -> Change | None:
    """The change that writes down every move of a memory's anchors (into `files` only, where given), or None.

    Only what was followed without doubt is written; the old place is kept.
    """
    events: list[Event] = []
    after = memory.heads
    for item in snapshot.judged(memory):
        now = item.verdict.now
        if now is None or (files is not None and now.file not in files):
            continue
        if item.verdict.level not in (Level.MOVED, Level.CHANGED, Level.FRESH, Level.REFORMATTED):
            continue
        resolved = standing_at(snapshot, item)
        if resolved.locus in (item.anchor.place, item.anchor.locus) or resolved.locus in item.anchor.places:
            continue
        if resolved.locus.lines is not None and resolved.locus.file == item.anchor.place.file:
            continue  # Lines that shift within their file are found again from their text; that is no move.
        print_ = resolved.fingerprint()
        events.append(
            followed_event(
                snapshot.stamp, after, item.anchor.id, item.anchor.locus, resolved.locus, print_.masked or print_.text
            )
        )
        after = (events[-1].id,)
    if not events:
        return None
    return Change(memory.id, memory.folder, memory.home, None, tuple(events))
