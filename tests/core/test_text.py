"""`core.text` against a slow twin that is a plain str, against Python's own codecs, and against tree-sitter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
import tree_sitter
import tree_sitter_python
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lsp_server.core import text as text_module
from lsp_server.core.model import Point
from lsp_server.core.text import (
    Edit,
    Encoding,
    Text,
    TextChange,
    apply_changes,
    diff_edit,
    from_units,
    to_units,
)

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


# The slow twin: a text is a str, positions are found by walking its characters.


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def pairs_joined(text: str) -> str:
    """What a client's UTF-16 text holds: two surrogates that make a pair are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def units_of(text: str, encoding: Encoding) -> int:
    if encoding == "utf-32":
        return len(text)
    return len(utf8(text)) if encoding == "utf-8" else len(text.encode("utf-16-le", "surrogatepass")) // 2


def twin_lines(text: str) -> list[tuple[int, int, int]]:
    """(start, end before the line break, end) of each line, in characters."""
    lines = []
    start = at = 0
    while at < len(text):
        size = 2 if text[at : at + 2] == "\r\n" else 1 if text[at] in "\r\n" else 0
        if size:
            lines.append((start, at, at + size))
            start = at + size
        at += size or 1
    return [*lines, (start, at, at)]


def twin_locate(text: str, line: int, units: int, encoding: Encoding) -> int:
    """Index of the character that a client's position stands before."""
    lines = twin_lines(text)
    if line >= len(lines):
        return len(text)
    at, end, _ = lines[line]
    while at < end and units_of(text[at], encoding) <= units:
        units -= units_of(text[at], encoding)
        at += 1
    return at


def twin_tree_point(text: str, index: int) -> tuple[int, int]:
    rows = text[:index].split("\n")
    return len(rows) - 1, len(utf8(rows[-1]))


def twin_edit(before: str, after: str, start: int, old_end: int, new_end: int) -> Edit:
    return Edit(
        len(utf8(before[:start])),
        len(utf8(before[:old_end])),
        len(utf8(after[:new_end])),
        twin_tree_point(before, start),
        twin_tree_point(before, old_end),
        twin_tree_point(after, new_end),
    )


def twin_change(text: str, change: TextChange, encoding: Encoding) -> tuple[str, Edit | None]:
    if change.range is None:
        return pairs_joined(change.text), None
    start, end = sorted(twin_locate(text, line, units, encoding) for line, units in change.range)
    new = pairs_joined(change.text)
    # A lone surrogate beside the change that becomes half of a pair goes into the change.
    if start and is_pair(text[start - 1], (new or text[end:])[:1]):
        start, new = start - 1, text[start - 1] + new
    if end < len(text) and is_pair(new[-1:], text[end]):
        end, new = end + 1, new + text[end]
    new = pairs_joined(new)
    after = text[:start] + new + text[end:]
    assert pairs_joined(after) == after
    return after, twin_edit(text, after, start, end, start + len(new))


def is_pair(high: str, low: str) -> bool:
    return "\ud800" <= high <= "\udbff" and "\udc00" <= low <= "\udfff"


@contextmanager
def chunks_of(size: int) -> Iterator[None]:
    """Small chunks, so that small texts have many."""
    usual = text_module.CHUNK
    text_module.CHUNK = size
    try:
        yield
    finally:
        text_module.CHUNK = usual


