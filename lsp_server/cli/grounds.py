"""What may go with any change of state on the command line: why, on what evidence, from which revision on, by whom."""

from __future__ import annotations

import argparse

from lsp_server.cli.requests import evidence_texts
from lsp_server.cli.standing import Standing
from lsp_server.features.operations import Grounds

EVIDENCE_HELP = "[role=]commit:SHA, file:PATH:LINES, url:U, test:T or quote:Q; may be repeated"
SECRET_HELP = "also if a text looks as if it held a key, a token or another secret"


def add_grounds(parser: argparse.ArgumentParser, reason: str, *, required: bool = False) -> None:
    """Adds the options that `grounds` reads; `reason` says what is asked for."""
    parser.add_argument("--reason", metavar="R", required=required, default="", help=reason)
    parser.add_argument("--evidence", metavar="E", action="append", default=[], help=EVIDENCE_HELP)
    parser.add_argument("--revision", metavar="REV", default="", help="the commit from which on it is so")
    add_author(parser)


def add_author(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--author", metavar="NAME", help="who says so (default: git's user); agent:NAME for an agent")
    parser.add_argument("--allow-secret", action="store_true", help=SECRET_HELP)


def grounds(args: argparse.Namespace, here: Standing) -> Grounds:
    return Grounds(
        reason=args.reason,
        evidence=evidence_texts(here, args.evidence),
        revision=args.revision,
        by=getattr(args, "by", "") or "",
        author=args.author,
        allow_secret=args.allow_secret,
    )
