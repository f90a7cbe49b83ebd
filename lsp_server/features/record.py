"""Recording a memory on one place, several or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from lsp_server.core.change import Change
from lsp_server.core.ids import anchor_id, body_hash, folder_name, memory_id, normal_body
from lsp_server.core.kinds import KINDS, Kind
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import AnchorText, Event, Memory, MemoryText, Sensitivity, Span
from lsp_server.features.errors import Refused
from lsp_server.features.places import Resolved, Wanted, resolve
from lsp_server.features.writing import baseline_event, event
from lsp_server.store.memory_json import text_of
from lsp_server.workspace.snapshot import Snapshot, Stamp

FILE_HASH = re.compile(r"(?:sha256:)?[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class Request:
    """What to record. `anchors` in order, the first is the primary one; `home` None takes the kind's own."""

    kind: str
    text: str
    anchors: tuple[Wanted, ...] = ()
    home: str | None = None
    tags: tuple[str, ...] = ()
    importance: int | None = None
    expires: str | None = None
    checks: tuple[str, ...] = ()
    sensitivity: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What to write (None when there is nothing new), the memory's id, and whether it is new or stands retired."""

    change: Change | None
    memory: str
    created: bool
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A request made exact: every place resolved, the text normalised, the identity known."""

    id: str
    kind: Kind
    body: str
    places: tuple[Resolved, ...]
    request: Request


def draft(snapshot: Snapshot, request: Request) -> Draft:
    """Makes a request exact. Raises Refused, naming the mend, where anything in it cannot be.

    It is apart from `record` so that a caller can load the memory of that id first: the same decision recorded twice
    is one memory.
    """
    kind = KINDS.get(request.kind)
    if kind is None:
        raise Refused(f"no kind {request.kind!r}; kinds: {', '.join(KINDS)}")
    if kind.elsewhere:
        raise Refused(f"a {kind.name} is what a document says: write @anchor(file=F, symbol=S) into its Markdown")
    body = normal_body(request.text)
    if not body:
        raise Refused("the text is empty; say what is to be remembered")
    size = len(body.encode("utf-8", "surrogatepass"))
    if size > kind.cap:
        raise Refused(
            f"the text has {size} bytes, a {kind.name} holds at most {kind.cap}; shorten it or link to a document"
        )
    if request.sensitivity is not None and request.sensitivity not in set(Sensitivity):
        raise Refused(f"no sensitivity {request.sensitivity!r}; choose of: {', '.join(Sensitivity)}")
    if request.importance is not None and not 1 <= request.importance <= 5:
        raise Refused("importance goes from 1 to 5")
    if request.expires is not None:
        request = replace(request, expires=expiry(request.expires))
    for wanted in request.anchors:
        if wanted.hash is not None and not FILE_HASH.fullmatch(wanted.hash):
            raise Refused(f"{wanted.hash[:20]!r} is no hash of a file; give its SHA-256, 64 hexadecimal digits")
    places = tuple(resolve(snapshot, wanted) for wanted in request.anchors)
    primary = places[0].locus if places else None
    return Draft(memory_id(kind.name, body, primary), kind, body, places, request)


def expiry(text: str) -> str:
    """A day or a time of RFC 3339, as it is kept. Raises Refused for anything else."""
    try:
        if len(text) == 10:
            return date.fromisoformat(text).isoformat()
        datetime.fromisoformat(text.replace("Z", "+00:00"))
        return text
    except ValueError:
        raise Refused(f"{text[:40]!r} is no date; write it like 2027-03-31") from None


def record(snapshot: Snapshot, exact: Draft) -> Recorded:
    """The change that records a draft: a new memory, or what is new about one that exists.

    What exists and is retired is left as it is and said so. The memory of the draft's id must be among the snapshot's
    if it exists.
    """
    existing = snapshot.memories.get(exact.id)
    if existing is None:
        return Recorded(create(snapshot, exact), exact.id, created=True)
    if not existing.current:
        return Recorded(None, exact.id, created=False, retired=True)
    return Recorded(extend(snapshot, exact, existing), exact.id, created=False)


def create(snapshot: Snapshot, exact: Draft) -> Change:
    request, kind = exact.request, exact.kind
    stamp = stamped(snapshot, request)
    placed = place_anchors(exact.id, exact.places, ())
    born = event(
        stamp,
        "recorded",
        (),
        {
            "kind": kind.name,
            "state": kind.initial,
            "body_hash": body_hash(exact.body),
            "anchors": {identifier: stored_locus(place.locus) for identifier, place in placed.items()},
        },
    )
    text = MemoryText(
        exact.id,
        kind.name,
        exact.body,
        anchor_texts(placed, request),
        tuple(sorted(set(request.tags))),
        request.importance,
        request.expires,
        request.checks,
    )
    events = (born, *accepted(exact, placed, stamp, (born.id,), kind.initial))
    return Change(exact.id, folder_name(exact.id, exact.body), request.home or kind.home, text, events)


def extend(snapshot: Snapshot, exact: Draft, existing: Memory) -> Change | None:
    """Adds the anchors, tags and facts that an existing memory lacks; None when it has them all."""
    request = exact.request
    stamp = stamped(snapshot, request)
    fresh = [place for place in exact.places if not is_anchored(snapshot, existing, place)]
    old = text_of(existing)
    placed = place_anchors(exact.id, fresh, tuple(entry.id for entry in old.anchors))
    text = replace(
        old,
        anchors=(*old.anchors, *anchor_texts(placed, request)),
        tags=tuple(sorted({*old.tags, *request.tags})),
        importance=request.importance if request.importance is not None else old.importance,
        expires=request.expires if request.expires is not None else old.expires,
        checks=(*old.checks, *(check for check in request.checks if check not in old.checks)),
    )
    names = ("anchors", "tags", "importance", "expires", "checks")
    what = [name for name in names if getattr(text, name) != getattr(old, name)]
    if not what:
        return None
    edited = event(stamp, "edited", existing.heads, {"what": what})
    events = (edited, *accepted(exact, placed, stamp, (edited.id,), existing.state))
    return Change(existing.id, existing.folder, existing.home, text, events, old)


def is_anchored(snapshot: Snapshot, existing: Memory, place: Resolved) -> bool:
    """Whether a memory has an anchor on exactly this code; of several definitions with one path, on this one."""
    for item in snapshot.judged(existing):
        if place.locus not in (item.anchor.place, item.anchor.locus):
            continue
        symbol, span = place.symbol, item.verdict.span
        if symbol is None or span is None or span == Span(symbol.start, symbol.end):
            return True
    return False


def stamped(snapshot: Snapshot, request: Request) -> Stamp:
    return replace(snapshot.stamp, author=request.author) if request.author else snapshot.stamp


def place_anchors(memory: str, places: Sequence[Resolved], taken: Sequence[str]) -> dict[str, Resolved]:
    """Ids for new anchors, in order; a place that is named twice is one anchor."""
    placed: dict[str, Resolved] = {}
    seen: set[tuple[str, int]] = set()
    for place in places:
        exactly = (stored_locus(place.locus), place.symbol.start if place.symbol is not None else -1)
        if exactly not in seen:
            seen.add(exactly)
            which = place.symbol.occurrence[0] if place.symbol is not None else 1
            placed[anchor_id(memory, place.locus, which, [*taken, *placed])] = place
    return placed


def anchor_texts(placed: Mapping[str, Resolved], request: Request) -> tuple[AnchorText, ...]:
    sensitivity = Sensitivity(request.sensitivity) if request.sensitivity else None
    return tuple(AnchorText(identifier, place.locus, sensitivity) for identifier, place in placed.items())


def accepted(
    exact: Draft, placed: Mapping[str, Resolved], stamp: Stamp, after: tuple[str, ...], state: str
) -> list[Event]:
    """A baseline for each new anchor. A file hash that the caller believes in and is not so is kept instead."""
    believed = {id(place): want.hash for place, want in zip(exact.places, exact.request.anchors, strict=True)}
    found: list[Event] = []
    for identifier, place in placed.items():
        entry = baseline_event(stamp, after, identifier, place, exact.body, state)
        wanted = (believed.get(id(place)) or "").lower().removeprefix("sha256:")
        if wanted and wanted != entry.data["fingerprint"]["file_sha256"]:
            entry = replace(entry, data=believed_only(entry.data, wanted))
        found.append(entry)
    return found


def believed_only(data: Mapping[str, Any], believed: str) -> dict[str, Any]:
    """A baseline that knows the file's hash and nothing else: the code it was about is not at hand."""
    fingerprint = data["fingerprint"]
    kept = {key: fingerprint[key] for key in ("scheme", "kind", "language", "grammar") if key in fingerprint}
    return {
        **{key: value for key, value in data.items() if key not in ("content", "blob")},
        "fingerprint": {**kept, "file_sha256": believed},
    }
