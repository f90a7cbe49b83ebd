"""`moorline dismiss`: what becomes of memories that say the same, or the opposite."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import Command
from lsp_server.cli.grounds import add_author
from lsp_server.cli.opening import with_session
from lsp_server.cli.settling import done, id_argument
from lsp_server.cli.standing import Standing
from lsp_server.features import operations
from lsp_server.workspace.session import Session


def dismiss_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("other", metavar="OTHER", help="the id of the memory that it is in conflict with")
    parser.add_argument("--reason", metavar="R", required=True, help="why both hold")
    add_author(parser)


def run_dismiss(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.dismiss(session, args.id, args.other, args.reason, args.author, args.allow_secret)

    return done(args, "dismissed a conflict of", with_session(args, work))


COMMANDS = {
    "dismiss": Command(
        dismiss_arguments,
        run_dismiss,
        "  moorline list --conflicts\n  moorline dismiss 3f2a1b4c 9e8d7c6b --reason 'one is of the old API'",
    ),
}
