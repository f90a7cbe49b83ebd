"""Module text is nobody's."""

from __future__ import annotations

import sys
from typing import overload

LIMIT: int = 10
first, second = 1, 2
one = other = None
_ = lambda value: value

try:
    from fastjson import load
except ImportError:

    def load(text):
        return text


if sys.platform == "win32":

    def clear():
        return "cls"

else:

    def clear():
        return "clear"


# A comment above is not part of it.
@register
@cached(
    maxsize=3,
)
class Provider(Base):
    """Documented."""

    retries: int = 3
    label: str

    def __init__(self, name):
        self.name = name

    @property
    def x(self):
        return self._x

    def between(self): ...

    @x.setter
    def x(self, value):
        self._x = value

    @x.deleter
    def x(self):
        del self._x

    @overload
    def pick(self, key: int) -> int: ...
    @overload
    def pick(self, key: str) -> str: ...
    def pick(self, key):
        return key

    class Inner:
        async def run(self):
            def helper():
                local = 1
                return local

            return helper()

    if LIMIT:

        def sometimes(self):
            pass


def outer():
    def inner():
        return 1

    double = lambda x: x * 2
    return inner() + double(1)


type Pair[T] = tuple[T, T]
