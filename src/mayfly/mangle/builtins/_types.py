"""Say which types the functions, reducers and predicates take and give, for the checks of declared bounds.

A type is written as plain data: a base type or a type variable is a text (`"/number"`, `"X"`), a constructed type is a
tuple of the constructor and its arguments (`("fn:List", "X")`). A function that takes any number of arguments and has
no common type for them is not listed: nothing can be said about it without looking at the call. The types are those
that evaluation accepts and gives; the reference's own table is narrower in places (numbers where floats are taken).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias, Union

from mayfly.mangle._symbols import Symbol

TypeExpression: TypeAlias = Union[str, "tuple[TypeExpression, ...]"]


class Signature(NamedTuple):
    """What a function takes and gives. A reducer's argument is the list of what its argument is in each row."""

    arguments: tuple[TypeExpression, ...]
    result: TypeExpression


ANY: Final = "/any"
NAME: Final = "/name"
STRING: Final = "/string"
NUMBER: Final = "/number"
FLOAT: Final = "/float64"
TIME: Final = "/time"
DURATION: Final = "/duration"
BOOLEAN: Final[TypeExpression] = ("fn:Union", ("fn:Singleton", "/true"), ("fn:Singleton", "/false"))
LIST: Final[TypeExpression] = ("fn:List", "X")
OPTION: Final[TypeExpression] = ("fn:Option", "X")
FLOAT_OR_NUMBER: Final[TypeExpression] = ("fn:Union", NUMBER, FLOAT)
PAIR: Final[TypeExpression] = ("fn:Pair", "X", "Y")


def _list(item: TypeExpression) -> TypeExpression:
    return ("fn:List", item)


def _signature(result: TypeExpression, *arguments: TypeExpression) -> Signature:
    return Signature(arguments, result)


_PLAIN: Final = {
    "fn:mod": _signature(NUMBER, NUMBER, NUMBER),
    "fn:sqrt": _signature(FLOAT, FLOAT_OR_NUMBER),
    "fn:list": _signature(LIST, "X"),
    "fn:list:get": _signature("X", LIST, NUMBER),
    "fn:list:contains": _signature(BOOLEAN, LIST, "X"),
    "fn:list:append": _signature(LIST, LIST, "X"),
    "fn:list:cons": _signature(LIST, "X", LIST),
    "fn:list:len": _signature(NUMBER, LIST),
    "fn:pair": _signature(PAIR, "X", "Y"),
    "fn:some": _signature(OPTION, "X"),
    "fn:map:get": _signature("Y", ("fn:Map", "X", "Y"), "X"),
    "fn:struct:get": _signature(ANY, ANY, ANY),
    "fn:string:concat": _signature(STRING, ANY),
    "fn:string:replace": _signature(STRING, STRING, STRING, STRING, NUMBER),
    "fn:number:to_string": _signature(STRING, NUMBER),
    "fn:float64:to_string": _signature(STRING, FLOAT),
    "fn:name:to_string": _signature(STRING, NAME),
    "fn:name:root": _signature(NAME, NAME),
    "fn:name:tip": _signature(NAME, NAME),
    "fn:name:list": _signature(_list(NAME), NAME),
}

_TIMES: Final = {
    "fn:time:now": _signature(TIME),
    "fn:time:add": _signature(TIME, TIME, DURATION),
    "fn:time:sub": _signature(DURATION, TIME, TIME),
    "fn:time:format": _signature(STRING, TIME, NAME),
    "fn:time:format_civil": _signature(STRING, TIME, STRING, NAME),
    "fn:time:parse_rfc3339": _signature(TIME, STRING),
    "fn:time:parse_civil": _signature(TIME, STRING, STRING),
    "fn:time:year": _signature(NUMBER, TIME),
    "fn:time:month": _signature(NUMBER, TIME),
    "fn:time:day": _signature(NUMBER, TIME),
    "fn:time:hour": _signature(NUMBER, TIME),
    "fn:time:minute": _signature(NUMBER, TIME),
    "fn:time:second": _signature(NUMBER, TIME),
    "fn:time:from_unix_nanos": _signature(TIME, NUMBER),
    "fn:time:to_unix_nanos": _signature(NUMBER, TIME),
    "fn:time:trunc": _signature(TIME, TIME, NAME),
    "fn:time:trunc_civil": _signature(TIME, TIME, STRING, NAME),
    "fn:duration:add": _signature(DURATION, DURATION, DURATION),
    "fn:duration:mult": _signature(DURATION, DURATION, NUMBER),
    "fn:duration:hours": _signature(FLOAT, DURATION),
    "fn:duration:minutes": _signature(FLOAT, DURATION),
    "fn:duration:seconds": _signature(FLOAT, DURATION),
    "fn:duration:nanos": _signature(NUMBER, DURATION),
    "fn:duration:from_nanos": _signature(DURATION, NUMBER),
    "fn:duration:from_hours": _signature(DURATION, FLOAT_OR_NUMBER),
    "fn:duration:from_minutes": _signature(DURATION, FLOAT_OR_NUMBER),
    "fn:duration:from_seconds": _signature(DURATION, FLOAT_OR_NUMBER),
    "fn:duration:parse": _signature(DURATION, STRING),
    "fn:interval:start": _signature("X", PAIR),
    "fn:interval:end": _signature("Y", PAIR),
    "fn:interval:duration": _signature(DURATION, ("fn:Pair", TIME, TIME)),
}

