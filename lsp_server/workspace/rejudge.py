"""What edits leave as it was: anchors that need no new verdict, lines that need no new column.

Pure functions from one source to the next. Knows on what a verdict depends (see `core.drift`), so that a keystroke
costs what it touched; refuses to judge. Where it is not sure it says so, and everything is judged: `Session.judge` is
the slow twin that all of this must equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsp_server.core.model import Anchor, Baseline, Level, Place, Sensitivity, Span, Verdict
from lsp_server.core.source import Source
from lsp_server.core.text import Edit, Text

AT_PLACE = (Level.FRESH, Level.REFORMATTED, Level.MOVED)
"""Verdicts that end the search at the first of an anchor's places: no other place is looked at."""

BLANK = 64
"""Bytes at the beginning of a text that say whether it may be blank."""


@dataclass(frozen=True, slots=True)
class Window:
    """The lines, from 0, that edits touched: `first` to `last` of the present text, which has `grown` lines more than
    the one before. What stands above is where it was, what stands below moved by `grown` whole lines."""

    first: int
    last: int
    grown: int


@dataclass(slots=True)
class Simple:
    """The anchors of one file: those that depend on one symbol each, by its path, and `others`, in no order."""

    path_of: dict[tuple[str, str], str] = field(default_factory=dict)
    keys_at: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    others: dict[tuple[str, str], None] = field(default_factory=dict)

    def put(self, key: tuple[str, str], path: str | None) -> None:
        """Say on which symbol an anchor depends now; None: on more than one."""
        before = self.path_of.get(key)
        if before is not None and before == path:
            return
        if before is not None:
            del self.path_of[key]
            self.keys_at[before].remove(key)
            if not self.keys_at[before]:
                del self.keys_at[before]
        if path is None:
            self.others[key] = None
            return
        self.others.pop(key, None)
        self.path_of[key] = path
        self.keys_at.setdefault(path, []).append(key)


def window_of(old: Text, new: Text, edit: Edit) -> Window | None:
    """The lines that one edit touched; None where lines outside of it may have changed too."""
    first = min(old.point(edit.start_byte).line, new.point(edit.start_byte).line)
    old_last, last = old.point(edit.old_end_byte).line, new.point(edit.new_end_byte).line
    grown = new.line_count - old.line_count
    return Window(first, last, grown) if last - old_last == grown else None


def merged(one: Window, then: Window) -> Window:
    """The lines that two edits touched, `then` being seen from the text that `one` left."""
    old_last = then.last - then.grown
    last = then.last if one.last <= old_last else one.last + then.grown
    return Window(min(one.first, then.first), last, one.grown + then.grown)


def is_whole(source: Source | None) -> bool:
    """Whether a source has an outline and no syntax error, so that nothing is held in it and nothing hides."""
    return source is not None and source.outline is not None and not source.outline.broken


def may_be_blank(source: Source) -> bool:
    """Whether a text may hold nothing but white space, which is how some formatters begin."""
    return source.text is None or not source.text.slice(0, BLANK).strip()


def depends_on(anchor: Anchor, verdict: Verdict, source: Source) -> str | None:
    """The path of the one symbol of a whole source that a verdict depends on and is shown at; None where there is more
    to it: another file, several definitions with that path, a search through the file.

    A verdict at the anchor's first place is final unless the code differs there (then a place that it was followed from
    may still count). It comes from the symbol's own nodes; of what is around them, only the head of an `impl` takes
    part in an interface, and siblings with its path in telling which of them it is.
    """
    place, now, outline = anchor.place, verdict.now, source.outline
    if outline is None or now is None or verdict.held or place.symbol is None:
        return None
    if place.file != source.path or now.file != source.path or now.symbol != place.symbol:
        return None
    if anchor.sensitivity is Sensitivity.FILE or not all(map(_of_symbol, anchor.baselines)):
        return None
    if verdict.level not in AT_PLACE and (verdict.level is not Level.CHANGED or len(anchor.places) > 1):
        return None
    there = outline.by_path(place.symbol)
    if len(there) != 1 or there[0].path != place.symbol:
        return None
    if any(outer.kind == "impl" for outer in outline.ancestors(there[0])):
        return None
    return place.symbol


def located(verdict: Verdict, source: Source) -> Verdict:
    """A verdict that `depends_on` one symbol, with that symbol's positions in `source`, where edits left it alone."""
    now, outline = verdict.now, source.outline
    assert now is not None and now.symbol is not None and outline is not None
    (symbol,) = outline.by_path(now.symbol)
    at = verdict.span
    if at is not None and at.start == symbol.start and at.end == symbol.end and now.start_line == symbol.start_line:
        return verdict
    return Verdict(
        verdict.anchor,
        verdict.level,
        verdict.reason,
        verdict.detail,
        Place(now.file, now.symbol, symbol.start_line, symbol.end_line),
        verdict.candidates,
        verdict.baseline,
        Span(symbol.start, symbol.end),
        Span(symbol.name_start, symbol.name_end),
        verdict.members,
        verdict.held,
    )


def _of_symbol(baseline: Baseline) -> bool:
    """Whether a baseline says more than which bytes its file had."""
    return baseline.fingerprint.kind == "symbol" and bool(baseline.fingerprint.code)
