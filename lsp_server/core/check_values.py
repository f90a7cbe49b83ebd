"""Whether a value in code is the one that a memory says, however either is spelt.

A value in code is compared by its canonical tokens (`core.canonical`), so quotes, brackets that say nothing and the
like do not count; numbers by what they are worth, with sums and products of them worked out. A setting in JSON, TOML or
YAML is read by a reader of that language. Refuses to guess: what a name stands for, and what a call gives, is not known
here, and then the answer is None.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any

import yaml
from tree_sitter import Node

from lsp_server.core.canonical import CLOSE, OPEN, STRING, WRITTEN, canonical
from lsp_server.core.check_facts import FACTS
from lsp_server.core.definitions import CALLABLES, CONTAINERS
from lsp_server.core.languages import Language
from lsp_server.core.model import Symbol
from lsp_server.core.source import Source, read_source
from lsp_server.core.style import style_for
from lsp_server.core.text import Text

MOST = 4096
"""Bytes of a value that are looked at; longer ones are no literals that a memory names."""

DEPTH = 40
"""How deep a value may nest."""

DIGITS = 64
"""Most digits of a number, and most bits by which a shift or a power may grow one."""

WITHOUT = frozenset({"sql", "graphql", "html", "markdown", "haskell", "ocaml_interface"})
"""Languages whose definitions have no values that could be compared."""

Value = tuple[str, Any]
"""What a literal is worth: ("number", Fraction), ("text", str), ("truth", bool), ("nothing", None)."""


@dataclass(frozen=True, slots=True)
class Group:
    """A node with what it holds: leaves are canonical tokens."""

    kind: str
    items: tuple[Tree, ...]


Tree = str | Group


@dataclass(frozen=True, slots=True)
class Compared:
    """Whether two values are equal, None where it cannot be told, and how the code's is written."""

    equal: bool | None
    written: str


def has_value(symbol: Symbol, language: Language) -> bool:
    """Whether a definition is of the sort that has a value: a constant, a variable, a field, a setting."""
    if language.name in READERS:
        return symbol.body is not None
    return symbol.body is not None and symbol.kind not in CALLABLES and symbol.kind not in CONTAINERS


def compare_setting(source: Source, symbol: Symbol, literal: str) -> Compared:
    """Compares a setting of a language with a reader. The symbol must have a body."""
    assert source.text is not None and source.language is not None and symbol.body is not None
    start, end = symbol.body
    written = _line(source.text.slice(start, end))
    read = READERS[source.language.name]
    if end - start > MOST:
        return Compared(None, written)
    data = source.text.slice(start, end).decode("utf-8", "replace")
    try:
        # A block begins in mid-line: its first line gets the indentation that the others have.
        column = source.text.point(start).column
        there = read(data if "\n" not in data else f"{' ' * column}{data}\n")
    except (ValueError, RecursionError):
        return Compared(None, written)
    return Compared(any(_same(one, there) for one in _readings(literal, read)), written)


def compare_code(source: Source, node: Node, literal: str, *, macro: bool = False) -> Compared:
    """Compares a value in code. `macro` says that the grammar gives it as text alone."""
    assert source.text is not None and source.language is not None
    data = source.text.slice(node.start_byte, node.end_byte)
    written = _line(data)
    if len(data) > MOST:
        return Compared(None, written)
    as_it_stands = data.decode("utf-8", "replace").strip()
    # White space in a text counts, elsewhere it does not.
    if as_it_stands == literal or (not _QUOTE.search(literal) and written == " ".join(literal.split())):
        return Compared(True, written)
    language = source.language
    there = _read_in(language, as_it_stands) if macro else _tree_of(source, node)
    plain = _neutral(written) if there is None or language.name not in FACTS else None
    if plain is not None and _PLAIN.fullmatch(written):
        # Where nothing is known of a language's strings, one without anything special in it is what it looks like.
        said_plainly = _neutral(literal)
        return Compared(plain == said_plainly if said_plainly is not None else literal == plain[1], written)
    if there is None:
        return Compared(None, written)
    bits = FACTS[language.name].bits if language.name in FACTS else None
    here = _read_in(language, literal)
    if here is not None and here == there:
        return Compared(True, written)
    there_value = _worth(there, bits)
    said = [value for value in (_neutral(literal), _worth(here, bits) if here is not None else None) if value]
    if there_value is not None:
        if any(_equal(value, there_value) for value in said):
            return Compared(True, written)
        if there_value[0] == "text" and not said and literal == there_value[1]:
            return Compared(True, written)
        # What a name stands for is not known; a word may be meant as a text, and is then another one than this.
        is_word = there_value[0] == "text" and _WORDS_ALONE.fullmatch(literal) is not None
        return Compared(False if said or is_word else None, written)
    listed = _listed(literal)
    if listed is not None and isinstance(there, Group):
        inner = _elements(there, bits)
        if inner is not None:
            return Compared(inner == listed, written)
    if here is None or (said and isinstance(here, str)):
        return Compared(None, written)
    return Compared(_alike(here, there, bits), written)


