"""Verdicts: what became of an anchor in the code as it is now.

`judge` is a pure function of an anchor and the texts of its own places; `search_beyond` takes a `missing` further, into
files that its caller chose. Both follow only what is without doubt, and otherwise list what it could be. Refuses to
know files, sessions and holding: while a text is broken the caller may go on showing what it knew.

Order of proof, here and wherever two things must be told apart: the exact text, then the code, then the interface among
those that are not known siblings, then likeness. See the design, section 4.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from lsp_server.core import broken, regions, sketch
from lsp_server.core.definitions import CALLABLES, CONTAINERS
from lsp_server.core.fingerprint import (
    CUT,
    code_of,
    file_hash,
    likeness_of,
    text_hash,
)
from lsp_server.core.model import (
    SCHEME,
    Anchor,
    Baseline,
    Candidate,
    Fingerprint,
    Level,
    Locus,
    Place,
    Reason,
    Sensitivity,
    SourceState,
    Span,
    Symbol,
    Verdict,
)
from lsp_server.core.rebase import rebased
from lsp_server.core.source import Source

ALIKE = 0.8
"""Likeness from which edited code is taken for the same under another name or in another place."""

MARGIN = 0.1
"""By how much it must be more alike than anything else."""

RENAMED = 0.5
"""Share of a gone file's definitions that a new file must have, by path, to be taken for it; as git's default for
files."""

OFFERED = 0.5
"""Likeness from which something is offered as a candidate."""

NAMESAKE = 0.1
"""What the same name is worth in likeness, where candidates are ranked; the same path is worth it twice."""

LISTED_OLD = 24
"""Definitions of the file that were there before which are compared, so that the likest can be listed."""

CANDIDATES = 5
"""Most candidates that are listed."""

Look = Callable[[str], Source]


def judge(anchor: Anchor, look: Look, *, body_hash: str, regressed: Collection[str] = ()) -> Verdict:
    """The verdict on one anchor.

    `look` gives the present source of a file of one of its places, with state GONE where there is none. `body_hash` is
    the hash of the memory's present text. `regressed` are states of the memory in which its code was accepted as
    faulty: code that matches such a baseline, and no other, is `changed` with reason `regressed`.
    """
    if not anchor.baselines:
        return _no_baseline(anchor, look)
    at_once = _untouched(anchor, look, body_hash) if not regressed else None
    if at_once is not None:
        return at_once
    faulty = [baseline for baseline in anchor.baselines if baseline.state in regressed]
    counted = [baseline for baseline in counting(anchor, body_hash) if baseline not in faulty]
    verdict = _at_places(anchor, look, counted or list(counting(anchor, body_hash)))
    if faulty and (verdict.stale or not counted):
        before = _at_places(anchor, look, faulty)
        if before.level in (Level.FRESH, Level.REFORMATTED, Level.MOVED):
            detail = "The code is again as it was when this was opened."
            return replace(before, level=Level.CHANGED, reason=Reason.REGRESSED, detail=detail)
    return verdict


def _untouched(anchor: Anchor, look: Look, body_hash: str) -> Verdict | None:
    """The verdict on a symbol that alone has its path and has the text of the newest baseline, as nearly all do at
    nearly every look; None where it takes more to tell."""
    place = anchor.place
    baseline = anchor.baselines[-1]
    kept = baseline.fingerprint
    if place.symbol is None or baseline.place != place or baseline.body_hash != body_hash or kept.siblings:
        return None
    if anchor.sensitivity is Sensitivity.FILE:
        return None
    source = look(place.file)
    text, outline = source.text, source.outline
    if text is None or outline is None or source.state is not SourceState.OK:
        return None
    there = outline.by_path(place.symbol)
    if len(there) != 1 or text_hash(text.slice(there[0].start, there[0].end)) != kept.text:
        return None
    return _verdict(anchor, Level.FRESH, None, _AS_ACCEPTED, source, there[0], baseline)


_AS_ACCEPTED = "The code is what was accepted."


def counting(anchor: Anchor, body_hash: str) -> tuple[Baseline, ...]:
    """The baselines that vouch: those accepted for the memory's present text, or all where there is none for it."""
    present = tuple(baseline for baseline in anchor.baselines if baseline.body_hash == body_hash)
    return present or anchor.baselines


