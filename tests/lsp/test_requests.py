"""Every request over the wire, with the capabilities of three editors, whose columns count three kinds of units.

The text holds characters of one to four bytes before what is anchored, so that a slip of units shows at once.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

PRESETS = {"visual-studio-code": "utf-16", "neovim": "utf-8", "emacs": "utf-32"}
LINE = "/* 🎉漢é */ function pay(n) { return n * 2 + fee(n); }"
TEXT = LINE + "\n\nclass Shop {\n  open(day) { return this.hours(day, '08:00'); }\n}\n"
SECONDS = 15


def units(text: str, encoding: str) -> int:
    """The length of a text in an encoding's units, by Python's own codecs."""
    return (
        len(text.encode(encoding + ("-le" if encoding != "utf-8" else "")))
        // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    )


class Editor:
    """One editor on one workspace: a thin wrapper over pytest-lsp's client."""

    def __init__(
        self, client: LanguageClient, folder: Path, encoding: str, pulls: bool, edits: list[types.WorkspaceEdit]
    ) -> None:
        self.client, self.folder, self.encoding, self.pulls, self.edits = client, folder, encoding, pulls, edits
        self.version = 1

    def uri(self, name: str = "shop.js") -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str = "shop.js") -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def position(self, text: str, needle: str, more: int = 0) -> types.Position:
        """The position of a needle in a text, in this client's units."""
        at = text.index(needle) + more
        before = text[:at].split("\n")
        return types.Position(len(before) - 1, units(before[-1], self.encoding))

    def range(self, text: str, needle: str) -> types.Range:
        return types.Range(self.position(text, needle), self.position(text, needle, len(needle)))

    def open(self, text: str = TEXT, name: str = "shop.js", language: str = "javascript") -> None:
        item = types.TextDocumentItem(self.uri(name), language, self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, range_: types.Range | None, text: str, name: str = "shop.js") -> None:
        self.version += 1
        change: Any = (
            types.TextDocumentContentChangePartial(range_, text)
            if range_
            else types.TextDocumentContentChangeWholeDocument(text)
        )
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    async def command(self, name: str, **argument: Any) -> Any:
        params = types.ExecuteCommandParams(name, [argument])
        answer = await self.ask(self.client.workspace_execute_command_async(params))
        return plain(answer)

    async def record(self, needle: str = "pay", text: str = "Twice, since the fee is paid by us.", **more: Any) -> Any:
        position = self.position(TEXT, needle)
        spot = {"line": position.line, "character": position.character}
        return await self.command("moorline.record", uri=self.uri(), position=spot, kind="decision", text=text, **more)

    async def hover(self, position: types.Position, name: str = "shop.js") -> types.Hover | None:
        return await self.ask(self.client.text_document_hover_async(types.HoverParams(self.document(name), position)))

    async def diagnostics(self, name: str = "shop.js") -> list[types.Diagnostic]:
        """What the client shows, pulled or pushed."""
        if self.pulls:
            report = await self.ask(
                self.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(self.document(name)))
            )
            return list(report.items)
        return list(self.client.diagnostics.get(self.uri(name), []))

    async def until(
        self, wanted: Callable[[list[types.Diagnostic]], bool], name: str = "shop.js"
    ) -> list[types.Diagnostic]:
        """Waits until the diagnostics are as wanted."""
        found: list[types.Diagnostic] = []
        for _ in range(SECONDS * 20):
            found = await self.diagnostics(name)
            if wanted(found):
                return found
            await asyncio.sleep(0.05)
        raise AssertionError(f"never came: last were {[(one.code, one.message) for one in found]}")

    async def ask(self, request: Any) -> Any:
        return await asyncio.wait_for(request, SECONDS)


