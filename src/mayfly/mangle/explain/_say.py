"""Say facts, premises and places in words, with wide values shortened and nothing that could disturb a terminal."""

from functools import partial

from mayfly.mangle._ast import Atom, Constant, Negation, Place, Premise, Term, Timed
from mayfly.mangle._checked import Rule
from mayfly.mangle._evaluate import value_of
from mayfly.mangle._text import show_atom, show_clause, show_premise, show_value
from mayfly.mangle._values import Value
from mayfly.mangle._visit import map_premise
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.explain._terms import Bindings
from mayfly.mangle.explain._why import Fact


def shorten(text: str, width: int | None) -> str:
    """Leave out the middle of a text that is wider than `width`."""
    if width is None or len(text) <= width:
        return text
    tail = max(0, (width - 1) // 2)
    return f"{text[: max(0, width - 1 - tail)]}…{text[len(text) - tail :]}"


def printable(text: str) -> str:
    """Escape whatever a terminal would not print as one character of the line."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def say_value(value: Value, width: int | None = None) -> str:
    """Return a value as source, shortened."""
    return shorten(printable(show_value(value)), width)


def say_fact(fact: Fact, width: int | None = None) -> str:
    """Return a fact as source, its values shortened."""
    return f"{fact.symbol.name}({', '.join(say_value(value, width) for value in fact.row)})"


def say_atom(atom: Atom, width: int | None = None) -> str:
    """Return an atom as source, its values shortened."""
    return show_atom(atom, partial(say_value, width=width))


def say_premise(premise: Premise, width: int | None = None) -> str:
    """Return a premise as source, its values shortened."""
    if isinstance(premise, Negation):
        return f"!{say_atom(premise.atom, width)}"
    if isinstance(premise, Timed):
        return shorten(printable(show_premise(premise)), None if width is None else 3 * width)
    return show_premise(premise, partial(say_value, width=width))


def say_check(premise: Premise, width: int | None = None) -> str:
    """Return a comparison as source and, where functions stand in it, with their values as well."""
    said = say_premise(premise, width)
    try:
        values = say_premise(_evaluated(premise), width)
    except BuiltinError:
        return said
    return said if said == values else f"{said}, that is {values}"


def _evaluated(premise: Premise) -> Premise:
    return premise if isinstance(premise, Negation | Timed) else map_premise(premise, _value)


def _value(term: Term) -> Term:
    value = value_of(term, {})
    return term if value is None else Constant(value=value, place=term.place)


def say_bindings(bindings: Bindings, width: int | None = None) -> str:
    """Return bindings as equations."""
    return ", ".join(f"{name} = {say_value(value, width)}" for name, value in bindings.items())


def say_rule(rule: Rule) -> str:
    """Return a rule as it was written, in one line."""
    return printable(" ".join(show_clause(rule.clause).split("\n")))


def say_place(place: Place | None) -> str:
    """Return file and line."""
    return "" if place is None else printable(f"{place.file}:{place.line}")
