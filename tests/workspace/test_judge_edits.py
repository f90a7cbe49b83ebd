"""Judging what edits touched equals judging everything: two sessions over the same buffers, one of each kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.twins import PYTHON, Pair, pairs, steps

from lsp_server.core.text import TextChange


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    yield from pairs(tmp_path_factory.mktemp("twice"))


@given(steps=steps(), undo=st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_judging_what_edits_touched_equals_judging_everything(
    pair: Pair, steps: list[tuple[str, int, int, int, int, str, bool, str]], undo: bool
) -> None:
    pair.open_all()
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
            pair.judge(path, not settled)
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
        "a text that is gone": ("a.py", [("*", "")]),
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
    pair.open_all()
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
    pair.judge(path, True)
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
