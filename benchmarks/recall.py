#!/usr/bin/env python3
"""How well search finds: real changelog lines against the commits that they tell of, by slice, as one table.

    python benchmarks/recall.py SET

SET is a folder with documents.jsonl (`id`, `project`, `text`) and queries.jsonl (`project`, `query`, `relevant`,
`language`, `relevant_language`, `jaccard`). Each project's documents are recorded as notes in a workspace of its own,
and each query is searched as `moorline search` does. MRR@10, nDCG@10, recall@5.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lsp_server.core.ranking import Weights
from lsp_server.features import operations
from lsp_server.features.record import Request
from lsp_server.features.search import Question
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

HARD = 0.3
"""Jaccard overlap of query and document from which on a query is easy (the set's README)."""

DEPTH = 10


async def ranked(
    folder: Path, documents: Sequence[Mapping[str, Any]], queries: Sequence[Mapping[str, Any]], weights: Weights
) -> tuple[list[list[str]], float]:
    """The ids of documents that each query finds, the best first; and the seconds that all of the queries took."""
    (folder / ".moorline").mkdir()
    session = await Session.start(find_root(folder))
    try:
        names: dict[str, str] = {}
        requests = [Request("note", one["text"], allow_secret=True) for one in documents]
        for one, answer in zip(documents, await operations.record_many(session, requests), strict=True):
            if isinstance(answer, dict):
                names[answer["id"]] = one["id"]
        await session.words()
        found = []
        began = time.perf_counter()
        for query in queries:
            question = Question(query["query"], limit=DEPTH)
            answer = await operations.search_memories(session, question, None, weights)
            found.append([names[memory["id"]] for memory in answer["memories"]])
        return found, time.perf_counter() - began
    finally:
        await session.stop()


def slices(query: Mapping[str, Any]) -> Iterable[str]:
    yield "all"
    language = query["language"]
    yield language
    yield f"{language} {'hard' if query['jaccard'] < HARD else 'easy'}"
    if language == "zh":
        yield f"zh, relevant is {'Chinese' if query['relevant_language'] == 'zh' else 'English'}"


def measures(found: Sequence[str], relevant: Iterable[str]) -> tuple[float, float, float]:
    """Reciprocal rank and normalised discounted gain within ten, and recall within five."""
    wanted = set(relevant)
    hits = [rank for rank, one in enumerate(found[:DEPTH], 1) if one in wanted]
    gain = sum(1 / math.log2(rank + 1) for rank in hits)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), DEPTH) + 1))
    return (1 / hits[0] if hits else 0.0), gain / ideal, sum(rank <= 5 for rank in hits) / len(wanted)


async def evaluate(folder: Path, weights: Weights) -> tuple[dict[str, list[tuple[float, float, float]]], float]:
    documents = [json.loads(line) for line in (folder / "documents.jsonl").open(encoding="utf-8")]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open(encoding="utf-8")]
    scores: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    seconds = 0.0
    for project in dict.fromkeys(one["project"] for one in documents):
        own = [one for one in queries if one["project"] == project]
        with tempfile.TemporaryDirectory() as base:
            found, took = await ranked(
                Path(base), [one for one in documents if one["project"] == project], own, weights
            )
        seconds += took
        for query, names in zip(own, found, strict=True):
            for name in (*slices(query), project):
                scores[name].append(measures(names, query["relevant"]))
    return scores, seconds / len(queries)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("set", type=Path, help="the folder with documents.jsonl and queries.jsonl")
    parser.add_argument("--weight", action="append", default=[], metavar="NAME=N", help="another weight, to compare")
    options = parser.parse_args()
    weights = Weights()
    for item in options.weight:
        name, _, number = item.partition("=")
        weights = replace(weights, **{name: float(number)})
    scores, seconds = asyncio.run(evaluate(options.set, weights))
    print("| queries | n | MRR@10 | nDCG@10 | recall@5 |")
    print("|---|---|---|---|---|")
    for name, rows in scores.items():
        means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        print(f"| {name} | {len(rows)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    print(f"\n{seconds * 1000:.1f} ms a query", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
