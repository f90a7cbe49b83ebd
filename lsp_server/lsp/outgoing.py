"""The sending half of a connection: answers, notifications, and requests to the client with their answers.

Knows how messages are written and how full the output may get. Knows nothing of what comes in but those answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from typing import Any, Final

from lsp_server.lsp import codec, errors
from lsp_server.lsp.client import Client
from lsp_server.lsp.errors import ClientCannot, ResponseError
from lsp_server.lsp.framing import frame

UNREAD_LIMIT: Final = 512 * 1024 * 1024
"""Bytes that the client may leave unread before we take it for gone."""

MessageId = int | str

log = logging.getLogger("moorline.lsp")


class Outgoing:
    """What a `Connection` sends. Not made by itself."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.client = Client()
        self.output: Any = None  # A transport, or what looks like one; set by serving.py.
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._next_id = 0
        self._thread = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Future[int] | None = None
        self._ended = False
        self._code = 1
        self._drained: asyncio.Event | None = None

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that everything runs on. Raises RuntimeError before the connection is served."""
        if self._loop is None:
            raise RuntimeError("the connection is not served yet")
        return self._loop

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification with plain parameters (or lsprotocol's). From any thread."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self._send(message)

    async def request(self, method: str, params: Any = None, *, timeout: float | None = None) -> Any:
        """Send a request to the client and return its result.

        Raises ClientCannot where the client's capabilities do not have it, ResponseError when it answers with an error,
        TimeoutError after `timeout` seconds.
        """
        if self._ended or not self.client.takes(method):
            raise ClientCannot(method)
        self._next_id += 1
        number = self._next_id
        answer = self.loop.create_future()
        self._asked[number] = answer
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        try:
            self._send(message)
            return await asyncio.wait_for(answer, timeout)
        except (asyncio.CancelledError, TimeoutError):
            if number in self._asked and not self._ended:
                self.notify("$/cancelRequest", {"id": number})
            raise
        finally:
            self._asked.pop(number, None)

    async def ask(self, method: str, params: Any = None, *, default: Any = None, timeout: float = 30.0) -> Any:
        """Like `request`, but an error, no answer in `timeout` seconds or a missing capability gives `default`.

        An error and a time-out are logged.
        """
        try:
            return await self.request(method, params, timeout=timeout)
        except ClientCannot:
            pass
        except ResponseError as error:
            log.warning("the client refused %s: %s (%s)", method, error.message, error.code)
        except TimeoutError:
            log.warning("the client did not answer %s within %s seconds", method, timeout)
        return default

    async def register(self, method: str, options: Any = None) -> str | None:
        """Register `method` with the client; return the registration's id, None where the client has no such thing."""
        if not self.client.registers(method):
            return None
        registration = {"id": f"{self.name}:{method}", "method": method}
        if options is not None:
            registration["registerOptions"] = options
        refused = object()
        answer = await self.ask("client/registerCapability", {"registrations": [registration]}, default=refused)
        return None if answer is refused else registration["id"]

    def stop(self, reason: str, code: int | None = None) -> None:
        """End the connection; `code` is the exit code: by default 0 after `shutdown`, else 1."""
        if self._end is not None and not self._end.done():
            log.info("ending: %s", reason)
            self._end.set_result(self._code if code is None else code)
        self._ended = True

    def begin(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[int]:
        """Start on this thread's loop; the future gets the exit code once it is time to `wind_up`."""
        self._loop = loop
        self._thread = threading.get_ident()
        self._end = loop.create_future()
        self._drained = asyncio.Event()
        self._drained.set()
        return self._end

    def pause_writing(self) -> None:
        assert self._drained is not None
        self._drained.clear()

    def resume_writing(self) -> None:
        assert self._drained is not None
        self._drained.set()

    def output_lost(self) -> None:
        """The client reads no more."""
        self.resume_writing()
        self.stop("the output is closed")

    def was_asked(self, number: Any) -> bool:
        """Whether a request of ours with this id waits for its answer."""
        return type(number) is int and number in self._asked

    def answered(self, message: dict[str, Any]) -> None:
        """Take an answer of the client to a request of ours."""
        number = message.get("id")
        answer = self._asked.pop(number, None) if type(number) is int else None
        if answer is None or answer.done():
            log.info("an answer to nothing was left out: id %r", number)
            return
        error = message.get("error")
        if error is None:
            answer.set_result(message.get("result"))
        elif type(error) is dict:
            code = error.get("code")
            text = str(error.get("message", ""))
            answer.set_exception(ResponseError(code if type(code) is int else 0, text, error.get("data")))
        else:
            answer.set_exception(ResponseError(0, "an error without a text"))

    def _result(self, number: MessageId, method: str, result: Any) -> None:
        try:
            body = codec.encode({"jsonrpc": "2.0", "id": number, "result": result}, _plain, large=_large(result))
        except Exception as error:
            self._failed(number, method, error)
            return
        self._write(frame(body))

    def _failed(self, number: MessageId, method: str, error: BaseException) -> None:
        """Answer with the error that a function raised; what nobody foresaw is logged with its trace."""
        if isinstance(error, ResponseError):
            body = error.body()
        elif isinstance(error, asyncio.CancelledError):
            body = {"code": errors.REQUEST_CANCELLED, "message": "cancelled"}
        elif (foreign := _pygls_error(error)) is not None:
            body = foreign
        else:
            log.error("%s failed", method, exc_info=error)
            body = {"code": errors.INTERNAL_ERROR, "message": f"{method} failed: {one_line(error)}"}
        try:
            self._send({"jsonrpc": "2.0", "id": number, "error": body})
        except (TypeError, ValueError):  # Its data cannot be sent; its text can.
            self._error(number, body["code"], body["message"])

    def _error(self, number: MessageId | None, code: int, message: str) -> None:
        self._send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})

    def _send(self, message: dict[str, Any]) -> None:
        self._write(frame(codec.encode(message, _plain, large=_large(message.get("params")))))

    def _write(self, data: bytes) -> None:
        if threading.get_ident() != self._thread:
            with contextlib.suppress(RuntimeError):  # The loop has been closed meanwhile.
                self.loop.call_soon_threadsafe(self._write, data)
            return
        out = self.output
        if out is None or out.is_closing():
            return
        out.write(data)
        if out.get_write_buffer_size() > UNREAD_LIMIT:
            self.stop("the client does not read what it is sent")


def _large(value: Any) -> bool:
    """A guess whether a result or parameters are over a kilobyte of JSON: there is a list of some length in them."""
    if type(value) is dict:
        return any(type(member) is list and len(member) > 4 for member in value.values())
    return type(value) is list and len(value) > 4


def _plain(value: Any) -> Any:
    """Plain values of an object of lsprotocol's. Raises TypeError for any other."""
    if not hasattr(type(value), "__attrs_attrs__"):
        raise TypeError(f"{type(value).__name__} cannot be sent")
    from lsp_server.lsp.protocol import unstructure

    return unstructure(value)


def _pygls_error(error: BaseException) -> dict[str, Any] | None:
    """The body of an error that was raised with one of pygls's own exceptions; they carry a code and a message."""
    if not type(error).__module__.startswith("pygls."):
        return None
    code, message = getattr(error, "code", None), getattr(error, "message", None)
    return {"code": code, "message": str(message)} if type(code) is int else None


def one_line(error: BaseException) -> str:
    """The error's type and text for people, on one line, shortened."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