def check_text(text: Text, expected: str) -> None:
    """Everything that can be seen of `text` is what the str `expected` says."""
    data = utf8(expected)
    assert bytes(text) == data
    assert len(text) == len(data)
    assert text.sha256() == hashlib.sha256(data).hexdigest()
    scratch = Text.of(expected)
    assert text == scratch and hash(text) == hash(scratch)
    assert text != Text.of(expected + "x") and text != Text.of("x" + expected[1:] + "\n")
    assert text.content_start == (3 if expected.startswith("\ufeff") else 0)

    lines = twin_lines(expected)
    assert text.line_count == len(lines)
    assert [text.line(i) for i in range(text.line_count)] == [utf8(expected[a:c]) for a, _, c in lines]
    for missing in (-1, len(lines)):
        with pytest.raises(IndexError):
            text.line(missing)

    for start, content_end, _ in lines:
        assert text.holds(utf8(expected[start:content_end]))
    assert text.is_utf8 is (data.decode("utf-8", "replace").encode() == data)
    for needle in (b"a", b"f()", b"xy", utf8("\u00e9")):
        assert text.holds(needle) is (needle in data)

    offsets = {len(utf8(expected[:index])): index for index in range(len(expected) + 1)}
    for number, (start, content_end, end) in enumerate(lines):
        last = number == len(lines) - 1
        for index in range(start, end + last):
            offset = len(utf8(expected[:index]))
            point = Point(number, len(utf8(expected[start:index])))
            assert text.point(offset) == point
            reachable = min(index, content_end)
            assert offsets[text.offset(point)] == reachable
            for encoding in ENCODINGS:
                position = (number, units_of(expected[start:reachable], encoding))
                assert text.position(offset, encoding) == position
                assert offsets[text.locate(*position, encoding)] == reachable
        assert text.offset(Point(number, 1000)) == len(utf8(expected[:content_end]))
        assert text.offset(Point(number, -1)) == len(utf8(expected[:start]))
    assert text.offset(Point(len(lines), 0)) == len(data)
    assert text.offset(Point(-1, 5)) == 0
    assert text.point(-1) == Point(0, 0)
    assert text.point(len(data) + 1) == text.point(len(data))
    for offset, index in offsets.items():
        assert text.tree_point(offset) == twin_tree_point(expected, index)

    for start in range(0, len(data) + 2, 3):
        for end in range(start - 1, len(data) + 2, 5):
            assert text.slice(start, end) == data[start : max(start, end)]
        pieces = b""
        while piece := text.read(start + len(pieces)):
            pieces += piece
        assert pieces == data[start:]


PIECES = (
    *"abc ()\t\f\v\x00\x1c\x85\u2028\u2029\ufeff",
    # Some share their first or last bytes with others.
    *(
        "é",
        "ĩ",
        "è",
        "漣",
        "🎊",
        "🐉",
        "漢",
        "한",
        "🎉",
        "𝒳",
        "e\u0301",
        "👩\u200d🚀",
        "\ud83c",
        "\udf89",
        "\ud800",
        "\udfff",
    ),
    *("\n", "\r", "\r\n", "\n", "\r\n", "word", "x = 1\n"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
positions = st.tuples(st.integers(0, 9), st.integers(0, 12) | st.just(2**31 - 1))
changes = st.builds(TextChange, st.tuples(positions, positions), texts | st.sampled_from(PIECES) | st.just(""))
whole_changes = st.builds(TextChange, st.none(), texts)
emptying = st.just(TextChange(((0, 0), (2**31 - 1, 0)), ""))
batches = st.lists(
    st.lists(st.one_of(changes, changes, changes, changes, emptying, whole_changes), min_size=1, max_size=4), max_size=5
)
chunk_sizes = st.sampled_from((1, 4, 9, 40, text_module.CHUNK))


@settings(deadline=None)
@given(texts, batches, st.sampled_from(ENCODINGS), chunk_sizes)
@example("a\r\nb", [[TextChange(((0, 1), (1, 0)), "\r"), TextChange(((1, 0), (1, 0)), "\n")]], "utf-16", 1)
@example("\ud83c|\udf89", [[TextChange(((0, 1), (0, 2)), "")]], "utf-16", 4)
def test_edits_equal_the_slow_twin(
    start: str, batches: list[list[TextChange]], encoding: Encoding, chunk_size: int
) -> None:
    with chunks_of(chunk_size):
        expected = pairs_joined(start)
        text = Text.of(start)
        check_text(text, expected)
        for batch in batches:
            before, before_bytes = text, bytes(text)
            expected_edits = []
            for change in batch:
                expected, edit = twin_change(expected, change, encoding)
                expected_edits.append(edit)
            text, edits = apply_changes(text, batch, encoding)
            check_text(text, expected)
            assert edits == (None if None in expected_edits else tuple(expected_edits))
            assert bytes(before) == before_bytes, "the text before the edit must not change"


@settings(deadline=None)
@given(
    st.lists(st.sampled_from((b"a", b"\n", b"\r", b"\r\n", b"\xff", b"\xe6", b"\xbc", b"\xa2")), max_size=40),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12), st.binary(max_size=12)), max_size=8),
    chunk_sizes,
)
def test_bytes_that_are_no_utf8_are_kept(
    parts: list[bytes], edits: list[tuple[int, int, bytes]], chunk_size: int
) -> None:
    with chunks_of(chunk_size):
        data = b"".join(parts)
        text = Text.of(data)
        for start, size, new in edits:
            start = min(start, len(data))
            end = min(start + size, len(data))
            data = data[:start] + new + data[end:]
            before = text
            text, edit = text.replace(start, end, new)
            assert (edit.start_byte, edit.old_end_byte, edit.new_end_byte) == (start, end, start + len(new))
            assert edit.start_point == before.tree_point(start)
            assert edit.old_end_point == before.tree_point(end)
            assert edit.new_end_point == text.tree_point(start + len(new))
            assert bytes(text) == data
            # Latin-1 gives every byte a character, and no line break of LSP is anything but ASCII.
            latin = data.decode("latin-1")
            lines = [latin[a:c].encode("latin-1") for a, _, c in twin_lines(latin)]
            assert [text.line(i) for i in range(text.line_count)] == lines
            for offset in range(len(data) + 1):
                row = data[:offset].split(b"\n")
                assert text.tree_point(offset) == (len(row) - 1, len(row[-1]))
                for encoding in ENCODINGS:
                    line, units = text.position(offset, encoding)
                    assert 0 <= text.locate(line, units, encoding) <= offset


