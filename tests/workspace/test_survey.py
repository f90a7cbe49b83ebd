"""A survey of many anchors against judging each of them by itself, with what earlier surveys left behind."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.drift import judge
from lsp_server.core.fingerprint import content_of, fingerprint, fingerprint_file, fingerprint_region
from lsp_server.core.ids import body_hash
from lsp_server.core.model import Anchor, Baseline, FollowedPlace, Level, Locus, Memory, Sensitivity, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.features import operations
from lsp_server.store.judged import Kept
from lsp_server.workspace import survey as survey_module
from lsp_server.workspace.files import Files
from lsp_server.workspace.session import faulty_states
from lsp_server.workspace.survey import Survey

FILES = ("a.py", "b.py", "notes.txt", "c.h")

DEFINITIONS = (
    "def one(a, b=2):\n    total = a + b\n    return total * 3\n",
    "def one(a, b=2):\n    # summed\n    total = a + b\n    return total * 3\n",
    "def one(a, b=2):\n    total = a - b\n    return total * 3\n",
    "class Two:\n    def put(self, thing):\n        self.things.append(thing)\n        return self\n",
    "class Two:\n    def put(self, thing):\n        self.things.insert(0, thing)\n        return self\n",
    "def same(x: int):\n    return x\n",
    "def same(x: str):\n    return x * 2\n",
    "x = (\n",
)
C = ("int one(int a) {\n  return a + 1;\n}\n", "int one(int a) {\n  return a + 2;\n}\n", "class Two {\n};\n")
PROSE = ("First things.\n", "Second things,\nand more of them.\n", "Third.\n")

SYMBOLS = ("one", "Two", "Two.put", "same")


def texts_of(name: str) -> st.SearchStrategy[str | None]:
    parts = C if name.endswith(".h") else PROSE if name.endswith(".txt") else DEFINITIONS
    text = st.lists(st.sampled_from(parts), max_size=4).map("\n".join)
    return st.one_of(st.none(), text, text.map(lambda one: one.replace("\n", "\r\n")), text.map("\ufeff{}".format))


states = st.fixed_dictionaries({name: texts_of(name) for name in FILES})


def write(folder: Path, state: Mapping[str, str | None]) -> None:
    """Files written long ago, so that their stamps are believed."""
    for name, text in state.items():
        path = folder / name
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_bytes(text.encode())
            os.utime(path, (time.time() - 60 - len(text),) * 2)


def parsed(name: str, text: str) -> Source:
    return read_source(name, Text.of(text.encode()))


@st.composite
def places(draw: st.DrawFn) -> Locus:
    name = draw(st.sampled_from(FILES))
    what = draw(st.sampled_from(["symbol", "symbol", "symbol", "lines", "file"]))
    if what == "symbol" and name != "notes.txt":
        return Locus(name, draw(st.sampled_from(SYMBOLS)))
    return Locus(name, None, (1, draw(st.integers(1, 3))) if what == "lines" else None)


def accepted(place: Locus, text: str | None, number: int, body: str, state: str) -> Baseline | None:
    """What accepting the code at a place would write down; None where there is no such code."""
    if text is None:
        return None
    source = parsed(place.file, text)
    assert source.text is not None
    lines = (1, source.text.line_count)
    if place.symbol is not None:
        there = source.outline.by_path(place.symbol) if source.outline is not None else ()
        if not there:
            return None
        print_, lines = fingerprint(source, there[-1]), (there[-1].start_line, there[-1].end_line)
        content = content_of(source, there[-1])
    elif place.lines is not None:
        if place.lines[1] > source.text.line_count:
            return None
        print_, lines, content = fingerprint_region(source, place.lines), place.lines, content_of(source, place.lines)
    else:
        print_, content = fingerprint_file(source), content_of(source, None)
    moment = "2026-01-01T00:00:00Z"
    return Baseline(f"b{number}", print_, place, content, None, lines, body, state, "Ada", moment, "")


@st.composite
def anchors(draw: st.DrawFn, known: Sequence[dict[str, str | None]], number: int) -> Anchor:
    locus = draw(places())
    taken = []
    for at in range(draw(st.integers(0, 3))):
        place = locus if draw(st.integers(0, 3)) else draw(places())
        body, state = draw(st.sampled_from(["h", "h", "older"])), draw(st.sampled_from(["accepted", "open"]))
        baseline = accepted(place, draw(st.sampled_from(known))[place.file], at, body, state)
        if baseline is not None:
            taken.append(baseline)
    followed = (FollowedPlace(locus, draw(places()), "", "e"),) if draw(st.integers(0, 4)) == 0 else ()
    sensitivity = draw(st.sampled_from([Sensitivity.CODE, Sensitivity.CODE, *Sensitivity]))
    return Anchor(f"a{number}", locus, sensitivity, tuple(taken), followed)


def check_survey(folder: Path, asked: Sequence[Anchor], kept: dict[str, Kept], regressed: frozenset[str]) -> None:
    """What a survey says is what judging by itself says; where it knows no bytes, nothing is stale."""
    survey, slow = Survey(Files(folder), kept), Files(folder)
    for anchor in asked:
        found = survey.verdict("digest", anchor, body_hash="h", regressed=regressed)
        wanted = judge(anchor, slow.source, body_hash="h", regressed=regressed)
        if found.now is not None and found.span is None:
            assert found.level is Level.FRESH
            wanted = replace(wanted, span=None, name_span=None)
        assert found == wanted
    for name in FILES:
        there = [("digest", anchor.id) for anchor in asked if anchor.place.file == name]
        stale = [anchor for anchor in asked if anchor.place.file == name and judged(anchor, slow, regressed).stale]
        assert not (stale and survey.is_quiet(name, there))
    kept.update(survey.news())


def judged(anchor: Anchor, files: Files, regressed: frozenset[str]) -> Verdict:
    return judge(anchor, files.source, body_hash="h", regressed=regressed)


@given(st.data())
def test_a_survey_says_what_judging_says(data: st.DataObject) -> None:
    known = data.draw(st.lists(states, min_size=1, max_size=3))
    asked = [data.draw(anchors(known, number)) for number in range(data.draw(st.integers(1, 4)))]
    regressed = frozenset(data.draw(st.sampled_from([[], [], ["open"]])))
    kept: dict[str, Kept] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for state in data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=4)):
            write(folder, state)
            check_survey(folder, asked, kept, regressed)


def test_what_was_judged_is_not_judged_again(tmp_path: Path) -> None:
    """The second survey parses nothing, whether the file is as it was accepted or was edited since."""
    before = {**dict.fromkeys(FILES), "a.py": DEFINITIONS[0] + DEFINITIONS[3], "b.py": DEFINITIONS[0]}
    found = [accepted(Locus(name, "one"), before[name], 0, "h", "accepted") for name in ("a.py", "b.py")]
    asked = [
        Anchor(f"a{number}", one.place, Sensitivity.CODE, (one,)) for number, one in enumerate(found) if one is not None
    ]
    write(tmp_path, {**before, "b.py": "import x\n\n" + DEFINITIONS[2]})
    counts = []
    kept: dict[str, Kept] = {}
    for _ in range(2):
        files = Counting(tmp_path)
        survey = Survey(files, kept, files.source)
        levels = [survey.verdict("digest", anchor, body_hash="h").level for anchor in asked]
        assert levels == [Level.FRESH, Level.CHANGED]
        counts.append(files.sources)
        kept.update(survey.news())
        assert survey.news() == {}
    assert counts == [["b.py"], []]
    survey = Survey(Files(tmp_path), kept)
    assert survey.is_quiet("a.py", [("digest", "a0")])
    assert not survey.is_quiet("a.py", [("another reading", "a0")])
    assert not survey.is_quiet("b.py", [("digest", "a1")])


class Counting(Files):
    """Files that say which of them were parsed."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.sources: list[str] = []

    def source(self, path: str) -> Source:
        self.sources.append(path)
        return super().source(path)


