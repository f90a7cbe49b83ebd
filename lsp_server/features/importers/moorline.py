"""Another Moorline: the folders of its ledger, each a `memory.md` and the events beside it.

Knows the ledger's own text and fold, so a memory arrives with the state it has there. What somebody accepted there
nobody accepted here: its code counts as seen only where it is the same, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsp_server.core.fold import fold
from lsp_server.core.ledger_text import LedgerTextError, read_event, read_memory
from lsp_server.core.model import Anchor, Event, Memory
from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, Spot
from lsp_server.features.importers.reading import first_line

_FRONT = re.compile(
    rb"\A\xef?\xbb?\xbf?\s*---\r?\n(?=(?:[^\n]*\n){0,20}?id: *[0-9a-f]{8}-)(?=(?:[^\n]*\n){0,20}?kind: )"
)
_EVENT = re.compile(r"\d{8}T\d{6}Z-[0-9A-Za-z-]+\.json")


def recognises(given: Given) -> bool:
    if given.name == "memory.md":
        return _FRONT.match(given.data) is not None
    return _EVENT.fullmatch(given.name) is not None and b'"type"' in given.data and b'"after"' in given.data


def read_ledger(files: Sequence[Given]) -> Arrived:
    found = Arrived()
    events: dict[str, list[Event]] = {}
    memories = []
    for given in files:
        try:
            if given.name == "memory.md" or not given.name.endswith(".json"):
                memories.append((given, read_memory(given.data)))
            else:
                events.setdefault(given.folder, []).append(read_event(given.data))
        except LedgerTextError as error:
            found.problems.append(Problem(given.path, f"line {error.line}", error.message, True))
    for given, text in memories:
        found.entries.append(entry_of(given, fold(text, events.get(given.folder, ()))))
    return found


def entry_of(given: Given, memory: Memory) -> Entry:
    return Entry(
        "moorline",
        memory.id,
        given.path,
        title=first_line(memory.body),
        text=memory.body,
        kind=memory.kind,
        where=memory.id,
        tags=memory.tags,
        time=memory.created,
        author=memory.author,
        state="disputed" if memory.disputed else memory.state,
        after=memory.superseded_by[0] if memory.superseded_by else "",
        expires=memory.expires or "",
        places=tuple(spot_of(anchor) for anchor in memory.anchors),
        base=base_of(given.folder),
    )


def spot_of(anchor: Anchor) -> Spot:
    place = anchor.place
    content = anchor.baselines[-1].content if anchor.baselines else None
    return Spot(place.file, place.symbol or "", lines=place.lines, quote=content or "", unsure=not content)


def base_of(folder: str) -> str:
    """The folder that holds the `.moorline`."""
    head, found, _ = f"/{folder}/".rpartition("/.moorline/")
    return head.strip("/") if found else ""


IMPORTER = Importer("moorline", "another Moorline", recognises, read_ledger)
