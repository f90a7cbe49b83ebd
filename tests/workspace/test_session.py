"""The session itself: what it notices, what it tells, and what it keeps through everything that happens to a file."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from support.asking import QUICK, checked, five, ledger_files, stale_shown, until, verdict
from support.samples import SAMPLES, replacing
from support.stage import Stage

from lsp_server.core.text import TextChange
from lsp_server.features import operations
from lsp_server.features.hover import hover
from lsp_server.store.disk import UNFINISHED
from lsp_server.workspace import session as session_module
from lsp_server.workspace.config import Settings
from lsp_server.workspace.paths import Root
from lsp_server.workspace.session import Session
from lsp_server.workspace.watch import Outside
from lsp_server.workspace.workspaces import Workspaces

PY = SAMPLES["python"]
TEXT = PY.text(*five(PY))
CHANGED = PY.text(*five(PY, {"three": 31}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / PY.file).write_text(TEXT)
    return tmp_path


async def watched(stage: Stage) -> list[frozenset[str]]:
    """Scans and watches as a server does; answers the list that what is told is put in."""
    told: list[frozenset[str]] = []
    stage.session.on_change = told.append
    await stage.session.first_scan()
    await stage.session.watch()
    return told


# ---- what is noticed


async def test_a_closed_file_that_was_fresh_is_watched(folder: Path) -> None:
    """Nothing of it is loaded at the scan, and its change is seen all the same."""
    async with Stage(folder, {}) as stage:
        await stage.record(PY.locus("three"))
    async with Stage(folder, {}, settings=QUICK) as stage:
        told = await watched(stage)
        assert not stage.session.is_loaded(PY.file)
        (folder / PY.file).write_text(CHANGED)
        await until(lambda: PY.file in stage.session.closed_stale, lambda: told)
        assert any(PY.file in paths for paths in told)
        (folder / PY.file).write_text(TEXT)
        await until(lambda: PY.file not in stage.session.closed_stale, lambda: told)


async def test_a_change_between_scan_and_watch_is_seen(folder: Path) -> None:
    async with Stage(folder, {}) as stage:
        await stage.record(PY.locus("three"))
    async with Stage(folder, {}, settings=QUICK) as stage:
        await stage.session.first_scan()
        (folder / PY.file).write_text(CHANGED)
        await stage.session.watch()
        await until(lambda: PY.file in stage.session.closed_stale, lambda: stage.session.closed_stale)


async def test_a_memory_recorded_and_taken_away_between_two_looks(folder: Path) -> None:
    """The ledger looks as it did before, and what was read of it meanwhile is dropped all the same."""
    async with Stage(folder, {}, settings=QUICK) as stage:
        await watched(stage)
        await stage.open(PY.file)
        await stage.record(PY.locus("three"))
        shutil.move(folder / ".moorline" / "memories", folder / "away")
        await until(lambda: stage.problems(PY.file) == [], lambda: stage.problems(PY.file))


async def test_a_change_that_could_not_be_taken_in_is_not_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "RETRIES", (0.05, 0.05, 0.05))
    async with Stage(folder, {}, settings=QUICK) as stage:
        await stage.record(PY.locus("three"))
        await watched(stage)
        taken, failures = stage.session.refresh, [OSError("locked"), OSError("locked")]

        async def failing(outside: Outside | None = None) -> frozenset[str]:
            if failures:
                raise failures.pop()
            return await taken(outside)

        monkeypatch.setattr(stage.session, "refresh", failing)
        (folder / PY.file).write_text(CHANGED)
        await until(lambda: PY.file in stage.session.closed_stale, lambda: failures)


async def test_a_memory_of_another_process_on_a_closed_file(folder: Path) -> None:
    async with Stage(folder, {}, settings=QUICK) as stage:
        told = await watched(stage)
        async with Stage(folder, {}) as other:
            memory = await other.record(PY.locus("three"))
            (folder / PY.file).write_text(CHANGED)
        await until(lambda: PY.file in stage.session.closed_stale, lambda: told)
        async with Stage(folder, {}) as other:
            await operations.retire(other.session, memory["id"], operations.Grounds("no longer"))
        await until(lambda: stage.session.closed_stale == (), lambda: stage.session.closed_stale)
        assert stage.session.stale_count() == 0


async def test_the_settings_are_spoken_of_only_when_they_change(folder: Path) -> None:
    async with Stage(folder, {}) as stage:
        await stage.record(PY.locus("three"))
    async with Stage(folder, {}, settings=QUICK) as stage:
        spoken: list[str] = []
        stage.session.on_settings = lambda: spoken.append("settings")
        told = await watched(stage)
        (folder / PY.file).write_text(CHANGED)
        await until(lambda: PY.file in stage.session.closed_stale, lambda: told)
        async with Stage(folder, {}) as other:
            await other.record(PY.locus("four"), text="Another.")
        await until(lambda: len(stage.session.snapshot().memories) == 2, lambda: stage.session.snapshot().memories)
        assert spoken == []
        (folder / ".moorline" / "config.toml").write_text("diagnostics = false\n")
        await until(lambda: spoken == ["settings"], lambda: spoken)
        (folder / ".moorline" / "config.toml").unlink()
        await until(lambda: len(spoken) == 2, lambda: spoken)


# ---- what is shown


async def test_hover_on_what_broken_syntax_hides(tmp_path: Path) -> None:
    """An open bracket above takes a function out of the outline; its memory is still found on its letters."""
    sample = SAMPLES["cpp"]
    text = sample.text(*five(sample))
    (tmp_path / sample.file).write_text(text)
    async with Stage(tmp_path, {}) as stage:
        await stage.record(sample.locus("two"))
        await stage.open(sample.file)
        for broken in ("int x = {", "int x = (", "/*", 'char *x = "', "{{{{"):
            shown = text.replace("namespace code {\n", f"namespace code {{\n{broken}\n")
            stage.edit(sample.file, shown)
            view = stage.session.view(sample.file)
            assert [item.verdict.stale for item in view.judged] == [False], broken
            source = view.source.text
            assert source is not None
            at = shown.index("two(")
            hits = [more for more in range(-2, 6) if hover(stage.session.snapshot(), view, at + more) is not None]
            assert hits == [0, 1, 2], broken
            stage.edit(sample.file, text)
            assert [mark.code for mark in stage.problems(sample.file)] == ["fresh"]


HIDDEN = {
    "gone while a brace is open in another": ("cpp", "limit;", "limit {;", "two"),
    "gone below an open string": ("javascript", "'audits';\n", "'audits';\n\nx = 1\"\n", "one"),
}


@pytest.mark.parametrize("name", HIDDEN)
async def test_deleted_while_something_is_broken(tmp_path: Path, name: str) -> None:
    """Stories that random edits found: it shows what was certain, or that it is missing, and never anything else."""
    language, old, new, gone = HIDDEN[name]
    sample = SAMPLES[language]
    parts = {name: sample.define(name, number) for name, number in (("one", 100), ("two", 200), ("three", 300))}
    text, without = (sample.text(*(code for name, code in parts.items() if name != left)) for left in ("", gone))
    (tmp_path / sample.file).write_text(text)
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record(sample.locus(gone))
        await stage.open(sample.file)
        stage.edit(sample.file, text.replace(old, new, 1))
        assert (await verdict(stage, memory))["verdict"] == "fresh"
        stage.edit(sample.file, without.replace(old, new, 1))
        assert (await verdict(stage, memory))["verdict"] in ("fresh", "missing")
        stage.edit(sample.file, without)
        assert (await verdict(stage, memory))["verdict"] == "missing"


async def test_stale_marks_wait_for_a_save_where_that_is_set(folder: Path) -> None:
    async with Stage(folder, {}, settings=Settings(stale_marks="save")) as stage:
        await stage.record(PY.locus("three"))
        await stage.open(PY.file)
        stage.edit(PY.file, CHANGED)
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh"]
        (folder / PY.file).write_text(CHANGED)
        stage.session.saved(PY.file)
        assert [mark.code for mark in stage.problems(PY.file)] == ["changed"]
        stage.edit(PY.file, TEXT)
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh"]


# ---- buffers over files


async def test_the_buffer_counts_until_it_is_closed(folder: Path) -> None:
    async with Stage(folder, {}) as stage:
        memory = await stage.record(PY.locus("three"))
        await stage.open(PY.file)
        stage.edit(PY.file, CHANGED)
        assert (await verdict(stage, memory))["verdict"] == "changed"
        await operations.clear_staleness(stage.session, memory["id"], note="Read again.")
        assert (await verdict(stage, memory))["verdict"] == "fresh", "the buffer's code was accepted"
        assert (folder / PY.file).read_text() == TEXT
        stage.session.close(PY.file)
        # The file's own code is what was accepted first.
        assert (await verdict(stage, memory))["verdict"] == "fresh"
        await operations.clear_staleness(stage.session, memory["id"], undo=True)
        await stage.open(PY.file, CHANGED)
        assert (await verdict(stage, memory))["verdict"] == "changed"
        (folder / PY.file).unlink()
        assert stale_shown(stage, PY.file) == [True]
        stage.session.close(PY.file)
        assert (await verdict(stage, memory))["verdict"] == "file_missing"


async def test_what_is_recorded_on_a_buffer_is_the_buffers(folder: Path) -> None:
    async with Stage(folder, {}) as stage:
        await stage.open(PY.file, CHANGED + "\n\n" + PY.define("six", 60))
        await stage.record(PY.locus("six"), text="1")
        await stage.record(PY.locus("three"), text="2")
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh", "fresh"]
    assert [anchor["verdict"] for anchor in await checked(folder)] == ["missing", "changed"]


async def test_many_open_and_closed_leave_nothing_behind(folder: Path) -> None:
    async with Stage(folder, {}) as stage:
        memory = await stage.record(PY.locus("three"))
        before = ledger_files(folder)
        for number in range(20):
            await stage.open(PY.file, CHANGED if number % 2 else TEXT)
            stage.changes(PY.file, [replacing(stage.text(PY.file), "return", "(return"), TextChange(None, TEXT)])
            stage.session.close(PY.file)
            assert stage.problems(PY.file) == []
        assert stage.session.open_paths == ()
        assert (await verdict(stage, memory))["verdict"] == "fresh"
        assert ledger_files(folder) == before


# ---- loading


async def test_loading_at_once_from_everywhere_loads_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Stage(folder, {}) as stage:
        for name in ("one", "two", "three"):
            await stage.record(PY.locus(name))
    async with Stage(folder, {}) as stage:
        reads = 0
        index = stage.session.index

        def counted(read: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
            async def reading(**wanted: Any) -> Any:
                nonlocal reads
                reads += "kind" not in wanted  # What the ledger holds of passages is asked for apart.
                await asyncio.sleep(0.01)
                return await read(**wanted)

            return reading

        monkeypatch.setattr(index, "memories", counted(index.memories))
        monkeypatch.setattr(index, "with_digests", counted(index.with_digests))
        stage.session.open(PY.file, stage.uri(PY.file), 1, "", TEXT)
        await asyncio.gather(*(stage.session.load(PY.file) for _ in range(5)), stage.session.load_all())
        assert reads == 2, "one for the file, one for all"
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh"] * 3


async def test_a_damaged_memory_is_said_and_the_rest_works(folder: Path) -> None:
    async with Stage(folder, {}, settings=QUICK) as stage:
        bad = await stage.record(PY.locus("one"), text="Bad.")
        good = await stage.record(PY.locus("two"), text="Good.")
        await stage.open(PY.file)
        await watched(stage)
        (path,) = (folder / ".moorline" / "memories").glob("bad-*/memory.md")
        kept = path.read_bytes()
        path.write_bytes(b"<<<<<<< ours\n" + kept + b"=======\n>>>>>>> theirs\n")
        await until(lambda: bool(stage.session.snapshot().problems), lambda: stage.session.snapshot().problems)
        ((file, message),) = stage.session.snapshot().problems
        assert path.relative_to(folder).as_posix() == file and message
        # Its last good version is served, and the other one is as it was.
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh", "fresh"]
        assert (await operations.show(stage.session, bad["id"]))["problem"]
        assert (await operations.show(stage.session, good["id"]))["problem"] is None
        path.write_bytes(kept)
        await until(lambda: not stage.session.snapshot().problems, lambda: stage.session.snapshot().problems)
        assert json.dumps((await operations.show(stage.session, bad["id"]))["problem"]) == "null"


async def test_a_memory_that_is_just_being_written_is_no_problem(folder: Path) -> None:
    """Another process has written the event and not yet put `memory.md` in its place."""
    async with Stage(folder, {}) as stage:
        await stage.record(PY.locus("three"))
    (path,) = (folder / ".moorline" / "memories").glob("*/memory.md")
    (event,) = (
        json.loads(one.read_text())["id"] for one in path.parent.glob("*.json") if "baseline" in one.read_text()
    )
    waiting = path.with_name(f".memory-{event}{UNFINISHED}")
    path.rename(waiting)
    async with Stage(folder, {}) as stage:
        await stage.open(PY.file)
        assert stage.session.snapshot().problems == ()
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh"]
        waiting.rename(path)
        await stage.session.refresh()
        assert stage.session.snapshot().problems == ()
        assert [mark.code for mark in stage.problems(PY.file)] == ["fresh"]


# ---- several workspaces


async def test_the_end_waits_for_a_workspace_that_is_being_opened(folder: Path) -> None:
    """What is begun on a database is finished, and then closed, not left to a thread that nobody waits for."""
    (folder / ".moorline").mkdir()
    begun: list[Session] = []
    in_time = asyncio.Event()

    async def begin(root: Root) -> Session:
        in_time.set()
        await asyncio.sleep(0.05)
        begun.append(await Session.start(root))
        return begun[0]

    spaces = Workspaces(begin)
    spaces.set_folders([folder])
    waiting = asyncio.ensure_future(spaces.session(spaces.root_of_folder(folder).path))
    await in_time.wait()
    await spaces.stop()
    assert len(begun) == 1
    with pytest.raises(sqlite3.ProgrammingError):
        await begun[0].index.files()
    await asyncio.gather(waiting, return_exceptions=True)
    assert spaces.sessions == ()


# ---- its end


async def test_case_38_fifty_starts_and_stops(folder: Path) -> None:
    """In one process, with scanning, watching and an open file: nothing is left of any of them."""
    async with Stage(folder, {}) as stage:
        await stage.record(PY.locus("three"))
    left: list[tuple[int, int, int]] = []
    for number in range(50):
        async with Stage(folder, {}, settings=QUICK) as stage:
            await stage.open(PY.file)
            scanning = asyncio.ensure_future(stage.session.first_scan())
            if number % 3:
                await scanning
                await stage.session.watch()
            if number % 2:
                stage.edit(PY.file, CHANGED)
                assert stale_shown(stage, PY.file) == [True]
        await asyncio.gather(scanning, return_exceptions=True)
        files = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
        left.append((len(asyncio.all_tasks()), threading.active_count(), files))
    # Threads that only look (a daemon's last look, a pool's idle thread) come and go.
    assert {tasks for tasks, _, _ in left} == {1}
    assert left[-1][1] <= left[4][1] + 2 and left[-1][2] <= left[4][2] + 2, left
    assert [anchor["verdict"] for anchor in await checked(folder)] == ["fresh"]
    assert not list((folder / ".moorline").glob("*.aside*"))
