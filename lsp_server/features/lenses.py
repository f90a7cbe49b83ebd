"""A line over each symbol that has memories: what there is, and whether it is stale."""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.core.model import Span
from lsp_server.features.words import counts
from lsp_server.workspace.snapshot import FileView, Snapshot


@dataclass(frozen=True, slots=True)
class Lens:
    """Where it stands (the name's bytes), what it says, and the ids it is about."""

    span: Span
    title: str
    memories: tuple[str, ...]
    stale: bool


def lenses(snapshot: Snapshot, view: FileView) -> tuple[Lens, ...]:
    """The lenses of one file in text order; none where the surface is turned off."""
    if not snapshot.settings.lenses:
        return ()
    found = []
    for _, group in view.by_symbol():
        span = group[0].verdict.name_span or Span(0, 0)
        ids = tuple(dict.fromkeys(item.memory.id for item in group))
        found.append(Lens(span, counts(group), ids, any(item.wrong for item in group)))
    return tuple(found)
