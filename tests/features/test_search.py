"""Search: what is found, in which order, and why; on a real ledger with real code under it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.model import Locus
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.evaluate import Case, changes, evaluate, judged, read_cases
from lsp_server.features.granularity import LINE, abstract, at_level
from lsp_server.features.listing import Filters
from lsp_server.features.search import Question
from lsp_server.features.symbols import symbols
from lsp_server.workspace.config import Settings, settings_of

CODE = """
#- src/auth.py
def verify(token):
    if not token:
        raise ValueError("no token")
    return token.split(".")[1]


def login(user):
    return check(user, 30)
#- src/net.py
def retry(times):
    for one in range(times):
        if one > 3:
            return one
    return 0
#- docs/guide.md
# Guide

Sessions are kept in Redis for a day. @anchor(file="src/auth.py", symbol="login")
"""

MEMORIES: dict[str, dict[str, Any]] = {
    "tokens": {
        "loci": ["src/auth.py#verify"],
        "text": "Tokens are checked before the body is read.\\n\\n- Parsing costs more.\\n- The check is cheap.",
        "tags": ("security",),
    },
    "retry": {
        "loci": ["src/net.py#retry"],
        "kind": "finding",
        "text": "The retry loop never gives up after a timeout.",
    },
    "chinese": {"loci": ["src/auth.py#login"], "kind": "note", "text": "登录超时后需要重新鉴权"},
    "pods": {"loci": [], "kind": "note", "text": "k8s restarts the pod after three failures."},
    "loops": {"loci": ["src/net.py"], "kind": "claim", "text": "A loop in this file ends after a timeout of its own."},
}
for one in MEMORIES.values():
    one["text"] = one["text"].replace("\\n", "\n")


@dataclass
class Asked:
    """A question, and the names of the memories that must be found: in this order, or where `first` says so, first."""

    text: str
    found: list[str]
    first: bool = False
    filters: Filters = field(default_factory=Filters)
    more: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[tuple[Stage, dict[str, str]]]:
    async with staged(tmp_path) as (stage, names):
        yield stage, names


class staged:
    """A stage with the memories above; the names of their ids."""

    def __init__(self, folder: Path, settings: Settings | None = None) -> None:
        self.stage = Stage(folder, CODE, git=True, settings=settings)

    async def __aenter__(self) -> tuple[Stage, dict[str, str]]:
        stage = await self.stage.__aenter__()
        (stage.folder / ".moorline").mkdir(exist_ok=True)
        names = {}
        for name, facts in MEMORIES.items():
            made = await stage.record(*facts["loci"], **{key: one for key, one in facts.items() if key != "loci"})
            names[made["id"]] = name
        return stage, names

    async def __aexit__(self, *error: object) -> None:
        await self.stage.__aexit__(*error)


async def check_search(stage: Stage, names: dict[str, str], asked: Asked) -> list[dict[str, Any]]:
    """What is found, and that each score is the product of the factors that explain it."""
    question = replace(Question(asked.text, asked.filters), **asked.more)
    answer = await operations.search_memories(stage.session, question)
    found = [names.get(memory["id"], memory["kind"]) for memory in answer["memories"]]
    assert (found[: len(asked.found)] if asked.first else found) == asked.found, [
        (name, memory["found"]) for name, memory in zip(found, answer["memories"], strict=True)
    ]
    scores = [memory["found"]["score"] for memory in answer["memories"]]
    assert scores == sorted(scores, reverse=True)
    memories: list[dict[str, Any]] = answer["memories"]
    return memories


AUTH = Locus("src/auth.py")

QUESTIONS = {
    "a word": Asked("tokens", ["tokens"]),
    "another form of it": Asked("token checking", ["tokens"]),
    "the name of the code": Asked("verify", ["tokens"]),
    "a tag": Asked("security", ["tokens"]),
    "a colloquial word": Asked("keeps trying", ["retry"], first=True),
    "an alias": Asked("kubernetes", ["pods"]),
    "Chinese": Asked("超时", ["chinese"], first=True),
    "Chinese for English": Asked("重试", ["retry"], first=True),
    "English for Chinese": Asked("authorization", ["chinese"]),
    "a misspelt word": Asked("tokns chekced", ["tokens"], first=True),
    "a passage of a document": Asked("sessions redis", ["passage"]),
    "words side by side": Asked("a timeout of its own", ["loops"], first=True),
    "nothing": Asked("frobnication", []),
    "of a kind": Asked("timeout loop", ["retry"], filters=Filters(kind="finding")),
    "in a file": Asked("timeout", ["chinese"], filters=Filters(below="src/auth.py")),
    "in a folder": Asked("the pod of the loop", ["retry", "loops"], filters=Filters(below="src"), more={"limit": 2}),
    "at a symbol": Asked("timeout loop", ["retry"], filters=Filters(place=Locus("src/net.py", "retry"))),
    "with a tag": Asked("checked", ["tokens"], filters=Filters(tag="security")),
    "with no such tag": Asked("checked", [], filters=Filters(tag="speed")),
    "by an author": Asked("checked", ["tokens"], filters=Filters(author="Ada")),
    "by nobody": Asked("checked", [], filters=Filters(author="Grace")),
    "since tomorrow": Asked("checked", [], filters=Filters(since="2999-01-01T00:00:00.000Z")),
    "until yesterday": Asked("checked", [], filters=Filters(until="2001-01-01T00:00:00.000Z")),
    "only stale": Asked("checked", [], filters=Filters(stale=True)),
    "a state": Asked("retry timeout", ["retry"], filters=Filters(state="open", kind="finding")),
    "at most one": Asked("timeout loop", ["retry"], more={"limit": 1}),
}


@pytest.mark.parametrize("case", QUESTIONS)
async def test_what_a_question_finds(kept: tuple[Stage, dict[str, str]], case: str) -> None:
    await check_search(*kept, QUESTIONS[case])


async def test_nearness_the_task_and_the_profile_change_the_order(kept: tuple[Stage, dict[str, str]]) -> None:
    stage, names = kept
    both = Filters(below="src/net.py")
    plain = await check_search(stage, names, Asked("timeout loop", ["retry", "loops"], filters=both))
    assert all("near" not in one["found"]["factors"] for one in plain)
    near = {"near": Locus("src/net.py", "retry")}
    found = await check_search(stage, names, Asked("timeout loop", ["retry", "loops"], filters=both, more=near))
    assert [one["found"]["factors"]["near"] for one in found] == [1.5, 1.3]
    (far,) = await check_search(stage, names, Asked("tokens", ["tokens"], more=near))
    assert far["found"]["factors"]["near"] == 1.1
    debug = await check_search(
        stage, names, Asked("timeout loop", ["retry", "loops"], filters=both, more={"profile": "debug"})
    )
    assert debug[0]["found"]["factors"]["profile"] == 1.5 and "profile" not in debug[1]["found"]["factors"]
    task = {"task": "make sure that this file ends on its own"}
    for_it = await check_search(stage, names, Asked("timeout loop", ["loops", "retry"], filters=both, more=task))
    assert for_it[0]["found"]["factors"]["task"] > for_it[1]["found"]["factors"]["task"]


async def test_what_is_stale_ranks_lower_and_is_not_hidden(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, names):
        question = Asked("timeout loop", ["retry", "loops"], filters=Filters(below="src/net.py"))
        (before, _) = await check_search(stage, names, question)
        stage.write("src/net.py", (tmp_path / "src/net.py").read_text().replace("one > 3", "one > 4"))
        await stage.session.refresh()
        found = await check_search(stage, names, Asked(question.text, ["retry"], filters=Filters(kind="finding")))
        assert found[0]["stale"] and found[0]["found"]["factors"]["standing"] == 0.5
        assert found[0]["found"]["score"] < before["found"]["score"]
        checked = await check_search(
            stage,
            names,
            Asked(question.text, ["retry"], filters=Filters(kind="finding"), more={"profile": "fact-check"}),
        )
        assert checked[0]["found"]["factors"]["standing"] == 0.2
        await check_search(stage, names, Asked("timeout", ["retry"], first=True, filters=Filters(stale=True)))


async def test_what_is_retired_is_found_when_everything_is_asked_for(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, names):
        (identifier,) = [one for one, name in names.items() if name == "tokens"]
        await operations.retire(stage.session, identifier, operations.Grounds(reason="no longer so"))
        await check_search(stage, names, Asked("tokens", []))
        await check_search(stage, names, Asked("tokens", ["tokens"], filters=Filters(everything=True)))
        await check_search(stage, names, Asked("tokens", ["tokens"], filters=Filters(state="retired")))


async def test_a_workspace_sets_weights_profiles_words_and_thresholds(tmp_path: Path) -> None:
    settings, problems = settings_of(
        "[search.weights]\nfile = 3\n"
        "[search.profiles.oncall]\nkinds = {finding = 4}\nweights = {file = 5}\n"
        "[search.profiles.strict]\nfloor = 1\n"
        "[search.expansions]\n'falls over' = 'restarts'\n"
        "[search.aliases]\npod = 'container'\n"
        "[kinds.note]\nrecall_threshold = 0.9\n"
    )
    assert not problems
    async with staged(tmp_path, settings) as (stage, names):
        near = {"near": Locus("src/net.py")}
        (found,) = await check_search(stage, names, Asked("never gives up", ["retry"], more=near))
        assert found["found"]["factors"]["near"] == 3
        (found,) = await check_search(
            stage, names, Asked("never gives up", ["retry"], more={**near, "profile": "oncall"})
        )
        assert (found["found"]["factors"]["near"], found["found"]["factors"]["profile"]) == (5, 4)
        await check_search(stage, names, Asked("it falls over", ["pods"], first=True))
        await check_search(stage, names, Asked("container", ["pods"]))
        await check_search(stage, names, Asked("container of many other things that nobody said", ["pods"]))
        notes = Filters(kind="note")
        await check_search(stage, names, Asked("container of other matters", ["pods"], filters=notes))
        await check_search(
            stage, names, Asked("container of other matters", [], filters=notes, more={"profile": "strict"})
        )


REFUSED = {
    "nothing": (Question("  "), "say what"),
    "no profile": (Question("x", profile="odd"), "profiles: default, debug"),
    "no kind": (Question("x", Filters(kind="odd")), "kinds:"),
    "no state": (Question("x", Filters(state="odd")), "states:"),
    "no level": (Question("x", level="odd"), "line, bullets"),
    "too few": (Question("x", limit=0), "from 1 to 60"),
    "too many": (Question("x", limit=61), "from 1 to 60"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_what_is_no_question_is_refused(kept: tuple[Stage, dict[str, str]], case: str) -> None:
    question, says = REFUSED[case]
    with pytest.raises(Refused, match=says):
        await operations.search_memories(kept[0].session, question)


async def test_the_past_is_searched_as_it_was(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, names):
        stage.git("add", "-A")
        stage.git("commit", "-q", "-m", "memories")
        (identifier,) = [one for one, name in names.items() if name == "tokens"]
        stage.session.head = stage.git("rev-parse", "HEAD").strip()
        stage.write("x.txt", "x")
        stage.git("add", "-A")
        stage.git("commit", "-q", "-m", "later")
        await stage.session.refresh()
        await operations.retire(stage.session, identifier, operations.Grounds(reason="no longer so"))
        await check_search(stage, names, Asked("tokens", []))
        answer = await operations.search_memories(stage.session, Question("tokens"), "HEAD~1")
        assert [names[memory["id"]] for memory in answer["memories"]] == ["tokens"]
        assert answer["memories"][0]["current"] and answer["as_of"]["asked"] == "HEAD~1"


async def test_a_question_without_an_answer_is_owed_until_there_is_one(tmp_path: Path) -> None:
    async with staged(tmp_path) as (stage, names):
        await check_search(stage, names, Asked("who paints the gizmo", []))
        assert await symbols(stage.session, "what frobnicates") == []  # Typing is no question.
        owed = [
            one["title"] for one in (await operations.backlog(stage.session))["items"] if one["what"] == "unanswered"
        ]
        assert owed == ["who paints the gizmo"]
        made = await stage.record(text="The gizmo is painted by the platform team.")
        names[made["id"]] = "gizmo"
        await check_search(stage, names, Asked("who paints the gizmo", ["gizmo"], first=True))
        assert not [one for one in (await operations.backlog(stage.session))["items"] if one["what"] == "unanswered"]


async def test_symbols_lead_to_every_place(kept: tuple[Stage, dict[str, str]]) -> None:
    stage, _ = kept
    (found, *_) = await symbols(stage.session, "tokens checked")
    assert (found.name, found.detail) == ("Tokens are checked before the body is read.", "decision, verify")
    assert (found.file, found.line) == ("src/auth.py", 1)
    (found, *_) = await symbols(stage.session, "kubernetes pod")
    assert found.file.endswith("memory.md") and found.line == 1
    assert await symbols(stage.session, " ") == []


# -- how much of a text is shown ---------------------------------------------------------------------------------------


async def test_a_text_is_shown_at_its_level(kept: tuple[Stage, dict[str, str]]) -> None:
    stage, names = kept
    for level, wanted in {
        "line": "Tokens are checked before the body is read.",
        "bullets": "Tokens are checked before the body is read.\n- Parsing costs more.\n- The check is cheap.",
        "full": MEMORIES["tokens"]["text"],
        "fit": MEMORIES["tokens"]["text"],
    }.items():
        (found,) = await check_search(stage, names, Asked("tokens", ["tokens"], more={"level": level}))
        assert found["shown"] == {"level": "full" if level == "fit" else level, "text": wanted}


@given(st.text(max_size=400), st.integers(0, 10))
def test_an_abstract_is_one_short_line(body: str, rank: int) -> None:
    from lsp_server.core.model import Memory

    memory = Memory("x", "note", body, "current", True, (), "Ada", "2027-01-01T00:00:00Z", "")
    line = abstract(memory)
    assert "\n" not in line and len(line) <= LINE
    shown = at_level(memory, "fit", rank)
    assert shown["level"] == ("full" if rank < 3 else "bullets" if rank < 6 else "line")


# -- evaluation --------------------------------------------------------------------------------------------------------


def hit(identifier: str, file: str = "a.py", symbol: str | None = None) -> dict[str, Any]:
    return {"id": identifier, "anchors": [{"file": file, "symbol": symbol, "now": None, "lines": None}]}


FOUND = [hit("aa11"), hit("bb22", "b.py", "f"), hit("cc33")]

JUDGED: dict[str, tuple[dict[str, Any], bool, float, float]] = {
    # what is wanted, hit, MRR, nDCG worked out by hand (1 / log2(rank + 1))
    "the first": ({"any": ["aa"]}, True, 1.0, 1.0),
    "the second": ({"any": ["bb"]}, True, 0.5, 0.63093),
    "one of two": ({"any": ["zz", "cc"]}, True, 1 / 3, 0.5),
    "all of two": ({"all": ["aa", "cc"]}, True, 1.0, 1.5 / 1.63093),
    "one that is missing": ({"all": ["aa", "zz"]}, False, 1.0, 1 / 1.63093),
    "nothing of it": ({"any": ["zz"]}, False, 0.0, 0.0),
    "a place": ({"loci": ["b.py#f"]}, True, 0.5, 0.63093),
    "a file": ({"loci": ["a.py"]}, True, 1.0, 1.0),
    "a place that is not there": ({"loci": ["b.py#g"]}, False, 0.0, 0.0),
    "a memory and its place are one": ({"any": ["bb"], "loci": ["b.py"]}, True, 0.5, 0.63093),
}


@pytest.mark.parametrize("case", JUDGED)
def test_a_case_is_judged(case: str) -> None:
    wanted, is_hit, mrr, ndcg = JUDGED[case]
    (read,) = read_cases([{"query": "q", **wanted}])
    found = judged(read, FOUND)
    assert (found["hit"], found["mrr"], found["ndcg"]) == (
        is_hit,
        pytest.approx(mrr, abs=1e-4),
        pytest.approx(ndcg, abs=1e-4),
    )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({}, "a list"),
        ([], "a list"),
        ([{"any": ["x"]}], "case 1: .*query"),
        ([{"query": "q"}], "any, all or loci"),
        ([{"query": "q", "any": "x"}], "any is a list"),
        ([{"query": "q", "any": ["x"], "limit": "3"}], "limit is a number"),
        ([{"query": "q", "any": ["x"], "expect": 1}], "no key 'expect'"),
        ([{"query": "q", "any": ["x"]}, {"query": "q", "any": ["y"]}], "name"),
        ([{"query": "q", "any": ["x"], "near": ""}], "names no place"),
    ],
)
def test_cases_that_are_none_are_refused(data: Any, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read_cases(data)


async def test_an_evaluation_and_what_changed_since(kept: tuple[Stage, dict[str, str]]) -> None:
    stage, names = kept
    ids = {name: identifier for identifier, name in names.items()}
    cases = read_cases(
        {
            "cases": [
                {"query": "are tokens checked", "any": [ids["tokens"]], "loci": ["src/auth.py#verify"]},
                {"query": "timeout", "name": "lost", "all": [ids["pods"]]},
            ]
        }
    )
    result = await evaluate(stage.session, cases)
    assert result["summary"] == {"cases": 2, "hit_rate": 0.5, "mrr": 0.5, "ndcg": 0.5}
    before = {
        "summary": {"hit_rate": 1.0, "mrr": 0.75, "ndcg": 0.8},
        "cases": [
            {"name": "are tokens checked", "hit": True, "mrr": 0.5, "ndcg": 0.6},
            {"name": "lost", "hit": True, "mrr": 1.0, "ndcg": 1.0},
            {"name": "older", "hit": True, "mrr": 1.0, "ndcg": 1.0},
        ],
    }
    assert changes(before, result) == {
        "summary": {"hit_rate": -0.5, "mrr": -0.25, "ndcg": -0.3},
        "cases": [
            {"name": "are tokens checked", "what": "better", "mrr": 0.5},
            {"name": "lost", "what": "lost", "mrr": -1.0},
            {"name": "older", "what": "gone", "mrr": None},
        ],
    }
    assert changes(result, result)["cases"] == []
    with pytest.raises(Refused, match="baseline"):
        changes({"cases": 3}, result)
    assert not await stage.session.usage.questions()
    assert isinstance(cases[0], Case)
