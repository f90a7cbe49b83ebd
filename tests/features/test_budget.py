"""Budgets hold exactly, whatever memories say: the bytes of the whole answer, and what goes first."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.features.budget import Filling, Parts, fit, limit_for, serialise
from lsp_server.features.errors import Refused
from lsp_server.features.quoted import block, cut, line, quotation, visible

# Long, CJK, emoji (with joints), empty, halves of characters, and what frames are made of.
PIECES = st.sampled_from(["决定", "👩‍👩‍👧", "\ud800", '"}]}', "\\", "\n", "\u202e", "x" * 900, "", "ﷺ", "\x00"])
TEXTS = st.one_of(st.text(st.characters(), max_size=60), st.lists(PIECES, max_size=12).map("".join))
IDS = st.integers(0, 2**64).map(lambda number: f"{number:032x}"[:8] + "-0000-5000-8000-" + f"{number:012x}"[:12])
ITEMS = st.fixed_dictionaries({"id": IDS, "quoted": TEXTS.map(quotation)}) | TEXTS.map(lambda text: {"at": line(text)})
UNKNOWN = st.lists(
    st.builds(
        lambda what, texts: {"what": what, "count": len(texts), "samples": [{"quoted": line(text)} for text in texts]},
        st.sampled_from(["stale", "expired"]),
        st.lists(TEXTS, max_size=6),
    ),
    max_size=3,
)
PARTS = st.builds(
    lambda unknown, sections, forced: Parts({"version": 1}, unknown, sections, forced),
    UNKNOWN,
    st.dictionaries(st.sampled_from(["decision", "claim", "决定"]), st.lists(ITEMS, max_size=14), max_size=3),
    st.lists(IDS, max_size=3),
)
LIMITS = st.integers(600, 12_000)


def measured(value: Any, ascii_only: bool) -> int:
    return len((json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")) + "\n").encode("utf-8"))


@given(PARTS, LIMITS, st.booleans(), st.none() | st.integers(0, 9))
def test_no_answer_is_larger_than_its_budget(parts: Parts, limit: int, ascii_only: bool, most: int | None) -> None:
    answer = fit(parts, limit, ascii_only, most)
    assert measured(answer, ascii_only) <= limit
    assert serialise(answer, ascii_only).encode("utf-8") and json.loads(serialise(answer, ascii_only)) == answer
    for name, found in parts.sections.items():
        section = answer["sections"][name]
        assert section["total"] == len(found)
        assert section["left_out"] == len(found) - len(section["items"])
        # Items are whole, in their order, and what is named by its id is not there as well.
        assert all(item in found for item in section["items"])
        there = [str(item.get("id"))[:8] for item in section["items"]]
        named = [str(item.get("id"))[:8] for item in found]
        assert sorted([*there, *section["ids"]]) <= sorted(named) or len(section["ids"]) <= section["left_out"]
    assert [entry["count"] for entry in answer["unknown"]] == [entry["count"] for entry in parts.unknown]
    if most is not None:
        assert sum(len(section["items"]) for section in answer["sections"].values()) <= most


@given(PARTS, LIMITS, st.booleans(), st.data())
def test_the_size_that_is_kept_is_the_size_that_is_written(
    parts: Parts, limit: int, ascii_only: bool, data: st.DataObject
) -> None:
    filling = Filling(parts, ascii_only)
    places = [(name, at) for name, found in parts.sections.items() for at in range(len(found))]
    samples = [(number, at) for number, entry in enumerate(parts.unknown) for at in range(len(entry["samples"]))]
    steps = [("put", *place) for place in places] + [("name", *place) for place in places]
    steps += [("sample", *place) for place in samples]
    for method, where, at in data.draw(st.permutations(steps)):
        getattr(filling, method)(where, at, limit)
        assert filling.size == measured(filling.answer(), ascii_only)


@given(PARTS)
def test_with_room_nothing_is_left_out(parts: Parts) -> None:
    answer = fit(parts, 10_000_000)
    assert all(section["left_out"] == 0 and not section["ids"] for section in answer["sections"].values())
    assert [entry["samples"] for entry in answer["unknown"]] == [entry["samples"] for entry in parts.unknown]


def item(number: int, size: int) -> dict[str, Any]:
    return {"id": f"{number:08x}-0000-5000-8000-000000000000", "text": "x" * size}


def test_samples_go_first_then_items_in_turn_then_ids() -> None:
    sections = {"a": [item(number, 700) for number in range(6)], "b": [item(number, 700) for number in range(10, 14)]}
    unknown = [{"what": "stale", "count": 9, "samples": [{"text": "y" * 700}]}]
    roomy, tight, small = (fit(Parts({}, unknown, sections), limit) for limit in (20_000, 6_000, 700))
    assert roomy["unknown"][0]["samples"] and not tight["unknown"][0]["samples"]
    assert [len(tight["sections"][name]["items"]) for name in "ab"] == [4, 3]
    assert [len(tight["sections"][name]["ids"]) for name in "ab"] == [2, 1]
    assert [small["sections"][name]["left_out"] for name in "ab"] == [6, 4]
    assert all(small["sections"][name]["ids"] and not small["sections"][name]["items"] for name in "ab")
    assert small["unknown"][0]["count"] == 9


def test_one_huge_item_keeps_nothing_else_out() -> None:
    answer = fit(Parts({}, (), {"a": [item(0, 50_000), *(item(number, 10) for number in range(1, 6))]}), 4_000)
    assert len(answer["sections"]["a"]["items"]) == 5 and answer["sections"]["a"]["ids"] == ["00000000"]


def test_what_is_forced_comes_in_before_anything_else() -> None:
    found = [item(number, 700) for number in range(20)]
    answer = fit(Parts({}, (), {"a": found}, (found[17]["id"],)), 2_500)
    assert found[17] in answer["sections"]["a"]["items"]


def test_ids_alone_do_not_fill_an_answer() -> None:
    answer = fit(Parts({}, (), {"a": [item(number, 300) for number in range(2_000)]}), limit_for(0))
    assert len(answer["sections"]["a"]["items"]) >= 8


def test_a_budget_that_holds_nothing_is_refused() -> None:
    with pytest.raises(Refused, match="give at least"):
        fit(Parts({"place": "x" * 500}), 100)


def test_budgets_grow_by_section_up_to_a_bound() -> None:
    assert [limit_for(number) for number in (0, 1, 2, 6, 7, 100)] == [8192, 12288, 16384, 32768, 32768, 32768]


@given(TEXTS, st.integers(3, 400))
def test_a_text_is_cut_by_bytes(text: str, limit: int) -> None:
    short = cut(visible(text), limit)
    assert len(short.encode("utf-8")) <= limit
    assert short == visible(text) or short.endswith("…")
    assert "\n" not in line(text, limit)


@given(TEXTS)
def test_every_line_of_a_quotation_is_marked(text: str) -> None:
    lines = block(text).split("\n")
    assert all(one.startswith(">") for one in lines)
    assert len(block(text).splitlines()) == len(lines)  # By whatever anybody takes for the end of a line.


@given(st.text(st.characters()))
def test_nothing_in_a_text_is_hidden(text: str) -> None:
    import unicodedata

    kept = {"\n", "\t", "\u200c", "\u200d"}
    odd = {one for one in visible(text) if unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp", "Cs")} - kept
    # Marks of Arabic and other scripts are of that category and are seen.
    assert not {one for one in odd if not "\u0600" <= one <= "\u08ff" and ord(one) < 0x11000}
