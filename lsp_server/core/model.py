"""The data that every layer shares: places, anchors, fingerprints, verdicts, memories, events.

Everything here is frozen and knows nothing of files, databases or LSP. Positions are byte offsets into the
UTF-8 text of a document (as the client holds it, line ends included), or zero-based `Point`s whose column
counts bytes; `Place.start_line` and `end_line` count from 1, as every `--json` answer does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SCHEME = 1
"""Version of the fingerprint scheme written into every fingerprint."""


@dataclass(frozen=True, slots=True)
class Point:
    """A zero-based position: LSP line (`\\n`, `\\r\\n`, `\\r` end a line) and UTF-8 byte column."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open byte range."""

    start: int
    end: int

    def __contains__(self, offset: int) -> bool:
        return self.start <= offset < self.end


@dataclass(frozen=True, slots=True)
class Locus:
    """A place as it is stored: POSIX path relative to the root; in it a symbol, lines (from 1, inclusive) or
    neither."""

    file: str
    symbol: str | None = None
    lines: tuple[int, int] | None = None

    def __str__(self) -> str:
        if self.symbol is not None:
            return f"{self.file}#{self.symbol}"
        if self.lines is not None:
            first, last = self.lines
            return f"{self.file}:{first}" if first == last else f"{self.file}:{first}-{last}"
        return self.file


class Level(StrEnum):
    """The verdicts of the design, section 4."""

    FRESH = "fresh"
    REFORMATTED = "reformatted"
    MOVED = "moved"
    CHANGED = "changed"
    MISSING = "missing"
    FILE_MISSING = "file_missing"
    UNVERIFIABLE = "unverifiable"

    @property
    def stale(self) -> bool:
        return self in (Level.CHANGED, Level.MISSING, Level.FILE_MISSING)


class Reason(StrEnum):
    INTERFACE = "interface"
    BODY = "body"
    MEMBERS = "members"
    REGRESSED = "regressed"
    SYMBOL_GONE = "symbol_gone"
    AMBIGUOUS = "ambiguous"
    TRIVIAL = "trivial"
    FILE_GONE = "file_gone"
    SYNTAX = "syntax"
    UNREADABLE = "unreadable"
    NOT_TEXT = "not_text"
    TOO_LARGE = "too_large"
    OUTSIDE = "outside"
    NO_BASELINE = "no_baseline"
    SCHEME = "scheme"


