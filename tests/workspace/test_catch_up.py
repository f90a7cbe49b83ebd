"""Who asks now and then sees what a session that was just started sees."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.places import Wanted
from lsp_server.features.record import Request
from lsp_server.workspace.paths import find_root
from lsp_server.workspace.session import Session

CODE = """
#- a.py
def login(user):
    return check(user, 30)


def logout(user):
    return drop(user)
#- b.py
def pay(n):
    return n * 2
"""

STEPS = st.lists(st.sampled_from(["edit", "back", "record", "retire", "remove", "move", "look"]), max_size=8)


async def judged(session: Session) -> list[tuple[str, str, list[Any]]]:
    found = (await operations.check(session, everything=True))["memories"]
    return sorted((one["id"], one["state"], [(a["verdict"], a["now"]) for a in one["anchors"]]) for one in found)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
async def test_catching_up_is_starting_anew(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    numbers = itertools.count()
    async with Stage(tmp_path_factory.mktemp("w"), CODE) as stage:
        folder = stage.folder
        await stage.record("a.py#login", "b.py#pay")
        await stage.session.catch_up()
        await judged(stage.session)
        code = (folder / "a.py").read_text()
        for step in [*steps, "look"]:
            if step == "edit":
                stage.write("a.py", code.replace("30", str(1000 + next(numbers))))
            elif step == "back":
                stage.write("a.py", code)
            elif step == "remove":
                (folder / "b.py").unlink(missing_ok=True)
            elif step == "move":
                stage.write("c.py", "def pay(n):\n    return n * 2\n")
            elif step == "look":
                await stage.session.catch_up()
            else:
                other = await Session.start(find_root(folder))
                other.author = "Bob"
                place = (Wanted("a.py", "logout"),) if (folder / "a.py").exists() else ()
                made = await operations.record_memory(other, Request("note", f"Note {next(numbers)}.", place))
                if step == "retire":
                    await operations.retire(other, made["id"], operations.Grounds(reason="over"))
                await other.stop()
        anew = await Session.start(find_root(folder))
        try:
            assert await judged(stage.session) == await judged(anew)
        finally:
            await anew.stop()
