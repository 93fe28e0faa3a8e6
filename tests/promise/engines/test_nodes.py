"""Places on nodes, and the engine over a cluster that is only pretended: who comes, who goes, who waits how long."""

import asyncio
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest

from mayfly.core import PromiseSettings, Settings
from mayfly.promise._job import Done, Part
from mayfly.promise.engines import EngineLost, RayEngine, WorkerLost
from mayfly.promise.engines._host import done_to_data
from mayfly.promise.engines._nodes import START_SECONDS, Member, Node, Nodes
from mayfly.testing import FakeClock

from .crew import job

ONE, TWO = Node("one", "10.0.0.1", 1), Node("two", "10.0.0.2", 2)


class Pretended:
    """A cluster whose workers do what the test says, when it says so."""

    def __init__(self, *nodes: Node, ready: bool = True) -> None:
        self.alive = list(nodes)
        self.ready = ready
        self.error: str | None = None
        self.broken: Exception | None = None
        self.greetings: list[Future[dict[str, Any]]] = []
        self.sent: list[tuple[str, str, Future[dict[str, Any]]]] = []
        self.cancelled: list[str] = []
        self.ended: list[str] = []
        self.started: list[str] = []
        self.dies: list[str] = []
        self.answers = True

    def nodes(self) -> list[Node]:
        if self.broken:
            raise self.broken
        return self.alive

    def start(self, node: Node) -> str:
        self.started.append(node.id)
        return node.id

    def hello(self, worker: str) -> Future[dict[str, Any]]:
        said: Future[dict[str, Any]] = Future()
        self.greetings.append(said)
        if self.ready:
            said.set_result({"error": self.error})
        return said

    def put(self, data: bytes) -> bytes:
        return data

    def do(self, worker: str, call: str, job: dict[str, Any], data: object) -> Future[dict[str, Any]]:
        future: Future[dict[str, Any]] = Future()
        self.sent.append((worker, job["node"], future))
        if worker in self.dies:
            future.set_exception(WorkerLost("its process died"))
        elif self.answers:
            future.set_result({"done": done_to_data(Done(status="resolved", value=worker))})
        return future

    def cancel(self, worker: str, call: str, job: str) -> None:
        self.cancelled.append(job)

    def put_away(self, worker: str) -> Future[None]:
        future: Future[None] = Future()
        future.set_result(None)
        return future

    def end(self, worker: str) -> None:
        self.ended.append(worker)

    def close(self, *, silent: bool) -> None:
        self.ended.append("silent" if silent else "cluster")


def looked(fleet: Pretended, clock: FakeClock[float] | None = None) -> Nodes:
    nodes = Nodes(fleet=fleet, clock=clock or FakeClock(0.0))
    nodes.refresh()
    return nodes


def place(nodes: Nodes, weight: int = 1) -> Member:
    return nodes.place(weight).result(0)


def test_each_place_is_on_the_least_loaded_node_and_the_rest_waits() -> None:
    nodes = looked(Pretended(ONE, TWO))
    given = [place(nodes).node.id for _ in range(6)]
    assert sorted(given) == ["one"] * 2 + ["two"] * 4
    assert given[0] == "two", "the larger node first"
    assert not nodes.place().done()


def test_a_place_given_back_goes_to_who_waited_longest() -> None:
    nodes = looked(Pretended(ONE))
    member, _ = place(nodes), place(nodes)
    first, second = nodes.place(), nodes.place()
    nodes.release(member, finished=True)
    assert (first.done(), second.done()) == (True, False)


def test_whoever_gave_up_waiting_gets_no_place() -> None:
    nodes = looked(Pretended(ONE))
    member, _ = place(nodes), place(nodes)
    first, second = nodes.place(), nodes.place()
    first.cancel()
    nodes.release(member)
    assert second.done()
    assert member.load == 2


def test_a_suspect_gets_a_node_of_its_own() -> None:
    nodes = looked(Pretended(ONE, TWO))
    light = place(nodes)
    heavy = place(nodes, 1_000_000)
    assert heavy is not light
    assert heavy.load == heavy.room
    nodes.release(heavy, 1_000_000)
    assert heavy.load == 0


