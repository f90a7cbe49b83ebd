"""Describing places and making briefs over the wire, of the text that an editor shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.wire import Refusal, served

CODE = "def pay(n):\n    total = fee(n, 30)\n    return total * 2\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "pay.py").write_text(CODE)
    (tmp_path.parent / "secret.py").write_text("x = 1\n")
    return tmp_path


async def test_a_place_is_described_as_its_buffer_is(folder: Path) -> None:
    uri = (folder / "pay.py").as_uri()
    async with served(folder) as wire:
        wire.open(uri, CODE)
        await wire.command("record", uri=uri, symbol="pay", kind="decision", text="Paid twice.")
        answer = await wire.command("describe", uri=uri, position={"line": 1, "character": 6})
        assert answer["place"] == "pay.py#pay" and answer["unknown"] == []
        wire.change(uri, 2, {"text": CODE.replace("2", "3")})
        for argument in ({"uri": uri, "symbol": "pay"}, {"file": "pay.py"}, {"folder": "."}):
            answer = await wire.command("describe", **argument, **{"with": ["history"]})
            assert [entry["what"] for entry in answer["unknown"]] == ["stale"]
            assert answer["sections"]["decision"]["items"][0]["quoted"]["text"] == "Paid twice."
        for wrong in ({}, {"file": "../secret.py"}, {"folder": ".."}, {"file": "pay.py", "with": ["colours"]}):
            with pytest.raises(Refusal):
                await wire.command("describe", **wrong)


async def test_a_brief_is_kept_and_read_again(folder: Path) -> None:
    uri = (folder / "pay.py").as_uri()
    async with served(folder) as wire:
        wire.open(uri, CODE)
        made = await wire.command("record", uri=uri, symbol="pay", kind="decision", text="Paid twice.")
        first = await wire.command("brief", task="pay less", require=["pay.py#pay", made["id"][:8]], keep=True)
        assert first["sections"]["decisions"]["items"][0]["id"] == made["id"]
        wire.change(uri, 2, {"text": CODE.replace("2", "3")})
        again = await wire.command("brief", read=first["kept"])
        assert first.items() <= again.items()
        assert [(one["what"], one["now"]) for one in again["drifted"]] == [(["code"], "changed")]
        for wrong in ({}, {"task": "x", "require": ["../secret.py"]}, {"task": "x", "lens": "x-ray"}):
            with pytest.raises(Refusal):
                await wire.command("brief", **wrong)
