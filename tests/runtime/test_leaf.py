"""Leaves: written, run by their hash, cancelled, refused; always an answer, and the story in the ledger."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from mayfly.core import Example, Settings, Stop, StoreError, limit
from mayfly.forge import versions_of
from mayfly.forge._known import AgentKept
from mayfly.promise import Done, Job, Part, Work
from mayfly.promise.split import merge, parts_of
from mayfly.runtime import Runtime
from mayfly.runtime._leaf import LeafWorker
from mayfly.runtime._parts import Parts
from mayfly.store import KillSwitch
from popcount import GOOD, INTENT, PAIRS, fenced

from .conftest import Script, Watched

EXAMPLES = Path(__file__).parents[2] / "examples"
WRITTEN: WeakKeyDictionary[Parts, dict[str, dict[str, Any]]] = WeakKeyDictionary()
BITS = tuple(Example(input=given, output=wanted) for given, wanted in PAIRS)


SIGN = '''"""Signs."""


class Signer:
    """Tell the sign of numbers."""

    def invoke(self, input: int) -> int:
        """Return -1, 0 or 1."""
        if input < 0:
            return -1
        elif input == 0:
            return 0
        else:
            return 1
'''
SIGNS = tuple(Example(input=n, output=(n > 0) - (n < 0)) for n in (0, 2, 3, 5, 7, -4, -1))


@pytest.fixture
def worker(runtime: Runtime) -> LeafWorker:
    return LeafWorker(runtime.settings, parts=runtime.parts)


def job(kind: Any = "compile", name: str = "", **fields: Any) -> Job:
    given = {"run": "r-leaf", "node": "0.1", "intent": "count requests by status", "depth": 1, **fields}
    return Job(work=Work(kind="run" if kind == "agent" else kind, name=name), **given)


def whole(name: str) -> Part:
    path = EXAMPLES / name
    return Part(path=str(path), start=0, stop=path.stat().st_size)


UPPER = tuple(Example(input=text, output=text.upper()) for text in ("ada b", "x y", "Tim C", "q", "zoe k d", "Ma"))


def agent_of(worker: LeafWorker, intent: str = "count requests by status") -> dict[str, Any]:
    """Have an agent written, once for each runtime: it is found by its hash whatever else is forgotten."""
    written: dict[str, dict[str, Any]] = WRITTEN.setdefault(worker.parts, {})
    if intent not in written:
        done = worker.do(job("write", intent=intent, part=whole("access.log")))
        assert isinstance(done.value, dict), done.reason
        written[intent] = done.value
    return written[intent]


def test_a_leaf_is_written_proven_and_run_and_tells_the_ledger(worker: LeafWorker, watched: Watched) -> None:
    found = worker.do(job(node="0.7", part=whole("access.log")))
    assert (found.status, found.reason) == ("resolved", "proof strong")
    assert isinstance(found.value, dict)
    assert sum(found.value.values()) == 200
    assert found.proof is not None
    assert found.source_hash
    assert found.sandbox_seconds > 0
    assert found.cost.seconds > 0
    assert found.where.rpartition(":")[2].isdigit()
    kinds = watched.events("r-leaf/0.7")
    assert kinds[0] == "run.began"
    assert kinds[-1] == "run.resolved"
    assert {"forge.wrote", "gate.judged", "proof.made", "agent.executed"} <= set(kinds)
    assert watched.payloads("r-leaf/0.7", "run.began")[-1]["input"].endswith("access.log")


def test_an_argument_is_worked_on(worker: LeafWorker, script: Script) -> None:
    model = script(("architect", fenced(GOOD)))
    found = worker.do(job(intent=INTENT, argument=1023, examples=BITS, model=model))
    assert (found.status, found.value, found.cost.model_calls) == ("resolved", 10, 1)


def test_what_cannot_be_written_collapses_with_the_reason(worker: LeafWorker, watched: Watched) -> None:
    found = worker.do(job(intent="compose a symphony", argument=3, node="0.8"))
    assert (found.status, found.value) == ("collapsed", None)
    assert found.reason
    assert watched.events("r-leaf/0.8")[-1] == "run.collapsed"


def test_parts_give_together_what_the_whole_gives(worker: LeafWorker, tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text("ada lovelace\nalan turing\ngrace hopper\n" * 40)
    settings = replace(worker.settings, promise=replace(worker.settings.promise, part_size=256))
    written = worker.do(job("write", intent="make it upper case", part=_all(names), examples=UPPER))
    assert written.status == "resolved", written.reason
    assert isinstance(written.value, dict)
    assert written.value["merge"] == "concat"
    parts = parts_of(names, settings)
    assert len(parts) > 3
    done = [worker.do(job("agent", written.value["agent"], part=part)) for part in parts]
    assert {found.status for found in done} == {"resolved"}
    whole = worker.do(job("agent", written.value["agent"], part=_all(names)))
    assert whole.value == ["ADA LOVELACE", "ALAN TURING", "GRACE HOPPER"] * 40
    assert merge("concat", [found.value for found in done]) == whole.value


def test_the_answers_of_a_question_are_not_joined(worker: LeafWorker) -> None:
    value = agent_of(worker)
    assert value["merge"] is None
    assert "one statement" in value["reason"]


def _all(path: Path) -> Part:
    return Part(path=str(path), start=0, stop=path.stat().st_size)


def test_a_part_from_another_machine_comes_as_bytes(worker: LeafWorker) -> None:
    content = (EXAMPLES / "access.log").read_bytes()
    value = agent_of(worker)
    part = Part(path="/nowhere/access.log", start=0, stop=len(content))
    there = worker.do(job("agent", value["agent"], part=part), content)
    here = worker.do(job("agent", value["agent"], part=whole("access.log")))
    assert there.status == "resolved"
    assert there.value == here.value


def test_an_agent_runs_in_a_fresh_worker_first_and_in_its_own_afterwards(
    worker: LeafWorker, watched: Watched, script: Script
) -> None:
    model = script(("architect", fenced(GOOD)))
    written = worker.do(job("write", intent=INTENT, argument=1023, examples=BITS, model=model))
    assert isinstance(written.value, dict)
    assert written.value["merge"] is None
    for number in (3, 4):
        found = worker.do(job("agent", written.value["agent"], node="0.9", argument=number))
        assert (found.status, found.value) == ("resolved", number.bit_count())
    assert [row["lane"] for row in watched.payloads("r-leaf/0.9", "agent.executed")] == ["one-shot", "pinned"]


def test_an_agent_of_an_earlier_run_passes_the_gates_again(runtime: Runtime, worker: LeafWorker) -> None:
    outcome = runtime.run("count requests by status", lines=EXAMPLES / "access.log")
    found = worker.do(job("agent", outcome.source_hash or "", part=whole("access.log")))
    assert (found.status, found.value) == ("resolved", outcome.value)


def test_an_agent_that_nobody_proved_is_refused(worker: LeafWorker) -> None:
    hash = worker.parts.ledger.put_blob(GOOD.replace("Count ", "Secretly count ").encode())
    found = worker.do(job("agent", hash, argument=3))
    assert (found.status, found.code) == ("collapsed", "NO_PROOF")


@pytest.mark.parametrize("name", ["", "no hash", "0" * 64])
def test_an_agent_that_is_not_there_is_refused(worker: LeafWorker, name: str) -> None:
    assert worker.do(job("agent", name, argument=3)).status == "collapsed"


def test_an_agent_that_other_gates_admitted_passes_these_first(worker: LeafWorker) -> None:
    value = agent_of(worker)
    ledger = worker.parts.ledger
    kept = [entry.data for entry in ledger.read(kind="agent.kept", subject=value["agent"])][-1]
    assert isinstance(kept, AgentKept)
    ledger.append(replace(kept, versions="other", strength="none"), subject=value["agent"])
    found = worker.do(job("agent", value["agent"], part=whole("access.log")))
    assert found.status == "resolved"
    assert found.proof is not None
    assert found.proof.strength == "strong"
    noted = [entry.data for entry in ledger.read(kind="agent.kept", subject=value["agent"])][-1]
    assert isinstance(noted, AgentKept)
    assert noted.versions == versions_of(worker.parts)


def test_a_weak_agent_runs_only_where_that_is_accepted(worker: LeafWorker) -> None:
    value = agent_of(worker, "count requests")
    ledger = worker.parts.ledger
    kept = [entry.data for entry in ledger.read(kind="agent.kept", subject=value["agent"])][-1]
    assert isinstance(kept, AgentKept)
    ledger.append(replace(kept, strength="weak"), subject=value["agent"])
    part = whole("access.log")
    assert worker.do(job("agent", value["agent"], part=part)).code == "WEAK"
    assert worker.do(job("agent", value["agent"], part=part, accept_weak=True)).value == 200


def test_a_worker_with_other_gates_refuses(worker: LeafWorker) -> None:
    assert worker.do(job(part=whole("access.log"), versions="0" * 64)).code == "VERSION"
    assert worker.do(job(part=whole("access.log"), versions=versions_of(worker.parts))).status == "resolved"


def test_what_no_worker_does_is_refused(worker: LeafWorker) -> None:
    assert worker.do(job("capability", "echo")).code == "SERVICE"


def test_nothing_is_written_for_others_at_tier_ephemeral(worker: LeafWorker) -> None:
    assert worker.do(job("write", part=whole("access.log"), tier="ephemeral")).code == "TIER"


@pytest.mark.first(2)
@pytest.mark.parametrize("fields", [{"tier": "golden"}, {"seconds": 0}, {"intent": " "}, {"argument": {1, 2}}])
def test_bad_jobs_get_a_reason(worker: LeafWorker, fields: dict[str, Any]) -> None:
    found = worker.do(job(**{"argument": 3, "examples": BITS, **fields}))
    assert found.status in ("collapsed", "failed")
    assert found.reason


def test_a_part_that_is_gone_gets_a_reason(worker: LeafWorker, tmp_path: Path) -> None:
    found = worker.do(job(part=Part(path=str(tmp_path / "gone"), start=0, stop=3)))
    assert (found.status, found.code) == ("collapsed", "INPUT")


def test_an_unexpected_error_is_a_failure(worker: LeafWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*given: object, **named: object) -> None:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr("mayfly.forge.Task.of", explode)
    assert worker.do(job(argument=3)).status == "failed"
    monkeypatch.setattr("mayfly.runtime._leaf.collapsed", explode)
    found = worker.do(job(argument=3))
    assert (found.status, found.code) == ("failed", "UNEXPECTED")
    assert "boom" in found.reason


# The larger the number, the longer it takes.
SLOW = GOOD.replace("return bin", "return sum(number % 2 for number in range(input)) * 0 + bin")


def slow_agent(worker: LeafWorker, script: Script) -> str:
    model = script(("architect", fenced(SLOW)))
    done = worker.do(job("write", intent=INTENT, argument=3, examples=BITS, model=model, accept_weak=True))
    assert isinstance(done.value, dict), done.reason
    return str(done.value["agent"])


def test_the_seconds_of_a_job_end_its_execution(worker: LeafWorker, script: Script) -> None:
    hash = slow_agent(worker, script)
    found = worker.do(job("agent", hash, argument=10**12, seconds=0.2, accept_weak=True))
    assert (found.status, found.code) == ("collapsed", "RUN_TIMEOUT")


def test_a_cancelled_job_ends_behind_the_wall(worker: LeafWorker, script: Script) -> None:
    hash = slow_agent(worker, script)
    stop = Stop()
    with ThreadPoolExecutor() as threads:
        slow = job("agent", hash, node="0.5", argument=10**12, accept_weak=True)
        work = threads.submit(worker.do, slow, stop=stop)
        _until(lambda: stop in worker._stops)
        stop.cancel()
        found = work.result(timeout=100)
    assert (found.status, found.code) == ("collapsed", "CANCELLED")


def test_a_switch_that_cannot_be_read_is_the_stores_trouble(
    worker: LeafWorker, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(**_: object) -> None:
        raise StoreError("the server is away")

    hash = slow_agent(worker, script)
    with monkeypatch.context() as patched:
        patched.setitem(worker.parts._made, "switch", KillSwitch(worker.parts.ledger, cache=0))
        patched.setattr(worker.parts.ledger, "last", away)
        found = worker.do(job("agent", hash, argument=1, accept_weak=True))
    assert (found.status, found.code, "the server is away" in found.reason) == ("collapsed", "STORE", True)


def test_a_cancelled_job_stops_before_its_next_step(runtime: Runtime) -> None:
    seen: list[str] = []

    def watch(what: str, about: object) -> None:
        seen.append(what)
        if what == "wrote":
            stop.cancel()

    stop = Stop()
    watching = LeafWorker(runtime.settings, parts=runtime.parts, observer=watch)
    found = watching.do(job(part=whole("access.log")), stop=stop)
    assert (found.status, found.code) == ("collapsed", "CANCELLED")
    assert "executed" not in seen


def _until(done: Callable[[], bool]) -> None:
    waiting = threading.Event()
    for _ in range(10_000):
        if done():
            return
        waiting.wait(0.01)
    raise AssertionError("it never happened")


def test_several_leaves_at_once_do_not_disturb_each_other(worker: LeafWorker) -> None:
    value = agent_of(worker)
    jobs = [job("agent", value["agent"], node=f"0.{n}", part=whole("access.log")) for n in range(12)]
    with ThreadPoolExecutor(6) as threads:
        done = list(threads.map(worker.do, jobs))
    assert {json.dumps(found.value) for found in done} == {json.dumps(done[0].value)}
    assert {found.status for found in done} == {"resolved"}


def test_deeper_leaves_have_smaller_limits(worker: LeafWorker, watched: Watched) -> None:
    done = [worker.do(job(node=f"0.2{n}", depth=n, part=whole("access.log"))) for n in (0, 1, 2, 3)]
    told = [watched.payloads(f"r-leaf/0.2{n}", "run.began")[-1]["depth"] for n in (0, 1, 2, 3)]
    assert told == [0, 1, 2, 3]
    assert {found.status for found in done} == {"resolved"}


def _asked(worker: LeafWorker, script: Script, depth: int) -> Done:
    model = script(("architect", fenced(GOOD)))
    return worker.do(job(intent=INTENT, argument=1023, examples=BITS, model=model, depth=depth))


@pytest.mark.later
def test_no_model_is_asked_at_depth_three(worker: LeafWorker, script: Script) -> None:
    assert [_asked(worker, script, depth).cost.model_calls for depth in (1, 2, 3)] == [1, 1, 0]


def test_prompts_are_short_at_depth_two(worker: LeafWorker, monkeypatch: pytest.MonkeyPatch, script: Script) -> None:
    simple: list[bool] = []
    from mayfly.forge import Request
    from mayfly.forge._by_model import ModelArchitect

    real = ModelArchitect.write

    def noted(self: ModelArchitect, request: Request) -> Any:
        simple.append(request.simple)
        return real(self, request)

    monkeypatch.setattr(ModelArchitect, "write", noted)
    for depth in (1, 2):
        model = script(("architect", fenced(GOOD)))
        worker.do(job(intent=INTENT, argument=1023, examples=BITS, model=model, depth=depth))
    assert simple == [False, True]


def test_less_is_tried_at_depth_two(worker: LeafWorker, watched: Watched, script: Script) -> None:
    wrong = [fenced(GOOD.replace("'1'", f"'1{n}'")) for n in (2, 3, 4)]
    for depth in (1, 2):
        model = script(*(("architect", text) for text in wrong))
        node = f"0.3{depth}"
        given = job(intent=INTENT, argument=1023, examples=BITS, model=model, depth=depth, node=node)
        assert worker.do(given).status == "collapsed"
    assert [len(watched.payloads(f"r-leaf/0.3{depth}", "forge.wrote")) for depth in (1, 2)] == [3, 2]


def test_the_limits_of_a_tree_bind_its_leaves(worker: LeafWorker, script: Script) -> None:
    model = script(("architect", fenced(GOOD)))
    with limit(model_calls=0):
        found = worker.do(job(intent=INTENT, argument=1023, examples=BITS, model=model))
    assert (found.status, found.cost.model_calls) == ("collapsed", 0)
    assert "model calls" in found.reason


def test_a_worker_of_its_own_closes_what_it_opened(tmp_path: Path) -> None:
    worker = LeafWorker(Settings(state_dir=str(tmp_path)))
    assert worker.do(job("agent", "0" * 64, argument=1)).status == "collapsed"
    worker.close()
    worker.close()


@pytest.mark.parametrize("depth", [0, 1])
def test_a_tree_of_one_node_is_an_agent_by_itself(
    worker: LeafWorker, watched: Watched, script: Script, depth: int
) -> None:
    node, model = f"0.{90 + depth}", script(("architect", f"```python\n{SIGN}```"))
    found = worker.do(job(intent="tell the sign", node=node, argument=-9, examples=SIGNS, model=model, depth=depth))
    verdicts = watched.payloads(f"r-leaf/{node}", "gate.judged")
    told = {row["decision"] for row in verdicts if row["gate"] == "stability"}
    # Three arms are within the whole budget, and have to be fewer at half of it.
    assert ("revise" in told) is (depth == 1), found.reason
