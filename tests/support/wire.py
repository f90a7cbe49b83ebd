"""A client of a real server process over its standard streams, which keeps everything that the server sends.

Knows LSP's framing and life cycle, answers what the server asks as an editor does, and takes no part in what it tests:
it imports nothing of the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
SECONDS = 30
"""Seconds after which something is taken to hang; generous, for loaded machines."""

PUSHED: Mapping[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "hover": {"contentFormat": ["markdown"]},
    },
    "workspace": {"workspaceFolders": True, "configuration": True, "codeLens": {"refreshSupport": True}},
}
"""A client that is pushed its diagnostics, as Neovim and Emacs are by default."""


class Refusal(Exception):
    """An error answer."""


class Wire:
    """One client on one server process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.published: list[Json] = []
        self.notes: list[Json] = []
        self.settings: Json = {}
        self.capabilities: Json = {}
        self.ended = asyncio.Event()
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reader = asyncio.ensure_future(self._read())
        self._said = asyncio.ensure_future(self._drain())

    # -- messages

    def send(self, message: Json) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))

    def tell(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, params: Any) -> asyncio.Future[Any]:
        """Sends a request; its answer comes later."""
        number = next(self._ids)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self.send({"id": number, "method": method, "params": params})
        return self._waiting[number]

    async def ask(self, method: str, params: Any) -> Any:
        """The answer to a request; raises Refusal for an error."""
        return await asyncio.wait_for(self.begin(method, params), SECONDS)

    async def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await self.process.stdout.readuntil(b"\r\n\r\n")
                length = int(head.decode("ascii").lower().split("content-length:")[1].split("\r\n")[0])
                self._take(json.loads(await self.process.stdout.readexactly(length)))
        self.ended.set()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EOFError("the server ended"))
                future.exception()

    def _take(self, message: Json) -> None:
        if "method" not in message:
            future = self._waiting.pop(message["id"])
            if future.done():
                return
            if "error" in message:
                future.set_exception(Refusal(f"{message['error']['code']}: {message['error']['message']}"))
            else:
                future.set_result(message["result"])
            return
        if message["method"] == "textDocument/publishDiagnostics":
            self.published.append(message["params"])
        else:
            self.notes.append(message)
        if "id" in message:
            result = (
                [self.settings for _ in message["params"]["items"]] if "items" in message.get("params", {}) else None
            )
            self.send({"id": message["id"], "result": result})

    async def _drain(self) -> str:
        assert self.process.stderr is not None
        return (await self.process.stderr.read()).decode(errors="replace")

    # -- an editor's doings

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Json) -> None:
        document = {"uri": uri, "version": version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def save(self, uri: str) -> None:
        self.tell("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    async def command(self, name: str, **argument: Any) -> Any:
        return await self.ask("workspace/executeCommand", {"command": f"moorline.{name}", "arguments": [argument]})

    async def hover(self, uri: str, line: int, character: int) -> Json | None:
        position = {"line": line, "character": character}
        found: Json | None = await self.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        return found

    # -- what is shown

    def latest(self, uri: str) -> list[Json]:
        """What the problem list of a document shows now."""
        for params in reversed(self.published):
            if params["uri"] == uri:
                return list(params["diagnostics"])
        return []

    def shown(self, uri: str) -> list[str]:
        """The codes of what the problem list of a document shows now."""
        return [str(one.get("code")) for one in self.latest(uri)]

    @property
    def listed(self) -> dict[str, list[str]]:
        """Every document that shows something, with its codes."""
        return {params["uri"]: codes for params in self.published if (codes := self.shown(params["uri"]))}

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until something holds of what was sent; fails with what is listed."""
        for _ in range(SECONDS * 50):
            if holds():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"never came; listed are {self.listed}")

    # -- the end

    async def end(self) -> int:
        """Shuts the server down as an editor does; answers its exit code."""
        await self.ask("shutdown", None)
        self.tell("exit", None)
        return await asyncio.wait_for(self.process.wait(), SECONDS)

    async def said(self) -> str:
        """What the server wrote to its standard error, once it has ended."""
        return await asyncio.wait_for(asyncio.shield(self._said), SECONDS)


async def start(*, environment: Mapping[str, str] | None = None) -> Wire:
    """A server process that was told nothing yet."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", "lsp"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
    )
    return Wire(process)


async def initialize(
    wire: Wire, folders: Sequence[Path | str], *, capabilities: Mapping[str, Any] = PUSHED, pid: int | None = None
) -> Json:
    """Says what an editor says first; folders are paths or URIs. Answers the server's capabilities."""
    uris = [folder if isinstance(folder, str) else folder.as_uri() for folder in folders]
    answer = await wire.ask(
        "initialize",
        {
            "processId": os.getpid() if pid is None else pid,
            "capabilities": capabilities,
            "workspaceFolders": [{"uri": uri, "name": uri.rsplit("/", 1)[-1]} for uri in uris],
            "initializationOptions": {"settings": {"poll_seconds": 0.2}},
        },
    )
    wire.capabilities = answer["capabilities"]
    wire.settings = {"poll_seconds": 0.2}
    wire.tell("initialized", {})
    return wire.capabilities


@contextlib.asynccontextmanager
async def served(
    *folders: Path | str, capabilities: Mapping[str, Any] = PUSHED, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Wire]:
    """A server on some folders. At the end it must shut down cleanly, unless it has ended before."""
    wire = await start(environment=environment)
    try:
        await initialize(wire, folders, capabilities=capabilities)
        yield wire
        if not wire.ended.is_set():
            assert await wire.end() == 0
            said = await wire.said()
            assert "Traceback" not in said, said
    finally:
        with contextlib.suppress(ProcessLookupError):
            wire.process.kill()
        await wire.process.wait()
        await asyncio.gather(wire._reader, wire._said, return_exceptions=True)


async def command_line(folder: Path, *words: str, stdin: str = "") -> tuple[int, str, str]:
    """Runs the command line in a process of its own; answers exit code, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", *words),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    out, err = await asyncio.wait_for(process.communicate(stdin.encode()), SECONDS)
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()
