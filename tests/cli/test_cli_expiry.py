"""What is past its date: it shows and ranks lower, and nothing is written or deleted for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from lsp_server.workspace.config import SCORES

if TYPE_CHECKING:
    from conftest import Repository


def record(repo: Repository, text: str, *more: str, kind: str = "note") -> str:
    done = repo("record", "src/auth.py#login", "--kind", kind, "--text", text, *more, "--json")
    assert done.code == 0, done.err
    identifier: str = done.json["id"]
    return identifier


def test_it_shows_and_ranks_lower_and_stays(repo: Repository) -> None:
    past = record(repo, "Until the release.", "--expires", "2020-01-31")
    later = record(repo, "Until the next.", "--expires", "2099-01-31")
    never = record(repo, "For good.")
    kept = repo.ledger()
    listed = {one["id"]: one for one in repo("list", "--json").json["memories"]}
    assert {one: memory["expired"] for one, memory in listed.items()} == {past: True, later: False, never: False}
    assert listed[past]["expires"] == "2020-01-31" and listed[past]["expires_at"] == "2020-02-01T00:00:00Z"
    assert listed[never]["expires_at"] is None
    assert (listed[past]["score"], listed[later]["score"]) == (SCORES["expired"], 1.0)
    assert [one["id"] for one in repo("list", "--expired", "--json").json["memories"]] == [past]
    assert "fresh" in repo("list", "--expired").out and "expired" in repo("list", "--expired").out
    assert "expired on 2020-01-31: look whether it still holds" in repo("show", past).out
    assert "expires on 2099-01-31" in repo("show", later).out
    assert "expire" not in repo("show", never).out
    assert repo("check").code == 0, "a date makes nothing stale"
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    stale = repo("show", past, "--json").json
    assert (stale["stale"], stale["expired"], stale["score"]) == (True, True, SCORES["both"])
    assert repo.ledger() == kept


@pytest.mark.parametrize(("written", "days"), [("30d", 30), ("2w", 14), ("0d", 0)])
def test_how_long_from_now_is_kept_as_a_day(written: str, days: int, repo: Repository) -> None:
    before = datetime.now(UTC)
    identifier = record(repo, "For a while.", "--expires", written)
    expected = {(moment + timedelta(days=days)).date().isoformat() for moment in (before, datetime.now(UTC))}
    assert repo("show", identifier, "--json").json["expires"] in expected
    assert not repo("show", identifier, "--json").json["expired"], "the day itself is not over"


def test_what_its_kind_says_is_never_written(repo: Repository) -> None:
    identifier = record(repo, "The newest version is 3.", kind="research")
    kept = repo.ledger()
    assert repo("show", identifier, "--json").json["expires_at"] is None
    repo.write(".moorline/config.toml", "[kinds.research]\nexpires_days = 0.0000001\n")
    answer = repo("show", identifier, "--json").json
    assert (answer["expires"], answer["expired"]) == (None, True) and answer["expires_at"][:4] > "2020"
    assert "as its kind does: look whether it still holds" in repo("show", identifier).out
    repo.write(".moorline/config.toml", "[kinds.research]\nexpires_days = 30\n")
    answer = repo("show", identifier, "--json").json
    assert not answer["expired"] and answer["expires_at"] is not None
    assert repo.ledger() == kept


def test_a_hand_may_write_what_is_no_date(repo: Repository) -> None:
    identifier = record(repo, "Until soon.", "--expires", "2099-01-31")
    (path,) = repo.path.glob(".moorline/memories/*/memory.md")
    path.write_text(path.read_text().replace("2099-01-31", "soon"))
    answer = repo("show", identifier, "--json").json
    assert (answer["expires"], answer["expires_at"], answer["expired"]) == ("soon", None, False)
    assert "expires on no date ('soon'); write it like 2027-03-31" in repo("show", identifier).out
