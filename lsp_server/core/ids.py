"""Ids, hashes of bodies and the names of folders and event files.

Knows how each is derived, so that two clones that record the same thing agree; reads no clock and no randomness except
through `uuid7`, which may be given both.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
import time
import unicodedata
import uuid
from collections.abc import Collection, Mapping
from typing import Any

from lsp_server.core.kinds import kind_of
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import Event, Locus

NAMESPACE = uuid.UUID("6f6a3c1e-3f0b-5a39-9d5c-6d6f6f726c6e")
"""Namespace of every UUIDv5 here. Never change it: ids would."""

_MASK_48 = (1 << 48) - 1
_lock = threading.Lock()
_last_ms = 0


def memory_id(kind: str, body: str, primary: Locus | None) -> str:
    """The id of a memory at its birth: UUIDv5 of kind, normal body and primary anchor, or UUIDv7 for an occurrence.

    Raises LocusError where the primary anchor cannot be written down.
    """
    if kind_of(kind).identity == "occurrence":
        return uuid7()
    place = stored_locus(primary) if primary is not None else ""
    return _uuid5("memory", kind, normal_body(body), place)


def passage_id(document: str, target: str, number: int) -> str:
    """The id of the memory that a passage of a document is: UUIDv5 of the document's path, what its marker names, and
    which of the document's passages with such a marker it is (from 1)."""
    return _uuid5("passage", document, target, str(number))


def event_id() -> str:
    """A new id for an event that happens once."""
    return uuid7()


def shared_event_id(type: str, data: Mapping[str, Any]) -> str:
    """The id of an event that two writers must write as one: UUIDv5 of its type and all of its data.

    Raises ValueError where the data is no JSON.
    """
    return _uuid5("event", type, json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False))


def anchor_id(memory: str, locus: Locus, occurrence: int = 1, taken: Collection[str] = ()) -> str:
    """A short id (8 hex digits) for a new anchor of `memory` at `locus`, so that two clones agree.

    `occurrence` tells several symbols with one path apart. The id is not among `taken`: give the ids that the memory's
    anchors have where this place must get an anchor of its own (one that stood here first may have been re-anchored).
    """
    place = stored_locus(locus)
    number = 0
    while True:
        found = _uuid5("anchor", memory, place, str(occurrence), str(number) if number else "")[:8]
        if found not in taken:
            return found
        number += 1


def normal_body(body: str) -> str:
    """A body as it is stored and compared: LF, no blank lines around it, no NUL, no half surrogates."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\N{REPLACEMENT CHARACTER}")
    text = text.encode("utf-8", "replace").decode("utf-8") if _SURROGATE.search(text) else text
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)


def body_hash(body: str) -> str:
    """Lower-case hex SHA-256 of the normal body: what a baseline carries to say which text it vouched for."""
    return hashlib.sha256(normal_body(body).encode()).hexdigest()


def slug(body: str) -> str:
    """A few words of the first line with letters in it, for a folder's name: ASCII, lower case, at most 40 long."""
    for line in normal_body(body)[:2000].split("\n"):
        flat = unicodedata.normalize("NFKD", line).encode("ascii", "ignore").decode()
        words = re.findall(r"[a-z0-9]+", flat.lower())
        name = ""
        for word in words:
            longer = f"{name}-{word}" if name else word[:40]
            if len(longer) > 40:
                break
            name = longer
        if re.search("[a-z]", name):
            return name
    return "memory"


def folder_name(memory: str, body: str) -> str:
    """`<slug>-<id12>`: the folder of a memory, fixed at its birth."""
    return f"{slug(body)}-{id12(memory)}"


def id12(memory: str) -> str:
    """The first 12 hex digits of an id."""
    return memory.replace("-", "")[:12]


def event_file_name(event: Event) -> str:
    """`<time>-<event>.json` with the time as 20261130T105322Z.

    Raises ValueError where time or id hold what is no part of a file's name.
    """
    stamp = re.sub(r"\.[0-9]+", "", event.time).replace("-", "").replace(":", "")
    if not re.fullmatch(r"[0-9]{8}T[0-9]{6}Z", stamp):
        raise ValueError(f"the time {event.time!r} of an event is not UTC as 2026-11-30T10:53:22Z")
    if not re.fullmatch(r"[0-9a-zA-Z][0-9a-zA-Z-]{0,63}", event.id):
        raise ValueError(f"{event.id!r} cannot be the id of an event: write a UUID")
    return f"{stamp}-{event.id}.json"


def uuid7(milliseconds: int | None = None, random: int | None = None) -> str:
    """A UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix time in milliseconds, version, variant, 74 random bits.

    Without arguments no two from one process share a millisecond (the clock is run ahead of, section 6.2), so that the
    first 12 digits, which name a memory's folder, differ too.
    """
    global _last_ms
    if milliseconds is None:
        with _lock:
            _last_ms = milliseconds = max(time.time_ns() // 1_000_000, _last_ms + 1)
    bits = secrets.randbits(74) if random is None else random & ((1 << 74) - 1)
    high, low = bits >> 62, bits & ((1 << 62) - 1)
    return str(uuid.UUID(int=(milliseconds & _MASK_48) << 80 | 7 << 76 | high << 64 | 2 << 62 | low))


_SURROGATE = re.compile("[\ud800-\udfff]")


def _uuid5(*parts: str) -> str:
    """A UUIDv5 of parts, each with its length before it, so that no two lists of parts make one name."""
    name = "".join(f"{len(part)}:{part}" for part in parts)
    raw = name.encode("utf-8", "surrogatepass")
    digest = hashlib.sha1(NAMESPACE.bytes + raw, usedforsecurity=False).digest()
    return str(uuid.UUID(bytes=digest[:16], version=5))
