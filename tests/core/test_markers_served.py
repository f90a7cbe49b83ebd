"""Which memory belongs to which marker: nothing is lost, nothing is served twice, and order makes no difference."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.documents_passages import Passage, passages_of
from lsp_server.core.documents_serving import Served, serve
from lsp_server.core.ids import body_hash
from lsp_server.core.model import Baseline, Fingerprint, Memory
from lsp_server.core.source import read_source
from lsp_server.core.text import Text

TARGETS = ("file=a.py, symbol=f", "file=a.py, symbol=g", "file=b.py", "symbol=a.py#f[2]")
PARAGRAPHS = st.lists(
    st.tuples(st.sampled_from(["One.", "Two.", "Three."]), st.lists(st.sampled_from(TARGETS), max_size=2)), max_size=4
)
WORKSPACES = st.dictionaries(st.sampled_from(["a.md", "b.md", "docs/c.md"]), PARAGRAPHS, max_size=3)

Pages = Mapping[str, tuple[Passage, ...]]


def pages_of(workspace: Mapping[str, list[tuple[str, list[str]]]]) -> Pages:
    found = {}
    for path, paragraphs in workspace.items():
        text = "\n\n".join(" ".join([words, *(f"@anchor({one})" for one in said)]) for words, said in paragraphs)
        found[path] = passages_of(read_source(path, Text.of(text)))
    return found


def accepted(served: Served) -> Memory:
    """What the ledger holds once somebody accepted a passage: no more of it than that matters here."""
    (anchor,) = served.memory.anchors
    baseline = Baseline(
        id=f"event-{served.memory.id}",
        fingerprint=Fingerprint(1, "symbol", "0" * 64, "1" * 64),
        place=anchor.locus,
        content=None,
        blob=None,
        lines=(1, 1),
        body_hash=body_hash(served.memory.body),
        state="current",
        author="Ada",
        time="2026-01-01T00:00:00Z",
        revision="",
    )
    anchors = (replace(anchor, baselines=(baseline,)),)
    return replace(served.memory, body="", anchors=anchors, created="2026-01-01T00:00:00Z")


def slots(pages: Pages) -> list[tuple[str, int, str]]:
    """What must be served: each passage of each page once for each place that it names."""
    return sorted({(path, one.span.start, one.marker.target) for path, found in pages.items() for one in found})


def written(answer: Mapping[str, Served]) -> list[tuple[str, int, str]]:
    return sorted(
        (one.written.document, one.written.span.start, one.written.markers[0].target)
        for one in answer.values()
        if one.written is not None
    )


@given(WORKSPACES, WORKSPACES, st.randoms(use_true_random=False))
def test_every_marker_and_every_memory_is_served_once(before: dict, after: dict, order: random.Random) -> None:  # type: ignore[type-arg]
    first = serve(pages_of(before), [])
    assert written(first) == slots(pages_of(before))
    ledger = [accepted(one) for one in first.values()]
    assert len({memory.id for memory in ledger}) == len(ledger)

    # Accepted and left alone: each finds its own again, its words as they are.
    again = serve(pages_of(before), ledger)
    assert {key: (one.memory.body, one.written) for key, one in again.items()} == {
        key: (one.memory.body, one.written) for key, one in first.items()
    }
    assert all(one.kept is not None and not one.memory.edited for one in again.values())

    # After any edits: every marker gives one memory, and no memory is dropped.
    pages = pages_of(after)
    found = serve(pages, ledger)
    assert written(found) == slots(pages)
    assert {memory.id for memory in ledger} <= set(found)
    assert all(one.memory.problem for one in found.values() if one.written is None)
    shuffled, others = list(ledger), list(pages.items())
    order.shuffle(shuffled)
    order.shuffle(others)
    assert serve(dict(others), shuffled) == found

    # A page that nobody touched keeps its memories.
    for path in before:
        if before[path] == after.get(path):
            mine = {key for key, one in first.items() if one.written and one.written.document == path}
            assert mine <= {key for key, one in found.items() if one.written and one.written.document == path}
