"""`mayfly resume`: a tree goes on where it ended early, and what is proven is not done again."""

import json
from pathlib import Path
from typing import Any

from mayfly.core import Outcome, Settings
from mayfly.runtime import Runtime

from .conftest import Cli
from .trees import promise


def read_both(tmp_path: Path) -> Outcome[Any]:
    """Have two files read of which only one is there."""
    (tmp_path / "a.txt").write_text("alpha")
    root = promise("Read both files", "children", combine="record")
    root.add(promise("Read a.txt", "capability", "read_file", name="a", argument={"path": "a.txt"}))
    root.add(promise("Read b.txt", "capability", "read_file", name="b", argument={"path": "b.txt"}))
    with Runtime(Settings.load()) as runtime:
        return runtime.resolve(root)


def test_what_is_proven_is_used_again_and_the_rest_is_resolved(cli: Cli, tmp_path: Path) -> None:
    before = read_both(tmp_path)
    assert before.status == "collapsed"
    (tmp_path / "b.txt").write_text("beta")
    ran = cli("resume", before.id)
    lines = {line.split()[1]: line for line in ran.err.splitlines() if line.startswith("resolved   0")}
    assert (ran.status, json.loads(ran.out)) == (0, {"a": "alpha", "b": "beta"})
    assert "· again ·" in lines["0.1"]
    assert "again" not in lines["0.2"]
    assert f"resolved  {before.id} in " in ran.err
    assert cli("runs", "--json").out.count('"status": "resolved"') == 1


def test_what_cannot_be_resolved_is_ground_with_the_status_of_its_reason(cli: Cli, tmp_path: Path) -> None:
    before = read_both(tmp_path)
    ran = cli("resume", before.id, "--quiet")
    assert (ran.status, ran.out) == (1, "null\n")
    assert before.code == "LEAF_INPUT"
    assert "b.txt" in ran.err


def test_a_run_that_is_done_gives_its_value_again(cli: Cli, tmp_path: Path) -> None:
    before = read_both(tmp_path)
    (tmp_path / "b.txt").write_text("beta")
    cli("resume", before.id)
    found = json.loads(cli("resume", before.id, "--json", "--quiet").out)
    assert (found["status"], found["cached"], found["value"]) == ("resolved", True, {"a": "alpha", "b": "beta"})


def test_both_attempts_are_in_the_trace(cli: Cli, tmp_path: Path) -> None:
    before = read_both(tmp_path)
    (tmp_path / "b.txt").write_text("beta")
    cli("resume", before.id)
    told = cli("trace", before.id).out
    assert "run.collapsed" in told
    assert "run.resumed" in told
    leaf = json.loads(cli("trace", before.id, "--json").out)["tree"]["children"][1]
    assert (leaf["state"], leaf["served_by"]) == ("resolved", "read_file")