class Sensitivity(StrEnum):
    INTERFACE = "interface"
    CODE = "code"
    TEXT = "text"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition of an outline.

    `start`/`end` take in decorators, attributes, `export` and `template` wrappers, but no leading comments.
    `name_start`/`name_end` cover the name alone (for an anonymous default export: the keyword `default`; for an
    `impl`: its type). `start_line` and `end_line` count from 1, inclusive, as in `Place`. `body` is the byte range of
    the body or value, None where there is none (an overload head, a declaration). `occurrence` is (k, n): the k-th
    (from 1, in text order) of n definitions with this path. `parent` is the index in `Outline.symbols` of the
    innermost enclosing symbol, or None. `container` says that members may be defined inside (class, module,
    namespace, impl, interface, enum, ...). `broken` says that a syntax error lies inside it or touches it.
    """

    path: str
    name: str
    kind: str
    start: int
    end: int
    name_start: int
    name_end: int
    body: tuple[int, int] | None
    start_line: int
    end_line: int
    occurrence: tuple[int, int] = (1, 1)
    parent: int | None = None
    container: bool = False
    broken: bool = False


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the anchored code was, in several strengths. All hashes are lower-case hex SHA-256, some cut (see
    `core.fingerprint`).

    `kind` is "symbol", "region" or "file". `text` ignores only line ends and a BOM; `code` is of the syntax tree
    without comments, layout, documentation and style; `masked` the same with the symbol's own name masked;
    `interface` the signature; `own` (containers) the code without the bodies of members, `members` name -> cut code
    hash. `parts` maps a part's name ("parameters", "decorators", "return type", "body", ...) to its cut hash, so a
    reason can be told. `siblings` holds (interface, code) cut hashes of the other definitions with the same path when
    it was taken. `sketch` is a similarity sketch (base64), `tokens` the number of tokens, `trivial` whether the body
    says too little to follow. `context` (regions) is the text before and after. `peers` (base64) tells which other
    paths the file defined then, so that a copy that was there before is not taken for a move; `errors` names (by cut
    hashes) the syntax errors of the file, because a grammar may never have understood some code. `grammar` is like
    "python 0.23.6", empty where there is none.
    """

    scheme: int
    kind: str
    file_sha256: str
    text: str
    code: str = ""
    masked: str = ""
    interface: str = ""
    own: str = ""
    members: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    siblings: tuple[tuple[str, str], ...] = ()
    occurrence: tuple[int, int] = (1, 1)
    sketch: str = ""
    tokens: int = 0
    trivial: bool = False
    symbol_kind: str = ""
    language: str = ""
    grammar: str = ""
    context: tuple[str, str] = ("", "")
    peers: str = ""
    errors: tuple[str, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Keys of a newer version, kept across a rewrite."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A fingerprint that somebody accepted as matching the memory.

    `id` is the id of the event that accepted it. `content` is the code it was taken from (None where it was over 16
    KiB; then `blob` names the git blob of the file and `lines` where in it). `body_hash` is the hash of the memory's
    text then, `state` the memory's state then.
    """

    id: str
    fingerprint: Fingerprint
    place: Locus
    content: str | None
    blob: str | None
    lines: tuple[int, int]
    body_hash: str
    state: str
    author: str
    time: str
    revision: str


@dataclass(frozen=True, slots=True)
class FollowedPlace:
    """A place that an anchor was followed to, while `memory.md` named `base`."""

    base: Locus
    place: Locus
    code: str
    event: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """Ties a memory to a place. `locus` is what `memory.md` says; `followed` where it was followed to, oldest first."""

    id: str
    locus: Locus
    sensitivity: Sensitivity = Sensitivity.CODE
    baselines: tuple[Baseline, ...] = ()
    followed: tuple[FollowedPlace, ...] = ()
    written_sensitivity: Sensitivity | None = None
    """What `memory.md` says; None where it leaves the choice to the default."""
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Keys of its entry in `memory.md` that this version does not know."""

    @property
    def place(self) -> Locus:
        """Where the anchor is now taken to be: the newest place it was followed to from `locus`, else `locus`."""
        for step in reversed(self.followed):
            if step.base == self.locus:
                return step.place
        return self.locus

    @property
    def places(self) -> tuple[Locus, ...]:
        """Every place the anchor may stand at, the current one first, no duplicates."""
        seen: dict[Locus, None] = {self.place: None}
        for step in reversed(self.followed):
            seen.setdefault(step.place)
        seen.setdefault(self.locus)
        for step in reversed(self.followed):
            seen.setdefault(step.base)
        for baseline in reversed(self.baselines):
            seen.setdefault(baseline.place)
        return tuple(seen)


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a memory's life: one small immutable file. `after` has the ids of the events its writer saw last."""

    id: str
    type: str
    time: str
    author: str
    revision: str
    after: tuple[str, ...]
    data: Mapping[str, Any]
    """Also what this version does not know, untouched."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a memory rests on: a commit, lines of a file, a URL, a test, a quote.

    `value` is what stands after `type:` where a person writes it (`core.evidence`). `revision` is the git revision at
    which it holds, of a commit its own; empty where that is not known. `role` says what it is for
    (`fix-verification`), empty where it just supports the memory. `event` is the event that brought it.
    """

    type: str
    value: str
    role: str = ""
    revision: str = ""
    author: str = ""
    time: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class Entered:
    """How a memory came to a state: who, when, at or from which revision on (for a fix: where it is fixed), and why."""

    state: str
    author: str
    time: str
    revision: str
    reason: str = ""
    by: str = ""
    """The memory that took over, where one did."""
    event: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """That somebody made use of a memory, and what for."""

    purpose: str
    author: str
    time: str
    revision: str
    event: str = ""


@dataclass(frozen=True, slots=True)
class Dismissal:
    """That somebody looked at a conflict with another memory and found that both hold.

    `bodies` are the hashes of both texts as they were then, by id: it counts for those alone.
    """

    other: str
    reason: str
    bodies: tuple[tuple[str, str], ...]
    author: str
    time: str
    event: str = ""


@dataclass(frozen=True, slots=True)
class MemoryText:
    """What `memory.md` holds. `unknown` are front-matter keys of other versions, kept as they are."""

    id: str
    kind: str
    body: str
    anchors: tuple[AnchorText, ...] = ()
    tags: tuple[str, ...] = ()
    importance: int | None = None
    expires: str | None = None
    checks: tuple[str, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    """What its kind asks for beside the text (`Kind.fields`), by name; none is empty."""


@dataclass(frozen=True, slots=True)
class AnchorText:
    """An anchor as `memory.md` writes it."""

    id: str
    locus: Locus
    sensitivity: Sensitivity | None = None
    unknown: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as the fold of its text and its events. `state` is one of the kind's states; `current` whether readers
    get it."""

    id: str
    kind: str
    body: str
    state: str
    current: bool
    anchors: tuple[Anchor, ...]
    author: str
    created: str
    """Time of the first event, RFC 3339 UTC."""
    revision: str
    """Git revision from which on it is so: the one that the first event says, else the one that was checked out then;
    empty where there was none."""
    home: str = "shared"
    folder: str = ""
    """`<slug>-<id12>`, fixed at birth."""
    tags: tuple[str, ...] = ()
    importance: int | None = None
    expires: str | None = None
    checks: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    retired_reason: str | None = None
    edited: bool = False
    """The text was edited since anybody last looked at the code: no baseline vouches for the present text."""
    disputed: bool = False
    heads: tuple[str, ...] = ()
    """Ids of the events nothing came after: what the next event's `after` must name."""
    problem: str | None = None
    """What is wrong with its files, where the last good version is served; None when all is well."""
    unknown: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    """What its kind asks for beside the text (`Kind.fields`), by name."""
    evidence: tuple[Evidence, ...] = ()
    """In causal order, whichever way it was given; of equal ones the first."""
    pinned: bool = False
    entered: Entered | None = None
    """How it came to its present state; None while it has the one it was born with, or is disputed."""
    rivals: tuple[Entered, ...] = ()
    """The transitions that are at odds, where it is disputed."""
    receipts: tuple[Receipt, ...] = ()
    dismissed: tuple[Dismissal, ...] = ()
    """Conflicts that were dismissed with this one, in causal order."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is now, lines from 1, inclusive."""

    file: str
    symbol: str | None
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Candidate:
    place: Place
    similarity: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one anchor. `baseline` is the id of the nearest baseline (what a diff is shown against)."""

    anchor: str
    level: Level
    reason: Reason | None = None
    detail: str = ""
    now: Place | None = None
    candidates: tuple[Candidate, ...] = ()
    baseline: str | None = None
    span: Span | None = None
    """Bytes of the anchored code now, in the text it was judged in."""
    name_span: Span | None = None
    """Bytes of the symbol's name now; for what is missing, the nearest thing left of its place."""
    members: tuple[str, ...] = ()
    """The members that changed, for reason `members`."""
    held: bool = False
    """Served from before the syntax broke (set by the session, never by `core.drift`)."""

    @property
    def stale(self) -> bool:
        return self.level.stale


class SourceState(StrEnum):
    OK = "ok"
    GONE = "gone"
    UNREADABLE = "unreadable"
    NOT_TEXT = "not_text"
    TOO_LARGE = "too_large"
    OUTSIDE = "outside"
