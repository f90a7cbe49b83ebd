"""Cases from the field about text, encodings and positions (1, 2 and 4), each with its whole kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.samples import SAMPLES, Sample, lines_of, position, replacing, units
from support.stage import Stage

from lsp_server.core.text import Encoding
from lsp_server.features import operations
from lsp_server.features.hover import hover
from lsp_server.features.lenses import lenses

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
WIDE = "🎉漢é"


def one_line(sample: Sample, name: str, number: int) -> str:
    """A definition with wide characters before its name on the same line."""
    code = sample.define(name, number)
    indent = code[: len(code) - len(code.lstrip())]
    return f"{indent}/* {WIDE} */ {code.lstrip()}"


# ---- case 1: columns drift after emoji/CJK


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("language", [name for name in SAMPLES if name != "python"])
async def test_case_01_columns_after_wide_characters(tmp_path: Path, language: str, encoding: Encoding) -> None:
    sample = SAMPLES[language]
    text = sample.text(one_line(sample, "pay", 30), one_line(sample, "owe", 40))
    (tmp_path / sample.file).write_text(text, encoding="utf-8")
    async with Stage(tmp_path, {}) as stage:
        await stage.record(sample.locus("pay"))
        await stage.open(sample.file)
        for inserted in ("", "🎉", "é𝒳漢"):
            if inserted:
                change = replacing(text, WIDE, WIDE + inserted, encoding)
                document = stage.session.document(sample.file)
                assert document is not None
                stage.session.change(sample.file, document.version + 1, [change], encoding)
                stage.session.judge(sample.file)
                text = text.replace(WIDE, WIDE + inserted, 1)
            assert stage.text(sample.file) == text
            name = text.index("pay")
            view, snapshot = stage.session.view(sample.file), stage.session.snapshot()
            source = view.source.text
            assert source is not None
            for at in range(name - 2, name + 5):
                line, column = position(text, at, encoding)
                answer = hover(snapshot, view, source.locate(line, column, encoding))
                assert (answer is not None) == (name <= at < name + 3), (at - name, inserted)
                if answer is not None:
                    assert source.position(answer.span.start, encoding) == position(text, name, encoding)
                    assert source.position(answer.span.end, encoding) == position(text, name + 3, encoding)
            (lens,) = lenses(snapshot, view)
            assert source.position(lens.span.start, encoding) == position(text, name, encoding)
            (problem,) = stage.problems(sample.file)
            line, column = position(text, name, "utf-32")
            assert (problem.line, problem.start, problem.end) == (line, column, column + 3)


async def test_case_01_names_that_are_wide_themselves(tmp_path: Path) -> None:
    text = "class Übung:\n    def 支払う(self, n):\n        return n * 𝒳(n) + 1\n"
    (tmp_path / "a.py").write_text(text, encoding="utf-8")
    async with Stage(tmp_path, {}) as stage:
        await stage.record("a.py#Übung.支払う")
        await stage.open("a.py")
        name = text.index("支払う")
        view, snapshot = stage.session.view("a.py"), stage.session.snapshot()
        source = view.source.text
        assert source is not None
        for encoding in ENCODINGS:
            hit = [
                at
                for at in range(len(text))
                if hover(snapshot, view, source.locate(*position(text, at, encoding), encoding)) is not None
            ]
            assert hit == [name, name + 1, name + 2], encoding
        stage.changes("a.py", [replacing(text, "𝒳(n) + 1", "𝒳(n) + 2")])
        assert [(mark.start, mark.end, mark.code) for mark in stage.problems("a.py")] == [(8, 11, "changed")]


# ---- case 2: form feed counted as a line break, and whatever else Python takes for one

SEPARATORS = {
    "form feed": "\f",
    "vertical tab": "\v",
    "file separator": "\x1c",
    "group separator": "\x1d",
    "record separator": "\x1e",
    "next line": "\x85",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
}


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("language", SAMPLES)
async def test_case_02_what_is_no_line_break(tmp_path: Path, language: str, separator: str) -> None:
    sample = SAMPLES[language]
    odd = SEPARATORS[separator]
    between = "\f\n" if odd == "\f" else sample.comment.format(f"a{odd}b{odd * 3}c")
    text = sample.text(sample.define("one", 10), between, sample.define("two", 20), between="")
    (tmp_path / sample.file).write_bytes(text.encode())
    async with Stage(tmp_path, {}) as stage:
        memory = await stage.record(sample.locus("two"))
        await stage.open(sample.file)
        line = next(number for number, content in enumerate(lines_of(text)) if " two(" in content)
        column = lines_of(text)[line].index("two")

        def shown() -> list[tuple[int, int, int, str]]:
            return [(mark.line, mark.start, mark.end, mark.code) for mark in stage.problems(sample.file)]

        assert shown() == [(line, column, column + 3, "fresh")]
        assert memory["anchors"][0]["now"]["start_line"] == line + 1
        stage.changes(sample.file, [replacing(text, "20", "21")])
        edited = text.replace("20", "21")
        assert stage.text(sample.file) == edited
        assert shown() == [(line, column, column + 3, "changed")]
        stage.changes(sample.file, [replacing(edited, "21", "20")])
        assert stage.text(sample.file) == text
        assert shown() == [(line, column, column + 3, "fresh")]
        # An edit on the odd character itself, and one right after it.
        stage.changes(sample.file, [replacing(text, odd, odd + odd)])
        assert stage.text(sample.file) == text.replace(odd, odd + odd, 1)
        assert shown() == [(line, column, column + 3, "fresh")]


# ---- case 4: BOM and line endings treated as content


def mixed(data: bytes) -> bytes:
    lines = data.split(b"\n")
    return b"".join(line + (b"\r\n" if number % 2 else b"\n") for number, line in enumerate(lines[:-1])) + lines[-1]


ENDINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "mixed": mixed,
    "bom": lambda data: b"\xef\xbb\xbf" + data,
    "bom and crlf": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("language", SAMPLES)
async def test_case_04_line_endings_and_bom_are_no_content(tmp_path: Path, language: str, ending: str) -> None:
    sample = SAMPLES[language]
    text = sample.define("one", 10) + "\n" + sample.define("two", 20)
    if sample.owner:
        text = sample.text(sample.define("one", 10), sample.define("two", 20))
    note = "Fees are rounded up.\nThe bank does so too.\n"
    path, other = tmp_path / sample.file, tmp_path / "notes.txt"
    path.write_bytes(text.encode())
    other.write_bytes(note.encode())
    loci = [sample.locus("one"), sample.locus("two"), sample.file, f"{sample.file}:1-2", "notes.txt", "notes.txt:2-2"]
    async with Stage(tmp_path, {}) as stage:
        await stage.record(*loci)
    data = ENDINGS[ending](text.encode())
    path.write_bytes(data)
    other.write_bytes(ENDINGS[ending](note.encode()))
    async with Stage(tmp_path, {}) as stage:
        checked = await operations.check(stage.session)
        assert [anchor["verdict"] for anchor in checked["memories"][0]["anchors"]] == ["fresh"] * len(loci)
        assert checked["summary"]["stale"] == checked["summary"]["unverifiable"] == 0
        # An editor takes the BOM off and sends the line ends as they are; some send the BOM too.
        for shown in (data.decode("utf-8-sig"), data.decode()):
            await stage.open(sample.file, shown)
            await stage.open("notes.txt", ENDINGS[ending](note.encode()).decode("utf-8-sig"))
            assert {mark.code for mark in stage.problems(sample.file)} == {"fresh"}
            assert {mark.code for mark in stage.problems("notes.txt")} == {"fresh"}
            assert stage.text(sample.file) == shown
            change = replacing(shown, "20", "21")
            stage.changes(sample.file, [change])
            codes = [mark.code for mark in stage.problems(sample.file)]
            assert codes.count("changed") == 2, "the function and the whole file"
            stage.session.close(sample.file)
    assert path.read_bytes() == data


async def test_case_04_a_symbol_at_the_very_start(tmp_path: Path) -> None:
    text = "LIMIT = {'fee': 30, 'day': 7}\nfee = LIMIT['fee']\n"
    (tmp_path / "a.py").write_bytes(text.encode())
    async with Stage(tmp_path, {}) as stage:
        await stage.record("a.py#LIMIT")
        for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode()):
            stage.write("a.py", data)
            await stage.open("a.py", data.decode("utf-8-sig"))
            view = stage.session.view("a.py")
            source = view.source.text
            assert source is not None
            for encoding in ENCODINGS:
                assert hover(stage.session.snapshot(), view, source.locate(0, 0, encoding)) is not None
                assert (
                    hover(stage.session.snapshot(), view, source.locate(0, units("LIMIT", encoding), encoding)) is None
                )
            assert [(mark.line, mark.start, mark.end) for mark in stage.problems("a.py")] == [(0, 0, 5)]
            stage.session.close("a.py")
            # A closed file is shown from disk, where the mark is no column either.
            stage.write("a.py", data.replace(b"30", b"31"))
            await stage.session.refresh()
            shown = [(mark.line, mark.start, mark.end, mark.code) for mark in stage.problems("a.py")]
            assert shown == [(0, 0, 5, "changed")]
