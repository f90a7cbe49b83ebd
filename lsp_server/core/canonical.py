"""The canonical tokens of syntax nodes: what they say, without layout, comments, documentation and style.

Two pieces of code have the same tokens exactly when they differ in nothing but what the style table of their language
lists. Structure is kept by a marker where a node opens and one where it closes, because leaves alone miss a statement
that moves out of an `if` in Python. Refuses to know symbols, hashes and what a difference means.

Tokens are strings of one character a byte (Latin-1), because slicing and joining those is what Python does fastest.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import NamedTuple

from tree_sitter import Node

from lsp_server.core.languages import Language, language_for
from lsp_server.core.literals import decode, flow_folded, jsx_lines, plain_breaks, plain_number, text_block
from lsp_server.core.prose import RULES, indented_code, ruby_here_document, shown_code
from lsp_server.core.style import COMMENTS, Bodied, Embedded, Literal, Style, style_for

OPEN, CLOSE = "\x01", "\x02"
STRING, NAME, BETWEEN, MEMBER, WRITTEN = "\x03", "\x04", "\x05", "\x06", "\x07"
"""First letters of tokens that are not code as written: a decoded string, the symbol's own name, what the grammar
gives no node, a member in place of its code, a string that could not be decoded."""

CONTROL = re.compile("[\x00-\x07]")
"""Letters with which a marker could be forged; code that holds them is escaped."""

_NO_CUT = frozenset(
    {
        *("block", "body_statement", "statement_list", "with_template_body"),
        *("module", "program", "source_file", "translation_unit"),
    }
)
"""Types without brackets of their own, which may have the extent of the only member that they hold."""


class Cut(NamedTuple):
    """A stretch of code to be replaced by one token."""

    end: int
    token: Callable[[], str]


@dataclass(slots=True)
class Tokens:
    """`spans` are the first and last index + 1 of what was marked, `starts` the byte where each token's node begins,
    where that was asked for."""

    items: list[str] = field(default_factory=list)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)

    @property
    def leaves(self) -> list[str]:
        """The tokens without the markers of structure."""
        return [item for item in self.items if item[0] != OPEN and item[0] != CLOSE]


class Mask(NamedTuple):
    """The name to be masked, the byte at which it is defined, and whether plain uses of it are uses of the symbol."""

    name: str
    start: int
    uses: bool


def canonical(
    nodes: Iterable[Node],
    text: str,
    base: int,
    style: Style,
    *,
    marks: Mapping[tuple[int, int], str] | None = None,
    cuts: Mapping[int, Cut] | None = None,
    mask: Mask | None = None,
    remember: bool = True,
    placed: bool = False,
    rest: tuple[int, str] | None = None,
) -> Tokens:
    """The tokens of sibling nodes.

    `text` is the Latin-1 form of the bytes from `base` on that cover them. `marks` names byte ranges of nodes of which
    the place among the tokens is wanted (the outermost node of that range), `cuts` maps a start to what stands for all
    nodes up to an end. With `remember`, the tokens of chunks seen before are not made again; they are the same without.
    `placed` asks for `Tokens.starts`. `rest` is a byte and the mark of all that comes from there on.
    """
    walk = _Walk(text, base, style, dict(marks or {}), cuts or {}, mask, remember and not placed, rest)
    return walk.run(nodes, placed)


CHUNK = (24, 600)
"""Letters of a node of which the tokens are remembered: about a statement. Larger ones are edited too often, smaller
ones are walked as fast as they are looked up."""

CHUNKS = 6000
"""Nodes that are remembered: the statements of some large files."""

EMBEDDED = 512
"""Pieces of code in another language of which the tokens are remembered: those of some long manuals."""

_NO_STATE = 0xFFFF
"""What tree-sitter says of a node that was not parsed in one state: it may be read otherwise in another place."""


class _Begin(NamedTuple):
    label: str


class _End(NamedTuple):
    label: str
    first: int


class _Keep(NamedTuple):
    """The end of a chunk whose tokens, from `first` on, are to be remembered."""

    key: _ChunkKey
    first: int
    end: int


_ChunkKey = tuple[Style, int, str, str]
_Work = Node | str | tuple[int, int] | _Begin | _End | _Keep

_chunks: dict[_ChunkKey, list[str]] = {}


class _Walk:
    """One walk. Its work is a stack of nodes to visit, tokens to write, (start, end) to pass over, and marks."""

    def __init__(
        self,
        text: str,
        base: int,
        style: Style,
        marks: dict[tuple[int, int], str],
        cuts: Mapping[int, Cut],
        mask: Mask | None,
        remember: bool,
        rest: tuple[int, str] | None = None,
    ) -> None:
        self.text, self.base, self.style = text, base, style
        self.marks, self.cuts, self.mask = marks, cuts, mask
        self.remember = remember
        self.plan = _plan(style)
        self.skip: set[int] = set()
        self.not_name: set[int] = set()
        self.own_name: set[int] = set()
        self.no_sum: set[int] = set()
        self.verbatim_until = -1
        # Marks are few, so that their starts are cheap to ask for at every node.
        self.mark_starts = {start for start, _ in marks}
        self.last_mark = max(self.mark_starts, default=-1)
        self.rest_start, self.rest_label = rest or (_NEVER, "")
        if rest is not None:
            self.last_mark = max(self.last_mark, self.rest_start)
        self.clean = CONTROL.search(text) is None and "\r" not in text

    def run(self, nodes: Iterable[Node], placed: bool = False) -> Tokens:
        tokens = Tokens()
        items, add = tokens.items, tokens.items.append
        text, base, cuts, mask = self.text, self.base, self.cuts, self.mask
        ignored, special = self.style.ignored, self.plan.special
        directives = self.style.directives
        caseless, spelled = self.style.caseless, self.style.spelled
        rest_start = self.rest_start
        work: list[_Work] = list(nodes)
        work.reverse()
        pop = work.pop
        faulty = any(node.has_error for node in work if isinstance(node, Node))
        seen = base
        passed = -1
        begun: list[int] = []
        begun_cut: Cut | None = None
        # What is remembered of a chunk must be all that it is: no mark, cut or mask may be in it.
        chunk_end = base if self.remember and self.clean and not faulty and not cuts and mask is None else 1 << 62
        least, most = CHUNK
        start = base
        while work:
            if placed:
                tokens.starts.extend([start] * (len(items) - len(tokens.starts)))
            node = pop()
            if not isinstance(node, Node):
                if isinstance(node, str):
                    if node:
                        add(node)
                elif isinstance(node, _Keep):
                    # What ends in something without a node of its own says more than its tokens so far.
                    if seen >= node.end or text[seen - base : node.end - base].isspace():
                        if len(_chunks) >= CHUNKS:
                            _chunks.clear()
                        _chunks[node.key] = items[node.first :]
                elif isinstance(node, _Begin):
                    begun.append(len(items))
                elif isinstance(node, _End):
                    first = node.first if node.first >= 0 else begun.pop()
                    tokens.spans[node.label] = (first, len(items))
                else:
                    if node[0] > seen:
                        self.between(seen, node[0], add)
                    seen = max(seen, node[1])
                continue
            kind = node.type
            start = node.start_byte
            if start < passed:
                continue
            if cuts and (begun_cut is not None or start in cuts) and kind not in _NO_CUT:
                cut = begun_cut or cuts[start]
                if kind in ignored:
                    # A comment above a member is part of it, and may stand before the body that the member is in.
                    begun_cut, seen = cut, max(seen, node.end_byte)
                    continue
                # Of an element without an end tag, white space at its end is no part of the member.
                blank = kind in self.style.spaced and text[cut.end - base : node.end_byte - base].isspace()
                if node.end_byte <= cut.end or blank:
                    add(cut.token())
                    seen = passed = max(cut.end, node.end_byte)
                    begun_cut = None
                    continue
            if kind in ignored:
                if start > seen:
                    self.between(seen, start, add)
                seen = node.end_byte
                if directives is not None:
                    written = text[start - base : seen - base]
                    if directives.match(written):
                        add(self.plain(written.strip()))
                continue
            if start >= rest_start:
                rest_start = _NEVER
                tokens.spans[self.rest_label] = (len(items), -1)
            if faulty and node.is_missing:
                add(BETWEEN + "missing " + kind)
            if start >= chunk_end and start > self.last_mark:
                end = node.end_byte
                if least < end - start < most and not (self.skip and node.id in self.skip):
                    state = node.parse_state
                    if state != _NO_STATE and start >= self.verbatim_until:
                        if start > seen:
                            self.between(seen, start, add)
                        key = (self.style, state, kind, text[start - base : end - base])
                        known = _chunks.get(key)
                        seen = chunk_end = end
                        if known is not None:
                            items += known
                            continue
                        seen = start
                        work.append(_Keep(key, len(items), end))
            kids = node.children
            if start in self.mark_starts:
                label = self.marked(start, node.end_byte)
                if label is not None:
                    work.append(_End(label, len(items)))
            # Where a keyword has the name of what it begins (Ruby's `if`), the node alone is meant.
            if kind in special and (node.is_named or kind in spelled):
                if self.skip and node.id in self.skip:
                    seen = node.end_byte
                    continue
                made = self.rewritten(node, kind, kids)
                if made is not None:
                    if start > seen:
                        self.between(seen, start, add)
                    seen = max(seen, start)
                    made.reverse()
                    work += made
                    continue
            elif mask is not None and kids:
                self.note_names(kind, kids)
            if kids:
                whole = mask is not None and start == mask.start and kind in self.style.names
                if (whole and self.is_name(node)) or (_is_textual(kind) and not any(kid.children for kid in kids)):
                    # Where the table says nothing of a literal, every letter of it counts.
                    if start > seen:
                        self.between(seen, start, add)
                    seen = node.end_byte
                    add(NAME if self.is_name(node) else WRITTEN + self.plain(text[start - base : seen - base]))
                    continue
                add(OPEN + kind)
                work.append(CLOSE)
                end = node.end_byte
                if kids[-1].end_byte < end:
                    # What stands behind the last child belongs to the node, whoever comes next.
                    work.append((end, end))
                kids.reverse()
                work += kids
                continue
            end = node.end_byte
            if start > seen:
                self.between(seen, start, add)
            seen = end
            written = text[start - base : end - base]
            if mask is not None and self.is_own_name(node, kind, written):
                add(NAME)
            elif written and (not written.isspace() or node.is_named):
                if caseless and kind.startswith(caseless):
                    written = written.lower()
                elif written[0] == "#" and not node.is_named:
                    # White space after the `#` of a directive says nothing; the type has none.
                    written = kind
                add(written if self.clean else self.plain(written))
        if rest_start == _NEVER and self.rest_label:
            tokens.spans[self.rest_label] = (tokens.spans[self.rest_label][0], len(items))
        if placed:
            tokens.starts.extend([start] * (len(items) - len(tokens.starts)))
        return tokens

    def marked(self, start: int, end: int) -> str | None:
        """The mark of a node, taken off. A node may end in white space that its mark leaves out."""
        for span, label in self.marks.items():
            if span[0] == start and span[1] <= end:
                rest = self.text[span[1] - self.base : end - self.base]
                if not rest or rest.isspace():
                    del self.marks[span]
                    return label
        return None

    def between(self, start: int, end: int, add: Callable[[str], None]) -> None:
        """What stands between two tokens without a node of its own counts, unless it is white space."""
        gap = self.text[start - self.base : end - self.base]
        if not gap or gap.isspace():
            return
        gap = _CONTINUED.sub(" ", gap).strip()
        if self.style.blank_gaps and _QUOTED.search(gap) is None:
            gap = " ".join(gap.split())
        if gap.strip(self.plan.between):
            add(BETWEEN + self.plain(gap))

    def plain(self, written: str) -> str:
        """Code as written, with LF for every line end and no letter that could pass for a marker."""
        if self.clean:
            return written
        return CONTROL.sub(lambda found: f"\x07{ord(found[0])}\x07", plain_breaks(written))

    def cut_text(self, node: Node) -> str:
        return self.text[node.start_byte - self.base : node.end_byte - self.base]

    def rewritten(self, node: Node, kind: str, kids: list[Node]) -> list[_Work] | None:
        """What the style table makes of a node; None leaves it as it is."""
        style = self.style
        if self.verbatim_until > node.start_byte:
            return None
        if kind in style.verbatim:
            self.verbatim_until = node.end_byte
            return None
        if kind in style.silent and style.silent[kind].match(self.cut_text(node)):
            return [(node.start_byte, node.end_byte)]
        if kind in style.documents and self.documents_next(node, kind):
            return [(node.start_byte, node.end_byte)]
        if self.mask is not None and (kind in style.literals or kind in style.texts) and self.is_name(node):
            return [(node.start_byte, node.end_byte), NAME]
        if kind in style.spelled and not kids:
            return [(node.start_byte, node.end_byte), style.spelled[kind]]
        if kind in style.whole and style.whole[kind].match(self.cut_text(node)):
            return self.whole(node, kind, kids)
        if kind in style.literals:
            return self.string(node, kind, kids)
        if kind in style.joined:
            return self.joined(node, kids)
        if kind in style.numbers:
            number = self.plain(plain_number(self.cut_text(node).strip(), floats=style.floats))
            return [(node.start_byte, node.end_byte), *([number] if number else [])]
        if kind in style.texts:
            return self.leaf_text(node, kids, style.texts[kind])
        if kind == style.indented[0]:
            return self.indented(node, kids)
        if kind in style.embedded and (made := self.embedded(style.embedded[kind], kids)) is not None:
            return [OPEN + kind, *made, (node.end_byte, node.end_byte), CLOSE]
        if kind == style.valued[0] and (made := self.valued(kids)) is not None:
            return [OPEN + kind, *made, (_UNSEEN, node.end_byte), CLOSE]
        if kind == style.exact[0] and any(child.type == style.exact[1] for child in kids):
            return [(node.start_byte, node.end_byte), WRITTEN + self.plain(self.cut_text(node))]
        if kind in style.documented:
            self.note_documentation(kind, kids)
        if self.mask is not None:
            self.note_names(kind, kids)
        if kind in style.lone or kind in self.plan.open_anywhere:
            named = self.named(kids)
            if len(named) == 1 and (kind in style.lone or self.may_go_anywhere(kind, named[0])):
                return self.without_brackets(kind, kids)
        if kind in style.summed and node.id not in self.no_sum:
            made = self.summed(node, kind)
            if made is not None:
                return made
        inner = self.children(node, kind, kids)
        if kind in style.spaced and not style.spaced[kind].match(written := self.cut_text(node)):
            inner = self.with_spaces(inner, kind in style.trimmed and style.trimmed[kind].match(written) is not None)
        inner.append((node.end_byte, node.end_byte))
        if kind == style.void[0] and kids and style.void[1].match(self.cut_text(node)):
            return [OPEN + kind, inner[0], CLOSE, *inner[1:]]
        kind = style.spelled.get(kind, kind)
        return [OPEN + kind, *inner, CLOSE] if kind else inner

    def whole(self, node: Node, kind: str, kids: Sequence[Node]) -> list[_Work]:
        """The first and the last child of a node as usual, and every letter between them."""
        if len(kids) < 2:
            return [OPEN + kind, *kids, CLOSE]
        start, end = kids[0].end_byte, kids[-1].start_byte
        written = self.plain(self.text[start - self.base : end - self.base])
        if kind in self.style.first_break and self.style.first_break[kind].match(self.cut_text(node)):
            written = plain_breaks(written).removeprefix("\n")
        return [OPEN + kind, kids[0], (start, end), WRITTEN + written, kids[-1], CLOSE]

    def with_spaces(self, work: list[_Work], trimmed: bool) -> list[_Work]:
        """The children of a node between which white space counts: that there is some, not how much. Of a `trimmed`
        one not that behind its first child and before its last one, its tags."""
        out: list[_Work] = []
        kids = [kid for kid in work if isinstance(kid, Node) and kid.type not in self.style.ignored]
        # An end tag is of a type that may say nothing; what has none ends with something that does.
        last = kids[-1] if kids and kids[-1].type in self.style.silent else None
        end, space, seen, block = -1, False, 0, False
        for kid in work:
            if isinstance(kid, Node):
                space = space or (end >= 0 and self.text[end - self.base : kid.start_byte - self.base].isspace())
                end = self.end_of(kid)
                if kid.type not in self.style.ignored:
                    beside, block = block, self.is_block(kid)
                    if space and not (beside or block or (trimmed and (seen == 1 or kid is last))):
                        out.append(BETWEEN + "space")
                    space = False
                    seen += 1
            out.append(kid)
        return out

    def is_block(self, node: Node) -> bool:
        """Whether white space beside a node says nothing."""
        pattern = self.style.blocks.get(node.type)
        return pattern is not None and pattern.match(self.cut_text(node)) is not None

    def end_of(self, node: Node) -> int:
        """Where a node ends. White space at the end of one without an end tag is in it, unless it holds nothing: then
        the grammar has it reach to the next one."""
        written = self.cut_text(node)
        kind, pattern = self.style.void
        empty = node.type != kind or pattern.match(written) is not None
        return node.start_byte + len(written.rstrip()) if empty else node.end_byte

    def named(self, kids: Sequence[Node]) -> list[Node]:
        return [kid for kid in kids if kid.is_named and kid.type not in self.style.ignored]

    def children(self, node: Node, kind: str, kids: Sequence[Node]) -> list[_Work]:
        """The children of a node without what says nothing there."""
        dropped = self.style.dropped.get(kind, _NONE)
        places = self.plan.places.get(kind)
        nested = self.plan.nested.get(kind)
        comma = self.trailing_comma(kind, kids)
        strings = kind in self.plan.string_parents
        keys = self.plan.keys.get(kind)
        hollow = self.plan.hollow.get(kind, _NONE)
        rules = self.plan.rules.get(kind)
        numbered = kind == self.style.numbered[0]
        folded = self.style.folded.get(kind)
        bodied = self.style.bodied.get(kind)
        nothing = self.nothing(bodied, kids) if bodied is not None else -1
        if (kind in self.style.unordered or kind in self.style.loose) and not node.has_error:
            return self.in_order(kind, kids)
        out: list[_Work] = []
        for index, kid in enumerate(kids):
            kid_kind = kid.type
            if (
                index == comma
                or kid_kind in dropped
                or (kid_kind in hollow and not self.named(kid.children))
                or (nothing >= 0 and nothing <= index <= nothing + 1)
            ):
                out.append((kid.start_byte, kid.end_byte))
            elif bodied is not None and kid_kind == bodied.body:
                out += self.body(kid, bodied, kids, nothing >= 0)
            elif places is not None and kid_kind in places:
                inner = None
                if (node.field_name_for_child(index) or "") in places[kid_kind]:
                    inner = self.unwrapped(kid, kid_kind)
                out += [kid] if inner is None else inner
            elif index == 0 and nested is not None and kid_kind in nested:
                named = self.named(kid.children)
                binds = len(named) == 1 and named[0].type in nested[kid_kind]
                out += (self.unwrapped(kid, kid_kind) if binds else None) or [kid]
            elif strings and kid_kind in self.style.literals:
                out += self.string(kid, kid_kind, kid.children, parent=kind)
            elif (
                keys is not None
                and kid_kind in self.style.literals
                and (node.field_name_for_child(index) or "") in keys
            ):
                out += self.key(kid, kid_kind)
            elif rules is not None and kid_kind in rules and not (self.mask is not None and self.is_name(kid)):
                out += self.leaf_text(kid, kid.children, rules[kid_kind]) or []
            elif folded is not None and kid_kind == folded[0] and folded[1].fullmatch(written := self.cut_text(kid)):
                out += [OPEN + kid_kind, (kid.start_byte, kid.end_byte), written.lower(), CLOSE]
            elif numbered and index and kid_kind == self.style.numbered[1]:
                out += self.later_item(kid, kid_kind)
            else:
                out.append(kid)
        return out

    def nothing(self, how: Bodied, kids: Sequence[Node]) -> int:
        """Index of the colon before a type that says that nothing is returned, and may go; -1 where there is none."""
        index = next((index for index, kid in enumerate(kids) if kid.type == ":"), len(kids))
        if not how.nothing or index + 2 >= len(kids) or self.cut_text(kids[index + 1]) != how.nothing:
            return -1
        body = next((kid for kid in kids[index + 2 :] if kid.type == how.body), None)
        held = self.named(body.children) if body is not None else []
        if len(held) != 1 or held[0].type not in (how.block, how.throws):
            return -1
        # A type of that name that is not the language's own would have to be returned.
        return -1 if _RETURNED.search(self.cut_text(held[0])) else index

    def body(self, node: Node, how: Bodied, around: Sequence[Node], nothing: bool) -> list[_Work]:
        """The body of a definition: as a value where it does nothing but return one."""
        held = self.named(node.children)
        inner = self.named(held[0].children) if len(held) == 1 and held[0].type == how.block else []
        typed = not how.typed or any(kid.type == ":" for kid in around)
        made: list[_Work] | None = None
        if len(inner) == 1 and inner[0].type == how.returns and typed:
            value = [kid for kid in inner[0].children if kid.type not in self.style.ignored]
            if len(value) == 2 and value[0].type == "return":
                groups = (self.plan.places.get(how.body) or {}).get(value[1].type)
                inside = self.unwrapped(value[1], value[1].type) if groups else None
                made = [how.mark, (_UNSEEN, value[1].start_byte), *(inside or [value[1]])]
        elif len(inner) == 1 and inner[0].type == how.throws and typed and not nothing:
            made = [how.mark, (_UNSEEN, inner[0].start_byte), inner[0]]
        elif nothing and len(held) == 1 and held[0].type == how.throws:
            made = [OPEN + how.block, "{", (_UNSEEN, held[0].start_byte), held[0], "}", CLOSE]
        if made is None or node.has_error:
            return [node]
        made = [OPEN + how.body, *made, (_UNSEEN, node.end_byte), CLOSE]
        label = self.marked(node.start_byte, node.end_byte)
        return made if label is None else [_Begin(label), *made, _End(label, -1)]

    def later_item(self, item: Node, kind: str) -> list[_Work]:
        """An item behind the first one, with a number for all of them."""
        first, *rest = item.children
        if first.type not in self.style.numbered[2]:
            return [item]
        return [OPEN + kind, (first.start_byte, first.end_byte), "1.", *rest, (item.end_byte, item.end_byte), CLOSE]

    def indented(self, node: Node, kids: Sequence[Node]) -> list[_Work]:
        """Code that is marked by its indentation, as what is between delimiters."""
        _, kind, delimiter = self.style.indented
        written = plain_breaks(self.cut_text(node))
        if "\t" in written or any(self.cut_text(kid).strip() for kid in kids if kid.type in self.style.ignored):
            # What is around it begins each line with more than spaces.
            return [(node.start_byte, node.end_byte), WRITTEN + self.safe(written.rstrip())]
        code = shown_code(indented_code(written, node.start_point.column))
        passed = (node.start_byte, node.end_byte)
        return [passed, OPEN + kind, delimiter, WRITTEN + self.safe(code), delimiter, CLOSE]

    def embedded(self, how: Embedded, kids: Sequence[Node]) -> list[_Work] | None:
        """Code of another language in a node; None where it counts as it is written."""
        about = next((kid for kid in kids if kid.type == how.said), None)
        code = next((kid for kid in kids if kid.type == how.text), None)
        said = how.name.match(self.cut_text(about)) if about is not None else None
        if code is None or said is None:
            return None
        name = (said[1] or "").lower()
        read = tokens_in(how.languages.get(name, "") if how.languages else name, self.without(code, code.children))
        if read is None:
            return None
        inside: list[_Work] = [(code.start_byte, code.end_byte), OPEN + read[0], *read[1], CLOSE]
        return [part for kid in kids for part in (inside if kid.id == code.id else [kid])]

    def valued(self, kids: Sequence[Node]) -> list[_Work] | None:
        """An attribute whose value may be written in several ways; None where its letters count."""
        name, value = kids[0], kids[-1]
        if len(kids) < 2 or (self.mask is not None and any(self.is_name(node) for node in (value, *value.children))):
            return None
        found = self.style.literals[value.type].shape.fullmatch(self.cut_text(value)) if value.is_named else None
        if found is None:
            return None
        if not found["inner"]:
            return [name]
        rule = self.style.valued[1].get(self.cut_text(name).lower())
        if isinstance(rule, str):
            return [name, STRING + self.safe(RULES[rule](plain_breaks(found["inner"])))]
        read = tokens_in(rule[0], f"{rule[1]}{found['inner']}{rule[2]}") if rule and "&" not in found["inner"] else None
        return [name, *read[1]] if read is not None else None

    def without(self, node: Node, kids: Sequence[Node]) -> str:
        """The letters of a node without what is ignored in it."""
        written = self.cut_text(node)
        for kid in reversed(kids):
            # What joins lines is left to the rule.
            if kid.type in self.style.ignored and kid.type != "line_continuation":
                first, last = kid.start_byte - node.start_byte, kid.end_byte - node.start_byte
                written = written[:first] + written[last:]
        return written

    def in_order(self, kind: str, kids: Sequence[Node]) -> list[_Work]:
        """The brackets and the elements of a list whose order says nothing, sorted by their letters; where only that of
        keywords does not, these behind what else there is."""
        ordered = self.named(kids)
        if kind in self.style.unordered:
            ordered.sort(key=lambda kid: sorted(_WORD.findall(self.cut_text(kid))))
            ordered[:0] = [kid for kid in kids if kid.type in _OPENERS]
            ordered += [kid for kid in kids if kid.type in _CLOSERS]
        else:
            keywords = [kid for kid in kids if not kid.is_named or kid.type.endswith("_modifier")]
            ordered = [kid for kid in ordered if not kid.type.endswith("_modifier")]
            ordered += sorted(keywords, key=self.cut_text)
        out: list[_Work] = []
        for kid in ordered:
            out += [(_UNSEEN, kid.start_byte), kid]
        return [*out, (_UNSEEN, max((kid.end_byte for kid in kids), default=0))]

    def key(self, node: Node, kind: str) -> list[_Work]:
        """A key in quotes: the plain name, or the plain number, where it says the same."""
        pieces = self.pieces(node, kind, node.children)
        if pieces is None or pieces[0] or self.is_name(node):
            return [node]
        letters = "".join(part for part in pieces[1] if isinstance(part, str))
        return [(node.start_byte, node.end_byte), letters] if _KEY.fullmatch(letters) else [node]

    def summed(self, node: Node, kind: str) -> list[_Work] | None:
        """A chain of additions in which string literals stand side by side, these put together; None where none do.

        `(x + "a") + "b"` is `x + "ab"` whatever `x` is, and so is `x + ("a" + "b")`.
        """
        operands = self.operands(node, kind)
        parts: list[Node | tuple[str, str, int]] = []
        merged = False
        for operand in operands:
            constant = self.constant(operand, kind)
            # Where operators may be overloaded, only what a sum begins with is surely text.
            last = parts[-1] if parts and (len(parts) == 1 or not self.style.overloaded) else None
            if constant is not None and last is not None and not isinstance(last, Node) and last[0] == constant[0]:
                parts[-1] = (last[0], last[1] + constant[1], operand.end_byte)
                merged = True
            elif constant is not None:
                parts.append((*constant, operand.end_byte))
                merged = merged or operand.type not in self.style.literals
            else:
                parts.append(operand)
        if not merged:
            return None
        out: list[_Work] = [OPEN + kind] * (len(parts) - 1)
        for index, part in enumerate(parts):
            if index:
                out.append(self.style.summed[kind])
            if isinstance(part, Node):
                out += [(_UNSEEN, part.start_byte), part]
            else:
                out += [(_UNSEEN, part[2]), STRING + part[0] + ":" + part[1]]
            if index:
                out.append(CLOSE)
        return [*out, (_UNSEEN, node.end_byte)]

    def operands(self, node: Node, kind: str) -> list[Node]:
        """What a chain of additions adds, in order; none where it is something else."""
        found: list[Node] = []
        at: Node | None = node
        while at is not None and at.type == kind:
            self.no_sum.add(at.id)
            kids = at.children
            if len(kids) != 3 or kids[1].type != self.style.summed[kind]:
                break
            found.append(kids[2])
            at = kids[0]
        return [at, *reversed(found)] if at is not None and found else []

    def constant(self, node: Node, kind: str) -> tuple[str, str] | None:
        """What kind of string an operand is, and its value: a literal, or some of them added in brackets."""
        operands = [node]
        while len(operands) == 1 and operands[0].type in self.plan.groups:
            named = self.named(operands[0].children)
            if len(named) != 1:
                return None
            operands = self.operands(named[0], kind) or named
        tags, letters = set(), ""
        for operand in operands:
            literal = operand.type in self.style.literals
            pieces = self.pieces(operand, operand.type, operand.children) if literal else None
            if pieces is None or not all(isinstance(part, str) for part in pieces[1]):
                return None
            tags.add(pieces[0])
            letters += "".join(part for part in pieces[1] if isinstance(part, str))
        return (tags.pop(), letters) if len(tags) == 1 else None

    def trailing_comma(self, kind: str, kids: Sequence[Node]) -> int:
        """Index of a comma that says nothing, -1 where there is none."""
        least = self.style.commas.get(kind)
        if least is None:
            return -1
        index = len(kids) - 1
        while index >= 0 and (kids[index].type in _CLOSERS or kids[index].type in self.style.ignored):
            index -= 1
        if index < 1 or kids[index].type != ",":
            return -1
        before = index - 1
        while before >= 0 and kids[before].type in self.style.ignored:
            before -= 1
        if before < 0 or not kids[before].is_named:
            return -1
        enough = least == 1 or sum(kid.type == "," for kid in kids) >= least
        return index if enough else -1

    def may_go_anywhere(self, kind: str, inner: Node) -> bool:
        """Whether brackets say nothing because of what is in them, maybe in brackets once more."""
        while inner.type == kind:
            named = self.named(inner.children)
            if len(named) != 1:
                return False
            inner = named[0]
        return (kind, inner.type) in self.style.anywhere

    def unwrapped(self, wrapper: Node, kind: str) -> list[_Work] | None:
        """What stands in a wrapper that may go; None where it must stay."""
        style = self.style
        kids = wrapper.children
        named = self.named(kids)
        if not named or len(kids) < 3 or kids[0].type not in _OPENERS or kids[-1].type not in _CLOSERS:
            return None
        if kind in style.bare:
            name = named[0]
            while len(name.children) == 1:
                name = name.children[0]
            if len(named) != 1 or name.children or name.type not in style.names:
                return None
            return [(wrapper.start_byte, name.start_byte), name, (name.end_byte, wrapper.end_byte)]
        bare = style.retyped.get(kind)
        if bare is not None and len(named) == 1 and not any(kid.type == "," for kid in kids):
            # The grammar reads `(a) = b` as if it were `(a,) = b`. An annotation in `(a): int = b` is not kept.
            if wrapper.parent is not None and wrapper.parent.child_by_field_name("type") is not None:
                return None
            bare = None
        if bare is None and len(named) != 1:
            return None
        if bare is None:
            inner = self.without_brackets(kind, kids)
        else:
            # In it, what goes in its brackets goes without them too.
            inside = [
                (kid.start_byte, kid.end_byte) if isinstance(kid, Node) and kid.type in _WRAPPING else kid
                for kid in self.children(wrapper, kind, kids)
            ]
            inner = [OPEN + bare, *inside, CLOSE]
        label = self.marked(wrapper.start_byte, wrapper.end_byte)
        return inner if label is None else [_Begin(label), *inner, _End(label, -1)]

    def without_brackets(self, kind: str, kids: Sequence[Node]) -> list[_Work]:
        """The children of a wrapper, its brackets (or its lone operator) passed over, and those of wrappers in it."""
        before: list[_Work] = []
        after: list[_Work] = []
        while True:
            comma = self.trailing_comma(kind, kids)
            out: list[_Work] = [
                (kid.start_byte, kid.end_byte)
                if index == comma or (not kid.is_named and kid.type in _WRAPPING and not kid.is_missing)
                else kid
                for index, kid in enumerate(kids)
            ]
            inner = next((index for index, kid in enumerate(kids) if kid.type == kind), None)
            if (
                inner is None
                or (kind, "", kind) not in self.style.wrapped
                or len(self.named(kids[inner].children)) != 1
            ):
                return [*before, *out, *after]
            before += out[:inner]
            after[:0] = out[inner + 1 :]
            kids = kids[inner].children

    def string(self, node: Node, kind: str, kids: Sequence[Node], parent: str = "") -> list[_Work]:
        pieces = self.pieces(node, kind, kids, parent)
        if pieces is None and kind in self.style.unmarked:
            return self.between_quotes(kind, kids)
        if pieces is None:
            return [(node.start_byte, node.end_byte), WRITTEN + self.plain(self.cut_text(node))]
        tag, content = pieces
        passed = (node.start_byte, node.end_byte)
        if not self.style.literals[kind].holes or (tag != "format" and all(isinstance(part, str) for part in content)):
            return [passed, STRING + tag + ":" + "".join(part for part in content if isinstance(part, str))]
        return self.with_holes(tag, content, node.end_byte)

    def between_quotes(self, kind: str, kids: Sequence[Node]) -> list[_Work]:
        """Strings side by side in one node, of which the text has none: it counts to the letter inside of quotes."""
        out: list[_Work] = [OPEN + kind]
        at = -1
        for kid in kids:
            if at >= 0 and (letters := self.text[at - self.base : kid.start_byte - self.base]):
                out += [(_UNSEEN, kid.start_byte), WRITTEN + self.plain(letters)]
            quote = not kid.is_named and kid.type[-1] in _QUOTES
            at = kid.end_byte if (at < 0) is quote else -1
            out.append(kid)
        return [*out, CLOSE]

    def with_holes(self, tag: str, content: Sequence[Node | str], end: int) -> list[_Work]:
        """A string with code in it: what is text side by side is one token, what is code is walked."""
        out: list[_Work] = [OPEN + "string " + tag]
        text = ""
        for part in content:
            if isinstance(part, str):
                text += part
                continue
            if text:
                out.append(STRING + text)
                text = ""
            out += [(_UNSEEN, part.start_byte), part]
        if text:
            out.append(STRING + text)
        return [*out, (_UNSEEN, end), CLOSE]

    def pieces(
        self, node: Node, kind: str, kids: Sequence[Node], parent: str = ""
    ) -> tuple[str, list[Node | str]] | None:
        """What kind of string it is, and its decoded text and holes in order; None where that is not certain."""
        literal: Literal = self.style.literals[kind]
        written = self.cut_text(node)
        found = literal.shape.fullmatch(written)
        if found is None or node.has_error:
            return None
        prefix = "".join(sorted(found["prefix"].lower()))
        if prefix not in literal.escapes:
            return None
        escapes = literal.escapes[prefix]
        tag = literal.kinds.get(prefix, "")
        inner_start = node.start_byte + found.start("inner")
        inner_end = node.start_byte + found.end("inner")
        if parent in self.style.plain_in:
            escapes = None
        elif parent in self.style.exact_in:
            escapes, tag = None, "exact"
        holes = [kid for kid in kids if kid.type in literal.holes] if literal.holes else []
        content: list[Node | str] = []
        at = inner_start
        for stop, hole in [*((hole.start_byte, hole) for hole in holes), (inner_end, None)]:
            letters = self.text[at - self.base : stop - self.base]
            if literal.block and found["quote"].startswith('"""'):
                letters = text_block(letters)
            elif literal.folds:
                letters = flow_folded(plain_breaks(letters))
            elif parent in self.style.exact_in and "\\" in letters:
                # What is between the quotes is read by its letters; with an escape, the quotes are among them.
                return None
            value = decode(letters, escapes)
            if value is None:
                return None
            if tag == "format":
                value = value.replace("{{", "{").replace("}}", "}")
            if value:
                content.append(self.short(literal.short, self.safe(value)))
            if hole is not None:
                held = self.named(hole.children)
                if literal.short and len(held) == 1 and literal.short.fullmatch("$" + self.cut_text(held[0])):
                    content.append(_SHORT + self.cut_text(held[0]) + _SHORT)
                else:
                    content.append(hole)
                at = hole.end_byte
        return tag, content

    @staticmethod
    def short(pattern: re.Pattern[str] | None, value: str) -> str:
        """Text with what stands for a hole in place of those that are only a name."""
        if pattern is None:
            return value
        return pattern.sub(rf"{_SHORT}\1{_SHORT}", value.replace(_SHORT, _SHORT * 2))

    @staticmethod
    def safe(value: str) -> str:
        """A decoded value without letters that could pass for the end of a token or for a marker."""
        return CONTROL.sub(lambda found: f"\x07{ord(found[0])}\x07", value)

    def joined(self, node: Node, kids: Sequence[Node]) -> list[_Work] | None:
        """Strings side by side, which are one string; None where they are not certainly that."""
        tags: set[str] = set()
        content: list[Node | str] = []
        strings = [kid for kid in kids if kid.type not in self.style.ignored]
        after: list[_Work] = []
        if len(strings) > 1 and strings[-1].type in self.style.names:
            beside = node.next_sibling
            if beside is not None and beside.type == ":":
                # The grammar takes the name of an argument for a macro that stands for a string (Objective-C).
                keyword = strings.pop()
                after = [(_UNSEEN, keyword.start_byte), keyword]
        for kid in strings:
            if kid.type in self.style.names:
                # A macro that stands for a string (C).
                content.append(kid)
                continue
            pieces = self.pieces(kid, kid.type, kid.children) if kid.type in self.style.literals else None
            if pieces is None:
                return None
            tags.add(pieces[0])
            content += pieces[1]
        if len(tags) > 1:
            # What one part says of itself goes for all (C11, 6.4.5; Python, "String literal concatenation").
            tags.discard("")
        if len(tags) != 1:
            return None
        passed = (strings[0].start_byte, strings[-1].end_byte)
        if "format" in tags or not all(isinstance(part, str) for part in content):
            return [*self.with_holes(tags.pop(), content, passed[1]), *after]
        return [passed, STRING + tags.pop() + ":" + "".join(part for part in content if isinstance(part, str)), *after]

    def leaf_text(self, node: Node, kids: Sequence[Node], rule: str) -> list[_Work] | None:
        written = self.without(node, kids)
        if rule == "jsx":
            # An entity beside it belongs to the same text, and what is a line end there is not seen from here.
            beside = (node.prev_sibling, node.next_sibling)
            if not any(other is not None and other.type == "html_character_reference" for other in beside):
                written = jsx_lines(written)
        elif rule == "trim":
            written = written.strip()
        elif rule == "ruby here-document":
            before = self.text[: node.start_byte - self.base].rpartition("\n")[2]
            code = any(kid.type == "interpolation" and kid.start_point.row < kid.end_point.row for kid in kids)
            written = ruby_here_document(plain_breaks(written), before, code)
        elif rule == "preprocessor":
            written = _preprocessed(plain_breaks(written))
        else:
            written = RULES[rule](plain_breaks(written))
        passed: list[_Work] = [(node.start_byte, node.end_byte)]
        if rule == "words":
            # Word by word, as they are where a comment stands between two of them.
            for number, word in enumerate(self.safe(written).split(" ")):
                passed += [*([BETWEEN + "space"] if number else []), WRITTEN + word]
            return passed
        return [*passed, WRITTEN + self.safe(written)] if written else passed

    def documents_next(self, string: Node, kind: str) -> bool:
        """Whether a string stands on the lines before what it documents."""
        after = string.next_sibling
        while after is not None and after.type in self.style.ignored:
            after = after.next_sibling
        if after is None or after.type not in self.style.documents[kind]:
            return False
        return after.start_point.row > string.end_point.row

    def note_documentation(self, kind: str, kids: Sequence[Node]) -> None:
        """Finds the string that documents a definition, so that it is left out."""
        body_kind = self.style.documented[kind]
        if body_kind:
            kids = next((kid.children for kid in reversed(kids) if kid.type == body_kind), [])
        first = next((kid for kid in kids if kid.type not in self.style.ignored), None)
        if first is None or first.type != "expression_statement" or len(first.children) != 1:
            return
        string = first.children[0]
        parts = string.children if string.type in self.style.joined else [string]
        for part in parts:
            if part.type in self.style.ignored:
                continue
            if part.type not in self.style.literals:
                return
            pieces = self.pieces(part, part.type, part.children)
            if pieces is None or pieces[0]:
                return
        self.skip.add(first.id)

    def note_names(self, kind: str, kids: Sequence[Node]) -> None:
        """Remembers which children are certainly the masked name, and which certainly are not."""
        style = self.style
        if kind in style.access and len(kids) >= 2 and self.cut_text(kids[0]) in style.own:
            named = [kid for kid in kids[1:] if kid.is_named and not kid.children]
            if named:
                self.own_name.add(named[0].id)
            return
        for index in self.plan.foreign.get(kind, ()):
            if index < len(kids):
                self.not_name.add(kids[index].id)

    def is_name(self, node: Node) -> bool:
        """Whether a node is the definition's name, or that in quotes."""
        mask = self.mask
        if mask is None:
            return False
        before, after = mask.start - node.start_byte, node.end_byte - mask.start - len(mask.name)
        return 0 <= before <= 1 and before == after

    def is_own_name(self, node: Node, kind: str, written: str) -> bool:
        mask = self.mask
        if mask is None or written != mask.name:
            return False
        if node.start_byte == mask.start or node.id in self.own_name:
            return True
        return mask.uses and kind in self.style.names and node.id not in self.not_name


