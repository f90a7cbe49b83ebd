"""What was believed at a revision, in real git histories: by hand at a tag, and against a slow twin at every commit."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from support.stage import Stage

from lsp_server.core.model import Event
from lsp_server.features import operations
from lsp_server.features.as_of import as_of
from lsp_server.features.errors import Refused
from lsp_server.features.listing import Filters
from lsp_server.features.operations import Grounds
from lsp_server.workspace import ancestry as asking
from lsp_server.workspace.ancestry import GitUnable, ancestry

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
CODE = (
    "def pay(amount):\n    total = amount * 3\n    return audit(total)\n\n\ndef owe(amount):\n    return [amount, 7]\n"
)


class Past:
    """A repository whose clock goes on by an hour with each thing that happens in it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.hours = 0
        self.named: dict[str, str] = {}

    def now(self) -> str:
        return (START + timedelta(hours=self.hours)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    @contextmanager
    def hour(self) -> Iterator[None]:
        self.hours += 1
        times = {f"GIT_{role}_DATE": self.now() for role in ("AUTHOR", "COMMITTER")}
        with mock.patch("lsp_server.workspace.session.now", self.now), mock.patch.dict("os.environ", times):
            yield

    def git(self, *words: str) -> str:
        with self.hour():
            return self.stage.git(*words).strip()

    def commit(self, name: str = "") -> str:
        self.stage.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", name or "work")
        found = self.stage.git("rev-parse", "HEAD").strip()
        if name:
            self.named[name] = found
        return found

    async def does(self, deed: Any, *words: Any, **named: Any) -> dict[str, Any]:
        await self.stage.session.refresh()
        with self.hour():
            answer: dict[str, Any] = await deed(self.stage.session, *words, **named)
            return answer

    async def record(self, place: str, text: str, **facts: Any) -> str:
        await self.stage.session.refresh()
        with self.hour():
            return str((await self.stage.record(place, text=text, **facts))["id"])

    async def listed(self, revision: str | None, **filters: Any) -> dict[str, dict[str, Any]]:
        """The memories of a list, by the first word of their texts."""
        answer = await operations.list_chosen(self.stage.session, Filters(everything=True, **filters), revision)
        return {memory["text"].split()[0]: memory for memory in answer["memories"]}


@contextmanager
def repository(folder: Path) -> Iterator[Stage]:
    folder.mkdir(exist_ok=True)
    stage = Stage(folder, {}, git=False)
    shutil.rmtree(folder / ".moorline")
    stage.write("pay.py", CODE)
    stage.git("init", "-q", "-b", "main")
    yield stage


async def test_what_was_believed_at_a_tag(tmp_path: Path) -> None:
    """Two branches, of which one was merged before the release and one after it."""
    with repository(tmp_path) as stage:
        past = Past(stage)
        past.commit("start")
        async with stage:
            past.git("branch", "late")
            triple = await past.record("pay.py#pay", "Triple it.")
            await past.record("pay.py#owe", "Seven is the fee.", kind="claim", fields={"key": "fee"})
            past.commit("first")
            past.git("checkout", "-q", "-b", "early")
            await past.does(operations.retire, triple, Grounds("not any more"))
            past.commit("retired")
            past.git("checkout", "-q", "main")
            past.git("merge", "-q", "--no-ff", "-m", "merge early", "early")
            past.commit("release")
            stage.git("tag", "-a", "-m", "v1.2", "v1.2")
            past.commit("after")
            await past.does(operations.restore, triple, Grounds("it is needed"))
            past.commit("restored")
            past.git("checkout", "-q", "late")
            await past.record("pay.py", "Late is this one.")
            past.commit("late")
            past.git("checkout", "-q", "main")
            past.git("merge", "-q", "--no-ff", "-m", "merge late", "late")
            stage.write("pay.py", CODE.replace("* 3", "* 4"))
            past.commit("changed")
            await stage.session.refresh()

            now = await past.listed(None)
            assert {word: one["state"] for word, one in now.items()} == {
                "Triple": "accepted",
                "Seven": "current",
                "Late": "accepted",
            }
            assert now["Triple"]["stale"]
            then = await past.listed("v1.2")
            # Late was recorded at a commit that the release has behind it, though it was merged afterwards.
            assert {word: one["state"] for word, one in then.items()} == {
                "Triple": "retired",
                "Seven": "current",
                "Late": "accepted",
            }
            assert then["Triple"]["retired_reason"] == "not any more" and not then["Triple"]["stale"]
            assert {anchor["verdict"] for one in then.values() for anchor in one["anchors"]} == {"fresh"}
            assert await past.listed(past.named["start"], kind="claim") == {
                "Seven": then["Seven"] | {"heat": (await past.listed("v1.2"))["Seven"]["heat"]}
            }
            assert set(await past.listed("v1.2", state="retired")) == {"Triple"}
            assert set(await past.listed("v1.2", stale=True)) == set()

            shown = await operations.show(stage.session, triple, "v1.2")
            assert shown["state"] == "retired"
            assert shown["as_of"] == {
                "asked": "v1.2",
                "revision": past.named["release"],
                "time": shown["as_of"]["time"],
                "by_time": [],
            }
            history = await operations.history(stage.session, triple, "v1.2")
            assert [one["type"] for one in history["events"]] == ["recorded", "baseline", "retired"]
            whole = await operations.history(stage.session, triple)
            assert [one["type"] for one in whole["events"]] == ["recorded", "baseline", "retired", "restored"]


async def test_what_git_no_longer_knows_goes_by_time(tmp_path: Path) -> None:
    with repository(tmp_path) as stage:
        past = Past(stage)
        past.commit("start")
        async with stage:
            past.git("checkout", "-q", "-b", "side")
            stage.write("side.py", "x = 1\n")
            past.commit("gone")
            moved = await past.record("pay.py#owe", "Moved by a rebase.")
            past.commit("side")
            past.git("checkout", "-q", "main")
            stage.write("more.py", "y = 2\n")
            past.commit("early")
            past.git("checkout", "-q", "side")
            past.git("rebase", "-q", "main")
            past.git("checkout", "-q", "main")
            past.git("merge", "-q", "--ff-only", "side")
            past.git("branch", "-D", "side")
            await stage.session.refresh()
            answer = await operations.list_chosen(stage.session, Filters(), past.named["early"])
            # Its commit is in no branch any more, though git has it; it was recorded before `early` was committed.
            assert [one["id"] for one in answer["memories"]] == [moved]
            assert answer["as_of"]["by_time"] == [moved]
            assert (await operations.list_chosen(stage.session, Filters(), past.named["start"]))["memories"] == []
            told = await operations.history(stage.session, moved, past.named["early"])
            assert [one["by_time"] for one in told["events"]] == [True, True]
            with pytest.raises(Refused, match="not recorded yet at"):
                await operations.show(stage.session, moved, past.named["start"])


async def test_what_is_so_from_a_revision_on_was_so_then(tmp_path: Path) -> None:
    """A claim is true from the revision that was named with it until the one it was closed at, whenever it was said."""
    with repository(tmp_path) as stage:
        past = Past(stage)
        for name in ("start", "from", "between", "until", "after"):
            stage.write("more.py", f"x = {name!r}\n")
            past.commit(name)
        async with stage:
            text = "Three is the factor."
            claim = await past.record("pay.py#pay", text, kind="claim", revision=past.named["from"])
            grounds = Grounds("it is four now", ("quote:four",), revision=past.named["until"])
            await past.does(operations.transition, claim, "closed", grounds)
            past.commit("said")
            for name, state in (("start", None), ("from", "current"), ("between", "current"), ("until", "closed")):
                listed = await past.listed(past.named[name])
                assert {one["state"] for one in listed.values()} == {state} - {None}, name
                for one in listed.values():
                    assert [anchor["verdict"] for anchor in one["anchors"]] == ["fresh"]
            current = await operations.list_chosen(stage.session, Filters(), past.named["until"])
            assert current["memories"] == []


async def test_text_edited_by_hand_is_that_of_then(tmp_path: Path) -> None:
    with repository(tmp_path) as stage:
        past = Past(stage)
        past.commit("start")
        async with stage:
            identifier = await past.record("pay.py#pay", "Triple it.")
            past.commit("first")
            (path,) = tmp_path.glob(".moorline/memories/*/memory.md")
            path.write_text(path.read_text().replace("Triple it.", "Triple it, says the partner."))
            past.commit("by hand")
            path.write_text(path.read_text().replace("partner", "bank"))
            await stage.session.refresh()
            for revision, text in (("first", "Triple it."), ("by hand", "Triple it, says the partner.")):
                shown = await operations.show(stage.session, identifier, past.named[revision])
                assert (shown["text"], shown["edited"]) == (text, text != "Triple it.")
            assert (await operations.show(stage.session, identifier))["text"] == "Triple it, says the bank."


async def test_what_is_no_revision_is_refused(tmp_path: Path) -> None:
    with repository(tmp_path / "git") as stage:
        Past(stage).commit("start")
        async with stage:
            await stage.record("pay.py#pay")
            for wrong in ("v9", "--all", "HEAD:pay.py", "", "0" * 40, "a b", "HEAD~7"):
                with pytest.raises(Refused, match=r"no revision .* here; name a commit, a branch") as caught:
                    await operations.list_chosen(stage.session, Filters(), wrong)
                assert "\n" not in str(caught.value)
    plain = tmp_path / "plain"
    plain.mkdir()
    async with Stage(plain, {}) as stage:
        with pytest.raises(Refused, match="no git repository"):
            await operations.list_chosen(stage.session, Filters(), "HEAD")


# -- every commit of a history with everything in it -------------------------------------------------------------------


def is_ancestor(folder: Path, old: str, new: str) -> bool:
    done = subprocess.run(["git", "merge-base", "--is-ancestor", old, new], cwd=folder, capture_output=True)
    return done.returncode == 0


def is_known(folder: Path, commit: str) -> bool:
    """Whether any branch or tag leads to a commit, one git call for each."""
    found = subprocess.run(
        ["git", "for-each-ref", "--contains", commit], cwd=folder, capture_output=True, text=True, check=False
    )
    return bool(found.stdout.strip())


def counted_slowly(folder: Path, events: list[Event], revision: str) -> set[str]:
    """One call of git for each event."""
    when = subprocess.run(["git", "show", "-s", "--format=%ct", revision], cwd=folder, capture_output=True, check=True)
    found = set()
    for event in events:
        together = [one for one in events if (one.time, one.author) == (event.time, event.author)]
        commit = next((one.data["at"] for one in together if "at" in one.data), event.revision)
        if commit and is_known(folder, commit):
            if is_ancestor(folder, commit, revision):
                found.add(event.id)
        elif datetime.fromisoformat(event.time.replace("Z", "+00:00")).timestamp() <= int(when.stdout):
            found.add(event.id)
    return found


async def live(past: Past) -> list[str]:
    """A history with branches, merges of two and three, a cherry-pick, a rebase, a squash, a revert and a tag."""
    ids: list[str] = []
    past.commit("start")

    async def work(number: int) -> None:
        place = ("pay.py#pay", "pay.py#owe", "pay.py")[number % 3]
        ids.append(await past.record(place, f"Number {number}."))
        past.commit(f"c{number}")
        finding = await past.record(place, f"Fault {number}.", kind="finding")
        await past.does(
            operations.transition,
            finding,
            "fixed_unverified",
            Grounds(evidence=("file:pay.py:1-2", f"commit:{past.named['start']}"), revision="HEAD~0"),
        )
        if number:
            await past.does(operations.pin, ids[0], number % 2 == 0)
        past.commit(f"d{number}")

    await work(0)
    for branch in ("one", "two", "three"):
        past.git("branch", branch)
    for number, branch in enumerate(("one", "two", "three", "main", "one"), 1):
        past.git("checkout", "-q", branch)
        await work(number)
    past.git("checkout", "-q", "main")
    past.git("merge", "-q", "--no-ff", "-m", "two", "two")
    past.git("tag", "v1.2")
    past.git("cherry-pick", "three~1")
    await work(6)
    past.git("merge", "-q", "--no-ff", "-m", "octopus", "one", "three")
    past.git("checkout", "-q", "-b", "squashed", "v1.2")
    await work(7)
    past.git("checkout", "-q", "main")
    past.git("merge", "-q", "--squash", "squashed")
    past.commit("squash")
    past.git("branch", "-D", "squashed")
    past.git("checkout", "-q", "-b", "rebased", "two")
    await work(8)
    past.git("rebase", "-q", "main")
    past.git("checkout", "-q", "main")
    past.git("merge", "-q", "--ff-only", "rebased")
    past.git("branch", "-D", "rebased")
    past.git("revert", "--no-edit", "HEAD")
    await work(9)
    return ids


async def test_every_commit_against_the_slow_twin(tmp_path: Path) -> None:
    with repository(tmp_path) as stage:
        past = Past(stage)
        async with stage:
            await live(past)
            await stage.session.refresh()
            memories = await stage.session.index.memories()
            events = {one.id: list(stage.session.ledger.events(one.home, one.folder)) for one in memories}
            assert len(memories) >= 18
            commits = stage.git("rev-list", "--all").split()
            by_time = 0
            for revision in [*commits[::3], "v1.2", commits[-1]]:
                then = await as_of(stage.session, revision)
                by_time += len(then.placed_by_time)
                for identifier, some in events.items():
                    slow = counted_slowly(tmp_path, some, revision)
                    assert {one.id for one in then.events[identifier]} == slow, revision
                    assert (identifier in then.snapshot.memories) == any(
                        event.id in slow for event in some if event.type == "recorded"
                    )
            assert by_time


async def test_what_is_long_is_asked_for_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where git's answer for all would be too long, each is asked for; where that is too many, it is refused."""
    with repository(tmp_path) as stage:
        past = Past(stage)
        async with stage:
            await live(past)
            commits = stage.git("rev-list", "--all").split()
            whole = await ancestry(tmp_path, "v1.2", [*commits, "f" * 40, ""])
            monkeypatch.setattr(asking, "LISTED", 1)
            assert await ancestry(tmp_path, "v1.2", [*commits, "f" * 40]) == whole
            assert whole is not None and whole.unknown == {"f" * 40}
            assert whole.behind == {one for one in commits if is_ancestor(tmp_path, one, "v1.2")}
            monkeypatch.setattr(asking, "ONE_BY_ONE", 2)
            with pytest.raises(GitUnable):
                await ancestry(tmp_path, "v1.2", commits)


async def test_what_took_over_later_had_not_yet(tmp_path: Path) -> None:
    with repository(tmp_path) as stage:
        past = Past(stage)
        past.commit("start")
        async with stage:
            old = await past.record("pay.py#pay", "Triple it.")
            past.commit("old")
            past.commit("next")
            new = (await past.does(operations.supersede, old, "Double it.", Grounds("audit")))["id"]
            past.commit("new")
            then = await past.listed(past.named["old"])
            assert {one["id"]: (one["state"], one["chain"]) for one in then.values()} == {old: ("accepted", [])}
            shown = await operations.show(stage.session, old, "HEAD")
            assert shown["state"] == "superseded"
            assert [(link["id"], link["current"]) for link in shown["chain"]] == [(old, False), (new, True)]
            with pytest.raises(Refused, match="not recorded yet"):
                await operations.history(stage.session, new, past.named["old"])
