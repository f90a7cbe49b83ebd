"""`moorline check`: the verdict of every anchor, for people and for machines, and an exit code by what was found."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, WRONG, Command, comma_list
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Piece, Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import (
    STYLES,
    Answer,
    detail,
    file_line,
    headline,
    id_of,
    kind_words,
    level,
    needs_look,
    next_steps,
    number_of,
    passage_place,
    rank,
    remarked,
    since,
    tally,
    time_now,
    why,
    word_of,
    written_down,
)
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.markdown import plain
from lsp_server.workspace.session import Session

FORMATS = ("text", "json")

FAILURES: Mapping[str, str] = {
    "stale": "the code under a memory changed or is gone",
    "contradicted": "a check that a memory carries fails",
    "members": "only members of a container changed",
    "unverifiable": "it cannot be told, or a memory's file cannot be read",
    "never": "nothing: the exit code is 0",
}
"""What `--fail-on` takes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files or folders; without any, the whole workspace")
    parser.add_argument("--format", choices=FORMATS, help="how to print (default: text)")
    parser.add_argument(
        "--fail-on",
        metavar="LIST",
        type=comma_list(FAILURES),
        help=f"exit 1 on any of {', '.join(FAILURES)} (default: the workspace's setting, else stale,contradicted)",
    )
    parser.add_argument("--all", action="store_true", help="judge retired and superseded memories too")
    parser.add_argument("-v", "--verbose", action="store_true", help="name every anchor, also those that are fresh")


def run(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, standing: Standing) -> tuple[dict[str, Any], tuple[str, ...]]:
        paths = [standing.key(path) for path in args.paths]
        for path, key in zip(args.paths, paths, strict=True):
            if not standing.is_there(key) and not await session.index.memories(below=key):
                # A path that is mistyped must not pass for one that is fine. One that is gone is judged as gone.
                raise Refused(f"{path}: nothing is there, and no memory was ever anchored there; see to the path")
        with printer.progress("Judging anchors"):
            return await operations.check(session, paths, args.all), session.settings.fail_on

    answer, usual = with_session(args, work)
    if args.json or args.format == "json":
        printer.json(answer)
    else:
        print_check(printer, answer, args.verbose, some=bool(args.paths))
    if answer["problems"] and not answer["summary"]["memories"] and not args.paths:
        return WRONG  # Nothing could be judged at all: continuous integration must not take that for good.
    return FOUND if found(answer, args.fail_on or usual) else FINE


def found(answer: Answer, fail_on: Iterable[str]) -> list[str]:
    """Which of the things that a check may fail on there are. What is history fails no check."""
    wanted = set(fail_on)
    if "never" in wanted:
        return []
    current = [memory for memory in answer["memories"] if memory["current"]]
    levels = {level(anchor) for memory in current for anchor in memory["anchors"]}
    there = {
        "stale": bool(levels & {"changed", "missing", "file_missing"}),
        "contradicted": any(memory["contradicted"] for memory in current),
        "members": "members" in levels,
        "unverifiable": "unverifiable" in levels or bool(answer["problems"]),
    }
    return [name for name, is_there in there.items() if is_there and name in wanted]


def print_check(printer: Printer, answer: Answer, verbose: bool = False, some: bool = False) -> None:
    """What needs a person, by file, worst first; then the sums. `some`: only some paths were asked for."""
    rows = [
        (memory, anchor)
        for memory in answer["memories"]
        for anchor in (memory["anchors"] if verbose else needs_look(memory))
    ]
    print_file = print_block if printer.styled else print_lines
    for _, entries in by_file(rows):
        print_file(printer, entries)
    for problem in answer["problems"]:
        printer.line((plain(problem["file"]), "bold"), (": damaged", STYLES["missing"]), f": {problem['message']}")
    if printer.styled and answer["problems"]:
        printer.line()
    summary = answer["summary"]
    sums = tally(answer["memories"])
    anchors = number_of(summary["anchors"], "anchor", "anchors")
    of = f"{anchors} of {number_of(summary['memories'], 'memory', 'memories')}"
    if not summary["memories"] and answer["problems"] and not some:
        printer.line("no memory could be read")
    elif not summary["memories"]:
        printer.line("nothing is anchored there" if some else "no memories yet; moorline record keeps a first one")
    else:
        printer.line(*sums, ": " if sums else "", of)
    if open_ones := summary["undecidable"]:
        these = number_of(open_ones, "check", "checks")
        printer.note(f"{these} cannot be decided; moorline show ID says why")
    moved = [one for memory in answer["memories"] for one in memory["anchors"] if one["verdict"] == "moved"]
    if not all(map(written_down, moved)):
        printer.note("moorline follow writes down where moved code went")


