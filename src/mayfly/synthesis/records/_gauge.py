"""Make measures of rows on the host: counts, shares, sums, percentiles."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from statistics import median, stdev
from typing import cast

from mayfly.language.question import Expression, Measure
from mayfly.synthesis.records._match import Matcher
from mayfly.synthesis.records._values import Row, Values, key_text, sort_key


class Gauge:
    """Make one value of many rows."""

    def __init__(self, values: Values, matcher: Matcher, *, grouped: bool) -> None:
        self._values, self._matcher, self._grouped = values, matcher, grouped

    def measure(self, measure: Measure, rows: Sequence[Row]) -> object:
        """Return the value of a measure; None where there is nothing to make it of."""
        if measure.function == "count":
            return len(rows)
        if measure.function == "share":
            hits = self._matcher.filter(rows, measure.where) if measure.where else []
            told = self._count_apart(measure.of, rows)
            return 100 * self._count_apart(measure.of, hits) / told if told else None
        assert measure.of is not None
        if measure.function == "ratio":
            assert measure.per is not None
            part, whole = (self._total(of, rows) for of in (measure.of, measure.per))
            return 100 * part / whole if whole else None
        held = [(self._values.comparable(measure.of, row), self._values.of(measure.of, row)) for row in rows]
        held = [pair for pair in held if pair[0] is not None and pair[0] != ""]
        if measure.function == "unique":
            return len({json.dumps(value, sort_keys=True) for _, value in held})
        if not held:
            # Of no numbers the sum is nothing; a group of which nothing is known is left out.
            return 0 if measure.function == "sum" and not self._grouped else None
        return self._of_values(measure, held)

    def _of_values(self, measure: Measure, held: list[tuple[object, object]]) -> object:
        """Make a value of some, each of which stands behind what it is compared by."""
        if measure.function in ("first", "last"):
            return held[0 if measure.function == "first" else -1][1]
        if measure.function in ("min", "max"):
            choose = min if measure.function == "min" else max
            return choose(held, key=lambda pair: sort_key(pair[0]))[1]
        if measure.function == "mode":
            counts = Counter(key_text(value) for _, value in held)
            return min(counts, key=lambda one: (-counts[one], one))
        if measure.of is not None and self._values.is_moment(measure.of):
            moments = [cast("datetime", pair[0]) for pair in held]
            return (max(moments) - min(moments)).total_seconds()
        return _work_out(measure, [cast("int | float", pair[0]) for pair in held])

    def _count_apart(self, of: Expression | None, rows: Sequence[Row]) -> int:
        """Return how many rows there are, or how many different values of an expression."""
        if of is None:
            return len(rows)
        held = (self._values.of(of, row) for row in rows)
        return len({json.dumps(value, sort_keys=True) for value in held if value is not None})

    def _total(self, of: Expression, rows: Sequence[Row]) -> float:
        held = [value for row in rows if isinstance(value := self._values.of(of, row), (int, float))]
        return math.fsum(held)


def _work_out(measure: Measure, values: list[int | float]) -> object:
    if measure.function == "sum":
        return sum(values) if all(isinstance(one, int) for one in values) else math.fsum(values)
    if measure.function == "mean":
        return math.fsum(values) / len(values)
    if measure.function == "median":
        return median(values)
    if measure.function == "range":
        return max(values) - min(values)
    if measure.function == "stdev":
        return stdev(values) if len(values) > 1 else 0.0
    return percentile(values, measure.at)


def percentile(values: Sequence[int | float], at: float) -> float:
    """Return a percentile by linear interpolation between the two nearest values, as spreadsheets do."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * at / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)
