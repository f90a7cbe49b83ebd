"""Every step of every kind's life, allowed and refused, on the command line; see `support.lives` for the table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.lives import BORN, LIVES, ON_THE_WAY, cells, numbers, what_is_asked

if TYPE_CHECKING:
    from conftest import Done, Repository


class Life:
    """The memories of one kind in one repository."""

    def __init__(self, repo: Repository, kind: str) -> None:
        self.repo, self.kind = repo, kind
        self.states, self.steps = cells(LIVES[kind])
        self.successor = self.record("What took over.")["id"]

    def record(self, text: str, *words: str) -> Any:
        place = "src/auth.py#login" if self.kind in ("finding", "artifact") else "README.md"
        if self.kind in ("purpose", "account"):  # Of which a place has one.
            self.repo.write(name := f"f{next(numbers)}.py", "x = 1\n")
            place = name
        done = self.repo("record", place, "--kind", self.kind, "--text", f"{text} {next(numbers)}", *words, "--json")
        assert done.code == 0, done.err
        return done.json

    def go(self, memory: str, state: str, *words: str) -> Done:
        return self.repo("transition", memory, state, *words, "--json")

    def asked(self, cell: str) -> list[list[str]]:
        """The arguments for each thing that a cell asks for."""
        if "c" in cell:
            self.repo.git("commit", "-q", "--allow-empty", "-m", "more")
        asked = what_is_asked(cell, self.successor, "HEAD")
        return [[f"--{name}", value] for one in asked for name, value in one.items()]

    def step(self, memory: str, old: str, state: str) -> Any:
        asked = self.asked(self.steps[old][state])
        done = self.go(memory, state, *(word for words in asked for word in words))
        assert done.code == 0, (old, state, done.err)
        return done.json

    def in_state(self, state: str) -> str:
        """A new memory in a state."""
        first = state if state in BORN else self.states[0]
        memory = self.record("A memory.", "--state", first)
        assert memory["state"] == first
        for now in (*ON_THE_WAY.get(state, ()), *([state] if state != first else [])):
            memory = self.step(memory["id"], memory["state"], now)
        return str(memory["id"])

    def refused(self, memory: str, state: str, *words: str) -> str:
        before = self.ledger(memory)
        assert before
        done = self.go(memory, state, *words)
        assert (done.code, done.out) == (2, ""), (state, words, done)
        assert done.err.startswith("moorline transition: ") and done.err.count("\n") == 1
        assert self.ledger(memory) == before
        return done.err

    def ledger(self, memory: str) -> set[str]:
        """The files of a memory. None of its events is ever changed, so names tell all but `memory.md`."""
        name = memory.replace("-", "")[:12]
        homes = (self.repo.path / ".moorline", self.repo.path.parents[1] / "data")
        return {str(path) for home in homes for path in home.glob(f"*/*{name}/*")}


def check_life(repo: Repository, kind: str) -> None:
    life = Life(repo, kind)
    for old in life.states:
        memory = life.in_state(old)
        for new, cell in life.steps[old].items():
            if cell in ("x", "-"):
                everything = [word for words in life.asked("re") for word in words]
                said = life.refused(memory, new, *everything)
                assert new in said
                continue
            asked = life.asked(cell)
            for left_out in range(len(asked)):
                rest = [word for number, words in enumerate(asked) if number != left_out for word in words]
                life.refused(memory, new, *rest)
            answer = life.go(memory, new, *(word for words in asked for word in words))
            assert answer.code == 0, (kind, old, new, answer.err)
            assert answer.json["state"] == new
            undone = repo("undo", memory, "--json")
            assert undone.code == 0, (kind, old, new, undone.err)
            assert undone.json["state"] == old
        assert life.refused(memory, "nowhere").count(", ") >= len(life.states) - 1


@pytest.mark.parametrize("kind", LIVES)
def test_every_step_of_every_life(repo: Repository, kind: str) -> None:
    check_life(repo, kind)


# -- the options of a life ---------------------------------------------------------------------------------------------


def recorded(repo: Repository, *words: str, cwd: str = "") -> Any:
    done = repo("record", *words, "--json", cwd=cwd)
    assert done.code == 0, done.err
    return done.json


def test_what_a_record_may_say(repo: Repository) -> None:
    words = ("--kind", "finding", "--text", "Empty tokens pass.", "--field", "severity=high", "--field", "symptom=a=b")
    proof = ("--evidence", "file:auth.py:2-6", "--evidence", "root-cause=commit:HEAD", "--expires", "3w")
    made = recorded(repo, "auth.py#Provider.verify", *words, *proof, cwd="src")
    assert (made["state"], made["fields"]) == ("open", {"symptom": "a=b", "severity": "high"})
    head = repo.git("rev-parse", "HEAD").strip()
    assert [(piece["type"], piece["value"], piece["role"], piece["revision"]) for piece in made["evidence"]] == [
        ("file", "src/auth.py:2-6", None, head),
        ("commit", head, "root-cause", head),
    ]
    assert len(made["expires"]) == 10 and made["author_kind"] == "human"
    note = recorded(repo, "--kind", "note", "--text", "Ask.", "--field", "follow_up=ask Ann", "--author", "agent:robin")
    assert (note["state"], note["owed"] is None, note["author_kind"]) == ("follow_up", False, "agent")
    line = {"kind": "decision", "text": "x", "state": "proposed", "evidence": ["test:t"], "revision": "HEAD"}
    done = repo("record", "--batch", "-", stdin=json.dumps(line))
    assert (done.json["state"], len(done.json["evidence"])) == ("proposed", 1)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--field", "severity"), "write --field NAME=VALUE"),
        (("--field", "severity=huge"), "severity is one of low, medium, high, critical"),
        (("--field", "colour=red"), "a finding has no field 'colour'; its fields: symptom, root_cause, severity"),
        (("--state", "verified"), "a new finding starts as open"),
        (("--evidence", "hearsay"), "is no evidence; write one of commit:SHA"),
        (("--evidence", "file:../../x.py:3"), "outside"),
        (("--evidence", "commit:nowhere"), "no revision 'nowhere' in this repository"),
        (("--revision", "nowhere"), "no revision 'nowhere' in this repository"),
        (("--expires", "soon"), "is no date"),
        (("--author", "agent:"), "names nobody"),
    ],
)
def test_what_a_record_may_not_say(repo: Repository, words: tuple[str, ...], says: str) -> None:
    done = repo("record", "--kind", "finding", "--text", "Empty tokens pass.", *words)
    assert (done.code, done.out) == (2, "") and says in done.err and done.err.count("\n") == 1
    assert not repo.ledger()


@pytest.mark.parametrize(
    "line",
    [{"fields": []}, {"fields": {"category": 1}}, {"evidence": "test:t"}, {"again": 1}, {"allow_secret": "yes"}],
)
def test_a_line_of_a_batch_that_is_none(repo: Repository, line: dict[str, Any]) -> None:
    done = repo("record", "--batch", "-", stdin=json.dumps({"kind": "note", "text": "x", **line}))
    assert done.code == 1 and next(iter(line)) in done.json["error"]


def test_the_commands_of_a_life_say_what_they_did(repo: Repository) -> None:
    made = recorded(repo, "src/auth.py#login", "--kind", "decision", "--text", "Asks once.")["id"]
    new = repo("supersede", made, "--text", "Asks twice.", "--json").json["id"]
    said = {
        ("pin", new): "pinned: ",
        ("evidence", new, "add", "test:t"): "kept as evidence, accepted: ",
        ("undo", new): "taken back (evidence): ",
        ("transition", new, "proposed"): "now proposed: ",
        ("restore", made): f"{new[:8]}, which had taken over, is retired",
        ("undo", made, "--reason", "no"): "taken back (restored): ",
        ("pin", new, "--off"): "pin taken off: ",
    }
    for words, what in said.items():
        done = repo(*words)
        assert done.code == 0 and what in done.out, (words, done)


def test_what_was_closed_is_not_recorded_anew_and_the_way_back_is_named(repo: Repository) -> None:
    made = recorded(repo, "--kind", "claim", "--text", "Thirty.")["id"]
    assert repo("transition", made, "closed", "--reason", "x", "--evidence", "test:t").code == 0
    said = repo("record", "--kind", "claim", "--text", "Thirty.").out
    assert f"is closed; nothing was changed: moorline transition {made[:8]} current makes" in said
    refused = repo("restore", made)
    assert refused.code == 2 and "neither retired nor superseded; it can become current, retired" in refused.err
    assert repo("transition", made, "current", "--json").json["current"] is True
