"""`mayfly runs`, `trace`, `resume` and `cancel`: what the ledger knows of trees."""

import json
from typing import Any

import pytest

from mayfly.core import Capability, Invocation, Settings
from mayfly.promise import Promise
from mayfly.promise._events import Began, Planned
from mayfly.promise._promise_json import to_json
from mayfly.runtime import Runtime
from mayfly.store import Event, Ledger

from .conftest import Cli
from .trees import RUN, interrupted, leaves


def data(text: str) -> Any:
    return json.loads(text)


def test_runs_are_listed_with_how_they_stand(cli: Cli) -> None:
    interrupted()
    ran = cli("runs")
    head, line = ran.out.splitlines()
    assert head.split() == ["id", "at", "status", "promises", "took", "intent"]
    assert line.startswith(RUN)
    assert "interrupted" in line
    assert "1/6, 1 ground" in line
    assert line.endswith("Fix the bug in auth module")
    assert f"mayfly resume {RUN}" in ran.err


def test_runs_as_json(cli: Cli) -> None:
    interrupted()
    [found] = data(cli("runs", "--json").out)
    assert {key: found[key] for key in ("id", "status", "nodes", "resolved", "collapsed", "failed")} == {
        "id": RUN,
        "status": "interrupted",
        "nodes": 6,
        "resolved": 1,
        "collapsed": 1,
        "failed": 0,
    }


def test_without_runs_there_is_a_hint(cli: Cli) -> None:
    assert cli("runs") == (0, "", "nothing has been run yet; try: mayfly demo\n")
    assert cli("runs", "--json") == (0, "[]\n", "")


def test_the_last_none_are_none(cli: Cli) -> None:
    interrupted()
    assert cli("runs", "--last", "0", "--json").out == "[]\n"


def test_a_trace_shows_states_reasons_proofs_and_order(cli: Cli) -> None:
    interrupted()
    ran = cli("trace", RUN)
    lines = ran.out.splitlines()
    assert ran.status == 0
    assert lines[0].startswith(f"{RUN}  interrupted  ")
    assert lines[0].endswith("2 model calls · $0.0100")
    assert "resolving" in lines[1]
    assert "resolved   2 model calls · 12.0 ms · strong · every item occurs in the input" in lines[3]
    assert "fallback   CHAOTIC: needs a \\x1b[31mmodel" in lines[6]
    assert "run.began" in lines[7]
    assert "6 promises, by somebody" in lines[8]
    assert any("effect.unknown" in line and "the process died" in line for line in lines)
    assert f"go on: mayfly resume {RUN}" in ran.err
    assert "\x1b" not in ran.out


def test_a_trace_as_json_has_the_tree_and_the_events(cli: Cli) -> None:
    interrupted()
    found = data(cli("trace", RUN, "--json").out)
    leaf = found["tree"]["children"][0]["children"][0]
    assert (found["id"], found["status"], found["cost"]["model_calls"]) == (RUN, "interrupted", 2)
    assert (leaf["state"], leaf["seconds"], leaf["again"]) == ("resolved", 0.012, False)
    assert leaf["proof"]["strength"] == "strong"
    assert leaf["cost"] == {"model_calls": 2, "money": 0.01}
    kinds = [event["kind"] for event in found["events"]]
    assert kinds.index("promise.planned") < kinds.index("promise.began") < kinds.index("effect.unknown")


def test_one_promise_can_be_looked_at(cli: Cli) -> None:
    interrupted()
    ran = cli("trace", f"{RUN}/0.1.1")
    assert ran.status == 0
    assert 'value: "def login(): ..."' in ran.out
    assert "proof: strong, confidence 0.9: find" in ran.out
    assert "Find failing test" not in ran.out
    found = data(cli("trace", f"{RUN}/0.1.1", "--json").out)
    assert (found["id"], found["tree"]["value"]) == (f"{RUN}/0.1.1", "def login(): ...")
    assert {event["node"] for event in found["events"]} == {"0.1.1"}


