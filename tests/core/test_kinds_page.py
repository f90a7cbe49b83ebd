"""The page on kinds says what the table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_server.core.kinds import KINDS, RETIRED, SUPERSEDED, Kind

PAGE = (Path(__file__).parents[2] / "docs" / "kinds.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_state_field_and_choice_is_on_the_page(kind: Kind) -> None:
    (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"`{kind.name}`" in line.split("|")[1]]
    states = row.split("|")[3]
    assert [state for state in kind.states if state not in (SUPERSEDED, RETIRED) and f"`{state}`" not in states] == []
    asked = row.split("|")[4]
    assert [name for name in kind.fields if f"`{name}`" not in asked] == []
    assert [one for field in kind.fields.values() for one in field.choices if one not in asked] == []
    assert [role for role in kind.evidence_role.values() if f"`{role}`" not in asked] == []
