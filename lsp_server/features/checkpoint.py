"""Checkpoints: where somebody's work stands, kept on this machine for whoever goes on with it.

A checkpoint is short-lived and no knowledge about the code: a summary, what was decided, what is open and what comes
next. What looks like a secret, and what git prints of how things stand, is left out, line by line, and said.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lsp_server.core.capture import is_repository_state
from lsp_server.core.model import Memory
from lsp_server.features import life, operations
from lsp_server.features.errors import Refused
from lsp_server.features.listing import is_past
from lsp_server.features.record import Request
from lsp_server.features.secrets import secret_in
from lsp_server.workspace.session import Session

KIND = "checkpoint"

SECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "decisions": "Decisions",
        "open": "Open loops",
        "next": "Next actions",
        "entities": "Entities",
        "files": "Files",
    }
)
"""What a checkpoint has beside its summary, by name, with the heading of each."""

STATE = "repository state"

_HEADING = re.compile(r"## (.+)")


@dataclass(frozen=True, slots=True)
class Work:
    """How far somebody's work is. Each entry is one line."""

    summary: str
    decisions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def section(self, name: str) -> tuple[str, ...]:
        entries: tuple[str, ...] = getattr(self, name)
        return entries


async def checkpoint(session: Session, work: Work, author: str | None = None) -> dict[str, Any]:
    """Keeps where work stands; answers the memory with `left_out`: of which section a line was left out, and why.

    Earlier ones whose time is over are retired, so that nobody is asked what becomes of them. Raises
    Refused where nothing is left of the summary.
    """
    clean, left_out = await asyncio.to_thread(cleaned, work)
    if not clean.summary.strip():
        why = f": all of it is left out ({left_out[0]['why']})" if left_out else ""
        raise Refused(f"the summary says nothing{why}; say in a sentence how far the work is")
    answer = await operations.record_memory(session, Request(KIND, body_of(clean), author=author))
    await let_go(session, author)
    return {**answer, "left_out": left_out}


async def let_go(session: Session, author: str | None) -> None:
    """Retires the checkpoints that are past their time."""
    ids = [one.id for one in await session.index.memories(kind=KIND) if one.current]
    await session.load_ids(ids)
    snapshot = operations.spoken(session, author)
    for identifier in ids:
        memory = snapshot.memories.get(identifier)
        if memory is not None and memory.current and is_past(snapshot, memory):
            step = await operations.step_of(session, memory, operations.Grounds("its time is over", author=author))
            await session.apply(*life.retire(snapshot, memory, step))


def cleaned(work: Work) -> tuple[Work, list[dict[str, str]]]:
    """Work without lines that hold a secret or a repository's state, and what was left out of it."""
    left_out: list[dict[str, str]] = []

    def kept(section: str, lines: Sequence[str]) -> tuple[str, ...]:
        found = []
        for line in lines:
            why = secret_in(line) or (STATE if is_repository_state(line) else "")
            if why:
                left_out.append({"section": section, "why": why})
            else:
                found.append(line)
        return tuple(found)

    # A key may go over several lines, each of which alone looks like nothing.
    summary: Sequence[str] = work.summary.splitlines()
    lines = kept("summary", summary)
    if (whole := secret_in("\n".join(lines))) is not None:
        left_out.append({"section": "summary", "why": whole})
        lines = ()
    rest = {name: kept(name, [" ".join(one.split()) for one in work.section(name) if one.strip()]) for name in SECTIONS}
    return Work("\n".join(lines), **rest), left_out


def body_of(work: Work) -> str:
    """A checkpoint as Markdown: `work_of` reads it again."""
    parts = ["\n".join(re.sub(r"^\s*#+\s*", "", line) for line in work.summary.strip().splitlines())]
    for name, heading in SECTIONS.items():
        if entries := work.section(name):
            parts.append("\n".join([f"## {heading}", "", *(f"- {one}" for one in entries)]))
    return "\n\n".join(parts)


def work_of(body: str) -> Work:
    """What a checkpoint says, read from its Markdown. What somebody wrote by hand elsewhere goes to the summary."""
    names = {heading: name for name, heading in SECTIONS.items()}
    summary: list[str] = []
    found: dict[str, list[str]] = {name: [] for name in SECTIONS}
    section = ""
    for line in body.splitlines():
        heading = _HEADING.fullmatch(line.strip())
        if heading is not None and heading[1] in names:
            section = names[heading[1]]
        elif section and line.startswith("- "):
            found[section].append(line[2:].strip())
        elif line.strip() or not section:
            summary.append(line)
    return Work("\n".join(summary).strip(), **{name: tuple(entries) for name, entries in found.items()})


def latest(memories: Sequence[Memory]) -> Memory | None:
    """The newest current checkpoint of some memories."""
    found = [one for one in memories if one.kind == KIND and one.current]
    return max(found, key=lambda one: (one.created, one.id), default=None)
