"""Looking back, choosing, and forgetting, as typed: history, list with its filters, --as-of, forget."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Done, Repository

HISTORY_KEYS = {
    *(
        "version",
        "id",
        "kind",
        "state",
        "current",
        "text",
        "disputed",
        "rivals",
        "chain",
        "problem",
        "forgotten",
        "events",
    )
}
EVENT_KEYS = {
    *("id", "type", "time", "author", "author_kind", "revision", "at", "after", "what", "why", "evidence", "rival"),
    *("undone_by", "by_time", "fault"),
}


def record(repo: Repository, text: str, *more: str, kind: str = "decision", place: str = "src/auth.py#login") -> str:
    done = repo("record", place, "--kind", kind, "--text", text, "--json", *more)
    assert done.code == 0, done
    return str(done.json["id"])


def ok(done: Done) -> Done:
    assert done.code == 0, done
    return done


def commit(repo: Repository, message: str = "work") -> str:
    repo.git("add", "-A")
    repo.git("commit", "-q", "--allow-empty", "-m", message)
    return repo.git("rev-parse", "HEAD").strip()


def told(repo: Repository, identifier: str, *more: str) -> list[tuple[str, str | None]]:
    """What happened to a memory and why, event by event."""
    answer = ok(repo("history", identifier, "--json", *more)).json
    return [(event["what"], event["why"]) for event in answer["events"]]


def texts(repo: Repository, *words: str) -> list[str]:
    return [memory["text"] for memory in ok(repo("list", "--json", *words)).json["memories"]]


# -- history -----------------------------------------------------------------------------------------------------------


def test_history_tells_everything_in_order(repo: Repository) -> None:
    identifier = record(repo, "Keep.", "--tag", "hot")
    ok(repo("clear", identifier, "--note", "read it again"))
    ok(repo("evidence", identifier, "add", "url:https://example.org/7"))
    ok(repo("pin", identifier))
    ok(repo("reanchor", identifier, "src/auth.py#logout"))
    ok(repo("retire", identifier, "--reason", "the endpoint is gone", "--author", "agent:bob"))
    ok(repo("undo", identifier, "--reason", "it is not"))
    ok(repo("transition", identifier, "rejected", "--reason", "too slow"))
    answer = ok(repo("history", identifier[:8], "--json")).json
    assert set(answer) == HISTORY_KEYS and answer["version"] == 1 and answer["forgotten"] is False
    assert all(set(event) == EVENT_KEYS for event in answer["events"])
    assert [(event["type"], event["what"], event["why"]) for event in answer["events"]] == [
        ("recorded", "recorded at src/auth.py#login, accepted", None),
        ("baseline", "accepted the code of src/auth.py#login", None),
        ("baseline", "accepted the code of src/auth.py#login", "read it again"),
        ("evidence", "gave evidence: url:https://example.org/7", None),
        ("pinned", "pinned", None),
        ("reanchored", "re-anchored from src/auth.py#login to src/auth.py#logout", None),
        ("baseline", "accepted the code of src/auth.py#logout", None),
        ("retired", "retired", "the endpoint is gone"),
        ("undone", "took back: retired", "it is not"),
        ("transitioned", "from accepted to rejected", "too slow"),
    ]
    events = {event["type"]: event for event in answer["events"]}
    assert events["retired"]["undone_by"] == events["undone"]["id"]
    assert [event["undone_by"] for event in answer["events"] if event["type"] != "retired"] == [None] * 9
    assert (events["retired"]["author"], events["retired"]["author_kind"]) == ("agent:bob", "agent")
    assert events["recorded"]["author_kind"] == "human"
    assert events["evidence"]["evidence"][0]["value"] == "https://example.org/7"
    head = repo.git("rev-parse", "HEAD").strip()
    assert {event["revision"] for event in answer["events"]} == {head}
    for earlier, later in zip(answer["events"], answer["events"][1:], strict=False):
        assert later["after"] == [earlier["id"]]
    lines = ok(repo("history", identifier)).out.splitlines()
    assert len(lines) == 10 and all(line.count("\t") == 5 for line in lines)
    assert lines[7].split("\t")[1:5] == ["agent:bob", head[:12], "retired", "the endpoint is gone"]
    assert lines[7].endswith(f"undone by {events['undone']['id'][:13]}")


def test_why_did_this_change(repo: Repository) -> None:
    """Who said what and when, and what became of the code since, in one call."""
    identifier = record(repo, "Keep.")
    first = commit(repo)
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    second = commit(repo)
    answer = ok(repo("history", identifier, "--diff", "--json")).json
    assert set(answer) == HISTORY_KEYS | {"diff"}
    (anchor,) = answer["diff"]
    assert (anchor["stale"], anchor["since"]["revision"]) == (True, second)
    assert '-    return provider.verify(name + ":" + password)' in [line.rstrip() for line in anchor["diff"]]
    lines = ok(repo("history", identifier, "--diff")).out.splitlines()
    assert lines[0].split("\t")[3] == "recorded at src/auth.py#login, accepted"
    assert '+    return provider.verify(name + "/" + password)' in lines
    then = ok(repo("history", identifier, "--diff", "--as-of", first, "--json")).json
    assert [one["stale"] for one in then["diff"]] == [False]


def test_history_names_what_took_over(repo: Repository) -> None:
    first = record(repo, "Five minutes.")
    second = ok(repo("supersede", first, "--text", "Ten minutes.", "--json")).json["id"]
    third = ok(repo("supersede", second, "--text", "An hour.", "--reason", "audit", "--json")).json["id"]
    assert told(repo, first)[-1][0] == f"superseded by {second[:8]}"
    assert (f"took over from {second[:8]}", None) in told(repo, third)
    for one in (first, second, third):
        for command in ("history", "show"):
            chain = ok(repo(command, one, "--json")).json["chain"]
            assert [(link["id"], link["current"]) for link in chain] == [(first, False), (second, False), (third, True)]


def test_rivals_are_told(repo: Repository) -> None:
    identifier = record(repo, "Keep.")
    commit(repo)
    repo.git("branch", "other")
    ok(repo("retire", identifier, "--reason", "gone"))
    commit(repo)
    repo.git("checkout", "-q", "other")
    ok(repo("transition", identifier, "rejected", "--reason", "never"))
    commit(repo)
    repo.git("merge", "-q", "--no-edit", "main")
    answer = ok(repo("history", identifier, "--json")).json
    assert answer["disputed"] and {rival["state"] for rival in answer["rivals"]} == {"retired", "rejected"}
    assert {event["type"] for event in answer["events"] if event["rival"]} == {"retired", "transitioned"}
    assert ok(repo("history", identifier)).out.count("at odds with another one") == 2
    assert texts(repo, "--disputed") == ["Keep."] and texts(repo, "--state", "accepted", "--disputed") == ["Keep."]
    ok(repo("transition", identifier, "retired"))
    assert texts(repo, "--disputed", "--all") == []


def test_history_of_what_is_damaged(repo: Repository) -> None:
    identifier = record(repo, "Keep.")
    (memory,) = repo.path.glob(".moorline/memories/*/memory.md")
    whole = memory.read_text()
    ok(repo("list"))
    memory.write_text(f"<<<<<<< HEAD\n{whole}=======\n{whole}>>>>>>> x\n")
    (memory.parent / "20270101T000000Z-zz.json").write_text(
        '{"id": "zz", "type": "translated", "time": "2027-01-01T00:00:00Z", "after": []}'
    )
    (memory.parent / "20270102T000000Z-yy.json").write_text(
        '{"id": "yy", "type": "transitioned", "time": "2027-01-02T00:00:00Z", "after": []}'
    )
    answer = ok(repo("history", identifier, "--json")).json
    assert "merge conflict" in answer["problem"]
    assert [event["what"] for event in answer["events"]][2:] == ["translated", "settled as "]
    assert [event["fault"] for event in answer["events"]][2:] == [None, "has no 'to'"]
    assert repo("history", "ffff").err == "moorline history: no memory ffff; moorline list --all shows every id\n"
    assert repo("history", "").code == 2


def test_what_cannot_be_read_at_all_can_be_forgotten(repo: Repository) -> None:
    identifier = record(repo, "The password is hunter2.")
    (memory,) = repo.path.glob(".moorline/memories/*/memory.md")
    for path in memory.parent.iterdir():
        path.write_bytes(b"\xff hunter2")
    (repo.path / ".moorline/index.db").unlink()
    assert texts(repo, "--all") == []
    done = repo("history", identifier)
    assert done.code == 2 and "cannot be read; moorline doctor says what is wrong" in done.err
    assert ok(repo("forget", identifier, "--yes", "--json")).json["files"] == 3
    assert not memory.parent.exists() and ok(repo("history", identifier, "--json")).json["forgotten"]


# -- lists -------------------------------------------------------------------------------------------------------------


def test_what_did_agents_write_this_week(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def at(day: int) -> None:
        time = f"2026-11-{day:02}T12:00:00.000Z"
        monkeypatch.setattr("lsp_server.workspace.session.now", lambda: time)
        monkeypatch.setattr("lsp_server.cli.reading.time_now", lambda: time)

    at(2)
    old = record(repo, "Old, by a person.")
    record(repo, "Old, by an agent.", "--author", "agent:bob")
    at(20)
    record(repo, "New, by a person.")
    record(repo, "New, by an agent.", "--author", "agent:Eve")
    ok(repo("transition", old, "proposed", "--author", "agent:bob"))
    at(22)
    agents = ("--author", "agent", "--since", "7d")
    assert texts(repo, *agents) == ["New, by an agent.", "Old, by a person."]
    assert texts(repo, "--author", "human") == ["New, by a person.", "Old, by a person."]
    assert texts(repo, "--author", "agent:eve") == ["New, by an agent."]
    assert (
        texts(repo, "--author", "Ann") == texts(repo, "--author", "ann@example.org") == texts(repo, "--author", "human")
    )
    assert texts(repo, "--author", "nn") == []
    assert texts(repo, "--until", "2026-11-02") == ["Old, by an agent.", "Old, by a person."]
    assert texts(repo, "--until", "2026-11-02T11:59:59Z") == []
    assert texts(repo, "--since", "2026-11-20T13:00:00+01:00", "--author", "human") == ["New, by a person."]
    assert texts(repo, "--since", "1h") == []
    for wrong in ("soon", "7", "2026-13-01", "7 apples", "999999999d"):
        done = repo("list", "--since", wrong)
        assert done.code == 2 and done.err.count("\n") == 1 and "is no time; write it like" in done.err


def test_which_fixes_nobody_verified(repo: Repository) -> None:
    finding = record(repo, "It leaks.", kind="finding")
    record(repo, "It loops.", kind="finding")
    assert texts(repo, "--state", "fixed_unverified") == []
    ok(repo("transition", finding, "fixed_unverified", "--revision", "HEAD"))
    assert texts(repo, "--state", "fixed_unverified") == ["It leaks."]
    assert texts(repo, "--state", "fixed_unverified", "--kind", "finding", "src") == ["It leaks."]
    assert texts(repo, "--state", "fixed_unverified", "README.md") == []
    gone = record(repo, "Gone.")
    ok(repo("retire", gone, "--reason", "x"))
    assert texts(repo, "--state", "retired") == ["Gone."]
    done = repo("list", "--state", "fixd")
    assert done.code == 2 and "no state 'fixd'; states: " in done.err and "fixed_unverified" in done.err
    assert texts(repo, "--kind", "finding", "--state", "open") == ["It loops."]
    assert repo("list", "--kind", "decision", "--state", "open").code == 2
    assert "kinds: decision, claim" in repo("list", "--kind", "decisions").err


def test_what_contradicts_what(repo: Repository) -> None:
    first = record(repo, "Five minutes.", "--field", "key=token lifetime", kind="claim")
    second = record(repo, "An hour.", "--field", "key=Token  Lifetime", kind="claim", place="src/auth.py#logout")
    record(repo, "Three tries.", "--field", "key=tries", kind="claim")
    record(repo, "Three tries.", "--field", "key=tries", kind="claim", place="src/auth.py#logout")
    record(repo, "Five.", kind="claim")
    answer = ok(repo("list", "--conflicts", "--json")).json
    assert {memory["id"] for memory in answer["memories"]} == {first, second}
    assert answer["conflicts"] == [
        {"kind": "claim", "key": "token lifetime", "place": None, "ids": sorted_by_birth(repo, first, second)}
    ]
    ok(repo("retire", second, "--reason", "it was an hour once"))
    answer = ok(repo("list", "--conflicts", "--json")).json
    assert (answer["memories"], answer["conflicts"]) == ([], [])


def sorted_by_birth(repo: Repository, *ids: str) -> list[str]:
    return sorted(ids, key=lambda one: (ok(repo("show", one, "--json")).json["recorded"], one))


def test_notes_are_the_newest_and_no_more_than_fifty(repo: Repository) -> None:
    lines = [{"anchors": ["README.md"], "kind": "note", "text": f"Note {number}."} for number in range(53)]
    lines.append({"anchors": ["src/auth.py#login"], "kind": "note", "text": "The oldest of them is stale."})
    ok(repo("record", "--batch", "-", stdin="\n".join(json.dumps(line) for line in reversed(lines))))
    record(repo, "A decision.")
    repo.edit("src/auth.py", 'name + ":"', 'name + "/"')
    answer = ok(repo("list", "--kind", "note", "--json")).json
    assert (len(answer["memories"]), answer["omitted"]) == (50, 4)
    times = [(memory["recorded"], memory["id"]) for memory in answer["memories"]]
    assert times == sorted(times, reverse=True)
    everything = ok(repo("list", "--json")).json
    assert (len(everything["memories"]), everything["omitted"]) == (51, 4)
    assert len(texts(repo, "--limit", "0")) == 55 and len(texts(repo, "--limit", "54")) == 54
    three = ok(repo("list", "--limit", "3", "--json")).json
    assert (len(three["memories"]), three["omitted"]) == (3, 52)
    assert three["memories"][0]["stale"]
    assert "52 more are not shown; --limit 0 shows all" in repo("list", "--limit", "3").err
    assert repo("list", "--limit", "-1").code == 2 and repo("list", "--limit", "x").code == 2


def test_pinned_and_folders(repo: Repository) -> None:
    pinned = record(repo, "Pinned.")
    record(repo, "Elsewhere.", place="README.md")
    ok(repo("pin", pinned))
    assert texts(repo, "--pinned") == ["Pinned."]
    assert texts(repo, "src") == texts(repo, "src/") == texts(repo, "src/auth.py") == ["Pinned."]
    assert texts(repo, ".") == ["Pinned.", "Elsewhere."]


# -- as of -------------------------------------------------------------------------------------------------------------


def test_as_of_a_tag(repo: Repository) -> None:
    identifier = record(repo, "Five minutes.")
    commit(repo, "recorded")
    repo.git("tag", "v1.2")
    commit(repo, "later")
    ok(repo("retire", identifier, "--reason", "gone"))
    commit(repo)
    assert texts(repo) == [] and texts(repo, "--as-of", "v1.2") == ["Five minutes."]
    answer = ok(repo("list", "--as-of", "v1.2", "--json")).json
    assert answer["as_of"]["revision"] == repo.git("rev-parse", "v1.2").strip()
    assert set(answer) == {"version", "memories", "omitted", "as_of"}
    assert set(answer["as_of"]) == {"asked", "revision", "time", "by_time"}
    assert ok(repo("show", identifier, "--as-of", "v1.2", "--json")).json["state"] == "accepted"
    assert told(repo, identifier, "--as-of", "v1.2") == told(repo, identifier)[:-1]
    assert "as of v1.2: " in repo("show", identifier, "--as-of", "v1.2").err
    for command in (("list",), ("show", identifier), ("history", identifier)):
        done = repo(*command, "--as-of", "v9")
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert "no revision 'v9' here; name a commit, a branch or a tag" in done.err


# -- forget ------------------------------------------------------------------------------------------------------------


def test_forget(repo: Repository) -> None:
    kept = record(repo, "Kept.")
    identifier = record(repo, "The password is hunter2.")
    commit(repo)
    commit(repo, "not about it")
    done = repo("forget", identifier[:8])
    assert done.code == 2 and done.err.count("\n") == 1 and "say --yes, or retire it" in done.err
    assert len(texts(repo)) == 2
    answer = ok(repo("forget", identifier[:8], "--yes", "--json")).json
    assert set(answer) == {"version", "id", "forgotten", "files", "folders", "tombstones", "git", "document", "traces"}
    (folder,) = answer["folders"]
    assert re.fullmatch(rf"\.moorline/memories/[a-z0-9-]+-{identifier.replace('-', '')[:12]}", folder)
    assert answer["tombstones"] == [f".moorline/memories/.forgotten/{identifier}"]
    assert answer["git"] == [{"path": folder, "commits": 1, "tracked": True}]
    assert (answer["files"], answer["traces"]) == (3, [])
    assert texts(repo, "--all") == ["Kept."]
    assert not any(b"hunter2" in path.read_bytes() for path in repo.path.glob(".moorline/**/*") if path.is_file())
    assert ok(repo("check")).code == 0

    history = ok(repo("history", identifier, "--json")).json
    assert set(history) == HISTORY_KEYS | {"times", "files"}
    assert (history["forgotten"], history["events"], history["text"]) == (True, [], None)
    assert "was forgotten" in ok(repo("history", identifier)).out
    assert ok(repo("forget", identifier, "--yes", "--json")).json | {"tombstones": []} == {
        **{"version": 1, "id": identifier, "forgotten": True, "files": 0, "folders": [], "tombstones": []},
        **{"git": [], "document": None, "traces": []},
    }
    assert "nothing from before" in repo("forget", identifier, "--yes", "--remains").err
    assert repo("show", identifier).code == 2
    assert ok(repo("show", kept, "--json")).json["text"] == "Kept."

    again = repo("record", "src/auth.py#login", "--kind", "decision", "--text", "The password is hunter2.")
    assert again.code == 2 and "was forgotten on purpose" in again.err and "--again" in again.err
    assert record(repo, "The password is hunter2.", "--again") == identifier
    assert told(repo, identifier)[0][0] == "recorded at src/auth.py#login, accepted"
    ok(repo("pin", identifier))
    assert ok(repo("forget", identifier, "--yes", "--json")).json["files"] == 4
    assert ok(repo("history", identifier, "--json")).json["times"] == 2


def test_what_git_still_has(repo: Repository) -> None:
    """Not committed, staged, committed, and amended away."""
    found = []
    for step in ("written", "staged", "committed", "amended"):
        identifier = record(repo, f"The password is hunter2, {step}.")
        if step != "written":
            repo.git("add", "-A")
        if step in ("committed", "amended"):
            repo.git("commit", "-q", "-m", "x")
        if step == "amended":
            repo.git("rm", "-r", "-q", "--cached", ".moorline")
            repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "y")
        done = ok(repo("forget", identifier, "--yes", "--json")).json
        found.append([(one["commits"], one["tracked"]) for one in done["git"]])
        repo.git("add", "-A")
    assert found == [[], [(0, True)], [(1, True)], [(1, False)]]
    identifier = record(repo, "Staged.")
    repo.git("add", "-A")
    assert "git rm -r --cached .moorline/memories/staged-" in ok(repo("forget", identifier, "--yes")).out
    identifier = record(repo, "Committed.")
    commit(repo)
    assert (
        "git still remembers it, in 1 commit: .moorline/memories/committed-"
        in ok(repo("forget", identifier, "--yes")).out
    )


def test_a_workspace_below_the_top_of_its_repository(repo: Repository) -> None:
    (repo.path / "sub/.moorline").mkdir(parents=True)
    repo.write("sub/b.py", "def h(a):\n    return a + 77\n")
    commit(repo)
    done = ok(repo("record", "b.py#h", "--kind", "note", "--text", "Below.", "--json", cwd="sub"))
    first = commit(repo)
    repo.write("sub/b.py", "def h(a):\n    return a + 78\n")
    (then,) = ok(repo("list", "--as-of", first, "--json", cwd="sub")).json["memories"]
    assert (then["id"], then["stale"]) == (done.json["id"], False)
    assert ok(repo("list", "--stale", "--json", cwd="sub")).json["memories"]
    (kept,) = ok(repo("forget", then["id"], "--yes", "--json", cwd="sub")).json["git"]
    assert repo.git("rev-list", "--count", "--all", "--", kept["path"]).strip() == str(kept["commits"]) == "1"


def test_a_merge_does_not_bring_it_back(repo: Repository) -> None:
    identifier = record(repo, "The password is hunter2.")
    commit(repo)
    repo.git("branch", "old")
    ok(repo("forget", identifier, "--yes"))
    commit(repo)
    repo.git("checkout", "-q", "old")
    ok(repo("pin", identifier))
    commit(repo)
    repo.git("merge", "-q", "--no-edit", "main")
    assert texts(repo, "--all") == []
    (folder,) = repo.path.glob(".moorline/memories/[a-z]*")
    done = repo("check")
    assert f"moorline forget {identifier} --yes erases what came back of it" in done.out + done.err
    assert "1 file of it came back by a merge" in ok(repo("history", identifier)).out
    assert ok(repo("forget", identifier, "--yes", "--json")).json["files"] == 1
    assert not folder.exists() and "forgotten:" not in repo("check").out


def test_forgetting_in_a_worktree(repo: Repository) -> None:
    """Case 13: what is local is erased in the main checkout, what is shared in the worktree's own files."""
    shared = record(repo, "Shared hunter2.")
    commit(repo)
    repo.git("worktree", "add", "-q", "../wt", "-b", "t")
    local = record(repo, "Local hunter2.", "--local")
    ok(repo("list"))
    ok(repo("list", cwd="../wt"))
    answer = ok(repo("forget", local, "--yes", "--json", cwd="../wt")).json
    assert answer["traces"] == [] and answer["git"] == []
    assert texts(repo) == ["Shared hunter2."] and local in ok(repo("history", local)).out
    ok(repo("forget", shared, "--yes", cwd="../wt"))
    assert texts(repo) == ["Shared hunter2."]
    repo.git("-C", "../wt", "add", "-A")
    repo.git("-C", "../wt", "commit", "-q", "-m", "forgotten")
    repo.git("merge", "-q", "t")
    assert texts(repo, "--all") == []
    repo.git("worktree", "remove", "--force", "../wt")
    left = [path for path in repo.path.glob(".moorline/**/*") if path.is_file()]
    assert not any(b"Local hunter2" in path.read_bytes() for path in left)
    assert not any("hunter2" in path.name for path in left)


