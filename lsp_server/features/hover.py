"""What a person sees on a symbol's name: each memory there, why it is stale, and what changed since it was true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsp_server.core.explain import explain
from lsp_server.core.kinds import kind_of
from lsp_server.core.model import Level, Memory, Span, Symbol
from lsp_server.features.checks import check_lines
from lsp_server.features.expiry import expires_at, expiry_words, is_expired
from lsp_server.features.markdown import code, fenced, plain, safe_markdown
from lsp_server.features.words import age, headline, life, short, standing, title, who
from lsp_server.workspace.snapshot import FileView, Judged, Snapshot

DIFF_LINES = 24
ENCLOSING_SHOWN = 5
EVIDENCE_SHOWN = 4
MARKS = {True: "⚠", False: "⚓"}


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown, the bytes it is about, and the ids of the memories that were shown (they are counted as seen)."""

    markdown: str
    span: Span
    shown: tuple[str, ...]


def hover(snapshot: Snapshot, view: FileView, offset: int) -> Hover | None:
    """What to show at a byte offset of a file, or None where nothing is anchored.

    Answers on a symbol's name (the setting `hover_range` widens it to the signature or the whole symbol), and on the
    anchored lines of a region. Memories of the symbol come whole; those of enclosing symbols and of the file follow,
    a line each.
    """
    target = target_at(view, offset, snapshot.settings.hover_range)
    if target is None:
        return None
    span, here = target
    if not here:
        return None
    enclosing = [item for item in enclosing_items(view, offset) if item not in here]
    shown = here + enclosing
    parts = [section(snapshot, item, others(snapshot, item)) for item in unique(here)]
    if enclosing:
        parts.append("\n".join(short_line(item) for item in unique(enclosing)[:ENCLOSING_SHOWN]))
    return Hover("\n\n---\n\n".join(parts), span, tuple(dict.fromkeys(item.memory.id for item in shown)))


def target_at(view: FileView, offset: int, reach: str) -> tuple[Span, list[Judged]] | None:
    """The bytes a hover is about and what is anchored to exactly them: a symbol's name, or anchored lines, or None."""
    outline = view.source.outline
    symbol = None
    if outline is not None:
        symbol = outline.named_at(offset)
        inner = outline.at(offset)
        if symbol is None and inner is not None and covers(inner, offset, reach):
            symbol = inner
    if symbol is not None:
        here = [item for item in view.judged if stands_on(item, symbol)]
        if here:
            return Span(symbol.name_start, symbol.name_end), here
    at_mark = [item for item in view.judged if marks(item, offset)]
    if at_mark:
        span = at_mark[0].verdict.name_span or at_mark[0].verdict.span or Span(offset, offset)
        return span, at_mark
    if symbol is not None and view.judged and symbol.name_start <= offset < symbol.name_end:
        enclosing = enclosing_items(view, offset)
        return (Span(symbol.name_start, symbol.name_end), enclosing) if enclosing else None
    return None


def covers(symbol: Symbol, offset: int, reach: str) -> bool:
    if reach == "symbol":
        return True
    return reach == "signature" and symbol.start <= offset < (symbol.body[0] if symbol.body else symbol.end)


def stands_on(item: Judged, symbol: Symbol) -> bool:
    """Whether an anchor's code is exactly this symbol (of several with one path, this one)."""
    verdict, span = item.verdict, item.verdict.span
    # Numbers first: this is asked of everything in the file at every hover.
    if span is None or span.start != symbol.start or span.end != symbol.end:
        return False
    return verdict.now is not None and verdict.now.symbol is not None


def marks(item: Judged, offset: int) -> bool:
    """Whether an anchor that no symbol of the outline stands for is shown at this offset: a region, what is missing, or
    what is held while broken syntax hides its symbol."""
    verdict = item.verdict
    if verdict.now is None or (verdict.held and verdict.now.symbol is not None):
        return verdict.name_span is not None and offset in verdict.name_span
    return (
        verdict.now.symbol is None
        and item.anchor.place.lines is not None
        and bool(verdict.span and offset in verdict.span)
    )


def enclosing_items(view: FileView, offset: int) -> list[Judged]:
    """Anchors of symbols around this offset, innermost first, then those of the whole file."""
    around = [
        item
        for item in view.judged
        if (span := item.verdict.span) is not None and span.start <= offset < span.end and item.verdict.now is not None
    ]
    around.sort(key=lambda item: item.verdict.span.end - item.verdict.span.start if item.verdict.span else 0)
    return around


def unique(items: Sequence[Judged]) -> list[Judged]:
    """One item a memory, its stale or contradicted anchor before its others. What is wrong comes first."""
    first: dict[str, Judged] = {}
    for item in sorted(items, key=lambda item: (not item.wrong, not item.memory.pinned)):
        first.setdefault(item.memory.id, item)
    return list(first.values())


