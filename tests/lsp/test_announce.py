"""What the server announces is what it has."""

from __future__ import annotations

from lsp_server.lsp.announce import COMMANDS
from lsp_server.lsp.commands import ARGUMENTS


def test_every_command_is_announced() -> None:
    """A client that registers what is announced has no other."""
    assert set(COMMANDS) == set(ARGUMENTS) and len(COMMANDS) == len(ARGUMENTS)
