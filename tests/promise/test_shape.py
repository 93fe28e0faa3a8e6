from __future__ import annotations

from typing import Any

import pytest

from mayfly.core import InputError, LimitError
from mayfly.promise import Promise, check_shape


def one(intent: str = "x", **more: Any) -> Promise[Any]:
    return Promise(intent, ground=None, **more)


def test_a_tree_made_by_add_is_one() -> None:
    root = one(id="a-1")
    root.add(one()).add(one())
    root.add(one())
    check_shape(root)
    assert [promise.id for promise in root.walk()] == ["a-1", "a-1.1", "a-1.1.1", "a-1.2"]


def test_a_promise_below_itself_is_refused() -> None:
    root = one()
    root.children.append(root)
    with pytest.raises(InputError, match="more than once"):
        check_shape(root)


def test_a_promise_with_two_parents_is_refused() -> None:
    root, shared = one(), one("shared")
    root.add(one()).add(shared)
    root.add(one()).add(shared)
    with pytest.raises(InputError):
        check_shape(root)


@pytest.mark.parametrize("change", [{"id": "0.2"}, {"depth": 0}, {"parent": "0.7"}, {"name": ""}])
def test_a_child_that_is_not_in_its_place_is_refused(change: dict[str, Any]) -> None:
    """Its path is the key of its effects, and its depth is its budget."""
    root = one()
    child = root.add(one())
    for name, value in change.items():
        setattr(child, name, value)
    with pytest.raises(InputError, match=r"Promise\.add"):
        check_shape(root)


def test_children_that_were_merely_appended_are_refused() -> None:
    root = one()
    root.children.extend((one(name="a"), one(name="b")))
    with pytest.raises(InputError, match=r"Promise\.add"):
        check_shape(root)


def test_a_tree_that_is_endlessly_deep_is_refused() -> None:
    root = deepest = one()
    for _ in range(400):
        deepest = deepest.add(one())
    with pytest.raises(LimitError, match="depth"):
        check_shape(root)


@pytest.mark.parametrize("id", ["", "../x", "0/1", "a b", "\x00", "a" * 65])
def test_an_id_that_could_not_be_part_of_a_key_is_refused(id: str) -> None:
    with pytest.raises(InputError, match="id of a tree"):
        check_shape(one(id=id))


@pytest.mark.parametrize("change", [{"argument": {1: "a"}}, {"context": {"a": {1, 2}}}, {"argument": float("nan")}])
def test_what_another_process_would_read_as_something_else_is_refused(change: dict[str, Any]) -> None:
    root = one()
    root.add(one(**change))
    with pytest.raises(InputError, match=r"promise 0\.1 is not"):
        check_shape(root)
