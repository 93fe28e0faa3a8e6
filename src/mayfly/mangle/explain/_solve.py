"""Interpret premises over a finished model, one binding at a time.

This knows nothing of how the engine computes: it only looks facts up. Explanations are made with it, and tests use it
as the independent check of what the engine says.
"""

from collections.abc import Iterable, Iterator, Sequence

from mayfly.mangle._ast import Atom, Equality, Negation, Premise, Term
from mayfly.mangle._errors import MangleError
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import PREDICATES, BuiltinError, Predicate
from mayfly.mangle.engine import Model
from mayfly.mangle.explain._rules import Clash, head_row, start, transformed
from mayfly.mangle.explain._source import answers
from mayfly.mangle.explain._terms import Bindings, extend, pattern, value_of, variables


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
    values = [value_of(argument, bindings) for argument in atom.arguments]
    inputs = [value for value, mode in zip(values, builtin.modes, strict=True) if mode != "-"]
    known = [value for value in inputs if value is not None]
    if len(known) < len(inputs):
        raise BuiltinError(f"{atom.predicate} needs a value that nothing before it gives")
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
