"""All builtins by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from mayfly.mangle._symbols import Symbol
from mayfly.mangle.builtins._collections import COLLECTION_FUNCTIONS, MATCHERS
from mayfly.mangle.builtins._comparisons import COMPARISONS
from mayfly.mangle.builtins._durations import DURATION_FUNCTIONS
from mayfly.mangle.builtins._entries import Function, Predicate, Reducer
from mayfly.mangle.builtins._numbers import NUMBER_FUNCTIONS
from mayfly.mangle.builtins._reducers import LIST_REDUCERS, REDUCERS_BY_NAME
from mayfly.mangle.builtins._strings import STRING_FUNCTIONS
from mayfly.mangle.builtins._times import TIME_FUNCTIONS

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    NUMBER_FUNCTIONS | STRING_FUNCTIONS | COLLECTION_FUNCTIONS | TIME_FUNCTIONS | DURATION_FUNCTIONS | LIST_REDUCERS
)
REDUCERS: Final[Mapping[str, Reducer]] = MappingProxyType(REDUCERS_BY_NAME)
PREDICATES: Final[Mapping[Symbol, Predicate]] = MappingProxyType(COMPARISONS | MATCHERS)
