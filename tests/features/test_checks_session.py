"""Checks in a session: random edits against everything judged from scratch, and that other files cost nothing.

The slow twin of an outcome is a judgement of the present sources with nothing kept. Holding is told by a model of its
own: while broken syntax leaves a check of an open file undecided, what was certain last is shown.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core import checks as core_checks
from lsp_server.core.checks import Outcome, read_check
from lsp_server.core.text import TextChange
from lsp_server.lsp.drawn import Drawings
from lsp_server.workspace import checks as session_checks
from lsp_server.workspace.checks import asked_now, judged_anew
from lsp_server.workspace.config import Settings

FILES = {
    "a.py": (
        "import os\n\nLIMIT = 30\n\n\n"
        "@cached\ndef login(user, timeout=5):\n    audit(user)\n    return check(user)\n\n\n"
        "class Provider(Base):\n    size = 3\n\n    def close(self):\n        self.log.end()\n\n\n"
        "def last():\n    return 1\n"
    ),
    "b.toml": "[app]\nlimit = 30\nname = 'web'\n\n[other]\nlimit = 5\n",
    "c.ts": "export const limit = 30;\n\nfunction open(a: number = 3) {\n  run(a);\n}\n",
}

MEMORIES: list[tuple[tuple[str, ...], tuple[str, ...]]] = [
    (("a.py#login",), ("equals b.toml#app.limit 30", "calls a.py#login audit", "decorated a.py#login cached")),
    (("a.py#Provider",), ("base a.py#Provider Base", "equals a.py#Provider.size 3", "exists a.py#Provider.close")),
    (("c.ts#open",), ("equals c.ts#limit 30", "equals a.py#LIMIT 30", "imports a.py os", "not-calls c.ts#open stop")),
    ((), ("equals a.py#login(timeout) 5", "matches a.py /LIMIT = 30/", "absent c.ts#gone")),
    (("a.py:8-9",), ("matches a.py:8-9 /audit/", "equals c.ts#open(a) 3")),
    (("b.toml",), ("equals b.toml#other.limit 5", "matches a.py#last /return 1/", "nonsense a.py")),
]

FRAGMENTS = [
    *("", "\n", "60", "30", "(", ")", "[", "'", '"', "    ", "#", "x = 1\n", "def login(user):\n    return 2\n"),
    *(
        "audit(user)",
        "LIMIT = 30\n",
        "class Provider:\n",
        "{",
        "}",
        "é",
        "signed",
        "\r\n",
        "limit = 7\n",
        "import os\n",
    ),
]

SWAPS = [
    *(("a.py", "30", "60"), ("a.py", "timeout=5", "timeout=6"), ("a.py", "audit(user)", "signed(user)")),
    *(("a.py", "@cached", "@other"), ("a.py", "size = 3", "size = 4"), ("a.py", "return 1", "return 2")),
    *(("a.py", "def login", "def sign_in"), ("a.py", "(Base)", "(Other)"), ("a.py", "import os", "import re")),
    *(("b.toml", "30", "60"), ("b.toml", "limit = 5", "limit = 7"), ("b.toml", "[app]", "[web]")),
    *(("c.ts", "30", "60"), ("c.ts", "run(a)", "stop(a)"), ("c.ts", "a: number = 3", "a: number = 4")),
    ("c.ts", "function open", "function shut"),
]
"""What makes a check fail where it stands, and hold again the other way round."""

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("swap"), st.sampled_from(SWAPS)).map(lambda step: (step[0], *step[1])),
        st.tuples(st.just("swap"), st.sampled_from(SWAPS)).map(lambda step: (step[0], *step[1])),
        st.tuples(
            st.just("edit"),
            st.sampled_from(list(FILES)),
            st.integers(0, 400),
            st.integers(0, 6),
            st.sampled_from(FRAGMENTS),
        ),
        st.tuples(st.just("undo"), st.sampled_from(list(FILES))),
        st.tuples(st.just("close"), st.sampled_from(list(FILES))),
        st.tuples(st.just("save"), st.sampled_from(list(FILES))),
    ),
    max_size=14,
)


class World:
    """One workspace for all examples: nothing that an example does outlives its closing."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="moorline-"))
        self.loop = asyncio.new_event_loop()
        self.stage = Stage(self.folder, {})
        self.loop.run_until_complete(self._start())

    async def _start(self) -> None:
        for name, text in FILES.items():
            self.stage.write(name, text)
        await self.stage.__aenter__()
        for number, (loci, checks) in enumerate(MEMORIES):
            # Only a hand edit brings in what is no check.
            good = tuple(check for check in checks if not isinstance(read_check(check), str))
            await self.stage.record(*loci, text=f"Memory {number}.", checks=good)
        for path in self.folder.glob(".moorline/memories/*/memory.md"):
            if "Memory 5." in path.read_text():
                path.write_text(path.read_text().replace("checks:\n", "checks:\n  - nonsense a.py\n"))
        await self.stage.session.refresh()
        await self.stage.session.load_all()

    def end(self) -> None:
        self.loop.run_until_complete(self.stage.session.stop())
        self.loop.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def world() -> Any:
    made = World()
    yield made
    made.end()


