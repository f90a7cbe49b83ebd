"""What a string literal says, whatever quotes it is written in.

Knows the escapes of each language as data, and decodes from source text to the value. Refuses to know syntax trees: it
gets the letters of a literal. Text comes and goes as `str` of one character a byte (Latin-1 of the UTF-8 bytes), as the
walk over the tree cuts it; so a decoded `é` is its two UTF-8 bytes.

What cannot be decoded with certainty gives None, and then the literal counts as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_HEX = frozenset("0123456789abcdefABCDEF")
_PAIR = re.compile("(\xed[\xa0-\xaf][\x80-\xbf])(\xed[\xb0-\xbf][\x80-\xbf])")
_BREAK = re.compile("\r\n?")


@dataclass(frozen=True, slots=True)
class Escapes:
    """The escapes of one kind of literal.

    `simple` maps the letter after the backslash to its value. `hexes` maps a letter to the number of hex digits after
    it;
    `braces` are letters that take `{hex digits}`. `octal` is (least, most) digits, (0, 0) for none, `decimal` the most
    decimal digits, which are a byte. `byte` holds the
    letters (and `"octal"`) whose number is a byte and not a code point. `unknown` says what any other letter does:
    "keep" both characters, "drop" the backslash, "" when it is an error. `joins` says that a backslash before a line
    end joins the lines, `trims` that the white space after it goes too. `pairs` says that two halves of a surrogate
    pair make one character. `refused` are letters whose value is not decided here. The letter `doubled`, written twice,
    is itself. `raw` says that a backslash is a letter like any other.
    """

    simple: Mapping[str, str] = field(default_factory=dict)
    hexes: Mapping[str, int] = field(default_factory=dict)
    braces: frozenset[str] = frozenset()
    octal: tuple[int, int] = (0, 0)
    decimal: int = 0
    byte: frozenset[str] = frozenset()
    unknown: str = ""
    joins: bool = False
    trims: bool = False
    pairs: bool = False
    refused: frozenset[str] = frozenset()
    doubled: str = ""
    raw: bool = False


def plain_breaks(text: str) -> str:
    """`text` with every line end written as LF."""
    return _BREAK.sub("\n", text) if "\r" in text else text


def decode(text: str, escapes: Escapes | None) -> str | None:
    """The value of the letters between the quotes, None where it is not certain. Without escapes they are the value."""
    text = plain_breaks(text)
    if escapes is None:
        return text
    if escapes.doubled:
        text = text.replace(escapes.doubled * 2, escapes.doubled)
    if "\\" not in text or escapes.raw:
        return text
    out: list[str] = []
    at, size = 0, len(text)
    while at < size:
        stop = text.find("\\", at)
        if stop < 0:
            out.append(text[at:])
            break
        out.append(text[at:stop])
        if stop + 1 >= size:
            return None
        read = _escape(text, stop + 1, escapes)
        if read is None:
            return None
        value, at = read
        out.append(value)
    joined = "".join(out)
    return _PAIR.sub(_join_pair, joined) if escapes.pairs else joined


def plain_number(text: str, *, floats: bool) -> str:
    """A number in one spelling: lower case, without `_`, zeros that end a fraction, the `+` of an exponent and zeros
    before it, and with a digit on both sides of a point. `floats` says that 1.0 is another number than 1."""
    text = text.lower().replace("_", "")
    found = _NUMBER.fullmatch(text)
    if found is None or not (found["whole"] or found["fraction"]):
        return text
    fraction, exponent = (found["fraction"] or "").rstrip("0"), found["exponent"] or ""
    whole = (found["whole"] or "0") + ("." + fraction if fraction else "")
    if exponent:
        digits = exponent.lstrip("e+-").lstrip("0") or "0"
        whole += "e" + ("-" if "-" in exponent else "") + digits
    elif floats and found["fraction"] is not None and not fraction:
        whole += ".0"
    return whole + found["suffix"]


_NUMBER = re.compile(
    r"(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?P<exponent>e[+-]?[0-9]+)?(?P<suffix>(?:[a-z][a-z0-9]*)?)"
)


def _escape(text: str, at: int, escapes: Escapes) -> tuple[str, int] | None:
    """The value of the escape whose letter stands at `at`, and where the text goes on."""
    letter = text[at]
    if letter in escapes.refused:
        return None
    if letter in escapes.braces and text[at + 1 : at + 2] == "{":
        close = text.find("}", at)
        digits = text[at + 2 : close].replace("_", "") if close > 0 else ""
        return _point(digits, close + 1)
    if letter in escapes.hexes:
        end = at + 1 + escapes.hexes[letter]
        digits = text[at + 1 : end]
        if len(digits) < escapes.hexes[letter]:
            return None
        if letter in escapes.byte:
            return (chr(int(digits, 16)), end) if _HEX.issuperset(digits) else None
        return _point(digits, end)
    if letter in "0123456789" and escapes.decimal:
        end = at
        while end < len(text) and end - at < escapes.decimal and text[end] in "0123456789":
            end += 1
        return (chr(int(text[at:end])), end) if int(text[at:end]) < 256 else None
    if letter in "01234567" and escapes.octal[1]:
        least, most = escapes.octal
        end = at
        while end < len(text) and end - at < most and text[end] in "01234567":
            end += 1
        value = int(text[at:end], 8)
        if end - at < least or value > 255:
            return None
        return (chr(value), end) if "octal" in escapes.byte else _point(f"{value:x}", end)
    if letter in escapes.simple:
        if letter == "0" and text[at + 1 : at + 2].isdigit():
            return None
        return escapes.simple[letter], at + 1
    if letter == "\n" and escapes.joins:
        end = at + 1
        while escapes.trims and end < len(text) and text[end] in " \t\n":
            end += 1
        return "", end
    if escapes.unknown == "keep":
        return "\\" + letter, at + 1
    if escapes.unknown == "drop" and not letter.isdigit():
        return letter, at + 1
    return None


def _point(digits: str, end: int) -> tuple[str, int] | None:
    if not digits or len(digits) > 8 or not _HEX.issuperset(digits):
        return None
    value = int(digits, 16)
    if value > 0x10FFFF:
        return None
    return chr(value).encode("utf-8", "surrogatepass").decode("latin-1"), end


def _join_pair(found: re.Match[str]) -> str:
    halves = (part.encode("latin-1").decode("utf-8", "surrogatepass") for part in found.groups())
    high, low = (ord(half) for half in halves)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)).encode("utf-8").decode("latin-1")


def text_block(text: str) -> str:
    """The letters of a Java text block, after its opening quotes' line, without incidental white space.

    Algorithm: Java Language Specification, section 3.10.6. Escapes are still to be decoded, as it says.
    """
    lines = plain_breaks(text).split("\n")
    deciding = [line for line in lines[:-1] if line.strip(" \t\f")] + [lines[-1]]
    indent = min(len(line) - len(line.lstrip(" \t\f")) for line in deciding)
    return "\n".join(line[indent:].rstrip(" \t\f") if line.strip(" \t\f") else "" for line in lines)


def flow_folded(text: str) -> str:
    """The letters of a YAML scalar of several lines, its lines joined (YAML 1.2.2, section 7.3, "line folding").

    White space around a line end says nothing; one line end is a space, each one more is one. In a double-quoted scalar
    a line end after a backslash is left for `decode`.
    """
    if "\n" not in text:
        return text
    return _FOLD.sub(_fold, text)


_FOLD = re.compile(r"(\\*)[ \t]*(\n\s*)")


def _fold(found: re.Match[str]) -> str:
    kept = found[1]
    if len(kept) % 2:
        after = found[0][len(kept)]
        if after == "\n":
            return kept + after
        kept += after
    return kept + ("\n" * (found[2].count("\n") - 1) or " ")


def jsx_lines(text: str) -> str:
    """JSX text as React sees it: lines trimmed where they meet, blank ones dropped, joined by a space.

    White space at a line break means nothing there; inside of a line, and at the ends of a text of one line, it counts.
    """
    lines = plain_breaks(text).replace("\t", " ").split("\n")
    last = len(lines) - 1
    kept = []
    for number, line in enumerate(lines):
        line = line if number == 0 else line.lstrip(" ")
        line = line if number == last else line.rstrip(" ")
        if line:
            kept.append(line)
    return " ".join(kept)


_C_LIKE = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'", '"': '"'}

PYTHON = Escapes(
    simple={**_C_LIKE, "a": "\a"},
    hexes={"x": 2, "u": 4, "U": 8},
    octal=(1, 3),
    unknown="keep",
    joins=True,
    refused=frozenset("N"),
)
"""Python's str. `\\N{...}` is left alone, because the names depend on a Unicode version."""

