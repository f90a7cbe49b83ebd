"""Which unit columns are counted in on one connection.

Knows the `general.positionEncodings` of the client and our order of preference; knows no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def choose_encoding(capabilities: Mapping[str, Any]) -> Encoding:
    """Return the encoding to announce, from the client's capabilities as they came (possibly malformed).

    UTF-8 where the client offers it at any place of its list, because our texts are UTF-8; else UTF-16, which every
    client must support and which holds when the list is absent (LSP 3.17); UTF-32 only where that is all it offers.
    """
    general = capabilities.get("general")
    offered = general.get("positionEncodings") if isinstance(general, Mapping) else None
    if not isinstance(offered, list):
        return "utf-16"
    if "utf-8" in offered:
        return "utf-8"
    if "utf-32" in offered and "utf-16" not in offered:
        return "utf-32"
    return "utf-16"
