"""How well verdicts tell a real change from none, measured on a corpus of labelled definitions.

    python benchmarks/drift.py --corpus DIR

DIR holds labels.jsonl, pairs.jsonl and blobs/, as the corpus's own README describes. Every case is replayed through the
public command line (see `drift_replay`); `--direct` asks the core functions instead, which takes seconds, and `--twins`
asks both and lists where they differ. Beside our figures stand those of three plain methods: the SHA-256 of the whole
file, a hash of the symbol's text at its path, and the same lines.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from drift_corpus import EDITED, FOLLOWED, FRESH, LABELS, STALE, Case, Corpus, Judge, Result, label_of
from drift_direct import direct
from drift_replay import HISTORIES, Replay

METHODS = ("moorline", "file SHA-256", "symbol text", "line range")
_BASE = {"file SHA-256": "file", "symbol text": "symbol", "line range": "lines"}
NOT_SCORED = ("not listed", "set aside")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True, help="folder with labels.jsonl, pairs.jsonl and blobs/")
    parser.add_argument("--lang", action="append", help="only this language; may be repeated")
    parser.add_argument("--pair", action="append", help="only this pair of commits; may be repeated")
    parser.add_argument("--misses", action="store_true", help="list every case that is not right")
    parser.add_argument("--direct", action="store_true", help="ask the core functions, not the command line")
    parser.add_argument("--twins", action="store_true", help="ask both, and list where they differ")
    parser.add_argument("--history", choices=HISTORIES, default=HISTORIES[0], help="what of A and B git has committed")
    parser.add_argument("--jobs", type=int, default=1, help="pairs that are replayed at once")
    options = parser.parse_args()
    corpus = Corpus(options.corpus)
    cases = [case for case in corpus.cases if not options.lang or case["lang"] in options.lang]
    cases = [case for case in cases if not options.pair or case["pair"] in options.pair]
    began = time.perf_counter()
    results = run(corpus, cases, direct if options.direct else Replay(options.history), options.jobs)
    seconds = time.perf_counter() - began
    if options.misses:
        print_misses(results)
    print_table(results)
    print_targets(results)
    print(f"\n{len(results)} cases in {seconds:.1f} s")
    return print_differences(results, run(corpus, cases, direct)) if options.twins else 0


def run(corpus: Corpus, cases: Iterable[Case], judge: Judge, jobs: int = 1) -> list[Result]:
    """The results of `judge`, pair by pair."""
    by_pair: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_pair[case["pair"]].append(case)
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda pair: judge(corpus, corpus.pairs[pair], by_pair[pair]), by_pair)
        return [result for results in found for result in results]


# -- the table ---------------------------------------------------------------------------------------------------------


def print_table(results: Sequence[Result]) -> None:
    """By language and label how many cases each method calls stale, and what became of those that went elsewhere; then
    the language's precision, recall and false-stale rate, by method."""
    print(
        f"{'language':<11}{'label':<20}{'cases':>6}{'listed':>8}"
        + "".join(f"{method:>14}" for method in METHODS)
        + f"{'followed':>10}{'offered':>9}{'wrong':>7}"
    )
    languages = sorted({result.case["lang"] for result in results})
    for language in (*languages, "all"):
        mine = [result for result in results if language in (result.case["lang"], "all")]
        for label in LABELS:
            rows = [result for result in mine if label_of(result.case) == label]
            if rows:
                print(f"{language:<11}{label:<20}" + label_row(label, rows))
        scored = [result for result in mine if result.outcome not in NOT_SCORED]
        for name, figure in FIGURES.items():
            print(f"{language:<11}{name:<34}" + "".join(f"{figure(scored, method):>14}" for method in METHODS))
        print()


def label_row(label: str, rows: Sequence[Result]) -> str:
    scored = [result for result in rows if result.outcome not in NOT_SCORED]
    listed = sum(result.said is not None for result in rows)
    shares = [share(sum(is_stale(result, method) for result in scored), len(scored)) for method in METHODS]
    text = f"{len(rows):>6}{listed:>8}" + "".join(f"{value:>14}" for value in shares)
    if label not in (*FOLLOWED, *EDITED):
        return text + f"{'':>19}{wrong_follows(scored):>7}"
    followed = sum(result.outcome == "right" and result.said["now"] is not None for result in scored if result.said)
    right = sum(result.outcome == "right" for result in scored)
    return text + f"{followed:>10}{right - followed:>9}{wrong_follows(scored):>7}"


