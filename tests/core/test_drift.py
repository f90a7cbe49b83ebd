"""Verdicts: what each edit makes of an anchor, in every language.

`$0` in a text before marks the anchored symbol (the innermost around it), and in a text after the symbol that the
verdict must name as the place now. No `$0` after says that the verdict must name none.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.language_cases import LANGUAGE_CASES
from support.verdicts import (
    MARK,
    anchor_of,
    baseline_of,
    check_verdict,
    look_in,
    parsed,
    symbol_at_mark,
    verdict_of,
)

from lsp_server.core.drift import judge, search_beyond
from lsp_server.core.explain import explain
from lsp_server.core.fingerprint import content_of, fingerprint_file, fingerprint_region
from lsp_server.core.model import (
    Anchor,
    Baseline,
    FollowedPlace,
    Level,
    Locus,
    Reason,
    Sensitivity,
    SourceState,
    Verdict,
)
from lsp_server.core.source import Source, edit_source, read_source

PAY = (
    "def pay(amount, rate=2):\n    '''doc'''\n    if amount > 3:\n        log('a', amount)\n"
    "    return$0 amount * rate\n"
)


@pytest.mark.parametrize(
    ("after", "level", "reason"),
    [
        (PAY, Level.FRESH, None),
        ("import os\n\n\n" + PAY + "\n\ndef other():\n    pass\n", Level.FRESH, None),
        (PAY.replace("\n", "\r\n"), Level.FRESH, None),
        (PAY.replace("\n", "\r\n", 2), Level.FRESH, None),
        ("\ufeff" + PAY, Level.FRESH, None),
        (PAY.replace("    if", "    # why\n\n    if"), Level.REFORMATTED, None),
        (PAY.replace("doc", "other"), Level.REFORMATTED, None),
        (PAY.replace("(amount, rate=2)", "(\n    amount,\n    rate=2,\n)"), Level.REFORMATTED, None),
        (PAY.replace("'a'", '"a"'), Level.REFORMATTED, None),
        (PAY.replace("> 3", "> 4"), Level.CHANGED, Reason.BODY),
        (PAY.replace("> 3", ">= 3"), Level.CHANGED, Reason.BODY),
        (PAY.replace("'a'", "'b'"), Level.CHANGED, Reason.BODY),
        (PAY.replace("    return", "        return"), Level.CHANGED, Reason.BODY),
        (PAY.replace("rate=2", "rate=3"), Level.CHANGED, Reason.INTERFACE),
        (PAY.replace("amount, rate=2", "rate=2, amount=1"), Level.CHANGED, Reason.INTERFACE),
        ("@auth\n" + PAY, Level.CHANGED, Reason.INTERFACE),
        ("async " + PAY, Level.CHANGED, Reason.INTERFACE),
    ],
)
def test_what_counts_as_a_change(after: str, level: Level, reason: Reason | None) -> None:
    check_verdict("a.py", PAY, after, level, reason)


def test_a_byte_order_mark_in_the_file_itself() -> None:
    check_verdict("a.py", PAY, b"\xef\xbb\xbf" + PAY.encode().replace(b"\n", b"\r\n"), Level.FRESH)


def test_the_detail_names_the_parts() -> None:
    found = check_verdict(
        "a.py", PAY, PAY.replace("rate=2", "rate=3").replace("> 3", "> 4"), Level.CHANGED, Reason.INTERFACE
    )
    assert found.detail == "Parameter `rate` changed from 2 to 3 and in the body `3` became `4` since 3f2a9c1."
    assert found.baseline == "b1"


LOAD = (
    "def load(path):\n    data = open(path).read()\n    if not data:\n"
    "        raise ValueError(path)\n    return$0 parse(data)\n"
)


def test_renamed_and_moved_within_the_file() -> None:
    found = check_verdict("a.py", LOAD, LOAD.replace("load", "read_it"), Level.MOVED)
    assert found.detail == "load is now read_it." and not found.stale
    inside = "class A:\n" + "".join("    " + line + "\n" for line in LOAD.splitlines())
    check_verdict("a.py", LOAD, inside, Level.MOVED)


def test_renamed_and_edited() -> None:
    check_verdict(
        "a.py",
        LOAD,
        LOAD.replace("load", "read_it").replace("not data", "data is None"),
        Level.CHANGED,
        Reason.INTERFACE,
    )
    other = "def write(path, data):\n    with open(path, 'w') as file:\n        file.write(data)\n    log(path)\n"
    found = check_verdict("a.py", LOAD, other, Level.MISSING, Reason.SYMBOL_GONE)
    assert found.stale


def test_a_copy_that_was_there_before_is_no_move() -> None:
    twin = LOAD.replace("load", "twin").replace(MARK, "")
    found = check_verdict("a.py", twin + "\n\n" + LOAD, twin, Level.MISSING, Reason.SYMBOL_GONE)
    assert [candidate.place.symbol for candidate in found.candidates] == ["twin"]


def test_a_like_definition_that_was_there_before_is_no_edited_move() -> None:
    like = LOAD.replace("load", "like").replace(MARK, "").replace("not data", "data is None")
    found = check_verdict("a.py", like + "\n\n" + LOAD, like, Level.MISSING, Reason.SYMBOL_GONE)
    assert [candidate.place.symbol for candidate in found.candidates] == ["like"]
    assert 0.8 < found.candidates[0].similarity < 1


def test_two_equal_ones_are_ambiguous() -> None:
    one, two = (LOAD.replace("load", name).replace(MARK, "") for name in ("one", "two"))
    found = check_verdict("a.py", LOAD, one + "\n\n" + two, Level.MISSING, Reason.AMBIGUOUS)
    assert {candidate.place.symbol for candidate in found.candidates} == {"one", "two"}


@pytest.mark.parametrize("body", ["pass", "return 1", "return self.x", "..."])
def test_a_trivial_body_is_never_followed(body: str) -> None:
    before = f"def f(self):\n    {body}$0\n" if body != "..." else "def f(self):\n    $0...\n"
    after = before.replace("f(", "g(").replace(MARK, "")
    check_verdict("a.py", before, after, Level.MISSING, Reason.TRIVIAL)
    found = verdict_of(anchor_of("a.py", before), {"a.py": "x = 1\n", "b.py": before})
    assert found.level is Level.MISSING and found.now is None


def test_missing_points_at_what_is_left() -> None:
    before = "class A:\n    def f(self):\n        return$0 self.x + self.y\n\n    def g(self):\n        pass\n"
    after = "import os\n\n\nclass A:\n    def g(self):\n        pass\n"
    found = check_verdict("a.py", before, after, Level.MISSING, Reason.SYMBOL_GONE)
    assert found.name_span is not None and after[found.name_span.start : found.name_span.end] == "A"
    found = verdict_of(anchor_of("a.py", LOAD), {"a.py": "x = 1\ny = 2\n"})
    assert found.name_span is not None and (found.name_span.start, found.name_span.end) == (0, 5)


# Several definitions with one path


JAVA = (
    'class A {\n  void pay(int a) { total = total + a; log("int", a); }\n'
    '  void pay(String a) { total = total + parse(a); log("text", a); }\n}\n'
)
INT, TEXT = 'log("int"', 'log("text"'


def check_overload(before: str, after: str, own: str, level: Level, reason: Reason | None = None) -> None:
    """`own` is a piece of the anchored one's body, and of the one that must be named now, if any."""
    marked_after = after.replace(own, MARK + own) if level is not Level.MISSING else after
    check_verdict("A.java", before.replace(own, MARK + own), marked_after, level, reason)


