"""The work of one leaf: a call of a capability, here or by an engine, or an agent that runs behind the wall."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from mayfly.core import (
    UNSET,
    Asked,
    Capability,
    Example,
    InputError,
    Invocation,
    MayflyError,
    Pool,
    Retry,
    StoreError,
    Unset,
    within,
)
from mayfly.library import FunctionCapability, Registry, ToolCapability
from mayfly.promise._data import NotData, copied, handed
from mayfly.promise._effects import Effects
from mayfly.promise._events import DeadLetter
from mayfly.promise._job import Done, Engine, Job, Part, hash_part, key_here, key_of, key_of_call, part_of
from mayfly.promise._promise import Children, Evidence, Promise, Work
from mayfly.promise._values import (
    LeafEnded,
    Untrue,
    Value,
    about_store,
    agent_in,
    arguments_by_name,
    arguments_of,
    evidence_of,
    input_of,
    stored,
)
from mayfly.promise.engines import EngineLost
from mayfly.store import Killed, Payload

LONGEST = 2000
# A part of this many bytes more may run as much longer as a leaf may run at all.
PIECE = 64 * 1024 * 1024
# How a worker says that it cannot import a function of the host's, or that it does not trust a tool.
NOT_THERE = "NOT_THERE"


class ToolSupply(Protocol):
    """Find and make tools; both may take long, and neither asks the rules."""

    def make(
        self, name: str, intent: str, arguments: Mapping[str, object], *, model: str | None, run: str
    ) -> Capability:
        """Return a tool for a call that the plan of *run* names; raises why not, and what a person can type."""
        ...

    def find(
        self, intent: str, examples: Sequence[Example], input: object
    ) -> tuple[Capability, dict[str, object]] | None:
        """Return a tool that does what the examples say, and how it is called with *input*; None: there is none."""
        ...


@dataclass(frozen=True, kw_only=True)
class Options:
    """What holds for all leaves of one run."""

    model: str | None = None
    tier: str = "memo"
    accept_weak: bool = False
    hints: tuple[str, ...] = ()
    versions: str = ""
    workspace: Path = field(default_factory=Path.cwd)
    seconds: float = 30.0
    parallel: int = 32
    reuse: float = 3600.0


@dataclass(kw_only=True)
class Leaves:
    """Do leaves: those of the host here, the others by an engine; those that ask a model stay at *home*."""

    effects: Effects
    registry: Registry
    engine: Engine
    home: Engine
    pool: Pool
    kill: Callable[[], None]
    options: Options
    delays: tuple[float, ...] = ()
    supply: ToolSupply | None = None

    def __post_init__(self) -> None:
        self.journal = self.effects.journal
        self._slots = asyncio.Semaphore(self.options.parallel)
        self._making: dict[str, asyncio.Lock] = {}

    async def capability(self, promise: Promise[Any], needed: Mapping[str, object]) -> Value:
        """Call the capability that serves *promise*, and test what it gives."""
        if promise.capability:
            asked = promise.capability, promise.version
            held = self.registry.held(*asked)
            # What is not held is looked up in the store, or in a shop at the other end of the world.
            capability = await asyncio.to_thread(self.registry.get, *asked) if held is None else held
        else:
            capability = await self._make_tool(promise, needed)
        return await self._call(capability, arguments_of(promise, needed, capability), promise)

    async def _make_tool(self, promise: Promise[Any], needed: Mapping[str, object]) -> Capability:
        """Return the tool that a plan names: made by now, or made here, once, however many leaves wait for it."""
        assert promise.work is not None, "who asks has looked"
        name = promise.work.name
        given = _plain_record(arguments_by_name(name, promise, needed))
        async with self._making.setdefault(name, asyncio.Lock()):
            if await asyncio.to_thread(self.registry.__contains__, name):
                return await asyncio.to_thread(self.registry.get, name)
            if self.supply is None:
                raise InputError(f"there is no capability {name!r}, and nobody here makes one")
            await asyncio.to_thread(self.kill)
            await self.effects.ask(name, Asked("tool_write", name, promise.intent))
            async with self._slots:
                with within(self.pool):
                    return await asyncio.to_thread(
                        self.supply.make, name, promise.intent, given, model=self.options.model, run=self.journal.run
                    )

    async def by_tool(self, promise: Promise[Any], needed: Mapping[str, object]) -> Value | None:
        """Have a tool of the library do what would be written from examples; None where none does, or it fails."""
        given = input_of(promise, needed)
        if given is UNSET or self.supply is None or part_of(promise) is not None:
            return None
        try:
            found = await asyncio.to_thread(self.supply.find, promise.intent, promise.examples, given)
            return None if found is None else await self._call(*found, promise)
        except Killed:
            raise
        except MayflyError:
            return None  # it is written, as it would be without a library

    async def _call(self, capability: Capability, arguments: Mapping[str, object], promise: Promise[Any]) -> Value:
        subject = f"{self.journal.run}/{promise.id}"
        call = Invocation(
            arguments=_plain_record(arguments),
            context=_plain_record(promise.context),
            key=subject,
            workspace=self.options.workspace,
        )
        capability.check_arguments(call.arguments)
        key = key_here(subject, capability)
        if capability.steady:
            key = key_of_call(capability, call.arguments, call.context)
            if capability.has_test and not capability.quick and capability.effect == "none":
                found = await self._known(capability, call, key)
                if found is not None:
                    return found
        value, events, stays = await self._called(capability, call, promise)
        if isinstance(value, Children):
            if capability.effect != "none" or events:
                raise InputError(f"{capability.name} handed in children, and only one that changes nothing may")
            return Value(value=value)
        evidence = await self._checked(capability, call, value)
        if stays:
            evidence = replace(evidence, description=f"{evidence.description}; worked out here, {stays}"[:LONGEST])
        try:
            value = copied(value)
            if events:
                # What is recorded with the promise must not be recorded again for want of its value.
                if self.journal.ledger.secrets.holds(value):
                    raise NotData(f"what {capability.name} gives holds a secret, which is never kept")
                await self.journal.keep(value)
        except NotData:
            if events:
                raise
            key = ""
        return Value(value=value, evidence=evidence, key=key, events=events)

    async def _called(
        self, capability: Capability, call: Invocation, promise: Promise[Any]
    ) -> tuple[object, tuple[Payload, ...], str]:
        """Return the value, what is recorded with it, and why it was worked out here where an engine might have."""
        work = "" if self.engine is self.home else work_elsewhere(capability)
        if capability.quick:
            return *await self.effects.call(capability, call, promise), work if isinstance(work, str) else ""
        async with self._slots:
            if isinstance(work, str):
                return *await self.effects.call(capability, call, promise), work
            job = replace(self._job(promise, work, call.arguments), context=call.context)
            try:
                if work.kind == "call":
                    return (
                        await self._send_patiently(replace(job, seconds=capability.seconds), capability.retry),
                        (),
                        "",
                    )

                async def send(sent: Invocation) -> object:
                    return await self._send(replace(job, seconds=sent.seconds))

                # The rules are asked here, before a tool is called there.
                return *await self.effects.call(replace(capability, call=send), call, promise), ""
            except LeafEnded as error:
                if error.done.code != NOT_THERE:
                    raise
                where = error.done.where or "a worker"
            return *await self.effects.call(capability, call, promise), f"since {where} cannot import it"

    async def _send_patiently(self, job: Job, retry: Retry | None) -> object:
        await asyncio.to_thread(self.kill)
        for delay in retry.delays if retry else ():
            try:
                return await self._send(job)
            except LeafEnded as error:
                if error.done.code == NOT_THERE:
                    raise
            await asyncio.sleep(delay)
        return await self._send(job)

    async def _send(self, job: Job) -> object:
        """Have the engine do *job* and return its value."""
        done = await self.engine.do(job)
        if done.status != "resolved":
            raise LeafEnded(done)
        return done.value

    async def _known(self, capability: Capability, call: Invocation, key: str) -> Value | None:
        """Return a value of another run that passes the test of today: the function may be another by now."""
        found = await asyncio.to_thread(self._proven, key)
        if found is None:
            return None
        try:
            found.evidence = await self._checked(capability, call, handed(found.value))
        except Untrue:
            return None
        return found

    async def _checked(self, capability: Capability, call: Invocation, value: object) -> Evidence:
        """Return the evidence if the capability's own test says True; anything else is no proof."""
        wrong = await capability.verify(call, value)
        if wrong:
            raise Untrue(wrong)
        sure = capability.has_test
        return Evidence(
            description=capability.proves[:LONGEST],
            confidence=1.0 if sure else 0.5,
            check=f"capability:{capability.name}",
            strength="strong" if sure else "weak",
            # A plan may not name the tool that did it: whoever runs the proof again finds it by this.
            id=capability.address if isinstance(capability, ToolCapability) else None,
        )

    async def job(
        self, promise: Promise[Any], needed: Mapping[str, object], *, argument: object | Unset = UNSET
    ) -> Value:
        """Have an agent do *promise*; a value that was proven for the same question before is used again."""
        work = promise.work or Work(kind="compile")
        part = part_of(promise)
        if work.kind == "run" and not work.name:
            work = replace(work, name=agent_in(needed))
        given = UNSET if part else argument if argument is not UNSET else input_of(promise, needed)
        return await self._do(replace(self._job(promise, work, given), part=part))

    async def whole(self, promise: Promise[Any], parts: Sequence[Promise[Any]], how: Mapping[str, object]) -> Value:
        """Run the agent that was written on the whole file, since its results cannot be joined."""
        places = [place for child in parts if (place := part_of(child))]
        if not places:
            raise InputError("there are no parts to run on")
        part = Part(path=places[0].path, start=places[0].start, stop=places[-1].stop)
        work = Work(kind="run", name=str(how["agent"]))
        return await self._do(replace(self._job(promise, work, UNSET), part=part))

    def _job(self, promise: Promise[Any], work: Work, argument: object | Unset) -> Job:
        options, fence = self.options, self.journal.ledger.fence
        if isinstance(argument, Sequence) and not isinstance(argument, (str, list, tuple)):
            argument = list(argument)  # it lies on disk, and what crosses to a worker is plain data
        return Job(
            run=self.journal.run,
            node=promise.id,
            work=work,
            intent=promise.intent,
            depth=promise.depth,
            argument=argument,
            context=promise.context,
            examples=promise.examples,
            hints=options.hints,
            model=options.model,
            tier=options.tier,
            accept_weak=options.accept_weak,
            versions=options.versions,
            generation=fence.generation if fence else 0,
        )

    async def _do(self, job: Job) -> Value:
        """Do a job; one that ended only because the store was away is done again after each of the delays."""
        waits = list(self.delays)
        again = False
        while True:
            try:
                return await self._once(job)
            except MayflyError as error:
                if not about_store(error):
                    raise
                if await asyncio.to_thread(self._answers):
                    # It is back already, or something in it is amiss and will be the next time as well.
                    if again:
                        raise
                    again = True
                    continue
                if not waits:
                    raise
            await asyncio.sleep(waits.pop(0))

    def _answers(self) -> bool:
        try:
            self.journal.ledger.last(kind="run.began", subject=self.journal.run)
        except StoreError:
            return False
        return True

    async def _once(self, job: Job) -> Value:
        await asyncio.to_thread(self.kill)
        data = await asyncio.to_thread(hash_part, job.part) if job.part else ""
        key = key_of(job, data=data)
        found = await asyncio.to_thread(self._proven, key)
        if found is not None and (job.accept_weak or found.tested):
            return found
        done = await self._run(job)
        if done.status != "resolved":
            raise LeafEnded(done)
        return Value(
            value=done.value,
            evidence=evidence_of(done.proof, job.id),
            key="" if job.tier == "ephemeral" else key,
            cost=done.cost,
            sandbox_seconds=done.sandbox_seconds,
            account=done.account,
        )

    async def _run(self, job: Job) -> Done:
        engine = self.home if job.model and job.work.kind != "run" else self.engine
        longest = self.options.seconds * (1 + (job.part.stop - job.part.start) // PIECE if job.part else 1)
        async with self._slots:
            hold = await self.pool.areserve(least={"sandbox_seconds": min(0.1, longest)}, sandbox_seconds=longest)
            with hold, within(self.pool):
                try:
                    done = await engine.do(replace(job, seconds=hold.granted["sandbox_seconds"]))
                except EngineLost as lost:
                    dead = DeadLetter(
                        node=job.node,
                        intent=job.intent[:LONGEST],
                        attempts=lost.attempts,
                        reason=str(lost)[:LONGEST],
                    )
                    self.journal.note(dead)
                    raise
                hold.settle(sandbox_seconds=min(done.sandbox_seconds, hold.granted["sandbox_seconds"]))
        return done

    def _proven(self, key: str) -> Value | None:
        """Return what is proven under *key* and young enough."""
        found = self.journal.ledger.find_many("promise.proven", [key]).get(key)
        if found is None or found.at < datetime.now(UTC) - timedelta(seconds=self.options.reuse):
            return None
        return stored(found.payload, self.journal.ledger, key)


def work_elsewhere(capability: Capability) -> Work | str:
    """Return what an engine's worker is told to call, or why the call is made in this process."""
    if isinstance(capability, ToolCapability):
        if capability.grants or capability.effect != "none":
            return "since it reaches what this machine has"
        return Work(kind="tool", name=capability.address)
    if not isinstance(capability, FunctionCapability):
        return "since it belongs to this program"
    if capability.reaches_out or capability.effect != "none" or capability.quick:
        return "since its calls are asked about, or quick"
    if capability.retry is not None and capability.retry.on != (Exception,):
        return "since its errors are told apart"
    return Work(kind="call", name=capability.address) if capability.address else "since no other process can import it"


def _plain_record(values: Mapping[str, object]) -> dict[str, Any]:
    return {name: handed(value) for name, value in values.items()}
