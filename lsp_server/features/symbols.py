"""Memories as symbols of the workspace: those that a text speaks of, each at every place that it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lsp_server.core.model import Locus
from lsp_server.features import operations
from lsp_server.features.search import Question
from lsp_server.store.scan import MEMORY_FILE
from lsp_server.workspace.session import Session

LIMIT = 30
"""Memories that are answered, the best first: a list that somebody types into."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A memory at one of its places. `file` is relative to the root, or absolute where it lies outside; `line` counts
    from 1."""

    name: str
    detail: str
    file: str
    line: int


async def symbols(session: Session, text: str) -> list[Symbol]:
    """The memories that a text speaks of, the best first, none for an empty one. Typing is no question: nothing is
    counted."""
    if not text.strip():
        return []
    answer = await operations.search_memories(session, Question(text, limit=LIMIT, level="line"), counted=False)
    return [
        Symbol(memory["shown"]["text"], detail_of(memory, where), where.file, where.lines[0] if where.lines else 1)
        for memory in answer["memories"]
        for where in places(session, memory)
    ]


def places(session: Session, memory: Mapping[str, Any]) -> Iterator[Locus]:
    """Where a memory is: its anchors, where its code is now or was last; else the file that it is kept in."""
    for anchor in memory["anchors"]:
        now = anchor["now"]
        if now is not None:
            yield Locus(now["file"], now["symbol"], (now["start_line"], now["end_line"]))
        else:
            yield Locus(anchor["file"], anchor["symbol"], tuple(anchor["lines"]) if anchor["lines"] else None)
    if not memory["anchors"]:
        kept = session.snapshot().memories[memory["id"]]
        yield Locus(str(session.ledger.homes[kept.home] / kept.folder / MEMORY_FILE))


def detail_of(memory: Mapping[str, Any], where: Locus) -> str:
    """What stands beside a memory's name: its kind, how it stands, and the symbol that it is moored to."""
    worse = [word for word in ("contradicted", "stale") if memory[word]]
    return ", ".join([memory["kind"], *worse, *([where.symbol] if where.symbol else [])])
