"""The corpus of labelled definitions, and what counts as right of what is said about one of them.

A definition was labelled at commit A by what became of it at commit B; see the corpus's own README for the format and
the rules. What is said about it is an anchor as `moorline check --json` answers it, however it was come by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Case = Mapping[str, Any]
Said = Mapping[str, Any]
"""An anchor as `check --json` answers it: verdict, stale, reason, detail, now, candidates."""

FRESH = ("same-text", "cosmetic", "docstring")
FOLLOWED = ("moved", "renamed", "file-renamed")
EDITED = ("moved-and-edited", "renamed-and-edited")
CHANGED = ("changed", "members-changed")
GONE = ("deleted", "file-deleted")
STALE = (*CHANGED, *EDITED, *GONE)
LABELS = (*FRESH, *FOLLOWED, *STALE)

LOST = ("missing", "file_missing")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two commits of one repository: path -> SHA-256 of the content, at each."""

    id: str
    before: Mapping[str, str]
    after: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """What was said about one case. `said` is None where the symbol could not be anchored to; `error` then says why.

    `listed`: how the outline knows the symbol: "path" by the label's own path, "line" under another path on its line,
    "" not at all.
    """

    case: Case
    said: Said | None
    listed: str
    error: str = ""

    @property
    def outcome(self) -> str:
        return "not listed" if self.said is None else outcome(self.case, self.said)


Judge = Callable[["Corpus", Pair, Sequence[Case]], list[Result]]


class Corpus:
    """The labelled cases and the contents of the files that they name."""

    def __init__(self, folder: Path) -> None:
        self._blobs = folder / "blobs"
        self.pairs = {
            line["id"]: Pair(line["id"], line["filesA"], line["filesB"]) for line in _lines(folder / "pairs.jsonl")
        }
        self.cases: list[Case] = list(_lines(folder / "labels.jsonl"))

    def content(self, digest: str) -> bytes:
        return (self._blobs / digest[:2] / digest).read_bytes()


def label_of(case: Case) -> str:
    """The label, with docstring changes and members' changes told apart, as they are scored apart."""
    finer = {"docstring-changed": "docstring", "members-changed": "members-changed"}
    return (
        finer.get(str(case.get("sublabel")), case["label"])
        if case["label"] in ("cosmetic", "changed")
        else case["label"]
    )


def outcome(case: Case, said: Said) -> str:
    """`right`, or what is wrong with a verdict."""
    label, now = label_of(case), said["now"]
    if said["verdict"] == "unverifiable":
        return "unverifiable"
    if label in FRESH:
        if said["stale"]:
            return "false stale"
        return "right" if said["verdict"] != "moved" else "wrong follow"
    if label in FOLLOWED:
        if said["stale"]:
            return "not followed"
        return "right" if is_target(case, now) else "wrong follow"
    if label in CHANGED:
        return "right" if said["stale"] else "missed"
    if label in GONE and now is not None and (now["file"], now["symbol"]) == (case["file"], case["symbol"]):
        # It is still there: the extractor of the labels lost it. The corpus's README says to set such cases aside.
        return "right" if said["stale"] else "set aside"
    if not said["stale"]:
        return "missed"
    if label in EDITED:
        if now is not None:
            return "right" if is_target(case, now) else "wrong follow"
        offered = said["candidates"]
        return "right" if offered and is_target(case, offered[0]) else "not offered"
    return "right" if now is None else "wrong follow"


def is_target(case: Case, place: Mapping[str, Any] | None) -> bool:
    """Whether a place is where the label says that the definition is at B."""
    if place is None or place["file"] != (case.get("target_file") or case["file"]):
        return False
    lines = case.get("target_lines")
    if lines:
        return bool(lines[0] <= place["end_line"] and place["start_line"] <= lines[1])
    return bool(place["symbol"] == (case.get("target_symbol") or case["symbol"]))


def is_symbol(case: Case, path: str, start_line: int, end_line: int) -> bool:
    """Whether a symbol of ours is the labelled definition: on its lines, with its name."""
    first, last = case["lines"]
    name = case["symbol"].rpartition(".")[2]
    return first <= end_line and start_line <= last and path.replace('"', "").rpartition(".")[2] == name


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
