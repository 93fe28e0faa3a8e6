"""Predicates that compare: numbers, times, durations, intervals, and texts with their parts."""

from collections.abc import Callable
from operator import ge, gt, le, lt
from typing import Final, TypeAlias

from mayfly.mangle._values import LARGEST_NUMBER, TRUE, Name, Value, wrap
from mayfly.mangle.builtins._entries import (
    BOOLEAN,
    DURATION,
    NAME,
    NUMBER,
    PAIR,
    STRING,
    TIME,
    Predicates,
    read_value,
    unfit,
)

COMPARISONS: Final = Predicates()
Span: TypeAlias = tuple[int, int]
Order: TypeAlias = Callable[[int, int], bool]
Relation: TypeAlias = Callable[[Span, Span], bool]

_ORDERS: Final[dict[str, tuple[Order, str]]] = {
    "lt": (lt, "is less than"),
    "le": (le, "is at most"),
    "gt": (gt, "is more than"),
    "ge": (ge, "is at least"),
}
_RELATIONS: Final[dict[str, tuple[Relation, str]]] = {
    "before": (lambda left, right: left[1] < right[0], "ends before the second starts"),
    "after": (lambda left, right: right[1] < left[0], "starts after the second ends"),
    "meets": (lambda left, right: left[1] == right[0], "ends when the second starts"),
    "overlaps": (
        lambda left, right: left[1] >= right[0] and right[1] >= left[0],
        "shares some time with the second",
    ),
    "during": (lambda left, right: left[0] >= right[0] and left[1] <= right[1], "lies within the second"),
    "contains": (lambda left, right: right[0] >= left[0] and right[1] <= left[1], "contains the second"),
    "starts": (lambda left, right: left[0] == right[0], "starts with the second"),
    "finishes": (lambda left, right: left[1] == right[1], "ends with the second"),
    "equals": (lambda left, right: left == right, "is the second"),
}


def _add_numbers(name: str, order: Order, words: str) -> None:
    @COMPARISONS.add(name, f"The first number {words} the second.", NUMBER, NUMBER)
    def compare(left: Value, right: Value) -> bool:
        # The commonest builtin of all: no call for each argument.
        if type(left) is int and type(right) is int:
            return order(left, right)
        raise unfit(name, "numbers", right if type(left) is int else left)


def _add_spans(name: str, kind: str, order: Order, words: str) -> None:
    @COMPARISONS.add(name, f"The first {kind[1:]} {words} the second.", kind, kind)
    def compare(left: Value, right: Value) -> bool:
        return order(read_value(name, kind, left), read_value(name, kind, right))


def _add_relation(name: str, relation: Relation, words: str) -> None:
    # Not pairs of times: an interval that these predicates take apart is a pair of numbers, nanoseconds since 1970.
    span = ("fn:Pair", NUMBER, NUMBER)

    @COMPARISONS.add(name, f"The first interval {words}; intervals are pairs of numbers.", span, span)
    def compare(left: Value, right: Value) -> bool:
        return relation(_span(name, left), _span(name, right))


def _span(name: str, value: Value) -> Span:
    start, end = read_value(name, PAIR, value)
    return read_value(name, NUMBER, start), read_value(name, NUMBER, end)


for _name, (_order, _words) in _ORDERS.items():
    _add_numbers(f":{_name}", _order, _words)
    _add_spans(f":time:{_name}", TIME, _order, _words)
    _add_spans(f":duration:{_name}", DURATION, _order, _words)
for _name, (_relation, _words) in _RELATIONS.items():
    _add_relation(f":interval:{_name}", _relation, _words)


@COMPARISONS.add(":within_distance", "The first two numbers are less than the third apart.", NUMBER, NUMBER, NUMBER)
def _within_distance(left: Value, right: Value, limit: Value) -> bool:
    first, second, largest = (read_value(":within_distance", NUMBER, value) for value in (left, right, limit))
    return bool(min(abs(wrap(first - second)), LARGEST_NUMBER) < largest)


@COMPARISONS.add(":match_prefix", "The first is a name that is longer than the second and starts with it.", NAME, NAME)
def _match_prefix(value: Value, prefix: Value) -> bool:
    start = read_value(":match_prefix", NAME, prefix)
    return isinstance(value, Name) and value.text.startswith(start) and value.text != start


@COMPARISONS.add(":string:starts_with", "The first is a string that starts with the second.", STRING, STRING)
def _starts_with(value: Value, part: Value) -> bool:
    start = read_value(":string:starts_with", STRING, part)
    return isinstance(value, str) and value.startswith(start)


@COMPARISONS.add(":string:ends_with", "The first is a string that ends with the second.", STRING, STRING)
def _ends_with(value: Value, part: Value) -> bool:
    end = read_value(":string:ends_with", STRING, part)
    return isinstance(value, str) and value.endswith(end)


@COMPARISONS.add(":string:contains", "The first is a string that contains the second.", STRING, STRING)
def _contains(value: Value, part: Value) -> bool:
    sought = read_value(":string:contains", STRING, part)
    return isinstance(value, str) and sought in value


@COMPARISONS.add(":filter", "The value is /true.", BOOLEAN)
def _filter(value: Value) -> bool:
    return value is TRUE
