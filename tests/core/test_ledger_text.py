"""`memory.md`, event files, loci and ids as text."""

from __future__ import annotations

import dataclasses
import json
import string
import time
import uuid
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core import front_matter
from lsp_server.core.fingerprint_json import from_json, to_json
from lsp_server.core.ids import (
    anchor_id,
    body_hash,
    event_file_name,
    folder_name,
    memory_id,
    normal_body,
    shared_event_id,
    slug,
    uuid7,
)
from lsp_server.core.ledger_text import (
    LedgerTextError,
    memory_data,
    memory_from_data,
    ours,
    read_event,
    read_memory,
    write_event,
    write_memory,
)
from lsp_server.core.locus import LocusError, parse_stored_locus, split_locus, stored_locus
from lsp_server.core.model import AnchorText, Event, Fingerprint, Locus, MemoryText, Sensitivity

ID = "776420d7-77c2-5286-9b04-a5da10f7dba4"

CANONICAL = f"""\
---
id: {ID}
kind: decision
anchors:
  - id: 1a2b3c4d
    at: src/pay.py#Ledger.refund
  - id: 5e6f7a8b
    at: docs/plan.md
    sensitivity: text
tags:
  - money
  - "no"
importance: 3
expires: 2027-01-31
checks:
  - calls src/pay.py#Ledger.refund
---

Refunds go through the ledger.

---
Never twice.
"""

MEMORY = MemoryText(
    ID,
    "decision",
    "Refunds go through the ledger.\n\n---\nNever twice.",
    (
        AnchorText("1a2b3c4d", Locus("src/pay.py", "Ledger.refund")),
        AnchorText("5e6f7a8b", Locus("docs/plan.md"), Sensitivity.TEXT),
    ),
    ("money", "no"),
    3,
    "2027-01-31",
    ("calls src/pay.py#Ledger.refund",),
)

# --- memory.md -------------------------------------------------------------------------------------------------------


def check_reads(data: str | bytes, expected: MemoryText) -> None:
    raw = data if isinstance(data, bytes) else data.encode()
    found = read_memory(raw)
    assert found == expected
    written = write_memory(found)
    assert read_memory(written) == expected
    assert write_memory(read_memory(written)) == written


def test_the_canonical_form_is_exactly_this() -> None:
    assert write_memory(MEMORY).decode() == CANONICAL
    check_reads(CANONICAL, MEMORY)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\n\n" + text,
        lambda text: text.replace("---\n\nRefunds", "---\nRefunds"),
        lambda text: text.replace("\nRefunds", "\n\n\n\nRefunds"),
        lambda text: text + "\n\n \n",
        lambda text: text.removesuffix("\n"),
        lambda text: text.replace('tags:\n  - money\n  - "no"\n', "tags: [no, money, no]  # mine\n"),
        lambda text: text.replace("expires: 2027-01-31", "expires: '2027-01-31'"),
        lambda text: text.replace("importance: 3", 'importance: "3"'),
        lambda text: text.replace("at: docs/plan.md", "at: ./docs//plan.md"),
        lambda text: text.replace(f"id: {ID}\nkind: decision", f"kind: decision\nid: {ID}\nformat: 1"),
        lambda text: text.replace("---\nid", "---  \nid"),
    ],
)
def test_hand_written_layout_means_the_same(change: Any) -> None:
    changed = change(CANONICAL)
    assert changed != CANONICAL
    check_reads(changed, MEMORY)


@pytest.mark.parametrize(
    "word", ["no", "on", "yes", "1.5", "007", "2026-11-30", "1e3", "null", "~", "0x1f", "=", "<<", "12:30"]
)
def test_text_stays_text(word: str) -> None:
    expires = word if word not in ("null", "~") else None
    text = f"---\nid: {ID}\nkind: note\ntags: [{word}]\nexpires: {word}\n---\nx\n"
    check_reads(text, MemoryText(ID, "note", "x", tags=(word,), expires=expires))