def test_overloads_keep_to_their_own_bodies() -> None:
    long = '  void pay(long a) { total = total + a; log("long", a); }\n'
    inserted = JAVA.replace("class A {\n", "class A {\n" + long)
    first, second = JAVA.splitlines(keepends=True)[1:3]
    for own in (INT, TEXT):
        check_overload(JAVA, inserted, own, Level.FRESH)
        check_overload(JAVA, JAVA.replace(first + second, second + first), own, Level.FRESH)
    check_overload(JAVA, JAVA.replace(first, ""), INT, Level.MISSING, Reason.SYMBOL_GONE)
    check_overload(JAVA, JAVA.replace(first, ""), TEXT, Level.FRESH)
    check_overload(JAVA, inserted.replace(first, ""), INT, Level.MISSING, Reason.SYMBOL_GONE)
    check_overload(JAVA, inserted.replace(first, ""), TEXT, Level.FRESH)
    check_overload(inserted, inserted.replace(first, ""), INT, Level.MISSING, Reason.SYMBOL_GONE)
    for after in (JAVA, inserted, JAVA.replace(first + second, second + first)):
        check_overload(
            JAVA, after.replace('total + a; log("int"', 'total - a; log("int"'), INT, Level.CHANGED, Reason.BODY
        )
        check_overload(JAVA, after.replace('total + a; log("int"', 'total - a; log("int"'), TEXT, Level.FRESH)
    check_overload(JAVA, JAVA.replace("int a", "int a, int b"), INT, Level.CHANGED, Reason.INTERFACE)


def test_two_functions_of_one_name() -> None:
    before = "function init() { a(1, 2, 3); $0b(); }\nfunction init() { c(4, 5, 6); d(); }\n"
    check_verdict("a.js", before, before.replace("d()", "e()"), Level.FRESH)
    check_verdict("a.js", before, before.replace("b()", "e()"), Level.CHANGED, Reason.BODY)
    check_verdict("a.js", before, before.splitlines()[1], Level.MISSING, Reason.SYMBOL_GONE)
    swapped = "\n".join(reversed(before.splitlines()))
    check_verdict("a.js", before, swapped, Level.FRESH)


def test_property_pairs() -> None:
    pair = (
        "class A:\n    @property\n    def x(self):\n        return self._x + 1\n\n    def help(self):\n        pass\n\n"
        "    @x.setter\n    def x(self, value):\n        self._x = check(value)\n\n    @x.deleter\n"
        "    def x(self):\n        del self._x\n"
    )
    getter, setter, deleter = "self._x + 1", "check(value)", "del self._x"
    edits = {getter: "self._x + 2", setter: "check(value, 1)", deleter: "del self._x.y"}
    for own in (getter, setter, deleter):
        before = pair.replace(own, own[:3] + MARK + own[3:])
        check_verdict("a.py", before, before, Level.FRESH)
        for other in {getter, setter, deleter} - {own}:
            check_verdict("a.py", before, before.replace(other, edits[other]), Level.FRESH)
        check_verdict(
            "a.py", before, pair.replace(own, edits[own][:3] + MARK + edits[own][3:]), Level.CHANGED, Reason.BODY
        )
    without = pair.replace("    @x.setter\n    def x(self, value):\n        self._x = check(value)\n\n", "")
    check_verdict("a.py", pair.replace(setter, MARK + setter), without, Level.MISSING, Reason.SYMBOL_GONE)


def test_conditional_definitions() -> None:
    text = (
        "try:\n    import fast\n    def load(path):\n        return fast.load(path)$0\n"
        "except ImportError:\n    def load(path):\n        return open(path).read()\n"
    )
    check_verdict("a.py", text, text.replace(".read()", ".read(1)"), Level.FRESH)
    check_verdict("a.py", text, text.replace("fast.load(path)", "fast.load(path, 1)"), Level.CHANGED, Reason.BODY)


def test_overload_heads() -> None:
    text = "function f(a: string): void;\nfunction f(a: $0number): void;\nfunction f(a: any) { return g(a); }\n"
    check_verdict("a.ts", text, "function f(a: boolean): void;\n" + text, Level.FRESH)
    check_verdict("a.ts", text, text.replace("g(a)", "h(a)"), Level.FRESH)
    check_verdict("a.ts", text, text.replace("function f(a: $0number): void;\n", ""), Level.MISSING, Reason.SYMBOL_GONE)


def test_a_prototype_is_no_rival_of_the_definition() -> None:
    text = "static int f(int a);\nint f(int a)\n{\n    $0return a + g(a);\n}\n"
    check_verdict("a.c", text, text.replace("int a", "long a"), Level.CHANGED, Reason.INTERFACE)
    check_verdict("a.c", text, "static int f(int a);\n", Level.MISSING, Reason.SYMBOL_GONE)


