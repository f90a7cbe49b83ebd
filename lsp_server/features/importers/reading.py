"""Reading what other tools wrote: JSON, JSON lines, front matter and Markdown, safely and within limits.

Knows the forms and nothing about who uses them. Every reader is total: it gives what it could read and says what it
could not. YAML goes through the project's own front matter, which builds no object and follows no alias.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lsp_server.core.front_matter import FrontMatterError, Node, load_front_matter, plain_value
from lsp_server.core.ledger_text import FRONT_MATTER_LIMIT
from lsp_server.features.importers.entry import Given, Problem, Spot

MENTIONS = 12
"""Most places that are taken from the prose of one entry."""

LINE_LENGTH = 2000
"""Characters of a line that are looked at for a title."""

TAG_LENGTH = 60
"""Characters of one tag; longer ones are prose that got there by accident."""


def text_of(given: Given) -> str:
    """A file's text, whatever its bytes, with LF."""
    text = given.data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def not_utf8(given: Given) -> list[Problem]:
    """A remark where a file's bytes are not UTF-8."""
    try:
        given.data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 at byte {error.start}; read with \N{REPLACEMENT CHARACTER} there: save it as UTF-8"
        return [Problem(given.path, "", message)]
    return []


class NotJson(ValueError):
    """A text that is no JSON. The message says what is wrong, in a few words."""


def json_of(text: str) -> Any:
    """A JSON value; numbers that JSON does not have, and too deep a nesting, are refused. Raises NotJson."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg}, line {error.lineno}") from None
    except RecursionError:
        raise NotJson("nested too deep") from None
    except ValueError as error:
        raise NotJson(str(error)[:80]) from None


@lru_cache(maxsize=2)
def json_in(given: Given) -> Any:
    """The JSON value of a file, None where it is none. Remembered, since every importer of JSON asks for it."""
    if given.data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return json_of(text_of(given))
    except NotJson:
        return None


def json_lines(text: str) -> Iterator[tuple[int, Any]]:
    """Each line that is not blank with its number from 1: its JSON value, or the `NotJson` that it is."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json_of(line)
            except NotJson as error:
                yield number, error


@lru_cache(maxsize=2)
def first_lines(given: Given) -> tuple[Any, ...]:
    """The first objects of a file of JSON lines, for telling its shape; empty where it is no such file."""
    if not given.data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return ()
    found = []
    for _, value in json_lines(text_of(given)[:65536].rpartition("\n")[0] or text_of(given)):
        if isinstance(value, dict):
            found.append(value)
        if len(found) == 5:
            break
    return tuple(found)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file: its front matter as plain values, and the rest. `fault` says why front matter was not read."""

    front: Mapping[str, Any]
    body: str
    fault: str = ""


@lru_cache(maxsize=2)
def page_of(given: Given) -> Page:
    """A file as Markdown. Front matter that cannot be read is left out, and `fault` says so."""
    text = text_of(given)
    if not text.startswith("---\n"):
        return Page({}, text)
    end = re.compile(r"^---[ \t]*$", re.MULTILINE).search(text, 4)
    if end is None:
        return Page({}, text, "has front matter that does not end: put a line --- after it")
    front, body = text[4 : end.start()], text[end.end() :].lstrip("\n")
    if not any(line.strip() and not line.lstrip().startswith("#") for line in front.split("\n")):
        return Page({}, body)
    if len(front.encode()) > FRONT_MATTER_LIMIT:
        return Page({}, body, f"has more than {FRONT_MATTER_LIMIT} bytes of front matter: shorten it")
    try:
        node: Node = load_front_matter(front)
    except FrontMatterError as error:
        return Page({}, body, error.message)
    return Page({key: plain_value(value) for key, value in node.pairs.items()}, body)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it up to the next heading of any level; the first may have no heading."""

    level: int
    title: str
    text: str
    line: int


_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


def sections(body: str, deepest: int = 6) -> list[Section]:
    """The sections of a Markdown text, in order. Headings in code fences are none, nor are those below `deepest`."""
    found: list[Section] = []
    level, title, first = 0, "", 1
    lines: list[str] = []
    for number, (line, fenced) in enumerate(fences(body), 1):
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading is not None and len(heading[1]) <= deepest and (heading[2] or "").strip():
            found.append(Section(level, title, "\n".join(lines).strip("\n"), first))
            level, title, lines, first = len(heading[1]), uncommented(heading[2]), [], number
        else:
            lines.append(line)
    found.append(Section(level, title, "\n".join(lines).strip("\n"), first))
    return found if found[0].text.strip() or len(found) == 1 else found[1:]


