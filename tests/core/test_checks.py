"""Checks: reading them, what broken syntax does to them, and their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core import check_patterns
from lsp_server.core.check_facts import FACTS
from lsp_server.core.checks import (
    FORMS,
    LONGEST,
    CheckError,
    has_defaults,
    judge_check,
    judge_text,
    parse_check,
    supports,
)
from lsp_server.core.languages import LANGUAGES, Language
from lsp_server.core.model import Locus, SourceState
from lsp_server.core.source import Source, edit_source, read_source
from lsp_server.core.text import Text, diff_edit

PAGE = Path(__file__).parents[2] / "docs" / "checks.md"


def check_read(text: str, form: str, locus: Locus, parameter: str | None, argument: str, flags: str = "") -> None:
    check = parse_check(text)
    assert (check.form, check.locus, check.parameter, check.argument, check.flags) == (
        form,
        locus,
        parameter,
        argument,
        flags,
    )


READ = [
    ("exists a.py", "exists", Locus("a.py"), None, ""),
    ("  absent  a.py#A.b ", "absent", Locus("a.py", "A.b"), None, ""),
    ("exists a.py:3-7", "exists", Locus("a.py", lines=(3, 7)), None, ""),
    ('exists "the plan.md"', "exists", Locus("the plan.md"), None, ""),
    ('equals a.yml#"build linux".env {"a": 1}', "equals", Locus("a.yml", '"build linux".env'), None, '{"a": 1}'),
    ("equals a.py#f(timeout) 30 * 60", "equals", Locus("a.py", "f"), "timeout", "30 * 60"),
    ("equals a.php#f($timeout) 30", "equals", Locus("a.php", "f"), "timeout", "30"),
    ("calls a.py#f db.execute", "calls", Locus("a.py", "f"), None, "db.execute"),
    ("not-calls a.py eval", "not-calls", Locus("a.py"), None, "eval"),
    ("imports a.c <stdio.h>", "imports", Locus("a.c"), None, "stdio.h"),
    ('imports a.go "net/http"', "imports", Locus("a.go"), None, "net/http"),
    ("matches a.py /a /b/ c/", "matches", Locus("a.py"), None, "a /b/ c"),
    ("matches a.py#f /x+/is", "matches", Locus("a.py", "f"), None, "x+", "is"),
]


@pytest.mark.parametrize("case", READ, ids=[case[0] for case in READ])
def test_read(case: tuple[str, str, Locus, str | None, str] | tuple[str, str, Locus, str | None, str, str]) -> None:
    check_read(*case)


def check_refused(text: str, *words: str) -> None:
    with pytest.raises(CheckError) as caught:
        parse_check(text)
    said = str(caught.value)
    assert "\n" not in said
    for word in words:
        assert word in said, said


REFUSED = [
    ("", "forms: exists"),
    ("exist a.py", "did you mean exists?"),
    ("frobnicate a.py", "forms: exists, absent, equals"),
    ("exists", "needs a place"),
    ("exists a b", "leave out b", "quote a place"),
    ("exists .", "needs a file"),
    ("exists a.py\nexists b.py", "one line"),
    ("exists a\0b", "one line"),
    ("exists " + "a" * LONGEST, "shorten it"),
    ("equals a.py 30", "a.py#NAME"),
    ("equals a.py#T", "needs LITERAL", "equals src/auth.py#TIMEOUT 30"),
    ("calls a.py#f", "needs NAME"),
    ("calls a.py#f a b", "takes one name"),
    ("calls a.py#f ::", "takes one name"),
    ("imports a.py#f os", "write a.py alone"),
    ("decorated a.py final", "a.py#NAME"),
    ("matches a.py x+", "between slashes"),
    ("matches a.py /(/", "cannot be used as a pattern", "missing )"),
    ("matches a.py /(?=x)/", "cannot be used as a pattern"),
    (r"matches a.py /(a)\1/", "cannot be used as a pattern"),
    ("matches a.py /" + "(a" * 240 + ")" * 240 + "/", "at most 500 characters"),
    ("matches a.py /((((a{1000}){1000}){1000}){1000})/", "cannot be used as a pattern"),
]


@pytest.mark.parametrize("case", REFUSED, ids=[case[0][:40] or "nothing" for case in REFUSED])
def test_refused(case: tuple[str, ...]) -> None:
    check_refused(*case)


def source_of(code: str, path: str = "a.py") -> Source:
    return read_source(path, Text.of(code))


def check_torn(check: str, before: str, after: str, outcome: str) -> None:
    """What a check says while the syntax is broken: never that it fails, where the breakage may be what hides it."""
    old = source_of(before)
    text = Text.of(after)
    assert old.text is not None
    for source in (read_source("a.py", text), edit_source(old, text, [diff_edit(old.text, text)])):
        assert source.outline is not None and source.outline.broken
        found = judge_check(parse_check(check), lambda _, source=source: source)
        assert found.word == outcome, found.detail
        assert found.torn is (outcome == "undecidable")


WHOLE = "def f(x):\n    g(x)\n    h(x)\n\n\nLIMIT = 30\n\n\ndef last():\n    pass\n"
TORN = [
    ("calls a.py#f h", WHOLE, WHOLE.replace("    h(x)\n", "    h(x\n"), "undecidable"),
    ("calls a.py#f g", WHOLE, WHOLE.replace("    h(x)\n", "    h(x\n"), "holds"),
    ("not-calls a.py#f k", WHOLE, WHOLE.replace("    h(x)\n", "    h((x)\n"), "undecidable"),
    ("equals a.py#LIMIT 30", WHOLE, WHOLE.replace("LIMIT = 30", "LIMIT = ["), "undecidable"),
    ("exists a.py#last", WHOLE, WHOLE.replace("LIMIT = 30", "LIMIT = ["), "undecidable"),
    ("exists a.py#f", WHOLE, WHOLE.replace("LIMIT = 30", "LIMIT = ["), "holds"),
    ("imports a.py os", "import os\n" + WHOLE, "impor os\n" + WHOLE, "undecidable"),
    ("matches a.py#f /h\\(x\\)/", WHOLE, WHOLE.replace("    h(x)\n", "    h(x\n"), "undecidable"),
]


@pytest.mark.parametrize("case", TORN, ids=[f"{case[0]} {case[3]}" for case in TORN])
def test_torn(case: tuple[str, str, str, str]) -> None:
    check_torn(*case)


def check_several(code: str, check: str, word: str, *said: str) -> None:
    found = judge_text(check, lambda path: source_of(code, path))
    assert found.word == word, found.detail
    for one in said:
        assert one in found.detail


TWICE = "if a:\n    LIMIT = 30\nelse:\n    LIMIT = 60\nSAME = 1\nSAME = 1\n"
SEVERAL = [
    (TWICE, "equals a.py#LIMIT 30", "undecidable", "2 times", "LIMIT[1]"),
    (TWICE, "equals a.py#LIMIT[2] 60", "holds"),
    (TWICE, "equals a.py#LIMIT[1] 60", "fails", "The memory says 60, the code says 30."),
    (TWICE, "equals a.py#LIMIT[3] 60", "undecidable"),
    (TWICE, "equals a.py#SAME 1", "holds"),
    ("int f(int a);\nint f(int a) { return g(a); }\n", "calls a.c#f g", "holds"),
    (
        "class A {\n  f(a: string): void;\n  f(a: number): void;\n  f(a: any) { g(a); }\n}\n",
        "calls a.ts#A.f g",
        "holds",
    ),
]


@pytest.mark.parametrize("case", SEVERAL, ids=[f"{case[1]} {case[2]}" for case in SEVERAL])
def test_several_definitions(case: tuple[str, ...]) -> None:
    check_several(*case)


VALUES = [
    ("a.py", "X = 'a  b'\n", "X 'a b'", "fails"),
    ("a.py", "X = 'a  b'\n", 'X "a  b"', "holds"),
    ("a.py", "X = 30\n", "X LIMIT", "undecidable"),
    ("a.py", "X = 'slow'\n", "X fast", "fails"),
    ("a.py", "X = 'slow'\n", "X Mode.FAST", "undecidable"),
    ("a.py", "X = f(1,  2)\n", "X f(1, 2)", "holds"),
    ("a.py", "X = f(1, 2)\n", "X f(1, 3)", "fails"),
    ("a.py", "X = f(1, 2)\n", "X g(1)", "undecidable"),
    ("a.py", "X = True\n", "X 1", "fails"),
    ("a.py", "X = 1.0\n", "X 1", "holds"),
    ("a.py", "X = b'a'\n", "X 'a'", "fails"),
    ("a.py", "X = 'caf\\xe9'\n", 'X "caf\\u00e9"', "holds"),
    ("a.py", "X = {1, 2}\n", "X {2, 1}", "undecidable"),
    ("a.py", "X = [1, 2]\n", "X [2, 1]", "fails"),
    ("a.py", "X = Y\n", "X 30", "undecidable"),
    ("a.py", "X = Y\n", "X Z", "fails"),
    ("A.java", "class A { int X = 1 << 31; }\n", "A.X 2147483648", "undecidable"),
    ("a.py", "X = 1 << 31\n", "X 2147483648", "holds"),
    ("a.c", "#define X 010\n", "X 8", "undecidable"),
    ("a.lua", "X = 3\n", "X Mode.FAST", "undecidable"),
    ("a.go", "package a\n\nconst X = `raw`\n", 'X "raw"', "holds"),
    ("a.rs", 'const X: &str = r#"a"b"#;\n', 'X "a\\"b"', "holds"),
    ("a.yaml", "X: yes\n", "X true", "holds"),
    ("a.yaml", "X: 1.10\n", 'X "1.10"', "fails"),
]


def check_value(path: str, code: str, rest: str, word: str) -> None:
    found = judge_text(f"equals {path}#{rest}", lambda _: source_of(code, path))
    assert found.word == word, found.detail


@pytest.mark.parametrize("case", VALUES, ids=[f"{case[1].strip()} is {case[2][2:]}" for case in VALUES])
def test_value(case: tuple[str, str, str, str]) -> None:
    check_value(*case)


STATES = {
    SourceState.GONE: {"exists": "fails", "absent": "holds"},
    SourceState.TOO_LARGE: {"exists": "holds", "absent": "fails"},
    SourceState.NOT_TEXT: {"exists": "holds", "absent": "fails"},
    SourceState.UNREADABLE: {},
    SourceState.OUTSIDE: {},
}


@pytest.mark.parametrize("state", STATES)
def test_what_cannot_be_read_contradicts_nothing(state: SourceState) -> None:
    for form in FORMS.values():
        check = form.example.replace("#verify", "").replace("#legacy_login", "")
        found = judge_text(check, lambda path: Source(path, state, message=f"{path} is not to be had."))
        assert found.word == STATES[state].get(form.name, "undecidable"), found.detail


HEAVY = [
    "matches a.py /(a|b)*a(a|b){12}c/",
    "matches a.py /(x+x+)+y/",
    "matches a.py /.{0,500}x/",
    "matches a.py /(?:(?:a|b){1,100}){1,10}c/",
]


@pytest.mark.parametrize("check", HEAVY)
def test_a_hostile_pattern_is_decided_or_left(check: str) -> None:
    """What would hang an engine that goes back is searched, and what would take long is left."""
    source = source_of("ab" * 100_000)
    found = judge_text(check, lambda _: source)
    heavy = "{1,100}" in check or "500" in check
    assert found.word == ("undecidable" if heavy else "fails"), found.detail


DEEP = [
    ("equals a.py#X 1", "X = " + "(" * 3000 + "1" + ")" * 3000 + "\n"),
    ("equals a.py#X 1", "X = " + "-" * 3000 + "1\n"),
    ("equals a.py#X 1", "X = 2 ** 64 ** 64 ** 64\n"),
    ("equals a.py#X 1", "X = 1e999999999\n"),
    ("equals a.py#X 1", "X = " + "9" * 4000 + "\n"),
    ("equals a.yaml#x 1", "x: " + "[" * 1500 + "]" * 1500 + "\n"),
    ("equals a.yaml#x 1", "x: [&a [1, 1], *a, *a]\n"),
    ("equals a.json#x 1", '{"x": ' + "[" * 1500 + "]" * 1500 + "}\n"),
    ("calls a.py#f last", "def f():\n    a" + ".b()" * 3000 + "\n"),
    ("base a.py#A B", "class A(" + "m(" * 500 + "B" + ")" * 500 + "):\n    pass\n"),
]


@pytest.mark.parametrize("case", DEEP, ids=[f"{case[0]} {number}" for number, case in enumerate(DEEP)])
def test_what_nests_deep_or_grows_large_ends(case: tuple[str, str]) -> None:
    check, code = case
    found = judge_text(check, lambda path: source_of(code, path))
    assert found.word in ("undecidable", "fails")
    assert len(found.detail) < 500


@given(
    text=st.one_of(st.text(), st.sampled_from([*FORMS]).flatmap(lambda form: st.text().map(lambda t: f"{form} {t}")))
)
def test_every_text_is_a_check_or_says_in_one_line_why_not(text: str) -> None:
    try:
        parse_check(text)
    except CheckError as error:
        assert str(error) and "\n" not in str(error)
    found = judge_text(text, lambda path: Source(path, SourceState.GONE))
    assert found.detail and "\n" not in found.detail


FRAGMENTS = ["def f(a=1):\n", "    g(a)\n", "class A(B):\n", "    x = 1\n", "X = [1, 'a']\n", "(", "}", "é", "\\", '"']


@given(
    code=st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join),
    check=st.sampled_from(
        [
            *("exists a.py#f", "absent a.py#A.x", "equals a.py#X [1, 'a']", "equals a.py#f(a) 1", "calls a.py#f g"),
            *("not-calls a.py g", "imports a.py os", "decorated a.py#f d", "base a.py#A B", "matches a.py#f /g/"),
        ]
    ),
)
def test_judging_is_total(code: str, check: str) -> None:
    found = judge_text(check, lambda path: source_of(code, path))
    assert found.detail and "\n" not in found.detail
    assert found.holds is None or not found.torn


# -- the page ----------------------------------------------------------------------------------------------------------


def row_of(language: Language) -> str:
    marks = [
        supports("equals", language),
        has_defaults(language),
        *(supports(form, language) for form in ("calls", "imports", "decorated", "base")),
    ]
    return f"| {language.name} | {' | '.join('yes' if mark else '' for mark in marks)} |"


def table() -> str:
    """The page's table, made of the code: print it to mend the page."""
    rows = [row_of(language) for language in LANGUAGES if language.name in FACTS]
    others = [language for language in LANGUAGES if language.name not in FACTS]
    for answered in ("yes", ""):
        names = [language.name for language in others if supports("equals", language) is bool(answered)]
        rows.append(f"| {', '.join(names)} | {answered} |  |  |  |  |  |")
    return "\n".join(rows)


def test_the_page_says_what_each_language_answers() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), f"docs/checks.md should hold:\n{table()}"


def test_the_page_has_every_form() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for form in FORMS.values():
        takes = {"": ""}.get(form.takes, f" {form.takes}")
        place = "FILE" if form.name == "imports" else "L"
        assert f"| `{form.name} {place}{takes}` |" in text


def test_without_the_engine_a_pattern_is_refused_and_left_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(check_patterns.importlib, "import_module", missing)
    check_refused("matches a.py /only here/", "install it")
    found = judge_text("matches a.py /nor here/", lambda path: source_of(WHOLE, path))
    assert found.word == "undecidable" and "google-re2: install it" in found.detail