def test_a_value_that_was_not_kept_is_not_shown_as_another(cli: Cli) -> None:
    def odd(invocation: Invocation) -> object:
        return {1: "one"}

    capability = Capability(name="odd", summary="odd", call=odd)
    with Runtime(Settings.load(), capabilities=[capability]) as runtime:
        tree: Promise[Any] = Promise("odd", ground=0, capability="odd")
        outcome = runtime.resolve(tree)
    assert "value: it was not kept" in cli("trace", f"{outcome.id}/0").out
    assert "value" not in data(cli("trace", outcome.id, "--json").out)["tree"]


def test_the_effect_of_one_promise_is_in_its_trace(cli: Cli) -> None:
    interrupted()
    kinds = [event["kind"] for event in data(cli("trace", f"{RUN}/0.1.2", "--json").out)["events"]]
    assert kinds == ["promise.began", "effect.began", "effect.unknown"]


def test_a_long_order_is_cut_and_says_so(cli: Cli) -> None:
    tree = leaves(300)
    with Ledger.open(Settings.load()) as ledger:
        address = ledger.put_blob(json.dumps(to_json(tree)).encode())
        began = [Event.of(Began(node=found.id, by="x", seq=2), subject=RUN) for found in tree.walk()]
        planned = Planned(intent=tree.intent, tree=address, nodes=307, by="x", seq=1, options={})
        ledger.append_many([Event.of(planned, subject=RUN), *began])
    ran = cli("trace", RUN)
    assert "and 108 more events: mayfly trace r-7f3a0b12 --json" in ran.err
    assert len(data(cli("trace", RUN, "--json").out)["events"]) == 308


def test_a_run_without_a_tree_is_told_as_a_story(cli: Cli) -> None:
    ran = cli("run", "say something", "--json", "--quiet")
    id = data(ran.out)["id"]
    assert cli("trace", id).out.startswith("asked: say something")


@pytest.mark.parametrize("command", ["trace", "resume", "cancel"])
def test_an_unknown_run_is_one_line_with_the_next_command(cli: Cli, command: str) -> None:
    interrupted()
    ran = cli(command, "r-00000000")
    assert (ran.status, ran.out, ran.err) == (2, "", "mayfly: there is no run r-00000000; see: mayfly runs\n")


@pytest.mark.parametrize("id", ["/", "/0.1", "r-7f3a0b12/9.9", "\x1b[2J", "", "a b"])
def test_an_id_that_names_nothing_is_one_line(cli: Cli, id: str) -> None:
    interrupted()
    ran = cli("trace", id)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


@pytest.mark.parametrize("command", ["trace", "resume", "cancel"])
def test_without_a_ledger_there_is_one_line_and_none_is_made(cli: Cli, command: str) -> None:
    ran = cli(command, RUN)
    assert (ran.status, ran.err) == (2, "mayfly: nothing has been run yet; try: mayfly demo\n")
    assert "nothing is recorded yet" in cli("log").err


def test_what_does_not_run_cannot_be_cancelled(cli: Cli) -> None:
    interrupted()
    ran = cli("cancel", RUN, "--reason", "enough")
    assert (ran.status, ran.out) == (2, "")
    assert f"run {RUN} is not running: it is interrupted" in ran.err


def test_what_runs_can_be_cancelled_by_somebody(cli: Cli) -> None:
    interrupted()
    with Ledger.open(Settings.load()) as ledger, ledger.claim(RUN):
        found = data(cli("cancel", RUN, "--reason", "enough", "--by", "ada", "--json").out)
        recorded = ledger.last(kind="run.cancelled", subject=RUN)
    assert found == {"id": RUN, "cancelled": True, "by": "ada", "reason": "enough"}
    assert recorded is not None
    assert recorded.payload == {"by": "ada", "reason": "enough"}
