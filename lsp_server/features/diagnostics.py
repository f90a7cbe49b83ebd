"""Verdicts turned into problems with their fixes. Command line, editor and agents get the same ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lsp_server.core.model import Level, Place, Reason, Span, Verdict
from lsp_server.features.markdown import plain
from lsp_server.features.words import headline, life, short, standing, title
from lsp_server.workspace.config import Settings
from lsp_server.workspace.snapshot import FileView, Judged

FIRST_LINE = Span(0, 0)

SAID = 400
"""Characters of what is said of an anchor."""

CONTRADICTED = "contradicted"
"""The code of a problem, and the severity's name, where a check fails."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to show in a file.

    `span` is in bytes of the file's text; `severity` "error", "warning", "information" or "hint"; `code` the verdict;
    `related` places worth a look with what they are.
    """

    span: Span
    severity: str
    code: str
    message: str
    memory: str
    anchor: str
    related: tuple[tuple[Place, str], ...] = ()


def diagnostics(settings: Settings, view: FileView) -> tuple[Problem, ...]:
    """The problems of one file in text order.

    An open file shows every verdict at its severity; a closed one only what is stale. Where stale marks wait for a
    save, an unsaved buffer goes on showing what held at its last save.
    """
    found = []
    for item in view.judged:
        saved = view.saved.get((item.memory.id, item.anchor.id))
        one = problem_of(item, saved, settings, open_file=view.document is not None)
        if one is not None:
            found.append(one)
    return tuple(sorted(found, key=lambda one: (one.span.start, one.memory, one.anchor)))


def problem_of(item: Judged, saved: Verdict | None, settings: Settings, *, open_file: bool) -> Problem | None:
    """The problem of one anchor, None where there is nothing to show. `saved` is its verdict at the last save."""
    if not settings.diagnostics:
        return None
    if settings.stale_marks == "save":
        shown, item = at_last_save(item, saved), checked_at_last_save(item)
    else:
        shown = item.verdict
    wrong = settings.severity[CONTRADICTED] if item.contradictions else "off"
    severity = wrong if wrong != "off" else severity_of(shown, settings)
    if severity == "off" or (not open_file and not shown.stale and wrong == "off"):
        return None
    return problem(item, shown, severity, CONTRADICTED if wrong != "off" else shown.level.value)


def at_last_save(item: Judged, saved: Verdict | None) -> Verdict:
    """The verdict to show where stale marks wait for a save: fresh news at once, stale news after the save."""
    return item.verdict if saved is None or not item.verdict.stale else saved


def checked_at_last_save(item: Judged) -> Judged:
    """The same for checks: one that fails since the last save of its file is as it was then."""
    if not item.contradictions:
        return item
    checks = [
        replace(one, outcome=one.saved) if one.saved is not None and one.outcome.holds is False else one
        for one in item.checks
    ]
    return replace(item, checks=tuple(checks))


def severity_of(verdict: Verdict, settings: Settings) -> str:
    """The severity's name by verdict, `members` having one of its own."""
    key = "members" if verdict.reason is Reason.MEMBERS else verdict.level.value
    return settings.severity[key]


def problem(item: Judged, verdict: Verdict, severity: str, code: str) -> Problem:
    memory = item.memory
    said = plain(standing(replace(item, verdict=verdict)), SAID)
    if phrases := life(memory):
        said = f"{said}; {plain('; '.join(phrases), 200)}"
    message = f"{said[:1].upper()}{said[1:]}\n{title(memory.kind)} {short(memory.id)}: {headline(memory, 160)}"
    related: list[tuple[Place, str]] = []
    if verdict.level is Level.MOVED and verdict.now is not None:
        related.append((verdict.now, f"followed from {item.anchor.place}"))
    related += [
        (candidate.place, f"could be here: {candidate.similarity:.0%} alike") for candidate in verdict.candidates
    ]
    span = item.verdict.name_span or item.verdict.span or FIRST_LINE
    return Problem(span, severity, code, message, memory.id, item.anchor.id, tuple(related))
