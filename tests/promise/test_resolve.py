from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import HelpNeeded, InputError, Proof
from mayfly.promise import Done, Promise, Reality, State, Work, saved
from mayfly.promise._promise import IntentKind
from promise.bed import RUN, Bed, leaf, tree


def test_leaves_come_first_and_a_parent_is_made_of_proven_children(bed: Bed) -> None:
    bed.engine.table = {"one": lambda job: 1, "two": lambda job: 2}
    root = bed.resolve(tree("both", leaf("one", name="a"), leaf("two", name="b")))
    assert root.value == {"a": 1, "b": 2}
    ends = [node for node, state in bed.seen if state == "resolved"]
    assert ends[-1] == "0"
    assert set(ends[:-1]) == {"0.1", "0.2"}


def test_a_child_that_needs_another_works_on_its_proven_value(bed: Bed) -> None:
    bed.engine.table = {"read": lambda job: "text", "count": lambda job: len(str(job.argument))}
    root = bed.resolve(tree("count", leaf("read", name="read"), leaf("count", name="count", needs=("read",))))
    assert root.value == 4


def test_a_child_that_needs_several_gets_them_by_name(bed: Bed) -> None:
    bed.engine.table = {"a": lambda job: 1, "b": lambda job: 2, "sum": lambda job: job.argument}
    last = leaf("sum", name="sum", needs=("a", "b"))
    root = bed.resolve(tree("sum", leaf("a", name="a"), leaf("b", name="b"), last))
    assert root.value == {"a": 1, "b": 2}


def _total(job: Any) -> int:
    return sum(job.argument)


def test_what_a_parent_was_given_reaches_its_first_children(bed: Bed) -> None:
    bed.engine.table = {"first": lambda job: [1, 2], "inner": _total}
    branch = tree("then", leaf("inner", name="i"), name="branch", needs=("first",), combine="last")
    root = bed.resolve(tree("all", leaf("first", name="first"), branch))
    assert root.value == 3


def test_independent_children_run_at_the_same_time(bed: Bed) -> None:
    together = asyncio.Barrier(3)

    async def meet(job: Any) -> int:
        await asyncio.wait_for(together.wait(), 100)
        return 1

    bed.engine.table = dict.fromkeys("abc", meet)
    root = bed.resolve(tree("meet", *(leaf(name, name=name) for name in "abc")))
    assert root.state is State.RESOLVED


def test_a_chaotic_promise_gives_its_ground_and_nothing_is_asked(bed: Bed) -> None:
    chaotic = leaf("improve everything forever", ground="as it was")
    chaotic.reality = Reality(kind=IntentKind.CHAOTIC, confidence=0.9, reasoning="no bounds: 'forever'")
    root = bed.resolve(chaotic)
    assert (root.state, root.value, root.code) == (State.COLLAPSED, "as it was", "CHAOTIC")
    assert "forever" in root.reason
    assert bed.engine.jobs == []


def test_a_tree_that_is_too_deep_gives_its_ground(bed: Bed) -> None:
    bed.max_depth = 1
    root = bed.resolve(tree("a", tree("b", leaf("c"), ground=None)))
    assert (root.state, root.code) == (State.COLLAPSED, "DEPTH")
    assert bed.engine.jobs == []


def test_a_collapsed_child_collapses_its_parent_while_proven_ones_stay_proven(bed: Bed) -> None:
    bed.engine.table = {"good": lambda job: 1, "bad": lambda job: Done(status="collapsed", reason="no", code="WEAK")}
    root = bed.resolve(tree("both", leaf("good"), leaf("bad")))
    assert root.value == "ground"
    assert (root.state, root.code) == (State.COLLAPSED, "WEAK")
    assert "bad: no" in root.reason
    assert root.children[0].state is State.RESOLVED


def test_what_needs_a_collapsed_sibling_is_not_tried(bed: Bed) -> None:
    bed.engine.table = {"bad": lambda job: Done(status="collapsed", reason="no", code="WEAK")}
    root = bed.resolve(tree("both", leaf("bad", name="bad"), leaf("after", needs=("bad",))))
    assert [job.intent for job in bed.engine.jobs] == ["bad"]
    assert root.children[1].state is State.COLLAPSED
    assert "it needs bad" in root.children[1].reason


def test_an_unforeseen_error_fails_a_leaf_and_is_kept(bed: Bed) -> None:
    def boom(job: Any) -> None:
        raise ZeroDivisionError("nobody thought of it")

    bed.engine.table = {"boom": boom}
    root = bed.resolve(leaf("boom", ground=[]))
    assert (root.state, root.value) == (State.FAILED, [])
    assert root.error == "ZeroDivisionError: nobody thought of it"


@pytest.mark.parametrize(
    ("error", "code"),
    [(InputError("wrong"), "LEAF_INPUT"), (HelpNeeded("coder", "x", 3, "never passed"), "HELP")],
)
def test_what_is_foreseen_collapses_with_its_code(bed: Bed, error: Exception, code: str) -> None:
    def refuse(job: Any) -> None:
        raise error

    bed.engine.table = {"x": refuse}
    root = bed.resolve(leaf("x"))
    assert (root.state, root.code) == (State.COLLAPSED, code)


