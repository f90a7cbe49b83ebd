"""Answers that hold an exact number of bytes, whatever is put into them.

Knows how much of an answer fits and what goes first where it does not; refuses to know what the pieces say. The budget
is on the whole answer as it is sent: one line of JSON, in UTF-8, with the line feed that ends it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from lsp_server.features.errors import Refused
from lsp_server.features.words import short

BASE = 8_192
"""Bytes of an answer that nothing more was asked of."""

EXTRA = 4_096
"""Bytes for each optional section that is asked for."""

MOST = 32_768
"""Bytes that no answer goes over."""

LEAST = 2_048
"""Bytes below which no budget goes: a frame with its counts takes about one thousand."""

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Parts:
    """What an answer may hold. `head` always stays. `unknown` are entries with a `count`, a `detail` and `samples`.

    `sections` hold whole items, the most important first; one with an `id` can be named by that alone. Those in
    `forced` (ids) are put in before all others.
    """

    head: Json
    unknown: Sequence[Json] = ()
    sections: Mapping[str, Sequence[Json]] = field(default_factory=lambda: MappingProxyType({}))
    forced: Sequence[str] = ()


def limit_for(extras: int) -> int:
    """The bytes of an answer with so many optional sections."""
    return min(MOST, BASE + EXTRA * extras)


def serialise(value: Any, ascii_only: bool = False) -> str:
    """The one way in which an answer with a budget is written: JSON without white space, and a line feed."""
    return _json(value, ascii_only) + "\n"


def fit(parts: Parts, limit: int, ascii_only: bool = False, most: int | None = None) -> dict[str, Any]:
    """The answer, of at most `limit` bytes and at most `most` items.

    What goes first are the samples of what is unknown, then whole items, the last ones of all sections in turn, and
    last the ids of items that are left out. Counts stay. An item too large for the room that is left gives way to the
    next. So that ids alone never fill an answer, those that no item stands for get half of the room before items do,
    and more when these are in. Raises Refused where not even the counts fit.
    """
    filling = Filling(parts, ascii_only)
    if filling.size > limit:
        raise Refused(f"{limit} bytes hold no answer; give at least {filling.size}")
    order = list(_in_turn(parts))
    for name, at in order:
        filling.name(name, at, filling.size + (limit - filling.size) // 2)
        if filling.size * 2 > limit:
            break
    put = 0
    for name, at in order:
        if most is not None and put >= most:
            break
        put += filling.put(name, at, limit)
    for name, at in order:
        filling.name(name, at, limit)
    for number, at in _turns([len(entry.get("samples", ())) for entry in parts.unknown]):
        filling.sample(number, at, limit)
    return filling.answer()


class Filling:
    """An answer on its way, and how many bytes it has: `size` is always that of `answer()`, without writing it."""

    def __init__(self, parts: Parts, ascii_only: bool = False) -> None:
        self._parts = parts
        self._ascii = ascii_only
        self._items: dict[str, set[int]] = {name: set() for name in parts.sections}
        self._ids: dict[str, set[int]] = {name: set() for name in parts.sections}
        self._samples: list[set[int]] = [set() for _ in parts.unknown]
        self.size = len(serialise(self.answer(), ascii_only).encode())

    def put(self, name: str, at: int, limit: int) -> bool:
        """Puts a whole item in, where there is room for it; its id no longer needs any."""
        items, ids = self._items[name], self._ids[name]
        left = len(self._parts.sections[name]) - len(items)
        step = self._weight(self._parts.sections[name][at]) + bool(items) + len(str(left - 1)) - len(str(left))
        if at in ids:
            step -= self._id_weight(name, at) + (len(ids) > 1)
        if at in items or self.size + step > limit:
            return False
        self.size += step
        items.add(at)
        ids.discard(at)
        return True

    def name(self, name: str, at: int, limit: int) -> bool:
        """Names an item that is left out by its id, where it has one and there is room."""
        ids = self._ids[name]
        if at in ids or at in self._items[name] or not self._parts.sections[name][at].get("id"):
            return False
        step = self._id_weight(name, at) + bool(ids)
        if self.size + step > limit:
            return False
        self.size += step
        ids.add(at)
        return True

    def sample(self, number: int, at: int, limit: int) -> bool:
        """Puts in a sample of what is unknown, where there is room."""
        samples = self._samples[number]
        step = self._weight(self._parts.unknown[number]["samples"][at]) + bool(samples)
        if at in samples or self.size + step > limit:
            return False
        self.size += step
        samples.add(at)
        return True

    def answer(self) -> dict[str, Any]:
        """What is in so far: the head, what is unknown, and each section with how many are left out."""
        return {
            **self._parts.head,
            "unknown": [
                {**entry, "samples": [entry["samples"][at] for at in sorted(chosen)]}
                for entry, chosen in zip(self._parts.unknown, self._samples, strict=True)
            ],
            "sections": {
                name: {
                    "total": len(found),
                    "left_out": len(found) - len(self._items[name]),
                    "items": [found[at] for at in sorted(self._items[name])],
                    "ids": [short(found[at]["id"]) for at in sorted(self._ids[name])],
                }
                for name, found in self._parts.sections.items()
            },
        }

    def _weight(self, value: Any) -> int:
        return len(_json(value, self._ascii).encode())

    def _id_weight(self, name: str, at: int) -> int:
        return self._weight(short(self._parts.sections[name][at]["id"]))


def _in_turn(parts: Parts) -> Iterator[tuple[str, int]]:
    """The items in the order in which they get room: what is forced, then the first of each section, the second..."""
    names = list(parts.sections)
    wanted = {identifier: rank for rank, identifier in enumerate(parts.forced)}
    forced = sorted(
        (wanted[item["id"]], name, at)
        for name in names
        for at, item in enumerate(parts.sections[name])
        if item.get("id") in wanted
    )
    yield from ((name, at) for _, name, at in forced)
    taken = {(name, at) for _, name, at in forced}
    for number, at in _turns([len(parts.sections[name]) for name in names]):
        if (names[number], at) not in taken:
            yield names[number], at


def _turns(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(list, place in it), the first places of all lists before the second ones."""
    for row in zip_longest(*([(number, at) for at in range(length)] for number, length in enumerate(lengths))):
        yield from (one for one in row if one is not None)


def _json(value: Any, ascii_only: bool) -> str:
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
