"""From options, or from one line of a batch, to what is to be recorded. Looks at no code: `features.record` does."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from lsp_server.cli.standing import Standing
from lsp_server.core.locus import LocusError
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.workspace.paths import PathRefused

LOCAL = "local"

_IN_FILE = re.compile(r"((?:[^=:\s]*=)?file:)(.+?)(:[0-9]+(?:-[0-9]+)?)?", re.DOTALL)

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
    "state",
    "fields",
    "evidence",
    "revision",
    "again",
    "allow_secret",
    "checks",
    "by_checks",
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
    tags = texts(value, "tags")
    evidence = texts(value, "evidence")
    fields = value.get("fields", {})
    if not isinstance(fields, dict) or not all(isinstance(text, str) for text in fields.values()):
        raise Refused('fields is an object of texts, like {"severity": "high"}')
    importance = value.get("importance")
    if importance is not None and (not isinstance(importance, int) or isinstance(importance, bool)):
        raise Refused("importance is a number from 1 to 5")
    switches = {key: value.get(key, False) for key in ("local", "again", "allow_secret", "by_checks")}
    for key, on in switches.items():
        if not isinstance(on, bool):
            raise Refused(f"{key} is true or false")
    expires = optional_text(value, "expires")
    return Request(
        kind=needed_text(value, "kind"),
        text=needed_text(value, "text"),
        anchors=tuple(standing.wanted_of(anchor, file_hash) for anchor in anchors),
        home=LOCAL if switches["local"] else None,
        tags=tags,
        importance=importance,
        expires=expires,
        sensitivity=optional_text(value, "sensitivity"),
        author=optional_text(value, "author"),
        state=optional_text(value, "state"),
        fields=fields,
        evidence=read_evidence(evidence_texts(standing, evidence)),
        revision=optional_text(value, "revision") or "",
        again=switches["again"],
        allow_secret=switches["allow_secret"],
        checks=texts(value, "checks"),
        by_checks=switches["by_checks"],
    )


def texts(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = value.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise Refused(f"{key} is a list of texts")
    return tuple(found)


def evidence_texts(standing: Standing, pieces: Sequence[str]) -> tuple[str, ...]:
    """Evidence as it was typed, with paths relative to the root as every answer has them. Raises PathRefused for a
    file outside."""
    found = []
    for piece in pieces:
        typed = _IN_FILE.fullmatch(piece.strip())
        found.append(f"{typed[1]}{standing.key(typed[2])}{typed[3] or ''}" if typed is not None else piece)
    return tuple(found)


def field_values(pairs: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` pairs. Raises Refused for what is none."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name.strip():
            raise Refused(f"{pair[:40]!r} is no field; write --field NAME=VALUE, like --field severity=high")
        found[name.strip()] = text
    return found


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
