"""NamedTuple and namedtuple become lists."""

from collections import namedtuple
from typing import NamedTuple

ARGUMENT = [[1, 2], [3, 5]]


class Interval(NamedTuple):
    start: int
    end: int = 10

    def width(self) -> int:
        return self.end - self.start


Pair = namedtuple("Pair", "left right", defaults=[0])


def main(argument):
    intervals = [Interval(*row) for row in argument]
    return {
        "intervals": intervals,
        "widths": [interval.width() for interval in intervals],
        "moved": intervals[0]._replace(end=99),
        "pair": Pair(7),
        "fields": Pair._fields,
        "as_dict": Interval(4)._asdict(),
    }
