"""Fingerprints: what a symbol, a region or a file is, in several strengths.

Knows which tokens of `core.canonical` make which hash. Refuses to know what a difference between two fingerprints means
(`core.drift`) and how they are stored (`core.fingerprint_json`).

Hashes are SHA-256 in lower-case hex; those of parts, members and siblings are cut to `CUT` digits, because they only
tell which part of a thing already known to differ it was.

Own names: for a rename, the name where it is defined is masked, and every use of it that is surely the symbol itself:
for functions, classes and variables each plain identifier of that name, for members only uses through `self` or `this`.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from tree_sitter import Node

from lsp_server.core import broken, sketch
from lsp_server.core.canonical import CLOSE, MEMBER, OPEN, WRITTEN, Cut, Mask, Tokens, canonical
from lsp_server.core.definitions import CALLABLES, CONTAINERS, VALUES
from lsp_server.core.fingerprint_json import from_json, to_json
from lsp_server.core.literals import plain_breaks
from lsp_server.core.model import SCHEME, Fingerprint, Point, Symbol
from lsp_server.core.source import Source
from lsp_server.core.style import Style, style_for

__all__ = [
    "LIMIT",
    "content_of",
    "fingerprint",
    "fingerprint_file",
    "fingerprint_region",
    "from_json",
    "to_json",
]

LIMIT = 16 * 1024
"""Most bytes of code that a baseline keeps inline."""

CUT = 16
"""Hex digits of a cut hash: 64 bits, far more than telling a few parts apart needs."""

TRIVIAL_BODY = 4
TRIVIAL_WHOLE = 16
"""A symbol with fewer tokens in its body (`pass`, `return 1`, `return self.x` without more around it) or in all says
too little to be known again under another name or in another file: it is in half of all classes."""

REGION_WORDS = 12
"""A region of fewer tokens is only found again beside something of what stood around it."""

CONTEXT_LINES = 3
"""Lines before and after a region by which it is found again."""

MEMO = 2048
"""Symbols whose code is remembered by their text: about the definitions of a few large files."""

KEPT_TEXT = 1024
"""Bytes of a text up to which it is a key itself; of a longer one its SHA-256 is, which is smaller."""


def fingerprint(source: Source, symbol: Symbol) -> Fingerprint:
    """The fingerprint of a symbol. Raises ValueError for a symbol of another source."""
    text, outline, language = source.text, source.outline, source.language
    if text is None or outline is None or language is None:
        raise ValueError(f"{source.path} has no outline: anchor to lines or to the whole file")
    code = code_of(source, symbol)
    likeness = likeness_of(source, symbol)
    twins = [other for other in outline.by_path(symbol.path) if other.start != symbol.start]
    siblings = [code_of(source, other) for other in twins]
    return Fingerprint(
        scheme=SCHEME,
        kind="symbol",
        file_sha256=file_hash(source),
        text=text_hash(text.slice(symbol.start, symbol.end)),
        code=code.code,
        masked=likeness.masked,
        interface=code.interface,
        own=code.own,
        members=dict(code.members),
        parts=dict(code.parts),
        siblings=tuple((other.interface[:CUT], other.code[:CUT]) for other in siblings),
        occurrence=symbol.occurrence,
        sketch=sketch.encode(likeness.shingles),
        tokens=likeness.tokens,
        trivial=likeness.trivial,
        symbol_kind=symbol.kind,
        language=language.name,
        grammar=language.version,
        peers=sketch.paths_mark(other.path for other in outline.symbols if other.path != symbol.path),
        errors=broken.marks(source),
    )


def fingerprint_region(source: Source, lines: tuple[int, int]) -> Fingerprint:
    """The fingerprint of lines `lines` (from 1, inclusive; clamped to the text)."""
    if source.text is None:
        raise ValueError(f"{source.path} could not be read: {source.message or 'there is no text'}")
    first, last = clamp(source, lines)
    start, end = line_bytes(source, (first, last))
    text = source.text
    leaves = region_tokens(source, start, end)
    language = source.language
    parsed = language is not None and source.tree is not None
    before = text.slice(line_bytes(source, (max(1, first - CONTEXT_LINES), first))[0], start)
    after = text.slice(end, line_bytes(source, (last, min(text.line_count, last + CONTEXT_LINES)))[1])
    return Fingerprint(
        scheme=SCHEME,
        kind="region",
        file_sha256=file_hash(source),
        text=text_hash(_region_text(text.slice(start, end))),
        # Lines without a token, comments alone, are judged by their text.
        code=digest(leaves) if parsed and leaves else "",
        sketch=sketch.encode(sketch.shingles(leaves)),
        tokens=len(leaves),
        trivial=len(leaves) < REGION_WORDS,
        language=language.name if language is not None else "",
        grammar=language.version if language is not None and parsed else "",
        context=(_shown(before), _shown(after)),
        errors=broken.marks(source),
    )


def fingerprint_file(source: Source) -> Fingerprint:
    """The fingerprint of a whole file."""
    text, language = source.text, source.language
    if text is None:
        raise ValueError(f"{source.path} could not be read: {source.message or 'there is no text'}")
    parsed = language is not None and source.tree is not None
    tokens = file_tokens(source)
    leaves = tokens.leaves if parsed else bytes(text).decode("latin-1").split()
    return Fingerprint(
        scheme=SCHEME,
        kind="file",
        file_sha256=file_hash(source),
        text=text_hash(bytes(text)),
        code=digest(tokens.items) if parsed else "",
        sketch=sketch.encode(sketch.shingles(leaves)),
        tokens=len(leaves),
        trivial=len(leaves) < TRIVIAL_WHOLE,
        language=language.name if language is not None else "",
        grammar=language.version if language is not None and parsed else "",
        errors=broken.marks(source),
    )


def content_of(source: Source, what: Symbol | tuple[int, int] | None) -> str:
    """The text that a baseline keeps of a symbol, of lines, or (None) of the whole file.

    A symbol's first line keeps its indentation, so that the text can be shown, and parsed, by itself.
    """
    text = source.text
    if text is None:
        return ""
    if what is None:
        return _shown(bytes(text))
    if isinstance(what, Symbol):
        return _shown(indentation(source, what.start) + text.slice(what.start, what.end))
    return _shown(text.slice(*line_bytes(source, clamp(source, what))))


class Code(NamedTuple):
    """What is compared at every look: position-free, so that it can be remembered by the symbol's text."""

    code: str
    interface: str
    own: str
    members: tuple[tuple[str, str], ...]
    parts: tuple[tuple[str, str], ...]


