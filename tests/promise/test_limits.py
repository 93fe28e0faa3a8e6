"""Limits of a tree hold before anything of it runs: nothing is sent for a tree, or a growth, that is over one."""

from __future__ import annotations

from typing import Any

import pytest

from mayfly.promise import ITEM, Children, Promise, State, result_of
from promise.bed import Bed, tree


@pytest.fixture
def sent(bed: Bed) -> list[object]:
    """Register an effect, and return what was sent with it."""
    found: list[object] = []

    def send(call: Any) -> int:
        found.append(call.arguments.get("n"))
        return len(found)

    bed.capability("send", send, effect="idempotent")
    return found


def send(n: object = 0, **more: Any) -> Promise[Any]:
    return Promise(f"send {n}", ground=None, capability="send", argument={"n": n}, **more)


def each(items: object, template: Promise[Any], **more: Any) -> Promise[Any]:
    return Promise("for each", ground=None, each=items, template=template, **more)


def below(levels: int, leaf: Promise[Any]) -> Promise[Any]:
    for _ in range(levels):
        leaf = tree("below", leaf)
    return leaf


@pytest.mark.parametrize(
    ("late", "limits", "reason"),
    [
        (lambda: send(), {"nodes": 4}, "promises: 5 is over the limit of 4; raise MAYFLY_PROMISE_MAX_NODES"),
        (
            lambda: each([1, 2], send()),
            {"nodes": 6},
            "promises: 7 is over the limit of 6; raise MAYFLY_PROMISE_MAX_NOD",
        ),
        (lambda: each([1, 2], each([3, 4], send())), {"nodes": 8}, "promises: 11 is over the limit of 8"),
        (lambda: below(3, send()), {}, "depth: 4 is over the limit of 3; raise MAYFLY_PROMISE_MAX_DEPTH"),
        (lambda: below(2, each([1], send())), {}, "depth: 4 is over the limit of 3"),
        (lambda: below(2, each(result_of("x"), send())), {}, "depth: 4 is over the limit of 3"),
        (lambda: each([0] * 65, send()), {}, "children: 65 is over the limit of 64; raise MAYFLY_PROMISE_MAX_CHILDREN"),
        (lambda: each([1], each((0,) * 65, send())), {}, "children: 65 is over the limit of 64"),
    ],
)
def test_nothing_of_a_tree_over_a_limit_runs(
    bed: Bed, sent: list[object], late: Any, limits: dict[str, Any], reason: str
) -> None:
    bed.limits = limits
    root = bed.resolve(tree("all", send(1), send(2), send(3), late()))
    assert (root.state, sent) == (State.COLLAPSED, [])
    assert root.reason.startswith(reason)
    assert root.code == ("DEPTH" if "depth" in reason else "BUDGET")
    assert [child.state for child in root.children] == [State.PENDING] * 4


def test_a_refused_run_goes_on_once_the_limit_is_raised(bed: Bed, sent: list[object]) -> None:
    bed.limits = {"nodes": 3}
    assert bed.resolve(tree("all", send(1), send(2), send(3), combine="list")).state is State.COLLAPSED
    assert bed.resume().state is State.COLLAPSED
    bed.limits = {"nodes": 4}
    assert sorted(bed.resume().value) == [1, 2, 3]
    assert sorted(map(str, sent)) == ["1", "2", "3"]


def test_a_resumed_tree_counts_with_all_it_has_grown_by(bed: Bed, sent: list[object]) -> None:
    bed.capability("list", lambda call: [1, 2])
    bed.capability("last", lambda call: 1 / 0)
    listed = Promise("list", ground=None, name="list", capability="list")
    last = Promise("last", ground=None, capability="last", after=("each",))
    bed.resolve(tree("all", listed, each(result_of("list"), send(dict(ITEM)), name="each"), last))
    assert sorted(map(str, sent)) == ["1", "2"]
    bed.limits = {"nodes": 5}
    assert bed.resume().reason.startswith("promises: 6 is over the limit of 5")
    bed.limits = {"nodes": 6}
    assert "last" in bed.resume().reason


GROWN: list[tuple[Any, int]] = [
    (lambda: (send(1), send(2)), 3),
    (lambda: (tree("inner", send(1), send(2)),), 4),
    (lambda: (each([1, 2], send(dict(ITEM))),), 4),
    # The list of the inner ones is an item of the outer one: it is known when the outer one has grown.
    (lambda: (each([[1, 2], [3]], each(dict(ITEM), send(dict(ITEM)))),), 7),
]


@pytest.mark.parametrize(("children", "nodes"), GROWN)
@pytest.mark.parametrize("missing", [0, 1])
def test_children_from_a_result_run_together_or_not_at_all(
    bed: Bed, sent: list[object], children: Any, nodes: int, missing: int
) -> None:
    bed.capability("several", lambda call: Children(children=children(), combine="list"))
    bed.limits = {"nodes": nodes - missing}
    root = bed.resolve(Promise("several", ground=None, capability="several"))
    assert (root.state is State.RESOLVED, bool(sent)) == (not missing, not missing)
    assert not missing or f"promises: {nodes} is over the limit of {nodes - 1}; raise MAYFLY" in root.reason


def test_what_a_list_is_made_into_runs_together_or_not_at_all(bed: Bed, sent: list[object]) -> None:
    bed.capability("list", lambda call: ["a", "b", "c"])
    listed = Promise("list", ground=None, name="list", capability="list")
    template = tree("one", send(1), send(2))
    bed.limits = {"nodes": 11}
    root = bed.resolve(tree("all", listed, each(result_of("list"), template)))
    assert root.reason == "for each: promises: 12 is over the limit of 11; raise MAYFLY_PROMISE_MAX_NODES"
    assert (root.children[1].children, sent) == ([], [])


def test_children_from_a_result_that_lie_too_deep_do_not_run(bed: Bed, sent: list[object]) -> None:
    bed.capability("several", lambda call: Children(children=(send(1), below(2, send(2)))))
    root = bed.resolve(tree("all", Promise("several", ground=None, capability="several")))
    assert (root.code, sent) == ("DEPTH", [])
