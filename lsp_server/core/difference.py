"""In what a definition differs from what was accepted, as a verdict and as one sentence for people.

The verdict comes from the fingerprints alone. What the sentence names beyond parts comes from the kept text, read
again: which parameter, decorator, field or constant, from what to what, and how many lines. Where that text is not kept
or cannot be read, the names of the parts are all there is to say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from lsp_server.core.fingerprint import code_of
from lsp_server.core.found import since_words, verdict_on
from lsp_server.core.model import Anchor, Baseline, Fingerprint, Level, Reason, Sensitivity, Symbol, Verdict
from lsp_server.core.pieces import Piece, Pieces, pieces_of, shown
from lsp_server.core.rebase import reread
from lsp_server.core.source import Source

NAMED = 3
"""Differences that a sentence names; of more it tells the number."""

WORDS_SHOWN = 3
"""Words that may have taken the place of others for both to be shown; of more the lines are counted."""

LINE = 400
"""Characters of a changed line in which the words are looked for."""

REMEMBERED = 256
"""Kept texts whose pieces are remembered."""

_BODIES = ("body", "value")


def changed(anchor: Anchor, source: Source, symbol: Symbol, baseline: Baseline, present: Fingerprint) -> Verdict:
    """The verdict on a symbol whose code differs from the baseline nearest to it; `present` is that baseline's
    fingerprint in the present scheme."""
    code = code_of(source, symbol)
    since = since_words(baseline)
    if anchor.sensitivity is Sensitivity.INTERFACE and code.interface == present.interface:
        detail = "The interface is what was accepted; what it is made of differs, which this anchor does not watch."
        return verdict_on(anchor, Level.REFORMATTED, None, detail, source, symbol, baseline)
    before, now = dict(present.members), dict(code.members)
    members = _differing(before, now)
    if symbol.container and present.own and present.own == code.own and members:
        detail = f"{_sentence(_members(members, before, now))}{since}."
        verdict = verdict_on(anchor, Level.CHANGED, Reason.MEMBERS, detail, source, symbol, baseline)
        return replace(verdict, members=members)
    reason = Reason.INTERFACE if code.interface != present.interface else Reason.BODY
    parts = _differing(dict(present.parts), dict(code.parts))
    said = _said(source, symbol, baseline, parts)
    if members and symbol.container:
        said += _members(members, before, now)
    detail = f"{_sentence(said or [_plainly(parts)])}{since}."
    return verdict_on(anchor, Level.CHANGED, reason, detail, source, symbol, baseline)


def _differing(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys([*before, *now]) if before.get(name) != now.get(name))


def _members(names: Sequence[str], before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """What became of members, those of one fate together."""
    fates = {
        "changed": [name for name in names if name in before and name in now],
        "new": [name for name in names if name not in before],
        "gone": [name for name in names if name not in now],
    }
    said = []
    for fate, those in fates.items():
        if those:
            verb = fate if fate == "changed" else f"{'is' if len(those) == 1 else 'are'} {fate}"
            said.append(f"{_listed([_code(name) for name in those])} {verb}")
    return said


def _plainly(parts: Sequence[str]) -> str:
    """Only the names of the parts that differ."""
    named = [part for part in parts if part != "declaration"] or list(parts) or ["the code"]
    return f"{_listed(named)} changed"


def _said(source: Source, symbol: Symbol, baseline: Baseline, parts: Sequence[str]) -> list[str]:
    """Each difference in a few words; nothing where the kept text cannot be read."""
    before = _kept(source, baseline)
    if before is None:
        return []
    now = pieces_of(source, symbol)
    said: list[str] = []
    if "parameters" in parts:
        said += _parameters(before.parameters, now.parameters)
    if "decorators" in parts or "attributes" in parts:
        said += _decorators(before.decorators, now.decorators)
    # Under which name it is now is said already.
    labels = [label for label in parts if label != "name" and (label in before.parts or label in now.parts)]
    said += [_part(label, before.parts.get(label, ""), now.parts.get(label, "")) for label in labels]
    if "declaration" in parts and not said:
        said.append(_header(before.header, now.header))
    if symbol.container:
        said += _fields(before.fields, now.fields)
    elif any(label in _BODIES for label in parts):
        said.append(_body(symbol, before.body, now.body, "value" in parts))
    return said


_pieces: dict[tuple[str, ...], Pieces | None] = {}


def _kept(source: Source, baseline: Baseline) -> Pieces | None:
    """The pieces of the kept text, remembered: it does not change while somebody types."""
    language, content = source.language, baseline.content
    if language is None or content is None:
        return None
    path = source.path
    key = (content, baseline.fingerprint.symbol_kind, language.version, path.rpartition(".")[2])
    if key not in _pieces:
        # Read alone, not in place: what is said of one text must not depend on texts that were seen before.
        read = reread(baseline, path, language)
        if len(_pieces) >= REMEMBERED:
            _pieces.clear()
        _pieces[key] = pieces_of(*read) if read is not None else None
    return _pieces[key]


def _parameters(before: Mapping[str, Piece], now: Mapping[str, Piece]) -> Iterator[str]:
    gone, new = [n for n in before if n not in now], [n for n in now if n not in before]
    if len(gone) == len(new) == 1 and list(before).index(gone[0]) == list(now).index(new[0]):
        yield f"parameter {_code(gone[0])} is now {_code(new[0])}"
    else:
        yield from _fate("parameter", new, "new")
        yield from _fate("parameter", gone, "gone")
    both = [name for name in before if name in now]
    different = [name for name in both if before[name].code != now[name].code]
    for name in different:
        yield f"parameter {_code(name)} {_became(before[name], now[name])}"
    if not different and both != [name for name in now if name in before]:
        yield "the order of parameters changed"


def _became(before: Piece, now: Piece) -> str:
    """`changed from 30 to 60`, as far as it can be told in a few words."""
    if before.value != now.value and before.type == now.type:
        if not before.value and shown(now.value):
            return f"now has the default {now.value}"
        if before.value and not now.value:
            return "has no default any more"
        if shown(before.value) and shown(now.value):
            return f"changed from {before.value} to {now.value}"
    if before.value == now.value and before.type != now.type:
        if shown(before.type) and shown(now.type):
            return f"changed from {before.type} to {now.type}"
        if not before.type and shown(now.type):
            return f"is now of type {now.type}"
    if shown(before.text) and shown(now.text) and before.text != now.text:
        return f"changed from {_code(before.text)} to {_code(now.text)}"
    return "changed"


def _decorators(before: Sequence[Piece], now: Sequence[Piece]) -> Iterator[str]:
    gone, new = _beyond(before, now), _beyond(now, before)
    if len(gone) == len(new) == 1:
        yield f"decorator {_code(gone[0])} is now {_code(new[0])}"
        return
    yield from _fate("decorator", new, "new")
    yield from _fate("decorator", gone, "gone")
    if not gone and not new:
        yield "the order of decorators changed"


def _beyond(some: Sequence[Piece], others: Sequence[Piece]) -> list[str]:
    """What some have that others do not have, as it is shown."""
    left = Counter(piece.code for piece in others)
    found = []
    for piece in some:
        left[piece.code] -= 1
        if left[piece.code] < 0:
            found.append(shown(piece.text) or piece.text.split("(")[0])
    return found


def _part(label: str, before: str, now: str) -> str:
    if not before or not now:
        text, fate = (now, "new") if now else (before, "gone")
        return f"{label} {_code(text)} {_is(label)} {fate}" if shown(text) else f"{label} {_is(label)} {fate}"
    if before != now and shown(before) and shown(now):
        return f"{label} changed from {_code(before)} to {_code(now)}"
    return f"{label} changed"


def _header(before: str, now: str) -> str:
    """What of a declaration belongs to no part that has a name: `async`, what another language calls a default."""
    found = _replaced(before, now)
    if found is None:
        return "the declaration changed"
    if all(found):
        return f"in the declaration {_code(found[0])} became {_code(found[1])}"
    fate = "new in" if found[1] else "gone from"
    return f"{_code(found[0] or found[1])} is {fate} the declaration"


def _is(label: str) -> str:
    return "are" if label.endswith("s") else "is"


def _fields(before: Mapping[str, Piece], now: Mapping[str, Piece]) -> Iterator[str]:
    new, gone = [n for n in now if n not in before], [n for n in before if n not in now]
    for names, those, fate in ((new, now, "new"), (gone, before, "gone")):
        for sort in dict.fromkeys(those[name].sort for name in names):
            yield from _fate(sort, [name for name in names if those[name].sort == sort], fate)
    for name, piece in before.items():
        if name in now and piece.code != now[name].code:
            yield f"{piece.sort} {_code(name)} {_became(piece, now[name])}"


def _body(symbol: Symbol, before: str, now: str, is_value: bool) -> str:
    """How much of a body changed: a few words where that is all, else in how many lines."""
    what = "the value" if is_value else "the body"
    if is_value and shown(" ".join(before.split())) and shown(" ".join(now.split())):
        return f"{_code(symbol.name)} changed from {' '.join(before.split())} to {' '.join(now.split())}"
    old, new = _lines(before), _lines(now)
    removed, added = list((Counter(old) - Counter(new)).elements()), list((Counter(new) - Counter(old)).elements())
    if len(removed) == len(added) == 1:
        words = _replaced(removed[0], added[0])
        if words is not None and all(words):
            return f"in {what} {_code(words[0])} became {_code(words[1])}"
    lines = max(len(removed), len(added))
    if not lines:
        return f"the order of lines in {what} changed"
    return f"{what} changed in {lines} {'line' if lines == 1 else 'lines'}"


def _lines(text: str) -> list[str]:
    return [stripped for line in text.splitlines() if (stripped := line.strip())]


def _replaced(before: str, now: str) -> tuple[str, str] | None:
    """The words of one line that took the place of others, either of which may be "" but not both; None where they are
    too many to be shown."""
    if len(before) > LINE or len(now) > LINE:
        return None
    old, new = _words(before), _words(now)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    left = "".join(old[first : len(old) - last]).strip(), "".join(new[first : len(new) - last]).strip()
    few = max(len(old), len(new)) - first - last <= WORDS_SHOWN
    return left if few and any(left) and all(not text or shown(text) for text in left) else None


def _words(line: str) -> list[str]:
    """Words, numbers, runs of signs and of white space."""
    words: list[str] = []
    for letter in line:
        sort = _sort(letter)
        if words and _sort(words[-1][-1]) == sort:
            words[-1] += letter
        else:
            words.append(letter)
    return words


def _sort(letter: str) -> int:
    if letter.isalnum() or letter in "_.":
        return 0
    return 1 if letter.isspace() else 2 if letter in "<>=!+-*/%&|^~" else ord(letter) + 3


def _fate(sort: str, names: Sequence[str], fate: str) -> Iterator[str]:
    """`parameter `a` is new`, `parameters `a` and `b` are gone`."""
    if len(names) == 1:
        yield f"{sort} {_code(names[0])} is {fate}"
    elif names:
        plural = f"{sort[:-1]}ies" if sort.endswith("y") else f"{sort}s"
        yield f"{plural} {_listed([_code(name) for name in names])} are {fate}"


def _code(text: str) -> str:
    return f"`{text}`" if "`" not in text else text


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sentence(said: Iterable[str]) -> str:
    """Differences as the beginning of one sentence. One that only says `the body changed` too joins the others."""
    found = list(said)
    if len(found) > NAMED + 1:
        found = [*found[:NAMED], f"{len(found) - NAMED} more things changed"]
    text = ", ".join(found[:-1]) + (" and " if len(found) > 1 else "") + found[-1]
    return text[:1].upper() + text[1:]
