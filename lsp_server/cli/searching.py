"""`moorline search` and `eval`: finding memories by what they say, and how well that finds them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Cell, Piece, Printer
from lsp_server.cli.reading import as_of_argument, filter_arguments, filters_of, narrowed_to, print_moment
from lsp_server.cli.standing import Standing
from lsp_server.cli.wording import STYLES, Answer, headline, id_of, kind_words, number_of, place, standing, worst
from lsp_server.core.ranking import PROFILES
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.evaluate import MAX_BYTES, changes, evaluate, read_cases
from lsp_server.features.granularity import LEVELS
from lsp_server.features.markdown import plain
from lsp_server.features.search import LIMIT, Question
from lsp_server.workspace.session import Session

# -- search ------------------------------------------------------------------------------------------------------------


def search_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="+", help="what to look for, in words, names or Chinese")
    filter_arguments(parser)
    parser.add_argument("--path", metavar="LOCUS", help="only what is anchored at this place, file or folder")
    parser.add_argument("--near", metavar="LOCUS", help="the place asked from: what is anchored near it comes first")
    parser.add_argument("--task", metavar="TEXT", help="what it is for: what shares words with that comes first")
    parser.add_argument(
        "--profile",
        metavar="NAME",
        default="default",
        help="a way of looking: " + ", ".join(PROFILES) + ", or your own",
    )
    parser.add_argument("--level", choices=LEVELS, default="fit", help="how much of each text (default: what fits)")
    parser.add_argument("--limit", metavar="N", type=int, default=LIMIT, help=f"at most N (default: {LIMIT})")
    parser.add_argument("--explain", action="store_true", help="say of each why it is where it is")
    as_of_argument(parser)


def run_search(args: argparse.Namespace) -> int:
    printer = Printer()
    filters = filters_of(args)

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        question = Question(
            " ".join(args.query),
            narrowed_to(filters, here, args.path),
            near=here.place(args.near) if args.near is not None else None,
            profile=args.profile,
            task=args.task or "",
            limit=args.limit,
            level=args.level,
        )
        with printer.progress("Searching"):
            return await operations.search_memories(session, question, args.as_of)

    answer = with_session(args, work)
    if args.json:
        printer.json(answer)
    else:
        print_moment(printer, answer)
        print_hits(printer, answer, args.explain)
    return FINE


def print_hits(printer: Printer, answer: Answer, explained: bool) -> None:
    """Each hit with its text on a terminal; in a pipe a line each: score, id, kind, standing, place, first line."""
    memories = answer["memories"]
    if not memories:
        printer.note("nothing found; moorline backlog keeps the question until something answers it")
        return
    if not printer.styled:
        names = ["score", "id", "kind", "standing", "place", "text", *(["why"] if explained else [])]
        printer.table(names, [row_of(memory, explained) for memory in memories], wraps="place")
    else:
        for memory in memories:
            print_hit(printer, memory, explained)
    if answer["omitted"]:
        printer.note(f"{answer['omitted']} more were found; --limit shows up to 60")


def row_of(memory: Answer, explained: bool) -> list[Cell]:
    anchor = worst(memory)
    where: Piece = place(anchor) if anchor else ""
    row: list[Cell] = [score_of(memory), id_of(memory), memory["kind"], standing(memory), where]
    return [*row, headline(memory["text"]), *([why(memory)] if explained else [])]


def print_hit(printer: Printer, memory: Answer, explained: bool) -> None:
    anchor = worst(memory)
    where: list[Piece] = ["  ", (place(anchor), STYLES["strong"])] if anchor else []
    printer.line(
        (score_of(memory), STYLES["faint"]),
        "  ",
        (kind_words(memory), "bold"),
        "  ",
        (id_of(memory), STYLES["id"]),
        "  ",
        standing(memory),
        *where,
    )
    printer.text(memory["shown"]["text"], indent=6)
    if explained:
        printer.line((why(memory), STYLES["faint"]), indent=6)


def score_of(memory: Answer) -> str:
    return f"{memory['found']['score']:.2f}"


def why(memory: Answer) -> str:
    """The factors of a hit's score: what it would be without is the score divided by it."""
    return ", ".join(f"{name} {value:.2f}" for name, value in memory["found"]["factors"].items())


