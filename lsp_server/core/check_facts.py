"""What checks ask of a syntax tree: which names are called, imported, put on a definition, built upon, and which
parameters have defaults.

A language's answers are a query in `queries/facts/` and a row here: no code. The captures:

`@call` is what is called, with `@owner` before it where the grammar keeps the two apart. `@import` is a module as it is
written, `@item` what is taken from it by name, `@wild` says that all is. `@decorator` is the name of a decorator,
attribute or annotation. `@base` is what a definition builds upon: `@subject` is the definition's own node, or `@named`
its name where that stands elsewhere (Rust's `impl A for B`). `@parameter` is a parameter's name, `@default` what it is
where nothing is passed. A pattern with `loaders` counts where its `@loader` is one of these words, one with `within`
where its `@outer` is.

A question that has no capture in the query is one that the language cannot answer. Refuses to judge, which
`core.checks` does.
"""

from __future__ import annotations

import posixpath
import re
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

import tree_sitter
from tree_sitter import Node

from lsp_server.core.definitions import TookTooLong
from lsp_server.core.languages import Language
from lsp_server.core.model import Symbol
from lsp_server.core.source import Source

SECONDS = 1.0
"""How long one look into a tree may take. A file of 8 MiB takes less."""

DEPTH = 64
"""How deep a name is looked into: `a().b().c()` nests once a dot. What is deeper is not known by name."""

SEGMENTS = 8
"""Segments of a name, from its end, that are looked at."""

APART = 8
"""Places up to which each is looked at by itself; all that lies between more of them is looked at once."""

UNKNOWN = "?"
"""A segment that is not known by name: an element, the result of an operator."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One row. `queries` are files in `queries/facts/`, put together; `separator` is what stands between the segments
    of a module's name.

    `inner` says that who imports `a.b` imports `a`; `paths` that modules are named by paths, `tails` that the end of a
    path names it (`#include <sub/x.h>`). `relative` is what a relative name begins with. `suffix` may be left out at a
    decorator's end. `scattered` says that a definition's bases may stand in other files too, or `partial` that they may
    where the definition says so by this word. `snippet` is a text of this language in which `{}` is a value, and
    `named` the path of the definition that has it: what a literal is read with. `bits` is the width of its plain
    integers, None where they do not overflow unseen.
    """

    queries: tuple[str, ...]
    separator: str = "."
    inner: bool = False
    paths: bool = False
    tails: bool = False
    relative: str = ""
    suffix: str = ""
    scattered: bool = False
    partial: str = ""
    snippet: str = ""
    named: str = "x"
    bits: int | None = None


_SCRIPT = "const x = {};"

FACTS: Mapping[str, Facts] = {
    "python": Facts(("python",), inner=True, relative=".", snippet="x = {}\n"),
    "javascript": Facts(
        ("javascript", "ecmascript"), "/", inner=True, paths=True, relative="./", snippet=_SCRIPT, bits=53
    ),
    "typescript": Facts(
        ("typescript", "ecmascript"), "/", inner=True, paths=True, relative="./", snippet=_SCRIPT, bits=53
    ),
    "tsx": Facts(("typescript", "ecmascript"), "/", inner=True, paths=True, relative="./", snippet=_SCRIPT, bits=53),
    "go": Facts(("go",), "/", paths=True, snippet="package p\n\nvar x = {}\n"),
    "rust": Facts(("rust",), "::", inner=True, scattered=True, snippet="const x: T = {};\n"),
    "java": Facts(("java",), inner=True, snippet="class A { Object x = {}; }\n", named="A.x", bits=32),
    "c": Facts(("c_family",), "/", paths=True, tails=True, snippet="int x = {};\n", bits=32),
    "cpp": Facts(("cpp", "c_family"), "/", paths=True, tails=True, snippet="int x = {};\n", bits=32),
    "ruby": Facts(("ruby",), "/", paths=True, tails=True, relative="./", snippet="X = {}\n", named="X"),
    "php": Facts(("php",), "\\", inner=True, snippet="<?php\nconst x = {};\n", bits=64),
    "csharp": Facts(
        ("csharp",), suffix="Attribute", partial="partial", snippet="class A { object x = {}; }\n", named="A.x", bits=32
    ),
    "kotlin": Facts(("kotlin",), inner=True, snippet="val x = {}\n", bits=32),
    "swift": Facts(("swift",), inner=True, scattered=True, snippet="let x = {}\n"),
    "scala": Facts(("scala",), inner=True, snippet="val x = {}\n", bits=32),
    "lua": Facts(("lua",), snippet="x = {}\n"),
    "bash": Facts(("bash",), "/", paths=True, tails=True, relative="./"),
}
"""By language. What is not here answers no question about its syntax, and neither does a form without a capture."""


