"""Loading a file's memories: whoever asks while they are being read waits for them. What was judged before is known."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.stage import Stage

from lsp_server.core.model import Level, Place, Span
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


# ---- what was judged before


async def counted_loads(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """By files, what of the index is asked for from now on."""
    asked: list[list[str]] = []
    read = stage.session.index.with_digests

    async def counted(files: Sequence[str] | None = None) -> Any:
        asked.append(sorted(files or []))
        return await read(files)

    monkeypatch.setattr(stage.session.index, "with_digests", counted)
    return asked


async def test_a_second_scan_loads_what_changed_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh by its bytes, fresh though other lines changed, or reformatted: known without a memory being read."""
    texts = {f"{name}.py": f"def {name}(a):\n    return call(a, {at})\n" for at, name in enumerate("abcd")}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    async with Stage(tmp_path, {}) as stage:
        for name in texts:
            await stage.record(f"{name}#{name[0]}")
    (tmp_path / "b.py").write_text("import os\n\n\n" + texts["b.py"])
    (tmp_path / "c.py").write_text(texts["c.py"].replace("(a, ", "(a,   "))
    for asked_for, stale in (
        ([["a.py", "b.py", "c.py", "d.py"]], []),
        ([], []),
        ([["d.py"]], ["d.py"]),
        ([["d.py"]], ["d.py"]),
    ):
        if stale:
            (tmp_path / "d.py").write_text(texts["d.py"].replace("call", "cull"))
        async with Stage(tmp_path, {}) as stage:
            asked = await counted_loads(stage, monkeypatch)
            await stage.session.first_scan()
            assert asked == asked_for
            assert list(stage.session.closed_stale) == stale
    async with Stage(tmp_path, {}) as other:
        await other.record("a.py#a", text="Another.")
    async with Stage(tmp_path, {}) as stage:
        asked = await counted_loads(stage, monkeypatch)
        await stage.session.first_scan()
        assert asked == [["a.py", "d.py"]]


async def test_what_was_judged_unread_is_placed_when_it_is_shown(tmp_path: Path) -> None:
    """A fresh file is not parsed for a list; who looks at it, or at the memory, gets its bytes."""
    (tmp_path / "a.py").write_text("import os\n\n\ndef pay(a):\n    return call(a, 1)\n")
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record("a.py#pay")
    for show in ("view", "find", "open"):
        async with Stage(tmp_path, {}) as stage:
            session = stage.session
            await session.load_all()
            (verdict,) = session.snapshot().verdicts.values()
            assert verdict.level is Level.FRESH and verdict.span is None
            assert verdict.now == Place("a.py", "pay", 4, 5)
            if show == "find":
                await session.find(memory["id"])
            elif show == "open":
                await stage.open("a.py")
            else:
                session.view("a.py")
            (placed,) = session.snapshot().verdicts.values()
            assert replace(placed, span=None, name_span=None) == verdict
            assert placed.span == Span(12, 45) and placed.name_span == Span(16, 19)