def plain(value: Any) -> Any:
    """An answer as plain values: the client wraps unknown objects."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def codes(found: list[types.Diagnostic]) -> list[Any]:
    return [one.code for one in found]


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[sys.executable, "-m", "lsp_server", "lsp"]), params=list(PRESETS)
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[None]:
    edits: list[types.WorkspaceEdit] = []
    (tmp_path / "shop.js").write_text(TEXT, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    for method in ("client/registerCapability", "workspace/codeLens/refresh"):
        lsp_client.feature(method)(lambda *_: None)

    # lsprotocol takes every action that has a command for a bare command; ours are actions.
    lsp_client.protocol._converter.register_structure_hook(
        types.Command | types.CodeAction,
        lambda value, _: lsp_client.protocol._converter.structure(value, types.CodeAction),
    )

    @lsp_client.feature("workspace/applyEdit")
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    @lsp_client.feature("moorline/changed")
    def changed(params: Any) -> None:
        """A notification that clients may ignore."""

    parameters = types.InitializeParams(
        capabilities=client_capabilities(request.param),
        process_id=os.getpid(),
        workspace_folders=[types.WorkspaceFolder(tmp_path.as_uri(), "work")],
        initialization_options={"clientCommands": ["moorline.ui.record", "moorline.ui.showMemories"]},
    )
    answer = await lsp_client.initialize_session(parameters)
    encoding = answer.capabilities.position_encoding
    assert str(getattr(encoding, "value", encoding)) == PRESETS[request.param]
    lsp_client.moorline = Editor(  # type: ignore[attr-defined]
        lsp_client, tmp_path, PRESETS[request.param], answer.capabilities.diagnostic_provider is not None, edits
    )
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient) -> Editor:
    found: Editor = client.moorline  # type: ignore[attr-defined]
    return found


async def test_hover_answers_on_the_letters_of_the_name_alone(editor: Editor) -> None:
    editor.open()
    await editor.record()
    for more in range(3):
        hover = await editor.hover(editor.position(TEXT, "pay", more))
        assert hover is not None and "Twice, since the fee is paid by us." in hover.contents.value  # type: ignore[union-attr]
        assert hover.range == editor.range(TEXT, "pay")
    for needle, more in (("pay", -1), ("pay", 3), ("🎉", 0), ("return", 0), ("Shop", 0)):
        assert await editor.hover(editor.position(TEXT, needle, more)) is None


async def test_diagnostics_follow_the_buffer(editor: Editor) -> None:
    editor.open()
    await editor.record()
    fresh = await editor.until(lambda found: codes(found) == ["fresh"])
    assert fresh[0].range == editor.range(TEXT, "pay")
    assert fresh[0].severity == types.DiagnosticSeverity.Hint
    editor.change(editor.range(TEXT, "2 + fee"), "3 + fee")
    stale = await editor.until(lambda found: codes(found) == ["changed"])
    assert stale[0].severity == types.DiagnosticSeverity.Warning
    assert stale[0].source == "moorline"
    changed = TEXT.replace("2 + fee", "3 + fee")
    editor.change(editor.range(changed, "/* 🎉"), "/* 🎉🎉𝒳")
    moved = changed.replace("/* 🎉", "/* 🎉🎉𝒳")
    await editor.until(lambda found: bool(found) and found[0].range == editor.range(moved, "pay"))
    editor.change(editor.range(moved, "3 + fee"), "2 + fee")
    await editor.until(lambda found: codes(found) == ["fresh"])


async def test_a_whole_replacement_is_judged_as_what_it_changes(editor: Editor) -> None:
    editor.open()
    await editor.record()
    formatted = TEXT.replace("{ return n * 2 + fee(n); }", "{\n  return n * 2 + fee(n);\n}")
    editor.change(None, formatted)
    await editor.until(lambda found: codes(found) == ["reformatted"])
    editor.change(None, "")
    await editor.until(lambda found: codes(found) == ["missing"])
    editor.change(None, TEXT)
    await editor.until(lambda found: codes(found) == ["fresh"])


async def test_code_lens(editor: Editor) -> None:
    editor.open()
    await editor.record()
    await editor.record("open", "Opens at eight.")
    params = types.CodeLensParams(editor.document())
    lenses = await editor.ask(editor.client.text_document_code_lens_async(params))
    assert [lens.command.title for lens in lenses] == ["⚓ 1 decision", "⚓ 1 decision"]
    assert [lens.range for lens in lenses] == [editor.range(TEXT, "pay"), editor.range(TEXT, "open")]
    editor.change(editor.range(TEXT, "08:00"), "09:00")
    lenses = await editor.ask(editor.client.text_document_code_lens_async(params))
    assert [lens.command.title for lens in lenses] == ["⚓ 1 decision", "⚓ 1 decision, stale"]


async def test_code_actions_clear_and_undo(editor: Editor) -> None:
    editor.open()
    memory = await editor.record()
    editor.change(editor.range(TEXT, "2 + fee"), "3 + fee")
    stale = await editor.until(lambda found: codes(found) == ["changed"])

    async def actions() -> dict[str, types.CodeAction]:
        spot = editor.range(TEXT, "pay")
        params = types.CodeActionParams(editor.document(), spot, types.CodeActionContext(stale))
        found = await editor.ask(editor.client.text_document_code_action_async(params))
        return {action.title: action for action in found}

    offered = await actions()
    clear = next(action for title, action in offered.items() if title.startswith("Still true"))
    assert clear.is_preferred and clear.diagnostics and clear.command
    await editor.command(clear.command.command, **plain(clear.command.arguments[0]))
    await editor.until(lambda found: codes(found) == ["fresh"])
    undo = next(action for title, action in (await actions()).items() if title.startswith("Undo"))
    assert undo.command
    await editor.command(undo.command.command, **plain(undo.command.arguments[0]))
    await editor.until(lambda found: codes(found) == ["changed"])
    assert memory["id"] in {
        plain(action.command.arguments[0]).get("id") for action in offered.values() if action.command
    }


async def test_a_memory_comment_is_lifted(editor: Editor) -> None:
    text = "// MEMORY(decision): Fees are rounded up,\n// since the bank does.\n" + TEXT
    editor.open(text)
    params = types.CodeActionParams(editor.document(), editor.range(text, "MEMORY"), types.CodeActionContext([]))
    found = await editor.ask(editor.client.text_document_code_action_async(params))
    lift = next(action for action in found if action.title.startswith("Lift"))
    memory = await editor.command(lift.command.command, **plain(lift.command.arguments[0]))
    assert memory["text"] == "Fees are rounded up,\nsince the bank does."
    assert [(anchor["file"], anchor["symbol"]) for anchor in memory["anchors"]] == [("shop.js", "pay")]
    if editor.client.capabilities.workspace and editor.client.capabilities.workspace.apply_edit:
        (edit,) = editor.edits
        (change,) = (edit.changes or {})[editor.uri()]
        assert change == types.TextEdit(types.Range(types.Position(0, 0), types.Position(2, 0)), "")


async def test_commands(editor: Editor) -> None:
    editor.open()
    memory = await editor.record(tags=["fees"], importance=4)
    assert memory["created"] is True and memory["anchors"][0]["verdict"] == "fresh"
    again = await editor.record()
    assert again["id"] == memory["id"] and again["created"] is False
    listed = await editor.command("moorline.list", uri=editor.uri())
    assert [one["id"] for one in listed["memories"]] == [memory["id"]]
    editor.change(editor.range(TEXT, "2 + fee"), "3 + fee")
    diff = await editor.command("moorline.diff", id=memory["id"][:8])
    assert [line[:1] for line in diff["anchors"][0]["diff"] if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        "-",
        "+",
    ]
    newer = await editor.command("moorline.supersede", id=memory["id"], text="Three times from now on.")
    assert newer["supersedes"] == [memory["id"]] and newer["anchors"][0]["verdict"] == "fresh"
    old = await editor.command("moorline.show", id=memory["id"])
    assert old["state"] == "superseded" and old["superseded_by"] == [newer["id"]]
    position = editor.position(TEXT, "open")
    spot = {"line": position.line, "character": position.character}
    moved = await editor.command("moorline.reanchor", id=newer["id"], uri=editor.uri(), position=spot)
    assert moved["anchors"][0]["symbol"] == "Shop.open"
    gone = await editor.command("moorline.retire", id=newer["id"], reason="no fees any more")
    assert gone["state"] == "retired" and gone["current"] is False
    assert (await editor.command("moorline.list"))["memories"] == []
    back = await editor.command("moorline.restore", id=newer["id"])
    assert back["current"] is True


async def test_an_import_says_first_what_it_would_do(editor: Editor) -> None:
    notes = editor.folder / "notes.jsonl"
    notes.write_text('{"kind": "note", "text": "The fee is paid by us.", "anchors": ["shop.js#Shop.open"]}\n')
    tried = await editor.command("moorline.import", paths=["notes.jsonl"])
    assert (tried["applied"], tried["summary"]["new"], tried["entries"][0]["anchors"]) == (
        False,
        1,
        ["shop.js#Shop.open"],
    )
    assert (await editor.command("moorline.list"))["memories"] == []
    done = await editor.command("moorline.import", paths=[notes.as_uri()], apply=True)
    assert done["summary"]["new"] == 1 and done["root"] == editor.folder.as_uri()
    (memory,) = (await editor.command("moorline.list"))["memories"]
    assert (memory["kind"], memory["anchors"][0]["verdict"]) == ("carried", "fresh")


async def test_the_backlog_is_of_the_unsaved_buffer(editor: Editor) -> None:
    editor.open()
    memory = await editor.record()
    assert (await editor.command("moorline.backlog"))["items"] == []
    editor.change(editor.range(TEXT, "2 + fee"), "3 + fee")
    answer = await editor.command("moorline.backlog", kind="decision", only=["stale"], limit=5)
    (item,) = answer["items"]
    assert (item["what"], item["id"], item["root"]) == ("stale", memory["id"], editor.folder.as_uri())
    assert answer["groups"] == [{"what": "stale", "count": 1, "title": answer["groups"][0]["title"]}]
    assert (await editor.command("moorline.backlog", kind="note"))["total"] == 0
    await editor.command("moorline.clearStaleness", id=memory["id"])
    assert (await editor.command("moorline.backlog"))["items"] == []


async def test_a_search_is_answered_as_on_the_command_line(editor: Editor) -> None:
    editor.open()
    memory = await editor.record()
    await editor.command("moorline.record", kind="note", text="Kubernetes restarts the pod at night.")
    answer = await editor.command("moorline.search", query="k8s", profile="debug", limit=3)
    (found,) = answer["memories"]
    assert (found["kind"], found["shown"]["level"], answer["omitted"]) == ("note", "full", 0)
    assert found["root"] == editor.folder.as_uri() and found["found"]["score"] > 0
    assert (await editor.command("moorline.search", query="k8s", path="shop.js"))["memories"] == []
    position = editor.position(TEXT, "pay")
    near = {"uri": editor.uri(), "position": {"line": position.line, "character": position.character}}
    (found,) = (await editor.command("moorline.search", query="who pays the fee", **near))["memories"]
    assert found["id"] == memory["id"] and found["found"]["factors"]["near"] == 1.5
    editor.change(editor.range(TEXT, "2 + fee"), "3 + fee")
    (found,) = (await editor.command("moorline.search", query="who pays the fee", stale=True))["memories"]
    assert found["stale"] and found["found"]["factors"]["standing"] == 0.5


async def test_memories_are_symbols_of_the_workspace(editor: Editor) -> None:
    editor.open()
    memory = await editor.record()

    async def symbols(query: str) -> Any:
        return await editor.ask(editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(query=query)))

    (found,) = await symbols("fee paid")
    place = memory["anchors"][0]["now"]
    assert (found.name, found.container_name) == ("Twice, since the fee is paid by us.", "decision, pay")
    assert found.location.uri == editor.uri() and found.location.range.start.line == place["start_line"] - 1
    assert await symbols(" ") == [] and await symbols("gizmo") == []


@pytest.mark.parametrize(
    ("command", "argument", "says"),
    [
        ("moorline.record", {"kind": "decision"}, "text"),
        ("moorline.record", {"kind": "whim", "text": "x"}, "kind"),
        ("moorline.show", {"id": "abcdef12"}, "no memory"),
        ("moorline.show", {"id": 7}, "id"),
        ("moorline.retire", {"id": "abcdef12"}, "reason"),
        ("moorline.backlog", {"limit": -1}, "limit"),
        ("moorline.backlog", {"kind": "whim"}, "kinds"),
        ("moorline.backlog", {"only": ["stail"]}, "groups"),
        ("moorline.search", {}, "query"),
        ("moorline.search", {"query": "x", "limit": 0}, "limit"),
        ("moorline.search", {"query": "x", "profile": "odd"}, "profiles"),
        ("moorline.nonsense", {}, "moorline.nonsense"),
    ],
)
async def test_wrong_arguments_are_errors_that_say_which(
    editor: Editor, command: str, argument: Any, says: str
) -> None:
    with pytest.raises(Exception, match=says):
        await editor.command(command, **argument)


async def test_only_files_of_the_workspace_take_part(editor: Editor) -> None:
    editor.open()
    await editor.record()
    path = editor.folder / "shop.js"
    for uri in (
        f"git:{path.as_posix()}?%7B%22ref%22%3A%22HEAD%22%7D",
        "untitled:Untitled-1",
        "vscode-notebook-cell:/x.ipynb#a",
    ):
        item = types.TextDocumentItem(uri, "javascript", 1, TEXT.replace("2 + fee", "9 + fee"))
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        identifier = types.TextDocumentIdentifier(uri)
        hover = await editor.ask(
            editor.client.text_document_hover_async(types.HoverParams(identifier, editor.position(TEXT, "pay")))
        )
        assert hover is None
        with pytest.raises(Exception, match="save"):
            await editor.command("moorline.record", uri=uri, kind="decision", text="No place.")
    assert codes(await editor.until(lambda found: codes(found) == ["fresh"])) == ["fresh"]


async def test_closing_without_saving_makes_the_file_count_again(editor: Editor) -> None:
    editor.open()
    memory = await editor.record()
    editor.change(editor.range(TEXT, "2 + fee"), "3 + fee")
    await editor.until(lambda found: codes(found) == ["changed"])
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(editor.document()))
    for _ in range(100):
        shown = await editor.command("moorline.show", id=memory["id"])
        if shown["anchors"][0]["verdict"] == "fresh":
            break
        await asyncio.sleep(0.05)
    assert shown["anchors"][0]["verdict"] == "fresh"
    assert list(editor.client.diagnostics.get(editor.uri(), [])) == []


async def test_what_others_record_and_switch_is_seen(editor: Editor) -> None:
    editor.open()
    await editor.record()

    def run(*arguments: str) -> None:
        subprocess.run(arguments, cwd=editor.folder, check=True, capture_output=True)

    command = [sys.executable, "-m", "lsp_server", "record", "shop.js#Shop", "--kind", "note", "--text", "A shop."]
    await asyncio.to_thread(run, *command)
    await editor.until(lambda found: codes(found) == ["fresh", "fresh"])
