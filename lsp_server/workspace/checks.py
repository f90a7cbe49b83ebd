"""The checks of a session's memories with their outcomes, kept up to date edit by edit.

Knows which files checks speak of, so that an edit to any other file costs a look into a dictionary, and on what an
outcome depends, so that an edit to a file that they do speak of judges those alone whose symbols it touched. What is
shown of an open file is held while its syntax is broken, as verdicts are. `judged_anew` is the slow twin that all of it
must equal. Refuses to know how a check is judged (`core.checks`) and what is shown where.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from lsp_server.core.checks import (
    MOST,
    Check,
    Checked,
    Outcome,
    followed,
    judge_check,
    read_check,
    reads_symbol_alone,
    span_of,
    standing_id,
    tied,
)
from lsp_server.core.model import Anchor, Level, Memory, Place, Verdict
from lsp_server.core.source import Source
from lsp_server.workspace.rejudge import is_whole
from lsp_server.workspace.snapshot import AnchorKey

SECONDS = 0.1
"""How long the checks of one file are judged in one go. What is left is judged a little later, so that nothing that a
repository brings along makes a keystroke wait."""

Key = tuple[str, int]
"""Memory id and number of the check, from 0."""


@dataclass(slots=True)
class _Kept:
    """A check as it is asked now, at the place it was followed to, with what is shown of it. `source` is the one that
    it was judged in, `saved` what was shown of it at the last save."""

    text: str
    written: Check | str
    asked: Check | None
    outcome: Outcome
    source: Source | None = None
    saved: Outcome | None = None


class Checks:
    """The checks of one session's loaded memories. `read` gives the present source of a file."""

    def __init__(self, read: Callable[[str], Source]) -> None:
        self._read = read
        self._kept: dict[str, list[_Kept]] = {}
        self._by_file: dict[str, dict[Key, None]] = {}
        self._moved: set[str] = set()
        self.left: set[str] = set()
        """Files of which some checks are still to be judged, for want of time."""

    def take(self, memory: Memory, verdict_of: Callable[[AnchorKey], Verdict | None]) -> None:
        """Keeps the checks of a memory that was loaded or written, and judges them."""
        self.drop(memory.id)
        if not memory.checks or not memory.current:
            return
        kept = []
        for text in memory.checks:
            written = read_check(text)
            outcome = Outcome(None, f"It is no check: {written}." if isinstance(written, str) else "")
            kept.append(_Kept(text, written, None, outcome))
        self._kept[memory.id] = kept
        self._place(memory, verdict_of)

    def drop(self, identifier: str) -> None:
        """Forgets the checks of a memory."""
        self._moved.discard(identifier)
        for number, kept in enumerate(self._kept.pop(identifier, ())):
            self._forget_place((identifier, number), kept)

    def of(self, identifier: str) -> tuple[Checked, ...]:
        """The checks of a memory in order, each with its outcome."""
        kept = self._kept.get(identifier)
        if kept is None:
            return ()
        return tuple([Checked(one.text, one.asked or _or_none(one.written), one.outcome, one.saved) for one in kept])

    def all(self) -> dict[str, tuple[Checked, ...]]:
        """By memory, as `of`; memories without checks are left out."""
        return {identifier: self.of(identifier) for identifier in self._kept}

    @property
    def files(self) -> Iterable[str]:
        """The files that checks speak of."""
        return self._by_file.keys()

    def wait(self, path: str) -> bool:
        """Whether there may be anything to judge after a file changed."""
        return path in self._by_file or bool(self._moved)

    def in_file(self, path: str) -> list[tuple[str, Checked]]:
        """The checks that speak of a file, each with its memory's id."""
        found = []
        for identifier, number in self._by_file.get(path, ()):
            kept = self._kept[identifier][number]
            found.append((identifier, Checked(kept.text, kept.asked, kept.outcome)))
        return found

    def note_verdict(self, identifier: str) -> None:
        """A verdict of a memory is another one: its checks may have to ask elsewhere."""
        if identifier in self._kept:
            self._moved.add(identifier)

    def judge(
        self,
        path: str,
        memories: Mapping[str, Memory],
        verdict_of: Callable[[AnchorKey], Verdict | None],
        is_open: Callable[[str], bool],
    ) -> set[str]:
        """Judges what speaks of a file against its present text; answers the memories with another outcome."""
        changed: set[str] = set()
        if self._moved:
            for identifier in list(self._moved):
                self._moved.discard(identifier)
                if identifier in memories and self._place(memories[identifier], verdict_of):
                    changed.add(identifier)
        keys = self._by_file.get(path)
        if not keys:
            return changed
        source = self._read(path)
        began, judged = time.monotonic(), 0
        self.left.discard(path)
        for identifier, number in keys:
            kept = self._kept[identifier][number]
            if kept.source is source or kept.asked is None:
                continue
            if kept.source is not None and _stays(kept.asked, kept.source, source):
                kept.source = source
                continue
            if judged and time.monotonic() - began > SECONDS:
                self.left.add(path)
                return changed
            judged += 1
            outcome = held(kept.outcome, judge_check(kept.asked, self._read), open_now=is_open(path))
            kept.source = source
            if outcome != kept.outcome:
                kept.outcome = outcome
                changed.add(identifier)
        if not is_open(path):
            # Of a closed file no tree is kept for this alone: it is judged again when it changes.
            self.reset(path)
        return changed

    def remember_saved(self, path: str) -> set[str]:
        """Keeps the outcomes of what speaks of a file as those of its last save; answers the memories with another."""
        changed = set()
        for identifier, number in self._by_file.get(path, ()):
            kept = self._kept[identifier][number]
            if kept.saved != kept.outcome:
                kept.saved = kept.outcome
                changed.add(identifier)
        return changed

    def reset(self, path: str) -> None:
        """Nothing of a file is held any more, as it was closed: what speaks of it is judged anew when asked next."""
        for identifier, number in self._by_file.get(path, ()):
            self._kept[identifier][number].source = None

    def forget_saved(self, path: str) -> None:
        """A file was closed: what was saved is all that there is."""
        for identifier, number in self._by_file.get(path, ()):
            self._kept[identifier][number].saved = None

    def _place(self, memory: Memory, verdict_of: Callable[[AnchorKey], Verdict | None]) -> bool:
        """Has checks ask where the anchors on their places are now; tells whether any outcome changed by that."""
        changed = False
        for number, kept in enumerate(self._kept[memory.id]):
            if isinstance(kept.written, str):
                continue
            if number >= MOST:
                kept.outcome = Outcome(None, f"A memory has at most {MOST} checks that are judged: leave some out.")
                continue
            asked = asked_now(kept.written, memory, verdict_of)
            if asked == kept.asked:
                continue
            self._forget_place((memory.id, number), kept)
            kept.asked = asked
            self._by_file.setdefault(asked.locus.file, {})[memory.id, number] = None
            outcome = judge_check(asked, self._read)
            kept.source = None
            changed |= outcome != kept.outcome
            kept.outcome = outcome
        return changed

    def _forget_place(self, key: Key, kept: _Kept) -> None:
        if kept.asked is None:
            return
        file = kept.asked.locus.file
        self._by_file[file].pop(key, None)
        if not self._by_file[file]:
            del self._by_file[file]


