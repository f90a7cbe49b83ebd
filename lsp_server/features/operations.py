"""Each command as one call on a session: load what it needs, ask one feature, write what it answers, report.

Command line, language server and agents call these and nothing below, so all of them do and answer the same.
Every answer is plain JSON in the shapes of the design, section 6. Raises `Refused` with one line that names the mend.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

from lsp_server.core.change import Change
from lsp_server.core.kinds import KEY, SUPERSEDED, kind_of
from lsp_server.core.locus import LocusError, parse_stored_locus
from lsp_server.core.model import Anchor, Event, Locus, Memory
from lsp_server.core.ranking import Weights
from lsp_server.features import backlog as owing
from lsp_server.features import clear as clearing
from lsp_server.features import evidence, life, listing
from lsp_server.features import forget as forgetting
from lsp_server.features import history as telling
from lsp_server.features import pin as pinning
from lsp_server.features import reanchor as reanchoring
from lsp_server.features import record as recording
from lsp_server.features import search as searching
from lsp_server.features import transition as moving
from lsp_server.features import undo as undoing
from lsp_server.features.as_of import Then, as_of, as_of_json
from lsp_server.features.chain import chain, load_chain
from lsp_server.features.checks import proposed_checks
from lsp_server.features.conflicts import conflicts, conflicts_json, contradicting
from lsp_server.features.conflicts import dismiss as dismissing
from lsp_server.features.diff import diff
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import NO_REVISIONS, Revisions, named_revisions
from lsp_server.features.follow import follow
from lsp_server.features.likeness import near, near_json
from lsp_server.features.places import Wanted, resolve
from lsp_server.features.report import check_json, list_json, memory_json
from lsp_server.features.search import Question, check_question
from lsp_server.features.secrets import refuse_secrets, secret_in
from lsp_server.features.slots import explanation, taking_over
from lsp_server.features.use import use
from lsp_server.store.ledger import LedgerChanged, LedgerRefused
from lsp_server.store.words import Asked
from lsp_server.workspace import git
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot

T = TypeVar("T")

ATTEMPTS = 3
"""How often a write is made anew when the file it would rewrite was edited by somebody else in between."""

COMPARED = 12
"""Most revisions of one change of which git is asked which comes after which."""

AGENT = "agent:"
"""How the name of an author begins who is no human."""

REASON_CAP = 4 * 1024
"""Bytes of UTF-8 that a reason or a note may have: as many as a piece of evidence."""


async def record_memory(session: Session, request: recording.Request) -> dict[str, Any]:
    """Records, and answers the memory with `created` (and `retired` where it stands retired and was left so)."""
    await check_request(session, request)
    request = replace(request, evidence=evidence.inside(session.root.path, request.evidence))
    initialized = session.ledger.exists()
    revisions = await revisions_of(session, named_revisions(request.evidence, request.revision))

    async def attempt() -> recording.Recorded:
        exact = recording.draft(session.snapshot(), request)
        await session.load_ids([exact.id])
        tombstone = session.ledger.tombstone(request.home or exact.kind.home, exact.id)
        await load_slot(session, exact)
        # One moment for both: what is written together has one time, and is undone together.
        snapshot = session.snapshot()
        made = recording.record(snapshot, exact, revisions, tombstone)
        if changes := taking_over(snapshot, exact, made):
            await session.apply(*changes)
        return made

    made = await unless_changed(session, attempt)
    answer = await report(session, made.memory)
    answer["created"] = made.created
    if made.retired:
        answer["retired"] = True
    if not initialized:
        answer["initialized"] = True
    answer["proposed_checks"] = proposed_checks(session.snapshot(), made.memory)
    return {**answer, **await said_before(session, made)}


async def said_before(session: Session, made: recording.Recorded) -> dict[str, Any]:
    """What somebody who just recorded something may not know: memories that say nearly the same (`near`), and current
    ones that say something else (`conflicts`). Nothing is refused for either."""
    memory = session.snapshot().memories[made.memory]
    if not made.created or not memory.current or kind_of(memory.kind).home == "local":
        return {"near": [], "conflicts": []}  # How far work is, is said again and again.
    found = await near(session, memory.kind, memory.body, without=[memory.id])
    for file in {anchor.place.file for anchor in memory.anchors}:
        await session.load(file)
    if memory.fields.get(KEY):
        await session.load_ids([one.id for one in await session.index.memories(kind=memory.kind)])
    at_odds = contradicting(memory, session.snapshot().memories.values())
    return {"near": near_json(found), "conflicts": conflicts_json(at_odds)}


async def record_many(
    session: Session, requests: Sequence[recording.Request]
) -> list[dict[str, Any] | Refused | LedgerRefused]:
    """Records many with one look at the ledger for all of them. What is refused stops no other.

    Answers in order, as `record_memory` does each; in place of what cannot be recorded, why.
    """
    answers: dict[int, dict[str, Any] | Refused | LedgerRefused] = {}
    waiting: list[tuple[int, recording.Draft]] = []
    snapshot = session.snapshot()
    names = [name for request in requests for name in named_revisions(request.evidence, request.revision)]
    revisions = await revisions_of(session, names)
    for number, request in enumerate(requests):
        try:
            await check_request(session, request)
            request = replace(request, evidence=evidence.inside(session.root.path, request.evidence))
            waiting.append((number, recording.draft(snapshot, request)))
        except Refused as error:
            answers[number] = error
    while waiting:
        # Two that are one memory go one after the other, so that the second finds what the first wrote.
        now = {exact.id: (number, exact) for number, exact in reversed(waiting)}
        waiting = [(number, exact) for number, exact in waiting if now[exact.id][0] != number]
        answers.update(await record_distinct(session, sorted(now.values(), key=lambda item: item[0]), revisions))
    return [answers[number] for number in range(len(requests))]


async def record_distinct(
    session: Session, drafts: Sequence[tuple[int, recording.Draft]], revisions: Revisions = NO_REVISIONS
) -> dict[int, dict[str, Any] | Refused | LedgerRefused]:
    """Writes drafts of different memories together; what is refused stops no other."""
    answers: dict[int, dict[str, Any] | Refused | LedgerRefused] = {}
    await session.load_ids([exact.id for _, exact in drafts])
    snapshot = session.snapshot()
    made: dict[int, recording.Recorded] = {}
    drafted = dict(drafts)
    for number, exact in drafts:
        try:
            tombstone = session.ledger.tombstone(exact.request.home or exact.kind.home, exact.id)
            made[number] = recording.record(snapshot, exact, revisions, tombstone)
        except Refused as error:
            answers[number] = error
    initialized = session.ledger.exists()
    for number, exact in drafts:
        if exact.kind.one_a_place and number in made:
            # What is there gives way, so it is looked at as it is when this one's turn comes.
            await load_slot(session, exact)
            now = replace(session.snapshot(), stamp=snapshot.stamp)
            if ending := taking_over(now, exact, made[number]):
                await session.apply(*ending)
    changes = [one.change for number, one in made.items() if one.change and not drafted[number].kind.one_a_place]
    refused = await session.apply_each(changes) if changes else {}
    answers |= {number: refused[one.memory] for number, one in made.items() if one.memory in refused}
    after = session.snapshot()
    for number, one in made.items():
        memory = after.memories.get(one.memory)
        if number in answers:
            continue
        if memory is None:
            answers[number] = Refused(
                f"memory {one.memory} is not to be found any more; was its folder deleted meanwhile?"
            )
            continue
        answer = {**memory_json(after, memory), "created": one.created}
        if one.retired:
            answer["retired"] = True
        if not initialized:
            answer["initialized"] = initialized = True
        answers[number] = answer
    return answers


async def load_slot(session: Session, exact: recording.Draft) -> None:
    """Loads what is, or was last, at the place of a draft whose kind has one slot a place."""
    if exact.kind.one_a_place and exact.places:
        await session.load(exact.places[0].locus.file)


async def explain(session: Session, place: Locus) -> dict[str, Any]:
    """What is recorded of what a place is for and how it works; see `slots.explanation`."""
    await session.load_all()
    snapshot = session.snapshot()
    answer = explanation(snapshot, place)
    if not any(slot["id"] or slot["older"] for slot in answer["slots"].values()):
        resolve(snapshot, Wanted(place.file, place.symbol, lines=place.lines))  # Refuses what is not there.
    session.seen([slot["id"] for slot in answer["slots"].values() if slot["id"]], "shown")
    return answer


async def note_use(
    session: Session, prefix: str, purpose: str, author: str | None = None, allow_secret: bool = False
) -> dict[str, Any]:
    """Notes down what a memory was used for."""
    check_author(session, author)
    await no_secret({"purpose": purpose}, allow_secret)
    memory = await find(session, prefix)
    await session.apply(use(spoken(session, author), memory, purpose))
    return await report(session, memory.id)


async def clear_staleness(
    session: Session,
    prefix: str,
    anchor: str | None = None,
    note: str | None = None,
    undo: bool = False,
    allow_secret: bool = False,
) -> dict[str, Any]:
    """Accepts the code as it is (or withdraws the last acceptance); `missing` names the anchors that could not be."""
    check_length({"note": note or ""})
    await no_secret({"note": note or ""}, allow_secret)
    memory = await find(session, prefix)
    chosen = anchor_of(memory, anchor)
    snapshot = session.snapshot()
    left: list[str] = []
    if undo:
        await session.apply(clearing.undo(snapshot, memory, chosen))
    else:
        done = clearing.clear(snapshot, memory, chosen, note)
        left = [item.anchor.id for item in done.missing]
        if done.change is not None:
            await session.apply(with_followed(snapshot, memory, done.change))
    return {**await report(session, memory.id), "missing": left}


async def reanchor(session: Session, prefix: str, wanted: Wanted, anchor: str | None = None) -> dict[str, Any]:
    """Ties one anchor to another place and accepts the code there."""

    async def attempt() -> str:
        memory = await find(session, prefix)
        snapshot = session.snapshot()
        change = reanchoring.reanchor(snapshot, memory, wanted, anchor_of(memory, anchor))
        await session.apply(with_followed(snapshot, memory, change))
        return memory.id

    return await report(session, await unless_changed(session, attempt))


async def supersede(session: Session, prefix: str, text: str, grounds: Grounds | None = None) -> dict[str, Any]:
    """Records what is true now in place of a memory; answers the new one."""
    grounds = grounds or Grounds()
    await check_grounds(session, grounds, text)
    memory = await find(session, prefix)
    exact = life.successor_draft(session.snapshot(), memory, text)
    await session.load_ids([exact.id])
    step = await step_of(session, memory, grounds)

    async def attempt() -> life.Superseded:
        made = life.supersede(spoken(session, grounds.author), memory, exact, step)
        await session.apply(*made.changes)
        return made

    made = await unless_changed(session, attempt)
    return {**await report(session, made.memory), "created": made.created}


async def retire(session: Session, prefix: str, grounds: Grounds) -> dict[str, Any]:
    """Takes a memory out of what is current; it stays in the history."""
    await check_grounds(session, grounds)
    memory = await find(session, prefix)
    step = await step_of(session, memory, grounds)
    await session.apply(*life.retire(spoken(session, grounds.author), memory, step))
    return await report(session, memory.id)


async def restore(session: Session, prefix: str, grounds: Grounds | None = None) -> dict[str, Any]:
    """Takes a memory back from history; `replaced` names what had taken over from it and is retired for that."""
    grounds = grounds or Grounds()
    await check_grounds(session, grounds)
    memory = await find(session, prefix)
    step = await step_of(session, memory, grounds)
    await session.apply(*life.restore(spoken(session, grounds.author), memory, step))
    return {**await report(session, memory.id), "replaced": replaced(memory, step)}


async def transition(session: Session, prefix: str, state: str, grounds: Grounds) -> dict[str, Any]:
    """Takes a memory to another state of its kind, with what its row asks for."""
    await check_grounds(session, grounds)
    memory = await find(session, prefix)
    successor = await find(session, grounds.by) if grounds.by else None
    step = await step_of(session, memory, grounds)
    await session.apply(*moving.transition(spoken(session, grounds.author), memory, state, step, successor))
    answer = await report(session, memory.id)
    return {**answer, "replaced": replaced(memory, step) if answer["current"] else []}


async def add_evidence(session: Session, prefix: str, grounds: Grounds) -> dict[str, Any]:
    """Gives a memory more evidence. Where that is what its next state waits for, it takes the step with it."""
    await check_grounds(session, grounds)
    memory = await find(session, prefix)
    step = await step_of(session, memory, grounds)
    snapshot = spoken(session, grounds.author)
    state = moving.waits_for(memory, step.evidence)
    if state is not None:
        await session.apply(*moving.transition(snapshot, memory, state, step))
    else:
        await session.apply(evidence.add_evidence(snapshot, memory, step.evidence, step.revision, step.revisions))
    return await report(session, memory.id)


async def dismiss(
    session: Session, prefix: str, other: str, reason: str, author: str | None = None, allow_secret: bool = False
) -> dict[str, Any]:
    """Says of two memories in conflict that both hold, and why; it counts until one of them is edited."""
    check_author(session, author)
    check_length({"reason": reason})
    await no_secret({"reason": reason}, allow_secret)
    memory, rival = await find(session, prefix), await find(session, other)
    await session.apply(dismissing(spoken(session, author), memory, rival, reason))
    return await report(session, memory.id)


async def pin(session: Session, prefix: str, on: bool = True, author: str | None = None) -> dict[str, Any]:
    """Pins a memory, or takes the pin off; one that is as asked is left so."""
    check_author(session, author)
    memory = await find(session, prefix)
    change = pinning.pin(spoken(session, author), memory, on)
    if change is not None:
        await session.apply(change)
    return await report(session, memory.id)


async def undo(
    session: Session, prefix: str, reason: str = "", author: str | None = None, allow_secret: bool = False
) -> dict[str, Any]:
    """Takes back the last change of a memory, with what it did to others; `undone` says what that was, `left` which
    memory that it had recorded stays, since more happened to it."""
    check_author(session, author)
    check_length({"reason": reason})
    await no_secret({"reason": reason}, allow_secret)

    async def attempt() -> tuple[str, undoing.Undone]:
        memory = await find(session, prefix)
        lives = {memory.id: undoing.Life(memory, await events_of(session, memory))}
        while wanted := undoing.linked(lives[memory.id], lives):
            for identifier in wanted:
                await session.load_ids([identifier])
                other = session.snapshot().memories.get(identifier)
                lives[identifier] = undoing.Life(other, await events_of(session, other) if other is not None else ())
        made = undoing.undo(spoken(session, author), lives[memory.id], lives, reason)
        await session.apply(*made.changes)
        return memory.id, made

    identifier, made = await unless_changed(session, attempt)
    return {**await report(session, identifier), "undone": list(made.undone), "left": list(made.left)}


async def show(session: Session, prefix: str, revision: str | None = None) -> dict[str, Any]:
    """One memory; at a `revision`, as it was believed then, with `as_of`."""
    memory = await find(session, prefix)
    if revision is not None:
        moment = await as_of(session, revision, await linked(session, memory.id))
        return shown_then(moment, believed(moment, memory.id))
    await session.trace([memory.id])
    session.seen([memory.id], "opened")
    return await report(session, memory.id)


async def show_diff(session: Session, prefix: str, anchor: str | None = None) -> dict[str, Any]:
    """Every anchor's verdict with the unified diff since its nearest baseline."""
    memory = await find(session, prefix)
    await session.trace([memory.id])
    session.seen([memory.id], "opened")
    return diff(session.snapshot(), memory, anchor_of(memory, anchor))


