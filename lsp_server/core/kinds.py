"""The kinds of memory: one row each, and nothing about kinds anywhere else.

Numbers (caps, half-lives, thresholds) are data that a workspace's configuration may replace. A kind that this version
does not know (written by a newer one) gets the plain life from `kind_of`, so it is read, shown and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

SUPERSEDED = "superseded"
"""The state that a `superseded` event leads to, for every kind."""

RETIRED = "retired"
"""The state that a `retired` event leads to, for every kind. `restored` leads back to the state before."""

KEY = "key"
"""The field that says what a memory is about, in a word or two: two current ones of a kind with one key, and another
text, are at odds."""

KIB = 1024


@dataclass(frozen=True, slots=True)
class Field:
    """Something that a kind asks for beside its text: a key of its front matter.

    `choices` are all that it may say (empty: anything). `cap` is in bytes of UTF-8. `starts`: the state that a record
    which gives it begins in (empty: it makes no difference). `required`: a record without it is refused. `rests_on`:
    what it says -> the type of evidence that must be there for it. `allowed_by`: another field -> what that one says ->
    what this one may say then.
    """

    title: str
    choices: tuple[str, ...] = ()
    cap: int = 4 * KIB
    starts: str = ""
    required: bool = False
    rests_on: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    allowed_by: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind.

    `identity`: "content" kinds are one memory however often they are recorded, "occurrence" kinds a new one each time.
    `home`: where its files live unless somebody asks for another home.
    `states`, `initial`, `starts`: all states, the one a record gets, and those a record may ask for.
    `current_states`: the states in which readers get it, and `check` judges its anchors; with none, it is history from
    the beginning, and only who asks for it by its id gets it.
    `transitions`: state -> the states it may change to, by whatever command.
    `needs_evidence`, `needs_reason`: states entered only with evidence the memory did not have yet, or with a reason.
    `evidence_role`: state -> the role that one piece of that evidence must have.
    `evidence_types`: state -> the types of which the new evidence must hold one piece each.
    `evidence_after`: state -> another one: that evidence must be at the revision at which that one was entered, or at a
    descendant of it.
    `needs_successor`: states entered only with the id of the memory that took over.
    `owed`: state -> what is still to be done there, in a few words (the backlog lists it). `settles`: state -> the one
    that it goes to when that is done.
    `fields`: what it asks for beside its text, by name.
    `one_a_place`: of one place there is one current memory of this kind, and a newer one supersedes it.
    `needs_anchor`: a record without a place is refused.
    `sensitivity`: what its anchors go by unless somebody says otherwise (empty: the code).
    `list_limit`: how many a list shows unless more are asked for (None: all).
    `fixed_states`: states in which code that matches a baseline taken in a state outside of them has regressed.
    `cap`: bytes of UTF-8 that a body may have. `half_life_days`: after which its rank halves (None: it does not age).
    `expires_days`: the expiry that a record gets when it names none (None: it never expires).
    `recall_threshold`: the least relevance, 0 to 1, at which it is recalled unasked.
    `title`, `plural`, `icon`: how it is shown; the icon is one character that terminals and editors have.
    `elsewhere`: its text is not the ledger's but a document's in the repository (see `core.documents_serving`).
    `known`: False for a kind of a newer version.
    """

    name: str
    title: str
    plural: str
    icon: str
    identity: Literal["content", "occurrence"] = "content"
    home: Literal["shared", "local", "user"] = "shared"
    states: tuple[str, ...] = ("current", SUPERSEDED, RETIRED)
    initial: str = "current"
    starts: tuple[str, ...] = ("current",)
    current_states: tuple[str, ...] = ("current",)
    transitions: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType(
            {"current": (SUPERSEDED, RETIRED), SUPERSEDED: ("current",), RETIRED: ("current",)}
        )
    )
    needs_evidence: tuple[str, ...] = ()
    needs_reason: tuple[str, ...] = ()
    evidence_role: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    evidence_types: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    evidence_after: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    needs_successor: tuple[str, ...] = ()
    owed: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    settles: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fields: Mapping[str, Field] = field(default_factory=lambda: MappingProxyType({}))
    one_a_place: bool = False
    needs_anchor: bool = False
    sensitivity: str = ""
    list_limit: int | None = None
    fixed_states: tuple[str, ...] = ()
    cap: int = 16 * KIB
    half_life_days: float | None = 180.0
    expires_days: float | None = None
    recall_threshold: float = 0.35
    elsewhere: bool = False
    known: bool = True

    def is_current(self, state: str) -> bool:
        """Whether readers get a memory of this kind in `state`. One whose state this version does not know is shown:
        a newer version knows, or somebody edited its kind, and what is not shown is lost without a word."""
        return state in self.current_states or state not in self.states

    def allows(self, old: str, new: str) -> bool:
        """Whether `old` may change to `new`."""
        return new in self.transitions.get(old, ())

    def faulty_states(self, state: str) -> frozenset[str]:
        """In `state`, the states in which code was accepted as faulty: if it is as it was then, it has regressed."""
        return frozenset(self.states) - frozenset(self.fixed_states) if state in self.fixed_states else frozenset()


