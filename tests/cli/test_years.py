"""A ledger of years: pages of runs, a chain that is verified, archives that are still read, clocks that were set."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Self

import pytest

from mayfly.core import Capability, Settings
from mayfly.forge._events import RunBegan, RunCollapsed
from mayfly.promise import Promise
from mayfly.runtime import Runtime
from mayfly.store import Ledger, _rows

from .conftest import Cli

BEGAN = RunBegan(intent="count", tier="memo", depth=0, model=None, examples=0, input="nothing")
COLLAPSED = RunCollapsed(
    intent="count",
    depth=0,
    reason="no",
    code="WEAK",
    ground_value=None,
    status="collapsed",
    seconds=1.0,
    model_calls=0,
    input_tokens=0,
    output_tokens=0,
    money=0.0,
)
GIVE = Capability(name="give", summary="give", call=lambda asked: asked.arguments["value"])


def give(number: int) -> Promise[Any]:
    root: Promise[Any] = Promise("give both", ground=None)
    for value in (number, number + 1):
        root.add(Promise("give one", ground=None, capability="give", argument={"value": value}))
    return root


def resolved(number: int) -> str:
    with Runtime(Settings.load(), capabilities=[GIVE]) as runtime:
        outcome = runtime.resolve(give(number))
        assert outcome.resolved
        return outcome.id


@pytest.fixture
def set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of the ledger go back by a minute at each look."""
    looks = [0]

    class Back(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            looks[0] += 1
            return super().now(tz) - timedelta(minutes=looks[0])

    monkeypatch.setattr(_rows, "datetime", Back)


@pytest.mark.usefixtures("set_back")
def test_f6_a_clock_that_goes_back_gives_no_negative_times(cli: Cli) -> None:
    run = resolved(1)
    [line] = json.loads(cli("runs", "--json").out)
    assert 0 <= line["seconds"] < 60
    told = cli("trace", run).out
    assert "-" not in re.sub(r"r-[0-9a-f]{8}|\d{4}-\d\d-\d\d", "", told)
    assert "m " not in " ".join(re.findall(r"^ +(\S+ m?s?)  ", told, flags=re.MULTILINE))


def test_f4_runs_have_pages(cli: Cli) -> None:
    with Ledger.open(Settings.load()) as ledger:
        for number in range(5):
            ledger.append_many([BEGAN, COLLAPSED], subject=f"r-{number}")
    first = cli("runs", "--limit", "2")
    assert [line.split()[0] for line in first.out.splitlines()] == ["id", "r-4", "r-3"]
    assert "older ones: mayfly runs --after r-3" in first.err
    second = cli("runs", "--limit", "3", "--after", "r-3")
    assert [line.split()[0] for line in second.out.splitlines()] == ["id", "r-2", "r-1", "r-0"]
    assert "older ones" not in second.err


def test_f4_runs_are_filtered_by_how_they_stand_and_when_they_began(cli: Cli) -> None:
    run = resolved(1)
    with Ledger.open(Settings.load()) as ledger:
        ledger.append_many([BEGAN, COLLAPSED], subject="r-1")
        ledger.append_many([BEGAN], subject="r-2")

    def found(*options: str) -> set[str]:
        return {line["id"] for line in json.loads(cli("runs", "--json", *options).out)}

    assert found("--status", "resolved") == {run}
    assert found("--status", "collapsed", "--status", "interrupted") == {"r-1", "r-2"}
    assert found("--since", "1h") == {run, "r-1", "r-2"}
    assert found("--since", "2999-01-01") == set()
    assert cli("runs", "--since", "2999-01-01").err == "no such run\n"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--status", "done"), "no run is 'done'; say one of running, resolved"),
        (("--since", "yesterday"), "'yesterday' is no moment; say one such as"),
        (("--since", "999999w"), "is no moment"),
        (("--after", "r-9"), "there is no run r-9"),
    ],
)
def test_f4_what_is_no_filter_is_named(cli: Cli, options: tuple[str, ...], told: str) -> None:
    resolved(1)
    ran = cli("runs", *options)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err


def test_f7_a_whole_ledger_has_a_head_and_a_broken_one_a_name(cli: Cli, state: Path) -> None:
    run = resolved(1)
    ran = cli("log", "verify")
    assert (ran.status, ran.err) == (0, "")
    assert re.fullmatch(r"whole: \d+ events in \d+ links\nhead: \d+:[0-9a-f]{64}\n", ran.out)
    head = ran.out.split()[-1]
    resolved(2)
    assert cli("log", "verify", "--head", head).status == 0
    with closing(sqlite3.connect(state / "ledger.db", isolation_level=None)) as owner:
        owner.execute("DROP TRIGGER mayfly_events_update")
        owner.execute("UPDATE mayfly_events SET payload = '{}' WHERE subject = ? AND kind = 'run.began'", [run])
    broken = cli("log", "verify")
    assert broken.status == 1
    assert re.search(r"not what was appended: events \d+ to \d+: not what was appended", broken.err)
    told = json.loads(cli("log", "verify", "--json").out)
    assert (told["ok"], told["at"] > 0, "not what was appended" in told["broken"]) == (False, True, True)
    assert cli("log", "verify", "--head", "nonsense").status == 2


def test_f7_without_a_ledger_there_is_nothing_to_verify_or_archive(cli: Cli) -> None:
    assert cli("log", "verify").err.startswith("nothing is recorded yet")
    assert cli("log", "archive", "--before", "90d").err.startswith("no run ended before")


def test_f7_an_archived_run_is_traced_listed_and_counted_as_before(cli: Cli) -> None:
    run = resolved(1)
    commands = (("trace", run), ("trace", run, "--json"), ("runs",), ("metrics",), ("log", "--id", run), ("why", run))
    before = [cli(*command).out for command in commands]
    ran = cli("log", "archive", "--before", "2999-01-01")
    assert re.fullmatch(r"[0-9]+-[0-9]+-[0-9a-f]{12}\.jsonl\.gz: [0-9]+ events of 1 runs\n", ran.out)
    assert [cli(*command).out for command in commands] == before
    assert run not in {json.loads(line)["subject"] for line in cli("log", "--json").out.splitlines()}
    assert cli("log", "verify").status == 0
    with Runtime(Settings.load(), capabilities=[GIVE]) as runtime:
        assert runtime.resume(run).cached


def test_f7_the_log_shows_the_last_events_and_says_so(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mayfly.cli._log.LAST", 3)
    with Ledger.open(Settings.load()) as ledger:
        ledger.append_many([BEGAN, COLLAPSED], subject="r-1")
        total = ledger.count()
    ran = cli("log", "--json")
    assert len(ran.out.splitlines()) == 3
    assert "all of them: mayfly log --all" in ran.err
    assert len(cli("log", "--all", "--json").out.splitlines()) == total
    assert len(cli("log", "--limit", "4", "--json").out.splitlines()) == 4
