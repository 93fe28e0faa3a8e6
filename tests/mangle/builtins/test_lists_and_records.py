"""Lists, pairs, tuples, maps and structs: building, reading, and what is not there."""

import pytest

from mayfly.mangle._values import (
    FALSE,
    TRUE,
    Float,
    Name,
    Pair,
    Value,
    make_list,
    make_map,
    make_struct,
)

from .calling import call, refusal

ABC = make_list(["a", "b", "c"])
A, B = Name("/a"), Name("/b")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("fn:list", (), make_list([])),
        ("fn:list", (1, "x"), make_list([1, "x"])),
        ("fn:list:append", (make_list([1]), make_list([2])), make_list([1, make_list([2])])),
        ("fn:list:cons", (1, make_list([2])), make_list([1, 2])),
        ("fn:list:len", (ABC,), 3),
        ("fn:list:len", (make_list([]),), 0),
        ("fn:list:get", (ABC, 0), "a"),
        ("fn:list:get", (ABC, 2), "c"),
        ("fn:list:contains", (ABC, "b"), TRUE),
        ("fn:list:contains", (ABC, A), FALSE),
        ("fn:list:contains", (make_list([1]), Float(1.0)), FALSE),
        ("fn:pair", (1, "x"), Pair((1, "x"))),
        ("fn:tuple", (1,), 1),
        ("fn:tuple", (1, 2), Pair((1, 2))),
        ("fn:tuple", (1, 2, 3), Pair((1, Pair((2, 3))))),
        ("fn:map", (), make_map([])),
        ("fn:map", ("k", 1, A, 2), make_map([(A, 2), ("k", 1)])),
        ("fn:struct", (A, 1, B, 2), make_struct([(B, 2), (A, 1)])),
        ("fn:map:get", (make_map([(1, "one"), ("1", "text")]), "1"), "text"),
        ("fn:struct:get", (make_struct([(A, 1), (B, 2)]), B), 2),
    ],
)
def test_building_and_reading_gives(name: str, arguments: tuple[Value, ...], expected: Value) -> None:
    assert call(name, *arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("fn:list:get", (ABC, 3), "no item 3 in a list of 3"),
        ("fn:list:get", (ABC, -1), "no item -1"),
        ("fn:list:get", (ABC, "0"), "needs a number"),
        ("fn:list:get", ("abc", 0), "needs a list"),
        ("fn:list:append", (1, 1), "needs a list"),
        ("fn:list:cons", (ABC, 1), "needs a list"),
        ("fn:list:len", (Pair((1, 2)),), "needs a list, got a pair"),
        ("fn:list:contains", (make_map([]), 1), "needs a list, got a map"),
        ("fn:tuple", (), "at least 1 argument"),
        ("fn:map", (1, 2, 3), "a value for each key"),
        ("fn:struct", (A,), "a value for each key"),
        ("fn:map:get", (make_map([(1, 2)]), Float(1.0)), "found no entry for the float 1.0"),
        ("fn:map:get", (make_struct([(A, 2)]), A), "needs a map"),
        ("fn:struct:get", (make_struct([(A, 2)]), B), "found no entry for the name /b"),
        ("fn:struct:get", (make_map([(A, 2)]), A), "needs a struct"),
        ("fn:some", (1,), "cannot be evaluated"),
        ("fn:group_by", (1,), "stands after"),
    ],
)
def test_building_and_reading_refuses(name: str, arguments: tuple[Value, ...], why: str) -> None:
    assert why in refusal(name, *arguments)
