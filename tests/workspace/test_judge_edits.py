"""Judging what edits touched equals judging everything: two sessions over the same buffers, one of each kind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.text import TextChange
from lsp_server.workspace import uris
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

PYTHON = '''import os

LIMIT = 10; OTHER = 20


@decorated
def first(a, b=2):
    """Say."""
    total = a + b * 3
    for step in range(7):
        total += step
    return total


class Box:
    """Holds."""

    size = 4

    def put(self, thing):
        self.things.append(thing)
        return len(self.things) + 1

    def take(self):
        return self.things.pop(0) if self.things else None


def same(x: int):
    return x + 11


def same(x: str, y):
    return x * 12 + y


def last(x):
    if x > 3:
        return first(x, 1)
    return x * 2 + LIMIT
'''
OTHER = """def helper(one, two):
    print(one, two)
    return one * 5 + two * 7


def unwatched():
    return 13
"""
RUST = """pub struct Reader { at: usize }

impl Reader {
    pub fn next(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at] + 1
    }
}

impl From<u8> for Reader {
    fn from(byte: u8) -> Self {
        Reader { at: byte as usize + 2 }
    }
}

pub fn open(path: &str) -> Reader {
    let at = path.len() + 3;
    Reader { at }
}
"""
FILES = {"a.py": PYTHON, "b.py": OTHER, "c.rs": RUST}
PLACES = [
    *(
        "a.py#first",
        "a.py#Box",
        "a.py#Box.put",
        "a.py#Box.take",
        "a.py#last",
        "a.py#LIMIT",
        "a.py#OTHER",
        "a.py#Box.size",
    ),
    *("a.py:9-10", "a.py:3", "a.py", "b.py#helper", "b.py"),
    *("c.rs#Reader", "c.rs#Reader.next", "c.rs#Reader.from", "c.rs#open", "c.rs:5-6"),
]
PIECES = [
    "7",
    "x",
    "\n",
    " ",
    "(",
    ")",
    '"',
    "def g(): return 1\n",
    "    pass\n",
    "#",
    "\r",
    "é",
    "🐍",
    "",
    "",
    "}",
    "\n\n\n",
]


@dataclass
class Pair:
    """The same workspace twice: `quick` judges what edits touched, `slow` everything."""

    folder: Path
    quick: Session
    slow: Session

    @property
    def both(self) -> tuple[Session, Session]:
        return self.quick, self.slow

    def open(self, path: str, text: str) -> None:
        for session in self.both:
            session.open(path, uris.to_uri(self.folder / path), 1, "", text)

    def change(self, path: str, changes: Sequence[TextChange]) -> None:
        for session in self.both:
            document = session.document(path)
            assert document is not None
            session.change(path, document.version + 1, changes, "utf-16")

    def judge(self, path: str, settled: bool) -> None:
        self.quick.judge_edits(path, settled)
        self.slow.judge(path, settled)

    def check(self) -> None:
        quick, slow = self.quick.snapshot(), self.slow.snapshot()
        assert quick.verdicts == slow.verdicts
        for path in self.quick.open_paths:
            one, other = self.quick.view(path), self.slow.view(path)
            assert (one.judged, one.saved) == (other.judged, other.saved)
            mine, theirs = self.quick._open[path].held, self.slow._open[path].held
            assert mine.shown == theirs.shown
            assert {k: c.verdict for k, c in mine.certain.items()} == {k: c.verdict for k, c in theirs.certain.items()}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("twice")
    loop = asyncio.new_event_loop()

    async def begin() -> Pair:
        async with Stage(folder, {}) as stage:
            for name, text in FILES.items():
                stage.write(name, text)
            for number, place in enumerate(PLACES):
                await stage.record(place, text=f"Decision {number}.")
            await stage.record("a.py#first", "b.py#helper", text="Both.", sensitivity="interface")
            await stage.record("a.py#last", text="Text.", sensitivity="text")
            await stage.record("b.py#helper", text="File.", sensitivity="file")
            # One that is stale, one that was renamed and one that is missing, as they stand on disk.
            await stage.record("a.py#Box.take", text="Stale.")
            stage.write("a.py", PYTHON.replace("pop(0)", "pop(1)").replace("def last", "def latest"))
            stage.write("c.rs", RUST.replace("usize + 2", "usize + 9"))
        sessions = []
        for _ in range(2):
            session = await Session.start(find_root(folder))
            await session.load_all()
            sessions.append(session)
        return Pair(folder, *sessions)

    pair = loop.run_until_complete(begin())
    yield pair
    for session in pair.both:
        loop.run_until_complete(session.stop())
    loop.close()


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, int, int, int, int, str, bool, str]]:
    def step() -> tuple[str, int, int, int, int, str, bool, str]:
        line, column = draw(st.integers(0, 34)), draw(st.integers(0, 24))
        length, lines = draw(st.sampled_from([0, 0, 1, 1, 5, 40])), draw(st.sampled_from([0, 0, 0, 0, 1, 3]))
        path = draw(st.sampled_from(["a.py", "a.py", "b.py", "c.rs"]))
        piece = draw(st.sampled_from(PIECES))
        return (
            path,
            line,
            column,
            length,
            lines,
            piece,
            draw(st.booleans()),
            draw(st.sampled_from(["judge", "none", "look"])),
        )

    return [step() for _ in range(draw(st.integers(1, 12)))]


@given(steps=steps(), undo=st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_judging_what_edits_touched_equals_judging_everything(
    pair: Pair, steps: list[tuple[str, int, int, int, int, str, bool, str]], undo: bool
) -> None:
    for path in ("a.py", "b.py", "c.rs"):
        pair.open(path, (pair.folder / path).read_text())
    pair.check()
    for path, line, column, length, lines, piece, settled, then in steps:
        document = pair.quick.document(path)
        assert document is not None
        before = bytes(document.text).decode("utf-8", "replace")
        pair.change(path, [TextChange(((line, column), (line + lines, column + length)), piece)])
        if then != "none":
            pair.judge(path, settled)
        if then == "look":
            pair.check()
        if undo:
            pair.change(path, [TextChange(None, before)])
            pair.judge(path, settled)
    pair.check()


@pytest.mark.parametrize(
    "path, edits",
    {
        "the head of an impl is part of its members' interface": (
            "c.rs",
            [("for Reader {", "for Reader where u8: Copy {")],
        ),
        "an anchor that watches its whole file": ("b.py", [("return 13", "return 14")]),
        "one of two with one path": ("a.py", [("x + 11", "x + 1"), ("import os\n", "")]),
        "the other of two with one path": ("a.py", [("x * 12", "x * 1"), ("def same(x: int)", "def some(x: int)")]),
        "a blank text": ("a.py", [("*", " "), (" ", "  "), ("  ", "\n")]),
        "a name is taken away and put back": ("a.py", [("def first", "def fist"), ("def fist", "def first")]),
        "a definition beside another on one line": (
            "a.py",
            [("LIMIT = 10", "LIMIT = 1000"), ("OTHER = 20", "OTHER = 2")],
        ),
        "lines above": ("a.py", [("import os\n", "import os\nimport re\n\n"), ("import os\n", "")]),
    }.values(),
)
@pytest.mark.parametrize("settled", [False, True])
def test_twins_are_equal_where_more_than_one_symbol_counts(
    pair: Pair, path: str, edits: list[tuple[str, str]], settled: bool
) -> None:
    for name in FILES:
        pair.open(name, (pair.folder / name).read_text())
    for old, new in edits:
        document = pair.quick.document(path)
        assert document is not None
        text = bytes(document.text).decode()
        if old != "*":
            assert text.count(old) >= 1
            start = text.index(old)
            lines = text[:start].split("\n")
            end = (text[: start + len(old)]).split("\n")
            span = ((len(lines) - 1, len(lines[-1])), (len(end) - 1, len(end[-1])))
            pair.change(path, [TextChange(span, new)])
        else:
            pair.change(path, [TextChange(None, new)])
        pair.judge(path, settled)
        pair.check()


def test_most_keys_are_quick(pair: Pair) -> None:
    """The twins would be equal too if the quick one always gave up."""
    pair.open("a.py", PYTHON)
    pair.judge("a.py", True)
    pair.quick.take_edited("a.py")
    line = PYTHON.splitlines().index("    total = a + b * 3")
    pair.change("a.py", [TextChange(((line, 21), (line, 21)), "7")])
    pair.judge("a.py", True)
    edited = pair.quick.take_edited("a.py")
    assert edited is not None and edited.window is not None
    assert (edited.window.first, edited.window.last, edited.window.grown) == (line, line, 0)
    judged = [pair.quick.judged("a.py", key) for key in edited.judged]
    assert {item.anchor.place.symbol for item in judged if item and item.anchor.place.symbol} == {"first"}
    pair.check()
