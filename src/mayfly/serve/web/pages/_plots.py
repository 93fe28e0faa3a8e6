"""Small plots as SVG, for whoever would rather look than read: bars, and one line over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from mayfly.serve.web.pages._frame import templates

# Units of the drawing; a phone is about as wide, so that letters keep their size there.
_WIDTH = 360
_ROW = 22
_LABEL = 116
_ROOM = _WIDTH - _LABEL - 62
_LINE_HEIGHT = 132
_MARGIN = 18
_SIDE = 8
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


def bar_plot(bars: Sequence[Bar], *, title: str, most: float | None = None) -> Markup:
    """Draw bars below each other; *most* is the value of a whole one, the largest of them unless said."""
    shown = bars[:_MOST_BARS]
    whole = most or max((_finite(bar.value) for bar in shown), default=0.0) or 1.0
    # A bar that is not nothing is seen.
    lengths = [max(_ROOM * min(1.0, _finite(bar.value) / whole), 2.0) if bar.value > 0 else 0.0 for bar in shown]
    said = [bar.said or _number(bar.value) for bar in shown]
    told = ", ".join(f"{bar.label} {words}" for bar, words in zip(shown, said, strict=True))
    rows = list(zip(shown, lengths, said, strict=True))
    return _drawn("bars", rows, f"{title}: {told or 'nothing yet'}", _WIDTH, _LABEL, _ROOM, _ROW)


def line_plot(values: Sequence[float], *, title: str, unit: str = "", ends: tuple[str, str] = ("", "")) -> Markup:
    """Draw values in their order as one line, with the smallest and the largest said; *ends* are the words below."""
    points = _thinned([value for value in values if math.isfinite(value)])
    low, high = min((*points, 0.0)), max((*points, 0.0))
    reach = f", from {_number(points[0])} to {_number(points[-1])}{unit}" if points else ""
    bottom = _LINE_HEIGHT - _MARGIN
    scale = (bottom - _MARGIN) / (high - low or 1.0)
    step = (_WIDTH - _SIDE * 2) / max(1, len(points) - 1)
    places = [
        (f"{_SIDE + step * number:.1f}", f"{bottom - scale * (value - low):.1f}") for number, value in enumerate(points)
    ]
    path = " ".join(f"{'L' if number else 'M'}{x} {y}" for number, (x, y) in enumerate(places))
    told, words = f"{title}: {len(points)} values{reach}", (f"{_number(high)}{unit}", *ends)
    zero = f"{bottom + scale * low:.1f}"
    return _drawn("line", path, places[-1] if places else (), zero, told, _WIDTH, _LINE_HEIGHT, words)


def _drawn(macro: str, *given: Any) -> Markup:
    drawn: Markup = getattr(templates().get_template("_plots.html").module, macro)(*given)
    return drawn


def _thinned(values: list[float]) -> list[float]:
    """Return as many values as can be told apart, the largest of each stretch: what is rare and slow is to be seen."""
    if len(values) <= _MOST_POINTS:
        return values
    size = math.ceil(len(values) / _MOST_POINTS)
    return [max(values[start : start + size], key=abs) for start in range(0, len(values), size)]


def _finite(value: float) -> float:
    return value if math.isfinite(value) and value > 0 else 0.0


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
