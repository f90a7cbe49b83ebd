"""Asks the core functions what became of labelled definitions: the quick twin of `drift_replay`, which it must equal.

`judge` gets the files of commit B; for what is missing, `search_beyond` then gets every file of commit B, with commit A
as the witness of what stood there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from drift_corpus import LOST, Case, Corpus, Pair, Result, Said, is_symbol

from lsp_server.core.drift import judge, search_beyond
from lsp_server.core.fingerprint import LIMIT, content_of, fingerprint
from lsp_server.core.model import Anchor, Baseline, Locus, SourceState, Symbol, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text
from lsp_server.features.places import find_symbol, symbol_on_line
from lsp_server.features.report import candidate_json, place_json


def direct(corpus: Corpus, pair: Pair, cases: Sequence[Case]) -> list[Result]:
    """Judges the cases of a pair."""

    @cache
    def source(path: str, digest: str | None) -> Source:
        return Source(path, SourceState.GONE) if digest is None else read_source(path, Text.of(corpus.content(digest)))

    def now(path: str) -> Source:
        return source(path, pair.after.get(path))

    def was(path: str) -> Source | None:
        return source(path, pair.before[path]) if path in pair.before else None

    results = []
    for case in cases:
        before = source(case["file"], pair.before.get(case["file"]))
        symbol, listed = find(before, case)
        if symbol is None:
            results.append(Result(case, None, "", "no symbol of that name on its line"))
            continue
        anchor = anchored(before, symbol)
        verdict = judge(anchor, now, body_hash="")
        if verdict.level in LOST:
            others = [now(path) for path in sorted(pair.after)]
            verdict = search_beyond(anchor, verdict, others, body_hash="", was=was)
        results.append(Result(case, said(verdict), listed))
    return results


def find(source: Source, case: Case) -> tuple[Symbol | None, str]:
    """The symbol of a case and how it is listed: by its path, or by its line."""
    line = case["lines"][0]
    outline = source.outline
    if outline is not None and outline.by_path(case["symbol"]):
        symbol = find_symbol(source, case["symbol"], line)
        if is_symbol(case, symbol.path, symbol.start_line, symbol.end_line):
            return symbol, "path"
    on_line = symbol_on_line(source, line)
    if on_line is not None and is_symbol(case, on_line.path, on_line.start_line, on_line.end_line):
        return on_line, "line"
    return None, ""


def anchored(source: Source, symbol: Symbol) -> Anchor:
    """An anchor with one baseline, taken from `source`."""
    place = Locus(source.path, symbol.path)
    content = content_of(source, symbol)
    baseline = Baseline(
        id="1",
        fingerprint=fingerprint(source, symbol),
        place=place,
        content=content if len(content.encode("utf-8", "surrogatepass")) <= LIMIT else None,
        blob=None,
        lines=(symbol.start_line, symbol.end_line),
        body_hash="",
        state="current",
        author="",
        time="",
        revision="",
    )
    return Anchor("a", place, baselines=(baseline,))


def said(verdict: Verdict) -> Said:
    """A verdict in the shape of `check --json`."""
    return {
        "verdict": verdict.level.value,
        "stale": verdict.stale,
        "reason": verdict.reason.value if verdict.reason else None,
        "detail": verdict.detail,
        "now": place_json(verdict.now),
        "candidates": [candidate_json(candidate) for candidate in verdict.candidates],
    }