async def list_memories(
    session: Session,
    place: Locus | None = None,
    kind: str | None = None,
    tag: str | None = None,
    stale: bool | None = None,
    everything: bool = False,
) -> dict[str, Any]:
    """Memories that pass every filter, stale first."""
    return await list_chosen(session, listing.Filters(place, None, kind, None, tag, stale=stale, everything=everything))


async def list_chosen(session: Session, filters: listing.Filters, revision: str | None = None) -> dict[str, Any]:
    """Memories that pass the filters; at a `revision`, as they were believed then, with `as_of`.

    `omitted` says how many more there are, `conflicts` (where these are asked for) which memories are at odds.
    """
    if revision is not None:
        moment = await as_of(session, revision)
        then = listing.choose(moment.snapshot, filters)
        answer = list_json(moment.snapshot, then.memories)
        answer |= {"omitted": then.omitted, "as_of": as_of_json(moment, then.memories)}
        return answer | conflicts_of(moment.snapshot, filters)
    await session.load_all()
    await session.search_missing()
    await session.usage.read()
    snapshot = session.snapshot()
    chosen = listing.choose(snapshot, filters)
    if filters.place is not None:  # Who asks for everything, as an editor's tree does at every change, looks at none.
        session.seen([memory.id for memory in chosen.memories], "shown")
    return {**list_json(snapshot, chosen.memories), "omitted": chosen.omitted, **conflicts_of(snapshot, filters)}


