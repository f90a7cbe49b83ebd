"""What a tool works with: one workspace, who is at it, and how answers are bounded.

Knows how the answers of operations become what an agent is given; refuses to know the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lsp_server.core.locus import stored_locus
from lsp_server.core.model import Locus
from lsp_server.features import operations
from lsp_server.features.brief import is_id
from lsp_server.features.budget import BASE, MOST, Parts, fit
from lsp_server.features.granularity import at_level
from lsp_server.features.places import Wanted
from lsp_server.features.quoted import NOTICE, line, told
from lsp_server.workspace.session import Session

Json = dict[str, Any]

NAME = 60
"""Characters of a client's name that are kept."""


class Places(Protocol):
    """How a place that was typed becomes one of the workspace. Raises PathRefused for what leads outside."""

    def place(self, text: str) -> Locus: ...

    def wanted(self, text: str, file_hash: str | None = None) -> Wanted: ...

    def key(self, path: str) -> str: ...

    def is_folder(self, key: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Desk:
    """A session, and how places are named there."""

    session: Session
    here: Places

    def places(self, texts: Sequence[str]) -> tuple[Wanted, ...]:
        return tuple(self.here.wanted(text) for text in texts)

    def anchor(self, named: str | None) -> str | None:
        """An anchor as operations take it: its id as it is, or its place."""
        if named is None or (named.isalnum() and named.isascii()):
            return named
        return stored_locus(self.here.place(named))

    def required(self, texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[Locus, ...]]:
        """Ids and places apart, of texts that may be either."""
        ids = tuple(text for text in texts if is_id(text))
        return ids, tuple(self.here.place(text) for text in texts if not is_id(text))

    async def whole(self) -> None:
        """Loads and judges every memory."""
        await self.session.load_all()
        await self.session.search_missing()
        await self.session.usage.read()

    def told(self, memory: Mapping[str, Any], rank: int = 0) -> Json:
        """A memory as an agent is given it: with the text that a search chose, else with as much of it as fits."""
        shown = memory.get("shown")
        known = self.session.snapshot().memories.get(memory["id"])
        if shown is None and known is not None and known.body == memory["text"]:
            shown = at_level(known, "fit", rank)
        return told(memory, shown)


def author_of(client: str | None) -> str:
    """Who a client writes as: always an agent, whatever it calls itself."""
    words = " ".join("".join(one if one.isprintable() else " " for one in client or "").split())
    kept = "".join(one for one in words if one not in "<>")[:NAME].strip()
    return f"{operations.AGENT}{kept.removeprefix(operations.AGENT).strip() or 'mcp'}"


def memories_answer(desk: Desk, head: Mapping[str, Any], memories: Sequence[Mapping[str, Any]], limit: int) -> Json:
    """An answer of several memories, the first ones first."""
    return answer(head, {"memories": [desk.told(memory, rank) for rank, memory in enumerate(memories)]}, limit)


def memory_answer(desk: Desk, did: str, memory: Mapping[str, Any], **more: Any) -> Json:
    """What became of one memory: `did` says what was done."""
    return answer({"did": did, **more}, {"memories": [desk.told(memory)]}, BASE)


def answer(head: Mapping[str, Any], sections: Mapping[str, Sequence[Mapping[str, Any]]], limit: int = BASE) -> Json:
    return fit(Parts({"version": 1, "notice": NOTICE, **head}, (), sections), min(limit, MOST))


def shortened(texts: Sequence[str]) -> list[str]:
    """A few ids or names for the head of an answer, which always stays."""
    return [line(text, 80) for text in texts[:8]]
