"""Checks as text: what may be written, and how it is read.

Knows the forms and what each takes; refuses to know code. Whatever is wrong with a text is said in one line that names
the mend.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from lsp_server.core.check_facts import segments
from lsp_server.core.check_patterns import FLAGS, PatternError, check_pattern
from lsp_server.core.locus import LocusError, parse_stored_locus, stored_locus
from lsp_server.core.model import Locus

LONGEST = 1000
"""Characters of a check."""

QUOTED = 60
"""Characters of code that a sentence quotes."""


class CheckError(ValueError):
    """A text that is no check. The message is one line that says what to write instead."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form: what is to be written after it, what that asks of a language, and an example."""

    name: str
    takes: str
    asks: str
    example: str


FORMS: Mapping[str, Form] = {
    form.name: form
    for form in (
        Form("exists", "", "outline", "exists src/auth.py#verify"),
        Form("absent", "", "outline", "absent src/auth.py#legacy_login"),
        Form("equals", "LITERAL", "value", "equals src/auth.py#TIMEOUT 30"),
        Form("calls", "NAME", "call", "calls src/auth.py#login audit"),
        Form("not-calls", "NAME", "call", "not-calls src/auth.py#login eval"),
        Form("imports", "MODULE", "import", "imports src/auth.py hmac"),
        Form("decorated", "NAME", "decorator", "decorated src/auth.py#login transactional"),
        Form("base", "NAME", "base", "base src/auth.py#Provider BaseProvider"),
        Form("matches", "/PATTERN/", "text", "matches src/auth.py#login /timeout *= *30/"),
    )
}


@dataclass(frozen=True, slots=True)
class Check:
    """A check as it was read. `parameter` is that of `FILE#SYMBOL(PARAMETER)`; `argument` the literal, the name, the
    module or the pattern as it was written, a pattern without its slashes; `flags` those of a pattern."""

    text: str
    form: str
    locus: Locus
    parameter: str | None = None
    argument: str = ""
    flags: str = ""

    @property
    def place(self) -> str:
        """The place as a sentence says it."""
        return f"{self.locus}({self.parameter})" if self.parameter is not None else str(self.locus)


def parse_check(text: str) -> Check:
    """Reads a check. Raises CheckError with one line that names the mend."""
    text = text.strip()
    if "\n" in text or "\r" in text or "\0" in text:
        raise CheckError("a check is one line; write each check by itself")
    if len(text) > LONGEST:
        raise CheckError(f"a check has at most {LONGEST} characters; shorten it")
    name, _, rest = text.partition(" ")
    form = FORMS.get(name)
    if form is None:
        near = get_close_matches(name, FORMS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise CheckError(f"no check {cut(name) or 'without a form'}; {hint}forms: {', '.join(FORMS)}")
    place, argument = _split(rest.strip(), form)
    locus, parameter = _locus(place, form)
    flags = ""
    if form.takes and not argument:
        raise CheckError(f"{form.name} needs {form.takes} after the place, like: {form.example}")
    if not form.takes and argument:
        raise CheckError(f"{form.name} takes a place alone; leave out {cut(argument)}, or quote a place with spaces")
    if form.takes == "/PATTERN/":
        argument, flags = _pattern(argument, form)
    elif form.takes in ("NAME", "MODULE"):
        if form.takes == "NAME" and (len(argument.split()) > 1 or not segments(argument)):
            raise CheckError(f"{form.name} takes one name, not {cut(argument)}, like: {form.example}")
        if form.takes == "MODULE" and argument[:1] in "\"'<" and argument[-1:] in "\"'>":
            argument = argument[1:-1]
    return Check(text, form.name, locus, parameter, argument, flags)


@lru_cache(maxsize=2048)
def read_check(text: str) -> Check | str:
    """The check, or what is wrong with the text."""
    try:
        return parse_check(text)
    except CheckError as error:
        return str(error)


_PLACE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+')
_PARAMETER = re.compile(r"(?P<symbol>.+)\((?P<name>[\w$*&]+)\)")
_SLASHED = re.compile(rf"/(?P<inner>.*)/(?P<flags>[{FLAGS}]*)", re.DOTALL)


def _split(rest: str, form: Form) -> tuple[str, str]:
    found = _PLACE.match(rest)
    if found is None:
        raise CheckError(f"{form.name} needs a place, like: {form.example}")
    place, argument = found[0], rest[found.end() :].strip()
    if place[0] == '"' and place[-1] == '"' and place.count('"') - place.count('\\"') == 2:
        try:
            place = json.loads(place)
        except ValueError:
            raise CheckError(f"{cut(place)} is no JSON string; write a backslash twice") from None
    return place, argument


def _locus(place: str, form: Form) -> tuple[Locus, str | None]:
    try:
        locus = parse_stored_locus(place)
        stored_locus(locus)
    except LocusError as error:
        raise CheckError(f"{form.name}: {error}") from None
    if locus.file in (".", ".."):
        raise CheckError(f"{form.name} needs a file, like: {form.example}")
    parameter = None
    if locus.symbol is not None and form.name in ("equals", "exists", "absent"):
        found = _PARAMETER.fullmatch(locus.symbol)
        if found is not None:
            locus, parameter = replace(locus, symbol=found["symbol"]), found["name"].lstrip("$*&")
    if form.name == "imports" and (locus.symbol is not None or locus.lines is not None):
        raise CheckError(f"imports asks of a whole file: write {locus.file} alone")
    if form.name in ("equals", "decorated", "base") and locus.symbol is None:
        raise CheckError(f"{form.name} asks of a symbol: write {locus.file}#NAME, like: {form.example}")
    return locus, parameter


def _pattern(argument: str, form: Form) -> tuple[str, str]:
    found = _SLASHED.fullmatch(argument)
    if found is None:
        raise CheckError(f"{form.name} takes a pattern between slashes (flags: {FLAGS}), like: {form.example}")
    try:
        check_pattern(found["inner"], found["flags"])
    except PatternError as error:
        raise CheckError(f"/{cut(found['inner'])}/ cannot be used as a pattern: {error}") from None
    return found["inner"], found["flags"]


def cut(text: str) -> str:
    """A text as a sentence quotes it: on one line, at most `QUOTED` characters."""
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= QUOTED else text[: QUOTED - 1].rstrip() + "…"