def conflicts_of(snapshot: Snapshot, filters: listing.Filters) -> dict[str, Any]:
    found = conflicts(snapshot.memories.values()) if filters.conflicts else ()
    return {"conflicts": conflicts_json(found)} if filters.conflicts else {}


async def history(
    session: Session, prefix: str, revision: str | None = None, with_diff: bool = False
) -> dict[str, Any]:
    """Every event of a memory, there or forgotten, in causal order; with a `revision` those that had happened then.

    With `with_diff`, `diff` has what `show_diff` answers of each anchor: why it is stale, since which commit, and how
    its code changed.
    """
    identifier = await forgetting.forgettable(session, prefix)
    await load_chain(session, identifier)
    snapshot = session.snapshot()
    memory = snapshot.memories.get(identifier)
    if memory is None:
        times = max((one.times for one in forgetting.buried(session, identifier)), default=0)
        if not times:
            raise Refused(f"memory {identifier} cannot be read; moorline doctor says what is wrong with its files")
        return telling.forgotten_history(identifier, times, forgetting.came_back(session, identifier))
    if revision is None:
        answer = telling.history(snapshot, memory, await events_of(session, memory))
        return {**answer, "diff": (await show_diff(session, memory.id))["anchors"]} if with_diff else answer
    moment = await as_of(session, revision, await linked(session, memory.id))
    events, by_time = moment.events[memory.id], moment.placed_by_time
    answer = telling.history(moment.snapshot, believed(moment, memory.id), events, by_time)
    more = {"diff": diff(moment.snapshot, believed(moment, memory.id))["anchors"]} if with_diff else {}
    return {**answer, **more, "as_of": as_of_json(moment, [memory])}


