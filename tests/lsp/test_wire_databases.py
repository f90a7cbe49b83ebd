"""No database is touched by a keystroke or a hover: every call is counted in the server itself."""

from __future__ import annotations

import asyncio
from pathlib import Path

from support.samples import position
from support.wire import ROOT, served

CODE = "import os\n\n\ndef pay(n):\n    total = fee(n, 30)\n    return total * 2\n"

COUNTED = """
import asyncio, inspect, os
from lsp_server.store.database import Database

def counted(name, call):
    async def counting(self, *values):
        task = asyncio.current_task()
        frame = getattr(task.get_coro(), "cr_frame", None) if task is not None else None
        who = frame.f_locals.get("name", "") if frame is not None else ""
        with open(os.environ["COUNTED"], "a") as log:
            log.write(f"{self.path.name}\\t{name}\\t{who}\\n")
        return await call(self, *values)
    return counting

for name, call in list(vars(Database).items()):
    if inspect.iscoroutinefunction(call):
        setattr(Database, name, counted(name, call))
"""
"""What Python runs at its start, in the server alone: it writes down each call of a database, and for whose sake."""

CLOCKWORK = ("watching the index", "writing down what was seen")
"""What the server does by the clock, whoever types or not."""


async def test_no_database_is_touched_on_a_keystroke_or_a_hover(tmp_path: Path) -> None:
    """Forty edits, each of which makes the verdict another one, each with a hover that says so."""
    log, folder, start = tmp_path / "log", tmp_path / "work", tmp_path / "start"
    for made in (folder / ".moorline", start):
        made.mkdir(parents=True)
    (start / "sitecustomize.py").write_text(COUNTED)
    (folder / "a.py").write_text(CODE)
    uri = (folder / "a.py").as_uri()

    def calls() -> list[str]:
        lines = log.read_text().splitlines() if log.exists() else []
        return [line for line in lines if not line.endswith(CLOCKWORK)]

    async with served(folder, environment={"PYTHONPATH": f"{start}:{ROOT}", "COUNTED": str(log)}) as wire:
        wire.open(uri, CODE)
        await wire.command("record", uri=uri, symbol="pay", kind="decision", text="Why pay is so.")
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        await wire.command("list")
        assert any("index.db" in line for line in calls()), "what is recorded is counted"
        line, column = position(CODE, CODE.index("30"))
        place = position(CODE, CODE.index("pay"))
        before: list[str] = []
        while calls() != before:  # What was just recorded is noticed on the disk too, a moment later.
            before = calls()
            await asyncio.sleep(1.0)
        for step in range(40):
            typed = step % 2 == 0
            spots = [{"line": line, "character": column + shift} for shift in (0, 0 if typed else 1)]
            wire.change(uri, step + 2, {"range": {"start": spots[0], "end": spots[1]}, "text": "7" if typed else ""})
            wanted = ["changed"] if typed else ["fresh"]
            hover = await wire.hover(uri, *place)
            assert hover is not None and ("stale" in hover["contents"]["value"]) is typed
            await wire.until(lambda: wire.shown(uri) == wanted)  # noqa: B023
        assert calls() == before
        await wire.command("show", id=(await wire.command("list"))["memories"][0]["id"])
        assert calls() != before, "what is asked of the index is counted"
