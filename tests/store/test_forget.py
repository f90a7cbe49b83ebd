"""Forgetting in the ledger and in what is derived of it: what goes, what stays, and what a merge brings back."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.change import Change
from lsp_server.core.forgotten import since_forgotten, tombstone_id
from lsp_server.core.ids import anchor_id, body_hash, event_id, folder_name, memory_id
from lsp_server.core.ledger_text import read_event
from lsp_server.core.model import AnchorText, Event, Locus, MemoryText
from lsp_server.store.activity import Activity
from lsp_server.store.index import Index
from lsp_server.store.ledger import Ledger, LedgerForgotten, LedgerRefused

PLACE = Locus("src/pay.py", "refund")
TIME = "2026-11-30T10:53:22.125Z"
SECRET = "hunter2-is-the-password"


def recorded(body: str = f"The {SECRET}.", home: str = "shared", after: tuple[str, ...] = ()) -> Change:
    identifier = memory_id("decision", body, PLACE)
    anchor = AnchorText(anchor_id(identifier, PLACE), PLACE)
    data = {"kind": "decision", "state": "accepted", "body_hash": body_hash(body), "anchors": {anchor.id: str(PLACE)}}
    born = Event(event_id(), "recorded", TIME, "somebody", "", after, data)
    text = MemoryText(identifier, "decision", body, (anchor,))
    return Change(identifier, folder_name(identifier, body), home, text, (born,))


def pinned(change: Change, *after: str) -> Change:
    event = Event(event_id(), "pinned", TIME, "somebody", "", after or (change.events[-1].id,), {"on": True})
    return replace(change, text=None, events=(event,))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    found = Ledger(tmp_path / "w", tmp_path / "w", tmp_path / "user")
    found.root.mkdir()
    found.init()
    return found


def everything(folder: Path) -> bytes:
    return b"\0".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def names(folder: Path) -> str:
    return "\n".join(str(path) for path in folder.rglob("*"))


# -- the ledger --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("home", ["shared", "local", "user"])
def test_nothing_is_left_but_the_id(ledger: Ledger, tmp_path: Path, home: str) -> None:
    change, other = recorded(home=home), recorded("Another.", home)
    for one in (change, pinned(change), other):
        ledger.write(one)
    erased = ledger.forget(change.memory_id)
    assert erased.folders == ((home, change.memory_folder),) and erased.files == 3
    assert SECRET.encode() not in everything(tmp_path) and "hunter2" not in names(tmp_path)
    (tombstone,) = tmp_path.rglob(".forgotten/*")
    assert (tombstone.name, tombstone.read_text()) == (change.memory_id, f"{change.memory_id}\n")
    assert tombstone.parent.parent == ledger.homes[home]
    assert [key[1] for key in ledger.scan().entries] == [other.memory_folder]
    assert ledger.tombstone(home, change.memory_id) == tombstone_id(change.memory_id, 1)
    assert ledger.tombstone(home, other.memory_id) is None
    assert ledger.forget(change.memory_id).files == 0


def test_every_copy_goes_and_a_folder_that_somebody_renamed(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded()
    ledger.write(change)
    shared = ledger.homes["shared"]
    shutil.copytree(shared / change.memory_folder, shared / "renamed-by-hand")
    ledger.write(replace(change, home="local"))
    assert len(ledger.forget(change.memory_id).folders) == 3
    assert SECRET.encode() not in everything(tmp_path)


def test_two_clones_write_the_same_tombstone(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        one = Ledger(tmp_path / name, tmp_path / name)
        one.root.mkdir()
        one.write(recorded())
        one.forget(recorded().memory_id)
        (path,) = one.homes["shared"].glob(".forgotten/*")
        found.append((path.name, path.read_bytes()))
    assert found[0] == found[1]


def check_back(ledger: Ledger, change: Change, message: str, *, forgotten: bool) -> None:
    """The only folder, as it is read: what is told of it, and whether anything of it is served."""
    (entry,) = ledger.scan().entries.values()
    found = ledger.read(entry)
    assert found.forgotten == forgotten and (found.text is None) == forgotten
    (problem,) = found.problems
    assert problem.path in {f".moorline/memories/{change.memory_folder}/{name}" for name in found.remains}
    assert message in problem.message
    assert change.memory_id in problem.message


def test_what_a_merge_brings_back_is_told_and_not_served(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded()
    ledger.write(change)
    kept = tmp_path / "kept"
    folder = ledger.homes["shared"] / change.memory_folder
    shutil.copytree(folder, kept)
    ledger.forget(change.memory_id)
    for leave in ((), ("memory.md",), tuple(path.name for path in kept.glob("*.json"))):
        shutil.copytree(kept, folder)
        for name in leave:
            (folder / name).unlink()
        check_back(ledger, change, f"moorline forget {change.memory_id} --yes", forgotten=True)
        # The same tombstone does: no other one is left.
        assert ledger.forget(change.memory_id).files == 2 - len(leave)
        assert len(list(ledger.homes["shared"].glob(".forgotten/*"))) == 1
        assert not folder.exists()


def test_recorded_anew_only_by_who_knows(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded()
    ledger.write(change)
    kept = tmp_path / "kept"
    folder = ledger.homes["shared"] / change.memory_folder
    shutil.copytree(folder, kept)
    ledger.forget(change.memory_id)
    for late in (change, pinned(change), recorded(after=("x",))):
        with pytest.raises(LedgerForgotten, match="--again"):
            ledger.write(late)
        assert not folder.exists()
    assert set(ledger.write_all([change, recorded("Another.")])) == {change.memory_id}
    shutil.rmtree(ledger.homes["shared"] / recorded("Another.").memory_folder)

    again = recorded(after=(tombstone_id(change.memory_id, 1),))
    ledger.write(again)
    ledger.write(pinned(again))
    (entry,) = ledger.scan().entries.values()
    found = ledger.read(entry)
    assert found.text == change.text and [one.type for one in found.events] == ["recorded", "pinned"]
    assert not found.problems and not found.remains
    # An old branch is merged.
    for path in kept.glob("*.json"):
        shutil.copy(path, folder)
    check_back(ledger, change, "--remains --yes", forgotten=False)
    (entry,) = ledger.scan().entries.values()
    assert ledger.read(entry).events == found.events
    assert ledger.forget(change.memory_id, remains=True).files == 1
    (entry,) = ledger.scan().entries.values()
    assert ledger.read(entry).events == found.events and not ledger.read(entry).problems
    assert ledger.forget(change.memory_id, remains=True).files == 0

    # Forgotten for the second time: what knew of the first tombstone alone does not count any more.
    ledger.forget(change.memory_id)
    assert sorted(path.name for path in ledger.homes["shared"].glob(".forgotten/*")) == [
        change.memory_id,
        f"{change.memory_id}.2",
    ]
    with pytest.raises(LedgerForgotten):
        ledger.write(again)
    ledger.write(recorded(after=(tombstone_id(change.memory_id, 2),)))
    assert len(ledger.scan().entries) == 1


def test_a_crash_after_the_tombstone_serves_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    change = recorded()
    ledger.write(change)

    def fails(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch, pytest.raises(LedgerRefused, match="cannot be erased: Permission denied"):
        patch.setattr(shutil, "rmtree", fails)
        ledger.forget(change.memory_id)
    check_back(ledger, change, f"moorline forget {change.memory_id} --yes", forgotten=True)
    assert ledger.forget(change.memory_id).files == 2


def test_a_damaged_memory_can_be_forgotten(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded()
    ledger.write(change)
    folder = ledger.homes["shared"] / change.memory_folder
    for damage in (b"<<<<<<< HEAD\n", b"\xff\xfe", b""):
        folder.mkdir(exist_ok=True)
        (folder / "memory.md").write_bytes(damage)
        (folder / "20261130T105322Z-x.json").write_text(f"{{ {SECRET}")
        assert ledger.forget(change.memory_id).files >= 2
        assert SECRET.encode() not in everything(tmp_path)


def test_hostile_tombstones(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded()
    ledger.write(change)
    where = ledger.homes["shared"] / ".forgotten"
    where.mkdir()
    for name in ("x", "..", f"{change.memory_id}.0", f"{change.memory_id}.99999", f"{change.memory_id}.x", "a" * 200):
        if name != "..":
            (where / name).write_text("")
    (entry,) = ledger.scan().entries.values()
    assert ledger.read(entry).text is not None and not ledger.scan().problems
    shutil.rmtree(where)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / change.memory_id).write_text("")
    os.symlink(tmp_path / "elsewhere", where)
    found = ledger.scan()
    assert [problem.path.endswith(".forgotten") for problem in found.problems] == [True]
    assert ledger.read(next(iter(found.entries.values()))).text is not None


# -- whose an event is -------------------------------------------------------------------------------------------------


def test_an_event_that_git_laid_into_another_folder_is_not_read(ledger: Ledger) -> None:
    change, other = recorded("Here."), recorded("There.")
    for one in (change, other, pinned(other)):
        ledger.write(one)
    shared = ledger.homes["shared"]
    stray = sorted((shared / other.memory_folder).glob("*.json"))[-1]
    assert read_event(stray.read_bytes()).data["memory"] == other.memory_id
    stray.rename(shared / change.memory_folder / stray.name)
    found = ledger.read(ledger.scan().entries["shared", change.memory_folder])
    assert [event.type for event in found.events] == ["recorded"]
    (problem,) = found.problems
    assert problem.path.endswith(stray.name) and other.memory_id in problem.message and "delete it" in problem.message


# -- what is derived ---------------------------------------------------------------------------------------------------


async def test_the_index_holds_nothing_of_it(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded(f"The {SECRET}. " + "It is long, so that it takes pages of its own. " * 300)
    ledger.write(change)
    for number in range(20):
        ledger.write(recorded(f"Number {number}."))
    folder = ledger.index_path.parent
    async with await Index.open(ledger.index_path) as index:
        await index.refresh(ledger)
        assert SECRET.encode() in b"".join(path.read_bytes() for path in folder.glob("index.db*"))
        (folder / "index.db.aside").write_text(SECRET)
        erased = ledger.forget(change.memory_id)
        assert await index.erase(erased.folders)
        assert SECRET.encode() not in b"".join(path.read_bytes() for path in folder.glob("index.db*"))
        refreshed = await index.refresh(ledger)
        assert not refreshed.problems and refreshed.removed == (change.memory_id,)
        assert len(await index.memories()) == 20 and not await index.ids_with_prefix(change.memory_id)
    assert SECRET.encode() not in everything(tmp_path)


async def test_where_another_program_reads_it_that_is_told(ledger: Ledger) -> None:
    change = recorded()
    ledger.write(change)
    async with await Index.open(ledger.index_path) as index:
        await index.refresh(ledger)
        reader = sqlite3.connect(ledger.index_path)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM memory").fetchall()
        erased = ledger.forget(change.memory_id)
        assert not await index.erase(erased.folders)
        assert await index.memories() == []
        reader.close()
        assert await index.erase(erased.folders)
    assert SECRET.encode() not in everything(ledger.folder)


async def test_a_refresh_sees_what_was_forgotten_and_what_came_back(ledger: Ledger, tmp_path: Path) -> None:
    change = recorded()
    ledger.write(change)
    folder = ledger.homes["shared"] / change.memory_folder
    shutil.copytree(folder, tmp_path / "kept")
    async with await Index.open(ledger.index_path) as index:
        await index.refresh(ledger)
        tombstone = ledger.homes["shared"] / ".forgotten" / change.memory_id
        tombstone.parent.mkdir()
        tombstone.write_text("")  # A pull brings the tombstone, and a conflict leaves the folder.
        refreshed = await index.refresh(ledger)
        assert refreshed.removed == (change.memory_id,) and len(refreshed.problems) == 1
        assert await index.memories() == []
        shutil.rmtree(folder)
        assert (await index.refresh(ledger)).problems == ()
        shutil.copytree(tmp_path / "kept", folder)
        (folder / "memory.md").write_text("<<<<<<< HEAD\n")
        assert len((await index.refresh(ledger)).problems) == 1 and await index.memories() == []
        tombstone.unlink()  # Another branch, where it never was forgotten.
        shutil.copy(tmp_path / "kept" / "memory.md", folder)
        assert (await index.refresh(ledger)).changed == (change.memory_id,)


async def test_counts_are_erased_also_while_counting_is_off(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db")
    activity.count("shown", ["a", "b"])
    await activity.flush()
    activity.count("shown", ["a"])
    activity.on = False
    assert await activity.forget("a")
    activity.on = True
    await activity.flush()
    assert await activity.counts() == {"b": 1}
    assert await Activity(tmp_path / "none.db").forget("a") and not (tmp_path / "none.db").exists()


# -- since when --------------------------------------------------------------------------------------------------------


def slowly(events: list[Event], tombstone: str) -> set[str]:
    """What came after the tombstone, by following every event back, one at a time."""
    by_id = {event.id: event for event in events}

    def knows(one: str, seen: frozenset[str]) -> bool:
        if one == tombstone:
            return True
        if one in seen or one not in by_id:
            return False
        return any(knows(before, seen | {one}) for before in by_id[one].after)

    return {event.id for event in events if knows(event.id, frozenset())}


@st.composite
def lines(draw: st.DrawFn) -> list[Event]:
    found: list[Event] = []
    for number in range(draw(st.integers(0, 8))):
        known = ["tomb", "elsewhere", *(event.id for event in found)]
        after = draw(st.lists(st.sampled_from(known), max_size=2, unique=True))
        moment = f"2026-11-30T10:00:0{draw(st.integers(0, 2))}Z"
        found.append(Event(f"e{number}", "pinned", moment, "", "", tuple(after), {}))
    shuffle: Callable[..., st.SearchStrategy[list[Event]]] = st.permutations
    return draw(shuffle(found))


@given(lines())
def test_what_counts_is_what_knew_of_the_tombstone(events: list[Event]) -> None:
    assert {event.id for event in since_forgotten(events, "tomb")} == slowly(events, "tomb")
