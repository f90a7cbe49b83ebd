"""A move is `moved` until it is written down; from then on its place is the anchor's own (decision 15)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.verdicts import anchor_of, look_in, parsed

from lsp_server.core.drift import judge
from lsp_server.core.fingerprint import content_of, fingerprint_file, fingerprint_region
from lsp_server.core.model import Anchor, Baseline, FollowedPlace, Level, Locus, Sensitivity

LOAD = (
    "def load$0(path):\n    data = open(path).read()\n    if not data:\n        return load(path)\n"
    "    return data.split()\n"
)
PLAIN = LOAD.replace("$0", "")
FETCH = PLAIN.replace("load", "fetch")
SPACED = ("data.split()", "data.split( )")
EDITED = ("not data", "data is None")


def symbol(sensitivity: Sensitivity) -> Anchor:
    return anchor_of("a.py", LOAD, sensitivity=sensitivity)


def lines(sensitivity: Sensitivity) -> Anchor:
    source = parsed("a.py", PLAIN)
    print_ = fingerprint_region(source, (2, 4))
    return other(Locus("a.py", None, (2, 4)), print_, content_of(source, (2, 4)), (2, 4), sensitivity)


def file(sensitivity: Sensitivity) -> Anchor:
    source = parsed("a.py", PLAIN)
    return other(Locus("a.py"), fingerprint_file(source), content_of(source, None), (1, 6), sensitivity)


def other(place: Locus, print_: object, content: str, at: tuple[int, int], sensitivity: Sensitivity) -> Anchor:
    baseline = symbol(sensitivity).baselines[0]
    taken: Baseline = replace(baseline, fingerprint=print_, place=place, content=content, lines=at)  # type: ignore
    return Anchor("a1", place, sensitivity, (taken,))


CODE, TEXT, WHOLE = Sensitivity.CODE, Sensitivity.TEXT, Sensitivity.FILE


@pytest.mark.parametrize(
    ("make", "sensitivity", "there", "now", "level"),
    [
        (symbol, CODE, "b.py#load", PLAIN, Level.FRESH),
        (symbol, CODE, "b.py#load", PLAIN.replace(*SPACED), Level.REFORMATTED),
        (symbol, TEXT, "b.py#load", PLAIN, Level.FRESH),
        (symbol, TEXT, "b.py#load", PLAIN.replace(*SPACED), Level.CHANGED),
        (symbol, CODE, "b.py#load", PLAIN.replace(*EDITED), Level.CHANGED),
        (symbol, WHOLE, "b.py#load", PLAIN, Level.FRESH),
        (symbol, CODE, "a.py#fetch", FETCH, Level.FRESH),
        (symbol, CODE, "a.py#fetch", FETCH.replace(*SPACED), Level.REFORMATTED),
        (symbol, CODE, "a.py#fetch", FETCH.replace(*EDITED), Level.CHANGED),
        (symbol, CODE, "b.py#fetch", FETCH, Level.FRESH),
        (lines, CODE, "b.py", PLAIN, Level.FRESH),
        (lines, CODE, "b.py", PLAIN.replace("not data", "not  data"), Level.REFORMATTED),
        (file, CODE, "b.py", PLAIN, Level.FRESH),
        (file, CODE, "b.py", PLAIN.replace(*SPACED), Level.REFORMATTED),
        (file, WHOLE, "b.py", PLAIN, Level.FRESH),
    ],
)
def test_a_move_that_was_written_down(
    make: object, sensitivity: Sensitivity, there: str, now: str, level: Level
) -> None:
    """By an event or by hand; before that, what is not stale is `moved`."""
    anchor: Anchor = make(sensitivity)  # type: ignore[operator]
    name, _, path = there.partition("#")
    place = Locus(name, path or None, anchor.locus.lines)
    sources = look_in({"a.py": None, name: now})
    unwritten = Level.CHANGED if EDITED[1] in now else Level.MOVED
    for written, wanted in (
        (replace(anchor, followed=(FollowedPlace(anchor.locus, place, "", "e1"),)), level),
        (replace(anchor, locus=place), level),
        (replace(anchor, followed=(FollowedPlace(anchor.locus, place, "", ""),)), unwritten),
    ):
        found = judge(written, lambda path: sources.get(path) or parsed(path, None), body_hash="h")
        assert found.level is wanted, found
        assert found.now is not None and (found.now.file, found.now.symbol) == (place.file, place.symbol)
        assert found.detail.endswith(".") and ("is now" in found.detail) == (found.level is Level.MOVED)
