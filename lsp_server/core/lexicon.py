"""What search knows beside the words themselves: expressions that mean other words, and two names of one thing.

Data in `data/lexicon.toml`, to which a workspace adds its own. Refuses to know what an expanded word is worth.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from lsp_server.core.terms import is_chinese, runs, stem, terms

FILE = Path(__file__).parent / "data" / "lexicon.toml"


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`expansions`: an expression -> words that may stand for it. `aliases`: a name -> another one of the same thing.
    `empty`: words that say nothing of what a text is about.

    Both are compared without regard to case; an expression of Chinese is found inside of a run of Chinese.
    """

    expansions: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    empty: frozenset[str] = frozenset()

    def telling(self, question: str) -> str:
        """A question without its empty words; all of it where it has no other."""
        kept = [run for run in runs(question) if run.lower() not in self.empty]
        return " ".join(kept) if kept else question

    def expanded(self, question: str) -> list[str]:
        """The terms that may stand for expressions in a question, each once, without those that it has itself.

        A Chinese expression stands in turn for each of its own words: whoever asks in English finds Chinese.
        """
        low = " ".join(question.lower().split())
        own = set(terms(question))
        words = [self.expansions[expression] for expression in self._met(low)]
        words += [one for one, other in self.expansions.items() if is_chinese(one) and not own.isdisjoint(terms(other))]
        return [term for term in dict.fromkeys(term for one in words for term in terms(one)) if term not in own]

    def alike(self, text: str) -> list[str]:
        """The terms of the other names of what a text names, for a question and for what is searched alike."""
        found: dict[str, None] = {}
        for run in runs(text):
            other = self.aliases.get(run.lower())
            if other is not None:
                found.update((term, None) for term in terms(other))
        return list(found)

    @property
    def digest(self) -> str:
        """Equal for lexicons with the same aliases, which are what texts are cut by."""
        written = "\n".join(f"{name} = {other}" for name, other in sorted(self.aliases.items()))
        return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _met(self, low: str) -> list[str]:
        words = set(re.findall(r"\w+", low))
        found = [one for one in self.expansions if not is_chinese(one) and _in_words(one, low, words)]
        return found + self._chinese(low)

    def _chinese(self, low: str) -> list[str]:
        """The Chinese expressions of a text, none inside of a longer one: at each place the longest is taken."""
        known = {expression for expression in self.expansions if is_chinese(expression)}
        longest = max(map(len, known), default=0)
        found: list[str] = []
        at = 0
        while at < len(low):
            size = next((size for size in range(min(longest, len(low) - at), 0, -1) if low[at : at + size] in known), 0)
            if size:
                found.append(low[at : at + size])
            at += size or 1
        return list(dict.fromkeys(found))


def _in_words(expression: str, low: str, words: set[str]) -> bool:
    if " " not in expression:
        return expression in words or any(stem(word) == stem(expression) for word in words)
    return re.search(rf"(?<!\w){re.escape(expression)}(?!\w)", low) is not None


def extended(own: Lexicon, expansions: Mapping[str, str], aliases: Mapping[str, str]) -> Lexicon:
    """A lexicon with a workspace's entries over its own; an empty one takes an entry away."""
    both = {**own.expansions, **{key.lower(): words for key, words in expansions.items()}}
    names = {**own.aliases, **{key.lower(): words for key, words in aliases.items()}}
    return Lexicon(
        {key: words for key, words in both.items() if words}, {key: one for key, one in names.items() if one}, own.empty
    )


@lru_cache(maxsize=1)
def builtin() -> Lexicon:
    """The lexicon that comes with Moorline."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return Lexicon(data["expansions"], data["aliases"], frozenset(data["empty"]["words"].split()))
