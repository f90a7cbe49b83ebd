"""Reading what is named to be imported: what each file is called, and what is not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lsp_server.workspace import gather as gathering
from lsp_server.workspace.gather import gather, names_in


def write(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def called(root: Path, *paths: Path) -> list[str]:
    return [label for label, _ in gather(root, paths).files]


def test_a_file_is_called_by_its_path_in_the_workspace(tmp_path: Path) -> None:
    write(tmp_path / "docs/adr/0001.md")
    for path in (tmp_path, tmp_path / "docs", tmp_path / "docs/adr", tmp_path / "docs/adr/0001.md"):
        assert called(tmp_path, path) == ["docs/adr/0001.md"]


def test_outside_it_is_called_by_its_project_or_its_last_folders(tmp_path: Path) -> None:
    root, project, plain = tmp_path / "root", tmp_path / "project", tmp_path / "plain"
    root.mkdir()
    (project / ".moorline").mkdir(parents=True)
    write(project / "a/b/c.md")
    write(plain / "x.md")
    for path in (project, project / "a", project / "a/b/c.md"):
        assert called(root, path) == ["project/a/b/c.md"]
    deep = plain / "1/2/3/4"
    write(deep / "x.md")
    for path in (plain / "1", deep, deep / "x.md"):
        assert called(root, path) == ["1/2/3/4/x.md"]
    # Two folders of one name are not taken for each other.
    write(tmp_path / "one/docs/adr/1.md")
    write(tmp_path / "two/docs/adr/1.md")
    assert called(root, tmp_path / "one/docs/adr") != called(root, tmp_path / "two/docs/adr")


def test_each_file_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "a/z.md", "a/b/y.md"):
        write(tmp_path / name)
    order = ["a.md", "b.md", "a/z.md", "a/b/y.md"]
    assert called(tmp_path, tmp_path) == order
    assert called(tmp_path, tmp_path / "b.md", tmp_path) == ["b.md", *(name for name in order if name != "b.md")]


def test_what_is_not_looked_into(tmp_path: Path) -> None:
    root = tmp_path / "root"
    outside = write(tmp_path / "outside/secret.md")
    for name in (".git/x.md", "node_modules/a/x.md", ".moorline/memories/m/memory.md", "picture.png", "code.py"):
        write(root / name)
    write(root / "kept/.vscode/bookmarks.json")
    os.symlink(outside, root / "kept/link.md")
    os.symlink(outside.parent, root / "kept/folder")
    assert called(root, root) == ["kept/.vscode/bookmarks.json"]
    # Named itself, a file is read whatever its name.
    assert called(root, root / "code.py") == ["code.py"]


@pytest.mark.parametrize("name", [".moorline", ".moorline/memories", ".moorline/memories/m/memory.md"])
def test_the_own_ledger_is_refused(name: str, tmp_path: Path) -> None:
    write(tmp_path / ".moorline/memories/m/memory.md")
    ((_, message),) = gather(tmp_path, [tmp_path / name]).refused
    assert "own ledger" in message


def test_limits_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = write(tmp_path / "huge.json")
    os.truncate(huge, gathering.MOST_BYTES + 1)
    found = gather(tmp_path, [tmp_path])
    assert found.files == [] and "split it" in found.refused[0][1]
    huge.unlink()
    monkeypatch.setattr(gathering, "MOST_FILES", 2)
    monkeypatch.setattr(gathering, "MOST_TOGETHER", 5)
    for name in "abcd":
        write(tmp_path / f"{name}.md", b"1234")
    found = gather(tmp_path, [tmp_path, tmp_path / "nowhere"])
    assert [label for label, _ in found.files] == ["a.md"]
    said = [message for _, message in found.refused]
    assert "import it by itself" in said[0] and "more than 2 files" in said[1] and "is not there" in said[2]


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "pipe.md")
    assert gather(tmp_path, [tmp_path]).files == []
    ((_, message),) = gather(tmp_path, [tmp_path / "pipe.md"]).refused
    assert "is no file" in message


def test_files_by_their_bare_names(tmp_path: Path) -> None:
    for name in ("a/x.py", "b/x.py", "b/y.py", ".hidden/x.py", "node_modules/x.py"):
        write(tmp_path / name)
    found = names_in(tmp_path)
    assert {name: sorted(paths) for name, paths in found.items()} == {"x.py": ["a/x.py", "b/x.py"], "y.py": ["b/y.py"]}
