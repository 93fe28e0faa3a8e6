"""`mayfly why` of trees: from the root down to the leaf it ended with, and what rules and effects had to do with it."""

import json
from pathlib import Path
from typing import Any

from mayfly.core import Asked, Capability, Example, Outcome, Settings
from mayfly.promise import Promise, settle_effect
from mayfly.runtime import Runtime
from mayfly.store import Ledger

from .conftest import Cli
from .trees import RUN, interrupted, promise


def lost(invocation: object) -> object:
    raise TimeoutError("no answer")


CAPABILITIES = (
    Capability(
        name="send", summary="send", call=lost, effect="once", asks=lambda call: (Asked("notify_user", "somewhere"),)
    ),
    Capability(name="note", summary="note", call=lambda invocation: "noted", effect="once"),
)


def resolved(root: Promise[Any]) -> Outcome[Any]:
    with Runtime(Settings.load(), capabilities=CAPABILITIES) as runtime:
        return runtime.resolve(root)


def told(cli: Cli, id: str) -> Any:
    ran = cli("why", id, "--json")
    assert ran.status == 0
    return json.loads(ran.out)


def test_a_resolved_tree_says_what_proved_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    id = json.loads(cli("run", "Count the lines in a.txt and hash the file b.txt", "--json", "--quiet").out)["id"]
    text = cli("why", id).out
    assert text.startswith("asked: Count the lines in a.txt and hash the file b.txt\nresolved: 2 proven parts")
    assert "0.1    resolved  Count the lines in a.txt: strong, counting line by line" in text
    assert "permit /file_read a.txt" in text
    found = told(cli, id)
    assert [link["node"] for link in found["chain"]] == ["0"]
    assert [node["node"] for node in found["proven"]] == ["0", "0.1", "0.2"]
    assert {decision["target"] for decision in found["decisions"]} == {"a.txt", "b.txt"}
    assert {"run.began", "promise.planned", "run.resolved"} <= {step["kind"] for step in found["steps"]}


def test_the_chain_leads_from_the_root_to_the_leaf(cli: Cli) -> None:
    root = promise("Do it all", "children")
    inner = root.add(promise("Read the files", "children", name="read"))
    inner.add(promise("Read gone.txt", "capability", "read_file", argument={"path": "gone.txt"}))
    root.add(promise("Use them", "capability", "calculate", name="use", needs=("read",)))
    outcome = resolved(root)
    found = told(cli, outcome.id)
    assert [link["node"] for link in found["chain"]] == ["0", "0.1", "0.1.1"]
    assert "gone.txt" in found["chain"][-1]["reason"]
    assert [node["node"] for node in found["ground"]] == ["0.2"]
    lines = cli("why", outcome.id).out.splitlines()
    assert lines[1].startswith("gave the fallback: ")
    assert [line.split()[0] for line in lines[2:5]] == ["0", "0.1", "0.1.1"]


def test_a_promise_that_was_skipped_leads_to_the_one_it_needed(cli: Cli) -> None:
    root = promise("Do it all", "children")
    root.add(promise("Read gone.txt", "capability", "read_file", name="read", argument={"path": "gone.txt"}))
    root.add(promise("Use it", "capability", "calculate", name="use", needs=("read",)))
    outcome = resolved(root)
    assert [link["node"] for link in told(cli, f"{outcome.id}/0.2")["chain"]] == ["0.2", "0.1"]


def test_a_leaf_that_was_written_tells_what_the_gates_said(cli: Cli) -> None:
    examples = tuple(Example(input=n, output=n * n) for n in (0, 2, 3, 5, 7, -4))
    outcome = resolved(promise("square the number", "compile", argument=12, examples=examples))
    assert outcome.value == 144
    text = cli("why", outcome.id).out
    assert "how 0 came to it:" in text
    assert "proof strong" in text
    assert "proof.made" in {event["kind"] for event in told(cli, f"{outcome.id}/0")["story"]}


def test_effects_are_told_with_what_became_of_them(cli: Cli) -> None:
    root = promise("Tell everybody", "children")
    root.add(promise("Send it", "capability", "send", name="a"))
    root.add(promise("Note it", "capability", "note", name="b"))
    outcome = resolved(root)
    text = cli("why", outcome.id).out
    assert f"{outcome.id}/0.1 send somewhere, attempt 1: nobody can tell whether it happened: TimeoutError" in text
    assert f"{outcome.id}/0.2 note, attempt 1: done" in text
    with Ledger.open(Settings.load()) as ledger:
        settle_effect(ledger, f"{outcome.id}/0.1", verdict="failed", by="ada")
    [effect] = told(cli, f"{outcome.id}/0.1")["effects"]
    assert (effect["state"], effect["became"]) == ("settled", "failed, as ada says")


def test_a_refusal_of_the_rules_names_the_decision(cli: Cli) -> None:
    outcome = resolved(promise("Fetch it", "capability", "http_get", argument={"url": "https://example.com/x"}))
    assert outcome.code == "DENIED"
    [decision] = told(cli, f"{outcome.id}/0")["decisions"]
    assert decision["decision"] != "permit"
    assert cli("why", decision["id"]).status == 0


def test_an_interrupted_run_says_how_far_it_came(cli: Cli) -> None:
    interrupted()
    ran = cli("why", RUN)
    assert ran.out.splitlines()[1] == "interrupted"
    assert f"go on: mayfly resume {RUN}" in ran.err
    assert "\x1b" not in ran.out
    assert [link["node"] for link in told(cli, RUN)["chain"]] == ["0", "0.1", "0.1.2"]
    assert cli("why", f"{RUN}/0.2").status == 0


def test_a_promise_that_is_not_there_is_one_line(cli: Cli) -> None:
    interrupted()
    ran = cli("why", f"{RUN}/0.9")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"mayfly: run {RUN} has no promise 0.9; see: mayfly trace {RUN}\n"
