"""Markers over the wire, on a real folder of decision records, with the capabilities of VS Code and of Neovim."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.samples import position
from support.wire import PUSHED, Json, Refusal, Wire, command_line, served

SAMPLES = Path(__file__).parents[1] / "support" / "import_samples" / "adr" / "theupdateframework__python-tuf"
MODEL = "docs/adr/0004-extent-of-OOP-in-metadata-model.md"
SERIAL = "docs/adr/0006-where-to-implemenent-model-serialization.md"
UNKNOWN = "docs/adr/0008-accept-unrecognised-fields.md"
CODE = '''\
"""Stands for the code that the records are about."""


class Metadata:
    def __init__(self, signed, unrecognised):
        self.signed = signed
        self.unrecognised = dict(unrecognised)

    def to_dict(self):
        found = {"signed": self.signed}
        found.update(self.unrecognised)
        return found


def serialize(metadata, encode):
    # Why it is apart: @anchor(file=docs/adr/0006-where-to-implemenent-model-serialization.md).
    return encode(metadata.to_dict()).encode("utf-8")
'''
FILE = "tuf/api/metadata.py"

VSCODE: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "publishDiagnostics": {"versionSupport": False, "relatedInformation": True},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"dynamicRegistration": True, "linkSupport": True},
        "rename": {"dynamicRegistration": True, "prepareSupport": True},
        "documentLink": {"dynamicRegistration": True, "tooltipSupport": True},
    },
    "workspace": {
        "workspaceFolders": True,
        "configuration": True,
        "codeLens": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
        "fileOperations": {"willRename": True, "didRename": True},
        "workspaceEdit": {"documentChanges": True},
    },
}
"""What vscode-languageclient 9 announces, as far as any of this depends on it."""

NEOVIM: Json = {
    "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "dataSupport": True},
        "hover": {"dynamicRegistration": True, "contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True, "dynamicRegistration": True},
        "rename": {"dynamicRegistration": True, "prepareSupport": True},
    },
    "workspace": {"workspaceFolders": True, "configuration": True},
}
"""What Neovim 0.11 announces, as far as any of this depends on it."""

CLIENTS = {"vscode": VSCODE, "neovim": NEOVIM, "plain": PUSHED}

HELPERS = " @anchor(file=tuf/api/metadata.py, symbol=Metadata.to_dict)"
CLASSES = " @anchor(file=tuf/api/metadata.py, symbol=Metadata)"
APART = " @anchor(file=tuf/api/metadata.py, symbol=serialize)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The records as they are, with markers where they speak of the code."""
    shutil.copytree(SAMPLES / "docs", tmp_path / "docs")
    (tmp_path / ".moorline").mkdir()
    (tmp_path / "tuf/api").mkdir(parents=True)
    (tmp_path / FILE).write_text(CODE, encoding="utf-8", newline="")
    mark(tmp_path / SERIAL, 'Chosen option: "Compromise 2"', HELPERS)
    mark(tmp_path / SERIAL, "Together with a separated serialization interface", APART)
    mark(tmp_path / MODEL, "## Decision Outcome", CLASSES)
    return tmp_path


def mark(path: Path, words: str, marker: str) -> None:
    """Puts a marker behind words of a record."""
    text = path.read_bytes().decode()
    assert text.count(words) == 1, path
    path.write_bytes(text.replace(words, words + marker).encode())


def at(path: Path, words: str, inside: int = 0) -> Json:
    """The request's parameters for a place in a file of ASCII."""
    text = path.read_bytes().decode()
    line, character = position(text, text.index(words) + inside)
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}


async def problems(wire: Wire, uri: str, client: str) -> list[Json]:
    """What an editor shows of an open document: what it pulls, or what it was sent."""
    if client == "vscode":
        answer = await wire.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        items: list[Json] = answer["items"]
        return items
    return wire.latest(uri)


async def codes_come(wire: Wire, uri: str, client: str, codes: list[str]) -> list[Json]:
    for _ in range(500):
        found = await problems(wire, uri, client)
        if sorted(str(one["code"]) for one in found) == sorted(codes):
            return found
        await asyncio.sleep(0.02)
    raise AssertionError([one["code"] for one in found])


