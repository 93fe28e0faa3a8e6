"""Whether an input is many of what the examples take, or one of them: types are compared all the way down."""

from __future__ import annotations

import pytest

from mayfly.core import Example, Order
from mayfly.forge._task import Task


@pytest.mark.parametrize(
    ("given", "input", "each"),
    [
        ("a", ["a", "b"], True),
        ("a", ["a", None], True),
        (1, [2.5, 3], True),
        (["a"], ["a", "b"], False),
        ([["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]], False),
        ([["a", "b"], ["c", "d"]], [["x"], ["y", "z"]], False),
        ([["a", "b"], ["c", "d"]], [[["a"]], [["b", "c"]]], True),
        (["a", "b"], [["a", "b"], ["c"]], True),
        (["a", "b"], [[1, 2], [3]], False),
        ({"n": "a", "tags": ["x"]}, [{"n": "b", "tags": []}, {"n": None}], True),
        ({"n": "a", "tags": ["x"]}, [{"n": "b", "tags": [["x"]]}], False),
        ([{"n": 1}], [{"n": 1}, {"n": 2}], False),
        ({"rows": [[1]]}, [{"rows": [[2], [3]]}], True),
        (True, [1, 0], False),
    ],
)
def test_items_have_the_types_of_the_examples(given: object, input: object, each: bool) -> None:
    task = Task(order=Order(intent="x", input=input, examples=(Example(input=given, output="y"),)))
    assert task.each is each
