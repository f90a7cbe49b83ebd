"""The words of memories: always those that the index serves, and gone for good when a memory is forgotten."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsp_server.core.change import Change
from lsp_server.core.ids import anchor_id, body_hash, event_id, folder_name, memory_id
from lsp_server.core.lexicon import Lexicon
from lsp_server.core.model import AnchorText, Event, Locus, Memory, MemoryText
from lsp_server.core.ranking import Weights, bm25, inverse
from lsp_server.store import words as words_module
from lsp_server.store.index import Index
from lsp_server.store.ledger import Ledger
from lsp_server.store.words import TABLES, Asked, Words

PLACE = Locus("src/pay.py", "refund")
TIME = "2026-11-30T10:53:22.125Z"
PLAIN = Lexicon()
SECRET = "hunterspassword"


def recorded(body: str) -> Change:
    identifier = memory_id("decision", body, PLACE)
    anchor = AnchorText(anchor_id(identifier, PLACE), PLACE)
    data = {"kind": "decision", "state": "accepted", "body_hash": body_hash(body), "anchors": {anchor.id: str(PLACE)}}
    born = Event(event_id(), "recorded", TIME, "somebody", "", (), data)
    text = MemoryText(identifier, "decision", body, (anchor,))
    return Change(identifier, folder_name(identifier, body), "shared", text, (born,))


def memory_of(identifier: str, body: str) -> Memory:
    return Memory(identifier, "passage", body, "current", True, (), "somebody", TIME, "")


class Place:
    """A ledger with its index and the words of it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.ledger = Ledger(folder, folder)
        self.ledger.init()
        self.stack = AsyncExitStack()

    async def __aenter__(self) -> Place:
        self.index = await self.stack.enter_async_context(await Index.open(self.ledger.index_path))
        self.words = await self.stack.enter_async_context(await Words.open(self.ledger.words_path))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stack.aclose()

    def write(self, *bodies: str) -> list[str]:
        changes = [recorded(body) for body in bodies]
        for change in changes:
            self.ledger.write(change)
        return [change.memory_id for change in changes]

    def edit(self, identifier: str, old: str, new: str) -> None:
        (path,) = self.ledger.homes["shared"].glob(f"*-{identifier.replace('-', '')[:12]}/memory.md")
        path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")

    async def refresh(
        self, lexicon: Lexicon = PLAIN, passages: Mapping[str, Memory] | None = None, words: Words | None = None
    ) -> None:
        await self.index.refresh(self.ledger)
        await (words or self.words).refresh(self.index, lexicon, passages or {})

    async def found(self, question: str, lexicon: Lexicon = PLAIN) -> set[str]:
        return set(await self.words.relevance(Asked.of(question, lexicon), Weights(grams=0), 100))


def tables(path: Path) -> dict[str, list[tuple[str, str]]]:
    """What the tables hold, by memory."""
    with sqlite3.connect(path) as database:
        return {
            table: sorted(
                database.execute(f"SELECT id, terms FROM {table} JOIN text ON text.number = {table}.rowid").fetchall()
            )
            for table in TABLES
        } | {"text": sorted(database.execute("SELECT id, digest FROM text").fetchall())}


async def test_a_question_finds_what_speaks_of_it(tmp_path: Path) -> None:
    async with Place(tmp_path) as place:
        tokens, retry, chinese = place.write(
            "verifyJwt checks a token.", "Retries end after three.\n\nThe pod restarts.", "登录超时后重试"
        )
        await place.refresh()
        for question, wanted in {
            "verify": {tokens},
            "verify_jwt": {tokens},
            "retrying": {retry},
            "pods": {retry},
            "超时": {chinese},
            "token 超时": {tokens, chinese},
            "nothing of that": set(),
        }.items():
            assert await place.found(question) == wanted, question
        # A word of the headline outweighs the same further down, and all words outweigh one.
        worth = await place.words.relevance(Asked.of("token pod checks", PLAIN), Weights(), 100)
        assert worth[tokens] > worth[retry] > 0
        assert all(0 <= value <= 1 for value in worth.values())