class Called(NamedTuple):
    """A call: the segments of its name, the last one last, and whether it is surely that which is called."""

    path: tuple[str, ...]
    certain: bool
    start: int
    end: int


class Imported(NamedTuple):
    """An import: the module as it is written, the names taken from it, and whether all of it is taken (`*`). `exact` is
    False where the module is computed."""

    module: str
    items: tuple[str, ...]
    wild: bool
    exact: bool


class Parameter(NamedTuple):
    name: str
    default: Node | None


def facts_of(source: Source) -> Facts | None:
    """The row of a source's language, None where there is none or the text was not parsed."""
    if source.language is None or source.tree is None or source.text is None:
        return None
    return FACTS.get(source.language.name)


def answers(language: Language, capture: str) -> bool:
    """Whether a language's query has a capture, which is whether it can answer what that is for."""
    return language.name in FACTS and capture in _captures(language.name)


def calls_in(source: Source, start: int, end: int) -> list[Called]:
    """The calls that begin between two bytes, in text order. Raises TookTooLong."""
    return sorted([one for one in _calls(source, start, end) if start <= one.start < end], key=_by_place)


def calls_at(source: Source, places: Sequence[tuple[int, int]], start: int, end: int) -> list[Called]:
    """The calls between two bytes of which the name covers one of some places. Raises TookTooLong."""
    assert source.tree is not None
    if len(places) > APART:
        near = _calls(source, places[0][0], places[-1][1])
    else:
        around = source.tree.root_node.descendant_for_byte_range(start, max(start, end - 1))
        near = list({one: None for first, last in places for one in _calls(source, first, last, around)})
    covering = [one for one in near if any(one.start <= first and last <= one.end for first, last in places)]
    return sorted([one for one in covering if start <= one.start < end], key=_by_place)


def _by_place(call: Called) -> tuple[int, int]:
    return call.start, call.end


def _calls(source: Source, start: int, end: int, around: Node | None = None) -> list[Called]:
    found: list[Called] = []
    for match in _matches(source, start, end, "call", around):
        (node,) = match.nodes["call"][:1]
        path = _path(source, node)
        certain = path[-1:] != (UNKNOWN,)
        if not certain:
            path = path[:-1]
        for owner in match.nodes.get("owner", ())[:1]:
            path = (*_path(source, owner), *path)
        found.append(Called(path[-SEGMENTS:], certain, node.start_byte, node.end_byte))
    return found


def imports_of(source: Source, start: int = 0, end: int | None = None) -> list[Imported]:
    """The imports of a file, or those that touch two bytes, in text order. Raises TookTooLong."""
    assert source.text is not None
    by_place: dict[int, tuple[str, list[str], bool]] = {}
    for match in _matches(source, start, len(source.text) if end is None else end, "import"):
        first, last = match.nodes["import"][0], match.nodes["import"][-1]
        known = by_place.get(first.start_byte)
        items = known[1] if known is not None else []
        items += [_written(source, item) for item in match.nodes.get("item", ())]
        wild = "wild" in match.nodes or (known is not None and known[2])
        written = source.text.slice(first.start_byte, last.end_byte).decode("utf-8", "replace")
        by_place[first.start_byte] = (written, items, wild)
    found: list[Imported] = []
    for _, (written, items, wild) in sorted(by_place.items()):
        # Of some grammars the whole statement is what there is.
        text = written.removeprefix("import ")
        quoted = _QUOTED.fullmatch(text)
        if quoted is not None:
            found.append(Imported(quoted["inner"], tuple(items), wild, exact=True))
        elif text[:1] in "\"'`<" or any(letter in text for letter in "\"'`("):
            found.append(Imported(text, tuple(items), wild, exact=False))
        else:
            for one in _spread(text):
                star = one.endswith("*")
                name = one.rstrip("*").rstrip(".:\\") if star else one
                found.append(Imported(name.lstrip("\\"), tuple(items), wild or star, exact=True))
    return found


