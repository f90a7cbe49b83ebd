"""Editor bookmarks: VS Code Bookmarks in its three shapes, Labeled Bookmarks, haunt.nvim.

Knows that VS Code counts lines from 0 and haunt.nvim from 1, and that a browser's bookmarks are something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from lsp_server.features.importers.entry import Arrived, Entry, Given, Importer, Keys, Problem, Spot, each
from lsp_server.features.importers.reading import json_in, line_in, not_utf8, slug, text_in

Json = Mapping[str, Any]

ROOT = "$ROOTPATH$"


def recognises(given: Given) -> bool:
    return shape_of(json_in(given)) is not None


def shape_of(value: Any) -> str | None:
    """Which tool wrote it: "vscode", "labeled" or "haunt"; None for anything else, such as a browser's bookmarks."""
    if isinstance(value, list):
        return "vscode" if value and all(is_file(item, "path") for item in value) else None
    if not isinstance(value, dict):
        return None
    files, marks = value.get("files"), value.get("bookmarks")
    if isinstance(files, list) and all(is_file(item, "path") for item in files) and (files or len(value) == 1):
        return "vscode"
    if not isinstance(marks, list):
        return None
    if marks and all(is_file(item, "fsPath") for item in marks):
        return "vscode"
    if "dataFormatVersion" in value and all(isinstance(item, dict) for item in marks):
        return "labeled"
    if line_in(value.get("version")) is not None and all(is_haunt(item) for item in marks):
        return "haunt"
    return None


def is_file(item: Any, key: str) -> bool:
    return isinstance(item, dict) and isinstance(item.get(key), str) and isinstance(item.get("bookmarks"), list)


def is_haunt(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("file"), str) and "line" in item


def read_bookmarks(given: Given) -> Arrived:
    value = json_in(given)
    shape = shape_of(value)
    if shape is None:
        message = "holds no bookmarks of VS Code Bookmarks, Labeled Bookmarks or haunt.nvim"
        return Arrived(problems=[Problem(given.path, "", f"{message}; choose another --from", True)])
    found = Arrived(problems=not_utf8(given))
    readers = {"vscode": vscode, "labeled": labeled, "haunt": haunt}
    keys = Keys()
    for number, entry in enumerate(readers[shape](value, given), 1):
        where = f"bookmark {number}"
        if isinstance(entry, str):
            found.problems.append(Problem(given.path, where, entry, True))
            continue
        name, spot, facts = entry
        label = facts.pop("label", "")
        key = name or f"{spot.file}:{slug(label) or spot.line}"
        found.entries.append(
            Entry(
                facts.pop("source", "bookmarks"),
                f"{given.path}#{keys.of(key)}",
                given.path,
                title=label or f"Bookmark at {spot}",
                text=label,
                where=where,
                places=(spot,),
                base=base_of(given.folder),
                **facts,
            )
        )
    return found


Mark = tuple[str, Spot, dict[str, Any]]
"""An id where the tool gives one, the place, and what else the entry has."""


def vscode(value: Any, given: Given) -> Iterator[Mark | str]:
    """`{"files": [...]}`, the bare list before it, and `{"bookmarks": [{"fsPath"}]}` with bare line numbers."""
    files = value if isinstance(value, list) else value.get("files") or value.get("bookmarks") or []
    for item in files:
        file = path_of(item.get("path") or item.get("fsPath"))
        for mark in item["bookmarks"]:
            line = line_in(mark.get("line") if isinstance(mark, dict) else mark)
            if line is None or line < 0:
                yield f"has no line in {file}; set the bookmark again"
                continue
            label = text_in(mark, "label") if isinstance(mark, dict) else ""
            yield "", Spot(file, line=line + 1), {"label": label, "tags": ("bookmark",)}


def labeled(value: Json, given: Given) -> Iterator[Mark | str]:
    time = time_in(value.get("timestamp"))
    for mark in value["bookmarks"]:
        file, line = path_of(mark.get("fsPath")), line_in(mark.get("lineNumber"))
        if not file or line is None or line < 0:
            yield "has no file or no line; set the bookmark again"
            continue
        group = slug(text_in(mark, "groupName"))
        tags = ("bookmark", group) if group and group != "default" else ("bookmark",)
        spot = Spot(file, line=line + 1, quote=text_in(mark, "lineText"))
        yield "", spot, {"label": text_in(mark, "label"), "tags": tags, "time": time}


def haunt(value: Json, given: Given) -> Iterator[Mark | str]:
    for mark in value["bookmarks"]:
        file, line = path_of(mark.get("file")), line_in(mark.get("line"))
        if line is None or line < 1:
            yield f"has no line in {file}; set the bookmark again"
            continue
        facts = {"label": text_in(mark, "note"), "tags": ("bookmark",), "source": "haunt"}
        yield text_in(mark, "id"), Spot(file, line=line), facts


def path_of(path: Any) -> str:
    """A path with `/`, the mark of the workspace's root left out."""
    text = path.strip() if isinstance(path, str) else ""
    return text.replace("\\", "/").removeprefix(ROOT).lstrip("/") if text.startswith(ROOT) else text.replace("\\", "/")


def time_in(stamp: Any) -> str:
    """Milliseconds since 1970 as a time; empty for anything else."""
    number = line_in(stamp)
    if number is None or not 0 < number < 1 << 43:
        return ""
    return datetime.fromtimestamp(number / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def base_of(folder: str) -> str:
    """The project that a file of bookmarks belongs to: beside it, or above its `.vscode`."""
    return folder.removesuffix(".vscode").rstrip("/") if folder.rpartition("/")[2] == ".vscode" else folder


IMPORTER = Importer("bookmarks", "editor bookmarks", recognises, each(read_bookmarks))
