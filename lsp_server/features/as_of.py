"""What was believed at a revision: every memory as it stood then, judged by the code as it was then.

An event counts if the revision that it speaks of, or else the one that was checked out when it was written, is the one
that is asked for or an ancestor of it. Where that cannot be told (no revision, or one that no branch leads to any more)
its time decides, against the time of the commit; the answer says of which memories.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsp_server.core.drift import judge
from lsp_server.core.ids import body_hash
from lsp_server.core.ledger_text import LedgerTextError, read_memory
from lsp_server.core.model import Event, Memory, MemoryText, SourceState, Verdict
from lsp_server.core.past import happened, memory_then
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.features.errors import Refused
from lsp_server.features.words import parse_time
from lsp_server.store.memory_json import text_of
from lsp_server.store.scan import LEDGER_FOLDER, MEMORY_FILE
from lsp_server.workspace import git
from lsp_server.workspace.ancestry import Ancestry, GitUnable, ancestry
from lsp_server.workspace.session import Session, faulty_states
from lsp_server.workspace.snapshot import AnchorKey, Snapshot, Stamp

TOGETHER = 50
"""Files that are asked of git in one go."""


@dataclass(frozen=True, slots=True)
class Then:
    """A moment of the past. `snapshot` holds the memories of then, judged by the files of then; `events` what had
    happened to each. `by_time` has the ids of the memories of which an event was placed by its time alone,
    `placed_by_time` those of the events."""

    asked: str
    revision: str
    time: str
    snapshot: Snapshot
    events: Mapping[str, tuple[Event, ...]]
    by_time: frozenset[str]
    placed_by_time: frozenset[str]


async def as_of(session: Session, revision: str, ids: Sequence[str] | None = None) -> Then:
    """The memories (or some of them, by id) as they were believed at a revision.

    Raises Refused where there is no such revision, or git cannot tell what came before it.
    """
    memories = await session.index.memories(ids)
    events = await asyncio.to_thread(_events_of, session, memories)
    starts = {memory: revisions_of(some) for memory, some in events.items()}
    line = await ancestry_of(session, revision, {start for some in starts.values() for start in some.values()})
    present = {memory.id: text_of(memory) for memory in memories}
    files = await _files_then(session, line.revision, memories)
    found: dict[str, Memory] = {}
    past: dict[str, tuple[Event, ...]] = {}
    placed: dict[str, set[str]] = {}
    for memory in memories:
        known, start = events[memory.id], starts[memory.id]
        alive = {event.id for event in known if counts(event, start[event.id], line)}
        counting = happened(known, lambda event: event.id in alive)  # noqa: B023  It is called at once.
        then = memory_then(memory, present[memory.id], known, counting, files.get(memory.id))
        placed[memory.id] = {event.id for event in known if is_by_time(start[event.id], line)}
        past[memory.id] = counting
        if then is not None:
            found[memory.id] = then
    read = await _sources_then(session.root.path, line.revision, found.values())
    verdicts = await asyncio.to_thread(_judged, found.values(), read)
    now = session.snapshot()
    snapshot = replace(
        now,
        memories=MappingProxyType(found),
        verdicts=MappingProxyType(verdicts),
        since=MappingProxyType({}),
        checks=MappingProxyType({}),
        passages=MappingProxyType({}),
        documents=MappingProxyType({}),
        read=read,
        stamp=Stamp(now.stamp.author, line.time, line.revision),
    )
    by_time = frozenset(memory for memory, some in placed.items() if some)
    every = frozenset(event for some in placed.values() for event in some)
    return Then(revision, line.revision, line.time, snapshot, past, by_time, every)


def as_of_json(then: Then, memories: Sequence[Memory]) -> dict[str, Any]:
    """What a list says of the moment it is of."""
    unsure = [memory.id for memory in memories if memory.id in then.by_time]
    return {"asked": then.asked, "revision": then.revision, "time": then.time, "by_time": unsure}


async def ancestry_of(session: Session, revision: str, others: Iterable[str]) -> Ancestry:
    """What a revision has behind it of other ones. Raises Refused."""
    if git.common_dir(session.root.path) is None:
        raise Refused("this is no git repository, so there is no revision to look at; leave out --as-of")
    try:
        line = await ancestry(session.root.path, revision, others)
    except GitUnable as error:
        raise Refused(f"git does not tell {error}; try again, or run git fsck") from None
    if line is None:
        raise Refused(f"no revision {revision[:80]!r} here; name a commit, a branch or a tag, or fetch it first")
    return line


def revisions_of(events: Iterable[Event]) -> dict[str, str]:
    """The revision that each event counts from, by its id: the one that its change says to hold from, else what
    was checked out when it was written; empty where neither is known.

    A change is what one author wrote at one time: who says from when on something is so accepts the code with it.
    """
    known = list(events)
    said: dict[tuple[str, str], str] = {}
    for event in known:
        for key in ("at", "since"):
            if isinstance(value := event.data.get(key), str) and value:
                said.setdefault((event.time, event.author), value)
    return {event.id: said.get((event.time, event.author), event.revision) for event in known}


def counts(event: Event, revision: str, line: Ancestry) -> bool:
    """Whether an event that counts from a revision had happened."""
    if not is_by_time(revision, line):
        return revision in line.behind
    try:
        return parse_time(event.time) <= parse_time(line.time)
    except ValueError:
        return False


def is_by_time(revision: str, line: Ancestry) -> bool:
    """Whether only its time tells where an event belongs that counts from a revision."""
    return not revision or revision in line.unknown


# -- what git and the ledger hold --------------------------------------------------------------------------------------


def _events_of(session: Session, memories: Sequence[Memory]) -> dict[str, tuple[Event, ...]]:
    entries = session.ledger.scan().entries
    found: dict[str, tuple[Event, ...]] = {}
    for memory in memories:
        entry = entries.get((memory.home, memory.folder))
        found[memory.id] = session.ledger.read(entry).events if entry is not None else ()
    return found


async def _files_then(session: Session, revision: str, memories: Sequence[Memory]) -> dict[str, MemoryText]:
    """What was committed of `memory.md` at a revision, by memory; what was not, or cannot be read, is left out."""
    places = {
        memory.id: (revision, f"{LEDGER_FOLDER}/memories/{memory.folder}/{MEMORY_FILE}")
        for memory in memories
        if memory.home == "shared"
    }
    blobs = await git.blob_ids(session.root.path, list(places.values()))
    contents = await _contents(session.root.path, list(blobs.values()))
    found: dict[str, MemoryText] = {}
    for memory, place in places.items():
        data = contents.get(blobs.get(place, ""))
        if data is not None:
            try:
                found[memory] = read_memory(data)
            except LedgerTextError:
                continue
    return found


async def _sources_then(root: Path, revision: str, memories: Iterable[Memory]) -> Callable[[str], Source]:
    """Reads files as they were at a revision: all that the memories are anchored in."""
    paths = sorted({place.file for memory in memories for anchor in memory.anchors for place in anchor.places})
    blobs = await git.blob_ids(root, [(revision, path) for path in paths])
    contents = await _contents(root, list(blobs.values()))
    sources: dict[str, Source] = {}

    def read(path: str) -> Source:
        if path not in sources:
            oid = blobs.get((revision, path))
            data = contents.get(oid or "")
            if oid is None:
                sources[path] = Source(path, SourceState.GONE)
            elif data is None:
                sources[path] = Source(path, SourceState.UNREADABLE, message="git did not give it")
            else:
                sources[path] = read_source(path, Text.of(data))
        return sources[path]

    return read


async def _contents(root: Path, oids: Sequence[str]) -> dict[str, bytes]:
    """The bytes of any number of blobs. git's answers are bounded, so they are asked for some at a time."""
    found: dict[str, bytes] = {}
    for start in range(0, len(oids), TOGETHER):
        found |= await git.blobs(root, oids[start : start + TOGETHER])
    return found


def _judged(memories: Iterable[Memory], read: Callable[[str], Source]) -> Mapping[AnchorKey, Verdict]:
    return {
        (memory.id, anchor.id): judge(anchor, read, body_hash=body_hash(memory.body), regressed=faulty_states(memory))
        for memory in memories
        for anchor in memory.anchors
    }
