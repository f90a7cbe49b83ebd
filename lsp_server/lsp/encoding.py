"""Which unit columns are counted in on one connection.

Knows the `general.positionEncodings` of the client; knows no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]


KNOWN: Mapping[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


def choose_encoding(capabilities: Mapping[str, Any]) -> Encoding:
    """Return the encoding to announce, from the client's capabilities as they came (possibly malformed).

    The first of the client's list that we know, as the list is in its order of preference; UTF-16, which every client
    must support, where the list is absent or holds nothing known (LSP 3.17, "PositionEncodingKind").
    """
    general = capabilities.get("general")
    offered = general.get("positionEncodings") if isinstance(general, Mapping) else None
    for one in offered if isinstance(offered, list) else ():
        if isinstance(one, str) and one in KNOWN:
            return KNOWN[one]
    return "utf-16"
