"""The words of memories, in SQLite's FTS5, so that a question finds the few that speak of it among a hundred thousand.

A database of its own beside the index, derived from it and disposable, filled when somebody searches: an editor that
never does pays nothing. Knows all SQL of it; refuses to know what a hit is worth beside its words (`core.ranking`).
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lsp_server.core.lexicon import Lexicon
from lsp_server.core.model import Memory
from lsp_server.core.terms import grams, terms
from lsp_server.store.database import Database, Shape
from lsp_server.store.index import Index

SCHEMA = 1
"""Version of the tables and of how texts are cut. Another one is made again."""

BATCH = 500
"""Memories that are cut, and then written in one transaction."""

COMMON = 0.1
"""Share of all memories beyond which a word that so many have says next to nothing, and is not looked for."""

FEW = 200
"""Number of memories up to which no word is too common to be looked for."""

K1 = 1.2
"""FTS5's own constant of BM25 (SQLite's documentation of bm25())."""

_SHAPE = Shape(
    (
        "CREATE TABLE text (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL)",
        "CREATE VIRTUAL TABLE word USING fts5(body, head, tokenize='unicode61 remove_diacritics 0')",
        "CREATE VIRTUAL TABLE gram USING fts5(body, head, tokenize='unicode61 remove_diacritics 0')",
        "CREATE VIRTUAL TABLE word_count USING fts5vocab(word, row)",
        "CREATE VIRTUAL TABLE gram_count USING fts5vocab(gram, row)",
    ),
    SCHEMA,
    derived=True,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is looked for: its words, pieces of them, and words that only stand for them."""

    words: tuple[str, ...]
    grams: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()

    @classmethod
    def of(cls, question: str, lexicon: Lexicon) -> Asked:
        words = dict.fromkeys([*terms(question), *lexicon.alike(question)])
        expanded = [term for term in lexicon.expanded(question) if term not in words]
        return cls(tuple(words), tuple(dict.fromkeys(grams(question))), tuple(expanded))


class Words:
    """The words of one ledger's memories. Make it with `open`; it must be closed, or its thread keeps the program
    alive."""

    def __init__(self, path: Path, lexicon: Lexicon) -> None:
        self._database = Database(path, _SHAPE)
        self._lexicon = lexicon
        self._lock = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path, lexicon: Lexicon) -> Words:
        """Opens the database, or makes an empty one. `lexicon` names the aliases under which texts are found too."""
        words = cls(path, lexicon)
        await words._database.open()
        return words

    async def close(self) -> None:
        await self._database.close()

    async def __aenter__(self) -> Words:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def trouble(self) -> str:
        """What to tell about the file, empty when all is well."""
        return self._database.trouble

    async def refresh(self, index: Index) -> None:
        """Takes in what the index serves otherwise than when it was last taken in, and lets go of what it does not."""
        async with self._lock:
            await self._database.come_back()
            served = await index.served()
            rows = await self._database.ask("SELECT id, digest FROM text")
            known = {str(identifier): str(digest) for identifier, digest in rows}
            gone = [identifier for identifier in known if identifier not in served]
            changed = [identifier for identifier, digest in served.items() if known.get(identifier) != digest]
            for start in range(0, len(gone), BATCH):
                await self._database.write(_Write(self._database, gone[start : start + BATCH], []))
            for start in range(0, len(changed), BATCH):
                some = changed[start : start + BATCH]
                memories = await index.memories(ids=some)
                cut = await asyncio.to_thread(self._cut, memories, served)
                await self._database.write(_Write(self._database, some, cut))

    def _cut(self, memories: Sequence[Memory], digests: Mapping[str, str]) -> list[_Cut]:
        return [_Cut(one.id, digests[one.id], *self._terms_of(one)) for one in memories]

    def _terms_of(self, memory: Memory) -> tuple[str, str, str, str]:
        """What is searched of a memory: its headline with its tags and the names of what it is anchored to, and all of
        it; each as words and as pieces of words."""
        head, whole = headline_of(memory), text_of(memory)
        return (
            " ".join([*terms(whole), *self._lexicon.alike(whole)]),
            " ".join([*terms(head), *self._lexicon.alike(head)]),
            " ".join(grams(whole)),
            " ".join(grams(head)),
        )

    async def relevance(
        self, asked: Asked, *, head: float, pieces: float, expanded: float, limit: int
    ) -> dict[str, float]:
        """The memories that a question speaks of, by id, the most relevant `limit` of each stream of terms.

        Relevance goes from 0 to 1: the sum of BM25 over the streams, against what a memory would have that holds every
        word of the question in its headline. `head`, `pieces` and `expanded` are weights, see `ranking.Weights`.
        """
        (total,) = (await self._database.ask("SELECT COUNT(*) FROM text"))[0]
        streams = [("word", asked.words, 1.0), ("gram", asked.grams, pieces), ("word", asked.expanded, expanded)]
        found: dict[str, float] = {}
        ideal = 0.0
        for table, wanted, weight in streams:
            if weight <= 0 or not wanted:
                continue
            rare, best = await self._rare(table, wanted, int(total), head)
            if asked.expanded is not wanted:  # What only stands for the question's words can add, and is not missed.
                ideal += weight * best
            if not rare:
                continue
            rows = await self._database.ask(
                f"SELECT text.id, -bm25({table}, 1.0, ?) AS worth FROM {table} JOIN text ON text.number = {table}.rowid"
                f" WHERE {table} MATCH ? ORDER BY worth DESC LIMIT ?",
                (head, " OR ".join(f'"{term}"' for term in rare), limit),
            )
            for identifier, worth in rows:
                found[str(identifier)] = found.get(str(identifier), 0.0) + weight * float(worth)
        return {one: min(1.0, worth / ideal) for one, worth in found.items()} if ideal > 0 else {}

    async def _rare(self, table: str, wanted: Iterable[str], total: int, head: float) -> tuple[list[str], float]:
        """Those of some terms that are worth looking for, and what a memory would get that had all in its headline."""
        counts: dict[str, int] = {}
        for term in wanted:
            rows = await self._database.ask(f"SELECT doc FROM {table}_count WHERE term = ?", (term,))
            counts[term] = int(rows[0][0]) if rows else 0
        most = max(FEW, COMMON * total)
        rare = [term for term, count in counts.items() if 0 < count <= most]
        rare = rare or [term for term, count in counts.items() if count]
        often = 1.0 + head
        best = sum(
            max(1e-6, math.log((total - count + 0.5) / (count + 0.5))) * often * (K1 + 1) / (often + K1)
            for count in counts.values()
            if count <= most
        )
        return rare, best

    async def forget(self, identifier: str) -> bool:
        """Erases what is kept of a memory, also from FTS5's own pages; tells whether there was any."""
        there = bool(await self._database.ask("SELECT 1 FROM text WHERE id = ?", (identifier,)))
        if there:
            await self._database.write(_Write(self._database, [identifier], [], merge=True))
        return there


