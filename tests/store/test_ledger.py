"""The ledger on disk: what is written, what a crash leaves, and what a hostile folder gets."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lsp_server.core.change import Change
from lsp_server.core.fold import fold
from lsp_server.core.ids import anchor_id, body_hash, event_id, folder_name, memory_id, shared_event_id
from lsp_server.core.ledger_text import read_event, write_memory
from lsp_server.core.model import AnchorText, Event, Locus, Memory, MemoryText
from lsp_server.store import disk, ledger, scan
from lsp_server.store.ledger import GITIGNORE, Ledger, LedgerChanged, LedgerRefused
from lsp_server.store.scan import Entry

PLACE = Locus("src/pay.py", "refund")
TIME = "2026-11-30T10:53:22.125Z"


def recorded(body: str = "Keep it.", kind: str = "decision", home: str = "shared", **more: Any) -> Change:
    """The change that records a memory, as `features.record` makes it."""
    identifier = memory_id(kind, body, PLACE)
    anchor = AnchorText(anchor_id(identifier, PLACE), PLACE)
    text = MemoryText(identifier, kind, body, (anchor,), **more)
    data = {"kind": kind, "state": "accepted", "body_hash": body_hash(body), "anchors": {anchor.id: str(PLACE)}}
    event = Event(event_id(), "recorded", TIME, "somebody", "", (), data)
    return Change(identifier, folder_name(identifier, body), home, text, (event,))


def reanchored(change: Change) -> Change:
    """The change that re-anchors what another one recorded."""
    assert change.text is not None
    anchor = replace(change.text.anchors[0], locus=Locus("src/new.py", "refund"))
    data = {"anchor": anchor.id, "from": str(PLACE), "to": str(anchor.locus)}
    event = Event(event_id(), "reanchored", TIME, "somebody", "", (change.events[0].id,), data)
    return replace(change, text=replace(change.text, anchors=(anchor,)), events=(event,), before=change.text)


@pytest.fixture
def ledger_(tmp_path: Path) -> Ledger:
    found = Ledger(tmp_path / "w", tmp_path / "w", tmp_path / "user" / "moorline")
    found.root.mkdir()
    found.init()
    return found


def only(ledger_: Ledger) -> Entry:
    (entry,) = ledger_.scan().entries.values()
    return entry


def standing(ledger_: Ledger) -> Memory:
    """The only memory, read from its files alone."""
    found = ledger_.read(only(ledger_))
    assert found.text is not None and found.problems == ()
    return fold(found.text, found.events)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# --- making one ------------------------------------------------------------------------------------------------------


def test_init_is_safe_to_repeat_and_leaves_what_people_wrote(tmp_path: Path) -> None:
    found = Ledger(tmp_path, tmp_path)
    assert not found.exists()
    made = found.init()
    assert [path.name for path in made] == [".moorline", ".gitignore", ".gitattributes"]
    assert found.exists() and found.init() == ()
    (found.folder / ".gitignore").write_text("mine\n")
    assert found.init() == () and (found.folder / ".gitignore").read_text() == "mine\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_sees_the_memories_and_nothing_else(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    found = Ledger(tmp_path, tmp_path)
    change = recorded()
    found.write(change)
    found.write(replace(recorded("private"), home="local"))
    (found.folder / "config.toml").write_text("")
    folder = found.homes["shared"] / change.memory_folder
    for junk in (found.index_path, found.activity_path, found.folder / "x", folder / ".memory-x.tmp"):
        junk.write_bytes(b"")
    listed = subprocess.run(
        ["git", "ls-files", "-o", "--exclude-standard"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    memory = f".moorline/memories/{change.memory_folder}"
    event = f"{memory}/20261130T105322Z-{change.events[0].id}.json"
    expected = [
        ".moorline/.gitattributes",
        ".moorline/.gitignore",
        ".moorline/config.toml",
        event,
        f"{memory}/memory.md",
    ]
    assert listed.stdout.split("\n")[:-1] == sorted(expected)
    told = subprocess.run(
        ["git", "check-attr", "text", "eol", "--", f"{memory}/memory.md"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert "text: set" in told.stdout and "eol: lf" in told.stdout


def test_a_worktree_keeps_what_is_local_in_the_main_checkout(tmp_path: Path) -> None:
    main, tree_ = tmp_path / "main", tmp_path / "wt"
    main.mkdir()
    tree_.mkdir()
    found = Ledger(tree_, main, checkout="wt")
    assert found.index_path == main / ".moorline" / "index-wt.db"
    found.write(recorded())
    found.write(replace(recorded("private"), home="local"))
    assert (tree_ / ".moorline" / ".gitignore").read_text() == GITIGNORE
    assert sorted(os.listdir(tree_ / ".moorline")) == [".gitattributes", ".gitignore", "memories"]
    assert (main / ".moorline" / ".gitignore").read_text() == "*\n"
    assert {entry.home for entry in found.scan().entries.values()} == {"shared", "local"}
    # When the main checkout gets a ledger of its own, its memories are not ignored.
    assert main / ".moorline" / ".gitignore" in Ledger(main, main).init()
    assert (main / ".moorline" / ".gitignore").read_text() == GITIGNORE


# --- writing ---------------------------------------------------------------------------------------------------------


def test_what_is_written_is_canonical_and_reads_back(ledger_: Ledger) -> None:
    change = recorded(tags=("b", "a"))
    ledger_.write(change)
    folder = ledger_.homes["shared"] / change.memory_folder
    assert sorted(os.listdir(folder)) == [f"20261130T105322Z-{change.events[0].id}.json", "memory.md"]
    assert change.text is not None
    assert (folder / "memory.md").read_bytes() == write_memory(change.text)
    memory = standing(ledger_)
    assert (memory.id, memory.body, memory.tags, memory.heads) == (
        change.memory_id, "Keep it.", ("a", "b"), (change.events[0].id,),
    )  # fmt: skip


def test_writing_what_is_there_changes_no_byte_and_no_stamp(ledger_: Ledger) -> None:
    change = recorded()
    ledger_.write(change)
    before, stamp = tree(ledger_.folder), ledger_.stamp()
    ledger_.write(change)
    ledger_.write(replace(change, events=()))
    assert tree(ledger_.folder) == before and ledger_.stamp() == stamp


def test_a_layout_by_hand_stays_until_something_is_changed(ledger_: Ledger) -> None:
    change = recorded()
    ledger_.write(change)
    path = ledger_.homes["shared"] / change.memory_folder / "memory.md"
    path.write_text(path.read_text().replace("kind: decision\n", "kind:   decision   # ours\n"))
    by_hand = path.read_bytes()
    ledger_.write(change)
    assert path.read_bytes() == by_hand
    ledger_.write(reanchored(change))
    assert b"src/new.py" in path.read_bytes() and b"# ours" not in path.read_bytes()


def test_an_event_is_written_once_even_by_two_writers_at_other_times(ledger_: Ledger) -> None:
    change = recorded()
    ledger_.write(change)
    data = {"anchor": "a", "base": "x", "place": "y", "code": "c"}
    one = Event(shared_event_id("followed", data), "followed", TIME, "somebody", "", (), data)
    other = replace(one, time="2026-12-01T00:00:00Z", author="another")
    for event in (one, other):
        ledger_.write(replace(change, text=None, events=(event,)))
    assert len([name for name in only(ledger_).events if name.endswith(f"{one.id}.json")]) == 1


def test_a_change_of_somebody_else_is_not_written_over(ledger_: Ledger) -> None:
    change = recorded()
    ledger_.write(change)
    path = ledger_.homes["shared"] / change.memory_folder / "memory.md"
    path.write_text(path.read_text().replace("Keep it.", "Keep it well."))
    before = tree(ledger_.folder)
    with pytest.raises(LedgerChanged, match="look again"):
        ledger_.write(reanchored(change))
    path.unlink()
    with pytest.raises(LedgerChanged, match="deleted"):
        ledger_.write(reanchored(change))
    path.write_text("<<<<<<< a\n=======\n>>>>>>> b\n")
    with pytest.raises(LedgerRefused, match="merge conflict"):
        ledger_.write(reanchored(change))
    path.write_bytes(before[str(path.relative_to(ledger_.folder))])
    assert tree(ledger_.folder) == {**before, "ledger.lock": b""}


@pytest.mark.parametrize("folder", ["../out", "a/b", "", ".", "..", ".x", "a\0b", "a\\b", "C:x", "x" * 200])
def test_no_folder_outside_its_home_is_written(ledger_: Ledger, folder: str) -> None:
    before = tree(ledger_.root.parent)
    with pytest.raises(LedgerRefused, match="name of a memory's folder"):
        ledger_.write(replace(recorded(), memory_folder=folder))
    assert tree(ledger_.root.parent) == before


def test_a_write_that_cannot_be_is_refused_in_one_line(ledger_: Ledger, tmp_path: Path) -> None:
    change = recorded()
    assert change.text is not None
    outside = tmp_path / "outside"
    outside.mkdir()
    refused: list[tuple[Change, str]] = [
        (replace(change, home="elsewhere"), "shared, local, user"),
        (replace(change, text=replace(change.text, body="<<<<<<< a\n=======\n>>>>>>> b")), "merge conflict"),
        (replace(change, events=(replace(change.events[0], id="../x"),)), "UUID"),
    ]
    for bad, part in refused:
        with pytest.raises(LedgerRefused, match=part) as caught:
            ledger_.write(bad)
        assert "\n" not in str(caught.value)
    assert ledger_.scan().entries == {}
    ledger_.homes["shared"].mkdir(exist_ok=True)
    (ledger_.homes["shared"] / change.memory_folder).symlink_to(outside)
    with pytest.raises(LedgerRefused, match="link"):
        ledger_.write(change)
    assert list(outside.iterdir()) == []


def test_another_memory_in_the_folder_is_not_written_over(ledger_: Ledger) -> None:
    change = recorded()
    ledger_.write(change)
    with pytest.raises(LedgerRefused, match="another memory"):
        ledger_.write(replace(recorded("Something else."), memory_folder=change.memory_folder))


def test_a_lock_that_is_kept_ends_the_wait(ledger_: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "locked", lambda path: disk.locked(path, seconds=0.1))
    with disk.locked(ledger_.local_folder / "ledger.lock"):
        with pytest.raises(LedgerRefused, match="another program"):
            ledger_.write(recorded())
        ledger_.write(replace(recorded(), text=None))  # Events alone need no lock.
    ledger_.write(recorded())


def _record_many(root: Path, number: int) -> None:
    found = Ledger(root, root)
    for turn in range(15):
        found.write(recorded(f"Body {turn % 5 if number % 2 else turn}."))


def test_many_programs_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_record_many, args=(tmp_path, number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    found = Ledger(tmp_path, tmp_path)
    entries = found.scan().entries
    assert len(entries) == 15
    for entry in entries.values():
        reading = found.read(entry)
        assert reading.text is not None and reading.problems == () and entry.staged == ()


# --- crashes ---------------------------------------------------------------------------------------------------------


class Crash(BaseException):
    """Stands for the power going away: nothing catches it on its way."""


STEPS = ("open", "fsync", "replace", "mkdir", "unlink")


def crash_at(step: int, monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> bool:
    """Runs work until the given call that changes the disk, and stops there for good; tells whether it got that far."""
    count = 0

    def stopping(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal count
            if count >= step:
                raise Crash
            count += 1
            return real(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for name in STEPS:
            patch.setattr(os, name, stopping(getattr(os, name)))
        try:
            work()
        except Crash:
            return True
    return False


def healed(ledger_: Ledger) -> None:
    for entry in ledger_.scan().entries.values():
        ledger_.heal(entry, now=time.time() + 60)
    for entry in ledger_.scan().entries.values():
        assert entry.staged == ()


def test_a_crash_at_any_step_of_recording_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change = recorded()
    step, ends = 0, set()
    while True:
        root = tmp_path / str(step)
        root.mkdir()
        found = Ledger(root, root)
        stopped = crash_at(step, monkeypatch, lambda found=found: found.write(change))  # type: ignore[misc]
        healed(found)
        entries = list(found.scan().entries.values())
        if entries:
            reading = found.read(entries[0])
            assert reading.text == change.text and len(reading.events) == 1, f"step {step}"
        ends.add(len(entries))
        found.write(change)
        assert standing(found).body == "Keep it." and only(found).staged == ()
        step += 1
        if not stopped:
            break
    assert ends == {0, 1} and step > 10


def test_a_crash_at_any_step_of_changing_leaves_the_old_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = recorded()
    step, ends = 0, set()
    while True:
        root = tmp_path / str(step)
        root.mkdir()
        found = Ledger(root, root)
        found.write(change)
        after = reanchored(change)
        stopped = crash_at(step, monkeypatch, lambda found=found, after=after: found.write(after))  # type: ignore[misc]
        healed(found)
        memory = standing(found)
        told = {one.type for one in found.read(only(found)).events}
        ends.add((memory.anchors[0].locus.file, "reanchored" in told))
        found.write(replace(after, events=()))
        assert standing(found).anchors[0].locus.file == "src/new.py"
        step += 1
        if not stopped:
            break
    # Never a new memory.md without the event that says so; the other way only until it heals.
    assert ends == {("src/pay.py", False), ("src/new.py", True)}


def test_what_waits_is_left_to_its_writer_while_it_is_young_and_yields_to_a_hand(ledger_: Ledger) -> None:
    change = recorded()
    ledger_.write(change)
    entry = only(ledger_)
    waiting = entry.path / f".memory-{change.events[0].id}.tmp"
    assert change.text is not None
    waiting.write_bytes(write_memory(replace(change.text, tags=("new",))))
    assert not ledger_.heal(only(ledger_))
    later = time.time_ns() + 10**9
    os.utime(entry.path / "memory.md", ns=(later, later))
    assert ledger_.heal(only(ledger_), now=time.time() + 60)
    assert not waiting.exists() and standing(ledger_).tags == ()


def test_a_lost_memory_file_is_served_from_what_was_recorded(ledger_: Ledger) -> None:
    change = recorded(tags=("a",))
    ledger_.write(change)
    (only(ledger_).path / "memory.md").unlink()
    reading = ledger_.read(only(ledger_))
    assert reading.text is None and reading.fallback == change.text
    (problem,) = reading.problems
    assert "restore it from git" in problem.message and problem.path.endswith("/memory.md")


# --- reading what is not as it should be -----------------------------------------------------------------------------


def check_problem(ledger_: Ledger, name: str, part: str) -> None:
    """Exactly one problem, on the file of that name; every other memory is read."""
    found = ledger_.scan()
    problems = list(found.problems)
    for entry in found.entries.values():
        problems += ledger_.read(entry).problems
    assert [(Path(problem.path).name, part in problem.message) for problem in problems] == [(name, True)], problems
    assert not Path(problems[0].path).is_absolute() and "\n" not in problems[0].message
    good = [ledger_.read(entry).text for entry in found.entries.values() if entry.folder.startswith("good")]
    assert len(good) == 1 and good[0] is not None


SECRET = b"---\nid: 776420d7-77c2-5286-9b04-a5da10f7dba4\nkind: note\n---\nsecret\n"


@pytest.mark.parametrize(
    ("name", "make", "part"),
    [
        ("evil-1", lambda home, out: (home / "evil-1").symlink_to(out), "link"),
        ("pipe", lambda home, out: os.mkfifo(home / "pipe"), "neither a file nor a folder"),
        ("memory.md", lambda home, out: (home / "a" / "memory.md").symlink_to(out / "memory.md"), "link"),
        ("memory.md", lambda home, out: (home / "a" / "memory.md").mkdir(), "folder where a file"),
        ("memory.md", lambda home, out: os.mkfifo(home / "a" / "memory.md"), "no regular file"),
        ("memory.md", lambda home, out: (home / "a" / "memory.md").write_bytes(b"\xff"), "UTF-8"),
        ("memory.md", lambda home, out: (home / "a" / "memory.md").write_bytes(b"x" * (2 << 20)), "shorten"),
        ("memory.md", lambda home, out: (home / "a" / "memory.md").write_bytes(b""), "front matter"),
        ("e.json", lambda home, out: (home / "a" / "e.json").symlink_to("/dev/zero"), "link"),
        ("e.json", lambda home, out: os.mkfifo(home / "a" / "e.json"), "no regular file"),
        ("e.json", lambda home, out: (home / "a" / "e.json").write_bytes(b"{"), "not JSON"),
        ("socket", lambda home, out: os.mkfifo(home / "a" / "socket"), "no regular file"),
        ("new\\x0aline", lambda home, out: (home / "new\nline").mkdir(), "rename it"),
    ],
)
def test_a_strange_entry_is_named_and_stops_no_other(
    ledger_: Ledger, tmp_path: Path, name: str, make: Callable[[Path, Path], Any], part: str
) -> None:
    ledger_.write(recorded("good"))
    home = ledger_.homes["shared"]
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "memory.md").write_bytes(SECRET)
    (home / "a").mkdir()
    if name not in ("memory.md",):
        (home / "a" / "memory.md").write_bytes(SECRET.replace(b"secret", b"fine"))
    make(home, outside)
    if name == "memory.md":
        event = Event("x", "retired", TIME, "", "", (), {})
        (home / "a" / "20261130T105322Z-x.json").write_bytes(b"")
        from lsp_server.core.ledger_text import write_event

        (home / "a" / "20261130T105322Z-x.json").write_bytes(write_event(event))
    check_problem(ledger_, name, part)
    for entry in ledger_.scan().entries.values():
        text = ledger_.read(entry).text
        assert text is None or "secret" not in text.body


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="everything may be read as root")
def test_what_may_not_be_read_is_named(ledger_: Ledger) -> None:
    ledger_.write(recorded("good"))
    ledger_.write(recorded("other"))
    (folder,) = [path for path in ledger_.homes["shared"].iterdir() if path.name.startswith("other")]
    folder.chmod(0)
    try:
        check_problem(ledger_, folder.name, "right to it")
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("which", ["memories", ".moorline"])
def test_a_home_that_is_a_link_is_not_followed(tmp_path: Path, which: str) -> None:
    real = Ledger(tmp_path / "real", tmp_path / "real")
    real.root.mkdir()
    real.write(recorded())
    root = tmp_path / "w"
    root.mkdir()
    found = Ledger(root, root)
    if which == "memories":
        found.init()
        found.homes["shared"].symlink_to(real.homes["shared"])
    else:
        found.folder.symlink_to(real.folder)
    seen = found.scan()
    assert seen.entries == {} and "link" in seen.problems[0].message
    assert not seen.gone(("shared", "x")), "nobody knows what was there"
    before = tree(real.root)
    with pytest.raises(LedgerRefused, match="link"):
        found.write(recorded("more"))
    assert tree(real.root) == before


def test_what_is_no_memory_is_passed_over(ledger_: Ledger) -> None:
    ledger_.write(recorded("good"))
    home = ledger_.homes["shared"]
    (home / "README.md").write_text("ours")
    (home / ".DS_Store").write_text("")
    (home / "empty").mkdir()
    entry = only(ledger_)
    (entry.path / "notes.txt").write_text("mine")
    (entry.path / "attachments").mkdir()
    (entry.path / "memory.md.orig").write_text("x")
    found = ledger_.scan()
    assert len(found.entries) == 1 and found.problems == ()
    assert ledger_.read(only(ledger_)).problems == ()


def test_the_stamp_tells_every_change(ledger_: Ledger) -> None:
    change = recorded()
    stamps = [ledger_.stamp()]

    def then(work: Callable[[], Any]) -> None:
        time.sleep(0.02)
        work()
        assert ledger_.stamp() != stamps[-1]
        stamps.append(ledger_.stamp())
        assert ledger_.stamp() == stamps[-1]

    then(lambda: ledger_.write(change))
    path = only(ledger_).path / "memory.md"
    then(lambda: path.write_text(path.read_text() + "more\n"))
    same_size = path.read_text().replace("more", "less")
    then(lambda: path.write_text(same_size))
    kept = path.stat()
    then(
        lambda: (
            path.write_text(same_size.replace("less", "lots")),
            os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns)),
        )
    )
    then(lambda: ledger_.write(replace(change, text=None, events=(Event(event_id(), "pinned", TIME, "", "", (), {}),))))
    then(lambda: (path.parent / only(ledger_).events[0]).unlink())
    then(lambda: path.parent.rename(path.parent.with_name("other-name")))
    then(lambda: shutil.rmtree(only(ledger_).path))


def test_an_upgrade_keeps_what_it_does_not_know(ledger_: Ledger) -> None:
    """Case 36: entries, keys and events of others survive a write, and only the changed lines differ."""
    change = recorded()
    ledger_.write(change)
    folder = only(ledger_).path
    memory = folder / "memory.md"
    memory.write_text(memory.read_text().replace("---\n\nKeep", "reviewers:\n  - Ä\n  - B\n---\n\nKeep"))
    newer = folder / "20270101T000000Z-zz.json"
    newer.write_text(
        '{"id": "zz", "type": "translated", "time": "2027-01-01T00:00:00Z", "after": [], "into": {"x": 1}}'
    )
    foreign = ledger_.homes["shared"] / "foreign-000000000000"
    foreign.mkdir()
    (foreign / "memory.md").write_text("---\nformat: 9\nid: x\n---\nnew\n")
    before = tree(ledger_.homes["shared"])
    ledger_.write(reanchored(replace(change, text=ledger_.read(only_good(ledger_)).text)))
    after = tree(ledger_.homes["shared"])
    name = str(memory.relative_to(ledger_.homes["shared"]))
    assert {path for path in after if before.get(path) != after[path]} - set(before) == set(after) - set(before)
    assert len(set(after) - set(before)) == 1 and not set(before) - set(after)
    changed = set(after[name].splitlines()) ^ set(before[name].splitlines())
    assert changed == {b"    at: src/pay.py#refund", b"    at: src/new.py#refund"}
    reading = ledger_.read(only_good(ledger_))
    assert reading.text is not None and reading.text.unknown == {"reviewers": ["Ä", "B"]}
    assert read_event(newer.read_bytes()).data == {"into": {"x": 1}}
    foreign_entry = ledger_.scan().entries["shared", foreign.name]
    assert "install a newer Moorline" in ledger_.read(foreign_entry).problems[0].message


def only_good(ledger_: Ledger) -> Entry:
    (entry,) = [one for one in ledger_.scan().entries.values() if not one.folder.startswith("foreign")]
    return entry


def test_settled_times() -> None:
    now = 1_800_000_000_123_456_789
    assert scan.settled(now - 60_000_000, now) and not scan.settled(now - 10_000_000, now)
    whole = 1_800_000_000_000_000_000
    assert not scan.settled(whole, whole + 1_500_000_000) and scan.settled(whole, whole + 2_500_000_000)
    assert not scan.settled(now + 10**9, now)


# --- two clones ------------------------------------------------------------------------------------------------------


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_two_clones_that_record_the_same_and_go_on_merge_without_conflict(tmp_path: Path) -> None:
    clones = [tmp_path / "a", tmp_path / "b"]
    clones[0].mkdir()
    git(clones[0], "init", "-q", ".")
    Ledger(clones[0], clones[0]).init()
    git(clones[0], "add", "-A")
    git(clones[0], "commit", "-qm", "start")
    git(tmp_path, "clone", "-q", "a", "b")
    said: list[Event] = []
    for number, clone in enumerate(clones):
        change = recorded()
        Ledger(clone, clone).write(change)
        type_, data = ("retired", {"reason": "old"}) if number else ("superseded", {"by": "x"})
        more = Event(event_id(), type_, TIME, f"clone {number}", "", (change.events[0].id,), data)
        Ledger(clone, clone).write(replace(change, text=None, events=(more,)))
        said += [*change.events, more]
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", "recorded")
        git(clone, "branch", "mine")
    git(clones[0], "pull", "-q", "--no-rebase", "--no-edit", "../b", "mine")
    git(clones[1], "pull", "-q", "--no-rebase", "--no-edit", "../a", "mine")
    ledgers = [Ledger(clone, clone) for clone in clones]
    assert tree(ledgers[0].homes["shared"]) == tree(ledgers[1].homes["shared"])
    memories = [standing(one) for one in ledgers]
    assert memories[0] == memories[1]
    assert memories[0].disputed and memories[0].state == "accepted"
    assert {event.id for event in ledgers[0].read(only(ledgers[0])).events} == {event.id for event in said}
    settled_by = Event(
        event_id(), "transitioned", TIME, "judge", "", memories[0].heads, {"from": "accepted", "to": "accepted"}
    )
    ledgers[1].write(replace(recorded(), text=None, events=(settled_by,)))
    assert not standing(ledgers[1]).disputed
