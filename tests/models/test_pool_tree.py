"""Model calls draw on the limits of the work around them, whatever a provider says they cost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mayfly.core import InputError, LimitError, Money, limit
from mayfly.core import Pool as Limits
from mayfly.models import Call, Emit, Model, ModelPool, Need, Price, Purpose, Reply, SaidText

from .conftest import QUICK, Script

LINE = {"for": "chat", "answer": "x", "input_tokens": 5, "output_tokens": 3, "money": 0.1}


def test_a_pool_for_models_draws_on_the_pool_of_the_work(script: Script) -> None:
    tree = Limits(model_calls=2, money=1, nodes=5)
    leaf = ModelPool(calls=5, parent=tree.child())
    script(LINE).ask("chat", "?", pool=ModelPool(parent=leaf))
    assert [tree.used(kind) for kind in ("model_calls", "input_tokens", "output_tokens", "money")] == [1, 5, 3, 0.1]
    assert (tree.left("model_calls"), leaf.left("calls")) == (1, 1)
    tree.spend(model_calls=1)
    with pytest.raises(LimitError, match="model calls: 3 is over the limit of 2"):
        script(LINE).ask("chat", "?", pool=leaf)


def test_the_deadline_of_the_work_stops_calls(script: Script) -> None:
    now = [0.0]
    tree = Limits(seconds=1, clock=lambda: now[0])
    pool = ModelPool(parent=tree)
    model = script(LINE)
    model.ask("chat", "?", pool=pool)
    now[0] = 1.0
    with pytest.raises(LimitError, match="seconds"):
        model.ask("chat", "?", pool=pool)


def test_a_limit_around_the_caller_counts_with_and_without_a_pool(script: Script) -> None:
    model = script(LINE)
    with limit(model_calls=4) as around:
        model.ask("chat", "?")
        model.ask("chat", "?", pool=ModelPool(calls=9))
        asyncio.run(model.aask("chat", "?"))
        model.converse([SaidText(role="user", text="?")])
        assert around.left("model_calls") == 0
        with pytest.raises(LimitError):
            model.ask("chat", "?")
        with pytest.raises(LimitError):
            model.ask("chat", "?", pool=ModelPool())
    assert model.ask("chat", "?").text == "x"


def test_a_kind_that_models_do_not_use_is_a_mistake() -> None:
    with pytest.raises(InputError, match="has no 'nodes'"):
        ModelPool().left("nodes")


def test_a_price_nobody_knows_leaves_no_trace_where_it_was_not_told() -> None:
    pool = ModelPool(money=1.0)
    held = pool.reserve(Need(input_tokens=1, output_tokens=1, price=None))
    held.forfeit()
    assert not pool.used.money
    assert pool.left("money") == 1


def test_a_price_with_noise_in_its_last_digits_meets_the_limit() -> None:
    pool = ModelPool(money=0.3)
    pool.reserve(Need(input_tokens=1, output_tokens=3, price=Price(each=0.1), exact=True)).forfeit()
    assert pool.left("money") == 0


class Liar:
    """A source of answers that says what it likes about their cost."""

    name = "liar"

    def __init__(self, said: float) -> None:
        self._said: Any = said

    def serves(self, purpose: Purpose) -> bool:
        return True

    def load(self) -> None:
        pass

    def need(self, call: Call) -> Need:
        return Need(input_tokens=7, output_tokens=100, price=Price())

    async def reply(self, call: Call, emit: Emit | None) -> Reply:
        return Reply(text="ok", input_tokens=self._said, output_tokens=self._said, money=Money(self._said))

    async def close(self) -> None:
        pass


@pytest.mark.parametrize("said", [-1000, 10**30, float("nan"), float("inf")])
def test_a_provider_cannot_refill_the_pool_by_what_it_says(said: float) -> None:
    pool = ModelPool(output_tokens=100, money=1)
    with Model(Liar(said), QUICK) as model:
        told = model.ask("chat", "hi", pool=pool)
        assert (told.cost.input_tokens, told.cost.output_tokens, told.money_known) == (7, 100, False)
        assert (pool.used.input_tokens, pool.used.output_tokens, pool.used.money.dollars) == (7, 100, 0)
        with pytest.raises(LimitError):
            model.ask("chat", "hi", pool=pool)
