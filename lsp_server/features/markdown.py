"""Memory text as Markdown that is safe to show: it comes from a repository, so nothing in it may act.

Shown as written: emphasis, lists, headings, code, and links to http(s). Everything else that an editor could follow,
load or run (other links, images, raw HTML, reference definitions) is escaped into plain text; fences are closed.
"""

from __future__ import annotations

import re

HOVER_CHARACTERS = 4_000
LINE_CHARACTERS = 500
"""Sane lengths of what a hover shows of one text; a hover is a window of a few hundred words."""

FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
WEB_LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\((https?://[^\s()<>\"']+)\)")
AUTOLINK = re.compile(r"<(https?://[^\s<>]+)>")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe_markdown(text: str, limit: int = HOVER_CHARACTERS) -> str:
    """A memory's text as Markdown in which nothing acts, at most about `limit` characters, every fence closed."""
    lines = strip_controls(text[: limit + 1]).split("\n")
    cut = len(text) > limit
    shown: list[str] = []
    fence = ""
    for line in lines:
        if len(line) > LINE_CHARACTERS:
            line = line[:LINE_CHARACTERS] + "…"
        match = FENCE.match(line)
        if fence:
            closes = match and match[1][0] == fence[0] and len(match[1]) >= len(fence) and not match[2].strip()
            shown.append(line)
            if closes:
                fence = ""
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            language = re.sub(r"[^\w+#.-]", "", match[2].strip().split(" ")[0])[:30]
            shown.append(fence + language)
        else:
            shown.append(escape_line(line))
    if fence:
        shown.append(fence)
    if cut:
        shown.append("…")
    return "\n".join(shown)


def escape_line(line: str) -> str:
    """One line outside a fence: code spans and web links stay, all else that could act is escaped."""
    pieces: list[str] = []
    rest = 0
    for match in CODE_SPAN.finditer(line):
        pieces += [escape_prose(line[rest : match.start()]), match[0]]
        rest = match.end()
    pieces.append(escape_prose(line[rest:]))
    return "".join(pieces)


def escape_prose(text: str) -> str:
    pieces: list[str] = []
    rest = 0
    for match in WEB_LINK.finditer(text):
        pieces += [neutral(text[rest : match.start()]), f"[{neutral(match[1])}]({match[2]})"]
        rest = match.end()
    pieces.append(neutral(text[rest:]))
    return "".join(pieces)


def neutral(text: str) -> str:
    """Prose in which no bracket, angle or entity means anything to a Markdown renderer."""
    text = AUTOLINK.sub(r"\1", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"(\\*)([\[\]`])", lambda match: match[1] + ("" if len(match[1]) % 2 else "\\") + match[2], text)


def plain(text: str, limit: int = 200) -> str:
    """One line of plain text for titles, tables and messages: no control characters, no line breaks, cut."""
    line = " ".join(strip_controls(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def strip_controls(text: str) -> str:
    """Without control and direction-override characters (ANSI escapes, bidi tricks); tabs and line feeds stay."""
    return CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def code(text: str) -> str:
    """A code span of one line that its content cannot end."""
    line = plain(text)
    ticks = "`" * (1 + max((len(run) for run in re.findall(r"`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fenced(lines: tuple[str, ...] | list[str], language: str) -> str:
    """A fenced block that its content cannot end."""
    content = [strip_controls(line) for line in lines]
    longest = max((len(run) for line in content for run in re.findall(r"`{3,}", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *content, fence])
