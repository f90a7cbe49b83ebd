"""Every step of every kind's life over the wire, and what else the commands of a memory's life take and answer."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.lives import BORN, LIVES, ON_THE_WAY, cells, numbers, what_is_asked
from support.wire import Refusal, Wire, served, start

CODE = """\
def pay(n):
    if not n:
        return True
    return fee(n, 30)
"""
FIXED = CODE.replace("True", "False")


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOORLINE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOORLINE_AUTHOR", raising=False)
    found = tmp_path / "w"
    found.mkdir()
    (found / "a.py").write_text(CODE)
    git(found, "init", "-q", "-b", "main")
    git(found, "add", "-A")
    git(found, "commit", "-q", "-m", "one")
    return found


def together(asked: list[dict[str, Any]]) -> dict[str, Any]:
    """One argument of all that is asked for."""
    found: dict[str, Any] = {"evidence": [one["evidence"] for one in asked if "evidence" in one]}
    for one in asked:
        found.update((key, value) for key, value in one.items() if key != "evidence")
    return found


class Life:
    """The memories of one kind."""

    def __init__(self, wire: Wire, folder: Path, kind: str) -> None:
        self.wire, self.folder, self.kind = wire, folder, kind
        self.states, self.steps = cells(LIVES[kind])
        self.successor = ""

    async def record(self, text: str, state: str | None = None) -> Any:
        place: dict[str, Any] = {}
        if self.kind in ("finding", "artifact"):
            place = {"uri": (self.folder / "a.py").as_uri()}
        return await self.wire.command("record", kind=self.kind, text=f"{text} {next(numbers)}", state=state, **place)

    async def step(self, memory: str, old: str, new: str) -> Any:
        if "c" in self.steps[old][new]:
            git(self.folder, "commit", "-q", "--allow-empty", "-m", "more")
        commit = git(self.folder, "rev-parse", "HEAD")
        asked = together(what_is_asked(self.steps[old][new], self.successor, commit))
        return await self.wire.command("transition", id=memory, state=new, **asked)

    async def in_state(self, state: str) -> str:
        first = state if state in BORN else self.states[0]
        memory = await self.record("A memory.", first)
        for now in (*ON_THE_WAY.get(state, ()), *([state] if state != first else [])):
            memory = await self.step(memory["id"], memory["state"], now)
        assert memory["state"] == state
        return str(memory["id"])


async def check_life(wire: Wire, folder: Path, kind: str) -> None:
    life = Life(wire, folder, kind)
    life.successor = (await life.record("What took over."))["id"]
    for old in life.states:
        memory = await life.in_state(old)
        for new, cell in life.steps[old].items():
            if cell in ("x", "-"):
                with pytest.raises(Refusal, match=new):
                    await wire.command("transition", id=memory, state=new, reason="why", evidence=["quote:More."])
                assert (await wire.command("show", id=memory))["state"] == old
                continue
            assert (await life.step(memory, old, new))["state"] == new
            assert (await wire.command("undo", id=memory))["state"] == old


async def test_every_step_of_every_life(folder: Path) -> None:
    async with served(folder) as wire:
        for kind in LIVES:
            await check_life(wire, folder, kind)


async def test_a_finding_is_fixed_verified_and_regresses_in_the_buffer(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    async with served(folder) as wire:
        wire.open(uri, CODE)
        fields = {"severity": "high", "symptom": "Nothing is paid."}
        made = await wire.command("record", uri=uri, symbol="pay", kind="finding", text="Empty passes.", fields=fields)
        assert (made["state"], made["fields"]) == ("open", {"symptom": "Nothing is paid.", "severity": "high"})
        (folder / "a.py").write_text(FIXED)
        wire.change(uri, 2, {"text": FIXED})
        wire.save(uri)
        git(folder, "commit", "-q", "-a", "-m", "fix")
        await wire.until(lambda: "changed" in wire.shown(uri))
        fixed = await wire.command("transition", id=made["id"], state="fixed_unverified", revision="HEAD")
        assert (fixed["state"], fixed["stale"], fixed["anchors"][0]["verdict"]) == ("fixed_unverified", False, "fresh")
        piece = "fix-verification=test:tests/test_pay.py"
        verified = await wire.command("evidence", id=made["id"], add=[piece])
        assert verified["state"] == "verified"
        assert [one["type"] for one in verified["evidence"]] == ["commit", "file", "test"]
        wire.change(uri, 3, {"text": CODE})
        back = await wire.command("show", id=made["id"])
        assert [(one["verdict"], one["reason"]) for one in back["anchors"]] == [("changed", "regressed")]
        assert (await wire.command("pin", id=made["id"]))["pinned"] is True
        assert (await wire.command("pin", id=made["id"], on=False))["pinned"] is False


@pytest.mark.parametrize(
    ("command", "argument", "says"),
    [
        ("transition", {"id": "a", "state": 3}, "argument.state must be a string"),
        ("transition", {"id": "a"}, "argument.state is missing"),
        ("transition", {"id": "a", "state": "open", "evidence": "test:a"}, "argument.evidence must be an array"),
        ("transition", {"id": "a", "state": "open", "by": 1}, "argument.by must be a string"),
        ("transition", {"id": "a", "state": "open", "evidence": ["hearsay"]}, "is no evidence"),
        ("evidence", {"id": "a", "add": [1]}, r"argument.add\[0\] must be a string"),
        ("evidence", {"id": "a", "add": []}, "no evidence is given"),
        ("evidence", {"id": "a", "add": ["test:t"], "role": "A role"}, "is no role"),
        ("pin", {"id": "a", "on": "yes"}, "argument.on must be a boolean"),
        ("undo", {"id": "a", "reason": []}, "argument.reason must be a string"),
        ("supersede", {"id": "a", "text": "x", "allowSecret": 1}, "argument.allowSecret must be a boolean"),
        ("retire", {"id": "a"}, "argument.reason is missing"),
        ("record", {"kind": "note", "text": "x", "fields": {"category": 1}}, "argument.fields.category must be a str"),
        ("record", {"kind": "note", "text": "x", "fields": {"severity": "low"}}, "has no field 'severity'"),
        ("record", {"kind": "finding", "text": "x", "fields": {"severity": "bad"}}, "severity is one of low, medium"),
        ("record", {"kind": "finding", "text": "x", "state": "verified"}, "a new finding starts as open"),
        ("record", {"kind": "finding", "text": "x", "evidence": ["commit:nowhere"]}, "no revision 'nowhere'"),
    ],
)
async def test_what_is_refused(folder: Path, command: str, argument: dict[str, Any], says: str) -> None:
    async with served(folder) as wire:
        made = await wire.command("record", kind="note", text="A note.")
        if "id" in argument:
            argument = {**argument, "id": made["id"]}
        with pytest.raises(Refusal, match=says):
            await wire.command(command, **argument)


async def test_an_agent_writes_as_itself(folder: Path) -> None:
    wire = await start()
    answer = {"processId": None, "capabilities": {}, "workspaceFolders": [{"uri": folder.as_uri(), "name": "w"}]}
    await wire.ask("initialize", {**answer, "initializationOptions": {"author": "agent:robin"}})
    wire.tell("initialized", {})
    with pytest.raises(Refusal, match="writes as agent:robin"):
        await wire.command("record", kind="note", text="A note.", author="Ann")
    made = await wire.command("record", kind="note", text="A note.")
    assert made["author"] == "agent:robin"
    for command, argument in (("pin", {}), ("retire", {"reason": "x"}), ("undo", {})):
        with pytest.raises(Refusal, match="writes as agent:robin"):
            await wire.command(command, id=made["id"], author="Ann", **argument)
    assert (await wire.command("pin", id=made["id"], author="agent:robin"))["pinned"]
    assert await wire.end() == 0
