"""Predicates that take a value apart; what does not have the shape has no solution and is no error."""

from collections.abc import Iterator
from typing import Final

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import List, Map, Pair, Row, Struct, Value
from mayfly.mangle.builtins._arguments import as_list
from mayfly.mangle.builtins._entries import Predicate
from mayfly.mangle.builtins._error import BuiltinError


def _pair(value: Value) -> Iterator[Row]:
    if isinstance(value, Pair):
        yield value.held


def _cons(value: Value) -> Iterator[Row]:
    if isinstance(value, List) and value.held:
        yield value.held[0], List(value.held[1:])


def _nil(value: Value) -> bool:
    return isinstance(value, List) and not value.held


def _entry(value: Value, key: Value) -> Iterator[Row]:
    if isinstance(value, Map):
        yield from _found(value.held, key)


def _field(value: Value, label: Value) -> Iterator[Row]:
    if isinstance(value, Struct):
        yield from _found(value.held, label)


def _found(entries: tuple[tuple[Value, Value], ...], sought: Value) -> Iterator[Row]:
    for key, value in entries:
        if key == sought:
            yield (value,)
            return


def _member(value: Value) -> Iterator[Row]:
    if isinstance(value, List):
        for item in value.held:
            yield (item,)


def _has_entry(value: Value, key: Value, sought: Value) -> bool:
    return (sought,) in _entry(value, key)


def _has_field(value: Value, label: Value, sought: Value) -> bool:
    return (sought,) in _field(value, label)


def _has_member(item: Value, value: Value) -> bool:
    return item in as_list(":list:member", value)


def _no_bound_pair(*_: Value) -> bool:
    raise BuiltinError(":match_pair needs free variables for both parts of the pair")


def _no_bound_cons(*_: Value) -> bool:
    raise BuiltinError(":match_cons needs free variables for the head and the tail of the list")


MATCHERS: Final = (
    Predicate(
        symbol=Symbol(":match_pair", 3),
        modes=("+", "-", "-"),
        solve=_pair,
        holds=_no_bound_pair,
        doc="The first is a pair; binds both parts.",
    ),
    Predicate(
        symbol=Symbol(":match_cons", 3),
        modes=("+", "-", "-"),
        solve=_cons,
        holds=_no_bound_cons,
        doc="The first is a list that is not empty; binds its first item and the list of the others.",
    ),
    Predicate(symbol=Symbol(":match_nil", 1), modes=("+",), test=_nil, doc="The value is the empty list."),
    Predicate(
        symbol=Symbol(":match_entry", 3),
        modes=("+", "+", "-"),
        solve=_entry,
        holds=_has_entry,
        doc="The first is a map that has the second as a key; binds the value.",
    ),
    Predicate(
        symbol=Symbol(":match_field", 3),
        modes=("+", "+", "-"),
        solve=_field,
        holds=_has_field,
        doc="The first is a struct that has the second as a label; binds the value.",
    ),
    Predicate(
        symbol=Symbol(":list:member", 2),
        modes=("-", "+"),
        solve=_member,
        holds=_has_member,
        doc="Binds the first to each item of the list in turn.",
    ),
)
