"""Builtins as data: what a function, reducer or predicate takes and gives, and how it is computed.

A type is written as plain data: a base type or a type variable is a text (`"/number"`, `"X"`), a constructed type is a
tuple of the constructor and its arguments (`("fn:List", "X")`). The types are those that evaluation accepts and gives;
the reference's own table is narrower in places (numbers where floats are taken).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from operator import attrgetter
from typing import Any, Final, TypeAlias, Union

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import FALSE, TRUE, Duration, Float, List, Map, Name, Pair, Row, Struct, Time, Value, wrap
from mayfly.mangle.builtins._limits import BuiltinError, checked

TypeExpression: TypeAlias = Union[str, "tuple[TypeExpression, ...]"]

ANY: Final = "/any"
NAME: Final = "/name"
STRING: Final = "/string"
NUMBER: Final = "/number"
FLOAT: Final = "/float64"
TIME: Final = "/time"
DURATION: Final = "/duration"
BOOLEAN: Final[TypeExpression] = ("fn:Union", ("fn:Singleton", "/true"), ("fn:Singleton", "/false"))
FLOAT_OR_NUMBER: Final[TypeExpression] = ("fn:Union", NUMBER, FLOAT)
LIST: Final[TypeExpression] = ("fn:List", "X")
PAIR: Final[TypeExpression] = ("fn:Pair", "X", "Y")
MAP: Final[TypeExpression] = ("fn:Map", "X", "Y")

_LONGEST_SHOWN: Final = 40
_NAN: Final = Float(nan)
_KINDS: Final[dict[type, str]] = {
    Name: "the name",
    str: "the string",
    int: "the number",
    Float: "the float",
    bytes: "a byte string",
    Time: "a time",
    Duration: "a duration",
    List: "a list",
    Pair: "a pair",
    Map: "a map",
    Struct: "a struct",
}
_HELD: Final = attrgetter("held")
# By type, or by what constructs it: how a message names it, and which values are read in which way.
_ACCEPTED: Final[dict[TypeExpression, tuple[str, dict[type, Callable[[Any], Any]]]]] = {
    NUMBER: ("a number", {int: int}),
    FLOAT: ("a float", {Float: _HELD}),
    FLOAT_OR_NUMBER: ("a float or a number", {Float: _HELD, int: float}),
    STRING: ("a string", {str: str}),
    NAME: ("a name", {Name: attrgetter("text")}),
    TIME: ("a time", {Time: _HELD}),
    DURATION: ("a duration", {Duration: _HELD}),
    "fn:List": ("a list", {List: _HELD}),
    "fn:Pair": ("a pair", {Pair: _HELD}),
    "fn:Map": ("a map", {Map: _HELD}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of values, such as `fn:plus`."""

    name: str
    arity: int | None
    """How many arguments it takes; None means any number from `minimum` on."""
    call: Callable[..., Value]
    """Compute the value; takes exactly `arity` arguments and raises `BuiltinError`."""
    doc: str
    gives: TypeExpression | None
    """The type of its value; None when nothing can be said about it without looking at the call."""
    minimum: int = 0
    head_only: bool = False
    """Whether the checks let it stand in the head of a rule or fact only."""

    def taking(self, count: int) -> Callable[..., Value]:
        """Return what to call for *count* arguments: `call`, or for a wrong count a function that always raises.

        Heads are not checked for the number of arguments before they are evaluated.
        """
        if self.arity is None or self.arity == count:
            return self.call

        def refuse(*_: Value) -> Value:
            raise BuiltinError(f"{self.name} takes {count_arguments(self.arity or 0)}, got {count}")

        return refuse


def function(
    name: str,
    doc: str,
    compute: Callable[..., Any],
    gives: TypeExpression | None,
    *takes: TypeExpression,
    head_only: bool = False,
) -> Function:
    """Return a function of so many arguments, made of a plain Python one.

    Each argument is handed over as what its type holds (a list as a tuple, say), and the result is made a value of the
    type that it gives; a result of another type is a value already.
    """
    readers, make = [reader(name, kind) for kind in takes], maker(name, gives)

    def call(*values: Value) -> Value:
        return make(compute(*[read(value) for read, value in zip(readers, values, strict=True)]))

    return Function(name=name, arity=len(takes), call=call, doc=doc, gives=gives, head_only=head_only)


def variadic(
    name: str,
    doc: str,
    compute: Callable[..., Any],
    gives: TypeExpression | None,
    *,
    each: TypeExpression | None = None,
    least: int = 0,
) -> Function:
    """Return a function of any number of arguments: of the type *each*, or else one that reads and makes values itself.

    The commonest of all are of the second kind: there is no call for each argument.
    """
    if each is None:
        return Function(name=name, arity=None, call=compute, doc=doc, gives=gives)
    read, make = reader(name, each), maker(name, gives)

    def call(*values: Value) -> Value:
        if len(values) < least:
            raise BuiltinError(f"{name} needs at least {count_arguments(least)}")
        return make(compute(*map(read, values)))

    return Function(name=name, arity=None, call=call, doc=doc, gives=gives)


