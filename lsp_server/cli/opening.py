"""Opening the workspace for the length of one command."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from lsp_server.cli.standing import Standing, stand
from lsp_server.features.errors import Refused
from lsp_server.workspace.config import read_settings
from lsp_server.workspace.session import Session

T = TypeVar("T")

NO_WORKSPACE = "no workspace here: neither .moorline/ nor git; run moorline init, or name one with --root DIR"


def with_session(args: argparse.Namespace, work: Callable[[Session, Standing], Awaitable[T]]) -> T:
    """Runs `work` with the workspace that the arguments mean, opened, and closes it whatever happens.

    Raises Refused where there is none. In a git repository without a `.moorline/` there is one, with nothing in it.
    """
    standing = workspace(args)

    async def run() -> T:
        async with opened(standing) as session:
            return await work(session, standing)

    return asyncio.run(run())


def workspace(args: argparse.Namespace) -> Standing:
    """The workspace that the arguments mean. Raises Refused where there is none."""
    standing = stand(args.root)
    if standing.root.kind == "folder" and not standing.named:
        raise Refused(NO_WORKSPACE)
    return standing


@asynccontextmanager
async def opened(standing: Standing) -> AsyncIterator[Session]:
    """A session for the length of a `with`. What is wrong with its settings is said on standard error.

    Meanwhile nobody looks for cycles in memory: what a command reads is needed until it ends, and going through all of
    it again and again takes a third of the time that twenty thousand memories take.
    """
    collecting = gc.isenabled()
    gc.disable()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s: %(message)s")
    settings, problems = read_settings(standing.root.path)
    for problem in problems:
        print(f"moorline: {problem.message}", file=sys.stderr)
    try:
        session = await Session.start(standing.root, settings)
        try:
            yield session
        finally:
            await session.stop()
    finally:
        if collecting:
            gc.enable()
