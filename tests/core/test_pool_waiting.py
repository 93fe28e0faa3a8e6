"""Waiting for what others hold: until enough is given back, and not when it never can be."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mayfly.core import Hold, LimitError, Pool


def waiting(pool: Pool, **amounts: float) -> asyncio.Task[Hold]:
    return asyncio.create_task(pool.areserve(least=None, firm=(), **amounts))


async def turns(number: int = 5) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def test_what_fits_is_granted_at_once() -> None:
    assert asyncio.run(Pool(nodes=5).areserve(nodes=5)).granted == {"nodes": 5}


def test_what_never_can_be_is_refused_at_once() -> None:
    async def main() -> None:
        pool = Pool(nodes=5)
        pool.reserve(nodes=3)
        with pytest.raises(LimitError):
            await pool.areserve(nodes=6)

    asyncio.run(main())


def test_a_wait_ends_when_enough_is_given_back() -> None:
    async def main() -> None:
        pool = Pool(nodes=5)
        first, second = pool.reserve(nodes=3), pool.reserve(nodes=2)
        task = waiting(pool.child(), nodes=4)
        await turns()
        second.release()
        await turns()
        assert not task.done()
        first.settle(nodes=1)
        assert (await task).granted == {"nodes": 4}

    asyncio.run(main())


def test_a_wait_ends_when_nothing_comes_back_any_more() -> None:
    async def main() -> None:
        pool = Pool(nodes=5)
        held = pool.reserve(nodes=5)
        task = waiting(pool, nodes=1)
        await turns()
        held.forfeit()
        with pytest.raises(LimitError, match="promises: 6 is over the limit of 5"):
            await task

    asyncio.run(main())


def test_a_wait_takes_a_part_as_soon_as_the_least_is_there() -> None:
    async def main() -> None:
        pool = Pool(nodes=5)
        first, _second = pool.reserve(nodes=2), pool.reserve(nodes=3)
        task = asyncio.create_task(pool.areserve(nodes=4, least={"nodes": 2}))
        await turns()
        first.release()
        assert (await task).granted == {"nodes": 2}

    asyncio.run(main())


def test_a_wait_ends_with_the_deadline() -> None:
    async def main() -> None:
        now = [0.0]
        pool = Pool(seconds=10, nodes=1, clock=lambda: now[0])
        pool.reserve(nodes=1)
        task = waiting(pool, nodes=1)
        await turns()
        now[0] = 10.0
        with pytest.raises(LimitError, match="seconds"):
            await task

    asyncio.run(main())


def test_a_cancelled_wait_takes_nothing_and_is_forgotten() -> None:
    async def main() -> None:
        pool = Pool(nodes=1)
        held = pool.reserve(nodes=1)
        task = waiting(pool, nodes=1)
        await turns()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        held.release()
        await turns()
        assert (pool.left("nodes"), pool.held("nodes")) == (1, 0)
        assert not pool._tree.waiting

    asyncio.run(main())


def test_a_thread_wakes_a_task() -> None:
    async def main() -> None:
        pool = Pool(nodes=1)
        held = pool.reserve(nodes=1)
        task = waiting(pool, nodes=1)
        await turns()
        await asyncio.to_thread(held.release)
        assert (await task).granted == {"nodes": 1}

    asyncio.run(main())


def test_a_loop_that_was_closed_hinders_nobody() -> None:
    pool = Pool(nodes=1)
    held = pool.reserve(nodes=1)
    loop = asyncio.new_event_loop()
    # Put in line by hand: a loop that is run to its end leaves nobody behind.
    pool._tree.waiting[loop.create_future()] = loop
    loop.close()
    held.release()
    assert pool.left("nodes") == 1


def test_threads_together_never_pass_a_limit() -> None:
    root = Pool(nodes=300, money=30)
    children = [root.child(nodes=100) for _ in range(4)]
    together = threading.Barrier(8)
    most: list[float] = []

    def draw(number: int) -> None:
        together.wait()
        for turn in range(200):
            try:
                hold = children[(number + turn) % 4].reserve(nodes=3, money=0.1, least={"nodes": 1})
            except LimitError:
                continue
            most.append(root.used("nodes") + root.held("nodes"))
            match turn % 4:
                case 0:
                    hold.release()
                case 1:
                    hold.forfeit()
                case _:
                    hold.settle(nodes=1, money=0.1)

    threads = [threading.Thread(target=draw, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) <= 300
    assert root.held("nodes") == root.held("money") == 0
    assert root.used("nodes") == sum(child.used("nodes") for child in children) <= 300
    assert root.used("money") == pytest.approx(sum(child.used("money") for child in children))
    assert all(child.used("nodes") <= 100 for child in children)


def test_tasks_together_never_pass_a_limit_and_all_come_through() -> None:
    async def work(root: Pool, child: Pool, number: int) -> None:
        hold = await child.areserve(nodes=1 + number % 5)
        assert root.used("nodes") + root.held("nodes") <= 405
        assert child.used("nodes") + child.held("nodes") <= 105
        await asyncio.sleep(0)
        hold.settle(nodes=number % 2)

    async def main() -> None:
        root = Pool(nodes=405)
        children = [root.child(nodes=105) for _ in range(8)]
        await asyncio.gather(*(work(root, children[number % 8], number) for number in range(800)))
        assert root.used("nodes") == 400
        assert [child.used("nodes") for child in children] == [0, 100] * 4

    asyncio.run(main())
