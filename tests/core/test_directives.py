"""A comment or a pragma above a definition that directs a compiler or a tool is part of it; other comments are not.

Each case is a definition with `DIRECTIVE` on a line above it. What directs is said by the language's or the tool's own
manual, named beside it.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import pytest
from support.grammars import can_be_parsed
from support.verdicts import MARK, anchor_of, baseline_of, check_verdict, parsed, symbol_at_mark, verdict_of

from lsp_server.core.fingerprint import code_of, file_hash, fresh_code, text_hash
from lsp_server.core.model import Anchor, Level, Locus, Reason
from lsp_server.core.source import edit_source, read_source


class Case(NamedTuple):
    """`text` has a line `DIRECTIVE` above the definition with the mark; `directive` and `other` may stand there."""

    path: str
    text: str
    directive: str
    other: str
    comment: str


GO = "package a\n\nfunc before() int { return 1 }\n\nDIRECTIVE\nfunc pay(a int) int {\n\treturn a * 2$0\n}\n"
METHOD = "class Bill {\n  before() { return 1; }\n\n  DIRECTIVE\n  pay(a) {\n    return a * 2;$0\n  }\n}\n"
SCRIPT = "const a = 1;\n\nDIRECTIVE\nexport function pay(a) {\n  return a * 2;$0\n}\n"
PHP = "<?php\nclass Bill {\n  public $a = 1;\n\n  DIRECTIVE\n  public function pay($b) {\n    return $b;$0\n  }\n}\n"
RUBY = "class Bill\n  def before\n    1\n  end\n\n  DIRECTIVE\n  def pay(a)\n    a * 2$0\n  end\nend\n"
RUBY_FIRST = "class Bill\n  DIRECTIVE\n  def pay(a)\n    a * 2$0\n  end\n\n  def after\n    1\n  end\nend\n"
SWIFT = "let a = 1\n\nDIRECTIVE\nprotocol Payable {\n    func pay(a: Int) -> Int$0\n}\n"
R = "a <- 1\n\n#' Pays.\nDIRECTIVE\npay <- function(a) {\n  a * 2$0\n}\n"
C = "int before;\n\nDIRECTIVE\nint pay(int a)\n{\n    return a * 2;$0\n}\n"
CPP = "int before;\n\nDIRECTIVE\nstruct Bill {$0\n  int a;\n  char b;\n};\n"

CASES = [
    # https://pkg.go.dev/cmd/compile#hdr-Compiler_Directives, https://pkg.go.dev/cmd/cgo, https://pkg.go.dev/embed
    Case("a.go", GO, "//go:noinline", "//go:nosplit", "// pay is slow"),
    Case("a.go", GO, "//go:linkname pay runtime.pay", "//go:linkname pay runtime.bill", "// go:noinline"),
    Case("a.go", GO, "//export Pay", "//export Bill", "// export Pay"),
    Case("a.go", "package a\n\nDIRECTIVE\nvar text string$0\n", "//go:embed a.txt", "//go:embed b.txt", "// a text"),
    # TypeScript 2.6 and 3.9, release notes.
    Case("a.js", SCRIPT, "// @ts-ignore", "// @ts-expect-error", "// eslint-disable-next-line"),
    Case("a.js", METHOD, "// @ts-ignore", "// @ts-expect-error: why", "// prettier-ignore"),
    Case("a.ts", SCRIPT, "/* @ts-ignore */", "// @ts-expect-error", "/** Pays. */"),
    Case(
        "a.js",
        "a();\n\nDIRECTIVE\nexports.pay = function (a) {\n  return a * 2;$0\n};\n",
        "// @ts-ignore",
        "// @ts-expect-error",
        "// slow",
    ),
    Case("a.tsx", METHOD, "// @ts-expect-error", "// @ts-ignore", "// ts-ignore"),
    # https://docs.phpunit.de/en/9.6/annotations.html
    Case("a.php", PHP, "/** @dataProvider amounts */", "/** @dataProvider bills */", "/** Pays. */"),
    # https://github.com/soutaro/rbs-inline/wiki/Syntax-guide
    Case("a.rb", RUBY, "#: (Integer) -> Integer", "#: (String) -> Integer", "# Pays."),
    Case("a.rb", RUBY_FIRST, "#: (Integer) -> Integer", "#: (String) -> Integer", "# Pays."),
    # https://krzysztofzablocki.github.io/Sourcery/writing-templates.html
    Case("a.swift", SWIFT, "// sourcery: AutoMockable", "// sourcery: AutoEquatable", "// Can be paid."),
    # https://roxygen2.r-lib.org/articles/namespace.html
    Case("a.R", R, "#' @export", "#' @export bill", "#' @param a An amount."),
    # OpenMP 5.2, 7.7; GCC manual, 6.62.
    Case("a.c", C, "#pragma omp declare simd", "#pragma omp declare target", "// slow"),
    Case("a.cpp", CPP, "#pragma pack(push, 1)", "#pragma pack(push, 2)", "// as sent"),
    Case("a.m", C, '#pragma GCC optimize("O0")', '#pragma GCC optimize("O3")', "// Pays."),
]
HERE = [case for case in CASES if can_be_parsed(case.path)]


def above(case: Case, *lines: str) -> str:
    """The text with these lines in place of `DIRECTIVE`, indented as that is."""
    out = []
    for line in case.text.split("\n"):
        indent = line.removesuffix("DIRECTIVE")
        out += [indent + each for each in lines] if indent != line else [line]
    return "\n".join(out)


@pytest.mark.parametrize("case", HERE, ids=lambda case: f"{case.path} {case.directive}")
def test_a_directive_above_is_part_of_the_definition(case: Case) -> None:
    with_one, without, other = above(case, case.directive), above(case), above(case, case.other)
    for before, after in [(without, with_one), (with_one, without), (with_one, other)]:
        check_verdict(case.path, before, after, Level.CHANGED, Reason.INTERFACE)
    check_verdict(case.path, with_one, with_one, Level.FRESH)
    # What only lays it out is none of its business.
    check_verdict(case.path, with_one, above(case, case.directive, ""), Level.REFORMATTED)
    check_verdict(case.path, with_one, above(case, case.directive, case.comment), Level.REFORMATTED)


@pytest.mark.parametrize("case", HERE, ids=lambda case: f"{case.path} {case.comment}")
def test_another_comment_above_is_not(case: Case) -> None:
    check_verdict(case.path, above(case), above(case, case.comment), Level.FRESH)
    check_verdict(case.path, above(case, case.comment), above(case), Level.FRESH)
    check_verdict(case.path, above(case, case.directive), above(case, case.comment, case.directive), Level.FRESH)


@pytest.mark.parametrize("case", HERE, ids=lambda case: f"{case.path} {case.directive}")
def test_it_is_found_while_it_is_typed(case: Case) -> None:
    """Letter by letter, and taken out again: the outline and the code are those of the text read anew."""
    source = parsed(case.path, above(case))
    assert source.text is not None
    at = case.text.index("DIRECTIVE")
    indent = case.text[case.text.rindex("\n", 0, at) + 1 : at]
    letters = [*case.directive, "\n", *indent]
    steps = [(at + number, at + number, letter.encode()) for number, letter in enumerate(letters)]
    for start, end, new in [*steps, (at, at + len(letters), b"")]:
        text, edit = source.text.replace(start, end, new)
        source = edit_source(source, text, (edit,))
        again = read_source(case.path, text)
        assert source.outline is not None and again.outline is not None and source.text is not None
        if source.outline.broken:
            continue
        assert source.outline.symbols == again.outline.symbols
        for symbol in source.outline.symbols:
            assert code_of(source, symbol) == fresh_code(again, symbol)


@pytest.mark.parametrize("case", [case for case in HERE if "class Bill" in case.text], ids=lambda case: case.path)
def test_a_container_says_in_which_member(case: Case) -> None:
    before = above(case).replace(MARK, "")
    after = above(case, case.directive).replace(MARK, "")
    start = before.index(" Bill")
    found = verdict_of(anchor_of(case.path, before[:start] + MARK + before[start:]), {case.path: after})
    assert (found.level, found.reason, found.members) == (Level.CHANGED, Reason.MEMBERS, ("pay",))


def test_what_stands_behind_a_line_is_about_that_line() -> None:
    text = "const a = f(); // @ts-ignore\nfunction pay() {\n  return a$0 * 2;\n}\n"
    check_verdict("a.js", text, text.replace(" // @ts-ignore", ""), Level.FRESH)


@pytest.mark.parametrize(
    "pragma", ["#pragma once", "#pragma GCC diagnostic push", "#pragma mark - a", "#pragma pack(pop)"]
)
def test_pragmas_that_direct_no_definition(pragma: str) -> None:
    text = above(CASES[-1])
    check_verdict("a.m", text, text.replace("int pay", f"{pragma}\nint pay"), Level.FRESH)


def test_what_is_about_the_whole_file_is_no_part_of_what_is_below() -> None:
    go = "//go:build linux\n\npackage a\n\nfunc pay() int {\n\treturn 2$0\n}\n"
    check_verdict("a.go", go, go.replace("linux", "windows"), Level.FRESH)
    script = "// @ts-check\nfunction pay(a) {\n  return a$0 * 2;\n}\n"
    check_verdict("a.js", script, script.replace("// @ts-check\n", ""), Level.FRESH)


def test_a_baseline_from_before_directives_counted() -> None:
    """Its text begins with the definition itself. Where the whole file is the one that was accepted, nothing changed;
    else nothing says that the directive was there already."""
    text = above(CASES[0], CASES[0].directive)
    source, symbol = parsed("a.go", text), symbol_at_mark("a.go", text)
    assert symbol is not None and source.text is not None
    old = above(CASES[0])
    kept = baseline_of("a.go", old)
    fingerprint = dataclasses.replace(kept.fingerprint, file_sha256=file_hash(source))
    assert fingerprint.text == text_hash(source.text.slice(source.node(symbol).start_byte, symbol.end))
    anchor = Anchor("a1", Locus("a.go", "pay"), baselines=(dataclasses.replace(kept, fingerprint=fingerprint),))
    assert verdict_of(anchor, {"a.go": text}).level is Level.FRESH
    assert verdict_of(anchor, {"a.go": text + "\n"}).level is Level.CHANGED
    assert verdict_of(anchor, {"a.go": old}).level is Level.FRESH