def test_what_is_kept_is_not_believed_blindly(tmp_path: Path) -> None:
    """Damage, other bytes, another version or another reading of the memory: each time it is judged anew."""
    state = {**dict.fromkeys(FILES), "a.py": DEFINITIONS[0]}
    write(tmp_path, {**state, "a.py": "\n" + DEFINITIONS[2]})
    baseline = accepted(Locus("a.py", "one"), DEFINITIONS[0], 0, "h", "accepted")
    assert baseline is not None
    anchor = Anchor("a0", baseline.place, Sensitivity.CODE, (baseline,))
    survey = Survey(Files(tmp_path), {})
    changed = survey.verdict("digest", anchor, body_hash="h")
    assert changed.level is Level.CHANGED
    good = survey.news()["a.py"]
    assert Survey(Files(tmp_path), {"a.py": good}).verdict("digest", anchor, body_hash="h") == changed
    lie = good.verdicts.replace('"changed"', '"fresh"')
    assert lie != good.verdicts
    for digest, kept, level in (
        ("digest", good._replace(verdicts=lie), Level.FRESH),
        ("digest", good._replace(verdicts=lie, version="other"), Level.CHANGED),
        ("digest", good._replace(verdicts=lie, sha256="0" * 64), Level.CHANGED),
        ("another", good._replace(verdicts=lie), Level.CHANGED),
        *[
            ("digest", good._replace(verdicts=text), Level.CHANGED)
            for text in ("", "[]", "{", "null", '{"digest/a0": 1}', '{"digest/a0": [1, 2]}', '{"digest/a0": "x"}')
        ],
        ("digest", good._replace(verdicts='{"digest/a0": ["gone"' + ", 1" * 8 + "]}"), Level.CHANGED),
        ("digest", good._replace(verdicts="[" * 100_000), Level.CHANGED),
    ):
        found = Survey(Files(tmp_path), {"a.py": kept}).verdict(digest, anchor, body_hash="h")
        assert found.level is level, kept


