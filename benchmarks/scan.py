"""What a look at a whole repository costs, next to reading and hashing the files that memories are anchored in.

Run: python benchmarks/scan.py [--files 2000] [--anchors 20000] [--around 0,8000] [--rounds 3] [--keep DIR]

A repository is made of real code: what this Python, and npm where it is there, have installed. Memories are recorded on
its definitions through `moorline record --batch`, and then the whole is looked at by fresh processes: the first
`moorline check` (no database is there), the second, one after some files changed, and a server's first scan. Each
figure is divided by the time that reading and hashing the anchored files takes in this process, in the same round. What
each row means stands in README.md beside this file. Linux and macOS.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from latency import until_scanned
from latency_client import CAPABILITIES, Client, python
from latency_stage import ENVIRONMENT, git, record

from lsp_server.core.source import read_source
from lsp_server.core.text import Text

SUFFIXES = (".py", ".pyi", ".js", ".mjs", ".cjs", ".ts", ".c", ".h", ".css", ".json", ".md", ".toml", ".sh")
LARGEST = 400_000
"""Bytes over which a file is left out: few projects have such files, and one would count for hundreds."""
TOGETHER = 2_000
"""Memories that one `record --batch` records."""
CHANGED = 50
"""One file in so many changes before the third look."""
MOORLINE = python("-m", "lsp_server")

FLOOR = "reading and hashing"

Figures = dict[str, float]


@dataclass(frozen=True)
class Repository:
    """A repository with memories. `anchored` are the files that they are anchored in."""

    folder: Path
    anchored: tuple[Path, ...]
    memories: int
    around: int


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    names = [int(number) for number in options.around.split(",")]
    with tempfile.TemporaryDirectory(prefix="moorline-scan-") as temporary:
        home = Path(options.keep) if options.keep else Path(temporary)
        made = [built(home / f"{options.files}-{options.anchors}-{around}", around, options) for around in names]
        rounds: dict[int, list[Figures]] = {one.around: [] for one in made}
        for number in range(options.rounds):
            for one in made:
                rounds[one.around].append(measured(one))
                say(f"round {number + 1}, {one.around} files around: {shown(rounds[one.around][-1])}")
    print(table(made, rounds, options))
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=2000, help="files with memories (default: %(default)s)")
    parser.add_argument("--anchors", type=int, default=20000, help="anchors in all (default: %(default)s)")
    parser.add_argument("--around", default="0,8000", help="other files beside them (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument("--sources", metavar="DIR", help="take source files from there instead of what is installed")
    parser.add_argument("--keep", metavar="DIR", help="keep the repositories there, and take them again the next time")
    return parser.parse_args(arguments)


# -- the repository ------------------------------------------------------------------------------------------------


def built(folder: Path, around: int, options: argparse.Namespace) -> Repository:
    """The repository in `folder`, made if it is not there yet."""
    listing = folder.with_suffix(".json")
    if not listing.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = fill(folder, sources(options.sources), options.files, around)
        lines = batch(folder, names[: options.files], options.anchors)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "a first version")
        for start in range(0, len(lines), TOGETHER):
            say(f"recording {start + TOGETHER} of {len(lines)} in {folder.name}")
            record(folder, lines[start : start + TOGETHER])
        found = {"anchored": names[: options.files], "memories": len(lines)}
        listing.write_text(json.dumps(found), encoding="utf-8")
    kept = json.loads(listing.read_text(encoding="utf-8"))
    return Repository(folder, tuple(folder / name for name in kept["anchored"]), kept["memories"], around)


def fill(folder: Path, paths: Sequence[Path], files: int, around: int) -> list[str]:
    """Copies source files into the repository; answers their names, those with definitions in them first."""
    names: list[str] = []
    others: list[tuple[Path, str]] = []
    for number, path in enumerate(paths):
        name = f"part_{number % 40:02d}/{path.parent.name}_{number:05d}/{path.name}"
        if len(names) < files and len(definitions(path)) >= 3:
            names.append(put(folder, name, path.read_bytes()))
        else:
            others.append((path, name))
        if len(names) == files and len(others) >= around:
            break
    if len(names) < files:
        raise SystemExit(f"only {len(names)} source files with definitions are there: ask for fewer --files")
    for number in range(around):
        # Where they are too few, they are taken again, a line longer.
        again, at = divmod(number, len(others) or 1)
        path, name = others[at]
        names.append(put(folder, f"around_{again}/{name}", path.read_bytes() + b"\n" * again))
    return names


def put(folder: Path, name: str, data: bytes) -> str:
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return name


def sources(folder: str | None) -> list[Path]:
    """Source files of a folder, or those that are installed here; no two the same, in an order that mixes packages and
    languages."""
    paths = sysconfig.get_paths()
    places = {Path(paths[name]) for name in ("stdlib", "purelib", "platlib", "include")}
    if folder is not None:
        places = {Path(folder)}
    elif npm := shutil.which("npm"):
        done = subprocess.run([npm, "root", "-g"], capture_output=True, text=True)
        places.add(Path(done.stdout.strip() or "."))
    found: dict[str, Path] = {}
    for place in sorted(places):
        for path in sorted(place.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and 200 < path.stat().st_size < LARGEST:
                found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return [found[key] for key in sorted(found)]


def definitions(path: Path) -> list[str]:
    """Paths of the definitions in a file that alone have theirs."""
    source = read_source(path.name, Text.of(path.read_bytes()))
    if source.outline is None:
        return []
    found = [symbol.path for symbol in source.outline.symbols]
    return [one for one in dict.fromkeys(found) if found.count(one) == 1 and "\n" not in one and len(one) < 200]


def batch(folder: Path, names: Sequence[str], anchors: int) -> list[dict[str, object]]:
    """Memories with an anchor each, spread evenly over the files and over the definitions in each."""
    lines: list[dict[str, object]] = []
    for number, name in enumerate(names):
        wanted = -(-(anchors - len(lines)) // (len(names) - number))
        there = definitions(folder / name)
        step = max(1, len(there) // max(1, wanted))
        for path in there[::step][:wanted]:
            text = f"{path} stays as it is, since callers of {name} count on it ({len(lines)})."
            lines.append({"anchors": [{"file": name, "symbol": path}], "kind": "decision", "text": text})
    return lines


# -- looking at it -------------------------------------------------------------------------------------------------


def measured(repository: Repository) -> Figures:
    """One round: milliseconds of the floor, of each look and of its processor time, and peaks in megabytes."""
    found = floor(repository)
    forget(repository)
    found |= named("first check", check(repository, 0))
    found |= named("second check", check(repository, 0))
    changed = repository.anchored[::CHANGED]
    before = {path: path.read_bytes() for path in changed}
    for path, data in before.items():
        path.write_bytes(b"\n\n" + data)
    found |= named("after a change", check(repository, 0))
    for path, data in before.items():
        path.write_bytes(data)
    forget(repository)
    found |= named("server, first scan", serve(repository))
    found |= named("server, second start", serve(repository))
    return found


def floor(repository: Repository) -> Figures:
    """Milliseconds that reading the anchored files and hashing them takes, the best of three, by the clock and of the
    processor."""
    walls, spent = [], []
    for _ in range(3):
        start, begun = time.perf_counter(), time.process_time()
        for path in repository.anchored:
            hashlib.sha256(path.read_bytes()).digest()
        walls.append(time.perf_counter() - start)
        spent.append(time.process_time() - begun)
    return {FLOOR: min(walls) * 1000, f"{FLOOR}: processor": min(spent) * 1000}


def forget(repository: Repository) -> None:
    """Deletes the databases, which nothing is lost with."""
    for path in (repository.folder / ".moorline").glob("*.db*"):
        path.unlink()


def check(repository: Repository, wanted: int) -> tuple[float, float, float]:
    """Runs `moorline check --json`: wall and processor milliseconds, and the peak of its memory in megabytes."""
    start = time.perf_counter()
    with subprocess.Popen(
        [*MOORLINE, "check", "--json"],
        cwd=repository.folder,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = (time.perf_counter() - start) * 1000
    if process.returncode != wanted:
        raise SystemExit(f"moorline check ended with {process.returncode}: {output[-500:].decode(errors='replace')}")
    summary = json.loads(output)["summary"]
    if summary["memories"] != repository.memories or summary["stale"] or summary["unverifiable"]:
        raise SystemExit(f"moorline check found {summary}")
    scale = 1 if sys.platform == "darwin" else 1024
    return wall, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss * scale / 1024 / 1024


def serve(repository: Repository) -> tuple[float, float, float]:
    """Starts a server until it has looked at everything: wall and processor milliseconds, and the peak in megabytes."""
    client = Client([*MOORLINE, "lsp"], repository.folder, ENVIRONMENT)
    try:
        root = repository.folder.as_uri()
        folders = [{"uri": root, "name": "stage"}]
        params = {"processId": None, "rootUri": root, "capabilities": CAPABILITIES, "workspaceFolders": folders}
        _, number = client.ask("initialize", params)
        client.answer(number)
        client.notify("initialized", {})
        wall = (until_scanned(client) - client.started) * 1000
        spent, memory = processor(client.process.pid), peak(client.process.pid) or client.memory()
        client.shut_down()
        return wall, spent, memory
    finally:
        client.kill()


def processor(process: int) -> float:
    """Milliseconds that all threads of a process have run on a processor; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1000
    except (OSError, ValueError, IndexError):
        return 0.0


