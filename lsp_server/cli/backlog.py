"""`moorline backlog`: what waits for somebody, the most pressing first, each with the command that settles it."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Piece, Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, kind_words, number_of, time_now
from lsp_server.features import backlog, operations
from lsp_server.features.dues import groups
from lsp_server.features.markdown import plain
from lsp_server.features.words import age, short
from lsp_server.workspace.session import Session

GROUP_STYLES = {
    "contradicted": STYLES["missing"],
    "stale": STYLES["changed"],
    "missing": STYLES["missing"],
    "regressed": STYLES["missing"],
    "disputed": STYLES["missing"],
    "unverifiable": STYLES["unverifiable"],
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", metavar="KIND", help="only of memories of this kind")
    parser.add_argument("--only", metavar="LIST", default="", help="only some of: " + ", ".join(groups()))
    parser.add_argument(
        "--limit", metavar="N", type=count, default=backlog.LIMIT, help=f"entries; 0: all (default: {backlog.LIMIT})"
    )


def count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of entries; write it like 20, or 0 for all")
    return int(text)


def run(args: argparse.Namespace) -> int:
    printer = Printer()
    only = tuple(word.strip() for word in args.only.split(",") if word.strip())

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        with printer.progress("Judging anchors"):
            return await operations.backlog(session, args.kind, only, args.limit)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_backlog(printer, answer, narrowed=bool(args.kind or only))
    return FINE


def print_backlog(printer: Printer, answer: Answer, narrowed: bool = False) -> None:
    """By group on a terminal; in a pipe a line an entry: group, id, kind, place, detail, text, command, by tabs."""
    for problem in answer["problems"]:
        printer.note(f"{plain(problem['file'])}: damaged: {problem['message']}")
    if not answer["items"] and not answer["total"]:
        printer.note("nothing of that is owed" if narrowed else "nothing is owed: every memory is fresh and settled")
        return
    if not printer.styled:
        keys = ("what", "id", "kind", "place", "detail", "title", "command")
        rows = [[identifier(one) if key == "id" else one[key] or "" for key in keys] for one in answer["items"]]
        printer.table(keys, rows, wraps="place")
    else:
        for group in answer["groups"]:
            print_group(printer, group, [one for one in answer["items"] if one["what"] == group["what"]])
    left = answer["total"] - len(answer["items"])
    if left:
        printer.note(f"{left} more; moorline backlog --limit 0 lists all {answer['total']}")
    elif printer.styled:
        printer.line(number_of(answer["total"], "entry", "entries"))


def print_group(printer: Printer, group: Answer, items: list[Answer]) -> None:
    name = group["what"].replace("_", " ")
    style = GROUP_STYLES.get(group["what"], STYLES["strong"])
    printer.line((f"{name[:1].upper()}{name[1:]} {group['count']}", style), (f"  {group['title']}", STYLES["faint"]))
    now = time_now()
    for one in items:
        head: list[Piece] = [(plain(one["place"] or one["title"], 200), STYLES["strong"]), f"  {one['detail']}"]
        if one["since"]:
            head.append((f", {age(one['since'], now)}", STYLES["faint"]))
        printer.line(*head, indent=2)
        if one["id"]:
            printer.line(kind_words(one), " ", (identifier(one), STYLES["id"]), "  ", one["title"], indent=4)
        printer.line((one["command"], STYLES["command"]), indent=4, as_is=True)
    printer.line()


def identifier(one: Answer) -> str:
    return short(one["id"]) if one["id"] else ""


EXAMPLES = """
  moorline backlog                          what is owed, the most pressing first
  moorline backlog --only fixed_unverified  fixes that nobody verified
  moorline backlog --only conflict          what contradicts what
  moorline backlog --json | jq -r '.items[].command'"""

COMMANDS = {"backlog": Command(add_arguments, run, EXAMPLES.strip("\n"))}
