"""Answers as people read them: which word, which colour, which command comes next. Pure functions of JSON answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lsp_server.cli.printing import Piece
from lsp_server.core.kinds import kind_of
from lsp_server.core.model import Level
from lsp_server.features.expiry import expiry_words
from lsp_server.features.markdown import plain
from lsp_server.features.typed import candidate_loci, quoted, settle_command, transition_command
from lsp_server.features.words import LEVEL_WORDS, age, short, state_words, who

Answer = Mapping[str, Any]

HEADLINE = 120
"""Characters of a text's first line that a list shows where nothing else cuts it."""

STYLES: Mapping[str, str] = {
    "fresh": "green",
    "reformatted": "green",
    "moved": "cyan",
    "contradicted": "bold red",
    "changed": "bold yellow",
    "missing": "bold red",
    "file_missing": "bold red",
    "unverifiable": "magenta",
    "members": "yellow",
    "history": "dim",
    "id": "cyan",
    "faint": "dim",
    "strong": "bold",
    "command": "bold",
}
"""Colours, by verdict and by what else is told apart."""

CHECK_MARKS: Mapping[str, tuple[str, str]] = {
    "holds": ("✓", "fresh"),
    "fails": ("✗", "contradicted"),
    "undecidable": ("?", "unverifiable"),
}
"""How a check's outcome is shown: a sign, and the name of its colour."""

WORST = ("file_missing", "missing", "changed", "members", "unverifiable", "moved", "reformatted", "fresh")
"""Verdicts, what needs a person first."""


def headline(text: str, limit: int = HEADLINE) -> str:
    """The first line of a text that says something."""
    line = next((one.strip().lstrip("# ").strip() for one in text.splitlines() if one.strip()), "")
    return plain(line, limit)


def kind_words(memory: Answer) -> str:
    row = kind_of(memory["kind"])
    return f"{row.icon} {row.title}"


def id_of(memory: Answer) -> str:
    return short(memory["id"])


def level(anchor: Answer) -> str:
    """An anchor's verdict, with `members`, the milder level, told apart."""
    return "members" if anchor["reason"] == "members" else str(anchor["verdict"])


def level_word(name: str) -> str:
    return "members changed" if name == "members" else LEVEL_WORDS[Level(name)]


def worst(memory: Answer) -> Answer | None:
    """The anchor that needs a person most, None where there is no anchor."""
    return min(memory["anchors"], key=lambda anchor: WORST.index(level(anchor)), default=None)


def standing(memory: Answer) -> Piece:
    """How a memory stands in a few words: its state where it is history, else its worst anchor's verdict, with what
    else there is to know: that it is disputed, fixed but not verified, expired."""
    if not memory["current"] and not memory["disputed"]:
        return state_words(memory["state"]), STYLES["history"]
    anchor = worst(memory)
    verdict, style = (level_word(level(anchor)), STYLES[level(anchor)]) if anchor else ("no anchor", STYLES["faint"])
    said = remarks(memory)
    if memory["disputed"] or memory["contradicted"]:
        style = STYLES["missing"]
    elif (memory["owed"] or memory["expired"] or memory["problem"]) and style in (STYLES["fresh"], STYLES["faint"]):
        style = STYLES["members"]
    return "; ".join([*said, verdict]), style


def remarks(memory: Answer) -> list[str]:
    """What is to be known of a memory's life beside what became of its code, a word or two each."""
    row = kind_of(memory["kind"])
    state = memory["state"]
    # That it is in the state which its kind begins in goes without saying, unless something is owed in it.
    notable = memory["current"] and (state != row.initial or state in row.owed) and not memory["disputed"]
    return [
        *(["disputed"] if memory["disputed"] else []),
        *(["contradicted"] if memory["contradicted"] else []),
        *([state_words(state)] if notable else []),
        *(["expired"] if memory["expired"] else []),
        *(["damaged"] if memory["problem"] else []),
    ]


def remarked(memory: Answer) -> str:
    """The same in brackets behind a memory's id, but for what its anchors say; empty where nothing is left."""
    said = [one for one in remarks(memory) if one != "contradicted"]
    return f" ({'; '.join(said)})" if said else ""


