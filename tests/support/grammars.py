"""Which files can be parsed here: a grammar of an optional extra may not be installed."""

from __future__ import annotations

import pytest

from lsp_server.core.languages import LANGUAGES, Language, language_for


def loads(language: Language) -> bool:
    """Whether the grammar is here. One that comes with Moorline must be."""
    try:
        language.grammar  # noqa: B018 - loads it
    except ImportError:
        if not language.extra:
            raise
        return False
    return True


def can_be_parsed(path: str) -> bool:
    """Whether a file is of a language whose grammar is here."""
    language = language_for(path)
    return language is not None and loads(language)


def needs(path: str) -> list[pytest.MarkDecorator]:
    """The mark that skips a test of a file of such a language where its extra is not installed, and says so."""
    language = language_for(path)
    if language is None or loads(language):
        return []
    return [pytest.mark.skip(reason=f"{language.name} needs moorline[{language.extra}]")]


HERE = tuple(language for language in LANGUAGES if loads(language))
"""The languages that can be tested here."""
