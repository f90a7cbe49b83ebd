"""`moorline init`: makes `.moorline/`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from lsp_server.cli.arguments import FINE, Command
from lsp_server.cli.printing import Printer
from lsp_server.features.errors import Refused
from lsp_server.store.ledger import Ledger
from lsp_server.workspace.paths import LEDGER, Root, find_root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Takes nothing of its own."""


def run(args: argparse.Namespace) -> int:
    root = chosen(args.root)
    there = is_made(root.path)
    Ledger.of(root if args.root is None else exactly(root.path)).init()
    printer = Printer()
    if args.json:
        printer.json({"version": 1, "root": str(root.path), "created": not there})
        return FINE
    printer.line("ready: " if there else "made: ", (str(root.path / LEDGER), "bold"))
    if not there:
        printer.line("next: moorline record FILE#SYMBOL --kind decision --text '...'; commit .moorline/ with the code")
    return FINE


def chosen(named: str | None) -> Root:
    """The folder to make a workspace of: `--root` exactly, else the workspace stood in, git's root, or here."""
    if named is None:
        return find_root(Path(os.getcwd()))
    path = Path(os.path.realpath(Path(named).expanduser()))
    if not path.is_dir():
        raise Refused(f"--root {named} is no folder; make it first")
    return Root(path, "folder", path)


def is_made(path: Path) -> bool:
    return os.path.lexists(path / LEDGER / ".gitignore")


def exactly(path: Path) -> Root:
    """A root at this very folder, whatever lies above it. Makes its `.moorline/`, empty."""
    (path / LEDGER).mkdir(exist_ok=True)
    found = find_root(path)
    if found.path != path:
        raise Refused(f"{path / LEDGER} is a link and makes no workspace; delete it first")
    return found


COMMANDS = {
    "init": Command(
        add_arguments, run, "  moorline init\n  moorline init --root packages/api    a workspace of its own"
    )
}
