"""Verdicts on whole files, and on places of which only their file is known.

Knows that line ends and a byte order mark say nothing, and that a symbol in a file without an outline can only be told
by the whole file. Refuses to look inside of definitions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from lsp_server.core import broken, rebase
from lsp_server.core.fingerprint import clamp, digest, file_hash, file_tokens, line_bytes, text_hash
from lsp_server.core.found import RECORDED_OTHERWISE, left_of, place_of, refused, since_words, verdict_on
from lsp_server.core.model import (
    Anchor,
    Baseline,
    Fingerprint,
    Level,
    Locus,
    Place,
    Reason,
    Sensitivity,
    Span,
    Verdict,
)
from lsp_server.core.source import Source

AS_ACCEPTED = "The file is what was accepted."


def judge_file(anchor: Anchor, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """The verdict on a whole file: by its text, then by its code where its language has a grammar."""
    assert source.text is not None
    text = text_hash(bytes(source.text))
    for baseline in baselines:
        if baseline.fingerprint.text == text or _has_text(baseline, text):
            return _verdict(anchor, Level.FRESH, None, AS_ACCEPTED, baseline, source)
    judged_by_code = anchor.sensitivity in (Sensitivity.CODE, Sensitivity.INTERFACE) and source.tree is not None
    if judged_by_code and source.language is not None:
        code = digest(file_tokens(source).items)
        known: set[str] = set()
        newest: Fingerprint | None = None
        for baseline in baselines:
            newest = rebase.present(baseline, source.path, source.language)
            known |= set(newest.errors) if newest is not None else set()
            if newest is not None and newest.code == code:
                detail = "Only layout, comments or style differ from what was accepted."
                return _verdict(anchor, Level.REFORMATTED, None, detail, baseline, source)
        if newest is None:
            # What was accepted last may be just this code: nothing says that it changed.
            return _verdict(anchor, Level.UNVERIFIABLE, Reason.SCHEME, RECORDED_OTHERWISE, baselines[-1], source)
        if set(broken.marks(source)) - known:
            detail = "The syntax of the file is broken: mend it, and the verdict comes back."
            return _verdict(anchor, Level.UNVERIFIABLE, Reason.SYNTAX, detail, baselines[-1], source)
    baseline = baselines[-1]
    detail = f"The file changed{since_words(baseline)}."
    return _verdict(anchor, Level.CHANGED, Reason.BODY, detail, baseline, source)


def is_same(source: Source, baseline: Baseline) -> bool:
    """Whether a file says what the file of a baseline said."""
    assert source.text is not None
    text = text_hash(bytes(source.text))
    if baseline.fingerprint.text == text or _has_text(baseline, text):
        return True
    if source.language is None or source.tree is None:
        return False
    present = rebase.present(baseline, source.path, source.language)
    return present is not None and bool(present.code) and present.code == digest(file_tokens(source).items)


def with_lines(verdict: Verdict, source: Source, lines: tuple[int, int] | None) -> Verdict:
    """The verdict, placed at some lines of a file, or at the file as a whole."""
    text = source.text
    if text is None:
        return verdict
    first, last = (1, text.line_count) if lines is None else clamp(source, lines)
    start, end = line_bytes(source, (first, last))
    while end > start and text.slice(end - 1, end) in (b"\n", b"\r"):
        end -= 1
    name_end = line_bytes(source, (first, first))[1]
    while name_end > start and text.slice(name_end - 1, name_end) in (b"\n", b"\r"):
        name_end -= 1
    return replace(
        verdict,
        now=Place(source.path, None, first, last),
        span=Span(start, end),
        name_span=Span(start, min(name_end, end)),
    )


def no_baseline(anchor: Anchor, source: Source) -> Verdict:
    """The verdict where nobody has accepted any code; where the anchor stands in `source` is told all the same."""
    place = anchor.place
    unread = refused(anchor, place, source)
    if unread is not None and unread.level is Level.FILE_MISSING:
        return unread
    detail = "Nobody has accepted the code of this anchor yet: look at it and clear it to accept it as it is."
    verdict = Verdict(anchor.id, Level.UNVERIFIABLE, Reason.NO_BASELINE, detail)
    if unread is not None or source.text is None:
        return verdict
    if place.symbol is None:
        return with_lines(verdict, source, place.lines)
    there = source.outline.by_path(place.symbol) if source.outline is not None else ()
    if not there:
        gone = f"{place.symbol} is not in {place.file}."
        span = left_of(source, place.symbol)
        return replace(verdict, level=Level.MISSING, reason=Reason.SYMBOL_GONE, detail=gone, name_span=span)
    symbol = there[0]
    return replace(
        verdict,
        now=place_of(source, symbol),
        span=Span(symbol.start, symbol.end),
        name_span=Span(symbol.name_start, symbol.name_end),
    )


def only_file(fingerprint: Fingerprint) -> bool:
    """Whether it believes in a file's hash and in nothing else."""
    return not fingerprint.text and not fingerprint.code


