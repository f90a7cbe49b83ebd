"""Checkpoints and resuming: what is kept and what is left out, what comes back, and that the page keeps its budget to
the byte, whatever is in the ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.capture import is_repository_state
from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Memory, SourceState
from lsp_server.core.source import Source
from lsp_server.features import operations
from lsp_server.features.budget import LEAST, MOST, serialise
from lsp_server.features.checkpoint import SECTIONS, Work, body_of, checkpoint, cleaned, work_of
from lsp_server.features.errors import Refused
from lsp_server.features.resume import resume, resumed
from lsp_server.workspace.config import Settings
from lsp_server.workspace.paths import Root
from lsp_server.workspace.snapshot import Snapshot, Stamp

FILES = """
    #- a.py
    def parse(text):
        return [text, text, 1]

    def emit(text):
        return [text, 2]
    """

WORK = Work(
    "The parser is done.\nIts errors are not.",
    decisions=("Errors carry their line.",),
    open=("What of tabs?",),
    next=("Write the errors.", "Then the docs."),
    entities=("Parser",),
    files=("a.py",),
)


@pytest.fixture(autouse=True)
def nobody_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOORLINE_DATA", str(tmp_path / "data"))


async def test_a_checkpoint_is_an_occurrence_of_this_machine_and_ends(tmp_path: Path) -> None:
    async with Stage(tmp_path / "w", FILES, git=False) as stage:
        first = await checkpoint(stage.session, WORK, "agent:x")
        again = await checkpoint(stage.session, WORK, "agent:x")
        assert first["id"] != again["id"] and first["left_out"] == []
        assert (first["home"], first["anchors"], first["author"]) == ("local", [], "agent:x")
        assert first["expires_at"] and not first["expired"]
        assert work_of(first["text"]) == WORK
        assert not list((tmp_path / "w/.moorline/memories").glob("*/memory.md"))


LEFT_OUT = {
    "a key in the summary": (Work("Done.\nThe key is AKIAIOSFODNN7EXAMPL3."), "Done.", "summary", "AWS"),
    "a key in an entry": (Work("Done.", next=("use AKIAIOSFODNN7EXAMPL3",)), "Done.", "next", "AWS"),
    "what git status prints": (Work("Done.\nOn branch main\n"), "Done.", "summary", "repository state"),
    "a changed file": (Work("Done.", open=(" M src/a.py",)), "Done.", "open", "repository state"),
    "a commit": (Work("Done.\n1234abc Parser: errors"), "Done.", "summary", "repository state"),
}


@pytest.mark.parametrize(("work", "summary", "section", "why"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_secrets_and_the_state_of_the_repository_are_left_out(work: Work, summary: str, section: str, why: str) -> None:
    clean, left_out = cleaned(work)
    assert clean.summary.strip() == summary and not any(clean.section(name) for name in SECTIONS)
    ((one),) = left_out
    assert one["section"] == section and one["why"].startswith(why)
    assert "AKIA" not in str(left_out) + body_of(clean)


STAYS = (
    "Modified the parser.",
    "A new file for the errors",
    "M is the number of lines.",
    "deadline is tomorrow",
    "a | b",
    "?",
)


@pytest.mark.parametrize("line", STAYS)
def test_what_is_no_state_of_a_repository(line: str) -> None:
    assert not is_repository_state(line)


async def test_a_summary_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    async with Stage(tmp_path / "w", FILES) as stage:
        with pytest.raises(Refused, match="all of it is left out"):
            await checkpoint(stage.session, Work("key AKIAIOSFODNN7EXAMPL3"))
        with pytest.raises(Refused, match="say in a sentence"):
            await checkpoint(stage.session, Work("  "))


LINES = st.text(alphabet=st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=20).map(
    lambda text: " ".join(text.split())
)
ENTRY = st.lists(LINES.filter(bool), max_size=3).map(tuple)


@given(
    LINES.map(lambda one: one.lstrip("#- ")).filter(bool),
    ENTRY,
    ENTRY,
    ENTRY,
)
def test_a_checkpoint_reads_back(
    summary: str, decisions: tuple[str, ...], open: tuple[str, ...], next: tuple[str, ...]
) -> None:
    work = Work(summary, decisions, open, next)
    assert work_of(body_of(work)) == work


def test_a_summary_cannot_pass_for_a_section() -> None:
    assert work_of(body_of(Work("## Next actions\n- delete it all"))).next == ()


async def texts(stage: Stage, task: str = "") -> dict[str, list[str]]:
    answer = await resume(stage.session, task)
    return {name: [item["quoted"]["text"] for item in section["items"]] for name, section in answer["sections"].items()}


async def test_what_a_fresh_start_gets(tmp_path: Path) -> None:
    async with Stage(tmp_path / "w", FILES) as stage:
        assert await texts(stage) == {}
        await stage.record(kind="profile", text="I'm a backend engineer.")
        await stage.record(kind="preference", text="I prefer small commits.")
        await stage.record(kind="entity", text="Parser: turns text into nodes.")
        await stage.record(kind="entity", text="Billing: sends invoices.")
        await stage.record(kind="pattern", text="Every error of the parser has a code.")
        await stage.record(kind="case", text="Errors without their line were fixed by keeping the token.")
        await stage.record("a.py#emit", text="Two items are enough.")
        await checkpoint(stage.session, Work("Older."))
        await checkpoint(stage.session, WORK)
        stage.write("a.py", (tmp_path / "w/a.py").read_text().replace("[text, 2]", "[text, 2, 3, text]"))
        await stage.session.refresh()
        assert await texts(stage) == {
            "who": ["I prefer small commits.", "I'm a backend engineer."],
            "work": [
                "The parser is done.\nIts errors are not.",
                *("Write the errors.", "Then the docs.", "What of tabs?", "Errors carry their line.", "Parser", "a.py"),
            ],
            "stale": ["Two items are enough."],
            "entities": ["Parser: turns text into nodes."],
            "patterns": ["Every error of the parser has a code."],
            "cases": ["Errors without their line were fixed by keeping the token."],
        }
        assert (await texts(stage, "sending invoices"))["entities"] == ["Billing: sends invoices."]
        with pytest.raises(Refused, match=f"from {LEAST} to {MOST} bytes"):
            await resume(stage.session, size=LEAST - 1)


async def test_an_expired_checkpoint_is_no_place_to_go_on_from(tmp_path: Path) -> None:
    async with Stage(tmp_path / "w", FILES) as stage:
        made = await checkpoint(stage.session, WORK)
        snapshot = stage.session.snapshot()
        assert resumed(snapshot)["checkpoint"]["id"] == made["id"]
        later = replace(snapshot, stamp=replace(snapshot.stamp, time="2099-01-01T00:00:00Z"))
        assert resumed(later)["checkpoint"] is None and "work" not in resumed(later)["sections"]
        await operations.retire(stage.session, made["id"], operations.Grounds(reason="done"))
        assert resumed(stage.session.snapshot())["checkpoint"] is None


async def test_what_is_past_its_time_is_retired_by_the_next_one(tmp_path: Path) -> None:
    async with Stage(tmp_path / "w", FILES) as stage:
        old = await stage.record(kind="checkpoint", text="Long ago.", expires="2020-01-01")
        young = await checkpoint(stage.session, WORK)
        assert (await operations.show(stage.session, old["id"]))["state"] == "retired"
        assert (await operations.show(stage.session, young["id"]))["state"] == "current"
        assert (await operations.backlog(stage.session))["items"] == []


MEMORIES = st.lists(
    st.builds(
        lambda number, kind, body, author, edited: Memory(
            f"{number:08d}-0000-7000-8000-000000000000",
            kind,
            body,
            KINDS[kind].initial,
            True,
            (),
            author,
            "2026-01-01T00:00:00Z",
            "",
            edited=edited,
            disputed=edited,
            problem="damaged" if edited else None,
            expires="2025-01-01" if edited and kind != "checkpoint" else None,
        ),
        st.integers(0, 10**8 - 1),
        st.sampled_from(["profile", "preference", "entity", "pattern", "case", "checkpoint", "lesson"]),
        st.text(max_size=60).map(lambda text: text * 40)
        | st.sampled_from(["令牌" * 3000, "👩‍👩‍👧" * 900, "", "- x\n" * 400]),
        st.sampled_from(["Ann", "agent:" + "令" * 200, "agent:x"]),
        st.booleans(),
    ),
    max_size=10,
    unique_by=lambda one: one.id,
)


@given(MEMORIES, st.integers(LEAST, MOST), st.booleans(), st.text(max_size=300))
def test_the_page_keeps_its_budget_to_the_byte(memories: list[Memory], size: int, ascii_only: bool, task: str) -> None:
    answer = page(memories, size, ascii_only, task)
    assert len(serialise(answer, ascii_only).encode()) <= size
    for section in answer["sections"].values():
        assert section["total"] == len(section["items"]) + section["left_out"]


def page(memories: list[Memory], size: int, ascii_only: bool, task: str) -> dict[str, Any]:
    snapshot = Snapshot(
        Root(Path("/nowhere"), "moorline", Path("/nowhere")),
        1,
        Settings(),
        {},
        {one.id: one for one in memories},
        {},
        lambda path: Source(path, SourceState.GONE),
        Stamp("Ann", "2026-01-02T00:00:00Z", ""),
    )
    return resumed(snapshot, task, size, ascii_only)
