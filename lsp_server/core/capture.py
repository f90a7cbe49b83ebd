"""What a text says that is worth keeping: decisions, preferences, corrections, facts, bugs and fixes, told by patterns.

Knows how a conversation, a commit message or a pull request is cut into sentences, what in it is nobody's sentence, and
which sentence is of which kind; all words and patterns are data (`data/capture.toml`), in English and Chinese. Refuses
to know whether a place that a text names is there, or whether anything is kept already. Exact rather than complete.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from lsp_server.core.documents import Marker, markers_in
from lsp_server.core.kinds import KINDS
from lsp_server.core.terms import HAN, terms

FILE = Path(__file__).parent / "data" / "capture.toml"

LONGEST = 800
"""Characters of a sentence beyond which it is data and no sentence."""

LONGEST_LINE = 4000
"""Characters of a line beyond which it is data, and no paragraph that somebody wrote on one line."""

ENOUGH = 2
"""Words, or Chinese characters, beside those that say nothing by themselves, which a sentence must have."""

TWICE = 2
"""How often a line must begin with a name and a colon before that is taken for who speaks."""

_OPEN, _CLOSE = "\ue000", "\ue001"
"""Stand around a marker's number while a text is cut (private use: they mean nothing in any text)."""

_MARKER = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")
_LABEL = re.compile(r"\s*\*{0,2}([^\s*:：][^*:：]{0,30}?)\*{0,2}[:：]\*{0,2}\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|[0-9]{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?")
_STAMP = re.compile(
    r"\s*[\[(]?(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[T ])?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[AaPp][Mm])?[\])]?\s+(?=\S)"
)
_SPEAKER = re.compile(
    r"\s*\*{0,2}<?@?([^\W\d_][\w .'-]{0,24}?)>?\*{0,2}\s?[:：]\*{0,2}\s+(?=\S)"
    r"|\s*\*{0,2}([\u4e00-\u9fff]{1,6})\*{0,2}[:：]\*{0,2}\s*(?=\S)"
)
_TICKED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_ENDS = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bcf\.)(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9`\"'(\[\ue000\u4e00-\u9fff])"
    r"|(?<=[。！？；])[”’」）\s]*"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something worth keeping. `rule` is what told it, `line` where it begins (from 1).

    `markers` are the markers that belong to it, `mentions` what stands in backticks in it, both in text order.
    """

    kind: str
    text: str
    rule: str
    line: int
    tags: tuple[str, ...] = ()
    markers: tuple[Marker, ...] = ()
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passed:
    """A line or sentence that was refused, and as what: `log`, `greeting`, `question`, ..."""

    why: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Captured:
    """What a text holds, in text order, each thing once, and what of it was refused. `loose` are markers that stand
    beside nothing worth keeping."""

    proposals: tuple[Proposal, ...]
    passed: tuple[Passed, ...]
    loose: tuple[Marker, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """Patterns that tell a kind. `person`: only where a person speaks, since programs have no wishes. `joins`: what is
    said in a row is one thing."""

    name: str
    kind: str
    any: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    tags: tuple[str, ...] = ()
    person: bool = False
    joins: bool = False

    def meets(self, plain: str) -> bool:
        return self.any.search(plain) is not None and (self.unless is None or self.unless.search(plain) is None)


@dataclass(frozen=True, slots=True)
class Noise:
    """A sort of line that is nobody's sentence. `begins`: the indented lines below belong to it."""

    name: str
    any: re.Pattern[str]
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Patterns:
    """All that `capture.toml` says, ready to be used."""

    rules: tuple[Rule, ...]
    noise: tuple[Noise, ...]
    doubts: tuple[Noise, ...]
    labels: Mapping[str, str]
    people: frozenset[str]
    programs: frozenset[str]
    empty: frozenset[str]
    empty_chinese: re.Pattern[str]
    begin: tuple[re.Pattern[str], ...]
    reasons: re.Pattern[str]

    @property
    def joining(self) -> frozenset[str]:
        """The names of the rules whose sentences in a row are one thing."""
        return frozenset(rule.name for rule in self.rules if rule.joins)


def captured(text: str, patterns: Patterns | None = None) -> Captured:
    """What a text says that is worth keeping, and what of it was refused. Pure; no text is an error."""
    known = patterns or builtin()
    plain = text.replace(_OPEN, "").replace(_CLOSE, "").replace("\r\n", "\n").replace("\r", "\n")
    data = without_comments(plain).encode("utf-8", "replace")
    markers = markers_in(data)
    lines = with_places(data, markers).split("\n")
    passed: list[Passed] = []
    found: list[Proposal] = []
    waiting: list[int] = []
    for paragraph in paragraphs(lines, known, passed):
        waiting = told_of(paragraph, known, markers, found, passed, waiting)
    loose = tuple(markers[number] for number in waiting)
    return Captured(once(found), tuple(sorted(passed, key=lambda one: one.line)), loose)


def without_comments(text: str) -> str:
    """A text without the comments of HTML that templates are full of; their ends of line stay."""
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*parts, text[at:]])


def with_places(data: bytes, markers: Sequence[Marker]) -> str:
    """A text with a number in the place of each marker; the ends of line in a marker are kept behind it."""
    parts: list[bytes] = []
    at = 0
    for number, marker in enumerate(markers):
        inside = data[marker.span.start : marker.span.end]
        parts += [data[at : marker.span.start], f"{_OPEN}{number}{_CLOSE}".encode(), b"\n" * inside.count(b"\n")]
        at = marker.span.end
    return b"".join([*parts, data[at:]]).decode("utf-8", "replace")


# -- paragraphs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together, joined, with who says them and under which label they stand."""

    text: str
    line: int
    starts: tuple[tuple[int, int], ...]
    """Where each line begins in the text, with its number."""
    program: bool = False
    label: str = ""

    def line_at(self, offset: int) -> int:
        return self.starts[bisect_right(self.starts, offset, key=lambda one: one[0]) - 1][1]


def paragraphs(lines: Sequence[str], known: Patterns, passed: list[Passed]) -> Iterator[Paragraph]:
    """The paragraphs of a text: entries of lists, what one speaker says, wrapped lines joined. Code, quotes and noise
    are left out, and noise is added to `passed`."""
    speakers = names_of_speakers(lines, known)
    current: list[tuple[int, str]] = []
    program, label, fence, inside = False, "", "", ""

    def done() -> Iterator[Paragraph]:
        if current:
            yield joined(current, program, label)
            current.clear()

    for number, raw in enumerate(lines, 1):
        mark = _FENCE.match(raw)
        if fence or mark:
            yield from done()
            if not fence and mark:
                fence = mark[1]
            elif mark and mark[1].startswith(fence) and not raw[mark.end() :].strip():
                fence = ""
            numbers = _MARKER.findall(raw)
            if numbers:  # What a marker says counts wherever it stands; the code around it is no sentence.
                current.append((number, " ".join(f"{_OPEN}{one}{_CLOSE}" for one in numbers)))
                yield from done()
            continue
        line = raw.expandtabs(4).rstrip()
        if not line.strip() or line.lstrip().startswith(">"):
            yield from done()
            inside = inside if line.strip() else ""
            continue
        if len(line) > LONGEST_LINE:
            yield from done()
            passed.append(Passed("too long", number, short(line)))
            continue
        noise = noise_of(line, known, inside)
        if noise is not None:
            yield from done()
            inside = noise.name if noise.begins else inside
            passed.append(Passed(noise.name, number, short(line)))
            continue
        inside = ""
        heading = _HEADING.match(line)
        alone = None if heading else _LABEL.fullmatch(line)
        named = (line[heading.end() :].rstrip("# ") if heading else alone[1] if alone else "").strip("*_ ").casefold()
        if heading or named in known.labels:
            yield from done()
            label = known.labels.get(named.rstrip(":："), "")
            continue
        body, who = spoken(line, speakers)
        if who is not None:
            yield from done()
            program, label = who in known.programs, ""
            noise = noise_of(body, known, "")
            if noise is not None:
                passed.append(Passed(noise.name, number, short(body)))
                continue
        item = _ITEM.match(body)
        if item:
            yield from done()
            body = body[item.end() :]
        current.append((number, body.strip()))
    yield from done()


def joined(lines: Sequence[tuple[int, str]], program: bool, label: str) -> Paragraph:
    """Lines as one: parted by a space, but not inside of Chinese."""
    text = ""
    starts: list[tuple[int, int]] = []
    for number, line in lines:
        if text and not (HAN.match(line[:1]) and (HAN.match(text[-1]) or text[-1] in "，。；、：！？")):
            text += " "
        starts.append((len(text), number))
        text += line
    return Paragraph(text, lines[0][0], tuple(starts), program, label)


def names_of_speakers(lines: Sequence[str], known: Patterns) -> frozenset[str]:
    """Who speaks in a text: those with a known name, who stand behind a time, or begin several lines."""
    counts: Counter[str] = Counter()
    sure = {*known.people, *known.programs}
    for line in lines:
        stamp = _STAMP.match(line)
        match = _SPEAKER.match(line, stamp.end() if stamp else 0)
        if match is not None:
            name = (match[1] or match[2]).casefold()
            counts[name] += 1
            if stamp:
                sure.add(name)
    often = {name for name, count in counts.items() if count >= TWICE and not is_label(name, known)}
    return frozenset(sure | often)


def is_label(name: str, known: Patterns) -> bool:
    """Whether a word before a colon says what follows, and not who."""
    if name in known.labels:
        return True
    said = f"{name}: a few words about something"
    chinese = f"{name}：一些关于某事的话"
    return any(rule.any.search(one) for rule in known.rules for one in (said, chinese)) or any(
        pattern.search(one) for pattern in known.begin for one in (said, chinese)
    )


def spoken(line: str, speakers: frozenset[str]) -> tuple[str, str | None]:
    """A line without the time and the name that it begins with, and that name; None where nobody is named."""
    stamp = _STAMP.match(line)
    start = stamp.end() if stamp else 0
    match = _SPEAKER.match(line, start)
    if match is not None:
        name = (match[1] or match[2]).casefold()
        if name in speakers:
            return line[match.end() :], name
    return line[start:], None


def noise_of(line: str, known: Patterns, inside: str) -> Noise | None:
    """The sort of noise that a line is; what is indented below a trace belongs to it."""
    for noise in known.noise:
        if (inside == noise.name and line[:1] in " \t") or noise.any.search(line):
            return noise
    return None


# -- sentences ---------------------------------------------------------------------------------------------------------


def told_of(
    paragraph: Paragraph,
    known: Patterns,
    markers: Sequence[Marker],
    found: list[Proposal],
    passed: list[Passed],
    waiting: list[int],
) -> list[int]:
    """Adds what a paragraph tells to `found`. `waiting` are the numbers of markers that belong to nothing yet; answers
    those that still do not."""
    before = len(found)
    last: int | None = None
    for start, sentence in with_their_markers(sentences(paragraph.text)):
        numbers = [int(one) for one in _MARKER.findall(sentence)]
        bare = _SPACE.sub(" ", _MARKER.sub(" ", sentence)).strip()
        bare = re.sub(r"\s+([.,;:!?。，；：！？])", r"\1", bare)
        line = paragraph.line_at(start)
        if not any(letter.isalnum() for letter in bare):
            last = tie(found, last if last is not None else before - 1 if not waiting else None, markers, numbers)
            waiting += numbers if last is None else []
            continue
        plain = plainly(bare[: LONGEST + 1])
        if last is not None and len(bare) <= LONGEST and known.reasons.search(plain):
            found[last] = with_more(found[last], bare)
            tie(found, last, markers, numbers)
            continue
        proposal, why = judged(bare, plain, line, paragraph, known, bool(numbers))
        if proposal is None:
            if why:
                passed.append(Passed(why, line, short(bare)))
            if numbers and last is not None:
                tie(found, last, markers, numbers)
            else:
                waiting += numbers
            last = None if why else last
            continue
        if last is not None and found[last].rule == proposal.rule and proposal.rule in known.joining:
            found[last] = with_more(found[last], bare)
            tie(found, last, markers, numbers)
            continue
        found.append(proposal)
        last = len(found) - 1
        tie(found, last, markers, [*waiting, *numbers])
        waiting = []
    return waiting


def with_their_markers(cut: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Sentences, each with the markers that stand right behind it."""
    whole: list[tuple[int, str]] = []
    for start, sentence in cut:
        if whole and not any(letter.isalnum() for letter in _MARKER.sub("", sentence)):
            whole[-1] = (whole[-1][0], f"{whole[-1][1]} {sentence}")
        else:
            whole.append((start, sentence))
    return whole


def tie(found: list[Proposal], at: int | None, markers: Sequence[Marker], numbers: Sequence[int]) -> int | None:
    """Gives markers to a proposal; answers its place in `found`, None where there is none."""
    if at is None or at < 0:
        return None
    own = (*found[at].markers, *(markers[number] for number in numbers))
    distinct = {one.target or str(one.span): one for one in reversed(own)}
    found[at] = replace(found[at], markers=tuple(sorted(distinct.values(), key=lambda one: one.span.start)))
    return at


def judged(
    bare: str, plain: str, line: int, paragraph: Paragraph, known: Patterns, marked: bool
) -> tuple[Proposal | None, str]:
    """What a sentence proposes, or why it was refused; neither where it is just a sentence."""
    if len(bare) > LONGEST:
        return None, "too long"
    noise = next((one for one in known.noise if one.any.search(bare)), None)
    if noise is not None:
        return None, noise.name
    rule = rule_of(plain, paragraph, known)
    if rule is None and not paragraph.label and not marked:
        return None, ""
    doubt = next((one for one in known.doubts if one.any.search(plain)), None)
    if doubt is not None:
        return None, doubt.name
    text = tidy(bare, known)
    if not says_enough(text, known):
        return None, "too little"
    mentions = tuple(dict.fromkeys(one.strip() for one in _TICKED.findall(text) if one.strip()))
    if paragraph.label and (rule is None or rule.kind != paragraph.label):
        return Proposal(paragraph.label, text, "heading", line, mentions=mentions), ""
    if rule is None:
        return Proposal("note", text, "marker", line, mentions=mentions), ""
    return Proposal(rule.kind, text, rule.name, line, rule.tags, mentions=mentions), ""


def rule_of(plain: str, paragraph: Paragraph, known: Patterns) -> Rule | None:
    for rule in known.rules:
        if not (rule.person and paragraph.program) and rule.meets(plain):
            return rule
    return None


def sentences(text: str) -> list[tuple[int, str]]:
    """The sentences of a paragraph, each with where it begins. What stands in backticks is never cut."""
    ticked = [0]  # Where what stands in backticks begins and ends, in turn.
    for code in _TICKED.finditer(text):
        ticked += code.span()
    found: list[tuple[int, str]] = []
    start = 0
    for end in _ENDS.finditer(text):
        if bisect_left(ticked, end.start()) % 2 == 0 or end.end() == start:
            continue
        if text[start : end.end()].strip():
            found.append((start, text[start : end.end()].strip()))
        start = end.end()
    if text[start:].strip():
        found.append((start, text[start:].strip()))
    return found


def plainly(sentence: str) -> str:
    """A sentence as patterns are searched in it."""
    return _SPACE.sub(" ", re.sub("[`'’‘*_]", "", sentence.lower())).strip()


def tidy(sentence: str, known: Patterns) -> str:
    """A sentence without what only leads to it, beginning as a sentence does."""
    text, before = sentence.strip(), ""
    while text != before:
        before = text
        for pattern in known.begin:
            text = pattern.sub("", text, count=1).strip()
    first = re.match(r"[a-z]+(?=[ ,'’])", text)
    return text[:1].upper() + text[1:] if first else text


def with_more(proposal: Proposal, sentence: str) -> Proposal:
    """A proposal with a sentence that belongs to it, such as the one that says why."""
    between = "" if HAN.search(proposal.text[-2:]) else " "
    mentions = dict.fromkeys((*proposal.mentions, *(one.strip() for one in _TICKED.findall(sentence))))
    return replace(proposal, text=f"{proposal.text}{between}{sentence}", mentions=tuple(mentions))


def says_enough(text: str, known: Patterns) -> bool:
    """Whether something is left of a text without the words that say nothing by themselves."""
    latin = {term for term in terms(HAN.sub(" ", text)) if term not in known.empty}
    chinese = HAN.findall(known.empty_chinese.sub("", text))
    return len(latin) + len(chinese) >= ENOUGH


def short(text: str) -> str:
    line = _MARKER.sub("", text).strip()
    return line if len(line) <= 80 else line[:79] + "…"


def once(found: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Proposals without those that say the same again; their markers go to the first."""
    kept: dict[tuple[str, str], Proposal] = {}
    for one in found:
        key = (one.kind, " ".join(one.text.casefold().split()))
        first = kept.get(key)
        kept[key] = one if first is None else replace(first, markers=(*first.markers, *one.markers))
    return tuple(kept.values())


# -- data --------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def builtin() -> Patterns:
    """The patterns that come with Moorline. Raises ValueError where one names a kind that there is not."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    rules = tuple(
        Rule(
            one["name"],
            one["kind"],
            either(one["any"]),
            either(one["unless"]) if "unless" in one else None,
            tuple(one.get("tags", ())),
            one.get("person", False),
            one.get("joins", False),
        )
        for one in data["rule"]
    )
    odd = {*(rule.kind for rule in rules), *data["labels"]} - set(KINDS)
    if odd:
        raise ValueError(f"no kinds {', '.join(sorted(odd))}: correct {FILE.name}")
    words = data["words"]
    return Patterns(
        rules,
        tuple(Noise(one["name"], either(one["any"]), one.get("begins", False)) for one in data["noise"]),
        tuple(Noise(one["name"], either(one["any"])) for one in data["doubt"]),
        {label: kind for kind, labels in data["labels"].items() for label in labels},
        frozenset(words["people"]),
        frozenset(words["programs"]),
        frozenset(terms(" ".join(words["empty"]))),
        re.compile("|".join(map(re.escape, sorted(words["empty_zh"], key=len, reverse=True)))),
        tuple(re.compile(one, re.IGNORECASE) for one in data["clean"]["begin"]),
        either(data["clean"]["reasons"]),
    )


def either(patterns: Sequence[str]) -> re.Pattern[str]:
    """One pattern for several. Flags at the beginning of one count for it alone, as they are written there."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def is_repository_state(line: str) -> bool:
    """Whether a line is what git prints of how a repository stands at a moment."""
    return _repository().search(line) is not None


@lru_cache(maxsize=1)
def _repository() -> re.Pattern[str]:
    return either(tomllib.loads(FILE.read_text(encoding="utf-8"))["repository"]["any"])
