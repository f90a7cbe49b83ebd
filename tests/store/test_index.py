"""The index: always what the ledger says, whatever happened to either of them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core.change import Change
from lsp_server.core.fingerprint_json import to_json
from lsp_server.core.fold import fold
from lsp_server.core.ids import anchor_id, body_hash, event_id, folder_name, memory_id
from lsp_server.core.model import (
    Anchor,
    AnchorText,
    Baseline,
    Event,
    Fingerprint,
    FollowedPlace,
    Locus,
    Memory,
    MemoryText,
    Sensitivity,
)
from lsp_server.store import database, index, scan
from lsp_server.store.database import Database
from lsp_server.store.index import Index
from lsp_server.store.ledger import Ledger
from lsp_server.store.memory_json import dump_memory, load_memory, text_of

TIME = "2026-11-30T10:53:22.125Z"
FINGERPRINT = Fingerprint(1, "symbol", "f" * 64, "t", "c", parts={"body": "b"}, context=("x", "\udce9"))


def recorded(body: str = "Keep it.", place: str = "src/pay.py", kind: str = "decision", home: str = "shared") -> Change:
    """The change that records a memory with one baseline."""
    locus = Locus(place, "refund")
    identifier = memory_id(kind, body, locus)
    anchor = AnchorText(anchor_id(identifier, locus), locus)
    data = {"kind": kind, "state": "accepted", "body_hash": body_hash(body), "anchors": {anchor.id: str(locus)}}
    first = Event(event_id(), "recorded", TIME, "somebody", "", (), data)
    data = {"anchor": anchor.id, "place": str(locus), "lines": [1, 2], "fingerprint": to_json(FINGERPRINT)}
    second = Event(event_id(), "baseline", TIME, "somebody", "", (first.id,), {**data, "body_hash": body_hash(body)})
    text = MemoryText(identifier, kind, body, (anchor,))
    return Change(identifier, folder_name(identifier, body), home, text, (first, second))


def happened(change: Change, type_: str, **data: Any) -> Change:
    event = Event(event_id(), type_, TIME, "somebody", "", tuple(one.id for one in change.events[-1:]), data)
    return replace(change, text=None, events=(event,))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    found = Ledger(tmp_path, tmp_path)
    found.init()
    return found


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that knows whole seconds only, and one inode: stamps tell next to nothing."""

    def lstat(path: Any) -> Any:
        real = os.lstat(path)
        second = real.st_mtime_ns // 10**9 * 10**9
        return SimpleNamespace(
            st_mtime_ns=second, st_ctime_ns=second, st_size=real.st_size, st_ino=1, st_mode=real.st_mode
        )

    monkeypatch.setattr(scan, "os", SimpleNamespace(lstat=lstat, scandir=os.scandir, sep=os.sep))


@pytest.fixture
async def fresh(ledger: Ledger) -> AsyncIterator[Index]:
    async with await Index.open(ledger.index_path) as opened:
        yield opened


def memory_file(ledger: Ledger, change: Change) -> Path:
    return ledger.homes[change.home] / change.memory_folder / "memory.md"


async def from_scratch(ledger: Ledger) -> list[Memory]:
    """The slow twin: every file read anew, no database."""
    found = []
    for entry in Ledger(ledger.root, ledger.root).scan().entries.values():
        reading = ledger.read(entry)
        if reading.text is not None:
            found.append(fold(reading.text, reading.events, home=entry.home, folder=entry.folder))
    return sorted(found, key=lambda memory: memory.id)


async def check_index(opened: Index, ledger: Ledger) -> None:
    """After a refresh the index says what the files say, by every way of asking."""
    await opened.refresh(ledger)
    expected = await from_scratch(ledger)
    assert await opened.memories() == expected
    files: dict[str, int] = {}
    for memory in expected:
        assert await opened.memories(ids=[memory.id]) == [memory]
        assert memory.id in await opened.ids_with_prefix(memory.id[:13])
        for anchor in memory.anchors:
            for place in anchor.places:
                assert memory in await opened.memories(file=place.file)
            if memory.current:
                files[anchor.place.file] = files.get(anchor.place.file, 0) + 1
    assert await opened.files() == files
    for kind in {memory.kind for memory in expected}:
        assert await opened.memories(kind=kind) == [memory for memory in expected if memory.kind == kind]


