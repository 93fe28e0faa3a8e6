"""`mayfly demo`: real jobs behind the real wall."""

import json

import pytest

from mayfly.cli import _demo
from mayfly.cli._demo import Bait, Job
from mayfly.core import SandboxSettings
from mayfly.sandbox import Result, Sandbox

from .conftest import Cli


def test_friendly_programs_work_and_hostile_ones_are_contained(cli: Cli) -> None:
    ran = cli("demo", "--json")
    found = json.loads(ran.out)
    assert ran.status == 0
    assert found["level"] in ("namespaces", "landlock")
    assert [job["hostile"] for job in found["jobs"]] == [False, False, True, True, True, True, True]
    assert all(job["well"] for job in found["jobs"])
    assert json.loads(found["jobs"][1]["detail"]) == {"Ada": 127.99, "Grace": 7.5}
    assert found["pinned"]["calls"] == 1000


def test_the_story_ends_with_what_to_type_next_and_is_in_the_ledger(cli: Cli) -> None:
    ran = cli("demo")
    assert ran.status == 0
    assert "5 of 5 hostile programs contained" in ran.out
    assert "mayfly doctor --attack" in ran.out
    assert "\x1b" not in ran.out
    assert len(cli("log", "--kind", "sandbox.ran", "--json").out.splitlines()) == 7


def judge(job: Job, result: Result, bait: Bait) -> tuple[bool, str]:
    return _demo._judge(job, result, bait, SandboxSettings())


def test_a_stolen_secret_would_be_seen() -> None:
    with _demo._bait() as bait:
        job = next(job for job in _demo._jobs(bait) if job.file == "steal_secret.py")
        stolen = Result(status="ok", value={"found": [bait.secret], "stopped": ""})
        harmless = Result(status="ok", value={"found": [""], "stopped": "permission denied"})
        assert judge(job, stolen, bait)[0] is False
        assert judge(job, harmless, bait) == (True, "permission denied")


def test_a_hostile_program_that_returns_is_an_escape() -> None:
    with _demo._bait() as bait:
        jobs = {job.file: job for job in _demo._jobs(bait)}
        assert judge(jobs["eat_memory.py"], Result(status="ok", value=2048), bait)[0] is False
        assert judge(jobs["fork_bomb.py"], Result(status="ok", value={"found": [3], "stopped": ""}), bait)[0] is False
        assert judge(jobs["loop_forever.py"], Result(status="timeout"), bait)[0] is True


def test_the_bait_is_within_reach_without_the_wall(cli: Cli) -> None:
    with _demo._bait() as bait:
        names: dict[str, object] = {}
        exec((_demo.HERE / "steal_secret.py").read_bytes(), names)
        found = names["steal"](str(bait.file))  # type: ignore[operator]
        assert bait.secret in str(found["found"])
        exec((_demo.HERE / "open_socket.py").read_bytes(), names)
        assert names["call"]([["127.0.0.1", bait.port]])["found"] == [f"127.0.0.1:{bait.port}"]  # type: ignore[operator]


def test_a_machine_without_a_wall_runs_nothing_and_is_status_4(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Result(status="refused", error="this machine gives no sandbox", level="none")
    monkeypatch.setattr(Sandbox, "run", lambda *_, **__: refused)
    ran = cli("demo")
    assert ran.status == 4
    assert "contained" not in ran.out
    assert ran.err == "mayfly: this machine gives no sandbox; see: mayfly doctor\n"
