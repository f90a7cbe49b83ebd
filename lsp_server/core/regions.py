"""Verdicts on regions: lines that are no definition.

A region is a quote with what stood before and after it (`core.quotes` finds it again). It is judged by its tokens and
their nesting where its language has a grammar, else by its text. Refuses to guess where several places are as likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lsp_server.core import broken, rebase
from lsp_server.core.files import is_same, judge_file, with_lines
from lsp_server.core.fingerprint import digest, line_bytes, region_tokens, text_hash
from lsp_server.core.found import CANDIDATES, RECORDED_OTHERWISE, since_words
from lsp_server.core.model import (
    Anchor,
    Baseline,
    Candidate,
    Level,
    Locus,
    Place,
    Reason,
    Sensitivity,
    Verdict,
)
from lsp_server.core.quotes import Spot, between, choose, text_spots, token_spots
from lsp_server.core.source import Source

AS_ACCEPTED = "The lines are what was accepted."


def judge_lines(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """The verdict on a region, or on the whole file where `place` has no lines."""
    if place.lines is None:
        return judge_file(anchor, source, baselines)
    return _region(anchor, place, source, baselines)


def search(anchor: Anchor, verdict: Verdict, sources: Sequence[Source], baselines: Sequence[Baseline]) -> Verdict:
    """Looks for a lost region or file in other files: followed where one alone has all of it and it says enough."""
    found: list[Verdict] = []
    for source in sources:
        for baseline in baselines:
            fingerprint = baseline.fingerprint
            if fingerprint.trivial:
                continue
            if fingerprint.kind == "region":
                spots = text_spots(source, baseline)
                if len(spots) == 1:
                    found.append(_at_lines(anchor, source, baseline, spots[0], Level.MOVED))
                    break
            elif is_same(source, baseline):
                found.append(with_lines(_verdict(anchor, Level.MOVED, None, "", baseline), source, None))
                break
    if len(found) == 1 and found[0].now is not None:
        before = next(b for b in baselines if b.id == found[0].baseline).place
        return replace(found[0], detail=f"{before} is now in {found[0].now.file}.")
    if found:
        candidates = tuple(Candidate(other.now, 1.0) for other in found if other.now is not None)
        detail = f"{len(found)} files have the same text: re-anchor to the right one."
        return replace(verdict, reason=Reason.AMBIGUOUS, detail=detail, candidates=candidates[:CANDIDATES])
    return verdict


def _verdict(anchor: Anchor, level: Level, reason: Reason | None, detail: str, baseline: Baseline) -> Verdict:
    return Verdict(anchor=anchor.id, level=level, reason=reason, detail=detail, baseline=baseline.id)


def _region(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    assert source.text is not None and place.lines is not None
    for baseline in baselines:
        for lines in dict.fromkeys((place.lines, baseline.lines)):
            if _text_at(source, lines) == baseline.fingerprint.text:
                return _at_lines(anchor, source, baseline, Spot(*lines, 0), Level.FRESH)
    rivals: list[Candidate] = []
    for baseline in baselines:
        spots = text_spots(source, baseline)
        chosen = choose(spots, baseline)
        if chosen is not None:
            return _at_lines(anchor, source, baseline, chosen, Level.FRESH)
        rivals += [Candidate(Place(source.path, None, spot.first, spot.last), 1.0) for spot in spots]
    if anchor.sensitivity in (Sensitivity.CODE, Sensitivity.INTERFACE) and source.tree is not None:
        for baseline in baselines:
            spots = token_spots(source, baseline)
            chosen = choose(spots, baseline)
            if chosen is not None:
                return _judge_tokens(anchor, source, baseline, chosen)
    for baseline in reversed(baselines):
        spot = between(source, baseline)
        if spot is not None:
            return _judge_tokens(anchor, source, baseline, spot)
    baseline = baselines[-1]
    reason = Reason.AMBIGUOUS if len(rivals) > 1 else Reason.SYMBOL_GONE
    detail = f"The lines are not in {source.path} any more."
    if len(rivals) > 1:
        detail = f"{len(rivals)} places of {source.path} have these lines: re-anchor to the right one."
    verdict = _verdict(anchor, Level.MISSING, reason, detail, baseline)
    left = with_lines(verdict, source, (place.lines[0], place.lines[0]))
    return replace(left, now=None, span=None, candidates=tuple(rivals[:CANDIDATES]))


def _text_at(source: Source, lines: tuple[int, int]) -> str:
    assert source.text is not None
    if lines[1] > source.text.line_count:
        return ""
    start, end = line_bytes(source, lines)
    return text_hash(source.text.slice(start, end).rstrip(b"\r\n"))


def _at_lines(anchor: Anchor, source: Source, baseline: Baseline, spot: Spot, level: Level) -> Verdict:
    detail = {
        Level.FRESH: AS_ACCEPTED,
        Level.REFORMATTED: "Only layout or comments differ from what was accepted.",
    }.get(level, "")
    if level in (Level.FRESH, Level.REFORMATTED) and baseline.place.file != source.path:
        level, detail = Level.MOVED, f"{baseline.place} is now in {source.path}."
    return with_lines(_verdict(anchor, level, None, detail, baseline), source, (spot.first, spot.last))


def _judge_tokens(anchor: Anchor, source: Source, baseline: Baseline, spot: Spot) -> Verdict:
    """Reformatted where tokens and nesting are the accepted ones, else changed."""
    kept = baseline.fingerprint
    lines = (spot.first, spot.last)
    start, end = line_bytes(source, lines)
    by_code = source.tree is not None and anchor.sensitivity is not Sensitivity.TEXT
    if by_code and rebase.is_current(baseline, source):
        if kept.code and digest(region_tokens(source, start, end)) == kept.code:
            return _at_lines(anchor, source, baseline, spot, Level.REFORMATTED)
    elif by_code:
        same = rebase.same_region(baseline, source, lines)
        if same:
            return _at_lines(anchor, source, baseline, spot, Level.REFORMATTED)
        if same is None:
            verdict = _verdict(anchor, Level.UNVERIFIABLE, Reason.SCHEME, RECORDED_OTHERWISE, baseline)
            return with_lines(verdict, source, lines)
    news = [found for found in broken.breaks(source) if found.mark not in kept.errors] if by_code else []
    if any(found.wide or (found.start <= end and found.end >= start) for found in news):
        detail = "The syntax is broken around the lines: mend it, and the verdict comes back."
        verdict = _verdict(anchor, Level.UNVERIFIABLE, Reason.SYNTAX, detail, baseline)
        return with_lines(verdict, source, lines)
    words = since_words(baseline).replace(" since it was", " since they were")
    verdict = _verdict(anchor, Level.CHANGED, Reason.BODY, f"The lines changed{words}.", baseline)
    return with_lines(verdict, source, lines)