# --- memories as JSON ------------------------------------------------------------------------------------------------


def test_a_whole_memory_survives_the_database() -> None:
    locus = Locus("a#b.py", None, (3, 9))
    anchor = Anchor(
        "aa", locus, Sensitivity.TEXT,
        (Baseline("b", FINGERPRINT, locus, "code \udce9", None, (1, 2), "h", "s", "who", TIME, "rev"),),
        (FollowedPlace(locus, Locus("x.py", "y"), "c", "e"),), Sensitivity.TEXT, {"k": [1]},
    )  # fmt: skip
    memory = Memory(
        "i", "decision", "body", "accepted", True, (anchor,), "who", TIME, "rev", "local", "f", ("t",), 2, "2027-01-01",
        ("c",), ("o",), ("n",), "reason", True, True, ("h",), "problem", {"u": None},
    )  # fmt: skip
    assert load_memory(dump_memory(memory)) == memory
    assert dump_memory(memory).isascii()
    assert text_of(memory).anchors[0] == AnchorText("aa", locus, Sensitivity.TEXT, {"k": [1]})


# --- following the ledger --------------------------------------------------------------------------------------------


async def test_what_is_recorded_is_found(ledger: Ledger, fresh: Index) -> None:
    one, other = recorded(), recorded("Other.", "lib/x/deep.py", kind="note")
    for change in (one, other):
        ledger.write(change)
    found = await fresh.refresh(ledger)
    assert (set(found.changed), found.removed, found.problems) == ({one.memory_id, other.memory_id}, (), ())
    await check_index(fresh, ledger)
    assert [memory.id for memory in await fresh.memories(below="lib")] == [other.memory_id]
    assert [memory.id for memory in await fresh.memories(below="lib/x/deep.py")] == [other.memory_id]
    assert await fresh.memories(below="li") == [] and await fresh.memories(file="lib") == []
    assert await fresh.memories(ids=[]) == [] and await fresh.memories(ids=["\udce9"]) == []


async def test_nothing_is_read_twice(ledger: Ledger, fresh: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.write(recorded())
    await fresh.refresh(ledger)
    await asyncio.sleep(0.1)  # Until times of files can be told apart.
    await fresh.refresh(ledger)
    monkeypatch.setattr(ledger, "read", lambda entry: pytest.fail("read again"))
    found = await fresh.refresh(ledger)
    assert (found.changed, found.removed) == ((), ())
    async with await Index.open(ledger.index_path) as another:
        found = await another.refresh(ledger)
        assert (found.changed, found.removed) == ((), ())
        assert len(await another.memories()) == 1


async def test_one_change_is_one_memory(ledger: Ledger, fresh: Index) -> None:
    changes = [recorded(f"Body {number}.") for number in range(5)]
    for change in changes:
        ledger.write(change)
    await fresh.refresh(ledger)
    path = memory_file(ledger, changes[2])
    path.write_text(path.read_text() + "More.\n")
    assert (await fresh.refresh(ledger)).changed == (changes[2].memory_id,)
    (memory,) = await fresh.memories(ids=[changes[2].memory_id])
    assert memory.edited and memory.body.endswith("More.")
    ledger.write(happened(changes[3], "retired", reason="old"))
    assert (await fresh.refresh(ledger)).changed == (changes[3].memory_id,)
    shutil.rmtree(memory_file(ledger, changes[4]).parent)
    found = await fresh.refresh(ledger)
    assert (found.changed, found.removed) == ((), (changes[4].memory_id,))
    await check_index(fresh, ledger)


async def test_a_rewrite_of_the_same_is_no_change(ledger: Ledger, fresh: Index) -> None:
    change = recorded()
    ledger.write(change)
    await fresh.refresh(ledger)
    path = memory_file(ledger, change)
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)
    assert (await fresh.refresh(ledger)).changed == ()


