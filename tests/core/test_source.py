"""Sources: what is parsed and what not, the nodes behind symbols, and edits leading where reading leads."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.grammars import HERE, can_be_parsed

from lsp_server.core import source as source_module
from lsp_server.core.languages import LANGUAGES, language_for
from lsp_server.core.model import SourceState, Symbol
from lsp_server.core.outline import outline_of
from lsp_server.core.source import Source, edit_source, read_source, settle_source
from lsp_server.core.text import Edit, Text, diff_edit

OUTLINES = Path(__file__).parent / "outlines"
WRITTEN = {path.name: path.read_bytes() for path in sorted(OUTLINES.iterdir()) if can_be_parsed(path.name)}


def read(path: str, text: str | bytes) -> Source:
    return read_source(path, Text.of(text))


def known(source: Source) -> tuple[tuple[Symbol, ...], bool]:
    assert source.outline is not None
    return source.outline.symbols, source.outline.broken


def check_edited(source: Source, edits: list[tuple[int, int, bytes]]) -> Source:
    """Replaces the ranges of `edits`, in order; checks the result against one from scratch, and returns it."""
    assert source.text is not None
    text, made = source.text, []
    for start, end, new in edits:
        text, edit = text.replace(start, end, new)
        made.append(edit)
    edited = edit_source(source, text, made)
    scratch = read_source(source.path, text)
    assert (edited.text, edited.state, edited.message) == (text, scratch.state, scratch.message)
    if scratch.outline is None:
        return edited
    assert edited.tree is not None and edited.language is not None
    # The outline is always that of its own tree; the tree is that from scratch wherever the syntax is whole.
    fresh = outline_of(edited.tree.root_node, edited.language, text)
    assert known(edited) == (fresh.symbols, fresh.broken)
    assert edited.settled or fresh.broken
    if edited.settled or not known(scratch)[1]:
        assert known(edited) == known(scratch)
    assert known(settle_source(edited)) == known(scratch)
    return edited


PIECES = [
    *(b"", b" ", b"\n", b"\n\n", b"\r", b"\t", b"    ", b"x", b"0", b"q = 1\n", b"; ", b", ", b".", b": ", b"="),
    *(
        b"(",
        b")",
        b"{",
        b"}",
        b"[",
        b"]",
        b"<",
        b">",
        b'"',
        b"'",
        b"`",
        b"/*",
        b"*/",
        b"//",
        b"#",
        b"\xff",
        b"\xc3\xa9",
    ),
    *(b"class A", b"def f():\n", b"function g() {}\n", b"fn h() {}\n", b"impl ", b"struct S {};\n", b"@x\n", b"#[a]\n"),
    *(
        b"export ",
        b"const ",
        b"static ",
        b"async ",
        b"template <class T> ",
        b"if",
        b"let o = {",
        b"=> ",
        b"// c\n",
        b"# c\n",
    ),
]


@st.composite
def edit_sequences(draw: st.DrawFn) -> tuple[str, list[list[tuple[int, int, bytes]]]]:
    """A fixture, and batches of edits whose ranges are given as fractions of 10,000 of the text they are made to."""
    path = draw(st.sampled_from(sorted(WRITTEN)))
    length = st.one_of(st.just(0), st.integers(0, 3), st.integers(0, 40))
    edit = st.tuples(st.integers(0, 10_000), length, st.sampled_from(PIECES) | st.binary(max_size=3))
    return path, draw(st.lists(st.lists(edit, min_size=1, max_size=2), min_size=1, max_size=8))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(edit_sequences())
def test_edits_lead_where_reading_leads(sequence: tuple[str, list[list[tuple[int, int, bytes]]]]) -> None:
    path, batches = sequence
    source = read(path, WRITTEN[path])
    for batch in batches:
        assert source.text is not None
        size, placed = len(source.text), []
        for where, length, new in batch:
            start = size * where // 10_000
            end = min(size, start + length)
            size += len(new) - (end - start)
            placed.append((start, end, new))
        source = check_edited(source, placed)


@pytest.mark.parametrize("path", sorted(WRITTEN))
def test_a_file_typed_line_by_line(path: str) -> None:
    source = read(path, b"")
    for line in WRITTEN[path].splitlines(keepends=True):
        assert source.text is not None
        source = check_edited(source, [(len(source.text), len(source.text), line)])
    assert known(settle_source(source)) == known(read(path, WRITTEN[path]))


@pytest.mark.parametrize("path", sorted(WRITTEN))
def test_each_name_typed_and_each_definition_cut(path: str) -> None:
    source = read(path, WRITTEN[path])
    for symbol in known(source)[0]:
        check_edited(source, [(symbol.name_end, symbol.name_end, b"z")])
        check_edited(source, [(symbol.start, symbol.end, b"")])
        check_edited(source, [(symbol.end, symbol.end, WRITTEN[path][symbol.start : symbol.end])])
        check_edited(source, [(symbol.start, symbol.start, b"\n\n")])


@pytest.mark.parametrize(
    ("path", "text", "edits"),
    [
        ("a.js", "const a = 1, b = 2;\n", [(11, 18, b"")]),
        ("a.js", "const a = 1;\n", [(11, 11, b", b = 2")]),
        ("a.js", "const o = {m() {}}, p = 2, q = {n() {}};\n", [(18, 25, b"")]),
        ("a.js", "x.y = { m() {} };\n", [(1, 1, b"()")]),
        ("a.rs", "// [a]\nfn f() {}\n", [(0, 3, b"#")]),
        ("a.rs", "#[a]\n#[b]\n// c\nfn f() {}\nfn g() {}\n", [(0, 5, b"")]),
        ("a.rs", "impl A { fn f() {} fn g() {} }\n", [(5, 6, b"B")]),
        ("a.py", "class A:\n    def f(self): ...\n    def g(self): ...\n", [(6, 7, b"Bee")]),
        ("a.py", "class A:\n    def f(self): ...\n    def g(self): ...\n", [(0, 5, b"if")]),
        ("a.py", "def f():\n    x = (1,\n\ndef g():\n    pass\n", [(19, 19, b")")]),
        ("a.ts", "export class A { f() {} g() {} }\n", [(0, 7, b"")]),
        ("a.c", "struct a { int x; } b;\n", [(20, 21, b"")]),
        ("a.go", "type A struct{ n int }\n", [(5, 5, b"(")]),
        ("a.cpp", "namespace a { int f(); int g(); }\n", [(10, 11, b"b::c")]),
        ("a.py", "def f(): ...\n", [(0, 0, b"def g(): ...\n"), (20, 20, b"zz"), (2, 5, b"")]),
        ("a.py", "x = 1\r\ny = 2\rz = 3\n", [(6, 7, b"")]),
        ("a.py", "x = 1\n", [(0, 6, b"")]),
    ],
)
def test_edits_that_reach_further_than_they_look(path: str, text: str, edits: list[tuple[int, int, bytes]]) -> None:
    check_edited(read(path, text), edits)


def test_symbols_before_an_edit_are_kept_as_they_are() -> None:
    text = "def f(): ...\n\n\ndef g():\n    return 1\n\n\ndef h(): ...\n"
    source = read("a.py", text)
    [before] = source.outline.by_path("f") if source.outline else []
    edited = check_edited(source, [(text.index("1"), text.index("1") + 1, b"22")])
    assert edited.outline is not None and edited.outline.by_path("f")[0] is before
    assert [symbol.start for symbol in edited.outline.symbols] == [0, 15, 40]


def test_no_edits_known_is_reading_anew() -> None:
    source = read("a.py", "def f(): ...\n")
    assert known(edit_source(source, Text.of("def g(): ...\n"), None)) == known(read("a.py", "def g(): ...\n"))
    assert edit_source(source, Text.of("def f(): ...\n"), ()) is source
    edits: list[Edit] = []
    assert known(edit_source(source, Text.of("def g(): ...\n"), edits)) == known(read("a.py", "def g(): ...\n"))


def test_a_header_that_becomes_cpp() -> None:
    source = read("a.h", "int f(void);\n")
    assert source.text is not None and source.language is not None and source.language.name == "c"
    text = Text.of("class A { int f(); };\n")
    edited = edit_source(source, text, [diff_edit(source.text, text)])
    assert edited.language is not None and edited.language.name == "cpp"
    assert known(edited) == known(read_source("a.h", text))


def types(source: Source, path: str) -> tuple[str, list[str], str, str | None]:
    assert source.outline is not None
    symbol = source.outline.by_path(path)[0]
    body = source.body_node(symbol)
    name = source.name_node(symbol).text
    assert name is not None or source.text is not None
    return (
        source.node(symbol).type,
        [node.type for node in source.nodes(symbol)],
        source.name_node(symbol).type,
        None if body is None else body.type,
    )


@pytest.mark.parametrize(
    ("path", "text", "symbol", "expected"),
    [
        (
            "a.py",
            "@d\ndef f():\n    pass\n",
            "f",
            ("function_definition", ["decorated_definition"], "identifier", "block"),
        ),
        (
            "a.rs",
            "#[a]\n// c\n#[b]\nfn f() {}\n",
            "f",
            (
                "function_item",
                ["attribute_item", "line_comment", "attribute_item", "function_item"],
                "identifier",
                "block",
            ),
        ),
        (
            "a.ts",
            "export const f = () => {};\n",
            "f",
            ("variable_declarator", ["export_statement"], "identifier", "statement_block"),
        ),
        (
            "a.ts",
            "class A { @d() m() {} }",
            "A.m",
            ("method_definition", ["decorator", "method_definition"], "property_identifier", "statement_block"),
        ),
        ("a.go", "func (a *A) f()\n", "A.f", ("method_declaration", ["method_declaration"], "field_identifier", None)),
        (
            "a.c",
            "static char **f(int a) { return 0; }\n",
            "f",
            ("function_definition", ["function_definition"], "identifier", "compound_statement"),
        ),
        (
            "a.cpp",
            "template <class T> int *A<T>::b = 0;\n",
            "A.b",
            ("declaration", ["template_declaration"], "identifier", "number_literal"),
        ),
    ],
)
def test_the_nodes_of_a_symbol(
    path: str, text: str, symbol: str, expected: tuple[str, list[str], str, str | None]
) -> None:
    assert types(read(path, text), symbol) == expected


def test_the_nodes_of_every_symbol_are_its_extent() -> None:
    for path, data in WRITTEN.items():
        source = read(path, data)
        for symbol in known(source)[0]:
            nodes = source.nodes(symbol)
            start, end = nodes[0].start_byte, nodes[-1].end_byte
            assert start <= symbol.start and not data[start : symbol.start].strip()
            assert end >= symbol.end and not data[symbol.end : end].strip()
            assert nodes[0].start_byte <= source.node(symbol).start_byte <= source.node(symbol).end_byte <= end
            name = source.name_node(symbol)
            around = data[name.start_byte : symbol.name_start], data[symbol.name_end : name.end_byte]
            assert around == (b"", b"") or (around[0] == around[1] and around[0] in (b'"', b"'", b"`"))


def test_a_symbol_of_another_source_is_refused() -> None:
    [symbol] = known(read("a.py", "def f(): ...\n"))[0]
    with pytest.raises(ValueError, match="present"):
        read("a.py", "\ndef f(): ...\n").node(symbol)
    with pytest.raises(ValueError, match="no syntax tree"):
        read("a.txt", "def f(): ...\n").node(symbol)


def check_refused(source: Source, state: SourceState) -> None:
    assert source.state is state
    assert source.tree is None and source.outline is None
    assert source.path in source.message and ":" in source.message


def test_what_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    check_refused(read("a.py", b"def f(): ...\n\0"), SourceState.NOT_TEXT)
    monkeypatch.setattr(source_module, "MAX_BYTES", 100)
    check_refused(read("a.py", b"x = 1\n" * 20), SourceState.TOO_LARGE)
    monkeypatch.setattr(source_module, "MAX_BYTES", 1000)
    monkeypatch.setattr(source_module, "MAX_LINES", 10)
    source = read("a.py", b"x = 1\n" * 20)
    check_refused(source, SourceState.TOO_LARGE)
    assert source.text is not None
    text, edit = source.text.replace(0, 60, b"")
    check_refused(edit_source(source, text, [edit]), SourceState.TOO_LARGE)
    text, edit = source.text.replace(0, 90, b"")
    assert known(edit_source(source, text, [edit])) == known(read_source("a.py", text))


def test_a_language_without_a_grammar_is_text() -> None:
    source = read("notes.txt", "hello\n")
    assert (source.state, source.language, source.tree, source.outline) == (SourceState.OK, None, None, None)
    assert source.text is not None
    text, edit = source.text.replace(0, 1, b"J")
    assert edit_source(source, text, [edit]).text == Text.of("Jello\n")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "const a = " + "[" * 3000 + "]" * 3000 + ";\nfunction after() {}\n"),
        ("a.ts", "type A = " + "B<" * 3000 + "C" + ">" * 3000 + ";\nfunction after() {}\n"),
        ("a.cpp", "int a = " + "(" * 3000 + "1" + ")" * 3000 + ";\nint after() { return 1; }\n"),
        ("a.js", "const f = () => {" * 1000 + "}" * 1000 + "\nfunction after() {}\n"),
        ("a.js", "function after() {}\n" + "[" * 3000),
        ("a.cs", "int a = " + "(" * 3000 + "1" + ")" * 3000 + ";\nint after() => 1;\n"),
        ("a.dart", "var a = " + "[" * 3000 + "]" * 3000 + ";\nint after() => 1;\n"),
        ("a.kt", "val a = " + "(" * 3000 + "1" + ")" * 3000 + "\nfun after() = 1\n"),
        ("a.lua", "local a = " + "{" * 3000 + "}" * 3000 + "\nfunction after() end\n"),
        ("a.m", "int a = " + "(" * 3000 + "1" + ")" * 3000 + ";\nint after(void) { return 1; }\n"),
        ("a.php", "<?php\n$a = " + "[" * 3000 + "]" * 3000 + ";\nfunction after() {}\n"),
        ("a.rb", "a = " + "[" * 3000 + "]" * 3000 + "\ndef after; end\n"),
        ("a.scala", "val a = " + "(" * 3000 + "1" + ")" * 3000 + "\ndef after = 1\n"),
        ("a.swift", "let a = " + "(" * 3000 + "1" + ")" * 3000 + "\nfunc after() {}\n"),
    ],
)
def test_three_thousand_brackets_are_survived(path: str, text: str) -> None:
    source = read(path, text)
    assert source.outline is not None and len(source.outline.by_path("after")) == 1
    check_edited(source, [(len(text) // 2, len(text) // 2, b" ")])


def test_a_million_open_brackets_end_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    began = time.monotonic()
    source = read("a.ts", "(" * 1_000_000)
    assert time.monotonic() - began < 60
    check_refused(source, SourceState.TOO_LARGE)
    assert source.text is not None
    text, edit = source.text.replace(5, 5, b"(")
    again = edit_source(source, text, [edit])
    assert again.text is text and again.message == source.message
    text, edit = source.text.replace(0, 999_990, b"")
    assert edit_source(source, text, [edit]).state is SourceState.OK


def test_bad_bytes_are_survived() -> None:
    source = read("a.py", b"def f\xff(): ...\n\x80class A: ...\ndef \xed\xa0\x80g(): ...\n")
    assert source.state is SourceState.OK
    check_edited(source, [(5, 6, b"\xfe")])


@pytest.mark.parametrize(
    ("path", "language_id", "text", "expected"),
    [
        ("src/a.py", None, b"", "python"),
        ("src/a.pyi", None, b"", "python"),
        ("A.PY", None, b"", "python"),
        ("SConstruct", None, b"", "python"),
        ("a.mjs", None, b"", "javascript"),
        ("a.jsx", "javascriptreact", b"", "javascript"),
        ("a.d.ts", None, b"", "typescript"),
        ("a.cts", None, b"", "typescript"),
        ("a.tsx", None, b"", "tsx"),
        ("a.h", None, b"int f(void);\n", "c"),
        ("a.h", None, b"// class of its own\nstruct a { int b; };\n", "c"),
        ("a.h", None, b"#pragma once\nnamespace a {\n}\n", "cpp"),
        ("a.h", None, b"struct A {\n public:\n  int b;\n};\n", "cpp"),
        ("a.h", None, b"template <typename T> T f();\n", "cpp"),
        ("a.hpp", None, b"", "cpp"),
        ("a.h", None, b"#import <A/A.h>\n\n@interface B : A\n@end\n", "objc"),
        ("a.h", None, b"@class A, B;\nextern int c;\n", "objc"),
        ("a.h", None, b"/*\n @class of its own\n */\nint f(void);\n", "c"),
        ("a.m", None, b"#include <stdio.h>\n", "objc"),
        ("a.m", None, b"", "objc"),
        ("a.m", None, b"function y = f(x)\n% MATLAB\ny = x;\nend\n", None),
        ("untitled", "typescriptreact", b"", "tsx"),
        ("a.txt", "python", b"", "python"),
        ("a.txt", None, b"", None),
        ("py", None, b"", None),
    ],
)
def test_the_language_of_a_file(path: str, language_id: str | None, text: bytes, expected: str | None) -> None:
    found = language_for(path, language_id, text)
    assert (None if found is None else found.name) == expected


@pytest.mark.parametrize("language", HERE, ids=lambda language: language.name)
def test_a_language_knows_its_grammar(language: object) -> None:
    [row] = [row for row in LANGUAGES if row is language]
    assert row.version.startswith(f"{row.name} ") and row.version.split()[1][0].isdigit()
    assert row.outline_query.capture_name(0)
