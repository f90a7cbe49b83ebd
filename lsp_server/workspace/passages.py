"""The Markdown of a workspace: which files hold markers, what their passages are, and which memories they come to.

Knows the disk (through `Files`), git's list of files and open buffers; keeps what was read by each file's stamp, so
that looking again at thousands of files reads only what changed. Refuses to know verdicts: `core.documents_serving`
says who belongs to whom, the session judges. Looking at the disk runs in a thread, never on the keystroke path.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from lsp_server.core.change import Change
from lsp_server.core.documents import NEEDLE, Marker, markers_of
from lsp_server.core.documents_passages import Passage, passages_of
from lsp_server.core.documents_serving import KIND, Look, Served, entered, serve, verdict_on
from lsp_server.core.languages import language_for
from lsp_server.core.model import Memory, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.workspace import git
from lsp_server.workspace.files import Files, Stamp
from lsp_server.workspace.paths import LEDGER, git_place
from lsp_server.workspace.search import walk
from lsp_server.workspace.threads import in_thread

MAX_DOCUMENTS = 20_000
"""Markdown files that are looked at, at most, by their paths."""

SECONDS = 10.0
"""Seconds that git gets to list the files."""

LISTED_SECONDS = 5.0
"""Seconds that a list of the workspace's files is taken for what is there, by what is asked again and again."""