async def test_an_edit_in_place_of_the_same_size_at_once_is_seen(ledger: Ledger, fresh: Index) -> None:
    change = recorded("Keep it 0.")
    ledger.write(change)
    path = memory_file(ledger, change)
    text = path.read_text()
    for number in range(30):
        with open(path, "r+") as file:
            file.write(text.replace("it 0.", f"it {number % 10}."))
        await fresh.refresh(ledger)
        (memory,) = await fresh.memories()
        assert memory.body == f"Keep it {number % 10}."


async def test_where_times_are_coarse_edits_and_new_files_are_seen_too(
    ledger: Ledger, fresh: Index, coarse: None
) -> None:
    change = recorded("Keep it 0.")
    ledger.write(change)
    path = memory_file(ledger, change)
    for number in range(1, 4):
        await fresh.refresh(ledger)
        path.write_text(path.read_text().replace(f"it {number - 1}.", f"it {number}."))
        found = await fresh.refresh(ledger)
        (memory,) = await fresh.memories()
        assert memory.body.startswith(f"Keep it {number}.") and found.changed == (memory.id,)
        ledger.write(happened(change, "pinned", on=True))
        await fresh.refresh(ledger)
        assert len(ledger.scan().entries["shared", change.memory_folder].events) == 2 + number


async def test_what_another_program_indexed_is_told_here_too(ledger: Ledger, fresh: Index) -> None:
    await fresh.refresh(ledger)
    change = recorded()
    ledger.write(change)
    async with await Index.open(ledger.index_path) as another:
        await another.refresh(Ledger(ledger.root, ledger.root))
    assert (await fresh.refresh(ledger)).changed == (change.memory_id,)
    async with await Index.open(ledger.index_path) as late:
        # Served as it was left, and then another program goes on before the first look.
        assert len(await late.memories()) == 1
        ledger.write(happened(change, "retired", reason="old"))
        async with await Index.open(ledger.index_path) as another:
            await another.refresh(Ledger(ledger.root, ledger.root))
        assert change.memory_id in (await late.refresh(ledger)).changed


async def test_homes_and_a_ledger_that_comes_later(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, tmp_path, tmp_path / "user")
    async with await Index.open(ledger.index_path) as opened:
        found = await opened.refresh(ledger)
        assert (found.changed, found.problems) == ((), ()) and not ledger.folder.exists()
        for home in ("shared", "local", "user"):
            ledger.write(recorded(f"In {home}.", home=home))
        assert len((await opened.refresh(ledger)).changed) == 3
        assert {memory.home for memory in await opened.memories()} == {"shared", "local", "user"}
        assert ledger.index_path.exists()


async def test_a_copied_folder_is_told_and_served_once(ledger: Ledger, fresh: Index) -> None:
    change = recorded()
    ledger.write(change)
    await fresh.refresh(ledger)
    folder = memory_file(ledger, change).parent
    shutil.copytree(folder, folder.with_name("a-copy"))
    found = await fresh.refresh(ledger)
    assert len(await fresh.memories()) == 1
    (problem,) = found.problems
    assert problem.path == ".moorline/memories/a-copy/memory.md" and "second copy" in problem.message
    shutil.rmtree(folder)
    found = await fresh.refresh(ledger)
    assert (found.changed, found.removed, found.problems) == ((change.memory_id,), (), ())
    (memory,) = await fresh.memories()
    assert memory.folder == "a-copy"


async def test_prefixes(ledger: Ledger, fresh: Index) -> None:
    change = recorded()
    ledger.write(change)
    await fresh.refresh(ledger)
    for prefix in (
        change.memory_id,
        change.memory_id[:4],
        change.memory_id[:4].upper(),
        change.memory_folder[-12:],
        change.memory_id[:14],
    ):
        assert await fresh.ids_with_prefix(prefix) == [change.memory_id]
    for prefix in ("", "-", "xyz", "%", "ffffffffffffffffffffff", "' OR 1"):
        assert await fresh.ids_with_prefix(prefix) == []


CONFLICT = "<<<<<<< HEAD\nimportance: 1\n=======\nimportance: 2\n>>>>>>> other\n"


