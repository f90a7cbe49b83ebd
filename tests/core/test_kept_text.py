"""Keys and blocks that are read again from the text that a baseline keeps: as what they were, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.grammars import can_be_parsed

from lsp_server.core.fingerprint import content_of, fingerprint
from lsp_server.core.model import Baseline, Locus
from lsp_server.core.rebase import rebased
from lsp_server.core.source import read_source
from lsp_server.core.text import Text

OUTLINES = Path(__file__).parent / "outlines"

# Elements that another one closes, and a heading in a quotation, are not read alone.
NOT_ALONE = {"html.html": 2, "markdown.md": 1}

FILES = (
    *("bash.sh", "css.css", "dockerfile.dockerfile", "graphql.graphql", "hcl.tf", "html.html", "json.json"),
    *("make.mk", "markdown.md", "sql.sql", "toml.toml", "yaml.yaml"),
)


@pytest.mark.parametrize("name", [name for name in FILES if can_be_parsed(name)])
def test_kept_text_is_read_as_what_it_was(name: str) -> None:
    source = read_source(name, Text.of((OUTLINES / name).read_bytes()))
    assert source.outline is not None and source.language is not None
    missed = 0
    for symbol in source.outline.symbols:
        found = fingerprint(source, symbol)
        place, lines = Locus(name, symbol.path), (symbol.start_line, symbol.end_line)
        baseline = Baseline("b", found, place, content_of(source, symbol), None, lines, "", "", "", "", "")
        again = rebased(baseline, name, source.language)
        missed += again is None or again.code != found.code
        assert again is None or again.code == found.code or name in NOT_ALONE, symbol.path
    assert missed == NOT_ALONE.get(name, 0)
