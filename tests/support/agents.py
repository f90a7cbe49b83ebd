"""An agent: the official MCP client at one workspace, in this process, and what has to hold for every answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client
from support.stage import Stage

from lsp_server.cli.standing import Standing
from lsp_server.features.budget import MOST
from lsp_server.mcp.desk import Desk
from lsp_server.mcp.server import Serving, server_of
from lsp_server.workspace.paths import find_root

CODE = """
#- src/a.py
TIMEOUT = 30


def login(user):
    return check(user, TIMEOUT)


def logout(user):
    return drop(user)
#- link.py
"""


class Agent:
    """An agent at one workspace."""

    def __init__(self, client: Client, stage: Stage) -> None:
        self.client, self.stage = client, stage

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers, which is one text of JSON within its bounds."""
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert isinstance(content, types.TextContent) and result.structured_content is None
        assert len(content.text.encode()) <= MOST
        answer: dict[str, Any] = json.loads(content.text)
        assert result.is_error == ("error" in answer), answer
        for item in answer.get("sections", {}).get("memories", {}).get("items", ()):
            check_item(item)
        return answer

    async def refused(self, tool: str, **arguments: Any) -> str:
        answer = await self.call(tool, **arguments)
        message: str = answer["error"]
        assert "\n" not in message and len(message.encode()) <= 500
        return message

    async def one(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The only memory of an answer."""
        answer = await self.call(tool, **arguments)
        assert "error" not in answer, answer
        (item,) = answer["sections"]["memories"]["items"]
        found: dict[str, Any] = item
        return found


def check_item(item: dict[str, Any]) -> None:
    """Verdict, standing and source are fields beside the words."""
    assert {"id", "kind", "verdict", "standing", "source", "anchors", "quoted"} <= item.keys()
    assert {"stale", "contradicted", "expired", "state"} <= item["standing"].keys()
    assert {"author", "author_kind", "recorded", "home"} <= item["source"].keys()
    assert "text" in item["quoted"]


@asynccontextmanager
async def agent(
    folder: Path, *, name: str = "robot", read_only: bool = False, mode: str = "auto", git: bool = False
) -> AsyncIterator[Agent]:
    async with Stage(folder, CODE, git=git) as stage:
        serving = Serving(Desk(stage.session, Standing(find_root(folder), folder)), read_only)
        who = types.Implementation(name=name, version="1")
        async with Client(server_of(serving), client_info=who, mode=mode) as client:  # type: ignore[arg-type]
            yield Agent(client, stage)
