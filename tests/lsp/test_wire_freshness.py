"""Cases 30 and 31 from the field over the wire: old results over newer ones, and marks that outlive their file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.samples import position
from support.wire import PUSHED, Wire, command_line, served

PAY = "def pay(n):\n    total = fee(n, 30_0)\n    return total * 2\n"
CODE = f"import os\n\n\n{PAY}\n\ndef owe(n):\n    return debt(n, 40) - 1\n"
CHANGED = CODE.replace("30_0", "31")


def versions(wire: Wire, uri: str) -> list[int | None]:
    return [params.get("version") for params in wire.published if params["uri"] == uri]


async def record(wire: Wire, uri: str, symbol: str = "pay") -> Any:
    return await wire.command("record", uri=uri, symbol=symbol, kind="decision", text=f"Why {symbol} is so.")


# ---- case 30: old result overwrites a newer one


def long_file(lines: int) -> str:
    filler = "".join(
        f"def f{number}(a, b):\n    c = a + b * {number}\n    return c\n\n\n" for number in range(lines // 5)
    )
    return f"{filler}{PAY}"


async def test_case_30_three_hundred_changes(tmp_path: Path) -> None:
    """Typing, letter by letter, in an anchored function of a long file, which ends where it began."""
    text = long_file(10_000)
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(text)
    uri = (tmp_path / "a.py").as_uri()
    line, column = position(text, text.index("30_0"))
    word = "+ sum([n, 1])" * 12
    async with served(tmp_path) as wire:
        wire.open(uri, text)
        await record(wire, uri)
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        version, before = 1, len(wire.published)
        hovers = []
        at = column + 4
        for step in range(300):
            version += 1
            typed = step < 150
            letter = word[step] if typed else ""
            start = at if typed else at - 1
            spots = ({"line": line, "character": start}, {"line": line, "character": at})
            wire.change(uri, version, {"range": {"start": spots[0], "end": spots[1]}, "text": letter})
            at = start + len(letter)
            if step % 50 == 0:
                place = position(text, text.index("pay(n)"))
                document = {"textDocument": {"uri": uri}, "position": {"line": place[0], "character": place[1]}}
                hovers.append(wire.begin("textDocument/hover", document))
            if step % 10 == 0:
                await asyncio.sleep(0.005)
        for hover in hovers:
            assert "Why pay is so." in (await asyncio.wait_for(hover, 30))["contents"]["value"]
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        await wire.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
        await asyncio.sleep(0.5)
        after = [params for params in wire.published[before:] if params["uri"] == uri]
        told = [params["version"] for params in after]
        assert told == sorted(told), "each with its version, none older than one before"
        assert len(after) < 150, "few publishes"
        if after:
            assert after[-1]["version"] <= version
            assert [one["code"] for one in after[-1]["diagnostics"]] == ["fresh"]


@pytest.mark.parametrize("waiting", [0.0, 0.2], ids=["at once", "after the debounce"])
async def test_case_30_nothing_comes_after_close(tmp_path: Path, waiting: float) -> None:
    text = long_file(10_000)
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(text)
    uri = (tmp_path / "a.py").as_uri()
    async with served(tmp_path) as wire:
        wire.open(uri, text)
        await record(wire, uri)
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        for version in range(2, 12):
            wire.change(uri, version, {"text": text.replace("30_0", f"{version}")})
        if waiting:
            await asyncio.sleep(waiting)
        wire.close(uri)
        await wire.until(lambda: wire.shown(uri) == [])
        count = len(wire.published)
        await asyncio.sleep(0.5)
        assert len(wire.published) == count, "none after close"
        assert wire.published[-1].get("version") is None
        # Opened again, its versions begin anew, and they count.
        wire.open(uri, text, version=1)
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        assert wire.published[-1]["version"] == 1
        wire.change(uri, 2, {"text": text.replace("30_0", "31")})
        await wire.until(lambda: wire.shown(uri) == ["changed"])
        assert wire.published[-1]["version"] == 2


async def test_case_30_an_old_answer_never_follows_a_newer_one(tmp_path: Path) -> None:
    """What a command writes, or another process records, comes while keys are typed; the version only grows."""
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    uri = (tmp_path / "a.py").as_uri()
    async with served(tmp_path) as wire:
        wire.open(uri, CODE)
        memory = await record(wire, uri)
        other = asyncio.ensure_future(
            command_line(tmp_path, "record", "a.py#owe", "--kind", "note", "--text", "From elsewhere.")
        )
        version = 1
        for number in range(60):
            version += 1
            wire.change(uri, version, {"text": CODE.replace("30_0", str(number % 7 + 30))})
            if number % 20 == 10:
                await wire.command("clearStaleness", id=memory["id"])
            await asyncio.sleep(0.01)
        assert (await other)[0] == 0
        version += 1
        wire.change(uri, version, {"text": CODE.replace("30_0", "99")})
        await wire.until(lambda: sorted(wire.shown(uri)) == ["changed", "fresh"])
        told = [number for number in versions(wire, uri) if number is not None]
        assert told == sorted(told) and told[-1] <= version


# ---- case 31: diagnostics that outlive their file


async def stale_and_open(wire: Wire, folder: Path) -> tuple[str, str]:
    """A file with a stale memory, shown by its buffer and its disk alike. Answers its URI and the memory's id."""
    uri = (folder / "a.py").as_uri()
    wire.open(uri, CODE)
    memory = await record(wire, uri)
    (folder / "a.py").write_text(CHANGED)
    wire.change(uri, 2, {"text": CHANGED})
    wire.save(uri)
    await wire.until(lambda: wire.listed == {uri: ["changed"]})
    return uri, memory["id"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


async def test_case_31_closed_healed_and_opened_twice(folder: Path) -> None:
    async with served(folder) as wire:
        uri, _ = await stale_and_open(wire, folder)
        wire.close(uri)
        await wire.until(lambda: wire.listed == {uri: ["changed"]} and versions(wire, uri)[-1] is None)
        wire.open(uri, CHANGED)
        await wire.until(lambda: versions(wire, uri)[-1] == 1)
        wire.open(uri, CHANGED, version=5)
        assert (await wire.command("list", uri=uri))["memories"]
        assert wire.listed == {uri: ["changed"]}, "opening twice does not double it"
        wire.close(uri)
        await wire.until(lambda: wire.listed == {uri: ["changed"]} and versions(wire, uri)[-1] is None)
        (folder / "a.py").write_text(CODE)
        await wire.until(lambda: wire.listed == {})


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_case_31_the_file_is_deleted(folder: Path, opened: bool) -> None:
    async with served(folder) as wire:
        uri, identifier = await stale_and_open(wire, folder)
        if not opened:
            wire.close(uri)
        (folder / "a.py").unlink()
        if opened:
            wire.tell("workspace/didDeleteFiles", {"files": [{"uri": uri}]})
            wire.close(uri)
        # The memory is lost, which is stale news, and stays the only one until somebody settles it.
        await wire.until(lambda: wire.listed == {uri: ["file_missing"]})
        await wire.command("retire", id=identifier, reason="the code is gone")
        await wire.until(lambda: wire.listed == {})


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
async def test_case_31_the_file_is_renamed(folder: Path, opened: bool) -> None:
    async with served(folder) as wire:
        uri, _ = await stale_and_open(wire, folder)
        new = (folder / "b.py").as_uri()
        if not opened:
            wire.close(uri)
        (folder / "a.py").rename(folder / "b.py")
        wire.tell("workspace/didRenameFiles", {"files": [{"oldUri": uri, "newUri": new}]})
        if opened:
            wire.close(uri)
            wire.open(new, CHANGED)
        await wire.until(lambda: wire.listed == {new: ["changed"]})
        await asyncio.sleep(0.5)
        assert wire.listed == {new: ["changed"]}


@pytest.mark.parametrize("opened", [True, False], ids=["open", "closed"])
@pytest.mark.parametrize("how", ["retire", "clear"])
async def test_case_31_another_process_settles_it(folder: Path, how: str, opened: bool) -> None:
    words = {"retire": ["retire", "--reason", "done"], "clear": ["clear", "--note", "still true"]}[how]
    async with served(folder) as wire:
        uri, identifier = await stale_and_open(wire, folder)
        if not opened:
            wire.close(uri)
            await wire.until(lambda: versions(wire, uri)[-1] is None)
        code, _, err = await command_line(folder, words[0], identifier, *words[1:])
        assert code == 0, err
        await wire.until(lambda: wire.listed == ({uri: ["fresh"]} if how == "clear" and opened else {}))


async def test_case_31_the_ledger_is_gone(folder: Path) -> None:
    """A folder of a memory is deleted, as a branch switch does."""
    async with served(folder) as wire:
        uri, _ = await stale_and_open(wire, folder)
        kept = folder / ".moorline" / "memories"
        kept.rename(folder / "away")
        await wire.until(lambda: wire.listed == {})
        (folder / "away").rename(kept)
        await wire.until(lambda: wire.listed == {uri: ["changed"]})


async def test_case_31_the_workspace_folder_is_removed(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b")]
    for one in folders:
        (one / ".moorline").mkdir(parents=True)
        (one / "a.py").write_text(CODE)
        code, _, err = await command_line(one, "record", "a.py#pay", "--kind", "decision", "--text", "Why.")
        assert code == 0, err
        (one / "a.py").write_text(CHANGED)
    uris = [(one / "a.py").as_uri() for one in folders]
    async with served(*folders) as wire:
        await wire.until(lambda: wire.listed == {uri: ["changed"] for uri in uris})
        for opened in (False, True):
            if opened:
                wire.open(uris[0], CHANGED)
                await wire.until(lambda: versions(wire, uris[0])[-1] == 1)
            folder = {"uri": folders[0].as_uri(), "name": "a"}
            wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
            if opened:
                wire.close(uris[0])
            await wire.until(lambda: wire.listed == {uris[1]: ["changed"]})
            wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
            await wire.until(lambda: wire.listed == {uri: ["changed"] for uri in uris})
            assert versions(wire, uris[0])[-1] is None
        # A document that stays open goes on being told about, and is right when its folder is back.
        wire.open(uris[0], CHANGED)
        wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        wire.change(uris[0], 2, {"text": CODE})
        await wire.until(lambda: wire.listed == {uris[1]: ["changed"]})
        wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
        await wire.until(lambda: wire.listed == {uris[0]: ["fresh"], uris[1]: ["changed"]})


async def test_case_31_a_client_that_pulls(folder: Path) -> None:
    """It is pushed closed files alone, and asked to pull again when what it pulled is old."""
    pulls = {
        **PUSHED,
        "textDocument": {**PUSHED["textDocument"], "diagnostic": {"dynamicRegistration": False}},
        "workspace": {**PUSHED["workspace"], "diagnostics": {"refreshSupport": True}},
    }

    async def pulled(uri: str) -> list[str]:
        answer = await wire.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        return [one["code"] for one in answer["items"]]

    async with served(folder, capabilities=pulls) as wire:
        uri = (folder / "a.py").as_uri()
        wire.open(uri, CODE)
        memory = await record(wire, uri)
        assert await pulled(uri) == ["fresh"]
        wire.change(uri, 2, {"text": CHANGED})
        assert await pulled(uri) == ["changed"]
        assert wire.listed == {}
        wire.notes.clear()
        code, _, err = await command_line(folder, "retire", memory["id"], "--reason", "done")
        assert code == 0, err
        await wire.until(lambda: "workspace/diagnostic/refresh" in [note["method"] for note in wire.notes])
        assert await pulled(uri) == []
        code, _, err = await command_line(folder, "restore", memory["id"])
        assert code == 0, err
        (folder / "a.py").write_text(CHANGED)
        wire.close(uri)
        await wire.until(lambda: wire.listed == {uri: ["changed"]})
        wire.open(uri, CHANGED)
        await wire.until(lambda: wire.listed == {})
        assert await pulled(uri) == ["changed"]


# ---- settings


async def test_the_settings_file_counts_when_it_changes(tmp_path: Path) -> None:
    """Nobody tells the server but its own watcher, and what it is read for shows without a key."""
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(CODE)
    uri = (tmp_path / "a.py").as_uri()
    config = tmp_path / ".moorline" / "config.toml"
    async with served(tmp_path) as wire:
        wire.open(uri, CODE)
        await record(wire, uri)
        await wire.until(lambda: wire.shown(uri) == ["fresh"])
        config.write_text("diagnostics = false\n")
        await wire.until(lambda: wire.shown(uri) == [])
        config.write_text("diagnostics = false\nnothing = 1\n")
        await wire.until(lambda: bool(wire.shown(config.as_uri())))
        config.unlink()
        await wire.until(lambda: wire.shown(uri) == ["fresh"] and wire.shown(config.as_uri()) == [])
