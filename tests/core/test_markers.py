"""`@anchor(...)` markers: which of a text count, what they name, and the passage that each stands in."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.documents import Marker, marker_at, markers_of, spelt, typing_at
from lsp_server.core.documents_passages import _Page, passages_of
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text


@dataclass(frozen=True)
class Case:
    """A text, and of each marker what it names (or the beginning of what is wrong) and its passage."""

    text: str
    markers: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    path: str = "doc.md"


def source_of(text: str, path: str = "doc.md") -> Source:
    return read_source(path, Text.of(text))


def said(marker: Marker) -> str:
    return f"! {marker.problem}" if marker.problem else marker.target


def check_markers(case: Case) -> None:
    source = source_of(textwrap.dedent(case.text).lstrip("\n"), case.path)
    found = markers_of(source)
    assert len(found) == len(case.markers), [said(marker) for marker in found]
    for marker, want in zip(found, case.markers, strict=True):
        assert said(marker).startswith(want), said(marker)
        assert marker_at(source, marker.span.start) == marker
    assert tuple(passage.body for passage in passages_of(source)) == case.passages


SPELLINGS = {
    "plain": ("file=src/a.py, symbol=Foo.bar", "src/a.py#Foo.bar"),
    "spaces": ("  file = src/a.py ,symbol= Foo.bar  ", "src/a.py#Foo.bar"),
    "symbol first": ("symbol=Foo, file=a.py", "a.py#Foo"),
    "no comma": ("file=a.py symbol=Foo", "a.py#Foo"),
    "double quotes": ('file="src/a b.py", symbol="Foo"', "src/a b.py#Foo"),
    "single quotes": ("file='a,(b).py', symbol='Foo'", "a,(b).py#Foo"),
    "file in the symbol": ("file=a.py, symbol=a.py#Foo.bar", "a.py#Foo.bar"),
    "symbol alone with its file": ("symbol=src/a.py#Foo", "src/a.py#Foo"),
    "file alone": ("file=Makefile", "Makefile"),
    "one of several": ("file=a.py, symbol=f[2]", "a.py#f[2]"),
    "picked by a line": ("file=a.py, symbol=f, line=12", "a.py#f line 12"),
    "a line": ("file=a.py, line=12", "a.py:12"),
    "lines": ("file=a.py, lines=20-12", "a.py:12-20"),
    "a quoted segment": ('file=ci.toml, symbol="build.linux".env', 'ci.toml#"build.linux".env'),
    "only a quoted segment": ("""file=ci.toml, symbol='"build.linux"'""", 'ci.toml#"build.linux"'),
    "a formatter's backslash": ("file=my\\_file.py, symbol=my\\_name", "my_file.py#my_name"),
    "dots and slashes": ("file=./src//a.py", "src/a.py"),
    "outside stays as it is": ("file=../../etc/passwd", "../../etc/passwd"),
    "a trailing comma": ("file=a.py,", "a.py"),
    "nothing but a key": ("file=", "! the file is empty"),
    "no file": ("symbol=Foo", "! the marker names no file"),
    "an unknown key": ("fil=a.py", "! a marker has no 'fil'; did you mean file?"),
    "a second unknown key": ("file=a.py, what=x", "! a marker has no 'what'; it takes file, symbol, line, lines"),
    "a key twice": ("file=a.py, file=b.py", "! 'file' stands twice"),
    "two files": ("file=a.py, symbol=b.py#f", "! the symbol is of b.py, the file is a.py"),
    "no line": ("file=a.py, line=x", "! 'x' is no line"),
    "line nought": ("file=a.py, line=0", "! '0' is no line"),
    "two lines": ("file=a.py, line=1, lines=2-3", "! the marker has line and lines"),
    "symbol and lines": ("file=a.py, symbol=f, lines=1-3", "! a symbol and lines are two places"),
    "no symbol path": ("file=a.py, symbol=f..g", "! f..g is no symbol path"),
    "picks nothing": ("file=a.py, symbol=f[0]", "! f[0] picks no definition"),
    "a word that is no key": ("file=a.py, and so on", "! 'and so on' is no part of a marker"),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings(name: str) -> None:
    inner, want = SPELLINGS[name]
    body = () if want.startswith("!") else ("Seen in.",)
    check_markers(Case(f"Seen in @anchor({inner}).", (want,), body))
    check_markers(Case(f"# Seen in @anchor({inner}).\n", (want,), path="a.py"))


WHERE = {
    "every marker counts": Case(
        "One @anchor(file=a.py) and @anchor(file=b.py, symbol=f).\n\nTwo @anchor(file=c.py).\n",
        ("a.py", "b.py#f", "c.py"),
        ("One and.", "One and.", "Two."),
    ),
    "no code": Case(
        """
        Text `@anchor(file=a.py)` and ``x ` @anchor(file=b.py)`` and \\`@anchor(file=c.py)\\`.

        ```
        @anchor(file=d.py)
        ```

        ~~~ md
        @anchor(file=e.py)

            @anchor(file=f.py)

        - item

          ```
          @anchor(file=g.py)
          ```
        """,
        ("c.py",),
        ("Text `@anchor(file=a.py)` and ``x ` @anchor(file=b.py)`` and \\`\\`.",),
    ),
    "an escape and an address": Case("\\@anchor(file=a.py) me@anchor(file=b.py) @anchor @anchor(x) @anchor()\n"),
    "a decorator of another tool": Case('Java has @anchor(value="x") and @anchor(position=1).\n'),
    "over the end of a line": Case(
        "> Quoted @anchor(file=a.py,\n> symbol=f) words.\n", ("a.py#f",), ("Quoted words.",)
    ),
    "not over an empty line": Case("Open @anchor(file=a.py,\n\nsymbol=f)\n", ("! the marker is not closed",)),
    "not closed": Case("Open @anchor(file=a.py\n", ("! the marker is not closed",)),
    "comments": Case(
        '# See @anchor(file=docs/x.md).\n@anchor(file="no.py")\ndef f():\n    return "@anchor(file=no.md)"\n',
        ("docs/x.md",),
        path="a.py",
    ),
    "a block comment": Case(
        "/**\n * See @anchor(file=a.ts,\n *   symbol=Foo)\n */\nconst a = 1;\n", ("a.ts#Foo",), path="b.ts"
    ),
    "a language without a grammar": Case("# @anchor(file=a.py)\n", path="notes.unknown"),
}

