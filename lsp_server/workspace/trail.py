"""Where code went that was moved and edited since: the commits between are witnesses.

What moved in one commit and was edited in another is too much changed to be known again from its two ends; at the
commit that moved it, it was still the same. The anchor is taken along commit by commit: where it is lost, it is looked
for among what that commit touched, as it was right before. Bounded in commits, files and moves, and only asked once a
search of the present files found nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lsp_server.core.drift import judge, search_beyond
from lsp_server.core.fingerprint import LIMIT, content_of, fingerprint
from lsp_server.core.languages import language_for
from lsp_server.core.model import Anchor, Baseline, Level, Locus, Symbol, Verdict
from lsp_server.core.source import Source
from lsp_server.workspace import git
from lsp_server.workspace.history import Past, past_of
from lsp_server.workspace.threads import in_thread

MOVES = 4
"""Moves of one anchor that are followed, one after the other."""

FILES = 60
"""Files of one commit that are looked into: a commit that touches more is a mass change, and says little."""

_LOST = (Level.MISSING, Level.FILE_MISSING)


async def trail(root: Path, anchor: Anchor, head: str, body_hash: str) -> Locus | None:
    """The place to which the commits up to `head` took a symbol that is lost now; None where they do not tell."""
    base = next((one.revision for one in reversed(anchor.baselines) if one.revision), "")
    if not base or not head or anchor.place.symbol is None:
        return None
    last: Locus | None = None
    now = anchor
    for _ in range(MOVES):
        past = await past_of(root, base, head, (now.place.file,))
        lost = await in_thread(partial(_lost_in, now, past, body_hash)) if past is not None else None
        if past is None or lost is None:
            break
        base, witness = lost
        place = await _moved_in(root, base, witness)
        if place is None:
            break
        # From here on it is known by what it was right before it moved, at its new place.
        last, now = place, replace(witness, locus=place)
    return last


def _lost_in(anchor: Anchor, past: Past, body_hash: str) -> tuple[str, Anchor] | None:
    """The commit that lost the anchor, and the anchor with the code that it had right before as its baseline."""
    for commit in past.commits:
        if judge(anchor, past.look(commit.revision), body_hash=body_hash).level not in _LOST:
            return None
        before = f"{commit.revision}^"
        verdict = judge(anchor, past.look(before), body_hash=body_hash)
        if verdict.level not in _LOST:
            witness = _witness(anchor, verdict, past.look(before)(anchor.place.file), commit.revision)
            return (commit.revision, witness) if witness is not None else None
    return None


def _witness(anchor: Anchor, verdict: Verdict, source: Source, revision: str) -> Anchor | None:
    """An anchor on what a verdict found, with a baseline taken there."""
    symbol = _symbol(source, verdict)
    if symbol is None:
        return None
    content = content_of(source, symbol)
    place = Locus(source.path, symbol.path)
    baseline = Baseline(
        id="witness",
        fingerprint=fingerprint(source, symbol),
        place=place,
        content=content if len(content.encode("utf-8", "surrogatepass")) <= LIMIT else None,
        blob=None,
        lines=(symbol.start_line, symbol.end_line),
        body_hash="",
        state="",
        author="",
        time="",
        revision=revision,
    )
    return Anchor(anchor.id, place, anchor.sensitivity, (baseline,))


def _symbol(source: Source, verdict: Verdict) -> Symbol | None:
    now, span = verdict.now, verdict.span
    if source.outline is None or now is None or now.symbol is None or now.file != source.path or span is None:
        return None
    return next((one for one in source.outline.by_path(now.symbol) if one.start == span.start), None)


async def _moved_in(root: Path, revision: str, witness: Anchor) -> Locus | None:
    """Where a commit took an anchor that it lost; None where that is not without doubt."""
    paths = [path for path in await git.touched(root, revision) if language_for(path) is not None]
    if len(paths) > FILES:
        return None
    paths = list(dict.fromkeys([witness.place.file, *paths]))
    moments = [(moment, path) for moment in (revision, f"{revision}^") for path in paths]
    blobs = await git.blob_ids(root, moments)
    contents = await git.blobs(root, list(blobs.values()))
    past = Past((), blobs, contents, {})
    return await in_thread(partial(_found_in, past, revision, witness, paths))


def _found_in(past: Past, revision: str, witness: Anchor, paths: Sequence[str]) -> Locus | None:
    now, before = past.look(revision), past.look(f"{revision}^")

    def was(path: str) -> Source | None:
        source = before(path)
        return source if source.text is not None else None

    verdict = judge(witness, now, body_hash="")
    verdict = search_beyond(witness, verdict, [now(path) for path in paths], body_hash="", was=was)
    if verdict.now is None or verdict.now.symbol is None:
        return None
    return Locus(verdict.now.file, verdict.now.symbol)
