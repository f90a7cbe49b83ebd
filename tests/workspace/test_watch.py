"""What changes outside is noticed, and nothing else is."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path

import pytest

from lsp_server.workspace import watch
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.watch import Outside, Watcher

FILES = ("a.py", "sub/b.py", "sub/deep/c.py", "gone.py")


def ledger_stamp(root: Path) -> Callable[[], Hashable]:
    """A stamp of every file below `.moorline`, as a ledger would take it."""

    def stamp() -> Hashable:
        found = []
        for folder, _, names in os.walk(root / ".moorline"):
            for name in names:
                state = os.stat(os.path.join(folder, name))
                found.append((folder, name, state.st_mtime_ns, state.st_size, state.st_ino))
        return tuple(sorted(found))

    return stamp


@pytest.fixture
def watched(checkout) -> Path:
    """A repository on branch A with anchored files and a memory; branch B lacks `sub`, branch C changed `a.py`."""
    memory = ".moorline/memories/x/memory.md"
    checkout.commit({"a.py": "a = 1\n", "sub/b.py": "b = 1\n", "sub/deep/c.py": "c = 1\n", memory: "one\n", "z.py": ""})
    checkout.git("branch", "-m", "A")
    checkout.git("checkout", "-q", "-b", "B")
    checkout.git("rm", "-q", "-r", "sub")
    checkout.commit()
    checkout.git("checkout", "-q", "-b", "C", "A")
    checkout.commit({"a.py": "a = 2\n"})
    checkout.git("checkout", "-q", "A")
    return checkout.path


async def check_noticed(root: Path, act: Callable[[], object], expected: Outside) -> None:
    watcher = Watcher(find_root(root), ledger_stamp(root), lambda: FILES)
    await watcher.prime()
    assert not await watcher.poll_now()
    await asyncio.to_thread(act)
    assert await watcher.poll_now() == expected
    assert not await watcher.poll_now()


def run(root: Path, *arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def files(*names: str) -> frozenset[str]:
    return frozenset(names)


SUB = ("sub/b.py", "sub/deep/c.py")

ACTS: dict[str, tuple[Callable[[Path], Callable[[], object]], Outside]] = {
    "edit": (lambda root: lambda: (root / "a.py").write_text("a = 3\n"), Outside(files=files("a.py"))),
    "touch": (lambda root: lambda: os.utime(root / "a.py"), Outside(files=files("a.py"))),
    "unwatched": (lambda root: lambda: (root / "z.py").write_text("z\n"), Outside()),
    "delete": (lambda root: lambda: (root / "a.py").unlink(), Outside(files=files("a.py"))),
    "appear": (lambda root: lambda: (root / "gone.py").write_text(""), Outside(files=files("gone.py"))),
    "rename file": (lambda root: lambda: (root / "a.py").rename(root / "b.py"), Outside(files=files("a.py"))),
    "rename folder": (lambda root: lambda: (root / "sub").rename(root / "new"), Outside(files=files(*SUB))),
    "delete folder": (lambda root: lambda: shutil.rmtree(root / "sub"), Outside(files=files(*SUB))),
    "checkout B": (lambda root: run(root, "checkout", "-q", "B"), Outside(head=True, files=files(*SUB))),
    "checkout C": (lambda root: run(root, "checkout", "-q", "C"), Outside(head=True, files=files("a.py"))),
    "new branch": (lambda root: run(root, "checkout", "-q", "-b", "D"), Outside(head=True)),
    "merge": (lambda root: run(root, "merge", "-q", "C"), Outside(head=True, files=files("a.py"))),
    "commit": (lambda root: run(root, "commit", "-q", "--allow-empty", "-m", "x"), Outside(head=True)),
    "hand edit": (
        lambda root: lambda: (root / ".moorline/memories/x/memory.md").write_text("two\n"),
        Outside(ledger=True),
    ),
    "another process": (
        lambda root: (
            lambda: subprocess.run(
                [sys.executable, "-c", "open('.moorline/memories/x/1.json', 'w').write('{}')"], cwd=root, check=True
            )
        ),
        Outside(ledger=True),
    ),
    "no ledger": (lambda root: lambda: shutil.rmtree(root / ".moorline"), Outside(ledger=True)),
    "replaced by a link": (
        lambda root: lambda: ((root / "a.py").unlink(), (root / "a.py").symlink_to("z.py")),
        Outside(files=files("a.py")),
    ),
}


@pytest.mark.parametrize("name", ACTS)
async def test_noticed(watched: Path, name: str) -> None:
    act, expected = ACTS[name]
    await check_noticed(watched, act(watched), expected)


async def test_a_change_that_keeps_size_and_time(watched: Path) -> None:
    def act() -> None:
        before = os.stat(watched / "a.py")
        (watched / "a.py").write_text("a = 9\n")
        os.utime(watched / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    await check_noticed(watched, act, Outside(files=files("a.py")))


async def test_iteration_gives_a_change_within_two_seconds_and_ends(watched: Path) -> None:
    watcher = Watcher(find_root(watched), ledger_stamp(watched), lambda: FILES)
    await watcher.prime()
    seen: list[tuple[Outside, float]] = []

    async def collect() -> None:
        async for outside in watcher:
            seen.append((outside, time.monotonic()))

    task = asyncio.create_task(collect())
    await asyncio.sleep(0.1)
    changed = time.monotonic()
    (watched / "a.py").write_text("a = 4\n")
    while not seen and time.monotonic() - changed < 5:
        await asyncio.sleep(0.02)
    assert [outside for outside, _ in seen] == [Outside(files=files("a.py"))]
    assert seen[0][1] - changed < 2
    (watched / "a.py").write_text("a = 5\n")
    nudged = time.monotonic()
    watcher.nudge()
    while len(seen) < 2 and time.monotonic() - nudged < 5:
        await asyncio.sleep(0.02)
    assert seen[1][1] - nudged < 0.5
    await watcher.stop()
    await asyncio.wait_for(task, 1)


async def test_without_priming_the_first_look_reports_what_may_have_changed(watched: Path) -> None:
    watcher = Watcher(find_root(watched), ledger_stamp(watched), lambda: FILES)
    assert await watcher.poll_now() == Outside(ledger=True, head=True)
    assert not await watcher.poll_now()


async def test_files_that_come_to_be_watched(watched: Path) -> None:
    """One that may have changed since the last look is reported, one that has been as it is for long is not."""
    names: list[str] = []
    watcher = Watcher(find_root(watched), ledger_stamp(watched), lambda: names)
    await watcher.prime()
    watcher._last = watch._Look(watcher._last.ledger, watcher._last.head, {}, time.time_ns() + 60_000_000_000)
    (watched / "a.py").write_text("a = 6\n")
    os.utime(watched / "a.py", (time.time() + 120,) * 2)
    names += ["a.py", "sub/b.py", "gone.py"]
    assert await watcher.poll_now() == Outside(files=files("a.py", "gone.py"))
    names.remove("a.py")
    assert not await watcher.poll_now()


async def test_a_slow_ledger_blocks_no_loop_and_one_that_fails_ends_nothing(watched: Path) -> None:
    fail = threading.Event()

    def slow() -> Hashable:
        if fail.is_set():
            raise ValueError("damaged")
        time.sleep(0.3)
        return 1

    watcher = Watcher(find_root(watched), slow, lambda: FILES)
    task = asyncio.create_task(watcher.prime())
    longest, last = 0.0, time.monotonic()
    while not task.done():
        await asyncio.sleep(0.01)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert longest < 0.2
    assert watcher.pause > 3  # A look of 0.3 s makes the pauses long.
    fail.set()
    (watched / "a.py").write_text("a = 7\n")
    assert await watcher.poll_now() == Outside(files=files("a.py"))
    assert watcher.pause == watch.PAUSE
