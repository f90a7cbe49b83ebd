"""Evaluation: how well search finds what a case says must be found.

A case is `{"query", "name", "profile", "limit", "task", "near", "any", "all", "loci"}`, most of it left out: `any` and
`all` are ids, or beginnings of them, of memories of which one, or each, must be found; `loci` are places of which each
must be where something found is anchored. Knows the measures; refuses to know files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsp_server.core.locus import LocusError, parse_stored_locus
from lsp_server.core.model import Locus
from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.report import VERSION
from lsp_server.features.search import LIMIT, Question
from lsp_server.workspace.session import Session

MAX_BYTES = 16 * 1024 * 1024
"""Largest file of cases that is read."""

MEASURES = ("hit_rate", "mrr", "ndcg")

_TEXTS, _LISTS = ("query", "name", "profile", "task", "near"), ("any", "all", "loci")
"""The keys of a case that hold a text, and those that hold a list of texts."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is asked, and what must be found. `name` tells the case from others, of the same query too."""

    name: str
    question: Question
    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()
    loci: tuple[str, ...] = ()


async def evaluate(
    session: Session, cases: Sequence[Case], tell: Callable[[int, int], None] = lambda done, total: None
) -> dict[str, Any]:
    """`{"version", "summary": {"cases", "hit_rate", "mrr", "ndcg"}, "cases": [{"name", "query", "hit", "mrr", "ndcg",
    "ranks", "missing"}]}`. A case is hit where all that it asks for is found; the summary has the means. Nothing is
    counted as asked or recalled. Raises Refused where a case cannot be searched.
    """
    found = []
    for done, case in enumerate(cases, 1):
        answer = await operations.search_memories(session, case.question, counted=False)
        found.append(judged(case, answer["memories"]))
        tell(done, len(cases))
    summary: dict[str, Any] = {"cases": len(found)}
    for name, key in zip(MEASURES, ("hit", "mrr", "ndcg"), strict=True):
        summary[name] = round(sum(float(one[key]) for one in found) / len(found), 6) if found else 0.0
    return {"version": VERSION, "summary": summary, "cases": found}


def judged(case: Case, memories: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What of a case was found, and at which ranks (from 1).

    MRR is one over the first rank with something that the case wants; nDCG is over the first rank of each thing that it
    wants, one for whichever of `any` comes first (Järvelin and Kekäläinen 2002, with gains of one).
    """
    ranks: dict[str, int | None] = {}
    if case.any:
        ranks["any of " + ", ".join(case.any)] = first(one["id"].startswith(case.any) for one in memories)
    for wanted in case.all:
        ranks[wanted] = first(one["id"].startswith(wanted) for one in memories)
    for text in case.loci:
        place = locus_of(text)
        ranks[text] = first(is_at(one, place) for one in memories)
    missing = [name for name, rank in ranks.items() if rank is None]
    # Two things that one memory meets are one hit.
    hits = sorted({rank for rank in ranks.values() if rank is not None})
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(hits) + len(missing), case.question.limit) + 1))
    return {
        "name": case.name,
        "query": case.question.text,
        "hit": not missing,
        "mrr": round(1 / hits[0], 6) if hits else 0.0,
        "ndcg": round(sum(1 / math.log2(rank + 1) for rank in hits) / ideal, 6),
        "ranks": ranks,
        "missing": missing,
    }


def first(fits: Iterable[bool]) -> int | None:
    """The rank of the first that fits, from 1."""
    return next((rank for rank, fit in enumerate(fits, 1) if fit), None)


def is_at(memory: Mapping[str, Any], place: Locus) -> bool:
    """Whether a memory is anchored at a place, where its code is now or was last."""
    for anchor in memory["anchors"]:
        now = anchor["now"] or anchor
        if now["file"] == place.file and (place.symbol is None or now["symbol"] == place.symbol):
            lines = (now.get("start_line"), now.get("end_line"))
            if place.lines is None or (None not in lines and lines[0] <= place.lines[1] and place.lines[0] <= lines[1]):
                return True
    return False


def changes(before: Any, after: Mapping[str, Any]) -> dict[str, Any]:
    """What an earlier result of `evaluate` had otherwise: the differences of the means, and each case that is `lost`,
    `won`, `worse`, `better`, `new` or `gone`, by its name. Raises Refused where it is no such result."""
    try:
        was = {str(one["name"]): (bool(one["hit"]), float(one["mrr"]), float(one["ndcg"])) for one in before["cases"]}
        means = {name: round(after["summary"][name] - float(before["summary"][name]), 6) for name in MEASURES}
    except (KeyError, TypeError, ValueError):
        raise Refused("the baseline is no result of moorline eval; make one with --save") from None
    found: list[dict[str, Any]] = []
    for one in after["cases"]:
        known = was.pop(one["name"], None)
        if known is None:
            found.append({"name": one["name"], "what": "new", "mrr": None})
            continue
        hit, mrr, ndcg = known
        step = (one["mrr"] - mrr, one["ndcg"] - ndcg)
        if one["hit"] != hit:
            what = "won" if one["hit"] else "lost"
        elif step == (0, 0):
            continue
        else:
            what = "better" if step > (0, 0) else "worse"
        found.append({"name": one["name"], "what": what, "mrr": round(step[0], 6)})
    found += [{"name": name, "what": "gone", "mrr": None} for name in was]
    return {"summary": means, "cases": found}


# -- reading cases -----------------------------------------------------------------------------------------------------


def read_cases(data: Any) -> list[Case]:
    """Cases from JSON: a list of them, or an object with such a list as `cases`. Raises Refused, naming the case."""
    listed = data.get("cases") if isinstance(data, dict) else data
    if not isinstance(listed, list) or not listed:
        raise Refused('cases are a list: [{"query": ..., "any": [ID, ...]}]')
    cases = [_case(number, one) for number, one in enumerate(listed, 1)]
    names = [case.name for case in cases]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(f'two cases are called {twice[:60]!r}; give each a "name" of its own')
    return cases


def locus_of(text: str) -> Locus:
    """A place as memories hold it, relative to the root. Raises Refused where it is none."""
    try:
        return parse_stored_locus(text)
    except LocusError as error:
        raise Refused(f"{text[:60]!r} {error}") from None


def _case(number: int, data: Any) -> Case:
    def wrong(says: str) -> Refused:
        return Refused(f"case {number}: {says}")

    if not isinstance(data, dict) or not str(data.get("query", "")).strip():
        raise wrong('a case is an object with a "query"')
    for key, value in data.items():
        if key in _TEXTS and not isinstance(value, str):
            raise wrong(f"{key} is a text")
        if key in _LISTS and not (isinstance(value, list) and value and all(isinstance(o, str) and o for o in value)):
            raise wrong(f"{key} is a list of texts")
        if key not in (*_TEXTS, *_LISTS, "limit"):
            raise wrong(f"no key {key[:40]!r}; keys: {', '.join((*_TEXTS, 'limit', *_LISTS))}")
    limit = data.get("limit", LIMIT)
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise wrong("limit is a number")
    if not any(key in data for key in _LISTS):
        raise wrong("it says nothing that must be found: give any, all or loci")
    question = Question(
        data["query"],
        near=locus_of(data["near"]) if "near" in data else None,
        profile=data.get("profile", "default"),
        task=data.get("task", ""),
        limit=limit,
    )
    return Case(str(data.get("name", question.text)), question, *(tuple(data.get(key, ())) for key in _LISTS))
