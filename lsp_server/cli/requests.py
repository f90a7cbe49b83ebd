"""From options, or from one line of a batch, to what is to be recorded. Looks at no code: `features.record` does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from lsp_server.cli.standing import Standing
from lsp_server.core.locus import LocusError
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.workspace.paths import PathRefused

LOCAL = "local"

BATCH_KEYS = (
    "anchors",
    "kind",
    "text",
    "local",
    "tags",
    "importance",
    "expires",
    "author",
    "sensitivity",
    "hash",
)
"""What one line of a batch may hold."""


A_LINE_IS = 'a line is {"anchors": ["FILE#SYMBOL"], "kind": ..., "text": ...}'


def hashed(places: Sequence[str], hashes: Sequence[str]) -> list[str | None]:
    """The hash for each place: one for all of them where they are in one file, else one each, in order."""
    if not hashes:
        return [None] * len(places)
    if len(hashes) == len(places):
        return list(hashes)
    if len(hashes) == 1:
        return [hashes[0]] * len(places)
    raise Refused(f"{len(hashes)} hashes for {len(places)} places; give --hash once, or once for each place")


def one_file(wanted: Sequence[Wanted], hashes: Sequence[str]) -> None:
    """Raises Refused where one hash is given for places in several files."""
    if len(hashes) == 1 and len({place.file for place in wanted}) > 1:
        raise Refused("one hash for places in several files; give --hash once for each place, in order")


def batch_request(standing: Standing, line: bytes) -> Request:
    """What one line of a batch asks to record. Raises one of `REFUSALS`, which says why in one line."""
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Refused(f"is not UTF-8 at byte {error.start}; convert the file first") from None
    except (ValueError, RecursionError) as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        raise Refused(f"is no JSON ({said}); {A_LINE_IS}") from None
    if not isinstance(value, dict):
        raise Refused(f"is no object; {A_LINE_IS}")
    for key in value:
        if key not in BATCH_KEYS:
            near = get_close_matches(key, BATCH_KEYS, 1)
            mend = f"did you mean {near[0]}?" if near else f"it takes {', '.join(BATCH_KEYS)}"
            raise Refused(f"unknown key {key[:40]!r}; {mend}")
    anchors = value.get("anchors", [])
    if not isinstance(anchors, list):
        raise Refused("anchors is a list of places")
    file_hash = optional_text(value, "hash")
    tags = value.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise Refused("tags is a list of texts")
    importance = value.get("importance")
    if importance is not None and (not isinstance(importance, int) or isinstance(importance, bool)):
        raise Refused("importance is a number from 1 to 5")
    local = value.get("local", False)
    if not isinstance(local, bool):
        raise Refused("local is true or false")
    expires = optional_text(value, "expires")
    return Request(
        kind=needed_text(value, "kind"),
        text=needed_text(value, "text"),
        anchors=tuple(standing.wanted_of(anchor, file_hash) for anchor in anchors),
        home=LOCAL if local else None,
        tags=tuple(tags),
        importance=importance,
        expires=expires,
        sensitivity=optional_text(value, "sensitivity"),
        author=optional_text(value, "author"),
    )


def needed_text(value: Mapping[str, Any], key: str) -> str:
    text = optional_text(value, key)
    if text is None:
        raise Refused(f"has no {key}; each line needs kind and text")
    return text


def optional_text(value: Mapping[str, Any], key: str) -> str | None:
    text = value.get(key)
    if text is not None and not isinstance(text, str):
        raise Refused(f"{key} is a text")
    return text


REFUSALS = (Refused, LocusError, PathRefused)
"""What is wrong with one request and stops no other."""
