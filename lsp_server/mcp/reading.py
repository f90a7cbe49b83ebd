"""Resources and prompts: what an agent's user may put before it, in the same quotations as tools answer.

Refuses to know the protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

from lsp_server.features.errors import Refused
from lsp_server.features.listing import in_reading_order
from lsp_server.features.quoted import line
from lsp_server.features.words import short
from lsp_server.mcp import tools
from lsp_server.mcp.desk import Desk, Json

SCHEME = "moorline://"

LISTED = 50
"""Most memories that are listed as resources; all of them can be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One resource: what it is called says nothing that a memory says."""

    uri: str
    name: str
    description: str


FIXED = (
    Entry(f"{SCHEME}check", "check", "what is stale, contradicted or cannot be told"),
    Entry(f"{SCHEME}backlog", "backlog", "what is owed"),
)

TEMPLATES = (
    Entry(f"{SCHEME}memory/{{id}}", "memory", "one memory, by its id or the beginning of it"),
    Entry(f"{SCHEME}locus/{{+place}}", "locus", "what is recorded of a place; `#` in it is written `%23`"),
)


async def listed(desk: Desk) -> list[Entry]:
    """What can be read without knowing what is there, and the current memories that come first."""
    await desk.whole()
    snapshot = desk.session.snapshot()
    current = in_reading_order(snapshot, [one for one in snapshot.memories.values() if one.current])
    found = list(FIXED)
    for memory in current[:LISTED]:
        at = ", ".join(str(anchor.place) for anchor in memory.anchors[:2])
        found.append(
            Entry(f"{SCHEME}memory/{memory.id}", f"{line(memory.kind, 40)} {short(memory.id)}", line(at) or "no place")
        )
    return found


async def read(desk: Desk, uri: str) -> Json:
    """The answer behind an address. Raises Refused for one that is none."""
    path = unquote(uri.removeprefix(SCHEME)) if uri.startswith(SCHEME) else ""
    what, _, rest = path.partition("/")
    if path == "check":
        return await tools.check(desk, {})
    if path == "backlog":
        return await tools.backlog(desk, {})
    if what == "memory" and rest:
        return await tools.show(desk, {"id": rest})
    if what == "locus" and rest:
        return await tools.describe(desk, {"place": rest})
    addresses = ", ".join(entry.uri for entry in (*FIXED, *TEMPLATES))
    raise Refused(f"no resource {line(uri, 80)!r}; resources: {addresses}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: what we say, and the answer that goes with it as a quotation. `takes` are its arguments, all needed."""

    name: str
    description: str
    takes: Mapping[str, str]
    words: str
    answer: Callable[[Desk, Mapping[str, str]], Awaitable[Json]]


async def _of_place(desk: Desk, given: Mapping[str, str]) -> Json:
    return await tools.describe(desk, {"place": given["place"], "with": ["history", "related"]})


async def _of_backlog(desk: Desk, given: Mapping[str, str]) -> Json:
    return await tools.backlog(desk, {"limit": 20})


_PROMPTS = (
    Prompt(
        "before_change",
        "What is recorded of a place, before it is changed",
        {"place": "FILE#SYMBOL, FILE:LINE or FILE"},
        "I am about to change the place below. Tell me what of the record bears on that, what of it cannot be relied on"
        " and why, and what to look at first.",
        _of_place,
    ),
    Prompt(
        "settle",
        "Go through what is owed",
        {},
        "Below is what the record of this repository owes. Look at the code of each, and propose for each whether it is"
        " still true (clear), is to be replaced (supersede), or is over (retire). Change nothing before I agree.",
        _of_backlog,
    ),
)

PROMPTS: Mapping[str, Prompt] = MappingProxyType({one.name: one for one in _PROMPTS})
"""Every prompt, by name."""
