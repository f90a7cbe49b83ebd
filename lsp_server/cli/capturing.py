"""`moorline capture`: what a text says that is worth keeping; it only shows it until it is told to keep it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Piece, Printer
from lsp_server.cli.recording import say_initialized
from lsp_server.cli.standing import Standing
from lsp_server.cli.stdin import DASH, decoded, text_argument
from lsp_server.cli.wording import STYLES, number_of
from lsp_server.core.kinds import kind_of
from lsp_server.features.capture import FAULTY, KEPT, KNOWN, NEAR, NEW, REFUSED, capture
from lsp_server.features.errors import Refused
from lsp_server.features.markdown import plain
from lsp_server.features.typed import quoted
from lsp_server.features.words import short
from lsp_server.workspace.session import Session

WORDS: Mapping[str, tuple[str, str]] = {
    NEW: ("new", "fresh"),
    KNOWN: ("known already", "faint"),
    NEAR: ("nearly known", "members"),
    FAULTY: ("its marker names no place", "missing"),
    KEPT: ("kept", "fresh"),
    REFUSED: ("refused", "missing"),
}
"""How a status is said, and the name of its colour."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", default=DASH, help="a text; - reads standard input")
    parser.add_argument("--yes", action="store_true", help="keep what is new; without this nothing is changed")
    parser.add_argument("--only", metavar="LIST", type=numbers, default=(), help="keep these alone, like 1,3")
    parser.add_argument("--suggested", action="store_true", help="anchor to what stands in backticks as well")
    parser.add_argument("--force", action="store_true", help="keep also what is nearly known")
    parser.add_argument("--local", action="store_true", help="keep it on this machine; git ignores it")
    parser.add_argument("--author", metavar="NAME", help="who says so; an agent is agent:NAME (default: git's user)")
    parser.add_argument("--allow-secret", action="store_true", help="let pass what looks like a secret and is none")


def numbers(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isascii() and word.isdigit() for word in words):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no list of numbers; write it like 1,3")
    return tuple(map(int, words))


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where something that was to be kept could not be."""
    text = text_of(args.file)
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        initialized = session.ledger.exists()
        answer = await capture(
            session,
            text,
            yes=args.yes,
            only=args.only,
            suggested=args.suggested,
            force=args.force,
            local=args.local,
            author=args.author,
            allow_secret=args.allow_secret,
        )
        say_initialized(printer, here, {"initialized": not initialized and session.ledger.exists()})
        return answer

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_captured(printer, answer, args.only)
    failed = [one for one in answer["proposals"] if one["status"] in (FAULTY, REFUSED)]
    wanted = [one for one in failed if not args.only or one["number"] in args.only]
    return FOUND if args.yes and wanted else FINE


def text_of(file: str) -> str:
    """The text to look at. Raises Refused where the file cannot be read."""
    if file == DASH:
        if sys.stdin.isatty():
            raise Refused("no text; name a file, or pipe one in: git log -1 --format=%B | moorline capture")
        return text_argument(DASH)
    try:
        return decoded(Path(file).expanduser().read_bytes(), file)
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}; name a file, or - for standard input") from None


def print_captured(printer: Printer, answer: Mapping[str, Any], only: tuple[int, ...]) -> None:
    for one in answer["proposals"]:
        print_proposal(printer, one)
    for target in answer["loose"]:
        printer.note(f"a marker stands beside nothing that is worth keeping: {plain(target, 200)}")
    if answer["passed"]:
        whys = dict.fromkeys(one["why"] for one in answer["passed"])
        printer.note(f"{number_of(len(answer['passed']), 'line', 'lines')} passed over: {', '.join(whys)}")
    summary = answer["summary"]
    if not answer["proposals"]:
        printer.line("nothing in it is worth keeping, as far as words tell")
    elif answer["applied"]:
        printer.line(f"kept {summary[KEPT]} of {number_of(summary['proposals'], 'proposal', 'proposals')}")
    elif summary[NEW]:
        printer.line(("nothing is kept yet; add ", STYLES["faint"]), ("--yes", STYLES["command"]))
    if summary[NEAR] and not (answer["applied"] and only):
        printer.line(("to keep also what is nearly known, add ", STYLES["faint"]), ("--force", STYLES["command"]))


def print_proposal(printer: Printer, one: Mapping[str, Any]) -> None:
    row = kind_of(one["kind"])
    word, style = WORDS[one["status"]]
    said: list[Piece] = [f"{one['number']}  ", f"{row.icon} {row.title}  ", (word, STYLES[style])]
    if one["id"]:
        said += ["  ", (short(one["id"]), STYLES["id"])]
    printer.line(*said)
    printer.line(plain(one["text"], 1000), indent=4)
    if one["message"]:
        printer.line((plain(one["message"], 400), STYLES["missing"]), indent=4)
    for place in one["anchors"]:
        printer.line(f"at {place}", indent=4)
    for place in one["suggested"]:
        printer.line((f"perhaps at {place}", STYLES["faint"]), indent=4)
    for near in one["near"][:1]:
        again = f"moorline supersede {short(near['id'])} --text {quoted(one['text'])}"
        printer.line(f"{near['similarity']:.0%} alike: {short(near['id'])}  {plain(near['text'], 120)}", indent=4)
        printer.line("to say it in its place: ", (again, STYLES["command"]), indent=4, as_is=True)


EXAMPLES = """
  moorline capture notes.md
  git log -1 --format=%B | moorline capture
  moorline capture talk.txt --yes --only 1,3 --author agent:claude"""

COMMANDS = {"capture": Command(add_arguments, run, EXAMPLES.strip("\n"))}
