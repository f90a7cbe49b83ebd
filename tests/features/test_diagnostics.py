"""Diagnostics of open files: markers under the code say what must appear, and nothing else may."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.fixtures import files
from support.stage import Stage


async def check_diagnostics(folder: Path, before: str, memories: list[str], after: str) -> None:
    """Records memories on `before`, then shows `after` in the buffers, whose markers say what must be in the list."""
    async with Stage(folder, before) as stage:
        for number, locus in enumerate(memories):
            await stage.record(locus, text=f"Decision number {number}.")
        for name in files(before):
            await stage.open(name)
        for name, file in files(after).items():
            stage.edit(name, file.text)
            stage.expect(name, file.marks)


CASES = {
    "nothing changed": (
        """
        #- a.py
        def login(user):
            return check(user, 30)
        """,
        ["a.py#login"],
        """
        #- a.py
        def login(user):
            ^^^^^ hint[fresh]
            return check(user, 30)
        """,
    ),
    "a constant changed": (
        """
        #- a.py
        def login(user):
            return check(user, 30)
        """,
        ["a.py#login"],
        """
        #- a.py
        def login(user):
            ^^^^^ warning[changed]: body
            return check(user, 60)
        """,
    ),
    "lines above and a comment inside": (
        """
        #- a.py
        def login(user):
            return check(user, 30)
        """,
        ["a.py#login"],
        """
        #- a.py
        import os


        def login(user):
            ^^^^^ hint[reformatted]
            # thirty seconds
            return check(user, 30)
        """,
    ),
    "only the one that changed, of three": (
        """
        #- a.js
        function one(a) { return a + first(a) * 2 + 1; }
        function two(a) { return a - second(a) * 2 - 1; }
        function three(a) { return a * third(a) * 2 * 1; }
        """,
        ["a.js#one", "a.js#two", "a.js#three"],
        """
        #- a.js
        function one(a) { return a + first(a) * 2 + 1; }
                 ^^^ hint[fresh]
        function two(a, b) { return a - second(a) * 2 - 1; }
                 ^^^ warning[changed]: parameter `b` is new
        function three(a) { return a * third(a) * 2 * 1; }
                 ^^^^^ hint[fresh]
        """,
    ),
    "renamed": (
        """
        #- a.py
        def login(user, password):
            token = check(user, password, timeout=30)
            audit("login", user, token)
            return token if token.valid else None
        """,
        ["a.py#login"],
        """
        #- a.py
        def sign_in(user, password):
            ^^^^^^^ hint[moved]
            token = check(user, password, timeout=30)
            audit("login", user, token)
            return token if token.valid else None
        """,
    ),
    "members alone": (
        """
        #- a.py
        class Session:
            limit = 3

            def start(self):
                return open_session(self, 1)
        """,
        ["a.py#Session"],
        """
        #- a.py
        class Session:
              ^^^^^^^ information[changed]: start
            limit = 3

            def start(self):
                return open_session(self, 2)
        """,
    ),
    "gone from its class": (
        """
        #- a.py
        class Session:
            def start(self):
                return open_session(self, 1)

            def stop(self):
                return close_session(self, "now", force=True)
        """,
        ["a.py#Session.stop"],
        """
        #- a.py
        class Session:
              ^^^^^^^ warning[missing]
            def start(self):
                return open_session(self, 1)
        """,
    ),
    "broken while typing": (
        """
        #- a.py
        def login(user):
            return check(user, 30)
        """,
        ["a.py#login"],
        """
        #- a.py
        def login(user):
            ^^^^^ hint[fresh]
            return check(user, (30
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_diagnostics(tmp_path: Path, name: str) -> None:
    await check_diagnostics(tmp_path, *CASES[name])
