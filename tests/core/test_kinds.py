"""The table of kinds: every row must be a life that a memory can lead."""

from __future__ import annotations

import pytest

from lsp_server.core.kinds import KINDS, RETIRED, SUPERSEDED, Kind, kind_of

DESIGN = [
    *("decision", "claim", "finding", "note"),
    *("purpose", "account", "artifact", "lesson", "research", "carried"),
    *("preference", "profile", "entity", "event", "case", "pattern", "checkpoint"),
]
"""The kinds that the design names, in section 3."""

TERMINAL = [("carried", "archived")]
"""The states that nothing comes after (the issue of imported memories names the one)."""


def test_the_table_holds_the_kinds_of_the_design() -> None:
    # A passage is what a document says; nobody records one. A brief is what was told of the others.
    assert [name for name, kind in KINDS.items() if not kind.elsewhere and kind.current_states] == DESIGN
    assert [name for name, kind in KINDS.items() if not kind.current_states] == ["brief"]
    assert [name for name, kind in KINDS.items() if kind.elsewhere] == ["passage"]


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_row_is_a_whole_life(kind: Kind) -> None:
    states = set(kind.states)
    assert len(states) == len(kind.states)
    assert {kind.initial, *kind.starts, *kind.current_states, *kind.fixed_states} <= states
    assert kind.initial in kind.starts
    assert kind.is_current(kind.initial) or not kind.current_states
    assert {SUPERSEDED, RETIRED} <= states
    assert set(kind.transitions) == states
    for old, targets in kind.transitions.items():
        assert set(targets) <= states and old not in targets and len(set(targets)) == len(targets)
    assert {*kind.needs_evidence, *kind.needs_reason, *kind.needs_successor, *kind.owed} <= states
    assert {*kind.evidence_role, *kind.evidence_types, *kind.evidence_after} <= set(kind.needs_evidence)
    assert set(kind.settles) == set(kind.owed) <= set(kind.current_states)
    assert all(kind.allows(state, settled) and settled not in kind.owed for state, settled in kind.settles.items())
    assert {field.starts for field in kind.fields.values()} - {""} <= set(kind.starts)
    assert len(kind.icon) == 1 and kind.title[0].isupper()
    assert 0 < kind.recall_threshold < 1 and 0 < kind.cap <= 64 * 1024


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_state_can_be_reached_and_every_one_can_come_back(kind: Kind) -> None:
    reached = set(kind.starts)
    while more := {target for state in reached for target in kind.transitions[state]} - reached:
        reached |= more
    assert reached == set(kind.states)
    for state in kind.states:
        if (kind.name, state) in TERMINAL:
            assert not kind.transitions[state]
            continue
        back = {state}
        while more := {target for one in back for target in kind.transitions[one]} - back:
            back |= more
        assert back & set(kind.current_states or kind.starts)


@pytest.mark.parametrize(
    ("kind", "old", "new", "allowed"),
    [
        ("decision", "proposed", "accepted", True),
        ("decision", "accepted", "superseded", True),
        ("finding", "open", "fixed_unverified", True),
        ("finding", "fixed_unverified", "verified", True),
        ("finding", "open", "verified", False),
        ("finding", "ruled_out", "verified", False),
        ("claim", "current", "closed", True),
        ("note", "current", "accepted", False),
        ("note", "nowhere", "current", False),
    ],
)
def test_transitions(kind: str, old: str, new: str, allowed: bool) -> None:
    assert KINDS[kind].allows(old, new) is allowed


def test_a_kind_of_a_newer_version_has_the_plain_life() -> None:
    kind = kind_of("open_question")
    assert (kind.known, kind.title, kind.initial) == (False, "Open question", "current")
    assert kind.states == ("current", "superseded", "retired")
    assert kind_of("note") is KINDS["note"]
