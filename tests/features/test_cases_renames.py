"""Case 22 from the field: renames of files and folders, by an editor, by git and by hand, with and without edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.asking import QUICK, checked, five, ledger_files, stale_shown, until, verdict
from support.samples import SAMPLES, replacing
from support.stage import Stage

from lsp_server.features import operations

LANGUAGES = ["python", "typescript", "go", "java"]


async def check_at(stage: Stage, memory: Any, file: str, old: str, *, stale: bool = False) -> None:
    """A memory shows in `file`, once, and nothing is left under the old name."""
    found = await verdict(stage, memory)
    assert found["now"] is not None, found
    assert (found["now"]["file"], found["stale"]) == (file, stale), found
    assert stale_shown(stage, file) == [stale]
    assert stage.problems(old) == []
    assert old not in stage.session.closed_stale


@pytest.mark.parametrize("dirty", [False, True], ids=["clean", "dirty"])
@pytest.mark.parametrize("close_first", [False, True], ids=["event first", "close first"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_case_22_an_editor_renames_a_file(tmp_path: Path, language: str, close_first: bool, dirty: bool) -> None:
    sample = SAMPLES[language]
    new = f"deeper/renamed{Path(sample.file).suffix}"
    text = sample.text(*five(sample))
    (tmp_path / sample.file).write_text(text)
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        memory = await stage.record(sample.locus("three"))
        await stage.open(sample.file)
        if dirty:
            stage.changes(sample.file, [replacing(text, "20", "21")])
        shown = stage.text(sample.file)
        (tmp_path / "deeper").mkdir()
        (tmp_path / sample.file).rename(tmp_path / new)
        if close_first:
            stage.session.close(sample.file)
            await stage.open(new, shown)
            await stage.session.renamed(sample.file, new)
        else:
            await stage.session.renamed(sample.file, new)
            stage.session.close(sample.file)
            await stage.open(new, shown)
        await check_at(stage, memory, new, sample.file)
        # The anchor goes stale under the new name by its own code alone, and heals.
        stage.changes(new, [replacing(shown, "30", "31")])
        await check_at(stage, memory, new, sample.file, stale=True)
        stage.edit(new, shown)
        await check_at(stage, memory, new, sample.file)
        # A save writes down where it went, once.
        (tmp_path / new).write_text(shown)
        stage.session.saved(new)
        await operations.follow_saved(stage.session, new)
        history = ledger_files(tmp_path)
        await operations.follow_saved(stage.session, new)
        assert ledger_files(tmp_path) == history
        assert (await verdict(stage, memory))["file"] == new
    (anchor,) = await checked(tmp_path)
    assert (anchor["file"], anchor["stale"], anchor["now"]["file"]) == (new, False, new)


@pytest.mark.parametrize("edited", [False, True], ids=["as it was", "edited in one go"])
@pytest.mark.parametrize("opened", [False, True], ids=["closed", "open"])
@pytest.mark.parametrize("language", ["python", "go"])
async def test_case_22_an_editor_renames_a_folder(tmp_path: Path, language: str, opened: bool, edited: bool) -> None:
    """One event comes, for the folder; nothing says which files were in it."""
    sample = SAMPLES[language]
    names = [f"src/deep/{name}{Path(sample.file).suffix}" for name in ("a", "b")]
    text = sample.text(*five(sample))
    other = text.replace("30", "300").replace("three", "trois")
    for name, content in zip(names, (text, other), strict=True):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        memories = [
            await stage.record(f"{names[0]}#{sample.path('three')}", text="One."),
            await stage.record(f"{names[1]}#{sample.path('trois')}", text="Two."),
        ]
        if opened:
            await stage.open(names[0])
        (tmp_path / "src").rename(tmp_path / "lib")
        moved = [name.replace("src/", "lib/") for name in names]
        if edited:
            (tmp_path / moved[0]).write_text(text.replace("30", "31"))
        await stage.session.renamed("src", "lib")
        if opened:
            stage.session.close(names[0])
            await stage.open(moved[0])
        await check_at(stage, memories[0], moved[0], names[0], stale=edited)
        found = await verdict(stage, memories[1])
        assert (found["now"]["file"], found["stale"]) == (moved[1], False)
        assert stage.problems(names[1]) == []


@pytest.mark.parametrize("how", ["git mv", "mv", "mv, committed"])
@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_case_22_moved_while_nothing_runs(tmp_path: Path, language: str, what: str, how: str) -> None:
    sample = SAMPLES[language]
    old = f"src/{sample.file}"
    new = f"src/Other{Path(sample.file).suffix}" if what == "file" else f"lib/{sample.file}"
    (tmp_path / "src").mkdir()
    (tmp_path / old).write_text(sample.text(*five(sample)))
    (tmp_path / "src" / "beside.txt").write_text("beside\n")
    async with Stage(tmp_path, {}, git=True) as stage:
        await stage.record(f"{old}#{sample.path('three')}")
        source, target = (old, new) if what == "file" else ("src", "lib")
        if how == "git mv":
            stage.git("mv", source, target)
        else:
            (tmp_path / source).rename(tmp_path / target)
        if how == "mv, committed":
            stage.git("add", "-A", ".")
            stage.git("commit", "-q", "-m", "moved")
    (anchor,) = await checked(tmp_path)
    assert (anchor["verdict"], anchor["stale"], anchor["now"]["file"]) == ("moved", False, new)
    # Then its own code is edited as well: it is followed and stale, or the place is offered.
    path = tmp_path / new
    path.write_text(path.read_text().replace("30", "31"))
    (anchor,) = await checked(tmp_path)
    assert anchor["stale"]
    assert new in [place["file"] for place in (anchor["now"], *anchor["candidates"]) if place is not None]


async def test_case_22_moved_by_hand_while_the_server_runs(tmp_path: Path) -> None:
    sample = SAMPLES["python"]
    (tmp_path / "src").mkdir()
    old, new, newer = "src/code.py", "src/other.py", "lib/other.py"
    (tmp_path / old).write_text(sample.text(*five(sample)))
    async with Stage(tmp_path, {}, git=True, settings=QUICK) as stage:
        memory = await stage.record(f"{old}#three")
        stage.git("add", "-A")
        stage.git("commit", "-q", "-m", "recorded")
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        await stage.session.first_scan()
        await stage.session.watch()
        assert stage.session.stale_count() == 0

        def shows(file: str) -> bool:
            return stale_shown(stage, file) == [False]

        (tmp_path / old).rename(tmp_path / new)
        await until(lambda: shows(new), lambda: stage.session.view(new).judged)
        await check_at(stage, memory, new, old)
        (tmp_path / "src").rename(tmp_path / "lib")
        await until(lambda: shows(newer), lambda: stage.session.view(newer).judged)
        await check_at(stage, memory, newer, new)
        assert stage.problems(old) == []
        # Back where it was: as before, with nothing left elsewhere.
        (tmp_path / "lib").rename(tmp_path / "src")
        (tmp_path / new).rename(tmp_path / old)
        await until(lambda: shows(old), lambda: stage.session.view(old).judged)
        await check_at(stage, memory, old, newer)
        assert (await verdict(stage, memory))["verdict"] == "fresh"