def show(wire: Wire, path: Path) -> str:
    language = "markdown" if path.suffix == ".md" else "python"
    wire.open(path.as_uri(), path.read_bytes().decode(), language=language)
    return path.as_uri()


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_record_and_its_code_go_together(folder: Path, client: str) -> None:
    async with served(folder, capabilities=CLIENTS[client]) as wire:
        document, code = show(wire, folder / SERIAL), show(wire, folder / FILE)
        found = await codes_come(wire, document, client, ["unverifiable", "unverifiable"])
        await codes_come(wire, code, client, ["unverifiable"] * 3)
        assert [one["data"]["memory"] for one in found]
        # Accepted by the action that the marker offers.
        for words in (HELPERS, APART):
            place = at(folder / SERIAL, words, 3)
            range_ = {"start": place["position"], "end": place["position"]}
            actions = await wire.ask(
                "textDocument/codeAction",
                {"textDocument": place["textDocument"], "range": range_, "context": {"diagnostics": found}},
            )
            (clear,) = [one for one in actions if one["title"].startswith("Still true: clear passage")]
            await wire.ask("workspace/executeCommand", clear["command"])
        await codes_come(wire, document, client, ["fresh", "fresh"])
        hover = await wire.ask("textDocument/hover", at(folder / FILE, "to_dict", 2))
        assert "because implementing dict conversion as methods" in hover["contents"]["value"]
        assert f"{SERIAL}:" in hover["contents"]["value"]
        hover = await wire.ask("textDocument/hover", at(folder / SERIAL, HELPERS, 4))
        assert "def to_dict(self)" in hover["contents"]["value"] and "fresh" in hover["contents"]["value"]
        # The code changes in the buffer: both sides say so; undone, both are well again.
        changed = CODE.replace("found.update(self.unrecognised)", "found |= self.unrecognised")
        wire.change(code, 2, {"text": changed})
        (stale,) = [
            one for one in await codes_come(wire, document, client, ["changed", "fresh"]) if one["code"] == "changed"
        ]
        assert stale["severity"] == 2 and stale["range"]["start"] == at(folder / SERIAL, HELPERS.strip())["position"]
        # The class itself is about the methods in it; nobody accepted that passage yet.
        await codes_come(wire, code, client, ["changed", "fresh", "unverifiable"])
        related = stale["relatedInformation"][0]["location"]
        assert related["uri"] == code
        wire.change(code, 3, {"text": CODE})
        await codes_come(wire, document, client, ["fresh", "fresh"])
        # The record is edited in the buffer: the code's hover has the words of now.
        text = (folder / SERIAL).read_bytes().decode().replace("dict conversion as methods", "conversion apart")
        wire.change(document, 2, {"text": text})
        hover = await wire.ask("textDocument/hover", at(folder / FILE, "to_dict", 2))
        assert "because implementing conversion apart" in hover["contents"]["value"]


@pytest.mark.parametrize("client", CLIENTS)
async def test_completion_definition_links_and_references(folder: Path, client: str) -> None:
    links = client != "plain"
    async with served(folder, capabilities=CLIENTS[client]) as wire:
        path = folder / UNKNOWN
        mark(path, "## Decision Outcome", " @anchor(file=tuf, symbol=)")
        document = show(wire, path)
        answer = await wire.ask("textDocument/completion", at(path, "file=tuf", 8))
        assert [one["label"] for one in answer["items"]] == [FILE, "docs/adr/0003-where-to-develop-TUF-1-0-0.md"]
        edit = answer["items"][0]["textEdit"]
        assert edit["newText"] == FILE
        assert edit["range"]["end"]["character"] - edit["range"]["start"]["character"] == len("tuf")
        text = path.read_bytes().decode().replace("file=tuf,", f"file={FILE},")
        path.write_bytes(text.encode())
        wire.change(document, 2, {"text": text})
        answer = await wire.ask("textDocument/completion", at(path, "symbol=)", 7))
        assert [one["label"] for one in answer["items"]] == [
            *("Metadata", "Metadata.__init__", "Metadata.to_dict", "serialize"),
        ]
        assert await wire.ask("textDocument/completion", at(path, "Decision Outcome", 3)) is None

        found = await wire.ask("textDocument/definition", at(folder / SERIAL, HELPERS, 20))
        target = found[0]["targetUri" if links else "uri"], found[0]["targetSelectionRange" if links else "range"]
        assert target[0] == (folder / FILE).as_uri()
        assert target[1]["start"] == at(folder / FILE, "to_dict")["position"]
        assert await wire.ask("textDocument/definition", at(folder / SERIAL, "Considered Options")) is None
        found = await wire.ask("textDocument/definition", at(folder / FILE, "@anchor", 5))
        assert found[0]["targetUri" if links else "uri"] == (folder / SERIAL).as_uri()

        found = await wire.ask("textDocument/documentLink", {"textDocument": {"uri": (folder / SERIAL).as_uri()}})
        assert [one["target"].rpartition("#") for one in found] == [
            ((folder / FILE).as_uri(), "#", "L9"),
            ((folder / FILE).as_uri(), "#", "L15"),
        ]

        show(wire, folder / FILE)
        found = await wire.ask(
            "textDocument/references", {**at(folder / FILE, "serialize", 2), "context": {"includeDeclaration": False}}
        )
        assert [(one["uri"], one["range"]["start"]) for one in found] == [
            ((folder / SERIAL).as_uri(), at(folder / SERIAL, APART.strip())["position"])
        ]
        found = await wire.ask(
            "textDocument/references", {**at(folder / SERIAL, APART, 4), "context": {"includeDeclaration": True}}
        )
        assert {one["uri"] for one in found} == {(folder / SERIAL).as_uri(), (folder / FILE).as_uri()}


