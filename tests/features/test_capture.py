"""Capture over a real workspace: markers are checked, backticks are looked up, what is known is told, and nothing is
kept unless somebody says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.capture import MOST, capture
from lsp_server.features.errors import Refused

FILES = """
    #- src/auth.py
    class Provider:
        def verify(self, token):
            if not token:
                return None
            return self.decode(token, limit=3)

        def decode(self, token, limit):
            parts = token.split(".", limit)
            return parts[0], parts[1]

    def login(name, password):
        provider = Provider()
        return provider.verify(name + ":" + password)
    #- src/other.py
    def decode(data):
        return [data, data]

    def unique_name(data):
        return [data, data, 1]
    """

PLACES: dict[str, tuple[str, list[str], list[str]]] = {
    "a marker": (
        "We decided to check tokens first. @anchor(file=src/auth.py, symbol=Provider.verify)",
        ["src/auth.py#Provider.verify"],
        [],
    ),
    "every marker": (
        "We decided to check first. @anchor(file=src/auth.py, symbol=login) @anchor(file=src/other.py)",
        ["src/auth.py#login", "src/other.py"],
        [],
    ),
    "a file in backticks": ("We decided to keep `src/auth.py` free of I/O.", [], ["src/auth.py"]),
    "a place in backticks": ("We decided to keep `src/auth.py#login` free of I/O.", [], ["src/auth.py#login"]),
    "a symbol by its whole path": ("We decided to keep `Provider.verify` pure.", [], ["src/auth.py#Provider.verify"]),
    "a symbol by its name": ("We decided to keep `unique_name()` pure.", [], ["src/other.py#unique_name"]),
    "a symbol of two files": ("We decided to keep `decode` pure.", [], []),
    "the one of the file beside it": (
        "We decided to keep `decode` of `src/other.py` pure.",
        [],
        ["src/other.py#decode"],
    ),
    "nothing that is there": ("We decided to keep `src/gone.py` and `nowhere` and `a b` pure.", [], []),
    "outside": ("We decided to keep `../../etc/passwd` and `/etc/passwd` out.", [], []),
    "what a marker names already": (
        "We decided to keep `login` pure. @anchor(file=src/auth.py, symbol=login)",
        ["src/auth.py#login"],
        [],
    ),
}


@pytest.mark.parametrize(("text", "anchors", "suggested"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("git", [True, False], ids=["git", "folder"])
async def test_places(tmp_path: Path, git: bool, text: str, anchors: list[str], suggested: list[str]) -> None:
    async with Stage(tmp_path, FILES, git=git) as stage:
        (one,) = (await capture(stage.session, text))["proposals"]
        assert (one["status"], one["anchors"], one["suggested"]) == ("new", anchors, suggested)


FAULTY = {
    "a symbol that is not there": ("symbol=login2", "nearest: login"),
    "no file": ("file=src/gone.py", "src/gone.py"),
    "outside": ("file=../x.py", ""),
    "a key that is none": ("fiel=src/auth.py", ""),
}


@pytest.mark.parametrize(("said", "message"), FAULTY.values(), ids=FAULTY)
async def test_a_marker_that_names_no_place_stops_its_proposal(tmp_path: Path, said: str, message: str) -> None:
    marker = f"@anchor(file=src/auth.py, {said})" if said.startswith("symbol") else f"@anchor({said})"
    text = f"We decided to check tokens first. {marker}\n\nI prefer short functions to long ones.\n"
    async with Stage(tmp_path, FILES) as stage:
        answer = await capture(stage.session, text, yes=True, local=True)
        assert [one["status"] for one in answer["proposals"]] == ["faulty", "kept"]
        assert answer["proposals"][0]["message"] and message in answer["proposals"][0]["message"]
        assert answer["summary"]["kept"] == answer["summary"]["faulty"] == 1


SAID = (
    "We decided to check tokens first. @anchor(file=src/auth.py, symbol=login)\n\nThe default timeout is 30 seconds.\n"
)


async def kept(stage: Stage) -> list[dict[str, Any]]:
    memories: list[dict[str, Any]] = (await operations.list_memories(stage.session))["memories"]
    return memories


async def test_nothing_is_kept_until_somebody_says_so(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        shown = await capture(stage.session, SAID)
        assert not shown["applied"] and [one["status"] for one in shown["proposals"]] == ["new", "new"]
        assert await kept(stage) == []
        answer = await capture(stage.session, SAID, yes=True, author="agent:scribe", suggested=True)
        memories = await kept(stage)
        assert {one["id"] for one in answer["proposals"]} == {memory["id"] for memory in memories}
        assert {(one["kind"], one["text"], one["author"], one["author_kind"]) for one in memories} == {
            ("decision", "We decided to check tokens first.", "agent:scribe", "agent"),
            ("claim", "The default timeout is 30 seconds.", "agent:scribe", "agent"),
        }
        (anchored,) = [one for one in memories if one["kind"] == "decision"]
        assert [(at["file"], at["symbol"], at["verdict"]) for at in anchored["anchors"]] == [
            ("src/auth.py", "login", "fresh")
        ]
        again = await capture(stage.session, SAID, yes=True)
        assert [(one["status"], one["id"]) for one in again["proposals"]] == [
            ("known", one["id"]) for one in answer["proposals"]
        ]
        assert len(await kept(stage)) == 2


async def test_only_what_is_chosen_is_kept(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        answer = await capture(stage.session, SAID, yes=True, only=[2])
        assert [one["status"] for one in answer["proposals"]] == ["new", "kept"]
        assert [one["kind"] for one in await kept(stage)] == ["claim"]
        with pytest.raises(Refused, match="there is no proposal 3; the text gives 2"):
            await capture(stage.session, SAID, yes=True, only=[3])


async def test_suggested_places_become_anchors_on_request(tmp_path: Path) -> None:
    text = "We decided to keep `unique_name` of `src/other.py` pure."
    async with Stage(tmp_path, FILES) as stage:
        await capture(stage.session, text, yes=True, suggested=True)
        (memory,) = await kept(stage)
        assert [(at["file"], at["symbol"]) for at in memory["anchors"]] == [("src/other.py", "unique_name")]


async def test_an_occurrence_that_was_told_before_is_known(tmp_path: Path) -> None:
    text = "The parser crashes on files without a final newline."
    async with Stage(tmp_path, FILES) as stage:
        (first,) = (await capture(stage.session, text, yes=True))["proposals"]
        (again,) = (await capture(stage.session, text, yes=True))["proposals"]
        assert first["status"] == "kept" and (again["status"], again["id"]) == ("known", first["id"])


async def test_what_is_nearly_known_is_an_update_of_that(tmp_path: Path) -> None:
    first = "We decided to check tokens against the key set of the provider before the request body is read by anybody."
    later = first.replace(" by anybody", "")
    async with Stage(tmp_path, FILES) as stage:
        known = await stage.record(kind="decision", text=first)
        (one,) = (await capture(stage.session, later, yes=True))["proposals"]
        assert one["status"] == "near" and [near["id"] for near in one["near"]] == [known["id"]]
        assert len(await kept(stage)) == 1
        (forced,) = (await capture(stage.session, later, yes=True, force=True))["proposals"]
        assert forced["status"] == "kept" and len(await kept(stage)) == 2


async def test_what_was_retired_stays_so(tmp_path: Path) -> None:
    text = "We decided to check tokens first."
    async with Stage(tmp_path, FILES) as stage:
        (one,) = (await capture(stage.session, text, yes=True))["proposals"]
        await operations.retire(stage.session, one["id"], operations.Grounds(reason="no longer"))
        (again,) = (await capture(stage.session, text, yes=True))["proposals"]
        assert (again["status"], again["state"]) == ("known", "retired")


async def test_a_secret_is_refused_and_stops_no_other(tmp_path: Path) -> None:
    text = "We decided to use the key AKIAIOSFODNN7EXAMPL3 for uploads.\n\nThe default timeout is 30 seconds.\n"
    async with Stage(tmp_path, FILES) as stage:
        answer = await capture(stage.session, text, yes=True)
        assert [one["status"] for one in answer["proposals"]] == ["refused", "kept"]
        assert "secret" in answer["proposals"][0]["message"]


async def test_what_is_no_text_to_look_at(tmp_path: Path) -> None:
    async with Stage(tmp_path, FILES) as stage:
        with pytest.raises(Refused, match="give it in parts"):
            await capture(stage.session, "x" * (MOST + 1))
        with pytest.raises(Refused, match="names nobody"):
            await capture(stage.session, SAID, author="agent:")
        empty = await capture(stage.session, "Hello!\n\n@anchor(file=src/auth.py)\n")
        assert empty["proposals"] == [] and empty["loose"] == ["src/auth.py"]
        assert [one["why"] for one in empty["passed"]] == ["greeting"]
