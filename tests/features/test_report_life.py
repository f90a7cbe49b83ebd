"""What a memory answers of its life: how it came to its state, on what, what is owed, what took over from what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Entered, Evidence, Memory
from lsp_server.features import operations
from lsp_server.features.chain import LONGEST, chain
from lsp_server.features.hover import hover
from lsp_server.features.operations import Grounds
from lsp_server.features.report import memory_json
from lsp_server.features.words import author_kind
from lsp_server.workspace.config import Settings
from lsp_server.workspace.paths import Root
from lsp_server.workspace.snapshot import Snapshot, Stamp

NOW = "2026-11-30T12:00:00.000Z"


def snapshot(*memories: Memory, **more: Any) -> Snapshot:
    def read(path: str) -> Any:
        raise AssertionError(f"{path} was read")

    return Snapshot(
        root=Root(Path("/w"), "moorline", Path("/w")),
        number=1,
        settings=more.pop("settings", Settings()),
        documents={},
        memories={one.id: one for one in memories},
        verdicts={},
        read=read,
        stamp=Stamp("Ann", NOW, ""),
        **more,
    )


def memory(identifier: str = "a", kind: str = "claim", state: str = "current", **more: Any) -> Memory:
    facts = {"author": "Ann", "revision": "", "created": "2026-01-01T00:00:00Z"}
    current = KINDS[kind].is_current(state)
    body = f"Text of {identifier}."
    return Memory(identifier, kind, body, state, current, (), **{**facts, **more})


def answer(one: Memory, *others: Memory, **more: Any) -> dict[str, Any]:
    return memory_json(snapshot(one, *others, **more), one)


@pytest.mark.parametrize(
    ("author", "kind"),
    [
        ("Ann <ann@example.org>", "human"),
        ("agent:reviewer", "agent"),
        ("agent: reviewer", "agent"),
        ("Agent:Reviewer", "agent"),
        (" AGENT:reviewer", "agent"),
        ("agent", "agent"),
        ("Agent Smith", "human"),
        ("my agent:x", "human"),
        ("", "human"),
    ],
)
def test_who_is_an_agent(author: str, kind: str) -> None:
    assert author_kind(author) == kind == answer(memory(author=author))["author_kind"]


def test_what_nothing_happened_to() -> None:
    found = answer(memory())
    assert {key: found[key] for key in ("evidence", "rivals", "chain", "fields")} == {
        "evidence": [],
        "rivals": [],
        "chain": [],
        "fields": {},
    }
    assert (found["entered"], found["owed"], found["pinned"], found["expires_at"], found["heat"]) == (
        *(None, None, False, None),
        0.0,
    )
    assert found["valid"] == {"from": None, "until": None}


def test_how_it_came_to_its_state() -> None:
    entered = Entered("closed", "agent:x", NOW, "c0ffee", "it was replaced", "", "e1")
    closed = answer(memory(state="closed", revision="beef", entered=entered))
    assert closed["entered"] == {
        **{"state": "closed", "author": "agent:x", "time": NOW, "revision": "c0ffee"},
        **{"reason": "it was replaced", "by": None},
    }
    assert closed["valid"] == {"from": "beef", "until": "c0ffee"}
    again = replace(memory(revision="beef"), entered=replace(entered, state="current", reason=""))
    assert answer(again)["valid"] == {"from": "beef", "until": None}
    assert answer(again)["entered"]["reason"] is None


def test_what_it_rests_on() -> None:
    pieces = (Evidence("test", "t", "fix-verification", "beef", "Ann", NOW, "e1"), Evidence("url", "https://x"))
    assert answer(memory(evidence=pieces))["evidence"] == [
        {"type": "test", "value": "t", "role": "fix-verification", "revision": "beef", "author": "Ann", "time": NOW},
        {"type": "url", "value": "https://x", "role": None, "revision": None, "author": "", "time": ""},
    ]


OWING = [(row.name, state, state in row.owed) for row in KINDS.values() for state in row.states]


@pytest.mark.parametrize(("kind", "state", "owes"), OWING)
def test_what_is_owed_is_what_the_table_says(kind: str, state: str, owes: bool) -> None:
    assert bool(answer(memory(kind=kind, state=state))["owed"]) is owes
    rivals = (Entered("a", "Ann", NOW, ""), Entered("b", "Bob", NOW, ""))
    disputed = answer(memory(kind=kind, state=state, disputed=True, rivals=rivals))
    assert disputed["owed"] is None, "it is not even sure that it is in that state"
    assert [one["state"] for one in disputed["rivals"]] == ["a", "b"] and disputed["entered"] is None


def test_expiry_and_pin() -> None:
    found = answer(memory(expires="2026-11-29", pinned=True))
    assert (found["expired"], found["expires_at"], found["pinned"]) == (True, "2026-11-30T00:00:00Z", True)
    numbers = Settings(kinds={"claim": {"expires_days": 1}})
    assert answer(memory(), settings=numbers)["expired"] is True
    assert answer(memory(), settings=numbers)["score"] == numbers.score["expired"]


# -- the chain ---------------------------------------------------------------------------------------------------------


def linked(*links: tuple[str, str], missing: tuple[str, ...] = ()) -> dict[str, Memory]:
    """Memories of which the first of each pair was superseded by the second."""
    names = sorted({name for pair in links for name in pair})
    return {
        name: memory(
            name,
            state="superseded" if any(old == name for old, _ in links) else "current",
            supersedes=tuple(old for old, new in links if new == name),
            superseded_by=tuple(new for old, new in links if old == name),
        )
        for name in names
        if name not in missing
    }


CHAINS = {
    "one after the other": ((("a", "b"), ("b", "c")), ["a", "b", "c"]),
    "whatever their ages": ((("c", "b"), ("b", "a")), ["c", "b", "a"]),
    "one for two": ((("a", "c"), ("b", "c")), ["a", "b", "c"]),
    "two rivals": ((("a", "b"), ("a", "c")), ["a", "b", "c"]),
    "a cycle": ((("a", "b"), ("b", "a")), ["a", "b"]),
    "itself": ((("a", "a"),), ["a"]),
}


@pytest.mark.parametrize(("links", "expected"), CHAINS.values(), ids=CHAINS.keys())
def test_chain(links: tuple[tuple[str, str], ...], expected: list[str]) -> None:
    found = linked(*links)
    for one in found.values():
        assert list(chain(snapshot(*found.values()), one)) == expected


def test_what_is_not_to_be_found_is_in_the_chain_by_its_id() -> None:
    found = linked(("a", "b"), ("b", "c"), missing=("c",))
    entries = answer(found["a"], found["b"])["chain"]
    assert entries[2] == {"id": "c", "state": None, "current": False, "title": None}
    assert entries[1] == {"id": "b", "state": "superseded", "current": False, "title": "Text of b."}


@settings(max_examples=100)
@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=14), st.integers(0, 9))
def test_chain_is_all_that_is_linked_the_old_before_the_new(pairs: set[tuple[int, int]], start: int) -> None:
    """The slow twin: whatever can be reached over links either way, over and over until nothing is added."""
    links = [(f"m{old}", f"m{new}") for old, new in sorted(pairs) if old < new]
    found = linked(*links)
    if f"m{start}" not in found:
        return
    reached = {f"m{start}"}
    while more := {name for pair in links for name in pair if reached & set(pair)} - reached:
        reached |= more
    order = chain(snapshot(*found.values()), found[f"m{start}"])
    assert set(order) == reached and len(order) == len(reached)
    assert all(order.index(old) < order.index(new) for old, new in links if old in reached)


def test_a_chain_without_end_is_cut() -> None:
    found = linked(*((f"m{number:03}", f"m{number + 1:03}") for number in range(200)))
    order = chain(snapshot(*found.values()), found["m100"])
    assert len(order) == LONGEST and "m100" in order and order == tuple(sorted(order))


CODE = "#- a.py\ndef f(a):\n    return a + 1\n"


async def test_the_whole_chain_is_loaded_for_one_memory(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        first = await stage.record("a.py#f", text="One.")
        second = await operations.supersede(stage.session, first["id"], "Two.", Grounds("audit"))
        third = await operations.supersede(stage.session, second["id"], "Three.", Grounds("audit"))
    async with Stage(tmp_path, {}) as stage:
        for one in (first, second, third):
            entries = (await operations.show(stage.session, one["id"]))["chain"]
            assert [(entry["id"], entry["current"]) for entry in entries] == [
                (first["id"], False),
                (second["id"], False),
                (third["id"], True),
            ]


async def test_a_damaged_memory_is_marked_where_it_is_hovered(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        await stage.record("a.py#f", text="Because.")
        await stage.open("a.py")
        (path,) = tmp_path.glob(".moorline/memories/*/memory.md")
        path.write_text(path.read_text().replace("Because.", "<<<<<<< ours\nBecause.\n=======\nWhy.\n>>>>>>> theirs"))
        await stage.session.refresh()
        found = hover(stage.session.snapshot(), stage.session.view("a.py"), CODE.index("f(") - len("#- a.py\n"))
        assert found is not None and "Because." in found.markdown and "Why." not in found.markdown
        assert "Its last good version is shown: memory.md holds a merge conflict" in found.markdown