def section(snapshot: Snapshot, item: Judged, elsewhere: Sequence[Judged]) -> str:
    """One memory whole: standing first when it is stale, then the text, then who, when and since which revision."""
    memory, verdict = item.memory, item.verdict
    lines = [f"{MARKS[item.wrong]} **{title(memory.kind).capitalize()}** · {said(item)}"]
    if verdict.held:
        lines.append("_The syntax around it is broken: the last certain verdict is shown._")
    if phrases := life(memory):
        owed = safe_markdown(plain("; ".join(phrases), 200))
        lines.append(f"**{owed[:1].upper()}{owed[1:]}**{entered(snapshot, memory)}")
    kinds = snapshot.settings.kinds
    if is_expired(memory, snapshot.stamp.time, kinds):
        expired = expiry_words(memory.expires, expires_at(memory, kinds), expired=True)
        lines.append(f"_{safe_markdown(plain(expired[:1].upper() + expired[1:], 120))}._")
    if memory.problem:
        lines.append(f"_Its last good version is shown: {safe_markdown(plain(memory.problem))}_")
    if memory.edited and not verdict.stale:
        lines.append("_Its text was edited since somebody last looked at the code._")
    if verdict.level is Level.MOVED and verdict.now is not None:
        accepted = next((one.place for one in item.anchor.baselines if one.id == verdict.baseline), item.anchor.locus)
        lines.append(f"Followed from {code(str(accepted))}.")
    if verdict.stale or verdict.level is Level.REFORMATTED:
        difference = explain(item.anchor, verdict, snapshot.read)
        if difference is not None and verdict.stale:
            lines.append(fenced(cut(difference.lines), "diff"))
    if verdict.stale and item.since is not None:
        by = safe_markdown(plain(item.since.author, 60))
        when = age(item.since.time, snapshot.stamp.time)
        lines.append(f"Since {code(item.since.revision[:7])} by {by}, {when}.")
    lines += check_lines(item.checks)
    lines += [
        f"- could be {code(f'{candidate.place.file}#{candidate.place.symbol}')} ({candidate.similarity:.0%} alike)"
        for candidate in verdict.candidates[:3]
    ]
    stale_elsewhere = [other for other in elsewhere if other.verdict.stale]
    if stale_elsewhere and not verdict.stale:
        lines.append(f"_Stale at {code(str(stale_elsewhere[0].anchor.place))}: {said(stale_elsewhere[0])}_")
    lines += [safe_markdown(memory.body)]
    # Asterisks: Neovim's Markdown grammar takes an underscore after a digit (the id's) for text.
    lines += [*stands_in(snapshot, memory), *footing(memory), f"*{signature(snapshot, memory)}*"]
    return "\n".join(joined(lines))


def entered(snapshot: Snapshot, memory: Memory) -> str:
    """Who brought it to its state, when and at which revision; empty where it was born so."""
    one = memory.entered
    if one is None:
        return ""
    at = f" at {code(one.revision[:7])}" if one.revision else ""
    by = safe_markdown(plain(who(one.author), 60))
    return f": {safe_markdown(plain(one.state.replace('_', ' ')))}{at} by {by}, {age(one.time, snapshot.stamp.time)}"


def stands_in(snapshot: Snapshot, memory: Memory) -> list[str]:
    """The document and line of a passage; nothing for any other memory."""
    served = snapshot.passages.get(memory.id)
    if served is None or served.written is None:
        return []
    return [f"- In {code(f'{served.written.document}:{served.written.line}')}"]


def footing(memory: Memory) -> list[str]:
    """What it rests on: the fields of its kind and its evidence, a list item each."""
    row = kind_of(memory.kind)
    lines = [
        f"- {row.fields[name].title}: {safe_markdown(plain(value, 200))}"
        for name, value in memory.fields.items()
        if name in row.fields and not row.elsewhere
    ]
    pieces = memory.evidence[-EVIDENCE_SHOWN:]
    more = len(memory.evidence) - len(pieces)
    for piece in pieces:
        role = f" ({safe_markdown(plain(piece.role, 40))})" if piece.role else ""
        lines.append(f"- Evidence{role}: {safe_markdown(plain(f'{piece.type} {piece.value}', 120))}")
    if more > 0:
        lines.append(f"- and {more} more: moorline show {short(memory.id)}")
    return lines


def said(item: Judged, limit: int = 200) -> str:
    """An anchor's standing. It may quote the code, which could hold anything that Markdown knows."""
    return safe_markdown(plain(standing(item), limit))


def joined(lines: Sequence[str]) -> list[str]:
    """Paragraphs apart by one empty line, list items together."""
    spaced: list[str] = []
    for line in lines:
        if line and spaced and not (line.startswith("- ") and spaced[-1].startswith("- ")):
            spaced.append("")
        if line:
            spaced.append(line)
    return spaced


def signature(snapshot: Snapshot, memory: Memory) -> str:
    said = [safe_markdown(plain(who(memory.author), 60)), age(memory.created, snapshot.stamp.time)]
    if not memory.created:
        said = ["not accepted by anybody yet"]
    if memory.revision:
        said.append(f"at {memory.revision[:7]}")
    said.append(memory.state.replace("_", " "))
    if memory.home != "shared":
        said.append(memory.home)
    said += [safe_markdown(f"#{plain(tag, 40)}") for tag in memory.tags[:8]]
    return " · ".join([*said, short(memory.id)])


def short_line(item: Judged) -> str:
    where = item.verdict.now.symbol if item.verdict.now and item.verdict.now.symbol else "this file"
    return (
        f"- {MARKS[item.wrong]} {title(item.memory.kind)} on {code(where)}"
        f" ({said(item, 80)}): {safe_markdown(headline(item.memory))}"
    )


def others(snapshot: Snapshot, item: Judged) -> list[Judged]:
    return [other for other in snapshot.judged(item.memory) if other.anchor.id != item.anchor.id]


def cut(lines: Sequence[str]) -> list[str]:
    if len(lines) <= DIFF_LINES:
        return list(lines)
    return [*lines[: DIFF_LINES - 1], f"… {len(lines) - DIFF_LINES + 1} more lines: moorline diff shows all"]
