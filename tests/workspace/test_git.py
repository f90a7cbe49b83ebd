"""Git's answers, and that a hostile repository runs nothing."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from pathlib import Path

import pytest

from lsp_server.workspace import git
from lsp_server.workspace.git import Head

ANSWERS = {
    "head": lambda root: git.head(root),
    "checked_out": lambda root: git.checked_out(root),
    "revision": lambda root: asyncio.run(git.revision(root)),
    "changed": lambda root: asyncio.run(git.changed_and_untracked(root)),
    "files": lambda root: asyncio.run(git.files(root)),
    "holding": lambda root: asyncio.run(git.holding(root, ["a"])),
    "show": lambda root: asyncio.run(git.show(root, "HEAD", "a.py")),
    "blob": lambda root: asyncio.run(git.blob(root, "0" * 40)),
    "blobs": lambda root: asyncio.run(git.blobs(root, ["0" * 40])),
    "listed": lambda root: asyncio.run(git.listed(root, "HEAD", ["a.py"])),
    "blob_ids": lambda root: asyncio.run(git.blob_ids(root, [("HEAD", "a.py")])),
    "commits": lambda root: asyncio.run(git.commits(root, "HEAD~1", "HEAD", ["a.py"], most=9)),
    "resolve": lambda root: asyncio.run(git.resolve(root, ["HEAD", "v1"])),
    "latest": lambda root: asyncio.run(git.latest(root, ["0" * 40])),
    "renames": lambda root: asyncio.run(git.renames(root, "HEAD~1", "HEAD")),
    "rename_target": lambda root: asyncio.run(git.rename_target(root, "gone.py")),
}


def check_head(checkout, root: Path | None = None) -> None:
    """What is read from git's files must equal what git says."""
    root = root or checkout.path
    branch = checkout.git("-C", str(root), "branch", "--show-current")
    commit = checkout.git("-C", str(root), "rev-parse", "HEAD")
    assert git.checked_out(root) == Head(commit, branch)
    assert git.head(root) == commit == asyncio.run(git.revision(root))


def test_head_of_branches_tags_packed_refs_and_worktrees(checkout, tmp_path: Path) -> None:
    first = checkout.commit({"a.py": "a = 1\n"})
    check_head(checkout)
    checkout.git("checkout", "-q", "-b", "feature/x.y")
    check_head(checkout)
    checkout.git("pack-refs", "--all")
    check_head(checkout)
    checkout.commit({"a.py": "a = 2\n"})
    check_head(checkout)
    checkout.git("checkout", "-q", first)
    check_head(checkout)
    checkout.git("worktree", "add", "-q", "../wt", "-b", "t")
    check_head(checkout, tmp_path / "wt")
    (checkout.path / "sub").mkdir()
    check_head(checkout, checkout.path / "sub")


def test_head_before_the_first_commit_and_without_a_repository(checkout, tmp_path: Path) -> None:
    assert git.checked_out(checkout.path) == Head("", "main")
    assert git.head(checkout.path) == asyncio.run(git.revision(checkout.path)) == ""
    assert git.checked_out(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "ref: ../../../etc/passwd\n", "ref: refs/../../x\n", "ref: refs/heads/main\n", "zz\n"]
)
def test_a_damaged_head_is_no_head(checkout, text: str) -> None:
    checkout.commit({"a.py": ""})
    (checkout.path / ".git" / "x").write_text("0" * 40)
    (checkout.path / ".git" / "refs" / "heads" / "main").write_text("ref: refs/heads/main\n")
    (checkout.path / ".git" / "HEAD").write_text(text)
    assert git.head(checkout.path) == ""


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_repository_an_empty_one_and_no_git(checkout, tmp_path: Path, monkeypatch, answer: str) -> None:
    empty = ("", None, (), {}, Head("", "main"))
    outside = tmp_path / "plain"
    outside.mkdir()
    assert ANSWERS[answer](outside) in empty
    assert ANSWERS[answer](checkout.path) in empty
    checkout.commit({"a.py": "a\n"})
    monkeypatch.setenv("PATH", str(tmp_path))
    git._program.cache_clear()
    try:
        if answer not in ("head", "checked_out", "revision"):
            assert ANSWERS[answer](checkout.path) in empty
        else:
            assert ANSWERS[answer](checkout.path) not in empty
    finally:
        git._program.cache_clear()


