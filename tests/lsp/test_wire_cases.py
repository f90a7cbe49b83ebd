"""Cases 1, 7, 9, 10, 12 and 13 from the field over the wire: columns, spellings of one file, links, several roots."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from support.samples import position
from support.wire import PUSHED, Refusal, Wire, command_line, initialize, served, start

CODE = """\
import os


def pay(n):
    total = fee(n, 30)
    return total * 2


def owe(n):
    return debt(n, 40) - 1
"""
CHANGED = CODE.replace("30", "31")


def at(text: str, needle: str) -> tuple[int, int]:
    return position(text, text.index(needle))


async def record(wire: Wire, uri: str, symbol: str = "pay", **more: Any) -> Any:
    return await wire.command("record", uri=uri, symbol=symbol, kind="decision", text=f"Why {symbol} is so.", **more)


def memories(folder: Path) -> int:
    return len(list((folder / ".moorline" / "memories").glob("*/memory.md")))


# ---- case 1: columns drift after emoji/CJK


@pytest.mark.parametrize(
    ("offers", "takes"), [(["utf-16"], "utf-16"), (["utf-8", "utf-16"], "utf-8"), (None, "utf-16")]
)
async def test_case_01_columns_in_the_encoding_announced(tmp_path: Path, offers: Any, takes: Any) -> None:
    text = "/* 🎉漢 */ function pay(n) { return n * 2 }\n"
    (tmp_path / "a.js").write_text(text, encoding="utf-8")
    (tmp_path / ".moorline").mkdir()
    uri = (tmp_path / "a.js").as_uri()
    general = {} if offers is None else {"positionEncodings": offers}
    async with served(tmp_path, capabilities={**PUSHED, "general": general}) as wire:
        assert wire.capabilities["positionEncoding"] == takes
        wire.open(uri, text, language="javascript")
        await record(wire, uri)
        for version, inserted in enumerate(("", "🎉"), 2):
            if inserted:
                line, column = position(text, text.index("漢"), takes)
                spot = {"line": line, "character": column}
                wire.change(uri, version, {"range": {"start": spot, "end": spot}, "text": inserted})
                text = text.replace("漢", inserted + "漢")
            name = text.index("pay")
            line, column = position(text, name, takes)
            end = position(text, name + 3, takes)[1]
            covers = {"start": {"line": line, "character": column}, "end": {"line": line, "character": end}}
            for more in range(-2, 6):
                hover = await wire.hover(uri, *position(text, name + more, takes))
                assert (hover is not None) == (0 <= more < 3), more
                assert hover is None or hover["range"] == covers
            (lens,) = await wire.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
            assert lens["range"] == covers
            await wire.until(lambda: [one["range"] for one in wire.latest(uri)] == [covers])  # noqa: B023


# ---- case 7: same file, differently spelled URI


async def test_case_07_one_file_in_every_spelling(tmp_path: Path) -> None:
    folder = tmp_path / "My Proj #1 (ü)"
    folder.mkdir()
    (folder / ".moorline").mkdir()
    (folder / "pay (1).py").write_text(CODE)
    path = str(folder / "pay (1).py")
    spellings = [
        "file://" + quote(path),
        "file://" + quote(path, safe="/()"),
        "file://" + quote(path, safe="/()").replace("%C3%BC", "ü"),
        "file://" + quote(path).replace("%C3%BC", "%c3%bc"),
        "file://localhost" + quote(path),
        "file://" + "".join(f"%{byte:02X}" if chr(byte) not in "/" else "/" for byte in path.encode()),
    ]
    assert len(set(spellings)) == len(spellings)
    opened = spellings[1]
    line, column = at(CODE, "pay(")
    async with served(folder) as wire:
        wire.open(opened, CODE)
        memory = await record(wire, opened)
        for spelling in spellings:
            hover = await wire.hover(spelling, line, column)
            assert hover is not None and "Why pay is so." in hover["contents"]["value"], spelling
            again = await record(wire, spelling)
            assert (again["id"], again["created"], len(again["anchors"])) == (memory["id"], False, 1)
            listed = await wire.command("list", uri=spelling)
            assert [one["id"] for one in listed["memories"]] == [memory["id"]]
        wire.change(opened, 2, {"text": CHANGED})
        await wire.until(lambda: wire.shown(opened) == ["changed"])
        lenses = await wire.ask("textDocument/codeLens", {"textDocument": {"uri": spellings[2]}})
        assert [lens["command"]["title"] for lens in lenses] == ["⚓ 1 decision, stale"]
        # An editor that opens it again in another spelling has one document, and nothing twice.
        other = spellings[2]
        wire.open(other, CHANGED)
        await wire.until(lambda: wire.listed == {other: ["changed"]})
        wire.close(other)
        await wire.until(lambda: wire.listed == {})
        assert {params["uri"] for params in wire.published} == {opened, other}
    assert memories(folder) == 1


async def test_case_07_untitled_gets_a_refusal_and_no_anchor(tmp_path: Path) -> None:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "pay.py").write_text(CODE)
    others = ["untitled:Untitled-1", "git:/pay.py?%7B%22ref%22%3A%22HEAD%22%7D", "vscode-notebook-cell:/pay.ipynb#W0"]
    async with served(tmp_path) as wire:
        for uri in others:
            wire.open(uri, CODE)
            for place in ({"symbol": "pay"}, {"position": {"line": 3, "character": 4}}, {}):
                with pytest.raises(Refusal, match="save"):
                    await wire.command("record", uri=uri, kind="decision", text="Nowhere.", **place)
            wire.change(uri, 2, {"text": CHANGED})
            document = {"textDocument": {"uri": uri}}
            assert await wire.hover(uri, 3, 5) is None
            assert not await wire.ask("textDocument/codeLens", document)
            wire.save(uri)
            wire.close(uri)
        assert wire.published == []
        for relative in ("Untitled-1", "file:Untitled-1", "file:///"):
            with pytest.raises(Refusal):
                await wire.command("record", uri=relative, symbol="pay", kind="decision", text="Nowhere.")
        assert (await wire.command("list"))["memories"] == []
    assert memories(tmp_path) == 0


# ---- case 9: workspace reached through a symlink


async def test_case_09_a_workspace_through_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real" / "p"
    (real / "src").mkdir(parents=True)
    (real / ".moorline").mkdir()
    (real / "src" / "pay.py").write_text(CODE)
    (real / "alias").symlink_to("src")
    (real / "self").symlink_to(".")
    link = tmp_path / "link"
    link.symlink_to(real)
    code, _, err = await command_line(link, "record", "src/pay.py#pay", "--kind", "decision", "--text", "By link.")
    assert code == 0, err
    line, column = at(CODE, "pay(")
    ways = [folder / way for folder in (real, link) for way in ("src/pay.py", "alias/pay.py", "self/self/src/pay.py")]
    for folder in (real, link):
        async with served(folder) as wire:
            for way in ways:
                uri = way.as_uri()
                wire.open(uri, CHANGED)
                hover = await wire.hover(uri, line, column)
                assert hover is not None and "By link." in hover["contents"]["value"], way
                await wire.until(lambda: wire.listed == {uri: ["changed"]})  # noqa: B023
                again = await wire.command("record", uri=uri, symbol="pay", kind="decision", text="By link.")
                assert again["created"] is False and [a["file"] for a in again["anchors"]] == ["src/pay.py"]
                wire.close(uri)
                await wire.until(lambda: wire.listed == {})
            # A closed file is named as the client reached its folder.
            (real / "src" / "pay.py").write_text(CHANGED)
            await wire.until(lambda: wire.listed == {(folder / "src" / "pay.py").as_uri(): ["changed"]})  # noqa: B023
            (real / "src" / "pay.py").write_text(CODE)
            await wire.until(lambda: wire.listed == {})
    assert memories(real) == 1


# ---- case 10: path checks that only compare text


async def test_case_10_no_way_out_over_the_wire(tmp_path: Path) -> None:
    inside, outside = tmp_path / "w", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "pay.py").write_text(CODE)
    (inside / ".moorline").mkdir()
    (inside / "out").symlink_to(outside)
    (tmp_path / "w-evil").mkdir()
    (tmp_path / "w-evil" / "pay.py").write_text(CODE)
    async with served(inside) as wire:
        for path in (inside / "out" / "pay.py", tmp_path / "w-evil" / "pay.py", inside / ".." / "outside" / "pay.py"):
            uri = "file://" + os.fspath(path)
            wire.open(uri, CODE)
            with pytest.raises(Refusal, match="outside") as refused:
                await wire.command("record", uri=uri, symbol="pay", kind="decision", text="Out.")
            assert "def " not in str(refused.value) and len(str(refused.value)) < 200
            assert await wire.hover(uri, 3, 5) is None
        assert (await record(wire, (inside / "pay.py").as_uri()))["created"]
        # A ledger that was edited by hand leads no further.
        (memory,) = (inside / ".moorline" / "memories").glob("*/memory.md")
        kept = memory.read_text()
        (inside / "deep").mkdir()
        for trick in ("../outside/pay.py", "out/pay.py", str(outside / "pay.py"), "out/new/none.py", "a" * 5000):
            memory.write_text(kept.replace("pay.py#pay", f"{trick}#pay"))
            listed: list[Any] = []
            for _ in range(200):
                answer = await wire.command("list")
                listed = [anchor for one in answer["memories"] for anchor in one["anchors"]]
                if [anchor["verdict"] for anchor in listed] != ["fresh"]:
                    break
                await asyncio.sleep(0.05)
            assert [anchor["verdict"] for anchor in listed] in ([], ["unverifiable"]), (trick, listed)
            assert "fee(" not in json.dumps(listed)
            memory.write_text(kept)
        assert {params["uri"] for params in wire.published} <= {(inside / "pay.py").as_uri()}
    assert memories(inside) == 1 and not (outside / ".moorline").exists()


# ---- case 13: git worktrees


async def test_case_13_a_worktree_is_judged_by_its_own_files(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "wt"
    main.mkdir()
    (main / "pay.py").write_text(CODE)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "commit.gpgsign=false"]

    def git(*words: str) -> None:
        subprocess.run(["git", *who, *words], cwd=main, check=True, capture_output=True)

    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        git(*words)
    async with served(main) as wire:
        await record(wire, (main / "pay.py").as_uri())
    git("add", "-A")
    git("commit", "-q", "-m", "a decision")
    git("worktree", "add", "-q", "../wt", "-b", "t")
    uris = [(folder / "pay.py").as_uri() for folder in (main, tree)]
    async with served(main) as here, served(tree) as there:
        for wire, uri in ((here, uris[0]), (there, uris[1])):
            wire.open(uri, CODE)
            await wire.until(lambda: wire.shown(uri) == ["fresh"])  # noqa: B023
        (tree / "pay.py").write_text(CHANGED)
        there.change(uris[1], 2, {"text": CHANGED})
        await there.until(lambda: there.shown(uris[1]) == ["changed"])
        local = await record(there, uris[1], "owe", local=True)
        assert local["root"] == tree.as_uri()
        # A local one lives in the main checkout, and is seen there, judged by its files.
        await here.until(lambda: here.shown(uris[0]) == ["fresh", "fresh"])
        assert len(list((main / ".moorline" / "local").glob("*/memory.md"))) == 1
        assert not list((tree / ".moorline").glob("local/*"))
    git("worktree", "remove", "--force", "../wt")
    async with served(main) as wire:
        wire.open(uris[0], CODE)
        await wire.until(lambda: wire.shown(uris[0]) == ["fresh", "fresh"])
        assert local["id"] in {memory["id"] for memory in (await wire.command("list"))["memories"]}


# ---- case 12: several folders


async def test_case_12_each_root_its_own_store(tmp_path: Path) -> None:
    """Two roots and one nested in the first: every memory goes to the innermost that owns the file."""
    roots = {name: tmp_path / name for name in ("a", "b", "a/pkg")}
    for folder in roots.values():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pay.py").write_text(CODE)
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (roots["a/pkg"] / ".moorline").mkdir()
    (roots["a"] / "deep").mkdir()
    (roots["a"] / "deep" / "pay.py").write_text(CODE)
    uris = {name: (folder / "pay.py").as_uri() for name, folder in roots.items()}

    def owned() -> dict[str, int]:
        return {name: memories(folder) for name, folder in roots.items()}

    async with served(roots["a"], roots["b"]) as wire:
        for name in ("a", "b"):
            wire.open(uris[name], CODE)
            assert (await record(wire, uris[name]))["root"] == roots[name].as_uri()
        assert owned() == {"a": 1, "b": 1, "a/pkg": 0}
        # The nested root has one owner, whether or not it is a folder of the editor's.
        wire.open(uris["a/pkg"], CODE)
        nested = await record(wire, uris["a/pkg"], "owe")
        assert (nested["root"], nested["anchors"][0]["file"]) == (roots["a/pkg"].as_uri(), "pay.py")
        assert owned() == {"a": 1, "b": 1, "a/pkg": 1}
        added = {"uri": roots["a/pkg"].as_uri(), "name": "pkg"}
        wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [added], "removed": []}})
        again = await record(wire, uris["a/pkg"], "owe")
        assert (again["id"], again["created"]) == (nested["id"], False)
        # An id that two roots know wants a root; one that only one knows does not.
        assert (await wire.command("show", id=nested["id"]))["root"] == roots["a/pkg"].as_uri()
        same = (await wire.command("list"))["memories"]
        twice = [one["id"] for one in same if one["id"] != nested["id"]]
        assert len(twice) == 2 and len(set(twice)) == 1, "the same decision in two roots"
        with pytest.raises(Refusal, match="root"):
            await wire.command("retire", id=twice[0], reason="which?")
        gone = await wire.command("retire", id=twice[0], reason="this one", root=roots["b"].as_uri())
        assert gone["root"] == roots["b"].as_uri()
        # A folder is removed live: what it showed goes, its files take no part, the others work on.
        wire.change(uris["a"], 2, {"text": CHANGED})
        await wire.until(lambda: wire.shown(uris["a"]) == ["changed"])
        wire.close(uris["b"])
        removed = {"uri": roots["b"].as_uri(), "name": "b"}
        wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [removed]}})
        with pytest.raises(Refusal, match="outside"):
            await record(wire, uris["b"], "owe")
        assert await wire.hover(uris["b"], *at(CODE, "pay(")) is None
        assert await wire.hover(uris["a"], *at(CODE, "pay(")) is not None
        wire.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [removed], "removed": []}})
        wire.open(uris["b"], CODE)
        assert (await record(wire, uris["b"], "owe"))["root"] == roots["b"].as_uri()
        # A folder below a root belongs to that root.
        assert (await record(wire, (roots["a"] / "deep" / "pay.py").as_uri()))["root"] == roots["a"].as_uri()
    assert owned() == {"a": 2, "b": 2, "a/pkg": 1}


async def test_case_12_two_servers_one_for_each_folder(tmp_path: Path) -> None:
    """A client that starts a server a folder: both start, and a command goes to the one it was sent to."""
    folders = [tmp_path / name for name in ("a", "b")]
    wires = []
    for folder in folders:
        (folder / ".moorline").mkdir(parents=True)
        (folder / "pay.py").write_text(CODE)
        wire = await start()
        await initialize(wire, [folder])
        wires.append(wire)
    for wire, folder in zip(wires, folders, strict=True):
        uri = (folder / "pay.py").as_uri()
        wire.open(uri, CODE)
        assert (await record(wire, uri))["root"] == folder.as_uri()
    other = (folders[1] / "pay.py").as_uri()
    with pytest.raises(Refusal, match="outside"):
        await record(wires[0], other, "owe")
    assert [memories(folder) for folder in folders] == [1, 1]
    for wire in wires:
        assert await wire.end() == 0
