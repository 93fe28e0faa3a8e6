"""The local engine: one worker, jobs in threads, cancellation that reaches the work."""

import asyncio
import contextvars
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from mayfly.core import MachineError, PromiseSettings, Settings, Stop
from mayfly.promise._job import Done, Job
from mayfly.promise.engines import EngineLost, LocalEngine, open_engine

from .crew import Crew, job, make_crew


def settings(**promise: object) -> Settings:
    return Settings(promise=replace(PromiseSettings(), **promise))  # type: ignore[arg-type]


class Shop:
    """Make workers and keep them at hand."""

    def __init__(self) -> None:
        self.made: list[Crew] = []

    def __call__(self, settings: Settings) -> Crew:
        self.made.append(Crew(settings))
        return self.made[-1]


class Naps:
    """Sleep without waiting, and remember for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def until(found: threading.Event | None = None, *, crew: Crew | None = None, running: int = 1) -> None:
    """Let the loop turn until *crew* has that many jobs under way."""
    while (found is not None and not found.is_set()) or (crew is not None and crew.running < running):
        await asyncio.sleep(0.001)


def test_a_job_is_done() -> None:
    async def main() -> Done:
        engine = open_engine(Settings(), make_crew)
        try:
            return await engine.do(job("double", argument=21))
        finally:
            await engine.aclose()

    done = asyncio.run(main())
    assert (done.status, done.value) == ("resolved", 42)


def test_no_worker_is_made_before_the_first_job() -> None:
    shop = Shop()
    asyncio.run(LocalEngine(Settings(), shop).aclose())
    assert shop.made == []


def test_all_jobs_share_one_worker_and_no_more_run_at_once_than_allowed() -> None:
    shop = Shop()

    async def main() -> list[Done]:
        engine = LocalEngine(settings(parallel=3), shop)
        done = await asyncio.gather(*(engine.do(job("meet 3", node)) for node in range(12)))
        await engine.aclose()
        return done

    assert {done.value for done in asyncio.run(main())} == {"met"}
    assert len(shop.made) == 1
    assert shop.made[0].most == 3
    assert shop.made[0].closed


def test_cancelling_reaches_the_work() -> None:
    shop = Shop()

    async def main() -> None:
        engine = LocalEngine(Settings(), shop)
        await engine.do(job("hello"))
        task = asyncio.create_task(engine.do(job("wait 500", 1)))
        await until(crew=shop.made[0])
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await engine.aclose()

    asyncio.run(main())
    assert shop.made[0].cancelled["r/1"].is_set()
    assert shop.made[0].running == 0


def test_a_job_that_waits_its_turn_never_begins_once_cancelled() -> None:
    shop = Shop()

    async def main() -> None:
        engine = LocalEngine(settings(parallel=1), shop)
        await engine.do(job("hello"))
        first = asyncio.create_task(engine.do(job("wait 500", 1)))
        await until(crew=shop.made[0])
        second = asyncio.create_task(engine.do(job("wait 500", 2)))
        await asyncio.sleep(0)
        for task in (second, first):
            task.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        await engine.aclose()

    asyncio.run(main())
    assert "r/2" not in shop.made[0].cancelled


def test_a_cancelled_job_may_be_done_again() -> None:
    crew = Crew(Settings())

    async def main() -> Done:
        engine = LocalEngine(Settings(), lambda _: crew)
        task = asyncio.create_task(engine.do(job("wait 500")))
        await until(crew=crew)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        done = await engine.do(job("wait 0"))
        await engine.aclose()
        return done

    assert asyncio.run(main()).value == "slept"


def test_a_worker_that_does_not_heed_its_stop_is_left_to_finish() -> None:
    begun, go = threading.Event(), threading.Event()

    class Plain:
        def do(self, job: Job, data: bytes | None = None, *, stop: Stop | None = None) -> Done:
            begun.set()
            go.wait(500)
            return Done(status="resolved")

        def close(self) -> None:
            go.set()

    async def main() -> None:
        engine = LocalEngine(Settings(), lambda _: Plain())
        task = asyncio.create_task(engine.do(job("anything")))
        await until(begun)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not go.is_set()
        await engine.aclose()

    asyncio.run(main())


def test_what_a_worker_raises_is_a_failure_and_not_tried_again() -> None:
    naps = Naps()

    async def main() -> Done:
        engine = LocalEngine(Settings(), make_crew, sleep=naps)
        done = await engine.do(job("raise"))
        await engine.aclose()
        return done

    done = asyncio.run(main())
    assert (done.status, done.code, done.reason) == ("failed", "WORKER", "unexpected ValueError: no such thing")
    assert naps.seconds == []


def test_a_worker_that_cannot_be_made_is_a_failure_with_its_reason() -> None:
    def broken(_: Settings) -> Crew:
        raise MachineError("no wall here", fix="see: mayfly doctor")

    async def main() -> Done:
        engine = LocalEngine(Settings(), broken)
        done = await engine.do(job("hello"))
        await engine.aclose()
        return done

    done = asyncio.run(main())
    assert (done.status, done.code, done.reason) == ("failed", "MACHINE", "no wall here; see: mayfly doctor")


def test_a_lost_worker_is_replaced_and_the_job_done_by_the_next(tmp_path: Path) -> None:
    shop, naps = Shop(), Naps()

    async def main() -> Done:
        engine = LocalEngine(Settings(), shop, sleep=naps)
        done = await engine.do(job(f"vanish-once {tmp_path / 'mark'}"))
        await engine.aclose()
        return done

    assert asyncio.run(main()).status == "resolved"
    assert [crew.closed for crew in shop.made] == [True, True]
    assert naps.seconds == [1.0]


def test_a_worker_lost_every_time_is_given_up_with_all_attempts() -> None:
    shop, naps = Shop(), Naps()

    async def main() -> None:
        engine = LocalEngine(Settings(), shop, sleep=naps)
        try:
            await engine.do(job("vanish"))
        finally:
            await engine.aclose()

    with pytest.raises(EngineLost, match="r/0: its worker was lost 6 times") as caught:
        asyncio.run(main())
    assert (caught.value.attempts, caught.value.last) == (6, "its machinery broke")
    assert naps.seconds == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert len(shop.made) == 6


def test_no_retries_means_one_try() -> None:
    naps = Naps()

    async def main() -> None:
        engine = LocalEngine(settings(retries=0), make_crew, sleep=naps)
        try:
            await engine.do(job("vanish"))
        finally:
            await engine.aclose()

    with pytest.raises(EngineLost, match="lost 1 time,"):
        asyncio.run(main())
    assert naps.seconds == []


def test_one_engine_serves_one_event_loop_after_another() -> None:
    engine = LocalEngine(Settings(), make_crew)
    assert asyncio.run(engine.do(job("double", argument=1))).value == 2
    assert asyncio.run(engine.do(job("double", argument=2))).value == 4
    asyncio.run(engine.aclose())


def test_a_job_sees_the_context_of_its_caller() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="nobody")

    class Reader(Crew):
        def do(self, job: Job, data: bytes | None = None, *, stop: Stop | None = None) -> Done:
            return Done(status="resolved", value=variable.get())

    async def main() -> Done:
        variable.set("somebody")
        engine = LocalEngine(Settings(), Reader)
        done = await engine.do(job("read"))
        await engine.aclose()
        return done

    assert asyncio.run(main()).value == "somebody"
