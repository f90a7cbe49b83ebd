"""What a feature sees: one frozen moment of a workspace. Knows no LSP types and changes nothing.

A `Snapshot` is cheap: it shares everything with the session that handed it out. Its memories are those that were
loaded (in an editor: those of open files; on the command line: all of them).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lsp_server.core.checks import Checked, by_checks, goes_by_checks, shown_at
from lsp_server.core.documents_serving import Served
from lsp_server.core.model import Anchor, Locus, Memory, Verdict
from lsp_server.core.source import Source
from lsp_server.store.activity import Seen
from lsp_server.store.unsaved import Unsaved
from lsp_server.workspace.config import Settings
from lsp_server.workspace.documents import Document
from lsp_server.workspace.history import Since
from lsp_server.workspace.paths import Root

AnchorKey = tuple[str, str]
"""Memory id and anchor id."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One anchor of one memory with its verdict, as a file shows it."""

    memory: Memory
    anchor: Anchor
    verdict: Verdict
    since: Since | None = None
    """The commit that made it stale, where git's history was asked and tells."""
    checks: tuple[Checked, ...] = ()
    """The checks of the memory, each with its outcome."""

    @property
    def contradictions(self) -> tuple[Checked, ...]:
        """The checks that fail and are shown at this anchor: each is at one of a memory's anchors."""
        if not self.checks:
            return ()
        failing = [one for one in self.checks if one.outcome.holds is False]
        return tuple([one for one in failing if shown_at(self.memory, one.check) == self.anchor.id])

    @property
    def wrong(self) -> bool:
        """Whether its code is stale, or contradicts the memory."""
        return self.verdict.stale or bool(self.contradictions)

    @property
    def file(self) -> str:
        """The file it is shown in: where its code is now, else where it was last."""
        return self.verdict.now.file if self.verdict.now is not None else self.anchor.place.file


def judged_item(
    memory: Memory, anchor: Anchor, verdict: Verdict, since: Since | None, checks: tuple[Checked, ...]
) -> Judged:
    """An anchor with its verdict as it is shown: of a memory that goes by its checks, as these say."""
    if checks and goes_by_checks(memory):
        verdict = by_checks(verdict, checks)
    return Judged(memory, anchor, verdict, since, checks)


@dataclass(frozen=True, slots=True)
class FileView:
    """One file with what is anchored in it. `document` is None when no editor has it open.

    `judged` holds every anchor shown in this file, of current memories only, by place in the text. `saved` maps an
    anchor to its verdict when the file was last opened or saved (for clients that want stale marks on save only).
    """

    path: str
    source: Source
    document: Document | None
    judged: tuple[Judged, ...]
    saved: Mapping[AnchorKey, Verdict] = field(default_factory=lambda: MappingProxyType({}))

    def by_symbol(self) -> Iterator[tuple[int, list[Judged]]]:
        """Groups of what is judged by the byte offset of the name it stands at, in text order."""
        groups: dict[int, list[Judged]] = {}
        for item in self.judged:
            span = item.verdict.name_span
            groups.setdefault(span.start if span else 0, []).append(item)
        yield from sorted(groups.items())


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who writes, when and at which revision: what every new event carries."""

    author: str
    time: str
    revision: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A frozen moment of one workspace.

    `read` gives the source of any file of the workspace: the editor's buffer where one is open, else the disk's, and a
    source whose state says why where the file is gone, unreadable or outside.
    """

    root: Root
    number: int
    settings: Settings
    documents: Mapping[str, Document]
    memories: Mapping[str, Memory]
    verdicts: Mapping[AnchorKey, Verdict]
    read: Callable[[str], Source]
    stamp: Stamp
    since: Mapping[AnchorKey, Since] = field(default_factory=lambda: MappingProxyType({}))
    """The commits that made anchors stale, as far as they were traced."""
    seen: Mapping[str, tuple[Seen, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """How memories were seen, by id, as far as that was read (`Usage.read`)."""
    checks: Mapping[str, tuple[Checked, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By memory its checks, each with its outcome; memories without checks are left out."""
    problems: tuple[tuple[str, str], ...] = ()
    """(path, message) of ledger files that could not be read."""
    initialized: bool = True
    """Whether there is a `.moorline/` in the workspace yet."""
    passages: Mapping[str, Served] = field(default_factory=lambda: MappingProxyType({}))
    """The passages of documents, by the ids of their memories: where each stands, and what the ledger holds of it."""
    unsaved: Mapping[AnchorKey, tuple[Unsaved, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """What other editors show of anchors in files that they have not saved, where somebody asked for that."""

    def judged(self, memory: Memory) -> tuple[Judged, ...]:
        """Every anchor of a memory with its verdict, in the memory's order."""
        checks = self.checks.get(memory.id, ())
        return tuple(
            judged_item(memory, anchor, verdict, self.since.get((memory.id, anchor.id)), checks)
            for anchor in memory.anchors
            if (verdict := self.verdicts.get((memory.id, anchor.id))) is not None
        )

    def contradicted(self, memory: Memory) -> bool:
        """Whether a check of a memory fails."""
        return any(one.outcome.holds is False for one in self.checks.get(memory.id, ()))

    def stale(self, memory: Memory) -> bool:
        return any(item.verdict.stale for item in self.judged(memory))

    def _stands_in(self, memory: Memory, place: Locus) -> bool:
        """Whether a memory is a passage of the document at a place; where that has lines, one whose marker is there."""
        served = self.passages.get(memory.id)
        if place.symbol is not None or served is None or served.written is None:
            return False
        first, last = place.lines or (1, served.written.line)
        return served.written.document == place.file and first <= served.written.line <= last

    def at(self, place: Locus, everything: bool = False) -> tuple[Judged, ...]:
        """What is anchored at a place (a whole file: everything in it), of current memories (`everything`: of all)."""
        found = []
        for memory in self.memories.values():
            if not (everything or memory.current):
                continue
            for item in self.judged(memory):
                now = item.verdict.now
                file = item.file
                if self._stands_in(memory, place):
                    found.append(item)
                    continue
                if file != place.file:
                    continue
                symbol = now.symbol if now else item.anchor.place.symbol
                if place.symbol is not None and symbol != place.symbol:
                    continue
                if place.lines is not None and (
                    now is None or now.start_line > place.lines[1] or now.end_line < place.lines[0]
                ):
                    continue
                found.append(item)
        return tuple(found)
