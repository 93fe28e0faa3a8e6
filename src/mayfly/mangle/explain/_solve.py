"""Interpret premises and rules over a finished model, one binding at a time.

This knows nothing of how the engine computes: it only looks facts up. Explanations are made with it, and tests use it
as the independent check of what the engine says.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mayfly.mangle._ast import Apply, Atom, Constant, Equality, Negation, Premise, Symbol, Term
from mayfly.mangle._checked import CheckedRule, DeclaredPredicate
from mayfly.mangle._errors import MangleError
from mayfly.mangle._evaluate import known_value, value_of
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import PREDICATES, BuiltinError, Predicate
from mayfly.mangle.engine import External, Model
from mayfly.mangle.engine._aggregate import grouping
from mayfly.mangle.engine._order import named
from mayfly.mangle.explain._terms import Bindings, extend, pattern, variables


def solve(model: Model, premises: Sequence[Premise], bindings: Bindings | None = None) -> Iterator[Bindings]:
    """Yield every way to make all premises true, from left to right, each once; what is bound already stays bound."""
    first: Bindings = {} if bindings is None else bindings
    if not premises:
        yield first
        return
    stack = [step(model, premises[0], first)]
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
        elif len(stack) == len(premises):
            yield found
        else:
            stack.append(step(model, premises[len(stack)], found))


def step(model: Model, premise: Premise, bindings: Bindings) -> Iterator[Bindings]:
    """Yield every extension of the bindings that makes one premise true; a function that fails makes nothing true."""
    try:
        yield from try_step(model, premise, bindings)
    except BuiltinError:
        return


def try_step(model: Model, premise: Premise, bindings: Bindings) -> Iterator[Bindings]:
    """Do as `step` does, but raise BuiltinError when a function fails."""
    if isinstance(premise, Atom):
        yield from _distinct(premise.arguments, rows_for(model, premise, bindings), bindings)
    elif isinstance(premise, Negation):
        if next(rows_for(model, premise.atom, bindings), None) is None:
            yield bindings
    elif isinstance(premise, Equality):
        yield from _equality(premise, bindings)
    else:
        raise MangleError("a premise with a time cannot be explained", stage="eval", place=premise.place)


def rows_for(model: Model, atom: Atom, bindings: Bindings) -> Iterator[Row]:
    """Yield the rows that make an atom true, oldest first: facts, or what a computed predicate says of its inputs."""
    builtin = PREDICATES.get(atom.symbol)
    declared = model.program.checked.declared.get(atom.symbol)
    rows: Iterable[Row]
    if builtin is not None:
        rows = _builtin_rows(builtin, atom, bindings)
    elif declared is not None and declared.deferred:
        rows = (head_row for _, _, head_row in by_rules(model, pattern(atom, bindings)))
    elif declared is not None and declared.external:
        rows = answers(model, declared, pattern(atom, bindings))
    else:
        rows = model.match(pattern(atom, bindings))
    for row in rows:
        if extend(atom.arguments, row, bindings) is not None:
            yield row


def _builtin_rows(builtin: Predicate, atom: Atom, bindings: Bindings) -> Iterator[Row]:
    inputs = (term for term, mode in zip(atom.arguments, builtin.modes, strict=True) if mode != "-")
    known = [known_value(term, bindings) for term in inputs]
    if builtin.solve is None:
        if builtin.test is not None and builtin.test(*known):
            yield tuple(known)
        return
    for outputs in builtin.solve(*known):
        given, made = iter(known), iter(outputs)
        yield tuple(next(made if mode == "-" else given) for mode in builtin.modes)


def by_rules(model: Model, asked: Atom) -> Iterator[tuple[int, Bindings, Row]]:
    """Yield what the rules of a deferred predicate make of a question: the rule's number, its bindings, the row."""
    try:
        for rule in model.program.checked.rules:
            known = start(rule, asked) if rule.head.symbol == asked.symbol else None
            if known is None or isinstance(known, Clash):
                continue
            for bindings in transformed(rule, tuple(solve(model, rule.premises, known))):
                yield rule.number, bindings, head_row(rule, bindings)
    except RecursionError as error:
        raise BuiltinError(f"the rules of {asked.predicate} call each other too deep") from error