def test_what_a_newer_version_wrote_survives_in_its_own_spelling() -> None:
    text = f"""\
---
id: {ID}
kind: open_question
anchors:
  - id: 1a2b3c4d
    at: a.py
    weight: 0.5
follow-up: 2026-12-01
owner:
  names:
    - Ä
    - "3"
  open: true
  since: null
  size: 12
---

x
"""
    assert write_memory(read_memory(text.encode())).decode() == text
    found = read_memory(text.encode())
    assert found.unknown == {
        "follow-up": "2026-12-01",
        "owner": {"names": ["Ä", "3"], "open": True, "since": None, "size": 12},
    }
    assert found.anchors[0].unknown == {"weight": 0.5}


def test_an_anchor_written_by_hand_gets_the_id_that_a_clone_gives_it() -> None:
    text = f"---\nid: {ID}\nkind: note\nanchors:\n- a.py#f\n- at: a.py#f\n- at: b.py:7-3\n---\nx"
    anchors = read_memory(text.encode()).anchors
    assert [anchor.locus for anchor in anchors] == [Locus("a.py", "f"), Locus("a.py", "f"), Locus("b.py", None, (3, 7))]
    assert anchors == read_memory(text.encode()).anchors
    assert anchors[0].id == anchor_id(ID, Locus("a.py", "f"))
    assert len({anchor.id for anchor in anchors}) == 3


CONFLICT = CANONICAL.replace("importance: 3\n", "<<<<<<< HEAD\nimportance: 3\n=======\nimportance: 5\n>>>>>>> other\n")

