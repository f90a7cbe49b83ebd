"""Tables on terminals of any width: what can be typed again is never lost, what is only to be read gives way."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.cli.printing import BETWEEN, LEAST, Printer, column_widths

if TYPE_CHECKING:
    from conftest import Repository


@given(st.lists(st.integers(0, 200), min_size=2, max_size=6), st.data())
def test_widths(natural: list[int], data: st.DataObject) -> None:
    wraps = data.draw(st.integers(0, len(natural) - 1))
    room = data.draw(st.integers(0, 400))
    widths = column_widths(natural, wraps, room)
    total = sum(widths) + BETWEEN * (len(widths) - 1)
    fits = sum(natural) + BETWEEN * (len(natural) - 1) <= room
    assert (widths == natural) == (fits or all(natural[at] <= LEAST for at in (wraps, len(natural) - 1)))
    for number, (width, wanted) in enumerate(zip(widths, natural, strict=True)):
        assert width <= wanted
        if number in (wraps, len(natural) - 1):
            assert width >= min(wanted, LEAST)
        else:
            assert width == wanted
    if not fits and total < room:
        raise AssertionError("room is left, and something was cut")
    if total > room:
        assert all(widths[at] == min(natural[at], LEAST) for at in (wraps, len(natural) - 1))
    if widths[wraps] < natural[wraps] and wraps != len(natural) - 1:
        assert widths[-1] == min(natural[-1], LEAST), "the last gives way first"


PLACE = "src/provider/tokens.py#Provider.verify_jwt"


@pytest.mark.parametrize("columns", [60, 80, 100, 200])
def test_the_place_is_whole_in_any_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    printer = Printer(out, io.StringIO())
    headers = ["id", "kind", "standing", "place", "text"]
    printer.table(headers, [["3f2a1b4c", "Decision", "stale", PLACE, "Because it was decided. " * 9]], wraps="place")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()).splitlines()
    assert all(len(line) <= columns for line in lines)
    at = lines[0].index("place")
    end = lines[0].index("text")
    assert "".join(line[at:end].strip() for line in lines[2:]) == PLACE


def test_markers_are_listed_with_the_lines_that_they_name(repo: Repository) -> None:
    repo.write("docs/login.md", "Names are joined @anchor(file=src/auth.py, lines=1-2) so.\n")
    assert "docs/login.md:1: src/auth.py:1-2: " in repo("markers").out
