"""Limits that nest: taken on every level or on none, never passed, and counted to the last digit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from mayfly.core import POOL_KINDS, ConflictError, InputError, LimitError, Pool, current_pool, limit
from mayfly.testing import FakeClock

TAKEABLE = [kind for kind in POOL_KINDS if kind != "seconds"]
BAD = [-1, -0.1, float("nan"), float("inf"), float("-inf"), 10**400, "3", None]


def made(**limits: float | None) -> Pool:
    return Pool(parent=None, clock=None, used=None, **limits)


def state(*pools: Pool) -> list[tuple[float, float, float | None]]:
    return [(pool.used(kind), pool.held(kind), pool.left(kind)) for pool in pools for kind in TAKEABLE]


@pytest.mark.parametrize("kind", TAKEABLE)
def test_zero_is_zero_and_none_is_no_limit(kind: str) -> None:
    with pytest.raises(LimitError) as caught:
        made(**{kind: 0}).spend(**{kind: 1})
    assert (caught.value.used, caught.value.limit) == (1, 0)
    free = made(**{kind: None})
    free.spend(**{kind: 10**9})
    assert (free.left(kind), free.limit(kind), free.used(kind)) == (None, None, 10**9)


@pytest.mark.parametrize("value", BAD[:-1])
@pytest.mark.parametrize("kind", ["money", "nodes", "seconds"])
def test_a_limit_that_is_no_amount_is_a_mistake(kind: str, value: float) -> None:
    with pytest.raises(InputError, match="0 or more"):
        made(**{kind: value})


@pytest.mark.parametrize("value", BAD)
def test_an_amount_that_is_no_amount_is_refused_and_changes_nothing(value: float) -> None:
    pool = Pool(money=10)
    hold = pool.reserve(money=4)
    before = state(pool)
    for use in (pool.reserve, pool.try_reserve, pool.spend, hold.settle):
        with pytest.raises(InputError, match="0 or more"):
            use(money=value)
    with pytest.raises(InputError, match="0 or more"):
        pool.reserve(money=1, least={"money": value})
    with pytest.raises(InputError, match="0 or more"):
        Pool(used={"money": value})
    assert state(pool) == before
    assert hold.open


def test_a_kind_nobody_knows_is_a_mistake_everywhere() -> None:
    pool = Pool()
    for use in (pool.used, pool.held, pool.left, pool.limit):
        with pytest.raises(InputError, match="has no 'tokens'"):
            use("tokens")
    for take in (Pool, pool.child, pool.reserve, pool.spend, pool.reserve().settle):
        with pytest.raises(InputError, match="has no 'tokens'"):
            take(tokens=1)
    with pytest.raises(InputError, match="has no 'tokens'"):
        Pool(tokens=None)


def test_a_refused_reservation_takes_nothing_on_any_level() -> None:
    root = Pool(nodes=10, money=1)
    child = root.child(nodes=5)
    before = state(root, child)
    with pytest.raises(LimitError, match="money for models: 2 is over the limit of 1"):
        child.reserve(nodes=1, money=2)
    assert state(root, child) == before


def test_what_is_not_used_is_given_back_on_every_level() -> None:
    root = Pool(output_tokens=100)
    child = root.child(output_tokens=80)
    child.reserve(output_tokens=70).settle(output_tokens=10)
    assert [(pool.used("output_tokens"), pool.left("output_tokens")) for pool in (root, child)] == [(10, 90), (10, 70)]


def test_more_than_was_granted_is_counted_and_not_hidden() -> None:
    root = Pool(sandbox_seconds=10)
    child = root.child()
    child.reserve(sandbox_seconds=5).settle(sandbox_seconds=25, nodes=3)
    assert (root.used("sandbox_seconds"), root.left("sandbox_seconds"), root.used("nodes")) == (25, 0, 3)
    with pytest.raises(LimitError):
        child.spend(sandbox_seconds=0.001)


def test_a_hold_ends_once() -> None:
    pool = Pool(nodes=10)
    hold = pool.reserve(nodes=4)
    hold.settle(nodes=1)
    before = state(pool)
    hold.release()
    hold.forfeit()
    with pytest.raises(ConflictError, match="ends once"):
        hold.settle(nodes=1)
    assert state(pool) == before
    assert pool.left("nodes") == 9


def test_what_was_released_cannot_be_settled_behind_the_pools_back() -> None:
    hold = Pool(nodes=10).reserve(nodes=4)
    hold.release()
    with pytest.raises(ConflictError):
        hold.settle(nodes=4)


def test_what_nobody_can_say_counts_as_used() -> None:
    pool = Pool(nodes=10)
    pool.reserve(nodes=4).forfeit()
    assert (pool.used("nodes"), pool.held("nodes")) == (4, 0)


def test_a_hold_left_well_is_given_back_and_left_by_an_error_is_used() -> None:
    pool = Pool(nodes=10)
    with pool.reserve(nodes=4):
        assert pool.held("nodes") == 4
    assert (pool.used("nodes"), pool.held("nodes")) == (0, 0)
    with pytest.raises(KeyError), pool.reserve(nodes=4):
        raise KeyError
    assert (pool.used("nodes"), pool.held("nodes")) == (4, 0)
    with pool.reserve(nodes=4) as hold:
        hold.settle(nodes=1)
    assert pool.used("nodes") == 5


def test_decimals_are_counted_as_they_are_written() -> None:
    pool = Pool(money=0.3)
    for _ in range(3):
        pool.spend(money=0.1)
    assert (pool.used("money"), pool.left("money")) == (0.3, 0)
    with pytest.raises(LimitError):
        pool.spend(money=1e-300)


def test_giving_back_leaves_no_dust() -> None:
    pool = Pool(money=1)
    holds = [pool.reserve(money=0.1), pool.reserve(money=0.7), pool.reserve(money=1e-20)]
    for hold in holds:
        hold.release()
    assert (pool.held("money"), pool.left("money")) == (0, 1)


def test_a_part_is_granted_down_to_the_least() -> None:
    pool = Pool(output_tokens=100, money=1)
    first = pool.reserve(output_tokens=70, money=0.75)
    second = pool.reserve(output_tokens=80, money=0.5, least={"output_tokens": 10, "money": 0.25})
    assert second.granted == {"output_tokens": 30, "money": 0.25}
    with pytest.raises(LimitError):
        pool.reserve(output_tokens=80, least={"output_tokens": 1})
    first.release()
    assert pool.reserve(output_tokens=80, least={"output_tokens": 1}).granted["output_tokens"] == 70


def test_a_part_is_limited_by_the_tightest_level_and_comes_whole() -> None:
    root = Pool(nodes=7.5)
    child = root.child(nodes=9)
    assert child.reserve(nodes=100, least={"nodes": 1}).granted == {"nodes": 7}


def test_a_least_beyond_what_is_asked_for_is_a_mistake() -> None:
    for least in ({"nodes": 3}, {"money": 0}):
        with pytest.raises(InputError, match="more than what is asked for"):
            Pool().reserve(nodes=2, least=least)


def test_what_was_granted_cannot_be_changed() -> None:
    hold = Pool().reserve(nodes=2)
    with pytest.raises(TypeError):
        hold.granted["nodes"] = 0  # type: ignore[index]


def test_trying_says_whether_waiting_may_help() -> None:
    pool = Pool(nodes=10)
    held = pool.reserve(nodes=8)
    assert pool.try_reserve(nodes=5) is None
    with pytest.raises(LimitError, match="promises: 11 is over the limit of 10"):
        pool.try_reserve(nodes=11)
    held.forfeit()
    with pytest.raises(LimitError, match="promises: 13 is over the limit of 10"):
        pool.try_reserve(nodes=5)


def test_nobody_waits_for_what_is_as_good_as_used() -> None:
    pool = Pool(model_calls=1)
    held = pool.reserve(model_calls=1, firm=("model_calls",))
    with pytest.raises(LimitError):
        pool.try_reserve(model_calls=1)
    held.release()
    assert pool.try_reserve(model_calls=1) is not None


def test_seconds_are_a_deadline_on_every_level() -> None:
    clock = FakeClock(100.0)
    root = Pool(seconds=10, clock=clock)
    clock.now += 4
    child = root.child(seconds=5)
    assert (root.seconds_left(), child.seconds_left(), child.left("seconds")) == (6, 5, 5)
    clock.now += 5
    root.check()
    for refused in (child.check, child.reserve, child.spend, child.try_reserve):
        with pytest.raises(LimitError, match="seconds: 5 is over the limit of 5"):
            refused()
    clock.now += 1
    with pytest.raises(LimitError, match="seconds: 10 is over the limit of 10"):
        root.child(seconds=100).check()
    assert root.seconds_left() == 0


def test_no_seconds_are_no_seconds() -> None:
    with pytest.raises(LimitError):
        Pool(seconds=0, clock=FakeClock(100.0)).check()


def test_a_pool_without_a_deadline_has_no_seconds_left_to_say() -> None:
    pool = Pool()
    pool.check()
    assert pool.seconds_left() is None


def test_a_clock_that_is_set_back_gives_no_time_back() -> None:
    clock = FakeClock(100.0)
    pool = Pool(seconds=10, clock=clock)
    clock.now += 10
    with pytest.raises(LimitError):
        pool.check()
    clock.now -= 1000
    with pytest.raises(LimitError):
        pool.check()
    assert pool.used("seconds") == 10


def test_time_can_be_neither_taken_nor_settled() -> None:
    pool = Pool(seconds=10)
    hold = pool.reserve()
    for use in (pool.reserve, pool.spend, hold.settle):
        with pytest.raises(InputError, match="seconds pass by themselves"):
            use(seconds=1)


def test_what_was_used_before_counts_on_every_level_and_time_on_its_own() -> None:
    clock = FakeClock(100.0)
    first = Pool(clock=clock)
    first.spend(nodes=3, money=0.25)
    clock.now += 7
    root = Pool(nodes=10, seconds=100, clock=clock)
    again = Pool(parent=root, nodes=4, seconds=10, used=first.snapshot())
    assert (again.left("nodes"), root.left("nodes"), root.used("money")) == (1, 7, 0.25)
    assert (again.seconds_left(), root.seconds_left()) == (3, 100)
    assert again.snapshot() == first.snapshot()


def test_more_used_before_than_is_allowed_now_leaves_nothing() -> None:
    pool = Pool(nodes=2, used={"nodes": 5})
    assert (pool.left("nodes"), pool.used("nodes")) == (0, 5)
    with pytest.raises(LimitError):
        pool.spend(nodes=0)


def test_limits_nest_and_the_inner_draws_on_the_outer() -> None:
    assert current_pool() is None
    with limit(nodes=3) as outer:
        with limit(nodes=5) as inner:
            assert current_pool() is inner
            inner.spend(nodes=2)
            with pytest.raises(LimitError, match="over the limit of 3"):
                inner.spend(nodes=2)
        assert current_pool() is outer
        assert outer.left("nodes") == 1
    assert current_pool() is None


def test_a_child_that_outlives_its_parent_still_draws_on_it() -> None:
    with limit(nodes=3) as outer:
        child = outer.child()
        hold = child.reserve(nodes=2)
    hold.settle(nodes=1)
    child.spend(nodes=2)
    assert outer.left("nodes") == 0
    with pytest.raises(LimitError):
        child.spend(nodes=1)


def test_a_limit_that_ends_by_an_error_is_over() -> None:
    with pytest.raises(KeyError), limit(nodes=1):
        raise KeyError
    assert current_pool() is None


def test_a_limit_reaches_tasks_and_their_threads() -> None:
    def work() -> None:
        pool = current_pool()
        assert pool is not None
        pool.spend(nodes=1)

    async def main() -> float:
        with limit(nodes=10) as pool:
            await asyncio.gather(*(asyncio.to_thread(work) for _ in range(4)), *map(asyncio.create_task, [alone()]))
            return pool.used("nodes")

    async def alone() -> None:
        work()

    assert asyncio.run(main()) == 5


def test_one_task_does_not_see_the_limit_of_another() -> None:
    async def limited(name: str, met: asyncio.Barrier) -> float | None:
        with limit(nodes=len(name)):
            await met.wait()
            pool = current_pool()
            return None if pool is None else pool.limit("nodes")

    async def main() -> list[float | None]:
        met = asyncio.Barrier(2)
        return list(await asyncio.gather(limited("a", met), limited("bb", met)))

    assert asyncio.run(main()) == [1, 2]


def test_a_plain_thread_has_no_limit_of_its_makers() -> None:
    seen: list[Pool | None] = []
    with limit(nodes=1):
        thread = threading.Thread(target=lambda: seen.append(current_pool()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_a_limit_in_a_generator_that_another_task_closes_ends_quietly() -> None:
    async def limited() -> AsyncIterator[Pool]:
        with limit(nodes=1) as pool:
            yield pool

    async def work() -> Pool:
        made = limited()
        pool = await anext(made)
        closing = made.aclose()  # type: ignore[attr-defined]
        await asyncio.ensure_future(closing)
        return pool

    assert asyncio.run(work()).left("nodes") == 1
