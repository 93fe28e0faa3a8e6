"""The forms of an answer: what each shape of value becomes as a table, as lines and for people."""

import csv
import io

import pytest

from mayfly.cli._inputs import rows_of, write_form

Capture = pytest.CaptureFixture[str]

RECORDS = [{"a": 1, "b": "x"}, {"a": 2.5, "c": None}, {"b": 'say "hi", you', "a": True}]


def written(capsys: Capture, value: object, form: str, reading: str = "") -> str:
    capsys.readouterr()
    write_form(value, form, reading=reading)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "heads", "rows"),
    [
        (RECORDS, ("a", "b", "c"), [(1, "x", None), (2.5, None, None), (True, 'say "hi", you', None)]),
        ({"x": 1, "y": None}, ("key", "value"), [("x", 1), ("y", None)]),
        ({"x": {"n": 1}, "y": {"m": 2}}, ("key", "n", "m"), [("x", 1, None), ("y", None, 2)]),
        ({"x": {"n": 1}, "y": 2}, ("key", "value"), [("x", {"n": 1}), ("y", 2)]),
        ([1, "two", None], ("value",), [(1,), ("two",), (None,)]),
        ([[1, 2], [3]], ("column 1", "column 2"), [(1, 2), (3, None)]),
        ([{"a": 1}, 2], ("value",), [({"a": 1},), (2,)]),
        (7, ("value",), [(7,)]),
        ("text", ("value",), [("text",)]),
        ([], ("value",), []),
        ({}, ("key", "value"), []),
    ],
)
def test_every_shape_is_a_table(value: object, heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    found = rows_of(value)
    assert (found.heads, list(found.read())) == (heads, rows)
    assert list(found.read()) == rows


@pytest.mark.parametrize(
    ("reading", "heads"),
    [
        ("count, by status", ("status", "count")),
        ("sum of amount where name = ann, by [order date], sorted", ("order date", "sum of amount")),
        ("count, by path and status", ("path", "count")),
        ("records where a = 1", ("key", "value")),
    ],
)
def test_a_reading_names_the_columns(reading: str, heads: tuple[str, ...]) -> None:
    assert rows_of({"x": 1}, reading=reading).heads == heads


def test_csv_can_be_read_back(capsys: Capture) -> None:
    text = written(capsys, RECORDS, "csv")
    assert list(csv.reader(io.StringIO(text))) == [
        ["a", "b", "c"],
        ["1", "x", ""],
        ["2.5", "", ""],
        ["true", 'say "hi", you', ""],
    ]


def test_what_is_nested_in_a_cell_is_json(capsys: Capture) -> None:
    assert written(capsys, [{"a": [1, "é"]}], "tsv") == 'a\n"[1, ""é""]"\n'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([1, "two", None, {"a": 1}], '1\ntwo\n\n{"a": 1}\n'),
        ({"x": 1, "y": "z"}, "x\t1\ny\tz\n"),
        ("one\ntwo", "one\\ntwo\n"),
        (["a\\b", "a\r\nb"], "a\\b\na\\r\\nb\n"),
        (3.5, "3.5\n"),
        ([], ""),
    ],
)
def test_lines_hold_one_value_each(capsys: Capture, value: object, expected: str) -> None:
    assert written(capsys, value, "lines") == expected


def test_a_table_for_people_lines_up_and_cuts_what_is_long(capsys: Capture) -> None:
    shown = written(capsys, [{"n": 5, "s": "日本"}, {"n": 1000, "s": "x" * 80}, {"n": None, "s": "\x1b[2J"}], "table")
    assert shown.splitlines() == [
        "   n  s",
        "----  " + "-" * 60,
        "   5  日本",
        "1000  " + "x" * 59 + "…",
        "      \\x1b[2J",
    ]
