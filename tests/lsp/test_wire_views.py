"""What an editor's own views hear of (`moorline/changed`), whoever asks first; and renames one after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.samples import position
from support.wire import PUSHED, Wire, command_line, served

CODE = """\
def pay(n):
    return n * 30


def owe(n):
    return n - 1
"""
PULLED = {
    **PUSHED,
    "textDocument": {**PUSHED["textDocument"], "diagnostic": {"dynamicRegistration": False}},
    "workspace": {**PUSHED["workspace"], "diagnostics": {"refreshSupport": True}},
}
"""A client that pulls the diagnostics of what it has open, as VS Code does."""

LOOKS = {
    "nobody": [],
    "diagnostics": ["textDocument/diagnostic"],
    "lenses": ["textDocument/codeLens"],
    "both": ["textDocument/codeLens", "textDocument/diagnostic"],
}


def told(wire: Wire) -> int | None:
    """How many memories are stale, as the views were told last."""
    counts = [note["params"]["stale"] for note in wire.notes if note["method"] == "moorline/changed"]
    return counts[-1] if counts else None


def stale_after(wire: Wire, count: int, already: int) -> bool:
    """Whether the views were told so after the first `already` notes."""
    news = [note for note in wire.notes[already:] if note["method"] == "moorline/changed"]
    return bool(news) and told(wire) == count


async def prepared(wire: Wire, folder: Path) -> str:
    path = folder / "a.py"
    path.write_text(CODE, encoding="utf-8")
    wire.open(path.as_uri(), CODE)
    await wire.command("record", uri=path.as_uri(), symbol="pay", kind="decision", text="Thirty days.")
    await wire.until(lambda: told(wire) == 0)
    return path.as_uri()


@pytest.mark.parametrize("looks", sorted(LOOKS))
@pytest.mark.parametrize("capabilities", [PUSHED, PULLED], ids=["pushed", "pulled"])
async def test_views_hear_of_an_edit_whoever_looks_first(tmp_path: Path, capabilities: Any, looks: str) -> None:
    (tmp_path / ".moorline").mkdir()
    async with served(tmp_path, capabilities=capabilities) as wire:
        uri = await prepared(wire, tmp_path)
        line, column = position(CODE, CODE.index("30"))
        for version, (text, stale) in enumerate([("31", 1), ("30", 0), ("32", 1), ("30", 0)], 2):
            already = len(wire.notes)
            edit = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column + 2}}
            wire.change(uri, version, {"range": edit, "text": text})
            # In one burst with the edit, so that the request is dealt with before the edit is judged by itself.
            answers = [wire.begin(method, {"textDocument": {"uri": uri}}) for method in LOOKS[looks]]
            for answer in answers:
                await answer
            await wire.until(lambda: stale_after(wire, stale, already))  # noqa: B023


@pytest.mark.parametrize("left", ["index", "no index"])
async def test_who_asks_at_once_is_answered_from_what_is_there(tmp_path: Path, left: str) -> None:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text(CODE, encoding="utf-8")
    follow_up = ("--kind", "note", "--text", "Why thirty?", "--field", "follow_up=ask")
    code, said, wrong = await command_line(tmp_path, "record", "a.py#pay", *follow_up, "--json")
    assert code == 0, wrong
    identifier = json.loads(said)["id"]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("list", {}),
        ("backlog", {}),
        ("show", {"id": identifier}),
        ("history", {"id": identifier}),
        ("clearStaleness", {"id": identifier}),
        ("list", {"uri": (tmp_path / "a.py").as_uri()}),
    ]
    for command, argument in asked:
        for path in (tmp_path / ".moorline").glob("index.db*") if left == "no index" else ():
            path.unlink()
        async with served(tmp_path) as wire:
            answer = await wire.command(command, **argument)
            found = answer.get("memories", answer.get("items", [answer]))
            assert [one["id"] for one in found] == [identifier], command


async def test_files_edited_and_renamed_one_after_the_other_keep_their_memories(tmp_path: Path) -> None:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "old").mkdir()
    async with served(tmp_path) as wire:
        uri = await prepared(wire, tmp_path)
        # Nothing but the editor's word tells that this is the same file.
        text = "def lend(a, b):\n    return [a, b]\n\n\ndef pay(n):\n    return days(n, 31)\n"
        wire.change(uri, 2, {"text": text})
        steps = [("a.py", "b.py", "b.py"), ("b.py", "old/c.py", "old/c.py"), ("old", "new", "new/c.py")]
        for old, new, file in steps:
            (tmp_path / old).rename(tmp_path / new)
            wire.close(uri)
            files = [{"oldUri": (tmp_path / old).as_uri(), "newUri": (tmp_path / new).as_uri()}]
            wire.tell("workspace/didRenameFiles", {"files": files})
            uri = (tmp_path / file).as_uri()
            wire.open(uri, text)
        await wire.until(lambda: wire.listed == {uri: ["changed"]})
        hover = await wire.hover(uri, *position(text, text.index("pay")))
        assert hover is not None and "Thirty days." in hover["contents"]["value"]
