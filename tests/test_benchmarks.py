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