class Likeness(NamedTuple):
    """What is compared when a symbol is looked for under another name."""

    masked: str
    shingles: sketch.Sketch
    tokens: int
    trivial: bool


def code_of(source: Source, symbol: Symbol) -> Code:
    """The code of a symbol, remembered by its text."""
    return _code_of(source, symbol, _outer(source, symbol))


def _code_of(source: Source, symbol: Symbol, outer: Symbol | None) -> Code:
    if symbol.broken:
        # An error around it may have it read otherwise than its text alone would be.
        return _code(source, symbol, remember=True)
    key = _key(source, symbol, outer)
    found = _codes.get(key)
    if found is None:
        found = _code(source, symbol, remember=True)
        _codes.put(key, found)
    return found


def likeness_of(source: Source, symbol: Symbol) -> Likeness:
    """The likeness of a symbol, remembered by its text."""
    if symbol.broken:
        return fresh_likeness(source, symbol)
    key = _key(source, symbol, _outer(source, symbol))
    found = _likenesses.get(key)
    if found is None:
        found = fresh_likeness(source, symbol)
        _likenesses.put(key, found)
    return found


def fresh_code(source: Source, symbol: Symbol) -> Code:
    """The slow twin of `code_of`: the same without anything remembered."""
    return _code(source, symbol, remember=False)