class Model:
    """What must be shown of each check."""

    def __init__(self, stage: Stage) -> None:
        self.session = stage.session
        self.asked: dict[tuple[str, int], Any] = {}
        self.shown: dict[tuple[str, int], Outcome] = {}
        self.step()

    def step(self, closed: str = "") -> None:
        session = self.session
        verdicts = session.snapshot().verdicts
        for memory in session.snapshot().memories.values():
            fresh = judged_anew(memory, verdicts.get, session.read)
            for number, (text, now) in enumerate(zip(memory.checks, fresh, strict=True)):
                key = (memory.id, number)
                check = read_check(text)
                asked = asked_now(check, memory, verdicts.get) if not isinstance(check, str) else None
                before = self.shown.get(key)
                held = (
                    before is not None
                    and now.torn
                    and not before.torn
                    and asked is not None
                    and asked == self.asked.get(key)
                    and session.document(asked.locus.file) is not None
                    and asked.locus.file != closed
                )
                self.asked[key] = asked
                self.shown[key] = before if held and before is not None else now

    def expect(self) -> None:
        for identifier, checked in self.session.snapshot().checks.items():
            for number, one in enumerate(checked):
                assert one.outcome == self.shown[identifier, number], one.text


async def play(world: World, steps: list[tuple[Any, ...]], marks: Literal["typing", "save"]) -> None:
    stage, session = world.stage, world.stage.session
    session.settings = Settings(stale_marks=marks)
    drawings = Drawings("utf-16", False, lambda session, path: path)
    for name, text in FILES.items():
        session.open(name, stage.uri(name), 1, "", text)
    model = Model(stage)
    for step in steps:
        name = step[1]
        document = session.document(name)
        if step[0] == "close":
            session.close(name)
            model.step(name)
        elif step[0] == "save" and document is not None:
            session.saved(name)
            model.step()
        elif document is None:
            session.open(name, stage.uri(name), 1, "", FILES[name])
            model.step()
        else:
            text = bytes(document.text).decode()
            if step[0] == "swap":
                old, other = step[2:]
                new = text.replace(old, other, 1) if old in text else text.replace(other, old, 1)
            else:
                new = FILES[name] if step[0] == "undo" else edited(text, *step[2:])
            session.change(name, document.version + 1, [change_between(text, new)], "utf-16")
            session.judge_edits(name)
            model.step()
        model.expect()
        for path in session.open_paths:
            assert drawings.items(session, path) == drawings.draw(session, path).items
    for name in FILES:
        session.close(name)


def edited(text: str, at: int, gone: int, new: str) -> str:
    at = at % (len(text) + 1)
    return text[:at] + new + text[at + gone :]


