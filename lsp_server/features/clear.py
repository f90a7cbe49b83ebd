"""Clearing staleness: somebody re-read the memory and accepts the code as it is now. And taking that back."""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.core.change import Change
from lsp_server.core.model import Event, Level, Locus, Memory
from lsp_server.features.errors import Refused
from lsp_server.features.markers import aimed_at
from lsp_server.features.places import Resolved, readable
from lsp_server.features.writing import baseline_event, event, followed_event
from lsp_server.workspace.snapshot import Judged, Snapshot


@dataclass(frozen=True, slots=True)
class Cleared:
    """What to write (None when nothing can be accepted) and the anchors that are missing and so were left."""

    change: Change | None
    missing: tuple[Judged, ...]


def clear(
    snapshot: Snapshot, memory: Memory, anchor: str | None = None, note: str | None = None, *, alone: bool = True
) -> Cleared:
    """Accepts the code as it is, and a move, for one anchor (by id) or for all that are present.

    In an editor that is the buffer's code. Raises Refused where an anchor is named that the memory has not, or that is
    not there to be accepted, and where none can be looked at, unless this goes along with another step (not `alone`).
    """
    wanted = [item for item in snapshot.judged(memory) if anchor in (None, item.anchor.id)]
    if anchor is not None and not wanted:
        raise Refused(
            f"the memory has no anchor {anchor}; its anchors: {', '.join(a.id for a in memory.anchors) or 'none'}"
        )
    present = [item for item in wanted if item.verdict.now is not None and item.verdict.level is not Level.FILE_MISSING]
    missing = tuple(item for item in wanted if item not in present and item.verdict.level is not Level.UNVERIFIABLE)
    if not present:
        if alone and wanted and not missing:
            raise Refused(unseen(snapshot, wanted[0]))
        return Cleared(None, missing)
    events: list[Event] = []
    after = memory.heads
    for item in present:
        resolved = aimed_at(snapshot, item) or standing_at(snapshot, item)
        if resolved.locus != item.anchor.place:
            code = resolved.fingerprint().masked or resolved.fingerprint().text
            events.append(
                followed_event(snapshot.stamp, after, item.anchor.id, item.anchor.locus, resolved.locus, code)
            )
            after = (events[-1].id,)
        events.append(baseline_event(snapshot.stamp, after, item.anchor.id, resolved, memory.body, memory.state, note))
        after = (events[-1].id,)
    return Cleared(Change(memory.id, memory.folder, memory.home, None, tuple(events)), missing)


def unseen(snapshot: Snapshot, item: Judged) -> str:
    """Why nobody can accept an anchor's code, which is not there to be read: what its marker has wrong, else what the
    verdict says."""
    try:
        aimed_at(snapshot, item)
    except Refused as error:
        return f"{item.anchor.place} cannot be accepted: {error}"
    return f"{item.anchor.place} cannot be accepted: {item.verdict.detail.rstrip('.')}"


def undo(snapshot: Snapshot, memory: Memory, anchor: str | None = None) -> Change:
    """Withdraws the newest acceptance of one anchor, or of every anchor that has more than its first.

    Raises Refused where there is nothing to withdraw.
    """
    events: list[Event] = []
    after = memory.heads
    for one in memory.anchors:
        if anchor not in (None, one.id) or len(one.baselines) < (1 if anchor else 2):
            continue
        events.append(event(snapshot.stamp, "withdrawn", after, {"baseline": one.baselines[-1].id, "anchor": one.id}))
        after = (events[-1].id,)
    if not events:
        raise Refused("no clear to undo: each anchor has only the baseline it was recorded with")
    return Change(memory.id, memory.folder, memory.home, None, tuple(events))


def standing_at(snapshot: Snapshot, item: Judged) -> Resolved:
    """The exact code that a verdict found, in the same source it was judged in."""
    now, span = item.verdict.now, item.verdict.span
    assert now is not None
    source = readable(snapshot, now.file)
    if now.symbol is not None and source.outline is not None:
        for symbol in source.outline.by_path(now.symbol):
            if span is None or (symbol.start, symbol.end) == (span.start, span.end):
                return Resolved(source, Locus(now.file, now.symbol), symbol)
        raise Refused(f"{now.file}: {now.symbol} changed meanwhile; ask again")
    if item.anchor.place.lines is not None:
        return Resolved(source, Locus(now.file, None, (now.start_line, now.end_line)), None)
    return Resolved(source, Locus(now.file), None)
