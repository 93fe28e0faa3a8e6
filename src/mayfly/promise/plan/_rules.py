"""Ask the plan rules: which steps a request takes, as drafts filled with the request's own words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from mayfly.core import UNSET
from mayfly.language import Clause
from mayfly.mangle import Limits, Model, Name, Program, Row, Symbol
from mayfly.promise._promise import Combine
from mayfly.promise.plan._draft import Draft
from mayfly.promise.plan._slots import fill, named_in

_WORD = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_USER_INTENT = Symbol("user_intent", 5)
_GIVEN = Symbol("plan_given", 1)
_SLOT = Symbol("intent_slot", 2)
_SAID = Symbol("intent_said", 2)
_FOR, _STEP = Symbol("plan_for", 2), Symbol("planned_step", 5)
_NEEDS, _VERB = Symbol("planned_needs", 4), Symbol("planned_verb", 4)
_USES, _ARGUMENT = Symbol("plan_uses", 3), Symbol("plan_argument", 4)
_COMBINE, _DEFAULT = Symbol("plan_combine", 2), Symbol("plan_default", 2)
_FOLLOWS = Symbol("plan_follows", 1)
_EXAMPLE = Symbol("plan_by_example", 2)
_GOALS = (_FOR, _STEP, _NEEDS, _VERB, _USES, _ARGUMENT, _COMBINE, _DEFAULT, _EXAMPLE, _FOLLOWS)
_COMBINES = frozenset(("last", "record", "list", "concat"))
# What a plan whose rules need each other in a circle could grow to is cut here, and by the limits of the tree.
_DEEPEST = 60


class Asked(NamedTuple):
    """One clause with what is known of it by name."""

    id: str
    clause: Clause
    slots: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What the rules say about one request: the name of the plan, its steps, how their values become one.

    One that *follows* works on what the request before it gives.
    """

    plan: str
    steps: tuple[Draft, ...]
    combine: Combine
    follows: bool = False


class PlanRules:
    """Turn what the rules derive into drafts; the rules are asked for again at every plan, so new ones count."""

    def __init__(self, program: Callable[[], Program], *, limits: Limits | None = None) -> None:
        self._program = program
        self._limits = limits or Limits(facts=100_000, seconds=5.0)

    def plan(self, asked: Sequence[Asked], *, given: Sequence[str], depth: int, most: int) -> list[Planned]:
        """Return the plan of each request, no deeper than *depth* levels and of about *most* steps."""
        program = self._program()
        goals = [goal for goal in _GOALS if goal in program.checked.declared]
        facts = [fact for one in asked for fact in _facts(one)] + [(_GIVEN, (Name(f"/{name}"),)) for name in given]
        facts = [fact for fact in facts if fact[0] in program.checked.declared]
        model = program.evaluate(facts, goals=goals, limits=self._limits, record=False)
        tables = _Tables.of(model, goals)
        return [_Reader(tables, one, most).read(min(depth, _DEEPEST)) for one in asked]


def _facts(asked: Asked) -> list[tuple[Symbol, Row]]:
    intent = asked.clause.intent
    row: Row = (asked.id, Name(f"/{intent.category}"), _verb(intent.verb), intent.target, intent.constraint)
    facts: list[tuple[Symbol, Row]] = [(_USER_INTENT, row)]
    if asked.clause.said and asked.clause.kind != "question":
        facts.append((_SAID, (asked.id, _verb(asked.clause.said.partition(" ")[0]))))
    return facts + [(_SLOT, (asked.id, Name(f"/{slot}"))) for slot in asked.slots]


def _verb(text: str) -> Name:
    return Name(f"/{text}" if _WORD.fullmatch(text) else "/unknown")


def _text(value: object) -> str:
    return value.text[1:] if isinstance(value, Name) else str(value)


Key = tuple[str, ...]


