"""Money is counted exactly, in millionths of a dollar."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import Cost, Money


@pytest.mark.parametrize(
    ("dollars", "micros"),
    [
        (0, 0),
        (1, 1_000_000),
        (0.1, 100_000),
        (0.3, 300_000),
        ("0.01", 10_000),
        (Decimal("0.000001"), 1),
        (1.5e-7, 1),
        (1e-300, 1),
        (123456789.123456, 123456789123456),
        (Money(7), 7),
    ],
)
def test_dollars_are_read_as_they_are_written_and_rounded_up(dollars: float | str | Decimal, micros: int) -> None:
    assert Money.of(dollars).micros == micros


@given(st.integers(0, 10**15))
def test_what_is_written_as_dollars_is_read_back_exactly(micros: int) -> None:
    assert Money.of(Money(micros).dollars) == Money(micros)


def test_three_times_a_tenth_is_three_tenths() -> None:
    tenth = Money.of(0.1)
    assert tenth + tenth + tenth == Money.of(0.3)


@pytest.mark.parametrize(("micros", "cents"), [(0, 0), (1, 1), (10_000, 1), (10_001, 2), (1_000_000, 100)])
def test_cents_are_rounded_up(micros: int, cents: int) -> None:
    assert Money(micros).cents == cents


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "NaN"])
def test_what_is_no_amount_is_refused(wrong: float | str) -> None:
    with pytest.raises(ValueError, match="no amount of money"):
        Money.of(wrong)


def test_money_is_shown_in_dollars() -> None:
    assert str(Money.of("0.0123")) == "$0.0123"
    assert not Money()


def test_a_cost_as_data_has_dollars_and_is_read_back() -> None:
    cost = Cost(seconds=1.5, model_calls=2, money=Money(123))
    assert cost.to_json()["money"] == 0.000123
    assert Cost.from_json(cost.to_json()) == cost
