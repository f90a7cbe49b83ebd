"""The bytes of the ledger: `memory.md` and event files, read and written in one canonical form.

Knows the shape of both and what to say where a file is not of that shape; refuses to know where files lie. Nothing here
follows an alias, builds an object that a file names, or reads a date: front matter is text, lists and keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from lsp_server.core.front_matter import FrontMatterError, Node, dump_front_matter, load_front_matter, plain_value
from lsp_server.core.ids import anchor_id, normal_body
from lsp_server.core.kinds import kind_of
from lsp_server.core.locus import LocusError, parse_stored_locus, stored_locus
from lsp_server.core.model import AnchorText, Event, MemoryText, Sensitivity

__all__ = [
    "FILE_LIMIT",
    "FORMAT",
    "FRONT_MATTER_LIMIT",
    "LedgerTextError",
    "memory_data",
    "memory_from_data",
    "normal_body",
    "ours",
    "read_event",
    "read_memory",
    "write_event",
    "write_memory",
]

FORMAT = 1
"""Version of the shape of `memory.md`. A file of a newer one says `format: N`; one of this version says nothing."""

FILE_LIMIT = 1 << 20
"""Most bytes that a ledger file may have (1 MiB: sixteen times the largest cap of a kind)."""

FRONT_MATTER_LIMIT = 64 << 10
"""Most bytes that front matter may have."""

_EVENT_KEYS = ("id", "type", "time", "author", "revision", "after")
_TEXT_KEYS = ("format", "id", "kind", "anchors", "tags", "importance", "expires", "checks")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_ANCHOR_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z")
_MARKER = re.compile(r"^(?:(<{7})(?= |$)|(={7})$|(>{7})(?= |$))", re.MULTILINE)


class LedgerTextError(ValueError):
    """A file of the ledger that cannot be read, or a memory that cannot be written. The message names the mend.

    `line` counts from 1. `conflict` says that the file holds the markers of a merge.
    """

    def __init__(self, message: str, line: int = 1, *, conflict: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.conflict = conflict


def read_memory(data: bytes) -> MemoryText:
    """Reads a `memory.md`: CRLF, a BOM and hand-written layout are fine. Raises LedgerTextError."""
    text = _decoded(data)
    if found := _conflict(text):
        raise found
    front, first, body = _split(text)
    try:
        node = load_front_matter(front)
    except FrontMatterError as error:
        raise LedgerTextError(error.message, error.line + first) from None
    return _memory(node, body, first)


def write_memory(text: MemoryText) -> bytes:
    """The canonical bytes of a `memory.md`; `read_memory` gives back the same memory, and these bytes again.

    Raises LedgerTextError where the text cannot be held by such a file (conflict markers in the body, a name of a file
    that is not UTF-8, too much of it).
    """
    try:
        values = memory_data(text, body=False)
        json.dumps(values, ensure_ascii=False).encode()
        data = f"---\n{dump_front_matter(values)}---\n\n{normal_body(text.body)}\n".encode()
    except UnicodeEncodeError:
        raise LedgerTextError("a name here is not UTF-8 and cannot be written down: rename that file first") from None
    except (ValueError, TypeError, RecursionError) as error:
        raise LedgerTextError(f"this has no place in front matter: {error}") from None
    try:
        again = read_memory(data)
    except LedgerTextError as error:
        raise LedgerTextError(f"this text would not read back: {error.message}", error.line) from None
    if memory_data(again) != memory_data(text):
        raise LedgerTextError("this text would not read back as it is: leave out control characters")
    return data


def read_event(data: bytes) -> Event:
    """Reads an event file, of this or a newer version. Raises LedgerTextError."""
    text = _decoded(data)
    try:
        found = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        if conflict := _conflict(text):
            raise conflict from None
        raise LedgerTextError(f"is not JSON ({error.msg}): {_RESTORE}", error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise LedgerTextError(f"is not the JSON of an event ({error}): {_RESTORE}") from None
    if not isinstance(found, dict):
        raise LedgerTextError(f"is not the object of an event: {_RESTORE}")
    for key in ("id", "type", "time"):
        if not isinstance(found.get(key), str) or not found[key]:
            raise LedgerTextError(f"has no {key!r}: {_RESTORE}")
    if not _TIME.fullmatch(found["time"]):
        raise LedgerTextError(f"has a time that is not UTC as 2026-11-30T10:53:22Z: {_RESTORE}")
    after = found.get("after", [])
    if not isinstance(after, list) or not all(isinstance(item, str) for item in after):
        raise LedgerTextError(f"has an 'after' that is no list of ids: {_RESTORE}")
    author, revision = found.get("author", ""), found.get("revision", "")
    if not isinstance(author, str) or not isinstance(revision, str):
        raise LedgerTextError(f"has an author or revision that is no text: {_RESTORE}")
    rest = {key: value for key, value in found.items() if key not in _EVENT_KEYS}
    return Event(found["id"], found["type"], found["time"], author, revision, tuple(after), rest)


def write_event(event: Event) -> bytes:
    """The canonical bytes of an event: JSON with sorted keys, one space of indent, LF, a final newline.

    Half surrogates (from names and code that are not UTF-8) are written as JSON escapes.
    Raises LedgerTextError for data that is no JSON or that uses a key of the event itself.
    """
    if clash := [key for key in _EVENT_KEYS if key in event.data]:
        raise LedgerTextError(f"the data of an event may not have the key {clash[0]!r}")
    whole = {
        **event.data,
        "id": event.id,
        "type": event.type,
        "time": event.time,
        "author": event.author,
        "revision": event.revision,
        "after": sorted(set(event.after)),
    }
    try:
        text = json.dumps(whole, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise LedgerTextError(f"the data of an event is no JSON: {error}") from None
    return f"{text}\n".encode("utf-8", "backslashreplace")


def memory_data(text: MemoryText, *, body: bool = True) -> dict[str, Any]:
    """A memory's text as plain values in canonical order: what is written, and (with `body`) what a `recorded` event
    keeps, so that a crash before `memory.md` loses nothing. Raises LocusError where an anchor cannot be written down.
    """
    data: dict[str, Any] = {"id": text.id, "kind": text.kind}
    if text.anchors:
        data["anchors"] = [_anchor_data(anchor) for anchor in text.anchors]
    tags = sorted({tag.strip() for tag in text.tags} - {""})
    if tags:
        data["tags"] = tags
    if text.importance is not None:
        data["importance"] = text.importance
    if text.expires:
        data["expires"] = text.expires
    if text.checks:
        data["checks"] = list(dict.fromkeys(text.checks))
    data.update((key, text.fields[key]) for key in kind_of(text.kind).fields if text.fields.get(key))
    data.update((key, text.unknown[key]) for key in sorted(text.unknown) if key not in (*_TEXT_KEYS, "body"))
    if body:
        data["body"] = normal_body(text.body)
    return data


def memory_from_data(data: Any) -> MemoryText:
    """Reads what `memory_data` gave with its body. Raises LedgerTextError."""
    if not isinstance(data, dict) or not isinstance(data.get("body"), str):
        raise LedgerTextError("holds no whole text of its memory")
    front = {key: value for key, value in data.items() if key != "body"}
    return read_memory(f"---\n{dump_front_matter(front)}---\n\n{data['body']}\n".encode("utf-8", "replace"))


def ours(data: bytes) -> bytes | None:
    """Our side of a file with conflict markers, theirs left out; None where there are none."""
    text = _unified(data.decode("utf-8", "replace"))
    if _conflict(text) is None:
        return None
    kept: list[str] = []
    side = "both"
    for line in text.split("\n"):
        marker = line[:7]
        if side == "both" and marker == "<<<<<<<" and line[7:8] in ("", " "):
            side = "ours"
        elif side == "ours" and (line == "=======" or (marker == "|||||||" and line[7:8] in ("", " "))):
            side = "theirs"
        elif side == "theirs" and marker == ">>>>>>>" and line[7:8] in ("", " "):
            side = "both"
        elif side != "theirs":
            kept.append(line)
    return "\n".join(kept).encode()


_RESTORE = "restore it from git, or delete it if it never was of any use"


def _decoded(data: bytes) -> str:
    if len(data) > FILE_LIMIT:
        raise LedgerTextError(f"has {len(data)} bytes, more than {FILE_LIMIT}: shorten it")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return _unified(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LedgerTextError("is not UTF-8 here: save it as UTF-8", line) from None


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _conflict(text: str) -> LedgerTextError | None:
    start = -1
    middle = False
    for found in _MARKER.finditer(text):
        if found.group(1):
            start, middle = found.start(), False
        elif found.group(2):
            middle = start >= 0
        elif middle:
            break
    else:
        return None
    line = text.count("\n", 0, start) + 1
    message = "holds a merge conflict: keep one side, delete the lines of <<<<<<<, ======= and >>>>>>>, and save it"
    return LedgerTextError(message, line, conflict=True)


def _split(text: str) -> tuple[str, int, str]:
    """Front matter, the number of lines before it, and the body."""
    start = len(text) - len(text.lstrip("\n"))
    opening, _, rest = text[start:].partition("\n")
    if opening.rstrip() != "---":
        raise LedgerTextError(
            "does not begin with front matter: put a line --- first, then id and kind, then --- again"
        )
    position = 0
    while position < len(rest):
        end = rest.find("\n", position)
        line = rest[position:] if end < 0 else rest[position:end]
        after = len(rest) if end < 0 else end + 1
        if line.rstrip() == "---":
            front = rest[:position]
            if len(front.encode()) > FRONT_MATTER_LIMIT:
                raise LedgerTextError(f"has more than {FRONT_MATTER_LIMIT} bytes of front matter: shorten it")
            return front, start + 1, rest[after:]
        position = after
    raise LedgerTextError("has front matter that does not end: put a line --- after it, before the text", start + 1)


def _memory(node: Node, body: str, first: int) -> MemoryText:
    known = node.pairs

    def fail(key: str, message: str) -> LedgerTextError:
        at = known[key].line if key in known else 0
        return LedgerTextError(message, at + first + 1)

    def one(key: str, pattern: re.Pattern[str], what: str) -> str:
        if key not in known:
            raise fail(key, f"has no {key}: add {key}: {what}")
        value = known[key].text
        if value is None or not pattern.fullmatch(value):
            raise fail(key, f"has a {key} that is none: write {key}: {what}")
        return value

    def texts(key: str) -> tuple[str, ...]:
        if key not in known or known[key].empty:
            return ()
        items = known[key].items
        if items is None or any(item.text is None for item in items):
            raise fail(key, f"has {key} that are no list of texts: write each on a line of its own after '- '")
        return tuple(item.text.strip() for item in items if item.text is not None and item.text.strip())

    if "format" in known:
        value = known["format"].text or ""
        if value != str(FORMAT):
            raise fail(
                "format", f"has format {value or '?'}, this version reads format {FORMAT}: install a newer Moorline"
            )
    memory = one("id", _UUID, "a UUID in lower case, as `moorline record` gives it")
    kind = one("kind", _NAME, "decision, or another kind")
    importance: int | None = None
    if "importance" in known and not known["importance"].empty:
        value = known["importance"].text or ""
        if not re.fullmatch(r"-?[0-9]{1,9}", value):
            raise fail("importance", "has an importance that is no whole number: write importance: 3")
        importance = int(value)
    expires: str | None = None
    if "expires" in known and not known["expires"].empty:
        expires = (known["expires"].text or "").strip()
        if not expires:
            raise fail("expires", "has an expires that is no date: write expires: 2027-01-31")
    fields: dict[str, str] = {}
    for key in kind_of(kind).fields:
        if key in known and not known[key].empty:
            words = known[key].text
            if words is None:
                raise fail(key, f"has a {key} that is no text: write {key}: and the words after it")
            if words.strip():
                fields[key] = normal_body(words)
    return MemoryText(
        memory,
        kind,
        normal_body(body),
        _anchors(known.get("anchors"), memory, first),
        tuple(sorted(set(texts("tags")))),
        importance,
        expires,
        tuple(dict.fromkeys(texts("checks"))),
        {
            key: plain_value(value)
            for key, value in node.pairs.items()
            if key not in _TEXT_KEYS and key not in kind_of(kind).fields
        },
        fields,
    )


def _anchors(node: Node | None, memory: str, first: int) -> tuple[AnchorText, ...]:
    if node is None or node.empty:
        return ()
    if node.items is None:
        raise LedgerTextError("has anchors that are no list: write - at: FILE#SYMBOL for each", node.line + first + 1)
    found: list[AnchorText] = []
    taken: set[str] = set()
    for item in node.items:
        line = item.line + first + 1
        known = {"at": item} if item.text is not None else item.pairs
        at = known["at"].text if "at" in known else None
        if at is None:
            raise LedgerTextError("has an anchor without a place: write - at: FILE#SYMBOL", line)
        try:
            locus = parse_stored_locus(at.strip())
            stored_locus(locus)
        except LocusError as error:
            raise LedgerTextError(f"has an anchor that is no place: {error}", line) from None
        sensitivity: Sensitivity | None = None
        if "sensitivity" in known and not known["sensitivity"].empty:
            try:
                sensitivity = Sensitivity(known["sensitivity"].text or "")
            except ValueError:
                choices = ", ".join(Sensitivity)
                raise LedgerTextError(f"has a sensitivity that is none: write one of {choices}", line) from None
        if "id" in known and not known["id"].empty:
            identifier = known["id"].text or ""
            if not _ANCHOR_ID.fullmatch(identifier):
                raise LedgerTextError("has an anchor's id that is none: leave out the line to get a new one", line)
            if identifier in taken:
                raise LedgerTextError(
                    f"has two anchors with the id {identifier}: leave out the id of the newer one", line
                )
        else:
            identifier = anchor_id(memory, locus, taken=taken)
        taken.add(identifier)
        unknown = {key: plain_value(value) for key, value in known.items() if key not in ("id", "at", "sensitivity")}
        found.append(AnchorText(identifier, locus, sensitivity, unknown))
    return tuple(found)


def _anchor_data(anchor: AnchorText) -> dict[str, Any]:
    data: dict[str, Any] = {"id": anchor.id, "at": stored_locus(anchor.locus)}
    if anchor.sensitivity is not None:
        data["sensitivity"] = str(anchor.sensitivity)
    unknown: Mapping[str, Any] = anchor.unknown
    data.update((key, unknown[key]) for key in sorted(unknown) if key not in ("id", "at", "sensitivity"))
    return data


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