def test_a_node_to_avoid_is_taken_only_where_there_is_no_other() -> None:
    nodes = looked(Pretended(ONE, TWO))
    given = [nodes.place(avoid={"two"}).result(0).node.id for _ in range(3)]
    assert given == ["one", "one", "two"]


def test_a_worker_that_is_not_ready_gets_no_job() -> None:
    fleet = Pretended(ONE, ready=False)
    nodes = looked(fleet)
    waiting = nodes.place()
    assert not waiting.done()
    fleet.greetings[0].set_result({"error": None})
    assert waiting.done()


def test_a_node_that_joins_gets_a_worker() -> None:
    fleet = Pretended(ONE)
    nodes = looked(fleet)
    fleet.alive.append(TWO)
    nodes.refresh()
    assert fleet.started == ["one", "two"]
    assert len(nodes.members) == 2


def test_a_node_that_dies_is_dropped() -> None:
    fleet = Pretended(ONE, TWO)
    nodes = looked(fleet)
    fleet.alive.remove(ONE)
    nodes.refresh()
    nodes.refresh()
    assert [member.node.id for member in nodes.members] == ["two"]
    assert fleet.ended == ["one"]


def test_a_worker_that_keeps_dying_is_made_anew_ever_later() -> None:
    fleet, clock = Pretended(ONE), FakeClock(0.0)
    nodes = looked(fleet, clock)
    for _ in range(2):
        nodes.lost(nodes.members[0], "died")
        nodes.refresh()
        clock.now += 1.0
        nodes.refresh()
    assert len(fleet.started) == 3
    nodes.lost(nodes.members[0], "died")
    clock.now += 1.0
    nodes.refresh()
    assert len(fleet.started) == 3
    clock.now += 1.0
    nodes.refresh()
    assert len(fleet.started) == 4


def test_a_worker_that_finished_something_is_made_anew_at_once() -> None:
    fleet = Pretended(ONE)
    nodes = looked(fleet)
    for _ in range(5):
        nodes.release(place(nodes), finished=True)
        nodes.lost(nodes.members[0], "died")
        nodes.refresh()
    assert len(fleet.started) == 6


def test_a_worker_that_never_says_hello_is_given_up() -> None:
    fleet, clock = Pretended(ONE, ready=False), FakeClock(0.0)
    nodes = looked(fleet, clock)
    waiting = nodes.place()
    clock.now = START_SECONDS + 1
    nodes.refresh()
    with pytest.raises(WorkerLost, match=r"10\.0\.0\.1: it did not start within 120 s"):
        waiting.result(0)


def test_a_worker_that_cannot_be_made_says_why() -> None:
    fleet = Pretended(ONE, ready=False)
    nodes = looked(fleet)
    waiting = nodes.place()
    fleet.greetings[0].set_result({"error": "no wall here"})
    with pytest.raises(WorkerLost, match=r"no node can work: 10\.0\.0\.1: no wall here"):
        waiting.result(0)


def test_a_cluster_without_nodes_is_told_at_once() -> None:
    with pytest.raises(WorkerLost, match="the cluster has no node"):
        place(looked(Pretended()))


def test_a_cluster_that_does_not_answer_is_told_with_its_reason() -> None:
    fleet, clock = Pretended(ONE), FakeClock(0.0)
    nodes = looked(fleet, clock)
    (member,) = nodes.members
    fleet.broken = ConnectionError("gone away")
    nodes.refresh()
    assert not member.fate.done(), "it may have been a moment's silence"
    clock.now = 11.0
    nodes.refresh()
    assert "does not answer" in member.fate.result(0)
    with pytest.raises(WorkerLost, match=r"does not answer \(gone away\)"):
        place(nodes)


class Naps:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def engine_on(fleet: Pretended, naps: Naps | None = None, **promise: object) -> RayEngine:
    settings = Settings(promise=replace(PromiseSettings(), **promise))  # type: ignore[arg-type]
    return RayEngine(settings, fleet, sleep=naps or Naps(), every=0.001)


