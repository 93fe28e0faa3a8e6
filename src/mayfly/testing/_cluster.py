"""A real Ray cluster on this machine, and what can befall its nodes."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mayfly.testing._processes import below, command_of, kill, parent_of

if TYPE_CHECKING:
    from mayfly.core import Settings
    from mayfly.promise.engines import Cluster


@contextmanager
def ray_cluster(
    settings: Settings, *, nodes: int = 2, cpus: int | None = None, client: bool = False
) -> Iterator[Cluster]:
    """Start the cluster that *settings* name as `ray`; it ends with the block, and with this process if that dies.

    A process of the cluster that outlives it is an error.
    """
    from mayfly.promise.engines import TryOut, cluster_processes

    tryout = TryOut(settings)
    try:
        cluster, _ = tryout.up(nodes=nodes, cpus=cpus, client=client, with_parent=True)
        yield cluster
        tryout.down()
        if left := cluster_processes(cluster):
            raise RuntimeError(f"processes of the cluster are left: {left}")
    finally:
        tryout.down()


class SentLeaves:
    """Count how often each leaf was handed to Ray; *put* replaces an attribute for as long as that is wanted."""

    def __init__(self, put: Callable[[Any, str, Any], None]) -> None:
        self.raylets: set[int | None] = set()
        self._times: Counter[str] = Counter()
        from mayfly.promise.engines import RayEngine

        engine: Any = RayEngine
        do = engine.do

        async def counted(this: Any, job: Any) -> Any:
            self._times[job.node] += 1
            done = await do(this, job)
            self.raylets.add(parent_of(int(done.where.rpartition(":")[2])))
            return done

        put(engine, "do", counted)

    def times(self, leaves: Sequence[str]) -> dict[str, int]:
        """Return how often each of *leaves* was sent."""
        return {leaf: self._times[leaf] for leaf in leaves}


def behind_the_wall(*raylets: int) -> list[int]:
    """Return the processes of sandboxes on nodes, whatever started them there."""
    found = [pid for raylet in raylets for pid in below(raylet)]
    return [pid for pid in found if b"mayfly" in command_of(pid) and b"zygote" in command_of(pid)]


def kill_node(raylet: int) -> None:
    """Kill a node and the processes that it started, but nothing behind those."""
    kill(raylet, *_children(raylet))


def stop_workers(raylet: int) -> None:
    """Let the processes that a node started stand still; the node itself and what is behind them go on."""
    for pid in _children(raylet):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


def _children(parent: int) -> list[int]:
    return [pid for pid in below(parent) if parent_of(pid) == parent]