def _alike(here: Tree, there: Tree, bits: int | None) -> bool | None:
    """Whether two values that are more than one literal are equal: False where they differ in single literals or names
    alone, or hold nothing but literals; None where their shape differs."""
    differ: list[bool] = []

    def walk(one: Tree, other: Tree, depth: int) -> bool:
        if depth > DEPTH:
            return False
        one_worth, other_worth = _worth(one, bits), _worth(other, bits)
        if one_worth is not None and other_worth is not None:
            differ.append(not _equal(one_worth, other_worth))
            return True
        if isinstance(one, str) and isinstance(other, str):
            if one != other and not (_NAME.fullmatch(one) and _NAME.fullmatch(other)):
                return False
            if one != other and (one_worth is None) != (other_worth is None):
                return False
            differ.append(one != other)
            return True
        if isinstance(one, Group) and isinstance(other, Group):
            if one.kind != other.kind or len(one.items) != len(other.items):
                return False
            return all(walk(a, b, depth + 1) for a, b in zip(one.items, other.items, strict=True))
        return False

    alike = walk(here, there, 0)
    if alike and not any(differ):
        return True
    ours, theirs = _leaves(here), _leaves(there)
    if isinstance(there, Group) and _LOOSE.search(there.kind) and Counter(ours) == Counter(theirs):
        return None  # The same in another order, which may say nothing.
    return False if alike or (_closed(ours, bits) and _closed(theirs, bits)) else None


def _closed(leaves: list[str], bits: int | None) -> bool:
    return all(_worth(leaf, bits) is not None or not any(letter.isalnum() for letter in leaf) for leaf in leaves)


def _leaves(tree: Tree) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    return [leaf for item in tree.items for leaf in _leaves(item)]


def _elements(tree: Group, bits: int | None) -> list[Value] | None:
    """The values of a list that is written as `[1, 2]` is in most languages; None where it is no list of literals."""
    items = _unwrapped(tree)
    if not isinstance(items, Group) or len(items.items) < 2 or items.items[0] not in ("[", "(", "{"):
        return None
    found: list[Value] = []
    for item in items.items[1:-1]:
        if item == ",":
            continue
        worth = _worth(item, bits)
        if worth is None:
            return None
        found.append(worth)
    return found


def _unwrapped(tree: Tree) -> Tree:
    """What a node stands for that adds nothing to the only thing it holds."""
    for _ in range(DEPTH):
        if not isinstance(tree, Group):
            break
        if len(tree.items) == 1:
            tree = tree.items[0]
        elif len(tree.items) == 3 and tree.items[0] == "(" and tree.items[2] == ")" and "parenth" in tree.kind:
            tree = tree.items[1]
        elif tree.kind in _VIEWS and tree.items:
            tree = tree.items[0]
        else:
            break
    return tree


