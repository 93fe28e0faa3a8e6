"""Call builtins by name, as the engine does."""

from collections.abc import Sequence

import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins import FUNCTIONS, PREDICATES, REDUCERS, BuiltinError, Predicate

LARGEST = 2**63 - 1
SMALLEST = -(2**63)


def call(name: str, *arguments: Value) -> Value:
    return FUNCTIONS[name].taking(len(arguments))(*arguments)


def refusal(name: str, *arguments: Value) -> str:
    with pytest.raises(BuiltinError) as caught:
        call(name, *arguments)
    return str(caught.value)


def reduced(name: str, *rows: Row) -> Value:
    return REDUCERS[name].reduce(rows)


def predicate(name: str) -> Predicate:
    [found] = [entry for symbol, entry in PREDICATES.items() if symbol.name == name]
    assert found.symbol == Symbol(name, len(found.modes))
    return found


def holds(name: str, *values: Value) -> bool:
    test = predicate(name).test
    assert test is not None
    return test(*values)


def solutions(name: str, *inputs: Value) -> Sequence[Row]:
    solve = predicate(name).solve
    assert solve is not None
    return list(solve(*inputs))
