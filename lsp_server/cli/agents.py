"""`moorline mcp`: the server that agents start. The only module of the command line that knows it."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from lsp_server.cli.arguments import Command
from lsp_server.cli.opening import workspace
from lsp_server.cli.standing import Standing
from lsp_server.features.errors import Refused
from lsp_server.workspace.config import read_settings
from lsp_server.workspace.session import Session

EXTRA = "moorline[mcp]"
"""What holds the parts that only this command needs."""

PARTS = ("mcp", "mcp_types", "jsonschema")


def mcp_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    parser.add_argument("--read-only", action="store_true", help="offer no tool that writes")
    parser.add_argument(
        "--tools", choices=("core", "all"), default="core", help="which tools are shown from the beginning"
    )


def run_mcp(args: argparse.Namespace) -> int:
    try:
        from lsp_server.mcp.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in PARTS:
            raise
        raise Refused(f"a part that agents need is not installed ({error.name}); pip install '{EXTRA}'") from None
    standing = workspace(args)
    return serve(lambda: opened(standing), standing, read_only=args.read_only, everything=args.tools == "all")


@asynccontextmanager
async def opened(standing: Standing) -> AsyncIterator[Session]:
    """A session for as long as a client is there. What is wrong with its settings is said on standard error."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s: %(message)s")
    settings, problems = read_settings(standing.root.path)
    for problem in problems:
        print(f"moorline: {problem.message}", file=sys.stderr)
    session = await Session.start(standing.root, settings)
    try:
        yield session
    finally:
        await session.stop()


COMMANDS = {
    "mcp": Command(mcp_arguments, run_mcp, "  moorline mcp\n  moorline mcp --read-only --tools all"),
}
