"""Case 34 from the field: several writers on one repository, a lock that somebody holds, one that is killed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.wire import ROOT, Wire, command_line, served

EACH = 20
"""Memories that each writer records; the case says 200, which takes no other way."""
KILLED = 100
DELAYS = (0.3, 0.7)
"""Seconds after its start when a writer of that many is killed."""
CODE = "".join(f"def f{number}(n):\n    return fee(n, {number}) * 2\n\n\n" for number in range(EACH))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(
        [sys.executable, "-m", "lsp_server", "init"], cwd=tmp_path, check=True, capture_output=True, env=here()
    )
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


def here() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Somebody holds a write lock on the index."""
    other = sqlite3.connect(folder / ".moorline" / "index.db", isolation_level=None, timeout=10)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def batch(who: str) -> str:
    lines = [{"anchors": [f"a.py#f{at}"], "kind": "note", "text": f"{who} says {at}."} for at in range(EACH)]
    return "".join(json.dumps(line) + "\n" for line in lines)


async def record_by_wire(wire: Wire, uri: str, who: str) -> list[str]:
    found = []
    for at in range(EACH):
        answer = await wire.command("record", uri=uri, symbol=f"f{at}", kind="note", text=f"{who} says {at}.")
        assert answer["created"] is True
        found.append(answer["id"])
    return found


async def listed(folder: Path) -> list[dict[str, Any]]:
    code, out, err = await command_line(folder, "list", "--limit", "0", "--json")
    assert code == 0, err
    memories: list[dict[str, Any]] = json.loads(out)["memories"]
    return memories


def check_ledger(folder: Path, texts: set[str]) -> None:
    """Every memory is there once: one folder, one `memory.md`, one birth, one baseline."""
    seen = []
    for memory in (folder / ".moorline" / "memories").iterdir():
        assert (memory / "memory.md").is_file(), memory.name
        types = sorted(json.loads(event.read_text())["type"] for event in memory.glob("*.json"))
        assert types == ["baseline", "recorded"], (memory.name, types)
        seen.append((memory / "memory.md").read_text().rpartition("---\n")[2].strip())
        assert not [path.name for path in memory.iterdir() if path.suffix not in (".md", ".json")]
    assert sorted(seen) == sorted(texts)


