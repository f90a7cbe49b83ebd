"""`moorline consolidate` and `dismiss`: what becomes of memories that say the same, or the opposite."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.capturing import numbers
from lsp_server.cli.grounds import add_author
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.settling import done, id_argument
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, number_of
from lsp_server.core.kinds import KINDS, kind_of
from lsp_server.features import operations
from lsp_server.features.consolidate import consolidate
from lsp_server.features.markdown import plain
from lsp_server.features.words import short
from lsp_server.workspace.session import Session


def consolidate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--apply", action="store_true", help="merge what can be; without this nothing is changed")
    parser.add_argument("--only", metavar="LIST", type=numbers, default=(), help="merge these clusters alone, like 1,3")
    parser.add_argument("--kind", metavar="KIND", choices=tuple(KINDS), help="look at one kind alone")
    parser.add_argument("--author", metavar="NAME", help="who says so; an agent is agent:NAME (default: git's user)")


def run_consolidate(args: argparse.Namespace) -> int:
    """Exit code 1 where something that could be merged was not after all."""

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await consolidate(session, apply=args.apply, only=args.only, kind=args.kind, author=args.author)

    answer = with_session(args, work)
    printer = Printer()
    if args.json:
        printer.json(answer)
    else:
        print_consolidation(printer, answer)
    wanted = [one for one in answer["clusters"] if not args.only or one["number"] in args.only]
    failed = [member for one in wanted for member in one["members"] if member["mergeable"] and not member["merged"]]
    return FOUND if args.apply and failed else FINE


def print_consolidation(printer: Printer, answer: Mapping[str, Any]) -> None:
    for cluster in answer["clusters"]:
        row, keep = kind_of(cluster["kind"]), cluster["keep"]
        kept = (short(keep["id"]), STYLES["id"])
        printer.line(f"{cluster['number']}  {row.icon} {row.title}  ", kept, f"  {plain(keep['text'], 120)}")
        for one in cluster["members"]:
            word, style = ("alike", "faint")
            if one["mergeable"]:
                word, style = ("merged", "fresh") if one["merged"] else ("can be merged", "members")
            said = f"{one['similarity']:.0%}  "
            printer.line(
                said, (word, STYLES[style]), "  ", (short(one["id"]), STYLES["id"]), f"  {plain(one['text'])}", indent=3
            )
            if one["why"]:
                printer.line((plain(one["why"], 400), STYLES["faint"]), indent=8)
            elif one["merged"]:
                printer.line(("to take it back: ", STYLES["faint"]), f"moorline undo {short(one['id'])}", indent=8)
    for pair in answer["contradictions"]:
        first, second = pair["memories"]
        printer.line((f"{pair['similarity']:.0%} alike, and the opposite:", STYLES["missing"]))
        for one in (first, second):
            printer.line((short(one["id"]), STYLES["id"]), f"  {plain(one['text'], 120)}", indent=3)
        taken = f"moorline transition {short(first['id'])} superseded --by {short(second['id'])}"
        printer.line("if the second holds: ", (taken, STYLES["command"]), indent=3, as_is=True)
    summary = answer["summary"]
    if not answer["clusters"] and not answer["contradictions"]:
        printer.line("nothing says nearly the same twice")
    elif answer["applied"]:
        printer.line(f"merged {number_of(summary['merged'], 'memory', 'memories')}")
    elif summary["mergeable"]:
        printer.line(("nothing is merged yet; add ", STYLES["faint"]), ("--apply", STYLES["command"]))


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
    "consolidate": Command(
        consolidate_arguments,
        run_consolidate,
        "  moorline consolidate\n  moorline consolidate --apply --only 1\n  moorline undo 3f2a1b4c",
    ),
    "dismiss": Command(
        dismiss_arguments,
        run_dismiss,
        "  moorline list --conflicts\n  moorline dismiss 3f2a1b4c 9e8d7c6b --reason 'one is of the old API'",
    ),
}
