"""Holding: what is shown while a buffer's syntax is broken around an anchor is the last certain verdict.

A pure state machine over what `core.drift.judge` answers; it judges nothing itself and knows no time and no files. One
`Held` belongs to one open document and dies with it: on disk there is nothing to hold.

A verdict is *uncertain* where the breakage may be what hides the code, that is, where the file holds syntax errors that
it did not hold when the last certain verdict was given, and the verdict is
- `unverifiable` for syntax, or
- `missing`, or found at another place than before, while the symbol's name still stands somewhere in the text, or
- `changed`, with an error inside the symbol, wherever it was found.
`missing` in a text that is blank for a moment, which is how some formatters begin, is uncertain too. Anything else is
certain, and replaces what is held at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

from lsp_server.core.model import Level, Place, Reason, Span, Symbol, Verdict
from lsp_server.core.source import Source
from lsp_server.core.text import Edit, Text, diff_edit

MAX_ERRORS = 200
"""Syntax errors of one file that are told apart; where there are more, every error counts as a new one."""

MAX_NODES = 20_000
"""Nodes of the tree that are visited to find them."""

Key = tuple[str, str]
"""Memory id and anchor id: an anchor's id alone is short."""

_LOST = (Level.MISSING, Level.FILE_MISSING)
_AS_IT_IS = (Level.FRESH, Level.REFORMATTED, Level.UNVERIFIABLE)


@dataclass(frozen=True, slots=True)
class Certain:
    """The last certain verdict of one anchor, the text it was given in, and the errors that do not make it uncertain.

    Versions of a text share what is equal, so keeping one costs little.
    """

    verdict: Verdict
    text: Text | None = field(compare=False)
    errors: Errors = field(compare=False)


@dataclass(frozen=True, slots=True)
class Held:
    """What one open document remembers: by anchor the last certain verdict, and what was shown last, in `text`."""

    certain: Mapping[Key, Certain] = field(default_factory=dict)
    shown: Mapping[Key, Verdict] = field(default_factory=dict)
    text: Text | None = None


NOTHING = Held()
"""The state of a document that was just opened, and of any that was closed."""


def hold(
    held: Held, pures: Mapping[Key, Verdict], source: Source, *, settled: bool = True
) -> tuple[Held, dict[Key, Verdict]]:
    """Take the pure verdicts of a document's anchors in its present text; give the next state and what to show.

    `pures` holds a verdict for each anchor that the document is asked about (an anchor that is left out is forgotten);
    the answer has the same keys in the same order. A held verdict has `held` set and its positions in the present text.
    `settled` says that the client has been quiet for as long as a change may wait: then a blank text is taken as it is.
    """
    scene = _Scene(held, source, settled)
    certain: dict[Key, Certain] = {}
    shown: dict[Key, Verdict] = {}
    for key, pure in pures.items():
        last = held.certain.get(key)
        if last is not None and scene.uncertain(pure, last):
            certain[key] = last
            shown[key] = scene.placed(last, held.shown[key])
        else:
            shown[key] = pure
            if not _for_syntax(pure):
                # An error that appeared since stays a new one until it is mended, whatever is certain meanwhile: it may
                # hide this symbol with the next key.
                known = last.errors if last is not None and scene.errors.beyond(last.errors) else scene.errors
                certain[key] = Certain(pure, source.text, known)
    return Held(certain, shown, source.text), shown


def forget(held: Held, keys: Iterable[Key]) -> Held:
    """Drop what is held for these anchors, as their memory was written: what was certain before says nothing now."""
    gone = frozenset(keys)
    return Held(
        {key: certain for key, certain in held.certain.items() if key not in gone},
        {key: verdict for key, verdict in held.shown.items() if key not in gone},
        held.text,
    )


class Errors:
    """The syntax errors of one text, as a count of each error's own bytes, found when first asked for.

    Errors are known by their bytes, so that one that was there before is known again after lines were put above it.
    """

    __slots__ = ("_found", "_source", "none")

    def __init__(self, source: Source) -> None:
        self.none = source.outline is None or not source.outline.broken
        self._source = None if self.none else source
        self._found: Counter[bytes] | None = Counter()

    @property
    def found(self) -> Counter[bytes] | None:
        """The errors; None where there are too many to tell apart."""
        if self._source is not None:
            self._found, self._source = _errors(self._source), None
        return self._found

    def beyond(self, before: Errors) -> bool:
        """Whether there is an error here that was not there in `before`."""
        if self is before or self.none:
            return False
        if before.none:
            return True
        mine, theirs = self.found, before.found
        return mine is None or theirs is None or any(count > theirs[error] for error, count in mine.items())


def _errors(source: Source) -> Counter[bytes] | None:
    found: Counter[bytes] = Counter()
    tree, text = source.tree, source.text
    if tree is None or text is None:
        return found
    waiting = [tree.root_node]
    visited = 0
    while waiting:
        node = waiting.pop()
        if node.is_missing:
            found[b"\0" + node.type.encode()] += 1
        elif node.is_error:
            found[blake2b(text.slice(node.start_byte, node.end_byte), digest_size=8).digest()] += 1
        visited += node.child_count
        if visited > MAX_NODES or found.total() > MAX_ERRORS:
            return None
        waiting.extend(child for child in node.children if child.has_error)
    return found


