"""Which of some commits had happened at a revision: it and its ancestors.

Asks git as little as can be: not once a commit, but once for all. A commit that no branch and no tag leads to any more
(rebased or squashed away) is as good as unknown, though this clone may still have it: another clone would not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lsp_server.workspace import git

SECONDS = 30.0
"""Seconds that git may take to walk a history: half a million commits take some four."""

LISTED = git.MAX_OUTPUT // 80
"""Most commits that git is let list at once: an id of 64 digits and a line end each, with room to spare."""

ONE_BY_ONE = 500
"""Most commits that are asked for singly, where git's answer for all at once is too long."""


class GitUnable(Exception):
    """git did not answer: too slow, or too damaged. The message says what it was asked."""


@dataclass(frozen=True, slots=True)
class Ancestry:
    """A revision: its commit's id and committer's time (RFC 3339, UTC), which of the commits that were asked for it
    has behind it (or is), and which of them nobody can tell of."""

    revision: str
    time: str
    behind: frozenset[str]
    unknown: frozenset[str]


async def ancestry(root: Path, name: str, commits: Iterable[str]) -> Ancestry | None:
    """What a revision, as a person names it, has behind it of some commits; None where it is no revision here.

    Raises GitUnable where git gives no answer.
    """
    wanted = {commit for commit in commits if commit}
    tip = (await git.resolve(root, [name])).get(name)
    if tip is None:
        return None
    # The tip once more at the end: where it is missing, so is what was cut off before it.
    known = await git.resolve(root, [*sorted(wanted - {tip}), tip], timeout=SECONDS)
    if tip not in known:
        raise GitUnable("which commits it has")
    there = set(known.values())
    lost = await _not_behind(root, there, ["--all"])
    ahead = await _not_behind(root, there - lost, [tip])
    behind = {name for name in wanted & known.keys() if known[name] not in lost and known[name] not in ahead}
    unknown = {name for name in wanted if known.get(name) is None or known[name] in lost}
    return Ancestry(tip, await committed_at(root, tip), frozenset(behind), frozenset(unknown))


async def committed_at(root: Path, commit: str) -> str:
    """The committer's time of a commit, RFC 3339 in UTC. Raises GitUnable."""
    out = await git.run(root, "log", "-1", "--no-show-signature", "--no-color", "--format=%cI", commit, timeout=SECONDS)
    try:
        moment = datetime.fromisoformat(out.decode("ascii", "replace").strip())
    except ValueError:
        raise GitUnable(f"when {commit[:12]} was committed") from None
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


async def _not_behind(root: Path, commits: Collection[str], tips: Sequence[str]) -> set[str]:
    """Those of some commits (full ids that are there) that are neither tips nor ancestors of one."""
    if not commits:
        return set()
    asked = "".join(f"{commit}\n" for commit in sorted(commits)).encode("ascii")
    # The number first: an empty list is also what comes where git fails.
    count = await git.run(root, "rev-list", "--count", "--stdin", "--not", *tips, timeout=SECONDS, given=asked)
    if not count.strip().isdigit():
        raise GitUnable("which commits come after which")
    if int(count) == 0:
        return set()
    if int(count) <= LISTED:
        out = await git.run(root, "rev-list", "--stdin", "--not", *tips, timeout=SECONDS, given=asked)
        listed = set(out.decode("ascii", "replace").split())
        if len(listed) == int(count):
            return listed.intersection(commits)
    if len(commits) > ONE_BY_ONE:
        raise GitUnable("which commits come after which")
    found = set()
    for commit in commits:
        one = await git.run(root, "rev-list", "--count", "-1", commit, "--not", *tips, "--", timeout=SECONDS)
        if one.strip() not in (b"0", b"1"):
            raise GitUnable("which commits come after which")
        if one.strip() == b"1":
            found.add(commit)
    return found
