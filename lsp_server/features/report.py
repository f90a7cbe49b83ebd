"""Memories and verdicts as plain JSON values: the shapes that `--json`, the server's commands and agents all answer.

The shapes are a contract (design, section 6); keys are added, never renamed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lsp_server.core.documents_serving import document_of
from lsp_server.core.model import Candidate, Entered, Evidence, Level, Memory, Place, Receipt
from lsp_server.features.chain import chain_json
from lsp_server.features.checks import checks_json, checks_of, contradictions
from lsp_server.features.expiry import expires_at, is_expired
from lsp_server.features.heat import heat
from lsp_server.features.next_states import next_json
from lsp_server.features.words import author_kind, owed
from lsp_server.workspace.snapshot import Judged, Snapshot

VERSION = 1


def memory_json(snapshot: Snapshot, memory: Memory) -> dict[str, Any]:
    """One memory with the verdict of each of its anchors, as `check` and every other command answer it."""
    judged = snapshot.judged(memory)
    stale = any(item.verdict.stale for item in judged)
    contradicted = snapshot.contradicted(memory)
    kinds = snapshot.settings.kinds
    expired = is_expired(memory, snapshot.stamp.time, kinds)
    return {
        "id": memory.id,
        "kind": memory.kind,
        "state": memory.state,
        "current": memory.current,
        "stale": stale,
        "contradicted": contradicted,
        "expired": expired,
        "score": score(judged, expired, snapshot.settings.score, contradicted),
        "text": memory.body,
        "home": memory.home,
        "author": memory.author,
        "author_kind": author_kind(memory.author),
        "recorded": memory.created,
        "revision": memory.revision or None,
        "tags": list(memory.tags),
        "importance": memory.importance,
        "expires": memory.expires,
        "expires_at": expires_at(memory, kinds),
        "pinned": memory.pinned,
        "heat": heat(snapshot, memory.id),
        "fields": dict(memory.fields),
        "document": document_json(snapshot, memory),
        "evidence": [evidence_json(piece) for piece in memory.evidence],
        "receipts": [receipt_json(one) for one in memory.receipts],
        "valid": valid_json(memory),
        "entered": entered_json(memory.entered) if memory.entered is not None else None,
        "owed": owed(memory),
        "edited": memory.edited,
        "disputed": memory.disputed,
        "rivals": [entered_json(rival) for rival in memory.rivals],
        "supersedes": list(memory.supersedes),
        "superseded_by": list(memory.superseded_by),
        "chain": chain_json(snapshot, memory),
        "retired_reason": memory.retired_reason,
        "problem": memory.problem,
        "next": next_json(memory),
        "checks": checks_json(checks_of(snapshot, memory)),
        "anchors": [{**anchor_json(item), "unsaved": unsaved_json(snapshot, item)} for item in judged],
    }


def evidence_json(piece: Evidence) -> dict[str, Any]:
    """One piece of evidence; `value` is what stands after the type where a person writes it."""
    return {
        "type": piece.type,
        "value": piece.value,
        "role": piece.role or None,
        "revision": piece.revision or None,
        "author": piece.author,
        "time": piece.time,
    }


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """What a memory was used for, by whom and when."""
    return {
        "for": receipt.purpose,
        "author": receipt.author,
        "time": receipt.time,
        "revision": receipt.revision or None,
    }


def entered_json(entered: Entered) -> dict[str, Any]:
    """How a memory came to a state; `by` is the memory that took over, where one did."""
    return {
        "state": entered.state,
        "author": entered.author,
        "time": entered.time,
        "revision": entered.revision or None,
        "reason": entered.reason or None,
        "by": entered.by or None,
    }


def valid_json(memory: Memory) -> dict[str, str | None]:
    """The git revisions from which and until which it was current; null where that is not known, or still so."""
    until = memory.entered.revision if memory.entered is not None and not memory.current else ""
    return {"from": memory.revision or None, "until": until or None}


def document_json(snapshot: Snapshot, memory: Memory) -> dict[str, Any] | None:
    """The Markdown file of a passage, and its line there (null where its marker is gone); None for any other memory."""
    document = document_of(memory)
    if document is None:
        return None
    served = snapshot.passages.get(memory.id)
    written = served.written if served is not None else None
    return {"file": written.document if written else document, "line": written.line if written else None}


def anchor_json(item: Judged) -> dict[str, Any]:
    """One anchor: where it is kept to be (`file`, `symbol`), what became of it, and where it is `now`."""
    verdict, place = item.verdict, item.anchor.place
    return {
        "id": item.anchor.id,
        "file": place.file,
        "symbol": place.symbol,
        "lines": list(place.lines) if place.lines else None,
        "verdict": verdict.level.value,
        "stale": verdict.stale,
        "contradictions": contradictions(item),
        "reason": verdict.reason.value if verdict.reason else None,
        "detail": verdict.detail,
        "members": list(verdict.members),
        "held": verdict.held,
        "now": place_json(verdict.now),
        "candidates": [candidate_json(candidate) for candidate in verdict.candidates],
        "baselines": len(item.anchor.baselines),
        "accepted": accepted_json(item),
        "since": since_json(item),
    }


def unsaved_json(snapshot: Snapshot, item: Judged) -> list[dict[str, str]]:
    """The other verdicts that editors show of an anchor while they have not saved, where somebody asked for these."""
    found = snapshot.unsaved.get((item.memory.id, item.anchor.id), ())
    others = {one for one in found if one.verdict != item.verdict.level.value}
    return [{"verdict": one.verdict, "editor": one.editor} for one in sorted(others, key=str)]


def since_json(item: Judged) -> dict[str, str] | None:
    """The commit that made a stale anchor stale; None where it is not committed, or git does not tell."""
    since = item.since if item.verdict.stale else None
    return {"revision": since.revision, "author": since.author, "time": since.time} if since is not None else None


def accepted_json(item: Judged) -> dict[str, Any] | None:
    """Who accepted the nearest baseline, when and at which revision; None where there is no baseline."""
    baselines = item.anchor.baselines
    if not baselines:
        return None
    nearest = next((one for one in baselines if one.id == item.verdict.baseline), baselines[-1])
    return {"time": nearest.time, "author": nearest.author, "revision": nearest.revision or None}


def place_json(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"file": place.file, "symbol": place.symbol, "start_line": place.start_line, "end_line": place.end_line}


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    answer = place_json(candidate.place)
    assert answer is not None
    return {**answer, "similarity": round(candidate.similarity, 3)}


def list_json(snapshot: Snapshot, memories: Iterable[Memory]) -> dict[str, Any]:
    """`{"version": 1, "memories": [...]}`."""
    return {"version": VERSION, "memories": [memory_json(snapshot, memory) for memory in memories]}


def check_json(snapshot: Snapshot, memories: Sequence[Memory]) -> dict[str, Any]:
    """A list with the summary that `check` adds and the ledger files that could not be read."""
    answer = list_json(snapshot, memories)
    answer["summary"] = summary(snapshot, memories)
    answer["problems"] = [{"file": path, "message": message} for path, message in snapshot.problems]
    return answer


def summary(snapshot: Snapshot, memories: Sequence[Memory]) -> dict[str, int]:
    """Counts over memories and anchors; every verdict has its own count."""
    judged = [snapshot.judged(memory) for memory in memories]
    anchors = [item for items in judged for item in items]
    levels = Counter(item.verdict.level for item in anchors)
    counts = {
        "memories": len(memories),
        "anchors": len(anchors),
        "stale": sum(any(item.verdict.stale for item in items) for items in judged),
        "contradicted": sum(snapshot.contradicted(memory) for memory in memories),
        "undecidable": sum(
            one.outcome.holds is None for memory in memories for one in snapshot.checks.get(memory.id, ())
        ),
        "members": sum(is_mild(items) for items in judged),
        "disputed": sum(memory.disputed for memory in memories),
        "expired": sum(is_expired(memory, snapshot.stamp.time, snapshot.settings.kinds) for memory in memories),
        "owed": sum(owed(memory) is not None for memory in memories),
    }
    counts.update({level.value: levels[level] for level in Level})
    return counts


def is_mild(judged: Sequence[Judged]) -> bool:
    """Whether a memory is stale only because members of a container changed (a milder level that fails no check)."""
    stale = [item.verdict for item in judged if item.verdict.stale]
    return bool(stale) and all(verdict.reason == "members" for verdict in stale)


def score(judged: Sequence[Judged], expired: bool, factors: Mapping[str, float], contradicted: bool = False) -> float:
    """Standing as a factor from 0 to 1 (design, section 4): nothing is hidden for it. `factors` are the settings'.
    What is contradicted counts as what is stale does."""
    stale = contradicted or any(item.verdict.stale for item in judged)
    if stale and not contradicted and is_mild(judged):
        return factors["members"] * (factors["expired"] if expired else 1.0)
    if stale:
        return factors["both"] if expired else factors["stale"]
    return factors["expired"] if expired else 1.0
