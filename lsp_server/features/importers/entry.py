"""What importers read and give: a file as it arrived, entries with the places they speak of, and problems.

Knows no format, no workspace and no disk. Everything here is data that somebody else wrote: it is kept as text, never
followed and never run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Given:
    """One file to import: its path with `/` (relative to the workspace's root, or to what was given where it lies
    outside of it) and its bytes."""

    path: str
    data: bytes

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]

    @property
    def stem(self) -> str:
        return self.name.rpartition(".")[0] or self.name


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that an entry speaks of, as it said so: nothing is known yet about whether it is there.

    `file` is as it was written (`/` for `\\`), relative to the entry's `base`. `symbol`, `line` and `lines` count from
    1. `quote` is what stood on the line, or the symbol's code; `pattern` a regular expression of JavaScript that finds
    the line; `revision` the git revision in which line and lines count; `hash` the SHA-256 of the file then. `offered`:
    it was only mentioned, and is never taken for the place itself. `unsure`: the source does not vouch for the code
    there as it is now.
    """

    file: str
    symbol: str = ""
    line: int | None = None
    lines: tuple[int, int] | None = None
    quote: str = ""
    pattern: str = ""
    revision: str = ""
    hash: str = ""
    offered: bool = False
    unsure: bool = False

    def __str__(self) -> str:
        if self.symbol:
            return f"{self.file}#{self.symbol}"
        if self.lines is not None:
            return f"{self.file}:{self.lines[0]}-{self.lines[1]}"
        return f"{self.file}:{self.line}" if self.line is not None else self.file


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that arrives.

    `source` names the format and `id` the entry in it, the same at every import. `file` is where it was read, `where`
    what it is called there ("step 3"). `kind` is what it may become; it arrives as *carried* whatever that is. `state`,
    `author` and `time` are what the source says, and count for nothing else. `after` is the id (in the same source) of
    the entry that took over. `base` is the folder that its places are relative to, besides the workspace's root.
    `part`: it only completes an entry of the same id that another file holds; by itself it is one only with a text.
    `document` is a document of the workspace whose title it takes.
    """

    source: str
    id: str
    file: str
    title: str
    text: str
    kind: str = "note"
    where: str = ""
    tags: tuple[str, ...] = ()
    time: str = ""
    author: str = ""
    state: str = ""
    after: str = ""
    expires: str = ""
    places: tuple[Spot, ...] = ()
    base: str = ""
    part: bool = False
    document: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file, or with one entry of it, in one line that names the mend. `lost`: nothing of what it
    is about could be imported."""

    file: str
    where: str
    message: str
    lost: bool = False

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: {self.message}" if self.where else f"{self.file}: {self.message}"


@dataclass(slots=True)
class Arrived:
    """What one or more files hold."""

    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def add(self, other: Arrived) -> None:
        self.entries += other.entries
        self.problems += other.problems


@dataclass(frozen=True, slots=True)
class Importer:
    """One importer. `recognises` goes by what a file holds. `read` gets all files of a run that it recognised, so that
    one file can complete another; it is a pure function, and total."""

    name: str
    title: str
    recognises: Callable[[Given], bool]
    read: Callable[[Sequence[Given]], Arrived]


def each(read: Callable[[Given], Arrived]) -> Callable[[Sequence[Given]], Arrived]:
    """A reader of many files from a reader of one. What breaks one file stops no other."""

    def read_all(files: Sequence[Given]) -> Arrived:
        found = Arrived()
        for given in files:
            found.add(read(given))
        return found

    return read_all


def joined(entries: Iterable[Entry]) -> Arrived:
    """Entries of one source and id as one each: parts complete the others, in the order they come.

    Of two whole ones the first counts, and it is said where the other says something else. Parts without a whole one
    and without a text go.
    """
    found: dict[tuple[str, str], Entry] = {}
    problems = []
    for entry in entries:
        key = (entry.source, entry.id)
        known = found.get(key)
        if known is None or (known.part and not entry.part):
            found[key] = entry if known is None else completed(entry, known)
        elif entry.part:
            found[key] = completed(known, entry)
        elif (entry.title, entry.text) != (known.title, known.text):
            message = f"has the id {entry.id[:80]!r} of another entry, in {known.file}; import one of them by itself"
            problems.append(Problem(entry.file, entry.where, message, True))
    return Arrived([entry for entry in found.values() if not entry.part or entry.text.strip()], problems)


def within(base: str, identifier: str) -> str:
    """An id that is only one of its project's, with the folder of the project where it is not the workspace's root."""
    return f"{base}/{identifier}" if base else identifier


def completed(whole: Entry, part: Entry) -> Entry:
    """An entry with what it lacks taken from another. A state that the part tells is the later one."""
    return replace(
        whole,
        title=whole.title or part.title,
        text=whole.text or part.text,
        tags=whole.tags or part.tags,
        time=whole.time or part.time,
        author=part.author or whole.author,
        state=part.state or whole.state,
        after=part.after or whole.after,
        places=whole.places + tuple(spot for spot in part.places if str(spot) not in map(str, whole.places)),
    )


class Keys:
    """Ids within one file: what is taken already gets a number."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def of(self, key: str) -> str:
        number = self._taken[key] = self._taken.get(key, 0) + 1
        return key if number == 1 else f"{key}-{number}"
