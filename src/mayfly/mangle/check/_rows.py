"""Check facts against the declared types."""

from collections.abc import Iterable, Iterator, Mapping

from mayfly.mangle._ast import Place, Symbol, Term
from mayfly.mangle._checked import Declared, Given
from mayfly.mangle._errors import MangleError, Stage
from mayfly.mangle._text import show_row, show_term, show_value
from mayfly.mangle._values import Row
from mayfly.mangle.check._types import Test, show_type, test_of

MOST_REPORTED = 20
_MOST_SHOWN = 20
_LONGEST = 200


class RowTests:
    """Test rows against the declared types; the test of a predicate is made once."""

    def __init__(self, declared: Mapping[Symbol, Declared]) -> None:
        self._declared = declared
        self._tests: dict[Symbol, tuple[tuple[Test, ...], ...]] = {}

    def fits(self, symbol: Symbol, row: Row) -> bool:
        """Tell whether a row fits one of the alternatives of its declaration."""
        alternatives = self._tests.get(symbol)
        if alternatives is None:
            bounds = self._declared[symbol].bounds if symbol in self._declared else ()
            alternatives = tuple(tuple(map(test_of, bound)) for bound in bounds)
            self._tests[symbol] = alternatives
        if not alternatives:
            return True
        return any(all(test(value) for test, value in zip(tests, row, strict=True)) for tests in alternatives)

    def fault(self, symbol: Symbol, row: Row, *, stage: Stage, place: Place | None) -> MangleError:
        """Say which value is outside its type."""
        declared = self._declared[symbol]
        return MangleError(
            f"{_brief(show_row(symbol, row))} does not fit the declared types: {_explain(declared, row)}",
            stage=stage,
            place=place,
            fix=f"mend the value or the bound at {declared.place}" if declared.place else None,
        )


def given_faults(declared: Mapping[Symbol, Declared], given: Iterable[Given]) -> Iterator[MangleError]:
    """Yield an error for each fact of the source that is outside its declared types."""
    tests = RowTests(declared)
    for fact in given:
        if not tests.fits(fact.symbol, fact.row):
            yield tests.fault(fact.symbol, fact.row, stage="analyze", place=fact.place)


def _explain(declared: Declared, row: Row) -> str:
    if len(declared.bounds) == 1:
        for column, value, kind in zip(declared.columns, row, declared.bounds[0], strict=True):
            if not test_of(kind)(value):
                return f"{column} is {_brief(show_type(kind))}, not {_brief(show_value(value))}"
    return f"it must be one of {' or '.join(map(_shown, declared.bounds[:_MOST_SHOWN]))}"


def _brief(text: str) -> str:
    """Return a text, or the beginning of a long one."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _shown(bound: tuple[Term, ...]) -> str:
    return f"[{', '.join(map(show_term, bound))}]"
