"""Settings: defaults, what each key takes, and that a wrong one spoils no other."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.kinds import KINDS
from lsp_server.core.model import Level
from lsp_server.core.ranking import PROFILES, Weights
from lsp_server.workspace.config import (
    FILE,
    HEAT,
    KEYS,
    KIND_NUMBERS,
    MAX_BYTES,
    SEVERITIES,
    Settings,
    read_settings,
    settings_of,
)


def check_settings(text: str | None, client: dict[str, Any] | None, **expected: Any) -> None:
    settings, problems = settings_of(text, client)
    assert problems == ()
    for name in (field.name for field in fields(Settings)):
        value = expected.get(name, getattr(Settings(), name))
        assert getattr(settings, name) == value, name


def test_nothing_set_is_all_defaults() -> None:
    for text in (None, "", "# nothing\n"):
        check_settings(text, None)
    check_settings(None, {})
    assert set(SEVERITIES) == {level.value for level in Level} | {"members", "contradicted"}


def test_what_is_set() -> None:
    text = 'hover_range = "symbol"\nclosed_files = 0\nfail_on = ["stale", "members"]\n[severity]\nmoved = "off"\n'
    severity = {**SEVERITIES, "moved": "off"}
    given_ = {"hover_range": "symbol", "closed_files": 0, "fail_on": ("stale", "members")}
    check_settings(text, None, severity=severity, **given_)
    # The client's own settings come over the shared ones, key by key.
    client = {"hoverRange": "signature", "severity": {"fileMissing": "error"}, "server": {"path": "x"}, "trace": 1}
    severity["file_missing"] = "error"
    check_settings(text, client, **{**given_, "severity": severity, "hover_range": "signature"})
    check_settings(text, {"moorline": client}, **{**given_, "severity": severity, "hover_range": "signature"})


def test_numbers_of_kinds() -> None:
    settings, problems = settings_of("[kinds.decision]\nhalf_life_days = 30\n[score]\nstale = 0.4\n")
    assert not problems
    assert settings.kinds == {"decision": {"half_life_days": 30}}
    numbers = {number for kind in KINDS.values() for number in KIND_NUMBERS if hasattr(kind, number)}
    assert numbers == set(KIND_NUMBERS)
    assert settings.score["stale"] == 0.4 and settings.score["both"] == 0.3


def test_what_was_seen_is_counted_unless_it_is_turned_off() -> None:
    check_settings(None, None, activity=True)
    check_settings("activity = false\n", None, activity=False)
    check_settings("activity = true\n", {"activity": False}, activity=False)
    heat = {**HEAT, "half_life_days": 7, "shown": 0}
    check_settings("[heat]\nhalf_life_days = 7\nshown = 0\n", None, heat=heat)


def rows_of(page: str) -> dict[str, str]:
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    return {name: line for line in lines for name in re.findall(r"`\[?(\w+)", line.split("|")[1])}


def test_every_setting_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
    table, _, below = page.partition("\n## Search\n")
    rows, weights = rows_of(table), rows_of(below)
    for name in (field.name for field in fields(Settings)):
        default = getattr(Settings(), name)
        assert name in rows, name
        if isinstance(default, bool | int | float | str):
            written = json.dumps(default)
            assert f"`{written}`" in rows[name], (name, written)
        elif isinstance(default, tuple):
            assert f"`{json.dumps(list(default))}`" in rows[name], name
        elif name == "severity":
            assert all(f"`{key}`" in page and f'`"{value}"`' in page for key, value in default.items())
        else:
            assert all(f"`{key} = {value:g}`" in rows[name] for key, value in default.items()), name
    assert all(f"`{number}`" in rows["kinds"] for number in KIND_NUMBERS)
    for weight in fields(Weights):
        assert f"`{getattr(Weights(), weight.name):g}`" in weights[weight.name], weight.name
    assert all(f"`{name}`" in page for name in (*PROFILES, "floor", "stale", "weights"))


def test_search_takes_weights_profiles_and_words_of_the_workspace() -> None:
    text = """
