"""What can be done where the cursor is: clear, undo, show what changed, re-anchor, supersede, retire, record, lift.

An action names one `moorline.*` command with complete arguments; those that need words from the user name a command of
the client's own, where the client says it has one. No action depends on the client's help otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from lsp_server.core.kinds import kind_of
from lsp_server.core.markers import LiftedComment, memory_comments
from lsp_server.core.model import Level, Memory, Reason, Span, Symbol
from lsp_server.features.next_states import next_states
from lsp_server.features.words import headline, title
from lsp_server.workspace.snapshot import FileView, Judged, Snapshot

LOST = (Level.MISSING, Level.FILE_MISSING)
QUICK_FIX = "quickfix"
REFACTOR = "refactor"


@dataclass(frozen=True, slots=True)
class Action:
    """One entry of the menu. `command` with `argument` runs on the server, or in the client when `asks` is set.

    `fixes` are (memory, anchor) pairs whose problems it settles.
    """

    title: str
    kind: str
    command: str
    argument: Mapping[str, Any] = field(default_factory=dict)
    asks: bool = False
    fixes: tuple[tuple[str, str], ...] = ()
    preferred: bool = False


def actions(
    snapshot: Snapshot, view: FileView, span: Span, uri: str, client_commands: Collection[str]
) -> tuple[Action, ...]:
    """The actions for a selection of one file, what settles a stale memory first.

    `client_commands` are the ids of commands that the client can run with a prompt of its own.
    """
    if not snapshot.settings.actions:
        return ()
    found: list[Action] = []
    here = touched(view, span)
    for item in here:
        found += settle(item, client_commands)
    for item in here:
        found += life(item, uri, client_commands)
    found += lift(view, span, uri)
    symbol = view.source.outline.at(span.start) if view.source.outline is not None else None
    if symbol is not None:
        found += [bring_here(item, symbol, uri) for item in view.judged if can_be_brought(item)]
    if "moorline.ui.record" in client_commands:
        where = f"on {symbol.path}" if symbol is not None else "on these lines"
        found.append(Action(f"Record a memory {where}…", REFACTOR, "moorline.ui.record", {"uri": uri}, asks=True))
    return tuple(found)


def touched(view: FileView, span: Span) -> list[Judged]:
    """Anchors the selection is on: on the name or the code of the innermost anchored symbol, else of those around."""
    marked = [item for item in view.judged if item.verdict.name_span and overlaps(item.verdict.name_span, span)]
    if marked:
        return marked
    around = [
        item for item in view.judged if item.verdict.span and overlaps(item.verdict.span, span) and item.verdict.now
    ]
    if not around:
        return []
    smallest = min(size(item.verdict.span) for item in around)
    return [item for item in around if size(item.verdict.span) == smallest]


def size(span: Span | None) -> int:
    return span.end - span.start if span else 0


def overlaps(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def settle(item: Judged, client_commands: Collection[str]) -> list[Action]:
    """What makes a stale, followed or never accepted anchor good again."""
    memory, anchor, verdict = item.memory, item.anchor, item.verdict
    key = {"id": memory.id, "anchor": anchor.id}
    pair = ((memory.id, anchor.id),)
    name = f"{title(memory.kind)} “{headline(memory, 40)}”"
    found = []
    unaccepted = verdict.level in (Level.CHANGED, Level.MOVED, Level.REFORMATTED) or (
        verdict.reason is Reason.NO_BASELINE and verdict.now is not None
    )
    if unaccepted:
        found.append(
            Action(
                f"Still true: clear {name}",
                QUICK_FIX,
                "moorline.clearStaleness",
                key,
                # What a check contradicts stays so, however often the code is accepted.
                fixes=pair if not item.contradictions else (),
                preferred=verdict.stale and not item.contradictions,
            )
        )
    if verdict.stale and "moorline.ui.diff" in client_commands:
        found.append(Action(f"Show what changed under {name}", QUICK_FIX, "moorline.ui.diff", key, asks=True))
    # The place of a passage is what its marker says: it is changed there.
    for candidate in verdict.candidates if not kind_of(memory.kind).elsewhere else ():
        place = candidate.place
        argument = {**key, "file": place.file, "symbol": place.symbol, "line": place.start_line}
        where = f"{candidate.similarity:.0%} alike, {place.file}:{place.start_line}"
        label = f"Re-anchor {name} to {place.symbol or place.file} ({where})"
        found.append(Action(label, QUICK_FIX, "moorline.reanchor", argument, fixes=pair))
    return found


def can_be_brought(item: Judged) -> bool:
    """Whether an anchor lost its place and can be given another one. A passage's place is what its marker says."""
    return item.verdict.level in LOST and not kind_of(item.memory.kind).elsewhere


