"""The tables: every entry is documented and listed, and nothing but a value or a `BuiltinError` ever comes out."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import mayfly.mangle.builtins as package
from mayfly.mangle._values import Duration, Float, Name, Pair, Time, Value, make_list, make_map, make_struct
from mayfly.mangle.builtins import FUNCTIONS, PREDICATES, REDUCERS, BuiltinError, Predicate

NUMBERS = some.integers(-(2**63), 2**63 - 1)
NAMES = some.sampled_from(["/a", "/a/b", "/true", "/day", "/week", "/year", "/second"]).map(Name)
SIMPLE = some.one_of(
    NAMES,
    NUMBERS,
    some.text(max_size=8),
    some.sampled_from(["Europe/Rome", "1h2m", "2024-05-01T10:00:00Z", "2024-05-01T10:00:00"]),
    some.binary(max_size=4),
    some.floats().map(Float),
    NUMBERS.map(Time),
    NUMBERS.map(Duration),
)
VALUES: some.SearchStrategy[Value] = some.recursive(
    SIMPLE,
    lambda inner: some.one_of(
        some.lists(inner, max_size=3).map(make_list),
        some.tuples(inner, inner).map(Pair),
        some.lists(some.tuples(inner, inner), max_size=2).map(make_map),
        some.lists(some.tuples(NAMES, inner), max_size=2).map(make_struct),
    ),
    max_leaves=6,
)


def _fails_by_name(name: str, attempt: Callable[[], object]) -> bool:
    """Return whether *attempt* gives something hashable, or the one error, which then names the builtin."""
    try:
        hash(attempt())
    except BuiltinError as error:
        return name in str(error)
    return True


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@given(drawn=some.lists(VALUES, min_size=4, max_size=4))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_function_gives_a_value_or_a_builtin_error(name: str, drawn: list[Value]) -> None:
    function = FUNCTIONS[name]
    assert _fails_by_name(name, lambda: function.call(*drawn[: function.arity]))


@pytest.mark.parametrize("name", sorted(REDUCERS))
@given(drawn=some.lists(some.tuples(VALUES, VALUES), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_reducer_gives_a_value_or_a_builtin_error(name: str, drawn: list[tuple[Value, Value]]) -> None:
    arity = REDUCERS[name].arity
    assert _fails_by_name(name, lambda: REDUCERS[name].reduce([row[:arity] for row in drawn]))


@pytest.mark.parametrize("predicate", PREDICATES.values(), ids=lambda found: found.symbol.name)
@given(drawn=some.lists(VALUES, min_size=3, max_size=3))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_a_predicate_answers_or_raises_a_builtin_error(predicate: Predicate, drawn: list[Value]) -> None:
    for answer, columns in ((predicate.test, "+-"), (predicate.holds, "+-"), (_solved(predicate), "+")):
        if answer is None:
            continue
        taken = drawn[: sum(mode in columns for mode in predicate.modes)]
        assert _fails_by_name(predicate.symbol.name, partial(answer, *taken))


def _solved(predicate: Predicate) -> Callable[..., bool] | None:
    if predicate.solve is None:
        return None
    solve, outputs = predicate.solve, predicate.modes.count("-")
    return lambda *inputs: all(len(row) == outputs for row in solve(*inputs))


def test_every_entry_has_one_line_of_documentation() -> None:
    docs = [entry.doc for table in (FUNCTIONS, REDUCERS, PREDICATES) for entry in table.values()]
    assert all(doc.endswith(".") and "\n" not in doc and not doc[0].islower() for doc in docs)


def test_every_entry_stands_under_its_own_name() -> None:
    assert all(name == function.name for name, function in FUNCTIONS.items())
    assert all(name == reducer.name for name, reducer in REDUCERS.items())
    assert all(symbol == entry.symbol for symbol, entry in PREDICATES.items())


def test_the_package_lists_every_function_by_name() -> None:
    text = package.__doc__ or ""
    spelled_by_rule = {name for name in REDUCERS if name.count(":") == 2}
    unlisted = {name for name in FUNCTIONS if name not in text} - spelled_by_rule
    assert unlisted == {"fn:group_by"}


def test_the_types_of_a_predicate_are_as_many_as_its_columns() -> None:
    assert all(len(entry.types) == symbol.arity for symbol, entry in PREDICATES.items())


def test_only_the_head_may_look_up_a_map() -> None:
    assert [name for name, function in FUNCTIONS.items() if function.head_only] == ["fn:map:get"]
