"""How names are said where a symbol was followed to another one: with their own letters, and from where."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.asking import QUICK
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.hover import hover

CODE = "class Verify:\n    def run(self, token):\n        return decode(token, leeway=30)\n"


@pytest.mark.parametrize("saved", [False, True], ids=["unsaved", "saved"])
async def test_a_renamed_symbol_is_named_as_it_was(tmp_path: Path, saved: bool) -> None:
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        stage.write("a.py", CODE)
        await stage.record("a.py#Verify")
        await stage.open("a.py")
        stage.edit("a.py", CODE.replace("Verify", "Check"))
        if saved:
            stage.write("a.py", CODE.replace("Verify", "Check"))
            stage.session.saved("a.py")
            await operations.follow_saved(stage.session, "a.py")
        (problem,) = stage.problems("a.py")
        # Once it was written down, there is nothing to tell.
        assert problem.message.startswith("Fresh\n" if saved else "Moved: Verify is now Check\n")
        view = stage.session.view("a.py")
        answer = hover(stage.session.snapshot(), view, len("class "))
        assert answer is not None and ("Followed from `a.py#Verify`." in answer.markdown) is not saved
        # Named back, it is what was recorded.
        stage.edit("a.py", CODE)
        assert [one.code for one in stage.problems("a.py")] == ["fresh"]


async def test_a_symbol_that_moves_to_another_file_keeps_its_name(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        stage.write("a.py", CODE)
        memory = await stage.record("a.py#Verify")
        (tmp_path / "a.py").rename(tmp_path / "b.py")
        await stage.session.renamed("a.py", "b.py")
        (anchor,) = await stage.verdicts(memory["id"])
        assert (anchor["verdict"], anchor["detail"]) == ("moved", "Verify is now in b.py.")
