"""How every command reads its arguments: the options that all of them take, and errors of one line.

Knows argparse alone, so that it costs nothing at the start of `moorline lsp`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

FINE, FOUND, WRONG = 0, 1, 2
"""Exit codes: fine; the check found what it looks for; wrong usage or an error (design, section 6)."""


class UsageError(Exception):
    """Arguments that cannot be read. The message is one line and says where the right ones are told."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: what adds its arguments, what runs it and answers the exit code, and examples for its help."""

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: str = ""


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one line, raised as `UsageError`."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")


def command_parser(name: str, summary: str, command: Command) -> Parser:
    """The parser of one command, with `--json` and `--root` as every command takes them."""
    examples = f"examples:\n{command.examples.rstrip()}" if command.examples else None
    parser = Parser(
        prog=f"moorline {name}",
        description=summary[:1].upper() + summary[1:] + ".",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    add_shared(parser)
    return parser


def add_shared(parser: argparse.ArgumentParser) -> None:
    """Adds what may stand before or after any command."""
    shared = parser.add_argument_group("on every command")
    shared.add_argument("--json", action="store_true", help="print JSON, alone, on standard output")
    shared.add_argument("--root", metavar="DIR", help="the workspace of DIR instead of the one you stand in")


def comma_list(known: Mapping[str, str]) -> Callable[[str], tuple[str, ...]]:
    """Reads `a,b` into words that must be among `known`."""

    def read(text: str) -> tuple[str, ...]:
        words = tuple(word.strip() for word in text.split(",") if word.strip())
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word!r} is none of: {', '.join(known)}")
        if not words:
            raise argparse.ArgumentTypeError(f"give one or more of: {', '.join(known)}")
        return words

    return read
