"""A real workspace in a temporary folder for tests of features: files on disk, a session over them, buffers in it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from support.fixtures import File, Mark, files

from lsp_server.core.locus import split_locus
from lsp_server.core.text import Text, TextChange
from lsp_server.features import operations
from lsp_server.features.diagnostics import diagnostics
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.workspace import uris
from lsp_server.workspace.config import Settings
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

TEXT = "Because it was decided."


class Stage:
    """A session over files of a fixture. Use it as an asynchronous context."""

    def __init__(
        self, folder: Path, contents: Mapping[str, File] | str, *, git: bool = False, settings: Settings | None = None
    ) -> None:
        self.folder = folder
        self.settings = settings
        contents = files(contents) if isinstance(contents, str) else contents
        for name, file in contents.items():
            self.write(name, file.text)
        if git:
            self.git("init", "-q", "-b", "main")
            self.git("add", "-A")
            self.git("commit", "-q", "-m", "first")
        else:
            (folder / ".moorline").mkdir(exist_ok=True)

    async def __aenter__(self) -> Stage:
        self.session = await Session.start(find_root(self.folder), self.settings)
        self.session.author = "Ada <ada@example.invalid>"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.stop()

    # -- the disk ----------------------------------------------------------------------------------------------------

    def write(self, name: str, text: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    # -- the editor --------------------------------------------------------------------------------------------------

    def uri(self, name: str) -> str:
        return uris.to_uri(self.folder / name)

    async def open(self, name: str, text: str | None = None) -> None:
        shown = text if text is not None else (self.folder / name).read_bytes().decode()
        self.session.open(name, self.uri(name), 1, "", shown)
        await self.session.load(name)

    def edit(self, name: str, text: str) -> None:
        """Replaces the whole text of an open buffer, as a formatter does."""
        self.changes(name, [TextChange(None, text)])

    def changes(self, name: str, changes: list[TextChange]) -> None:
        document = self.session.document(name)
        assert document is not None
        self.session.change(name, document.version + 1, changes, "utf-16")
        self.session.judge(name)

    def text(self, name: str) -> str:
        document = self.session.document(name)
        assert document is not None
        return bytes(document.text).decode()

    # -- memories ----------------------------------------------------------------------------------------------------

    async def record(self, *loci: str, kind: str = "decision", text: str = TEXT, **facts: Any) -> dict[str, Any]:
        return await operations.record_memory(
            self.session, Request(kind, text, tuple(self.wanted(locus) for locus in loci), **facts)
        )

    def wanted(self, typed: str) -> Wanted:
        locus = split_locus(typed, lambda name: (self.folder / name).is_file())
        if locus.lines and locus.lines[0] == locus.lines[1] and "-" not in typed.rpartition(":")[2]:
            return Wanted(locus.file, line=locus.lines[0])
        return Wanted(locus.file, locus.symbol, lines=locus.lines)

    async def verdicts(self, identifier: str) -> list[dict[str, Any]]:
        answer = await operations.show(self.session, identifier)
        anchors: list[dict[str, Any]] = answer["anchors"]
        return anchors

    def problems(self, name: str) -> list[Mark]:
        """What the problem list of a file shows, with columns in characters."""
        view = self.session.view(name)
        text = view.source.text if view.source.text is not None else Text.of("")
        found = []
        for problem in diagnostics(self.session.settings, view):
            line, start = text.position(problem.span.start, "utf-32")
            _, end = text.position(problem.span.end, "utf-32")
            found.append(Mark(line, start, end, problem.severity, problem.code, problem.message))
        return found

    def expect(self, name: str, marks: Iterable[Mark]) -> None:
        """Every problem of a file must be expected and every expected one be there."""
        shown = self.problems(name)
        wanted = list(marks)
        seen = [(mark.line, mark.start, mark.end, mark.severity, mark.code) for mark in shown]
        assert seen == [(mark.line, mark.start, mark.end, mark.severity, mark.code) for mark in wanted], [
            (mark.line + 1, mark.start, mark.end, mark.severity, mark.code, mark.message) for mark in shown
        ]
        for mark, want in zip(shown, wanted, strict=True):
            assert want.message in mark.message, (want.message, mark.message)
