"""Reducers: of a group of rows, and the same names as functions of a list."""

from math import inf, isnan, nan
from sys import float_info

import pytest

from mayfly.mangle._values import Duration, Float, Pair, Row, Time, Value, make_list, make_map
from mayfly.mangle.builtins import FUNCTIONS, REDUCERS, BuiltinError

from .calling import LARGEST, SMALLEST, call, reduced, refusal

COLUMN = [
    ("fn:max", (3, 9, -1), 9),
    ("fn:min", (3, 9, -1), -1),
    ("fn:sum", (3, 9, -1), 11),
    ("fn:sum", (LARGEST, 1), SMALLEST),
    ("fn:float:max", (Float(0.5), Float(-2.5)), Float(0.5)),
    ("fn:float:min", (Float(0.5), Float(-2.5)), Float(-2.5)),
    ("fn:float:sum", (Float(0.5), Float(-2.5)), Float(-2.0)),
    ("fn:float:max", (Float(-inf),), Float(-float_info.max)),
    ("fn:float:min", (Float(inf),), Float(float_info.max)),
    ("fn:duration:max", (Duration(1), Duration(2)), Duration(2)),
    ("fn:duration:min", (Duration(1), Duration(2)), Duration(1)),
    ("fn:duration:sum", (Duration(1), Duration(2)), Duration(3)),
    ("fn:time:max", (Time(1), Time(2)), Time(2)),
    ("fn:time:min", (Time(1), Time(2)), Time(1)),
]
EMPTY = [
    ("fn:max", SMALLEST),
    ("fn:min", LARGEST),
    ("fn:sum", 0),
    ("fn:float:max", Float(-float_info.max)),
    ("fn:float:min", Float(float_info.max)),
    ("fn:float:sum", Float(0.0)),
    ("fn:duration:max", Duration(SMALLEST)),
    ("fn:duration:min", Duration(LARGEST)),
    ("fn:duration:sum", Duration(0)),
    ("fn:time:max", Time(SMALLEST)),
    ("fn:time:min", Time(LARGEST)),
]
MIXED = [
    ("fn:max", 1, Float(2.0)),
    ("fn:min", "a", 1),
    ("fn:sum", Float(1.0), 1),
    ("fn:float:max", 1, Float(1.0)),
    ("fn:float:min", Float(1.0), 1),
    ("fn:float:sum", Float(1.0), 1),
    ("fn:duration:max", Duration(1), Time(1)),
    ("fn:duration:min", 1, Duration(1)),
    ("fn:duration:sum", Duration(1), 1),
    ("fn:time:max", Time(1), Duration(1)),
    ("fn:time:min", Time(1), 1),
]


@pytest.mark.parametrize(("name", "values", "expected"), COLUMN)
def test_a_column_is_reduced(name: str, values: tuple[Value, ...], expected: Value) -> None:
    assert reduced(name, *((value,) for value in values)) == expected


@pytest.mark.parametrize(("name", "values", "expected"), COLUMN)
def test_a_list_is_reduced_alike(name: str, values: tuple[Value, ...], expected: Value) -> None:
    assert call(name, make_list(values)) == expected


@pytest.mark.parametrize(("name", "expected"), EMPTY)
def test_of_an_empty_list_the_neutral_value_is_left(name: str, expected: Value) -> None:
    assert call(name, make_list([])) == expected


@pytest.mark.parametrize(("name", "first", "second"), MIXED)
def test_a_column_of_another_kind_is_refused(name: str, first: Value, second: Value) -> None:
    with pytest.raises(BuiltinError, match=f"{name} needs"):
        reduced(name, (first,), (second,))


@pytest.mark.parametrize("name", [name for name, _ in EMPTY])
def test_a_reducer_as_a_function_needs_a_list(name: str) -> None:
    assert "needs a list" in refusal(name, 1)


@pytest.mark.parametrize("name", ["fn:float:max", "fn:float:min", "fn:float:sum"])
def test_one_nan_makes_the_whole_column_nan(name: str) -> None:
    result = reduced(name, (Float(1.0),), (Float(nan),), (Float(2.0),))
    assert isinstance(result, Float)
    assert isnan(result.held)


def test_the_larger_zero_is_the_positive_one() -> None:
    zeros = (Float(-0.0),), (Float(0.0),), (Float(-0.0),)
    assert str(reduced("fn:float:max", *zeros)) == "Float(0.0)"
    assert str(reduced("fn:float:min", *zeros)) == "Float(-0.0)"


@pytest.mark.parametrize(
    ("name", "rows", "expected"),
    [
        ("fn:count", [(), (), ()], 3),
        ("fn:avg", [(1,), (Float(2.0),)], Float(1.5)),
        ("fn:avg", [(LARGEST,), (LARGEST,)], Float(9.223372036854775807e18)),
        ("fn:collect", [(1,), (2,), (1,)], make_list([1, 2, 1])),
        ("fn:collect", [(1, "a"), (2, "b")], make_list([Pair((1, "a")), Pair((2, "b"))])),
        ("fn:collect", [(1, 2, 3)], make_list([Pair((1, Pair((2, 3))))])),
        ("fn:collect_distinct", [("a",), ("b",), ("a",)], make_list(["b", "a"])),
        ("fn:collect_distinct", [(1,), (Float(1.0),)], make_list([1, Float(1.0)])),
        ("fn:collect_to_map", [("k", 1), ("l", 2), ("k", 3)], make_map([("k", 1), ("l", 2)])),
    ],
)
def test_rows_are_reduced(name: str, rows: list[Row], expected: Value) -> None:
    assert reduced(name, *rows) == expected


def test_the_average_of_texts_is_refused() -> None:
    with pytest.raises(BuiltinError, match="fn:avg needs a float or a number"):
        reduced("fn:avg", ("x",))


def test_pick_any_gives_the_same_value_whatever_the_order_of_the_rows() -> None:
    assert reduced("fn:pick_any", (3,), (1,)) == reduced("fn:pick_any", (1,), (3,)) == 1


@pytest.mark.parametrize("name", ["fn:count", "fn:avg", "fn:collect", "fn:collect_distinct", "fn:collect_to_map"])
def test_a_reducer_of_rows_is_no_plain_function(name: str) -> None:
    assert "reduces the rows of a group" in refusal(name, *([1] * (REDUCERS[name].arity or 0)))


def test_reducers_and_their_functions_take_the_same_number_of_arguments() -> None:
    assert all(
        (FUNCTIONS[name].arity, FUNCTIONS[name].minimum) == (it.arity, it.minimum) for name, it in REDUCERS.items()
    )


def test_only_collecting_skips_rows_that_cannot_be_computed() -> None:
    skipping = {name for name, reducer in REDUCERS.items() if reducer.skips_failures}
    assert skipping == {"fn:collect", "fn:collect_distinct", "fn:collect_to_map"}
