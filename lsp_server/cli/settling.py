"""`moorline clear`, `reanchor`, `supersede`, `retire`, `restore` and `follow`: settling what a check found."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.checking import print_steps
from lsp_server.cli.naming import named_anchor
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.stdin import text_argument
from lsp_server.cli.wording import (
    STYLES,
    Answer,
    headline,
    id_of,
    kind_words,
    level,
    next_steps,
    number_of,
    place,
    why,
)
from lsp_server.features import operations
from lsp_server.workspace.session import Session


def id_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it")


# -- clear -------------------------------------------------------------------------------------------------------------


def clear_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--anchor", metavar="LOCUS", help="only this anchor, by place or id (default: all present)")
    parser.add_argument("--note", metavar="N", help="why it still holds; kept with the acceptance")
    parser.add_argument("--undo", action="store_true", help="take the last acceptance back")


def run_clear(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        anchor = await named_anchor(session, here, args.id, args.anchor)
        return await operations.clear_staleness(session, args.id, anchor, args.note, args.undo)

    answer = with_session(args, work)
    printer = Printer()
    if args.json:
        printer.json(answer)
    else:
        say(printer, "taken back" if args.undo else "accepted", answer)
        for anchor in answer["anchors"]:
            if anchor["id"] in answer["missing"]:
                printer.line((f"not accepted: {place(anchor)} is not there", STYLES["missing"]), indent=2)
    return FOUND if answer["missing"] else FINE


def say(printer: Printer, what: str, memory: Answer) -> None:
    """What was done to a memory, and how it stands now."""
    printer.line(what, ": ", kind_words(memory), " ", (id_of(memory), STYLES["id"]), "  ", headline(memory["text"]))
    if not memory["current"]:
        return
    for anchor in memory["anchors"]:
        printer.line(place(anchor), "  ", (why(anchor), STYLES[level(anchor)]), indent=2)
        if anchor["stale"]:
            print_steps(printer, next_steps(memory, anchor), indent=4)


# -- reanchor, supersede, retire, restore ------------------------------------------------------------------------------


def reanchor_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("place", metavar="LOCUS", help="the place to tie it to")
    parser.add_argument("--anchor", metavar="LOCUS", help="which anchor, by place or id, where there are several")


def run_reanchor(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        anchor = await named_anchor(session, here, args.id, args.anchor)
        return await operations.reanchor(session, args.id, here.wanted(args.place), anchor)

    return done(args, "re-anchored", with_session(args, work))


def supersede_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--text", metavar="T", required=True, help="what is true now; - reads standard input")
    parser.add_argument("--reason", metavar="R", default="", help="why the old one no longer holds")
    parser.add_argument("--author", metavar="NAME", help="who says so (default: git's user)")


def run_supersede(args: argparse.Namespace) -> int:
    text = text_argument(args.text)

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.supersede(session, args.id, text, args.reason, args.author)

    return done(args, "recorded in its place", with_session(args, work))


def retire_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--reason", metavar="R", required=True, help="why it no longer holds")
    parser.add_argument("--author", metavar="NAME", help="who says so (default: git's user)")


def run_retire(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.retire(session, args.id, args.reason, args.author)

    return done(args, "retired", with_session(args, work))


def restore_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--reason", metavar="R", default="", help="why it holds again")


def run_restore(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.restore(session, args.id, args.reason)

    return done(args, "restored", with_session(args, work))


def done(args: argparse.Namespace, what: str, answer: dict[str, Any]) -> int:
    printer = Printer()
    if args.json:
        printer.json(answer)
    else:
        say(printer, what, answer)
    return FINE


# -- follow ------------------------------------------------------------------------------------------------------------


def follow_arguments(parser: argparse.ArgumentParser) -> None:
    """Takes nothing of its own."""


def run_follow(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        with printer.progress("Looking for moved code"):
            return await operations.follow_all(session)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
        return FINE
    for memory in answer["memories"]:
        say(printer, "followed", memory)
    if answer["memories"]:
        printer.note(
            f"{number_of(len(answer['memories']), 'memory', 'memories')} followed; commit .moorline/ with the code"
        )
    else:
        printer.note("nothing moved that is not written down")
    return FINE


COMMANDS = {
    "clear": Command(
        clear_arguments,
        run_clear,
        "  moorline clear 3f2a1b4c --note 'only the log line changed'\n"
        "  moorline clear 3f2a1b4c --anchor src/auth.py#verify\n"
        "  moorline clear 3f2a1b4c --undo",
    ),
    "reanchor": Command(reanchor_arguments, run_reanchor, "  moorline reanchor 3f2a1b4c src/session.py#check"),
    "supersede": Command(
        supersede_arguments,
        run_supersede,
        "  moorline supersede 3f2a1b4c --text 'Tokens live 15 minutes.' --reason 'audit of May'",
    ),
    "retire": Command(retire_arguments, run_retire, "  moorline retire 3f2a1b4c --reason 'the endpoint is gone'"),
    "restore": Command(restore_arguments, run_restore, "  moorline restore 3f2a1b4c"),
    "follow": Command(follow_arguments, run_follow, "  moorline follow && git add .moorline    in a pre-commit hook"),
}
