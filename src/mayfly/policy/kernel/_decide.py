"""Read a decision out of a model: what holds of the pending action, and in which words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mayfly.mangle import Limits, Name, Symbol, show_row, show_value

if TYPE_CHECKING:
    from mayfly.mangle import Model, Program, Row, Value
    from mayfly.policy.kernel._permit import Decision
    from mayfly.policy.kernel.facts import Fact

PERMITTED: Final = Symbol("permitted", 3)
REFUSED: Final = Symbol("refused", 2)
NEEDS_APPROVAL: Final = Symbol("needs_approval", 2)
CLASS_OF: Final = Symbol("class_of", 2)
PENDING: Final = Symbol("pending_action", 5)
PERMITTED_BECAUSE: Final = Symbol("permitted_because", 2)
GOALS: Final = (PERMITTED, REFUSED, NEEDS_APPROVAL, CLASS_OF, PERMITTED_BECAUSE)
LIMITS: Final = Limits(facts=200_000, seconds=2.0)


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