async def test_case_34_two_editors_a_batch_and_a_check_loop(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    checks = []
    done = asyncio.Event()

    async def check_loop() -> None:
        while not done.is_set():
            code, out, err = await command_line(folder, "check", "--json")
            assert code == 0, err
            answer = json.loads(out)
            assert answer["problems"] == []
            checks.append(len(answer["memories"]))

    async with served(folder) as one, served(folder) as two:
        for wire in (one, two):
            wire.open(uri, CODE)
        loop = asyncio.ensure_future(check_loop())
        recorded = await asyncio.gather(
            record_by_wire(one, uri, "One"),
            record_by_wire(two, uri, "Two"),
            command_line(folder, "record", "--batch", "-", stdin=batch("Batch")),
        )
        done.set()
        await loop
        code, out, err = recorded[2]
        assert code == 0, err
        answers = [json.loads(line) for line in out.splitlines()]
        ids = {*recorded[0], *recorded[1], *(answer["id"] for answer in answers)}
        assert len(ids) == 3 * EACH
        assert checks == sorted(checks), "nothing that was there goes missing"
        # Each sees what the others recorded, with no help.
        for wire in (one, two):
            await wire.until(lambda: wire.shown(uri) == ["fresh"] * 3 * EACH)  # noqa: B023
            assert {memory["id"] for memory in (await wire.command("list", limit=0))["memories"]} == ids
    assert {memory["id"] for memory in await listed(folder)} == ids
    check_ledger(folder, {f"{who} says {at}." for who in ("One", "Two", "Batch") for at in range(EACH)})


async def test_case_34_the_same_decision_from_everywhere_at_once(folder: Path) -> None:
    """It is one memory, whoever was first."""
    uri = (folder / "a.py").as_uri()
    words = ["record", "a.py#f1", "--kind", "decision", "--text", "Why f1 is so.", "--json"]
    async with served(folder) as one, served(folder) as two:
        by_wire = [
            wire.command("record", uri=uri, symbol="f1", kind="decision", text="Why f1 is so.") for wire in (one, two)
        ]
        answers = await asyncio.gather(*by_wire, command_line(folder, *words), command_line(folder, *words))
        ids = {answer["id"] if isinstance(answer, dict) else json.loads(answer[1])["id"] for answer in answers}
        assert len(ids) == 1
        wire_list = (await one.command("list"))["memories"]
        assert [len(memory["anchors"]) for memory in wire_list] == [1]
    (memory,) = await listed(folder)
    assert (memory["id"], len(memory["anchors"]), memory["stale"]) == (*ids, 1, False)
    assert len(list((folder / ".moorline" / "memories").iterdir())) == 1


async def test_case_34_typing_and_hover_go_on_while_a_lock_is_held(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    async with served(folder) as wire:
        wire.open(uri, CODE)
        first = await wire.command("record", uri=uri, symbol="f1", kind="note", text="Before.")
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        words = ["record", "a.py#f3", "--kind", "note", "--text", "Elsewhere."]
        with locked(folder):
            waiting = [
                asyncio.ensure_future(wire.command("record", uri=uri, symbol="f2", kind="note", text="During.")),
                asyncio.ensure_future(command_line(folder, *words)),
                asyncio.ensure_future(command_line(folder, "check", "--json")),
            ]
            await asyncio.sleep(0.2)
            version = 1
            for number in range(40):
                version += 1
                shown = CODE.replace("fee(n, 1)", f"fee(n, {number % 2 + 1})")
                wire.change(uri, version, {"text": shown})
                hover = await wire.hover(uri, 4, 4)
                assert hover is not None and "Before." in hover["contents"]["value"]
                assert ("stale" in hover["contents"]["value"]) == bool(number % 2)
            await wire.until(lambda: "changed" in wire.shown(uri))
        answers = await asyncio.gather(*waiting)
        assert answers[0]["created"] is True
        assert [answer[0] for answer in answers[1:]] == [0, 0], [answer[2] for answer in answers[1:]]
        wire.change(uri, version + 1, {"text": CODE})
        await wire.until(lambda: wire.shown(uri) == ["fresh"] * 3)
        assert first["id"] in {memory["id"] for memory in (await wire.command("list"))["memories"]}
    check_ledger(folder, {"Before.", "During.", "Elsewhere."})


async def test_case_34_no_request_waits_for_a_lock_without_limit(folder: Path) -> None:
    """A lock that is never given back: commands answer all the same, or say what to do, and nothing is lost."""
    uri = (folder / "a.py").as_uri()
    async with served(folder) as wire:
        wire.open(uri, CODE)
        await wire.command("record", uri=uri, symbol="f1", kind="note", text="Before.")
        with locked(folder):
            begun = asyncio.get_running_loop().time()
            words = ["record", "a.py#f3", "--kind", "note", "--text", "Locked out."]
            code, _, err = await command_line(folder, *words)
            assert code in (0, 2), err
            assert len(err.splitlines()) <= 2, "one clear message"
            assert asyncio.get_running_loop().time() - begun < 25, "a guard against hanging alone"
            assert await wire.hover(uri, 4, 4) is not None
        texts = {memory["text"] for memory in await listed(folder)}
        assert texts == ({"Before.", "Locked out."} if code == 0 else texts & {"Before.", "Locked out."})
        assert "Before." in texts


async def test_case_34_a_writer_is_killed(folder: Path) -> None:
    """What it answered is there; what it had begun is whole or not there; others work on."""
    uri = (folder / "a.py").as_uri()
    lines = [{"anchors": [f"a.py#f{at % EACH}"], "kind": "note", "text": f"Killed {at}."} for at in range(KILLED)]
    (folder / "batch.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    async with served(folder) as wire:
        wire.open(uri, CODE)
        for delay in DELAYS:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "lsp_server", "record", "--batch", "batch.jsonl"),
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=here(),
            )
            await asyncio.sleep(delay)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            out = (await process.communicate())[0].decode()
            answered = {json.loads(line)["id"] for line in out.splitlines() if line.endswith("}")}
            answer = await wire.command("record", uri=uri, symbol="f1", kind="note", text=f"After {delay}.")
            assert answer["created"] is True
            memories = await listed(folder)
            assert answered <= {memory["id"] for memory in memories}
            assert len({memory["text"] for memory in memories}) == len(memories), "nothing twice"
            code, said, err = await command_line(folder, "check", "--json")
            assert code == 0, err
            assert json.loads(said)["problems"] == []
        # The whole of it again: what was there is not made twice.
        code, _, err = await command_line(folder, "record", "--batch", "batch.jsonl")
        assert code == 0, err
        wanted = {f"Killed {at}." for at in range(KILLED)} | {f"After {delay}." for delay in DELAYS}
        assert sorted(memory["text"] for memory in await listed(folder)) == sorted(wanted)
        await wire.until(lambda: len(wire.shown(uri)) == len(wanted))
