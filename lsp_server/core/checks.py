"""Checks: conditions on the code that a memory carries, one line each, and whether they hold.

    exists L            absent L
    equals L LITERAL    matches L /PATTERN/
    calls L NAME        not-calls L NAME
    imports FILE MODULE
    decorated L NAME    base L NAME

`L` is a locus as it is stored, in `equals`, `exists` and `absent` also `FILE#SYMBOL(PARAMETER)` for a parameter and its
default. A place with white space in it, outside of a symbol's own quotes, is written as a JSON string.

A check holds, fails, or cannot be decided: what a language cannot answer, what is computed, and what broken syntax may
hide, is never taken for a failure. Outcomes say both sides and hold no positions, so that they stay equal while code
moves. Refuses to know files, memories and caches; what a language can answer is `core.check_facts`.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from lsp_server.core import broken
from lsp_server.core.check_facts import (
    Parameter,
    answers,
    bases_of,
    calls_at,
    calls_in,
    decorators_of,
    facts_of,
    imports_of,
    is_imported,
    is_named,
    last_of,
    may_have_more_bases,
    parameters_of,
    segments,
)
from lsp_server.core.check_patterns import FLAGS, PatternError, TooMuch, check_pattern, has_match
from lsp_server.core.check_values import READERS, WITHOUT, Compared, compare_code, compare_setting, has_value
from lsp_server.core.definitions import TookTooLong
from lsp_server.core.fingerprint import line_bytes
from lsp_server.core.languages import Language
from lsp_server.core.locus import LocusError, parse_stored_locus, stored_locus
from lsp_server.core.model import Anchor, Level, Locus, Memory, SourceState, Span, Symbol, Verdict
from lsp_server.core.source import Source
from lsp_server.core.symbolpath import pick
from lsp_server.core.text import Text

LONGEST = 1000
"""Characters of a check."""

MOST = 50
"""Checks of one memory that are judged."""

NAMED = 5
"""Names that a sentence lists."""

QUOTED = 60
"""Characters of code that a sentence quotes."""

OCCURRENCES = 200
"""Places where a name stands that are looked at."""

LISTED = 20_000
"""Bytes of code up to which it is listed what is called in it."""

COMPARED = 1000
"""Symbols of a file up to which the nearest is named."""

BY = "by"
"""Key of the front matter that says by what a memory goes."""

BY_CHECKS = "The code changed; the memory goes by its checks, and every one holds."

Look = Callable[[str], Source]


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a check holds, None where it cannot be decided, and one sentence that says both sides. `torn` says that
    it is broken syntax alone that leaves it undecided."""

    holds: bool | None
    detail: str
    torn: bool = False

    @property
    def word(self) -> str:
        """`holds`, `fails` or `undecidable`: what `--json` calls it."""
        return {True: "holds", False: "fails", None: "undecidable"}[self.holds]


@dataclass(frozen=True, slots=True)
class Checked:
    """A check of a memory with its outcome. `check` is None where the text is none. `saved` is the outcome when the
    file that it asks of was opened or saved last, None where no editor has that open."""

    text: str
    check: Check | None
    outcome: Outcome
    saved: Outcome | None = None


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
        raise CheckError(f"no check {_cut(name) or 'without a form'}; {hint}forms: {', '.join(FORMS)}")
    place, argument = _split(rest.strip(), form)
    locus, parameter = _locus(place, form)
    flags = ""
    if form.takes and not argument:
        raise CheckError(f"{form.name} needs {form.takes} after the place, like: {form.example}")
    if not form.takes and argument:
        raise CheckError(f"{form.name} takes a place alone; leave out {_cut(argument)}, or quote a place with spaces")
    if form.takes == "/PATTERN/":
        argument, flags = _pattern(argument, form)
    elif form.takes in ("NAME", "MODULE"):
        if form.takes == "NAME" and (len(argument.split()) > 1 or not segments(argument)):
            raise CheckError(f"{form.name} takes one name, not {_cut(argument)}, like: {form.example}")
        if form.takes == "MODULE" and argument[:1] in "\"'<" and argument[-1:] in "\"'>":
            argument = argument[1:-1]
    return Check(text, form.name, locus, parameter, argument, flags)


