"""Forgetting: the only way to erase a memory for good, for what should never have been written down.

What lies in the ledger and what was derived from it goes, a tombstone with the id alone stays, so that a merge does not
revive it. What git keeps is not touched: that is told, since rewriting history is for its owners to decide.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsp_server.core.documents_serving import document_of
from lsp_server.core.ids import id12
from lsp_server.features.errors import Refused
from lsp_server.features.report import VERSION
from lsp_server.store.index import Index
from lsp_server.store.ledger import Erased
from lsp_server.store.scan import FORGOTTEN_FOLDER, LEDGER_FOLDER
from lsp_server.workspace import git
from lsp_server.workspace.paths import git_place
from lsp_server.workspace.session import Session
from lsp_server.workspace.watch import Outside

_WHOLE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Buried:
    """A memory that was forgotten: how often, and in which home."""

    id: str
    home: str
    times: int


async def forget(session: Session, identifier: str, *, yes: bool, remains: bool = False) -> dict[str, Any]:
    """Erases a memory (`remains`: only what a merge brought back of what it was before it was forgotten).

    One that was forgotten already is forgotten again: what is left of it goes, be it only in what is derived. Answers
    what was erased, what git still remembers, the document whose passage it was (its words stand there as they did),
    and the files in which traces may be left. Raises Refused without `yes`, and where there is nothing that this could
    be about; LedgerRefused where something cannot be erased.
    """
    if not yes:
        raise Refused(
            f"this erases {identifier} for good, with its history; say --yes, or retire it to keep the history"
        )
    memory = session.snapshot().memories.get(identifier)
    document = document_of(memory) if memory is not None else None
    erased = await asyncio.to_thread(session.ledger.forget, identifier, remains=remains)
    if not erased.files and document is not None:
        raise Refused(f"nothing of it is in the ledger; its words stand in {document}: delete them there")
    if not erased.files and remains:
        raise Refused(f"nothing from before {identifier} was forgotten is left here")
    traces = await scrub(session, identifier, erased)
    session.on_change(await session.refresh(Outside(ledger=True)))
    return {
        "version": VERSION,
        "id": identifier,
        "forgotten": True,
        "files": erased.files,
        "folders": [path_of(session, home, folder) for home, folder in erased.folders],
        "tombstones": [
            path_of(session, one.home, f"{FORGOTTEN_FOLDER}/{one.id}") for one in buried(session, identifier)
        ],
        "git": await remembered(session, erased),
        "document": document,
        "traces": traces,
    }


async def scrub(session: Session, identifier: str, erased: Erased) -> list[str]:
    """Erases what was derived of a memory: in the index, in those of other checkouts, and in what was counted. Answers
    the files in which something may be left, since another program is using them."""
    traces = []
    if not await session.index.erase(erased.folders):
        traces.append(session.ledger.index_path)
    # What is local or the user's is in the index of every checkout.
    private = [key for key in erased.folders if key[0] != "shared"]
    for path in sorted(session.ledger.local_folder.glob("index*.db")) if private or not erased.folders else ():
        if path != session.ledger.index_path:
            async with await Index.open(path) as other:
                if not await other.erase(private):
                    traces.append(path)
    traces += await session.forget_words(identifier)
    if not await session.usage.forget(identifier):
        traces.append(session.ledger.activity_path)
    return [str(path) for path in traces]


async def remembered(session: Session, erased: Erased) -> list[dict[str, Any]]:
    """What git still has of each folder: in how many commits (None: it does not tell), and whether its index has it.
    Paths are as git has them, from the top of the repository."""
    found = []
    root = session.root.path
    place = git_place(root)
    above = root.resolve().relative_to(place.top) if place is not None else root
    for home, folder in erased.folders:
        path = f"{LEDGER_FOLDER}/memories/{folder}"
        if home != "shared" or place is None:
            continue
        commits, tracked = await git.touching(root, path), bool(await git.tracked(root, path))
        if commits != 0 or tracked:
            found.append({"path": (above / path).as_posix(), "commits": commits, "tracked": tracked})
    return found


def buried(session: Session, prefix: str) -> tuple[Buried, ...]:
    """The memories that were forgotten and whose ids begin with a prefix."""
    digits = prefix.strip().lower().replace("-", "")
    if not digits:
        return ()
    return tuple(
        Buried(identifier, home, times)
        for home in session.ledger.homes
        for identifier, times in sorted(session.ledger.tombstones(home).times.items())
        if identifier.replace("-", "").startswith(digits)
    )


async def forgettable(session: Session, prefix: str) -> str:
    """The id of the only memory, there or forgotten, whose id begins with a prefix. Raises Refused."""
    digits = prefix.strip()
    if not digits:
        raise Refused("an id is needed; moorline list shows them")
    known = {*await session.find(digits), *(one.id for one in buried(session, digits))}
    if not known and _WHOLE.fullmatch(digits):
        # One that cannot be read at all is known by its folder's name alone.
        named = f"-{id12(digits)}"
        known = {digits for entry in session.ledger.scan().entries.values() if entry.folder.endswith(named)}
    if len(known) == 1:
        return known.pop()
    if not known:
        raise Refused(f"no memory {prefix[:40]}; moorline list --all shows every id")
    raise Refused(f"{prefix[:40]} could be {len(known)} memories: {', '.join(sorted(known)[:4])}; give more of the id")


def came_back(session: Session, identifier: str) -> int:
    """How many files of a forgotten memory lie in the ledger again."""
    entries: Sequence[Any] = list(session.ledger.scan().entries.values())
    return sum(
        len(found.remains)
        for entry in entries
        if identifier in entry.tombstones.times and entry.folder.endswith(f"-{identifier.replace('-', '')[:12]}")
        for found in (session.ledger.read(entry),)
    )


def path_of(session: Session, home: str, below: str) -> str:
    """A path in a home as people are told it: relative to the root where it lies inside."""
    path: Path = session.ledger.homes[home] / below
    try:
        return path.relative_to(session.root.path).as_posix()
    except ValueError:
        return path.as_posix()