def _worth(tree: Tree, bits: int | None, depth: int = 0) -> Value | None:
    """What a literal, or a sum of numbers, is worth; None for anything else."""
    tree = _unwrapped(tree)
    if isinstance(tree, str):
        return _leaf(tree)
    if depth > DEPTH:
        return None
    items = tree.items
    if len(items) == 2 and items[0] in ("-", "+"):
        inner = _worth(items[1], bits, depth + 1)
        if inner is not None and inner[0] == "number":
            return "number", -inner[1] if items[0] == "-" else inner[1]
        return None
    if len(items) != 3 or not isinstance(items[1], str) or items[1] not in _ARITHMETIC:
        return None
    left, right = _worth(items[0], bits, depth + 1), _worth(items[2], bits, depth + 1)
    if left is None or right is None or left[0] != "number" or right[0] != "number":
        return None
    result = _ARITHMETIC[items[1]](left[1], right[1])
    if result is None or (bits is not None and not -(2 ** (bits - 1)) <= result < 2 ** (bits - 1)):
        return None
    return "number", result


def _shifted(one: Fraction, by: Fraction) -> Fraction | None:
    whole = one.denominator == 1 and by.denominator == 1 and 0 <= by <= DIGITS
    return Fraction(int(one) << int(by)) if whole and abs(one) < 2**DIGITS else None


def _raised(one: Fraction, by: Fraction) -> Fraction | None:
    whole = one.denominator == 1 and by.denominator == 1 and 0 <= by <= DIGITS
    return Fraction(int(one) ** int(by)) if whole and abs(one) < 2**16 else None


_ARITHMETIC: Mapping[str, Callable[[Fraction, Fraction], Fraction | None]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "<<": _shifted,
    "**": _raised,
}

_VIEWS = frozenset({"as_expression", "satisfies_expression", "non_null_expression"})
"""Nodes that say of what type their first child is to be taken, and change nothing of it."""

_LOOSE = re.compile(r"set|dict|map|hash|object|table")
"""Types of collections in which the order of what they hold may say nothing."""

_NAME = re.compile(r"[^\W\d]\w*")

_QUOTE = re.compile(r"[\"'`]")

_WORDS_ALONE = re.compile(r"[\w\s-]+")

_PLAIN = re.compile(r"\"[^\"\\$#{}%@`]*\"|'[^'\\$#{}%@`]*'|[0-9]+")

_SLOT = re.compile(r"\{\}")

_WORDS: Mapping[str, Value] = {
    **dict.fromkeys(("true", "True", "TRUE"), ("truth", True)),
    **dict.fromkeys(("false", "False", "FALSE"), ("truth", False)),
    **dict.fromkeys(("null", "NULL", "None", "nil", "nullptr", "undefined"), ("nothing", None)),
}

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:0x(?P<hex>[0-9a-f]+)(?:u|l|[iu](?:8|16|32|64|128|size))*|0o(?P<octal>[0-7]+)n?|0b(?P<bits>[01]+)n?"
    r"|(?P<plain>(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:e[+-]?[0-9]{1,3})?)(?:u?l?l?u?|[fdmnzri]|[iuf](?:8|16|32|64|128|size)))"
)


def _number(text: str) -> Fraction | None:
    """A number as most languages spell it; None for what is none, and for `010`, which is eight in some of them."""
    if len(text) > DIGITS:
        return None
    found = _NUMBER.fullmatch(text.lower().replace("_", ""))
    if found is None:
        return None
    sign = -1 if found["sign"] == "-" else 1
    for name, base in (("hex", 16), ("octal", 8), ("bits", 2)):
        if found[name]:
            return Fraction(sign * int(found[name], base))
    if not any(letter.isdigit() for letter in found["plain"]):
        return None
    try:
        return sign * Fraction(Decimal(found["plain"]))
    except (InvalidOperation, ValueError):
        return None


def _leaf(token: str) -> Value | None:
    if token[:1] == STRING:
        tag, _, text = token[1:].partition(":")
        return ("bytes" if tag == "bytes" else "text"), text.encode("latin-1").decode("utf-8", "replace")
    if token in _WORDS:
        return _WORDS[token]
    number = _number(token) if token[:1].isdigit() or token[:1] in ".+-" else None
    return ("number", number) if number is not None else None