def _code(source: Source, symbol: Symbol, remember: bool) -> Code:
    parts = parts_of(source, symbol)
    body_label = "body" if symbol.kind in CALLABLES or symbol.kind in CONTAINERS or symbol.container else "value"
    marks = {span: f"{label}\0{number}" for number, (span, label) in enumerate(parts)}
    tail = _rest(source, symbol, f"{body_label}\0body")
    if symbol.body is not None and tail is None:
        marks[symbol.body] = f"{body_label}\0body"
        marks |= {span: f"{body_label}\0trail{number}" for number, span in enumerate(_trailing(source, symbol))}
    cuts = _cuts(source, symbol, remember) if symbol.container else None
    tokens = _tokens(source, symbol, marks, cuts, remember=remember, rest=tail)
    items = tokens.items
    body = next((span for label, span in tokens.spans.items() if label.endswith("\0body")), (len(items), len(items)))
    trail = sorted(span for label, span in tokens.spans.items() if "\0trail" in label)
    body_hash = digest(itertools.chain(items[slice(*body)], *(items[slice(*span)] for span in trail)))
    body_hash = body_hash if body[0] < body[1] else ""
    head = [*items[: body[0]], *items[body[1] :]]
    for first, stop in reversed(trail):
        del head[first - (body[1] - body[0]) : stop - (body[1] - body[0])]
    header = _header(source, symbol)
    own = ""
    members: tuple[tuple[str, str], ...] = ()
    if symbol.container:
        own = digest([item.split(MEMBER)[1] if item[0] == MEMBER else item for item in items])
        members = tuple(_numbered(item.split(MEMBER)[1:] for item in items if item[0] == MEMBER))
    by_label: dict[str, list[str]] = {}
    rest: list[str] = []
    last = 0
    for label, (first, stop) in sorted(tokens.spans.items(), key=lambda entry: entry[1]):
        if first < last:
            continue
        rest += items[last:first]
        name, _, number = label.partition("\0")
        by_label.setdefault(name, []).extend([body_hash] if number == "body" else items[first:stop])
        last = stop
    rest += items[last:]
    by_label["declaration"] = [item for item in rest if item[0] != OPEN and item[0] != CLOSE]
    return Code(
        code=digest([*items[: body[0]], body_hash, *items[body[1] :]]) if body_hash else digest(items),
        interface=digest([*header, *head]),
        own=own,
        members=members,
        parts=tuple(sorted((label, digest(found)[:CUT]) for label, found in by_label.items() if found)),
    )


def fresh_likeness(source: Source, symbol: Symbol) -> Likeness:
    """The slow twin of `likeness_of`."""
    uses = symbol.kind in CONTAINERS or symbol.kind in ("function", "variable", "constant", "type")
    mask = Mask(_latin(source, symbol.name_start, symbol.name_end), symbol.name_start, uses)
    tail = _rest(source, symbol, "body")
    bodies = [symbol.body, *_trailing(source, symbol)] if symbol.body is not None and tail is None else []
    marks = {span: f"body{number}" for number, span in enumerate(bodies)}
    tokens = _tokens(source, symbol, marks, None, mask, rest=tail)
    leaves = _words(tokens.items)
    if tokens.spans:
        body = sum(len(_words(tokens.items[slice(*span)])) for span in tokens.spans.values())
    else:
        body = len(leaves)
    return Likeness(
        masked=digest(tokens.items),
        shingles=sketch.cut(sketch.shingles(leaves)),
        tokens=len(leaves),
        trivial=body < TRIVIAL_BODY or len(leaves) < TRIVIAL_WHOLE,
    )


def _words(items: Iterable[str]) -> list[str]:
    """The tokens without the markers of structure. Of a text that counts as written each word is one: prose and
    commands are as much alike as their words are."""
    found: list[str] = []
    for item in items:
        if item[0] == WRITTEN and (" " in item or "\n" in item):
            found += item.split()
        elif item[0] != OPEN and item[0] != CLOSE:
            found.append(item)
    return found


