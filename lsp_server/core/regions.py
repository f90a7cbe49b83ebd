"""Verdicts on lines and on whole files.

A region is a quote with what stood before and after it. It is found again by its exact lines, then by its tokens, then
by its surroundings, which tell where an edited quote is now. Refuses to guess: lines that say little count only beside
something of what stood around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsp_server.core import broken
from lsp_server.core.fingerprint import (
    clamp,
    digest,
    file_tokens,
    line_bytes,
    region_tokens,
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
    Span,
    Verdict,
)
from lsp_server.core.rebase import rebased
from lsp_server.core.source import Source

GROWTH = 3
SPARE = 20
"""Lines between two surroundings belong to an edited region while they are no more than `GROWTH` times as many as it
had, plus `SPARE`."""

CANDIDATES = 5


def judge_lines(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """The verdict on a region, or on the whole file where `place` has no lines."""
    if place.lines is None:
        return _whole(anchor, source, baselines)
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
                spots = _spots(source, baseline)
                if len(spots) == 1:
                    found.append(_at_lines(anchor, source, baseline, spots[0], Level.MOVED))
                    break
            elif _same_file(source, fingerprint):
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


def with_lines(verdict: Verdict, source: Source, lines: tuple[int, int] | None) -> Verdict:
    """The verdict, placed at some lines of a file, or at the file as a whole."""
    text = source.text
    if text is None:
        return verdict
    first, last = (1, text.line_count) if lines is None else clamp(source, lines)
    start, end = line_bytes(source, (first, last))
    while end > start and text.slice(end - 1, end) in (b"\n", b"\r"):
        end -= 1
    name_end = line_bytes(source, (first, first))[1]
    while name_end > start and text.slice(name_end - 1, name_end) in (b"\n", b"\r"):
        name_end -= 1
    return replace(
        verdict,
        now=Place(source.path, None, first, last),
        span=Span(start, end),
        name_span=Span(start, min(name_end, end)),
    )


def _verdict(anchor: Anchor, level: Level, reason: Reason | None, detail: str, baseline: Baseline) -> Verdict:
    return Verdict(anchor=anchor.id, level=level, reason=reason, detail=detail, baseline=baseline.id)


def _same_file(source: Source, fingerprint: Fingerprint) -> bool:
    assert source.text is not None
    if fingerprint.text == text_hash(bytes(source.text)):
        return True
    grammar = source.language.version if source.language is not None else ""
    return bool(
        fingerprint.code
        and fingerprint.scheme == SCHEME
        and fingerprint.grammar == grammar
        and fingerprint.code == digest(file_tokens(source).items)
    )


def _whole(anchor: Anchor, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    assert source.text is not None
    text = text_hash(bytes(source.text))
    for baseline in baselines:
        if baseline.fingerprint.text == text:
            return _whole_verdict(anchor, Level.FRESH, None, "The file is what was accepted.", baseline, source)
    judged_by_code = anchor.sensitivity in (Sensitivity.CODE, Sensitivity.INTERFACE) and source.tree is not None
    if judged_by_code and source.language is not None:
        tokens = file_tokens(source)
        code = digest(tokens.items)
        usable = 0
        known: set[str] = set()
        for baseline in baselines:
            kept = baseline.fingerprint
            present: Fingerprint | None = kept
            if kept.scheme != SCHEME or kept.grammar != source.language.version or not kept.code:
                present = rebased(baseline, source.path, source.language)
            if present is None:
                continue
            usable += 1
            known |= set(present.errors)
            if present.code == code:
                detail = "Only layout, comments or style differ from what was accepted."
                return _whole_verdict(anchor, Level.REFORMATTED, None, detail, baseline, source)
        if not usable:
            detail = (
                "What was accepted was recorded by another version and cannot be read again: clear it to accept it."
            )
            return _whole_verdict(anchor, Level.UNVERIFIABLE, Reason.SCHEME, detail, baselines[-1], source)
        if set(broken.marks(source)) - known:
            detail = "The syntax of the file is broken: mend it, and the verdict comes back."
            return _whole_verdict(anchor, Level.UNVERIFIABLE, Reason.SYNTAX, detail, baselines[-1], source)
    baseline = baselines[-1]
    since = f" since {baseline.revision[:7]}" if baseline.revision else " since it was accepted"
    detail = f"The file changed{since}."
    return _whole_verdict(anchor, Level.CHANGED, Reason.BODY, detail, baseline, source)


def _whole_verdict(
    anchor: Anchor, level: Level, reason: Reason | None, detail: str, baseline: Baseline, source: Source
) -> Verdict:
    if level in (Level.FRESH, Level.REFORMATTED) and baseline.place.file != source.path:
        level, detail = Level.MOVED, f"{baseline.place.file} is now {source.path}."
    return with_lines(_verdict(anchor, level, reason, detail, baseline), source, None)


@dataclass(frozen=True, slots=True)
class _Spot:
    """Lines that may be a region; `around` is how many of the lines beside them are those that stood there."""

    first: int
    last: int
    around: int


def _region(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    assert source.text is not None and place.lines is not None
    for baseline in baselines:
        for lines in dict.fromkeys((place.lines, baseline.lines)):
            if _text_at(source, lines) == baseline.fingerprint.text:
                return _at_lines(anchor, source, baseline, _Spot(*lines, 0), Level.FRESH)
    rivals: list[Candidate] = []
    for baseline in baselines:
        spots = _spots(source, baseline)
        chosen = _choose(spots, baseline)
        if chosen is not None:
            return _at_lines(anchor, source, baseline, chosen, Level.FRESH)
        rivals += [Candidate(Place(source.path, None, spot.first, spot.last), 1.0) for spot in spots]
    if anchor.sensitivity in (Sensitivity.CODE, Sensitivity.INTERFACE) and source.tree is not None:
        for baseline in baselines:
            spots = _token_spots(source, baseline)
            chosen = _choose(spots, baseline)
            if chosen is not None:
                return _judge_tokens(anchor, source, baseline, chosen)
    for baseline in reversed(baselines):
        between = _between(source, baseline)
        if between is not None:
            return _judge_tokens(anchor, source, baseline, between)
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


def _at_lines(anchor: Anchor, source: Source, baseline: Baseline, spot: _Spot, level: Level) -> Verdict:
    detail = {
        Level.FRESH: "The lines are what was accepted.",
        Level.REFORMATTED: "Only layout or comments differ from what was accepted.",
    }.get(level, "")
    if level in (Level.FRESH, Level.REFORMATTED) and baseline.place.file != source.path:
        level, detail = Level.MOVED, f"{baseline.place} is now in {source.path}."
    return with_lines(_verdict(anchor, level, None, detail, baseline), source, (spot.first, spot.last))


def _judge_tokens(anchor: Anchor, source: Source, baseline: Baseline, spot: _Spot) -> Verdict:
    """Reformatted where tokens and nesting are the accepted ones, else changed."""
    kept = baseline.fingerprint
    start, end = line_bytes(source, (spot.first, spot.last))
    comparable = (
        source.language is not None
        and source.tree is not None
        and kept.scheme == SCHEME
        and kept.grammar == source.language.version
        and anchor.sensitivity is not Sensitivity.TEXT
    )
    if comparable and kept.code and digest(region_tokens(source, start, end)) == kept.code:
        return _at_lines(anchor, source, baseline, spot, Level.REFORMATTED)
    news = [found for found in broken.breaks(source) if found.mark not in kept.errors] if comparable else []
    if any(found.wide or (found.start <= end and found.end >= start) for found in news):
        detail = "The syntax is broken around the lines: mend it, and the verdict comes back."
        verdict = _verdict(anchor, Level.UNVERIFIABLE, Reason.SYNTAX, detail, baseline)
        return with_lines(verdict, source, (spot.first, spot.last))
    since = f" since {baseline.revision[:7]}" if baseline.revision else " since they were accepted"
    verdict = _verdict(anchor, Level.CHANGED, Reason.BODY, f"The lines changed{since}.", baseline)
    return with_lines(verdict, source, (spot.first, spot.last))


def _choose(spots: Sequence[_Spot], baseline: Baseline) -> _Spot | None:
    """The spot that is the region without doubt, None where there is none or several."""
    if not spots:
        return None
    best = max(spot.around for spot in spots)
    if best == 0:
        return spots[0] if len(spots) == 1 and not baseline.fingerprint.trivial else None
    likely = [spot for spot in spots if spot.around == best]
    return min(likely, key=lambda spot: abs(spot.first - baseline.lines[0]))


def _plain(source: Source) -> bytes:
    assert source.text is not None
    data = bytes(source.text)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def _spots(source: Source, baseline: Baseline) -> list[_Spot]:
    """Every place that has the exact lines of a region."""
    if baseline.content is None:
        return []
    quote = baseline.content.encode("utf-8", "surrogatepass").rstrip(b"\n")
    if not quote.strip():
        return []
    data = _plain(source)
    height = quote.count(b"\n")
    spots: list[_Spot] = []
    at = data.find(quote)
    lines: list[bytes] | None = None
    while at >= 0 and len(spots) < 50:
        end = at + len(quote)
        if (at == 0 or data[at - 1 : at] == b"\n") and (end == len(data) or data[end : end + 1] == b"\n"):
            if lines is None:
                lines = data.split(b"\n")
            first = data.count(b"\n", 0, at) + 1
            spots.append(_Spot(first, first + height, _around(lines, first, first + height, baseline.fingerprint)))
        at = data.find(quote, at + 1)
    return spots


def _around(lines: Sequence[bytes], first: int, last: int, fingerprint: Fingerprint) -> int:
    """How many of the lines that stood beside a region stand beside lines `first` to `last`."""
    before, after = (_context_lines(text) for text in fingerprint.context)
    return sum(
        wanted == found.strip()
        for wanted, found in [
            *zip(reversed(before), reversed(lines[max(0, first - 1 - len(before)) : first - 1]), strict=False),
            *zip(after, lines[last : last + len(after)], strict=False),
        ]
        if wanted
    )


def _context_lines(text: str) -> list[bytes]:
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.strip() for line in lines]


def _token_spots(source: Source, baseline: Baseline) -> list[_Spot]:
    """Every place that has the words of a region, whatever its white space."""
    if baseline.content is None:
        return []
    wanted = b"".join(baseline.content.encode("utf-8", "surrogatepass").split())
    if not wanted:
        return []
    data = _plain(source)
    squeezed = bytearray()
    starts: list[int] = []
    lines = data.split(b"\n")
    for line in lines:
        starts.append(len(squeezed))
        squeezed += b"".join(line.split())
    spots: list[_Spot] = []
    at = squeezed.find(wanted)
    while at >= 0 and len(spots) < 50:
        end = at + len(wanted)
        first = _line_at(starts, at)
        last = _line_at(starts, end - 1)
        if starts[first] == at and (last + 1 == len(starts) or starts[last + 1] == end):
            spots.append(_Spot(first + 1, last + 1, _around(lines, first + 1, last + 1, baseline.fingerprint)))
        at = squeezed.find(wanted, at + 1)
    return spots


def _line_at(starts: Sequence[int], offset: int) -> int:
    """Index of the last line that begins at or before `offset` and is not empty."""
    from bisect import bisect_right

    return bisect_right(starts, offset) - 1


def _between(source: Source, baseline: Baseline) -> _Spot | None:
    """The lines between what stood before and after a region, None where these are not found once, in order."""
    before, after = (_context_lines(text) for text in baseline.fingerprint.context)
    lines = [line.strip() for line in _plain(source).split(b"\n")]
    height = baseline.lines[1] - baseline.lines[0] + 1
    limit = GROWTH * height + SPARE
    starts = _ends_of(lines, before) if any(before) else [0]
    stops = _starts_of(lines, after) if any(after) else [len(lines)]
    pairs = [(start, stop) for start in starts for stop in stops if 0 <= stop - start <= limit]
    if not pairs:
        return None
    shortest = min(stop - start for start, stop in pairs)
    best = [pair for pair in pairs if pair[1] - pair[0] == shortest]
    if len(best) != 1 or shortest == 0:
        return None
    start, stop = best[0]
    while start < stop and not lines[start]:
        start += 1
    while stop > start and not lines[stop - 1]:
        stop -= 1
    return _Spot(start + 1, stop, 2) if start < stop else None


def _ends_of(lines: Sequence[bytes], block: Sequence[bytes]) -> list[int]:
    """Indexes after each place where the longest end of `block` that occurs at all stands."""
    for size in range(len(block), 0, -1):
        part = list(block[-size:])
        if any(part):
            found = [at + size for at in range(len(lines) - size + 1) if list(lines[at : at + size]) == part]
            if found:
                return found
    return []


def _starts_of(lines: Sequence[bytes], block: Sequence[bytes]) -> list[int]:
    for size in range(len(block), 0, -1):
        part = list(block[:size])
        if any(part):
            found = [at for at in range(len(lines) - size + 1) if list(lines[at : at + size]) == part]
            if found:
                return found
    return []
