"""What a formatter made of a file: which symbols it would make stale, and by what kind of rewrite.

Knows two texts of one file. Refuses to know formatters and where files come from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lsp_server.core.canonical import BETWEEN, CLOSE, OPEN, STRING, WRITTEN, canonical
from lsp_server.core.drift import judge
from lsp_server.core.fingerprint import code_of, content_of, fingerprint
from lsp_server.core.model import Anchor, Baseline, Level, Locus, Symbol
from lsp_server.core.source import Source, read_source
from lsp_server.core.style import style_for
from lsp_server.core.text import Text


class Difference(NamedTuple):
    """The first token in which a symbol differs: what kind of rewrite that is, and both sides with what is around."""

    kind: str
    place: str
    before: str
    after: str


@dataclass
class Restyled:
    """What was counted. `rewritten` symbols have another text now, `uncertain` ones are `unverifiable`."""

    files: int = 0
    symbols: int = 0
    rewritten: int = 0
    uncertain: int = 0
    stale: list[Difference] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Stale ones among all symbols."""
        return len(self.stale) / self.symbols if self.symbols else 0.0

    def kinds(self) -> list[tuple[str, list[Difference]]]:
        """The stale ones by kind of rewrite, the most frequent first."""
        by_kind: dict[str, list[Difference]] = {}
        for difference in self.stale:
            by_kind.setdefault(difference.kind, []).append(difference)
        return sorted(by_kind.items(), key=lambda entry: -len(entry[1]))


def compare(path: str, before: bytes, after: bytes, into: Restyled) -> None:
    """Counts what became of every symbol of `before` in `after`, judged as an anchor to it would be."""
    old = read_source(path, Text.of(before))
    new = read_source(path, Text.of(after))
    if old.outline is None or new.outline is None:
        return
    into.files += 1
    for symbol in old.outline.symbols:
        into.symbols += 1
        found = same_place(new, symbol)
        if found is not None:
            if written(old, symbol) == written(new, found):
                continue
            into.rewritten += 1
            if code_of(old, symbol).code == code_of(new, found).code:
                continue
        verdict = judge(anchored(old, symbol), lambda _: new, body_hash="")
        if verdict.level is Level.UNVERIFIABLE:
            into.uncertain += 1
        elif verdict.stale:
            into.stale.append(difference(old, symbol, new, found))


def same_place(source: Source, symbol: Symbol) -> Symbol | None:
    """The symbol with the path and the occurrence of `symbol`."""
    assert source.outline is not None
    twins = source.outline.by_path(symbol.path)
    return next((twin for twin in twins if twin.occurrence == symbol.occurrence), None)


def written(source: Source, symbol: Symbol) -> bytes:
    assert source.text is not None
    return source.text.slice(symbol.start, symbol.end)


def anchored(source: Source, symbol: Symbol) -> Anchor:
    """An anchor with one baseline, taken from `source`."""
    place = Locus(source.path, symbol.path)
    baseline = Baseline(
        id="1",
        fingerprint=fingerprint(source, symbol),
        place=place,
        content=content_of(source, symbol),
        blob=None,
        lines=(symbol.start_line, symbol.end_line),
        body_hash="",
        state="current",
        author="",
        time="",
        revision="",
    )
    return Anchor("a", place, baselines=(baseline,))


def difference(old: Source, symbol: Symbol, new: Source, found: Symbol | None) -> Difference:
    """Where the tokens of two symbols part."""
    place = f"{old.path}:{symbol.start_line} {symbol.path}"
    if found is None:
        return Difference("no symbol of that path and occurrence", place, "", "")
    one, other = tokens(old, symbol), tokens(new, found)
    at = next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    around = list(opened(one[:at]))
    kind = f"in {' > '.join(around[-2:])}: {sort(one[at : at + 1])} became {sort(other[at : at + 1])}"
    return Difference(kind, place, shown(one[max(0, at - 4) : at + 8]), shown(other[max(0, at - 4) : at + 8]))


def tokens(source: Source, symbol: Symbol) -> list[str]:
    assert source.text is not None and source.language is not None
    nodes = source.nodes(symbol)
    start, end = min(symbol.start, nodes[0].start_byte), max(symbol.end, nodes[-1].end_byte)
    text = source.text.slice(start, end).decode("latin-1")
    return canonical(nodes, text, start, style_for(source.language.style_table)).items


def opened(items: list[str]) -> Iterator[str]:
    """The types of the nodes that are open after some tokens, the outermost first."""
    stack: list[str] = []
    for item in items:
        if item.startswith(OPEN):
            stack.append(item[1:])
        elif item.startswith(CLOSE):
            stack.pop()
    yield from stack


def sort(items: list[str]) -> str:
    """A token without what is peculiar to one program."""
    if not items:
        return "nothing"
    item = items[0]
    if item.startswith(OPEN):
        return f"<{item[1:]}>"
    if item.startswith(CLOSE):
        return "an end"
    for mark, name in ((STRING, "a string"), (WRITTEN, "a literal as written"), (BETWEEN, "text between nodes")):
        if item.startswith(mark):
            return name
    if re.fullmatch(r"[^\W\d]\w*", item):
        return "a word"
    return "a number" if item[:1].isdigit() else f"`{item[:12]}`"


def shown(items: list[str]) -> str:
    """Tokens to be read by people, on one line."""
    words = []
    for item in items:
        if item.startswith(OPEN):
            words.append(f"<{item[1:]}")
        elif item.startswith(CLOSE):
            words.append(">")
        else:
            words.append(repr(item[:40]) if not item.isprintable() or len(item) > 40 else item)
    return " ".join(words)