def test_forgetting_keeps_what_this_version_does_not_know(repo: Repository) -> None:
    """Case 36: entries, tombstones and files of others are left as they are."""
    identifier = record(repo, "The password is hunter2.")
    kept = record(repo, "Kept.")
    top = repo.path / ".moorline/memories"
    (folder,) = top.glob(f"*-{kept.replace('-', '')[:12]}")
    (folder / "memory.md").write_text(
        (folder / "memory.md").read_text().replace("---\n\n", "reviewers: Bo\n---\n\n", 1)
    )
    (folder / "20270101T000000Z-zz.json").write_text(
        '{"id": "zz", "type": "translated", "time": "2027-01-01T00:00:00Z", "after": [], "into": {"x": 1}}'
    )
    (top / ".forgotten").mkdir()
    (top / ".forgotten" / "20270101-of-a-newer-version").write_text("?")
    before: dict[str, Any] = repo.ledger()
    ok(repo("forget", identifier, "--yes"))
    after = repo.ledger()
    gone = {name for name in before if identifier.replace("-", "")[:12] in name}
    assert len(gone) == 3
    new = {name for name in after if name not in before}
    assert new == {f"memories/.forgotten/{identifier}"}
    assert {name: data for name, data in before.items() if name not in gone} == {
        name: data for name, data in after.items() if name not in new
    }
