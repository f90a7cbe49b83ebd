"""Where the places that imported entries speak of are in the code as it is now, if that can be told at all.

A line number by itself tells nothing: code moves. A place is told by its symbol, by what stood on the line, by a
pattern that one line matches, or where the line lies inside a symbol that the entry names. The rest are candidates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import join, normpath

from lsp_server.core.check_patterns import PatternError, TooMuch, has_match
from lsp_server.core.model import Locus, SourceState, Symbol
from lsp_server.core.source import Source
from lsp_server.features.errors import Refused
from lsp_server.features.importers.entry import Entry, Spot
from lsp_server.features.places import Resolved, find_symbol, readable, region, symbol_on_line
from lsp_server.workspace.paths import PathRefused, safe
from lsp_server.workspace.snapshot import Snapshot

CANDIDATES = 40
"""Most candidates that are kept of one entry."""

TELLING = 4
"""Letters and digits that a quoted line must have to tell a place: `],` and `}` stand everywhere."""

_ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]|\\\\")


@dataclass(frozen=True, slots=True)
class Tied:
    """A place that was told. `resolved` is None where its file is known by a hash and is gone. `accepted`: the code is
    what the source meant, so it may be a baseline; else somebody has to look. `hash` is the file's SHA-256 as the
    source knew it."""

    locus: Locus
    resolved: Resolved | None
    accepted: bool = True
    hash: str = ""


@dataclass(slots=True)
class Told:
    """What was told of one entry's places: anchors, candidates as loci, and problems in words."""

    tied: list[Tied] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def tie(self, tied: Tied) -> None:
        if all(tied.locus != one.locus for one in self.tied):
            self.tied.append(tied)

    def offer(self, locus: str) -> None:
        if locus not in self.candidates and len(self.candidates) < CANDIDATES:
            self.candidates.append(locus)


def tell(snapshot: Snapshot, entry: Entry, names: Mapping[str, Sequence[str]]) -> Told:
    """What can be told of an entry's places. `names` maps the bare names of files to their paths, for sources that
    write no more than a name."""
    told = Told()
    for spot in entry.places:
        if spot.offered:
            path = mentioned(snapshot, entry, spot)
            if path is not None:
                told.offer(str(at(spot, path)))
            continue
        source = sought(snapshot, entry, spot, names, told)
        if source is not None:
            place(source, entry, spot, told)
    anchored = {str(one.locus) for one in told.tied}
    told.candidates = [one for one in told.candidates if one not in anchored]
    return told


def at(spot: Spot, path: str) -> Locus:
    """The locus of a spot in a file, as the source says it."""
    lines = spot.lines or ((spot.line, spot.line) if spot.line is not None and spot.line > 0 else None)
    return Locus(path, spot.symbol) if spot.symbol else Locus(path, None, lines)


# -- the file ----------------------------------------------------------------------------------------------------------


def sought(
    snapshot: Snapshot, entry: Entry, spot: Spot, names: Mapping[str, Sequence[str]], told: Told
) -> Source | None:
    """The file of a spot, to be looked into; None where there is none, and then what is known of it is in `told`."""
    if _ABSOLUTE.match(spot.file) or ".." in spot.file.split("/"):
        key = key_of(snapshot, spot.file)
        if key is None:
            mend = "carried without that place: anchor it to a file of this workspace"
            told.problems.append(f"{spot} lies outside the workspace; {mend}")
            alike = longest_tail(snapshot, spot.file)
            if alike is not None:
                told.offer(str(at(spot, alike)))
            return None
        keys = [key]
    else:
        keys = [key for base in bases(entry) if (key := key_of(snapshot, join(base, spot.file))) is not None]
        if not keys:
            told.problems.append(f"{spot.file} is no path of this workspace; carried without that place")
            return None
    for key in keys:
        source = snapshot.read(key)
        if source.state is not SourceState.GONE:
            return opened(snapshot, spot, key, told)
    if "/" not in spot.file:
        found = names.get(spot.file, ())
        if len(found) == 1:
            return opened(snapshot, spot, found[0], told)
        for path in found:
            told.offer(str(at(spot, path)))
    # What is imported from outside the workspace has a base that is no folder of it: the root is the last key then.
    gone = keys[0] if not entry.base or (snapshot.root.path / entry.base).is_dir() else keys[-1]
    if "/" in spot.file and spot.hash:
        told.tie(Tied(at(spot, gone), None, hash=spot.hash))
    told.offer(str(at(spot, gone)))
    return None


