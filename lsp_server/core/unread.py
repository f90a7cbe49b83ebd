"""Verdicts that need no look into a file: its bytes are those that were accepted.

A fast path for whoever judges a whole repository. Knows when equal bytes leave no doubt: the newest acceptance counts,
it was taken at the anchor's place, by the present scheme and grammar, and nothing else there has its path. Says nothing
in every other case. `core.drift.judge` is the slow twin that it must equal, but for the byte ranges, which only a look
into the file can tell.
"""

from __future__ import annotations

from collections.abc import Collection

from lsp_server.core import files, found, regions
from lsp_server.core.drift import counting
from lsp_server.core.languages import Language
from lsp_server.core.model import SCHEME, Anchor, Baseline, Level, Place, Sensitivity, Verdict


def unread(
    anchor: Anchor, sha256: str, language: Language | None, *, body_hash: str, regressed: Collection[str] = ()
) -> Verdict | None:
    """The verdict on an anchor whose file has the SHA-256 `sha256`, without `span` and `name_span`; None where it takes
    more to tell.

    `language` is the one that the file is read in. `body_hash` and `regressed` are as `judge` takes them.
    """
    if not anchor.baselines or regressed or anchor.sensitivity is Sensitivity.FILE:
        return None
    baseline, place = anchor.baselines[-1], anchor.place
    kept = baseline.fingerprint
    if kept.file_sha256 != sha256 or not kept.text or kept.scheme != SCHEME or baseline.place != place:
        return None
    if place.symbol is not None:
        if baseline.body_hash != body_hash or kept.kind != "symbol" or kept.siblings:
            return None
        if language is None or language.version != kept.grammar:
            return None
        return _fresh(anchor, baseline, found.AS_ACCEPTED)
    if counting(anchor, body_hash) != (baseline,):
        return None
    if place.lines is not None:
        return _fresh(anchor, baseline, regions.AS_ACCEPTED) if kept.kind == "region" else None
    return _fresh(anchor, baseline, files.AS_ACCEPTED) if kept.kind == "file" else None


def _fresh(anchor: Anchor, baseline: Baseline, detail: str) -> Verdict:
    now = Place(anchor.place.file, anchor.place.symbol, *baseline.lines)
    return Verdict(anchor.id, Level.FRESH, None, detail, now, baseline=baseline.id)
