"""Evidence as people write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.evidence import (
    TYPES,
    VALUE_LIMIT,
    EvidenceError,
    checked,
    evidence_data,
    evidence_from,
    is_new,
    parse_evidence,
    write_evidence,
)
from lsp_server.core.model import Evidence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("commit:c0ffee", Evidence("commit", "c0ffee")),
        (
            "fix-verification=test:tests/a.py::test_b[x=1]",
            Evidence("test", "tests/a.py::test_b[x=1]", "fix-verification"),
        ),
        ("file:src/a b.py:3-9", Evidence("file", "src/a b.py:3-9")),
        ("file:src/a.py", Evidence("file", "src/a.py")),
        ("url:https://example.org/x?a=b:c", Evidence("url", "https://example.org/x?a=b:c")),
        ("quote:a=b: so they said\nthen", Evidence("quote", "a=b: so they said\nthen")),
        ("  why=quote: spaces around  ", Evidence("quote", "spaces around", "why")),
    ],
)
def test_evidence_is_read(text: str, expected: Evidence) -> None:
    assert parse_evidence(text) == expected


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("c0ffee", "commit:SHA"),
        ("commit:", "commit:SHA"),
        ("commit:a b", "commit:SHA"),
        ("commit:a..b:c", "commit:SHA"),
        ("url:ftp://x", "url:https"),
        ("url:javascript:alert(1)", "url:https"),
        ("file:a.py:0", "file:PATH:LINES"),
        ("file:a.py:3-x", "file:PATH:LINES"),
        ("file:a\0.py", "file:PATH:LINES"),
        ("Fix Verification=test:t", "commit:SHA"),
        ("FIX=test:t", "small letters"),
        ("quote:" + "x" * (VALUE_LIMIT + 1), "shorten it"),
        ("mail:a@b", "commit:SHA"),
    ],
)
def test_what_is_none_says_how_to_write_it(text: str, mend: str) -> None:
    with pytest.raises(EvidenceError, match=mend) as refused:
        parse_evidence(text)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 250


PIECES = st.builds(
    Evidence,
    st.sampled_from(sorted(TYPES)),
    st.text(min_size=1, max_size=20),
    st.sampled_from(["", "why", "fix-verification"]),
    st.sampled_from(["", "c0ffee"]),
)


@given(PIECES)
def test_what_was_checked_reads_back_from_text_and_from_an_event(piece: Evidence) -> None:
    assert evidence_from(evidence_data([piece])) == (piece,)
    try:
        checked(piece)
    except EvidenceError:
        return
    if piece.value == piece.value.strip() and not piece.revision:
        assert parse_evidence(write_evidence(piece)) == piece


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_whatever_an_event_holds_is_read(data: object) -> None:
    assert all(isinstance(piece.value, str) for piece in evidence_from(data))


def test_new_evidence_says_something_else_whatever_its_role() -> None:
    known = [Evidence("test", "t", "", "one"), Evidence("commit", "c")]
    assert not is_new(Evidence("commit", "c", "fix-verification"), known)
    assert not is_new(Evidence("test", "t", "x", "one"), known)
    assert is_new(Evidence("test", "t", "", "two"), known)
    assert is_new(Evidence("commit", "d"), known)
