"""Durations and intervals: reading, measuring, wrapping around."""

from math import inf, nan

import pytest

from mayfly.mangle._values import Duration, Float, Pair, Time, Value

from .calling import LARGEST, SMALLEST, call, refusal

SECOND = 10**9
HOUR = 3600 * SECOND


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("-0", 0),
        ("+5s", 5 * SECOND),
        ("1h30m", HOUR + 1800 * SECOND),
        ("-2h45m30s", -(2 * HOUR + 2730 * SECOND)),
        ("1.5h", HOUR * 3 // 2),
        (".5s", SECOND // 2),
        ("5.s", 5 * SECOND),
        ("1us1µs1μs1ns", 3001),
        ("500ms", SECOND // 2),
        ("1s1h", HOUR + SECOND),
        ("0.3333333333333333333h", 1_200_000_000_000),
        ("0.000000000000000000000000000000000000000000000000000000000000000000000001h", 0),
        ("9223372036854775807ns", LARGEST),
        ("-9223372036854775808ns", SMALLEST),
        ("0000000000000000000000001s", SECOND),
    ],
)
def test_parse_reads(text: str, nanoseconds: int) -> None:
    assert call("fn:duration:parse", text) == Duration(nanoseconds)


@pytest.mark.parametrize(
    "text",
    ["", "-", "+", "5", "s", ".s", "1d", "1 h", " 1h", "1h ", "1.2.3s", "--1s", "1H", "1h-1m", "٣s", "3\u00b5", "1e3s"],
)
def test_parse_refuses_what_is_no_duration(text: str) -> None:
    assert "cannot read" in refusal("fn:duration:parse", text)


@pytest.mark.parametrize("text", ["9223372036854775808ns", "-9223372036854775809ns", "2562048h", "9" * 5000 + "s"])
def test_parse_refuses_what_does_not_fit(text: str) -> None:
    assert "longer than a duration can be" in refusal("fn:duration:parse", text)


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("fn:duration:add", (Duration(5), Duration(-7)), Duration(-2)),
        ("fn:duration:add", (Duration(LARGEST), Duration(1)), Duration(SMALLEST)),
        ("fn:duration:mult", (Duration(SECOND), -3), Duration(-3 * SECOND)),
        ("fn:duration:mult", (Duration(LARGEST), 2), Duration(-2)),
        ("fn:duration:hours", (Duration(HOUR * 3 // 2),), Float(1.5)),
        ("fn:duration:minutes", (Duration(-90 * SECOND),), Float(-1.5)),
        ("fn:duration:seconds", (Duration(SMALLEST),), Float(-9223372036.854776)),
        ("fn:duration:nanos", (Duration(7),), 7),
        ("fn:duration:from_nanos", (7,), Duration(7)),
        ("fn:duration:from_hours", (2,), Duration(2 * HOUR)),
        ("fn:duration:from_hours", (Float(0.5),), Duration(HOUR // 2)),
        ("fn:duration:from_minutes", (Float(-0.5),), Duration(-30 * SECOND)),
        ("fn:duration:from_seconds", (Float(1e-10),), Duration(0)),
        ("fn:duration:from_seconds", (Float(inf),), Duration(SMALLEST)),
        ("fn:duration:from_seconds", (Float(nan),), Duration(SMALLEST)),
        ("fn:duration:from_hours", (LARGEST,), Duration(SMALLEST)),
        ("fn:interval:start", (Pair((1, "x")),), 1),
        ("fn:interval:end", (Pair((1, "x")),), "x"),
        ("fn:interval:duration", (Pair((Time(5), Time(2))),), Duration(-3)),
    ],
)
def test_a_duration_function_gives(name: str, arguments: tuple[Value, ...], expected: Value) -> None:
    assert call(name, *arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("fn:duration:add", (Duration(1), 1), "needs a duration"),
        ("fn:duration:mult", (Duration(1), Float(2.0)), "needs a number"),
        ("fn:duration:hours", (1,), "needs a duration"),
        ("fn:duration:from_nanos", (Float(1.0),), "needs a number"),
        ("fn:duration:from_hours", ("1",), "needs a float or a number"),
        ("fn:duration:parse", (1,), "needs a string"),
        ("fn:interval:start", (Time(1),), "needs a pair"),
        ("fn:interval:duration", (Pair((1, 2)),), "needs a time"),
        ("fn:interval:duration", (Pair((Time(SMALLEST), Time(0))),), "open on one side"),
        ("fn:interval:duration", (Pair((Time(0), Time(LARGEST))),), "open on one side"),
    ],
)
def test_a_duration_function_refuses(name: str, arguments: tuple[Value, ...], why: str) -> None:
    assert why in refusal(name, *arguments)
