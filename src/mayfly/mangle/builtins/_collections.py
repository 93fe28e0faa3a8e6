"""Build and read lists, pairs, tuples, maps and structs, and take them apart by predicates."""

from collections.abc import Iterable, Iterator
from operator import contains
from typing import Final

from mayfly.mangle._values import List, Map, Pair, Row, Struct, Value, make_map, make_struct
from mayfly.mangle.builtins._entries import (
    ANY,
    BOOLEAN,
    LIST,
    MAP,
    NUMBER,
    PAIR,
    by_name,
    by_symbol,
    describe,
    function,
    matcher,
    reader,
    unfit,
    variadic,
)
from mayfly.mangle.builtins._limits import BuiltinError, checked


def _item(items: Row, place: int) -> Value:
    if 0 <= place < len(items):
        return items[place]
    raise BuiltinError(f"fn:list:get has no item {place} in a list of {len(items)}; the first item is 0")


def make_tuple(builtin: str, values: tuple[Value, ...]) -> Value:
    """Return one value as it is, two as a pair, and more as a pair of the first and the tuple of the rest."""
    if not values:
        raise BuiltinError(f"{builtin} needs at least 1 argument")
    *before, nested = values
    for value in reversed(before):
        nested = Pair((value, nested))
    return checked(builtin, nested) if isinstance(nested, Pair) else nested


def _couples(builtin: str, arguments: tuple[Value, ...]) -> Iterator[tuple[Value, Value]]:
    if len(arguments) % 2:
        raise BuiltinError(f"{builtin} needs a value for each key, got {len(arguments)} arguments")
    # Before they are put into order, which would walk over all of a value that is too large.
    checked(builtin, List(arguments))
    return zip(arguments[::2], arguments[1::2], strict=True)


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


COLLECTION_FUNCTIONS: Final = by_name(
    variadic(
        "fn:list",
        "The list of the arguments; also written [X, Y].",
        lambda *items: checked("fn:list", List(items)),
        LIST,
    ),
    function(
        "fn:list:append",
        "A list with one more item at its end.",
        lambda items, item: (*items, item),
        *(LIST, LIST, "X"),
    ),
    function("fn:list:cons", "One item put before a list.", lambda item, items: (item, *items), LIST, "X", LIST),
    function("fn:list:len", "How many items a list has.", len, NUMBER, LIST),
    function(
        "fn:list:get",
        "The item at a place of a list, counted from 0; an error if there is none.",
        *(_item, "X", LIST, NUMBER),
    ),
    function(
        "fn:list:contains", "/true if the second argument is in the list, else /false.", contains, BOOLEAN, LIST, "X"
    ),
    function("fn:pair", "The pair of two values.", lambda *parts: parts, PAIR, "X", "Y"),
    variadic(
        "fn:tuple",
        "One value as it is, two as a pair, more as pairs nested to the right.",
        lambda *values: make_tuple("fn:tuple", values),
        None,
    ),
    variadic(
        "fn:map",
        "The map of keys and values, given in turn; also written [K: V].",
        lambda *arguments: make_map(_couples("fn:map", arguments)),
        None,
    ),
    variadic(
        "fn:struct",
        "The struct of labels and values, given in turn; also written {/label: V}.",
        lambda *arguments: make_struct(_couples("fn:struct", arguments)),
        None,
    ),
    function(
        "fn:map:get",
        "The value of a key of a map, an error if there is none; in heads only, bodies use :match_entry.",
        lambda entries, key: _value_at("fn:map:get", entries, key),
        *("Y", MAP, "X"),
        head_only=True,
    ),
    function(
        "fn:struct:get",
        "The value of a label of a struct; an error if there is none.",
        *(_struct_get, ANY, ANY, ANY),
    ),
)


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
    return item in _list_of(value)


_list_of = reader(":list:member", LIST)


def _no_bound_pair(*_: Value) -> bool:
    raise BuiltinError(":match_pair needs free variables for both parts of the pair")


def _no_bound_cons(*_: Value) -> bool:
    raise BuiltinError(":match_cons needs free variables for the head and the tail of the list")


def _match_nil(value: Value) -> bool:
    return isinstance(value, List) and not value.held


MATCHERS: Final = by_symbol(
    matcher(":match_nil", "The value is the empty list.", "+", (LIST,), test=_match_nil),
    matcher(
        ":match_pair",
        "The first is a pair; binds both parts.",
        *("+--", (PAIR, "X", "Y")),
        solve=_match_pair,
        holds=_no_bound_pair,
    ),
    matcher(
        ":match_cons",
        "The first is a list that is not empty; binds its first item and the list of the others.",
        *("+--", (LIST, "X", LIST)),
        solve=_match_cons,
        holds=_no_bound_cons,
    ),
    matcher(
        ":match_entry",
        "The first is a map that has the second as a key; binds the value.",
        *("++-", (("fn:Map", ANY, ANY), ANY, ANY)),
        solve=_match_entry,
        holds=_has_entry,
    ),
    matcher(
        ":match_field",
        "The first is a struct that has the second as a label; binds the value.",
        *("++-", (ANY, ANY, ANY)),
        solve=_match_field,
        holds=_has_field,
    ),
    matcher(
        ":list:member",
        "Binds the first to each item of the list in turn.",
        *("-+", ("X", LIST)),
        solve=_match_member,
        holds=_has_member,
    ),
)
