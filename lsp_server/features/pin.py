"""Pinning: what is pinned is shown and recalled before what is not."""

from __future__ import annotations

from lsp_server.core.change import Change
from lsp_server.core.model import Memory
from lsp_server.features.errors import Refused
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Snapshot


def pin(snapshot: Snapshot, memory: Memory, on: bool) -> Change | None:
    """The change that pins a memory, or takes the pin off; None where it is so already.

    Raises Refused where history would be pinned.
    """
    if memory.pinned == on:
        return None
    if on and not memory.current:
        raise Refused(f"only a current memory can be pinned; this one is {memory.state}")
    pinned = event(snapshot.stamp, "pinned", memory.heads, {"on": on})
    return Change(memory.id, memory.folder, memory.home, None, (pinned,))