def decorators_of(source: Source, symbol: Symbol) -> list[tuple[str, ...]]:
    """The names of what is put on a definition, each as its segments. Raises TookTooLong."""
    head = symbol.body[0] if symbol.body is not None else symbol.end
    own = source.node(symbol)
    found: list[tuple[str, ...]] = []
    for match in _matches(source, symbol.start, max(head, symbol.name_end), "decorator"):
        for node in match.nodes["decorator"]:
            if symbol.start <= node.start_byte < head and not _in_parameters(node, own):
                found.append(_path(source, node))
    return found


def bases_of(source: Source, symbol: Symbol) -> list[tuple[tuple[str, ...], bool]]:
    """What a definition builds upon in its file, each as its segments, and whether it is surely no more than that
    name. Raises TookTooLong."""
    assert source.text is not None
    assert source.language is not None
    own = source.node(symbol)
    everywhere = answers(source.language, "named")
    start, end = (0, len(source.text)) if everywhere else (symbol.start, symbol.end)
    found: list[tuple[tuple[str, ...], bool]] = []
    for match in _matches(source, start, end, "base"):
        subject = match.nodes.get("subject")
        named = match.nodes.get("named")
        if subject is not None and subject[0].byte_range != own.byte_range:
            continue
        if named is not None and _path(source, named[0])[-1:] != (symbol.name,):
            continue
        for node in match.nodes["base"]:
            path = _path(source, node)
            while path[-1:] == (UNKNOWN,):
                path = path[:-1]
            found.append((path, "call" not in node.type and "splat" not in node.type))
    return found


def may_have_more_bases(source: Source, symbol: Symbol) -> bool:
    """Whether bases of a definition may stand in other files."""
    facts = facts_of(source)
    if facts is None or source.text is None:
        return True
    if facts.partial:
        return facts.partial.encode() in source.text.slice(symbol.start, symbol.name_start).split()
    # A trait says all that it builds upon itself.
    return facts.scattered and symbol.kind not in ("trait", "interface")


def parameters_of(source: Source, symbol: Symbol) -> list[Parameter]:
    """The parameters of a definition in order, as far as the query tells them. Raises TookTooLong."""
    head = symbol.body[0] if symbol.body is not None else symbol.end
    found: dict[str, Node | None] = {}
    for match in _matches(source, symbol.start, head, "parameter"):
        (node,) = match.nodes["parameter"][:1]
        if not symbol.name_end <= node.start_byte < head:
            continue
        name = _IDENTIFIER.search(_written(source, node))
        default = match.nodes.get("default")
        if name is not None and (default is not None or name[0] not in found):
            found[name[0]] = default[0] if default is not None else None
    return [Parameter(name, default) for name, default in found.items()]


def segments(name: str) -> tuple[str, ...]:
    """The segments of a name as a person writes it, whatever its language puts between them."""
    cut = name.strip().removesuffix("()").removesuffix("!")
    return tuple(part.lstrip("@$&*") for part in _SEPARATORS.split(cut) if part.lstrip("@$&*"))


def is_named(path: Sequence[str], name: Sequence[str]) -> bool | None:
    """Whether a name that code uses is `name`: the end of it is. None where it is less than that: `b` may be `a.b`."""
    if len(path) >= len(name):
        return tuple(path[-len(name) :]) == tuple(name)
    return None if path and tuple(name[-len(path) :]) == tuple(path) else False


