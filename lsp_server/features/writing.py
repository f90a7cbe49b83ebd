"""The events that features ask to be written, and `memory.md` as a memory would be written now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_server.core.fingerprint import LIMIT, to_json
from lsp_server.core.ids import body_hash, event_id, shared_event_id
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import Event, Locus
from lsp_server.features.places import Resolved
from lsp_server.workspace.git import blob_id
from lsp_server.workspace.snapshot import Stamp


def event(stamp: Stamp, kind: str, after: tuple[str, ...], data: Mapping[str, Any]) -> Event:
    """A new event that happened after those in `after`."""
    return Event(event_id(), kind, stamp.time, stamp.author, stamp.revision, after, dict(data))


def baseline_event(
    stamp: Stamp,
    after: tuple[str, ...],
    anchor: str,
    resolved: Resolved,
    body: str,
    state: str,
    note: str | None = None,
) -> Event:
    """Acceptance of the code at a place as matching the memory's present text and state."""
    place = resolved.place
    content = resolved.content()
    kept = len(content.encode("utf-8", "surrogatepass")) <= LIMIT
    data: dict[str, Any] = {
        "anchor": anchor,
        "place": stored_locus(resolved.locus),
        "lines": [place.start_line, place.end_line],
        "fingerprint": to_json(resolved.fingerprint()),
        "body_hash": body_hash(body),
        "state": state,
    }
    if kept:
        data["content"] = content
    else:
        data["blob"] = blob_id(bytes(resolved.source.text)) if resolved.source.text is not None else ""
    if note:
        data["note"] = note
    return event(stamp, "baseline", after, data)


def followed_event(stamp: Stamp, after: tuple[str, ...], anchor: str, base: Locus, place: Locus, code: str) -> Event:
    """That an anchor's code was found elsewhere. Its id derives from what it says, so two writers write one file."""
    data = {"anchor": anchor, "base": stored_locus(base), "place": stored_locus(place), "code": code}
    identifier = shared_event_id("followed", data)
    return Event(identifier, "followed", stamp.time, stamp.author, stamp.revision, after, data)
