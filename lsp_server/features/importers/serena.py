"""Serena: `.serena/memories/**/*.md`, plain Markdown whose name is the id.

Knows nothing but where they lie: there is no shape to go by.
"""

from __future__ import annotations

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, each
from lsp_server.features.importers.reading import first_line, heading_of, mentions, not_utf8, page_of

FOLDER = ".serena/memories/"


def recognises(given: Given) -> bool:
    inside = f"/{given.path}".rpartition(f"/{FOLDER}")[1]
    return bool(inside) and given.name.endswith(".md") and bool(page_of(given).body.strip())


def read_memory(given: Given) -> Arrived:
    found = Arrived(problems=not_utf8(given))
    page = page_of(given)
    body = page.body.strip()
    if page.fault:
        found.problems.append(Problem(given.path, "", f"{page.fault}; carried without its front matter"))
    if not body:
        found.problems.append(Problem(given.path, "", "is empty; nothing to carry"))
        return found
    head, inside, below = f"/{given.path}".rpartition(f"/{FOLDER}")
    name = (below if inside else given.name).removesuffix(".md")
    found.entries.append(
        Entry(
            "serena",
            given.path,
            given.path,
            title=heading_of(body) or first_line(body) or name,
            text=body,
            tags=("serena", *(part.lower() for part in name.split("/"))),
            places=mentions(body),
            base=head.strip("/") if inside else given.folder,
        )
    )
    return found


IMPORTER = Importer("serena", "Serena's memories", recognises, each(read_memory))