_TICK_NS = 2_000_000_000
"""The coarsest clock of a file system in use (FAT), in nanoseconds: what changed so shortly before it was read may
change again without its stamp changing."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A Markdown file as it was read. `stamp` is None where it may have changed since without a sign."""

    stamp: Stamp | None
    markers: tuple[Marker, ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class News:
    """What binding anew changed: memories as they are served now, ids that are no more, and the documents that show
    something else than before."""

    changed: tuple[Memory, ...] = ()
    gone: tuple[str, ...] = ()
    documents: frozenset[str] = frozenset()


class Passages:
    """The passages of one workspace. One event loop owns it."""

    def __init__(self, root: Path, files: Files, ignored: Collection[str] = ()) -> None:
        """`ignored` are files, folders and patterns (`*` stands for anything) of Markdown that is not looked at."""
        self.ignored = ignored
        self.looked = False
        """Whether the workspace's Markdown was looked at yet."""
        self._root = root
        self._files = files
        self._disk: dict[str, _Read] = {}
        self._live: dict[str, _Read] = {}
        self._sources: dict[str, Source] = {}
        """Of each open document the text that `_live` was read from."""
        self._ledger: dict[str, Memory] = {}
        self._served: dict[str, Served] = {}
        self._by_document: dict[str, list[str]] = {}
        self._by_file: dict[str, list[str]] = {}
        self._files_at: tuple[float, list[str]] | None = None
        self._turn = asyncio.Lock()

    # -- reading ---------------------------------------------------------------------------------------------------

    async def look(self, paths: Collection[str] | None = None) -> None:
        """Looks at some Markdown files, or (None) at all of the workspace's, and reads those that changed."""
        async with self._turn:
            wanted = paths if paths is not None else await self._own_files()
            listed = sorted(filter(self.takes, wanted))[:MAX_DOCUMENTS]
            known = dict(self._disk)
            found = await in_thread(lambda: {path: self._read(path, known.get(path)) for path in listed})
            if paths is None:
                self._disk.clear()
                self.looked = True
            for path, read in found.items():
                if read is not None:
                    self._disk[path] = read
                else:
                    self._disk.pop(path, None)

    def live(self, path: str, source: Source | None) -> bool:
        """Takes the text of an open buffer (None: it was closed); tells whether any marker or passage is another."""
        before = self._live.get(path)
        if source is None:
            self._sources.pop(path, None)
            return self._live.pop(path, None) is not None
        if source is self._sources.get(path) or not self.takes(path):
            return False
        self._sources[path] = source
        markers = markers_of(source)
        now = _Read(None, markers, passages_of(source, markers))
        self._live[path] = now
        return before != now

    def takes(self, path: str) -> bool:
        """Whether the markers of a file give memories: of Markdown that is not ignored."""
        return is_markdown(path) and not any(
            path == one or path.startswith(f"{one.rstrip('/')}/") or fnmatchcase(path, one) for one in self.ignored
        )

    async def files(self) -> list[str]:
        """The workspace's own files, as they were listed within the last `LISTED_SECONDS`: tracked, or neither tracked
        nor ignored; without git, those of a walk."""
        if self._files_at is None or time.monotonic() - self._files_at[0] > LISTED_SECONDS:
            self._files_at = time.monotonic(), await self._own_files()
        return self._files_at[1]

    async def _own_files(self) -> list[str]:
        if git_place(self._root) is not None:
            paths: Iterable[str] = await git.files(self._root, timeout=SECONDS)
        elif os.path.isdir(self._root / LEDGER):
            paths = await in_thread(lambda: list(islice(walk(self._root), MOST_WALKED)))
        else:
            return []  # Nobody said that this folder is a workspace: it may be the whole disk.
        foreign: dict[str, bool] = {"": False}

        def is_foreign(folder: str) -> bool:
            if folder not in foreign:
                parent, _, name = folder.rpartition("/")
                inner = os.path.isdir(self._root / folder / LEDGER)
                foreign[folder] = name == LEDGER or inner or is_foreign(parent)
            return foreign[folder]

        return await in_thread(lambda: [path for path in paths if not is_foreign(path.rpartition("/")[0])])

    def _read(self, path: str, known: _Read | None) -> _Read | None:
        """A file as it is on disk; None where there is none that can be read."""
        stamp = self._files.stamp(path)
        if stamp is None:
            return None
        if known is not None and known.stamp == stamp:
            return known
        now = time.time_ns()
        read = self._files.hashed(path)
        if read is None:
            return None
        text = read[1]
        settled = stamp if now - max(stamp[0], stamp[1]) > _TICK_NS else None
        if NEEDLE not in bytes(text):
            return _Read(settled)
        source = read_source(path, text)
        markers = markers_of(source)
        return _Read(settled, markers, passages_of(source, markers))

    # -- binding ---------------------------------------------------------------------------------------------------

    def take_ledger(self, memories: Iterable[Memory]) -> None:
        """Takes what the ledger holds of passages: all of it."""
        self._ledger = {memory.id: memory for memory in memories}

    def bind(self) -> News:
        """Finds out anew which memory belongs to which marker; answers what that changed."""
        if not self.looked:
            return News()
        reads = {path: self._now(path) for path in {*self._disk, *self._live}}
        documents = {path: read.passages for path, read in reads.items() if read.passages}
        before, self._served = self._served, serve(documents, self._ledger.values())
        self._by_document, self._by_file = {}, {}
        for identifier, served in self._served.items():
            if served.written is not None:
                self._by_document.setdefault(served.written.document, []).append(identifier)
            for file in {place.file for anchor in served.memory.anchors for place in anchor.places}:
                self._by_file.setdefault(file, []).append(identifier)
        changed = [one for key, one in self._served.items() if key not in before or before[key].memory != one.memory]
        gone = [one for key, one in before.items() if key not in self._served]
        shown = [one for key, one in self._served.items() if key not in before or before[key].written != one.written]
        shown += [before[one.memory.id] for one in shown if one.memory.id in before] + gone
        return News(
            tuple(one.memory for one in changed),
            tuple(one.memory.id for one in gone),
            frozenset(one.written.document for one in [*shown, *changed] if one.written is not None),
        )

    def _now(self, path: str) -> _Read:
        """A document as it is shown: the buffer's text where one is open, else the disk's."""
        return self._live.get(path) or self._disk.get(path) or _Read(None)

    # -- asking ----------------------------------------------------------------------------------------------------

    def served(self, memories: Iterable[Memory]) -> Iterator[Memory]:
        """Memories of the ledger as readers get them: passages with their documents' words, and not before the
        documents were looked at."""
        for memory in memories:
            if memory.kind != KIND:
                yield memory
            elif (served := self._served.get(memory.id)) is not None:
                yield served.memory

    def of(self, identifier: str) -> Served | None:
        """One passage by its memory's id; None for any other memory."""
        return self._served.get(identifier)

    def all(self) -> Mapping[str, Served]:
        """Every passage by its memory's id."""
        return self._served

    def judged(self, memory: Memory, verdict: Verdict, look: Look) -> Verdict:
        """A verdict as it holds for a passage; for any other memory as it is."""
        served = self._served.get(memory.id)
        return verdict_on(served, verdict, look) if served is not None else verdict

    def entered(self, change: Change, author: str, time: str, revision: str) -> Change:
        """A change as it is written: to a passage with what the ledger must hold of it."""
        served = self._served.get(change.memory_id)
        return entered(change, served, author, time, revision) if served is not None else change

    def is_lost(self, identifier: str) -> bool:
        served = self._served.get(identifier)
        return served is not None and served.written is None

    def near(self, path: str) -> list[Memory]:
        """The passages that name a file, or stand in it."""
        ids = dict.fromkeys([*self._by_file.get(path, ()), *self._by_document.get(path, ())])
        return [self._served[identifier].memory for identifier in ids]

    def in_document(self, path: str) -> list[Served]:
        """The passages of a document, in text order."""
        found = [self._served[identifier] for identifier in self._by_document.get(path, ())]
        return sorted(found, key=lambda one: one.written.markers[0].span.start if one.written else 0)

    def markers(self, path: str, source: Source) -> tuple[Marker, ...]:
        """Every marker of a text, also those that are spelt wrongly; of an open document as they were read last."""
        return self._live[path].markers if source is self._sources.get(path) else markers_of(source)

    def documents(self) -> list[str]:
        """The Markdown files that hold a marker, sorted."""
        return sorted(path for path in {*self._disk, *self._live} if self._now(path).markers)

    def with_ids(self, prefix: str) -> list[str]:
        """Ids of passages that begin with a prefix, with or without its dashes."""
        digits = prefix.strip().lower().replace("-", "")
        return [one for one in self._served if digits and one.replace("-", "").startswith(digits)]


def is_markdown(path: str) -> bool:
    """Whether a file's name says that it is Markdown."""
    language = language_for(path, None, b"")
    return language is not None and language.name == "markdown"


MOST_WALKED = 200_000
"""Files that are listed of a workspace without git."""
