"""Passages as memories: which memory of the ledger belongs to which marker, and what is served of each.

The ledger keeps of a passage its id, its document, its target and its baselines, and no words of its own: those are the
document's, as they are now. A marker that nobody accepted has no entry in the ledger and is served all the same,
without a baseline. Pure: the same documents and the same ledger give the same answer, whatever they were before.

Who belongs to whom, the surest first: the same document and target; the same document where the marker's target was
changed by hand but its words are those that were accepted, or it now names a place that the anchor was followed to or
accepted at; another document with the same target and words, where the old document is gone (it was renamed), and then
that document's other markers by target alone. What is left over in the ledger is lost, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from lsp_server.core.change import Change
from lsp_server.core.documents import Marker
from lsp_server.core.documents_passages import Passage
from lsp_server.core.files import no_baseline
from lsp_server.core.fingerprint import LIMIT
from lsp_server.core.ids import anchor_id, body_hash, event_id, folder_name, passage_id
from lsp_server.core.kinds import kind_of
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import (
    Anchor,
    AnchorText,
    Event,
    Level,
    Locus,
    Memory,
    MemoryText,
    Span,
    Verdict,
)
from lsp_server.core.source import Source

Look = Callable[[str], Source]
"""Gives the source of a file as it is now."""

KIND = "passage"
"""The kind of every memory that is a passage of a document."""

DOCUMENT = "document"
"""The key of front matter that names a passage's document, by its path from the root."""


