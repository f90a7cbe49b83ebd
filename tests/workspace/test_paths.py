"""Roots, owners and the gate between a path and the disk."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.workspace import paths
from lsp_server.workspace.paths import PathRefused, find_root, git_place, owner, real, safe

SECRET = "xyzzy-secret"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """`w/proj` as a root with files and links, `w/proj-evil` and `w/outside` beside it."""
    proj = tmp_path / "w" / "proj"
    for folder in (proj / "src", tmp_path / "w" / "proj-evil", tmp_path / "w" / "outside"):
        folder.mkdir(parents=True)
        (folder / "a.py").write_text("a = 1\n")
    (proj / "src" / "link.py").symlink_to("a.py")
    (proj / "inner").symlink_to("src")
    (proj / "deep").symlink_to(proj / "src", target_is_directory=True)
    (proj / "self").symlink_to(".")
    (proj / "link").symlink_to("../outside")
    (proj / SECRET).symlink_to("../outside/a.py")
    (proj / "dangling").symlink_to("../outside/new.py")
    (proj / "round").symlink_to("about")
    (proj / "about").symlink_to("round")
    (tmp_path / "w" / "alias").symlink_to("proj")
    return proj


def check_key(root: Path, path: str, expected: str) -> None:
    assert safe(root, path) == expected
    # A key is its own key, and the file it means is the file the path meant.
    assert safe(root, expected) == expected
    assert os.path.realpath(root / path) == os.fspath(real(root, expected))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("src/a.py/", "src/a.py"),
        ("src", "src"),
        ("not/there/yet.py", "not/there/yet.py"),
        ("src/link.py", "src/a.py"),
        ("inner/a.py", "src/a.py"),
        ("deep/a.py", "src/a.py"),
        ("deep/new/none.py", "src/new/none.py"),
        ("self/self/self/src/a.py", "src/a.py"),
        ("ü/漢 字.py", "ü/漢 字.py"),
        ("..a/b..py", "..a/b..py"),
        ("My Proj #1 (ü)/a.py", "My Proj #1 (ü)/a.py"),
    ],
)
def test_a_file_has_one_key(tree: Path, path: str, expected: str) -> None:
    check_key(tree, path, expected)
    assert safe(tree.parent / "alias", path) == expected


def test_absolute_paths_below_the_root_are_taken_in_every_spelling(tree: Path) -> None:
    alias = tree.parent / "alias"
    for root in (tree, alias):
        for start in (tree, alias):
            assert safe(root, f"{start}/src/a.py") == "src/a.py"
            assert safe(root, f"{start}/inner/../src/link.py") == "src/a.py"
            assert safe(root, f"{start}/src/../src/./a.py") == "src/a.py"


def check_refused(root: Path, path: str) -> None:
    with pytest.raises(PathRefused) as caught:
        safe(root, path)
    message = str(caught.value)
    assert len(message) < 100 and "\n" not in message
    for part in (SECRET, "proj-evil", "outside/", "xxxx", str(root)):
        assert part not in message


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "/",
        "..",
        "../x.py",
        "src/../../x.py",
        "src/../a.py",
        "/etc/passwd",
        "link/a.py",
        "link/new/none.py",
        "link",
        SECRET,
        "dangling",
        "self/self/link/a.py",
        "round",
        "round/a.py",
        "a\0.py",
        "a\n.py",
        "x" * 5000,
        "x" * 256,
        "x/" * 2500 + "a.py",
        "C:/x.py",
        "c:x.py",
        "\\\\host\\share\\x.py",
        "//host/share/x.py",
        "..\\x.py",
        "src\\a.py",
        "a.py:stream",
        "a.py::$DATA",
        "con",
        "src/NUL.txt",
        "COM1",
        "lpt\N{SUPERSCRIPT TWO}.log",
        "aux .py",
        "src/a.py.",
        "src/a.py ",
        ".git/config",
        "sub/.GIT/hooks/post-checkout",
        "GIT~1/config",
        "bad\udcff.py",
    ],
)
def test_what_leads_outside_or_is_no_plain_name_is_refused(tree: Path, path: str) -> None:
    check_refused(tree, path)


def test_absolute_paths_outside_are_refused(tree: Path) -> None:
    for path in (
        tree.parent / "proj-evil" / "a.py",
        tree.parent / "outside" / "new.py",
        tree,
        tree.parent,
        f"{tree}/../proj-evil/a.py",
        f"{tree}/link/a.py",
        f"{tree}/link/../a.py",  # The system goes to the link's target first, and that folder's parent is outside.
        f"/{tree}/src/a.py".replace("//", "//host/", 1),
    ):
        check_refused(tree, str(path))


def test_a_link_that_is_put_in_place_later_is_noticed(tree: Path) -> None:
    assert safe(tree, "new/a.py") == "new/a.py"
    (tree / "new").symlink_to("../outside")
    check_refused(tree, "new/a.py")


def test_root_that_is_the_whole_disk() -> None:
    assert safe(Path("/"), "/etc/hostname") == "etc/hostname"
    assert safe(Path("/"), "etc/hostname") == "etc/hostname"


NAMES = st.sampled_from(["a", "b", "dir", "in", "out", "loop", "up", "a.py", ".", "..", ""])


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(NAMES, min_size=1, max_size=6), absolute=st.booleans())
def test_walking_names_equals_resolving_the_whole_path(parts: list[str], absolute: bool) -> None:
    """The fast way (one `lstat` a name) against the slow one (the system resolves all of it)."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        (root / "dir" / "b").mkdir(parents=True)
        (root / "dir" / "a.py").touch()
        Path(folder, "outside").mkdir()
        for place, target in {
            "in": "dir",
            "dir/up": "..",
            "out": "../outside",
            "dir/loop": "loop",
            "loop": "dir/b",
        }.items():
            (root / place).symlink_to(target)
        path = "/".join(parts)
        if absolute:
            path = f"{root}/{path}"
        elif path.startswith("/"):
            return
        target = os.path.realpath(root / path)
        below = os.path.relpath(target, os.path.realpath(root))
        try:
            os.stat(root / path)
            loops = False
        except OSError as error:
            loops = error.errno == errno.ELOOP
        allowed = not loops and below != "." and below.split("/")[0] != ".." and (absolute or ".." not in parts)
        try:
            answer = safe(root, path)
        except PathRefused:
            assert not allowed
        else:
            assert allowed and answer == below


