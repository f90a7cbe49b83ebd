"""What a handler raises to answer a request with an error, and the error codes of JSON-RPC and LSP.

Knows the numbers of the specification (JSON-RPC 2.0 section 5.1, LSP 3.17 "ErrorCodes") and nothing else.
"""

from __future__ import annotations

from typing import Any, Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
SERVER_NOT_INITIALIZED: Final = -32002
REQUEST_FAILED: Final = -32803
CONTENT_MODIFIED: Final = -32801
REQUEST_CANCELLED: Final = -32800


class ResponseError(Exception):
    """An error answer: raised by our handlers to send one, and by `Connection.request` when the client sent one.

    Takes the code, a message of one line for people, and optional data that JSON can hold.
    """

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def body(self) -> dict[str, Any]:
        """Return the `error` member of the answer."""
        body: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            body["data"] = self.data
        return body


class InvalidParams(ResponseError):
    """The parameters are not what the method takes; the message says which one and why."""

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(INVALID_PARAMS, message, data)


class RequestFailed(ResponseError):
    """The request is well-formed but cannot be done; the message says why and what to do next."""

    def __init__(self, message: str, data: Any = None) -> None:
        super().__init__(REQUEST_FAILED, message, data)


class ClientCannot(Exception):
    """The client did not announce the capability that a request to it needs; nothing was sent."""
