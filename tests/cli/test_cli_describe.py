"""`moorline describe`, as people and programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository


def test_what_cannot_be_relied_on_comes_first(repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "decision", "--text", "One login a minute.")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    done = repo("describe", "src/auth.py#login")
    assert done.code == 0
    assert done.out.index("stale: 1") < done.out.index("Decisions (1)") < done.out.index("One login a minute.")
    assert "nothing recorded: 1" in repo("describe", "src/auth.py#logout").out


def test_the_budget_is_of_the_bytes_that_are_printed(repo: Repository) -> None:
    for number in range(60):
        text = f"{number} 决定" + "很长的理由。" * 60
        repo("record", "src/auth.py#login", "--kind", "note", "--text", text)
    for words, limit in (((), 8_192), (("--with", "history,related"), 16_384)):
        done = repo("describe", "src/auth.py#login", "--json", *words)
        assert limit // 2 < len(done.out.encode()) <= limit
        section = done.json["sections"]["note"]
        assert section["total"] == 60 == len(section["items"]) + section["left_out"]
        assert len(section["ids"]) == section["left_out"]


def test_what_leads_outside_and_what_is_no_section_is_refused(repo: Repository) -> None:
    assert repo("describe", "../secret.py").code == 2
    refused = repo("describe", "src/auth.py", "--with", "colours")
    assert refused.code == 2 and "history" in refused.err
