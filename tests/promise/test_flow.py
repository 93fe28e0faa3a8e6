"""How values move between promises: by reference, in order only, for each item, and grounds that count."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from mayfly.core import Invocation, NotSent
from mayfly.promise import ITEM, Done, Promise, State, from_json, result_of, saved, to_json
from promise.bed import RUN, Bed, leaf, tree


def of(capability: str, **more: Any) -> Promise[Any]:
    return Promise(more.pop("intent", capability), ground="ground", capability=capability, **more)


def add_echo(bed: Bed) -> None:
    bed.capability("echo", lambda call: dict(call.arguments), quick=True)


def test_an_argument_refers_to_the_result_of_a_sibling(bed: Bed) -> None:
    bed.capability("give", lambda call: {"text": "abc", "more": [1, 2]}, quick=True)
    add_echo(bed)
    told = {"whole": result_of("a"), "part": [result_of("a", at="text")], "plain": {"result of": 3}}
    root = bed.resolve(tree("both", of("give", name="a"), of("echo", name="b", argument=told)))
    assert root.children[1].needs == ("a",)
    given = {"whole": {"text": "abc", "more": [1, 2]}, "part": ["abc"], "plain": {"result of": 3}}
    assert root.children[1].value == given


def test_without_arguments_what_flows_in_fills_the_required_ones(bed: Bed) -> None:
    bed.capability("give", lambda call: 4, quick=True)
    schema = {"type": "object", "required": ["number"], "additionalProperties": False, "properties": {"number": {}}}
    bed.capability("double", lambda call: call.arguments["number"] * 2, quick=True, input_schema=schema)
    root = bed.resolve(tree("both", of("give", name="a"), of("double", name="b", needs=("a",))))
    assert root.value == 8


def test_a_field_that_is_not_there_collapses_the_one_who_refers_to_it(bed: Bed) -> None:
    bed.capability("give", lambda call: {"text": "abc"}, quick=True)
    add_echo(bed)
    root = bed.resolve(
        tree("both", of("give", name="a"), of("echo", name="b", argument={"x": result_of("a", at="no")}))
    )
    assert (root.state, root.code) == (State.COLLAPSED, "LEAF_INPUT")
    assert "there is no 'no'" in root.reason


def test_arguments_that_the_schema_refuses_are_never_passed_on(bed: Bed) -> None:
    called: list[Invocation] = []
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    bed.capability("send", called.append, effect="once", input_schema=schema)
    root = bed.resolve(of("send", argument={"n": "three"}))
    assert (root.code, called) == ("LEAF_INPUT", [])
    assert "send: n must be a whole number, not text" in root.reason


def test_what_comes_after_waits_and_gets_nothing(bed: Bed) -> None:
    order: list[str] = []

    def slow(_: Invocation) -> int:
        time.sleep(0.1)
        order.append("slow")
        return 1

    def fast(call: Invocation) -> dict[str, object]:
        order.append("fast")
        return dict(call.arguments)

    bed.capability("slow", slow)
    bed.capability("fast", fast, quick=True)
    root = bed.resolve(tree("both", of("slow", name="a"), of("fast", name="b", after=("a",)), combine="record"))
    assert order == ["slow", "fast"]
    assert root.value == {"a": 1, "b": {}}


def test_what_comes_after_something_that_failed_is_not_done(bed: Bed) -> None:
    bed.capability("boom", lambda call: 1 / 0)
    add_echo(bed)
    root = bed.resolve(tree("both", of("boom", name="a"), of("echo", name="b", after=("a",))))
    assert root.children[1].reason.startswith("it comes after boom")


def test_order_in_a_circle_is_refused(bed: Bed) -> None:
    root = bed.resolve(tree("both", leaf("a", name="a", after=("b",)), leaf("b", name="b", needs=("a",))))
    assert root.code == "CYCLE"


def each(bed: Bed, items: object, **more: Any) -> Promise[Any]:
    bed.capability("list", lambda call: items, quick=True)
    bed.capability("size", lambda call: len(call.arguments["it"]), quick=True)
    template = of("size", intent="size of {item}", argument={"it": dict(ITEM)}, **more)
    every = Promise("size all", ground=None, name="all", each=result_of("list"), template=template)
    return tree("sizes", of("list", name="list"), every, combine="last")


def test_one_promise_is_made_for_each_item_of_a_result(bed: Bed) -> None:
    root = bed.resolve(each(bed, ["a", "bb"]))
    assert root.value == {"a": 1, "bb": 2}
    assert [(one.id, one.intent) for one in root.children[1].children] == [
        ("0.2.1", "size of a"),
        ("0.2.2", "size of bb"),
    ]


def test_items_without_names_give_a_list(bed: Bed) -> None:
    assert bed.resolve(each(bed, ["a", "a", "ccc"])).value == [1, 1, 3]


def test_no_items_give_nothing(bed: Bed) -> None:
    assert bed.resolve(each(bed, [])).value == {}


def test_a_field_of_each_item_can_be_meant(bed: Bed) -> None:
    bed.capability("list", lambda call: [{"path": "x"}, {"path": "yy"}], quick=True)
    bed.capability("size", lambda call: len(call.arguments["it"]), quick=True)
    template = of("size", argument={"it": {**ITEM, "at": "path"}})
    every = Promise("all", ground=None, name="all", each=result_of("list"), template=template)
    assert bed.resolve(tree("sizes", of("list", name="list"), every, combine="last")).value == [1, 2]


def test_what_is_no_list_cannot_be_gone_through(bed: Bed) -> None:
    root = bed.resolve(each(bed, "abc"))
    assert "for each of several, and what it needs gave 'abc'" in root.reason


def test_more_items_than_children_are_allowed_collapse(bed: Bed) -> None:
    root = bed.resolve(each(bed, [str(number) for number in range(65)]))
    assert (root.state, root.code) == (State.COLLAPSED, "BUDGET")
    assert "children: 65 is over the limit of 64" in root.reason


def test_items_count_as_promises_of_the_tree(bed: Bed) -> None:
    bed.limits = {"nodes": 4}
    assert bed.resolve(each(bed, ["a", "b", "c"])).code == "BUDGET"


def test_children_that_were_made_for_items_are_found_again(bed: Bed) -> None:
    calls: list[str] = []
    broken = True

    def size(call: Invocation) -> object:
        calls.append(call.arguments["it"])
        if call.arguments["it"] == "bb" and broken:
            raise NotSent("not now")
        return len(call.arguments["it"])

    bed.capability("list", lambda call: ["a", "bb"], quick=True)
    bed.capability("size", size)
    template = of("size", intent="size of {item}", argument={"it": dict(ITEM)})
    every = Promise("all", ground=None, name="all", each=result_of("list"), template=template)
    root = bed.resolve(tree("sizes", of("list", name="list"), every, combine="last"))
    assert root.state is State.COLLAPSED
    found = saved(bed.ledger, RUN).tree
    assert [one.state for one in found.children[1].children] == [State.RESOLVED, State.COLLAPSED]
    broken = False
    assert bed.resume().value == {"a": 1, "bb": 2}
    assert sorted(calls) == ["a", "bb", "bb"]


def test_a_tree_with_templates_is_plain_data(bed: Bed) -> None:
    tree_ = each(bed, [])
    assert to_json(from_json(to_json(tree_))) == to_json(tree_)


def test_what_no_item_could_be_done_for_is_known_before_anything_runs(bed: Bed) -> None:
    root = each(bed, ["a"])
    root.children[1].template = Promise("knit {item}", ground=None, unserved="nothing: needs a model (--model)")
    bed.resolve(root)
    assert root.code == "UNSERVED"
    assert "needs a model" in root.reason
    assert root.children[0].state is State.PENDING


def test_the_ground_of_an_optional_child_counts(bed: Bed) -> None:
    bed.engine.table = {"bad": lambda job: Done(status="collapsed", reason="no", code="WEAK"), "good": lambda job: 1}
    bad = leaf("bad", name="bad", ground="unknown", optional=True)
    root = bed.resolve(tree("both", bad, leaf("good", name="good")))
    assert (root.state, root.value) == (State.RESOLVED, {"bad": "unknown", "good": 1})
    assert root.proof is not None
    assert root.proof.strength == "weak"
    assert "1 of them ground" in root.proof.description
    assert saved(bed.ledger, RUN).tree.value == root.value


def test_who_needs_an_optional_sibling_gets_its_ground(bed: Bed) -> None:
    bed.capability("boom", lambda call: 1 / 0)
    add_echo(bed)
    boom = of("boom", name="a", optional=True)
    root = bed.resolve(tree("both", boom, of("echo", name="b", argument={"x": result_of("a")})))
    assert root.value == {"x": "ground"}


@pytest.mark.parametrize(
    ("error", "times"), [(ConnectionResetError("gone"), 3), (FileNotFoundError("no"), 1), (ValueError("no"), 1)]
)
def test_what_changes_nothing_is_called_again_after_what_may_pass(bed: Bed, error: Exception, times: int) -> None:
    calls: list[int] = []

    def shaky(call: Invocation) -> object:
        calls.append(1)
        if len(calls) < 3:
            raise error
        return "there"

    bed.effect_delays = (1.0, 2.0, 4.0)
    bed.capability("shaky", shaky)
    root = bed.resolve(of("shaky"))
    assert len(calls) == times
    assert (root.value == "there") is (times == 3)


class Name(str):
    """A name whose comparisons are counted as steps, also those that a list or a set makes."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)


def steps(work: Callable[[], object]) -> int:
    """Count the steps that the interpreter takes over *work*: they are the same on every machine."""
    taken = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal taken
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        taken += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return taken


def test_a_wide_tree_takes_as_long_as_it_is_wide() -> None:
    def build(width: int) -> None:
        root: Promise[Any] = Promise("all", ground=None)
        for number in range(width):
            root.add(Promise("one", ground=None, name=Name(f"n{number}")))
        root.order()

    # Eight times as wide; a look over all siblings for each would take 64 times as many.
    assert steps(lambda: build(800)) < 9 * steps(lambda: build(100))
