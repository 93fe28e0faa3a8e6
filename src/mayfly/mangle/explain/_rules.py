"""Apply one rule: from a goal to what its body must satisfy, and from the body's bindings to the rows of its head."""

from collections.abc import Iterator
from typing import NamedTuple

from mayfly.mangle._ast import Apply, Atom, Constant, Let
from mayfly.mangle._checked import Rule
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import REDUCERS, BuiltinError
from mayfly.mangle.explain._terms import Bindings, value_of, variables


class Clash(NamedTuple):
    """The column (from 0) in which a head can never be the goal, with what each of them says."""

    column: int
    head: Value
    goal: Value


def start(rule: Rule, goal: Atom) -> Bindings | Clash:
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


def transformed(rule: Rule, rows: tuple[Bindings, ...]) -> Iterator[Bindings]:
    """Yield the bindings after a rule's transform, given all bindings of its body; a function that fails raises."""
    if rule.transform is None:
        yield from rows
    elif rule.transform.do is None:
        for row in rows:
            yield _let_all(rule.transform.lets, row, (row,))
    else:
        keys = [name for term in rule.transform.do.arguments for name in variables(term)]
        groups: dict[tuple[Value, ...], list[Bindings]] = {}
        for row in rows:
            groups.setdefault(tuple(row[key] for key in keys), []).append(row)
        for values, group in groups.items():
            yield _let_all(rule.transform.lets, dict(zip(keys, values, strict=True)), tuple(group))


def _let_all(lets: tuple[Let, ...], start: Bindings, group: tuple[Bindings, ...]) -> Bindings:
    found = dict(start)
    for let in lets:
        reducer = REDUCERS.get(let.function.function)
        if reducer is None:
            value = value_of(let.function, found)
        else:
            value = reducer.reduce(_arguments(let, group, skip=reducer.skips_failures))
        if value is None:
            raise BuiltinError(f"{let.function.function} needs a value that nothing before it gives")
        if let.variable.name != "_":
            found[let.variable.name] = value
    return found


def _arguments(let: Let, group: tuple[Bindings, ...], *, skip: bool) -> list[Row]:
    """Return what a reducer reduces: its arguments for each row of the group."""
    rows: list[Row] = []
    for bindings in group:
        try:
            values = [value_of(term, bindings) for term in let.function.arguments]
        except BuiltinError:
            if not skip:
                raise
            continue
        rows.append(tuple(value for value in values if value is not None))
    return rows


def head_row(rule: Rule, bindings: Bindings) -> Row:
    """Return the row a rule's head stands for."""
    values = [value_of(argument, bindings) for argument in rule.head.arguments]
    if any(value is None for value in values):
        raise BuiltinError("a variable of the head has no value")
    return tuple(value for value in values if value is not None)
