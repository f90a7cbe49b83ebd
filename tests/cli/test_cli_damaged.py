"""A memory whose file a merge left with conflict markers: its last good version is served, and marked so everywhere."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Repository


def conflicting(repo: Repository) -> tuple[str, str]:
    """A memory whose text was edited on two branches, merged by real git; its id, and its file."""
    identifier: str = repo(
        *("record", "src/auth.py#login", "--kind", "decision", "--text", "Names are joined.", "--json")
    ).json["id"]
    (path,) = repo.path.glob(".moorline/memories/*/memory.md")
    text = path.read_text()
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "recorded")
    repo.git("checkout", "-q", "-b", "other")
    for branch, said in (("other", "Names are joined by a slash."), ("main", "Names are joined by a colon.")):
        repo.git("checkout", "-q", branch)
        path.write_text(text.replace("Names are joined.", said))
        repo.git("commit", "-q", "-am", branch)
    assert repo("list").code == 0, "the version before the merge is known"
    merged = subprocess.run(["git", "merge", "-q", "other"], cwd=repo.path, capture_output=True, text=True, check=False)
    assert merged.returncode == 1 and "<<<<<<<" in path.read_text()
    return identifier, path.relative_to(repo.path).as_posix()


def test_it_is_served_as_it_was_and_marked(repo: Repository) -> None:
    identifier, file = conflicting(repo)
    memory = repo("show", identifier, "--json").json
    assert memory["text"] == "Names are joined by a colon." and "merge conflict" in memory["problem"]
    shown = repo("show", identifier).out
    assert "damaged: memory.md holds a merge conflict" in shown and "its last good version" in shown
    assert repo("list").out.split("\t")[2] == "damaged; fresh"
    check = repo("check", "--json")
    assert check.code == 0
    assert [(one["file"], "merge conflict" in one["message"]) for one in check.json["problems"]] == [(file, True)]
    assert f"{file}: damaged" in repo("check").out
    assert repo("check", "--fail-on", "unverifiable").code == 1
    path = repo.path / file
    kept = path.read_bytes()
    assert repo("clear", identifier).code == 0, "what needs no text can be done meanwhile"
    assert path.read_bytes() == kept, "and what somebody has to mend is left alone"
    lines = [line for line in path.read_text().splitlines() if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")]
    path.write_text("\n".join(line for line in lines if "slash" not in line) + "\n")
    mended = repo("show", identifier, "--json").json
    assert mended["problem"] is None and mended["text"] == "Names are joined by a colon."
    assert "damaged" not in repo("list").out
