"""Case 15 from the field: a branch switch and back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.asking import NAMES, QUICK, ledger_files, stale_shown, until, verdict
from support.samples import SAMPLES, Sample
from support.stage import Stage


def branches(stage: Stage, sample: Sample) -> None:
    """Branch b lacks the function, branch c the file; main has both."""
    stage.git("checkout", "-q", "-b", "b")
    stage.write(sample.file, sample.text(sample.define("one", 10), sample.define("three", 30)))
    stage.git("commit", "-q", "-am", "without two")
    stage.git("checkout", "-q", "-b", "c", "main")
    stage.git("rm", "-q", sample.file)
    stage.git("commit", "-q", "-m", "without the file")
    stage.git("checkout", "-q", "main")


@pytest.mark.parametrize("committed", [False, True], ids=["untracked", "committed"])
@pytest.mark.parametrize("shown", ["open", "closed"])
@pytest.mark.parametrize("language", ["python", "go"])
async def test_case_15_branch_switch_and_back(tmp_path: Path, language: str, shown: str, committed: bool) -> None:
    sample = SAMPLES[language]
    text = sample.text(*(sample.define(name, 10 * at) for at, name in enumerate(NAMES[:3], 1)))
    (tmp_path / sample.file).write_text(text)
    async with Stage(tmp_path, {}, git=True, settings=QUICK) as stage:
        memory = await stage.record(sample.locus("two"))
        if committed:
            stage.git("add", ".moorline")
            stage.git("commit", "-q", "-m", "a decision")
        branches(stage, sample)
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        session = stage.session
        told: list[frozenset[str]] = []
        session.on_change = told.append
        await session.first_scan()
        await session.watch()
        if shown == "open":
            await stage.open(sample.file)  # Else nothing was asked about the file, and the server has it all the same.
        assert stale_shown(stage, sample.file) == ([False] if shown == "open" else [])
        before = await verdict(stage, memory) if shown == "open" else None
        history = ledger_files(tmp_path)

        def marks() -> list[tuple[str, bool]]:
            return [(mark.code, mark.severity == "warning") for mark in stage.problems(sample.file)]

        def reload() -> None:
            """What an editor does with an unchanged buffer whose file changed; one whose file went away stays."""
            path = tmp_path / sample.file
            if shown == "open" and path.exists():
                stage.edit(sample.file, path.read_text())

        for branch, wanted in (("b", "missing"), ("c", "file_missing"), ("b", "missing"), ("main", "fresh")):
            told.clear()
            stage.git("checkout", "-q", branch)
            reload()
            if shown == "open" and branch == "c":
                await asyncio.sleep(0.2)
                assert marks() == [("missing", True)], "the buffer counts, not the file that went away"
                continue
            expected = [("fresh", False)] if shown == "open" else []
            expected = expected if wanted == "fresh" else [(wanted, True)]
            await until(lambda expected=expected: marks() == expected, marks)  # type: ignore[misc]
            if shown == "closed":
                await until(lambda: any(sample.file in paths for paths in told), lambda: told)
                assert (sample.file in session.closed_stale) == (wanted != "fresh")
            assert (await verdict(stage, memory))["verdict"] == wanted
        after = await verdict(stage, memory)
        assert after["verdict"] == "fresh" and before in (None, after)
        assert ledger_files(tmp_path) == history, "no history noise"


async def test_case_15_a_rebase_with_200_changed_files(tmp_path: Path) -> None:
    sample = SAMPLES["python"]
    names = [f"pkg/m{number}.py" for number in range(200)]
    files = {
        name: sample.text(sample.define("one", number), sample.define("two", 7000)) for number, name in enumerate(names)
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    async with Stage(tmp_path, {}, git=True, settings=QUICK) as stage:
        memories = [await stage.record(f"{name}#one", text=f"About {name}.") for name in names[:10]]
        stage.git("checkout", "-q", "-b", "topic")
        stage.write("own.py", "x = 1\n")
        stage.git("add", "own.py")
        stage.git("commit", "-q", "-m", "own")
        stage.git("checkout", "-q", "main")
        for number, name in enumerate(names):
            changed = files[name].replace(f"check(user, {number})", f"check(user, {number + 1000})")
            stage.write(name, changed if number < 5 else files[name].replace("7000", "8000"))
        stage.git("commit", "-q", "-am", "everything")
        stage.git("checkout", "-q", "topic")
        session = stage.session
        await session.first_scan()
        await session.watch()
        assert session.stale_count() == 0
        await stage.open(names[1])
        history = ledger_files(tmp_path)
        stage.git("rebase", "-q", "main")
        stage.edit(names[1], (tmp_path / names[1]).read_text())
        await until(lambda: session.stale_count() == 5, session.stale_count)
        levels = [(await verdict(stage, memory))["verdict"] for memory in memories]
        assert levels == ["changed"] * 5 + ["fresh"] * 5
        stage.git("checkout", "-q", "main~1")
        stage.edit(names[1], (tmp_path / names[1]).read_text())
        await until(lambda: session.stale_count() == 0, session.stale_count)
        assert [(await verdict(stage, memory))["verdict"] for memory in memories] == ["fresh"] * 10
        assert ledger_files(tmp_path) == history
