"""`moorline lsp`: the language server. The only module of the command line that knows it."""

from __future__ import annotations

import argparse

from lsp_server.cli.arguments import Command
from lsp_server.lsp.server import serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    parser.add_argument("--tcp", metavar="PORT", type=port, help="listen on 127.0.0.1:PORT instead, for debugging")


def run(args: argparse.Namespace) -> int:
    return serve(args.tcp)


def port(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return number


COMMANDS = {"lsp": Command(add_arguments, run, "  moorline lsp\n  moorline lsp --tcp 7777")}