@dataclass(frozen=True, slots=True)
class Written:
    """Where a served passage stands: its document, the bytes of its words, its markers (several may name one place from
    one passage), and the line (from 1) of the first of them."""

    document: str
    span: Span
    markers: tuple[Marker, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Served:
    """A passage as readers get it. `written` is None for one whose marker is gone; `kept` is what the ledger holds of
    it, None where nobody accepted it yet."""

    memory: Memory
    written: Written | None
    kept: Memory | None


@dataclass(frozen=True, slots=True, eq=False)
class _Slot:
    """A passage that names a target: the markers that do so in it, and the hash of its words."""

    document: str
    target: str
    number: int
    passage: Passage
    markers: tuple[Marker, ...]
    words: str

    @property
    def locus(self) -> Locus:
        assert self.passage.marker.locus is not None
        return self.passage.marker.locus


def document_of(memory: Memory) -> str | None:
    """The document whose passage a memory is; None for any other memory."""
    return memory.fields.get(DOCUMENT) if kind_of(memory.kind).elsewhere else None


def serve(documents: Mapping[str, Sequence[Passage]], ledger: Iterable[Memory]) -> dict[str, Served]:
    """Every passage by the id of its memory. `documents` are the Markdown files that hold a marker; `ledger` the
    memories of the ledger, of which those of other kinds are passed over."""
    slots = [slot for document in sorted(documents) for slot in _slots(document, documents[document])]
    kept = {memory.id: memory for memory in ledger if document_of(memory)}
    pairs = _paired(slots, kept, frozenset(documents))
    taken = set(kept)
    found: dict[str, Served] = {}
    for slot in slots:
        memory = pairs.get(slot)
        if memory is None:
            fresh = _unaccepted(slot, taken)
            taken.add(fresh.id)
            found[fresh.id] = Served(fresh, _written(slot), None)
        else:
            found[memory.id] = Served(_as_written(memory, slot), _written(slot), memory)
    for memory in kept.values():
        if memory.id not in found:
            found[memory.id] = Served(_lost(memory), None, memory)
    return found


def verdict_on(served: Served, verdict: Verdict, look: Look) -> Verdict:
    """The verdict on the anchor of a passage, from that on its code: missing where its marker is gone, and without a
    baseline where the marker was made to point at other code than was accepted."""
    memory = served.memory
    if not memory.current:
        return verdict
    if served.written is None:
        return _lost_verdict(memory, verdict)
    anchor = memory.anchors[0]
    if verdict.anchor != anchor.id or served.kept is None or served.kept.anchors[:1] == memory.anchors[:1]:
        return verdict
    now = verdict.now
    here = now is not None and (now.file, now.symbol) == (anchor.locus.file, anchor.locus.symbol)
    return verdict if here and not verdict.stale else no_baseline(anchor, look(anchor.locus.file))


def _lost_verdict(memory: Memory, verdict: Verdict) -> Verdict:
    """There are no words that the code could match."""
    span = verdict.name_span or verdict.span
    said = memory.problem or "its passage is gone"
    detail = f"{said[:1].upper()}{said[1:]}."
    return Verdict(verdict.anchor, Level.MISSING, None, detail, baseline=verdict.baseline, name_span=span)


def _slots(document: str, passages: Sequence[Passage]) -> list[_Slot]:
    """One for each passage and target; a passage that names a target twice has one. The number tells passages of one
    document apart that name the same target, in text order."""
    groups: dict[str, dict[Span, list[Passage]]] = {}
    for passage in passages:
        groups.setdefault(passage.marker.target, {}).setdefault(passage.span, []).append(passage)
    found = [
        _Slot(document, target, number, same[0], tuple(one.marker for one in same), body_hash(same[0].body))
        for target, spans in groups.items()
        for number, same in enumerate(spans.values(), 1)
    ]
    return sorted(found, key=lambda slot: (slot.passage.marker.span.start, slot.target))


def _paired(slots: Sequence[_Slot], kept: Mapping[str, Memory], documents: frozenset[str]) -> dict[_Slot, Memory]:
    pairs: dict[_Slot, Memory] = {}
    free = dict(sorted(kept.items()))

    def take(slot: _Slot, memory: Memory) -> None:
        pairs[slot] = memory
        del free[memory.id]

    def left() -> list[_Slot]:
        return [slot for slot in slots if slot not in pairs]

    # The same document and target: by the words, then by which of several passages it was, then whichever is left.
    for test in (_has_words, _has_number, lambda memory, slot: True):
        for slot in left():
            same = [one for one in free.values() if _is_target(one, slot) and test(one, slot)]
            same.sort(key=lambda one: (not _has_number(one, slot), one.created, one.id))
            if same:
                take(slot, same[0])
    # The document is the same, the marker was edited: by its words, or by where the anchor was followed to.
    for test in (_has_words, _has_place):
        for slot in left():
            near = [one for one in free.values() if document_of(one) == slot.document and test(one, slot)]
            rivals = [other for other in left() if other.document == slot.document and near and test(near[0], other)]
            if len(near) == 1 and len(rivals) == 1:
                take(slot, near[0])
    # The document is gone, and another one says the same of the same code: it was renamed.
    went: dict[str, str] = {}
    for slot in left():
        moved = [one for one in free.values() if _gone(one, documents) and _same_elsewhere(one, slot)]
        rivals = [other for other in left() if moved and _same_elsewhere(moved[0], other)]
        if len(moved) == 1 and len(rivals) == 1:
            went.setdefault(document_of(moved[0]) or "", slot.document)
            take(slot, moved[0])
    for slot in left():
        moved = [
            one
            for one in free.values()
            if went.get(document_of(one) or "") == slot.document and slot.target in _targets(one)
        ]
        if moved:
            take(slot, moved[0])
    return pairs


def _targets(memory: Memory) -> tuple[str, ...]:
    """What the marker of a memory named, as the ledger keeps it."""
    marker = memory.fields.get("marker")
    return (marker,) if marker else tuple(stored_locus(anchor.locus) for anchor in memory.anchors[:1])


def _is_target(memory: Memory, slot: _Slot) -> bool:
    return document_of(memory) == slot.document and slot.target in _targets(memory)


def _has_number(memory: Memory, slot: _Slot) -> bool:
    return memory.id == passage_id(slot.document, slot.target, slot.number)


def _gone(memory: Memory, documents: frozenset[str]) -> bool:
    return document_of(memory) not in documents


def _vouched(memory: Memory, words: str) -> bool:
    return any(baseline.body_hash == words for anchor in memory.anchors for baseline in anchor.baselines)


def _has_words(memory: Memory, slot: _Slot) -> bool:
    return _vouched(memory, slot.words)


def _has_place(memory: Memory, slot: _Slot) -> bool:
    return any(slot.locus in anchor.places for anchor in memory.anchors[:1])


def _same_elsewhere(memory: Memory, slot: _Slot) -> bool:
    return slot.target in _targets(memory) and _vouched(memory, slot.words)


def _written(slot: _Slot) -> Written:
    return Written(slot.document, slot.passage.span, slot.markers, slot.passage.line)


def _fields(slot: _Slot) -> dict[str, str]:
    """The front matter of a passage. The marker is kept only where the anchor's locus does not say it all."""
    found = {DOCUMENT: slot.document}
    if slot.target != stored_locus(slot.locus):
        found["marker"] = slot.target
    return found


def _unaccepted(slot: _Slot, taken: set[str]) -> Memory:
    number = slot.number
    while (identifier := passage_id(slot.document, slot.target, number)) in taken:
        number += 1
    kind = kind_of(KIND)
    return Memory(
        id=identifier,
        kind=KIND,
        body=slot.passage.body,
        state=kind.initial,
        current=True,
        anchors=(Anchor(anchor_id(identifier, slot.locus), slot.locus),),
        author="",
        created="",
        revision="",
        home=kind.home,
        # By what two clones agree on, however each has edited the words.
        folder=folder_name(identifier, PurePosixPath(slot.document).stem),
        fields=_fields(slot),
    )


def _as_written(memory: Memory, slot: _Slot) -> Memory:
    """A memory of the ledger with what its document says now: its words, its target, the document's name."""
    first = replace(memory.anchors[0], locus=slot.locus) if memory.anchors else None
    anchors = (
        (first, *memory.anchors[1:]) if first is not None else (Anchor(anchor_id(memory.id, slot.locus), slot.locus),)
    )
    vouching = [baseline.body_hash for anchor in anchors for baseline in anchor.baselines]
    fields = {key: value for key, value in memory.fields.items() if key not in (DOCUMENT, "marker")} | _fields(slot)
    edited = bool(vouching) and slot.words not in vouching
    return replace(memory, body=slot.passage.body, anchors=anchors, fields=fields, edited=edited)


def _lost(memory: Memory) -> Memory:
    if not memory.current:
        return memory
    marker = "".join(_targets(memory))
    problem = f"the marker of {marker} is no longer in {document_of(memory)}: put it back, or retire the memory"
    return replace(memory, problem=problem, edited=False)


def entered(change: Change, served: Served, author: str, time: str, revision: str) -> Change:
    """A change to a passage as the ledger takes it: with front matter as the document says it now, an entry where there
    was none, and with each acceptance the words that were accepted (up to `fingerprint.LIMIT`)."""
    memory, kept = served.memory, served.kept
    events = tuple(_with_words(event, memory.body) for event in change.events)
    text = _text(memory)
    if kept is not None and text == _text(kept):
        return replace(change, events=events)
    data: dict[str, Any] = {"what": ["anchors", "fields"]}
    if kept is None:
        places = {anchor.id: stored_locus(anchor.locus) for anchor in memory.anchors}
        data = {"kind": memory.kind, "state": memory.state, "body_hash": body_hash(memory.body), "anchors": places}
    first = Event(event_id(), "edited" if kept else "recorded", time, author, revision, memory.heads, data)
    after = [event if event.after != memory.heads else replace(event, after=(first.id,)) for event in events]
    before = _text(kept) if kept is not None else None
    return replace(change, text=text, events=(first, *after), before=before)


def _with_words(event: Event, words: str) -> Event:
    if event.type != "baseline" or len(words.encode("utf-8", "surrogatepass")) > LIMIT:
        return event
    return replace(event, data={**event.data, "passage": words})


def _text(memory: Memory) -> MemoryText:
    """`memory.md` of a passage: no words."""
    anchors = tuple(
        AnchorText(anchor.id, anchor.locus, anchor.written_sensitivity, anchor.unknown) for anchor in memory.anchors
    )
    return MemoryText(
        id=memory.id,
        kind=memory.kind,
        body="",
        anchors=anchors,
        tags=memory.tags,
        importance=memory.importance,
        expires=memory.expires,
        checks=memory.checks,
        unknown=memory.unknown,
        fields=memory.fields,
    )
