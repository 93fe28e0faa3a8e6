"""A second evaluator, straight from the definition: every rule on every combination of facts, until nothing is new.

No indices, no deltas, no reordering, none of the engine's own code: slow, and simple enough to be believed.
"""

from collections.abc import Iterable, Iterator, Mapping

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Premise, Symbol, Term, Variable
from mayfly.mangle._checked import CheckedProgram, CheckedRule
from mayfly.mangle._values import List, Row, Value

Facts = dict[Symbol, dict[Row, None]]
Bindings = Mapping[str, Value]


class Failed(Exception):
    """Evaluating a function or comparison ended in an error."""


def evaluate(checked: CheckedProgram, facts: Iterable[tuple[Symbol, Row]] = ()) -> set[tuple[Symbol, Row]]:
    """Return everything that follows from a program and these facts."""
    known: Facts = {}
    for symbol, row in [*((fact.symbol, fact.row) for fact in checked.given), *facts]:
        known.setdefault(symbol, {})[row] = None
    for stratum in checked.strata:
        rules = [rule for rule in checked.rules if rule.head.symbol in stratum]
        plain = [rule for rule in rules if not aggregates(rule)]
        while sum(_apply(rule, known) for rule in plain):
            pass
        for rule in rules:
            if aggregates(rule):
                _aggregate(rule, known)
    return {(symbol, row) for symbol, rows in known.items() for row in rows}


def aggregates(rule: CheckedRule) -> bool:
    """Tell whether a rule groups."""
    return rule.transform is not None and rule.transform.do is not None


def _apply(rule: CheckedRule, known: Facts) -> bool:
    """Add what a rule gives; tell whether something was new."""
    rows = []
    for bindings in list(solutions(rule.premises, {}, known)):
        made = dict(bindings)
        for let in rule.transform.lets if rule.transform is not None else ():
            made[let.variable.name] = value_of(let.function, made)
        rows.append(tuple(value_of(term, made) for term in rule.head.arguments))
    there = known.setdefault(rule.head.symbol, {})
    before = len(there)
    there.update(dict.fromkeys(rows))
    return len(there) > before


def _aggregate(rule: CheckedRule, known: Facts) -> None:
    assert rule.transform is not None
    assert rule.transform.do is not None
    groups: dict[Row, list[Bindings]] = {}
    for bindings in body_rows(rule, known):
        groups.setdefault(tuple(value_of(term, bindings) for term in rule.transform.do.arguments), []).append(bindings)
    for key, members in groups.items():
        made = {
            term.name: value
            for term, value in zip(rule.transform.do.arguments, key, strict=True)
            if isinstance(term, Variable)
        }
        for let in rule.transform.lets:
            made[let.variable.name] = _reduce(let.function, members, made)
        row = tuple(value_of(term, made) for term in rule.head.arguments)
        known.setdefault(rule.head.symbol, {})[row] = None


def body_rows(rule: CheckedRule, known: Facts) -> list[Bindings]:
    """Return the rows a group_by sees: one for each fact of a single atom, otherwise the distinct solutions."""
    found = list(solutions(rule.premises, {}, known))
    if len(rule.premises) == 1 and isinstance(rule.premises[0], Atom):
        return found
    distinct: dict[tuple[tuple[str, Value], ...], Bindings] = {}
    for bindings in found:
        distinct.setdefault(tuple(sorted(bindings.items(), key=lambda item: item[0])), bindings)
    return list(distinct.values())


def _reduce(function: Apply, members: list[Bindings], made: Bindings) -> Value:
    values = [value_of(function.arguments[0], member) for member in members] if function.arguments else []
    match function.function:
        case "fn:count":
            return len(members)
        case "fn:sum":
            return sum(number(value) for value in values)
        case "fn:max":
            return max(number(value) for value in values)
        case "fn:min":
            return min(number(value) for value in values)
        case "fn:count_distinct":
            return len({tuple(member.items()) for member in members} if not values else set(values))
        case _:
            return value_of(function, made)


def solutions(premises: tuple[Premise, ...], bindings: Bindings, known: Facts) -> Iterator[Bindings]:
    """Yield the values of the variables for which all premises hold, trying everything from left to right."""
    if not premises:
        yield bindings
        return
    for extended in list(_one(premises[0], bindings, known)):
        yield from solutions(premises[1:], extended, known)


def _one(premise: Premise, bindings: Bindings, known: Facts) -> Iterator[Bindings]:
    if isinstance(premise, Negation):
        if not list(_match(premise.atom, bindings, known)):
            yield bindings
    elif isinstance(premise, Equality):
        yield from _equal(premise, bindings)
    elif isinstance(premise, Atom) and premise.predicate.startswith(":"):
        if compare(premise.predicate, *(value_of(term, bindings) for term in premise.arguments)):
            yield bindings
    elif isinstance(premise, Atom):
        yield from _match(premise, bindings, known)


def _equal(premise: Equality, bindings: Bindings) -> Iterator[Bindings]:
    for side, other in ((premise.left, premise.right), (premise.right, premise.left)):
        if isinstance(side, Variable) and side.name not in bindings and not premise.negated:
            yield {**bindings, side.name: value_of(other, bindings)}
            return
    if (value_of(premise.left, bindings) == value_of(premise.right, bindings)) != premise.negated:
        yield bindings


def _match(atom: Atom, bindings: Bindings, known: Facts) -> Iterator[Bindings]:
    for row in known.get(atom.symbol, {}):
        extended: dict[str, Value] | None = dict(bindings)
        for term, value in zip(atom.arguments, row, strict=True):
            assert extended is not None
            if isinstance(term, Variable) and term.name == "_":
                continue
            if isinstance(term, Variable) and term.name not in extended:
                extended[term.name] = value
            elif value_of(term, extended) != value:
                extended = None
                break
        if extended is not None:
            yield extended


def value_of(term: Term, bindings: Bindings) -> Value:
    """Evaluate a term."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        return bindings[term.name]
    values = [value_of(part, bindings) for part in term.arguments]
    if term.function == "fn:list":
        return List(tuple(values))
    left, right = (number(value) for value in values)
    match term.function:
        case "fn:plus":
            return left + right
        case "fn:minus":
            return left - right
        case "fn:mult":
            return left * right
        case "fn:div":
            if right == 0:
                raise Failed
            # Whole numbers are divided towards zero.
            return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    raise AssertionError(term.function)


def compare(predicate: str, left: Value, right: Value) -> bool:
    """Evaluate a comparison."""
    a, b = number(left), number(right)
    return {":lt": a < b, ":le": a <= b, ":gt": a > b, ":ge": a >= b}[predicate]


def number(value: Value) -> int:
    """Return a number; anything else cannot be computed with."""
    if not isinstance(value, int):
        raise Failed
    return value