def by_file(rows: Iterable[tuple[Answer, Answer]]) -> list[tuple[str, list[tuple[Answer, Answer]]]]:
    """Groups by the file to look at: the file with the worst verdict first, in a file by line."""
    files: dict[str, list[tuple[Answer, Answer]]] = {}
    for memory, anchor in rows:
        files.setdefault(file_line(anchor)[0], []).append((memory, anchor))
    for entries in files.values():
        entries.sort(key=lambda entry: (file_line(entry[1])[1], entry[0]["id"]))
    return sorted(files.items(), key=lambda item: (min(rank(anchor) for _, anchor in item[1]), item[0]))


def print_lines(printer: Printer, entries: Sequence[tuple[Answer, Answer]]) -> None:
    """One line an anchor, as compilers write them: file, line, verdict, and the command that settles it."""
    for memory, anchor in entries:
        file, line = file_line(anchor)
        steps = [command for _, command in next_steps(memory, anchor)[:1]]
        symbol = name_of(anchor)
        parts = [
            f"{file}:{line}" if line else file,
            why(anchor) if not symbol else f"{symbol}: {why(anchor)}",
            f"{memory['kind']} {id_of(memory)}{remarked(memory)}{stands_in(memory)}: {headline(memory['text'])}",
        ]
        printer.line(": ".join(parts) + "".join(f" [{command}]" for command in steps))


def stands_in(memory: Answer) -> str:
    """` in docs/a.md:3` for a passage."""
    return f" in {passage_place(memory)}" if memory.get("document") else ""


def print_block(printer: Printer, entries: Sequence[tuple[Answer, Answer]]) -> None:
    now = time_now()
    printer.line((file_line(entries[0][1])[0], "bold underline"))
    for memory, anchor in entries:
        line = file_line(anchor)[1]
        head: list[Piece] = [(f"{line or '-':>5}  ", STYLES["faint"])]
        if name_of(anchor):
            head += [(name_of(anchor), STYLES["strong"]), "  "]
        printer.line(*head, word_of(anchor))
        if said := detail(anchor):
            printer.line(said, indent=7)
        name = (id_of(memory), STYLES["id"])
        printer.line(kind_words(memory), " ", name, remarked(memory), "  ", headline(memory["text"]), indent=7)
        if anchor["stale"]:
            printer.line((since(anchor, now), STYLES["faint"]), indent=7)
        print_steps(printer, next_steps(memory, anchor), indent=7)
    printer.line()


def print_steps(printer: Printer, steps: Sequence[tuple[str, str]], indent: int) -> None:
    """What to do next, a line each, the commands below each other."""
    width = max((len(said) for said, _ in steps), default=0)
    for said, command in steps:
        printer.line(
            (f"{said + '?':<{width + 1}}  ", STYLES["faint"]), (command, STYLES["command"]), indent=indent, as_is=True
        )


def name_of(anchor: Answer) -> str:
    symbol = anchor["now"]["symbol"] if anchor["now"] else anchor["symbol"]
    return plain(symbol) if symbol else ""


EXAMPLES = """
  moorline check                        what went stale since it was accepted
  moorline check src/auth.py docs/      in these alone
  moorline check --fail-on never        look, and never fail
  moorline check --json | jq .summary"""

COMMANDS = {"check": Command(add_arguments, run, EXAMPLES.strip("\n"))}
