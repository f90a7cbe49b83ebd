"""What a memory found by a question is worth: relevance, standing, weight and age, as factors that can be told.

Pure arithmetic over plain numbers. Knows the formulas; the numbers in them are data (`Weights`), which a workspace may
replace. Refuses to know where relevance comes from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from lsp_server.core.terms import neighbours, terms

K1 = 1.2
B = 0.75
"""The constants of BM25, those of FTS5 (SQLite's documentation of bm25())."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A way of looking. `kinds` -> a factor on the score of that kind; `floor` is the share of a kind's own threshold
    that relevance must reach; `age` whether age counts; `stale` a factor instead of the usual one (None: as usual)."""

    kinds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    floor: float = 0.1
    age: bool = True
    stale: float | None = None


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "default": Profile(),
        # What broke here before, and what was learnt from it.
        "debug": Profile(MappingProxyType({"finding": 1.5, "lesson": 1.3, "case": 1.3, "note": 1.1})),
        # How things are done and said here.
        "writing": Profile(
            MappingProxyType({"decision": 1.3, "preference": 1.5, "pattern": 1.3, "purpose": 1.2}), age=False
        ),
        # What can be relied on: nothing that its code has left behind.
        "fact-check": Profile(MappingProxyType({"claim": 1.5, "research": 1.4, "decision": 1.2}), age=False, stale=0.2),
    }
)
"""The profiles by name."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Every number of the ranking.

    `head` is the weight of a hit in the headline against one in the text, `chinese` that of Chinese against other
    scripts, `grams` that of pieces of words against words, `expanded` that of words that only stand for those of the
    question; `together` is what it adds if all of its neighbouring words stand side by side (measured on the recall
    set, see `benchmarks/README.md`). `importance` is by how much each step above or below 3 counts, `age` the share
    that age can take at most, `heat` and `pin` what they can add; `symbol`, `file` and `folder` are the factors of the
    same one as the place asked from. `task` is the share of the score, against overlap with the task's own words, where
    one is given.
    """

    head: float = 0.7
    chinese: float = 1.3
    grams: float = 0.3
    expanded: float = 1.0
    together: float = 0.5
    importance: float = 0.1
    age: float = 0.3
    heat: float = 0.15
    pin: float = 0.25
    symbol: float = 1.5
    file: float = 1.3
    folder: float = 1.1
    task: float = 0.6

    @property
    def near(self) -> tuple[float, float, float]:
        """The factors of nearness, the nearest first."""
        return self.symbol, self.file, self.folder


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a memory that was found. `days` is its age, `half_life` its kind's (None: it does not age);
    `together` is the share of the question's neighbouring words that stand side by side in its text, `heat` goes from 0
    to 1; `near` is 0 for the same symbol as asked from, 1 the same file, 2 the same folder, None else."""

    relevance: float
    standing: float
    together: float = 0.0
    importance: int | None = None
    days: float = 0.0
    half_life: float | None = None
    heat: float = 0.0
    pinned: bool = False
    near: int | None = None
    kind: str = ""


def score(facts: Facts, weights: Weights, profile: Profile) -> dict[str, float]:
    """The factors of a memory's score by name, in the order in which they are told; their product is the score."""
    factors = {"relevance": facts.relevance}
    if facts.together:
        factors["together"] = 1.0 + weights.together * facts.together
    factors["standing"] = facts.standing
    if facts.importance is not None:
        factors["importance"] = 1.0 + weights.importance * (facts.importance - 3)
    if profile.age and facts.half_life:
        factors["age"] = 1.0 - weights.age * (1.0 - 0.5 ** (max(0.0, facts.days) / facts.half_life))
    if facts.heat:
        factors["heat"] = 1.0 + weights.heat * min(1.0, facts.heat)
    if facts.pinned:
        factors["pinned"] = 1.0 + weights.pin
    if facts.near is not None:
        factors["near"] = weights.near[facts.near]
    if facts.kind in profile.kinds:
        factors["profile"] = profile.kinds[facts.kind]
    return factors


def bm25(texts: Mapping[int, Sequence[str]], weights: Mapping[str, float]) -> dict[int, float]:
    """What texts are worth that have any of some terms, by number: Okapi BM25 (Robertson and Zaragoza 2009) as FTS5 has
    it. `texts` are all there are, each as its terms; `weights` the inverse frequency of each term."""
    average = sum(map(len, texts.values())) / len(texts) if texts else 0.0
    found: dict[int, float] = {}
    for number, text in texts.items():
        times = Counter(term for term in text if term in weights)
        if times:
            long = K1 * (1 - B + B * len(text) / average)
            found[number] = sum(weights[term] * count * (K1 + 1) / (count + long) for term, count in times.items())
    return found


def inverse(count: int, total: int) -> float:
    """What a term is worth that `count` of `total` texts have, as FTS5 has it: nothing, nearly, where half have it."""
    return max(1e-6, math.log((total - count + 0.5) / (count + 0.5)))


def smooth_inverse(count: int, total: int) -> float:
    """The same for few texts, in which half is a handful: never nothing (as Lucene has it since version 4)."""
    return math.log(1 + max(0.0, total - count + 0.5) / (count + 0.5))


def product(factors: Mapping[str, float]) -> float:
    found = 1.0
    for value in factors.values():
        found *= value
    return found


def for_task(scores: Mapping[str, float], texts: Mapping[str, str], task: str, share: float) -> dict[str, float]:
    """Scores with a task in mind: `share` of each, against the best one, the rest by overlap with the task's words."""
    best = max(scores.values(), default=0.0) or 1.0
    wanted = set(terms(task))
    return {
        one: share * value / best + (1 - share) * overlap(wanted, texts.get(one, "")) for one, value in scores.items()
    }


def together(question: str, text: str) -> float:
    """The share of a question's neighbouring terms that stand side by side in a text, 0 where it has none."""
    wanted = neighbours(question)
    return len(wanted & neighbours(text)) / len(wanted) if wanted else 0.0


def overlap(wanted: Collection[str], text: str) -> float:
    """The share of some terms that a text holds, 0 where none are wanted."""
    return len(set(wanted) & set(terms(text))) / len(set(wanted)) if wanted else 0.0
