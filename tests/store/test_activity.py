"""Activity: counts that cost nothing, are never lost to a lock, and never thrown away with a damaged file."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import tempfile
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.store import database
from lsp_server.store.activity import (
    DAY,
    KEPT_DAYS,
    QUESTION_CHARACTERS,
    QUESTIONS,
    Activity,
    Question,
    normal_question,
)


async def test_counts_add_up_before_and_after_a_flush(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db")
    activity.count("shown", ["a", "b"])
    activity.count("shown", ["a"])
    activity.count("hovered", ["a"])
    assert activity.waiting == 3 and not activity.path.exists()
    assert await activity.counts() == {"a": 3, "b": 1}
    await activity.flush()
    assert activity.waiting == 0
    assert await Activity(activity.path).counts("shown") == {"a": 2, "b": 1}
    activity.count("shown", ["b"], now=5.0)
    assert await activity.counts("shown") == {"a": 2, "b": 2}
    await activity.flush()
    await activity.flush()
    assert await Activity(activity.path).counts() == {"a": 3, "b": 2}
    assert (await activity.seen())["b"][0].day == 0, "each day by itself"


async def test_off_is_off(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db", on=False)
    activity.count("shown", ["a"])
    activity.asked("why?", False)
    await activity.flush()
    assert not activity.path.exists() and await activity.counts() == {} and await activity.unanswered() == ()


async def test_turned_off_it_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "activity.db"
    path.write_bytes(b"no database" * 500)
    activity = Activity(path)
    activity.count("shown", ["a"])
    activity.asked("why?", False)
    activity.on = False
    assert await activity.counts() == {} and await activity.unanswered() == ()
    await activity.flush()
    assert activity.waiting == 0, "what was counted before is not written later"
    assert [one.name for one in tmp_path.iterdir()] == ["activity.db"]
    assert path.read_bytes() == b"no database" * 500 and not activity.set_aside


async def test_without_a_ledger_nothing_is_made(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "none" / "activity.db")
    activity.count("shown", ["a"])
    await activity.flush()
    assert list(tmp_path.iterdir()) == [] and await activity.counts() == {"a": 1}


@pytest.mark.parametrize("harm", ["damaged", "newer"])
async def test_what_is_set_aside_is_never_deleted(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "activity.db"
    kept: list[bytes] = []
    for _ in range(3):
        activity = Activity(path)
        activity.count("shown", ["a"])
        await activity.flush()
        if harm == "damaged":
            path.write_bytes(f"no database {len(kept)} ".encode() * 500)
        else:
            with contextlib.closing(sqlite3.connect(path)) as connection:
                connection.execute(f"PRAGMA user_version = {50 + len(kept)}")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kept.append(path.read_bytes())
    activity = Activity(path)
    activity.count("shown", ["b"])
    await activity.flush()
    assert "set aside as activity.db.aside-3" in activity.trouble and activity.set_aside
    assert await activity.counts() == {"b": 1}
    aside = [tmp_path / f"activity.db.aside{suffix}" for suffix in ("", "-2", "-3")]
    assert [one.read_bytes() for one in aside] == kept


async def test_a_lock_only_delays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    activity = Activity(tmp_path / "activity.db")
    activity.count("shown", ["a"])
    await activity.flush()
    with contextlib.closing(sqlite3.connect(activity.path, isolation_level=None)) as locker:
        locker.execute("BEGIN EXCLUSIVE")
        activity.count("shown", ["a"])
        activity.asked("one", False, now=1.0)
        activity.asked("two", False, now=1.0)
        activity.asked("three", False, now=1.0)
        await activity.flush()
        assert activity.waiting == 4 and "in use" in activity.trouble and not activity.set_aside
        activity.asked("one", False, now=2.0)
        activity.asked("two", True, now=2.0)
        activity.asked("three", True, now=2.0)
        activity.asked("three", False, now=3.0)
        await activity.flush()
        locker.execute("ROLLBACK")
    await activity.flush()
    assert (activity.waiting, activity.trouble) == (0, "")
    assert await activity.counts() == {"a": 2}
    assert await activity.unanswered() == (Question("one", 2, 1.0, 2.0), Question("three", 1, 3.0, 3.0))
    assert threading.active_count() < 20


# -- questions ---------------------------------------------------------------------------------------------------------

SPELLINGS = {
    "  Why   is the\tleeway 30 s?\n": "why is the leeway 30 s?",
    "WHY IS THE LEEWAY 30 S?": "why is the leeway 30 s?",
    "Cafe\u0301": "caf\u00e9",
    "Stra\u00dfe": "strasse",
    "a\x1b[31m\u202eb": "a [31m b",
    " \n ": "",
    "x" * 1000: "x" * QUESTION_CHARACTERS,
}


@pytest.mark.parametrize(("typed", "counted"), SPELLINGS.items())
def test_spellings_of_one_question(typed: str, counted: str) -> None:
    assert normal_question(typed) == counted
    assert normal_question(counted) == counted


async def test_what_is_answered_is_no_longer_open(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db")
    activity.asked("Who retries?", False, now=1.0)
    activity.asked("who  retries?", False, now=2.0)
    activity.asked("Why 30?", False, now=3.0)
    activity.asked("  ", False)
    await activity.flush()
    again = Activity(activity.path)
    again.asked("WHY 30?", False, now=4.0)
    again.asked("Where?", False, now=5.0)
    assert [(one.text, one.times) for one in await again.unanswered()] == [
        ("why 30?", 2),
        ("who retries?", 2),
        ("where?", 1),
    ], "by how often, then the latest"
    again.asked("why 30?", True, now=6.0)
    await again.flush()
    assert await Activity(activity.path).unanswered() == (
        Question("who retries?", 2, 1.0, 2.0),
        Question("where?", 1, 5.0, 5.0),
    )
    again.asked("why 30?", False, now=7.0)
    assert Question("why 30?", 1, 7.0, 7.0) in await again.unanswered(), "asked in vain again, from one on"


async def test_questions_are_bounded_and_the_oldest_go(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db")
    for number in range(QUESTIONS + 50):
        activity.asked(f"question {number}", False, now=float(number))
        activity.asked(f"answered {number}", True)
    assert activity.waiting == 2 * QUESTIONS
    await activity.flush()
    for number in range(10):
        activity.asked(f"more {number}", False, now=10_000.0 + number)
    assert len(await activity.unanswered()) == QUESTIONS
    await activity.flush()
    kept = {one.text for one in await Activity(activity.path).unanswered()}
    assert kept == {f"more {number}" for number in range(10)} | {
        f"question {number}" for number in range(60, QUESTIONS + 50)
    }


# -- the tables --------------------------------------------------------------------------------------------------------


async def test_counts_of_the_first_version_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "activity.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            """CREATE TABLE seen (
        id TEXT NOT NULL, how TEXT NOT NULL, times INTEGER NOT NULL, last REAL NOT NULL,
        PRIMARY KEY (id, how)) WITHOUT ROWID"""
        )
        connection.execute("INSERT INTO seen VALUES ('a', 'shown', 7, ?)", (3 * DAY + 5.5,))
        connection.execute(f"PRAGMA application_id = {database.APPLICATION}")
        connection.execute("PRAGMA user_version = 1")
    activity = Activity(path)
    activity.count("shown", ["a"], now=4 * DAY)
    assert await activity.counts() == {"a": 8}
    await activity.flush()
    assert (activity.trouble, activity.set_aside) == ("", False)
    assert [(one.how, one.day, one.times) for one in (await activity.seen())["a"]] == [("shown", 3, 7), ("shown", 4, 1)]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["activity.db"]


async def test_counts_of_long_ago_go(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db")
    activity.count("shown", ["old"], now=0.0)
    activity.count("shown", ["kept"], now=float(DAY))
    await activity.flush()
    activity.count("shown", ["new"], now=float(DAY * (KEPT_DAYS + 1)))
    await activity.flush()
    assert await activity.counts() == {"kept": 1, "new": 1}


async def test_values_of_another_type_are_passed_over(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db")
    activity.count("shown", ["a"], now=0.0)
    activity.asked("why?", False, now=1.0)
    await activity.flush()
    with contextlib.closing(sqlite3.connect(activity.path)) as connection:
        connection.execute("INSERT INTO seen VALUES ('b', 'shown', 0, 'many'), ('c', 'shown', x'00', 1)")
        connection.execute("INSERT INTO questions VALUES ('x', 'y', 1, 1), ('z', 1, 1, 1e300), (x'ff', 1, 1, 1)")
        connection.execute("INSERT INTO questions VALUES ('', 1, 1, 1), ('two' || char(10) || 'lines', 1, 1, 1)")
        connection.commit()
    assert await activity.counts() == {"a": 1}
    assert await activity.unanswered() == (Question("why?", 1, 1.0, 1.0),)
    assert not activity.trouble


# -- whatever the order ------------------------------------------------------------------------------------------------

STEPS = st.one_of(
    st.tuples(st.just("count"), st.sampled_from(["shown", "hovered"]), st.sampled_from("ab")),
    st.tuples(st.just("asked"), st.sampled_from(["One ", "one", "two"]), st.booleans()),
    st.tuples(st.just("flush"), st.none(), st.none()),
    st.tuples(st.just("anew"), st.none(), st.none()),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_it_answers_what_a_plain_list_of_all_that_happened_does(steps: list[tuple[str, str, str | bool]]) -> None:
    """The slow twin: every count and every asking kept in a list, and looked through each time."""

    async def run(folder: Path) -> None:
        activity = Activity(folder / "activity.db")
        seen: list[tuple[str, str, int]] = []
        asked: list[tuple[str, bool, float]] = []
        for number, (what, first, second) in enumerate(steps):
            at = number * DAY / 4
            if what == "count":
                activity.count(first, [str(second)], now=at)
                seen.append((str(second), first, number // 4))
            elif what == "asked":
                activity.asked(first, bool(second), now=at)
                asked.append((first.strip().casefold(), bool(second), at))
            else:
                await activity.flush()
                activity = Activity(activity.path) if what == "anew" else activity
            found = await activity.seen()
            rows = Counter(seen)
            assert {(one, s.how, s.day): s.times for one, days in found.items() for s in days} == dict(rows)
            vain: dict[str, list[float]] = {}
            for text, answered, when in asked:
                vain[text] = [] if answered else [*vain.get(text, []), when]
            expected = [Question(text, len(times), times[0], times[-1]) for text, times in vain.items() if times]
            assert await activity.unanswered() == tuple(sorted(expected, key=lambda one: (-one.times, -one.last)))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
