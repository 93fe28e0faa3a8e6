"""Evaluate terms: what they stand for under the values of their variables."""

from collections.abc import Mapping

from mayfly.mangle._ast import Constant, Term, Variable
from mayfly.mangle._errors import MangleError, Stage
from mayfly.mangle._values import Value
from mayfly.mangle.builtins import FUNCTIONS, BuiltinError


def value_of(term: Term, bindings: Mapping[str, Value]) -> Value | None:
    """Return what a term stands for, None while a variable in it is open; a function may raise BuiltinError."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        return bindings.get(term.name)
    values = [value_of(argument, bindings) for argument in term.arguments]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    function = FUNCTIONS.get(term.function)
    if function is None:
        raise BuiltinError(f"{term.function} is not a function of values")
    return function.taking(len(known))(*known)


def known_value(term: Term, bindings: Mapping[str, Value]) -> Value:
    """Return what a term stands for; BuiltinError where a variable in it is open."""
    value = value_of(term, bindings)
    if value is None:
        raise BuiltinError("a variable has no value here")
    return value


def evaluate(term: Term, *, stage: Stage) -> Value:
    """Return the value of a term without variables; raise what goes wrong as an error of that stage, with its place."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        raise MangleError(f"a fact has no variables, found {term.name}", stage=stage, place=term.place)
    arguments = [evaluate(argument, stage=stage) for argument in term.arguments]
    function = FUNCTIONS.get(term.function)
    if function is None:
        message, fix = unknown_function(term.function)
        raise MangleError(message, stage=stage, place=term.place, fix=fix)
    try:
        return function.taking(len(arguments))(*arguments)
    except BuiltinError as error:
        from mayfly.mangle._text import show_term

        raise MangleError(f"{show_term(term)} has no value: {error}", stage=stage, place=term.place) from None


def unknown_function(name: str) -> tuple[str, str | None]:
    """Say that there is no such function where it stands, and which one may have been meant."""
    if name in FUNCTIONS:
        return f"{name} can be used in the head of a rule only", None
    from difflib import get_close_matches

    known = [found for found, function in FUNCTIONS.items() if not function.head_only]
    similar = get_close_matches(name, known, n=1, cutoff=0.7)
    return f"there is no function {name}", f"did you mean {similar[0]}?" if similar else None
