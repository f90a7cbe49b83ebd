"""How long an editor waits for Moorline, side by side with two servers that do nothing.

Run: python benchmarks/latency.py [--lines 1000,10000] [--memories 1000] [--rounds 5] [--json FILE]

In each round every server is started once per file length, the order turned from round to round, so that whatever else
the machine does hits all alike. A ratio is taken inside each round, and the median over the rounds is shown: read the
ratios, not the times. What each figure means stands in README.md beside this file.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latency_client import CAPABILITIES, Client, Gone, Json, Message, packed, python
from latency_stage import ENVIRONMENT, Spot, Stage, build

HERE = Path(__file__).resolve().parent
OURS = "ours"
SERVERS: Mapping[str, list[str]] = {
    OURS: python("-m", "lsp_server", "lsp"),
    "raw": python(str(HERE / "floor_raw.py")),
    "pygls": python(str(HERE / "floor_pygls.py")),
}

PACE = 0.030
"""Seconds between two keys of paced typing: a fast typist's roll is slower."""

SCAN_LIMIT = 300.0
"""Seconds that the first look at a workspace may take."""

BURST = 100
"""Changes that a burst sends in one go."""

Figures = dict[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    lengths = [int(lines) for lines in options.lines.split(",")]
    names = [name for name in SERVERS if name in options.servers.split(",")]
    rounds: dict[tuple[int, str], list[Figures]] = {(lines, name): [] for lines in lengths for name in names}
    with tempfile.TemporaryDirectory(prefix="moorline-latency-") as folder:
        stages = {lines: stage(Path(folder) / str(lines), lines, options) for lines in lengths}
        for number in range(options.rounds + 1):
            for lines in lengths:
                turn = number % len(names)
                for name in names[turn:] + names[:turn]:
                    gc.collect()
                    figures = measured(SERVERS[name], stages[lines], options, seed=number)
                    if number:  # The first round only warms caches and compiles.
                        rounds[lines, name].append(figures)
                        say(f"round {number}, {lines} lines, {name}: {shown(figures)}")
    for lines in lengths:
        print(table(lines, {name: rounds[lines, name] for name in names}, options))
    if options.json:
        found = [{"lines": lines, "server": name, "rounds": kept} for (lines, name), kept in rounds.items()]
        Path(options.json).write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", default="1000,10000", help="lengths of the file, in lines (default: %(default)s)")
    parser.add_argument("--anchors", type=int, default=100, help="anchored functions in it (default: %(default)s)")
    parser.add_argument("--memories", type=int, default=1000, help="memories in the store (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count (default: %(default)s)")
    parser.add_argument("--keys", type=int, default=100, help="keys, and hovers, a round (default: %(default)s)")
    parser.add_argument("--bursts", type=int, default=3, help="bursts a round (default: %(default)s)")
    parser.add_argument("--servers", default=",".join(SERVERS), help="which to run (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write every round's figures")
    return parser.parse_args(arguments)


def stage(folder: Path, lines: int, options: argparse.Namespace) -> Stage:
    say(f"a workspace with a file of {lines} lines and {options.memories} memories")
    return build(folder, lines, options.anchors, options.memories)


# -- one server, once ----------------------------------------------------------------------------------------------


def measured(command: list[str], stage: Stage, options: argparse.Namespace, seed: int) -> Figures:
    """Starts a server, plays the whole story with it and ends it; answers milliseconds, and megabytes."""
    client = Client(command, stage.folder, ENVIRONMENT)
    ours = command is SERVERS[OURS]
    try:
        found = opened(client, stage, expected=len(stage.spots) if ours else 0)
        typing = Typing(client, stage, random.Random(seed))
        for name, play in {
            "hover": typing.hovers,
            "key_diag": typing.keys,
            "key_diag_paced": typing.paced,
        }.items():
            before = client.processor()
            times = play(options.keys)
            if worked := client.processor() - before:
                found[f"{name}_cpu"] = worked / len(times)
            found |= {f"{name}_p50": statistics.median(times), f"{name}_p99": percentile(times, 99)}
        found["burst_per_edit"] = statistics.median(typing.burst(BURST) for _ in range(options.bursts)) / BURST
        found["rss_end"] = client.memory()
        found["shutdown"] = client.shut_down() * 1000
        return found
    except Gone as error:
        raise SystemExit(f"{' '.join(command)}: {error}") from error
    finally:
        client.kill()


def opened(client: Client, stage: Stage, expected: int) -> Figures:
    """Starts the conversation and opens the file; waits until all that is anchored in it is shown."""
    root = stage.folder.as_uri()
    folders = [{"uri": root, "name": "stage"}]
    params = {"processId": None, "rootUri": root, "capabilities": CAPABILITIES, "workspaceFolders": folders}
    _, number = client.ask("initialize", params)
    initialized, _ = client.answer(number)
    client.notify("initialized", {})
    document = {"uri": stage.uri, "languageId": "python", "version": 1, "text": stage.text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    _, number = client.ask("textDocument/hover", at(stage, stage.spots[0].name))
    answered, message = client.answer(number)
    if not message.get("result"):
        raise Gone("the first hover was answered with nothing")
    shown = scanned = answered
    if expected:
        shown = all_shown(client, expected)
    memory = client.memory()
    if expected:
        scanned = until_scanned(client)
    client.idle(time.perf_counter() + 0.5)
    return {
        "init": (initialized - client.started) * 1000,
        "first_answer": (answered - client.started) * 1000,
        "all_shown": (shown - client.started) * 1000,
        "scanned": (scanned - client.started) * 1000,
        "rss_open": memory,
        "rss_scanned": client.memory(),
    }


def all_shown(client: Client, expected: int) -> float:
    def is_full(message: Message) -> bool:
        return message.publishes and len(message.value["params"]["diagnostics"]) >= expected

    return client.wait(is_full)[0]


def until_scanned(client: Client) -> float:
    """Waits until the server says that its first look at the workspace is done; answers when."""

    def is_end(message: Message) -> bool:
        if message.publishes or message.value.get("method") != "$/progress":
            return False
        return bool(message.value["params"]["value"].get("kind") == "end")

    return client.wait(is_end, SCAN_LIMIT)[0]


class Typing:
    """Someone at the keyboard. Every key is inside an anchored function and changes its code, or changes it back."""

    def __init__(self, client: Client, stage: Stage, random: random.Random) -> None:
        self.client = client
        self.stage = stage
        self.random = random
        self.version = 1

    def hovers(self, count: int) -> list[float]:
        """Milliseconds of hovers on names of anchored functions, one at a time."""
        times = []
        for _ in range(count):
            self.client.seen.clear()
            start, number = self.client.ask("textDocument/hover", at(self.stage, self.some().name))
            end, message = self.client.answer(number)
            if not message.get("result"):
                raise Gone("a hover was answered with nothing")
            times.append((end - start) * 1000)
        return times

    def keys(self, count: int) -> list[float]:
        """Milliseconds from a key to the diagnostics that answer it; the next key once they are there."""
        times = []
        for _ in range(count // 2):
            spot, digit = self.some(), self.digit()
            for change in (typed(spot, digit), deleted(spot)):
                self.client.seen.clear()
                start = self.client.send(self.changed(change))
                end, _ = self.client.published(self.version)
                times.append((end - start) * 1000)
        return times

    def paced(self, count: int) -> list[float]:
        """The same with a key each `PACE` seconds, whether the last one was answered or not."""
        spots = self.random.sample(self.stage.spots, min(count // 2, len(self.stage.spots)))
        changes = [typed(spot, self.digit()) for spot in spots] + [deleted(spot) for spot in spots]
        sent: list[tuple[float, int]] = []
        self.client.seen.clear()
        first = time.perf_counter()
        for number, change in enumerate(changes):
            self.client.idle(first + number * PACE)
            data = self.changed(change)
            sent.append((self.client.send(data), self.version))
        came: list[tuple[float, int]] = []
        while not came or came[-1][1] < self.version:
            came.append(self.client.published(0))
        answers = iter(came)
        when, version = next(answers)
        times = []
        for start, wanted in sent:
            while version < wanted:
                when, version = next(answers)
            times.append((when - start) * 1000)
        return times

    def burst(self, count: int) -> float:
        """Milliseconds from many changes sent in one go, and a hover behind them, to the hover's answer."""
        spots = [self.some() for _ in range(count // 2)]
        changes = [change for spot in spots for change in (typed(spot, self.digit()), deleted(spot))]
        data = b"".join([self.changed(change) for change in changes])
        start = self.client.send(data)
        _, number = self.client.ask("textDocument/hover", at(self.stage, spots[-1].name))
        end, _ = self.client.answer(number)
        self.client.idle(time.perf_counter() + 0.3)
        self.client.seen.clear()
        return (end - start) * 1000

    def some(self) -> Spot:
        return self.random.choice(self.stage.spots)

    def digit(self) -> str:
        return self.random.choice("123456789")

    def changed(self, change: Json) -> bytes:
        self.version += 1
        document = {"uri": self.stage.uri, "version": self.version}
        params = {"textDocument": document, "contentChanges": [change]}
        return packed({"method": "textDocument/didChange", "params": params})


def at(stage: Stage, position: tuple[int, int]) -> Json:
    return {"textDocument": {"uri": stage.uri}, "position": point(*position)}


def point(line: int, character: int) -> Json:
    return {"line": line, "character": character}


def typed(spot: Spot, digit: str) -> Json:
    return {"range": {"start": point(*spot.digit), "end": point(*spot.digit)}, "text": digit}


def deleted(spot: Spot) -> Json:
    line, character = spot.digit
    return {"range": {"start": point(line, character), "end": point(line, character + 1)}, "text": ""}


# -- figures -------------------------------------------------------------------------------------------------------


def percentile(values: Sequence[float], share: int) -> float:
    """The value below which `share` of a hundred lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


@dataclass(frozen=True)
class Row:
    """A figure of each server, and ours as a share of each other one's."""

    name: str
    values: Mapping[str, float]
    ratios: Mapping[str, float]


def rows(rounds: Mapping[str, Sequence[Figures]]) -> Iterator[Row]:
    """Medians over the rounds; a ratio is the median of the rounds' own ratios."""
    first = next(iter(rounds.values()))
    for name in first[0]:
        values = {server: statistics.median(found[name] for found in kept) for server, kept in rounds.items()}
        ratios = {}
        for server, kept in rounds.items():
            if server != OURS and OURS in rounds:
                pairs = zip(rounds[OURS], kept, strict=True)
                ratios[server] = statistics.median(one[name] / other[name] for one, other in pairs if other[name])
        yield Row(name, values, ratios)


def table(lines: int, rounds: Mapping[str, Sequence[Figures]], options: argparse.Namespace) -> str:
    """A Markdown table of one file length."""
    servers = list(rounds)
    others = [name for name in servers if name != OURS and OURS in servers]
    heads = ["figure", *servers, *[f"{OURS} ÷ {name}" for name in others]]
    body = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for row in rows(rounds):
        ratios = [f"{row.ratios[name]:.2f}" for name in others]
        body.append([row.name, *[number(row.values[name]) for name in servers], *ratios])
    widths = [max(len(line[column]) for line in body) for column in range(len(heads))]
    drawn = [" | ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in body]
    said = f"{lines} lines, {options.anchors} anchors, {options.memories} memories, {options.rounds} rounds (ms, MB)"
    return "\n".join(["", said, "", *[f"| {line} |" for line in drawn]])


def number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def shown(figures: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {number(figures[name])}" for name in ("init", "hover_p50", "key_diag_p50", "rss_open"))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
