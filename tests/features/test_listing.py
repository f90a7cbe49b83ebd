"""Choosing memories: what contradicts what, who wrote when, and bounds, against plainer ways to say the same."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.model import Entered, Evidence, Memory
from lsp_server.features.conflicts import conflicts, conflicts_json
from lsp_server.features.errors import Refused
from lsp_server.features.listing import Filters, bounded, is_by, moment, newest_first, written

NOW = "2026-11-30T12:00:00.000Z"


def memory(number: int, kind: str = "claim", body: str = "Text.", *, current: bool = True, key: str = "") -> Memory:
    identifier = f"{number:08x}-0000-5000-8000-000000000000"
    fields = {"key": key} if key else {}
    time = f"2026-11-{number % 28 + 1:02}T12:00:00.000Z"
    return Memory(identifier, kind, body, "current", current, (), "Ada <ada@x>", time, "", fields=fields)


MEMORIES = st.lists(
    st.builds(
        memory,
        st.integers(0, 40),
        st.sampled_from(["claim", "claim", "note", "decision"]),
        st.sampled_from(["One.", "Two."]),
        current=st.booleans(),
        key=st.sampled_from(["", "a key", "A  Key", "other", " other "]),
    ),
    max_size=12,
    unique_by=lambda one: one.id,
)


@given(MEMORIES)
def test_conflicts_are_the_pairs_that_are_at_odds(memories: list[Memory]) -> None:
    def at_odds(one: Memory, other: Memory) -> bool:
        keys = [" ".join(each.fields.get("key", "").lower().split()) for each in (one, other)]
        claims = one.kind == other.kind == "claim" and one.current and other.current
        return claims and keys[0] == keys[1] != "" and one.body != other.body

    pairs = {frozenset((one.id, other.id)) for one, other in combinations(memories, 2) if at_odds(one, other)}
    found = conflicts(memories)
    told = {
        frozenset((one.id, other.id))
        for each in found
        for one, other in combinations(each.memories, 2)
        if one.body != other.body
    }
    assert told == pairs
    assert [one["ids"] for one in conflicts_json(found)] == [[each.id for each in one.memories] for one in found]
    assert conflicts(list(reversed(memories))) == found


@given(MEMORIES, st.none() | st.integers(0, 5))
def test_a_bound_takes_the_first_and_counts_the_rest(memories: list[Memory], limit: int | None) -> None:
    listed = bounded(memories, limit)
    assert len(listed.memories) + listed.omitted == len(memories)
    assert list(listed.memories) == memories[: limit or None]


def test_of_many_notes_the_newest_fifty_are_kept_in_their_order() -> None:
    memories = [memory(number, "note" if number % 2 else "decision") for number in range(140)]
    listed = bounded(memories, None)
    notes = [one for one in memories if one.kind == "note"]
    kept = [one for one in listed.memories if one.kind == "note"]
    assert set(map(id, kept)) == set(map(id, newest_first(notes)[:50])) and listed.omitted == 20
    assert list(listed.memories) == [one for one in memories if one.kind == "decision" or one in kept]


@pytest.mark.parametrize(("number", "left"), [(3.0, 3), (0, 60), (100, 60)])
def test_a_workspace_has_a_bound_of_its_own(number: float, left: int) -> None:
    notes = [memory(one, "note") for one in range(60)]
    assert len(bounded(notes, None, {"note": {"list_limit": number}}).memories) == left
    assert len(bounded(notes, None, {"claim": {"list_limit": 1}}).memories) == 50
    assert len(bounded(notes, 7, {"note": {"list_limit": number}}).memories) == 7


@pytest.mark.parametrize(
    ("author", "wanted", "is_so"),
    [
        ("agent:bob", "agent", True),
        ("agent:bob", "agent:bob", True),
        ("agent:bob", "bob", False),
        ("agent:bob", "human", False),
        ("agent", "agent", True),
        ("Ada L <ada@x>", "ada l", True),
        ("Ada L <ada@x>", "ADA@x", True),
        ("Ada L <ada@x>", "Ada L <ada@x>", True),
        ("Ada L <ada@x>", "Ada", False),
        ("Ada L <ada@x>", "", False),
        ("Ada L <ada@x>", "human", True),
    ],
)
def test_who_is_meant(author: str, wanted: str, is_so: bool) -> None:
    assert is_by(author, wanted) == is_so


def test_one_and_the_same_act_is_by_the_author_and_in_the_time() -> None:
    one = memory(1)
    late = Entered("closed", "agent:bob", "2026-11-20T12:00:00.000Z", "")
    seen = Evidence("url", "https://x", author="Cy", time="2026-11-25T12:00:00+02:00")
    one = Memory(**{**{name: getattr(one, name) for name in one.__slots__}, "entered": late, "evidence": (seen,)})
    assert written(one, Filters(author="agent", since="2026-11-19T00:00:00.000Z"))
    assert not written(one, Filters(author="human", since="2026-11-26T00:00:00.000Z"))
    assert written(one, Filters(author="Cy", until="2026-11-25T10:00:00.000Z"))
    assert not written(one, Filters(author="Cy", until="2026-11-25T09:59:59.000Z"))
    assert not written(one, Filters(author="Ada", since="2026-11-10T00:00:00.000Z"))


@pytest.mark.parametrize(
    ("typed", "start", "end"),
    [
        ("2026-11-02", "2026-11-02T00:00:00.000Z", "2026-11-02T23:59:59.999Z"),
        ("2026-11-02T03:00:00+02:00", "2026-11-02T01:00:00.000Z", "2026-11-02T01:00:00.000Z"),
        ("7d", "2026-11-23T12:00:00.000Z", "2026-11-23T12:00:00.000Z"),
        (" 1 w ", "2026-11-23T12:00:00.000Z", "2026-11-23T12:00:00.000Z"),
        ("90h", "2026-11-26T18:00:00.000Z", "2026-11-26T18:00:00.000Z"),
        ("1mo", "2026-10-31T12:00:00.000Z", "2026-10-31T12:00:00.000Z"),
        ("1y", "2025-11-30T12:00:00.000Z", "2025-11-30T12:00:00.000Z"),
    ],
)
def test_moments(typed: str, start: str, end: str) -> None:
    assert moment(typed, NOW) == start and moment(typed, NOW, end=True) == end


@given(st.text(max_size=12))
def test_what_is_no_moment_is_refused_in_one_line(typed: str) -> None:
    try:
        found = moment(typed, NOW)
    except Refused as refused:
        assert "\n" not in str(refused) and "is no time" in str(refused)
    else:
        assert len(found) == len(NOW)
