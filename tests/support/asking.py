"""Questions that tests ask of a stage: what became of a memory, what `check` says, and waiting until it is so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.samples import Sample
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.workspace.config import Settings

NAMES = ("one", "two", "three", "four", "five")
QUICK = Settings(poll_seconds=0.05)
SECONDS = 20
"""Seconds after which a test is hung; generous, for loaded machines."""


def five(sample: Sample, numbers: Mapping[str, int] | None = None) -> list[str]:
    """Definitions of five functions; `numbers` changes the constants of some."""
    return [sample.define(name, (numbers or {}).get(name, 10 * at)) for at, name in enumerate(NAMES, 1)]


async def verdict(stage: Stage, memory: Mapping[str, Any]) -> dict[str, Any]:
    """What became of a memory's only anchor."""
    (found,) = await stage.verdicts(memory["id"])
    return found


def stale_shown(stage: Stage, file: str) -> list[bool]:
    """Whether each thing that a file shows is stale."""
    return [item.verdict.stale for item in stage.session.view(file).judged]


async def checked(folder: Path) -> list[dict[str, Any]]:
    """What `check` answers about each anchor in a session of its own, in the order of the memories' texts."""
    async with Stage(folder, {}) as stage:
        answer = await operations.check(stage.session)
        memories = sorted(answer["memories"], key=lambda memory: memory["text"])
        return [anchor for memory in memories for anchor in memory["anchors"]]


async def until(holds: Callable[[], bool], what: Callable[[], Any]) -> None:
    """Waits until something holds; fails with what it is at last."""
    for _ in range(SECONDS * 50):
        if holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"never came; at last: {what()}")


def ledger_files(folder: Path) -> dict[str, bytes]:
    """Every file of the shared memories with its bytes."""
    memories = folder / ".moorline" / "memories"
    return {str(path.relative_to(memories)): path.read_bytes() for path in memories.rglob("*") if path.is_file()}
