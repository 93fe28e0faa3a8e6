"""Small plots as SVG, for whoever would rather look than read: bars, and one line over time.

They hold no style and no script, so that a page with a strict policy can show them: what has a class is coloured by the
page's stylesheet, and where there is none by the colour of the text around it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from mayfly.core import clipped, harmless

# Units of the drawing; a phone is about as wide, so that letters keep their size there.
_WIDTH = 360
_ROW = 22
_LABEL = 116
_SAID = 62
_LINE_HEIGHT = 132
_MARGIN = 18
# More points than the drawing has units cannot be told apart.
_MOST_POINTS = 360
# More bars than these are a table and no picture.
_MOST_BARS = 24


class Bar(NamedTuple):
    """One bar: what it is called, how long it is, and the words at its end; *kind* names its colour."""

    label: str
    value: float
    said: str = ""
    kind: str = ""


def bar_plot(bars: Sequence[Bar], *, title: str, most: float | None = None) -> str:
    """Draw bars below each other; *most* is the value of a whole one, the largest of them unless said."""
    shown = bars[:_MOST_BARS]
    whole = most or max((_finite(bar.value) for bar in shown), default=0.0) or 1.0
    parts = [_bar(bar, row, whole) for row, bar in enumerate(shown)]
    told = ", ".join(f"{bar.label} {bar.said or _number(bar.value)}" for bar in shown)
    return _svg("bars", max(1, len(shown)) * _ROW, f"{title}: {told or 'nothing yet'}", parts)


def _bar(bar: Bar, row: int, whole: float) -> str:
    room = _WIDTH - _LABEL - _SAID
    length = room * min(1.0, _finite(bar.value) / whole)
    # A bar that is not nothing is seen.
    length = max(length, 2.0) if bar.value > 0 else 0.0
    top, text = row * _ROW + 5, row * _ROW + 15
    return (
        f'<text class="plot-label" x="0" y="{text}" font-size="12" fill="currentColor">{_text(bar.label, 18)}</text>'
        f'<rect class="plot-room" x="{_LABEL}" y="{top}" width="{room}" height="12" rx="3" fill="none"/>'
        f'<rect class="plot-bar {_kind(bar.kind)}" x="{_LABEL}" y="{top}" width="{length:.1f}" height="12" rx="3"'
        f' fill="currentColor"/><text class="plot-said" x="{_WIDTH}" y="{text}" font-size="12" text-anchor="end"'
        f' fill="currentColor">{_text(bar.said or _number(bar.value), 10)}</text>'
    )


def line_plot(values: Sequence[float], *, title: str, unit: str = "", ends: tuple[str, str] = ("", "")) -> str:
    """Draw values in their order as one line, with the smallest and the largest said; *ends* are the words below."""
    points = _thinned([value for value in values if math.isfinite(value)])
    low, high = min((*points, 0.0)), max((*points, 0.0))
    told = f"{title}: {len(points)} values" + (
        f", from {_number(points[0])} to {_number(points[-1])}" if points else ""
    )
    if not points:
        return _svg("line", _LINE_HEIGHT, told, [])
    span = high - low or 1.0
    bottom, left = _LINE_HEIGHT - _MARGIN, 8
    step = (_WIDTH - left * 2) / max(1, len(points) - 1)
    places = [
        (left + step * number, bottom - (bottom - _MARGIN) * (value - low) / span)
        for number, value in enumerate(points)
    ]
    path = " ".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(places))
    zero = bottom - (bottom - _MARGIN) * (0.0 - low) / span
    parts = [
        f'<line class="plot-axis" x1="{left}" y1="{zero:.1f}" x2="{_WIDTH - left}" y2="{zero:.1f}"'
        ' stroke="currentColor" stroke-opacity="0.3"/>',
        f'<path class="plot-line" d="{path}" fill="none" stroke="currentColor" stroke-width="2"/>',
        f'<circle class="plot-dot" cx="{places[-1][0]:.1f}" cy="{places[-1][1]:.1f}" r="3" fill="currentColor"/>',
        _word(left, 12, f"{_number(high)}{unit}"),
        _word(left, _LINE_HEIGHT - 4, ends[0]),
        _word(_WIDTH - left, _LINE_HEIGHT - 4, ends[1], anchor="end"),
    ]
    return _svg("line", _LINE_HEIGHT, told + unit, parts)


def _thinned(values: list[float]) -> list[float]:
    """Return as many values as can be told apart, the largest of each stretch: what is rare and slow is to be seen."""
    if len(values) <= _MOST_POINTS:
        return values
    size = math.ceil(len(values) / _MOST_POINTS)
    return [max(values[start : start + size], key=abs) for start in range(0, len(values), size)]


def _svg(kind: str, height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="plot plot-{kind}" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{_text(title, 2000)}"'
        f' xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _word(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return (
        f'<text class="plot-said" x="{x}" y="{y}" font-size="12" text-anchor="{anchor}" fill="currentColor">'
        f"{_text(text, 40)}</text>"
    )


def _text(text: str, limit: int) -> str:
    return escape(clipped(harmless(" ".join(text.split())), limit))


def _kind(kind: str) -> str:
    """Return a class that a stylesheet can name; whatever else somebody calls a bar is not one."""
    return f"plot-{kind}" if kind.isascii() and kind.isalpha() else ""


def _finite(value: float) -> float:
    return value if math.isfinite(value) and value > 0 else 0.0


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