@pytest.mark.parametrize("damage", ["conflict", "bytes", "gone", "folder", "garbage"])
async def test_the_last_good_version_goes_on_being_served(ledger: Ledger, fresh: Index, damage: str) -> None:
    change = recorded()
    ledger.write(change)
    path = memory_file(ledger, change)
    path.write_text(path.read_text() + "A later word.\n")
    await fresh.refresh(ledger)
    good = path.read_bytes()
    path.unlink()
    if damage == "conflict":
        path.write_text(good.decode().replace("kind: decision\n", f"kind: decision\n{CONFLICT}"))
    elif damage == "folder":
        path.mkdir()
    elif damage != "gone":
        path.write_bytes({"bytes": b"\xff\xfe", "garbage": b"oh no"}[damage])
    found = await fresh.refresh(ledger)
    (memory,) = await fresh.memories()
    assert memory.body.endswith("A later word.") and memory.problem and "memory.md" in memory.problem
    assert [problem.path for problem in found.problems] == [f".moorline/memories/{change.memory_folder}/memory.md"]
    # Events go on counting meanwhile.
    ledger.write(happened(change, "retired", reason="old"))
    await fresh.refresh(ledger)
    (memory,) = await fresh.memories()
    assert memory.state == "retired" and memory.problem
    if damage == "folder":
        path.rmdir()
    path.write_bytes(good)
    assert (await fresh.refresh(ledger)).problems == ()
    (memory,) = await fresh.memories()
    assert memory.problem is None and memory.body.endswith("A later word.")


async def test_without_an_index_our_side_of_a_conflict_is_served(ledger: Ledger, fresh: Index) -> None:
    change = recorded()
    ledger.write(change)
    path = memory_file(ledger, change)
    path.write_text(path.read_text().replace("kind: decision\n", f"kind: decision\n{CONFLICT}"))
    await fresh.refresh(ledger)
    (memory,) = await fresh.memories()
    assert memory.importance == 1 and memory.problem and "merge conflict" in memory.problem


async def test_what_cannot_be_read_at_all_is_only_a_problem(ledger: Ledger, fresh: Index) -> None:
    folder = ledger.homes["shared"] / "bad-000000000000"
    folder.mkdir(parents=True)
    (folder / "memory.md").write_bytes(b"?")
    (folder / "x.json").write_bytes(b"?")
    found = await fresh.refresh(ledger)
    assert await fresh.memories() == [] and len(found.problems) == 2


async def test_a_home_that_cannot_be_listed_is_not_emptied(ledger: Ledger, fresh: Index) -> None:
    ledger.write(recorded())
    await fresh.refresh(ledger)
    home = ledger.homes["shared"]
    home.rename(home.with_name("away"))
    home.symlink_to(home.with_name("away"))
    found = await fresh.refresh(ledger)
    assert found.removed == () and found.problems and len(await fresh.memories()) == 1
    home.unlink()
    assert len((await fresh.refresh(ledger)).removed) == 1


async def test_what_a_crash_left_is_finished_at_the_next_start(ledger: Ledger) -> None:
    change = recorded()
    ledger.write(change)
    path = memory_file(ledger, change)
    waiting = path.with_name(f".memory-{change.events[-1].id}.tmp")
    path.rename(waiting)
    old = time.time() - 60
    os.utime(waiting, (old, old))
    async with await Index.open(ledger.index_path) as opened:
        found = await opened.refresh(ledger)
        assert found.problems == () and path.exists() and not waiting.exists()
        await check_index(opened, ledger)


# --- databases that are not as they should be ------------------------------------------------------------------------


async def check_rebuilt(ledger: Ledger, part: str) -> None:
    async with await Index.open(ledger.index_path) as opened:
        problems = (await opened.refresh(ledger)).problems
        assert [part in problem.message for problem in problems] == ([True] if part else []), problems
        await check_index(opened, ledger)
        assert len(await opened.memories()) == 3


def other_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE cookies (x)")
        connection.commit()