def closing(engine: RayEngine, *jobs: Any) -> list[Any]:
    async def main() -> list[Any]:
        try:
            return await asyncio.gather(*jobs, return_exceptions=True)
        finally:
            await engine.aclose()

    return asyncio.run(main())


def test_a_job_whose_worker_is_lost_is_done_elsewhere_and_soon() -> None:
    fleet, naps = Pretended(ONE, TWO), Naps()
    fleet.dies = ["two"]
    engine = engine_on(fleet, naps)
    done = closing(engine, engine.do(job("anything")))
    assert done[0].value == "one"
    assert naps.seconds == [0.1], "another node was idle, so the wait is a tenth"


def test_where_no_other_node_is_idle_the_waits_are_whole() -> None:
    fleet, naps = Pretended(), Naps()
    engine = engine_on(fleet, naps)
    (lost,) = closing(engine, engine.do(job("anything")))
    assert isinstance(lost, EngineLost)
    assert naps.seconds == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert len(lost.attempts) == 6
    assert lost.code == "ENGINE_LOST"


def test_a_worker_that_says_it_is_lost_is_replaced() -> None:
    fleet = Pretended(ONE)
    fleet.answers = False
    engine = engine_on(fleet)

    async def main() -> Done:
        task = asyncio.create_task(engine.do(job("anything")))
        while not fleet.sent:
            await asyncio.sleep(0)
        fleet.answers = True
        fleet.sent[0][2].set_result({"lost": "its machinery broke"})
        done = await task
        await engine.aclose()
        return done

    assert asyncio.run(main()).status == "resolved"
    assert len(fleet.started) == 2


def test_cancelling_tells_the_worker_and_keeps_the_place_until_it_is_done() -> None:
    fleet = Pretended(ONE)
    fleet.answers = False
    engine = engine_on(fleet)

    async def main() -> None:
        task = asyncio.create_task(engine.do(job("anything", 7)))
        while not fleet.sent:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert fleet.cancelled == ["r/7"]
        (member,) = engine.nodes.members
        assert member.load == 1
        fleet.sent[0][2].set_result({"done": done_to_data(Done(status="collapsed"))})
        assert member.load == 0
        await engine.aclose()

    asyncio.run(main())


def test_cancelling_what_waits_for_a_place_leaves_no_place_taken() -> None:
    fleet = Pretended(ONE)
    fleet.answers = False
    engine = engine_on(fleet)

    async def main() -> None:
        tasks = [asyncio.create_task(engine.do(job("anything", node))) for node in range(5)]
        while len(fleet.sent) < 2:
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _, _, future in fleet.sent:
            future.set_result({"done": done_to_data(Done(status="collapsed"))})
        assert [member.load for member in engine.nodes.members] == [0]
        assert len(fleet.sent) == 2
        await engine.aclose()

    asyncio.run(main())


def test_a_part_that_cannot_be_read_costs_no_try(tmp_path: Any) -> None:
    fleet, naps = Pretended(ONE), Naps()
    engine = engine_on(fleet, naps)
    short = tmp_path / "short"
    short.write_text("abc")
    jobs = [Part(path=str(tmp_path / "gone"), start=0, stop=3), Part(path=str(short), start=1, stop=9)]
    gone, cut = closing(engine, *(engine.do(job("data", part=part)) for part in jobs))
    assert (gone.code, cut.code) == ("INPUT", "INPUT")
    assert "became shorter" in cut.reason
    assert (fleet.sent, naps.seconds) == ([], [])


def test_closing_ends_every_worker_and_tells_who_waits() -> None:
    fleet = Pretended(ONE, ready=False)
    engine = engine_on(fleet, retries=0)

    async def main() -> None:
        task = asyncio.create_task(engine.do(job("anything")))
        await asyncio.sleep(0)
        await engine.aclose()
        with pytest.raises(EngineLost, match="the engine was closed"):
            await task

    asyncio.run(main())
    assert fleet.ended == ["one", "cluster"]