def text_hash(data: bytes) -> str:
    """SHA-256 of text with LF for every line end and without a byte order mark."""
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return hashlib.sha256(data).hexdigest()


def file_hash(source: Source) -> str:
    """SHA-256 of the file's own bytes, its byte order mark among them: what `sha256sum` says of it."""
    text = source.text
    if text is None:
        return ""
    return hashlib.sha256(b"\xef\xbb\xbf" + bytes(text)).hexdigest() if text.bom else text.sha256()


def without_directives(source: Source, symbol: Symbol) -> bytes | None:
    """The text of a symbol from behind the comments and pragmas above it that are part of it; None where none are."""
    nodes = source.nodes(symbol)
    first = next((node for node in nodes if node.type not in (*_style(source).ignored, "preproc_call")), nodes[0])
    if first.id == nodes[0].id or source.text is None:
        return None
    return source.text.slice(first.start_byte, symbol.end)


def digest(items: Iterable[str]) -> str:
    """SHA-256 of tokens, each ended by a NUL, which no token holds."""
    return hashlib.sha256("\0".join(items).encode("latin-1")).hexdigest()


def file_tokens(source: Source) -> Tokens:
    """The canonical tokens of a whole file, none where it has no tree."""
    if source.tree is None or source.text is None:
        return Tokens()
    text = bytes(source.text).decode("latin-1")
    return canonical([source.tree.root_node], text, 0, _style(source))


def region_tokens(source: Source, start: int, end: int) -> list[str]:
    """The canonical tokens that begin in some lines, each with how deep it is nested below the shallowest of them;
    words where the file has no tree."""
    assert source.text is not None
    if source.tree is None or source.language is None:
        return source.text.slice(start, end).decode("latin-1").split()
    nodes = _around(source.tree.root_node, start, end)
    if not nodes:
        return []
    base = nodes[0].start_byte
    tokens = canonical(nodes, _latin(source, base, nodes[-1].end_byte), base, _style(source), placed=True)
    depth = 0
    found: list[tuple[int, str]] = []
    for item, at in zip(tokens.items, tokens.starts, strict=True):
        if item[0] == OPEN:
            depth += 1
        elif item[0] == CLOSE:
            depth -= 1
        elif start <= at < end:
            found.append((depth, item))
    floor = min((level for level, _ in found), default=0)
    return [f"{level - floor}{OPEN}{item}" for level, item in found]


def _around(root: Node, start: int, end: int) -> list[Node]:
    """The nodes to walk for the tokens between two bytes: what covers them all, with what is around that and says what
    is documentation in it; of the root only the children that are touched."""
    cover = root.descendant_for_byte_range(start, max(start, end - 1)) or root
    if cover.id != root.id and cover.parent is not None:
        cover = cover.parent
    if cover.id != root.id:
        return [cover]
    return [child for child in root.children if child.start_byte < end and child.end_byte > start]


def clamp(source: Source, lines: tuple[int, int]) -> tuple[int, int]:
    """`lines` within the text, the first no later than the last."""
    count = source.text.line_count if source.text is not None else 1
    first = min(max(1, lines[0]), count)
    return first, min(max(first, lines[1]), count)


def line_bytes(source: Source, lines: tuple[int, int]) -> tuple[int, int]:
    """Start of the first and end (with its line end) of the last of `lines`, from 1."""
    assert source.text is not None
    first, last = lines
    text = source.text
    end = len(text) if last >= text.line_count else text.offset(Point(last, 0))
    return text.offset(Point(first - 1, 0)), end


def indentation(source: Source, offset: int) -> bytes:
    """The white space between the start of a line and `offset`, empty where something else stands there."""
    assert source.text is not None
    column = source.text.point(offset).column
    before = source.text.slice(offset - column, offset)
    return before if not before.strip() else b""


def _region_text(data: bytes) -> bytes:
    return data.rstrip(b"\r\n")


