"""The terms of a text, as search compares them: words, parts of identifiers and cut Chinese.

Knows how a text is cut, so that `verifyJwt`, `verify_jwt` and "verify the JWT" meet, and Chinese that nobody parts.
Refuses to know what a term is worth, or where texts lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
"""A Chinese character (CJK Unified Ideographs with extension A, and compatibility ones)."""

LONGEST = 64
"""Characters of a word beyond which it is data and no word: it is cut there."""

_RUN = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff]+|[^\\W_\u3400-\u9fff\uf900-\ufaff]+(?:_+[^\\W_\u3400-\u9fff\uf900-\ufaff]+)*"
)
_GRAM = 3


def terms(text: str) -> list[str]:
    """The terms of a text in order: the stems of words and of the parts of identifiers, each identifier of several
    parts whole as well, and each two neighbouring Chinese characters (one that stands alone by itself)."""
    found: list[str] = []
    for run in runs(text):
        if HAN.match(run):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
            continue
        parts = [part.lower()[:LONGEST] for part in parts_of(run)]
        found += map(stem, parts)
        if len(parts) > 1:
            found.append("".join(parts)[:LONGEST])
    return found


def grams(text: str) -> list[str]:
    """The pieces of three characters of each word of a text, whole where it has no more; none of Chinese, which is cut
    small already.

    They meet where words differ in an ending, are misspelt, or are written in one.
    """
    found: list[str] = []
    for run in runs(text):
        if HAN.match(run):
            continue
        for word in run.lower().split("_"):
            if 0 < len(word) <= _GRAM:
                found.append(word)
            found += [word[at : at + _GRAM] for at in range(min(len(word), LONGEST) - _GRAM + 1) if len(word) > _GRAM]
    return found


def neighbours(text: str) -> frozenset[tuple[str, str]]:
    """The pairs of terms that stand side by side in a text."""
    found = terms(text)
    return frozenset(pairwise(found))


def by_script(some: Iterable[str]) -> tuple[list[str], list[str]]:
    """Terms as those of other scripts, and those of Chinese: a text is long or short among texts of one of them."""
    other: list[str] = []
    chinese: list[str] = []
    for term in some:
        (chinese if is_chinese(term) else other).append(term)
    return other, chinese


def parts_of(identifier: str) -> list[str]:
    """The parts of an identifier: at underscores, between letters and digits, and where capitals begin a word."""
    found: list[str] = []
    start = 0
    last = len(identifier) - 1
    for at in range(1, len(identifier)):
        before, here = identifier[at - 1], identifier[at]
        if (
            before.isdigit() != here.isdigit()
            or (here.isupper() and not before.isupper())
            or (here.isupper() and at < last and identifier[at + 1].islower())
            or "_" in (before, here)
        ):
            found.append(identifier[start:at])
            start = at
    found.append(identifier[start:])
    return [part for part in found if part.strip("_")]


def runs(text: str) -> Iterator[str]:
    """Words, identifiers and runs of Chinese, as they are written."""
    return (found.group() for found in _RUN.finditer(text))


def is_chinese(text: str) -> bool:
    return HAN.search(text) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of an English word in small letters (Snowball's English stemmer, Porter 2001); others come back as they
    are, or nearly so, in documents and questions alike."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    stemmed: str = _stemmer().stemWord(word)
    return stemmed


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer  # Loaded by whoever searches, and by nobody else.

    return snowballstemmer.stemmer("english")