async def test_changed_and_untracked(checkout) -> None:
    checkout.commit({"a.py": "a\n", "sub/b.py": "b\n", "sub/c.py": "c\n", "gone.py": "g\n", ".gitignore": "*.log\n"})
    assert await git.changed_and_untracked(checkout.path) == ()
    checkout.write({"a.py": "A\n", "sub/b.py": "B\n", "sub/new ü.py": "n\n", "x.log": "", "deep/er/y.py": ""})
    checkout.git("add", "sub/b.py")
    (checkout.path / "gone.py").unlink()
    assert await git.changed_and_untracked(checkout.path) == ("a.py", "sub/b.py", "deep/er/y.py", "sub/new ü.py")
    assert await git.changed_and_untracked(checkout.path / "sub") == ("b.py", "new ü.py")
    names = await git.files(checkout.path)
    assert set(names) == {".gitignore", "a.py", "gone.py", "sub/b.py", "sub/c.py", "sub/new ü.py", "deep/er/y.py"}
    assert set(await git.files(checkout.path / "sub")) == {"b.py", "c.py", "new ü.py"}


async def test_files_that_hold_a_word(checkout) -> None:
    checkout.commit({"a.py": "needle(1)\n", "sub/b.py": "x.y*\n", "c.py": "", ".moorline/memories/m.md": "needle\n"})
    checkout.write(
        {"new.py": "the needle\n", "x.log": "needle\n", ".gitignore": "*.log\n", "sub/.moorline/e.json": "needle"}
    )
    assert set(await git.holding(checkout.path, ["needle"])) == {"a.py", "new.py"}
    assert set(await git.holding(checkout.path, ["x.y*", "needle", ""])) == {"a.py", "new.py", "sub/b.py"}
    assert await git.holding(checkout.path / "sub", ["x.y*"]) == ("b.py",)
    assert await git.holding(checkout.path, ["x.yy", "--help"]) == ()
    assert await git.holding(checkout.path, ["", "a\nb"]) == ()


async def test_objects_are_git_s_own_bytes(checkout) -> None:
    checkout.commit({"sub/a.py": "a\r\n", ".gitattributes": "*.py text eol=crlf\n"})
    assert await git.show(checkout.path, "HEAD", "sub/a.py") == b"a\n"
    assert await git.show(checkout.path / "sub", "main", "a.py") == b"a\n"
    for revision, path in (("HEAD", "none.py"), ("none", "sub/a.py"), ("--help", "sub/a.py"), ("HEAD:sub/a.py", "x")):
        assert await git.show(checkout.path, revision, path) is None
    oid = checkout.git("rev-parse", "HEAD:sub/a.py")
    assert await git.blob(checkout.path, oid) == b"a\n"
    assert await git.blob(checkout.path, "f" * 40) is None
    assert await git.blob(checkout.path, "HEAD:sub/a.py") is None
    assert git.blob_id(b"a\n") == oid


def test_blob_id_equals_git_s(checkout) -> None:
    for data in (b"", b"a", b"\0\r\n" * 1000):
        (checkout.path / "x").write_bytes(data)
        assert git.blob_id(data) == checkout.git("hash-object", "--no-filters", "x")


LONG = "".join(f"line {number}\n" for number in range(40))


async def test_renames(checkout) -> None:
    first = checkout.commit({"a.py": LONG, "sub/b.py": LONG * 2})
    checkout.git("mv", "a.py", "sub/new.py")
    assert await git.rename_target(checkout.path, "a.py") == "sub/new.py"  # staged
    second = checkout.commit()
    assert await git.rename_target(checkout.path, "a.py") == "sub/new.py"
    assert await git.renames(checkout.path, first, second) == {"a.py": "sub/new.py"}
    checkout.commit({"other.py": "1"})
    checkout.git("mv", "sub", "moved")
    checkout.commit()
    assert await git.rename_target(checkout.path, "a.py") == "moved/new.py"
    assert await git.rename_target(checkout.path, "sub/b.py") == "moved/b.py"
    assert await git.rename_target(checkout.path / "moved", "none.py") is None
    (checkout.path / "moved" / "new.py").unlink()
    checkout.commit()
    assert await git.rename_target(checkout.path, "a.py") is None


