"""Plain data and annotations: what fits the type that a source says."""

import pytest

from mayfly.core import mismatch
from mayfly.gates._annotations import schema_of

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
        ("Counter[str]", {"a": 1}, True),
        ("int", True, True),
        ("Row", {"name": 1}, True),
        ("deque[int]", ["a"], False),
        ("Coroutine[Any, Any, int]", "a", False),
        ("set[int]", [1], True),
        ("list[SomethingElse]", "a", False),
        ("Any", object(), True),
        ("SomethingElse", 1, True),
        ("", 1, True),
        ("list[", 1, True),
    ],
)
def test_plain_data_fits_a_type_or_not(annotation: str, value: object, expected: bool) -> None:
    assert (not mismatch(value, schema_of(annotation, RECORDS))) is expected
