"""Moving a memory from one state of its kind to another, with what that step asks for.

Everything is asked of the kind's row: which steps there are, and which of them need a reason, evidence, a successor.
Superseding, retiring and restoring are steps like any other. What git knows comes in as data; nothing is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lsp_server.core.change import Change, grounds_data, transition_data
from lsp_server.core.evidence import TYPES, evidence_data
from lsp_server.core.fold import in_causal_order, lived_state, without_undone
from lsp_server.core.kinds import RETIRED, SUPERSEDED, Kind, kind_of
from lsp_server.core.model import Entered, Event, Evidence, Fingerprint, Memory
from lsp_server.features.clear import clear, standing_at
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import NO_REVISIONS, Revisions, how_to_write, new_evidence, shown
from lsp_server.features.words import a_kind, short
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Judged, Snapshot

HISTORY = (SUPERSEDED, RETIRED)
"""The states that a memory goes back from to the one it had before."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a step is taken with.

    `evidence` as it was read, `revision` as it was written: the one from which on the new state holds. `by` is the
    memory that takes over. `events` are the memory's own, `heirs` the current memories that took over from it.
    """

    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    revision: str = ""
    by: str = ""
    events: tuple[Event, ...] = ()
    heirs: tuple[Memory, ...] = ()
    revisions: Revisions = field(default_factory=lambda: NO_REVISIONS)


def transition(
    snapshot: Snapshot, memory: Memory, state: str, step: Step, successor: Memory | None = None
) -> tuple[Change, ...]:
    """The changes that take a memory to a state: its own first, then those of the memories that are linked to it.

    `successor` is the memory that takes over, where there is one: it gets a link back. Raises Refused, in one line that
    says what is needed, where the kind's table has no such step or the step lacks something.
    """
    if successor is not None:
        check_successor(memory, successor)
        step = replace(step, by=successor.id)
    change = taken(snapshot, memory, state, step)
    linked = (link(snapshot, successor, memory.id),) if successor is not None else ()
    return change, *linked, *put_aside(snapshot, memory, state, step)


def taken(snapshot: Snapshot, memory: Memory, state: str, step: Step) -> Change:
    """The change of the memory itself. Raises Refused, see `transition`."""
    row = kind_of(memory.kind)
    before = lived_state(memory.kind, step.events) if memory.state in HISTORY else memory.state
    check_step(row, memory, state)
    settled = settles(memory, state, step.by)
    back = memory.state in HISTORY and state == before
    neither = memory.disputed and state == memory.state
    if back or neither or settled is not None:
        pieces = new_evidence(memory, step.evidence, step.revision, step.revisions)
    else:
        step = with_place(snapshot, memory, row, state, step)
        pieces = new_evidence(memory, step.evidence, step.revision, step.revisions)
        check_needs(row, memory, state, step, pieces)
    data = grounds_data(
        step.reason.strip(), evidence_data(pieces), revision_of(row, state, step, pieces, settled), step.by
    )
    if heirs := put_aside(snapshot, memory, state, step):
        data["retired"] = [one.memory_id for one in heirs]
    stamp = snapshot.stamp
    if state == SUPERSEDED:
        moved = event(stamp, "superseded", memory.heads, data)
    elif state == RETIRED:
        moved = event(stamp, "retired", memory.heads, data)
    elif back and not memory.disputed:
        moved = event(stamp, "restored", memory.heads, data)
    else:
        moved = event(stamp, "transitioned", memory.heads, {**transition_data(memory.state, state), **data})
    after = replace(memory, state=state, heads=(moved.id,))
    fix = str(data.get("at", ""))
    accepted = accepting(snapshot, after, row, before, step.revisions, fix)
    return Change(memory.id, memory.folder, memory.home, None, (moved, *accepted))


def waits_for(memory: Memory, pieces: Sequence[Evidence]) -> str | None:
    """The state that a memory comes to by being given evidence alone, as a fix does by what shows it to work: the next
    one that asks for a role which one of the pieces has, at a revision from some state on. None where there is none."""
    row = kind_of(memory.kind)
    roles = {piece.role for piece in pieces}
    found = [
        state
        for state in row.transitions.get(memory.state, ())
        if row.evidence_role.get(state) in roles and row.evidence_after.get(state) == memory.state
    ]
    return found[0] if found and not memory.disputed else None


def link(snapshot: Snapshot, successor: Memory, old: str) -> Change:
    """The change that tells a memory from whom it took over."""
    told = event(snapshot.stamp, "supersedes", successor.heads, {"old": old})
    return Change(successor.id, successor.folder, successor.home, None, (told,))


def put_aside(snapshot: Snapshot, memory: Memory, state: str, step: Step) -> tuple[Change, ...]:
    """What took over from a memory that comes back, or by a step that a dispute is decided against, is retired: two
    would be current."""
    if not (memory.state == SUPERSEDED or memory.disputed) or not kind_of(memory.kind).is_current(state):
        return ()
    reason = step.reason.strip() or f"{short(memory.id)} was restored in its place"
    return tuple(
        Change(
            heir.id,
            heir.folder,
            heir.home,
            None,
            (event(snapshot.stamp, "retired", heir.heads, {"reason": reason, "restored": memory.id}),),
        )
        for heir in step.heirs
    )


def check_step(row: Kind, memory: Memory, state: str) -> None:
    """Raises Refused where the kind has no such state, or no such step from the present one."""
    if state not in row.states:
        raise Refused(f"{a_kind(row.name)} has no state {state[:40]!r}; its states: {', '.join(row.states)}")
    if any(rival.state == state for rival in memory.rivals) or (memory.disputed and state == memory.state):
        return
    if row.allows(memory.state, state):
        return
    if state == memory.state:
        raise Refused(f"the {row.name} is {state} already; from there it can become {allowed(row, memory)}")
    by = f" (by {short(memory.superseded_by[-1])})" if memory.superseded_by else ""
    raise Refused(
        f"{a_kind(row.name)} that is {memory.state}{by} cannot become {state}; it can become {allowed(row, memory)}"
    )


def allowed(row: Kind, memory: Memory) -> str:
    return ", ".join(row.transitions.get(memory.state, ())) or "nothing else any more"


def settles(memory: Memory, state: str, by: str) -> Entered | None:
    """The rival that a step decides for, where a memory is disputed: what it asks for was given there."""
    rivals = [one for one in memory.rivals if one.state == state]
    if not rivals:
        return None
    chosen = [one for one in rivals if one.by == by]
    if not chosen:
        others = ", ".join(short(one.by) for one in rivals if one.by)
        raise Refused(f"it is disputed who takes over: name the successor, one of {others}")
    return chosen[-1]


def check_needs(row: Kind, memory: Memory, state: str, step: Step, pieces: Sequence[Evidence]) -> None:
    """Raises Refused where the row asks for something that is not given."""
    if (state in row.needs_reason or state == RETIRED) and not step.reason.strip():
        raise Refused(f"a reason is needed for {state}: say why")
    if state in row.needs_successor or state == SUPERSEDED:
        if not step.by:
            raise Refused(f"a successor is needed for {state}: name the memory that takes over, by its id")
    elif step.by:
        raise Refused(f"there is no successor in {state}; leave out the memory that takes over")
    if state not in row.needs_evidence:
        return
    types, role = row.evidence_types.get(state, ()), row.evidence_role.get(state, "")
    lacking = [kind for kind in types if all(piece.type != kind for piece in pieces)]
    if lacking:
        raise Refused(
            f"{state} needs {' and '.join(types)} as evidence; give {' and '.join(TYPES[kind] for kind in lacking)}"
        )
    if role and all(piece.role != role for piece in pieces):
        raise Refused(f"{state} needs evidence with the role {role}; give it like {how_to_write(role)}")
    if not pieces:
        raise Refused(f"{state} needs evidence that it does not have yet; give one of {', '.join(TYPES.values())}")
    if state in row.evidence_after:
        check_after(row.evidence_after[state], step, [piece for piece in pieces if piece.role == role])


def check_after(start: str, step: Step, pieces: Sequence[Evidence]) -> None:
    """Raises Refused where no piece is at the revision at which `start` was entered, or after it."""
    entered = entry_to(start, step.events)
    if entered is None:
        raise Refused(f"it was never {start}; that comes first")
    if not entered or any(step.revisions.is_after(entered, piece.revision) for piece in pieces):
        return
    piece = pieces[-1]
    name = f"{start} is at {entered[:12]}"
    if not piece.revision:
        raise Refused(f"{name}, and it is not said at which revision {shown(piece)} was seen; name the revision")
    if not step.revisions.repository:
        raise Refused(f"{name}, and without git nobody can tell what comes after it; give evidence at that revision")
    if entered not in step.revisions.commits.values():
        raise Refused(f"{name}, which is not in this repository, so that nobody can tell what comes after it; fetch it")
    raise Refused(
        f"{name}, and {piece.revision[:12]}, where {shown(piece)} was seen, does not come after it;"
        " give evidence from there on"
    )


def entry_to(state: str, events: Sequence[Event]) -> str | None:
    """The revision at which a memory came to a state last, empty where that is not known; None where it never did."""
    for one in reversed(without_undone(in_causal_order(events))):
        if one.type == "transitioned" and one.data.get("to") == state:
            found = one.data.get("at")
            return found if isinstance(found, str) and found else one.revision
    return None


def with_place(snapshot: Snapshot, memory: Memory, row: Kind, state: str, step: Step) -> Step:
    """The step with what goes without saying: the commit that `revision` names, and the places of the anchors.

    Only for the types of evidence that the state asks for, and only where none of that type is given.
    """
    given = {piece.type for piece in step.evidence}
    wanted = [kind for kind in row.evidence_types.get(state, ()) if kind not in given]
    more: list[Evidence] = []
    if "commit" in wanted and step.revision:
        more.append(Evidence("commit", step.revision))
    if "file" in wanted and (more or "commit" in given):
        places = (item.verdict.now for item in snapshot.judged(memory))
        more += [
            Evidence("file", f"{now.file}:{now.start_line}-{now.end_line}") for now in dict.fromkeys(places) if now
        ]
    return replace(step, evidence=(*step.evidence, *more))


def revision_of(row: Kind, state: str, step: Step, pieces: Sequence[Evidence], settled: Entered | None) -> str:
    """The revision from which on the new state holds, in full: the one that is named, else that of the commit among
    the evidence which the state asks for; empty where nothing says it."""
    if step.revision:
        return step.revisions.commit(step.revision)
    if settled is not None:
        return settled.revision
    if "commit" not in row.evidence_types.get(state, ()):
        return ""
    commits = list(dict.fromkeys(piece.value for piece in pieces if piece.type == "commit"))
    last = [one for one in commits if all(step.revisions.is_after(other, one) for other in commits)]
    if commits and not last:
        raise Refused("several commits, and none comes after all others; name the revision from which on it is so")
    return last[0] if last else ""


def check_successor(memory: Memory, successor: Memory) -> None:
    if successor.id == memory.id:
        raise Refused("a memory cannot take over from itself; name another one")
    if not successor.current:
        raise Refused(f"{short(successor.id)} is {successor.state}; name a current memory to take over")


# -- the code that goes with a state -----------------------------------------------------------------------------------


def accepting(
    snapshot: Snapshot, memory: Memory, row: Kind, before: str, revisions: Revisions, fix: str
) -> tuple[Event, ...]:
    """What a step between faulty and fixed says of the code: as it is now, it is what the new state speaks of.

    Whoever says that a fix is there accepts the code with it; not where the fix is known to be elsewhere than in what
    is checked out. Whoever opens it again says that the code which was taken to be fixed is faulty.
    """
    was, now = before in row.fixed_states, memory.state in row.fixed_states
    if was == now or not row.is_current(memory.state):
        return ()
    if now and not is_here(revisions, fix):
        return ()
    events: list[Event] = []
    heads = memory.heads
    for item in snapshot.judged(memory) if was else ():
        for baseline in taken_as_fixed(snapshot, item, row):
            events.append(event(snapshot.stamp, "withdrawn", heads, {"baseline": baseline, "anchor": item.anchor.id}))
            heads = (events[-1].id,)
    done = clear(snapshot, replace(memory, heads=heads), alone=False)
    return (*events, *(done.change.events if done.change is not None else ()))


def is_here(revisions: Revisions, fix: str) -> bool:
    """Whether a revision is in what is checked out, as far as anybody can tell."""
    return not (revisions.repository and revisions.head and fix) or revisions.is_after(fix, revisions.head)


def taken_as_fixed(snapshot: Snapshot, item: Judged, row: Kind) -> tuple[str, ...]:
    """The baselines of an anchor that took the code which is there now to be fixed."""
    if item.verdict.now is None:
        return ()
    code = code_of(standing_at(snapshot, item).fingerprint())
    return tuple(
        one.id for one in item.anchor.baselines if one.state in row.fixed_states and code_of(one.fingerprint) == code
    )


def code_of(fingerprint: Fingerprint) -> str:
    return fingerprint.code or fingerprint.text
