"""What was judged of anchors when their files were last looked at, so that nobody looks again while nothing changed.

One row a file. Knows the SQL; what is in `verdicts`, and when it may be believed, is for who wrote it
(`workspace.survey`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lsp_server.store.database import Database

TABLE = """CREATE TABLE judged (
        file TEXT PRIMARY KEY, version TEXT NOT NULL, sha256 TEXT NOT NULL, verdicts TEXT NOT NULL) WITHOUT ROWID"""

ASKED = 500
"""Files that one query names; SQLite takes 999 values in older versions."""


class Kept(NamedTuple):
    """What was judged in one file, of the bytes with that SHA-256. `version` is of everything else that a verdict
    depends on, but the memory; `verdicts` is JSON."""

    version: str
    sha256: str
    verdicts: str


@dataclass(frozen=True, slots=True)
class Keep:
    """Transaction: what was judged, by file, in place of what was known of these files."""

    database: Database
    found: Mapping[str, Kept]

    async def __call__(self) -> None:
        rows = [(file, *kept) for file, kept in self.found.items()]
        await self.database.many("INSERT OR REPLACE INTO judged VALUES (?, ?, ?, ?)", rows)


async def known(database: Database, files: Sequence[str] | None) -> dict[str, Kept]:
    """What was judged in some files, or in all (None), by file."""
    query = "SELECT file, version, sha256, verdicts FROM judged"
    if files is None:
        rows = list(await database.ask(query))
    else:
        rows = []
        for start in range(0, len(files), ASKED):
            some = files[start : start + ASKED]
            rows += await database.ask(f"{query} WHERE file IN ({', '.join('?' * len(some))})", some)
    return {str(file): Kept(str(version), str(sha256), str(verdicts)) for file, version, sha256, verdicts in rows}
