"""Capture: what a text says that is worth keeping, with its places looked up and what is kept already told apart.

Nothing is kept unless somebody says so. A marker that names no place of the code stops its proposal, as it would stop a
record; what stands in backticks is only suggested, and only where there is exactly one place that it can mean.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_server.core.capture import Captured, Proposal, captured
from lsp_server.core.documents import Marker
from lsp_server.core.locus import split_locus
from lsp_server.core.model import Locus, SourceState
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.likeness import Near, near, near_json
from lsp_server.features.places import Wanted, resolve
from lsp_server.features.record import Request, draft
from lsp_server.store.ledger import LedgerRefused
from lsp_server.workspace import git
from lsp_server.workspace.gather import names_in
from lsp_server.workspace.paths import PathRefused, safe
from lsp_server.workspace.session import Session
from lsp_server.workspace.snapshot import Snapshot
from lsp_server.workspace.threads import in_thread

VERSION = 1

MOST = 1024 * 1024
"""Bytes of a text that are looked at: a long conversation. A longer one is a log, or to be given in parts."""

FILES = 40
"""Most files that are read to find where a symbol in backticks is defined; of more it is not told."""

NEW, KNOWN, NEAR, FAULTY, KEPT, REFUSED = "new", "known", "near", "faulty", "kept", "refused"
"""What a proposal is: new; in the ledger already; nearly so; with a marker that names no place; and, once it was to be
kept, kept, or refused by the ledger's rules."""

STATUSES = (NEW, KNOWN, NEAR, FAULTY, KEPT, REFUSED)


@dataclass(slots=True)
class Found:
    """A proposal with what was looked up about it. `status` is one of those above, `message` says why it is no other.

    `anchors` are the places of its markers, `suggested` what its backticks can only mean.
    """

    proposal: Proposal
    status: str = NEW
    message: str = ""
    anchors: tuple[Wanted, ...] = ()
    suggested: tuple[Locus, ...] = ()
    near: tuple[Near, ...] = ()
    memory: str | None = None
    state: str | None = None


