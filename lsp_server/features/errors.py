"""What a feature refuses, said in one line that names the mend."""

from __future__ import annotations


class Refused(ValueError):
    """A request that cannot be done as asked. The message is one line for people and says what to do instead."""
