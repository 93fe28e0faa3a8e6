"""What goes into the library and what comes back: an order for a tool, what came of it, and how a call ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mayfly.core import Contract, Example, Proof, Verdict

if TYPE_CHECKING:
    from mayfly.gates import Admission, Suite
    from mayfly.library._card import Card
    from mayfly.library._signature import ToolSignature

# Who is named for what was found in the checkout.
FILE = "file"
Status = Literal["ok", "error", "refused", "timeout", "killed", "cancelled", "unknown"]


@dataclass(frozen=True, kw_only=True)
class ToolOrder:
    """What somebody wants a tool to do, and all they hand in for it."""

    intent: str
    name: str = ""
    summary: str = ""
    source: str | None = None
    examples: Sequence[Example | Mapping[str, object]] = ()
    # A call that it has to take, by name, where somebody waits for it.
    arguments: Mapping[str, object] | None = None
    tests: str | None = None
    contract: Contract | Mapping[str, object] | None = None
    grants: Sequence[str] | None = None
    model: str | None = None
    by: str = ""
    tests_by: str = ""
    accept_weak: bool = False
    replace_tests: bool = False
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class ToolMade:
    """Say what became of an order: a version that serves, or the reason why there is none and what serves on."""

    decision: Literal["accept", "reject"]
    name: str
    version: int = 0
    reason: str = ""
    fix: str = ""
    verdicts: tuple[Verdict, ...] = ()
    proof: Proof | None = None
    card: Card | None = None
    source: str = ""
    twin: str = ""
    question: str = ""

    @property
    def accepted(self) -> bool:
        """Whether it serves."""
        return self.decision == "accept"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ToolOutcome:
    """Say how one call of a tool ended; *value* means something only where *status* is ok."""

    status: Status
    name: str
    version: int = 0
    value: object = None
    error: str = ""
    fix: str = ""
    milliseconds: float = 0.0
    key: str = ""

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.status == "ok"

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ToolListed:
    """One line of the list: what a tool is for, which version serves, and how it stands."""

    name: str
    version: int
    state: str
    summary: str
    strength: str
    grants: tuple[str, ...]
    calls: int
    failures: int
    used: str
    input_schema: Mapping[str, Any] = field(repr=False)
    output_schema: Mapping[str, Any] = field(repr=False)
    score: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ToolChange:
    """Something that happened to a tool, in whatever process: written, served, deleted or retired."""

    what: str
    name: str
    version: int
    event: int


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """The version that an update starts from: its tests hold on unless somebody replaces them."""

    suite: Suite
    signature: ToolSignature
    grants: tuple[str, ...]
    tests_by: str
    intent: str
    summary: str
    contract: Contract | None = None


@dataclass(frozen=True, kw_only=True)
class ProvenTool:
    """A source that every gate admitted, with its tests and its card; the card's place is filled in when it is kept."""

    card: Card
    source: str
    suite: Suite
    tests: str
    admission: Admission
