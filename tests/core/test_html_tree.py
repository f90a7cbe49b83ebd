"""HTML: what counts as the same makes the same tree, by a parser that follows the standard and is not ours."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.language_cases import LANGUAGE_CASES

lexbor = pytest.importorskip("selectolax.lexbor")

CASES = LANGUAGE_CASES["a.html"]
BLOCKS = frozenset("body button caption dd div dl dt form h1 li nav ol p section td th ul".split())  # noqa: SIM905
LINES = BLOCKS - {"body", "button", "caption", "td", "th"}
HOLD_NO_TEXT = frozenset("html head table thead tbody tfoot tr colgroup select optgroup".split())  # noqa: SIM905


def tree(text: str) -> list[str]:
    """The elements, attributes and texts that a browser makes of a text, one a line, with white space as it shows it:
    any as one space, none at the ends of a block and where there may be no text."""
    out: list[str] = []
    text = re.sub(r"\s*<!--.*?-->", "", text)

    def walk(node: Any, exact: bool) -> None:
        for child in node.iter(include_text=True):
            if child.tag == "-text":
                written = child.text_content if exact else re.sub(r"[ \t\n]+", " ", child.text_content)
                first, last = child.prev is None, child.next is None
                if (first and node.tag in BLOCKS) or (child.prev is not None and child.prev.tag in LINES):
                    written = written.lstrip()
                if (last and node.tag in BLOCKS) or (child.next is not None and child.next.tag in LINES):
                    written = written.rstrip()
                if (node.tag in HOLD_NO_TEXT and not written.strip()) or not written:
                    continue
                out.append(f"text {plain(node, written) if exact else written!r}")
                continue
            if child.tag.startswith("-") or child.tag.startswith("_"):
                continue
            attributes = {name: value(name, held or "") for name, held in child.attributes.items()}
            out.append(f"<{child.tag} {list(attributes.items())}")
            walk(child, child.tag in ("pre", "textarea", "script", "style"))
            out.append(">")

    walk(lexbor.LexborHTMLParser(f"<!doctype html><body>{text}").body, False)
    return out


def value(name: str, held: str) -> Any:
    """A value as a browser reads it: words, declarations, or letters."""
    if name == "class":
        return held.split()
    if name == "style":
        return [re.sub(r"\s*:\s*", ":", part.strip()) for part in held.split(";") if part.strip()]
    return held


def plain(node: Any, written: str) -> str:
    """The text of a script or a style sheet without its layout, semicolons that end it, and quotes."""
    if node.tag in ("script", "style") and node.attributes.get("type") != "text/x" and "lang" not in node.attributes:
        return re.sub(r"\s+(?=[^\w\"'])|(?<=[^\w\"'])\s+|;(?=\s*(?:}|\Z))", "", written.strip()).replace("'", '"')
    return written


@pytest.mark.parametrize(("one", "other"), CASES.same)
def test_what_counts_as_the_same_is_the_same_tree(one: str, other: str) -> None:
    assert tree(one) == tree(other)


@pytest.mark.parametrize(("one", "other"), CASES.different)
def test_what_does_not_is_another_one(one: str, other: str) -> None:
    assert tree(one) != tree(other)
