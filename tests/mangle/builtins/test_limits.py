"""Hostile programs: doubling a value again and again ends in an error that names the limit, long before the memory."""

from collections.abc import Callable

import pytest

from mayfly.mangle._values import Value, make_list, sort_key
from mayfly.mangle.builtins import DEEPEST, LARGEST_TEXT, MOST_PARTS, BuiltinError, weight

from .calling import call, reduced, refusal


def after(step: Callable[[Value], Value], value: Value, times: int = 10_000) -> str:
    """Apply *step* until it is refused and return why; fail if it never is."""
    for _ in range(times):
        try:
            value = step(value)
        except BuiltinError as error:
            return str(error)
    raise AssertionError(f"{times} steps were not refused")


@pytest.mark.parametrize(
    ("step", "start"),
    [
        (lambda value: call("fn:string:concat", value, value), "ab"),
        (lambda value: call("fn:string:concat", value, "é", value), ""),
        (lambda value: call("fn:string:replace", value, "a", value, -1), "aa"),
        (lambda value: call("fn:string:replace", value, "", "xy", -1), "a"),
    ],
)
def test_doubling_a_string_reaches_the_limit_of_text(step: Callable[[Value], Value], start: Value) -> None:
    assert str(LARGEST_TEXT) in after(step, start)


@pytest.mark.parametrize("function", ["fn:pair", "fn:list", "fn:map", "fn:struct", "fn:tuple"])
def test_doubling_a_value_reaches_the_limit_of_parts(function: str) -> None:
    assert str(MOST_PARTS) in after(lambda value: call(function, value, value), 1)


def test_putting_a_list_into_itself_reaches_the_limit_of_parts() -> None:
    assert str(MOST_PARTS) in after(lambda value: call("fn:list:append", value, value), make_list([1, 2]))
    assert str(MOST_PARTS) in after(lambda value: call("fn:list:cons", value, value), make_list([1, 2]))


def test_nesting_reaches_the_limit_of_depth() -> None:
    assert str(DEEPEST) in after(lambda value: call("fn:list", value), 1)
    assert str(DEEPEST) in after(lambda value: call("fn:pair", 0, value), 1)


def test_the_deepest_values_can_be_compared_and_sorted() -> None:
    def deepest() -> Value:
        value: Value = 1
        for _ in range(DEEPEST):
            value = call("fn:pair", 0, value)
        return value

    assert deepest() == deepest()
    assert sort_key(deepest()) == sort_key(deepest())


def test_a_large_text_shared_by_many_items_counts_for_each() -> None:
    assert str(LARGEST_TEXT) in refusal("fn:list", *(["x" * 2**20] * 17))


def test_a_text_of_exactly_the_limit_is_built() -> None:
    half = "x" * (LARGEST_TEXT // 2)
    assert len(str(call("fn:string:concat", half, half))) == LARGEST_TEXT
    assert str(LARGEST_TEXT) in refusal("fn:string:concat", half, half, "x")


def test_collecting_too_many_rows_is_refused() -> None:
    rows = [(1,)] * (MOST_PARTS + 1)
    with pytest.raises(BuiltinError, match=str(MOST_PARTS)):
        reduced("fn:collect", *rows)


def test_the_weight_of_a_value_grows_with_what_it_holds_itself() -> None:
    assert weight("x" * 1000) > 1000
    assert weight(b"x" * 1000) > 1000
    assert weight(make_list(range(1000))) > 8000
    assert weight(1) < 100
