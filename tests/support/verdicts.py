"""An anchor on a marked text, and what a judgement makes of it in other texts.

`$0` in a text before marks the anchored symbol (the innermost around it), and in a text after the symbol that the
verdict must name as the place now. No `$0` after says that the verdict must name none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsp_server.core.drift import judge, search_beyond
from lsp_server.core.fingerprint import content_of, fingerprint
from lsp_server.core.model import (
    Anchor,
    Baseline,
    Level,
    Locus,
    Reason,
    Sensitivity,
    SourceState,
    Symbol,
    Verdict,
)
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text

MARK = "$0"


def parsed(path: str, text: str | bytes | None) -> Source:
    if text is None:
        return Source(path, SourceState.GONE)
    if isinstance(text, bytes):
        return read_source(path, Text.of(text.replace(MARK.encode(), b"")))
    return read_source(path, Text.of(text.replace(MARK, "")))


def symbol_at_mark(path: str, text: str | bytes) -> Symbol | None:
    at = (text.encode() if isinstance(text, str) else text).find(MARK.encode())
    if at < 0:
        return None
    if isinstance(text, bytes) and text.startswith(b"\xef\xbb\xbf"):
        at -= 3
    source = parsed(path, text)
    assert source.outline is not None
    # A mark right behind a symbol is in it too.
    found = source.outline.at(at) or source.outline.at(at - 1)
    assert found is not None, "no symbol around the mark"
    return found


def baseline_of(path: str, text: str, *, id: str = "b1", body: str = "h", state: str = "accepted") -> Baseline:
    source, symbol = parsed(path, text), symbol_at_mark(path, text)
    assert symbol is not None
    return Baseline(
        id=id,
        fingerprint=fingerprint(source, symbol),
        place=Locus(path, symbol.path),
        content=content_of(source, symbol),
        blob=None,
        lines=(symbol.start_line, symbol.end_line),
        body_hash=body,
        state=state,
        author="a",
        time="2026-01-01T00:00:00Z",
        revision="3f2a9c1d",
    )


def anchor_of(path: str, *texts: str, sensitivity: Sensitivity = Sensitivity.CODE) -> Anchor:
    """An anchor with a baseline for each text, recorded at the first one's mark."""
    baselines = tuple(baseline_of(path, text, id=f"b{number}") for number, text in enumerate(texts, 1))
    return Anchor("a1", baselines[0].place, sensitivity, baselines)


def look_in(files: Mapping[str, str | bytes | None]) -> dict[str, Source]:
    return {path: parsed(path, text) for path, text in files.items()}


def verdict_of(anchor: Anchor, files: Mapping[str, str | bytes | None], **more: Sequence[str]) -> Verdict:
    sources = look_in(files)
    found = judge(anchor, lambda path: sources.get(path) or parsed(path, None), body_hash="h", **more)  # type: ignore
    return search_beyond(anchor, found, sources.values(), body_hash="h")


def check_verdict(
    path: str,
    before: str,
    after: str | bytes,
    level: Level,
    reason: Reason | None = None,
    *,
    sensitivity: Sensitivity = Sensitivity.CODE,
) -> Verdict:
    """What an edit of one file makes of an anchor in it, and where it is then."""
    found = verdict_of(anchor_of(path, before, sensitivity=sensitivity), {path: after})
    assert (found.level, found.reason) == (level, reason), found
    now = symbol_at_mark(path, after)
    if now is None:
        assert found.now is None, found
    else:
        assert found.now is not None and found.span is not None and found.name_span is not None
        assert (found.now.symbol, found.now.start_line, found.now.end_line) == (now.path, now.start_line, now.end_line)
        assert (found.span.start, found.span.end) == (now.start, now.end)
        assert (found.name_span.start, found.name_span.end) == (now.name_start, now.name_end)
    assert found.detail.endswith(".") and "\n" not in found.detail
    return found