def _distinct(arguments: Sequence[Term], rows: Iterator[Row], bindings: Bindings) -> Iterator[Bindings]:
    seen: set[tuple[Value, ...]] = set()
    names = [name for argument in arguments for name in variables(argument) if name not in bindings]
    for row in rows:
        found = extend(arguments, row, bindings)
        if found is not None and (key := tuple(found[name] for name in names if name in found)) not in seen:
            seen.add(key)
            yield found


def _equality(premise: Equality, bindings: Bindings) -> Iterator[Bindings]:
    left, right = value_of(premise.left, bindings), value_of(premise.right, bindings)
    if premise.negated:
        if left is not None and right is not None and left != right:
            yield bindings
        return
    term, value = (premise.left, right) if left is None else (premise.right, left)
    found = None if value is None else extend((term,), (value,), bindings)
    if found is not None:
        yield found


class Clash(NamedTuple):
    """The column (from 0) in which a head can never be the goal, with what each of them says."""

    column: int
    head: Value
    goal: Value


def start(rule: CheckedRule, goal: Atom) -> Bindings | Clash:
    """Return what the goal says of the variables of a rule's body, or where the head clashes with it."""
    made = {let.variable.name for let in rule.transform.lets} if rule.transform else set()
    found: dict[str, Value] = {}
    for column, (argument, asked) in enumerate(zip(rule.head.arguments, goal.arguments, strict=True)):
        value = value_of(asked, {})
        if value is None or isinstance(argument, Apply):
            continue
        if isinstance(argument, Constant):
            known: Value = argument.value
        elif argument.name in made:
            continue
        else:
            known = found.setdefault(argument.name, value)
        if known != value:
            return Clash(column, known, value)
    return found


def transformed(rule: CheckedRule, rows: tuple[Bindings, ...]) -> Iterator[Bindings]:
    """Yield the bindings after a rule's transform, given all bindings of its body; a function that fails raises."""
    if rule.transform is None:
        yield from rows
    elif rule.transform.do is None:
        for row in rows:
            found = dict(row)
            for let in rule.transform.lets:
                found[let.variable.name] = known_value(let.function, found)
            found.pop("_", None)
            yield found
    else:
        grouped = grouping(rule, named(rule))
        members = [tuple(row[name] for name in grouped.names) for row in rows]
        for key, group in grouped.groups(members).items():
            yield grouped.reduced(key, group)


def head_row(rule: CheckedRule, bindings: Bindings) -> Row:
    """Return the row a rule's head stands for."""
    return tuple(known_value(argument, bindings) for argument in rule.head.arguments)


def told(model: Model) -> Iterator[tuple[Symbol, Row]]:
    """Yield the facts of the call."""
    asked = externals(model)
    for symbol, row in model.facts():
        origin = model.origin(symbol, row)
        if origin is not None and origin.rule is None and origin.place is None and symbol not in asked:
            yield symbol, row


def externals(model: Model) -> Mapping[Symbol, External]:
    """Return the external predicates of the call."""
    run = model._run
    return {run.layout.symbols[number]: external for number, external in (run.externals or {}).items()}


def recorded(model: Model) -> bool:
    """Say whether the evaluation kept derivations."""
    return model._run._record


def answers(model: Model, declared: DeclaredPredicate, asked: Atom) -> Iterable[Row]:
    """Return the rows of an external predicate: those the evaluation saw, or else what it answers now."""
    rows = model.match(asked)
    external = externals(model).get(declared.symbol)
    known = tuple(value_of(argument, {}) for argument in asked.arguments)
    if rows or external is None or not _may_be_asked(declared, [value is not None for value in known]):
        return rows
    try:
        return list(external(known))
    except MangleError:
        raise
    except Exception as error:
        raise MangleError(f"the external predicate {declared.symbol} failed: {error}", stage="eval") from error


def _may_be_asked(declared: DeclaredPredicate, known: list[bool]) -> bool:
    """Say whether every input of one of the declared modes is known."""
    return not declared.modes or any(
        all(given or mode != "+" for given, mode in zip(known, modes, strict=True)) for modes in declared.modes
    )
