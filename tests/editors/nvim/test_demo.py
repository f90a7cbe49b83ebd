"""`moorline demo`, what it leaves, and that its screen is the one that Neovim itself believes in."""

from __future__ import annotations

import argparse
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from lsp_server.cli import demo
from lsp_server.cli.demo import neovim as driver
from lsp_server.cli.demo import picture
from lsp_server.cli.demo.neovim import Neovim, NeovimMissing, NotShown, find_neovim
from lsp_server.cli.demo.screen import Frame
from lsp_server.cli.demo.stage import environment

pytestmark = pytest.mark.editor

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="session")
def program() -> Path:
    try:
        return find_neovim()
    except NeovimMissing as error:
        pytest.skip(f"not run: {error}")


def test_the_screen_is_neovims_own(program: Path, tmp_path: Path) -> None:
    """After scrolls, splits, wide characters and menus every cell equals what `screenstring()` answers."""
    lines = [f"{number} 漢字 🎉 é ⚓ <&> \tend" for number in range(200)]
    (tmp_path / "text").write_text("\n".join(lines))
    with Neovim(
        program, ["-u", "NONE", "-i", "NONE", "-n", "text"], folder=tmp_path, environment=environment(tmp_path / "base")
    ) as neovim:
        for keys in ("", "60G", "<C-e><C-e><C-e>", "<C-y>", ":vsplit<CR>G", ":split<CR>gg", "dd", "u", "ihello<Esc>"):
            neovim.keys(keys)
            frame = neovim.settle()
            believed = neovim.lua(
                "local rows = {} for row = 1, vim.o.lines do local cells = {}"
                "  for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end"
                "  rows[row] = cells end return rows"
            )
            # Neovim says a blank for the second cell of a wide character, the event an empty text.
            assert [[cell.text or " " for cell in row] for row in frame.rows] == [
                [text or " " for text in row] for row in believed
            ], keys
            assert_drawn(frame)


def assert_drawn(frame: Frame) -> None:
    """The picture is well-formed and every character of the screen is in it, in order."""
    drawn = ElementTree.fromstring(picture.svg(frame, "<title> & more"))
    texts = ["".join(element.itertext()) for element in drawn.iter(f"{SVG}text")]
    assert texts[0] == "<title> & more"
    assert joined(texts[1:]) == joined([frame.text()])


def joined(texts: list[str]) -> str:
    return "".join("".join(texts).split())


def test_what_does_not_appear_is_said(program: Path, tmp_path: Path) -> None:
    with (
        Neovim(program, ["-u", "NONE", "-i", "NONE"], folder=tmp_path, environment=environment(tmp_path)) as neovim,
        pytest.raises(NotShown, match="'no such text' did not appear"),
    ):
        neovim.wait_for("no such text", timeout=0.3)


def test_demo(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every step shows what it must; the pictures and the transcript are there; the answer is JSON alone."""
    out = tmp_path / "out"
    code = demo.run(argparse.Namespace(out=str(out), keep=False, json=True))
    printed = capsys.readouterr()
    assert code == 0, printed.err[-4000:]
    answer = json.loads(printed.out)
    names = [step["name"] for step in answer["steps"]]
    assert names == [*dict.fromkeys(names)]
    assert {"hover", "stale", "why", "undone", "renamed", "cleared", "elsewhere", "branch", "back", "clone"} <= set(
        names
    )
    assert sorted(answer["files"]) == sorted(path.name for path in out.iterdir())
    for path in out.glob("*.svg"):
        ElementTree.parse(path)
    transcript = (out / "transcript.txt").read_text(encoding="utf-8")
    assert all(step["title"] in transcript for step in answer["steps"])
    screens = {step["name"]: step["screen"] for step in answer["steps"]}
    assert "1 decision, stale" in screens["stale"] and "-- INSERT --" in screens["stale"]
    assert "stale" not in screens["undone"]
    assert "def uri_to_path" in screens["renamed"] and "1 decision" in screens["renamed"]


def test_without_neovim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(driver, "candidates", list)
    assert demo.run(argparse.Namespace(out=str(tmp_path / "out"), keep=False)) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "Neovim is not installed" in said
    assert 'pip install "moorline[demo]"' in said
    assert not (tmp_path / "out").exists()


def test_an_old_neovim_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "nvim"
    old.write_text("#!/bin/sh\necho 'NVIM v0.9.5'\n")
    old.chmod(0o755)
    monkeypatch.setattr(driver, "candidates", lambda: [old])
    with pytest.raises(NeovimMissing, match=r"is 0\.9\.5"):
        find_neovim()
