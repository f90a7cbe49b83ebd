"""What explains a place, and the kinds whose text rests on something: artifacts, research, lessons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.stage import Stage

from lsp_server.core.evidence import parse_evidence
from lsp_server.core.model import Locus
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.operations import Grounds
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request

CODE = """
#- a.py
def login(user, password):
    token = check(user, password, timeout=30)
    audit("login", user, token)
    return token if token.valid else None


def logout(user):
    return drop(user)
"""
LOGIN = Locus("a.py", "login")


async def explain(stage: Stage, kind: str, place: Locus = LOGIN) -> dict[str, Any]:
    slot: dict[str, Any] = (await operations.explain(stage.session, place))["slots"][kind]
    return slot


async def check_slot(stage: Stage, kind: str, state: str, text: str | None, older: list[str] | None = None) -> None:
    """What a slot of `login` holds now: its state, its text, and the texts it held before, newest first."""
    slot = await explain(stage, kind)
    assert (slot["state"], slot["text"], slot["rivals"]) == (state, text, [])
    assert sorted(one["text"] for one in slot["older"]) == sorted(older or [])


@pytest.mark.parametrize("kind", ["purpose", "account"])
async def test_a_place_has_one_text_and_a_newer_one_replaces_it(tmp_path: Path, kind: str) -> None:
    async with Stage(tmp_path, CODE) as stage:
        await check_slot(stage, kind, "not recorded", None)
        first = await stage.record("a.py#login", kind=kind, text="Lets people in.")
        await check_slot(stage, kind, "recorded", "Lets people in.")
        second = await stage.record("a.py#login", kind=kind, text="Lets people in who know a password.")
        await check_slot(stage, kind, "recorded", "Lets people in who know a password.", ["Lets people in."])
        # Both ways, as a supersede links them.
        shown = await operations.show(stage.session, first["id"])
        assert (shown["state"], shown["superseded_by"]) == ("superseded", [second["id"]])
        assert (await operations.show(stage.session, second["id"]))["supersedes"] == [first["id"]]
        # Another place, another kind: slots of their own.
        other = await explain(stage, kind, Locus("a.py", "logout"))
        assert (other["state"], other["older"]) == ("not recorded", [])
        # The same text again changes nothing.
        again = await stage.record("a.py#login", kind=kind, text="Lets people in who know a password.")
        assert (again["id"], again["created"]) == (second["id"], False)
        await check_slot(stage, kind, "recorded", "Lets people in who know a password.", ["Lets people in."])


async def test_a_slot_is_declined_and_a_text_withdrawn(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        request = Request("purpose", "Its name says it.", (Wanted("a.py", "login"),), state="declined")
        declined = await operations.record_memory(stage.session, request)
        await check_slot(stage, "purpose", "declined", "Its name says it.")
        text = await stage.record("a.py#login", kind="purpose", text="Lets people in.")
        await check_slot(stage, "purpose", "recorded", "Lets people in.", ["Its name says it."])
        await operations.retire(stage.session, text["id"], Grounds(reason="it lets nobody in any more"))
        await check_slot(stage, "purpose", "not recorded", None, ["Its name says it.", "Lets people in."])
        assert (await operations.show(stage.session, declined["id"]))["state"] == "superseded"


async def test_a_batch_fills_one_slot_once(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        requests = [Request("purpose", f"Text {number}.", (Wanted("a.py", "login"),)) for number in range(3)]
        answers = await operations.record_many(stage.session, requests)
        assert all(isinstance(answer, dict) and answer["created"] for answer in answers)
        await check_slot(stage, "purpose", "recorded", "Text 2.", ["Text 0.", "Text 1."])


async def test_it_moves_with_its_code(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        await stage.record("a.py#login", kind="purpose", text="Lets people in.")
        stage.write("a.py", (tmp_path / "a.py").read_text().replace("def login(", "def sign_in("))
        await stage.session.refresh()
        slot = await explain(stage, "purpose", Locus("a.py", "sign_in"))
        assert slot["text"] == "Lets people in."
        line = await explain(stage, "purpose", Locus("a.py", None, (2, 2)))
        assert line["text"] == "Lets people in."


@pytest.mark.parametrize(("kind", "cap"), [("purpose", 400), ("account", 4096)])
async def test_caps_are_in_bytes(tmp_path: Path, kind: str, cap: int) -> None:
    async with Stage(tmp_path, CODE) as stage:
        assert (await stage.record("a.py#login", kind=kind, text="é" * (cap // 2)))["created"]
        with pytest.raises(Refused, match=f"holds at most {cap}"):
            await stage.record("a.py#login", kind=kind, text="é" * (cap // 2) + "x")


async def test_an_artifact_is_a_file_whose_change_and_absence_are_told_apart(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        stage.write("report.pdf.txt", "The audit of May.\n")
        with pytest.raises(Refused, match="name it"):
            await operations.record_memory(stage.session, Request("artifact", "The audit."))
        made = await stage.record("report.pdf.txt", kind="artifact", text="The audit.")
        assert made["anchors"][0]["verdict"] == "fresh"
        # Not even white space: what is registered is the file.
        for text, verdict in (("The audit of May. \n", "changed"), ("The audit of May.\n", "fresh")):
            stage.write("report.pdf.txt", text)
            await stage.session.refresh()
            (anchor,) = await stage.verdicts(made["id"])
            assert anchor["verdict"] == verdict, text
        (tmp_path / "report.pdf.txt").unlink()
        await stage.session.refresh()
        (anchor,) = await stage.verdicts(made["id"])
        assert anchor["verdict"] == "file_missing"


RESEARCH: list[tuple[dict[str, str], list[str], str | None]] = [
    ({}, [], None),
    ({"confidence": "low"}, ["url:https://example.org/a"], None),
    ({"confidence": "medium"}, ["url:https://example.org/a"], "no access said"),
    ({"access": "mention", "confidence": "high"}, [], "can be low"),
    ({"access": "abstract", "confidence": "medium"}, [], None),
    ({"access": "abstract", "confidence": "high"}, [], "low or medium"),
    ({"access": "read", "confidence": "high"}, ["url:https://example.org/a"], "quote:WORDS"),
    ({"access": "read", "confidence": "high"}, ["url:https://example.org/a", "quote:It was measured."], None),
    ({"access": "skimmed"}, [], "one of mention, abstract, read"),
    ({"weather": "fine"}, [], "its fields: access, confidence, contradicts"),
]


@pytest.mark.parametrize(("fields", "evidence", "refusal"), RESEARCH)
async def test_research_is_as_sure_as_its_access_allows(
    tmp_path: Path, fields: dict[str, str], evidence: list[str], refusal: str | None
) -> None:
    async with Stage(tmp_path, CODE) as stage:
        pieces = tuple(parse_evidence(text) for text in evidence)
        request = Request("research", "Pools want a timeout.", fields=fields, evidence=pieces)
        if refusal is not None:
            with pytest.raises(Refused, match=refusal):
                await operations.record_memory(stage.session, request)
            return
        answer = await operations.record_memory(stage.session, request)
        assert answer["fields"] == fields and len(answer["evidence"]) == len(evidence)


async def test_what_is_used_gets_a_receipt(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        made = await operations.record_memory(stage.session, Request("research", "Pools want a timeout."))
        with pytest.raises(Refused, match="what it was used for"):
            await operations.note_use(stage.session, made["id"], "  ")
        answer = await operations.note_use(stage.session, made["id"], "the timeout\nof the pool", "agent:review")
        (receipt,) = answer["receipts"]
        assert (receipt["for"], receipt["author"]) == ("the timeout of the pool", "agent:review")


async def test_a_lesson_is_active_in_a_version_and_rolled_back(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE, git=True) as stage:
        await stage.session.refresh()
        made = await stage.record("a.py#login", kind="lesson", text="Retry once, not for ever.")
        assert made["state"] == "proposed"
        with pytest.raises(Refused, match="commit"):
            await operations.transition(stage.session, made["id"], "active", Grounds())
        outcome = ("outcome=commit:HEAD",)
        active = await operations.transition(stage.session, made["id"], "active", Grounds(evidence=outcome))
        assert active["state"] == "active" and active["entered"]["revision"] == stage.git("rev-parse", "HEAD").strip()
        counter = ("counter=url:https://example.org/outage",)
        with pytest.raises(Refused, match="reason"):
            await operations.transition(stage.session, made["id"], "rolled_back", Grounds(evidence=counter))
        with pytest.raises(Refused, match="counter"):
            await operations.transition(
                stage.session,
                made["id"],
                "rolled_back",
                Grounds("it hid an outage", evidence=("outcome=url:https://example.org/outage",)),
            )
        back = await operations.transition(
            stage.session, made["id"], "rolled_back", Grounds("it hid an outage", evidence=counter)
        )
        assert (back["state"], back["current"]) == ("rolled_back", False)
