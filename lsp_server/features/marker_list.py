"""Every marker of a workspace's Markdown: what it names, how that stands, and accepting those that nobody looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lsp_server.core.documents import Marker
from lsp_server.features.clear import clear
from lsp_server.features.errors import Refused
from lsp_server.features.markers import Page, aim, page_of
from lsp_server.features.report import VERSION, memory_json
from lsp_server.store.ledger import LedgerRefused
from lsp_server.workspace.session import Session


async def list_markers(
    session: Session, paths: Sequence[str] = (), *, accept: bool = False, note: str | None = None
) -> dict[str, Any]:
    """The markers of all Markdown, or of what is at or below `paths`, in the order of documents and lines.

    `accept` writes a baseline for each passage that has none and whose code is there; what is stale is not touched.
    Each marker is `{"document", "line", "marker", "file", "symbol", "lines", "problem", "memory"}`, where `problem` is
    null or says why it points nowhere, and `memory` is null for one that is none.
    """
    await session.load_all()
    await session.search_missing()
    accepted, refused = await _accept(session, paths, note) if accept else (0, {})
    snapshot = session.snapshot()
    files = await session.passages.files()
    entries = []
    for path in _documents(session, paths):
        page = page_of(session, path)
        for marker in page.markers:
            item = page.passage(marker)
            seen = aim(page.read, path, marker, files) if item is None or not item.anchor.baselines else None
            problem = seen.problem if seen is not None else ""
            if seen is not None and seen.instead:
                problem += f"; nearest: {', '.join(seen.instead)}"
            if item is not None and item.memory.id in refused:
                problem = str(refused[item.memory.id])
            memory = memory_json(snapshot, item.memory) if item is not None else None
            entries.append({**_marker_json(page, marker), "problem": problem or None, "memory": memory})
    counts = {
        "documents": len({entry["document"] for entry in entries}),
        "markers": len(entries),
        "broken": sum(entry["problem"] is not None for entry in entries),
        "unaccepted": sum(_is_unaccepted(entry) for entry in entries),
        "stale": sum(entry["memory"] is not None and entry["memory"]["stale"] for entry in entries),
        "accepted": accepted,
    }
    return {"version": VERSION, "markers": entries, "summary": counts}


async def _accept(session: Session, paths: Sequence[str], note: str | None) -> tuple[int, Mapping[str, LedgerRefused]]:
    """Accepts what no passage has a baseline for yet; answers for how many it did, and by memory why one was not."""
    snapshot = session.snapshot()
    changes = []
    for path in _documents(session, paths):
        for item in session.in_document(path):
            if item.anchor.baselines or item.verdict.now is None:
                continue
            try:
                done = clear(snapshot, item.memory, item.anchor.id, note)
            except Refused:  # It is listed with what is wrong.
                continue
            if done.change is not None:
                changes.append(done.change)
    refused = await session.apply_each(changes) if changes else {}
    return len(changes) - len(refused), refused


def _documents(session: Session, paths: Sequence[str]) -> list[str]:
    return [
        path
        for path in session.passages.documents()
        if not paths or any(one in ("", ".") or path == one or path.startswith(f"{one.rstrip('/')}/") for one in paths)
    ]


def _marker_json(page: Page, marker: Marker) -> dict[str, Any]:
    text = page.source.text
    place = marker.locus
    return {
        "document": page.path,
        "line": text.point(marker.span.start).line + 1 if text is not None else 1,
        "marker": text.slice(marker.span.start, marker.span.end).decode("utf-8", "replace") if text is not None else "",
        "file": place.file if place is not None else None,
        "symbol": marker.symbol,
        "lines": list(place.lines) if place is not None and place.lines else None,
    }


def _is_unaccepted(entry: dict[str, Any]) -> bool:
    memory = entry["memory"]
    return memory is not None and any(not anchor["baselines"] for anchor in memory["anchors"])