def changed(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()

    return change


def overwrite(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 512):
        data[start : start + 256] = b"\xa5" * len(data[start : start + 256])
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("harm", "part"),
    [
        (lambda path: path.unlink(), ""),
        (lambda path: path.write_bytes(b"no database, but long enough to look like one " * 100), "damaged"),
        (lambda path: path.write_bytes(b""), ""),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged"),
        (overwrite, "damaged"),
        (lambda path: (path.unlink(), other_database(path)), "something else"),
        (lambda path: (path.unlink(), path.symlink_to("/dev/zero")), "link"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "no regular file"),
        (lambda path: (path.unlink(), path.mkdir()), "no regular file"),
        (changed("PRAGMA user_version = 999"), ""),
        (changed("PRAGMA user_version = 0"), ""),
        (changed("DROP TABLE place"), ""),
        (changed("CREATE TRIGGER evil AFTER INSERT ON memory BEGIN DELETE FROM memory; END"), ""),
        (changed("UPDATE memory SET data = '{}'"), "no memory"),
        (changed("DELETE FROM folder"), ""),
    ],
)
async def test_a_database_that_is_not_ours_or_not_whole(ledger: Ledger, harm: Callable[[Path], Any], part: str) -> None:
    for number in range(3):
        ledger.write(recorded(f"Body {number}."))
    if part == "no memory":
        await asyncio.sleep(0.1)  # Until times of files can be told apart: else all is read again anyway.
    async with await Index.open(ledger.index_path) as opened:
        await opened.refresh(ledger)
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{ledger.index_path}{suffix}")
    harm(ledger.index_path)
    if part == "no memory":
        async with await Index.open(ledger.index_path) as opened:
            await opened.refresh(ledger)
            assert len(await opened.memories()) == 3
            assert any(part in problem.message for problem in await opened.problems())
        part = ""
    await check_rebuilt(ledger, part)
    await check_rebuilt(ledger, "")


@pytest.mark.parametrize("how", ["deleted", "replaced", "damaged"])
async def test_a_database_that_is_harmed_while_it_is_open(ledger: Ledger, fresh: Index, how: str) -> None:
    for number in range(3):
        ledger.write(recorded(f"Body {number}."))
    await fresh.refresh(ledger)
    if how == "damaged":
        with contextlib.closing(sqlite3.connect(ledger.index_path)) as connection:
            connection.execute("DROP TABLE memory")
        assert len(await fresh.memories()) == 3
    else:
        for suffix in ("", "-wal", "-shm"):
            os.unlink(f"{ledger.index_path}{suffix}")
        if how == "replaced":
            ledger.index_path.write_bytes(b"?" * 9000)
    found = await fresh.refresh(ledger)
    assert found.removed == ()
    await check_index(fresh, ledger)
    await check_rebuilt(ledger, "")


