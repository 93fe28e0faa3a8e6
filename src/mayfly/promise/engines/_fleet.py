"""A Ray cluster as the engine sees it: its nodes, and one actor on each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from mayfly.core import Settings
from mayfly.promise._job import Worker
from mayfly.promise.engines._address import answers
from mayfly.promise.engines._connect import ClusterConnection
from mayfly.promise.engines._host import Host
from mayfly.promise.engines._lost import WorkerLost
from mayfly.promise.engines._nodes import AHEAD, Node, line
from mayfly.promise.engines._ray import relay

# Cancelling must not wait behind the jobs, so there are threads that no job can take.
SPARE_THREADS = 8


class RayFleet:
    """Start, call and end actors; every way in which Ray says that one is gone becomes `WorkerLost`."""

    def __init__(
        self, connection: ClusterConnection, settings: Settings, make_worker: Callable[[Settings], Worker]
    ) -> None:
        self._connection = connection
        self._ray = connection.ray
        here = replace(settings, promise=replace(settings.promise, engine="local"), sources={})
        self._packed: bytes = import_module("ray.cloudpickle").dumps((here, make_worker))
        names = settings.promise.ray_keep.split(",")
        self._keep = frozenset(name.strip() for name in names if name.strip())

    def nodes(self) -> Iterable[Node]:
        """Return the nodes that are alive; the cores of one are what it offers to Ray, but at least one."""
        if not answers(self._connection.address):
            raise ConnectionError(f"nothing listens at {self._connection.address}")
        return [
            Node(found["NodeID"], found["NodeManagerAddress"], max(1, int(found["Resources"].get("CPU", 1))))
            for found in self._ray.nodes()
            if found["Alive"]
        ]

    def start(self, node: Node) -> Any:
        """Make an actor on *node* and nowhere else. It claims no core of Ray's: places are counted by the engine."""
        strategies = import_module("ray.util.scheduling_strategies")
        actor = self._ray.remote(
            num_cpus=0,
            max_restarts=0,
            max_task_retries=0,
            max_concurrency=node.slots * AHEAD + SPARE_THREADS,
            scheduling_strategy=strategies.NodeAffinitySchedulingStrategy(node.id, soft=False),
        )(Host)
        return actor.remote(self._packed, self._keep, node.slots)

    def hello(self, worker: Any) -> Future[dict[str, Any]]:
        """Ask an actor who it is."""
        return self._future(worker.hello.remote())

    def put(self, data: bytes) -> Any:
        """Put *data* into the object store, until the reference is dropped."""
        return self._ray.put(data)

    def do(self, worker: Any, call: str, job: dict[str, Any], data: Any) -> Future[dict[str, Any]]:
        """Hand a job to an actor; its data is held until it ended."""
        future = self._future(worker.do.remote(call, job, data))
        future.add_done_callback(partial(_drop, data))
        return future

    def cancel(self, worker: Any, call: str, job: str) -> None:
        """Have an actor stop a job. `ray.cancel` reaches no thread of an actor, so it is asked to."""
        try:
            worker.cancel.remote(call, job)
        except Exception:
            return

    def put_away(self, worker: Any) -> Future[Any]:
        """Have an actor close its worker."""
        return self._future(worker.close.remote())

    def end(self, worker: Any) -> None:
        """Kill an actor; one that is gone already is no matter."""
        try:
            self._ray.kill(worker, no_restart=True)
        except Exception:
            return

    def close(self, *, silent: bool) -> None:
        """Disconnect."""
        self._connection.close(silent=silent)

    def _future(self, reference: Any) -> Future[Any]:
        return relay(reference.future(), self._change)

    def _change(self, error: BaseException) -> BaseException:
        """Keep what the method itself raised; anything else Ray reports means that the actor is gone."""
        known = self._ray.exceptions
        if isinstance(error, known.RayTaskError):
            return RuntimeError(line(error))
        if isinstance(error, known.ActorUnavailableError):
            return WorkerLost("its process cannot be reached")
        if isinstance(error, known.ActorDiedError) and "creation task" not in str(error):
            return WorkerLost("its process died")
        return WorkerLost(line(error))


def _drop(held: object, _: Future[Any]) -> None:
    """Hold a reference until a future has ended, and no longer."""
