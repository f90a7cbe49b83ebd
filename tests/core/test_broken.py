"""Syntax errors as they are remembered: what was looked at is never taken for another text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.broken import breaks, fresh_breaks
from lsp_server.core.source import edit_source, read_source
from lsp_server.core.text import Text

CODE = "def f(a):\n    return a + 1\n\n\ndef g(b):\n    return [b, (b)]\n"


@given(st.data())
def test_what_is_remembered_equals_what_is_looked_for_anew(data: st.DataObject) -> None:
    sources = [read_source("a.py", Text.of(CODE))]
    for _ in range(data.draw(st.integers(1, 8))):
        before = data.draw(st.sampled_from(sources))
        assert before.text is not None
        start = data.draw(st.integers(0, len(before.text)))
        new = data.draw(st.sampled_from([b"(", b")", b"\n", b"x = =", b"", b"7"]))
        text, edit = before.text.replace(start, min(len(before.text), start + 1), new)
        sources.append(edit_source(before, text, (edit,)))
        for source in sources:
            assert breaks(source) == tuple(fresh_breaks(source))
            assert breaks(source) is breaks(source)