@dataclass(kw_only=True)
class _Tables:
    """The derived rows by what they are looked up with."""

    plans: dict[str, str]
    steps: dict[Key, list[tuple[int, str, str]]]
    needs: dict[Key, list[str]]
    verbs: dict[Key, str]
    uses: dict[Key, str]
    arguments: dict[Key, list[tuple[str, str]]]
    combines: dict[str, Combine]
    defaults: dict[str, str]
    by_example: frozenset[Key]
    following: frozenset[Key]

    @classmethod
    def of(cls, model: Model, goals: Sequence[Symbol]) -> _Tables:
        def rows(symbol: Symbol) -> list[tuple[str, ...]]:
            return sorted(tuple(map(_text, row)) for row in model.rows(symbol)) if symbol in goals else []

        steps: dict[Key, list[tuple[int, str, str]]] = defaultdict(list)
        needs: dict[Key, list[str]] = defaultdict(list)
        arguments: dict[Key, list[tuple[str, str]]] = defaultdict(list)
        for id_, plan, step, order, template in rows(_STEP):
            steps[id_, plan].append((int(order), step, template))
        for id_, plan, step, other in rows(_NEEDS):
            needs[id_, plan, step].append(other)
        for plan, step, key, template in rows(_ARGUMENT):
            arguments[plan, step].append((key, template))
        return cls(
            plans={row[0]: row[1] for row in reversed(rows(_FOR))},
            steps=steps,
            needs=needs,
            verbs={(id_, plan, step): other for id_, plan, step, other in reversed(rows(_VERB))},
            uses={(plan, step): name for plan, step, name in reversed(rows(_USES))},
            arguments=arguments,
            combines={plan: cast("Combine", kind) for plan, kind in rows(_COMBINE) if kind in _COMBINES},
            defaults={row[0]: row[1] for row in rows(_DEFAULT)},
            by_example=frozenset(rows(_EXAMPLE)),
            following=frozenset(rows(_FOLLOWS)),
        )


class _Reader:
    """Read the plan of one request out of the tables."""

    def __init__(self, tables: _Tables, asked: Asked, most: int) -> None:
        self._tables = tables
        self._id = asked.id
        self._slots = asked.slots
        self._left = most

    def read(self, depth: int) -> Planned:
        plan = self._tables.plans.get(self._id, "")
        return Planned(
            plan=plan,
            steps=self._steps(plan, depth),
            combine=self._combine(plan),
            follows=(self._id,) in self._tables.following,
        )

    def _combine(self, plan: str) -> Combine:
        return self._tables.combines.get(plan, "last")

    def _steps(self, plan: str, depth: int) -> tuple[Draft, ...]:
        """Return the steps in order; one that is told twice is taken as it is told first."""
        told: dict[str, str] = {}
        for _, step, template in sorted(self._tables.steps.get((self._id, plan), ())):
            if not self._is_empty(plan, step):
                told.setdefault(step, template)
        self._left -= len(told)
        drafts = [self._draft(plan, step, template, depth) for step, template in told.items()]
        return tuple(replace(one, needs=tuple(name for name in one.needs if name in told)) for one in drafts)

    def _is_empty(self, plan: str, step: str) -> bool:
        """Say whether a step has a plan of its own in which nothing is left to do."""
        other = self._tables.verbs.get((self._id, plan, step))
        return other is not None and not self._tables.steps.get((self._id, other))

    def _draft(self, plan: str, step: str, template: str, depth: int) -> Draft:
        other = self._tables.verbs.get((self._id, plan, step), "")
        inside = bool(other) and depth > 1 and self._left > 0
        return Draft(
            name=step,
            intent=self._fill(template),
            needs=tuple(self._tables.needs.get((self._id, plan, step), ())),
            combine=self._combine(other) if inside else "last",
            capability=self._tables.uses.get((plan, step), ""),
            argument=self._argument(plan, step),
            by_example=(plan, step) in self._tables.by_example,
            fed="before" in self._slots,
            steps=self._steps(other, depth - 1) if inside else (),
        )

    def _fill(self, template: str) -> str:
        return fill(template, self._slots, self._tables.defaults)

    def _argument(self, plan: str, step: str) -> object:
        told = [
            (key, template)
            for key, template in self._tables.arguments.get((plan, step), ())
            if named_in(template) <= self._slots.keys() | self._tables.defaults.keys()
        ]
        whole = [template for key, template in told if not key]
        if whole:
            return self._fill(whole[0])
        return {key: self._fill(template) for key, template in told} if told else UNSET
