"""Superseding, retiring and restoring: what is history is kept and no longer served as current."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsp_server.core.change import Change
from lsp_server.core.checks import goes_by_checks
from lsp_server.core.fold import lived_state
from lsp_server.core.kinds import RETIRED, SUPERSEDED, kind_of
from lsp_server.core.model import Memory
from lsp_server.features.checks import still_checked
from lsp_server.features.clear import standing_at
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted
from lsp_server.features.record import Draft, Request, draft, record
from lsp_server.features.transition import HISTORY, Step, allowed, check_step, link, taken, transition
from lsp_server.features.words import short
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Superseded:
    """What to write, the new one first; its id, and whether it was not known before."""

    changes: tuple[Change, ...]
    memory: str
    created: bool


def successor_draft(snapshot: Snapshot, memory: Memory, text: str) -> Draft:
    """A new memory with another one's kind, facts and places: anchors that are present go along, at the code as it is
    now.

    Raises Refused where the memory is not current, or where the text is the same.
    """
    require_current(memory, "superseded")
    row = kind_of(memory.kind)
    if row.elsewhere:
        raise Refused(f"its text is {memory.fields.get('document')}'s: change it there, then clear it")
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
        still_checked(snapshot, memory),
        by_checks=goes_by_checks(memory) and bool(still_checked(snapshot, memory)),
        state=memory.state if memory.state in row.starts else None,
        fields=memory.fields,
    )
    exact = draft(snapshot, request)
    if exact.id == memory.id:
        raise Refused("the text is the same; clear it if it still holds, or say what is true now")
    return exact


def supersede(snapshot: Snapshot, memory: Memory, exact: Draft, step: Step) -> Superseded:
    """A successor for a memory, each linked to the other.

    The memory of the draft's id must be among the snapshot's if it exists. Raises Refused where the kind asks for
    something that the step lacks, or where the text is that of a memory which is history.
    """
    check_step(kind_of(memory.kind), memory, SUPERSEDED)
    known = snapshot.memories.get(exact.id)
    if known is not None:
        # Its own facts stay as they are, whatever state it is in.
        exact = replace(exact, request=replace(exact.request, state=None, fields={}))
    made = record(snapshot, exact, step.revisions)
    if made.retired:
        raise Refused(f"that text was recorded before and is history ({short(exact.id)}); restore that one instead")
    ended = taken(snapshot, memory, SUPERSEDED, replace(step, by=exact.id))
    if made.change is None:
        assert known is not None
        return Superseded((link(snapshot, known, memory.id), ended), exact.id, False)
    told = event(snapshot.stamp, "supersedes", (made.change.events[-1].id,), {"old": memory.id})
    new = replace(made.change, events=(*made.change.events, told))
    return Superseded((new, ended), exact.id, made.created)


def retire(snapshot: Snapshot, memory: Memory, step: Step) -> tuple[Change, ...]:
    """Takes a memory out of what is current. Raises Refused where it is history already or no reason is given."""
    if memory.state in HISTORY and not memory.disputed:
        require_current(memory, "retired")
    return transition(snapshot, memory, RETIRED, step)


def restore(snapshot: Snapshot, memory: Memory, step: Step) -> tuple[Change, ...]:
    """Takes a retired or superseded memory back to the state that it had before; what took over from it is retired.

    Raises Refused where it is neither.
    """
    if memory.state not in HISTORY:
        if memory.current:
            raise Refused("the memory is current; there is nothing to restore")
        row = kind_of(memory.kind)
        raise Refused(
            f"the memory is {memory.state}, neither retired nor superseded; it can become {allowed(row, memory)}"
        )
    return transition(snapshot, memory, lived_state(memory.kind, step.events), step)


def require_current(memory: Memory, what: str) -> None:
    if not memory.current:
        by = f" by {short(memory.superseded_by[-1])}" if memory.superseded_by else ""
        mend = (
            "restore it first" if memory.state in HISTORY else f"it can become {allowed(kind_of(memory.kind), memory)}"
        )
        raise Refused(f"only a current memory can be {what}; this one is {memory.state}{by}: {mend}")
