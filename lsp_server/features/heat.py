"""Heat: how much a memory is used lately, from the counts of how often it was seen.

Each time that it was seen counts by how it was (listed in passing least, opened or recalled most), and half as much for
each half-life that has gone by since: the weight of a radioactive sample. Both are data (`Settings.heat`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsp_server.features.expiry import moment_of
from lsp_server.store.activity import DAY, Seen
from lsp_server.workspace.snapshot import Snapshot


def heat(snapshot: Snapshot, memory: str) -> float:
    """The heat of the memory of an id, 0 where it was never seen or nothing was counted, to three decimals."""
    found = snapshot.seen.get(memory, ())
    return heat_of(found, snapshot.settings.heat, today(snapshot)) if found else 0.0


def heat_of(counts: Iterable[Seen], numbers: Mapping[str, float], day: int) -> float:
    """The heat of some counts on a day (of Unix time). `numbers` holds `half_life_days` and what each way is worth;
    a way of being seen that it does not name is worth nothing, and what a wrong clock put into the future counts as
    today's."""
    half_life = numbers["half_life_days"]
    total = 0.0
    for one in counts:
        age = max(0, day - one.day)
        left = 0.5 ** (age / half_life) if half_life > 0 else float(age == 0)
        total += numbers.get(one.how, 0.0) * one.times * left if one.how != "half_life_days" else 0.0
    return round(total, 3)


def today(snapshot: Snapshot) -> int:
    return int(moment_of(snapshot.stamp.time).timestamp() // DAY)
