"""How answers are printed: for people in colour and tables, for pipes as plain lines, for machines as JSON.

Everything that came from a workspace is stripped of control characters here, whatever prints it. rich is imported only
where a terminal is written to.
"""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Protocol

from lsp_server.features.markdown import CONTROL, strip_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.text import Text

Piece = str | tuple[str, str]
"""A text, or a text with a rich style."""

Cell = Piece | list[Piece]
"""What stands in one cell of a table: a piece, or a list of them."""

LEAST = 16
"""Characters that a column keeps, if it needs them, where a table is too wide and others can give way."""

BETWEEN = 3
"""Characters between two columns of a table."""

SHOW_AFTER = 0.4
"""Seconds a piece of work must last before its progress is shown, so that short work flickers nothing."""


class Progress(Protocol):
    """Told how much of a piece of work is done, of how much (0: it is not known)."""

    def __call__(self, done: int, total: int) -> None: ...


class Printer:
    """Prints one command's answer on standard output, and remarks about it on standard error."""

    def __init__(self, out: IO[str] | None = None, err: IO[str] | None = None) -> None:
        self.out = out if out is not None else sys.stdout
        self.err = err if err is not None else sys.stderr
        self.styled = is_terminal(self.out)
        for stream in (self.out, self.err):
            # Names of files need not be Unicode, and a terminal need not know the characters of a text.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")

    @cached_property
    def console(self) -> Console:
        return console(self.out)

    def json(self, value: Any) -> None:
        """One JSON value: indented on a terminal, else on one line."""
        self._write(json_text(value, self.out, indent=2 if self.styled else None))

    def line(self, *pieces: Piece, indent: int = 0, as_is: bool = False) -> None:
        """One line. On a terminal it wraps below its indent, unless it is to be copied `as_is`."""
        if not self.styled:
            self._write(" " * indent + "".join(clean(text_of(piece)) for piece in pieces))
            return
        from rich.padding import Padding

        line = styled_text(pieces)
        if as_is:
            self.console.print(" " * indent, line, sep="", soft_wrap=True)
        else:
            self.console.print(Padding(line, (0, 0, 0, indent), expand=False) if indent else line)

    def text(self, text: str, indent: int = 0) -> None:
        """A text of several lines as it is, without what could act."""
        for line in strip_controls(text).split("\n"):
            self.line(line, indent=indent)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[Cell]], wraps: str) -> None:
        """A table. The column `wraps` is never cut: it takes more lines. The last one is, where there is no room.

        In a pipe: a line a row, cells parted by tabs, no headers, so that `cut` and `grep` work on it.
        """
        if not self.styled:
            for row in rows:
                self._write("\t".join(clean(plain_cell(cell)).replace("\t", " ") for cell in row))
            return
        from rich import box
        from rich.cells import cell_len
        from rich.table import Table

        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
        cells = [headers, *([plain_cell(cell) for cell in row] for row in rows)]
        natural = [max(cell_len(row[number]) for row in cells) for number in range(len(headers))]
        widths = column_widths(natural, headers.index(wraps), self.console.width)
        for header, width in zip(headers, widths, strict=True):
            fold = header == wraps
            table.add_column(header, no_wrap=not fold, overflow="fold" if fold else "ellipsis", width=width)
        for row in rows:
            table.add_row(*(styled_text(pieces_of(cell)) for cell in row))
        self.console.print(table)

    def note(self, text: str) -> None:
        """A remark for people, on standard error."""
        print(clean(text), file=self.err)

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress]:
        """Shows how far a long piece of work is, on standard error, where that is a terminal."""
        if not is_terminal(self.err) or os.environ.get("NO_COLOR"):
            yield lambda done, total: None
            return
        with shown_progress(self.err, title) as progress:
            yield progress

    def _write(self, text: str) -> None:
        self.out.write(text + "\n")


@contextmanager
def shown_progress(err: IO[str], title: str) -> Iterator[Progress]:
    """A bar that appears by itself once the work lasts long, and moves when it is told of progress."""
    lock = threading.Lock()
    ended = False
    bar: Bar | None = None
    latest = (0, 0)

    def begin() -> None:
        nonlocal bar
        made = progress_bar(err, title)
        with lock:
            if not ended:
                bar = made
                bar.start()
                update()

    def update() -> None:
        done, total = latest
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done, total=total or None)

    def tell(done: int, total: int) -> None:
        nonlocal latest
        with lock:
            latest = (done, total)
            update()

    timer = threading.Timer(SHOW_AFTER, begin)
    timer.daemon = True
    timer.start()
    try:
        yield tell
    finally:
        timer.cancel()
        with lock:
            ended = True
            if bar is not None:
                bar.stop()


def progress_bar(err: IO[str], title: str) -> Bar:
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    # rich would send what is printed on standard output to its own console: that is standard error here.
    bar = Bar(
        *columns,
        TimeRemainingColumn(),
        console=console(err),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task(title, total=None)
    return bar


def console(file: IO[str]) -> Console:
    from rich.console import Console

    bare = bool(os.environ.get("NO_COLOR"))
    return Console(file=file, color_system=None if bare else "auto", highlight=False, markup=False, emoji=False)


def is_terminal(file: IO[str]) -> bool:
    """Whether colours and tables make sense there: a terminal that is not dumb, or FORCE_COLOR says so."""
    if os.environ.get("FORCE_COLOR") and not os.environ.get("NO_COLOR"):
        return True
    try:
        return file.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:  # A closed stream.
        return False


def column_widths(natural: Sequence[int], wraps: int, room: int) -> list[int]:
    """The widths of a table's columns that fit in `room` characters: where there is no room for all as wide as they
    would be (`natural`), the last gives way first, then the one at `wraps`, which takes more lines instead."""
    widths = list(natural)
    for number in (len(widths) - 1, wraps):
        over = sum(widths) + BETWEEN * (len(widths) - 1) - room
        if over > 0:
            widths[number] = max(widths[number] - over, min(widths[number], LEAST))
    return widths


def json_text(value: Any, out: IO[str] | None = None, indent: int | None = None) -> str:
    """JSON that is safe to print: characters that a terminal or an editor would act on are escaped."""
    encoding = (getattr(out, "encoding", None) or "utf-8").lower().replace("-", "")
    text = json.dumps(value, ensure_ascii=encoding != "utf8", indent=indent)
    text = CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # A lone surrogate, from a file that is no UTF-8.
        text = json.dumps(value, ensure_ascii=True, indent=indent)
    return text


def text_of(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def pieces_of(cell: Cell) -> Sequence[Piece]:
    return cell if isinstance(cell, list) else (cell,)


def plain_cell(cell: Cell) -> str:
    return "".join(text_of(piece) for piece in pieces_of(cell))


def styled_text(pieces: Sequence[Piece]) -> Text:
    from rich.text import Text

    text = Text()
    for piece in pieces:
        if isinstance(piece, str):
            text.append(clean(piece))
        else:
            text.append(clean(piece[0]), style=piece[1])
    return text


def clean(text: str) -> str:
    """One line without control characters."""
    return strip_controls(text).replace("\n", " ")
