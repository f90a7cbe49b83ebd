"""Plain JSON lines: the shape that `moorline record --batch` takes.

Knows that shape. What would be recorded arrives as carried, since somebody else wrote it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from lsp_server.core.kinds import KINDS
from lsp_server.core.locus import LocusError, parse_stored_locus
from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, Spot, each
from lsp_server.features.importers.reading import (
    NotJson,
    day_of,
    first_line,
    first_lines,
    json_lines,
    line_in,
    not_utf8,
    tags_of,
    text_in,
    text_of,
)


def recognises(given: Given) -> bool:
    lines = first_lines(given)
    fitting = sum(isinstance(one.get("kind"), str) and "text" in one for one in lines)
    return fitting * 2 > len(lines)


def read_lines(given: Given) -> Arrived:
    found = Arrived(problems=not_utf8(given))
    keys = Keys()
    for number, value in json_lines(text_of(given)):
        where = f"line {number}"
        wrong = fault(value)
        if wrong:
            found.problems.append(Problem(given.path, where, wrong, True))
            continue
        places = []
        for anchor in value.get("anchors") or []:
            spot = spot_of(anchor, text_in(value, "hash"))
            if spot is None:
                message = 'has an anchor that is no place; write "FILE#SYMBOL" or {"file", "symbol", "line"}'
                found.problems.append(Problem(given.path, where, message))
            else:
                places.append(spot)
        text, kind = text_in(value, "text"), value["kind"]
        digest = hashlib.sha256("\n".join((kind, text, *map(str, places))).encode("utf-8", "replace")).hexdigest()
        found.entries.append(
            Entry(
                "jsonl",
                keys.of(digest[:20]),
                given.path,
                title=first_line(text),
                text=text,
                kind=kind if kind in KINDS else "note",
                where=where,
                tags=tags_of(value.get("tags")),
                author=text_in(value, "author"),
                expires=day_of(text_in(value, "expires")),
                places=tuple(places),
                base="",
            )
        )
    return found


def fault(value: Any) -> str:
    """What is wrong with a line, in one line; empty where nothing is."""
    if isinstance(value, NotJson):
        return f"is no JSON ({value}); correct it or leave it out"
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not text_in(value, "text"):
        return 'is no line of a batch; write {"anchors": ["FILE#SYMBOL"], "kind": ..., "text": ...}'
    return "" if isinstance(value.get("anchors", []), list | None) else "has anchors that are no list of places"


def spot_of(anchor: Any, file_hash: str) -> Spot | None:
    if isinstance(anchor, str):
        try:
            locus = parse_stored_locus(anchor)
        except LocusError:
            return None
        first, last = locus.lines or (None, None)
        line = first if first == last else None
        return Spot(locus.file, locus.symbol or "", line, None if line else locus.lines, hash=file_hash)
    if not isinstance(anchor, Mapping) or not text_in(anchor, "file"):
        return None
    listed = anchor.get("lines")
    ends = [line_in(one) for one in listed] if isinstance(listed, list) and len(listed) == 2 else []
    lines = (ends[0], ends[1]) if len(ends) == 2 and ends[0] and ends[1] and 1 <= ends[0] <= ends[1] else None
    symbol, digest = text_in(anchor, "symbol"), text_in(anchor, "hash") or file_hash
    return Spot(text_in(anchor, "file"), symbol, line_in(anchor.get("line")), lines, hash=digest)


IMPORTER = Importer("jsonl", "JSON lines as record --batch takes them", recognises, each(read_lines))