BAD = {
    "empty": ("", 1, "front matter"),
    "no front matter": ("Just text\n---\n", 1, "front matter"),
    "endless": ("---\nid: x\n", 1, "does not end"),
    "no id": ("---\nkind: note\n---\nx", 2, "has no id"),
    "bad id": ("---\nkind: note\nid: 12\n---\nx", 3, "write id:"),
    "no kind": (f"---\nid: {ID}\n---\nx", 2, "has no kind"),
    "kind of two words": (f"---\nid: {ID}\nkind: a b\n---\nx", 3, "write kind:"),
    "list": ("---\n- a\n---\nx", 2, "list of keys"),
    "nothing": ("---\n---\nx", 2, "list of keys"),
    "not YAML": (f"---\nid: {ID}\nkind: a: b\n---\nx", 3, "double quotes"),
    "tab": (f"---\nid: {ID}\n\tkind: a\n---\nx", 3, "not YAML"),
    "NUL": (f"---\nid: {ID}\nkind: no\0te\n---\nx", None, "not YAML"),
    "twice": (f"---\nid: {ID}\nkind: note\nid: {ID}\n---\nx", 4, "twice"),
    "alias": (f"---\nid: {ID}\nkind: &a note\nx: *a\n---\nx", 3, "alias"),
    "two documents": (f"---\nid: {ID}\nkind: note\n--- a\nx: b\n---\nx", 4, "two YAML documents"),
    "importance": (f"---\nid: {ID}\nkind: note\nimportance: high\n---\nx", 4, "importance: 3"),
    "tags": (f"---\nid: {ID}\nkind: note\ntags: money\n---\nx", 4, "after '- '"),
    "tags of tags": (f"---\nid: {ID}\nkind: note\ntags: [[a]]\n---\nx", 4, "after '- '"),
    "anchors": (f"---\nid: {ID}\nkind: note\nanchors: a.py\n---\nx", 4, "- at: FILE#SYMBOL"),
    "no place": (f"---\nid: {ID}\nkind: note\nanchors:\n- id: a\n---\nx", 5, "- at: FILE#SYMBOL"),
    "anchor ids": (
        f"---\nid: {ID}\nkind: note\nanchors:\n- {{id: a, at: x}}\n- {{id: a, at: y}}\n---\nx",
        6,
        "newer one",
    ),
    "sensitivity": (
        f"---\nid: {ID}\nkind: note\nanchors:\n- {{at: x, sensitivity: all}}\n---\nx",
        5,
        "interface, code",
    ),
    "newer": (f"---\nformat: 2\nid: {ID}\nkind: note\n---\nx", 2, "install a newer"),
    "conflict": (CONFLICT, CONFLICT[: CONFLICT.index("<<<<")].count("\n") + 1, "merge conflict"),
    "conflict, diff3, CRLF": (
        CONFLICT.replace("=======", "||||||| base\n=======").replace("\n", "\r\n"),
        CONFLICT[: CONFLICT.index("<<<<")].count("\n") + 1,
        "delete the lines",
    ),
    "bytes": (b"---\nid: \xff\n---\n", 2, "UTF-8"),
    "huge": (CANONICAL + "x" * (1 << 20), 1, "shorten"),
    "huge front matter": (f"---\nid: {ID}\nkind: note\ntags: [{'a, ' * 30000}]\n---\n", 1, "shorten"),
    "deep": (f"---\nid: {ID}\nx: {'[' * 200}{']' * 200}\n---\n", 3, "too deep"),
    "very deep": (f"---\nid: {ID}\nx: {'[' * 60000}\n---\n", None, ""),
    "deep mapping": (f"---\nid: {ID}\nx: {'{a: ' * 10000}\n---\n", 3, "too deep"),
    "many": (f"---\nid: {ID}\nx: [{'1,' * 30000}]\n---\n", 3, "too long"),
    "bomb": (
        "---\na: &a [x,x]\n"
        + "".join(f"{b}: &{b} [*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "---\n",
        2,
        "alias",
    ),
    "object": (f"---\nid: {ID}\nkind: !!python/object/apply:os.system ['true']\n---\n", 3, "write kind:"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_a_message_that_names_the_mend(name: str) -> None:
    data, line, part = BAD[name]
    started = time.process_time()
    with pytest.raises(LedgerTextError) as caught:
        read_memory(data if isinstance(data, bytes) else data.encode())
    assert time.process_time() - started < 5, "a hostile file takes no time"
    assert part in caught.value.message and "\n" not in caught.value.message
    assert line is None or caught.value.line == line
    assert caught.value.conflict is name.startswith("conflict")


@pytest.mark.parametrize("name", [name for name in BAD if name not in ("very deep", "NUL", "not YAML", "tab")])
def test_the_yaml_of_python_and_of_c_say_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front_matter, "_LOADER", yaml.BaseLoader)
    test_bad_files_get_a_message_that_names_the_mend(name)


def test_many_markers_that_are_no_conflict_take_no_time() -> None:
    body = "<<<<<<< a\n" * 50_000 + "=======\n" * 50_000
    started = time.process_time()
    assert read_memory(f"---\nid: {ID}\nkind: note\n---\n{body}".encode()).body == body.strip()
    assert time.process_time() - started < 5


def test_our_side_of_a_conflict() -> None:
    assert ours(CONFLICT.encode()) == CANONICAL.encode()
    diff3 = CONFLICT.replace("=======", "||||||| base\nimportance: 1\n=======")
    assert ours(diff3.replace("\n", "\r\n").encode()) == CANONICAL.encode()
    assert ours(CANONICAL.encode()) is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (MemoryText(ID, "note", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b"), "merge conflict"),
        (MemoryText(ID, "note", "x" * (1 << 20)), "shorten"),
        (MemoryText("1", "note", "x"), "id"),
        (MemoryText(ID, "note", "x", (AnchorText("a", Locus("caf\udce9.py")),)), "not UTF-8"),
        (MemoryText(ID, "note", "x", (AnchorText("a", Locus("a", "b#c")),)), "written down"),
        (MemoryText(ID, "note", "x", unknown={"a": object()}), "front matter"),
    ],
)
def test_what_would_not_read_back_is_not_written(text: MemoryText, part: str) -> None:
    with pytest.raises(LedgerTextError, match=part):
        write_memory(text)


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
words = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
tricky = st.sampled_from(
    ["no", "3", "1.0", "-", "- a", "a: b", "a #b", "'", '"', "|", "%a", "@", "`", "&a", "*a", "!x", "?"]
)
paths = st.one_of(
    st.sampled_from(["a.py", "src/a b.py", "My #1 (ü)/x.ts", "a:3", "a:3-4#b", "c#d.e", "x#"]),
    st.text(string.ascii_letters + " .:#é漢-\"'", min_size=1, max_size=12).filter(
        lambda path: parse_stored_locus(f"{path}#:1").file == path
    ),
)
segments = st.one_of(
    st.text(string.ascii_letters + "_ :()é", min_size=1, max_size=8),
    st.text(max_size=6).map(json.dumps),
)
symbols = st.lists(segments, min_size=1, max_size=3).map(".".join)
spans = st.tuples(st.integers(1, 999), st.integers(0, 999)).map(lambda pair: (pair[0], pair[0] + pair[1]))
loci = st.one_of(
    st.builds(Locus, paths),
    st.builds(Locus, paths, symbols),
    st.builds(lambda path, lines: Locus(path, None, lines), paths, spans),
)
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**18), 10**18),
        st.floats(allow_nan=False, allow_infinity=False),
        texts,
        tricky,
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=6,
)
unknowns = st.dictionaries(
    words.filter(
        lambda key: (
            key
            not in {
                "format",
                "id",
                "kind",
                "at",
                "sensitivity",
                "anchors",
                "tags",
                "importance",
                "expires",
                "checks",
                "body",
            }
        )
    ),
    values,
    max_size=3,
)
labels = st.one_of(tricky, words).filter(lambda text: text.strip() == text)
memories = st.builds(
    MemoryText,
    st.uuids().map(str),
    st.sampled_from(["decision", "note", "open_question"]),
    st.one_of(texts, st.lists(st.sampled_from(["---", "", "a: b", "```", "  x", "\r", "=======", "é"])).map("\n".join)),
    st.lists(loci, max_size=3).flatmap(
        lambda places: st.tuples(
            *(
                st.builds(
                    AnchorText, st.just(f"a{number}"), st.just(place), st.sampled_from([None, *Sensitivity]), unknowns
                )
                for number, place in enumerate(places)
            )
        )
    ),
    st.lists(labels, max_size=4).map(lambda tags: tuple(sorted(set(tags)))),
    st.one_of(st.none(), st.integers(-9, 99)),
    st.one_of(st.none(), labels.filter(lambda text: text not in ("~", "null"))),
    st.lists(labels, max_size=3, unique=True).map(tuple),
    unknowns,
)


