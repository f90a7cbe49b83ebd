"""What changed: the accepted code against the code as it is now, as lines of a unified diff.

Knows baselines and verdicts. Refuses to know how a diff is shown or coloured, and git: of a baseline whose text is not
kept there is nothing to show.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from lsp_server.core.fingerprint import content_of
from lsp_server.core.model import Anchor, Baseline, Verdict
from lsp_server.core.source import Source

CONTEXT = 3
"""Unchanged lines shown around a change, as git shows them."""

MOST = 2_000
"""Lines of either side that are compared: a quadratic comparison of more would hold up a hover."""


@dataclass(frozen=True, slots=True)
class Diff:
    """`lines` begin with `@@`, a space, `-` or `+`, without line ends; `added` and `removed` count lines."""

    lines: tuple[str, ...]
    added: int
    removed: int


def explain(anchor: Anchor, verdict: Verdict, look: Callable[[str], Source]) -> Diff | None:
    """What differs between the baseline that `verdict` names and the code that it was given for.

    `look` gives the present source of a file. None where the baseline keeps no text, or where nothing differs. Of what
    is missing all is removed.
    """
    baseline = next((found for found in anchor.baselines if found.id == verdict.baseline), None)
    if baseline is None or baseline.content is None:
        return None
    now = _present(baseline, verdict, look)
    if now is None:
        return None
    before, after = _outdented(baseline.content), _outdented(now)
    if len(before) > MOST or len(after) > MOST:
        return None
    lines = tuple(line.rstrip("\n") for line in list(difflib.unified_diff(before, after, n=CONTEXT, lineterm=""))[2:])
    if not lines:
        return None
    return Diff(lines, sum(line[:1] == "+" for line in lines), sum(line[:1] == "-" for line in lines))


def _present(baseline: Baseline, verdict: Verdict, look: Callable[[str], Source]) -> str | None:
    """The code that a verdict found, "" where it found none, None where it cannot be read."""
    place = verdict.now
    if place is None:
        return ""
    source = look(place.file)
    if source.text is None:
        return None
    if place.symbol is not None and source.outline is not None and verdict.span is not None:
        for symbol in source.outline.by_path(place.symbol):
            if symbol.start == verdict.span.start:
                return content_of(source, symbol)
        return None
    if baseline.fingerprint.kind == "file":
        return content_of(source, None)
    return content_of(source, (place.start_line, place.end_line))


def _outdented(text: str) -> list[str]:
    """The lines without the indentation of the first, so that code that only moved in or out shows no change."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return [line.removeprefix(indent) for line in lines]
