"""What a memory's checks do in a session: where they are shown, what they say, and what is refused and proposed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.actions import actions
from lsp_server.features.errors import Refused
from lsp_server.features.hover import hover
from lsp_server.features.words import counts
from lsp_server.workspace.config import Settings

CODE = """\
LIMIT = 30


def login(user, timeout=5):
    audit(user)
    return check(user)


def logout(user):
    return drop(user)
"""

TOML = "[app]\nlimit = 30\n"

Edit = tuple[str, str, str]
Shown = tuple[int, str, str, str]

# Where the memory is anchored, its checks, what happens to which buffer, and the marks of a.py then (line, code,
# severity, and words that are in it).
SHOWN: dict[
    str, tuple[tuple[str, ...], tuple[str, ...], list[tuple[str, str, str]], list[tuple[int, str, str, str]]]
] = {
    "all holds": (
        ("a.py#login",),
        ("equals c.toml#app.limit 30", "calls a.py#login audit"),
        [],
        [(4, "fresh", "hint", "Fresh")],
    ),
    "a setting in another buffer": (
        ("a.py#login",),
        ("equals c.toml#app.limit 30",),
        [("c.toml", "limit = 30", "limit = 60")],
        [(4, "contradicted", "error", "Contradicted: the memory says 30, the code says 60")],
    ),
    "changed, and every check holds": (
        ("a.py#login",),
        ("equals c.toml#app.limit 30",),
        [("a.py", "audit(user)", "audit(user, 1)")],
        [(4, "changed", "warning", "its checks hold")],
    ),
    "changed and contradicted": (
        ("a.py#login",),
        ("calls a.py#login audit",),
        [("a.py", "audit(user)", "note(user)")],
        [(4, "contradicted", "error", "calls audit; in the code it calls note.*stale: ")],
    ),
    "not to be decided": (
        ("a.py#login",),
        ("equals a.py#LIMIT 30",),
        [("a.py", "LIMIT = 30", "LIMIT = read()")],
        [(4, "fresh", "hint", "a check cannot be decided")],
    ),
    "two anchors: at the one on the check's place": (
        ("a.py#login", "a.py#logout"),
        ("calls a.py#logout drop",),
        [("a.py", "drop(user)", "keep(user)")],
        [(4, "fresh", "hint", "Fresh"), (9, "contradicted", "error", "it calls keep")],
    ),
    "no anchor: at the check's place": (
        (),
        ("equals a.py#LIMIT 30",),
        [("a.py", "LIMIT = 30", "LIMIT = 60")],
        [(1, "contradicted", "error", "the memory says 30, the code says 60")],
    ),
    "no anchor, several checks: each at its place": (
        (),
        ("equals a.py#LIMIT 30", "calls a.py#logout drop"),
        [("a.py", "LIMIT = 30", "LIMIT = 60")],
        [(1, "contradicted", "error", "the code says 60"), (9, "fresh", "hint", "")],
    ),
    "broken syntax holds what was certain": (
        ("a.py#logout",),
        ("calls a.py#login audit",),
        [("a.py", "    audit(user)", "    audit((user")],
        [(9, "fresh", "hint", "Fresh")],
    ),
    "broken syntax does not hide what was wrong": (
        ("a.py#logout",),
        ("calls a.py#login note",),
        [("a.py", "    audit(user)", "    audit((user")],
        [(9, "contradicted", "error", "calls note; in the code it calls audit, check")],
    ),
    "the anchor's place followed by a check": (
        ("a.py#login",),
        ("calls a.py#login audit",),
        [("a.py", "def login(", "def sign_in(")],
        [(4, "moved", "hint", "")],
    ),
    "a name that is asked for is not followed": (
        ("a.py#login",),
        ("exists a.py#login",),
        [("a.py", "def login(", "def sign_in(")],
        [(4, "contradicted", "error", "a.py#login is there; in the code it is not")],
    ),
    "put right again": (
        ("a.py#login",),
        ("equals a.py#LIMIT 30",),
        [("a.py", "LIMIT = 30", "LIMIT = 60"), ("a.py", "LIMIT = 60", "LIMIT = 30")],
        [(4, "fresh", "hint", "Fresh")],
    ),
}


def with_change(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


async def check_shown(folder: Path, name: str, **more: Any) -> None:
    loci, checks, edits, marks = SHOWN[name]
    async with Stage(folder, {}) as stage:
        stage.write("a.py", CODE)
        stage.write("c.toml", TOML)
        await stage.record(*loci, checks=checks, **more)
        await stage.open("a.py")
        await stage.open("c.toml")
        for file, old, new in edits:
            stage.edit(file, with_change(stage.text(file), old, new))
        shown = stage.problems("a.py")
        assert [(mark.line + 1, mark.code, mark.severity) for mark in shown] == [mark[:3] for mark in marks], shown
        for mark, (*_, words) in zip(shown, marks, strict=True):
            assert re.search(words, mark.message), mark.message


@pytest.mark.parametrize("name", SHOWN)
async def test_where_and_how_it_is_shown(tmp_path: Path, name: str) -> None:
    await check_shown(tmp_path, name)


async def test_a_check_that_failed_on_disk_shows_with_its_file_closed(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        stage.write("c.toml", TOML)
        await stage.record("a.py#login", checks=("equals c.toml#app.limit 30",))
    (tmp_path / "c.toml").write_text(TOML.replace("30", "60"))
    async with Stage(tmp_path, {}) as stage:
        assert "a.py" in await stage.session.first_scan()
        assert stage.session.closed_stale == ("a.py",)
        assert [mark.code for mark in stage.problems("a.py")] == ["contradicted"]
        (tmp_path / "c.toml").write_text(TOML)
        await stage.session.refresh()
        assert stage.session.closed_stale == ()
        assert "c.toml" in stage.session.anchored_files()


async def test_opening_the_file_that_a_check_speaks_of_loads_its_memory(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        stage.write("c.toml", TOML)
        await stage.record("a.py#login", checks=("equals c.toml#app.limit 30",))
    async with Stage(tmp_path, {}) as stage:
        await stage.open("c.toml", TOML.replace("30", "60"))
        assert [mark.code for mark in stage.problems("a.py")] == ["contradicted"]


async def test_what_is_held_goes_with_its_buffer(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        await stage.record("a.py#logout", checks=("calls a.py#login note",))
        await stage.session.load_all()
        stage.write("a.py", with_change(CODE, "    audit(user)", "    audit((user"))
        await stage.open("a.py")
        (checked,) = next(iter(stage.session.snapshot().checks.values()))
        assert checked.outcome.holds is False
        stage.session.close("a.py")
        (checked,) = next(iter(stage.session.snapshot().checks.values()))
        assert checked.outcome.torn


async def test_a_memory_that_goes_by_its_checks(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        made = await stage.record("a.py#login", checks=("calls a.py#login audit",), by_checks=True)
        (path,) = tmp_path.glob(".moorline/memories/*/memory.md")
        assert "by: checks\n" in path.read_text()
        await stage.open("a.py")
        stage.edit("a.py", with_change(CODE, "audit(user)", "audit(user, 1)"))
        assert [mark.code for mark in stage.problems("a.py")] == ["fresh"]
        answer = await operations.show(stage.session, made["id"])
        assert not answer["stale"] and answer["score"] == 1.0
        assert answer["anchors"][0]["detail"] == "The code changed; the memory goes by its checks, and every one holds."
        assert stage.session.stale_count() == 0
        stage.edit("a.py", with_change(CODE, "audit(user)", "note(user)"))
        assert [mark.code for mark in stage.problems("a.py")] == ["contradicted"]
        stage.edit("a.py", with_change(CODE, "audit(user)", "record(audit)"))
        assert [mark.code for mark in stage.problems("a.py")] == ["changed"], "undecided checks vouch for nothing"
        stage.edit("a.py", CODE[: CODE.index("def login")] + CODE[CODE.index("def logout") :])
        assert [mark.code for mark in stage.problems("a.py")] == ["missing"], "what is gone is gone"


async def test_what_is_contradicted_comes_first_and_counts_less(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        wrong = await stage.record("a.py#login", text="Wrong.", checks=("equals a.py#LIMIT 60",))
        stale = await stage.record("a.py#logout", text="Stale.")
        both = await stage.record("a.py#logout", text="Both.", checks=("equals a.py#LIMIT 60",), expires="2001-01-01")
        fine = await stage.record("a.py", text="Fine.", checks=("equals a.py#LIMIT 30",), sensitivity="interface")
        stage.write("a.py", with_change(CODE, "drop(user)", "keep(user)"))
        await stage.session.refresh()
        answer = await operations.check(stage.session)
        by_id = {memory["id"]: memory for memory in answer["memories"]}
        assert [memory["id"] for memory in answer["memories"]][:2] == [both["id"], wrong["id"]]
        assert {name["id"]: by_id[name["id"]]["score"] for name in (wrong, stale, both)} == {
            wrong["id"]: 0.5,
            stale["id"]: 0.5,
            both["id"]: 0.3,
        }
        assert by_id[fine["id"]]["checks"] == [
            {
                "text": "equals a.py#LIMIT 30",
                "outcome": "holds",
                "detail": "The memory and the code say 30.",
                "file": "a.py",
                "symbol": "LIMIT",
                "lines": None,
            }
        ]
        assert answer["summary"]["contradicted"] == 2
        assert by_id[wrong["id"]]["contradicted"] and not by_id[wrong["id"]]["stale"]
        assert by_id[wrong["id"]]["anchors"][0]["contradictions"] == [
            "The memory says 60, the code says 30 (a.py#LIMIT)."
        ]


async def test_hover_and_lens_say_it(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        checks = ("equals a.py#LIMIT 60", "equals a.py#login(timeout) 5", "equals a.py#gone 1")
        await stage.record("a.py#login", checks=checks)
        await stage.open("a.py")
        view = stage.session.view("a.py")
        shown = hover(stage.session.snapshot(), view, CODE.index("login"))
        assert shown is not None
        lines = shown.markdown.splitlines()
        wrong = lines.index("- ✗ `equals a.py#LIMIT 60`: The memory says 60, the code says 30.")
        unsure = next(number for number, line in enumerate(lines) if line.startswith("- ? `equals a.py#gone 1`: gone"))
        assert wrong < unsure < lines.index("- ✓ `equals a.py#login(timeout) 5`")
        assert "contradicted: the memory says 60" in lines[0]
        assert counts(view.judged) == "1 decision, contradicted"


ASKS = ("moorline.ui.supersede", "moorline.ui.retire")


@pytest.mark.parametrize("client", [ASKS, ()], ids=["a client that asks", "any client"])
async def test_what_settles_a_contradiction_is_a_quick_fix(tmp_path: Path, client: tuple[str, ...]) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        await stage.record("a.py#login", checks=("equals a.py#LIMIT 60",))
        await stage.record(text="No anchor.", checks=("equals a.py#LIMIT 60",))
        await stage.open("a.py")
        stage.edit("a.py", with_change(CODE, "check(user)", "check(user, 1)"))
        view = stage.session.view("a.py")
        for item in view.judged:
            at = item.verdict.name_span
            assert at is not None
            offered = actions(stage.session.snapshot(), view, at, stage.uri("a.py"), client)
            fixing = {one.command for one in offered if (item.memory.id, item.anchor.id) in one.fixes}
            assert fixing == (set(client) or {"moorline.retire"})
            assert not any(one.preferred for one in offered if one.command == "moorline.clearStaleness")
            assert all("anchor" not in one.argument or item.memory.anchors for one in offered if one.fixes)


async def test_contradictions_wait_for_a_save_where_stale_marks_do(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}, settings=Settings(stale_marks="save")) as stage:
        stage.write("a.py", CODE)
        stage.write("c.toml", TOML)
        await stage.record("a.py#login", checks=("equals c.toml#app.limit 30",))
        await stage.open("a.py")
        await stage.open("c.toml")

        def shown() -> list[str]:
            return [mark.code for mark in stage.problems("a.py")]

        stage.edit("c.toml", TOML.replace("30", "60"))
        assert shown() == ["fresh"]
        stage.session.saved("c.toml")
        assert shown() == ["contradicted"]
        stage.edit("c.toml", TOML)
        assert shown() == ["fresh"], "what is right again shows at once"
        stage.edit("c.toml", TOML.replace("30", "70"))
        stage.session.close("c.toml")
        assert shown() == ["fresh"], "the file on disk counts"


async def test_off_by_the_settings(tmp_path: Path) -> None:
    quiet = Settings(severity={**Settings().severity, "contradicted": "off"})
    async with Stage(tmp_path, {}, settings=quiet) as stage:
        stage.write("a.py", CODE)
        await stage.record("a.py#login", checks=("equals a.py#LIMIT 60",))
        await stage.open("a.py")
        assert [mark.code for mark in stage.problems("a.py")] == ["fresh"]


async def test_a_check_stays_where_it_was_when_its_memory_is_tied_to_other_code(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        made = await stage.record("a.py#login", checks=("calls a.py#login audit",))
        answer = await operations.reanchor(stage.session, made["id"], stage.wanted("a.py#logout"))
        assert [(check["symbol"], check["outcome"]) for check in answer["checks"]] == [("login", "holds")]


async def test_a_check_goes_to_the_file_that_its_code_was_moved_to(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        made = await stage.record("a.py#login", checks=("calls a.py#login audit", "exists a.py#login"))
        start, end = CODE.index("def login"), CODE.index("def logout")
        stage.write("b.py", CODE[start:end])
        stage.write("a.py", CODE[:start] + CODE[end:])
        await stage.session.refresh()
        await stage.session.search_missing()
        answer = await operations.show(stage.session, made["id"])
        assert answer["anchors"][0]["verdict"] == "moved"
        assert [(check["file"], check["outcome"]) for check in answer["checks"]] == [
            ("b.py", "holds"),
            ("a.py", "fails"),
        ]


REFUSED = {
    "no form": ("frobnicate a.py", "no check frobnicate"),
    "outside": ("exists ../other.py", "outside the workspace"),
    "absolute": ("exists /etc/passwd", "outside the workspace"),
    "no literal": ("equals a.py#LIMIT", "needs LITERAL"),
    "no pattern": ("matches a.py /(/", "cannot be used as a pattern"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_refused_at_record(tmp_path: Path, name: str) -> None:
    check, words = REFUSED[name]
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        with pytest.raises(Refused, match=re.escape(words)) as caught:
            await stage.record("a.py#login", checks=(check,))
        assert "\n" not in str(caught.value)
        assert not list(tmp_path.glob(".moorline/memories/*"))


async def test_a_hand_edited_check_that_is_none_says_so_and_fails_nothing(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        made = await stage.record("a.py#login", checks=("equals a.py#LIMIT 30",))
        (path,) = tmp_path.glob(".moorline/memories/*/memory.md")
        path.write_text(path.read_text().replace("equals a.py#LIMIT 30", "equal a.py#LIMIT 30"))
        await stage.session.refresh()
        answer = await operations.show(stage.session, made["id"])
        (check,) = answer["checks"]
        assert check["outcome"] == "undecidable" and "did you mean equals?" in check["detail"]
        assert not answer["contradicted"]


async def test_recording_again_adds_the_checks_that_are_new(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        await stage.record("a.py#login", checks=("equals a.py#LIMIT 30",))
        again = await stage.record("a.py#login", checks=("equals a.py#LIMIT 30", "calls a.py#login audit"))
        assert not again["created"]
        assert [check["text"] for check in again["checks"]] == ["equals a.py#LIMIT 30", "calls a.py#login audit"]


async def test_a_successor_takes_over_what_the_code_does_not_contradict(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        made = await stage.record("a.py#login", checks=("equals a.py#LIMIT 60", "calls a.py#login audit"))
        after = await operations.supersede(stage.session, made["id"], "What is true now.")
        assert [check["text"] for check in after["checks"]] == ["calls a.py#login audit"]
        assert not after["contradicted"]


PROPOSED: dict[str, tuple[str, list[str]]] = {
    "a constant and its value": ("The LIMIT is 30.", ["equals a.py#LIMIT 30"]),
    "a constant alone": ("Look at `LIMIT` first.", ["exists a.py#LIMIT"]),
    "a value that is another one": ("The LIMIT was 60 once.", ["exists a.py#LIMIT"]),
    "a default": ("`timeout` is 5 for a reason.", ["equals a.py#login(timeout) 5"]),
    "a call": ("It must call audit() first.", ["calls a.py#login audit"]),
    "a symbol in words": ("The login is slow, and check as you like.", []),
    "a symbol as code": ("`logout` undoes it.", ["exists a.py#logout"]),
    "nothing": ("Because it was decided.", []),
}


@pytest.mark.parametrize("name", PROPOSED)
async def test_proposed_and_never_added(tmp_path: Path, name: str) -> None:
    text, expected = PROPOSED[name]
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        answer = await stage.record("a.py#login", text=text)
        assert answer["proposed_checks"] == expected
        assert answer["checks"] == []
        if expected:
            assert (await stage.record("a.py#login", text=text, checks=tuple(expected)))["proposed_checks"] == []


async def test_checks_of_what_is_history_are_shown_and_not_judged(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        made = await stage.record("a.py#login", checks=("equals a.py#LIMIT 60",))
        after = await operations.supersede(stage.session, made["id"], "What is true now.")
        old = await operations.show(stage.session, made["id"])
        assert [(check["text"], check["outcome"]) for check in old["checks"]] == [
            ("equals a.py#LIMIT 60", "undecidable")
        ]
        assert not old["contradicted"] and after["checks"] == []
        found = await operations.check(stage.session, everything=True)
        assert found["summary"]["contradicted"] == found["summary"]["undecidable"] == 0


async def test_a_list_under_a_path_takes_in_what_only_its_checks_speak_of(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}) as stage:
        stage.write("a.py", CODE)
        stage.write("conf/c.toml", TOML)
        made = await stage.record("a.py#login", checks=("equals conf/c.toml#app.limit 30",))
        await stage.record("a.py#logout", text="Other.")
        found = await operations.check(stage.session, ["conf"])
        assert [memory["id"] for memory in found["memories"]] == [made["id"]]
