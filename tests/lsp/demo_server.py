"""A tiny server over `Connection`, to be talked to through a pipe by test_protocol.py."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time
from typing import Any

from lsp_server.lsp.client import Client
from lsp_server.lsp.connection import Connection, Routes, notification, request
from lsp_server.lsp.errors import RequestFailed

Params = dict[str, Any]


class Demo:
    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.applied: list[Any] = []

    def publish(self, params: Params) -> None:
        document = params["textDocument"]
        self.connection.notify(
            "textDocument/publishDiagnostics",
            {"uri": document["uri"], "version": document["version"], "diagnostics": []},
        )

    def hover(self, params: Params) -> Params:
        return {"contents": {"kind": "markdown", "value": "**note**: hello"}}

    def definition(self, params: Any) -> Any:
        from lsprotocol import types

        here = types.Range(params.position, params.position)
        return [types.Location(uri=params.text_document.uri, range=here)]

    def apply(self, params: Params) -> None:
        self.applied.append(params["value"])

    async def apply_late(self, params: Params) -> None:
        await asyncio.sleep(params.get("seconds", 0.1))
        self.applied.append(params["value"])

    async def apply_after_asking(self, params: Params) -> None:
        self.applied.append(await self.connection.ask("workspace/configuration", {"items": []}))

    def state(self, params: Params) -> list[Any]:
        return self.applied

    async def slow(self, params: Params) -> str:
        await asyncio.sleep(params["seconds"])
        return "slept"

    def crash(self, params: Params) -> None:
        raise KeyError("two\nlines")

    async def crash_late(self, params: Params) -> None:
        await asyncio.sleep(0)
        raise ValueError("late")

    def crash_quietly(self, params: Params) -> None:
        raise ValueError("nobody is answered")

    def refuse(self, params: Params) -> None:
        raise RequestFailed("there is no such thing; make one first", {"kind": "thing"})

    def refuse_oddly(self, params: Params) -> None:
        raise RequestFailed("no", object())

    def unsendable(self, params: Params) -> Any:
        return object()

    def surrogate(self, params: Params) -> Any:
        return ["\ud800"] * 6

    def client(self, params: Params) -> Any:
        client = self.connection.client
        return {"encoding": client.encoding, "name": client.name, "folders": [folder.uri for folder in client.folders]}

    async def ask(self, params: Params) -> Any:
        return await self.connection.ask(
            params["method"], params.get("params"), default="default", timeout=params.get("timeout", 5)
        )

    async def register(self, params: Params) -> Any:
        return await self.connection.register(params["method"], {"watchers": []})

    async def typed_edit(self, params: Params) -> Any:
        from lsprotocol import types

        from lsp_server.lsp.protocol import Server

        server = Server(self.connection)
        assert server.client_capabilities.workspace is not None
        server.window_log_message(types.LogMessageParams(types.MessageType.Info, "typed"))
        answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(types.WorkspaceEdit()))
        return {"applied": answer.applied, "reason": answer.failure_reason}

    def stray(self, params: Params) -> str:
        print("a stray line")
        os.write(1, b"another one\n")
        subprocess.run([sys.executable, "-c", "print('of a child')"], check=True)
        return sys.stdin.read() if sys.stdin else ""

    def noise(self, params: Params) -> str:
        for number in range(200):
            logging.getLogger("demo").warning("%s %s", number, "x" * 5000)
        return "quiet"

    def start_blocking_thread(self, params: Params) -> None:
        self.connection.spawn(asyncio.to_thread(time.sleep, 60))

    def start_stubborn_task(self, params: Params) -> None:
        async def stubborn() -> None:
            while True:
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    continue

        self.connection.spawn(stubborn())

    def start_failing_task(self, params: Params) -> None:
        async def fail() -> None:
            raise ValueError("in the background")

        self.connection.spawn(fail(), name="a failing task")

    def large(self, params: Params) -> Any:
        return ["x" * 1000] * params["kilobytes"]

    async def from_thread(self, params: Params) -> None:
        await asyncio.to_thread(self.connection.notify, "demo/fromThread", {"ok": True})

    def routes(self) -> Routes:
        if os.environ.get("DEMO_BROKEN"):
            raise ImportError("no grammar")
        return {
            "textDocument/didOpen": notification(self.publish),
            "textDocument/didChange": notification(self.publish),
            "textDocument/hover": request(self.hover),
            "textDocument/definition": request(self.definition, raw=False),
            "demo/apply": notification(self.apply, shape={"value": None}),
            "demo/applyLate": notification(self.apply_late),
            "demo/applyAfterAsking": notification(self.apply_after_asking),
            "demo/state": request(self.state),
            "demo/slow": request(self.slow, shape={"seconds": (int, float)}),
            "demo/crash": request(self.crash),
            "demo/crashLate": request(self.crash_late),
            "demo/crashQuietly": notification(self.crash_quietly),
            "demo/refuse": request(self.refuse),
            "demo/refuseOddly": request(self.refuse_oddly),
            "demo/unsendable": request(self.unsendable),
            "demo/surrogate": request(self.surrogate),
            "demo/client": request(self.client),
            "demo/ask": request(self.ask),
            "demo/register": request(self.register),
            "demo/typedEdit": request(self.typed_edit),
            "demo/stray": request(self.stray),
            "demo/noise": request(self.noise),
            "demo/thread": notification(self.start_blocking_thread),
            "demo/stubborn": notification(self.start_stubborn_task),
            "demo/failing": notification(self.start_failing_task),
            "demo/large": request(self.large),
            "demo/fromThread": request(self.from_thread),
        }


async def initialize_late(client: Client) -> Params:
    await asyncio.sleep(0.1)
    return {"hoverProvider": True}


async def close() -> None:
    sys.stderr.write("the session is closed\n")
    if os.environ.get("DEMO_SLOW_CLOSE"):
        await asyncio.sleep(60)


def main() -> int:
    late = bool(os.environ.get("DEMO_LATE"))
    connection = Connection(
        "demo",
        "1",
        initialize=initialize_late if late else lambda client: {"textDocumentSync": 2, "hoverProvider": True},
        routes=lambda: Demo(connection).routes(),
        close=close,
    )
    return connection.serve_tcp(int(sys.argv[1])) if len(sys.argv) > 1 else connection.serve_stdio()


if __name__ == "__main__":
    sys.exit(main())
