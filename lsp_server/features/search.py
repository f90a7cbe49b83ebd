"""Search: the memories that a question speaks of, the best first, each with why it is where it is.

Relevance comes from words (`store.words`); what a memory is worth beside that (its standing, weight, age, use and
nearness) from `core.ranking`. Nothing is hidden for being stale: it ranks lower, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from lsp_server.core.kinds import kind_of
from lsp_server.core.model import Locus, Memory
from lsp_server.core.ranking import PROFILES, Facts, Profile, Weights, for_task, overlap, product, score, together
from lsp_server.core.terms import terms
from lsp_server.features.errors import Refused
from lsp_server.features.expiry import is_expired
from lsp_server.features.granularity import LEVELS, at_level
from lsp_server.features.heat import heat
from lsp_server.features.listing import Filters, check_filters, passes
from lsp_server.features.report import is_mild, memory_json
from lsp_server.features.report import score as standing_of
from lsp_server.features.words import parse_time
from lsp_server.workspace.config import Settings
from lsp_server.workspace.snapshot import Snapshot

LIMIT = 10
"""How many are found unless more are asked for."""

POOL = 60
"""Most memories that words alone have found which are looked at closely."""

DEPTH = 300
"""How deep words are looked for in each of their streams."""

LOOKED = 4_000
"""Characters of a text in which neighbouring words are looked for; whatever is longer says what it is about there."""

WARM = 3.0
"""The heat that counts half of what heat can count."""

SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for. `near` is the place asked from, `profile` a way of looking, `task` what it is for. `level` is
    how much of each text is shown: "line", "bullets", "full", or "fit" (as much as fits)."""

    text: str
    filters: Filters = field(default_factory=Filters)
    near: Locus | None = None
    profile: str = "default"
    task: str = ""
    limit: int = LIMIT
    level: str = "fit"


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that was found, with its score and the factors that made it."""

    memory: Memory
    score: float
    factors: Mapping[str, float]


def search(snapshot: Snapshot, question: Question, relevance: Mapping[str, float], weights: Weights) -> list[Hit]:
    """The memories of a snapshot that were found, the best first, as many as there are. `relevance` is what words say,
    from 0 to 1; the task is left to `for_the_task`, which must see all hits.

    Raises Refused where nothing can be looked for.
    """
    check_question(snapshot, question)
    profile = profile_of(snapshot.settings, question.profile)
    filters = question.filters
    everything = filters.everything or filters.state is not None
    there = {item.memory.id for item in snapshot.at(filters.place, everything)} if filters.place is not None else None
    hits = []
    for identifier, worth in relevance.items():
        memory = snapshot.memories.get(identifier)
        if memory is None or not (everything or memory.current) or not passes(snapshot, memory, filters):
            continue
        if (there is not None and identifier not in there) or worth < profile.floor * threshold(snapshot, memory):
            continue
        factors = score(facts_of(snapshot, memory, worth, question, profile), weights, profile)
        hits.append(Hit(memory, product(factors), factors))
    return in_order(hits)


def for_the_task(hits: Sequence[Hit], task: str, weights: Weights) -> list[Hit]:
    """Hits in the order that helps with a task: by their score against the best one, and by what they share with it."""
    if not task.strip():
        return list(hits)
    texts = {hit.memory.id: hit.memory.body for hit in hits}
    again = for_task({hit.memory.id: hit.score for hit in hits}, texts, task, weights.task)
    wanted = set(terms(task))
    return in_order(
        Hit(hit.memory, again[hit.memory.id], {**hit.factors, "task": overlap(wanted, hit.memory.body)}) for hit in hits
    )


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, hit.memory.id))


def search_json(snapshot: Snapshot, question: Question, hits: Sequence[Hit], left: int) -> dict[str, Any]:
    """Hits as `--json` answers them: each memory as every command does, with `found` (score, factors) and `shown`, its
    text at the level that fits."""
    memories = []
    for rank, hit in enumerate(hits):
        factors = {name: round(value, 4) for name, value in hit.factors.items()}
        shown = at_level(hit.memory, question.level, rank)
        found = {"score": round(hit.score, 4), "factors": factors}
        memories.append({**memory_json(snapshot, hit.memory), "found": found, "shown": shown})
    return {"version": 1, "query": question.text, "memories": memories, "omitted": left}


def together_json(question: Question, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answers of several workspaces to one question as one: the best first, at most as many as are asked for."""
    memories = sorted((one for answer in answers for one in answer["memories"]), key=lambda one: -one["found"]["score"])
    shown = memories[: question.limit]
    omitted = sum(answer["omitted"] for answer in answers) + len(memories) - len(shown)
    return {"version": 1, "query": question.text, "memories": shown, "omitted": omitted}


