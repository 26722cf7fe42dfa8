"""Small charts of lines and of stacked bars as SVG text, in the colours of chart.py.

Standard library only.
"""

from html import escape
from typing import NamedTuple

from chart import EDGE, FAINT, FONT, OWN, PAPER, text

WIDTH = 860
MARGIN, GAP, LEFT = 28, 34, 44
PLOT_HEIGHT = 170
COLORS = (OWN, "#3f6fb5", "#c2703d", "#8a5aa8")
SHARES = ("#9fb1c6", OWN)


class Line(NamedTuple):
    """A line: a value for each place of the panel, None where there is none."""

    name: str
    values: list


class Panel(NamedTuple):
    """Lines over the same places, which stand at even distances, or where `numbers` says."""

    title: str
    places: list
    axis: str
    lines: list
    numbers: list = None


class Scale(NamedTuple):
    """The values at the foot and at the top of a panel, and what they are."""

    least: float = 0.0
    most: float = 1.0
    unit: str = ""

    def height(self, value):
        """Where a value stands, as a share of the panel."""
        return (value - self.least) / (self.most - self.least)


class Stack(NamedTuple):
    """A bar of two parts; `end` is said after it."""

    name: str
    parts: tuple
    end: str


def lines_svg(title, subtitle, panels, scale=Scale()):
    """Panels side by side with the same scale."""
    parts = heading(title, subtitle)
    width = (WIDTH - 2 * MARGIN - GAP * (len(panels) - 1)) / len(panels)
    for number, panel in enumerate(panels):
        parts += panel_parts(panel, MARGIN + number * (width + GAP), 92, width, scale)
    return framed(title, 92 + PLOT_HEIGHT + 80, parts)


def panel_parts(panel, x, y, width, scale):
    """Title, scale, lines with points, and what each line is."""
    left, top, inner = x + LEFT, y + 14, width - LEFT - 6
    foot = top + PLOT_HEIGHT
    parts = [text(x, y, panel.title, size=13.5, weight=600)]
    parts += grid_parts(left, top, inner, scale)
    places = [left + share * inner for share in shares_of(panel)]
    for at, place in zip(places, panel.places):
        parts.append(text(at, foot + 15, place, size=10.5, fill=FAINT, anchor="middle"))
    middle = left + inner / 2
    parts.append(text(middle, foot + 31, panel.axis, size=11, fill=FAINT, anchor="middle"))
    key = left
    for line, color in zip(panel.lines, COLORS):
        points = [
            (at, foot - PLOT_HEIGHT * scale.height(value))
            for at, value in zip(places, line.values)
            if value is not None
        ]
        parts += line_parts(points, color)
        parts.append(f'<rect x="{key:.1f}" y="{foot + 42}" width="9" height="9" fill="{color}"/>')
        parts.append(text(key + 13, foot + 50, line.name, size=11))
        key += 32 + 6.2 * len(line.name)
    return parts


def shares_of(panel):
    """Where the places of a panel stand, as shares of its width."""
    if panel.numbers:
        return [number / max(panel.numbers) for number in panel.numbers]
    return [number / max(1, len(panel.places) - 1) for number in range(len(panel.places))]


def grid_parts(left, top, inner, scale):
    """Five lines with their values."""
    parts = []
    for part in range(5):
        y = top + PLOT_HEIGHT * (1 - part / 4)
        ends = f'x1="{left:.1f}" y1="{y:.1f}" x2="{left + inner:.1f}" y2="{y:.1f}"'
        parts.append(f'<line {ends} stroke="{EDGE}"/>')
        value = scale.least + (scale.most - scale.least) * part / 4
        label = f"{value:.3g}{scale.unit}"
        parts.append(text(left - 6, y + 4, label, size=10.5, fill=FAINT, anchor="end"))
    return parts


def line_parts(points, color):
    """A line with its points."""
    path = " ".join(f"{at:.1f},{y:.1f}" for at, y in points)
    circles = [f'<circle cx="{at:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for at, y in points]
    line = f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
    return [line, *circles]


def stacks_svg(title, subtitle, names, stacks):
    """A bar for each, of two parts that are shares of 1."""
    parts = heading(title, subtitle)
    left, width = MARGIN + 160, WIDTH - 2 * MARGIN - 160 - 240
    y = 84
    for stack in stacks:
        parts.append(text(left - 10, y + 12.5, stack.name, anchor="end"))
        parts.append(f'<rect x="{left}" y="{y}" width="{width}" height="17" fill="#f0f3f6"/>')
        at = left
        for share, color in zip(stack.parts, SHARES):
            parts.append(
                f'<rect x="{at:.1f}" y="{y}" width="{share * width:.1f}" height="17" fill="{color}"/>'
            )
            at += share * width
        parts.append(text(left + width + 10, y + 12.5, stack.end, size=11.5, fill=FAINT))
        y += 27
    key = left
    for name, color in zip(names, SHARES):
        parts.append(f'<rect x="{key:.1f}" y="{y + 4}" width="9" height="9" fill="{color}"/>')
        parts.append(text(key + 13, y + 12, name, size=11))
        key += 36 + 6.2 * len(name)
    return framed(title, y + 34, parts)


def heading(title, subtitle):
    """Title and subtitle."""
    return [
        text(MARGIN, 38, title, size=17, weight=600),
        text(MARGIN, 60, subtitle, size=12.5, fill=FAINT),
    ]


def framed(title, height, parts):
    """The whole file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" role="img" font-family="{escape(FONT)}">'
    )
    frame = (
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:.0f}" rx="8" '
        f'fill="{PAPER}" stroke="{EDGE}"/>'
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", frame, *parts, "</svg>"]) + "\n"
