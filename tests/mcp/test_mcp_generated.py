"""What `moorline generate agent` registers is started by the official client, as each tool would start it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from lsp_server.cli.main import main

ROOT = Path(__file__).parents[2]


def registered(tool: str, folder: Path) -> dict[str, Any]:
    """The entry of the server in the file that a tool reads."""
    found: dict[str, Any]
    match tool:
        case "codex":
            found = tomllib.loads((folder / ".codex/config.toml").read_text())["mcp_servers"]["moorline"]
        case "copilot":
            found = json.loads((folder / ".vscode/mcp.json").read_text())["servers"]["moorline"]
        case _:
            name = {"claude": ".mcp.json", "gemini": ".gemini/settings.json", "cursor": ".cursor/mcp.json"}[tool]
            found = json.loads((folder / name).read_text())["mcpServers"]["moorline"]
    return found


@pytest.mark.skipif(os.name == "nt", reason="the command on the path is a shell script here")
@pytest.mark.parametrize("tool", ["claude", "codex", "gemini", "cursor", "copilot"])
async def test_the_client_starts_it(tool: str, tmp_path: Path) -> None:
    folder, programs = tmp_path / "proj", tmp_path / "bin"
    for one in (folder, programs):
        one.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    program = programs / "moorline"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m lsp_server "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert main(["generate", "agent", tool, "--root", str(folder)]) == 0
    entry = registered(tool, folder)
    # A tool that names its folder starts the server from anywhere.
    args = [word.replace("${workspaceFolder}", str(folder)) for word in entry["args"]]
    server = StdioServerParameters(
        command=entry["command"],
        args=args,
        cwd=folder if args == entry["args"] else tmp_path,
        env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
    )
    async with Client(server, read_timeout_seconds=60) as client:
        found = await client.call_tool("describe", {"place": "."})
        assert not found.is_error and json.loads(found.content[0].text)["there"]  # type: ignore[union-attr]