_DECISION = Kind(
    name="decision",
    title="Decision",
    plural="decisions",
    icon="◆",
    states=("proposed", "accepted", SUPERSEDED, "rejected", RETIRED),
    initial="accepted",
    starts=("accepted", "proposed"),
    current_states=("proposed", "accepted"),
    transitions=MappingProxyType(
        {
            "proposed": ("accepted", "rejected", SUPERSEDED, RETIRED),
            "accepted": ("proposed", "rejected", SUPERSEDED, RETIRED),
            "rejected": ("proposed", "accepted", RETIRED),
            SUPERSEDED: ("proposed", "accepted", RETIRED),
            RETIRED: ("proposed", "accepted", "rejected", SUPERSEDED),
        }
    ),
    needs_reason=("rejected",),
    half_life_days=365.0,
    recall_threshold=0.3,
)

_CLAIM = Kind(
    name="claim",
    title="Claim",
    plural="claims",
    icon="◇",
    states=("current", "closed", SUPERSEDED, RETIRED),
    transitions=MappingProxyType(
        {
            "current": ("closed", SUPERSEDED, RETIRED),
            "closed": ("current", RETIRED),
            SUPERSEDED: ("current", RETIRED),
            RETIRED: ("current", "closed", SUPERSEDED),
        }
    ),
    needs_evidence=("closed", SUPERSEDED),
    needs_reason=("closed", SUPERSEDED),
    fields=MappingProxyType({KEY: Field("Key", cap=200)}),
)

_FINDING = Kind(
    name="finding",
    title="Finding",
    plural="findings",
    icon="●",
    identity="occurrence",
    states=("open", "fixed_unverified", "verified", "ruled_out", SUPERSEDED, RETIRED),
    initial="open",
    starts=("open",),
    current_states=("open", "fixed_unverified", "verified"),
    transitions=MappingProxyType(
        {
            "open": ("fixed_unverified", "ruled_out", SUPERSEDED, RETIRED),
            "fixed_unverified": ("open", "verified", "ruled_out", SUPERSEDED, RETIRED),
            "verified": ("open", SUPERSEDED, RETIRED),
            "ruled_out": ("open", RETIRED),
            SUPERSEDED: ("open", "fixed_unverified", "verified", RETIRED),
            RETIRED: ("open", "fixed_unverified", "verified", "ruled_out", SUPERSEDED),
        }
    ),
    needs_evidence=("fixed_unverified", "verified", "ruled_out"),
    evidence_role=MappingProxyType({"verified": "fix-verification"}),
    evidence_types=MappingProxyType({"fixed_unverified": ("commit", "file")}),
    evidence_after=MappingProxyType({"verified": "fixed_unverified"}),
    owed=MappingProxyType({"fixed_unverified": "the fix is not verified"}),
    settles=MappingProxyType({"fixed_unverified": "verified"}),
    fields=MappingProxyType(
        {
            "symptom": Field("Symptom"),
            "root_cause": Field("Root cause"),
            "severity": Field("Severity", choices=("low", "medium", "high", "critical")),
        }
    ),
    fixed_states=("fixed_unverified", "verified"),
    half_life_days=90.0,
)

