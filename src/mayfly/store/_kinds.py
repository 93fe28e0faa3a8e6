"""The events of the lowest floors. A higher package declares its own beside the code that writes them."""

from dataclasses import dataclass

from mayfly.store._events import event


@event("store.migrated")
@dataclass(frozen=True, kw_only=True)
class StoreMigrated:
    """Record that the store was brought up to a numbered migration."""

    number: int
    name: str


@event("store.archived")
@dataclass(frozen=True, kw_only=True)
class StoreArchived:
    """Record that the events of old runs were moved to a file, and the hash of the file."""

    name: str
    hash: str
    events: int
    runs: int


@event("run.claimed")
@dataclass(frozen=True, kw_only=True)
class RunClaimed:
    """Record that a process, the writer, took the right to a run; those of earlier generations append no more."""

    generation: int


@event("strategy.named")
@dataclass(frozen=True, kw_only=True)
class StrategyNamed:
    """Record that a strategy was first used, or was described; the subject is ``strategy:NAME``."""

    note: str = ""


@event("sandbox.ran")
@dataclass(frozen=True, kw_only=True)
class SandboxRan:
    """Record one job behind the wall: how it ended, behind which wall, and what was run."""

    status: str
    level: str
    lane: str
    milliseconds: float
    source_hash: str
    error: str | None = None


@event("doctor.attacked")
@dataclass(frozen=True, kw_only=True)
class DoctorAttacked:
    """Record that the wall was attacked on purpose, and how many of the attacks it held."""

    level: str
    cases: int
    contained: int
