"""Instants: text, fields, zones with their skipped and doubled hours, rounding down."""

import pytest

from mayfly.mangle._values import Duration, Name, Time, Value

from .calling import LARGEST, SMALLEST, call, refusal

SECOND = 10**9
MOMENT = Time(1_714_561_496_123_456_780)  # 2024-05-01T11:04:56.12345678Z


def at(text: str) -> Value:
    return call("fn:time:parse_rfc3339", text)


def local(text: str, zone: str) -> str:
    shown = call("fn:time:format", call("fn:time:parse_civil", text, zone), Name("/nanosecond"))
    assert isinstance(shown, str)
    return shown


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("/year", "2024"),
        ("/month", "2024-05"),
        ("/day", "2024-05-01"),
        ("/hour", "2024-05-01T11Z"),
        ("/minute", "2024-05-01T11:04Z"),
        ("/second", "2024-05-01T11:04:56Z"),
        ("/millisecond", "2024-05-01T11:04:56.123Z"),
        ("/microsecond", "2024-05-01T11:04:56.123456Z"),
        ("/nanosecond", "2024-05-01T11:04:56.12345678Z"),
    ],
)
def test_format_shows_a_time_down_to_a_unit(unit: str, expected: str) -> None:
    assert call("fn:time:format", MOMENT, Name(unit)) == expected


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("", "2024-05-01T11:04:56Z"),
        ("UTC", "2024-05-01T11:04:56Z"),
        ("Europe/Berlin", "2024-05-01T13:04:56+02:00"),
        ("Europe//Berlin", "2024-05-01T13:04:56+02:00"),
        ("America/St_Johns", "2024-05-01T08:34:56-02:30"),
        ("Asia/Kathmandu", "2024-05-01T16:49:56+05:45"),
    ],
)
def test_format_civil_shows_a_time_in_a_zone(zone: str, expected: str) -> None:
    assert call("fn:time:format_civil", MOMENT, zone, Name("/second")) == expected


def test_an_offset_of_odd_seconds_is_shown_in_whole_minutes() -> None:
    shown = call("fn:time:format_civil", at("1880-01-01T00:00:00Z"), "America/New_York", Name("/second"))
    assert shown == "1879-12-31T19:03:58-04:56"


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:59:59.5Z", -SECOND // 2),
        ("1970-01-01T00:00:00,25Z", SECOND // 4),
        ("1970-01-01T0:00:01Z", SECOND),
        ("1970-01-01T00:00:00.1234567891Z", 123_456_789),
        ("1970-01-02T00:00:00+24:00", 0),
        ("2000-02-29T00:00:00Z", 951_782_400 * SECOND),
        ("2262-04-11T23:47:16.854775807Z", LARGEST),
        ("1677-09-21T00:12:43.145224192Z", SMALLEST),
        ("2262-04-11T23:47:16.854775808Z", SMALLEST),
        # The year 0 is 62,167,219,200 seconds before 1970, more than fits: the count wraps around.
        ("0000-01-01T00:00:00Z", -62_167_219_200 * SECOND + 3 * 2**64),
    ],
)
def test_parse_rfc3339_reads(text: str, nanoseconds: int) -> None:
    assert at(text) == Time(nanoseconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024",
        "2024-05-01",
        "2024-05-01 10:00:00Z",
        "2024-05-01T10:00:00",
        "2024-05-01T10:00:00z",
        "2024-05-01T10:00Z",
        "2024-13-01T10:00:00Z",
        "2024-00-01T10:00:00Z",
        "2023-02-29T10:00:00Z",
        "1900-02-29T10:00:00Z",
        "2024-05-32T10:00:00Z",
        "2024-05-01T24:00:00Z",
        "2024-05-01T10:60:00Z",
        "2024-05-01T10:00:60Z",
        "2024-05-01T10:00:00+25:00",
        "2024-05-01T10:00:00+02",
        "2024-05-01T10:00:00.Z",
        "٢٠٢٤-05-01T10:00:00Z",
        "2024-05-01T10:00:00Z\n",
    ],
)
def test_parse_rfc3339_refuses(text: str) -> None:
    assert refusal("fn:time:parse_rfc3339", text).startswith("fn:time:parse_rfc3339")


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2024-05-01T10:00:00", "Europe/Berlin", "2024-05-01T08:00:00Z"),
        ("2024-05-01T10:00:00.5", "", "2024-05-01T10:00:00.5Z"),
        ("2024-05-01T10:00:00.+12345678", "UTC", "2024-05-01T10:00:00.012345678Z"),
        ("2023-03-26T02:30:00", "Europe/Berlin", "2023-03-26T01:30:00Z"),
        ("2023-10-29T02:30:00", "Europe/Berlin", "2023-10-29T01:30:00Z"),
        ("2023-03-12T02:30:00", "America/New_York", "2023-03-12T06:30:00Z"),
        ("2023-11-05T01:30:00", "America/New_York", "2023-11-05T05:30:00Z"),
    ],
)
def test_parse_civil_reads_the_clocks_of_a_zone(text: str, zone: str, expected: str) -> None:
    assert local(text, zone) == expected


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2024-05-01T10:00:00Z", "UTC"),
        ("2024-05-01", "UTC"),
        ("2024-05-01T10:00:00.-12345678", "UTC"),
        ("2024-05-01T10:00:00", "Nowhere/City"),
        ("2024-05-01T10:00:00", "Europe"),
        ("2024-05-01T10:00:00", "../../etc/passwd"),
        ("2024-05-01T10:00:00", "/usr/share/zoneinfo/UTC"),
        ("2024-05-01T10:00:00", "UTC\0"),
    ],
)
def test_parse_civil_refuses(text: str, zone: str) -> None:
    assert refusal("fn:time:parse_civil", text, zone).startswith("fn:time:parse_civil")


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("/day", "2024-05-01T00:00:00Z"),
        ("/hour", "2024-05-01T11:00:00Z"),
        ("/minute", "2024-05-01T11:04:00Z"),
        ("/second", "2024-05-01T11:04:56Z"),
        ("/millisecond", "2024-05-01T11:04:56.123Z"),
        ("/microsecond", "2024-05-01T11:04:56.123456Z"),
        ("/nanosecond", "2024-05-01T11:04:56.12345678Z"),
    ],
)
def test_trunc_rounds_down_to_a_unit(unit: str, expected: str) -> None:
    assert call("fn:time:trunc", MOMENT, Name(unit)) == at(expected)


