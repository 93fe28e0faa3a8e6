"""Where tools come from that no plan has found: from the library, or made for it. Handed in by who owns a library."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mayfly.core import Asked, Capability, Example, InputError, Pool, within
from mayfly.library import Registry
from mayfly.promise._bind import bind
from mayfly.promise._data import handed
from mayfly.promise._effects import Effects
from mayfly.promise._promise import Promise


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


class NoSupply:
    """There is no library."""

    def make(
        self, name: str, intent: str, arguments: Mapping[str, object], *, model: str | None, run: str
    ) -> Capability:
        """Refuse."""
        raise InputError(f"there is no capability {name!r}, and nobody here makes one")

    def find(
        self, intent: str, examples: Sequence[Example], input: object
    ) -> tuple[Capability, dict[str, object]] | None:
        """Return none."""
        return None


@dataclass(frozen=True, kw_only=True)
class MissingTools:
    """Have the tools made that a plan names and that there are not, each once, however many leaves wait for it."""

    supply: ToolSupply
    registry: Registry
    kill: Callable[[], None]
    pool: Pool
    model: str | None
    run: str
    slots: asyncio.Semaphore
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def get(self, promise: Promise[Any], needed: Mapping[str, object], effects: Effects) -> Capability:
        """Return the tool of a promise: one that was made since, or one that is made now, where the rules permit it."""
        assert promise.work is not None, "who asks has looked"
        name = promise.work.name
        given = bind(promise.argument, needed)
        if not isinstance(given, Mapping):
            raise InputError(f"{name} is called with arguments by name, not with {type(given).__name__}")
        async with self._locks.setdefault(name, asyncio.Lock()):
            if await asyncio.to_thread(self.registry.__contains__, name):
                return await asyncio.to_thread(self.registry.get, name)
            await asyncio.to_thread(self.kill)
            await effects.ask(name, Asked("tool_write", name, promise.intent))
            plain = {key: handed(value) for key, value in given.items()}
            async with self.slots:
                with within(self.pool):
                    return await asyncio.to_thread(
                        self.supply.make, name, promise.intent, plain, model=self.model, run=self.run
                    )
