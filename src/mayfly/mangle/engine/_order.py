"""In which order a rule's premises are evaluated: from one that has few rows, along shared variables.

The order a rule is checked with is always right; another one may be faster. What may fail (a function, a comparison of
things that cannot be compared) keeps its place among the others, so that a rule fails exactly when it would fail if
evaluated as written; only what lies between two such premises is put in another order.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from mayfly.mangle._ast import (
    Apply,
    Atom,
    Constant,
    Equality,
    Interval,
    Negation,
    Premise,
    Symbol,
    Term,
    Timed,
    Variable,
)
from mayfly.mangle._checked import CheckedRule
from mayfly.mangle._visit import all_variables, atom_of, interval_variables, terms_of
from mayfly.mangle.engine._marks import WILDCARD, is_builtin


def names_of(terms: Iterable[Term]) -> list[str]:
    """Return the variables of terms as often as they occur, without wildcards."""
    return [variable.name for variable in all_variables(terms) if variable.name != WILDCARD]


def times_of(interval: Interval | None) -> list[str]:
    """Return the variables of an interval."""
    return [variable.name for variable in interval_variables(interval)]


def variables_of(premise: Premise) -> list[str]:
    """Return the variables of a premise as often as they occur, without wildcards."""
    found: list[str] = []
    for term in terms_of(premise):
        kind = type(term)
        if kind is Variable:
            assert isinstance(term, Variable)
            found.append(term.name)
        elif kind is Apply:
            found += names_of((term,))
    if WILDCARD in found:
        found = [name for name in found if name != WILDCARD]
    return found + times_of(premise.annotation) if isinstance(premise, Timed) else found


def named(rule: CheckedRule) -> tuple[str, ...]:
    """Return the distinct variables of a rule's body in the order in which they first occur."""
    return tuple(dict.fromkeys(name for premise in rule.premises for name in variables_of(premise)))


def may_fail(premise: Premise) -> bool:
    """Tell whether evaluating a premise can end in an error."""
    if Apply in map(type, terms_of(premise)):
        return True
    atom = atom_of(premise)
    return atom is not None and is_builtin(atom.symbol)


def used_once(rule: CheckedRule, called: frozenset[Symbol]) -> frozenset[str]:
    """Return the variables that occur once in the whole rule, in an atom: they only ask whether there is a row.

    Those of predicates that are called have no rows to find their value in later.
    """
    count = Counter(variables_of(rule.head))
    for premise in rule.premises:
        count.update(variables_of(premise))
    count.update(times_of(rule.clause.time))
    if rule.transform is not None:
        count.update(names_of(let.function for let in rule.transform.lets))
        count.update(let.variable.name for let in rule.transform.lets)
        count.update(names_of((rule.transform.do,)) if rule.transform.do is not None else ())
    plain = {
        term.name
        for premise in rule.premises
        if isinstance(premise, Atom) and not is_builtin(premise.symbol) and premise.symbol not in called
        for term in premise.arguments
        if isinstance(term, Variable)
    }
    return frozenset(name for name in plain if count[name] == 1)


def ordered(premises: Sequence[Premise], start: int | None, bound: set[str], fixed: frozenset[Symbol]) -> list[Premise]:
    """Return the premises with *start* first and the others in a good order; `fixed` predicates are functions."""
    if Timed in map(type, premises):
        # Which variables of an interval are bound decides what it means: the order is part of the rule.
        return list(premises)
    if len(premises) == 1 and not isinstance(premises[0], Equality):
        return list(premises)
    never = _never(premises, bound)
    if never is not None:
        return [never]
    result = [] if start is None else [premises[start]]
    known = bound.union(*(variables_of(premise) for premise in result))
    segment: list[Premise] = []
    for number, premise in enumerate(premises):
        if number == start:
            continue
        atom = atom_of(premise)
        if may_fail(premise) or (atom is not None and atom.symbol in fixed):
            _greedy(segment, known, result)
            segment = []
            result.append(premise)
            known.update(variables_of(premise))
        else:
            segment.append(premise)
    _greedy(segment, known, result)
    return result


def _never(premises: Sequence[Premise], bound: set[str]) -> Premise | None:
    """Return an inequality of something that has no value where it stands: the rule never fires.

    What has no value yet could still be equal to anything, so it is not different.
    """
    known = set(bound)
    for premise in premises:
        if isinstance(premise, Equality) and premise.negated and not known.issuperset(variables_of(premise)):
            return premise
        known.update(variables_of(premise))
    return None


def _greedy(segment: list[Premise], known: set[str], result: list[Premise]) -> None:
    """Move the premises of a segment to the result, the most restricted one first."""
    # A variable of a negation or inequality that nothing in the segment binds is never going to be bound here.
    binding = {name for premise in segment if not _only_tests(premise) for name in variables_of(premise)}
    waiting: dict[str, list[int]] = {}
    for at, premise in enumerate(segment):
        for name in dict.fromkeys(variables_of(premise)):
            waiting.setdefault(name, []).append(at)
    heap = [_entry(at, premise, known, binding) for at, premise in enumerate(segment)]
    heapify(heap)
    left = dict(enumerate(segment))
    while heap:
        # A rank only rises, so the best entry of a premise is the one that counts; the others come when it is gone.
        best = left.pop(heappop(heap)[2], None)
        if best is None:
            continue
        result.append(best)
        new = [name for name in dict.fromkeys(variables_of(best)) if name not in known]
        known.update(new)
        for at in {at for name in new for at in waiting.get(name, ()) if at in left}:
            heappush(heap, _entry(at, left[at], known, binding))


def _entry(at: int, premise: Premise, known: set[str], binding: set[str]) -> tuple[int, int, int]:
    first, second = _rank(premise, known, binding)
    return (-first, -second, at)


def _only_tests(premise: Premise) -> bool:
    return isinstance(premise, Negation) or (isinstance(premise, Equality) and premise.negated)


def _rank(premise: Premise, known: set[str], binding: set[str]) -> tuple[int, int]:
    variables = set(variables_of(premise))
    if _only_tests(premise):
        return (-1, 0) if (variables - known) & binding else (9, 0)
    if isinstance(premise, Equality):
        constant = isinstance(premise.left, Constant) or isinstance(premise.right, Constant)
        return (8, 0) if constant or variables & known else (-1, 0)
    terms = terms_of(premise)
    joined = sum(isinstance(term, Variable) and term.name in known for term in terms)
    fixed = sum(isinstance(term, Constant) for term in terms)
    if joined + fixed == len(terms):
        return (7, 0)
    return (3 if joined else 2 if fixed else 1, joined + fixed)