@lru_cache(maxsize=EMBEDDED)
def tokens_in(name: str, code: str) -> tuple[str, tuple[str, ...]] | None:
    """The language's name and the canonical tokens of code in a language that a text calls so, where it is whole and
    without errors; None where that is not known or not so. People read it, so its comments count: their words, and
    behind which token they stand."""
    code = plain_breaks(code)
    language = language_for(f"_.{name}") or language_for("", name)
    if language is None or language.extra or language.joints or language.unread is not None:
        # What has no grammar everywhere has the same tokens everywhere.
        return None
    style = _read_by_people(language)
    try:
        tree = language.parser.parse(code.encode("latin-1"))
    except ValueError:
        language.parser.reset()
        return None
    if tree.root_node.has_error or any(not how.languages for how in style.embedded.values()):
        # What may hold any language may hold itself, as deep as it likes.
        return None
    found = canonical([tree.root_node], code, 0, style, placed=True)
    leaves = [at for item, at in zip(found.items, found.starts, strict=True) if item[0] != OPEN and item[0] != CLOSE]
    comments: list[str] = []
    todo = [tree.root_node]
    while todo:
        node = todo.pop()
        if node.type in style.ignored and node.type in COMMENTS:
            words = " ".join(code[node.start_byte : node.end_byte].split())
            comments.append(f"{WRITTEN}{bisect_left(leaves, node.start_byte)} {words}")
        else:
            todo += reversed(node.children)
    return language.name, (*found.items, *comments)