async def test_renames_change_every_marker(folder: Path) -> None:
    async with served(folder, capabilities=VSCODE) as wire:
        show(wire, folder / SERIAL)
        place = at(folder / SERIAL, HELPERS, HELPERS.index("Metadata.") + 2)
        prepared = await wire.ask("textDocument/prepareRename", place)
        assert prepared["placeholder"] == "Metadata"
        edit = await wire.ask("textDocument/rename", {**place, "newName": "Envelope"})
        written = applied(folder, edit)
        assert "symbol=Envelope.to_dict)" in written[SERIAL] and "symbol=Envelope)" in written[MODEL]
        assert "symbol=serialize)" in written[SERIAL]
        place = at(folder / SERIAL, HELPERS, HELPERS.index("to_dict") + 2)
        edit = await wire.ask("textDocument/rename", {**place, "newName": "as.dict"})
        assert set(applied(folder, edit)) == {SERIAL}
        assert "symbol=Metadata.as.dict)" in applied(folder, edit)[SERIAL]
        with pytest.raises(Refusal, match="a name is needed"):
            await wire.ask("textDocument/rename", {**place, "newName": "  "})
        assert await wire.ask("textDocument/prepareRename", at(folder / SERIAL, "Considered Options")) is None

        files = [{"oldUri": (folder / "tuf").as_uri(), "newUri": (folder / "a b").as_uri()}]
        edit = await wire.ask("workspace/willRenameFiles", {"files": files})
        written = applied(folder, edit)
        assert "@anchor(file='a b/api/metadata.py', symbol=Metadata)" in written[MODEL]
        files = [{"oldUri": (folder / SERIAL).as_uri(), "newUri": (folder / "docs/serial.md").as_uri()}]
        edit = await wire.ask("workspace/willRenameFiles", {"files": files})
        assert edit is None, "the comment of a folder without git is found only while its file is open"
        show(wire, folder / FILE)
        edit = await wire.ask("workspace/willRenameFiles", {"files": files})
        assert "@anchor(file=docs/serial.md)" in applied(folder, edit)[FILE]


def applied(folder: Path, edit: Json) -> dict[str, str]:
    """The files that a workspace edit changes, as they would be; all are ASCII."""
    found = {}
    for uri, edits in edit["changes"].items():
        path = next(one for one in folder.rglob("*.*") if one.as_uri() == uri)
        lines = path.read_bytes().decode().split("\n")
        for one in sorted(
            edits, key=lambda one: one["range"]["start"]["line"] * 10**6 + one["range"]["start"]["character"]
        )[::-1]:
            start, end = one["range"]["start"], one["range"]["end"]
            assert start["line"] == end["line"]
            line = lines[start["line"]]
            lines[start["line"]] = line[: start["character"]] + one["newText"] + line[end["character"] :]
        found[path.relative_to(folder).as_posix()] = "\n".join(lines)
    return found


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_broken_marker_is_mended_by_its_action(folder: Path, client: str) -> None:
    mark(
        folder / UNKNOWN,
        "## Decision Outcome",
        " @anchor(file=tuf/metadata.py) @anchor(file=tuf/api/metadata.py, symbol=serialise)",
    )
    async with served(folder, capabilities=CLIENTS[client]) as wire:
        document = show(wire, folder / UNKNOWN)
        found = await codes_come(wire, document, client, ["marker", "marker"])
        assert found[0]["message"].startswith("There is no file tuf/metadata.py")
        for wanted, words in ((FILE, "tuf/metadata.py"), ("serialize", "serialise")):
            place = at(folder / UNKNOWN, words, 2)
            range_ = {"start": place["position"], "end": place["position"]}
            actions = await wire.ask(
                "textDocument/codeAction",
                {
                    "textDocument": place["textDocument"],
                    "range": range_,
                    "context": {"diagnostics": found, "only": ["quickfix"]},
                },
            )
            fix = next(one for one in actions if one["title"] == f"Write {wanted} instead")
            assert fix["isPreferred"] and len(fix["diagnostics"]) == 1
            text = applied(folder, fix["edit"])[UNKNOWN]
            assert words not in text


