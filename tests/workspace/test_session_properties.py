"""Random edits through a session against a plain text, and against everything from scratch.

The slow twin of the text is a `str` in which positions are found by walking characters; that of outlines, fingerprints
and verdicts is a source read from scratch. Holding is told by a simple model of its own: what may be shown while syntax
is broken is what was so when it was whole last, or has become so since.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from support.samples import BREAK, SAMPLES, Sample, lines_of, position, units
from support.stage import Stage

from lsp_server.core.drift import judge
from lsp_server.core.fingerprint import fingerprint
from lsp_server.core.ids import body_hash
from lsp_server.core.model import Verdict
from lsp_server.core.source import read_source
from lsp_server.core.text import Encoding, Text, TextChange
from lsp_server.workspace import documents, uris
from lsp_server.workspace.session import Session

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
NAMES = ("one", "two", "three")


# ---- the workspace: one for all examples, as nothing that an example does outlives its closing


class World:
    """A session with three decisions, one region and one whole file in each language's file."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="moorline-"))
        self.loop = asyncio.new_event_loop()
        self.session: Session = self.loop.run_until_complete(self._start())

    async def _start(self) -> Session:
        texts = {sample.file: original(sample) for sample in SAMPLES.values()}
        for name, text in texts.items():
            (self.folder / name).write_bytes(text.encode())
        stage = Stage(self.folder, {})
        await stage.__aenter__()
        for sample in SAMPLES.values():
            for name in NAMES:
                await stage.record(sample.locus(name))
            await stage.record(sample.file, text="All of it.")
            await stage.record(f"{sample.file}:{region(sample)}", text="Two lines.")
            await stage.session.load(sample.file)
        return stage.session

    def end(self) -> None:
        self.loop.run_until_complete(self.session.stop())
        self.loop.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def open(self, sample: Sample, text: str) -> None:
        self.session.open(sample.file, uris.to_uri(self.folder / sample.file), 1, "", text)

    def anchors(self, sample: Sample) -> dict[str, tuple[Any, Any]]:
        """By what it is about, each memory of a file with its anchor."""
        found = {}
        for memory in self.session.snapshot().memories.values():
            for anchor in memory.anchors:
                if anchor.locus.file == sample.file:
                    found[str(anchor.locus)] = (memory, anchor)
        return found

    def shown(self, sample: Sample) -> dict[str, Verdict]:
        return {str(item.anchor.locus): item.verdict for item in self.session.view(sample.file).judged}


def original(sample: Sample) -> str:
    return sample.text(*(sample.define(name, 100 * at) for at, name in enumerate(NAMES, 1)))


def region(sample: Sample) -> str:
    first = next(at for at, line in enumerate(lines_of(original(sample)), 1) if "200" in line)
    return f"{first}-{first + 1}"


_world: list[World] = []


def world() -> World:
    if not _world:
        _world.append(World())
    return _world[0]


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    while _world:
        _world.pop().end()


# ---- the slow twin of the text


def locate(text: str, line: int, column: int, encoding: Encoding) -> int:
    """Index of the character that a client's position stands before; past the end of a line it is the line's end."""
    at = 0
    for _ in range(line):
        found = BREAK.search(text, at)
        if found is None:
            return len(text)
        at = found.end()
    ends = BREAK.search(text, at)
    end = ends.start() if ends else len(text)
    while at < end and units(text[at], encoding) <= column:
        column -= units(text[at], encoding)
        at += 1
    return at


def twin_apply(text: str, changes: Sequence[TextChange], encoding: Encoding) -> str:
    for change in changes:
        if change.range is None:
            text = change.text
            continue
        start, end = (locate(text, *point, encoding) for point in change.range)
        text = text[: min(start, end)] + change.text + text[max(start, end) :]
    return text


# ---- random edits

PIECES = [
    *("", "x", "7", " ", "(", ")", "{", "}", "[", '"', "'", ",", ";", ":", "#", "/*", "*/", "//", "=", "\t"),
    *("\n", "\r\n", "\r", "\n\n", "\f", "\v", "\x85", "\u2028", "\u2029", "\x1c", "🎉", "𝒳é漢", "🎉\r\n🎉", "\ufeff"),
    *("    ", "return 1", "two", "one", "def ", "class A:\n", "if x:\n    ", "else", "fn f() {}", "\n\n\n\n"),
]


