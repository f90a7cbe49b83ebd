"""Looking for a symbol that is gone from its place: in its own file, and in files that a caller chose.

Knows what is without doubt the same definition elsewhere, and how to rank what it could be. Never follows what stood
there already when the code was accepted, nor what says too little to be known again. Refuses to choose where to look.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from lsp_server.core import rebase, sketch
from lsp_server.core.definitions import CALLABLES, CONTAINERS
from lsp_server.core.difference import changed
from lsp_server.core.fingerprint import code_of, likeness_of
from lsp_server.core.found import CANDIDATES, moved_detail, place_of, verdict_on
from lsp_server.core.model import Anchor, Baseline, Candidate, Fingerprint, Level, Locus, Reason, Symbol, Verdict
from lsp_server.core.source import Source

ALIKE = 0.8
"""Likeness from which edited code is taken for the same under another name or in another place."""

MARGIN = 0.1
"""By how much it must be more alike than anything else."""

KEPT = 0.5
"""Share of a container's members that must be as they were for the container, edited, to be known again elsewhere."""

OFFERED = 0.5
"""Likeness from which something is offered as a candidate."""

NAMESAKE = 0.1
"""What the same name is worth in likeness, where candidates are ranked; the same path is worth it twice."""

LISTED_OLD = 24
"""Definitions of the file that were there before which are compared, so that the likest can be listed."""

Usable = tuple[Baseline, Fingerprint]
"""A baseline and its fingerprint in the present scheme and grammar."""


class _Alike(NamedTuple):
    """A definition that is much like a baseline. `stood`: it was there when that was accepted."""

    likeness: float
    stood: bool
    source: Source
    symbol: Symbol
    baseline: Baseline
    present: Fingerprint