async def test_closed_documents_show_what_is_stale_and_outside_edits_are_noticed(folder: Path) -> None:
    watched = {**PUSHED, "workspace": {**PUSHED["workspace"], "didChangeWatchedFiles": {"dynamicRegistration": True}}}
    code, _, _ = await command_line(folder, "markers", "--accept")
    assert code == 0
    (folder / FILE).write_text(CODE.replace('"utf-8"', '"ascii"'), encoding="utf-8", newline="")
    page, source, new = (folder / name for name in (SERIAL, FILE, "docs/new.md"))
    async with served(folder, capabilities=watched) as wire:
        # Nothing is open: the document and the code both show the stale passage, and nothing else.
        await wire.until(lambda: wire.listed == {page.as_uri(): ["changed"], source.as_uri(): ["changed"]})
        show(wire, source)
        # Another program edits the words, and writes a page of its own.
        page.write_bytes(page.read_bytes().replace(b"full flexibility", b"all freedom"))
        new.write_text(f"# New\n\nApart as well{APART}.\n", encoding="utf-8")
        wire.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": new.as_uri(), "type": 1}]})
        await wire.until(lambda: sorted(wire.shown(source.as_uri())).count("unverifiable") == 1)
        hover = await wire.hover(source.as_uri(), *position(CODE, CODE.index("serialize")))
        assert hover is not None
        assert "all freedom" in hover["contents"]["value"] and "Apart as well." in hover["contents"]["value"]
        # The code is put right and saved: nothing is stale any more.
        wire.change(source.as_uri(), 2, {"text": CODE})
        source.write_text(CODE, encoding="utf-8", newline="")
        wire.save(source.as_uri())
        await wire.until(lambda: wire.shown(page.as_uri()) == [])


async def test_wild_positions_and_texts_answer_nothing(folder: Path) -> None:
    wild = [(-1, -5), (0, 10**9), (10**9, 0), (2**31 - 1, 2**31 - 1), (-(2**31), 3)]
    async with served(folder) as wire:
        document = show(wire, folder / SERIAL)
        texts = [
            "",
            "@anchor(",
            "@anchor(file=",
            "@anchor(file=\n",
            "`@anchor(file=a`",
            "\ud83d\ude00 @anchor(symbol=#",
        ]
        for version, text in enumerate(texts, 2):
            wire.change(document, version, {"text": text})
            for line, character in wild:
                place: dict[str, Any] = {
                    "textDocument": {"uri": document},
                    "position": {"line": line, "character": character},
                }
                for method, more in (
                    ("textDocument/completion", {}),
                    ("textDocument/definition", {}),
                    ("textDocument/hover", {}),
                    ("textDocument/references", {"context": {"includeDeclaration": True}}),
                    ("textDocument/prepareRename", {}),
                    ("textDocument/rename", {"newName": "x"}),
                ):
                    await wire.ask(method, {**place, **more})
            await wire.ask("textDocument/documentLink", {"textDocument": {"uri": document}})


async def test_the_command_line_says_the_same(folder: Path) -> None:
    code, out, _ = await command_line(folder, "markers", "--json")
    answer = json.loads(out)
    assert code == 0 and answer["summary"]["markers"] == 3 and answer["summary"]["unaccepted"] == 3
    assert not list((folder / ".moorline").glob("memories/*"))
    code, out, _ = await command_line(folder, "markers", "docs/adr", "--accept", "--note", "read them")
    assert code == 0 and "3 markers in 2 documents" in out
    code, out, _ = await command_line(folder, "check")
    assert (code, out) == (0, "3 fresh: 3 anchors of 3 memories\n")
    (folder / FILE).write_text(CODE.replace('"utf-8"', '"ascii"'), encoding="utf-8", newline="")
    code, out, _ = await command_line(folder, "check")
    assert code == 1 and f"in {SERIAL}:" in out and "1 stale, 2 fresh" in out
    code, out, _ = await command_line(folder, "list", f"{FILE}#serialize")
    assert code == 0 and "Chosen option" in out
    code, out, _ = await command_line(folder, "list", SERIAL, "--json")
    assert [one["document"]["file"] for one in json.loads(out)["memories"]] == [SERIAL] * 2
    code, out, _ = await command_line(folder, "check", MODEL)
    assert (code, out) == (0, "1 fresh: 1 anchor of 1 memory\n")
    (folder / SERIAL).unlink()
    code, out, _ = await command_line(folder, "check", "--json")
    lost = [one for one in json.loads(out)["memories"] if one["document"]["line"] is None]
    assert code == 1 and len(lost) == 2
    assert all("Chosen option" in one["text"] and one["anchors"][0]["verdict"] == "missing" for one in lost)
