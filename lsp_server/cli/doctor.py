"""`moorline doctor`: looks at what moorline needs and at this workspace, and says how to mend what is wrong.

Each examination answers its findings; one that fails itself is a finding too. Writes nothing but the index.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lsp_server import __version__
from lsp_server.cli.arguments import FINE, FOUND, Command
from lsp_server.cli.printing import Printer
from lsp_server.cli.standing import Standing, stand
from lsp_server.cli.wording import number_of
from lsp_server.core.languages import LANGUAGES
from lsp_server.store.activity import Activity
from lsp_server.store.index import Index
from lsp_server.store.ledger import Ledger
from lsp_server.workspace.config import read_settings
from lsp_server.workspace.paths import LEDGER

Level = Literal["ok", "info", "fault"]

OLDEST, NEWEST = (3, 11), (3, 14)
"""Versions of Python that moorline is tested with (pyproject.toml)."""

NEOVIM = (0, 11)
"""The first Neovim with `vim.lsp.config`."""

PATIENCE = 10.0
"""Seconds that another program may take to tell its version."""

MARKS = {"ok": ("ok", "green"), "info": ("note", "cyan"), "fault": ("fault", "bold red")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `mend` says what to do, empty where there is nothing to do."""

    name: str
    level: Level
    detail: str
    mend: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Takes nothing of its own."""


def run(args: argparse.Namespace) -> int:
    standing = stand(args.root)
    findings = [finding for examine in EXAMINATIONS for finding in examined(examine, standing)]
    faults = sum(finding.level == "fault" for finding in findings)
    printer = Printer()
    if args.json:
        checks = [{"name": one.name, "level": one.level, "detail": one.detail, "mend": one.mend} for one in findings]
        printer.json({"version": 1, "healthy": not faults, "root": str(standing.root.path), "checks": checks})
    else:
        print_findings(printer, findings, faults)
    return FOUND if faults else FINE


def print_findings(printer: Printer, findings: list[Finding], faults: int) -> None:
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        mark, style = MARKS[finding.level]
        printer.line((f"{mark:<5}", style), f"  {finding.name:<{width}}  {finding.detail}")
        if finding.mend:
            printer.line((finding.mend, "bold" if finding.level == "fault" else "dim"), indent=width + 9)
    printer.line()
    printer.line((f"{faults} to mend", "bold red") if faults else ("all is well", "bold green"))


def examined(examine: Callable[[Standing], Iterator[Finding]], standing: Standing) -> list[Finding]:
    """The findings of one examination; where it fails, that is one."""
    found: list[Finding] = []
    try:
        found.extend(examine(standing))
    except Exception as error:
        name = examine.__name__.replace("_", " ")
        found.append(Finding(name, "fault", f"could not be looked at: {type(error).__name__}: {error}", "report this"))
    return found


# -- the installation --------------------------------------------------------------------------------------------------


def python(standing: Standing) -> Iterator[Finding]:
    version = platform.python_version()
    detail = f"{version} at {sys.executable}, moorline {__version__}"
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        yield Finding("python", "ok", detail)
    else:
        span = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
        yield Finding("python", "fault", detail, f"install moorline with Python {span}")


def grammars(standing: Standing) -> Iterator[Finding]:
    loaded: list[str] = []
    for language in LANGUAGES:
        try:
            language.outline_query  # noqa: B018  Loading it is the examination.
            loaded.append(language.version)
        except Exception as error:
            if language.extra and isinstance(error, ImportError):
                yield Finding("grammar", "info", f"{language.name} is not installed", language.mend)
                continue
            mend = f"pip install --force-reinstall {language.distribution}"
            yield Finding("grammar", "fault", f"{language.name} does not load: {type(error).__name__}: {error}", mend)
    yield Finding("grammars", "ok" if loaded else "fault", ", ".join(loaded) or "none")


def git(standing: Standing) -> Iterator[Finding]:
    program = shutil.which("git")
    if program is None:
        mend = "install git: moves across files and revisions are found with it"
        yield Finding("git", "info", "not found; moorline works without it, and knows less", mend)
        return
    yield Finding("git", "ok", f"{version_of(program, '--version').removeprefix('git version ')} at {program}")


def version_of(program: str, *arguments: str) -> str:
    """The first line that a program says of its version, or why it says none."""
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=PATIENCE, errors="replace", check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"does not run ({type(error).__name__})"
    return next(iter((done.stdout or done.stderr).splitlines()), "says no version")


# -- the workspace -----------------------------------------------------------------------------------------------------


def workspace(standing: Standing) -> Iterator[Finding]:
    root = standing.root
    if root.kind == "folder" and not standing.named:
        yield Finding("workspace", "info", f"none at {root.path}: neither {LEDGER}/ nor git", "run moorline init")
        return
    where = f"{root.path}" + (
        f", a worktree: local memories are in {root.local_home / LEDGER}" if root.checkout else ""
    )
    if not standing.initialized:
        yield Finding("workspace", "info", f"{where}, without {LEDGER}/", "the first moorline record makes it")
        return
    yield Finding("workspace", "ok", where)
    for name in (".gitignore", ".gitattributes"):
        if not (root.path / LEDGER / name).is_file():
            yield Finding(
                "workspace", "fault", f"{LEDGER}/{name} is missing", "run moorline init, which makes it again"
            )
    if not os.access(root.path / LEDGER, os.W_OK):
        yield Finding("workspace", "fault", f"{LEDGER}/ cannot be written", "see to its rights: chmod u+w")


def settings(standing: Standing) -> Iterator[Finding]:
    _, problems = read_settings(standing.root.path)
    for problem in problems:
        at = f" (line {problem.line})" if problem.line else ""
        yield Finding("settings", "fault", f"{problem.message}{at}", f"edit {LEDGER}/config.toml")
    if not problems:
        there = (standing.root.path / LEDGER / "config.toml").is_file()
        yield Finding("settings", "ok", f"{LEDGER}/config.toml" if there else "the defaults")


def ledger(standing: Standing) -> Iterator[Finding]:
    if not standing.initialized:
        return
    kept = Ledger.of(standing.root)

    async def read() -> tuple[int, list[tuple[str, str]]]:
        async with await Index.open(kept.index_path) as index:
            refreshed = await index.refresh(kept)
            return len(await index.memories()), [(path, message) for path, message in refreshed.problems]

    count, problems = asyncio.run(read())
    of_index = [message for path, message in problems if Path(path).name == kept.index_path.name]
    damaged = [(path, message) for path, message in problems if Path(path).name != kept.index_path.name]
    for path, message in damaged:
        what, _, mend = message.rpartition(": ")
        yield Finding("ledger", "fault", f"{path} {what or message}", mend if what else "restore it from git")
    if not damaged:
        yield Finding("ledger", "ok", f"{count} memories, every file readable")
    for message in of_index:
        mended = "set aside" in message
        yield Finding("index", "info" if mended else "fault", message, "" if mended else f"see to {kept.index_path}")
    if not of_index:
        yield Finding("index", "ok", str(kept.index_path))


def activity(standing: Standing) -> Iterator[Finding]:
    """What is counted of use. Nothing needs it, so nothing about it is a fault."""
    if not standing.initialized:
        return
    read, _ = read_settings(standing.root.path)
    path = Ledger.of(standing.root).activity_path
    if not read.activity:
        yield Finding("activity", "ok", "nothing is counted: turned off")
        return
    kept = Activity(path)
    seen = asyncio.run(kept.counts())
    if kept.trouble:
        mend = f"delete {path.name}.aside if you do not want it" if kept.set_aside else f"see to {path}"
        yield Finding("activity", "info", f"{path.name} {kept.trouble}", mend)
    else:
        yield Finding(
            "activity",
            "ok",
            f"{path}, {number_of(len(seen), 'memory', 'memories')} seen" if seen else "nothing counted yet",
        )


# -- editors -----------------------------------------------------------------------------------------------------------


def editors(standing: Standing) -> Iterator[Finding]:
    if shutil.which("moorline") is None:
        mend = "put the folder of moorline on PATH, or name it in the editor's settings"
        yield Finding("editors", "info", "moorline is not on PATH, so an editor may not find it", mend)
    neovim = shutil.which("nvim")
    if neovim is not None:
        said = version_of(neovim, "--version")
        if number(said) >= NEOVIM:
            yield Finding("neovim", "ok", f"{said}; in it, :checkhealth moorline looks further")
        else:
            yield Finding("neovim", "info", f"{said}, which is too old", "install Neovim 0.11 or later")
    code = next((found for name in ("code", "codium", "code-server") if (found := shutil.which(name))), None)
    if code is not None:
        yield Finding("vscode", "ok", f"{code}; code --install-extension moorline.vsix installs the extension")
    if neovim is None and code is None:
        yield Finding("editors", "info", "neither Neovim nor VS Code on PATH; any client can run moorline lsp")


def number(said: str) -> tuple[int, int]:
    """The version in `NVIM v0.11.4`, (0, 0) where there is none."""
    for word in said.split():
        parts = word.lstrip("v").split(".")
        if len(parts) >= 2 and parts[0].isdigit() and parts[1].isdigit():
            return int(parts[0]), int(parts[1])
    return 0, 0


EXAMINATIONS: tuple[Callable[[Standing], Iterator[Finding]], ...] = (
    python,
    grammars,
    git,
    workspace,
    settings,
    ledger,
    activity,
    editors,
)

COMMANDS = {
    "doctor": Command(
        add_arguments, run, "  moorline doctor\n  moorline doctor --json | jq '.checks[] | select(.level == \"fault\")'"
    )
}
