"""Outlines: what is listed, where it is, and how it is found.

`outlines/NAME.outline` is what must be listed of `outlines/NAME.*`: a line a symbol, two spaces for each one around it,
kind, path, [k/n] where n definitions have the path, first and last line, and `broken` where an error touches it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.grammars import can_be_parsed, needs

from lsp_server.core.languages import LANGUAGES, language_for
from lsp_server.core.model import Symbol
from lsp_server.core.outline import Outline
from lsp_server.core.source import read_source
from lsp_server.core.symbolpath import join_path, pick, split_path
from lsp_server.core.text import Text

OUTLINES = Path(__file__).parent / "outlines"


def source_file(expected: Path) -> Path:
    [found] = [path for path in OUTLINES.glob(f"{expected.stem}.*") if path != expected]
    return found


ALL = sorted(OUTLINES.glob("*.outline"))
FIXTURES = [path for path in ALL if can_be_parsed(source_file(path).name)]


def outline_of(path: str, text: str | bytes) -> Outline:
    outline = read_source(path, Text.of(text)).outline
    assert outline is not None
    return outline


def render(outline: Outline) -> list[str]:
    lines = []
    for symbol in outline.symbols:
        k, n = symbol.occurrence
        parts = [symbol.kind, symbol.path, *([f"[{k}/{n}]"] if n > 1 else [])]
        parts += [f"{symbol.start_line}-{symbol.end_line}", *(["broken"] if symbol.broken else [])]
        lines.append("  " * len(outline.ancestors(symbol)) + " ".join(parts))
    return lines


@pytest.mark.parametrize(
    "expected",
    [pytest.param(path, id=source_file(path).name, marks=needs(source_file(path).name)) for path in ALL],
)
def test_what_is_listed(expected: Path) -> None:
    path = source_file(expected)
    assert render(outline_of(path.name, path.read_bytes())) == expected.read_text(encoding="utf-8").splitlines()


def test_every_language_has_a_fixture() -> None:
    shown = {language_for(source_file(expected).name) for expected in ALL}
    assert {language.name for language in LANGUAGES} == {language.name for language in shown if language is not None}


@pytest.mark.parametrize("expected", FIXTURES, ids=lambda path: source_file(path).name)
def test_spans_agree_with_each_other(expected: Path) -> None:
    path = source_file(expected)
    data = path.read_bytes()
    outline = outline_of(path.name, data)
    last = (-1, 0)
    for index, symbol in enumerate(outline.symbols):
        assert symbol.start <= symbol.name_start < symbol.name_end <= symbol.end
        assert not data[symbol.start : symbol.start + 1].isspace() and not data[symbol.end - 1 : symbol.end].isspace()
        assert symbol.start_line == data.count(b"\n", 0, symbol.start) + 1
        assert symbol.end_line == data.count(b"\n", 0, symbol.end - 1) + 1
        name = " ".join(data[symbol.name_start : symbol.name_end].decode().split())
        assert (
            name == symbol.name
            or symbol.kind in ("impl", "extension", "at_rule", "rule")
            or symbol.name.startswith(("operator", "~", f"{name}:"))
        )
        if symbol.body is not None:
            assert symbol.start < symbol.body[0] <= symbol.body[1] <= symbol.end
        if symbol.parent is not None:
            parent = outline.symbols[symbol.parent]
            assert symbol.parent < index and parent.start <= symbol.start and symbol.end <= parent.end
            assert symbol in outline.children(parent)
        k, n = symbol.occurrence
        assert outline.by_path(symbol.path)[k - 1] == symbol and len(outline.by_path(symbol.path)) == n
        assert (symbol.start, -symbol.end) >= last
        last = (symbol.start, -symbol.end)


def with_cursors(text: str) -> tuple[str, list[int]]:
    """`text` without its `¦`, and the byte offsets where they stood."""
    parts = text.split("¦")
    offsets, at = [], 0
    for part in parts[:-1]:
        at += len(part.encode())
        offsets.append(at)
    return "".join(parts), offsets


def path_of(symbol: Symbol | None) -> str | None:
    return None if symbol is None else symbol.path


def check_extents(path: str, marked: str, symbol: str) -> None:
    """The first two `¦` stand around the extent, the next ones around the name, the last ones around the body.

    Marks of what is inside come inside: `¦def ¦f¦(): ¦pass¦¦`.
    """
    text, offsets = with_cursors(marked)
    found = outline_of(path, text).by_path(symbol)[0]
    spans = [found.start, found.name_start, found.name_end, *(found.body or ()), found.end]
    assert spans == offsets


@pytest.mark.parametrize(
    ("path", "marked", "symbol"),
    [
        ("a.py", "# above\n¦@d\n@e()\ndef ¦f¦(a):\n    ¦return a¦¦\n\n# below", "f"),
        ("a.py", "class A:\n    ¦¦x¦: int = ¦3¦¦  # after\n", "A.x"),
        ("a.js", "/** above */\n¦export const ¦f¦ = (x) => ¦{ return x; }¦;¦ // after", "f"),
        ("a.js", "¦export ¦default¦ function () ¦{}¦¦\n", "default"),
        ("a.js", "const o = { ¦'¦a b¦': () => ¦1¦¦, c() {} };", "o.a b"),
        ("a.js", "¦exports.¦f¦ = function () ¦{}¦;¦\n", "exports.f"),
        ("a.ts", "@a()\nclass A { ¦@b() /* between */ @c()\n private ¦m¦(): void ¦{}¦¦ }".replace("@a()\n", ""), "A.m"),
        ("a.go", "// above\n¦func (s *Set[T]) ¦Close¦() error ¦{ return nil }¦¦\n", "Set.Close"),
        ("a.go", "type (\n\tA int\n\t¦¦B¦ ¦string¦¦\n)\n", "B"),
        ("a.rs", "/// above\n¦#[a]\n// between\n#[b]\npub fn ¦f¦() ¦{}¦¦\n", "f"),
        ("a.rs", "¦impl<T> From<u8> for ¦X¦<T> ¦{}¦¦\n", "impl From<u8> for X<T>"),
        ("A.java", "class A {\n  /** above */\n  ¦@Override\n  public void ¦m¦() ¦{}¦¦\n}", "A.m"),
        ("a.c", "¦PUBLIC(char *)\n¦f¦(int a)\n¦{\n}¦¦\n", "f"),
        ("a.c", "¦#define ¦TWICE¦(x) ¦((x) * 2)¦¦\n\nint a;", "TWICE"),
        ("a.cpp", "¦template <typename T>\nT A<T>::¦f¦() const ¦{ return 1; }¦¦", "A.f"),
    ],
)
def test_extent_name_and_body(path: str, marked: str, symbol: str) -> None:
    check_extents(path, marked, symbol)


def test_at_is_the_innermost_symbol() -> None:
    text, offsets = with_cursors(
        "¦x = 1\n¦\nclass A:\n    ¦y = 2\n¦\n    @p\n    ¦def f(self):\n        def g(): ¦pass\n        ¦\n¦"
    )
    outline = outline_of("a.py", text)
    assert [path_of(outline.at(offset)) for offset in offsets] == ["x", None, "A.y", "A", "A.f", "A.f.g", None, None]


def test_named_at_is_on_the_letters_of_a_name_only() -> None:
    text, offsets = with_cursors("def ¦p¦ay¦(n): ¦return ¦n\na¦b, ¦c¦ = 1, 2\n")
    outline = outline_of("a.py", text)
    found = [path_of(outline.named_at(offset)) for offset in offsets]
    assert found == ["pay", "pay", None, None, None, "ab", "c", None]


@pytest.mark.parametrize(
    ("line", "symbol"),
    [(1, "A"), (2, "A"), (3, "A.m"), (4, "A.m"), (5, "A"), (6, None), (7, "one"), (8, "B"), (9, None)],
)
def test_at_line_is_what_the_line_stands_for(line: int, symbol: str | None) -> None:
    text = "class A {\n\n  m() {\n  }\n}\n\nconst one = () => 1, two = () => 2;\nclass B { m() {} }\n"
    assert path_of(outline_of("a.js", text).at_line(line)) == symbol


def test_conditional_twins_are_occurrences_and_insertion_above_moves_the_numbers_only() -> None:
    text = "function init() { return 1 }\nfunction init() { return 2 }\n"
    above = outline_of("a.js", "function init() { return 0 }\n" + text).by_path("init")
    assert [symbol.occurrence for symbol in above] == [(1, 3), (2, 3), (3, 3)]


def test_nearest_names_what_was_meant() -> None:
    outline = outline_of(
        "a.py", "class Provider:\n    def verify_jwt(self): ...\n\ndef verify(): ...\n\ndef other(): ...\n"
    )
    assert outline.nearest("Provider.verfy_jwt")[0] == "Provider.verify_jwt"
    assert outline.nearest("verify_jwt")[0] in ("Provider.verify_jwt", "verify")
    assert outline.nearest("zzz") == ()


def test_a_path_may_be_quoted_without_need() -> None:
    outline = outline_of("a.js", "const o = { 'a.b': () => 1 };")
    assert outline.by_path('"o"."a.b"') == outline.by_path('o."a.b"') != ()
    assert outline.by_path('"o') == outline.by_path("") == ()


def test_a_symbol_of_another_outline_is_refused() -> None:
    [symbol] = outline_of("a.py", "def f(): ...").symbols
    with pytest.raises(ValueError, match="present"):
        outline_of("a.py", "\n\ndef f(): ...").children(symbol)


@given(
    st.lists(
        st.text(min_size=0, max_size=6) | st.sampled_from(["a.b", "x[0]", 'q"', "#p", "\n"]), min_size=1, max_size=4
    )
)
def test_segments_survive_a_path(segments: list[str]) -> None:
    path = join_path(segments)
    assert split_path(path) == tuple(segments)
    assert pick(f"{path}[12]") == (path, 12)
    assert pick(path) == (path, None)


@pytest.mark.parametrize(
    ("segments", "path"),
    [
        (["Provider", "verify_jwt"], "Provider.verify_jwt"),
        (["build.linux", "env"], '"build.linux".env'),
        (["A", "#private"], 'A."#private"'),
        (["impl Display for X"], "impl Display for X"),
        (["naïve", "größe"], "naïve.größe"),
        ([""], '""'),
    ],
)
def test_how_a_path_is_written(segments: list[str], path: str) -> None:
    assert join_path(segments) == path


@pytest.mark.parametrize("path", ["", ".", "a..b", "a.", '"a', '"a"b', "a[1", "a#b", "a'b", '"\\x"'])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match=r"path|quote|JSON"):
        split_path(path)


@pytest.mark.parametrize("path", ["f[0]", "f[-1]", "f[x]", "f[]", "f]", "f[²]"])
def test_what_picks_nothing(path: str) -> None:
    with pytest.raises(ValueError, match="number from 1"):
        pick(path)
