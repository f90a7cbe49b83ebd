"""The tools that agents get: a row each, in tiers. A new one is a row and a function.

What a tool says of itself tells what it does and what comes back, never what to think of it. Refuses to know the
protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Level
from lsp_server.core.ranking import PROFILES
from lsp_server.features import backlog as owing
from lsp_server.features import operations
from lsp_server.features.brief import CONSTRAINTS, ITEMS, LENSES, REQUIRED, Wish, kept_brief
from lsp_server.features.brief import brief as make_brief
from lsp_server.features.budget import BASE, LEAST, MOST
from lsp_server.features.describe import EXTRAS, describe_place
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.listing import Filters, moment
from lsp_server.features.quoted import anchor_told, cut, line, quotation, visible
from lsp_server.features.record import Request
from lsp_server.features.search import POOL, Question
from lsp_server.features.words import short
from lsp_server.mcp.desk import Desk, Json, answer, memories_answer, memory_answer, shortened
from lsp_server.workspace.session import now

CORE, MORE = "core", "more"
"""The tiers: what every client is shown, and what comes on request."""

PAGE = 12_288
"""Bytes of a text, or of a diff, that are told at a time."""

SHOWN = 100
"""Most memories that a list or a check looks at for one answer."""

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `takes` are its arguments as properties of a JSON Schema, those in `needs` cannot be left out.

    `writes` says that it changes what is recorded, `writes_with` which argument makes it do so, `ends` that it takes
    something out of what is current.
    """

    name: str
    tier: str
    description: str
    takes: Mapping[str, Schema]
    needs: tuple[str, ...]
    run: Callable[[Desk, Json], Awaitable[Json]]
    writes: bool = False
    ends: bool = False
    writes_with: str = ""

    def changes(self, given: Json) -> bool:
        """Whether a call changes what is recorded."""
        return self.writes or bool(self.writes_with and given.get(self.writes_with))

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: dict(one) for name, one in self.takes.items()},
            "required": list(self.needs),
            "additionalProperties": False,
        }


def _text(what: str, longest: int = 500, **more: Any) -> Schema:
    return {"type": "string", "description": what, "maxLength": longest, **more}


def _texts(what: str, most: int = 20, longest: int = 4_200) -> Schema:
    return {"type": "array", "items": {"type": "string", "maxLength": longest}, "maxItems": most, "description": what}


def _flag(what: str) -> Schema:
    return {"type": "boolean", "description": what}


