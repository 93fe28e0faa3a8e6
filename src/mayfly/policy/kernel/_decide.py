"""Decisions about one action: read out of a model, and as they are handed out, with the reasons at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from mayfly.mangle import Limits, Name, Symbol, show_row, show_value

if TYPE_CHECKING:
    from mayfly.mangle import Model, Program, Row, Value, Why, WhyNot
    from mayfly.policy.kernel._reasons import Reason
    from mayfly.policy.kernel.facts import Fact

PERMITTED: Final = Symbol("permitted", 3)
REFUSED: Final = Symbol("refused", 2)
NEEDS_APPROVAL: Final = Symbol("needs_approval", 2)
CLASS_OF: Final = Symbol("class_of", 2)
PENDING: Final = Symbol("pending_action", 5)
PERMITTED_BECAUSE: Final = Symbol("permitted_because", 2)
GOALS: Final = (PERMITTED, REFUSED, NEEDS_APPROVAL, CLASS_OF, PERMITTED_BECAUSE)
LIMITS: Final = Limits(facts=200_000, seconds=2.0)
MOST: Final = 5
Decision: TypeAlias = Literal["permit", "deny", "approval"]


@dataclass(frozen=True, kw_only=True)
class Permit:
    """One decision; only "permit" allows. `why` and `why_not` derive the reasons when they are asked for."""

    decision: Decision
    because: tuple[str, ...]
    id: str
    action: str
    target: str
    rules: str
    reasons: tuple[Reason, ...] = ()
    """Of a denial or a need for an approval: the code of each reason, its words and the place it is about."""
    explain_why: Callable[[int], tuple[Why, ...]] = field(default=lambda most: (), compare=False, repr=False)
    explain_why_not: Callable[[], WhyNot | None] = field(default=lambda: None, compare=False, repr=False)

    @property
    def allowed(self) -> bool:
        """Whether the effect may happen now."""
        return self.decision == "permit"

    def why(self) -> Why | None:
        """Return the derivation of what decided: the permission, the first refusal or need for an approval."""
        return next(iter(self.explain_why(1)), None)

    def why_not(self) -> WhyNot | None:
        """Return why the action is not permitted; None where it is, or where nothing could be decided."""
        return self.explain_why_not()

    def trees(self) -> tuple[Why | WhyNot, ...]:
        """Return what a person is shown: each refusal by itself, and what is missing where nothing refuses."""
        reasons = self.explain_why(MOST)
        missing = self.explain_why_not() if self.decision == "approval" or not reasons else None
        return reasons if missing is None else (*reasons, missing)

    def remedies(self) -> tuple[str, ...]:
        """Return what would get the action permitted, in a person's words; nothing where nobody can."""
        from mayfly.policy.kernel._goals import remedies

        missing = self.explain_why_not()
        return () if missing is None else remedies(missing)


@dataclass(frozen=True, kw_only=True)
class Route:
    """Who does what was asked: personas and kinds of work, each with its reason."""

    personas: tuple[str, ...]
    action_types: tuple[str, ...]
    because: tuple[str, ...]
    id: str
    by_intent: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()
    """For each intent its id, personas and kinds of work."""


class Decided(NamedTuple):
    """A decision with its words, and the facts that made it."""

    decision: Decision
    because: tuple[str, ...]
    facts: tuple[Fact, ...]
    action_class: str | None


def goals_of(program: Program) -> list[Symbol]:
    """Return the predicates of a decision that the program knows."""
    return [symbol for symbol in GOALS if symbol in program.predicates]


def decide(model: Model, asked: Row) -> Decided:
    """Say what the rules decided of the pending action *asked*: a refusal counts first, nothing said means no."""
    id, action, target, payload = asked[:4]
    refused = _about(model, REFUSED, id)
    approvals = _about(model, NEEDS_APPROVAL, id)
    kind = next((show_value(row[1]) for row in _about(model, CLASS_OF, id)), None)
    permitted = (action, target, payload)
    if refused:
        return Decided("deny", _reasons(refused), tuple((REFUSED, row) for row in refused), kind)
    if model.holds(PERMITTED, permitted):
        words = _reasons(_about(model, PERMITTED_BECAUSE, id)) if PERMITTED_BECAUSE in model.program.predicates else ()
        return Decided("permit", (*words, _rule(model, PERMITTED, permitted)), ((PERMITTED, permitted),), kind)
    if approvals:
        return Decided("approval", _reasons(approvals), tuple((NEEDS_APPROVAL, row) for row in approvals), kind)
    return Decided("deny", (f"no rule permits {show_value(action)} here",), (), kind)


def _about(model: Model, symbol: Symbol, id: Value) -> list[Row]:
    return [row for row in model.rows(symbol) if row[0] == id]


def _reasons(rows: list[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row[1] if isinstance(row[1], str) else show_value(row[1]) for row in rows))[:16]


def _rule(model: Model, symbol: Symbol, row: Row) -> str:
    """Name the rule that made a fact, in the words of the file and line."""
    place = model.place(symbol, row)
    return f"{symbol.name} by {place.file}:{place.line}" if place else f"{symbol.name} is given"


def reason_of(model: Model, symbol: Symbol, row: Row) -> str:
    """Say in one line which rule made a fact."""
    return f"{show_row(symbol, row)}: {_rule(model, symbol, row).partition(' by ')[2] or 'given'}"


def name_text(value: Value) -> str:
    """Return a name without its leading slash, any other value as it is printed."""
    return value.text.removeprefix("/") if isinstance(value, Name) else show_value(value)
