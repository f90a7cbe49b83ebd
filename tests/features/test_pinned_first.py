"""What is pinned comes first, whatever else stands where, and no bound on a list cuts it off."""

from __future__ import annotations

from pathlib import Path

from support.stage import Stage

from lsp_server.core.kinds import kind_of
from lsp_server.features import operations
from lsp_server.features.listing import Filters

CODE = "#- a.py\ndef f(a):\n    return a + 1\n\n\ndef g(a):\n    return a * 2\n"


async def test_pinned_before_stale_before_newest(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        pinned = (await stage.record("a.py#g", text="Pinned."))["id"]
        stale = (await stage.record("a.py#f", text="Stale."))["id"]
        newest = (await stage.record("a.py#g", text="Newest."))["id"]
        await operations.pin(stage.session, pinned, True)
        stage.write("a.py", (tmp_path / "a.py").read_text().replace("a + 1", "a + 2"))
        await stage.session.refresh()
        answer = await operations.list_memories(stage.session)
        assert [one["id"] for one in answer["memories"]] == [pinned, stale, newest]
        assert [one["pinned"] for one in answer["memories"]] == [True, False, False]
        await operations.pin(stage.session, pinned, False)
        answer = await operations.list_memories(stage.session)
        assert [one["id"] for one in answer["memories"]] == [stale, newest, pinned]


async def test_a_bound_cuts_off_nothing_that_is_pinned(tmp_path: Path) -> None:
    bound = kind_of("note").list_limit
    assert bound is not None
    async with Stage(tmp_path, CODE) as stage:
        first = (await stage.record("a.py#f", kind="note", text="First."))["id"]
        for number in range(bound):
            await stage.record(kind="note", text=f"Note {number}.")
        for kind in ("note", None):
            listed = await operations.list_chosen(stage.session, Filters(kind=kind))
            assert len(listed["memories"]) == bound and listed["omitted"] == 1
            assert first not in [one["id"] for one in listed["memories"]]
        await operations.pin(stage.session, first, True)
        for kind in ("note", None):
            listed = await operations.list_chosen(stage.session, Filters(kind=kind))
            assert len(listed["memories"]) == bound and listed["omitted"] == 1
            assert listed["memories"][0]["id"] == first
