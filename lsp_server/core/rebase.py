"""Baselines read again from the text that they keep: those of another scheme or grammar, and those to be told from.

An upgrade of a grammar may change every hash. Where the accepted text is kept, it is parsed by the present grammar and
fingerprinted again; then a real change made in between is still seen. Knows in what a piece of code must be wrapped to
be parsed alone, and else reads it in place of what is there now. Refuses to guess: what cannot be read whole and
without errors has no present fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from lsp_server.core import broken
from lsp_server.core.fingerprint import (
    LIMIT,
    digest,
    fingerprint,
    fingerprint_file,
    line_bytes,
    region_tokens,
    text_hash,
)
from lsp_server.core.languages import Language
from lsp_server.core.model import SCHEME, Baseline, Fingerprint, Symbol
from lsp_server.core.source import Source, edit_source, read_source
from lsp_server.core.text import Text

Read = tuple[Source, Symbol]
"""Kept text as a source, and the symbol that it is there."""

READ = 64
"""Kept texts whose trees are remembered: each is at most 16 KiB of code (`fingerprint.LIMIT`)."""

LONG_READ = 4
"""The same of texts that are longer, as they come from git and not from the baseline."""

_ALONE = ("", "")

_SCRIPT = (_ALONE, ("class _ {\n", "\n}\n"), ("const _ = {\n", "\n}\n"))

_CLASS = (("class X_ {\n", "\n}\n"),)

WRAPPERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "python": (_ALONE, ("class _:\n", "\n"), ("def _():\n", "\n")),
    "javascript": _SCRIPT,
    "typescript": (*_SCRIPT, ("interface _ {\n", "\n}\n"), ("namespace _ {\n", "\n}\n"), ("enum _ {\n", "\n}\n")),
    "tsx": (*_SCRIPT, ("interface _ {\n", "\n}\n"), ("namespace _ {\n", "\n}\n"), ("enum _ {\n", "\n}\n")),
    "go": (_ALONE, ("package _\n", "\n"), ("type _ struct {\n", "\n}\n"), ("const (\n", "\n)\n"), ("var (\n", "\n)\n")),
    "rust": (
        _ALONE,
        ("impl _X {\n", "\n}\n"),
        ("trait _X {\n", "\n}\n"),
        ("struct _X {\n", "\n}\n"),
        ("enum _X {\n", "\n}\n"),
    ),
    "java": (("class _ {\n", "\n}\n"), _ALONE, ("interface _ {\n", "\n}\n"), ("enum _ {\n", "\n}\n")),
    "c": (_ALONE, ("struct _ {\n", "\n};\n"), ("enum _ {\n", "\n};\n")),
    "csharp": (("class _ {\n", "\n}\n"), _ALONE, ("interface _ {\n", "\n}\n"), ("enum _ {\n", "\n}\n")),
    "css": (_ALONE, ("a {\n", "\n}\n"), ("@keyframes a {\n", "\n}\n")),
    "dart": (_ALONE, *_CLASS),
    "dockerfile": (("FROM _\n", "\n"), ("ENV ", "\n"), ("LABEL ", "\n")),
    "graphql": (_ALONE, ("type _ {\n", "\n}\n"), ("input _ {\n", "\n}\n"), ("enum _ {\n", "\n}\n")),
    "hcl": (("", "\n"), ("_ {\n", "\n}\n"), ("_ = {\n", "\n}\n")),
    "json": (_ALONE, ("{\n", "\n}\n")),
    "kotlin": (_ALONE, *_CLASS),
    "ocaml": (_ALONE, ("module M = struct\n", "\nend\n")),
    "php": (("<?php\n", "\n"), ("<?php\nclass _ {\n", "\n}\n"), ("<?php\nenum _ {\n", "\n}\n")),
    "ruby": (_ALONE, ("class X_\n", "\nend\n")),
    "scala": (_ALONE, *_CLASS),
    "sql": (_ALONE, ("CREATE TABLE _ (\n", "\n);\n"), ("WITH ", "\nSELECT 1;\n")),
    "swift": (_ALONE, *_CLASS),
    "yaml": (_ALONE, ("{\n", "\n}\n")),
    "zig": (_ALONE, ("const x_ = struct {\n", "\n};\n")),
    "cpp": (_ALONE, ("class _ {\n", "\n};\n"), ("namespace _ {\n", "\n}\n")),
}
"""What a definition may have to stand in to be parsed, likeliest first, by language."""


def present(baseline: Baseline, path: str, language: Language, now: Read | None = None) -> Fingerprint | None:
    """The baseline's fingerprint in the present scheme and the grammar of `language`; None where that cannot be known.

    `path` is a file of that language, and `now` what stands in the symbol's place there, if anything does.
    """
    found = baseline.fingerprint
    if found.scheme == SCHEME and found.grammar == language.version and found.code:
        return found
    return rebased(baseline, path, language, now)


def is_current(baseline: Baseline, source: Source) -> bool:
    """Whether a baseline's hashes are in the present scheme and in the grammar that a source was read with."""
    kept = baseline.fingerprint
    return kept.scheme == SCHEME and source.language is not None and kept.grammar == source.language.version


def is_other(baseline: Baseline) -> bool:
    """Whether a baseline's hashes are in another scheme, so that equal texts need not have equal hashes."""
    return baseline.fingerprint.scheme != SCHEME