async def forget(session: Session, prefix: str, yes: bool = False, remains: bool = False) -> dict[str, Any]:
    """Erases a memory for good, and tells what git still remembers."""
    identifier = await forgetting.forgettable(session, prefix)
    return await forgetting.forget(session, identifier, yes=yes, remains=remains)


async def linked(session: Session, identifier: str) -> tuple[str, ...]:
    """The ids of a memory and of all that it is linked to by superseding."""
    await load_chain(session, identifier)
    snapshot = session.snapshot()
    return tuple(dict.fromkeys((identifier, *chain(snapshot, snapshot.memories[identifier]))))


def believed(moment: Then, identifier: str) -> Memory:
    """A memory as it was then. Raises Refused where it was not recorded yet."""
    memory = moment.snapshot.memories.get(identifier)
    if memory is None:
        raise Refused(f"memory {identifier} was not recorded yet at {moment.asked[:80]}; moorline history shows when")
    return memory


def shown_then(moment: Then, memory: Memory) -> dict[str, Any]:
    return {**memory_json(moment.snapshot, memory), "as_of": as_of_json(moment, [memory])}


async def check(session: Session, paths: Sequence[str] = (), everything: bool = False) -> dict[str, Any]:
    """The verdict of every anchor of current memories, of those under `paths` where any are given."""
    await session.load_all()
    await session.search_missing()
    await session.trace()
    await session.usage.read()
    snapshot = session.snapshot()
    chosen = listing.select(snapshot, everything=everything)
    if paths:
        chosen = [memory for memory in chosen if under(snapshot, memory, paths)]
    return check_json(snapshot, chosen)


