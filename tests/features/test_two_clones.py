"""Two clones that live on apart and are merged by real git, both ways round: nothing is lost, doubled, or revived.

Histories are drawn: what each clone does to a few memories, with clocks that disagree, between merges. Both record some
of the same things, edit `memory.md` by hand, and forget. After each merge both have the same bytes and read the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import re
import shutil
import subprocess
import tempfile
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.fixtures import File
from support.stage import Stage

from lsp_server.core.forgotten import since_forgotten, tombstone_id
from lsp_server.core.kinds import kind_of
from lsp_server.core.ledger_text import read_event
from lsp_server.core.model import Event, Memory
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.operations import Grounds
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.store.index import Index
from lsp_server.store.ledger import Ledger, LedgerRefused
from lsp_server.workspace.session import Session

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CODE = "def {0}(a):\n    total = a + {1}\n    return total * 2\n\n\ndef {0}_too(b):\n    return [b, b, {1}, 5]\n"
TEXTS = ("Totals are doubled.", "The list is never empty.\n\nSee the audit.", "Callers pass what they checked.")
EXAMPLES = 8 if settings.default and settings.default.derandomize else 200
"""Some for every run, many where somebody looks for new ones (`--hypothesis-profile=search`)."""
START = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass
class Clone:
    """One clone: its session, and a clock and names for events of its own."""

    number: int
    stage: Stage
    skew: timedelta
    ticks: Iterator[int] = field(default_factory=itertools.count)

    @property
    def session(self) -> Session:
        return self.stage.session

    @property
    def ledger(self) -> Path:
        return self.stage.folder / ".moorline" / "memories"

    def now(self) -> str:
        moment = START + self.skew + timedelta(seconds=next(self.ticks))
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def event_id(self) -> str:
        digest = hashlib.sha256(f"{self.number} {next(self.ticks)}".encode()).digest()
        return str(uuid.UUID(bytes=digest[:16], version=4))

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Its clock and its names, for as long as it does something."""
        with (
            mock.patch("lsp_server.workspace.session.now", self.now),
            mock.patch("lsp_server.features.writing.event_id", self.event_id),
        ):
            yield

    def git(self, *words: str) -> str:
        return self.stage.git(*words)

    def files(self) -> dict[str, bytes]:
        found = {str(path.relative_to(self.ledger)): path for path in self.ledger.rglob("*") if path.is_file()}
        return {name: path.read_bytes() for name, path in sorted(found.items())}

    def events(self) -> dict[str, list[Event]]:
        """The events in each folder, read from the files alone."""
        found: dict[str, list[Event]] = {}
        for path in sorted(self.ledger.glob("[!.]*/*.json")):
            found.setdefault(path.parent.name, []).append(read_event(path.read_bytes()))
        return found

    def tombstones(self) -> dict[str, int]:
        """How often each memory was forgotten, from the files' names alone."""
        found: dict[str, int] = {}
        for path in self.ledger.glob(".forgotten/*"):
            identifier, _, times = path.name.partition(".")
            found[identifier] = max(found.get(identifier, 0), int(times or 1))
        return found


# -- what a clone does -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deed:
    """One thing that a clone does, with numbers from which it picks."""

    clone: int
    name: str
    which: int
    choice: int


