"""`moorline list`, `show` and `diff`: looking at memories."""

from __future__ import annotations

import argparse
from dataclasses import replace
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
from lsp_server.features.listing import Filters, moment
from lsp_server.features.markdown import plain
from lsp_server.features.words import age, short, who
from lsp_server.workspace.session import Session

# -- list --------------------------------------------------------------------------------------------------------------


def list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("place", metavar="LOCUS", nargs="?", help="only what is anchored at this place, file or folder")
    filter_arguments(parser)
    parser.add_argument("--conflicts", action="store_true", help="only what contradicts another one under its key")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N; 0 is all (default: all, but 50 notes)")
    as_of_argument(parser)


def filter_arguments(parser: argparse.ArgumentParser) -> None:
    """What a list and a search may be narrowed to."""
    parser.add_argument("--kind", metavar="KIND", help="only this kind")
    parser.add_argument("--state", metavar="STATE", help="only in this state, also where that is history")
    parser.add_argument("--tag", metavar="TAG", help="only with this tag")
    parser.add_argument(
        "--author", metavar="NAME", help="only what NAME recorded or changed; agent and human are all such"
    )
    parser.add_argument("--since", metavar="WHEN", help="only what was recorded or changed since: a day, a time, or 7d")
    parser.add_argument("--until", metavar="WHEN", help="only what was recorded or changed until then")
    parser.add_argument("--stale", action="store_true", help="only what is stale")
    parser.add_argument("--disputed", action="store_true", help="only what two writers changed at once")
    parser.add_argument("--expired", action="store_true", help="only what is past its date")
    parser.add_argument("--pinned", action="store_true", help="only what is pinned")
    parser.add_argument("--all", action="store_true", help="retired and superseded ones too")


def as_of_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--as-of", metavar="REV", help="as it was believed at this commit, branch or tag")


def filters_of(args: argparse.Namespace) -> Filters:
    """What `filter_arguments` read. Raises Refused where a time is none."""
    now = time_now()
    return Filters(
        kind=args.kind,
        state=args.state,
        tag=args.tag,
        author=args.author,
        since=moment(args.since, now) if args.since else None,
        until=moment(args.until, now, end=True) if args.until else None,
        stale=args.stale or None,
        disputed=args.disputed or None,
        expired=args.expired or None,
        pinned=args.pinned or None,
        everything=args.all,
    )


def narrowed_to(filters: Filters, here: Standing, place: str | None) -> Filters:
    """Filters that a place as the user wrote it narrows further: a folder to all that is below it."""
    if place is None:
        return filters
    where = here.place(place)
    if where.symbol is None and where.lines is None and here.is_folder(where.file):
        return replace(filters, below=where.file)
    return replace(filters, place=where)


def run_list(args: argparse.Namespace) -> int:
    printer = Printer()
    filters = replace(filters_of(args), conflicts=args.conflicts, limit=args.limit)

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        chosen = narrowed_to(filters, here, args.place)
        with printer.progress("Judging anchors"):
            return await operations.list_chosen(session, chosen, args.as_of)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_moment(printer, answer)
        print_list(printer, answer, args.place is not None or filters.narrows or bool(args.as_of))
    return FINE


def print_moment(printer: Printer, answer: Answer) -> None:
    """Of which moment an answer is, where that is not the present, and where only times tell it."""
    then = answer.get("as_of")
    if then is None:
        return
    printer.note(f"as of {plain(then['asked'], 60)}: {then['revision'][:12]}, {then['time']}")
    if then["by_time"]:
        ids = ", ".join(short(one) for one in then["by_time"][:8])
        printer.note(f"by time alone, since git no longer tells of some revisions: {ids}")


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
    if answer["omitted"]:
        printer.note(f"{answer['omitted']} more are not shown; --limit 0 shows all")


# -- show --------------------------------------------------------------------------------------------------------------


def show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the memory's id, or the beginning of it")
    as_of_argument(parser)


def run_show(args: argparse.Namespace) -> int:
    printer = Printer()

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        return await operations.show(session, args.id, args.as_of)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_moment(printer, answer)
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
        printer.line(("what follows is its last good version", STYLES["faint"]))
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
        "  moorline list --stale --json | jq -r '.memories[].id'\n"
        "  moorline list --author agent --since 7d   what agents wrote this week\n"
        "  moorline list --state fixed_unverified    fixes that nobody verified\n"
        "  moorline list --as-of v1.2                what was believed then",
    ),
    "show": Command(show_arguments, run_show, "  moorline show 3f2a1b4c\n  moorline show 3f2a1b4c --as-of v1.2"),
    "diff": Command(
        diff_arguments, run_diff, "  moorline diff 3f2a1b4c\n  moorline diff 3f2a1b4c --anchor src/auth.py#verify"
    ),
}
