"""Capabilities that an engine's workers can call themselves: functions of the host's own program, and library tools."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from mayfly.core import Capability, Invocation, MayflyError
from mayfly.library import FunctionCapability, ToolCapability
from mayfly.promise._effects import Effects
from mayfly.promise._job import Done, Engine, Job
from mayfly.promise._promise import Promise, Work
from mayfly.store import Payload

# How a worker says that it cannot import a function of the host's, or that it does not trust a tool.
NOT_THERE = "NOT_THERE"
# The value, what has to be recorded with it, and why it was worked out here after all; empty where it was not.
Called = tuple[object, tuple[Payload, ...], str]


class Ended(MayflyError):
    """A leaf ended without a value; carries the code its worker gave."""

    code = "LEAF"

    def __init__(self, done: Done) -> None:
        super().__init__(done.reason or "it ended without a reason")
        self.done = done


def why_here(capability: Capability) -> str:
    """Say why a capability is called in this process and not where the engine does leaves; empty where it is not."""
    if isinstance(capability, ToolCapability):
        return "since it reaches what this machine has" if capability.grants or capability.effect != "none" else ""
    if not isinstance(capability, FunctionCapability):
        return "since it belongs to this program"
    if capability.reaches_out or capability.effect != "none" or capability.quick:
        return "since its calls are asked about, or quick"
    if capability.retry is not None and capability.retry.on != (Exception,):
        return "since its errors are told apart"
    return "" if capability.address else "since no other process can import it"


def work_of(capability: Capability) -> Work:
    """Return what a worker is told to call."""
    if isinstance(capability, ToolCapability):
        return Work(kind="tool", name=capability.address)
    assert isinstance(capability, FunctionCapability), "nothing else is called elsewhere"
    return Work(kind="call", name=capability.address)


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """Have one call of a promise made by an engine; here where its worker cannot, and say so."""

    engine: Engine
    kill: Callable[[], None]
    effects: Effects
    promise: Promise[Any]

    async def call(self, capability: Capability, call: Invocation, job: Job) -> Called:
        """Return what *job*, which is the *call* as a worker is told it, came to."""
        try:
            if isinstance(capability, ToolCapability):
                return await self._tool(capability, call, job)
            return await self._function(capability, replace(job, seconds=capability.seconds))
        except Ended as error:
            if error.done.code != NOT_THERE:
                raise
            where = error.done.where or "a worker"
        value, events = await self.effects.call(capability, call, self.promise)
        return value, events, f"since {where} cannot import it"

    async def _function(self, capability: Capability, job: Job) -> Called:
        await asyncio.to_thread(self.kill)
        for delay in (*(capability.retry.delays if capability.retry else ()), None):
            done = await self.engine.do(job)
            if done.status == "resolved":
                return done.value, (), ""
            if delay is None or done.code == NOT_THERE:
                raise Ended(done)
            await asyncio.sleep(delay)
        raise AssertionError("the last delay raises")

    async def _tool(self, capability: ToolCapability, call: Invocation, job: Job) -> Called:
        """Send the call of a tool once the rules, which are asked here, permit it."""

        async def send(sent: Invocation) -> object:
            done = await self.engine.do(replace(job, seconds=sent.seconds))
            if done.status != "resolved":
                raise Ended(done)
            return done.value

        value, events = await self.effects.call(replace(capability, call=send), call, self.promise)
        return value, events, ""