async def test_author(checkout, monkeypatch) -> None:
    assert await git.author(checkout.path) == "Ada <ada@example.org>"
    assert await git.author(checkout.path.parent) == "Ada <ada@example.org>"
    checkout.git("config", "user.name", "Grace\x1b[31m  Hopper")
    assert await git.author(checkout.path) == "Grace [31m Hopper <ada@example.org>"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Bot")
    assert await git.author(checkout.path) == "Bot <ada@example.org>"
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    monkeypatch.setenv("HOME", str(checkout.path))
    checkout.git("config", "--unset", "user.name")
    assert await git.author(checkout.path) == ""


def _trap(folder: Path) -> tuple[Path, Path]:
    """A program that leaves a mark when it runs."""
    mark, program = folder / "it-ran", folder / "trap.sh"
    program.write_text(f"#!/bin/sh\necho ran >> '{mark}'\ncat\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return mark, program


async def test_a_hostile_repository_runs_nothing(checkout, tmp_path: Path) -> None:
    mark, trap = _trap(tmp_path)
    checkout.commit({"a.py": LONG, "b.py": LONG})
    checkout.git("mv", "b.py", "c.py")
    checkout.commit({".gitattributes": "* filter=evil diff=evil\n*.odd filter=a=b.c\n", "d.odd": "x\n"})
    hooks = checkout.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-checkout", "fsmonitor-watchman", "reference-transaction", "post-index-change", "pre-commit"):
        (hooks / hook).write_text(trap.read_text())
        (hooks / hook).chmod(0o755)
    for name in (
        *("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "core.askPass", "core.gitProxy"),
        *("diff.external", "gpg.program", "pager.log", "pager.diff", "pager.grep", "credential.helper"),
        *("filter.evil.clean", "filter.evil.smudge", "filter.a=b.c.clean", "filter.EVIL.process"),
        *("diff.evil.command", "diff.evil.textconv", "alias.status", "alias.grep", "uploadpack.packObjectsHook"),
    ):
        checkout.git("config", name, str(trap) if not name.startswith("alias") else f"!{trap}")
    checkout.git("config", "core.hooksPath", str(hooks))
    checkout.git("config", "filter.evil.required", "true")
    checkout.git("config", "log.showSignature", "true")
    checkout.git("config", "remote.origin.promisor", "true")
    checkout.git("config", "remote.origin.url", f"ext::{trap}")
    mark.unlink(missing_ok=True)
    # Same size, other content and time: git has to compare content, for which it would run the filter.
    (checkout.path / "a.py").write_text(LONG.replace("1", "2"))
    os.utime(checkout.path / "c.py")
    changed = await git.changed_and_untracked(checkout.path)
    assert "a.py" in changed and "c.py" not in changed
    for answer in ANSWERS.values():
        await asyncio.to_thread(answer, checkout.path)
    await git.author(checkout.path)
    assert await git.rename_target(checkout.path, "b.py") == "c.py"
    assert await git.blob(checkout.path, "1" * 40) is None  # Not there: a partial clone would fetch it.
    assert not mark.exists()
    # The trap works: git itself springs it.
    checkout.git("config", "--unset", "core.hooksPath")
    checkout.git("diff", "--stat")
    assert mark.exists()


async def test_core_worktree_cannot_point_elsewhere(checkout, tmp_path: Path) -> None:
    checkout.commit({"a.py": "a\n"})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.py").write_text("secret\n")
    checkout.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    assert await git.files(checkout.path) == ("a.py",)
    assert await git.changed_and_untracked(checkout.path) == ()


async def test_variables_of_a_hook_are_not_taken_over(checkout, tmp_path: Path, monkeypatch) -> None:
    checkout.commit({"a.py": "a\n"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    assert await git.files(checkout.path) == ("a.py",)


async def test_a_slow_git_is_ended(checkout, tmp_path: Path, monkeypatch) -> None:
    checkout.commit({"a.py": "a\n"})
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    # Lists no drivers at once, and is slow after the first entries of anything else.
    slow.write_text(
        "#!/bin/sh\ncase \"$*\" in *--get-regexp*) exit 1;; esac\nprintf 'a.py\\0b.py\\0half'\nexec sleep 60\n"
    )
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    git._program.cache_clear()
    git._known_drivers.clear()
    try:
        started = time.monotonic()
        assert await git.files(checkout.path, timeout=0.3) == ("a.py", "b.py")
        assert await git.run(checkout.path, "rev-parse", "HEAD", timeout=0.3) == b""
        assert time.monotonic() - started < 5
        task = asyncio.create_task(git.files(checkout.path))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    finally:
        git._program.cache_clear()
        git._known_drivers.clear()


def test_many_blobs_in_one_call(checkout) -> None:
    first = checkout.commit({"sub/a b.py": "a = 1\n", "sub/ü.py": "ü = 1\n"})
    second = checkout.commit({"sub/a b.py": "a = 2\n" * 100_000})
    root = checkout.path / "sub"
    paths = ["a b.py", "ü.py", "gone missing.py"]
    listed = asyncio.run(git.listed(root, first, paths))
    assert listed == {"a b.py": git.blob_id(b"a = 1\n"), "ü.py": git.blob_id("ü = 1\n".encode())}
    found = asyncio.run(git.blob_ids(root, [(revision, path) for revision in (first, second) for path in paths]))
    assert found == {
        (first, "a b.py"): listed["a b.py"],
        (first, "ü.py"): listed["ü.py"],
        (second, "a b.py"): git.blob_id(b"a = 2\n" * 100_000),
        (second, "ü.py"): listed["ü.py"],
    }
    contents = asyncio.run(git.blobs(root, [*found.values(), "0" * 40]))
    assert contents == {git.blob_id(data): data for data in (b"a = 1\n", b"a = 2\n" * 100_000, "ü = 1\n".encode())}


def test_commits_of_files(checkout) -> None:
    first = checkout.commit({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    second = checkout.commit({"a.py": "a = 2\n"})
    checkout.commit({"b.py": "b = 2\n"})
    fourth = checkout.commit({"a.py": "a = 3\n"})
    found = asyncio.run(git.commits(checkout.path, first, "HEAD", ["a.py"], most=9))
    assert [commit.revision for commit in found] == [fourth, second]
    assert [commit.revision for commit in asyncio.run(git.commits(checkout.path, first, fourth, ["a.py"], most=1))] == [
        fourth
    ]
    assert asyncio.run(git.commits(checkout.path, "--all", "HEAD", ["a.py"], most=9)) == ()


async def test_names_of_revisions_and_which_comes_last(checkout) -> None:
    first = checkout.commit({"a.py": "a = 1\n"})
    checkout.git("tag", "-a", "-m", "one", "v1")
    second = checkout.commit({"a.py": "a = 2\n"})
    checkout.git("checkout", "-q", "-b", "side", first)
    side = checkout.commit({"b.py": ""})
    tree = checkout.git("rev-parse", "HEAD^{tree}")
    names = ["v1", "main", "main~1", first[:10], "HEAD", "nowhere", tree, "--all", "a b", "HEAD:a.py"]
    assert await git.resolve(checkout.path, names) == {
        "v1": first,
        "main": second,
        "main~1": first,
        first[:10]: first,
        "HEAD": side,
    }
    assert await git.latest(checkout.path, [first, second]) == second
    assert await git.latest(checkout.path, [second, first, first]) == second
    assert await git.latest(checkout.path, [first]) == first
    assert await git.latest(checkout.path, [second, side]) == ""
    assert await git.latest(checkout.path, [first, "f" * 40]) == await git.latest(checkout.path, ["main", first]) == ""
