"""Records a note as an agent does: the official client starts `moorline mcp` and calls its tool. Prints the answer.

python record_over_mcp.py FOLDER PLACE TEXT
"""

from __future__ import annotations

import asyncio
import os
import sys

import mcp_types as types
from mcp import Client, StdioServerParameters


async def record(folder: str, place: str, text: str) -> str:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "lsp_server", "mcp"], env=dict(os.environ), cwd=folder
    )
    who = types.Implementation(name="robot", version="1")
    async with Client(server, client_info=who, read_timeout_seconds=60) as client:
        result = await client.call_tool("record", {"kind": "note", "text": text, "places": [place]})
        assert not result.is_error, result
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        return content.text


if __name__ == "__main__":
    print(asyncio.run(record(*sys.argv[1:])))