@settings(max_examples=300)
@given(memories)
def test_round_trip(memory: MemoryText) -> None:
    try:
        data = write_memory(memory)
    except LedgerTextError as error:
        assert "control" in error.message or "not YAML" in error.message or "integer" in error.message
        return
    found = read_memory(data)
    assert memory_data(found) == memory_data(memory)
    assert write_memory(found) == data
    assert b"\r" not in data and data.endswith(b"\n")
    assert read_memory(data.replace(b"\n", b"\r\n")) == found
    assert memory_from_data(json.loads(json.dumps(memory_data(memory)))) == found
    assert yaml.safe_load(data.split(b"\n---\n")[0].decode())["id"] == memory.id, "any YAML reader reads it"


@settings(max_examples=300)
@given(st.binary(max_size=200), st.binary(max_size=60))
def test_no_bytes_break_the_reader(front: bytes, body: bytes) -> None:
    for data in (front, b"---\n" + front + b"\n---\n" + body):
        for read in (read_memory, read_event):
            try:
                read(data)
            except LedgerTextError as error:
                assert error.message and error.line >= 1


# --- events ----------------------------------------------------------------------------------------------------------

EVENT = Event(
    uuid7(0, 0),
    "withdrawn",
    "2026-11-30T10:53:22Z",
    "Ü <u@example.org>",
    "abc",
    ("b", "a"),
    {"baseline": "x", "new": [1, None]},
)


