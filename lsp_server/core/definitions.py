"""From a syntax tree to its definitions, by a language's outline query.

This module is the meaning of the queries' captures, and so the interface that a new language is written to:

`@definition.KIND`
    the definition's node; KIND is shown as its kind. Of several patterns that meet one node and one name, the first
    written counts. A function in a class (or another of `TYPES`) becomes a method, a variable a field; what is no
    function and no container and stands inside a function is local and left out.
`@name`
    its name. `(#set! name "impl @trait for @type")` writes a name from captures' texts instead; with no `@name` at all,
    it is then shown at the first `@owner`. `(#set! joined "true")` puts nothing between the texts of one capture.
`@owner`
    text that stands before the name in the path, split at `.` and `::` outside of brackets: Go's receiver type, the
    `exports.a` of `exports.a.f = ...`, the `A` of C++'s `A::f`. Several are taken in text order.
`@path`
    instead of `@owner` and `@name`: a node that has both, as `A<T>::f` has. Its last part is the name, the text before
    that the owner; type arguments and `this` do not count.
    With `(#set! dotted "true")` the text of `@name` is split so, too, but stays the name.
`@body`
    the body or the value.
`@body.more`, `@body.of`
    in a pattern of their own: a further part of the body of the definition with the second node, such as the guards and
    the `where` of a Haskell equation.
`@head`
    where no node is the body: all after this node is. Of a heading's section, or of an element's tag.
`@extent`
    a node whose whole extent counts for the definition right inside it: decorated definitions, `export`, `template`.
    Also as a pattern of its own.
`@extent.sole`
    the same, unless it is a list: unless a `,`, a `(` or an `and` is among its children. So `const a = 1`, but not
    `const a = 1, b = 2` nor Go's `const ( a = 1 )`.
`@carrier`, `@carrier.between`
    what stands for a definition found further in, through any number of nodes between, and has its body: C's
    `function_definition` around pointers around the declarator with the name. With `(#set! carried "true")` a
    definition without one is none.
`(#set! container "true")`
    members may be defined inside, although the kind is not one of `CONTAINERS`.
`(#set! members "owner")`
    the paths of members begin with the owner alone: those of Rust's `impl`.
`(#set! nested "false")`
    none inside a function; of a definition or a carrier.
`(#set! joins "next")`
    one definition with the next sibling right behind it, if that has the same name: the clauses of a function, and the
    signature above them. Where one without a body comes first, what the next one is counts for both.
`@leading`
    in a query with this capture, of the nodes of the types in `Language.leading` those that are captured.
`(#set! spreads "true")`
    the paths of what follows it, beside it, begin with its own, until the next such one: Perl's `package A;`. With
    "false" its own path does not begin so.
`(#set! quoted "true")`
    quotes around the name, or around a part of its owner, are no part of it: keys of data.
`(#set! rule "selectors")`
    the name is written in the one spelling that this rule of `core.prose` gives.
`(#set! owner "A")`
    what stands before the name in the path, where the code says it in another way.
`(#set! ends "line")`
    white space at the end of its last line counts: Make's values keep it.

Sibling nodes of the types in `Language.leading` belong to the definition after them, those of `Language.trailing`
to the one before, also behind a `;`. A pattern must not begin above the outermost `@extent` of its
definition.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, cast

from tree_sitter import Node, Query, QueryCursor

from lsp_server.core.languages import SECONDS, Language
from lsp_server.core.predicates import holds
from lsp_server.core.prose import RULES
from lsp_server.core.symbolpath import join_path
from lsp_server.core.text import Text

TYPES = frozenset(
    {
        *("class", "struct", "interface", "enum", "trait", "impl", "union", "object", "record", "annotation"),
        "extension",
    }
)
"""Kinds in which a function is a method and a variable is a field."""

CONTAINERS = TYPES | {"namespace", "module"}
"""Kinds in which members may be defined."""

CALLABLES = frozenset({"function", "method", "constructor"})

VALUES = frozenset({"key", "entry", "block"})
"""Kinds of data: what is defined inside of them is their value, and no member that stands for itself."""

NESTING = 64
"""Definitions nested deeper than this are left out, so that no input makes paths of unbounded length."""

NAME_LENGTH = 160
"""Characters of a name that are kept; only computed keys and generated code have longer ones."""


_Captures = dict[str, list[Node]]


class TookTooLong(Exception):
    """The outline query met its time limit: a few inputs (a million open brackets) cost the square of their length."""


class Definition(NamedTuple):
    """One definition, positions relative to its own start, so that it stays equal while text before it changes.

    `local` is what it adds to its parent's path, `inner` what its members' paths begin with instead. `node` is where
    the definition's own node is, `wraps` the number of `@extent` nodes around it, `depth` that of definitions.
    `more` are further parts of the body.
    A `hidden` one is no symbol but has members with paths through it. The body of a `headed` one is no node, but all
    that is left of it.
    """

    length: int
    line_span: int
    name_start: int
    name_end: int
    body: tuple[int, int] | None
    node: tuple[int, int]
    node_type: str
    wraps: int
    kind: str
    name: str
    local: str
    inner: str
    depth: int
    container: bool
    hidden: bool
    broken: bool
    more: tuple[tuple[int, int], ...] = ()
    spreads: str | None = None
    headed: bool = False


class Found(NamedTuple):
    """A definition and where it starts: byte offset and line (from 0)."""

    start: int
    line: int
    definition: Definition


def find_definitions(root: Node, language: Language, text: Text, window: tuple[int, int] | None = None) -> list[Found]:
    """The definitions of a tree in text order, outer before inner; with a window, just those that overlap it.

    The window must begin and end outside of what was edited: `core.outline` sees to that.
    """
    matches = _matches(root, language, window, own=text.is_utf8)
    if window is None:
        data = bytes(text)
        cut: Callable[[int, int], bytes] = lambda start, end: data[start:end]  # noqa: E731 - a slice, twice as fast
    else:
        cut = text.slice
    # Rows are lines, and cheaper to ask, unless the text has a lone "\r".
    by_rows = text.line_count - 1 == text.tree_point(len(text))[0]

    def line_of(offset: int, row: int | None) -> int:
        return row if by_rows and row is not None else text.point(offset).line

    matches.sort(key=itemgetter(0))
    around_nodes = _Around.of(matches, language.outline_query)
    leading = _leading(matches, language)
    seen: set[tuple[int, int]] = set()
    raw: list[tuple[int, int, int, int, _Raw]] = []
    for pattern, made in _not_too_deep(matches, language):
        if made.key in seen or not made.carry(around_nodes):
            continue
        seen.add(made.key)
        made.extend_body(around_nodes.bodies)
        made.wrap(around_nodes.extents, leading, language.trailing)
        blank = b"\r\n" if "ends" in made.settings else b" \t\r\n\f\v"
        while made.end > made.start and cut(made.end - 1, made.end) in blank:
            made.end -= 1
        while made.start < made.end and cut(made.start, made.start + 1).isspace():
            made.start += 1
        raw.append((made.start, -made.end, made.name_node.start_byte, pattern, made))
    raw.sort(key=_in_text_order)
    if any(["joins" in made.settings for _, _, _, _, made in raw]):
        raw = _joined(raw, cut)

    touchable = root.has_error
    found: list[Found] = []
    # The definitions around the present one, with start and end.
    around: list[tuple[int, int, Definition]] = []
    known: set[tuple[int, int, int, str]] = set()
    for start, minus_end, _, _, made in raw:
        end = -minus_end
        if window is not None and (end <= window[0] or start >= window[1]):
            continue
        while around and around[-1][1] <= start:
            around.pop()
        # Two names of one extent (`a, b = 1, 2`) are siblings.
        twin = bool(around) and around[-1][:2] == (start, end)
        outer = around[:-1] if twin else around
        if len(outer) >= NESTING:
            continue
        kind, container, hidden, drop = _standing(made, outer)
        if drop:
            continue
        local, inner, name = made.names(cut)
        depth = len(outer)
        if (start, end, depth, local) in known:
            continue
        known.add((start, end, depth, local))
        line = line_of(start, made.top.start_point.row if made.top.start_byte == start else None)
        last = line_of(max(start, end - 1), made.top.end_point.row if made.top.end_byte == end else None)
        body = made.body_node
        head = made.head_end if body is None and start < made.head_end < end else 0
        definition = Definition(
            length=end - start,
            line_span=last - line,
            name_start=made.name_node.start_byte + made.quote - start,
            name_end=made.name_node.end_byte - made.quote - start,
            body=(
                (body.start_byte - start, min(body.end_byte, end) - start)
                if body is not None
                else (head - start, end - start)
                if head
                else None
            ),
            node=(made.node.start_byte - start, made.node.end_byte - start),
            node_type=made.node.type,
            wraps=made.wraps,
            kind=kind,
            name=name,
            local=local,
            inner=inner,
            depth=depth,
            container=container,
            hidden=hidden,
            broken=touchable and any([part.touches_error() for part in made.parts]),
            spreads=made.settings.get("spreads"),
            more=tuple([(part.start_byte - start, min(part.end_byte, end) - start) for part in made.more]),
            headed=head > 0,
        )
        found.append(Found(start, line, definition))
        if not twin:
            around.append((start, end, definition))
    return found


def _matches(
    root: Node, language: Language, window: tuple[int, int] | None, *, own: bool
) -> list[tuple[int, _Captures]]:
    """The query's matches; with a window those that overlap it, and those right inside an `@extent` that overlaps
    it. Without `own`, predicates are answered by `core.predicates`: on a text that is no UTF-8, tree-sitter's own
    raise, and may take the process with them.
    """
    query = language.outline_query if own else language.lax_query
    more: Any = {} if own else {"predicate": holds}
    cursor = language.outline_cursor if own else QueryCursor(query)
    cursor.set_byte_range(*(window or (0, _EVERYTHING)))
    began = time.monotonic()
    matches = cursor.matches(root, **more)
    if time.monotonic() - began >= SECONDS:
        raise TookTooLong
    if window is None:
        return matches
    todo = [node for _, captures in matches for node in _extents(captures)]
    done: set[int] = set()
    while todo:
        wrapper = todo.pop()
        if wrapper.id in done or (wrapper.start_byte >= window[0] and wrapper.end_byte <= window[1]):
            continue
        done.add(wrapper.id)
        cursor = QueryCursor(query)
        cursor.set_max_start_depth(1)
        for match in cursor.matches(wrapper, **more):
            matches.append(match)
            todo.extend(_extents(match[1]))
    return matches


_EVERYTHING = 2**32 - 1

_in_text_order = itemgetter(0, 1, 2, 3)

_Leading = Callable[[Node], bool]


def _leading(matches: list[tuple[int, _Captures]], language: Language) -> _Leading | None:
    """What says whether a sibling before a definition belongs to it; None where none does."""
    types = language.leading
    if not types:
        return None
    if not _captures_leading(language):
        return lambda node: node.type in types
    captured = {node.id for _, captures in matches for node in captures.get("leading", ())}
    return lambda node: node.type in types and node.id in captured


@cache
def _captures_leading(language: Language) -> bool:
    query = language.outline_query
    # The package's stubs take this property for a method.
    count = cast(int, query.capture_count)
    return any(query.capture_name(index) == "leading" for index in range(count))


def _joined(
    raw: list[tuple[int, int, int, int, _Raw]], cut: Callable[[int, int], bytes]
) -> list[tuple[int, int, int, int, _Raw]]:
    """The matches, in text order, with those that are one definition as one."""
    out: list[tuple[int, _Raw]] = []
    # By parent: where the last one that may go on is in `out`.
    open_ends: dict[int, int] = {}
    for _, _, _, pattern, made in raw:
        parent = made.top.parent
        around = 0 if parent is None else parent.id
        index = open_ends.pop(around, None)
        if index is not None and made.follows(out[index][1], cut):
            before = out[index][1]
            out[index] = (pattern, made) if before.body_node is None else (out[index][0], before)
            out[index][1].join(before, made)
        else:
            index = len(out)
            out.append((pattern, made))
        if made.settings.get("joins") == "next":
            open_ends[around] = index
    return sorted(
        [(made.start, -made.end, made.name_node.start_byte, pattern, made) for pattern, made in out],
        key=_in_text_order,
    )


_LISTS = (",", "(", "and")

_AROUND = ("extent", "extent.sole", "carrier", "carrier.between")


def _extents(captures: _Captures) -> list[Node]:
    return [node for name in _AROUND if name in captures for node in captures[name]]


class _Around(NamedTuple):
    """The nodes, by id, that count for definitions inside them. A carrier has its settings and its body."""

    extents: set[int]
    carriers: dict[int, tuple[dict[str, str | None], Node | None]]
    between: dict[int, Node | None]
    bodies: dict[int, list[Node]]

    @staticmethod
    def of(matches: list[tuple[int, _Captures]], query: Query) -> _Around:
        extents: set[int] = set()
        carriers: dict[int, tuple[dict[str, str | None], Node | None]] = {}
        between: dict[int, Node | None] = {}
        bodies: dict[int, list[Node]] = {}
        for pattern, captures in matches:
            for node in captures.get("body.of", ()):
                bodies.setdefault(node.id, []).extend(captures.get("body.more", ()))
            body = captures["body"][0] if "body" in captures else None
            extents.update([node.id for node in captures.get("extent", ())])
            for node in captures.get("extent.sole", ()):
                if not any([child.type in _LISTS for child in node.children]):
                    extents.add(node.id)
            for node in captures.get("carrier", ()):
                carriers.setdefault(node.id, (query.pattern_settings(pattern), body))
            for node in captures.get("carrier.between", ()):
                between[node.id] = body or between.get(node.id)
        return _Around(extents, carriers, between, bodies)


def _not_too_deep(matches: list[tuple[int, _Captures]], language: Language) -> list[tuple[int, _Raw]]:
    """The matches that define something, in the order of their patterns, without those far too deep in others.

    Asking a node for its parent costs the node's depth, so that thousands of nested functions would cost seconds.
    """
    made = [
        (pattern, raw) for pattern, captures in matches if (raw := _Raw.of(pattern, captures, language)) is not None
    ]
    if len(made) <= _MATCHES_AROUND:
        return made
    ends: list[int] = []
    shallow: set[int] = set()
    for start, minus_end, _, raw in sorted(
        (raw.node.start_byte, -raw.node.end_byte, i, raw) for i, (_, raw) in enumerate(made)
    ):
        while ends and ends[-1] <= start:
            ends.pop()
        if len(ends) < _MATCHES_AROUND:
            shallow.add(id(raw))
        ends.append(-minus_end)
    return [(pattern, raw) for pattern, raw in made if id(raw) in shallow]


_MATCHES_AROUND = 4 * NESTING


class _Raw:
    """A match on its way to a definition."""

    __slots__ = (
        "body_node",
        "captures",
        "end",
        "head_end",
        "key",
        "kind",
        "more",
        "name_node",
        "node",
        "owners",
        "parts",
        "quote",
        "settings",
        "start",
        "top",
        "wraps",
    )

    captures: _Captures
    settings: dict[str, str | None]
    kind: str
    node: Node
    name_node: Node
    owners: Sequence[Node]
    body_node: Node | None
    more: list[Node]
    parts: list[_Raw]
    head_end: int
    quote: int
    key: tuple[int, int]
    top: Node
    wraps: int
    start: int
    end: int

    @classmethod
    def of(cls, pattern: int, captures: _Captures, language: Language) -> _Raw | None:
        kind = next((name for name in captures if name.startswith("definition.")), None)
        if kind is None:
            return None
        made = cls()
        made.captures = captures
        made.settings = language.outline_query.pattern_settings(pattern)
        made.kind = kind.removeprefix("definition.")
        made.node = made.top = captures[kind][0]
        made.name_node = captures["name" if "name" in captures else "owner" if "owner" in captures else "path"][0]
        made.owners = captures.get("owner", ())
        if "path" in captures:
            made.owners, made.name_node = _parts(made.name_node)
        made.body_node = captures["body"][0] if "body" in captures else None
        made.more = []
        made.parts = [made]
        made.quote = 0
        made.head_end = captures["head"][0].end_byte if "head" in captures else 0
        if made.name_node.start_byte == made.name_node.end_byte:
            # The parser put a name there that is missing.
            return None
        made.key = (made.node.id, made.name_node.id if "name" in captures or "path" in captures else 0)
        return made

    def carry(self, around: _Around) -> bool:
        """Puts the carrier, where there is one, in place of the node; False where there must be one and is not."""
        if "carried" not in self.settings:
            return True
        body = self.body_node
        parent = self.node.parent
        while parent is not None and parent.id in around.between:
            body = body or around.between[parent.id]
            parent = parent.parent
        carrier = None if parent is None else around.carriers.get(parent.id)
        if parent is None or carrier is None:
            return False
        self.node = self.top = parent
        self.settings = carrier[0] | self.settings
        self.body_node = body or carrier[1]
        return True

    def extend_body(self, bodies: dict[int, list[Node]]) -> None:
        """Adds the further parts of the body."""
        further = bodies.get(self.node.id)
        if further is None or self.body_node is None:
            return
        parts = {node.start_byte: node for node in (*further, self.body_node)}
        self.body_node, *self.more = [parts[start] for start in sorted(parts)]

    def wrap(self, wrappers: set[int], leading: _Leading | None, trailing: Sequence[str]) -> None:
        """Finds the extent: wrappers right around the node, and leading and trailing siblings of the outermost."""
        self.wraps = 0
        while wrappers:
            parent = self.top.parent
            if parent is None or parent.id not in wrappers:
                break
            self.top = parent
            self.wraps += 1
        self.start, self.end = self.top.start_byte, self.top.end_byte
        if leading is not None:
            before, around = self.top.prev_sibling, self.top.parent
            while before is None and around is not None and around.start_byte == self.start:
                # What stands before a body that has no brackets is above the first one in it.
                before, around = around.prev_sibling, around.parent
            while before is not None and not before.is_error and ((leads := leading(before)) or before.is_extra):
                earlier = before.prev_sibling
                # A comment behind something on its line is about that.
                if leads and not (before.is_extra and earlier is not None and _on_one_line(earlier, before)):
                    self.start = before.start_byte
                before = earlier
        if trailing:
            after = self.top.next_sibling
            between = {";", *trailing}
            while after is not None and not after.is_error and (after.is_extra or after.type in between):
                if after.type in trailing:
                    self.end = after.end_byte
                after = after.next_sibling

    def follows(self, other: _Raw, cut: Callable[[int, int], bytes]) -> bool:
        """Whether this one has the name of `other`, and stands right behind it."""
        names = [cut(node.start_byte, node.end_byte) for node in (self.name_node, other.name_node)]
        if names[0] != names[1]:
            return False
        last = other.parts[-1].top
        before = self.top.prev_sibling
        while before is not None and before.id != last.id and (before.start_byte >= self.start or _is_between(before)):
            before = before.prev_sibling
        return before is not None and before.id == last.id

    def join(self, before: _Raw, after: _Raw) -> None:
        """Makes one of `before` and `after`, of which this is one."""
        self.start, self.end = before.start, after.end
        self.parts = [*before.parts, *after.parts]
        bodies = [body for made in (before, after) for body in (made.body_node, *made.more) if body is not None]
        self.body_node, self.more = (bodies[0], bodies[1:]) if bodies else (None, [])

    def names(self, cut: Callable[[int, int], bytes]) -> tuple[str, str, str]:
        """What it adds to its parent's path, what its members' paths begin with, and its name."""

        def text_of(node: Node) -> str:
            text = " ".join(cut(node.start_byte, node.end_byte).decode("utf-8", "replace").split())
            return text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"

        owner = [part for node in self.owners for part in split_owner(text_of(node))]
        quoted = "quoted" in self.settings
        if quoted:
            owner = [unquoted(part) for part in owner]
        owner = [*split_owner(self.settings.get("owner") or ""), *owner]
        template = self.settings.get("name")
        if template is None:
            name = text_of(self.name_node)
            if quoted and (bare := unquoted(name)) != name:
                name, self.quote = bare, 1
        else:
            between = "" if "joined" in self.settings else " "
            name = _CAPTURE.sub(lambda found: between.join(map(text_of, self.captures.get(found[1], ()))), template)
            name = name.replace(" ,", ",")
        if (rule := self.settings.get("rule")) is not None:
            name = RULES[rule](name)
        if self.settings.get("members") == "owner":
            return join_path([name]), join_path(owner), name
        if quoted and name in _EMPTY:
            # It is shown in its quotes, which have to be there in a path anyway.
            return (local := join_path([*owner, ""])), local, name
        local = join_path([*owner, *(split_owner(name) if "dotted" in self.settings else [name])])
        return local, local, name

    def touches_error(self) -> bool:
        """Whether a syntax error or a missing token is inside, right around, or right beside it."""
        top = self.top
        if top.has_error or ((parent := top.parent) is not None and parent.is_error):
            return True
        before = top.prev_sibling
        while before is not None and (before.start_byte >= self.start or _is_between(before)):
            if before.has_error and before.start_byte >= self.start:
                return True
            before = before.prev_sibling
        after = top.next_sibling
        while after is not None and (after.start_byte < self.end or _is_between(after)):
            if after.has_error and after.start_byte < self.end:
                return True
            after = after.next_sibling
        return (before is not None and before.is_error) or (after is not None and after.is_error)


def _on_one_line(before: Node, after: Node) -> bool:
    return before.end_point.row == after.start_point.row


def _is_between(node: Node) -> bool:
    """Whether a sibling keeps nothing apart: a comment, or nothing at all. Of errors of no width, which stand for an
    indentation that was skipped, the parser does not say when they come and go (`Tree.changed_ranges`)."""
    return node.start_byte == node.end_byte or (node.is_extra and not node.is_error)


_EMPTY = ('""', "''")
_CAPTURE = re.compile(r"@(\w+)")


def _standing(made: _Raw, around: Sequence[tuple[int, int, Definition]]) -> tuple[str, bool, bool, bool]:
    """Kind, container, hidden, and whether to leave it out, by what is around it."""
    kind = made.kind
    parent = around[-1][2] if around else None
    container = kind in CONTAINERS or made.settings.get("container") is not None
    if parent is None:
        return kind, container, False, False
    if parent.kind in TYPES:
        kind = {"function": "method", "variable": "field", "constant": "field"}.get(kind, kind)
    if parent.container and not parent.hidden:
        return kind, container, False, False
    if kind in CALLABLES or kind in CONTAINERS:
        return kind, container, False, made.settings.get("nested") == "false"
    return kind, container, container, not container


def _parts(path: Node) -> tuple[list[Node], Node]:
    """The nodes that a path's owner is made of, and that of its name."""
    owners: list[Node] = []
    node = path
    while node.type == path.type or node.child_by_field_name("arguments") is not None:
        named = [child for child in node.named_children if not child.is_extra]
        if not named:
            break
        if node.child_by_field_name("arguments") is not None:
            node = named[0]
            continue
        owners.extend(named[:-1])
        node = named[-1]
    return owners, node


def unquoted(text: str) -> str:
    """`text` without the quotes around it, where it has any and something is between them."""
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'`" else text


def split_owner(text: str) -> list[str]:
    """The segments of an owner's text without type arguments, split at `.` and `::` outside of brackets and quotes."""
    parts: list[str] = []
    depth, start, quote = 0, 0, ""
    at = 0
    while at < len(text):
        character = text[at]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif depth == 0 and (character == "." or text.startswith("::", at)):
            parts.append(text[start:at].strip())
            at += 1 if character == "." else 2
            start = at
            continue
        at += 1
    parts.append(text[start:].strip())
    named = [part.partition("<")[0].rstrip() if part.endswith(">") else part for part in parts]
    return [part for part in named if part not in ("", "this")]
