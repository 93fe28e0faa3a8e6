"""Check a program clause by clause and as a whole: from what was parsed to what can be evaluated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import time_ns
from types import MappingProxyType

from mayfly.mangle._ast import (
    Atom,
    Clause,
    Constant,
    Interval,
    Negation,
    Premise,
    Symbol,
    Term,
    Timed,
    Unit,
)
from mayfly.mangle._checked import CheckedProgram, CheckedRule, DeclaredPredicate, GivenFact
from mayfly.mangle._errors import MangleError
from mayfly.mangle._evaluate import evaluate
from mayfly.mangle._packages import resolve_packages
from mayfly.mangle._text import show_premise, show_row, show_term, show_value
from mayfly.mangle._values import Duration, Row, Time
from mayfly.mangle._visit import all_variables, atom_of, interval_variables
from mayfly.mangle.builtins import PREDICATES
from mayfly.mangle.check._bindings import Bindings, head_inputs
from mayfly.mangle.check._functions import check_functions, check_transform, defined_by
from mayfly.mangle.check._inference import check_types
from mayfly.mangle.check._known import KnownPredicates, package_of
from mayfly.mangle.check._order import Evaluation, PremiseStep, delay_negations, steps
from mayfly.mangle.check._problems import Problems
from mayfly.mangle.check._strata import check_temporal_recursion, stratify
from mayfly.mangle.check._terms import is_wildcard, shown
from mayfly.mangle.check._types import Test, show_type, test_of

_NOTHING: Mapping[Symbol, DeclaredPredicate] = MappingProxyType({})


def check_program(units: Sequence[Unit], *, extra: Mapping[Symbol, DeclaredPredicate] = _NOTHING) -> CheckedProgram:
    """Check a program and return it ready for evaluation, or raise everything that is wrong with it.

    *extra* are predicates that are known from elsewhere.
    An error of stage "analyze" means that the program makes no sense as it stands; "eval", that it could not be
    evaluated: a negation cycle, or a variable without a value.
    """
    declarations, clauses = resolve_packages(units)
    problems = Problems()
    known = KnownPredicates(declarations, clauses, extra, problems)
    given: list[GivenFact] = []
    rules: list[CheckedRule] = []
    written: list[CheckedRule] = []
    for clause in clauses:
        if clause.premises is None:
            fact = make_fact(clause, known, problems)
            given += [] if fact is None else [fact]
        else:
            rule = make_rule(len(rules), clause, known, problems)
            rules += [] if rule is None else [rule]
            written.append(rule or _as_written(clause))
    if not problems.hinder_analysis():
        check_temporal_recursion(rules, known, problems)
    check_types(rules, known, problems)
    problems.extend(islice(given_faults(known.all(), given), MOST_REPORTED))
    strata = stratify(written, problems)
    problems.raise_found()
    return CheckedProgram(declared=known.all(), given=tuple(given), rules=tuple(rules), strata=strata)


def _as_written(clause: Clause) -> CheckedRule:
    """Return a rule that did not pass the checks, so that a cycle through it is found all the same."""
    return CheckedRule(
        number=-1,
        head=clause.head,
        premises=clause.premises or (),
        transform=clause.transforms[0] if clause.transforms else None,
        clause=clause,
    )


def make_fact(clause: Clause, known: KnownPredicates, problems: Problems) -> GivenFact | None:
    """Check a fact and evaluate its functions; None when something is wrong with it."""
    symbol = clause.head.symbol
    declared = known.declared.get(symbol)
    row = tuple([term.value for term in clause.head.arguments if isinstance(term, Constant)])
    if clause.time is None and len(row) == symbol.arity and not (declared is not None and declared.temporal):
        # Most facts are like this, and there may be a million of them.
        return GivenFact(symbol=symbol, row=row, time=None, place=clause.place)
    found = Problems()
    _check_head_time(clause, known, found)
    for variable in (*all_variables(clause.head.arguments), *interval_variables(clause.time)):
        found.add(
            f"a fact has no variables, found {variable.name}",
            place=variable.place,
            fix="write a constant, or make it a rule whose body gives the variable a value",
        )
    if not found:
        try:
            row = tuple(evaluate(term, stage="analyze") for term in clause.head.arguments)
        except MangleError as error:
            found.extend([error])
        else:
            return GivenFact(symbol=symbol, row=row, time=_fixed(clause.time), place=clause.place)
    problems.merge(found)
    return None


def _fixed(time: Interval | None) -> Interval | None:
    """Return the time of a fact, `now` being when the program is loaded."""
    if time is None:
        return None
    now = Time(time_ns())
    start, end = (
        replace(bound, end=Constant(value=now, place=bound.place)) if isinstance(bound.end, str) else bound
        for bound in (time.start, time.end)
    )
    return replace(time, start=start, end=end)


def make_rule(number: int, clause: Clause, known: KnownPredicates, problems: Problems) -> CheckedRule | None:
    """Check a rule and put its premises in order; None when it makes no sense and the checks to come cannot use it."""
    found = Problems()
    _check_head_time(clause, known, found)
    declared = known.declared.get(clause.head.symbol)
    written = steps(clause.premises or ())
    ordered = delay_negations(written, head_inputs(clause.head, declared, "+", "?"), known)
    for step in ordered:
        _check_premise(step.written, clause, known, found)
    bindings = Bindings(clause, known, found)
    bindings.check([step.named for step in ordered], defined_by(clause))
    check_transform(clause, bindings, found)
    check_functions(clause, found)
    premises = () if found.hinder_analysis() else _evaluation_order(clause, ordered, known, found)
    problems.merge(found)
    if found.hinder_analysis():
        return None
    transform = clause.transforms[0] if clause.transforms else None
    return CheckedRule(number=number, head=clause.head, premises=premises, transform=transform, clause=clause)


def _evaluation_order(
    clause: Clause, ordered: list[PremiseStep], known: KnownPredicates, problems: Problems
) -> tuple[Premise, ...]:
    """Follow the evaluation itself, which knows nothing of inputs unless the predicate is deferred."""
    declared = known.get(clause.head.symbol)
    deferred = declared is not None and declared.deferred
    evaluation = Evaluation(known=known, bound=head_inputs(clause.head, declared, "+") if deferred else set())
    evaluation.run(ordered)
    for premise, variable in evaluation.stuck:
        problems.add(
            f"{shown(variable.name)} has no value yet when {show_premise(premise)} is evaluated",
            place=variable.place,
            fix="move it to the right of the atom that gives the value",
            stage="eval",
        )
    bound = evaluation.bound | defined_by(clause)
    for variable in (*all_variables(clause.head.arguments), *interval_variables(clause.time)):
        if variable.name not in bound and not evaluation.stuck:
            problems.add(
                f"{variable.name} has no value when the rule is evaluated: only a mode of the head names it",
                place=variable.place,
                fix=f"use {variable.name} in an atom of the body, or declare the predicate deferred()",
                stage="eval",
            )
    return tuple(step.written for step in evaluation.ordered)


def _check_head_time(clause: Clause, known: KnownPredicates, problems: Problems) -> None:
    declared, time = known.declared.get(clause.head.symbol), clause.time
    if declared is not None and declared.temporal and time is None:
        problems.add(
            f"{declared.symbol} is temporal but has no time here",
            place=clause.head.place,
            fix="add when it holds: @[start, end], or @[_, _] for always",
        )
    if time is not None:
        _check_interval(time, problems)


def _check_interval(time: Interval, problems: Problems) -> None:
    """Refuse an interval that no fact can have."""
    ends = [bound.end.value if isinstance(bound.end, Constant) else None for bound in (time.start, time.end)]
    if any(isinstance(end, Duration) for end in ends):
        problems.add(
            "a duration says how long, not when", place=time.place, fix="write a date, now or a variable", stage="eval"
        )
    start, end = ends
    if isinstance(start, Time) and isinstance(end, Time) and start.held > end.held:
        problems.add("the interval ends before it begins", place=time.place, fix="swap its ends", stage="eval")


def _check_premise(premise: Premise, clause: Clause, known: KnownPredicates, problems: Problems) -> None:
    atom = atom_of(premise)
    if atom is None:
        return
    declared = known.get(atom.symbol)
    if declared is None and atom.symbol not in PREDICATES:
        if isinstance(premise, Timed):
            # As in the language: what is asked for a time may be known from elsewhere, and else never holds.
            return
        message, fix = known.hint(atom.symbol)
        problems.add(message, place=atom.place, fix=fix)
        return
    if declared is None:
        _check_builtin(premise, atom, problems)
        return
    if declared.deferred and not declared.modes:
        problems.add(
            f"{atom.symbol} is deferred but no mode says what it needs to know",
            place=atom.place,
            fix='add a mode to its Decl, for example mode("+", "-")',
        )
    if isinstance(premise, Negation):
        if declared.deferred:
            problems.add(
                f"{atom.symbol} is deferred: its facts are never all known, so it cannot be negated",
                place=premise.place,
            )
    elif isinstance(premise, Atom) and declared.temporal:
        problems.add(
            f"{atom.symbol} is temporal and is asked without a time",
            place=atom.place,
            fix="say when: @[T], or sometime in the past week: <-[0d, 7d]",
        )
    elif isinstance(premise, Timed) and not declared.temporal:
        problems.add(
            f"{atom.symbol} is not temporal but is asked for a time", place=premise.place, fix="declare it `temporal`"
        )
    if declared.private and package_of(clause.head.predicate) != package_of(atom.predicate):
        problems.add(
            f"{atom.symbol} is private to its package", place=atom.place, fix="use a public predicate of that package"
        )


def _check_builtin(premise: Premise, atom: Atom, problems: Problems) -> None:
    if isinstance(premise, Timed):
        problems.add(f"{atom.predicate} is built in and has no time", place=premise.place)
    if not isinstance(premise, Negation):
        return
    for argument, mode in zip(atom.arguments, PREDICATES[atom.symbol].modes, strict=True):
        for variable in all_variables([argument]):
            if mode == "+" and is_wildcard(variable.name):
                problems.add(
                    f"the wildcard _ has no value, and {atom.predicate} needs one", place=variable.place, fix="name it"
                )


MOST_REPORTED = 20
_MOST_SHOWN = 20
_LONGEST = 200


def given_faults(declared: Mapping[Symbol, DeclaredPredicate], given: Iterable[GivenFact]) -> Iterator[MangleError]:
    """Yield an error for each fact of the source that is outside its declared types: it fits no alternative."""
    tests: dict[Symbol, list[list[Test]]] = {}
    for fact in given:
        about = declared.get(fact.symbol)
        if about is None or not about.bounds:
            continue
        if fact.symbol not in tests:
            tests[fact.symbol] = [list(map(test_of, bound)) for bound in about.bounds]
        if any(all(test(value) for test, value in zip(row, fact.row, strict=True)) for row in tests[fact.symbol]):
            continue
        yield MangleError(
            f"{_brief(show_row(fact.symbol, fact.row))} does not fit the declared types: {_explain(about, fact.row)}",
            stage="analyze",
            place=fact.place,
            fix=f"mend the value or the bound at {about.place}" if about.place else None,
        )


def _explain(declared: DeclaredPredicate, row: Row) -> str:
    if len(declared.bounds) == 1:
        for column, value, kind in zip(declared.columns, row, declared.bounds[0], strict=True):
            if not test_of(kind)(value):
                return f"{column} is {_brief(show_type(kind))}, not {_brief(show_value(value))}"
    return f"it must be one of {' or '.join(map(_shown, declared.bounds[:_MOST_SHOWN]))}"


def _brief(text: str) -> str:
    """Return a text, or the beginning of a long one."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _shown(bound: tuple[Term, ...]) -> str:
    return f"[{', '.join(map(show_term, bound))}]"
