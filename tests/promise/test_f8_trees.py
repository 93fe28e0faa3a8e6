"""F8: retries for all capabilities, children from a result, the ground of a child, functions called elsewhere."""

from __future__ import annotations

import asyncio
import os
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from mayfly.core import Capability, InputError, Retry, Settings
from mayfly.library import capability
from mayfly.promise import Children, Done, Job, Promise, State, reason_of, result_of, saved
from mayfly.runtime._leaf import LeafWorker
from promise import functions
from promise.bed import RUN, Bed, tree


def of(serves: str, **more: Any) -> Promise[Any]:
    return Promise(f"use {serves}", ground=more.pop("ground", None), capability=serves, **more)


@pytest.fixture(autouse=True)
def no_calls() -> None:
    functions.CALLS.clear()


def failing(times: int, error: Exception) -> Any:
    calls: list[int] = []

    def call(_: object) -> str:
        calls.append(1)
        if len(calls) <= times:
            raise error
        return "done"

    return call


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("effect", ["none", "idempotent"])
def test_f8_a_function_of_the_host_is_tried_again_as_its_policy_says(bed: Bed, effect: Any, quick: bool) -> None:
    retry = Retry(times=3, delay=0.5, factor=3.0)
    bed.capability("shaky", failing(2, ValueError("not yet")), effect=effect, retry=retry, quick=quick)
    assert bed.resolve(of("shaky")).value == "done"
    assert bed.sleeps == [0.5, 1.5]


def test_f8_no_more_often_than_that(bed: Bed) -> None:
    bed.capability("broken", failing(3, ValueError("never")), retry=Retry(times=2, delay=0.1, factor=1.0))
    root = bed.resolve(of("broken"))
    assert (root.state, root.reason) == (State.FAILED, "ValueError: never")
    assert bed.sleeps == [0.1, 0.1]


@pytest.mark.parametrize(
    ("error", "retry"),
    [
        (ValueError("x"), Retry(on=(KeyError,))),
        (InputError("wrong"), Retry()),
        (ValueError("x"), None),
    ],
)
def test_f8_what_the_policy_does_not_name_is_not_tried_again(bed: Bed, error: Exception, retry: Retry | None) -> None:
    bed.capability("broken", failing(1, error), retry=retry)
    assert bed.resolve(of("broken")).state is not State.RESOLVED
    assert bed.sleeps == []


def test_f8_what_is_sent_once_has_no_policy_of_trying_again() -> None:
    with pytest.raises(InputError, match="never tried again"):
        Capability(name="pay", call=lambda call: 1, effect="once", retry=Retry())


@pytest.mark.parametrize("wrong", [{"times": -1}, {"delay": -1.0}, {"factor": 0.5}])
def test_f8_a_policy_that_makes_no_sense_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        Retry(**wrong)


def numbers(call: Any) -> Children:
    several = tuple(of("double", name=f"n{number}", argument={"number": number}) for number in (1, 2, 3))
    return Children(children=several, combine="list")


def doubling(bed: Bed) -> None:
    bed.capability("numbers", numbers)
    bed.capability("double", lambda call: call.arguments["number"] * 2)


def test_f8_a_node_that_ends_may_hand_in_children_whose_values_become_its_own(bed: Bed) -> None:
    doubling(bed)
    root = bed.resolve(tree("all", of("numbers", name="n")))
    assert root.value == {"n": [2, 4, 6]}
    assert [child.id for child in root.children[0].children] == ["0.1.1", "0.1.2", "0.1.3"]
    assert saved(bed.ledger, RUN).tree.value == root.value


