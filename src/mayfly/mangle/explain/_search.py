"""Find how far a rule gets towards a goal that does not hold."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from mayfly.mangle._ast import Atom
from mayfly.mangle._checked import Rule
from mayfly.mangle._values import Row
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._rules import head_row, transformed
from mayfly.mangle.explain._solve import solve, step
from mayfly.mangle.explain._terms import Bindings, extend, premise_variables, value_of, variables

SAMPLES = 3
STATES = 50_000


class Reached(NamedTuple):
    """How many premises some binding passes, and which bindings do; not `complete` when the search was given up."""

    passed: int
    samples: tuple[Bindings, ...]
    bindings: int
    complete: bool


def deepest(model: Model, rule: Rule, bindings: Bindings) -> Reached:
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


def _needed(rule: Rule) -> list[tuple[str, ...]]:
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


def heads(model: Model, rule: Rule, bindings: Bindings, samples: tuple[Bindings, ...]) -> tuple[Row, ...]:
    """Return rows that a rule makes whose body can be satisfied; a function that fails raises BuiltinError."""
    if rule.transform is not None and rule.transform.do is not None:
        samples = tuple(islice(solve(model, rule.premises, bindings), STATES))
    return tuple(islice((head_row(rule, found) for found in transformed(rule, samples)), SAMPLES))


def matches(goal: Atom, row: Row) -> bool:
    """Say whether a row is what the goal asks for."""
    return extend(goal.arguments, row, {}) is not None


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
