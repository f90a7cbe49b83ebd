"""Terms: how a text is cut, so that identifiers, words and Chinese meet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.terms import LONGEST, by_script, grams, is_chinese, neighbours, parts_of, runs, terms


def check_terms(text: str, *wanted: str) -> None:
    assert terms(text) == list(wanted)


CUT = {
    "": (),
    " .,;()[] — ": (),
    "Verify": ("verifi",),
    "verifyJwt": ("verifi", "jwt", "verifyjwt"),
    "verify_jwt": ("verifi", "jwt", "verifyjwt"),
    "VERIFY_JWT": ("verifi", "jwt", "verifyjwt"),
    "verify-jwt": ("verifi", "jwt"),
    "HTTPServer": ("http", "server", "httpserver"),
    "__init__": ("init",),
    "sha256": ("sha", "256", "sha256"),
    "retries retrying": ("retri", "retri"),
    "超": ("超",),
    "超时": ("超时",),
    "登录超时": ("登录", "录超", "超时"),
    "修复Modal弹窗": ("修复", "modal", "弹窗"),
    "café": ("café",),
    "src/auth.py#Provider": ("src", "auth", "py", "provid"),
}


@pytest.mark.parametrize("text", CUT)
def test_a_text_is_cut(text: str) -> None:
    check_terms(text, *CUT[text])


def test_pieces_are_of_three_characters_and_none_is_chinese() -> None:
    assert grams("verify a jwt_ok 超时了吗") == ["ver", "eri", "rif", "ify", "a", "jwt", "ok"]


def test_neighbours_are_pairs_in_order() -> None:
    assert neighbours("one two one") == {("one", "two"), ("two", "one")}
    assert neighbours("alone") == frozenset()
    assert neighbours("登录超时") == {("登录", "录超"), ("录超", "超时")}


def test_terms_are_told_apart_by_script() -> None:
    assert by_script(["a", "超时", "b"]) == (["a", "b"], ["超时"])


@given(st.text(max_size=60))
def test_terms_of_any_text_are_words_of_it_that_sqlite_takes_as_one(text: str) -> None:
    low = text.lower()
    for term in terms(text):
        assert term and not term.isspace() and '"' not in term and "_" not in term
        assert (
            len(term) <= LONGEST + 3
        )  # A capital may be several small letters, and what a stem ends in may be a letter more.
        assert not is_chinese(term) or term in low
    for piece in grams(text):
        assert 0 < len(piece) <= 3 and not is_chinese(piece)


@given(st.text(alphabet="aB1_Z超", max_size=20))
def test_the_parts_of_an_identifier_are_all_of_it(text: str) -> None:
    for run in runs(text):
        if not is_chinese(run):
            assert "".join(parts_of(run)) == run.replace("_", "")
