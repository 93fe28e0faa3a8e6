"""`Job`, which crosses to the worker of a leaf, here or on another machine, and `Done`, which comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from mayfly.core import UNSET, Cost, Example, Proof, Unset
from mayfly.promise._promise import Work
from mayfly.store import Fence


@dataclass(frozen=True, kw_only=True)
class Part:
    """One piece of a file of lines: whole lines from *start* to *stop*, in bytes."""

    path: str
    start: int
    stop: int


@dataclass(frozen=True, kw_only=True)
class Job:
    """One leaf to be done.

    Work "run" runs an admitted agent, known by its hash, on the argument or the part; "compile" writes, proves and
    runs one; "write" writes and proves one and returns `{"agent": hash, "merge": how results of parts join, or None}`.
    *versions* is what the driver's gates are; a worker with others refuses. *generation* is that of the driver's claim:
    once another process has the run, a worker of this one records nothing more of it; 0 where nobody claimed it.
    """

    run: str
    node: str
    work: Work
    intent: str
    depth: int = 1
    argument: object | Unset = UNSET
    part: Part | None = None
    context: Mapping[str, object] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    hints: tuple[str, ...] = ()
    model: str | None = None
    tier: str = "memo"
    accept_weak: bool = False
    seconds: float | None = None
    versions: str = ""
    generation: int = 0

    @property
    def fence(self) -> Fence | None:
        """What the appends of its worker are checked against."""
        return Fence(self.run, self.generation) if self.generation else None

    @property
    def id(self) -> str:
        """The run and the path of the node: the subject of this leaf's story, and the key of its effects."""
        return f"{self.run}/{self.node}"


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a leaf ended. Anything but "resolved" carries the reason, and its value is not looked at."""

    status: Literal["resolved", "collapsed", "failed"]
    value: object = None
    reason: str = ""
    code: str = ""
    proof: Proof | None = None
    cost: Cost = field(default_factory=Cost)
    sandbox_seconds: float = 0.0
    source_hash: str | None = None
    question: str | None = None
    where: str = ""
    # How many lines were used, filtered out and not understood, where the agent says so.
    account: Mapping[str, object] | None = None


class Worker(Protocol):
    """Do leaves, one after another or several at once; made by the runtime and handed to an engine."""

    def do(self, job: Job, data: bytes | None = None) -> Done:
        """Do *job*; *data* is the content of its part where the file is on another machine. Never raises."""
        ...

    def close(self) -> None:
        """End every process and connection."""
        ...


class Engine(Protocol):
    """Run leaves somewhere; cancelling `do` ends the work."""

    name: str

    async def do(self, job: Job) -> Done:
        """Have *job* done; raises `EngineLost` only where no worker could be found for it."""
        ...

    async def aclose(self) -> None:
        """Let go of every worker."""
        ...
