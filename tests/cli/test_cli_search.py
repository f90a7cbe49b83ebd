"""`moorline search` and `eval`: what is found on the command line, how it is explained, and how well it is found."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Repository

TOKENS = "Tokens are checked before the body is read."


@pytest.fixture
def told(repo: Repository) -> Repository:
    repo("record", "src/auth.py#Provider.verify", "--kind", "decision", "--text", TOKENS, "--tag", "security")
    repo("record", "src/auth.py#login", "--kind", "finding", "--text", "登录超时后会无限重试。")
    repo("record", "--kind", "note", "--text", "k8s restarts the pod.")
    return repo


def ids(repo: Repository) -> dict[str, str]:
    return {memory["kind"]: memory["id"] for memory in repo("list", "--json").json["memories"]}


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["how", "are", "tokens", "checked"], ["decision"]),
        (["verifyToken"], ["decision"]),
        (["kubernetes"], ["note"]),
        (["超时"], ["finding"]),
        (["timeout"], ["finding"]),
        (["gizmo"], []),
        (["tokens", "--kind", "note"], []),
        (["tokens", "--tag", "security"], ["decision"]),
        (["tokens", "--path", "src/auth.py#login"], []),
        (["tokens", "--path", "."], ["decision"]),
        (["tokens", "--since", "7d"], ["decision"]),
        (["tokens", "--stale"], []),
    ],
)
def test_what_is_found(told: Repository, words: list[str], kinds: list[str]) -> None:
    done = told("search", *words, "--json")
    assert done.code == 0 and [memory["kind"] for memory in done.json["memories"]] == kinds
    assert (done.json["version"], done.json["query"]) == (
        1,
        " ".join(one for one in words if one in done.json["query"].split()),
    )


def test_every_factor_is_explained(told: Repository) -> None:
    told.edit("src/auth.py", "limit=3", "limit=4")
    told.write(".moorline/config.toml", "activity = false\n")  # What is found is warmer the next time.
    done = told("search", "are tokens checked", "--near", "src/auth.py#Provider.verify", "--explain", "--json")
    (memory,) = done.json["memories"]
    found = memory["found"]
    assert memory["stale"] and found["factors"]["standing"] == 0.5 and found["factors"]["near"] == 1.5
    assert math.prod(found["factors"].values()) == pytest.approx(found["score"], rel=1e-2)
    done = told("search", "are tokens checked", "--near", "src/auth.py#Provider.verify", "--explain")
    (line,) = done.out.splitlines()
    score, identifier, kind, standing, place, text, why = line.split("\t")
    assert float(score) == pytest.approx(found["score"], abs=0.006) and memory["id"].startswith(identifier)
    assert (kind, standing, place, text) == ("decision", "stale", "src/auth.py#Provider.verify", TOKENS)
    assert "standing 0.50" in why and "near 1.50" in why and "relevance" in why


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "QUERY"),
        (["x", "--limit", "0"], "from 1 to 60"),
        (["x", "--profile", "odd"], "profiles: default"),
        (["x", "--level", "odd"], "--level"),
        (["x", "--kind", "odd"], "kinds:"),
        (["x", "--since", "odd"], "is no time"),
        (["x", "--as-of", "odd"], "no revision"),
    ],
)
def test_what_cannot_be_searched_is_said_in_one_line(told: Repository, words: list[str], says: str) -> None:
    done = told("search", *words)
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1 and not done.out


def test_what_is_found_nowhere_is_owed(told: Repository) -> None:
    assert "nothing found" in told("search", "who owns the gizmo").err
    (owed,) = [one for one in told("backlog", "--json").json["items"] if one["what"] == "unanswered"]
    assert owed["title"] == "who owns the gizmo"


def test_what_is_forgotten_is_in_no_file_of_words(told: Repository) -> None:
    told("search", "pod")
    assert (told.path / ".moorline" / "words.db").is_file()
    assert "words.db" not in told.git("status", "--short", "--untracked-files=all")
    assert told("forget", ids(told)["note"], "--yes").code == 0
    assert told("search", "pod", "--json").json["memories"] == []
    left = b"".join(path.read_bytes() for path in (told.path / ".moorline").glob("words*"))
    assert b"restart" not in left and b"token" in left


def test_the_settings_of_a_workspace_count(told: Repository) -> None:
    told.write(
        ".moorline/config.toml", "[search.aliases]\npod = 'capsule'\n[search.profiles.mine]\nkinds = {note = 5}\n"
    )
    (found,) = told("search", "capsule", "--profile", "mine", "--json").json["memories"]
    assert found["kind"] == "note" and found["found"]["factors"]["profile"] == 5


# -- eval --------------------------------------------------------------------------------------------------------------


def test_cases_are_measured_and_compared(told: Repository, tmp_path: Path) -> None:
    cases = [
        {"query": "are tokens checked", "any": [ids(told)["decision"][:8]], "loci": ["src/auth.py#Provider.verify"]},
        {"query": "重试", "all": [ids(told)["finding"]]},
    ]
    file, saved = tmp_path / "cases.json", tmp_path / "saved.json"
    file.write_text(json.dumps(cases))
    done = told("eval", str(file), "--save", str(saved), "--json")
    assert done.code == 0 and done.json["summary"] == {"cases": 2, "hit_rate": 1.0, "mrr": 1.0, "ndcg": 1.0}
    assert json.loads(saved.read_text()) == done.json
    told("retire", ids(told)["finding"], "--reason", "mended")
    done = told("eval", str(file), "--baseline", str(saved), "--json")
    assert done.code == 1 and done.json["changes"]["summary"]["hit_rate"] == -0.5
    assert done.json["changes"]["cases"] == [{"name": "重试", "what": "lost", "mrr": -1.0}]
    said = told("eval", str(file), "--baseline", str(saved)).out
    assert "hit rate 0.500" in said and "hit rate -0.500" in said and "lost" in said
    assert not [one for one in told("backlog", "--json").json["items"] if one["what"] == "unanswered"]


@pytest.mark.parametrize(
    ("text", "says"),
    [("{", "is no JSON"), ("[]", "a list"), ('[{"query": "x"}]', "any, all or loci"), (None, "cannot be read")],
)
def test_cases_that_cannot_be_read_are_said(told: Repository, tmp_path: Path, text: str | None, says: str) -> None:
    if text is not None:
        (tmp_path / "cases.json").write_text(text)
    done = told("eval", str(tmp_path / "cases.json"))
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1