def check_question(snapshot: Snapshot, question: Question) -> None:
    """Raises Refused where nothing can be looked for."""
    if not question.text.strip():
        raise Refused("say what to look for")
    if not 1 <= question.limit <= POOL:
        raise Refused(f"the limit goes from 1 to {POOL}")
    if question.level not in LEVELS:
        raise Refused(f"the level is one of {', '.join(LEVELS)}")
    profile_of(snapshot.settings, question.profile)
    check_filters(snapshot, question.filters)


def profile_of(settings: Settings, name: str) -> Profile:
    """A profile, ours or the workspace's, with what the workspace sets of it. Raises Refused where it is none."""
    own = settings.search.get("profiles", {})
    if name not in PROFILES and name not in own:
        raise Refused(f"no profile {name[:40]!r}; profiles: {', '.join({**PROFILES, **own})}")
    return replace(
        PROFILES.get(name, Profile()), **{key: one for key, one in own.get(name, {}).items() if key != "weights"}
    )


def weights_of(settings: Settings, profile: str) -> Weights:
    """The numbers of the ranking as the workspace sets them, for all profiles and for this one."""
    own = settings.search.get("profiles", {}).get(profile, {})
    return replace(Weights(), **{**settings.search.get("weights", {}), **own.get("weights", {})})


def threshold(snapshot: Snapshot, memory: Memory) -> float:
    """The least relevance at which a memory is recalled unasked, by its kind or the workspace."""
    own = snapshot.settings.kinds.get(memory.kind, {}).get("recall_threshold")
    return kind_of(memory.kind).recall_threshold if own is None else own


def facts_of(snapshot: Snapshot, memory: Memory, relevance: float, question: Question, profile: Profile) -> Facts:
    """What is known of a memory that was found."""
    judged = snapshot.judged(memory)
    settings = snapshot.settings
    expired = is_expired(memory, snapshot.stamp.time, settings.kinds)
    factors = settings.score
    if profile.stale is not None and any(item.verdict.stale for item in judged) and not is_mild(judged):
        factors = {**factors, "stale": profile.stale, "both": min(profile.stale, factors["both"])}
    half_life = settings.kinds.get(memory.kind, {}).get("half_life_days", kind_of(memory.kind).half_life_days)
    warmth = heat(snapshot, memory.id)
    return Facts(
        relevance=relevance,
        together=together(question.text, memory.body[:LOOKED]),
        standing=standing_of(judged, expired, factors, contradicted=snapshot.contradicted(memory)),
        importance=memory.importance,
        days=age_in_days(memory.created, snapshot.stamp.time),
        half_life=half_life,
        heat=warmth / (warmth + WARM),
        pinned=memory.pinned,
        near=nearness(snapshot, memory, question.near),
        kind=memory.kind,
    )


def nearness(snapshot: Snapshot, memory: Memory, near: Locus | None) -> int | None:
    """How near a memory is to a place: 0 the same symbol, 1 the same file, 2 the same folder, None farther."""
    if near is None:
        return None
    found: list[int] = []
    for item in snapshot.judged(memory):
        now = item.verdict.now
        symbol = now.symbol if now is not None else item.anchor.place.symbol
        if item.file == near.file:
            found.append(0 if near.symbol is not None and symbol == near.symbol else 1)
        elif PurePosixPath(item.file).parent == PurePosixPath(near.file).parent:
            found.append(2)
    return min(found, default=None)


def age_in_days(then: str, now: str) -> float:
    try:
        return max(0.0, (parse_time(now) - parse_time(then)).total_seconds() / SECONDS_A_DAY)
    except ValueError:
        return 0.0
