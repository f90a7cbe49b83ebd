"""`moorline markers`: every marker in the Markdown of the workspace, and accepting those that nobody looked at."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, id_of, level, number_of, place, why
from lsp_server.features.markdown import plain
from lsp_server.features.marker_list import list_markers
from lsp_server.workspace.session import Session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="documents or folders; without any, the whole workspace"
    )
    parser.add_argument(
        "--accept", action="store_true", help="accept the code of every marker that has no baseline yet"
    )
    parser.add_argument("--note", metavar="N", help="why it holds; kept with each acceptance")


def run(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        paths = [here.key(path) for path in args.paths]
        with printer.progress("Reading Markdown"):
            return await list_markers(session, paths, accept=args.accept, note=args.note)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_markers(printer, answer, accept=args.accept)
    return FOUND if answer["summary"]["broken"] else FINE


def print_markers(printer: Printer, answer: Answer, *, accept: bool) -> None:
    """One line a marker, as compilers write them, then the sums."""
    for entry in answer["markers"]:
        where = f"{plain(entry['document'])}:{entry['line']}"
        memory = entry["memory"]
        if entry["problem"]:
            printer.line((where, STYLES["strong"]), ": ", ("broken", STYLES["missing"]), f": {plain(entry['problem'])}")
        elif memory is None:
            printer.line((where, STYLES["strong"]), ": ", "retired", f": {plain(entry['marker'])}")
        else:
            (anchor,) = memory["anchors"][:1]
            named = place({**anchor, "now": None})
            said = (why(anchor), STYLES[level(anchor)])
            printer.line((where, STYLES["strong"]), f": {plain(named)}: ", said, "  ", (id_of(memory), STYLES["id"]))
    sums = answer["summary"]
    if not sums["markers"]:
        printer.line("no markers; write @anchor(file=F, symbol=S) into a paragraph of your Markdown")
        return
    markers = number_of(sums["markers"], "marker", "markers")
    counts = [f"{sums[name]} {name}" for name in ("broken", "stale", "unaccepted") if sums[name]]
    printer.line(f"{', '.join([*counts, markers])} in {number_of(sums['documents'], 'document', 'documents')}")
    if accept:
        printer.note(f"{sums['accepted']} accepted" + ("; commit .moorline/ with the code" if sums["accepted"] else ""))
    elif sums["unaccepted"]:
        printer.note("moorline markers --accept accepts the code of those that have no baseline yet")


COMMANDS = {
    "markers": Command(
        add_arguments,
        run,
        "  moorline markers docs/decisions           what they name, and how that stands\n"
        "  moorline markers --accept --note 'read'   accept the code of the new ones",
    )
}