@dataclass(frozen=True)
class Ranged:
    """A replacement: where, as shares of the text's length, and by what."""

    start: float
    length: int
    text: str

    def change(self, text: str, encoding: Encoding) -> TextChange:
        start = round(self.start * len(text))
        end = min(len(text), start + self.length)
        return TextChange((position(text, start, encoding), position(text, end, encoding)), self.text)


@dataclass(frozen=True)
class Full:
    """A replacement of the whole text, by what is made of it."""

    how: str

    def change(self, text: str, encoding: Encoding) -> TextChange:
        made = {
            "empty": "",
            "blank": "\n",
            "crlf": BREAK.sub("\r\n", text),
            "lf": BREAK.sub("\n", text),
            "cr": BREAK.sub("\r", text),
            "half": text[: len(text) // 2],
            "twice": text + text,
            "same": text,
        }
        return TextChange(None, made[self.how])


ranged = st.builds(
    Ranged, st.floats(0, 1), st.one_of(st.just(0), st.integers(0, 6), st.integers(0, 80)), st.sampled_from(PIECES)
)
full = st.builds(Full, st.sampled_from(["empty", "blank", "crlf", "lf", "cr", "half", "twice", "same"]))
notifications = st.lists(st.one_of(ranged, ranged, ranged, full), min_size=1, max_size=3)


JUDGED: list[Callable[[Session, str], object] | None] = [
    None,
    lambda session, path: session.judge(path, settled=False),
    lambda session, path: session.judge_edits(path, settled=False),
    lambda session, path: session.judge_edits(path),
    lambda session, path: session.settle(path),
]
"""How a change is judged: not before somebody looks, whole, by what edits touched, or once the client is quiet."""


def check_from_scratch(sample: Sample, text: str) -> None:
    """The server's text is the client's, and what it knows of it is what anybody knows who reads it afresh."""
    session = world().session
    document = session.document(sample.file)
    assert document is not None
    assert bytes(document.text).decode("utf-8", "surrogatepass") == text
    scratch = read_source(sample.file, Text.of(text))
    settled = documents.settled(document).source
    assert settled.outline is not None and scratch.outline is not None
    assert settled.outline.symbols == scratch.outline.symbols
    for symbol in scratch.outline.symbols:
        assert fingerprint(settled, symbol) == fingerprint(scratch, symbol), symbol.path
    shown = world().shown(sample)
    for about, (memory, anchor) in world().anchors(sample).items():
        pure = judge(anchor, lambda path: scratch, body_hash=body_hash(memory.body))
        mine = judge(anchor, lambda path: settled, body_hash=body_hash(memory.body))
        assert mine == pure, about
        if settled is document.source and not shown[about].held:
            assert shown[about] == pure, about
        assert not shown[about].held or scratch.outline.broken or not text.strip(), about


@pytest.mark.parametrize("language", SAMPLES)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_edits_equal_from_scratch(language: str, data: st.DataObject) -> None:
    sample, session = SAMPLES[language], world().session
    encoding = data.draw(st.sampled_from(ENCODINGS))
    start = data.draw(st.sampled_from(["lf", "crlf"]))
    text = original(sample) if start == "lf" else original(sample).replace("\n", "\r\n")
    world().open(sample, text)
    first, texts, version = world().shown(sample), [text], 1
    assert {verdict.level.value for verdict in first.values()} == {"fresh"}
    try:
        for edits in data.draw(st.lists(notifications, min_size=1, max_size=6)):
            changes = []
            for edit in edits:
                changes.append(edit.change(text, encoding))
                text = twin_apply(text, changes[-1:], encoding)
            version += 1
            session.change(sample.file, version, changes, encoding)
            judged = data.draw(st.sampled_from(JUDGED))
            if judged is not None:
                judged(session, sample.file)
            check_from_scratch(sample, text)
            texts.append(text)
        # Undo, step by step, as an editor does it: each with the one range that differs.
        for before in reversed(texts[:-1]):
            version += 1
            session.change(sample.file, version, [undoing(text, before, encoding)], encoding)
            session.judge(sample.file)
            text = before
            check_from_scratch(sample, text)
        session.settle(sample.file)
        assert world().shown(sample) == first
    finally:
        session.close(sample.file)


def undoing(text: str, before: str, encoding: Encoding) -> TextChange:
    """The ranged change that makes `before` of a text: between what both begin and end with."""
    start = 0
    while start < min(len(text), len(before)) and text[start] == before[start]:
        start += 1
    tail = 0
    while tail < min(len(text), len(before)) - start and text[-1 - tail] == before[-1 - tail]:
        tail += 1
    # A position cannot stand between the two characters of a line break.
    if text[start - 1 : start + 1] == "\r\n" or before[start - 1 : start + 1] == "\r\n":
        start -= 1
    for one in (text, before):
        if one[len(one) - tail - 1 : len(one) - tail + 1] == "\r\n":
            tail = max(0, tail - 1)
    end = len(text) - tail
    return TextChange(
        (position(text, start, encoding), position(text, end, encoding)), before[start : len(before) - tail]
    )


# ---- holding, as a state machine of its own

BREAKS = ("(", "[", "{", '"', ")", "}", " = = ", "(1 + ", '["a', "{ if (")
"""What is typed into a body, or between definitions, and makes no sense until it is taken out again."""


@dataclass
class Part:
    """One definition as the model knows it: its constant, whether it is there, and what breaks it."""

    name: str
    number: int
    there: bool = True
    broken: str = ""
    told: set[str] = field(default_factory=set)
    """What has been so since the text was whole last: what may be shown while it is not."""

    def so(self, at: int) -> str:
        """What is so, whatever is broken."""
        return "missing" if not self.there else "kept" if self.number == 100 * at else "changed"


BODY_ENDS = re.compile(r"limit(;?\n)")
LEVELS = {"fresh": "kept", "reformatted": "kept", "moved": "kept"}


class Holding(RuleBasedStateMachine):
    """Opens, edits, breaks, mends, deletes, saves, closes and opens again one file, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.sample = SAMPLES["python"]
        self.parts: list[Part] = []
        self.between = ""
        self.above = 0
        self.disk = ""
        self.opened = False
        self.certain = True
        self.version = 1

    def teardown(self) -> None:
        world().session.close(self.sample.file)
        (world().folder / self.sample.file).write_bytes(original(self.sample).encode())

    # -- the model

    @property
    def whole(self) -> bool:
        return not self.between and not any(part.broken and part.there for part in self.parts)

    def text(self) -> str:
        pieces = []
        for part in self.parts:
            if part.there:
                code = self.sample.define(part.name, part.number)
                if part.broken:
                    code = BODY_ENDS.sub(rf"limit {part.broken}\1", code)
                pieces.append(code)
        body = self.sample.text(*pieces)
        if self.between:
            body = body.replace(self.sample.before, self.sample.before + self.between + "\n\n", 1)
        return self.sample.comment.format("above") * self.above + body

    def note(self) -> None:
        """Keeps in mind what is so now; where the text is whole, nothing else may be shown."""
        for at, part in enumerate(self.parts, 1):
            if self.whole:
                part.told = set()
            part.told.add(part.so(at))
        self.certain |= self.whole

    def send(self, *, full: bool = False, settled: bool = True, by_edits: bool = True) -> None:
        session, text = world().session, self.text()
        document = session.document(self.sample.file)
        assert document is not None
        before = bytes(document.text).decode()
        self.version += 1
        change = TextChange(None, text) if full else undoing(before, text, "utf-16")
        session.change(self.sample.file, self.version, [change], "utf-16")
        assert bytes(session.document(self.sample.file).text).decode() == text  # type: ignore[union-attr]
        self.note()
        if by_edits:
            session.judge_edits(self.sample.file, settled=settled)
        else:
            session.judge(self.sample.file, settled=settled)

    # -- what a person does

    @initialize(language=st.sampled_from(sorted(SAMPLES)))
    def begin(self, language: str) -> None:
        self.sample = SAMPLES[language]
        self.parts = [Part(name, 100 * at) for at, name in enumerate(NAMES, 1)]
        self.disk = self.text()
        assert self.disk == original(self.sample)
        self.open()

    @precondition(lambda self: not self.opened)
    @rule()
    def open(self) -> None:
        self.opened, self.version = True, 1
        # What is not on disk is gone; the model is what the file says, which is what was saved last.
        self.certain = self.whole
        for part in self.parts:
            part.told = set()
        self.note()
        world().open(self.sample, self.disk)

    @precondition(lambda self: self.opened)
    @rule(at=st.integers(0, 2), by=st.integers(0, 3), full=st.booleans(), settled=st.booleans(), by_edits=st.booleans())
    def edit(self, at: int, by: int, full: bool, settled: bool, by_edits: bool) -> None:
        self.parts[at].number = 100 * (at + 1) + by
        self.send(full=full, settled=settled, by_edits=by_edits)

    @precondition(lambda self: self.opened)
    @rule(at=st.integers(0, 2), what=st.sampled_from(BREAKS), full=st.booleans(), settled=st.booleans())
    def break_inside(self, at: int, what: str, full: bool, settled: bool) -> None:
        self.parts[at].broken = what
        self.send(full=full, settled=settled)

    @precondition(lambda self: self.opened)
    @rule(what=st.sampled_from(BREAKS), settled=st.booleans())
    def break_between(self, what: str, settled: bool) -> None:
        self.between = "x = 1" + what
        self.send(settled=settled)

    @precondition(lambda self: self.opened)
    @rule(settled=st.booleans())
    def mend(self, settled: bool) -> None:
        self.between = ""
        for part in self.parts:
            part.broken = ""
        self.send(settled=settled)

    @precondition(lambda self: self.opened)
    @rule(at=st.integers(0, 2), there=st.booleans())
    def delete_or_put_back(self, at: int, there: bool) -> None:
        self.parts[at].there = there
        self.send()

    @precondition(lambda self: self.opened)
    @rule(lines=st.integers(0, 3))
    def shift(self, lines: int) -> None:
        self.above = lines
        self.send()

    @precondition(lambda self: self.opened)
    @rule()
    def settle(self) -> None:
        world().session.settle(self.sample.file)

    @precondition(lambda self: self.opened)
    @rule()
    def save(self) -> None:
        self.disk = self.text()
        (world().folder / self.sample.file).write_bytes(self.disk.encode())
        world().session.saved(self.sample.file)
        self.saved = [replace(part, told=set(part.told)) for part in self.parts], self.between, self.above

    @precondition(lambda self: self.opened)
    @rule()
    def close(self) -> None:
        world().session.close(self.sample.file)
        self.opened = False
        if self.disk != self.text():
            self.parts, self.between, self.above = self.on_disk()

    def on_disk(self) -> tuple[list[Part], str, int]:
        if self.disk == original(self.sample):
            return [Part(name, 100 * at) for at, name in enumerate(NAMES, 1)], "", 0
        parts, between, above = self.saved
        return [replace(part, told=set()) for part in parts], between, above

    # -- what must hold

    @invariant()
    def shown_is_what_may_be(self) -> None:
        if not self.parts:
            return
        shown = world().shown(self.sample)
        scratch = read_source(self.sample.file, Text.of(self.text() if self.opened else self.disk))
        for at, part in enumerate(self.parts, 1):
            about = self.sample.locus(part.name)
            memory, anchor = world().anchors(self.sample)[about]
            verdict = shown[about]
            pure = judge(anchor, lambda path: scratch, body_hash=body_hash(memory.body))
            level = LEVELS.get(verdict.level.value, verdict.level.value)
            if not self.opened:
                assert verdict == pure, "nothing is held of a closed file"
            elif self.whole:
                assert verdict == pure and not verdict.held
                assert level == part.so(at)
            elif self.certain:
                assert level in part.told, f"{part.name} blinks to {verdict.level.value} ({verdict.reason})"
            else:
                assert level in {*part.told, "unverifiable"}


Holding.TestCase.settings = settings(
    max_examples=120, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
test_holding_as_a_state_machine = Holding.TestCase
