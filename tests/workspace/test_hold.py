"""Holding verdicts while syntax is broken: a state machine against a simple model, and what it means to a user.

The verdicts come from `judged`, which is as plain as the design's table: a symbol is fresh, changed or missing by the
text of its definition, and nothing can be told of one that a syntax error touches. Whether a missing symbol of a broken
file is `missing` or `unverifiable` is left open by that table, so everything is run both ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tree_sitter import Node

from lsp_server.core.drift import judge
from lsp_server.core.fingerprint import fingerprint
from lsp_server.core.model import Anchor, Baseline, Level, Locus, Place, Reason, Span, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.workspace import hold as hold_module
from lsp_server.workspace.hold import NOTHING, Errors, Held, Key, forget, hold

BASE = {"f": "def f(n):\n    return n * 2\n", "g": "def g(n):\n    x = [n, 2]\n    return x\n"}


def judged(source: Source, name: str, base: str, *, open_minded: bool = False) -> Verdict:
    """The pure verdict of an anchor on the function `name` whose accepted text is `base`."""
    assert source.outline is not None and source.text is not None
    found = source.outline.by_path(name)
    if len(found) != 1:
        if source.outline.broken and not open_minded:
            return Verdict(name, Level.UNVERIFIABLE, Reason.SYNTAX, span=Span(0, 0), name_span=Span(0, 0))
        return Verdict(name, Level.MISSING, Reason.SYMBOL_GONE, span=Span(0, 0), name_span=Span(0, 0))
    symbol = found[0]
    span, letters = Span(symbol.start, symbol.end), Span(symbol.name_start, symbol.name_end)
    now = Place(source.path, name, symbol.start_line, symbol.end_line)
    if source.text.slice(symbol.start, symbol.end).strip() == base.strip().encode():
        return Verdict(name, Level.FRESH, now=now, span=span, name_span=letters)
    if symbol.broken:
        return Verdict(name, Level.UNVERIFIABLE, Reason.SYNTAX, now=now, span=span, name_span=letters)
    return Verdict(name, Level.CHANGED, Reason.BODY, now=now, span=span, name_span=letters)


def source_of(text: str) -> Source:
    return read_source("a.py", Text.of(text))


def show(
    held: Held, text: str, *, base: Mapping[str, str] = BASE, settled: bool = True, open_minded: bool = False
) -> tuple[Held, dict[str, Verdict]]:
    source = source_of(text)
    pures: dict[Key, Verdict] = {("m", n): judged(source, n, base[n], open_minded=open_minded) for n in base}
    held, shown = hold(held, pures, source, settled=settled)
    assert list(shown) == list(pures)
    return held, {name: verdict for (_, name), verdict in shown.items()}


GOOD = "import os\n\n\n" + BASE["f"] + "\n\n" + BASE["g"]
CHANGED = GOOD.replace("n * 2", "n * 3")

# Steps: a text, and what is then shown of f and g; a star marks what is held.
STORIES: dict[str, list[tuple[str, str, str]]] = {
    "a call is typed and its bracket closed": [
        (GOOD, "fresh", "fresh"),
        (GOOD.replace("n * 2", "n * 2 + abs("), "fresh*", "fresh*"),
        (GOOD.replace("n * 2", "n * 2 + abs(n"), "fresh*", "fresh*"),
        (GOOD.replace("n * 2", "n * 2 + abs(n)"), "changed", "fresh"),
        (GOOD, "fresh", "fresh"),
    ],
    "stale stays stale while typing": [
        (CHANGED, "changed", "fresh"),
        (CHANGED.replace("n * 3", "n * 3 + ("), "changed*", "fresh*"),
        (GOOD, "fresh", "fresh"),
    ],
    "missing stays missing while typing it again": [
        (GOOD.replace(BASE["f"], ""), "missing", "fresh"),
        (GOOD.replace(BASE["f"], "def f(n"), "missing*", "fresh*"),
        (GOOD, "fresh", "fresh"),
    ],
    "deleted while something else is broken": [
        (GOOD, "fresh", "fresh"),
        (GOOD + "y = (\n", "fresh", "fresh"),
        (GOOD.replace(BASE["g"], "") + "y = (\n", "fresh", "missing"),
    ],
    "a real edit while something else has been broken all along": [
        (GOOD + "y = = 1\n", "fresh", "fresh"),
        (CHANGED + "y = = 1\n", "changed", "fresh"),
        (CHANGED.replace(BASE["g"], "") + "y = = 1\n", "changed", "missing"),
    ],
    "nothing certain to hold": [
        (GOOD.replace("n * 2", "(n * 2"), "unverifiable", "unverifiable"),
        (GOOD, "fresh", "fresh"),
    ],
}


@pytest.mark.parametrize("story", STORIES)
def test_stories(story: str) -> None:
    open_minded = "something else" in story
    held = NOTHING
    for text, *expected in STORIES[story]:
        held, shown = show(held, text, open_minded=open_minded)
        told = [f"{shown[name].level.value}{'*' if shown[name].held else ''}" for name in ("f", "g")]
        for name, one, other in zip(("f", "g"), told, expected, strict=True):
            # An error may leave a function clean: then its verdict is certain, and the same.
            assert one in (other, other.removesuffix("*")), (name, text)


def test_a_formatter_that_empties_the_text_first_shows_nothing_lost() -> None:
    formatted = GOOD.replace("import os\n\n\n", "import os\nimport sys\n\n\n")
    held, _ = show(NOTHING, GOOD)
    for blank in ("", "\n", "  \n\n"):
        between, shown = show(held, blank, settled=False)
        assert [verdict.level for verdict in shown.values()] == [Level.FRESH] * 2
        assert all(verdict.held for verdict in shown.values())
        _, shown = show(between, formatted, settled=False)
        assert not any(verdict.held for verdict in shown.values())
        assert shown["f"].now == Place("a.py", "f", 5, 6)
        # Where it stays blank it is as it looks.
        _, shown = show(between, blank)
        assert [verdict.level for verdict in shown.values()] == [Level.MISSING] * 2
    # With one message for all of it nothing is to be held at all.
    _, shown = show(held, formatted, settled=False)
    assert [verdict.level for verdict in shown.values()] == [Level.FRESH] * 2


def test_what_is_held_moves_with_the_text() -> None:
    held, first = show(NOTHING, GOOD)
    text = GOOD.replace("n * 2", "n * 2 + (")
    for above in ("", "# one\n", "# one\n# two 🎉\n", ""):
        held, shown = show(held, above + text)
        for name in ("f", "g"):
            letters = shown[name].name_span
            assert letters is not None
            whole = (above + text).encode()
            assert whole[letters.start : letters.end] == name.encode()
            assert whole[: letters.start].endswith(b"def ")
            place, before = shown[name].now, first[name].now
            assert place is not None and before is not None
            assert place.start_line == before.start_line + above.count("\n")


def test_a_moved_verdict_while_newly_broken_waits() -> None:
    """Code that turns up elsewhere while its own place cannot be read did not move: nothing can be told."""
    good, broken = source_of(GOOD), source_of(GOOD.replace("def f(n):", "def f(n:"))
    key = ("m", "f")
    held, _ = hold(NOTHING, {key: judged(good, "f", BASE["f"])}, good)
    moved = Verdict("f", Level.MOVED, now=Place("a.py", "g", 8, 10), span=Span(0, 1), name_span=Span(0, 1))
    held, shown = hold(held, {key: moved}, broken)
    assert (shown[key].level, shown[key].held) == (Level.FRESH, True)
    _, shown = hold(held, {key: moved}, good)
    assert shown[key] == moved


@pytest.mark.parametrize("reason", [Reason.TOO_LARGE, Reason.NOT_TEXT, Reason.NO_BASELINE, Reason.SCHEME])
def test_what_cannot_be_told_for_another_reason_is_shown(reason: Reason) -> None:
    held, _ = show(NOTHING, GOOD)
    broken = source_of(GOOD + "(")
    verdict = Verdict("f", Level.UNVERIFIABLE, reason)
    assert hold(held, {("m", "f"): verdict}, broken)[1] == {("m", "f"): verdict}


def test_forget_and_what_is_asked_no_more() -> None:
    held, _ = show(NOTHING, GOOD)
    text = GOOD.replace("n * 2", "(n * 2").replace("x = [n", "x = [[n")
    forgetful, shown = show(forget(held, [("m", "f")]), text)
    assert (shown["f"].level, shown["g"].level) == (Level.UNVERIFIABLE, Level.FRESH)
    assert show(held, text)[1]["f"].held
    less, _ = show(held, GOOD, base={"f": BASE["f"]})
    assert show(less, text)[1]["g"].level is Level.UNVERIFIABLE
    assert forgetful.certain.keys() == {("m", "g")}


def test_two_memories_with_one_anchor_id_are_two() -> None:
    good, broken = source_of(GOOD), source_of(GOOD.replace("n * 2", "(n * 2"))
    pures = {("one", "f"): judged(good, "f", BASE["f"]), ("two", "f"): judged(good, "f", "def f(): ...")}
    held, _ = hold(NOTHING, pures, good)
    unknown = dict.fromkeys(pures, judged(broken, "f", BASE["f"]))
    _, shown = hold(held, unknown, broken)
    assert [verdict.level for verdict in shown.values()] == [Level.FRESH, Level.CHANGED]


# -- with the real judge -----------------------------------------------------------------------------------------------

TYPED = {
    "a.py": (
        "import os\n\n\nclass A:\n    def f(self, n):\n        return n * 2\n\n"
        "    def g(self):\n        return [1, 2, self]\n",
        {"A.f": "f", "A.g": "g"},
        "        if (n > {'a': [1, 2]}['a'][0]):\n            print(f'{n}')\n",
        "        return n * 2",
    ),
    "a.js": (
        "const os = 1\n\nclass A {\n  f(n) {\n    return n * 2\n  }\n\n  g() {\n    return [1, 2, this]\n  }\n}\n",
        {"A.f": "f", "A.g": "g"},
        "    if (n > [{ a: `x${n}` }]) { console.log('n') }\n",
        "    return n * 2",
    ),
}


def anchored(source: Source, path: str) -> Anchor:
    assert source.outline is not None and source.text is not None
    (symbol,) = source.outline.by_path(path)
    taken, place = fingerprint(source, symbol), Locus(source.path, path)
    content = source.text.slice(symbol.start, symbol.end).decode()
    baseline = Baseline("e", taken, place, content, None, (1, 1), "h", "current", "", "", "")
    return Anchor(path, place, baselines=(baseline,))


@pytest.mark.parametrize("file", TYPED)
def test_typing_a_statement_letter_by_letter_blinks_nowhere(file: str) -> None:
    """While it is typed nothing is lost or untold, held verdicts end where the text is whole, and all are on the
    method's own name; the other method stays fresh at every letter."""
    text, names, statement, before = TYPED[file]
    source = read_source(file, Text.of(text))
    anchors = {("m", path): anchored(source, path) for path in names}
    held, shown = NOTHING, {}
    cut = text.index(before)
    for end in range(len(statement) + 1):
        now = text[:cut] + statement[:end] + text[cut:]
        source = read_source(file, Text.of(now))
        assert source.outline is not None
        look = {file: source}.__getitem__
        pures = {key: judge(anchor, look, body_hash="h") for key, anchor in anchors.items()}
        held, shown = hold(held, pures, source)
        for (_, path), verdict in shown.items():
            allowed = (Level.FRESH, Level.REFORMATTED, Level.CHANGED) if path == "A.f" else (Level.FRESH,)
            assert verdict.level in allowed, (statement[:end], verdict)
            letters = verdict.name_span
            assert letters is not None and source.text is not None
            assert source.text.slice(letters.start, letters.end) == names[path].encode()
            if not source.outline.broken:
                assert not verdict.held
    assert shown["m", "A.f"].level is Level.CHANGED and not shown["m", "A.f"].held


