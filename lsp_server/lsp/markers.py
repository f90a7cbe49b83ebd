"""Requests about `@anchor(...)` markers: completion, definition, references, rename, links, and what a page shows.

Each converts in, asks one feature, and converts out. Outside of markers every one of them answers nothing, so that the
language's own server is never in the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lsp_server.core.model import Span
from lsp_server.core.source import Source
from lsp_server.features.actions import settle
from lsp_server.features.errors import Refused
from lsp_server.features.marker_complete import Proposal, completions
from lsp_server.features.marker_edits import Edit, file_renames, naming, pages, renamable, renames
from lsp_server.features.marker_hover import marker_hover
from lsp_server.features.markers import Page, aim, marker_fixes, page_of
from lsp_server.lsp import convert
from lsp_server.lsp.connection import Routes, request
from lsp_server.lsp.errors import RequestFailed
from lsp_server.workspace.session import Session

if TYPE_CHECKING:
    from lsp_server.lsp.handlers import Handlers

Json = dict[str, Any]

CLASS, FUNCTION, METHOD, PROPERTY, VARIABLE, KEYWORD, FILE, REFERENCE = 7, 3, 2, 10, 6, 14, 17, 18
COMPLETION_KINDS: Mapping[str, int] = {
    "key": KEYWORD,
    "file": FILE,
    "class": CLASS,
    "struct": CLASS,
    "function": FUNCTION,
    "method": METHOD,
    "field": PROPERTY,
    "property": PROPERTY,
    "variable": VARIABLE,
    "constant": VARIABLE,
}
"""LSP's `CompletionItemKind` by the kind of a proposal; any other symbol is a reference."""


