"""`mayfly demo`: the whole story for real, offline."""

import json

import pytest

from mayfly.cli import _demo
from mayfly.cli._demo import Bait, HostileJob
from mayfly.core import SandboxSettings
from mayfly.sandbox import Result, Sandbox

from .conftest import Cli


@pytest.mark.later
def test_the_story_is_told_as_data(cli: Cli) -> None:
    ran = cli("demo", "--json")
    found = json.loads(ran.out)
    assert ran.status == 0
    assert found["well"] is True
    assert found["level"] in ("namespaces", "landlock")
    assert (found["task"]["status"], found["task"]["records"]) == ("resolved", 15)
    assert (found["again"]["cached"], found["again"]["model_calls"]) == (True, 0)
    assert found["wrong"]["caught"] is True
    assert all(row["contained"] for row in found["hostile"])


def test_the_story_ends_with_what_to_type_next_and_is_in_the_ledger(cli: Cli) -> None:
    ran = cli("demo")
    assert ran.status == 0
    assert "5 of 5 hostile programs contained" in ran.out
    assert "mayfly doctor --attack" in ran.out
    assert "\x1b" not in ran.out
    assert len(cli("log", "--kind", "sandbox.ran", "--json").out.splitlines()) == 5
    assert len(cli("log", "--kind", "run.resolved", "--json").out.splitlines()) == 2


def judge(job: HostileJob, result: Result, bait: Bait) -> tuple[bool, str]:
    return _demo.judge(job, result, bait, SandboxSettings())


def test_a_stolen_secret_would_be_seen() -> None:
    with _demo.laid_out() as bait:
        job = next(job for job in _demo.jobs(bait) if job.file == "steal_secret.py")
        stolen = Result(status="ok", value={"found": [bait.secret], "stopped": ""})
        harmless = Result(status="ok", value={"found": [""], "stopped": "permission denied"})
        assert judge(job, stolen, bait)[0] is False
        assert judge(job, harmless, bait) == (True, "permission denied")


def test_a_hostile_program_that_returns_is_an_escape() -> None:
    with _demo.laid_out() as bait:
        jobs = {job.file: job for job in _demo.jobs(bait)}
        assert judge(jobs["eat_memory.py"], Result(status="ok", value=2048), bait)[0] is False
        assert judge(jobs["fork_bomb.py"], Result(status="ok", value={"found": [3], "stopped": ""}), bait)[0] is False
        assert judge(jobs["loop_forever.py"], Result(status="timeout"), bait)[0] is True


def test_the_bait_is_within_reach_without_the_wall() -> None:
    with _demo.laid_out() as bait:
        names: dict[str, object] = {}
        exec((_demo.HERE / "steal_secret.py").read_bytes(), names)
        found = names["steal"](str(bait.file))  # type: ignore[operator]
        assert bait.secret in str(found["found"])
        exec((_demo.HERE / "open_socket.py").read_bytes(), names)
        assert names["call"]([["127.0.0.1", bait.port]])["found"] == [f"127.0.0.1:{bait.port}"]  # type: ignore[operator]


def test_a_machine_without_a_wall_runs_nothing_and_is_status_4(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sandbox, "warm", lambda *_, **__: "none")
    ran = cli("demo")
    assert ran.status == 4
    assert "contained" not in ran.out
    assert ran.err == "mayfly: this machine gives no sandbox; see: mayfly doctor\n"