def search_beyond(
    anchor: Anchor,
    verdict: Verdict,
    sources: Iterable[Source],
    *,
    body_hash: str,
    renamed: str | None = None,
    was: Callable[[str], Source | None] | None = None,
) -> Verdict:
    """A `missing` or `file_missing` verdict after looking into `sources` too; any other verdict unchanged.

    `renamed` is the path that the anchor's file is known to have now, by git or by an editor's own rename: the symbol
    is then looked for at its own path there, however little it says. `was` gives a file as it was when the anchor was
    last accepted, None where it did not exist: what stood there already is no move. Without it all of `sources` may be
    one.
    """
    if verdict.level not in (Level.MISSING, Level.FILE_MISSING) or verdict.reason is Reason.AMBIGUOUS:
        return verdict
    baselines = list(counting(anchor, body_hash))
    known = {place.file for place in anchor.places} if verdict.level is Level.MISSING else {anchor.place.file}
    others = [source for source in sources if source.path not in known and source.text is not None]
    first: Candidate | None = None
    if verdict.level is Level.FILE_MISSING:
        now = _renamed_file(anchor, others, baselines, renamed, was)
        if now is not None:
            there = _at(anchor, replace(anchor.place, file=now.path), now, baselines)
            alike = _likeness_at(now, there, baselines)
            doubted = there.level is Level.CHANGED and now.path != renamed and alike < ALIKE
            if there.level is not Level.MISSING and not doubted:
                return there
            if doubted and there.now is not None:
                first = Candidate(there.now, round(alike, 3))
            verdict = replace(verdict, candidates=there.candidates)
    if anchor.place.symbol is not None:
        seek = _Seek(baselines, anchor.place)
        for source in others:
            seek.add(source, was(source.path) if was is not None else None)
        return _with_first(seek.conclude(anchor, verdict), first)
    return regions.search(anchor, verdict, others, baselines)


def _with_first(verdict: Verdict, first: Candidate | None) -> Verdict:
    """The verdict with `first` before its other candidates."""
    if first is None or verdict.now is not None:
        return verdict
    others = [candidate for candidate in verdict.candidates if candidate.place != first.place]
    return replace(verdict, candidates=(first, *others)[:CANDIDATES])


def _renamed_file(
    anchor: Anchor,
    sources: Sequence[Source],
    baselines: Sequence[Baseline],
    renamed: str | None,
    was: Callable[[str], Source | None] | None,
) -> Source | None:
    """The file that the anchor's file has become: the one its caller knows of, else the only new one that has its
    bytes, or that defines most of what the file defined."""
    scored: list[tuple[float, Source]] = []
    for source in sources:
        if source.path == renamed:
            return source
        if was is not None and was(source.path) is not None:
            continue
        same = any(_same_bytes(source, baseline.fingerprint.file_sha256) for baseline in baselines)
        paths = {symbol.path for symbol in source.outline.symbols} if source.outline is not None else set()
        if anchor.place.symbol is not None:
            share = max(sketch.share_marked(baseline.fingerprint.peers, paths) for baseline in baselines)
            share = share if anchor.place.symbol in paths else 0.0
        else:
            share = 0.0
        if same or share >= RENAMED:
            scored.append((2.0 if same else share, source))
    scored.sort(key=lambda entry: -entry[0])
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN):
        return None
    return scored[0][1]


def _likeness_at(source: Source, verdict: Verdict, baselines: Sequence[Baseline]) -> float:
    """How much the symbol that a verdict found is like the baselines; 1 where it found no symbol."""
    if verdict.now is None or verdict.now.symbol is None or verdict.span is None or source.outline is None:
        return 1.0
    for symbol in source.outline.by_path(verdict.now.symbol):
        if symbol.start == verdict.span.start:
            now = likeness_of(source, symbol).shingles
            return max(sketch.similarity(_sketch(baseline.fingerprint), now) for baseline in baselines)
    return 1.0


