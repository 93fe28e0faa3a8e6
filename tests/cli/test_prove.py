"""`mayfly prove` of trees: one line a promise, True or why not."""

import json
from pathlib import Path

import pytest

from .conftest import Cli
from .trees import RUN, interrupted

ASKED = "Count the lines in a.txt and hash the file b.txt"


@pytest.fixture
def id(cli: Cli, tmp_path: Path) -> str:
    """Run a tree of two leaves and return its id."""
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "b.txt").write_text("beta")
    ran = cli("run", ASKED, "--json", "--quiet")
    assert ran.status == 0
    return str(json.loads(ran.out)["id"])


def test_a_tree_that_holds_is_true_promise_by_promise(cli: Cli, id: str) -> None:
    ran = cli("prove", id)
    lines = ran.out.splitlines()
    assert ran.status == 0
    assert [line.split()[:2] for line in lines[:3]] == [["0", "True"], ["0.1", "True"], ["0.2", "True"]]
    assert lines[3:] == ["True"]


def test_a_file_that_changed_is_why_not(cli: Cli, tmp_path: Path, id: str) -> None:
    (tmp_path / "b.txt").write_text("another")
    ran = cli("prove", id)
    told = {line.split()[0]: line for line in ran.out.splitlines()}
    assert ran.status == 1
    assert ran.out.endswith("\nFalse\n")
    assert "0.1      True" in told["0.1"]
    assert "False  the test of hash_file gave False, not True: a second reading has the same hash" in told["0.2"]
    assert "False  it rests on 0.2" in told["0"]
    assert cli("prove", f"{id}/0.1").status == 0
    assert cli("prove", f"{id}/0.2").status == 1


def test_json_has_a_record_a_promise(cli: Cli, tmp_path: Path, id: str) -> None:
    (tmp_path / "a.txt").unlink()
    ran = cli("prove", f"{id}/0.1", "--json")
    found = json.loads(ran.out)
    assert ran.status == 1
    assert (found["id"], found["holds"]) == (f"{id}/0.1", False)
    [node] = found["nodes"]
    assert set(node) == {"node", "holds", "description", "reason"}
    assert (node["node"], node["holds"]) == ("0.1", False)
    assert "a.txt" in node["reason"]


def test_what_is_not_proven_yet_says_so(cli: Cli) -> None:
    interrupted()
    ran = cli("prove", f"{RUN}/0.2.1")
    assert ran.status == 1
    assert "it is not proven: needs a \\x1b[31mmodel" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("node", ["0.9", "x", "\x1b[2J"])
def test_a_promise_that_is_not_there_is_one_line(cli: Cli, id: str, node: str) -> None:
    ran = cli("prove", f"{id}/{node}")
    assert (ran.status, ran.out) == (2, "")
    assert "has no promise" in ran.err
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err
