"""What is owed: whatever waits for somebody to read, decide, verify or answer it, the most pressing first.

Nothing is kept of a backlog: it is what memories, verdicts and counts say at this moment, and what is settled is no
longer in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Memory
from lsp_server.features.conflicts import conflicts
from lsp_server.features.dues import Owed, groups, of_conflict, order_of, owed_by, title_of
from lsp_server.features.errors import Refused
from lsp_server.features.report import VERSION, place_json
from lsp_server.features.typed import command
from lsp_server.store.activity import Question, normal_question
from lsp_server.workspace.snapshot import Snapshot

LIMIT = 50
"""Entries that are answered unless more are asked for: a screen or two, and what an agent can take in."""

QUESTIONS = 100
"""Most questions without an answer that are listed, the most frequent."""


def backlog(
    snapshot: Snapshot,
    questions: Sequence[Question] = (),
    *,
    kind: str | None = None,
    only: Collection[str] = (),
    limit: int = LIMIT,
) -> dict[str, Any]:
    """`{"version", "total", "groups", "items", "problems"}`: how much of what is owed, and the first `limit` entries
    (0: all). Of one `kind`, of `only` some groups where any are named.

    `questions` are those without an answer. The snapshot must hold every memory. Raises Refused for a kind or a group
    that is none.
    """
    check_filters(kind, only)
    current = [memory for memory in snapshot.memories.values() if memory.current or memory.disputed]
    found = [one for memory in current if kind in (None, memory.kind) for one in owed_by(snapshot, memory)]
    found += [one for rival in conflicts(current) if kind in (None, rival.kind) for one in of_conflict(snapshot, rival)]
    if kind is None:
        found += [unanswered(question) for question in still_open(questions, current)]
    found = sorted((one for one in found if not only or one.what in only), key=lambda one: one.rank)
    shown = found[:limit] if limit else found
    return {
        "version": VERSION,
        "total": len(found),
        "groups": group_counts(one.what for one in found),
        "items": [item_json(one) for one in shown],
        "problems": [{"file": path, "message": message} for path, message in snapshot.problems],
    }


def check_filters(kind: str | None, only: Collection[str]) -> None:
    """Raises Refused for a kind or a group that is none."""
    if kind is not None and kind not in KINDS:
        raise Refused(f"no kind {kind[:40]!r}; kinds: {', '.join(KINDS)}")
    unknown = [name for name in only if name not in groups()]
    if unknown:
        raise Refused(f"no group {unknown[0][:40]!r}; groups: {', '.join(groups())}")


def together(answers: Sequence[Mapping[str, Any]], limit: int = LIMIT) -> dict[str, Any]:
    """The backlogs of several workspaces as one, each cut to `limit` entries already."""
    items = [one for answer in answers for one in answer["items"]]
    items.sort(key=lambda one: (order_of(one["what"]), -one["heat"]))
    counts = Counter[str]()
    for answer in answers:
        counts.update({group["what"]: group["count"] for group in answer["groups"]})
    return {
        "version": VERSION,
        "total": counts.total(),
        "groups": group_counts(counts.elements()),
        "items": items[:limit] if limit else items,
        "problems": [problem for answer in answers for problem in answer["problems"]],
    }


def item_json(one: Owed) -> dict[str, Any]:
    answer = asdict(one)
    del answer["mild"]
    return {**answer, "now": place_json(one.now)}


def group_counts(whats: Iterable[str]) -> list[dict[str, Any]]:
    """How many entries each group has, the most pressing group first; those without any are left out."""
    counts = Counter(whats)
    return [{"what": what, "count": counts[what], "title": title_of(what)} for what in sorted(counts, key=order_of)]


# -- questions ---------------------------------------------------------------------------------------------------------


def still_open(questions: Sequence[Question], memories: Iterable[Memory]) -> list[Question]:
    """The questions that no current memory holds word for word: whoever answers one writes it down with the answer."""
    wanted = questions[:QUESTIONS]
    if not wanted:
        return []
    texts = [normal_text(memory.body) for memory in memories]
    return [question for question in wanted if not any(question.text in text for text in texts)]


def normal_text(text: str) -> str:
    return normal_question(text, limit=None)


def unanswered(question: Question) -> Owed:
    """The entry for one question."""
    times = "once" if question.times == 1 else f"{question.times} times"
    first = datetime.fromtimestamp(question.first, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    last = datetime.fromtimestamp(question.last, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Owed(
        what="unanswered",
        id=None,
        kind=None,
        title=question.text,
        place=None,
        detail=f"asked {times}, last on {last[:10]}",
        heat=float(question.times),
        since=first,
        command=command("record", "--kind", "note", "--text", f"{question.text} TEXT"),
    )