def _shown(data: bytes) -> str:
    """Text as a person reads it: LF line ends; bytes that are no UTF-8 as U+FFFD."""
    try:
        return plain_breaks(data.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return plain_breaks(data.decode("utf-8", "replace"))


def _style(source: Source) -> Style:
    assert source.language is not None
    return style_for(source.language.style_table)


def _latin(source: Source, start: int, end: int) -> str:
    assert source.text is not None
    return source.text.slice(start, end).decode("latin-1")


def _tokens(
    source: Source,
    symbol: Symbol,
    marks: dict[tuple[int, int], str],
    cuts: dict[int, Cut] | None,
    mask: Mask | None = None,
    remember: bool = True,
    rest: tuple[int, str] | None = None,
) -> Tokens:
    nodes = source.nodes(symbol)
    start = min(symbol.start, nodes[0].start_byte)
    text = _latin(source, start, max(symbol.end, nodes[-1].end_byte))
    return canonical(
        nodes, text, start, _style(source), marks=marks, cuts=cuts, mask=mask, remember=remember, rest=rest
    )


def _rest(source: Source, symbol: Symbol, label: str) -> tuple[int, str] | None:
    """Where the body begins and its mark, where it is no node but all that is left of the definition."""
    assert source.outline is not None
    if symbol.body is None or not source.outline.definition(symbol).headed:
        return None
    return symbol.body[0], label


def _cuts(source: Source, symbol: Symbol, remember: bool) -> dict[int, Cut]:
    """What stands for each member of a container: its name and its code."""
    assert source.outline is not None
    cuts: dict[int, Cut] = {}
    for child in source.outline.children(symbol):
        if child.kind in CALLABLES or child.kind in CONTAINERS or (child.container and child.kind not in VALUES):
            cuts.setdefault(child.start, Cut(child.end, _member_token(source, child, symbol, remember)))
    return cuts


def _member_token(source: Source, symbol: Symbol, outer: Symbol, remember: bool) -> Callable[[], str]:
    def token() -> str:
        name = symbol.name.encode("utf-8", "surrogatepass").decode("latin-1")
        code = _code_of(source, symbol, outer) if remember else fresh_code(source, symbol)
        return f"{MEMBER}{name}{MEMBER}{code.code}"

    return token


def _numbered(found: Iterable[Sequence[str]]) -> Iterable[tuple[str, str]]:
    """Members by name; the second of one name is `name[2]`, as in a path."""
    times: dict[str, int] = {}
    for name, code in found:
        shown = name.encode("latin-1").decode("utf-8", "replace")
        times[shown] = times.get(shown, 0) + 1
        yield (shown if times[shown] == 1 else f"{shown}[{times[shown]}]"), code[:CUT]


_PARTS = {
    "parameters": "parameters",
    "parameter": "parameters",
    "return_type": "return type",
    "result": "return type",
    "type": "type",
    "superclasses": "bases",
    "superclass": "bases",
    "interfaces": "bases",
    "bounds": "bases",
    "trait": "bases",
    "type_parameters": "type parameters",
    "receiver": "receiver",
    "name": "name",
    "kind": "declaration",
    "decorator": "decorators",
    "modifiers": "modifiers",
    "throws": "throws",
    "class_heritage": "bases",
    "base_class_clause": "bases",
    "attribute_item": "attributes",
    "visibility_modifier": "modifiers",
    "accessibility_modifier": "modifiers",
    "where_clause": "where clause",
    "extends_type_clause": "bases",
    "extends_interfaces": "bases",
}
"""What a part is called, by field name, else by node type; the rest is called the declaration."""


def parts_of(source: Source, symbol: Symbol) -> list[tuple[tuple[int, int], str]]:
    """The named parts of a symbol other than its body, by byte range: children with a known field or type on the way
    from the nodes that cover it down to its body."""
    body = symbol.body
    found: list[tuple[tuple[int, int], str]] = []
    level: Node | None = None
    siblings = source.nodes(symbol)
    fields: list[str | None] = [None] * len(siblings)
    while True:
        below = None
        for node, name in zip(siblings, fields, strict=True):
            span = (node.start_byte, node.end_byte)
            holds_body = body is not None and span[0] <= body[0] and body[1] <= span[1] and span != body
            holds_name = span[0] <= symbol.name_start and symbol.name_end <= span[1] and node.child_count > 0
            label = _PARTS.get(name or "") or _PARTS.get(node.type)
            if (holds_body or (body is None and holds_name) or (holds_name and label is None)) and span != body:
                below = node if below is None or holds_body else below
            elif label is not None and span != body:
                found.append((span, label))
        if below is None or below == level:
            return found
        level = below
        siblings = below.children
        fields = [below.field_name_for_child(index) for index in range(len(siblings))]


def _trailing(source: Source, symbol: Symbol) -> list[tuple[int, int]]:
    """The parts of a body behind its first one: those of further clauses, and what stands behind the definition, as
    here-documents do."""
    assert source.language is not None and source.outline is not None and symbol.body is not None
    more = [(symbol.start + start, symbol.start + end) for start, end in source.outline.definition(symbol).more]
    if not (types := source.language.trailing):
        return more
    return more + [
        (node.start_byte, node.end_byte)
        for node in source.nodes(symbol)
        if node.type in types and node.start_byte >= symbol.body[1]
    ]


def _header(source: Source, symbol: Symbol) -> list[str]:
    """The head of the `impl` around a member: it tells apart members of one path (`impl From<u8> for X`,
    `impl From<i32> for X`)."""
    assert source.outline is not None
    for outer in source.outline.ancestors(symbol)[:1]:
        if outer.kind == "impl" and outer.body is not None:
            nodes = source.nodes(outer)
            start = min(outer.start, nodes[0].start_byte)
            text = _latin(source, start, max(outer.end, nodes[-1].end_byte))
            cut = {outer.body[0]: Cut(outer.body[1], lambda: MEMBER)}
            return canonical(nodes, text, start, _style(source), cuts=cut).items
    return []


_Key = tuple[object, ...]


def _key(source: Source, symbol: Symbol, outer: Symbol | None) -> _Key:
    """All that a symbol's code depends on, and no position: its text, what the outline says of it, and what is around
    it (`outer`), which says how the text is read. White space at its ends is no part of the symbol, and may be of its
    node (the section of a Markdown heading that is indented)."""
    text, language, outline = source.text, source.language, source.outline
    assert text is not None and language is not None and outline is not None
    start = symbol.start
    definition = outline.definition(symbol)
    lead, tail = min(0, definition.node[0]), max(symbol.end - start, definition.node[1])
    written = text.slice(start + lead, start + tail)
    body = symbol.body
    around: object = outer and outer.kind
    if outer is not None and outer.kind == "impl" and outer.body is not None:
        around = text.slice(outer.start, outer.body[0])
    return (
        language.name,
        written if len(written) <= KEPT_TEXT else hashlib.sha256(written).digest(),
        lead,
        symbol.end - start,
        symbol.name_start - start,
        body and (body[0] - start, body[1] - start),
        symbol.kind,
        symbol.container,
        definition.node_type,
        definition.wraps,
        definition.more,
        around,
    )


def _outer(source: Source, symbol: Symbol) -> Symbol | None:
    assert source.outline is not None
    return next(iter(source.outline.ancestors(symbol)), None)


_T = TypeVar("_T")


class _Memo(Generic[_T]):
    """A bounded memory of pure results; the oldest goes first. Wrong answers are impossible, lost ones are computed."""

    def __init__(self) -> None:
        self._found: dict[_Key, _T] = {}

    def get(self, key: _Key) -> _T | None:
        return self._found.get(key)

    def put(self, key: _Key, value: _T) -> None:
        if len(self._found) >= MEMO:
            for old in list(self._found)[: MEMO // 4]:
                self._found.pop(old, None)
        self._found[key] = value


_codes: _Memo[Code] = _Memo()
_likenesses: _Memo[Likeness] = _Memo()
