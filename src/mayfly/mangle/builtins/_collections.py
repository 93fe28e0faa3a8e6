"""Build and read lists, pairs, tuples, maps and structs, and take them apart by predicates."""

from collections.abc import Iterable, Iterator
from typing import Final

from mayfly.mangle._values import FALSE, TRUE, List, Map, Pair, Row, Struct, Value, make_map, make_struct
from mayfly.mangle.builtins._entries import (
    ANY,
    BOOLEAN,
    LIST,
    MAP,
    NUMBER,
    PAIR,
    Functions,
    Predicates,
    describe,
    read_value,
    unfit,
)
from mayfly.mangle.builtins._limits import BuiltinError, check_count, checked

COLLECTION_FUNCTIONS: Final = Functions()
MATCHERS: Final = Predicates()


@COLLECTION_FUNCTIONS.variadic("fn:list", "The list of the arguments; also written [X, Y].", LIST)
def _list(*items: Value) -> Value:
    return checked("fn:list", List(items))


@COLLECTION_FUNCTIONS.add("fn:list:append", "A list with one more item at its end.", LIST, LIST, "X")
def _append(items: Row, item: Value) -> Value:
    check_count("fn:list:append", len(items) + 1)
    return checked("fn:list:append", List((*items, item)))


@COLLECTION_FUNCTIONS.add("fn:list:cons", "One item put before a list.", LIST, "X", LIST)
def _cons(item: Value, items: Row) -> Value:
    check_count("fn:list:cons", len(items) + 1)
    return checked("fn:list:cons", List((item, *items)))


@COLLECTION_FUNCTIONS.add("fn:list:len", "How many items a list has.", NUMBER, LIST)
def _len(items: Row) -> Value:
    return len(items)


@COLLECTION_FUNCTIONS.add(
    "fn:list:get", "The item at a place of a list, counted from 0; an error if there is none.", "X", LIST, NUMBER
)
def _get(items: Row, place: int) -> Value:
    if 0 <= place < len(items):
        return items[place]
    raise BuiltinError(f"fn:list:get has no item {place} in a list of {len(items)}; the first item is 0")


@COLLECTION_FUNCTIONS.add(
    "fn:list:contains", "/true if the second argument is in the list, else /false.", BOOLEAN, LIST, "X"
)
def _contains(items: Row, item: Value) -> Value:
    return TRUE if item in items else FALSE


@COLLECTION_FUNCTIONS.add("fn:pair", "The pair of two values.", PAIR, "X", "Y")
def _pair(first: Value, second: Value) -> Value:
    return checked("fn:pair", Pair((first, second)))


@COLLECTION_FUNCTIONS.variadic(
    "fn:tuple", "One value as it is, two as a pair, more as pairs nested to the right.", None
)
def _tuple(*values: Value) -> Value:
    return make_tuple("fn:tuple", values)


def make_tuple(builtin: str, values: tuple[Value, ...]) -> Value:
    """Return one value as it is, two as a pair, and more as a pair of the first and the tuple of the rest."""
    if not values:
        raise BuiltinError(f"{builtin} needs at least 1 argument")
    *before, nested = values
    for value in reversed(before):
        nested = Pair((value, nested))
    return checked(builtin, nested) if isinstance(nested, Pair) else nested


@COLLECTION_FUNCTIONS.variadic("fn:map", "The map of keys and values, given in turn; also written [K: V].", None)
def _map(*arguments: Value) -> Value:
    return make_map(_couples("fn:map", arguments))


@COLLECTION_FUNCTIONS.variadic(
    "fn:struct", "The struct of labels and values, given in turn; also written {/label: V}.", None
)
def _struct(*arguments: Value) -> Value:
    return make_struct(_couples("fn:struct", arguments))


def _couples(builtin: str, arguments: tuple[Value, ...]) -> Iterator[tuple[Value, Value]]:
    if len(arguments) % 2:
        raise BuiltinError(f"{builtin} needs a value for each key, got {len(arguments)} arguments")
    # Before they are put into order, which would walk over all of a value that is too large.
    checked(builtin, List(arguments))
    return zip(arguments[::2], arguments[1::2], strict=True)


