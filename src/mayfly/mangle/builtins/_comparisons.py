"""Predicates that compare: numbers, times, durations, intervals, and texts with their parts."""

from collections.abc import Callable
from operator import ge, gt, le, lt
from typing import Final, TypeAlias

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import LARGEST_NUMBER, TRUE, Name, Value, wrap
from mayfly.mangle.builtins._arguments import (
    as_duration,
    as_name,
    as_number,
    as_pair,
    as_string,
    as_time,
    unfit,
)
from mayfly.mangle.builtins._entries import Predicate

Span: TypeAlias = tuple[int, int]


def _orders(prefix: str, noun: str, held: Callable[[str, Value], int]) -> tuple[Predicate, ...]:
    """Return the four predicates of one order."""
    words = {
        "lt": (lt, "is less than"),
        "le": (le, "is at most"),
        "gt": (gt, "is more than"),
        "ge": (ge, "is at least"),
    }
    return tuple(
        Predicate(
            symbol=Symbol(f":{prefix}{name}", 2),
            modes=("+", "+"),
            test=_number_order(f":{name}", order) if held is as_number else _order(f":{prefix}{name}", order, held),
            doc=f"The first {noun} {words_} the second.",
        )
        for name, (order, words_) in words.items()
    )


def _number_order(name: str, order: Callable[[int, int], bool]) -> Callable[[Value, Value], bool]:
    def compare(left: Value, right: Value) -> bool:
        # The commonest builtin of all: no call for each argument.
        if type(left) is int and type(right) is int:
            return order(left, right)
        raise unfit(name, "numbers", right if type(left) is int else left)

    return compare


def _order(
    name: str, order: Callable[[int, int], bool], held: Callable[[str, Value], int]
) -> Callable[[Value, Value], bool]:
    def compare(left: Value, right: Value) -> bool:
        return order(held(name, left), held(name, right))

    return compare


def _within_distance(left: Value, right: Value, limit: Value) -> bool:
    first, second, largest = (as_number(":within_distance", value) for value in (left, right, limit))
    return min(abs(wrap(first - second)), LARGEST_NUMBER) < largest


def _match_prefix(value: Value, prefix: Value) -> bool:
    start = as_name(":match_prefix", prefix)
    return isinstance(value, Name) and value.text.startswith(start) and value.text != start


def _starts_with(value: Value, part: Value) -> bool:
    start = as_string(":string:starts_with", part)
    return isinstance(value, str) and value.startswith(start)


def _ends_with(value: Value, part: Value) -> bool:
    end = as_string(":string:ends_with", part)
    return isinstance(value, str) and value.endswith(end)


def _contains(value: Value, part: Value) -> bool:
    sought = as_string(":string:contains", part)
    return isinstance(value, str) and sought in value


def _filter(value: Value) -> bool:
    return value is TRUE


def _between(name: str, relation: Callable[[Span, Span], bool]) -> Callable[[Value, Value], bool]:
    """Return the test of a relation of intervals, which are pairs of numbers here: nanoseconds since 1970."""

    def compare(left: Value, right: Value) -> bool:
        return relation(_span(name, left), _span(name, right))

    return compare


def _span(name: str, value: Value) -> Span:
    start, end = as_pair(name, value)
    return as_number(name, start), as_number(name, end)


def _overlaps(left: Span, right: Span) -> bool:
    return left[1] >= right[0] and right[1] >= left[0]


def _during(left: Span, right: Span) -> bool:
    return left[0] >= right[0] and left[1] <= right[1]


_RELATIONS: Final[dict[str, tuple[Callable[[Span, Span], bool], str]]] = {
    "before": (lambda left, right: left[1] < right[0], "ends before the second starts"),
    "after": (lambda left, right: right[1] < left[0], "starts after the second ends"),
    "meets": (lambda left, right: left[1] == right[0], "ends when the second starts"),
    "overlaps": (_overlaps, "shares some time with the second"),
    "during": (_during, "lies within the second"),
    "contains": (lambda left, right: _during(right, left), "contains the second"),
    "starts": (lambda left, right: left[0] == right[0], "starts with the second"),
    "finishes": (lambda left, right: left[1] == right[1], "ends with the second"),
    "equals": (lambda left, right: left == right, "is the second"),
}

COMPARISONS: Final = (
    *_orders("", "number", as_number),
    *_orders("time:", "time", as_time),
    *_orders("duration:", "duration", as_duration),
    Predicate(
        symbol=Symbol(":within_distance", 3),
        modes=("+", "+", "+"),
        test=_within_distance,
        doc="The first two numbers are less than the third apart.",
    ),
    Predicate(
        symbol=Symbol(":match_prefix", 2),
        modes=("+", "+"),
        test=_match_prefix,
        doc="The first is a name that is longer than the second and starts with it.",
    ),
    Predicate(
        symbol=Symbol(":string:starts_with", 2),
        modes=("+", "+"),
        test=_starts_with,
        doc="The first is a string that starts with the second.",
    ),
    Predicate(
        symbol=Symbol(":string:ends_with", 2),
        modes=("+", "+"),
        test=_ends_with,
        doc="The first is a string that ends with the second.",
    ),
    Predicate(
        symbol=Symbol(":string:contains", 2),
        modes=("+", "+"),
        test=_contains,
        doc="The first is a string that contains the second.",
    ),
    Predicate(symbol=Symbol(":filter", 1), modes=("+",), test=_filter, doc="The value is /true."),
    *(
        Predicate(
            symbol=Symbol(f":interval:{name}", 2),
            modes=("+", "+"),
            test=_between(f":interval:{name}", relation),
            doc=f"The first interval {words}; intervals are pairs of numbers.",
        )
        for name, (relation, words) in _RELATIONS.items()
    ),
)
