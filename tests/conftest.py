"""What holds for every test.

No example of a property fails for being slow, since no test asserts wall time. The checks draw the same examples each
time, so that they judge a change and not the luck of the day; `--hypothesis-profile=search` looks for new ones.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("same")
