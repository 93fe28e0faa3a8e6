"""Measuring what a hostile program returned."""

import pytest

from mayfly.promise._tester import TooDeep, size


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


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