def by_name(*functions: Function) -> dict[str, Function]:
    """Return the table of some functions."""
    return {function.name: function for function in functions}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reducer:
    """A function of all rows of a group, such as `fn:sum`."""

    name: str
    arity: int | None
    """How many arguments it takes; None means any number from `minimum` on."""
    reduce: Callable[[Sequence[Row]], Value]
    """Compute the value from the argument tuples of the rows of one group, in order."""
    doc: str
    gives: TypeExpression
    minimum: int = 0
    skips_failures: bool = False
    """Whether a row whose arguments cannot be computed is left out instead of ending the evaluation; the arguments of
    all other reducers must be variables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A predicate that is computed, such as `:lt`."""

    symbol: Symbol
    modes: tuple[str, ...]
    """For each column "+" (must be bound) or "-" (must be a free variable)."""
    types: tuple[TypeExpression, ...]
    """The type of each column."""
    doc: str
    test: Callable[..., bool] | None = None
    """Whether it holds of these values; for predicates that have only "+" columns."""
    solve: Callable[..., Iterable[Row]] | None = None
    """The values of the "-" columns for these values of the "+" columns, one row a solution."""
    holds: Callable[..., bool] | None = None
    """Whether it holds of values for all columns, for use under negation, where "-" columns are bound as well."""


def predicate(name: str, doc: str, test: Callable[..., bool], *types: TypeExpression) -> Predicate:
    """Return a predicate that tests values, each handed over as what its type holds."""
    readers = [reader(name, kind) for kind in types]

    def holds(*values: Value) -> bool:
        return test(*[read(value) for read, value in zip(readers, values, strict=True)])

    return matcher(name, doc, "+" * len(types), types, test=holds)


def matcher(name: str, doc: str, modes: str, types: Sequence[TypeExpression], **ways: Callable[..., Any]) -> Predicate:
    """Return a predicate that reads its arguments itself, with its *ways*: `test`, or `solve` and `holds`."""
    return Predicate(symbol=Symbol(name, len(modes)), modes=tuple(modes), types=tuple(types), doc=doc, **ways)


def by_symbol(*predicates: Predicate) -> dict[Symbol, Predicate]:
    """Return the table of some predicates."""
    return {predicate.symbol: predicate for predicate in predicates}


def reader(builtin: str, kind: TypeExpression, *, plural: bool = False) -> Callable[[Value], Any]:
    """Return the function that takes what a value of this type holds, or raises; one of any type stays as it is."""
    accepted = _ACCEPTED.get(_key(kind, _ACCEPTED))
    if accepted is None:
        return _unchanged
    wanted, readers = accepted
    told = f"{wanted.removeprefix('a ')}s" if plural else wanted

    def read(value: Value) -> Any:
        take = readers.get(type(value))
        if take is None:
            raise unfit(builtin, told, value)
        return take(value)

    return read


def maker(builtin: str, kind: TypeExpression | None) -> Callable[[Any], Value]:
    """Return the function that makes a value of this type of what Python computed."""
    make = _MADE.get(_key(kind, _MADE)) if kind is not None else None
    return _unchanged if make is None else partial(make, builtin)


def _unchanged(value: Value) -> Value:
    return value


def _key(kind: TypeExpression, table: Mapping[TypeExpression, object]) -> TypeExpression:
    return kind if kind in table or isinstance(kind, str) else kind[0]


def unfit(builtin: str, wanted: str, value: Value) -> BuiltinError:
    """Return the error for an argument of the wrong kind."""
    return BuiltinError(f"{builtin} needs {wanted}, got {describe(value)}")


def describe(value: Value) -> str:
    """Return a few words for *value*: its kind and, for the simple kinds, its beginning."""
    kind = _KINDS[type(value)]
    if isinstance(value, str):
        shown = value[:_LONGEST_SHOWN].replace("\n", " ")
        return f'{kind} "{shown}{"…" if len(value) > _LONGEST_SHOWN else ""}"'
    if isinstance(value, (Name, int)):
        return f"{kind} {value!r:.{_LONGEST_SHOWN}}"
    return f"{kind} {value.held!r}" if isinstance(value, Float) else kind


def make_float(size: float) -> Float:
    """Return the float of a size; there is one object for "not a number", which is equal to nothing but itself.

    A rule that computes it again and again must find the fact it has already.
    """
    return _NAN if isnan(size) else Float(size)


def count_arguments(number: int) -> str:
    """Say a number of arguments."""
    return f"{number} argument{'' if number == 1 else 's'}"


# By type, or by what constructs it: how a value is made of what Python computed; numbers wrap around at 64 bits.
_MADE: Final[dict[TypeExpression, Callable[[str, Any], Value]]] = {
    NUMBER: lambda builtin, number: wrap(number),
    FLOAT: lambda builtin, size: make_float(size),
    NAME: lambda builtin, text: Name(text),
    TIME: lambda builtin, nanoseconds: Time(wrap(nanoseconds)),
    DURATION: lambda builtin, nanoseconds: Duration(wrap(nanoseconds)),
    BOOLEAN: lambda builtin, holds: TRUE if holds else FALSE,
    "fn:List": lambda builtin, items: checked(builtin, List(tuple(items))),
    "fn:Pair": lambda builtin, parts: checked(builtin, Pair(parts)),
}
