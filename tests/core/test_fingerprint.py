"""Fingerprints: which strength changes with which edit, what is kept, and that nothing remembered is ever wrong."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.language_cases import LANGUAGE_CASES

from lsp_server.core import fingerprint as remembering
from lsp_server.core import sketch
from lsp_server.core.fingerprint import (
    code_of,
    content_of,
    fingerprint,
    fingerprint_file,
    fingerprint_region,
    fresh_code,
    fresh_likeness,
    from_json,
    likeness_of,
    to_json,
)
from lsp_server.core.model import Fingerprint, Symbol
from lsp_server.core.source import Source, edit_source, read_source
from lsp_server.core.style import STYLES
from lsp_server.core.text import Text


def marked(path: str, text: str) -> tuple[Source, Symbol]:
    """The source of a text, and its innermost symbol around the mark `$0`."""
    at = text.index("$0")
    source = read_source(path, Text.of(text.replace("$0", "")))
    assert source.outline is not None
    symbol = source.outline.at(len(text[:at].encode()))
    assert symbol is not None
    return source, symbol


def of(path: str, text: str) -> Fingerprint:
    return fingerprint(*marked(path, text))


def check_strengths(path: str, before: str, after: str, changed: set[str]) -> None:
    """Which of the strengths differ between two texts."""
    one, other = of(path, before), of(path, after)
    found = {
        name
        for name in ("text", "code", "masked", "interface", "own", "members")
        if getattr(one, name) != getattr(other, name)
    }
    assert found == changed


FUNCTION = "def pay(amount, rate=2):\n    '''doc'''\n    return$0 amount * rate\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "changed"),
    [
        ("a.py", FUNCTION, FUNCTION, set()),
        ("a.py", FUNCTION, FUNCTION.replace("doc", "other"), {"text"}),
        ("a.py", FUNCTION, FUNCTION.replace(", rate", ",  rate"), {"text"}),
        ("a.py", FUNCTION, FUNCTION.replace("amount * rate", "amount + rate"), {"text", "code", "masked"}),
        ("a.py", FUNCTION, FUNCTION.replace("=2", "=3"), {"text", "code", "masked", "interface"}),
        ("a.py", FUNCTION, FUNCTION.replace("pay", "bill"), {"text", "code", "interface"}),
        ("a.py", FUNCTION, "@auth\n" + FUNCTION, {"text", "code", "masked", "interface"}),
        ("a.py", FUNCTION, FUNCTION.replace("):", ") -> int:"), {"text", "code", "masked", "interface"}),
        # A recursive call is a use of the own name; a keyword or another thing's member of that name is not.
        ("a.py", "def f(n):$0 return f(n - 1)\n", "def g(n):$0 return g(n - 1)\n", {"text", "code", "interface"}),
        ("a.py", "def f(n):$0 return n.f\n", "def g(n):$0 return n.g\n", {"text", "code", "masked", "interface"}),
        ("a.py", "def f(n):$0 return h(f=n)\n", "def g(n):$0 return h(g=n)\n", {"text", "code", "masked", "interface"}),
        (
            "a.py",
            "class A:\n    def f(self):$0 return self.f()\n",
            "class A:\n    def g(self):$0 return self.g()\n",
            {"text", "code", "interface"},
        ),
        (
            "a.py",
            "class A:\n    def f(self):$0 return f()\n",
            "class A:\n    def g(self):$0 return g()\n",
            {"text", "code", "masked", "interface"},
        ),
        (
            "A.java",
            "class A {$0 A() {} A b; }",
            "class C {$0 C() {} C b; }",
            {"text", "code", "interface", "own", "members"},
        ),
        ("a.rs", "fn f(n: u8) { $0f(n) }", "fn g(n: u8) { $0g(n) }", {"text", "code", "interface"}),
        (
            "a.go",
            "package a\nfunc f(n int) { $0f(n) }\n",
            "package a\nfunc g(n int) { $0g(n) }\n",
            {"text", "code", "interface"},
        ),
        # Of a container, the own code is what is no member.
        (
            "a.py",
            "class $0A:\n    x = 1\n\n    def f(self):\n        return 1\n",
            "class $0A:\n    x = 1\n\n    def f(self):\n        return 2\n",
            {"text", "code", "masked", "members"},
        ),
        (
            "a.py",
            "class $0A:\n    x: int\n\n    def f(self):\n        return 1\n",
            "class $0A:\n    x: str\n\n    def f(self):\n        return 1\n",
            {"text", "code", "masked", "own"},
        ),
    ],
)
def test_strengths(path: str, before: str, after: str, changed: set[str]) -> None:
    check_strengths(path, before, after, changed)


def test_text_ignores_line_ends_and_a_byte_order_mark() -> None:
    plain = read_source("a.py", Text.of(b"def f():\n    return '''a\nb'''\n"))
    for data in (b"def f():\r\n    return '''a\r\nb'''\r\n", b"\xef\xbb\xbfdef f():\r    return '''a\rb'''\r"):
        other = read_source("a.py", Text.of(data))
        one, two = (fingerprint(source, source.outline.symbols[0]) for source in (plain, other) if source.outline)
        assert (one.text, one.code, one.masked, one.interface) == (two.text, two.code, two.masked, two.interface)
        assert two.file_sha256 == hashlib.sha256(data).hexdigest()


def test_the_file_hash_is_that_of_the_plain_file() -> None:
    data = "x = 'é'\n".encode()
    assert fingerprint_file(read_source("a.py", Text.of(data))).file_sha256 == hashlib.sha256(data).hexdigest()


def test_parts_tell_what_changed() -> None:
    one, two = of("a.py", FUNCTION), of("a.py", FUNCTION.replace("=2", "=3").replace("):", ") -> int:"))
    differ = {name for name in one.parts | two.parts if one.parts.get(name) != two.parts.get(name)}
    assert differ - {"declaration"} == {"parameters", "return type"}


def test_siblings_are_the_others_of_one_path() -> None:
    text = "class A { int f(int a) {$0 return 1; } int f(String a) { return 2; } }"
    first, second = of("A.java", text), of("A.java", text.replace("$0", "").replace("2;", "2;$0"))
    assert first.siblings == ((second.interface[:16], second.code[:16]),)
    assert (first.occurrence, second.occurrence) == ((1, 2), (2, 2))


@pytest.mark.parametrize(
    ("path", "text", "trivial"),
    [
        ("a.py", "def f(a, b, c, d, e, f, g, h, i):\n    pa$0ss\n", True),
        ("a.py", "def f(a, b, c, d, e, f, g, h, i):\n    return$0 1\n", True),
        ("a.py", "def f(a):\n    return a$0.b.c\n", True),
        ("a.py", "def f(a, b):\n    total = a * b$0\n    return total + a.rate(b)\n", False),
        ("a.js", "function f() { return$0 1 }", True),
    ],
)
def test_what_says_too_little_to_be_followed(path: str, text: str, trivial: bool) -> None:
    assert of(path, text).trivial is trivial


def test_content_can_be_shown_and_parsed_alone() -> None:
    source, symbol = marked("a.py", "class A:\n    @b\n    def f(self):\r\n        return$0 1\n")
    assert content_of(source, symbol) == "    @b\n    def f(self):\n        return 1"
    assert content_of(source, (2, 3)) == "    @b\n    def f(self):\n"
    assert content_of(source, None).startswith("class A:\n")


def test_json_gives_back_the_same() -> None:
    for text in (FUNCTION, "class A:\n    $0x = 1\n    def f(self): pass\n    def f(self): return 1\n"):
        found = of("a.py", text)
        assert from_json(to_json(found)) == found
    region = fingerprint_region(read_source("a.py", Text.of("a = 1\nb = 2\nc = 3\n")), (2, 2))
    assert from_json(to_json(region)) == region and region.context == ("a = 1\n", "c = 3\n")
    odd = dataclasses.replace(region, unknown={"newer": [1]})
    assert from_json(to_json(odd)) == odd


WORDS = st.lists(st.sampled_from(["a", "b", "c", "(", ")", "x1"]), max_size=60)


@given(WORDS, WORDS)
@settings(deadline=None)
def test_likeness_is_a_measure(one: list[str], other: list[str]) -> None:
    a, b = sketch.shingles(one), sketch.shingles(other)
    assert sketch.similarity(a, a) == 1.0
    assert sketch.similarity(a, b) == sketch.similarity(b, a)
    assert 0.0 <= sketch.similarity(a, b) <= 1.0
    kept = sketch.parse(sketch.encode(a))
    assert kept is not None and sketch.encode(kept) == sketch.encode(a)


def test_a_sketch_of_large_code_is_near_the_truth() -> None:
    words = [f"w{number * 7 % 501}" for number in range(3000)]
    for share in (0.95, 0.8, 0.5):
        edited = [word if number % 100 < share * 100 else f"new{number}" for number, word in enumerate(words)]
        exact = _dice(words, edited)
        kept = [sketch.parse(sketch.encode(sketch.shingles(found))) for found in (words, edited)]
        assert kept[0] is not None and kept[1] is not None
        assert abs(sketch.similarity(kept[0], kept[1]) - exact) < 0.12


def _dice(one: list[str], other: list[str]) -> float:
    """The measure by counting, without hashes."""
    from collections import Counter
    from itertools import pairwise

    a, b = (Counter([*words, *pairwise(words)]) for words in (one, other))
    return 2 * (a & b).total() / (a.total() + b.total())


SAMPLES: dict[str, str] = {
    **{path: more.sample.replace("$0", "") for path, more in LANGUAGE_CASES.items()},
    "a.py": (
        "@auth\ndef pay(amount, rate=2):\n    '''doc'''\n    if amount > 3:\n        return [amount, rate]\n"
        "    for a in range(3):\n        total = f'{a}' + 'b' 'c'\n    return (total,)\n\n\n"
        "class Bill:\n    limit = 3\n\n    def f(self, x):\n        return self.f(x - 1)\n"
    ),
    "a.ts": (
        "export class Bill<T> {\n  private limit = 3;\n  pay(amount: number, rate = 2) {\n"
        "    if (amount > 3) return `a${rate}b`;\n"
        "    return [1, 2].map((x) => x * 2);\n  }\n}\nexport const f = async (a: string) => {\n"
        "  await g(a, 'b');\n};\n"
    ),
    "a.go": (
        "package a\n\nfunc (s *Server) Start(ctx Ctx, n int) error {\n\tfor i := 0; i < n; i++ {\n"
        "\t\tif err := s.run(i); err != nil {\n"
        '\t\t\treturn fmt.Errorf("a %d", i)\n\t\t}\n\t}\n\treturn nil\n}\n'
    ),
    "a.rs": (
        "impl From<u8> for Bill {\n    fn from(n: u8) -> Self {\n"
        "        match n { 0 => Bill::new(), _ => { let x = vec![1, 2]; Bill { x } } }\n    }\n}\n"
    ),
    "A.java": (
        "class Bill {\n  int pay(int a) { return a + 1; }\n"
        '  int pay(String a) { String s = "x"; for (int i = 0; i < 3; i++) { s += a; } return s.length(); }\n'
        "}\n"
    ),
    "a.c": (
        "#define MAX 3\nstatic int pay(int a, char *b) {\n    int c[] = {1, 2};\n"
        "    if (a < MAX && *b == ' ') {\n        return c[0];\n    }\n    return (a);\n}\n"
    ),
    "a.cpp": (
        "namespace n {\nclass Bill {\n public:\n  explicit Bill(int a) : a_(a) {}\n"
        "  int pay() const { return a_ * 2; }\n private:\n  int a_;\n};\n}\n"
    ),
}


@given(st.data())
@settings(max_examples=120, deadline=None)
def test_what_is_remembered_equals_what_is_made_anew(data: st.DataObject) -> None:
    """After each of a few edits, each edit parsed incrementally, as in an editor."""
    path = data.draw(st.sampled_from(sorted(SAMPLES)))
    source = read_source(path, Text.of(SAMPLES[path]))
    for _ in range(data.draw(st.integers(1, 4))):
        assert source.text is not None
        start = data.draw(st.integers(0, len(source.text)))
        end = min(len(source.text), start + data.draw(st.integers(0, 3)))
        new = data.draw(st.sampled_from([b"", b"x", b"1", b" ", b"\n", b"(", b")", b"'", b"}", b",", b"// a\n"]))
        text, edit = source.text.replace(start, end, new)
        source = edit_source(source, text, (edit,))
        assert source.outline is not None
        again = read_source(path, text)
        assert again.outline is not None
        for symbol, twin in zip(source.outline.symbols, again.outline.symbols, strict=not source.outline.broken):
            assert code_of(source, symbol) == fresh_code(source, symbol)
            assert likeness_of(source, symbol) == fresh_likeness(source, symbol)
            if not source.outline.broken:
                # Of broken code, tree-sitter may make another tree by edits than at once.
                assert fresh_code(source, symbol) == fresh_code(again, twin)


def test_white_space_before_a_symbol_is_remembered_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The node of a Markdown section begins with the white space before its heading, the symbol behind that. With a
    table that says nothing of it, the two texts of one symbol have different tokens."""
    table = dataclasses.replace(STYLES["markdown"], texts={}, spelled={})
    monkeypatch.setattr(remembering, "style_for", lambda name: table if name == "markdown" else STYLES[name])
    found = []
    for text in ("# Shop\n\nPreface.\n", "  # Shop\n\nPreface.\n"):
        source = read_source("a.md", Text.of(text))
        assert source.outline is not None
        (symbol,) = source.outline.symbols
        assert content_of(source, symbol).strip() == "# Shop\n\nPreface."
        assert code_of(source, symbol) == fresh_code(source, symbol)
        assert likeness_of(source, symbol) == fresh_likeness(source, symbol)
        found.append(code_of(source, symbol).code)
    assert found[0] != found[1]


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_every_symbol_of_every_language_has_all_strengths(path: str) -> None:
    source = read_source(path, Text.of(SAMPLES[path]))
    assert source.outline is not None and not source.outline.broken
    for symbol in source.outline.symbols:
        found = fingerprint(source, symbol)
        assert found.text and found.code and found.masked and found.interface and found.tokens > 0 and found.grammar
        assert bool(found.own) is symbol.container


def test_letters_that_look_like_markers_are_told_from_them() -> None:
    texts = [
        "x = 'a$0\x02'\n",
        "x = 'a$0'\n",
        "x = 'a$0\x072\x07'\n",
    ]
    assert len({of("a.py", text).code for text in texts}) == len(texts)


def test_deep_nesting_is_no_recursion() -> None:
    deep = "x = " + "[" * 3000 + "]" * 3000 + "\n"
    source = read_source("a.py", Text.of(deep))
    assert fingerprint_file(source).code