[search.weights]
grams = 0
[search.profiles.oncall]
kinds = { finding = 2 }
age = false
weights = { age = 0.6 }
[search.expansions]
"falls Over" = "crash"
slow = ""
[search.aliases]
camelCase = "humps"
"""
    settings, problems = settings_of(text, {"search": {"weights": {"grams": 0.1, "head": 1}}})
    assert not problems
    assert settings.search == {
        "weights": {"grams": 0.1, "head": 1},
        "profiles": {"oncall": {"kinds": {"finding": 2}, "age": False, "weights": {"age": 0.6}}},
        "expansions": {"falls Over": "crash", "slow": ""},
        "aliases": {"camelCase": "humps"},
    }


def check_problem(text: str, key: str, line: int | None, *said: str) -> None:
    """The wrong key is named, the one beside it works."""
    settings, problems = settings_of("lenses = false\n" + text)
    assert settings.lenses is False
    (problem,) = problems
    assert (problem.origin, problem.key, problem.line) == ("config.toml", key, line)
    for part in said:
        assert part in problem.message
    assert len(problem.message) < 300 and "\n" not in problem.message


@pytest.mark.parametrize(
    ("text", "key", "line", "said"),
    [
        ("hovr = true", "hovr", 2, ("`hovr`", "`hover`")),
        ("zzz = true", "zzz", 2, ("`zzz`", "known are", "stale_marks")),
        ("[search]\nweigths = {}", "search.weigths", 3, ("`search.weigths`", "`weights`")),
        ("[search.weights]\nhed = 1", "search.weights.hed", 3, ("`search.weights.hed`", "`head`")),
        ("[search.weights]\nhead = -1", "search.weights.head", 3, ("a number from 0 to 10",)),
        ("[search.profiles.x]\nflor = 1", "search.profiles.x.flor", 3, ("`floor`",)),
        ("[search.profiles.x.kinds]\ndecison = 1", "search.profiles.x.kinds.decison", 3, ("`decision`",)),
        ("[search.profiles.x.weights]\nage = 11", "search.profiles.x.weights.age", 3, ("a number from 0 to 10",)),
        ("[search.expansions]\nslow = 3", "search.expansions.slow", 3, ("words in quotes",)),
        ("[search.aliases]\nx = [1]", "search.aliases.x", 3, ("words in quotes",)),
        ("hover = 1", "hover", 2, ("`hover` takes true or false",)),
        ('activity = "no"', "activity", 2, ("`activity` takes true or false",)),
        ("[heat]\nrecaled = 2", "heat.recaled", 3, ("`recalled`",)),
        ("[heat]\nshown = -1", "heat.shown", 3, ("takes a number from 0",)),
        ('hover_range = "line"', "hover_range", 2, ('one of "name", "signature", "symbol"',)),
        ('stale_marks = "never"', "stale_marks", 2, ('takes "typing" or "save"',)),
        ("debounce_ms = 1000", "debounce_ms", 2, ("a whole number from 0 to 150",)),
        ("debounce_ms = 1.5", "debounce_ms", 2, ("a whole number",)),
        ("poll_seconds = true", "poll_seconds", 2, ("a number from 0.2 to 60",)),
        ("poll_seconds = nan", "poll_seconds", 2, ("a number",)),
        ('fail_on = "stale"', "fail_on", 2, ("a list of",)),
        ('severity = "off"', "severity", 2, ("a table of severities",)),
        ('[severity]\nmovd = "off"', "severity.movd", 3, ("`severity.movd`", "`moved`")),
        ("[severity]\nmoved = 1", "severity.moved", 3, ('"error"', '"off"')),
        ("[score]\nstale = 2", "score.stale", 3, ("from 0 to 1",)),
        ("[kinds]\ndecision = 1", "kinds.decision", 3, ("a table of",)),
        ("[kinds.decison]\ncap = 1", "kinds.decison", 2, ("`decision`",)),
        ("[kinds.decision]\ncap = true", "kinds.decision.cap", 3, ("a number",)),
        ("[kinds.decision]\ncaps = 1", "kinds.decision.caps", 3, ("`cap`",)),
    ],
)
def test_wrong_keys(text: str, key: str, line: int | None, said: tuple[str, ...]) -> None:
    check_problem(text, key, line, *said)


def test_one_wrong_entry_of_a_table_leaves_the_others() -> None:
    settings, problems = settings_of('[severity]\nfresh = 1\nmoved = "off"\n')
    assert [problem.key for problem in problems] == ["severity.fresh"]
    assert settings.severity == {**SEVERITIES, "moved": "off"}


@pytest.mark.parametrize("text", ["a = ", "[x", "x = 1\nx = 2", "[" * 5000, "a = " + "[" * 5000])
def test_what_is_no_toml_leaves_the_defaults_and_the_client(text: str) -> None:
    settings, (problem,) = settings_of(text, {"hover": False})
    assert settings.hover is False
    assert "config.toml is not TOML" in problem.message


@pytest.mark.parametrize("client", [{"moorline": 3}, {"moorline": ["hover"]}, {"hover": "yes"}, {"nonsense": {}}])
def test_a_client_s_nonsense(client: dict[str, Any]) -> None:
    settings, problems = settings_of("lenses = false\n", client)
    assert settings.lenses is False and settings.hover is True
    assert [problem.origin for problem in problems] == ["client"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
)


@given(client=st.dictionaries(st.sampled_from([*KEYS, "x"]), VALUES, max_size=4))
def test_no_client_settings_raise(client: dict[str, Any]) -> None:
    settings, problems = settings_of(None, client)
    refused = {problem.key for problem in problems}
    assert ("x" in client) == ("x" in refused)
    for key in refused & KEYS.keys():
        assert getattr(settings, key) == getattr(Settings(), key)


def test_the_file(tmp_path: Path) -> None:
    path = tmp_path / FILE
    assert read_settings(tmp_path) == (Settings(), ())
    path.parent.mkdir()
    path.write_bytes(b"\xef\xbb\xbfhover = false\r\n")
    assert read_settings(tmp_path) == (Settings(hover=False), ())
    for data, said in ((b"\xff", "UTF-8"), (b"#" * (MAX_BYTES + 1), "over")):
        path.write_bytes(data)
        settings, (problem,) = read_settings(tmp_path, {"hover": False})
        assert settings.hover is False and said in problem.message
    path.unlink()
    (tmp_path / "secret").write_text("secret = 1\n")
    path.symlink_to("../secret")
    settings, (problem,) = read_settings(tmp_path)
    assert settings == Settings() and "secret" not in problem.message
