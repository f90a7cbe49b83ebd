"""How much of a memory's text is shown: a line, the points that it makes, or all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lsp_server.core.model import Memory

LEVELS = ("fit", "line", "bullets", "full")
"""The levels of a text; "fit" is as much as fits its rank."""

FULL_BYTES = 1200
"""Bytes of UTF-8 up to which a text is shown whole among the first ones."""

FIRST = 3
"""How many of the first ones are shown whole, where they fit."""

POINTS = 6
"""Most points of a text."""

LINE = 160
"""Characters of a line."""

_ITEM = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+(\S.*)$")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*(?=\S)")


def at_level(memory: Memory, level: str, rank: int = 0) -> dict[str, str]:
    """A memory's text at a level ("line", "bullets", "full"), or with "fit" at the one for its rank (from 0)."""
    if level == "fit":
        short = len(memory.body.encode("utf-8", "surrogatepass")) <= FULL_BYTES
        level = "full" if short and rank < FIRST else "bullets" if rank < 2 * FIRST else "line"
    text = {"line": abstract, "bullets": bullets}.get(level, lambda one: one.body)(memory)
    return {"level": level, "text": text}


def abstract(memory: Memory) -> str:
    """The first sentence of a text, on one line."""
    for line in memory.body.splitlines():
        words = " ".join(line.strip().lstrip("#>").split())
        if words:
            return cut(_SENTENCE.split(words, maxsplit=1)[0])
    return ""


def bullets(memory: Memory) -> str:
    """The points that a text makes: its headline, its list items, else the first sentence of each paragraph."""
    lines = memory.body.splitlines()
    items = [found[1] for line in lines if (found := _ITEM.match(line))]
    first = abstract(memory)
    points = items or [_SENTENCE.split(part, maxsplit=1)[0] for part in paragraphs(lines)]
    kept = [cut(point) for point in points if cut(point) != first][:POINTS]
    return "\n".join([first, *(f"- {point}" for point in kept)])


def paragraphs(lines: Iterable[str]) -> list[str]:
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            found[-1].append(line.strip())
        elif found[-1]:
            found.append([])
    return [" ".join(part) for part in found if part]


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LINE else line[: LINE - 1].rstrip() + "…"
