"""What changed, as unified diffs whose lines are written out by hand."""

from __future__ import annotations

import pytest

from lsp_server.core.explain import unified

CASES = {
    "nothing": ("a\nb", "a\nb", [], 0, 0),
    "line ends alone": ("a\r\nb", "a\nb\n", [], 0, 0),
    "one line": ("a\nb\nc", "a\nx\nc", ["@@ -1,3 +1,3 @@", " a", "-b", "+x", " c"], 1, 1),
    "gone": ("a\nb", "", ["@@ -1,2 +0,0 @@", "-a", "-b"], 0, 2),
}


@pytest.mark.parametrize("name", CASES)
def test_unified(name: str) -> None:
    before, after, lines, added, removed = CASES[name]
    found = unified(before, after)
    assert (list(found.lines), found.added, found.removed) == (lines, added, removed)
