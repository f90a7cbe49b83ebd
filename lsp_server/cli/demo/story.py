"""The story that the demo plays: record, see, drift while typing, heal, follow, clear, share. One `Shot` a step.

Every step waits for what a user would see on the screen; one that is not seen ends the story with `NotShown`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version

from lsp_server.cli.demo.neovim import Neovim
from lsp_server.cli.demo.screen import Frame
from lsp_server.cli.demo.stage import Stage, StageError

SOURCE = "pygls"
"""The package whose source the story is played on: one that Moorline itself depends on, so it is installed."""

FILE = "pygls/uris.py"
FUNCTION, RENAMED, NEIGHBOUR = "to_fs_path", "uri_to_path", "from_fs_path"
CHECK = 'if scheme != "file":'
RISKY = 'if scheme not in ("file", "git"):'
BETTER = 'if scheme.lower() != "file":'
DECISION = "Only file: URIs have a path. Any other scheme gives None, so that nothing is read by mistake."
NOTE = "Callers rely on None, not an exception, for what is no path."


@dataclass(frozen=True, slots=True)
class Shot:
    """One step: a short name for files, what is done, what to see there, and the screen (or what a command printed)."""

    name: str
    title: str
    about: str
    frame: Frame | None = None
    output: str = ""
    seconds: float = 3.5
    """How long an animation stays on it."""


def play(stage: Stage, width: int = 120, height: int = 26) -> Iterator[Shot]:
    """Plays the story on a copy of real code, step by step.

    Raises NotShown where a step does not show what it must, StageError where the code to play on is not as known.
    """
    stage.copy_package(SOURCE)
    text = (stage.repository / FILE).read_text(encoding="utf-8")
    for known in (f"def {FUNCTION}(", f"def {NEIGHBOUR}(", CHECK):
        if text.count(known) != 1:
            raise StageError(f"{FILE} of {SOURCE} {version(SOURCE)} does not hold {known!r} once; the demo knows 2.1")
    with stage.neovim(FILE, width=width, height=height) as neovim:
        yield from record(neovim)
        yield from drift(neovim)
        yield from follow(neovim)
        yield from clear(neovim)
        yield from others(stage, neovim)
    yield from tomorrow(stage, width, height)


def record(neovim: Neovim) -> Iterator[Shot]:
    neovim.wait_for("uris.py")
    wait_until_served(neovim)
    neovim.keys(f"/def {FUNCTION}<CR>wzt")
    neovim.keys(":Moorline record<CR>")
    asked = neovim.wait_for("Record which kind?")
    yield Shot(
        "record",
        f":Moorline record with the cursor on {FUNCTION}",
        f"This is the source of {SOURCE} {version(SOURCE)}, copied as installed into a new git repository.",
        asked,
    )
    neovim.keys("1<CR>")
    neovim.wait_for("What is the")
    neovim.type(DECISION)
    neovim.keys("<CR>")
    frame = shows(neovim, FUNCTION, "1 decision")
    yield Shot("recorded", "The decision is recorded", "A code lens says that there is one.", frame)
    neovim.keys("K")
    neovim.wait_for(DECISION[:30])
    yield Shot("hover", "K on the name", "Hover shows the decision where it applies.", neovim.settle(), seconds=5)


def drift(neovim: Neovim) -> Iterator[Shot]:
    neovim.keys(f"j/{CHECK[3:12]}<CR>C")
    neovim.type(RISKY[3:], pause=0.01)
    shows(neovim, FUNCTION, "stale")
    yield Shot(
        "stale",
        "Somebody lets git: URIs through",
        "Still in insert mode, nothing saved: the decision is stale as the code is typed.",
        neovim.settle(),
        seconds=5,
    )
    neovim.keys(f"<Esc>?def {FUNCTION}<CR>wztK")
    neovim.wait_for(lambda frame: "+" in frame.text() and '"git"' in frame.text() and DECISION[:30] in frame.text())
    yield Shot("why", "K again", "Hover says first why it is stale, with what changed.", neovim.settle(), seconds=5)
    neovim.keys("lu")
    shows(neovim, FUNCTION, "1 decision", without="stale")
    yield Shot(
        "undone", "u", "The edit is undone, and the decision is good again. No mark was stored.", neovim.settle()
    )


def follow(neovim: Neovim) -> Iterator[Shot]:
    neovim.keys(f"gg/def {FUNCTION}<CR>wzt")
    neovim.keys(f"cw{RENAMED}<Esc>:w<CR>")
    shows(neovim, RENAMED, "1 decision", without="stale")
    neovim.keys("bK")
    neovim.wait_for(DECISION[:30])
    frame = neovim.settle()
    yield Shot("renamed", f"{FUNCTION} is renamed to {RENAMED}", "The decision follows: the code is the same.", frame)
    neovim.keys("l")


def clear(neovim: Neovim) -> Iterator[Shot]:
    neovim.keys(f"/{CHECK[3:12]}<CR>C{BETTER[3:]}<Esc>:w<CR>")
    shows(neovim, RENAMED, "stale")
    neovim.keys(f"?def {RENAMED}<CR>wzt")
    neovim.settle()
    neovim.keys("gra")
    asked = neovim.wait_for("1: Still true")
    yield Shot(
        "action", "gra: code actions", "A harmless change, saved. Somebody read it again: it is still true.", asked
    )
    neovim.keys("1<CR>")
    shows(neovim, RENAMED, "1 decision", without="stale")
    yield Shot(
        "cleared",
        "Cleared",
        "This code is accepted too; who did it, and when, is part of the history.",
        neovim.settle(),
    )


def others(stage: Stage, neovim: Neovim) -> Iterator[Shot]:
    said = stage.moorline("record", f"{FILE}#{NEIGHBOUR}", "--kind", "note", "--text", NOTE)
    neovim.keys(f"gg/def {NEIGHBOUR}<CR>wzt")
    frame = shows(neovim, NEIGHBOUR, "1 note")
    yield Shot(
        "elsewhere",
        f"moorline record {FILE}#{NEIGHBOUR} --kind note, in another terminal",
        "It appears in the open editor by itself.",
        frame,
        output=said,
    )
    stage.git("add", "--all")
    stage.git("commit", "--quiet", "--message", "Name it for what it gives; decisions recorded")
    stage.git("switch", "--quiet", "--create", "risky")
    path = stage.repository / FILE
    path.write_text(path.read_text(encoding="utf-8").replace(BETTER, RISKY), encoding="utf-8")
    stage.git("commit", "--quiet", "--all", "--message", "Let git: URIs through")
    shows(neovim, RENAMED, "stale")
    yield Shot("branch", "git switch risky", "The other branch lets git: URIs through: stale there.", neovim.settle())
    stage.git("switch", "--quiet", "main")
    shows(neovim, RENAMED, "1 decision", without="stale")
    yield Shot("back", "git switch main", "And back: fresh, as it was.", neovim.settle())


def tomorrow(stage: Stage, width: int, height: int) -> Iterator[Shot]:
    clone = stage.base / "clone"
    stage.git("clone", "--quiet", "--no-hardlinks", str(stage.repository), str(clone), folder=stage.base)
    with stage.neovim(FILE, folder=clone, width=width, height=height) as neovim:
        neovim.wait_for("uris.py")
        neovim.keys(f"/def {NEIGHBOUR}<CR>wzt")
        shows(neovim, NEIGHBOUR, "1 note")
        frame = shows(neovim, RENAMED, "1 decision", without="stale")
        yield Shot(
            "clone", "Tomorrow, somebody else, after git clone", "A new Neovim in a clone: everything is there.", frame
        )
    said = stage.moorline("check", folder=clone)
    yield Shot(
        "check", "moorline check, as continuous integration runs it", "Exit code 0: nothing is stale.", output=said
    )


def wait_until_served(neovim: Neovim, timeout: float = 20.0) -> None:
    """Waits until the language server answers for the buffer, as a user waits before the first command."""
    neovim.lua(
        "local limit = ...; return vim.wait(limit, function()"
        "  local client = vim.lsp.get_clients({ bufnr = 0, name = 'moorline' })[1]"
        "  return client ~= nil and client.initialized == true end, 20)",
        int(timeout * 1000),
        timeout=timeout + 5,
    )


def shows(neovim: Neovim, function: str, text: str, *, without: str | None = None) -> Frame:
    """Waits until the line that defines a function says `text` (a lens or a diagnostic) and not `without`."""
    return neovim.wait_for(on_line(f"def {function}(", text, without))


def on_line(start: str, text: str, without: str | None) -> Callable[[Frame], bool]:
    def holds(frame: Frame) -> bool:
        for row in range(len(frame.rows)):
            line = frame.line(row)
            if start in line:
                said = line.split(start, 1)[1]
                return text in said and (without is None or without not in said)
        return False

    return holds
