"""Real git repositories in temporary folders, untouched by the configuration of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest


class Checkout:
    """A git checkout with a few words to change it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *arguments: str) -> str:
        """Runs git in the checkout, gives its output without the last line break; a failure fails the test."""
        done = subprocess.run(["git", *arguments], cwd=self.path, check=True, capture_output=True, text=True)
        return done.stdout.rstrip("\n")

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def commit(self, files: Mapping[str, str] | None = None, message: str = "change") -> str:
        """Writes files, commits all there is, gives the commit's id."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture(autouse=True)
def _own_git_configuration(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    config = home / "gitconfig"
    config.write_text(
        '[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n[protocol "file"]\nallow = always\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    # Moorline drops every GIT_ variable, so its own calls read the file below the home folder.
    (home / ".gitconfig").write_text(config.read_text())
    yield


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """An empty repository in `<tmp>/proj`, no commit yet."""
    path = tmp_path / "proj"
    path.mkdir()
    made = Checkout(path)
    made.git("init", "-q")
    return made