def rebased(baseline: Baseline, path: str, language: Language, now: Read | None = None) -> Fingerprint | None:
    """The fingerprint of a baseline's kept text, taken anew; None where the text is not kept, is not what was
    fingerprinted, or cannot be read. Of a region see `same_region`."""
    kept = baseline.fingerprint
    content = baseline.content
    if content is None or not kept.text or kept.kind == "region":
        return None
    if not _is_whole(kept, content):
        return None
    if kept.kind == "file":
        again = _file_again(content, path, language)
    else:
        read = reread(baseline, path, language, now)
        again = fingerprint(*read) if read is not None else None
    if again is None:
        return None
    # What was recorded about the rest of the file stays: it is not in the kept text.
    return replace(
        again,
        file_sha256=kept.file_sha256,
        peers=kept.peers,
        errors=kept.errors,
        occurrence=kept.occurrence,
        siblings=kept.siblings,
    )


def has_text(baseline: Baseline, data: bytes) -> bool:
    """Whether a symbol's text is the one that a baseline keeps, though it was fingerprinted in another scheme."""
    content = baseline.content
    if content is None or not is_other(baseline) or baseline.fingerprint.kind != "symbol":
        return False
    return text_hash(data) == text_hash(content.lstrip(" \t").encode("utf-8", "surrogatepass"))


def same_region(baseline: Baseline, source: Source, lines: tuple[int, int]) -> bool | None:
    """Whether the lines of a source say what the region of a baseline of another scheme or grammar said.

    The kept lines are read in place of the present ones, since they cannot be read alone. None where they are not kept
    or do not fit in there any more.
    """
    content, language = baseline.content, source.language
    if content is None or source.text is None or source.tree is None or language is None:
        return None
    kept = content.encode("utf-8", "surrogatepass").rstrip(b"\n")
    if baseline.fingerprint.scheme <= SCHEME and text_hash(kept) != baseline.fingerprint.text:
        return None
    start, end = line_bytes(source, lines)
    while end > start and source.text.slice(end - 1, end) in (b"\n", b"\r"):
        end -= 1
    replaced, edit = source.text.replace(start, end, kept)
    before = edit_source(source, replaced, (edit,))
    if before.tree is None:
        return None
    stop = start + len(kept)
    known = {found.mark for found in broken.breaks(source)} | set(baseline.fingerprint.errors)
    if any(found.mark not in known for found in broken.breaks(before)):
        return None
    return digest(region_tokens(before, start, stop)) == digest(region_tokens(source, start, end))


def reread(baseline: Baseline, path: str, language: Language, now: Read | None = None) -> Read | None:
    """The kept text of a symbol in place of what is there now (`now`), else as a source of its own; None where it
    cannot be read whole and without errors."""
    content, kind = baseline.content, baseline.fingerprint.symbol_kind
    if content is None:
        return None
    # In its place it is read as it was read there; alone, what is around it may be missed.
    return (_in_place(content, kind, now) if now is not None else None) or _alone(content, kind, path, language)


def _is_whole(kept: Fingerprint, content: str) -> bool:
    """Whether a text is what was fingerprinted. What a scheme after ours hashes is not known here."""
    content = content.lstrip(" \t") if kept.kind == "symbol" else content
    return kept.scheme > SCHEME or kept.text == text_hash(content.encode("utf-8", "surrogatepass"))


def _file_again(content: str, path: str, language: Language) -> Fingerprint | None:
    return (_file_of_short if len(content) <= LIMIT else _file_of_long)(content, path, language)


def _read_file(content: str, path: str, language: Language) -> Fingerprint | None:
    source = read_source(path, Text.of(content), language.ids[0])
    return fingerprint_file(source) if source.tree is not None and source.language == language else None


_file_of_short = lru_cache(maxsize=READ)(_read_file)
_file_of_long = lru_cache(maxsize=LONG_READ)(_read_file)


def _alone(content: str, symbol_kind: str, path: str, language: Language) -> Read | None:
    return (_short_alone if len(content) <= LIMIT else _long_alone)(content, symbol_kind, path, language)


def _read_alone(content: str, symbol_kind: str, path: str, language: Language) -> Read | None:
    indent = len(content) - len(content.lstrip(" \t"))
    found: Read | None = None
    for before, after in WRAPPERS.get(language.name, (_ALONE,)):
        source = read_source(path, Text.of(before + content + after), language.ids[0])
        if source.outline is None or source.language != language or source.outline.broken:
            continue
        start = len(before.encode()) + indent
        end = len((before + content).encode("utf-8", "surrogatepass"))
        for symbol in source.outline.symbols:
            if (symbol.start, symbol.end) == (start, end):
                if symbol.kind == symbol_kind:
                    return source, symbol
                found = found or (source, symbol)
                break
    return found


_short_alone = lru_cache(maxsize=READ)(_read_alone)
_long_alone = lru_cache(maxsize=LONG_READ)(_read_alone)


def _in_place(content: str, symbol_kind: str, now: Read) -> Read | None:
    source, symbol = now
    if source.text is None:
        return None
    data = content.lstrip(" \t").encode("utf-8", "surrogatepass")
    text, edit = source.text.replace(symbol.start, symbol.end, data)
    before = edit_source(source, text, (edit,))
    if before.outline is None:
        return None
    extent = (symbol.start, symbol.start + len(data))
    inner = before.outline.at(symbol.start)
    around = [inner, *before.outline.ancestors(inner)] if inner is not None else []
    found = [one for one in around if (one.start, one.end) == extent and not one.broken]
    chosen = next((one for one in found if one.kind == symbol_kind), found[0] if found else None)
    return (before, chosen) if chosen is not None else None
