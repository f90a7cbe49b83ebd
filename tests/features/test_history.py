"""The life of a memory, told, whatever its events hold; and what its life has to do with cases 34 and 39."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.fold import in_causal_order, without_undone
from lsp_server.core.model import Event
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.history import events_json
from lsp_server.features.operations import Grounds
from lsp_server.store.ledger import LedgerForgotten
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

FAULTY = (
    "def pay(amount):\n    total = amount * 3\n    return audit(total)\n\n\ndef owe(amount):\n    return [amount, 7]\n"
)
FIXED = FAULTY.replace("* 3", "* 4")

# -- whatever events hold ----------------------------------------------------------------------------------------------

TYPES = (
    *("recorded", "baseline", "withdrawn", "followed", "reanchored", "edited", "transitioned", "superseded"),
    *("supersedes", "retired", "restored", "evidence", "pinned", "used", "undone", "of_a_newer_version"),
)
KEYS = (
    *("state", "anchors", "place", "anchor", "base", "from", "to", "what", "was", "now", "by", "old", "restored"),
    *("retired", "evidence", "on", "for", "events", "reason", "note", "at"),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.sampled_from(["e0", "e1", "e2"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYS, "type", "value"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def lives(draw: st.DrawFn) -> list[Event]:
    found = []
    for number in range(draw(st.integers(1, 6))):
        after = draw(st.lists(st.sampled_from([f"e{one}" for one in range(6)]), max_size=2))
        data = draw(st.dictionaries(st.sampled_from(KEYS), ANYTHING, max_size=4))
        found.append(
            Event(f"e{number}", draw(st.sampled_from(TYPES)), "2026-11-30T10:00:00Z", "Ada", "", tuple(after), data)
        )
    return found


@given(lives())
def test_every_event_is_told_once_whatever_it_holds(events: list[Event]) -> None:
    told = events_json(events)
    json.dumps(told)
    line = in_causal_order(events)
    assert [one["id"] for one in told] == [event.id for event in line.events]
    alive = {event.id for event in without_undone(line)}
    assert {one["id"] for one in told if one["undone_by"] is None} == alive
    assert all(one["what"].strip() and "\n" not in one["type"] for one in told)


def test_what_was_undone_twice_is_there_again() -> None:
    def event(name: str, type: str, after: str = "", **data: Any) -> Event:
        return Event(name, type, "2026-11-30T10:00:00Z", "Ada", "", (after,) if after else (), data)

    line = [event("a", "recorded"), event("b", "retired", "a", reason="x"), event("c", "undone", "b", events=["b"])]
    assert [one["undone_by"] for one in events_json(line)] == [None, "c", None]
    line.append(event("d", "undone", "c", events=["c"]))
    told = events_json(line)
    assert [one["undone_by"] for one in told] == [None, None, "d", None]
    assert [one["what"] for one in told] == [
        "recorded",
        "retired",
        "took back: retired",
        "took back: took back: retired",
    ]


# -- case 34: several writers ------------------------------------------------------------------------------------------


async def test_case_34_a_writer_that_knows_nothing_of_the_forgetting_revives_nothing(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("pay.py", FAULTY)
        identifier = (await stage.record("pay.py#pay", text="The password is hunter2."))["id"]
        other = await Session.start(find_root(tmp_path))
        try:
            await other.load_all()
            await operations.forget(stage.session, identifier, yes=True)
            attempts: tuple[Callable[[], Any], ...] = (
                lambda: operations.pin(other, identifier),
                lambda: operations.retire(other, identifier, Grounds("gone")),
                lambda: operations.clear_staleness(other, identifier),
            )
            for attempt in attempts:
                with pytest.raises((LedgerForgotten, Refused)):
                    await attempt()
            await other.refresh()
            with pytest.raises(Refused, match="no memory"):
                await operations.show(other, identifier)
        finally:
            await other.stop()
        assert not list(tmp_path.glob(".moorline/memories/[!.]*"))


async def test_case_34_forgetting_waits_for_no_lock_without_limit(tmp_path: Path) -> None:
    """Somebody writes to the index for long: what is in the ledger goes at once, and it is told what may be left."""
    async with Stage(tmp_path, {}) as stage:
        stage.write("pay.py", FAULTY)
        identifier = (await stage.record("pay.py#pay", text="The password is hunter2."))["id"]
        holder = sqlite3.connect(stage.session.ledger.index_path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            async with asyncio.timeout(20):
                answer = await operations.forget(stage.session, identifier, yes=True)
        finally:
            holder.execute("ROLLBACK")
            holder.close()
        assert not list(tmp_path.glob(".moorline/memories/[!.]*"))
        assert answer["traces"] == [str(stage.session.ledger.index_path)]
        assert (await operations.list_memories(stage.session, everything=True))["memories"] == []


# -- case 39: an upgrade -----------------------------------------------------------------------------------------------


def upgrade(folder: Path, **facts: Any) -> None:
    """Every fingerprint of the ledger as another version would have written it."""
    for path in folder.glob(".moorline/memories/*/*.json"):
        event = json.loads(path.read_text())
        if event["type"] == "baseline":
            event["fingerprint"].update(facts)
            path.write_text(json.dumps(event, sort_keys=True, indent=1) + "\n")


@pytest.mark.parametrize("facts", [{"grammar": "python 0.1.0", "code": "0" * 64}, {"scheme": 99}])
async def test_case_39_an_upgrade_opens_no_finding_and_hides_none(tmp_path: Path, facts: dict[str, Any]) -> None:
    """A finding that was fixed is not regressed for another scheme; where the faulty code is back, it is."""
    async with Stage(tmp_path, {}) as stage:
        stage.write("pay.py", FAULTY)
        stage.git("init", "-q", "-b", "main")
        stage.git("add", "-A")
        stage.git("commit", "-q", "-m", "faulty")
        await stage.session.refresh()
        finding = (await stage.record("pay.py#pay", kind="finding", text="It pays too little."))["id"]
        stage.write("pay.py", FIXED)
        stage.git("add", "-A")
        stage.git("commit", "-q", "-m", "fixed")
        await stage.session.refresh()
        await operations.transition(stage.session, finding, "fixed_unverified", Grounds(revision="HEAD"))
        grounds = Grounds(evidence=("fix-verification=test:tests/test_pay.py",), revision="HEAD")
        assert (await operations.add_evidence(stage.session, finding, grounds))["state"] == "verified"
        before = await operations.history(stage.session, finding)
        upgrade(tmp_path, **facts)
        await stage.session.refresh()
        shown = await operations.show(stage.session, finding)
        assert (shown["state"], shown["stale"]) == ("verified", False), shown["anchors"]
        assert await operations.history(stage.session, finding) == before
        then = await operations.show(stage.session, finding, "HEAD~1")
        assert (then["state"], then["stale"]) == ("open", False), then["anchors"]
        stage.write("pay.py", FAULTY)
        await stage.session.refresh()
        (anchor,) = (await operations.show(stage.session, finding))["anchors"]
        assert (anchor["verdict"], anchor["reason"]) in (("changed", "regressed"), ("unverifiable", "scheme"))
        assert anchor["verdict"] == "changed" or "scheme" in facts
