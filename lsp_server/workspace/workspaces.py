"""The workspaces that are open at once: which one owns a file, and the session of each.

An editor's folder inside a workspace opens that workspace; of nested workspaces the innermost owns a file.
Files outside every folder's workspace belong to nobody.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lsp_server.workspace import uris
from lsp_server.workspace.paths import PathRefused, Root, find_root, safe
from lsp_server.workspace.session import Session

log = logging.getLogger(__name__)

START_LIMIT = 2.0
"""Seconds that the end waits for a workspace that is just being opened."""


@dataclass(frozen=True, slots=True)
class Owned:
    """A file and the workspace that owns it: its key there and the absolute root."""

    root: Path
    path: str


class Workspaces:
    """Sessions by root. `begin` starts one; it is called once a root, when its first file or folder is met."""

    def __init__(self, begin: Callable[[Root], Awaitable[Session]]) -> None:
        self._begin = begin
        self._folders: list[Path] = []
        self._spelled: dict[Path, Path] = {}
        self._roots: dict[Path, Root] = {}
        self._starting: dict[Path, asyncio.Task[Session]] = {}
        self._owned: dict[str, Owned | None] = {}

    def set_folders(self, folders: Iterable[Path]) -> None:
        """Says which folders the editor shows now, as it spells them: files below are named to it that way."""
        self._folders = []
        for folder in folders:
            real = Path(folder).resolve()
            self._folders.append(real)
            if real != folder:
                self._spelled[real] = folder
        self._owned.clear()

    @property
    def folders(self) -> tuple[Path, ...]:
        return tuple(self._folders)

    def owner(self, uri: str) -> Owned | None:
        """Which workspace owns a document, and under which key; None where it takes no part."""
        if uri not in self._owned:
            if len(self._owned) > 4096:
                self._owned.clear()
            self._owned[uri] = self._find(uri)
        return self._owned[uri]

    def forget_owners(self) -> None:
        """After files, folders or `.moorline/` folders came or went: who owns what is asked anew."""
        self._owned.clear()

    def _find(self, uri: str) -> Owned | None:
        path = uris.to_path(uri)
        if path is None:
            return None
        root = self._root_for(Path(path))
        if root is None:
            return None
        try:
            key = safe(root.path, path)
        except PathRefused:
            return None
        if key.startswith(".moorline/"):
            return None
        self._roots.setdefault(root.path, root)
        return Owned(root.path, key)

    def _root_for(self, path: Path) -> Root | None:
        root = find_root(path.parent)
        real = Path(path.parent).resolve()
        holding = [folder for folder in self._folders if real == folder or folder in real.parents]
        if root.kind == "folder":
            # No ledger and no git: the editor's outermost folder is the place a person would expect `.moorline` in.
            if not holding:
                return None
            top = holding[0]
            return replace(root, path=top, local_home=top, spelled=self._spelled.get(top, top))
        if not self._folders:
            return root
        related = any(folder == root.path or root.path in folder.parents for folder in self._folders)
        return root if holding or related else None

    def root_of_folder(self, folder: Path) -> Root:
        root = find_root(self._spelled.get(folder, folder))
        self._roots.setdefault(root.path, root)
        return self._roots[root.path]

    async def session(self, root: Path) -> Session:
        """The session of a root that `owner` or `root_of_folder` answered, started on first use."""
        task = self._starting.get(root)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = asyncio.ensure_future(self._begin(self._roots[root]))
            self._starting[root] = task
        return await asyncio.shield(task)

    def ready(self, root: Path) -> Session | None:
        """The session of a root if it has started."""
        task = self._starting.get(root)
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return task.result()

    @property
    def sessions(self) -> tuple[Session, ...]:
        return tuple(session for root in self._starting if (session := self.ready(root)) is not None)

    def is_related(self, root: Path) -> bool:
        """Whether the editor shows a folder of a workspace, or one that holds it, or no folder at all."""
        return not self._folders or any(
            folder == root or root in folder.parents or folder in root.parents for folder in self._folders
        )

    async def drop_unused(self) -> list[Session]:
        """Ends the sessions whose root no folder has to do with any more and that have no open document."""
        ended = []
        for root in list(self._starting):
            session = self.ready(root)
            if session is None or session.open_paths:
                continue
            if not self._folders or not self.is_related(root):
                del self._starting[root]
                ended.append(session)
        for session in ended:
            await session.stop()
        return ended

    async def stop(self) -> None:
        """Ends every session. One that is just starting is waited for, as what is begun on a database is not undone by
        being given up."""
        tasks = list(self._starting.values())
        self._starting.clear()
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=START_LIMIT)
            for task in late:
                task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Session):
                await result.stop()
