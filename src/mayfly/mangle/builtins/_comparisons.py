"""Predicates that compare: numbers, times, durations, intervals, and texts with their parts."""

from collections.abc import Callable
from operator import contains, ge, gt, le, lt
from typing import Final, TypeAlias

from mayfly.mangle._values import LARGEST_NUMBER, TRUE, Name, Value, wrap
from mayfly.mangle.builtins._entries import (
    BOOLEAN,
    DURATION,
    NAME,
    NUMBER,
    STRING,
    TIME,
    Predicate,
    by_symbol,
    matcher,
    predicate,
    reader,
    unfit,
)

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


def _comparing_numbers(name: str, order: Order, words: str) -> Predicate:
    def compare(left: Value, right: Value) -> bool:
        # The commonest builtin of all: no call for each argument.
        if type(left) is int and type(right) is int:
            return order(left, right)
        raise unfit(name, "numbers", right if type(left) is int else left)

    return matcher(name, f"The first number {words} the second.", "++", (NUMBER, NUMBER), test=compare)


def _relating(name: str, relation: Relation, words: str) -> Predicate:
    # Not pairs of times: an interval that these predicates take apart is a pair of numbers, nanoseconds since 1970.
    span, number = ("fn:Pair", NUMBER, NUMBER), reader(name, NUMBER)

    def holds(left: tuple[Value, Value], right: tuple[Value, Value]) -> bool:
        first, last, other_first, other_last = map(number, (*left, *right))
        return relation((first, last), (other_first, other_last))

    return predicate(name, f"The first interval {words}; intervals are pairs of numbers.", holds, span, span)


def _within_distance(left: int, right: int, limit: int) -> bool:
    return min(abs(wrap(left - right)), LARGEST_NUMBER) < limit


def _finding(name: str, doc: str, kind: str, finds: Callable[[str, str], bool]) -> Predicate:
    """Return a predicate of a text and a part; the part has to be a text, in anything else it is not found."""
    text, holder = reader(name, kind), {NAME: Name, STRING: str}[kind]

    def holds(value: Value, sought: Value) -> bool:
        part = text(sought)
        return isinstance(value, holder) and finds(text(value), part)

    return matcher(name, doc, "++", (kind, kind), test=holds)


COMPARISONS: Final = by_symbol(
    *(_comparing_numbers(f":{name}", order, words) for name, (order, words) in _ORDERS.items()),
    *(
        predicate(f":{kind[1:]}:{name}", f"The first {kind[1:]} {words} the second.", order, kind, kind)
        for name, (order, words) in _ORDERS.items()
        for kind in (TIME, DURATION)
    ),
    *(_relating(f":interval:{name}", relation, words) for name, (relation, words) in _RELATIONS.items()),
    predicate(
        ":within_distance",
        "The first two numbers are less than the third apart.",
        *(_within_distance, NUMBER, NUMBER, NUMBER),
    ),
    _finding(
        ":match_prefix",
        "The first is a name that is longer than the second and starts with it.",
        *(NAME, lambda text, start: text.startswith(start) and text != start),
    ),
    _finding(":string:starts_with", "The first is a string that starts with the second.", STRING, str.startswith),
    _finding(":string:ends_with", "The first is a string that ends with the second.", STRING, str.endswith),
    _finding(":string:contains", "The first is a string that contains the second.", STRING, contains),
    predicate(":filter", "The value is /true.", lambda value: value is TRUE, BOOLEAN),
)
