"""Queries over texts that are no UTF-8: every language, a bad byte at every place, and the predicates' slow twins."""

from __future__ import annotations

import pytest
from support.language_cases import LANGUAGE_CASES
from tree_sitter import QueryCursor

from lsp_server.core.languages import language_for
from lsp_server.core.predicates import holds
from lsp_server.core.source import read_source
from lsp_server.core.text import Text

SAMPLES = {path: case.sample.replace("$0", "") for path, case in LANGUAGE_CASES.items()}


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_a_bad_byte_anywhere_is_read(path: str) -> None:
    data = SAMPLES[path].encode()
    for at in range(0, len(data), max(1, len(data) // 150)):
        source = read_source(path, Text.of(data[:at] + b"\x80" + data[at + 1 :]))
        assert source.outline is not None


@pytest.mark.parametrize("path", sorted(SAMPLES))
def test_the_lax_predicates_say_what_tree_sitter_s_say(path: str) -> None:
    source = read_source(path, Text.of(SAMPLES[path]))
    language = language_for(path)
    assert language is not None and source.tree is not None
    root = source.tree.root_node

    def matched(cursor: QueryCursor, **more: object) -> list[object]:
        return [
            (number, {name: [(node.start_byte, node.end_byte) for node in nodes] for name, nodes in captures.items()})
            for number, captures in cursor.matches(root, **more)  # type: ignore[arg-type]
        ]

    own = matched(QueryCursor(language.outline_query))
    assert own and matched(QueryCursor(language.lax_query), predicate=holds) == own