# -- errors ------------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    ["def f(n):\n", "    return n\n", "x = (\n", ")\n", '"""\n', "class A:\n", "y = = 1\n", "é = [\n"]
)


def every_error(node: Node, text: bytes, found: Counter[bytes]) -> Counter[bytes]:
    """The slow way: every node is looked at."""
    if node.is_missing:
        found[node.type.encode()] += 1
    elif node.is_error:
        found[text[node.start_byte : node.end_byte]] += 1
    for child in node.children:
        every_error(child, text, found)
    return found


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(PIECES, max_size=10), more=PIECES)
def test_errors_are_those_of_the_whole_tree(pieces: list[str], more: str) -> None:
    def both(text: str) -> tuple[Errors, Counter[bytes]]:
        source = source_of(text)
        assert source.tree is not None
        return Errors(source), every_error(source.tree.root_node, text.encode(), Counter())

    (one, slow_one), (other, slow_other) = both("".join(pieces)), both("".join([*pieces, more]))
    assert one.found is not None and one.found.total() == slow_one.total()
    assert other.beyond(one) == bool(slow_other - slow_one)
    assert one.beyond(other) == bool(slow_one - slow_other)
    assert not one.beyond(one) and not both("".join(pieces))[0].beyond(one)


def test_too_many_errors_are_all_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hold_module, "MAX_ERRORS", 2)
    many = "y = = 1\n\n" * 5
    assert Errors(source_of(many)).found is None
    assert Errors(source_of(many)).beyond(Errors(source_of(many)))
    assert not Errors(source_of("y = 1\n")).beyond(Errors(source_of(many)))