# -- roots -----------------------------------------------------------------------------------------------------------


def check_root(start: Path, path: Path, kind: str, local_home: Path | None = None, checkout: str = "") -> None:
    found = find_root(start)
    assert found.path == Path(os.path.realpath(path))
    assert found.kind == kind
    assert found.local_home == Path(os.path.realpath(local_home or path))
    assert found.checkout == checkout


def test_the_nearest_moorline_folder_wins_then_git_then_the_folder_itself(tmp_path: Path) -> None:
    check_root(tmp_path / "none" / "x.py", tmp_path, "folder")
    (tmp_path / "g" / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "g" / ".git").mkdir()
    (tmp_path / "g" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    check_root(tmp_path / "g" / "sub", tmp_path / "g", "git")
    (tmp_path / ".moorline").mkdir()
    check_root(tmp_path / "g" / "sub" / "x.py", tmp_path, "moorline")
    (tmp_path / "g" / "sub" / ".moorline").mkdir()
    check_root(tmp_path / "g" / "sub" / "deep" / "not-there.py", tmp_path / "g" / "sub", "moorline")
    check_root(tmp_path / "g", tmp_path, "moorline")


def test_a_moorline_that_is_a_link_or_a_file_makes_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a" / ".moorline").symlink_to("../elsewhere")
    (tmp_path / "a" / "b" / ".moorline").touch()
    check_root(tmp_path / "a" / "b", tmp_path / "a" / "b", "folder")


def test_a_root_and_a_link_to_it_are_one_workspace(tmp_path: Path) -> None:
    (tmp_path / "real" / "p" / ".moorline").mkdir(parents=True)
    (tmp_path / "real" / "p" / "src").mkdir()
    (tmp_path / "link").symlink_to("real/p")
    straight, through = find_root(tmp_path / "real" / "p" / "src"), find_root(tmp_path / "link" / "src")
    assert straight == through
    assert through.spelled == tmp_path / "link"
    assert straight.spelled == tmp_path / "real" / "p"


def test_the_innermost_root_owns_a_file(tmp_path: Path) -> None:
    for folder in ("a/pkg", "b", "ab"):
        (tmp_path / folder / ".moorline").mkdir(parents=True)
    (tmp_path / "a" / ".moorline").mkdir()
    roots = [find_root(tmp_path / folder) for folder in ("a", "a/pkg", "b")]
    for path, expected in {"a/x.py": 0, "a/pkg/x.py": 1, "a/pkgs/x.py": 0, "b/new/x.py": 2, "ab/x.py": None}.items():
        assert owner(roots, tmp_path / path) == (None if expected is None else roots[expected])


def test_worktree_is_its_own_root_and_keeps_local_memories_in_the_main_checkout(checkout, tmp_path: Path) -> None:
    checkout.commit({"a.py": "a = 1\n", "sub/.moorline/x": "", "sub/b.py": "b = 1\n"})
    checkout.git("worktree", "add", "-q", "../wt", "-b", "t")
    checkout.git("worktree", "add", "-q", "inside", "-b", "u")
    check_root(tmp_path / "wt", tmp_path / "wt", "git", checkout.path, "wt")
    check_root(tmp_path / "wt" / "sub", tmp_path / "wt" / "sub", "moorline", checkout.path / "sub", "wt")
    check_root(checkout.path, checkout.path, "git")
    # A worktree inside the main checkout is not a part of the main checkout's workspace.
    (checkout.path / ".moorline").mkdir()
    check_root(checkout.path / "inside" / "x.py", checkout.path / "inside", "git", checkout.path, "inside")


def test_worktree_of_a_bare_repository(checkout, tmp_path: Path) -> None:
    checkout.commit({"a.py": ""})
    checkout.git("clone", "-q", "--bare", ".", "../bare.git")
    checkout.git("-C", "../bare.git", "worktree", "add", "-q", "../wt", "main")
    check_root(tmp_path / "wt", tmp_path / "wt", "git", tmp_path / "bare.git" / "moorline", "wt")


def test_git_directory_beside_a_git_file(checkout, tmp_path: Path) -> None:
    checkout.commit({"a.py": ""})
    checkout.git("init", "-q", "--separate-git-dir", str(tmp_path / "store"))
    checkout.git("worktree", "add", "-q", "../wt", "-b", "t")
    check_root(checkout.path, checkout.path, "git")
    # Git does not say where the main checkout is: what outlives the worktree is the git directory.
    check_root(tmp_path / "wt", tmp_path / "wt", "git", tmp_path / "store" / "moorline", "wt")


def test_submodule_and_its_worktree(checkout, tmp_path: Path) -> None:
    checkout.commit({"a.py": ""})
    checkout.git("init", "-q", "../super")
    checkout.git("-C", "../super", "submodule", "--quiet", "add", str(checkout.path), "sub")
    sub = tmp_path / "super" / "sub"
    check_root(sub, sub, "git")
    checkout.git("-C", str(sub), "worktree", "add", "-q", str(tmp_path / "wt"), "-b", "t")
    check_root(tmp_path / "wt", tmp_path / "wt", "git", sub, "wt")


def test_a_forged_git_file_points_nowhere(checkout, tmp_path: Path) -> None:
    """A `.git` file out of an archive must not move local memories into another repository."""
    checkout.commit({"a.py": ""})
    checkout.git("worktree", "add", "-q", "../wt", "-b", "t")
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / ".git").write_text((tmp_path / "wt" / ".git").read_text())
    check_root(forged, forged, "git")


def test_what_is_no_repository_is_none(tmp_path: Path) -> None:
    assert git_place(tmp_path) is None
    (tmp_path / ".git").mkdir()
    assert git_place(tmp_path) is None
    (tmp_path / ".git").rmdir()
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert git_place(tmp_path) is None


def test_real_roots_are_looked_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").symlink_to(f"{name}.py")
    (tmp_path / "root").symlink_to("one")
    monkeypatch.setattr(paths, "_ROOT_AGE", 0.0)
    assert safe(tmp_path / "root", "a.py") == "one.py"
    (tmp_path / "root").unlink()
    (tmp_path / "root").symlink_to("two")
    assert safe(tmp_path / "root", "a.py") == "two.py"
