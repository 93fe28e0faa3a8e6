"""A resolver with a real ledger and real capabilities, and an engine whose leaves are plain functions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mayfly.core import Capability, Pool, Proof
from mayfly.library import Registry
from mayfly.promise import (
    Done,
    Effects,
    Job,
    Journal,
    Leaves,
    Options,
    Promise,
    Resolver,
    Tester,
    TreeLimits,
    Work,
    past_of,
    saved,
    to_json,
)
from mayfly.promise._events import Planned
from mayfly.sandbox import Sandbox
from mayfly.store import Ledger

STRONG = Proof(strength="strong", tests=3, mutants=4, mutants_killed=4)
RUN = "r-00000001"


class Functions:
    """An engine that answers jobs from a table of functions by intent."""

    name = "functions"

    def __init__(self) -> None:
        self.table: dict[str, Callable[[Job], Any]] = {}
        self.jobs: list[Job] = []
        self.cancelled: list[str] = []

    async def do(self, job: Job) -> Done:
        self.jobs.append(job)
        try:
            made = self.table[job.intent](job)
            value = await made if inspect.isawaitable(made) else made
        except asyncio.CancelledError:
            self.cancelled.append(job.node)
            raise
        return value if isinstance(value, Done) else Done(status="resolved", value=value, proof=STRONG)

    def cores(self) -> int:
        return 1

    async def aclose(self) -> None:
        """Nothing is held."""


def allow(action: str, target: str, payload: str) -> Any:
    """Permit everything."""
    from types import SimpleNamespace

    return SimpleNamespace(decision="permit", because=(), reasons=(), id="d-1")


@dataclass(kw_only=True)
class Bed:
    """Everything around a resolver, so that a test says only what is special."""

    ledger: Ledger
    sandbox: Sandbox
    workspace: Path
    engine: Functions = field(default_factory=Functions)
    registry: Registry = field(default_factory=Registry)
    limits: dict[str, Any] = field(default_factory=dict)
    permit: Any = allow
    kill: Callable[[], None] = lambda: None
    seen: list[tuple[str, str]] = field(default_factory=list)
    accept_weak: bool = False
    max_depth: int = 3
    tier: str = "memo"
    sleeps: list[float] = field(default_factory=list)
    delays: tuple[float, ...] = ()
    effect_delays: tuple[float, ...] = ()
    test_seconds: float = 60.0

    def capability(self, name: str, call: Callable[..., Any], **more: Any) -> None:
        """Register one."""
        self.registry.add(Capability(name=name, call=call, **more))

    def plan(self, root: Promise[Any], *, run: str = RUN) -> None:
        """Record the tree as a run's plan."""
        from mayfly.core import canonical_json

        tree = self.ledger.put_blob(canonical_json(to_json(root)).encode())
        nodes = len(list(root.walk()))
        planned = Planned(intent=root.intent, tree=tree, nodes=nodes, by="test", seq=0, options={})
        self.ledger.append(planned, subject=run)

    def resolve(self, root: Promise[Any], *, run: str = RUN) -> Promise[Any]:
        """Resolve a tree that was not tried before."""
        self.plan(root, run=run)
        asyncio.run(self.drive(root, run=run))
        return root

    def resume(self, *, run: str = RUN) -> Promise[Any]:
        """Go on with a run from what the ledger has of it."""
        before = saved(self.ledger, run)
        root = before.fresh()
        keys = [f"{run}/{promise.id}" for promise in root.walk()]
        asyncio.run(self.drive(root, run=run, past=past_of(self.ledger, keys), seq=before.seq))
        return root

    async def drive(self, root: Promise[Any], *, run: str = RUN, past: Any = None, seq: int = 0) -> None:
        """Resolve inside a loop."""

        async def sleep(seconds: float) -> None:
            self.sleeps.append(seconds)
            await asyncio.sleep(0)

        journal = Journal(self.ledger, run, seq=seq, delays=self.delays, sleep=sleep)
        pool = Pool(**self.limits)
        options = Options(workspace=self.workspace, accept_weak=self.accept_weak, tier=self.tier)
        effects = Effects(
            journal=journal,
            kill=self.kill,
            permit=self.permit,
            past=past or {},
            delays=self.effect_delays,
            sleep=sleep,
        )
        leaves = Leaves(
            effects=effects,
            registry=self.registry,
            engine=self.engine,
            home=self.engine,
            pool=pool,
            kill=self.kill,
            options=options,
        )
        resolver = Resolver(
            leaves=leaves,
            value_tester=Tester(self.sandbox, seconds=self.test_seconds),
            merge=lambda kind, values, parts: [item for value in values for item in value],  # type: ignore[attr-defined]
            watch=lambda promise: self.seen.append((promise.id, promise.state.value)),
            limits=TreeLimits(pool=pool, max_depth=self.max_depth),
        )
        try:
            await resolver.resolve(root)
        finally:
            await journal.aclose()

    def events(self, kind: str, *, run: str = RUN) -> list[Any]:
        """Return the payloads of one kind."""
        return [event.payload for event in self.ledger.read(kind=kind, subject=run)]


def leaf(intent: str, **more: Any) -> Promise[Any]:
    """Make a leaf that the engine's table answers."""
    return Promise(intent, ground=more.pop("ground", None), work=Work(kind="compile"), **more)


def tree(intent: str, *children: Promise[Any], **more: Any) -> Promise[Any]:
    """Make an inner node."""
    root: Promise[Any] = Promise(intent, ground=more.pop("ground", "ground"), **more)
    for child in children:
        root.add(child)
    return root
