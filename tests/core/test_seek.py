"""What an outline answers fast to a search, against the plain way to ask it; and what is doubted elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.verdicts import anchor_of, verdict_of

from lsp_server.core.model import Level
from lsp_server.core.source import edit_source, read_source
from lsp_server.core.text import Text


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=12),
    st.integers(0, 80),
    st.integers(1, 6),
    st.sets(st.integers(0, 11)),
    st.integers(0, 11),
)
def test_of_length_is_what_sorting_by_length_gives(
    sizes: list[int], length: int, most: int, left_out: set[int], grown: int
) -> None:
    text = "".join(f"def f{n}():\n    return {'1' * (size + 1)}\n\n" for n, size in enumerate(sizes))
    source = read_source("a.py", Text.of(text))
    assert source.outline is not None and source.text is not None
    source.outline.of_length(length, most, ())  # Asked before the edit, so that nothing old may be answered after it.
    at = source.outline.symbols[grown % len(sizes)].end - 1
    replaced, edit = source.text.replace(at, at, b"22")
    source = edit_source(source, replaced, (edit,))
    assert source.outline is not None
    without = {f"f{n}" for n in left_out}
    found = source.outline.of_length(length, most, without)
    kept = [symbol for symbol in source.outline.symbols if symbol.path not in without]
    distances = sorted(abs(symbol.end - symbol.start - length) for symbol in kept)[:most]
    assert [abs(symbol.end - symbol.start - length) for symbol in found] == distances
    assert all(symbol in kept for symbol in found)


CLASS = "class Shop:\n" + "".join(
    f"    def {name}(self, amount, rate):\n        total = amount * rate + {n}\n"
    f"        return audit('{name}', total)\n\n"
    for n, name in enumerate(("pay", "refund", "cancel", "settle"))
)


@pytest.mark.parametrize(
    ("changed", "level"),
    [(("pay",), Level.CHANGED), (("pay", "refund", "cancel"), Level.FILE_MISSING)],
)
def test_a_container_of_which_most_members_changed_is_offered_elsewhere(changed: tuple[str, ...], level: Level) -> None:
    marked = CLASS.replace("class Shop", "class $0Shop")
    after = CLASS
    for name in changed:
        after = after.replace(f"audit('{name}', total)", f"audit('{name}', total, True)")
    found = verdict_of(anchor_of("a.py", marked), {"b.py": after})
    assert found.level is level, found
    place = found.now or found.candidates[0].place
    assert (place.file, place.symbol) == ("b.py", "Shop")


OVERLOADS = (
    "class Shop {\n"
    "    int pay(int amount) { int total = amount * 2; audit(total); return total; }\n"
    "    int pay(String amount) { return parse(amount, 10, true); }\n"
    "}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ("audit(total)", "audit(total, 1)", Level.CHANGED),
        ("pay(int amount)", "pay(long amount)", Level.CHANGED),
        ("pay(int amount) { int total", "pay(long amount) { long total", Level.FILE_MISSING),
    ],
)
def test_an_overload_is_followed_by_its_interface_or_its_body(old: str, new: str, level: Level) -> None:
    marked = OVERLOADS.replace("int pay(int", "int $0pay(int")
    found = verdict_of(anchor_of("a/Shop.java", marked), {"b/Shop.java": OVERLOADS.replace(old, new)})
    assert found.level is level, found
    place = found.now or found.candidates[0].place
    assert (place.file, place.symbol, place.start_line) == ("b/Shop.java", "Shop.pay", 2)
