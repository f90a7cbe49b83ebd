"""What a workspace and a client may set, as one frozen `Settings`.

Knows the keys, what each takes and where they come from: `.moorline/config.toml`, which is shared and untrusted, and
over it the client's own settings. A key that is unknown or holds something else than it takes gives a message that
names it; every other key goes on working. Runs nothing and opens no other file.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from lsp_server.core.kinds import KINDS
from lsp_server.core.ranking import Weights

FILE = ".moorline/config.toml"
"""Path of the shared settings in the workspace."""

MAX_BYTES = 256 * 1024
"""Largest settings file that is read."""

Severity = Literal["error", "warning", "information", "hint", "off"]
HoverRange = Literal["name", "signature", "symbol"]
StaleMarks = Literal["typing", "save"]

SEVERITIES: Mapping[str, Severity] = MappingProxyType(
    {
        "fresh": "hint",
        "reformatted": "hint",
        "moved": "hint",
        "changed": "warning",
        "members": "information",
        "missing": "warning",
        "file_missing": "warning",
        "unverifiable": "information",
        "contradicted": "error",
    }
)
"""Severity by verdict, and by what has one of its own: `members`, and a check that fails (design, section 7)."""

SCORES: Mapping[str, float] = MappingProxyType({"stale": 0.5, "expired": 0.6, "both": 0.3, "members": 0.8})
"""Factors on the score of a memory (design, section 4)."""

HEAT: Mapping[str, float] = MappingProxyType(
    {"half_life_days": 14.0, "shown": 0.2, "hovered": 0.5, "opened": 1.0, "recalled": 1.0}
)
"""What a memory is worth by how often it was seen: the days after which a time counts half, and what one counts.

Listed in passing counts least, hovered may be by chance, opened and recalled were meant. Two weeks, so that what a team
works on now is warm and last month's is not.
"""

KIND_NUMBERS = ("cap", "half_life_days", "expires_days", "recall_threshold", "list_limit")
"""The numbers of a kind that a workspace may override."""


ENTRIES = 1_000
"""Most profiles, expansions or aliases that a workspace adds: a settings file is read at every change."""

ENTRY_CHARACTERS = 200
"""Longest name or text among them."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with its default.

    `severity` is by verdict; `diagnostics`, `hover`, `lenses` and `actions` switch a surface on or off; `hover_range`
    is how much of a symbol answers a hover; `stale_marks` says whether stale marks appear while typing or on save;
    `closed_files` is how many closed files show stale marks; `debounce_ms` how long a change may wait for the next one;
    `poll_seconds` the shortest pause between two looks for outside changes; `search_files` and `search_seconds` bound
    the search beyond an anchor's file; `activity` says whether it is counted on this machine what was seen and asked,
    `heat` what that is worth; `documents_ignored` names the Markdown whose markers do not count (files, folders, and
    patterns with `*`, from the root); `fail_on` is what makes `check` fail; `score` holds factors, `kinds` the numbers
    that the workspace overrides, by kind; `search` what it sets of search: `weights`, `profiles`, `expansions` and
    `aliases`, each left out where it sets nothing.
    """

    severity: Mapping[str, Severity] = field(default_factory=lambda: SEVERITIES)
    diagnostics: bool = True
    hover: bool = True
    lenses: bool = True
    actions: bool = True
    hover_range: HoverRange = "name"
    stale_marks: StaleMarks = "typing"
    closed_files: int = 200
    debounce_ms: int = 40
    poll_seconds: float = 1.0
    search_files: int = 60
    search_seconds: float = 2.0
    activity: bool = True
    heat: Mapping[str, float] = field(default_factory=lambda: HEAT)
    documents_ignored: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ("stale", "contradicted")
    score: Mapping[str, float] = field(default_factory=lambda: SCORES)
    kinds: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: MappingProxyType({}))
    search: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """What is wrong with one setting. `origin` is "config.toml" or "client"; `line` counts from 1, None if unknown."""

    origin: str
    key: str
    message: str
    line: int | None = None


def read_settings(root: Path, client: Mapping[str, Any] | None = None) -> tuple[Settings, tuple[ConfigProblem, ...]]:
    """Give the settings of the workspace `root` with `client`'s own over them, and what was wrong with either.

    `client` is the client's section: keys in snake_case or camelCase, with or without a `moorline` key around them.
    """
    text, problem = _shared_text(root)
    settings, problems = settings_of(text, client)
    return settings, ((problem, *problems) if problem else problems)


def settings_of(
    text: str | None, client: Mapping[str, Any] | None = None
) -> tuple[Settings, tuple[ConfigProblem, ...]]:
    """The same from the text of a `config.toml` (None: there is none)."""
    problems: list[ConfigProblem] = []
    values: dict[str, Any] = {}
    if text is not None:
        try:
            table = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            where = re.search(r"line (\d+)", str(error))
            line = int(where[1]) if where else None
            said = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            problems.append(ConfigProblem("config.toml", "", f"config.toml is not TOML: {said}; mend that line", line))
        else:
            values |= _checked(table, "config.toml", values, problems, text)
    if client is not None:
        section = client.get("moorline", client)
        if isinstance(section, Mapping):
            own = {_snake(key): value for key, value in section.items() if _snake(key) not in _CLIENTS_OWN}
            values |= _checked(own, "client", values, problems, "")
        elif section is not None:
            problems.append(ConfigProblem("client", "moorline", "the client's `moorline` settings take an object"))
    return Settings(**values), tuple(problems)


_CLIENTS_OWN = frozenset(["trace", "server", "enable", "command", "path", "args", "env", "python"])
"""Keys of a client's section that are about starting the server and not for it."""