def bring_here(item: Judged, symbol: Symbol, uri: str) -> Action:
    """Tying an anchor that lost its place in this file to the symbol under the cursor."""
    which, many = symbol.occurrence
    path = f"{symbol.path}[{which}]" if many > 1 else symbol.path
    argument = {"id": item.memory.id, "anchor": item.anchor.id, "uri": uri, "symbol": path}
    name = f"{title(item.memory.kind)} “{headline(item.memory, 40)}”"
    pair = ((item.memory.id, item.anchor.id),)
    return Action(f"Re-anchor {name} here, to {path}", QUICK_FIX, "moorline.reanchor", argument, fixes=pair)


def life(item: Judged, uri: str, client_commands: Collection[str]) -> list[Action]:
    memory, anchor = item.memory, item.anchor
    key: dict[str, Any] = {"id": memory.id, "anchor": anchor.id, "uri": uri}
    if not memory.anchors:
        del key["anchor"]  # It is shown at the place of a check.
    name = f"{title(memory.kind)} “{headline(memory, 40)}”"
    # What a check contradicts is settled by saying what is true now, or that nothing is.
    sort, fixes = (QUICK_FIX, ((memory.id, anchor.id),)) if item.contradictions else (REFACTOR, ())
    found = []
    if len(anchor.baselines) > 1:
        argument = {"id": memory.id, "anchor": anchor.id, "undo": True}
        found.append(Action(f"Undo the last clear of {name}", REFACTOR, "moorline.clearStaleness", argument))
    found += steps(memory, name, client_commands)
    asked = [("moorline.ui.supersede", f"Supersede {name}…"), ("moorline.ui.reanchor", f"Re-anchor {name}…")]
    if kind_of(memory.kind).elsewhere:
        asked = []  # Its words and its place are the document's.
    for command, label in asked:
        if command in client_commands:
            settles = command == "moorline.ui.supersede"
            about = (sort, fixes) if settles else (REFACTOR, ())
            found.append(
                Action(label, about[0], command, key, True, about[1], preferred=settles and bool(item.contradictions))
            )
    if "moorline.ui.retire" in client_commands:
        found.append(Action(f"Retire {name}…", sort, "moorline.ui.retire", key, asks=True, fixes=fixes))
    else:
        argument = {"id": memory.id, "reason": "retired in the editor"}
        found.append(Action(f"Retire {name}", sort, "moorline.retire", argument, fixes=fixes))
    return found


def steps(memory: Memory, name: str, client_commands: Collection[str]) -> list[Action]:
    """The states it may go to next: at once where nothing has to be said for it, else where the client can ask."""
    found = []
    for step in next_states(memory):
        argument: dict[str, Any] = {"id": memory.id, "state": step.state}
        words = f"{'Settle' if memory.disputed else 'Mark'} {name} as {step.state.replace('_', ' ')}"
        if not step.asks:
            found.append(Action(words, REFACTOR, "moorline.transition", argument))
        elif "moorline.ui.transition" in client_commands:
            found.append(Action(f"{words}…", REFACTOR, "moorline.ui.transition", argument, asks=True))
    return found


def lift(view: FileView, span: Span, uri: str) -> list[Action]:
    """Turning a `MEMORY(kind): text` comment into a memory on the symbol below it (or around it)."""
    if view.source.text is None or view.source.tree is None:
        return []
    found = []
    for comment in memory_comments(view.source):
        symbol = owner(view, comment)
        if not overlaps(comment.span, span) and not (symbol is not None and overlaps(symbol, span)):
            continue
        argument: dict[str, Any] = {"uri": uri, "kind": comment.kind, "text": comment.text, "lift": comment.span.start}
        label = f"Lift this comment into a {title(comment.kind)}"
        found.append(Action(label, REFACTOR, "moorline.record", argument))
    return found


def owner(view: FileView, comment: LiftedComment) -> Span | None:
    """The name of the symbol a comment speaks of."""
    symbol = comment.symbol
    return Span(symbol.name_start, symbol.name_end) if symbol is not None else None
