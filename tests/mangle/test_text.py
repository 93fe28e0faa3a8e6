"""Printing: values as the language prints them, clauses as source that reads back."""

import itertools
import struct
from random import Random

import pytest

from mayfly.mangle._ast import Symbol
from mayfly.mangle._parser import parse, parse_fact
from mayfly.mangle._text import show_clause, show_declaration, show_row, show_term, show_value, sort_key
from mayfly.mangle._values import (
    LARGEST_NUMBER,
    SMALLEST_NUMBER,
    Duration,
    Float,
    List,
    Name,
    Pair,
    Time,
    Value,
    make_list,
    make_map,
    make_struct,
    wrap,
)

SECOND = 10**9


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Name("/a/b"), "/a/b"),
        (-7, "-7"),
        ("a\n\t\"'\\é\U0001f600\r", '"a\\n\\t\\"\\\'\\\\\\u{0000e9}\\u{01f600}\r"'),
        (b"a\n\t\"'\\\xe9\x00", 'b"a\\x0a\\x09\\x22\\x27\\x5c\\xe9\x00"'),
        (Float(4.0), "4"),
        (Float(-0.0), "-0"),
        (Float(1e25), "10000000000000000000000000"),
        (Float(1e-7), "0.0000001"),
        (Float(0.1), "0.1"),
        (Float(float("inf")), "+Inf"),
        (Float(float("-inf")), "-Inf"),
        (Float(float("nan")), "NaN"),
        (Time(0), 'fn:time:parse_rfc3339("1970-01-01T00:00:00Z")'),
        (Time(-1), 'fn:time:parse_rfc3339("1969-12-31T23:59:59.999999999Z")'),
        (Time(SECOND // 2), 'fn:time:parse_rfc3339("1970-01-01T00:00:00.5Z")'),
        (Duration(0), 'fn:duration:parse("0s")'),
        (Duration(1), 'fn:duration:parse("1ns")'),
        (Duration(1500), 'fn:duration:parse("1.5µs")'),
        (Duration(-2_000_001), 'fn:duration:parse("-2.000001ms")'),
        (Duration(5405 * SECOND + SECOND // 2), 'fn:duration:parse("1h30m5.5s")'),
        (Duration(3600 * SECOND), 'fn:duration:parse("1h0m0s")'),
        (Pair((1, Pair((2, "x")))), 'fn:pair(1, fn:pair(2, "x"))'),
        (make_list([]), "[]"),
        (make_list([-1, make_list([2])]), "[-1, [2]]"),
        (make_map([]), "fn:map()"),
        (make_map([(Name("/b"), 1), (Name("/a"), 2)]), "[/a : 2, /b : 1]"),
        (make_struct([]), "{}"),
        (make_struct([(Name("/b"), 1), (Name("/a"), make_map([(1, 2)]))]), "{/a : [1 : 2], /b : 1}"),
    ],
)
def test_a_value_is_printed_as_the_language_prints_it(value: Value, text: str) -> None:
    assert show_value(value) == text


def test_a_fact_has_a_comma_and_a_space_between_its_arguments() -> None:
    assert show_row(Symbol("p", 2), (Name("/a"), 1)) == "p(/a, 1)"
    assert show_row(Symbol("p", 0), ()) == "p()"


def test_a_printed_fact_reads_back() -> None:
    row: tuple[Value, ...] = (
        make_list([-1, Name("/a")]),
        make_map([("k", Pair((1, b"\xff")))]),
        make_struct([(Name("/x"), Time(5))]),
        Duration(-90 * SECOND),
        Float(1.25),
        "é\n",
    )
    assert parse_fact(show_row(Symbol("p", 6), row)) == (Symbol("p", 6), row)


def test_a_value_nested_beyond_every_call_depth_is_printed_and_sorted() -> None:
    value: Value = 1
    for _ in range(50_000):
        value = List((value,))
    assert show_value(value) == "[" * 50_000 + "1" + "]" * 50_000
    assert sort_key(value) > sort_key(1)


def test_source_keeps_the_point_of_a_float_and_shows_no_control_character() -> None:
    (clause,) = parse('p(4.0, 1.0e25, "a\\x00\\x0d\\x7f\u0085", b"\x01").').clauses
    shown = show_clause(clause)
    assert shown == 'p(4.0, 10000000000000000000000000.0, "a\\x00\\x0d\\x7f\\u{000085}", b"\\x01").'
    (again,) = parse(shown).clauses
    assert [show_term(term) for term in again.head.arguments] == [show_term(term) for term in clause.head.arguments]


def test_a_name_at_the_end_does_not_swallow_the_dot() -> None:
    (clause,) = parse("p(X) :- X = /a .").clauses
    assert show_clause(clause) == "p(X) :- X = /a ."


def test_a_comparison_that_is_negated_or_timed_keeps_its_long_form() -> None:
    text = "p(X) :- !:lt(X, 1), :lt(X, 2)@[now, now]."
    (clause,) = parse(text).clauses
    assert show_clause(clause) == text


def test_a_declaration_prints_an_empty_inclusion_but_no_empty_description() -> None:
    (found,) = parse("Decl p() descr [] bound [] inclusion [].").declarations
    assert show_declaration(found) == "Decl p() bound [] inclusion []."


def test_maps_are_equal_whatever_the_order_of_their_entries() -> None:
    entries: list[tuple[Value, Value]] = [(1, 2), ("a", 3), (Float(1.0), 4), (1, 5)]
    assert len({make_map(order) for order in itertools.permutations(entries)}) == 1
    assert len({make_struct(order) for order in itertools.permutations(entries)}) == 1


def test_a_key_given_twice_stays_twice() -> None:
    assert make_map([(1, 3), (1, 2)]).held == ((1, 2), (1, 3))


def test_the_order_of_values_is_total_and_tells_kinds_apart() -> None:
    values = _many_values(Random(7))
    keys = sorted(sort_key(value) for value in values)
    assert len(set(keys)) == len(set(values))
    assert sorted(keys, reverse=True) == keys[::-1]


def _many_values(random: Random) -> list[Value]:
    scalars: list[Value] = [
        Name("/a"),
        Name("/b"),
        "",
        "a",
        "/a",
        b"",
        b"a",
        0,
        1,
        -1,
        Time(0),
        Duration(0),
        Float(0.5),
    ]
    scalars += [Float(struct.unpack("d", struct.pack("d", random.uniform(-9, 9)))[0]), Float(1.0)]
    values = list(scalars)
    for _ in range(300):
        first, second = random.choice(values), random.choice(values)
        made: tuple[Value, ...] = (Pair((first, second)), make_list([first, second]), make_map([(first, second)]))
        values += (random.choice(made), make_list([first]))
        values.append(make_struct([(Name("/a"), first), (Name("/b"), second)]))
    return values


def test_a_shorter_list_comes_before_a_longer_one_that_it_begins() -> None:
    lists = [make_list([2]), make_list([1, 2]), make_list([]), make_list([1])]
    assert [show_value(found) for found in sorted(lists, key=sort_key)] == ["[]", "[1]", "[1, 2]", "[2]"]


@pytest.mark.parametrize(
    ("number", "kept"),
    [
        (LARGEST_NUMBER, LARGEST_NUMBER),
        (LARGEST_NUMBER + 1, SMALLEST_NUMBER),
        (SMALLEST_NUMBER - 1, LARGEST_NUMBER),
        (2**64, 0),
        (-(2**65) - 3, -3),
    ],
)
def test_numbers_wrap_at_64_bits(number: int, kept: int) -> None:
    assert wrap(number) == kept
