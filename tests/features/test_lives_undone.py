"""Whatever was done to a memory last, undoing it leaves what was there before, and undoing that does it again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.fold import fold
from lsp_server.features import operations
from lsp_server.features import undo as undoing
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.operations import Grounds
from lsp_server.features.places import Wanted
from lsp_server.store.memory_json import text_of
from lsp_server.workspace.session import Session

CODE = "#- a.py\ndef check(token):\n    return token.valid(30)\n\n\ndef other(token):\n    return check(token)\n"

Do = Callable[[Session, str, int], Awaitable[Any]]


def step(state: str) -> Do:
    def go(session: Session, memory: str, number: int) -> Awaitable[Any]:
        evidence = (
            f"commit:{number:040x}",
            f"quote:{number}",
            f"file:a.py:{number + 1}",
            f"fix-verification=test:t{number}",
        )
        grounds = Grounds("because", evidence, revision="f" * 40)
        return operations.transition(session, memory, state, grounds)

    return go


async def edit(session: Session, memory: str, number: int) -> Any:
    """Records it again with more; what is an occurrence would be another one."""
    found = session.snapshot().memories[memory]
    if found.kind == "finding":
        raise Refused("another one")
    from lsp_server.features.record import Request

    facts: dict[str, Any] = {"tags": (f"t{number}",), "importance": number % 5 + 1}
    proof = read_evidence([f"quote:{number}"])
    anchors = (Wanted("a.py", "check"), Wanted("a.py", "other"))
    return await operations.record_memory(session, Request(found.kind, found.body, anchors, evidence=proof, **facts))


DOINGS: dict[str, Do] = {
    "restore": lambda session, memory, number: operations.restore(session, memory),
    "supersede": lambda session, memory, number: operations.supersede(session, memory, f"Now {number}."),
    "evidence": lambda session, memory, number: operations.add_evidence(
        session, memory, Grounds(evidence=(f"url:https://example.org/{number}",))
    ),
    "pin": lambda session, memory, number: operations.pin(session, memory),
    "unpin": lambda session, memory, number: operations.pin(session, memory, False),
    "clear": lambda session, memory, number: operations.clear_staleness(session, memory, None, "still so"),
    "reanchor": lambda session, memory, number: operations.reanchor(
        session, memory, Wanted("a.py", "other" if number % 2 else "check")
    ),
    "edit": edit,
    "undo": lambda session, memory, number: operations.undo(session, memory),
}
"""What can be done to a memory. What is refused in its state is passed over."""


async def standing(session: Session, folder: Path) -> Any:
    """Everything that is said of every memory that counts, and the text of each."""
    said = (await operations.list_memories(session, everything=True))["memories"]
    # What a change recorded, and is retired when it is undone, is history either way.
    for memory in said:
        for key in ("entered", "heat", "retired_reason", "chain", "next"):
            memory.pop(key, None)
        memory["evidence"] = [{**piece, "time": None} for piece in memory["evidence"]]
    current = {memory["id"]: memory for memory in said if memory["current"]}
    texts = {path.parent.name[-12:]: path.read_bytes() for path in folder.glob(".moorline/memories/*/memory.md")}
    return current, {
        name: text for name, text in texts.items() if any(name == one.replace("-", "")[:12] for one in current)
    }


async def check_undone(kind: str, doings: list[str], folder: Path) -> None:
    async with Stage(folder, CODE) as stage:
        session = stage.session
        memory = (await stage.record("a.py#check", kind=kind))["id"]
        for number, name in enumerate(doings):
            before = await standing(session, folder)
            files = set(folder.rglob("*.json"))
            with contextlib.suppress(Refused):
                await DOINGS.get(name, step(name))(session, memory, number)
            if set(folder.rglob("*.json")) == files:
                continue
            after = await standing(session, folder)
            await operations.undo(session, memory)
            assert await standing(session, folder) == before, name
            await operations.undo(session, memory)
            assert await standing(session, folder) == after, name


async def test_what_another_process_wrote_meanwhile_is_taken_back(tmp_path: Path) -> None:
    """The memory is from before the change, its events are read after it."""
    async with Stage(tmp_path, CODE) as stage:
        session = stage.session
        identifier = (await stage.record("a.py#check"))["id"]
        before = session.snapshot()
        memory = before.memories[identifier]
        await operations.pin(session, identifier)
        events = session.ledger.events(memory.home, memory.folder)
        made = undoing.undo(before, undoing.Life(memory, events), {})
        assert made.undone == ("pinned",)
        assert session.snapshot().memories[identifier].pinned
        assert not fold(text_of(memory), (*events, *made.changes[0].events)).pinned


LIVES = {
    "finding": ("open", "fixed_unverified", "verified", "ruled_out", "retired"),
    "decision": ("accepted", "proposed", "rejected", "retired"),
}


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_undoing_leaves_what_was_there_before(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(LIVES)))
    doings = data.draw(st.lists(st.sampled_from([*LIVES[kind], *sorted(DOINGS)]), min_size=3, max_size=9))
    with TemporaryDirectory() as folder:
        asyncio.run(check_undone(kind, doings, Path(folder)))
