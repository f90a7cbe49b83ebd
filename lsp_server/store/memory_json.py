"""Folded memories as JSON, for the index. Derived and disposable: any change of the shape is a new `index.SCHEMA`.

Knows every field of a memory; refuses to know where the JSON is kept.
"""

from __future__ import annotations

import json
from typing import Any

from lsp_server.core.fingerprint_json import from_json, to_json
from lsp_server.core.kinds import kind_of
from lsp_server.core.locus import LocusError, parse_stored_locus, stored_locus
from lsp_server.core.model import (
    Anchor,
    AnchorText,
    Baseline,
    Dismissal,
    Entered,
    Evidence,
    FollowedPlace,
    Locus,
    Memory,
    MemoryText,
    Receipt,
    Sensitivity,
)


def dump_memory(memory: Memory) -> str:
    """A memory as one line of JSON, ASCII alone; equal memories give equal lines."""
    data: dict[str, Any] = {name: getattr(memory, name) for name in _PLAIN}
    data.update({name: list(getattr(memory, name)) for name in _LISTS})
    data["anchors"] = [_dump_anchor(anchor) for anchor in memory.anchors]
    data["unknown"] = dict(memory.unknown)
    data["fields"] = dict(memory.fields)
    data["evidence"] = [[getattr(piece, name) for name in _EVIDENCE] for piece in memory.evidence]
    data["entered"] = _dump_entered(memory.entered) if memory.entered is not None else None
    data["receipts"] = [[getattr(one, name) for name in _RECEIPT] for one in memory.receipts]
    data["rivals"] = [_dump_entered(end) for end in memory.rivals]
    data["dismissed"] = [[getattr(one, name) for name in _DISMISSAL] for one in memory.dismissed]
    return json.dumps(data, separators=(",", ":"), sort_keys=True)


def load_memory(text: str) -> Memory:
    """Reads what `dump_memory` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    data = json.loads(text)
    fields: dict[str, Any] = {name: data[name] for name in _PLAIN}
    fields.update({name: tuple(data[name]) for name in _LISTS})
    fields["anchors"] = tuple(_load_anchor(anchor) for anchor in data["anchors"])
    fields["evidence"] = tuple(Evidence(*piece) for piece in data["evidence"])
    fields["entered"] = Entered(*data["entered"]) if data["entered"] is not None else None
    fields["receipts"] = tuple(Receipt(*one) for one in data["receipts"])
    fields["rivals"] = tuple(Entered(*end) for end in data["rivals"])
    fields["dismissed"] = tuple(
        Dismissal(other, reason, tuple((one, digest) for one, digest in bodies), *rest)
        for other, reason, bodies, *rest in data["dismissed"]
    )
    return Memory(**fields, unknown=data["unknown"], fields=data["fields"])


def text_of(memory: Memory) -> MemoryText:
    """The text that a memory was folded from."""
    return MemoryText(
        memory.id,
        memory.kind,
        "" if kind_of(memory.kind).elsewhere else memory.body,
        tuple(
            AnchorText(anchor.id, anchor.locus, anchor.written_sensitivity, anchor.unknown) for anchor in memory.anchors
        ),
        memory.tags,
        memory.importance,
        memory.expires,
        memory.checks,
        memory.unknown,
        memory.fields,
    )


_PLAIN = (
    *("id", "kind", "body", "state", "current", "author", "created", "revision", "home", "folder"),
    *("importance", "expires", "retired_reason", "edited", "disputed", "problem", "pinned"),
)
_LISTS = ("tags", "checks", "supersedes", "superseded_by", "heads")
_EVIDENCE = ("type", "value", "role", "revision", "author", "time", "event")
_RECEIPT = ("purpose", "author", "time", "revision", "event")
_DISMISSAL = ("other", "reason", "bodies", "author", "time", "event")
_ENTERED = ("state", "author", "time", "revision", "reason", "by", "event")


def _dump_entered(entered: Entered) -> list[str]:
    return [getattr(entered, name) for name in _ENTERED]


def _dump_anchor(anchor: Anchor) -> dict[str, Any]:
    return {
        "id": anchor.id,
        "at": _dump_locus(anchor.locus),
        "sensitivity": anchor.sensitivity,
        "written": anchor.written_sensitivity,
        "unknown": dict(anchor.unknown),
        "followed": [
            [_dump_locus(step.base), _dump_locus(step.place), step.code, step.event] for step in anchor.followed
        ],
        "baselines": [
            {
                "fingerprint": to_json(one.fingerprint),
                "place": _dump_locus(one.place),
                "lines": list(one.lines),
                **{name: getattr(one, name) for name in _BASELINE},
            }
            for one in anchor.baselines
        ],
    }


def _load_anchor(data: dict[str, Any]) -> Anchor:
    return Anchor(
        data["id"],
        _load_locus(data["at"]),
        Sensitivity(data["sensitivity"]),
        tuple(
            Baseline(
                fingerprint=from_json(one["fingerprint"]),
                place=_load_locus(one["place"]),
                lines=(one["lines"][0], one["lines"][1]),
                **{name: one[name] for name in _BASELINE},
            )
            for one in data["baselines"]
        ),
        tuple(
            FollowedPlace(_load_locus(base), _load_locus(place), code, event)
            for base, place, code, event in data["followed"]
        ),
        Sensitivity(data["written"]) if data["written"] is not None else None,
        data["unknown"],
    )


_BASELINE = ("id", "content", "blob", "body_hash", "state", "author", "time", "revision")


def _dump_locus(locus: Locus) -> str:
    try:
        return stored_locus(locus)
    except LocusError:  # Nothing that was read from the ledger comes here.
        return str(locus)


def _load_locus(text: str) -> Locus:
    return parse_stored_locus(text)