# -- eval --------------------------------------------------------------------------------------------------------------


def eval_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cases", metavar="CASES.json", help="what is asked, and what must be found")
    parser.add_argument("--baseline", metavar="FILE", help="an earlier result to compare with")
    parser.add_argument("--save", metavar="FILE", help="keep the result, to compare with later")


def run_eval(args: argparse.Namespace) -> int:
    printer = Printer()
    cases = read_cases(read_json(args.cases))
    before = read_json(args.baseline) if args.baseline else None

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        with printer.progress("Searching") as tell:
            return await evaluate(session, cases, tell)

    answer = with_session(args, work)
    if before is not None:
        answer = {**answer, "changes": changes(before, answer)}
    if args.save:
        kept = {key: value for key, value in answer.items() if key != "changes"}
        Path(args.save).write_text(
            json.dumps(kept, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n"
        )
    if args.json:
        printer.json(answer)
    else:
        print_eval(printer, answer)
    return FOUND if any(one["what"] == "lost" for one in answer.get("changes", {}).get("cases", ())) else FINE


def read_json(path: str) -> Any:
    """The JSON of a file. Raises Refused where it is none, or too large."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise Refused(f"{path} is over {MAX_BYTES} bytes; split it")
        return json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Refused(f"{path} is no JSON; moorline eval --help shows what it looks like") from None


def print_eval(printer: Printer, answer: Answer) -> None:
    """A line a case, and the means below."""
    rows: list[list[Cell]] = [
        [
            ("hit", STYLES["fresh"]) if one["hit"] else ("miss", STYLES["missing"]),
            f"{one['mrr']:.3f}",
            f"{one['ndcg']:.3f}",
            plain(one["query"], 120),
            plain(", ".join(one["missing"]), 200),
        ]
        for one in answer["cases"]
    ]
    printer.table(["", "MRR", "nDCG", "query", "not found"], rows, wraps="query")
    summary = answer["summary"]
    means = f"hit rate {summary['hit_rate']:.3f}, MRR {summary['mrr']:.3f}, nDCG {summary['ndcg']:.3f}"
    printer.line(number_of(summary["cases"], "case", "cases"), ": ", (means, STYLES["strong"]))
    if "changes" in answer:
        print_changes(printer, answer["changes"])


def print_changes(printer: Printer, found: Answer) -> None:
    difference = ", ".join(f"{name.replace('_', ' ')} {value:+.3f}" for name, value in found["summary"].items())
    printer.line("against the baseline: ", difference)
    for one in found["cases"]:
        style = STYLES["missing"] if one["what"] in ("lost", "worse") else STYLES["faint"]
        numbers = "" if one["mrr"] is None else f"  MRR {one['mrr']:+.3f}"
        printer.line((one["what"], style), f"  {plain(one['name'], 120)}{numbers}")


COMMANDS = {
    "search": Command(
        search_arguments,
        run_search,
        "  moorline search how are tokens checked\n"
        "  moorline search 'verifyJwt expiry' --near src/auth.py#verify --explain\n"
        "  moorline search 登录超时 --kind finding --since 30d\n"
        "  moorline search retries --profile debug --path src/net --json | jq -r '.memories[].id'\n"
        "  moorline search 'who owns the cache' --as-of v1.2",
    ),
    "eval": Command(
        eval_arguments,
        run_eval,
        '  CASES.json: [{"query": "how are tokens checked", "any": ["3f2a1b4c"], "loci": ["src/auth.py#verify"]}]\n'
        "  moorline eval cases.json --save before.json\n"
        "  moorline eval cases.json --baseline before.json   1 where a case is lost",
    ),
}