def change_between(old: str, new: str) -> TextChange:
    """One small change, as an editor sends it."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    if old[first - 1 : first] == "\r":
        first -= 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    if old[len(old) - last : len(old) - last + 1] == "\n":
        last = max(0, last - 1) if last else last
    return TextChange((place(old, first), place(old, len(old) - last)), new[first : len(new) - last])


def place(text: str, at: int) -> tuple[int, int]:
    before = text[:at].replace("\r\n", "\n\0").replace("\r", "\n").replace("\n\0", "\n")
    return before.count("\n"), len(before) - before.rfind("\n") - 1


@given(steps=STEPS, marks=st.sampled_from(["typing", "save"]))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_edits_leave_what_judging_anew_says(
    world: World, steps: list[tuple[Any, ...]], marks: Literal["typing", "save"]
) -> None:
    world.loop.run_until_complete(play(world, steps, marks))


async def judged_by(stage: Stage, name: str, new: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checks that one edit has judged."""
    judged: list[str] = []

    def counted(check: core_checks.Check, look: Any) -> Outcome:
        judged.append(check.text)
        return core_checks.judge_check(check, look)

    document = stage.session.document(name)
    assert document is not None
    text = bytes(document.text).decode()
    stage.session.change(name, document.version + 1, [change_between(text, new)], "utf-16")
    with monkeypatch.context() as patch:
        patch.setattr(session_checks, "judge_check", counted)
        stage.session.judge_edits(name)
    return judged


COST = [
    ("other.py", "y = 1\n", "y = 2\n", []),
    ("a.py", FILES["a.py"], FILES["a.py"].replace("return 1", "return 12"), ["matches a.py#last /return 1/"]),
    ("a.py", FILES["a.py"], FILES["a.py"].replace("LIMIT = 30", "LIMIT = 31"), ["equals a.py#LIMIT 30"]),
    ("b.toml", FILES["b.toml"], FILES["b.toml"].replace("limit = 5", "limit = 6"), ["equals b.toml#other.limit 5"]),
]


@pytest.mark.parametrize("case", COST, ids=[f"{name} {len(judged)}" for name, _, _, judged in COST])
async def test_an_edit_judges_what_it_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: tuple[str, str, str, list[str]]
) -> None:
    name, before, after, judged = case
    async with Stage(tmp_path, {}) as stage:
        for file, text in {**FILES, "other.py": "y = 1\n"}.items():
            stage.write(file, text)
        for check in ("matches a.py#last /return 1/", "equals a.py#LIMIT 30", "equals b.toml#other.limit 5"):
            await stage.record("c.ts#open", text=f"With {check}.", checks=(check,))
        for file in (*FILES, "other.py"):
            await stage.open(file)
        await judged_by(stage, name, before + "\n", monkeypatch)
        await judged_by(stage, name, before, monkeypatch)
        assert await judged_by(stage, name, after, monkeypatch) == judged


async def test_what_there_is_no_time_for_is_judged_a_little_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Stage(tmp_path, {}) as stage:
        for file, text in FILES.items():
            stage.write(file, text)
        checks = tuple(f"equals b.toml#{path} {value}" for path, value in (("app.limit", 30), ("other.limit", 5)))
        await stage.record("a.py#login", checks=(*checks, "equals b.toml#app.name web"))
        await stage.session.watch()
        for open_first in (True, False):
            if open_first:
                await stage.open("b.toml")
            monkeypatch.setattr(session_checks, "SECONDS", 0.0)
            new = FILES["b.toml"].replace("30", "60").replace("limit = 5", "limit = 6").replace("web", "site")
            if open_first:
                stage.edit("b.toml", new)
            else:
                stage.write("b.toml", new)
                await stage.session.refresh()
            for _ in range(200):
                words = {one.outcome.word for one in next(iter(stage.session.snapshot().checks.values()))}
                if words == {"fails"} and not stage.session.checks.left:
                    break
                await asyncio.sleep(0.02)
            assert words == {"fails"} and not stage.session.checks.left
            monkeypatch.undo()
            if open_first:
                stage.session.close("b.toml")
                assert {one.outcome.word for one in next(iter(stage.session.snapshot().checks.values()))} == {"holds"}
