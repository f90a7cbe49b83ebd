"""Verdicts: what became of an anchor in the code as it is now.

`judge` is a pure function of an anchor and the texts of its own places; `search_beyond` takes a `missing` further, into
files that its caller chose. Both follow only what is without doubt, and otherwise list what it could be. Refuses to
know files, sessions and holding: while a text is broken the caller may go on showing what it knew.

Order of proof, here and wherever two things must be told apart: the exact text, then the code, then the interface among
those that are not known siblings, then likeness. See the design, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from lsp_server.core import files, rebase, regions, sketch
from lsp_server.core.fingerprint import likeness_of, text_hash
from lsp_server.core.found import (
    AS_ACCEPTED,
    CANDIDATES,
    ONLY_LAYOUT,
    ONLY_LAYOUT_AND_NAME,
    WATCHES_TEXT,
    refused,
    verdict_on,
)
from lsp_server.core.model import (
    Anchor,
    Baseline,
    Candidate,
    Level,
    Locus,
    Reason,
    Sensitivity,
    SourceState,
    Verdict,
)
from lsp_server.core.seek import ALIKE, MARGIN, Seek, merged, mostly_kept, sketch_of
from lsp_server.core.source import Source
from lsp_server.core.symbolpath import split_path
from lsp_server.core.symbols import Symbols

RENAMED = 0.5
"""Share of a gone file's definitions that a new file must have, by path, to be taken for it; as git's default for
files."""

Look = Callable[[str], Source]


def judge(anchor: Anchor, look: Look, *, body_hash: str, regressed: Collection[str] = ()) -> Verdict:
    """The verdict on one anchor.

    `look` gives the present source of a file of one of its places, with state GONE where there is none. `body_hash` is
    the hash of the memory's present text. `regressed` are states of the memory in which its code was accepted as
    faulty: code that matches such a baseline, and no other, is `changed` with reason `regressed`.
    """
    if not anchor.baselines:
        return files.no_baseline(anchor, look(anchor.place.file))
    at_once = _untouched(anchor, look, body_hash) if not regressed else None
    if at_once is not None:
        return at_once
    faulty = [baseline for baseline in anchor.baselines if baseline.state in regressed]
    counted = [baseline for baseline in counting(anchor, body_hash) if baseline not in faulty]
    verdict = _at_places(anchor, look, counted or list(counting(anchor, body_hash)))
    verdict = written_down(anchor, verdict, look)
    if faulty and (verdict.stale or not counted):
        before = _at_places(anchor, look, faulty)
        if before.level in (Level.FRESH, Level.REFORMATTED, Level.MOVED):
            detail = "The code is again as it was when this was opened."
            return replace(before, level=Level.CHANGED, reason=Reason.REGRESSED, detail=detail)
    return verdict


def written_down(anchor: Anchor, verdict: Verdict, look: Look) -> Verdict:
    """A `moved` verdict at the place where the anchor is kept to be by now, as it is once the move was written down (by
    an event, or by hand in `memory.md`): the accepted code, whatever it was called and wherever it stood. Any other
    verdict unchanged."""
    now, span, place = verdict.now, verdict.span, anchor.place
    if verdict.level is not Level.MOVED or now is None or span is None:
        return verdict
    if (now.file, now.symbol) != (place.file, place.symbol) or not is_written(anchor, place):
        return verdict
    text = look(place.file).text
    baseline = next((one for one in anchor.baselines if one.id == verdict.baseline), None)
    if text is None or baseline is None:
        return verdict
    if files.only_file(baseline.fingerprint) or anchor.sensitivity is Sensitivity.FILE:
        return replace(verdict, level=Level.FRESH, detail=files.AS_ACCEPTED)
    code = bytes(text) if baseline.fingerprint.kind == "file" else text.slice(span.start, span.end)
    if _is_accepted(code, baseline):
        return replace(verdict, level=Level.FRESH, detail=AS_ACCEPTED)
    renamed = place.symbol != baseline.place.symbol
    if renamed and _is_accepted(_called(code, place.symbol, baseline.place.symbol), baseline):
        return replace(verdict, level=Level.FRESH, detail="The code is what was accepted, its name aside.")
    if anchor.sensitivity is Sensitivity.TEXT:
        return replace(verdict, level=Level.CHANGED, reason=Reason.BODY, detail=WATCHES_TEXT)
    detail = ONLY_LAYOUT_AND_NAME if renamed else ONLY_LAYOUT
    return replace(verdict, level=Level.REFORMATTED, detail=detail)


def is_written(anchor: Anchor, place: Locus) -> bool:
    """Whether `memory.md` or an event says that an anchor is at a place, and not only a search that found it there."""
    return place == anchor.locus or any(step.place == place and step.event for step in anchor.followed)


def _is_accepted(code: bytes, baseline: Baseline) -> bool:
    kept = baseline.fingerprint
    if kept.kind == "region":
        code = code.rstrip(b"\r\n")
    return text_hash(code) == kept.text or rebase.has_text(baseline, code)


def _called(code: bytes, now: str | None, before: str | None) -> bytes:
    """The code of a symbol under the name that it had before."""
    names = [split_path(path)[-1].encode() for path in (now or "", before or "") if path]
    if len(names) != 2 or names[0] == names[1]:
        return code
    return re.sub(rb"(?<![\w\x80-\xff])" + re.escape(names[0]) + rb"(?![\w\x80-\xff])", lambda _: names[1], code)


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
    return verdict_on(anchor, Level.FRESH, None, AS_ACCEPTED, source, there[0], baseline)


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
    if not baselines:  # Nobody knows what to look for.
        return verdict
    known = {place.file for place in anchor.places} if verdict.level is Level.MISSING else {anchor.place.file}
    others = [source for source in sources if source.path not in known and source.text is not None]
    first: Candidate | None = None
    if verdict.level is Level.FILE_MISSING:
        now = _renamed_file(anchor, others, baselines, renamed, was)
        if now is not None:
            there = _at(anchor, replace(anchor.place, file=now.path), now, baselines)
            alike, kept = _likeness_at(now, there, baselines)
            doubted = there.level is Level.CHANGED and now.path != renamed and (alike < ALIKE or not kept)
            if there.level is not Level.MISSING and not doubted:
                return there
            if doubted and there.now is not None:
                first = Candidate(there.now, round(alike, 3))
            verdict = replace(verdict, candidates=there.candidates)
    if anchor.place.symbol is not None:
        seek = Seek(anchor.place, [(baseline, baseline.fingerprint) for baseline in baselines])
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
        same = any(files.has_bytes(source, baseline.fingerprint.file_sha256) for baseline in baselines)
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


def _likeness_at(source: Source, verdict: Verdict, baselines: Sequence[Baseline]) -> tuple[float, bool]:
    """How much the symbol that a verdict found is like the baselines, and whether most of its members were kept; 1 and
    True where it found no symbol."""
    if verdict.now is None or verdict.now.symbol is None or verdict.span is None or source.outline is None:
        return 1.0, True
    for symbol in source.outline.by_path(verdict.now.symbol):
        if symbol.start == verdict.span.start:
            now = likeness_of(source, symbol).shingles
            alike = max(sketch.similarity(sketch_of(baseline.fingerprint), now) for baseline in baselines)
            return alike, any(mostly_kept(source, symbol, baseline.fingerprint) for baseline in baselines)
    return 1.0, True


def _at_places(anchor: Anchor, look: Look, baselines: list[Baseline]) -> Verdict:
    """The verdict at the newest place, or at an older one: where a baseline matches, or, when the newest holds nothing,
    where the code stands edited (the move was taken back: the file is checked out as it was, the name changed back)."""
    first = anchor.place
    verdict = _at(anchor, first, look(first.file), baselines)
    astray = verdict.now is None or (verdict.now.file, verdict.now.symbol) != (first.file, first.symbol)
    if verdict.level not in (Level.CHANGED, Level.MISSING, Level.FILE_MISSING, Level.MOVED):
        return verdict
    if verdict.level is Level.MOVED and (not astray or first.symbol is None):
        return verdict
    tied = {anchor.locus} | {step.place for step in anchor.followed if step.base == anchor.locus}
    back: list[Verdict] = []
    for place in anchor.places[1:]:
        # A symbol that is there, though changed, is only given up for a place that it was followed from.
        if place == first or (verdict.level is Level.CHANGED and place not in tied):
            continue
        elsewhere = _at(anchor, place, look(place.file), baselines, follow=False)
        if elsewhere.level in (Level.FRESH, Level.REFORMATTED):
            return elsewhere
        if verdict.level is not Level.MOVED:
            if elsewhere.level is Level.MOVED:
                return elsewhere
            if place in tied and place.symbol is not None:
                back.append(elsewhere)
    return _taken_back(verdict, back, look, baselines) if astray and back else verdict


def _taken_back(verdict: Verdict, back: Sequence[Verdict], look: Look, baselines: Sequence[Baseline]) -> Verdict:
    """The verdict on an anchor that is not at its newest place, with `back`, the verdicts at those it came from: the
    only one that is much like what was accepted, or that cannot be told for broken syntax; else they are listed."""
    if verdict.reason is Reason.AMBIGUOUS:
        return verdict
    if verdict.now is not None:
        # What was found by likeness stands at its old place: that is no move.
        return next((one for one in back if one.now == verdict.now), verdict)
    edited = [(one, *_likeness_at(look(one.now.file), one, baselines)) for one in back if one.now is not None]
    alike = [one for one, likeness, kept in edited if likeness >= ALIKE and kept]
    if len(alike) == 1:
        return alike[0]
    if not alike:
        torn = next((one for one in back if one.reason is Reason.SYNTAX), None)
        if torn is not None:
            return torn
    listed = [Candidate(one.now, round(likeness, 3)) for one, likeness, _ in edited if one.now is not None]
    listed.sort(key=lambda candidate: -candidate.similarity)
    return replace(verdict, candidates=merged(listed, verdict.candidates))


def _at(anchor: Anchor, place: Locus, source: Source, baselines: list[Baseline], *, follow: bool = True) -> Verdict:
    """The verdict at one place."""
    unread = refused(anchor, place, source)
    if unread is not None:
        return unread
    assert source.text is not None
    if anchor.sensitivity is Sensitivity.FILE or all(files.only_file(baseline.fingerprint) for baseline in baselines):
        return files.by_file_hash(anchor, place, source, baselines)
    if place.symbol is None:
        return regions.judge_lines(anchor, place, source, baselines)
    if source.outline is None:
        return files.without_outline(anchor, place, source, baselines)
    return Symbols(anchor, place, source, baselines).verdict(follow)
