"""What a missing anchor becomes after looking into other files, with git as the witness of what stood there before.

Knows how to ask git little: what stood in a file then is only asked for once something was found there, and a file that
is now what it was is not read again. Refuses to judge (`core.drift` does) and to choose the files (`workspace.search`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from pathlib import Path

from lsp_server.core.drift import judge, search_beyond
from lsp_server.core.model import Anchor, FollowedPlace, Level, Locus, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.workspace import git
from lsp_server.workspace.trail import trail

KNOWN = 1024
"""Answers about the commits between that are kept."""

TRAILS = 3.0
"""Seconds that one search spends on the commits between, for however many anchors."""


class Witness:
    """What git told during one search, so that many anchors ask once."""

    def __init__(self, root: Path, trails: dict[Hashable, Locus | None] | None = None) -> None:
        """`trails` keeps what commits told beyond this search: they do not change."""
        self.root = root
        self._trails = trails if trails is not None else {}
        self._until = time.monotonic() + TRAILS
        self._renamed: dict[str, str | None] = {}
        self._then: dict[tuple[str, str], Source | None] = {}

    async def renamed(self, path: str) -> str | None:
        """The path that git takes a vanished file to have now; None where it knows of none."""
        if path not in self._renamed:
            self._renamed[path] = await git.rename_target(self.root, path)
        return self._renamed[path]

    async def then(self, revision: str, sources: Sequence[Source]) -> Callable[[str], Source | None]:
        """Gives each of some files as it was in a revision, None where it was not there."""
        unknown = [source for source in sources if (revision, source.path) not in self._then]
        oids = await git.listed(self.root, revision, [source.path for source in unknown])
        other = {}
        for source in unknown:
            oid = oids.get(source.path)
            if oid is None or _is_blob(source, oid):
                self._then[revision, source.path] = None if oid is None else source
            else:
                other[source.path] = oid
        contents = await git.blobs(self.root, list(other.values()))
        for path, oid in other.items():
            data = contents.get(oid)
            self._then[revision, path] = read_source(path, Text.of(data)) if data is not None else None
        return lambda path: self._then.get((revision, path))

    async def trail(self, anchor: Anchor, head: str, body_hash: str) -> Locus | None:
        """Where the commits between took an anchor, while there is time for it; None where they do not tell."""
        cause = (head, body_hash, anchor.place, tuple(one.id for one in anchor.baselines))
        if cause not in self._trails:
            if time.monotonic() > self._until:
                return None
            if len(self._trails) >= KNOWN:
                self._trails.clear()
            self._trails[cause] = await trail(self.root, anchor, head, body_hash)
        return self._trails[cause]


async def look_beyond(
    witness: Witness,
    anchor: Anchor,
    verdict: Verdict,
    sources: Sequence[Source],
    *,
    body_hash: str,
    read: Callable[[str], Source],
    head: str,
    renamed: str | None = None,
) -> Verdict:
    """The verdict on a missing anchor after looking into `sources`, then into the commits up to `head`.

    `read` gives any file as it is now; `renamed` is where an editor's rename took the anchor's.
    """
    found = await _look_into(witness, anchor, verdict, sources, body_hash, renamed)
    if found.now is not None:
        return found
    place = await witness.trail(anchor, head, body_hash)
    if place is None or place in anchor.places:
        return found
    step = FollowedPlace(anchor.locus, place, "", "")
    there = judge(replace(anchor, followed=(*anchor.followed, step)), read, body_hash=body_hash)
    return there if there.now is not None else found


async def _look_into(
    witness: Witness,
    anchor: Anchor,
    verdict: Verdict,
    sources: Sequence[Source],
    body_hash: str,
    renamed: str | None,
) -> Verdict:
    if renamed is None and verdict.level is Level.FILE_MISSING:
        renamed = await witness.renamed(anchor.place.file)
    found = search_beyond(anchor, verdict, sources, body_hash=body_hash, renamed=renamed)
    revision = next((one.revision for one in reversed(anchor.baselines) if one.revision), "")
    met = found.now is not None or bool(found.candidates)
    if not revision or not met or (found.now is not None and found.now.file == renamed):
        return found
    was = await witness.then(revision, sources)
    return search_beyond(anchor, verdict, sources, body_hash=body_hash, renamed=renamed, was=was)


def _is_blob(source: Source, oid: str) -> bool:
    """Whether a file's bytes are those of a blob."""
    if source.text is None:
        return False
    data = (b"\xef\xbb\xbf" if source.text.bom else b"") + bytes(source.text)
    return git.blob_id(data, sha256=len(oid) == 64) == oid
