"""Looking back, choosing and forgetting over the wire; what was forgotten is gone from an open editor at once."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.samples import position
from support.wire import Refusal, Wire, served

CODE = "import os\n\n\ndef pay(n):\n    total = fee(n, 30)\n    return total * 2\n"
SECRET = "hunter2-is-the-password"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "w"
    top.mkdir()
    (top / "pay.py").write_text(CODE)
    git(top, "init", "-q", "-b", "main")
    commit(top)
    return top


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "work")


async def record(wire: Wire, folder: Path, text: str, kind: str = "decision", **more: Any) -> str:
    uri = (folder / "pay.py").as_uri()
    return str((await wire.command("record", uri=uri, symbol="pay", kind=kind, text=text, **more))["id"])


async def texts(wire: Wire, **filters: Any) -> list[str]:
    return [memory["text"] for memory in (await wire.command("list", **filters))["memories"]]


async def test_lists_and_history(folder: Path) -> None:
    async with served(folder) as wire:
        first = await record(wire, folder, "Twice.")
        await record(wire, folder, "By an agent.", author="agent:bob", kind="note")
        commit(folder)
        git(folder, "tag", "v1.2")
        commit(folder)
        await wire.command("retire", id=first, reason="three times now")
        uri = (folder / "pay.py").as_uri()
        assert await texts(wire) == ["By an agent."]
        assert await texts(wire, uri=uri, state="retired") == ["Twice."]
        assert await texts(wire, author="agent", since="1d") == await texts(wire, folder=".") == ["By an agent."]
        assert await texts(wire, author="human", all=True) == ["Twice."]
        assert await texts(wire, until="2020-01-01") == []
        assert await texts(wire, pinned=True) == await texts(wire, disputed=True) == []
        answer = await wire.command("list", all=True, limit=1, conflicts=False)
        assert (len(answer["memories"]), answer["omitted"]) == (1, 1)
        assert (await wire.command("list", conflicts=True))["conflicts"] == []

        then = await wire.command("list", asOf="v1.2")
        assert {memory["text"] for memory in then["memories"]} == {"Twice.", "By an agent."}
        assert then["as_of"]["revision"] == git(folder, "rev-parse", "v1.2").strip()
        assert (await wire.command("show", id=first, asOf="v1.2"))["current"]
        events = (await wire.command("history", id=first))["events"]
        assert [event["what"] for event in events][-1] == "retired"
        assert (await wire.command("history", id=first, asOf="v1.2"))["events"] == [
            {**event, "after": event["after"]} for event in events[:-1]
        ]
        for wrong, said in (
            ({"asOf": "v9"}, "no revision 'v9' here"),
            ({"state": "fixd"}, "no state 'fixd'"),
            ({"since": "soon"}, "'soon' is no time"),
            ({"limit": -1}, "the limit is a number"),
        ):
            with pytest.raises(Refusal, match=said):
                await wire.command("list", **wrong)


async def test_what_is_forgotten_is_gone_at_once(folder: Path) -> None:
    async with served(folder) as wire:
        uri = (folder / "pay.py").as_uri()
        wire.open(uri, CODE)
        identifier = await record(wire, folder, f"The {SECRET}.")
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        commit(folder)
        with pytest.raises(Refusal, match="say --yes"):
            await wire.command("forget", id=identifier)
        answer = await wire.command("forget", id=identifier, yes=True)
        assert answer["forgotten"] and answer["traces"] == [] and answer["git"][0]["commits"] == 1
        await wire.until(lambda: wire.shown(uri) == [])
        assert await wire.hover(uri, *position(CODE, CODE.index("pay"))) is None
        assert await texts(wire, all=True) == []
        assert (await wire.command("history", id=identifier))["forgotten"]
        # A merge brings it back: it is told and not shown.
        git(folder, "checkout", "-q", "--", ".moorline")
        git(folder, "clean", "-q", "-f", "-d", "--", "src")
        await wire.until(lambda: any("was forgotten" in one["message"] for one in problems(wire)))
        assert wire.shown(uri) == [] and await texts(wire, all=True) == []
        await wire.command("forget", id=identifier, yes=True)
        await wire.until(lambda: not problems(wire))
    left = [path for path in folder.glob(".moorline/**/*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in left)


def problems(wire: Wire) -> list[dict[str, Any]]:
    """What is told about files of the ledger."""
    return [one for name in wire.listed if "/.moorline/" in name for one in wire.latest(name)]
