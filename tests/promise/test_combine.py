"""What the values of children become, and the proof of it."""

import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mayfly.forge import Spool, spool
from mayfly.promise._combine import CannotCombine, combine, combined
from mayfly.promise._promise import Combine

KINDS: list[Combine] = ["last", "record", "list", "concat"]
VALUES = st.lists(st.lists(st.integers() | st.text(max_size=3), max_size=4), min_size=1, max_size=5)


class OnDisk(Sequence[Any]):
    """Stand for results that are read from a file, made anew for each look."""

    def __init__(self, items: list[object]) -> None:
        self._file = io.StringIO(json.dumps(items))
        self._length = len(items)

    def _items(self) -> list[Any]:
        return list(json.loads(self._file.getvalue()))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items())

    def __getitem__(self, index: Any) -> Any:
        return self._items()[index]


def names(values: Sequence[object]) -> list[str]:
    return [f"n{number}" for number in range(len(values))]


@pytest.mark.parametrize(
    ("kind", "value"), [("last", [2]), ("record", {"n0": [1], "n1": [2]}), ("list", [[1], [2]]), ("concat", [1, 2])]
)
def test_each_kind_combines_in_its_way(kind: Combine, value: object) -> None:
    assert combine(kind, ["n0", "n1"], [[1], [2]]) == value


def test_texts_are_put_one_after_another() -> None:
    assert combine("concat", ["a", "b"], ["x\n", "y\n"]) == "x\ny\n"


@pytest.mark.first(2)
@pytest.mark.parametrize("kind", KINDS)
@given(values=VALUES)
def test_what_is_combined_is_proven(kind: Combine, values: list[object]) -> None:
    assert combined(kind, names(values), values, combine(kind, names(values), values))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "wrong", [None, [], {}, "", 0, [[1]], {"n0": [1]}, [1], [1, 2, 3], [[1], [True]], {"n0": [1], "n1": [2], "x": 0}]
)
def test_anything_else_is_not_proven(kind: Combine, wrong: object) -> None:
    assert not combined(kind, ["n0", "n1"], [[1], [2]], wrong)


def test_a_true_is_not_taken_for_a_one() -> None:
    assert not combined("concat", ["a"], [[1]], [True])


def test_parts_on_disk_stay_there() -> None:
    value = combine("concat", ["a", "b"], [OnDisk([1, {"x": 2}]), [3]])
    assert isinstance(value, Spool)
    assert list(value) == [1, {"x": 2}, 3]
    assert combined("concat", ["a", "b"], [OnDisk([1, {"x": 2}]), [3]], value)
    assert not combined("concat", ["a", "b"], [OnDisk([1, {"x": 9}]), [3]], value)


def test_items_read_from_disk_are_not_taken_for_one_another() -> None:
    ours, theirs = OnDisk([[1], [2], [3]]), OnDisk([[1], [2], [4]])
    assert not combined("last", ["a"], [ours], theirs)


@given(parts=st.lists(st.lists(st.integers(), max_size=5), max_size=5), cut=st.slices(12))
def test_joined_parts_read_as_one_list(parts: list[list[int]], cut: slice) -> None:
    whole = [item for part in parts for item in part]
    joined = spool(parts)
    assert len(joined) == len(whole)
    assert joined == whole
    assert joined[cut] == whole[cut]
    assert [joined[at] for at in range(-len(whole), len(whole))] == whole * 2


def test_millions_of_items_are_combined_and_proven() -> None:
    parts: list[object] = [list(range(500_000)), list(range(500_000))]
    value = combine("concat", ["a", "b"], parts)
    assert combined("concat", ["a", "b"], parts, value)


@pytest.mark.parametrize("kind", ["merge", "compiled", "", "nonsense"])
def test_what_is_combined_elsewhere_is_refused(kind: Any) -> None:
    with pytest.raises(CannotCombine, match="not combined by"):
        combine(kind, ["a"], [1])
    assert not combined(kind, ["a"], [1], 1)


@pytest.mark.parametrize(
    ("kind", "given", "values", "message"),
    [
        ("last", [], [], "no child"),
        ("concat", [], [], "nothing"),
        ("concat", ["a", "b"], ["x", ["y"]], "list, str"),
        ("concat", ["a"], [7], "int"),
        ("concat", ["a"], [b"x"], "bytes"),
        ("concat", ["a"], [{"x": 1}], "dict"),
        ("record", ["a", "a"], [1, 2], "same name"),
        ("list", ["a"], [1, 2], "1 children gave 2"),
    ],
)
def test_values_that_do_not_go_together_are_refused(
    kind: Combine, given: list[str], values: list[object], message: str
) -> None:
    with pytest.raises(CannotCombine, match=message):
        combine(kind, given, values)
    assert not combined(kind, given, values, values)


def test_no_children_are_an_empty_record_or_list() -> None:
    assert combine("record", [], []) == {}
    assert combine("list", [], []) == []


def test_a_deep_value_is_proven_without_recursion() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert combined("record", ["a"], [deep], {"a": deep})