async def search_memories(
    session: Session,
    question: Question,
    revision: str | None = None,
    weights: Weights | None = None,
    *,
    counted: bool = True,
) -> dict[str, Any]:
    """The memories that a question speaks of, the best first; at a `revision` as they were believed then, found by the
    words that they have now. What is found is counted as recalled, and a question that finds nothing as unanswered,
    unless it is not `counted`."""
    snapshot = session.snapshot()
    check_question(snapshot, question)
    weights = weights or searching.weights_of(snapshot.settings, question.profile)
    words = await session.words()
    await session.usage.read()
    relevance = await words.relevance(Asked.of(question.text, session.lexicon()), weights, searching.DEPTH)
    pool = sorted(relevance, key=lambda one: (-relevance[one], one))
    hits: list[searching.Hit] = []
    moment: Then | None = None
    if revision is not None:
        moment = await as_of(session, revision, pool)
        snapshot = moment.snapshot
    # Filters may leave few of the first ones, so the next are looked at until there are enough.
    for start in range(0, len(pool), searching.POOL):
        some = pool[start : start + searching.POOL]
        if moment is None:
            await session.load_ids(some)
            await session.search_missing()
            snapshot = session.snapshot()
        hits += searching.search(snapshot, question, {one: relevance[one] for one in some}, weights)
        if len(hits) >= question.limit:
            break
    hits = searching.for_the_task(searching.in_order(hits), question.task, weights)
    shown = hits[: question.limit]
    answer = searching.search_json(snapshot, question, shown, len(hits) - len(shown))
    if moment is not None:
        return {**answer, "as_of": as_of_json(moment, [hit.memory for hit in shown])}
    if counted:
        session.seen([hit.memory.id for hit in shown], "recalled")
        session.usage.asked(question.text, answered=bool(hits))
    return answer


