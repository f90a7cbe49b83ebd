"""When a memory expires: the date it was given, else what its kind says; and how people write such a date.

Expired is a standing that is computed each time from the clock: it shows and ranks lower, and deletes and writes
nothing. A day is past when it is over in UTC, so that everybody sees the same whatever their clock's zone.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType

from lsp_server.core.kinds import kind_of
from lsp_server.core.model import Memory
from lsp_server.features.errors import Refused

Numbers = Mapping[str, Mapping[str, float]]
"""What a workspace overrides of the numbers of kinds, by kind (`Settings.kinds`)."""

NONE: Numbers = MappingProxyType({})

_DURATION = re.compile(r"\+?([0-9]{1,6})\s*(h|d|w|mo|y)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MONTHS = {"mo": 1, "y": 12}
_STEPS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_MENDS = "write it like 2027-03-31, or from now on like 30d (h, d, w, mo, y)"


def expiry_date(text: str, now: str) -> str:
    """A day, a time of RFC 3339, or how long from `now` (RFC 3339) on, as it is kept: a day, or a time in UTC.

    Durations are a number and `h`, `d`, `w`, `mo` or `y`; those of a day or more give a day. A month later is the same
    day of that month, or its last one. Raises Refused for anything else, and for what lies beyond the year 9999.
    """
    words = text.strip()
    try:
        if (found := _DURATION.fullmatch(words)) is not None:
            return _later(moment_of(now), int(found[1]), found[2])
        if _DAY.fullmatch(words):
            return date.fromisoformat(words).isoformat()
        if _DAY.match(words):
            return _written(moment_of(words))
    except (ValueError, OverflowError):
        pass
    raise Refused(f"{text[:40]!r} is no date; {_MENDS}")


def expires_at(memory: Memory, kinds: Numbers = NONE) -> str | None:
    """The moment (RFC 3339, UTC) from which a memory counts as expired; None where it never does.

    That is the end of the day that was written, or the time; else its kind's `expires_days` after it was recorded, of
    which `kinds` may hold another number (0: never). What a hand wrote and is no date expires nothing.
    """
    try:
        if memory.expires is not None:
            return _written(_end(memory.expires))
        days = kinds.get(memory.kind, {}).get("expires_days", kind_of(memory.kind).expires_days)
        return _written(moment_of(memory.created) + timedelta(days=days)) if days else None
    except (ValueError, OverflowError):
        return None


def is_expired(memory: Memory, now: str, kinds: Numbers = NONE) -> bool:
    """Whether that moment has come at `now` (RFC 3339)."""
    moment = expires_at(memory, kinds)
    return moment is not None and moment_of(moment) <= moment_of(now)


def expiry_words(written: str | None, moment: str | None, expired: bool) -> str:
    """`expires on 2027-03-31`, `expired on ...` and the like; empty for what never expires.

    `written` is what `memory.md` says, `moment` what `expires_at` makes of it.
    """
    if written is not None and moment is None:
        return f"expires on no date ({written[:40]!r}); write it like 2027-03-31"
    if moment is None:
        return ""
    day = written or f"{moment[:10]}, as its kind does"
    return f"expired on {day}: look whether it still holds" if expired else f"expires on {day}"


def _later(start: datetime, number: int, unit: str) -> str:
    if unit in _STEPS:
        end = start + number * _STEPS[unit]
        return _written(end) if unit == "h" else end.date().isoformat()
    year, month = divmod(start.year * 12 + start.month - 1 + number * _MONTHS[unit], 12)
    last = calendar.monthrange(year, month + 1)[1] if year <= 9999 else 0
    return date(year, month + 1, min(start.day, last)).isoformat()


def _end(text: str) -> datetime:
    """The moment that a kept expiry stands for: of a day, its end."""
    words = text.strip()
    if _DAY.fullmatch(words):
        return datetime.combine(date.fromisoformat(words), datetime.min.time(), UTC) + timedelta(days=1)
    return moment_of(words)


def moment_of(text: str) -> datetime:
    """A time of RFC 3339; one without a zone is taken to be in UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00").replace("z", "+00:00"))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
