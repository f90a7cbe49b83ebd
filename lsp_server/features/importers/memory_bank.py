"""Memory banks of Cline and Roo: a folder with projectbrief, activeContext, progress, decisionLog and others.

Knows what each file is for, and the entries of a decision log in the shapes that they have: sections that repeat, or
lines that begin with a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, each
from lsp_server.features.importers.reading import (
    first_line,
    heading_of,
    mentions,
    not_utf8,
    page_of,
    sections,
    slug,
    time_of,
)

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "projectbrief": "purpose",
        "productcontext": "purpose",
        "systempatterns": "pattern",
        "techcontext": "note",
        "activecontext": "checkpoint",
        "progress": "checkpoint",
        "decisionlog": "decision",
    }
)
"""What each file of a memory bank may become, by its name in lower case."""

LOG = "decisionlog"

_STAMPED = re.compile(r"[-*]?\s*\[(\d{4}-\d\d-\d\d[^\]]*)\]\s*[-:—]?\s*(.*)")
_EMPTY = re.compile(r"[\s*_-]*")


def recognises(given: Given) -> bool:
    folder, name = given.folder.rpartition("/")[2].lower(), given.stem.lower().replace("_", "").replace("-", "")
    if not given.name.endswith(".md") or name not in KINDS:
        return False
    # The names are common words; the folder's, or the headings of a log, tell that it is a memory bank.
    if folder.replace("_", "-").replace(" ", "-") in ("memory-bank", "memorybank", ".memory-bank"):
        return bool(page_of(given).body.strip())
    return name == LOG and any(section.title == "Decision" for section in sections(page_of(given).body))


def read_bank(given: Given) -> Arrived:
    found = Arrived(problems=not_utf8(given))
    body = page_of(given).body.strip()
    name = given.stem.lower().replace("_", "").replace("-", "")
    base = given.folder.rpartition("/")[0]
    if name == LOG:
        keys = Keys()
        for title, text, time in decisions(body):
            found.entries.append(
                Entry(
                    "memory-bank",
                    f"{given.path}#{keys.of(time or slug(title))}",
                    given.path,
                    title=title,
                    text=text,
                    kind="decision",
                    where=f"the decision of {time}" if time else f"“{title}”",
                    tags=("memory-bank",),
                    time=time,
                    places=mentions(text),
                    base=base,
                )
            )
        if not found.entries:
            found.problems.append(Problem(given.path, "", "holds no decision with a text; nothing to carry"))
        return found
    if not body:
        found.problems.append(Problem(given.path, "", "is empty; nothing to carry"))
        return found
    found.entries.append(
        Entry(
            "memory-bank",
            given.path,
            given.path,
            title=re.sub(r"[*_]Optional[*_]", "", heading_of(body)).strip() or given.stem,
            text=body,
            kind=KINDS.get(name, "note"),
            tags=("memory-bank", given.stem.lower()),
            places=mentions(body),
            base=base,
        )
    )
    return found


def decisions(body: str) -> Iterator[tuple[str, str, str]]:
    """The entries of a decision log: title, text and time. Those that say nothing are left out."""
    sheet = ""
    drafts: list[Draft] = []
    for section in sections(body):
        if section.level <= 1:
            sheet = sheet or time_of(section.text)
            continue
        if section.title.lower().startswith("decision") or not drafts:
            drafts.append(Draft())
        if not section.title.lower().startswith("decision"):
            drafts[-1].lines += ["", f"**{section.title}**", ""]
        for line in section.text.split("\n"):
            stamped = _STAMPED.fullmatch(line)
            if stamped is None:
                drafts[-1].lines.append(line)
                continue
            if any(not _EMPTY.fullmatch(one) for one in drafts[-1].lines):
                drafts.append(Draft())
            # A time right below the heading is that entry's own; further down it begins another one.
            drafts[-1].time = time_of(stamped[1])
            drafts[-1].lines.append(stamped[2])
    for draft in drafts:
        text = cleaned(draft.lines)
        if not re.search(r"\w", re.sub(r"^\*\*[^*\n]+\*\*$", "", text, flags=re.MULTILINE)):
            continue
        time = draft.time or time_of(first_line(text, 200)) or sheet
        title = re.sub(r"^\W*\d{4}-\d\d-\d\d[ T\d:.]*\W*", "", first_line(text, 200))
        yield first_line(title) or time, text, time


@dataclass(slots=True)
class Draft:
    """An entry of a decision log while it is read."""

    time: str = ""
    lines: list[str] = field(default_factory=list)


def cleaned(lines: list[str]) -> str:
    """Lines without the empty bullets of a template and more blank lines than one."""
    kept = [line for line in lines if not line.strip() or not _EMPTY.fullmatch(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


IMPORTER = Importer("memory-bank", "memory banks", recognises, each(read_bank))
