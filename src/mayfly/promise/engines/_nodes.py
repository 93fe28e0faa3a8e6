"""Which nodes there are, how busy each is, and who waits for a place on one.

One worker a node. A node that joins gets a worker, one that dies is dropped; a worker that died is made anew, later
each time it dies without having finished anything. What is in flight stays within a small multiple of the cores; the
rest waits here, in the order in which it came. The lock is never held while the cluster is called: Ray answers in
threads that want the lock in turn.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from mayfly.promise.engines._lost import WorkerLost

AHEAD = 2
START_SECONDS = 120.0
LONGEST_REST = 60.0
SILENCE_SECONDS = 10.0
LONGEST_REASON = 300
MOST_REASONS = 3
PUT_AWAY_SECONDS = 10.0


class Node(NamedTuple):
    """One machine of a cluster."""

    id: str
    host: str
    slots: int


class Fleet(Protocol):
    """The operations on a cluster that the engine needs. A future that fails means that the worker is lost."""

    def nodes(self) -> Iterable[Node]:
        """Return the nodes that are alive."""
        ...

    def start(self, node: Node) -> Any:
        """Make a worker on *node* and return its handle; it may not be ready yet."""
        ...

    def hello(self, worker: Any) -> Future[dict[str, Any]]:
        """Ask a worker who it is."""
        ...

    def put(self, data: bytes) -> Any:
        """Put *data* where every worker can get at it, until what is returned is dropped."""
        ...

    def do(self, worker: Any, call: str, job: dict[str, Any], data: Any) -> Future[dict[str, Any]]:
        """Hand a job and what `put` returned to a worker."""
        ...

    def cancel(self, worker: Any, call: str, job: str) -> None:
        """Have a worker stop a job; does not wait."""
        ...

    def put_away(self, worker: Any) -> Future[Any]:
        """Have a worker close what it holds open."""
        ...

    def end(self, worker: Any) -> None:
        """End a worker at once; does not wait."""
        ...

    def close(self, *, silent: bool) -> None:
        """Let go of the cluster, without waiting for one that is *silent*."""
        ...


@dataclass(kw_only=True, eq=False)
class Member:
    """A node, its worker and what it holds."""

    node: Node
    worker: Any
    since: float
    load: int = 0
    ready: bool = False
    gone: bool = False
    fate: Future[str] = field(default_factory=Future)

    @property
    def room(self) -> int:
        """How much it takes at most."""
        return self.node.slots * AHEAD

    def fits(self, weight: int) -> bool:
        """Say whether there is a place for a job of *weight*; one too heavy for any node gets a node of its own."""
        return self.ready and self.load + min(weight, self.room) <= self.room


@dataclass(kw_only=True)
class Rest:
    """How often a node's worker came to nothing, why, and until when the node is left alone."""

    failures: int = 0
    until: float = 0.0
    reason: str = ""