def opened(snapshot: Snapshot, spot: Spot, key: str, told: Told) -> Source | None:
    try:
        return readable(snapshot, key)
    except Refused as error:
        told.problems.append(f"{error}; kept as a candidate")
        told.offer(str(at(spot, key)))
        return None


def bases(entry: Entry) -> list[str]:
    """The folders that an entry's paths may be relative to, the likeliest first: its own, the root, then those above
    its file, from the outermost."""
    above = entry.file.split("/")[:-1]
    outer = ["/".join(above[:depth]) for depth in range(1, len(above) + 1)]
    return list(dict.fromkeys([entry.base, ""] if entry.base else ["", *outer]))


def mentioned(snapshot: Snapshot, entry: Entry, spot: Spot) -> str | None:
    """The file that a mere mention means, where there is one; links go from the folder of the file they stand in."""
    here = entry.file.rpartition("/")[0]
    for base in dict.fromkeys([here, *bases(entry)]):
        path = normpath(join(base, spot.file))
        if path.startswith(("..", "/")):
            continue
        key = key_of(snapshot, path)
        if key is not None and snapshot.read(key).state is SourceState.OK:
            return key
    return None


def longest_tail(snapshot: Snapshot, path: str) -> str | None:
    """The file here that ends as an absolute path of another machine does, in two names at least."""
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    for start in range(len(parts) - 1):
        key = key_of(snapshot, "/".join(parts[start:]))
        if key is not None and snapshot.read(key).state is SourceState.OK:
            return key
    return None


def key_of(snapshot: Snapshot, path: str) -> str | None:
    try:
        return safe(snapshot.root.path, path)
    except (PathRefused, OSError):
        return None


# -- the place in it ---------------------------------------------------------------------------------------------------


def place(source: Source, entry: Entry, spot: Spot, told: Told) -> None:
    """Finds a spot in its file, by what it says of itself."""
    if spot.symbol:
        by_symbol(source, spot, told)
    elif spot.pattern:
        by_pattern(source, spot, told)
    elif spot.lines is None and spot.line is None:
        whole = Resolved(source, Locus(source.path), None)
        same = not spot.quote or whole.content().strip() == spot.quote.strip()
        told.tie(Tied(whole.locus, whole, same and not spot.unsure, spot.hash))
    elif out_of_bounds(source, spot):
        told.problems.append(f"{spot} is past the end: {source.path} has {count_of(source)} lines; kept as a candidate")
        told.offer(source.path)
    elif spot.quote:
        by_quote(source, spot, told)
    else:
        by_name(source, entry, spot, told)


def out_of_bounds(source: Source, spot: Spot) -> bool:
    return (spot.lines[1] if spot.lines else spot.line or 0) > max(1, count_of(source))


def count_of(source: Source) -> int:
    """How many lines a file has, as an editor that shows no line after the last line break counts them."""
    lines = lines_of(source)
    return len(lines) - (not lines[-1])


def by_symbol(source: Source, spot: Spot, told: Told) -> None:
    try:
        symbol = find_symbol(source, spot.symbol, spot.line)
    except Refused:
        told.offer(str(Locus(source.path, spot.symbol)))
        alike = namesakes(source, spot.symbol)
        if len(alike) == 1:
            told.offer(str(Locus(source.path, alike[0].path)))
        if spot.hash:
            # The hash tells the file, whatever became of the symbol.
            told.tie(Tied(Locus(source.path), Resolved(source, Locus(source.path), None), True, spot.hash))
        return
    found = Resolved(source, Locus(source.path, symbol.path), symbol)
    same = not spot.quote or found.content().strip() == spot.quote.strip()
    told.tie(Tied(found.locus, found, same and not spot.unsure, spot.hash))


