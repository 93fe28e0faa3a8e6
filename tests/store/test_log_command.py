from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mayfly.cli._log import log
from mayfly.core import Settings
from mayfly.store import DoctorAttacked, Ledger

from .conftest import FRESH


@pytest.fixture(autouse=True)
def _here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAYFLY_STATE_DIR", str(settings.state))
    monkeypatch.setenv("MAYFLY_DATABASE_URL", settings.store.database_url)


def attack(number: int, level: str = "landlock") -> DoctorAttacked:
    return DoctorAttacked(level=level, cases=number, contained=number)


def test_without_a_store_it_prints_a_hint_and_makes_none(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    log()
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("nothing is recorded yet")
    assert not settings.state.exists()
    assert Ledger.find(settings) is None


def test_an_event_is_one_line(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ledger.append(attack(3), subject="doctor")
    log(kind="doctor.attacked")
    when = kept.at.strftime("%Y-%m-%d %H:%M:%S")
    assert capsys.readouterr().out == f'{when}  doctor.attacked  doctor  cases=3 contained=3 level="landlock"\n'


def test_json_is_one_object_a_line(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ledger.append(attack(3, level="\ud800\x00\u2028"), subject="doctor")
    log(json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == FRESH + 1
    assert lines[FRESH] == {
        "id": FRESH + 1,
        "at": kept.at.isoformat(),
        "kind": "doctor.attacked",
        "subject": "doctor",
        "writer": kept.writer,
        "payload": kept.payload,
    }


def test_it_filters_by_kind_and_id_and_shows_the_last(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(4):
        ledger.append(attack(number), subject=f"d-{number % 2}")
    log(id="d-1", limit=1, json=True)
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == [FRESH + 4]
    log(limit=0)
    assert capsys.readouterr().out == ""
    log(kind="store.migrated", json=True)
    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == list(range(1, FRESH + 1))


def test_text_cannot_drive_the_terminal_or_fill_it(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    ledger.append(attack(1, level="\x1b[2J\n" * 1000), subject="doctor")
    log(kind="doctor.attacked")
    [line] = capsys.readouterr().out.splitlines()
    assert "\x1b" not in line
    assert len(line) < 200


def test_follow_prints_what_comes_later(ledger: Ledger) -> None:
    script = "from mayfly.cli._log import log; log(follow=True, limit=1, json=True)"
    # Where the tests were started in the background of a shell, Ctrl-C would be ignored by whatever they start.
    script = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {script}"
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=dict(os.environ), stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert json.loads(reader.stdout.readline())["id"] == FRESH
        ledger.append(attack(1), subject="doctor")
        assert json.loads(reader.stdout.readline())["id"] == FRESH + 1
        reader.send_signal(2)
        assert reader.stdout.read() == ""
        assert reader.wait() == 0
