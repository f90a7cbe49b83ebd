"""The benchmarks run, at a size that takes seconds. What they measure is nobody's condition: machines differ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
FIGURES = {
    "init",
    "first_answer",
    "all_shown",
    "rss_open",
    "hover_p50",
    "key_diag_p50",
    "key_diag_paced_p99",
    "shutdown",
}


@pytest.mark.skipif(os.name == "nt", reason="the measuring client waits on pipes with select")
def test_latency_runs_and_reports_each_server(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    size = ["--lines", "60", "--anchors", "5", "--memories", "8", "--rounds", "1", "--keys", "4", "--bursts", "1"]
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "latency.py"), *size, "--json", str(out)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert {entry["server"] for entry in found} == {"ours", "raw", "pygls"}
    for entry in found:
        assert [set(figures) >= FIGURES for figures in entry["rounds"]] == [True]
        assert all(value > 0 for figures in entry["rounds"] for value in figures.values())
    assert "ours ÷ pygls" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="the measuring client waits on pipes with select")
def test_scan_runs_and_shows_ratios(tmp_path: Path) -> None:
    for number in range(6):
        text = "".join(f"def f{at}(a):\n    return call(a, {number}, {at})\n\n\n" for at in range(9))
        (tmp_path / f"code_{number}.py").write_text(text)
    (tmp_path / "notes.md").write_text("Notes without a heading, and long enough to be taken.\n" * 5)
    size = ["--files", "4", "--anchors", "12", "--around", "0,3", "--rounds", "1", "--sources", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "scan.py"), *size],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(BENCHMARKS.parent)},
    )
    assert done.returncode == 0, done.stderr
    assert "4 files (4 .py) with 12 anchors" in done.stdout
    kinds = ("| first", "| second", "| after", "| server")
    rows = [line for line in done.stdout.splitlines() if line.startswith(kinds)]
    assert len(rows) >= 10 and all(row.count("|") == 4 for row in rows)


def test_recall_and_the_cost_of_a_search_are_measured(tmp_path: Path) -> None:
    texts = {
        "a": "Retry a failed request three times.\n\nThen give up.",
        "b": "Close the menu on escape.",
        "c": "修复弹窗",
    }
    documents = [{"id": key, "project": "p", "text": text} for key, text in texts.items()]
    query = {"project": "p", "language": "en", "relevant_language": "en", "jaccard": 0.1}
    queries = [
        {**query, "query": "requests are retried", "relevant": ["a"]},
        {**query, "query": "zeppelin", "relevant": ["b"]},
        *[{**query, "query": f"menu {number}", "relevant": ["b"]} for number in range(60)],
    ]
    for name, rows in (("documents", documents), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for name, wanted in (
        ("recall.py", ["| all | 62 | 0.984 | 0.984 | 0.984 |"]),
        ("search_cost.py", ["| search / bare |", "| hover / hover with 100 |"]),
    ):
        more = ["--memories", "300"] if name == "search_cost.py" else []
        done = subprocess.run(
            [sys.executable, str(BENCHMARKS / name), str(tmp_path), *more], capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        assert all(one in done.stdout for one in wanted), done.stdout
