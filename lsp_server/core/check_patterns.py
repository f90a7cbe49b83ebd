"""Patterns of checks: searched in time that grows with the text alone, since they come from repositories.

RE2 (google-re2) never goes back in the text, so that no pattern makes it hang; what it costs is bounded by the length
of the text times the size of the pattern, and that product by `MOST`. Refuses what RE2 refuses: back-references and
look-around.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

LONGEST = 500
"""Characters of a pattern."""

MEMORY = 8 << 20
"""Bytes that RE2 may use for one pattern (its own default): what needs more is refused when it is compiled, and with
less it falls back to its slow engine more often."""

MOST = 10_000_000
"""Bytes of text times instructions of the pattern: about a seventh of a second in the worst case that we found
(`a[ab]{60}c` in random letters, of which no automaton can be kept); nearly always a thousandth of that."""

FLAGS = "ims"


class PatternError(ValueError):
    """A pattern that cannot be used. The message says why, in one line."""


class TooMuch(Exception):
    """The text is too long for the pattern."""


def check_pattern(pattern: str, flags: str) -> None:
    """Raises PatternError for a pattern that cannot be used, also where RE2 is not installed."""
    _compiled(pattern, flags)


def has_match(pattern: str, flags: str, data: bytes) -> bool:
    """Whether a pattern matches anywhere in a text. Raises PatternError, and TooMuch where it would cost too much."""
    compiled = _compiled(pattern, flags)
    if len(data) * compiled.programsize > MOST:
        raise TooMuch
    return compiled.search(data) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str, flags: str) -> Any:
    if len(pattern) > LONGEST:
        raise PatternError(f"a pattern has at most {LONGEST} characters: shorten it")
    try:
        re2 = importlib.import_module("re2")
    except ImportError:
        raise PatternError("patterns need the package google-re2: install it") from None
    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False
    # `^` and `$` are at line ends, as they are in an editor's search.
    letters = "".join(sorted({*flags, "m"}))
    try:
        return re2.compile(f"(?{letters}:{pattern})", options)
    except re2.error as error:
        said = error.args[0] if error.args else "it is no pattern"
        said = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise PatternError(" ".join(said.split())) from None
