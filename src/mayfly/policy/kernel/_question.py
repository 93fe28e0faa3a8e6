"""One question to the kernel: what was asked and given, and what is told of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mayfly.core import InputError, canonical_json
from mayfly.mangle import Symbol
from mayfly.policy.kernel._actions import PayloadFault, payload_fault
from mayfly.policy.kernel._decide import Decided, name_text
from mayfly.policy.kernel._reasons import Reason, Span, reasons_of

if TYPE_CHECKING:
    from mayfly.mangle import Model
    from mayfly.policy.kernel._appeals import Standing
    from mayfly.policy.kernel._decide import Decision
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import JSON

PERSONA_FOR: Final = Symbol("persona_for", 2)
ACTION_TYPE_FOR: Final = Symbol("action_type_for", 2)
_NEVER_GIVEN: Final = frozenset(
    {"permitted", "refused", "needs_approval", "approved", "pending_action", "spent", "spend_cap"}
    | {"pending_change", "change_permitted", "changed_name", "removed_tracked", "removal_limit"}
    | {"git_holds", "history_lost", "beyond_undo"}
)


class Question:
    """One question as it was put; the payload also as the text that is decided on."""

    __slots__ = ("action", "id", "target", "text")

    def __init__(self, id: str, action: str, target: str, payload: JSON) -> None:
        self.id = id
        self.action = action
        self.target = target
        self.text = payload if isinstance(payload, str) else canonical_json(payload)


def told_of(asked: Question, model: Model, decided: Decided) -> tuple[Decision, tuple[str, ...], tuple[Reason, ...]]:
    """Return the decision, its words and its reasons; a payload that does not fit the type of the action is denied."""
    decision, because = decided.decision, decided.because
    reasons: tuple[Reason, ...] = ()
    if decision != "permit":
        reasons = reasons_of(because, decided.facts, model, target=asked.target, payload=asked.text)
    fault = payload_fault(decided.action_class, asked.text)
    if fault is None:
        return decision, because, reasons
    # What lies under an unknown key was not looked at as what it is used for: nobody can agree to that.
    if decision != "deny":
        because, reasons = (), ()
    return "deny", (*because, fault.text), (*reasons, _fault_reason(fault, asked.text))


def _fault_reason(fault: PayloadFault, payload: str) -> Reason:
    named = canonical_json(fault.key)
    at = max(payload.find(named), 0)
    return Reason(fault.code, fault.text, Span("payload", at, min(at + len(named), len(payload))))


def with_standing(decided: Decided, standing: Standing) -> Decided:
    """Return a decision with what is known of approvals."""
    if standing.until is not None and decided.decision == "permit":
        return decided._replace(because=(f"approved by {standing.by}", *decided.because))
    return decided._replace(because=(*decided.because, *standing.reasons))


def given_fact(fact: Fact | str) -> Fact:
    """Return a fact that a session may give."""
    if isinstance(fact, str):
        from mayfly.mangle import parse_fact

        fact = parse_fact(fact)
    name, row = fact
    if name.name in _NEVER_GIVEN:
        raise InputError(f"{name.name} is not for a session to say")
    return name, row


def names_in(model: Model, goal: Symbol) -> tuple[str, ...]:
    """Return the names that a predicate holds of."""
    return tuple(dict.fromkeys(name_text(row[0]) for row in model.rows(goal)))


def by_intent(model: Model) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return for each intent its id, personas and kinds of work."""
    found: dict[str, tuple[list[str], list[str]]] = {}
    for place, goal in enumerate((PERSONA_FOR, ACTION_TYPE_FOR)):
        for row in model.rows(goal):
            id = row[0] if isinstance(row[0], str) else name_text(row[0])
            found.setdefault(id, ([], []))[place].append(name_text(row[1]))
    return tuple((id, tuple(personas), tuple(kinds)) for id, (personas, kinds) in found.items())