def facts(memory: Answer, now: str) -> list[Piece]:
    """The facts about a memory that are set, a line each: how it stands and since when, what it rests on, its links."""
    row = kind_of(memory["kind"])
    found: list[Piece] = [*disputed(memory, now)] if memory["disputed"] else []
    if memory["entered"] and not memory["disputed"]:
        found.append(entered(memory["entered"], now))
    if memory["owed"]:
        found.append((f"{memory['owed']}:", STYLES["changed"]))
        settled = row.settles.get(memory["state"])
        steps = [step for step in memory["next"] if step["state"] == settled]
        found += [(f"  {transition_command(memory['id'], step)}", STYLES["command"]) for step in steps]
    start, end = memory["valid"]["from"], memory["valid"]["until"]
    if end and start != end:
        found.append(f"held{f' from {start[:8]}' if start else ''} until {end[:8]}")
    if memory["pinned"]:
        found.append("pinned")
    if memory["tags"]:
        found.append("tags: " + ", ".join(plain(tag, 60) for tag in memory["tags"]))
    if memory["importance"] is not None:
        found.append(f"importance: {memory['importance']} of 5")
    said = expiry_words(memory["expires"], memory["expires_at"], memory["expired"])
    if said and memory["current"]:
        found.append((plain(said), STYLES["changed"]) if memory["expired"] else plain(said))
    if memory["home"] != "shared":
        found.append(f"home: {memory['home']}, not committed")
    if memory["edited"]:
        found.append("its text was edited since the code was last looked at; moorline clear accepts it")
    found += [
        f"{row.fields[name].title.lower() if name in row.fields else name}: {plain(text, 400)}"
        for name, text in memory["fields"].items()
    ]
    found += [evidence(piece, now) for piece in memory["evidence"]]
    if memory["chain"]:
        found += [chained(memory, one) for one in memory["chain"] if one["id"] != memory["id"]]
    return found


def entered(one: Answer, now: str) -> str:
    """How a memory came to a state: `fixed, not verified: 3 days ago by Ann at 1234abcd: the reason`."""
    at = f" at {one['revision'][:8]}" if one["revision"] else ""
    by = f" by {short(one['by'])}" if one["by"] else ""
    why = f": {plain(one['reason'], 400)}" if one["reason"] else ""
    return f"{state_words(one['state'])}{by}: {age(one['time'], now)} by {plain(who(one['author']), 60)}{at}{why}"


def disputed(memory: Answer, now: str) -> list[Piece]:
    """The ends that are at odds, each with the command that settles it so."""
    found: list[Piece] = [("disputed: two writers changed its state, and neither knew of the other", STYLES["missing"])]
    for rival in memory["rivals"]:
        found.append(f"  {entered(rival, now)}")
        found.append((f"    {settle_command(memory['id'], rival['state'], rival['by'])}", STYLES["command"]))
    return found


def evidence(piece: Answer, now: str) -> str:
    """One piece of evidence as a line: what it is, at which revision, whose, how old."""
    role = f" ({plain(piece['role'], 40)})" if piece["role"] else ""
    named = piece["type"] == "commit" and (piece["revision"] or "").startswith(piece["value"])
    at = f" at {piece['revision'][:8]}" if piece["revision"] and not named else ""
    by = f", {plain(who(piece['author']), 60)}" if piece["author"] else ""
    when = f", {age(piece['time'], now)}" if piece["time"] else ""
    return f"evidence{role}: {plain(piece['type'] + ':' + piece['value'], 400)}{at}{by}{when}"


def chained(memory: Answer, one: Answer) -> str:
    """Another memory of the chain that one stands in."""
    order = [entry["id"] for entry in memory["chain"]]
    what = "came before it" if order.index(one["id"]) < order.index(memory["id"]) else "took over"
    state = f" ({state_words(one['state'])})" if one["state"] and not one["current"] else ""
    title = plain(one["title"], HEADLINE) if one["title"] else "not to be found any more"
    return f"{what}: {short(one['id'])}{state}  {title}"


