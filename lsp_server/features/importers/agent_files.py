"""AGENTS.md, CLAUDE.md and their like: free Markdown with rules, each item of a list by itself.

Knows lists below headings. A section without a list arrives as one. What such a file tells an agent to do is text here
and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, each
from lsp_server.features.importers.reading import (
    fences,
    first_line,
    mentions,
    not_utf8,
    page_of,
    sections,
    slug,
    uncommented,
)

NAMES = (
    "AGENTS.md",
    "AGENT.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "CONVENTIONS.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
)
"""Files of that name are free Markdown: there is no shape to go by, but the text must be one."""

_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)]) +(?P<text>\S.*)")


def recognises(given: Given) -> bool:
    if given.name not in NAMES or b"\0" in given.data:
        return False
    return re.search(r"\w", page_of(given).body) is not None


def read_rules(given: Given) -> Arrived:
    found = Arrived(problems=not_utf8(given))
    page = page_of(given)
    if page.fault:
        found.problems.append(Problem(given.path, "", f"{page.fault}; carried without its front matter"))
    keys = Keys()
    for heading, text in rules(uncommented(page.body)):
        title = first_line(text)
        if not title:
            continue
        found.entries.append(
            Entry(
                "agents-md",
                f"{given.path}#{keys.of('/'.join(filter(None, (slug(heading), slug(title)))))}",
                given.path,
                title=title,
                text=text if heading in ("", title) else f"{text}\n\n(Under “{heading}”.)",
                where=f"“{title}”",
                tags=tuple(filter(None, ("agents-md", slug(heading)))),
                places=mentions(text),
                base=given.folder,
            )
        )
    if not found.entries:
        found.problems.append(Problem(given.path, "", "holds no text; nothing to carry"))
    return found


def rules(body: str) -> Iterator[tuple[str, str]]:
    """Each item of a list with its section's heading, what is indented below it included; of a section without a list
    all of it."""
    for section in sections(body):
        items: list[list[str]] = []
        inside = False
        for line, fenced in fences(section.text):
            match = None if fenced else _ITEM.fullmatch(line)
            if match is not None:
                items.append([match["text"]])
                inside = True
            elif inside and (not line.strip() or line[:1] in " \t"):
                items[-1].append(line.removeprefix("  "))
            elif inside and not fenced and items[-1][-1].strip():
                items[-1].append(line)  # A paragraph goes on without its indent.
            else:
                inside = False
        if items:
            yield from ((section.title, "\n".join(item).strip()) for item in items)
        elif section.text.strip():
            yield section.title, section.text.strip()


IMPORTER = Importer("agents-md", "lists of rules for agents", recognises, each(read_rules))
