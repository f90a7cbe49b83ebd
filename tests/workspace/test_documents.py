"""Open buffers: what the client shows is what we have, saved or not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core.source import read_source
from lsp_server.core.text import Text, TextChange
from lsp_server.workspace.documents import Document, change, open_document, renamed, saved

PAY = "def pay(n):\n    return n * 2\n\n\ndef other():\n    pass\n"


def opened(text: str = PAY, path: str = "a.py", language_id: str = "python") -> Document:
    return open_document(path, f"file:///W/{path}", 1, language_id, text)


def whole(document: Document, text: str) -> Document:
    return change(document, document.version + 1, [TextChange(None, text)], "utf-16")


def insert(document: Document, line: int, column: int, text: str) -> Document:
    where = ((line, column), (line, column))
    return change(document, document.version + 1, [TextChange(where, text)], "utf-16")


def check_parsed(document: Document) -> None:
    """The source kept edit by edit equals the one read from scratch."""
    fresh = read_source(document.path, document.text, document.language_id)
    assert document.source.state is fresh.state
    mine, theirs = document.source.outline, fresh.outline
    assert (mine is None) == (theirs is None)
    if mine is not None and theirs is not None:
        assert mine.symbols == theirs.symbols and mine.broken == theirs.broken


def test_open_change_save_undo() -> None:
    document = opened()
    assert document.saved and document.uri == "file:///W/a.py"
    edited = insert(document, 1, 11, "1 + ")
    assert (edited.version, edited.saved, edited.uri) == (2, False, document.uri)
    assert bytes(edited.text) == PAY.replace("n * 2", "1 + n * 2").encode()
    check_parsed(edited)
    undone = change(edited, 3, [TextChange(((1, 11), (1, 15)), "")], "utf-16")
    assert undone.saved
    assert saved(edited).saved
    assert not change(saved(edited), 3, [TextChange(((1, 11), (1, 15)), "")], "utf-16").saved
    assert document.saved and bytes(document.text) == PAY.encode()  # Nothing was changed in place.


def test_replacing_all_of_it() -> None:
    document = whole(opened(), "\n\n" + PAY)
    check_parsed(document)
    check_parsed(whole(document, ""))
    check_parsed(whole(whole(document, ""), PAY))
    assert whole(document, PAY).saved


def test_changes_of_one_message_follow_each_other() -> None:
    changes = [TextChange(None, ""), TextChange(((0, 0), (0, 0)), PAY), TextChange(((0, 4), (0, 7)), "🎉p")]
    document = change(opened("x"), 2, changes, "utf-16")
    assert bytes(document.text) == PAY.replace("pay", "🎉p").encode()
    check_parsed(document)


def test_the_disk_s_tree_is_used_again_where_text_and_language_are_equal() -> None:
    disk = read_source("a.py", Text.of(b"\xef\xbb\xbf" + PAY.encode()))
    assert open_document("a.py", "u", 1, "python", PAY, disk=disk).source is disk
    assert open_document("a.py", "u", 1, "python", PAY + " ", disk=disk).source is not disk
    assert open_document("b.py", "u", 1, "python", PAY, disk=disk).source.path == "b.py"
    plain = read_source("script", Text.of(PAY))
    assert plain.outline is None
    document = open_document("script", "u", 1, "python", PAY, disk=plain)
    assert document.source.outline is not None  # Only the editor knows its language.
    check_parsed(insert(document, 0, 0, "x = 1\n"))


def test_renamed() -> None:
    document = renamed(insert(opened(), 0, 0, "x"), "b.txt", "file:///W/b.txt")
    assert (document.path, document.source.path, document.uri) == ("b.txt", "b.txt", "file:///W/b.txt")
    assert not document.saved


def test_what_is_no_text_and_back() -> None:
    document = whole(opened(), "a\0b")
    check_parsed(document)
    check_parsed(insert(document, 0, 0, "y"))
    check_parsed(whole(document, PAY))


EDITS = st.tuples(
    st.integers(0, 60),
    st.integers(0, 60),
    st.sampled_from(
        ["", "x", "\n", "(", ")", '"""', "def f():\n    pass\n", "🎉", "    ", "# c\n", "\r\n", "class A:\n"]
    ),
)


@settings(max_examples=80, deadline=None)
@given(edits=st.lists(st.one_of(EDITS, st.none()), max_size=6))
def test_edits_equal_the_same_on_a_plain_string(edits: list[tuple[int, int, str] | None]) -> None:
    model, document = PAY, opened()
    for edit in edits:
        if edit is None:
            model = model.replace("n", "m", 1) + "\n"
            document = whole(document, model)
        else:
            start, end = sorted(min(at, len(model)) for at in edit[:2])
            # Between the two of a CRLF there is no LSP position.
            if any(model[at - 1 : at + 1] == "\r\n" for at in (start, end)):
                continue
            changed = TextChange((position(model, start), position(model, end)), edit[2])
            document = change(document, document.version + 1, [changed], "utf-32")
            model = model[:start] + edit[2] + model[end:]
        assert bytes(document.text) == model.encode()
        assert document.saved is (model == PAY)
        check_parsed(document)


def position(text: str, offset: int) -> tuple[int, int]:
    """LSP line and code point column, by splitting at LSP's line breaks."""
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n"), len(before) - (before.rfind("\n") + 1)
