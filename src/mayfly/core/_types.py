"""The values that travel between packages. All are frozen; none knows how it is stored or shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final, Literal

from mayfly.core._same import content_hash
from mayfly.core.errors import LimitError

# How much speaks for a program; see `Proof`.
Strength = Literal["strong", "tested", "weak", "none"]
WitnessKind = Literal["held-out", "tests", "rival", "reading", "answer"]
OpenKind = Literal["words", "mistake", "failure", "result", "rival", "classes"]


class Unset(Enum):
    """Mark a value that was never given, where None is a value of its own."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> bool:
        return False


UNSET: Final = Unset.UNSET


class Tier(StrEnum):
    """How far something written is trusted, and for how long it lives."""

    EPHEMERAL = "ephemeral"
    MEMO = "memo"
    AUTHORED = "authored"
    PROMOTED = "promoted"
    BUILTIN = "built-in"


@dataclass(frozen=True, kw_only=True)
class Intent:
    """Say what was asked, as facts a rule can read."""

    text: str
    category: str = "command"
    verb: str = ""
    target: str = ""
    constraint: str = "none"


@dataclass(frozen=True, kw_only=True)
class Example:
    """Give one input and the output it has to lead to."""

    input: object
    output: object


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """Hold something that was written and not yet admitted."""

    kind: Literal["agent", "tool", "migration", "patch", "rule", "atom", "offer"]
    source: str
    entry: str = ""
    author: str = ""
    grants: tuple[str, ...] = ()
    provenance: Mapping[str, object] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """The content address of the source."""
        return content_hash(self.source)


@dataclass(frozen=True, kw_only=True)
class _Point:
    """Hold who says something about a program, how many cases that is worth, and what is said, in words."""

    author: str
    count: int
    what: str

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True, kw_only=True)
class Witness(_Point):
    """Name somebody who speaks for a program without having written it, and how much was held against it.

    *held-out*: examples its author was not shown; *tests*: tests written apart and before; *rival*: a program that was
    written apart and agrees; *reading*: an independent reading of the lines; *answer*: what a person said.
    """

    kind: WitnessKind


@dataclass(frozen=True, kw_only=True)
class OpenPoint(_Point):
    """Name something that no witness settles, although it can occur.

    *words*: only examples speak for what the words ask; *mistake*: a mistake put into the program that nobody would
    notice; *failure*: an input on which it fails; *result*: one on which it gives another kind of result than anywhere
    else; *rival*: one on which a rival answers otherwise; *classes*: a yes or no, or a label, with too few examples,
    so that the proof stays weak.
    """

    kind: OpenKind


@dataclass(frozen=True, kw_only=True)
class Proof:
    """Say what speaks for a program and what is open.

    It is *strong* where a witness speaks for the intent and nothing is open, *tested* where something is open, *weak*
    where only what its author was shown speaks for it.
    """

    strength: Strength
    tests: int = 0
    held_out: int = 0
    mutants_killed: int = 0
    mutants: int = 0
    id: str | None = None
    evidence: tuple[Witness, ...] = ()
    open: tuple[OpenPoint, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether anybody but the author's own material speaks for the program."""
        return self.strength in ("strong", "tested")

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Proof:
        """Read what `dataclasses.asdict` wrote."""
        evidence = tuple(Witness(**one) for one in fields.get("evidence", ()))
        return cls(
            **{**fields, "evidence": evidence, "open": tuple(OpenPoint(**one) for one in fields.get("open", ()))}
        )


# A budget below this is spent on nothing.
CHAOS_THRESHOLD: Final = 0.1


def rounds(entropy: float) -> int:
    """Return how often something may be tried anew: while the budget divided by the round is not below chaos."""
    return int(entropy / CHAOS_THRESHOLD + 1e-9)


@dataclass(frozen=True)
class Budget:
    """Shrink with depth, so that what is written far down has to be simple."""

    depth: int = 0

    def __post_init__(self) -> None:
        if self.depth < 0:
            raise LimitError("depth", used=self.depth, limit=0)

    @property
    def entropy(self) -> float:
        """1 at the root, a half for its children, a third below."""
        return 1 / (self.depth + 1)

    def child(self) -> Budget:
        """Return the budget one level down."""
        return Budget(self.depth + 1)
