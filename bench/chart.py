"""A bar chart as SVG text, on a background of its own so that it reads on any page.

Standard library only.
"""

from html import escape
from typing import NamedTuple

WIDTH = 860
MARGIN, NAMES, ENDS = 28, 172, 226
BAR, STEP = 17, 27
FONT = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
PAPER, EDGE, INK, FAINT = "#ffffff", "#d5dae1", "#1d2733", "#66717f"
OWN, OTHER, LIMIT = "#0a7d5c", "#9fb1c6", "#e0e5eb"


class Bar(NamedTuple):
    """A bar: `kind` is own, other or limit; `end` is said after its value."""

    name: str
    value: float
    end: str
    kind: str


class Panel(NamedTuple):
    """Bars with a heading."""

    title: str
    bars: list


def svg(title, subtitle, panels):
    """The chart; all panels have the same scale."""
    most = max(bar.value for panel in panels for bar in panel.bars)
    parts = []
    y = 40
    parts.append(text(MARGIN, y, title, size=18, weight=600))
    y += 22
    parts.append(text(MARGIN, y, subtitle, size=12.5, fill=FAINT))
    y += 14
    for panel in panels:
        y += 30
        parts.append(text(MARGIN, y, panel.title, size=13.5, weight=600))
        y += 12
        for bar in panel.bars:
            parts += bar_parts(bar, y, most)
            y += STEP
    height = y + 18
    frame = (
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8" '
        f'fill="{PAPER}" stroke="{EDGE}"/>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" font-family="{escape(FONT)}">'
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", frame, *parts, "</svg>"]) + "\n"


def bar_parts(bar, y, most):
    """Name, bar, value and what is said after it."""
    fill = {"own": OWN, "other": OTHER, "limit": LIMIT}[bar.kind]
    ink = FAINT if bar.kind == "limit" else INK
    weight = 600 if bar.kind == "own" else 400
    left = MARGIN + NAMES
    width = max(1.5, bar.value / most * (WIDTH - left - ENDS - MARGIN))
    line = y + BAR - 4.5
    end = left + width + 8
    value = f"{bar.value:.3f} s"
    parts = [
        text(left - 10, line, bar.name, weight=weight, fill=ink, anchor="end"),
        f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{BAR}" rx="2" fill="{fill}"/>',
        text(end, line, value, weight=weight, fill=ink),
    ]
    if bar.end:
        parts.append(text(end + 58, line, bar.end, size=11.5, weight=weight, fill=FAINT))
    return parts


def text(x, y, content, size=12.5, weight=400, fill=INK, anchor="start"):
    """A line of text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(content)}</text>'
    )
