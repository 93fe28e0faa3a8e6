"""What an architect is asked for, and what it answers when it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from mayfly.core import Contract, MayflyError
from mayfly.gates import Profile

if TYPE_CHECKING:
    from mayfly.core import Artifact, Example, Offer, Verdict
    from mayfly.gates import Parameter
    from mayfly.synthesis.records import Proposal


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Say how a function that has to be written is called."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: str
    doc: str = ""

    def __str__(self) -> str:
        shown = ", ".join(f"{name}: {annotation}" if annotation else name for name, annotation in self.parameters)
        return f"def {self.name}({shown}) -> {self.returns or 'object'}"


@dataclass(frozen=True, kw_only=True)
class Reflection:
    """Say why an attempt failed and what to do about it."""

    root_cause: str
    suggestions: tuple[str, ...] = ()
    confidence: float = 0.0
    failing: tuple[str, ...] = ()
    requires_human: bool = False


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """Keep one attempt that was not admitted, for the next prompt and for whoever is asked for help."""

    number: int
    source: str
    verdicts: tuple[Verdict, ...] = ()
    reflection: Reflection | None = None

    @property
    def error(self) -> str:
        """The first thing that stood in the way, in one line."""
        refused = [verdict for verdict in self.verdicts if verdict.decision != "accept"]
        return f"{refused[0].gate}: {refused[0].message}" if refused else ""


@dataclass(frozen=True, kw_only=True)
class DataQuestion:
    """The items a question about data was read from, whether those are all, and the program it leads to."""

    proposal: Proposal
    items: tuple[object, ...]
    complete: bool

    @property
    def lines(self) -> int:
        """How many lines it is about; two inputs that are joined are two lists of them."""
        if self.proposal.table.format.files:
            return self.proposal.table.lines
        if self.proposal.joined is None:
            return len(self.items)
        return sum(len(side) for side in self.items if isinstance(side, list))


@dataclass(frozen=True, kw_only=True)
class Request:
    """Hold all an architect may know; examples that are held out are not among it.

    A *simple* request leads to a short prompt: deep in a tree there is budget for little.
    """

    intent: str
    contract: Contract = field(default_factory=Contract)
    profile: Profile = field(default_factory=Profile)
    examples: tuple[Example, ...] = ()
    sample: tuple[object, ...] = ()
    lines: bool = False
    context: Mapping[str, object] = field(default_factory=dict)
    signature: Signature | None = None
    # Inputs of which a person said that they cannot occur.
    never: tuple[object, ...] = ()
    hints: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    name: str = ""
    simple: bool = False
    # Whether another program is wanted than the one that was written before, by somebody who has not seen it.
    apart: bool = False
    # What a reading of the words and of the data leads to, where the task is a question about data.
    question: DataQuestion | None = None


class CannotWrite(MayflyError):
    """An architect says at once that it cannot do this, and what would help."""

    code: ClassVar[str] = "CANNOT_WRITE"

    def __init__(
        self,
        reason: str,
        *,
        helps: tuple[str, ...] = (),
        question: str | None = None,
        asked: tuple[object, tuple[object, ...]] | None = None,
        offers: tuple[Offer, ...] = (),
    ) -> None:
        super().__init__(reason, fix="what would help: " + ", or ".join(helps) if helps else None)
        self.helps = helps
        self.question = question
        self.asked = asked
        self.offers = offers


class Architect(Protocol):
    """Write an artifact for a request; what it writes is trusted by nobody."""

    @property
    def name(self) -> str:
        """Who is named as the author."""
        ...

    def write(self, request: Request) -> Artifact:
        """Return something new, or raise `CannotWrite`."""
        ...
