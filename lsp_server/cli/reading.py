"""`moorline list`, `show` and `diff`: looking at memories."""

from __future__ import annotations

import argparse
from typing import Any

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.checking import print_steps
from lsp_server.cli.naming import named_anchor
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Cell, Piece, Printer
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import (
    STYLES,
    Answer,
    check_pieces,
    facts,
    headline,
    id_of,
    kind_words,
    level,
    next_steps,
    number_of,
    place,
    remarks,
    since,
    standing,
    time_now,
    why,
    worst,
)
from lsp_server.features import operations
from lsp_server.features.markdown import plain
from lsp_server.features.words import age, who
from lsp_server.workspace.session import Session

# -- list --------------------------------------------------------------------------------------------------------------


def list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="LOCUS", nargs="?", help="only what is anchored at this place, file or folder")
    parser.add_argument("--kind", metavar="KIND", help="only this kind")
    parser.add_argument("--tag", metavar="TAG", help="only with this tag")
    parser.add_argument("--stale", action="store_true", help="only what is stale")
    parser.add_argument("--all", action="store_true", help="retired and superseded ones too")


def run_list(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        where = here.place(args.place) if args.place is not None else None
        folder = where is not None and where.symbol is None and where.lines is None and here.is_folder(where.file)
        filters = {"kind": args.kind, "tag": args.tag, "stale": args.stale or None, "everything": args.all}
        with printer.progress("Judging anchors"):
            answer = await operations.list_memories(session, None if folder else where, **filters)
        return below(answer, where.file) if folder and where is not None else answer

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_list(printer, answer, any((args.place, args.kind, args.tag, args.stale)))
    return FINE


def below(answer: dict[str, Any], folder: str) -> dict[str, Any]:
    """The memories of a list that have an anchor in a folder."""

    def inside(anchor: Answer) -> bool:
        files = {anchor["file"], *([anchor["now"]["file"]] if anchor["now"] else [])}
        return not folder or any(file.startswith(folder + "/") for file in files)

    kept = [memory for memory in answer["memories"] if not folder or any(map(inside, memory["anchors"]))]
    return {**answer, "memories": kept}


def print_list(printer: Printer, answer: Answer, narrowed: bool = False) -> None:
    """A table on a terminal; in a pipe a line a memory: id, kind, standing, place, first line of the text.

    `narrowed` says that not all memories were asked for.
    """
    memories = answer["memories"]
    if not memories:
        printer.note("no memories" if narrowed else "no memories yet; moorline record keeps a first one")
        return
    rows: list[list[Cell]] = []
    for memory in memories:
        anchor = worst(memory)
        more = f" +{len(memory['anchors']) - 1}" if len(memory["anchors"]) > 1 else ""
        where: list[Piece] = [place(anchor) if anchor else "", (more, STYLES["faint"])]
        kind = kind_words(memory) if printer.styled else memory["kind"]
        rows.append([(id_of(memory), STYLES["id"]), kind, standing(memory), where, headline(memory["text"])])
    printer.table(["id", "kind", "standing", "place", "text"], rows, wraps="place")
    if printer.styled:
        stale = sum(memory["stale"] for memory in memories)
        sums: list[Piece] = [number_of(len(memories), "memory", "memories")]
        if stale:
            sums += [", ", (f"{stale} stale", STYLES["changed"])]
        printer.line(*sums)


# -- show --------------------------------------------------------------------------------------------------------------


def show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it")


def run_show(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.show(session, args.id)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_memory(printer, answer)
    return FINE


def print_memory(printer: Printer, memory: Answer) -> None:
    """Everything about one memory: what it says, where it is tied, how it stands, what to do next."""
    now = time_now()
    # What is history, and what is in a state that is worth a word, stands as that says.
    state = (memory["state"], "  ") if memory["current"] and not remarks(memory) else ()
    printer.line((kind_words(memory), "bold"), "  ", (memory["id"], STYLES["id"]), "  ", *state, standing(memory))
    at = f" at {memory['revision'][:8]}" if memory["revision"] else ""
    by = plain(who(memory["author"]), 60)
    agent = " (an agent)" if memory["author_kind"] == "agent" else ""
    printer.line((f"recorded {age(memory['recorded'], now)} by {by}{agent}{at}", STYLES["faint"]))
    for said in facts(memory, now):
        printer.line((said, STYLES["faint"]) if isinstance(said, str) else said)
    if memory["problem"]:
        printer.line(("damaged: ", STYLES["missing"]), memory["problem"])
    printer.line()
    printer.text(memory["text"], indent=2)
    printer.line()
    for anchor in memory["anchors"]:
        there = anchor["now"] if anchor["symbol"] else None
        where = f"{there['file']}:{there['start_line']}-{there['end_line']}, " if there else ""
        printer.line(
            (place(anchor), STYLES["strong"]),
            (f"  {anchor['id']}  ", STYLES["faint"]),
            (why(anchor), STYLES[level(anchor)]),
        )
        printer.line((where + since(anchor, now), STYLES["faint"]), indent=2)
        print_steps(printer, next_steps(memory, anchor), indent=2)
    for check in memory["checks"]:
        printer.line(*check_pieces(check))


# -- diff --------------------------------------------------------------------------------------------------------------


def diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it")
    parser.add_argument("--anchor", metavar="LOCUS", help="only this anchor: its place or its id")


def run_diff(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        anchor = await named_anchor(session, here, args.id, args.anchor)
        return await operations.show_diff(session, args.id, anchor)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_diff(printer, answer)
    return FINE


def print_diff(printer: Printer, answer: Answer) -> None:
    """A unified diff for each anchor, coloured on a terminal."""
    now = time_now()
    for number, anchor in enumerate(answer["anchors"]):
        if number:
            printer.line()
        printer.line((place(anchor), STYLES["strong"]), "  ", (why(anchor), STYLES[level(anchor)]))
        printer.line((since(anchor, now), STYLES["faint"]))
        if anchor["diff"] is None:
            printer.line("there is nothing to compare: the accepted text is not kept, or too long")
        elif not anchor["diff"]:
            printer.line("the same text")
        for line in anchor["diff"] or ():
            printer.line((line.rstrip("\r\n"), diff_style(line)))
    if not answer["anchors"]:
        printer.note("the memory has no anchor, so there is nothing to compare")


def diff_style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


COMMANDS = {
    "list": Command(
        list_arguments,
        run_list,
        "  moorline list                     everything, stale first\n"
        "  moorline list src/auth.py#verify  what is anchored there\n"
        "  moorline list --stale --json | jq -r '.memories[].id'",
    ),
    "show": Command(show_arguments, run_show, "  moorline show 3f2a1b4c"),
    "diff": Command(
        diff_arguments, run_diff, "  moorline diff 3f2a1b4c\n  moorline diff 3f2a1b4c --anchor src/auth.py#verify"
    ),
}
