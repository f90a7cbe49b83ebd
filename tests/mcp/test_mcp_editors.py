"""Agents and editors at one workspace: each sees what the other writes, and agents what is not saved yet."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from support.wire import Wire, served

from lsp_server.cli.standing import Standing
from lsp_server.mcp.desk import Desk
from lsp_server.mcp.server import Serving, server_of
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

CODE = "def login(user):\n    return check(user, 30)\n\n\ndef logout(user):\n    return drop(user)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


@contextlib.asynccontextmanager
async def client(folder: Path) -> AsyncIterator[Client]:
    session = await Session.start(find_root(folder))
    try:
        serving = Serving(Desk(session, Standing(find_root(folder), folder)))
        async with Client(server_of(serving), client_info=types.Implementation(name="robot", version="1")) as connected:
            yield connected
    finally:
        await session.stop()


async def ask(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await agent.call_tool(tool, arguments)
    found: dict[str, Any] = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert "error" not in found, found
    return found


async def anchor(agent: Client, identifier: str) -> dict[str, Any]:
    answer = await ask(agent, "show", id=identifier)
    found: dict[str, Any] = answer["sections"]["memories"]["items"][0]["anchors"][0]
    return found


async def hovered(wire: Wire, uri: str, text: str) -> None:
    """Waits until a hover on the first name says a text."""
    for _ in range(300):
        shown = await wire.hover(uri, 0, 5)
        if shown is not None and text in json.dumps(shown):
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"no hover says {text!r}")


async def test_each_sees_what_the_other_writes(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    async with served(folder) as wire, client(folder) as agent:
        wire.open(uri, CODE)
        made = await ask(agent, "record", kind="decision", text="Thirty seconds.", places=["a.py#login"])
        await hovered(wire, uri, "Thirty seconds.")
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        theirs = await wire.command("record", uri=uri, symbol="login", kind="note", text="Seen in the editor.")
        found = await ask(agent, "describe", place="a.py#login")
        texts = {item["quoted"]["text"] for section in found["sections"].values() for item in section["items"]}
        assert texts == {"Thirty seconds.", "Seen in the editor."} and theirs["created"]
        identifier = made["sections"]["memories"]["items"][0]["id"]
        await wire.command("retire", id=identifier, reason="over")
        answer = await ask(agent, "show", id=identifier)
        assert not answer["sections"]["memories"]["items"][0]["standing"]["current"]


async def test_an_agent_is_told_what_an_editor_shows_of_unsaved_text(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    async with served(folder) as wire, client(folder) as agent:
        made = await ask(agent, "record", kind="decision", text="Thirty seconds.", places=["a.py#login"])
        identifier = made["sections"]["memories"]["items"][0]["id"]
        wire.open(uri, CODE)
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        assert "unsaved" not in await anchor(agent, identifier)

        async def until(verdict: str, unsaved: list[dict[str, str]] | None) -> None:
            for _ in range(300):
                shown = await anchor(agent, identifier)
                if (shown["verdict"], shown.get("unsaved")) == (verdict, unsaved):
                    return
                await asyncio.sleep(0.1)
            raise AssertionError(shown)

        edited = CODE.replace("30", "60")
        wire.change(uri, 2, {"text": edited})
        # The file says one thing, the editor another.
        await until("fresh", [{"verdict": "changed", "editor": "editor"}])
        (folder / "a.py").write_text(edited)
        wire.save(uri)
        await until("changed", None)
        wire.change(uri, 3, {"text": CODE})
        await until("changed", [{"verdict": "fresh", "editor": "editor"}])
        assert await wire.end() == 0
        # With the editor goes what it had not saved.
        await until("changed", None)


async def test_an_editor_that_was_killed_is_forgotten(folder: Path) -> None:
    uri = (folder / "a.py").as_uri()
    async with served(folder) as wire, client(folder) as agent:
        made = await ask(agent, "record", kind="decision", text="Thirty seconds.", places=["a.py#login"])
        identifier = made["sections"]["memories"]["items"][0]["id"]
        wire.open(uri, CODE)
        wire.change(uri, 2, {"text": CODE.replace("30", "60")})
        for _ in range(300):
            if "unsaved" in await anchor(agent, identifier):
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError("what is unsaved was never told")
        wire.process.kill()
        await wire.process.wait()
        assert "unsaved" not in await anchor(agent, identifier)