def _at_places(anchor: Anchor, look: Look, baselines: list[Baseline]) -> Verdict:
    first = anchor.place
    verdict = _at(anchor, first, look(first.file), baselines)
    if verdict.level not in (Level.CHANGED, Level.MISSING, Level.FILE_MISSING):
        return verdict
    tied = {anchor.locus} | {step.place for step in anchor.followed if step.base == anchor.locus}
    for place in anchor.places[1:]:
        # A symbol that is there, though changed, is only given up for a place that it was followed from.
        if place == first or (verdict.level is Level.CHANGED and place not in tied):
            continue
        elsewhere = _at(anchor, place, look(place.file), baselines, follow=False)
        if elsewhere.level in (Level.FRESH, Level.REFORMATTED, Level.MOVED):
            return elsewhere
    return verdict


def _at(anchor: Anchor, place: Locus, source: Source, baselines: list[Baseline], *, follow: bool = True) -> Verdict:
    """The verdict at one place."""
    refused = _refused(anchor, place, source)
    if refused is not None:
        return refused
    assert source.text is not None
    if anchor.sensitivity is Sensitivity.FILE or all(_only_file(baseline.fingerprint) for baseline in baselines):
        return _file_hash_verdict(anchor, place, source, baselines)
    if place.symbol is None:
        return regions.judge_lines(anchor, place, source, baselines)
    if source.outline is None:
        return _unparsed(anchor, place, source, baselines)
    return _Symbols(anchor, place, source, baselines).verdict(follow)


