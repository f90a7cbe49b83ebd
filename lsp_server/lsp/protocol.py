"""pygls 2.1 on top of a `Connection`: its typed requests to the client and its typed parameters and results.

    from lsp_server.lsp.protocol import Server
    server = Server(connection)                      # in `routes`, once the initialize answer is out
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, "moored"))
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit))

pygls's own reading of messages, its life cycle and its documents are replaced: it does not answer malformed
parameters, hangs on a lower-case header, ends with 0 without `shutdown`, splits lines where LSP does not and rebuilds
the whole text on each key. What is left of it is what it is good at, and only handlers that use lsprotocol's types pay
for the import.
"""

from __future__ import annotations

import asyncio
import enum
import functools
from concurrent.futures import Future
from typing import Any, cast

from cattrs import Converter, transform_error
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter
from pygls.workspace import Workspace

from lsp_server.lsp.connection import Connection
from lsp_server.lsp.errors import InvalidParams


class Protocol(LanguageServerProtocol):
    """pygls's protocol with a `Connection` in the place of its stream, life cycle and documents."""

    connection: Connection

    def _register_builtin_features(self) -> None:
        """None: the life cycle and the documents are ours."""

    @property
    def workspace(self) -> Workspace:
        """Not there: the session has the documents. Raises RuntimeError."""
        raise RuntimeError("documents are the session's, not pygls's")

    def handle_message(self, message: Any) -> None:
        """Not there: the connection reads. Raises RuntimeError."""
        raise RuntimeError("messages are the connection's, not pygls's")

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification; `params` plain or of lsprotocol's types."""
        self.connection.notify(method, params)

    def send_request(self, method: str, params: Any = None, callback: Any = None, msg_id: Any = None) -> Future[Any]:
        """Send a request; the future has the typed result, or the exception of `Connection.request`.

        `callback` is called with the result. An id of one's own is not possible. Call it on the loop's thread.
        """
        result: Future[Any] = Future()

        def done(task: asyncio.Task[Any]) -> None:
            if task.cancelled():
                result.cancel()
            elif (error := task.exception()) is not None:
                result.set_exception(error)
            else:
                result.set_result(task.result())
                if callback is not None:
                    callback(task.result())

        task = self.connection.loop.create_task(self._ask(method, params))
        task.add_done_callback(done)
        return result

    async def send_request_async(self, method: str, params: Any = None, msg_id: Any = None) -> Any:
        """Send a request and return its typed result. Raises what `Connection.request` raises."""
        return await self._ask(method, params)

    async def _ask(self, method: str, params: Any) -> Any:
        result = await self.connection.request(method, params)
        row = types.METHOD_TO_TYPES.get(method)
        if row is None or row[1] is None:
            return result
        return converter().structure({"jsonrpc": "2.0", "id": 0, "result": result}, row[1]).result


class Server(LanguageServer):
    """pygls's language server over a connection that has been initialized: for what its typed methods offer."""

    protocol: Protocol

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection.name, connection.version, protocol_cls=Protocol, converter_factory=converter)
        self.connection = connection
        self.protocol.connection = connection
        self.process_id = connection.client.process_id

    @functools.cached_property
    def client_capabilities(self) -> types.ClientCapabilities:
        """The client's capabilities as lsprotocol's type."""
        return converter().structure(dict(self.connection.client.capabilities), types.ClientCapabilities)


@functools.cache
def converter() -> Converter:
    """The converter between plain values and lsprotocol's types."""
    return cast(Converter, default_converter())  # type: ignore[no-untyped-call]


def structure(method: str, params: Any) -> Any:
    """Return the parameters of `method` as lsprotocol's type; plain where it knows no such method.

    Raises InvalidParams, naming the members that are wrong.
    """
    row = types.METHOD_TO_TYPES.get(method)
    if row is None or row[2] is None:
        return params
    try:
        return converter().structure(params, cast(Any, row[2]))
    except Exception as error:
        raise InvalidParams("; ".join(transform_error(error, path="params"))) from error


def unstructure(value: Any) -> Any:
    """Return plain values of an object of lsprotocol's types."""
    return value.value if isinstance(value, enum.Enum) else converter().unstructure(value)
