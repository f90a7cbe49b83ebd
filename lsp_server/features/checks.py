"""A memory's checks: read strictly as they are recorded, proposed from its text, and told to people and programs.

Knows the words for outcomes. Refuses to judge (`core.checks`) and to add a check that nobody asked for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lsp_server.core.check_facts import answers, calls_in, is_named, parameters_of, segments
from lsp_server.core.check_values import has_value
from lsp_server.core.checks import Check, Checked, CheckError, Outcome, judge_text, parse_check, read_check
from lsp_server.core.definitions import TookTooLong
from lsp_server.core.locus import LocusError, stored_locus
from lsp_server.core.model import Locus, Memory, Symbol
from lsp_server.core.source import Source
from lsp_server.features.errors import Refused
from lsp_server.features.markdown import code, plain, safe_markdown
from lsp_server.workspace.paths import PathRefused, safe
from lsp_server.workspace.snapshot import Judged, Snapshot

MOST = 50
"""Checks that one memory may carry."""

PROPOSED = 5
"""Checks that are proposed at once."""

NAMED = 50
"""Names in a text that are looked for."""

LONGEST_VALUE = 60
"""Characters of a value that a proposal takes up."""

HISTORY = "The memory is history, and its checks are not judged: restore it first."

MARKS = {True: "✓", False: "✗", None: "?"}


def exact_checks(snapshot: Snapshot, checks: Iterable[str]) -> tuple[str, ...]:
    """Checks as they are kept, each once, in order. Raises Refused for one that is none, or leads out of the root."""
    kept: dict[str, None] = {}
    for text in checks:
        try:
            check = parse_check(text)
            safe(snapshot.root.path, check.locus.file)
        except CheckError as error:
            raise Refused(f"check {plain(text, 60)!r}: {error}") from None
        except PathRefused as error:
            raise Refused(f"check {plain(text, 60)!r}: {error}") from None
        kept[check.text] = None
    if len(kept) > MOST:
        raise Refused(f"a memory carries at most {MOST} checks; leave some out, or record another memory")
    return tuple(kept)


def checks_of(snapshot: Snapshot, memory: Memory) -> tuple[Checked, ...]:
    """The checks of a memory with their outcomes. Of one that is history none is judged, and it is said so."""
    judged = snapshot.checks.get(memory.id)
    if judged is not None:
        return judged
    outcome = Outcome(None, HISTORY)
    read = [(text, read_check(text)) for text in memory.checks]
    return tuple([Checked(text, check if isinstance(check, Check) else None, outcome) for text, check in read])


def checks_json(checks: Sequence[Checked]) -> list[dict[str, Any]]:
    """Each check with its outcome: `holds`, `fails` or `undecidable`, and where it asks now."""
    return [
        {
            "text": one.text,
            "outcome": one.outcome.word,
            "detail": one.outcome.detail,
            "file": one.check.locus.file if one.check is not None else None,
            "symbol": one.check.locus.symbol if one.check is not None else None,
            "lines": list(one.check.locus.lines) if one.check is not None and one.check.locus.lines else None,
        }
        for one in checks
    ]


def contradictions(item: Judged) -> list[str]:
    """What the checks say that fail and are shown at an anchor, a sentence each, with the place where it is another."""
    found = []
    for one in item.contradictions:
        elsewhere = one.check is not None and one.check.locus not in (item.anchor.place, item.anchor.locus)
        names_it = one.check is None or one.check.place in one.outcome.detail
        place = f" ({one.check.place})." if one.check is not None and elsewhere and not names_it else "."
        found.append(one.outcome.detail.rstrip(".") + place)
    return found


def contradiction(item: Judged) -> str:
    """`contradicted: the memory says 30, the code says 60` of the checks that are shown at an anchor; empty where none
    fails."""
    if not item.contradictions:
        return ""
    details = [said.rstrip(".") for said in contradictions(item)]
    return f"contradicted: {'; '.join(detail[:1].lower() + detail[1:] for detail in details)}"


def all_hold(checks: Sequence[Checked]) -> bool:
    return bool(checks) and all(one.outcome.holds for one in checks)


def check_lines(checks: Sequence[Checked]) -> list[str]:
    """A line of Markdown for each check, what fails first, then what cannot be decided."""
    order = {False: 0, None: 1, True: 2}
    lines = []
    for one in sorted(checks, key=lambda one: order[one.outcome.holds]):
        said = "" if one.outcome.holds else f": {safe_markdown(plain(one.outcome.detail, 300))}"
        lines.append(f"- {MARKS[one.outcome.holds]} {code(plain(one.text, 120))}{said}")
    return lines


# -- proposing ---------------------------------------------------------------------------------------------------------

_NAMES = re.compile(r"`([^`\n]+)`|(?<![\w.])([A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*)(\(\))?")
_CODELIKE = re.compile(r"_|\.|::|->|[a-z][A-Z]|^[A-Z][A-Z0-9]{2,}$")


def proposed_checks(snapshot: Snapshot, identifier: str) -> list[str]:
    """Checks that a memory's text suggests and that hold now, at most `PROPOSED`: for the constants, parameters and
    calls that it names in the files of its anchors. What it carries already is left out."""
    memory = snapshot.memories.get(identifier)
    if memory is None or not memory.current:
        return []
    names = list(itertools.islice(dict.fromkeys(named_in(memory.body)), NAMED))
    found: dict[str, None] = {}
    for anchor in memory.anchors if names else ():
        for check in _suggested(snapshot.read(anchor.place.file), anchor.place, names, memory.body):
            if check not in memory.checks and judge_text(check, snapshot.read).holds:
                found.setdefault(check)
            if len(found) == PROPOSED:
                return list(found)
    return list(found)


def still_checked(snapshot: Snapshot, memory: Memory) -> tuple[str, ...]:
    """The checks that a memory's successor takes over: those that the code as it is does not contradict."""
    checks = snapshot.checks.get(memory.id, ())
    return tuple([one.text for one in checks if one.check is not None and one.outcome.holds is not False])


