"""Checks: conditions on the code that a memory carries, one line each, and whether they hold.

    exists L            absent L
    equals L LITERAL    matches L /PATTERN/
    calls L NAME        not-calls L NAME
    imports FILE MODULE
    decorated L NAME    base L NAME

`L` is a locus as it is stored, in `equals`, `exists` and `absent` also `FILE#SYMBOL(PARAMETER)` for a parameter and its
default. A place with white space in it, outside of a symbol's own quotes, is written as a JSON string.

A check holds, fails, or cannot be decided: what a language cannot answer, what is computed, and what broken syntax may
hide, is never taken for a failure. Outcomes say both sides and hold no positions, so that they stay equal while code
moves. Knows at which anchor of a memory a check is shown and where it goes with one; refuses to know files and caches.
How a check is read is `core.check_text`, how it is judged `core.check_judging`, what a language answers
`core.check_facts`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lsp_server.core.check_judging import JUDGES, Outcome, has_defaults, supports
from lsp_server.core.check_places import Undecided, named_by
from lsp_server.core.check_text import FORMS, LONGEST, Check, CheckError, parse_check, read_check
from lsp_server.core.definitions import TookTooLong
from lsp_server.core.fingerprint import line_bytes
from lsp_server.core.model import Anchor, Level, Locus, Memory, Span, Verdict
from lsp_server.core.source import Source

__all__ = [
    "BY",
    "BY_CHECKS",
    "FORMS",
    "LONGEST",
    "MOST",
    "Check",
    "CheckError",
    "Checked",
    "Look",
    "Outcome",
    "by_checks",
    "followed",
    "goes_by_checks",
    "has_defaults",
    "judge_check",
    "judge_text",
    "parse_check",
    "read_check",
    "reads_symbol_alone",
    "shown_at",
    "span_of",
    "standing_id",
    "supports",
    "tied",
]

MOST = 50
"""Checks of one memory that are judged."""

BY = "by"
"""Key of the front matter that says by what a memory goes."""

BY_CHECKS = "The code changed; the memory goes by its checks, and every one holds."

Look = Callable[[str], Source]


@dataclass(frozen=True, slots=True)
class Checked:
    """A check of a memory with its outcome. `check` is None where the text is none. `saved` is the outcome when the
    file that it asks of was opened or saved last, None where no editor has that open."""

    text: str
    check: Check | None
    outcome: Outcome
    saved: Outcome | None = None


def judge_check(check: Check, look: Look) -> Outcome:
    """Whether a check holds in the code as it is.

    `look` gives the present source of a file, with state GONE where there is none. Total: what goes wrong on the way is
    an outcome that says so.
    """
    source = look(check.locus.file)
    try:
        return JUDGES[check.form](check, source)
    except Undecided as stopped:
        return Outcome(None, stopped.detail, stopped.torn)
    except TookTooLong:
        return Outcome(None, f"{source.path} took too long to look through: name a smaller place than {check.place}.")


def judge_text(text: str, look: Look) -> Outcome:
    """As `judge_check`, of a check as it is written; one that cannot be read is undecidable, and says the mend."""
    read = read_check(text)
    return judge_check(read, look) if isinstance(read, Check) else Outcome(None, f"It is no check: {read}.")


def reads_symbol_alone(check: Check, source: Source) -> bool:
    """Whether an outcome depends on nothing but the code of the symbols with the check's path, given that these are
    there, so that it stays while edits touch none of them."""
    return (
        check.locus.symbol is not None
        and check.form in ("equals", "calls", "not-calls", "decorated", "matches")
        and source.outline is not None
        and bool(source.outline.by_path(check.locus.symbol))
    )


def span_of(check: Check, source: Source) -> Span:
    """The bytes at which a check is shown in its file: the symbol's name, the lines, or the file's first line."""
    text, outline = source.text, source.outline
    if text is None:
        return Span(0, 0)
    if check.locus.symbol is not None and outline is not None:
        for symbol in named_by(source, check)[0]:
            return Span(symbol.name_start, symbol.name_end)
    if check.locus.lines is not None and check.locus.lines[1] <= text.line_count:
        start, end = line_bytes(source, check.locus.lines)
        return Span(start, start + len(text.slice(start, end).rstrip()))
    return Span(0, 0)


def shown_at(memory: Memory, check: Check | None) -> str | None:
    """The id of the anchor at which a check of a memory is shown: the one on its place, else the first in its file,
    else the memory's first. Of a memory that has none, what stands for one (`standing_id`)."""
    if not memory.anchors:
        return standing_id(check) if check is not None else None
    if check is not None:
        for anchor in memory.anchors:
            if check.locus in (anchor.place, anchor.locus):
                return anchor.id
        for anchor in memory.anchors:
            if check.locus.file == anchor.place.file:
                return anchor.id
    return memory.anchors[0].id


def standing_id(check: Check) -> str:
    """The id of what stands for an anchor where a memory without one is shown at the place of its check."""
    return f"check {check.text}"


def followed(check: Check, anchor: Anchor, verdict: Verdict) -> Check:
    """The check where an anchor's code is now, if it asks of the place that the anchor has or was followed from. What
    asks for a name alone stays with the name, and a place that somebody tied the anchor away from is not its place."""
    now = verdict.now
    if check.form in ("exists", "absent") or now is None or check.locus not in tied(anchor):
        return check
    if check.locus.symbol is not None:
        place = Locus(now.file, now.symbol) if now.symbol is not None else check.locus
    elif check.locus.lines is not None:
        place = Locus(now.file, lines=(now.start_line, now.end_line)) if now.symbol is None else check.locus
    else:
        place = Locus(now.file)
    return check if place == check.locus else replace(check, locus=place)


def tied(anchor: Anchor) -> set[Locus]:
    """The places of an anchor since it was tied to where it is tied now."""
    return {anchor.locus} | {step.place for step in anchor.followed if step.base == anchor.locus}


def goes_by_checks(memory: Memory) -> bool:
    """Whether a memory goes by its checks alone: `by: checks` in its front matter."""
    return bool(memory.checks) and memory.unknown.get(BY) == "checks"


def by_checks(verdict: Verdict, checked: Sequence[Checked]) -> Verdict:
    """The verdict on an anchor of a memory that goes by its checks: changed code is as good as accepted while every
    check holds."""
    if verdict.level is not Level.CHANGED or not all(one.outcome.holds for one in checked):
        return verdict
    return replace(verdict, level=Level.FRESH, reason=None, detail=BY_CHECKS, members=())
