"""How alike two pieces of code are, from their tokens or from small sketches of them.

Knows shingles (single tokens and pairs of neighbours, each as often as it occurs) and their bottom-k sketch. Refuses to
know code and what likeness decides.

The measure is Dice's: twice what both have over what each has. For shingles that fit a sketch it is exact; else it is
estimated from the sketches' smallest hashes (Broder 1997, "On the resemblance and containment of documents"), which
with 128 of them is off by about 0.03.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

SIZE = 128
"""Hashes that a sketch keeps: about 500 letters of base64."""

_WIDTH = 3
_MIX = 0x9E3779B1
"""Knuth's multiplicative constant: spreads a CRC's bits before its top ones are kept."""


class Sketch(NamedTuple):
    """The smallest hashes of `total` shingles; all of them where `total` is no more than was kept."""

    total: int
    hashes: frozenset[int]


def shingles(tokens: Sequence[str]) -> Sketch:
    """All shingles of some code: a sketch of which nothing was cut."""
    seen: dict[str, int] = {}
    hashes: set[int] = set()
    count = 0
    for gram in (*tokens, *map("\0".join, pairwise(tokens))):
        times = seen.get(gram, 0)
        seen[gram] = times + 1
        count += 1
        hashes.add(crc32(f"{gram}\0{times}".encode("latin-1", "replace")) * _MIX >> 8 & 0xFFFFFF)
    return Sketch(count, frozenset(hashes))


def cut(sketch: Sketch) -> Sketch:
    """The sketch with its `SIZE` smallest hashes alone."""
    if len(sketch.hashes) <= SIZE:
        return sketch
    return Sketch(sketch.total, frozenset(sorted(sketch.hashes)[:SIZE]))


def encode(sketch: Sketch) -> str:
    """The cut sketch as base64, the same text for the same shingles."""
    kept = sorted(cut(sketch).hashes)
    data = sketch.total.to_bytes(4, "big") + b"".join(value.to_bytes(_WIDTH, "big") for value in kept)
    return base64.b64encode(data).decode("ascii")


@lru_cache(maxsize=1024)
def parse(text: str) -> Sketch | None:
    """What `encode` wrote, None for anything else."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(data) < 4 or (len(data) - 4) % _WIDTH:
        return None
    hashes = (int.from_bytes(data[at : at + _WIDTH], "big") for at in range(4, len(data), _WIDTH))
    return Sketch(int.from_bytes(data[:4], "big"), frozenset(hashes))


@lru_cache(maxsize=8192)
def similarity(one: Sketch, other: Sketch) -> float:
    """How alike, from 0 to 1."""
    if not one.total or not other.total:
        return 1.0 if one.total == other.total else 0.0
    if _whole(one) and _whole(other):
        shared = len(one.hashes & other.hashes)
        return min(1.0, 2 * shared / (len(one.hashes) + len(other.hashes)))
    kept = min(SIZE if _whole(sketch) else len(sketch.hashes) for sketch in (one, other))
    smallest = sorted(one.hashes | other.hashes)[:kept]
    shared = sum(value in one.hashes and value in other.hashes for value in smallest)
    resemblance = shared / len(smallest)
    return 2 * resemblance / (1 + resemblance)


def _whole(sketch: Sketch) -> bool:
    # Two shingles may meet in one hash, a few in a thousand: a sketch that lost more was cut.
    return len(sketch.hashes) != SIZE or sketch.total <= SIZE


def paths_mark(paths: Iterable[str]) -> str:
    """Two bytes for each path, as base64: enough to say "was not there" for certain, and "was" but for one in a hundred
    in a file of 600 definitions."""
    marks = sorted(set(map(_mark, paths)))
    return base64.b64encode(b"".join(mark.to_bytes(2, "big") for mark in marks)).decode("ascii")


def share_marked(mark: str, paths: Iterable[str]) -> float:
    """The share of the paths of `paths_mark` that are among `paths`, 0 where it marks none."""
    wanted = _marks(mark)
    return len(wanted.intersection(map(_mark, paths))) / len(wanted) if wanted else 0.0


def marked(mark: str, path: str) -> bool:
    """Whether `path` may be among the paths of `paths_mark`."""
    return _mark(path) in _marks(mark)


@lru_cache(maxsize=256)
def _marks(mark: str) -> frozenset[int]:
    try:
        data = base64.b64decode(mark, validate=True)
    except (binascii.Error, ValueError):
        return frozenset()
    return frozenset(int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


@lru_cache(maxsize=16384)
def _mark(path: str) -> int:
    return crc32(path.encode("utf-8", "surrogatepass")) & 0xFFFF