def test_rust_impls_of_one_trait() -> None:
    text = (
        "impl From<i32> for X {\n    fn from(n: i32) -> X { $0X::new(n, 1) }\n}\n"
        "impl From<u8> for X {\n    fn from(n: u8) -> X { X::new(n, 2) }\n}\n"
    )
    check_verdict("a.rs", text, text.replace("(n, 2)", "(n, 3)"), Level.FRESH)
    check_verdict("a.rs", text, text.replace("(n, 1)", "(n, 3)"), Level.CHANGED, Reason.BODY)
    check_verdict("a.rs", text, text[text.index("impl From<u8>") :], Level.MISSING, Reason.SYMBOL_GONE)
    alike = (
        "impl T<A> for X {\n    fn go(&self) -> u8 { $0self.a.b(1, 2) }\n}\nimpl T<B> for X {\n"
        "    fn go(&self) -> u8 { self.a.b(1, 2) }\n}\n"
    )
    check_verdict("a.rs", alike, alike[alike.index("impl T<B>") :], Level.MISSING, Reason.SYMBOL_GONE)


def test_go_receivers() -> None:
    text = (
        "package a\n\nfunc (a A) Close() error { return a.x.Close($0) }\n\n"
        "func (b *B) Close() error { return b.y.Close() }\n\n"
        "func (s *Set[T]) Close() error { return s.z.Close() }\n"
    )
    check_verdict("a.go", text, text.replace("(a A)", "(a *A)"), Level.CHANGED, Reason.INTERFACE)
    check_verdict("a.go", text, text.replace("b.y", "b.w").replace("s.z", "s.w"), Level.FRESH)


def test_scopes_of_one_name() -> None:
    text = "namespace A { int f() { return $0a(1) + b(2); } }\nclass B { int f() { return c(1); } };\n"
    check_verdict("a.cpp", text, text.replace("c(1)", "c(2)"), Level.FRESH)
    nested = (
        "def one():\n    def inner():\n        return$0 a(1) + b(2)\n    return inner\n\n\n"
        "def two():\n    def inner():\n        return c(1)\n    return inner\n"
    )
    check_verdict("a.py", nested, nested.replace("c(1)", "c(2)"), Level.FRESH)


# The other languages


def _language_cases() -> list[tuple[str, str, str, str]]:
    cases: list[tuple[str, str, str, str]] = []
    for path, more in LANGUAGE_CASES.items():
        for old, new, verdict in more.edits:
            assert more.sample.count(old) == 1, (path, old)
            after = more.sample.replace(old, new)
            cases.append(
                (path, more.sample, after.replace(MARK, "") if verdict.startswith("missing") else after, verdict)
            )
        cases.extend((path, before, after, verdict) for before, after, verdict in more.verdicts)
    return cases


@pytest.mark.parametrize(("path", "before", "after", "verdict"), _language_cases())
def test_verdicts_in_every_language(path: str, before: str, after: str, verdict: str) -> None:
    level, _, reason = verdict.partition(" ")
    check_verdict(path, before, after, Level(level), Reason(reason) if reason else None)


# Containers


CLASS = "class $0A(B):\n    limit = 3\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"


def test_members_are_a_reason_of_their_own() -> None:
    found = check_verdict("a.py", CLASS, CLASS.replace("return 2", "return 3"), Level.CHANGED, Reason.MEMBERS)
    assert found.members == ("g",) and found.detail == "`g` changed since 3f2a9c1."
    check_verdict("a.py", CLASS, CLASS.replace("f(self)", "f(self, x)"), Level.CHANGED, Reason.MEMBERS)
    check_verdict("a.py", CLASS, CLASS.replace("limit = 3", "limit = 4"), Level.CHANGED, Reason.BODY)
    check_verdict("a.py", CLASS, CLASS.replace("A(B)", "A(C)"), Level.CHANGED, Reason.INTERFACE)
    check_verdict(
        "a.py",
        CLASS,
        CLASS.replace("(self):\n        return 1", "(self):\n        '''x'''\n        return 1"),
        Level.REFORMATTED,
    )
    java = "class $0A { int f() { return 1; } int f(int a) { return 2; } }"
    assert check_verdict("A.java", java, java.replace("2;", "3;"), Level.CHANGED, Reason.MEMBERS).members == ("f[2]",)


# Sensitivity


@pytest.mark.parametrize(
    ("sensitivity", "after", "level"),
    [
        (Sensitivity.INTERFACE, PAY.replace("> 3", "> 4"), Level.REFORMATTED),
        (Sensitivity.INTERFACE, PAY.replace("rate=2", "rate=3"), Level.CHANGED),
        (Sensitivity.TEXT, PAY, Level.FRESH),
        (Sensitivity.TEXT, PAY.replace("doc", "other"), Level.CHANGED),
        (Sensitivity.TEXT, PAY.replace("\n", "\r\n"), Level.FRESH),
        (Sensitivity.FILE, PAY, Level.FRESH),
        (Sensitivity.FILE, PAY.replace("\n", "\r\n"), Level.FRESH),
        (Sensitivity.FILE, PAY + "x = 1\n", Level.CHANGED),
    ],
)
def test_sensitivity(sensitivity: Sensitivity, after: str, level: Level) -> None:
    reason = None
    if level is Level.CHANGED:
        reason = Reason.INTERFACE if sensitivity is Sensitivity.INTERFACE else Reason.BODY
    check_verdict("a.py", PAY, after, level, reason, sensitivity=sensitivity)


# Baselines and places


def test_any_baseline_is_enough() -> None:
    anchor = anchor_of("a.py", PAY, PAY.replace("> 3", "> 4"))
    for text, level in (
        (PAY, Level.FRESH),
        (PAY.replace("> 3", "> 4"), Level.FRESH),
        (PAY.replace("> 3", "> 5"), Level.CHANGED),
    ):
        assert verdict_of(anchor, {"a.py": text}).level is level
    near = verdict_of(anchor, {"a.py": PAY.replace("> 3", "> 4").replace("rate=2", "rate=2, more=1")})
    assert near.baseline == "b2"


def test_baselines_of_the_present_text_count_alone() -> None:
    old, new = baseline_of("a.py", PAY, body="old"), baseline_of("a.py", PAY.replace("> 3", "> 4"), id="b2")
    anchor = Anchor("a1", old.place, baselines=(old, new))
    assert verdict_of(anchor, {"a.py": PAY}).level is Level.CHANGED
    assert verdict_of(replace(anchor, baselines=(old,)), {"a.py": PAY}).level is Level.FRESH


