"""The predicates of queries on texts that are no UTF-8: tree-sitter's own decode what they compare, and raise.

Knows those that our queries use. Slower than tree-sitter's, so they are asked where these fail, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tree_sitter import Node

_OWN = re.compile(r"\(#((?:not-)?(?:eq|match|any-of)\?)")
_PREFIX = "lax-"


def lax(query: str) -> str:
    """The text of a query with predicates that `holds` answers in place of tree-sitter's."""
    return _OWN.sub(rf"(#{_PREFIX}\1", query)


def holds(
    name: str, arguments: Sequence[tuple[str, str]], pattern: int, captures: Mapping[str, Sequence[Node]]
) -> bool:
    """Whether a predicate holds of every node of its capture; of a capture that took part in nothing it does."""
    negated, kind = name.startswith(f"{_PREFIX}not-"), name.removeprefix(_PREFIX).removeprefix("not-")
    (capture, _), *values = arguments
    wanted = [
        text
        for value, what in values
        for text in ([value] if what == "string" else map(_text, captures.get(value, ())))
    ]
    return all(_fits(kind, _text(node), wanted) is not negated for node in captures.get(capture, ()))


def _fits(kind: str, text: str, wanted: Sequence[str]) -> bool:
    return any(re.search(one, text) for one in wanted) if kind == "match?" else text in wanted


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
