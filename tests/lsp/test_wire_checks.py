"""Checks over the wire: an unsaved buffer contradicts a memory that another file shows, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.wire import Refusal, Wire, served

CODE = "LIMIT = 30\n\n\ndef login(user, timeout=5):\n    audit(user)\n    return check(user)\n"
TOML = "[app]\nlimit = 30\n"
GO = 'package a\n\nimport "time"\n\nconst Wait = 30 * time.Second\n\nfunc Run() {\n\topen()\n}\n'


def written(folder: Path) -> dict[str, str]:
    (folder / ".moorline").mkdir()
    files = {"a.py": CODE, "c.toml": TOML, "w.go": GO}
    for name, text in files.items():
        (folder / name).write_text(text)
    return {name: (folder / name).as_uri() for name in files}


async def record(wire: Wire, uri: str, *checks: str, **more: Any) -> Any:
    return await wire.command(
        "record", uri=uri, symbol="login", kind="decision", text="Why.", checks=list(checks), **more
    )


# The check, the file that is edited without a save, what becomes of it, and what the error then says.
BUFFERS = {
    "setting": (
        "equals c.toml#app.limit 30",
        "c.toml",
        TOML.replace("30", "60"),
        "the memory says 30, the code says 60",
    ),
    "default": ("equals a.py#login(timeout) 5", "a.py", CODE.replace("=5", "=6"), "the memory says 5, the code says 6"),
    "call": ("calls a.py#login audit", "a.py", CODE.replace("audit(", "note("), "in the code it calls note, check"),
    "constant": (
        "equals w.go#Wait 30 * time.Second",
        "w.go",
        GO.replace("30 *", "60 *"),
        "the memory says 30 * time.Second, the code says 60 * time.Second",
    ),
    "import": ("imports w.go time", "w.go", GO.replace('"time"', '"os"'), "in the code it imports os"),
    "gone": ("exists w.go#Run", "w.go", GO.replace("Run", "Walk"), "in the code it is not"),
}


@pytest.mark.parametrize("name", BUFFERS)
async def test_an_unsaved_buffer_contradicts(tmp_path: Path, name: str) -> None:
    check, file, changed, said = BUFFERS[name]
    uris = written(tmp_path)
    async with served(tmp_path) as wire:
        wire.open(uris["a.py"], CODE)
        answer = await record(wire, uris["a.py"], check)
        assert [one["outcome"] for one in answer["checks"]] == ["holds"]
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["fresh"])
        if file != "a.py":
            wire.open(uris[file], (tmp_path / file).read_text())
        wire.change(uris[file], 2, {"text": changed})
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["contradicted"])
        (problem,) = wire.latest(uris["a.py"])
        assert problem["severity"] == 1 and said in problem["message"], problem["message"]
        assert problem["range"]["start"]["line"] == 3
        hover = await wire.hover(uris["a.py"], 3, 5)
        assert hover is not None and f"✗ `{check}`" in hover["contents"]["value"]
        wire.change(uris[file], 3, {"text": (tmp_path / file).read_text()})
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["fresh"])


async def test_a_closed_file_shows_what_its_checks_say(tmp_path: Path) -> None:
    uris = written(tmp_path)
    async with served(tmp_path) as wire:
        wire.open(uris["a.py"], CODE)
        await record(wire, uris["a.py"], "equals c.toml#app.limit 30")
        wire.close(uris["a.py"])
        await wire.until(lambda: wire.shown(uris["a.py"]) == [])
        (tmp_path / "c.toml").write_text(TOML.replace("30", "60"))
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["contradicted"])
        (tmp_path / "c.toml").write_text(TOML)
        await wire.until(lambda: wire.shown(uris["a.py"]) == [])


async def test_what_is_no_check_is_refused_in_one_line(tmp_path: Path) -> None:
    uris = written(tmp_path)
    async with served(tmp_path) as wire:
        wire.open(uris["a.py"], CODE)
        for check, said in (("equal a.py#LIMIT 30", "did you mean equals?"), ("exists ../x", "outside the workspace")):
            with pytest.raises(Refusal, match=said) as caught:
                await record(wire, uris["a.py"], check)
            assert "\n" not in str(caught.value)


async def test_what_goes_by_its_checks_is_fresh_while_they_hold(tmp_path: Path) -> None:
    uris = written(tmp_path)
    async with served(tmp_path) as wire:
        wire.open(uris["a.py"], CODE)
        await record(wire, uris["a.py"], "calls a.py#login audit", byChecks=True)
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["fresh"])
        wire.change(uris["a.py"], 2, {"text": CODE.replace("check(user)", "check(user, 1)")})
        wire.change(uris["a.py"], 3, {"text": CODE.replace("audit(user)", "note(user)")})
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["contradicted"])
        wire.change(uris["a.py"], 4, {"text": CODE.replace("check(user)", "check(user, 1)")})
        await wire.until(lambda: wire.shown(uris["a.py"]) == ["fresh"])
