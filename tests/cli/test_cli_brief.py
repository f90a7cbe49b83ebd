"""`moorline brief`, as people and programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Repository


def test_a_brief_is_kept_and_read_again(repo: Repository) -> None:
    made = repo("record", "src/auth.py#login", "--kind", "decision", "--text", "Logins wait a second.", "--json").json
    words = ("brief", "make logins faster", "--constraint", "no new dependency", "--require", "src/auth.py#login")
    done = repo(*words, "--lens", "review")
    assert done.code == 0 and "Logins wait a second." in done.out and "no new dependency" in done.out
    first = repo(*words, "--require", made["id"][:8], "--keep", "--bytes", "4096", "--json")
    assert len(first.out.encode()) <= 4096
    again = repo("brief", "--read", first.json["kept"], "--json").json
    assert first.json.items() <= again.items() and again["drifted"] == []
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    assert "code changed since: fresh then, changed now" in repo("brief", "--read", first.json["kept"]).out
    assert len(repo(*words, "--items", "1", "--json").json["sections"]["decisions"]["items"]) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name a task"),
        (("x", "--read", "ffff"), "name a task"),
        (("--read", "ffff"), "no memory"),
        (("x", "--bytes", "5"), "bytes"),
        (("x", "--require", "../secret.py"), "outside"),
        (("x", "--lens", "x-ray"), "lens"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(repo: Repository, words: tuple[str, ...], says: str) -> None:
    done = repo("brief", *words)
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1
