"""`moorline history`: the life of a memory, every event of it."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Piece, Printer
from lsp_server.cli.reading import as_of_argument, print_diff, print_moment
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, evidence, headline, kind_words, number_of, time_now
from lsp_server.features import operations
from lsp_server.features.markdown import plain
from lsp_server.features.words import age, short, state_words, who
from lsp_server.workspace.session import Session


def history_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it, also of a forgotten one")
    parser.add_argument("--diff", action="store_true", help="also how its code changed since it was accepted last")
    as_of_argument(parser)


def run_history(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.history(session, args.id, args.as_of, args.diff)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    elif answer["forgotten"]:
        print_forgotten(printer, answer)
    else:
        print_moment(printer, answer)
        print_history(printer, answer)
        if args.diff:
            printer.line()
            print_diff(printer, {"anchors": answer["diff"]})
    return FINE


def print_forgotten(printer: Printer, answer: Answer) -> None:
    printer.line((answer["id"], STYLES["id"]), "  was forgotten; nothing is known of it but that")
    if answer["files"]:
        many = number_of(answer["files"], "file", "files")
        printer.line(f"{many} of it came back by a merge: moorline forget {answer['id']} --yes erases them", indent=2)


def print_history(printer: Printer, answer: Answer) -> None:
    """A line an event, with its reason and evidence below it. In a pipe parts of a line are parted by tabs: time, who,
    revision, what, why, and what became of it."""
    now = time_now()
    if printer.styled:
        state = state_words(answer["state"])
        printer.line(
            (kind_words(answer), "bold"), "  ", (answer["id"], STYLES["id"]), f"  {state}  ", headline(answer["text"])
        )
    for event in answer["events"]:
        marks = marks_of(event)
        if not printer.styled:
            revision = (event["revision"] or "")[:12]
            parts = (event["time"], who(event["author"]), revision, event["what"], event["why"] or "", ", ".join(marks))
            printer.line("\t".join(plain(part, 400).replace("\t", " ") for part in parts))
            continue
        at = f" at {event['revision'][:8]}" if event["revision"] else ""
        faint: Piece = (f"{age(event['time'], now)} by {plain(who(event['author']), 40)}{at}", STYLES["faint"])
        style = STYLES["faint"] if event["undone_by"] else STYLES["strong"]
        marked: list[Piece] = [("  " + ", ".join(marks), STYLES["changed"])] if marks else []
        printer.line((plain(event["what"], 200), style), *marked, "  ", faint)
        if event["why"]:
            printer.line(plain(event["why"], 400), indent=2)
        for piece in event["evidence"] if event["type"] != "evidence" else ():
            printer.line((evidence(piece, now), STYLES["faint"]), indent=2)


def marks_of(event: Answer) -> list[str]:
    """What became of an event, and what is wrong with it, in words."""
    marks = ["at odds with another one"] if event["rival"] else []
    if event["undone_by"]:
        marks.append(f"undone by {short(event['undone_by'])}")
    if event["by_time"]:
        marks.append("by time")
    if event["fault"]:
        marks.append(f"counts for nothing: it {event['fault']}")
    return marks


COMMANDS = {
    "history": Command(
        history_arguments,
        run_history,
        "  moorline history 3f2a1b4c\n"
        "  moorline history 3f2a1b4c --diff\n"
        "  moorline history 3f2a1b4c --as-of v1.2\n"
        "  moorline history 3f2a1b4c --json | jq -r '.events[] | [.time, .author, .what] | @tsv'",
    )
}
