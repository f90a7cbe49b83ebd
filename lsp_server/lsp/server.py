"""The language server: one connection with its routes, over standard streams or a local port."""

from __future__ import annotations

import sys

from lsp_server import __version__
from lsp_server.lsp.announce import capabilities
from lsp_server.lsp.connection import Connection, Routes

SWITCH = 0.0005
"""Seconds after which a thread that works in the background (reading memories, parsing) gives way to the client's
messages; Python's own 5 ms would be added to every key meanwhile, twice or more."""


def serve(port: int | None = None) -> int:
    """Serves one client until it goes, over standard streams or on `port` of 127.0.0.1; answers the exit code.

    What the handlers need is imported once the answer to `initialize` is out, so that an editor starts sooner.
    """
    running: list[object] = []

    def routes() -> Routes:
        from lsp_server.lsp.handlers import Handlers

        handlers = Handlers(connection)
        running.append(handlers)
        return handlers.routes()

    async def close() -> None:
        from lsp_server.lsp.handlers import Handlers

        for handlers in running:
            assert isinstance(handlers, Handlers)
            await handlers.close()

    sys.setswitchinterval(SWITCH)
    connection = Connection("moorline", __version__, initialize=capabilities, routes=routes, close=close)
    return connection.serve_stdio() if port is None else connection.serve_tcp(port)
