"""Events of runs and compilations: how each began, what was written by whom and why it failed, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mayfly.store import JSON, event


@event("forge.wrote")
class ForgeWrote:
    """Record that an architect wrote something; nothing is said about whether it is any good."""

    attempt: int
    author: str
    source_hash: str
    lines: int
    entropy_remaining: float
    provenance: Mapping[str, JSON]


@event("forge.reflected")
class ForgeReflected:
    """Record why an attempt failed, in the words that go into the next one."""

    attempt: int
    root_cause: str
    suggestions: tuple[str, ...]
    confidence: float
    failing: tuple[str, ...]


@event("run.began")
class RunBegan:
    """Record what was asked, at which tier and depth, what the code may reach, and for which strategy."""

    intent: str
    tier: str
    depth: int
    model: str | None
    examples: int
    input: str
    grants: tuple[str, ...] = ()
    strategy: str = ""


@event("agent.created")
class AgentCreated:
    """Record that an agent was admitted."""

    source_hash: str
    author: str
    lines: int
    attempts: int
    repairs: tuple[str, ...]
    milliseconds: float


@event("agent.cached")
class AgentCached:
    """Record that an agent is remembered under a key, or was found there."""

    source_hash: str
    key: str
    hit: bool


@event("agent.executed")
class AgentExecuted:
    """Record one execution behind the wall."""

    source_hash: str
    status: str
    level: str
    lane: str
    milliseconds: float
    items: int | None = None
    error: str | None = None


@event("agent.spread")
class AgentSpread:
    """Record that an agent's question was asked in parts: by which program, and by which one they were joined."""

    files: int
    tasks: int
    partial_hash: str
    joining_hash: str


@event("agent.collected")
class AgentCollected:
    """Record that the agent's process is gone and, at tier ephemeral, its source too."""

    source_hash: str
    kept: bool


@dataclass(frozen=True, kw_only=True)
class RunEnded:
    """What both ends of a run record: why, how it was read, and what it cost."""

    reason: str
    seconds: float
    model_calls: int
    input_tokens: int
    output_tokens: int
    money: float
    reading: str | None = None
    account: JSON = None


@event("run.resolved")
class RunResolved(RunEnded):
    """Record that a proven agent gave the value."""

    cached: bool
    source_hash: str | None


@event("run.collapsed")
class RunCollapsed(RunEnded):
    """Record that ground was given instead, and why; *status* is failed where the error was not foreseen."""

    intent: str
    depth: int
    code: str
    ground_value: JSON
    status: str
    question: str | None = None
    readings: tuple[str, ...] = ()
