"""The engine of many machines: leaves are spread over the nodes of a Ray cluster, coordinated from here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from typing import Any
from uuid import uuid4

from mayfly.core import InputError, Settings
from mayfly.promise._job import Done, Job, Part
from mayfly.promise.engines._host import done_from_data
from mayfly.promise.engines._lost import Sleep, WorkerLost, insist
from mayfly.promise.engines._nodes import Fleet, Member, Nodes, line
from mayfly.promise.engines._runner import failure

# A job whose worker was lost this often may be what kills them: from then on it has a node to itself.
SUSPECT_AFTER = 2
WHOLE_NODE = 1_000_000


class RayEngine:
    """Do leaves on the nodes of a cluster, one worker a node, each job on the least loaded.

    The part of a file that a job is about is read here and travels with it, so nodes share no file system. A job whose
    worker, process or node is lost runs again elsewhere. Calls may come from any event loop.
    """

    name = "ray"

    def __init__(self, settings: Settings, fleet: Fleet, *, sleep: Sleep = asyncio.sleep, every: float = 1.0) -> None:
        self._settings = settings
        self._fleet = fleet
        self._sleep = sleep
        self.nodes = Nodes(fleet=fleet, every=every)
        self.nodes.watch()

    async def do(self, job: Job) -> Done:
        """Have *job* done on some node; cancelling this stops the work there."""
        lost_on: set[str] = set()
        return await insist(
            job,
            lambda attempt: self._once(job, WHOLE_NODE if attempt >= SUSPECT_AFTER else 1, lost_on),
            settings=self._settings.promise,
            sleep=self._sleep,
            idle=self.nodes.idle,
        )

    async def aclose(self) -> None:
        """End the workers and let go of the cluster, which goes on."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self.nodes.close()
        self._fleet.close(silent=self.nodes.silent)

    async def _once(self, job: Job, weight: int, lost_on: set[str]) -> Done:
        member = await self._place(weight, lost_on)
        try:
            data = await asyncio.to_thread(self._read, job.part) if job.part else None
        except asyncio.CancelledError:
            self.nodes.release(member, weight)
            raise
        except Exception as error:
            self.nodes.release(member, weight)
            return failure(InputError(str(error)) if isinstance(error, OSError) else error)
        try:
            return await self._send(member, job, data, weight)
        except WorkerLost:
            lost_on.add(member.node.id)
            raise

    def _read(self, part: Part) -> Any:
        return self._fleet.put(read_part(part))

    async def _place(self, weight: int, avoid: Collection[str]) -> Member:
        waiter = self.nodes.place(weight, avoid=avoid)
        try:
            return await asyncio.wrap_future(waiter)
        except asyncio.CancelledError:
            # The place may have been given between the cancelling and now: then it is ours to give back.
            if not waiter.cancel() and waiter.exception() is None:
                self.nodes.release(waiter.result(), weight)
            raise

    async def _send(self, member: Member, job: Job, data: Any, weight: int) -> Done:
        call = uuid4().hex
        try:
            sent = self._fleet.do(member.worker, call, job.to_json(), data)
        except Exception as error:
            self.nodes.release(member, weight)
            self.nodes.lost(member, line(error))
            raise WorkerLost(f"{member.node.host}: {line(error)}") from None
        del data
        sent.add_done_callback(lambda ended: self._ended(member, weight, ended))
        try:
            answer = await asyncio.wrap_future(first_of(sent, member.fate))
        except asyncio.CancelledError:
            self._fleet.cancel(member.worker, call, job.id)
            raise
        except WorkerLost as lost:
            raise WorkerLost(f"{member.node.host}: {lost.message}") from None
        except Exception as error:
            return failure(error)
        if "lost" in answer:
            raise WorkerLost(f"{member.node.host}: {answer['lost']}")
        return done_from_data(answer["done"])

    def _ended(self, member: Member, weight: int, ended: Future[dict[str, Any]]) -> None:
        """Give a place back when the worker is done with the job, also where nobody waits for it any more.

        A worker that is gone is dropped first: its place must not be given to the next.
        """
        error = ended.exception()
        lost = error.message if isinstance(error, WorkerLost) else None if error else ended.result().get("lost")
        if lost is not None:
            self.nodes.lost(member, lost)
        self.nodes.release(member, weight, finished=lost is None)


def read_part(part: Part) -> bytes:
    """Return the bytes of *part*."""
    with Path(part.path).open("rb") as file:
        file.seek(part.start)
        data = file.read(part.stop - part.start)
    if len(data) != part.stop - part.start:
        raise InputError(f"{part.path}: it became shorter while it was read")
    return data


def relay(source: Future[Any], change: Callable[[BaseException], BaseException] = lambda error: error) -> Future[Any]:
    """Return a future that ends as *source* does and that may be cancelled without touching it."""
    target: Future[Any] = Future()

    def finish(ended: Future[Any]) -> None:
        error = ended.exception()
        _settle(target, None if error is not None else ended.result(), change(error) if error is not None else None)

    source.add_done_callback(finish)
    return target


def first_of(source: Future[Any], fate: Future[str]) -> Future[Any]:
    """Return a future that ends as *source* does, or as lost when *fate* is known before."""
    target = relay(source)
    fate.add_done_callback(lambda known: _settle(target, None, WorkerLost(known.result())))
    return target


def _settle(target: Future[Any], result: Any, error: BaseException | None) -> None:
    """End a future, unless it ended or was cancelled already."""
    try:
        if error is None:
            target.set_result(result)
        else:
            target.set_exception(error)
    except InvalidStateError:
        return
