"""Architecture decision records: Nygard's, MADR and log4brains, one Markdown file a decision.

Knows where each keeps status, date and people, and that templates and indexes are no decisions. Places that a record
mentions are only offered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import join, normpath
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem
from lsp_server.features.importers.reading import (
    Page,
    Section,
    first_line,
    heading_of,
    mentions,
    not_utf8,
    page_of,
    sections,
    tags_of,
    text_in,
    texts_of,
    time_of,
    uncommented,
)

NO_RECORDS = ("template", "adr-template", "index", "readme")
"""Names, without their ending, of what lies beside decisions and is none."""

LONGEST = 400
"""Characters of a status, a date or a title that are looked at."""

_CONTEXT = re.compile(r"context(?: and problem statement)?", re.IGNORECASE)
_DECISION = re.compile(r"decision(?: outcome)?|considered options", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"[\[{][^\]}]*\|[^\]}]*[\]}]|\[YYYY-MM-DD.*|\{YYYY-MM-DD.*|\[short title.*|\{short title.*", re.I
)
_FACT = re.compile(r"[-*+] +(?P<key>Status|Date|Deciders|Decision-makers|Tags): *(?P<value>.*)", re.IGNORECASE)
_DATE = re.compile(r"Date: *(?P<value>\S.*)", re.IGNORECASE)
_SUPERSEDED = re.compile(r"^super[sc]eded by\b[^\[\n]*\[[^\]]*\]\((?P<link>[^)\s#]+)", re.IGNORECASE)
_SUPERSEDES = re.compile(
    # Whole lines only: what supersedes a part of another one does not take over from it.
    r"^[ \t]*(?:[-*+] +)?super[sc]edes:? +\[[^\]]*\]\((?P<link>[^)\s#]+)\)",
    re.IGNORECASE | re.MULTILINE,
)
_PREFIX = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)-")
_NUMBERED = re.compile(r"(?:\d{3,5}|\d{8}|adr-?\d+)[-_ ]", re.IGNORECASE)


def recognises(given: Given) -> bool:
    if not given.name.lower().endswith(".md") or is_none(given):
        return False
    titles = [section.title for section in sections(page_of(given).body, 2)]
    context = any(_CONTEXT.fullmatch(title) for title in titles)
    decision = any(_DECISION.fullmatch(title) for title in titles)
    if context and decision:
        return True
    # log4brains asks for nothing: its name and one of its facts will do.
    named = _NUMBERED.match(given.name) is not None
    return named and (decision or bool(facts_of(page_of(given)).found))


def is_none(given: Given) -> bool:
    """Whether a file is a template, an index or a README."""
    if given.stem.lower() in NO_RECORDS:
        return True
    title = heading_of(page_of(given).body)
    return _PLACEHOLDER.fullmatch(title[:LONGEST]) is not None


@dataclass(slots=True)
class Facts:
    """What a record says of itself. `found`: whether a bullet or a line under the title said any of it."""

    status: str = ""
    date: str = ""
    deciders: str = ""
    tags: tuple[str, ...] = ()
    found: bool = False


def facts_of(page: Page) -> Facts:
    """Status, date, deciders and tags: from front matter, bullets and a line under the title, and `## Status`."""
    front, facts = page.front, Facts()
    facts.status = real(text_in(front, "status"))
    facts.date = time_of(real(text_in(front, "date", "created")))
    deciders = next((front[key] for key in ("decision-makers", "deciders", "author") if front.get(key)), "")
    facts.deciders = real(", ".join(texts_of(deciders)))
    facts.tags = tags_of(front.get("tags"))
    parts = sections(page.body, 2)
    for part in parts:
        if part.level <= 1:
            read_head(part, facts)
        elif part.title.lower() == "status" and not facts.status:
            facts.status = real(" ".join(line.strip() for line in part.text.split("\n\n")[0].split("\n")))
    return facts


def read_head(head: Section, facts: Facts) -> None:
    """The bullets and the line of a date that stand under the title, or before any heading."""
    for line in head.text.split("\n"):
        match = _FACT.fullmatch(line.strip())
        if match is None:
            dated = _DATE.fullmatch(line.strip())
            if dated is not None:
                facts.date, facts.found = facts.date or time_of(real(dated["value"])), True
            continue
        key, value = match["key"].lower(), real(uncommented(match["value"]))
        facts.found = facts.found or bool(value)
        if key == "status":
            facts.status = facts.status or value
        elif key == "date":
            facts.date = facts.date or time_of(value)
        elif key == "tags":
            facts.tags = facts.tags or tags_of(value, words=True)
        else:
            facts.deciders = facts.deciders or value


def real(value: str) -> str:
    """A value, or nothing where it is a placeholder of a template."""
    value = value[:LONGEST]
    return "" if _PLACEHOLDER.search(value) else value.strip()


def read_records(files: Sequence[Given]) -> Arrived:
    found = Arrived()
    after: dict[str, str] = {}
    for given in files:
        page, wrong = page_of(given), not_utf8(given)
        found.problems += wrong
        body = page.body.strip()
        if page.fault:
            found.problems.append(Problem(given.path, "", f"{page.fault}; carried without its front matter"))
        if not body:
            found.problems.append(Problem(given.path, "", "is empty; nothing to carry"))
            continue
        facts = facts_of(page)
        found.entries.append(entry_of(given, page.front, body, facts))
        for match in _SUPERSEDES.finditer(body):
            after.setdefault(target(given, match["link"]), given.path)
    found.entries = [replace(entry, after=entry.after or after.get(entry.id, "")) for entry in found.entries]
    return found


def entry_of(given: Given, front: Mapping[str, Any], body: str, facts: Facts) -> Entry:
    superseded = _SUPERSEDED.search(facts.status)
    prefix = _PREFIX.match(given.name)
    time = facts.date or (f"{prefix['year']}-{prefix['month']}-{prefix['day']}" if prefix else "")
    return Entry(
        "adr",
        given.path,
        given.path,
        title=heading_of(body) or text_in(front, "title") or first_line(given.stem.replace("-", " ")),
        text=body,
        kind="decision",
        tags=("adr", *facts.tags),
        time=time,
        author=facts.deciders,
        state=re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", facts.status),
        after=target(given, superseded["link"]) if superseded else "",
        places=mentions(body),
        base="",
    )


def target(given: Given, link: str) -> str:
    """The record that a link of another one leads to."""
    return normpath(join(given.folder, link))


IMPORTER = Importer("adr", "architecture decision records", recognises, read_records)
