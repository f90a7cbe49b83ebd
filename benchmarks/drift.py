"""How well verdicts tell a real change from none, measured on a corpus of labelled definitions.

Run: python benchmarks/drift.py --corpus DIR [--misses] [--lang L]

DIR holds labels.jsonl, pairs.jsonl and blobs/ as the corpus's own README describes. For each case a baseline is taken
at commit A, the files of commit B take their place, and the verdict is compared with the label. Beside it stand what
three plain methods say: SHA-256 of the whole file, hash of the symbol's text at its path, and the same lines.

The core functions are called directly: `judge` with the file's own text, then for what is missing `search_beyond` with
every file that differs between the two commits, as a checkout that changed those files would give it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lsp_server.core import drift
from lsp_server.core.fingerprint import LIMIT, content_of, fingerprint
from lsp_server.core.model import Anchor, Baseline, Level, Locus, SourceState, Symbol, Verdict
from lsp_server.core.source import Source, read_source
from lsp_server.core.text import Text

Case = Mapping[str, Any]

FRESH = ("same-text", "cosmetic")
FOLLOWED = ("moved", "renamed", "file-renamed")
EDITED = ("moved-and-edited", "renamed-and-edited")
GONE = ("deleted", "file-deleted")
LABELS = (*FRESH, *FOLLOWED, "changed", *EDITED, *GONE)


class Corpus:
    """The labelled cases and the files that they name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pairs = {pair["id"]: pair for pair in _lines(folder / "pairs.jsonl")}
        self.labels = list(_lines(folder / "labels.jsonl"))

    def text(self, digest: str) -> bytes:
        return (self.folder / "blobs" / digest[:2] / digest).read_bytes()

    @lru_cache(maxsize=256)  # noqa: B019 - one corpus lives as long as the program
    def source(self, path: str, digest: str | None) -> Source:
        if digest is None:
            return Source(path, SourceState.GONE)
        return read_source(path, Text.of(self.text(digest)))


def run(corpus: Corpus, cases: Iterable[Case]) -> list[dict[str, Any]]:
    """One result a case: the case with `outcome`, `verdict` and whether that is right."""
    return [judged(corpus, case) for case in cases]


def judged(corpus: Corpus, case: Case) -> dict[str, Any]:
    """The case with its `outcome` and `verdict`."""
    before, after = corpus.pairs[case["pair"]]["filesA"], corpus.pairs[case["pair"]]["filesB"]
    source = corpus.source(case["file"], before.get(case["file"]))
    symbol = find(source, case)
    if symbol is None:
        return {**case, "outcome": "no symbol", "verdict": None}
    anchor = anchored(source, symbol)
    verdict = drift.judge(anchor, lambda path: corpus.source(path, after.get(path)), body_hash="b")
    if verdict.level in (Level.MISSING, Level.FILE_MISSING):
        others = [corpus.source(path, digest) for path, digest in sorted(after.items())]

        def was(path: str) -> Source | None:
            return corpus.source(path, before[path]) if path in before else None

        verdict = drift.search_beyond(anchor, verdict, others, body_hash="b", was=was)
    return {**case, "outcome": outcome(case, verdict), "verdict": verdict}


def find(source: Source, case: Case) -> Symbol | None:
    """The symbol of a case, by its path and its line."""
    if source.outline is None:
        return None
    path = case["symbol"]
    found = [s for s in source.outline.symbols if s.path == path or s.path.replace('"', "") == path]
    if not found:
        last = path.rpartition(".")[2]
        found = [s for s in source.outline.symbols if s.name == last and s.start_line == case["lines"][0]]
    near = [s for s in found if s.start_line == case["lines"][0]]
    if not near:
        near = [s for s in found if case["lines"][0] <= s.start_line <= case["lines"][1]]
    return next(iter(near or found), None)


def anchored(source: Source, symbol: Symbol) -> Anchor:
    """An anchor with one baseline, taken from `source`."""
    place = Locus(source.path, symbol.path)
    content = content_of(source, symbol)
    baseline = Baseline(
        id="1",
        fingerprint=fingerprint(source, symbol),
        place=place,
        content=content if len(content.encode("utf-8", "surrogatepass")) <= LIMIT else None,
        blob=None,
        lines=(symbol.start_line, symbol.end_line),
        body_hash="b",
        state="accepted",
        author="",
        time="",
        revision="",
    )
    return Anchor("a", place, baselines=(baseline,))


