"""`moorline record`: one memory from options, or many from a file of JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from lsp_server.cli.arguments import FINE, FOUND, Command, UsageError
from lsp_server.cli.failing import cut
from lsp_server.cli.grounds import EVIDENCE_HELP, SECRET_HELP
from lsp_server.cli.opening import with_session
from lsp_server.cli.printing import Printer, json_text
from lsp_server.cli.requests import (
    LOCAL,
    REFUSALS,
    batch_request,
    evidence_texts,
    field_values,
    hashed,
    one_file,
)
from lsp_server.cli.standing import Standing
from lsp_server.cli.stdin import DASH, text_argument
from lsp_server.cli.wording import (
    HEADLINE,
    STYLES,
    Answer,
    check_pieces,
    headline,
    id_of,
    kind_words,
    level,
    number_of,
    place,
    why,
)
from lsp_server.core.kinds import KINDS, RETIRED, SUPERSEDED, kind_of
from lsp_server.core.model import Sensitivity
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.markdown import plain
from lsp_server.features.record import Request
from lsp_server.features.typed import quoted
from lsp_server.features.words import short
from lsp_server.workspace.paths import LEDGER
from lsp_server.workspace.session import Session

CHECK_HELP = "a condition that the code decides, like 'equals src/auth.py#TIMEOUT 30'; may be repeated"

CHUNK = 500
"""Lines of a batch that are written and indexed in one go: enough to share the cost of a look at the whole ledger, few
enough that the first answers come soon."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("places", metavar="LOCUS", nargs="*", help="where it applies; the first is the primary one")
    parser.add_argument("--kind", metavar="K", help=f"one of {', '.join(KINDS)}")
    parser.add_argument("--text", metavar="T", help="what is to be remembered, Markdown; - reads standard input")
    parser.add_argument("--local", action="store_true", help="keep it on this machine; git ignores it")
    parser.add_argument("--tag", metavar="TAG", action="append", default=[], help="may be repeated")
    parser.add_argument("--importance", metavar="N", type=int, help="1 to 5")
    parser.add_argument("--expires", metavar="WHEN", help="from when it counts less: 2027-03-31, or 30d from now on")
    parser.add_argument("--state", metavar="S", help="the state it begins in (default: its kind's first)")
    parser.add_argument(
        "--field", metavar="NAME=VALUE", action="append", default=[], help="what its kind asks for; may be repeated"
    )
    parser.add_argument("--evidence", metavar="E", action="append", default=[], help=EVIDENCE_HELP)
    parser.add_argument("--check", metavar="C", action="append", default=[], help=CHECK_HELP)
    parser.add_argument("--by-checks", action="store_true", help="changed code is fine while every check holds")
    parser.add_argument(
        "--revision", metavar="REV", default="", help="the commit from which on it is so (default: HEAD)"
    )
    parser.add_argument("--again", action="store_true", help="also if it was forgotten on purpose")
    parser.add_argument("--allow-secret", action="store_true", help=SECRET_HELP)
    parser.add_argument("--author", metavar="NAME", help="who says so (default: git's user)")
    parser.add_argument(
        "--sensitivity",
        choices=[str(one) for one in Sensitivity],
        help="what makes it stale: its interface, its code, its text, or anything in its file",
    )
    parser.add_argument(
        "--hash",
        metavar="SHA256",
        action="append",
        default=[],
        help="the file's SHA-256 that it was written about; with another it is stale at once",
    )
    parser.add_argument("--batch", metavar="FILE.jsonl", help="record one JSON object a line; - reads standard input")


def run(args: argparse.Namespace) -> int:
    if args.batch is not None:
        return run_batch(args)
    if args.kind is None or args.text is None:
        missing = "--kind" if args.kind is None else "--text"
        raise UsageError(f"{missing} is needed; see moorline record --help")
    text = text_argument(args.text)
    expires = args.expires

    async def work(session: Session, here: Standing) -> dict[str, Any]:
        hashes = hashed(args.places, args.hash)
        anchors = tuple(here.wanted(place, digest) for place, digest in zip(args.places, hashes, strict=True))
        one_file(anchors, args.hash)
        request = Request(
            kind=args.kind,
            text=text,
            anchors=anchors,
            home=LOCAL if args.local else None,
            tags=tuple(args.tag),
            importance=args.importance,
            expires=expires,
            sensitivity=args.sensitivity,
            author=args.author,
            state=args.state,
            fields=field_values(args.field),
            evidence=read_evidence(evidence_texts(here, args.evidence)),
            revision=args.revision,
            again=args.again,
            allow_secret=args.allow_secret,
            checks=tuple(args.check),
            by_checks=args.by_checks,
        )
        answer = await operations.record_memory(session, request)
        say_initialized(Printer(), here, answer)
        return answer

    answer = with_session(args, work)
    printer = Printer()
    if args.json:
        printer.json(answer)
    else:
        print_recorded(printer, answer)
    return FINE


def say_initialized(printer: Printer, here: Standing, answer: Answer) -> None:
    if answer.get("initialized"):
        printer.note(f"made {here.root.path / LEDGER}; commit it with the code")


