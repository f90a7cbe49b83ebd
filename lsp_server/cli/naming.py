"""Which anchor of a memory is meant by what was typed."""

from __future__ import annotations

import re

from lsp_server.cli.standing import Standing
from lsp_server.core.locus import stored_locus
from lsp_server.features import operations
from lsp_server.workspace.session import Session

_ID = re.compile(r"[0-9a-f]{4,8}")


async def named_anchor(session: Session, here: Standing, memory: str, named: str | None) -> str | None:
    """The anchor as `features.operations` takes it: an id as it is, or a place relative to the root.

    Lines stand for the anchor whose code is there now, the innermost of several.
    """
    if named is None or _ID.fullmatch(named):
        return named
    place = here.place(named)
    if place.lines is None:
        return stored_locus(place)
    first, last = place.lines
    answer = await operations.show(session, memory)
    there = [
        (now["end_line"] - now["start_line"], str(anchor["id"]))
        for anchor in answer["anchors"]
        if (now := anchor["now"])
        and now["file"] == place.file
        and now["start_line"] <= last
        and now["end_line"] >= first
    ]
    return min(there)[1] if there else stored_locus(place)