class Seek:
    """Collects what a symbol may have become, then concludes. `usable` are the baselines that count."""

    def __init__(self, place: Locus, usable: Sequence[Usable]) -> None:
        self.place = place
        self.usable = list(usable)
        self.name = (place.symbol or "").rpartition(".")[2]
        self.equal: list[tuple[Source, Symbol, Baseline]] = []
        self.twins: list[tuple[Source, Symbol]] = []
        self.alike: list[_Alike] = []
        self.beyond = False
        self._in_language: dict[str, list[Usable]] = {}

    def add_own(self, source: Source) -> None:
        """Looks among the definitions of the anchor's own file under other paths; those that it had when the anchor
        was accepted are no move, and the ones of about its size are only listed."""
        outline, here = source.outline, self.place.symbol
        assert outline is not None
        peers = tuple(present.peers for _, present in self.usable if present.peers)
        new = outline.paths_by(peers, lambda path: not any(sketch.marked(mark, path) for mark in peers))
        for path in new:
            if path != here:
                for symbol in outline.by_path(path):
                    self._consider(source, symbol, self.usable, ())
        content = next((baseline.content for baseline, present in self.usable if present.peers), None)
        if content is not None:
            for symbol in outline.of_length(len(content), LISTED_OLD, {*new, here or ""}):
                stood = [p for p in self.usable if p[1].peers and sketch.marked(p[1].peers, symbol.path)]
                self._consider(source, symbol, self.usable, stood)

    def add(self, source: Source, before: Source | None) -> None:
        """Looks among the definitions of another file; those that it had `before` are no move."""
        self.beyond = True
        if source.outline is None:
            return
        usable = self._read_as(source)
        stood = {symbol.path for symbol in before.outline.symbols} if before is not None and before.outline else set()
        for symbol in source.outline.symbols:
            self._consider(source, symbol, usable, usable if symbol.path in stood else ())

    def _read_as(self, source: Source) -> list[Usable]:
        """The baselines in the language of another file: a script that becomes TypeScript says the same."""
        language = source.language
        assert language is not None
        found = self._in_language.get(language.name)
        if found is None:
            found = [(one, rebase.present(one, source.path, language) or present) for one, present in self.usable]
            self._in_language[language.name] = found
        return found

    def _consider(self, source: Source, symbol: Symbol, usable: Sequence[Usable], stood: Collection[Usable]) -> None:
        namesake = symbol.path == self.place.symbol
        for baseline, present in usable:
            if not same_sort(symbol.kind, present.symbol_kind) or not (namesake or _near_size(symbol, baseline)):
                continue
            now = likeness_of(source, symbol)
            stood_there = any(baseline is other for other, _ in stood)
            if now.masked == present.masked:
                if stood_there:
                    self.twins.append((source, symbol))
                else:
                    self.equal.append((source, symbol, baseline))
                return
            alike = sketch.similarity(sketch_of(present), now.shingles)
            if alike >= OFFERED - MARGIN or namesake:
                self.alike.append(_Alike(alike, stood_there, source, symbol, baseline, present))

    def conclude(self, anchor: Anchor, verdict: Verdict) -> Verdict:
        trivial = all(present.trivial for _, present in self.usable)
        equal = self.equal
        if len(equal) > 1:
            # The same name is worth more than another one, and the same path more than another one.
            for same in (
                [entry for entry in equal if entry[1].path == self.place.symbol],
                [entry for entry in equal if entry[1].name == self.name],
            ):
                if len(same) == 1:
                    equal = same
                    break
        if len(equal) == 1 and not trivial and not self.is_doubtful(equal[0][1]):
            source, symbol, baseline = equal[0]
            detail = moved_detail(baseline, source.path, symbol.path)
            return verdict_on(anchor, Level.MOVED, None, detail, source, symbol, baseline)
        candidates = self.candidates(verdict)
        if len(equal) > 1 and not trivial:
            detail = f"{len(equal)} definitions have the code of {self.place.symbol}: re-anchor to the right one."
            return replace(verdict, reason=Reason.AMBIGUOUS, detail=detail, candidates=candidates)
        if equal and trivial and verdict.level is Level.MISSING:
            detail = f"{verdict.detail} What has the same code says too little to be taken for it."
            return replace(verdict, reason=Reason.TRIVIAL, detail=detail, candidates=candidates)
        best = None if trivial else self.without_doubt()
        if best is not None and self._is_only_renamed(best):
            detail = moved_detail(best.baseline, best.source.path, best.symbol.path)
            return verdict_on(anchor, Level.MOVED, None, detail, best.source, best.symbol, best.baseline)
        if best is not None:
            verdict = changed(anchor, best.source, best.symbol, best.baseline, best.present)
            moved = moved_detail(best.baseline, best.source.path, best.symbol.path)
            return replace(verdict, detail=f"{moved} {verdict.detail}")
        return replace(verdict, candidates=candidates)

    def is_doubtful(self, equal: Symbol) -> bool:
        """Whether the thing may also be the new definition of its own path, edited, beside one that has its code."""
        if equal.path == self.place.symbol:
            return False
        return any(entry.symbol.path == self.place.symbol and not entry.stood for entry in self.alike)

    def without_doubt(self) -> _Alike | None:
        """The one definition that is so much like the code that it must be it, edited."""
        new = sorted((entry for entry in self.alike if not entry.stood), key=lambda entry: -entry.likeness)
        # In another file only the same path is the same thing edited.
        if not new or new[0].likeness < ALIKE or (self.beyond and new[0].symbol.path != self.place.symbol):
            return None
        best = new[0]
        if self._is_overload(best) or (self.beyond and not mostly_kept(best.source, best.symbol, best.present)):
            return None
        mine = (best.source.path, best.symbol.path, best.symbol.start)
        rivals = [entry for entry in new[1:] if (entry.source.path, entry.symbol.path, entry.symbol.start) != mine]
        return best if not rivals or best.likeness - rivals[0].likeness >= MARGIN else None

    def _is_only_renamed(self, entry: _Alike) -> bool:
        """Whether a baseline of another scheme has the code of what was found, when it is read in its place."""
        language = entry.source.language
        if language is None or rebase.is_current(entry.baseline, entry.source):
            return False
        again = rebase.rebased(entry.baseline, entry.source.path, language, (entry.source, entry.symbol))
        return again is not None and again.masked == likeness_of(entry.source, entry.symbol).masked

    def _is_overload(self, entry: _Alike) -> bool:
        """Whether it may as well be another one of several with one path: its interface and its body both differ."""
        if entry.symbol.path != self.place.symbol or not entry.present.siblings:
            return False
        code = code_of(entry.source, entry.symbol)
        was, now = dict(entry.present.parts), dict(code.parts)
        return code.interface != entry.present.interface and was.get("body") != now.get("body")

    def candidates(self, verdict: Verdict) -> tuple[Candidate, ...]:
        """What it could be, best first: equal code, then the most alike, new definitions before old ones."""
        ranked: dict[tuple[str, str, int], tuple[tuple[bool, bool, float], Candidate]] = {}
        file_name = self.place.file.rpartition("/")[2]
        found = [(1.0, False, source, symbol) for source, symbol, _ in self.equal]
        found += [(1.0, True, source, symbol) for source, symbol in self.twins]
        found += [
            entry[:4]
            for entry in self.alike
            # What has the path itself is worth a look, however unlike it is.
            if entry.likeness >= OFFERED or entry.symbol.path == self.place.symbol
        ]
        for alike, stood, source, symbol in found:
            key = (source.path, symbol.path, symbol.start)
            # Of things about as much alike the one that kept its name, or its path, comes first.
            kept = NAMESAKE * ((symbol.name == self.name) + (symbol.path == self.place.symbol))
            # Of a file that moved and was rewritten, its own path in the new file is what a person looks at first.
            same_name = source.path != self.place.file and source.path.rpartition("/")[2] == file_name
            home = same_name and symbol.path == self.place.symbol
            entry = ((stood, not home, -alike - kept), Candidate(place_of(source, symbol), round(alike, 3)))
            if key not in ranked or entry[0] < ranked[key][0]:
                ranked[key] = entry
        mine = [candidate for _, candidate in sorted(ranked.values(), key=lambda entry: entry[0])]
        return merged(mine, verdict.candidates)


