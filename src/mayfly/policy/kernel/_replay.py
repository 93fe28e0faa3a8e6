"""Decide recorded questions again: to explain them, and to say what would change under other rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mayfly.core import MayflyError
from mayfly.mangle import Atom, Constant, Place, Symbol, show_clause, show_row, show_value, why, why_not
from mayfly.policy.kernel._decide import GOALS, LIMITS, MOST, NEEDS_APPROVAL, PENDING, REFUSED, decide, name_text
from mayfly.policy.kernel._events import PolicyDecided, PolicyRouted
from mayfly.policy.kernel._goals import changeable, remedies, sensible
from mayfly.policy.kernel._judgement import (
    CHANGE_GOALS,
    CHANGE_PERMITTED,
    MOST_REASONS,
    NO_RULE,
    PENDING_CHANGE,
    judged,
    set_reasons,
    strictest,
)
from mayfly.policy.kernel._record import routed

if TYPE_CHECKING:
    from mayfly.mangle import DerivationStep, External, Limits, Model, Program, Row, Value, Why, WhyNot
    from mayfly.policy.kernel._record import Recording
    from mayfly.policy.kernel._snapshot import Snapshot
    from mayfly.policy.kernel.facts import Fact
    from mayfly.store import Event

_ROUTING: Final = (Symbol("persona", 1), Symbol("action_type", 1))
_GOALS: Final = {"action": GOALS, "intent": _ROUTING, "changes": CHANGE_GOALS}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDifference:
    """One recorded decision that would change; `rule` is the rule or fact that makes the difference, where one does."""

    id: str
    asked: str
    before: str
    after: str
    rule: str | None
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """What one snapshot says of one recording: in a word, with the facts that say it and the reasons."""

    word: str
    because: tuple[str, ...]
    facts: tuple[Fact, ...]
    model: Model | None

    @property
    def failed(self) -> bool:
        """Whether the rules could not be evaluated."""
        return self.model is None


def simulate(old: Snapshot, new: Snapshot, recordings: Iterable[Recording]) -> list[DecisionDifference]:
    """Return each recording on which two snapshots disagree."""
    differences: list[DecisionDifference] = []
    for recording in recordings:
        before, after = replay(old, recording), replay(new, recording)
        if before.word != after.word:
            rule, place = _deciding(before, after)
            asked = _asked(recording)
            differences.append(
                DecisionDifference(
                    id=recording.id, asked=asked, before=before.word, after=after.word, rule=rule, place=place
                )
            )
    return differences


def replay(
    snapshot: Snapshot,
    recording: Recording,
    *,
    limits: Limits = LIMITS,
    externals: Mapping[Symbol, External] | None = None,
) -> ReplayOutcome:
    """Decide a recording again by *snapshot*; rules that cannot be evaluated deny."""
    try:
        program = snapshot.program(recording.policies)
        given = [fact for fact in recording.facts if fact[0] in program.predicates]
        goals = [goal for goal in _GOALS[recording.kind] if goal in program.predicates]
        answers = _nothing(program) | dict(externals or {})
        model = program.evaluate(given, goals=goals, externals=answers, limits=limits)
        return _outcome(model, recording)
    except MayflyError as error:
        return ReplayOutcome(
            word="nobody" if recording.kind == "intent" else "deny", because=(str(error),), facts=(), model=None
        )


def _outcome(model: Model, recording: Recording) -> ReplayOutcome:
    if recording.kind == "intent":
        facts = tuple((goal, row) for goal in _ROUTING for row in model.rows(goal))
        personas, kinds = ([name_text(row[0]) for row in model.rows(goal)] for goal in _ROUTING)
        return ReplayOutcome(word=routed(personas, kinds), because=(), facts=facts, model=model)
    if recording.kind == "changes":
        return _set_outcome(model, recording)
    asked = next((row for symbol, row in recording.facts if symbol == PENDING), None)
    if asked is None:
        return ReplayOutcome(word="deny", because=("nothing was asked",), facts=(), model=model)
    decided = decide(model, asked)
    return ReplayOutcome(word=decided.decision, because=decided.because, facts=decided.facts, model=model)


def _set_outcome(model: Model, recording: Recording) -> ReplayOutcome:
    """Decide a set again: the strictest of the changes of it that were recorded, and of the set itself."""
    ids = [str(row[0]) for symbol, row in recording.facts if symbol == PENDING_CHANGE]
    found = judged(model, ids)
    together = set_reasons(model, recording.id)
    word = strictest((decision for decision, _ in found.values()), asked=bool(together))
    if word == "permit":
        kept = tuple((CHANGE_PERMITTED, (id,)) for id in ids[:MOST])
        return ReplayOutcome(word=word, because=(), facts=kept, model=model)
    deciding = [(id, text) for id, (decision, texts) in found.items() if decision == word for text in texts]
    if word == "approval":
        deciding = [*((recording.id, text) for text in together), *deciding]
    goal = REFUSED if word == "deny" else NEEDS_APPROVAL
    # That no rule permits a change is no fact of the rules.
    facts = tuple((goal, row) for row in deciding if row[1] != NO_RULE)
    because = tuple(dict.fromkeys(text for _, text in deciding))[:MOST_REASONS]
    return ReplayOutcome(word=word, because=because, facts=facts, model=model)


def _nothing(program: Program) -> dict[Symbol, External]:
    """Answer what is asked of the world with nothing: a recording is tried on its facts alone."""
    outside = (symbol for symbol, declared in program.checked.declared.items() if declared.external)
    return {symbol: lambda bound: () for symbol in outside}


def _asked(recording: Recording) -> str:
    for symbol, row in recording.facts:
        if symbol == PENDING:
            return f"{name_text(row[1])} {show_value(row[2])}"[:200]
        if symbol == PENDING_CHANGE:
            return f"changes: {show_value(row[0])} and others"[:200]
        if symbol.name == "user_intent":
            return f"{name_text(row[2])} {show_value(row[3])}"[:200]
    return recording.id


def _deciding(before: ReplayOutcome, after: ReplayOutcome) -> tuple[str | None, Place | None]:
    """Return what makes the difference, with its place: a rule or fact that only one side has, the new side first."""
    for side, other in ((after, before), (before, after)):
        known = _sources(other.model)
        for symbol, row in side.facts:
            if side.model is not None and (cause := _foreign(side.model, symbol, row, known)) is not None:
                return cause
    return None, None


def _sources(model: Model | None) -> frozenset[str]:
    if model is None:
        return frozenset()
    checked = model.program.checked
    rules = (show_clause(rule.clause) for rule in checked.rules)
    return frozenset((*rules, *(show_row(given.symbol, given.row) for given in checked.given)))


def _foreign(model: Model, symbol: Symbol, row: Row, known: frozenset[str]) -> tuple[str, Place] | None:
    waiting: list[DerivationStep] = [why(model, symbol, row).root]
    while waiting:
        step = waiting.pop(0)
        text = show_clause(step.rule.clause) if step.rule is not None else ""
        if step.rule is None and step.fact is not None:
            text = show_row(*step.fact)
        if text and step.place is not None and text not in known:
            return text, step.place
        waiting.extend(step.premises)
    return None


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


def _why_not(outcome: ReplayOutcome, recording: Recording) -> WhyNot | None:
    asked = next((row for symbol, row in recording.facts if symbol == PENDING), None)
    if asked is None or outcome.model is None or outcome.word == "permit":
        return None
    return not_permitted(outcome.model, asked[1:4])


def goal_atom(predicate: str, *values: Value) -> Atom:
    """Make the atom of a goal whose arguments are all known."""
    here = Place("<question>", 1, 1)
    arguments = tuple(Constant(value=value, place=here) for value in values)
    return Atom(predicate=predicate, arguments=arguments, place=here)