# -- what each key takes ---------------------------------------------------------------------------------------------


class _Wrong(ValueError):
    """A value that its key does not take; the message says what it takes. `below` is the path of keys inside it. Of a
    key that is none the message is empty, and `known` are those that are."""

    def __init__(self, takes: str, *below: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(takes)
        self.below = below
        self.known = known


_Check = Callable[[Any, Any], tuple[Any, list[_Wrong]]]
"""Takes the value and what stood before; gives the value to use and what is wrong inside it. Raises `_Wrong`."""


def _one_of(*words: str) -> _Check:
    takes = " or ".join(f'"{word}"' for word in words) if len(words) < 3 else "one of " + _listed(words)

    def check(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        if isinstance(value, str) and value in words:
            return value, []
        raise _Wrong(takes)

    return check


def _flag(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
    if isinstance(value, bool):
        return value, []
    raise _Wrong("true or false")


def _number(low: float, high: float, *, whole: bool) -> _Check:
    takes = f"a {'whole ' if whole else ''}number from {low:g} to {high:g}"

    def check(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        fits = isinstance(value, int) or (isinstance(value, float) and (not whole or value.is_integer()))
        if isinstance(value, bool) or not fits or not low <= value <= high:
            raise _Wrong(takes)
        return (int(value) if whole else float(value)), []

    return check


def _words(*words: str) -> _Check:
    takes = "a list of " + _listed(words)

    def check(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        if not isinstance(value, list) or not all(isinstance(word, str) and word in words for word in value):
            raise _Wrong(takes)
        return tuple(dict.fromkeys(value)), []

    return check


def _texts(takes: str) -> _Check:
    def check(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        if not isinstance(value, list) or len(value) > 200 or not all(isinstance(one, str) for one in value):
            raise _Wrong(takes)
        if not all(0 < len(one) <= 200 for one in value):
            raise _Wrong(takes)
        return tuple(dict.fromkeys(value)), []

    return check


def _table(keys: tuple[str, ...], check: _Check, takes: str) -> _Check:
    """A table whose keys are among `keys`; a wrong entry leaves the others standing."""

    def check_all(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        if not isinstance(value, Mapping):
            raise _Wrong(takes)
        kept = dict(before)
        wrong: list[_Wrong] = []
        for key, item in value.items():
            name = _snake(str(key))
            if name not in keys:
                wrong.append(_Wrong("", name, known=keys))
                continue
            try:
                kept[name], inside = check(item, kept.get(name, {}))
                wrong += [_Wrong(str(one), name, *one.below, known=one.known) for one in inside]
            except _Wrong as error:
                wrong.append(_Wrong(str(error), name, *error.below))
        return MappingProxyType(kept), wrong

    return check_all


def _tables(checks: Mapping[str, _Check], takes: str) -> _Check:
    """A table whose keys are those of `checks`, each with its own; a wrong entry leaves the others standing."""

    def check_all(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        if not isinstance(value, Mapping):
            raise _Wrong(takes)
        kept = dict(before)
        wrong: list[_Wrong] = []
        for key, item in value.items():
            name = _snake(str(key))
            if name not in checks:
                wrong.append(_Wrong("", name, known=tuple(checks)))
                continue
            taken, inside = _table((name,), checks[name], takes)({name: item}, kept)
            kept = dict(taken)
            wrong += inside
        return MappingProxyType(kept), wrong

    return check_all


def _named(check: _Check, takes: str) -> _Check:
    """A table whose keys are names that the workspace gives, kept as they are written."""

    def check_all(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
        if not isinstance(value, Mapping) or len(value) > ENTRIES:
            raise _Wrong(takes)
        kept = dict(before)
        wrong: list[_Wrong] = []
        for key, item in value.items():
            name = str(key)
            try:
                if not 0 < len(name.strip()) <= ENTRY_CHARACTERS:
                    raise _Wrong(takes)
                kept[name], inside = check(item, kept.get(name, {}))
                wrong += [_Wrong(str(one), name, *one.below, known=one.known) for one in inside]
            except _Wrong as error:
                wrong.append(_Wrong(str(error), name, *error.below))
        return MappingProxyType(kept), wrong

    return check_all


def _words_of(value: Any, before: Any) -> tuple[Any, list[_Wrong]]:
    if isinstance(value, str) and len(value) <= ENTRY_CHARACTERS:
        return value, []
    raise _Wrong(f"words in quotes, at most {ENTRY_CHARACTERS} characters; none takes an entry away")


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f'"{word}"' for word in words)


_SEVERITY = _one_of("error", "warning", "information", "hint", "off")

_WEIGHTS = _table(
    tuple(one.name for one in fields(Weights)), _number(0, 10, whole=False), "a table of numbers by weight"
)

_PROFILE = _tables(
    {
        "floor": _number(0, 1, whole=False),
        "age": _flag,
        "stale": _number(0, 1, whole=False),
        "kinds": _table(tuple(KINDS), _number(0, 10, whole=False), "a table of factors by kind"),
        "weights": _WEIGHTS,
    },
    "a table with floor, age, stale, kinds or weights",
)

_SEARCH = _tables(
    {
        "weights": _WEIGHTS,
        "profiles": _named(_PROFILE, "a table of profiles by name"),
        "expansions": _named(_words_of, "a table of words by expression"),
        "aliases": _named(_words_of, "a table of names by name"),
    },
    "a table with weights, profiles, expansions or aliases",
)

KEYS: Mapping[str, _Check] = MappingProxyType(
    {
        "severity": _table(tuple(SEVERITIES), _SEVERITY, "a table of severities by verdict"),
        "diagnostics": _flag,
        "hover": _flag,
        "lenses": _flag,
        "actions": _flag,
        "hover_range": _one_of("name", "signature", "symbol"),
        "stale_marks": _one_of("typing", "save"),
        "closed_files": _number(0, 10_000, whole=True),
        "debounce_ms": _number(0, 150, whole=True),
        "poll_seconds": _number(0.2, 60, whole=False),
        "search_files": _number(0, 10_000, whole=True),
        "search_seconds": _number(0, 60, whole=False),
        "activity": _flag,
        "heat": _table(tuple(HEAT), _number(0, 1e6, whole=False), "a table of numbers"),
        "documents_ignored": _texts("a list of files, folders or patterns, from the workspace's root"),
        "fail_on": _words("stale", "contradicted", "members", "unverifiable", "never"),
        "score": _table(tuple(SCORES), _number(0, 1, whole=False), "a table of factors"),
        "kinds": _table(
            tuple(KINDS),
            _table(KIND_NUMBERS, _number(0, 1e9, whole=False), "a table of " + _listed(KIND_NUMBERS)),
            "a table of tables, one a kind",
        ),
        "search": _SEARCH,
    }
)
"""Every key and the check of what it takes."""

assert set(KEYS) == {one.name for one in fields(Settings)}


def _checked(
    table: Mapping[str, Any], origin: str, before: Mapping[str, Any], problems: list[ConfigProblem], text: str
) -> dict[str, Any]:
    defaults = Settings()
    kept: dict[str, Any] = {}
    for key, value in table.items():
        check = KEYS.get(key)
        if check is None:
            problems.append(_unknown(origin, (key,), tuple(KEYS), text))
            continue
        try:
            kept[key], wrong = check(value, before.get(key, getattr(defaults, key)))
        except _Wrong as error:
            kept.pop(key, None)
            wrong = [error]
        for one in wrong:
            path = (key, *one.below)
            if not str(one):
                problems.append(_unknown(origin, path, one.known, text))
                continue
            message = f"{origin}: `{_shown('.'.join(path))}` takes {one}"
            problems.append(ConfigProblem(origin, ".".join(path), message, _line_of(path[-1], text)))
    return kept


def _unknown(origin: str, path: tuple[str, ...], known: tuple[str, ...], text: str) -> ConfigProblem:
    near = get_close_matches(path[-1], known, 1)
    mend = f"did you mean `{near[0]}`?" if near else "known are " + ", ".join(known)
    key = ".".join(path)
    return ConfigProblem(origin, key, f"{origin}: unknown key `{_shown(key)}`; {mend}", _line_of(path[-1], text))


def _shown(key: str) -> str:
    """A key as a message may show it: it is the workspace's word, so it is cut and has no control characters."""
    return "".join(letter if letter.isprintable() and letter != "`" else "?" for letter in key[:60])


def _line_of(key: str, text: str) -> int | None:
    found = re.search(rf'^[ \t]*(?:\[[^\]\n]*)?["\']?{re.escape(key)}["\']?[ \t]*(?:=|\.|\])', text, re.MULTILINE)
    if found is None:
        return None
    return text.count("\n", 0, found.start()) + 1


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), key)


# -- disk --------------------------------------------------------------------------------------------------------------


def _shared_text(root: Path) -> tuple[str | None, ConfigProblem | None]:
    path = os.path.join(root, *FILE.split("/"))
    try:
        # A link could lead to any file, and what is wrong with that would be shown.
        if not stat.S_ISREG(os.lstat(path).st_mode) or not stat.S_ISDIR(os.lstat(os.path.dirname(path)).st_mode):
            return None, ConfigProblem("config.toml", "", "config.toml is no plain file, so it is not read")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, ConfigProblem("config.toml", "", f"config.toml cannot be read: {error.strerror}")
    if len(data) > MAX_BYTES:
        return None, ConfigProblem("config.toml", "", f"config.toml is over {MAX_BYTES} bytes, so it is not read")
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        return None, ConfigProblem("config.toml", "", "config.toml is not UTF-8: save it as UTF-8")
