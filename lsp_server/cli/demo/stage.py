"""A temporary git repository with real code in it, and Neovim and `moorline` run there without the user's own set-up.

Everything that is made lies below one folder, which the caller removes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lsp_server.cli.demo.neovim import Neovim

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1]

PLUGINS = (PACKAGE.parent / "editors" / "neovim", HERE / "plugin")
"""Where the Neovim plugin lies: in a checkout, and in an installed package (`pyproject.toml` puts it there)."""

AUTHOR = "Ada Example"


class StageError(Exception):
    """The demo cannot be set up; the message says what is missing and what to do."""


class Stage:
    """`base` is the folder for everything, `repository` the git repository in it."""

    def __init__(self, base: Path, program: Path, server: Sequence[str] | None = None) -> None:
        """`program` is Neovim's; `server` starts the language server (default: this very installation's)."""
        self.base = base.resolve()
        self.repository = self.base / "project"
        self.repository.mkdir(parents=True)
        self.program = program
        self.command = [sys.executable, "-P", "-m", "lsp_server"]
        self.server = list(server) if server is not None else [*self.command, "lsp"]
        self.environment = environment(self.base)
        self.settings = self.base / "init.lua"
        self.settings.write_text(settings(self.server), encoding="utf-8")
        self.git("init", "--quiet", "--initial-branch=main", ".")

    def copy_package(self, name: str) -> Path:
        """Copies the source of an installed package into the repository and commits it; gives the copy's folder.

        Raises StageError where the package is not installed as plain files.
        """
        found = importlib.util.find_spec(name)
        folders = found.submodule_search_locations if found else None
        if not folders:
            raise StageError(f"the package {name} is not installed as files: pip install {name}")
        target = self.repository / name
        shutil.copytree(next(iter(folders)), target, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"The source of {name} as installed")
        return target

    def neovim(self, file: Path | str, *, folder: Path | None = None, width: int = 96, height: int = 26) -> Neovim:
        """Starts Neovim on a file of the repository (or of `folder`, a clone of it)."""
        return Neovim(
            self.program,
            ["-u", str(self.settings), "-i", "NONE", "-n", str(file)],
            folder=folder or self.repository,
            environment=self.environment,
            width=width,
            height=height,
        )

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        """Runs git in the repository and gives what it said. Raises StageError when it fails or is not there."""
        try:
            run = self._run(["git", *arguments], folder)
        except FileNotFoundError as error:
            raise StageError("git is not installed; install it and run this again") from error
        if run.returncode != 0:
            raise StageError(f"git {' '.join(arguments)} failed: {run.stderr.strip()}")
        return run.stdout

    def moorline(self, *arguments: str, folder: Path | None = None, fine: Sequence[int] = (0,)) -> str:
        """Runs a `moorline` command of this very installation in the repository, as a process of its own.

        Gives what it printed. Raises StageError when its exit code is none of `fine`.
        """
        run = self._run([*self.command, *arguments], folder)
        if run.returncode not in fine:
            raise StageError(f"moorline {' '.join(arguments)} failed ({run.returncode}): {run.stderr.strip()}")
        return run.stdout

    def _run(self, command: Sequence[str], folder: Path | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder or self.repository,
            env=self.environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=60,
            check=False,
        )


def plugin() -> Path:
    """The folder of the Neovim plugin. Raises StageError where the installation lacks it."""
    for folder in PLUGINS:
        if (folder / "plugin" / "moorline.lua").is_file():
            return folder
    raise StageError("the Neovim plugin is not part of this installation; install moorline again from its own wheel")


def environment(base: Path) -> dict[str, str]:
    """The process environment without the user's editor and git set-up, which a demo must neither obey nor change."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "XDG_", "NVIM", "VIM"))}
    homes = {}
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        folder = base / "home" / name.lower()
        folder.mkdir(parents=True, exist_ok=True)
        homes[f"XDG_{name}_HOME"] = str(folder)
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    git = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": AUTHOR,
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": AUTHOR,
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": AUTHOR,
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "ada@example.org",
    }
    return {**kept, **homes, **git, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}


def settings(server: Sequence[str]) -> str:
    """An init.lua that names the plugin and the server and goes on with ours."""
    said = json.dumps({"plugin": str(plugin()), "server": list(server)})
    level = "="
    while f"]{level}]" in said or f"]{level}]" in str(HERE):
        level += "="
    return (
        f"vim.g.moorline_demo = vim.json.decode([{level}[{said}]{level}])\n"
        f"dofile([{level}[{HERE / 'init.lua'}]{level}])\n"
    )
