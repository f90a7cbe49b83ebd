"""How each form of check is judged in a source.

Outcomes say both sides and hold no positions. Refuses to take what it cannot tell for a failure: it raises `Undecided`,
or answers an outcome that holds neither way.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lsp_server.core import broken
from lsp_server.core.check_facts import (
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
    segments,
)
from lsp_server.core.check_patterns import PatternError, TooMuch, has_match
from lsp_server.core.check_places import (
    Piece,
    Undecided,
    is_broken,
    language_in,
    named_by,
    nearest_to,
    no_outline,
    parameter_of,
    path_of,
    pieces_of,
    symbols_of,
    text_of,
    title_of,
    torn_around,
    unanswered,
)
from lsp_server.core.check_text import FORMS, Check, cut
from lsp_server.core.check_values import READERS, WITHOUT, Compared, compare_code, compare_setting, has_value
from lsp_server.core.languages import Language
from lsp_server.core.model import SourceState, Symbol
from lsp_server.core.source import Source

NAMED = 5
"""Names that a sentence lists."""

OCCURRENCES = 200
"""Places where a name stands that are looked at."""

LISTED = 20_000
"""Bytes of code up to which it is listed what is called in it."""


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


def supports(form: str, language: Language) -> bool:
    """Whether a form can be answered in a language."""
    asks = FORMS[form].asks
    if asks == "value":
        return language.name not in WITHOUT
    return asks in ("outline", "text") or answers(language, asks)


def has_defaults(language: Language) -> bool:
    """Whether parameters with defaults are known in a language."""
    return answers(language, "default")


def _judge_exists(check: Check, source: Source) -> Outcome:
    there = _is_there(check, source)
    wanted = check.form == "exists"
    if there is True:
        said = f"{check.place} is there"
        return Outcome(True, f"{said}.") if wanted else _failing(f"{check.place} is not there", "it is")
    if not wanted:
        return Outcome(True, f"{check.place} is not there.")
    return _failing(f"{check.place} is there", "it is not" + nearest_to(check, source))


def _is_there(check: Check, source: Source) -> bool:
    locus = check.locus
    if source.state is SourceState.GONE:
        return False
    if source.state in (SourceState.OUTSIDE, SourceState.UNREADABLE):
        raise Undecided(source.message or f"{source.path} cannot be read.")
    if locus.symbol is None and locus.lines is None:
        return True
    text = text_of(source)
    if locus.lines is not None:
        return locus.lines[1] <= text.line_count
    if source.outline is None:
        raise no_outline(source)
    symbols, parameter = named_by(source, check)
    if not symbols:
        if broken.may_hide(source, path_of(check), ()):
            raise torn_around(check)
        return False
    if parameter is None:
        return True
    return any(parameter_of(source, symbol, check, parameter) is not None for symbol in symbols)


def _judge_equals(check: Check, source: Source) -> Outcome:
    language = language_in(source)
    if not supports(check.form, language):
        raise unanswered(language, "values")
    symbols, parameter = symbols_of(check, source)
    if parameter is not None and not has_defaults(language):
        raise Undecided(f"{title_of(language)} has no defaults of parameters that checks know: name a constant.")
    results: list[Outcome] = []
    for symbol in symbols:
        if broken.torn(source, symbol, ()):
            raise torn_around(check)
        if parameter is not None:
            found = parameter_of(source, symbol, check, parameter)
            if found is None:
                results.append(Outcome(None, f"{symbol.path} has no parameter {parameter}: name one that it has."))
            elif found.default is None:
                results.append(_failing(f"{check.place} is {cut(check.argument)}", "it has no default"))
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
    written = cut(found.written)
    if found.equal:
        return Outcome(True, f"The memory and the code say {cut(check.argument)}.")
    if found.equal is None:
        return Outcome(
            None, f"The memory says {cut(check.argument)}, the code works it out: {written}: compare them by hand."
        )
    return Outcome(False, f"The memory says {cut(check.argument)}, the code says {written}.")


def _judge_calls(check: Check, source: Source) -> Outcome:
    wanted = check.form == "calls"
    language = language_in(source)
    if not answers(language, "call"):
        raise unanswered(language, "calls")
    name = segments(check.argument)
    pieces = pieces_of(check, source)
    results: list[Outcome] = []
    for piece in pieces:
        found = _called(source, piece, name)
        if found.holds is None:
            if broken.torn(source, piece.symbol, ()) if piece.symbol is not None else is_broken(source):
                raise torn_around(check)
            results.append(Outcome(None, found.detail))
        elif found.holds:
            said = f"{check.place} calls {check.argument}"
            results.append(
                Outcome(True, f"{said}.")
                if wanted
                else _failing(f"{check.place} does not call {check.argument}", f"it does: {found.detail}")
            )
        else:
            if broken.torn(source, piece.symbol, ()) if piece.symbol is not None else is_broken(source):
                raise torn_around(check)
            results.append(
                _failing(f"{check.place} calls {check.argument}", found.detail)
                if wanted
                else Outcome(True, f"{check.place} does not call {check.argument}.")
            )
    return _agreed(check, [piece.symbol for piece in pieces], results)


def _called(source: Source, piece: Piece, name: Sequence[str]) -> Outcome:
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
            return Outcome(True, cut(_line(source, call.start, call.end)))
        if named is None or (named and not call.certain):
            shown = cut(".".join(call.path)) + ("" if call.certain else "[…]")
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


def _occurrences(source: Source, piece: Piece, name: str) -> Iterator[tuple[int, int]]:
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
    language = language_in(source)
    if not answers(language, "import"):
        raise unanswered(language, "imports")
    place = Piece(0, len(text_of(source)), None)
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
            maybe = maybe or f"{source.path} imports {cut(one.module)}, which may bring {check.argument}: look at it."
    if maybe:
        raise Undecided(maybe)
    if is_broken(source):
        raise torn_around(check)
    return _failing(f"{source.path} imports {check.argument}", f"it imports {_listed(one.module for one in found)}")


def _judge_decorated(check: Check, source: Source) -> Outcome:
    language = language_in(source)
    if not answers(language, "decorator"):
        raise unanswered(language, "decorators")
    symbols, _ = symbols_of(check, source)
    facts = facts_of(source)
    suffix = facts.suffix if facts is not None else ""
    wanted = _without(segments(check.argument), suffix)
    results: list[Outcome] = []
    for symbol in symbols:
        found = decorators_of(source, symbol)
        if any(is_named(_without(path, suffix), wanted) for path in found):
            results.append(Outcome(True, f"{check.place} is decorated with {check.argument}."))
        elif broken.torn(source, symbol, ()):
            raise torn_around(check)
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
    language = language_in(source)
    if not answers(language, "base"):
        raise unanswered(language, "bases")
    symbols, _ = symbols_of(check, source)
    wanted = segments(check.argument)
    results: list[Outcome] = []
    for symbol in symbols:
        found = bases_of(source, symbol)
        plain = [path for path, certain in found if certain]
        if any(is_named(path, wanted) for path in plain):
            results.append(Outcome(True, f"{check.place} builds on {check.argument}."))
        elif broken.torn(source, symbol, ()):
            raise torn_around(check)
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
    text = text_of(source)
    shown = f"/{cut(check.argument)}/{check.flags}"
    results: list[Outcome] = []
    pieces = pieces_of(check, source)
    for piece in pieces:
        try:
            found = has_match(check.argument, check.flags, text.slice(piece.start, piece.end))
        except PatternError as error:
            raise Undecided(f"{shown} cannot be used as a pattern: {error}.") from None
        except TooMuch:
            raise Undecided(
                f"{check.place} is too long for {shown}: name a smaller place, or a shorter pattern."
            ) from None
        if found:
            results.append(Outcome(True, f"{check.place} matches {shown}."))
        elif piece.symbol is not None and broken.torn(source, piece.symbol, ()):
            raise torn_around(check)
        else:
            results.append(_failing(f"{check.place} matches {shown}", "nothing in it does"))
    return _agreed(check, [piece.symbol for piece in pieces], results)


JUDGES: Mapping[str, Callable[[Check, Source], Outcome]] = {
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
        f"{check.locus} is defined {len(symbols)} times and they differ in this: name one as {path_of(check)}[1].",
    )


def _failing(memory: str, code: str) -> Outcome:
    return Outcome(False, f"The memory says that {memory}; in the code {code}.")


def _listed(names: Iterable[str]) -> str:
    found = list(dict.fromkeys(names))
    if not found:
        return "nothing"
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return ", ".join(cut(name) for name in found[:NAMED]) + more


def _line(source: Source, start: int, end: int) -> str:
    assert source.text is not None
    line = source.text.line(source.text.point(start).line)
    return " ".join(line.decode("utf-8", "replace").split())