async def record(clone: Clone, memory: Memory | None, deed: Deed) -> None:
    kind = ("decision", "claim", "finding", "note")[deed.choice % 4]
    name = ("a", "b")[deed.choice // 4 % 2]
    tags = ("shared", "hot", "cold")[: deed.choice % 3]
    request = Request(
        kind,
        TEXTS[deed.which % 3],
        (Wanted(f"{name}.py", name if deed.choice % 5 else f"{name}_too"),),
        tags=tags,
        again=deed.choice % 7 == 0,
    )
    await operations.record_memory(clone.session, request)


async def clear(clone: Clone, memory: Memory, deed: Deed) -> None:
    own = clone.stage.folder / f"{'ab'[clone.number]}.py"
    own.write_text(CODE.format("ab"[clone.number], deed.choice))
    await clone.session.refresh()
    await operations.clear_staleness(clone.session, memory.id, note="still so", undo=deed.choice % 4 == 0)


def grounds(clone: Clone, deed: Deed) -> Grounds:
    where = f"file:{'ab'[clone.number]}.py:1-3"
    pieces = (f"fix-verification=quote:seen by {clone.number} {deed.choice}", "commit:HEAD", where)
    return Grounds(f"because {deed.choice}", pieces, revision="HEAD")


async def transition(clone: Clone, memory: Memory, deed: Deed) -> None:
    states = kind_of(memory.kind).transitions[memory.state]
    rivals = [rival.state for rival in memory.rivals]
    state = [*rivals, *states][deed.choice % len([*rivals, *states])]
    await operations.transition(clone.session, memory.id, state, grounds(clone, deed))


async def evidence(clone: Clone, memory: Memory, deed: Deed) -> None:
    await operations.add_evidence(clone.session, memory.id, Grounds(evidence=(f"quote:it is so {deed.choice % 4}",)))


async def supersede(clone: Clone, memory: Memory, deed: Deed) -> None:
    text = f"Now otherwise {deed.choice % 3}."
    await operations.supersede(clone.session, memory.id, text, grounds(clone, deed))


async def retire(clone: Clone, memory: Memory, deed: Deed) -> None:
    await operations.retire(clone.session, memory.id, Grounds(f"gone {deed.choice}"))


async def restore(clone: Clone, memory: Memory, deed: Deed) -> None:
    await operations.restore(clone.session, memory.id, grounds(clone, deed))


async def undo(clone: Clone, memory: Memory, deed: Deed) -> None:
    await operations.undo(clone.session, memory.id, "not so")


async def reanchor(clone: Clone, memory: Memory, deed: Deed) -> None:
    name = "ab"[deed.choice % 2]
    await operations.reanchor(
        clone.session, memory.id, Wanted(f"{name}.py", f"{name}_too" if deed.choice % 3 else name)
    )


async def pin(clone: Clone, memory: Memory, deed: Deed) -> None:
    await operations.pin(clone.session, memory.id, deed.choice % 2 == 0)


async def forget(clone: Clone, memory: Memory, deed: Deed) -> None:
    await operations.forget(clone.session, memory.id, yes=True)
    assert not list(clone.ledger.glob(f"*-{memory.id.replace('-', '')[:12]}"))


async def edit(clone: Clone, memory: Memory, deed: Deed) -> None:
    """By hand, as a person does: another sentence, or another tag."""
    path = clone.ledger / memory.folder / "memory.md"
    text = path.read_text()
    if deed.choice % 2:
        path.write_text(text.rstrip("\n") + f" And more {deed.choice}.\n")
    else:
        plain = re.sub(r"^importance: .*\n", "", text, flags=re.MULTILINE)
        path.write_text(plain.replace("---\n\n", f"importance: {deed.choice % 5 + 1}\n---\n\n", 1))
    await clone.session.refresh()


DEEDS: dict[str, Callable[[Clone, Any, Deed], Awaitable[None]]] = {
    deed.__name__: deed  # type: ignore[attr-defined]
    for deed in (
        *(record, clear, transition, evidence, supersede, retire),
        *(restore, undo, reanchor, pin, forget, edit),
    )
}


async def do(clone: Clone, deed: Deed) -> None:
    """Does it, if it can be done as things stand."""
    memories = [one for one in await clone.session.index.memories() if one.home == "shared"]
    if deed.name != "record" and not memories:
        return
    await clone.session.load_all()
    memory = memories[deed.which % len(memories)] if memories else None
    with clone.at_work():
        try:
            await DEEDS[deed.name](clone, memory, deed)
        except (Refused, LedgerRefused):
            return


@st.composite
def lives(draw: st.DrawFn) -> list[list[Deed]]:
    """What both do before each of some merges. Records come first, so that there is something to go on with."""
    names = st.sampled_from(["record", "transition", "evidence", "edit", "forget", *DEEDS])
    numbers = st.integers(0, 30)
    deeds = st.builds(Deed, st.integers(0, 1), names, numbers, numbers)
    first = [
        Deed(0, "record", which, choice) for which, choice in draw(st.lists(st.tuples(numbers, numbers), max_size=3))
    ]
    rounds = draw(st.lists(st.lists(deeds, min_size=4, max_size=12), min_size=2, max_size=3))
    return [[*first, Deed(1, "record", 0, 1), *rounds[0]], *rounds[1:]]


# -- the merge ---------------------------------------------------------------------------------------------------------


async def merge(clones: tuple[Clone, Clone]) -> None:
    """Each merges what the other has, and both are compared."""
    for clone in clones:
        clone.git("add", "-A")
        clone.git("commit", "-q", "--allow-empty", "-m", "work")
        clone.git("branch", "-f", "mine")
    before = [clone.events() for clone in clones]
    tombstones = [clone.tombstones() for clone in clones]
    served = [{one.id: one for one in await clone.session.index.memories()} for clone in clones]
    for clone, other in (clones, clones[::-1]):
        await merged(clone, other, served[clone.number])
    assert clones[0].files() == clones[1].files()
    memories = [await clone.session.index.memories() for clone in clones]
    assert sound(memories[0]) == sound(memories[1])
    await check_nothing_lost(clones[0], before, tombstones)
    await check_read_anew(clones[0], memories[0])
    clones[1].git("fetch", "-q", str(clones[0].stage.folder), "HEAD")
    clones[1].git("merge", "-q", "--no-edit", "FETCH_HEAD")
    for clone in clones:
        await clone.session.refresh()


async def merged(clone: Clone, other: Clone, served: dict[str, Memory]) -> None:
    clone.git("fetch", "-q", str(other.stage.folder), "mine")
    try:
        clone.git("merge", "-q", "--no-edit", "FETCH_HEAD")
    except subprocess.CalledProcessError:
        conflicts = clone.git("diff", "--name-only", "--diff-filter=U").split()
        texts = [path for path in conflicts if path.endswith("/memory.md")]
        await check_conflicts(clone, texts, served)
        for path in conflicts:
            if path in texts:
                settle(clone, path)
            else:
                await settle_event(clone, other, path)
        assert conflicts
        clone.git("add", "-A")
        clone.git("commit", "-q", "--no-edit")
    await clone.session.refresh()
    left = [path for path in clone.stage.folder.glob(".moorline/memories/[!.]*") if is_forgotten(clone, path)]
    for path in left:
        shutil.rmtree(path)
    if left:
        clone.git("add", "-A")
        clone.git("commit", "-q", "-m", "what was forgotten")
        await clone.session.refresh()


def is_forgotten(clone: Clone, path: Path) -> bool:
    """Whether a folder is of a memory that was forgotten and not recorded anew since."""
    named = [one for one in clone.tombstones().items() if path.name.endswith(f"-{one[0].replace('-', '')[:12]}")]
    if not named:
        return False
    alive = since_forgotten(clone.events().get(path.name, []), tombstone_id(*named[0]))
    return not any(event.type == "recorded" for event in alive)


async def check_conflicts(clone: Clone, conflicts: list[str], served: dict[str, Memory]) -> None:
    """Each is the one diagnostic on its file, and what was served before goes on being served."""
    await clone.session.refresh()
    problems = [(path, message) for path, message in clone.session.problems if "memory.md" in path]
    present = {one.folder: one for one in await clone.session.index.memories()}
    for path in conflicts:
        folder = Path(path).parent.name
        known = [one for one in served.values() if one.folder == folder]
        if is_forgotten(clone, Path(path).parent):
            assert folder not in present
            continue
        told = [message for where, message in problems if where == path]
        assert len(told) == 1 and "merge conflict" in told[0], (path, clone.session.problems)
        assert present[folder].problem and "merge conflict" in present[folder].problem
        if known:
            assert present[folder].body == known[0].body


async def settle_event(clone: Clone, other: Clone, path: str) -> None:
    """git takes what was recorded after something was forgotten for that under another name, and lays the other clone's
    new events there: a conflict of names alone. Such an event is told to be out of place and is not read."""
    assert path.endswith(".json") and {**clone.tombstones(), **other.tombstones()}, path
    whole = clone.stage.folder / path
    for side in ("mine", "FETCH_HEAD"):
        if clone.git("ls-tree", side, "--", path):
            whole.write_text(clone.git("show", f"{side}:{path}"))
            return
    if not whole.exists():
        return
    owner = str(read_event(whole.read_bytes()).data["memory"])
    assert not whole.parent.name.endswith(f"-{owner.replace('-', '')[:12]}")
    assert owner in {**clone.tombstones(), **other.tombstones()}
    if (whole.parent / "memory.md").exists() and not is_forgotten(clone, whole.parent):
        assert any(path == where and owner in message for where, message in clone.session.problems)
    whole.unlink()


def settle(clone: Clone, path: str) -> None:
    """A person decides for what the first clone wrote; of what one of them forgot nothing is left."""
    if is_forgotten(clone, Path(path).parent):
        shutil.rmtree((clone.stage.folder / path).parent, ignore_errors=True)
        return
    sides = ("mine", "FETCH_HEAD") if clone.number == 0 else ("FETCH_HEAD", "mine")
    kept = next(side for side in sides if clone.git("ls-tree", side, "--", path))
    (clone.stage.folder / path).write_text(clone.git("show", f"{kept}:{path}"))


# -- what must hold ----------------------------------------------------------------------------------------------------


async def check_nothing_lost(
    clone: Clone, before: list[dict[str, list[Event]]], tombstones: list[dict[str, int]]
) -> None:
    """Every event of both is there once, but for what was forgotten."""
    union = {**tombstones[0], **{one: max(times, tombstones[0].get(one, 0)) for one, times in tombstones[1].items()}}
    assert clone.tombstones() == union
    after = clone.events()
    served = {memory.folder: memory for memory in await clone.session.index.memories()}
    for folder in {*before[0], *before[1]}:
        wanted = {event.id: event for side in before for event in side.get(folder, ())}
        found = Counter(event.id for event in after.get(folder, ()))
        buried = [one for one in union if folder.endswith(f"-{one.replace('-', '')[:12]}")]
        if not buried:
            assert found == Counter(wanted.keys()), folder
            assert folder in served
            continue
        alive = since_forgotten(wanted.values(), tombstone_id(buried[0], union[buried[0]]))
        assert (folder in served) == any(event.type == "recorded" for event in alive)
        if folder in served:
            read = await operations.history(clone.session, served[folder].id)
            assert {event["id"] for event in read["events"]} == {event.id for event in alive}
        else:
            assert (await operations.history(clone.session, buried[0]))["forgotten"]


def sound(memories: list[Memory]) -> list[Memory | str]:
    """Memories as they are compared. Of a file that cannot be read, which git can make of two good ones, each clone
    serves the last good version that it knows."""
    return [memory.id if memory.problem else memory for memory in memories]


async def check_read_anew(clone: Clone, memories: list[Memory]) -> None:
    """Without an index the same is read from the files."""
    with tempfile.TemporaryDirectory() as folder:
        async with await Index.open(Path(folder) / "index.db") as index:
            await index.refresh(Ledger.of(clone.session.root))
            assert sound(await index.memories()) == sound(memories)


async def check_life(folder: Path, rounds: list[list[Deed]], skew: int) -> None:
    (folder / "a").mkdir()
    Ledger(folder / "a", folder / "a").init()
    first = Stage(folder / "a", {f"{name}.py": File(CODE.format(name, 41)) for name in "ab"}, git=True)
    first.git("clone", "-q", str(folder / "a"), str(folder / "b"))
    async with first, Stage(folder / "b", {}) as second:
        clones = (Clone(0, first, timedelta(0)), Clone(1, second, timedelta(seconds=skew)))
        clones[1].session.author = "agent:bob"
        for deeds in rounds:
            for deed in deeds:
                await do(clones[deed.clone], deed)
            await merge(clones)


# Not made smaller: an example takes seconds, and the deeds of one that fails are told.
@settings(
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(lives(), st.sampled_from([0, -3600, 2]))
def test_two_clones(rounds: list[list[Deed]], skew: int) -> None:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        mock.patch.dict("os.environ", {"MOORLINE_DATA": f"{folder}/data", "HOME": folder}),
    ):
        asyncio.run(check_life(Path(folder), rounds, skew))


async def test_git_takes_what_is_recorded_anew_for_a_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One forgets a text with too much in it and records it without that; the other pins the old one meanwhile."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a").mkdir()
    first = Stage(tmp_path / "a", {"a.py": File(CODE.format("a", 41))}, git=True)
    async with first:
        old = (await first.record("a.py#a", text="Totals are doubled, says Ann of accounts."))["id"]
        first.git("add", "-A")
        first.git("commit", "-q", "-m", "recorded")
        first.git("clone", "-q", str(tmp_path / "a"), str(tmp_path / "b"))
        async with Stage(tmp_path / "b", {}) as second:
            await operations.pin(second.session, old)
            second.git("add", "-A")
            second.git("commit", "-q", "-m", "pinned")
            await operations.forget(first.session, old, yes=True)
            new = (await first.record("a.py#a", text="Totals are doubled."))["id"]
            first.git("add", "-A")
            first.git("commit", "-q", "-m", "without names")
            first.git("fetch", "-q", str(tmp_path / "b"), "HEAD")
            with pytest.raises(subprocess.CalledProcessError):
                first.git("merge", "-q", "--no-edit", "FETCH_HEAD")
            (path,) = first.git("diff", "--name-only", "--diff-filter=U").split()
            assert new.replace("-", "")[:12] in path and path.endswith(".json")
            await first.session.refresh()
            (problem,) = first.session.problems
            assert problem[0] == path and f"is an event of memory {old}, not of this one" in problem[1]
            shown = await operations.show(first.session, new)
            assert (shown["pinned"], shown["problem"]) == (False, None)
            assert len((await operations.history(first.session, new))["events"]) == 2
            (tmp_path / "a" / path).unlink()
            first.git("add", "-A")
            first.git("commit", "-q", "--no-edit")
            await first.session.refresh()
            assert first.session.problems == ()
