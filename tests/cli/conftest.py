"""A git repository to run commands in, and a way to run them: in this process, as fast as can be."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lsp_server.cli.main import main

AUTH = '''\
class Provider:
    def verify(self, token):
        """Check a token."""
        if not token:
            return None
        return self.decode(token, limit=3)

    def decode(self, token, limit):
        parts = token.split(".", limit)
        return parts[0], parts[1]


def login(name, password):
    provider = Provider()
    return provider.verify(name + ":" + password)


def logout(session):
    session.clear()
    return len(session) == 0
'''


@dataclass(frozen=True)
class Done:
    """What a command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Repository:
    """A git repository with one commit. Calling it runs a command in it."""

    path: Path
    run: Callable[..., Done]

    def __call__(self, *words: str, cwd: str = "", stdin: str | bytes = "") -> Done:
        return self.run(self.path / cwd, words, stdin)

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.path / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8", newline="")

    def git(self, *words: str) -> str:
        return git(self.path, *words)

    def ledger(self) -> dict[str, bytes]:
        """Every file of the ledger that git would keep."""
        top = self.path / ".moorline"
        return {str(path.relative_to(top)): path.read_bytes() for path in top.glob("memories/*/*")}


def git(path: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=path, check=True, capture_output=True, text=True).stdout


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own settings takes part, and nobody's own memories are changed."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "MOORLINE_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOORLINE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ann@example.org")
        monkeypatch.setenv(f"GIT_{role}_DATE", "2026-01-02T03:04:05Z")


class Streams(io.TextIOWrapper):
    """A text stream over bytes in memory, as a pipe would be."""

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("utf-8", "surrogateescape")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs a command in a folder."""

    def runs(cwd: Path, words: tuple[str, ...], stdin: str | bytes = "") -> Done:
        out, err = (Streams(io.BytesIO(), encoding="utf-8") for _ in range(2))
        data = stdin.encode() if isinstance(stdin, str) else stdin
        with monkeypatch.context() as patch:
            patch.chdir(cwd)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main(list(words))
        return Done(code, out.text(), err.text())

    return runs


@pytest.fixture
def repo(tmp_path: Path, run: Callable[..., Done]) -> Repository:
    """A git repository with `src/auth.py`, committed; no `.moorline/` yet."""
    path = Path(os.path.realpath(tmp_path)) / "w" / "proj"
    path.mkdir(parents=True)
    found = Repository(path, run)
    found.write("src/auth.py", AUTH)
    found.write("README.md", "# Proj\n")
    found.git("init", "-q", "-b", "main")
    found.git("add", "-A")
    found.git("commit", "-q", "-m", "start")
    return found