@cache
def _read_by_people(language: Language) -> Style:
    """A language's table with documentation, and without directives, which are comments as well."""
    return replace(style_for(language.style_table), directives=None, documented={}, documents={})


class _Plan(NamedTuple):
    """A style table turned round for the walk: by node type."""

    special: frozenset[str]
    places: Mapping[str, Mapping[str, frozenset[str]]]
    nested: Mapping[str, Mapping[str, frozenset[str]]]
    open_anywhere: frozenset[str]
    string_parents: frozenset[str]
    foreign: Mapping[str, tuple[int, ...]]
    between: str
    keys: Mapping[str, frozenset[str]]
    hollow: Mapping[str, frozenset[str]]
    rules: Mapping[str, Mapping[str, str]]
    groups: frozenset[str]


@cache
def _plan(table: Style) -> _Plan:
    places: dict[str, dict[str, set[str]]] = {}
    for parent, name, wrapper in table.wrapped:
        places.setdefault(parent, {}).setdefault(wrapper, set()).add(name)
    nested: dict[str, dict[str, set[str]]] = {}
    for parent, wrapper, inner in table.nested:
        nested.setdefault(parent, {}).setdefault(wrapper, set()).add(inner)
    foreign: dict[str, list[int]] = {}
    for parent, index in table.foreign:
        foreign.setdefault(parent, []).append(index)
    keys: dict[str, set[str]] = {}
    for parent, name in table.keys:
        keys.setdefault(parent, set()).add(name)
    hollow: dict[str, set[str]] = {}
    for parent, child in table.hollow:
        hollow.setdefault(parent, set()).add(child)
    rules: dict[str, dict[str, str]] = {}
    for parent, child, rule in table.texts_in:
        rules.setdefault(parent, {})[child] = rule
    open_anywhere = frozenset(wrapper for wrapper, _ in table.anywhere)
    string_parents = table.exact_in | table.plain_in
    special = (
        set(places)
        | set(nested)
        | set(table.commas)
        | set(table.dropped)
        | set(table.documented)
        | set(table.documents)
        | set(table.silent)
        | set(table.literals)
        | table.joined
        | table.numbers
        | set(table.texts)
        | {table.exact[0]}
        | set(table.spelled)
        | set(table.spaced)
        | set(table.whole)
        | set(table.summed)
        | table.unordered
        | table.loose
        | set(keys)
        | set(hollow)
        | set(rules)
        | {table.numbered[0], table.indented[0], table.valued[0]}
        | set(table.embedded)
        | set(table.folded)
        | set(table.bodied)
        | table.lone
        | open_anywhere
        | table.verbatim
        | string_parents
        | ({"expression_statement"} if table.documented else set())
    )
    return _Plan(
        frozenset(special),
        _frozen(places),
        _frozen(nested),
        open_anywhere,
        string_parents,
        {parent: tuple(indexes) for parent, indexes in foreign.items()},
        table.separators + " \t\r\n\f",
        {parent: frozenset(names) for parent, names in keys.items()},
        {parent: frozenset(kinds) for parent, kinds in hollow.items()},
        rules,
        frozenset(wrapper for _, _, wrapper in table.wrapped) | open_anywhere,
    )