def test_f8_children_that_were_handed_in_are_planned_for_whoever_resumes(bed: Bed) -> None:
    bed.capability("numbers", numbers)
    bed.capability("double", lambda call: 12 // (call.arguments["number"] - 2))
    assert bed.resolve(of("numbers")).state is State.COLLAPSED
    bed.registry = type(bed.registry)()
    bed.capability("numbers", failing(9, AssertionError("it is not called again: its children are known")))
    bed.capability("double", lambda call: call.arguments["number"] * 2)
    assert bed.resume().value == [-12, 4, 12]


@pytest.mark.parametrize(
    ("handed_in", "reason"),
    [
        (lambda: [of("double") for _ in range(65)], "children: 65 is over the limit of 64"),
        (lambda: [of("double", name="a"), of("double", name="a")], "already has a child 'a'"),
        (lambda: [of("double", name="a", needs=("b",)), of("double", name="b", needs=("a",))], "cycle"),
        (lambda: tree("x", of("double")).children, "belongs to another promise"),
    ],
)
def test_f8_children_that_cannot_be_are_refused(bed: Bed, handed_in: Any, reason: str) -> None:
    bed.capability("numbers", lambda call: Children(children=tuple(handed_in())))
    bed.capability("double", lambda call: 1)
    root = bed.resolve(of("numbers"))
    assert root.state is not State.RESOLVED
    assert reason in root.reason


def test_f8_what_has_an_effect_hands_in_no_children(bed: Bed) -> None:
    bed.capability("numbers", numbers, effect="transactional")
    assert "only one that changes nothing" in bed.resolve(of("numbers")).reason


def test_f8_a_parent_goes_on_with_the_ground_of_an_optional_child_and_its_reason(bed: Bed) -> None:
    bed.capability("fetch", failing(9, ValueError("no route")))
    bed.capability("tell", lambda call: call.arguments)
    told = {"value": result_of("fetch"), "why": reason_of("fetch")}
    root = bed.resolve(
        tree("both", of("fetch", name="fetch", ground="old", optional=True), of("tell", name="tell", argument=told))
    )
    assert root.value == {"value": "old", "why": "ValueError: no route"}
    assert root.children[1].needs == ("fetch",)
    assert root.proof is not None
    assert "1 of them ground (fetch: ValueError: no route)" in root.proof.description


def test_f8_the_reason_of_what_was_kept_is_empty(bed: Bed) -> None:
    bed.capability("fetch", lambda call: "new")
    bed.capability("tell", lambda call: call.arguments["why"])
    root = bed.resolve(tree("both", of("fetch", name="fetch"), of("tell", argument={"why": reason_of("fetch")})))
    assert root.value == ""


class Elsewhere:
    """An engine with a worker of its own, as a node of a cluster has one; it remembers what it was given."""

    name = "elsewhere"

    def __init__(self, worker: LeafWorker) -> None:
        self.worker = worker
        self.jobs: list[Job] = []

    async def do(self, job: Job) -> Done:
        self.jobs.append(pickle.loads(pickle.dumps(job)))
        return await asyncio.to_thread(self.worker.do, self.jobs[-1])

    def cores(self) -> int:
        return 1

    async def aclose(self) -> None:
        """Nothing is held."""


@pytest.fixture
def elsewhere(bed: Bed, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Iterator[Elsewhere]:
    from mayfly.promise import _leaves

    worker = LeafWorker(Settings(state_dir=str(tmp_path / "there")))
    engine = Elsewhere(worker)
    made = _leaves.Leaves.__post_init__

    def spread(leaves: Any) -> None:
        leaves.engine = engine
        made(leaves)

    monkeypatch.setattr(_leaves.Leaves, "__post_init__", spread)
    yield engine
    worker.close()


def test_f8_a_function_that_can_be_imported_is_called_by_the_engine(bed: Bed, elsewhere: Elsewhere) -> None:
    bed.registry.add(functions.where_it_ran)
    root = bed.resolve(of("where_it_ran", argument={"number": 7}))
    assert root.value == {"number": 7, "process": os.getpid()}
    assert [job.work.name for job in elsewhere.jobs] == ["promise.functions:where_it_ran"]
    assert root.proof is not None
    assert "worked out here" not in root.proof.description


def test_f8_it_is_tried_again_there_as_its_policy_says(bed: Bed, elsewhere: Elsewhere) -> None:
    bed.registry.add(functions.fails_twice)
    assert bed.resolve(of("fails_twice", argument={"number": 7})).value == 7
    assert len(elsewhere.jobs) == 3


def test_f8_a_function_that_nobody_else_can_import_stays_and_that_is_said(bed: Bed, elsewhere: Elsewhere) -> None:
    @capability(effect="none")
    def inner(number: int) -> int:
        """Be known in here alone."""
        return number

    bed.registry.add(inner)
    root = bed.resolve(of("inner", argument={"number": 7}))
    assert (root.value, elsewhere.jobs) == (7, [])
    assert root.proof is not None
    assert "worked out here, since no other process can import it" in root.proof.description


def test_f8_a_worker_that_cannot_import_it_says_so_and_it_is_called_here(
    bed: Bed, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    bed.registry.add(functions.where_it_ran)
    monkeypatch.setattr(type(functions.where_it_ran), "address", "not_there:where_it_ran")
    root = bed.resolve(of("where_it_ran", argument={"number": 7}))
    assert root.value == {"number": 7, "process": os.getpid()}
    assert root.proof is not None
    assert "cannot import it" in root.proof.description


@pytest.mark.parametrize("name", ["os:system", "builtins:print", "promise.functions:CALLS", "x", ":", "os:", "..:a"])
def test_f8_a_worker_calls_capabilities_and_nothing_else(elsewhere: Elsewhere, name: str) -> None:
    from mayfly.promise import Work

    done = elsewhere.worker.do(Job(run="r", node="0", work=Work(kind="call", name=name), intent="x", argument={}))
    assert (done.status, done.code) == ("failed", "NOT_THERE")