class _Scene:
    """One text that verdicts are asked about; what several anchors need of it is found once, and only if needed."""

    def __init__(self, held: Held, source: Source, settled: bool) -> None:
        self._held = held
        self._source = source
        self._settled = settled
        self._found: dict[bytes, list[int]] = {}
        self.errors = Errors(source)

    def uncertain(self, pure: Verdict, last: Certain) -> bool:
        """Whether `pure` must not replace the last certain verdict. Cheap questions first: it is asked at every key."""
        before = last.verdict
        if _for_syntax(pure):
            return self.errors.beyond(last.errors)
        was_lost = before.level in _LOST
        if pure.level in _AS_IT_IS or (pure.level in _LOST and was_lost):
            return False
        if pure.level in _LOST and not self._settled and self._blank:
            return True
        if not self.errors.beyond(last.errors):
            return False
        elsewhere = pure.level in _LOST or not _same_place(pure.now, before.now)
        if elsewhere and not was_lost and self._name_stands(last):
            return True
        symbol = self._symbol(pure.now) if pure.level is Level.CHANGED else None
        return symbol is not None and symbol.broken

    def placed(self, last: Certain, shown: Verdict) -> Verdict:
        """Give the held verdict with positions in the present text: where its symbol is, else moved along with the
        edit.

        `shown` is the verdict as it was placed in the text before.
        """
        verdict = last.verdict
        now = verdict.now
        symbol = self._symbol(now)
        if symbol is not None and now is not None:
            place = replace(now, start_line=symbol.start_line, end_line=symbol.end_line)
            whole, letters = Span(symbol.start, symbol.end), Span(symbol.name_start, symbol.name_end)
            return replace(verdict, now=place, span=whole, name_span=letters, held=True)
        span, name = self._on_name(last, self._moved(shown.span), self._moved(shown.name_span))
        text = self._source.text
        now = shown.now
        if now is not None and span is not None and text is not None and now.file == self._source.path:
            top = text.point(span.start).line + 1
            bottom = text.point(max(span.start, span.end - 1)).line + 1
            now = replace(now, start_line=top, end_line=bottom)
        return replace(verdict, now=now, span=span, name_span=name, held=True)

    def _name_stands(self, last: Certain) -> bool:
        """Whether the name of what was found before is a word of the text; without a name there is no telling."""
        name = self._own_name(last)
        return self._source.text is None or not name or bool(self._words(name))

    def _words(self, name: bytes) -> list[int]:
        """Where `name` is a word of the text, as byte offsets."""
        if name not in self._found:
            word = rb"(?<![\w\x80-\xff])" + re.escape(name) + rb"(?![\w\x80-\xff])"
            self._found[name] = [match.start() for match in re.finditer(word, self._bytes)]
        return self._found[name]

    def _own_name(self, last: Certain) -> bytes:
        """The letters of the symbol that was found in this file, as they were; empty where there are none."""
        now, letters = last.verdict.now, last.verdict.name_span
        if now is None or now.symbol is None or now.file != self._source.path or letters is None or last.text is None:
            return b""
        return last.text.slice(letters.start, letters.end)

    def _on_name(self, last: Certain, span: Span | None, letters: Span | None) -> tuple[Span | None, Span | None]:
        """Set spans that were moved along with an edit on the symbol's name again, where that edit went over it: on the
        nearest one, with as much around it as there was."""
        name = self._own_name(last)
        old, old_letters = last.verdict.span, last.verdict.name_span
        if not name or span is None or letters is None or old is None or old_letters is None:
            return span, letters
        moved_to = letters.start
        if self._bytes[moved_to : letters.end] == name:
            return span, letters
        near = min(self._words(name), key=lambda start: abs(start - moved_to), default=None)
        if near is None:
            return span, letters
        start = max(0, near - (old_letters.start - old.start))
        end = max(near + len(name), min(start + old.end - old.start, len(self._bytes)))
        return Span(start, end), Span(near, near + len(name))

    def _symbol(self, place: Place | None) -> Symbol | None:
        """The one symbol at a place of this file, by its path; None where there is none or more than one."""
        outline = self._source.outline
        if outline is None or place is None or place.symbol is None or place.file != self._source.path:
            return None
        found = outline.by_path(place.symbol)
        return found[0] if len(found) == 1 else None

    def _moved(self, span: Span | None) -> Span | None:
        edit = self._edit
        if span is None or edit is None:
            return span
        start = _shifted(span.start, edit, to_end=False)
        return Span(start, max(start, _shifted(span.end, edit, to_end=True)))

    @cached_property
    def _edit(self) -> Edit | None:
        old, new = self._held.text, self._source.text
        return None if old is None or new is None or old is new else diff_edit(old, new)

    @cached_property
    def _bytes(self) -> bytes:
        return bytes(self._source.text) if self._source.text is not None else b""

    @cached_property
    def _blank(self) -> bool:
        return self._source.text is not None and not self._bytes.strip()


def _for_syntax(verdict: Verdict) -> bool:
    return verdict.level is Level.UNVERIFIABLE and verdict.reason is Reason.SYNTAX


def _same_place(one: Place | None, other: Place | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.file == other.file and one.symbol == other.symbol


def _shifted(offset: int, edit: Edit, *, to_end: bool) -> int:
    """Where an offset of the old text is in the new one; inside what was replaced, the start or the end of it."""
    if offset <= edit.start_byte and not (to_end and offset == edit.start_byte == edit.old_end_byte):
        return offset
    if offset >= edit.old_end_byte:
        return offset + edit.new_end_byte - edit.old_end_byte
    return edit.new_end_byte if to_end else edit.start_byte
