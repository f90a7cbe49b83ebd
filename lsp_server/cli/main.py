"""`moorline`: finds the command, loads its module alone, runs it, and turns what goes wrong into one line.

Nothing beyond argparse is imported before the command is known, so `moorline --version` and `moorline lsp` start fast.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from lsp_server import __version__
from lsp_server.cli.arguments import FINE, WRONG, Command, UsageError, command_parser

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of SIGINT, as shells have it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command lives and what it does, in one line."""

    module: str
    summary: str
    group: str


_PACKAGE = "lsp_server.cli"

COMMANDS: Mapping[str, Entry] = MappingProxyType(
    {
        "init": Entry("setup", "make .moorline/ here; safe to repeat", "start"),
        "demo": Entry("demo", "play the whole story in a real Neovim on real code", "start"),
        "doctor": Entry("doctor", "look for what is wrong and say how to mend it", "start"),
        "record": Entry("recording", "keep a decision, claim, finding or note on a place in the code", "write"),
        "clear": Entry("settling", "accept the code as it is: the memory is still true", "write"),
        "reanchor": Entry("settling", "tie a memory to another place and accept the code there", "write"),
        "supersede": Entry("settling", "record what is true now in place of a memory", "write"),
        "retire": Entry("settling", "take a memory out of what is current; it stays in the history", "write"),
        "restore": Entry("settling", "make a retired or superseded memory current again", "write"),
        "transition": Entry("settling", "take a memory to another state of its kind", "write"),
        "evidence": Entry("settling", "give a memory evidence: a commit, lines, a URL, a test, a quote", "write"),
        "pin": Entry("settling", "pin a memory, so that it is shown first", "write"),
        "consolidate": Entry("consolidating", "find what says nearly the same, and make one of it", "write"),
        "dismiss": Entry("consolidating", "say of two memories in conflict that both hold, and why", "write"),
        "use": Entry("explaining", "note down what a memory was used for", "write"),
        "undo": Entry("settling", "take back the last change of a memory", "write"),
        "follow": Entry("settling", "write down where moved code was followed to", "write"),
        "forget": Entry("forgetting", "erase a memory for good, for what should never have been written", "write"),
        "capture": Entry("capturing", "find in a text what is worth keeping; shows it before it is kept", "write"),
        "generate": Entry("agents", "write what an agent reads of this repository, and keep it up to date", "start"),
        "checkpoint": Entry("continuity", "keep on this machine how far your work is", "write"),
        "import": Entry("importing", "carry over what other tools know; says first what it would do", "write"),
        "check": Entry("checking", "judge every anchor against the code as it is now", "read"),
        "list": Entry("reading", "list memories, stale ones first", "read"),
        "search": Entry("searching", "find the memories that speak of something, the best first", "read"),
        "show": Entry("reading", "show one memory with its anchors", "read"),
        "explain": Entry("explaining", "say what a place is for and how it works, as it is recorded", "read"),
        "describe": Entry("describing", "say what is recorded of a place, and first what cannot be relied on", "read"),
        "brief": Entry("describing", "gather what bears on a task, within a budget; keep it, read it again", "read"),
        "resume": Entry("continuity", "compose what a fresh start needs to go on", "read"),
        "backlog": Entry("backlog", "list what is owed, the most pressing first, with what settles it", "read"),
        "history": Entry("history", "tell the life of a memory, every event of it", "read"),
        "diff": Entry("reading", "show what changed under a memory since its code was last accepted", "read"),
        "markers": Entry("markers", "list the markers of Markdown and how their code stands", "read"),
        "eval": Entry("searching", "measure how well search finds what it must", "read"),
        "lsp": Entry("server", "run the language server on standard input and output", "serve"),
        "mcp": Entry("agents", "serve agents over the Model Context Protocol, on standard input and output", "serve"),
    }
)
"""Every command. A module that is not loaded costs nothing."""

_GROUPS = {"start": "begin", "write": "keep and settle", "read": "look", "serve": "run"}