def namesakes(source: Source, path: str) -> list[Symbol]:
    """The definitions of a file that have the last name of a path."""
    name = path.rpartition(".")[2]
    return [symbol for symbol in source.outline.symbols if symbol.name == name] if source.outline is not None else []


def by_pattern(source: Source, spot: Spot, told: Told) -> None:
    lines = lines_of(source)
    try:
        found = [number for number, line in enumerate(lines, 1) if has_match(spot.pattern, "", line.encode())]
    except (PatternError, TooMuch) as error:
        why = str(error) or "it would take too long"
        told.problems.append(f"the pattern for {source.path} cannot be used ({why}); kept as a candidate")
        told.offer(source.path)
        return
    if len(found) == 1:
        told.tie(on_line(source, found[0], not spot.unsure))
    else:
        told.offer(str(Locus(source.path, None, (found[0], found[0]) if found else None)))


def by_quote(source: Source, spot: Spot, told: Told) -> None:
    """Where the quoted lines stand: at the line itself, else at the only place that has them."""
    lines = [line.strip() for line in lines_of(source)]
    quote = [line.strip() for line in spot.quote.strip("\n").split("\n")]
    first = spot.lines[0] if spot.lines else spot.line or 1
    found = [
        number
        for number in range(1, len(lines) - len(quote) + 2)
        if lines[number - 1] == quote[0] and lines[number - 1 : number - 1 + len(quote)] == quote
    ]
    telling = len(re.findall(r"\w", " ".join(quote))) >= TELLING
    start = first if first in found else found[0] if len(found) == 1 else None
    if start is None or not telling:
        told.offer(str(at(spot, source.path)))
        for number in found[:3] if telling else ():
            told.offer(str(Locus(source.path, None, (number, number + len(quote) - 1))))
    elif spot.lines is not None:
        told.tie(Tied((found_at := region(source, (start, start + len(quote) - 1))).locus, found_at, not spot.unsure))
    else:
        told.tie(on_line(source, start, not spot.unsure))


def by_name(source: Source, entry: Entry, spot: Spot, told: Told) -> None:
    """The symbol around the lines that the entry names, innermost first; else the lines are a candidate."""
    first, last = spot.lines or (spot.line or 1, spot.line or 1)
    said = f"{entry.title}\n{entry.text}"
    outline = source.outline
    around = [
        symbol
        for symbol in (outline.symbols if outline is not None else ())
        if symbol.start_line <= first and last <= symbol.end_line and names_it(said, symbol.name)
    ]
    if around:
        symbol = min(around, key=lambda one: (one.end - one.start, one.start))
        found = Resolved(source, Locus(source.path, symbol.path), symbol)
        told.tie(Tied(found.locus, found, not spot.unsure))
    else:
        told.offer(str(at(spot, source.path)))


def names_it(text: str, name: str) -> bool:
    """Whether a text names a symbol: as code (in backticks, or called), or by a word that is none of the language."""
    if len(name) < 2 or name not in text:
        return False
    word = re.escape(name)
    if re.search(rf"`[^`\n]*(?<!\w){word}(?!\w)[^`\n]*`|(?<!\w){word}\(", text):
        return True
    unusual = re.search(r"_|\d|[a-z][A-Z]", name.strip("_")) is not None
    return unusual and re.search(rf"(?<!\w){word}(?!\w)", text) is not None


def on_line(source: Source, line: int, accepted: bool) -> Tied:
    """The innermost symbol on a line, else the line."""
    symbol = symbol_on_line(source, line)
    found = (
        Resolved(source, Locus(source.path, symbol.path), symbol)
        if symbol is not None
        else region(source, (line, line))
    )
    return Tied(found.locus, found, accepted)


def lines_of(source: Source) -> list[str]:
    text = bytes(source.text) if source.text is not None else b""
    return text.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
