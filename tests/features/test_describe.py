"""Describing a place: first what the record cannot justify, then what it holds, in so many bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.locus import parse_stored_locus
from lsp_server.features import operations
from lsp_server.features.budget import limit_for, serialise
from lsp_server.features.describe import EXTRAS, describe_place
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request

CODE = """
#- src/a.py
class Pool:
    def take(self, wait):
        return self.slots.pop(timeout=wait)

    def give(self, slot):
        self.slots.append(slot)


def login(user):
    return check(user, 30)


def logout(user):
    return drop(user)
"""


def unknown(answer: dict[str, Any]) -> dict[str, int]:
    return {entry["what"]: entry["count"] for entry in answer["unknown"]}


async def described(stage: Stage, place: str, *extras: str) -> dict[str, Any]:
    answer = await describe_place(stage.session, parse_stored_locus(place), extras)
    assert len(serialise(answer).encode()) <= limit_for(len(extras))
    # What is doubted comes before what is held.
    assert list(answer).index("unknown") < list(answer).index("sections")
    return answer


async def test_where_nothing_is_recorded_that_is_said_first(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        answer = await described(stage, "src/a.py#login")
        assert unknown(answer) == {"nothing_recorded": 1} and answer["sections"] == {} and answer["there"]
        assert not (await described(stage, "src/a.py#nobody"))["there"]
        assert not (await described(stage, "gone.py"))["there"]


async def test_each_doubt_is_counted(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        await stage.record("src/a.py#login", text="Thirty seconds.")
        await stage.record("src/a.py#login", text="Perhaps.", author="agent:robot")
        await stage.record("src/a.py#login", text="Only this year.", expires="2020-01-01")
        await stage.record("src/a.py#login", text="To be agreed.", state="proposed")
        await stage.record("src/a.py#login", text="It is thirty.", checks=("matches src/a.py#login /30/",))
        answer = await described(stage, "src/a.py#login")
        assert unknown(answer) == {"unverified": 1, "expired": 1, "agent_only": 1}
        code = (tmp_path / "src/a.py").read_text()
        stage.write("src/a.py", code.replace("check(user, 30)", "check(user, 60)"))
        await stage.session.refresh()
        answer = await described(stage, "src/a.py#login")
        assert unknown(answer) == {"contradicted": 1, "stale": 5, "unverified": 1, "expired": 1, "agent_only": 1}
        assert [entry["what"] for entry in answer["unknown"]][:2] == ["contradicted", "stale"]
        (section,) = answer["sections"].values()
        assert section["total"] == 5 and {item["verdict"] for item in section["items"]} == {"changed"}
        by_agent = [item for item in section["items"] if item["source"]["author_kind"] == "agent"]
        assert [item["quoted"]["text"] for item in by_agent] == ["Perhaps."]
        assert all(item["standing"]["stale"] for item in section["items"])


async def test_an_acceptance_by_a_human_makes_it_more_than_an_agents(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        made = await stage.record("src/a.py#login", text="Perhaps.", author="agent:robot")
        stage.write("src/a.py", (tmp_path / "src/a.py").read_text().replace("30", "60"))
        await stage.session.refresh()
        await operations.clear_staleness(stage.session, made["id"], note="seen")
        assert unknown(await described(stage, "src/a.py#login")) == {}


async def test_of_a_file_what_has_no_memory_is_named(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        await stage.record("src/a.py#Pool.take", text="It waits.")
        answer = await described(stage, "src/a.py")
        assert unknown(answer) == {"nothing_recorded": 3}
        named = {one["at"] for one in answer["unknown"][0]["samples"]}
        assert named == {"src/a.py#Pool.give", "src/a.py#login", "src/a.py#logout"}


async def test_a_line_is_the_symbol_on_it_and_a_folder_all_below(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        await stage.record("src/a.py#login", text="Thirty.")
        assert (await described(stage, "src/a.py:10"))["place"] == "src/a.py#login"
        assert (await described(stage, "src"))["memories"] == 1
        assert (await described(stage, "."))["memories"] == 1


async def test_every_section_is_there_when_it_is_asked_for(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        made = await stage.record("src/a.py#login", text="Thirty.", checks=("matches src/a.py#login /30/",))
        await stage.record("src/a.py#logout", text="It drops.", kind="note")
        await stage.record("src/a.py#login", text="Lets people in.", kind="purpose")
        grounds = operations.Grounds(evidence=("url:https://example.invalid/why",))
        await operations.add_evidence(stage.session, made["id"], grounds)
        stage.write("src/a.py", (tmp_path / "src/a.py").read_text().replace("30", "60"))
        await stage.session.refresh()
        answer = await described(stage, "src/a.py#login", *EXTRAS)
        sections = answer["sections"]
        assert [item["quoted"]["text"] for item in sections["related"]["items"]] == ["It drops."]
        assert "https://example.invalid/why" in sections["evidence"]["items"][0]["quoted"]["value"]
        assert any("gave evidence" in item["quoted"]["what"] for item in sections["history"]["items"])
        assert {item["kind"]: item["state"] for item in sections["explanation"]["items"]} == {
            "purpose": "recorded",
            "account": "not recorded",
        }
        assert sections["checks"]["items"][0]["outcome"] == "fails"
        assert sections["backlog"]["items"][0]["command"].startswith("moorline ")
        with pytest.raises(Refused, match="no section"):
            await describe_place(stage.session, parse_stored_locus("src/a.py"), ["colours"])


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=300),
    st.sampled_from(["决" * 5_000, "👩‍👩‍👧" * 600, "x" * 16_000, '"}]}' * 900, "- a\n" * 300, "\x00\u202e" * 800]),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXTS, max_size=30), st.sets(st.sampled_from(sorted(EXTRAS))), st.booleans())
async def test_the_budget_holds_for_any_memories(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], extras: set[str], ascii_only: bool
) -> None:
    async with Stage(tmp_path_factory.mktemp("w"), CODE) as stage:
        place = (Wanted("src/a.py", "login"),)
        kinds = ("note", "decision", "claim", "lesson")
        requests = [
            Request(kinds[number % 4], text, place, allow_secret=True, tags=(text[:50],), author=text[:90])
            for number, text in enumerate(texts)
        ]
        await operations.record_many(stage.session, requests)
        stage.write("src/a.py", (stage.folder / "src/a.py").read_text().replace("30", "60"))
        await stage.session.refresh()
        answer = await describe_place(stage.session, parse_stored_locus("src/a.py#login"), sorted(extras), ascii_only)
        written = serialise(answer, ascii_only).encode()
        assert len(written) <= limit_for(len(extras)) <= 32_768
        assert json.loads(written) == answer