def test_every_field_of_a_verdict_is_kept() -> None:
    """A new field of `Verdict` must be thought of here."""
    assert [one.name for one in dataclasses.fields(Verdict)] == [
        *("anchor", "level", "reason", "detail", "now", "candidates", "baseline", "span", "name_span", "members"),
        "held",
    ]
    assert survey_module.AS_ACCEPTED == 0


# ---- the whole of it: a session with what earlier ones left, against one that looks into every file


LOCI = ("a.py#one", "a.py#Two.put", "a.py:1-3", "b.py#one", "b.py", "notes.txt", "c.h#one")
START = {"a.py": DEFINITIONS[0] + "\n" + DEFINITIONS[3], "b.py": DEFINITIONS[0], "notes.txt": PROSE[0], "c.h": C[0]}
VERSIONS: dict[str, tuple[str | None, ...]] = {
    "a.py": (
        *(START["a.py"], "\n" + START["a.py"], DEFINITIONS[1] + "\n" + DEFINITIONS[4]),
        *(DEFINITIONS[3], "x = (\n", None),
    ),
    "b.py": (START["b.py"], DEFINITIONS[2], DEFINITIONS[0] + DEFINITIONS[5], None),
    "notes.txt": (PROSE[0], PROSE[1], None),
    "c.h": (C[0], C[1], "// one\n" + C[0], C[2]),
}


async def answers(folder: Path, *, survey: bool) -> tuple[list[tuple[Any, Any]], list[str]]:
    """What `check` answers of every anchor, and the files that a server's first scan finds stale."""
    async with Stage(folder, {}) as stage:
        if not survey:
            session = stage.session

            def plain(_: object, known: object, memory: Memory, anchor: Anchor) -> Verdict:
                hashed = body_hash(memory.body)
                return judge(anchor, session.read, body_hash=hashed, regressed=faulty_states(memory))

            setattr(session, "_by_survey", plain)  # noqa: B010 - a method's place
        memories = (await operations.check(stage.session, everything=True))["memories"]
        checked = sorted((one["text"], one["anchors"]) for one in memories)
    async with Stage(folder, {}) as stage:
        if not survey:
            for path in (folder / ".moorline").glob("index.db*"):
                path.unlink()
        await stage.session.first_scan()
        return checked, list(stage.session.closed_stale)


@settings(max_examples=12)
@given(st.lists(st.fixed_dictionaries({name: st.sampled_from(some) for name, some in VERSIONS.items()}), max_size=3))
def test_a_session_says_what_one_without_memory_says(states: list[dict[str, str | None]]) -> None:
    async def live(folder: Path) -> None:
        write(folder, START)
        async with Stage(folder, {}) as stage:
            for locus in LOCI:
                await stage.record(locus, text=f"Why {locus} is so.")
        history: list[Mapping[str, str | None]] = [START, *states]
        for state in history:
            write(folder, state)
            warm = await answers(folder, survey=True)
            assert warm == await answers(folder, survey=True)
            assert warm == await answers(folder, survey=False)

    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(live(Path(temporary)))
