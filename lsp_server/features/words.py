"""How standing is said to people: one wording for hover, lens, diagnostic, list and check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from lsp_server.core.kinds import kind_of
from lsp_server.core.model import Level, Memory, Reason
from lsp_server.features.checks import all_hold, contradiction
from lsp_server.workspace.snapshot import Judged

SHORT_ID = 8
TIMED_ID = 13
"""Characters of an id that people are shown; a UUIDv7's first 12 digits are its millisecond (RFC 9562)."""

LEVEL_WORDS = {
    Level.FRESH: "fresh",
    Level.REFORMATTED: "reformatted",
    Level.MOVED: "moved",
    Level.CHANGED: "stale",
    Level.MISSING: "missing",
    Level.FILE_MISSING: "file missing",
    Level.UNVERIFIABLE: "cannot tell",
}


STATE_WORDS = {"fixed_unverified": "fixed, not verified", "follow_up": "to follow up"}
"""States whose name with spaces would not say how a memory stands."""


def state_words(state: str) -> str:
    """A state as people are told it."""
    return STATE_WORDS.get(state, state.replace("_", " "))


def short(identifier: str) -> str:
    """An id as people are shown it: a prefix every command takes. A UUIDv7 begins with its time, so it needs more."""
    return identifier[:TIMED_ID] if identifier[14:15] == "7" else identifier[:SHORT_ID]


def title(kind: str, number: int = 1) -> str:
    """A kind's name inside a sentence, in the plural for any other number than one."""
    row = kind_of(kind)
    return (row.title if number == 1 else row.plural).lower()


def a_kind(kind: str) -> str:
    """A kind's name with its article: `a note`, `an event`."""
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def headline(memory: Memory, limit: int = 80) -> str:
    """The first line of the text that says something, cut to `limit` characters, on one line."""
    line = next((text.strip().lstrip("# ").strip() for text in memory.body.splitlines() if text.strip()), "")
    if not line.isprintable():
        line = "".join(character if character.isprintable() else " " for character in line)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def counts(judged: Sequence[Judged]) -> str:
    """`1 decision, stale` or `2 decisions, 1 note, 1 stale`: what a lens says."""
    memories = {item.memory.id: item.memory for item in judged}
    stale = {item.memory.id for item in judged if item.verdict.stale}
    kinds = Counter(memory.kind for memory in memories.values())
    said = [f"{number} {title(kind, number)}" for kind, number in sorted(kinds.items())]
    wrong = {item.memory.id for item in judged if item.contradictions}
    if wrong:
        said.append("contradicted" if len(memories) == 1 else f"{len(wrong)} contradicted")
    if stale:
        said.append("stale" if len(memories) == 1 else f"{len(stale)} stale")
    phrases = [phrase.partition(":")[0] for memory in memories.values() for phrase in life(memory)[:1]]
    if phrases:
        said.append(phrases[0] if len(memories) == 1 else f"{len(phrases)} open")
    unsure = {item.memory.id for item in judged if item.verdict.level is Level.UNVERIFIABLE} - stale
    if unsure:
        said.append("cannot tell" if len(memories) == 1 else f"{len(unsure)} cannot tell")
    return ", ".join(said)


def owed(memory: Memory) -> str | None:
    """What is still to be done with it in its present state, in a few words; None where nothing is, or where it is
    disputed what that state is."""
    return kind_of(memory.kind).owed.get(memory.state) if memory.current and not memory.disputed else None


def life(memory: Memory) -> tuple[str, ...]:
    """What its reader has to know of its life, a phrase each: what is owed, and what is at odds."""
    said = [words] if (words := owed(memory)) else []
    if memory.disputed:
        ends = [f"{state_words(rival.state)} by {who(rival.author)}" for rival in memory.rivals]
        said.append(f"disputed: {' or '.join(ends)}" if ends else "disputed")
    return tuple(said)


def author_kind(author: str) -> str:
    """Answers "agent" for what calls itself `agent:NAME`, in whatever case, or `agent`; "human" for everybody else:
    nobody is guessed to be more."""
    name = author.strip().casefold()
    return "agent" if name == "agent" or name.startswith("agent:") else "human"


def who(author: str) -> str:
    """An author as people are shown one: the name without the address."""
    return author.split(" <")[0].strip() or author


def standing(item: Judged) -> str:
    """`stale: body changed` and the like, for one anchor, with what its memory's checks say of it."""
    said = verdict_words(item)
    if wrong := contradiction(item):
        return f"{wrong}; {said}" if item.verdict.stale else wrong
    if open_ones := sum(one.outcome.holds is None for one in item.checks):
        return f"{said}; {'a check' if open_ones == 1 else f'{open_ones} checks'} cannot be decided"
    return f"{said}; its checks hold" if item.verdict.stale and all_hold(item.checks) else said


def verdict_words(item: Judged) -> str:
    """The verdict on one anchor, and why."""
    verdict = item.verdict
    word = LEVEL_WORDS[verdict.level]
    if verdict.reason is Reason.MEMBERS and verdict.members:
        return f"members changed: {', '.join(verdict.members[:5])}"
    if not verdict.detail or verdict.level is Level.FRESH:
        return word
    detail = verdict.detail.rstrip(".")
    names = {name for place in item.anchor.places for name in (place.symbol, place.file) if name}
    if detail.split(" ", 1)[0].partition(":")[0] not in names:  # A name keeps its letters.
        detail = f"{detail[:1].lower()}{detail[1:]}"
    return f"{word}: {detail}"


def age(then: str, now: str) -> str:
    """`3 days ago` from two RFC 3339 times; the date itself where they cannot be read."""
    try:
        seconds = int((parse_time(now) - parse_time(then)).total_seconds())
    except ValueError:
        return then[:10]
    for size, unit in ((31_536_000, "year"), (2_592_000, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = seconds // size
            return f"{number} {unit}{'s' if number != 1 else ''} ago"
    return "just now"


def parse_time(text: str) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
