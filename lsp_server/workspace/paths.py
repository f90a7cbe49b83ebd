"""Which folder is the workspace, and which file inside it a path means: the only gate between an anchor and the disk.

Knows links, git's `.git` files and the spellings that Windows takes for something else. Reads no file of the user's
code and starts no process. A file has exactly one key: its real path relative to the real root, with `/`. A file that
is reached through a link inside the root, and stays inside, therefore has the key of the file that the link leads to.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

LEDGER = ".moorline"
"""Name of the folder that makes its parent a workspace."""

MAX_PATH = 4096
"""Longest path that is looked at, in UTF-8 bytes: PATH_MAX of Linux."""

MAX_NAME = 255
"""Longest single name, in UTF-8 bytes: NAME_MAX of the common file systems."""

_ROOT_AGE = 1.0
"""Seconds for which a root's real path is taken as still true, so that a root behind a re-pointed link is noticed."""

# The device names that Windows opens whatever the folder and the extension, from Microsoft's "Naming Files, Paths, and
# Namespaces"; the superscript digits count as digits there.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789\xb9\xb2\xb3"]
)
_WINDOWS = os.name == "nt"

_CANT_RESOLVE_FILENAME = 1921
"""What Windows says, instead of ELOOP, of links that loop."""


class PathRefused(ValueError):
    """A path that is not looked at. The message is one short sentence that says why and echoes nothing of the path."""


@dataclass(frozen=True, slots=True)
class Root:
    """A workspace.

    `path` is its real path. `kind` says what made it one: "moorline" (it has a `.moorline`), "git" (top of a checkout)
    or "folder" (neither). `local_home` is the folder whose `.moorline` holds local memories and databases: `path`
    itself, or, in a linked git worktree, the same folder of the main checkout (of a bare repository: a folder inside
    the git directory). It need not exist yet. `checkout` is the linked worktree's name in git, empty in the main
    checkout: where `local_home` is shared, what depends on one checkout's files must carry it in its name. `spelled` is
    the root as it was reached, which the client may know it by.
    """

    path: Path
    kind: Literal["moorline", "git", "folder"]
    local_home: Path
    checkout: str = ""
    spelled: Path = field(default=Path(), compare=False)


@dataclass(frozen=True, slots=True)
class GitPlace:
    """Where git keeps its things for one checkout: the top folder, its own git directory, and the common one."""

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def linked(self) -> bool:
        """Whether this is a worktree that was added to a repository that lives elsewhere."""
        return self.git_dir != self.common_dir


def safe(root: Path, path: str) -> str:
    """Give the key of the file that `path` means in the workspace `root`: relative to the real root, with `/`.

    `path` is relative to the root, or absolute (then it may hold `..`, which is followed as the system would). The
    target need not exist. Raises `PathRefused` where it lies outside, by text or by any link on the way, where a link
    loops, and for spellings that are no plain file name on some platform. Costs one `lstat` a name; no result is
    remembered, as a link can be put in place at any time.
    """
    real_root = _real_root(os.fspath(root))
    if _WINDOWS:
        path = path.replace("\\", "/")
    if _absolute(path):
        return _absolute_key(real_root, os.fspath(root), path)
    names = _names(path)
    return _key(real_root, names)


def real(root: Path, key: str) -> Path:
    """Give the absolute path to read for a key that `safe` answered."""
    return Path(_real_root(os.fspath(root)), *key.split("/"))


def find_root(start: Path) -> Root:
    """Find the workspace that owns `start` (a file or a folder, existing or not).

    That is the nearest parent folder with a `.moorline` folder, else the top of the git checkout, else the folder
    itself. Parents are those of the real path. The search stops at the top of a linked worktree: one that lies inside
    the main checkout is a checkout of its own and not a part of the other's workspace.
    """
    here = Path(os.path.realpath(start))
    while not here.is_dir() and here != here.parent:
        here = here.parent
    git: GitPlace | None = None
    for folder in (here, *here.parents):
        if _is_real_folder(folder / LEDGER):
            return _root(folder, "moorline", start)
        if git is None:
            git = _git_at(folder)
        if git is not None and git.linked and git.top == folder:
            break
    if git is not None:
        return _root(git.top, "git", start)
    return _root(here, "folder", start)