@settings(deadline=None)
@given(texts, texts, texts, texts, chunk_sizes)
@example("a", "é", "è", "z", 4)
@example("a", "é", "ĩ", "z", 4)
@example("", "🎉", "🐉🐉", "", 4)
def test_diff_edit_equals_the_slow_twin(head: str, old: str, new: str, tail: str, chunk_size: int) -> None:
    with chunks_of(chunk_size):
        before, after = pairs_joined(head + old + tail), pairs_joined(head + new + tail)
        start = 0
        while start < min(len(before), len(after)) and before[start] == after[start]:
            start += 1
        kept = 0
        while kept < min(len(before), len(after)) - start and before[-1 - kept] == after[-1 - kept]:
            kept += 1
        old_text, new_text = Text.of(before), Text.of(after)
        edit = diff_edit(old_text, new_text)
        assert edit == twin_edit(before, after, start, len(before) - kept, len(after) - kept)
        made, same = old_text.replace(
            edit.start_byte, edit.old_end_byte, new_text.slice(edit.start_byte, edit.new_end_byte)
        )
        assert made == new_text and same == edit


@given(st.binary(max_size=20), st.binary(max_size=8), st.binary(max_size=8), st.binary(max_size=20))
def test_diff_edit_of_any_bytes_leads_to_the_new_text(head: bytes, old: bytes, new: bytes, tail: bytes) -> None:
    before, after = Text.of(b"." + head + old + tail), Text.of(b"." + head + new + tail)
    edit = diff_edit(before, after)
    made, same = before.replace(edit.start_byte, edit.old_end_byte, after.slice(edit.start_byte, edit.new_end_byte))
    assert made == after and same == edit


def test_diff_edit_finds_one_change_in_a_large_text() -> None:
    before = "".join(f"line {number} of a large text\n" for number in range(20_000))
    at = before.index("line 9876 ")
    after = before[:at] + "LINE" + before[at + 4 :]
    assert diff_edit(Text.of(before), Text.of(after)) == twin_edit(before, after, at, at + 4, at + 4)


# Positions: "‸" marks places in a line; what stands before it, encoded by Python's codecs, is where it is.

MARKED_LINES = (
    "‸",
    "‸plain ‸ascii‸",
    "‸/* 🎉漢 */ function ‸p‸a‸y‸(n) { return n * 2 }‸\r\n",
    "‸/* 🎉🎉漢 */ function ‸pay‸(n) { return n * 2 }\n",
    "é‸é‸\r",
    "e‸\u0301‸x‸",
    "👩‸\u200d‸🚀‸!‸\n",
    "𝒳‸𝒴‸z‸",
    "한‸글‸𝒳‸\r\n",
    "\ufeff‸def ‸f():\n",
    "a\f‸b\v‸c\x85‸d\u2028‸e\u2029‸\n",
    "lone \ud83c‸ and \udf89‸ and 🎉‸\n",
    "‸\ud83c‸\ud83c‸🎉‸\udf89‸\r",
)


