"""`Spawner`: agents beside the one that talks to the person, each with a history of its own.

    ephemeral     one task, then gone
    persistent    takes several tasks, is parked when nobody speaks to it, and goes on after a restart
    system        a schedule of bounded promises: each time a fresh task with its own limits, until the session ends

All of them share the store, the rules, the model and its budget; none sees another's turns or facts.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from mayfly.core import InputError, LimitError, SessionSettings
from mayfly.session._events import SessionBegan, SessionEnded, TurnEnded
from mayfly.session._log import SessionLog

if TYPE_CHECKING:
    from mayfly.session._executor import Executor
    from mayfly.store import Ledger

AgentKind = Literal["ephemeral", "persistent", "system"]
AgentState = Literal["idle", "running", "completed", "failed", "parked"]
KINDS: tuple[AgentKind, ...] = get_args(AgentKind)


@dataclass(frozen=True, kw_only=True)
class SpawnRequest:
    """What somebody wants an agent for."""

    task: str
    name: str = ""
    kind: AgentKind = "ephemeral"
    verb: str = ""
    timeout: float | None = None
    every: float = 0.0
    """Seconds between two rounds of a system agent."""


@dataclass(kw_only=True)
class SubAgent:
    """One agent that was spawned, and how it stands."""

    id: str
    request: SpawnRequest
    executor: Executor
    state: AgentState = "idle"
    ended: TurnEnded | None = None
    work: asyncio.Task[TurnEnded] | None = field(default=None, repr=False)
    used: float = field(default_factory=time.monotonic)


class Spawner:
    """Spawn agents up to a limit that is exact however many ask at once, and end them with their session."""

    def __init__(
        self,
        ledger: Ledger,
        settings: SessionSettings,
        make: Callable[[str, SpawnRequest], Executor],
        *,
        parent: str,
        workspace: str,
        model: str = "",
    ) -> None:
        """Take what makes the executor of an agent from its id and what it is wanted for."""
        self._ledger = ledger
        self._settings = settings
        self._make = make
        self._parent = parent
        self._workspace = workspace
        self._model = model
        self._agents: dict[str, SubAgent] = {}
        # Those that are being made count as well: making one takes a while, and others ask meanwhile.
        self._coming = 0

    @property
    def agents(self) -> tuple[SubAgent, ...]:
        """Every agent of this process that is not gone."""
        return tuple(self._agents.values())

    def active(self) -> int:
        """How many work, wait for their turn, or are being made."""
        return self._coming + sum(1 for agent in self._agents.values() if agent.state in ("idle", "running"))

    async def spawn(self, request: SpawnRequest) -> SubAgent:
        """Make an agent and set it to work; `LimitError` where there are enough."""
        _check(request, self._settings)
        # No other coroutine runs between the look and the count, so fifty at once get exactly what is left.
        self._check_number()
        self._coming += 1
        try:
            agent = await asyncio.to_thread(self._made, f"s-{secrets.token_hex(4)}", request)
            self._agents[agent.id] = agent
        finally:
            self._coming -= 1
        work = self._rounds(agent) if request.kind == "system" else self._turn(agent, request.task)
        agent.state = "running"
        agent.work = asyncio.create_task(work, name=f"agent {agent.id}")
        return agent

    def _check_number(self) -> None:
        used, limit = self.active(), self._settings.agents
        if used >= limit:
            raise LimitError("active agents", used=used, limit=limit, fix="wait for one of them to end")

    async def wait(self, agent: SubAgent) -> TurnEnded:
        """Wait until an agent has done what it was last asked."""
        assert agent.work is not None
        return await asyncio.shield(agent.work)

    async def tell(self, id: str, task: str) -> TurnEnded:
        """Give a persistent agent its next task; one that is parked, also by an earlier process, comes back for it."""
        agent = self._agents.get(id) or await self._unpark(id)
        if agent.request.kind != "persistent":
            raise InputError(f"{id} takes one task only")
        if agent.state == "running":
            raise InputError(f"{id} is at work", fix="wait for it")
        if len(agent.executor.log.turns) >= self._settings.agent_turns:
            raise LimitError("turns of an agent", used=self._settings.agent_turns, limit=self._settings.agent_turns)
        agent.state = "running"
        agent.work = asyncio.create_task(self._turn(agent, task), name=f"agent {agent.id}")
        return await self.wait(agent)

    async def close(self) -> None:
        """End all that is under way; persistent agents are parked."""
        for agent in self.agents:
            agent.executor.room.stop.cancel()
            if agent.work is not None and not agent.work.done():
                agent.work.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await agent.work
            kept = agent.request.kind == "persistent"
            self._end(agent, "parked" if kept else "ended", "the session ended")

    def _made(self, id: str, request: SpawnRequest) -> SubAgent:
        executor = self._make(id, request)
        began = SessionBegan(
            workspace=self._workspace,
            model=self._model,
            parent=self._parent,
            name=request.name,
            kind=request.kind,
            timeout=self._seconds(request),
        )
        executor.log.add(began)
        return SubAgent(id=id, request=request, executor=executor)

    async def _unpark(self, id: str) -> SubAgent:
        log = SessionLog(self._ledger, id)
        if log.began is None or log.began.kind != "persistent":
            raise InputError(f"there is no persistent agent {id}", fix="see: mayfly agents")
        request = SpawnRequest(task="", name=log.began.name, kind="persistent", timeout=log.began.timeout or None)
        self._check_number()
        executor = await asyncio.to_thread(self._make, id, request)
        agent = SubAgent(id=id, request=request, executor=executor, state="completed")
        self._agents[id] = agent
        return agent

    async def _turn(self, agent: SubAgent, task: str) -> TurnEnded:
        seconds = self._seconds(agent.request)
        try:
            async with asyncio.timeout(seconds):
                ended = await agent.executor.execute(task)
        except TimeoutError:
            agent.executor.room.stop.cancel()
            ended = TurnEnded(turn=len(agent.executor.log.turns), status="limit", text="", reason=f"{seconds:g} s used")
            agent.executor.log.add(ended)
        agent.ended, agent.used = ended, time.monotonic()
        agent.state = "completed" if ended.status == "done" else "failed"
        if agent.request.kind == "ephemeral":
            self._end(agent, "ended", ended.reason)
        elif agent.request.kind == "persistent":
            asyncio.get_running_loop().call_later(self._settings.agent_idle, self._park_unused, agent, agent.used)
        return ended

    def _park_unused(self, agent: SubAgent, used: float) -> None:
        """Park an agent that was not spoken to since *used*: its history is in the store."""
        if agent.state in ("completed", "failed") and agent.used == used:
            self._end(agent, "parked", "idle")

    async def _rounds(self, agent: SubAgent) -> TurnEnded:
        """Do the task of a system agent again and again; every round is bounded, and so is their number."""
        ended = TurnEnded(turn=0, status="done", text="")
        for _ in range(self._settings.agent_turns):
            ended = await self._turn(agent, agent.request.task)
            if ended.status in ("killed", "stopped"):
                break
            agent.state = "running"
            await asyncio.sleep(agent.request.every)
        agent.state = "completed"
        self._end(agent, "ended", "its rounds are over")
        return ended

    def _seconds(self, request: SpawnRequest) -> float:
        return min(request.timeout or self._settings.agent_seconds, self._settings.agent_seconds)

    def _end(self, agent: SubAgent, status: str, reason: str) -> None:
        if self._agents.pop(agent.id, None) is not None:
            agent.executor.log.add(SessionEnded(status=status, reason=reason))
            agent.executor.room.bench.close()
            if status == "parked":
                agent.state = "parked"


def _check(request: SpawnRequest, settings: SessionSettings) -> None:
    if request.kind not in KINDS:
        raise InputError(f"there is no kind of agent {request.kind!r}", fix=f"use one of {', '.join(KINDS)}")
    if not request.task.strip():
        raise InputError("an agent needs a task")
    if request.timeout is not None and not 0 < request.timeout <= settings.agent_seconds:
        raise InputError(f"an agent works more than 0 and at most {settings.agent_seconds:g} seconds")
    if request.kind == "system" and request.every < 1:
        raise InputError("a system agent says every how many seconds it does its task, at least 1")
