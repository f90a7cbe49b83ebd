"""What somebody is told who records what is nearly known, or the opposite of what is; and the life of a conflict: open,
over once one gives way, dismissed with a reason, and open again once a text is edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.model import Anchor, Locus, Memory
from lsp_server.features import operations
from lsp_server.features.conflicts import CROWD, conflicts
from lsp_server.features.errors import Refused
from lsp_server.features.likeness import opposed
from lsp_server.features.listing import Filters

FILES = """
    #- a.py
    def f():
        return [1, 2, 3]

    def g():
        return [1, 2, 3, 4]
    """

CACHED = "Tokens are cached in memory for the length of a request."
NOT_CACHED = "Tokens are not cached in memory for the length of a request."
LONG = "Tokens are checked against the key set of the provider before the body of the request is read by anybody."


async def at_odds(stage: Stage) -> list[dict[str, Any]]:
    answer = await operations.list_chosen(stage.session, Filters(conflicts=True))
    found: list[dict[str, Any]] = answer["conflicts"]
    assert {one["id"] for one in answer["memories"]} == {each for one in found for each in one["ids"]}
    return found


async def test_what_is_nearly_known_is_said_and_recorded(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record("a.py#f", kind="note", text=LONG)
        assert (first["near"], first["conflicts"]) == ([], [])
        later = await stage.record("a.py#g", kind="note", text=LONG.replace(" by anybody", ""))
        assert later["created"] and later["conflicts"] == []
        ((near),) = later["near"]
        assert near["id"] == first["id"] and 0.85 <= near["similarity"] < 1 and near["text"] in LONG
        again = await stage.record("a.py#f", kind="note", text=LONG)
        assert not again["created"] and again["near"] == []
        other = await stage.record("a.py#f", kind="decision", text=LONG)
        assert other["near"] == []


AT_ODDS = {
    "the opposite of one symbol": (("a.py#f", CACHED), ("a.py#f", NOT_CACHED), "decision", True),
    "of one file": (("a.py", CACHED), ("a.py", NOT_CACHED), "note", True),
    "of another symbol": (("a.py#f", CACHED), ("a.py#g", NOT_CACHED), "decision", False),
    "of no place": (("", CACHED), ("", NOT_CACHED), "decision", False),
    "something else": (("a.py#f", CACHED), ("a.py#f", "The list has no more than a few entries."), "decision", False),
    "what happened": (("a.py#f", CACHED), ("a.py#f", NOT_CACHED), "finding", False),
}


@pytest.mark.parametrize(("one", "other", "kind", "expected"), AT_ODDS.values(), ids=AT_ODDS)
async def test_what_contradicts_a_place(
    tmp_path: Path, one: tuple[str, str], other: tuple[str, str], kind: str, expected: bool
) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record(*filter(None, one[:1]), kind=kind, text=one[1])
        second = await stage.record(*filter(None, other[:1]), kind=kind, text=other[1])
        found = await at_odds(stage)
        assert second["conflicts"] == found
        assert [(each["kind"], each["key"], each["place"], set(each["ids"])) for each in found] == (
            [(kind, None, one[0], {first["id"], second["id"]})] if expected else []
        )


async def test_a_claim_under_a_key(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record(kind="claim", text="Five minutes.", fields={"key": "token lifetime"})
        second = await stage.record(kind="claim", text="An hour.", fields={"key": "Token Lifetime"})
        assert [one["key"] for one in second["conflicts"]] == ["token lifetime"]
        assert await at_odds(stage) == second["conflicts"]
        await operations.dismiss(stage.session, second["id"], first["id"], "one is of the old API")
        assert await at_odds(stage) == []


async def test_the_life_of_a_conflict(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record("a.py#f", text=CACHED)
        second = await stage.record("a.py#f", text=NOT_CACHED)
        assert len(await at_odds(stage)) == 1
        backlog = await operations.backlog(stage.session, only=["conflict"])
        assert [(one["id"], one["what"]) for one in backlog["items"]] == [(first["id"], "conflict")]
        with pytest.raises(Refused, match="say why both hold"):
            await operations.dismiss(stage.session, first["id"], second["id"], " ")
        await operations.dismiss(stage.session, first["id"], second["id"], "one is of tests", "agent:x")
        assert await at_odds(stage) == [] and (await operations.backlog(stage.session))["items"] == []
        with pytest.raises(Refused, match="dismissed already"):
            await operations.dismiss(stage.session, second["id"], first["id"], "again")
        told = (await operations.history(stage.session, first["id"]))["events"][-1]
        assert (told["type"], told["author"], told["why"]) == ("dismissed", "agent:x", "one is of tests")
        undone = await operations.undo(stage.session, first["id"])
        assert undone["undone"] == ["dismissed"] and len(await at_odds(stage)) == 1
        await operations.transition(
            stage.session, first["id"], "superseded", operations.Grounds(by=second["id"], reason="not any more")
        )
        assert await at_odds(stage) == []


async def test_an_edited_text_opens_it_again(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record("a.py#f", text=CACHED)
        second = await stage.record("a.py#f", text=NOT_CACHED)
        await operations.dismiss(stage.session, first["id"], second["id"], "one is of tests")
        (path,) = (path for path in tmp_path.glob(".moorline/memories/*/memory.md") if "not cached" in path.read_text())
        path.write_text(path.read_text().replace("not cached", "never cached"))
        await stage.session.refresh()
        assert len(await at_odds(stage)) == 1


async def test_what_is_in_no_conflict_cannot_be_dismissed(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        first = await stage.record("a.py#f", text=CACHED)
        second = await stage.record("a.py#g", text=NOT_CACHED)
        with pytest.raises(Refused, match="in no conflict"):
            await operations.dismiss(stage.session, first["id"], second["id"], "why not")


MEMORIES = st.lists(
    st.builds(
        lambda number, text, file, current: Memory(
            str(number),
            "decision",
            text,
            "accepted",
            current,
            (Anchor("a", Locus(file, "f")),),
            "Ann",
            f"{number:03}",
            "",
        ),
        st.integers(0, 999),
        st.sampled_from([CACHED, NOT_CACHED, "Tokens are cached for 30 seconds.", "Tokens are cached for 60 seconds."]),
        st.sampled_from(["a.py", "b.py"]),
        st.booleans(),
    ),
    max_size=8,
    unique_by=lambda one: one.id,
)


@given(MEMORIES)
def test_pairs_at_a_place(memories: list[Memory]) -> None:
    current = [one for one in memories if one.current]
    expected = {
        frozenset((one.id, other.id))
        for number, one in enumerate(current)
        for other in current[:number]
        if one.anchors[0].locus == other.anchors[0].locus and opposed(one.body, other.body)
    }
    found = conflicts(memories)
    assert {frozenset(each.id for each in one.memories) for one in found} == expected
    assert len(found) == len(expected) and conflicts(memories[::-1]) == found
    assert CROWD >= 8
