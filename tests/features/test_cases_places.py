"""Cases 17 and 18 from the field: lines that shift, and files that change around code that does not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.asking import NAMES, checked, five, verdict
from support.samples import SAMPLES, Sample, lines_of, replacing
from support.stage import Stage

from lsp_server.features.hover import hover
from lsp_server.features.lenses import lenses


async def check_one_place(stage: Stage, sample: Sample, memory: Mapping[str, Any], name: str, level: str) -> None:
    """Hover, lens, diagnostic and command name one place, and it is the one a reader of the text would point at."""
    text = stage.text(sample.file)
    line = next(at for at, content in enumerate(lines_of(text)) if f"{name}(" in content)
    column = lines_of(text)[line].index(name)
    view, snapshot = stage.session.view(sample.file), stage.session.snapshot()
    source = view.source.text
    assert source is not None
    answer = hover(snapshot, view, source.locate(line, column, "utf-32"))
    assert answer is not None and source.position(answer.span.start, "utf-32") == (line, column)
    (lens,) = lenses(snapshot, view)
    assert source.position(lens.span.start, "utf-32") == (line, column)
    assert source.position(lens.span.end, "utf-32") == (line, column + len(name))
    shown = [(mark.line, mark.start, mark.end, mark.code) for mark in stage.problems(sample.file)]
    assert shown == [(line, column, column + len(name), level)]
    (item,) = view.judged
    span = item.verdict.span
    assert span is not None
    first, last = source.position(span.start, "utf-32")[0], source.position(span.end, "utf-32")[0]
    now = (await verdict(stage, memory))["now"]
    # The jump target is the whole definition: from its first line to the line its last character is on.
    ends_line = source.position(span.end, "utf-32")[1] == 0
    assert (now["start_line"], now["end_line"]) == (first + 1, last + 1 - ends_line)
    assert first <= line <= last
    assert now["end_line"] - now["start_line"] + 1 >= sample.define(name, 1).rstrip().count("\n") + 1


@pytest.mark.parametrize("language", SAMPLES)
async def test_case_17_lines_shift_in_the_editor(tmp_path: Path, language: str) -> None:
    sample = SAMPLES[language]
    text = sample.text(*five(sample))
    (tmp_path / sample.file).write_text(text)
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record(sample.locus("three"))
        await stage.open(sample.file)
        await check_one_place(stage, sample, memory, "three", "fresh")
        top = sample.before or lines_of(text)[0]
        above = "".join(sample.comment.format(f"line {number}") for number in range(30))
        stage.changes(sample.file, [replacing(text, top, top + above)])
        await check_one_place(stage, sample, memory, "three", "fresh")
        # The line of the signature is split: its parts move apart.
        signature = next(line for line in lines_of(text) if "three(" in line)
        head, _, rest = signature.partition("three(")
        stage.changes(sample.file, [replacing(stage.text(sample.file), signature, f"{head}three(\n{rest}")])
        await check_one_place(stage, sample, memory, "three", "reformatted")
        stage.changes(sample.file, [replacing(stage.text(sample.file), above, "")])
        await check_one_place(stage, sample, memory, "three", "reformatted")


@pytest.mark.parametrize("language", SAMPLES)
async def test_case_17_lines_shift_on_disk(tmp_path: Path, language: str) -> None:
    sample = SAMPLES[language]
    text = sample.text(*five(sample))
    path = tmp_path / sample.file
    path.write_text(text)
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record(sample.locus("three"))
    top = sample.before or lines_of(text)[0]
    above = "".join(sample.comment.format(f"line {number}") for number in range(30))
    signature = next(line for line in lines_of(text) if "three(" in line)
    head, _, rest = signature.partition("three(")
    shifted = text.replace(top, top + above)
    for shown, level in ((shifted, "fresh"), (shifted.replace(signature, f"{head}three(\n{rest}"), "reformatted")):
        path.write_text(shown)
        line = next(at for at, content in enumerate(lines_of(shown), 1) if "three(" in content)
        (anchor,) = await checked(tmp_path)
        assert (anchor["verdict"], anchor["now"]["start_line"]) == (level, line)
        async with Stage(tmp_path, {}) as stage:
            await stage.open(sample.file)
            await check_one_place(stage, sample, memory, "three", level)


@pytest.mark.parametrize("language", ["python", "javascript", "go"])
async def test_case_17_a_region_shifts_and_grows(tmp_path: Path, language: str) -> None:
    """A memory on lines: they are found again by what they say, and a line put among them is part of them."""
    sample = SAMPLES[language]
    text = sample.text(*five(sample))
    (tmp_path / sample.file).write_text(text)
    first = next(at for at, line in enumerate(lines_of(text), 1) if "30" in line)
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record(f"{sample.file}:{first}-{first + 1}")
        await stage.open(sample.file)
        assert (await verdict(stage, memory))["verdict"] == "fresh"
        above = "".join(sample.comment.format(f"line {number}") for number in range(30))
        top = sample.before
        stage.changes(sample.file, [replacing(text, top, top + above)])
        now = await verdict(stage, memory)
        assert (now["verdict"], now["now"]["start_line"], now["now"]["end_line"]) == ("fresh", first + 30, first + 31)
        mark = stage.problems(sample.file)[0]
        assert mark.line == first + 29
        stage.changes(sample.file, [replacing(stage.text(sample.file), "30", "31")])
        now = await verdict(stage, memory)
        assert (now["verdict"], now["now"]["start_line"]) == ("changed", first + 30)


def others_changed(sample: Sample) -> dict[str, str]:
    """What happens around the third of five functions, one thing at a time and all of it."""
    plain = five(sample)
    changed = five(sample, {"one": 11, "two": 22, "four": 44, "five": 55})
    added = [*plain, sample.define("six", 60)]
    imports = sample.before.replace("audits", "audits_of_all", 1)
    return {
        "imports": sample.text(*plain).replace(sample.before, imports, 1),
        "the other four": sample.text(*changed),
        "a sixth": sample.text(*added),
        "reordered": sample.text(*[plain[at] for at in (4, 2, 0, 3, 1)]),
        "a sixth before it": sample.text(*plain[:2], sample.define("six", 60), *plain[2:]),
        "the other four gone": sample.text(plain[2]),
        "everything": sample.text(*[[*changed, sample.define("six", 60)][at] for at in (5, 4, 2, 0, 3, 1)]).replace(
            sample.before, imports, 1
        ),
    }


@pytest.mark.parametrize("language", SAMPLES)
async def test_case_18_the_file_changed_but_not_the_code(tmp_path: Path, language: str) -> None:
    sample = SAMPLES[language]
    text = sample.text(*five(sample))
    path = tmp_path / sample.file
    path.write_text(text)
    async with Stage(tmp_path, {}) as stage:
        memories = [await stage.record(sample.locus(name), text=f"{at}") for at, name in enumerate(NAMES)]
        await stage.open(sample.file)
        for what, shown in others_changed(sample).items():
            stage.edit(sample.file, shown)
            assert (await verdict(stage, memories[2]))["verdict"] == "fresh", what
            stage.edit(sample.file, text)
            assert [mark.code for mark in stage.problems(sample.file)] == ["fresh"] * 5, what
        # Only after a change in the third's own code does exactly one go stale.
        stage.edit(sample.file, sample.text(*five(sample, {"three": 33})))
        levels = [(await verdict(stage, memory))["verdict"] for memory in memories]
        assert levels == ["fresh", "fresh", "changed", "fresh", "fresh"]
    for what, shown in others_changed(sample).items():
        path.write_text(shown)
        assert (await checked(tmp_path))[2]["verdict"] == "fresh", what


@pytest.mark.parametrize("language", SAMPLES)
async def test_case_18_the_file_was_renamed(tmp_path: Path, language: str) -> None:
    sample = SAMPLES[language]
    text = sample.text(*five(sample))
    (tmp_path / sample.file).write_text(text)
    async with Stage(tmp_path, {}, git=True) as stage:
        await stage.record(sample.locus("three"))
        (tmp_path / "deeper").mkdir()
        new = f"deeper/new{Path(sample.file).suffix}"
        stage.git("mv", sample.file, new)
    for committed in (False, True):
        (anchor,) = await checked(tmp_path)
        assert (anchor["verdict"], anchor["stale"]) == ("moved", False)
        assert (anchor["now"]["file"], anchor["now"]["symbol"]) == (new, sample.path("three"))
        if not committed:
            stage.git("commit", "-q", "-am", "moved")
    # Moved, and everything around it changed; then its own code changed as well.
    (tmp_path / new).write_text(others_changed(sample)["everything"])
    assert [anchor["stale"] for anchor in await checked(tmp_path)] == [False]
    (tmp_path / new).write_text(sample.text(*five(sample, {"three": 33})))
    (anchor,) = await checked(tmp_path)
    assert anchor["stale"] and (anchor["now"] or anchor["candidates"][0])["file"] == new
