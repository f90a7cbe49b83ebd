"""Case 42: a note that is a button. Memory text comes with the repository and is shown, never obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from support.asking import QUICK
from support.stage import Stage

from lsp_server.features.hover import hover
from lsp_server.features.markdown import HOVER_CHARACTERS

CODE = "def pay(amount):\n    return fee(amount, 30)\n"

HOSTILE = {
    "command link": "[ok](command:workbench.action.terminal.new)",
    "reference link": "[ok][x]\n\n[x]: command:workbench.action.terminal.new",
    "autolink": "<command:workbench.action.terminal.new>",
    "picture": "![](http://x.invalid/p.png)",
    "html": "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "file link": "[read](file:///etc/passwd)",
    "fence": "```\ncode\n````\n[ok](command:x)\n```",
    "escapes": "\x1b[31mred\x1b]8;;http://x.invalid\x1b\\link\x07",
    "long": "word " * 3000,
    "long line": "x" * 16000,
}


def links(markdown: str) -> list[str]:
    """Where the links and pictures of a Markdown text lead, and its HTML: by another program's reading of it."""
    found = []
    for token in MarkdownIt("commonmark").parse(markdown):
        for inner in [token, *(token.children or [])]:
            found += [str(value) for name in ("href", "src") if (value := inner.attrGet(name))]
            if inner.type in ("html_inline", "html_block"):
                found.append(inner.content)
    return found


@pytest.mark.parametrize("name", HOSTILE)
async def test_case_42_a_note_is_no_button(tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    async with Stage(tmp_path, {}, settings=QUICK) as stage:
        stage.write("a.py", CODE)
        stage.session.author = "[Ann](command:x) <img src=x>"
        await stage.record("a.py#pay", text=text, tags=("[t](command:x)",))
        await stage.open("a.py")
        answer = hover(stage.session.snapshot(), stage.session.view("a.py"), CODE.index("pay"))
        assert answer is not None
        assert [one for one in links(answer.markdown) if not one.startswith(("http://", "https://"))] == []
        assert [one for one in links(answer.markdown) if "x.invalid/p.png" in one] == []
        assert "\x1b" not in answer.markdown and "\x07" not in answer.markdown
        assert len(answer.markdown) <= HOVER_CHARACTERS + 1000
