"""`moorline explain` and `use`: what a place is for and how it works; and what a memory was used for."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.grounds import add_author
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.settling import done, id_argument
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, time_now
from lsp_server.features import operations
from lsp_server.features.markdown import plain
from lsp_server.features.words import age, short, title, who
from lsp_server.workspace.session import Session


def explain_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="LOCUS", help="the place to explain")
    parser.add_argument("--older", action="store_true", help="the texts that were replaced as well")


def run_explain(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.explain(session, here.place(args.place))

    answer = with_session(args, work)
    printer = Printer()
    if args.json:
        printer.json(answer)
        return FINE
    for kind, slot in answer["slots"].items():
        print_slot(printer, kind, slot, args.older)
    return FINE


def print_slot(printer: Printer, kind: str, slot: Answer, older: bool) -> None:
    """One slot: its text and who says so, or that there is none; then what it replaced."""
    if slot["text"] is None:
        printer.line((title(kind).capitalize(), "bold"), ": ", (slot["state"], STYLES["faint"]))
    else:
        state = "" if slot["state"] == "recorded" else f" ({slot['state']})"
        stale = ("  stale", STYLES["changed"]) if slot["stale"] else ""
        printer.line((f"{title(kind).capitalize()}{state}", "bold"), "  ", (short(slot["id"]), STYLES["id"]), stale)
        print_text(printer, slot)
    for rival in slot["rivals"]:
        printer.line(("at odds with it", STYLES["missing"]), "  ", (short(rival["id"]), STYLES["id"]), indent=2)
        print_text(printer, rival)
    if older:
        for one in slot["older"]:
            printer.line(
                (one["state"].replace("_", " "), STYLES["faint"]), "  ", (short(one["id"]), STYLES["id"]), indent=2
            )
            print_text(printer, one)
    elif slot["older"]:
        printer.line((f"{len(slot['older'])} older: --older shows them", STYLES["faint"]), indent=2)


def print_text(printer: Printer, one: Answer) -> None:
    printer.text(one["text"], indent=2)
    said = f"{plain(who(one['author']), 60)}, {age(one['recorded'], time_now())}"
    printer.line((said, STYLES["faint"]), indent=2)


def use_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--for", metavar="WHAT", dest="purpose", required=True, help="what it was used for")
    add_author(parser)


def run_use(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.note_use(session, args.id, args.purpose, args.author, args.allow_secret)

    return done(args, "noted", with_session(args, work))


COMMANDS = {
    "explain": Command(
        explain_arguments,
        run_explain,
        "  moorline record src/auth.py#verify --kind purpose --text 'Refuses a token before the body is read.'\n"
        "  moorline explain src/auth.py#verify",
    ),
    "use": Command(use_arguments, run_use, "  moorline use 3f2a1b4c --for 'the timeout of the connection pool'"),
}