def test_code_of_a_fixed_finding_that_comes_back() -> None:
    opened = baseline_of("a.py", PAY, state="open", body="old")
    fixed = baseline_of("a.py", PAY.replace("> 3", "> 4"), id="b2", state="fixed")
    anchor = Anchor("a1", opened.place, baselines=(opened, fixed))
    assert verdict_of(anchor, {"a.py": PAY.replace("> 3", "> 4")}, regressed=("open",)).level is Level.FRESH
    found = verdict_of(anchor, {"a.py": PAY}, regressed=("open",))
    assert (found.level, found.reason) == (Level.CHANGED, Reason.REGRESSED)
    assert verdict_of(anchor, {"a.py": PAY.replace("> 3", "> 5")}, regressed=("open",)).reason is Reason.BODY


def test_no_baseline() -> None:
    anchor = Anchor("a1", Locus("a.py", "pay"))
    found = verdict_of(anchor, {"a.py": PAY})
    assert (found.level, found.reason) == (Level.UNVERIFIABLE, Reason.NO_BASELINE)
    assert found.now is not None and found.now.symbol == "pay"


def test_followed_places() -> None:
    start, there = Locus("a.py", "load"), Locus("b.py", "load")
    step = FollowedPlace(start, there, "", "e1")
    anchor = replace(anchor_of("a.py", LOAD), followed=(step,))
    # Followed and moved back: the older place counts where a baseline matches there.
    assert verdict_of(anchor, {"a.py": "x = 1\n", "b.py": LOAD}).level is Level.FRESH
    assert verdict_of(anchor, {"a.py": LOAD, "b.py": None}).level is Level.FRESH
    assert verdict_of(anchor, {"a.py": LOAD, "b.py": "x = 1\n"}).level is Level.FRESH
    edited = LOAD.replace("not data", "data is None")
    found = verdict_of(anchor, {"a.py": edited, "b.py": edited})
    assert found.level is Level.CHANGED and found.now is not None and found.now.file == "b.py"
    # Recorded anew by hand at another symbol: the old place does not win over it.
    anchor = replace(anchor_of("a.py", LOAD), locus=Locus("a.py", "other"))
    assert verdict_of(anchor, {"a.py": LOAD + "\n\ndef other(a):\n    return a + 1\n"}).level is Level.CHANGED


@pytest.mark.parametrize(
    ("there", "newest"),
    [
        (Locus("b.py", "load"), {"b.py": None}),
        (Locus("b.py", "load"), {"b.py": "x = 1\n"}),
        (Locus("a.py", "fetch"), {}),
    ],
    ids=["file", "symbol", "name"],
)
def test_a_followed_move_that_was_taken_back(there: Locus, newest: dict[str, str | None]) -> None:
    start = Locus("a.py", "load")
    anchor = replace(anchor_of("a.py", LOAD), followed=(FollowedPlace(start, there, "", "e1"),))

    def check(text: str, level: Level, symbol: str | None, *candidates: str) -> Verdict:
        found = verdict_of(anchor, {"a.py": text, **newest})
        assert (found.level, found.now and found.now.symbol) == (level, symbol), found
        assert [one.place.symbol for one in found.candidates] == list(candidates)
        return found

    check(LOAD, Level.FRESH, "load")
    check(LOAD.replace("    if", "    # why\n    if"), Level.REFORMATTED, "load")
    found = check(LOAD.replace("not data", "data is None"), Level.CHANGED, "load")
    assert "is now" not in found.detail
    # What is there under its old name may also be another one.
    gone = Level.FILE_MISSING if newest.get("b.py", "") is None else Level.MISSING
    check("def load(path):\n    for one in registry:\n        one.start(path)\n", gone, None, "load")
    check("def load(:\n    data = open(path\n", Level.UNVERIFIABLE, None)


# Files


@pytest.mark.parametrize(
    ("state", "level", "reason"),
    [
        (SourceState.GONE, Level.FILE_MISSING, Reason.FILE_GONE),
        (SourceState.UNREADABLE, Level.UNVERIFIABLE, Reason.UNREADABLE),
        (SourceState.NOT_TEXT, Level.UNVERIFIABLE, Reason.NOT_TEXT),
        (SourceState.TOO_LARGE, Level.UNVERIFIABLE, Reason.TOO_LARGE),
        (SourceState.OUTSIDE, Level.UNVERIFIABLE, Reason.OUTSIDE),
    ],
)
def test_files_that_cannot_be_judged(state: SourceState, level: Level, reason: Reason) -> None:
    found = judge(anchor_of("a.py", PAY), lambda path: Source(path, state), body_hash="h")
    assert (found.level, found.reason) == (level, reason)
    found = judge(Anchor("a1", Locus("a.py", "pay")), lambda path: Source(path, state), body_hash="h")
    assert found.level in (Level.FILE_MISSING, Level.UNVERIFIABLE)


def test_moved_to_another_file() -> None:
    anchor = anchor_of("a.py", LOAD + "\n\nx = 1\n")
    found = verdict_of(anchor, {"a.py": "x = 1\n", "b.py": "import os\n\n\n" + LOAD})
    assert (
        found.level is Level.MOVED and found.now is not None and (found.now.file, found.now.symbol) == ("b.py", "load")
    )
    found = verdict_of(anchor, {"a.py": "x = 1\n", "b.py": LOAD, "c.py": LOAD})
    assert (found.level, found.reason) == (Level.MISSING, Reason.AMBIGUOUS) and len(found.candidates) == 2
    found = verdict_of(anchor, {"a.py": None, "b.py": LOAD.replace("not data", "data is None")})
    assert found.level is Level.CHANGED and found.now is not None and found.now.file == "b.py"


def test_what_stood_in_another_file_before_is_no_move() -> None:
    anchor = anchor_of("a.py", LOAD)
    gone = judge(anchor, lambda path: parsed(path, "x = 1\n"), body_hash="h")
    there = parsed("b.py", LOAD)
    assert search_beyond(anchor, gone, [there], body_hash="h").level is Level.MOVED
    found = search_beyond(anchor, gone, [there], body_hash="h", was={"b.py": there}.get)
    assert found.level is Level.MISSING and [c.place.file for c in found.candidates] == ["b.py"]


