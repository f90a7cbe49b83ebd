"""A formatter makes nothing stale: formatters of the test extra, over sources of packages that are installed anyway.

`benchmarks/formatters.py` does the same with more formatters, languages and files. Here the sample is small, so that a
kind of rewrite that is not in the style table stands out: each stale one is printed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from support.restyled import Restyled, compare

from lsp_server.core import fingerprint
from lsp_server.core.style import STYLES

PACKAGES = ("pygls", "rich", "pytest", "hypothesis", "lsprotocol")
FILES = 3
"""Files of each package."""

MODULES = ("cmd", "copy", "csv", "fileinput", "glob", "netrc", "pprint", "shelve")
"""Of the standard library, whose style is older than any formatter."""

LARGEST = 40_000
"""Bytes of a file that is taken."""

TARGET = 0.005
"""The largest share of stale symbols (issue "Drift that can be trusted", "Done when" 2)."""

LEAST_REWRITTEN = 0.2
"""The least share of symbols that a formatter must have rewritten, or the sample says nothing."""

RUFF_OTHERWISE = [
    "ruff",
    "format",
    "-q",
    "--isolated",
    "--line-length",
    "60",
    "--config",
    "format.quote-style='single'",
]
FORMATTERS = {
    "black": (["black", "-q"], MODULES),
    "black, lines of 60": (["black", "-q", "-l", "60", "--skip-magic-trailing-comma"], PACKAGES),
    "ruff": (["ruff", "format", "-q", "--isolated"], MODULES),
    "ruff, single quotes": (RUFF_OTHERWISE, MODULES + PACKAGES),
}
"""Commands of Python modules, and over what they are run. Packages are in black's style already, so that only other
options than the usual ones rewrite them."""

PRETTIER = ["--write", "--log-level", "silent", "--no-semi", "--single-quote", "--trailing-comma", "none"]
ROOT = Path(__file__).resolve().parents[2]
NODE_MODULES = ROOT / "editors" / "vscode" / "node_modules"
BENCHMARK = ROOT / "benchmarks" / "formatters.py"


def sources(name: str) -> list[Path]:
    """A module of the standard library, or the first files of an installed package, in the order of their names, that
    are long enough to say something."""
    if name in MODULES:
        return [Path(sysconfig.get_path("stdlib"), f"{name}.py")]
    files = metadata.distribution(name).files or []
    paths = [Path(str(file.locate())) for file in sorted(files) if file.suffix == ".py"]
    return [path for path in paths if path.is_file() and 4000 < path.stat().st_size < LARGEST][:FILES]


def formatted(command: Sequence[str], paths: Sequence[Path], folder: Path) -> Restyled:
    copies = [folder / f"{number}{path.suffix}" for number, path in enumerate(paths)]
    for path, copy in zip(paths, copies, strict=True):
        shutil.copyfile(path, copy)
    subprocess.run([*command, *map(str, copies)], check=True, capture_output=True, timeout=60)
    counted = Restyled()
    for path, copy in zip(paths, copies, strict=True):
        compare(path.name, path.read_bytes(), copy.read_bytes(), counted)
    return counted


def check_formatter(counted: Restyled) -> None:
    print(f"{counted.symbols} symbols in {counted.files} files, {counted.rewritten} rewritten")
    for kind, differences in counted.kinds():
        print(f"{len(differences)} x {kind}")
        for difference in differences:
            print(f"  {difference.place}\n    - {difference.before}\n    + {difference.after}")
    assert counted.rewritten >= LEAST_REWRITTEN * counted.symbols > 0
    assert counted.share <= TARGET
    assert counted.uncertain == 0


@pytest.mark.parametrize("name", FORMATTERS)
def test_a_python_formatter_makes_nothing_stale(name: str, tmp_path: Path) -> None:
    command, names = FORMATTERS[name]
    check_formatter(formatted([sys.executable, "-m", *command], [p for one in names for p in sources(one)], tmp_path))


def test_prettier_makes_nothing_stale(tmp_path: Path) -> None:
    program = shutil.which("prettier", path=str(NODE_MODULES / ".bin")) or shutil.which("prettier")
    if program is None:
        pytest.skip("prettier is not installed")
    paths = [
        path
        for path in sorted(NODE_MODULES.glob("*/*.js"))
        if 2000 < path.stat().st_size < LARGEST and max(map(len, path.read_bytes().splitlines())) < 300
    ][:20]
    if len(paths) < 10:
        pytest.skip("the npm packages of the VS Code extension are not installed")
    check_formatter(formatted([program, *PRETTIER], paths, tmp_path))


@pytest.mark.parametrize("entry", ["commas", "literals", "wrapped"])
def test_it_would_be_seen(entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one entry of the style table, the same run is over the target."""
    less = replace(STYLES["python"], **{entry: type(getattr(STYLES["python"], entry))()})
    monkeypatch.setattr(fingerprint, "style_for", lambda table: less if table == "python" else STYLES[table])
    monkeypatch.setattr(fingerprint, "_codes", fingerprint._Memo())
    monkeypatch.setattr(fingerprint, "_likenesses", fingerprint._Memo())
    counted = formatted([sys.executable, "-m", *RUFF_OTHERWISE], sources("rich"), tmp_path)
    assert counted.share > TARGET


def test_the_benchmark_says_the_same(tmp_path: Path) -> None:
    for path in sources("rich"):
        shutil.copyfile(path, tmp_path / path.name)
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--only", "--sources", str(tmp_path), "--formatter", "ruff format, single"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": programs},
        timeout=60,
    )
    counted = Restyled()
    for path in sources("rich"):
        compare(path.name, path.read_bytes(), path.read_bytes(), counted)
    assert done.returncode == 0, done.stderr
    language, *_, files, symbols, rewritten, unsure, stale, share = done.stdout.splitlines()[1].split()
    assert (language, int(files), int(symbols)) == ("python", FILES, counted.symbols)
    assert int(rewritten) > 0 and (unsure, stale, share) == ("0", "0", "0.00%")
