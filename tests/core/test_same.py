"""Whether two values are the same data, whatever a hostile program made of them."""

import ast
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.core import same

DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@given(DATA)
def test_everything_is_the_same_as_its_copy(value: object) -> None:
    import copy

    assert same(value, copy.deepcopy(value))


@given(DATA, DATA)
def test_the_order_of_the_two_does_not_matter(one: object, other: object) -> None:
    assert same(one, other) == same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (0, False), ("1", 1), ([], {}), ([], ""), (None, 0), ([1, 2], [1]), ({"a": 1}, {"b": 1})],
)
def test_different_data_is_told_apart(one: object, other: object) -> None:
    assert not same(one, other)


def test_a_tuple_is_the_list_of_its_items() -> None:
    assert same((1, (2,)), [1, [2]])


def test_values_deeper_than_the_stack_are_compared() -> None:
    assert same(nested(20_000), nested(20_000))
    assert not same(nested(20_000), nested(19_999))


def test_values_that_hold_themselves_are_compared() -> None:
    one: list[object] = [1]
    one.append(one)
    other: list[object] = [1]
    other.append(other)
    assert same(one, other)


def test_one_list_a_billion_times_is_looked_at_once() -> None:
    one: list[object] = [1]
    other: list[object] = [1]
    for _ in range(60):
        one, other = [one, one], [other, other]
    assert same(one, other)


def test_an_object_whose_equality_raises_is_not_the_same() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    assert not same(Odd(), Odd())


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (0.0, 1e-13, True),
        (0.0, 1e-8, False),
        (0.1 + 0.2, 0.3, True),
        (0.30001, 0.3, False),
        (1e300, 1e300 * (1 + 1e-12), True),
        (10**17 + 1, 10**17, False),
        (10**400, 1.5, False),
        (10**400, float("inf"), False),
        (float("inf"), float("inf"), True),
        (float("inf"), 1e308, False),
        (float("nan"), 1.0, False),
        ([1, [2]], [1, [2.0]], True),
        ({"a": 0.0}, {"a": 1e-13}, True),
    ],
)
def test_numbers_are_compared_by_what_they_are_worth(one: object, other: object, equal: bool) -> None:
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_a_check_behind_the_wall_gives_the_same_answer() -> None:
    """The programs that check a result are texts of their own, so each of them has a copy."""
    import mayfly.forge

    folder = Path(mayfly.forge.__file__).parent / "relations"
    copies = [_function(folder / name, "same") for name in ("example.py", "exact.py")]
    assert copies[0] == copies[1]
    space: dict[str, Any] = {"math": math}
    exec(copies[0], space)
    values: list[Any] = [
        0,
        1,
        1.0,
        True,
        False,
        None,
        "1",
        1e-13,
        1e-8,
        0.3,
        0.1 + 0.2,
        10**17,
        10**17 + 1,
        [1],
        (1.0,),
        [],
        {},
    ]
    values += [{"a": 1}, {"a": 1.0}, {"b": 1}]
    assert [space["same"](a, b) for a in values for b in values] == [same(a, b) for a in values for b in values]


def _function(file: Path, name: str) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return next(ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
