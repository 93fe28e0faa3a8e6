"""Arithmetic: 64 bits that wrap around, division cut off towards zero, floats as the processor has them."""

from math import inf, isnan, nan

import pytest

from mayfly.mangle._values import Float, Name, Value

from .calling import LARGEST, SMALLEST, call, refusal


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("fn:plus", (), 0),
        ("fn:plus", (5,), 5),
        ("fn:plus", (1, 2, -4), -1),
        ("fn:plus", (LARGEST, 1), SMALLEST),
        ("fn:plus", (SMALLEST, -1), LARGEST),
        ("fn:minus", (5,), -5),
        ("fn:minus", (SMALLEST,), SMALLEST),
        ("fn:minus", (10, 3, 2), 5),
        ("fn:minus", (SMALLEST, 1), LARGEST),
        ("fn:mult", (), 1),
        ("fn:mult", (3, -4), -12),
        ("fn:mult", (LARGEST, 2), -2),
        ("fn:mult", (2**62, 4, 7), 0),
        ("fn:div", (7, 2), 3),
        ("fn:div", (-7, 2), -3),
        ("fn:div", (7, -2), -3),
        ("fn:div", (-7, -2), 3),
        ("fn:div", (100, 5, 2), 10),
        ("fn:div", (SMALLEST, -1), SMALLEST),
        ("fn:div", (1,), 1),
        ("fn:div", (-1,), 0),
        ("fn:div", (9,), 0),
        ("fn:mod", (7, 3), 1),
        ("fn:mod", (-7, 3), -1),
        ("fn:mod", (7, -3), 1),
        ("fn:mod", (-7, -3), -1),
        ("fn:mod", (SMALLEST, -1), 0),
        ("fn:float:plus", (), Float(0.0)),
        ("fn:float:plus", (Float(0.1), Float(0.2)), Float(0.30000000000000004)),
        ("fn:float:plus", (1, Float(0.5)), Float(1.5)),
        ("fn:float:mult", (), Float(1.0)),
        ("fn:float:mult", (Float(1e308), 10), Float(inf)),
        ("fn:float:div", (4,), Float(0.25)),
        ("fn:float:div", (Float(1.0), 2, 2), Float(0.25)),
        ("fn:sqrt", (2,), Float(1.4142135623730951)),
        ("fn:sqrt", (Float(0.0),), Float(0.0)),
        ("fn:sqrt", (Float(inf),), Float(inf)),
    ],
)
def test_arithmetic_gives(name: str, arguments: tuple[Value, ...], expected: Value) -> None:
    assert call(name, *arguments) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("fn:div", (1, 0), "division by zero"),
        ("fn:div", (0,), "division by zero"),
        ("fn:mod", (1, 0), "division by zero"),
        ("fn:float:div", (1, 0), "division by zero"),
        ("fn:float:div", (Float(-0.0),), "division by zero"),
        ("fn:minus", (), "at least 1 argument"),
        ("fn:div", (), "at least 1 argument"),
        ("fn:float:div", (), "at least 1 argument"),
        ("fn:plus", (1, Float(1.0)), "needs numbers, got the float 1.0"),
        ("fn:mult", ("3",), 'needs numbers, got the string "3"'),
        ("fn:minus", (Name("/a"),), "needs a number, got the name /a"),
        ("fn:mod", (b"x", 1), "needs a number, got a byte string"),
        ("fn:float:plus", ("x",), "needs a float or a number"),
        ("fn:sqrt", ("x",), "needs a float or a number"),
    ],
)
def test_arithmetic_refuses(name: str, arguments: tuple[Value, ...], why: str) -> None:
    assert why in refusal(name, *arguments)


def test_what_follows_a_quotient_of_zero_is_not_looked_at() -> None:
    assert call("fn:div", 1, 2, 0, "x") == 0


def test_the_root_of_a_negative_number_is_not_a_number() -> None:
    root = call("fn:sqrt", -1)
    assert isinstance(root, Float)
    assert isnan(root.held)


def test_not_a_number_is_found_again_in_a_set_of_facts() -> None:
    facts = {
        (call("fn:sqrt", -1),),
        (call("fn:float:plus", Float(inf), Float(-inf)),),
        (call("fn:float:mult", Float(nan)),),
    }
    assert len(facts) == 1


@pytest.mark.parametrize(("count", "name"), [(1, "fn:mod"), (3, "fn:mod"), (2, "fn:sqrt"), (0, "fn:list:len")])
def test_a_wrong_number_of_arguments_is_refused(count: int, name: str) -> None:
    assert f"got {count}" in refusal(name, *([1] * count))