def named_in(text: str) -> Iterator[str]:
    """The names in a text that are meant as code: in backticks, called, or written as no word is."""
    for quoted, bare, called in _NAMES.findall(text):
        name = quoted.strip().removesuffix("()") if quoted else bare
        if name and (quoted or called or _CODELIKE.search(name)) and not name.isdecimal():
            yield name


def _suggested(source: Source, place: Locus, names: Sequence[str], text: str) -> Iterator[str]:
    outline, language = source.outline, source.language
    if outline is None or language is None or source.text is None:
        return
    anchored = outline.by_path(place.symbol)[:1] if place.symbol is not None else ()
    wanted = {path[-1]: path for name in names if (path := segments(name))}
    for symbol in outline.symbols if wanted else ():
        named = wanted.get(symbol.name)
        if named is not None and is_named(segments(symbol.path), named) and (check := _of_symbol(source, symbol, text)):
            yield check
    for symbol in anchored:
        try:
            yield from _of_anchored(source, symbol, names, text)
        except TookTooLong:
            return


def _of_symbol(source: Source, symbol: Symbol, text: str) -> str | None:
    """What a text may say of a definition that it names: its value, where it says that too, else that it is there."""
    locus = _stored(source, symbol)
    if locus is None or source.language is None:
        return None
    if has_value(symbol, source.language) and symbol.body is not None and source.text is not None:
        value = " ".join(source.text.slice(*symbol.body).decode("utf-8", "replace").split())
        if _says(text, value):
            return f"equals {locus} {value}"
    return f"exists {locus}"


def _of_anchored(source: Source, symbol: Symbol, names: Sequence[str], text: str) -> Iterator[str]:
    """What a text may say of the definition that it is anchored to: a default, a call."""
    locus = _stored(source, symbol)
    language = source.language
    if locus is None or language is None or source.text is None:
        return
    if answers(language, "default"):
        for parameter in parameters_of(source, symbol):
            if parameter.default is not None and parameter.name in names:
                value = source.text.slice(parameter.default.start_byte, parameter.default.end_byte).decode()
                if _says(text, value):
                    yield f"equals {locus}({parameter.name}) {value}"
    if answers(language, "call"):
        called = calls_in(source, symbol.start, symbol.end)
        for name in names:
            if any(call.certain and is_named(call.path, segments(name)) for call in called if segments(name)):
                yield f"calls {locus} {name}"


def _says(text: str, value: str) -> bool:
    """Whether a text says a value, by itself or without its quotes."""
    bare = value.strip("\"'`")
    if not bare or len(value) > LONGEST_VALUE or "\n" in value:
        return False
    return re.search(rf"(?<![\w.]){re.escape(bare)}(?![\w]|\.\w)", text) is not None


def _stored(source: Source, symbol: Symbol) -> str | None:
    """A symbol's place as a check writes it; None where it is one of several, or cannot be written."""
    if symbol.occurrence != (1, 1) or " " in source.path:
        return None
    try:
        return stored_locus(Locus(source.path, symbol.path))
    except LocusError:
        return None
