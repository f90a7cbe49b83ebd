"""The diagnostics of open files in LSP's form, kept up to date edit by edit.

Knows which of them an edit leaves alone: what stands on lines that it did not touch keeps its columns, and at most
moves by whole lines. `draw` is the slow twin that every shorter way here must equal.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lsp_server.core.text import Encoding, Text
from lsp_server.features.diagnostics import Problem, diagnostics, problem_of
from lsp_server.lsp.convert import Json, diagnostic_json
from lsp_server.workspace.config import Settings
from lsp_server.workspace.rejudge import Window
from lsp_server.workspace.session import Edited, Session
from lsp_server.workspace.snapshot import AnchorKey

EMPTY = Text.of("")

SpelledUri = Callable[[Session, str], str]
"""The URI of a file of a session as the client spells it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is shown in one file: `items` in LSP's form, whose anchors are `keys`, drawn under `settings`."""

    settings: Settings
    keys: tuple[AnchorKey, ...]
    at: Mapping[AnchorKey, int]
    """Where each anchor's item is."""
    items: list[Json]


class Drawings:
    """The diagnostics of one client's files. A list that was handed out is never changed."""

    def __init__(self, encoding: Encoding, related: bool, uri_of: SpelledUri) -> None:
        """`related` says whether the client shows related information."""
        self._encoding: Encoding = encoding
        self._related = related
        self._uri_of = uri_of
        self._kept: dict[tuple[Path, str], Drawn] = {}

    def items(self, session: Session, path: str) -> list[Json]:
        """The diagnostics of a file in text order. Judges first where a change waits to be judged."""
        key = (session.root.path, path)
        if session.document(path) is None:
            self._kept.pop(key, None)
            return self.draw(session, path).items
        if not session.is_judged(path):
            session.judge_edits(path, settled=False)
        edited, known = session.take_edited(path), self._kept.get(key)
        drawn = None
        if known is not None and edited is not None and known.settings is session.settings:
            drawn = self._redrawn(session, path, known, edited)
        if drawn is None:
            drawn = self.draw(session, path)
        self._kept[key] = drawn
        return drawn.items

    def draw(self, session: Session, path: str) -> Drawn:
        """The diagnostics of a file, all of them anew."""
        view = session.view(path)
        text = view.source.text if view.source.text is not None else EMPTY
        problems = diagnostics(session.settings, view)
        keys = tuple((problem.memory, problem.anchor) for problem in problems)
        items = [self._json(session, problem, text) for problem in problems]
        return Drawn(session.settings, keys, {key: at for at, key in enumerate(keys)}, items)

    def _json(self, session: Session, problem: Problem, text: Text) -> Json:
        return diagnostic_json(problem, text, self._encoding, lambda file: self._uri_of(session, file), self._related)

    def _redrawn(self, session: Session, path: str, known: Drawn, edited: Edited) -> Drawn | None:
        """What is shown after edits; None where more than single items changed, or their order may have."""
        document = session.document(path)
        window = edited.window
        if window is None and not edited.judged:
            return known
        assert document is not None
        items = list(known.items)
        again = self._shifted(items, window) if window is not None else set()
        for key in edited.judged:
            at = known.at.get(key)
            if at is not None:
                again.add(at)
            elif self._problem(session, path, key) is not None:
                return None
        for at in again:
            problem = self._problem(session, path, known.keys[at])
            if problem is None:
                return None
            items[at] = self._json(session, problem, document.text)
        if not all(_in_order(known.items, items, at) for at in again):
            return None
        return Drawn(known.settings, known.keys, known.at, items)

    def _shifted(self, items: list[Json], window: Window) -> set[int]:
        """Moves what stands below the touched lines; answers what must be drawn again."""
        again = set()
        old_last = window.last - window.grown
        # In text order by where they start, and none that an edit leaves alone is longer than a line.
        first = bisect_left(items, window.first, key=_line)
        if window.grown:
            again |= {at for at, item in enumerate(items) if "relatedInformation" in item}
        else:
            return again | set(range(first, bisect_right(items, old_last, lo=first, key=_line)))
        for at in range(first, len(items)):
            item = items[at]
            start, end = item["range"]["start"], item["range"]["end"]
            if start["line"] <= old_last:
                again.add(at)
            else:
                items[at] = {
                    **item,
                    "range": {
                        "start": {"line": start["line"] + window.grown, "character": start["character"]},
                        "end": {"line": end["line"] + window.grown, "character": end["character"]},
                    },
                }
        return again

    def _problem(self, session: Session, path: str, key: AnchorKey) -> Problem | None:
        item, saved = session.judged(path, key), session.saved_verdict(path, key)
        return problem_of(item, saved, session.settings, open_file=True) if item is not None else None


def _in_order(before: list[Json], now: list[Json], at: int) -> bool:
    """Whether an item that was drawn again stands for sure in its place: strictly between its neighbours, or beside
    them as before."""
    for one, other in ((at - 1, at), (at, at + 1)):
        if one < 0 or other >= len(now):
            continue
        left, right = _start(now[one]), _start(now[other])
        if left > right or (left == right and _start(before[one]) != _start(before[other])):
            return False
    return True


def _line(item: Json) -> int:
    line: int = item["range"]["start"]["line"]
    return line


def _start(item: Json) -> tuple[int, int]:
    start = item["range"]["start"]
    return start["line"], start["character"]
