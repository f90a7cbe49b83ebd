"""What editors leave of unsaved text: read by others while the lease runs and the process is there."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.store import unsaved
from lsp_server.store.activity import SHAPE, Activity
from lsp_server.store.unsaved import LEASE, Unsaved, leave, left

KEY = ("0" * 36, "aaaaaaaa")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "activity.db"


async def left_by(monkeypatch: pytest.MonkeyPatch, path: Path, process: int, verdict: str, now: float) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: process)
        assert await leave(path, {KEY: verdict}, f"editor {process}", now)


async def test_others_read_it_until_the_lease_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = os.getppid()
    await left_by(monkeypatch, path, parent, "changed", 1000.0)
    assert await left(path, 1000.0 + LEASE / 2) == {KEY: (Unsaved("changed", f"editor {parent}"),)}
    assert await left(path, 1000.0 + LEASE + 1) == {}
    assert await left(path, 1000.0 - LEASE) == {}  # The clock was wrong.
    await left_by(monkeypatch, path, parent, "missing", 1001.0)
    assert await left(path, 1002.0) == {KEY: (Unsaved("missing", f"editor {parent}"),)}


async def test_ones_own_and_those_of_dead_processes_do_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    await left_by(monkeypatch, path, dead.pid, "changed", 1000.0)
    await left_by(monkeypatch, path, os.getpid(), "changed", 1000.0)
    assert await left(path, 1001.0) == {}


async def test_taking_away_leaves_nothing_and_makes_no_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await leave(path, {}, "editor") and not path.exists()
    parent = os.getppid()
    await left_by(monkeypatch, path, parent, "changed", 1000.0)
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: parent)
        await leave(path, {}, "editor", 1001.0)
    assert await left(path, 1001.0) == {}


async def test_forgetting_takes_it_along(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await left_by(monkeypatch, path, os.getppid(), "changed", 1000.0)
    await Activity(path).forget(KEY[0])
    assert await left(path, 1001.0) == {}
    assert KEY[0].encode() not in path.read_bytes()


async def test_what_is_of_no_type_of_ours_is_passed_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await left_by(monkeypatch, path, os.getppid(), "changed", 1000.0)
    with sqlite3.connect(path) as connection:
        rows = [(1, b"x", "a", "v", "e", 1010.0), (2**62, "m", "a", "v", "e", 1010.0), (-1, "m", "b", "v", "e", 1010.0)]
        connection.executemany("INSERT INTO unsaved VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.execute("INSERT INTO unsaved VALUES (3, 'm', 'a', 'v', 'e', 'never')")
    assert KEY in await left(path, 1001.0)


async def test_counts_of_the_second_version_stay(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        for table in SHAPE.tables:
            if "unsaved" not in table:
                connection.execute(table)
        connection.execute("INSERT INTO seen VALUES ('m', 'shown', 1, 7)")
        connection.execute("PRAGMA user_version = 2")
        connection.execute(f"PRAGMA application_id = {0x4D4F4F52}")
    activity = Activity(path)
    assert await activity.counts() == {"m": 7} and not activity.set_aside
    assert unsaved.MOST >= 1_000
