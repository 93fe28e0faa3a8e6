"""Goals that a person types, what they are about, and what a person could do to make them hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mayfly.core import InputError
from mayfly.mangle import Atom, Name, Negation, Place, Timed, Variable, parse_atom, show_row, show_value

if TYPE_CHECKING:
    from mayfly.mangle import CheckedProgram, DeclaredPredicate, FactChange, Repair, Row, Symbol, Value, WhyNot

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


def goal_atoms(goal: str, declared: Mapping[Symbol, DeclaredPredicate]) -> list[Atom]:
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


def depends_on(checked: CheckedProgram, goal: Symbol, predicate: str) -> bool:
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


def remedies(found: WhyNot) -> tuple[str, ...]:
    """Return each change that would get the goal to hold, as something a person can do."""
    return tuple(dict.fromkeys(" and ".join(map(_say, repair.changes)) for repair in found.repairs))


def sensible(found: WhyNot) -> WhyNot:
    """Return the explanation without changes that open more than was asked for."""
    kept = tuple(repair for repair in found.repairs if not any(_wider(repair, other) for other in found.repairs))
    return replace(found, repairs=kept)


def _wider(repair: Repair, other: Repair) -> bool:
    """Tell whether *repair* names a whole domain where *other* names one host of it."""
    pairs = [(_host(mine), _host(its)) for mine in repair.changes for its in other.changes if _alike(mine, its)]
    return any(mine and its and its.endswith(f".{mine}") for mine, its in pairs)


def _alike(one: FactChange, other: FactChange) -> bool:
    return one.kind == other.kind == "add" and one.fact.symbol == other.fact.symbol


def _host(change: FactChange) -> str:
    last = change.fact.row[-1] if change.fact.symbol.name in ("allowed_host", "grant") else None
    return last if isinstance(last, str) else ""


def _grant(row: Row, free: tuple[int, ...]) -> str:
    detail = "" if 1 in free else f" for {_plain(row[1])}"
    return f"the artifact is granted {_plain(row[0])}{detail}"


_SAID: Final[Mapping[str, Callable[[Row, tuple[int, ...]], str]]] = {
    "approved": lambda row, free: "a person approves exactly this action",
    "allowed_host": lambda row, free: f"{_plain(row[0])} is put on the list of hosts",
    "grant": _grant,
    "granted_tool": lambda row, free: f"the agent's configuration names the tool {_plain(row[0])}",
    "allowed_package": lambda row, free: f"{_plain(row[0])} is put on the list of packages that agents may install",
    "send_host": lambda row, free: f"{_plain(row[0])} is put on the list of hosts that data may be sent to",
    "spend_limit": lambda row, free: f"up to {_plain(row[0])} cents may be spent without asking",
    "policy_allows": lambda row, free: "a policy of the agent allows it",
}


def _say(change: FactChange) -> str:
    said = _SAID.get(change.fact.symbol.name)
    if change.kind == "add" and said is not None:
        return said(change.fact.row, change.free)
    verb = "is given" if change.kind == "add" else "is taken back"
    return f"{show_row(*change.fact)} {verb}"


def _plain(value: Value) -> str:
    if isinstance(value, Name):
        return value.text.removeprefix("/")
    return value if isinstance(value, str) else show_value(value)
