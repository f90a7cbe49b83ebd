"""Heat: what is used lately is warm, what was used long ago is not, and it is the settings that say how much."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.features.heat import heat, heat_of
from lsp_server.features.hover import hover
from lsp_server.store.activity import DAY, Seen
from lsp_server.store.database import Database
from lsp_server.workspace import usage
from lsp_server.workspace.config import HEAT, Settings


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "FRESH_SECONDS", 0.0)


NUMBERS = {"half_life_days": 10.0, "shown": 0.5, "opened": 2.0}

WARMTH = {
    "never": ([], 0.0),
    "today": ([Seen("opened", 100, 3)], 6.0),
    "a half-life ago": ([Seen("opened", 90, 3)], 3.0),
    "two ago": ([Seen("opened", 80, 4)], 2.0),
    "several ways, several days": ([Seen("opened", 100, 1), Seen("shown", 100, 2), Seen("shown", 90, 4)], 4.0),
    "a way that counts nothing": ([Seen("dreamt", 100, 9)], 0.0),
    "no way at all": ([Seen("half_life_days", 100, 9)], 0.0),
    "from a clock that was wrong": ([Seen("opened", 5_000, 1)], 2.0),
    "so long ago that nothing is left": ([Seen("opened", -20_000_000, 1)], 0.0),
    "more often than can be": ([Seen("opened", 100, 2**63 - 1)], 2.0**64),
}


@pytest.mark.parametrize(("counts", "expected"), WARMTH.values(), ids=WARMTH.keys())
def test_heat(counts: list[Seen], expected: float) -> None:
    assert heat_of(counts, NUMBERS, 100) == expected


def test_without_a_half_life_only_today_counts() -> None:
    counts = [Seen("opened", 100, 1), Seen("opened", 99, 1)]
    assert heat_of(counts, {**NUMBERS, "half_life_days": 0.0}, 100) == 2.0


@given(st.lists(st.tuples(st.sampled_from(["shown", "opened"]), st.integers(0, 60), st.integers(1, 5)), max_size=12))
def test_it_cools_by_half_in_every_half_life(rows: list[tuple[str, int, int]]) -> None:
    """The slow twin: each single time by itself, halved over and over."""
    counts = [Seen(how, day * 10, times) for how, day, times in rows]
    expected = 0.0
    for how, day, times in rows:
        for _ in range(times):
            worth = NUMBERS[how]
            for _ in range(60 - day):
                worth /= 2
            expected += worth
    assert heat_of(counts, NUMBERS, 600) == pytest.approx(expected, abs=0.001)


async def test_a_snapshot_knows_what_was_read(tmp_path: Path) -> None:
    async with Stage(tmp_path, "#- a.py\ndef f(a):\n    return a + 1\n") as stage:
        made = await stage.record("a.py#f")
        stage.session.usage.count([made["id"]] * 3, "opened")
        assert heat(stage.session.snapshot(), made["id"]) == 0.0, "nothing is read that nobody asked for"
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == 3 * HEAT["opened"]
        stage.session.settings = Settings(heat={**HEAT, "opened": 5.0})
        assert heat(stage.session.snapshot(), made["id"]) == 15.0
        stage.session.settings = Settings(activity=False)
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == 0.0
    assert not (tmp_path / ".moorline" / "activity.db").exists(), "turned off before it was written"


async def test_keys_and_hovers_touch_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def f(a):\n    return a + 1\n"
    async with Stage(tmp_path, f"#- a.py\n{code}") as stage:
        made = await stage.record("a.py#f")
        await stage.open("a.py")
        stage.session.usage.count([made["id"]], "opened")
        await stage.session.usage.flush()

        async def never(self: Database) -> None:
            raise AssertionError("a database was opened")

        with monkeypatch.context() as patch:
            patch.setattr(Database, "open", never)
            for number in range(3):
                stage.edit("a.py", code.replace("1", str(number)))
                answer = hover(stage.session.snapshot(), stage.session.view("a.py"), code.index("f("))
                assert answer is not None and answer.shown == (made["id"],)
                stage.session.seen(answer.shown, "hovered")
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == HEAT["opened"] + 3 * HEAT["hovered"]


async def test_lists_in_a_row_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "FRESH_SECONDS", 60.0)
    async with Stage(tmp_path, "#- a.py\ndef f(a):\n    return a + 1\n") as stage:
        made = await stage.record("a.py#f")
        stage.session.usage.count([made["id"]], "opened")
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == 0.0, "what was read a moment ago will do"
        stage.session.settings = Settings(activity=False)
        await stage.session.usage.read()
        stage.session.settings = Settings()
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == HEAT["opened"], "but not once it was turned off"


async def test_what_was_counted_is_there_the_next_time(tmp_path: Path) -> None:
    async with Stage(tmp_path, "#- a.py\ndef f(a):\n    return a + 1\n") as stage:
        made = await stage.record("a.py#f")
        stage.session.usage.count([made["id"]], "opened")
        stage.session.usage.asked("Why?", False)
    async with Stage(tmp_path, {}) as stage:
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == HEAT["opened"]
        (question,) = await stage.session.usage.questions()
        assert (question.text, question.times, question.last // DAY) == ("why?", 1, question.first // DAY)


async def test_a_damaged_database_is_set_aside_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with Stage(tmp_path, "#- a.py\ndef f(a):\n    return a + 1\n") as stage:
        made = await stage.record("a.py#f")
        path = tmp_path / ".moorline" / "activity.db"
        path.write_bytes(b"no database" * 500)
        await stage.session.usage.read()
        assert heat(stage.session.snapshot(), made["id"]) == 0.0
        assert "set aside as activity.db.aside" in stage.session.usage.remark
        assert sum("activity.db" in record.message for record in caplog.records) == 1
        assert path.with_name("activity.db.aside").read_bytes() == b"no database" * 500