FIVE = "import os\n\n\n" + "\n\n".join(f"def f{n}():\n    return {n}\n" for n in range(5))


def test_a_renamed_file_takes_all_that_it_defines_along() -> None:
    before = FIVE.replace("return 3", "return$0 3")
    files = {
        "a.py": None,
        "b.py": FIVE.replace("import os", "import sys").replace("return 2", "return 7"),
        "c.py": "def f3():\n    return 3\n",
    }
    found = verdict_of(anchor_of("a.py", before), files)
    assert found.level is Level.MOVED and found.now is not None and (found.now.file, found.now.symbol) == ("b.py", "f3")
    found = verdict_of(anchor_of("a.py", before), {"a.py": None, "b.py": FIVE, "c.py": FIVE})
    assert found.level is Level.FILE_MISSING
    anchor = anchor_of("a.py", before)
    gone = verdict_of(anchor, {"a.py": None})
    known = search_beyond(anchor, gone, [parsed("c.py", "def f3():\n    return 3\n")], body_hash="h", renamed="c.py")
    assert known.level is Level.MOVED


def test_five_functions_and_everything_around_the_third() -> None:
    third = "def f3(a):\n    b = a$0 + 3\n    return b * b\n"
    before = (
        "import os\n\n\n"
        + "\n\n".join(f"def f{n}(a):\n    return a + {n}\n" for n in (1, 2))
        + "\n\n"
        + third
        + "\n\ndef f4():\n    pass\n"
    )
    after = (
        "import sys\n\n\ndef f6():\n    pass\n\n\n"
        + third
        + "\n\ndef f2(a):\n    return a - 2\n\n\ndef f4():\n    return 1\n"
    )
    check_verdict("a.py", before, after, Level.FRESH)
    found = verdict_of(anchor_of("a.py", before), {"a.py": None, "b.py": after})
    assert found.level is Level.MOVED and not found.stale


# Broken syntax


@pytest.mark.parametrize(
    ("path", "before", "after", "level"),
    [
        ("a.py", PAY, PAY.replace("log('a', amount)", "log('a', (amount"), Level.UNVERIFIABLE),
        (
            "a.py",
            PAY,
            PAY.replace("def pay(amount, rate=2):", "def (amount, rate=2):").replace(MARK, ""),
            Level.UNVERIFIABLE,
        ),
        ("a.py", PAY + "\n\nx = 1\n", PAY + "\n\nx = = 1\n", Level.FRESH),
        ("a.js", "function f(a) { $0return g(a); }\n", "function f(a) { $0return g(a; }\n", Level.UNVERIFIABLE),
        (
            "a.go",
            "package a\n\nfunc f(a int) int { $0return g(a) }\n",
            "package a\n\nfunc f(a int int { return g(a) }\n",
            Level.UNVERIFIABLE,
        ),
        # The error takes the function in as the value of another variable.
        (
            "a.js",
            "\nfunction f(a, b) { $0let c = g(a, b); log(c); return c + a + b; }\n",
            "x = 1'\n\nfunction f(a, b) { let c = g(a, b); log(c); return c + a + b; }\n",
            Level.UNVERIFIABLE,
        ),
    ],
)
def test_broken_syntax_is_never_fresh_and_never_lost(path: str, before: str, after: str, level: Level) -> None:
    found = verdict_of(anchor_of(path, before), {path: after})
    assert found.level is level, found
    assert level is Level.FRESH or found.reason is Reason.SYNTAX


def test_errors_that_were_always_there_hide_nothing() -> None:
    before = "fn f(a: u8) -> u8 {\n    $0let b = try!(g(a));\n    b + 1\n}\n\nfn h() -> u8 { try!(k(2)) }\n"
    check_verdict("a.rs", before, before.replace("b + 1", "b + 2"), Level.CHANGED, Reason.BODY)
    check_verdict("a.rs", before, "fn h() -> u8 { try!(k(2)) }\n", Level.MISSING, Reason.SYMBOL_GONE)
    clean = "fn f(a: u8) -> u8 { $0g(a) + g(a) }\n\nfn h() -> u8 { 1 }\n"
    check_verdict("a.rs", clean, "fn h() -> u8 { let a = 1; try!(k(2)) }\n", Level.MISSING, Reason.SYMBOL_GONE)


# Other schemes


def test_another_grammar_is_taken_anew_from_the_kept_text() -> None:
    method = "class A:\n    @auth\n    def f(self, a):\n        return$0 a + 1\n"
    for path, text, spaced, edited in (
        ("a.py", PAY, PAY.replace("amount *", "amount  *"), PAY.replace("> 3", "> 4")),
        ("a.py", method, method.replace("a + 1", "a  + 1"), method.replace("+ 1", "+ 2")),
        (
            "A.java",
            "class A { int f(int a) { return a + 1;$0 } }",
            "class A { int f(int a) { return a  + 1;$0 } }",
            "class A { int f(int a) { return a + 2;$0 } }",
        ),
        (
            "a.js",
            "class A { f(a) { return a + 1;$0 } }",
            "class A { f(a) { return a  + 1;$0 } }",
            "class A { f(a) { return a + 2;$0 } }",
        ),
        (
            "a.rs",
            "impl A { fn f(a: u8) -> u8 { $0a + 1 } }",
            "impl A { fn f(a: u8) -> u8 { $0a  + 1 } }",
            "impl A { fn f(a: u8) -> u8 { $0a + 2 } }",
        ),
    ):
        anchor = anchor_of(path, text)
        [baseline] = anchor.baselines
        for other in (
            replace(baseline.fingerprint, grammar="other 9.9", code="0" * 64, interface="0" * 64),
            replace(baseline.fingerprint, scheme=99, code="0" * 64, interface="0" * 64),
        ):
            old = replace(anchor, baselines=(replace(baseline, fingerprint=other),))
            assert verdict_of(old, {path: text}).level is Level.FRESH
            assert verdict_of(old, {path: spaced}).level is Level.REFORMATTED
            assert verdict_of(old, {path: edited}).level is Level.CHANGED
            lost = replace(old, baselines=(replace(old.baselines[0], content=None),))
            found = verdict_of(lost, {path: spaced})
            assert (found.level, found.reason) == (Level.UNVERIFIABLE, Reason.SCHEME)


