"""Markers in a real Neovim, by keys alone, on a real folder of decision records: with Neovim's own LSP keys."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lsp_server.cli.demo.neovim import Neovim, NeovimMissing, find_neovim
from lsp_server.cli.demo.stage import Stage

pytestmark = pytest.mark.editor

SAMPLES = Path(__file__).parents[1] / "support" / "import_samples" / "adr" / "theupdateframework__python-tuf"
PROBE = Path(__file__).parent / "nvim" / "probe.lua"
PAGE = "docs/adr/0006-where-to-implemenent-model-serialization.md"
FILE = "tuf/api/metadata.py"
CODE = """\
class Metadata:
    def to_dict(self):
        found = {"signed": self.signed}
        found.update(self.unrecognised)
        return found


def serialize(metadata, encode):
    return encode(metadata.to_dict()).encode("utf-8")
"""
SECONDS = 20.0


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    try:
        program = find_neovim()
    except NeovimMissing as error:
        if "neovim" in os.environ.get("MOORLINE_REQUIRE", "").split(","):
            raise
        pytest.skip(f"not run: {error}")
    made = Stage(tmp_path / "stage", program)
    shutil.copytree(SAMPLES / "docs", made.repository / "docs")
    code = made.repository / FILE
    code.parent.mkdir(parents=True)
    code.write_text(CODE, encoding="utf-8")
    page = made.repository / PAGE
    text = page.read_text(encoding="utf-8")
    words = 'Chosen option: "Compromise 2"'
    assert text.count(words) == 1
    page.write_text(text.replace(words, f"{words} @anchor(file={FILE}, symbol=Metadata.to_dict)"), encoding="utf-8")
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "Records and code")
    return made


def until(neovim: Neovim, ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    end = time.monotonic() + SECONDS
    while not holds(said := ask()):
        if time.monotonic() > end:
            pytest.fail(f"it is {said!r}; the screen is:\n{neovim.frame.text()}")
        time.sleep(0.05)
    return said


def test_markers_by_neovims_own_keys(stage: Stage) -> None:
    with stage.neovim(PAGE) as neovim:

        def ask(what: str) -> Any:
            return neovim.lua(f"return dofile(...).{what}()", str(PROBE))

        def shows(what: str, *parts: str) -> Any:
            return until(neovim, lambda: ask(what), lambda said: all(part in said for part in parts))

        def here() -> str:
            name: str = neovim.lua("return vim.api.nvim_buf_get_name(0) .. ':' .. vim.fn.line('.')")
            return name

        def line() -> str:
            said: str = neovim.lua("return vim.api.nvim_get_current_line()")
            return said

        until(neovim, lambda: ask("served"), bool)
        # A marker that nobody accepted says so; a code action on it accepts it.
        until(neovim, lambda: ask("codes"), lambda said: said == "unverifiable")
        neovim.keys("gg/@anchor<CR>w")
        neovim.keys("gra")
        neovim.wait_for("Still true: clear passage")
        neovim.keys("1<CR>")
        until(neovim, lambda: ask("codes"), lambda said: said == "fresh")

        # K shows the head of the code and its standing; the tag key goes there.
        neovim.keys("K")
        shows("float", "def to_dict(self):", "fresh")
        neovim.keys("<Ignore>lh")
        until(neovim, lambda: ask("float"), lambda said: said == "")
        neovim.keys("<C-]>")
        until(neovim, here, lambda said: said.endswith(f"{FILE}:2"))
        until(neovim, lambda: ask("codes"), lambda said: said == "fresh")
        neovim.keys("K")
        shows("float", "because implementing dict conversion as methods", f"{PAGE}:")
        neovim.keys("<Ignore>lh")

        # From the code, references lead to the marker.
        neovim.keys("grr")
        neovim.wait_for("List] References")
        entries = neovim.lua("return vim.tbl_map(function(one) return one.text end, vim.fn.getqflist())")
        assert len(entries) == 1 and "@anchor(file=" in entries[0]
        neovim.keys(":cclose<CR>")

        # The code changes in its buffer, unsaved: the document's marker says so.
        neovim.keys(f":silent! edit {FILE}<CR>gg/update<CR>cwchange<Esc>")
        until(neovim, lambda: ask("codes"), lambda said: "changed" in said)
        neovim.keys(f":silent! buffer {PAGE}<CR>")
        until(neovim, lambda: ask("codes"), lambda said: said == "changed")
        (mark,) = ask("diagnostics")
        assert mark["severity"] == "WARN" and mark["text"].startswith("@anchor(file=")
        neovim.keys(f":silent! buffer {FILE}<CR>u:silent! buffer {PAGE}<CR>")
        until(neovim, lambda: ask("codes"), lambda said: said == "fresh")

        # Typing a marker: files and symbols are offered, and a wrong one is mended.
        neovim.keys("GoThe wire format is apart @anchor(file=tuf<C-x><C-o>")
        until(neovim, line, lambda said: said.endswith(f"@anchor(file={FILE}"))
        neovim.keys(", symbol=ser<C-x><C-o>")
        until(neovim, line, lambda said: said.endswith(f"@anchor(file={FILE}, symbol=serialize"))
        neovim.keys("<Esc>:s/symbol=.*/symbol=serialise)/<CR>")
        until(neovim, lambda: ask("codes"), lambda said: said == "fresh marker")
        neovim.keys("0/serialise<CR>gra")
        neovim.wait_for("Write serialize instead")
        neovim.keys("1<CR>")
        until(neovim, line, lambda said: f"@anchor(file={FILE}, symbol=serialize)" in said)
        until(neovim, lambda: ask("codes"), lambda said: said == "fresh unverifiable")

        # A rename on the marker changes what markers say, and nothing else.
        neovim.keys("0/serialize<CR>grn")
        neovim.wait_for("New Name")
        neovim.keys("<C-u>encode<CR>")
        until(neovim, line, lambda said: f"@anchor(file={FILE}, symbol=encode)" in said)
        assert "def serialize" in (stage.repository / FILE).read_text(encoding="utf-8")
