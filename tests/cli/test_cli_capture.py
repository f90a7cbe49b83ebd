"""`moorline capture`, as it is typed: shown first, kept on request, what is known is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

TALK = """\
User: Hello!
User: We decided to check tokens before the body is read. @anchor(file=src/auth.py, symbol=Provider.verify)
User: The parser in `src/auth.py` crashes on tokens without a dot.
"""
FAULTY = "We decided to check tokens first. @anchor(file=src/auth.py, symbol=logn)\n"


def test_from_standard_input(repo: Repository) -> None:
    done = repo("capture", stdin=TALK)
    assert done.code == 0 and not (repo.path / ".moorline").exists()
    assert done.out.splitlines() == [
        "1  ◆ Decision  new",
        "    We decided to check tokens before the body is read.",
        "    at src/auth.py#Provider.verify",
        "2  ● Finding  new",
        "    The parser in `src/auth.py` crashes on tokens without a dot.",
        "    perhaps at src/auth.py",
        "nothing is kept yet; add --yes",
    ]
    assert "1 line passed over: greeting" in done.err


def test_from_a_file_and_again(repo: Repository) -> None:
    repo.write("talk.txt", TALK)
    done = repo("capture", "talk.txt", "--yes", "--author", "agent:scribe", "--json")
    assert done.code == 0 and done.json["applied"] and done.json["summary"]["kept"] == 2
    assert ".moorline" in done.err
    (decision,) = repo("list", "src/auth.py#Provider.verify", "--json").json["memories"]
    assert (decision["author"], decision["author_kind"]) == ("agent:scribe", "agent")
    again = repo("capture", "talk.txt", "--yes", "--json")
    assert again.code == 0 and again.json["summary"]["known"] == 2 and again.json["summary"]["kept"] == 0


def test_only_some_with_their_suggested_places_on_this_machine(repo: Repository) -> None:
    done = repo("capture", "-", "--yes", "--only", "2", "--suggested", "--local", "--json", stdin=TALK)
    assert [one["status"] for one in done.json["proposals"]] == ["new", "kept"]
    (memory,) = repo("list", "--json").json["memories"]
    assert memory["home"] == "local" and [at["file"] for at in memory["anchors"]] == ["src/auth.py"]


def test_what_cannot_be_kept_makes_the_exit_code(repo: Repository) -> None:
    shown = repo("capture", stdin=FAULTY)
    assert shown.code == 0 and "nearest: login" in shown.out
    done = repo("capture", "--yes", stdin=FAULTY + "\n" + TALK)
    assert done.code == 1 and "kept 2 of 3 proposals" in done.out
    assert repo("capture", "--yes", "--only", "2", stdin=FAULTY + "\n" + TALK).code == 0


def test_nearly_the_same_is_offered_as_an_update(repo: Repository) -> None:
    first = "We decided to check tokens against the key set of the provider before the request body is read by anybody."
    known = repo("record", "--kind", "decision", "--text", first, "--json").json["id"]
    later = first.replace(" by anybody", "")
    done = repo("capture", "--yes", stdin=later)
    assert f"moorline supersede {known[:8]} --text '{later}'" in done.out and "--force" in done.out
    assert repo("capture", "--yes", "--force", "--json", stdin=later).json["summary"]["kept"] == 1


def test_wrong_usage_is_one_line_with_a_mend(repo: Repository) -> None:
    repo.write("bad.txt", "x").write_bytes(b"\xff\xfe\x00")
    for words, said in (
        (("gone.txt",), "gone.txt: No such file or directory; name a file"),
        (("bad.txt",), "bad.txt is not UTF-8 at byte 0"),
        (("bad.txt", "--only", "x"), "write it like 1,3"),
    ):
        done = repo("capture", *words)
        assert done.code == 2 and said in done.err and len(done.err.splitlines()) == 1
    empty = repo("capture", stdin="Thanks!\n")
    assert empty.code == 0 and "nothing in it is worth keeping" in empty.out


def test_a_conflict_is_told_and_dismissed(repo: Repository) -> None:
    said = "Tokens are cached in memory for the length of a request."
    place = "src/auth.py#login"
    first = repo("record", place, "--kind", "decision", "--text", said, "--json").json["id"]
    done = repo("record", place, "--kind", "decision", "--text", said.replace("are cached", "are never cached"))
    assert f"in conflict with {first[:8]} about {place}" in done.err
    (conflict,) = repo("list", "--conflicts", "--json").json["conflicts"]
    (other,) = (one for one in conflict["ids"] if one != first)
    assert repo("dismiss", first, other, "--reason", "one is of tests").code == 0
    assert repo("list", "--conflicts", "--json").json["conflicts"] == []
    again = repo("dismiss", first, other, "--reason", "one is of tests")
    assert again.code == 2 and "dismissed already" in again.err


def test_what_is_nearly_known_is_recorded_and_said(repo: Repository) -> None:
    said = "Tokens are checked against the key set of the provider before the body of the request is read by anybody."
    first = repo("record", "--kind", "note", "--text", said, "--json").json["id"]
    done = repo("record", "--kind", "note", "--text", said.replace(" by anybody", ""))
    assert done.code == 0 and f"moorline transition {first[:8]} superseded --by" in done.err


def test_consolidate_shows_merges_and_is_taken_back(repo: Repository) -> None:
    said = (
        "Tokens are checked against the current key set of the provider, which rotates every night, before the gateway"
        " reads the body of any request or opens a connection to the database."
    )
    first = repo("record", "--kind", "decision", "--text", said, "--json").json["id"]
    later = repo("record", "--kind", "decision", "--text", said.replace("current ", ""), "--json").json["id"]
    done = repo("consolidate")
    assert done.code == 0 and "can be merged" in done.out and "add --apply" in done.out
    assert len(repo("list", "--json").json["memories"]) == 2
    merged = repo("consolidate", "--apply", "--author", "agent:tidy")
    assert merged.code == 0 and f"moorline undo {later[:8]}" in merged.out and "merged 1 memory" in merged.out
    assert [one["id"] for one in repo("list", "--json").json["memories"]] == [first]
    assert repo("consolidate").out.strip() == "nothing says nearly the same twice"
    assert repo("undo", later).code == 0
    assert repo("consolidate", "--json", "--kind", "decision").json["summary"]["mergeable"] == 1
    wrong = repo("consolidate", "--only", "7")
    assert wrong.code == 2 and "there is no cluster 7; there are 1" in wrong.err


def test_work_is_left_and_gone_on_with(repo: Repository) -> None:
    empty = repo("resume")
    assert empty.code == 0 and "nothing to go on from yet" in empty.out
    done = repo(
        *("checkpoint", "--summary", "-", "--decision", "Errors carry their line.", "--open", "What of tabs?"),
        *("--next", "Write the errors.", "--entity", "Parser", "--file", "src/auth.py", "--author", "agent:x"),
        stdin="The parser is done.\nOn branch main\n",
    )
    assert done.code == 0 and "kept on this machine" in done.out and "repository state" in done.err
    assert repo.git("status", "--porcelain", "--", ".moorline/local") == ""
    page = repo("resume")
    for said in ("Left at", "The parser is done.", "Write the errors.", "What of tabs?", "src/auth.py", "agent:x"):
        assert said in page.out
    assert "On branch" not in page.out
    answer = repo("resume", "the parser", "--bytes", "2048", "--json")
    assert len(answer.out.encode()) <= 2048 and answer.json["checkpoint"]["author"] == "agent:x"
    outside = repo("checkpoint", "--summary", "x", "--file", "../../x")
    assert outside.code == 2 and len(outside.err.splitlines()) == 1
    assert repo("resume", "--bytes", "1").code == 2
