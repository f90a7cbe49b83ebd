"""Since which commit an anchor has been stale, and whose commit that was.

Git's history is walked from HEAD back, through the commits that touched the anchor's files since it was accepted, until
one after which it was stale and before which it was not. The same `judge` decides at each of them. Bounded in commits
and in seconds, and off the keystroke path: what is in a buffer and not committed takes no part. Refuses to guess: where
HEAD itself is not stale, or the bound is met, there is no answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from lsp_server.core.drift import judge
from lsp_server.core.model import Anchor, Level, SourceState, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.workspace import git
from lsp_server.workspace.threads import in_thread

COMMITS = 60
"""Commits of one file that are looked at, the newest first."""

SECONDS = 3.0
"""Seconds that one tracing takes at most, for however many anchors."""

KNOWN = 4096
"""Answers that are remembered."""

_CERTAIN = (Level.FRESH, Level.REFORMATTED, Level.MOVED)
"""Verdicts that say for certain that an anchor was not stale; what could not be judged says nothing."""


@dataclass(frozen=True, slots=True)
class Since:
    """The commit after which an anchor was stale: its id, its author's name, and its time (RFC 3339, UTC)."""

    revision: str
    author: str
    time: str


@dataclass(frozen=True, slots=True)
class Stale:
    """A stale anchor to be traced. `faulty` are states whose baselines are of faulty code, as `judge` takes them."""

    anchor: Anchor
    verdict: Verdict
    body_hash: str
    faulty: frozenset[str] = frozenset()

    @property
    def base(self) -> str:
        """The revision of the newest baseline that has one."""
        return next((one.revision for one in reversed(self.anchor.baselines) if one.revision), "")

    @property
    def files(self) -> tuple[str, ...]:
        now = self.verdict.now
        places = [place.file for place in self.anchor.places]
        return tuple(dict.fromkeys([*places, *([now.file] if now is not None else [])]))

    def cause(self, head: str) -> tuple[object, ...]:
        """All that the answer depends on, buffers and files on disk aside."""
        return (head, self.body_hash, tuple(one.id for one in self.anchor.baselines), self.anchor.places, self.files)


class History:
    """Answers since when anchors are stale, and remembers what it answered."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[tuple[object, ...], Since | None] = {}

    def knows(self, stale: Stale, head: str) -> bool:
        """Whether an anchor was traced at this HEAD."""
        return stale.cause(head) in self._known

    def since(self, stale: Stale, head: str) -> Since | None:
        """The commit since which an anchor is stale, as far as it was traced."""
        return self._known.get(stale.cause(head))

    async def trace(self, stale: Iterable[Stale], head: str, seconds: float = SECONDS) -> bool:
        """Traces anchors that were not traced at this HEAD yet; tells whether anything was learnt."""
        until = time.monotonic() + seconds
        groups: dict[tuple[str, tuple[str, ...]], list[Stale]] = {}
        for one in stale:
            if head and one.base and not self.knows(one, head):
                groups.setdefault((one.base, one.files), []).append(one)
        if len(self._known) > KNOWN:
            self._known.clear()
        learnt = False
        for (base, files), some in groups.items():
            if time.monotonic() > until:
                break
            past = await past_of(self._root, base, head, files)
            for one in some:
                # In a thread, since each commit's file has to be parsed.
                found = await in_thread(partial(_since, one, past)) if past is not None else None
                self._known[one.cause(head)] = found
                learnt = learnt or found is not None
        return learnt


@dataclass(frozen=True, slots=True)
class Past:
    """Commits, the newest first, and of each and its first parent the files' blobs; then the blobs' contents."""

    commits: Sequence[Since]
    blobs: Mapping[tuple[str, str], str]
    contents: Mapping[str, bytes]
    sources: dict[tuple[str, str], Source]

    def look(self, revision: str) -> Callable[[str], Source]:
        """Reads files as they were in a revision. Others than those that were asked for are gone."""

        def source(path: str) -> Source:
            oid = self.blobs.get((revision, path))
            if oid is None:
                return Source(path, SourceState.GONE)
            if (path, oid) not in self.sources:
                data = self.contents.get(oid)
                unread = Source(path, SourceState.UNREADABLE, message="git did not give it")
                self.sources[path, oid] = read_source(path, Text.of(data)) if data is not None else unread
            return self.sources[path, oid]

        return source


def _since(stale: Stale, past: Past) -> Since | None:
    """The newest commit that made it stale."""
    for commit in past.commits:
        if not _level(stale, past, commit.revision).stale:
            return None
        if _level(stale, past, f"{commit.revision}^") in _CERTAIN:
            return commit
    return None


def _level(stale: Stale, past: Past, revision: str) -> Level:
    return judge(stale.anchor, past.look(revision), body_hash=stale.body_hash, regressed=stale.faulty).level


async def past_of(root: Path, base: str, head: str, files: Sequence[str]) -> Past | None:
    """What git knows of some files between two revisions; None where it knows nothing."""
    commits = [
        Since(entry.revision, entry.author, _utc(entry.time))
        for entry in await git.commits(root, base, head, files, most=COMMITS)
    ]
    if not commits:
        return None
    revisions = [name for commit in commits for name in (commit.revision, f"{commit.revision}^")]
    blobs = await git.blob_ids(root, [(revision, path) for revision in revisions for path in files])
    contents = await git.blobs(root, list(blobs.values()))
    return Past(commits, blobs, contents, {})


def _utc(text: str) -> str:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except ValueError:
        return text
