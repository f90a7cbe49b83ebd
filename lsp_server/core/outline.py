"""The outline of one text: its definitions as symbols, by path and by position, kept up to date edit by edit.

Knows paths, occurrences, parents and which part of an outline survives an edit. Refuses to know languages
(`core.definitions` and the queries know what a definition is) and how texts are parsed (`core.source`).

Definitions are kept position-free, in text order, beside a list of starts, so that an edit replaces a few entries and
shifts nothing: the shift of all that follows the last edit is one number. What depends only on nesting and names
(paths, parents, occurrences) is in a `_Shape` that outlines share while those stay the same. Symbols are made when
asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from difflib import SequenceMatcher
from functools import cached_property
from operator import attrgetter

from tree_sitter import Node

from lsp_server.core.definitions import Definition, Found, find_definitions
from lsp_server.core.languages import Language
from lsp_server.core.model import Symbol
from lsp_server.core.symbolpath import join_path, split_path
from lsp_server.core.text import Text

CHOSEN = 64
"""Questions about all paths whose answers a shape remembers: about as many as anchors that miss their symbol."""


def outline_of(root: Node, language: Language, text: Text) -> Outline:
    """The outline of a parsed text, from scratch."""
    found = find_definitions(root, language, text)
    return Outline(
        [entry.definition for entry in found],
        [entry.start for entry in found],
        [entry.line for entry in found],
        broken=root.has_error,
    )


def outline_after(
    old: Outline, root: Node, language: Language, text: Text, window: tuple[int, int], delta: tuple[int, int]
) -> Outline:
    """The outline of an edited and incrementally parsed text, equal to `outline_of` and mostly made of `old`.

    `window` covers, in bytes of the new text, all edits and all ranges in which the trees differ; `delta` is by how
    many bytes and lines the text grew.
    """
    grown, lines = delta
    window = _widen(root, language, text, window)
    while True:
        low, high = window
        found = find_definitions(root, language, text, window)
        before, first, last = old._overlapping(low, high - grown)
        straddling_left = [entry for entry in found if entry.start < low]
        inside = [entry for entry in found if entry.start >= low]
        if _same_left(old, before, straddling_left, high, grown) and _same_right(old, first, last, inside, high, grown):
            break
        # Something around the window is no longer what it was, so neither is what it holds: take it in whole.
        spans = [(entry.start, entry.start + entry.definition.length) for entry in found]
        for index in (*before, *range(first, last)):
            start = old._start(index)
            end = start + old._definitions[index].length
            spans.append((start if start < low else start + grown, end if end <= low else end + grown))
        low, high = min(low, *(start for start, _ in spans)), max(high, *(end for _, end in spans))
        wider = _widen(root, language, text, (low, high))
        if wider == window:
            return outline_of(root, language, text)
        window = wider
    return old._replaced(before, straddling_left, first, last, inside, grown, lines, root.has_error)


_NOWHERE = (-1,)


class Outline:
    """The symbols of one text, in text order, outer before inner. Never changes.

    `broken` says that there is a syntax error anywhere in the text.
    """

    def __init__(
        self,
        definitions: list[Definition],
        starts: list[int],
        lines: list[int],
        *,
        broken: bool = False,
        split: int = 0,
        shift: tuple[int, int] = (0, 0),
        shape: _Shape | None = None,
    ) -> None:
        """Starts and lines from index `split` on are to be read with `shift` (bytes, lines) added."""
        self.broken = broken
        self._definitions = definitions
        self._starts = starts
        self._lines = lines
        self._split = split
        self._shift = shift
        self._shape = shape or _Shape(definitions)
        self._made: dict[int, Symbol] = {}

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """All symbols. Costs their number: where one will do, ask for one."""
        return tuple([self._symbol(index) for index in self._shape.visible])

    def by_path(self, path: str) -> tuple[Symbol, ...]:
        """The symbols with this path, in text order; a segment may be quoted without need."""
        found = self._shape.by_path.get(path)
        if found is None and '"' in path:
            try:
                found = self._shape.by_path.get(join_path(split_path(path)))
            except ValueError:
                found = None
        return tuple([self._symbol(index) for index in found or ()])

    def paths_by(self, key: Hashable, test: Callable[[str], bool]) -> tuple[str, ...]:
        """The paths that pass `test`, in text order.

        `key` stands for the test: outlines that differ in nothing but positions and code ask it once.
        """
        known = self._shape.chosen
        found = known.get(key)
        if found is None:
            found = tuple([path for path in self._shape.by_path if test(path)])
            if len(known) >= CHOSEN:
                known.clear()
            known[key] = found
        return found

    def of_length(self, length: int, most: int, without: Container[str]) -> tuple[Symbol, ...]:
        """Up to `most` symbols, those of about `length` bytes first, and none with a path among `without`."""
        sizes, paths = self._by_length, self._shape.paths
        above = bisect_left(sizes, (length, 0))
        below = above - 1
        found: list[Symbol] = []
        while len(found) < most and (below >= 0 or above < len(sizes)):
            is_below = above == len(sizes) or (below >= 0 and length - sizes[below][0] <= sizes[above][0] - length)
            index = sizes[below if is_below else above][1]
            below, above = (below - 1, above) if is_below else (below, above + 1)
            if paths[index] not in without:
                found.append(self._symbol(index))
        return tuple(found)

    @cached_property
    def _by_length(self) -> list[tuple[int, int]]:
        """Length and index of each symbol's definition, sorted."""
        definitions = self._definitions
        return sorted([(definitions[index].length, index) for index in self._shape.visible])

    def touched(self, before: Outline, paths: Iterable[str]) -> list[str]:
        """Those of `paths` whose definitions are not those of `before`, which edits turned into this outline, with no
        byte of theirs touched. The others only stand elsewhere. All of them where that is not known."""
        if self._shape is not before._shape:
            return list(paths)
        by_path, mine, others = self._shape.by_path, self._definitions, before._definitions
        found = []
        for path in paths:
            for index in by_path.get(path, _NOWHERE):
                if index < 0 or mine[index] is not others[index]:
                    found.append(path)
                    break
        return found

    def at(self, offset: int) -> Symbol | None:
        """The innermost symbol that covers byte `offset`, or None."""
        for index in self._around(offset):
            if not self._definitions[index].hidden:
                return self._symbol(index)
        return None

    def at_line(self, line: int) -> Symbol | None:
        """The symbol that line `line` (from 1) stands for: of those that cover it the one with the fewest lines, of
        equal ones the outermost, or the first. None where there is none."""
        indexes = range(len(self._definitions))
        first = bisect_left(indexes, line - 1, key=self._line)
        after = bisect_right(indexes, line - 1, lo=first, key=self._line)
        covering = [
            index
            for index in (*self._chain(first - 1), *range(first, after))
            if not self._definitions[index].hidden
            and self._line(index) + self._definitions[index].line_span >= line - 1
        ]
        if not covering:
            return None
        return self._symbol(min(covering, key=lambda index: (self._definitions[index].line_span, index)))

    def named_at(self, offset: int) -> Symbol | None:
        """The symbol on the letters of whose name byte `offset` is, or None."""
        for index in self._around(offset):
            definition = self._definitions[index]
            at = offset - self._start(index)
            if definition.name_start <= at < definition.name_end and not definition.hidden:
                return self._symbol(index)
        return None

    def children(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """The symbols right inside `symbol`. Raises ValueError for a symbol of another outline."""
        index = self._index(symbol)
        depth = self._definitions[index].depth
        parents = self._shape.parents
        result = []
        for inner in range(index + 1, len(self._definitions)):
            if self._definitions[inner].depth <= depth:
                if self._start(inner) >= symbol.end:
                    break
                continue
            if parents[inner] == index and not self._definitions[inner].hidden:
                result.append(self._symbol(inner))
        return tuple(result)

    def ancestors(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """The symbols around `symbol`, the innermost first. Raises ValueError for a symbol of another outline."""
        result = []
        parent = self._shape.parents[self._index(symbol)]
        while parent is not None:
            result.append(self._symbol(parent))
            parent = self._shape.parents[parent]
        return tuple(result)

    def nearest(self, path: str, n: int = 3) -> tuple[str, ...]:
        """Up to `n` paths that are most like `path`, best first: for "did you mean"."""
        wanted = path.casefold()
        last = wanted.rpartition(".")[2]
        matcher = SequenceMatcher(autojunk=False)
        scored = []
        for index, candidate in enumerate(self._shape.by_path):
            folded = candidate.casefold()
            score = 0.0
            for a, b, bonus in ((wanted, folded, 0.1), (last, folded.rpartition(".")[2], 0.0)):
                matcher.set_seqs(a, b)
                if matcher.real_quick_ratio() > 0.5 and matcher.quick_ratio() > 0.5:
                    score = max(score, matcher.ratio() + bonus)
            if score > 0.5:
                scored.append((-score, index, candidate))
        return tuple([candidate for _, _, candidate in sorted(scored)[:n]])

    def definition(self, symbol: Symbol) -> Definition:
        """What the query found for `symbol`. Raises ValueError for a symbol of another outline."""
        return self._definitions[self._index(symbol)]

    def _index(self, symbol: Symbol) -> int:
        index = bisect_left(range(len(self._definitions)), symbol.start, key=self._start)
        while index < len(self._definitions) and self._start(index) == symbol.start:
            definition = self._definitions[index]
            if (
                definition.name_start == symbol.name_start - symbol.start
                and definition.length == symbol.end - symbol.start
                and self._shape.paths[index] == symbol.path
            ):
                return index
            index += 1
        raise ValueError(f"{symbol.path} is no symbol of this outline: look it up in the present one")

    def _start(self, index: int) -> int:
        return self._starts[index] + (self._shift[0] if index >= self._split else 0)

    def _line(self, index: int) -> int:
        return self._lines[index] + (self._shift[1] if index >= self._split else 0)

    def _around(self, offset: int) -> Iterator[int]:
        """Indexes of the definitions that cover `offset`, the innermost first."""
        after = bisect_right(range(len(self._definitions)), offset, key=self._start)
        for index in self._chain(after - 1):
            if self._start(index) + self._definitions[index].length > offset:
                yield index

    def _chain(self, index: int) -> Iterator[int]:
        """`index`, what is around it, and the twins (same extent) of these; hence all that may cover the start of
        `index` and what follows it up to the next definition."""
        depth = index >= 0 and self._definitions[index].depth + 1
        while index >= 0:
            definition = self._definitions[index]
            twin = definition.depth == depth and self._is_twin(index, index + 1)
            if definition.depth < depth or twin:
                yield index
                depth = definition.depth
            if depth == 0 and not (index and self._is_twin(index - 1, index)):
                return
            index -= 1

    def _is_twin(self, one: int, other: int) -> bool:
        return (
            self._starts[one] == self._starts[other]
            and self._definitions[one].length == self._definitions[other].length
            and self._definitions[one].depth == self._definitions[other].depth
        )

    def _symbol(self, index: int) -> Symbol:
        symbol = self._made.get(index)
        if symbol is None:
            definition = self._definitions[index]
            start, line = self._start(index), self._line(index) + 1
            body = definition.body
            shape = self._shape
            symbol = self._made[index] = Symbol(
                path=shape.paths[index],
                name=definition.name,
                kind=definition.kind,
                start=start,
                end=start + definition.length,
                name_start=start + definition.name_start,
                name_end=start + definition.name_end,
                body=None if body is None else (start + body[0], start + body[1]),
                start_line=line,
                end_line=line + definition.line_span,
                occurrence=shape.occurrence(index),
                parent=shape.parent(index),
                container=definition.container,
                broken=definition.broken,
            )
        return symbol

    def _overlapping(self, low: int, high: int) -> tuple[list[int], int, int]:
        """The definitions that overlap bytes `low` to `high`: those that start before, outermost first, and the range
        of those that start inside."""
        indexes = range(len(self._definitions))
        first = bisect_left(indexes, low, key=self._start)
        last = bisect_left(indexes, high, lo=first, key=self._start)
        before = [i for i in self._chain(first - 1) if self._start(i) + self._definitions[i].length > low]
        return before[::-1], first, last

    def _replaced(
        self,
        before: list[int],
        around: list[Found],
        first: int,
        last: int,
        inside: list[Found],
        grown: int,
        lines: int,
        broken: bool,
    ) -> Outline:
        """This outline with `around` in place of the definitions `before`, `inside` in place of those from `first` to
        `last`, and what follows moved."""
        old = self._definitions
        definitions = [*old[:first], *[entry.definition for entry in inside], *old[last:]]
        same = last - first == len(inside)
        for index, entry in zip(before, around, strict=True):
            same = same and _same_shape(old[index], entry.definition)
            definitions[index] = entry.definition
        same = same and all(map(_same_shape, old[first:last], definitions[first:]))
        kept = set(before)
        outline = Outline(
            definitions,
            _spliced(self._starts, self._split, self._shift[0], first, last, [entry.start for entry in inside]),
            _spliced(self._lines, self._split, self._shift[1], first, last, [entry.line for entry in inside]),
            broken=broken,
            split=first + len(inside),
            shift=(self._shift[0] + grown, self._shift[1] + lines),
            shape=self._shape if same else None,
        )
        if same:
            outline._made = {i: symbol for i, symbol in self._made.items() if i < first and i not in kept}
        return outline


class _Shape:
    """What follows from the nesting and the names of definitions alone; each part is computed when first asked for."""

    def __init__(self, definitions: list[Definition]) -> None:
        self._definitions = definitions
        self.chosen: dict[Hashable, tuple[str, ...]] = {}

    @cached_property
    def _resolved(self) -> tuple[list[int | None], list[str], dict[str, list[int]], list[int]]:
        parents: list[int | None] = []
        paths: list[str] = []
        by_path: dict[str, list[int]] = {}
        visible: list[int] = []
        # By depth, from the file on: the definition's index (a hidden one's parent's), the beginning of its members'
        # paths, and the same without what a member may have spread.
        around: list[tuple[int | None, str, str]] = [(None, "", "")]
        for index, definition in enumerate(self._definitions):
            del around[definition.depth + 1 :]
            parent, prefix, own = around[-1]
            parents.append(parent)
            if definition.spreads:
                prefix = own
                if definition.spreads == "true":
                    around[-1] = (parent, f"{own}{definition.local}.", own)
            path = prefix + definition.local
            paths.append(path)
            members = prefix + definition.inner + "."
            around.append((parent if definition.hidden else index, members, members))
            if not definition.hidden:
                by_path.setdefault(path, []).append(index)
                visible.append(index)
        return parents, paths, by_path, visible

    @property
    def parents(self) -> list[int | None]:
        """Index of the innermost definition around each that is not hidden."""
        return self._resolved[0]

    @property
    def paths(self) -> list[str]:
        return self._resolved[1]

    @property
    def by_path(self) -> dict[str, list[int]]:
        return self._resolved[2]

    @property
    def visible(self) -> list[int]:
        """Indexes of the definitions that are symbols."""
        return self._resolved[3]

    def occurrence(self, index: int) -> tuple[int, int]:
        twins = self.by_path[self.paths[index]]
        return (1, 1) if len(twins) == 1 else (bisect_left(twins, index) + 1, len(twins))

    def parent(self, index: int) -> int | None:
        """The parent's index among the symbols."""
        parent = self.parents[index]
        if parent is None or len(self.visible) == len(self._definitions):
            return parent
        return bisect_left(self.visible, parent)


_same_as = attrgetter("depth", "local", "inner", "hidden", "spreads")


def _same_shape(one: Definition, other: Definition) -> bool:
    return bool(_same_as(one) == _same_as(other))


_holds_alike = attrgetter("depth", "kind", "container", "hidden")


def _same_left(old: Outline, before: list[int], now: list[Found], high: int, grown: int) -> bool:
    """Whether the definitions that start before the window and reach into it are the old ones, grown or not."""
    if len(before) != len(now):
        return False
    for index, entry in zip(before, now, strict=True):
        was = old._definitions[index]
        if old._start(index) != entry.start or _holds_alike(was) != _holds_alike(entry.definition):
            return False
        end, was_end = entry.start + entry.definition.length, entry.start + was.length + grown
        if max(end, was_end) > high and end != was_end:
            return False
    return True


def _same_right(old: Outline, first: int, last: int, now: list[Found], high: int, grown: int) -> bool:
    """Whether the definitions that start inside the window and reach beyond it are the old ones."""
    reaching = [
        (old._start(i) + old._definitions[i].length + grown, _holds_alike(old._definitions[i]))
        for i in range(first, last)
        if old._start(i) + old._definitions[i].length + grown > high
    ]
    return reaching == [
        (entry.start + entry.definition.length, _holds_alike(entry.definition))
        for entry in now
        if entry.start + entry.definition.length > high
    ]


def _spliced(values: list[int], split: int, shift: int, first: int, last: int, new: list[int]) -> list[int]:
    """`values` with `new` from `first` to `last`, where what follows is to be read with `shift` from there on."""
    if split <= first:
        head = (
            values[:first]
            if split == first or not shift
            else [*values[:split], *[v + shift for v in values[split:first]]]
        )
    else:
        head = values[:first]
    tail = values[last:] if split <= last or not shift else [*[v - shift for v in values[last:split]], *values[split:]]
    return [*head, *new, *tail]


def _widen(root: Node, language: Language, text: Text, window: tuple[int, int]) -> tuple[int, int]:
    """The window with the last byte that counts before it and the first one after it.

    A definition right beside an edit may be touched by an error there, or get or lose an attribute, so it must overlap
    the window. Comments, white space and what else has no node do not keep them apart, and leading siblings belong to
    what follows, trailing ones to what is before.
    """
    low, high = window
    while low > 0:
        low -= 1
        letter = text.slice(low, low + 1)
        if letter.isspace() or (letter == b";" and language.trailing):
            continue
        extra = _extra_at(root, low, language.trailing)
        gap = _gap_at(root, low) if extra is None else None
        if extra is None and gap is None:
            break
        low = min(low, extra.start_byte if extra is not None else gap[0] if gap is not None else low)
    length = len(text)
    while high < length:
        if text.slice(high, high + 1).isspace():
            high += 1
            continue
        extra = _extra_at(root, high, language.leading)
        gap = _gap_at(root, high) if extra is None else None
        if extra is None and gap is None:
            high += 1
            break
        high = max(high + 1, extra.end_byte if extra is not None else gap[1] if gap is not None else high)
    return max(low, 0), high


def _gap_at(root: Node, offset: int) -> tuple[int, int] | None:
    """The stretch without any node around the byte at `offset`; None where a token covers it."""
    cursor = root.walk()
    around = root
    while cursor.goto_first_child_for_byte(offset) is not None:
        node = cursor.node
        assert node is not None
        if node.start_byte > offset:
            before = node.prev_sibling
            return (before.end_byte if before is not None else around.start_byte), node.start_byte
        around = node
    last = around.child(around.child_count - 1) if around.child_count else None
    return None if last is None else (last.end_byte, max(around.end_byte, offset + 1))


def _extra_at(root: Node, offset: int, types: tuple[str, ...]) -> Node | None:
    """The comment, or outermost node of one of `types`, that covers the byte at `offset`."""
    # From the root down: each step up would cost the depth of the node.
    cursor = root.walk()
    while cursor.goto_first_child_for_byte(offset) is not None:
        node = cursor.node
        if node is None or node.start_byte > offset:
            return None
        if (node.is_extra and not node.is_error) or node.type in types:
            return node
    return None
