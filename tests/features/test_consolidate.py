"""Consolidating: which texts are alike (against comparing each with each), what is merged and what is not and why, and
that a merge loses nothing and can be taken back."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.terms import terms
from lsp_server.features import operations
from lsp_server.features.consolidate import Pair, components, consolidate, pairs
from lsp_server.features.errors import Refused
from lsp_server.features.likeness import jaccard

FILES = """
    #- a.py
    def f():
        return [1, 2, 3]

    def g():
        return [1, 2, 3, 4]
    """

# Twenty-five words that no stem makes equal, so that a likeness can be counted: one word less is 24 of 25.
WORDS = (
    "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo"
    " sierra tango uniform victor whiskey xray yankee"
)
ONE_LESS = WORDS.removesuffix(" yankee")
FOUR_LESS = WORDS.removesuffix(" victor whiskey xray yankee")
SIX_LESS = WORDS.removesuffix(" tango uniform victor whiskey xray yankee")


async def found(stage: Stage, **how: Any) -> list[tuple[str, list[tuple[str, bool]]]]:
    """Each cluster: the id that is kept, and each other one with whether it can be merged."""
    answer = await consolidate(stage.session, **how)
    return [
        (one["keep"]["id"], [(each["id"], each["mergeable"]) for each in one["members"]]) for one in answer["clusters"]
    ]


@pytest.mark.parametrize(
    ("other", "expected"), [(ONE_LESS, [True]), (FOUR_LESS, [False]), (SIX_LESS, None)], ids=["96%", "84%", "76%"]
)
async def test_how_much_alike_is_enough(tmp_path: Path, other: str, expected: list[bool] | None) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record(text=WORDS)
        second = await stage.record(text=other)
        clusters = await found(stage)
        wanted = [] if expected is None else [(first["id"], [(second["id"], one) for one in expected])]
        assert clusters == wanted


async def test_merging_keeps_places_tags_weight_and_links(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record("a.py#f", text=WORDS, tags=("x",))
        second = await stage.record("a.py#g", text=ONE_LESS, tags=("y",), importance=2, author="agent:x")
        shown = await consolidate(stage.session)
        assert not shown["applied"] and shown["summary"]["mergeable"] == 1 and shown["summary"]["merged"] == 0
        assert (await operations.show(stage.session, second["id"]))["current"]
        # It weighs more, so it is the one that is kept.
        answer = await consolidate(stage.session, apply=True, author="agent:tidy")
        assert answer["summary"]["merged"] == 1
        kept = await operations.show(stage.session, second["id"])
        gone = await operations.show(stage.session, first["id"])
        assert [(at["symbol"], at["verdict"]) for at in kept["anchors"]] == [("g", "fresh"), ("f", "fresh")]
        assert (kept["tags"], kept["importance"], kept["text"]) == (["x", "y"], 2, ONE_LESS)
        assert (kept["supersedes"], gone["superseded_by"], gone["state"]) == (
            [first["id"]],
            [second["id"]],
            "superseded",
        )
        assert gone["entered"]["author"] == "agent:tidy"
        assert await found(stage) == []


async def test_a_merge_is_taken_back(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record("a.py#f", text=WORDS, tags=("x",))
        second = await stage.record("a.py#g", text=ONE_LESS, tags=("y",))
        third = await stage.record("a.py", text=WORDS + " zulu")
        answer = await consolidate(stage.session, apply=True)
        assert answer["summary"]["merged"] == 2
        kept = answer["clusters"][0]["keep"]["id"]
        assert kept == first["id"] and len((await operations.show(stage.session, kept))["anchors"]) == 3
        # The last one first, as with any change that others came after.
        for one in reversed(answer["clusters"][0]["members"]):
            await operations.undo(stage.session, one["id"])
        for made in (first, second, third):
            now = await operations.show(stage.session, made["id"])
            for key in ("text", "state", "tags", "importance", "supersedes", "superseded_by"):
                assert now[key] == made[key], key
            assert [at["id"] for at in now["anchors"]] == [at["id"] for at in made["anchors"]]
            assert not now["stale"]
        assert [len(members) for _, members in await found(stage)] == [2]


WHY = {
    "the opposite": (WORDS + " always", WORDS + " never", {}, {}, None),
    "another number": (WORDS + " 30", WORDS + " 60", {}, {}, None),
    "another state": (WORDS, ONE_LESS, {}, {"state": "proposed"}, "its state is another one"),
    "another expiry": (WORDS, ONE_LESS, {}, {"expires": "2099-01-01"}, "its expires is another one"),
    "a claim": (WORDS, ONE_LESS, {"kind": "claim"}, {"kind": "claim"}, "with a reason and evidence"),
}


@pytest.mark.parametrize(("one", "other", "first", "second", "why"), WHY.values(), ids=WHY)
async def test_what_is_not_merged_and_why(
    tmp_path: Path, one: str, other: str, first: dict[str, Any], second: dict[str, Any], why: str | None
) -> None:
    async with Stage(tmp_path, FILES) as stage:
        ids = {(await stage.record(text=one, **first))["id"], (await stage.record(text=other, **second))["id"]}
        answer = await consolidate(stage.session, apply=True)
        assert answer["summary"]["merged"] == 0
        if why is None:
            assert answer["clusters"] == []
            assert [{each["id"] for each in pair["memories"]} for pair in answer["contradictions"]] == [ids]
            return
        ((member,),) = (cluster["members"] for cluster in answer["clusters"])
        assert why in member["why"] and not member["mergeable"] and answer["contradictions"] == []


async def test_changed_code_is_looked_at_first(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        await stage.record("a.py#f", text=WORDS)
        await stage.record("a.py#g", text=ONE_LESS)
        stage.write("a.py", (tmp_path / "a.py").read_text().replace("[1, 2, 3, 4]", "[4, 3]"))
        await stage.session.refresh()
        ((member,),) = (one["members"] for one in (await consolidate(stage.session, apply=True))["clusters"])
        assert "clear it first" in member["why"]


async def test_what_is_told_apart(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        for kind, text, home in (
            ("decision", WORDS, None),
            ("note", WORDS, None),
            ("decision", ONE_LESS, "local"),
            ("finding", WORDS, None),
            ("finding", WORDS, None),
        ):
            await stage.record(kind=kind, text=text, home=home)
        assert await found(stage) == []


async def test_only_some_clusters_and_numbers_that_are_none(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        for kind in ("decision", "note"):
            await stage.record(kind=kind, text=WORDS)
            await stage.record(kind=kind, text=ONE_LESS)
        assert [len(members) for _, members in await found(stage, kind="note")] == [1]
        answer = await consolidate(stage.session, apply=True, only=[2])
        assert [[each["merged"] for each in one["members"]] for one in answer["clusters"]] == [[False], [True]]
        with pytest.raises(Refused, match="there is no cluster 2; there are 1"):
            await consolidate(stage.session, only=[2])


TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS.split()[:10]), max_size=12).map(" ".join),
    max_size=12,
)


@given(TEXTS, st.sampled_from([0.3, 0.5, 0.82, 0.92, 1.0]))
def test_pairs_are_those_of_comparing_each_with_each(texts: list[str], least: float) -> None:
    sets = [frozenset(terms(text)) for text in texts]
    slow = [
        Pair(one, other, jaccard(sets[one], sets[other]))
        for one, other in combinations(range(len(texts)), 2)
        if jaccard(sets[one], sets[other]) >= least
    ]
    assert pairs(texts, least) == slow


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=10))
def test_components_hang_together(edges: list[tuple[int, int]]) -> None:
    found = list(components(Pair(one, other, 1.0) for one, other in edges))
    assert sorted(number for group in found for number in group) == sorted({each for edge in edges for each in edge})
    at = {number: place for place, group in enumerate(found) for number in group}
    assert all(at[one] == at[other] for one, other in edges)
    for group in found:  # No group falls apart in two that no edge ties.
        reached = {group[0]}
        for _ in group:
            reached |= {b for a, b in [*edges, *(edge[::-1] for edge in edges)] if a in reached}
        assert reached == set(group)
