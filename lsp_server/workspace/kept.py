"""The code that a baseline does not keep inline because it is long: read from git, which keeps the whole file.

Knows how to find the accepted code in a blob again, and takes nothing that is not what was fingerprinted: a blob by the
id that the baseline names, or, where git does not have that one (other line ends, another object format), the file of
the baseline's revision if the code in it has the accepted text's hash. Bounded in bytes and calls; off the keystroke
path. Refuses to judge: what it finds is put into the anchor, where `core.rebase` and `core.explain` look for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lsp_server.core.fingerprint import content_of, text_hash
from lsp_server.core.model import SCHEME, Anchor, Baseline, Level, Memory, Reason, Verdict
from lsp_server.core.source import MAX_BYTES, read_source
from lsp_server.core.text import Text
from lsp_server.workspace import git
from lsp_server.workspace.threads import in_thread

CALLS = 8
"""Calls of git in one go: each answers at most `git.MAX_OUTPUT` bytes, and what is behind that is asked for again."""


def lacking(anchor: Anchor, verdict: Verdict) -> tuple[Baseline, ...]:
    """The baselines of an anchor whose code must be read before more can be said of it: to tell what is of another
    scheme or grammar, or to show what changed. None of what is as it was accepted."""
    if verdict.level is Level.UNVERIFIABLE:
        if verdict.reason is not Reason.SCHEME:
            return ()
        wanted = anchor.baselines
    elif verdict.stale or verdict.level is Level.REFORMATTED:
        wanted = tuple(one for one in anchor.baselines if one.id == verdict.baseline)
    else:
        return ()
    return tuple(one for one in wanted if one.content is None and (one.blob or one.revision))


async def texts(root: Path, baselines: Iterable[Baseline]) -> dict[str, str]:
    """The accepted code of baselines, by their ids; of those that git can tell."""
    wanted = list({baseline.id: baseline for baseline in baselines}.values())
    contents = await _blobs(root, [one.blob for one in wanted if one.blob])
    at = {one.id: one.blob for one in wanted if one.blob in contents}
    left = [one for one in wanted if one.id not in at and one.revision]
    oids = await git.blob_ids(root, [(one.revision, one.place.file) for one in left])
    at |= {one.id: oid for one in left if (oid := oids.get((one.revision, one.place.file))) is not None}
    contents |= await _blobs(root, [oid for oid in at.values() if oid not in contents])
    found = {}
    for one in wanted:
        data = contents.get(at.get(one.id, ""))
        if data is not None and len(data) <= MAX_BYTES:
            code = await in_thread(partial(code_in, data, one, named=at[one.id] == one.blob))
            if code is not None:
                found[one.id] = code
    return found


def with_texts(memory: Memory, found: Mapping[str, str]) -> Memory:
    """A memory whose baselines keep what was found of them, by their ids; itself where that is nothing."""
    if not any(one.content is None and one.id in found for anchor in memory.anchors for one in anchor.baselines):
        return memory
    anchors = tuple(
        replace(
            anchor,
            baselines=tuple(
                replace(one, content=found[one.id]) if one.content is None and one.id in found else one
                for one in anchor.baselines
            ),
        )
        for anchor in memory.anchors
    )
    return replace(memory, anchors=anchors)


def code_in(data: bytes, baseline: Baseline, *, named: bool) -> str | None:
    """The accepted code in the bytes of its file, as a baseline would keep it inline; None where it is not there.

    `named` says that the baseline names these very bytes. Then the code is taken from its lines also where a hash says
    nothing, as it is of a scheme after ours.
    """
    kept, place = baseline.fingerprint, baseline.place
    source = read_source(place.file, Text.of(data))
    codes: list[str] = []
    if kept.kind == "file":
        codes = [content_of(source, None)]
    elif place.symbol is None:
        codes = [content_of(source, baseline.lines)]
    else:
        there = source.outline.by_path(place.symbol) if source.outline is not None else ()
        first = [symbol for symbol in there if (symbol.start_line, symbol.end_line) == baseline.lines]
        codes = [content_of(source, symbol) for symbol in (*first, *(one for one in there if one not in first))]
        # Where outlines name it otherwise now, its lines still hold it.
        codes.append(content_of(source, baseline.lines).rstrip("\r\n"))
    for code in codes:
        if _hash(code, kept.kind) == kept.text:
            return code
    return codes[0] if named and kept.scheme > SCHEME else None


def _hash(code: str, kind: str) -> str:
    data = code.encode("utf-8", "surrogatepass")
    return text_hash(data.lstrip(b" \t") if kind == "symbol" else data.rstrip(b"\r\n") if kind == "region" else data)


async def _blobs(root: Path, oids: Sequence[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    wanted = list(dict.fromkeys(oids))
    for _ in range(CALLS):
        some = await git.blobs(root, wanted) if wanted else {}
        found |= some
        wanted = [oid for oid in wanted if oid not in some]
        if sum(map(len, some.values())) < git.MAX_OUTPUT - MAX_BYTES:
            break  # What is missing was not cut off: git does not have it.
    return found
