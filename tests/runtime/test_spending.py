"""What a run has spent on models is known afterwards, also of a process that was killed in the middle of a call."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Example, ModelSettings, Outcome, Settings
from mayfly.models import ModelAnswered, ModelAsked
from mayfly.operations import runs
from mayfly.promise import Planned, Promise, Work, cancel, saved, to_json
from mayfly.promise._events import Began, Collapsed
from mayfly.runtime import Runtime
from mayfly.store import Ledger
from mayfly.testing import until
from models.server import Send, Server, says, serving
from popcount import INTENT, PAIRS

CHILD = """
import json, sys
from mayfly.core import ModelSettings, Settings
from mayfly.promise import from_json
from mayfly.runtime import Runtime
state, url, tree = sys.argv[1:]
models = ModelSettings(name="openai:small", base_url=url, timeout=300)
with Runtime(Settings(state_dir=state, models=models)) as runtime:
    runtime.resolve(from_json(json.loads(tree)), model="openai:small")
"""
MOST = 8192


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("MAYFLY_MODELS_API_KEY", "key")
    with serving() as made:
        yield made


@pytest.fixture
def settings(tmp_path: Path, server: Server) -> Settings:
    models = ModelSettings(name="openai:small", base_url=server.url, attempts=1)
    return Settings(state_dir=str(tmp_path / "state"), models=models)


def counted() -> Promise[Any]:
    examples = tuple(Example(input=given, output=wanted) for given, wanted in PAIRS)
    work = Work(kind="compile", name="openai:small")
    return Promise(INTENT, ground=None, argument=3, examples=examples, work=work)


def killed_in_a_call(settings: Settings, server: Server, *, answered: int) -> str:
    """Let a process ask until so many calls are answered, kill it in the next one, and return its run."""
    server.play(*[says("there are none")] * answered, lambda send: hangs(server, send))
    before = len(server.requests)
    tree = json.dumps(to_json(counted()))
    child = subprocess.Popen([sys.executable, "-c", CHILD, settings.state_dir, server.url, tree])
    try:
        assert until(lambda: len(server.requests) > before + answered)
    finally:
        child.kill()
        child.wait(30)
    with Ledger.open(settings) as ledger:
        [line] = runs(ledger)
    assert line.status == "interrupted"
    return line.id


def hangs(server: Server, send: Send) -> None:
    server.closing.wait(120)


def resumed(settings: Settings, run: str, *, calls: int) -> Outcome[Any]:
    with Runtime(replace(settings, models=replace(settings.models, calls=calls))) as runtime:
        return runtime.resume(run)


def test_a_call_that_was_cut_off_counts_with_what_it_could_have_taken(settings: Settings, server: Server) -> None:
    run = killed_in_a_call(settings, server, answered=1)
    with Ledger.open(settings) as ledger:
        used = saved(ledger, run).used
        asked = list(ledger.read(kind="model.asked", subject=f"{run}/0"))
    assert (used["model_calls"], len(asked), used["output_tokens"]) == (2, 2, 7 + MOST)
    assert used["input_tokens"] == 11 + int(str(asked[1].payload["input_tokens"])) > 11


def test_a_run_that_was_killed_does_not_get_its_calls_anew(settings: Settings, server: Server) -> None:
    run = killed_in_a_call(settings, server, answered=0)
    asked = len(server.requests)
    outcome = resumed(settings, run, calls=1)
    assert (outcome.status, outcome.code, outcome.cost.model_calls) == ("collapsed", "BUDGET", 1)
    assert len(server.requests) == asked
    server.play(says("there are none"))
    outcome = resumed(settings, run, calls=2)
    assert (outcome.code, outcome.cost.model_calls, len(server.requests)) == ("BUDGET", 2, asked + 1)


def test_a_run_that_was_cancelled_counts_the_call_it_had_under_way(settings: Settings, server: Server) -> None:
    server.play(lambda send: hangs(server, send))
    with Runtime(settings) as runtime, ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(runtime.resolve, counted(), model="openai:small")
        assert until(lambda: server.requests)
        ledger = runtime.parts.ledger
        [line] = runs(ledger)
        cancel(ledger, line.id, by="ada")
        assert until(lambda: runs(ledger)[0].status == "cancelled")
        server.closing.set()
        assert outcome.result().code == "CANCELLED"
        used = saved(ledger, line.id).used
    assert (used["model_calls"], used["output_tokens"]) == (1, MOST)


def test_a_run_that_ended_by_itself_counts_what_it_took(settings: Settings, server: Server) -> None:
    server.play(says("there are none"))
    with Runtime(settings) as runtime:
        outcome = runtime.resolve(counted(), model="openai:small")
        found = saved(runtime.parts.ledger, outcome.id)
        asked = runtime.parts.ledger.count(kind="model.asked", subject=f"{outcome.id}/0")
        answered = runtime.parts.ledger.count(kind="model.answered", subject=f"{outcome.id}/0")
    calls = len(server.requests)
    assert outcome.cost.model_calls == asked == answered == calls > 1
    assert (found.used["model_calls"], found.used["output_tokens"]) == (calls, 7 * calls)


def test_each_attempt_at_a_promise_counts_once(settings: Settings) -> None:
    """The first attempt was cut off after an answer, the second ended, the third was cut off in a call."""
    run, leaf = "r-00000001", "r-00000001/0"
    asked = ModelAsked(model="m", purpose="chat", input_tokens=100, output_tokens=1000, money=0.5)
    with Ledger.open(settings) as ledger:
        tree = ledger.put_blob(json.dumps(to_json(counted())).encode())
        planned = Planned(
            intent="double", tree=tree, nodes=1, by="plan", seq=0, options={}, cost={"model_calls": 1, "money": 0.25}
        )
        ledger.append(planned, subject=run)
        ledger.append(Began(node="0", by="compile", seq=1), subject=run)
        first = ledger.append(asked, subject=leaf)
        ledger.append(ModelAnswered(asked=first.id, input_tokens=10, output_tokens=20, money=0.125), subject=leaf)
        ledger.append(Began(node="0", by="compile", seq=2), subject=run)
        second = ledger.append(asked, subject=leaf)
        ledger.append(ModelAnswered(asked=second.id, input_tokens=1, output_tokens=2, money=0.0), subject=leaf)
        ended = {"model_calls": 1, "input_tokens": 1, "output_tokens": 2}
        told = Collapsed(node="0", intent="i", depth=0, reason="r", code="c", ground_value=None, seq=3, cost={**ended})
        ledger.append(told, subject=run)
        ledger.append(Began(node="0", by="compile", seq=4), subject=run)
        ledger.append(asked, subject=leaf)
        found = saved(ledger, run)
    assert found.used == {"model_calls": 4, "input_tokens": 111, "output_tokens": 1022, "money": 0.875}
    assert (found.cost.model_calls, found.cost.money.dollars) == (4, 0.875)
