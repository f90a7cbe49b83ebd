"""One text with its language, syntax tree and outline, from scratch or after an edit.

Knows what is parsed, for how long, and how big it may be. Refuses to know files and documents: whoever reads a text
says what became of it. Nothing in a text is an error: what cannot be parsed is a `Source` with a message.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tree_sitter import Node, Tree

from lsp_server.core.definitions import TookTooLong
from lsp_server.core.languages import SECONDS, Language, depends_on_text, language_for
from lsp_server.core.model import SourceState, Symbol
from lsp_server.core.outline import Outline, outline_after, outline_of
from lsp_server.core.text import Edit, Text

MAX_BYTES = 8 * 1024 * 1024
"""A larger text is not parsed."""

MAX_LINES = 200_000
"""A text of more lines is not parsed."""

_BEGINNING = 65536
"""Bytes of a text that take part in the choice of its language."""

_NUL_PREFIX = 8192
"""Bytes at the beginning of a text in which a NUL says that it is no text (git looks at 8,000)."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A text as it is known. `text` is None where there is none; `tree` and `outline` where it was not parsed: no
    grammar
    for it, or not `state` OK; `message` then says why, in one sentence with a mend."""

    path: str
    state: SourceState
    text: Text | None = None
    language: Language | None = None
    tree: Tree | None = None
    outline: Outline | None = None
    message: str = ""
    settled: bool = True
    """False where, after an edit, a syntax error is somewhere in the text: how the parser recovers from an error
    depends on what was there before it, so that `read_source` might give another tree. `settle_source` does away with
    that."""

    def node(self, symbol: Symbol) -> Node:
        """The definition node itself, without decorators, `export` or attributes. Raises ValueError for a symbol of
        another source."""
        outline, root = self._parsed()
        definition = outline.definition(symbol)
        start, end = (symbol.start + offset for offset in definition.node)
        node = root.descendant_for_byte_range(start, end)
        while node is not None and (
            node.type != definition.node_type or (node.start_byte, node.end_byte) != (start, end)
        ):
            node = node.parent
        if node is None:
            raise ValueError(f"{symbol.path} is no symbol of this source: look it up in the present outline")
        return node

    def nodes(self, symbol: Symbol) -> list[Node]:
        """The sibling nodes that cover `symbol`: leading attributes and what is between, the definition with its
        wrappers (`decorated_definition`, `export_statement`, ...), and what trails it. Raises ValueError as `node`
        does."""
        outline, _ = self._parsed()
        top = self.node(symbol)
        for _ in range(outline.definition(symbol).wraps):
            parent = top.parent
            assert parent is not None
            top = parent
        nodes = [top]
        before, around = top.prev_sibling, top
        while before is None and symbol.start < top.start_byte and (parent := around.parent) is not None:
            before, around = parent.prev_sibling, parent
        while before is not None and before.start_byte >= symbol.start:
            nodes.insert(0, before)
            before = before.prev_sibling
        after = top.next_sibling
        while after is not None and after.start_byte < symbol.end:
            nodes.append(after)
            after = after.next_sibling
        return nodes

    def name_node(self, symbol: Symbol) -> Node:
        """The node of the name. Raises ValueError as `node` does."""
        return self._covering(symbol.name_start, symbol.name_end)

    def body_node(self, symbol: Symbol) -> Node | None:
        """The node of the body or value, None where there is none. Raises ValueError as `node` does."""
        if symbol.body is None:
            return None
        # A body of one statement covers what the statement covers, and the query named the outermost.
        definition = self.node(symbol)
        node = self._covering(*symbol.body)
        while node != definition and (parent := node.parent) is not None and parent != definition:
            if parent.byte_range != node.byte_range:
                break
            node = parent
        return node

    def _covering(self, start: int, end: int) -> Node:
        _, root = self._parsed()
        node = root.descendant_for_byte_range(start, end)
        if node is None:
            raise ValueError(
                f"nothing at bytes {start} to {end} of {self.path}: look the symbol up in the present outline"
            )
        return node

    def _parsed(self) -> tuple[Outline, Node]:
        if self.outline is None or self.tree is None:
            raise ValueError(f"{self.path} has no syntax tree" + (f": {self.message}" if self.message else ""))
        return self.outline, self.tree.root_node


def read_source(path: str, text: Text, language_id: str | None = None) -> Source:
    """The source of `text`, from scratch. `path` says its language; where it does not, `language_id` of the editor
    does."""
    language = language_of(path, text, language_id)
    refused = _refuse(path, text, language)
    if refused is not None:
        return refused
    if language is None:
        return Source(path, SourceState.OK, text)
    try:
        language.grammar  # noqa: B018 - loads it
    except ImportError as error:
        message = f"The grammar of {language.name} cannot be loaded ({error}): {language.mend}."
        return Source(path, SourceState.OK, text, message=message)
    tree = _parse(language, text, None)
    if tree is None:
        return _too_slow(path, text, language)
    try:
        outline = outline_of(tree.root_node, language, text)
    except TookTooLong:
        return _too_slow(path, text, language)
    return Source(path, SourceState.OK, text, language, tree, outline)


def language_of(path: str, text: Text, language_id: str | None = None) -> Language | None:
    """The language that `read_source` reads a text in; None where there is no grammar for it."""
    return language_for(path, language_id, text.slice(0, _BEGINNING) if depends_on_text(path) else b"")


def edit_source(source: Source, text: Text, edits: Sequence[Edit] | None, language_id: str | None = None) -> Source:
    """The source of `text`, which `edits`, in order, made of the text of `source`; None where that is not known.

    Equal to `read_source` unless the result is not `settled`, at a cost that hardly grows with the text.
    """
    if _was_too_slow(source) and source.text is not None and len(text) > len(source.text) * 0.9:
        # What could not be parsed in time is not tried again on each key, only once much of it is gone.
        return Source(source.path, source.state, text, source.language, message=source.message)
    if edits is None or source.tree is None or source.outline is None or source.language is None or source.text is None:
        return read_source(source.path, text, language_id)
    language = source.language
    if language.anew:
        return read_source(source.path, text, language_id)
    if not edits:
        return source if source.text == text else read_source(source.path, text, language_id)
    if depends_on_text(source.path) and language != language_for(source.path, None, text.slice(0, _BEGINNING)):
        return read_source(source.path, text, language_id)
    refused = _refuse(source.path, text, language)
    if refused is not None:
        return refused
    if language.unread is not None and not _read_alike(language, source.text, text, _hull(edits)):
        return read_source(source.path, text, language_id)
    old = source.tree.copy()
    for edit in edits:
        old.edit(
            edit.start_byte,
            edit.old_end_byte,
            edit.new_end_byte,
            edit.start_point,
            edit.old_end_point,
            edit.new_end_point,
        )
    tree = _parse(language, text, old)
    if tree is None:
        return _too_slow(source.path, text, language)
    low, high = _hull(edits)
    for changed in old.changed_ranges(tree):
        low, high = min(low, changed.start_byte), max(high, changed.end_byte)
    delta = (len(text) - len(source.text), text.line_count - source.text.line_count)
    try:
        outline = outline_after(source.outline, tree.root_node, language, text, (low, high), delta)
    except TookTooLong:
        return _too_slow(source.path, text, language)
    return Source(source.path, SourceState.OK, text, language, tree, outline, settled=not outline.broken)


def settle_source(source: Source) -> Source:
    """`source` as `read_source` gives it: itself unless it is not `settled`. For a text that is saved, or left
    alone."""
    if source.settled or source.text is None or source.language is None:
        return source
    return read_source(source.path, source.text, source.language.ids[0])


def _hull(edits: Sequence[Edit]) -> tuple[int, int]:
    """The bytes of the last text that cover everything that `edits`, each seen from the text before it, touched."""
    low, high = edits[0].start_byte, edits[0].new_end_byte
    for edit in edits[1:]:
        low = min(low, edit.start_byte)
        grown = edit.new_end_byte - edit.old_end_byte
        high = max(high + grown if high >= edit.old_end_byte else high, edit.new_end_byte)
    return low, high


def _refuse(path: str, text: Text, language: Language | None) -> Source | None:
    if len(text) > MAX_BYTES or text.line_count > MAX_LINES:
        message = (
            f"{path} has {len(text):,} bytes and {text.line_count:,} lines, more than the {MAX_BYTES:,} and "
            f"{MAX_LINES:,} that are looked at: anchor the memory to a smaller file."
        )
        return Source(path, SourceState.TOO_LARGE, text, language, message=message)
    if b"\0" in text.slice(0, _NUL_PREFIX):
        message = f"{path} holds NUL bytes and is taken for no text: anchor the memory to a text file."
        return Source(path, SourceState.NOT_TEXT, text, language, message=message)
    return None


def _was_too_slow(source: Source) -> bool:
    if source.state is not SourceState.TOO_LARGE or source.text is None:
        return False
    return _refuse(source.path, source.text, source.language) is None


def _too_slow(path: str, text: Text, language: Language) -> Source:
    message = f"{path} took longer than {SECONDS:g} s to parse and was left: anchor the memory to a simpler file."
    return Source(path, SourceState.TOO_LARGE, text, language, message=message)


def _without_unread(language: Language, data: bytes) -> bytes:
    """What the parser gets to read: as many bytes and lines, so that every position stays."""
    assert language.unread is not None
    groups = range(1, language.unread.groups + 1)
    names = {number: name.encode() for name, number in language.unread.groupindex.items()}
    out = bytearray(data)
    for found in language.unread.finditer(data):
        for number in groups:
            start, end = found.span(number)
            if start >= 0:
                blank = bytes(byte if byte in b"\r\n" else 32 for byte in data[start:end])
                name = names.get(number, b"")
                out[start:end] = name + blank[len(name) :]
    return bytes(out)


def _read_alike(language: Language, old: Text, new: Text, hull: tuple[int, int]) -> bool:
    """Whether an edit changes nothing for the parser outside of its bytes, `hull` in the new text."""
    before, after = _without_unread(language, bytes(old)), _without_unread(language, bytes(new))
    low, high = hull
    return before[:low] == after[:low] and before[len(before) - (len(after) - high) :] == after[high:]


def _parse(language: Language, text: Text, old: Tree | None) -> Tree | None:
    """The tree, or None where it took too long. The text is read in pieces, so that other threads run in between; files
    of languages whose grammars want it otherwise are small."""
    parser = language.parser
    read: bytes | Callable[[int, object], bytes] = text.read
    if language.unread is not None:
        read = _without_unread(language, bytes(text))
    if language.joints or language.ended:
        data = bytes(text)
        # As many bytes, so that every position stays, and perhaps one more.
        read = data.replace(b"\\\r\n", b" \\\n") if language.joints else data
        if language.ended and not data.endswith((b"\n", b"\r")):
            read += b"\n"
    try:
        return parser.parse(read) if old is None else parser.parse(read, old)
    except ValueError:
        parser.reset()
        return None
