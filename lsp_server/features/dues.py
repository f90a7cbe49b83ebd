"""What one memory owes: whatever about it waits for somebody to read, decide or verify, with what settles each.

Each entry has the one command that settles it, as it would be typed; words in capitals in it (`TEXT`, `REASON`,
`TEST`, `ID`, `FILE#SYMBOL`) stand for what only a person can say. Knows the groups of entries and their order; refuses
to know how many are shown (`features.backlog` does).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from lsp_server.core.kinds import KINDS, SUPERSEDED, kind_of
from lsp_server.core.model import Level, Locus, Memory, Place, Reason
from lsp_server.features.conflicts import Conflict, is_dismissed
from lsp_server.features.expiry import expires_at, expiry_words, is_expired
from lsp_server.features.heat import heat
from lsp_server.features.markdown import plain
from lsp_server.features.next_states import next_json
from lsp_server.features.report import candidate_json, is_mild
from lsp_server.features.typed import candidate_loci, command, settle_command, transition_command, typed_place
from lsp_server.features.words import headline, owed, short, standing, state_words, who
from lsp_server.workspace.snapshot import Judged, Snapshot

WHAT: Mapping[str, str] = MappingProxyType(
    {
        "contradicted": "a check on the code fails",
        "stale": "the code changed: read it again",
        "missing": "the code is gone",
        "fixed_unverified": "fixed, and nobody verified it",
        "regressed": "fixed, and the faulty code is back",
        "disputed": "two states at once: somebody has to settle it",
        "follow_up": "to follow up",
        "expired": "past its date",
        "carried": "carried over, and nobody decided what becomes of it",
        "conflict": "two current ones say something about one thing",
        "unverifiable": "it cannot be told whether it holds",
        "unanswered": "searched for and not found",
    }
)
"""Every group, the most pressing first, with what its entries wait for. A state in which something is owed
(`Kind.owed`) is a group of its own."""


@dataclass(frozen=True, slots=True)
class Owed:
    """One entry. `id`, `kind` and `place` are None where there is none; `now` is where the code is, None where it is
    nowhere; `since` is when it became due (RFC 3339), None where that is not known; `mild` comes after the others of
    its group."""

    what: str
    id: str | None
    kind: str | None
    title: str
    place: str | None
    detail: str
    heat: float
    since: str | None
    command: str
    now: Place | None = None
    importance: int = 0
    mild: bool = False

    @property
    def rank(self) -> tuple[Any, ...]:
        """Smaller is more pressing: by group, then by heat and importance, then what waits longest."""
        return (
            order_of(self.what),
            self.mild,
            -self.heat,
            -self.importance,
            self.since or "~",
            self.id or self.title,
            self.place or "",
        )


def owed_by(snapshot: Snapshot, memory: Memory) -> Iterator[Owed]:
    """All that is owed of one memory."""
    judged = snapshot.judged(memory) if memory.current else ()
    regressed = [item for item in judged if item.verdict.reason is Reason.REGRESSED]
    changed = [item for item in judged if item.verdict.level is Level.CHANGED and item not in regressed]
    gone = [item for item in judged if item.verdict.stale and item not in (*regressed, *changed)]
    failing = [one.outcome.detail for one in snapshot.checks.get(memory.id, ()) if one.outcome.holds is False]
    if failing and memory.current:
        # Superseding it settles as well that its code changed.
        yield of_memory(
            snapshot, "contradicted", memory, plain("; ".join(failing), 300), None, supersede_command(memory)
        )
    else:
        yield from of_changed(snapshot, memory, changed, gone)
    for item in gone:
        yield of_anchor(snapshot, "missing", item, missing_command(item, judged))
    for item in judged:
        if item.verdict.level is Level.UNVERIFIABLE:
            yield of_anchor(snapshot, "unverifiable", item, unsure_command(item))
    if regressed:
        yield of_anchor(snapshot, "regressed", regressed[0], reopen_command(memory))
    elif words := owed(memory):
        since = memory.entered.time if memory.entered is not None else memory.created
        settles = settling(memory, kind_of(memory.kind).settles[memory.state])
        yield of_memory(snapshot, memory.state, memory, owed_detail(memory, words), since, settles)
    if memory.rivals:
        ends = [f"{plain(state_words(one.state), 60)} by {plain(who(one.author), 60)}" for one in memory.rivals]
        latest = max((one.time for one in memory.rivals), default=None)
        rival = memory.rivals[-1]
        settles = settle_command(memory.id, rival.state, rival.by)
        yield of_memory(snapshot, "disputed", memory, " or ".join(ends), latest, settles)
    kinds = snapshot.settings.kinds
    if memory.current and is_expired(memory, snapshot.stamp.time, kinds):
        moment = expires_at(memory, kinds)
        detail = expiry_words(memory.expires, moment, expired=True)
        retire = command("retire", short(memory.id), "--reason", "expired")
        yield of_memory(snapshot, "expired", memory, detail, moment, retire)


def owed_detail(memory: Memory, words: str) -> str:
    """What is owed in words: what a field with the state's name says of it, else who said so, and at which revision."""
    if said := memory.fields.get(memory.state):
        return f"{words}: {plain(said, 120)}"
    if memory.entered is None:
        return words
    at = f" at {memory.entered.revision[:8]}" if memory.entered.revision else ""
    return f"{words}; marked so{at} by {plain(who(memory.entered.author), 60)}"