OTHERS: Mapping[str, Mapping[str, object]] = {
    "another grammar": {"grammar": "other 9.9"},
    "an older scheme": {"scheme": 0},
    "a newer scheme": {"scheme": 99, "text": "0" * 64},
}
"""What an upgrade, or a downgrade, makes of a stored fingerprint: other hashes of what is the same code."""


def of_another(anchor: Anchor, how: str) -> Anchor:
    """The anchor as another version would have recorded it."""
    [baseline] = anchor.baselines
    hashes = {"code": "1" * 64, "masked": "2" * 64, "interface": "3" * 64, "own": "4" * 64, "parts": {}, "members": {}}
    other = replace(baseline.fingerprint, **{**hashes, **OTHERS[how]})
    return replace(anchor, baselines=(replace(baseline, fingerprint=other),))


@pytest.mark.parametrize("how", OTHERS)
@pytest.mark.parametrize("path", LANGUAGE_CASES)
def test_an_upgrade_raises_no_alarm_and_swallows_no_change(path: str, how: str) -> None:
    language = LANGUAGE_CASES[path]
    old = of_another(anchor_of(path, language.sample), how)
    assert verdict_of(old, {path: language.sample}).level is Level.FRESH
    styled = language.sample
    for before, after in language.style_edits:
        styled = styled.replace(before, after)
    if styled != language.sample:
        anchor = anchor_of(path, language.sample)
        assert verdict_of(old, {path: styled}).level is verdict_of(anchor, {path: styled}).level
    for before, after, verdict in language.edits:
        edited = {path: language.sample.replace(before, after)}
        expected = verdict_of(anchor_of(path, language.sample), edited)
        found = verdict_of(old, edited)
        assert found.level is expected.level, (verdict, found)
        lost = replace(old, baselines=(replace(old.baselines[0], content=None),))
        unknown = verdict_of(lost, edited)
        assert unknown.level in (Level.UNVERIFIABLE, Level.MISSING, Level.FRESH), unknown
        assert unknown.level is not Level.FRESH or expected.level is Level.FRESH


def test_a_record_that_only_believes_in_a_hash() -> None:
    anchor = anchor_of("a.py", PAY)
    [baseline] = anchor.baselines
    bare = replace(baseline.fingerprint, text="", code="", masked="", interface="")
    believed = replace(anchor, baselines=(replace(baseline, fingerprint=bare),))
    assert verdict_of(believed, {"a.py": PAY}).level is Level.FRESH
    assert verdict_of(believed, {"a.py": PAY + "x = 1\n"}).level is Level.CHANGED


# Regions and whole files


LINES = "".join(f"line_{n} = call({n}, 'a')\n" for n in range(20))


def region_anchor(
    path: str, text: str, lines: tuple[int, int] | None, sensitivity: Sensitivity = Sensitivity.CODE
) -> Anchor:
    source = parsed(path, text)
    baseline = Baseline(
        id="b1",
        fingerprint=fingerprint_region(source, lines) if lines else fingerprint_file(source),
        place=Locus(path, None, lines),
        content=content_of(source, lines),
        blob=None,
        lines=lines or (1, text.count("\n")),
        body_hash="h",
        state="accepted",
        author="",
        time="",
        revision="",
    )
    return Anchor("a1", baseline.place, sensitivity, (baseline,))


@pytest.mark.parametrize(
    ("path", "text", "lines", "after", "level", "now"),
    [
        ("a.py", LINES, (5, 6), LINES, Level.FRESH, (5, 6)),
        ("a.py", LINES, (5, 6), LINES.replace("\n", "\r\n"), Level.FRESH, (5, 6)),
        ("a.py", LINES, (5, 6), "import os\n\n" + LINES, Level.FRESH, (7, 8)),
        ("a.py", LINES, (5, 6), LINES.replace("call(4, 'a')", "call( 4, 'a' )  # why"), Level.REFORMATTED, (5, 6)),
        ("a.py", LINES, (5, 6), "x\n" + LINES.replace("call(4, 'a')", "call( 4,'a')"), Level.REFORMATTED, (6, 7)),
        ("a.py", LINES, (5, 6), "x\n" + LINES.replace("call(4,", "call(44,"), Level.CHANGED, (6, 7)),
        ("a.py", LINES, (5, 6), LINES.replace("call(4, 'a')", 'call(4, "a",)'), Level.REFORMATTED, (5, 6)),
        ("a.py", "# a\nx = 1\n", (1, 1), "# b\nx = 1\n", Level.CHANGED, (1, 1)),
        ("a.py", LINES, (5, 6), LINES.replace("line_5", "new = 1\nline_5"), Level.CHANGED, (5, 7)),
        (
            "a.py",
            LINES,
            (5, 6),
            "".join(LINES.splitlines(keepends=True)[:4] + LINES.splitlines(keepends=True)[6:]),
            Level.MISSING,
            None,
        ),
        ("a.txt", "a b\nc d\ne f\n", (2, 2), "a b\nc  d\ne f\n", Level.CHANGED, (2, 2)),
        ("a.txt", "a b\nc d\ne f\n", (2, 2), "0\na b\nc d\ne f\n", Level.FRESH, (3, 3)),
        ("a.txt", "a b\nc d\ne f\n", None, "a b\r\nc d\r\ne f\r\n", Level.FRESH, (1, 4)),
        ("a.txt", "a b\nc d\ne f\n", None, "a b\nc  d\ne f\n", Level.CHANGED, (1, 4)),
        ("a.py", LINES, None, "# why\n" + LINES, Level.REFORMATTED, (1, 22)),
        ("a.py", LINES, None, LINES + "x = 1\n", Level.CHANGED, (1, 22)),
        ("a.py", LINES, None, LINES + "x = (\n", Level.UNVERIFIABLE, (1, 22)),
    ],
)
def test_regions_and_files(
    path: str, text: str, lines: tuple[int, int] | None, after: str, level: Level, now: tuple[int, int] | None
) -> None:
    found = verdict_of(region_anchor(path, text, lines), {path: after})
    assert found.level is level, found
    assert (None if found.now is None else (found.now.start_line, found.now.end_line)) == now
    assert found.name_span is not None


