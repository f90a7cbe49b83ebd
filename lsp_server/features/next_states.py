"""Where a memory may go from its state, and what each step asks for: the kind's row, as editors and people need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from lsp_server.core.kinds import RETIRED, SUPERSEDED, kind_of
from lsp_server.core.model import Memory

BEGINNINGS: Mapping[str, str] = MappingProxyType(
    {"commit": "commit:HEAD", "file": "file:", "url": "url:https://", "test": "test:", "quote": "quote:"}
)
"""How a piece of evidence of each type begins; what was just committed is the likeliest commit."""


@dataclass(frozen=True, slots=True)
class Next:
    """One step. `evidence` is how each piece that it needs begins, for a person to go on from."""

    state: str
    reason: bool = False
    evidence: tuple[str, ...] = ()
    successor: bool = False

    @property
    def asks(self) -> bool:
        """Whether somebody has to say something for it."""
        return self.reason or bool(self.evidence) or self.successor


def next_states(memory: Memory) -> tuple[Next, ...]:
    """The steps that a memory may take now, in the order of its kind's row; those with a command of their own
    (supersede, retire) only where they settle a dispute."""
    row = kind_of(memory.kind)
    rivals = {rival.state for rival in memory.rivals}
    found = []
    for state in row.transitions.get(memory.state, ()):
        if state in (SUPERSEDED, RETIRED) and state not in rivals:
            continue
        role = row.evidence_role.get(state)
        evidence: tuple[str, ...] = ()
        if state in row.needs_evidence:
            types = row.evidence_types.get(state, ()) or (("test",) if role else ("commit",))
            # Where it is comes from the anchors, unless somebody says otherwise.
            asked = [one for one in types if one != "file"] or list(types)
            evidence = tuple(f"{role}={BEGINNINGS[one]}" if role else BEGINNINGS[one] for one in asked)
        reason = state in row.needs_reason or state == RETIRED
        found.append(Next(state, reason, evidence, state in row.needs_successor or state == SUPERSEDED))
    return tuple(found)


def next_json(memory: Memory) -> list[dict[str, Any]]:
    """The same as `--json` and the server's commands answer it."""
    return [
        {"state": step.state, "reason": step.reason, "evidence": list(step.evidence), "successor": step.successor}
        for step in next_states(memory)
    ]