async def follow_all(session: Session) -> dict[str, Any]:
    """Writes down where moved code was followed to; answers the memories that it was written for."""
    await session.load_all()
    await session.search_missing()
    snapshot = session.snapshot()
    changes = [
        change for memory in snapshot.memories.values() if memory.current and (change := follow(snapshot, memory))
    ]
    await session.apply(*changes)
    after = session.snapshot()
    return list_json(after, [after.memories[change.memory_id] for change in changes])


async def backlog(
    session: Session, kind: str | None = None, only: Sequence[str] = (), limit: int = owing.LIMIT
) -> dict[str, Any]:
    """What is owed, the most pressing first."""
    await session.load_all()
    await session.search_missing()
    await session.trace()
    await session.usage.read()
    questions = await session.usage.questions()
    return owing.backlog(session.snapshot(), questions, kind=kind, only=only, limit=limit)


async def follow_saved(session: Session, path: str) -> None:
    """Writes down what was followed into a file that an editor just saved."""
    snapshot = session.snapshot()
    changes = [
        change
        for memory in {item.memory.id: item.memory for item in session.view(path).judged}.values()
        if (change := follow(snapshot, memory, {path}))
    ]
    if changes:
        await session.apply(*changes)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What somebody gives with a change of state: why, on what evidence, from which revision on, who takes over.

    `evidence` as people write it; `role` is for pieces that name none. `by` is the beginning of an id.
    """

    reason: str = ""
    evidence: tuple[str, ...] = ()
    role: str = ""
    revision: str = ""
    by: str = ""
    author: str | None = None
    allow_secret: bool = False


async def step_of(session: Session, memory: Memory, grounds: Grounds) -> moving.Step:
    """The same with all that has to be looked up: git's revisions, the memory's events, what took over from it."""
    pieces = evidence.inside(session.root.path, evidence.read_evidence(grounds.evidence, grounds.role))
    events = await events_of(session, memory)
    fixed = [
        entry
        for state in set(kind_of(memory.kind).evidence_after.values())
        if (entry := moving.entry_to(state, events))
    ]
    revisions = await revisions_of(session, named_revisions(pieces, grounds.revision), fixed)
    heirs = await heirs_of(session, memory)
    return moving.Step(grounds.reason, pieces, grounds.revision, "", events, heirs, revisions)


async def revisions_of(session: Session, names: Sequence[str], others: Sequence[str] | None = None) -> Revisions:
    """What git knows of revisions that somebody named. With `others` (full ids), which of all of them, and of what is
    checked out, come after which as well."""
    root = session.root.path
    if git.common_dir(root) is None:
        return Revisions()
    # Somebody may have committed a moment ago, before anybody noticed.
    session.head = await git.revision(root)
    if not names and not others:
        return Revisions(True, session.head)
    known = await git.resolve(root, [*names, *(others or ())])
    commits = list(dict.fromkeys((*known.values(), *([session.head] if session.head else ()))))
    follows = set()
    for old, new in combinations(commits, 2) if others is not None and len(commits) <= COMPARED else ():
        last = await git.latest(root, [old, new])
        if last:
            follows.add((old if last == new else new, last))
    return Revisions(True, session.head, known, frozenset(follows))


async def events_of(session: Session, memory: Memory) -> tuple[Event, ...]:
    return await asyncio.to_thread(session.ledger.events, memory.home, memory.folder)


async def heirs_of(session: Session, memory: Memory) -> tuple[Memory, ...]:
    """The current memories that took over from a superseded one, or from one that did."""
    found: dict[str, Memory] = {}
    seen = {memory.id}
    waiting = list(memory.superseded_by)
    while waiting:
        identifier = waiting.pop()
        if identifier in seen:
            continue
        seen.add(identifier)
        await session.load_ids([identifier])
        heir = session.snapshot().memories.get(identifier)
        if heir is not None and heir.current:
            found[identifier] = heir
        elif heir is not None:
            waiting += heir.superseded_by
    return tuple(found.values())


def replaced(memory: Memory, step: moving.Step) -> list[str]:
    """The ids of what had taken over from a memory that came back."""
    return [heir.id for heir in step.heirs] if memory.state == SUPERSEDED or memory.disputed else []


def spoken(session: Session, author: str | None) -> Snapshot:
    """This moment, with somebody else as its author where one is named."""
    snapshot = session.snapshot()
    return replace(snapshot, stamp=replace(snapshot.stamp, author=author.strip())) if author else snapshot


def check_author(session: Session, author: str | None) -> None:
    """Raises Refused where the author is none or a secret, or where an agent would write as somebody else."""
    if author is None:
        return
    if author.strip() in ("", AGENT):
        raise Refused(f"{author[:40]!r} names nobody; write a name, or {AGENT}NAME")
    if (found := secret_in(author)) is not None:
        raise Refused(f"the author looks like a secret ({found}): write a name, or {AGENT}NAME")
    for own in (session.client_author or "", session.author):
        if own.startswith(AGENT) and author.strip() != own:
            raise Refused(f"who is at work here writes as {own}, and cannot as somebody else; leave out the author")


async def check_grounds(session: Session, grounds: Grounds, text: str = "") -> None:
    """Raises Refused where somebody gives a text that holds a secret, or writes as somebody else."""
    check_author(session, grounds.author)
    check_length({"reason": grounds.reason})
    said = {"text": text, "reason": grounds.reason, "evidence": "\n".join(grounds.evidence)}
    await no_secret(said, grounds.allow_secret)


async def check_request(session: Session, request: recording.Request) -> None:
    check_author(session, request.author)
    said = {"text": request.text, **{f"field {name}": text for name, text in request.fields.items()}}
    said |= {"tags": "\n".join(request.tags), "evidence": "\n".join(piece.value for piece in request.evidence)}
    await no_secret(said, request.allow_secret)


def check_length(said: Mapping[str, str]) -> None:
    """Raises Refused where a reason or a note has more than `REASON_CAP` bytes of UTF-8."""
    for what, text in said.items():
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > REASON_CAP:
            raise Refused(f"the {what} has {size} bytes, it may have {REASON_CAP}; shorten it, or link to a document")


async def no_secret(said: Mapping[str, str], allow: bool) -> None:
    """Raises Refused where a text holds what looks like a secret. Apart from the loop, which has others to serve."""
    await asyncio.to_thread(refuse_secrets, said, allow)


async def unless_changed(session: Session, attempt: Callable[[], Awaitable[T]]) -> T:
    """Makes an attempt again where somebody edited the memory's file meanwhile, having read what they wrote."""
    for _ in range(ATTEMPTS - 1):
        try:
            return await attempt()
        except LedgerChanged:
            await session.refresh()
    return await attempt()