_VALUED = ("--root",)
"""Options before the command that take a value in the next word."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and answers its exit code. Arguments are those of the process unless given."""
    words = list(sys.argv[1:] if argv is None else argv)
    before, name, after = split_command(words)
    label = f"moorline {name}" if name in COMMANDS else "moorline"
    try:
        if "--version" in before:
            print(f"moorline {__version__}")
            return FINE
        if name is None:
            return no_command(before)
        if name == "help":
            return main([*after[:1], "--help"])
        if name not in COMMANDS:
            raise UsageError(unknown(name))
        code = run(name, [*before, *after])
        sys.stdout.flush()
        return code
    except UsageError as error:
        return complain(label, str(error))
    except ImportError as error:
        return complain(label, f"a part of it cannot be loaded ({error}); install moorline again")
    except KeyboardInterrupt:
        complain(label, "stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. What is still buffered must not raise again at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        return FINE


def run(name: str, words: Sequence[str]) -> int:
    """Loads one command, reads its arguments and runs it. Raises UsageError where they cannot be read."""
    entry = COMMANDS[name]
    command = load(name)
    parser = command_parser(name, entry.summary, command)
    try:
        args = parser.parse_intermixed_args(list(words))
    except SystemExit as stop:  # argparse leaves this way after --help.
        return stop.code if isinstance(stop.code, int) else FINE
    if name == "lsp":
        try:
            return command.run(args)
        except OSError as error:
            return complain("moorline lsp", f"{error.strerror or error}; is another server on that port?")
    from lsp_server.cli.failing import said

    return said(lambda: command.run(args), lambda message: complain(f"moorline {name}", message))


def load(name: str) -> Command:
    """The command of a name, from its module alone."""
    module = importlib.import_module(f"{_PACKAGE}.{COMMANDS[name].module}")
    commands: Mapping[str, Command] | None = getattr(module, "COMMANDS", None)
    return commands[name] if commands is not None else Command(module.add_arguments, module.run)


def split_command(words: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Splits arguments into the options before the command, its name (None: there is none), and what follows."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _VALUED else 1
    if at >= len(words):
        return list(words), None, []
    return list(words[:at]), words[at], list(words[at + 1 :])


def no_command(before: Sequence[str]) -> int:
    if not before or any(word in ("-h", "--help") for word in before):
        print(overview())
        return FINE if before else WRONG
    odd = next((word for word in before if word not in ("--json", *_VALUED)), None)
    raise UsageError(f"no option {odd}; see moorline --help" if odd else "no command given; see moorline --help")


def overview() -> str:
    """What `moorline --help` prints."""
    width = max(map(len, COMMANDS))
    lines = ["usage: moorline COMMAND ...", "", "Keeps what was decided about code moored to that code."]
    for group, title in _GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:<{width}}  {entry.summary}" for name, entry in COMMANDS.items() if entry.group == group]
    lines += [
        "",
        "A place is FILE, FILE#SYMBOL, FILE:LINE or FILE:LINE-LINE, relative to where you stand.",
        "An id may be shortened as long as it is the only one. Every command takes --json and --root DIR.",
        "",
        "  moorline record src/auth.py#verify --kind decision --text 'Tokens are checked before the body is read.'",
        "  moorline check",
        "",
        "moorline COMMAND --help says more; moorline --version tells the version.",
    ]
    return "\n".join(lines)


def unknown(name: str) -> str:
    near = get_close_matches(name, COMMANDS, 1)
    shown = "".join(letter if letter.isprintable() else "?" for letter in name[:40])
    return f"no command {shown!r}; " + (f"did you mean {near[0]}?" if near else "moorline --help lists them")


def complain(label: str, message: str) -> int:
    """Says in one line on standard error what went wrong; answers the exit code for it."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in message).split())
    try:
        coloured = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        word = f"\033[1;31m{label}:\033[0m" if coloured else f"{label}:"
        print(word, line, file=sys.stderr)
    except OSError:
        pass  # Nobody is left to be told.
    return WRONG
