"""`moorline checkpoint` and `resume`: leaving work so that it can be gone on with, and going on with it."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.describing import is_ascii, print_exactly, print_sections, print_unknown
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.recording import say_initialized
from lsp_server.cli.standing import Standing
from lsp_server.cli.stdin import text_argument
from lsp_server.cli.wording import STYLES, time_now
from lsp_server.features.budget import BASE, LEAST, MOST
from lsp_server.features.checkpoint import Work, checkpoint
from lsp_server.features.markdown import plain
from lsp_server.features.resume import resume
from lsp_server.features.words import age, short, who
from lsp_server.workspace.session import Session


def checkpoint_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--summary", metavar="T", required=True, help="how far the work is; - reads standard input")
    for name, said in (
        ("decision", "what was decided"),
        ("open", "what is open"),
        ("next", "what comes next"),
        ("entity", "what it is about: a component, a person, a ticket"),
        ("file", "a file that matters"),
    ):
        parser.add_argument(f"--{name}", metavar="T", action="append", default=[], help=f"{said}; may be repeated")
    parser.add_argument("--author", metavar="NAME", help="who says so; an agent is agent:NAME (default: git's user)")


def run_checkpoint(args: argparse.Namespace) -> int:
    summary = text_argument(args.summary)
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        files = tuple(here.key(one) for one in args.file)
        left = Work(summary, tuple(args.decision), tuple(args.open), tuple(args.next), tuple(args.entity), files)
        answer = await checkpoint(session, left, args.author)
        say_initialized(printer, here, answer)
        return answer

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
        return FINE
    printer.line("kept on this machine: ", (short(answer["id"]), STYLES["id"]), "; moorline resume goes on from here")
    for one in answer["left_out"]:
        printer.note(f"a line of the {one['section']} is left out: {one['why']}")
    return FINE


def resume_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", nargs="?", default="", help="what is to be done")
    parser.add_argument(
        "--bytes", metavar="N", type=int, default=BASE, help=f"{LEAST} to {MOST} bytes (default: {BASE})"
    )


def run_resume(args: argparse.Namespace) -> int:
    ascii_only = is_ascii()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await resume(session, args.task, args.bytes, ascii_only)

    answer = with_session(args, work)
    if args.json:
        print_exactly(answer, ascii_only)
        return FINE
    printer = Printer()
    left = answer["checkpoint"]
    if left:
        when = f"{age(left['recorded'], time_now())}, {plain(who(left['author']), 60)}"
        printer.line(("Left at", STYLES["strong"]), f"  {when}  ", (short(left["id"]), STYLES["id"]))
    elif not answer["sections"]:
        printer.line("nothing to go on from yet; moorline checkpoint --summary ... leaves something")
    print_unknown(printer, answer)
    print_sections(printer, answer)
    return FINE


COMMANDS = {
    "checkpoint": Command(
        checkpoint_arguments,
        run_checkpoint,
        "  moorline checkpoint --summary 'The parser is done, its errors are not.' --next 'errors with their line'",
    ),
    "resume": Command(
        resume_arguments, run_resume, "  moorline resume\n  moorline resume 'errors of the parser' --json"
    ),
}
