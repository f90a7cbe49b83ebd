"""Setting agents up: ours goes in and is brought up to date, everything else stays byte for byte."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.cli.main import main
from lsp_server.features.agents import BEGIN, END, HOOKS, INSTRUCTIONS, TOOLS, planned, with_block, with_table
from lsp_server.features.errors import Refused
from lsp_server.features.json_text import with_element, with_member

SCHEMAS = Path(__file__).parents[1] / "support" / "schemas"


def written(tool: str, there: dict[str, str] | None = None) -> dict[str, str]:
    there = there or {}
    return {path: new for path, (_, new, _) in planned(tool, lambda path: there.get(path, "")).items()}


@pytest.mark.parametrize("tool", TOOLS)
def test_from_nothing_and_again(tool: str) -> None:
    first = written(tool)
    assert written(tool, first) == first
    instructions = [text for text in first.values() if INSTRUCTIONS in text]
    assert len(instructions) == 1
    for path, text in first.items():
        if path.endswith(".json"):
            json.loads(text)
        if path.endswith(".toml"):
            assert tomllib.loads(text)["mcp_servers"]["moorline"] == {"command": "moorline", "args": ["mcp"]}


@pytest.mark.parametrize("tool", TOOLS)
def test_what_others_wrote_stays(tool: str) -> None:
    theirs = {
        ".md": "# Ours\n\nUse tabs.\n",
        ".mdc": "---\nalwaysApply: false\n---\nMine.\n",
        ".json": '{\n\t// mine\n\t"z": [1, 2,\n  3], "hooks": {"SessionStart": [{"hooks": []}]},\n\t"a": {},\n}\n',
        ".toml": 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n',
    }
    there = {part.path: theirs[os.path.splitext(part.path)[1]] for part in TOOLS[tool]}
    found = written(tool, there)
    for path, text in found.items():
        # What was there is there yet, in its order.
        kept = iter(text)
        assert all(letter in kept for letter in there[path])
        assert written(tool, found)[path] == text


def test_an_older_block_and_older_entries_are_brought_up_to_date() -> None:
    old = f"# Mine\n\n<!-- {BEGIN} -->\nold words\n<!-- {END} -->\n\nMore of mine.\n"
    new = written("claude", {"CLAUDE.md": old})["CLAUDE.md"]
    assert new == old.replace("old words", INSTRUCTIONS.rstrip("\n"))
    entry = '{"mcpServers": {"a": {"command": "b"}, "moorline": {"command": "old"}}, "x": 1}'
    found = written("claude", {".mcp.json": entry})[".mcp.json"]
    servers = json.loads(found)["mcpServers"]
    assert servers["a"] == {"command": "b"} and servers["moorline"]["args"] == ["mcp"]
    old = '{"hooks": [{"command": "moorline describe . --hook old"}]}'
    hooks = f'{{"hooks": {{"SessionStart": [{{"hooks": [{{"command": "mine"}}]}}, {old}]}}}}'
    found = written("claude", {".claude/settings.json": hooks})[".claude/settings.json"]
    mine, ours = json.loads(found)["hooks"]["SessionStart"]
    assert mine == {"hooks": [{"command": "mine"}]} and ours["hooks"][0]["command"].endswith("--hook context")


@pytest.mark.parametrize(
    ("tool", "path", "text", "says"),
    [
        ("claude", "CLAUDE.md", f"<!-- {BEGIN} -->\n", "markers"),
        ("claude", "CLAUDE.md", f"<!-- {END} -->\n<!-- {BEGIN} -->\n", "markers"),
        ("claude", ".mcp.json", "[1]", "not an object"),
        ("claude", ".mcp.json", '{"mcpServers": 3}', "mcpServers is not an object"),
        ("claude", ".mcp.json", "{'a': 1}", "line 1 is no JSON"),
        ("claude", ".mcp.json", '{"a": 1,\n"b" 2}', "line 2 is no JSON"),
        ("claude", ".mcp.json", '{"a": ' + "[" * 500, "too deep"),
        ("claude", ".claude/settings.json", '{"hooks": {"SessionStart": {}}}', "hooks.SessionStart is not a list"),
        ("codex", ".codex/config.toml", "a = \n", "no TOML"),
        ("codex", ".codex/config.toml", "[mcp_servers.moorline]\ncommand = 'mine'\n", "no TOML"),
    ],
)
def test_what_cannot_be_brought_up_to_date_is_refused(tool: str, path: str, text: str, says: str) -> None:
    with pytest.raises(Refused, match=says) as refused:
        written(tool, {path: text})
    assert path in str(refused.value) and "\n" not in str(refused.value)


def test_line_ends_and_missing_ones_are_kept() -> None:
    assert with_block("a\r\nb", "x\ny", "# ", "") == f"a\r\nb\r\n\r\n# {BEGIN}\r\nx\r\ny\r\n# {END}\r\n"
    assert "\n" not in with_member('{\r\n  "a": 1\r\n}\r\n', ["b", "c"], 2).replace("\r\n", "")
    assert with_table("") == with_table(with_table(""))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", 'q"', "s"]), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 2, 4, "\t"])


@given(OBJECTS, INDENTS, st.lists(st.sampled_from(["a", "b", 'q"']), min_size=1, max_size=3), VALUES)
def test_a_member_is_put_as_into_the_object(found: dict[str, Any], indent: Any, keys: list[str], value: Any) -> None:
    text = json.dumps(found, indent=indent)
    wanted = json.loads(text)
    inner = wanted
    for key in keys[:-1]:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            with pytest.raises(ValueError, match="object"):
                with_member(text, keys, value)
            return
    inner[keys[-1]] = value
    made = with_member(text, keys, value)
    assert json.loads(made) == wanted
    assert with_member(made, keys, value) == made


@given(st.lists(VALUES, max_size=4), INDENTS)
def test_an_element_is_put_at_the_end_once(found: list[Any], indent: Any) -> None:
    text = json.dumps({"x": {"y": found}, "z": 1}, indent=indent)
    made = with_element(text, ["x", "y"], {"sign": "ours!"}, "ours!")
    assert json.loads(made) == {"x": {"y": [*found, {"sign": "ours!"}]}, "z": 1}
    assert with_element(made, ["x", "y"], {"sign": "ours!"}, "ours!") == made


@pytest.mark.parametrize(
    ("tool", "path"),
    [
        ("claude", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("gemini", ".gemini/settings.json"),
        ("copilot", ".vscode/mcp.json"),
    ],
)
def test_what_is_written_has_the_shape_that_is_published(tool: str, path: str) -> None:
    rules = json.loads((SCHEMAS / "mcp-config.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(rules).validate(json.loads(written(tool)[path]))


def test_the_command_writes_only_where_it_is_news(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".moorline").mkdir()
    root = ["--root", str(tmp_path)]
    assert main(["generate", "agent", "claude", "--dry-run", *root]) == 0 and not (tmp_path / "CLAUDE.md").exists()
    capsys.readouterr()
    assert main(["generate", "agent", "claude", "--json", *root]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert {one["file"]: one["state"] for one in files} == dict.fromkeys(
        ("CLAUDE.md", ".mcp.json", ".claude/settings.json"), "created"
    )
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["generate", "agent", "claude", "--json", *root]) == 0
    assert {one["state"] for one in json.loads(capsys.readouterr().out)["files"]} == {"unchanged"}
    assert all(path.stat().st_mtime_ns == before[path] for path in before)


def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "w"
    (root / ".moorline").mkdir(parents=True)
    outside = tmp_path / "theirs.md"
    outside.write_text("theirs\n")
    os.symlink(outside, root / "CLAUDE.md")
    assert main(["generate", "agent", "claude", "--root", str(root)]) == 2
    assert outside.read_text() == "theirs\n" and not (root / ".mcp.json").exists()
    assert "outside" in capsys.readouterr().err


@pytest.mark.parametrize("form", HOOKS)
def test_a_hook_answers_one_json_with_a_bounded_quotation(
    form: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    words = ["record", str(tmp_path / "a.py"), "--kind", "note", "--text", 'Obey "me" 决定', "--root", str(tmp_path)]
    assert main(words) == 0
    capfdbinary.readouterr()
    assert main(["describe", ".", "--hook", form, "--root", str(tmp_path)]) == 0
    answer = json.loads(capfdbinary.readouterr().out)
    text = answer["additional_context"] if form == "cursor" else answer["hookSpecificOutput"]["additionalContext"]
    inner = json.loads(text)
    assert inner["sections"]["note"]["items"][0]["quoted"]["text"] == 'Obey "me" 决定'
    assert len(text.encode()) <= 8_192
