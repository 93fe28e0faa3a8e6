"""Goals that a person types: an atom, or just the name of a predicate; and what such a goal is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError
from mayfly.mangle import Atom, Negation, Place, Timed, Variable, parse_atom

if TYPE_CHECKING:
    from mayfly.mangle import Checked, Declared, Symbol

# What an operator or a user can say. The action itself, who acts and the shipped tables are not up for change.
_CHANGEABLE: Final = frozenset(
    {
        "allowed_host",
        "allowed_package",
        "approved",
        "grant",
        "granted_tool",
        "policy_allows",
        "send_host",
        "spend_limit",
        "user_intent",
        "verb_persona",
    }
)


def changeable(symbol: Symbol) -> bool:
    """Tell whether a fact of this predicate is something a person could come to say or take back."""
    return symbol.name in _CHANGEABLE


def goal_atoms(goal: str, declared: Mapping[Symbol, Declared]) -> list[Atom]:
    """Read a goal: an atom such as `persona(X)`, or a bare name, which stands for every predicate of that name."""
    name = goal.strip()
    if "(" in name:
        return [parse_atom(name, file="<goal>")]
    known = sorted(symbol for symbol in declared if symbol.name == name)
    if not known:
        raise InputError(f"{name} is neither recorded nor a predicate of the rules", fix="see: mayfly log")
    return [_any(symbol) for symbol in known]


def _any(symbol: Symbol) -> Atom:
    here = Place("<goal>", 1, 1)
    columns = tuple(Variable(name="_", place=here) for _ in range(symbol.arity))
    return Atom(predicate=symbol.name, arguments=columns, place=here)


def depends_on(checked: Checked, goal: Symbol, predicate: str) -> bool:
    """Tell whether rules lead from *predicate* to *goal*."""
    needs: dict[Symbol, set[Symbol]] = {}
    for rule in checked.rules:
        for premise in rule.premises:
            atom = premise.atom if isinstance(premise, Negation | Timed) else premise
            if isinstance(atom, Atom):
                needs.setdefault(rule.head.symbol, set()).add(atom.symbol)
    seen, waiting = {goal}, [goal]
    while waiting:
        found = waiting.pop()
        if found.name == predicate:
            return True
        new = needs.get(found, set()) - seen
        seen |= new
        waiting.extend(new)
    return False
