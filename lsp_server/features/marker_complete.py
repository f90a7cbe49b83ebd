"""What may be typed in a marker: its keys, the files of the workspace, the symbols of the file that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lsp_server.core.documents import KEYS, Typing, clean_file, spelt, typing_at
from lsp_server.core.model import Span
from lsp_server.core.source import Source

MOST = 500
"""Proposals at most: more are for nobody to read, and typing on narrows them."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """`text` takes the place of the bytes `span`; `kind` is "key", "file" or a symbol's kind."""

    label: str
    text: str
    span: Span
    kind: str


def completions(
    source: Source, offset: int, files: Sequence[str], read: Callable[[str], Source]
) -> tuple[tuple[Proposal, ...], bool] | None:
    """The proposals at a byte offset, best first, and whether there are more than are given; None outside of markers.

    Files that hold what was typed anywhere in their path come, those that begin with it first.
    """
    typing = typing_at(source, offset)
    if typing is None:
        return None
    if typing.key == "file":
        return _cut(
            Proposal(path, spelt(path, typing.quote), typing.span, "file") for path in _files(typing.prefix, files)
        )
    if typing.key == "symbol":
        return _cut(_symbols(typing, read))
    if typing.key in KEYS:
        return (), False
    left = [key for key in KEYS if key not in typing.said and key.startswith(typing.prefix)]
    return tuple(Proposal(f"{key}=", f"{key}=", typing.span, "key") for key in left), False


def _files(prefix: str, files: Sequence[str]) -> list[str]:
    typed = prefix.removeprefix("./").lower()
    held = [path for path in files if typed in path.lower()]
    return sorted(held, key=lambda path: (not path.lower().startswith(typed), path.count("/"), path))


def _symbols(typing: Typing, read: Callable[[str], Source]) -> Iterable[Proposal]:
    named, mark, prefix = typing.prefix.rpartition("#")
    file = clean_file(named) if mark else clean_file(typing.said.get("file", ""))
    source = read(file) if file else None
    if source is None or source.outline is None:
        return
    typed, seen = prefix.lower(), set()
    for symbol in sorted(source.outline.symbols, key=lambda one: (not one.path.lower().startswith(typed), one.start)):
        if typed in symbol.path.lower() and symbol.path not in seen:
            seen.add(symbol.path)
            whole = f"{named}#{symbol.path}" if mark else symbol.path
            yield Proposal(symbol.path, spelt(whole, typing.quote), typing.span, symbol.kind)


def _cut(proposals: Iterable[Proposal]) -> tuple[tuple[Proposal, ...], bool]:
    found = tuple(proposals)
    return found[:MOST], len(found) > MOST
