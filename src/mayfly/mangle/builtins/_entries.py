"""Builtins as data: what a function, reducer or predicate takes and gives, and how it is computed.

A type is written as plain data: a base type or a type variable is a text (`"/number"`, `"X"`), a constructed type is a
tuple of the constructor and its arguments (`("fn:List", "X")`). The types are those that evaluation accepts and gives;
the reference's own table is narrower in places (numbers where floats are taken).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from operator import attrgetter
from typing import Any, Final, TypeAlias, TypeVar, Union

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Duration, Float, List, Map, Name, Pair, Row, Struct, Time, Value
from mayfly.mangle.builtins._limits import BuiltinError

TypeExpression: TypeAlias = Union[str, "tuple[TypeExpression, ...]"]
Compute = TypeVar("Compute", bound=Callable[..., Value])
Test = TypeVar("Test", bound=Callable[..., bool])

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
            raise BuiltinError(f"{self.name} takes {_count(self.arity or 0)}, got {count}")

        return refuse


class Functions(dict[str, Function]):
    """A table of functions by name, filled by decorators."""

    def add(
        self, name: str, doc: str, gives: TypeExpression, *takes: TypeExpression, head_only: bool = False
    ) -> Callable[[Compute], Compute]:
        """Add a function of so many arguments, each handed over as what its type holds: a list as a tuple, say."""

        def register(compute: Compute) -> Compute:
            call = _reading(name, takes, compute)
            self[name] = Function(name=name, arity=len(takes), call=call, doc=doc, gives=gives, head_only=head_only)
            return compute

        return register

    def variadic(self, name: str, doc: str, gives: TypeExpression | None) -> Callable[[Compute], Compute]:
        """Add a function of any number of arguments, which reads them itself."""

        def register(compute: Compute) -> Compute:
            self[name] = Function(name=name, arity=None, call=compute, doc=doc, gives=gives)
            return compute

        return register


def _reading(name: str, takes: Sequence[TypeExpression], compute: Callable[..., Value]) -> Callable[..., Value]:
    """Return a function that reads its arguments by their types before it computes."""
    if not any(_key(expression) in _ACCEPTED for expression in takes):
        return compute

    def call(*values: Value) -> Value:
        return compute(*[read_value(name, kind, value) for kind, value in zip(takes, values, strict=True)])

    return call


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


class Predicates(dict[Symbol, Predicate]):
    """A table of builtin predicates, filled by decorators."""

    def put(
        self, name: str, modes: str, types: Sequence[TypeExpression], *, doc: str, **ways: Callable[..., Any]
    ) -> None:
        """Add a predicate with the *ways* in which it is computed: `test`, or `solve` and `holds`."""
        symbol = Symbol(name, len(modes))
        self[symbol] = Predicate(symbol=symbol, modes=tuple(modes), types=tuple(types), doc=doc, **ways)

    def add(self, name: str, doc: str, *types: TypeExpression) -> Callable[[Test], Test]:
        """Add a predicate that only tests values."""

        def register(test: Test) -> Test:
            self.put(name, "+" * len(types), types, doc=doc, test=test)
            return test

        return register


def read_value(builtin: str, kind: TypeExpression, value: Value) -> Any:
    """Return what a value of this type holds, or raise; a value of any type is returned as it is."""
    accepted = _ACCEPTED.get(_key(kind))
    if accepted is None:
        return value
    wanted, readers = accepted
    read = readers.get(type(value))
    if read is None:
        raise unfit(builtin, wanted, value)
    return read(value)


def _key(kind: TypeExpression) -> TypeExpression:
    return kind if kind in _ACCEPTED or isinstance(kind, str) else kind[0]


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


def _count(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"
