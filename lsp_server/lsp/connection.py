"""One client's connection: reads messages, calls the function that a table names, writes answers.

Knows JSON-RPC 2.0 and LSP's life cycle (initialize, shutdown, exit, cancellation), and the order of things: messages
are handled in the order they come; an `async` request runs as a task beside the others; an `async` notification holds
up what comes after it until it is done. Knows no feature, and imports neither pygls nor lsprotocol, which cost most of
a server's start; `protocol.py` puts pygls on top.

    from lsp_server.lsp.connection import Connection, notification, request

    class Handlers:
        def __init__(self, connection):              # made once the initialize answer is out: import heavy things here
            self.connection = connection

        def did_open(self, params):                  # the plain dictionary, its shape checked (shapes.py)
            self.connection.notify("textDocument/publishDiagnostics", {"uri": ..., "diagnostics": []})

        async def definition(self, params):          # a task; `$/cancelRequest` cancels it
            raise InvalidParams("params.position is past the end")          # an error answer (errors.py)

        def routes(self):
            return {
                "textDocument/didOpen": notification(self.did_open),
                "textDocument/definition": request(self.definition),
                "textDocument/rename": request(self.rename, raw=False),     # lsprotocol types in and out
            }

    connection = Connection("moorline", "1.0", initialize=lambda client: {"hoverProvider": True},
                            routes=lambda: Handlers(connection).routes(), close=session.close)
    sys.exit(connection.serve_stdio())               # or serve_tcp(port)

    connection.client.encoding, .client.can("workspace.codeLens.refreshSupport"), .client.folders, .client.options
    settings = await connection.ask("workspace/configuration", {"items": [...]})    # None if it cannot or fails
    connection.spawn(connection.ask("workspace/codeLens/refresh"))                  # a task of our own, kept and logged
    connection.pending                               # whether a further message has come already: put costly work off
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from types import CoroutineType
from typing import Any, Final

from lsp_server.lsp import codec, errors, serving
from lsp_server.lsp.client import Client, read_client
from lsp_server.lsp.errors import InvalidParams
from lsp_server.lsp.framing import Damage, Framer
from lsp_server.lsp.lifecycle import Process
from lsp_server.lsp.outgoing import MessageId, Outgoing, one_line
from lsp_server.lsp.routes import Route, Routes, argument, notification, request
from lsp_server.lsp.shapes import SHAPES, check_shape

__all__ = ["Connection", "Route", "Routes", "notification", "request"]

PARENT_INTERVAL: Final = 1.0
"""Seconds between two looks at the client's process."""

BARRIER_LIMIT: Final = 10.0
"""Seconds after which messages no longer wait for an `async` notification that does not end."""

CLOSE_LIMIT: Final = 3.0
"""Seconds that the `close` function may take. An editor that quits should not wait longer for its servers."""

END_GRACE: Final = 0.5
"""Seconds for requests that still run, and for answers that the client has not read, when the input has ended."""

log = logging.getLogger("moorline.lsp")


