#!/usr/bin/env python3
"""Sets up this checkout and runs its two jobs: `python3 dev.py demo` and `python3 dev.py test`.

Needs Python 3.11 or newer, Node and git; everything else is installed below this folder (`.venv`, `.cache`,
`node_modules`) from the package registries. Uses the standard library alone, since nothing is installed when it starts.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
CACHE = ROOT / ".cache"
WINDOWS = os.name == "nt"
BIN = "Scripts" if WINDOWS else "bin"
OLDEST = (3, 11)
NEWEST = (3, 14)


class Failed(Exception):
    """A step that did not succeed; the message is what to print."""


def main() -> int:
    if sys.version_info[:2] < OLDEST:
        print(f"Python {sys.version.split()[0]} is too old: run this with Python 3.11 or newer", file=sys.stderr)
        return 2
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    jobs = parser.add_subparsers(dest="job", required=True)
    demo = jobs.add_parser("demo", help="set up, then play the whole story in a real Neovim on real code")
    demo.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to `moorline demo`")
    test = jobs.add_parser("test", help="set up, then run every check")
    editors = ["vscode", "neovim"]
    test.add_argument("--require", action="append", default=[], choices=editors, help="fail where it cannot run")
    test.add_argument("--quick", action="store_true", help="only linters and the tests that start no editor")
    options = parser.parse_args()
    os.chdir(ROOT)
    return play(options.arguments) if options.job == "demo" else check(options)


def play(arguments: Sequence[str]) -> int:
    python = environment(Path(sys.executable), ROOT / ".venv", "demo")
    return subprocess.call([str(python), "-m", "lsp_server", "demo", *arguments])


def check(options: argparse.Namespace) -> int:
    python = environment(Path(sys.executable), ROOT / ".venv", "test")
    tool = python.parent
    unit = ["tests", "--ignore=tests/editors", "-n", "2", "-q"]
    steps: list[tuple[str, Callable[[], None]]] = [
        ("ruff", lambda: run(python, "-m", "ruff", "check", "lsp_server", "tests", "benchmarks", "dev.py")),
        (
            "ruff format",
            lambda: run(python, "-m", "ruff", "format", "--check", "lsp_server", "tests", "benchmarks", "dev.py"),
        ),
        ("mypy", lambda: run(python, "-m", "mypy")),
        ("layers", lambda: run(tool / ("lint-imports.exe" if WINDOWS else "lint-imports"))),
        ("tests", lambda: run(python, "-m", "pytest", *unit)),
        ("our own memories", lambda: run(python, "-m", "lsp_server", "check")),
    ]
    if not options.quick:
        steps += [
            (f"tests on Python {version}", lambda other=other: on_other(other, unit))  # type: ignore[misc]
            for version, other in other_pythons()
        ]
        steps += [
            ("VS Code extension", extension),
            ("editors", lambda: editors(python, options.require)),
        ]
    return report([(name, *timed(name, step)) for name, step in steps])


def timed(name: str, step: Callable[[], None]) -> tuple[str, float]:
    print(f"\n== {name}", flush=True)
    start = time.monotonic()
    try:
        step()
    except Failed as failed:
        return str(failed), time.monotonic() - start
    return "", time.monotonic() - start


def report(results: Sequence[tuple[str, str, float]]) -> int:
    print("\n== summary")
    for name, failure, seconds in results:
        print(f"{'FAILED' if failure else 'ok':7} {name} ({seconds:.0f} s){': ' + failure if failure else ''}")
    return 1 if any(failure for _, failure, _ in results) else 0


def environment(base: Path, folder: Path, extra: str) -> Path:
    """A virtual environment with this checkout installed in it; made anew when what is to be installed changed."""
    python = folder / BIN / ("python.exe" if WINDOWS else "python")
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + extra.encode() + sys.version.encode()).hexdigest()
    mark = folder / ".installed"
    if mark.is_file() and mark.read_text().split()[-1:] == [wanted] and python.exists():
        return python
    print(f"setting up {folder.relative_to(ROOT)} (once, about a minute)", flush=True)
    run(base, "-m", "venv", "--clear", str(folder))
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", f".[{extra}]")
    mark.write_text(wanted)
    return python


def other_pythons() -> list[tuple[str, Path]]:
    """Every other supported Python on this machine, by version: on the PATH, or where pyenv keeps them."""
    found: dict[str, Path] = {}
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        version = f"3.{minor}"
        if (3, minor) == sys.version_info[:2]:
            continue
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        candidates = [*sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)]
        on_path = shutil.which(f"python{version}")
        for candidate in [*candidates, *([Path(on_path)] if on_path else [])]:
            probe = subprocess.run(
                [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
            )
            if probe.returncode == 0 and probe.stdout.strip() == version:
                found[version] = candidate
                break
    return sorted(found.items())


def on_other(base: Path, unit: Sequence[str]) -> None:
    folder = CACHE / "venvs" / base.parent.parent.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    python = environment(base, folder, "test")
    run(python, "-m", "pytest", *unit, "-p", "no:cacheprovider")


def extension() -> None:
    """Type-checks and packages the VS Code extension."""
    folder = ROOT / "editors" / "vscode"
    npm = shutil.which("npm")
    if npm is None:
        raise Failed("npm is not on the PATH: install Node 20 or newer")
    lock = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    mark = folder / "node_modules" / ".moorline-lock"
    if not mark.is_file() or mark.read_text() != lock:
        run(npm, "ci", "--no-audit", "--no-fund", cwd=folder)
        mark.write_text(lock)
    run(npm, "run", "check", cwd=folder)
    run(npm, "run", "package", cwd=folder)


def editors(python: Path, required: Sequence[str]) -> None:
    """The stories in real editors; one that cannot run here says so, and fails if it is required."""
    variables = {**os.environ, "MOORLINE_REQUIRE": ",".join(required)}
    run(python, "-m", "pytest", "tests/editors", "-q", "-rs", env=variables)


def run(program: Path | str, *arguments: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Runs a program to its end. Raises Failed where it does not succeed."""
    code = subprocess.call([str(program), *arguments], cwd=cwd, env=env)
    if code:
        raise Failed(f"{Path(program).name} {' '.join(arguments[:3])} ended with {code}")


if __name__ == "__main__":
    sys.exit(main())