def check_marked_line(marked: str, encoding: Encoding) -> None:
    *before_marks, _ = marked.split("‸")
    line = utf8(marked.replace("‸", ""))
    prefix = ""
    for part in before_marks:
        prefix += part
        column, units = len(utf8(prefix)), units_of(prefix, encoding)
        assert to_units(line, column, encoding) == units
        assert from_units(line, units, encoding) == column


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("marked", MARKED_LINES)
def test_marked_positions_convert_both_ways(marked: str, encoding: Encoding) -> None:
    check_marked_line(marked, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("line", ("a🎉b", "🎉", "漢漢\n", "한🎉é\r\n", "\ud83c🎉\ud83c\n", "𝒳" * 5))
def test_a_place_inside_a_character_is_its_start(line: str, encoding: Encoding) -> None:
    data = utf8(line)
    content = line.rstrip("\r\n")
    for index, character in enumerate(content):
        column, units = len(utf8(content[:index])), units_of(content[:index], encoding)
        for inside in range(units_of(character, encoding)):
            assert from_units(data, units + inside, encoding) == column
        for inside in range(len(utf8(character))):
            assert to_units(data, column + inside, encoding) == units


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("ending", ("", "\n", "\r\n", "\r"))
@pytest.mark.parametrize("content", ("", "plain", "naïve 🎉", "\ud83c"))
def test_a_place_past_the_end_is_before_the_line_break(content: str, ending: str, encoding: Encoding) -> None:
    line = utf8(content + ending)
    for past in (0, 1, 2, 2**31 - 1):
        assert from_units(line, units_of(content, encoding) + past, encoding) == len(utf8(content))
        assert to_units(line, len(utf8(content)) + past, encoding) == units_of(content, encoding)
    assert from_units(line, -3, encoding) == 0 and to_units(line, -3, encoding) == 0


@given(st.binary(max_size=12).filter(lambda data: b"\n" not in data and b"\r" not in data and b"\xed" not in data))
def test_bytes_that_are_no_utf8_count_as_the_replacement_that_editors_show(line: bytes) -> None:
    shown = line.decode("utf-8", "replace")
    assert to_units(line, len(line), "utf-32") == len(shown)
    assert to_units(line, len(line), "utf-16") == units_of(shown, "utf-16")
    assert to_units(line, len(line), "utf-8") == len(line)
    starts = {from_units(line, units, "utf-32") for units in range(len(shown) + 1)}
    assert len(starts) == len(shown) + 1
    for column in starts:
        assert from_units(line, to_units(line, column, "utf-16"), "utf-16") == column


# What a client does, step by step: (text with "‸" at the start and "‡" at the end of the change, what is typed).

STEPS = (
    ("split a line break", "a\r‸‡\nb", "x"),
    ("join a line break", "a\r‸x‡\nb", ""),
    ("a form feed is no line break", "def a():\n    pass\n\f\ndef b():\n    return ‸1‡\n", "2"),
    ("line separators are no line breaks", "a\u2028b\u2029c\x85d\ve\n‸‡f", "g\n"),
    ("before an astral name", "/* ‸‡🎉漢 */ function pay(n) {}", "🎉"),
    ("everything goes", "‸one\r\ntwo\rthree\n‡", ""),
    ("into nothing", "‸‡", "one\r\ntwo"),
    ("behind the last line break", "one\n‸‡", "two"),
    ("half a pair completes one", "\ud83c‸‡!", "\udf89"),
    ("what parted a pair goes", "\ud83c‸x‡\udf89", ""),
)


def check_step(marked: str, typed: str, encoding: Encoding) -> None:
    before, middle = marked.split("‸")
    gone, after = middle.split("‡")
    old = before + gone + after
    # The client's positions, by the twin. Between "\r" and "\n" there is none that stays, so bytes do it.
    start, end = len(utf8(before)), len(utf8(before + gone))
    if before.endswith("\r"):
        text, _ = Text.of(old).replace(start, end, utf8(typed))
    else:
        lines = twin_lines(before), twin_lines(before + gone)
        corners = tuple(
            (len(found) - 1, units_of(whole[found[-1][0] :], encoding))
            for found, whole in zip(lines, (before, before + gone), strict=True)
        )
        text, edits = apply_changes(Text.of(old), [TextChange((corners[0], corners[1]), typed)], encoding)
        assert edits is not None and len(edits) == 1
        # The wrong way round is the same change.
        turned = TextChange((corners[1], corners[0]), typed)
        assert apply_changes(Text.of(old), [turned], encoding) == (text, edits)
    check_text(text, pairs_joined(before + typed + after))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("marked", "typed"), [step[1:] for step in STEPS], ids=[step[0] for step in STEPS])