GIVEN = "def test(result):\n    return {}\n"


def test_a_parent_whose_test_fails_collapses_alone(bed: Bed) -> None:
    bed.engine.table = {"one": lambda job: 1, "two": lambda job: 2}
    root = bed.resolve(tree("sum", leaf("one", name="a"), leaf("two", name="b"), test=GIVEN.format("result['a'] == 7")))
    assert (root.state, root.value, root.code) == (State.COLLAPSED, "ground", "TEST")
    assert [child.state for child in root.children] == [State.RESOLVED, State.RESOLVED]


def test_a_parent_whose_test_holds_is_kept_with_it(bed: Bed) -> None:
    bed.engine.table = {"one": lambda job: 1, "two": lambda job: 2}
    test = GIVEN.format("result == {'a': 1, 'b': 2}")
    root = bed.resolve(tree("sum", leaf("one", name="a"), leaf("two", name="b"), test=test))
    assert root.state is State.RESOLVED
    assert root.proof is not None
    assert "result == {'a': 1, 'b': 2}" in root.proof.source


@pytest.mark.parametrize("body", ["1", "None", "'True'", "1 / 0", "[].pop()", "exit()", "[0 for _ in iter(int, 1)]"])
def test_a_test_that_does_not_say_true_accepts_nothing(bed: Bed, body: str) -> None:
    bed.test_seconds = 1.0
    bed.engine.table = {"one": lambda job: 1}
    root = bed.resolve(leaf("one", ground="ground", test=GIVEN.format(body)))
    assert (root.state, root.value) == (State.COLLAPSED, "ground")


def test_a_test_that_accepts_everything_proves_nothing(bed: Bed) -> None:
    bed.engine.table = {"one": lambda job: 1}
    root = bed.resolve(leaf("one", test=GIVEN.format("True")))
    assert (root.state, root.code) == (State.COLLAPSED, "TEST")


def test_children_that_need_each_other_collapse_their_parent(bed: Bed) -> None:
    root = bed.resolve(tree("x", leaf("a", name="a", needs=("b",)), leaf("b", name="b", needs=("a",))))
    assert (root.state, root.code) == (State.COLLAPSED, "CYCLE")
    assert "cycle" in root.reason
    assert bed.engine.jobs == []


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("last", [3]), ("record", {"1": [1, 2], "2": [3]}), ("list", [[1, 2], [3]]), ("concat", [1, 2, 3])],
)
def test_children_are_combined_as_planned(bed: Bed, kind: Any, expected: object) -> None:
    bed.engine.table = {"a": lambda job: [1, 2], "b": lambda job: [3]}
    root = bed.resolve(tree("x", leaf("a"), leaf("b"), combine=kind))
    assert root.value == expected


def _product(job: Any) -> int:
    return int(job.argument["x"] * job.argument["y"])


def test_a_combiner_is_compiled_where_nothing_simple_will_do(bed: Bed) -> None:
    bed.engine.table = {
        "a": lambda job: 2,
        "b": lambda job: 3,
        "multiply": _product,
    }
    root = bed.resolve(tree("multiply", leaf("a", name="x"), leaf("b", name="y"), combine="compiled"))
    assert root.value == 6
    assert bed.engine.jobs[-1].work.kind == "compile"


def _lines(path: Path, job: Any) -> list[str]:
    return path.read_bytes()[job.part.start : job.part.stop].decode().split()


def _parts(bed: Bed, merge: str | None) -> Promise[Any]:
    path = bed.workspace / "a.log"
    path.write_text("a\nb\nc\n")
    bed.engine.table = {
        "write": lambda job: {"agent": "f" * 64, "merge": merge, "reason": "the order matters"},
        "part": lambda job: _lines(path, job),
        "all": lambda job: _lines(path, job)[::-1],
    }
    root = tree("all", Promise("write", ground=None, name="agent", work=Work(kind="write")), combine="merge")
    for start in (0, 2, 4):
        part = {"path": str(path), "start": start, "stop": start + 2}
        root.add(Promise("part", ground=None, needs=("agent",), work=Work(kind="run"), argument=part))
    return bed.resolve(root)


def test_parts_of_a_file_are_joined_as_proven(bed: Bed) -> None:
    root = _parts(bed, "concat")
    assert root.value == ["a", "b", "c"]
    assert {job.work.name for job in bed.engine.jobs[1:]} == {"f" * 64}


def test_what_was_joined_is_kept(bed: Bed) -> None:
    _parts(bed, "concat")
    assert saved(bed.ledger, RUN).tree.value == ["a", "b", "c"]


def test_parts_that_cannot_be_joined_are_run_as_a_whole(bed: Bed) -> None:
    root = _parts(bed, None)
    assert root.value == ["c", "b", "a"]
    assert [job.intent for job in bed.engine.jobs] == ["write", "all"]
    assert {child.code for child in root.children[1:]} == {"WHOLE"}


