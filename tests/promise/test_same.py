"""Comparing and measuring what a hostile program returned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.promise._same import TooDeep, same, size

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@given(DATA)
def test_everything_is_the_same_as_its_copy(value: object) -> None:
    import copy

    assert same(value, copy.deepcopy(value))


@given(DATA, DATA)
def test_the_order_of_the_two_does_not_matter(one: object, other: object) -> None:
    assert same(one, other) == same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), (1, 1.0), ("1", 1), ([], {}), ([], ""), (None, 0), ([1, 2], [1]), ({"a": 1}, {"b": 1})],
)
def test_different_data_is_told_apart(one: object, other: object) -> None:
    assert not same(one, other)


def test_a_tuple_is_the_list_of_its_items() -> None:
    assert same((1, (2,)), [1, [2]])


def test_values_deeper_than_the_stack_are_compared() -> None:
    assert same(nested(20_000), nested(20_000))
    assert not same(nested(20_000), nested(19_999))


def test_values_that_hold_themselves_are_compared() -> None:
    one: list[object] = [1]
    one.append(one)
    other: list[object] = [1]
    other.append(other)
    assert same(one, other)


def test_one_list_a_billion_times_is_looked_at_once() -> None:
    one: list[object] = [1]
    other: list[object] = [1]
    for _ in range(60):
        one, other = [one, one], [other, other]
    assert same(one, other)


def test_an_object_whose_equality_raises_is_not_the_same() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    assert not same(Odd(), Odd())


def test_size_counts_values_and_characters() -> None:
    assert size({"ab": ["c", 1]}, nodes=10, text=10) == (5, 3)


@pytest.mark.parametrize("value", [list(range(100)), "x" * 100, 10**400])
def test_size_ends_at_its_limit(value: object) -> None:
    assert size(value, nodes=50, text=50) is None


def test_size_ends_where_a_value_holds_itself() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(TooDeep):
        size(value, nodes=10_000, text=10)


def test_size_refuses_what_is_too_deep() -> None:
    assert size(nested(100), nodes=1000, text=1000) is not None
    with pytest.raises(TooDeep, match="deeper than 100"):
        size(nested(100_000), nodes=1_000_000, text=1000)
