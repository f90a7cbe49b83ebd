"""`moorline describe` and `brief`: what is recorded of a place, or bears on a task, and first what is in doubt."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from lsp_server.cli.arguments import FINE, Command, UsageError, comma_list
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, time_now
from lsp_server.core.kinds import KINDS
from lsp_server.features.agents import HOOKS
from lsp_server.features.brief import ITEMS, LENSES, Wish, brief, is_id, kept_brief
from lsp_server.features.budget import BASE, LEAST, MOST, serialise
from lsp_server.features.describe import EXTRAS, describe_place
from lsp_server.features.markdown import plain
from lsp_server.features.words import age, short, state_words, title, who
from lsp_server.workspace.session import Session

QUOTED = ("what", "value", "check", "title", "text", "why", "detail")
"""What items of the optional sections quote, in the order in which it is read."""

MARKS = ("memory", "type", "kind", "state", "outcome", "what", "time")
"""What they say beside that."""


def describe_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="LOCUS", help="the place: a symbol, lines, a file or a folder")
    parser.add_argument(
        "--with",
        metavar="SECTIONS",
        dest="extras",
        type=comma_list(EXTRAS),
        default=(),
        help=f"more sections, with commas between: {', '.join(EXTRAS)}",
    )
    parser.add_argument("--hook", choices=tuple(HOOKS), help="as a start-up hook of an agent's tool answers it")


def run_describe(args: argparse.Namespace) -> int:
    ascii_only = is_ascii()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await describe_place(session, here.place(args.place), args.extras, ascii_only)

    answer = with_session(args, work)
    if args.hook:
        print_exactly(HOOKS[args.hook](serialise(answer)), True)
    elif args.json:
        print_exactly(answer, ascii_only)
    else:
        print_description(Printer(), answer)
    return FINE


def brief_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", metavar="TASK", nargs="?", default="", help="what is to be done")
    parser.add_argument("--constraint", metavar="C", action="append", default=[], help="what it has to keep to")
    parser.add_argument(
        "--require", metavar="ID|LOCUS", action="append", default=[], help="a memory, or a place's, that must be in"
    )
    parser.add_argument("--lens", choices=tuple(LENSES), default="", help="what a sort of work needs to know")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--bytes", metavar="N", type=int, default=BASE, help=f"{LEAST} to {MOST} bytes (default: {BASE})")
    size.add_argument("--items", metavar="N", type=int, default=0, help=f"at most N memories, up to {ITEMS}")
    parser.add_argument("--keep", action="store_true", help="write it down, to be read again exactly")
    parser.add_argument("--read", metavar="ID", help="a kept brief as it was, and what drifted since")


def run_brief(args: argparse.Namespace) -> int:
    ascii_only = is_ascii()
    if bool(args.read) == bool(args.task):
        raise UsageError("name a task, or with --read the id of a kept brief")

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        if args.read:
            return await kept_brief(session, args.read)
        wish = Wish(
            task=args.task,
            constraints=tuple(args.constraint),
            ids=tuple(one for one in args.require if is_id(one)),
            places=tuple(here.place(one) for one in args.require if not is_id(one)),
            lens=args.lens,
            # A number of memories is not to be cut by bytes that nobody named.
            size=MOST if args.items else args.bytes,
            items=args.items,
            keep=args.keep,
        )
        return await brief(session, wish, ascii_only)

    answer = with_session(args, work)
    if args.json:
        print_exactly(answer, ascii_only)
    else:
        print_brief(Printer(), answer)
    return FINE


def print_brief(printer: Printer, answer: Answer) -> None:
    lens = f" ({answer['lens']})" if answer["lens"] else ""
    printer.line((answer["task"], STYLES["strong"]), lens)
    for constraint in answer["constraints"]:
        printer.line("- ", constraint, indent=2)
    for one in answer.get("drifted", ()):
        words = f"{', '.join(one['what'])} changed since: {one['was'] or 'no anchor'} then, {one['now'] or 'none'} now"
        printer.line((one["id"], STYLES["id"]), "  ", (words, STYLES["changed"]))
    print_unknown(printer, answer)
    print_sections(printer, answer)
    if answer["outside_lens"]:
        printer.note(f"{answer['outside_lens']} more are outside of this lens")
    if answer["kept"] and "drifted" not in answer:
        printer.note(f"kept as {answer['kept']}; moorline brief --read {short(answer['kept'])} reads it again")


def is_ascii() -> bool:
    """Whether what is printed cannot be UTF-8, so that other characters are written as their numbers."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "") != "utf8"