def print_recorded(printer: Printer, answer: Answer) -> None:
    if answer.get("retired"):
        printer.line(
            f"it was recorded before and is {answer['state']}; nothing was changed: "
            f"moorline {way_back(answer)} makes it current again"
        )
        return
    what = "recorded" if answer["created"] else "known already, with what was new added"
    printer.line(what, ": ", kind_words(answer), " ", (id_of(answer), STYLES["id"]), "  ", headline(answer["text"]))
    for anchor in answer["anchors"]:
        printer.line(place(anchor), "  ", (why(anchor), STYLES[level(anchor)]), indent=2)
    if not answer["anchors"]:
        printer.line(("on no place in the code", STYLES["faint"]), indent=2)
    for check in answer["checks"]:
        printer.line(*check_pieces(check), indent=2)
    for near in answer.get("near", ())[:1]:
        old, new = short(near["id"]), id_of(answer)
        printer.note(f"{near['similarity']:.0%} alike: {old}  {plain(near['text'], HEADLINE)}")
        printer.note(f"to let this one take over: moorline transition {old} superseded --by {new}")
    for conflict in answer.get("conflicts", ()):
        others = [short(one) for one in conflict["ids"] if one != answer["id"]]
        about = plain(conflict["key"] or conflict["place"], 200)
        printer.note(f"in conflict with {', '.join(others)} about {about}; moorline list --conflicts shows both")
        printer.note(f"if both hold: moorline dismiss {id_of(answer)} {others[0]} --reason ...")
    for proposed in answer.get("proposed_checks", ()):
        printer.note(f"a check it could carry: --check {quoted(proposed)}")


def way_back(answer: Answer) -> str:
    """The command that makes what is history, or was decided otherwise, current again."""
    if answer["state"] in (SUPERSEDED, RETIRED):
        return f"restore {id_of(answer)}"
    row = kind_of(answer["kind"])
    back = next((state for state in row.transitions[answer["state"]] if row.is_current(state)), "STATE")
    return f"transition {id_of(answer)} {back}"


# -- batch -------------------------------------------------------------------------------------------------------------


def run_batch(args: argparse.Namespace) -> int:
    """One answer line for each line that is not blank, in order. Exit code 1 where any of them was an error."""
    if args.places or any(value for name, value in vars(args).items() if name in ALONE):
        raise UsageError("--batch takes all from its file; leave the other options out")
    lines = batch_lines(args.batch)
    printer = Printer()

    async def work(session: Session, here: Standing) -> Counter[str]:
        counts: Counter[str] = Counter()
        with printer.progress("Recording") as progress:
            for start in range(0, len(lines), CHUNK):
                for answer in await record_lines(session, here, lines[start : start + CHUNK]):
                    counts["refused" if "error" in answer else "new" if answer["created"] else "known"] += 1
                    print(json_text(answer, sys.stdout))
                    say_initialized(printer, here, answer)
                progress(min(start + CHUNK, len(lines)), len(lines))
        return counts

    counts = with_session(args, work)
    said = [f"{number_of(counts['new'], 'memory', 'memories')} recorded"]
    said += [f"{counts['known']} known already"] if counts["known"] else []
    said += [f"{number_of(counts['refused'], 'line', 'lines')} refused"] if counts["refused"] else []
    printer.note(", ".join(said))
    return FOUND if counts["refused"] else FINE


ALONE = (
    *("kind", "text", "local", "tag", "importance", "expires", "author", "sensitivity", "hash"),
    *("state", "field", "evidence", "revision", "again", "allow_secret", "check", "by_checks"),
)
"""Options that a batch has no use for."""


def batch_lines(name: str) -> list[tuple[int, bytes]]:
    """The lines of a batch that are not blank, with their numbers from 1."""
    if name == DASH:
        data = sys.stdin.buffer.read()
    else:
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise Refused(f"--batch {name}: {error.strerror}; give a file of JSON lines, or -") from None
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]


async def record_lines(session: Session, here: Standing, lines: list[tuple[int, bytes]]) -> list[dict[str, Any]]:
    """The answers to some lines of a batch, in order."""
    answers: list[dict[str, Any]] = []
    requests: list[Request] = []
    slots: list[int] = []
    for number, line in lines:
        try:
            requests.append(batch_request(here, line))
            slots.append(len(answers))
            answers.append({})
        except REFUSALS as error:
            answers.append({"error": cut(str(error)), "line": number})
    made = await operations.record_many(session, requests)
    for slot, answer in zip(slots, made, strict=True):
        answers[slot] = answer if isinstance(answer, dict) else {"error": cut(str(answer)), "line": lines[slot][0]}
    return answers


EXAMPLES = """
  moorline record src/auth.py#verify --kind decision --text 'Tokens are checked before the body is read.'
  moorline record src/auth.py:40-52 docs/auth.md --kind note --tag auth --text -
  moorline record src/auth.py#verify --kind finding --text 'Expired tokens pass.' --field severity=high
  moorline record --batch notes.jsonl
a line of a batch:
  {"anchors": ["src/auth.py#verify"], "kind": "note", "text": "..."}"""

COMMANDS = {"record": Command(add_arguments, run, EXAMPLES.strip("\n"))}