def owner(roots: Iterable[Root], path: Path) -> Root | None:
    """Give the innermost of `roots` that holds `path` (absolute, links followed), or None."""
    target = os.path.realpath(path)
    holding = [root for root in roots if _inside(os.fspath(root.path), target)]
    return max(holding, key=lambda root: len(root.path.parts), default=None)


def git_place(folder: Path) -> GitPlace | None:
    """Find the git checkout that holds `folder`, by reading `.git` alone; None where there is none."""
    here = Path(os.path.realpath(folder))
    for parent in (here, *here.parents):
        found = _git_at(parent)
        if found is not None:
            return found
    return None


# -- text ----------------------------------------------------------------------------------------------------------


def _absolute(path: str) -> bool:
    return path.startswith("/") or (_WINDOWS and path[1:3] == ":/" and path[0].isalpha())


@lru_cache(maxsize=16384)
def _names(path: str) -> tuple[str, ...]:
    """Split a relative path into names, refusing by text alone. Pure, so it is remembered."""
    _whole(path)
    if "\\" in path:
        raise PathRefused("path holds a backslash: write it with `/`")
    names = tuple(name for name in path.split("/") if name not in ("", "."))
    if path.startswith("//"):
        raise PathRefused("path names another machine")
    if path.startswith("/"):
        raise PathRefused("path is absolute")
    if not names:
        raise PathRefused("path names no file")
    for name in names:
        _name(name)
    return names


def _whole(path: str) -> None:
    if "\0" in path:
        raise PathRefused("path holds a NUL byte")
    try:
        size = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        raise PathRefused("path is not valid Unicode") from None
    if size > MAX_PATH:
        raise PathRefused(f"path is longer than {MAX_PATH} bytes")


def _name(name: str) -> None:
    if name == "..":
        raise PathRefused("path leads outside the workspace (`..`)")
    if len(name.encode("utf-8")) > MAX_NAME:
        raise PathRefused(f"path holds a name longer than {MAX_NAME} bytes")
    if any(ord(letter) < 32 or letter == "\x7f" for letter in name):
        raise PathRefused("path holds a control character")
    if ":" in name:
        raise PathRefused("path holds a colon, which on Windows names a drive or a stream")
    if name[-1] in " .":
        raise PathRefused("path holds a name that ends in a dot or a space, which Windows drops")
    if name.split(".", 1)[0].rstrip(" ").lower() in _DEVICES:
        raise PathRefused("path holds a device name of Windows")
    if name.lower() in (".git", "git~1"):
        raise PathRefused("path leads into git's own folder")


# -- disk ----------------------------------------------------------------------------------------------------------


def _key(real_root: str, names: tuple[str, ...]) -> str:
    """Fast way: `lstat` name by name; only where a link is met is the whole path resolved."""
    if _WINDOWS:  # Junctions and short names are no links to `lstat`.
        return _resolved_key(real_root, names)
    here = real_root
    for name in names:
        here = f"{here}/{name}" if here != "/" else f"/{name}"
        try:
            mode = os.lstat(here).st_mode
        except OSError:
            break  # Nothing exists from here on, or it cannot be seen: no link can lead away.
        if stat.S_ISLNK(mode):
            return _resolved_key(real_root, names)
    return "/".join(names)


def _resolved_key(real_root: str, names: tuple[str, ...]) -> str:
    """Slow way: let the system resolve every link, then look where that is."""
    return _inner_key(real_root, os.path.join(real_root, *names))


def _absolute_key(real_root: str, root: str, path: str) -> str:
    _whole(path)
    if path.startswith("//") and not path.startswith("///"):
        raise PathRefused("path names another machine")
    if ".." not in path.split("/"):
        for spelled in (real_root, os.path.abspath(root)):
            below = spelled.replace("\\", "/").rstrip("/") + "/"
            if path.startswith(below) and path[len(below) :].strip("/"):
                return _key(real_root, _names(path[len(below) :].lstrip("/")))
    return _inner_key(real_root, path)


