"""Say facts, premises and places in words, with wide values shortened and nothing that could disturb a terminal."""

from collections.abc import Sequence
from dataclasses import replace

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Place, Premise, Term, Timed
from mayfly.mangle._checked import Rule
from mayfly.mangle._text import show_clause, show_premise, show_value
from mayfly.mangle._values import Value
from mayfly.mangle.builtins import BuiltinError
from mayfly.mangle.explain._terms import Bindings, value_of
from mayfly.mangle.explain._why import Fact

_SIGNS = {":lt": "<", ":le": "<=", ":gt": ">", ":ge": ">="}


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


def say_term(term: Term, width: int | None = None) -> str:
    """Return a term as source, its values shortened."""
    if isinstance(term, Constant):
        return say_value(term.value, width)
    if isinstance(term, Apply):
        return f"{term.function}({_say_terms(term.arguments, width)})"
    return term.name


def say_atom(atom: Atom, width: int | None = None) -> str:
    """Return an atom as source, comparisons with their sign."""
    sign = _SIGNS.get(atom.predicate)
    if sign is not None and len(atom.arguments) == 2:
        return f"{say_term(atom.arguments[0], width)} {sign} {say_term(atom.arguments[1], width)}"
    return f"{atom.predicate}({_say_terms(atom.arguments, width)})"


def say_premise(premise: Premise, width: int | None = None) -> str:
    """Return a premise as source, its values shortened."""
    if isinstance(premise, Atom):
        return say_atom(premise, width)
    if isinstance(premise, Negation):
        return f"!{say_atom(premise.atom, width)}"
    if isinstance(premise, Equality):
        sign = "!=" if premise.negated else "="
        return f"{say_term(premise.left, width)} {sign} {say_term(premise.right, width)}"
    return say_timed(premise, width)


def say_check(premise: Premise, width: int | None = None) -> str:
    """Return a comparison as source and, where functions stand in it, with their values as well."""
    said = say_premise(premise, width)
    try:
        values = say_premise(_evaluated(premise), width)
    except BuiltinError:
        return said
    return said if said == values else f"{said}, that is {values}"


def _evaluated(premise: Premise) -> Premise:
    if isinstance(premise, Equality):
        return replace(premise, left=_value(premise.left), right=_value(premise.right))
    if isinstance(premise, Atom):
        return replace(premise, arguments=tuple(_value(term) for term in premise.arguments))
    return premise


def _value(term: Term) -> Term:
    value = value_of(term, {})
    return term if value is None else Constant(value=value, place=term.place)


def say_timed(premise: Timed, width: int | None = None) -> str:
    """Return a temporal premise as source."""
    return shorten(printable(show_premise(premise)), None if width is None else 3 * width)


def say_bindings(bindings: Bindings, width: int | None = None) -> str:
    """Return bindings as equations."""
    return ", ".join(f"{name} = {say_value(value, width)}" for name, value in bindings.items())


def say_rule(rule: Rule) -> str:
    """Return a rule as it was written, in one line."""
    return printable(" ".join(show_clause(rule.clause).split("\n")))


def say_place(place: Place | None) -> str:
    """Return file and line."""
    return "" if place is None else printable(f"{place.file}:{place.line}")


def _say_terms(terms: Sequence[Term], width: int | None) -> str:
    return ", ".join(say_term(term, width) for term in terms)
