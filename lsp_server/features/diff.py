"""What changed under a memory: its nearest baseline against the code as it is now."""

from __future__ import annotations

from typing import Any

from lsp_server.core.explain import explain
from lsp_server.core.model import Level, Memory
from lsp_server.features.report import anchor_json
from lsp_server.workspace.snapshot import Snapshot


def diff(snapshot: Snapshot, memory: Memory, anchor: str | None = None) -> dict[str, Any]:
    """For each anchor of a memory (or the one named by its id) its verdict and a diff since its nearest baseline.

    `diff` is an empty list where the text is the same, and null where the text is not kept or too long to compare.
    """
    entries = []
    for item in snapshot.judged(memory):
        if anchor is not None and item.anchor.id != anchor:
            continue
        difference = explain(item.anchor, item.verdict, snapshot.read)
        same: list[str] | None = [] if item.verdict.level in (Level.FRESH, Level.MOVED) else None
        entries.append({**anchor_json(item), "diff": list(difference.lines) if difference is not None else same})
    return {"version": 1, "id": memory.id, "kind": memory.kind, "text": memory.body, "anchors": entries}