_REDUCERS: Final = {
    "fn:collect": _signature(LIST, LIST),
    "fn:collect_distinct": _signature(LIST, LIST),
    "fn:collect_to_map": _signature(("fn:Map", "X", "Y"), "X", "Y"),
    "fn:pick_any": _signature("X", LIST),
    "fn:count": _signature(NUMBER, LIST),
    "fn:avg": _signature(FLOAT, _list(FLOAT_OR_NUMBER)),
    "fn:max": _signature(NUMBER, _list(NUMBER)),
    "fn:min": _signature(NUMBER, _list(NUMBER)),
    "fn:sum": _signature(NUMBER, _list(NUMBER)),
    "fn:float:max": _signature(FLOAT, _list(FLOAT)),
    "fn:float:min": _signature(FLOAT, _list(FLOAT)),
    "fn:float:sum": _signature(FLOAT, _list(FLOAT)),
    "fn:duration:max": _signature(DURATION, _list(DURATION)),
    "fn:duration:min": _signature(DURATION, _list(DURATION)),
    "fn:duration:sum": _signature(DURATION, _list(DURATION)),
    "fn:time:max": _signature(TIME, _list(TIME)),
    "fn:time:min": _signature(TIME, _list(TIME)),
}

FUNCTION_TYPES: Final[Mapping[str, Signature]] = MappingProxyType(_PLAIN | _TIMES | _REDUCERS)
"""Name of a function or reducer to its types. The arithmetic of any number of arguments is in `ARITHMETIC_TYPES`."""

ARITHMETIC_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fn:plus": NUMBER,
        "fn:minus": NUMBER,
        "fn:mult": NUMBER,
        "fn:div": NUMBER,
        "fn:float:plus": FLOAT,
        "fn:float:mult": FLOAT,
        "fn:float:div": FLOAT,
    }
)
"""Name of an arithmetic function of any number of arguments to its result; floats also take numbers as arguments."""

# Not pairs of times: an interval that these predicates take apart is a pair of numbers.
_SPAN: Final[TypeExpression] = ("fn:Pair", NUMBER, NUMBER)
_COMPARED: Final = {"": NUMBER, "time:": TIME, "duration:": DURATION}
_ALLEN: Final = ("before", "after", "meets", "overlaps", "during", "contains", "starts", "finishes", "equals")

PREDICATE_TYPES: Final[Mapping[Symbol, tuple[TypeExpression, ...]]] = MappingProxyType(
    {
        Symbol(":match_prefix", 2): (NAME, NAME),
        Symbol(":string:starts_with", 2): (STRING, STRING),
        Symbol(":string:ends_with", 2): (STRING, STRING),
        Symbol(":string:contains", 2): (STRING, STRING),
        Symbol(":filter", 1): (BOOLEAN,),
        Symbol(":within_distance", 3): (NUMBER, NUMBER, NUMBER),
        Symbol(":match_nil", 1): (LIST,),
        Symbol(":match_cons", 3): (LIST, "X", LIST),
        Symbol(":match_pair", 3): (PAIR, "X", "Y"),
        Symbol(":match_entry", 3): (("fn:Map", ANY, ANY), ANY, ANY),
        Symbol(":match_field", 3): (ANY, ANY, ANY),
        Symbol(":list:member", 2): ("X", LIST),
        **{
            Symbol(f":{prefix}{order}", 2): (kind, kind)
            for prefix, kind in _COMPARED.items()
            for order in ("lt", "le", "gt", "ge")
        },
        **{Symbol(f":interval:{relation}", 2): (_SPAN, _SPAN) for relation in _ALLEN},
    }
)
"""Predicate to the type of each column."""
