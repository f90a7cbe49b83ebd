"""Every spelling of a URI gives one path."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.workspace.uris import key, same, to_path, to_uri


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///w/My%20Proj%20%231%20%28%C3%BC%29/a.py", "/w/My Proj #1 (ü)/a.py"),
        ("file:///w/My%20Proj%20%231%20(ü)/a.py", "/w/My Proj #1 (ü)/a.py"),
        ("file:///w/My Proj #1 (%c3%bc)/a.py", "/w/My Proj #1 (ü)/a.py"),
        ("file:///w/what?.py", "/w/what?.py"),
        ("FILE:///w/a.py", "/w/a.py"),
        ("file:/w/a.py", "/w/a.py"),
        ("file://localhost/w/a.py", "/w/a.py"),
        ("file:///w/./x/..//a.py", "/w/a.py"),
        ("file:///w/%2E%2e/a.py", "/a.py"),
        ("file:///../../a.py", "/a.py"),
        ("file:///w/100%.py", "/w/100%.py"),
        ("file:///w/%FF.py", "/w/\udcff.py"),
        ("file:///c%3A/x.py", "C:/x.py"),
        ("file:///C:/x.py", "C:/x.py"),
        ("file:///C|/x.py", "C:/x.py"),
        ("file://c:/x.py", "C:/x.py"),
        ("file:///c:%5Cdir%5Cx.py", "C:/dir/x.py"),
        ("file://Host/share/x.py", "//host/share/x.py"),
        ("untitled:Untitled-1", None),
        ("git:/w/a.py?%7B%22ref%22%3A%22%22%7D", None),
        ("vscode-notebook-cell:/w/a.ipynb#X", None),
        ("http://localhost/w/a.py", None),
        ("file:relative.py", None),
        ("file://", None),
        ("file:///w/a%00.py", None),
        ("a.py", None),
        ("", None),
    ],
)
def test_to_path(uri: str, path: str | None) -> None:
    assert to_path(uri) == path


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("file:///c%3A/x.py", "file:///C:/x.py", True),
        ("file:///w/%C3%BC.py", "file:///w/ü.py", True),
        ("file:///w/a%2Epy", "file://localhost/w/a.py", True),
        ("file:///w/a.py", "file:///w/A.py", False),
        ("untitled:Untitled-1", "untitled:Untitled-1", True),
        ("untitled:a", "untitled:b", False),
        ("git:/w/a.py", "file:///w/a.py", False),
    ],
)
def test_same_document(one: str, other: str, equal: bool) -> None:
    assert same(one, other) is equal
    assert (key(one) == key(other)) is equal


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/w/My Proj #1 (ü)/a.py", "file:///w/My%20Proj%20%231%20(%C3%BC)/a.py"),
        ("C:/x y.py", "file:///C:/x%20y.py"),
        ("/w/a:b%.py", "file:///w/a%3Ab%25.py"),
        ("//host/share/x.py", "file://host/share/x.py"),
    ],
)
def test_to_uri(path: str, uri: str) -> None:
    assert to_uri(path) == uri


NAMES = st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: name not in (".", "..")
)


@given(names=st.lists(NAMES, min_size=1, max_size=4))
def test_there_and_back(names: list[str]) -> None:
    path = "/w/" + "/".join(names)
    assert to_path(to_uri(path)) == path
    assert to_uri(path).isascii()
    assert to_path("file://" + quote(path, safe="/")) == path
