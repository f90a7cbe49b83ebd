"""Markers across a workspace: which of them name a place, and what to write where that place gets another name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lsp_server.core.documents import NEEDLE, Field, Marker, clean_file, spelt
from lsp_server.core.model import Span
from lsp_server.core.symbolpath import join_path, split_path
from lsp_server.features.errors import Refused
from lsp_server.features.markers import Page, page_of
from lsp_server.workspace import git
from lsp_server.workspace.paths import git_place
from lsp_server.workspace.session import Session

_SEGMENT = re.compile(r'"(?:[^"\\]|\\.)*"|[^."\[\]#]+')


@dataclass(frozen=True, slots=True)
class Edit:
    """Bytes of a page and what takes their place."""

    span: Span
    text: str


Edits = Mapping[str, Sequence[Edit]]
"""By the path of the page, in text order."""


@dataclass(frozen=True, slots=True)
class Renamable:
    """What a rename at a place of a marker would change: the bytes there, their present text, and either the file or
    the symbol (its path down to the segment under the cursor)."""

    span: Span
    text: str
    file: str
    segments: tuple[str, ...] = ()


async def pages(session: Session) -> list[Page]:
    """Every page that holds a marker: Markdown, and code with one in a comment (where git says which; else open code
    alone)."""
    if not session.passages.looked:
        await session.read_documents()
    paths = dict.fromkeys([*session.passages.documents(), *session.open_paths])
    if git_place(session.root.path) is not None:
        held = await git.holding(session.root.path, [NEEDLE.decode()])
        own = set(await session.passages.files())
        paths |= dict.fromkeys(path for path in held if path in own)
    found = (page_of(session, path) for path in paths)
    return [page for page in found if page.markers]


def naming(page: Page, file: str, symbol: str | None) -> list[Marker]:
    """The markers of a page that name a symbol of a file (None: the file, or anything in it), by what they say or by
    where their code is now."""
    found = []
    for marker in page.markers:
        item = page.passage(marker)
        now = item.verdict.now if item is not None else None
        places = [(marker.locus.file, marker.locus.symbol)] if marker.locus is not None else []
        places += [(now.file, now.symbol)] if now is not None else []
        if any(place[0] == file and symbol in (None, place[1]) for place in places):
            found.append(marker)
    return found


def renamable(page: Page, offset: int) -> Renamable | None:
    """What can be renamed at a byte offset: the file or the segment of the symbol that a marker names there."""
    marker = page.at(offset)
    if marker is None or marker.locus is None:
        return None
    for said in marker.fields:
        if not said.span.start <= offset <= said.span.end:
            continue
        if said.key == "file":
            return Renamable(said.span, said.value, marker.locus.file)
        if said.key == "symbol" and marker.locus.symbol is not None:
            return _segment(page, marker, said, offset)
    return None


def renames(all_pages: Iterable[Page], what: Renamable, new: str) -> dict[str, list[Edit]]:
    """The edits that give a file or a symbol its new name in every marker that names it, or something inside it.

    Raises Refused for a name that no marker can hold.
    """
    name = new.strip()
    if not name or any(letter < " " for letter in name):
        raise Refused("a name is needed, on one line")
    if not what.segments:
        return _edits(all_pages, lambda marker, said: _file_edit(marker, said, what.file, clean_file(name)))
    try:
        pieces = split_path(name)
    except ValueError:
        pieces = (name,)
    return _edits(all_pages, lambda marker, said: _symbol_edit(marker, said, what, pieces))


def file_renames(all_pages: Iterable[Page], moves: Sequence[tuple[str, str]]) -> dict[str, list[Edit]]:
    """The edits that follow files, or folders with all below them, from their old to their new paths."""

    def edit(marker: Marker, said: Field) -> Edit | None:
        assert marker.locus is not None
        now = marker.locus.file
        for old, new in moves:
            if now == old:
                now = new
            elif now.startswith(f"{old}/"):
                now = new + now[len(old) :]
        return _file_edit(marker, said, marker.locus.file, now) if now != marker.locus.file else None

    return _edits(all_pages, edit)


def _edits(all_pages: Iterable[Page], edit: Callable[[Marker, Field], Edit | None]) -> dict[str, list[Edit]]:
    found: dict[str, list[Edit]] = {}
    for page in all_pages:
        for marker in page.markers:
            for said in marker.fields if marker.locus is not None else ():
                one = edit(marker, said)
                if one is not None:
                    found.setdefault(page.path, []).append(one)
    return found


def _file_edit(marker: Marker, said: Field, old: str, new: str) -> Edit | None:
    if marker.locus is None or marker.locus.file != old:
        return None
    if said.key == "file":
        return Edit(said.span, spelt(new, said.quote))
    named, mark, rest = said.value.partition("#")
    if said.key == "symbol" and mark and clean_file(named) == old:
        return Edit(said.span, spelt(f"{new}#{rest}", said.quote))
    return None


def _symbol_edit(marker: Marker, said: Field, what: Renamable, pieces: Sequence[str]) -> Edit | None:
    if said.key != "symbol" or marker.locus is None or marker.locus.file != what.file or marker.locus.symbol is None:
        return None
    segments = split_path(marker.locus.symbol)
    depth = len(what.segments)
    if segments[:depth] != what.segments:
        return None
    path = join_path([*segments[: depth - 1], *pieces, *segments[depth:]])
    picked = f"[{marker.which}]" if marker.which is not None else ""
    named = f"{said.value.partition('#')[0]}#" if _has_file(said, marker) else ""
    return Edit(said.span, spelt(f"{named}{path}{picked}", said.quote))


def _segment(page: Page, marker: Marker, said: Field, offset: int) -> Renamable:
    """The segment of a symbol under the cursor; all of it where its bytes are not its text (a backslash in it)."""
    assert marker.locus is not None and marker.locus.symbol is not None and page.source.text is not None
    segments = split_path(marker.locus.symbol)
    raw = page.source.text.slice(said.span.start, said.span.end).decode("utf-8", "replace")
    skipped = len(said.value.partition("#")[0]) + 1 if _has_file(said, marker) else 0
    at = said.span.start + len(raw[:skipped].encode())
    pieces = [] if raw != said.value else list(_SEGMENT.finditer(raw[skipped:]))[: len(segments)]
    for number, piece in enumerate(pieces):
        start = at + len(raw[skipped : skipped + piece.start()].encode())
        end = start + len(piece[0].encode())
        if start <= offset <= end:
            shown = json.loads(piece[0]) if piece[0].startswith('"') and _is_json(piece[0]) else piece[0]
            return Renamable(Span(start, end), shown, marker.locus.file, segments[: number + 1])
    return Renamable(said.span, segments[-1], marker.locus.file, segments)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), str)
    except ValueError:
        return False


def _has_file(said: Field, marker: Marker) -> bool:
    """Whether a symbol is written with its file before it."""
    named, mark, _ = said.value.partition("#")
    return bool(mark) and '"' not in named and marker.locus is not None
