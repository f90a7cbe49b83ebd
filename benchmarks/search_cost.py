#!/usr/bin/env python3
"""What a search and a hover cost with a hundred thousand memories, against a bare FTS5 query and against a hundred.

    python benchmarks/search_cost.py SET [--memories N]

SET is the recall set (`recall.py`). Its documents, two put together for each memory, fill the tables that a search
reads, without a ledger: nothing of a search but the loading of the few that were found reads one. The bare query is the
words of the question joined by OR, ordered by `rank`, over one FTS5 table with the same texts. Times are medians of the
processor's time and of the clock, of all threads; what counts is the ratio, taken in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from lsp_server.core.model import Memory
from lsp_server.features import operations
from lsp_server.features.hover import hover
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.features.search import Question
from lsp_server.store.memory_json import dump_memory
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

CODE = "def pay(amount):\n    fee = amount * 2\n    if fee > 3:\n        return fee\n    return amount\n"

QUESTIONS = 60

ROUNDS = 3


def texts_of(folder: Path, number: int) -> list[str]:
    """Texts of memories: the headline of one document above another one."""
    chance = random.Random(1)
    documents = [json.loads(line)["text"] for line in (folder / "documents.jsonl").open(encoding="utf-8")]
    return [f"{chance.choice(documents).splitlines()[0]}\n{chance.choice(documents)}" for _ in range(number)]


def questions_of(folder: Path) -> list[str]:
    queries = [json.loads(line)["query"] for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    return random.Random(2).sample(queries, QUESTIONS)


def bare(texts: Sequence[str]) -> sqlite3.Connection:
    """One FTS5 table with the texts as they are."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE bare USING fts5(text)")
    database.executemany("INSERT INTO bare (text) VALUES (?)", [(text,) for text in texts])
    database.commit()
    return database


def fill(path: Path, texts: Sequence[str]) -> None:
    """Puts memories into an index, as a ledger with so many would have."""
    database = sqlite3.connect(path)
    for number, text in enumerate(texts):
        identifier = f"{number:08x}-0000-7000-8000-000000000000"
        memory = Memory(
            identifier,
            "note",
            text,
            "current",
            True,
            (),
            "Someone",
            "2027-01-01T00:00:00Z",
            "",
            folder=f"n-{number:012x}",
        )
        key = ("shared", memory.folder)
        database.execute("INSERT INTO folder VALUES (?, ?, ?, ?, ?, '[]')", (*key, "stamp", f"{number}", identifier))
        database.execute(
            "INSERT INTO memory VALUES (?, ?, ?, ?, 'note', 1, 1, ?)",
            (*key, identifier, identifier.replace("-", ""), dump_memory(memory)),
        )
    database.commit()
    database.close()


async def timed(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    processor, clock = time.process_time(), time.perf_counter()
    await work()
    return time.process_time() - processor, time.perf_counter() - clock


async def measure(folder: Path, number: int) -> dict[str, tuple[float, float]]:
    """Medians of a search, a bare query and a hover with so many memories."""
    found: dict[str, tuple[float, float]] = {}
    texts, questions = texts_of(folder, number), questions_of(folder)
    with tempfile.TemporaryDirectory() as base:
        (Path(base) / ".moorline").mkdir()
        (Path(base) / "pay.py").write_text(CODE, encoding="utf-8")
        session = await Session.start(find_root(Path(base)))
        try:
            await operations.record_memory(session, Request("note", "Twice.", anchors=(Wanted("pay.py", "pay"),)))
            fill(session.ledger.index_path, texts)
            began = time.perf_counter()
            await session.words()
            print(f"{number}: taking in the words took {time.perf_counter() - began:.1f} s", file=sys.stderr)
            database = bare(texts)

            async def plain(question: str) -> object:
                words = " OR ".join(f'"{word}"' for word in re.split(r"[\W_]+", question) if word)
                query = "SELECT rowid FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 10"
                return database.execute(query, (words,)).fetchall()

            async def search(question: str) -> object:
                return await operations.search_memories(session, Question(question), counted=False)

            async def look(question: str) -> object:
                snapshot = session.snapshot()
                return hover(snapshot, session.view("pay.py"), CODE.index("pay"))

            for name, work in (("bare", plain), ("search", search), ("hover", look)):
                times = [
                    await timed(lambda question=question, work=work: work(question))  # type: ignore[misc]
                    for _ in range(ROUNDS)
                    for question in questions
                ]
                found[name] = (
                    statistics.median(processor for processor, _ in times),
                    statistics.median(clock for _, clock in times),
                )
        finally:
            await session.stop()
    return found


async def compare(folder: Path, number: int) -> None:
    few, many = await measure(folder, 100), await measure(folder, number)
    print(f"| {number} memories | processor, ms | clock, ms |\n|---|---|---|")
    for name, (processor, clock) in many.items():
        print(f"| {name} | {processor * 1000:.2f} | {clock * 1000:.2f} |")
    ratios = [many["search"][at] / many["bare"][at] for at in (0, 1)]
    print(f"| search / bare | {ratios[0]:.2f} | {ratios[1]:.2f} |")
    ratios = [many["hover"][at] / few["hover"][at] for at in (0, 1)]
    print(f"| hover / hover with 100 | {ratios[0]:.2f} | {ratios[1]:.2f} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("set", type=Path, help="the folder with documents.jsonl and queries.jsonl")
    parser.add_argument("--memories", type=int, default=100_000)
    options = parser.parse_args()
    asyncio.run(compare(options.set, options.memories))
    return 0


if __name__ == "__main__":
    sys.exit(main())
