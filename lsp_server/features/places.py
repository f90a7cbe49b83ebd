"""From what a caller names (file, symbol, line, position) to one exact place in the code as it is now."""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.core.fingerprint import content_of, fingerprint, fingerprint_file, fingerprint_region
from lsp_server.core.model import Fingerprint, Locus, Place, SourceState, Span, Symbol
from lsp_server.core.source import Source
from lsp_server.core.symbolpath import pick
from lsp_server.core.text import Text
from lsp_server.features.errors import Refused
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.snapshot import Snapshot

NEAREST = 3
STUBS = (b"", b"...", b"{}", b";")
"""Bodies that only announce a definition."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A place as a caller names it, relative to the root.

    `symbol` is a path, `path[2]` for the second of several; `line` (from 1) picks among several with one path, or alone
    names the innermost symbol there; `lines` a region; `offset` a byte position in the file; `hash` the SHA-256 of the
    file that the caller believes in.
    """

    file: str
    symbol: str | None = None
    line: int | None = None
    lines: tuple[int, int] | None = None
    offset: int | None = None
    hash: str | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """One exact place: the source it is in, and the symbol, or the lines, or neither (the whole file)."""

    source: Source
    locus: Locus
    symbol: Symbol | None

    @property
    def place(self) -> Place:
        if self.symbol is not None:
            return Place(self.locus.file, self.symbol.path, self.symbol.start_line, self.symbol.end_line)
        first, last = self.locus.lines or (1, max(1, self.source.text.line_count if self.source.text else 1))
        return Place(self.locus.file, None, first, last)

    def fingerprint(self) -> Fingerprint:
        if self.symbol is not None:
            return fingerprint(self.source, self.symbol)
        if self.locus.lines is not None:
            return fingerprint_region(self.source, self.locus.lines)
        return fingerprint_file(self.source)

    def content(self) -> str:
        """The text a baseline keeps."""
        return content_of(self.source, self.symbol if self.symbol is not None else self.locus.lines)


def resolve(snapshot: Snapshot, wanted: Wanted) -> Resolved:
    """The place in the code as it is now (the editor's buffer where one is open).

    Raises Refused where the file cannot be anchored to, the symbol is not there (the nearest are named), or the lines
    are outside the file.
    """
    source = readable(snapshot, wanted.file)
    if wanted.symbol is not None:
        symbol = find_symbol(source, wanted.symbol, wanted.line)
        return Resolved(source, Locus(source.path, symbol.path), symbol)
    if wanted.lines is not None:
        return region(source, wanted.lines)
    if wanted.line is not None:
        check_lines(source, (wanted.line, wanted.line))
        symbol_there = symbol_on_line(source, wanted.line)
        if symbol_there is None:
            return region(source, (wanted.line, wanted.line))
        return Resolved(source, Locus(source.path, symbol_there.path), symbol_there)
    if wanted.offset is not None:
        outline = source.outline
        inner = (outline.named_at(wanted.offset) or outline.at(wanted.offset)) if outline is not None else None
        if inner is not None:
            return Resolved(source, Locus(source.path, inner.path), inner)
        assert source.text is not None
        line = source.text.point(wanted.offset).line + 1
        return region(source, (line, line))
    return Resolved(source, Locus(source.path), None)


def readable(snapshot: Snapshot, path: str) -> Source:
    """The source of a file that memories can be anchored to. Raises Refused, saying why it is none."""
    source = snapshot.read(path)
    if source.state is SourceState.OK:
        inner = find_root((snapshot.root.path / source.path).parent)
        if inner.kind == "moorline" and inner.path != snapshot.root.path and snapshot.root.path in inner.path.parents:
            below = inner.path.relative_to(snapshot.root.path).as_posix()
            raise Refused(f"{path}: belongs to the workspace {below}/ inside this one; record it there")
        return source
    reasons = {
        SourceState.GONE: "there is no such file; check the path, it is relative to the workspace's root",
        SourceState.OUTSIDE: source.message or "the path leads outside the workspace's root",
        SourceState.NOT_TEXT: "the file is not text; anchor to the code that reads it",
        SourceState.TOO_LARGE: "the file is too large to be anchored to",
        SourceState.UNREADABLE: source.message or "the file cannot be read; check its permissions",
    }
    name = path if source.state is not SourceState.OUTSIDE else "refused"
    raise Refused(f"{name}: {reasons[source.state]}")


def find_symbol(source: Source, path: str, line: int | None = None) -> Symbol:
    """The definition that a path names; of several the one `path[2]` or the line picks, else the first with a body."""
    outline = source.outline
    if outline is None:
        why = "no outline for this kind of file; name lines (FILE:LINE-LINE) or the file alone"
        raise Refused(f"{source.path}: {source.message.rstrip('.') or why}")
    found = outline.by_path(path)
    number: int | None = None
    if not found:
        plain, number = pick(path)
        found = outline.by_path(plain)
    if not found:
        near = outline.nearest(path, NEAREST)
        hint = f"; nearest: {', '.join(near)}" if near else "; the file defines no symbols"
        raise Refused(f"{source.path}: no symbol {path}{hint}")
    if number is not None:
        if not 1 <= number <= len(found):
            raise Refused(f"{source.path}: {path} asks for number {number} of {len(found)}")
        return found[number - 1]
    if line is not None and len(found) > 1:
        on_line = [symbol for symbol in found if symbol.start_line <= line <= symbol.end_line]
        if on_line:
            return min(on_line, key=lambda symbol: symbol.end_line - symbol.start_line)
        return min(found, key=lambda symbol: abs(symbol.start_line - line))
    return next((symbol for symbol in found if says_something(source, symbol)), found[0])


def says_something(source: Source, symbol: Symbol) -> bool:
    """Whether a definition has a body of its own; overload heads and prototypes have none."""
    if symbol.body is None or source.text is None:
        return False
    return source.text.slice(*symbol.body).strip() not in STUBS


def symbol_on_line(source: Source, line: int) -> Symbol | None:
    """The innermost symbol that covers a line (from 1), whatever its column."""
    if source.outline is None:
        return None
    covering = [symbol for symbol in source.outline.symbols if symbol.start_line <= line <= symbol.end_line]
    return min(covering, key=lambda symbol: (symbol.end - symbol.start, symbol.start), default=None)


def region(source: Source, lines: tuple[int, int]) -> Resolved:
    return Resolved(source, Locus(source.path, None, check_lines(source, lines)), None)


def check_lines(source: Source, lines: tuple[int, int]) -> tuple[int, int]:
    first, last = min(lines), max(lines)
    count = source.text.line_count if source.text is not None else 0
    if first < 1 or last > max(1, count):
        raise Refused(f"{source.path}: has {count} lines, {first}-{last} is outside; lines count from 1")
    return first, last


def region_lines(text: Text, span: Span) -> tuple[int, int]:
    """The lines (from 1) that a byte range touches; one that ends at a line's start leaves that line out."""
    first, last = text.point(span.start), text.point(span.end)
    end = last.line if last.column == 0 and last.line > first.line else last.line + 1
    return first.line + 1, end
