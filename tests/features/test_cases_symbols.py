"""Cases 24, 25, 27 and 29 from the field: which of several symbols it is. Data through one check.

A story is a file, the places that get a memory each, and steps: a text, and which memories are then `kept` (fresh,
reformatted or moved, and where), stale or lost. What stands in no list must be fresh at its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from support.asking import checked
from support.samples import lines_of
from support.stage import Stage

KEPT = {"fresh", "reformatted", "moved"}


@dataclass(frozen=True)
class Step:
    """What is done: pairs of old and new text. What is then so: `changed` and `lost` memories, by their needle; all
    others are kept. `at` says on which line's needle a memory must be, where it is not its own."""

    what: str
    edits: tuple[tuple[str, str], ...]
    changed: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    at: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Story:
    """`places` maps a needle (text on the line of a definition) to the symbol path that a memory there must get."""

    file: str
    text: str
    places: Mapping[str, str]
    steps: tuple[Step, ...]


def above(needle: str, what: str) -> tuple[tuple[str, str], ...]:
    """The edit that puts something right before a needle."""
    return ((needle, what + needle),)


def line_with(text: str, needle: str) -> int:
    """The only line (from 1) that holds a needle."""
    found = [at for at, line in enumerate(lines_of(text), 1) if needle in line]
    assert len(found) == 1, (needle, found, text)
    return found[0]


def apply(text: str, step: Step) -> str:
    for old, new in step.edits:
        assert text.count(old) == 1, (step.what, old, text.count(old))
        text = text.replace(old, new)
    return text


