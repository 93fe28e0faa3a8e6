"""Check the functions of a clause and what follows `|>`."""

from collections.abc import Iterable, Iterator

from mayfly.mangle._ast import (
    Apply,
    Atom,
    Clause,
    Equality,
    Let,
    Negation,
    Term,
    Transform,
    Variable,
)
from mayfly.mangle._errors import Stage
from mayfly.mangle._evaluate import unknown_function
from mayfly.mangle._visit import all_variables, interval_variables, terms_of, variables
from mayfly.mangle.builtins import FUNCTIONS, REDUCERS, count_arguments
from mayfly.mangle.check._bindings import Bindings
from mayfly.mangle.check._problems import Problems
from mayfly.mangle.check._terms import WILDCARD

_PAIRED = {"fn:struct": "{ /key: value, … }", "fn:map": "[ key: value, … ]"}


def check_functions(clause: Clause, problems: Problems) -> None:
    """Report unknown functions and wrong numbers of arguments.

    The language looks at those of a head, and of premises with a time, only when they are evaluated: hence the stage.
    """
    for premise in clause.premises or ():
        stage: Stage = "analyze" if isinstance(premise, Atom | Negation | Equality) else "eval"
        for term in terms_of(premise):
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


def _applications(term: Term) -> Iterator[Apply]:
    if isinstance(term, Apply):
        for argument in term.arguments:
            yield from _applications(argument)
        yield term


def _fault(application: Apply, *, in_head: bool) -> tuple[str, str | None] | None:
    name, given = application.function, len(application.arguments)
    function = FUNCTIONS.get(name)
    if function is None or (function.head_only and not in_head):
        return unknown_function(name)
    if function.arity is not None and function.arity != given:
        fix = "write fn:count() for the number of rows" if name == "fn:count" else None
        return f"{name} takes {count_arguments(function.arity)}, not {given}", fix
    if given < function.minimum:
        return f"{name} takes at least {count_arguments(function.minimum)}", None
    if name in _PAIRED and given % 2:
        return f"a key of {name} has no value", f"write {_PAIRED[name]}"
    return None


GROUP_BY = "fn:group_by"


def defined_by(clause: Clause) -> set[str]:
    """Return the variables that the transform of a clause gives a value."""
    names = {let.variable.name for transform in clause.transforms[:1] for let in transform.lets}
    return names - {WILDCARD}


def check_transform(clause: Clause, bindings: Bindings, problems: Problems) -> None:
    """Report what is wrong with the transform of a rule, once its body has been followed."""
    if not clause.transforms:
        return
    if len(clause.transforms) > 1:
        problems.add(
            "a rule has one |> only",
            place=clause.transforms[1].place,
            fix="put all let behind the first |>, or give the second one a rule and a predicate of its own",
        )
        return
    transform = clause.transforms[0]
    _check_definitions(transform, bindings, problems)
    _check_uses(transform, bindings, problems)
    if transform.do is None:
        _check_lets(transform.lets, bindings, problems)
    elif transform.do.function != GROUP_BY:
        problems.add(
            f"do {transform.do.function}(…) is not supported",
            place=transform.do.place,
            fix="write do fn:group_by(…), or let X = … to compute without grouping",
        )
    else:
        _check_grouping(clause, transform, transform.do, problems)


def _check_definitions(transform: Transform, bindings: Bindings, problems: Problems) -> None:
    seen: set[str] = set()
    for let in transform.lets:
        name = let.variable.name
        if name in bindings.bound:
            problems.add(
                f"let gives {name} a value, but the body did already",
                place=let.variable.place,
                fix="use a new variable",
            )
        elif name in seen:
            problems.add(f"let gives {name} a value twice", place=let.variable.place, fix="use a new variable")
        if name != WILDCARD:
            seen.add(name)


def _functions(transform: Transform) -> Iterable[Apply]:
    return [*([transform.do] if transform.do is not None else []), *(let.function for let in transform.lets)]


def _check_uses(transform: Transform, bindings: Bindings, problems: Problems) -> None:
    defined = {let.variable.name for let in transform.lets} - {WILDCARD}
    for variable in all_variables(_functions(transform)):
        if not bindings.sees(variable.name) and variable.name not in defined:
            fix = "name the variable that is meant" if variable.name == WILDCARD else "use it in the body"
            problems.add(f"{variable.name} is not in the body of the rule", place=variable.place, fix=fix)


def _check_lets(lets: tuple[Let, ...], bindings: Bindings, problems: Problems) -> None:
    for number, let in enumerate(lets):
        name = let.function.function
        if name == GROUP_BY:
            problems.add("fn:group_by gives no value", place=let.place, fix="write do fn:group_by(…)")
        reducer = REDUCERS.get(name)
        if number and reducer is not None and reducer.arity == len(let.function.arguments):
            problems.add(
                f"{name} reduces the rows of a group, and there is no group",
                place=let.function.place,
                fix="put do fn:group_by(…) before it",
            )
    _check_order(lets, {let.variable.name for let in lets}, problems)


def _check_order(lets: tuple[Let, ...], defined: set[str], problems: Problems) -> None:
    """Report a value that is used before the let that gives it; the language finds it out when it evaluates."""
    known: set[str] = set()
    for let in lets:
        for variable in variables(let.function):
            if variable.name in defined and variable.name not in known:
                problems.add(
                    f"{variable.name} has no value yet in this let",
                    place=variable.place,
                    fix=f"put let {variable.name} = … before it",
                    stage="eval",
                )
        known.add(let.variable.name)


def _check_grouping(clause: Clause, transform: Transform, do: Apply, problems: Problems) -> None:
    keys = {term.name for term in do.arguments if isinstance(term, Variable)}
    if len(keys) != len(do.arguments):
        problems.add("fn:group_by takes variables, each once", place=do.place)
    known = set(keys)
    for let in transform.lets:
        if let.function.function == GROUP_BY:
            problems.add("fn:group_by gives no value", place=let.place, fix="write do fn:group_by(…) first")
        if let.function.function not in REDUCERS:
            _check_group_value(let, known, problems)
        known.add(let.variable.name)
    for variable in (*all_variables(clause.head.arguments), *interval_variables(clause.time)):
        if variable.name not in known:
            problems.add(
                f"{variable.name} in the head is neither a key of fn:group_by nor given by a let",
                place=variable.place,
                fix=f"add {variable.name} to fn:group_by(…), or reduce it: let … = fn:collect({variable.name})",
            )


def _check_group_value(let: Let, known: set[str], problems: Problems) -> None:
    for variable in variables(let.function):
        if variable.name not in known:
            problems.add(
                f"{variable.name} has many values in a group",
                place=variable.place,
                fix=f"add {variable.name} to fn:group_by(…), or reduce it first",
            )