@dataclass(slots=True)
class _Symbols:
    """Judging a symbol in its file."""

    anchor: Anchor
    place: Locus
    source: Source
    baselines: list[Baseline]

    def verdict(self, follow: bool) -> Verdict:
        outline, path = self.source.outline, self.place.symbol
        assert outline is not None and path is not None
        there = outline.by_path(path)
        if there:
            exact = self.with_text(there)
            if exact is not None:
                return exact
            usable = [(baseline, present) for baseline in self.baselines if (present := self.present(baseline))]
            if not usable:
                return self.of_other_scheme(there[0])
            same = self.with_code(there, usable)
            if same is not None:
                return same
            ours, rivals = self.ours(there, usable)
            if ours is not None and not self.replaced(ours, usable):
                return self.differing(ours, usable)
            if rivals:
                return self.ambiguous(rivals, usable)
        else:
            usable = [(baseline, present) for baseline in self.baselines if (present := self.present(baseline))]
        if broken.may_hide(self.source, path, self.known_errors()):
            return self.torn(None)
        verdict = self.gone()
        if there and usable:
            other = Candidate(_place(self.source, there[0]), round(self.likeness(there[0], usable), 3))
            verdict = replace(verdict, candidates=(other,))
        if not follow or not usable:
            return verdict
        seek = _Seek([baseline for baseline, _ in usable], self.place, dict(usable_by_id(usable)))
        seek.add_own(self.source, there)
        return seek.conclude(self.anchor, verdict)

    def present(self, baseline: Baseline) -> Fingerprint | None:
        """The baseline's fingerprint in the present scheme and grammar; None where that cannot be known."""
        language = self.source.language
        assert language is not None
        found = baseline.fingerprint
        if found.scheme == SCHEME and found.grammar == language.version and found.code:
            return found
        return rebased(baseline, self.source.path, language)

    def with_text(self, there: Sequence[Symbol]) -> Verdict | None:
        """Fresh, where one of the symbols has a baseline's exact text."""
        text = self.source.text
        assert text is not None
        wanted = {baseline.fingerprint.text: baseline for baseline in self.baselines}
        hashed = [(symbol, wanted.get(text_hash(text.slice(symbol.start, symbol.end)))) for symbol in there]
        matches = [(symbol, baseline) for symbol, baseline in hashed if baseline is not None]
        chosen = self.nearest_match(matches)
        if chosen is None:
            return None
        return self.found(chosen[0], chosen[1], Level.FRESH)

    def with_code(self, there: Sequence[Symbol], usable: Sequence[tuple[Baseline, Fingerprint]]) -> Verdict | None:
        """Reformatted, where one of the symbols has a baseline's code; moved, where it differs in its own name alone
        (a place that it was followed to)."""
        codes = {present.code: baseline for baseline, present in usable}
        matches = [(symbol, codes[found]) for symbol in there if (found := code_of(self.source, symbol).code) in codes]
        chosen = self.nearest_match(matches)
        if chosen is not None:
            verdict = self.found(chosen[0], chosen[1], Level.REFORMATTED)
            if self.anchor.sensitivity is Sensitivity.TEXT and verdict.level is Level.REFORMATTED:
                detail = "Layout, comments or style changed, and this anchor watches the text itself."
                return replace(verdict, level=Level.CHANGED, reason=Reason.BODY, detail=detail)
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
            fingerprint = baseline.fingerprint
            if len(matches) > 1 or fingerprint.siblings:
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

    def ours(
        self, there: Sequence[Symbol], usable: Sequence[tuple[Baseline, Fingerprint]]
    ) -> tuple[Symbol | None, list[Symbol]]:
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

    def replaced(self, symbol: Symbol, usable: Sequence[tuple[Baseline, Fingerprint]]) -> bool:
        """Whether a thing of another sort has only taken the name: an alias where a function or a class was."""
        if any(_same_sort(symbol.kind, present.symbol_kind) for _, present in usable):
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

    def likeness(self, symbol: Symbol, usable: Sequence[tuple[Baseline, Fingerprint]]) -> float:
        now = likeness_of(self.source, symbol).shingles
        return max(sketch.similarity(_sketch(present), now) for _, present in usable)

    def differing(self, symbol: Symbol, usable: Sequence[tuple[Baseline, Fingerprint]]) -> Verdict:
        """Changed, and in what; or not to be told, while its syntax is broken."""
        if broken.torn(self.source, symbol, self.known_errors()):
            return self.torn(symbol)
        baseline, present = usable[-1]
        if len(usable) > 1:
            baseline, present = max(reversed(usable), key=lambda pair: self.likeness(symbol, [pair]))
        return _changed(self.anchor, self.source, symbol, baseline, present)

    def known_errors(self) -> set[str]:
        """The errors that the grammar found in what was accepted: it does not understand those."""
        return {mark for baseline in self.baselines for mark in baseline.fingerprint.errors}

    def found(self, symbol: Symbol, baseline: Baseline, level: Level) -> Verdict:
        elsewhere = (baseline.place.file, baseline.place.symbol) != (self.source.path, symbol.path)
        detail = _AS_ACCEPTED
        if elsewhere:
            level, detail = Level.MOVED, _moved_detail(baseline, self.source.path, symbol.path)
        elif level is Level.REFORMATTED:
            detail = "Only layout, comments or style differ from what was accepted."
        return _verdict(self.anchor, level, None, detail, self.source, symbol, baseline)

    def torn(self, symbol: Symbol | None) -> Verdict:
        detail = f"The syntax is broken around {self.place.symbol}: mend it, and the verdict comes back."
        verdict = _verdict(
            self.anchor, Level.UNVERIFIABLE, Reason.SYNTAX, detail, self.source, symbol, self.baselines[-1]
        )
        return verdict if symbol is not None else replace(verdict, name_span=_left_of(self.source, self.place.symbol))

    def of_other_scheme(self, symbol: Symbol) -> Verdict:
        detail = (
            "What was accepted was recorded by another version, and its code is not kept or cannot be read again: "
            "look at the code and clear it to accept it as it is."
        )
        return _verdict(self.anchor, Level.UNVERIFIABLE, Reason.SCHEME, detail, self.source, symbol, self.baselines[-1])

    def gone(self) -> Verdict:
        detail = f"{self.place.symbol} is not in {self.place.file} any more."
        return Verdict(
            anchor=self.anchor.id,
            level=Level.MISSING,
            reason=Reason.SYMBOL_GONE,
            detail=detail,
            baseline=self.baselines[-1].id,
            name_span=_left_of(self.source, self.place.symbol),
        )

    def ambiguous(self, rivals: Sequence[Symbol], usable: Sequence[tuple[Baseline, Fingerprint]]) -> Verdict:
        ranked = sorted(
            (Candidate(_place(self.source, s), round(self.likeness(s, usable), 3)) for s in rivals),
            key=lambda candidate: -candidate.similarity,
        )
        several = len(ranked) > 1
        detail = (
            f"{len(ranked)} definitions of {self.place.symbol} may be the one: re-anchor to the right one."
            if several
            else f"The definition of {self.place.symbol} is gone; another one of that name is left."
        )
        return replace(
            self.gone(),
            reason=Reason.AMBIGUOUS if several else Reason.SYMBOL_GONE,
            detail=detail,
            candidates=tuple(ranked[:CANDIDATES]),
        )