def of_changed(snapshot: Snapshot, memory: Memory, changed: Sequence[Judged], gone: Sequence[Judged]) -> Iterator[Owed]:
    """One entry for all the changed places of a memory: one clear accepts them. Where some are gone as well it would
    complain of those, so there is one for each place."""
    name = short(memory.id)
    if not gone and changed:
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        mild = is_mild(changed)
        worst = min(changed, key=lambda item: item.verdict.reason is Reason.MEMBERS)
        yield of_anchor(snapshot, "stale", worst, command("clear", name), mild=mild, more=more)
        return
    for item in changed:
        cleared = command("clear", name, "--anchor", item.anchor.id)
        yield of_anchor(snapshot, "stale", item, cleared, mild=item.verdict.reason is Reason.MEMBERS)


def of_conflict(snapshot: Snapshot, conflict: Conflict) -> Iterator[Owed]:
    """An entry for each memory that says something else than the newest of its key: that one takes over."""
    newest = conflict.memories[-1]
    for memory in conflict.memories[:-1]:
        if memory.body == newest.body or is_dismissed(memory, newest):
            continue
        said = f"{plain(conflict.about, 80)}: {short(newest.id)} says {plain(headline(newest, 120))}"
        yield of_memory(snapshot, "conflict", memory, said, newest.created, give_way_command(memory, newest))


def of_anchor(snapshot: Snapshot, what: str, item: Judged, settles: str, *, mild: bool = False, more: str = "") -> Owed:
    """An entry about one place."""
    now = item.verdict.now
    lines = (now.start_line, now.end_line) if now is not None and item.anchor.place.lines else None
    place = Locus(now.file, now.symbol, lines) if now is not None else item.anchor.place
    since = item.since.time if item.since is not None else None
    detail = plain(standing(item), 200) + more
    return of_memory(snapshot, what, item.memory, detail, since, settles, at=(str(place), now), mild=mild)


def of_memory(
    snapshot: Snapshot,
    what: str,
    memory: Memory,
    detail: str,
    since: str | None,
    settles: str,
    *,
    at: tuple[str | None, Place | None] | None = None,
    mild: bool = False,
) -> Owed:
    """An entry about a memory: at one of its places, else at its primary one."""
    if at is None:
        first = next(iter(snapshot.judged(memory)), None)
        at = (str(first.anchor.place), first.verdict.now) if first is not None else (None, None)
    place, now = at
    return Owed(
        what=what,
        id=memory.id,
        kind=memory.kind,
        title=headline(memory, 120),
        place=place,
        detail=detail,
        heat=heat(snapshot, memory.id),
        since=since or None,
        command=settles,
        now=now,
        importance=memory.importance or 0,
        mild=mild,
    )


# -- the command that settles it ---------------------------------------------------------------------------------------


def missing_command(item: Judged, judged: Sequence[Judged]) -> str:
    """Tying the anchor to the likeliest candidate; where there is none, and nothing else is left of it, retiring it.
    What is a document's is tied by that, so it is mended there or retired."""
    name = short(item.memory.id)
    found = candidate_loci([candidate_json(one) for one in item.verdict.candidates])
    if kind_of(item.memory.kind).elsewhere:
        return command("retire", name, "--reason", "the code is gone")
    if not found and not any(other.verdict.now is not None for other in judged):
        return command("retire", name, "--reason", "the code is gone")
    return reanchor_command(item, found[0] if found else "FILE#SYMBOL")


def reanchor_command(item: Judged, place: str) -> str:
    which = ("--anchor", item.anchor.id) if len(item.memory.anchors) > 1 else ()
    return command("reanchor", short(item.memory.id), place, *which)


def unsure_command(item: Judged) -> str:
    """Accepting the code where it is there; where its file cannot be used, another place. Broken syntax is for whoever
    mends it."""
    if item.verdict.reason is Reason.SYNTAX:
        return command("check", typed_place(item.file))
    if kind_of(item.memory.kind).elsewhere and item.verdict.now is None:
        return command("markers", typed_place(item.memory.fields.get("document", "")))
    if item.verdict.now is not None:
        return command("clear", short(item.memory.id), "--anchor", item.anchor.id)
    return reanchor_command(item, "FILE#SYMBOL")


def reopen_command(memory: Memory) -> str:
    """Back to a state in which the code is known to be faulty."""
    row = kind_of(memory.kind)
    faulty = row.faulty_states(memory.state)
    return settling(memory, next(state for state in row.transitions[memory.state] if state in faulty))


def settling(memory: Memory, state: str) -> str:
    """The transition to a state, with all that the step asks for."""
    return transition_command(memory.id, next(step for step in next_json(memory) if step["state"] == state))


def supersede_command(memory: Memory) -> str:
    """Recording what is true now in its place."""
    return command("supersede", short(memory.id), "--text", "TEXT", *grounds_for_superseding(memory))


def give_way_command(old: Memory, new: Memory) -> str:
    """Letting another memory that is there take over."""
    return command("transition", short(old.id), SUPERSEDED, "--by", short(new.id), *grounds_for_superseding(old))


def grounds_for_superseding(memory: Memory) -> list[str]:
    """What a kind asks for when a memory of it is superseded."""
    row = kind_of(memory.kind)
    words = ["--reason", "REASON"] if SUPERSEDED in row.needs_reason else []
    return [*words, *(["--evidence", "commit:HEAD"] if SUPERSEDED in row.needs_evidence else [])]


# -- groups ------------------------------------------------------------------------------------------------------------


@cache
def groups() -> tuple[str, ...]:
    """Every group there is, in order: also those of states that some kind alone knows."""
    states = [state for row in KINDS.values() for state in row.owed if state not in WHAT]
    names = list(WHAT)
    at = names.index("follow_up") + 1
    return (*names[:at], *dict.fromkeys(states), *names[at:])


def order_of(what: str) -> int:
    known = groups()
    return known.index(what) if what in known else len(known)


def title_of(what: str) -> str:
    return WHAT.get(what) or next((row.owed[what] for row in KINDS.values() if what in row.owed), what)
