"""Small questions about terms and rules that writing a rule's function asks."""

from collections.abc import Sequence

from mayfly.mangle._ast import Apply, Atom, Constant, Premise, Term, Variable
from mayfly.mangle._checked import Rule
from mayfly.mangle._errors import MangleError
from mayfly.mangle.builtins import PREDICATES, Predicate
from mayfly.mangle.engine._marks import WILDCARD
from mayfly.mangle.engine._order import named, terms_of


def tuple_of(parts: Sequence[str]) -> str:
    """Return the expression of a tuple."""
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def same_terms(left: Sequence[Term], right: Sequence[Term]) -> bool:
    """Tell whether two lists of variables and constants are the same, wherever they were written."""
    return [_essence(term) for term in left] == [_essence(term) for term in right]


def _essence(term: Term) -> object:
    if isinstance(term, Variable):
        return (Variable, term.name)
    return (type(term.value), term.value) if isinstance(term, Constant) else term


def is_number(term: Term) -> bool:
    """Tell whether a term is a number that was written out."""
    return isinstance(term, Constant) and type(term.value) is int


def predicate_of(atom: Atom) -> Predicate:
    """Return the builtin predicate of an atom."""
    found = PREDICATES.get(atom.symbol)
    if found is None:
        raise MangleError(f"{atom.predicate} is not a builtin predicate", stage="analyze", place=atom.place)
    return found


def columns_of(head: Atom) -> dict[str, int]:
    """Return the head's variables with the column that holds each."""
    found: dict[str, int] = {}
    for at, term in enumerate(head.arguments):
        if isinstance(term, Variable) and term.name != WILDCARD:
            found.setdefault(term.name, at)
    return found


def all_names(rule: Rule) -> list[str]:
    """Return the variables of a rule's body and those its transform defines."""
    lets = rule.transform.lets if rule.transform is not None else ()
    return list(dict.fromkeys([*named(rule), *(let.variable.name for let in lets if let.variable.name != WILDCARD)]))


def costs_of(rule: Rule, premises: Sequence[Premise]) -> list[int]:
    """Return for each premise roughly how much is done after it for each of its rows: what is called."""
    cost = _all_calls(rule.head.arguments)
    cost += _all_calls([let.function for let in rule.transform.lets]) if rule.transform is not None else 0
    found: list[int] = []
    for premise in reversed(premises):
        found.append(cost)
        cost += 1 + _all_calls(terms_of(premise))
    return found[::-1]


def _all_calls(terms: Sequence[Term]) -> int:
    return sum(map(_calls, terms)) if Apply in map(type, terms) else 0


def _calls(term: Term) -> int:
    """Return how many functions a term calls."""
    count, pending = 0, [term]
    while pending:
        part = pending.pop()
        if isinstance(part, Apply):
            count += 1 + len(part.arguments) // 8
            pending += part.arguments
    return count
