"""What `--json` answers has the shapes that were promised, and every option is documented."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.cli.arguments import command_parser
from lsp_server.cli.main import COMMANDS, load

if TYPE_CHECKING:
    from conftest import Done, Repository

ROOT = Path(__file__).parents[2]

# The contract of the design, section 6, word for word.
MEMORY = (
    '{"id", "kind", "state", "stale", "contradicted", "score", "text", "anchors": [{"id", "file", "symbol", "verdict", '
    '"stale", "reason", "detail", "now", "candidates"}], ...}'
)
NOW = '{"file", "symbol", "start_line", "end_line"}'
SUMMARY = '"summary": {"memories", "anchors", "stale", "unverifiable", ...}'
REASONS = (
    "`interface`, `body`, `members`, `regressed`, `symbol_gone`, `ambiguous`, `trivial`, `file_gone`, `syntax`, "
    "`unreadable`, `not_text`, `too_large`, `outside`, `no_baseline`, `scheme`"
)


def names(text: str) -> set[str]:
    return set(re.findall(r'"(\w+)"', text))


ANCHOR_KEYS = names(MEMORY.partition("[")[2])
MEMORY_KEYS = names(MEMORY.partition("[")[0])


def check_memory(memory: dict[str, Any]) -> None:
    assert memory.keys() >= MEMORY_KEYS
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-[57][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", memory["id"])
    assert isinstance(memory["stale"], bool) and isinstance(memory["contradicted"], bool)
    assert 0 <= memory["score"] <= 1
    assert memory["stale"] == any(anchor["stale"] for anchor in memory["anchors"])
    for anchor in memory["anchors"]:
        check_anchor(anchor)


def check_anchor(anchor: dict[str, Any]) -> None:
    assert anchor.keys() >= ANCHOR_KEYS
    assert anchor["reason"] is None or anchor["reason"] in re.findall(r"`(\w+)`", REASONS)
    assert anchor["stale"] == (anchor["verdict"] in ("changed", "missing", "file_missing"))
    assert anchor["now"] is None or set(anchor["now"]) == names(NOW)
    likeness = [candidate["similarity"] for candidate in anchor["candidates"]]
    assert likeness == sorted(likeness, reverse=True) and all(0 <= one <= 1 for one in likeness)
    assert all(set(candidate) == names(NOW) | {"similarity"} for candidate in anchor["candidates"])
    assert "\n" not in anchor["detail"]


@pytest.fixture
def lived(repo: Repository) -> Repository:
    """Memories in every standing: fresh, changed, missing, file missing, moved, members, unverifiable, retired."""
    repo.write("src/more.py", "def gone_file(a):\n    return [a, 1, 2]\n")
    repo.write("src/bad.py", "def broken(a):\n    return [a, 1, 2]\n")
    for place in (
        "src/auth.py#login",
        "src/auth.py#logout",
        "src/auth.py#Provider",
        "src/auth.py#Provider.verify",
        "src/auth.py#Provider.decode",
        "src/more.py#gone_file",
        "src/bad.py",
        "README.md",
    ):
        repo("record", place, "--kind", "note", "--text", f"On {place}.")
    retired = repo("record", "README.md", "--kind", "note", "--text", "Old.", "--json").json["id"]
    repo("retire", retired, "--reason", "old")
    repo.edit("src/auth.py", "limit=3", "limit=4")
    repo.edit("src/auth.py", "def logout(session):\n    session.clear()\n    return len(session) == 0\n", "")
    (repo.path / "src/more.py").unlink()
    (repo.path / "src/bad.py").write_bytes(b"\0\1\2" * 100)
    return repo


def test_check(lived: Repository) -> None:
    done = lived("check", "--json")
    assert done.code == 1
    assert done.json.keys() >= {"version", "memories", "summary"}
    assert done.json["version"] == 1
    for memory in done.json["memories"]:
        check_memory(memory)
    verdicts = [anchor["verdict"] for memory in done.json["memories"] for anchor in memory["anchors"]]
    assert {"fresh", "changed", "missing", "file_missing", "unverifiable"} <= set(verdicts)
    summary = done.json["summary"]
    assert summary.keys() >= names(SUMMARY) - {"summary"}
    assert summary["memories"] == 8 and summary["anchors"] == len(verdicts)
    assert summary["stale"] == sum(memory["stale"] for memory in done.json["memories"])
    assert all(summary[verdict] == verdicts.count(verdict) for verdict in verdicts)
    assert lived("check", "--json", "--all").json["summary"]["memories"] == 9
    assert lived("check", "--format", "json").out == lived("check", "--json").out


def test_stale_ones_come_first(lived: Repository) -> None:
    for words in (("check",), ("list",), ("list", "--all")):
        stale = [memory["stale"] for memory in lived(*words, "--json").json["memories"]]
        assert stale == sorted(stale, reverse=True)


def test_every_command_that_answers_a_memory(lived: Repository) -> None:
    listed = lived("list", "--json").json
    assert set(listed) == {"version", "memories", "omitted"}
    stale = next(one["id"] for one in listed["memories"] if one["text"] == "On src/auth.py#Provider.verify.")
    answers = [
        *listed["memories"],
        lived("show", stale, "--json").json,
        lived("clear", stale, "--json").json,
        lived("clear", stale, "--undo", "--json").json,
        lived("reanchor", stale, "src/auth.py#Provider.decode", "--json").json,
        lived("supersede", stale, "--text", "New.", "--json").json,
        lived("restore", stale, "--json").json,
        lived("retire", stale, "--reason", "done", "--json").json,
        lived("record", "README.md", "--kind", "note", "--text", "More.", "--json").json,
    ]
    for answer in answers:
        check_memory(answer)
    assert set(lived("follow", "--json").json) == {"version", "memories"}
    difference = lived("diff", stale, "--json").json
    assert difference["version"] == 1 and difference["id"] == stale
    assert all(isinstance(anchor["diff"], list) for anchor in difference["anchors"])


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [
        ((), 1),
        (("--fail-on", "never"), 0),
        (("--fail-on", "never,stale"), 0),
        (("--fail-on", "contradicted"), 0),
        (("--fail-on", "members"), 0),
        (("--fail-on", "unverifiable"), 0),
    ],
)
def test_fail_on_for_what_is_stale(fail_on: tuple[str, ...], code: int, repo: Repository) -> None:
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "x")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    assert repo("check", *fail_on).code == code
    assert repo("check", *fail_on, "README.md").code == 0


def test_members_alone_fail_only_when_asked(repo: Repository) -> None:
    repo("record", "src/auth.py#Provider", "--kind", "note", "--text", "x")
    repo.edit("src/auth.py", "limit=3", "limit=4")
    answer = repo("check", "--json")
    assert (answer.code, answer.json["memories"][0]["anchors"][0]["reason"]) == (0, "members")
    assert repo("check", "--fail-on", "stale,members").code == 1
    repo.write(".moorline/config.toml", 'fail_on = ["members"]\n')
    assert repo("check").code == 1
    assert repo("check", "--fail-on", "stale").code == 0


def test_what_is_history_fails_nothing(repo: Repository) -> None:
    identifier = repo("record", "src/auth.py#login", "--kind", "note", "--text", "x", "--json").json["id"]
    repo("retire", identifier, "--reason", "old")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    done = repo("check", "--all", "--json")
    assert done.json["memories"][0]["stale"] and done.code == 0


def test_reading_where_nothing_is_makes_nothing(repo: Repository) -> None:
    for words in (("list",), ("check",), ("follow",), ("list", "src/auth.py#login")):
        done = repo(*words, "--json")
        assert (done.code, done.json["memories"]) == (0, [])
    assert not (repo.path / ".moorline").exists()


def test_missing_fails_a_clear(repo: Repository) -> None:
    places = ("src/auth.py#login", "src/auth.py#logout")
    identifier = repo("record", *places, "--kind", "note", "--text", "x", "--json").json["id"]
    repo.edit("src/auth.py", "def logout(session):\n    session.clear()\n    return len(session) == 0\n", "")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    done = repo("clear", identifier, "--json")
    assert done.code == 1
    (missing,) = [anchor for anchor in done.json["anchors"] if anchor["stale"]]
    assert done.json["missing"] == [missing["id"]] and missing["symbol"] == "logout"
    assert repo("clear", identifier, "--anchor", "src/auth.py#login").code == 0
    assert repo("clear", identifier, "--anchor", "src/auth.py:14").code == 0
    assert repo("clear", identifier, "--anchor", missing["id"]).code == 1


def test_hash(repo: Repository) -> None:
    import hashlib

    right = hashlib.sha256((repo.path / "src/auth.py").read_bytes()).hexdigest()
    record = ("record", "src/auth.py#login", "--kind", "note", "--json")
    assert repo(*record, "--text", "right", "--hash", right).json["stale"] is False
    assert repo(*record, "--text", "right too", "--hash", f"sha256:{right.upper()}").json["stale"] is False
    wrong = repo(*record, "--text", "wrong", "--hash", "0" * 64)
    assert wrong.code == 0 and wrong.json["stale"] is True
    assert repo("check").code == 1
    assert repo("clear", wrong.json["id"]).code == 0
    assert repo("check").code == 0


# -- help and documents ------------------------------------------------------------------------------------------------


def parsers() -> dict[str, argparse.ArgumentParser]:
    return {name: command_parser(name, entry.summary, load(name)) for name, entry in COMMANDS.items()}


def options(parser: argparse.ArgumentParser) -> list[str]:
    return [word for action in parser._actions for word in action.option_strings if word not in ("-h", "--help")]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/cli.md")]
    documented = "\n".join(texts)
    assert f"moorline {name}" in documented
    for option in options(parsers()[name]):
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", documented), option


def test_the_document_promises_no_option_that_is_not_there() -> None:
    there = {option for parser in parsers().values() for option in options(parser)} | {"--help", "--version"}
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", (ROOT / "docs/cli.md").read_text(encoding="utf-8")))
    assert told <= there


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_short_and_has_examples(name: str, repo: Repository) -> None:
    done: Done = repo(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: moorline {name} ")
    assert name == "demo" or f"moorline {name}" in done.out.partition("examples:")[2]
    assert len(done.out.splitlines()) < 60


def test_overview_names_every_command(repo: Repository) -> None:
    for words in (("--help",), ("help",), ("-h",)):
        done = repo(*words)
        assert done.code == 0 or words == ("help",)
        if words != ("help",):
            assert all(re.search(rf"^  {name} ", done.out, re.MULTILINE) for name in COMMANDS)
    assert repo("help", "check").out == repo("check", "--help").out


def test_documented_memory_keys(repo: Repository) -> None:
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8").partition("## JSON")[2]
    block = text.partition("```")[2].partition("```")[0]
    memory = repo("record", "README.md", "--kind", "note", "--text", "x", "--json").json
    told = {"created", "initialized", "proposed_checks", "near", "conflicts"}
    assert set(memory) - told | set(memory["anchors"][0]) == names(block)
    assert json.loads(repo("list", "--json").out)["memories"][0].keys() <= set(memory)
