"""CodeTour: one JSON file a tour, each step a note on a line, a selection, a pattern, a file, or on none.

Knows the schema of microsoft/codetour and what the IntelliJ plugin and gcodetour write beside it. Runs no command of a
step and evaluates no condition: both stay text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, Spot, each
from lsp_server.features.importers.reading import first_line, heading_of, json_in, line_in, not_utf8, slug, text_in

HOMES = (".tours", ".vscode/tours", ".github/tours", ".vscode")
"""Folders in which tours lie below the root that their paths are relative to."""

Json = Mapping[str, Any]


def recognises(given: Given) -> bool:
    value = json_in(given)
    if not isinstance(value, dict) or not isinstance(value.get("title"), str):
        return False
    steps = value.get("steps")
    # An object with a title and steps may be many things; a step always has a description.
    return isinstance(steps, list) and (
        any(isinstance(step, dict) and "description" in step for step in steps)
        if steps
        else given.name.endswith((".tour", ".tour.json")) or "codetour" in str(value.get("$schema"))
    )


def read_tour(given: Given) -> Arrived:
    tour = json_in(given)
    if not isinstance(tour, dict) or not isinstance(tour.get("steps"), list):
        return Arrived(problems=[Problem(given.path, "", "is no tour: it needs a title and a list of steps", True)])
    found = Arrived(problems=not_utf8(given))
    title = text_in(tour, "title") or given.stem
    tags = ("codetour", slug(title) or "tour", *(("primary",) if tour.get("isPrimary") is True else ()))
    base = base_of(given.folder)
    # A tour is known by its file, its steps by what they say: numbers change when a step is put before.
    if text_in(tour, "description"):
        entry_id = f"{given.path}#"
        text = text_in(tour, "description")
        found.entries.append(
            Entry("codetour", entry_id, given.path, title=title, text=text, kind="purpose", tags=tags, base=base)
        )
    keys = Keys()
    for number, step in enumerate(tour["steps"], 1):
        where = f"step {number}"
        if not isinstance(step, dict):
            found.problems.append(Problem(given.path, where, "is no object: write it as CodeTour does", True))
            continue
        description = text_in(step, "description")
        name = text_in(step, "title", "markerTitle") or heading_of(description) or first_line(description)
        key = keys.of(slug(name) or slug(text_in(step, "file", "directory", "uri", "view")) or where.replace(" ", "-"))
        spot, said, wrong = place_of(step, tour)
        if wrong:
            found.problems.append(Problem(given.path, where, wrong))
        if not description and spot is None:
            found.problems.append(Problem(given.path, where, "has neither a text nor a place; nothing to carry"))
            continue
        text = "\n\n".join(part for part in (description, said, commands_of(step)) if part)
        found.entries.append(
            Entry(
                "codetour",
                f"{given.path}#{key}",
                given.path,
                title=name or f"{title}, {where}",
                text=text,
                where=where,
                tags=(*tags, f"step-{number:03}"),
                places=(spot,) if spot else (),
                base=base,
            )
        )
    return found


def base_of(folder: str) -> str:
    """The folder that a tour's paths are relative to: the one that holds `.tours`."""
    for home in HOMES:
        if folder == home or folder.endswith(f"/{home}"):
            return folder[: -len(home)].rstrip("/")
    return folder


def place_of(step: Json, tour: Json) -> tuple[Spot | None, str, str]:
    """The place of a step, what is to be said of one that is none, and what is wrong with it."""
    file = text_in(step, "file")
    uri = text_in(step, "uri")
    if not file and uri.startswith("file:///"):
        file = uri.removeprefix("file://")
    if not file:
        for key, words in (
            ("directory", "the folder"),
            ("uri", "the address"),
            ("view", "the view"),
        ):
            if text_in(step, key):
                return None, f"(The step is about {words} `{text_in(step, key)}`, which is no place in the code.)", ""
        return None, "", ""
    file = file.replace("\\", "/")
    ref = text_in(tour, "ref")
    revision = "" if ref in ("", "HEAD") else ref
    line, selection = line_in(step.get("line")), lines_of(step.get("selection"))
    if line is not None and line < 1:
        return Spot(file, offered=True), "", f"names line {line} of {file}; lines count from 1: correct the tour"
    if selection is not None:
        return Spot(file, lines=selection, revision=revision), "", ""
    if line is not None:
        return Spot(file, line=line, revision=revision), "", ""
    return Spot(file, pattern=text_in(step, "pattern")), "", ""


def lines_of(selection: Any) -> tuple[int, int] | None:
    """The lines of a selection; None where it is none that makes sense."""
    if not isinstance(selection, dict):
        return None
    ends = [line_in(selection[key].get("line")) for key in ("start", "end") if isinstance(selection.get(key), dict)]
    first, last = (ends[0], ends[-1]) if len(ends) == 2 else (None, None)
    return (first, last) if first is not None and last is not None and 1 <= first <= last else None


def commands_of(step: Json) -> str:
    commands = step.get("commands")
    said = [f"`{one}`" for one in commands if isinstance(one, str)] if isinstance(commands, list) else []
    return f"(The step ran there: {', '.join(said)}.)" if said else ""


IMPORTER = Importer("codetour", "CodeTour tours", recognises, each(read_tour))
