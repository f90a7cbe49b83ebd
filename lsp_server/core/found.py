"""Verdicts as they are put together: where a thing is, what is left of its place, and what cannot be judged at all.

Knows the shape of a verdict and how it is said where something is. Refuses to judge.
"""

from __future__ import annotations

from lsp_server.core.model import (
    Anchor,
    Baseline,
    Level,
    Locus,
    Place,
    Reason,
    SourceState,
    Span,
    Symbol,
    Verdict,
)
from lsp_server.core.source import Source

CANDIDATES = 5
"""Most candidates that are listed."""

AS_ACCEPTED = "The code is what was accepted."

ONLY_LAYOUT = "Only layout, comments or style differ from what was accepted."

ONLY_LAYOUT_AND_NAME = "Only its name, layout, comments or style differ from what was accepted."

WATCHES_TEXT = "Layout, comments or style changed, and this anchor watches the text itself."


def verdict_on(
    anchor: Anchor,
    level: Level,
    reason: Reason | None,
    detail: str,
    source: Source,
    symbol: Symbol | None,
    baseline: Baseline,
) -> Verdict:
    """A verdict that was given at a symbol, or (None) at none."""
    return Verdict(
        anchor=anchor.id,
        level=level,
        reason=reason,
        detail=detail,
        now=place_of(source, symbol) if symbol is not None else None,
        baseline=baseline.id,
        span=Span(symbol.start, symbol.end) if symbol is not None else None,
        name_span=Span(symbol.name_start, symbol.name_end) if symbol is not None else None,
    )


def place_of(source: Source, symbol: Symbol) -> Place:
    return Place(source.path, symbol.path, symbol.start_line, symbol.end_line)


def left_of(source: Source, path: str | None) -> Span:
    """The name of the innermost container of `path` that is still there, else the first line."""
    outline, text = source.outline, source.text
    segments = (path or "").split(".")
    while outline is not None and len(segments) > 1:
        segments.pop()
        for symbol in outline.by_path(".".join(segments)):
            return Span(symbol.name_start, symbol.name_end)
    return Span(0, len(text.line(0).rstrip(b"\r\n")) if text is not None else 0)


def moved_detail(baseline: Baseline, file: str, path: str) -> str:
    """One sentence that says where a symbol went."""
    was = baseline.place
    if was.file == file:
        return f"{was.symbol} is now {path}."
    if was.symbol == path:
        return f"{path} is now in {file}."
    return f"{was.symbol or was.file} is now {path} in {file}."


def since_words(baseline: Baseline) -> str:
    """` since 3f2a9c1`, to end a sentence that says what changed."""
    return f" since {baseline.revision[:7]}" if baseline.revision else " since it was accepted"


def refused(anchor: Anchor, place: Locus, source: Source) -> Verdict | None:
    """The verdict where there is no text to judge; None where there is one."""
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


RECORDED_OTHERWISE = (
    "What was accepted was recorded by another version, and its code is not kept or cannot be read again: "
    "look at the code and clear it to accept it as it is."
)
"""What is said where a baseline's scheme or grammar is another one and it cannot be taken anew."""