async def capture(
    session: Session,
    text: str,
    *,
    yes: bool = False,
    only: Sequence[int] = (),
    suggested: bool = False,
    force: bool = False,
    local: bool = False,
    author: str | None = None,
    allow_secret: bool = False,
) -> dict[str, Any]:
    """What a text says that is worth keeping; with `yes` it is kept.

    `only` are the numbers (from 1) of the proposals that are to be kept. `suggested`: their suggested places become
    anchors as well. `force`: also what is nearly in the ledger already. Raises Refused for a text that is too long, a
    number that is none, or an author that is none.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MOST:
        raise Refused(f"the text has {size} bytes, at most {MOST} are looked at; give it in parts")
    operations.check_author(session, author)
    told = await asyncio.to_thread(captured, text)
    odd = [number for number in only if not 1 <= number <= len(told.proposals)]
    if odd:
        raise Refused(f"there is no proposal {odd[0]}; the text gives {len(told.proposals)}")
    found = await looked_up(session, told)
    if yes:
        await keep(session, found, only, suggested, force, local, author, allow_secret)
    return answer(told, found, yes)


async def looked_up(session: Session, told: Captured) -> list[Found]:
    """Each proposal with its places, and what the ledger has of it."""
    places = await mentioned(session, [one for proposal in told.proposals for one in proposal.mentions])
    found = []
    for proposal in told.proposals:
        one = Found(proposal)
        place(session.snapshot(), one, places)
        if one.status == NEW:
            await compare(session, one)
        found.append(one)
    return found


def place(snapshot: Snapshot, one: Found, places: Mapping[str, Locus]) -> None:
    """Checks the markers of a proposal, and names the places that its backticks can only mean."""
    anchors, problems = [], []
    for marker in one.proposal.markers:
        try:
            anchors.append(wanted_of(snapshot, marker))
        except (Refused, PathRefused) as error:
            problems.append(str(error))
    one.anchors = tuple(dict.fromkeys(anchors))
    there = {(wanted.file, wanted.symbol) for wanted in one.anchors}
    loci = dict.fromkeys(places[name] for name in one.proposal.mentions if name in places)
    files = {locus.file for locus in loci if locus.symbol is not None}
    one.suggested = tuple(
        locus
        for locus in loci
        if (locus.file, locus.symbol) not in there and not (locus.symbol is None and locus.file in files)
    )
    if problems:
        one.status, one.message = FAULTY, "; ".join(problems)


def wanted_of(snapshot: Snapshot, marker: Marker) -> Wanted:
    """The place of a marker. Raises Refused or PathRefused, naming the mend, where it names none that is there."""
    if marker.problem or marker.locus is None:
        raise Refused(marker.problem or "the marker names no file: write @anchor(file=F, symbol=S)")
    wanted = Wanted(safe(snapshot.root.path, marker.locus.file), marker.symbol, marker.line, marker.locus.lines)
    resolve(snapshot, wanted)
    return wanted


async def compare(session: Session, one: Found) -> None:
    """Says of a proposal what the ledger has of it: the same, or nearly the same."""
    request = Request(one.proposal.kind, one.proposal.text, one.anchors)
    try:
        exact = draft(session.snapshot(), request)
    except Refused as error:
        one.status, one.message = REFUSED, str(error)
        return
    await session.load_ids([exact.id])
    memory = session.snapshot().memories.get(exact.id)
    one.near = await near(session, one.proposal.kind, exact.body, without=[exact.id])
    # Of an occurrence, or where the places differ, the same words are the same thing told again.
    if memory is None and one.near and one.near[0].memory.body == exact.body:
        memory = one.near[0].memory
    if memory is not None:
        one.status, one.memory, one.state, one.near = KNOWN, memory.id, memory.state, ()
    elif one.near:
        one.status = NEAR


# -- backticks ---------------------------------------------------------------------------------------------------------


async def mentioned(session: Session, names: Sequence[str]) -> dict[str, Locus]:
    """The places that some texts in backticks mean, by the text, where each can mean one alone."""
    snapshot, root = session.snapshot(), session.root.path
    found: dict[str, Locus] = {}
    symbols: dict[str, str] = {}
    for name in dict.fromkeys(names):
        locus = typed(snapshot, name)
        if locus is not None:
            found[name] = locus
        elif (symbol := name.removesuffix("()")).replace(".", "").replace("_", "").isalnum() and not symbol.isdigit():
            symbols[name] = symbol
    if not symbols:
        return found
    last = [symbol.rpartition(".")[2] for symbol in symbols.values()]
    paths = await git.holding(root, last) if git.common_dir(root) is not None else ()
    if not paths and git.common_dir(root) is None:
        named = await in_thread(lambda: names_in(root))
        paths = tuple(path for some in named.values() for path in some)
    given = {locus.file for locus in found.values()}
    if len(paths) > FILES:
        paths = tuple(path for path in paths if path in given)
    for name, symbol in symbols.items():
        loci = list(dict.fromkeys(defined(snapshot, paths, symbol)))
        near_by = [locus for locus in loci if locus.file in given]
        if len(loci) == 1 or len(near_by) == 1:
            found[name] = loci[0] if len(loci) == 1 else near_by[0]
    return found


def typed(snapshot: Snapshot, name: str) -> Locus | None:
    """The place that a text is, as somebody types one; None where it is none that is there."""
    if "\0" in name or "\n" in name:
        return None

    def is_file(path: str) -> bool:
        try:
            return "." in path and snapshot.read(safe(snapshot.root.path, path)).state is SourceState.OK
        except PathRefused:
            return False

    try:
        locus = split_locus(name, is_file)
        if not is_file(locus.file):
            return None
        wanted = Wanted(safe(snapshot.root.path, locus.file), locus.symbol, lines=locus.lines)
        return resolve(snapshot, wanted).locus
    except (ValueError, PathRefused):  # A place that is none, or that is not there.
        return None


def defined(snapshot: Snapshot, paths: Sequence[str], symbol: str) -> list[Locus]:
    """Where a symbol is defined in some files: by its whole path, or by the last parts of it."""
    found = []
    for path in paths:
        outline = snapshot.read(path).outline
        if outline is None:
            continue
        for one in outline.symbols:
            if one.path == symbol or one.path.endswith(f".{symbol}"):
                found.append(Locus(path, one.path))
    return found


# -- keeping -----------------------------------------------------------------------------------------------------------


async def keep(
    session: Session,
    found: Sequence[Found],
    only: Sequence[int],
    suggested: bool,
    force: bool,
    local: bool,
    author: str | None,
    allow_secret: bool,
) -> None:
    """Records what is new (with `force` also what is nearly known), and says of each what became of it."""
    wanted = [
        one
        for number, one in enumerate(found, 1)
        if (not only or number in only) and (one.status == NEW or (force and one.status == NEAR))
    ]
    requests = [
        Request(
            one.proposal.kind,
            one.proposal.text,
            (*one.anchors, *(Wanted(at.file, at.symbol, lines=at.lines) for at in one.suggested if suggested)),
            home="local" if local else None,
            tags=one.proposal.tags,
            author=author,
            allow_secret=allow_secret,
        )
        for one in wanted
    ]
    for one, made in zip(wanted, await operations.record_many(session, requests), strict=True):
        if isinstance(made, (Refused, LedgerRefused)):
            one.status, one.message = REFUSED, str(made)
        elif made.get("retired"):
            one.status, one.memory, one.state = KNOWN, made["id"], made["state"]
        else:
            one.status, one.memory, one.state = KEPT, made["id"], made["state"]


# -- the answer --------------------------------------------------------------------------------------------------------


def answer(told: Captured, found: Sequence[Found], kept: bool) -> dict[str, Any]:
    """`{"version", "applied", "proposals", "passed", "loose", "summary"}`: what was found, what of the text was passed
    over and why, and the markers that stand beside nothing worth keeping."""
    counts = {status: sum(one.status == status for one in found) for status in STATUSES}
    return {
        "version": VERSION,
        "applied": kept,
        "proposals": [found_json(number, one) for number, one in enumerate(found, 1)],
        "passed": [{"why": one.why, "line": one.line, "text": one.text} for one in told.passed],
        "loose": [marker.target or marker.problem for marker in told.loose],
        "summary": {"proposals": len(found), **counts, "passed": len(told.passed)},
    }


def found_json(number: int, one: Found) -> dict[str, Any]:
    return {
        "number": number,
        "kind": one.proposal.kind,
        "text": one.proposal.text,
        "line": one.proposal.line,
        "rule": one.proposal.rule,
        "tags": list(one.proposal.tags),
        "status": one.status,
        "message": one.message or None,
        "id": one.memory,
        "state": one.state,
        "anchors": [wanted_text(wanted) for wanted in one.anchors],
        "suggested": [str(locus) for locus in one.suggested],
        "near": near_json(one.near),
    }


def wanted_text(wanted: Wanted) -> str:
    return str(Locus(wanted.file, wanted.symbol, wanted.lines))