_BODIES = ("body", "value")


def usable_by_id(usable: Sequence[tuple[Baseline, Fingerprint]]) -> Iterable[tuple[str, Fingerprint]]:
    return ((baseline.id, present) for baseline, present in usable)


class _Seek:
    """Looks for a symbol that is gone from its place, in one file or many."""

    def __init__(
        self, baselines: Sequence[Baseline], place: Locus, present: dict[str, Fingerprint] | None = None
    ) -> None:
        self.place = place
        self.wanted = [
            (baseline, present[baseline.id] if present is not None else baseline.fingerprint) for baseline in baselines
        ]
        self.name = (place.symbol or "").rpartition(".")[2]
        self.equal: list[tuple[Source, Symbol, Baseline]] = []
        self.twins: list[tuple[Source, Symbol]] = []
        self.alike: list[tuple[float, bool, Source, Symbol, Baseline, Fingerprint]] = []
        self.beyond = False

    def add_own(self, source: Source, known: Sequence[Symbol]) -> None:
        """Looks among the definitions of the anchor's own file that it did not have when it was accepted."""
        assert source.outline is not None
        old: list[tuple[int, Symbol, list[tuple[Baseline, Fingerprint]]]] = []
        for symbol in source.outline.symbols:
            if symbol.path == self.place.symbol:
                continue
            stood = [p for p in self.wanted if p[1].peers and sketch.marked(p[1].peers, symbol.path)]
            if not stood:
                self.consider(source, symbol, stood)
            elif stood[0][0].content is not None:
                old.append((abs(len(stood[0][0].content) - symbol.end + symbol.start), symbol, stood))
        # What was there before is never followed: a few of about the size are looked at, to be listed.
        for _, symbol, stood in sorted(old, key=lambda entry: entry[0])[:LISTED_OLD]:
            self.consider(source, symbol, stood)

    def add(self, source: Source, before: Source | None) -> None:
        """Looks among the definitions of another file; those that it had before are no move."""
        self.beyond = True
        if source.outline is None:
            return
        stood = {symbol.path for symbol in before.outline.symbols} if before is not None and before.outline else set()
        for symbol in source.outline.symbols:
            self.consider(source, symbol, self.wanted if symbol.path in stood else [])

    def consider(self, source: Source, symbol: Symbol, stood: Collection[tuple[Baseline, Fingerprint]]) -> None:
        for baseline, present in self.wanted:
            namesake = symbol.path == self.place.symbol
            if not _same_sort(symbol.kind, present.symbol_kind) or not (namesake or _near_size(symbol, baseline)):
                continue
            now = likeness_of(source, symbol)
            stood_there = any(baseline is other for other, _ in stood)
            if now.masked == present.masked:
                if stood_there:
                    self.twins.append((source, symbol))
                else:
                    self.equal.append((source, symbol, baseline))
                return
            alike = sketch.similarity(_sketch(present), now.shingles)
            if alike >= OFFERED - MARGIN or namesake:
                self.alike.append((alike, stood_there, source, symbol, baseline, present))

    def conclude(self, anchor: Anchor, verdict: Verdict) -> Verdict:
        trivial = all(present.trivial for _, present in self.wanted)
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
            detail = _moved_detail(baseline, source.path, symbol.path)
            return _verdict(anchor, Level.MOVED, None, detail, source, symbol, baseline)
        candidates = self.candidates(verdict)
        if len(equal) > 1 and not trivial:
            detail = f"{len(equal)} definitions have the code of {self.place.symbol}: re-anchor to the right one."
            return replace(verdict, reason=Reason.AMBIGUOUS, detail=detail, candidates=candidates)
        if equal and trivial and verdict.level is Level.MISSING:
            detail = f"{verdict.detail} What has the same code says too little to be taken for it."
            return replace(verdict, reason=Reason.TRIVIAL, detail=detail, candidates=candidates)
        chosen = None if trivial else self.without_doubt()
        if chosen is not None:
            _, _, source, symbol, baseline, present = chosen
            changed = _changed(anchor, source, symbol, baseline, present)
            moved = _moved_detail(baseline, source.path, symbol.path)
            return replace(changed, detail=f"{moved} {changed.detail}")
        return replace(verdict, candidates=candidates)

    def is_doubtful(self, equal: Symbol) -> bool:
        """Whether the thing may also be the new definition of its own path, edited, beside one that has its code."""
        if equal.path == self.place.symbol:
            return False
        return any(symbol.path == self.place.symbol and not stood for _, stood, _, symbol, _, _ in self.alike)

    def without_doubt(self) -> tuple[float, bool, Source, Symbol, Baseline, Fingerprint] | None:
        """The one definition that is so much like the code that it must be it, edited."""
        new = sorted((entry for entry in self.alike if not entry[1]), key=lambda entry: -entry[0])
        # In another file only the same path is the same thing edited.
        if not new or new[0][0] < ALIKE or (self.beyond and new[0][3].path != self.place.symbol):
            return None
        best = new[0]
        rivals = [
            e for e in new[1:] if (e[2].path, e[3].path, e[3].start) != (best[2].path, best[3].path, best[3].start)
        ]
        return best if not rivals or best[0] - rivals[0][0] >= MARGIN else None

    def candidates(self, verdict: Verdict) -> tuple[Candidate, ...]:
        """What it could be, best first: equal code, then the most alike, new definitions before old ones."""
        ranked: dict[tuple[str, str, int], tuple[tuple[bool, float], Candidate]] = {}
        found = [(1.0, False, source, symbol) for source, symbol, _ in self.equal]
        found += [(1.0, True, source, symbol) for source, symbol in self.twins]
        found += [
            (alike, stood, source, symbol)
            for alike, stood, source, symbol, _, _ in self.alike
            # What has the path itself is worth a look, however unlike it is.
            if alike >= OFFERED or symbol.path == self.place.symbol
        ]
        for alike, stood, source, symbol in found:
            key = (source.path, symbol.path, symbol.start)
            # Of things about as much alike the one that kept its name, or its path, comes first.
            kept = NAMESAKE * ((symbol.name == self.name) + (symbol.path == self.place.symbol))
            entry = ((stood, -alike - kept), Candidate(_place(source, symbol), round(alike, 3)))
            if key not in ranked or entry[0] < ranked[key][0]:
                ranked[key] = entry
        mine = [candidate for _, candidate in sorted(ranked.values(), key=lambda entry: entry[0])]
        known = {(candidate.place.file, candidate.place.start_line) for candidate in mine}
        others = [c for c in verdict.candidates if (c.place.file, c.place.start_line) not in known]
        merged = sorted([*mine, *others], key=lambda c: -c.similarity) if others else mine
        return tuple(merged[:CANDIDATES])