def _neutral(literal: str) -> Value | None:
    """A literal as JSON spells it, or in single quotes, or as most languages spell numbers."""
    if literal[:1] == '"':
        try:
            found = json.loads(literal)
        except ValueError:
            return None
        return ("text", found) if isinstance(found, str) else None
    if len(literal) >= 2 and literal[0] == literal[-1] == "'" and "'" not in literal[1:-1] and "\\" not in literal:
        return "text", literal[1:-1]
    if literal in _WORDS:
        return _WORDS[literal]
    number = _number(literal)
    return ("number", number) if number is not None else None


def _listed(literal: str) -> list[Value] | None:
    """The values of a literal that is a list of literals in JSON."""
    if literal[:1] != "[":
        return None
    try:
        found = json.loads(literal, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
    values: list[Value] = []
    for one in found if isinstance(found, list) else ():
        number = _number(one) if isinstance(one, str) else None
        if isinstance(one, bool):
            values.append(("truth", one))
        elif one is None:
            values.append(("nothing", None))
        elif number is not None and not re.search(rf'"{re.escape(one)}"', literal):
            values.append(("number", number))
        elif isinstance(one, str):
            values.append(("text", one))
        else:
            return None
    return values


def _equal(one: Value, other: Value) -> bool:
    return one[0] == other[0] and bool(one[1] == other[1])


def _tree_of(source: Source, node: Node) -> Tree | None:
    """A value's canonical tokens as a tree; None where it nests too deep or its syntax is broken."""
    assert source.text is not None and source.language is not None
    if node.has_error:
        return None
    text = source.text.slice(node.start_byte, node.end_byte).decode("latin-1")
    items = canonical([node], text, node.start_byte, style_for(source.language.style_table)).items
    stack: list[tuple[str, list[Tree]]] = [("", [])]
    for item in items:
        if item[0] == OPEN:
            if len(stack) > DEPTH:
                return None
            stack.append((item[1:], []))
        elif item[0] == CLOSE:
            kind, inner = stack.pop()
            stack[-1][1].append(Group(kind, tuple(inner)))
        else:
            stack[-1][1].append(item[1:] if item[0] == WRITTEN else item)
    return _unwrapped(Group("", tuple(stack[0][1])))


@lru_cache(maxsize=512)
def _read_in(language: Language, literal: str) -> Tree | None:
    """A literal as a value of a language; None where the language does not take it for one whole value."""
    facts = FACTS.get(language.name)
    if facts is None or not facts.snippet or "\n" in literal or len(literal) > MOST:
        return None
    before, after = _SLOT.split(facts.snippet)
    source = read_source(f"snippet{language.extensions[0]}", Text.of(before + literal + after))
    if source.outline is None or source.outline.broken:
        return None
    start = len(before.encode())
    for symbol in source.outline.by_path(facts.named):
        if symbol.body == (start, start + len(literal.encode("utf-8", "surrogatepass"))):
            node = source.body_node(symbol)
            return _tree_of(source, node) if node is not None else None
    return None


def _readings(literal: str, read: Callable[[str], Any]) -> list[Any]:
    """What a literal may say in a language with a reader: what the reader says, else what JSON says, else its text."""
    found: list[Any] = []
    for reader in (read, _read_json):
        try:
            found.append(reader(literal))
        except (ValueError, RecursionError):
            continue
    return found or [literal]


def _same(one: Any, other: Any) -> bool:
    """Equal, where True is no 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _read_json(text: str) -> Any:
    return json.loads(text.strip())


def _read_toml(text: str) -> Any:
    return tomllib.loads(f"x = {text.strip()}")["x"]


def _read_yaml(text: str) -> Any:
    """Reads a value of YAML. Anchors and aliases are refused: a few lines of them can stand for gigabytes."""
    try:
        tokens = list(yaml.scan(text))
        if any(isinstance(token, yaml.AnchorToken | yaml.AliasToken) for token in tokens):
            raise ValueError("an alias stands for what is written elsewhere")
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


READERS: Mapping[str, Callable[[str], Any]] = {"json": _read_json, "toml": _read_toml, "yaml": _read_yaml}
"""Languages whose values are read whole, by what."""


def _line(data: bytes) -> str:
    return " ".join(data.decode("utf-8", "replace").split())
