"""`mayfly identity` and `mayfly market`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli

EXAMPLES = [("anna lee", "A.L."), ("bob stone", "B.S."), ("carl von ossi", "C.V.O."), ("d e", "D.E.")]


@pytest.fixture(autouse=True)
def quick(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_PROMOTION_RUNS", "0")
    monkeypatch.setenv("MAYFLY_PROMOTION_QUORUM", "2")
    Path("examples.json").write_text(json.dumps([{"input": a, "output": b} for a, b in EXAMPLES]))
    Path("input.json").write_text('"kim poe"')


def run(cli: Cli) -> str:
    ran = cli("run", "initials of a name", "--examples", "examples.json", "--input", "input.json")
    assert ran.status == 0, ran.err
    listed = json.loads(cli("market", "list", "--json").out)
    return str(listed["capabilities"][0]["hash"])


def test_identities_are_made_listed_added_and_removed(cli: Cli) -> None:
    assert "there is no identity yet" in cli("identity").err
    key = cli("identity", "new", "ann").out.strip()
    assert len(key) == 64
    assert cli("identity", "add", "bob", "ab" * 32).out == "the votes of bob count from now on\n"
    assert json.loads(cli("identity", "list", "--json").out) == [
        {"name": "ann", "key": key, "own": True},
        {"name": "bob", "key": "ab" * 32, "own": False},
    ]
    refused = cli("identity", "remove", "ann")
    assert (refused.status, "--yes" in refused.err) == (2, True)
    assert cli("identity", "remove", "ann", "--yes").status == 0
    assert cli("identity", "remove", "bob").status == 0
    assert cli("identity", "new", "../x").status == 2


def test_j_41_votes_promote_and_a_double_vote_is_refused(cli: Cli) -> None:
    assert "nothing to vote on" in cli("market", "list").err
    hash = run(cli)
    assert "mayfly identity new" in cli("market", "vote", hash, "+1").err
    for name in ("ann", "bob", "eve"):
        cli("identity", "new", name)
    assert "several identities" in cli("market", "vote", hash, "+1").err
    first = cli("market", "vote", hash[:12], "+1", "--as", "ann")
    assert "is proposed: 1 runs, 1 for it, 0 against it" in first.out
    twice = cli("market", "vote", hash, "-1", "--as", "ann")
    assert (twice.status, "has voted" in twice.err) == (3, True) or "has voted" in twice.err
    assert "0 for it" not in cli("market", "vote", hash, "-1", "--as", "eve").out
    assert cli("market", "vote", hash, "maybe", "--as", "bob").status == 2
    last = cli("market", "vote", hash, "+1", "--as", "bob")
    assert "is promoted" in last.out
    assert "committed as" in last.out
    assert "promoted" in cli("market", "list").out
    assert cli("cache", "clear").status == 0
    again = cli("run", "initials of a name", "--examples", "examples.json", "--input", "input.json", "-v")
    assert (again.out, "promoted/initials_name" in again.err) == ('"K.P."\n', True)
    assert cli("market", "demote", hash, "--why", "a better one", "--by", "ann").status == 0
    assert "promoted" not in cli("market", "list").out.split("\n", 1)[1]
    assert cli("market", "settle", hash, "--why", "none").status != 0
