"""An order is checked once, where it is made, and says in one line what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mayfly.core import Example, InputError, Order, Tier


def test_without_a_tier_it_is_memo_and_authored_where_something_is_granted() -> None:
    assert Order.of("sort it").tier is Tier.MEMO
    assert Order.of("sort it", grants=["net:*"]).tier is Tier.AUTHORED
    assert Order.of("sort it", tier="ephemeral", grants=["net:*"]).tier is Tier.EPHEMERAL


def test_what_is_given_loosely_is_held_as_one_kind() -> None:
    order = Order.of("  sort it ", lines="names.txt", examples=[{"input": 1, "output": 2}], hints=["up"], context=None)
    assert (order.intent, order.lines, order.hints, order.context) == ("sort it", Path("names.txt"), ("up",), {})
    assert order.examples == (Example(input=1, output=2),)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"intent": " "}, "the intent is empty"),
        ({"intent": "x" * 100_001}, "100001 characters"),
        ({"intent": "sort", "input": 1, "lines": "a.txt"}, "one of the two"),
        ({"intent": "sort", "tier": "royal"}, "no tier 'royal'"),
        ({"intent": "sort", "examples": [{"input": 1}]}, "needs input and output"),
        ({"intent": "sort", "examples": [{"input": 1, "output": 1}, {"input": 1, "output": 2}]}, "contradict"),
        ({"intent": "sort", "answers": [{"input": {1}, "output": 1}]}, "not JSON"),
    ],
)
def test_a_wrong_order_is_refused_in_one_line(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Order.of(**given)  # type: ignore[arg-type]


def test_a_field_that_there_is_not_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError):
        Order.of("sort it", colour="red")