def _changed(anchor: Anchor, source: Source, symbol: Symbol, baseline: Baseline, present: Fingerprint) -> Verdict:
    """What differs between a symbol and the baseline nearest to it."""
    code = code_of(source, symbol)
    since = f" since {baseline.revision[:7]}" if baseline.revision else " since it was accepted"
    if anchor.sensitivity is Sensitivity.INTERFACE and code.interface == present.interface:
        detail = "The interface is what was accepted; what it is made of differs, which this anchor does not watch."
        return _verdict(anchor, Level.REFORMATTED, None, detail, source, symbol, baseline)
    members = _differing(dict(present.members), dict(code.members))
    if symbol.container and present.own and present.own == code.own and members:
        detail = f"{_listed(members)} changed{since}."
        verdict = _verdict(anchor, Level.CHANGED, Reason.MEMBERS, detail, source, symbol, baseline)
        return replace(verdict, members=members)
    parts = _differing(dict(present.parts), dict(code.parts))
    parts = tuple(name for name in parts if name != "declaration") or parts
    reason = Reason.INTERFACE if code.interface != present.interface else Reason.BODY
    detail = f"{_capital(_listed(parts or ('the code',)))} changed{since}."
    return _verdict(anchor, Level.CHANGED, reason, detail, source, symbol, baseline)


