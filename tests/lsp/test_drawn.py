"""Diagnostics that are kept up to date edit by edit equal those that are drawn anew."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.twins import FILES, PYTHON, Pair, pairs, steps

from lsp_server.core.text import Encoding, TextChange
from lsp_server.lsp.drawn import Drawings
from lsp_server.lsp.publish import Publisher


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    yield from pairs(tmp_path_factory.mktemp("drawn"))


def check_equal(pair: Pair, kept: Drawings, anew: Drawings) -> None:
    for path in FILES:
        assert kept.items(pair.quick, path) == anew.draw(pair.slow, path).items


@given(steps=steps(), encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]), related=st.booleans())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_kept_diagnostics_equal_those_drawn_anew(
    pair: Pair,
    steps: list[tuple[str, int, int, int, int, str, bool, str]],
    encoding: Encoding,
    related: bool,
) -> None:
    kept, anew = (Drawings(encoding, related, Publisher.uri_of) for _ in range(2))
    pair.open_all()
    check_equal(pair, kept, anew)
    for path, line, column, length, lines, piece, settled, then in steps:
        pair.change(path, [TextChange(((line, column), (line + lines, column + length)), piece)])
        if then != "none":
            pair.judge(path, settled)
        if then == "look":
            check_equal(pair, kept, anew)
    check_equal(pair, kept, anew)


@pytest.mark.parametrize(
    "old, new",
    [
        ("b * 3", "b * 37"),
        ("import os\n", "import os\n\n\n"),
        ("LIMIT = 10; ", "LIMIT = 100000; "),
        ("size = 4", "size = 45"),
    ],
)
def test_only_what_was_touched_is_drawn_again(pair: Pair, old: str, new: str) -> None:
    kept = Drawings("utf-16", True, Publisher.uri_of)
    pair.open_all()
    for path in FILES:
        pair.judge(path, True)
    before = kept.items(pair.quick, "c.rs")
    assert kept.items(pair.quick, "c.rs") is before
    before = kept.items(pair.quick, "a.py")
    text = PYTHON[: PYTHON.index(old)]
    line, column = text.count("\n"), len(text.rpartition("\n")[2])
    end = (line + old.count("\n"), len(old.rpartition("\n")[2]) if "\n" in old else column + len(old))
    pair.change("a.py", [TextChange(((line, column), end), new)])
    pair.judge("a.py", False)
    items = kept.items(pair.quick, "a.py")
    assert items == Drawings("utf-16", True, Publisher.uri_of).draw(pair.slow, "a.py").items
    same = sum(one is other for one, other in zip(before, items, strict=True))
    assert same >= (0 if "\n" in new else len(items) // 2)
