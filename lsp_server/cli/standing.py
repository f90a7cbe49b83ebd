"""Where the user stands: which workspace that is, and which of its files a path or a place means as it was typed.

Reads no file. Every path goes through `workspace.paths.safe`, the only gate; what it refuses is refused before anybody
looks whether it is there, so the answer tells nothing about files outside.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lsp_server.core.locus import LocusError, parse_stored_locus, split_locus
from lsp_server.core.model import Locus
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted
from lsp_server.workspace.paths import LEDGER, PathRefused, Root, find_root, real, safe

_REGION = re.compile(r":\d+-\d+:?$")


@dataclass(frozen=True, slots=True)
class Standing:
    """A workspace and the folder the user stands in. `named` says that `--root` chose the workspace."""

    root: Root
    cwd: Path
    named: bool = False

    @property
    def initialized(self) -> bool:
        return (self.root.path / LEDGER).is_dir()

    def key(self, path: str) -> str:
        """The file that a typed path means, relative to the root; the root itself is "".

        A path is relative to where the user stands; one that is not there, or not inside, is then tried from the root,
        as answers give it. Raises PathRefused.
        """
        refusal: PathRefused | None = None
        first: str | None = None
        for base in (self.cwd, self.root.path):
            full = path if os.path.isabs(path) else f"{base}/{path}"
            try:
                key = self._inside(full)
            except PathRefused as error:
                refusal = refusal or error
                continue
            if first is None:
                first = key
            if os.path.lexists(real(self.root.path, key) if key else self.root.path):
                return key
        if first is None:
            assert refusal is not None
            raise refusal
        return first

    def _inside(self, full: str) -> str:
        try:
            return safe(self.root.path, full)
        except PathRefused:
            if "\0" not in full and os.path.realpath(full) == str(self.root.path):
                return ""
            raise

    def locus(self, text: str) -> Locus:
        """The place that was typed, relative to the root. Its file must exist.

        Raises PathRefused for what leads outside, LocusError for what is no place, Refused for a file that another
        workspace inside this one owns.
        """
        self.key(re.split("[#:]", text, maxsplit=1)[0] or text)  # Refuses what leads outside before it looks there.
        typed = split_locus(text, self._is_file)
        key = self.key(typed.file)
        self._owned(key)
        return replace(typed, file=key)

    def _is_file(self, path: str) -> bool:
        try:
            key = self.key(path)
        except PathRefused:
            return False
        return bool(key) and os.path.isfile(real(self.root.path, key))

    def _owned(self, key: str) -> None:
        inner = find_root(real(self.root.path, key).parent)
        if inner.kind == "moorline" and inner.path != self.root.path and self.root.path in inner.path.parents:
            below = inner.path.relative_to(self.root.path).as_posix()
            raise Refused(f"{key} belongs to the workspace {below}/; stand there or use --root {below}")

    def wanted(self, text: str, file_hash: str | None = None) -> Wanted:
        """The place that was typed, for recording: a single line stands for the innermost symbol there."""
        locus = self.locus(text)
        if locus.lines is None:
            return Wanted(locus.file, locus.symbol, hash=file_hash)
        if locus.lines[0] == locus.lines[1] and not _REGION.search(text):
            return Wanted(locus.file, line=locus.lines[0], hash=file_hash)
        return Wanted(locus.file, lines=locus.lines, hash=file_hash)

    def wanted_of(self, entry: Any, file_hash: str | None = None) -> Wanted:
        """The place of one entry of `anchors` in a batch: a text, or an object of file, symbol, line, lines, hash."""
        if isinstance(entry, str):
            return self.wanted(entry, file_hash)
        if not isinstance(entry, Mapping) or not isinstance(entry.get("file"), str):
            raise Refused('an anchor is "FILE#SYMBOL" or {"file": ..., "symbol": ..., "line": ...}')
        odd = [key for key in entry if key not in ("file", "symbol", "line", "lines", "hash")]
        if odd:
            raise Refused(f"an anchor has no {odd[0]!r}; it has file, symbol, line, lines, hash")
        symbol, line, lines = entry.get("symbol"), entry.get("line"), entry.get("lines")
        if symbol is not None and not isinstance(symbol, str):
            raise Refused("an anchor's symbol is a text")
        if line is not None and not is_line(line):
            raise Refused("an anchor's line is a number from 1")
        if lines is not None and not (isinstance(lines, list) and len(lines) == 2 and all(map(is_line, lines))):
            raise Refused("an anchor's lines are two numbers from 1, first and last")
        hashed = entry.get("hash", file_hash)
        if hashed is not None and not isinstance(hashed, str):
            raise Refused("a hash is a text: the SHA-256 of the file in hex")
        key = self.key(entry["file"])
        self._owned(key)
        return Wanted(key, symbol or None, line, (lines[0], lines[1]) if lines else None, None, hashed)

    def place(self, text: str) -> Locus:
        """A place to look at, whether or not its file is still there; a folder has the `Locus` of its path."""
        self.key(re.split("[#:]", text, maxsplit=1)[0] or text)
        try:
            typed = split_locus(text, self._is_known)
        except LocusError:
            typed = parse_stored_locus(text)
        return replace(typed, file=self.key(typed.file))

    def _is_known(self, path: str) -> bool:
        try:
            return self.is_there(self.key(path))
        except PathRefused:
            return False

    def is_there(self, key: str) -> bool:
        return not key or os.path.lexists(real(self.root.path, key))

    def is_folder(self, key: str) -> bool:
        return not key or real(self.root.path, key).is_dir()


def is_line(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def stand(root: str | None, cwd: Path | None = None) -> Standing:
    """Where the user stands: the workspace of `--root`, or of the folder stood in.

    Raises Refused where `--root` names no folder.
    """
    here = Path(os.path.realpath(cwd if cwd is not None else os.getcwd()))
    if root is None:
        return Standing(find_root(here), here)
    named = Path(os.path.realpath(here / Path(root).expanduser()))
    if not named.is_dir():
        raise Refused(f"--root {root} is no folder; name one that exists")
    return Standing(find_root(named), here, named=True)
