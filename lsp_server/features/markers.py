"""Markers in the code as it is now: where each points, what is wrong with those that point nowhere, and what shows it.

A page is one text with its markers: a Markdown document, whose passages are memories, or code whose comments hold some,
which give links alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from types import MappingProxyType

from lsp_server.core.documents import Marker, markers_of, spelt
from lsp_server.core.documents_serving import document_of
from lsp_server.core.fingerprint import line_bytes
from lsp_server.core.model import Level, Memory, Place, SourceState, Span, Symbol
from lsp_server.core.source import Source
from lsp_server.core.symbolpath import pick
from lsp_server.features.diagnostics import FIRST_LINE, Problem, problem_of
from lsp_server.features.errors import Refused
from lsp_server.features.places import Resolved, Wanted, check_lines, find_symbol, resolve
from lsp_server.features.words import headline
from lsp_server.workspace.config import Settings
from lsp_server.workspace.passages import is_markdown
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Judged, Snapshot

BROKEN = "marker"
"""The code of a problem with a marker itself."""

NEAREST = 3
CLOSE = 0.6
"""How alike a name must be to be offered for one that is not there (`difflib`'s ratio)."""


@dataclass(frozen=True, slots=True)
class Page:
    """One text with its markers. `given` are the memories that its markers give with the verdicts on their code, by the
    offset at which a marker begins; `lost` are memories whose marker used to stand in it."""

    path: str
    source: Source
    read: Callable[[str], Source]
    markers: tuple[Marker, ...]
    given: Mapping[int, Judged] = field(default_factory=lambda: MappingProxyType({}))
    lost: tuple[Memory, ...] = ()
    open: bool = False

    def at(self, offset: int) -> Marker | None:
        """The marker that an offset is in, or right behind."""
        return next((one for one in self.markers if one.span.start <= offset <= one.span.end), None)

    def passage(self, marker: Marker) -> Judged | None:
        """The memory that a marker gives; None in code, and where the marker is spelt wrongly or was retired."""
        return self.given.get(marker.span.start)


@dataclass(frozen=True, slots=True)
class Aim:
    """Where a marker points now: a symbol, lines, or a whole file (`span` is their bytes, `name` where to jump to).

    `problem` is empty, or one sentence that says why it points nowhere; `at` are then the bytes of the page that it is
    about, and `instead` what could stand there, the nearest first.
    """

    source: Source | None = None
    symbol: Symbol | None = None
    span: Span = FIRST_LINE
    name: Span = FIRST_LINE
    problem: str = ""
    at: Span = FIRST_LINE
    instead: tuple[str, ...] = ()


def page_of(session: Session, path: str) -> Page:
    """The page of a file as an editor or the disk has it now."""
    source = session.read(path)
    document = session.document(path) is not None
    if not session.passages.takes(path):
        # Markdown that is ignored is not looked at; the comments of code give links.
        markers = () if is_markdown(path) else markers_of(source)
        return Page(path, source, session.read, markers, open=document)
    served = session.passages.in_document(path)
    lost = tuple(
        one.memory
        for one in session.passages.all().values()
        if one.written is None and one.memory.current and document_of(one.memory) == path
    )
    starts = {one.memory.id: [marker.span.start for marker in one.written.markers] for one in served if one.written}
    given = {start: item for item in session.in_document(path) for start in starts.get(item.memory.id, ())}
    return Page(path, source, session.read, session.passages.markers(path, source), given, lost, document)


def aim(read: Callable[[str], Source], page: str, marker: Marker, files: Sequence[str] = ()) -> Aim:
    """Where a marker points. `page` is the path of the text that it stands in, `files` are those of the workspace: the
    nearest of them are offered where its file is not there."""
    if marker.locus is None:
        return Aim(problem=marker.problem, at=marker.problem_span or marker.span, instead=_keys(marker))
    named = marker.field("file") or marker.field("symbol")
    at = named.span if named is not None else marker.span
    source = read(marker.locus.file)
    if source.state is SourceState.OUTSIDE:
        problem = f"{marker.locus.file} leads outside of the workspace: name a file of it, relative to its root"
        return Aim(problem=problem, at=at, instead=_nearest_files(page, marker.locus.file, files))
    if source.state is SourceState.GONE:
        problem = f"there is no file {marker.locus.file}: paths are relative to the workspace's root"
        return Aim(problem=problem, at=at, instead=_nearest_files(page, marker.locus.file, files))
    if source.text is None or source.state is not SourceState.OK:
        return Aim(source, problem=source.message or f"{marker.locus.file} cannot be read", at=at)
    if marker.symbol is not None:
        return _at_symbol(source, marker)
    if marker.locus.lines is not None:
        try:
            span = Span(*line_bytes(source, check_lines(source, marker.locus.lines)))
        except Refused as error:
            line = marker.field("lines") or marker.field("line")
            return Aim(source, problem=str(error), at=line.span if line is not None else at)
        return Aim(source, None, span, Span(span.start, span.start))
    return Aim(source, None, Span(0, len(source.text)))


def aimed_at(snapshot: Snapshot, item: Judged) -> Resolved | None:
    """The code that the marker of a passage picks, for one that nobody accepted yet; None for any other anchor."""
    served = snapshot.passages.get(item.memory.id)
    if served is None or served.written is None or item.anchor.baselines:
        return None
    marker = served.written.markers[0]
    assert marker.locus is not None
    return resolve(snapshot, Wanted(marker.locus.file, marker.symbol, marker.line, marker.locus.lines))


def marker_problems(settings: Settings, page: Page) -> tuple[Problem, ...]:
    """What is wrong in a page, in text order: markers that point nowhere, and passages whose code is not what it was.

    As with any file, an open one shows every verdict and a closed one only what is stale.
    """
    if not settings.diagnostics:
        return ()
    found: list[Problem] = []
    for marker in page.markers:
        item = page.passage(marker)
        if item is None or not item.anchor.baselines:
            seen = aim(page.read, page.path, marker)
            if seen.problem:
                found.append(broken(seen, item))
                continue
        if item is not None:
            found += on_passage(settings, page, marker, item)
    for memory in page.lost:
        anchor = memory.anchors[0].id if memory.anchors else ""
        message = f"{_sentence(memory.problem or '')}\n{headline(memory, 160)}"
        found.append(Problem(FIRST_LINE, "warning", Level.MISSING.value, message, memory.id, anchor))
    return tuple(sorted(found, key=lambda one: (one.span.start, one.memory, one.anchor)))


def broken(seen: Aim, item: Judged | None) -> Problem:
    """The problem of a marker that points nowhere."""
    message = _sentence(seen.problem) + (f" Nearest: {', '.join(seen.instead)}." if seen.instead else "")
    memory, anchor = (item.memory.id, item.anchor.id) if item is not None else ("", "")
    return Problem(seen.at, "warning", BROKEN, message, memory, anchor)


def on_passage(settings: Settings, page: Page, marker: Marker, item: Judged) -> list[Problem]:
    """What a document shows of the verdict on the code of one of its passages, at the marker."""
    problem = problem_of(item, None, settings, open_file=page.open)
    if problem is None:
        return []
    now = item.verdict.now
    # Where the code is held in this very page, its own mark says the same.
    related = problem.related
    if now is not None and not any(place == now for place, _ in related):
        related = ((Place(now.file, now.symbol, now.start_line, now.end_line), "the code it is about"), *related)
    return [replace(problem, span=marker.span, related=related)]


def _at_symbol(source: Source, marker: Marker) -> Aim:
    assert marker.symbol is not None
    named = marker.field("symbol")
    at = named.span if named is not None else marker.span
    outline = source.outline
    if outline is None:
        problem = f"{source.path} has no symbols that can be told: name its lines, or the file alone"
        return Aim(source, problem=problem, at=at)
    try:
        symbol = find_symbol(source, marker.symbol, marker.line)
    except Refused:
        path, _ = pick(marker.symbol)
        there = outline.by_path(path)
        near = tuple(outline.nearest(path, NEAREST)) if not there else (path,)
        problem = f"{source.path} has no {marker.symbol}"
        if there:
            problem += f": there are {len(there)} of {path}"
        return Aim(source, problem=problem, at=at, instead=near)
    return Aim(source, symbol, Span(symbol.start, symbol.end), Span(symbol.name_start, symbol.name_end))


def _nearest_files(page: str, file: str, files: Sequence[str]) -> tuple[str, ...]:
    """The files that may be meant: relative to the page's own folder, of the same name, of nearly that name."""
    if not files:
        return ()
    there = set(files)
    beside = os.path.normpath(os.path.join(os.path.dirname(page), file)).replace(os.sep, "/")
    found = [beside] if beside in there else []
    name = file.rsplit("/", 1)[-1]
    found += [path for path in files if path.rsplit("/", 1)[-1] == name]
    if not found:
        by_name: dict[str, list[str]] = {}
        for path in files:
            by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        found = [path for near in get_close_matches(name, by_name, NEAREST, CLOSE) for path in by_name[near]]
    ranked = sorted(dict.fromkeys(found), key=lambda path: (path != beside, -_common(path, file), path))
    return tuple(ranked[:NEAREST])


def _common(one: str, other: str) -> int:
    """How many names two paths share, whatever their order."""
    return len(set(one.split("/")) & set(other.split("/")))


def _keys(marker: Marker) -> tuple[str, ...]:
    """The key that is meant by one that is none."""
    for said in marker.fields:
        if said.key_span == marker.problem_span:
            return tuple(get_close_matches(said.key, ("file", "symbol", "line", "lines"), 1))
    return ()


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of a page's own text: its title, the bytes to replace and what takes their place."""

    title: str
    span: Span
    text: str
    preferred: bool = False


def marker_fixes(page: Page, span: Span, files: Sequence[str]) -> tuple[Fix, ...]:
    """What mends the markers that a selection touches: the nearest file or symbol for one that points nowhere, the
    present place for one whose code moved, the candidates for one whose code is gone."""
    found: list[Fix] = []
    for marker in page.markers:
        if marker.span.end < span.start or span.end < marker.span.start:
            continue
        item = page.passage(marker)
        seen = aim(page.read, page.path, marker, files)
        places = [] if item is None else [one.place for one in item.verdict.candidates]
        if item is not None and item.verdict.level is Level.MOVED and item.verdict.now is not None:
            places.insert(0, item.verdict.now)
        for place in places:
            text = renamed(marker, place.file, place.symbol)
            said = f"{place.file}#{place.symbol}" if place.symbol else place.file
            found.append(Fix(f"Point the marker to {said}", marker.span, text, not found))
        if seen.problem and not places:
            found += [
                Fix(f"Write {near} instead", seen.at, near_text(page, marker, seen, near), number == 0)
                for number, near in enumerate(seen.instead)
            ]
    return tuple(dict.fromkeys(found))


def near_text(page: Page, marker: Marker, seen: Aim, near: str) -> str:
    """What to write in place of the bytes that a problem is about, in the quotes that stand there."""
    for said in marker.fields:
        if said.span == seen.at:
            file, mark, _ = said.value.partition("#")
            # `symbol=F#name` holds its file too, and what is proposed for it is one of the two.
            if said.key == "symbol" and mark:
                named_file = seen.source is None
                near = f"{near}#{said.value.partition('#')[2]}" if named_file else f"{file}#{near}"
            return spelt(near, said.quote)
    return near


def renamed(marker: Marker, file: str, symbol: str | None) -> str:
    """A marker's text with another file and symbol, spelt as it was: its keys, their order and quotes."""
    values: dict[str, str] = {}
    for said in marker.fields:
        if said.key == "file":
            values["file"] = f"file={said.quote}{spelt(file, said.quote)}{said.quote}"
        elif said.key == "symbol" and symbol is not None:
            whole = f"{file}#{symbol}" if "#" in said.value else symbol
            values["symbol"] = f"symbol={said.quote}{spelt(whole, said.quote)}{said.quote}"
    if symbol is not None and "symbol" not in values:
        values["symbol"] = f"symbol={spelt(symbol)}"
    return f"@anchor({', '.join(values.values())})"
