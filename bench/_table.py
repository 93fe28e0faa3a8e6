"""Tables of results, and the few statistics they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple


@dataclass(frozen=True, kw_only=True)
class Table:
    """A heading, what the numbers mean, and rows of text.

    *ours*: words in the first two cells of the rows that are ours, the others being peers; if none has one, all are.
    """

    title: str
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    ours: Sequence[str] = ("mayfly",)

    def markdown(self) -> str:
        """Write the table with its columns aligned, so that it reads well as plain text too."""
        table = [list(self.head), *[list(row) for row in self.rows]]
        widths = [max(len(row[column]) for row in table) for column in range(len(self.head))]
        lines = [_line(row, widths) for row in table]
        rule = "| " + " | ".join("-" * (w - 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + " |"
        return "\n".join([f"### {self.title}", "", self.caption, "", lines[0], rule, *lines[1:]])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(row, widths, strict=True))]
    return "| " + " | ".join(cells) + " |"


class Spread(NamedTuple):
    """How a sample is spread."""

    least: float
    middle: float
    most: float


def spread(sample: Sequence[float]) -> Spread:
    """Return minimum, median and 99th percentile."""
    ordered = sorted(sample)
    return Spread(ordered[0], median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))])


def number(value: float) -> str:
    """Write a number with three digits that count."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
