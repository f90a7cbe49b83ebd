"""`moorline import` on the command line: what it prints, its JSON, its exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository

SAMPLES = Path(__file__).parent.parent / "support" / "import_samples"

TOUR = {
    "title": "How tokens are checked",
    "steps": [
        {"title": "The check", "description": "Only here, in `Provider.verify`.", "file": "src/auth.py", "line": 4},
        {"title": "Elsewhere", "description": "Not here.", "file": "src/gone.py", "line": 3},
        {"title": "Far away", "description": "Never.", "file": "/srv/x/y.py", "line": 1},
    ],
}


def test_first_it_says_what_it_would_do(repo: Repository) -> None:
    repo.write(".tours/tokens.tour", json.dumps(TOUR))
    done = repo("import", ".tours")
    assert done.code == 0
    assert done.out.splitlines() == [
        ".tours/tokens.tour  CodeTour tours",
        "  3 entries, 3 new, 1 anchor, 1 candidate",
        "  step 3: /srv/x/y.py:1 lies outside the workspace; carried without that place: "
        "anchor it to a file of this workspace",
        "would import 3 entries, 1 anchor, 1 candidate",
        "nothing is written yet; add --apply",
    ]
    assert not repo.ledger() and repo("list", "--json").json["memories"] == []


def test_then_it_does_it_once(repo: Repository) -> None:
    repo.write(".tours/tokens.tour", json.dumps(TOUR))
    done = repo("import", "tokens.tour", "--apply", cwd=".tours")
    assert done.code == 0 and "imported 3 entries" in done.out
    again = repo("import", ".", "--apply")
    assert again.code == 0
    assert again.out.splitlines()[:2] == [
        ".tours/tokens.tour  CodeTour tours",
        "  3 entries, 3 here already, 0 anchors, 0 candidates",
    ]
    listed = repo("list", "--kind", "carried", "--json").json["memories"]
    assert {memory["text"].splitlines()[0] for memory in listed} == {"# The check", "# Elsewhere", "# Far away"}
    (anchored,) = (memory for memory in listed if memory["anchors"])
    assert (anchored["anchors"][0]["symbol"], anchored["anchors"][0]["verdict"]) == ("Provider.verify", "fresh")
    shown = repo("show", next(memory["id"] for memory in listed if "Elsewhere" in memory["text"]))
    assert "src/gone.py:3" in shown.out and ".tours/tokens.tour" in shown.out


def test_json_is_one_value_alone(repo: Repository) -> None:
    shutil.copytree(SAMPLES / "memofs" / "made-here", repo.path / "m")
    done = repo("import", "m", "--json")
    answer = done.json
    assert done.code == 0 and answer["version"] == 1 and answer["applied"] is False
    assert answer["summary"] == {
        **{"files": 2, "others": 0, "entries": 7, "new": 7, "known": 0, "changed": 0, "renewed": 0, "forgotten": 0},
        **{"refused": 0, "anchors": 6, "candidates": 2, "lost": 0},
    }
    assert {file["format"] for file in answer["files"]} == {"memofs"}
    first = next(entry for entry in answer["entries"] if entry["source_id"] == "mem_a1b2c3d4e5f60718")
    assert (first["source"], first["kind"], first["status"], first["anchors"]) == (
        *("memofs", "decision", "new", ["m/src/auth/provider.ts#verifyJwt"]),
    )
    assert [problem["lost"] for problem in answer["problems"]] == [False]


def test_exit_codes(repo: Repository) -> None:
    repo.write("notes.jsonl", '{"kind": "note", "text": "One."}\nbroken\n')
    repo.write("words.txt", "Just words.\n")
    done = repo("import", "notes.jsonl", "--apply")
    assert done.code == 1 and "line 2: is no JSON" in done.out and "imported 1 entry" in done.out
    done = repo("import", "words.txt")
    assert done.code == 1 and "words.txt: is of no known format" in done.out
    done = repo("import", "nowhere")
    assert done.code == 1 and "is not there" in done.out
    assert repo("import", "words.txt", "--from", "agents-md").code == 0
    for words in ((), (".", "--from", "nonsense"), (".", "--nonsense")):
        done = repo("import", *words)
        assert done.code == 2 and len(done.err.splitlines()) == 1, words


def test_shared_ones_are_committed_with_the_code(repo: Repository) -> None:
    repo.write("CLAUDE.md", "- Keep functions short.\n")
    assert repo("import", "CLAUDE.md", "--apply", "--shared").code == 0
    assert any(name.endswith("memory.md") for name in repo.ledger())
