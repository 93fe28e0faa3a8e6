"""Generated inputs: what is near the examples, what fits a type, and that the same content gives the same inputs."""

import ast

import pytest

from mayfly.gates import Entry, find_entry
from mayfly.gates.proof._values import Inputs
from mayfly.gates.proof._values_near import Together, Traits
from mayfly.gates.proof._values_types import Types, fits, kind_like

RECORDS = """
from dataclasses import dataclass
from typing import TypedDict

@dataclass
class Point:
    x: int
    y: float = 0.0

class Row(TypedDict):
    name: str

Grid = list[list[int]]
"""


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        ("int", 1, True),
        ("int", 1.5, False),
        ("int", None, False),
        ("float", 1, True),
        ("str", "a", True),
        ("bool", 1, False),
        ("None", None, True),
        ("list[int]", [1, 2], True),
        ("list[int]", [1, "a"], False),
        ("List[str]", ["a"], True),
        ("typing.List[str]", [1], False),
        ("tuple[int, str]", [1, "a"], True),
        ("tuple[int, str]", [1], False),
        ("tuple[int, ...]", [1, 2, 3], True),
        ("dict[str, int]", {"a": 1}, True),
        ("dict[str, int]", {"a": "b"}, False),
        ("dict[int, list[str]]", {"1": ["a"]}, True),
        ("Optional[int]", None, True),
        ("int | str", "a", True),
        ("int | str", [], False),
        ("Union[int, None]", "a", False),
        ("Literal['a', 'b']", "a", True),
        ("Literal['a', 'b']", "c", False),
        ("'list[int]'", [1], True),
        ("Iterator[int]", [1], True),
        ("Point", {"x": 1, "y": 2.0}, True),
        ("Point", {"x": "a", "y": 2.0}, False),
        ("list[Point]", [{"x": 1, "y": 1}], True),
        ("Row", {"name": "a"}, True),
        ("Grid", [[1], [2]], True),
        ("Grid", [1], False),
        ("Any", object(), True),
        ("SomethingElse", 1, True),
        ("", 1, True),
        ("list[", 1, True),
    ],
)
def test_plain_data_fits_a_type_or_not(annotation: str, value: object, expected: bool) -> None:
    assert fits(value, Types(RECORDS).kind(annotation)) is expected


def test_types_are_inferred_from_values() -> None:
    assert fits([1, 2.5], kind_like([[1, 0.5], []]))
    assert not fits(["a"], kind_like([[1, 0.5]]))


def entry(source: str) -> Entry:
    return find_entry(ast.parse(source))


TWO = entry("def f(items: list[int], word: str) -> int:\n    return 0\n")
EXAMPLES: list[object] = [[[3, 1, 2], "ab"], [[5, 9, 7, 1], "c"]]


def test_the_same_content_gives_the_same_inputs() -> None:
    one, other = (Inputs(TWO, "", EXAMPLES) for _ in range(2))
    assert one.near(30) == other.near(30)
    assert one.odd(10) == other.odd(10)


def test_near_inputs_have_the_shape_of_the_examples() -> None:
    made = Inputs(TWO, "", EXAMPLES).near(40)
    assert len(made) == 40
    assert sum(given.near for given in made) >= 25
    for given in made:
        assert isinstance(given.input, list)
        assert [type(part) for part in given.input] == [list, str]


def test_no_example_is_asked_again() -> None:
    assert not [given for given in Inputs(TWO, "", EXAMPLES).near(40) if given.input in EXAMPLES]


def test_odd_inputs_hold_the_empty_and_the_extreme() -> None:
    made = [given.input for given in Inputs(entry("def f(n: int) -> int:\n    return n\n"), "", [5]).odd(20)]
    assert {0, -1, 10**18} <= {value for value in made if isinstance(value, int)}


def test_inputs_are_made_from_types_alone() -> None:
    inputs = Inputs(entry("def f(a: dict[str, int], b: bool | None) -> int:\n    return 0\n"), "", [])
    assert inputs.near(5) == []
    assert all(fits(given.input, Types().kind("tuple[dict[str, int], bool | None]")) for given in inputs.odd(20))
    assert [given.size > 100 for given in inputs.large()] == [True, True, True]


def test_an_unknown_type_gives_no_odd_inputs() -> None:
    assert Inputs(entry("def f(a: Thing) -> int:\n    return 0\n"), "", []).odd(5) == []


@pytest.mark.parametrize(
    ("seen", "value", "near", "inside"),
    [
        ([3, 10], 5, True, True),
        ([3, 10], 11, True, False),
        ([3, 10], -1, False, False),
        ([3, 10], 1000, False, False),
        ([-3, 10], 0, True, True),
        ([3, 10], 3.5, False, False),
        (["ab", "xyz"], "ba", True, True),
        (["ab", "xyz"], "ABC", False, False),
        (["ab", "xyz"], "", False, False),
        (["ab", ""], "", True, True),
        ([[1, 2], [3]], [2, 1], True, True),
        ([[1, 2], [3]], ["a"], False, False),
        ([[1, 2, 3], [2, 5, 8]], [3, 1, 2], False, False),
        ([[1, 3, 2], [2, 8, 5]], [2, 2, 2], False, False),
        ([{"a": 1}], {"b": 1}, True, True),
        ([None, 1], None, True, True),
    ],
)
def test_an_input_is_near_that_keeps_what_the_examples_share(
    seen: list[object], value: object, near: bool, inside: bool
) -> None:
    traits = Traits(seen)
    assert (traits.keeps(value), traits.keeps(value, 1)) == (near, inside)


def test_relations_between_arguments_are_kept() -> None:
    together = Together([[[1, 2], [3, 4]], [[1], [2]]])
    assert together.keeps([[5], [6]])
    assert not together.keeps([[5], [6, 7]])
    assert not Together([[1, 2], [3, 9]]).keeps([5, 4])
