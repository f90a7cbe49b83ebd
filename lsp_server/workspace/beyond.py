"""What a missing anchor becomes after looking into other files, with git as the witness of what stood there before.

Knows how to ask git little: what stood in a file then is only asked for once something was found there, and a file that
is now what it was is not read again. Refuses to judge (`core.drift` does) and to choose the files (`workspace.search`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lsp_server.core.drift import search_beyond
from lsp_server.core.model import Anchor, Level, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.workspace import git


class Witness:
    """What git told during one search, so that many anchors ask once."""

    def __init__(self, root: Path) -> None:
        self.root = root
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


async def look_beyond(
    witness: Witness,
    anchor: Anchor,
    verdict: Verdict,
    sources: Sequence[Source],
    *,
    body_hash: str,
    renamed: str | None = None,
) -> Verdict:
    """The verdict on a missing anchor after looking into `sources`. `renamed` is where an editor's rename took its
    file."""
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
