"""What is owed: in which order, with which command, and what of it several workspaces make together.

That each command settles what it is for is driven through the command line, in `tests/cli/test_cli_backlog.py`.
"""

from __future__ import annotations

import json
import random
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.kinds import KINDS, Kind, kind_of
from lsp_server.core.model import Entered, Memory
from lsp_server.core.source import Source
from lsp_server.features import operations
from lsp_server.features.backlog import (
    QUESTIONS,
    backlog,
    group_counts,
    still_open,
    together,
    unanswered,
)
from lsp_server.features.dues import WHAT, Owed, groups, order_of, settling, title_of
from lsp_server.features.typed import whole_evidence
from lsp_server.store.activity import Question, normal_question
from lsp_server.workspace.config import Settings
from lsp_server.workspace.paths import Root
from lsp_server.workspace.snapshot import Snapshot, Stamp


def owed(what: str = "stale", **more: Any) -> Owed:
    facts = {"id": "1", "kind": "note", "title": "x", "place": "a.py", "detail": "d", "heat": 0.0, "since": None}
    return Owed(what, **{**facts, "command": "moorline show 1", **more})


FIRST = {
    "what is contradicted before what is stale": (owed("contradicted"), owed("stale", heat=9.0)),
    "what is stale before what is missing": (owed("stale"), owed("missing")),
    "a fix to verify before a follow-up": (owed("fixed_unverified"), owed("follow_up")),
    "anything before a question": (owed("unverifiable"), owed("unanswered", heat=99.0)),
    "what this version knows before what it does not": (owed("unanswered"), owed("another")),
    "the code's own change before that of members": (owed(heat=0.0), owed(heat=9.0, mild=True)),
    "what is used most": (owed(heat=2.0, since="2026-02-01"), owed(heat=1.0, since="2026-01-01", importance=5)),
    "what matters most": (owed(importance=4), owed(importance=3, since="2026-01-01")),
    "what waits longest": (owed(since="2026-01-01"), owed(since="2026-02-01", id="0")),
    "what waits since it is known when": (owed(since="2026-01-01"), owed(id="0")),
    "by id, so that two runs agree": (owed(id="1"), owed(id="2")),
}


@pytest.mark.parametrize(("first", "second"), FIRST.values(), ids=FIRST.keys())
def test_what_is_more_pressing(first: Owed, second: Owed) -> None:
    assert first.rank < second.rank


def test_every_state_that_owes_something_is_a_group_with_a_title() -> None:
    states = {state for row in KINDS.values() for state in row.owed}
    assert states <= set(groups()) and set(WHAT) <= set(groups()) and len(set(groups())) == len(groups())
    assert all(title_of(name) and "\n" not in title_of(name) for name in groups())


OWING = [(row, state) for row in KINDS.values() for state in row.owed]


@pytest.mark.parametrize(("row", "state"), OWING, ids=[f"{row.name} {state}" for row, state in OWING])
def test_the_step_that_settles_a_state_is_given_all_that_it_asks_for(row: Kind, state: str) -> None:
    memory = Memory("1" * 36, row.name, "x", state, True, (), "Ann", "2026-01-01T00:00:00Z", "")
    words = settling(memory, row.settles[state]).split(" ")
    assert words[:4] == ["moorline", "transition", "1" * 8, row.settles[state]]
    assert ("--reason" in words) == (row.settles[state] in row.needs_reason)
    assert ("--evidence" in words) == (row.settles[state] in row.needs_evidence)
    assert ("--by" in words) == (row.settles[state] in row.needs_successor)
    role = row.evidence_role.get(row.settles[state])
    assert role is None or any(word.startswith(f"{role}=") for word in words)


@pytest.mark.parametrize(
    ("beginning", "whole"),
    [
        ("commit:HEAD", "commit:HEAD"),
        ("test:", "test:TEST"),
        ("fix-verification=test:", "fix-verification=test:TEST"),
        ("quote:", "quote:WORDS"),
        ("file:", "file:FILE:LINES"),
        ("url:https://", "url:https://ADDRESS"),
        ("proof=url:https://", "proof=url:https://ADDRESS"),
    ],
)
def test_evidence_with_a_word_for_what_is_not_known(beginning: str, whole: str) -> None:
    assert whole_evidence(beginning) == whole


# -- questions ---------------------------------------------------------------------------------------------------------


def memory(body: str) -> Memory:
    return Memory("2" * 36, "note", body, "current", True, (), "Ann", "2026-01-01T00:00:00Z", "")


ANSWERS = {
    "nothing is there": ([], True),
    "something else is": (["Why not?"], True),
    "the question with its answer": (["Who retries? The client does."], False),
    "in other letters and spaces": (["# WHO\n\n  retries?\nNobody."], False),
    "only a part of it": (["Who"], True),
}


@pytest.mark.parametrize(("bodies", "is_open"), ANSWERS.values(), ids=ANSWERS.keys())
def test_a_question_is_open_until_it_stands_in_a_memory(bodies: list[str], is_open: bool) -> None:
    question = Question("who retries?", 2, 0.0, 86_400.0)
    assert bool(still_open([question], [memory(body) for body in bodies])) is is_open


