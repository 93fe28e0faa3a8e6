"""Budgets: reserved before a call, settled after it, never passed."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import InputError, LimitError, Money, StoreError
from mayfly.models import ModelAnswered, ModelAsked, ModelError, ModelPool, Need, Price

from .conftest import Script


def need(asked: int = 1, said: int = 1, *, price: Price | None = None, exact: bool = False) -> Need:
    return Need(input_tokens=asked, output_tokens=said, price=price or Price(), exact=exact)


@pytest.mark.parametrize("pool", [ModelPool(calls=0), ModelPool(input_tokens=0), ModelPool(output_tokens=0)])
def test_zero_means_none_at_all(pool: ModelPool) -> None:
    with pytest.raises(LimitError) as caught:
        pool.reserve(need())
    assert (caught.value.used, caught.value.limit) == (1, 0)


def test_no_limit_is_no_limit() -> None:
    pool = ModelPool()
    for _ in range(100):
        pool.reserve(need(10**9, 10**9)).settle(input_tokens=10**9, output_tokens=10**9, money=Money.of(10**6))
    assert pool.used.model_calls == 100
    assert pool.left("calls") is None


def test_a_negative_limit_is_a_mistake() -> None:
    with pytest.raises(InputError, match="0 or more"):
        ModelPool(calls=-1)


def test_what_was_not_used_is_given_back() -> None:
    pool = ModelPool(output_tokens=100)
    pool.reserve(need(said=80)).settle(output_tokens=10)
    assert pool.left("output_tokens") == 90
    assert pool.used.output_tokens == 10


def test_a_reservation_is_settled_once() -> None:
    pool = ModelPool(output_tokens=100)
    held = pool.reserve(need(said=80))
    held.settle(output_tokens=10)
    held.settle(output_tokens=10)
    held.forfeit()
    assert pool.used.output_tokens == 10


def test_what_nobody_knows_counts_as_used() -> None:
    pool = ModelPool(output_tokens=100)
    pool.reserve(need(said=80)).forfeit()
    assert pool.used.output_tokens == 80


def test_a_call_that_was_not_made_is_given_back_whole() -> None:
    pool = ModelPool(calls=1)
    pool.reserve(need()).release()
    assert pool.left("calls") == 1


def test_output_shrinks_to_what_is_left() -> None:
    pool = ModelPool(output_tokens=100)
    assert pool.reserve(need(said=1000)).output_tokens == 100


def test_output_shrinks_to_what_the_money_buys() -> None:
    pool = ModelPool(money=1.0)
    assert pool.reserve(need(said=1000, price=Price(fixed=0.5, each=0.01))).output_tokens == 50


def test_an_exact_output_is_refused_rather_than_shortened() -> None:
    with pytest.raises(LimitError, match="output tokens: 200 is over the limit of 100"):
        ModelPool(output_tokens=100).reserve(need(said=200, exact=True))


def test_no_money_buys_nothing_of_unknown_price() -> None:
    with pytest.raises(LimitError, match="money"):
        ModelPool(money=0.0).reserve(Need(input_tokens=1, output_tokens=1, price=None))


def test_no_money_buys_what_is_free() -> None:
    assert ModelPool(money=0.0).reserve(need(said=3)).output_tokens == 3


def test_a_child_draws_on_its_parent() -> None:
    parent = ModelPool(calls=3)
    first, second = ModelPool(parent=parent, calls=2), ModelPool(parent=parent)
    for pool in (first, first, second):
        pool.reserve(need()).settle()
    with pytest.raises(LimitError, match="model calls: 4 is over the limit of 3"):
        second.reserve(need())
    assert parent.used.model_calls == 3


def test_a_child_has_a_limit_of_its_own() -> None:
    parent = ModelPool(calls=9)
    child = ModelPool(parent=parent, calls=1)
    child.reserve(need()).settle()
    with pytest.raises(LimitError, match="over the limit of 1"):
        child.reserve(need())
    assert parent.left("calls") == 8


def test_a_refused_child_takes_nothing_from_anybody() -> None:
    parent = ModelPool(calls=5, input_tokens=10)
    child = ModelPool(parent=parent, calls=5)
    with pytest.raises(LimitError):
        child.reserve(need(asked=11))
    assert (parent.left("calls"), child.left("calls"), parent.left("input_tokens")) == (5, 5, 10)


def test_a_call_waits_while_another_may_still_give_something_back() -> None:
    pool = ModelPool(output_tokens=100)
    held = pool.reserve(need(said=90))

    async def wait() -> int:
        waiting = asyncio.create_task(pool.areserve(need(said=50)))
        await asyncio.sleep(0)
        assert not waiting.done()
        held.settle(output_tokens=10)
        return (await waiting).output_tokens

    assert asyncio.run(wait()) == 50


def test_a_call_under_way_is_a_call_made() -> None:
    pool = ModelPool(calls=1)
    pool.reserve(need())
    with pytest.raises(LimitError):
        asyncio.run(pool.areserve(need()))


@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20), st.floats(0, 1)), max_size=20),
)
def test_no_order_of_calls_passes_a_limit(limit: int, calls: list[tuple[int, int, float]]) -> None:
    pool = ModelPool(input_tokens=limit, output_tokens=limit, calls=limit)
    held = []
    for asked, said, part in calls:
        try:
            reservation = pool.reserve(need(asked, said))
        except LimitError:
            continue
        held.append((reservation, asked, int(reservation.output_tokens * part)))
        if len(held) > 2:
            settled, asked, said = held.pop(0)
            settled.settle(input_tokens=asked, output_tokens=said)
    for settled, asked, said in held:
        settled.settle(input_tokens=asked, output_tokens=said)
    used = pool.used
    assert max(used.input_tokens, used.output_tokens, used.model_calls) <= limit


def test_threads_together_never_pass_a_limit() -> None:
    pool = ModelPool(calls=50, output_tokens=1000)
    together = threading.Barrier(8)

    def draw(_: int) -> int:
        together.wait()
        made = 0
        for _ in range(20):
            try:
                pool.reserve(need(said=7)).settle(output_tokens=7)
                made += 1
            except LimitError:
                pass
        return made

    with ThreadPoolExecutor(8) as threads:
        made = sum(threads.map(draw, range(8)))
    assert made == pool.used.model_calls == 50


def test_a_model_is_not_asked_when_the_pool_is_empty(script: Script) -> None:
    model = script({"for": "chat", "answer": "one"}, {"for": "chat", "answer": "two"})
    with pytest.raises(LimitError, match="model calls: 1 is over the limit of 0"):
        model.ask("chat", "?", pool=ModelPool(calls=0))
    assert model.ask("chat", "?").text == "one"


def test_an_answer_is_charged_to_the_pool(script: Script) -> None:
    pool = ModelPool(calls=2, money=1.0)
    line = {"for": "chat", "answer": "x", "input_tokens": 5, "output_tokens": 3, "money": 0.75}
    model = script(line)
    model.ask("chat", "?", pool=pool)
    assert (pool.used.input_tokens, pool.used.output_tokens, pool.used.money.dollars) == (5, 3, 0.75)
    with pytest.raises(LimitError, match="money"):
        model.ask("chat", "?", pool=pool)


def test_a_failed_call_is_a_call(script: Script) -> None:
    pool = ModelPool()
    with pytest.raises(ModelError) as caught:
        script({"for": "chat", "error": "no"}).ask("chat", "?", pool=pool)
    assert pool.used.model_calls == caught.value.cost.model_calls == 1


def test_many_threads_share_a_model_and_a_pool(script: Script) -> None:
    model = script({"for": "chat", "answer": "x", "output_tokens": 10, "input_tokens": 1, "delay": 0.001})
    pool = ModelPool(output_tokens=100)

    def ask(number: int) -> bool:
        try:
            model.ask("chat", str(number), pool=pool)
        except LimitError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        answered = sum(threads.map(ask, range(30)))
    assert answered == 10
    assert pool.used.output_tokens == 100


class Book:
    """Keep what is noted; the notes with the numbers in *fails* cannot be taken."""

    def __init__(self, *, fails: tuple[int, ...] = ()) -> None:
        self.notes: list[ModelAsked | ModelAnswered] = []
        self._fails = fails

    def __call__(self, event: ModelAsked | ModelAnswered) -> int:
        self.notes.append(event)
        if len(self.notes) in self._fails:
            raise StoreError("away")
        return len(self.notes)


def test_a_call_is_noted_before_and_after_it(script: Script) -> None:
    book = Book()
    model = script({"for": "chat", "answer": "x", "input_tokens": 5, "output_tokens": 3})
    model.ask("chat", "?", pool=ModelPool(note=book, calls=1))
    asked = ModelAsked(model=model.name, purpose="chat", input_tokens=5, output_tokens=3, money=0.0)
    assert book.notes == [asked, ModelAnswered(asked=1, input_tokens=5, output_tokens=3, money=0.0)]


def test_a_call_that_cannot_be_noted_is_not_made(script: Script) -> None:
    pool = ModelPool(calls=1, note=Book(fails=(1,)))
    model = script({"for": "chat", "answer": "x"})
    with pytest.raises(StoreError, match="away"):
        model.ask("chat", "?", pool=pool)
    assert pool.left("calls") == 1
    assert model.ask("chat", "?", pool=pool).text == "x"


def test_an_answer_that_cannot_be_noted_is_an_answer(script: Script) -> None:
    book = Book(fails=(2,))
    model = script({"for": "chat", "answer": "x"})
    assert model.ask("chat", "?", pool=ModelPool(note=book)).text == "x"
    assert len(book.notes) == 2
