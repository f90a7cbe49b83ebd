"""Since which commit something is stale, and by whom: what git's own history of a small repository says."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.hover import hover

PAY = "def pay(amount, rate=2):\n    total = amount * rate\n    audit('seen', total)\n    return total\n"
CHANGED = PAY.replace("rate=2", "rate=3")
STYLED = PAY.replace("'seen'", '"seen"')
OTHER = "\n\ndef other():\n    return 1\n"


async def check_since(folder: Path, history: list[dict[str, str | None]], expected: int | None) -> None:
    """A memory on `pay` of the first commit, then a commit for each entry (None: the file is removed), each of another
    author. `expected` is the number of the commit that made it stale, from 0; None that there is none to be told."""
    async with Stage(folder, {}, git=False) as stage:
        stage.git("init", "-q", "-b", "main")
        commits: list[str] = []
        for number, files in enumerate(history):
            for name, text in files.items():
                if text is None:
                    (folder / name).unlink()
                else:
                    stage.write(name, text)
            stage.git("add", "-A", ":(exclude).moorline")
            stage.git("commit", "-q", "--allow-empty", "--author", f"Author {number} <a@example.invalid>", "-m", "x")
            commits.append(stage.git("rev-parse", "HEAD").strip())
            await stage.session.refresh()
            if number == 0:
                await stage.record("a.py#pay")
        answer = await operations.check(stage.session)
        (anchor,) = answer["memories"][0]["anchors"]
        since = anchor["since"]
        if expected is None:
            assert since is None
            return
        assert anchor["stale"] and since is not None, anchor
        assert (since["revision"], since["author"]) == (commits[expected], f"Author {expected}")
        assert since["time"].endswith("Z")
        assert (await operations.show(stage.session, answer["memories"][0]["id"]))["anchors"][0]["since"] == since
        assert (await operations.show_diff(stage.session, answer["memories"][0]["id"]))["anchors"][0]["since"] == since


HISTORIES: dict[str, tuple[list[dict[str, str | None]], int | None]] = {
    "never": ([{"a.py": PAY}, {"a.py": PAY + OTHER}, {"a.py": STYLED}], None),
    "in the second of three": ([{"a.py": PAY}, {"a.py": CHANGED}, {"a.py": CHANGED + OTHER}], 1),
    "after style": ([{"a.py": PAY}, {"a.py": STYLED}, {"a.py": CHANGED}, {"b.py": OTHER}], 2),
    "taken back, then again": ([{"a.py": PAY}, {"a.py": CHANGED}, {"a.py": PAY}, {"a.py": CHANGED}], 3),
    "one change upon another": ([{"a.py": PAY}, {"a.py": CHANGED}, {"a.py": CHANGED.replace("* rate", "+ rate")}], 1),
    "gone": ([{"a.py": PAY + OTHER}, {"a.py": OTHER}, {"a.py": OTHER + "x = 1\n"}], 1),
    "the file is gone": ([{"a.py": PAY}, {"b.py": OTHER}, {"a.py": None}], 2),
    "broken in between": ([{"a.py": PAY}, {"a.py": PAY.replace("):", "(:")}, {"a.py": CHANGED}], None),
    "moved, then changed": ([{"a.py": PAY + OTHER}, {"a.py": None, "b.py": PAY + OTHER}, {"b.py": CHANGED + OTHER}], 2),
}


@pytest.mark.parametrize("name", HISTORIES)
async def test_since_which_commit(tmp_path: Path, name: str) -> None:
    await check_since(tmp_path, *HISTORIES[name])


async def test_what_is_not_committed_has_no_commit(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}, git=False) as stage:
        stage.git("init", "-q", "-b", "main")
        stage.write("a.py", PAY)
        stage.git("add", "a.py")
        stage.git("commit", "-q", "-m", "x")
        await stage.session.refresh()
        await stage.record("a.py#pay")
        stage.write("a.py", CHANGED)
        await stage.session.refresh()
        (anchor,) = (await operations.check(stage.session))["memories"][0]["anchors"]
        assert anchor["stale"] and anchor["since"] is None


async def test_without_git_nothing_is_told(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}, git=False) as stage:
        stage.write("a.py", PAY)
        await stage.record("a.py#pay")
        stage.write("a.py", CHANGED)
        await stage.session.refresh()
        (anchor,) = (await operations.check(stage.session))["memories"][0]["anchors"]
        assert anchor["stale"] and anchor["since"] is None


async def test_the_hover_says_it_once_it_is_known(tmp_path: Path) -> None:
    async with Stage(tmp_path, {}, git=False) as stage:
        stage.git("init", "-q", "-b", "main")
        for text, who in ((PAY, "Ada"), (CHANGED, "Bob <b@x>[x](y)")):
            stage.write("a.py", text)
            stage.git("add", "a.py")
            stage.git("commit", "-q", "--author", f"{who.split(' <')[0]} <b@example.invalid>", "-m", "x")
            await stage.session.refresh()
            if who == "Ada":
                await stage.record("a.py#pay")
        await stage.open("a.py")
        at = CHANGED.index("pay")
        before = hover(stage.session.snapshot(), stage.session.view("a.py"), at)
        assert before is not None and "Since `" not in before.markdown
        assert await stage.session.trace()
        after = hover(stage.session.snapshot(), stage.session.view("a.py"), at)
        head = stage.git("rev-parse", "HEAD")[:7]
        assert after is not None and f"Since `{head}` by Bob, " in after.markdown
