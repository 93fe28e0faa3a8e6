"""The shape of an entry in the tables of builtins."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mayfly.mangle._symbols import Symbol
from mayfly.mangle._values import Row, Value
from mayfly.mangle.builtins._error import BuiltinError


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of values, such as `fn:plus`."""

    name: str
    arity: int | None
    """How many arguments it takes; None means any number from `minimum` on."""
    call: Callable[..., Value]
    """Compute the value; takes exactly `arity` arguments and raises `BuiltinError`."""
    doc: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reducer:
    """A function of all rows of a group, such as `fn:sum`."""

    name: str
    arity: int | None
    """How many arguments it takes; None means any number from `minimum` on."""
    reduce: Callable[[Sequence[Row]], Value]
    """Compute the value from the argument tuples of the rows of one group, in order."""
    doc: str
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
    doc: str
    test: Callable[..., bool] | None = None
    """Whether it holds of these values; for predicates that have only "+" columns."""
    solve: Callable[..., Iterable[Row]] | None = None
    """The values of the "-" columns for these values of the "+" columns, one row a solution."""
    holds: Callable[..., bool] | None = None
    """Whether it holds of values for all columns, for use under negation, where "-" columns are bound as well."""


def _count(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"
