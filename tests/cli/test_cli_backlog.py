"""`moorline backlog`: what is owed is listed, and the command that it names settles it, run as it is printed."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.features.dues import WHAT
from lsp_server.store.activity import Activity

if TYPE_CHECKING:
    from conftest import Repository

FILLED = {
    "TEXT": "What is true now.",
    "REASON": "It is over.",
    "TEST": "tests/test_auth.py::test_login",
    "FILE#SYMBOL": "src/auth.py#Provider.decode",
}
"""What a person would write in the place of the words in capitals."""


def record(repo: Repository, place: str, kind: str, text: str, *more: str) -> str:
    done = repo("record", *([place] if place else []), "--kind", kind, "--text", text, *more, "--json")
    assert done.code == 0, done.err
    identifier: str = done.json["id"]
    return identifier


OUT = """\
    session.clear()
    audit(session)
    notify(session.owner, session)
    return len(session) == 0
"""
OUT_LATER = """\
    for session in sessions:
        session.clear()
        log(owner)
    audit(sessions)
    notify(owner, sessions)
    return [len(session) for session in sessions]
"""


def changed(repo: Repository) -> None:
    record(repo, "src/auth.py#login", "decision", "Names are joined with a colon.")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')


def changed_in_two_places(repo: Repository) -> None:
    identifier = record(repo, "src/auth.py#login", "decision", "Both go through the provider.")
    record(repo, "src/auth.py#logout", "decision", "Both go through the provider.")
    repo("reanchor", identifier, "src/auth.py#login")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')


def members(repo: Repository) -> None:
    record(repo, "src/auth.py#Provider", "decision", "A provider is one issuer.")
    repo.edit("src/auth.py", "limit=3", "limit=4")


def changed_and_gone(repo: Repository) -> None:
    done = repo("record", "src/auth.py#login", "src/auth.py#logout", "--kind", "decision", "--text", "Both.", "--json")
    assert done.code == 0
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    repo.edit("src/auth.py", "def logout(session):\n    session.clear()\n    return len(session) == 0\n", "")


def gone(repo: Repository) -> None:
    record(repo, "src/auth.py#logout", "decision", "Sessions are cleared.")
    repo.edit("src/auth.py", "def logout(session):\n    session.clear()\n    return len(session) == 0\n", "")


def gone_with_a_candidate(repo: Repository) -> None:
    repo.write("src/out.py", f"def logout(session):\n{OUT}")
    record(repo, "src/out.py#logout", "decision", "Sessions are cleared.")
    repo.write("src/out.py", f"def sign_out(sessions, owner):\n{OUT_LATER}")


def gone_with_two_alike(repo: Repository) -> None:
    gone_with_a_candidate(repo)
    first, second = OUT.replace("== 0", "== 1"), OUT.replace("== 0", "== 2")
    repo.write("src/out.py", f"def sign_out(a):\n{first}\n\ndef leave(a):\n{second}")


def gone_to_a_name_with_a_dash(repo: Repository) -> None:
    gone_with_a_candidate(repo)
    (repo.path / "src/out.py").rename(repo.path / "-out.py")


def the_file_is_gone(repo: Repository) -> None:
    repo.write("src/more.py", "def more(a):\n    return [a, 1, 2]\n")
    record(repo, "src/more.py#more", "decision", "More is a list.")
    (repo.path / "src/more.py").unlink()


def fixed(repo: Repository) -> str:
    identifier = record(repo, "src/auth.py#login", "finding", "A name with a colon breaks it.")
    repo.edit("src/auth.py", 'name + ":"', 'quote(name) + ":"')
    repo.git("commit", "-q", "-am", "fix")
    done = repo("transition", identifier, "fixed_unverified", "--revision", "HEAD")
    assert done.code == 0, done.err
    return identifier


def back_again(repo: Repository) -> None:
    fixed(repo)
    repo.edit("src/auth.py", "quote(name)", "name")


def verified_and_back_again(repo: Repository) -> None:
    evidence = "fix-verification=test:tests/test_auth.py"
    assert repo("transition", fixed(repo), "verified", "--evidence", evidence).code == 0
    repo.edit("src/auth.py", "quote(name)", "name")


def follow_up(repo: Repository) -> None:
    record(repo, "src/auth.py#login", "note", "Ask Bob why.", "--field", "follow_up=ask Bob")


def expired(repo: Repository) -> None:
    record(repo, "src/auth.py#login", "note", "Until the release.", "--expires", "2020-01-31")


def expired_by_its_kind(repo: Repository) -> None:
    record(repo, "src/auth.py#login", "research", "The newest version is 3.")
    repo.write(".moorline/config.toml", "[kinds.research]\nexpires_days = 0.0000001\n")


def carried(repo: Repository) -> None:
    record(repo, "", "carried", "From the old notes.")


def no_baseline(repo: Repository) -> None:
    identifier = record(repo, "src/auth.py#login", "note", "Nobody looked.")
    assert repo("clear", identifier, "--anchor", "src/auth.py#login", "--undo").code == 0


def no_text(repo: Repository) -> None:
    repo.write("src/data.txt", "one\ntwo\n")
    record(repo, "src/data.txt", "note", "Two lines.")
    (repo.path / "src/data.txt").write_bytes(b"\0\1\2" * 100)


def disputed(repo: Repository, *rivals: tuple[str, ...]) -> str:
    """A memory whose state was changed by several writers, none of whom knew of the others."""
    identifier = record(repo, "src/auth.py#login", "decision", "Names are joined.", "--state", "proposed")
    ledger = repo.path / ".moorline" / "memories"
    before = repo.path.parent / "before"
    shutil.copytree(ledger, before)
    kept: dict[str, bytes] = {}
    for words in rivals:
        shutil.rmtree(ledger)
        shutil.copytree(before, ledger)
        done = repo("transition", identifier, *words)
        assert done.code == 0, done.err
        kept |= {name: data for name, data in repo.ledger().items() if name.endswith(".json")}
    for name, data in kept.items():
        (repo.path / ".moorline" / name).write_bytes(data)
    return identifier


def accepted_and_rejected(repo: Repository) -> None:
    disputed(repo, ("accepted",), ("rejected", "--reason", "too slow"))


def rejected_and_accepted(repo: Repository) -> None:
    disputed(repo, ("rejected", "--reason", "too slow"), ("accepted",))


def retired_and_accepted(repo: Repository) -> None:
    disputed(repo, ("accepted",), ("retired", "--reason", "gone"))


def superseded_by_one_and_another(repo: Repository) -> None:
    first = record(repo, "", "decision", "One.")
    second = record(repo, "", "decision", "Another.")
    disputed(repo, ("superseded", "--by", first), ("superseded", "--by", second))


def contradicted(repo: Repository) -> None:
    repo.write("src/limits.py", "LIMIT = 30\n")
    record(repo, "src/limits.py#LIMIT", "decision", "30 at most.", "--check", "equals src/limits.py#LIMIT 30")
    repo.write("src/limits.py", "LIMIT = 60\n")


def a_claim_contradicted(repo: Repository) -> None:
    repo.write("src/limits.py", "LIMIT = 30\n")
    record(repo, "", "claim", "30 at most.", "--check", "equals src/limits.py#LIMIT 30")
    repo.write("src/limits.py", "LIMIT = 60\n")


def two_claims(repo: Repository) -> None:
    record(repo, "", "claim", "30 at most.", "--field", "key=Login  limit")
    record(repo, "src/auth.py#login", "claim", "60 at most.", "--field", "key=login limit")


def a_passage_nobody_accepted(repo: Repository) -> None:
    repo.write("docs/login.md", "Names are joined. @anchor(file=src/auth.py, symbol=login)\n")


def a_passage_whose_code_is_gone(repo: Repository) -> None:
    repo.write("docs/out.md", "Sessions are cleared. @anchor(file=src/auth.py, symbol=logout)\n")
    assert repo("markers", "--accept").code == 0
    repo.edit("src/auth.py", "def logout(session):\n    session.clear()\n    return len(session) == 0\n", "")


def asked(repo: Repository) -> None:
    record(repo, "src/auth.py#login", "note", "Something else.")

    async def ask() -> None:
        activity = Activity(repo.path / ".moorline" / "activity.db")
        for question in ("Why is there a colon?", "why is  there a COLON?"):
            activity.asked(question, False)
        await activity.flush()

    asyncio.run(ask())


STORIES: dict[str, tuple[Callable[[Repository], object], str, str]] = {
    # what happens, the group it is in, how the command begins
    "changed": (changed, "stale", "clear"),
    "changed in two places": (changed_in_two_places, "stale", "clear"),
    "members": (members, "stale", "clear"),
    "gone": (gone, "missing", "retire"),
    "gone, with a candidate": (gone_with_a_candidate, "missing", "reanchor"),
    "gone, with two alike": (gone_with_two_alike, "missing", "reanchor"),
    "gone to a name with a dash": (gone_to_a_name_with_a_dash, "missing", "reanchor"),
    "file gone": (the_file_is_gone, "missing", "retire"),
    "fixed": (fixed, "fixed_unverified", "transition"),
    "back again": (back_again, "regressed", "transition"),
    "verified, and back again": (verified_and_back_again, "regressed", "transition"),
    "follow-up": (follow_up, "follow_up", "transition"),
    "expired": (expired, "expired", "retire"),
    "expired by its kind": (expired_by_its_kind, "expired", "retire"),
    "carried": (carried, "carried", "transition"),
    "no baseline": (no_baseline, "unverifiable", "clear"),
    "no text": (no_text, "unverifiable", "reanchor"),
    "accepted and rejected": (accepted_and_rejected, "disputed", "transition"),
    "rejected and accepted": (rejected_and_accepted, "disputed", "transition"),
    "retired and accepted": (retired_and_accepted, "disputed", "transition"),
    "two successors": (superseded_by_one_and_another, "disputed", "transition"),
    "contradicted": (contradicted, "contradicted", "supersede"),
    "a claim, contradicted": (a_claim_contradicted, "contradicted", "supersede"),
    "two claims with one key": (two_claims, "conflict", "transition"),
    "a passage": (a_passage_nobody_accepted, "unverifiable", "clear"),
    "a passage, its code gone": (a_passage_whose_code_is_gone, "missing", "retire"),
    "asked in vain": (asked, "unanswered", "record"),
}


def run_command(repo: Repository, command: str) -> None:
    """Runs a command of the backlog as a shell would, with what only a person knows filled in."""
    words = shlex.split(command)
    for place, filled in FILLED.items():
        words = [word.replace(place, filled) if word.endswith(place) else word for word in words]
    assert words[0] == "moorline"
    done = repo(*words[1:])
    assert done.code == 0, f"{command}\n{done.out}{done.err}"


@pytest.mark.parametrize(("story", "what", "begins"), STORIES.values(), ids=STORIES.keys())
def test_the_command_settles_it(
    story: Callable[[Repository], object], what: str, begins: str, repo: Repository
) -> None:
    story(repo)
    before = repo("backlog", "--json")
    assert before.code == 0 and before.err == ""
    items = [item for item in before.json["items"] if item["what"] == what]
    assert len(items) == 1, before.json["items"]
    (item,) = items
    assert shlex.split(item["command"])[1] == begins
    assert all(isinstance(item[key], str) and item[key] for key in ("title", "detail", "command"))
    run_command(repo, item["command"])
    after = repo("backlog", "--json").json
    assert not [one for one in after["items"] if (one["what"], one["id"]) == (what, item["id"])], item["command"]
    assert all(group["what"] != what for group in after["groups"])


ENDS = [
    (("accepted",), ("rejected", "--reason", "too slow")),
    (("accepted",), ("retired", "--reason", "gone")),
    (("rejected", "--reason", "too slow"), ("retired", "--reason", "gone")),
]


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("rivals", ENDS, ids=[f"{first[0]} or {second[0]}" for first, second in ENDS])
def test_show_names_both_ends_and_what_settles_each(
    rivals: tuple[tuple[str, ...], tuple[str, ...]], end: int, repo: Repository
) -> None:
    identifier = disputed(repo, *rivals)
    shown = repo("show", identifier).out.splitlines()
    assert "disputed" in shown[0] and any(line.startswith("disputed: two writers") for line in shown)
    assert "disputed" in repo("list").out.split("\t")[2]
    assert [one["state"] for one in repo("show", identifier, "--json").json["rivals"]] == [one[0] for one in rivals]
    commands = [line.strip() for line in shown if line.strip().startswith("moorline transition")]
    assert len(commands) == 2 and rivals[end][0] in commands[end]
    reasons = [words[2] for words in rivals if len(words) > 1]
    assert all(any(line.endswith(f": {reason}") for line in shown) for reason in reasons)
    run_command(repo, commands[end])
    settled = repo("show", identifier, "--json").json
    assert (settled["disputed"], settled["state"], settled["rivals"]) == (False, rivals[end][0], [])


def test_show_names_the_step_that_settles_what_is_owed(repo: Repository) -> None:
    identifier = fixed(repo)
    shown = repo("show", identifier).out.splitlines()
    (item,) = repo("backlog", "--json").json["items"]
    assert "fixed, not verified" in shown[0]
    assert shown[shown.index("the fix is not verified:") + 1].strip() == item["command"]
    run_command(repo, item["command"])
    assert "verified" in repo("show", identifier).out.splitlines()[0]
    assert "not verified" not in repo("show", identifier).out


def test_one_after_the_other_until_nothing_is_owed(repo: Repository) -> None:
    changed_and_gone(repo)
    whats = []
    for _ in range(3):
        answer = repo("backlog", "--json").json
        if not answer["items"]:
            break
        whats.append(answer["items"][0]["what"])
        run_command(repo, answer["items"][0]["command"])
    assert whats == ["stale", "missing"]


def test_nothing_owed_is_fine_and_said(repo: Repository) -> None:
    for words in ((), ("--kind", "note"), ("--only", "stale,missing")):
        done = repo("backlog", *words)
        assert (done.code, done.out) == (0, "") and "owed" in done.err
    record(repo, "src/auth.py#login", "decision", "Fine.")
    done = repo("backlog", "--json")
    assert (done.code, done.err) == (0, "")
    assert done.json == {"version": 1, "total": 0, "groups": [], "items": [], "problems": []}


@pytest.fixture
def lived(repo: Repository) -> Repository:
    fixed(repo)
    carried(repo)
    follow_up(repo)
    expired(repo)
    asked(repo)
    gone(repo)
    the_file_is_gone(repo)
    members(repo)
    return repo


def test_groups_count_all_whatever_is_shown(lived: Repository) -> None:
    whole = lived("backlog", "--json", "--limit", "0").json
    assert whole["total"] == len(whole["items"]) == sum(group["count"] for group in whole["groups"])
    assert [group["what"] for group in whole["groups"]] == [
        "stale",
        "missing",
        "fixed_unverified",
        "follow_up",
        "expired",
        "carried",
        "unanswered",
    ]
    assert [item["what"] for item in whole["items"]] == [
        group["what"] for group in whole["groups"] for _ in range(group["count"])
    ]
    some = lived("backlog", "--json", "--limit", "3").json
    assert some["items"] == whole["items"][:3]
    assert (some["groups"], some["total"]) == (whole["groups"], whole["total"])
    only = lived("backlog", "--json", "--only", "carried, missing").json
    assert only["items"] == [item for item in whole["items"] if item["what"] in ("carried", "missing")]
    notes = lived("backlog", "--json", "--kind", "note").json
    assert notes["items"] == [item for item in whole["items"] if item["kind"] == "note"]


def test_it_owes_what_the_list_says(lived: Repository) -> None:
    """The slow twin: the same counts from what every memory answers of itself."""
    counts: dict[str, int] = {}
    for memory in lived("list", "--json").json["memories"]:
        anchors = [(anchor["verdict"], anchor["reason"]) for anchor in memory["anchors"]]
        gone_ones = sum(verdict in ("missing", "file_missing") for verdict, _ in anchors)
        changed_ones = sum(verdict == "changed" and reason != "regressed" for verdict, reason in anchors)
        found = {
            "stale": changed_ones if gone_ones else min(changed_ones, 1),
            "missing": gone_ones,
            memory["state"]: bool(memory["owed"]),
            "expired": memory["expired"],
            "disputed": memory["disputed"],
        }
        for what, number in found.items():
            counts[what] = counts.get(what, 0) + int(number)
    counts["unanswered"] = 1
    groups = lived("backlog", "--json").json["groups"]
    assert {group["what"]: group["count"] for group in groups} == {what: n for what, n in counts.items() if n}


def test_what_check_counts_of_it(lived: Repository) -> None:
    answer = lived("check", "--json").json
    counts = {name: answer["summary"][name] for name in ("owed", "expired", "disputed")}
    memories = answer["memories"]
    assert counts == {"owed": 3, "expired": 1, "disputed": 0}
    assert counts["owed"] == sum(memory["owed"] is not None for memory in memories)
    assert counts["expired"] == sum(memory["expired"] for memory in memories)


def test_a_line_an_entry_in_a_pipe(lived: Repository) -> None:
    done = lived("backlog", "--limit", "4")
    items = lived("backlog", "--json").json["items"]
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert [row[0] for row in rows] == [item["what"] for item in items[:4]]
    assert [row[-1] for row in rows] == [item["command"] for item in items[:4]]
    assert all(len(row) == 7 for row in rows)
    assert f"{len(items) - 4} more" in done.err and "--limit 0" in done.err


def test_in_a_terminal_by_group(lived: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = lived("backlog")
    for group in lived("backlog", "--json").json["groups"]:
        assert f"{group['what'].replace('_', ' ').capitalize()} {group['count']}" in done.out
        assert WHAT[group["what"]] in done.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--only", "stail"), "groups: contradicted, stale"),
        (("--kind", "nite"), "kinds: decision"),
        (("--limit", "-1"), "0 for all"),
        (("--limit", "many"), "0 for all"),
    ],
)
def test_wrong_usage_names_the_mend(words: tuple[str, ...], says: str, repo: Repository) -> None:
    done = repo("backlog", *words)
    assert done.code == 2 and done.out == "" and says in done.err and done.err.count("\n") == 1


def test_hostile_text_stays_on_its_line(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    record(repo, "src/auth.py#login", "note", "\x1b[31mred\u202e\nmore\ttabs", "--field", "follow_up=\x1b[2J\nboo\tx")
    done = repo("backlog")
    assert len(done.out.splitlines()) == 1 and done.out.count("\t") == 6 and "\x1b" not in done.out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b[2J" not in repo("backlog").out and "\u202e" not in repo("backlog").out


def test_what_is_used_most_comes_first(repo: Repository) -> None:
    ids = [record(repo, "src/auth.py#login", "note", text) for text in ("One.", "Two.", "Three.")]
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    for identifier in (ids[1], ids[1], ids[2]):
        assert repo("show", identifier).code == 0
    items: list[dict[str, Any]] = repo("backlog", "--json").json["items"]
    assert [item["id"] for item in items] == [ids[1], ids[2], ids[0]]
    assert items[0]["heat"] > items[1]["heat"] > items[2]["heat"] == 0
    repo.write(".moorline/config.toml", "activity = false\n")
    assert {item["heat"] for item in repo("backlog", "--json").json["items"]} == {0}


def test_counting_can_be_turned_off(repo: Repository) -> None:
    identifier = record(repo, "src/auth.py#login", "note", "One.")
    repo.write(".moorline/config.toml", "activity = false\n")
    assert repo("show", identifier).code == 0
    assert not (repo.path / ".moorline" / "activity.db").exists()


def test_a_damaged_activity_database_is_set_aside_and_said(repo: Repository, caplog: pytest.LogCaptureFixture) -> None:
    changed(repo)
    path = repo.path / ".moorline" / "activity.db"
    path.write_bytes(b"no database" * 500)
    done = repo("backlog", "--json")
    assert done.code == 0 and len(done.json["items"]) == 1
    (said,) = caplog.messages
    assert f"{path} was damaged" in said and "set aside as activity.db.aside" in said and "\n" not in said
    assert path.with_name("activity.db.aside").read_bytes() == b"no database" * 500
    assert repo("backlog").code == 0 and len(caplog.messages) == 1


def test_a_damaged_memory_is_said(repo: Repository) -> None:
    changed(repo)
    (path,) = repo.path.glob(".moorline/memories/*/memory.md")
    path.write_text("<<<<<<< ours\n" + path.read_text() + "=======\n>>>>>>> theirs\n")
    answer = repo("backlog", "--json").json
    assert [problem["file"] for problem in answer["problems"]] == [path.relative_to(repo.path).as_posix()]
    assert "damaged" in repo("backlog").err