async def test_a_database_that_another_program_locks(
    ledger: Ledger, fresh: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 34: one clear message, nothing lost, nothing waits without limit, and it is over when the lock is."""
    monkeypatch.setattr(database, "RETRY_SECONDS", 0.0)
    ledger.write(recorded("Before."))
    path = memory_file(ledger, recorded("Before."))
    path.write_text(path.read_text() + "A later word.\n")
    await fresh.refresh(ledger)
    with contextlib.closing(
        sqlite3.connect(ledger.index_path, isolation_level=None, check_same_thread=False)
    ) as locker:
        locker.execute("BEGIN EXCLUSIVE")
        change = recorded("Meanwhile.")
        ledger.write(change)
        started = time.monotonic()
        found = await fresh.refresh(ledger)
        assert found.changed == (change.memory_id,)
        assert ["in use by another program" in problem.message for problem in found.problems] == [True]
        for number in range(3):
            ledger.write(recorded(f"More {number}."))
            await check_index(fresh, ledger)
        assert time.monotonic() - started < 20
        async with await Index.open(ledger.index_path) as another:  # Others start all the same.
            assert {memory.body for memory in await another.memories()} == {"Before.\nA later word."}
        locker.execute("ROLLBACK")
    found = await fresh.refresh(ledger)
    assert (found.problems, found.removed) == ((), ())
    await check_index(fresh, ledger)
    await check_rebuilt_count(ledger, 5)


async def test_a_lock_does_not_lose_the_last_good_version(ledger: Ledger, fresh: Index) -> None:
    change, other = recorded(), recorded("Other.")
    for one in (change, other):
        ledger.write(one)
        path = memory_file(ledger, one)
        path.write_text(path.read_text() + "A later word.\n")
    await fresh.refresh(ledger)
    for one in (change, other):
        memory_file(ledger, one).write_bytes(b"\xff")
    await asyncio.sleep(0.1)
    await fresh.refresh(ledger)
    with contextlib.closing(sqlite3.connect(ledger.index_path, isolation_level=None)) as locker:
        locker.execute("BEGIN EXCLUSIVE")
        ledger.write(happened(change, "retired", reason="old"))
        await fresh.refresh(ledger)
        found = {(memory.body, memory.state) for memory in await fresh.memories()}
        assert found == {("Keep it.\nA later word.", "retired"), ("Other.\nA later word.", "accepted")}


async def check_rebuilt_count(ledger: Ledger, count: int) -> None:
    """What is in the file itself."""
    async with await Index.open(ledger.index_path) as opened:
        assert len(await opened.memories()) == count


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything may be written as root")
async def test_a_folder_that_may_not_be_written(ledger: Ledger) -> None:
    ledger.write(recorded())
    ledger.folder.chmod(0o555)
    try:
        async with await Index.open(ledger.index_path) as opened:
            found = await opened.refresh(ledger)
            assert len(found.changed) == 1 and "in memory" in found.problems[0].message
    finally:
        ledger.folder.chmod(0o755)


async def test_a_file_that_cannot_be_opened_is_replaced_by_memory(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.write(recorded())
    real = database.aiosqlite.connect

    def refusing(path: Any, *args: Any, **more: Any) -> Any:
        return real("/proc/nowhere/x.db" if path != ":memory:" else path, *args, **more)

    monkeypatch.setattr(database.aiosqlite, "connect", refusing)
    async with await Index.open(ledger.index_path) as opened:
        found = await opened.refresh(ledger)
        assert len(found.changed) == 1 and ["in memory" in problem.message for problem in found.problems] == [True]
        await check_index(opened, ledger)
        monkeypatch.undo()
        monkeypatch.setattr(database, "RETRY_SECONDS", 0.0)
        opened._database._retry = 0.0
        assert (await opened.refresh(ledger)).problems == ()
    await check_rebuilt_count(ledger, 1)


async def test_a_writer_that_is_killed_in_a_transaction(ledger: Ledger, fresh: Index) -> None:
    ledger.write(recorded())
    await fresh.refresh(ledger)
    code = (
        "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); c.execute('DELETE FROM memory'); print('in', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(ledger.index_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"in\n"
        process.kill()
    ledger.write(recorded("More."))
    assert (await fresh.refresh(ledger)).problems == ()
    await check_index(fresh, ledger)


async def test_two_programs_fill_one_index(ledger: Ledger) -> None:
    for number in range(30):
        ledger.write(recorded(f"Body {number}."))

    async def one() -> None:
        async with await Index.open(ledger.index_path) as opened:
            await check_index(opened, Ledger(ledger.root, ledger.root))

    threads = [threading.Thread(target=lambda: asyncio.run(one())) for _ in range(2)]
    for thread in threads:
        thread.start()
    await one()
    for thread in threads:
        thread.join()
    await check_rebuilt_count(ledger, 30)


async def test_a_cancelled_refresh_leaves_no_lock_behind(ledger: Ledger) -> None:
    rng = random.Random(1)
    for number in range(120):
        ledger.write(recorded(f"Body {number}."))
    for _ in range(8):
        async with await Index.open(ledger.index_path) as opened:
            task = asyncio.ensure_future(opened.refresh(ledger))
            await asyncio.sleep(rng.random() * 0.1)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            with contextlib.closing(sqlite3.connect(ledger.index_path, isolation_level=None, timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
                other.execute("ROLLBACK")
    await check_rebuilt_count_after_refresh(ledger, 120)


async def test_who_is_cancelled_waits_for_the_transaction(tmp_path: Path) -> None:
    held = Database(tmp_path / "x.db", index._SHAPE)
    await held.open()

    async def slowly() -> None:
        await held.many("INSERT INTO folder VALUES (?, ?, ?, ?, ?, ?)", [("shared", "f", "s", "d", None, "[]")])
        await asyncio.sleep(0.2)

    try:
        task = asyncio.ensure_future(held.write(slowly))
        await asyncio.sleep(0.1)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        with contextlib.closing(sqlite3.connect(held.path, isolation_level=None, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert other.execute("SELECT COUNT(*) FROM folder").fetchone() == (1,)
    finally:
        await held.close()


async def check_rebuilt_count_after_refresh(ledger: Ledger, count: int) -> None:
    async with await Index.open(ledger.index_path) as opened:
        await check_index(opened, ledger)
        assert len(await opened.memories()) == count


async def test_reading_goes_on_while_much_is_read_in(ledger: Ledger, fresh: Index) -> None:
    """A reader never sees a memory vanish while its row is being replaced."""
    changes = [recorded(f"Body {number}.") for number in range(60)]
    for change in changes:
        ledger.write(change)
    await fresh.refresh(ledger)
    for change in changes:
        path = memory_file(ledger, change)
        path.write_text(path.read_text() + "More.\n")
    task = asyncio.ensure_future(fresh.refresh(ledger))
    seen = set()
    while not task.done():
        seen.add(len(await fresh.memories(file="src/pay.py")))
        await asyncio.sleep(0)
    assert seen == {60} and len((await task).changed) == 60


async def test_after_the_end_there_is_no_thread_and_no_answer(ledger: Ledger) -> None:
    before = threading.active_count()
    opened = await Index.open(ledger.index_path)
    await opened.close()
    await opened.close()
    with pytest.raises(sqlite3.Error):
        await opened.memories()
    for _ in range(100):
        if not [
            thread
            for thread in threading.enumerate()
            if "aiosqlite" in repr(thread) or "_connection_worker" in repr(thread)
        ]:
            break
        await asyncio.sleep(0.02)
    assert threading.active_count() <= before + 1


def test_a_program_that_fails_to_open_its_index_ends(tmp_path: Path) -> None:
    code = """
import asyncio, pathlib, sys
from lsp_server.store import index
async def main():
    index.Index._lost = None
    async def broken(self): raise RuntimeError("broken")
    index.Database.changes_of_others = broken
    await index.Index.open(pathlib.Path(sys.argv[1]) / "index.db")
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, timeout=30, text=True)
    assert done.returncode == 1 and "broken" in done.stderr


