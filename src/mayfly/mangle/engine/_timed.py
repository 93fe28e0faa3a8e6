"""Facts that hold for a time: how they are kept, and what premises and heads with a time mean.

A fact `p(/a)@[s, e]` is a row of a predicate of its own, `@p`, with two more columns: the instants between which it
holds, the first and last instant there is standing for an open end.
"""

from collections.abc import Callable

from mayfly.mangle._ast import Bound, Constant, Interval
from mayfly.mangle._checked import GivenFact
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import LARGEST_NUMBER, SMALLEST_NUMBER, Duration, Row, Time, Value
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.engine._marks import FIRST, LAST

Window = Callable[[Time, Time, Time], bool]


def bounds_of(interval: Interval) -> tuple[Bound, Bound]:
    """Return both ends of an interval."""
    return interval.start, interval.end


def depends_on_now(interval: Interval | None) -> bool:
    """Tell whether an interval is reckoned from the time of the evaluation."""
    return interval is not None and any(isinstance(bound.end, str) for bound in bounds_of(interval))


def given_row(fact: GivenFact) -> Row:
    """Return the row of a fact, with its time if it has one."""
    if fact.time is None:
        return fact.row
    bounds = zip(bounds_of(fact.time), (FIRST, LAST), strict=True)
    ends = [_instant(bound, open_end, fact) for bound, open_end in bounds]
    return (*fact.row, *ends)


def _instant(bound: Bound, open_end: Time, fact: GivenFact) -> Time:
    if bound.end is None:
        return open_end
    if isinstance(bound.end, Constant) and isinstance(bound.end.value, Time):
        return bound.end.value
    raise MangleError("the time of a fact has to be written out", stage="analyze", place=fact.place)


def instant(value: Value) -> Time:
    """Return the instant that a value stands for: itself, or nanoseconds since 1970."""
    if isinstance(value, Time):
        return value
    if isinstance(value, int):
        return Time(value)
    raise BuiltinError("the end of an interval has to be a time or a number of nanoseconds")


def until(start: Time, end: Time) -> Time:
    """Return the end of an interval that is not over before it begins."""
    if start.held > end.held:
        raise BuiltinError("an interval ends before it starts")
    return end


def covers(start: Time, end: Time, first: Value, last: Value) -> bool:
    """Tell whether one interval contains another; what is no instant restricts nothing."""
    if not isinstance(first, Time | int) or not isinstance(last, Time | int):
        return True
    return start.held <= instant(first).held and end.held >= instant(last).held


def window(operator: str, interval: Interval) -> Window:
    """Return the test of an operator: `<-` and `<+` hold if the fact holds at some instant of the window, `[-` and `[+`
    if it holds throughout; the window is reckoned back from now, or on from now."""
    past = operator.endswith("-")
    one, other = (_offset(bound, past=past) for bound in bounds_of(interval))
    begin, finish = (other, one) if past else (one, other)
    if operator.startswith("<"):
        return lambda start, end, now: start.held <= finish(now) and end.held >= begin(now)

    def throughout(start: Time, end: Time, now: Time) -> bool:
        return start.held <= begin(now) and end.held >= finish(now)

    return throughout


def _offset(bound: Bound, *, past: bool) -> Callable[[Time], int]:
    """Return how one end of a window is reckoned from now."""
    end = bound.end
    if end is None:
        edge = SMALLEST_NUMBER if past else LARGEST_NUMBER
        return lambda now: edge
    if isinstance(end, str):
        return lambda now: now.held
    if isinstance(end, Constant) and isinstance(end.value, Duration):
        length = -end.value.held if past else end.value.held
        return lambda now: now.held + length
    if isinstance(end, Constant) and isinstance(end.value, Time):
        at = end.value.held
        return lambda now: at
    raise MangleError("the window of an operator needs durations or instants", stage="analyze", place=bound.place)
