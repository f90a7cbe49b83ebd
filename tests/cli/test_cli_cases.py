"""Cases from the field: worktrees (13), shifted lines (17), real changes (19), texts that want to act (42)."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Repository


def record(repo: Repository, place: str, text: str = "Keep.", *more: str, cwd: str = "") -> dict[str, Any]:
    done = repo("record", place, "--kind", "decision", "--text", text, "--json", *more, cwd=cwd)
    assert done.code == 0, done
    answer: dict[str, Any] = done.json
    return answer


def anchors(repo: Repository, cwd: str = "") -> list[dict[str, Any]]:
    return [one for memory in repo("check", "--json", cwd=cwd).json["memories"] for one in memory["anchors"]]


def verdict(repo: Repository, cwd: str = "") -> tuple[str, int]:
    """The verdict of the only anchor, and the exit code of the check."""
    (anchor,) = anchors(repo, cwd)
    return anchor["verdict"], repo("check", cwd=cwd).code


# -- 13: worktrees -----------------------------------------------------------------------------------------------------


def test_worktree(repo: Repository) -> None:
    record(repo, "src/auth.py#login", "Shared.")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "a decision")
    repo.git("worktree", "add", "-q", "../wt", "-b", "t")
    assert verdict(repo, "../wt") == ("fresh", 0)

    record(repo, "src/auth.py#logout", "Local, from the worktree.", "--local", cwd="../wt")
    repo.edit("../wt/src/auth.py", 'name + ":" + password', 'name + "/" + password')
    stale = {one["symbol"]: one["stale"] for one in anchors(repo, "../wt")}
    assert stale == {"login": True, "logout": False}
    assert {one["symbol"]: one["stale"] for one in anchors(repo)} == {"login": False, "logout": False}

    shared = record(repo, "src/auth.py#Provider.decode", "Shared, from the worktree.", cwd="../wt")
    repo.git("-C", "../wt", "add", "-A")
    repo.git("-C", "../wt", "commit", "-q", "-m", "another one")
    repo.git("worktree", "remove", "--force", "../wt")
    texts = {one["text"] for one in repo("list", "--json").json["memories"]}
    assert texts == {"Shared.", "Local, from the worktree."}
    repo.git("merge", "-q", "t")
    assert shared["id"] in {one["id"] for one in repo("list", "--json").json["memories"]}


def test_worktree_inside_the_main_checkout(repo: Repository) -> None:
    record(repo, "src/auth.py#login")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "a decision")
    repo.git("worktree", "add", "-q", "trees/wt", "-b", "t")
    repo.edit("trees/wt/src/auth.py", 'name + ":" + password', 'name + "/" + password')
    assert verdict(repo, "trees/wt/src") == ("changed", 1)
    assert verdict(repo) == ("fresh", 0)


# -- 17: lines that shift ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("place", "name"), [("src/auth.py#login", "def login"), ("src/auth.py:13-15", "def login"), ("src/auth.py", "")]
)
def test_shifted_lines(place: str, name: str, end: str, repo: Repository) -> None:
    text = (repo.path / "src/auth.py").read_text().replace("\n", end)
    repo.write("src/auth.py", text)
    record(repo, place)
    repo.write("src/auth.py", f"# above{end}" * 30 + text)
    (anchor,) = anchors(repo)
    if not name:
        assert anchor["verdict"] in ("fresh", "reformatted")
        return
    assert anchor["verdict"] == "fresh"
    lines = (repo.path / "src/auth.py").read_text().splitlines()
    there = lines[anchor["now"]["start_line"] - 1 : anchor["now"]["end_line"]]
    assert there[0].startswith(name) and "return provider.verify" in there[-1] and len(there) == 3
    line = anchor["now"]["start_line"]
    assert f"src/auth.py:{line}: " in repo("check", "-v").out
    assert [one["id"] for one in repo("list", f"src/auth.py:{line}", "--json").json["memories"]]
    assert repo("list", "src/auth.py:2", "--json").json["memories"] == []


def test_signature_split_over_lines(repo: Repository) -> None:
    record(repo, "src/auth.py#login")
    repo.edit("src/auth.py", "def login(name, password):", "def login(\n    name,\n    password,\n):")
    (anchor,) = anchors(repo)
    assert (anchor["verdict"], anchor["now"]["start_line"], anchor["now"]["end_line"]) == ("reformatted", 13, 18)


# -- 19: what is a change ----------------------------------------------------------------------------------------------

PAY = """\
@auth
def pay(amount, currency="EUR"):
    # Round first.
    if amount < 3:
        raise ValueError('too small')
    return book(amount, currency)