# --- the property ----------------------------------------------------------------------------------------------------

BODIES = [f"Body {number}." for number in range(4)]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "record",
                "retire",
                "edit",
                "tag",
                "move",
                "remove",
                "event gone",
                "rename",
                "copy",
                "damage",
                "mend",
                "refresh",
                "reopen",
                "lose",
            ]
        ),
        st.integers(0, 3),
    ),
    max_size=14,
)


def play(ledger: Ledger, step: str, number: int) -> None:
    """One edit of the ledger, as a program, a person or git would make it."""
    body = BODIES[number]
    change = recorded(body, f"src/{number}.py", home="local" if number == 3 else "shared")
    folder = ledger.homes[change.home] / change.memory_folder
    path = folder / "memory.md"
    if step == "record":
        with contextlib.suppress(Exception):
            ledger.write(change)
    elif step == "retire":
        ledger.write(happened(change, "retired", reason="old"))
    elif step == "copy" and folder.exists() and not (folder.parent / f"z-{number}").exists():
        shutil.copytree(folder, folder.parent / f"z-{number}")
    elif step == "rename" and folder.exists() and not (folder.parent / f"y-{number}").exists():
        folder.rename(folder.parent / f"y-{number}")
    elif step == "remove":
        for name in (folder.name, f"z-{number}", f"y-{number}"):
            shutil.rmtree(folder.parent / name, ignore_errors=True)
    elif path.exists():
        text = path.read_text()
        if step == "edit":
            path.write_text(text + "More.\n")
        elif step == "tag" and "tags" not in text:
            path.write_text(text.replace("kind: decision\n", "kind: decision\ntags: [a]\n"))
        elif step == "move":
            path.write_text(text.replace("src/", "lib/"))
        elif step == "event gone":
            os.unlink(sorted(folder.glob("*.json"))[0]) if list(folder.glob("*.json")) else None
        elif step == "damage":
            path.write_text(text.replace("---\n", "--\n", 1))
        elif step == "mend" and text.startswith("--\n"):
            path.write_text("-" + text)


