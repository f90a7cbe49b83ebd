"""Passages of Markdown as memories: served where the code is, stale with it, accepted in the ledger, never dropped."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.fixtures import File
from support.stage import Stage

from lsp_server.core.documents_passages import passages_of
from lsp_server.core.documents_serving import serve
from lsp_server.core.source import read_source
from lsp_server.core.text import Text
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.hover import hover
from lsp_server.features.marker_list import list_markers
from lsp_server.features.markers import aim, marker_problems, page_of
from lsp_server.workspace.config import Settings
from lsp_server.workspace.files import Files

CODE = """\
def login(user):
    token = check(user, 30)
    return token if token.valid else None


def logout(user):
    drop(user.session)
    return audit(user, "out")
"""
PAGE = """\
# 1. Sessions

Tokens live for thirty seconds @anchor(file=src/auth.py, symbol=login), says the audit.

- Who leaves is written down @anchor(file=src/auth.py, symbol=logout).
"""
FILES = {"src/auth.py": CODE, "docs/adr/0001-sessions.md": PAGE}
ROOT = Path(__file__).parents[2]
DOC = "docs/adr/0001-sessions.md"


@dataclass(frozen=True)
class Story:
    """Edits after all markers were accepted (None deletes a file), and what each passage is then: its document, its
    target, its verdict and, where it says so, what is wrong with it."""

    edits: dict[str, str | None]
    standing: Sequence[tuple[str, str, str, str]]
    edited: Sequence[str] = field(default=())
    """Targets of the passages whose words were edited since they were accepted."""


LOGIN, LOGOUT = "src/auth.py#login", "src/auth.py#logout"
AS_BEFORE = ((DOC, LOGIN, "fresh", ""), (DOC, LOGOUT, "fresh", ""))
STORIES = {
    "nothing": Story({}, AS_BEFORE),
    "a line above": Story({DOC: "Preface.\n\n" + PAGE}, AS_BEFORE),
    "the words": Story({DOC: PAGE.replace("thirty", "sixty")}, AS_BEFORE, [LOGIN]),
    "the code": Story(
        {"src/auth.py": CODE.replace("30", "60")}, [(DOC, LOGIN, "changed", ""), (DOC, LOGOUT, "fresh", "")]
    ),
    "the code's name": Story(
        {"src/auth.py": CODE.replace("login", "sign_in")}, [(DOC, LOGIN, "moved", ""), (DOC, LOGOUT, "fresh", "")]
    ),
    "the code's name and the marker": Story(
        {"src/auth.py": CODE.replace("login", "sign_in"), DOC: PAGE.replace("symbol=login", "symbol=sign_in")},
        [(DOC, LOGOUT, "fresh", ""), (DOC, "src/auth.py#sign_in", "fresh", "")],
    ),
    "the code is gone": Story(
        {"src/auth.py": CODE[CODE.index("def logout") :]},
        [(DOC, LOGIN, "missing", ""), (DOC, LOGOUT, "fresh", "")],
    ),
    "a marker is gone": Story(
        {DOC: PAGE.replace(" @anchor(file=src/auth.py, symbol=login)", "")},
        [(DOC, LOGIN, "missing", "put it back, or retire"), (DOC, LOGOUT, "fresh", "")],
    ),
    "a marker is code now": Story(
        {DOC: PAGE.replace("@anchor(file=src/auth.py, symbol=login)", "`@anchor(file=src/auth.py, symbol=login)`")},
        [(DOC, LOGIN, "missing", "put it back, or retire"), (DOC, LOGOUT, "fresh", "")],
    ),
    "the document is gone": Story(
        {DOC: None},
        [(DOC, LOGIN, "missing", f"no longer in {DOC}"), (DOC, LOGOUT, "missing", f"no longer in {DOC}")],
    ),
    "the document was renamed": Story(
        {DOC: None, "docs/sessions.md": PAGE},
        [("docs/sessions.md", LOGIN, "fresh", ""), ("docs/sessions.md", LOGOUT, "fresh", "")],
    ),
    "renamed, and one passage edited": Story(
        {DOC: None, "docs/sessions.md": PAGE.replace("thirty", "sixty")},
        [("docs/sessions.md", LOGIN, "fresh", ""), ("docs/sessions.md", LOGOUT, "fresh", "")],
        [LOGIN],
    ),
    "copied": Story(
        {"docs/copy.md": PAGE},
        [
            *((("docs/copy.md", LOGIN, "unverifiable", "")), ("docs/copy.md", LOGOUT, "unverifiable", "")),
            *AS_BEFORE,
        ],
    ),
    "gone, and two say the same": Story(
        {DOC: None, "docs/a.md": PAGE, "docs/b.md": PAGE},
        [
            (DOC, LOGIN, "missing", "no longer in"),
            (DOC, LOGOUT, "missing", "no longer in"),
            ("docs/a.md", LOGIN, "unverifiable", ""),
            ("docs/a.md", LOGOUT, "unverifiable", ""),
            ("docs/b.md", LOGIN, "unverifiable", ""),
            ("docs/b.md", LOGOUT, "unverifiable", ""),
        ],
    ),
    "a marker points elsewhere": Story(
        {DOC: PAGE.replace("symbol=login", "symbol=logout")},
        [(DOC, LOGOUT, "fresh", ""), (DOC, LOGOUT, "unverifiable", "")],
    ),
}


def staged(folder: Path, contents: dict[str, str]) -> Stage:
    return Stage(folder, {name: File(text) for name, text in contents.items()})


def standing(answer: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return sorted(
        (
            memory["document"]["file"],
            f"{anchor['file']}#{anchor['symbol']}",
            anchor["verdict"],
            memory["problem"] or "",
        )
        for memory in answer["memories"]
        for anchor in memory["anchors"]
    )


def same(found: Sequence[tuple[str, ...]], wanted: Sequence[tuple[str, str, str, str]]) -> None:
    assert [one[:3] for one in found] == [one[:3] for one in sorted(wanted)], found
    for one, want in zip(found, sorted(wanted), strict=True):
        assert want[3] in one[3] and bool(want[3]) == bool(one[3]), (one, want)


async def check_story(folder: Path, story: Story, *, fresh: bool) -> None:
    """What is served after edits: by a session that sees them come, and by one that starts after them."""
    async with staged(folder, FILES) as stage:
        accepted = await list_markers(stage.session, accept=True)
        assert accepted["summary"]["accepted"] == 2
        same(standing(await operations.check(stage.session)), AS_BEFORE)

        def edit() -> None:
            for name, text in story.edits.items():
                if text is None:
                    (folder / name).unlink()
                else:
                    stage.write(name, text)

        if not fresh:
            edit()
            await stage.session.refresh()
            await check_standing(stage, story)
            return
    edit()
    async with Stage(folder, {}) as stage:
        await check_standing(stage, story)


async def check_standing(stage: Stage, story: Story) -> None:
    before = ledger_files(stage.folder)
    answer = await operations.check(stage.session)
    same(standing(answer), story.standing)
    edited = sorted(
        f"{memory['anchors'][0]['file']}#{memory['anchors'][0]['symbol']}"
        for memory in answer["memories"]
        if memory["edited"]
    )
    assert edited == sorted(story.edited)
    assert ledger_files(stage.folder) == before, "reading writes nothing"


def ledger_files(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in sorted((folder / ".moorline/memories").rglob("*.*")) if path.is_file()
    }


@pytest.mark.parametrize("fresh", [False, True], ids=["seen to come", "from scratch"])
@pytest.mark.parametrize("name", STORIES)
async def test_what_becomes_of_accepted_passages(tmp_path: Path, name: str, fresh: bool) -> None:
    await check_story(tmp_path, STORIES[name], fresh=fresh)


async def test_a_marker_that_nobody_accepted_is_served_and_nothing_is_written(tmp_path: Path) -> None:
    async with staged(tmp_path, FILES) as stage:
        answer = await operations.check(stage.session)
        assert {memory["text"] for memory in answer["memories"]} == {
            "Tokens live for thirty seconds, says the audit.",
            "Who leaves is written down.",
        }
        assert {(a["verdict"], a["reason"]) for m in answer["memories"] for a in m["anchors"]} == {
            ("unverifiable", "no_baseline")
        }
        assert ledger_files(tmp_path) == {}
        identifier = next(m["id"] for m in answer["memories"] if m["text"].startswith("Tokens"))
        shown = await operations.show(stage.session, identifier[:8])
        assert shown["document"] == {"file": DOC, "line": 3}
        cleared = await operations.clear_staleness(stage.session, identifier[:8], None, "read it")
        assert cleared["id"] == identifier and cleared["anchors"][0]["verdict"] == "fresh"
        (text,) = tmp_path.glob(".moorline/memories/*/memory.md")
        assert text.read_text().startswith(f"---\nid: {identifier}\nkind: passage\n")
        assert "Tokens live" not in text.read_text(), "the words are the document's"


async def test_a_memory_of_a_passage_takes_what_any_memory_takes(tmp_path: Path) -> None:
    async with staged(tmp_path, FILES) as stage:
        await list_markers(stage.session, accept=True)
        stage.write("src/auth.py", CODE.replace("30", "60"))
        await stage.session.refresh()
        (one,) = (await operations.list_memories(stage.session, None, stale=True))["memories"]
        difference = await operations.show_diff(stage.session, one["id"])
        assert "+    token = check(user, 60)" in difference["anchors"][0]["diff"]
        cleared = await operations.clear_staleness(stage.session, one["id"])
        assert cleared["anchors"][0]["verdict"] == "fresh" and not cleared["stale"]
        with pytest.raises(Refused, match="change the marker in docs/adr/0001"):
            await operations.reanchor(stage.session, one["id"], stage.wanted("src/auth.py#logout"))


async def test_a_retired_passage_stays_silent_though_its_marker_stands(tmp_path: Path) -> None:
    async with staged(tmp_path, FILES) as stage:
        one = (await operations.check(stage.session))["memories"][0]
        await operations.retire(stage.session, one["id"], operations.Grounds(reason="not ours"))
        assert one["id"] not in [m["id"] for m in (await operations.check(stage.session))["memories"]]
    async with Stage(tmp_path, {}) as stage:
        answer = await operations.check(stage.session)
        assert len(answer["memories"]) == 1 and answer["memories"][0]["id"] != one["id"]


async def test_what_cannot_be_accepted_stops_no_other(tmp_path: Path) -> None:
    async with staged(tmp_path, FILES) as stage:
        one, other = (entry["memory"]["id"] for entry in (await list_markers(stage.session))["markers"])
        (tmp_path / ".moorline/memories/.forgotten").mkdir(parents=True)
        (tmp_path / ".moorline/memories/.forgotten" / one).write_text(f"{one}\n")
        answer = await list_markers(stage.session, accept=True)
        assert answer["summary"]["accepted"] == 1 and answer["summary"]["unaccepted"] == 1
        first, second = answer["markers"]
        assert "forgotten" in first["problem"] and second["problem"] is None
        assert second["memory"]["id"] == other and second["memory"]["anchors"][0]["verdict"] == "fresh"


async def test_hover_on_the_code_shows_the_passage_as_it_is_typed(tmp_path: Path) -> None:
    async with staged(tmp_path, FILES) as stage:
        await list_markers(stage.session, accept=True)
        await stage.open("src/auth.py")
        await stage.open(DOC)
        offset = CODE.index("login")

        def shown() -> str:
            found = hover(stage.session.snapshot(), stage.session.view("src/auth.py"), offset)
            assert found is not None
            return found.markdown

        assert "Tokens live for thirty seconds, says the audit." in shown() and f"{DOC}:3" in shown()
        stage.edit(DOC, "Preface.\n\n" + PAGE.replace("thirty seconds", "a minute"))
        assert "Tokens live for a minute, says the audit." in shown() and f"{DOC}:5" in shown()
        stage.edit("src/auth.py", CODE.replace("30", "60"))
        stage.edit(DOC, PAGE)
        assert "-    token = check(user, 30)" in shown()
        problems = marker_problems(stage.session.settings, page_of(stage.session, DOC))
        assert [(one.code, one.severity) for one in problems] == [("changed", "warning"), ("fresh", "hint")]
        assert [PAGE.encode()[one.span.start : one.span.end] for one in problems] == [
            b"@anchor(file=src/auth.py, symbol=login)",
            b"@anchor(file=src/auth.py, symbol=logout)",
        ]
        stage.session.close(DOC)
        assert "thirty seconds" in shown()


async def test_the_decisions_of_this_repository_are_served() -> None:
    files = Files(ROOT)
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    kept = {path.read_text("utf-8").split("\n")[1] for path in ROOT.glob(".moorline/memories/*/memory.md")}
    assert len(pages) >= 14
    served = serve({path.relative_to(ROOT).as_posix(): passages_of(files.source(str(path))) for path in pages}, [])
    for path in pages:
        mine = [one for one in served.values() if one.written and one.written.document.endswith(path.name)]
        assert mine, f"{path} has no marker"
        for one in mine:
            assert one.written is not None
            seen = aim(files.source, path.name, one.written.markers[0])
            assert not seen.problem, (path, seen.problem)
            assert f"id: {one.memory.id}" in kept, f"nobody accepted {one.memory.anchors[0].locus} of {path}"


async def test_what_is_ignored_is_not_looked_at(tmp_path: Path) -> None:
    contents = {**FILES, "vendor/x/a.md": PAGE, "notes.md": PAGE, ".moorline/config.toml": ""}
    ignoring = Settings(documents_ignored=("vendor/", "*.md"))
    async with Stage(tmp_path, {name: File(text) for name, text in contents.items()}, settings=ignoring) as stage:
        assert (await operations.check(stage.session))["memories"] == []
        stage.session.settings = Settings(documents_ignored=("vendor/", DOC))
        await stage.session.refresh()
        found = {one["document"]["file"] for one in (await operations.check(stage.session))["memories"]}
        assert found == {"notes.md"}


async def test_a_second_look_reads_only_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {f"docs/{number}.md": f"# Page {number}\n" for number in range(300)}
    async with staged(tmp_path, {**FILES, **pages}) as stage:
        for path in tmp_path.rglob("*.md"):
            os.utime(path, (1_000_000_000, 1_000_000_000))
        reads: list[str] = []
        hashed = stage.session.files.hashed
        # A file that was just written is read again, as its stamp may not tell.
        monkeypatch.setattr("lsp_server.workspace.passages._TICK_NS", 0)
        monkeypatch.setattr(stage.session.files, "hashed", lambda path: (reads.append(path), hashed(path))[1])
        await stage.session.passages.look()
        assert len(reads) == 301
        await stage.session.passages.look()
        assert len(reads) == 301
        (tmp_path / "docs/7.md").write_text(PAGE)
        await stage.session.passages.look()
        assert reads[301:] == ["docs/7.md"]


BROKEN = {
    "file=src/auht.py, symbol=login": ("There is no file src/auht.py", "src/auht.py"),
    "file=src/auth.py, symbol=logni": ("Src/auth.py has no logni", "logni"),
    "file=../secret.py": ("../secret.py leads outside of the workspace", "../secret.py"),
    "file=src/auth.py, line=99": ("Src/auth.py: has 9 lines, 99-99 is outside", "99"),
    "fil=src/auth.py": ("A marker has no 'fil'; did you mean file?", "fil"),
    "file=src/auth.py, symbol=login[3]": ("Src/auth.py has no login[3]: there are 1 of login", "login[3]"),
}


@pytest.mark.parametrize("inner", BROKEN)
async def test_a_broken_marker_is_a_problem_where_it_is_broken(tmp_path: Path, inner: str) -> None:
    said, at = BROKEN[inner]
    text = f"# T\n\nWords @anchor({inner}) here.\n"
    async with staged(tmp_path, {"src/auth.py": CODE, "doc.md": text, "b.py": f"# @anchor({inner})\n"}) as stage:
        await stage.session.load_all()
        for path, content in (("doc.md", text), ("b.py", f"# @anchor({inner})\n")):
            (problem,) = marker_problems(stage.session.settings, page_of(stage.session, path))
            assert problem.code == "marker" and problem.severity == "warning"
            assert problem.message.startswith(said), problem.message
            assert content[problem.span.start : problem.span.end] == at
        listed = await list_markers(stage.session)
        assert listed["summary"]["broken"] == 1 and listed["markers"][0]["problem"]


PIECES = st.sampled_from(
    [
        *("Words. ", "\n\n", "# Head\n\n", "- item ", "`", "```\n", "more words\n", "<!-- ", " -->"),
        *("@anchor(file=src/auth.py, symbol=login)", "@anchor(file=src/auth.py, symbol=logout)", "@anchor(file=x)"),
    ]
)
EDITS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), PIECES), min_size=1, max_size=8)


@settings(max_examples=25)
@given(EDITS)
async def test_what_is_served_while_typing_is_what_is_served_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("typed")
    async with staged(folder, FILES) as stage:
        await list_markers(stage.session, accept=True)
        await stage.open(DOC)
        for start, length, text in edits:
            now = stage.text(DOC)
            start = min(start, len(now))
            stage.edit(DOC, now[:start] + text + now[start + length :])
            source = read_source(DOC, Text.of(stage.text(DOC)))
            ledger = await stage.session.index.memories(kind="passage")
            scratch = serve({DOC: passages_of(source)}, ledger)
            assert dict(stage.session.passages.all()) == scratch
            served = {m.id: m.body for m in stage.session.snapshot().memories.values() if m.current}
            assert served == {one.memory.id: one.memory.body for one in scratch.values() if one.memory.current}
