"""What git knows of a checkout, asked without letting the repository run anything.

Knows git's files well enough to read HEAD without a process, and how to call git so that no hook, filter, fsmonitor,
pager, external diff, signature check or network is used, whatever the repository's configuration says. Knows nothing of
memories. Without git, without a repository, in an empty one, or where git is too slow, the answer is empty.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lsp_server.workspace.paths import GitPlace, git_place

TIMEOUT = 5.0
"""Seconds that one call of git may take."""

MAX_OUTPUT = 16 * 1024 * 1024
"""Bytes of one call's output that are read; what comes after is cut off."""

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs/(?!.*(?:^|/)\.)(?!.*\.\.)[^\x00-\x20\x7f~^:?*\[\\]+")
_REVISION = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_./@{}~^-]*")

# Each of these can name a program in a repository's own configuration, or reach over the network or into a submodule,
# whose configuration is another one. Filters and diff drivers have names of their own and are found by `_drivers`.
_SETTINGS = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.quotePath", "false"),
    ("core.untrackedCache", "keep"),
    ("diff.external", ""),
    ("diff.renameLimit", "400"),
    ("diff.ignoreSubmodules", "all"),
    ("grep.threads", "1"),
    ("log.showSignature", "false"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
)


@dataclass(frozen=True, slots=True)
class Head:
    """What is checked out: the commit's id (empty before the first one) and the branch's name (empty when detached)."""

    commit: str
    branch: str


# -- without a process -------------------------------------------------------------------------------------------------


def head(root: Path) -> str:
    """Give the id of the commit that is checked out, empty where there is none. See `checked_out`."""
    found = checked_out(root)
    return found.commit if found is not None else ""


def checked_out(root: Path) -> Head | None:
    """Give what is checked out in the checkout that holds `root`, by reading git's files; None without a repository.

    Where refs are kept in a way that is not read here (reftable), the commit is empty: ask `revision`.
    """
    place = git_place(root)
    if place is None:
        return None
    text = _first_line(place.git_dir / "HEAD")
    branch = ""
    for _ in range(5):  # git's own bound on symbolic refs that name each other.
        if _OID.fullmatch(text):
            return Head(text, branch)
        if not text.startswith("ref:"):
            break
        name = text[len("ref:") :].strip()
        if not _REF.fullmatch(name):
            break
        if not branch:
            branch = name.removeprefix("refs/heads/")
        text = _first_line(place.git_dir / name) or _first_line(place.common_dir / name)
        text = text or _packed(place.common_dir / "packed-refs", name)
    return Head("", branch if branch != "refs/heads/.invalid" else "")


def common_dir(root: Path) -> Path | None:
    """Give the git directory that all worktrees of the repository share; None without a repository."""
    place = git_place(root)
    return None if place is None else place.common_dir


def blob_id(data: bytes, *, sha256: bool = False) -> str:
    """Give the id that git gives to a file of these bytes (`sha256`: in a repository whose object format that is)."""
    make = hashlib.sha256 if sha256 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


# -- with a process ----------------------------------------------------------------------------------------------------


