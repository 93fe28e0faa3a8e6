"""Examples in prose: the ways people write them down, and what is no example."""

import pytest

from mayfly.gates import examples_in


def found(text: str, name: str = "f") -> list[tuple[object, object]]:
    return [(test.input, test.expected) for test in examples_in(text, name)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (">>> f(1)\n2", [(1, 2)]),
        (">>> f('a', [1])\n{'b': (1, 2)}", [(["a", [1]], {"b": [1, 2]})]),
        (">>> f(1)\n>>> f(2)\n3", [(1, None), (2, 3)]),
        (">>> f(1) == 2", [(1, 2)]),
        (">>> f([1,\n...    2])\n[2,\n 1]", [([1, 2], [2, 1])]),
        ("f(1) == 2", [(1, 2)]),
        ("f(1) => 2", [(1, 2)]),
        ("f(1) ==> 2", [(1, 2)]),
        ("f(1) ➞ 2", [(1, 2)]),
        ("f(1) -> 2", [(1, 2)]),
        ("f(1) = 2", [(1, 2)]),
        ("f(1) returns 2.", [(1, 2)]),
        ("`f(1)` should return `[2]` always", [(1, [2])]),
        ("f(1) # => 'Yes'", [(1, "Yes")]),
        ('f("a)b") -> "c" (because)', [("a)b", "c")]),
        ("f(1)   returns True, f(2) returns False", [(1, True), (2, False)]),
        ("f(1) -> 19 - 5 - 6 = 8", [(1, 8)]),
        ("f(-1.5) == -2.5e3", [(-1.5, -2500.0)]),
        ("f() == 1", [([], 1)]),
        ("For x = 3 the output should be 4", [(3, 4)]),
        ('For s = "abc", c = "a", the result should be (\'bc\', False)', [(["abc", "a"], ["bc", False])]),
        ("Input: 3\nOutput: (1, 2)", [(3, [1, 2])]),
        ("Input: 3, [1]\n  Output: 'a'", [([3, [1]], "a")]),
    ],
)
def test_an_example_is_found(text: str, expected: list[tuple[object, object]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "def f(1): pass",
        "f(x) == 2",
        "f(1) == x",
        "f(n) = f(n - 1) + 1",
        "f(1) = f(2)",
        "g(1) == 2",
        "off(1) == 2",
        "f({8: 1}) == 2",
        "f(1) is the first",
        "f(1",
        ">>> f(1)\nTraceback (most recent call last):\n  ValueError",
        ">>> x = f(1)\n>>> x\n2",
        "",
    ],
)
def test_what_is_no_example_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_the_same_call_is_one_example() -> None:
    assert found("f(1) == 2\n>>> f(1)\n2") == [(1, 2)]


def test_doctests_and_other_examples_are_told_apart() -> None:
    assert [test.kind for test in examples_in(">>> f(1)\n2\n\nf(3) == 4", "f")] == ["doctest", "example"]


def test_a_function_of_several_parameters_is_given_lists() -> None:
    assert [test.input for test in examples_in("f(1) == 2\nf(1, 2) == 3", "f", spread=True)] == [[1], [1, 2]]


def test_a_function_of_one_parameter_is_given_the_argument() -> None:
    assert [test.input for test in examples_in("f([1, 2]) == 2\nf(1, 2) == 3", "f", spread=False)] == [[1, 2]]
