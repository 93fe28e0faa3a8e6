"""Numbers in the output, explained by numbers in the input: scaled, rounded, put into ranges, written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from mayfly.synthesis.examples._ops import (
    LENGTH,
    LJUST,
    NUMBER_IN,
    READ_NUMBER,
    RJUST,
    STRING,
    WRITE_NUMBER,
    call,
    helper,
)
from mayfly.synthesis.examples._pieces import AtomPool
from mayfly.synthesis.examples._task import InputColumn, SearchTask, Texts, as_texts, computed
from mayfly.synthesis.examples._tree import Expr, Op, Value

Exact = tuple[int, int]
NUMBER = re.compile(r"(?:(?<![\w.])-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?")
_EUROPEAN = re.compile(r"(?:(?<![\w.])-)?(?:\d{1,3}(?:\.\d{3})+(?!\d)|\d+)(?:,\d+)?")
_SPACED = re.compile(r"(?:(?<![\w.])-)?\d{1,3}(?: \d{3})+(?:[.,]\d+)?")
_POWERS = (0, 3, -3, 2, -2, 6, -6, 1, -1, 9, -9)
_FACTORS = (1, 2, 5, 25, 20, 10, 15, 30)
_MOST_NUMBERS = 5
_MOST_SOURCES = 16
_ENDLESS = 20

_TYPE = "tuple[int, int]"
WHOLE = helper("whole", _TYPE, words="{0}")
SHIFTED = helper("shifted", _TYPE, words="{0} times a power of ten")
PLUS = helper("plus", _TYPE, words="{0} plus {1}")
DOWN = helper("round_down", _TYPE, words="{0} rounded down")
UP = helper("round_up", _TYPE, words="{0} rounded up")
_MODES: tuple[tuple[Op, float], ...] = (
    (helper("round_nearest", _TYPE, words="{0} rounded"), 0.0),
    (DOWN, 0.3),
    (UP, 0.4),
    (helper("cut_off", _TYPE, words="{0} cut off"), 0.5),
)
_PAIRS: tuple[tuple[Op, float], ...] = (
    (helper("total", _TYPE, words="the sum of {0} and {1}"), 0.0),
    (helper("difference", _TYPE, words="{0} minus {1}"), 0.1),
    (helper("product", _TYPE, words="{0} times {1}"), 0.2),
)
_COUNT = helper("as_count", "int", words="{0}")
_WORDED: tuple[Op, ...] = (
    helper("ordinal", words="{0} with its ending"),
    helper("roman", words="{0} in Roman numerals"),
)
_WHOLE_PART = helper("whole_part", words="the whole part of {0}")
_PLACES_PART = helper("places_part", words="the decimals of {0}")


class NumberSource(NamedTuple):
    """A number that the inputs give: its cost and its value for every input."""

    cost: float
    expr: Expr
    values: tuple[Exact | None, ...]


class Notation(NamedTuple):
    """How the outputs write a number."""

    least: int
    most: int
    width: int
    mark: str
    point: str


def derived(op: Op, source: NumberSource, *args: int, cost: float = 0.0) -> NumberSource:
    """Return the source with an operation applied to it."""
    values = computed(lambda value: op.run(value, *args), source.values)
    return NumberSource(source.cost + cost, call(op, source.expr, *args), values)  # type: ignore[arg-type]


def number_sources(columns: Sequence[InputColumn], count: int) -> list[NumberSource]:
    """Return the numbers in the columns, cheapest first."""
    sources: dict[tuple[Value, ...], NumberSource] = {}
    for cost, expr, values in (found for column in columns for found in _numbers(column, count)):
        known = values[:count]
        if None not in known and (values not in sources or cost < sources[values].cost):
            sources[values] = NumberSource(cost, expr, values)  # type: ignore[arg-type]
    return sorted(sources.values(), key=lambda source: source.cost)


def _numbers(column: InputColumn, count: int) -> Iterator[tuple[float, Expr, tuple[Value, ...]]]:
    yield 0.3, call(READ_NUMBER, column.expr), computed(READ_NUMBER.run, column.texts)
    found = [len(NUMBER.findall(text or "")) for text in column.texts[:count]]
    for index in range(min(*found, _MOST_NUMBERS) if len(found) > 1 else min(found[0], _MOST_NUMBERS)):
        for place, cost in ((index, 1.0 + 0.2 * index), (-index - 1, 1.12 + 0.2 * index)):
            values = computed(lambda text, place=place: NUMBER_IN.run(text, place), column.texts)
            yield cost, call(NUMBER_IN, column.expr, place), values


def add_numbers(pool: AtomPool, task: SearchTask, sources: Sequence[NumberSource]) -> None:
    """Offer every number of the outputs that a number of the inputs explains."""
    for column in task.columns:
        sizes = computed(len, column.texts)
        if len(set(sizes[: task.count])) < 2:
            continue
        pool.offer(
            1.8, call(STRING, call(LENGTH, column.expr)), tuple(None if size is None else str(size) for size in sizes)
        )
    targets = list(_targets(task.outputs))
    for source in sources[:_MOST_SOURCES]:
        task.check_time()
        _add_plain(pool, source)
        for texts, notations, wanted in targets:
            task.check_time()
            _explain(pool, source, texts, notations, wanted)
    for (op, cost), left, right in ((pair, *both) for pair in _PAIRS for both in combinations(sources[:6], 2)):
        values = computed(op.run, left.values, right.values)
        mixed = NumberSource(left.cost + right.cost + cost, call(op, left.expr, right.expr), values)  # type: ignore[arg-type]
        for texts, notations, wanted in targets:
            _explain(pool, mixed, texts, notations, wanted, rounding=False)


def _add_plain(pool: AtomPool, source: NumberSource) -> None:
    """Offer the whole part and the decimals, padded, and the number in words."""
    for op in (_WHOLE_PART, _PLACES_PART):
        values = as_texts(computed(op.run, source.values))
        pool.offer_all(source.cost + 0.8, call(op, source.expr), values)
        _add_aligned(pool, source.cost + 1.5, call(op, source.expr), values)
    for op in _WORDED:
        values = as_texts(computed(lambda value, op=op: op.run(_COUNT.run(value)), source.values))
        pool.offer_cased(source.cost + 1.0, call(op, call(_COUNT, source.expr)), values)


def _add_aligned(pool: AtomPool, cost: float, expr: Expr, values: Texts) -> None:
    if len({len(value or "") for value in values[: pool.task.count]}) < 2:
        return
    for width in range(2, 9):
        for fill in " 0":
            for op in (RJUST, LJUST):
                pool.offer_changed(cost, op, expr, values, width, fill)


def _targets(outputs: Sequence[str]) -> Iterator[tuple[tuple[str, ...], list[Notation], tuple[Exact, ...]]]:
    """Yield the numbers that all outputs have at the same count, how they are written and what they are."""
    seen: set[tuple[str, ...]] = set()
    for pattern in (NUMBER, _EUROPEAN, _SPACED):
        found = [pattern.findall(output) for output in outputs]
        least = min(len(each) for each in found)
        for index in [place for number in range(min(least, _MOST_NUMBERS)) for place in (number, -number - 1)]:
            texts = tuple(each[index] for each in found)
            if (pattern.pattern, *texts) in seen:
                continue
            seen.add((pattern.pattern, *texts))
            found_here = list(notations(texts, pattern))
            if found_here:
                yield texts, [notation for notation, _ in found_here], found_here[0][1]


def notations(texts: Sequence[str], pattern: re.Pattern[str]) -> Iterator[tuple[Notation, tuple[Exact, ...]]]:
    point = "," if pattern is _EUROPEAN else "."
    joined = "".join(texts)
    mark = {NUMBER.pattern: ",", _EUROPEAN.pattern: ".", _SPACED.pattern: " "}[pattern.pattern]
    if pattern is _EUROPEAN and point not in joined:
        return
    plain = [text.replace(mark, "").replace(point, ".") for text in texts]
    try:
        wanted = tuple(READ_NUMBER.run(text) for text in plain)
    except ValueError:
        return
    heads = [text.lstrip("-").partition(".")[0] for text in plain]
    tails = [len(text.partition(".")[2]) for text in plain]
    widths = {len(head) for head in heads if head.startswith("0") and len(head) > 1}
    width = widths.pop() if len(widths) == 1 else 0
    low, high = min(tails), max(tails)
    # Nothing speaks for rounding as long as the numbers come out without it.
    places = [(low, high)] if low == high > 0 else []
    places += [(0, _ENDLESS), (low, _ENDLESS), (0, high), (low, high)]
    for least, most in dict.fromkeys(places):
        yield Notation(least, most, width, mark if mark in joined else "", point), wanted  # type: ignore[misc]


def _explain(
    pool: AtomPool,
    source: NumberSource,
    texts: Sequence[str],
    notations: Sequence[Notation],
    wanted: Sequence[Exact],
    *,
    rounding: bool = True,
) -> None:
    """Offer the source in a notation if some scale and some rounding give the wanted texts."""
    for power in _POWERS if rounding else (0,):
        if not _near(source.values, power, wanted):
            continue
        scaled = source if power == 0 else derived(SHIFTED, source, power, cost=1.0 + 0.1 * abs(power))
        # All that fit are rivals: which of them is meant shows where another input makes them differ.
        fitting = [n for rank, n in enumerate(notations) if offer(pool, scaled, texts, n, cost=0.6 + 0.2 * rank)]
        if fitting:
            # That fewer places are shown than there are proves rounding, but not to how many places.
            offer(pool, scaled, texts, fitting[0]._replace(most=fitting[0].most + 2), cost=0.7)
            return
        if rounding and power == 0 and _round(pool, scaled, texts, notations, wanted):
            return


def _near(values: Sequence[Exact | None], power: int, wanted: Sequence[Exact]) -> bool:
    """Whether the numbers times a power of ten are of the same size, so that rounding might make them equal."""
    for value, target in zip(values, wanted, strict=False):
        if value is None:
            return False
        if not _alike(value, power, target):
            return False
    return True


def _alike(value: Exact, power: int, target: Exact) -> bool:
    try:
        left, right = value[0] / 10 ** value[1] * 10.0**power, target[0] / 10 ** target[1]
    except OverflowError:
        return False
    return bool(abs(left - right) <= 0.55 * max(abs(left), abs(right)) + (0.06 if power else 100))


def offer(pool: AtomPool, source: NumberSource, texts: Sequence[str], notation: Notation, cost: float = 0.6) -> bool:
    """Offer the source written in the notation if it gives the texts."""
    for value, text in zip(source.values, texts, strict=False):
        if value is None or WRITE_NUMBER.run(value, *notation) != text:
            return False
    values = as_texts(computed(lambda value: WRITE_NUMBER.run(value, *notation), source.values))
    args: tuple[Value, ...] = tuple(notation)
    for default, count in ((".", 5), ("", 4), (0, 3)):
        if len(args) == count and args[-1] == default:
            args = args[:-1]
    cost += (0.3 if notation.most == _ENDLESS else 0.0) + (0.3 if notation.width else 0.0)
    cost += 0.3 if notation.least != notation.most and notation.least else 0.0
    pool.offer(source.cost + cost, call(WRITE_NUMBER, source.expr, *args), values)
    return True


def _round(
    pool: AtomPool, source: NumberSource, texts: Sequence[str], notations: Sequence[Notation], wanted: Sequence[Exact]
) -> bool:
    """Try to round to every step that all wanted numbers are multiples of."""
    done = False
    for step, places, cost in _steps(wanted, source.values):
        for op, more in _MODES:
            if equal([op.run(value, step, places) for value in source.values[: len(wanted)]], wanted):  # type: ignore[misc]
                rounded = derived(op, source, step, places, cost=0.7 + cost + more)
                done |= any(offer(pool, rounded, texts, notation) for notation in notations)
    return done


def equal(values: Sequence[Exact | None], wanted: Sequence[Exact]) -> bool:
    return all(
        value is not None and value[0] * 10 ** target[1] == target[0] * 10 ** value[1]
        for value, target in zip(values, wanted, strict=False)
    )


def _steps(wanted: Sequence[Exact], values: Sequence[Exact | None]) -> Iterator[tuple[int, int, float]]:
    """Yield the steps (units, places) that all wanted numbers are multiples of and that explain the errors."""
    common = max(2, *(places for _, places in wanted), *(value[1] for value in values[: len(wanted)] if value))
    targets = [units * 10 ** (common - places) for units, places in wanted]
    pairs = zip(targets, values, strict=False)
    errors = [abs(target - value[0] * 10 ** (common - value[1])) for target, value in pairs if value is not None]
    largest = max(errors)
    for power in range(-common, 7):
        for rank, factor in enumerate(_FACTORS):
            if factor == 10:
                continue
            size = factor * 10 ** (power + common)
            if size >= largest and all(target % size == 0 for target in targets) and size <= 20 * largest + 1:
                unit, places = (factor * 10**power, 0) if power >= 0 else (factor, -power)
                yield unit, places, 0.2 * rank


_MOST_RANGED = 16
_MOST_ENDS = 8


def add_ranges(pool: AtomPool, task: SearchTask, sources: Sequence[NumberSource]) -> None:
    """Offer the ends of every range that all outputs have."""
    for source in sources[:_MOST_RANGED]:
        task.check_time()
        _add_range(pool, source, task)


def _add_range(pool: AtomPool, source: NumberSource, task: SearchTask) -> None:
    """Offer the lower and the upper end of a range that holds the number."""
    found = [NUMBER.findall(output) for output in task.outputs]
    least = min(_MOST_ENDS, *(len(each) for each in found))
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


def _ranges(
    source: NumberSource, lows: Sequence[Exact], highs: Sequence[Exact]
) -> Iterator[tuple[NumberSource, Exact]]:
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
