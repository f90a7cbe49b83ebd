"""What goes with a step of a life: revisions, code that is accepted, successors, disputes; and taking it all back."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.fixtures import File
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.evidence import read_evidence
from lsp_server.features.listing import Filters
from lsp_server.features.operations import Grounds
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.workspace.config import Settings

FAULTY = """\
def check(token):
    if not token:
        return True
    return token.valid(30)


def other(token):
    return check(token) or token.name
"""
FIXED = FAULTY.replace("True", "False")
BETTER = FAULTY.replace("return True", "raise ValueError(token)")


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOORLINE_DATA", str(tmp_path / "data"))


def staged(tmp_path: Path, *, git: bool = True) -> Stage:
    folder = tmp_path / "w"
    folder.mkdir()
    return Stage(folder, {"a.py": File(FAULTY)}, git=git)


class Told:
    """A workspace with one file under git, and a memory in it."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.session = stage, stage.session
        self.id = ""

    async def record(self, kind: str = "finding", text: str = "Empty tokens pass.", **facts: Any) -> Any:
        facts["evidence"] = read_evidence(facts.get("evidence", ()))
        made = await self.stage.record("a.py#check", kind=kind, text=text, **facts)
        self.id = made["id"]
        return made

    async def code(self, text: str, commit: bool = True) -> str:
        """Another text of the file; answers the commit."""
        self.stage.write("a.py", text)
        if commit:
            self.stage.git("commit", "-q", "-a", "--allow-empty", "-m", "more")
        await self.session.refresh()
        return self.session.head

    async def go(self, state: str, *evidence: str, memory: str = "", **more: Any) -> Any:
        return await operations.transition(self.session, memory or self.id, state, Grounds(evidence=evidence, **more))

    async def refused(self, state: str, *evidence: str, says: str, **more: Any) -> None:
        before = self.ledger()
        with pytest.raises(Refused) as caught:
            await self.go(state, *evidence, **more)
        assert says in str(caught.value)
        assert self.ledger() == before

    async def show(self, memory: str = "") -> Any:
        return await operations.show(self.session, memory or self.id)

    async def undo(self, memory: str = "") -> Any:
        return await operations.undo(self.session, memory or self.id)

    async def verdict(self) -> tuple[str, str | None]:
        (anchor,) = (await self.show())["anchors"]
        return anchor["verdict"], anchor["reason"]

    def ledger(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.stage.folder)): path.read_bytes()
            for path in self.stage.folder.glob(".moorline/memories/*/*")
        }

    def memory_files(self) -> dict[str, bytes]:
        return {name: data for name, data in self.ledger().items() if name.endswith("memory.md")}


# -- a finding's code --------------------------------------------------------------------------------------------------