def is_imported(source: Source, found: Imported, module: str) -> bool | None:
    """Whether an import brings `module`; None where it may."""
    facts = facts_of(source)
    assert facts is not None
    if not found.exact:
        return None if module.rpartition(facts.separator)[2] in found.module else False
    if facts.paths:
        return _is_path(source.path, facts, found.module, module)
    separator = facts.separator
    wanted = [part for part in module.strip(separator).split(separator) if part]
    name = found.module
    whole = [part for part in name.split(separator) if part]
    if facts.relative and name.startswith(facts.relative):
        if module.startswith(facts.relative):
            return module == name or module in {f"{name.rstrip('.')}.{item}" for item in found.items}
        level = len(name) - len(name.lstrip(facts.relative))
        folder = posixpath.dirname(source.path).split("/")
        whole = [*(folder[: len(folder) - level + 1] if level > 1 else folder), *whole]
        ways = [whole, *([*whole, item] for item in found.items)]
        # Where the packages begin is not known, so the end of the path will do.
        if any(way[-len(wanted) :] == wanted for way in ways):
            return True
        return None if found.wild and len(wanted) > 1 and whole[1 - len(wanted) :] == wanted[:-1] else False
    ways = [whole, *([*whole, *item.split(separator)] for item in found.items)]
    for way in ways:
        if way == wanted or (facts.inner and way[: len(wanted)] == wanted):
            return True
    return None if found.wild and wanted[:-1] == whole else False


def last_of(source: Source, module: str) -> str:
    """The last part of a module's name, which stands in every import that surely brings it."""
    facts = facts_of(source)
    assert facts is not None
    bare = _without_ending(module) if facts.paths else module
    return bare.rpartition(facts.separator)[2]


def _is_path(file: str, facts: Facts, found: str, module: str) -> bool:
    bare, wanted = _without_ending(found), _without_ending(module)
    if wanted == bare or found == module:
        return True
    if facts.inner and not found.startswith(".") and found.startswith(f"{module}/"):
        return True
    if facts.tails and (found.endswith(f"/{module}") or bare.endswith(f"/{wanted}")):
        return True
    # A lone word is a package; a path from the root has a folder or an ending.
    if facts.relative and ("/" in module or module != wanted) and (found.startswith(".") or facts.tails):
        return posixpath.normpath(posixpath.join(posixpath.dirname(file), bare)) == posixpath.normpath(wanted)
    return False


def _without_ending(path: str) -> str:
    return _ENDING.sub("", path)


_ENDING = re.compile(r"\.(?:[cm]?[jt]sx?|rb)$")
_RENAMED = re.compile(r"\s+as\s+|\s*=>\s*")
_QUOTED = re.compile(r"(?P<open>[\"'`<])(?P<inner>[^\"'`<>]*)[\"'`>]")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_SEPARATORS = re.compile(r"::|->|\?\.|!!\.|[.\\]")
_SKIPPED = re.compile(r"argument|parameter|projection|lambda|closure|block|body|comment|token_tree|constraint")
_INDEXED = re.compile(r"subscript|^index|bracket_index|element_access|element_reference")
_OPERATORS = re.compile(r"binary|conditional_expression|ternary|logical|elvis|assignment|string|literal|if_|match|when")


def _path(source: Source, node: Node, depth: int = 0) -> tuple[str, ...]:
    """The segments of a name, at most `SEGMENTS` from its end."""
    kind = node.type
    if depth > DEPTH or _OPERATORS.search(kind):
        return (UNKNOWN,)
    kids = [kid for kid in node.named_children if not _SKIPPED.search(kid.type)]
    if not kids:
        return segments(_written(source, node))
    if _INDEXED.search(kind):
        return (*_path(source, kids[0], depth + 1), UNKNOWN)
    found: tuple[str, ...] = ()
    for kid in reversed(kids):
        found = (*_path(source, kid, depth + 1), *found)
        if len(found) >= SEGMENTS:
            break
    return found[-SEGMENTS:]


