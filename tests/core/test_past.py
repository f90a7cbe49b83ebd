"""A memory when only some of its events had happened."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.change import edited_data
from lsp_server.core.fold import fold
from lsp_server.core.ids import body_hash
from lsp_server.core.ledger_text import memory_data
from lsp_server.core.model import AnchorText, Event, Locus, MemoryText
from lsp_server.core.past import happened, memory_then, replayed, then

ID = "266d8a65-140e-5756-af02-5de7de1be834"
ANCHOR = AnchorText("aaaaaaaa", Locus("a.py", "f"))
OTHER = AnchorText("bbbbbbbb", Locus("b.py", "g"))
TEXT = MemoryText(ID, "decision", "Keep it.", (ANCHOR,), ("hot",))


def event(name: str, type: str, after: tuple[str, ...] = (), second: int = 0, **data: Any) -> Event:
    return Event(name, type, f"2026-11-30T12:00:{second:02}Z", "Ada", "", after, data)


def edited(name: str, old: MemoryText, new: MemoryText, after: tuple[str, ...] = ("born",), second: int = 1) -> Event:
    was, now = memory_data(old), memory_data(new)
    keys = [key for key in {**was, **now} if was.get(key) != now.get(key)]
    data = {
        "what": keys,
        "was": {key: was[key] for key in keys if key in was},
        "now": {key: now[key] for key in keys if key in now},
    }
    return event(name, "edited", after, second, **data)


BORN = event("born", "recorded", state="accepted", text=memory_data(TEXT), body_hash=body_hash(TEXT.body))


# -- which events ------------------------------------------------------------------------------------------------------


@st.composite
def lines(draw: st.DrawFn) -> tuple[list[Event], frozenset[str]]:
    """Events that each saw some earlier ones, and some of them that are left out."""
    events: list[Event] = []
    for number in range(draw(st.integers(1, 9))):
        seen = draw(st.sets(st.sampled_from(events).map(lambda one: one.id), max_size=3)) if events else set()
        second = draw(st.integers(0, 3))
        events.append(event(f"e{number}", "note", tuple(sorted(seen)), second))
    left = draw(st.sets(st.sampled_from([one.id for one in events])))
    return draw(st.permutations(events)), frozenset(left)


def before(events: list[Event], one: str) -> set[str]:
    """Everything that an event came after, asked one step at a time."""
    by_id = {entry.id: entry for entry in events}
    found: set[str] = set()
    waiting = list(by_id[one].after)
    while waiting:
        seen = waiting.pop()
        if seen not in found and seen in by_id:
            found.add(seen)
            waiting += by_id[seen].after
    return found


@given(lines())
def test_what_is_left_out_changes_no_order(line: tuple[list[Event], frozenset[str]]) -> None:
    events, left = line
    found = list(happened(events, lambda one: one.id not in left))
    assert {one.id for one in found} == {one.id for one in events} - left
    for one in found:
        assert before(found, one.id) == before(events, one.id) - left


def test_nothing_becomes_a_rival() -> None:
    """What was decided after something that is left out still comes after what that came after."""
    events = [
        BORN,
        event("a", "transitioned", ("born",), 1, **{"from": "accepted", "to": "proposed"}),
        event("b", "baseline", ("a",), 2),
        event("c", "transitioned", ("b",), 3, **{"from": "proposed", "to": "rejected"}),
    ]
    memory = fold(TEXT, happened(events, lambda one: one.id != "b"))
    assert (memory.state, memory.disputed) == ("rejected", False)


# -- which text --------------------------------------------------------------------------------------------------------


def check_text(events: list[Event], expected: MemoryText | None) -> None:
    found = replayed(events)
    assert (found and memory_data(found)) == (expected and memory_data(expected))


def test_the_text_is_put_back_from_events() -> None:
    more = replace(TEXT, tags=("hot", "new"), importance=3)
    moved = replace(TEXT, anchors=(replace(ANCHOR, locus=Locus("c.py", "f")), OTHER))
    check_text([], None)
    check_text([replace(BORN, data={})], None)
    check_text([BORN], TEXT)
    check_text([edited("e", TEXT, more), BORN], more)
    check_text([BORN, edited("e", TEXT, more), edited("u", more, TEXT, ("e",), 2)], TEXT)
    check_text([BORN, edited("e", TEXT, moved)], moved)
    check_text([BORN, edited("e", TEXT, replace(TEXT, tags=()))], replace(TEXT, tags=()))
    # Of an event of an older version it is known that it changed something, and not what to.
    check_text([BORN, event("e", "edited", ("born",), 1, what=["tags"])], TEXT)


def test_edits_that_knew_nothing_of_each_other_both_hold() -> None:
    one = edited("one", TEXT, replace(TEXT, tags=("hot", "one"), importance=2))
    two = edited("two", TEXT, replace(TEXT, tags=("hot", "two")), second=2)
    off = edited("off", TEXT, replace(TEXT, tags=()), second=3)
    check_text([BORN, one, two], replace(TEXT, tags=("hot", "one", "two"), importance=2))
    check_text([BORN, one, off], replace(TEXT, tags=("one",), importance=2))
    new = AnchorText("cccccccc", Locus("c.py"))
    both = [edited(name, TEXT, replace(TEXT, anchors=(ANCHOR, one))) for name, one in (("x", OTHER), ("y", new))]
    check_text([BORN, *both], replace(TEXT, anchors=(ANCHOR, OTHER, new)))


PLACES = st.sampled_from([Locus("a.py", "f"), Locus("b.py"), Locus("c.py", None, (1, 3)), Locus("d.py", "Box.put")])


@st.composite
def texts(draw: st.DrawFn) -> list[MemoryText]:
    """A text and what features make of it, one change after the other."""
    found = [TEXT]
    for number in range(draw(st.integers(0, 6))):
        old = found[-1]
        anchors = list(old.anchors)
        for _ in range(draw(st.integers(0, 2))):
            place = draw(PLACES)
            if anchors and draw(st.booleans()):
                which = draw(st.integers(0, len(anchors) - 1))
                anchors[which] = replace(anchors[which], locus=place)
            else:
                anchors.append(AnchorText(f"{number}{len(anchors)}abcdef", place))
        tags = draw(st.none() | st.sets(st.sampled_from(["hot", "cold", "new"])).map(lambda some: tuple(sorted(some))))
        importance = draw(st.none() | st.integers(1, 5))
        body = draw(st.sampled_from([old.body, old.body, f"{old.body} And {number}."]))
        found.append(
            replace(
                old,
                anchors=tuple(anchors),
                tags=old.tags if tags is None else tags,
                importance=importance,
                expires=draw(st.none() | st.just("2027-01-31")),
                body=body,
            )
        )
    return found


@given(texts(), st.randoms())
def test_every_text_on_the_way_is_put_back(texts: list[MemoryText], shuffle: Random) -> None:
    events = [BORN]
    for number, (old, new) in enumerate(pairwise(texts), 1):
        data = edited_data(memory_data(old), memory_data(new))
        events.append(event(f"e{number}", "edited", (events[-1].id,), 0, **data))
    for number, text in enumerate(texts, 1):
        some = events[:number]
        shuffle.shuffle(some)
        check_text(some, text)


HAND = replace(TEXT, body="Keep it, says the partner.")
"""What a person made of it in an editor: no event says so."""

LOOKED = event("look", "baseline", ("born",), 2, body_hash=body_hash(HAND.body))


@pytest.mark.parametrize(
    ("present", "events", "counting", "file", "text", "certain"),
    [
        (TEXT, [BORN], [BORN], None, TEXT, True),
        # Edited by hand since, nobody knows when: git knows; or a later look at the code; else what was recorded.
        (HAND, [BORN], [BORN], HAND, HAND, True),
        (HAND, [BORN], [BORN], TEXT, TEXT, True),
        (HAND, [BORN, LOOKED], [BORN, LOOKED], None, HAND, True),
        (HAND, [BORN, LOOKED], [BORN], None, TEXT, True),
        # Nothing was kept: the present text, and that it may be another one.
        (HAND, [replace(BORN, data={})], [replace(BORN, data={})], None, HAND, False),
        (HAND, [replace(BORN, data={})], [replace(BORN, data={})], replace(TEXT, id=ID[::-1]), HAND, False),
    ],
)
def test_the_text_of_then(
    present: MemoryText,
    events: list[Event],
    counting: list[Event],
    file: MemoryText | None,
    text: MemoryText,
    certain: bool,
) -> None:
    kept = then(present, events, counting, file)
    assert (kept.text, kept.certain) == (text, certain)
    memory = memory_then(fold(present, events), present, events, counting, file)
    assert memory is not None and memory.body == text.body
    if not certain:
        assert memory.edited


def test_what_was_not_recorded_yet_was_not_there() -> None:
    later = event("pin", "pinned", ("born",), 2, on=True)
    memory = fold(TEXT, [BORN, later])
    assert memory_then(memory, TEXT, [BORN, later], [later], None) is None
    assert memory_then(memory, TEXT, [BORN, later], [], None) is None
    orphan = memory_then(memory, TEXT, [later], [later], None)
    assert orphan is not None and orphan.pinned
