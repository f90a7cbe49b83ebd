"""What must hold of an anchor in every language alike: lines above, line ends, another place for the file."""

from __future__ import annotations

import pytest
from support.language_cases import LANGUAGE_CASES
from support.verdicts import MARK, anchor_of, parsed, verdict_of

from lsp_server.core.model import Level


@pytest.mark.parametrize("path", LANGUAGE_CASES)
def test_lines_added_above_only_shift_it(path: str) -> None:
    language = LANGUAGE_CASES[path]
    anchor = anchor_of(path, language.sample)
    comment = f"{language.comment} more{language.comment_end}\n"
    first = language.sample.split("\n", 1)[0]
    # What must stand first stays there: a shebang, a package, an opening tag.
    start = len(first) + 1 if first.startswith(("#!", "<?", "package ", "<!")) else 0
    after = language.sample[:start] + comment * 30 + language.sample[start:]
    before, now = verdict_of(anchor, {path: language.sample}).now, verdict_of(anchor, {path: after}).now
    assert verdict_of(anchor, {path: after}).level is Level.FRESH
    assert before is not None and now is not None
    assert (now.start_line, now.end_line) == (before.start_line + 30, before.end_line + 30)


@pytest.mark.parametrize("path", LANGUAGE_CASES)
def test_line_ends_and_a_byte_order_mark_are_no_change(path: str) -> None:
    text = LANGUAGE_CASES[path].sample
    anchor = anchor_of(path, text)
    plain = text.replace(MARK, "")
    lines = plain.split("\n")
    mixed = "".join(line + ("\r\n" if at % 2 else "\n") for at, line in enumerate(lines[:-1])) + lines[-1]
    for after in (plain.replace("\n", "\r\n"), mixed):
        assert verdict_of(anchor, {path: after}).level is Level.FRESH
    assert verdict_of(anchor, {path: b"\xef\xbb\xbf" + plain.encode()}).level is Level.FRESH


@pytest.mark.parametrize("path", LANGUAGE_CASES)
def test_it_goes_along_with_its_file(path: str) -> None:
    """A folder is renamed; what the file holds is the same, and the symbol says enough to be known again."""
    text = LANGUAGE_CASES[path].sample
    anchor = anchor_of(path, text)
    found = verdict_of(anchor, {f"deep/down/{path}": text})
    symbols = parsed(path, text).outline
    assert symbols is not None
    assert found.level is Level.MOVED and found.now is not None, found
    assert (found.now.file, found.now.symbol) == (f"deep/down/{path}", anchor.place.symbol)


@pytest.mark.parametrize("path", LANGUAGE_CASES)
def test_what_is_gone_is_missing_and_comes_back(path: str) -> None:
    text = LANGUAGE_CASES[path].sample
    anchor = anchor_of(path, text)
    assert verdict_of(anchor, {}).level is Level.FILE_MISSING
    emptied = verdict_of(anchor, {path: ""})
    assert emptied.level is Level.MISSING and emptied.now is None
    assert verdict_of(anchor, {path: text}).level is Level.FRESH
