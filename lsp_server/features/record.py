"""Recording a memory on one place, several or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from lsp_server.core.change import Change, edited_data, transition_data
from lsp_server.core.checks import BY
from lsp_server.core.evidence import evidence_data
from lsp_server.core.ids import anchor_id, body_hash, folder_name, memory_id, normal_body
from lsp_server.core.kinds import KINDS, Kind
from lsp_server.core.ledger_text import memory_data
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import AnchorText, Event, Evidence, Memory, MemoryText, Sensitivity, Span
from lsp_server.features.checks import exact_checks
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import NO_REVISIONS, Revisions, check_number, exact_evidence, unknown_to
from lsp_server.features.expiry import expiry_date
from lsp_server.features.kind_fields import first_state, kind_fields
from lsp_server.features.places import Resolved, Wanted, resolve
from lsp_server.features.words import a_kind
from lsp_server.features.writing import baseline_event, event
from lsp_server.store.memory_json import text_of
from lsp_server.workspace.snapshot import Snapshot, Stamp

FILE_HASH = re.compile(r"(?:sha256:)?[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class Request:
    """What to record. `anchors` in order, the first is the primary one; `home` None takes the kind's own.

    `state` None is the one that the kind, or one of the `fields`, begins in. `revision`, as somebody wrote it, is the
    one from which on it is so, and at which `evidence` was seen that is no commit (empty: what is checked out). `again`
    records what was forgotten on purpose. `allow_secret` lets pass what looks like a secret.
    """

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
    state: str | None = None
    fields: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    evidence: tuple[Evidence, ...] = ()
    revision: str = ""
    again: bool = False
    allow_secret: bool = False
    by_checks: bool = False


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
    cap = int(snapshot.settings.kinds.get(kind.name, {}).get("cap", kind.cap))
    if size > cap:
        raise Refused(
            f"the text has {size} bytes, {a_kind(kind.name)} holds at most {cap}; shorten it or link to a document"
        )
    if request.sensitivity is not None and request.sensitivity not in set(Sensitivity):
        raise Refused(f"no sensitivity {request.sensitivity!r}; choose of: {', '.join(Sensitivity)}")
    if request.importance is not None and not 1 <= request.importance <= 5:
        raise Refused("importance goes from 1 to 5")
    if request.expires is not None:
        request = replace(request, expires=expiry_date(request.expires, snapshot.stamp.time))
    if kind.needs_anchor and not request.anchors:
        raise Refused(f"the {kind.name} belongs to a file or a place in it; name it")
    for wanted in request.anchors:
        if wanted.hash is not None and not FILE_HASH.fullmatch(wanted.hash):
            raise Refused(f"{wanted.hash[:20]!r} is no hash of a file; give its SHA-256, 64 hexadecimal digits")
    request = replace(request, checks=exact_checks(snapshot, request.checks))
    if request.by_checks and not request.checks:
        raise Refused("what goes by its checks needs one; give --check, like --check 'equals src/auth.py#TIMEOUT 30'")
    places = tuple(resolve(snapshot, wanted) for wanted in request.anchors)
    primary = places[0].locus if places else None
    return Draft(memory_id(kind.name, body, primary), kind, body, places, request)


def record(
    snapshot: Snapshot, exact: Draft, revisions: Revisions = NO_REVISIONS, tombstone: str | None = None
) -> Recorded:
    """The change that records a draft: a new memory, or what is new about one that exists.

    What exists and is retired is left as it is and said so. The memory of the draft's id must be among the snapshot's
    if it exists. `tombstone` is what it left where it was forgotten.
    """
    existing = snapshot.memories.get(exact.id)
    if existing is None:
        return Recorded(create(snapshot, exact, revisions, tombstone), exact.id, created=True)
    if not existing.current:
        return Recorded(None, exact.id, created=False, retired=True)
    return Recorded(extend(snapshot, exact, existing, revisions), exact.id, created=False)


def create(
    snapshot: Snapshot, exact: Draft, revisions: Revisions = NO_REVISIONS, tombstone: str | None = None
) -> Change:
    request, kind = exact.request, exact.kind
    stamp = stamped(snapshot, request)
    evidence = exact_evidence(request.evidence, request.revision, revisions)
    check_number((), evidence)
    fields = kind_fields(kind, request.fields, evidence)
    state = first_state(kind, fields, request.state)
    placed = place_anchors(exact.id, exact.places, ())
    data: dict[str, Any] = {
        "kind": kind.name,
        "state": state,
        "body_hash": body_hash(exact.body),
        "anchors": {identifier: stored_locus(place.locus) for identifier, place in placed.items()},
    }
    if evidence:
        data["evidence"] = evidence_data(evidence)
    if request.revision:
        data["at"] = revisions.commit(request.revision)
    # It names what was left of it, so that nobody takes it for something from before it was forgotten.
    born = event(stamp, "recorded", (tombstone,) if tombstone and request.again else (), data)
    text = MemoryText(
        exact.id,
        kind.name,
        exact.body,
        anchor_texts(placed, exact),
        tuple(sorted(set(request.tags))),
        request.importance,
        request.expires,
        request.checks,
        unknown={BY: "checks"} if request.by_checks else {},
        fields=fields,
    )
    events = (born, *accepted(exact, placed, stamp, (born.id,), state))
    return Change(exact.id, folder_name(exact.id, exact.body), request.home or kind.home, text, events)


def extend(snapshot: Snapshot, exact: Draft, existing: Memory, revisions: Revisions = NO_REVISIONS) -> Change | None:
    """Adds the anchors, tags, facts and evidence that an existing memory lacks; None when it has them all.

    Raises Refused where another state is asked for than it has: that is a transition.
    """
    request, kind = exact.request, exact.kind
    if request.state is not None and request.state != existing.state:
        raise Refused(
            f"it is known already and {existing.state}; moorline transition {existing.id[:8]} {request.state}"
            " makes it that"
        )
    stamp = stamped(snapshot, request)
    given = exact_evidence(request.evidence, request.revision, revisions)
    evidence = unknown_to(existing.evidence, given, request.evidence, request.revision)
    check_number(existing.evidence, evidence)
    fresh = [place for place in exact.places if not is_anchored(snapshot, existing, place)]
    old = text_of(existing)
    placed = place_anchors(exact.id, fresh, tuple(entry.id for entry in old.anchors))
    text = replace(
        old,
        anchors=(*old.anchors, *anchor_texts(placed, exact)),
        tags=tuple(sorted({*old.tags, *request.tags})),
        importance=request.importance if request.importance is not None else old.importance,
        expires=request.expires if request.expires is not None else old.expires,
        checks=(*old.checks, *(check for check in request.checks if check not in old.checks)),
        unknown={**old.unknown, BY: "checks"} if request.by_checks else old.unknown,
        fields=kind_fields(kind, {**old.fields, **request.fields}, (*existing.evidence, *evidence)),
    )
    what = {"evidence": evidence_data(evidence)} if evidence else {}
    if text == old:
        if not evidence:
            return None
        seen = event(stamp, "evidence", existing.heads, what)
        return Change(existing.id, existing.folder, existing.home, None, (seen,))
    edited = event(stamp, "edited", existing.heads, {**edited_data(told(old), told(text)), **what})
    events = [edited]
    starts = [kind.fields[name].starts for name in text.fields if text.fields[name] != old.fields.get(name)]
    begun = next((state for state in starts if state and kind.allows(existing.state, state)), existing.state)
    if begun != existing.state:
        events.append(event(stamp, "transitioned", (edited.id,), transition_data(existing.state, begun)))
    events += accepted(exact, placed, stamp, (events[-1].id,), begun)
    return Change(existing.id, existing.folder, existing.home, text, tuple(events), old)


def told(text: MemoryText) -> dict[str, Any]:
    """What `memory.md` says beside the words themselves, as an event keeps it."""
    return memory_data(text, body=False)


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
    return replace(snapshot.stamp, author=request.author.strip()) if request.author else snapshot.stamp


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


def anchor_texts(placed: Mapping[str, Resolved], exact: Draft) -> tuple[AnchorText, ...]:
    named = exact.request.sensitivity or exact.kind.sensitivity
    sensitivity = Sensitivity(named) if named else None
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
