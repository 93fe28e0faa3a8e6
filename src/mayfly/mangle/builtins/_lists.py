"""Build and read lists."""

from typing import Final

from mayfly.mangle._values import FALSE, TRUE, List, Value
from mayfly.mangle.builtins._arguments import as_list, as_number
from mayfly.mangle.builtins._entries import Function
from mayfly.mangle.builtins._error import BuiltinError
from mayfly.mangle.builtins._limits import check_count, checked


def _list(*items: Value) -> Value:
    return checked("fn:list", List(items))


def _append(value: Value, item: Value) -> Value:
    items = as_list("fn:list:append", value)
    check_count("fn:list:append", len(items) + 1)
    return checked("fn:list:append", List((*items, item)))


def _cons(item: Value, value: Value) -> Value:
    items = as_list("fn:list:cons", value)
    check_count("fn:list:cons", len(items) + 1)
    return checked("fn:list:cons", List((item, *items)))


def _len(value: Value) -> Value:
    return len(as_list("fn:list:len", value))


def _get(value: Value, index: Value) -> Value:
    place = as_number("fn:list:get", index)
    items = as_list("fn:list:get", value)
    if 0 <= place < len(items):
        return items[place]
    raise BuiltinError(f"fn:list:get has no item {place} in a list of {len(items)}; the first item is 0")


def _contains(value: Value, item: Value) -> Value:
    return TRUE if item in as_list("fn:list:contains", value) else FALSE


LIST_FUNCTIONS: Final = (
    Function(name="fn:list", arity=None, call=_list, doc="The list of the arguments; also written [X, Y]."),
    Function(name="fn:list:append", arity=2, call=_append, doc="A list with one more item at its end."),
    Function(name="fn:list:cons", arity=2, call=_cons, doc="One item put before a list."),
    Function(name="fn:list:len", arity=1, call=_len, doc="How many items a list has."),
    Function(
        name="fn:list:get",
        arity=2,
        call=_get,
        doc="The item at a place of a list, counted from 0; an error if there is none.",
    ),
    Function(
        name="fn:list:contains",
        arity=2,
        call=_contains,
        doc="/true if the second argument is in the list, else /false.",
    ),
)