async def test_an_alias_is_found_by_either_name_and_new_ones_cut_anew(tmp_path: Path) -> None:
    async with Place(tmp_path) as place:
        short, long = place.write("k8s restarts it.", "Kubernetes has it.")
        named = Lexicon(aliases={"k8s": "kubernetes"})
        await place.refresh()
        assert await place.found("kubernetes") == {long}
        await place.refresh(named)
        assert await place.found("kubernetes", named) == {short, long}
        assert await place.found("k8s", named) == {short, long}
        await place.refresh()
        assert await place.found("kubernetes") == {long}


async def test_what_is_edited_retired_from_disk_or_a_passage_is_followed(tmp_path: Path) -> None:
    async with Place(tmp_path) as place:
        one, other = place.write("Alpha stays.", "Beta goes.")
        passage = memory_of("11111111-0000-7000-8000-000000000000", "Gamma stands in a document.")
        await place.refresh(passages={passage.id: passage})
        assert await place.found("gamma") == {passage.id}
        place.edit(one, "Alpha", "Delta")
        (folder,) = place.ledger.homes["shared"].glob(f"*-{other.replace('-', '')[:12]}")
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        await place.refresh(passages={passage.id: replace(passage, body="Epsilon stands there now.")})
        for question, wanted in {
            "alpha": set(),
            "delta": {one},
            "beta": set(),
            "gamma": set(),
            "epsilon": {passage.id},
        }.items():
            assert await place.found(question) == wanted, question


async def test_nothing_is_read_again_where_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with Place(tmp_path) as place:
        place.write("Alpha.")
        await place.refresh()

        async def served() -> dict[str, str]:
            raise AssertionError("asked for everything")

        monkeypatch.setattr(place.index, "served", served)
        await place.words.refresh(place.index, PLAIN, {})
        with pytest.raises(AssertionError):
            await place.words.refresh(place.index, Lexicon(aliases={"a": "b"}), {})


async def test_two_programs_each_take_in_what_the_other_wrote(tmp_path: Path) -> None:
    async with Place(tmp_path) as one, Place(tmp_path) as other:
        (first,) = one.write("Alpha.")
        await asyncio.gather(one.refresh(), other.refresh())
        (second,) = other.write("Alpha again.")
        await other.refresh()
        await one.refresh()
        one.edit(first, "Alpha", "Beta")
        await asyncio.gather(one.refresh(), other.refresh())
        await one.refresh()
        for place in (one, other):
            assert await place.found("alpha") == {second}
            assert await place.found("beta") == {first}


async def check_damage(folder: Path, spoil: bytes) -> None:
    async with Place(folder) as place:
        (identifier,) = place.write("Alpha.")
        await place.refresh()
    place.ledger.words_path.write_bytes(spoil)
    async with Place(folder) as place:
        await place.refresh()
        assert await place.found("alpha") == {identifier}


@pytest.mark.parametrize("spoil", [b"", b"no database at all", b"SQLite format 3\0" + b"\xff" * 4000])
async def test_a_damaged_file_is_made_again(tmp_path: Path, spoil: bytes) -> None:
    await check_damage(tmp_path, spoil)


async def test_a_foreign_database_is_set_aside_and_damage_on_the_way_is_mended(tmp_path: Path) -> None:
    folder = tmp_path / "foreign"
    folder.mkdir()
    with sqlite3.connect(tmp_path / "x.db") as database:
        database.execute("CREATE TABLE text (id)")
    await check_damage(folder, (tmp_path / "x.db").read_bytes())

    folder = tmp_path / "meanwhile"
    folder.mkdir()
    async with Place(folder) as place:
        (identifier,) = place.write("Alpha.")
        await place.refresh()
        place.ledger.words_path.unlink()
        await place.refresh()
        assert await place.found("alpha") == {identifier}


