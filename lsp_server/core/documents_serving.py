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

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    pairs = _Pairing(slots, kept, documents).pairs
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


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """What the ledger holds of a passage, as it is looked for: the document and what its marker named, the hashes of
    the words that were accepted, and the places of its code."""

    memory: Memory
    document: str
    target: str
    words: frozenset[str]
    places: frozenset[Locus]

    @staticmethod
    def of(memory: Memory) -> _Kept:
        first = memory.anchors[0] if memory.anchors else None
        return _Kept(
            memory,
            document_of(memory) or "",
            memory.fields.get("marker") or (stored_locus(first.locus) if first is not None else ""),
            frozenset(baseline.body_hash for anchor in memory.anchors for baseline in anchor.baselines),
            frozenset(first.places if first is not None else ()),
        )


class _Pairing:
    """Finds out which memory belongs to which slot."""

    def __init__(self, slots: Sequence[_Slot], kept: Mapping[str, Memory], documents: Collection[str]) -> None:
        self.pairs: dict[_Slot, Memory] = {}
        self._slots = slots
        self._free = {identifier: _Kept.of(memory) for identifier, memory in sorted(kept.items())}
        self._by_target()
        if self._free and len(self.pairs) < len(slots):
            self._within_documents()
            self._renamed(documents)

    def _take(self, slot: _Slot, one: _Kept) -> None:
        self.pairs[slot] = one.memory
        del self._free[one.memory.id]

    def _left(self) -> list[_Slot]:
        return [slot for slot in self._slots if slot not in self.pairs]

    def _by_target(self) -> None:
        """The same document and target: by the words, then by which of several it was, then whichever is left."""
        kept, wanted = defaultdict(list), defaultdict(list)
        for one in self._free.values():
            kept[one.document, one.target].append(one)
        for slot in self._slots:
            wanted[slot.document, slot.target].append(slot)
        for key, slots in wanted.items():
            rivals = kept.get(key, [])
            if len(slots) == len(rivals) == 1:
                self._take(slots[0], rivals[0])
                continue
            for test in (_has_words, _has_number, _is_any):
                for slot in slots:
                    same = [one for one in rivals if one.memory.id in self._free and test(one, slot)]
                    if slot not in self.pairs and same:
                        self._take(slot, min(same, key=lambda one: (not _has_number(one, slot), *_age(one))))

    def _within_documents(self) -> None:
        """The document is the same, the marker was edited: by its words, or by where the anchor was followed to."""
        for test in (_has_words, _has_place):
            for document in dict.fromkeys(slot.document for slot in self._left()):
                slots = [slot for slot in self._left() if slot.document == document]
                for slot in slots:
                    near = [one for one in self._free.values() if one.document == document and test(one, slot)]
                    rivals = [other for other in slots if near and other not in self.pairs and test(near[0], other)]
                    if len(near) == 1 and len(rivals) == 1:
                        self._take(slot, near[0])

    def _renamed(self, documents: Collection[str]) -> None:
        """The document is gone, and another one says the same of the same code; then its others by target alone."""
        gone = defaultdict(list)
        for one in self._free.values():
            if one.document not in documents:
                gone[one.target].append(one)
        went: dict[str, str] = {}
        slots = [slot for slot in self._left() if slot.target in gone]
        for slot in slots:
            moved = [one for one in gone[slot.target] if one.memory.id in self._free and _has_words(one, slot)]
            rivals = [
                other
                for other in slots
                if moved and other not in self.pairs and other.target == slot.target and _has_words(moved[0], other)
            ]
            if len(moved) == 1 and len(rivals) == 1:
                went.setdefault(moved[0].document, slot.document)
                self._take(slot, moved[0])
        for slot in slots:
            moved = [one for one in gone[slot.target] if one.memory.id in self._free]
            moved = [one for one in moved if went.get(one.document) == slot.document]
            if moved and slot not in self.pairs:
                self._take(slot, moved[0])


def _has_words(one: _Kept, slot: _Slot) -> bool:
    return slot.words in one.words


def _has_place(one: _Kept, slot: _Slot) -> bool:
    return slot.locus in one.places


def _has_number(one: _Kept, slot: _Slot) -> bool:
    return one.memory.id == passage_id(slot.document, slot.target, slot.number)


def _is_any(one: _Kept, slot: _Slot) -> bool:
    return True


def _age(one: _Kept) -> tuple[str, str]:
    return one.memory.created, one.memory.id


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
    target, document = _Kept.of(memory).target, document_of(memory)
    problem = f"the marker of {target} is no longer in {document}: put it back, or retire the memory"
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