def place(anchor: Answer) -> str:
    """Where an anchor is now, else where it was last, as it can be typed again."""
    now = anchor["now"]
    symbol = now["symbol"] if now else anchor["symbol"]
    file = now["file"] if now else anchor["file"]
    if symbol:
        return f"{file}#{symbol}"
    if anchor["lines"]:
        first, last = (now["start_line"], now["end_line"]) if now else anchor["lines"]
        return f"{file}:{first}-{last}"
    return str(file)


def file_line(anchor: Answer) -> tuple[str, int]:
    """The file and line to look at: where the code is now, else the file it was in last, line 0 where none is known."""
    now = anchor["now"]
    if now:
        return now["file"], now["start_line"]
    return anchor["file"], anchor["lines"][0] if anchor["lines"] else 0


def word_of(anchor: Answer) -> Piece:
    """An anchor's verdict as a word in its colour; that a check contradicts its memory comes before it."""
    if anchor["contradictions"]:
        return "contradicted", STYLES["contradicted"]
    return level_word(level(anchor)), STYLES[level(anchor)]


def detail(anchor: Answer) -> str:
    """What there is to say about a verdict, in one sentence without its full stop; empty for what is fresh."""
    if anchor["contradictions"]:
        wrong = [plain(said, 400).removesuffix(".") for said in anchor["contradictions"]]
        return "; ".join([*wrong, *([f"{level_word(level(anchor))}: {of_verdict(anchor)}"] if anchor["stale"] else [])])
    return of_verdict(anchor)


def of_verdict(anchor: Answer) -> str:
    """The same of the verdict alone."""
    if level(anchor) == "members" and anchor["members"]:
        return plain(", ".join(anchor["members"][:5]))
    return plain(anchor["detail"], 400).removesuffix(".") if anchor["verdict"] != "fresh" else ""


def why(anchor: Answer) -> str:
    """The verdict and what it says in one sentence."""
    said = detail(anchor)
    return f"{word_of(anchor)[0]}: {said}" if said else str(word_of(anchor)[0])


def since(anchor: Answer, now: str) -> str:
    """When somebody last accepted the code and who, and whose commit then made it stale, where git tells."""
    accepted = anchor.get("accepted")
    if not accepted:
        return "never accepted"
    at = f" at {accepted['revision'][:8]}" if accepted["revision"] else ""
    said = f"accepted {age(accepted['time'], now)} by {plain(who(accepted['author']), 40)}{at}"
    stale = anchor.get("since")
    if not stale:
        return said
    return f"{said}, stale since {stale['revision'][:8]} by {plain(stale['author'], 40)}, {age(stale['time'], now)}"


def next_steps(memory: Answer, anchor: Answer) -> list[tuple[str, str]]:
    """What settles an anchor: what one would say, and the command that does it."""
    name = id_of(memory)
    stale = [one for one in memory["anchors"] if one["stale"]]
    which = f" --anchor {anchor['id']}" if len(stale) > 1 else ""
    verdict, reason = anchor["verdict"], anchor["reason"]
    if memory.get("document") and verdict in ("changed", "missing", "file_missing"):
        return passage_steps(memory, verdict, f"{name}{which}")
    if anchor["contradictions"]:
        changed = [("what changed", f"moorline diff {name}")] if verdict == "changed" else []
        return [("no longer true", f"moorline supersede {name} --text ..."), *changed]
    if reason == "regressed":
        row = kind_of(memory["kind"])
        faulty = row.faulty_states(memory["state"])
        back = next(state for state in row.transitions[memory["state"]] if state in faulty)
        return [
            ("it is back", f"moorline transition {name} {back}"),
            ("what changed", f"moorline diff {name}"),
            ("it is no fault", f"moorline clear {name}{which}"),
        ]
    if verdict == "changed":
        return [
            ("still true", f"moorline clear {name}{which}"),
            ("what changed", f"moorline diff {name}"),
            ("no longer true", f"moorline supersede {name} --text ..."),
        ]
    if verdict in ("missing", "file_missing"):
        where = candidate_words(anchor["candidates"][:3])
        steps = [(f"is it this ({alike})", f"moorline reanchor {name} {locus}{which}") for locus, alike in where]
        steps = steps or [("it moved", f"moorline reanchor {name} FILE#SYMBOL{which}")]
        return [*steps, ("it is gone", f"moorline retire {name} --reason ...")]
    if verdict == "unverifiable" and reason == "no_baseline":
        return [("it is true", f"moorline clear {name} --anchor {anchor['id']}")]
    if verdict == "moved" and not written_down(anchor):
        return [("write it down", "moorline follow")]
    return []


