"""Activity: counts that cost nothing, are never lost to a lock, and never thrown away with a damaged file."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path

import pytest

from lsp_server.store import database
from lsp_server.store.activity import Activity


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
    with contextlib.closing(sqlite3.connect(activity.path)) as connection:
        (last,) = connection.execute("SELECT last FROM seen WHERE id = 'b'").fetchone()
        assert last > 5.0, "the latest time stays"


async def test_off_is_off(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "activity.db", on=False)
    activity.count("shown", ["a"])
    await activity.flush()
    assert not activity.path.exists() and await activity.counts() == {}


async def test_without_a_ledger_nothing_is_made(tmp_path: Path) -> None:
    activity = Activity(tmp_path / "none" / "activity.db")
    activity.count("shown", ["a"])
    await activity.flush()
    assert list(tmp_path.iterdir()) == [] and await activity.counts() == {"a": 1}


@pytest.mark.parametrize("harm", ["damaged", "newer"])
async def test_what_is_set_aside_is_never_deleted(tmp_path: Path, harm: str) -> None:
    path = tmp_path / "activity.db"
    kept = []
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
    assert "set aside as activity.db.aside-3" in activity.trouble
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
        await activity.flush()
        assert activity.waiting == 1 and "in use" in activity.trouble
        locker.execute("ROLLBACK")
    await activity.flush()
    assert (activity.waiting, activity.trouble) == (0, "")
    assert await activity.counts() == {"a": 2}
    assert threading.active_count() < 20
