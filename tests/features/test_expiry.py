"""When a memory expires, from what people write, from what kinds say, and to the second."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.kinds import kind_of
from lsp_server.core.model import Memory
from lsp_server.features.errors import Refused
from lsp_server.features.expiry import expires_at, expiry_date, expiry_words, is_expired

NOW = "2026-11-30T14:18:52.123Z"

WRITTEN = {
    "2027-03-31": "2027-03-31",
    " 2027-03-31 ": "2027-03-31",
    "2027-03-31T10:00:00+02:00": "2027-03-31T08:00:00Z",
    "2027-03-31T10:00:00z": "2027-03-31T10:00:00Z",
    "2027-03-31T10:00": "2027-03-31T10:00:00Z",
    "30d": "2026-12-30",
    "+30 d": "2026-12-30",
    "2w": "2026-12-14",
    "12h": "2026-12-01T02:18:52Z",
    "1mo": "2026-12-30",
    "3mo": "2027-02-28",
    "15mo": "2028-02-29",
    "1y": "2027-11-30",
    "0d": "2026-11-30",
}

NO_DATES = ["", "soon", "2027-02-30", "20270331", "2027-W01-1", "2026-11-3", "6m", "-3d", "3.5d", "999999y", "9999999d"]


@pytest.mark.parametrize(("text", "kept"), WRITTEN.items())
def test_what_people_write(text: str, kept: str) -> None:
    assert expiry_date(text, NOW) == kept
    assert expiry_date(kept, NOW) == kept, "what is kept can be written again"


@pytest.mark.parametrize("text", NO_DATES)
def test_what_is_no_date_is_refused_with_the_mend(text: str) -> None:
    with pytest.raises(Refused, match=r"is no date; write it like 2027-03-31, or .* like 30d"):
        expiry_date(text, NOW)


@given(st.integers(0, 400), st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_days_and_weeks_count_from_the_day(number: int, today: date) -> None:
    now = f"{today.isoformat()}T23:59:59.999Z"
    assert expiry_date(f"{number}d", now) == str(today + timedelta(days=number))
    assert expiry_date(f"{number}w", now) == expiry_date(f"{number * 7}d", now)
    assert expiry_date(f"{number}y", now) == expiry_date(f"{number * 12}mo", now)


@given(st.integers(0, 2_000), st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_months_land_in_the_month_wanted_on_the_same_day_or_the_last(number: int, today: date) -> None:
    found = date.fromisoformat(expiry_date(f"{number}mo", f"{today.isoformat()}T00:00:00Z"))
    assert (found.year - today.year) * 12 + found.month - today.month == number
    assert found.day == today.day or (found.day < today.day and (found + timedelta(days=1)).day == 1)


def memory(kind: str = "note", expires: str | None = None, created: str = "2026-01-01T12:00:00.000Z") -> Memory:
    return Memory("id", kind, "x", "current", True, (), "Ann", created, "", expires=expires)


EXPIRIES = {
    "a day, until it is over": (memory(expires="2027-03-31"), {}, "2027-04-01T00:00:00Z"),
    "a time": (memory(expires="2027-03-31T10:00:00+02:00"), {}, "2027-03-31T08:00:00Z"),
    "none": (memory(), {}, None),
    "the workspace's number": (memory(), {"note": {"expires_days": 10}}, "2026-01-11T12:00:00Z"),
    "another kind's number": (memory(), {"claim": {"expires_days": 10}}, None),
    "what is written goes first": (
        memory(expires="2027-03-31"),
        {"note": {"expires_days": 10}},
        "2027-04-01T00:00:00Z",
    ),
    "0 is never": (memory("checkpoint"), {"checkpoint": {"expires_days": 0}}, None),
    "longer than time": (memory(), {"note": {"expires_days": 1e9}}, None),
    "the last day there is": (memory(expires="9999-12-31"), {}, None),
    "no date": (memory(expires="soon"), {"note": {"expires_days": 10}}, None),
    "no birth": (memory(created=""), {"note": {"expires_days": 10}}, None),
}


@pytest.mark.parametrize(("one", "kinds", "moment"), EXPIRIES.values(), ids=EXPIRIES.keys())
def test_when(one: Memory, kinds: dict[str, dict[str, float]], moment: str | None) -> None:
    assert expires_at(one, kinds) == moment
    assert is_expired(one, "9999-12-31T23:59:59Z", kinds) == (moment is not None)


def test_to_the_second() -> None:
    one = memory(expires="2027-03-31")
    assert not is_expired(one, "2027-03-31T23:59:59.999Z")
    assert is_expired(one, "2027-04-01T00:00:00.000Z")
    assert is_expired(one, "2027-04-01T02:00:00+02:00")
    assert not is_expired(one, "2027-04-01T01:59:59+02:00")


def test_what_a_kind_says_without_the_workspace() -> None:
    days = kind_of("checkpoint").expires_days
    assert days and expires_at(memory("checkpoint")) == f"{date(2026, 1, 1) + timedelta(days=days)}T12:00:00Z"


SAID = {
    (None, None, False): "",
    ("2027-03-31", "2027-04-01T00:00:00Z", False): "expires on 2027-03-31",
    ("2027-03-31", "2027-04-01T00:00:00Z", True): "expired on 2027-03-31: look whether it still holds",
    (None, "2027-04-01T08:00:00Z", False): "expires on 2027-04-01, as its kind does",
    ("soon", None, False): "expires on no date ('soon'); write it like 2027-03-31",
}


@pytest.mark.parametrize(("what", "words"), SAID.items())
def test_how_it_is_said(what: tuple[str | None, str | None, bool], words: str) -> None:
    assert expiry_words(*what) == words
