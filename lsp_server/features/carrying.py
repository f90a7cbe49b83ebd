"""From what an importer read to what is written: the change that carries an entry over, and those that take over what
changed in its source or what took over from it.

Knows what a carried memory keeps. Refuses to know where entries come from; whatever they say is kept as said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from lsp_server.core.change import Change, edited_data, transition_data
from lsp_server.core.ids import anchor_id, body_hash, folder_name, memory_id
from lsp_server.core.kinds import KINDS
from lsp_server.core.ledger_text import memory_data
from lsp_server.core.locus import stored_locus
from lsp_server.core.model import SCHEME, AnchorText, Event, Memory, MemoryText
from lsp_server.features.importers.entry import Entry
from lsp_server.features.markdown import strip_controls
from lsp_server.features.record import believed_only
from lsp_server.features.told import Tied, Told
from lsp_server.features.writing import baseline_event, event
from lsp_server.store.memory_json import text_of
from lsp_server.workspace.snapshot import Snapshot, Stamp

KIND = KINDS["carried"]

TAGS = 20
"""Most tags that one entry brings along."""

NEW, KNOWN, CHANGED, RENEWED, FORGOTTEN, REFUSED = "new", "known", "changed", "renewed", "forgotten", "refused"
"""What an entry is to the ledger: not there yet; there as it is; there, but it says something else now; that taken
over; forgotten here on purpose; not taken."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One entry, what it would be written as, and what it is to the ledger. `successor` is the id of the carried memory
    that took over, where that is there or comes along."""

    entry: Entry
    memory: str
    status: str
    body: str
    told: Told
    digest: str
    existing: Memory | None = None
    successor: str = ""


def changes_of(snapshot: Snapshot, planned: Sequence[Planned], renew: bool, home: str) -> list[Change]:
    """What to write of what was planned: each memory once, with the links between those that took over and the others.

    The memories that are there already must be among the snapshot's.
    """
    writing = [one for one in planned if is_written(one, renew)]
    olds: dict[str, list[str]] = {}
    for one in writing:
        if one.successor:
            olds.setdefault(one.successor, []).append(one.memory)
    changes: list[Change] = []
    for one in writing:
        links = olds.pop(one.memory, ())
        if one.existing is None:
            changes.append(carry(snapshot.stamp, one, home, links))
        elif one.status == KNOWN:
            old = one.existing
            told = tuple(event(snapshot.stamp, "supersedes", old.heads, {"old": older}) for older in links)
            events = (*told, *succession(snapshot.stamp, one, tuple(item.id for item in told) or old.heads))
            changes.append(Change(old.id, old.folder, old.home, None, events))
        else:
            changes.append(carry_again(snapshot.stamp, one, one.existing, links))
    for identifier, links in olds.items():
        if (heir := snapshot.memories.get(identifier)) is not None:
            events = tuple(event(snapshot.stamp, "supersedes", heir.heads, {"old": old}) for old in links)
            changes.append(Change(heir.id, heir.folder, heir.home, None, events))
    return changes


def is_written(one: Planned, renew: bool) -> bool:
    """Whether an entry is to be written: it is new, or changed and to be renewed, or what took over from it came only
    now; and nobody decided on it yet."""
    if one.status == NEW or (one.status == KNOWN and one.successor):
        return True
    return one.status == CHANGED and renew and one.existing is not None and one.existing.state == KIND.initial


def carry(stamp: Stamp, one: Planned, home: str, olds: Sequence[str] = ()) -> Change:
    """The change that carries an entry over. `olds` are the memories that it took over from."""
    placed = anchors_of(one, ())
    born = event(
        stamp,
        "recorded",
        (),
        {
            "kind": KIND.name,
            "state": KIND.initial,
            "body_hash": body_hash(one.body),
            "anchors": {identifier: stored_locus(tied.locus) for identifier, tied in placed.items()},
        },
    )
    text = MemoryText(
        one.memory,
        KIND.name,
        one.body,
        tuple(AnchorText(identifier, tied.locus) for identifier, tied in placed.items()),
        tags_of(one.entry),
        None,
        expiry_of(one.entry),
        fields=fields_of(one),
    )
    events = [born, *baselines(stamp, one, placed, (born.id,))]
    events += [event(stamp, "supersedes", (born.id,), {"old": old}) for old in olds]
    return Change(
        one.memory, folder_name(one.memory, one.body), home, text, (*events, *succession(stamp, one, after(events)))
    )


def carry_again(stamp: Stamp, one: Planned, existing: Memory, olds: Sequence[str] = ()) -> Change:
    """The change that takes over what an entry says now. Anchors that the memory has stay."""
    old = text_of(existing)
    known = {anchor.locus for anchor in existing.anchors} | {anchor.place for anchor in existing.anchors}
    fresh = [tied for tied in one.told.tied if tied.locus not in known]
    placed = anchors_of(replace(one, told=Told(fresh)), tuple(anchor.id for anchor in old.anchors))
    text = replace(
        old,
        body=one.body,
        anchors=(*old.anchors, *(AnchorText(identifier, tied.locus) for identifier, tied in placed.items())),
        tags=tuple(sorted({*old.tags, *tags_of(one.entry)})),
        expires=expiry_of(one.entry) or old.expires,
        fields=fields_of(one),
    )
    edited = event(stamp, "edited", existing.heads, edited_data(memory_data(old), memory_data(text)))
    events = [edited, *baselines(stamp, one, placed, (edited.id,))]
    events += [event(stamp, "supersedes", (edited.id,), {"old": old}) for old in olds]
    all_events = (*events, *succession(stamp, one, after(events)))
    return Change(existing.id, existing.folder, existing.home, text, all_events, old)


def anchors_of(one: Planned, taken: Sequence[str]) -> dict[str, Tied]:
    """Ids for the anchors of an entry, in order."""
    placed: dict[str, Tied] = {}
    for tied in one.told.tied:
        symbol = tied.resolved.symbol if tied.resolved is not None else None
        which = symbol.occurrence[0] if symbol is not None else 1
        placed[anchor_id(one.memory, tied.locus, which, [*taken, *placed])] = tied
    return placed


def baselines(stamp: Stamp, one: Planned, placed: Mapping[str, Tied], after: tuple[str, ...]) -> list[Event]:
    """The baselines of anchors whose code is what the source meant, or whose file it knew by a hash.

    An anchor without one is *unverifiable* until somebody looks: nothing here vouches for its code.
    """
    found = []
    for identifier, tied in placed.items():
        wanted = tied.hash.lower()
        if tied.resolved is None:
            data = {
                "anchor": identifier,
                "place": stored_locus(tied.locus),
                "lines": [1, 1],
                "fingerprint": {"scheme": SCHEME, "kind": "file", "file_sha256": wanted},
                "body_hash": body_hash(one.body),
                "state": KIND.initial,
            }
            found.append(event(stamp, "baseline", after, data))
        elif tied.accepted or wanted:
            entry = baseline_event(stamp, after, identifier, tied.resolved, one.body, KIND.initial)
            if wanted and wanted != entry.data["fingerprint"]["file_sha256"]:
                entry = replace(entry, data=believed_only(entry.data, wanted))
            found.append(entry)
    return found


def after(events: Sequence[Event]) -> tuple[str, ...]:
    """The ids that an event must name which comes after all of some that each come after the first."""
    return tuple(one.id for one in events[1:]) or (events[0].id,)


def succession(stamp: Stamp, one: Planned, heads: tuple[str, ...]) -> tuple[Event, ...]:
    """The step to *succeeded* of an entry whose source names the entry that took over."""
    if not one.successor:
        return ()
    reason = f"{one.entry.source} says that {one.entry.after[:200]} took over"
    data = {**transition_data(KIND.initial, "succeeded", reason=reason), "by": one.successor}
    return (event(stamp, "transitioned", heads, data),)


def fields_of(one: Planned) -> dict[str, str]:
    """What a carried memory keeps of where it came from."""
    entry = one.entry
    said = [strip_controls(entry.state)[:400]]
    if entry.after:
        said.append(f"{entry.after[:200]} took over")
    said += [f"by {strip_controls(entry.author)[:200]}"] if entry.author else []
    said += [f"at {entry.time}"] if entry.time else []
    fields = {
        "source": entry.source,
        "source_id": strip_controls(entry.id)[:1000],
        "origin": one_line(", ".join(part for part in (entry.file, entry.where) if part))[:1000],
        "candidates": offered(one.told.candidates),
        "meant_as": entry.kind,
        "said": ", ".join(part for part in said if part),
        "digest": one.digest,
    }
    return {key: value.strip() for key, value in fields.items() if value.strip()}


def offered(candidates: Sequence[str]) -> str:
    """Candidates as one line, as many as the field holds."""
    kept: list[str] = []
    room = KIND.fields["candidates"].cap
    for one in candidates:
        room -= len(one.encode("utf-8", "replace")) + 2
        if room < 0:
            break
        kept.append(one_line(one))
    return ", ".join(kept)


def one_line(text: str) -> str:
    return " ".join(strip_controls(text).split())


def tags_of(entry: Entry) -> tuple[str, ...]:
    return tuple(sorted({tag for tag in map(str.strip, entry.tags) if tag}))[:TAGS]


def expiry_of(entry: Entry) -> str | None:
    try:
        return date.fromisoformat(entry.expires).isoformat() if entry.expires else None
    except ValueError:
        return None


def carried_id(source: str, identifier: str) -> str:
    """The id of the carried memory of an entry: the same wherever and whenever it is imported."""
    return memory_id(KIND.name, f"{source}\n{identifier}", None)
