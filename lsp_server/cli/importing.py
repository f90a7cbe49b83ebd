"""`moorline import`: what other tools know, carried over; it only says what it would do until it is told to."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, number_of
from lsp_server.features.importers.found import IMPORTERS
from lsp_server.features.importing import import_files
from lsp_server.workspace.paths import LEDGER
from lsp_server.workspace.session import Session

SHOWN = 20
"""Problems of one file that are printed; `--json` has them all."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="+", help="files, or folders with all that is in them")
    parser.add_argument(
        "--from",
        dest="format",
        metavar="FORMAT",
        choices=tuple(IMPORTERS),
        help=f"take the files for this format: {', '.join(IMPORTERS)} (default: by what they hold)",
    )
    parser.add_argument("--apply", action="store_true", help="write it; without this nothing is changed")
    parser.add_argument(
        "--renew", action="store_true", help="take over what changed there since, where nobody decided yet"
    )
    parser.add_argument("--allow-secret", action="store_true", help="let pass what looks like a secret and is none")
    parser.add_argument(
        "--shared", action="store_true", help="commit it with the code (default: on this machine alone)"
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where some entries or files could not be imported."""

    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        with printer.progress("Importing") as progress:
            return await import_files(
                session,
                [Path(here.cwd, Path(path).expanduser()) for path in args.paths],
                format=args.format,
                apply=args.apply,
                renew=args.renew,
                home="shared" if args.shared else None,
                allow_secret=args.allow_secret,
                progress=progress,
            )

    answer = with_session(args, work)
    if answer.get("initialized"):
        printer.note(f"made {LEDGER}/; commit it with the code")
    if args.json:
        printer.json(answer)
    else:
        print_import(printer, answer, args.paths)
    return FOUND if answer["summary"]["lost"] else FINE


def print_import(printer: Printer, answer: Mapping[str, Any], paths: list[str]) -> None:
    for file in answer["files"]:
        name = IMPORTERS[file["format"]].title if file["format"] in IMPORTERS else "nothing"
        printer.line((file["file"], STYLES["strong"]), "  ", (name, STYLES["faint"]))
        printer.line(what_of(file), indent=2)
        print_problems(printer, file["problems"], 2)
    known = {file["file"] for file in answer["files"]}
    print_problems(printer, [one for one in answer["problems"] if one["file"] not in known], 0)
    summary = answer["summary"]
    if summary["others"]:
        printer.note(f"{number_of(summary['others'], 'file', 'files')} of no known format passed over")
    printer.line(conclusion(answer))
    if not answer["applied"] and summary["new"]:
        printer.line(("nothing is written yet; add ", STYLES["faint"]), ("--apply", STYLES["command"]))
    elif answer["applied"] and summary["new"]:
        printer.line(
            ("nobody has decided on them yet: ", STYLES["faint"]),
            ("moorline list --kind carried", STYLES["command"]),
            (", then ", STYLES["faint"]),
            ("moorline transition ID succeeded|ruled_out|repaired|archived", STYLES["command"]),
        )


def what_of(counts: Mapping[str, Any]) -> str:
    """What a file holds, in one line."""
    parts = [number_of(counts["entries"], "entry", "entries")]
    parts += [
        f"{counts[key]} {word}"
        for key, word in (
            ("new", "new"),
            ("known", "here already"),
            ("changed", "changed there since"),
            ("renewed", "renewed"),
            ("forgotten", "forgotten here"),
            ("refused", "not taken"),
        )
        if counts[key]
    ]
    parts.append(number_of(counts["anchors"], "anchor", "anchors"))
    parts.append(number_of(counts["candidates"], "candidate", "candidates"))
    return ", ".join(parts)


def print_problems(printer: Printer, problems: list[Mapping[str, Any]], indent: int) -> None:
    for one in problems[:SHOWN]:
        style = STYLES["changed"] if one["lost"] else STYLES["unverifiable"]
        where = one["where"] if indent else ", ".join(part for part in (one["file"], one["where"]) if part)
        printer.line((f"{where}: " if where else "", style), one["message"], indent=indent)
    if len(problems) > SHOWN:
        printer.line((f"and {len(problems) - SHOWN} more; --json has them all", STYLES["faint"]), indent=indent)


def conclusion(answer: Mapping[str, Any]) -> str:
    summary = answer["summary"]
    if answer["applied"]:
        return f"imported {what_of({**summary, 'entries': summary['new'] + summary['renewed'], 'new': 0})}"
    return f"would import {what_of({**summary, 'entries': summary['new'], 'new': 0})}"


EXAMPLES = """
  moorline import .tours docs/adr
  moorline import .tours docs/adr --apply
  moorline import memories.jsonl --from mcp-memory --apply"""

COMMANDS = {"import": Command(add_arguments, run, EXAMPLES.strip("\n"))}
