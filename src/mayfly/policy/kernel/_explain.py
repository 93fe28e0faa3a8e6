"""Explain a recorded decision: its facts put to the rules once more, with the derivation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mayfly.mangle import Atom, Constant, Place, why, why_not
from mayfly.policy.kernel._decide import MOST, PENDING
from mayfly.policy.kernel._events import PolicyDecided, PolicyRouted
from mayfly.policy.kernel._goals import changeable, remedies, sensible
from mayfly.policy.kernel._simulate import replay

if TYPE_CHECKING:
    from mayfly.mangle import External, Model, Row, Symbol, Value, Why, WhyNot
    from mayfly.policy.kernel._record import Recording
    from mayfly.policy.kernel._simulate import Outcome
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import Event


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """What was decided and why; `same_rules` tells whether the rules are still those that decided."""

    id: str
    outcome: str
    now: str
    """What the rules say today."""
    because: tuple[str, ...]
    same_rules: bool
    why: tuple[Why, ...]
    """What decided, each with its derivation, at most five."""
    why_not: WhyNot | None
    """What is missing, where no rule refuses."""
    remedies: tuple[str, ...] = ()
    """What would get the action permitted, in a person's words."""


def explanation(
    snapshot: Snapshot, recording: Recording, event: Event, externals: Mapping[Symbol, External]
) -> Explanation:
    """Put the facts of *recording* to the rules again and derive what they say."""
    outcome = replay(snapshot, recording, externals=externals)
    data = event.data
    because = data.because if isinstance(data, (PolicyDecided, PolicyRouted)) else ()
    missing = _why_not(outcome, recording)
    return Explanation(
        id=recording.id,
        outcome=recording.outcome,
        now=outcome.word,
        because=because,
        same_rules=recording.rules == snapshot.hash,
        why=() if outcome.model is None else reasons(outcome.model, outcome.facts),
        # Where a rule refuses, its derivation says all there is to say.
        why_not=None if outcome.word == "deny" and outcome.facts else missing,
        remedies=() if missing is None else remedies(missing),
    )


def reasons(model: Model, facts: Sequence[Fact]) -> tuple[Why, ...]:
    """Return the derivations of what decided, each refusal by itself; more than a few would tell nobody anything."""
    return tuple(why(model, *fact) for fact in facts[:MOST])


def not_permitted(model: Model, row: Row) -> WhyNot:
    """Return why an action is not permitted, and what somebody could say to change that."""
    return sensible(why_not(model, goal_atom("permitted", *row), changeable=changeable))


def _why_not(outcome: Outcome, recording: Recording) -> WhyNot | None:
    asked = next((row for symbol, row in recording.facts if symbol == PENDING), None)
    if asked is None or outcome.model is None or outcome.word == "permit":
        return None
    return not_permitted(outcome.model, asked[1:4])


def goal_atom(predicate: str, *values: Value) -> Atom:
    """Make the atom of a goal whose arguments are all known."""
    here = Place("<question>", 1, 1)
    arguments = tuple(Constant(value=value, place=here) for value in values)
    return Atom(predicate=predicate, arguments=arguments, place=here)