def outcome(case: Case, verdict: Verdict) -> str:
    """`right`, or what is wrong with a verdict."""
    label = case["label"]
    if verdict.level is Level.UNVERIFIABLE:
        return "unverifiable"
    if label in FRESH:
        if verdict.stale:
            return "false stale"
        return "right" if verdict.level is not Level.MOVED else "wrong follow"
    if label == "changed":
        return "right" if verdict.stale else "missed"
    if label in FOLLOWED:
        if verdict.stale:
            return "not followed"
        return "right" if at_target(case, verdict) else "wrong follow"
    stands = verdict.now is not None and (verdict.now.file, verdict.now.symbol) == (case["file"], case["symbol"])
    if label in GONE and stands:
        # The label's extractor lost it; the corpus's README says to set such cases aside.
        return "right" if verdict.stale else "set aside"
    if not verdict.stale:
        return "missed"
    if label in EDITED:
        if verdict.now is not None:
            return "right" if at_target(case, verdict) else "wrong follow"
        if verdict.candidates and on_target(case, verdict.candidates[0].place):
            return "right"
        return "not offered"
    return "right" if verdict.now is None else "wrong follow"


def at_target(case: Case, verdict: Verdict) -> bool:
    return verdict.now is not None and on_target(case, verdict.now)


def on_target(case: Case, place: Any) -> bool:
    if place.file != (case.get("target_file") or case["file"]):
        return False
    lines = case.get("target_lines")
    if lines:
        return bool(lines[0] <= place.end_line and place.start_line <= lines[1])
    return bool(place.symbol == (case.get("target_symbol") or case["symbol"]))


def plain_stale(case: Case, method: str) -> bool:
    return not case.get("base", {}).get(method, False)


def report(results: list[dict[str, Any]]) -> None:
    """Prints the tables."""
    rows: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for result in results:
        for lang in (result["lang"], "all"):
            rows[lang, result["label"]][result["outcome"]] += 1
    print(f"{'language':<12}{'label':<20}{'cases':>6}{'right':>7}  wrong")
    for (lang, label), counts in sorted(rows.items(), key=lambda row: (row[0][0], LABELS.index(row[0][1]))):
        wrong = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()) if name != "right")
        print(f"{lang:<12}{label:<20}{sum(counts.values()):>6}{counts['right']:>7}  {wrong}")
    judged = [result for result in results if result["outcome"] not in ("no symbol", "set aside")]
    stale_labels = ("changed", *EDITED, *GONE)
    truth = [result["label"] in stale_labels for result in judged]
    methods = {"moorline": [bool(result["verdict"].stale) for result in judged]}
    for name, field in (("file SHA-256", "file"), ("symbol text", "symbol"), ("line range", "lines")):
        methods[name] = [plain_stale(result, field) for result in judged]
    print(f"\n{'method':<14}{'recall':>9}{'precision':>11}{'false stale':>13}")
    for name, said in methods.items():
        hit = sum(a and b for a, b in zip(said, truth, strict=True))
        fresh = len(truth) - sum(truth)
        false = sum(a and not b for a, b in zip(said, truth, strict=True))
        precision = hit / (hit + false) if hit + false else 1.0
        print(f"{name:<14}{_share(hit, sum(truth)):>9}{precision:>11.2%}{_share(false, fresh):>13}")
    print()
    for name, labels in (
        ("false stale on cosmetic", ("cosmetic",)),
        ("moved, renamed followed", ("moved", "renamed")),
        ("renamed files followed", ("file-renamed",)),
        ("edited and moved: followed or offered first", EDITED),
    ):
        chosen = [result for result in judged if result["label"] in labels]
        bad = "false stale" if labels == ("cosmetic",) else "right"
        print(f"{name:<46}{_share(sum(r['outcome'] == bad for r in chosen), len(chosen))} of {len(chosen)}")
    print(f"{'wrong follows':<46}{sum(r['outcome'] == 'wrong follow' for r in judged)}")
    print(f"{'unverifiable':<46}{sum(r['outcome'] == 'unverifiable' for r in judged)}")
    for name, kind in (("no symbol of ours", "no symbol"), ("set aside: deleted by label, but there", "set aside")):
        print(f"{name:<46}{sum(r['outcome'] == kind for r in results)}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "-"


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, required=True, help="folder with labels.jsonl, pairs.jsonl and blobs/")
    parser.add_argument("--lang", action="append", help="only this language (may be given several times)")
    parser.add_argument("--misses", action="store_true", help="list every case that is not right")
    options = parser.parse_args()
    corpus = Corpus(options.corpus)
    cases = [case for case in corpus.labels if not options.lang or case["lang"] in options.lang]
    began = time.perf_counter()
    results = run(corpus, cases)
    if options.misses:
        for result in results:
            if result["outcome"] != "right":
                said = result["verdict"]
                shown = f"{said.level} {said.reason or ''} {said.now or ''} {said.detail}" if said else ""
                place = f"{result['file']}#{result['symbol']}:{result['lines'][0]}"
                label = f"{result['label']}/{result.get('sublabel')}"
                print(f"{result['id']} {result['lang']} {label} {result['outcome']}: {place} {shown}")
        print()
    report(results)
    print(f"\n{len(results)} cases in {time.perf_counter() - began:.1f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
