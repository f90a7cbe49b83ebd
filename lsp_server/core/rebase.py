"""Baselines of another scheme or grammar, taken anew from the text that they keep.

An upgrade of a grammar may change every hash. Where the accepted text is kept, it is parsed by the present grammar and
fingerprinted again; then a real change made in between is still seen. Knows in what a piece of code must be wrapped to
be parsed alone. Refuses to guess: what cannot be read alone, whole and without errors has no present fingerprint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from lsp_server.core.fingerprint import fingerprint, fingerprint_file, text_hash
from lsp_server.core.languages import Language
from lsp_server.core.model import SCHEME, Baseline, Fingerprint
from lsp_server.core.source import read_source
from lsp_server.core.text import Text

_ALONE = ("", "")

_SCRIPT = (_ALONE, ("class _ {\n", "\n}\n"), ("const _ = {\n", "\n}\n"))

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
    "cpp": (_ALONE, ("class _ {\n", "\n};\n"), ("namespace _ {\n", "\n}\n")),
}
"""What a definition may have to stand in to be parsed, likeliest first, by language."""


def rebased(baseline: Baseline, path: str, language: Language) -> Fingerprint | None:
    """The fingerprint of a baseline's kept text in the present scheme and the grammar of `language`, None where the
    text is not kept, is not what was fingerprinted, or cannot be read alone. `path` is a file of that language."""
    kept = baseline.fingerprint
    content = baseline.content
    if content is None or kept.kind == "region":
        return None
    if kept.kind == "symbol":
        content = content.lstrip(" \t")
    if kept.scheme <= SCHEME and kept.text != text_hash(content.encode("utf-8", "surrogatepass")):
        return None
    again = _taken_again(baseline.content or "", kept.kind, kept.symbol_kind, path, language)
    if again is None:
        return None
    # What was recorded about the rest of the file stays: it is not in the kept text.
    return replace(
        again, file_sha256=kept.file_sha256, peers=kept.peers, errors=kept.errors, occurrence=kept.occurrence
    )


@lru_cache(maxsize=1024)
def _taken_again(content: str, kind: str, symbol_kind: str, path: str, language: Language) -> Fingerprint | None:
    if kind == "file":
        source = read_source(path, Text.of(content), language.ids[0])
        return fingerprint_file(source) if source.tree is not None and source.language == language else None
    indent = len(content) - len(content.lstrip(" \t"))
    found: Fingerprint | None = None
    for before, after in WRAPPERS.get(language.name, (_ALONE,)):
        source = read_source(path, Text.of(before + content + after), language.ids[0])
        if source.outline is None or source.language != language or source.outline.broken:
            continue
        start = len(before.encode()) + indent
        end = len((before + content).encode("utf-8", "surrogatepass"))
        for symbol in source.outline.symbols:
            if (symbol.start, symbol.end) == (start, end):
                taken = fingerprint(source, symbol)
                if symbol.kind == symbol_kind:
                    return taken
                found = found or taken
                break
    return found