def by_file_hash(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """Fresh, where the file has a baseline's bytes, line ends and byte order mark aside."""
    assert source.text is not None
    matching = next((b for b in baselines if has_bytes(source, b.fingerprint.file_sha256)), None)
    baseline = matching or baselines[-1]
    level = Level.FRESH if matching is not None else Level.CHANGED
    detail = AS_ACCEPTED if matching else "The file's bytes are not those that were accepted."
    reason = None if matching is not None else Reason.BODY
    if matching is not None and baseline.place.file != source.path:
        level, detail = Level.MOVED, f"{baseline.place.file} is now {source.path}."
    symbol = None
    if place.symbol is not None and source.outline is not None:
        there = source.outline.by_path(place.symbol)
        if not there and level is Level.CHANGED:
            detail = f"{place.symbol} is not in {place.file} any more."
            verdict = Verdict(anchor.id, Level.MISSING, Reason.SYMBOL_GONE, detail, baseline=baseline.id)
            return replace(verdict, name_span=left_of(source, place.symbol))
        symbol = there[0] if there else None
    verdict = verdict_on(anchor, level, reason, detail, source, symbol, baseline)
    return verdict if symbol is not None else with_lines(verdict, source, place.lines)


def has_bytes(source: Source, sha256: str) -> bool:
    """Whether a file has that hash, or would have it with other line ends, with or without a byte order mark."""
    if source.text is None:
        return False
    if file_hash(source) == sha256:
        return True
    plain = bytes(source.text).replace(b"\r\n", b"\n")
    return any(
        hashlib.sha256(mark + data).hexdigest() == sha256
        for data in (plain, plain.replace(b"\n", b"\r\n"))
        for mark in (b"", b"\xef\xbb\xbf")
    )


def without_outline(anchor: Anchor, place: Locus, source: Source, baselines: Sequence[Baseline]) -> Verdict:
    """A symbol in a file that has no outline: fresh where the whole file is what it was."""
    for baseline in baselines:
        if baseline.fingerprint.file_sha256 == file_hash(source):
            verdict = Verdict(anchor.id, Level.FRESH, None, AS_ACCEPTED, baseline=baseline.id)
            return with_lines(verdict, source, baseline.lines)
    detail = source.message or f"{place.file} is of no language with a grammar here, so {place.symbol} cannot be found."
    verdict = Verdict(anchor.id, Level.UNVERIFIABLE, Reason.SCHEME, detail, baseline=baselines[-1].id)
    return with_lines(verdict, source, None)


def _has_text(baseline: Baseline, text: str) -> bool:
    """Whether a file's text is what a baseline of another scheme keeps."""
    content = baseline.content
    if content is None or not rebase.is_other(baseline) or baseline.fingerprint.kind != "file":
        return False
    return text_hash(content.encode("utf-8", "surrogatepass")) == text


def _verdict(
    anchor: Anchor, level: Level, reason: Reason | None, detail: str, baseline: Baseline, source: Source
) -> Verdict:
    if level in (Level.FRESH, Level.REFORMATTED) and baseline.place.file != source.path:
        level, detail = Level.MOVED, f"{baseline.place.file} is now {source.path}."
    return with_lines(Verdict(anchor.id, level, reason, detail, baseline=baseline.id), source, None)
