"""How much alike two texts are, which memories are nearest to a text, and whether two say the opposite.

Likeness is of words alone (`core.terms`): no model, no order. Refuses to know what becomes of what is alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_server.core.ids import normal_body
from lsp_server.core.model import Memory
from lsp_server.core.ranking import Weights
from lsp_server.core.terms import terms
from lsp_server.features.words import headline
from lsp_server.store.words import Asked
from lsp_server.workspace.session import Session

UPDATE = 0.85
"""Likeness from which on a text is offered as an update of a memory rather than recorded beside it."""

NEAREST = 5
"""How many of the memories that words find nearest are compared with a text."""

ABOUT = 0.5
"""Likeness from which on two texts speak of one thing, so that they can contradict each other."""

_ASKED = 64
"""Words of a text by which what is near is looked for: one of thousands of words is about its first ones."""

_LOOKED = 120
"""How many that words find are looked at until there are `NEAREST` of the kind."""

_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)*(?![0-9])")
_NOT = re.compile(
    r"\b(?:not|no|never|none|nothing|without|cannot|neither|nor)\b|n['’]t\b|[不没无勿未别]|禁止|并非|而非",
    re.IGNORECASE,
)
_OPPOSITES = (
    *(("always", "never"), ("before", "after"), ("enable", "disable"), ("enabled", "disabled"), ("allow", "deny")),
    *(("allow", "forbid"), ("allowed", "forbidden"), ("true", "false"), ("first", "last"), ("sync", "async")),
    *(("synchronous", "asynchronous"), ("include", "exclude"), ("public", "private"), ("mutable", "immutable")),
    *(("ascending", "descending"), ("minimum", "maximum"), ("on", "off"), ("required", "optional")),
    *(("之前", "之后"), ("启用", "禁用"), ("允许", "禁止"), ("同步", "异步"), ("升序", "降序"), ("必填", "可选")),
)
"""Words of which one text has one and the other its opposite, where they contradict each other."""

_EITHER = re.compile(
    "|".join(rf"\b{word}\b" if word.isascii() else word for pair in _OPPOSITES for word in pair), re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Near:
    """A memory that says nearly the same: 1.0 is the same words."""

    memory: Memory
    similarity: float


async def near(
    session: Session, kind: str, text: str, *, without: Collection[str] = (), least: float = UPDATE
) -> tuple[Near, ...]:
    """The current memories of a kind that say nearly what a text says, the most alike first: those of the `NEAREST` by
    words whose likeness is at least `least`. `without` are ids that do not count."""
    words = list(dict.fromkeys(terms(text)))[:_ASKED]
    if not words or not await session.index.served():
        return ()
    found = await (await session.words()).relevance(Asked(tuple(words)), Weights(), _LOOKED)
    pool = [one for one in sorted(found, key=lambda one: (-found[one], one)) if one not in without]
    await session.load_ids(pool)
    memories = session.snapshot().memories
    same = [memories[one] for one in pool if one in memories and memories[one].kind == kind and memories[one].current]
    return alike(text, same[:NEAREST], least)


def alike(text: str, memories: Iterable[Memory], least: float = UPDATE) -> tuple[Near, ...]:
    """Those of some memories whose likeness to a text is at least `least`, the most alike first."""
    found = [Near(memory, likeness(text, memory.body)) for memory in memories]
    return tuple(
        sorted((one for one in found if one.similarity >= least), key=lambda one: (-one.similarity, one.memory.id))
    )


def likeness(one: str, other: str) -> float:
    """How much alike two texts are, 0 to 1: the terms that both have of all that either has (Jaccard 1912). Texts that
    are the same are 1, whatever they are made of."""
    if normal_body(one) == normal_body(other):
        return 1.0
    return jaccard(frozenset(terms(one)), frozenset(terms(other)))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    whole = len(one | other)
    return len(one & other) / whole if whole else 0.0


def opposed(one: str, other: str) -> bool:
    """Whether two texts speak of one thing and say the opposite of it, as far as words tell: one denies and the other
    does not, both give numbers and others, or one has the opposite of a word of the other."""
    return differ(one, other) and jaccard(subject(one), subject(other)) >= ABOUT


def differ(one: str, other: str) -> bool:
    """What of `opposed` can be told without comparing all words, and rules out nearly every pair."""
    numbers, others = set(_NUMBER.findall(one)), set(_NUMBER.findall(other))
    if numbers and others and numbers != others:
        return True
    if bool(_NOT.search(one)) != bool(_NOT.search(other)):
        return True
    low, high = one.lower(), other.lower()
    return any(
        (_has(low, word) and _has(high, opposite) and not _has(low, opposite) and not _has(high, word))
        for pair in _OPPOSITES
        for word, opposite in (pair, pair[::-1])
    )


def subject(text: str) -> frozenset[str]:
    """The terms of a text without numbers, and without what denies or has an opposite."""
    return frozenset(terms(_NUMBER.sub(" ", _NOT.sub(" ", _EITHER.sub(" ", text)))))


def _has(low: str, word: str) -> bool:
    return word in low and (not word.isascii() or re.search(rf"\b{word}\b", low) is not None)


def near_json(found: Sequence[Near]) -> list[dict[str, Any]]:
    """What is near as `--json` answers it."""
    return [
        {"id": one.memory.id, "similarity": round(one.similarity, 3), "text": headline(one.memory, 120)}
        for one in found
    ]