class Connection(Outgoing, asyncio.Protocol):
    """A connection to one client. See the module's text for how it is used."""

    def __init__(
        self,
        name: str,
        version: str,
        *,
        initialize: Callable[[Client], Mapping[str, Any] | Awaitable[Mapping[str, Any]]],
        routes: Callable[[], Routes],
        close: Callable[[], Awaitable[None] | None] | None = None,
    ) -> None:
        """Take the server's name and version, and three functions.

        `initialize` returns the server's capabilities (the position encoding is added); `routes` returns the table, and
        is called once, after the answer to `initialize` is on its way; `close` is called once at the end, whatever
        the reason, and has `CLOSE_LIMIT` seconds.
        """
        super().__init__(name)
        self.version = version
        self._initialize = initialize
        self._load = routes
        self._routes: Routes | None = None
        self._close = close
        self._state = "new"  # new, starting, ready, shutdown
        self._framer = Framer()
        self._input: asyncio.BaseTransport | None = None
        self._running: dict[MessageId, asyncio.Task[Any]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._barrier: asyncio.Task[Any] | None = None
        self._waiting: deque[dict[str, Any]] = deque()
        self._input_over = False

    # ---- for handlers

    @property
    def pending(self) -> bool:
        """Whether a further message has come already and waits to be handled."""
        return bool(self._waiting) or self._framer.ready

    def spawn(self, work: Coroutine[Any, Any, Any], name: str | None = None) -> asyncio.Task[Any]:
        """Run a coroutine beside the messages. It is kept until done, logged if it fails, cancelled at the end."""
        task = self.loop.create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._spawned)
        return task

    # ---- running (serving.py has the streams and the process)

    def serve_stdio(self, streams: tuple[int, int] | None = None) -> int:
        """Serve standard input and output until the end; return the exit code.

        `streams`: what `take_stdio` returned where it has been called already.
        """
        return serving.serve_stdio(self, streams)

    def serve_tcp(self, port: int) -> int:
        """Serve the first client that connects to `port` on 127.0.0.1 until the end; return the exit code.

        Port 0 takes a free one. The address is written to standard error.
        """
        return serving.serve_tcp(self, port)

    async def wind_up(self) -> None:
        """Leave nothing behind: tasks, the session, what the client has not read yet, the streams."""
        self._ended = True
        await _cancel([*self._running.values(), *self._background, *([self._barrier] if self._barrier else [])])
        await self._close_once()
        if self.output is not None:
            assert self._drained is not None
            try:
                await asyncio.wait_for(self._drained.wait(), END_GRACE)
                self.output.close()
            except TimeoutError:
                self.output.abort()
        if self._input is not None:
            self._input.close()
        me = asyncio.current_task()
        await _cancel([task for task in asyncio.all_tasks() if task is not me])
        await asyncio.sleep(0)  # The transports close themselves in the loop's next round.

    async def _close_once(self) -> None:
        close, self._close = self._close, None
        if close is None:
            return
        try:
            work = close()
            if work is not None:
                await asyncio.wait_for(work, CLOSE_LIMIT)
        except TimeoutError:
            log.warning("closing took longer than %s seconds and was given up", CLOSE_LIMIT)
        except Exception:
            log.exception("closing failed")

    def loop_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The loop's exception handler: one record, and none for a client that went away."""
        error = context.get("exception")
        if self._ended or isinstance(error, ConnectionError):
            log.info("%s: %s", context.get("message"), error)
        else:
            log.error("%s", context.get("message"), exc_info=error)

    # ---- streams: what a transport tells (asyncio.Protocol)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):  # A socket; the two pipes are opened one by one.
            self.output = transport
            transport.set_write_buffer_limits(high=0)
        self._input = transport

    def eof_received(self) -> bool:
        self.input_ended()
        return True  # We close it, after the last answer.

    def connection_lost(self, exc: Exception | None) -> None:
        self.input_ended()

    def input_ended(self) -> None:
        """The client sends no more: end, but let what it has asked for finish if that is soon."""
        if self._input_over:
            return
        self._input_over = True
        self._stop_if_idle()
        if self._loop is not None and not self._ended:
            self._loop.call_later(CLOSE_LIMIT if self._state == "shutdown" else END_GRACE, self.stop, "input closed")

    def _stop_if_idle(self) -> None:
        if self._input_over and not self._running and self._barrier is None and not self._waiting:
            self.stop("the input is closed")

    # ---- messages in

    def data_received(self, data: bytes) -> None:
        framer = self._framer
        framer.feed(data)
        for body in framer.frames():
            if self._ended:
                return
            if isinstance(body, Damage):
                log.warning("%s", body.message)
                self._error(None, errors.PARSE_ERROR, body.message)
                continue
            try:
                message = codec.decode(body)
            except codec.NotJson as error:
                log.warning("%s", error)
                self._error(None, errors.PARSE_ERROR, str(error))
                framer.push_back(body)
                continue
            try:
                self._receive(message)
            except Exception:  # A fault of ours: asyncio would close the stream over it.
                log.exception("a message could not be handled")

    def _receive(self, message: Any) -> None:
        """Handle a message, or put it off while an earlier one holds things up."""
        if type(message) is not dict:
            what = "a batch" if type(message) is list else "a message that is no object"
            log.warning("%s is not part of LSP; left out", what)
            self._error(None, errors.INVALID_REQUEST, f"{what} is not part of LSP")
            return
        method = message.get("method")
        if method is None and ("result" in message or "error" in message or self.was_asked(message.get("id"))):
            self.answered(message)
        elif self._barrier is None or method == "$/cancelRequest" or (method == "exit" and self._state != "shutdown"):
            self._handle(message, method)
        else:
            self._waiting.append(message)

    def _handle(self, message: dict[str, Any], method: Any) -> None:
        number = message.get("id", _ABSENT)
        known = type(number) is int or type(number) is str
        if message.get("jsonrpc") != "2.0":
            problem = 'jsonrpc must be "2.0"'
        elif type(method) is not str:
            problem = "method must be a string"
        elif number is not _ABSENT and not known:
            problem = "id must be an integer or a string"
        else:
            params = message.get("params")
            if params is None:
                params = {}
            if number is _ABSENT:
                self._handle_notification(method, params)
            else:
                self._handle_request(number, method, params)
            return
        log.warning("a message was left out: %s", problem)
        if number is not _ABSENT or type(method) is not str:
            self._error(number if known else None, errors.INVALID_REQUEST, problem)

    def _handle_request(self, number: MessageId, method: str, params: Any) -> None:
        if number in self._running:
            self._error(number, errors.INVALID_REQUEST, f"request {number!r} is still being answered; use another id")
        elif self._state in ("new", "starting"):
            if method == "initialize" and self._state == "new":
                self._begin(number, params)
            else:
                self._error(number, errors.SERVER_NOT_INITIALIZED, "the first request must be initialize")
        elif self._state == "shutdown":
            self._error(number, errors.INVALID_REQUEST, "the server has been shut down")
        elif method == "initialize":
            self._error(number, errors.INVALID_REQUEST, "the server has been initialized already")
        elif method == "shutdown":
            self._shut_down(number)
        else:
            route = self._table().get(method)
            if route is None:
                self._error(number, errors.METHOD_NOT_FOUND, f"unknown method {method}")
            elif not route.answers:
                self._error(number, errors.INVALID_REQUEST, f"{method} is a notification and takes no id")
            else:
                try:
                    result = route.function(argument(route, method, params))
                except Exception as error:
                    self._failed(number, method, error)
                    return
                if type(result) is CoroutineType:
                    self._run(number, method, result)
                else:
                    self._result(number, method, result)

    def _handle_notification(self, method: str, params: Any) -> None:
        if method == "exit":
            self.stop("exit")
        elif method == "$/cancelRequest":
            self._cancel_request(params)
        elif self._state == "ready":
            route = self._table().get(method)
            if route is None:
                return  # Optional ones (`$/`) and those that nobody here cares about.
            if not route.answers:
                try:
                    work = route.function(argument(route, method, params))
                except InvalidParams as error:
                    log.warning("%s left out: %s", method, error.message)
                except Exception:
                    log.exception("%s failed", method)
                else:
                    if type(work) is CoroutineType:
                        self._hold_up(self.loop.create_task(work), method)
            else:
                log.warning("%s left out: it is a request and came without an id", method)
        else:
            log.info("%s left out: the server is not running", method)

    def _table(self) -> Routes:
        """The table, asked for when it is first needed."""
        if self._routes is None:
            self._routes = {}  # Whatever happens, it is asked for once.
            try:
                self._routes = self._load()
            except Exception as error:
                log.exception("the server could not load its features")
                text = f"{self.name} could not start: {one_line(error)}"
                self.notify("window/showMessage", {"type": 1, "message": text})
        return self._routes

    # ---- life cycle

    def _begin(self, number: MessageId, params: Any) -> None:
        try:
            if type(params) is not dict:
                raise InvalidParams("params must be an object")
            check_shape(params, SHAPES["initialize"])
            self.client = read_client(params)
            capabilities = self._initialize(self.client)
        except Exception as error:
            self._failed(number, "initialize", error)
            return
        if isinstance(capabilities, Mapping):
            self._begun(number, capabilities)
            return

        async def begin() -> None:
            try:
                self._begun(number, await capabilities)
            except Exception as error:
                self._state = "new"
                self._failed(number, "initialize", error)

        self._state = "starting"
        self._hold_up(self.loop.create_task(begin()), "initialize")

    def _begun(self, number: MessageId, capabilities: Mapping[str, Any]) -> None:
        result = {
            "capabilities": {"positionEncoding": self.client.encoding, **capabilities},
            "serverInfo": {"name": self.name, "version": self.version},
        }
        self._state = "ready"
        self._result(number, "initialize", result)
        self.loop.call_soon(self._table)
        if self.client.process_id is not None:
            self._watch(Process(self.client.process_id))

    def _watch(self, parent: Process) -> None:
        if self._ended:
            return
        if parent.alive():
            self.loop.call_later(PARENT_INTERVAL, self._watch, parent)
        else:
            self.stop(f"the client's process {parent.pid} is gone")

    def _shut_down(self, number: MessageId) -> None:
        self._state = "shutdown"
        self._code = 0

        async def finish() -> None:
            await _cancel([*self._running.values(), *self._background])
            await self._close_once()
            self._result(number, "shutdown", None)

        self._hold_up(self.loop.create_task(finish()), "shutdown", CLOSE_LIMIT + 2)

    def _cancel_request(self, params: Any) -> None:
        number = params.get("id") if type(params) is dict else None
        if type(number) is not int and type(number) is not str:
            return
        task = self._running.get(number)
        if task is not None:
            task.cancel()
            return
        for message in self._waiting:
            if message.get("id", _ABSENT) == number:
                self._waiting.remove(message)
                self._error(number, errors.REQUEST_CANCELLED, "cancelled")
                return

    def _hold_up(self, task: asyncio.Task[Any], method: str, limit: float = BARRIER_LIMIT) -> None:
        """Let later messages wait until `task` is done, `limit` seconds at most."""
        self._barrier = task

        def lift(late: bool) -> None:
            if self._barrier is task:
                if late:
                    log.warning("%s takes over %s seconds; going on without it", method, limit)
                    self._background.add(task)
                self._barrier = None
                self._go_on()

        def done(_: asyncio.Task[Any]) -> None:
            timer.cancel()
            self._background.discard(task)
            if not task.cancelled() and task.exception() is not None:
                log.error("%s failed", method, exc_info=task.exception())
            lift(False)

        timer = self.loop.call_later(limit, lift, True)
        task.add_done_callback(done)

    def _go_on(self) -> None:
        """Handle what has waited, up to the next message that holds things up."""
        while self._waiting and self._barrier is None and not self._ended:
            message = self._waiting.popleft()
            self._handle(message, message.get("method"))
        self._stop_if_idle()

    def _run(self, number: MessageId, method: str, work: Coroutine[Any, Any, Any]) -> None:
        task = self._running[number] = self.loop.create_task(work)

        def done(_: asyncio.Task[Any]) -> None:
            self._running.pop(number, None)
            if task.cancelled():
                self._error(number, errors.REQUEST_CANCELLED, "cancelled")
            elif (error := task.exception()) is not None:
                self._failed(number, method, error)
            else:
                self._result(number, method, task.result())
            self._stop_if_idle()

        task.add_done_callback(done)

    def _spawned(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work failed: %s", task.get_name(), exc_info=error)


_ABSENT: Final = object()


async def _cancel(tasks: list[asyncio.Task[Any]]) -> None:
    """Cancel tasks and give them a moment to clean up."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=END_GRACE)
        await asyncio.sleep(0)  # Their callbacks send the last answers.
