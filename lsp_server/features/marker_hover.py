"""What a person sees on a marker: the head of the code that it names, and whether that is what was accepted."""

from __future__ import annotations

from lsp_server.core.explain import explain
from lsp_server.core.model import Level
from lsp_server.features.hover import MARKS, Hover, cut, joined, said
from lsp_server.features.markdown import code, fenced, plain, safe_markdown
from lsp_server.features.markers import Aim, Page, aim
from lsp_server.features.words import age, who
from lsp_server.workspace.snapshot import Judged, Snapshot

HEAD_LINES = 12
"""Lines that are shown of a signature, or of lines that a marker names."""


def marker_hover(snapshot: Snapshot, page: Page, offset: int) -> Hover | None:
    """What to show at a byte offset of a page; None where no marker is."""
    marker = page.at(offset)
    if marker is None:
        return None
    item = page.passage(marker)
    seen = aim(page.read, page.path, marker)
    if seen.problem and (item is None or not item.anchor.baselines):
        lines = [f"{MARKS[True]} {safe_markdown(plain(seen.problem))}"]
        lines += [f"- nearest: {code(near)}" for near in seen.instead]
        return Hover("\n".join(joined(lines)), marker.span, ())
    lines = [
        f"{MARKS[item.verdict.stale if item else False]} {code(marker.target)}" + (f" · {said(item)}" if item else "")
    ]
    if item is not None:
        lines += standing(snapshot, item)
    if not seen.problem:
        lines.append(fenced(head(seen), seen.source.language.ids[0] if seen.source and seen.source.language else ""))
    return Hover("\n".join(joined(lines)), marker.span, (item.memory.id,) if item is not None else ())


def standing(snapshot: Snapshot, item: Judged) -> list[str]:
    """Since when the passage's code is what it is, and what changed."""
    lines = []
    verdict = item.verdict
    if item.memory.edited:
        lines.append("_The passage was edited since somebody last looked at the code._")
    if verdict.stale:
        difference = explain(item.anchor, verdict, snapshot.read)
        if difference is not None:
            lines.append(fenced(cut(difference.lines), "diff"))
    if verdict.level is Level.MOVED and verdict.now is not None:
        there = f"{verdict.now.file}#{verdict.now.symbol}" if verdict.now.symbol else verdict.now.file
        lines.append(f"It is now {code(there)}.")
    baseline = next((one for one in item.anchor.baselines if one.id == verdict.baseline), None)
    if baseline is not None:
        by = safe_markdown(plain(who(baseline.author), 60))
        lines.append(f"Accepted by {by}, {age(baseline.time, snapshot.stamp.time)}.")
    return lines


def head(seen: Aim) -> list[str]:
    """The signature of a symbol; the first lines of anything else."""
    assert seen.source is not None and seen.source.text is not None
    end = seen.span.end
    if seen.symbol is not None and seen.symbol.body is not None and seen.symbol.body[0] > seen.symbol.name_end:
        end = seen.symbol.body[0]
    text = seen.source.text.slice(seen.span.start, min(end, seen.span.start + 4000)).decode("utf-8", "replace")
    lines = text.rstrip().splitlines() or [""]
    return [*lines[:HEAD_LINES], "…"] if len(lines) > HEAD_LINES else lines