PASSAGES = {
    "a paragraph": Case(
        "# Title\n\nBefore.\n\nWe check\ntokens @anchor(file=a.py) first.\n\nAfter.\n",
        ("a.py",),
        ("We check\ntokens first.",),
    ),
    "an item with what is below it": Case(
        "- one\n- two @anchor(file=a.py)\n  goes on\n  - below\n\n    more\n- three\n",
        ("a.py",),
        ("two\ngoes on\n- below\n\n  more",),
    ),
    "an inner item": Case("1. one\n   - inner @anchor(file=a.py)\n2. two\n", ("a.py",), ("inner",)),
    "a heading": Case(
        "# Title\n\n## Why @anchor(file=a.py)\n\nBecause.\n\n### Deeper\n\nVery.\n\n## Else\n\nNo.\n",
        ("a.py",),
        ("## Why\n\nBecause.\n\n### Deeper\n\nVery.",),
    ),
    "right below a heading": Case(
        "# Title\n\n<!-- @anchor(file=a.py) -->\n\nBecause.\n\n## More\n\nWords.\n",
        ("a.py",),
        ("# Title\n\nBecause.\n\n## More\n\nWords.",),
    ),
    "below an underlined heading": Case(
        "Why\n---\n@anchor(file=a.py)\n\nBecause.\n\nElse\n---\n\nNo.\n", ("a.py",), ("Why\n---\n\nBecause.",)
    ),
    "below a block": Case(
        "# Title\n\nFirst.\n\nSecond.\n\n<!-- @anchor(file=a.py) -->\n<!-- @anchor(file=b.py) -->\n\nThird.\n",
        ("a.py", "b.py"),
        ("Second.", "Second."),
    ),
    "a section of markers": Case(
        "# Title\n\nWhy.\n\n## Code\n\n- @anchor(file=a.py)\n- @anchor(file=b.py)\n",
        ("a.py", "b.py"),
        ("# Title\n\nWhy.\n\n## Code", "# Title\n\nWhy.\n\n## Code"),
    ),
    "front matter": Case(
        "---\nstatus: accepted\ncode: '@anchor(file=a.py)'\n---\n\n# Title\n\nWhy.\n", ("a.py",), ("# Title\n\nWhy.",)
    ),
    "the top of a text": Case("@anchor(file=a.py)\n\nOne.\n\nTwo.\n", ("a.py",), ("One.\n\nTwo.",)),
    "a row of a table": Case(
        "| what | code |\n|---|---|\n| pay | @anchor(file=a.py) |\n| owe | none |\n",
        ("a.py",),
        ("| what | code |\n|---|---|\n| pay | |",),
    ),
    "a quote": Case("> One\n> @anchor(file=a.py) two\n>\n> three\n", ("a.py",), ("One\ntwo",)),
    "a comment in a paragraph": Case(
        "Words <!-- @anchor(file=a.py) --> go on <!-- kept -->.\n", ("a.py",), ("Words go on <!-- kept -->.",)
    ),
    "carriage returns": Case("# T\r\n\r\nWhy @anchor(file=a.py)\r\nso.\r\n", ("a.py",), ("Why\nso.",)),
}