@COLLECTION_FUNCTIONS.add(
    "fn:map:get",
    "The value of a key of a map, an error if there is none; in heads only, bodies use :match_entry.",
    *("Y", MAP, "X"),
    head_only=True,
)
def _map_get(entries: Iterable[tuple[Value, Value]], key: Value) -> Value:
    return _value_at("fn:map:get", entries, key)


@COLLECTION_FUNCTIONS.add(
    "fn:struct:get", "The value of a label of a struct; an error if there is none.", ANY, ANY, ANY
)
def _struct_get(value: Value, label: Value) -> Value:
    if not isinstance(value, Struct):
        raise unfit("fn:struct:get", "a struct", value)
    return _value_at("fn:struct:get", value.held, label)


def _value_at(builtin: str, entries: Iterable[tuple[Value, Value]], sought: Value) -> Value:
    for (value,) in _found(entries, sought):
        return value
    raise BuiltinError(f"{builtin} found no entry for {describe(sought)}")


def _found(entries: Iterable[tuple[Value, Value]], sought: Value) -> Iterator[tuple[Value]]:
    for key, value in entries:
        if key == sought:
            yield (value,)
            return


# What does not have the shape that a matcher looks for has no solution and is no error.
def _match_pair(value: Value) -> Iterator[Row]:
    if isinstance(value, Pair):
        yield value.held


def _match_cons(value: Value) -> Iterator[Row]:
    if isinstance(value, List) and value.held:
        yield value.held[0], List(value.held[1:])


def _match_entry(value: Value, key: Value) -> Iterator[Row]:
    if isinstance(value, Map):
        yield from _found(value.held, key)


def _match_field(value: Value, label: Value) -> Iterator[Row]:
    if isinstance(value, Struct):
        yield from _found(value.held, label)


def _match_member(value: Value) -> Iterator[Row]:
    for item in value.held if isinstance(value, List) else ():
        yield (item,)


def _has_entry(value: Value, key: Value, sought: Value) -> bool:
    return (sought,) in _match_entry(value, key)


def _has_field(value: Value, label: Value, sought: Value) -> bool:
    return (sought,) in _match_field(value, label)


def _has_member(item: Value, value: Value) -> bool:
    return item in read_value(":list:member", LIST, value)


def _no_bound_pair(*_: Value) -> bool:
    raise BuiltinError(":match_pair needs free variables for both parts of the pair")


def _no_bound_cons(*_: Value) -> bool:
    raise BuiltinError(":match_cons needs free variables for the head and the tail of the list")


@MATCHERS.add(":match_nil", "The value is the empty list.", LIST)
def _match_nil(value: Value) -> bool:
    return isinstance(value, List) and not value.held


MATCHERS.put(
    ":match_pair",
    "+--",
    (PAIR, "X", "Y"),
    solve=_match_pair,
    holds=_no_bound_pair,
    doc="The first is a pair; binds both parts.",
)
MATCHERS.put(
    ":match_cons",
    "+--",
    (LIST, "X", LIST),
    solve=_match_cons,
    holds=_no_bound_cons,
    doc="The first is a list that is not empty; binds its first item and the list of the others.",
)
MATCHERS.put(
    ":match_entry",
    "++-",
    (("fn:Map", ANY, ANY), ANY, ANY),
    solve=_match_entry,
    holds=_has_entry,
    doc="The first is a map that has the second as a key; binds the value.",
)
MATCHERS.put(
    ":match_field",
    "++-",
    (ANY, ANY, ANY),
    solve=_match_field,
    holds=_has_field,
    doc="The first is a struct that has the second as a label; binds the value.",
)
MATCHERS.put(
    ":list:member",
    "-+",
    ("X", LIST),
    solve=_match_member,
    holds=_has_member,
    doc="Binds the first to each item of the list in turn.",
)