def test_a_step_of_a_client(marked: str, typed: str, encoding: Encoding) -> None:
    check_step(marked, typed, encoding)


def test_a_whole_replacement_gives_no_edits_even_among_others() -> None:
    ranged = TextChange(((0, 0), (0, 1)), "z")
    text, edits = apply_changes(Text.of("abc"), [ranged, TextChange(None, "x\ny"), ranged], "utf-16")
    assert bytes(text) == b"z\ny" and edits is None


def test_no_change_is_no_edit() -> None:
    text = Text.of("abc")
    assert apply_changes(text, [], "utf-16") == (text, ())


@pytest.mark.parametrize(
    ("data", "content", "bom", "content_start"),
    (
        (b"\xef\xbb\xbfdef f(): pass\r\n", "def f(): pass\r\n", True, 0),
        (b"\xef\xbb\xbf\xef\xbb\xbfx", "\ufeffx", True, 3),
        (b"\xef\xbb\xbf", "", True, 0),
        (b"x\xef\xbb\xbf", "x\ufeff", False, 0),
        ("\ufeffdef f(): pass\n", "\ufeffdef f(): pass\n", False, 3),
        ("plain", "plain", False, 0),
    ),
)
def test_byte_order_marks(data: str | bytes, content: str, bom: bool, content_start: int) -> None:
    text = Text.of(data)
    assert (text.bom, text.content_start) == (bom, content_start)
    check_text(text, content)
    assert text.replace(0, 0, b"# ")[0].bom is bom
    assert apply_changes(text, [TextChange(None, "new")], "utf-8")[0].bom is bom


@pytest.mark.parametrize(("start", "end"), ((-1, 0), (2, 1), (0, 4), (4, 4)))
def test_replace_refuses_a_range_outside_the_text(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="in a text of 3 bytes"):
        Text.of("abc").replace(start, end, b"")


# tree-sitter itself says how it counts.

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
FUNCTION = "def f(a):\r\n    return '漢🎉' + a\r\f\r\n"
PYTHON = "\ufeff" + (FUNCTION + "class B:\n    x = 1  # é\u2028y\n\n    def g(self): pass\n") * 120


def nodes(tree: tree_sitter.Tree) -> list[tree_sitter.Node]:
    found = [tree.root_node]
    for node in found:
        found.extend(node.children)
    return found


def signature(tree: tree_sitter.Tree) -> list[tuple[str, int, int]]:
    return [(node.type, node.start_byte, node.end_byte) for node in nodes(tree)]


def test_points_and_reading_are_as_tree_sitter_counts() -> None:
    text = Text.of(PYTHON)
    assert len(text) > 2 * len(text.read(0)) > 0
    assert len(text.read(0)) <= text_module.READ
    whole = PARSER.parse(bytes(text))
    assert signature(PARSER.parse(text.read)) == signature(whole)
    for node in nodes(whole):
        assert tuple(node.start_point) == text.tree_point(node.start_byte)
        assert tuple(node.end_point) == text.tree_point(node.end_byte)


def test_tree_sitter_skips_a_mark_at_the_start() -> None:
    text = Text.of("\ufeffdef f(): pass\n")
    definition = PARSER.parse(bytes(text)).root_node.children[0]
    assert (definition.type, definition.start_byte) == ("function_definition", text.content_start)


@settings(deadline=None, max_examples=40)
@given(st.lists(changes, min_size=1, max_size=4), st.sampled_from(ENCODINGS))
def test_a_tree_edited_by_our_edits_stands_where_the_text_says(batch: Sequence[TextChange], encoding: Encoding) -> None:
    old = Text.of(PYTHON[:180])
    tree = PARSER.parse(bytes(old))
    new, edits = apply_changes(old, batch, encoding)
    assert edits is not None
    for edit in edits:
        tree.edit(
            edit.start_byte,
            edit.old_end_byte,
            edit.new_end_byte,
            edit.start_point,
            edit.old_end_point,
            edit.new_end_point,
        )
    # Syntax errors may be mended another way than from scratch, so only where nodes stand is compared.
    again = PARSER.parse(new.read, tree)
    for node in nodes(again):
        assert tuple(node.start_point) == new.tree_point(node.start_byte)
        assert tuple(node.end_point) == new.tree_point(node.end_byte)
