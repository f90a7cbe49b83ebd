"""basic-memory: Markdown notes with a permalink, observations in lists (`- [category] text #tag`) and relations.

Knows that a task (`- [x]`) and a link are no observation. Each observation arrives by itself, since each states one
thing, and the rest of a note as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, each
from lsp_server.features.importers.reading import (
    fences,
    first_line,
    heading_of,
    mentions,
    not_utf8,
    page_of,
    slug,
    tags_of,
    text_in,
    time_of,
)

KINDS = {
    "decision": "decision",
    "design-decision": "decision",
    "pattern": "pattern",
    "architecture": "pattern",
    "gotcha": "lesson",
    "limitation": "lesson",
    "bug": "lesson",
    "lesson": "lesson",
    "preference": "preference",
    "fact": "claim",
    "person": "entity",
    "entity": "entity",
}

_OBSERVATION = re.compile(r"\s*[-*+] \[(?P<category>[^\]\[()]{2,40})\](?!\()\s+(?P<text>\S.*)")
_RELATION = re.compile(r"\s*[-*+] (?:[\w -]{1,60}:? )?\[\[[^\]]*\]\].*|\s*[-*+] [\w-]{1,60}: \[[^\]]*\]\s*")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")


def recognises(given: Given) -> bool:
    if not given.name.endswith(".md") or not given.data.startswith(b"---") or b"permalink:" not in given.data[:8192]:
        return False
    front = page_of(given).front
    return isinstance(front.get("permalink"), str) and "title" in front


def read_note(given: Given) -> Arrived:
    page = page_of(given)
    found = Arrived(problems=not_utf8(given))
    if page.fault:
        found.problems.append(Problem(given.path, "", f"{page.fault}; carried without its front matter"))
    front = page.front
    name = text_in(front, "permalink") or given.path
    title = text_in(front, "title") or heading_of(page.body) or given.stem
    tags = tags_of(front.get("tags"))
    time = time_of(front.get("created_at") or front.get("date") or front.get("created"))
    keys, rest = Keys(), []
    for number, (line, fenced) in enumerate(fences(page.body), 1):
        match = None if fenced else _OBSERVATION.fullmatch(line)
        if match is None or not re.search(r"[^\W\d_]", match["category"]) or match["category"].lower() == "x":
            rest.append(line)
            continue
        category, text = slug(match["category"]), match["text"].strip()
        found.entries.append(
            Entry(
                "basic-memory",
                keys.of(f"{name}#{category}-{slug(text)}"),
                given.path,
                title=first_line(text),
                text=text,
                kind=KINDS.get(category, "note"),
                where=f"observation {number - len(rest)}",
                tags=tuple(dict.fromkeys((category, *tags_of(_TAG.findall(text)), *tags))),
                time=time,
                places=mentions(text),
                base="",
            )
        )
    if says_more(rest):
        found.entries.insert(
            0,
            Entry(
                "basic-memory",
                name,
                given.path,
                title=title,
                text="\n".join(rest).strip(),
                kind=KINDS.get(text_in(front, "type"), "note"),
                tags=tags,
                time=time,
                author=text_in(front, "author"),
                state=text_in(front, "status"),
                places=mentions("\n".join(rest)),
                base="",
            ),
        )
    return found


def says_more(lines: Sequence[str]) -> bool:
    """Whether something is left of a note besides headings, relations and lines."""
    return any(re.search(r"\w", line) and not line.startswith("#") and not _RELATION.fullmatch(line) for line in lines)


IMPORTER = Importer("basic-memory", "basic-memory's notes", recognises, each(read_note))
