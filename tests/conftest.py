"""What holds for every test: no example of a property fails for being slow, since no test asserts wall time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("moorline", deadline=None)
settings.load_profile("moorline")
