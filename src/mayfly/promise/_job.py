"""`Job`, which crosses to the worker of a leaf, `Done`, which comes back, and the key under which a value is proven."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mayfly.core import UNSET, Capability, Cost, Example, InputError, Proof, Stop, Unset, canonical_json, content_hash
from mayfly.promise._promise import Promise, Work
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
    runs one; "write" writes and proves one and returns `{"agent": hash, "merge": how results of parts join, or None}`;
    "part" runs the program in the argument on the files that are named there.
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

    def do(self, job: Job, data: bytes | None = None, *, stop: Stop | None = None) -> Done:
        """Do *job* until *stop* says to end; *data* is its part where the file is on another machine. Never raises."""
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

    def cores(self) -> int:
        """Return how many leaves can be done side by side just now; it may take a moment."""
        ...

    async def aclose(self) -> None:
        """Let go of every worker."""
        ...


CHUNK = 1024 * 1024


def key_here(subject: str, capability: Capability) -> str:
    """Return the key of what a capability gives for one node of one run, the *subject*, and for that alone."""
    return content_hash(f"{subject} {capability.name} {capability.version}")


def key_of_call(capability: Capability, arguments: Mapping[str, object], context: Mapping[str, object]) -> str:
    """Return the key of what a steady capability gives whoever calls it so."""
    return _hash([capability.name, capability.version, dict(arguments), dict(context)], capability.name)


def key_of(job: Job, *, data: str = "") -> str:
    """Return the key of a value that is good for everybody who asks the same; *data* is the hash of a part."""
    followed = {
        "work": [job.work.kind, job.work.name],
        "intent": job.intent,
        "depth": job.depth,
        "context": dict(job.context),
        "examples": [[example.input, example.output] for example in job.examples],
        "hints": list(job.hints),
        "model": job.model,
        "tier": job.tier,
        "versions": job.versions,
        "input": data or (None if job.argument is UNSET else _hash(job.argument, job.node)),
        "given": job.argument is not UNSET,
    }
    return _hash(followed, job.node)


def _hash(followed: object, name: str) -> str:
    try:
        return content_hash(canonical_json(followed))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"what {name} works on is not JSON: {error}") from None


def hash_part(part: Part) -> str:
    """Return the hash of a part's bytes."""
    found = hashlib.sha256()
    left = part.stop - part.start
    try:
        with open(part.path, "rb") as file:
            file.seek(part.start)
            while left > 0 and (piece := file.read(min(CHUNK, left))):
                found.update(piece)
                left -= len(piece)
    except OSError as error:
        raise InputError(f"cannot read {part.path}: {error.strerror}") from None
    if left:
        raise InputError(f"{part.path} is shorter than it was when the tree was planned")
    return found.hexdigest()


def part_of(promise: Promise[Any]) -> Part | None:
    """Return the part of a file that a promise works on, if its argument says so."""
    given = promise.argument
    if not isinstance(given, dict) or set(given) != {"path", "start", "stop"}:
        return None
    path, start, stop = given["path"], given["start"], given["stop"]
    if type(path) is not str or type(start) is not int or type(stop) is not int:
        return None
    return Part(path=path, start=start, stop=stop)