def wrong_in(text: str, step: Step, needles: Mapping[str, str], anchors: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is not as the step says, in words."""
    wrong = []
    for needle in needles:
        found = anchors[needle]
        told = f"{step.what}: {needle!r} is {found['verdict']} ({found['reason']}) at {found['now']}"
        if needle in step.lost:
            if found["verdict"] != "missing":
                wrong.append(told + ", but it is gone")
            continue
        expected = {"changed"} if needle in step.changed else KEPT
        if found["verdict"] not in expected:
            wrong.append(f"{told}, expected {' or '.join(sorted(expected))}")
            continue
        line = line_with(text, step.at.get(needle, needle))
        if not found["now"]["start_line"] <= line <= found["now"]["end_line"]:
            wrong.append(f"{told}, but its line is {line}")
    return wrong


async def check_story(folder: Path, story: Story) -> None:
    text = dedent(story.text)
    path = folder / story.file
    path.write_text(text)
    wrong: list[str] = []
    async with Stage(folder, {}) as stage:
        ids = {}
        for number, (needle, symbol) in enumerate(story.places.items()):
            memory = await stage.record(f"{story.file}:{line_with(text, needle)}", text=f"Memory {number:02}.")
            ids[needle] = memory["id"]
            (anchor,) = memory["anchors"]
            assert (anchor["symbol"], anchor["verdict"]) == (symbol, "fresh"), needle
        assert len(set(ids.values())) == len(ids), "none merges"
        await stage.open(story.file)
        for step in (Step("untouched", ()), *story.steps):
            shown = apply(text, step)
            stage.edit(story.file, shown)
            now = {needle: (await stage.verdicts(identifier))[0] for needle, identifier in ids.items()}
            wrong += wrong_in(shown, step, story.places, now)
            stage.edit(story.file, text)
            back = [mark.code for mark in stage.problems(story.file)]
            if back != ["fresh"] * len(ids):
                wrong.append(f"{step.what}: undone, but it shows {back}")
    for step in story.steps:
        shown = apply(text, step)
        path.write_text(shown)
        on_disk = dict(zip(story.places, await checked(folder), strict=True))
        wrong += [f"on disk, {one}" for one in wrong_in(shown, step, story.places, on_disk)]
    assert not wrong, "\n".join(wrong)


PAY_INT = "  int pay(int n) {\n    audit(n);\n    return n * 2 + fee(n);\n  }\n"
PAY_STRING = '  int pay(String s) {\n    log("s", s);\n    return parse(s) - 1;\n  }\n'
PAY_LONG = "  int pay(long n) {\n    trace(n);\n    return (int) (n >> 3);\n  }\n"

STORIES: dict[str, Story] = {
    # ---- case 24: overloads and repeated names
    "24 java overloads": Story(
        "Shop.java",
        "class Shop {\n" + PAY_INT + "\n" + PAY_STRING + "}\n",
        {"pay(int n)": "Shop.pay", "pay(String s)": "Shop.pay"},
        (
            Step("a third on top", (("class Shop {\n", "class Shop {\n" + PAY_LONG + "\n"),)),
            Step("the first deleted", ((PAY_INT + "\n", ""),), lost=("pay(int n)",)),
            Step("the second deleted", (("\n" + PAY_STRING, ""),), lost=("pay(String s)",)),
            Step("swapped", ((PAY_INT + "\n" + PAY_STRING, PAY_STRING + "\n" + PAY_INT),)),
            Step("the first edited", (("n * 2", "n * 3"),), changed=("pay(int n)",)),
            Step("the second edited", (("- 1", "- 2"),), changed=("pay(String s)",)),
            Step(
                "a third on top, the first edited",
                (("class Shop {\n", "class Shop {\n" + PAY_LONG + "\n"), ("n * 2", "n * 3")),
                changed=("pay(int n)",),
            ),
            Step(
                "swapped, the second edited",
                ((PAY_INT + "\n" + PAY_STRING, PAY_STRING.replace("- 1", "- 2") + "\n" + PAY_INT),),
                changed=("pay(String s)",),
            ),
        ),
    ),
    "24 cpp overloads": Story(
        "shop.cpp",
        """\
        int pay(int n) {
          audit(n);
          return n * 2 + fee(n);
        }

        int pay(const char *s) {
          log("s", s);
          return parse(s) - 1;
        }
        """,
        {"pay(int n)": "pay", "pay(const char": "pay"},
        (
            Step("a third on top", (("int pay(int n)", "int pay(long n) {\n  return n >> 3;\n}\n\nint pay(int n)"),)),
            Step("the first edited", (("n * 2", "n * 3"),), changed=("pay(int n)",)),
            Step(
                "the first deleted",
                (("int pay(int n) {\n  audit(n);\n  return n * 2 + fee(n);\n}\n\n", ""),),
                lost=("pay(int n)",),
            ),
        ),
    ),
    "24 typescript overloads by class": Story(
        "shop.ts",
        """\
        class Shop {
          open(day: Day): Hours {
            return this.hours(day, 8);
          }
        }

        class Bank {
          open(day: Day): Hours {
            return this.counter(day, 9);
          }
        }
        """,
        {"this.hours": "Shop.open", "this.counter": "Bank.open"},
        (
            Step("one edited", (("day, 8", "day, 7"),), changed=("this.hours",)),
            Step("the other edited", (("day, 9", "day, 7"),), changed=("this.counter",)),
        ),
    ),
    "24 javascript two functions of one name": Story(
        "init.js",
        """\
        function init() {
          connect('first', 1);
          return ready(1);
        }

        function init() {
          listen('second', 2);
          return started(2);
        }
        """,
        {"'first'": "init", "'second'": "init"},
        (
            Step("one more on top", above("function init() {\n  connect", "function init() {\n  warm(0);\n}\n\n")),
            Step("the first edited", (("ready(1)", "ready(3)"),), changed=("'first'",)),
            Step("the second edited", (("started(2)", "started(3)"),), changed=("'second'",)),
            Step(
                "the first deleted",
                (("function init() {\n  connect('first', 1);\n  return ready(1);\n}\n\n", ""),),
                lost=("'first'",),
            ),
            Step(
                "swapped",
                (
                    ("connect('first', 1);\n  return ready(1)", "SECOND"),
                    ("listen('second', 2);\n  return started(2)", "connect('first', 1);\n  return ready(1)"),
                    ("SECOND", "listen('second', 2);\n  return started(2)"),
                ),
            ),
        ),
    ),
    "24 python nested under different outers": Story(
        "nested.py",
        """\
        def outer(n):
            def inner(m):
                return first(m, n) + 1
            return inner


        class Outer:
            def inner(self, m):
                return second(m, self) + 2


        def other(n):
            def inner(m):
                return third(m, n) + 3
            return inner
        """,
        {"first(": "outer.inner", "second(": "Outer.inner", "third(": "other.inner"},
        (
            Step("one edited", (("+ 1", "+ 9"),), changed=("first(",)),
            Step("another edited", (("+ 3", "+ 9"),), changed=("third(",)),
        ),
    ),
    "24 javascript nested under different outers": Story(
        "nested.js",
        """\
        function outer(n) {
          function inner(m) {
            return first(m, n) + 1;
          }
          return inner;
        }

        function other(n) {
          function inner(m) {
            return second(m, n) + 2;
          }
          return inner;
        }
        """,
        {"first(": "outer.inner", "second(": "other.inner"},
        (
            Step("one edited", (("+ 1", "+ 9"),), changed=("first(",)),
            Step("the other edited", (("+ 2", "+ 9"),), changed=("second(",)),
        ),
    ),
    "24 cpp namespace A and class A": Story(
        "a.cpp",
        """\
        namespace A {
        int open(int day) { return hours(day, 8); }
        }

        namespace B {
        class A {
         public:
          int open(int day) { return counter(day, 9); }
        };
        }

        class A2 {
         public:
          int open(int day) { return window(day, 10); }
        };
        """,
        {"hours(": "A.open", "counter(": "B.A.open", "window(": "A2.open"},
        (
            Step("in the namespace", (("day, 8", "day, 7"),), changed=("hours(",)),
            Step("in the class", (("day, 9", "day, 7"),), changed=("counter(",)),
        ),
    ),
    # ---- case 25: Go receivers, Rust impl blocks
    "25 go receivers": Story(
        "close.go",
        """\
        package shop

        func (a A) Close() error {
        \treturn a.flush(1, "a")
        }

        func (b *B) Close() error {
        \treturn b.release(2, "b")
        }

        func (s *Set[T]) Close() error {
        \treturn s.empty(3, "set")
        }

        type A struct{ n int }

        type B struct{ n int }

        type Set[T any] struct{ items []T }
        """,
        {"a.flush": "A.Close", "b.release": "B.Close", "s.empty": "Set.Close"},
        (
            Step("only A", (('(1, "a")', '(4, "a")'),), changed=("a.flush",)),
            Step("only B", (('(2, "b")', '(4, "b")'),), changed=("b.release",)),
            Step("only Set", (('(3, "set")', '(4, "set")'),), changed=("s.empty",)),
            Step("value to pointer", (("(a A) Close", "(a *A) Close"),), changed=("a.flush",)),
            Step("A's gone", (('func (a A) Close() error {\n\treturn a.flush(1, "a")\n}\n\n', ""),), lost=("a.flush",)),
        ),
    ),
    "25 rust impl blocks": Story(
        "lib.rs",
        """\
        impl X {
            fn new() -> X {
                X::with(1, "x")
            }
        }

        impl Y {
            fn new() -> Y {
                Y::with(2, "y")
            }
        }

        impl From<i32> for X {
            fn from(n: i32) -> X {
                X::number(n, 3)
            }
        }

        impl From<u8> for X {
            fn from(n: u8) -> X {
                X::byte(n, 4)
            }
        }

        mod one {
            impl Inner {
                fn m(&self) -> i32 {
                    self.first(5)
                }
            }
        }

        mod two {
            impl Inner {
                fn m(&self) -> i32 {
                    self.second(6)
                }
            }
        }
        """,
        {
            "X::with": "X.new",
            "Y::with": "Y.new",
            "X::number": "X.from",
            "X::byte": "X.from",
            "self.first": "one.Inner.m",
            "self.second": "two.Inner.m",
        },
        (
            *(
                Step(f"only {needle}", ((old, new),), changed=(needle,))
                for needle, old, new in (
                    ("X::with", "(1,", "(9,"),
                    ("Y::with", "(2,", "(9,"),
                    ("X::number", "(n, 3)", "(n, 9)"),
                    ("X::byte", "(n, 4)", "(n, 9)"),
                    ("self.first", "(5)", "(9)"),
                    ("self.second", "(6)", "(9)"),
                )
            ),
            Step(
                "one impl more on top of the two",
                above(
                    "impl From<i32> for X {",
                    "impl From<u64> for X {\n    fn from(n: u64) -> X {\n        X::wide(n >> 7)\n    }\n}\n\n",
                ),
            ),
        ),
    ),
    # ---- case 27: TypeScript overload heads, anonymous and default exports
    "27 overload heads": Story(
        "heads.ts",
        """\
        export function pay(n: number): number;
        export function pay(s: string): string;
        export function pay(d: Date): Date;
        export function pay(x: any): any {
          audit(x);
          return double(x, 2);
        }
        """,
        {"s: string": "pay", "x: any": "pay"},
        (
            Step("a head above", above("export function pay(n", "export function pay(b: boolean): boolean;\n")),
            Step("the implementation edited", (("(x, 2)", "(x, 3)"),), changed=("x: any",)),
            Step("a head below", above("export function pay(x", "export function pay(b: bigint): bigint;\n")),
        ),
    ),
    "27 a declaration file": Story(
        "types.d.ts",
        """\
        declare function pay(n: number, mode?: string): number;
        declare const LIMIT: number;
        declare class Shop {
          open(day: Day): Hours;
          shut(day: Day): void;
        }
        declare namespace bank {
          function owe(n: number): number;
        }
        interface Till {
          count(coins: Coin[]): number;
        }
        """,
        {
            "declare function pay": "pay",
            "declare const LIMIT": "LIMIT",
            "open(day": "Shop.open",
            "function owe": "bank.owe",
            "count(coins": "Till.count",
        },
        (
            Step("pay", (("mode?: string", "mode: string"),), changed=("declare function pay",)),
            Step("LIMIT", (("LIMIT: number", "LIMIT: bigint"),), changed=("declare const LIMIT",)),
            Step("open", (("): Hours", "): Hour[]"),), changed=("open(day",)),
            Step("owe", (("owe(n: number): number", "owe(n: number): bigint"),), changed=("function owe",)),
            Step("count", (("coins: Coin[]", "coins: Coin"),), changed=("count(coins",)),
            Step("what stands beside", (("shut(day: Day): void", "shut(): void"),)),
        ),
    ),
    "27 anonymous default export": Story(
        "default.ts",
        """\
        import { save } from 'store';

        export default (n: number) => {
          save(n, 'now');
          return n * 2;
        };
        """,
        {"export default": "default"},
        (
            Step("its text", (("n * 2", "n * 3"),), changed=("export default",)),
            Step("above it", (("import { save }", "import { save, load }"),)),
        ),
    ),
    "27 literal methods, callbacks and arrow fields": Story(
        "app.ts",
        """\
        export const api = {
          pay(n: number) {
            return fee(n, 1);
          },
          owe: (n: number) => debt(n, 2),
        };

        class Shop {
          open = (day: Day) => {
            return this.hours(day, 3);
          };

          #shut = (day: Day) => this.counter(day, 4);
        }

        export function routes(app: App) {
          app.get('/x', (r) => answer(r, 5));
          app.get('/y', (r) => reply(r, 6));
        }
        """,
        {"pay(n": "api.pay", "owe:": "api.owe", "open =": "Shop.open", "'/x'": "routes"},
        (
            Step("pay", (("(n, 1)", "(n, 9)"),), changed=("pay(n",)),
            Step("owe", (("(n, 2)", "(n, 9)"),), changed=("owe:",)),
            Step("open", (("(day, 3)", "(day, 9)"),), changed=("open =",)),
            Step("a callback", (("(r, 6)", "(r, 9)"),), changed=("'/x'",)),
        ),
    ),
    # ---- case 29: Python property pairs and conditional definitions
    "29 property": Story(
        "prop.py",
        """\
        class Shop:
            @property
            def x(self):
                return self.read('x', 1)

            def helper(self):
                return self.read('helper', 2)

            @x.setter
            def x(self, value):
                self.write('x', value, 3)

            @x.deleter
            def x(self):
                self.drop('x', 4)
        """,
        {"self.read('x'": "Shop.x", "self.write(": "Shop.x", "self.drop(": "Shop.x"},
        (
            Step("the getter", (("'x', 1", "'x', 9"),), changed=("self.read('x'",)),
            Step("the setter", (("value, 3", "value, 9"),), changed=("self.write(",)),
            Step("the deleter", (("'x', 4", "'x', 9"),), changed=("self.drop(",)),
            Step("the helper", (("'helper', 2", "'helper', 9"),)),
            Step(
                "the getter gone",
                (("    @property\n    def x(self):\n        return self.read('x', 1)\n\n", ""),),
                lost=("self.read('x'",),
            ),
        ),
    ),
    "29 conditional definitions": Story(
        "cond.py",
        """\
        import sys

        try:
            import fast

            def load(path):
                return fast.load(path, 1)
        except ImportError:
            def load(path):
                return slowly(path, 2)

        if sys.platform == 'win32':
            def lock(path):
                return msvcrt_lock(path, 3)
        else:
            def lock(path):
                return fcntl_lock(path, 4)
        """,
        {"fast.load": "load", "slowly(": "load", "msvcrt_lock": "lock", "fcntl_lock": "lock"},
        (
            Step("the first load", (("path, 1", "path, 9"),), changed=("fast.load",)),
            Step("the second load", (("path, 2", "path, 9"),), changed=("slowly(",)),
            Step("the first lock", (("path, 3", "path, 9"),), changed=("msvcrt_lock",)),
            Step("the second lock", (("path, 4", "path, 9"),), changed=("fcntl_lock",)),
            Step(
                "a third branch first",
                above("if sys.platform", "if sys.os == 'os2':\n    def lock(path):\n        return os2(path)\nel"),
            ),
        ),
    ),
    "29 typing overloads": Story(
        "over.py",
        """\
        from typing import overload


        @overload
        def pay(n: int) -> int: ...
        @overload
        def pay(n: str) -> str: ...
        def pay(n):
            return double(n, 2)
        """,
        {"n: int": "pay", "n: str": "pay", "def pay(n):": "pay"},
        (
            Step("one more", above("@overload\ndef pay(n: int)", "@overload\ndef pay(n: bytes) -> bytes: ...\n")),
            Step("the implementation", (("(n, 2)", "(n, 3)"),), changed=("def pay(n):",)),
        ),
    ),
    "29 a lambda, and two tests of one name": Story(
        "odd.py",
        """\
        _ = lambda text: translate(text, 1)


        class TestShop:
            def test_a(self):
                assert pay(1, 'first') == 2

            def test_a(self):
                assert owe(2, 'second') == 3
        """,
        {"translate(": "_", "'first'": "TestShop.test_a", "'second'": "TestShop.test_a"},
        (
            Step("the lambda", (("text, 1", "text, 9"),), changed=("translate(",)),
            Step("the first", (("== 2", "== 9"),), changed=("'first'",)),
            Step("the second", (("== 3", "== 9"),), changed=("'second'",)),
        ),
    ),
}


@pytest.mark.parametrize("name", [name for name in STORIES if name.startswith("24")])
async def test_case_24_overloads_and_repeated_names(tmp_path: Path, name: str) -> None:
    await check_story(tmp_path, STORIES[name])


@pytest.mark.parametrize("name", [name for name in STORIES if name.startswith("25")])
async def test_case_25_receivers_and_impl_blocks(tmp_path: Path, name: str) -> None:
    await check_story(tmp_path, STORIES[name])


@pytest.mark.parametrize("name", [name for name in STORIES if name.startswith("27")])
async def test_case_27_heads_anonymous_and_default(tmp_path: Path, name: str) -> None:
    await check_story(tmp_path, STORIES[name])


@pytest.mark.parametrize("name", [name for name in STORIES if name.startswith("29")])
async def test_case_29_properties_and_conditional_definitions(tmp_path: Path, name: str) -> None:
    await check_story(tmp_path, STORIES[name])
