"""No trick with a path gets outside of the workspace (case 10), and a place means the same wherever one stands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Done, Repository

SECRET = "def secret():\n    return 'hunter2-hunter2'\n"


@pytest.fixture
def beset(repo: Repository) -> Repository:
    """The repository with a secret beside it, a sibling whose name begins with its own, and links that lead out."""
    around = repo.path.parent
    (around / "x.py").write_text(SECRET)
    (around / "proj-evil").mkdir()
    (around / "proj-evil" / "a.py").write_text(SECRET)
    (around / "outside").mkdir()
    (around / "outside" / "secret.py").write_text(SECRET)
    (repo.path / "link").symlink_to(around / "outside")
    (repo.path / "alias.py").symlink_to(around / "x.py")
    (repo.path / "loop").symlink_to("loop")
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "Good.")
    return repo


TRICKS = {
    "dots": "../x.py",
    "dots inside": "src/../../x.py",
    "dots to nothing": "../nothing.py",
    "absolute": "{around}/x.py",
    "absolute system": "/etc/passwd",
    "sibling": "{around}/proj-evil/a.py",
    "sibling by dots": "../proj-evil/a.py",
    "through a link": "link/secret.py",
    "through a link to nothing": "link/new/none.py",
    "a link itself": "alias.py",
    "a loop": "loop/x.py",
    "long": "a" * 5000,
    "long in parts": "b/" * 2500 + "c.py",
    "git's own": ".git/config",
    "backslashes": "..\\x.py",
    "network": "//server/share/x.py",
}


def check_refused(done: Done, repo: Repository, before: dict[str, bytes]) -> None:
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert len(done.err) < 300
    assert "hunter2" not in done.err and "root:" not in done.err
    assert repo.ledger() == before


@pytest.mark.parametrize("symbol", ["", "#secret", ":1", ":1-2"])
@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS.keys())
def test_record_refuses(trick: str, symbol: str, beset: Repository) -> None:
    before = beset.ledger()
    place = trick.format(around=beset.path.parent) + symbol
    check_refused(beset("record", place, "--kind", "note", "--text", "Bad."), beset, before)


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS.keys())
def test_looking_and_re_anchoring_refuse(trick: str, beset: Repository) -> None:
    before = beset.ledger()
    identifier = beset("list", "--json").json["memories"][0]["id"]
    place = trick.format(around=beset.path.parent)
    for words in (
        ("check", place),
        ("list", place),
        ("list", f"{place}#secret"),
        ("reanchor", identifier, f"{place}#secret"),
        ("clear", identifier, "--anchor", place),
        ("diff", identifier, "--anchor", f"{place}:1"),
    ):
        check_refused(beset(*words), beset, before)


def test_a_batch_refuses_each_and_keeps_the_good(beset: Repository) -> None:
    tricks = [trick.format(around=beset.path.parent) for trick in TRICKS.values()]
    tricks += ["nul\0.py", "src/auth.py\0"]
    lines = []
    for trick in tricks:
        for anchor in (f"{trick}#secret", {"file": trick, "symbol": "secret"}, {"file": trick, "line": 1}):
            lines.append(json.dumps({"anchors": [anchor], "kind": "note", "text": "Bad."}))
    lines.append(json.dumps({"anchors": ["src/auth.py#logout"], "kind": "note", "text": "Also good."}))
    done = beset("record", "--batch", "-", stdin="\n".join(lines))
    *refused, good = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert len(refused) == 3 * len(tricks)
    assert all(set(answer) == {"error", "line"} and len(answer["error"]) < 300 for answer in refused)
    assert "hunter2" not in done.out
    assert good["anchors"][0]["verdict"] == "fresh"
    assert len(beset("list", "--json").json["memories"]) == 2


@pytest.mark.parametrize("trick", [trick for name, trick in TRICKS.items() if name != "backslashes"])
def test_a_ledger_edited_by_hand_cannot_tell_either(trick: str, beset: Repository) -> None:
    place = trick.format(around=beset.path.parent)
    memory = next(beset.path.glob(".moorline/memories/*/memory.md"))
    text = memory.read_text()
    assert "src/auth.py#login" in text
    memory.write_text(text.replace("src/auth.py#login", f"{place}#secret"))
    beset("record", "src/auth.py#logout", "--kind", "note", "--text", "Also good.")
    before = beset.ledger()
    done = beset("check", "--json")
    said = {anchor["verdict"] for one in done.json["memories"] for anchor in one["anchors"]}
    bad = [a for one in done.json["memories"] if one["text"] == "Good." for a in one["anchors"]]
    assert said == {"unverifiable", "fresh"} or (not bad and done.json["problems"])
    assert all(anchor["now"] is None and anchor["reason"] == "outside" for anchor in bad)
    shown = done.out + beset("check").out + beset("check").err
    for one in done.json["memories"]:
        for words in (("diff", one["id"]), ("show", one["id"])):
            again = beset(*words)
            shown += again.out + again.err
    beset("follow")
    assert "hunter2" not in shown and "root:" not in shown
    assert beset.ledger() == before


# -- where one stands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cwd", "place", "file", "symbol"),
    [
        ("", "src/auth.py#login", "src/auth.py", "login"),
        ("", "./src//auth.py#login", "src/auth.py", "login"),
        ("src", "auth.py#login", "src/auth.py", "login"),
        ("src", "../src/auth.py#login", "src/auth.py", "login"),
        ("src", "src/auth.py#login", "src/auth.py", "login"),
        ("src", "../README.md", "README.md", None),
        ("", "{root}/src/auth.py#login", "src/auth.py", "login"),
        ("", "src/auth.py:4", "src/auth.py", "Provider.verify"),
        ("", "src/auth.py:4:9", "src/auth.py", "Provider.verify"),
        ("", "src/auth.py:4-5", "src/auth.py", None),
        ("", "src/auth.py:12-12", "src/auth.py", None),
        ("", "odd#name.py#f", "odd#name.py", "f"),
        ("", "odd#name.py", "odd#name.py", None),
        ("", "inner.py#login", "src/auth.py", "login"),
    ],
)
def test_places(cwd: str, place: str, file: str, symbol: str | None, repo: Repository) -> None:
    repo.write("odd#name.py", "def f():\n    return [1, 2, 3]\n")
    (repo.path / "inner.py").symlink_to("src/auth.py")
    done = repo("record", place.format(root=repo.path), "--kind", "note", "--text", "Here.", "--json", cwd=cwd)
    assert done.code == 0, done
    (anchor,) = done.json["anchors"]
    assert (anchor["file"], anchor["symbol"], anchor["verdict"]) == (file, symbol, "fresh")


def test_root_may_stand_before_or_after_and_be_far_away(
    repo: Repository, run: Callable[..., Done], tmp_path: Path
) -> None:
    far = tmp_path / "far"
    far.mkdir()
    root = ("--root", str(repo.path))
    record = ("record", "src/auth.py#login", "--kind", "note", "--text", "Far.")
    assert run(far, (*root, *record)).code == 0
    for words in ((*root, "--json", "list"), ("--json", "list", *root), ("list", f"--root={repo.path}", "--json")):
        assert [one["text"] for one in run(far, words).json["memories"]] == ["Far."]
    assert list(far.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("--kind", "note", "README.md", "--text", "x", "src/auth.py#login", "--json"),
        ("README.md", "--kind=note", "--json", "src/auth.py#login", "--text=x"),
        ("--json", "README.md", "src/auth.py#login", "--text", "x", "--kind", "note"),
    ],
)
def test_places_and_options_in_any_order(words: tuple[str, ...], repo: Repository) -> None:
    assert [anchor["file"] for anchor in repo("record", *words).json["anchors"]] == ["README.md", "src/auth.py"]


def test_outside_of_a_repository(run: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return [1, 2]\n")
    record = ("record", "a.py#f", "--kind", "note", "--text", "Here.")
    for words in (record, ("list",), ("check",), ("show", "1")):
        done = run(tmp_path, words)
        assert done.code == 2 and "moorline init" in done.err and done.err.count("\n") == 1
        assert os.listdir(tmp_path) == ["a.py"]
    assert run(tmp_path, (*record, "--root", ".")).code == 0
    assert [one["text"] for one in run(tmp_path, ("list", "--json")).json["memories"]] == ["Here."]


def test_init_says_where_and_is_safe_to_repeat(run: Callable[..., Done], repo: Repository) -> None:
    first = repo("init", "--json", cwd="src").json
    assert first == {"version": 1, "root": str(repo.path), "created": True}
    kept = {path: path.read_bytes() for path in repo.path.glob(".moorline/.git*")}
    assert len(kept) == 2
    assert repo("init", "--json").json == {**first, "created": False}
    assert {path: path.read_bytes() for path in repo.path.glob(".moorline/.git*")} == kept
    inner = repo("init", "--root", "src", "--json").json
    assert inner == {"version": 1, "root": str(repo.path / "src"), "created": True}


def test_the_innermost_workspace_owns_a_file(repo: Repository) -> None:
    repo("init")
    repo("init", "--root", "src")
    done = repo("record", "src/auth.py#login", "--kind", "note", "--text", "Whose?")
    assert done.code == 2 and "--root src" in done.err
    assert repo("record", "auth.py#login", "--kind", "note", "--text", "Whose?", cwd="src").code == 0
    assert repo("list", "--json").json["memories"] == []
    assert len(repo("list", "--json", cwd="src").json["memories"]) == 1


def test_a_moorline_that_is_a_link_is_no_ledger(repo: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo.path / ".moorline").symlink_to(tmp_path / "elsewhere")
    for words in (("init",), ("init", "--root", "."), ("record", "README.md", "--kind", "note", "--text", "x")):
        done = repo(*words)
        assert done.code == 2 and done.err.count("\n") == 1, done
    assert list((tmp_path / "elsewhere").iterdir()) == []
