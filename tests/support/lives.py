"""Every step of every kind's life, allowed and refused, as a table.

It is written by hand, from the design (section 3) and the issues, and not computed from the one in the code. A line is
a state that a memory is in, a column the one it is asked to go to. What stands there:

`-` it is in that state; `x` there is no such step; `ok` nothing is asked for; else a letter for each thing that is, and
without any one of which it is refused: `r` a reason, `e` evidence, `s` a successor, `f` a commit (the place of the fix
is that of the anchor), `v` evidence of the role fix-verification, `c` a commit and `o` an outcome, `n` evidence against
it.

What is superseded or retired was in the kind's first state before, so that is where it goes back to without being asked
for anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

PLAIN = """
                   current  superseded  retired
current            -        s           r
superseded         ok       -           x
retired            ok       x           -
"""

EXPLAINS = """
                   current  declined  superseded  retired
current            -        x         s           r
declined           x        -         s           r
superseded         ok       ok        -           r
retired            ok       ok        s           -
"""

LIVES = {
    "decision": """
                   accepted  proposed  superseded  rejected  retired
accepted           -         ok        s           r         r
proposed           ok        -         s           r         r
superseded         ok        ok        -           x         r
rejected           ok        ok        x           -         r
retired            ok        ok        s           r         -
""",
    "claim": """
                   current  closed  superseded  retired
current            -        re      res         r
closed             ok       -       x           r
superseded         ok       x       -           r
retired            ok       re      res         -
""",
    "finding": """
                   open  fixed_unverified  verified  ruled_out  superseded  retired
open               -     f                 x         e          s           r
fixed_unverified   ok    -                 v         e          s           r
verified           ok    x                 -         x          s           r
ruled_out          ok    x                 x         -          x           r
superseded         ok    f                 x         x          -           r
retired            ok    f                 x         e          s           -
""",
    "note": """
                   current  follow_up  superseded  retired
current            -        ok         s           r
follow_up          ok       -          s           r
superseded         ok       ok         -           r
retired            ok       ok         s           -
""",
    "lesson": """
                   proposed  active  rolled_back  superseded  retired
proposed           -         co      x            s           r
active             x         -       rn           s           r
rolled_back        ok        co      -            x           r
superseded         ok        co      x            -           r
retired            ok        co      rn           s           -
""",
    "carried": """
                   carried  succeeded  ruled_out  repaired  archived  superseded  retired
carried            -        s          re         e         r         s           r
succeeded          ok       -          x          x         x         x           x
ruled_out          ok       x          -          x         x         x           x
repaired           ok       x          x          -         x         x           x
archived           x        x          x          x         -         x           x
superseded         ok       x          x          x         x         -           r
retired            ok       x          x          x         x         s           -
""",
    "purpose": EXPLAINS,
    "account": EXPLAINS,
    **dict.fromkeys(
        ("artifact", "research", "preference", "profile", "entity", "event", "case", "pattern", "checkpoint"), PLAIN
    ),
}

ON_THE_WAY = {"verified": ("fixed_unverified",), "rolled_back": ("active",)}
"""The states that lead to one which no memory goes to at once."""

BORN = ("declined",)
"""States that a memory is recorded in, since there is no step to them from the first one."""

numbers = count()


def cells(life: str) -> tuple[list[str], dict[str, dict[str, str]]]:
    """The states of a table, and for each the steps from it."""
    head, *lines = [line.split() for line in life.strip("\n").split("\n")]
    return head, {line[0]: dict(zip(head, line[1:], strict=True)) for line in lines}


def what_is_asked(cell: str, successor: str, commit: str) -> list[dict[str, Any]]:
    """What goes with a step, one entry for each thing that it asks for."""
    number = next(numbers)
    asked: Mapping[str, dict[str, Any]] = {
        "r": {"reason": "because"},
        "e": {"evidence": f"quote:Somebody said so, {number}."},
        "s": {"by": successor},
        "f": {"revision": commit},
        "v": {"evidence": f"fix-verification=test:test_{number}"},
        "c": {"evidence": f"commit:{commit}"},
        "o": {"evidence": f"outcome=quote:It went well, {number}."},
        "n": {"evidence": f"counter=quote:It went wrong, {number}."},
    }
    return [asked[letter] for letter in cell] if cell not in ("ok", "x", "-") else []
