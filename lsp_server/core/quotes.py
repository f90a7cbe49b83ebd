"""Finding a quote again: the lines that a baseline keeps, in a text where they may stand elsewhere, or be edited.

Knows exact lines, words whatever their white space, and what stood before and after. Refuses to judge what it finds,
and to guess: lines that say little count only beside something of what stood around them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from lsp_server.core.model import Baseline, Fingerprint
from lsp_server.core.source import Source

GROWTH = 3
SPARE = 20
"""Lines between two surroundings belong to an edited region while they are no more than `GROWTH` times as many as it
had, plus `SPARE`."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Lines that may be a region; `around` is how many of the lines beside them are those that stood there."""

    first: int
    last: int
    around: int


def choose(spots: Sequence[Spot], baseline: Baseline) -> Spot | None:
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


def text_spots(source: Source, baseline: Baseline) -> list[Spot]:
    """Every place that has the exact lines of a region."""
    if baseline.content is None:
        return []
    quote = baseline.content.encode("utf-8", "surrogatepass").rstrip(b"\n")
    if not quote.strip():
        return []
    data = _plain(source)
    height = quote.count(b"\n")
    spots: list[Spot] = []
    at = data.find(quote)
    lines: list[bytes] | None = None
    while at >= 0 and len(spots) < 50:
        end = at + len(quote)
        if (at == 0 or data[at - 1 : at] == b"\n") and (end == len(data) or data[end : end + 1] == b"\n"):
            if lines is None:
                lines = data.split(b"\n")
            first = data.count(b"\n", 0, at) + 1
            spots.append(Spot(first, first + height, _around(lines, first, first + height, baseline.fingerprint)))
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


def token_spots(source: Source, baseline: Baseline) -> list[Spot]:
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
    spots: list[Spot] = []
    at = squeezed.find(wanted)
    while at >= 0 and len(spots) < 50:
        end = at + len(wanted)
        first = _line_at(starts, at)
        last = _line_at(starts, end - 1)
        if starts[first] == at and (last + 1 == len(starts) or starts[last + 1] == end):
            spots.append(Spot(first + 1, last + 1, _around(lines, first + 1, last + 1, baseline.fingerprint)))
        at = squeezed.find(wanted, at + 1)
    return spots


def _line_at(starts: Sequence[int], offset: int) -> int:
    """Index of the last line that begins at or before `offset` and is not empty."""
    return bisect_right(starts, offset) - 1


def between(source: Source, baseline: Baseline) -> Spot | None:
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
    return Spot(start + 1, stop, 2) if start < stop else None


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
