"""Evidence as people write it, and as events keep it.

Knows the types, what each takes, and when two pieces are the same one; refuses to know whether a commit or a file is
there (`workspace` can tell) and which transition asks for which evidence (`core.kinds` does).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lsp_server.core.model import Evidence

LIMIT = 64
"""Most pieces of evidence that a memory may have."""

VALUE_LIMIT = 4096
"""Most bytes of UTF-8 that one piece may have."""

TYPES: Mapping[str, str] = MappingProxyType(
    {
        "commit": "commit:SHA",
        "file": "file:PATH:LINES",
        "url": "url:https://...",
        "test": "test:NAME",
        "quote": "quote:WORDS",
    }
)
"""Every type, with how it is written."""

FIX_VERIFICATION = "fix-verification"
"""The role of evidence that shows a fix to work."""

_ROLE = re.compile(r"[a-z][a-z0-9-]{0,39}")
_WRITTEN = re.compile(r"(?:([^=:\s]*)=)?([a-z]+):(.*)", re.DOTALL)
_FILE = re.compile(r"(?![^\0]*:[0-9][^:/]*$)[^\0]+|[^\0]+:[1-9][0-9]{0,8}(?:-[1-9][0-9]{0,8})?")
_SHA = re.compile(r"[^\s\0:?*\[\\^~]{1,200}")


class EvidenceError(ValueError):
    """What is no evidence. The message is one line that says how to write it."""


def parse_evidence(text: str) -> Evidence:
    """Reads `[role=]type:value`. Raises EvidenceError."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or found.group(2) not in TYPES:
        raise EvidenceError(f"{_shown(text)} is no evidence; write one of {', '.join(TYPES.values())}")
    role, type_, value = found.group(1) or "", found.group(2), found.group(3).strip()
    return checked(Evidence(type_, value, role))


def checked(piece: Evidence) -> Evidence:
    """The same piece, where its parts can be. Raises EvidenceError."""
    if piece.type not in TYPES:
        raise EvidenceError(f"{_shown(piece.type)} is no type of evidence; write one of {', '.join(TYPES.values())}")
    if piece.role and not _ROLE.fullmatch(piece.role):
        raise EvidenceError(f"{_shown(piece.role)} is no role; write a word in small letters, like {FIX_VERIFICATION}")
    if not piece.value:
        raise EvidenceError(f"the evidence says nothing; write {TYPES[piece.type]}")
    size = len(piece.value.encode("utf-8", "surrogatepass"))
    if size > VALUE_LIMIT:
        raise EvidenceError(f"the evidence has {size} bytes, a piece holds at most {VALUE_LIMIT}; shorten it")
    if piece.type == "file" and not _FILE.fullmatch(piece.value):
        raise EvidenceError(f"{_shown(piece.value)} is no place in a file; write file:PATH:LINES")
    if piece.type == "commit" and not _SHA.fullmatch(piece.value):
        raise EvidenceError(f"{_shown(piece.value)} is no commit; write commit:SHA")
    if piece.type == "url" and not re.fullmatch(r"https?://[^\s\0]+", piece.value):
        raise EvidenceError(f"{_shown(piece.value)} is no URL; write url:https://...")
    return piece


def write_evidence(piece: Evidence) -> str:
    """How a person writes a piece."""
    return f"{piece.role}={piece.type}:{piece.value}" if piece.role else f"{piece.type}:{piece.value}"


def evidence_data(pieces: Iterable[Evidence]) -> list[dict[str, Any]]:
    """What an event keeps of pieces: without author, time and event, which are its own."""
    return [
        {
            "type": piece.type,
            "value": piece.value,
            **({"role": piece.role} if piece.role else {}),
            **({"revision": piece.revision} if piece.revision else {}),
        }
        for piece in pieces
    ]


def evidence_from(data: Any, *, author: str = "", time: str = "", event: str = "") -> tuple[Evidence, ...]:
    """What an event's `evidence` holds; what is of no known shape is passed over, since it may be a newer version's."""
    if not isinstance(data, Sequence) or isinstance(data, str):
        return ()
    found = []
    for item in data:
        if not isinstance(item, Mapping) or not all(isinstance(item.get(key), str) for key in ("type", "value")):
            continue
        role, revision = item.get("role", ""), item.get("revision", "")
        if isinstance(role, str) and isinstance(revision, str):
            found.append(Evidence(item["type"], item["value"], role, revision, author, time, event))
    return tuple(found)


def distinct(pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Each piece once, the first of equal ones."""
    kept: dict[tuple[str, str, str, str], Evidence] = {}
    for piece in pieces:
        kept.setdefault((piece.type, piece.value, piece.role, piece.revision), piece)
    return tuple(kept.values())


def is_new(piece: Evidence, known: Iterable[Evidence]) -> bool:
    """Whether a piece says what none of the known ones says. The role does not make it new; another revision does: a
    test that failed before the fix is other evidence when it passes after it."""
    return all((piece.type, piece.value, piece.revision) != (one.type, one.value, one.revision) for one in known)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
