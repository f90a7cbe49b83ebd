"""What the tests of core ask of a language, as data: one file a language in `languages/`, with its `CASES`.

Knows where the files are. It asks nothing of the code under test but whether a grammar is installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from support.grammars import can_be_parsed


@dataclass(frozen=True)
class LanguageCases:
    """One language.

    `file` is a name that says the language, `comment` begins a comment that ends with its line, or with `comment_end`.
    `sample` is a clean text with `$0` in the definition that is anchored; its tokens are edited by the property tests,
    so that each of them must mean something. `style_edits` are replacements in it that may be made in any mix and are
    never stale.
    `indented` says that white space before a line means something, `blank` is white space that may end a line, `layout`
    which kinds of edits of white space and comments (see `spaced` in the tests of drift) mean nothing.

    `same` and `different` are pairs of texts that mean the same and that do not, each put between `before` and
    `after`. `counting` and `silent` are comments (whole lines) that count and that do not.

    `edits` are (old, new, verdict) of `sample`, a verdict like "fresh" or "changed body"; `verdicts` are (before,
    after, verdict) with `$0` at the anchored definition, and in `after` at the place that must be named now, if any.
    """

    file: str
    comment: str
    sample: str
    comment_end: str = ""
    style_edits: Sequence[tuple[str, str]] = ()
    indented: bool = False
    blank: str = "  \t"
    layout: Sequence[int] = range(7)
    before: str = ""
    after: str = ""
    same: Sequence[tuple[str, str]] = ()
    different: Sequence[tuple[str, str]] = ()
    counting: Sequence[str] = ()
    silent: Sequence[str] = ()
    edits: Sequence[tuple[str, str, str]] = ()
    verdicts: Sequence[tuple[str, str, str]] = ()

    def whole(self, code: str) -> str:
        """`code` of a pair in its surroundings."""
        return self.before + code + self.after


def _read() -> Mapping[str, LanguageCases]:
    found: dict[str, LanguageCases] = {}
    for path in sorted((Path(__file__).parent / "languages").glob("*.py")):
        cases: LanguageCases = importlib.import_module(f"support.languages.{path.stem}").CASES
        assert cases.file not in found, f"{path.name} and another file are both about {cases.file}"
        found[cases.file] = cases
    return {file: cases for file, cases in found.items() if can_be_parsed(file)}


LANGUAGE_CASES: Mapping[str, LanguageCases] = _read()
"""By `file`."""
