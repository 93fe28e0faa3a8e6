"""The values that travel between packages. All are frozen; none knows how it is stored or shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Final, Generic, Literal, TypeVar

from mayfly.core._canonical import content_hash
from mayfly.core._money import NO_MONEY, Money
from mayfly.core.errors import LimitError, UnresolvedError

T = TypeVar("T")

Status = Literal["resolved", "collapsed", "failed"]
Decision = Literal["accept", "revise", "reject"]
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
class Verdict:
    """Say what one gate decided, what it measured, and how to do better."""

    decision: Decision
    gate: str
    code: str
    message: str
    measured: float | str | None = None
    limit: float | str | None = None
    line: int | None = None
    fix: str | None = None


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


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Count what an outcome took."""

    seconds: float = 0.0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: Money = NO_MONEY

    @classmethod
    def of(cls, amounts: Mapping[str, float]) -> Cost:
        """Return what *amounts* has of models; how long that took is not known from them."""
        return cls(
            model_calls=int(amounts.get("model_calls", 0)),
            input_tokens=int(amounts.get("input_tokens", 0)),
            output_tokens=int(amounts.get("output_tokens", 0)),
            money=Money.of(amounts.get("money", 0)),
        )

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Cost:
        """Read what `to_json` wrote."""
        return cls(**{**fields, "money": Money.of(fields["money"])})

    def to_json(self) -> dict[str, float]:
        """Return it as data, the money in dollars."""
        return {**vars(self), "money": self.money.dollars}

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            seconds=self.seconds + other.seconds,
            model_calls=self.model_calls + other.model_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            money=self.money + other.money,
        )


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One way to read a request that can be read in several, and what it would give."""

    reading: str
    gives: object


# Codes of an end that waits for a person: an answer to a question, help, or word of what became of an effect.
ASKING: Final = frozenset({"HELP", "QUESTION", "UNKNOWN"})


def ending_of(status: str, code: str = "") -> str:
    """Return the words that every face has for how a run or a promise stands.

    Programs and the ledger say `collapsed`, which reads like a crash; an end that waits for a person is a question.
    """
    if status in ("collapsed", "failed") and code in ASKING:
        return "asked"
    return "gave the fallback" if status == "collapsed" else status


@dataclass(frozen=True, kw_only=True)
class Outcome(Generic[T]):
    """Carry a proven value, or the ground value and the reason for it; never one that looks like the other."""

    status: Status
    value: T
    reason: str
    id: str
    proof: Proof | None = None
    cost: Cost = field(default_factory=Cost)
    question: str | None = None
    cached: bool = False
    source_hash: str | None = None
    code: str = ""
    # How the request was read; where it can be read in several ways, all of them with what they give.
    reading: str = ""
    readings: tuple[Offer, ...] = ()
    # How many lines were used, filtered out and not understood, where the answer is about lines.
    account: Mapping[str, object] | None = None
    # An answer that was not given because something has to be settled first.
    candidate: object = None

    @property
    def resolved(self) -> bool:
        """Whether `value` was proven."""
        return self.status == "resolved"

    @property
    def ending(self) -> str:
        """How it ended, in the words that every face shows."""
        return ending_of(self.status, self.code)

    def unwrap(self) -> T:
        """Return the proven value, or raise: ground is never handed out by accident."""
        if not self.resolved:
            raise UnresolvedError(self)
        return self.value

    def _repr_html_(self) -> str:
        """Show it in a notebook; what is in it is text there, without secrets."""
        from mayfly.core._outcome_html import outcome_html

        return outcome_html(self)


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
