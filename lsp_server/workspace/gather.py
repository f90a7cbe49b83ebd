"""Reading the files that somebody names to be imported, wherever they lie.

Knows limits, links and what each file is called: by its path in the workspace, else by its project's. Refuses to know
formats. These files are read because a person named them; no anchor leads here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsp_server.workspace.paths import LEDGER, find_root
from lsp_server.workspace.search import SKIPPED

MOST_BYTES = 32 << 20
"""Bytes of one file: forty times the largest export that we have seen."""

MOST_TOGETHER = 256 << 20
"""Bytes of all files of one import."""

MOST_FILES = 20_000
"""Files that are read of the folders that were named."""

ENDINGS = (".md", ".mdx", ".markdown", ".json", ".jsonl", ".ndjson", ".tour", ".lock", ".cursorrules", ".windsurfrules")
"""Of a folder, files that end so are looked into; a file that is named itself is read whatever its name."""


PARTS = 5
"""Names of a path that tell a file of no project from those of others."""


@dataclass(slots=True)
class Gathered:
    """Files as (what it is called, bytes), and what could not be read as (what it is called, why)."""

    files: list[tuple[str, bytes]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    """What the files are called that were named themselves, not found in a folder."""


def gather(root: Path, paths: Sequence[Path]) -> Gathered:
    """Reads every file that `paths` name, folders with all that is in them, each file once, in order of names.

    Links in folders are not followed, and the workspace's own ledger is left out.
    """
    found = Gathered()
    seen: set[str] = set()
    total = 0
    own = os.fspath(root / LEDGER)
    for path in paths:
        top = Path(os.path.realpath(path))
        if _inside(own, os.fspath(top)):
            found.refused.append((str(path), "is this workspace's own ledger; name another one"))
            continue
        if not os.path.lexists(path) or not top.exists():
            found.refused.append((str(path), "is not there; check the path"))
            continue
        folder = top.is_dir()
        for number, file in enumerate(_files(top, own) if folder else iter([top])):
            if number >= MOST_FILES:
                message = f"holds more than {MOST_FILES} files; the rest was left out: name a smaller folder"
                found.refused.append((str(path), message))
                break
            if os.fspath(file) in seen:
                continue
            seen.add(os.fspath(file))
            label = label_of(root, file)
            data = _read(file)
            if isinstance(data, str):
                found.refused.append((label, data))
            elif (total := total + len(data)) > MOST_TOGETHER:
                found.refused.append((label, f"is beyond {MOST_TOGETHER >> 20} MiB in all: import it by itself"))
            else:
                found.files.append((label, data))
                if not folder:
                    found.named.add(label)
    return found


def label_of(root: Path, file: Path) -> str:
    """What a file is called: its path in the workspace; else in its own project, with that folder's name before it;
    else by its last folders. It is a part of what entries are known by, so it does not depend on how it was named.
    """
    top = os.path.realpath(root)
    if _inside(top, os.fspath(file)):
        return file.relative_to(top).as_posix()
    project = find_root(file)
    if project.kind != "folder":
        return f"{project.path.name}/{file.relative_to(project.path).as_posix()}"
    home = os.path.realpath(Path.home())
    parts = file.relative_to(home).parts if _inside(home, os.fspath(file)) else file.parts[1:]
    return "/".join(parts[-PARTS:])


def _inside(folder: str, path: str) -> bool:
    folder, path = os.path.normcase(folder), os.path.normcase(path)
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _files(top: Path, own: str) -> Iterator[Path]:
    """Every file below a folder that may be of some format, folder by folder, in order of names."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        below = []
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED and entry.name != ".git" and entry.path != own:
                    below.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False) and entry.name.lower().endswith(ENDINGS):
                yield Path(entry.path)
        waiting += reversed(below)


def _read(path: Path) -> bytes | str:
    """A file's bytes, or why they cannot be read."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return "is no file; name one"
        if found.st_size > MOST_BYTES:
            return f"has {found.st_size} bytes, more than {MOST_BYTES}: split it"
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return f"cannot be read ({error.strerror or error}); check its permissions"
    return data if len(data) <= MOST_BYTES else f"has more than {MOST_BYTES} bytes: split it"


def names_in(root: Path) -> dict[str, list[str]]:
    """Paths of a workspace's files by their bare names, without git: for sources that write no more than a name."""
    found: dict[str, list[str]] = {}
    waiting, count = [root], 0
    while waiting and count < MOST_FILES:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED and not entry.name.startswith("."):
                    waiting.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                count += 1
                found.setdefault(entry.name, []).append(Path(entry.path).relative_to(root).as_posix())
    return found
