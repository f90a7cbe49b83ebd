"""What a verdict says changed, as one sentence: which parameter, decorator, field or word, from what to what.

The sentences are written here by hand, as a person would say them of each edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.verdicts import anchor_of, verdict_of

from lsp_server.core.model import Level

PYTHON = (
    "@auth\ndef $0pay(user, timeout=30, *, rate: int = 2) -> int:\n    total = user * rate\n    audit('a', total)\n"
    "    return total\n"
)
SHOP = (
    "class $0Shop(Base):\n    LIMIT = 30\n    names: list = []\n\n    def pay(self):\n        return 1\n\n"
    "    def refund(self):\n        return 2\n"
)
TYPESCRIPT = (
    "export function $0pay(user: string, limit = 3): number {\n  const total = check(user, 1);\n  return total;\n}\n"
)
GO = "package a\n\nfunc (s *Shop) $0Pay(user string, limit int) int {\n\ttotal := check(user, 1)\n\treturn total\n}\n"
RUST = "#[inline]\npub fn $0pay(user: &str, limit: u8) -> u8 {\n    let total = check(user, 1);\n    total * limit\n}\n"
JAVA = (
    "class A {\n  @Override public int $0pay(String user, int limit) throws E {\n    int total = check(user, 1);\n"
    "    return total;\n  }\n}\n"
)

SAID: Mapping[tuple[str, str], Sequence[tuple[str, str, str]]] = {
    ("a.py", PYTHON): [
        ("timeout=30", "timeout=60", "Parameter `timeout` changed from 30 to 60"),
        ("timeout=30", "timeout", "Parameter `timeout` has no default any more"),
        ("(user,", "(user=None,", "Parameter `user` now has the default None"),
        ("rate: int", "rate: float", "Parameter `rate` changed from int to float"),
        ("timeout=30", "limit=30", "Parameter `timeout` is now `limit`"),
        (", timeout=30", "", "Parameter `timeout` is gone"),
        ("timeout=30", "timeout=30, extra=1, more=2", "Parameters `extra` and `more` are new"),
        ("user, timeout=30", "timeout=30, user", "The order of parameters changed"),
        ("@auth\n", "", "Decorator `@auth` is gone"),
        ("@auth", "@auth\n@retry(3)", "Decorator `@retry(3)` is new"),
        ("@auth", "@audit", "Decorator `@auth` is now `@audit`"),
        ("-> int", "-> float", "Return type changed from `int` to `float`"),
        ("-> int", "", "Return type `int` is gone"),
        ("def", "async def", "`async` is new in the declaration"),
        ("user * rate", "user + rate", "In the body `*` became `+`"),
        ("    audit('a', total)\n", "", "The body changed in 1 line"),
        ("return total", "total += 1\n    audit('b', total)\n    return total", "The body changed in 2 lines"),
        ("    total = user * rate\n    audit('a', total)\n", "    audit('a', total)\n    total = user * rate\n",
         "The order of lines in the body changed"),
    ],
    ("a.py", SHOP): [
        ("LIMIT = 30", "LIMIT = 60", "Field `LIMIT` changed from 30 to 60"),
        ("    LIMIT = 30\n", "", "Field `LIMIT` is gone"),
        ("(Base)", "(Base, Mixin)", "Bases changed from `(Base)` to `(Base, Mixin)`"),
        ("return 1", "return 3", "`pay` changed"),
        ("def refund", "def cancel", "`cancel` is new and `refund` is gone"),
    ],
    ("a.py", "$0TIMEOUT = 30\n"): [("30", "60", "`TIMEOUT` changed from 30 to 60")],
    ("a.ts", TYPESCRIPT): [
        ("limit = 3", "limit = 4", "Parameter `limit` changed from 3 to 4"),
        ("user: string", "user: number", "Parameter `user` changed from string to number"),
        ("user: string", "user?: string", "Parameter `user` changed from `user: string` to `user?: string`"),
        ("export function", "export async function", "`async` is new in the declaration"),
    ],
    ("a.go", GO): [
        ("limit int", "limit int64", "Parameter `limit` changed from int to int64"),
        (") int {", ") int64 {", "Return type changed from `int` to `int64`"),
        ("s *Shop", "s Shop", "Receiver changed from `(s *Shop)` to `(s Shop)`"),
    ],
    ("a.rs", RUST): [
        ("limit: u8", "limit: u16", "Parameter `limit` changed from u8 to u16"),
        ("#[inline]\n", "", "Decorator `#[inline]` is gone"),
        ("pub fn", "fn", "Modifiers `pub` are gone"),
    ],
    ("A.java", JAVA): [
        ("int limit", "long limit", "Parameter `limit` changed from int to long"),
        ("@Override public", "public", "Modifiers changed from `@Override public` to `public`"),
    ],
    ("a.c", "int $0pay(const char *user, int limit) {\n  int total = check(user, 1);\n  return total;\n}\n"): [
        ("int limit", "long limit", "Parameter `limit` changed from int to long"),
    ],
    ("a.yaml", "shop:\n  $0timeout: 30\n  name: a\n"): [("30", "60", "`timeout` changed from 30 to 60")],
}  # fmt: skip


def _cases() -> list[tuple[str, str, str, str, str]]:
    return [(path, text, *edit) for (path, text), edits in SAID.items() for edit in edits]


@pytest.mark.parametrize(("path", "text", "old", "new", "said"), _cases())
def test_what_changed_is_said(path: str, text: str, old: str, new: str, said: str) -> None:
    assert old in text
    found = verdict_of(anchor_of(path, text), {path: text.replace(old, new, 1)})
    assert found.level is Level.CHANGED
    assert found.detail == f"{said} since 3f2a9c1."


def test_where_the_text_is_not_kept_the_parts_are_named() -> None:
    anchor = anchor_of("a.py", PYTHON)
    lost = replace(anchor, baselines=(replace(anchor.baselines[0], content=None),))
    found = verdict_of(lost, {"a.py": PYTHON.replace("timeout=30", "timeout=60").replace("user *", "user +")})
    assert found.detail == "Body and parameters changed since 3f2a9c1."


def test_style_is_no_difference_that_is_told() -> None:
    text = "@auth('a')\ndef $0pay(user='x', timeout=30):\n    return total(user, timeout, 'a')\n"
    found = verdict_of(anchor_of("a.py", text), {"a.py": text.replace("'", '"').replace("30", "60")})
    assert found.detail == "Parameter `timeout` changed from 30 to 60 since 3f2a9c1."


@given(st.data())
def test_whatever_changed_it_is_one_sentence(data: st.DataObject) -> None:
    """No edit breaks the telling, and it never says what the text does not hold."""
    path, text = data.draw(st.sampled_from(sorted(SAID)))
    plain = text.replace("$0", "")
    at = data.draw(st.integers(0, len(plain)))
    end = data.draw(st.integers(at, min(len(plain), at + 12)))
    put = data.draw(st.text(st.sampled_from("ab1 ()[]{}:,='\"`\n*&"), max_size=8))
    found = verdict_of(anchor_of(path, text), {path: plain[:at] + put + plain[end:]})
    assert found.detail.endswith(".") and "\n" not in found.detail
    assert len(found.detail) < 600
