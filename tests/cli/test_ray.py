"""`mayfly ray`: a cluster of this machine that stays when the command has ended, and goes when told."""

import json
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from mayfly.core import Settings
from mayfly.promise.engines import TryOut

from .conftest import Cli

pytestmark = pytest.mark.timeout(600)


def marked(mark: str, secret: str = "") -> list[str]:
    """Return every process that carries the mark of a cluster, and *secret* too."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            seen = path.read_bytes()
        except OSError:
            continue
        if f"MAYFLY_RAY_CLUSTER={mark}".encode() in seen and secret.encode() in seen:
            found.append(path.parent.name)
    return found


def test_nothing_up_is_said_and_nothing_ended(cli: Cli) -> None:
    ran = cli("ray", "status")
    assert (ran.status, ran.out) == (1, "not up\n")
    assert json.loads(cli("ray", "status", "--json").out) == {"up": False}
    assert cli("ray", "down").out == "nothing was up\n"


@pytest.mark.parametrize("wrong", [("--nodes", "0"), ("--nodes", "1000"), ("--cpus", "0"), ("--nodes", "many")])
def test_a_number_that_cannot_be_is_refused(cli: Cli, wrong: tuple[str, str]) -> None:
    ran = cli("ray", "up", *wrong)
    assert ran.status == 2
    assert wrong[0] in ran.err
    assert ran.err.count("\n") == 1


def test_without_ray_the_command_that_installs_it_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mayfly.promise.engines._connect.find_spec", lambda _: None)
    ran = cli("ray", "up")
    assert ran.status == 4
    assert "pip install 'mayfly-agents[ray]'" in ran.err


def test_a_cluster_that_cannot_start_leaves_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray")
    # Other tests have clusters of their own at the same time, so only what this one makes is looked at.
    made: list[Path] = []
    make = tempfile.mkdtemp

    def make_and_tell(*given: Any, **named: Any) -> str:
        made.append(Path(make(*given, **named)))
        return str(made[-1])

    monkeypatch.setattr("mayfly.promise.engines._tryout.tempfile.mkdtemp", make_and_tell)
    monkeypatch.setattr("mayfly.promise.engines._tryout._store_size", lambda _: -1)
    ran = cli("ray", "up", "--nodes", "1")
    assert ran.status == 4
    assert "the Ray cluster did not start: " in ran.err
    assert ran.err.count("\n") == 1
    assert made
    assert not any(path.exists() for path in made)
    assert cli("ray", "status").out == "not up\n"


def test_a_cluster_comes_up_once_stays_and_goes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop("Ray is not installed: pip install 'mayfly-agents[ray]'")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-tell")
    try:
        told = json.loads(cli("ray", "up", "--nodes", "1", "--cpus", "3", "--json").out)
        assert (told["started"], told["nodes"], told["cpus"], told["alive"]) == (True, 1, 3, 1)
        cluster = TryOut(Settings.load()).expect()
        assert cluster.token.stat().st_mode & 0o777 == 0o600
        assert Path(told["directory"]).stat().st_mode & 0o777 == 0o700
        assert len(marked(cluster.id)) > 3
        assert marked(cluster.id, secret="sk-do") == []

        again = cli("ray", "up")
        assert (again.status, again.out) == (0, f"already up: 1 node of 3 cores each at {told['address']}\n")
        assert cli("ray", "status").out == f"up: 1 node of 3 cores each at {told['address']}\n"
    finally:
        ended = cli("ray", "down", "--json")
    assert json.loads(ended.out)["ended"] is True
    assert marked(cluster.id) == []
    assert not Path(told["directory"]).exists()
    assert cli("ray", "status").status == 1
