"""Say why a goal does not hold: for each rule that could make it, the first premise that nothing passes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from mayfly.mangle._ast import Atom, Constant, Equality, Negation, Premise, Symbol, Term
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._errors import MangleError
from mayfly.mangle._evaluate import value_of
from mayfly.mangle._values import Row
from mayfly.mangle._visit import atom_of, map_atom
from mayfly.mangle.builtins import PREDICATES, BuiltinError
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._change import Repair
from mayfly.mangle.explain._repair import repairs
from mayfly.mangle.explain._solve import Clash, head_row, rows_for, solve, start, step, transformed, try_step
from mayfly.mangle.explain._terms import (
    Bindings,
    extend,
    fill,
    fill_premise,
    premise_variables,
    variables,
)
from mayfly.mangle.explain._why import Note, Why, why

SAMPLES = 3
STATES = 50_000


class Reached(NamedTuple):
    """How many premises some binding passes, and which bindings do; not `complete` when the search was given up."""

    passed: int
    samples: tuple[Bindings, ...]
    bindings: int
    complete: bool


def deepest(model: Model, rule: CheckedRule, bindings: Bindings) -> Reached:
    """Return the first premise that no binding passes, searching depth first.

    Two bindings that agree on everything still to be looked at share their fate, so only one of them is followed.
    """
    needed = _needed(rule)
    seen: set[tuple[object, ...]] = set()
    best, count = -1, 0
    samples: list[Bindings] = []
    stack: list[Iterator[Bindings]] = [iter((bindings,))]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            continue
        passed = len(stack) - 1
        key = (passed, *(found.get(name) for name in needed[passed]))
        if key in seen:
            continue
        if len(seen) >= STATES:
            return Reached(best, tuple(samples), count, False)
        seen.add(key)
        if passed > best:
            best, count, samples = passed, 0, []
        if passed == best:
            count += 1
            samples += [found] if len(samples) < SAMPLES else []
        if passed < len(rule.premises):
            stack.append(step(model, rule.premises[passed], found))
        elif len(samples) == SAMPLES:
            break
    return Reached(best, tuple(samples), count, True)


def _needed(rule: CheckedRule) -> list[tuple[str, ...]]:
    """Return, for each number of premises passed, the variables that anything later looks at."""
    names = dict.fromkeys(name for argument in rule.head.arguments for name in variables(argument))
    if rule.transform is not None:
        applied = [let.function for let in rule.transform.lets] + ([rule.transform.do] if rule.transform.do else [])
        names |= dict.fromkeys(name for term in applied for name in variables(term))
    found = [tuple(names)]
    for premise in reversed(rule.premises):
        names = names | dict.fromkeys(premise_variables(premise))
        found.append(tuple(names))
    return found[::-1]


def heads(model: Model, rule: CheckedRule, bindings: Bindings, samples: tuple[Bindings, ...]) -> tuple[Row, ...]:
    """Return rows that a rule makes whose body can be satisfied; a function that fails raises BuiltinError."""
    if rule.transform is not None and rule.transform.do is not None:
        samples = tuple(islice(solve(model, rule.premises, bindings), STATES))
    return tuple(islice((head_row(rule, found) for found in transformed(rule, samples)), SAMPLES))


def nearest_rows(model: Model, goal: Atom, *, looked_at: int, most: int = 3) -> tuple[Row, ...]:
    """Return the facts that differ from the goal in the fewest columns, but not in all of them."""
    asked = [value_of(argument, {}) for argument in goal.arguments]
    fixed = sum(value is not None for value in asked)
    found: list[tuple[int, Row]] = []
    for row in islice(model.rows(goal.symbol), looked_at):
        wrong = sum(value is not None and value != own for value, own in zip(asked, row, strict=True))
        if wrong < fixed or fixed <= 1:
            found.append((wrong, row))
    found.sort(key=lambda pair: pair[0])
    return tuple(row for _, row in found[:most])


DEEPEST = 12
LARGEST = 500
LOOKS = 50_000

Reason: TypeAlias = Literal[
    "head", "missing", "blocked", "false", "function", "external", "result", "replaced", "skipped", "unfinished"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAttempt:
    """One rule that could have made the goal: where and why it did not."""

    rule: CheckedRule
    reason: Reason
    premise: Premise | None = None
    """The failing premise with the values of the first binding that came to it; None when the head failed."""
    number: int | None = None
    """Which premise failed, counted from 1."""
    message: str = ""
    clash: Clash | None = None
    results: tuple[Row, ...] = ()
    """What the rule made instead, when all its premises hold."""
    bindings: tuple[Bindings, ...] = ()
    count: int = 0
    """How many bindings came as far as this; `bindings` has the first few."""
    missing: "tuple[WhyNot, ...]" = ()
    blocking: tuple[Why, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """A goal with the reason of each rule; a goal that does hold has its rows and the derivation of the first."""

    goal: Atom
    holds: bool
    rows: tuple[Row, ...] = ()
    because: Why | None = None
    rules: tuple[RuleAttempt, ...] = ()
    external: bool = False
    nearest: tuple[Row, ...] = ()
    note: Note = ""
    repairs: tuple[Repair, ...] = ()


def why_not(
    model: Model,
    atom: Atom,
    *,
    depth: int = 4,
    repair: bool = True,
    changeable: Callable[[Symbol], bool] | None = None,
) -> WhyNot:
    """Return why a goal does not hold, looking `depth` rules deep, and (unless not wanted) what would make it hold.

    What would make it hold is looked for among the `changeable` predicates without rules, by default all of them.
    """
    goal = _known_goal(model, atom)
    rows = tuple(rows_for(model, goal, {}))
    if rows:
        return WhyNot(goal=goal, holds=True, rows=rows, because=why(model, goal.symbol, rows[0]))
    found = _Asker(model).ask(goal, max(0, min(depth, DEEPEST)))
    return replace(found, repairs=repairs(model, goal, changeable=changeable)) if repair else found


def _known_goal(model: Model, atom: Atom) -> Atom:
    """Return the goal with its functions evaluated; an unknown predicate is an error with the nearest names."""
    known = model.program.checked.declared
    if atom.symbol not in known and not model.rows(atom.symbol):
        raise MangleError(
            f"{atom.symbol} is not a predicate of this program",
            stage="analyze",
            place=atom.place,
            fix=_nearest_names(atom.symbol, tuple(known)),
        )
    try:
        return _evaluated(atom, {})
    except BuiltinError as error:
        raise MangleError(str(error), stage="eval", place=atom.place) from error


def _nearest_names(symbol: Symbol, known: tuple[Symbol, ...]) -> str | None:
    names = dict.fromkeys(found.name for found in known)
    near = [symbol.name] if symbol.name in names else get_close_matches(symbol.name, names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(str(f) for name in near for f in known if f.name == name)}?" if near else None


class _Asker:
    """Ask why not, goal below goal, remembering what was asked."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._asked: set[tuple[object, ...]] = set()
        self._size = 0
        self._looks = LOOKS
        self._rules: dict[Symbol, list[CheckedRule]] = {}
        for rule in model.program.checked.rules:
            self._rules.setdefault(rule.head.symbol, []).append(rule)

    def ask(self, goal: Atom, depth: int) -> WhyNot:
        """Return why a goal that does not hold does not."""
        declared = self._model.program.checked.declared.get(goal.symbol)
        external = declared is not None and declared.external
        rules = self._rules.get(goal.symbol, [])
        nearest = () if rules or external else self._nearest(goal)
        key = (goal.symbol, *(value_of(argument, {}) for argument in goal.arguments))
        note: Note = "shown" if key in self._asked else "cut" if depth == 0 or self._size > LARGEST else ""
        if not rules or note:
            return WhyNot(goal=goal, holds=False, external=external, nearest=nearest, note=note if rules else "")
        self._asked.add(key)
        attempts = tuple(self._try(rule, goal, depth) for rule in rules)
        return WhyNot(goal=goal, holds=False, rules=attempts)

    def _nearest(self, goal: Atom) -> tuple[Row, ...]:
        """Look for facts close to a missing one, as long as there have not been too many to look at."""
        found = nearest_rows(self._model, goal, looked_at=max(0, self._looks))
        self._looks -= len(self._model.rows(goal.symbol))
        return found

    def _try(self, rule: CheckedRule, goal: Atom, depth: int) -> RuleAttempt:
        self._size += 1
        known = start(rule, goal)
        if isinstance(known, Clash):
            return RuleAttempt(rule=rule, reason="head", clash=known)
        reached = deepest(self._model, rule, known)
        attempt = RuleAttempt(rule=rule, reason="unfinished", bindings=reached.samples, count=reached.bindings)
        if not reached.complete:
            told = f"more than {reached.bindings} bindings pass the first premises; ask with more constants"
            return replace(attempt, message=told)
        if reached.passed == len(rule.premises):
            return self._result(attempt, goal, known)
        return self._premise(attempt, reached.passed, depth)

    def _result(self, attempt: RuleAttempt, goal: Atom, known: Bindings) -> RuleAttempt:
        """Say what a rule makes whose premises all hold, as it is not the goal."""
        try:
            rows = heads(self._model, attempt.rule, known, attempt.bindings)
        except BuiltinError as error:
            return replace(attempt, reason="function", message=str(error))
        declared = self._model.program.checked.declared.get(goal.symbol)
        lost: Reason = "replaced" if declared is not None and declared.merge is not None else "skipped"
        made = any(extend(goal.arguments, row, {}) is not None for row in rows)
        return replace(attempt, reason=lost if made else "result", results=rows)

    def _premise(self, attempt: RuleAttempt, passed: int, depth: int) -> RuleAttempt:
        premise, first = attempt.rule.premises[passed], attempt.bindings[0]
        reason, message = self._reason(premise, first)
        missing: tuple[WhyNot, ...] = ()
        blocking: tuple[Why, ...] = ()
        if reason == "missing" and isinstance(premise, Atom):
            goals = dict.fromkeys(_evaluated(premise, found) for found in attempt.bindings)
            missing = tuple(self.ask(goal, depth - 1) for goal in goals)
        elif reason == "blocked" and isinstance(premise, Negation):
            blocking = self._blocking(premise, first)
        return replace(
            attempt,
            reason=reason,
            premise=fill_premise(premise, first),
            number=passed + 1,
            message=message,
            missing=missing,
            blocking=blocking,
        )

    def _reason(self, premise: Premise, bindings: Bindings) -> tuple[Reason, str]:
        try:
            next(try_step(self._model, premise, bindings), None)
        except BuiltinError as error:
            return "function", str(error)
        if isinstance(premise, Negation):
            return "blocked", ""
        if isinstance(premise, Equality) or (isinstance(premise, Atom) and premise.symbol in PREDICATES):
            return "false", ""
        atom = atom_of(premise)
        declared = None if atom is None else self._model.program.checked.declared.get(atom.symbol)
        return ("external" if declared is not None and declared.external else "missing"), ""

    def _blocking(self, premise: Negation, bindings: Bindings) -> tuple[Why, ...]:
        if premise.atom.symbol in PREDICATES:
            return ()
        row = next(rows_for(self._model, premise.atom, bindings), None)
        return () if row is None else (why(self._model, premise.atom.symbol, row),)


def _evaluated(atom: Atom, bindings: Bindings) -> Atom:
    """Return an atom under bindings, its functions evaluated where they can be."""

    def evaluated(term: Term) -> Term:
        value = value_of(term, bindings)
        return fill(term, bindings) if value is None else Constant(value=value, place=term.place)

    return map_atom(atom, evaluated)