def _frozen(table: Mapping[str, Mapping[str, set[str]]]) -> dict[str, dict[str, frozenset[str]]]:
    return {parent: {wrapper: frozenset(found) for wrapper, found in by.items()} for parent, by in table.items()}


@cache
def _is_textual(kind: str) -> bool:
    return _TEXTUAL.search(kind) is not None


_TEXTUAL = re.compile("string|char|regex|heredoc|quoted")

_UNSEEN = -1
"""Start of a stretch to pass over with all that stands before it."""

_SHORT = "\x1c"
"""Around the name in a hole that holds nothing else. Of a text that has this letter, it is written twice."""

_NONE: frozenset[str] = frozenset()
_QUOTES = frozenset("\"'")
_OPENERS = frozenset("([{<") | {"begin"}
_CLOSERS = frozenset(")]}>") | {"end", "tuple_end", "object_end"}
_NEVER = 1 << 62
_WRAPPING = frozenset({"(", ")", "|", "&", "{", "}", "begin", "end"})
_WORD = re.compile(r"[^\W_]+|[^\s,]")
_KEY = re.compile(r"[A-Za-z_$][\w$]*|0|[1-9][0-9]{0,8}", re.ASCII)
_RETURNED = re.compile(r"\breturn\b[ \t]*[^\s}@;]")
_QUOTED = re.compile(r"['\"`$]")
_CONTINUED = re.compile(r"\\\r?\n")

_PREPROCESSOR = re.compile(
    r"""/\*.*?\*/|//[^\n]*|\s+
    |((?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
    |"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'
    |[A-Za-z_$\x80-\xff][\w$\x80-\xff]*
    |\.?[0-9](?:[eEpP][+-]|[\w.'])*
    |<<=|>>=|<=>|\.\.\.|->\*|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|::|.)""",
    re.DOTALL | re.VERBOSE,
)


def _preprocessed(text: str) -> str:
    """A macro's preprocessing tokens, a space between any two (C11, 5.1.1.2, phases 2 and 3, and 6.4)."""
    joined = text.replace("\\\n", "")
    return " ".join(found[1] for found in _PREPROCESSOR.finditer(joined) if found[1])