def files_of(checks: Iterable[str]) -> set[str]:
    """The files that checks speak of as they are written."""
    read = [read_check(text) for text in checks]
    return {check.locus.file for check in read if isinstance(check, Check)}


def stand_in(check: Check, source: Source) -> tuple[Anchor, Verdict]:
    """What stands for an anchor where a memory that has none is shown: the place of one of its checks."""
    identifier = standing_id(check)
    span, text = span_of(check, source), source.text
    first, last = (text.point(span.start).line + 1, text.point(span.end).line + 1) if text is not None else (1, 1)
    now = Place(check.locus.file, check.locus.symbol, first, last)
    verdict = Verdict(identifier, Level.FRESH, None, "", now, span=span, name_span=span)
    return Anchor(identifier, check.locus), verdict


def asked_now(check: Check, memory: Memory, verdict_of: Callable[[AnchorKey], Verdict | None]) -> Check:
    """The check at the place that it has now: an anchor of its memory on the same place takes it along."""
    for anchor in memory.anchors:
        verdict = verdict_of((memory.id, anchor.id))
        if verdict is not None and check.locus in tied(anchor):
            return followed(check, anchor, verdict)
    return check


def held(shown: Outcome, now: Outcome, *, open_now: bool) -> Outcome:
    """What to show: in an open file the last certain outcome while broken syntax alone leaves it undecided."""
    return shown if open_now and now.torn and not shown.torn and shown.detail else now


def judged_anew(
    memory: Memory, verdict_of: Callable[[AnchorKey], Verdict | None], read: Callable[[str], Source]
) -> list[Outcome]:
    """The slow twin: the outcomes of a memory's checks from scratch, nothing held."""
    found = []
    for text in memory.checks[:MOST]:
        check = read_check(text)
        if isinstance(check, str):
            found.append(Outcome(None, f"It is no check: {check}."))
        else:
            found.append(judge_check(asked_now(check, memory, verdict_of), read))
    return found


def _or_none(written: Check | str) -> Check | None:
    return written if isinstance(written, Check) else None


def _stays(check: Check, before: Source, now: Source) -> bool:
    """Whether edits that made `now` of `before` left all alone that an outcome depends on."""
    if not (is_whole(before) and is_whole(now)) or before.language is not now.language:
        return False
    if not (reads_symbol_alone(check, before) and reads_symbol_alone(check, now)):
        return False
    assert before.outline is not None and now.outline is not None and check.locus.symbol is not None
    return not now.outline.touched(before.outline, [check.locus.symbol])
