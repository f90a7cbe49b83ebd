"""Judging many anchors at once: each file is read and hashed once, and parsed only where nothing else tells.

What is known without a parse: a file that has the bytes that were accepted (`core.unread`), and what was judged before,
which is kept in the index by the file's bytes. A verdict depends on an anchor with its memory and on the files that
`judge` looked at; only what was judged from the anchor's own file alone is kept, and nothing is taken that was kept for
other bytes, another reading of the memory, another grammar or another version of our own code. `core.drift.judge` is
the slow twin. Knows nothing of databases: what is kept is handed in and out as text.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from lsp_server.core import drift
from lsp_server.core.drift import judge
from lsp_server.core.fingerprint import file_hash
from lsp_server.core.languages import Language
from lsp_server.core.model import Anchor, Candidate, Level, Place, Reason, Span, Verdict
from lsp_server.core.source import Source, language_of
from lsp_server.core.unread import unread
from lsp_server.store.judged import Kept
from lsp_server.workspace.files import Files

OLD = 200
"""Verdicts of one file that are kept though this survey did not ask for them: of other readings of its memories."""

AS_ACCEPTED = 0
"""What is kept of an anchor whose file has the bytes that were accepted: they tell it all again."""


@dataclass(slots=True)
class _File:
    sha256: str
    version: str
    language: Language | None
    kept: dict[str, Any]
    """By `_name`, what is known of each anchor."""
    fresh: set[str] = field(default_factory=set)
    """Names that this survey asked for."""
    news: bool = False


class Survey:
    """One pass. What it says of a file is of one moment of that file."""

    def __init__(self, files: Files, kept: Mapping[str, Kept], read: Callable[[str], Source] | None = None) -> None:
        """`kept` is what was judged before, by file. `read` gives a source where an editor may have a file open."""
        self._files = files
        self._known = dict(kept)
        self._read = read or files.source
        self._there: dict[str, _File | None] = {}

    def verdict(
        self, digest: str, anchor: Anchor, *, body_hash: str, regressed: Collection[str] = (), open_now: bool = False
    ) -> Verdict:
        """As `judge`, which it equals; where no look into the file was needed, `span` and `name_span` may be None.

        `digest` stands for all that was read of the anchor's memory. `open_now` says that an editor has the anchor's
        file open, so that what is on disk says nothing.
        """
        file = None if open_now else self._file(anchor.place.file)
        if file is None:
            return judge(anchor, self._read, body_hash=body_hash, regressed=regressed)
        name = _name(digest, anchor.id)
        file.fresh.add(name)
        quick = unread(anchor, file.sha256, file.language, body_hash=body_hash, regressed=regressed)
        if quick is not None:
            file.news |= name not in file.kept
            file.kept[name] = AS_ACCEPTED
            return quick
        if name in file.kept and (known := _loaded(anchor.id, file.kept[name])) is not None:
            return known
        seen: dict[str, Source] = {}

        def look(path: str) -> Source:
            if path not in seen:
                seen[path] = self._read(path)
            return seen[path]

        verdict = judge(anchor, look, body_hash=body_hash, regressed=regressed)
        if seen.keys() == {anchor.place.file} and file_hash(seen[anchor.place.file]) == file.sha256:
            file.kept[name] = _dumped(verdict)
            file.news = True
        return verdict

    def is_quiet(self, path: str, anchors: Collection[tuple[str, str]]) -> bool:
        """Whether all that is anchored in a file, by digest and anchor, is known and not stale, nor may be once more is
        read of it (`workspace.kept`)."""
        file = self._file(path)
        if file is None:
            return False
        for digest, anchor in anchors:
            kept = file.kept.get(_name(digest, anchor))
            if kept is None:
                return False
            if kept == AS_ACCEPTED:
                continue
            known = _loaded(anchor, kept)
            if known is None or known.stale or known.reason is Reason.SCHEME:
                return False
        return True

    def news(self) -> dict[str, Kept]:
        """What is to be kept of the files that were looked at since this was asked last, by file."""
        found = {}
        for path, file in self._there.items():
            if file is None or not file.news:
                continue
            others = [name for name in file.kept if name not in file.fresh][-OLD:]
            kept = {name: file.kept[name] for name in sorted({*file.fresh & file.kept.keys(), *others})}
            found[path] = Kept(file.version, file.sha256, json.dumps(kept, separators=(",", ":")))
        self._there.clear()
        return found

    def _file(self, path: str) -> _File | None:
        if path not in self._there:
            self._there[path] = self._opened(path)
        return self._there[path]

    def _opened(self, path: str) -> _File | None:
        found = self._files.hashed(path)
        if found is None:
            return None
        sha256, text = found
        language = language_of(path, text)
        version = f"{_code()} {language.version if language is not None else ''}".rstrip()
        kept = self._known.pop(path, None)
        known = _entries(kept.verdicts) if kept is not None and (kept.version, kept.sha256) == (version, sha256) else {}
        return _File(sha256, version, language, known)


def _name(digest: str, anchor: str) -> str:
    return f"{digest}/{anchor}"


def _entries(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _dumped(verdict: Verdict) -> list[Any]:
    """A verdict as JSON values; `_loaded` reads them."""
    return [
        verdict.level,
        verdict.reason,
        verdict.detail,
        _place(verdict.now),
        [[*_place(one.place), one.similarity] for one in verdict.candidates],
        verdict.baseline,
        _pair(verdict.span),
        _pair(verdict.name_span),
        list(verdict.members),
    ]


def _loaded(anchor: str, kept: Any) -> Verdict | None:
    """The verdict that `_dumped` made these values of; None where they are something else."""
    try:
        level, reason, detail, now, candidates, baseline, span, name_span, members = kept
        return Verdict(
            anchor,
            Level(level),
            Reason(reason) if reason is not None else None,
            detail,
            Place(*now) if now is not None else None,
            tuple(Candidate(Place(*one[:4]), one[4]) for one in candidates),
            baseline,
            Span(*span) if span is not None else None,
            Span(*name_span) if name_span is not None else None,
            tuple(members),
        )
    except (TypeError, ValueError, IndexError, KeyError):
        return None


def _place(place: Place | None) -> Any:
    return [place.file, place.symbol, place.start_line, place.end_line] if place is not None else None


def _pair(span: Span | None) -> list[int] | None:
    return [span.start, span.end] if span is not None else None


@cache
def _code() -> str:
    """What our own judging code is: its files' names, sizes and times, so that an upgrade takes nothing for granted."""
    marks = hashlib.blake2b(str(os.stat(__file__).st_mtime_ns).encode(), digest_size=8)
    for folder, _, names in sorted(os.walk(Path(drift.__file__).parent)):
        for name in sorted(names):
            if name.endswith((".py", ".scm")):
                found = os.stat(os.path.join(folder, name))
                marks.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode())
    return marks.hexdigest()
