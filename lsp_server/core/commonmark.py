"""The text of a Markdown paragraph, heading or table cell in one spelling: what of it is rendered, and nothing else.

Knows CommonMark's inline structure (version 0.31.2, chapter 6): escapes, entities, code spans, raw HTML, autolinks,
emphasis, links, line breaks. Refuses to know blocks, and where a link's definition stands: what of a text depends on
that counts as it is written, and where even the structure does, the whole text does but for its white space.

Two texts with one result render alike, wherever they stand and whatever links are defined there.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from html.entities import html5

_WRITTEN, _CODE, _RAW, _BREAK, _END = "\x0e", "\x0f", "\x10", "\x11", "\x12"
_OPENED = ("", "\x13", "\x14")
_CLOSED = ("", "\x15", "\x16")
_BRACKET, _IMAGE, _CLOSING, _TARGET, _LABEL = "\x17", "\x18", "\x19", "\x1a", "\x1b"
"""What stands for structure. A text that holds such a letter counts as it is written."""

_FORGED = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_KEPT = frozenset("[]~$!|:@")
"""Letters of which an escape is kept apart from the bare letter, since more than CommonMark may read that: links whose
definitions are elsewhere, tables, strikethrough, mathematics, bare addresses, emoji."""

_TICKS = re.compile("`+")
_ENTITY = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}))|([A-Za-z][A-Za-z0-9]*));")
_AUTOLINK = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20<>]*"
    r"|[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)>"
)
_ATTRIBUTE = r"\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?"
_HTML = re.compile(
    rf"<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>|<!--(?:>|->|.*?-->)|<\?.*?\?>"
    r"|<![A-Za-z].*?>|<!\[CDATA\[.*?\]\]>",
    re.DOTALL,
)
_SEEN = re.compile(r"<(?:pre|textarea|script|style|listing|xmp)\b|\bstyle\s*=", re.IGNORECASE)
"""Raw HTML in which white space may be seen."""

_DESTINATION = re.compile(r"<((?:[^<>\n\\]|\\.)*)>|([^\s<()\\][^\s()\\]*|)")
_TITLE = re.compile(r"\"((?:[^\"\\&])*)\"|'((?:[^'\\&])*)'|\(((?:[^()\\&])*)\)")
_LABEL_BEHIND = re.compile(r"\[((?:[^\[\]\\*_`<&]|\n){0,999})\]")
_BLANK = re.compile(r"[ \t]*\n?[ \t]*")
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\n]+")

LONGEST = 16 * 1024
"""Letters of a text that is read; of a longer one, white space around line ends alone is style. Few paragraphs have a
tenth of it, and some texts cost the square of their length."""

MOST = 400
"""Brackets, and delimiter runs, up to which a text is read, for the same reason."""

_Position = tuple[int, ...]


class _Unsure(Exception):
    """The structure depends on what is not seen from here."""


@dataclass(slots=True)
class _Run:
    """A delimiter run. `left` is what is not used of it yet, `at` the brackets that it stands in."""

    letter: str
    count: int
    opens: bool
    closes: bool
    at: _Position
    left: int = 0
    before: str = ""
    behind: str = ""

    @property
    def spelled(self) -> str:
        return self.before + self.letter * self.left + self.behind


@dataclass(slots=True)
class _Bracket:
    """An open bracket: where in the text what stands in it begins, and whether a link was in it."""

    start: int
    place: int
    image: bool
    holds_link: bool = False


@dataclass(slots=True)
class _Scan:
    """One pass over a text, of which `out` is what was read so far."""

    text: str
    out: list[str | _Run] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)
    brackets: list[_Bracket] = field(default_factory=list)
    opened: int = 0
    raw: bool = False

    def read(self) -> str:
        text, at, size = self.text, 0, len(self.text)
        while at < size:
            stop = _SPECIAL.search(text, at)
            if stop is None:
                self.out.append(_spaced(text[at:]))
                break
            if stop.start() > at:
                self.out.append(_spaced(text[at : stop.start()]))
            at = self.special(text[stop.start()], stop.start())
        _pair(self.runs)
        return "".join(part if isinstance(part, str) else part.spelled for part in self.out)

    def special(self, letter: str, at: int) -> int:
        """Reads what begins with a letter that may mean more than itself; where the text goes on."""
        text = self.text
        if letter == "\\":
            return self.escape(at)
        if letter == "`":
            return self.code(at)
        if letter == "<":
            found = _AUTOLINK.match(text, at) or _HTML.match(text, at)
            if found is None:
                self.out.append("<")
                return at + 1
            self.raw = self.raw or _SEEN.search(found[0]) is not None
            self.out.append(_RAW + found[0] + _END)
            return found.end()
        if letter == "&":
            return self.entity(at)
        if letter in "*_":
            return self.run(letter, at)
        if letter == "\n":
            hard = text[:at].endswith("  ")
            self.line_end(_BREAK if hard else " ")
            return at + 1
        if letter == "[":
            image = at > 0 and text[at - 1] == "!" and not text[:at].endswith("\\!")
            self.opened += 1
            if self.opened > MOST:
                raise _Unsure
            self.brackets.append(_Bracket(at + 1, self.opened, image))
            self.out.append(_IMAGE if image else _BRACKET)
            return at + 1
        return self.closing(at)

    def line_end(self, mark: str) -> None:
        """A line end, and what stands for the white space around it. Those before a line are gone already."""
        if self.out and isinstance(last := self.out[-1], str) and last[-1:] != _END:
            self.out[-1] = last.rstrip(" ")
        self.out.append(mark)

    def escape(self, at: int) -> int:
        after = self.text[at + 1 : at + 2]
        if after == "\n":
            self.line_end(_BREAK)
            return at + 2
        if after == " ":
            # Of the spaces behind it, not all take the first one for one that may break the line.
            raise _Unsure
        if after not in _PUNCTUATION or not after:
            self.out.append("\\")
            return at + 1
        word = self.text[:at].rpartition(" ")[2] + self.text[at:].partition(" ")[0]
        # An address without brackets around it is read to its end, escapes and all.
        kept = after in _KEPT or _ADDRESS.search(word) is not None
        self.out.append(f"{_RAW}\\{after}{_END}" if kept else after)
        return at + 2

    def code(self, at: int) -> int:
        ticks = _TICKS.match(self.text, at)
        assert ticks is not None
        closing = next((end for end in _TICKS.finditer(self.text, ticks.end()) if end[0] == ticks[0]), None)
        if closing is None:
            self.out.append(ticks[0])
            return ticks.end()
        inner = self.text[ticks.end() : closing.start()].replace("\n", " ")
        if inner.startswith(" ") and inner.endswith(" ") and inner.strip(" "):
            inner = inner[1:-1]
        self.out.append(_CODE + inner + _END)
        return closing.end()

    def entity(self, at: int) -> int:
        found = _ENTITY.match(self.text, at)
        if found is None:
            self.out.append("&")
            return at + 1
        value = _value(found)
        plain = value is not None and not any(letter in _KEPT or letter.isspace() for letter in value)
        # What is no letter of text by itself, and what no table of entities has, is as it is written.
        plain = plain and not (value and _FORGED.search(value))
        self.out.append(value if plain and value else _RAW + found[0] + _END)
        return found.end()

    def run(self, letter: str, at: int) -> int:
        text = self.text
        end = at
        while end < len(text) and text[end] == letter:
            end += 1
        flanks = {_flanks(letter, text[at - 1 : at], text[end : end + 1], symbols) for symbols in (True, False)}
        if len(flanks) > 1:
            raise _Unsure
        opens, closes = flanks.pop()
        place = tuple(bracket.place for bracket in self.brackets)
        if len(self.runs) >= MOST:
            raise _Unsure
        run = _Run(letter, end - at, opens, closes, place, left=end - at)
        self.runs.append(run)
        self.out.append(run)
        return end

    def closing(self, at: int) -> int:
        """Reads a closing bracket, with the target of a link behind it."""
        text = self.text
        self.out.append(_CLOSING)
        if not self.brackets:
            return at + 1
        bracket = self.brackets.pop()
        if text[at + 1 : at + 2] == "(":
            target = _target(text, at + 2)
            if target is not None:
                if bracket.holds_link and not bracket.image:
                    raise _Unsure
                self.link(bracket)
                self.out.append(_TARGET + target[0] + _END)
                return target[1]
            # It may be a target that is read in another way than here.
            raise _Unsure
        label = _LABEL_BEHIND.match(text, at + 1)
        inner = text[bracket.start : at]
        if label is not None and label[1].strip():
            self.link(bracket)
            self.out.append(_LABEL + " ".join(label[1].split()) + _END)
            return label.end()
        if text[at + 1 : at + 2] == "[" and label is None:
            raise _Unsure
        if re.search(r"[*_\\`<&]", inner):
            # By these letters a definition is found.
            self.out.append(_LABEL + " ".join(inner.split()) + _END)
        self.link(bracket)
        return at + 1

    def link(self, bracket: _Bracket) -> None:
        """Notes that there may be a link, in which no other one is."""
        if not bracket.image:
            for outer in self.brackets:
                outer.holds_link = True


_SPECIAL = re.compile(r"[\\`<&*_\n\[\]]")


def _spaced(text: str) -> str:
    return _SPACES.sub(" ", text)


def _value(found: re.Match[str]) -> str | None:
    """What an entity stands for; None where it is none, or none that is surely known."""
    if found[3]:
        return html5.get(found[3] + ";")
    point = int(found[1], 16) if found[1] else int(found[2])
    return chr(point) if 0 < point <= 0x10FFFF and not 0xD800 <= point < 0xE000 else None


def _target(text: str, at: int) -> tuple[str, int] | None:
    """The target of a link behind its `(`: address and title in one spelling, and where the text goes on."""
    blank = _BLANK.match(text, at)
    found = _DESTINATION.match(text, blank.end() if blank else at)
    if found is None:
        return None
    address = found[1] if found[1] is not None else found[2]
    if re.search(r"[\\&<>\s]", address):
        return None
    blank = _BLANK.match(text, found.end())
    end, title = (blank.end() if blank else found.end()), ""
    if end > found.end() and (named := _TITLE.match(text, end)) is not None:
        title = next(group for group in named.groups() if group is not None)
        if not title or "\n" in title:
            return None
        blank = _BLANK.match(text, named.end())
        end = blank.end() if blank else named.end()
    if text[end : end + 1] != ")":
        return None
    return f"{address}{_END}{title}", end + 1


def _flanks(letter: str, before: str, after: str, symbols: bool) -> tuple[bool, bool]:
    """Whether a delimiter run may open and may close emphasis (section 6.2). `symbols` says that a symbol is
    punctuation, as it is from version 0.31 on."""
    blank_before, blank_after = (not other or other.isspace() for other in (before, after))
    mark_before, mark_after = _is_mark(before, symbols), _is_mark(after, symbols)
    left = not blank_after and (not mark_after or blank_before or mark_before)
    right = not blank_before and (not mark_before or blank_after or mark_after)
    if letter == "*":
        return left, right
    return left and (not right or mark_before), right and (not left or mark_after)


def _is_mark(letter: str, symbols: bool) -> bool:
    if not letter or letter in _PUNCTUATION:
        return bool(letter)
    return unicodedata.category(letter)[0] in ("PS" if symbols else "P")


def _pair(runs: list[_Run]) -> None:
    """Pairs delimiter runs (CommonMark 0.31.2, appendix, "process emphasis")."""
    stack: list[_Run] = []
    for run in runs:
        while run.closes and run.left:
            index = next((i for i in range(len(stack) - 1, -1, -1) if _may_pair(stack[i], run)), None)
            if index is None:
                break
            opener = stack[index]
            if opener.at != run.at:
                # Whether the brackets between them are a link decides whether they are a pair.
                raise _Unsure
            del stack[index + 1 :]
            used = 2 if opener.left > 1 and run.left > 1 else 1
            opener.left -= used
            run.left -= used
            opener.behind = _OPENED[used] + opener.behind
            run.before += _CLOSED[used]
            if not opener.left:
                stack.pop()
        if run.opens and run.left:
            stack.append(run)


def _may_pair(opener: _Run, closer: _Run) -> bool:
    if opener.letter != closer.letter or not opener.left:
        return False
    both = (opener.opens and opener.closes) or (closer.opens and closer.closes)
    if both and (opener.count + closer.count) % 3 == 0:
        return opener.count % 3 == 0 and closer.count % 3 == 0
    return True


@lru_cache(maxsize=4096)
def spelled(text: str) -> str:
    """The letters of a paragraph in one spelling. Text comes and goes as `str` of one character a byte, as everywhere
    in the walk over a tree; line ends are LF."""
    lines = text.split("\n")
    plain = "\n".join([*(line.lstrip(" \t") for line in lines)]).strip(" \t\n")
    try:
        letters = plain.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return _WRITTEN + text
    if _FORGED.search(letters):
        return _WRITTEN + text
    if len(letters) > LONGEST:
        return _WRITTEN + _less_sure(plain)
    scan = _Scan(re.sub(r"[ \t]*\t ?(?=\n)", " ", letters))
    try:
        found = scan.read()
    except _Unsure:
        return _WRITTEN + _less_sure(plain)
    if scan.raw:
        return _WRITTEN + plain
    return found.encode("utf-8", "surrogatepass").decode("latin-1")


def _less_sure(plain: str) -> str:
    """Only white space around line ends is taken out, and no line end is made a space where there may be raw HTML."""
    *lines, last = plain.split("\n")
    soft = "\n" if "<" in plain else " "
    marked = [
        (line.rstrip(" \t"), _BREAK if line.endswith("  ") else _END if line[-1:] == "\\" else "") for line in lines
    ]
    return soft.join([*(line + mark for line, mark in marked), last])