async def revision(root: Path) -> str:
    """Give the commit that is checked out, asking git where reading its files does not tell; empty if there is none."""
    found = checked_out(root)
    if found is None or found.commit:
        return found.commit if found is not None else ""
    text = (await run(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")).decode("ascii", "replace").strip()
    return text if _OID.fullmatch(text) else ""


async def changed_and_untracked(root: Path, *, timeout: float = TIMEOUT) -> tuple[str, ...]:
    """Give the paths, relative to `root`, of files that differ from HEAD or are not tracked and not ignored.

    Deleted files are left out. Changed ones come first, each group in git's order.
    """
    out = await run(
        root,
        *("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all", "--no-renames"),
        *("--", _below(root) or "."),
        timeout=timeout,
        partial=True,
    )
    changed: list[str] = []
    untracked: list[str] = []
    for entry in _entries(out):
        kind, path = entry[:2], entry[3:]
        if kind == "??":
            untracked.append(path)
        elif "D" not in kind:
            changed.append(path)
    return _relative(root, changed + untracked)


async def files(root: Path, *, timeout: float = TIMEOUT) -> tuple[str, ...]:
    """Give the paths, relative to `root`, of all files that are tracked, or neither tracked nor ignored."""
    out = await run(
        root,
        *("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"),
        *("--", _below(root) or "."),
        timeout=timeout,
        partial=True,
    )
    return _relative(root, _entries(out))


async def holding(root: Path, words: Sequence[str], *, timeout: float = TIMEOUT) -> tuple[str, ...]:
    """Give the paths, relative to `root`, of text files on disk that hold one of `words`.

    The ledger's folders are left out, as is what git ignores. Order is git's. Out of time, what was found so far.
    """
    wanted = [word for word in words if word and "\n" not in word and "\0" not in word]
    if not wanted:
        return ()
    below = _below(root)
    out = await run(
        root,
        *("grep", "-l", "-z", "-I", "-F", "--untracked", "--no-textconv", "--no-recurse-submodules", "--full-name"),
        *(part for word in wanted for part in ("-e", word)),
        *("--", f":(top,literal){below}", ":(top,exclude,glob)**/.moorline/**"),
        timeout=timeout,
        partial=True,
        literal=False,
    )
    return _relative(root, _entries(out))


async def show(root: Path, revision: str, path: str) -> bytes | None:
    """Give a file, by its path relative to `root`, as it is in a revision; None where it is not there.

    Bytes are those that git keeps: no filter and no line-end conversion is applied.
    """
    if not _REVISION.fullmatch(revision):
        return None
    below = _below(root)
    return await _object(root, f"{revision}:{below + '/' if below else ''}{path}")


async def blob(root: Path, oid: str) -> bytes | None:
    """Give the bytes of a blob by its full id; None where git does not have it, or it is over `MAX_OUTPUT`."""
    return await _object(root, oid) if _OID.fullmatch(oid) else None


async def listed(root: Path, revision: str, paths: Sequence[str], *, timeout: float = TIMEOUT) -> dict[str, str]:
    """Give, of some files, the ids of their blobs in a revision, by their paths relative to `root`; what is not there
    is left out."""
    if not _REVISION.fullmatch(revision) or not paths:
        return {}
    below = _below(root)
    full = [f"{below}/{path}" if below else path for path in paths]
    out = await run(root, "ls-tree", "-z", "--full-tree", revision, "--", *full, timeout=timeout, partial=True)
    found: dict[str, str] = {}
    for entry in _entries(out):
        facts, _, path = entry.partition("\t")
        kind, oid = facts.split()[1:3]
        if kind == "blob":
            found.update((relative, oid) for relative in _relative(root, [path]))
    return found


async def blob_ids(
    root: Path, places: Sequence[tuple[str, str]], *, timeout: float = TIMEOUT
) -> dict[tuple[str, str], str]:
    """Give the ids of blobs by (revision, path relative to `root`), in one call; what is not there is left out."""
    below = _below(root)
    wanted = [place for place in places if _REVISION.fullmatch(place[0]) and "\n" not in place[1]]
    if not wanted:
        return {}
    asked = "".join(f"{revision}:{below + '/' if below else ''}{path}\n" for revision, path in wanted)
    out = await run(root, "cat-file", "--batch-check", timeout=timeout, given=os.fsencode(asked), cut=True)
    found: dict[tuple[str, str], str] = {}
    # What is not there is answered by its own name, which may have any letters in it, and ` missing`.
    for place, line in zip(wanted, out.split(b"\n"), strict=False):
        facts = line.split(b" ")
        if len(facts) == 3 and facts[1] == b"blob" and _OID.fullmatch(facts[0].decode("ascii", "replace")):
            found[place] = facts[0].decode("ascii")
    return found


async def resolve(root: Path, names: Sequence[str], *, timeout: float = TIMEOUT) -> dict[str, str]:
    """Give the ids of the commits that names of revisions mean (`HEAD~2`, a tag, the beginning of an id), in one call;
    what is no revision here, or means more than one, is left out."""
    wanted = [name for name in dict.fromkeys(names) if _REVISION.fullmatch(name)]
    if not wanted:
        return {}
    asked = "".join(f"{name}^{{commit}}\n" for name in wanted).encode("ascii")
    out = await run(root, "cat-file", "--batch-check", timeout=timeout, given=asked, cut=True)
    found: dict[str, str] = {}
    for name, line in zip(wanted, out.split(b"\n"), strict=False):
        facts = line.decode("ascii", "replace").split(" ")
        if len(facts) == 3 and facts[1] == "commit" and _OID.fullmatch(facts[0]):
            found[name] = facts[0]
    return found


async def latest(root: Path, commits: Sequence[str], *, timeout: float = TIMEOUT) -> str:
    """Give the one of some commits (full ids) that all the others are ancestors of; empty where there is none, or git
    cannot tell."""
    wanted = list(dict.fromkeys(commits))
    if not wanted or not all(_OID.fullmatch(commit) for commit in wanted):
        return ""
    # One alone is asked for as well: whether it is there.
    out = await run(root, "merge-base", "--independent", *wanted, timeout=timeout)
    found = out.decode("ascii", "replace").split()
    return found[0] if len(found) == 1 and found[0] in wanted else ""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, its author's name, and the author's time (ISO 8601)."""

    revision: str
    author: str
    time: str


async def commits(
    root: Path, old: str, new: str, paths: Sequence[str], *, most: int, timeout: float = TIMEOUT
) -> tuple[Commit, ...]:
    """Give the commits after `old` up to `new` that touched one of some files, the newest first, at most `most`."""
    if not (_REVISION.fullmatch(old) and _REVISION.fullmatch(new)) or not paths:
        return ()
    below = _below(root)
    full = [f"{below}/{path}" if below else path for path in paths]
    how = ("log", "-z", f"--max-count={most}", "--no-color", "--no-show-signature", "--format=%H%x1f%an%x1f%aI")
    out = await run(root, *how, f"{old}..{new}", "--", *full, timeout=timeout)
    found = []
    for entry in _entries(out):
        parts = entry.strip("\n").split("\x1f")
        if len(parts) == 3 and _OID.fullmatch(parts[0]):
            found.append(Commit(parts[0], _plain(parts[1]), parts[2]))
    return tuple(found)


async def blobs(root: Path, oids: Sequence[str], *, timeout: float = TIMEOUT) -> dict[str, bytes]:
    """Give the bytes of blobs by their full ids, in one call; those that git does not have, or that are behind
    `MAX_OUTPUT` in all, are left out."""
    wanted = list(dict.fromkeys(oid for oid in oids if _OID.fullmatch(oid)))
    if not wanted:
        return {}
    asked = "".join(f"{oid}\n" for oid in wanted).encode("ascii")
    out = await run(root, "cat-file", "--batch", timeout=timeout, given=asked, cut=True)
    found: dict[str, bytes] = {}
    at = 0
    while (end := out.find(b"\n", at)) >= 0:
        head = out[at:end].split()
        at = end + 1
        if len(head) == 3 and head[1] == b"blob" and head[2].isdigit():
            size = int(head[2])
            if at + size > len(out):
                break
            found[head[0].decode("ascii")] = out[at : at + size]
            at += size + 1
        elif len(head) == 3 and head[2].isdigit():
            at += int(head[2]) + 1
    return found


async def renames(root: Path, old: str, new: str, *, timeout: float = TIMEOUT) -> dict[str, str]:
    """Give the files that were renamed between two revisions, old path to new, both relative to `root`."""
    if not _REVISION.fullmatch(old) or not _REVISION.fullmatch(new):
        return {}
    how = ("-r", "-M", "-z", "--no-ext-diff", "--no-textconv", "--name-status", "--diff-filter=R")
    return _renamed(root, await run(root, "diff-tree", *how, old, new, timeout=timeout))


async def rename_target(root: Path, path: str, *, steps: int = 10, timeout: float = TIMEOUT) -> str | None:
    """Give the path, relative to `root`, that git takes a vanished file to have now; None where it knows of none.

    A witness, not a proof: git goes by similarity. Looks at what is staged, then at the last commit that touched the
    path, and on from there as often as `steps` says.
    """
    below = _below(root)
    until = time.monotonic() + timeout
    how = ("--cached", "-M", "-z", "--no-ext-diff", "--no-textconv", "--name-status", "--diff-filter=R")
    staged = _renamed(root, await run(root, "diff-index", *how, "HEAD", timeout=timeout))
    seen = {path}
    for _ in range(steps):
        left = max(0.05, until - time.monotonic())
        target = staged.get(path)
        if target is None:
            full = f"{below}/{path}" if below else path
            out = await run(root, "rev-list", "-n", "1", "HEAD", "--", full, timeout=left)
            last = out.decode("ascii", "replace").strip()
            if not _OID.fullmatch(last):
                return None
            target = (await renames(root, f"{last}^", last, timeout=left)).get(path)
        if target is None or target in seen:
            return None
        if os.path.lexists(root / target):
            return target
        seen.add(target)
        path = target
    return None


async def touched(root: Path, revision: str, *, timeout: float = TIMEOUT) -> tuple[str, ...]:
    """Give the paths, relative to `root`, of the files that a commit changed or made; those that it removed are left
    out."""
    if not _REVISION.fullmatch(revision):
        return ()
    how = ("-r", "-z", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--name-only", "--diff-filter=d")
    return _relative(root, _entries(await run(root, "diff-tree", *how, revision, timeout=timeout, partial=True)))


async def touching(root: Path, path: str, *, timeout: float = TIMEOUT) -> int | None:
    """Give the number of commits that touched a path relative to `root` or what is below it, on any branch or in a
    reflog (before an amendment or a rebase); None where git does not tell."""
    below = _below(root)
    full = f"{below}/{path}" if below else path
    out = (await run(root, "rev-list", "--count", "--all", "--reflog", "--", full, timeout=timeout)).strip()
    return int(out) if out.isdigit() else None


async def tracked(root: Path, path: str, *, timeout: float = TIMEOUT) -> tuple[str, ...]:
    """Give the files that git tracks at a path or below it, all relative to `root`, whether or not they are there."""
    below = _below(root)
    full = f"{below}/{path}" if below else path
    return _relative(root, _entries(await run(root, "ls-files", "-z", "--", full, timeout=timeout)))


async def author(root: Path) -> str:
    """Give who works here as git would name an author: `Name <address>`, or one of the two; empty if unknown."""
    name, address = os.environ.get("GIT_AUTHOR_NAME", ""), os.environ.get("GIT_AUTHOR_EMAIL", "")
    if not (name and address):
        out = await run(root, "config", "-z", "--get-regexp", r"^user\.(name|email)$", repository=False)
        values = dict(entry.partition("\n")[::2] for entry in _entries(out))
        name, address = name or values.get("user.name", ""), address or values.get("user.email", "")
    name, address = _plain(name), _plain(address)
    return f"{name} <{address}>" if name and address else name or address


async def run(
    root: Path,
    *arguments: str,
    timeout: float = TIMEOUT,
    literal: bool = True,
    repository: bool = True,
    partial: bool = False,
    given: bytes = b"",
    cut: bool = False,
) -> bytes:
    """Call git in the checkout that holds `root` and give its output; empty where it fails or has no time.

    Runs at the checkout's top. `partial`: the output is a list that ends each entry with NUL, and where time or
    `MAX_OUTPUT` ends, the whole entries so far are given. `cut`: so are the bytes so far, whatever they are. `given` is
    its standard input. `repository=False` allows a call that needs none. The process is gone when this returns, also
    when it is cancelled.
    """
    program = _program()
    place = git_place(root)
    if program is None or (place is None and repository):
        return b""
    settings = list(_SETTINGS)
    if place is not None and arguments[0] != "config":
        drivers = await _drivers(program, place)
        if drivers is None:
            return b""
        settings += drivers
    switches = ["--no-pager", "--no-optional-locks", *(["--literal-pathspecs"] if literal else [])]
    output, code = await _call([program, *switches, *arguments], place, settings, timeout, given)
    if code is None and cut:
        return output
    if code is None:
        return output[: output.rfind(b"\0") + 1] if partial else b""
    return output if code in (0, 1) else b""  # `git grep` says with 1 that nothing was found.


_known_drivers: dict[Path, tuple[float, list[tuple[str, str]]]] = {}
_DRIVERS_AGE = 2.0
"""Seconds for which the list of drivers is taken as still true: one search asks several times."""


async def _drivers(program: str, place: GitPlace) -> list[tuple[str, str]] | None:
    """Settings that switch off every filter and diff driver that the repository's configuration names.

    A filter runs whenever git has to compare a file's content, which `status` may have to. There is no switch for all
    of them, so they are listed (which runs nothing) and each is set to nothing. None where that was not possible.
    """
    now = time.monotonic()
    known = _known_drivers.get(place.git_dir)
    if known is not None and now - known[0] < _DRIVERS_AGE:
        return known[1]
    pattern = r"^(filter\..*\.(clean|smudge|process|required)|diff\..*\.(command|textconv))$"
    call = [program, "--no-pager", "config", "-z", "--name-only", "--get-regexp", pattern]
    output, code = await _call(call, place, list(_SETTINGS), TIMEOUT)
    if code not in (0, 1):
        return None
    names = dict.fromkeys(_entries(output))
    found = [(name, "false" if name.endswith(".required") else "") for name in names]
    if len(_known_drivers) > 64:
        _known_drivers.clear()
    _known_drivers[place.git_dir] = (now, found)
    return found


async def _call(
    call: list[str], place: GitPlace | None, settings: list[tuple[str, str]], timeout: float, given: bytes = b""
) -> tuple[bytes, int | None]:
    """Output and exit code; the code is None where time or `MAX_OUTPUT` ended it, -1 where git could not be run."""
    try:
        process = await asyncio.create_subprocess_exec(
            *call,
            cwd=place.top if place is not None else Path.home(),
            env=_environment(place, settings),
            stdin=asyncio.subprocess.PIPE if given else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows: no console window flashes up.
        )
    except (OSError, ValueError):
        return b"", -1
    assert process.stdout is not None
    pieces: list[bytes] = []
    size = 0
    # A task of its own: a pipe holds only so much, and the answers have to be taken off at the same time.
    feeding = asyncio.ensure_future(_feed(process, given)) if given else None
    try:
        async with asyncio.timeout(timeout):
            while size <= MAX_OUTPUT and (piece := await process.stdout.read(65536)):
                pieces.append(piece)
                size += len(piece)
            code = await process.wait() if size <= MAX_OUTPUT else None
    except TimeoutError:
        code = None
    finally:
        if feeding is not None:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return b"".join(pieces), code


async def _feed(process: asyncio.subprocess.Process, given: bytes) -> None:
    stdin = process.stdin
    assert stdin is not None
    with contextlib.suppress(OSError):
        stdin.write(given)
        await stdin.drain()
        stdin.close()


def _environment(place: GitPlace | None, settings: list[tuple[str, str]]) -> dict[str, str]:
    # Inside a hook git has set variables that point at its own index and repository: ours is found afresh.
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    kept |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for index, (name, value) in enumerate(settings):
        kept[f"GIT_CONFIG_KEY_{index}"], kept[f"GIT_CONFIG_VALUE_{index}"] = name, value
    if place is not None:
        # Said outright, so that `core.worktree` of a hostile repository cannot point git at another folder.
        kept["GIT_WORK_TREE"] = os.fspath(place.top)
    return kept


@lru_cache(maxsize=1)
def _program() -> str | None:
    """The git on PATH. Not `shutil.which`, which on Windows takes one from the current folder first."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


# -- reading -----------------------------------------------------------------------------------------------------------


async def _object(root: Path, name: str) -> bytes | None:
    size = (await run(root, "cat-file", "-s", name)).strip()
    if not size.isdigit() or int(size) > MAX_OUTPUT:
        return None
    data = await run(root, "cat-file", "blob", name)
    return data if len(data) == int(size) else None


def _below(root: Path) -> str:
    """`root` relative to the top of its checkout, with `/`, empty at the top."""
    place = git_place(root)
    if place is None:
        return ""
    below = Path(os.path.realpath(root)).relative_to(place.top).as_posix()
    return "" if below == "." else below


def _relative(root: Path, paths: Sequence[str]) -> tuple[str, ...]:
    below = _below(root)
    start = below + "/" if below else ""
    return tuple(path[len(start) :] for path in paths if path.startswith(start) and not path.endswith("/"))


def _entries(output: bytes) -> list[str]:
    return [os.fsdecode(entry) for entry in output.split(b"\0") if entry]


def _renamed(root: Path, output: bytes) -> dict[str, str]:
    parts = _entries(output)
    found: dict[str, str] = {}
    for index in range(0, len(parts) - 2, 3):
        pair = _relative(root, parts[index + 1 : index + 3])
        if len(pair) == 2:
            found[pair[0]] = pair[1]
    return found


def _packed(path: Path, name: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                oid, _, ref = line.rstrip("\n").partition(" ")
                if ref == name and _OID.fullmatch(oid):
                    return oid
    except OSError:
        pass
    return ""


def _first_line(path: Path) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(4096).split("\n", 1)[0].strip()
    except OSError:
        return ""


def _plain(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:200]
