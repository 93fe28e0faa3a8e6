"""Check the functions of a clause, and evaluate those of facts."""

from collections.abc import Iterator

from mayfly.mangle._ast import Apply, Atom, Clause, Constant, Equality, Negation, Place, Premise, Term, Variable
from mayfly.mangle._errors import MangleError, Stage
from mayfly.mangle._text import show_term
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import FUNCTIONS, BuiltinError
from mayfly.mangle.check._problems import Problems, nearest

_PAIRED = {"fn:struct": "{ /key: value, … }", "fn:map": "[ key: value, … ]"}


def premise_terms(premise: Premise) -> tuple[Term, ...]:
    """Return the terms of a premise."""
    if isinstance(premise, Atom):
        return premise.arguments
    if isinstance(premise, Negation):
        return premise.atom.arguments
    if isinstance(premise, Equality):
        return (premise.left, premise.right)
    return premise.atom.arguments


def check_functions(clause: Clause, problems: Problems) -> None:
    """Report unknown functions and wrong numbers of arguments.

    The language looks at those of a head, and of premises with a time, only when they are evaluated: hence the stage.
    """
    for premise in clause.premises or ():
        stage: Stage = "analyze" if isinstance(premise, Atom | Negation | Equality) else "eval"
        for term in premise_terms(premise):
            check_term(term, problems, in_head=False, stage=stage)
    for transform in clause.transforms:
        for function in (transform.do, *(let.function for let in transform.lets)):
            if function is not None:
                check_term(function, problems, in_head=False)
    if clause.premises is not None:
        for term in clause.head.arguments:
            check_term(term, problems, in_head=True, stage="eval")


def check_term(term: Term, problems: Problems, *, in_head: bool, stage: Stage = "analyze") -> None:
    """Report what is wrong with the functions of one term."""
    for application in _applications(term):
        fault = _fault(application, in_head=in_head)
        if fault is not None:
            problems.add(fault[0], place=application.place, fix=fault[1], stage=stage)


def evaluate_fact(clause: Clause) -> Row:
    """Return the row of a fact, its functions evaluated; raise what goes wrong as an error of the analysis."""
    return tuple(evaluate(term) for term in clause.head.arguments)


def _applications(term: Term) -> Iterator[Apply]:
    if isinstance(term, Apply):
        for argument in term.arguments:
            yield from _applications(argument)
        yield term


def _fault(application: Apply, *, in_head: bool) -> tuple[str, str | None] | None:
    name, given = application.function, len(application.arguments)
    function = FUNCTIONS.get(name)
    if function is None or (function.head_only and not in_head):
        return _unknown(name)
    if function.arity is not None and function.arity != given:
        return f"{name} takes {function.arity} argument{'s' * (function.arity != 1)}, not {given}", _wrong_count(name)
    if given < function.minimum:
        return f"{name} takes at least {function.minimum} argument{'s' * (function.minimum != 1)}", None
    if name in _PAIRED and given % 2:
        return f"a key of {name} has no value", f"write {_PAIRED[name]}"
    return None


def _wrong_count(name: str) -> str | None:
    return "write fn:count() for the number of rows" if name == "fn:count" else None


def _unknown(name: str) -> tuple[str, str | None]:
    similar = nearest(name, [known for known, function in FUNCTIONS.items() if not function.head_only])
    if name in FUNCTIONS:
        return f"{name} can be used in the head of a rule only", None
    return f"there is no function {name}", f"did you mean {similar}?" if similar else None


def evaluate(term: Term) -> Value:
    """Return the value of a term without variables; raise what goes wrong as an error of the analysis."""
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Variable):
        raise MangleError(f"a fact has no variables, found {term.name}", stage="analyze", place=term.place)
    arguments = [evaluate(argument) for argument in term.arguments]
    function = FUNCTIONS.get(term.function)
    if function is None:
        message, fix = _unknown(term.function)
        raise MangleError(message, stage="analyze", place=term.place, fix=fix)
    try:
        return function.taking(len(arguments))(*arguments)
    except BuiltinError as error:
        raise _failed(term, str(error), term.place) from None


def _failed(term: Term, why: str, place: Place) -> MangleError:
    return MangleError(f"{show_term(term)} has no value: {why}", stage="analyze", place=place)
