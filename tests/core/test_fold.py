"""The fold: one memory from its text and its events, whatever order they come in."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core.fingerprint_json import to_json
from lsp_server.core.fold import fault, fold, in_causal_order
from lsp_server.core.ids import body_hash
from lsp_server.core.kinds import KINDS
from lsp_server.core.ledger_text import read_event, write_event
from lsp_server.core.model import (
    AnchorText,
    Entered,
    Event,
    Evidence,
    Fingerprint,
    Locus,
    Memory,
    MemoryText,
    Receipt,
    Sensitivity,
)

ID = "776420d7-77c2-5286-9b04-a5da10f7dba4"
PLACE = Locus("a.py", "f")
TEXT = MemoryText(ID, "decision", "Keep it.", (AnchorText("aa", PLACE),))
FINGERPRINT = to_json(Fingerprint(1, "symbol", "f" * 64, "t"))


def event(name: str, type_: str, after: Sequence[str] = (), minute: int = 0, **data: Any) -> Event:
    """An event; `from_` stands for the key `from`."""
    found = {key.rstrip("_"): value for key, value in data.items()}
    return Event(name, type_, f"2026-11-30T10:{minute:02}:00Z", f"author of {name}", f"rev {name}", tuple(after), found)


def baseline(name: str, after: Sequence[str] = (), minute: int = 0, **data: Any) -> Event:
    given_ = {
        "anchor": "aa",
        "place": "a.py#f",
        "lines": [1, 2],
        "fingerprint": FINGERPRINT,
        "body_hash": body_hash(TEXT.body),
        "state": "accepted",
        "content": "def f(): ...",
    }
    return event(name, "baseline", after, minute, **{**given_, **data})


RECORDED = event("r", "recorded", kind="decision", state="accepted", body_hash=body_hash(TEXT.body))


def check_fold(*events: Event, text: MemoryText = TEXT, **expected: Any) -> Memory:
    """Folds, in several orders, and compares the named fields."""
    found = fold(text, events)
    shuffled = list(events)
    for seed in range(4):
        random.Random(seed).shuffle(shuffled)
        assert fold(text, shuffled) == found
    assert {name: getattr(found, name) for name in expected} == expected
    return found


# --- what memory.md and the first event say ---------------------------------------------------------------------------


def test_a_recorded_memory() -> None:
    text = MemoryText(
        ID,
        "decision",
        "Keep it.",
        (AnchorText("aa", PLACE, Sensitivity.TEXT, {"x": 1}),),
        ("t",),
        3,
        "2027-01-01",
        ("c",),
        {"y": 2},
    )
    found = check_fold(
        RECORDED,
        text=text,
        id=ID,
        kind="decision",
        body="Keep it.",
        state="accepted",
        current=True,
        author="author of r",
        created="2026-11-30T10:00:00Z",
        revision="rev r",
        tags=("t",),
        importance=3,
        expires="2027-01-01",
        checks=("c",),
        unknown={"y": 2},
        heads=("r",),
        edited=False,
        disputed=False,
    )
    (anchor,) = found.anchors
    assert (anchor.id, anchor.locus, anchor.sensitivity, anchor.unknown) == ("aa", PLACE, Sensitivity.TEXT, {"x": 1})


def test_a_memory_without_events_is_still_one() -> None:
    check_fold(state="accepted", current=True, created="", author="", heads=(), edited=False)


def test_two_clones_that_recorded_the_same_are_one_memory_by_the_first() -> None:
    other = event("q", "recorded", minute=5, kind="decision", state="accepted")
    check_fold(RECORDED, other, state="accepted", author="author of r", heads=("q", "r"), disputed=False)


def test_a_state_asked_for_at_birth() -> None:
    check_fold(event("r", "recorded", kind="decision", state="proposed"), state="proposed", current=True)


def test_where_it_lies_is_passed_through() -> None:
    found = fold(TEXT, [RECORDED], home="local", folder="keep-it-776420d777c2", problem="damaged")
    assert (found.home, found.folder, found.problem) == ("local", "keep-it-776420d777c2", "damaged")


# --- baselines and places --------------------------------------------------------------------------------------------


def test_baselines_in_causal_order_whatever_the_clocks_say() -> None:
    found = check_fold(RECORDED, baseline("b2", ["b1"], minute=1), baseline("b1", ["r"], minute=9))
    assert [one.id for one in found.anchors[0].baselines] == ["b1", "b2"]
    one = found.anchors[0].baselines[0]
    assert (one.place, one.lines, one.content, one.blob, one.state) == (PLACE, (1, 2), "def f(): ...", None, "accepted")
    assert (one.author, one.revision, one.time) == ("author of b1", "rev b1", "2026-11-30T10:09:00Z")


def test_a_withdrawn_baseline_is_gone_wherever_the_withdrawal_is_read() -> None:
    found = check_fold(
        RECORDED, baseline("b1", ["r"]), baseline("b2", ["b1"]), event("w", "withdrawn", ["b2"], baseline="b2")
    )
    assert [one.id for one in found.anchors[0].baselines] == ["b1"]


def test_a_baseline_of_an_anchor_that_is_gone_is_kept_and_ignored() -> None:
    found = check_fold(RECORDED, baseline("b1", ["r"], anchor="zz"))
    assert found.anchors[0].baselines == ()
    back = fold(
        MemoryText(ID, "decision", "Keep it.", (AnchorText("zz", PLACE),)),
        [RECORDED, baseline("b1", ["r"], anchor="zz")],
    )
    assert len(back.anchors[0].baselines) == 1


def test_an_anchor_added_by_hand_has_no_baseline() -> None:
    text = MemoryText(ID, "decision", "Keep it.", (AnchorText("aa", PLACE), AnchorText("bb", Locus("b.py"))))
    found = check_fold(RECORDED, baseline("b1", ["r"]), text=text)
    assert [len(anchor.baselines) for anchor in found.anchors] == [1, 0]


def test_followed_places_count_only_from_where_the_text_still_stands() -> None:
    followed = event("f", "followed", ["b1"], anchor="aa", base="a.py#f", place="b.py#g", code="c")
    found = check_fold(RECORDED, baseline("b1", ["r"]), followed)
    assert found.anchors[0].place == Locus("b.py", "g")
    # A locus changed by hand is a re-anchor.
    by_hand = MemoryText(ID, "decision", "Keep it.", (AnchorText("aa", Locus("c.py", "h")),))
    found = check_fold(RECORDED, baseline("b1", ["r"]), followed, text=by_hand)
    assert found.anchors[0].place == Locus("c.py", "h")
    assert set(found.anchors[0].places) == {Locus("c.py", "h"), Locus("b.py", "g"), PLACE}


def test_one_move_followed_in_two_clones_is_one_place() -> None:
    data = {"anchor": "aa", "base": "a.py#f", "place": "b.py#g", "code": "c"}
    one = event("f", "followed", ["r"], 3, **data)
    other = Event("f", "followed", "2026-11-30T10:01:00Z", "somebody", "", ("r",), data)
    found = check_fold(RECORDED, one, other, heads=("f",))
    assert len(found.anchors[0].followed) == 1


@pytest.mark.parametrize(
    ("hashes", "edited"),
    [([], False), (["now"], False), (["old"], True), (["old", "now"], False), (["now", "old"], False)],
)
def test_edited_until_a_baseline_vouches_for_the_present_text(hashes: list[str], edited: bool) -> None:
    known = {"now": body_hash(TEXT.body), "old": body_hash("Something else.")}
    events = [baseline(f"b{number}", ["r"], body_hash=known[name]) for number, name in enumerate(hashes)]
    check_fold(RECORDED, *events, edited=edited)


# --- states -----------------------------------------------------------------------------------------------------------


def retired(name: str, *after: str, **more: Any) -> Event:
    return event(name, "retired", after, reason=f"reason of {name}", **more)


def superseded(name: str, *after: str, by: str = "new", **more: Any) -> Event:
    return event(name, "superseded", after, by=by, reason="r", **more)


def moved(name: str, *after: str, to: str, **more: Any) -> Event:
    return event(name, "transitioned", after, from_="x", to=to, **more)


def restored(name: str, *after: str, **more: Any) -> Event:
    return event(name, "restored", after, **more)


LIVES: dict[str, tuple[list[Event], dict[str, Any]]] = {
    "retired": ([retired("a", "r")], {"state": "retired", "current": False, "retired_reason": "reason of a"}),
    "retired and restored": (
        [retired("a", "r"), restored("b", "a")],
        {"state": "accepted", "current": True, "retired_reason": None},
    ),
    "restored to what it was": (
        [moved("p", "r", to="proposed"), retired("a", "p"), restored("b", "a")],
        {"state": "proposed", "current": True},
    ),
    "superseded": ([superseded("a", "r")], {"state": "superseded", "current": False, "superseded_by": ("new",)}),
    "superseded and restored": (
        [superseded("a", "r"), restored("b", "a")],
        {"state": "accepted", "superseded_by": ()},
    ),
    "superseded, then retired, then restored twice": (
        [superseded("a", "r"), retired("b", "a"), restored("c", "b"), restored("d", "c")],
        {"state": "accepted", "superseded_by": ()},
    ),
    "restored when nothing was taken away": ([restored("a", "r")], {"state": "accepted", "disputed": False}),
    "the clock is wrong": (
        [retired("a", "r", minute=50), restored("b", "a", minute=1)],
        {"state": "accepted", "disputed": False},
    ),
    "other events between": (
        [retired("a", "r"), baseline("n", ["a"]), restored("b", "n")],
        {"state": "accepted", "disputed": False},
    ),
    "the same from both sides": (
        [retired("a", "r"), retired("b", "r")],
        {"state": "retired", "disputed": False, "heads": ("a", "b")},
    ),
    "rivals": (
        [retired("a", "r"), superseded("b", "r")],
        {"state": "accepted", "current": True, "disputed": True, "superseded_by": ("new",)},
    ),
    "rivals after a shared step": (
        [moved("p", "r", to="proposed"), moved("a", "p", to="accepted"), moved("b", "p", to="rejected")],
        {"state": "proposed", "disputed": True},
    ),
    "rivals, one of whom knew a step more": (
        [moved("a1", "r", to="proposed"), retired("a2", "a1"), moved("z", "r", to="rejected")],
        {"state": "accepted", "disputed": True},
    ),
    "two successors": (
        [superseded("a", "r", by="x"), superseded("b", "r", by="y")],
        {"state": "superseded", "current": False, "disputed": True, "superseded_by": ("x", "y")},
    ),
    "settled by one who knew both": (
        [retired("a", "r"), superseded("b", "r"), moved("s", "a", "b", to="accepted")],
        {"state": "accepted", "disputed": False, "superseded_by": ()},
    ),
    "a look at the code settles nothing": (
        [retired("a", "r"), superseded("b", "r"), baseline("n", ["a", "b"])],
        {"state": "accepted", "disputed": True, "heads": ("n",)},
    ),
    "undone on one side only": (
        [retired("a", "r"), restored("u", "a"), superseded("b", "r")],
        {"state": "accepted", "disputed": True},
    ),
    "three rivals, two agree": (
        [retired("a", "r"), retired("b", "r"), moved("c", "r", to="rejected")],
        {"state": "accepted", "disputed": True},
    ),
    "recorded again elsewhere after it was retired here": (
        [retired("a", "r"), event("r2", "recorded", minute=30, state="accepted")],
        {"state": "retired", "disputed": False},
    ),
    "a state of a newer version": ([moved("a", "r", to="parked")], {"state": "parked", "current": True}),
    "events of a newer version": (
        [event("a", "translated", ["r"], into="de"), retired("b", "a")],
        {"state": "retired", "heads": ("b",)},
    ),
    "a transition to nowhere": ([event("a", "transitioned", ["r"])], {"state": "accepted", "disputed": False}),
    "a cycle": (
        [retired("a", "b", minute=1), restored("b", "a", minute=2)],
        {"state": "accepted"},
    ),
    "its own parent": ([retired("a", "a", "r")], {"state": "retired"}),
    "a parent that is not there": ([retired("a", "gone")], {"state": "retired"}),
    "undone": (
        [retired("a", "r"), event("u", "undone", ["a"], events=["a"])],
        {"state": "accepted", "current": True, "retired_reason": None, "entered": None, "heads": ("u",)},
    ),
    "an undoing undone": (
        [retired("a", "r"), event("u", "undone", ["a"], events=["a"]), event("v", "undone", ["u"], events=["u"])],
        {"state": "retired", "disputed": False},
    ),
    "rivals, one of them undone": (
        [retired("a", "r"), superseded("b", "r"), event("u", "undone", ["a", "b"], events=["a"])],
        {"state": "superseded", "disputed": False, "rivals": ()},
    ),
    "undone by who could not know of it": (
        [retired("a", "r"), event("u", "undone", ["r"], events=["a"])],
        {"state": "retired", "disputed": False},
    ),
    "undone, and then something else": (
        [retired("a", "r"), event("u", "undone", ["a"], events=["a"]), moved("m", "u", to="rejected")],
        {"state": "rejected", "disputed": False},
    ),
    "a birth is not undone": ([event("u", "undone", ["r"], events=["r"])], {"created": "2026-11-30T10:00:00Z"}),
    "pinned": ([event("p", "pinned", ["r"], on=True)], {"pinned": True}),
    "pinned, and not any more": (
        [event("p", "pinned", ["r"], on=True), event("q", "pinned", ["p"], on=False)],
        {"pinned": False},
    ),
    "how it came to its state": (
        [moved("m", "r", to="rejected", reason="slow", at="fix", minute=7)],
        {"entered": Entered("rejected", "author of m", "2026-11-30T10:07:00Z", "fix", "slow", "", "m")},
    ),
    "the ends that are at odds": (
        [retired("a", "r"), superseded("b", "r", minute=1)],
        {
            "entered": None,
            "rivals": (
                Entered("retired", "author of a", "2026-11-30T10:00:00Z", "rev a", "reason of a", "", "a"),
                Entered("superseded", "author of b", "2026-11-30T10:01:00Z", "rev b", "r", "new", "b"),
            ),
        },
    ),
    "evidence from every event, each piece once": (
        [
            event("e", "evidence", ["r"], evidence=[{"type": "commit", "value": "c0ffee", "revision": "c0ffee"}]),
            moved(
                "m", "e", to="rejected", evidence=[{"type": "url", "value": "https://x", "role": "why"}, {"type": 3}]
            ),
            event("d", "evidence", ["m"], evidence=[{"type": "url", "value": "https://x", "role": "why"}]),
        ],
        {
            "evidence": (
                Evidence("commit", "c0ffee", "", "c0ffee", "author of e", "2026-11-30T10:00:00Z", "e"),
                Evidence("url", "https://x", "why", "", "author of m", "2026-11-30T10:00:00Z", "m"),
            )
        },
    ),
    "used": (
        [event("x", "used", ["r"], for_="the timeout of the pool")],
        {"receipts": (Receipt("the timeout of the pool", "author of x", "2026-11-30T10:00:00Z", "rev x", "x"),)},
    ),
    "evidence undone": (
        [
            event("e", "evidence", ["r"], evidence=[{"type": "test", "value": "t"}]),
            event("u", "undone", ["e"], events=["e"]),
        ],
        {"evidence": ()},
    ),
    "links": ([event("s", "supersedes", ["r"], old="older")], {"supersedes": ("older",), "state": "accepted"}),
}


@pytest.mark.parametrize("name", LIVES)
def test_lives(name: str) -> None:
    events, expected = LIVES[name]
    check_fold(RECORDED, *events, **expected)


def test_a_kind_of_a_newer_version_has_the_plain_life() -> None:
    text = MemoryText(ID, "open_question", "Why?")
    check_fold(text=text, state="current", current=True)
    check_fold(retired("a"), text=text, state="retired", current=False)


@pytest.mark.parametrize(
    "bad",
    [
        baseline("b", anchor=None),
        baseline("b", fingerprint=None),
        baseline("b", fingerprint={"scheme": 1}),
        baseline("b", fingerprint={**FINGERPRINT, "members": 3}),
        baseline("b", lines=[1]),
        baseline("b", lines=["1", "2"]),
        baseline("b", place=""),
        baseline("b", content=3),
        event("b", "followed", anchor="aa", base="x", place=3),
        event("b", "followed", base="x", place="y"),
        event("b", "withdrawn", baseline=["b"]),
        event("b", "superseded"),
        event("b", "transitioned", to=3),
    ],
)
def test_an_event_that_cannot_be_used_is_named_and_left_out(bad: Event) -> None:
    assert fault(bad)
    found = check_fold(RECORDED, bad, state="accepted", superseded_by=())
    assert found.anchors[0].baselines == () and found.anchors[0].followed == ()


def test_what_can_be_used_has_no_fault() -> None:
    for one in (RECORDED, baseline("b"), retired("a"), superseded("s"), moved("m", to="x"), event("u", "unheard of")):
        assert fault(one) is None


# --- properties ------------------------------------------------------------------------------------------------------


@st.composite
def histories(draw: st.DrawFn, undoing: bool = True) -> list[Event]:
    """Events of several writers who each know some of what was written before, with clocks that are wrong."""
    count = draw(st.integers(0, 9))
    events: list[Event] = []
    for number in range(count):
        after = draw(st.sets(st.sampled_from([one.id for one in events] or ["gone"]), max_size=2))
        minute = draw(st.integers(0, 3))
        name = f"e{number}"
        make = draw(
            st.sampled_from(
                [
                    *("recorded", "retired", "superseded", "restored", "move", "baseline", "withdrawn", "follow"),
                    *("evidence", "pinned", *(["undone"] if undoing else [])),
                ]
            )
        )
        if make == "recorded":
            one = event(name, "recorded", sorted(after), minute, state=draw(st.sampled_from(["accepted", "proposed"])))
        elif make == "superseded":
            one = superseded(name, *after, by=draw(st.sampled_from("xy")), minute=minute)
        elif make == "move":
            one = moved(name, *after, to=draw(st.sampled_from(KINDS["decision"].states)), minute=minute)
        elif make == "baseline":
            one = baseline(
                name, sorted(after), minute, content=name, body_hash=draw(st.sampled_from(["x", body_hash(TEXT.body)]))
            )
        elif make == "withdrawn":
            one = event(
                name,
                "withdrawn",
                sorted(after),
                minute,
                baseline=draw(st.sampled_from([e.id for e in events] or ["z"])),
            )
        elif make == "undone":
            one = event(
                name,
                "undone",
                sorted(after),
                minute,
                events=draw(st.lists(st.sampled_from([e.id for e in events] or ["z"]), max_size=2)),
            )
        elif make == "evidence":
            pieces = [{"type": "test", "value": draw(st.sampled_from("tu"))}]
            one = event(name, "evidence", sorted(after), minute, evidence=pieces)
        elif make == "pinned":
            one = event(name, "pinned", sorted(after), minute, on=draw(st.booleans()))
        elif make == "follow":
            # Two clones may write one followed event with different authors and times.
            name = draw(st.sampled_from(["follow1", "follow2"]))
            one = event(
                name,
                "followed",
                sorted(after - {name}),
                minute,
                anchor="aa",
                base="a.py#f",
                place=f"{name}.py",
                code="c",
            )
        else:
            one = event(name, make, sorted(after), minute, reason=name)
        events.append(one)
    return events


@settings(max_examples=400)
@given(histories(), st.randoms(use_true_random=False))
def test_any_order_folds_the_same(events: list[Event], rng: random.Random) -> None:
    found = fold(TEXT, events)
    shuffled = list(events)
    rng.shuffle(shuffled)
    assert fold(TEXT, shuffled) == found
    assert fold(TEXT, shuffled + shuffled[:2]) == found, "reading a file twice changes nothing"
    assert fold(TEXT, [read_event(write_event(one)) for one in shuffled]) == found, "nor does writing it down"


@settings(max_examples=300)
@given(histories(), st.data())
def test_two_clones_that_merge_agree(events: list[Event], data: st.DataObject) -> None:
    sides = [data.draw(st.sampled_from(["left", "right", "both"])) for _ in events]
    left = [one for one, side in zip(events, sides, strict=True) if side != "right"]
    right = [one for one, side in zip(events, sides, strict=True) if side != "left"]
    whole = fold(TEXT, events)
    assert fold(TEXT, left + right) == whole
    assert fold(TEXT, right + left) == whole


@settings(max_examples=300)
@given(histories())
def test_the_order_is_causal_and_the_heads_are_what_nothing_saw(events: list[Event]) -> None:
    line = in_causal_order(events)
    position = {one.id: number for number, one in enumerate(line.events)}
    assert len(position) == len(line.events) and set(position) == {one.id for one in events}
    merged: dict[str, set[str]] = {}
    for one in events:
        merged.setdefault(one.id, set()).update(one.after)
    reach: dict[str, set[str]] = {}

    def past(name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        if name in seen or name not in merged:
            return set()
        found: set[str] = set()
        for one in merged[name]:
            if one in merged and one != name:
                found |= {one} | past(one, seen | {name})
        return found

    for name in merged:
        reach[name] = past(name)
    if any(name in reach[name] for name in reach):
        return  # Two followed events may name each other; any order of a cycle is fine if it is always the same one.
    for number, one in enumerate(line.events):
        named = {line.events[bit].id for bit in range(len(line.events)) if line.past[number] >> bit & 1}
        assert named == reach[one.id]
        assert all(position[other] < number for other in named)
    assert set(line.heads) == {name for name in merged if not any(name in seen for seen in merged.values())}


@settings(max_examples=300)
@given(histories())
def test_what_was_undone_counts_as_if_it_were_something_unheard_of(events: list[Event]) -> None:
    """The slow twin, by the meaning of it: undone is what one who knew of it undid, and was not undone in turn."""
    line = in_causal_order(events)
    number = {one.id: at for at, one in enumerate(line.events)}

    def undone(at: int) -> bool:
        return any(
            other.type == "undone"
            and line.events[at].id in other.data["events"]
            and line.past[by] >> at & 1
            and not undone(by)
            for by, other in enumerate(line.events)
        )

    inert = {
        one.id for one in line.events if one.type == "undone" or (one.type != "recorded" and undone(number[one.id]))
    }
    twin = fold(TEXT, [replace(one, type="unheard of", data={}) if one.id in inert else one for one in events])
    assert fold(TEXT, events) == twin


@settings(max_examples=300)
@given(histories(undoing=False))
def test_disputed_is_exactly_what_the_last_word_of_nobody_is(events: list[Event]) -> None:
    """The slow twin: of the usable transitions, those that no other knows of; they must agree."""
    line = in_causal_order(events)
    moves = [
        number
        for number, one in enumerate(line.events)
        if one.type in ("retired", "superseded", "restored", "transitioned") and fault(one) is None
    ]
    last = [number for number in moves if not any(line.past[other] >> number & 1 for other in moves)]
    found = fold(TEXT, events)
    ends = set()
    for number in last:
        names = {one.id for bit, one in enumerate(line.events) if line.past[number] >> bit & 1 or bit == number}
        # Every writing of an event that two clones wrote counts: each knew of other events.
        alone = fold(TEXT, [one for one in events if one.id in names or one.type == "recorded"])
        ends.add((alone.state, alone.superseded_by))
    assert found.disputed is (len(ends) > 1)
    if len(ends) == 1:
        assert (found.state, found.superseded_by) in ends


def test_a_long_and_a_hostile_history_are_folded_in_time() -> None:
    chain = [retired("n0")] + [restored(f"n{number}", f"n{number - 1}") for number in range(1, 3000)]
    assert fold(TEXT, chain).state == "accepted"
    rivals = [moved(f"m{number}", to=("accepted", "rejected")[number % 2]) for number in range(2000)]
    assert fold(TEXT, rivals).disputed