def _differing(before: dict[str, str], now: dict[str, str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys([*before, *now]) if before.get(name) != now.get(name))


def _listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _moved_detail(baseline: Baseline, file: str, path: str) -> str:
    if baseline.place.file == file:
        return f"{baseline.place.symbol} is now {path}."
    return f"{baseline.place.symbol or baseline.place.file} is now {path} in {file}."


def _sketch(fingerprint: Fingerprint) -> sketch.Sketch:
    return sketch.parse(fingerprint.sketch) or sketch.Sketch(0, frozenset())


_VALUES = frozenset({"variable", "constant", "field", "property"})


def _same_sort(kind: str, other: str) -> bool:
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


def _place(source: Source, symbol: Symbol) -> Place:
    return Place(source.path, symbol.path, symbol.start_line, symbol.end_line)


def _verdict(
    anchor: Anchor,
    level: Level,
    reason: Reason | None,
    detail: str,
    source: Source,
    symbol: Symbol | None,
    baseline: Baseline,
) -> Verdict:
    return Verdict(
        anchor=anchor.id,
        level=level,
        reason=reason,
        detail=detail,
        now=_place(source, symbol) if symbol is not None else None,
        baseline=baseline.id,
        span=Span(symbol.start, symbol.end) if symbol is not None else None,
        name_span=Span(symbol.name_start, symbol.name_end) if symbol is not None else None,
    )


def _left_of(source: Source, path: str | None) -> Span:
    """The name of the innermost container of `path` that is still there, else the first line."""
    outline, text = source.outline, source.text
    segments = (path or "").split(".")
    while outline is not None and len(segments) > 1:
        segments.pop()
        for symbol in outline.by_path(".".join(segments)):
            return Span(symbol.name_start, symbol.name_end)
    return Span(0, len(text.line(0).rstrip(b"\r\n")) if text is not None else 0)


def _refused(anchor: Anchor, place: Locus, source: Source) -> Verdict | None:
    """The verdict where there is no text to judge."""
    baseline = anchor.baselines[-1].id if anchor.baselines else None
    state = source.state
    if state is SourceState.OK and source.text is not None:
        return None
    if state is SourceState.GONE:
        detail = f"{place.file} is gone."
        return Verdict(anchor.id, Level.FILE_MISSING, Reason.FILE_GONE, detail, baseline=baseline)
    reason = {
        SourceState.NOT_TEXT: Reason.NOT_TEXT,
        SourceState.TOO_LARGE: Reason.TOO_LARGE,
        SourceState.OUTSIDE: Reason.OUTSIDE,
    }.get(state, Reason.UNREADABLE)
    detail = source.message or f"{place.file} cannot be read."
    return Verdict(anchor.id, Level.UNVERIFIABLE, reason, detail, baseline=baseline)


def _no_baseline(anchor: Anchor, look: Look) -> Verdict:
    """Nobody has accepted any code for this anchor; where it stands is told all the same."""
    place = anchor.place
    source = look(place.file)
    refused = _refused(anchor, place, source)
    if refused is not None and refused.level is Level.FILE_MISSING:
        return refused
    detail = "Nobody has accepted the code of this anchor yet: look at it and clear it to accept it as it is."
    verdict = Verdict(anchor.id, Level.UNVERIFIABLE, Reason.NO_BASELINE, detail)
    if refused is not None or source.text is None:
        return verdict
    if place.symbol is None:
        return regions.with_lines(verdict, source, place.lines)
    there = source.outline.by_path(place.symbol) if source.outline is not None else ()
    if not there:
        gone = f"{place.symbol} is not in {place.file}."
        span = _left_of(source, place.symbol)
        return replace(verdict, level=Level.MISSING, reason=Reason.SYMBOL_GONE, detail=gone, name_span=span)
    symbol = there[0]
    return replace(
        verdict,
        now=_place(source, symbol),
        span=Span(symbol.start, symbol.end),
        name_span=Span(symbol.name_start, symbol.name_end),
    )


def _only_file(fingerprint: Fingerprint) -> bool:
    """Whether it believes in a file's hash and in nothing else."""
    return not fingerprint.text and not fingerprint.code


def _file_hash_verdict(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """Fresh, where the file has a baseline's bytes, line ends and byte order mark aside."""
    assert source.text is not None
    matching = next((b for b in baselines if _same_bytes(source, b.fingerprint.file_sha256)), None)
    baseline = matching or baselines[-1]
    level = Level.FRESH if matching is not None else Level.CHANGED
    detail = "The file is what was accepted." if matching else "The file's bytes are not those that were accepted."
    reason = None if matching is not None else Reason.BODY
    if matching is not None and baseline.place.file != source.path:
        level, detail = Level.MOVED, f"{baseline.place.file} is now {source.path}."
    symbol = None
    if place.symbol is not None and source.outline is not None:
        there = source.outline.by_path(place.symbol)
        if not there and level is Level.CHANGED:
            detail = f"{place.symbol} is not in {place.file} any more."
            verdict = Verdict(anchor.id, Level.MISSING, Reason.SYMBOL_GONE, detail, baseline=baseline.id)
            return replace(verdict, name_span=_left_of(source, place.symbol))
        symbol = there[0] if there else None
    verdict = _verdict(anchor, level, reason, detail, source, symbol, baseline)
    return verdict if symbol is not None else regions.with_lines(verdict, source, place.lines)


def _same_bytes(source: Source, sha256: str) -> bool:
    """Whether a file has that hash, or would have it with other line ends, with or without a byte order mark."""
    if source.text is None:
        return False
    if file_hash(source) == sha256:
        return True
    plain = bytes(source.text).replace(b"\r\n", b"\n")
    return any(
        hashlib.sha256(mark + data).hexdigest() == sha256
        for data in (plain, plain.replace(b"\n", b"\r\n"))
        for mark in (b"", b"\xef\xbb\xbf")
    )


def _unparsed(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """A symbol in a file that has no outline: fresh where the whole file is what it was."""
    for baseline in baselines:
        if baseline.fingerprint.file_sha256 == file_hash(source):
            verdict = Verdict(anchor.id, Level.FRESH, None, "The file is what was accepted.", baseline=baseline.id)
            return regions.with_lines(verdict, source, baseline.lines)
    detail = source.message or f"{place.file} is of no language with a grammar here, so {place.symbol} cannot be found."
    verdict = Verdict(anchor.id, Level.UNVERIFIABLE, Reason.SCHEME, detail, baseline=baselines[-1].id)
    return regions.with_lines(verdict, source, None)
