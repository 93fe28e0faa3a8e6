"""The events of the lowest floors. A higher package declares its own beside the code that writes them."""

from mayfly.store._events import event


@event("store.migrated")
class StoreMigrated:
    """Record that the store was brought up to a numbered migration."""

    number: int
    name: str


@event("store.archived")
class StoreArchived:
    """Record that the events of old runs were moved to a file, and the hash of the file."""

    name: str
    hash: str
    events: int
    runs: int


@event("run.claimed")
class RunClaimed:
    """Record that a process, the writer, took the right to a run; those of earlier generations append no more."""

    generation: int


@event("strategy.named")
class StrategyNamed:
    """Record that a strategy was first used, or was described; the subject is ``strategy:NAME``."""

    note: str = ""


@event("sandbox.ran")
class SandboxRan:
    """Record one job behind the wall: how it ended, behind which wall, and what was run."""

    status: str
    level: str
    lane: str
    milliseconds: float
    source_hash: str
    error: str | None = None


@event("doctor.attacked")
class DoctorAttacked:
    """Record that the wall was attacked on purpose, and how many of the attacks it held."""

    level: str
    cases: int
    contained: int
