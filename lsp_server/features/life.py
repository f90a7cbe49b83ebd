"""Superseding, retiring and restoring: what is history is kept and no longer served as current."""

from __future__ import annotations

from dataclasses import replace

from lsp_server.core.change import Change, superseded_data
from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Memory
from lsp_server.features.clear import standing_at
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted
from lsp_server.features.record import Draft, Request, draft, record
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Snapshot


def supersede(
    snapshot: Snapshot, memory: Memory, text: str, reason: str = "", author: str | None = None
) -> tuple[Draft, tuple[Change, ...]]:
    """A new memory with the old one's kind, facts and places, each linked to the other; answers it with what to write.

    Anchors that are present go along, at the code as it is now. Raises Refused where the memory is not current, where
    its kind cannot be superseded, or where the text is the same.
    """
    require_current(memory, "superseded")
    if "superseded" not in KINDS[memory.kind].states:
        raise Refused(f"a {memory.kind} cannot be superseded; retire it instead")
    present = [item for item in snapshot.judged(memory) if item.verdict.now is not None]
    places = tuple(standing_at(snapshot, item) for item in present)
    wanted = tuple(
        Wanted(
            place.locus.file,
            f"{place.symbol.path}[{place.symbol.occurrence[0]}]"
            if place.symbol and place.symbol.occurrence[1] > 1
            else place.locus.symbol,
            lines=place.locus.lines,
        )
        for place in places
    )
    request = Request(
        memory.kind,
        text,
        wanted,
        memory.home,
        memory.tags,
        memory.importance,
        memory.expires,
        memory.checks,
        None,
        author,
    )
    exact = draft(snapshot, request)
    if exact.id == memory.id:
        raise Refused("the text is the same; clear it if it still holds, or say what is true now")
    made = record(snapshot, exact)
    if made.retired:
        raise Refused(f"that text was recorded before and is history ({exact.id}); restore that one instead")
    stamp = replace(snapshot.stamp, author=author) if author else snapshot.stamp
    replaced = event(stamp, "superseded", memory.heads, superseded_data(exact.id, reason))
    old = Change(memory.id, memory.folder, memory.home, None, (replaced,))
    if made.change is None:
        return exact, (old,)
    last = made.change.events[-1].id
    link = event(stamp, "supersedes", (last,), {"old": memory.id})
    return exact, (replace(made.change, events=(*made.change.events, link)), old)


def retire(snapshot: Snapshot, memory: Memory, reason: str, author: str | None = None) -> Change:
    """Takes a memory out of what is current. Raises Refused where it is history already or no reason is given."""
    require_current(memory, "retired")
    if not reason.strip():
        raise Refused("a reason is needed: say why it no longer holds")
    stamp = replace(snapshot.stamp, author=author) if author else snapshot.stamp
    retired = event(stamp, "retired", memory.heads, {"reason": reason.strip()})
    return Change(memory.id, memory.folder, memory.home, None, (retired,))


def restore(snapshot: Snapshot, memory: Memory, reason: str = "") -> Change:
    """Makes a retired or superseded memory current again. Raises Refused where it is current."""
    if memory.current:
        raise Refused("the memory is current; there is nothing to restore")
    restored = event(snapshot.stamp, "restored", memory.heads, {"reason": reason} if reason else {})
    return Change(memory.id, memory.folder, memory.home, None, (restored,))


def require_current(memory: Memory, what: str) -> None:
    if not memory.current:
        by = f" by {memory.superseded_by[-1]}" if memory.superseded_by else ""
        raise Refused(f"only a current memory can be {what}; this one is {memory.state}{by}: restore it first")