@pytest.mark.parametrize("how", OTHERS)
@pytest.mark.parametrize("lines", [(5, 6), None])
def test_an_upgrade_of_regions_and_files(lines: tuple[int, int] | None, how: str) -> None:
    old = of_another(region_anchor("a.py", LINES, lines), how)
    spaced = LINES.replace("call(4, 'a')", "call( 4, 'a' )")
    shifted = "import os\n" + spaced if lines else spaced
    for text, level in (
        (LINES, Level.FRESH),
        (LINES.replace("\n", "\r\n"), Level.FRESH),
        (shifted, Level.REFORMATTED),
        (LINES.replace("call(4, 'a')", 'call(4, "a",)'), Level.REFORMATTED),
        (LINES.replace("call(4, 'a')", "call(44, 'a')"), Level.CHANGED),
        (LINES.replace("call(4, 'a')", "call(4, 'a') if x else None"), Level.CHANGED),
    ):
        found = verdict_of(old, {"a.py": text})
        assert found.level is level, (text, found)
    lost = replace(old, baselines=(replace(old.baselines[0], content=None),))
    found = verdict_of(lost, {"a.py": spaced})
    assert (found.level, found.reason) == (Level.UNVERIFIABLE, Reason.SCHEME) or lines, found


def test_a_statement_that_moves_out_of_an_if_changes_its_region() -> None:
    text = "def f():\n    if a:\n        b()\n        c()\n    d()\n"
    moved = "def f():\n    if a:\n        b()\n    c()\n    d()\n"
    assert verdict_of(region_anchor("a.py", text, (2, 4)), {"a.py": moved}).level is Level.CHANGED
    deeper = "def f():\n  if z:\n        if a:\n            b()\n            c()\n        d()\n"
    assert verdict_of(region_anchor("a.py", text, (2, 4)), {"a.py": deeper}).level is Level.REFORMATTED


def test_trivial_lines_are_found_only_beside_what_stood_there() -> None:
    text = "a = 1\nb = 2\nreturn_it\nc = 3\n"
    assert verdict_of(region_anchor("a.txt", text, (3, 3)), {"a.txt": "x\ny\nz\nreturn_it\nw\n"}).level is Level.MISSING


# What changed


def test_explain_shows_the_difference() -> None:
    anchor = anchor_of("a.py", "class A:\n" + "".join("    " + line + "\n" for line in PAY.splitlines()))
    after = {"a.py": "class A:\n  " + "  ".join(line + "\n" for line in PAY.replace("> 3", "> 4").splitlines())}
    sources = look_in(after)
    difference = explain(anchor, verdict_of(anchor, after), sources.__getitem__)
    assert difference is not None and (difference.added, difference.removed) == (1, 1)
    assert "-    if amount > 3:" in difference.lines and "+    if amount > 4:" in difference.lines
    assert (
        explain(anchor, judge(anchor, lambda path: parsed(path, None), body_hash="h"), sources.__getitem__) is not None
    )


# Properties


SAMPLES: Mapping[str, str] = {
    **{path: more.sample for path, more in LANGUAGE_CASES.items()},
    "a.py": (
        "def pay(amount, rate=2):\n    if amount > 3:\n        log('a', amount)\n"
        "    total = [amount, rate]\n    return$0 total[0] * rate\n"
    ),
    "a.js": (
        "export function pay(amount, rate = 2) {\n  if (amount > 3) {\n    log('a', amount);\n  }\n"
        "  const f = (x) => x * 2;\n  $0return f(amount) + rate;\n}\n"
    ),
    "a.ts": (
        "export function pay(amount: number, rate = 2): number {\n  if (amount > 3) {\n"
        "    log('a', amount as any);\n  }\n  $0return [amount].map((x) => x * rate)[0];\n}\n"
    ),
    "a.go": (
        "package a\n\nfunc (s *S) Pay(amount int, rate int) (int, error) {\n\tif amount > 3 {\n"
        '\t\ts.log("a", amount)\n\t}\n\t$0return amount * rate, nil\n}\n'
    ),
    "a.rs": (
        "pub fn pay(amount: u32, rate: u32) -> u32 {\n    if amount > 3 {\n"
        '        log("a", amount);\n    }\n    let x = $0amount * rate;\n    x + 1\n}\n'
    ),
    "A.java": (
        "class A {\n  public int pay(int amount, int rate) {\n    if (amount > 3) {\n"
        '      log("a", amount);\n    }\n    $0return amount * rate;\n  }\n}\n'
    ),
    "a.c": (
        "static int pay(int amount, int *rate)\n{\n    if (amount > 3) {\n"
        '        log("a", amount);\n    }\n    $0return amount * rate[0];\n}\n'
    ),
    "a.cpp": (
        "int A::pay(int amount, const int &rate) const {\n    if (amount > 3) {\n"
        '        log("a", amount);\n    }\n    $0return amount * rate;\n}\n'
    ),
}

COMMENTS = {**{path: more.comment for path, more in LANGUAGE_CASES.items()}, "a.py": "#"}
INDENTED = {*[path for path, more in LANGUAGE_CASES.items() if more.indented], "a.py"}


def spaced(path: str, text: str, data: st.DataObject) -> str:
    """The text with white space, comments and line ends edited here and there: never inside of a token or a string."""
    lines = text.split("\n")
    comment = COMMENTS.get(path, "//") + " x"
    if path in LANGUAGE_CASES:
        comment += LANGUAGE_CASES[path].comment_end
    kinds = LANGUAGE_CASES[path].layout if path in LANGUAGE_CASES else range(7)
    out = []
    for line in lines:
        kind = data.draw(st.sampled_from(kinds))
        indent = line[: len(line) - len(line.lstrip())]
        if kind == 1:
            out.append("")
        elif kind == 2 and line.strip():
            out.append(indent + comment)
        if kind == 3 and line.strip():
            line += "   " + comment
        elif kind == 4:
            line += LANGUAGE_CASES[path].blank if path in LANGUAGE_CASES else "  \t"
        elif kind == 5:
            line = re.sub(r" (?=[*+=>]+ )", "   ", line)
        elif kind == 6 and path not in INDENTED:
            line = "\t" + line
        out.append(line)
    return data.draw(st.sampled_from(["\n", "\r\n"])).join(out)


