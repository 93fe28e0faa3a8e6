"""Ranges in the output that hold a number of the input: both ends follow from the number and the width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mayfly.synthesis.examples._numbers import DOWN, NUMBER, PLUS, UP, Exact, Source, derived, equal, notations, offer
from mayfly.synthesis.examples._ops import READ_NUMBER
from mayfly.synthesis.examples._pieces import Pool
from mayfly.synthesis.examples._task import Task

_MOST_SOURCES = 16
_MOST_NUMBERS = 8


def add_ranges(pool: Pool, task: Task, sources: Sequence[Source]) -> None:
    """Offer the ends of every range that all outputs have."""
    for source in sources[:_MOST_SOURCES]:
        task.check_time()
        _add_range(pool, source, task)


def _add_range(pool: Pool, source: Source, task: Task) -> None:
    """Offer the lower and the upper end of a range that holds the number."""
    found = [NUMBER.findall(output) for output in task.outputs]
    least = min(_MOST_NUMBERS, *(len(each) for each in found))
    for index, after in (
        (first, last) for first in range(least - 1) for last in range(first + 1, min(first + 4, least))
    ):
        texts = [tuple(each[place] for each in found) for place in (index, after)]
        for notation, lows in notations(texts[0], NUMBER):
            highs = [READ_NUMBER.run(text.replace(",", "")) for text in texts[1]]
            for low, width in _ranges(source, lows, highs):  # type: ignore[arg-type]
                high = derived(PLUS, low, *width)
                if offer(pool, low, texts[0], notation, cost=0.2):
                    for other, _ in notations(texts[1], NUMBER):
                        if offer(pool, high, texts[1], other, cost=0.2):
                            break


def _ranges(source: Source, lows: Sequence[Exact], highs: Sequence[Exact]) -> Iterator[tuple[Source, Exact]]:
    """Yield the lower ends that fit, each with the width, if all ranges are equally wide."""
    common = max(0, *(places for _, places in (*lows, *highs)))
    first = [units * 10 ** (common - places) for units, places in lows]
    last = [units * 10 ** (common - places) for units, places in highs]
    widths = {high - low for low, high in zip(first, last, strict=True)}
    if len(widths) != 1 or min(widths) <= 0:
        return
    width = widths.pop()
    for step in (width, width + 1):
        offset = first[0] % step
        if any(low % step != offset for low in first):
            continue
        for op, back in ((DOWN, 0), (UP, -step)):
            base = source if not offset else derived(PLUS, source, -offset, common)
            low = derived(op, base, step, common, cost=0.8 + (0.3 if back else 0.0) + (0.2 if offset else 0.0))
            low = low if not offset + back else derived(PLUS, low, offset + back, common)
            if equal(low.values, lows):
                yield low, (width, common)
                break