def judge_check(check: Check, look: Look) -> Outcome:
    """Whether a check holds in the code as it is.

    `look` gives the present source of a file, with state GONE where there is none. Total: what goes wrong on the way is
    an outcome that says so.
    """
    source = look(check.locus.file)
    try:
        return _JUDGES[check.form](check, source)
    except _Undecided as stopped:
        return Outcome(None, stopped.detail, stopped.torn)
    except TookTooLong:
        return Outcome(None, f"{source.path} took too long to look through: name a smaller place than {check.place}.")


def judge_text(text: str, look: Look) -> Outcome:
    """As `judge_check`, of a check as it is written; one that cannot be read is undecidable, and says the mend."""
    read = read_check(text)
    return judge_check(read, look) if isinstance(read, Check) else Outcome(None, f"It is no check: {read}.")


@lru_cache(maxsize=2048)
def read_check(text: str) -> Check | str:
    """The check, or what is wrong with the text."""
    try:
        return parse_check(text)
    except CheckError as error:
        return str(error)


def reads_symbol_alone(check: Check, source: Source) -> bool:
    """Whether an outcome depends on nothing but the code of the symbols with the check's path, given that these are
    there, so that it stays while edits touch none of them."""
    return (
        check.locus.symbol is not None
        and check.form in ("equals", "calls", "not-calls", "decorated", "matches")
        and source.outline is not None
        and bool(source.outline.by_path(check.locus.symbol))
    )


def span_of(check: Check, source: Source) -> Span:
    """The bytes at which a check is shown in its file: the symbol's name, the lines, or the file's first line."""
    text, outline = source.text, source.outline
    if text is None:
        return Span(0, 0)
    if check.locus.symbol is not None and outline is not None:
        for symbol in _named(source, check)[0]:
            return Span(symbol.name_start, symbol.name_end)
    if check.locus.lines is not None and check.locus.lines[1] <= text.line_count:
        start, end = line_bytes(source, check.locus.lines)
        return Span(start, start + len(text.slice(start, end).rstrip()))
    return Span(0, 0)


def shown_at(memory: Memory, check: Check | None) -> str | None:
    """The id of the anchor at which a check of a memory is shown: the one on its place, else the first in its file,
    else the memory's first. Of a memory that has none, what stands for one (`standing_id`)."""
    if not memory.anchors:
        return standing_id(check) if check is not None else None
    if check is not None:
        for anchor in memory.anchors:
            if check.locus in (anchor.place, anchor.locus):
                return anchor.id
        for anchor in memory.anchors:
            if check.locus.file == anchor.place.file:
                return anchor.id
    return memory.anchors[0].id


def standing_id(check: Check) -> str:
    """The id of what stands for an anchor where a memory without one is shown at the place of its check."""
    return f"check {check.text}"


def followed(check: Check, anchor: Anchor, verdict: Verdict) -> Check:
    """The check where an anchor's code is now, if it asks of the place that the anchor has or was followed from. What
    asks for a name alone stays with the name, and a place that somebody tied the anchor away from is not its place."""
    now = verdict.now
    if check.form in ("exists", "absent") or now is None or check.locus not in tied(anchor):
        return check
    if check.locus.symbol is not None:
        place = Locus(now.file, now.symbol) if now.symbol is not None else check.locus
    elif check.locus.lines is not None:
        place = Locus(now.file, lines=(now.start_line, now.end_line)) if now.symbol is None else check.locus
    else:
        place = Locus(now.file)
    return check if place == check.locus else replace(check, locus=place)


def tied(anchor: Anchor) -> set[Locus]:
    """The places of an anchor since it was tied to where it is tied now."""
    return {anchor.locus} | {step.place for step in anchor.followed if step.base == anchor.locus}


def goes_by_checks(memory: Memory) -> bool:
    """Whether a memory goes by its checks alone: `by: checks` in its front matter."""
    return bool(memory.checks) and memory.unknown.get(BY) == "checks"


def by_checks(verdict: Verdict, checked: Sequence[Checked]) -> Verdict:
    """The verdict on an anchor of a memory that goes by its checks: changed code is as good as accepted while every
    check holds."""
    if verdict.level is not Level.CHANGED or not all(one.outcome.holds for one in checked):
        return verdict
    return replace(verdict, level=Level.FRESH, reason=None, detail=BY_CHECKS, members=())


def supports(form: str, language: Language) -> bool:
    """Whether a form can be answered in a language."""
    asks = FORMS[form].asks
    if asks == "value":
        return language.name not in WITHOUT
    return asks in ("outline", "text") or answers(language, asks)


def has_defaults(language: Language) -> bool:
    """Whether parameters with defaults are known in a language."""
    return answers(language, "default")


