"""Code that is too long to be kept in a baseline is read from git: to judge it after an upgrade, and to show a diff."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from support.asking import QUICK, until
from support.stage import Stage

from lsp_server.core.fingerprint import LIMIT
from lsp_server.features import operations
from lsp_server.features.hover import hover
from lsp_server.workspace import kept

LINES = [f"    total += weigh({number}, 'of thing {number}')" for number in range(600)]
LONG = "\n".join(["class Scale:", "  def weigh_all(self):", "    total = 0", *LINES, "    return total", ""])
SHORT = "def short():\n    return weigh(1, 2)\n"
TEXT = f"import scales\n\n\n{LONG}\n\n{SHORT}"
assert len(LONG) > LIMIT

PLACES = {"a symbol": "code.py#Scale.weigh_all", "lines": "code.py:7-606", "a file": "code.py"}

EDITS: Mapping[str, tuple[str, str | None]] = {
    "fresh": ("", None),
    "reformatted": ("weigh(300, ", "weigh(300,   "),
    "changed": ("weigh(300, ", "weigh(301, "),
}

OTHERS: Mapping[str, Mapping[str, object]] = {
    "another grammar": {"grammar": "other 9.9"},
    "an older scheme": {"scheme": 0},
    "a newer scheme": {"scheme": 99, "text": "0" * 64},
}
"""What an upgrade, or a downgrade, makes of a stored fingerprint: other hashes of what is the same code."""


def recorded_by_another(folder: Path, how: str) -> None:
    """Rewrites the baselines as another version of Moorline would have written them."""
    for path in (folder / ".moorline" / "memories").rglob("*.json"):
        event = json.loads(path.read_text())
        if event["type"] != "baseline":
            continue
        hashes = {"code": "1" * 64, "masked": "2" * 64, "interface": "3" * 64, "own": "4" * 64}
        event["fingerprint"] |= {**hashes, "parts": {}, "members": {}, **OTHERS[how]}
        path.write_text(json.dumps(event))


@pytest.mark.parametrize("how", OTHERS)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("level", EDITS)
async def test_long_code_after_an_upgrade(tmp_path: Path, how: str, place: str, level: str) -> None:
    """It is judged from what git has of it; where git has nothing, it cannot be told."""
    before, after = EDITS[level]
    for committed in (True, False) if level == "changed" else (True,):
        folder = tmp_path / str(committed)
        folder.mkdir()
        (folder / "code.py").write_text(TEXT)
        async with Stage(folder, {}, git=committed) as stage:
            memory = await stage.record(PLACES[place])
        recorded_by_another(folder, how)
        (folder / "code.py").write_text(TEXT.replace(before, after) if after is not None else TEXT)
        wanted = (level, "body" if level == "changed" else None) if committed else ("unverifiable", "scheme")
        async with Stage(folder, {}) as stage:
            [anchor] = await stage.verdicts(memory["id"])
            assert (anchor["verdict"], anchor["reason"]) == wanted, anchor
        async with Stage(folder, {}) as stage:
            ((anchor,),) = [one["anchors"] for one in (await operations.check(stage.session))["memories"]]
            assert (anchor["verdict"], anchor["reason"]) == wanted, anchor
        for _ in range(2):  # What the index knows of the first scan hides nothing from the second.
            async with Stage(folder, {}) as stage:
                await stage.session.first_scan()
                assert list(stage.session.closed_stale) == (["code.py"] if wanted[0] == "changed" else [])


@pytest.mark.parametrize("place", PLACES)
async def test_what_changed_in_long_code_is_shown(tmp_path: Path, place: str) -> None:
    """By `diff`, and in the hover after a moment, though neither a keystroke nor a hover asks git."""
    (tmp_path / "code.py").write_text(TEXT)
    changed = TEXT.replace("weigh(300, ", "weigh(3000, ")
    lines = ["-total+=weigh(300,'ofthing300')", "+total+=weigh(3000,'ofthing300')"]
    async with Stage(tmp_path, {}, git=True, settings=QUICK) as stage:
        memory = await stage.record(PLACES[place])
        await stage.session.first_scan()
        await stage.session.watch()
        await stage.open("code.py")
        stage.edit("code.py", changed)
        at = changed.index("weigh_all" if place == "a symbol" else "total += weigh(0")

        def shown() -> str:
            found = hover(stage.session.snapshot(), stage.session.view("code.py"), at)
            return "".join(found.markdown.split()) if found is not None else ""

        if place != "a file":  # That has no place of its own to hover on.
            assert "weigh(3000" not in shown()
            await until(lambda: all(line in shown() for line in lines), shown)
    (tmp_path / "code.py").write_text(changed)
    async with Stage(tmp_path, {}) as stage:
        answer = await operations.show_diff(stage.session, memory["id"])
        assert ["".join(line.split()) for line in answer["anchors"][0]["diff"] if line[0] in "+-"] == lines


async def test_a_blob_that_says_something_else_is_not_believed(tmp_path: Path) -> None:
    """The file of the revision counts only where the code in it is what was accepted."""
    (tmp_path / "code.py").write_text(TEXT)
    async with Stage(tmp_path, {}, git=True) as stage:
        (tmp_path / "code.py").write_text(TEXT.replace("weigh(300, ", "weigh(7, "))
        await stage.record(PLACES["a symbol"])
        (memory,) = stage.session.snapshot().memories.values()
        (baseline,) = memory.anchors[0].baselines
        assert baseline.revision and baseline.content is None
        assert await kept.texts(tmp_path, [baseline]) == {}
        stage.git("commit", "-q", "-a", "-m", "second")
        (text,) = (await kept.texts(tmp_path, [baseline])).values()
        assert "weigh(7, " in text
        other = replace(baseline, blob="0" * 40, revision=stage.git("rev-parse", "HEAD").strip())
        assert await kept.texts(tmp_path, [other]) == {baseline.id: text}
        earlier = replace(other, revision=stage.git("rev-parse", "HEAD^").strip())
        assert await kept.texts(tmp_path, [earlier]) == {}