"""

SAME = {
    "comment": ("# Round first.", "# Round it first, of course."),
    "blank lines": ("    return book", "\n\n    return book"),
    "re-wrapped with a trailing comma": ("book(amount, currency)", "book(\n        amount,\n        currency,\n    )"),
    "quotes": ("'too small'", '"too small"'),
    "a docstring": ("    # Round first.", '    """Pays."""\n    # Round first.'),
}

CHANGES = {
    "constant": ("< 3", "< 4"),
    "operator": ("< 3", "<= 3"),
    "decorator": ("@auth\n", ""),
    "default": ('"EUR"', '"USD"'),
    "parameter order": ('amount, currency="EUR"', 'currency, amount="EUR"'),
    "body indented": ("    return book", "        return book"),
    "text": ("'too small'", "'too  small'"),
}


@pytest.mark.parametrize(("old", "new"), SAME.values(), ids=SAME.keys())
def test_what_is_no_change(old: str, new: str, repo: Repository) -> None:
    repo.write("src/pay.py", PAY)
    record(repo, "src/pay.py#pay")
    repo.edit("src/pay.py", old, new)
    assert verdict(repo) == ("reformatted", 0)


@pytest.mark.parametrize(("old", "new"), CHANGES.values(), ids=CHANGES.keys())
def test_what_is_a_change(old: str, new: str, repo: Repository) -> None:
    repo.write("src/pay.py", PAY)
    record(repo, "src/pay.py#pay")
    repo.edit("src/pay.py", old, new)
    assert verdict(repo) == ("changed", 1)
    repo.edit("src/pay.py", (repo.path / "src/pay.py").read_text(), PAY)
    assert verdict(repo) == ("fresh", 0)


# -- 42: texts that want to act ----------------------------------------------------------------------------------------

ACTING = {
    "colour": "red \x1b[31malert\x1b[0m",
    "title": "\x1b]0;owned\x07 title",
    "link": "\x1b]8;;http://x.invalid\x1b\\click\x1b]8;;\x1b\\",
    "eight-bit": "\x9b31m eight bits",
    "carriage return": "harmless\rEVIL",
    "backspace": "ab\x08\x08cd",
    "direction": "admin\u202egnp.exe",
    "isolate": "a\u2066b\u2069c",
    "bell": "ding\x07",
    "long": "x" * 5_000 + " end",
    "annotation": "one\n::error file=a.py::two",
    "rich markup": "[bold red]loud[/] [link=http://x.invalid]here[/link]",
    "table": "a\tb\tc",
}


def acts(text: str) -> list[str]:
    """The characters of an output that a terminal would act on, or that turn the order of letters."""
    return [one for one in text if one not in "\n\t" and unicodedata.category(one) in ("Cc", "Cf")]


@pytest.mark.parametrize("text", ACTING.values(), ids=ACTING.keys())
def test_texts_that_want_to_act(text: str, repo: Repository) -> None:
    words = ("--tag", text[:60], "--author", text[:60])
    identifier = record(repo, "src/auth.py#login", text, *words)["id"]
    repo.edit("src/auth.py", 'name + ":" + password', 'name + "/" + password')
    for command in (("list",), ("check",), ("show", identifier), ("diff", identifier), ("clear", identifier)):
        plain, as_json = repo(*command), repo(*command, "--json")
        assert not acts(plain.out + plain.err), command
        assert not acts(as_json.out), command
        json.loads(as_json.out)
    (line,) = repo("list").out.splitlines()
    assert line.count("\t") == 4
    assert len(line) < 400
    assert "[/]" in repo("show", identifier).out or "[/]" not in text
    repo.edit("src/auth.py", 'name + "/" + password', 'name + "|" + password')
    assert not [line for line in repo("check").out.splitlines() if line.startswith("::")]


def test_names_that_want_to_act(repo: Repository) -> None:
    repo.write("src/a\u202eb.py", "def f():\n    return [1, 2, 3]\n")
    record(repo, "src/a\u202eb.py#f")
    for command in (("list",), ("check", "-v")):
        assert not acts(repo(*command).out)
    done = repo("record", "src/\x1b[31m.py", "--kind", "note", "--text", "x")
    assert done.code == 2 and not acts(done.err)


# -- a ledger that is damaged ------------------------------------------------------------------------------------------


def test_one_damaged_file_stops_nothing_else(repo: Repository) -> None:
    good = record(repo, "src/auth.py#login", "Good.")
    bad = record(repo, "src/auth.py#logout", "Bad.")
    (path,) = [one for one in repo.path.glob(".moorline/memories/*/memory.md") if bad["id"][:8] in str(one)]
    path.write_bytes(b"<<<<<<< ours\n\xff\xfe\x00\n")
    name = path.relative_to(repo.path).as_posix()
    done = repo("check", "--json")
    assert done.code == 0
    assert good["id"] in {one["id"] for one in done.json["memories"]}
    assert [problem["file"] for problem in done.json["problems"]] == [name]
    assert repo("check", "--fail-on", "unverifiable").code == 1
    assert name in repo("check").out
    doctor = repo("doctor", "--json")
    assert doctor.code == 1
    (fault,) = [one for one in doctor.json["checks"] if one["level"] == "fault"]
    assert name in fault["detail"] and fault["mend"]
    assert repo("clear", good["id"]).code == 0


def test_a_ledger_that_cannot_be_listed_is_not_an_empty_one(repo: Repository) -> None:
    assert repo("init").code == 0
    folder = repo.path / ".moorline" / "memories"
    if folder.exists():
        folder.rmdir()
    folder.write_text("no folder")
    done = repo("check")
    assert done.code == 2
    assert ".moorline/memories: damaged" in done.out and "no memory could be read" in done.out
    assert "no memories yet" not in done.out


def test_ids_are_unique_prefixes(repo: Repository) -> None:
    ids = [record(repo, "src/auth.py#login", f"Number {number}.")["id"] for number in range(20)]
    firsts = [one[0] for one in ids]
    twice = next(first for first in firsts if firsts.count(first) > 1)
    done = repo("show", twice)
    assert done.code == 2 and "could be" in done.err and done.err.count("\n") == 1
    for identifier in ids:
        length = next(n for n in range(1, 37) if sum(one.startswith(identifier[:n]) for one in ids) == 1)
        assert repo("show", identifier[:length], "--json").json["id"] == identifier
        assert repo("show", identifier.upper(), "--json").json["id"] == identifier