# -- reading -----------------------------------------------------------------------------------------------------------

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
            raise CheckError(f"{_cut(place)} is no JSON string; write a backslash twice") from None
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
        raise CheckError(f"/{_cut(found['inner'])}/ cannot be used as a pattern: {error}") from None
    return found["inner"], found["flags"]


# -- judging -----------------------------------------------------------------------------------------------------------


class _Undecided(Exception):
    """Stops where a check cannot be decided."""

    def __init__(self, detail: str, torn: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.torn = torn


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of code that a check asks about; `symbol` is None for lines and whole files."""

    start: int
    end: int
    symbol: Symbol | None


def _judge_exists(check: Check, source: Source) -> Outcome:
    there = _is_there(check, source)
    wanted = check.form == "exists"
    if there is True:
        said = f"{check.place} is there"
        return Outcome(True, f"{said}.") if wanted else _failing(f"{check.place} is not there", "it is")
    if not wanted:
        return Outcome(True, f"{check.place} is not there.")
    return _failing(f"{check.place} is there", "it is not" + _nearest(check, source))


def _is_there(check: Check, source: Source) -> bool:
    locus = check.locus
    if source.state is SourceState.GONE:
        return False
    if source.state in (SourceState.OUTSIDE, SourceState.UNREADABLE):
        raise _Undecided(source.message or f"{source.path} cannot be read.")
    if locus.symbol is None and locus.lines is None:
        return True
    text = _text(source)
    if locus.lines is not None:
        return locus.lines[1] <= text.line_count
    if source.outline is None:
        raise _no_outline(source)
    symbols, parameter = _named(source, check)
    if not symbols:
        if broken.may_hide(source, _bare(check), ()):
            raise _torn(check)
        return False
    if parameter is None:
        return True
    return any(_parameter(source, symbol, check, parameter) is not None for symbol in symbols)


def _judge_equals(check: Check, source: Source) -> Outcome:
    language = _language(source)
    if not supports(check.form, language):
        raise _unanswered(language, "values")
    symbols, parameter = _symbols(check, source)
    if parameter is not None and not has_defaults(language):
        raise _Undecided(f"{_title(language)} has no defaults of parameters that checks know: name a constant.")
    results: list[Outcome] = []
    for symbol in symbols:
        if broken.torn(source, symbol, ()):
            raise _torn(check)
        if parameter is not None:
            found = _parameter(source, symbol, check, parameter)
            if found is None:
                results.append(Outcome(None, f"{symbol.path} has no parameter {parameter}: name one that it has."))
            elif found.default is None:
                results.append(_failing(f"{check.place} is {_cut(check.argument)}", "it has no default"))
            else:
                results.append(_compared(check, compare_code(source, found.default, check.argument)))
        else:
            results.append(_value(check, source, symbol, language))
    return _agreed(check, symbols, results)


def _value(check: Check, source: Source, symbol: Symbol, language: Language) -> Outcome:
    if not has_value(symbol, language):
        sort = symbol.kind.replace("_", " ")
        way = f": name one of its parameters as {symbol.path}(NAME)" if has_defaults(language) else ""
        if symbol.body is None:
            return Outcome(None, f"{check.place} is given no value there: name the place that gives it one.")
        return Outcome(None, f"{check.place} is a {sort}, which has no value{way or ': name a constant'}.")
    if language.name in READERS:
        return _compared(check, compare_setting(source, symbol, check.argument))
    node = source.body_node(symbol)
    assert node is not None
    return _compared(check, compare_code(source, node, check.argument, macro=symbol.kind == "macro"))


def _compared(check: Check, found: Compared) -> Outcome:
    written = _cut(found.written)
    if found.equal:
        return Outcome(True, f"The memory and the code say {_cut(check.argument)}.")
    if found.equal is None:
        return Outcome(
            None, f"The memory says {_cut(check.argument)}, the code works it out: {written}: compare them by hand."
        )
    return Outcome(False, f"The memory says {_cut(check.argument)}, the code says {written}.")


def _judge_calls(check: Check, source: Source) -> Outcome:
    wanted = check.form == "calls"
    language = _language(source)
    if not answers(language, "call"):
        raise _unanswered(language, "calls")
    name = segments(check.argument)
    pieces = _pieces(check, source)
    results: list[Outcome] = []
    for piece in pieces:
        found = _called(source, piece, name)
        if found.holds is None:
            if broken.torn(source, piece.symbol, ()) if piece.symbol is not None else _is_broken(source):
                raise _torn(check)
            results.append(Outcome(None, found.detail))
        elif found.holds:
            said = f"{check.place} calls {check.argument}"
            results.append(
                Outcome(True, f"{said}.")
                if wanted
                else _failing(f"{check.place} does not call {check.argument}", f"it does: {found.detail}")
            )
        else:
            if broken.torn(source, piece.symbol, ()) if piece.symbol is not None else _is_broken(source):
                raise _torn(check)
            results.append(
                _failing(f"{check.place} calls {check.argument}", found.detail)
                if wanted
                else Outcome(True, f"{check.place} does not call {check.argument}.")
            )
    return _agreed(check, [piece.symbol for piece in pieces], results)


def _called(source: Source, piece: _Piece, name: Sequence[str]) -> Outcome:
    """Whether a name is called in a piece of code, with what is called there instead, or why it cannot be told."""
    assert source.text is not None
    written = ".".join(name)
    places = list(_occurrences(source, piece, name[-1]))
    if len(places) > OCCURRENCES:
        return Outcome(None, f"{written} stands there more than {OCCURRENCES} times: name a smaller place.")
    calls = calls_at(source, places, piece.start, piece.end) if places else []
    maybe = ""
    for call in calls:
        named = is_named(call.path, name)
        if named and call.certain:
            return Outcome(True, _cut(_line(source, call.start, call.end)))
        if named is None or (named and not call.certain):
            shown = _cut(".".join(call.path)) + ("" if call.certain else "[…]")
            maybe = maybe or f"It calls {shown}, which may be {written}: look at it."
    if maybe:
        return Outcome(None, maybe)
    own = (piece.symbol.name_start, piece.symbol.name_end) if piece.symbol is not None else (-1, -1)
    others = [(call.start, call.end) for call in calls]
    if len(name) == 1 and any(_is_mentioned(source, place, others) for place in places if place != own):
        return Outcome(None, f"It names {written} and does not call it itself: look at what becomes of it.")
    if piece.symbol is None or piece.end - piece.start > LISTED:
        return Outcome(False, "nothing there does")
    called = calls_in(source, piece.start, piece.end)
    return Outcome(False, f"it calls {_listed('.'.join(call.path) for call in called if call.path)}")


def _occurrences(source: Source, piece: _Piece, name: str) -> Iterator[tuple[int, int]]:
    """The bytes of a piece of code in which a name stands by itself, at most one more than `OCCURRENCES`."""
    assert source.text is not None
    if name:
        data = source.text.slice(piece.start, piece.end)
        # What precedes is looked at afterwards: a pattern that begins with plain letters is found much faster.
        found = re.finditer(re.escape(name.encode()) + rb"(?![\w\x80-\xff])", data)
        whole = (match for match in found if not _WORD_ENDS.search(data, max(0, match.start() - 1), match.start()))
        for match in itertools.islice(whole, OCCURRENCES + 1):
            yield piece.start + match.start(), piece.start + match.end()


def _is_mentioned(source: Source, place: tuple[int, int], calls: Sequence[tuple[int, int]]) -> bool:
    """Whether a place is a name in code, outside of comments, strings and what calls others."""
    assert source.tree is not None
    node = source.tree.root_node.named_descendant_for_byte_range(*place)
    if node is None or node.byte_range != place or not _IDENTIFIER.search(node.type):
        return False
    return not any(start <= place[0] and place[1] <= end for start, end in calls)


_WORD_ENDS = re.compile(rb"[\w\x80-\xff]")

_IDENTIFIER = re.compile(r"identifier$|^name$|^constant$|^word$")


def _judge_imports(check: Check, source: Source) -> Outcome:
    language = _language(source)
    if not answers(language, "import"):
        raise _unanswered(language, "imports")
    place = _Piece(0, len(_text(source)), None)
    for start, end in _occurrences(source, place, last_of(source, check.argument)):
        if any(is_imported(source, one, check.argument) for one in imports_of(source, start, end)):
            return Outcome(True, f"{source.path} imports {check.argument}.")
    found = imports_of(source)
    maybe = ""
    for one in found:
        brought = is_imported(source, one, check.argument)
        if brought:
            return Outcome(True, f"{source.path} imports {check.argument}.")
        if brought is None:
            maybe = maybe or f"{source.path} imports {_cut(one.module)}, which may bring {check.argument}: look at it."
    if maybe:
        raise _Undecided(maybe)
    if _is_broken(source):
        raise _torn(check)
    return _failing(f"{source.path} imports {check.argument}", f"it imports {_listed(one.module for one in found)}")


def _judge_decorated(check: Check, source: Source) -> Outcome:
    language = _language(source)
    if not answers(language, "decorator"):
        raise _unanswered(language, "decorators")
    symbols, _ = _symbols(check, source)
    facts = facts_of(source)
    suffix = facts.suffix if facts is not None else ""
    wanted = _without(segments(check.argument), suffix)
    results: list[Outcome] = []
    for symbol in symbols:
        found = decorators_of(source, symbol)
        if any(is_named(_without(path, suffix), wanted) for path in found):
            results.append(Outcome(True, f"{check.place} is decorated with {check.argument}."))
        elif broken.torn(source, symbol, ()):
            raise _torn(check)
        elif any(is_named(_without(path, suffix), wanted) is None for path in found):
            results.append(Outcome(None, f"{check.place} has a decorator that may be {check.argument}: look at it."))
        else:
            listed = _listed(".".join(path) for path in found)
            results.append(
                _failing(f"{check.place} is decorated with {check.argument}", f"it is decorated with {listed}")
            )
    return _agreed(check, symbols, results)


def _without(path: Sequence[str], suffix: str) -> tuple[str, ...]:
    return (*path[:-1], path[-1].removesuffix(suffix) or path[-1]) if path and suffix else tuple(path)


def _judge_base(check: Check, source: Source) -> Outcome:
    language = _language(source)
    if not answers(language, "base"):
        raise _unanswered(language, "bases")
    symbols, _ = _symbols(check, source)
    wanted = segments(check.argument)
    results: list[Outcome] = []
    for symbol in symbols:
        found = bases_of(source, symbol)
        plain = [path for path, certain in found if certain]
        if any(is_named(path, wanted) for path in plain):
            results.append(Outcome(True, f"{check.place} builds on {check.argument}."))
        elif broken.torn(source, symbol, ()):
            raise _torn(check)
        elif len(plain) < len(found) or any(is_named(path, wanted) is None for path in plain):
            results.append(Outcome(None, f"{check.place} has a base that may be {check.argument}: look at it."))
        elif may_have_more_bases(source, symbol):
            listed = _listed(".".join(path) for path in plain)
            results.append(
                Outcome(
                    None, f"Here {check.place} builds on {listed}; other files may add {check.argument}: look there."
                )
            )
        else:
            listed = _listed(".".join(path) for path in plain)
            results.append(_failing(f"{check.place} builds on {check.argument}", f"it builds on {listed}"))
    return _agreed(check, symbols, results)


def _judge_matches(check: Check, source: Source) -> Outcome:
    text = _text(source)
    shown = f"/{_cut(check.argument)}/{check.flags}"
    results: list[Outcome] = []
    pieces = _pieces(check, source)
    for piece in pieces:
        try:
            found = has_match(check.argument, check.flags, text.slice(piece.start, piece.end))
        except PatternError as error:
            raise _Undecided(f"{shown} cannot be used as a pattern: {error}.") from None
        except TooMuch:
            raise _Undecided(
                f"{check.place} is too long for {shown}: name a smaller place, or a shorter pattern."
            ) from None
        if found:
            results.append(Outcome(True, f"{check.place} matches {shown}."))
        elif piece.symbol is not None and broken.torn(source, piece.symbol, ()):
            raise _torn(check)
        else:
            results.append(_failing(f"{check.place} matches {shown}", "nothing in it does"))
    return _agreed(check, [piece.symbol for piece in pieces], results)


_JUDGES: Mapping[str, Callable[[Check, Source], Outcome]] = {
    "exists": _judge_exists,
    "absent": _judge_exists,
    "equals": _judge_equals,
    "calls": _judge_calls,
    "not-calls": _judge_calls,
    "imports": _judge_imports,
    "decorated": _judge_decorated,
    "base": _judge_base,
    "matches": _judge_matches,
}


def _agreed(check: Check, symbols: Sequence[Symbol | None], results: Sequence[Outcome]) -> Outcome:
    """What all definitions with one path say; undecided where they do not say the same."""
    if len({outcome.holds for outcome in results}) == 1:
        return results[0]
    return Outcome(
        None,
        f"{check.locus} is defined {len(symbols)} times and they differ in this: name one as {_bare(check)}[1].",
    )


def _failing(memory: str, code: str) -> Outcome:
    return Outcome(False, f"The memory says that {memory}; in the code {code}.")


def _unread(source: Source) -> _Undecided:
    if source.state is SourceState.GONE:
        return _Undecided(f"{source.path} is not there: name the file that has it now.")
    return _Undecided(source.message or f"{source.path} cannot be read: see that it can be.")


def _text(source: Source) -> Text:
    if source.text is None or source.state is not SourceState.OK:
        raise _unread(source)
    return source.text


def _language(source: Source) -> Language:
    """The language of a source that was parsed."""
    _text(source)
    if source.language is None or source.outline is None:
        raise _no_outline(source)
    return source.language


def _no_outline(source: Source) -> _Undecided:
    why = source.message.rstrip(".") or f"{source.path} is of no language whose code is understood"
    return _Undecided(f"{why}: use matches, or exists for the file alone.")


def _unanswered(language: Language, what: str) -> _Undecided:
    return _Undecided(f"{_title(language)} has no {what} that checks know: use matches instead.")


def _title(language: Language) -> str:
    return language.name.replace("_", " ")


def _torn(check: Check) -> _Undecided:
    return _Undecided(f"The syntax is broken around {check.place}: mend it, and it is judged again.", torn=True)


def _is_broken(source: Source) -> bool:
    return source.outline is not None and source.outline.broken


def _bare(check: Check) -> str:
    return check.locus.symbol or ""


def _named(source: Source, check: Check) -> tuple[list[Symbol], str | None]:
    """The definitions that a check asks of, and the parameter of theirs that it does. A name that is written with
    brackets is taken whole where there is one."""
    outline = source.outline
    assert outline is not None and check.locus.symbol is not None
    path = check.locus.symbol
    if check.parameter is not None:
        whole = outline.by_path(f"{path}({check.parameter})")
        if whole:
            return list(whole), None
    found = list(outline.by_path(path))
    if not found:
        try:
            plain, number = pick(path)
        except ValueError:
            return [], check.parameter
        several = outline.by_path(plain)
        found = [several[number - 1]] if number is not None and number <= len(several) else []
    with_body = [symbol for symbol in found if symbol.body is not None]
    # A prototype, and the head of an overload, say nothing that the definition does not.
    return with_body or found, check.parameter


def _symbols(check: Check, source: Source) -> tuple[list[Symbol], str | None]:
    found, parameter = _named(source, check)
    if found:
        return found, parameter
    if broken.may_hide(source, _bare(check), ()):
        raise _torn(check)
    raise _Undecided(
        f"{_bare(check)} is not in {source.path}{_nearest(check, source)}: name the place that it has now."
    )


def _pieces(check: Check, source: Source) -> list[_Piece]:
    """The code that a check asks about."""
    text = _text(source)
    if check.locus.symbol is not None:
        if source.outline is None:
            raise _no_outline(source)
        return [_Piece(symbol.start, symbol.end, symbol) for symbol in _symbols(check, source)[0]]
    assert source.text is not None
    if check.locus.lines is not None:
        if check.locus.lines[1] > text.line_count:
            raise _Undecided(f"{source.path} has {text.line_count} lines: name lines that it has, or a symbol.")
        return [_Piece(*line_bytes(source, check.locus.lines), None)]
    return [_Piece(0, len(source.text), None)]


def _parameter(source: Source, symbol: Symbol, check: Check, name: str) -> Parameter | None:
    language = source.language
    if language is None or not answers(language, "parameter"):
        raise _unanswered(language, "parameters") if language is not None else _no_outline(source)
    return next((one for one in parameters_of(source, symbol) if one.name == name), None)


def _nearest(check: Check, source: Source) -> str:
    if source.outline is None or check.locus.symbol is None or _named(source, check)[0]:
        return ""
    if len(source.outline.paths_by("all", lambda path: True)) > COMPARED:
        return ""
    near = source.outline.nearest(check.locus.symbol, 1)
    return f" (the nearest is {_cut(near[0])})" if near else ""


def _listed(names: Iterable[str]) -> str:
    found = list(dict.fromkeys(names))
    if not found:
        return "nothing"
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(_cut(name) for name in found[:NAMED]) + more


def _line(source: Source, start: int, end: int) -> str:
    assert source.text is not None
    line = source.text.line(source.text.point(start).line)
    return " ".join(line.decode("utf-8", "replace").split())


def _cut(text: str) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= QUOTED else text[: QUOTED - 1].rstrip() + "…"