@pytest.mark.parametrize("name", WHERE | PASSAGES)
def test_what_counts_and_its_passage(name: str) -> None:
    check_markers((WHERE | PASSAGES)[name])


TYPED = {
    "x @anchor(|": ("", "", {}),
    "x @anchor(fi|": ("", "fi", {}),
    "x @anchor(file=|": ("file", "", {}),
    "x @anchor(file=sr|": ("file", "sr", {}),
    "x @anchor(file='a b|": ("file", "a b", {}),
    "x @anchor(file=a.py, |": ("", "", {"file": "a.py"}),
    "x @anchor(file=a.py, symbol=Fo|": ("symbol", "Fo", {"file": "a.py"}),
    "x @anchor(symbol=Fo|o, file=a.py) y": ("symbol", "Fo", {"file": "a.py"}),
    "x @anchor(file=a.py) |": None,
    "x |@anchor(file=a.py)": None,
    "`@anchor(file=|`": None,
}


@pytest.mark.parametrize("text", TYPED)
def test_what_is_being_typed(text: str) -> None:
    offset = text.index("|")
    found = typing_at(source_of(text.replace("|", "")), offset)
    assert (found and (found.key, found.prefix, dict(found.said))) == TYPED[text]


PIECES = st.sampled_from(
    [
        *("@anchor(", "file=", "symbol=", "line=", "a.py", "Foo.bar", "12", ", ", ")", '"', "'", "\\", "`", "``", "\n"),
        *(
            "\n\n",
            "# ",
            "- ",
            "> ",
            "    ",
            "```\n",
            "<!-- ",
            " -->",
            "| a | b |\n|---|---|\n",
            "---\n",
            "é",
            "\r\n",
            "words ",
        ),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=25).map("".join), st.text(max_size=60))


@given(TEXTS, st.sampled_from(["doc.md", "a.py", "b.ts"]), st.integers(0, 200))
def test_any_text_is_read_and_spans_hold_what_they_say(text: str, path: str, offset: int) -> None:
    source = source_of(text, path)
    assert source.text is not None
    data, last = bytes(source.text), 0
    for marker in markers_of(source):
        assert last <= marker.span.start < marker.span.end <= len(data)
        assert data[marker.span.start :].startswith(b"@anchor(")
        last = marker.span.end
        assert bool(marker.problem) == (marker.locus is None)
        for field in marker.fields:
            assert data[field.key_span.start : field.key_span.end].decode() == field.key
            assert marker.span.start <= field.span.start <= field.span.end <= marker.span.end
            if not field.quote and b"\\" not in data[field.span.start : field.span.end]:
                assert data[field.span.start : field.span.end].decode("utf-8", "replace") == field.value
    for passage in passages_of(source):
        assert 0 <= passage.span.start <= passage.span.end <= len(data)
        assert "\0" not in passage.body
    typing_at(source, min(offset, len(data)))


MARKED = st.sampled_from(
    [
        "@anchor(file=a.py)",
        "@anchor(line=0)",
        "<!-- @anchor(file=a.py) -->",
        "<!-- ",
        " -->",
        "words ",
        "\n",
        "\n\n",
        "# ",
        "- ",
    ]
)


@given(st.lists(MARKED, max_size=20).map("".join), st.integers(0, 400), st.integers(0, 400))
def test_words_without_markers_are_those_that_all_markers_of_the_text_give(text: str, first: int, second: int) -> None:
    """The words of a block look at its own markers alone; the slow twin takes every marker of the text out in turn."""
    source = source_of(text, "doc.md")
    assert source.text is not None and source.tree is not None
    data, markers = bytes(source.text), markers_of(source)
    start, end = sorted((min(first, len(data)), min(second, len(data))))
    slow, at = b"", start
    for marker in markers:
        if start <= marker.span.start and marker.span.end <= end:
            slow, at = slow + data[at : marker.span.start] + b"\0", marker.span.end
    slow = re.sub(rb"<!--[\s\0]*-->", lambda found: b"\0" if b"\0" in found[0] else found[0], slow + data[at:end])
    assert _Page(data, source.tree.root_node, markers).bare(start, end) == slow


WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\x85"), min_size=1, max_size=12
)


@given(WORDS, st.lists(WORDS.filter(str.strip), min_size=1, max_size=3), st.sampled_from(["", "'", '"']))
def test_what_is_spelt_reads_back(file: str, segments: list[str], quote: str) -> None:
    from lsp_server.core.documents import clean_file
    from lsp_server.core.symbolpath import join_path

    symbol = join_path(segments)
    inner = f"file={quote}{spelt(file, quote)}{quote}, symbol={quote}{spelt(symbol, quote)}{quote}"
    (marker,) = markers_of(source_of(f"/* @anchor({inner}) */" if "*/" not in inner else "", "a.ts")) or (None,)
    if marker is not None and clean_file(file):
        assert [field.value for field in marker.fields] == [file, symbol]
