"""Frames of a screen as pictures: an SVG for files, rich text for terminals. Knows nothing of how frames come about."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

from rich.style import Style as RichStyle
from rich.text import Text

from lsp_server.cli.demo.screen import Frame, Run, Style

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 18.0, 14
"""Pixels; 0.6 of the font's size is the advance of common monospaced fonts."""

MARGIN, BAR = 12.0, 34.0
"""Pixels around the grid, and the height of the title above it."""

FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
BAR_FILL, BAR_TEXT = "#2b2d37", "#c4c6cd"


def svg(frame: Frame, title: str) -> str:
    """One frame as a picture of its own, with a title above it."""
    width, height = size(frame)
    return document(width, height, [window(frame, title)])


def animation(frames: Sequence[tuple[Frame, str, float]]) -> str:
    """Frames one after the other in one endless picture. Each comes with its title and how many seconds it stays."""
    width = max(size(frame)[0] for frame, _, _ in frames)
    height = max(size(frame)[1] for frame, _, _ in frames)
    total = sum(seconds for _, _, seconds in frames)
    rules, parts = [], []
    start = 0.0
    for number, (frame, title, seconds) in enumerate(frames):
        first, last = 100 * start / total, 100 * (start + seconds) / total
        hidden = "" if first == 0 else f"0%,{first - 0.001:.3f}%{{visibility:hidden}}"
        rules.append(
            f"@keyframes f{number}{{{hidden}{first:.3f}%,{last - 0.002:.3f}%{{visibility:visible}}"
            f"{last - 0.001:.3f}%,100%{{visibility:{'visible' if number == len(frames) - 1 else 'hidden'}}}}}"
            f"#f{number}{{animation:f{number} {total:.1f}s step-end infinite}}"
        )
        parts.append(f'<g id="f{number}">{window(frame, title)}</g>')
        start += seconds
    return document(width, height, [f"<style>{''.join(rules)}</style>", *parts])


def document(width: float, height: float, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="{FONTS}" font-size="{FONT_SIZE}px">'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def size(frame: Frame) -> tuple[float, float]:
    return frame.width * CELL_WIDTH + 2 * MARGIN, len(frame.rows) * CELL_HEIGHT + MARGIN + BAR + 4


def window(frame: Frame, title: str) -> str:
    """The frame in a window: a bar with the title, then the grid, row by row and run by run."""
    width, height = size(frame)
    dots = "".join(
        f'<circle cx="{20 + 18 * number}" cy="{BAR / 2:g}" r="5.5" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    parts = [
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{css(frame.background)}"/>',
        f'<path d="M0 {BAR:g}V8a8 8 0 0 1 8-8H{width - 8:g}a8 8 0 0 1 8 8V{BAR:g}z" fill="{BAR_FILL}"/>',
        dots,
        f'<text x="{width / 2:g}" y="{BAR / 2 + 5:g}" fill="{BAR_TEXT}" text-anchor="middle">{clean(title)}</text>',
    ]
    for row in range(len(frame.rows)):
        for run in frame.runs(row):
            parts += cells(frame, row, run)
    parts.append(cursor(frame))
    return "\n".join(part for part in parts if part)


def cells(frame: Frame, row: int, run: Run) -> list[str]:
    """One run: its background where it is not the screen's own, its text, and the lines drawn under or through it."""
    foreground, background = colours(frame, run.style)
    x, y = MARGIN + run.column * CELL_WIDTH, BAR + 6 + row * CELL_HEIGHT
    width = run.width * CELL_WIDTH
    parts = []
    if background != frame.background:
        parts.append(
            f'<rect x="{x:.1f}" y="{y:g}" width="{width:.1f}" height="{CELL_HEIGHT:g}" fill="{css(background)}"/>'
        )
    text = run.text.rstrip()
    if text:
        lead = len(text) - len(text.lstrip())
        said = text.lstrip()
        left = x + lead * CELL_WIDTH
        look = ' font-weight="bold"' if run.style.bold else ""
        look += ' font-style="italic"' if run.style.italic else ""
        # textLength holds the grid together, whatever the font; it must count cells, and a wide character takes two.
        taken = run.width - lead - (len(run.text) - len(text))
        parts.append(
            f'<text x="{left:.1f}" y="{y + 13.5:g}" fill="{css(foreground)}"{look} xml:space="preserve" '
            f'textLength="{taken * CELL_WIDTH:.1f}" lengthAdjust="spacingAndGlyphs">{clean(said)}</text>'
        )
    line = css(run.style.special if run.style.special is not None else foreground)
    if run.style.undercurl:
        parts.append(wave(x, y + CELL_HEIGHT - 2.5, width, line))
    elif run.style.underline and text:
        parts.append(rule(x, y + CELL_HEIGHT - 2.5, width, line))
    if run.style.strikethrough and text:
        parts.append(rule(x, y + CELL_HEIGHT / 2, width, line))
    return parts


def rule(x: float, y: float, width: float, colour: str) -> str:
    return f'<path d="M{x:.1f} {y:.1f}h{width:.1f}" stroke="{colour}" fill="none"/>'


def wave(x: float, y: float, width: float, colour: str) -> str:
    waves = "q2 -3 4 0t4 0" * max(1, round(width / 8))
    return f'<path d="M{x:.1f} {y:.1f}{waves}" stroke="{colour}" fill="none"/>'


def cursor(frame: Frame) -> str:
    """A block, or a bar where text is being typed."""
    row, column = frame.cursor
    x, y = MARGIN + column * CELL_WIDTH, BAR + 6 + row * CELL_HEIGHT
    typing = frame.mode in ("insert", "cmdline_insert", "cmdline_normal")
    width = 2.0 if typing else CELL_WIDTH
    fill = css(frame.foreground)
    return f'<rect x="{x:.1f}" y="{y:g}" width="{width:g}" height="{CELL_HEIGHT:g}" fill="{fill}" opacity="0.6"/>'


def colours(frame: Frame, style: Style) -> tuple[int, int]:
    """Foreground and background as they are seen."""
    foreground = style.foreground if style.foreground is not None else frame.foreground
    background = style.background if style.background is not None else frame.background
    return (background, foreground) if style.reverse else (foreground, background)


def css(colour: int) -> str:
    return f"#{colour:06x}"


def clean(text: str) -> str:
    """Text that XML 1.0 may hold: the rest of the control characters have no place in it."""
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text))


def rich_text(frame: Frame) -> Text:
    """The frame for a terminal; on one without colours, or in a pipe, it is the plain text."""
    lines = []
    for row in range(len(frame.rows)):
        line = Text(no_wrap=True, end="")
        for run in frame.runs(row):
            line.append(run.text, rich_style(frame, run.style))
        lines.append(line)
    return Text("\n").join(lines)


def rich_style(frame: Frame, style: Style) -> RichStyle:
    foreground, background = colours(frame, style)
    return RichStyle(
        color=css(foreground),
        bgcolor=css(background),
        bold=style.bold or None,
        italic=style.italic or None,
        underline=style.underline or style.undercurl or None,
        strike=style.strikethrough or None,
    )