def fences(body: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is part of a code fence."""
    mark = ""
    for line in body.split("\n"):
        fence = _FENCE.match(line)
        if mark:
            yield line, True
            if fence is not None and fence[1].startswith(mark) and not line.strip().strip(mark[0]):
                mark = ""
        elif fence is not None:
            mark = fence[1]
            yield line, True
        else:
            yield line, False


def uncommented(text: str) -> str:
    """A text without HTML comments. One that does not end is left as it is."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return ("".join(kept) + text[at:]).strip()


def heading_of(body: str) -> str:
    """The first heading of the highest level, empty where there is none."""
    return next((section.title for section in sections(body) if section.level == 1), "")


def first_line(text: str, limit: int = 80) -> str:
    """The first line that says something, without the signs of a heading, a list or a quote; cut at a word."""
    for whole in text.split("\n"):
        line = whole[:LINE_LENGTH]
        plain = re.sub(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s*)+", "", uncommented(line))
        plain = re.sub(r"\*\*|(?<!\w)__|__(?!\w)", "", plain).strip().strip("*_").strip()
        if re.search(r"\w", plain):
            return plain if len(plain) <= limit else plain[:limit].rsplit(" ", 1)[0].rstrip(",;:. ") + "…"
    return ""


def slug(text: str, limit: int = 60) -> str:
    """Words of a text for an id or a tag: lower case, joined by `-`, in whatever script."""
    return "-".join(re.findall(r"\w+", text.lower()))[:limit].strip("-")


def tags_of(value: Any, words: bool = False) -> tuple[str, ...]:
    """Tags from a list, or from a text with commas (`words`: or spaces). Lists that were broken into pieces of JSON are
    mended: `'["a"', '"b"]'` are a and b."""
    if isinstance(value, list):
        pieces = [str(item) for item in value if isinstance(item, str | int)]
    elif isinstance(value, str):
        pieces = re.split(r"[,\s]+" if words else r",", value)
    else:
        return ()
    tags = [slug(piece.strip().strip("[]\"'# "), TAG_LENGTH) for piece in pieces]
    return tuple(dict.fromkeys(tag for tag in tags if tag and tag != "none"))


def texts_of(value: Any) -> list[str]:
    """A text, or the texts of a list, as a list."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [item for item in value if isinstance(item, str) and item.strip()] if isinstance(value, list) else []


def text_in(value: Mapping[str, Any], *keys: str) -> str:
    """The first of some keys that holds a text, stripped; empty where none does."""
    for key in keys:
        found = value.get(key)
        if isinstance(found, str) and found.strip():
            return found.strip()
    return ""


def line_in(value: Any) -> int | None:
    """A whole number, or None: line numbers of other tools may be anything."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


_PATH = r"(?:\.{0,2}/)?(?:[\w@.+()-]+/)*[\w@+()-][\w@.+()-]*\.[A-Za-z][A-Za-z0-9]{0,9}"
_LINES = r"(?::(?P<line>[1-9]\d{0,5})(?:-(?P<last>[1-9]\d{0,5}))?)?"
_QUOTED = re.compile(rf"`(?P<file>{_PATH}){_LINES}`")
_PROSE = re.compile(rf"(?<![\w/`@:.+-])(?P<file>(?:[\w@.+-]+/)+[\w@+-][\w@.+-]*\.[A-Za-z][A-Za-z0-9]{{0,9}}){_LINES}")
_LINK = re.compile(r"\]\((?!\w+:)(?P<file>[^()\s#?]+)(?:#[^()\s]*)?\)")


def mentions(text: str) -> tuple[Spot, ...]:
    """Places that a text mentions: paths in backticks or links, and paths with a folder in prose. Only ever offered."""
    found: dict[str, Spot] = {}
    for pattern in (_QUOTED, _PROSE, _LINK):
        for match in pattern.finditer(text[:100_000]):
            groups = match.groupdict()
            line, last = groups.get("line"), groups.get("last")
            lines = (int(line), int(last)) if line and last and int(line) <= int(last) else None
            spot = Spot(match["file"], line=int(line) if line and not lines else None, lines=lines, offered=True)
            found.setdefault(str(spot), spot)
            if len(found) == MENTIONS:
                return tuple(found.values())
    return tuple(found.values())


_TIME = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)(?:[T ](?P<clock>\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s*"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_AMERICAN = re.compile(r"(?P<month>\d\d?)/(?P<day>\d\d?)/(?P<year>\d{4})")


def time_of(text: Any) -> str:
    """The first date or time in a text, as `2026-11-30` or `2026-11-30T10:53:22Z`; empty where there is none.

    What has no zone is left without one: nobody knows where it was written. `7/12/2022` has its month first.
    """
    if not isinstance(text, str):
        return ""
    match = _TIME.search(text) or _AMERICAN.search(text)
    if match is None:
        return ""
    groups = match.groupdict()
    month, day = int(groups["month"]), int(groups["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return ""
    date = f"{groups['year']}-{month:02}-{day:02}"
    clock = groups.get("clock")
    return f"{date}T{clock}{groups.get('zone') or ''}" if clock else date


def day_of(text: str) -> str:
    """The date of a time as a day, for an expiry; empty where there is none."""
    return time_of(text)[:10]
