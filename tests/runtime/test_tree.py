from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import (
    Capability,
    ConflictError,
    Example,
    InputError,
    Invocation,
    ModelSettings,
    PromiseSettings,
    Settings,
    UnresolvedError,
    Unset,
    limit,
)
from mayfly.operations import runs
from mayfly.promise import Evidence, Promise, State, Work, cancel, saved
from mayfly.runtime import Runtime
from mayfly.testing import write_script


class Gate:
    """A capability that waits until a test lets it go, and counts its calls."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = threading.Event()
        self.calls = 0

    def __call__(self, invocation: Invocation) -> object:
        self.calls += 1
        self.begun.set()
        self.open.wait(500)
        return invocation.arguments["it"]


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.open.set()


@pytest.fixture
def runtime(tmp_path: Path, gate: Gate) -> Iterator[Runtime]:
    capabilities = [
        Capability(name="wait", summary="wait", call=gate),
        Capability(name="give", summary="give", call=lambda invocation: invocation.arguments["it"]),
        Capability(name="odd", summary="odd", call=lambda invocation: {1: "one"}),
        Capability(name="boom", summary="boom", call=lambda invocation: 1 / 0),
    ]
    settings = Settings(state_dir=str(tmp_path / "state"))
    with Runtime(settings, capabilities=capabilities, workspace=tmp_path) as made:
        yield made


def leaf(capability: str, argument: object = 1, **more: Any) -> Promise[Any]:
    given = argument if isinstance(argument, Unset) else {"it": argument}
    return Promise(f"{capability} it", ground="ground", capability=capability, argument=given, **more)


def both(*children: Promise[Any], **more: Any) -> Promise[Any]:
    root: Promise[Any] = Promise("do both", ground="ground", **more)
    for child in children:
        root.add(child)
    return root


def test_a_tree_is_resolved_and_is_in_the_list_of_runs(runtime: Runtime) -> None:
    outcome = runtime.resolve(both(leaf("give", 1, name="a"), leaf("give", 2, name="b")))
    assert (outcome.status, outcome.value) == ("resolved", {"a": 1, "b": 2})
    (line,) = runs(runtime.parts.ledger)
    assert (line.id, line.status, line.nodes, line.resolved) == (outcome.id, "resolved", 3, 3)


def test_the_root_never_raises_unless_that_is_asked_for(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("boom"))
    assert (outcome.status, outcome.value) == ("failed", "ground")
    assert "ZeroDivisionError" in outcome.reason
    with pytest.raises(UnresolvedError):
        runtime.resolve(leaf("boom"), on_exhausted="raise")


def test_a_run_that_is_resolved_is_not_done_again(runtime: Runtime) -> None:
    first = runtime.resolve(leaf("give", {"n": 1}))
    again = runtime.resume(first.id)
    assert (again.value, again.cached, again.id) == ({"n": 1}, True, first.id)


def test_a_resolved_run_whose_value_was_not_kept_is_gone_on_with(runtime: Runtime) -> None:
    root = both(leaf("odd"), combine="list")
    first = runtime.resolve(root)
    again = runtime.resume(first.id)
    assert (first.value, again.value) == ([{1: "one"}], [{1: "one"}])


@pytest.mark.later
def test_a_large_file_has_the_same_answer_when_its_run_is_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "big.log"
    names = [f"name {chr(97 + number % 26)}" for number in range(9000)]
    log.write_text("".join(f"{name}\n" for name in names))
    given = tuple(Example(input=text, output=text.upper()) for text in ("ada b", "x y", "Tim C", "q", "zoe k d", "Ma"))
    settings = Settings(state_dir=str(tmp_path / "state"), promise=PromiseSettings(split_from=50_000, part_size=40_000))
    with Runtime(settings, workspace=tmp_path) as runtime:
        first = runtime.run("make it upper case", lines=log, examples=given)
        log.unlink()
        again = runtime.resume(first.id)
    assert list(first.value) == list(again.value) == [name.upper() for name in names]
    assert again.resolved


def test_a_tree_that_is_no_tree_gives_its_ground(runtime: Runtime) -> None:
    root = both()
    root.children.append(root)
    outcome = runtime.resolve(root)
    assert (outcome.value, outcome.code) == ("ground", "INPUT")


def test_a_cancel_is_heard_however_early_it_comes(tmp_path: Path, gate: Gate) -> None:
    """Before the run first looks whether somebody asked, as while it waits for a cluster."""
    settings = Settings(state_dir=str(tmp_path / "state"))

    def at_once(what: str, about: Any) -> None:
        if what == "planned":
            (run,) = runs(watched.ledger)
            cancel(watched.ledger, run.id, by="Ada")

    capabilities = [Capability(name="wait", summary="wait", call=gate)]
    with Runtime(settings, capabilities=capabilities, workspace=tmp_path, observer=at_once) as watched:
        outcome = watched.resolve(both(leaf("wait"), leaf("wait", needs=("1",))))
        states = [promise.state for promise in saved(watched.ledger, outcome.id).tree.walk()]
    assert outcome.code == "CANCELLED"
    assert states == [State.COLLAPSED] * 3


def test_an_observer_that_fails_changes_nothing(tmp_path: Path) -> None:
    told: list[str] = []

    def angry(what: str, about: Any) -> None:
        told.append(what)
        raise RuntimeError("no")

    capabilities = [Capability(name="give", summary="give", call=lambda invocation: invocation.arguments["it"])]
    settings = Settings(state_dir=str(tmp_path / "state"))
    with Runtime(settings, capabilities=capabilities, observer=angry) as runtime:
        assert runtime.resolve(both(leaf("give"))).resolved
    assert len(told) == 1  # who fails is told nothing more


def test_what_a_newer_version_adds_to_a_proof_is_left_aside() -> None:
    proof = Evidence(description="it holds", confidence=0.5)
    assert Evidence.from_json({**proof.to_json(), "colour": "green"}) == proof


def test_the_time_of_a_single_agent_is_in_the_list_of_runs(runtime: Runtime) -> None:
    outcome = runtime.run("weigh it", input="a")
    (line,) = runs(runtime.ledger)
    assert line.seconds == pytest.approx(outcome.cost.seconds)
    assert line.seconds


def test_resuming_what_never_was_is_one_clear_line(runtime: Runtime) -> None:
    with pytest.raises(InputError, match="there is no run r-ffffffff"):
        runtime.resume("r-ffffffff")


def test_only_one_process_goes_on_with_a_run(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("boom"))
    with runtime.parts.ledger.claim(outcome.id), pytest.raises(ConflictError, match="is being run by"):
        runtime.resume(outcome.id)


def _in_background(runtime: Runtime, root: Promise[Any]) -> tuple[threading.Thread, list[Any]]:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(runtime.resolve(root)))
    thread.start()
    return thread, found


def test_a_cancelled_run_stops_and_can_be_taken_up_again(runtime: Runtime, gate: Gate) -> None:
    thread, found = _in_background(runtime, both(leaf("give", 1, name="a"), leaf("wait", 2, name="b")))
    assert gate.begun.wait(100)
    ledger = runtime.parts.ledger
    (line,) = runs(ledger)
    assert line.status == "running"
    cancel(ledger, line.id, by="ada", reason="wrong file")
    thread.join(100)
    (outcome,) = found
    assert (outcome.status, outcome.code, outcome.value) == ("collapsed", "CANCELLED", "ground")
    assert "cancelled by ada: wrong file" in outcome.reason
    gate.open.set()
    again = runtime.resume(line.id)
    assert again.value == {"a": 1, "b": 2}
    assert gate.calls == 2


def test_a_run_that_is_not_running_cannot_be_cancelled(runtime: Runtime) -> None:
    outcome = runtime.resolve(leaf("give"))
    with pytest.raises(ConflictError, match="not running"):
        cancel(runtime.parts.ledger, outcome.id, by="ada")


def test_the_kill_switch_stops_a_run_and_lets_it_go_on_later(runtime: Runtime, gate: Gate) -> None:
    thread, found = _in_background(runtime, both(leaf("wait", 1, name="a"), leaf("give", 2, name="b", needs=("a",))))
    assert gate.begun.wait(100)
    runtime.parts.switch.turn_on(by="ada", reason="it spends too much")
    thread.join(100)
    (outcome,) = found
    assert (outcome.status, outcome.code) == ("collapsed", "KILLED")
    assert "it spends too much" in outcome.reason
    assert runtime.resume(outcome.id).code == "KILLED"
    runtime.parts.switch.turn_off(by="ada", reason="")
    gate.open.set()
    assert runtime.resume(outcome.id).value == 2


def test_nothing_is_run_by_planning(runtime: Runtime, tmp_path: Path) -> None:
    before = runtime.parts.ledger.count()
    tree = runtime.plan("Fix the bug in auth module", ground=None)
    assert [round(one.budget, 2) for one in tree.walk()] == [1.0, 0.5, 0.33, 0.33, 0.5, 0.33]
    assert all(one.state is State.PENDING for one in tree.walk())
    assert runtime.parts.ledger.count() == before
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_limit_around_a_tree_holds_inside_it(runtime: Runtime) -> None:
    with limit(nodes=2):
        outcome = runtime.resolve(both(leaf("give", 1), leaf("give", 2)))
    assert (outcome.status, outcome.code) == ("collapsed", "BUDGET")
    assert outcome.reason == "promises: 3 is over the limit of 2; give the limit around it more nodes"


def test_a_tree_over_the_limit_of_the_settings_is_refused_before_a_leaf_runs(tmp_path: Path, gate: Gate) -> None:
    gate.open.set()
    waits = [Capability(name="wait", summary="wait", call=gate)]
    small = Settings(state_dir=str(tmp_path / "state"), promise=PromiseSettings(max_nodes=2))
    with Runtime(small, capabilities=waits) as runtime:
        outcome = runtime.resolve(both(leaf("wait", 1, name="a"), leaf("wait", 2, name="b")))
        again = runtime.resume(outcome.id)
    assert outcome.reason == "promises: 3 is over the limit of 2; raise MAYFLY_PROMISE_MAX_NODES"
    assert (again.reason, gate.calls) == (outcome.reason, 0)
    with Runtime(Settings(state_dir=small.state_dir), capabilities=waits) as runtime:
        assert runtime.resume(outcome.id).value == {"a": 1, "b": 2}


def test_time_that_is_up_ends_the_run(tmp_path: Path, gate: Gate) -> None:
    from dataclasses import replace

    from mayfly.core import PromiseSettings

    settings = Settings(state_dir=str(tmp_path / "state"), promise=PromiseSettings(seconds=0.3))
    waits = [Capability(name="wait", summary="wait", call=gate)]
    with Runtime(settings, capabilities=waits) as short:
        outcome = short.resolve(leaf("wait"))
        assert (outcome.status, outcome.code) == ("collapsed", "BUDGET")
    with Runtime(replace(settings, promise=PromiseSettings()), capabilities=waits) as longer:
        gate.open.set()
        assert longer.resume(outcome.id).resolved


def test_a_tree_can_be_resolved_from_inside_an_event_loop(runtime: Runtime) -> None:
    async def main() -> Any:
        return runtime.resolve(leaf("give", 7))

    assert asyncio.run(main()).value == 7


def test_a_file_that_changed_meanwhile_is_not_gone_on_with(runtime: Runtime, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("one\n")
    part = {"path": str(log), "start": 0, "stop": 4}
    outcome = runtime.resolve(Promise("x", ground=None, work=Work(kind="run", name="0" * 64), argument=part))
    assert not outcome.resolved
    before = log.stat().st_mtime_ns
    log.write_text("two\n")
    os.utime(log, ns=(before + 10**9, before + 10**9))
    with pytest.raises(ConflictError, match="has changed since"):
        runtime.resume(outcome.id)


def test_a_tree_that_is_not_plain_data_is_refused_before_anything_runs(runtime: Runtime, gate: Gate) -> None:
    outcome = runtime.resolve(both(leaf("wait", object())))
    assert (outcome.status, outcome.code, outcome.value) == ("collapsed", "INPUT", "ground")
    assert "plain data" in outcome.reason
    assert gate.calls == 0
    assert runs(runtime.parts.ledger) == []


def test_a_model_is_not_asked_while_the_switch_is_on(tmp_path: Path) -> None:
    model = write_script(tmp_path / "script.jsonl", ("*", "def double(n: int) -> int:\n    return n * 2\n"))
    settings = Settings(state_dir=str(tmp_path / "state"), models=ModelSettings(name=model))
    with Runtime(settings) as runtime:
        runtime.parts.switch.turn_on(by="ada", reason="stop")
        outcome = runtime.run("double a number", input=2, examples=[{"input": 1, "output": 2}])
    assert (outcome.status, outcome.code) == ("collapsed", "KILLED")
    assert outcome.cost.model_calls == 0


def test_nothing_is_begun_while_the_switch_is_on(runtime: Runtime, gate: Gate) -> None:
    runtime.parts.switch.turn_on(by="ada", reason="stop")
    gate.open.set()
    for outcome in (runtime.resolve(leaf("wait")), runtime.run("count lines", input=["a", "b"])):
        assert (outcome.status, outcome.code) == ("collapsed", "KILLED")
    assert gate.calls == 0
