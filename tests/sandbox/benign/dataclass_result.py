"""Return dataclasses themselves, nested in lists."""

from dataclasses import dataclass
from typing import Optional

ARGUMENT = {"points": [[0, 0], [3, 4], [6, 8]]}


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Path:
    points: list[Point]
    length: float
    label: Optional[str] = None


def main(argument):
    points = [Point(*pair) for pair in argument["points"]]
    length = sum(((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5 for a, b in zip(points, points[1:]))
    return Path(points, length)
