"""The table of methods: what is called for each, and how its parameters come.

Knows the two forms of parameters, plain and lsprotocol's. Knows no connection and no method of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lsp_server.lsp.errors import InvalidParams
from lsp_server.lsp.shapes import SHAPES, Shape, check_shape


@dataclass(frozen=True, slots=True)
class Route:
    """What is called for a method. Make one by `request` or `notification`."""

    function: Callable[[Any], Any]
    answers: bool
    raw: bool
    shape: Shape


Routes = Mapping[str, Route]


def request(function: Callable[[Any], Any], *, raw: bool = True, shape: Shape = None) -> Route:
    """A route for a request: `function` takes the parameters and returns the result, or a coroutine of it.

    `raw`: parameters and result are plain values (the parameters always a dictionary, checked against `shape` or the
    method's own row in `SHAPES`); else both are lsprotocol's types. A function that is not `async` must be quick. An
    `async` one starts a moment later, when edits behind it may have been applied: where it must see the state as it
    was, write a plain function that takes the snapshot and returns the coroutine that works on it.
    """
    return Route(function, True, raw, shape)


def notification(function: Callable[[Any], Any], *, raw: bool = True, shape: Shape = None) -> Route:
    """A route for a notification; as `request`, but nothing is answered, and a coroutine holds up later messages."""
    return Route(function, False, raw, shape)


def argument(route: Route, method: str, params: Any) -> Any:
    """Check the parameters and return what the function takes. Raises InvalidParams."""
    if not route.raw:
        from lsp_server.lsp.protocol import structure

        return structure(method, params)
    if type(params) is not dict:
        raise InvalidParams("params must be an object")
    shape = route.shape or SHAPES.get(method)
    if shape is not None:
        check_shape(params, shape)
    return params
