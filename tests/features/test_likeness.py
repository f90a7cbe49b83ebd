"""How much alike texts are, what is near, and what says the opposite. Expected numbers are counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.features.likeness import alike, differ, jaccard, likeness, near, opposed, subject

ALIKE = {
    "the same": ("Tokens are checked first.", "Tokens are checked first.", 1.0),
    "other white space around": ("Tokens are checked.\n", "\n\nTokens are checked.", 1.0),
    "nothing in common": ("alpha beta", "gamma delta", 0.0),
    "half": ("alpha beta gamma", "alpha beta delta", 0.5),
    "an ending is no difference": ("alpha checks", "alpha checked", 1.0),
    "a name in two spellings": ("verify_jwt", "verifyJwt", 1.0),
    "Chinese by two characters": ("令牌校验", "令牌检查", 0.2),
    "nothing said at all": ("...", "!!!", 0.0),
    "the same signs": ("...", "...", 1.0),
}


@pytest.mark.parametrize(("one", "other", "expected"), ALIKE.values(), ids=ALIKE)
def test_likeness(one: str, other: str, expected: float) -> None:
    assert likeness(one, other) == likeness(other, one) == pytest.approx(expected)


OPPOSED = {
    "one denies": ("Tokens are cached in memory.", "Tokens are not cached in memory.", True),
    "short for not": ("The worker retries failed jobs.", "The worker doesn't retry failed jobs.", True),
    "another number": ("The limit is 30 requests.", "The limit is 60 requests.", True),
    "another version": ("It needs Python 3.11 here.", "It needs Python 3.12 here.", True),
    "an opposite": ("Always lock before the write.", "Never lock before the write.", True),
    "before and after": ("Check the token before the body.", "Check the token after the body.", True),
    "Chinese that denies": ("写入时加锁。", "写入时不加锁。", True),
    "Chinese opposites": ("默认启用缓存", "默认禁用缓存", True),
    "the same number": ("The limit is 30 requests.", "The limit is 30 requests a minute.", False),
    "a number alone": ("The limit is high.", "The limit is 30.", False),
    "another thing": ("Tokens are cached.", "The log is never rotated on Sundays by hand.", False),
    "the same": ("Never do it.", "Never do it.", False),
    "both words in both": ("First before, then after.", "First before, and then after.", False),
}


@pytest.mark.parametrize(("one", "other", "expected"), OPPOSED.values(), ids=OPPOSED)
def test_the_opposite(one: str, other: str, expected: bool) -> None:
    assert opposed(one, other) is opposed(other, one) is expected


WORDS = st.lists(st.sampled_from(["tokens", "are", "not", "cached", "30", "60", "before", "after", "令牌", "不"])).map(
    " ".join
)


@given(WORDS, WORDS)
def test_what_cannot_differ_is_not_opposed(one: str, other: str) -> None:
    assert 0.0 <= likeness(one, other) <= 1.0
    slow = differ(one, other) and jaccard(subject(one), subject(other)) >= 0.5
    assert opposed(one, other) == opposed(other, one) == slow
    assert not opposed(one, one)


FIRST = "Tokens are checked against the key set of the provider before the body of the request is read by anybody."
AGAIN = "Tokens are checked against the key set of the provider before the body of the request is read."


async def test_what_is_near(tmp_path: Path) -> None:
    async with Stage(tmp_path, "#- a.py\ndef f():\n    return [1, 2]\n") as stage:
        assert await near(stage.session, "note", FIRST) == ()
        first = await stage.record("a.py", kind="note", text=FIRST)
        await stage.record("a.py", kind="decision", text=FIRST)
        other = await stage.record(kind="note", text="The provider rotates its key set every night.")
        (found,) = await near(stage.session, "note", AGAIN)
        assert found.memory.id == first["id"] and found.similarity >= 0.85
        assert await near(stage.session, "note", AGAIN, without=[first["id"]]) == ()
        everything = await near(stage.session, "note", AGAIN, least=0.0)
        assert {one.memory.id for one in everything} == {first["id"], other["id"]}
        assert [one.similarity for one in everything] == sorted((one.similarity for one in everything), reverse=True)
        assert alike(AGAIN, [one.memory for one in everything], 0.0) == everything
