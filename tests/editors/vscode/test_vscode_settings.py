"""The extension offers every setting of the server for editors, with the server's own words and defaults."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lsp_server.workspace.config import Settings, settings_of

EXTENSION = Path(__file__).parents[3] / "editors" / "vscode"
OWN = re.compile(r"moorline\.(server|trace|gutter)\b")
ELSEWHERE = {"fail_on", "score", "kinds", "heat", "search", "documents_ignored"}
"""What only the command line, the ranking and a repository as a whole ask for: set in config.toml."""


def properties() -> dict[str, dict[str, Any]]:
    manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    found: dict[str, dict[str, Any]] = manifest["contributes"]["configuration"]["properties"]
    return {key: value for key, value in found.items() if not OWN.match(key)}


def nested(key: str, value: object) -> dict[str, object]:
    first, _, rest = key.removeprefix("moorline.").partition(".")
    return {first: {rest: value} if rest else value}


def snake(key: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), key)


def check_values(key: str, values: list[Any], accepted: bool) -> None:
    for value in values:
        _, problems = settings_of(None, nested(key, value))
        assert bool(problems) is not accepted, (key, value, problems)


@pytest.mark.parametrize("key", sorted(properties()))
def test_the_server_takes_what_a_setting_offers(key: str) -> None:
    setting = properties()[key]
    offered = setting.get("enum") or [setting["default"], setting.get("minimum"), setting.get("maximum")]
    check_values(key, [value for value in offered if value is not None], accepted=True)
    beyond = [setting[edge] + step for edge, step in (("minimum", -1), ("maximum", 1)) if edge in setting]
    check_values(key, ["no such word", *beyond], accepted=False)


@pytest.mark.parametrize("key", sorted(properties()))
def test_the_default_shown_is_the_servers(key: str) -> None:
    settings, problems = settings_of(None, nested(key, properties()[key]["default"]))
    assert not problems
    assert settings == Settings()


def test_no_setting_of_the_server_is_left_out() -> None:
    offered = {snake(key.removeprefix("moorline.").partition(".")[0]) for key in properties()}
    assert offered == {name for name in Settings.__slots__ if name not in ELSEWHERE}
    severities = {key.rpartition(".")[2] for key in properties() if ".severity." in key}
    assert severities == set(Settings().severity)