def merged(mine: Sequence[Candidate], others: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Two rankings of candidates as one, the liker of the two firsts before the other; at most `CANDIDATES`."""
    known = {(one.place.file, one.place.start_line) for one in mine}
    first, second = list(mine), [one for one in others if (one.place.file, one.place.start_line) not in known]
    found: list[Candidate] = []
    while first and second:
        found.append(first.pop(0) if first[0].similarity >= second[0].similarity else second.pop(0))
    return (*found, *first, *second)[:CANDIDATES]


def mostly_kept(source: Source, symbol: Symbol, present: Fingerprint) -> bool:
    """Whether at least half of a container's members are as they were. One whose members all changed has much the same
    words as before, and may yet be another one that was written after it."""
    was = list(present.members.values())
    now = {code for _, code in code_of(source, symbol).members}
    return sum(code in now for code in was) >= KEPT * len(was)


def sketch_of(fingerprint: Fingerprint) -> sketch.Sketch:
    return sketch.parse(fingerprint.sketch) or sketch.Sketch(0, frozenset())


_VALUES = frozenset({"variable", "constant", "field", "property"})


def same_sort(kind: str, other: str) -> bool:
    """Whether a definition of one kind may have become one of the other."""
    return (
        kind == other
        or not other
        or (kind in CALLABLES and other in CALLABLES)
        or (kind in CONTAINERS and other in CONTAINERS)
        or (kind in _VALUES and other in _VALUES)
    )


def _near_size(symbol: Symbol, baseline: Baseline) -> bool:
    """Whether it is worth comparing: not many times as long or as short."""
    if baseline.content is None:
        return True
    length = max(1, symbol.end - symbol.start)
    return length / 4 <= max(1, len(baseline.content)) <= length * 4