def test_the_canonical_form_of_an_event() -> None:
    expected = """\
{
 "after": [
  "a",
  "b"
 ],
 "author": "Ü <u@example.org>",
 "baseline": "x",
 "id": "00000000-0000-7000-8000-000000000000",
 "new": [
  1,
  null
 ],
 "revision": "abc",
 "time": "2026-11-30T10:53:22Z",
 "type": "withdrawn"
}
"""
    assert write_event(EVENT).decode() == expected
    found = read_event(expected.replace("\n", "\r\n").encode())
    assert (found.id, found.after, found.data) == (EVENT.id, ("a", "b"), EVENT.data)
    assert event_file_name(EVENT) == "20261130T105322Z-00000000-0000-7000-8000-000000000000.json"


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.one_of(st.none(), st.integers(), st.text(), st.floats(allow_nan=False, allow_infinity=False)),
            lambda i: st.lists(i, max_size=3),
        ),
        max_size=4,
    ),
    st.sets(st.text(max_size=5), max_size=3),
    st.text(st.characters(), max_size=9),
)
def test_events_round_trip(data: dict[str, Any], after: set[str], author: str) -> None:
    reserved = {"id", "type", "time", "author", "revision", "after"}
    event = Event("e", "x", "2026-11-30T10:53:22.125Z", author, "", tuple(sorted(after)), data)
    if reserved & set(data):
        with pytest.raises(LedgerTextError):
            write_event(event)
        return
    written = write_event(event)
    assert write_event(read_event(written)) == written
    if not any("\ud800" <= character <= "\udfff" for character in json.dumps(data, ensure_ascii=False) + author):
        assert read_event(written) == event


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "not JSON"),
        (b"{", "restore it from git"),
        (b"[]", "object"),
        (b"[" * 100_000, ""),
        (b'{"id": NaN}', "NaN"),
        (b'{"id": ' + b"9" * 10_000 + b"}", ""),
        (b'{"id": "a", "type": "t"}', "'time'"),
        (b'{"id": "a", "type": "t", "time": "yesterday"}', "UTC"),
        (b'{"id": "a", "type": "t", "time": "2026-11-30T10:53:22+01:00"}', "UTC"),
        (b'{"id": "a", "type": "t", "time": "2026-11-30T10:53:22Z", "after": "x"}', "'after'"),
        (b'{"id": "a", "type": "t", "time": "2026-11-30T10:53:22Z", "author": 3}', "author"),
        (b'{\n<<<<<<< a\n"id": "a"\n=======\n"id": "b"\n>>>>>>> b\n}', "merge conflict"),
        (b"\xff\xfe", "UTF-8"),
        (b" " * (1 << 21), "shorten"),
    ],
)
def test_bad_events_get_a_message(data: bytes, part: str) -> None:
    with pytest.raises(LedgerTextError) as caught:
        read_event(data)
    assert part in caught.value.message


# --- fingerprints ----------------------------------------------------------------------------------------------------

FINGERPRINT = Fingerprint(
    scheme=1,
    kind="symbol",
    file_sha256="f" * 64,
    text="t",
    code="c",
    masked="m",
    interface="i",
    own="o",
    members={"a": "b"},
    parts={"body": "c"},
    siblings=(("x", "y"),),
    occurrence=(2, 3),
    sketch="s",
    tokens=9,
    trivial=True,
    symbol_kind="method",
    language="python",
    grammar="python 0.23.6",
    context=("before", "after"),
    peers="p",
    errors=("e", "f"),
    unknown={"newer": [1]},
)