PYTHON_BYTES = Escapes(
    simple={**_C_LIKE, "a": "\a"},
    hexes={"x": 2},
    octal=(1, 3),
    byte=frozenset({"x", "octal"}),
    unknown="keep",
    joins=True,
)

JAVASCRIPT = Escapes(
    simple={**_C_LIKE, "0": "\0", "`": "`", "$": "$"},
    hexes={"x": 2, "u": 4},
    braces=frozenset("u"),
    unknown="drop",
    joins=True,
    pairs=True,
    refused=frozenset("\xe2"),
)
"""JavaScript's strings. U+2028 and U+2029 after a backslash join lines, so what begins with their first byte is left
alone."""

GO = Escapes(
    simple={**_C_LIKE, "a": "\a"},
    hexes={"x": 2, "u": 4, "U": 8},
    octal=(3, 3),
    byte=frozenset({"x", "octal"}),
)

RUST = Escapes(
    simple={"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "0": "\0", "'": "'", '"': '"'},
    hexes={"x": 2},
    braces=frozenset("u"),
    byte=frozenset("x"),
    joins=True,
    trims=True,
)

JSON = Escapes(
    simple={"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\", '"': '"'},
    hexes={"u": 4},
    pairs=True,
)

YAML = Escapes(
    simple={
        **{"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"},
        **{"e": "\x1b", " ": " ", "/": "/", "\\": "\\", '"': '"'},
    },
    hexes={"x": 2, "u": 4, "U": 8},
    joins=True,
    trims=True,
)
"""YAML's double quotes (YAML 1.2.2, section 5.7), without the names of four rare characters."""

YAML_SINGLE = Escapes(doubled="'", raw=True)

TOML = Escapes(
    simple={"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "\\": "\\", '"': '"'},
    hexes={"u": 4, "U": 8},
    joins=True,
    trims=True,
)

HCL = Escapes(
    simple={"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"'},
    hexes={"u": 4, "U": 8},
)

CSS = Escapes(simple={"\\": "\\", '"': '"', "'": "'"}, joins=True)
"""CSS's strings, without escapes by number, whose end depends on what follows."""

BASH = Escapes(simple={"$": "$", "`": "`", '"': '"', "\\": "\\"}, unknown="keep", joins=True)
"""Bash's double quotes (POSIX shell command language, section 2.2.3)."""

JAVA = Escapes(
    simple={"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " ", '"': '"', "'": "'", "\\": "\\"},
    octal=(1, 3),
    joins=True,
    refused=frozenset("u"),
)

ERLANG = Escapes(
    simple={
        **{letter: _C_LIKE[letter] for letter in "nrtbfv\\'\""},
        "e": "\x1b",
        "s": " ",
        "d": "\x7f",
    },
    hexes={"x": 2},
    braces=frozenset("x"),
    octal=(1, 3),
)
"""Erlang's (reference manual, "Escape Sequences"), but those for control characters."""

R = Escapes(simple={**_C_LIKE, "a": "\a", "`": "`"})
"""R's, but those with numbers, whose lengths vary (`?Quotes`)."""

LUA = Escapes(simple={**_C_LIKE, "a": "\a", "\n": "\n"}, decimal=3)
"""Lua's, as far as all versions agree: 5.1 reads `\\x41` as three letters."""

C = Escapes(
    simple={**_C_LIKE, "a": "\a", "?": "?"},
    hexes={"u": 4, "U": 8},
    octal=(1, 3),
    byte=frozenset({"octal"}),
    joins=True,
)
"""C's and C++'s. `\\x` takes as many digits as there are, and is left alone."""

RUBY_SINGLE = Escapes(simple={"\\": "\\", "'": "'"}, unknown="keep")
"""Ruby's between single quotes."""

RUBY = Escapes(
    simple={**_C_LIKE, "a": "\a", "e": "\x1b", "s": " "},
    unknown="drop",
    joins=True,
    refused=frozenset("xucCM"),
)
"""Ruby's between double quotes. What makes bytes, and what sets the encoding, is left alone."""

PHP_SINGLE = Escapes(simple={"\\": "\\", "'": "'"}, unknown="keep")
"""PHP's between single quotes."""

PHP = Escapes(
    simple={"n": "\n", "t": "\t", "r": "\r", "v": "\v", "e": "\x1b", "f": "\f", "\\": "\\", "$": "$", '"': '"'},
    hexes={"x": 2},
    braces=frozenset("u"),
    octal=(1, 3),
    byte=frozenset({"x", "octal"}),
    unknown="keep",
)
"""PHP's between double quotes."""

CSHARP = Escapes(
    simple={**_C_LIKE, "a": "\a", "0": "\0", "e": "\x1b"},
    hexes={"u": 4, "U": 8},
    pairs=True,
)
"""C#'s. `\\x` takes as many digits as there are, up to four, and is left alone."""

KOTLIN = Escapes(
    simple={"t": "\t", "b": "\b", "n": "\n", "r": "\r", "'": "'", '"': '"', "\\": "\\"}, hexes={"u": 4}, pairs=True
)
"""Kotlin's. `\\$` is left alone, because the grammar does not tell the `$a` of a plain string from text."""

DART = Escapes(
    simple={"n": "\n", "r": "\r", "f": "\f", "b": "\b", "t": "\t", "v": "\v"},
    hexes={"x": 2, "u": 4},
    braces=frozenset("u"),
    unknown="drop",
    pairs=True,
)
"""Dart's."""
