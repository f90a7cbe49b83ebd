"""Capture, conflicts, consolidating and continuity over the wire."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.wire import Refusal, served

CODE = "def pay(n):\n    return fee(n, 30)\n"
SAID = "Fees are rounded to whole cents before the sum is built, for every invoice of every customer in every country."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOORLINE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOORLINE_AUTHOR", raising=False)
    found = tmp_path / "w"
    (found / ".moorline").mkdir(parents=True)
    (found / "a.py").write_text(CODE)
    return found


async def test_what_is_captured_shows_in_the_editor(folder: Path) -> None:
    text = "We decided to round fees before the sum. @anchor(file=a.py, symbol=pay)\n"
    async with served(folder) as wire:
        uri = (folder / "a.py").as_uri()
        wire.open(uri, CODE)
        shown = await wire.command("capture", text=text)
        assert [one["status"] for one in shown["proposals"]] == ["new"] and not shown["applied"]
        kept = await wire.command("capture", text=text, yes=True, author="agent:x")
        assert [one["status"] for one in kept["proposals"]] == ["kept"]
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        with pytest.raises(Refusal, match="there is no proposal 7"):
            await wire.command("capture", text=text, yes=True, only=[7])
        with pytest.raises(Refusal, match=r"argument\.text"):
            await wire.command("capture")


async def test_what_is_near_and_at_odds_is_told_merged_and_dismissed(folder: Path) -> None:
    async with served(folder) as wire:
        uri = (folder / "a.py").as_uri()
        place = {"uri": uri, "symbol": "pay", "kind": "decision"}
        first = await wire.command("record", **place, text=SAID)
        near = await wire.command("record", **place, text=SAID.replace(" whole", ""))
        assert [one["id"] for one in near["near"]] == [first["id"]] and near["conflicts"] == []
        merged = await wire.command("consolidate", apply=True, author="agent:tidy")
        assert merged["summary"]["merged"] == 1
        odd = await wire.command("record", **place, text=SAID.replace("are rounded", "are never rounded"))
        assert [set(one["ids"]) for one in odd["conflicts"]] == [{first["id"], odd["id"]}]
        await wire.command("dismiss", id=odd["id"], other=first["id"], reason="one is of tests")
        assert (await wire.command("list", conflicts=True))["conflicts"] == []


async def test_work_is_left_and_gone_on_with(folder: Path) -> None:
    async with served(folder) as wire:
        left = await wire.command("checkpoint", summary="The parser is done.\nOn branch main", next=["Its errors."])
        assert left["home"] == "local" and [one["why"] for one in left["left_out"]] == ["repository state"]
        page = await wire.command("resume", task="errors", bytes=4096)
        assert page["checkpoint"]["id"] == left["id"]
        texts = [item["quoted"]["text"] for item in page["sections"]["work"]["items"]]
        assert texts == ["The parser is done.", "Its errors."]
