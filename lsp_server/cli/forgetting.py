"""`moorline forget`: erasing a memory for good."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, number_of
from lsp_server.features import operations
from lsp_server.features.markdown import plain
from lsp_server.workspace.session import Session


def forget_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it")
    parser.add_argument("--yes", action="store_true", help="do it: nothing brings it back")
    parser.add_argument(
        "--remains", action="store_true", help="only what a merge brought back of it from before it was forgotten"
    )


def run_forget(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.forget(session, args.id, args.yes, args.remains)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_forgotten(printer, answer)
    return FINE


def print_forgotten(printer: Printer, answer: Answer) -> None:
    """What was erased, then what still remembers it and what to do about that."""
    printer.line("forgotten: ", (answer["id"], STYLES["id"]), f"  {number_of(answer['files'], 'file', 'files')} erased")
    for path in answer["tombstones"]:
        printer.line(f"{plain(path)} keeps it from coming back; commit it", indent=2)
    for kept in answer["git"]:
        path = plain(kept["path"])
        if kept["commits"] == 0:
            printer.line(
                (f"git was told of it and has no commit of it: git rm -r --cached {path}", STYLES["changed"]), indent=2
            )
            printer.line("what git keeps of it until then goes with git gc --prune=now", indent=4)
            continue
        many = (
            "nobody knows how many commits"
            if kept["commits"] is None
            else number_of(kept["commits"], "commit", "commits")
        )
        printer.line((f"git still remembers it, in {many}: {path}", STYLES["changed"]), indent=2)
        printer.line(
            "rewriting history is yours to decide, for example with git filter-repo --invert-paths --path and that"
            " folder; every clone and the server have their own",
            indent=4,
        )
    if answer["document"]:
        printer.line(
            (f"its words stand in {plain(answer['document'])}: delete them there", STYLES["changed"]), indent=2
        )
    for path in answer["traces"]:
        printer.line(
            (f"another program is using {plain(path)}: close it and forget it again", STYLES["missing"]), indent=2
        )


COMMANDS = {
    "forget": Command(
        forget_arguments,
        run_forget,
        "  moorline forget 3f2a1b4c --yes\n"
        "  moorline forget 3f2a1b4c --remains --yes   what a merge brought back of it",
    )
}
