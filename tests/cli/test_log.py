"""`mayfly log --promise`: the whole story of a run, wherever the parts of it are recorded."""

import json
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Example, Settings
from mayfly.operations import PromiseStory
from mayfly.promise._events import Began, Proven
from mayfly.runtime import Runtime
from mayfly.store import Event, Ledger
from popcount import EXAMPLES, INTENT, WRONG

from .conftest import Cli
from .test_run import scripted
from .trees import PROOF, RUN, interrupted, promise

ASKED = "Count the lines in a.txt and hash the file b.txt"


def story(cli: Cli, *args: str) -> list[dict[str, Any]]:
    ran = cli("log", "--promise", *args, "--json")
    assert ran.status == 0
    return [json.loads(line) for line in ran.out.splitlines()]


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in events]


def count_and_hash(cli: Cli, tmp_path: Path) -> str:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    return str(json.loads(cli("run", ASKED, "--json", "--quiet").out)["id"])


def test_a_run_is_told_with_its_nodes_values_and_decisions(cli: Cli, tmp_path: Path) -> None:
    count_and_hash(cli, tmp_path)
    id = count_and_hash(cli, tmp_path)
    found = story(cli, id)
    assert kinds(found).count("promise.resolved") == 3
    assert kinds(found).count("promise.proven") == 2
    assert kinds(found).count("policy.decided") == 2
    assert kinds(found)[0] == "run.began"
    assert kinds(found)[-1] == "run.resolved"
    assert {event["subject"].partition("/")[0] for event in found if event["kind"].startswith("run.")} == {id}
    assert [event["id"] for event in found] == sorted({event["id"] for event in found})


def test_the_work_of_an_agent_is_part_of_the_story(cli: Cli) -> None:
    agent: dict[str, Any] = {"examples": tuple(Example(input=n, output=n * n) for n in (0, 2, 3, 5, 7, -4))}
    root = promise("both", "children", combine="record")
    root.add(promise("square the number", "compile", name="a", argument=12, **agent))
    root.add(promise("square the number", "compile", name="b", argument=13, needs=("a",), **agent))
    with Runtime(Settings.load()) as runtime:
        id = runtime.resolve(root).id
    found = story(cli, id)
    assert {"gate.judged", "proof.made", "agent.created", "agent.executed"} <= set(kinds(found))
    second = story(cli, f"{id}/0.2")
    assert {event["subject"] for event in second if event["kind"] == "agent.executed"} == {f"{id}/0.2"}


def test_one_promise_is_told_alone(cli: Cli, tmp_path: Path) -> None:
    id = count_and_hash(cli, tmp_path)
    found = story(cli, f"{id}/0.2")
    assert sorted(kinds(found)) == ["policy.decided", "promise.began", "promise.proven", "promise.resolved"]
    assert {event["payload"]["node"] for event in found if event["kind"].startswith("promise.")} == {"0.2"}


def test_effects_and_calls_for_help_belong_to_it(cli: Cli, tmp_path: Path) -> None:
    interrupted()
    assert {"effect.began", "effect.unknown"} <= set(kinds(story(cli, RUN)))
    assert kinds(story(cli, f"{RUN}/0.1.2")) == ["promise.began", "effect.began", "effect.unknown"]
    (tmp_path / "examples.json").write_text(json.dumps(EXAMPLES))
    (tmp_path / "input.json").write_text("12")
    model = scripted(tmp_path, WRONG)
    asked = ("--input", "input.json", "--examples", "examples.json", "--model", model, "--json")
    id = json.loads(cli("run", INTENT, *asked).out)["id"]
    assert {"run.began", "help.needed", "run.collapsed"} <= set(kinds(story(cli, id)))


def test_the_kill_switch_is_part_of_what_it_stopped(cli: Cli) -> None:
    interrupted()
    cli("kill", "on", "--reason", "enough")
    assert "kill.switched" not in kinds(story(cli, RUN))
    with Ledger.open(Settings.load()) as ledger:
        ledger.append(Began(node="0.1.1", by="x", seq=9), subject=RUN)
    assert "kill.switched" in kinds(story(cli, RUN))


def test_the_story_can_be_narrowed(cli: Cli, tmp_path: Path) -> None:
    id = count_and_hash(cli, tmp_path)
    assert kinds(story(cli, id, "--kind", "promise.proven")) == ["promise.proven"] * 2
    assert kinds(story(cli, id, "--limit", "1")) == ["run.resolved"]
    assert story(cli, id, "--limit", "0") == []
    assert {event["subject"] for event in story(cli, id, "--id", id)} == {id}


def test_what_comes_later_is_told_to_who_waits(cli: Cli) -> None:
    interrupted()
    proven = Proven(run=RUN, node="0.1.2", value=1, evidence=PROOF.to_json())
    began = Began(node="0.1.2", by="x", seq=9)
    with Ledger.open(Settings.load()) as ledger:
        whole, one = PromiseStory(ledger, RUN), PromiseStory(ledger, f"{RUN}/0.1")
        other = PromiseStory(ledger, f"{RUN}/0.2")
    for event in (
        Event.of(proven, subject="key"),
        Event.of(began, subject=RUN),
        Event.of(began, subject=f"{RUN}/0.1.2"),
        Event.of(began, subject=f"h-{RUN.removeprefix('r-')}/0.1.2"),
    ):
        assert [found.wants(event) for found in (whole, one, other)] == [True, True, False]
    assert not whole.wants(Event.of(began, subject="r-00000000/0.1.2"))


@pytest.mark.parametrize("id", ["r-00000000", f"{RUN}/0.9", "/", "", "\x1b[2J"])
def test_what_was_never_recorded_is_one_line(cli: Cli, id: str) -> None:
    interrupted()
    ran = cli("log", "--promise", id)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err
