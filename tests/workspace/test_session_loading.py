"""Loading a file's memories: whoever asks while they are being read waits for them."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from support.stage import Stage

from lsp_server.workspace import session as sessions


async def test_asking_while_a_file_is_being_loaded_waits_for_its_memories(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", "def f(x):\n    return x + 41\n")
        recorded = await stage.record("a.py#f")
    stage = Stage(tmp_path, {})
    async with stage:
        session = stage.session
        session.open("a.py", stage.uri("a.py"), 1, "python", (tmp_path / "a.py").read_text())
        first = asyncio.ensure_future(session.load("a.py"))
        await asyncio.sleep(0)
        assert not session.is_loaded("a.py")
        assert await session.load("a.py") is True
        assert session.is_loaded("a.py")
        assert [item.memory.id for item in session.view("a.py").judged] == [recorded["id"]]
        assert await first is True


async def test_loading_goes_on_where_the_one_who_asked_first_gave_up(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", "def f(x):\n    return x + 41\n")
        await stage.record("a.py#f")
    stage = Stage(tmp_path, {})
    async with stage:
        first = asyncio.ensure_future(stage.session.load("a.py"))
        await asyncio.sleep(0)
        first.cancel()
        await stage.session.load("a.py")
        assert len(stage.session.view("a.py").judged) == 1


async def test_asking_while_everything_is_being_loaded_waits_for_it(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", "def f(x):\n    return x + 41\n")
        await stage.record("a.py#f")
    stage = Stage(tmp_path, {})
    async with stage:
        first = asyncio.ensure_future(stage.session.load_all())
        await asyncio.sleep(0)
        assert not stage.session.is_loaded("a.py")
        await stage.session.load_all()
        assert len(stage.session.view("a.py").judged) == 1
        await first


async def test_the_first_scan_lets_somebody_who_types_go_first_but_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", "def f(x):\n    return x + 41\n")
        await stage.record("a.py#f")
        stage.write("a.py", "def f(x):\n    return x + 42\n")
    async with Stage(tmp_path, {}) as stage:
        turns = 0
        sleep = asyncio.sleep

        async def counted(seconds: float) -> None:
            nonlocal turns
            turns += seconds == sessions.TYPING_PAUSE / 2
            await sleep(0)

        monkeypatch.setattr(sessions.asyncio, "sleep", counted)
        stage.session._typed = time.monotonic() + 1000
        assert await stage.session.scan() == {"a.py"}
        assert turns == sessions.GIVE_WAY
