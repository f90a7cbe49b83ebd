"""yigraf: memories, intents and plans, Markdown files whose front matter names symbols by `sym:FILE#SYMBOL`.

Knows the three families. Its hashes are its own, so an anchor's code is taken as it is only for what is active.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, Spot, within
from lsp_server.features.importers.reading import first_line, not_utf8, page_of, sections, tags_of, text_in, texts_of

KINDS = {
    "decision": "decision",
    "constraint": "decision",
    "requirement": "purpose",
    "gotcha": "lesson",
    "insight": "lesson",
}

_TASK = re.compile(r"- \[(?P<done>[ xX])\] (?:\{#(?P<number>[\w-]+)\} )?(?P<text>.+)")


def recognises(given: Given) -> bool:
    if not given.name.endswith(".md") or not given.data.startswith(b"---"):
        return False
    front = page_of(given).front
    return front.get("family") in ("memory", "intent", "plan") and isinstance(front.get("id"), str)


def read_yigraf(files: Sequence[Given]) -> Arrived:
    found = Arrived()
    after: dict[str, str] = {}
    for given in files:
        page = page_of(given)
        if page.fault or not text_in(page.front, "id"):
            message = page.fault or "has no id in its front matter; choose another --from"
            found.problems.append(Problem(given.path, "", message, True))
            continue
        found.problems += not_utf8(given)
        found.entries += tasks(given) if page.front.get("family") == "plan" else [statement(given)]
        base = base_of(given.folder)
        for older in texts_of(page.front.get("supersedes")):
            after[within(base, older)] = within(base, text_in(page.front, "id"))
    found.entries = [replace(entry, after=after.get(entry.id, "")) for entry in found.entries]
    return found


def statement(given: Given) -> Entry:
    page = page_of(given)
    front, status = page.front, text_in(page.front, "status") or "active"
    titles = [section for section in sections(page.body) if section.title]
    title = titles[0].title if titles else ""
    # An intent's first heading names the part, not the intent.
    title = first_line(titles[0].text) if titles and title in ("Requirement", "Goal") else title
    unsure = status not in ("active", "proposed", "satisfied")
    return Entry(
        "yigraf",
        within(base_of(given.folder), text_in(front, "id")),
        given.path,
        title=title or given.stem,
        text=page.body.strip(),
        kind=KINDS.get(text_in(front, "type"), "note"),
        where=text_in(front, "id"),
        tags=("yigraf", *tags_of(front.get("serves"))),
        author=text_in(front["provenance"], "source") if isinstance(front.get("provenance"), dict) else "",
        state=status,
        places=tuple(spots_of(front.get("concerns"), unsure)),
        base=base_of(given.folder),
    )


def tasks(given: Given) -> list[Entry]:
    """The tasks of a plan, each with the symbols that implement it."""
    page = page_of(given)
    plan, edges = text_in(page.front, "id"), page.front.get("edges")
    name, found = plan.removeprefix("plan:"), []
    for number, match in enumerate(filter(None, map(_TASK.fullmatch, page.body.split("\n"))), 1):
        task = f"task:{name}/{match['number'] or number}"
        edge = edges.get(task) if isinstance(edges, dict) else None
        found.append(
            Entry(
                "yigraf",
                within(base_of(given.folder), task),
                given.path,
                title=first_line(match["text"]),
                text=match["text"].strip(),
                kind="case",
                where=task,
                tags=("yigraf", "plan"),
                state="open" if match["done"] == " " else "done",
                places=tuple(spots_of(edge.get("implements"), False)) if isinstance(edge, dict) else (),
                base=base_of(given.folder),
            )
        )
    return found


def spots_of(listed: Any, unsure: bool) -> Iterator[Spot]:
    for item in listed if isinstance(listed, list) else []:
        symbol = text_in(item, "sym") if isinstance(item, Mapping) else ""
        file, _, path = symbol.removeprefix("sym:").partition("#")
        if file:
            yield Spot(file, path, unsure=unsure)


def base_of(folder: str) -> str:
    """The folder that holds yigraf's own."""
    head, found, _ = f"/{folder}/".rpartition("/yigraf/")
    return head.strip("/") if found else folder


IMPORTER = Importer("yigraf", "yigraf's memories, intents and plans", recognises, read_yigraf)