def passage_steps(memory: Answer, verdict: str, name: str) -> list[tuple[str, str]]:
    """What settles a passage: its words and its place are its document's."""
    there = memory["document"]["line"] is not None
    if verdict == "changed":
        steps = [("still true", f"moorline clear {name}"), ("what changed", f"moorline diff {id_of(memory)}")]
        return [*steps, ("no longer true", f"edit {passage_place(memory)}")]
    said = "its marker names no code" if there else "its marker is gone"
    return [(said, f"edit {passage_place(memory)}"), ("it is gone", f"moorline retire {id_of(memory)} --reason ...")]


def passage_place(memory: Answer) -> str:
    """The document of a passage, with its line where its marker still stands."""
    document = memory["document"]
    return plain(f"{document['file']}:{document['line']}" if document["line"] is not None else document["file"])


def written_down(anchor: Answer) -> bool:
    """Whether an anchor is kept to be where its code is now."""
    now = anchor["now"]
    return now is None or (now["file"], now["symbol"]) == (anchor["file"], anchor["symbol"])


def candidate_words(candidates: Sequence[Answer]) -> list[tuple[str, str]]:
    """Each candidate as a place that can be typed, and how much alike it is. Of several with one path, by its line."""
    return [
        (quoted(locus), f"{candidate['similarity']:.0%} alike")
        for locus, candidate in zip(candidate_loci(candidates), candidates, strict=True)
    ]


def tally(memories: Sequence[Answer]) -> list[Piece]:
    """`1 contradicted, 2 stale, 1 cannot tell, 40 fresh`: memories that a check contradicts, then anchors, what needs a
    person first."""
    levels = Counter(level(anchor) for memory in memories for anchor in memory["anchors"])
    pieces: list[Piece] = []
    if wrong := sum(memory["contradicted"] for memory in memories):
        pieces.append((f"{wrong} contradicted", STYLES["contradicted"]))
    for name in WORST:
        number = levels[name]
        if not number:
            continue
        if pieces:
            pieces.append(", ")
        pieces.append((f"{number} {level_word(name)}", STYLES[name]))
    return pieces


def number_of(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def time_now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def needs_look(memory: Answer) -> Sequence[Answer]:
    """The anchors of a memory that a person should look at, or what stands for them where it has none."""
    if not memory["anchors"]:
        return [standing_for(check) for check in memory["checks"] if check["outcome"] == "fails"]
    return [
        anchor
        for anchor in memory["anchors"]
        if anchor["stale"] or anchor["verdict"] == "unverifiable" or anchor["contradictions"]
    ]


def standing_for(check: Answer) -> Answer:
    """A failing check in the place of an anchor, for a memory without one."""
    return {
        **{key: check[key] for key in ("file", "symbol", "lines")},
        **{"id": "", "verdict": Level.FRESH.value, "stale": False, "reason": None, "detail": "", "members": []},
        **{"now": None, "candidates": [], "contradictions": [check["detail"]]},
    }


def rank(anchor: Answer) -> int:
    """How much an anchor needs a person: less is more."""
    return -1 if anchor["contradictions"] else WORST.index(level(anchor))


def check_pieces(check: Answer) -> list[Piece]:
    """A check with its outcome, and why where it does not hold."""
    mark, style = CHECK_MARKS[check["outcome"]]
    said = f": {plain(check['detail'], 400)}" if check["outcome"] != "holds" else ""
    return [(mark, STYLES[style]), " ", plain(check["text"], 200), said]