class MarkerHandlers:
    """The requests of one connection that are about markers."""

    def __init__(self, handlers: Handlers) -> None:
        self._handlers = handlers

    def routes(self) -> Routes:
        return {
            "textDocument/completion": request(self.completion),
            "textDocument/definition": request(self.definition),
            "textDocument/references": request(self.references),
            "textDocument/prepareRename": request(self.prepare_rename),
            "textDocument/rename": request(self.rename),
            "textDocument/documentLink": request(self.document_links),
            "workspace/willRenameFiles": request(self.will_rename_files),
        }

    # -- at a position ---------------------------------------------------------------------------------------------

    async def completion(self, params: Json) -> Json | None:
        found = await self._at(params)
        if found is None:
            return None
        session, source, offset = found[0], found[1].source, found[2]
        answer = completions(source, offset, await session.passages.files(), session.read)
        if answer is None:
            return None
        proposals, more = answer
        items = [self._proposal(source, one, number) for number, one in enumerate(proposals)]
        return {"isIncomplete": more, "items": items}

    def _proposal(self, source: Source, proposal: Proposal, number: int) -> Json:
        assert source.text is not None
        range_ = convert.range_json(source.text, proposal.span, self._handlers.encoding)
        return {
            "label": proposal.label,
            "kind": COMPLETION_KINDS.get(proposal.kind, REFERENCE),
            "detail": proposal.kind,
            "sortText": f"{number:04}",
            "filterText": proposal.text,
            "textEdit": {"range": range_, "newText": proposal.text},
        }

    async def definition(self, params: Json) -> list[Json] | None:
        found = await self._at(params)
        marker = found[1].at(found[2]) if found is not None else None
        if found is None or marker is None:
            return None
        session, page, _ = found
        seen = aim(session.read, page.path, marker)
        target = (seen.source, seen.name, seen.span)
        item = page.passage(marker)
        if seen.problem and item is not None and item.verdict.now is not None and item.verdict.span is not None:
            # Its code moved, and is found where it is now.
            span = item.verdict.span
            target = (session.read(item.verdict.now.file), item.verdict.name_span or span, span)
        elif seen.problem:
            return None
        source, name, span = target
        if source is None or source.text is None or page.source.text is None:
            return None
        encoding = self._handlers.encoding
        uri = self._handlers.publisher.uri_of(session, source.path)
        selected = convert.range_json(source.text, name, encoding)
        if self._handlers.connection.client.get("textDocument.definition.linkSupport") is not True:
            return [{"uri": uri, "range": selected}]
        return [
            {
                "originSelectionRange": convert.range_json(page.source.text, marker.span, encoding),
                "targetUri": uri,
                "targetRange": convert.range_json(source.text, span, encoding),
                "targetSelectionRange": selected,
            }
        ]

    async def references(self, params: Json) -> list[Json] | None:
        found = await self._at(params)
        if found is None:
            return None
        session, page, offset = found
        marker = page.at(offset)
        declared: list[Json] = []
        if marker is not None and marker.locus is not None:
            file, symbol = marker.locus.file, marker.locus.symbol
            if (params.get("context") or {}).get("includeDeclaration"):
                seen = aim(session.read, page.path, marker)
                declared = (
                    [] if seen.problem or seen.source is None else [self._location(session, seen.source, seen.name)]
                )
        else:
            named = page.source.outline.named_at(offset) if page.source.outline is not None else None
            if named is None:
                return None
            file, symbol = page.path, named.path
        places = [
            self._location(session, other.source, one.span)
            for other in await pages(session)
            for one in naming(other, file, symbol)
        ]
        return declared + places

    async def prepare_rename(self, params: Json) -> Json | None:
        found = await self._at(params)
        what = renamable(found[1], found[2]) if found is not None else None
        if found is None or what is None or found[1].source.text is None:
            return None
        range_ = convert.range_json(found[1].source.text, what.span, self._handlers.encoding)
        return {"range": range_, "placeholder": what.text}

    async def rename(self, params: Json) -> Json | None:
        found = await self._at(params)
        what = renamable(found[1], found[2]) if found is not None else None
        if found is None or what is None:
            return None
        session = found[0]
        try:
            return self._workspace_edit(session, renames(await pages(session), what, params["newName"]))
        except Refused as refused:
            raise RequestFailed(str(refused)) from None

    # -- of a document, of files ------------------------------------------------------------------------------------

    async def document_links(self, params: Json) -> list[Json] | None:
        found = await self._handlers.located(params["textDocument"]["uri"])
        if found is None:
            return None
        session, path = found
        page = page_of(session, path)
        links: list[Json] = []
        for marker in page.markers:
            seen = aim(session.read, path, marker)
            named = marker.field("file") or marker.field("symbol")
            if seen.problem or seen.source is None or seen.source.text is None or named is None:
                continue
            assert page.source.text is not None
            line = seen.source.text.point(seen.name.start).line + 1
            links.append(
                {
                    "range": convert.range_json(page.source.text, named.span, self._handlers.encoding),
                    "target": f"{self._handlers.publisher.uri_of(session, seen.source.path)}#L{line}",
                }
            )
        return links

    async def will_rename_files(self, params: Json) -> Json | None:
        moves: dict[Session, list[tuple[str, str]]] = {}
        for file in params["files"]:
            found, new = await self._handlers.located(file["oldUri"]), self._handlers.workspaces.owner(file["newUri"])
            if found is not None and new is not None and found[0].root.path == new.root:
                moves.setdefault(found[0], []).append((found[1], new.path))
        changes: dict[str, list[Json]] = {}
        for session, some in moves.items():
            edit = self._workspace_edit(session, file_renames(await pages(session), some))
            changes |= edit["changes"]
        return {"changes": changes} if changes else None

    # -- beside what any file shows ---------------------------------------------------------------------------------

    def hover(self, session: Session, path: str, offset: int) -> Json | None:
        """The hover on a marker; None elsewhere. Costs nothing where a text has no marker."""
        page = page_of(session, path)
        if page.at(offset) is None or page.source.text is None:
            return None
        answer = marker_hover(session.snapshot(), page, offset)
        if answer is None:
            return None
        session.seen(answer.shown, "hovered")
        formats = self._handlers.connection.client.get("textDocument.hover.contentFormat", ["markdown"])
        return convert.hover_json(answer, page.source.text, self._handlers.encoding, "markdown" in formats)

    async def actions(
        self, session: Session, path: str, uri: str, span: Span, diagnostics: Sequence[Json], asked: Json
    ) -> list[Json]:
        """The code actions for the markers that a selection touches: mending, accepting."""
        page = page_of(session, path)
        text = page.source.text
        if text is None or not any(one.span.start <= span.end and span.start <= one.span.end for one in page.markers):
            return []
        encoding = self._handlers.encoding
        found: list[Json] = []
        for fix in marker_fixes(page, span, await session.passages.files()):
            range_ = convert.range_json(text, fix.span, encoding)
            edit = {"range": range_, "newText": fix.text}
            action: Json = {"title": fix.title, "kind": "quickfix", "edit": {"changes": {uri: [edit]}}}
            mended = [one for one in diagnostics if one.get("source") == convert.SOURCE and _touches(one, range_)]
            if mended:
                action["diagnostics"] = mended
            if fix.preferred:
                action["isPreferred"] = True
            found.append(action)
        for marker in page.markers:
            item = page.passage(marker)
            if item is not None and marker.span.start <= span.end and span.start <= marker.span.end:
                found += [
                    convert.action_json(action, text, encoding, uri, asked, diagnostics)
                    for action in settle(item, self._handlers.client_commands)
                    if action.command != "moorline.reanchor"
                ]
        return found

    # -- out ---------------------------------------------------------------------------------------------------------

    async def _at(self, params: Json) -> tuple[Session, Page, int] | None:
        """The session, the page and the byte offset of a position."""
        found = await self._handlers.located(params["textDocument"]["uri"])
        if found is None:
            return None
        session, path = found
        page = page_of(session, path)
        if page.source.text is None:
            return None
        return session, page, convert.offset_of(page.source.text, params["position"], self._handlers.encoding)

    def _location(self, session: Session, source: Source, span: Span) -> Json:
        assert source.text is not None
        uri = self._handlers.publisher.uri_of(session, source.path)
        return {"uri": uri, "range": convert.range_json(source.text, span, self._handlers.encoding)}

    def _workspace_edit(self, session: Session, edits: Mapping[str, Sequence[Edit]]) -> Json:
        changes = {}
        for path, some in edits.items():
            text = session.read(path).text
            if text is not None:
                changes[self._handlers.publisher.uri_of(session, path)] = [
                    {"range": convert.range_json(text, one.span, self._handlers.encoding), "newText": one.text}
                    for one in some
                ]
        return {"changes": changes}


def _touches(diagnostic: Json, range_: Json) -> bool:
    """Whether a diagnostic's range and another one meet."""
    try:
        start, end = (_point(diagnostic["range"][key]) for key in ("start", "end"))
    except (KeyError, TypeError):
        return False
    return start <= _point(range_["end"]) and _point(range_["start"]) <= end


def _point(position: Json) -> tuple[int, int]:
    return position["line"], position["character"]
