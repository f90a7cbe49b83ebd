"""Grammars that come from elsewhere: numbers for capsules, and a bundle that may not be installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest
from support.grammars import loads

from lsp_server.core import languages
from lsp_server.core.fingerprint import fingerprint_file, fingerprint_region
from lsp_server.core.languages import LANGUAGES
from lsp_server.core.model import SourceState
from lsp_server.core.source import edit_source, read_source
from lsp_server.core.text import Text

BUNDLED = [language for language in LANGUAGES if language.extra == "more-languages"]


@pytest.fixture
def no_bundle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, package=None: None if "languages" in name else find(name, package)
    )
    languages._grammar.cache_clear()
    yield
    languages._grammar.cache_clear()


@pytest.mark.parametrize("language", BUNDLED, ids=lambda language: language.name)
def test_without_the_bundle_lines_and_files_are_left(language: languages.Language, no_bundle: None) -> None:
    text = Text.of("a() -> 1.\nb() -> 2.\n")
    source = read_source("a" + language.extensions[0], text)
    assert source.state is SourceState.OK and source.outline is None and source.tree is None
    assert "moorline[more-languages]" in source.message and "3.12" in source.message
    assert fingerprint_region(source, (1, 1)).text != fingerprint_region(source, (2, 2)).text
    assert fingerprint_file(source).text
    edited, edit = text.replace(0, 1, b"c")
    assert edit_source(source, edited, (edit,)).message == source.message


@pytest.mark.parametrize("language", BUNDLED, ids=lambda language: language.name)
def test_a_grammar_that_the_bundle_does_not_have_is_an_import_error(language: languages.Language) -> None:
    if not loads(language):
        pytest.skip("moorline[more-languages] is not installed")
    with pytest.raises(ImportError, match="tree_sitter_nothing"):
        languages._grammar(language.module, "tree_sitter_nothing")


def test_a_grammar_that_is_given_as_a_number_is_loaded_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    import tree_sitter_perl

    assert isinstance(tree_sitter_perl.language(), int)
    languages._grammar.cache_clear()
    [perl] = [language for language in LANGUAGES if language.name == "perl"]
    assert perl.grammar.name == "perl" and not recwarn.list


def test_bundled_languages_carry_the_bundle_s_version() -> None:
    for language in BUNDLED:
        if loads(language):
            assert language.version == f"{language.name} 1.10.2"
