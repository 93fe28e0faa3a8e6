"""Ask the plan rules: which steps a request takes, as drafts filled with the request's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from mayfly.core import UNSET
from mayfly.language import Clause
from mayfly.mangle import Limits, Name, Program, Row, Symbol
from mayfly.promise._promise import Combine
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._slots import fill, named_in

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_USER_INTENT = Symbol("user_intent", 5)
_GIVEN = Symbol("plan_given", 1)
_SLOT = Symbol("intent_slot", 2)
_SAID = Symbol("intent_said", 2)
# What is asked of the rules, by its short name here.
_GOALS = {
    "for": Symbol("plan_for", 2),
    "step": Symbol("planned_step", 5),
    "needs": Symbol("planned_needs", 4),
    "verb": Symbol("planned_verb", 4),
    "uses": Symbol("plan_uses", 3),
    "argument": Symbol("plan_argument", 4),
    "combine": Symbol("plan_combine", 2),
    "default": Symbol("plan_default", 2),
    "example": Symbol("plan_by_example", 2),
    "follows": Symbol("plan_follows", 1),
}
_COMBINES = frozenset(("last", "record", "list", "concat"))
# What a plan whose rules need each other in a circle could grow to is cut here, and by the limits of the tree.
_DEEPEST = 60
_LIMITS = Limits(facts=100_000, seconds=5.0)
# The one request that is asked about at a time.
_ID = "i1"


@dataclass(frozen=True, kw_only=True)
class RulePlan:
    """What the rules say about one request: the name of the plan, its steps, how their values become one.

    One that *follows* works on what the request before it gives.
    """

    plan: str
    steps: tuple[Draft, ...]
    combine: Combine
    follows: bool = False


def plan_by_rules(
    program: Program, clause: Clause, slots: Mapping[str, str], *, given: Sequence[str], depth: int, most: int
) -> RulePlan:
    """Return what the rules plan for a clause with its *slots*: at most *depth* levels and about *most* steps."""
    declared = program.checked.declared
    goals = {name: goal for name, goal in _GOALS.items() if goal in declared}
    known: list[tuple[Symbol, Row]] = [*_facts(clause, slots)]
    known += [(_GIVEN, (Name(f"/{name}"),)) for name in given]
    facts = [fact for fact in known if fact[0] in declared]
    model = program.evaluate(facts, goals=list(goals.values()), limits=_LIMITS, record=False)
    rows = {name: sorted(tuple(map(_text, row)) for row in model.rows(goal)) for name, goal in goals.items()}
    return _Reader(rows, slots, most).read(min(depth, _DEEPEST))


def _facts(clause: Clause, slots: Iterable[str]) -> Iterator[tuple[Symbol, Row]]:
    intent = clause.intent
    yield _USER_INTENT, (_ID, Name(f"/{intent.category}"), _verb(intent.verb), intent.target, intent.constraint)
    if clause.said and clause.kind != "question":
        yield _SAID, (_ID, _verb(clause.said.partition(" ")[0]))
    yield from ((_SLOT, (_ID, Name(f"/{slot}"))) for slot in slots)


def _verb(text: str) -> Name:
    return Name(f"/{text}" if _WORD.fullmatch(text) else "/unknown")


def _text(value: object) -> str:
    return value.text[1:] if isinstance(value, Name) else str(value)


class _Reader:
    """Read the plan of a request out of the rows that the rules derived; of several that say the same, the first."""

    def __init__(self, rows: Mapping[str, Sequence[tuple[str, ...]]], slots: Mapping[str, str], most: int) -> None:
        self._rows = rows
        self._slots = slots
        self._defaults = {row[0]: row[1] for row in rows.get("default", ())}
        self._left = most
        self._grouped: dict[tuple[str, int], dict[tuple[str, ...], list[tuple[str, ...]]]] = {}

    def _find(self, name: str, *key: str) -> list[tuple[str, ...]]:
        """Return what the rows of a goal that begin with *key* go on with, in their order."""
        grouped = self._grouped.setdefault((name, len(key)), {})
        for row in self._rows.get(name, ()) if not grouped else ():
            grouped.setdefault(row[: len(key)], []).append(row[len(key) :])
        return grouped.get(key, [])

    def _only(self, name: str, *key: str) -> str:
        return next((row[0] for row in self._find(name, *key)), "")

    def read(self, depth: int) -> RulePlan:
        plan = self._only("for", _ID)
        follows = bool(self._find("follows", _ID))
        return RulePlan(plan=plan, steps=self._steps(plan, depth), combine=self._combine(plan), follows=follows)

    def _combine(self, plan: str) -> Combine:
        known = [kind for (kind,) in self._find("combine", plan) if kind in _COMBINES]
        return cast("Combine", known[-1]) if known else "last"

    def _steps(self, plan: str, depth: int) -> tuple[Draft, ...]:
        """Return the steps in order; one that is told twice is taken as it is told first."""
        told: dict[str, str] = {}
        for _, step, template in sorted(
            (int(order), step, text) for step, order, text in self._find("step", _ID, plan)
        ):
            if not self._is_empty(plan, step):
                told.setdefault(step, template)
        self._left -= len(told)
        drafts = [self._draft(plan, step, template, depth) for step, template in told.items()]
        return tuple(replace(one, needs=tuple(name for name in one.needs if name in told)) for one in drafts)

    def _is_empty(self, plan: str, step: str) -> bool:
        """Say whether a step has a plan of its own in which nothing is left to do."""
        other = self._only("verb", _ID, plan, step)
        return bool(other) and not self._find("step", _ID, other)

    def _draft(self, plan: str, step: str, template: str, depth: int) -> Draft:
        other = self._only("verb", _ID, plan, step)
        inside = bool(other) and depth > 1 and self._left > 0
        return Draft(
            name=step,
            intent=fill(template, self._slots, self._defaults),
            needs=tuple(other for (other,) in self._find("needs", _ID, plan, step)),
            combine=self._combine(other) if inside else "last",
            capability=self._only("uses", plan, step),
            argument=self._argument(plan, step),
            by_example=(plan, step) in self._rows.get("example", ()),
            fed="before" in self._slots,
            steps=self._steps(other, depth - 1) if inside else (),
        )

    def _argument(self, plan: str, step: str) -> object:
        known = self._slots.keys() | self._defaults.keys()
        told = [
            (key, fill(template, self._slots, self._defaults))
            for key, template in self._find("argument", plan, step)
            if named_in(template) <= known
        ]
        whole = [text for key, text in told if not key]
        return whole[0] if whole else dict(told) or UNSET
