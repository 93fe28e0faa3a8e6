"""All builtins by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mayfly.mangle._symbols import Symbol
from mayfly.mangle.builtins._comparisons import COMPARISONS
from mayfly.mangle.builtins._durations import DURATION_FUNCTIONS, INTERVAL_FUNCTIONS
from mayfly.mangle.builtins._entries import Function, Predicate, Reducer
from mayfly.mangle.builtins._lists import LIST_FUNCTIONS
from mayfly.mangle.builtins._matching import MATCHERS
from mayfly.mangle.builtins._numbers import NUMBER_FUNCTIONS
from mayfly.mangle.builtins._records import RECORD_FUNCTIONS
from mayfly.mangle.builtins._reducers import ALL_REDUCERS, LIST_REDUCERS
from mayfly.mangle.builtins._strings import STRING_FUNCTIONS
from mayfly.mangle.builtins._times import TIME_FUNCTIONS

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        function.name: function
        for functions in (
            NUMBER_FUNCTIONS,
            STRING_FUNCTIONS,
            LIST_FUNCTIONS,
            RECORD_FUNCTIONS,
            TIME_FUNCTIONS,
            DURATION_FUNCTIONS,
            INTERVAL_FUNCTIONS,
            LIST_REDUCERS,
        )
        for function in functions
    }
)
REDUCERS: Final[Mapping[str, Reducer]] = MappingProxyType({reducer.name: reducer for reducer in ALL_REDUCERS})
PREDICATES: Final[Mapping[Symbol, Predicate]] = MappingProxyType(
    {predicate.symbol: predicate for predicate in (*COMPARISONS, *MATCHERS)}
)
