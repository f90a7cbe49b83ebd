"""Case 38 from the field: servers that outlive their editor. The whole server, on a workspace, idle and while it scans.

What the protocol layer does by itself is in `test_protocol.py`; here it has a session, threads and a database.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.wire import Refusal, Wire, command_line, initialize, start

CODE = "import os\n\n\ndef pay(n):\n    total = fee(n, 30)\n    return total * 2\n"
ENDS_WITHIN = 20
"""Seconds in which it must be gone: five by the case, more for a loaded machine."""


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with so many memories that their first reading takes a while; without an index."""
    folder = tmp_path_factory.mktemp("many")
    lines = []
    for number in range(150):
        (folder / f"m{number}.py").write_text(CODE.replace("30", str(number)))
        lines.append(json.dumps({"anchors": [f"m{number}.py#pay"], "kind": "decision", "text": f"Why {number}."}))
    (folder / "batch.jsonl").write_text("\n".join(lines))
    for words in (["init"], ["record", "--batch", "batch.jsonl"]):
        command = [sys.executable, "-m", "lsp_server", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    return folder


def without_index(folder: Path) -> None:
    for path in (folder / ".moorline").glob("index.db*"):
        path.unlink()


async def begun(folder: Path, pid: int | None = None) -> Wire:
    wire = await start()
    await initialize(wire, [folder], pid=pid)
    return wire


async def gone(wire: Wire) -> int:
    """The exit code, once the process has ended by itself."""
    try:
        return await asyncio.wait_for(wire.process.wait(), ENDS_WITHIN)
    except TimeoutError:
        wire.process.kill()
        raise AssertionError("it is still there") from None


async def check_clean(folder: Path) -> None:
    """The store opens clean and holds everything, and nobody has it open."""
    code, out, err = await command_line(folder, "list", "--json")
    assert code == 0, err
    assert len(json.loads(out)["memories"]) == 150
    assert json.loads(out)["memories"][0]["anchors"][0]["verdict"] == "fresh"
    users = []
    for entry in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            target = os.readlink(entry)
        except OSError:
            continue
        if target.startswith(str(folder)):
            users.append(entry.parts[2])
    assert not users, "a process of ours is left"


async def until_idle(wire: Wire) -> None:
    await wire.until(lambda: any(note["method"] == "moorline/changed" for note in wire.notes))
    await wire.command("list")


WAYS = ["editor killed", "input closed", "exit alone", "shutdown and exit", "terminated"]


@pytest.mark.parametrize("when", ["idle", "scanning"])
@pytest.mark.parametrize("way", WAYS)
async def test_case_38_it_goes_with_its_editor(scanned: Path, way: str, when: str) -> None:
    if when == "scanning":
        without_index(scanned)
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=subprocess.PIPE)
    wire = await begun(scanned, editor.pid)
    uri = (scanned / "m0.py").as_uri()
    wire.open(uri, CODE)
    if when == "idle":
        await until_idle(wire)
    if way == "editor killed":
        # Its end of the pipes stays open, as a child of the editor's may hold it.
        editor.kill()
        await editor.wait()
    elif way == "input closed":
        assert wire.process.stdin is not None
        wire.process.stdin.close()
    elif way == "exit alone":
        wire.tell("exit", None)
    elif way == "shutdown and exit":
        assert await wire.ask("shutdown", None) is None
        with pytest.raises(Refusal):
            await wire.ask(
                "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 5}}
            )
        wire.tell("exit", None)
    else:
        wire.process.send_signal(signal.SIGTERM)
    assert await gone(wire) == (0 if way == "shutdown and exit" else 1)
    said = await wire.said()
    assert "Traceback" not in said, said
    if way != "editor killed":
        editor.kill()
        await editor.wait()
    if when == "scanning":
        await check_clean(scanned)


async def test_case_38_the_editor_is_gone_from_the_start(scanned: Path) -> None:
    editor = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await editor.wait()
    wire = await begun(scanned, editor.pid)
    assert await gone(wire) == 1


async def test_case_38_killed_while_it_scans(scanned: Path) -> None:
    """Nothing can be tidied up then; whoever comes next finds all that was there."""
    for delay in (0.0, 0.15, 0.4):
        without_index(scanned)
        wire = await begun(scanned)
        await asyncio.sleep(delay)
        wire.process.kill()
        await wire.process.wait()
        await check_clean(scanned)


async def test_case_38_ten_starts_and_stops(scanned: Path) -> None:
    for number in range(10):
        wire = await begun(scanned)
        uri = (scanned / f"m{number}.py").as_uri()
        wire.open(uri, CODE.replace("30", str(number)))
        if number % 2:
            await wire.until(lambda: wire.shown(uri) == ["fresh"])  # noqa: B023
        assert await wire.end() == 0
        said = await wire.said()
        assert said == "", said
    await check_clean(scanned)
    code, out, err = await command_line(scanned, "doctor")
    assert code == 0, out + err


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks the system for a process's time")
async def test_case_38_idle_takes_no_core(scanned: Path) -> None:
    wire = await begun(scanned)
    await until_idle(wire)
    await asyncio.sleep(0.5)

    def used() -> float:
        fields = Path(f"/proc/{wire.process.pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = used()
    await asyncio.sleep(2)
    assert used() - before < 1.0, "half a core, while nothing is to do"
    assert await wire.end() == 0