def test_no_field_of_a_fingerprint_is_forgotten() -> None:
    bare = Fingerprint(1, "symbol", "f" * 64, "t")
    for field in dataclasses.fields(Fingerprint)[4:]:
        assert getattr(FINGERPRINT, field.name) != getattr(bare, field.name), f"give {field.name} a value above"


def test_fingerprints_round_trip_and_leave_out_what_is_empty() -> None:
    assert from_json(json.loads(json.dumps(to_json(FINGERPRINT)))) == FINGERPRINT
    bare = Fingerprint(1, "file", "f" * 64, "")
    assert set(to_json(bare)) <= {"scheme", "kind", "file_sha256", "text"}
    assert from_json(to_json(bare)) == bare


@pytest.mark.parametrize(
    "change",
    [{"scheme": "1"}, {"members": ["a"]}, {"siblings": [["a"]]}, {"trivial": 1}, {"occurrence": [1]}, {"tokens": None}],
)
def test_a_fingerprint_of_the_wrong_shape_is_refused_by_field(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        from_json({**to_json(FINGERPRINT), **change})


# --- loci ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "locus"),
    [
        ("a.py", Locus("a.py")),
        ("src/a.py#A.b", Locus("src/a.py", "A.b")),
        ("a.py:3", Locus("a.py", None, (3, 3))),
        ("a.py:3-9", Locus("a.py", None, (3, 9))),
        ('a#b.py#"x#y".z', Locus("a#b.py", '"x#y".z')),
        ('a.py#"x\\"#y"', Locus("a.py", '"x\\"#y"')),
        ("My #1/x.py#", Locus("My #1/x.py")),
        ("a:3#", Locus("a:3")),
        ("a#b.py#:3-4", Locus("a#b.py", None, (3, 4))),
        ("C.h#operator:()", Locus("C.h", "operator:()")),
    ],
)
def test_stored_loci(text: str, locus: Locus) -> None:
    assert parse_stored_locus(text) == locus
    assert stored_locus(locus) == text


@settings(max_examples=300)
@given(loci)
def test_every_locus_has_a_stored_form(locus: Locus) -> None:
    assert parse_stored_locus(stored_locus(locus)) == locus


@given(st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text))
def test_every_text_is_some_locus(text: str) -> None:
    once = parse_stored_locus(text)
    assert parse_stored_locus(stored_locus(once)) == once


FILES = {"a.py", "dir/b.py", "My #1/x.py", "a:3", "c#d"}


@pytest.mark.parametrize(
    ("text", "locus"),
    [
        ("a.py", Locus("a.py")),
        ("a.py#f", Locus("a.py", "f")),
        ("a.py#A.f[2]", Locus("a.py", "A.f[2]")),
        ("a.py:12", Locus("a.py", None, (12, 12))),
        ("a.py:12:5", Locus("a.py", None, (12, 12))),
        ("a.py:9-3", Locus("a.py", None, (3, 9))),
        ("My #1/x.py", Locus("My #1/x.py")),
        ("My #1/x.py#g", Locus("My #1/x.py", "g")),
        ("a:3", Locus("a:3")),
        ("a:3:7", Locus("a:3", None, (7, 7))),
        ("c#d#e", Locus("c#d", "e")),
        ('a.py#"x#y".z:1', Locus("a.py", '"x#y".z:1')),
        ("a.py#", Locus("a.py")),
    ],
)
def test_loci_that_people_type(text: str, locus: Locus) -> None:
    assert split_locus(text, FILES.__contains__) == locus


@pytest.mark.parametrize(
    ("text", "part"),
    [("", "FILE"), ("a.py:x", "a.py:12"), ("a.py:0", "a.py:12"), ("gone.py#f", "'gone.py'"), ("a\0", "FILE")],
)
def test_loci_that_are_none(text: str, part: str) -> None:
    with pytest.raises(LocusError, match=part):
        split_locus(text, FILES.__contains__)


