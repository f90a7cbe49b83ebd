"""Ranking: every factor by itself, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.ranking import (
    PROFILES,
    Facts,
    Profile,
    Weights,
    bm25,
    for_task,
    inverse,
    overlap,
    product,
    score,
    smooth_inverse,
    together,
)

WEIGHTS = Weights(together=0.5, importance=0.1, age=0.4, heat=0.2, pin=0.25, symbol=1.5, file=1.3, folder=1.1)
PLAIN = Facts(relevance=0.5, standing=1.0)
TILTED = Profile({"finding": 2.0})
AGELESS = Profile(age=False)

FACTORS: dict[str, tuple[dict[str, Any], Profile, dict[str, float]]] = {
    "nothing is known": ({}, Profile(), {}),
    "all words stand side by side": ({"together": 1.0}, Profile(), {"together": 1.5}),
    "half of them do": ({"together": 0.5}, Profile(), {"together": 1.25}),
    "it is stale": ({"standing": 0.5}, Profile(), {"standing": 0.5}),
    "it is most important": ({"importance": 5}, Profile(), {"importance": 1.2}),
    "it is least important": ({"importance": 1}, Profile(), {"importance": 0.8}),
    "its importance is usual": ({"importance": 3}, Profile(), {"importance": 1.0}),
    "it is new": ({"days": 0, "half_life": 10}, Profile(), {"age": 1.0}),
    "it is a half-life old": ({"days": 10, "half_life": 10}, Profile(), {"age": 0.8}),
    "it is two half-lives old": ({"days": 20, "half_life": 10}, Profile(), {"age": 0.7}),
    "it is from the future": ({"days": -5, "half_life": 10}, Profile(), {"age": 1.0}),
    "its kind does not age": ({"days": 999, "half_life": None}, Profile(), {}),
    "age does not count": ({"days": 10, "half_life": 10}, AGELESS, {}),
    "it is warm": ({"heat": 0.5}, Profile(), {"heat": 1.1}),
    "it is hot": ({"heat": 7.0}, Profile(), {"heat": 1.2}),
    "it is pinned": ({"pinned": True}, Profile(), {"pinned": 1.25}),
    "it is at the symbol": ({"near": 0}, Profile(), {"near": 1.5}),
    "it is in the file": ({"near": 1}, Profile(), {"near": 1.3}),
    "it is in the folder": ({"near": 2}, Profile(), {"near": 1.1}),
    "the profile favours its kind": ({"kind": "finding"}, TILTED, {"profile": 2.0}),
    "the profile says nothing of its kind": ({"kind": "note"}, TILTED, {}),
}


def check_factors(facts: dict[str, Any], profile: Profile, wanted: dict[str, float]) -> None:
    found = score(replace(PLAIN, **facts), WEIGHTS, profile)
    assert found == pytest.approx({"relevance": 0.5, "standing": 1.0, **wanted})
    assert product(found) == pytest.approx(0.5 * math.prod(wanted.values()))


@pytest.mark.parametrize("case", FACTORS)
def test_each_factor(case: str) -> None:
    check_factors(*FACTORS[case])


def test_a_task_takes_two_fifths_of_the_score() -> None:
    scores = {"a": 0.8, "b": 0.4, "c": 0.2}
    texts = {"a": "unlike", "b": "The retry of payments.", "c": "payments"}
    found = for_task(scores, texts, "retry payments", 0.6)
    # 60 % of the score against the best one, 40 % of the share of the task's two words.
    assert found == pytest.approx({"a": 0.6, "b": 0.3 + 0.4, "c": 0.15 + 0.2})
    assert for_task({}, {}, "retry", 0.6) == {}


def test_words_side_by_side_and_words_in_common() -> None:
    assert together("check the token", "We check the token.") == 1.0
    assert together("check the token", "the token") == 0.5
    assert together("check the token", "the check, token") == 0.0
    assert together("token", "token") == 0.0
    assert overlap(["a", "b"], "b c") == 0.5 and overlap([], "b") == 0.0


def test_inverse_frequencies() -> None:
    assert inverse(1, 10) == pytest.approx(math.log(9.5 / 1.5))
    assert inverse(6, 10) == inverse(0, 0) == 1e-6
    assert smooth_inverse(6, 10) == pytest.approx(math.log(1 + 4.5 / 6.5))
    assert smooth_inverse(1, 0) >= 0


def test_bm25_by_hand() -> None:
    texts = {1: ["a", "b"], 2: ["a", "a", "a", "c"], 3: ["c", "c", "c"]}
    # Three terms is the usual length; k1 is 1.2 and b 0.75.
    one = 2.0 * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3))
    two = 2.0 * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 4 / 3))
    assert bm25(texts, {"a": 2.0}) == pytest.approx({1: one, 2: two})
    assert bm25({}, {"a": 2.0}) == {}


def test_profiles_are_told_apart() -> None:
    assert set(PROFILES) == {"default", "debug", "writing", "fact-check"}
    assert PROFILES["default"] == Profile()
    stale = PROFILES["fact-check"].stale
    assert stale is not None and stale < 0.5


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(1, 5),
    st.floats(0, 1e6),
    st.floats(0, 100),
    st.sampled_from(list(PROFILES)),
)
def test_no_score_is_below_nothing_and_staleness_never_helps(
    relevance: float, standing: float, importance: int, days: float, heat: float, name: str
) -> None:
    facts = Facts(relevance, standing, importance=importance, days=days, half_life=30.0, heat=heat, kind="finding")
    worth = product(score(facts, Weights(), PROFILES[name]))
    assert 0 <= worth <= product(score(replace(facts, standing=1.0), Weights(), PROFILES[name])) < 10
