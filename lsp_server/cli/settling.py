"""Settling what a check found, and what else happens to a memory: `moorline clear`, `reanchor`, `supersede`, `retire`,
`restore`, `transition`, `evidence`, `pin`, `undo` and `follow`."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.checking import print_steps
from lsp_server.cli.grounds import EVIDENCE_HELP, SECRET_HELP, add_author, add_grounds, grounds
from lsp_server.cli.naming import named_anchor
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.requests import evidence_texts
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
from lsp_server.features.words import short
from lsp_server.workspace.session import Session


def id_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it")


# -- clear -------------------------------------------------------------------------------------------------------------


def clear_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--anchor", metavar="LOCUS", help="only this anchor, by place or id (default: all present)")
    parser.add_argument("--note", metavar="N", help="why it still holds; kept with the acceptance")
    parser.add_argument("--undo", action="store_true", help="take the last acceptance back")
    parser.add_argument("--allow-secret", action="store_true", help=SECRET_HELP)


def run_clear(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        anchor = await named_anchor(session, here, args.id, args.anchor)
        return await operations.clear_staleness(session, args.id, anchor, args.note, args.undo, args.allow_secret)

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
    add_grounds(parser, "why the old one no longer holds")


def run_supersede(args: argparse.Namespace) -> int:
    text = text_argument(args.text)

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.supersede(session, args.id, text, grounds(args, here))

    return done(args, "recorded in its place", with_session(args, work))


def retire_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    add_grounds(parser, "why it no longer holds", required=True)


def run_retire(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.retire(session, args.id, grounds(args, here))

    return done(args, "retired", with_session(args, work))


def restore_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    add_grounds(parser, "why it holds again")


def run_restore(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.restore(session, args.id, grounds(args, here))

    return done(args, "restored", with_session(args, work))


# -- transition, evidence, pin, undo -----------------------------------------------------------------------------------


def transition_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("state", metavar="STATE", help="one of its kind's states; a wrong one names them")
    parser.add_argument("--by", metavar="ID", default="", help="the memory that takes over")
    add_grounds(parser, "why")


def run_transition(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.transition(session, args.id, args.state, grounds(args, here))

    return done(args, f"now {args.state}", with_session(args, work))


def evidence_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("action", metavar="add", choices=["add"], help="what to do with it")
    parser.add_argument("evidence", metavar="E", nargs="+", help=EVIDENCE_HELP)
    parser.add_argument("--role", metavar="ROLE", default="", help="what it is for, like fix-verification")
    parser.add_argument("--revision", metavar="REV", default="", help="the commit at which it was seen (default: HEAD)")
    add_author(parser)


def run_evidence(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        given = operations.Grounds(
            evidence=evidence_texts(here, args.evidence),
            role=args.role,
            revision=args.revision,
            author=args.author,
            allow_secret=args.allow_secret,
        )
        return await operations.add_evidence(session, args.id, given)

    answer = with_session(args, work)
    return done(args, f"kept as evidence, {answer['state']}", answer)


def pin_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--off", action="store_true", help="take the pin off")
    parser.add_argument("--author", metavar="NAME", help="who says so (default: git's user)")


def run_pin(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.pin(session, args.id, not args.off, args.author)

    return done(args, "pin taken off" if args.off else "pinned", with_session(args, work))


def undo_arguments(parser: argparse.ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--reason", metavar="R", default="", help="why")
    add_author(parser)


def run_undo(args: argparse.Namespace) -> int:
    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.undo(session, args.id, args.reason, args.author, args.allow_secret)

    answer = with_session(args, work)
    code = done(args, f"taken back ({', '.join(answer['undone'])})", answer)
    for identifier in answer["left"] if not args.json else ():
        Printer().line(f"{short(identifier)}, which it had recorded, stays: more happened to it since", indent=2)
    return code


def done(args: argparse.Namespace, what: str, answer: dict[str, Any]) -> int:
    printer = Printer()
    if args.json:
        printer.json(answer)
    else:
        say(printer, what, answer)
        for identifier in answer.get("replaced", ()):
            printer.line(f"{short(identifier)}, which had taken over, is retired", indent=2)
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
    "transition": Command(
        transition_arguments,
        run_transition,
        "  moorline transition 3f2a1b4c fixed_unverified --revision HEAD\n"
        "  moorline transition 3f2a1b4c verified --evidence fix-verification=test:tests/test_auth.py\n"
        "  moorline transition 3f2a1b4c ruled_out --evidence quote:'It is meant so.'",
    ),
    "evidence": Command(
        evidence_arguments,
        run_evidence,
        "  moorline evidence 3f2a1b4c add commit:HEAD url:https://example.org/issues/7\n"
        "  moorline evidence 3f2a1b4c add test:tests/test_auth.py --role fix-verification",
    ),
    "pin": Command(pin_arguments, run_pin, "  moorline pin 3f2a1b4c\n  moorline pin 3f2a1b4c --off"),
    "undo": Command(undo_arguments, run_undo, "  moorline undo 3f2a1b4c --reason 'the wrong one'"),
    "follow": Command(follow_arguments, run_follow, "  moorline follow && git add .moorline    in a pre-commit hook"),
}