def headline_of(memory: Memory) -> str:
    """What a memory is about in a line: its first line, its tags, and the names of the code that it is anchored to."""
    first = next((line.strip().lstrip("# ") for line in memory.body.splitlines() if line.strip()), "")
    names = [anchor.place.symbol or anchor.place.file.rpartition("/")[2] for anchor in memory.anchors]
    return " ".join([first, *memory.tags, *names])


def text_of(memory: Memory) -> str:
    """All that a memory says."""
    names = [anchor.place.symbol or anchor.place.file.rpartition("/")[2] for anchor in memory.anchors]
    return "\n".join([memory.body, *memory.fields.values(), *memory.tags, *names])


@dataclass(frozen=True, slots=True)
class _Cut:
    id: str
    digest: str
    words: str
    head_words: str
    grams: str
    head_grams: str


@dataclass(frozen=True, slots=True)
class _Write:
    """Transaction: some memories are taken out, and those of them that are there put in."""

    database: Database
    out: Sequence[str]
    cut: Sequence[_Cut]
    merge: bool = False

    async def __call__(self) -> None:
        database = self.database
        names = [(identifier,) for identifier in self.out]
        for table in ("word", "gram"):
            await database.many(f"DELETE FROM {table} WHERE rowid = (SELECT number FROM text WHERE id = ?)", names)
        await database.many("DELETE FROM text WHERE id = ?", names)
        for one in self.cut:
            await database.many("INSERT INTO text (id, digest) VALUES (?, ?)", [(one.id, one.digest)])
            ((number,),) = await database.fetch("SELECT number FROM text WHERE id = ?", (one.id,))
            await database.many(
                "INSERT INTO word (rowid, body, head) VALUES (?, ?, ?)", [(number, one.words, one.head_words)]
            )
            await database.many(
                "INSERT INTO gram (rowid, body, head) VALUES (?, ?, ?)", [(number, one.grams, one.head_grams)]
            )
        if self.merge:
            for table in ("word", "gram"):
                await database.many(f"INSERT INTO {table} ({table}) VALUES (?)", [("optimize",)])