STYLE_EDITS: Mapping[str, Sequence[tuple[str, str]]] = {
    **{path: more.style_edits for path, more in LANGUAGE_CASES.items()},
    "a.py": [
        ("'a'", '"a"'),
        ("rate=2)", "rate=2,)"),
        ("amount > 3:", "(amount > 3):"),
        ("rate]", "rate,]"),
        ("amount)\n", "amount,)\n"),
    ],
    "a.js": [
        ("'a'", '"a"'),
        ("amount);", "amount,)"),
        ("(x) =>", "x =>"),
        ("x * 2;", "(x * 2)"),
        ("+ rate;", "+ rate"),
    ],
    "a.ts": [("'a'", '"a"'), ("as any)", "as any,)"), ("(x) =>", "x =>"), ("[0];", "[0]")],
    "a.go": [('"a"', "`a`"), ("rate int)", "rate int,)"), ("amount > 3", "(amount > 3)")],
    "a.rs": [
        ('"a"', 'r"a"'),
        ("amount);", "amount,);"),
        ("if amount > 3", "if (amount > 3)"),
        ("rate: u32)", "rate: u32,)"),
    ],
    "A.java": [("return amount * rate;", "return (amount * rate);")],
    "a.c": [("return amount * rate[0];", "return (amount * rate[0]);")],
    "a.cpp": [],
}


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_no_mix_of_layout_comments_and_style_is_stale(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(SAMPLES)))
    after = SAMPLES[path].replace(MARK, "")
    for old, new in STYLE_EDITS[path]:
        if data.draw(st.booleans()):
            assert old in after
            after = after.replace(old, new)
    after = spaced(path, after, data)
    found = verdict_of(anchor_of(path, SAMPLES[path]), {path: after})
    assert found.level in (Level.FRESH, Level.REFORMATTED), (found, after)


TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|[-+*<>=!&|.]+|[^\s\w]")
SWAPS = {"+": "-", "*": "/", ">": "<", "=": "+=", "int": "long", "u32": "u64", "if": "while", "return": "yield"}


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_change_of_one_token_is_stale(data: st.DataObject) -> None:
    """A token replaced by another one, left out or doubled. Where Python's own parser sees no difference there is
    none."""
    path = data.draw(st.sampled_from(sorted(SAMPLES)))
    text = SAMPLES[path].replace(MARK, "")
    symbol = symbol_at_mark(path, SAMPLES[path])
    assert symbol is not None
    tokens = [found for found in TOKEN.finditer(text) if symbol.start <= found.start() < symbol.end]
    token = data.draw(st.sampled_from(tokens))
    old = token[0]
    kind = data.draw(st.sampled_from(["other", "other", "less", "twice"]))
    if kind == "other":
        new = SWAPS.get(old) or (str(int(old) + 1) if old.isdigit() else old + "z" if old[0].isalpha() else "%")
    else:
        new = "" if kind == "less" else f"{old} {old}"
    after = text[: token.start()] + new + text[token.end() :]
    if path == "a.py" and same_python(text, after):
        return
    # Without its last brace it takes that of what is around it, and is whole.
    assume(not (kind == "less" and token.end() == symbol.end))
    # A token written twice at either end is an error beside a definition that is whole.
    assume(text[symbol.start : symbol.end] not in after)
    # What is style: an optional semicolon, a bare parameter, `let` and its kin need their own reading; see test_style.
    assume(not (kind != "other" and old in ";,()"))
    found = verdict_of(anchor_of(path, SAMPLES[path]), {path: after})
    assert found.stale or found.reason is Reason.SYNTAX or found.level is Level.MOVED, (found, after)
    if found.level is Level.MOVED:
        # Only a new name may be a move.
        assert text[symbol.name_start : symbol.name_end] == old or found.now.symbol != symbol.path
    if found.level is Level.UNVERIFIABLE:
        assert parsed(path, after).outline is not None and parsed(path, after).outline.broken  # type: ignore


def same_python(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_undo_restores_and_typing_equals_reading_anew(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(SAMPLES)))
    anchor = anchor_of(path, SAMPLES[path])
    source = parsed(path, SAMPLES[path])
    first = source
    for _ in range(data.draw(st.integers(1, 4))):
        assert source.text is not None
        start = data.draw(st.integers(0, len(source.text)))
        end = min(len(source.text), start + data.draw(st.integers(0, 2)))
        text, edit = source.text.replace(start, end, data.draw(st.sampled_from([b"", b"x", b" ", b"\n", b"(", b"3"])))
        source = edit_source(source, text, (edit,))
        typed = judge(anchor, lambda _path, now=source: now, body_hash="h")  # type: ignore[misc]
        anew = read_source(path, text)
        if source.outline is not None and not source.outline.broken:
            assert typed == judge(anchor, lambda _path, now=anew: now, body_hash="h")  # type: ignore[misc]
    assert source.text is not None and first.text is not None
    text, edit = source.text.replace(0, len(source.text), bytes(first.text))
    source = edit_source(source, text, (edit,))
    assert judge(anchor, lambda _path: source, body_hash="h").level is Level.FRESH


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_python_formatted_another_way_is_never_stale(data: st.DataObject) -> None:
    """The tokens of a Python text set with other white space, where Python's own tokenizer says that it may go."""
    text = SAMPLES["a.py"].replace(MARK, "")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    depth = 0
    out: list[str] = []
    for token in tokens:
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        if token.type in (tokenize.NEWLINE, tokenize.NL):
            out.append("\n")
            continue
        at_start = not out or out[-1].endswith("\n")
        if at_start:
            out.append(token.line[: token.start[1]])
        elif depth and data.draw(st.integers(0, 3)) == 0:
            out.append(data.draw(st.sampled_from(["\n  ", "  ", " # x\n"])))
        else:
            out.append(" ")
        depth += (token.string in "([{" and bool(token.string)) - (token.string in ")]}" and bool(token.string))
        out.append(token.string)
    after = "".join(out)
    assert same_python(text, after)
    assert not verdict_of(anchor_of("a.py", SAMPLES["a.py"]), {"a.py": after}).stale