def told(memories: Iterable[Memory]) -> dict[str, Memory]:
    return {memory.id: memory for memory in memories}


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_incremental_equals_from_scratch(steps: list[tuple[str, int]]) -> None:
    async def run(root: Path) -> None:
        ledger = Ledger(root, root)
        ledger.init()
        opened = await Index.open(ledger.index_path)
        mirror: dict[str, Memory] = {}
        try:
            for step, number in [*steps, ("refresh", 0)]:
                if step == "reopen":
                    await opened.close()
                    opened = await Index.open(ledger.index_path)
                elif step == "lose":
                    for suffix in ("", "-wal", "-shm"):
                        with contextlib.suppress(FileNotFoundError):
                            os.unlink(f"{ledger.index_path}{suffix}")
                elif step == "refresh":
                    found = await opened.refresh(ledger)
                    # Somebody who only takes in what a refresh tells has what the index has.
                    for identifier in found.removed:
                        mirror.pop(identifier, None)
                    mirror.update(told(await opened.memories(ids=found.changed)))
                else:
                    play(ledger, step, number)
            present = told(await opened.memories())
            if not any(step in ("reopen", "lose") for step, _ in steps):
                assert mirror == present
            elsewhere = root / "elsewhere.db"
            async with await Index.open(elsewhere) as scratch:
                found = await scratch.refresh(ledger)
                whole = told(await scratch.memories())
                own = {problem for problem in await opened.problems() if "index.db" not in problem.path}
                assert own == set(found.problems)
                files = await scratch.files()
            # A memory whose file is damaged is served as it was last read, which only who read it can know.
            good = {identifier for identifier, memory in present.items() if memory.problem is None}
            assert {one: present[one] for one in good} == {
                one: memory for one, memory in whole.items() if memory.problem is None
            }
            assert set(present) == set(whole)
            if len(good) == len(present):
                assert await opened.files() == files
        finally:
            await opened.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


def test_the_schema_is_extended_by_a_new_version_alone() -> None:
    assert index._SHAPE.version == index.SCHEMA and index._SHAPE.derived


async def test_what_another_program_read_earlier_and_wrote_later_is_mended(ledger: Ledger) -> None:
    """It reads the ledger, is held up, and then lays what it read over what this one had read since."""
    change = recorded()
    ledger.write(replace(change, events=change.events[:1]))
    held_up, go_on = asyncio.Event(), asyncio.Event()
    async with await Index.open(ledger.index_path) as one, await Index.open(ledger.index_path) as other:
        write = other._database.write

        async def late(work: Any) -> None:
            held_up.set()
            await go_on.wait()
            await write(work)

        other._database.write = late  # type: ignore[method-assign]
        reading = asyncio.ensure_future(other.refresh(ledger))
        waiting = asyncio.ensure_future(held_up.wait())
        await asyncio.wait([reading, waiting], return_when=asyncio.FIRST_COMPLETED)
        assert not reading.done()
        ledger.write(replace(change, text=None, events=change.events[1:]))
        assert (await one.refresh(ledger)).changed == (change.memory_id,)
        assert [len(memory.anchors[0].baselines) for memory in await one.memories()] == [1]
        assert not await one.overtaken()
        go_on.set()
        await reading
        assert await one.overtaken()
        assert [len(memory.anchors[0].baselines) for memory in await one.memories()] == [0]
        # Whoever was served the older reading is told of the newer one, though nothing in the ledger changed.
        assert (await one.refresh(ledger)).changed == (change.memory_id,)
        assert [len(memory.anchors[0].baselines) for memory in await one.memories()] == [1]