@dataclass(kw_only=True)
class Nodes:
    """Keep one worker on every node and give out places on the least loaded."""

    fleet: Fleet
    clock: Callable[[], float] = time.monotonic
    every: float = 1.0
    silent: bool = False
    _heard: float = float("-inf")
    _members: dict[str, Member] = field(default_factory=dict)
    _rests: dict[str, Rest] = field(default_factory=dict)
    _waiting: deque[tuple[int, Collection[str], Future[Member]]] = field(default_factory=deque)
    _alive: int = 0
    _dead: list[Any] = field(default_factory=list)
    _lock: Any = field(default_factory=threading.RLock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _look: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _reason: str = "the cluster has no node"

    def watch(self) -> None:
        """Look at the cluster now, and from now on in the background."""
        self.refresh()
        self._thread = threading.Thread(target=self._watch, name="mayfly-ray-nodes", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End every worker; whoever waits is told."""
        self._stop.set()
        self._look.set()
        if self._thread is not None:
            self._thread.join()
        with self._lock:
            members, self._members = list(self._members.values()), {}
            for member in members:
                member.gone = True
            dead, self._dead = self._dead, []
            self._alive, self._reason = 0, "the engine was closed"
            self._serve()
        if self.silent:
            return
        wait([self.fleet.put_away(member.worker) for member in members if member.ready], PUT_AWAY_SECONDS)
        for worker in (*dead, *(member.worker for member in members)):
            self.fleet.end(worker)

    def refresh(self) -> None:
        """Look at the cluster once: drop what died, make workers where there are none."""
        try:
            alive = {node.id: node for node in self.fleet.nodes()}
        except Exception as error:
            if self._members and self.clock() - self._heard < SILENCE_SECONDS:
                return
            self.silent, alive, self._reason = True, {}, f"the cluster does not answer ({line(error)})"
        else:
            self.silent, self._heard, self._reason = False, self.clock(), "the cluster has no node"
        with self._lock:
            late = self.clock() - START_SECONDS
            for member in list(self._members.values()):
                if member.node.id not in alive:
                    self._remove(member, self._reason if self.silent else "its node died")
                elif not member.ready and member.since < late:
                    self._remove(member, f"it did not start within {START_SECONDS:g} s")
                    self._despair()
            self._alive = len(alive)
            wanted = [node for node in alive.values() if node.id not in self._members and self._rested(node)]
            dead, self._dead = self._dead, []
        for worker in dead if not self.silent else ():
            self.fleet.end(worker)
        for node in wanted:
            self._add(node)
        with self._lock:
            self._serve()

    def place(self, weight: int = 1, *, avoid: Collection[str] = ()) -> Future[Member]:
        """Return a future that holds a member when there is a place for *weight* on it; give it back by `release`.

        A node in *avoid* is taken only where no other has a place.
        """
        waiter: Future[Member] = Future()
        with self._lock:
            self._waiting.append((weight, avoid, waiter))
            self._serve()
        return waiter

    def release(self, member: Member, weight: int = 1, *, finished: bool = False) -> None:
        """Give a place back; *finished* says that the worker proved itself."""
        with self._lock:
            member.load -= min(weight, member.room)
            if finished:
                self._rests.pop(member.node.id, None)
            self._serve()

    def lost(self, member: Member, reason: str) -> None:
        """Drop a member whose worker is gone, and look at the cluster soon."""
        with self._lock:
            self._remove(member, reason)
            self._serve()

    def idle(self) -> bool:
        """Say whether some worker has nothing to do."""
        with self._lock:
            return any(member.ready and not member.load for member in self._members.values())

    @property
    def members(self) -> list[Member]:
        """Every member there is now."""
        with self._lock:
            return list(self._members.values())

    def _watch(self) -> None:
        while not self._stop.is_set():
            self._look.wait(self.every)
            self._look.clear()
            if not self._stop.is_set():
                self.refresh()

    def _add(self, node: Node) -> None:
        try:
            worker = self.fleet.start(node)
            said = self.fleet.hello(worker)
        except Exception as error:
            with self._lock:
                self._tire(node.id, f"{node.host}: {line(error)}")
                self._despair()
            return
        member = Member(node=node, worker=worker, since=self.clock())
        with self._lock:
            self._members[node.id] = member
        said.add_done_callback(lambda said: self._said_hello(member, said))

    def _said_hello(self, member: Member, said: Future[dict[str, Any]]) -> None:
        error = said.exception()
        reason = line(error) if error else said.result()["error"]
        with self._lock:
            if member.gone:
                return
            if reason:
                self._remove(member, reason)
                self._despair()
            member.ready = not reason
            self._serve()

    def _remove(self, member: Member, reason: str) -> None:
        if member.gone:
            return
        member.gone, member.ready = True, False
        member.fate.set_result(reason)
        if self._members.get(member.node.id) is member:
            del self._members[member.node.id]
        self._tire(member.node.id, f"{member.node.host}: {reason}")
        self._dead.append(member.worker)
        self._look.set()

    def _tire(self, node: str, reason: str) -> None:
        rest = self._rests.setdefault(node, Rest())
        rest.reason = reason
        delay = 0.0 if rest.failures == 0 else min(2.0 ** (rest.failures - 1), LONGEST_REST)
        rest.failures, rest.until = rest.failures + 1, self.clock() + delay

    def _rested(self, node: Node) -> bool:
        return node.id not in self._rests or self.clock() >= self._rests[node.id].until

    def _despair(self) -> None:
        """Tell whoever waits that there was a chance and it came to nothing; each decides whether to wait on."""
        if not self._members:
            reasons = {rest.reason: None for rest in self._rests.values()} if self._alive else {self._reason: None}
            self._refuse_waiting(f"no node can work: {'; '.join(list(reasons)[:MOST_REASONS])}")

    def _serve(self) -> None:
        if not self._alive:
            self._despair()
        while self._waiting:
            weight, avoid, waiter = self._waiting[0]
            fitting = [member for member in self._members.values() if member.fits(weight)]
            if any(not member.ready for member in self._members.values()):
                # What is queued behind a busy core stays there, however idle the node is that is about to be ready.
                fitting = [member for member in fitting if member.load < member.node.slots]
            if not fitting and not waiter.cancelled():
                return
            self._waiting.popleft()
            if not waiter.set_running_or_notify_cancel():
                continue
            member = min(fitting, key=partial(_rank, avoid))
            member.load += min(weight, member.room)
            waiter.set_result(member)

    def _refuse_waiting(self, reason: str) -> None:
        while self._waiting:
            _, _, waiter = self._waiting.popleft()
            if waiter.set_running_or_notify_cancel():
                waiter.set_exception(WorkerLost(reason))


def _rank(avoid: Collection[str], member: Member) -> tuple[bool, float, int]:
    """Order members by how much a job should go to them: elsewhere than before, the least loaded, the largest."""
    return member.node.id in avoid, member.load / member.room, -member.room


def line(error: BaseException) -> str:
    """Return the last line of what an error says: Ray puts the cause there."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:LONGEST_REASON] if lines else type(error).__name__