# --- ids and names ---------------------------------------------------------------------------------------------------


def test_the_uuid7_of_the_standard() -> None:
    # RFC 9562, appendix A.6: 2022-02-22T19:22:22Z, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    assert uuid7(0x017F22E279B0, 0xCC3 << 62 | 0x18C4DC0C0C07398F) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
    many = [uuid7() for _ in range(500)]
    assert many == sorted(many) and len({one.replace("-", "")[:12] for one in many}) == 500
    assert {uuid.UUID(one).version for one in many} == {7}


def test_content_kinds_are_one_memory_and_occurrences_are_not() -> None:
    place = Locus("a.py", "f")
    one = memory_id("decision", "Keep it.\r\n", place)
    assert one == memory_id("decision", "\n\nKeep it.\n \n", place)
    assert uuid.UUID(one).version == 5
    others = {
        memory_id("note", "Keep it.", place),
        memory_id("decision", "Keep it", place),
        memory_id("decision", "Keep it.", None),
    }
    assert len(others | {one}) == 4
    finding = memory_id("finding", "x", place)
    assert finding != memory_id("finding", "x", place) and uuid.UUID(finding).version == 7


def test_ids_do_not_change_between_versions() -> None:
    # Written down when the first version was: a change of any would tear existing ledgers apart.
    assert memory_id("decision", "Refunds go through the ledger.", Locus("src/pay.py", "refund")) == PINNED_MEMORY
    assert anchor_id(PINNED_MEMORY, Locus("src/pay.py", "refund")) == PINNED_ANCHOR
    assert body_hash("x\n") == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"  # sha256sum of "x"


PINNED_MEMORY = "241ecdc8-b4da-551b-abd3-644e2a551a75"
PINNED_ANCHOR = "e19213a8"


def test_anchor_ids() -> None:
    place = Locus("a.py", "f")
    one = anchor_id(ID, place)
    assert one == anchor_id(ID, place) and len(one) == 8
    assert (
        len({one, anchor_id(ID, place, 2), anchor_id(ID, Locus("a.py", "g")), anchor_id(ID, place, taken={one})}) == 4
    )


def test_shared_events_have_one_id_and_others_another() -> None:
    data = {"anchor": "a", "base": "x", "place": "y", "code": "c"}
    one = shared_event_id("followed", data)
    assert one == shared_event_id("followed", dict(reversed(data.items())))
    assert one != shared_event_id("followed", {**data, "code": "d"})


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("Refunds go through the ledger: never twice, because", "refunds-go-through-the-ledger-never"),
        ("\n# Überweisung für 3 Kunden", "uberweisung-fur-3-kunden"),
        ("漢字", "memory"),
        ("", "memory"),
        ("../../etc/passwd", "etc-passwd"),
        ("42", "memory"),
        ("----\nnext line", "next-line"),
        ("x" * 90, "x" * 40),
    ],
)
def test_slugs(body: str, name: str) -> None:
    assert slug(body) == name
    assert folder_name(ID, body) == f"{name}-776420d777c2"


@given(st.text())
def test_normal_bodies_stay(body: str) -> None:
    once = normal_body(body)
    assert normal_body(once) == once
    assert once.encode().decode() == once
    assert body_hash(body) == body_hash(once)


@pytest.mark.parametrize("time_", ["2026-11-30T10:53:22+00:00", "../../x", ""])
def test_an_event_of_a_strange_time_has_no_file_name(time_: str) -> None:
    with pytest.raises(ValueError, match="UTC"):
        event_file_name(Event("a", "t", time_, "", "", (), {}))


@pytest.mark.parametrize("identifier", ["../x", "", "a/b", "a" * 65, "a.b"])
def test_an_event_of_a_strange_id_has_no_file_name(identifier: str) -> None:
    with pytest.raises(ValueError, match="UUID"):
        event_file_name(Event(identifier, "t", "2026-11-30T10:53:22Z", "", "", (), {}))