def print_exactly(answer: Answer, ascii_only: bool) -> None:
    """Prints an answer that has a budget with the bytes that were counted, whatever this system ends lines with."""
    text = serialise(answer, ascii_only)
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    binary.write(text.encode())
    binary.flush()


def print_description(printer: Printer, answer: Answer) -> None:
    where = answer["place"] if answer["there"] else f"{answer['place']} (not there)"
    printer.line((where, STYLES["strong"]))
    print_unknown(printer, answer)
    print_sections(printer, answer)


def print_sections(printer: Printer, answer: Answer) -> None:
    for name, section in answer["sections"].items():
        printer.line()
        heading = title(name, 2) if name in KINDS else name
        printer.line((heading.capitalize(), "bold"), f" ({section['total']})")
        for item in section["items"]:
            print_item(printer, item)
        print_left_out(printer, section)


def print_unknown(printer: Printer, answer: Answer) -> None:
    """What the record cannot justify, a line each with the ids it is so of."""
    for entry in answer["unknown"]:
        printer.line(
            (f"{entry['what'].replace('_', ' ')}: {entry['count']}", STYLES["changed"]), f"  {entry['detail']}"
        )
        named = ", ".join(one.get("id") or one["at"] for one in entry["samples"])
        if named:
            printer.line((named, STYLES["faint"]), indent=2)


def print_left_out(printer: Printer, section: Answer) -> None:
    if section["left_out"]:
        named = f": {', '.join(section['ids'])}" if section["ids"] else ""
        printer.line((f"{section['left_out']} more{named}", STYLES["faint"]), indent=2)


def print_item(printer: Printer, item: Answer) -> None:
    """One item: a memory as an agent is given it, or an entry of one of the other sections."""
    if "standing" in item:
        print_told(printer, item)
        return
    said = item.get("quoted", {})
    words = [str(said[key]) for key in QUOTED if said.get(key)]
    marks = [str(item[key]) for key in MARKS if item.get(key)]
    printer.line((" ".join(marks), STYLES["faint"]), "  ", "; ".join(words), indent=2)
    if item.get("command"):
        printer.line((item["command"], STYLES["faint"]), indent=4, as_is=True)


def print_told(printer: Printer, item: Answer) -> None:
    standing, source = item["standing"], item["source"]
    doubts = [name for name in ("contradicted", "stale", "expired", "disputed", "edited") if standing[name]]
    style = STYLES["changed"] if doubts else STYLES["fresh"]
    words = ", ".join(doubts) or item["verdict"] or state_words(standing["state"])
    at = ", ".join(anchor["at"] for anchor in item["anchors"])
    printer.line((short(item["id"]), STYLES["id"]), "  ", (words, style), f"  {at}" if at else "", indent=2)
    printer.text(item["quoted"]["text"], indent=4)
    agent = " (an agent)" if source["author_kind"] == "agent" else ""
    said = f"{plain(who(source['author']), 60)}{agent}, {age(source['recorded'], time_now())}"
    printer.line((said, STYLES["faint"]), indent=4)


COMMANDS = {
    "describe": Command(
        describe_arguments,
        run_describe,
        "  moorline describe src/auth.py#verify\n  moorline describe src/auth.py --with history,related --json",
    ),
    "brief": Command(
        brief_arguments,
        run_brief,
        "  moorline brief 'make logins faster' --require src/auth.py#login --lens fix\n"
        "  moorline brief 'review the pool' --constraint 'no new dependency' --keep\n"
        "  moorline brief --read 0193a4b2c5d6",
    ),
}