_NOTE = Kind(
    name="note",
    title="Note",
    plural="notes",
    icon="○",
    states=("current", "follow_up", SUPERSEDED, RETIRED),
    starts=("current", "follow_up"),
    current_states=("current", "follow_up"),
    transitions=MappingProxyType(
        {
            "current": ("follow_up", SUPERSEDED, RETIRED),
            "follow_up": ("current", SUPERSEDED, RETIRED),
            SUPERSEDED: ("current", "follow_up", RETIRED),
            RETIRED: ("current", "follow_up", SUPERSEDED),
        }
    ),
    owed=MappingProxyType({"follow_up": "somebody is to follow it up"}),
    settles=MappingProxyType({"follow_up": "current"}),
    fields=MappingProxyType(
        {"category": Field("Category", cap=200), "follow_up": Field("To follow up", starts="follow_up")}
    ),
    list_limit=50,
    half_life_days=60.0,
    cap=32 * KIB,
)

_CARRIED = Kind(
    name="carried",
    title="Carried",
    plural="carried",
    icon="▷",
    home="local",
    states=("carried", "succeeded", "ruled_out", "repaired", "archived", SUPERSEDED, RETIRED),
    initial="carried",
    starts=("carried",),
    current_states=("carried",),
    transitions=MappingProxyType(
        {
            "carried": ("succeeded", "ruled_out", "repaired", "archived", SUPERSEDED, RETIRED),
            "succeeded": ("carried",),
            "ruled_out": ("carried",),
            "repaired": ("carried",),
            "archived": (),
            SUPERSEDED: ("carried", RETIRED),
            RETIRED: ("carried", SUPERSEDED),
        }
    ),
    needs_evidence=("ruled_out", "repaired"),
    needs_reason=("ruled_out", "archived"),
    needs_successor=("succeeded",),
    owed=MappingProxyType({"carried": "nobody decided what becomes of it"}),
    settles=MappingProxyType({"carried": "archived"}),
    fields=MappingProxyType(
        {
            "source": Field("Source", cap=200),
            "source_id": Field("Id there"),
            "origin": Field("From"),
            "candidates": Field("May belong to", cap=16 * KIB),
            "meant_as": Field("Meant as", cap=200),
            "said": Field("Said there"),
            "digest": Field("Hash of what it said", cap=64),
        }
    ),
    half_life_days=14.0,
    cap=64 * KIB,
)

_PASSAGE = Kind(
    name="passage",
    title="Passage",
    plural="passages",
    icon="¶",
    # `marker` is what the marker names where that is more than the place of an anchor (`f[2]`, a line that picks).
    fields=MappingProxyType({"document": Field("Document", required=True), "marker": Field("Marker")}),
    half_life_days=None,
    elsewhere=True,
)


def _explanation(name: str, title: str, icon: str, cap: int, half_life_days: float | None) -> Kind:
    """A kind that explains one place: its slot there holds a text, or says that there will be none, and why."""
    return Kind(
        name=name,
        title=title,
        plural=f"{name}s",
        icon=icon,
        states=("current", "declined", SUPERSEDED, RETIRED),
        starts=("current", "declined"),
        current_states=("current", "declined"),
        transitions=MappingProxyType(
            {
                "current": (SUPERSEDED, RETIRED),
                "declined": (SUPERSEDED, RETIRED),
                SUPERSEDED: ("current", "declined", RETIRED),
                RETIRED: ("current", "declined", SUPERSEDED),
            }
        ),
        one_a_place=True,
        cap=cap,
        half_life_days=half_life_days,
    )


_PURPOSE = _explanation("purpose", "Purpose", "▶", 400, None)
_ACCOUNT = _explanation("account", "Account", "▤", 4 * KIB, 180.0)

_ARTIFACT = Kind(
    name="artifact", title="Artifact", plural="artifacts", icon="▣", sensitivity="file", needs_anchor=True, cap=64 * KIB
)

