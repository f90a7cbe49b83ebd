"""`moorline mcp`, the server that agents start, and `moorline generate agent`, which tells a tool of it.

The only module of the command line that knows that server.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.opening import workspace
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES
from lsp_server.features.agents import LONGEST, TOOLS, planned
from lsp_server.features.errors import Refused
from lsp_server.store.disk import DiskRefused, read_file, write_file
from lsp_server.workspace.config import read_settings
from lsp_server.workspace.paths import real, safe
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


def generate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("agent",), help="what to write: what an agent reads of this repository")
    parser.add_argument("tool", choices=tuple(TOOLS), help="the tool that it is for")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be written")


def run_generate(args: argparse.Namespace) -> int:
    root = workspace(args).root.path
    files: list[dict[str, Any]] = []
    for path, (old, new, what) in planned(args.tool, lambda path: text_of(root, path)).items():
        state = "unchanged" if old == new else "updated" if old else "created"
        files.append({"file": path, "what": what, "state": state})
        if old != new and not args.dry_run:
            target = real(root, safe(root, path))
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, new.encode())
    printer = Printer()
    if args.json:
        printer.json({"version": 1, "tool": args.tool, "dry_run": args.dry_run, "files": files})
        return FINE
    for one in files:
        printer.line((one["state"], STYLES["fresh" if one["state"] != "unchanged" else "faint"]), "  ", one["file"])
        printer.line((", ".join(one["what"]), STYLES["faint"]), indent=2)
    return FINE


def text_of(root: Path, path: str) -> str:
    """The text of a file of the workspace, empty where there is none. Raises PathRefused where a link leads outside."""
    try:
        return read_file(real(root, safe(root, path)), LONGEST).decode("utf-8")
    except FileNotFoundError:
        return ""
    except DiskRefused as refused:
        raise Refused(f"{path} {refused}") from None
    except UnicodeDecodeError:
        raise Refused(f"{path} is no UTF-8; mend it, or move it away, and try again") from None


@asynccontextmanager
async def opened(standing: Standing) -> AsyncIterator[Session]:
    """A session for as long as a client is there. What is wrong with its settings is said on standard error."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s: %(message)s")
    settings, problems = read_settings(standing.root.path)
    for problem in problems:
        print(f"moorline: {problem.message}", file=sys.stderr)
    session = await Session.start(standing.root, settings)

    def again() -> None:
        session.settings = read_settings(standing.root.path)[0]

    session.on_settings = again
    try:
        yield session
    finally:
        await session.stop()


COMMANDS = {
    "mcp": Command(mcp_arguments, run_mcp, "  moorline mcp\n  moorline mcp --read-only --tools all"),
    "generate": Command(
        generate_arguments,
        run_generate,
        "  moorline generate agent claude\n  moorline generate agent cursor --dry-run",
    ),
}
