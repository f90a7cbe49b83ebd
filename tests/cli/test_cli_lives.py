"""Every step of every kind's life, allowed and refused, on the command line; see `support.lives` for the table."""

from __future__ import annotations

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
        done = self.go(memory, state, *words)
        assert (done.code, done.out) == (2, ""), (state, words, done)
        assert done.err.startswith("moorline transition: ") and done.err.count("\n") == 1
        assert self.ledger(memory) == before
        return done.err

    def ledger(self, memory: str) -> set[str]:
        """The files of a memory. None of its events is ever changed, so names tell all but `memory.md`."""
        name = memory.replace("-", "")[:12]
        return {str(path) for path in self.repo.path.parents[1].rglob(f"*{name}/*")}


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
