"""One workspace in two sessions, the one quick and the other slow, for tests that both say the same."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

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

    def open_all(self) -> None:
        for path in FILES:
            self.open(path, (self.folder / path).read_text())

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


def pairs(folder: Path) -> Iterator[Pair]:
    """The pair over a new workspace in a folder, once."""
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
