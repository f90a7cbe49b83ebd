"""Verdicts on a symbol in the file where it is kept to be.

Knows how to tell which of the definitions there is the anchored one, and what became of it. Refuses to look into other
files; what is gone from its place is looked for among the file's other definitions by `core.seek`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsp_server.core import broken, rebase, sketch
from lsp_server.core.difference import changed
from lsp_server.core.fingerprint import CUT, code_of, file_hash, likeness_of, text_hash, without_directives
from lsp_server.core.found import (
    AS_ACCEPTED,
    CANDIDATES,
    ONLY_LAYOUT,
    RECORDED_OTHERWISE,
    WATCHES_TEXT,
    left_of,
    moved_detail,
    place_of,
    verdict_on,
)
from lsp_server.core.model import (
    Anchor,
    Baseline,
    Candidate,
    Fingerprint,
    Level,
    Locus,
    Reason,
    Sensitivity,
    Symbol,
    Verdict,
)
from lsp_server.core.seek import MARGIN, OFFERED, Seek, Usable, same_sort, sketch_of
from lsp_server.core.source import Source

_BODIES = ("body", "value")


@dataclass(slots=True)
class Symbols:
    """Judges an anchored symbol in the file of one of its places."""

    anchor: Anchor
    place: Locus
    source: Source
    baselines: list[Baseline]

    def verdict(self, follow: bool) -> Verdict:
        """The verdict at the place; with `follow`, what is gone is looked for in the rest of the file."""
        outline, path = self.source.outline, self.place.symbol
        assert outline is not None and path is not None
        there = outline.by_path(path)
        exact = self.with_text(there)
        if exact is not None:
            return exact
        usable = self.usable(there)
        same = self.with_code(there, usable)
        if same is not None:
            return same
        if there and not (usable and usable[-1][0] is self.baselines[-1]):
            # What was accepted last may be just this code: nothing says that it changed.
            return self.of_other_scheme(there[0])
        ours, rivals = self.ours(there, usable)
        if ours is not None and not self.replaced(ours, usable):
            return self.differing(ours, usable)
        if rivals:
            return self.ambiguous(rivals, usable)
        if broken.may_hide(self.source, path, self.known_errors()):
            return self.torn(None)
        verdict = replace(self.gone(), candidates=self.others(there, usable))
        if not follow or not usable:
            return verdict
        seek = Seek(self.place, usable)
        seek.add_own(self.source)
        found = seek.conclude(self.anchor, verdict)
        if found.now is not None and found.span is not None:
            for symbol in outline.by_path(found.now.symbol or ""):
                if symbol.start == found.span.start and broken.torn(self.source, symbol, self.known_errors()):
                    # What is broken there may have taken in what it was found in.
                    return self.torn(None)
        return found

    def usable(self, there: Sequence[Symbol]) -> list[Usable]:
        """The baselines with their fingerprints in the present scheme and grammar, as far as these can be known."""
        language = self.source.language
        assert language is not None
        now = (self.source, there[0]) if there else None
        found = [(one, rebase.present(one, self.source.path, language, now)) for one in self.baselines]
        return [(baseline, present) for baseline, present in found if present is not None]

    def present(self, baseline: Baseline) -> Fingerprint:
        """The baseline's fingerprint in the present scheme and grammar, else as it was recorded."""
        assert self.source.language is not None
        return rebase.present(baseline, self.source.path, self.source.language) or baseline.fingerprint

    def with_text(self, there: Sequence[Symbol]) -> Verdict | None:
        """Fresh, where one of the symbols has a baseline's exact text."""
        text = self.source.text
        assert text is not None
        wanted = {baseline.fingerprint.text: baseline for baseline in self.baselines}
        matches: list[tuple[Symbol, Baseline]] = []
        for symbol in there:
            data = text.slice(symbol.start, symbol.end)
            baseline = wanted.get(text_hash(data))
            if baseline is None:
                baseline = next((one for one in self.baselines if rebase.has_text(one, data)), None)
            if baseline is None and (bare := without_directives(self.source, symbol)) is not None:
                # It may be from before directives counted. Where the file is the same one, so are they.
                baseline = wanted.get(text_hash(bare))
                if baseline is not None and baseline.fingerprint.file_sha256 != file_hash(self.source):
                    baseline = None
            if baseline is not None:
                matches.append((symbol, baseline))
        chosen = self.nearest_match(matches)
        if chosen is None:
            return None
        return self.found(chosen[0], chosen[1], Level.FRESH)

    def with_code(self, there: Sequence[Symbol], usable: Sequence[Usable]) -> Verdict | None:
        """Reformatted, where one of the symbols has a baseline's code; moved, where it differs in its own name alone
        (a place that it was followed to)."""
        codes = {present.code: baseline for baseline, present in usable}
        matches = [(symbol, codes[found]) for symbol in there if (found := code_of(self.source, symbol).code) in codes]
        chosen = self.nearest_match(matches)
        if chosen is not None:
            verdict = self.found(chosen[0], chosen[1], Level.REFORMATTED)
            if self.anchor.sensitivity is Sensitivity.TEXT and verdict.level is Level.REFORMATTED:
                return replace(verdict, level=Level.CHANGED, reason=Reason.BODY, detail=WATCHES_TEXT)
            return verdict
        elsewhere = [(baseline, present) for baseline, present in usable if baseline.place.symbol != self.place.symbol]
        for baseline, present in elsewhere:
            masked = [(s, baseline) for s in there if likeness_of(self.source, s).masked == present.masked]
            if len(masked) == 1 and present.masked:
                return self.found(masked[0][0], baseline, Level.MOVED)
        return None

    def nearest_match(self, matches: Sequence[tuple[Symbol, Baseline]]) -> tuple[Symbol, Baseline] | None:
        """Of several equal ones that with the baseline's interface, then its occurrence; never a known sibling."""
        kept = []
        for symbol, baseline in matches:
            if len(matches) > 1 or baseline.fingerprint.siblings:
                fingerprint = self.present(baseline)
                interface = code_of(self.source, symbol).interface
                if interface != fingerprint.interface and any(
                    interface[:CUT] == known for known, _ in fingerprint.siblings
                ):
                    continue
                kept.append(
                    (interface != fingerprint.interface, symbol.occurrence != fingerprint.occurrence, symbol, baseline)
                )
            else:
                return symbol, baseline
        if not kept:
            return None
        best = min(kept, key=lambda entry: entry[:2])
        return best[2], best[3]

    def ours(self, there: Sequence[Symbol], usable: Sequence[Usable]) -> tuple[Symbol | None, list[Symbol]]:
        """Which of the symbols at the path is the anchored one, though its code differs; else those that it may be."""
        left: list[Symbol] = []
        several = False
        for _, present in usable:
            # A definition and a bare declaration of it (a prototype, an overload's head) never take each other's place.
            bare = present.interface == present.code
            siblings = [pair for pair in present.siblings if (pair[0] == pair[1]) == bare]
            same = [s for s in there if (s.body is None) == bare] if len(there) > 1 or present.siblings else there
            if len(same) == 1 and not siblings:
                return same[0], []
            several = several or bool(siblings)
            left += [s for s in same if s not in left and not self.is_sibling(s, present)]
        if not left:
            return None, []
        interfaces = {present.interface for _, present in usable}
        same_head = [s for s in left if code_of(self.source, s).interface in interfaces]
        if len(same_head) == 1:
            return same_head[0], []
        pool = same_head or left
        if not same_head and several:
            # One of several with one path is told from the others by its interface: with another interface it is ours
            # only where it has all of our body.
            bodies = {dict(present.parts).get(part) for _, present in usable if not present.trivial for part in _BODIES}
            bodies.discard(None)
            pool = [s for s in left if any(dict(code_of(self.source, s).parts).get(p) in bodies for p in _BODIES)]
            return (pool[0], []) if len(pool) == 1 else (None, pool)
        ranked = sorted(((self.likeness(s, usable), s) for s in pool), key=lambda entry: -entry[0])
        if len(ranked) == 1 or ranked[0][0] - ranked[1][0] >= MARGIN:
            return ranked[0][1], []
        return None, [symbol for _, symbol in ranked]

    def replaced(self, symbol: Symbol, usable: Sequence[Usable]) -> bool:
        """Whether a thing of another sort has only taken the name: an alias where a function or a class was."""
        if any(same_sort(symbol.kind, present.symbol_kind) for _, present in usable):
            return False
        return likeness_of(self.source, symbol).trivial and self.likeness(symbol, usable) < OFFERED

    def is_sibling(self, symbol: Symbol, present: Fingerprint) -> bool:
        """Whether it is one of the other definitions that had this path when the baseline was taken."""
        code = code_of(self.source, symbol)
        return any(
            code.code[:CUT] == known_code
            or (code.interface[:CUT] == interface and interface != present.interface[:CUT])
            for interface, known_code in present.siblings
        )

    def likeness(self, symbol: Symbol, usable: Sequence[Usable]) -> float:
        now = likeness_of(self.source, symbol).shingles
        return max(sketch.similarity(sketch_of(present), now) for _, present in usable)

    def differing(self, symbol: Symbol, usable: Sequence[Usable]) -> Verdict:
        """Changed, and in what; or not to be told, while its syntax is broken."""
        if broken.torn(self.source, symbol, self.known_errors()):
            return self.torn(symbol)
        baseline, present = usable[-1]
        if len(usable) > 1:
            baseline, present = max(reversed(usable), key=lambda pair: self.likeness(symbol, [pair]))
        return changed(self.anchor, self.source, symbol, baseline, present)

    def known_errors(self) -> set[str]:
        """The errors that the grammar found in what was accepted: it does not understand those."""
        return {mark for baseline in self.baselines for mark in baseline.fingerprint.errors}

    def found(self, symbol: Symbol, baseline: Baseline, level: Level) -> Verdict:
        elsewhere = (baseline.place.file, baseline.place.symbol) != (self.source.path, symbol.path)
        detail = AS_ACCEPTED
        if elsewhere:
            level, detail = Level.MOVED, moved_detail(baseline, self.source.path, symbol.path)
        elif level is Level.REFORMATTED:
            detail = ONLY_LAYOUT
        return verdict_on(self.anchor, level, None, detail, self.source, symbol, baseline)

    def torn(self, symbol: Symbol | None) -> Verdict:
        detail = f"The syntax is broken around {self.place.symbol}: mend it, and the verdict comes back."
        verdict = verdict_on(
            self.anchor, Level.UNVERIFIABLE, Reason.SYNTAX, detail, self.source, symbol, self.baselines[-1]
        )
        return verdict if symbol is not None else replace(verdict, name_span=left_of(self.source, self.place.symbol))

    def others(self, there: Sequence[Symbol], usable: Sequence[Usable]) -> tuple[Candidate, ...]:
        """The definitions at the path, of which none is the anchored one, as what it could be."""
        new = [symbol for symbol in there if not any(self.is_sibling(symbol, present) for _, present in usable)]
        return self.ranked(new or there, usable) if usable else ()

    def ranked(self, symbols: Sequence[Symbol], usable: Sequence[Usable]) -> tuple[Candidate, ...]:
        found = [Candidate(place_of(self.source, s), round(self.likeness(s, usable), 3)) for s in symbols]
        return tuple(sorted(found, key=lambda candidate: -candidate.similarity)[:CANDIDATES])

    def of_other_scheme(self, symbol: Symbol) -> Verdict:
        return verdict_on(
            self.anchor,
            Level.UNVERIFIABLE,
            Reason.SCHEME,
            RECORDED_OTHERWISE,
            self.source,
            symbol,
            self.baselines[-1],
        )

    def gone(self) -> Verdict:
        detail = f"{self.place.symbol} is not in {self.place.file} any more."
        return Verdict(
            anchor=self.anchor.id,
            level=Level.MISSING,
            reason=Reason.SYMBOL_GONE,
            detail=detail,
            baseline=self.baselines[-1].id,
            name_span=left_of(self.source, self.place.symbol),
        )

    def ambiguous(self, rivals: Sequence[Symbol], usable: Sequence[Usable]) -> Verdict:
        several = len(rivals) > 1
        detail = (
            f"{len(rivals)} definitions of {self.place.symbol} may be the one: re-anchor to the right one."
            if several
            else f"The definition of {self.place.symbol} is gone; another one of that name is left."
        )
        return replace(
            self.gone(),
            reason=Reason.AMBIGUOUS if several else Reason.SYMBOL_GONE,
            detail=detail,
            candidates=self.ranked(rivals, usable),
        )
