"""Strings count in characters, floats are written without exponents, names come apart at their slashes."""

from math import inf, nan

import pytest

from mayfly.mangle._values import Duration, Float, Name, Value, make_list

from .calling import LARGEST, SMALLEST, call, refusal


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ""),
        (("a",), "a"),
        (("é", "日", ""), "é日"),
        ((Name("/a/b"), 12, "x", Float(2.0), Float(0.5)), "/a/b12x20.5"),
    ],
)
def test_concat_joins_texts_of_simple_values(arguments: tuple[Value, ...], expected: str) -> None:
    assert call("fn:string:concat", *arguments) == expected


@pytest.mark.parametrize("value", [b"x", make_list([]), Duration(1)])
def test_concat_refuses_values_without_a_text(value: Value) -> None:
    assert "needs strings, names, numbers or floats" in refusal("fn:string:concat", "a", value)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("aXbXc", "X", "-", 1), "a-bXc"),
        (("aXbXc", "X", "-", -1), "a-b-c"),
        (("aXbXc", "X", "-", SMALLEST), "a-b-c"),
        (("aXbXc", "X", "-", LARGEST), "a-b-c"),
        (("aXbXc", "X", "-", 0), "aXbXc"),
        (("aaaa", "aa", "b", -1), "bb"),
        (("aé", "", "-", -1), "-a-é-"),
        (("aé", "", "-", 2), "-a-é"),
        (("", "", "x", 1), "x"),
        (("", "a", "x", -1), ""),
        (("日本", "日", "", -1), "本"),
    ],
)
def test_replace_changes_the_first_places(arguments: tuple[Value, ...], expected: str) -> None:
    assert call("fn:string:replace", *arguments) == expected


@pytest.mark.parametrize("arguments", [(1, "a", "b", 1), ("a", 1, "b", 1), ("a", "a", 1, 1), ("a", "a", "b", "1")])
def test_replace_refuses_other_kinds(arguments: tuple[Value, ...]) -> None:
    assert "fn:string:replace needs" in refusal("fn:string:replace", *arguments)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (123456789.125, "123456789.125"),
        (0.1, "0.1"),
        (inf, "+Inf"),
        (-inf, "-Inf"),
        (nan, "NaN"),
    ],
)
def test_a_float_is_written_without_exponent(size: float, text: str) -> None:
    assert call("fn:float64:to_string", Float(size)) == text


def test_the_smallest_float_is_written_in_full() -> None:
    text = call("fn:float64:to_string", Float(5e-324))
    assert text == "0." + "0" * 323 + "5"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("fn:number:to_string", SMALLEST, str(SMALLEST)),
        ("fn:name:to_string", Name("/a/b"), "/a/b"),
        ("fn:name:root", Name("/a/b/c"), Name("/a")),
        ("fn:name:root", Name("/a"), Name("/a")),
        ("fn:name:tip", Name("/a/b/c"), Name("/c")),
        ("fn:name:tip", Name("/a"), Name("/a")),
        ("fn:name:list", Name("/a/b/c"), make_list([Name("/a"), Name("/b"), Name("/c")])),
        ("fn:name:list", Name("/a"), make_list([Name("/a")])),
    ],
)
def test_conversion_gives(name: str, value: Value, expected: Value) -> None:
    assert call(name, value) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fn:number:to_string", Float(1.0)),
        ("fn:float64:to_string", 1),
        ("fn:name:to_string", "/a"),
        ("fn:name:root", "/a"),
        ("fn:name:tip", 1),
        ("fn:name:list", "/a"),
    ],
)
def test_conversion_refuses_other_kinds(name: str, value: Value) -> None:
    assert f"{name} needs a" in refusal(name, value)


def test_a_refusal_shows_the_beginning_of_a_long_string_only() -> None:
    assert len(refusal("fn:number:to_string", "x" * 10_000)) < 120
