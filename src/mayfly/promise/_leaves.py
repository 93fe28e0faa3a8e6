"""The work of one leaf: a capability of the host, or an agent that an engine runs behind the wall."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mayfly.core import (
    UNSET,
    Capability,
    Cost,
    InputError,
    Invocation,
    MayflyError,
    Pool,
    Proof,
    StoreError,
    Unset,
    within,
)
from mayfly.library import Registry, ToolCapability
from mayfly.promise._bind import bind
from mayfly.promise._data import NotData, copied, handed
from mayfly.promise._effects import Effects
from mayfly.promise._elsewhere import Elsewhere, Ended, why_here, work_of
from mayfly.promise._events import DeadLetter
from mayfly.promise._job import Done, Engine, Job, Part
from mayfly.promise._journal import Journal
from mayfly.promise._keys import hash_part, key_here, key_of, key_of_call, part_of
from mayfly.promise._promise import Children, Evidence, Promise, Work
from mayfly.promise._supply import MissingTools, NoSupply, ToolSupply
from mayfly.promise.engines import EngineLost
from mayfly.store import Killed, Payload

if TYPE_CHECKING:
    from mayfly.store import Ledger

LONGEST = 2000
PIECE = 64 * 1024 * 1024


@dataclass(kw_only=True)
class Value:
    """What a promise came to, on its way to being accepted: where it is kept, and what it cost."""

    value: object = None
    evidence: Evidence | None = None
    key: str = ""
    derived: bool = False
    again: bool = False
    events: tuple[Payload, ...] = ()
    cost: Cost = field(default_factory=Cost)
    sandbox_seconds: float = 0.0
    seconds: float = 0.0
    account: Mapping[str, object] | None = None


class Untrue(MayflyError):
    """A value did not pass its test."""

    code = "TEST"


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

    journal: Journal
    registry: Registry
    engine: Engine
    home: Engine
    pool: Pool
    kill: Callable[[], None]
    options: Options
    delays: tuple[float, ...] = ()
    supply: ToolSupply = field(default_factory=NoSupply)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.options.parallel)
        self._missing = MissingTools(
            supply=self.supply,
            registry=self.registry,
            kill=self.kill,
            pool=self.pool,
            model=self.options.model,
            run=self.journal.run,
            slots=self._slots,
        )

    async def capability(self, promise: Promise[Any], needed: Mapping[str, object], effects: Effects) -> Value:
        """Call the capability that serves *promise*, and test what it gives."""
        if promise.capability:
            asked = promise.capability, promise.version
            held = self.registry.held(*asked)
            # What is not held is looked up in the store, or in a shop at the other end of the world.
            capability = await asyncio.to_thread(self.registry.get, *asked) if held is None else held
        else:
            capability = await self._missing.get(promise, needed, effects)
        return await self._call(capability, arguments_of(promise, needed, capability), promise, effects)

    async def by_tool(self, promise: Promise[Any], needed: Mapping[str, object], effects: Effects) -> Value | None:
        """Have a tool of the library do what would be written from examples; None where none does, or it fails."""
        given = input_of(promise, needed)
        if given is UNSET or part_of(promise) is not None:
            return None
        try:
            found = await asyncio.to_thread(self.supply.find, promise.intent, promise.examples, given)
            return None if found is None else await self._call(*found, promise, effects)
        except Killed:
            raise
        except MayflyError:
            return None  # it is written, as it would be without a library

    async def _call(
        self, capability: Capability, arguments: Mapping[str, object], promise: Promise[Any], effects: Effects
    ) -> Value:
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
        stays = "where the driver is" if self.engine is self.home else why_here(capability)
        if capability.quick:
            value, events = await effects.call(capability, call, promise)
        elif not stays:
            job = replace(self._job(promise, work_of(capability), call.arguments), context=call.context)
            async with self._slots:
                elsewhere = Elsewhere(engine=self.engine, kill=self.kill, effects=effects, promise=promise)
                value, events, stays = await elsewhere.call(capability, call, job)
        else:
            async with self._slots:
                value, events = await effects.call(capability, call, promise)
        if isinstance(value, Children):
            if capability.effect != "none" or events:
                raise InputError(f"{capability.name} handed in children, and only one that changes nothing may")
            return Value(value=value)
        evidence = await self._checked(capability, call, value)
        if stays and self.engine is not self.home:
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
            work = replace(work, name=_agent_in(needed))
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
        if found is not None and (job.accept_weak or _is_strong(found)):
            return found
        done = await self._run(job)
        if done.status != "resolved":
            raise Ended(done)
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


def _is_strong(found: Value) -> bool:
    return found.evidence is not None and found.evidence.strength in ("strong", "tested")


def about_store(error: Exception) -> bool:
    """Whether the store is to blame; a switch that says nothing about how to turn it off could not be read."""
    if isinstance(error, Ended):
        return error.done.code == StoreError.code
    return isinstance(error, StoreError) or (isinstance(error, Killed) and error.fix is None)


def stored(payload: Mapping[str, Any], ledger: Ledger, key: str) -> Value:
    """Read a proven value back."""
    blob = payload.get("blob")
    value = json.loads(ledger.get_blob(blob)) if blob else payload.get("value")
    said = payload.get("evidence")
    evidence = Evidence.from_json(said) if said else None
    return Value(value=value, evidence=evidence, key=key, again=True, account=payload.get("account"))


def input_of(promise: Promise[Any], needed: Mapping[str, object]) -> object | Unset:
    """Return what a promise works on: its own argument, the value of the one it needs, or a record of several."""
    if promise.argument is not UNSET:
        return bind(promise.argument, needed)
    if len(needed) == 1:
        return next(iter(needed.values()))
    return dict(needed) if needed else UNSET


def arguments_of(promise: Promise[Any], needed: Mapping[str, object], capability: Capability) -> Mapping[str, object]:
    """Return the arguments of a call; where none are said, what flows in fills the required ones in their order."""
    if promise.argument is UNSET:
        # Whatever is missing or too much then is said by the schema.
        return dict(zip(capability.input_schema.get("required", ()), needed.values(), strict=False))
    found = bind(promise.argument, needed)
    if not isinstance(found, Mapping):
        raise InputError(f"{capability.name} is called with arguments by name, not with {type(found).__name__}")
    return found


def _plain_record(values: Mapping[str, object]) -> dict[str, Any]:
    return {name: handed(value) for name, value in values.items()}


def evidence_of(proof: Proof | None, id: str) -> Evidence:
    """Return what the proof of a program says for the values it gives."""
    if proof is None:
        return Evidence(description="no proof was made", confidence=0.0, strength="none", id=id)
    caught = f", {proof.mutants_killed}/{proof.mutants} mutants caught" if proof.mutants else ""
    sure = proof.mutants_killed / proof.mutants if proof.mutants else 0.5
    return Evidence(
        description=f"{proof.tests} tests of the agent{caught}",
        confidence=round(sure, 3),
        check="agent",
        strength=proof.strength,
        id=proof.id or id,
    )


def _agent_in(needed: Mapping[str, object]) -> str:
    for value in needed.values():
        if isinstance(value, dict) and isinstance(value.get("agent"), str):
            return str(value["agent"])
    raise InputError("there is no agent to run: nothing it needs is one")
