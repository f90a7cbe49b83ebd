"""Moved in one commit and edited in another: the commits between tell where it went."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stage import Stage

from lsp_server.features import operations

PAY = (
    "def pay(amount, rate=2):\n    total = amount * rate\n    audit('seen', total)\n    check(total)\n"
    "    return total\n"
)
OTHER = "\n\ndef other(name):\n    for one in sorted(name):\n        print(one, name, 3)\n    return name\n"
REWRITTEN = (
    "def {}(amount, rate=2):\n    if amount > 3:\n        raise ValueError(amount)\n    with ledger() as book:\n"
    "        book.add(amount, rate)\n    return None\n"
)


def renamed(name: str) -> str:
    return PAY.replace("def pay", f"def {name}")


async def check_trail(folder: Path, history: list[dict[str, str | None]], verdict: str, now: str | None) -> None:
    """A memory on `a.py#pay` of the first commit, then a commit for each entry (None: the file is removed)."""
    async with Stage(folder, {}, git=False) as stage:
        stage.git("init", "-q", "-b", "main")
        for number, files in enumerate(history):
            for name, text in files.items():
                if text is None:
                    (folder / name).unlink()
                else:
                    stage.write(name, text)
            stage.git("add", "-A", ":(exclude).moorline")
            stage.git("commit", "-q", "-m", "x")
            if number == 0:
                await stage.session.refresh()
                await stage.record("a.py#pay")
        await stage.session.refresh()
        (anchor,) = (await operations.check(stage.session))["memories"][0]["anchors"]
        found = f"{anchor['now']['file']}#{anchor['now']['symbol']}" if anchor["now"] else None
        assert (anchor["verdict"], found) == (verdict, now), anchor


HISTORIES: dict[str, tuple[list[dict[str, str | None]], str, str | None]] = {
    "to another file, then rewritten": (
        [{"a.py": PAY + OTHER}, {"a.py": OTHER, "b.py": PAY}, {"b.py": REWRITTEN.format("pay")}],
        "changed",
        "b.py#pay",
    ),
    "renamed, then rewritten": (
        [{"a.py": PAY + OTHER}, {"a.py": renamed("settle") + OTHER}, {"a.py": REWRITTEN.format("settle") + OTHER}],
        "changed",
        "a.py#settle",
    ),
    "edited, then moved, then rewritten": (
        [
            {"a.py": PAY + OTHER},
            {"a.py": REWRITTEN.format("pay") + OTHER},
            {"a.py": OTHER, "b.py": REWRITTEN.format("pay")},
            {"b.py": REWRITTEN.format("pay").replace("None", "book")},
        ],
        "changed",
        "b.py#pay",
    ),
    "moved twice, then rewritten": (
        [
            {"a.py": PAY + OTHER},
            {"a.py": OTHER, "b.py": PAY},
            {"b.py": OTHER, "c.py": renamed("settle")},
            {"c.py": REWRITTEN.format("settle")},
        ],
        "changed",
        "c.py#settle",
    ),
    "deleted": (
        [{"a.py": PAY + OTHER}, {"a.py": OTHER}, {"a.py": OTHER + REWRITTEN.format("settle")}],
        "missing",
        None,
    ),
    "deleted, and a like one elsewhere before": (
        [{"a.py": PAY + OTHER, "b.py": PAY}, {"a.py": OTHER}],
        "missing",
        None,
    ),
    "moved, then deleted there": (
        [{"a.py": PAY + OTHER}, {"a.py": OTHER, "b.py": PAY + OTHER}, {"b.py": OTHER}],
        "missing",
        None,
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
async def test_the_commits_between_are_witnesses(tmp_path: Path, name: str) -> None:
    await check_trail(tmp_path, *HISTORIES[name])