def _spread(text: str, depth: int = 0) -> Iterator[str]:
    """Each name of an import with braces: `a::{b, c::{d, self}}` is `a::b`, `a::c::d` and `a::c`."""
    parts = _parted(text)
    if len(parts) > 1 and depth <= DEPTH:
        for part in parts:
            yield from _spread(part, depth + 1)
        return
    open_at = text.find("{")
    if open_at < 0 or depth > DEPTH:
        name = "".join(_RENAMED.split(text.strip())[0].split())
        yield re.sub(r"\._$", ".*", re.sub(r"(?:::|\\)self$", "", name))
        return
    before = text[:open_at]
    for part in _parted(text[open_at + 1 :].rstrip().removesuffix("}")):
        yield from _spread(before + part, depth + 1)


def _parted(text: str) -> list[str]:
    """What commas part that are in no braces."""
    found, level, start = [], 0, 0
    for at, letter in enumerate(text):
        level += (letter == "{") - (letter == "}")
        if letter == "," and level == 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [part for part in (*found, text[start:].strip()) if part]


def _in_parameters(node: Node, stop: Node) -> bool:
    around = node.parent
    while around is not None and around != stop:
        if "parameter" in around.type:
            return True
        around = around.parent
    return False


def _written(source: Source, node: Node) -> str:
    assert source.text is not None
    return source.text.slice(node.start_byte, node.end_byte).decode("utf-8", "replace")


class _Match(NamedTuple):
    nodes: Mapping[str, Sequence[Node]]


def _matches(source: Source, start: int, end: int, capture: str, around: Node | None = None) -> Iterator[_Match]:
    """What the facts' query finds of `capture` between two bytes, in the whole tree or `around`. Raises TookTooLong."""
    assert source.language is not None and source.tree is not None
    query, cursor = _of_this_thread(source.language, capture)
    began = time.monotonic()
    cursor.set_byte_range(start, max(end, start + 1))
    found = cursor.matches(around or source.tree.root_node)
    if time.monotonic() - began > SECONDS or cursor.did_exceed_match_limit:
        raise TookTooLong
    for pattern, nodes in found:
        if capture not in nodes:
            continue
        settings = query.pattern_settings(pattern)
        if _passes(source, nodes.get("loader"), settings.get("loaders")) and _passes(
            source, nodes.get("outer"), settings.get("within")
        ):
            yield _Match(nodes)


def _passes(source: Source, nodes: Sequence[Node] | None, words: str | None) -> bool:
    return words is None or (nodes is not None and _written(source, nodes[0]) in words.split())


@cache
def _text_of(name: str) -> str:
    folder = resources.files("lsp_server.core") / "queries" / "facts"
    return "\n".join((folder / f"{part}.scm").read_text(encoding="utf-8") for part in FACTS[name].queries)


@cache
def _captures(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"@(\w+)", re.sub(r";.*", "", _text_of(name))))


@cache
def _query(language: Language, capture: str) -> tree_sitter.Query:
    """The query with the patterns of one capture alone, so that nothing else is looked for."""
    query = tree_sitter.Query(language.grammar, _text_of(language.name))
    for pattern in range(query.pattern_count):  # type: ignore[call-overload]  # It is no method.
        text = _text_of(language.name).encode()[
            query.start_byte_for_pattern(pattern) : query.end_byte_for_pattern(pattern)
        ]
        if not re.search(rb"@" + capture.encode() + rb"\b", text):
            query.disable_pattern(pattern)
    return query


_local = threading.local()


def _of_this_thread(language: Language, capture: str) -> tuple[tree_sitter.Query, tree_sitter.QueryCursor]:
    """A query with its cursor. A cursor must not be used by two threads at once."""
    tools: dict[tuple[str, str], tuple[tree_sitter.Query, tree_sitter.QueryCursor]] | None
    tools = getattr(_local, "tools", None)
    if tools is None:
        tools = _local.tools = {}
    found = tools.get((language.name, capture))
    if found is None:
        query = _query(language, capture)
        with warnings.catch_warnings():
            # Deprecated in 0.25 in favour of a progress callback, which crashes the process in that version.
            warnings.simplefilter("ignore", DeprecationWarning)
            cursor = tree_sitter.QueryCursor(query, timeout_micros=int(SECONDS * 1_000_000))
        found = tools[language.name, capture] = (query, cursor)
    return found
