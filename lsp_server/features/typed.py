"""Commands as one would type them: places, ids and words that a shell takes as they are."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lsp_server.core.evidence import TYPES
from lsp_server.features.words import short

PLACEHOLDERS: Mapping[str, str] = MappingProxyType(
    {"test": "TEST", "quote": "WORDS", "file": "FILE:LINES", "url": "ADDRESS", "commit": "COMMIT"}
)
"""What stands in a command for a value that only a person knows, by type of evidence."""

assert set(PLACEHOLDERS) == set(TYPES)

_BARE = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_@%+=:,./#-]*")


def quoted(word: str) -> str:
    """A word as a shell takes it. A `#` inside a word begins no comment, so it needs no quotes."""
    return word if _BARE.fullmatch(word) else shlex.quote(word)


def command(*words: str) -> str:
    """A `moorline` command of words. Those in capitals stand for what only a person can say: `TEXT`, `REASON`."""
    return " ".join(["moorline", *map(quoted, words)])


def transition_command(memory: str, step: Mapping[str, Any]) -> str:
    """The transition of a memory (its id) by a step that `--json` answers under `next`, with all that it asks for."""
    words = ["transition", short(memory), step["state"]]
    for piece in step["evidence"]:
        words += ["--evidence", whole_evidence(piece)]
    if step["reason"]:
        words += ["--reason", "REASON"]
    if step["successor"]:
        words += ["--by", "ID"]
    return command(*words)


def whole_evidence(beginning: str) -> str:
    """Evidence as a step says that it begins, with a word in the place of what is not known."""
    name, _, value = beginning.partition("=")[2].partition(":") if "=" in beginning else beginning.partition(":")
    return beginning if value and not value.endswith("//") else f"{beginning}{PLACEHOLDERS[name]}"


def settle_command(memory: str, state: str, by: str | None) -> str:
    """The transition that settles a dispute for one of its ends, of a memory's id; `by` is the successor there, if any.
    All that the step asks for was given when that end was made."""
    return command("transition", short(memory), state, *(("--by", short(by)) if by else ()))


def candidate_loci(candidates: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each candidate (as `--json` answers it) as a place that can be typed. Of several with one path, by its line."""
    found: list[str] = []
    paths = Counter((candidate["file"], candidate["symbol"]) for candidate in candidates)
    for candidate in candidates:
        file, symbol, line = candidate["file"], candidate["symbol"], candidate["start_line"]
        if symbol and paths[file, symbol] > 1:
            found.append(f"{file}:{line}")
        else:
            found.append(f"{file}#{symbol}" if symbol else f"{file}:{line}-{candidate['end_line']}")
    return [typed_place(place) for place in found]


def typed_place(place: str) -> str:
    """A place as it can be typed: one that begins with a dash would be read as an option."""
    return f"./{place}" if place.startswith("-") else place
