"""Markdown: what counts as the same renders the same, by an implementation of CommonMark that is not ours."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.language_cases import LANGUAGE_CASES

from lsp_server.core.commonmark import spelled

markdown_it = pytest.importorskip("markdown_it")

CASES = LANGUAGE_CASES["a.md"]

DEFINITIONS = "\n\n[a]: /one\n[b c]: /two\n[*a*]: /three\n[_a_]: /four\n[a\\*]: /five\n"
"""With and without these a text must render like the other."""

SHOWN_AS_IT_IS = re.compile(r"(<pre>.*?</pre>|<code>.*?</code>|<[^>]*>)", re.DOTALL)


def rendered(text: str) -> str:
    """HTML, with white space as a browser shows it: any as one space, none at the ends of a block."""
    renderer = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parts = SHOWN_AS_IT_IS.split(renderer.render(text))
    html = "".join(part if part.startswith("<") else re.sub(r"[ \t\n]+", " ", part) for part in parts)
    # White space that ends a line of code is not seen; whether a list is loose is white space between its items.
    html = re.sub(r"[ \t]+$", "", html, flags=re.MULTILINE)
    html = re.sub(r"<li> *<p>|</p> *</li>", lambda found: "<li>" if "<li>" in found[0] else "</li>", html)
    html = re.sub(r"(?:<pre><code[^>]*>)\n+|\n+(?=</code></pre>)", lambda found: found[0].strip("\n"), html)
    return re.sub(
        r" *(<(?:br|hr) />|</?(?:p|ul|ol|li|h\d|blockquote|table|thead|tbody|tr|t[hd][^>]*|pre)>) *", r"\1", html
    )


def spelling(text: str) -> str:
    return spelled(text.encode("utf-8").decode("latin-1"))


PARTS = st.sampled_from(
    [
        *"*_ab\\ \n`[]()<>&;!x\"'.~é€",
        "**",
        "__",
        "  ",
        "\\*",
        "\\_",
        "&amp;",
        "&lt;",
        "[a]",
        "](b)",
        "](<b> 't')",
        "<i>",
    ]
)
OTHERWISE = {
    "*": ["_", "\\*", "**", "&#42;"],
    "_": ["*", "\\_", "__"],
    " ": ["\n", "  ", " \n", "\t", "&#32;"],
    "\n": [" ", "  \n", "\\\n", "\n   "],
    "\\": ["", "\\\\", "&#92;"],
    "&": ["&amp;", "\\&"],
    "<": ["\\<", "&lt;"],
    "`": ["``", "\\`"],
    '"': ["'", '\\"', "&quot;"],
    "(b)": ["(<b>)", "( b )", '(b "")'],
    "[": ["\\["],
    "a": ["b", "A"],
}


@given(st.lists(PARTS, min_size=1, max_size=12), st.data())
@settings(max_examples=500, deadline=None)
def test_paragraphs_of_one_spelling_render_alike(parts: list[str], data: st.DataObject) -> None:
    before = f"x {''.join(parts)} y"
    after = before
    for _ in range(data.draw(st.integers(1, 3))):
        found = [(at, old) for old in OTHERWISE for at in range(len(after)) if after.startswith(old, at)]
        if not found:
            return
        at, old = data.draw(st.sampled_from(found))
        after = after[:at] + data.draw(st.sampled_from(OTHERWISE[old])) + after[at + len(old) :]
    check_paragraphs(before, after)


@example("x *a* y", "x _a_ y")
@given(st.text("*_ab ", max_size=9), st.text("*_ab ", max_size=9))
@settings(max_examples=300, deadline=None)
def test_emphasis_of_one_spelling_renders_alike(one: str, other: str) -> None:
    check_paragraphs(f"x {one} y", f"x {other} y")


def check_paragraphs(before: str, after: str) -> None:
    """Two texts of one spelling render alike, where both are one paragraph and do not meet a known fault of the
    judge: spaces before a line of code, and behind a backslash, are not taken as the specification says."""
    for text in (before, after):
        if re.search(r"\n[ \t]*(?:[>*+`<_=#~-]|\d+[.)]|\n|$)|\\[ \t]", text) or (
            re.search(r"\n[ \t]", text) and "`" in text
        ):
            return
    if spelling(before) == spelling(after):
        for definitions in ("", DEFINITIONS):
            assert rendered(before + definitions) == rendered(after + definitions), (before, after)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a *b* c", "a _b_ c"),
        ("**b c**", "__b c__"),
        ("***a b***", "_**a b**_"),
        ("*a **b** c*", "_a __b__ c_"),
        ("snake_case", "snake\\_case"),
        ("2 * 3 * 4", "2 \\* 3 \\* 4"),
        ("a & b < c", "a &amp; b &lt; c"),
        ("&copy; &#169;", "© ©"),
        ("``a``", "`a`"),
        ("`` a ``", "`a`"),
        ("[a](b 'c')", '[a](b "c")'),
        ("[a](<b>)", "[a]( b )"),
        ("![*a*](b)", "![_a_](b)"),
        ("[*a*](b)", "[_a_](b)"),
        ("[*a*][b]", "[_a_][b]"),
        ("a  \nb", "a\\\nb"),
        ("a   \n   b", "a  \nb"),
        ("a b\nc", "a\nb c"),
        ("*a*\n_b_", "_a_ *b*"),
        ("(*a*)", "(_a_)"),
        ('"*a*"', '"_a_"'),
    ],
)
def test_paragraphs_in_other_words_of_one_meaning(one: str, other: str) -> None:
    assert spelling(one) == spelling(other)
    assert rendered(one + DEFINITIONS) == rendered(other + DEFINITIONS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("*a*", "**a**"),
        ("***a***", "**_a_**"),
        ("a*b*c", "a_b_c"),
        ("*a*", "\\*a\\*"),
        ("[*a*]", "[_a_]"),
        ("[a]", "\\[a\\]"),
        ("`a`", "a"),
        ("`a  b`", "`a b`"),
        ("` `", "`  `"),
        ("<b>", "\\<b>"),
        ("&amp;copy;", "&copy;"),
        ("[a](b)", "[a](c)"),
        ("[a](b 'c')", "[a](b)"),
        ("[a][b]", "[a][c]"),
        ("![a](b)", "[a](b)"),
        ("!\\[a](b)", "![a](b)"),
        ("a\nb", "a  \nb"),
        ("~~a~~", "\\~\\~a\\~\\~"),
        ("<i a='b  c'>", "<i a='b c'>"),
    ],
)
def test_paragraphs_of_another_meaning(one: str, other: str) -> None:
    assert spelling(one) != spelling(other)


def test_what_is_not_certain_counts_as_it_is_written() -> None:
    """Whether there is a link between two marks says whether they are a pair."""
    for one, other in [
        ("*a [b*] c", "_a [b_] c"),
        ("[*a](b *c*)", "[_a](b *c*)"),
        ("[a [b](c) *d*](e)", "[a [b](c) _d_](e)"),
    ]:
        assert spelling(one) != spelling(other)
        assert spelling(one.replace(" ", "\n")) == spelling(one)


@pytest.mark.parametrize("part", ["*a _b ", "a* b_ ", "[", "[a](", "`a ``b ", "<!-- ", "<a b ", "\\* ", "&amp; "])
def test_of_what_is_long_only_its_line_ends_are_style(part: str) -> None:
    for times in (500, 40_000):
        text = "x " + part * times
        assert spelling(f"{text}z\ny") == spelling(f"{text}z \n  y")
    assert spelling(f"{text}*a*") != spelling(f"{text}_a_")


SAME = [pair for pair in CASES.same if not pair[0].startswith(("```js", "```html"))]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_blocks_that_count_as_the_same_render_alike(one: str, other: str) -> None:
    assert rendered(CASES.whole(one)) == rendered(CASES.whole(other))


@pytest.mark.parametrize(("one", "other"), CASES.different)
def test_blocks_that_do_not_render_otherwise(one: str, other: str) -> None:
    assert rendered(CASES.whole(one)) != rendered(CASES.whole(other))