def test_trunc_rounds_down_before_1970_as_well() -> None:
    assert call("fn:time:trunc", Time(-1), Name("/day")) == Time(-86_400 * SECOND)


@pytest.mark.parametrize(
    ("moment", "zone", "unit", "expected"),
    [
        ("2024-05-01T11:00:00Z", "Europe/Berlin", "/day", "2024-04-30T22:00:00Z"),
        ("2024-05-01T11:00:00Z", "Europe/Berlin", "/week", "2024-04-28T22:00:00Z"),
        ("2024-05-01T11:00:00Z", "Europe/Berlin", "/month", "2024-04-30T22:00:00Z"),
        ("2024-05-01T11:00:00Z", "Europe/Berlin", "/year", "2023-12-31T23:00:00Z"),
        ("2024-04-01T11:00:00Z", "Europe/Berlin", "/week", "2024-03-31T22:00:00Z"),
        # Clocks went from 00:00 to 01:00: the day has no midnight.
        ("2018-11-04T12:00:00Z", "America/Sao_Paulo", "/day", "2018-11-04T02:00:00Z"),
    ],
)
def test_trunc_civil_rounds_down_to_the_calendar(moment: str, zone: str, unit: str, expected: str) -> None:
    assert call("fn:time:trunc_civil", at(moment), zone, Name(unit)) == at(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("year", 2024), ("month", 5), ("day", 1), ("hour", 11), ("minute", 4), ("second", 56)],
)
def test_a_field_of_a_time_is_read_in_utc(name: str, expected: int) -> None:
    assert call(f"fn:time:{name}", MOMENT) == expected


def test_times_move_by_durations_and_wrap_around() -> None:
    assert call("fn:time:add", Time(5), Duration(-7)) == Time(-2)
    assert call("fn:time:add", Time(LARGEST), Duration(1)) == Time(SMALLEST)
    assert call("fn:time:sub", Time(5), Time(7)) == Duration(-2)
    assert call("fn:time:to_unix_nanos", call("fn:time:from_unix_nanos", 42)) == 42


def test_now_is_later_than_a_moment_ago() -> None:
    now = call("fn:time:now")
    assert isinstance(now, Time)
    assert isinstance(MOMENT, Time)
    assert now.held > MOMENT.held


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("fn:time:add", (1, Duration(1)), "needs a time"),
        ("fn:time:add", (Time(1), 1), "needs a duration"),
        ("fn:time:sub", (Time(1), Duration(1)), "needs a time"),
        ("fn:time:format", (Time(1), "/day"), "needs a name"),
        ("fn:time:format", (Time(1), Name("/week")), "knows no unit /week"),
        ("fn:time:format_civil", (Time(1), Name("/utc"), Name("/day")), "needs a string"),
        ("fn:time:format_civil", (Time(1), "Mars", Name("/day")), 'knows no time zone "Mars"'),
        ("fn:time:trunc", (Time(1), Name("/month")), "knows no unit /month"),
        ("fn:time:trunc_civil", (Time(1), "UTC", Name("/hour")), "knows no unit /hour"),
        ("fn:time:year", (2024,), "needs a time"),
        ("fn:time:parse_rfc3339", (5,), "needs a string"),
    ],
)
def test_a_time_function_refuses(name: str, arguments: tuple[Value, ...], why: str) -> None:
    assert why in refusal(name, *arguments)