# -- the machine -------------------------------------------------------------------------------------------------------


class Typing(RuleBasedStateMachine):
    """A buffer of two functions, in which things are broken and mended, put above, changed and deleted, one at a time.

    The model knows which of them are in the text, and nothing of syntax trees: with nothing broken, what is shown is
    the pure verdict; with something broken that was not when a verdict was last certain, what cannot be told shows that
    one.
    """

    open_minded = False

    def __init__(self) -> None:
        super().__init__()
        self.parts = {"f": BASE["f"], "g": BASE["g"]}
        self.above = 0
        self.broken: set[str] = set()
        self.held = NOTHING
        self.certain: dict[str, tuple[Verdict, frozenset[str]]] = {}
        self.look()

    def text(self) -> str:
        parts = dict(self.parts)
        for name in ("f", "g"):
            if name in self.broken and parts[name]:
                parts[name] = parts[name].rstrip("\n") + " + (\n"
        first = "x = ((\n" if "top" in self.broken else ""
        quotes = '"""\n' if "quotes" in self.broken else ""
        between = "y = = 1\n" if "between" in self.broken else ""
        return first + quotes + "# above\n" * self.above + parts["f"] + "\n\n" + between + parts["g"]

    def look(self) -> None:
        text = self.text()
        self.source = source_of(text)
        before = self.held
        self.pures = {n: judged(self.source, n, BASE[n], open_minded=self.open_minded) for n in BASE}
        self.held, shown = hold(before, {("m", n): v for n, v in self.pures.items()}, self.source)
        self.shown = {name: verdict for (_, name), verdict in shown.items()}
        self.expected = dict(self.certain)
        for name, verdict in self.shown.items():
            if not verdict.held:
                self.certain[name] = (verdict, frozenset(self.broken))
                if verdict.level is Level.UNVERIFIABLE:
                    del self.certain[name]

    @rule(lines=st.integers(0, 3))
    def put_above(self, lines: int) -> None:
        self.above = lines
        self.look()

    @rule(what=st.sampled_from(["f", "g", "top", "quotes", "between"]))
    def break_something(self, what: str) -> None:
        self.broken.add(what)
        self.look()

    @rule(what=st.sampled_from(["f", "g", "top", "quotes", "between"]))
    def mend_something(self, what: str) -> None:
        self.broken.discard(what)
        self.look()

    @rule(name=st.sampled_from(["f", "g"]), text=st.sampled_from(["base", "changed", "gone"]))
    def edit(self, name: str, text: str) -> None:
        forms = {"base": BASE[name], "changed": BASE[name].replace("2", "3"), "gone": ""}
        self.parts[name] = forms[text]
        self.look()

    @precondition(lambda self: self.certain)
    @rule()
    def close_and_open(self) -> None:
        self.held, self.certain = NOTHING, {}
        self.look()
        assert self.shown == self.pures

    @invariant()
    def shown_is_certain_or_the_last_certain(self) -> None:
        for name, shown in self.shown.items():
            pure = self.pures[name]
            last = self.expected.get(name)
            if not self.broken or last is None or pure.level is Level.FRESH:
                assert shown == pure
            elif shown.held:
                assert (shown.level, shown.reason) == (last[0].level, last[0].reason)
            else:
                assert shown == pure
            if last is not None and self.broken - last[1] and not self.expected_broken_before(last):
                self.newly_broken(name, pure, shown, last[0])

    def expected_broken_before(self, last: tuple[Verdict, frozenset[str]]) -> bool:
        # Something else was broken when the verdict was certain: one error may have swallowed another.
        return bool(last[1])

    def newly_broken(self, name: str, pure: Verdict, shown: Verdict, last: Verdict) -> None:
        if pure.level is Level.UNVERIFIABLE:
            assert shown.held
        elif pure.level is Level.MISSING and last.level is not Level.MISSING:
            assert shown.held == bool(self.parts[name])
        elif pure.level is Level.CHANGED:
            assert not shown.held

    @invariant()
    def what_is_shown_of_a_function_that_is_there_is_on_its_name(self) -> None:
        text = self.text().encode()
        for name, shown in self.shown.items():
            was_there = name in self.expected and self.expected[name][0].level is not Level.MISSING
            if shown.held and was_there and self.parts[name]:
                letters = shown.name_span
                assert letters is not None and text[letters.start : letters.end] == name.encode()


class TypingOpenMinded(Typing):
    """The same with a judge that calls a symbol missing although the file is broken."""

    open_minded = True


TestTyping = Typing.TestCase
TestTypingOpenMinded = TypingOpenMinded.TestCase
for case in (TestTyping, TestTypingOpenMinded):
    case.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
