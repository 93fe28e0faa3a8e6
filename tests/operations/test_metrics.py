"""Metrics of trees: a tree is one run, its promises are counted as they stand, and nothing is counted twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Capability, Example, Invocation, Settings
from mayfly.operations import metrics
from mayfly.promise import Promise, Work
from mayfly.promise._events import DeadLetter
from mayfly.runtime import Runtime
from mayfly.testing import write_script
from popcount import GOOD, INTENT, PAIRS, fenced

BITS = tuple(Example(input=given, output=wanted) for given, wanted in PAIRS)
SQUARES = tuple(Example(input=n, output=n * n) for n in (0, 2, 3, 5, 7, -4))
BROKEN = {"yes": True}


def shaky(invocation: Invocation) -> object:
    if BROKEN["yes"]:
        raise OSError("broken")
    return 1


def lost(invocation: Invocation) -> object:
    raise TimeoutError("no answer")


CAPABILITIES = (
    Capability(name="give", summary="give", call=lambda invocation: 1),
    Capability(name="shaky", summary="shaky", call=shaky),
    Capability(name="send", summary="send", call=lost, effect="once"),
)


@pytest.fixture
def runtime(state: Path) -> Iterator[Runtime]:
    BROKEN["yes"] = True
    with Runtime(Settings(state_dir=str(state)), capabilities=CAPABILITIES) as made:
        yield made


def leaf(by: str, **more: Any) -> Promise[Any]:
    return Promise(f"{by} it", ground=None, capability=by, **more)


def tree(*children: Promise[Any], **more: Any) -> Promise[Any]:
    root: Promise[Any] = Promise("all", ground=None, **more)
    for child in children:
        root.add(child)
    return root


def test_leaves_that_were_written_are_no_runs_of_their_own(runtime: Runtime) -> None:
    agent = Promise(
        "square the number", ground=None, argument=12, examples=SQUARES, work=Work(kind="compile"), name="a"
    )
    assert runtime.resolve(tree(agent, leaf("give", name="b"))).resolved
    found = metrics(runtime.parts.ledger)
    assert (found.runs, found.resolved, found.collapsed, found.failed) == (1, 1, 0, 0)
    assert found.compiled == 1
    assert found.generated_lines > 0
    assert (found.promises.total, found.promises.resolved, found.promises.max_depth) == (3, 3, 1)


def test_a_run_without_a_tree_is_one_promise(runtime: Runtime) -> None:
    runtime.run("square the number", input=3, examples=SQUARES)
    runtime.run("make the world a better place", input=3)
    found = metrics(runtime.parts.ledger)
    assert (found.runs, found.resolved) == (2, 1)
    assert (found.promises.total, found.promises.resolved, found.promises.max_depth) == (2, 1, 0)
    assert found.promises.success_rate == 0.5


def test_a_run_that_was_resumed_counts_once_and_as_it_ended(runtime: Runtime) -> None:
    root = tree(tree(leaf("shaky", name="x"), name="a"), leaf("give", name="b"))
    id = runtime.resolve(root).id
    before = metrics(runtime.parts.ledger)
    assert (before.runs, before.resolved + before.collapsed + before.failed) == (1, 1)
    assert before.promises.resolved == 1
    assert before.promises.success_rate == 0.25
    BROKEN["yes"] = False
    assert runtime.resume(id).resolved
    found = metrics(runtime.parts.ledger)
    assert (found.runs, found.resolved, found.collapsed, found.failed) == (1, 1, 0, 0)
    assert found.jit_collapse == {}
    assert (found.promises.total, found.promises.resolved) == (4, 4)
    assert (found.promises.max_depth, found.promises.success_rate) == (2, 1.0)


def test_unknown_effects_and_dead_letters_are_counted(runtime: Runtime) -> None:
    id = runtime.resolve(leaf("send")).id
    runtime.parts.ledger.append(DeadLetter(node="0", intent="x", attempts=3, reason="lost"), subject=id)
    found = metrics(runtime.parts.ledger)
    assert (found.unknown_effects, found.dead_letters) == (1, 1)


def test_what_leaves_spent_counts_with_their_tree_once(tmp_path: Path, state: Path) -> None:
    model = write_script(tmp_path / "script.jsonl", ("architect", fenced(GOOD)))
    with Runtime(Settings(state_dir=str(state))) as runtime:
        agent = Promise(INTENT, ground=None, argument=1023, examples=BITS, work=Work(kind="compile"), name="a")
        outcome = runtime.resolve(tree(agent), model=model)
        assert outcome.cost.model_calls >= 1
        assert metrics(runtime.parts.ledger).model_calls == outcome.cost.model_calls


def test_an_empty_ledger_counts_nothing(runtime: Runtime) -> None:
    found = metrics(runtime.parts.ledger)
    assert (found.runs, found.promises.total, found.promises.success_rate) == (0, 0, 0.0)
