"""fiberplane/drift: `drift.lock`, as TOML and as lines, and the markers it had in documents before.

Knows what a document is bound to. A `sig` is a hash over drift's own form of a syntax tree and cannot be told again
here, so nothing vouches for the code as it is now: every place arrives to be looked at.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from posixpath import join, normpath

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Problem, Spot, each
from lsp_server.features.importers.reading import fences, heading_of, page_of, text_in, text_of, texts_of

_LINE = re.compile(
    r"(?P<doc>\S(?:.*?\S)?) -> (?P<target>\S+)(?: +sig:(?P<sig>[0-9a-f]{16}))?(?P<rest>(?: +(?:origin|doc):\S+)*)\s*"
)
_TABLE = re.compile(r"^\[\[bindings\]\]\s*$", re.MULTILINE)
_VERSION = re.compile(r"^version\s*=\s*\d+\s*$", re.MULTILINE)
_INLINE = re.compile(r"(?<![\w`])@\./(?P<path>[^\s#@`,;()\[\]]*[^\s#@`,;()\[\].])(?:#(?P<symbol>[\w.$\"]*[\w$\"]))?")


def recognises(given: Given) -> bool:
    return is_lock(given) or (given.name.endswith((".md", ".mdx")) and bool(bound_in(given)))


def is_lock(given: Given) -> bool:
    """Whether a file is a lock of this drift: other tools have files of that name."""
    if b"[[bindings]]" in given.data:
        text = text_of(given)
        return bool(_TABLE.search(text) and _VERSION.search(text))
    if b" -> " not in given.data[:4096] or b"sig:" not in given.data:
        return False
    lines = [line for line in text_of(given).split("\n") if line.strip() and not line.startswith("#")]
    fitting = sum(_LINE.fullmatch(line) is not None for line in lines)
    return bool(lines) and _LINE.fullmatch(lines[0]) is not None and fitting * 2 > len(lines)


def read_drift(given: Given) -> Arrived:
    if given.name.endswith((".md", ".mdx")) and not is_lock(given):
        return read_document(given)
    bindings = toml_bindings(given) if b"[[bindings]]" in given.data else line_bindings(given)
    found = Arrived()
    bound: dict[str, dict[str, Spot]] = {}
    for where, binding in bindings:
        if isinstance(binding, str):
            found.problems.append(Problem(given.path, where, binding, True))
            continue
        document, target, origin = binding
        if origin:
            message = f"{document} is bound to {target} of {origin}, another repository; left out"
            found.problems.append(Problem(given.path, where, message))
            continue
        spot = target_of(target)
        bound.setdefault(document, {}).setdefault(str(spot), spot)
    for document, spots in bound.items():
        found.entries.append(entry_of(given, join(given.folder, document), document, "", tuple(spots.values())))
    return found


Binding = tuple[str, str, str]
"""A document, what it is bound to, and the repository that is in (empty: this one)."""


def toml_bindings(given: Given) -> Iterator[tuple[str, Binding | str]]:
    try:
        tables = tomllib.loads(text_of(given)).get("bindings")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        yield "", f"is no TOML ({str(error)[:80]}); let drift write it again"
        return
    for number, table in enumerate(tables if isinstance(tables, list) else [], 1):
        document, target = (text_in(table, "doc"), text_in(table, "target")) if isinstance(table, dict) else ("", "")
        if not document or not target:
            yield f"binding {number}", "has no doc or no target; give it both"
        else:
            yield f"binding {number}", (document, target, text_in(table, "origin"))


def line_bindings(given: Given) -> Iterator[tuple[str, Binding | str]]:
    for number, line in enumerate(text_of(given).split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            yield f"line {number}", "is no binding; write it as DOC -> FILE#SYMBOL sig:..."
            continue
        origin = re.search(r" origin:(\S+)", match["rest"] or "")
        yield f"line {number}", (match["doc"], match["target"], origin[1] if origin else "")


def read_document(given: Given) -> Arrived:
    spots = bound_in(given)
    if not spots:
        message = "holds no marker of drift (drift: files: in its front matter, or @./FILE); choose another --from"
        return Arrived(problems=[Problem(given.path, "", message, True)])
    page = page_of(given)
    problems = [Problem(given.path, "", page.fault)] if page.fault else []
    entry = entry_of(given, given.path, given.path, heading_of(page.body), spots)
    return Arrived([entry], problems)


def bound_in(given: Given) -> tuple[Spot, ...]:
    """What a document is bound to: by `drift: files:` in its front matter, and by `@./FILE` outside of code."""
    if b"drift:" not in given.data[:4096] and b"@./" not in given.data:
        return ()
    page = page_of(given)
    spots: dict[str, Spot] = {}
    block = page.front.get("drift")
    for target in texts_of(block.get("files")) if isinstance(block, dict) else []:
        spot = target_of(target.rpartition("@")[0] if "@" in target[1:] else target)
        spots.setdefault(str(spot), spot)
    for line, fenced in fences(page.body):
        for match in _INLINE.finditer(re.sub(r"`[^`]*`", "", line)) if not fenced else ():
            spot = Spot(match["path"], (match["symbol"] or "").strip('"'), unsure=True)
            spots.setdefault(str(spot), spot)
    return tuple(spots.values())


def target_of(target: str) -> Spot:
    file, _, symbol = target.partition("#")
    return Spot(file.replace("\\", "/").removeprefix("./"), symbol, unsure=True)


def entry_of(given: Given, identifier: str, document: str, title: str, spots: tuple[Spot, ...]) -> Entry:
    return Entry(
        "drift",
        normpath(identifier),
        given.path,
        title=title,
        text=f"`{document}` documents this code: look whether it still says what the code does.",
        kind="artifact",
        where=document,
        tags=("drift",),
        places=spots,
        base=given.folder if document != given.path else "",
        part=document == given.path,
        document=normpath(identifier),
    )


IMPORTER = Importer("drift", "drift's lock file and markers", recognises, each(read_drift))