def test_a_leaf_without_time_left_collapses_and_names_the_limit(bed: Bed) -> None:
    bed.limits = {"sandbox_seconds": 0}
    root = bed.resolve(leaf("x"))
    assert (root.state, root.code) == (State.COLLAPSED, "BUDGET")
    assert "seconds behind the wall" in root.reason


def test_time_that_is_up_ends_the_tree_and_reaches_its_leaves(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    async def forever(job: Any) -> None:
        loop = asyncio.get_running_loop()
        later = loop.time() + 1000
        monkeypatch.setattr(loop, "time", lambda: later)
        await asyncio.Event().wait()

    bed.limits = {"seconds": 500}
    bed.engine.table = {"x": forever}
    root = bed.resolve(tree("slow", leaf("x")))
    assert (root.state, root.code) == (State.COLLAPSED, "BUDGET")
    assert bed.engine.cancelled == ["0.1"]


def test_time_that_is_up_leaves_no_promise_open(bed: Bed) -> None:
    async def forever(job: Any) -> None:
        await asyncio.sleep(60)

    bed.limits = {"seconds": 0.5}
    bed.engine.table = {"x": forever, "y": lambda job: 1}
    root = bed.resolve(tree("slow", leaf("x", name="x"), leaf("y"), leaf("z", needs=("x",))))
    ended = [State.COLLAPSED, State.COLLAPSED, State.RESOLVED, State.COLLAPSED]
    assert [promise.state for promise in root.walk()] == ended
    assert [promise.state for promise in saved(bed.ledger, RUN).tree.walk()] == ended
    assert {event["code"] for event in bed.events("promise.collapsed")} == {"BUDGET"}


def test_every_transition_is_in_the_ledger_in_order(bed: Bed) -> None:
    bed.engine.table = {"good": lambda job: 1, "bad": lambda job: Done(status="collapsed", reason="no", code="WEAK")}
    bed.resolve(tree("both", leaf("good"), leaf("bad")))
    story = [
        (event.kind.removeprefix("promise."), event.payload["node"])
        for event in bed.ledger.read(subject="r-00000001")
        if event.kind not in ("promise.planned",)
    ]
    assert story[0] == ("began", "0")
    assert story[-1] == ("collapsed", "0")
    assert set(story) == {
        ("began", "0"),
        ("began", "0.1"),
        ("began", "0.2"),
        ("resolved", "0.1"),
        ("collapsed", "0.2"),
        ("collapsed", "0"),
    }
    numbers = [int(str(event.payload["seq"])) for event in bed.ledger.read(subject="r-00000001")]
    assert numbers == sorted(numbers)


def test_a_collapse_says_intent_depth_reason_and_ground(bed: Bed) -> None:
    bed.resolve(leaf("x", ground={"safe": True}, depth=0, context={}))
    (collapsed,) = bed.events("promise.failed")
    assert collapsed["intent"] == "x"
    assert collapsed["ground_value"] == {"safe": True}
    assert collapsed["depth"] == 0


def test_the_same_question_is_not_worked_on_twice_in_another_run(bed: Bed) -> None:
    bed.engine.table = {"x": lambda job: 41}
    bed.resolve(leaf("x", argument=1), run="r-00000001")
    again = bed.resolve(leaf("x", argument=1), run="r-00000002")
    other = bed.resolve(leaf("x", argument=2), run="r-00000003")
    assert again.value == other.value == 41
    assert [job.argument for job in bed.engine.jobs] == [1, 2]


def test_a_value_without_any_proof_is_not_accepted(bed: Bed) -> None:
    bed.engine.table = {"x": lambda job: Done(status="resolved", value=1)}
    root = bed.resolve(leaf("x"))
    assert (root.state, root.code) == (State.COLLAPSED, "TEST")


def test_a_weak_value_of_another_run_is_not_enough_for_one_that_wants_strong_ones(bed: Bed) -> None:
    weak = Done(status="resolved", value=41, proof=Proof(strength="weak", tests=1))
    bed.engine.table = {"x": lambda job: weak if job.accept_weak else Done(status="collapsed", reason="weak")}
    bed.accept_weak = True
    assert bed.resolve(leaf("x", argument=1), run="r-00000001").value == 41
    bed.accept_weak = False
    assert bed.resolve(leaf("x", argument=1), run="r-00000002").state is State.COLLAPSED


@pytest.mark.parametrize("given", [{"path": "a", "start": "0", "stop": 9}, {"path": 5, "start": 0, "stop": None}])
def test_a_record_that_only_looks_like_a_part_of_a_file_is_data(bed: Bed, given: dict[str, object]) -> None:
    bed.engine.table = {"x": lambda job: job.argument}
    assert bed.resolve(leaf("x", argument=given)).value == given


def test_a_watcher_that_fails_changes_nothing(bed: Bed) -> None:
    class Angry(list[Any]):
        def append(self, item: Any) -> None:
            raise RuntimeError("no")

    bed.seen = Angry()
    bed.engine.table = {"x": lambda job: 1}
    assert bed.resolve(leaf("x")).value == 1