def peak(process: int) -> float:
    """The most megabytes that a process has held in memory; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, ValueError, IndexError):
        return 0.0


def named(name: str, figures: tuple[float, float, float]) -> Figures:
    wall, processor, memory = figures
    found = {name: wall, f"{name}: processor": processor, f"{name}: memory": memory}
    return {key: value for key, value in found.items() if value}


# -- showing it ----------------------------------------------------------------------------------------------------


def table(made: Sequence[Repository], rounds: Mapping[int, Sequence[Figures]], options: argparse.Namespace) -> str:
    """A Markdown table: times as ratios to the floor of the same round, memory in megabytes."""
    lines = [
        f"{options.files} files ({languages(made[0])}) with {made[0].memories} anchors, {options.rounds} rounds",
        "",
        "| | " + " | ".join(f"inside of {options.files + one.around:,} files" for one in made) + " |",
        "|---|" + "---:|" * len(made),
    ]
    for name in rounds[made[0].around][0]:
        cells = [cell(name, rounds[one.around]) for one in made]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(name: str, rounds: Sequence[Figures]) -> str:
    if name.startswith(FLOOR):
        return f"{statistics.median(one[name] for one in rounds):.0f} ms"
    if name.endswith("memory"):
        return f"{statistics.median(one[name] for one in rounds):.0f} MB"
    under = f"{FLOOR}: processor" if name.endswith("processor") else FLOOR
    return f"{statistics.median(one[name] / one[under] for one in rounds):.0f} ×"


def shown(figures: Figures) -> str:
    return ", ".join(f"{name} {value:.0f}" for name, value in figures.items())


def languages(repository: Repository) -> str:
    """How many anchored files there are of each suffix."""
    suffixes = [path.suffix for path in repository.anchored]
    counts = sorted(((suffixes.count(one), one) for one in set(suffixes)), reverse=True)
    return ", ".join(f"{count} {suffix}" for count, suffix in counts)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