_LESSON = Kind(
    name="lesson",
    title="Lesson",
    plural="lessons",
    icon="▲",
    states=("proposed", "active", "rolled_back", SUPERSEDED, RETIRED),
    initial="proposed",
    starts=("proposed",),
    current_states=("proposed", "active"),
    transitions=MappingProxyType(
        {
            "proposed": ("active", SUPERSEDED, RETIRED),
            "active": ("rolled_back", SUPERSEDED, RETIRED),
            "rolled_back": ("proposed", "active", RETIRED),
            SUPERSEDED: ("proposed", "active", RETIRED),
            RETIRED: ("proposed", "active", "rolled_back", SUPERSEDED),
        }
    ),
    # It is active in the version of a commit; what it was learnt from and what speaks against it are evidence.
    needs_evidence=("active", "rolled_back"),
    evidence_types=MappingProxyType({"active": ("commit",)}),
    evidence_role=MappingProxyType({"active": "outcome", "rolled_back": "counter"}),
    needs_reason=("rolled_back",),
    half_life_days=365.0,
)

_RESEARCH = Kind(
    name="research",
    title="Research",
    plural="research",
    icon="◎",
    fields=MappingProxyType(
        {
            "access": Field(
                "Access", choices=("mention", "abstract", "read"), rests_on=MappingProxyType({"read": "quote"})
            ),
            "confidence": Field(
                "Confidence",
                choices=("low", "medium", "high"),
                allowed_by=MappingProxyType(
                    {
                        "access": {
                            "": ("low",),
                            "mention": ("low",),
                            "abstract": ("low", "medium"),
                            "read": ("low", "medium", "high"),
                        }
                    }
                ),
            ),
            "contradicts": Field("Contradicts"),
        }
    ),
    half_life_days=90.0,
    cap=64 * KIB,
)

_ROWS = (
    _DECISION,
    _CLAIM,
    _FINDING,
    _NOTE,
    _PASSAGE,
    _PURPOSE,
    _ACCOUNT,
    _ARTIFACT,
    _LESSON,
    _RESEARCH,
    _CARRIED,
    Kind(
        name="preference",
        title="Preference",
        plural="preferences",
        icon="♦",
        home="user",
        half_life_days=None,
        cap=4 * KIB,
    ),
    Kind(name="profile", title="Profile", plural="profiles", icon="☖", home="user", half_life_days=None, cap=8 * KIB),
    Kind(name="entity", title="Entity", plural="entities", icon="■", half_life_days=365.0),
    Kind(name="event", title="Event", plural="events", icon="◷", identity="occurrence", half_life_days=30.0),
    Kind(name="case", title="Case", plural="cases", icon="▦", half_life_days=180.0, cap=32 * KIB),
    Kind(name="pattern", title="Pattern", plural="patterns", icon="❖", half_life_days=365.0),
    Kind(
        name="checkpoint",
        title="Checkpoint",
        plural="checkpoints",
        icon="⚑",
        identity="occurrence",
        home="local",
        half_life_days=7.0,
        expires_days=30.0,
        cap=64 * KIB,
    ),
    # What somebody was told for a task, as it was then: it cites what is true, and is itself nothing to go by.
    Kind(
        name="brief",
        title="Brief",
        plural="briefs",
        icon="▥",
        identity="occurrence",
        home="local",
        states=("kept", SUPERSEDED, RETIRED),
        initial="kept",
        starts=("kept",),
        current_states=(),
        transitions=MappingProxyType(
            {"kept": (SUPERSEDED, RETIRED), SUPERSEDED: ("kept", RETIRED), RETIRED: ("kept", SUPERSEDED)}
        ),
        half_life_days=None,
        cap=64 * KIB,
    ),
)

KINDS: Mapping[str, Kind] = MappingProxyType({row.name: row for row in _ROWS})
"""Every kind of this version, by name."""


def kind_of(name: str) -> Kind:
    """The row of a kind; for a name that this version does not know, a row with the plain life and `known` False."""
    row = KINDS.get(name)
    if row is None:
        title = name.replace("_", " ").replace("-", " ").strip().capitalize() or "Memory"
        row = Kind(name=name, title=title, plural=f"{name}s", icon="·", known=False)
    return row
