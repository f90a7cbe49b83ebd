"""The grid of cells that a Neovim user interface shows (`:help ui-linegrid`), and frozen pictures of it as text.

Knows the redraw events and nothing of processes, files or Moorline.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Style:
    """How a cell looks. Colours are 24-bit RGB numbers; None is the screen's own."""

    foreground: int | None = None
    background: int | None = None
    special: int | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    undercurl: bool = False
    strikethrough: bool = False
    reverse: bool = False


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. The second cell of a wide character holds an empty text."""

    text: str = " "
    style: Style = PLAIN


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring cells of one style in one row: where it starts, how many cells it takes, what it says."""

    column: int
    width: int
    text: str
    style: Style


@dataclass(frozen=True, slots=True)
class Frame:
    """What the screen showed at one moment. `cursor` is (row, column) from 0; colours are the screen's defaults."""

    rows: tuple[tuple[Cell, ...], ...]
    cursor: tuple[int, int]
    foreground: int
    background: int
    mode: str = "normal"

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    def line(self, row: int) -> str:
        """One row's text without the blanks at its end."""
        return "".join(cell.text for cell in self.rows[row]).rstrip()

    def text(self) -> str:
        """The whole screen as lines of text."""
        return "\n".join(self.line(row) for row in range(len(self.rows)))

    def runs(self, row: int) -> Iterator[Run]:
        """One row cut where the style changes."""
        start = 0
        cells = self.rows[row]
        for column in range(1, len(cells) + 1):
            if column == len(cells) or cells[column].style != cells[start].style:
                part = cells[start:column]
                yield Run(start, len(part), "".join(cell.text for cell in part), cells[start].style)
                start = column


class Screen:
    """The grid as the events that came so far make it."""

    def __init__(self, width: int, height: int) -> None:
        self.drawn = 0
        """How many complete pictures were shown."""
        self._grid = blank(width, height)
        self._styles: dict[int, Style] = {0: PLAIN}
        self._foreground, self._background = 0xFFFFFF, 0x000000
        self._cursor = (0, 0)
        self._mode = "normal"
        self.frame = self._freeze()
        """The last complete picture."""

    def redraw(self, events: Sequence[Sequence[Any]]) -> bool:
        """Takes one batch of redraw events; True when a complete picture was shown in it."""
        shown = False
        for name, *calls in events:
            for call in calls:
                shown |= self._event(name, call)
        return shown

    def _event(self, name: str, call: Sequence[Any]) -> bool:
        match name, call:
            case "grid_line", [_, row, column, cells, *_]:
                self._line(row, column, cells)
            case "grid_scroll", [_, top, bottom, left, right, rows, *_]:
                self._scroll(top, bottom, left, right, rows)
            case "grid_cursor_goto", [_, row, column]:
                self._cursor = (row, column)
            case "grid_clear", _:
                self._grid = blank(len(self._grid[0]), len(self._grid))
            case "grid_resize", [_, width, height]:
                self._resize(width, height)
            case "hl_attr_define", [number, attributes, *_]:
                self._styles[number] = style_of(attributes)
            case "default_colors_set", [foreground, background, *_]:
                self._foreground = foreground if foreground >= 0 else 0xFFFFFF
                self._background = background if background >= 0 else 0x000000
            case "mode_change", [mode, *_]:
                self._mode = mode
            case "flush", _:
                self.frame = self._freeze()
                self.drawn += 1
                return True
        return False

    def _line(self, row: int, column: int, cells: Iterable[Sequence[Any]]) -> None:
        """A cell without a highlight keeps that of the cell before it in the event (`:help ui-event-grid_line`)."""
        style = PLAIN
        for text, *rest in cells:
            if rest:
                style = self._styles.get(rest[0], PLAIN)
            for _ in range(rest[1] if len(rest) > 1 else 1):
                self._grid[row][column] = Cell(text, style)
                column += 1

    def _scroll(self, top: int, bottom: int, left: int, right: int, rows: int) -> None:
        order = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in order:
            self._grid[row][left:right] = self._grid[row + rows][left:right]

    def _resize(self, width: int, height: int) -> None:
        fresh = blank(width, height)
        for new, old in zip(fresh, self._grid, strict=False):
            kept = min(width, len(old))
            new[:kept] = old[:kept]
        self._grid = fresh

    def _freeze(self) -> Frame:
        rows = tuple(tuple(row) for row in self._grid)
        return Frame(rows, self._cursor, self._foreground, self._background, self._mode)


def blank(width: int, height: int) -> list[list[Cell]]:
    return [[Cell()] * width for _ in range(height)]


def style_of(attributes: Mapping[str, Any]) -> Style:
    """A style from the attributes of `hl_attr_define`."""
    return Style(
        foreground=attributes.get("foreground"),
        background=attributes.get("background"),
        special=attributes.get("special"),
        bold=bool(attributes.get("bold")),
        italic=bool(attributes.get("italic")),
        underline=any(attributes.get(name) for name in ("underline", "underdouble", "underdotted", "underdashed")),
        undercurl=bool(attributes.get("undercurl")),
        strikethrough=bool(attributes.get("strikethrough")),
        reverse=bool(attributes.get("reverse")),
    )
