"""A receipt: that somebody made use of a memory, and what for. It stays with the memory, for whoever changes it."""

from __future__ import annotations

from lsp_server.core.change import Change
from lsp_server.core.model import Memory
from lsp_server.features.errors import Refused
from lsp_server.features.writing import event
from lsp_server.workspace.snapshot import Snapshot

LIMIT = 500
"""Most bytes of UTF-8 that a receipt says."""


def use(snapshot: Snapshot, memory: Memory, purpose: str) -> Change:
    """Notes down what a memory was used for. Raises Refused where nothing is said, or too much."""
    said = " ".join(purpose.split())
    if not said:
        raise Refused("say what it was used for")
    if len(said.encode("utf-8", "surrogatepass")) > LIMIT:
        raise Refused(f"a receipt holds at most {LIMIT} bytes; say it in fewer words")
    used = event(snapshot.stamp, "used", memory.heads, {"for": said})
    return Change(memory.id, memory.folder, memory.home, None, (used,))
