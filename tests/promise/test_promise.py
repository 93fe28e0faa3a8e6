from __future__ import annotations

import json
from typing import Any

import pytest

from mayfly.core import UNSET, Example, InputError
from mayfly.promise import Evidence, IllegalTransition, Promise, Reality, State, from_json, to_json
from mayfly.promise._promise import Cycle, IntentKind, ordered

PROOF = Evidence(description="it was looked at", confidence=0.9, check="looked", strength="strong")


def test_a_promise_without_ground_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="ground"):
        Promise("Calculate total")  # type: ignore[call-arg]


def test_ground_may_be_none_and_is_not_a_resolved_none() -> None:
    waiting: Promise[Any] = Promise("find the user", ground=None)
    found: Promise[Any] = Promise("find the user", ground="nobody")
    found.begin()
    found.resolve(None, PROOF)
    assert waiting.value is None
    assert waiting.resolved is UNSET
    assert found.value is None
    assert found.resolved is None
    assert found.state is State.RESOLVED


def test_budgets_shrink_with_depth() -> None:
    root: Promise[Any] = Promise("a", ground=None)
    child = root.add(Promise("b", ground=None))
    leaf = child.add(Promise("c", ground=None))
    deepest = leaf.add(Promise("d", ground=None))
    assert [round(one.budget, 3) for one in (root, child, leaf, deepest)] == [1.0, 0.5, 0.333, 0.25]


def test_children_know_what_their_parent_knows() -> None:
    root: Promise[Any] = Promise("a", ground=None, context={"language": "python", "strict": True})
    child = root.add(Promise("b", ground=None, context={"strict": False}))
    assert child.context == {"language": "python", "strict": False}
    assert child.parent == "0"
    assert child.id == "0.1"


def test_a_branch_that_was_built_before_it_was_added_gets_its_places() -> None:
    branch: Promise[Any] = Promise("b", ground=None)
    leaf = branch.add(Promise("c", ground=None))
    root: Promise[Any] = Promise("a", ground=None)
    root.add(Promise("first", ground=None))
    root.add(branch)
    assert (leaf.id, leaf.parent, leaf.depth) == ("0.2.1", "0.2", 2)


MOVES = {
    "begin": lambda one: one.begin(),
    "resolve": lambda one: one.resolve(1, PROOF),
    "collapse": lambda one: one.collapse("no", "TEST"),
    "fail": lambda one: one.fail("boom"),
}
LEGAL = {
    State.PENDING: {"begin", "collapse"},
    State.RESOLVING: {"resolve", "collapse", "fail"},
    State.RESOLVED: set(),
    State.COLLAPSED: set(),
    State.FAILED: set(),
}


def _at(state: State) -> Promise[Any]:
    promise: Promise[Any] = Promise("x", ground="ground")
    way = {
        State.PENDING: [],
        State.RESOLVING: ["begin"],
        State.RESOLVED: ["begin", "resolve"],
        State.COLLAPSED: ["begin", "collapse"],
        State.FAILED: ["begin", "fail"],
    }
    for move in way[state]:
        MOVES[move](promise)
    return promise


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("move", sorted(MOVES))
def test_only_legal_moves_are_made(state: State, move: str) -> None:
    promise = _at(state)
    before = to_json(promise)
    if move in LEGAL[state]:
        MOVES[move](promise)
        assert promise.state is not state
    else:
        with pytest.raises(IllegalTransition):
            MOVES[move](promise)
        assert to_json(promise) == before


def test_the_state_cannot_be_set_by_hand() -> None:
    promise: Promise[Any] = Promise("x", ground=None)
    with pytest.raises(AttributeError):
        promise.state = State.RESOLVED  # type: ignore[misc]


def test_a_failed_promise_gives_its_ground_and_keeps_the_error() -> None:
    promise = _at(State.FAILED)
    assert (promise.value, promise.error, promise.code) == ("ground", "boom", "UNEXPECTED")


def test_children_come_before_any_work() -> None:
    promise = _at(State.RESOLVING)
    with pytest.raises(IllegalTransition):
        promise.add(Promise("late", ground=None))


def test_a_name_is_given_once_among_siblings() -> None:
    root: Promise[Any] = Promise("a", ground=None)
    root.add(Promise("b", ground=None, name="same"))
    with pytest.raises(InputError, match="already has a child 'same'"):
        root.add(Promise("c", ground=None, name="same"))
    assert len(root.children) == 1


def test_nothing_is_below_itself() -> None:
    root: Promise[Any] = Promise("a", ground=None)
    child = root.add(Promise("b", ground=None))
    for ancestor in (child, root):
        with pytest.raises(InputError, match="below itself"):
            child.add(ancestor)


def test_siblings_are_ordered_by_what_they_need() -> None:
    root: Promise[Any] = Promise("a", ground=None)
    for name, needs in {"write": ("read",), "read": (), "test": ("write", "read"), "look": ()}.items():
        root.add(Promise(name, ground=None, name=name, needs=needs))
    assert [child.name for child in root.order()] == ["read", "look", "write", "test"]


@pytest.mark.parametrize(
    "needs", [{"a": ("a",)}, {"a": ("b",), "b": ("a",)}, {"a": ("c",), "b": ("a",), "c": ("b",), "d": ()}]
)
def test_a_cycle_is_named(needs: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(Cycle, match=r"^cycle: '\w' needs '\w'") as caught:
        ordered(needs)
    assert caught.value.code == "CYCLE"


def test_needing_somebody_who_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="no such sibling"):
        ordered({"a": ("ghost",)})


def _tree() -> Promise[Any]:
    root: Promise[Any] = Promise("fix it", ground={"fixed": False}, context={"n": 1}, combine="record")
    root.reality = Reality(kind=IntentKind.PROBABILISTIC, confidence=0.7, reasoning="two steps")
    read: Promise[Any] = Promise("read", ground="", name="read", argument=None, capability="read_file")
    root.add(read)
    root.add(Promise("fix", ground=None, needs=("read",), examples=(Example(input=[1], output=None),), test="x = 1"))
    root.begin()
    read.begin()
    read.resolve(None, PROOF)
    root.children[1].collapse("no model", "NO_MODEL")
    return root


def test_a_tree_goes_through_json_and_back() -> None:
    tree = _tree()
    text = json.dumps(to_json(tree))
    assert from_json(json.loads(text)) == tree
    assert to_json(from_json(json.loads(text))) == json.loads(text)


@pytest.mark.parametrize("broken", [{}, {"intent": "x"}, {"state": "flying"}, {"children": 3}, {"resolved": 1}])
def test_data_that_is_no_tree_is_refused(broken: dict[str, Any]) -> None:
    data = to_json(Promise("x", ground=None))
    with pytest.raises(InputError, match="no tree"):
        from_json({**data, **broken} if broken and "intent" not in broken else broken)
