"""`mayfly doctor`: what it says of this machine, and of ones that are worse off."""

import json
from collections.abc import Callable

import pytest

import mayfly.sandbox
from mayfly.sandbox import Diagnosis, Layer, attacks
from mayfly.sandbox.attacks import CaseResult, Report

from .conftest import Cli


def test_this_machine_gets_a_level_with_its_layers(cli: Cli) -> None:
    ran = cli("doctor", "--json")
    found = json.loads(ran.out)
    assert ran.status == 0
    assert found["level"] in ("namespaces", "landlock")
    assert all(set(layer) == {"name", "ok", "detail", "fix"} for layer in found["layers"])


def test_every_layer_has_a_line(cli: Cli) -> None:
    layers = json.loads(cli("doctor", "--json").out)["layers"]
    shown = cli("doctor").out
    assert all(layer["name"] in shown for layer in layers)
    assert "doctor --attack" in shown


def test_a_machine_without_a_level_is_status_4_and_told_how_to_get_one(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = Layer(name="user namespaces", ok=False, detail="refused", fix="sysctl kernel.something=1")
    poor = Diagnosis(level="none", layers=(layer,), reason="nothing works")
    monkeypatch.setattr(mayfly.sandbox, "diagnose", lambda settings: poor)
    ran = cli("doctor")
    assert ran.status == 4
    assert "how to get more" in ran.out
    assert "sysctl kernel.something=1" in ran.out
    assert "--attack" not in ran.out


def test_attack_options_need_an_attack(cli: Cli) -> None:
    assert cli("doctor", "--level", "landlock").status == 2


def fake_run(*contained: bool) -> Callable[..., Report]:
    cases = tuple(
        CaseResult(
            name=f"case_{number}",
            category="files" if number < 2 else "network",
            title="tries something",
            contained=held,
            stopped_by="the kernel",
            status="error",
            milliseconds=1.0,
        )
        for number, held in enumerate(contained)
    )

    def run(
        *,
        level: str | None = None,
        only: object = None,
        on_case: Callable[[CaseResult], None] | None = None,
        settings: object = None,
    ) -> Report:
        for case in cases:
            if on_case is not None:
                on_case(case)
        return Report(level=level or "namespaces", cases=cases)

    return run


def test_an_attack_is_told_case_by_case_under_its_category(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "run", fake_run(True, True, True))
    ran = cli("doctor", "--attack")
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines() if line] == [
        *("files", "held", "held", "network", "held", "3")
    ]
    assert ran.out.endswith("3 of 3 contained at level namespaces\n")


def test_one_escape_is_status_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "run", fake_run(True, False))
    ran = cli("doctor", "--attack", "--level", "landlock")
    assert ran.status == 1
    assert "ESCAPED" in ran.out
    assert ran.out.endswith("1 of 2 contained at level landlock\n")


def test_a_process_that_outlives_its_job_is_status_1(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    held = fake_run(True)()
    monkeypatch.setattr(attacks, "run", lambda **_: Report(level=held.level, cases=held.cases, survivors=2))
    ran = cli("doctor", "--attack")
    assert ran.status == 1
    assert ran.out.endswith("2 processes outlived their jobs\n")


def test_a_case_that_does_not_exist_is_named(cli: Cli) -> None:
    ran = cli("doctor", "--attack", "--only", "nonsense", "--json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("mayfly: no case or category is called nonsense; ")


@pytest.mark.later
def test_a_real_category_is_contained(cli: Cli) -> None:
    found = json.loads(cli("doctor", "--attack", "--only", "secrets", "--json").out)
    assert found["total"] >= 6
    assert found["contained"] == found["total"]


def test_an_attack_as_json(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "run", fake_run(True, False))
    found = json.loads(cli("doctor", "--attack", "--json").out)
    assert (found["contained"], found["total"], len(found["cases"])) == (1, 2, 2)


def test_an_attack_is_in_the_ledger(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "run", fake_run(True, False))
    cli("doctor", "--attack")
    event = json.loads(cli("log", "--kind", "doctor.attacked", "--json").out)
    assert event["payload"] == {"level": "namespaces", "cases": 2, "contained": 1}
