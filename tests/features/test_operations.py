"""Operations on a ledger that others write at the same time."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stage import Stage

from lsp_server.features import operations
from lsp_server.features.errors import Refused
from lsp_server.features.places import Wanted

CODE = """
#- a.py
def login(user):
    return check(user, 30)


def logout(user):
    return drop(user)
"""


async def test_a_hand_edit_made_meanwhile_is_not_lost(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        made = await stage.record("a.py#login", text="Thirty seconds.")
        (path,) = tmp_path.glob(".moorline/memories/*/memory.md")
        path.write_text(path.read_text().replace("Thirty seconds.", "Thirty seconds, says the partner."))
        answer = await operations.reanchor(stage.session, made["id"], Wanted("a.py", "logout"))
        assert answer["anchors"][0]["symbol"] == "logout"
        text = path.read_text()
        assert "says the partner" in text and "a.py#logout" in text


async def test_any_write_takes_along_what_was_followed(tmp_path: Path) -> None:
    before = """
    #- a.py
    def login(user, password):
        token = check(user, password, timeout=30)
        audit("login", user, token)
        return token if token.valid else None


    def logout(user):
        return drop(user)
    """
    async with Stage(tmp_path, before) as stage:
        made = await stage.record("a.py#login", "a.py#logout")
        stage.write("a.py", (tmp_path / "a.py").read_text().replace("def login(", "def sign_in("))
        await stage.session.refresh()
        await operations.reanchor(stage.session, made["id"], Wanted("a.py", "logout"), "a.py#logout")
        followed = [path for path in tmp_path.glob(".moorline/memories/*/*.json") if '"followed"' in path.read_text()]
        assert len(followed) == 1 and "a.py#sign_in" in followed[0].read_text()


async def test_what_cannot_be_looked_at_is_not_said_to_be_accepted(tmp_path: Path) -> None:
    async with Stage(tmp_path, CODE) as stage:
        stage.write("docs/page.md", "It stays @anchor(file=../b.py) so.\n")
        made = await stage.record("a.py#login")
        stage.write("a.py", b"\0\1\2")
        await stage.session.refresh()
        with pytest.raises(Refused, match=r"a\.py#login cannot be accepted: .*NUL"):
            await operations.clear_staleness(stage.session, made["id"])
        (path,) = (one["id"] for one in (await operations.list_memories(stage.session))["memories"] if one["document"])
        with pytest.raises(Refused, match="leads outside"):
            await operations.clear_staleness(stage.session, path)
        assert [one["baselines"] for one in await stage.verdicts(made["id"])] == [1]
