"""URIs of documents and the paths they mean: every spelling of one file gives one path.

Knows percent-encoding, drive letters, `localhost` and UNC hosts, by text alone and the same on every platform. Asks no
file system: whether a path may be read, and which file it is behind links, is `paths.safe`'s to say.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import PurePath
from urllib.parse import quote_from_bytes, unquote_to_bytes

_DRIVE = re.compile(r"^/+([A-Za-z])[:|](?=/|$)")
_UNESCAPED = "/-._~!$&'()*+,;=@"
"""What RFC 3986 allows in a path as it is (`pchar`), without the colon, which is only left in a drive's name."""


@lru_cache(maxsize=8192)
def to_path(uri: str) -> str | None:
    """Give the absolute path, with `/`, that a `file:` URI means; None for any other scheme and for what is no path.

    A drive's letter is upper case (`C:/x.py`), a UNC host is kept (`//host/share/x.py`). Dot segments are taken out as
    RFC 3986, 5.2.4, does. An unescaped `#` or `?` is part of the name: a document has no fragment, and some clients do
    not escape them.
    """
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme.strip().lower() != "file":
        return None
    host = ""
    if rest.startswith("//"):
        host, slash, tail = rest[2:].partition("/")
        rest = slash + tail
        if re.fullmatch(r"[A-Za-z](:|\||%3[Aa]|%7[Cc])", host):  # `file://C:/x`: seen in the field, and plain.
            host, rest = "", f"/{host}{rest}"
    data = unquote_to_bytes(rest.encode("utf-8", "surrogateescape"))
    if b"\0" in data:
        return None
    # Bytes that are no UTF-8 are kept as the system's own file functions keep them.
    path = data.decode("utf-8", "surrogateescape").replace("\\", "/")
    if not path.startswith("/"):
        return None
    path = _without_dots(path)
    if host.lower() not in ("", "localhost"):
        return f"//{host.lower()}{path}"
    return _DRIVE.sub(lambda match: f"{match[1].upper()}:", path)


def to_uri(path: str | PurePath) -> str:
    """Give the `file:` URI of an absolute path, spelled as RFC 8089 does (`file:///C:/x%20y.py`)."""
    text = os.fspath(path).replace("\\", "/") if os.name == "nt" else os.fspath(path)
    drive = ""
    if re.match(r"^[A-Za-z]:(/|$)", text):
        drive, text = f"/{text[0].upper()}:", text[2:]
    host = ""
    if text.startswith("//") and not text.startswith("///"):
        host, text = text[2:].split("/", 1)[0], "/" + text[2:].partition("/")[2]
    return f"file://{host}{drive}{quote_from_bytes(text.encode('utf-8', 'surrogateescape'), _UNESCAPED)}"


def key(uri: str) -> str:
    """Give what two URIs of one document have in common: the path for `file:`, else the URI itself."""
    path = to_path(uri)
    return uri if path is None else path


def same(uri_a: str, uri_b: str) -> bool:
    """Say whether two URIs mean one document, by text."""
    return uri_a == uri_b or key(uri_a) == key(uri_b)


def _without_dots(path: str) -> str:
    if "/." not in path and "//" not in path:
        return path
    kept: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if kept:
                kept.pop()
        elif name not in ("", "."):
            kept.append(name)
    return "/" + "/".join(kept)
