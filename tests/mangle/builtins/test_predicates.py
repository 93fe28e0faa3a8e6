"""Builtin predicates: what they hold of, what they bind, and what is an error instead of no answer."""

import pytest

from mayfly.mangle._values import (
    FALSE,
    TRUE,
    Duration,
    Float,
    Name,
    Pair,
    Row,
    Time,
    Value,
    make_list,
    make_map,
    make_struct,
)
from mayfly.mangle.builtins import PREDICATES, BuiltinError

from .calling import LARGEST, SMALLEST, holds, predicate, solutions

A, B, AB = Name("/a"), Name("/b"), Name("/a/b")
ORDERS = {"lt": (True, False, False), "le": (True, True, False), "gt": (False, False, True), "ge": (False, True, True)}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("prefix", "kind"), [("", int), ("time:", Time), ("duration:", Duration)])
def test_an_order_compares_its_kind(prefix: str, kind: type[Time] | type[Duration] | type[int], order: str) -> None:
    small, large = kind(-1), kind(2)
    found = tuple(holds(f":{prefix}{order}", *pair) for pair in ((small, large), (large, large), (large, small)))
    assert found == ORDERS[order]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (":lt", (1, Float(2.0))),
        (":le", ("a", "b")),
        (":gt", (Time(1), Time(2))),
        (":ge", (1, Duration(1))),
        (":time:lt", (Time(1), 1)),
        (":duration:ge", (Time(1), Duration(1))),
        (":within_distance", (1, 2, Float(3.0))),
        (":match_prefix", (A, "/a")),
        (":string:starts_with", ("a", A)),
        (":string:ends_with", (1, 2)),
        (":string:contains", ("a", 1)),
        (":interval:before", (Pair((Time(1), Time(2))), Pair((Time(3), Time(4))))),
        (":interval:equals", (1, Pair((1, 2)))),
    ],
)
def test_a_comparison_of_another_kind_is_an_error(name: str, values: tuple[Value, ...]) -> None:
    with pytest.raises(BuiltinError, match=f"{name} needs"):
        holds(name, *values)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        (":within_distance", (10, 7, 4), True),
        (":within_distance", (7, 10, 3), False),
        (":within_distance", (SMALLEST, 0, LARGEST), False),
        (":within_distance", (SMALLEST, LARGEST, 2), True),
        (":match_prefix", (AB, A), True),
        (":match_prefix", (Name("/abc"), A), True),
        (":match_prefix", (A, A), False),
        (":match_prefix", ("/a/b", A), False),
        (":string:starts_with", ("hello", "he"), True),
        (":string:starts_with", ("hello", ""), True),
        (":string:starts_with", (A, "/"), False),
        (":string:ends_with", ("hello", "lo"), True),
        (":string:ends_with", ("hello", "he"), False),
        (":string:contains", ("日本語", "本"), True),
        (":string:contains", (1, "1"), False),
        (":filter", (TRUE,), True),
        (":filter", (FALSE,), False),
        (":filter", (1,), False),
        (":match_nil", (make_list([]),), True),
        (":match_nil", (make_list([1]),), False),
        (":match_nil", (make_map([]),), False),
    ],
)
def test_a_test_answers(name: str, values: tuple[Value, ...], expected: bool) -> None:
    assert holds(name, *values) is expected


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        ((1, 2), (3, 4), {"before"}),
        ((3, 4), (1, 2), {"after"}),
        ((1, 2), (2, 4), {"meets", "overlaps"}),
        ((1, 3), (2, 4), {"overlaps"}),
        ((2, 3), (1, 4), {"overlaps", "during"}),
        ((1, 4), (2, 3), {"overlaps", "contains"}),
        ((1, 2), (1, 4), {"overlaps", "during", "starts"}),
        ((3, 4), (1, 4), {"overlaps", "during", "finishes"}),
        ((1, 4), (1, 4), {"overlaps", "during", "contains", "starts", "finishes", "equals"}),
    ],
)
def test_intervals_are_related(left: tuple[int, int], right: tuple[int, int], names: set[str]) -> None:
    known = [symbol.name for symbol in PREDICATES if symbol.name.startswith(":interval:")]
    assert {name.removeprefix(":interval:") for name in known if holds(name, Pair(left), Pair(right))} == names


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        (":match_pair", (Pair((1, "x")),), [(1, "x")]),
        (":match_pair", (make_list([1, 2]),), []),
        (":match_cons", (make_list([1, 2, 3]),), [(1, make_list([2, 3]))]),
        (":match_cons", (make_list([1]),), [(1, make_list([]))]),
        (":match_cons", (make_list([]),), []),
        (":match_cons", (Pair((1, 2)),), []),
        (":match_entry", (make_map([("k", 1), (2, 3)]), "k"), [(1,)]),
        (":match_entry", (make_map([("k", 1)]), "l"), []),
        (":match_entry", (make_map([]), "l"), []),
        (":match_entry", (make_struct([(A, 1)]), A), []),
        (":match_field", (make_struct([(A, 1)]), A), [(1,)]),
        (":match_field", (make_struct([(A, 1)]), B), []),
        (":match_field", (make_map([(A, 1)]), A), []),
        (":match_field", (1, A), []),
        (":list:member", (make_list([1, 2, 1]),), [(1,), (2,), (1,)]),
        (":list:member", (make_list([]),), []),
        (":list:member", ("abc",), []),
    ],
)
def test_a_match_binds(name: str, inputs: tuple[Value, ...], expected: list[Row]) -> None:
    assert solutions(name, *inputs) == expected


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        (":list:member", (1, make_list([2, 1])), True),
        (":list:member", (3, make_list([2, 1])), False),
        (":match_entry", (make_map([("k", 1)]), "k", 1), True),
        (":match_entry", (make_map([("k", 1)]), "k", 2), False),
        (":match_entry", (1, "k", 2), False),
        (":match_field", (make_struct([(A, 1)]), A, 1), True),
        (":match_field", (make_struct([(A, 1)]), B, 1), False),
    ],
)
def test_under_negation_bound_columns_are_compared(name: str, values: tuple[Value, ...], expected: bool) -> None:
    decide = predicate(name).holds
    assert decide is not None
    assert decide(*values) is expected


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (":list:member", (1, 2)),
        (":match_pair", (Pair((1, 2)), 1, 2)),
        (":match_cons", (make_list([1]), 1, make_list([]))),
    ],
)
def test_under_negation_some_matches_are_errors(name: str, values: tuple[Value, ...]) -> None:
    decide = predicate(name).holds
    assert decide is not None
    with pytest.raises(BuiltinError):
        decide(*values)


def test_a_predicate_with_outputs_solves_and_any_other_tests() -> None:
    for found in PREDICATES.values():
        assert (found.solve is not None) == (found.holds is not None) == ("-" in found.modes)
        assert (found.test is not None) == ("-" not in found.modes)
