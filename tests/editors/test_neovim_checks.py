"""Checks in a real Neovim: an unsaved buffer contradicts a decision, in the file itself and from another one."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from lsp_server.cli.demo.neovim import Neovim, NeovimMissing, find_neovim
from lsp_server.cli.demo.stage import Stage

pytestmark = pytest.mark.editor

PROBE = Path(__file__).parent / "nvim" / "probe.lua"
SECONDS = 20.0
"""How long a test waits for what must come; on an idle machine it comes within one or two."""

CODE = "LIMIT = 30\n\n\ndef login(user, timeout=5):\n    audit(user)\n    return user\n"
TOML = "[app]\nlimit = 30\n"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    try:
        program = find_neovim()
    except NeovimMissing as error:
        if "neovim" in os.environ.get("MOORLINE_REQUIRE", "").split(","):
            raise
        pytest.skip(f"not run: {error}")
    made = Stage(tmp_path / "stage", program)
    (made.repository / "a.py").write_text(CODE)
    (made.repository / "c.toml").write_text(TOML)
    made.git("add", "--all")
    made.git("commit", "--quiet", "--message", "Code")
    return made


def ask(neovim: Neovim, what: str) -> Any:
    return neovim.lua(f"return dofile(...).{what}()", str(PROBE))


def until(neovim: Neovim, what: str, wanted: Any) -> None:
    end = time.monotonic() + SECONDS
    while (said := ask(neovim, what)) != wanted:
        assert time.monotonic() < end, f"{what} is {said!r}, not {wanted!r}"
        time.sleep(0.05)


# The check, the file that is edited without a save, the keys that do it, and what the error then says.
BUFFERS = {
    "a default in the buffer itself": (
        "equals a.py#login(timeout) 5",
        "a.py",
        ":%s/timeout=5/timeout=6/<CR>",
        "the memory says 5, the code says 6",
    ),
    "a call in the buffer itself": (
        "calls a.py#login audit",
        "a.py",
        ":%s/audit(/note(/<CR>",
        "the memory says that a.py#login calls audit; in the code it calls note",
    ),
    "a setting in another buffer": (
        "equals c.toml#app.limit 30",
        "c.toml",
        ":%s/30/60/<CR>",
        "the memory says 30, the code says 60 (c.toml#app.limit)",
    ),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_an_unsaved_buffer_contradicts(stage: Stage, name: str) -> None:
    check, file, keys, said = BUFFERS[name]
    stage.moorline("record", "a.py#login", "--kind", "decision", "--text", "As the bank asks", "--check", check)
    with stage.neovim("a.py") as neovim:
        until(neovim, "served", True)
        until(neovim, "codes", "fresh")
        neovim.keys(f":edit {file}<CR>")
        until(neovim, "served", True)
        neovim.keys(keys)
        neovim.keys(":buffer a.py<CR>")
        until(neovim, "codes", "contradicted")
        (shown,) = ask(neovim, "diagnostics")
        assert shown["severity"] == "ERROR" and shown["text"] == "login"
        assert said in shown["message"], shown["message"]
        neovim.keys(f":buffer {file}<CR>u:buffer a.py<CR>")
        until(neovim, "codes", "fresh")