def _inner_key(real_root: str, path: str) -> str:
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ELOOP or getattr(error, "winerror", None) == _CANT_RESOLVE_FILENAME:
            raise PathRefused("path goes through a link that loops") from None
    target = os.path.realpath(path)
    if not _inside(real_root, target):
        raise PathRefused("path leads outside the workspace")
    below = target[len(real_root) :].replace(os.sep, "/").strip("/")
    return "/".join(_names(below))


def _inside(root: str, target: str) -> bool:
    root, target = os.path.normcase(root), os.path.normcase(target)
    return target == root or target.startswith(root.rstrip(os.sep) + os.sep)


_roots: dict[str, tuple[float, str]] = {}


def _real_root(root: str) -> str:
    now = time.monotonic()
    known = _roots.get(root)
    if known is not None and now - known[0] < _ROOT_AGE:
        return known[1]
    answer = os.path.realpath(root)
    if len(_roots) > 256:
        _roots.clear()
    _roots[root] = (now, answer)
    return answer


def _is_real_folder(path: Path) -> bool:
    # A `.moorline` that is a link could have been committed by anyone and lead anywhere: it makes no workspace.
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


# -- roots ---------------------------------------------------------------------------------------------------------


def _root(folder: Path, kind: Literal["moorline", "git", "folder"], start: Path) -> Root:
    home, checkout = folder, ""
    git = git_place(folder)
    if git is not None and git.linked:
        main = _main_checkout(git)
        below = folder.relative_to(git.top)
        # Without a main checkout (a bare repository) the git directory is what outlives the worktree.
        home = (main if main is not None else git.common_dir / "moorline") / below
        checkout = git.git_dir.name
    return Root(folder, kind, home, checkout, _spelled(folder, start))


def _spelled(folder: Path, start: Path) -> Path:
    whole = Path(os.path.abspath(start))
    for parent in (whole, *whole.parents):
        if os.path.realpath(parent) == os.fspath(folder):
            return parent
    return folder


def _git_at(top: Path) -> GitPlace | None:
    dot = top / ".git"
    try:
        mode = os.stat(dot).st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        git_dir = Path(os.path.realpath(dot))
        return GitPlace(top, git_dir, git_dir) if (git_dir / "HEAD").exists() else None
    text = _line(dot)
    if not text.startswith("gitdir:"):
        return None
    git_dir = Path(os.path.realpath(top / text[len("gitdir:") :].strip()))
    if not (git_dir / "HEAD").exists():
        return None
    common = _line(git_dir / "commondir")
    if not common:
        return GitPlace(top, git_dir, git_dir)  # A submodule, or a separate git directory.
    # A `.git` file can come in an archive from anyone. Git's own note in the other direction proves that the repository
    # knows this worktree; without it nothing is written there.
    back = _line(git_dir / "gitdir")
    if not back or os.path.realpath(git_dir / back) != os.path.realpath(dot):
        return GitPlace(top, git_dir, git_dir)
    return GitPlace(top, git_dir, Path(os.path.realpath(git_dir / common)))


def _main_checkout(git: GitPlace) -> Path | None:
    """The folder whose `.git` is, or points to, the common git directory; None where no such folder is found."""
    guesses = [git.common_dir.parent]
    tree = _core_worktree(git.common_dir)
    if tree:
        guesses.insert(0, git.common_dir / tree)
    for guess in guesses:
        found = _git_at(Path(os.path.realpath(guess)))
        if found is not None and found.git_dir == git.common_dir:
            return found.top
    return None


def _core_worktree(common_dir: Path) -> str:
    # Only what git itself writes for a submodule: `worktree = ../../../sub` below `[core]`.
    try:
        text = (common_dir / "config").read_text(encoding="utf-8", errors="replace")[:65536]
    except OSError:
        return ""
    section = ""
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            section = line.lower()
        elif section == "[core]" and line.partition("=")[0].strip().lower() == "worktree":
            return line.partition("=")[2].strip().strip('"')
    return ""


def _line(path: Path) -> str:
    """First line of a small file, empty where it cannot be read."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(8192).split("\n", 1)[0].strip()
    except OSError:
        return ""
