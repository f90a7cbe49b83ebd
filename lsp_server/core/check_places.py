"""The code that a check asks about: the definitions, the parameter, the lines or the whole file that its place names.

Where that is not to be had, or cannot be told, it raises `Undecided` with a sentence that names the mend.
"""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.core import broken
from lsp_server.core.check_facts import Parameter, answers, parameters_of
from lsp_server.core.check_text import Check, cut
from lsp_server.core.fingerprint import line_bytes
from lsp_server.core.languages import Language
from lsp_server.core.model import SourceState, Symbol
from lsp_server.core.source import Source
from lsp_server.core.symbolpath import pick
from lsp_server.core.text import Text

COMPARED = 1000
"""Symbols of a file up to which the nearest is named."""


class Undecided(Exception):
    """Stops where a check cannot be decided."""

    def __init__(self, detail: str, torn: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.torn = torn


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of code that a check asks about; `symbol` is None for lines and whole files."""

    start: int
    end: int
    symbol: Symbol | None


def _unread(source: Source) -> Undecided:
    if source.state is SourceState.GONE:
        return Undecided(f"{source.path} is not there: name the file that has it now.")
    return Undecided(source.message or f"{source.path} cannot be read: see that it can be.")


def text_of(source: Source) -> Text:
    """The text of a source. Raises Undecided where there is none."""
    if source.text is None or source.state is not SourceState.OK:
        raise _unread(source)
    return source.text


def language_in(source: Source) -> Language:
    """The language of a source that was parsed."""
    text_of(source)
    if source.language is None or source.outline is None:
        raise no_outline(source)
    return source.language


def no_outline(source: Source) -> Undecided:
    """What to raise where the code of a file is not understood."""
    why = source.message.rstrip(".") or f"{source.path} is of no language whose code is understood"
    return Undecided(f"{why}: use matches, or exists for the file alone.")


def unanswered(language: Language, what: str) -> Undecided:
    """What to raise where a language cannot answer a form."""
    return Undecided(f"{title_of(language)} has no {what} that checks know: use matches instead.")


def title_of(language: Language) -> str:
    """A language as a sentence names it."""
    return language.name.replace("_", " ")


def torn_around(check: Check) -> Undecided:
    """What to raise where broken syntax may hide what a check asks for."""
    return Undecided(f"The syntax is broken around {check.place}: mend it, and it is judged again.", torn=True)


def is_broken(source: Source) -> bool:
    """Whether there is a syntax error anywhere in a source."""
    return source.outline is not None and source.outline.broken


def path_of(check: Check) -> str:
    """The path of the symbol that a check asks of; empty where it asks of none."""
    return check.locus.symbol or ""


def named_by(source: Source, check: Check) -> tuple[list[Symbol], str | None]:
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


def symbols_of(check: Check, source: Source) -> tuple[list[Symbol], str | None]:
    """As `named_by`. Raises Undecided where there is no such definition."""
    found, parameter = named_by(source, check)
    if found:
        return found, parameter
    if broken.may_hide(source, path_of(check), ()):
        raise torn_around(check)
    raise Undecided(
        f"{path_of(check)} is not in {source.path}{nearest_to(check, source)}: name the place that it has now."
    )


def pieces_of(check: Check, source: Source) -> list[Piece]:
    """The code that a check asks about."""
    text = text_of(source)
    if check.locus.symbol is not None:
        if source.outline is None:
            raise no_outline(source)
        return [Piece(symbol.start, symbol.end, symbol) for symbol in symbols_of(check, source)[0]]
    assert source.text is not None
    if check.locus.lines is not None:
        if check.locus.lines[1] > text.line_count:
            raise Undecided(f"{source.path} has {text.line_count} lines: name lines that it has, or a symbol.")
        return [Piece(*line_bytes(source, check.locus.lines), None)]
    return [Piece(0, len(source.text), None)]


def parameter_of(source: Source, symbol: Symbol, check: Check, name: str) -> Parameter | None:
    """A parameter of a definition; None where it has none of that name. Raises Undecided where the language cannot
    tell."""
    language = source.language
    if language is None or not answers(language, "parameter"):
        raise unanswered(language, "parameters") if language is not None else no_outline(source)
    return next((one for one in parameters_of(source, symbol) if one.name == name), None)


def nearest_to(check: Check, source: Source) -> str:
    """The nearest name to one that is not there, as a sentence adds it; empty where there is none, or a file of many
    symbols."""
    if source.outline is None or check.locus.symbol is None or named_by(source, check)[0]:
        return ""
    if len(source.outline.paths_by("all", lambda path: True)) > COMPARED:
        return ""
    near = source.outline.nearest(check.locus.symbol, 1)
    return f" (the nearest is {cut(near[0])})" if near else ""
