"""Evidence as somebody gives it, made exact: what they wrote, and at which revision it holds.

Knows when a piece is new to a memory. What git knows of the revisions that were named comes in as data (`Revisions`);
refuses to know what a transition asks for (`features.transition` does).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from lsp_server.core.change import Change
from lsp_server.core.evidence import (
    FIX_VERIFICATION,
    LIMIT,
    EvidenceError,
    checked,
    distinct,
    evidence_data,
    is_new,
    parse_evidence,
    write_evidence,
)
from lsp_server.core.model import Evidence, Memory
from lsp_server.features.errors import Refused
from lsp_server.features.writing import event
from lsp_server.workspace.paths import PathRefused, safe
from lsp_server.workspace.snapshot import Snapshot

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_LINES = re.compile(r"(.+?)(:[0-9]+(?:-[0-9]+)?)?", re.DOTALL)

RUN = "test"
"""The type of evidence that is a new piece whenever the code is another one: a run says nothing of later code."""


@dataclass(frozen=True, slots=True)
class Revisions:
    """What git knows of the revisions that a change names.

    `commits` maps names as they were written to full ids, without those that git does not know. `follows` has pairs
    (old, new) of full ids where `new` comes after `old`; `head` is the commit that is checked out.
    """

    repository: bool = False
    head: str = ""
    commits: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    follows: frozenset[tuple[str, str]] = frozenset()

    def commit(self, name: str) -> str:
        """The full id of a revision. Raises Refused, naming the mend, where git does not know it.

        Without git an id in full is taken as it is: there is nobody to ask.
        """
        if name in self.commits:
            return self.commits[name]
        if not self.repository:
            if _FULL.fullmatch(name):
                return name
            raise Refused(f"there is no git here to look up {name[:60]!r}; give the commit's id in full, 40 hex digits")
        raise Refused(f"no revision {name[:60]!r} in this repository; name a commit, a branch or a tag that is here")

    def is_after(self, old: str, new: str) -> bool:
        """Whether `new` is the commit `old` or is known to come after it."""
        return old == new or (old, new) in self.follows


NO_REVISIONS = Revisions()


def read_evidence(texts: Iterable[str], role: str = "") -> tuple[Evidence, ...]:
    """Pieces as people write them, `[role=]type:value`; `role` is for those that name none. Raises Refused."""
    try:
        found = (parse_evidence(text) for text in texts)
        return distinct(checked(replace(piece, role=piece.role or role)) for piece in found)
    except EvidenceError as error:
        raise Refused(str(error)) from None


def inside(root: Path, pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The same pieces with paths of files as they are kept, relative to the root. Raises Refused for one outside."""
    found = []
    for piece in pieces:
        typed = _LINES.fullmatch(piece.value) if piece.type == "file" else None
        try:
            found.append(replace(piece, value=f"{safe(root, typed[1])}{typed[2] or ''}") if typed else piece)
        except PathRefused as error:
            raise Refused(str(error)) from None
    return distinct(found)


def named_revisions(pieces: Iterable[Evidence], revision: str = "") -> tuple[str, ...]:
    """The names of revisions that somebody has to look up before `exact_evidence` can be asked."""
    names = [piece.value for piece in pieces if piece.type == "commit"]
    return tuple(dict.fromkeys(name for name in (revision, *names) if name))


def exact_evidence(pieces: Sequence[Evidence], revision: str, revisions: Revisions) -> tuple[Evidence, ...]:
    """The same pieces with full ids of commits, each at the revision at which it holds.

    A commit holds at itself; anything else at `revision`, else at the one commit among the pieces, else at what is
    checked out. Raises Refused where git does not know a revision.
    """
    at = revisions.commit(revision) if revision else ""
    commits = {piece.value: revisions.commit(piece.value) for piece in pieces if piece.type == "commit"}
    only = next(iter(commits.values())) if len(set(commits.values())) == 1 else ""
    return distinct(
        replace(piece, value=commits[piece.value], revision=commits[piece.value])
        if piece.type == "commit"
        else replace(piece, revision=at or only or revisions.head)
        for piece in pieces
    )


def new_evidence(
    memory: Memory, pieces: Sequence[Evidence], revision: str, revisions: Revisions
) -> tuple[Evidence, ...]:
    """Exact pieces, none of which the memory has already, and not too many with those it has.

    Raises Refused, naming the piece.
    """
    exact = exact_evidence(pieces, revision, revisions)
    fresh = unknown_to(memory.evidence, exact, pieces, revision)
    for piece in exact:
        if piece not in fresh:
            # The role makes nothing new, so the piece that is there may have another one: it is named as it is.
            there = next((one for one in memory.evidence if (one.type, one.value) == (piece.type, piece.value)), piece)
            raise Refused(f"it has {shown(there)} as evidence already; give what it does not have yet")
    check_number(memory.evidence, fresh)
    return fresh


def unknown_to(
    known: Sequence[Evidence], exact: Sequence[Evidence], pieces: Sequence[Evidence], revision: str
) -> tuple[Evidence, ...]:
    """Those of some exact pieces that say what none of the known ones says; `pieces` and `revision` as they were given.

    That other code is checked out makes a test run new and nothing else: who says that a page or a line says something
    else now names the revision.
    """
    named = bool(revision) or any(piece.type == "commit" for piece in pieces)
    found = []
    for piece in exact:
        same = known if named or piece.type == RUN else [replace(one, revision=piece.revision) for one in known]
        if is_new(piece, same):
            found.append(piece)
    return tuple(found)


def check_number(known: Sequence[Evidence], more: Sequence[Evidence]) -> None:
    """Raises Refused where it would be too many."""
    room = LIMIT - len(known)
    if len(more) > room:
        has = f", this one has {len(known)}" if known else ""
        mend = f"give {room} or fewer" if room > 0 else "supersede it, or undo what it does not need"
        raise Refused(f"a memory has at most {LIMIT} pieces of evidence{has}; {mend}")


def add_evidence(
    snapshot: Snapshot, memory: Memory, pieces: Sequence[Evidence], revision: str, revisions: Revisions
) -> Change:
    """The change that gives a memory more evidence, whatever its state. Raises Refused as `new_evidence` does."""
    if not pieces:
        raise Refused("no evidence is given; write it like test:NAME or commit:SHA")
    added = new_evidence(memory, pieces, revision, revisions)
    given = event(snapshot.stamp, "evidence", memory.heads, {"evidence": evidence_data(added)})
    return Change(memory.id, memory.folder, memory.home, None, (given,))


def shown(piece: Evidence) -> str:
    """A piece in a message, on one line and not too long."""
    text = " ".join(write_evidence(piece).split())
    return text if len(text) <= 60 else f"{text[:60]}..."


def how_to_write(role: str) -> str:
    """An example of evidence with a role."""
    return f"{role}=test:NAME" if role == FIX_VERIFICATION else f"{role}=quote:WORDS"
