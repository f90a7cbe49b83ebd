"""Where to look beyond an anchor's file."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from lsp_server.core.model import Anchor, Baseline, Fingerprint, FollowedPlace, Locus
from lsp_server.workspace import search
from lsp_server.workspace.search import Needles, candidates, needles

CODE = "def verify_jwt(token):\n    return decode(token, audience_of_tenant)\n"


def anchor(file: str, symbol: str | None = "Provider.verify_jwt", content: str | None = CODE, **more: object) -> Anchor:
    place = Locus(file, symbol)
    print_ = Fingerprint(1, "symbol", "", "")
    baseline = Baseline("e", print_, place, content, None, (1, 2), "", "current", "", "", "")
    return Anchor("a1", place, baselines=(baseline,), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (anchor("src/a.py"), Needles("verify_jwt", ("audience_of_tenant", "decode", "token"), "a.py")),
        (anchor("a.tf", '"build.linux".env', "x = 1"), Needles("env", (), "a.tf")),
        (anchor("a.tf", 'env."build.linux"', None), Needles("build.linux", (), "a.tf")),
        (anchor("a.py", None, "return continue prüfung_läuft"), Needles("", ("prüfung_läuft",), "a.py")),
        (anchor("a.py", '"not closed', ""), Needles("", (), "a.py")),
        (Anchor("a1", Locus("d/README.md")), Needles("", (), "README.md")),
    ],
)
def test_needles(one: Anchor, expected: Needles) -> None:
    assert needles(one) == expected


WORLD = {
    "old.py": "x = 1\n",
    "by_word.py": "y = audience_of_tenant\n",
    "by_name.py": "verify_jwt\n",
    "exact.py": "# audience_of_tenant decode token\n" + CODE,
    "notes.md": CODE,
    "other.py": "z = 2\n",
    "changed.py": "w = 3\n",
    "deep/gone.py": "same name\n",
    "node_modules/pkg/copy.py": CODE,
    ".hidden/copy.py": CODE,
    "ignored/copy.py": CODE,
    ".gitignore": "ignored/\nnode_modules/\n",
    ".moorline/memories/m/memory.py": CODE,
    "nested/.moorline/config.toml": "",
    "nested/copy.py": CODE,
}


async def check_candidates(root: Path, one: Anchor, expected: list[str], first: tuple[str, ...] = ()) -> None:
    reach = await candidates(root, [one], first)
    assert list(reach.paths(one)) == expected
    assert reach.bound == ""


async def test_order_with_git(checkout) -> None:
    checkout.commit(WORLD)
    one = anchor("gone.py")
    hidden = ".hidden/copy.py"
    hits = ["deep/gone.py", hidden, "exact.py", "by_word.py", "by_name.py"]
    await check_candidates(checkout.path, one, hits)
    checkout.write({"changed.py": "w = 4\n", "by_name.py": "verify_jwt()\n", "untracked.py": CODE})
    await check_candidates(
        checkout.path,
        one,
        ["untracked.py", "by_name.py", "deep/gone.py", hidden, "exact.py", "by_word.py", "changed.py"],
    )
    await check_candidates(
        checkout.path,
        one,
        ["other.py", "exact.py", "untracked.py", "by_name.py", "deep/gone.py", hidden, "by_word.py", "changed.py"],
        ("other.py", "exact.py", "../outside.py", "notes.md", "gone.py"),
    )
    # In a folder of the repository only what is below it counts.
    await check_candidates(checkout.path / "deep", anchor("none.py"), [])


async def test_a_rename_that_git_knows_of_comes_first(checkout) -> None:
    lines = "".join(f"line = {number}\n" for number in range(30))
    checkout.commit({**WORLD, "gone.py": lines})
    checkout.git("mv", "gone.py", "zz.py")
    checkout.commit()
    reach = await candidates(checkout.path, [anchor("gone.py")])
    assert reach.paths(anchor("gone.py"))[0] == "zz.py"


async def test_order_without_git(tmp_path: Path) -> None:
    for name, text in WORLD.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "binary.py").write_bytes(b"\0" + CODE.encode())
    # What git ignores cannot be told here.
    await check_candidates(
        tmp_path, anchor("gone.py"), ["deep/gone.py", "exact.py", "ignored/copy.py", "by_word.py", "by_name.py"]
    )


async def test_own_places_and_other_files_without_a_grammar(checkout) -> None:
    checkout.commit(WORLD)
    followed = (FollowedPlace(Locus("gone.py", "Provider.verify_jwt"), Locus("exact.py", "verify_jwt"), "", "e"),)
    reach = await candidates(checkout.path, [anchor("gone.py", followed=followed)])
    assert "exact.py" not in reach.paths(anchor("gone.py"))
    whole = anchor("gone.py", None)
    assert "notes.md" in (await candidates(checkout.path, [whole])).paths(whole)


async def test_many_anchors_at_once_get_what_each_would_alone(checkout) -> None:
    checkout.commit(WORLD)
    many = [anchor(f"gone{number}.py", f"f{number}") for number in range(60)] + [
        anchor("gone.py"),
        anchor("x.py", "w", ""),
    ]
    together = await candidates(checkout.path, many)
    for one in (many[0], many[-2], many[-1]):
        assert together.paths(one) == (await candidates(checkout.path, [one])).paths(one)
    assert await candidates(checkout.path, []) == search.Reach({})


async def test_bounds_are_kept_and_said(checkout) -> None:
    checkout.commit({f"f{number}.py": CODE for number in range(30)})
    one = anchor("gone.py")
    reach = await candidates(checkout.path, [one], files=10)
    assert len(reach.paths(one)) == 10
    assert reach.bound == "looked at the likeliest 10 of 30 files"
    started = time.monotonic()
    reach = await candidates(checkout.path, [one], seconds=0)
    assert "stopped after 0 seconds" in reach.bound
    assert time.monotonic() - started < 3


async def test_bounds_without_git(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"f{number}.py").write_text(CODE)
    one = anchor("gone.py")
    assert "stopped after" in (await candidates(tmp_path, [one], seconds=0)).bound
    assert len((await candidates(tmp_path, [one], files=7)).paths(one)) == 7


async def test_worktree_sees_its_own_files(checkout, tmp_path: Path) -> None:
    checkout.commit({"a.py": "a\n"})
    subprocess.run(["git", "worktree", "add", "-q", "../wt", "-b", "t"], cwd=checkout.path, check=True)
    (tmp_path / "wt" / "new.py").write_text(CODE)
    one = anchor("gone.py")
    assert (await candidates(tmp_path / "wt", [one])).paths(one) == ("new.py",)
    assert (await candidates(checkout.path, [one])).paths(one) == ()