def is_stale(result: Result, method: str) -> bool:
    """Whether a method calls a case stale."""
    if method == METHODS[0]:
        return bool(result.said and result.said["stale"])
    return not result.case.get("base", {}).get(_BASE[method], False)


def is_truly_stale(result: Result) -> bool:
    return label_of(result.case) in STALE


def recall(results: Sequence[Result], method: str) -> str:
    true = [result for result in results if is_truly_stale(result)]
    return share(sum(is_stale(result, method) for result in true), len(true))


def precision(results: Sequence[Result], method: str) -> str:
    said = [result for result in results if is_stale(result, method)]
    return share(sum(map(is_truly_stale, said)), len(said))


def false_stale(results: Sequence[Result], method: str) -> str:
    fresh = [result for result in results if not is_truly_stale(result)]
    return share(sum(is_stale(result, method) for result in fresh), len(fresh))


FIGURES: dict[str, Callable[[Sequence[Result], str], str]] = {
    "= recall of stale": recall,
    "= precision of stale": precision,
    "= false stale": false_stale,
}


def wrong_follows(results: Sequence[Result]) -> int:
    return sum(result.outcome == "wrong follow" for result in results)


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "-"


# -- beside the table --------------------------------------------------------------------------------------------------


def print_targets(results: Sequence[Result]) -> None:
    """The figures that there are targets for."""
    scored = [result for result in results if result.outcome not in NOT_SCORED]

    def right(labels: Sequence[str]) -> str:
        chosen = [result for result in scored if label_of(result.case) in labels]
        return f"{share(sum(result.outcome == 'right' for result in chosen), len(chosen))} of {len(chosen)}"

    soft = [result for result in scored if label_of(result.case) in FRESH[1:]]
    by_path = sum(result.listed == "path" for result in results)
    listed = sum(result.said is not None for result in results)
    rows = {
        "recall of stale (99.8%)": recall(scored, METHODS[0]),
        "false stale (0.2%)": false_stale(scored, METHODS[0]),
        "false stale on cosmetic and docstring (0.5%)": false_stale(soft, METHODS[0]),
        "symbols listed (99%)": f"{share(listed, len(results))}, {share(by_path, len(results))} under the label's path",
        "moved, renamed: followed (98%)": right(("moved", "renamed")),
        "file renamed: followed": right(("file-renamed",)),
        "moved or renamed and edited: followed or first (85%)": right(EDITED),
        "wrong follows (0)": str(wrong_follows(scored)),
        "cannot tell": str(sum(result.outcome == "unverifiable" for result in scored)),
        "set aside: deleted by label, but there": str(sum(result.outcome == "set aside" for result in results)),
    }
    for name, value in rows.items():
        print(f"{name:<56}{value}")


def print_misses(results: Sequence[Result]) -> None:
    for result in results:
        if result.outcome == "right":
            continue
        case = result.case
        place = f"{case['file']}#{case['symbol']}:{case['lines'][0]}"
        print(f"{case['id']} {case['lang']} {case['label']}/{case.get('sublabel')} {result.outcome}: {place}")
        print(f"    {shown(result)}")
    print()


def print_differences(results: Sequence[Result], others: Sequence[Result]) -> int:
    """Lists where two ways of asking disagree; 1 where they do."""
    differing = [(one, two) for one, two in zip(results, others, strict=True) if essence(one) != essence(two)]
    print(f"\n{len(differing)} cases are judged otherwise by the core functions")
    for one, two in differing:
        case = one.case
        print(f"{case['id']} {case['lang']} {case['label']}: {case['file']}#{case['symbol']}:{case['lines'][0]}")
        print(f"    command line: {one.outcome}: {shown(one)}\n    core: {two.outcome}: {shown(two)}")
    return 1 if differing else 0


def essence(result: Result) -> tuple[object, ...]:
    """What two ways of asking must agree on. Candidates only where they are scored: the core is given every file of
    commit B, while the product looks where the code may be, and so lists less of what it is not."""
    said = result.said
    if said is None:
        return (None,)
    return result.outcome, said["verdict"], said["reason"], said["now"]


def shown(result: Result) -> str:
    if result.said is None:
        return result.error
    now = result.said["now"]
    places = [now] if now else result.said["candidates"][:2]
    where = ", ".join(f"{place['file']}#{place['symbol']}:{place['start_line']}" for place in places)
    arrow = "->" if now else "could be"
    return (
        f"{result.said['verdict']} {result.said['reason'] or ''} {arrow} {where or 'nothing'}: {result.said['detail']}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