async def test_forgetting_erases_the_words_from_the_file(tmp_path: Path) -> None:
    async with Place(tmp_path) as place:
        secret, other = place.write(f"The {SECRET}.", "Alpha.")
        await place.refresh()
        assert await place.found(SECRET) == {secret}
        place.edit(other, "Alpha", f"{SECRET} beta")  # What an earlier text of it held goes as well.
        await place.refresh()
        place.edit(other, f"{SECRET} beta", "Gamma")
        place.ledger.forget(secret)
        await place.refresh()
        assert await place.words.forget(secret)
        assert await place.found(SECRET) == set() and await place.found("gamma") == {other}
        left = b"\0".join(path.read_bytes() for path in place.ledger.words_path.parent.glob("words*"))
        assert SECRET[:8].encode() not in left
        assert not await place.words.forget(secret) or await place.found("gamma") == {other}


# -- twins -------------------------------------------------------------------------------------------------------------

BODIES = st.lists(
    st.text(alphabet=st.sampled_from("ab_AB超时重 .\n\"'*ß\U00020000\udce9"), min_size=1, max_size=30), max_size=5
).map(lambda some: [f"{number} {body}" for number, body in enumerate(some)])


@settings(max_examples=25, deadline=None)
@given(BODIES, BODIES, st.sampled_from([PLAIN, Lexicon(aliases={"a": "b"})]))
def test_refreshing_equals_filling_from_scratch(first: list[str], second: list[str], lexicon: Lexicon) -> None:
    async def run(folder: Path) -> None:
        async with Place(folder) as place:
            ids = place.write(*first)
            await place.refresh()
            place.write(*second)
            for identifier in ids[:1]:
                place.ledger.forget(identifier)
            await place.refresh(lexicon)
            async with await Words.open(folder / "other.db") as twin:
                await place.refresh(lexicon, words=twin)
        assert tables(place.ledger.words_path) == tables(folder / "other.db")

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


@given(
    st.lists(st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=8), min_size=1),
    st.sets(st.sampled_from(["alpha", "beta", "omega"]), min_size=1),
)
def test_few_texts_are_weighed_as_fts5_weighs_them(texts: list[list[str]], wanted: set[str]) -> None:
    """With the same inverse frequencies, ours and FTS5's own BM25 are one."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE t USING fts5(terms)")
    database.executemany("INSERT INTO t (rowid, terms) VALUES (?, ?)", [(n, " ".join(t)) for n, t in enumerate(texts)])
    rows = database.execute("SELECT rowid, -rank FROM t WHERE t MATCH ?", (" OR ".join(wanted),)).fetchall()
    database.close()
    weights = {term: inverse(sum(term in text for text in texts), len(texts)) for term in wanted}
    ours = bm25(dict(enumerate(texts)), weights)
    assert ours == pytest.approx(dict(rows), rel=1e-4, abs=1e-9)


async def check_order(folder: Path, bodies: Sequence[str], question: str) -> list[str]:
    async with Place(folder) as place:
        ids = place.write(*bodies)
        await place.refresh()
        worth = await place.words.relevance(Asked.of(question, PLAIN), Weights(), 100)
        return [bodies[ids.index(one)] for one in sorted(worth, key=lambda one: -worth[one])]


async def test_many_texts_are_ordered_as_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same memories through FTS5, and weighed by us: terms that few of them have give one order."""
    bodies = [
        "alpha beta here",
        "alpha\n\nand much else that is said",
        "beta gamma delta",
        *[f"other {n}" for n in range(40)],
    ]
    few = await check_order(tmp_path / "few", bodies, "alpha beta gamma")
    monkeypatch.setattr(words_module, "FEW", 5)
    monkeypatch.setattr(words_module, "COMMON", 0.5)
    assert await check_order(tmp_path / "many", bodies, "alpha beta gamma") == few
    # Gamma, which one has, is worth more than alpha, which two have; the long one has the least.
    assert [body.split()[0] for body in few] == ["beta", "alpha", "alpha"] and few[2] == bodies[1]


async def test_a_word_that_too_many_have_is_not_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words_module, "FEW", 3)
    bodies = [f"common {n}" for n in range(30)] + ["common rare", "rare indeed"]
    assert set(await check_order(tmp_path / "a", bodies, "common rare")) == {"common rare", "rare indeed"}
    assert len(await check_order(tmp_path / "b", bodies, "common")) == 31  # Where there is nothing else to go by.
