"""`moorline doctor` finds what is wrong and names the mend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.cli import doctor
from lsp_server.core.languages import LANGUAGES

if TYPE_CHECKING:
    from conftest import Repository


def findings(repo: Repository, level: str) -> list[dict[str, Any]]:
    return [one for one in repo("doctor", "--json").json["checks"] if one["level"] == level]


def test_all_is_well(repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "x")
    done = repo("doctor", "--json")
    assert (done.code, done.json["healthy"], done.json["version"]) == (0, True, 1)
    assert all(set(one) == {"name", "level", "detail", "mend"} for one in done.json["checks"])
    names = {one["name"] for one in done.json["checks"]}
    assert names >= {"python", "grammars", "git", "workspace", "settings", "ledger", "index", "activity"}
    (grammars,) = [one for one in done.json["checks"] if one["name"] == "grammars"]
    assert all(language.name in grammars["detail"] for language in LANGUAGES if not language.extra)
    assert repo("doctor").out.endswith("all is well\n")


def test_without_a_workspace_it_says_how_to_begin(repo: Repository) -> None:
    done = repo("doctor", "--json")
    assert done.code == 0
    assert any("moorline record" in one["mend"] for one in done.json["checks"])
    assert not (repo.path / ".moorline").exists()


def test_settings_that_are_wrong(repo: Repository) -> None:
    repo("init")
    repo.write(".moorline/config.toml", 'hower = true\nfail_on = "stale"\n')
    faults = findings(repo, "fault")
    assert [one["name"] for one in faults] == ["settings", "settings"]
    assert "hover" in faults[0]["detail"] and "line 1" in faults[0]["detail"]
    done = repo("list")
    assert done.code == 0 and done.err.count("\n") == 3


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_what_git_must_know_is_missing(name: str, repo: Repository) -> None:
    repo("init")
    (repo.path / ".moorline" / name).unlink()
    (fault,) = findings(repo, "fault")
    assert name in fault["detail"] and "moorline init" in fault["mend"]
    assert repo("doctor").code == 1
    repo("init")
    assert repo("doctor").code == 0


def test_a_damaged_index_is_made_again(repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "x")
    for path in repo.path.glob(".moorline/index.db*"):
        path.unlink()
    repo.write(".moorline/index.db", "this is no database, and it is long enough to be looked at" * 100)
    assert repo("doctor").code == 0
    assert len(repo("list", "--json").json["memories"]) == 1


def test_what_is_counted(repo: Repository) -> None:
    def said() -> list[tuple[str, str]]:
        checks = repo("doctor", "--json").json["checks"]
        return [(one["level"], one["detail"]) for one in checks if one["name"] == "activity"]

    identifier = repo("record", "src/auth.py#login", "--kind", "note", "--text", "x", "--json").json["id"]
    assert said() == [("ok", "nothing counted yet")]
    repo("show", identifier)
    ((level, detail),) = said()
    assert level == "ok" and "activity.db, 1 memory seen" in detail
    repo.write(".moorline/activity.db", "this is no database, and it is long enough to be looked at" * 100)
    repo.write(".moorline/config.toml", "activity = false\n")
    assert said() == [("ok", "nothing is counted: turned off")]
    repo.write(".moorline/config.toml", "")
    ((level, detail),) = said()
    assert level == "info" and "set aside as activity.db.aside" in detail
    assert repo("doctor").code == 0


def test_an_event_that_is_damaged(repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "x")
    for path in repo.path.glob(".moorline/memories/*/*.json"):
        path.write_text("{")
    faults = findings(repo, "fault")
    assert len(faults) == 2 and all(".json" in one["detail"] and one["mend"] for one in faults)


def test_no_git(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo.path))
    assert [one["name"] for one in findings(repo, "fault")] == []
    assert any(one["name"] == "git" and "install git" in one["mend"] for one in findings(repo, "info"))
    assert repo("record", "src/auth.py#login", "--kind", "note", "--text", "x").code == 0


def test_an_examination_that_fails_is_a_finding(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(standing: object) -> Any:
        raise OSError("boom")

    monkeypatch.setattr(doctor, "EXAMINATIONS", (breaks,))
    (fault,) = findings(repo, "fault")
    assert "boom" in fault["detail"]


@pytest.mark.parametrize(
    ("said", "number"), [("NVIM v0.11.4", (0, 11)), ("NVIM v0.9.5-dev+12", (0, 9)), ("something", (0, 0))]
)
def test_versions_of_neovim(said: str, number: tuple[int, int]) -> None:
    assert doctor.number(said) == number
