"""The words of memories, in SQLite's FTS5, so that a question finds the few that speak of it among a hundred thousand.

A database of its own beside the index, derived from it and disposable, filled when somebody searches: an editor that
never does pays nothing. Knows all SQL of it; refuses to know what a hit is worth beside its words (`core.ranking`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TypeVar

from lsp_server.core.ids import body_hash
from lsp_server.core.lexicon import Lexicon
from lsp_server.core.model import Memory
from lsp_server.core.ranking import Weights, bm25, inverse, smooth_inverse
from lsp_server.core.terms import by_script, grams, terms
from lsp_server.store.database import Database, Shape
from lsp_server.store.index import Index

T = TypeVar("T")

SCHEMA = 2
"""Version of the tables and of how texts are cut. Another one is made again."""

BATCH = 500
"""Memories that are cut, and then written in one transaction."""

COMMON = 0.1
"""Share of all memories beyond which a word that so many have says next to nothing, and is not looked for."""

COMMON_PIECE = 0.02
"""The same share for pieces of words: a question has three times as many of them as words, and each says less."""

FEW = 200
"""Number of texts up to which no word is too common to be looked for, and FTS5 weighs none."""

HANDFUL = 20
"""Number of texts as which fewer of them count, of all that there are: one Chinese memory does not make its words
common."""

GUESSED = 0.3
"""Share of what all pieces of a question's words are worth that a memory must have which has none of its words: a
misspelt word has as much, another word that is a little alike has not."""

PIECES = "gram"

TABLES = ("word", "headline", "chinese", "chinese_headline", PIECES)
"""What is searched, each a table of its own with rows for those memories alone that have some of it, since BM25 holds
the length of a text against the others of its table: words of all of a text and of its headline, the same of Chinese,
and pieces of words."""

_SHAPE = Shape(
    (
        "CREATE TABLE text (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest TEXT NOT NULL)",
        *(
            f"CREATE VIRTUAL TABLE {table} USING fts5(terms, tokenize='unicode61 remove_diacritics 0')"
            for table in TABLES
        ),
        *(f"CREATE VIRTUAL TABLE {table}_count USING fts5vocab({table}, row)" for table in TABLES),
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
        telling = lexicon.telling(question)
        words = dict.fromkeys([*terms(telling), *lexicon.alike(telling)])
        # An expression may hold an empty word, as "does not work" does.
        expanded = [term for term in lexicon.expanded(question) if term not in words]
        return cls(tuple(words), tuple(dict.fromkeys(grams(telling))), tuple(expanded))


@dataclass(frozen=True, slots=True)
class _Stream:
    """Some terms of a question in one table. `own`: they are its own, and are missed where a memory has them not."""

    table: str
    wanted: tuple[str, ...]
    weight: float
    own: bool


class Words:
    """The words of one ledger's memories. Make it with `open`; it must be closed, or its thread keeps the program
    alive."""

    def __init__(self, path: Path) -> None:
        self._database = Database(path, _SHAPE)
        self._lock = asyncio.Lock()
        self._at: tuple[object, ...] | None = None
        """The moment of the index, and of this database, at which one last held what the other serves."""
        self._totals: Mapping[str, int] = MappingProxyType({})

    @classmethod
    async def open(cls, path: Path) -> Words:
        """Opens the database, or makes an empty one."""
        words = cls(path)
        try:
            await words._database.open()
        except BaseException:
            await words.close()
            raise
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

    # -- bringing it up to date ------------------------------------------------------------------------------------

    async def refresh(self, index: Index, lexicon: Lexicon, passages: Mapping[str, Memory]) -> None:
        """Takes in what is served otherwise than when it was last taken in, and lets go of what is not served.

        `lexicon` names the aliases under which texts are found too: with other ones every text is cut anew. `passages`
        are memories, by id, whose words the index does not have. Costs two questions to SQLite where
        nothing changed.
        """
        async with self._lock:
            await self._database.come_back()
            aliases = lexicon.digest
            digests = {one: body_hash(text_of(memory)) for one, memory in passages.items()}
            standing = hash(frozenset(digests.items()))
            # Damage that shows on the way empties the database: then it is filled once more.
            for _ in range(3):
                began = (await self._moment(index), aliases, standing)
                if began == self._at:
                    return
                served = {one: f"{digest} {aliases}" for one, digest in (await index.served()).items()}
                served |= {one: f"{digest} {aliases}" for one, digest in digests.items()}
                rows = await self._database.ask("SELECT id, digest FROM text")
                known = {str(identifier): str(digest) for identifier, digest in rows}
                gone = [identifier for identifier in known if identifier not in served]
                changed = [identifier for identifier, digest in served.items() if known.get(identifier) != digest]
                for some in _batches(gone):
                    await self._database.write(_Write(self._database, some, []))
                for some in _batches(changed):
                    memories = [passages[one] for one in some if one in passages]
                    memories += await index.memories(ids=[one for one in some if one not in passages])
                    cut = await asyncio.to_thread(_cut_all, memories, served, lexicon)
                    await self._database.write(_Write(self._database, some, cut))
                # Where another program wrote into the index meanwhile, the next refresh looks again.
                after = (await self._moment(index), aliases, standing)
                self._totals = {table: await self._count(table) for table in TABLES}
                self._at = after if after[0][0] == began[0][0] else None
                if after[0][1] == began[0][1]:
                    return

    async def _moment(self, index: Index) -> tuple[object, int, object]:
        others = await self._database.changes_of_others()
        return await index.moment(), self._database.generation, others

    async def _count(self, table: str) -> int:
        # The size of each row is kept in a table of numbers; to count the rows themselves would read every text.
        return int((await self._database.ask(f"SELECT COUNT(*) FROM {table}_docsize"))[0][0])

    # -- looking for words -----------------------------------------------------------------------------------------

    async def relevance(self, asked: Asked, weights: Weights, limit: int) -> dict[str, float]:
        """The memories that a question speaks of, by id, the most relevant `limit` of each table.

        Relevance goes from 0 to 1: the sum of BM25 over the tables, against what a memory would have of usual length
        that holds every word of the question once, also in its headline.
        """
        found: dict[int, float] = {}
        guessed: dict[int, float] = {}
        ideal = least = 0.0
        looked: dict[tuple[str, float], list[str]] = {}
        for stream in _streams(asked, weights):
            if self._totals.get(stream.table, 0) <= FEW:
                texts, worth = await self._weighed(stream)
                add(guessed if stream.table == PIECES else found, texts, stream.weight)
            else:
                rare, worth = await self._rare(stream)
                looked.setdefault((stream.table, stream.weight), []).extend(rare)
            if stream.own:  # What only stands for the question's words can add, and is not missed.
                ideal += stream.weight * worth
            if stream.table == PIECES:
                least = GUESSED * stream.weight * worth
        for (table, weight), wanted in looked.items():
            if not wanted:
                continue
            rows = await self._database.ask(
                f"SELECT rowid, rank FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?",
                (" OR ".join(f'"{term}"' for term in wanted), limit),
            )
            texts = {int(number): -float(rank) for number, rank in rows}
            add(guessed if table == PIECES else found, texts, weight)
        add(found, {number: worth for number, worth in guessed.items() if number in found or worth >= least}, 1.0)
        if not found:
            return {}
        # A short text may have more than is ideal, and one that has other words for it as well.
        most = max(ideal, *found.values())
        names = await self._names(found)
        return {names[number]: worth / most for number, worth in found.items() if number in names}

    async def _weighed(self, stream: _Stream) -> tuple[dict[int, float], float]:
        """What texts are worth by a stream, in a table of few, and what one of usual length would be that has all.

        FTS5 gives next to nothing for a term that half of the texts have, which in a handful of them is any term; so
        where they are few they are weighed here, all of them.
        """
        rows = await self._database.ask(f"SELECT rowid, terms FROM {stream.table}")
        texts = {int(number): str(text).split() for number, text in rows}
        having = Counter(term for text in texts.values() for term in set(text))
        # What two have of two is still rare where most memories have no such text at all.
        total = max(len(texts), min(HANDFUL, max(self._totals.values())))
        weights = {term: smooth_inverse(max(1, having[term]), total) for term in stream.wanted}
        return bm25(texts, weights), sum(weights.values())

    async def _rare(self, stream: _Stream) -> tuple[list[str], float]:
        """Those of a stream's terms that are worth looking for, and what all of them are worth that are not too common:
        the sum of their inverse frequencies, which is BM25 of a text of usual length that has each of them once."""
        total = self._totals.get(stream.table, 0)
        counts = dict.fromkeys(stream.wanted, 0)
        marks = ", ".join("?" * len(counts))
        for term, count in await self._database.ask(
            f"SELECT term, doc FROM {stream.table}_count WHERE term IN ({marks})", tuple(counts)
        ):
            counts[str(term)] = int(count)
        most = max(FEW, (COMMON_PIECE if stream.table == PIECES else COMMON) * total)
        if all(count > most for count in counts.values()):
            most = total  # There is nothing else to go by.
        # What no text has counts as what one has: one word that is nowhere is not to outweigh all others.
        worth = sum(inverse(max(1, count), total) for count in counts.values() if count <= most)
        return [term for term, count in counts.items() if 0 < count <= most], worth

    async def _names(self, numbers: Iterable[int]) -> dict[int, str]:
        found: dict[int, str] = {}
        for some in _batches(list(numbers)):
            marks = ", ".join("?" * len(some))
            rows = await self._database.ask(f"SELECT number, id FROM text WHERE number IN ({marks})", some)
            found.update((int(number), str(identifier)) for number, identifier in rows)
        return found

    # -- forgetting ------------------------------------------------------------------------------------------------

    async def forget(self, identifier: str) -> bool:
        """Erases what is kept of a memory, also from FTS5's own pages and from the journal; tells whether nothing of it
        is left in the file."""
        async with self._lock:
            self._at = None
            if await self._database.ask("SELECT 1 FROM text WHERE id = ?", (identifier,)):
                await self._database.write(_Write(self._database, [identifier], []))
            # Of what was deleted before, and may have been an earlier text of it, FTS5 has the words until it merges.
            await self._database.write(_Merge(self._database))
            return await self._database.scrub()


def add(sums: dict[int, float], some: Mapping[int, float], weight: float) -> None:
    for number, worth in some.items():
        sums[number] = sums.get(number, 0.0) + weight * worth


def headline_of(memory: Memory) -> str:
    """What a memory is about in a line: its first line, its tags, and the names of the code that it is anchored to."""
    first = next((line.strip().lstrip("# ") for line in memory.body.splitlines() if line.strip()), "")
    return " ".join([first, *memory.tags, *_names_of(memory)])


def text_of(memory: Memory) -> str:
    """All that a memory says."""
    return "\n".join([memory.body, *memory.fields.values(), *memory.tags, *_names_of(memory)])


def _names_of(memory: Memory) -> list[str]:
    return [anchor.place.symbol or anchor.place.file.rpartition("/")[2] for anchor in memory.anchors]


def _batches(some: Sequence[T]) -> Iterator[Sequence[T]]:
    return (some[start : start + BATCH] for start in range(0, len(some), BATCH))


def _streams(asked: Asked, weights: Weights) -> list[_Stream]:
    streams = []
    for wanted, worth, own in ((asked.words, 1.0, True), (asked.expanded, weights.expanded, False)):
        other, chinese = by_script(wanted)
        streams += [
            _Stream("word", tuple(other), worth, own),
            _Stream("headline", tuple(other), worth * weights.head, own),
            _Stream("chinese", tuple(chinese), worth * weights.chinese, own),
            _Stream("chinese_headline", tuple(chinese), worth * weights.chinese * weights.head, own),
        ]
    streams.append(_Stream(PIECES, asked.grams, weights.grams, True))
    return [stream for stream in streams if stream.wanted and stream.weight > 0]


@dataclass(frozen=True, slots=True)
class _Cut:
    """A memory as it is written: for each of `TABLES` its terms."""

    id: str
    digest: str
    terms: tuple[str, ...]


def _cut_all(memories: Iterable[Memory], digests: Mapping[str, str], lexicon: Lexicon) -> list[_Cut]:
    return [_cut(memory, digests[memory.id], lexicon) for memory in memories]


def _cut(memory: Memory, digest: str, lexicon: Lexicon) -> _Cut:
    head, whole = headline_of(memory), text_of(memory)
    words, chinese = by_script(chain(terms(whole), lexicon.alike(whole)))
    head_words, head_chinese = by_script(chain(terms(head), lexicon.alike(head)))
    # A headline's pieces count twice, as its words do by a table of their own.
    pieces = [*grams(whole), *grams(head)]
    streams = (words, head_words, chinese, head_chinese, pieces)
    return _Cut(memory.id, digest, tuple(" ".join(stream) for stream in streams))


@dataclass(frozen=True, slots=True)
class _Write:
    """Transaction: some memories are taken out, and those of them that are there put in."""

    database: Database
    out: Sequence[str]
    cut: Sequence[_Cut]

    async def __call__(self) -> None:
        database = self.database
        names = [(identifier,) for identifier in self.out]
        for table in TABLES:
            await database.many(f"DELETE FROM {table} WHERE rowid = (SELECT number FROM text WHERE id = ?)", names)
        await database.many("DELETE FROM text WHERE id = ?", names)
        await database.many("INSERT INTO text (id, digest) VALUES (?, ?)", [(one.id, one.digest) for one in self.cut])
        for at, table in enumerate(TABLES):
            rows = [(one.id, one.terms[at]) for one in self.cut if one.terms[at]]
            await database.many(
                f"INSERT INTO {table} (rowid, terms) VALUES ((SELECT number FROM text WHERE id = ?), ?)", rows
            )


@dataclass(frozen=True, slots=True)
class _Merge:
    """Transaction: every table is merged into one piece, without the words of what was deleted."""

    database: Database

    async def __call__(self) -> None:
        for table in TABLES:
            await self.database.many(f"INSERT INTO {table} ({table}) VALUES (?)", [("optimize",)])