async def test_the_faulty_code_that_comes_back_has_regressed(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        fix = await told.code(FIXED)
        assert await told.verdict() == ("changed", "body")
        fixed = await told.go("fixed_unverified", revision="HEAD")
        assert [(piece["type"], piece["value"], piece["revision"]) for piece in fixed["evidence"]] == [
            ("commit", fix, fix),
            ("file", "a.py:1-4", fix),
        ]
        assert await told.verdict() == ("fresh", None)
        await told.go("verified", "fix-verification=test:t")
        await told.code(FAULTY.replace("    if not token:", "    # as it was\n    if not  token:"))
        assert await told.verdict() == ("changed", "regressed")
        await told.code(BETTER)
        assert await told.verdict() == ("changed", "body")
        await told.code(FIXED)
        assert await told.verdict() == ("fresh", None)


async def test_a_fix_that_is_elsewhere_accepts_no_code_here(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        stage.git("checkout", "-q", "-b", "side")
        fix = await told.code(FIXED)
        stage.git("checkout", "-q", "main")
        await told.session.refresh()
        await told.go("fixed_unverified", revision="side")
        assert await told.verdict() == ("changed", "regressed")
        stage.git("merge", "-q", "--ff-only", "side")
        await told.session.refresh()
        await operations.clear_staleness(told.session, told.id)
        assert await told.verdict() == ("fresh", None)
        assert (await told.show())["entered"]["revision"] == fix


async def test_code_that_was_taken_for_fixed_and_is_opened_again_is_faulty(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        await told.code(FIXED)
        await told.go("fixed_unverified", revision="HEAD")
        await told.go("open", reason="it raises now")
        assert await told.verdict() == ("fresh", None)
        await told.code(BETTER)
        assert await told.verdict() == ("changed", "body")
        await told.go("fixed_unverified", revision="HEAD")
        assert await told.verdict() == ("fresh", None)
        for text in (FAULTY, FIXED):
            await told.code(text)
            assert await told.verdict() == ("changed", "regressed")


async def test_a_fix_is_the_last_of_several_commits(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        first, second = await told.code(FIXED), await told.code(BETTER)
        stage.git("checkout", "-q", "-b", "side", first)
        apart = await told.code(FIXED + "\n")
        stage.git("checkout", "-q", "main")
        await told.session.refresh()
        both = (f"commit:{second}", f"commit:{apart}")
        await told.refused("fixed_unverified", *both, says="none comes after all others")
        answer = await told.go("fixed_unverified", f"commit:{second}", f"commit:{first[:9]}", "file:b.py:3")
        assert answer["entered"]["revision"] == second
        assert [piece["value"] for piece in answer["evidence"]] == [second, first, "b.py:3"]


@pytest.mark.parametrize("restored", [False, True])
async def test_a_fix_is_verified_at_its_revision_or_after_it(tmp_path: Path, restored: bool) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        before = told.session.head
        fix = await told.code(FIXED)
        stage.git("checkout", "-q", "-b", "side", before)
        apart = await told.code(BETTER)
        stage.git("checkout", "-q", "main")
        await told.session.refresh()
        await told.go("fixed_unverified", revision=fix)
        if restored:
            # That it was put aside for a while says nothing of where it was fixed.
            await told.code(FIXED + "\n")
            await told.go("retired", reason="by mistake")
            await operations.restore(told.session, told.id)
        test = "fix-verification=test:t"
        await told.refused("verified", test, revision=before, says="does not come after it")
        await told.refused("verified", test, revision="side", says=f"{apart[:12]}")
        await told.refused("verified", f"fix-verification=commit:{apart}", says="does not come after it")
        await told.refused("verified", "test:t", revision=fix, says="the role fix-verification")
        await told.refused("verified", f"fix-verification=commit:{fix}", says="as evidence already")
        await told.refused("verified", test, revision="v9", says="no revision 'v9'")
        assert (await told.go("verified", test, revision=fix))["state"] == "verified"


async def test_the_evidence_that_a_fix_waits_for_verifies_it(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)

        async def add(*pieces: str, **more: Any) -> str:
            answer = await operations.add_evidence(told.session, told.id, Grounds(evidence=pieces, **more))
            return str(answer["state"])

        await told.record()
        before = told.session.head
        assert await add("fix-verification=test:early") == "open"
        await told.code(FIXED)
        await told.go("fixed_unverified", revision="HEAD")
        assert await add("url:https://example.org/7") == "fixed_unverified"
        with pytest.raises(Refused, match="does not come after it"):
            await add("test:late", role="fix-verification", revision=before)
        assert await add("test:early", role="fix-verification") == "verified"
        assert (await told.undo())["state"] == "fixed_unverified"


async def test_a_fix_that_git_no_longer_has_is_not_verified_by_anything_later(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        stage.git("checkout", "-q", "-b", "side")
        await told.code(FIXED)
        await told.go("fixed_unverified", revision="HEAD")
        stage.git("checkout", "-q", "main")
        stage.git("branch", "-q", "-D", "side")
        for words in (("reflog", "expire", "--expire=now", "--all"), ("gc", "-q", "--prune=now")):
            stage.git(*words)
        await told.session.refresh()
        await told.refused("verified", "fix-verification=test:t", says="not in this repository")


async def test_a_claim_is_true_from_a_revision_until_a_revision(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        first = told.session.head
        second, third = await told.code(FIXED), await told.code(BETTER)
        made = await told.record("claim", "It returns False.", revision="HEAD~1")
        assert made["valid"] == {"from": second, "until": None}
        closed = await told.go("closed", "test:t", reason="it raises", revision=third)
        assert (closed["valid"], closed["state"]) == ({"from": second, "until": third}, "closed")
        for revision, said in ((first, []), (second, ["current"]), (third, [])):
            answer = await operations.list_chosen(told.session, Filters(), revision)
            assert [memory["state"] for memory in answer["memories"]] == said


# -- evidence ----------------------------------------------------------------------------------------------------------


async def test_what_is_new_evidence(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        made = await told.record("claim", "Tokens live 30 s.", evidence=("file:a.py:1-4", "test:t", "quote:So it is."))
        assert [piece["revision"] for piece in made["evidence"]] == [told.session.head] * 3
        why = {"reason": "no more"}
        for used in ("file:a.py:1-4", "test:t", "quote:So it is."):
            await told.refused("closed", used, says="as evidence already", **why)
        await told.code(FIXED)
        # That something else was committed makes no page or line say anything new, and a test run is another one.
        for used in ("file:a.py:1-4", "quote:So it is."):
            await told.refused("closed", used, says="as evidence already", **why)
        await told.refused("closed", "test:new", "quote:So it is.", says="quote:So it is.", **why)
        assert (await told.go("closed", "test:t", **why))["state"] == "closed"
        await told.undo()
        closed = await told.go("closed", "file:a.py:1-4", revision="HEAD", **why)
        assert (closed["valid"]["until"], closed["current"]) == (told.session.head, False)


@pytest.mark.parametrize("path", ["../b.py", "/etc/passwd", "x/../../b.py"])
async def test_a_file_of_evidence_is_inside(tmp_path: Path, path: str) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        with pytest.raises(Refused, match="outside"):
            await told.record(evidence=(f"file:{path}:3",))
        assert not told.ledger()
        await told.record(evidence=("file:./a.py:1-2",))
        assert [piece["value"] for piece in (await told.show())["evidence"]] == ["a.py:1-2"]
        await told.refused("ruled_out", f"file:{path}", says="")
        await told.refused("ruled_out", "file:a.py:1-2", says="as evidence already")
        await told.refused("ruled_out", "proof=file:a.py:1-2", says="it has file:a.py:1-2 as evidence already")


async def test_a_memory_has_64_pieces_at_most(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record(evidence=[f"test:t{number}" for number in range(62)])
        await told.refused("ruled_out", *(f"test:n{number}" for number in range(3)), says="give 2 or fewer")
        await told.go("ruled_out", "test:n1", "test:n2")
        with pytest.raises(Refused, match="this one has 64; supersede it"):
            await operations.add_evidence(told.session, told.id, Grounds(evidence=("test:n3",)))
        with pytest.raises(Refused, match="at most 64"):
            await told.record(evidence=[f"test:t{number}" for number in range(65)])


async def test_without_git(tmp_path: Path) -> None:
    sha, later = "a" * 40, "b" * 40
    async with staged(tmp_path, git=False) as stage:
        told = Told(stage)
        await told.record()
        await told.code(FIXED, commit=False)
        await told.refused("fixed_unverified", revision="HEAD", says="no git here to look up 'HEAD'; give")
        await told.go("fixed_unverified", revision=sha)
        assert await told.verdict() == ("fresh", None)
        test = "fix-verification=test:t"
        await told.refused("verified", test, says="name the revision")
        await told.refused("verified", test, revision=later, says="without git nobody can tell")
        assert (await told.go("verified", test, revision=sha))["state"] == "verified"
        await told.code(FAULTY, commit=False)
        assert await told.verdict() == ("changed", "regressed")


# -- successors --------------------------------------------------------------------------------------------------------


async def test_superseding_links_both_and_keeps_what_the_kind_asks_for(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        old = await told.record("decision", "Thirty.", state="proposed", tags=("auth",))
        new = await operations.supersede(told.session, old["id"], "Forty.", Grounds("slow", ("url:https://x.org/1",)))
        assert (new["state"], new["tags"], new["supersedes"]) == ("proposed", ["auth"], [old["id"]])
        was = await told.show(old["id"])
        assert (was["state"], was["superseded_by"], was["entered"]["reason"]) == ("superseded", [new["id"]], "slow")
        assert [piece["value"] for piece in was["evidence"]] == ["https://x.org/1"]
        # One that was there already is linked as well.
        third = await told.record("decision", "Fifty.")
        known = await operations.supersede(told.session, new["id"], "Fifty.")
        assert (known["id"], known["created"], known["supersedes"]) == (third["id"], False, [new["id"]])
        undone = await told.undo(new["id"])
        assert (undone["state"], undone["left"]) == ("proposed", [])
        assert (await told.show(third["id"]))["supersedes"] == []
        assert (await told.show(third["id"]))["state"] == "accepted"


async def test_superseding_a_claim_needs_evidence_and_a_reason(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("claim", "Thirty.")
        before = told.ledger()
        for grounds in (Grounds(), Grounds("slow"), Grounds("", ("test:t",))):
            with pytest.raises(Refused, match=r"needed|needs evidence"):
                await operations.supersede(told.session, told.id, "Forty.", grounds)
        assert told.ledger() == before
        assert (await operations.supersede(told.session, told.id, "Forty.", Grounds("slow", ("test:t",))))["current"]


async def test_what_comes_back_puts_what_took_over_aside(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        first = await told.record("decision", "Thirty.")
        second = await operations.supersede(told.session, first["id"], "Forty.")
        third = await operations.supersede(told.session, second["id"], "Fifty.")
        back = await operations.restore(told.session, first["id"], Grounds("it was right"))
        assert (back["state"], back["replaced"]) == ("accepted", [third["id"]])
        aside = await told.show(third["id"])
        assert (aside["state"], aside["retired_reason"]) == ("retired", "it was right")
        with pytest.raises(Refused, match=f"moorline undo {first['id'][:8]}"):
            await told.undo(third["id"])
        undone = await told.undo(first["id"])
        assert (undone["state"], undone["undone"]) == ("superseded", ["restored"])
        assert (await told.show(third["id"]))["state"] == "accepted"
        # By another step than the way back it is the same.
        back = await told.go("proposed", memory=first["id"])
        assert (back["state"], back["replaced"]) == ("proposed", [third["id"]])
        assert (await told.undo(first["id"]))["state"] == "superseded"
        assert (await told.show(third["id"]))["state"] == "accepted"


@pytest.mark.parametrize(
    ("state", "by", "says"),
    [
        ("superseded", "", "a successor is needed"),
        ("superseded", "itself", "cannot take over from itself"),
        ("superseded", "retired", "is retired; name a current memory"),
        ("superseded", "0123456", "no memory 0123456"),
        ("rejected", "other", "there is no successor in rejected"),
    ],
)
async def test_a_successor_that_is_none(tmp_path: Path, state: str, by: str, says: str) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        gone, other = await told.record("decision", "Ten."), await told.record("decision", "Twenty.")
        await operations.retire(told.session, gone["id"], Grounds("x"))
        made = await told.record("decision", "Thirty.")
        names = {"itself": made["id"], "retired": gone["id"], "other": other["id"]}
        await told.refused(state, by=names.get(by, by), reason="why", says=says)


# -- what two branches did ---------------------------------------------------------------------------------------------


async def test_rival_steps_are_settled_by_one_that_knows_of_both(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record()
        fix = await told.code(FIXED)
        clone = tmp_path / "clone"
        shutil.copytree(stage.folder, clone)
        await told.go("fixed_unverified", revision="HEAD")
        (folder,) = stage.folder.glob(".moorline/memories/*")
        async with Stage(clone, {}) as other:
            await operations.transition(other.session, told.id, "ruled_out", Grounds(evidence=("quote:Meant so.",)))
        for path in clone.glob(f".moorline/memories/{folder.name}/*.json"):
            shutil.copy(path, folder)
        await told.session.refresh()
        both = await told.show()
        assert (both["state"], both["disputed"], len(both["rivals"])) == ("open", True, 2)
        await told.refused("verified", says="cannot become verified")
        settled = await told.go("fixed_unverified")
        assert (settled["state"], settled["disputed"]) == ("fixed_unverified", False)
        assert settled["entered"]["revision"] == fix
        assert (await told.undo())["disputed"] is True
        neither = await told.go("open", reason="look again")
        assert (neither["state"], neither["disputed"]) == ("open", False)


async def test_a_dispute_that_is_decided_against_a_successor_retires_it(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("decision", "Thirty seconds.")
        clone = tmp_path / "clone"
        shutil.copytree(stage.folder, clone)
        heir = await operations.supersede(stage.session, told.id, "Sixty seconds.")
        (folder,) = stage.folder.glob(".moorline/memories/thirty*")
        async with Stage(clone, {}) as other:
            await operations.transition(other.session, told.id, "rejected", Grounds("too long"))
        for path in clone.glob(f".moorline/memories/{folder.name}/*.json"):
            shutil.copy(path, folder)
        await told.session.refresh()
        assert (await told.show())["disputed"]
        settled = await told.go("accepted", reason="it stays at thirty")
        assert (settled["state"], settled["disputed"], settled["replaced"]) == ("accepted", False, [heir["id"]])
        assert (await operations.show(stage.session, heir["id"]))["state"] == "retired"
        assert (await told.undo())["disputed"] is True
        assert (await operations.show(stage.session, heir["id"]))["current"] is True


# -- taking back -------------------------------------------------------------------------------------------------------


async def test_an_undone_supersede_retires_what_it_recorded_unless_more_happened_to_it(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        old = await told.record("decision", "Thirty.")
        new = await operations.supersede(told.session, old["id"], "Forty.")
        with pytest.raises(Refused, match=f"moorline undo {old['id'][:8]}"):
            await told.undo(new["id"])
        undone = await told.undo(old["id"])
        assert (undone["state"], undone["undone"], undone["left"]) == ("accepted", ["superseded"], [])
        gone = await told.show(new["id"])
        assert (gone["state"], gone["supersedes"]) == ("retired", [])
        again = await told.undo(old["id"])
        assert (again["state"], again["superseded_by"]) == ("superseded", [new["id"]])
        back = await told.show(new["id"])
        assert (back["state"], back["supersedes"]) == ("accepted", [old["id"]])
        await operations.pin(told.session, new["id"])
        undone = await told.undo(old["id"])
        assert (undone["state"], undone["left"]) == ("accepted", [new["id"]])
        kept = await told.show(new["id"])
        assert (kept["state"], kept["pinned"], kept["supersedes"]) == ("accepted", True, [])


async def test_undoing_that_a_slot_was_taken_over(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        old = await told.record("purpose", "Checks tokens.")
        new = await told.record("purpose", "Lets in whom we know.")
        assert (await told.show(old["id"]))["superseded_by"] == [new["id"]]
        with pytest.raises(Refused, match=f"moorline undo {old['id'][:8]}"):
            await told.undo(new["id"])
        assert (await told.undo(old["id"]))["state"] == "current"
        assert (await told.show(new["id"]))["state"] == "retired"


async def test_undoing_gives_back_one_of_two_that_were_put_aside_together(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        first = await told.record("purpose", "Checks tokens.")
        clone = tmp_path / "clone"
        shutil.copytree(stage.folder, clone)
        (folder,) = stage.folder.glob(".moorline/memories/*")
        shutil.rmtree(folder)
        await told.session.refresh()
        second = await told.record("purpose", "Lets in whom we know.")
        shutil.copytree(clone / folder.relative_to(stage.folder), folder)
        await told.session.refresh()
        third = await told.record("purpose", "Guards the door.")
        assert sorted(third["supersedes"]) == sorted([first["id"], second["id"]])
        undone = await told.undo(first["id"])
        assert (undone["state"], undone["left"]) == ("current", [third["id"]])
        kept = await told.show(third["id"])
        assert (kept["state"], kept["supersedes"]) == ("current", [second["id"]])
        assert (await told.show(second["id"]))["state"] == "superseded"


async def test_undo_puts_memory_md_back_and_undoing_the_undoing_too(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("note", "Look at this.", tags=("b",), importance=2)
        texts = [told.memory_files()]
        facts: dict[str, Any] = {"tags": ("a",), "importance": 4, "expires": "30d", "fields": {"follow_up": "ask Ann"}}
        more = await stage.record("a.py#check", kind="note", text="Look at this.", **facts)
        assert (more["created"], more["state"]) == (False, "follow_up")
        texts.append(told.memory_files())
        await operations.reanchor(told.session, told.id, Wanted("a.py", "other"))
        texts.append(told.memory_files())
        assert len({str(text) for text in texts}) == 3
        undone = await told.undo()
        assert (undone["undone"], undone["anchors"][0]["symbol"]) == (["reanchored", "baseline"], "check")
        assert told.memory_files() == texts[1]
        assert (await told.undo())["anchors"][0]["symbol"] == "other"
        assert told.memory_files() == texts[2]
        (path,) = stage.folder.glob(".moorline/memories/*/memory.md")
        path.write_text(path.read_text().replace("a.py#other", "a.py#check"))
        await told.session.refresh()
        with pytest.raises(Refused, match=r"anchors in memory\.md of .* was changed by hand"):
            await told.undo()


async def test_undo_of_a_recording_and_of_an_addition(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("note", "Look at this.")
        with pytest.raises(Refused, match="nothing happened to it since it was recorded"):
            await told.undo()
        first = told.memory_files()
        both = await stage.record("a.py#check", "a.py#other", kind="note", text="Look at this.", tags=("x",))
        assert len(both["anchors"]) == 2
        alone = await told.undo()
        assert [anchor["symbol"] for anchor in alone["anchors"]] == ["check"]
        assert told.memory_files() == first


async def test_what_was_followed_is_nobody_s_change(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("note", "Look at this.")
        await operations.pin(told.session, told.id)
        await told.code(FAULTY.replace("check", "verify"))
        assert len((await operations.follow_all(told.session))["memories"]) == 1
        undone = await told.undo()
        assert (undone["undone"], undone["pinned"]) == (["pinned"], False)
        assert undone["anchors"][0]["symbol"] == "verify"


# -- who writes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("author", ["", "  ", "agent:", " agent: "])
async def test_an_author_who_is_nobody(tmp_path: Path, author: str) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        with pytest.raises(Refused, match="names nobody"):
            await told.record("note", "x", author=author)
        await told.record("note", "x")
        with pytest.raises(Refused, match="names nobody"):
            await operations.pin(stage.session, told.id, author=author)


@pytest.mark.parametrize(
    ("client", "author", "fine"),
    [
        (None, "Ann", True),
        (None, "agent:robin", True),
        ("Ann", "agent:robin", True),
        ("agent:robin", "agent:robin", True),
        ("agent:robin", "agent:finch", False),
        ("agent:robin", "Ann", False),
    ],
)
async def test_an_agent_s_client_writes_as_itself(tmp_path: Path, client: str | None, author: str, fine: bool) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("note", "x")
        stage.session.client_author = client
        calls = [
            lambda: operations.pin(stage.session, told.id, author=author),
            lambda: operations.retire(stage.session, told.id, Grounds("x", author=author)),
            lambda: operations.undo(stage.session, told.id, author=author),
            lambda: told.record("note", "y", author=author),
        ]
        for call in calls:
            if fine:
                await call()
            else:
                with pytest.raises(Refused, match="writes as agent:robin"):
                    await call()


async def test_an_agent_of_the_environment_writes_as_itself(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        stage.session.author = "agent:robin"
        await told.record("note", "x")
        with pytest.raises(Refused, match="writes as agent:robin"):
            await operations.retire(stage.session, told.id, Grounds("x", author="Nina"))
        await operations.retire(stage.session, told.id, Grounds("x", author="agent:robin"))


# -- recording ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "facts", "says"),
    [
        ("finding", {"state": "fixed_unverified"}, "a new finding starts as open"),
        ("finding", {"state": "ruled_out"}, "a new finding starts as open"),
        ("finding", {"fields": {"severity": "huge"}}, "severity is one of low, medium, high, critical"),
        ("decision", {"fields": {"severity": "low"}}, "a decision has no field 'severity'"),
        ("note", {"fields": {"category": "x" * 201}}, "category has 201 bytes"),
        ("decision", {"evidence": ("commit:nowhere",)}, "no revision 'nowhere'"),
        ("decision", {"evidence": ("test:t",), "revision": "nowhere"}, "no revision 'nowhere'"),
        ("decision", {"expires": "soon"}, "is no date"),
        ("purpose", {"text": "x" * 401}, "holds at most 400"),
        ("account", {"text": "x" * 4097}, "holds at most 4096"),
    ],
)
async def test_what_cannot_be_recorded(tmp_path: Path, kind: str, facts: dict[str, Any], says: str) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        with pytest.raises(Refused, match=says):
            await told.record(kind, **facts)
        assert not told.ledger()


async def test_recording_what_is_known_adds_what_is_new_and_is_no_step(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        told = Told(stage)
        await told.record("decision", "Thirty.", evidence=("test:t",))
        before = told.ledger()
        await told.record("decision", "Thirty.", evidence=("test:t",))
        assert told.ledger() == before
        with pytest.raises(Refused, match="it is known already and accepted; moorline transition"):
            await told.record("decision", "Thirty.", state="proposed")
        more = await told.record("decision", "Thirty.", evidence=("test:t", "quote:Yes."))
        assert [piece["value"] for piece in more["evidence"]] == ["t", "Yes."]
        assert len(told.ledger()) == len(before) + 1


async def test_a_workspace_may_set_another_cap(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    settings = Settings(kinds={"note": {"cap": 5}})
    async with Stage(tmp_path / "w", {"a.py": File(FAULTY)}, settings=settings) as stage:
        await stage.record("a.py", kind="note", text="12345")
        with pytest.raises(Refused, match="has 6 bytes, a note holds at most 5"):
            await stage.record("a.py", kind="note", text="123456")


async def test_a_batch_takes_states_fields_and_evidence(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        head = stage.session.head
        requests = [
            Request("note", "One.", fields={"follow_up": "ask"}),
            Request("note", "Two.", evidence=read_evidence(["commit:HEAD"])),
            Request("note", "Three.", evidence=read_evidence(["commit:nowhere"])),
            Request("note", "Four.", state="nowhere"),
        ]
        one, two, three, four = await operations.record_many(stage.session, requests)
        assert isinstance(one, dict) and one["state"] == "follow_up"
        assert isinstance(two, dict) and two["evidence"][0]["value"] == head
        assert isinstance(three, Refused) and isinstance(four, Refused)