def with_followed(snapshot: Snapshot, memory: Memory, change: Change) -> Change:
    """A change with what its memory's other anchors were followed to, since every write takes that along."""
    told = {event.data.get("anchor") for event in change.events}
    moved = follow(snapshot, memory)
    if moved is None:
        return change
    events = list(change.events)
    for event in moved.events:
        if event.data.get("anchor") not in told:
            events.append(replace(event, after=(events[-1].id,) if events else event.after))
    return replace(change, events=tuple(events))


async def report(session: Session, identifier: str) -> dict[str, Any]:
    await load_chain(session, identifier)
    await session.usage.read()
    snapshot = session.snapshot()
    memory = snapshot.memories.get(identifier)
    if memory is None:
        raise Refused(f"memory {identifier} is not to be found any more; was its folder deleted meanwhile?")
    return memory_json(snapshot, memory)


async def find(session: Session, prefix: str) -> Memory:
    """The only memory whose id begins with a prefix."""
    if not prefix.strip():
        raise Refused("an id is needed; moorline list shows them")
    identifier = listing.one(await session.find(prefix), prefix)
    return session.snapshot().memories[identifier]


def anchor_of(memory: Memory, named: str | None) -> str | None:
    """An anchor's id from its id (or a unique beginning of it) or from a locus it stands or stood at."""
    if named is None:
        return None
    by_id = [anchor for anchor in memory.anchors if anchor.id.startswith(named)]
    found: Sequence[Anchor] = by_id
    if not by_id:
        try:
            locus = parse_stored_locus(named)
        except LocusError as error:
            raise Refused(str(error)) from None
        found = [anchor for anchor in memory.anchors if locus in (anchor.place, anchor.locus)]
        found = found or [anchor for anchor in memory.anchors if locus in anchor.places]
    if len(found) != 1:
        known = ", ".join(f"{anchor.id} ({anchor.place})" for anchor in memory.anchors) or "none"
        what = "has no anchor" if not found else f"has {len(found)} anchors"
        raise Refused(f"the memory {what} {named}; its anchors: {known}")
    return found[0].id


def under(snapshot: Snapshot, memory: Memory, paths: Sequence[str]) -> bool:
    """Whether any anchor is, or was last, in one of the files or folders, or its document is, or a check
    asks of one."""
    files = {file for item in snapshot.judged(memory) for file in (item.file, item.anchor.place.file)}
    files |= {one.check.locus.file for one in snapshot.checks.get(memory.id, ()) if one.check is not None}
    if (document := memory.fields.get("document")) is not None:
        files.add(document)
    return any(
        path in ("", ".") or file == path or file.startswith(path.rstrip("/") + "/") for file in files for path in paths
    )