def _number(what: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": what}


_PLACE = _text("a place: FILE, FILE#SYMBOL, FILE:LINE or FILE:LINE-LINE, relative to the root", 4_200)
_ID = _text("the id of a memory, or a beginning of it that is the only one", 36)
_KIND = _text("a kind of memory", 40, enum=[kind.name for kind in KINDS.values() if kind.current_states])
_BYTES = _number(f"bytes of the whole answer (default {BASE})", LEAST, MOST)
_ONE: Mapping[str, Schema] = {"id": _ID, "bytes": _BYTES}
_REASON = _text("why, in a sentence", 4_000)
_EVIDENCE = _texts("evidence, each `[role=]commit:SHA`, `file:PATH:LINES`, `url:U`, `test:T` or `quote:Q`")
_GROUNDS: Mapping[str, Schema] = {
    "reason": _REASON,
    "evidence": _EVIDENCE,
    "revision": _text("from which git revision"),
}
_ANCHOR = _text("one anchor alone: its id or its place (default: all)", 4_200)
_CODE = _text("of code, only below this file or folder", 4_200)

_FILTERS: Mapping[str, Schema] = {
    "kind": _KIND,
    "state": _text("only in this state, history too", 40),
    "tag": _text("only with this tag", 200),
    "author": _text("only by this author; `human` or `agent` for all such", 200),
    "path": _CODE,
    "since": _text("only recorded or changed since: a day, a time, or like 7d", 40),
    "until": _text("only recorded or changed until then", 40),
    "stale": _flag("only what is stale (true), or is not (false)"),
}


def filters_of(desk: Desk, given: Json, **more: Any) -> Filters:
    time = now()
    return Filters(
        below=desk.here.key(given["path"]) if "path" in given else None,
        kind=given.get("kind"),
        state=given.get("state"),
        tag=given.get("tag"),
        author=given.get("author"),
        since=moment(given["since"], time) if "since" in given else None,
        until=moment(given["until"], time, end=True) if "until" in given else None,
        stale=given.get("stale"),
        **more,
    )


# -- core --------------------------------------------------------------------------------------------------------------


async def recall(desk: Desk, given: Json) -> Json:
    question = Question(
        text=given["query"],
        filters=filters_of(desk, given),
        near=desk.here.place(given["near"]) if "near" in given else None,
        profile=given.get("profile", "default"),
        task=given.get("task", ""),
        limit=given.get("limit", 10),
        level=given.get("level", "fit"),
    )
    found = await operations.search_memories(desk.session, question)
    items = []
    for rank, memory in enumerate(found["memories"]):
        item = desk.told(memory, rank)
        if given.get("why"):
            item["found"] = memory["found"]
        items.append(item)
    head = {"query": line(given["query"]), "more_found": found["omitted"]}
    return answer(head, {"memories": items}, given.get("bytes", BASE))


async def describe(desk: Desk, given: Json) -> Json:
    return await describe_place(desk.session, desk.here.place(given["place"]), given.get("with", ()))


async def brief(desk: Desk, given: Json) -> Json:
    if "read" in given:
        return await kept_brief(desk.session, given["read"])
    ids, places = desk.required(given.get("require", ()))
    wish = Wish(
        task=given.get("task", ""),
        constraints=tuple(given.get("constraints", ())),
        ids=ids,
        places=places,
        lens=given.get("lens", ""),
        size=given.get("bytes", BASE),
        items=given.get("items", 0),
        keep=given.get("keep", False),
    )
    return await make_brief(desk.session, wish)


async def record(desk: Desk, given: Json) -> Json:
    request = Request(
        kind=given["kind"],
        text=given["text"],
        anchors=desk.places(given.get("places", ())),
        home="local" if given.get("local") else None,
        tags=tuple(given.get("tags", ())),
        importance=given.get("importance"),
        expires=given.get("expires"),
        checks=tuple(given.get("checks", ())),
        state=given.get("state"),
        fields=given.get("fields", {}),
        evidence=read_evidence(given.get("evidence", ())),
        revision=given.get("revision", ""),
    )
    made = await operations.record_memory(desk.session, request)
    did = "nothing: it was retired, and is left so" if made.get("retired") else "recorded"
    near = [{"id": one["id"], "similarity": one["similarity"]} for one in made["near"][:5]]
    at_odds = [identifier for one in made["conflicts"][:5] for identifier in one["ids"] if identifier != made["id"]]
    return memory_answer(desk, did, made, created=made["created"], near=near, conflicts=shortened(at_odds))


async def clear(desk: Desk, given: Json) -> Json:
    anchor, undo = desk.anchor(given.get("anchor")), given.get("undo", False)
    if not undo and not given.get("note", "").strip():
        raise Refused("say in `note` why it is still true of the code as it is now")
    done = await operations.clear_staleness(desk.session, given["id"], anchor, given.get("note"), undo)
    did = "withdrawn" if undo else "accepted"
    return memory_answer(desk, did, done, missing=shortened(done["missing"]))


async def check(desk: Desk, given: Json) -> Json:
    paths = [desk.here.key(path) for path in given.get("paths", ())]
    found = await operations.check(desk.session, paths)
    odd = [memory for memory in found["memories"] if memory["stale"] or memory["contradicted"] or is_unsure(memory)]
    problems = [{"file": line(one["file"]), "message": line(one["message"])} for one in found["problems"][:5]]
    head = {"summary": found["summary"], "problems": problems, "more_odd": max(0, len(odd) - SHOWN)}
    return memories_answer(desk, head, odd[:SHOWN], given.get("bytes", BASE))


def is_unsure(memory: Json) -> bool:
    """Whether nobody can tell of some anchor."""
    return any(anchor["verdict"] == Level.UNVERIFIABLE.value for anchor in memory["anchors"])


# -- more --------------------------------------------------------------------------------------------------------------


async def show(desk: Desk, given: Json) -> Json:
    """One memory with its whole text, a page at a time."""
    memory = await operations.show(desk.session, given["id"])
    data = visible(memory["text"]).encode()
    start = min(given.get("offset", 0), len(data))
    page = data[start : start + PAGE].decode("utf-8", "ignore")
    end = start + len(page.encode())
    item = {**desk.told(memory), "quoted": {"level": "page", "text": page}}
    item["anchors"] = [anchor_told(anchor) for anchor in memory["anchors"][:20]]
    head = {"bytes_of_text": len(data), "next_offset": end if start < end < len(data) else None}
    return answer(head, {"memories": [item]}, MOST)


async def list_(desk: Desk, given: Json) -> Json:
    place = desk.here.place(given["place"]) if "place" in given else None
    folder = place is not None and place.symbol is None and place.lines is None and desk.here.is_folder(place.file)
    where: Json = {"below": place.file} if folder and place is not None else {"place": place}
    if "path" in given and folder:
        raise Refused("give a folder as `place` or as `path`, not both")
    given_where = filters_of(desk, given, limit=given.get("limit", SHOWN), everything=given.get("all", False))
    found = await operations.list_chosen(desk.session, replace(given_where, **where))
    return memories_answer(desk, {"more_found": found["omitted"]}, found["memories"], given.get("bytes", BASE))


async def history(desk: Desk, given: Json) -> Json:
    found = await operations.history(desk.session, given["id"])
    events = [
        {
            "id": one["id"],
            "time": line(one["time"], 40),
            "author": line(one["author"], 120),
            "author_kind": one["author_kind"],
            "undone": one["undone_by"] is not None,
            "quoted": {"what": line(one["what"]), "why": line(one["why"] or "", 1_000) or None},
        }
        for one in reversed(found["events"])
    ]
    head = {"id": found["id"], "state": line(found["state"] or "", 60) or None, "forgotten": found["forgotten"]}
    return answer(head, {"events": events}, given.get("bytes", BASE))


async def diff(desk: Desk, given: Json) -> Json:
    found = await operations.show_diff(desk.session, given["id"], desk.anchor(given.get("anchor")))
    anchors = []
    for one in found["anchors"]:
        lines = one["diff"]
        text = visible("".join(lines)) if lines is not None else ""
        anchors.append(
            {
                **anchor_told(one),
                "id": one["id"],
                "kept": lines is not None,
                "quoted": {"diff": cut(text, PAGE), "cut": len(text.encode()) > PAGE},
            }
        )
    return answer({"id": found["id"]}, {"anchors": anchors}, MOST)


async def backlog(desk: Desk, given: Json) -> Json:
    limit = given.get("limit", owing.LIMIT)
    found = await operations.backlog(desk.session, given.get("kind"), given.get("only", ()), limit)
    items = [
        {
            "memory": short(one["id"]) if one["id"] else None,
            "what": one["what"],
            "place": line(one["place"] or "") or None,
            "detail": line(one["detail"]),
            "quoted": {"title": line(one["title"])},
        }
        for one in found["items"]
    ]
    groups = {one["what"]: one["count"] for one in found["groups"]}
    return answer({"total": found["total"], "groups": groups}, {"owed": items}, given.get("bytes", BASE))


async def explain(desk: Desk, given: Json) -> Json:
    found = await operations.explain(desk.session, desk.here.place(given["place"]))
    slots = [
        {
            "kind": kind,
            "state": line(slot["state"], 60),
            "id": slot["id"],
            "stale": slot.get("stale"),
            "author": line(slot.get("author") or "", 120) or None,
            "recorded": slot.get("recorded"),
            "older": len(slot["older"]),
            "quoted": quotation(slot["text"]) if slot["text"] is not None else None,
        }
        for kind, slot in found["slots"].items()
    ]
    return answer({"place": line(found["place"])}, {"slots": slots})


def grounds_of(given: Json) -> operations.Grounds:
    return operations.Grounds(
        reason=given.get("reason", ""),
        evidence=tuple(given.get("evidence", ())),
        role=given.get("role", ""),
        revision=given.get("revision", ""),
        by=given.get("by", ""),
    )


async def supersede(desk: Desk, given: Json) -> Json:
    made = await operations.supersede(desk.session, given["id"], given["text"], grounds_of(given))
    return memory_answer(desk, "superseded", made, created=made["created"])


async def retire(desk: Desk, given: Json) -> Json:
    return memory_answer(desk, "retired", await operations.retire(desk.session, given["id"], grounds_of(given)))


async def restore(desk: Desk, given: Json) -> Json:
    done = await operations.restore(desk.session, given["id"], grounds_of(given))
    return memory_answer(desk, "restored", done, replaced=shortened(done["replaced"]))


async def transition(desk: Desk, given: Json) -> Json:
    done = await operations.transition(desk.session, given["id"], given["state"], grounds_of(given))
    return memory_answer(desk, "changed state", done, next=done["next"][:8])


async def evidence(desk: Desk, given: Json) -> Json:
    return memory_answer(desk, "added", await operations.add_evidence(desk.session, given["id"], grounds_of(given)))


async def reanchor(desk: Desk, given: Json) -> Json:
    wanted = desk.here.wanted(given["to"])
    done = await operations.reanchor(desk.session, given["id"], wanted, desk.anchor(given.get("anchor")))
    return memory_answer(desk, "re-anchored", done)


async def pin(desk: Desk, given: Json) -> Json:
    on = given.get("on", True)
    did = "pinned" if on else "took the pin off"
    return memory_answer(desk, did, await operations.pin(desk.session, given["id"], on))


async def use(desk: Desk, given: Json) -> Json:
    return memory_answer(desk, "noted", await operations.note_use(desk.session, given["id"], given["for"]))


async def undo(desk: Desk, given: Json) -> Json:
    done = await operations.undo(desk.session, given["id"], given.get("reason", ""))
    return memory_answer(desk, "took back", done, undone=shortened(done["undone"]))


_ROWS: Sequence[Tool] = (
    Tool(
        "recall",
        CORE,
        "Searches what people and agents recorded about this code. Answers quotations with their verdict against the"
        " code as it is now, standing and source, the best first.",
        {
            "query": _text("what to look for, in words", 2_000, minLength=1),
            "near": _PLACE,
            "task": _text("what it is for; reorders what is found", 4_000),
            "profile": _text("a way of looking", 40, enum=list(PROFILES)),
            "limit": _number("most memories", 1, POOL),
            "level": _text("how much of each text", 10, enum=["fit", "line", "bullets", "full"]),
            "why": _flag("also the factors of each rank"),
            "bytes": _BYTES,
            **_FILTERS,
        },
        ("query",),
        recall,
    ),
    Tool(
        "describe",
        CORE,
        "Says what is recorded of a place (symbol, lines, file, folder), and first what the record cannot justify:"
        " nothing recorded, contradicted, stale, disputed, unverifiable, unverified, expired, by agents alone.",
        {
            "place": _PLACE,
            "with": {
                "type": "array",
                "items": {"type": "string", "enum": list(EXTRAS)},
                "uniqueItems": True,
                "description": "more sections, 4,096 bytes each",
            },
        },
        ("place",),
        describe,
    ),
    Tool(
        "brief",
        CORE,
        "The memories that bear on a task, by section, within a budget, with what of them cannot be relied on and what"
        " was left out. `read` answers a kept brief as it was, and what it cites that has drifted since.",
        {
            "task": _text("what is to be done", 4_000, minLength=1),
            "constraints": _texts("what it has to keep to", CONSTRAINTS, 1_000),
            "require": _texts("ids and places whose memories are put in first", REQUIRED),
            "lens": _text("a sort of work", 20, enum=list(LENSES)),
            "bytes": _BYTES,
            "items": _number("most memories", 1, ITEMS),
            "keep": _flag("write it down, to be read again exactly"),
            "read": _text("the id of a kept brief, in place of all else", 36),
        },
        (),
        brief,
        writes_with="keep",
    ),
    Tool(
        "record",
        CORE,
        "Keeps a decision, claim, finding, note or the like, tied to places in the code, as written by this agent."
        " Recording what exists adds what is new to it.",
        {
            "kind": _KIND,
            "text": _text("what is to be kept, in Markdown", 70_000, minLength=1),
            "places": _texts("where it belongs, the first is the main one: FILE, FILE#SYMBOL, FILE:LINE-LINE"),
            "tags": _texts("tags", 20, 100),
            "importance": _number("from 1 to 5", 1, 5),
            "expires": _text("a day, or like 30d", 40),
            "evidence": _EVIDENCE,
            "checks": _texts("conditions on the code, like `equals src/auth.py#TIMEOUT 30`"),
            "local": _flag("keep it on this machine, out of the repository"),
            "state": _text("a state to begin in", 40),
            "fields": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "maxProperties": 10,
                "description": "what the kind asks for beside the text, like `severity` of a finding",
            },
            "revision": _text("the git revision from which on it is so"),
        },
        ("kind", "text"),
        record,
        writes=True,
    ),
    Tool(
        "clear",
        CORE,
        "Accepts the code as it is now for a stale memory whose words are still true of it, with a note that says why;"
        " `undo` withdraws the last acceptance.",
        {"id": _ID, "anchor": _ANCHOR, "note": _text("why it is still true", 2_000), "undo": _flag("withdraw it")},
        ("id",),
        clear,
        writes=True,
    ),
    Tool(
        "check",
        CORE,
        "Judges every anchor, or those under some paths, against the code as it is now. Answers counts, and what is"
        " stale, contradicted or cannot be told.",
        {"paths": _texts("files or folders", 50), "bytes": _BYTES},
        (),
        check,
    ),
    Tool(
        "show",
        MORE,
        "One memory with its whole text, in pages.",
        {"id": _ID, "offset": _number("where to go on, from `next_offset`", 0, 1 << 30)},
        ("id",),
        show,
    ),
    Tool(
        "list",
        MORE,
        "Lists memories, stale ones first.",
        {
            "place": _PLACE,
            "all": _flag("retired and superseded ones too"),
            "limit": _number("most memories", 1, SHOWN),
            "bytes": _BYTES,
            **_FILTERS,
        },
        (),
        list_,
    ),
    Tool(
        "history", MORE, "The life of a memory, the latest event first.", {"id": _ID, "bytes": _BYTES}, ("id",), history
    ),
    Tool(
        "diff",
        MORE,
        "What changed under a memory since its code was last accepted.",
        {"id": _ID, "anchor": _ANCHOR},
        ("id",),
        diff,
    ),
    Tool(
        "backlog",
        MORE,
        "What is owed: what waits to be read, decided, verified or answered, the most pressing first.",
        {
            "kind": _KIND,
            "only": _texts("only these groups", 20, 40),
            "limit": _number("most entries", 1, 200),
            "bytes": _BYTES,
        },
        (),
        backlog,
    ),
    Tool(
        "explain",
        MORE,
        "What a place is for and how it works, as it is recorded.",
        {"place": _PLACE},
        ("place",),
        explain,
    ),
    Tool(
        "supersede",
        MORE,
        "Records what is true now in place of a memory, which becomes history.",
        {"id": _ID, "text": _text("what is true now", 70_000, minLength=1), **_GROUNDS},
        ("id", "text"),
        supersede,
        writes=True,
        ends=True,
    ),
    Tool(
        "retire",
        MORE,
        "Takes a memory out of what is current; it stays in the history.",
        {"id": _ID, **_GROUNDS},
        ("id", "reason"),
        retire,
        writes=True,
        ends=True,
    ),
    Tool(
        "restore",
        MORE,
        "Makes a retired or superseded memory current again.",
        {"id": _ID, **_GROUNDS},
        ("id",),
        restore,
        writes=True,
    ),
    Tool(
        "transition",
        MORE,
        "Takes a memory to another state of its kind, with what that asks for.",
        {"id": _ID, "state": _text("the state, like `fixed_unverified`", 40), "by": _ID, **_GROUNDS},
        ("id", "state"),
        transition,
        writes=True,
        ends=True,
    ),
    Tool(
        "evidence",
        MORE,
        "Gives a memory evidence.",
        {
            "id": _ID,
            "evidence": _EVIDENCE,
            "role": _text("the role of pieces that name none", 60),
            "revision": _text("at"),
        },
        ("id", "evidence"),
        evidence,
        writes=True,
    ),
    Tool(
        "reanchor",
        MORE,
        "Ties a memory to another place, and accepts the code there.",
        {"id": _ID, "to": _PLACE, "anchor": _ANCHOR},
        ("id", "to"),
        reanchor,
        writes=True,
    ),
    Tool(
        "pin", MORE, "Pins a memory, or takes the pin off.", {"id": _ID, "on": _flag("false: off")}, ("id",), pin, True
    ),
    Tool(
        "use",
        MORE,
        "Notes down what a memory was used for.",
        {"id": _ID, "for": _text("what it was used for", 500, minLength=1)},
        ("id", "for"),
        use,
        writes=True,
    ),
    Tool(
        "undo",
        MORE,
        "Takes back the last change of a memory.",
        {"id": _ID, "reason": _REASON},
        ("id",),
        undo,
        writes=True,
        ends=True,
    ),
)

TOOLS: Mapping[str, Tool] = MappingProxyType({row.name: row for row in _ROWS})
"""Every tool, by name. `forget` is none: what cannot be taken back is for people."""
