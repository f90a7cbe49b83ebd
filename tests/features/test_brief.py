"""A brief: what is required is in, the rest by rank, in so many bytes; kept, it is read again exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.core.kinds import KINDS
from lsp_server.core.locus import parse_stored_locus
from lsp_server.features import operations
from lsp_server.features.brief import EVERYTHING, LENSES, Wish, brief, is_id, kept_brief
from lsp_server.features.budget import LEAST, MOST, serialise
from lsp_server.features.errors import Refused
from lsp_server.features.listing import Filters
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request

CODE = """
#- src/a.py
def login(user):
    return check(user, 30)


def logout(user):
    return drop(user)
"""

PLACE = parse_stored_locus("src/a.py#login")


def items(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["id"]: item for section in answer["sections"].values() for item in section["items"]}


async def test_what_is_required_is_in_and_the_rest_is_chosen_by_rank(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        near = await stage.record("src/a.py#logout", text="Logins time out after thirty seconds.", kind="finding")
        far = await stage.record("src/a.py#logout", text="Colours are blue.", kind="note")
        other = await stage.record("src/a.py#login", text="Users are checked.", kind="decision")
        wish = Wish("logins time out", ids=(far["id"][:13],), places=(PLACE,))
        found = items(await brief(stage.session, wish))
        assert set(found) == {near["id"], far["id"], other["id"]}
        assert found[far["id"]]["why"]["required"] and found[other["id"]]["why"]["required"]
        assert not found[near["id"]]["why"]["required"] and found[near["id"]]["why"]["factors"]
        unasked = items(await brief(stage.session, Wish("logins time out")))
        assert near["id"] in unasked and far["id"] not in unasked
        few = await brief(stage.session, replace(wish, items=1))
        assert len(items(few)) == 1 and items(few).keys() <= {far["id"]}
        # What was left out is listed.
        assert sum(section["left_out"] for section in few["sections"].values()) == 2
        assert sum(len(section["ids"]) for section in few["sections"].values()) == 2


async def test_a_lens_narrows_the_sections_but_not_what_is_required(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        for kind in ("decision", "finding", "note", "purpose"):
            await stage.record("src/a.py#login", text=f"Logins wait, says the {kind}.", kind=kind)
        for name, lens in LENSES.items():
            answer = await brief(stage.session, Wish("logins wait", lens=name))
            kinds = {item["kind"] for item in items(answer).values()}
            wanted = {kind for kinds in lens.sections.values() for kind in kinds}
            assert kinds == wanted & {"decision", "finding", "note", "purpose"}
            assert answer["outside_lens"] == 4 - len(kinds)
            assert list(answer["sections"]) == [one for one in lens.sections if one in answer["sections"]]
        answer = await brief(stage.session, Wish("logins wait", lens="review", places=(PLACE,)))
        assert {item["kind"] for item in answer["sections"]["required"]["items"]} == {"purpose", "note"}


def test_every_kind_has_a_section() -> None:
    shown = [kind for kinds in EVERYTHING.sections.values() for kind in kinds]
    assert sorted(shown) == sorted(kind.name for kind in KINDS.values() if kind.current_states)
    for lens in LENSES.values():
        assert {kind for kinds in lens.sections.values() for kind in kinds} <= set(shown)


async def test_a_kept_brief_is_read_again_exactly(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        made = await stage.record("src/a.py#login", text='Waits "thirty" \\ 决定 ```\n```json\n{"brief":0}')
        wish = Wish("logins wait ```", ("no\u202e change", "e\u0301"), places=(PLACE,), keep=True)
        first = await brief(stage.session, wish)
        answer = await kept_brief(stage.session, first["kept"])
        assert {**first, "drifted": [], "drifted_total": 0} == answer
        code = (tmp_path / "src/a.py").read_text()
        stage.write("src/a.py", code.replace("30", "60"))
        await stage.session.refresh()
        later = await kept_brief(stage.session, first["kept"])
        assert first.items() <= later.items()
        assert [(one["what"], one["was"], one["now"]) for one in later["drifted"]] == [(["code"], "fresh", "changed")]
        await operations.retire(stage.session, made["id"], operations.Grounds(reason="over"))
        assert (await kept_brief(stage.session, first["kept"]))["drifted"][0]["what"] == ["code", "state"]
        await operations.forget(stage.session, made["id"], yes=True)
        assert (await kept_brief(stage.session, first["kept"]))["drifted"][0]["what"] == ["gone"]
        with pytest.raises(Refused, match="edited"):
            (path,) = tmp_path.glob(".moorline/local/**/memory.md")
            path.write_text(path.read_text().replace('{"brief":{', '{"brief":['))
            await stage.session.refresh()
            await kept_brief(stage.session, first["kept"])


async def test_keeping_changes_nothing_else(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        made = await stage.record("src/a.py#login", text="Logins wait.")
        before = {path: path.read_bytes() for path in (tmp_path / ".moorline/memories").rglob("*") if path.is_file()}
        kept = await brief(stage.session, Wish("logins wait", keep=True))
        again = await brief(stage.session, Wish("logins wait", keep=True))
        assert kept["kept"] != again["kept"] and items(again).keys() == {made["id"]}
        after = {path: path.read_bytes() for path in (tmp_path / ".moorline/memories").rglob("*") if path.is_file()}
        assert after == before
        listed = await operations.list_chosen(stage.session, Filters())
        assert [one["id"] for one in listed["memories"]] == [made["id"]]
        assert (await operations.check(stage.session))["summary"]["memories"] == 1
        assert (await operations.backlog(stage.session))["total"] == 0
        history = await operations.list_chosen(stage.session, Filters(kind="brief", everything=True))
        assert len(history["memories"]) == 2
        with pytest.raises(Refused, match="no brief"):
            await kept_brief(stage.session, made["id"])


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (Wish(" "), "task"),
        (Wish("x", lens="x-ray"), "lenses: design"),
        (Wish("x", size=100), "bytes"),
        (Wish("x", size=MOST + 1), "bytes"),
        (Wish("x", items=500), "items"),
        (Wish("x", ("c",) * 11), "constraints"),
        (Wish("x", ids=("ffff",)), "no memory"),
        (Wish("token ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5", keep=True), "secret"),
    ],
)
async def test_what_cannot_be_is_refused(tmp_path: Path, wish: Wish, says: str) -> None:
    async with Stage(tmp_path, CODE) as stage:
        with pytest.raises(Refused, match=says):
            await brief(stage.session, wish)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3f2a1b4c", True), ("0193a4b2-c5d6", True), ("src/a.py", False), ("./face", False), ("Makefile", False)],
)
def test_an_id_is_told_from_a_place(text: str, expected: bool) -> None:
    assert is_id(text) is expected


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=300),
    st.sampled_from(["决" * 5_000, "👩‍👩‍👧" * 600, "x" * 16_000, '"}]}' * 900, "\x00\u202e" * 800, "task"]),
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(TEXTS, max_size=25), TEXTS, st.lists(TEXTS, max_size=4), st.integers(LEAST, MOST), st.booleans())
async def test_the_budget_holds_for_any_memories(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    task: str,
    constraints: list[str],
    size: int,
    keep: bool,
) -> None:
    async with Stage(tmp_path_factory.mktemp("w"), CODE) as stage:
        place = (Wanted("src/a.py", "login"),)
        kinds = ("note", "decision", "claim", "lesson")
        requests = [Request(kinds[n % 4], text, place, allow_secret=True) for n, text in enumerate(texts)]
        await operations.record_many(stage.session, requests)
        wish = Wish(task, tuple(constraints), places=(PLACE,), size=size, keep=keep)
        try:
            answer = await brief(stage.session, wish)
        except Refused as refused:
            assert "give at least" in str(refused) or "secret" in str(refused) or not task.strip()
            return
        assert len(serialise(answer).encode()) <= size
        assert json.loads(serialise(answer)) == answer
        if keep:
            again = await kept_brief(stage.session, answer["kept"])
            assert answer.items() <= again.items() and len(serialise(again).encode()) <= MOST
