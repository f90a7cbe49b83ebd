"""Disk sources: what is read, what is refused, what is kept."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from lsp_server.core.model import SourceState
from lsp_server.core.source import MAX_BYTES
from lsp_server.workspace import files as files_module
from lsp_server.workspace.files import Files, Stamp

PYTHON = "def pay(n):\n    return n * 2\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root whose files were written long ago, and something outside of it."""
    made = tmp_path / "root"
    (made / "src").mkdir(parents=True)
    (tmp_path / "secret.py").write_text("secret = 1\n")
    write(made / "src" / "a.py", PYTHON)
    return made


def write(path: Path, text: str | bytes, *, age: float = 60.0) -> None:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(path, (time.time() - age,) * 2)


def check_state(files: Files, path: str, state: SourceState, *, key: str | None = None, message: str = "") -> None:
    source = files.source(path)
    assert source.state is state
    assert source.path == (key or path)
    assert message in source.message
    assert bool(source.message) is (state is not SourceState.OK)
    assert "secret = 1" not in source.message


def test_states(root: Path) -> None:
    write(root / "zero.py", b"a\0b")
    write(root / "latin.py", b"# caf\xe9\nx = 1\n")
    (root / "link.py").symlink_to("src/a.py")
    (root / "out.py").symlink_to("../secret.py")
    os.mkfifo(root / "pipe.py")
    with open(root / "large.py", "wb") as file:
        file.truncate(MAX_BYTES + 1)
    files = Files(root)
    check_state(files, "src/a.py", SourceState.OK)
    check_state(files, "link.py", SourceState.OK, key="src/a.py")
    check_state(files, f"{root}/src/a.py", SourceState.OK, key="src/a.py")
    check_state(files, "latin.py", SourceState.OK)
    check_state(files, "none.py", SourceState.GONE, message="none.py is not there")
    check_state(files, "src/a.py/x.py", SourceState.GONE)
    check_state(files, "src", SourceState.UNREADABLE, message="plain file")
    check_state(files, "pipe.py", SourceState.UNREADABLE, message="plain file")
    check_state(files, "zero.py", SourceState.NOT_TEXT)
    check_state(files, "large.py", SourceState.TOO_LARGE)
    check_state(files, "out.py", SourceState.OUTSIDE, message="outside")
    check_state(files, "../secret.py", SourceState.OUTSIDE, message="outside")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(root: Path) -> None:
    (root / "src" / "a.py").chmod(0)
    check_state(Files(root), "src/a.py", SourceState.UNREADABLE, message="permission denied")


def test_a_link_put_in_place_after_the_check_leads_nowhere(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for swapped, path in (("src", "src/secret.py"), ("src/a.py", "src/a.py")):
        (root.parent / "src").mkdir(exist_ok=True)
        write(root.parent / "src" / "secret.py", "secret = 1\n")
        files = Files(root)
        (root / swapped).rename(root.parent / f"was-{path.replace('/', '-')}")
        monkeypatch.setattr(files_module, "safe", lambda root, path: path)
        (root / swapped).symlink_to(root.parent / "src" if swapped == "src" else root.parent / "secret.py")
        assert files.source(path).text is None
        monkeypatch.undo()
        (root / swapped).unlink()
        (root.parent / f"was-{path.replace('/', '-')}").rename(root / swapped)


def test_bytes_are_as_they_are(root: Path) -> None:
    write(root / "crlf.py", b"\xef\xbb\xbfx = 1\r\ny = 2\r\n")
    text = Files(root).source("crlf.py").text
    assert text is not None and bytes(text) == b"x = 1\r\ny = 2\r\n" and text.bom


def settled(path: Path) -> None:
    """Waits in the file's stead: what is kept of it was read long after its last change."""
    os.utime(path, (time.time() - 60,) * 2)


def test_an_unchanged_file_is_parsed_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files(root)
    first = files.source("src/a.py")
    assert files.source("src/a.py") is first  # Just written: read again and found the same.
    monkeypatch.setattr(files_module, "_TICK_NS", 0)
    assert files.source("src/a.py") is first
    monkeypatch.setattr(files_module, "_read", lambda root, key: pytest.fail("read again"))
    assert files.source("src/a.py") is first


@pytest.mark.parametrize("keep_times", [False, True])
def test_a_change_is_seen_even_if_size_and_time_stay(root: Path, keep_times: bool) -> None:
    files = Files(root)
    path = root / "src" / "a.py"
    before = path.stat()
    assert files.source("src/a.py").text is not None
    path.write_text(PYTHON.replace("2", "3"))
    if keep_times:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    text = files.source("src/a.py").text
    assert text is not None and b"n * 3" in bytes(text)
    path.unlink()
    assert files.source("src/a.py").state is SourceState.GONE
    write(path, PYTHON)
    assert files.source("src/a.py").state is SourceState.OK


def test_what_is_kept_stays_within_the_budget(root: Path) -> None:
    for number in range(20):
        write(root / f"{number}.py", f"x = {number}\n" + "# filling\n" * 100)
    alone = Files(root)
    alone.source("0.py")
    one = alone.cost
    files = Files(root, budget=5 * one)
    sources = [files.source(f"{number}.py") for number in range(20)]
    assert 0 < files.cost <= 5 * one
    assert files.source("19.py") is sources[19]
    assert files.source("0.py") is not sources[0]
    write(root / "huge.py", "#" * 10 * one)
    huge = files.source("huge.py")
    assert files.source("huge.py") is huge
    files.source("0.py")
    assert files.cost <= 5 * one
    files.forget("19.py")
    files.forget()
    assert files.cost == 0


def test_stamp(root: Path) -> None:
    files = Files(root)
    before = files.stamp("src/a.py")
    assert before is not None and files.stamp("src/a.py") == before
    write(root / "src" / "a.py", PYTHON + "\n")
    assert files.stamp("src/a.py") not in (None, before)
    assert files.stamp("none.py") is files.stamp("src") is files.stamp("../secret.py") is None


def test_what_was_hashed_is_not_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it changed in between, or may have."""
    reads: list[str] = []
    read = files_module._read

    def counted(root: Path, key: str) -> tuple[bytes | None, Stamp]:
        reads.append(key)
        return read(root, key)

    monkeypatch.setattr(files_module, "_read", counted)
    files = Files(root)
    hashed = files.hashed("src/a.py")
    assert hashed is not None and hashed[0] == hashlib.sha256(PYTHON.encode()).hexdigest()
    assert files.source("src/a.py").text == hashed[1]
    assert reads == ["src/a.py"] * 2  # Just written: it may have changed with the same stamp.
    monkeypatch.setattr(files_module, "_TICK_NS", 0)
    files.forget()
    reads.clear()
    files.hashed("src/a.py")
    assert files.source("src/a.py").text == hashed[1]
    assert reads == ["src/a.py"]
    files.hashed("src/a.py")
    write(root / "src" / "a.py", "x = 1\n", age=30)
    assert bytes(files.source("src/a.py").text or b"") == b"x = 1\n"
    assert [files.hashed(path) for path in ("none.py", "../secret.py", "src")] == [None, None, None]
