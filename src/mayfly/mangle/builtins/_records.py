"""Build and read pairs, tuples, maps and structs."""

from collections.abc import Iterable, Iterator
from typing import Final

from mayfly.mangle._values import List, Map, Pair, Struct, Value, make_map, make_struct
from mayfly.mangle.builtins._arguments import describe, unfit
from mayfly.mangle.builtins._entries import Function
from mayfly.mangle.builtins._error import BuiltinError
from mayfly.mangle.builtins._limits import checked


def _pair(first: Value, second: Value) -> Value:
    return checked("fn:pair", Pair((first, second)))


def make_tuple(builtin: str, values: tuple[Value, ...]) -> Value:
    """Return one value as it is, two as a pair, and more as a pair of the first and the tuple of the rest."""
    if not values:
        raise BuiltinError(f"{builtin} needs at least 1 argument")
    *before, nested = values
    for value in reversed(before):
        nested = Pair((value, nested))
    return checked(builtin, nested) if isinstance(nested, Pair) else nested


def _tuple(*values: Value) -> Value:
    return make_tuple("fn:tuple", values)


def _map(*arguments: Value) -> Value:
    return make_map(_couples("fn:map", arguments))


def _struct(*arguments: Value) -> Value:
    return make_struct(_couples("fn:struct", arguments))


def _couples(builtin: str, arguments: tuple[Value, ...]) -> Iterator[tuple[Value, Value]]:
    if len(arguments) % 2:
        raise BuiltinError(f"{builtin} needs a value for each key, got {len(arguments)} arguments")
    # Before they are put into order, which would walk over all of a value that is too large.
    checked(builtin, List(arguments))
    return zip(arguments[::2], arguments[1::2], strict=True)


def _map_get(value: Value, key: Value) -> Value:
    if not isinstance(value, Map):
        raise unfit("fn:map:get", "a map", value)
    return _found("fn:map:get", value.held, key)


def _struct_get(value: Value, label: Value) -> Value:
    if not isinstance(value, Struct):
        raise unfit("fn:struct:get", "a struct", value)
    return _found("fn:struct:get", value.held, label)


def _found(builtin: str, entries: Iterable[tuple[Value, Value]], sought: Value) -> Value:
    for key, value in entries:
        if key == sought:
            return value
    raise BuiltinError(f"{builtin} found no entry for {describe(sought)}")


RECORD_FUNCTIONS: Final = (
    Function(name="fn:pair", arity=2, call=_pair, doc="The pair of two values."),
    Function(
        name="fn:tuple",
        arity=None,
        call=_tuple,
        doc="One value as it is, two as a pair, more as pairs nested to the right.",
    ),
    Function(
        name="fn:map",
        arity=None,
        call=_map,
        doc="The map of keys and values, given in turn; also written [K: V].",
    ),
    Function(
        name="fn:struct",
        arity=None,
        call=_struct,
        doc="The struct of labels and values, given in turn; also written {/label: V}.",
    ),
    Function(
        name="fn:map:get",
        arity=2,
        call=_map_get,
        head_only=True,
        doc="The value of a key of a map, an error if there is none; in heads only, bodies use :match_entry.",
    ),
    Function(
        name="fn:struct:get",
        arity=2,
        call=_struct_get,
        doc="The value of a label of a struct; an error if there is none.",
    ),
)