def test_the_most_frequent_questions_are_enough() -> None:
    asked = [Question(f"question {number}", 1, 0.0, 0.0) for number in range(QUESTIONS + 5)]
    assert still_open(asked, []) == asked[:QUESTIONS]


def test_how_a_question_is_said() -> None:
    once = unanswered(Question("it's $HOME?", 1, 0.0, 86_400.0))
    assert (once.detail, once.since) == ("asked once, last on 1970-01-02", "1970-01-01T00:00:00Z")
    assert once.command == """moorline record --kind note --text 'it'"'"'s $HOME? TEXT'"""
    assert unanswered(Question("x", 3, 0.0, 0.0)).detail.startswith("asked 3 times")


# -- several workspaces ------------------------------------------------------------------------------------------------

ITEMS = st.builds(owed, st.sampled_from(groups()), heat=st.sampled_from([0.0, 1.0, 2.0]), id=st.sampled_from("abc"))


@given(st.lists(st.lists(ITEMS, max_size=6), max_size=4), st.integers(0, 8), st.randoms())
def test_together_they_are_as_one(workspaces: list[list[Owed]], limit: int, order: random.Random) -> None:
    answers = []
    for found in workspaces:
        order.shuffle(found)
        found.sort(key=lambda one: one.rank)
        items = [{"what": one.what, "heat": one.heat, "id": one.id} for one in (found[:limit] if limit else found)]
        counted = group_counts(one.what for one in found)
        answers.append({"items": items, "groups": counted, "problems": [{"file": "x"}]})
    answer = together(answers, limit)
    everything = sorted((one for found in workspaces for one in found), key=lambda one: one.rank[:3])
    wanted = [(one.what, one.heat) for one in everything]
    assert [(one["what"], one["heat"]) for one in answer["items"]] == (wanted[:limit] if limit else wanted)
    assert answer["total"] == len(everything) == sum(group["count"] for group in answer["groups"])
    assert answer["groups"] == group_counts(one.what for one in everything)
    assert len(answer["problems"]) == len(workspaces)


# -- in an editor ------------------------------------------------------------------------------------------------------


async def test_it_is_of_the_unsaved_buffer(tmp_path: Path) -> None:
    async with Stage(tmp_path, "#- a.py\ndef f(a):\n    return a + 1\n") as stage:
        made = await stage.record("a.py#f")
        await stage.open("a.py")
        assert (await operations.backlog(stage.session))["items"] == []
        stage.edit("a.py", "def f(a):\n    return a + 2\n")
        (item,) = (await operations.backlog(stage.session))["items"]
        assert (item["what"], item["id"], item["place"], item["since"]) == ("stale", made["id"], "a.py#f", None)
        assert item["now"] == {"file": "a.py", "symbol": "f", "start_line": 1, "end_line": 2}
        stage.edit("a.py", "def f(a):\n    return a + 1\n")
        assert (await operations.backlog(stage.session))["items"] == []


# -- whatever a ledger may hold ----------------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=30)
TIMES = st.floats(0, 253402300799)
ENDS = st.builds(Entered, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """What a hand, another version or somebody hostile may have written."""
    row = draw(st.sampled_from([*KINDS.values(), kind_of("kind-of-later")]))
    state = draw(st.sampled_from(row.states) | ANY_TEXT)
    rivals = draw(st.lists(ENDS, min_size=2, max_size=3)) if draw(st.booleans()) else []
    return Memory(
        id=draw(ANY_TEXT),
        kind=row.name,
        body=draw(ANY_TEXT),
        state=state,
        current=row.is_current(state),
        anchors=(),
        author=draw(ANY_TEXT),
        created=draw(ANY_TEXT | st.just("2026-01-01T00:00:00Z")),
        revision=draw(ANY_TEXT),
        importance=draw(st.none() | st.integers(-9, 9)),
        expires=draw(st.none() | ANY_TEXT | st.just("2020-01-01")),
        fields=draw(st.dictionaries(st.sampled_from(["key", "follow_up", "carried"]) | ANY_TEXT, ANY_TEXT, max_size=3)),
        disputed=bool(rivals),
        rivals=tuple(rivals),
        entered=None if rivals else draw(st.none() | ENDS),
    )


def never(path: str) -> Source:
    raise AssertionError(f"{path} was read")


ASKED = st.builds(Question, ANY_TEXT.map(normal_question).filter(bool), st.integers(1, 9), TIMES, TIMES)


@given(st.lists(memories(), max_size=5), st.lists(ASKED, max_size=2))
def test_anything_gives_entries_whose_commands_a_shell_can_read(found: list[Memory], questions: list[Question]) -> None:
    moment = Snapshot(
        root=Root(Path("/w"), "moorline", Path("/w")),
        number=1,
        settings=Settings(),
        documents={},
        memories={str(number): one for number, one in enumerate(found)},
        verdicts={},
        read=never,
        stamp=Stamp("Ann", "2026-11-30T12:00:00.000Z", ""),
    )
    answer = backlog(moment, questions, limit=0)
    assert answer == json.loads(json.dumps(answer))
    assert [item["what"] for item in answer["items"]] == sorted((i["what"] for i in answer["items"]), key=order_of)
    for item in answer["items"]:
        assert shlex.split(item["command"])[0] == "moorline" and item["what"] in groups()
        assert "\n" not in item["detail"] and "\n" not in item["title"]
