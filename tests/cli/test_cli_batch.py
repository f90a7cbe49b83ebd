"""`record --batch`: one answer a line, in order, and the same as recording one by one."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from conftest import Repository

GOOD = {"anchors": ["src/auth.py#login"], "kind": "note", "text": "Keep."}


def batch(repo: Repository, *lines: str | bytes | dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    data = b"\n".join(line if isinstance(line, bytes) else dumped(line).encode() for line in lines)
    done = repo("record", "--batch", "-", stdin=data)
    return done.code, [json.loads(line) for line in done.out.splitlines()]


def dumped(line: str | dict[str, Any]) -> str:
    return line if isinstance(line, str) else json.dumps(line)


WRONG: dict[str, tuple[str | bytes | dict[str, Any], str]] = {
    "no JSON": ("{", "no JSON"),
    "no object": ("[1]", "no object"),
    "deep": ("[" * 100_000, "no JSON"),
    "no UTF-8": (b'{"text": "\xff"}', "not UTF-8"),
    "no kind": ({"text": "x"}, "kind"),
    "no text": ({"kind": "note"}, "text"),
    "odd key": ({**GOOD, "tag": ["a"]}, "did you mean tags?"),
    "unknown kind": ({**GOOD, "kind": "nota"}, "decision"),
    "empty text": ({**GOOD, "text": " "}, "empty"),
    "text no text": ({**GOOD, "text": 1}, "text is a text"),
    "anchors no list": ({**GOOD, "anchors": "src/auth.py"}, "list"),
    "anchor a number": ({**GOOD, "anchors": [3]}, "anchor"),
    "anchor without file": ({**GOOD, "anchors": [{"symbol": "login"}]}, "file"),
    "anchor with odd key": ({**GOOD, "anchors": [{"file": "src/auth.py", "name": "login"}]}, "name"),
    "line no line": ({**GOOD, "anchors": [{"file": "src/auth.py", "line": 0}]}, "from 1"),
    "lines no lines": ({**GOOD, "anchors": [{"file": "src/auth.py", "lines": [1]}]}, "two numbers"),
    "no such symbol": ({**GOOD, "anchors": ["src/auth.py#lgin"]}, "login"),
    "no such file": ({**GOOD, "anchors": ["src/nothere.py"]}, "no file"),
    "no such file in an object": ({**GOOD, "anchors": [{"file": "src/nothere.py"}]}, "no such file"),
    "importance": ({**GOOD, "importance": "high"}, "1 to 5"),
    "expires": ({**GOOD, "expires": "soon"}, "2027-03-31"),
    "tags": ({**GOOD, "tags": "a"}, "list"),
    "local": ({**GOOD, "local": 1}, "true or false"),
    "sensitivity": ({**GOOD, "sensitivity": "high"}, "interface"),
}


@pytest.mark.parametrize(("line", "says"), WRONG.values(), ids=WRONG.keys())
def test_a_bad_line_is_said_and_stops_no_other(line: str | bytes | dict[str, Any], says: str, repo: Repository) -> None:
    code, answers = batch(repo, {**GOOD, "text": "Before."}, "", line, "  ", {**GOOD, "text": "After."}, "")
    assert code == 1
    assert [one.get("text") for one in answers] == ["Before.", None, "After."]
    assert set(answers[1]) == {"error", "line"} and answers[1]["line"] == 3
    assert says in answers[1]["error"] and "\n" not in answers[1]["error"]
    assert sorted(one["text"] for one in repo("list", "--json").json["memories"]) == ["After.", "Before."]


def test_answers_are_those_of_record(repo: Repository) -> None:
    lines = [
        {"anchors": [{"file": "src/auth.py", "line": 4}, "README.md"], "kind": "decision", "text": "Two."},
        {"kind": "note", "text": "None.", "tags": ["b", "a"], "importance": 2, "expires": "2099-01-01"},
        {"anchors": [{"file": "src/auth.py", "lines": [18, 20]}], "kind": "note", "text": "Lines.", "author": "Bob"},
        {"anchors": [{"file": "src/auth.py", "hash": "00" * 32}], "kind": "note", "text": "Other.", "local": True},
    ]
    code, (two, none, region, other) = batch(repo, *lines)
    assert code == 0
    assert [(one["file"], one["symbol"]) for one in two["anchors"]] == [
        ("src/auth.py", "Provider.verify"),
        ("README.md", None),
    ]
    assert (none["anchors"], none["tags"], none["importance"], none["expires"]) == ([], ["a", "b"], 2, "2099-01-01")
    assert (region["anchors"][0]["lines"], region["author"]) == ([18, 20], "Bob")
    assert (other["stale"], other["home"], other["anchors"][0]["verdict"]) == (True, "local", "changed")
    assert all(one["created"] is True for one in (two, none, region, other))
    code, again = batch(repo, *lines)
    assert code == 0
    assert [one["id"] for one in again] == [one["id"] for one in (two, none, region, other)]
    assert not any(one["created"] for one in again)


def test_people_are_told_how_many(repo: Repository) -> None:
    lines = "\n".join(map(json.dumps, ({**GOOD, "text": "new"}, GOOD, GOOD, {**GOOD, "kind": "nota"})))
    repo("record", "src/auth.py#login", "--kind", "note", "--text", "new")
    done = repo("record", "--batch", "-", stdin=lines)
    assert done.err == "1 memory recorded, 2 known already, 1 line refused\n"


def test_line_picks_among_several_with_one_path(repo: Repository) -> None:
    repo.write("two.py", "def f(a):\n    return [a, 1]\n\n\ndef f(b):\n    return [b, 2]\n")
    anchors = [*({"file": "two.py", "symbol": "f", "line": line} for line in (1, 5, 6)), "two.py#f[2]"]
    lines = [{"anchors": [anchor], "kind": "note", "text": str(number)} for number, anchor in enumerate(anchors)]
    _, answers = batch(repo, *lines)
    assert [one["anchors"][0]["now"]["start_line"] for one in answers] == [1, 5, 5, 5]


TEXTS = ("one", "two", "three")
PLACES = (*(f"src/auth.py{rest}" for rest in ("#login", "#logout", "", ":13-15", "#gone")), "README.md")

LINES = st.lists(
    st.fixed_dictionaries(
        {
            "anchors": st.lists(st.sampled_from(PLACES), max_size=2),
            "kind": st.sampled_from(("decision", "note", "nota")),
            "text": st.sampled_from(TEXTS),
        },
        optional={"tags": st.lists(st.sampled_from(("a", "b")), max_size=2), "importance": st.integers(1, 5)},
    ),
    max_size=8,
)


def known(answer: dict[str, Any]) -> dict[str, Any]:
    """What must be equal of two answers that were given at different times."""
    if "error" in answer:
        return {"error": answer["error"]}
    anchors = [{**anchor, "accepted": None} for anchor in answer["anchors"]]
    # Checks are proposed, and what is near or at odds is said, to somebody who records one memory and may answer.
    rest = {key: value for key, value in answer.items() if key not in ("proposed_checks", "near", "conflicts")}
    return {**rest, "recorded": None, "anchors": anchors}


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES)
def test_a_batch_is_as_recording_one_by_one(lines: list[dict[str, Any]], repo: Repository) -> None:
    shutil.rmtree(repo.path / ".moorline", ignore_errors=True)
    _, together = batch(repo, *lines)
    stored = {name: data for name, data in repo.ledger().items() if name.endswith("memory.md")}

    shutil.rmtree(repo.path / ".moorline", ignore_errors=True)
    apart = []
    for line in lines:
        words = [word for tag in line.get("tags", ()) for word in ("--tag", tag)]
        words += ["--importance", str(line["importance"])] if "importance" in line else []
        done = repo("record", *line["anchors"], "--kind", line["kind"], "--text", line["text"], "--json", *words)
        apart.append(
            done.json if done.code == 0 else {"error": done.err.removeprefix("moorline record: ").rstrip("\n")}
        )
    assert [known(one) for one in together] == [known(one) for one in apart]
    assert stored == {name: data for name, data in repo.ledger().items() if name.endswith("memory.md")}
